/* Keys of clients: made, listed and revoked, and never to be read out of the store. */
#include "asking.h"

#include "base/sha256.h"
#include "store/client_keys.h"

static struct rf_store *open_store(struct place *p)
{
    struct rf_store *s;
    struct rf_err err;
    setenv("XDG_CACHE_HOME", p->folder, 1);
    expect_ok(rf_store_open_at(p->address, &s, &err), &err);
    return s;
}

static void add_key(struct rf_store *s, const char *name, char key[RF_CLIENT_KEY_SIZE])
{
    const struct rf_client_key_limits free_of_limits = { .size = sizeof free_of_limits };
    struct rf_err err;
    expect_ok(rf_client_key_add(s, name, &free_of_limits, key, &err), &err);
}

static void take_back(struct rf_store *s, const char *name)
{
    struct rf_err err;
    expect_ok(rf_client_key_revoke(s, name, &err), &err);
}

static int64_t version_of(struct rf_store *s)
{
    struct rf_err err;
    int64_t version = -1;
    expect_ok(rf_client_keys_version(s, &version, &err), &err);
    return version;
}

static struct rf_client_keys read_keys(struct rf_store *s, struct rf_arena *a)
{
    struct rf_client_keys keys;
    struct rf_err err;
    expect_ok(rf_client_keys_read(s, a, &keys, &err), &err);
    return keys;
}

static enum rf_code find_text(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct rf_str *key = ctx;
    (void)err;
    for (size_t i = 0; i < count; i++)
        assert_false(rf_str_contains(columns[i].text, *key));
    return RF_OK;
}

static void a_key_is_kept_as_its_hash_alone(void **state)
{
    struct place *p = *state;
    struct rf_store *s = open_store(p);
    struct rf_err err;
    char key[RF_CLIENT_KEY_SIZE];
    uint8_t digest[RF_CLIENT_KEY_DIGEST];
    add_key(s, "anna", key);
    assert_int_equal(strlen(key), RF_CLIENT_KEY_SIZE - 1);
    assert_memory_equal(key, "rfk_", 4);
    struct rf_str secret = { key + 4, strlen(key) - 4 };
    expect_ok(rf_sql_run(s->sql, "SELECT * FROM client_keys", NULL, 0, find_text, &secret, &err),
              &err);
    struct rf_client_keys keys = read_keys(s, p->arena);
    assert_int_equal(keys.count, 1);
    assert_string_equal(keys.items[0].name, "anna");
    expect_ok(rf_sha256_of(rf_str(key), digest, &err), &err);
    assert_memory_equal(keys.items[0].digest, digest, sizeof digest);
    rf_store_close(s);
}

static void limits_are_what_was_said(void **state)
{
    struct place *p = *state;
    struct rf_store *s = open_store(p);
    const struct rf_client_key_limits limits = { .size = sizeof limits,
                                                 .models = "claude-*,openai:gpt-4o",
                                                 .requests_per_minute = 60,
                                                 .tokens_per_minute = 100000,
                                                 .concurrent = 4,
                                                 .budget = "12.50" };
    struct rf_err err;
    char key[RF_CLIENT_KEY_SIZE];
    expect_ok(rf_client_key_add(s, "bo@example.com", &limits, key, &err), &err);
    struct rf_client_keys keys = read_keys(s, p->arena);
    assert_true(rf_str_is(keys.items[0].models, limits.models));
    assert_int_equal(keys.items[0].rpm, 60);
    assert_int_equal(keys.items[0].tpm, 100000);
    assert_int_equal(keys.items[0].concurrent, 4);
    assert_int_equal(keys.items[0].budget_micros, 12500000);
    rf_store_close(s);
}

static void what_is_not_a_key_is_refused(void **state)
{
    static const struct {
        const char *why, *name;
        struct rf_client_key_limits limits;
    } cases[] = {
        { "no name", "", { 0 } },
        { "a blank in the name", "an na", { 0 } },
        { "a line in the name", "anna\n", { 0 } },
        { "an option for a name", "-anna", { 0 } },
        { "a pattern that is empty", "anna", { .models = "a,,b" } },
        { "a blank in a pattern", "anna", { .models = "a, b" } },
        { "less than nothing", "anna", { .requests_per_minute = -1 } },
        { "no money", "anna", { .budget = "0" } },
        { "words for money", "anna", { .budget = "ten" } },
    };
    struct rf_store *s = open_store(*state);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rf_client_key_limits limits = cases[i].limits;
        struct rf_err err = { 0 };
        char key[RF_CLIENT_KEY_SIZE];
        limits.size = sizeof limits;
        if (rf_client_key_add(s, cases[i].name, &limits, key, &err) != RF_EUSAGE)
            fail_msg("%s: %s", cases[i].why, err.msg);
    }
    assert_int_equal(version_of(s), 0);
    rf_store_close(s);
}

static void a_name_has_one_key_until_it_is_revoked(void **state)
{
    struct place *p = *state;
    struct rf_store *s = open_store(p);
    const struct rf_client_key_limits none = { .size = sizeof none };
    char first[RF_CLIENT_KEY_SIZE], second[RF_CLIENT_KEY_SIZE];
    struct rf_err err;
    add_key(s, "anna", first);
    assert_int_equal(rf_client_key_add(s, "anna", &none, second, &err), RF_EUSAGE);
    take_back(s, "anna");
    assert_int_equal(rf_client_key_revoke(s, "anna", &err), RF_ENOTFOUND);
    assert_int_equal(read_keys(s, p->arena).count, 0);
    assert_true(read_keys(s, p->arena).had);
    add_key(s, "anna", second);
    assert_string_not_equal(first, second);
    assert_int_equal(read_keys(s, p->arena).count, 1);
    rf_store_close(s);
}

static void take_name(void *ctx, const struct rf_client_key_info *i)
{
    char *names = ctx;
    size_t n = strlen(names);
    snprintf(names + n, 100 - n, "%.*s%s ", RF_FMT(i->name), i->revoked_ms ? "!" : "");
}

static void the_list_has_those_in_force_first(void **state)
{
    struct rf_store *s = open_store(*state);
    struct rf_err err;
    char key[RF_CLIENT_KEY_SIZE], names[100] = "";
    add_key(s, "bo", key);
    add_key(s, "Anna", key);
    add_key(s, "a", key);
    take_back(s, "a");
    expect_ok(rf_client_key_list(s, take_name, names, &err), &err);
    assert_string_equal(names, "Anna bo a! ");
    rf_store_close(s);
}

static void every_change_is_another_version(void **state)
{
    struct rf_store *s = open_store(*state), *other = open_store(*state);
    char key[RF_CLIENT_KEY_SIZE];
    assert_int_equal(version_of(other), 0);
    add_key(s, "anna", key);
    int64_t first = version_of(other);
    assert_true(first > 0);
    assert_int_equal(version_of(other), first);
    take_back(s, "anna");
    assert_true(version_of(other) > first);
    rf_store_close(other);
    rf_store_close(s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_kept_as_its_hash_alone),
        cmocka_unit_test(limits_are_what_was_said),
        cmocka_unit_test(what_is_not_a_key_is_refused),
        cmocka_unit_test(a_name_has_one_key_until_it_is_revoked),
        cmocka_unit_test(the_list_has_those_in_force_first),
        cmocka_unit_test(every_change_is_another_version),
    };
    struct CMUnitTest all[ENGINES * COUNT(tests)];
    over_engines(tests, COUNT(tests), all);
    return cmocka_run_group_tests(all, NULL, NULL);
}
