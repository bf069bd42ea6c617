/* What was learned, where the store is PostgreSQL: in it, for all machines, and never lost or mixed. */
#include "config/config.h"
#include "config/learned.h"
#include "model/model.h"

#include "sessions.h"

#include <refract/learned.h>

static struct place *place;
static struct rf_config *config;

static int set_up(void **state)
{
    (void)state;
    if (!server_address())
        return 0;
    place = place_new("postgres");
    setenv("XDG_CONFIG_HOME", place->folder, 1);
    setenv("XDG_DATA_HOME", place->folder, 1);
    setenv("XDG_CACHE_HOME", place->folder, 1);
    make_folder(in_folder(place->arena, place->folder, "refract"));
    write_file(in_folder(place->arena, place->folder, "refract/config.yaml"),
               rf_strf(place->arena, "store: \"%s\"\n", place->address));
    good(rf_config_open(&config, &test_err));
    return chdir(place->folder);
}

static int tear_down(void **state)
{
    (void)state;
    if (!server_address())
        return 0;
    rf_config_close(config);
    place_free(place);
    return chdir("/");
}

static const struct rf_learned_fact lesson = {
    .provider = RF_STR_INIT("groq"),
    .model = RF_STR_INIT("some-model"),
    .fact = RF_STR_INIT("max_images"),
    .value = RF_STR_INIT("3"),
    .words = RF_STR_INIT("at most 3"),
};

static void it_is_read_by_every_machine(void **state)
{
    struct rf_learned *l;
    struct rf_model *m;
    size_t forgotten;
    (void)state;
    if (!server_address())
        skip();
    good(rf_learned_keep(config, &lesson, NULL, &test_err));
    good(rf_learned_open(config, &l, &test_err));
    assert_int_equal(rf_learned_count(l), 1);
    assert_str(rf_learned_value(l, 0), "3");
    rf_learned_close(l);
    good(rf_model_open(config, "groq:some-model", &m, &test_err));
    assert_null(rf_model_problem(m));
    good(rf_model_calibrate(m, config, 1000, 0, 1500, &test_err));
    rf_model_close(m);
    good(rf_model_open(config, "groq:some-model", &m, &test_err));
    assert_int_equal(m->calibration.samples, 1);
    rf_model_close(m);
    good(rf_learned_forget(config, "all", &forgotten, &test_err));
    assert_int_equal(forgotten, 3);
    good(rf_learned_open(config, &l, &test_err));
    assert_int_equal(rf_learned_count(l), 0);
    rf_learned_close(l);
    assert_int_not_equal(
        access(in_folder(place->arena, place->folder, "refract/learned.json"), F_OK), 0);
}

static struct rf_store *shared_store(void)
{
    struct rf_store *s;
    good(rf_store_open(config, &s, &test_err));
    return s;
}

static void what_is_corrupt_is_set_aside(void **state)
{
    struct rf_model m = { .arena = place->arena };
    struct rf_learned *l;
    struct rf_str body;
    int64_t version;
    bool replaced;
    (void)state;
    if (!server_address())
        skip();
    struct rf_store *s = shared_store();
    good(rf_store_document_replace(s, "learned", 0, RF_STR("{torn"), &replaced, &test_err));
    good(rf_learned_open(config, &l, &test_err));
    assert_int_equal(rf_learned_count(l), 0);
    assert_int_equal(rf_learned_problem(l)->code, RF_EFORMAT);
    rf_learned_close(l);
    good(rf_learned_keep(config, &lesson, &m, &test_err));
    assert_non_null(strstr(rf_model_problem(&m)->hint, "learned.broken"));
    good(rf_store_document_read(s, "learned.broken", place->arena, &version, &body, &test_err));
    assert_str(body, "{torn");
    good(rf_learned_open(config, &l, &test_err));
    assert_int_equal(rf_learned_count(l), 1);
    assert_null(rf_learned_problem(l));
    rf_learned_close(l);
    rf_store_close(s);
}

static void a_newer_version_is_left_alone(void **state)
{
    struct rf_learned *l;
    struct rf_str body;
    int64_t version;
    bool replaced;
    (void)state;
    if (!server_address())
        skip();
    struct rf_store *s = shared_store();
    good(rf_store_document_replace(s, "learned", 0, RF_STR("{\"version\":9}"), &replaced,
                                   &test_err));
    bad(rf_learned_open(config, &l, &test_err), RF_ECONFIG, "version");
    bad(rf_learned_keep(config, &lesson, NULL, &test_err), RF_ECONFIG, "version");
    good(rf_store_document_read(s, "learned", place->arena, &version, &body, &test_err));
    assert_str(body, "{\"version\":9}");
    rf_store_close(s);
}

#define TEACHERS 4
#define LESSONS 10

static void teach(int teacher)
{
    for (int i = 0; i < LESSONS; i++) {
        struct rf_learned_fact f = lesson;
        char name[32];
        snprintf(name, sizeof name, "model-%d-%d", teacher, i);
        f.model = rf_str(name);
        good(rf_learned_keep(config, &f, NULL, &test_err));
    }
}

static void many_learn_at_once(void **state)
{
    pid_t children[TEACHERS];
    struct rf_learned *l;
    int status;
    (void)state;
    if (!server_address())
        skip();
    rf_store_close(shared_store());
    for (int i = 0; i < TEACHERS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            teach(i);
            _exit(0);
        }
    }
    for (int i = 0; i < TEACHERS; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    good(rf_learned_open(config, &l, &test_err));
    assert_int_equal(rf_learned_count(l), TEACHERS * LESSONS);
    rf_learned_close(l);
}

static void nothing_that_another_learned_is_overwritten(void **state)
{
    struct rf_learned mine;
    struct rf_str body;
    int64_t version;
    bool replaced;
    (void)state;
    if (!server_address())
        skip();
    struct rf_store *s = shared_store();
    good(rf_learned_change(config, place->arena, &mine, &test_err));
    good(rf_store_document_replace(s, "learned", 0, RF_STR("{\"version\":1}"), &replaced,
                                   &test_err));
    rf_learned_teach(&mine, &lesson);
    bad(rf_learned_save(&mine, &test_err), RF_EIO, "at the same time");
    good(rf_store_document_read(s, "learned", place->arena, &version, &body, &test_err));
    assert_str(body, "{\"version\":1}");
    rf_store_close(s);
}

/* Nobody is kept from working by a server that is away. */
static void a_store_that_is_away_is_a_problem_and_no_failure(void **state)
{
    struct rf_config *away;
    struct rf_model *m;
    (void)state;
    if (!server_address())
        skip();
    write_file(in_folder(place->arena, place->folder, "refract/config.yaml"),
               RF_STR("store: \"postgres:///x?host=/nowhere\"\n"));
    good(rf_config_open(&away, &test_err));
    good(rf_model_open(away, "groq:some-model", &m, &test_err));
    assert_int_equal(rf_model_problem(m)->code, RF_ECONFIG);
    assert_int_not_equal(rf_model_calibrate(m, away, 10, 0, 20, &test_err), RF_OK);
    assert_int_equal(m->calibration.samples, 1);
    rf_model_close(m);
    rf_config_close(away);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_read_by_every_machine, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_corrupt_is_set_aside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_newer_version_is_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_learn_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_that_another_learned_is_overwritten, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_store_that_is_away_is_a_problem_and_no_failure, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
