/* From the configuration to a store: where it is, and what it keeps. Every test has folders of its own. */
#include "../testing.h"

#include "config/config.h"
#include "store/store.h"

struct folders {
    struct rf_arena *arena;
    const char *folder;
};

static int set_up(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct folders *f = RF_NEW(a, struct folders);
    f->arena = a;
    f->folder = scratch_new(a);
    *state = f;
    make_folder(in_folder(a, f->folder, "refract"));
    unsetenv("XDG_DATA_HOME");
    setenv("XDG_CONFIG_HOME", f->folder, 1);
    setenv("XDG_CACHE_HOME", in_folder(a, f->folder, "cache"), 1);
    return setenv("HOME", f->folder, 1) || chdir(f->folder);
}

static int tear_down(void **state)
{
    struct folders *f = *state;
    scratch_remove(f->folder);
    rf_arena_free(f->arena);
    return chdir("/");
}

static struct rf_store *open_with(const struct folders *f, const char *text)
{
    struct rf_config *c = NULL;
    struct rf_store *s = NULL;
    struct rf_err err = { 0 };
    write_file(in_folder(f->arena, f->folder, "refract/config.yaml"), rf_str(text));
    if (rf_config_open(&c, &err) || rf_store_open(c, &s, &err))
        fail_msg("%s", err.msg);
    rf_config_close(c); /* the store does not need it any more */
    return s;
}

static void without_a_word_it_is_the_data_folder(void **state)
{
    const struct folders *f = *state;
    struct rf_store *s = open_with(f, "");
    assert_string_equal(rf_store_place(s), in_folder(f->arena, f->folder, ".local/share/refract"));
    assert_int_equal(s->options.file_bytes, RF_STORE_FILE_BYTES);
    assert_int_equal(s->options.text_bytes, RF_STORE_TEXT_BYTES);
    assert_false(s->options.leave_files);
    assert_string_equal(s->options.made, in_folder(f->arena, f->folder, "cache/refract"));
    rf_store_close(s);
    setenv("XDG_DATA_HOME", in_folder(f->arena, f->folder, "data"), 1);
    struct rf_err err;
    assert_int_equal(rf_store_open(NULL, &s, &err), RF_OK);
    assert_string_equal(rf_store_place(s), in_folder(f->arena, f->folder, "data/refract"));
    rf_store_close(s);
}

static void the_configuration_names_it(void **state)
{
    const struct folders *f = *state;
    struct rf_store *s = open_with(f, "store: ~/here\nlimits: {history_text_bytes: 5000}\n");
    assert_string_equal(rf_store_place(s), in_folder(f->arena, f->folder, "here"));
    assert_int_equal(s->options.text_bytes, 5000);
    rf_store_close(s);
    s = open_with(f, "store: {address: there, blobs: ~/blobs, keep_files: false}\n"
                     "limits: {kept_file_bytes: 7}\n");
    assert_string_equal(rf_store_place(s), "there");
    assert_string_equal(s->options.blobs, in_folder(f->arena, f->folder, "blobs"));
    assert_true(s->options.leave_files);
    assert_int_equal(s->options.file_bytes, 7);
    rf_store_close(s);
}

static void without_folders_it_says_what_to_set(void **state)
{
    struct rf_store *s;
    struct rf_err err;
    (void)state;
    unsetenv("HOME");
    assert_int_equal(rf_store_open(NULL, &s, &err), RF_ECONFIG);
    assert_non_null(strstr(err.hint, "XDG_DATA_HOME"));
}

static void what_cannot_be_opened_names_the_line(void **state)
{
    const struct folders *f = *state;
    struct rf_config *c;
    struct rf_store *s;
    struct rf_err err;
    write_file(in_folder(f->arena, f->folder, "refract/config.yaml"),
               RF_STR("\nstore: {address: ~/here, blobs: database}\n"));
    assert_int_equal(rf_config_open(&c, &err), RF_OK);
    assert_int_equal(rf_store_open(c, &s, &err), RF_ECONFIG);
    assert_non_null(strstr(err.msg, "config.yaml:2: "));
    rf_config_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_a_word_it_is_the_data_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_configuration_names_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_folders_it_says_what_to_set, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_opened_names_the_line, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
