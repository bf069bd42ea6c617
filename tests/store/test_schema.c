/* The tables: made once, brought up to date step by step, and never in a database that is not ours. */
#include "asking.h"

#include "store/schema.h"

static enum rf_code add_name(void *ctx, const struct rf_sql_value *columns, size_t count,
                             struct rf_err *err)
{
    struct rf_str *names = ctx;
    struct rf_arena *a = (struct rf_arena *)(uintptr_t)names[1].p;
    (void)err;
    assert_int_equal(count, 1);
    names[0] = rf_strf(a, "%.*s%.*s ", RF_FMT(names[0]), RF_FMT(columns[0].text));
    return RF_OK;
}

/* All answers of one column, each with a blank after it. */
static const char *texts_of(struct place *p, struct rf_sql *sql, const char *statement)
{
    struct rf_str names[2] = { RF_STR(""), { (const char *)p->arena, 0 } };
    struct rf_err err;
    expect_ok(rf_sql_run(sql, statement, NULL, 0, add_name, names, &err), &err);
    return names[0].p;
}

#define VERSION "SELECT value FROM store_meta WHERE name = 'schema'"

/* Making */

static void an_empty_database_becomes_a_store(void **state)
{
    struct rf_sql *sql = place_open(*state);
    struct rf_err err;
    expect_ok(rf_schema_ready(sql, &err), &err);
    assert_string_equal(texts_of(*state, sql, VERSION), "6 ");
    expect_ok(rf_schema_ready(sql, &err), &err); /* again: nothing */
    rf_sql_close(sql);
    sql = place_open(*state);
    expect_ok(rf_schema_ready(sql, &err), &err);
    run(sql, "INSERT INTO sessions (id, created, updated) VALUES ('a', 1, 2)");
    run(sql, "INSERT INTO messages (session, number, mark, created, role, body) "
             "VALUES ('a', 0, 'm', 1, 'user', '{}')");
    rf_sql_close(sql);
}

/* A store as each version left it becomes one of the newest, with what was in it. */
static void every_version_leads_to_the_newest(void **state)
{
    struct place *p = *state;
    for (int64_t version = 0; version <= RF_SCHEMA_VERSION; version++) {
        struct place *here = place_new(p->engine);
        struct rf_sql *sql = place_open(here);
        struct rf_err err;
        expect_ok(rf_schema_make(sql, version, &err), &err);
        if (version > 0) {
            run(sql,
                "INSERT INTO sessions (id, title, created, updated) VALUES ('a', 'kept', 1, 2)");
            run(sql, "INSERT INTO refused (hash, provider, at) VALUES ('h', 'p', 1)");
            run(sql, "INSERT INTO sent (session, hash, provider, model, delivery, at) "
                     "VALUES ('a', 'h', 'p', 'm', 'native', 1)");
        }
        expect_ok(rf_schema_ready(sql, &err), &err);
        assert_string_equal(texts_of(here, sql, "SELECT title FROM sessions"),
                            version > 0 ? "kept " : "");
        if (version < 4)
            assert_string_equal(texts_of(here, sql, "SELECT id FROM sessions WHERE used = updated"),
                                version > 0 ? "a " : "");
        assert_string_equal(texts_of(here, sql, "SELECT provider FROM refused WHERE remade = 0"),
                            version > 0 ? "p " : "");
        assert_string_equal(
            texts_of(here, sql, "SELECT delivery FROM sent WHERE form = '' AND lost = ''"),
            version > 0 ? "native " : "");
        rf_sql_close(sql);
        place_free(here);
    }
}

static void many_processes_make_it_once(void **state)
{
    enum { CHILDREN = 8 };
    struct place *p = *state;
    pid_t children[CHILDREN];
    for (int c = 0; c < CHILDREN; c++) {
        fflush(NULL);
        children[c] = fork();
        assert_true(children[c] >= 0);
        if (children[c])
            continue;
        struct rf_sql *sql;
        struct rf_err err = { 0 };
        int bad = place_try(p, &sql, &err) || rf_schema_ready(sql, &err);
        if (bad)
            fprintf(stderr, "%s\n", err.msg);
        _exit(bad);
    }
    for (int c = 0; c < CHILDREN; c++) {
        int status = -1;
        assert_int_equal(waitpid(children[c], &status, 0), children[c]);
        assert_int_equal(status, 0);
    }
    struct rf_sql *sql = place_open(p);
    assert_string_equal(texts_of(p, sql, VERSION), "6 ");
    rf_sql_close(sql);
}

/* Steps */

static const char *const first[] = { "CREATE TABLE store_meta (name TEXT PRIMARY KEY, value TEXT)",
                                     "CREATE TABLE birds (name TEXT)", NULL };
static const char *const second[] = {
    "ALTER TABLE birds ADD COLUMN wings BIGINT NOT NULL DEFAULT 2",
    "INSERT INTO birds (name) VALUES ('second')", NULL
};
static const char *const third[] = { "INSERT INTO birds (name, wings) SELECT 'third', MAX(wings) "
                                     "FROM birds",
                                     NULL };
static const char *const torn[] = { "INSERT INTO birds (name) VALUES ('torn')",
                                    "INSERT INTO nowhere (name) VALUES ('torn')", NULL };
static const struct rf_schema_step good[] = { { first }, { second }, { third } };
static const struct rf_schema_step bad[] = { { first }, { second }, { torn } };

#define BIRDS "SELECT name FROM birds ORDER BY name"

static void each_step_is_made_once_and_in_order(void **state)
{
    struct rf_sql *sql = place_open(*state);
    struct rf_err err;
    expect_ok(rf_schema_follow(sql, good, 1, &err), &err);
    assert_string_equal(texts_of(*state, sql, VERSION), "1 ");
    assert_string_equal(texts_of(*state, sql, BIRDS), "");
    expect_ok(rf_schema_follow(sql, good, 3, &err), &err);
    assert_string_equal(texts_of(*state, sql, VERSION), "3 ");
    expect_ok(rf_schema_follow(sql, good, 3, &err), &err);
    assert_string_equal(texts_of(*state, sql, BIRDS), "second third ");
    rf_sql_close(sql);
}

static void a_step_that_fails_leaves_the_version_before_it(void **state)
{
    struct rf_sql *sql = place_open(*state);
    struct rf_err err;
    assert_int_equal(rf_schema_follow(sql, bad, 3, &err), RF_EFORMAT);
    assert_string_equal(texts_of(*state, sql, VERSION), "2 ");
    assert_string_equal(texts_of(*state, sql, BIRDS), "second ");
    assert_false(is_locked(sql, "schema")); /* the way is free for the next try */
    rf_sql_close(sql);
    sql = place_open(*state);
    expect_ok(rf_schema_follow(sql, good, 3, &err), &err);
    assert_string_equal(texts_of(*state, sql, BIRDS), "second third ");
    rf_sql_close(sql);
}

/* Refusals */

static const struct refusal {
    const char
        *statements[4]; /* that make the database; with a first one of NULL, on top of a store */
    enum rf_code code;
    const char *says;
} refusals[] = {
    { { "CREATE TABLE birds (name TEXT)" }, RF_EFORMAT, "it has other tables" },
    { { "CREATE TABLE sessions (id TEXT)", "CREATE TABLE messages (id TEXT)" },
      RF_EFORMAT,
      "it has other tables" },
    { { "CREATE TABLE birds (name TEXT)", "CREATE VIEW store_meta2 AS SELECT name FROM birds" },
      RF_EFORMAT,
      "it has other tables" },
    { { "CREATE TABLE store_meta (name TEXT PRIMARY KEY, value TEXT)" },
      RF_EFORMAT,
      "it does not say its version" },
    { { "CREATE TABLE store_meta (something TEXT)" }, RF_EFORMAT, "not those of a store" },
    { { NULL, "UPDATE store_meta SET value = 'many' WHERE name = 'schema'" },
      RF_EFORMAT,
      "its version is not a number" },
    { { NULL, "UPDATE store_meta SET value = '0' WHERE name = 'schema'" },
      RF_EFORMAT,
      "its version is not a number" },
    { { NULL, "UPDATE store_meta SET value = '7' WHERE name = 'schema'" },
      RF_ECONFIG,
      "the store has version 7, and this program knows versions up to 6" },
    { { NULL, "UPDATE store_meta SET value = '9223372036854775807' WHERE name = 'schema'" },
      RF_ECONFIG,
      "the store has version 9223372036854775807" },
    { { NULL, "DROP TABLE media" }, RF_EFORMAT, "its table \"media\" is missing" },
    { { NULL, "DROP TABLE sessions", "DROP TABLE documents" },
      RF_EFORMAT,
      "its table \"sessions\" is missing" },
};

static void expect_refusal(const struct refusal *r, const char *engine)
{
    struct place *p = place_new(engine);
    struct rf_sql *sql = place_open(p);
    struct rf_err err = { 0 };
    if (!r->statements[0])
        expect_ok(rf_schema_ready(sql, &err), &err);
    for (size_t i = 0; i < COUNT(r->statements); i++)
        if (r->statements[i])
            run(sql, r->statements[i]);
    const char *before = texts_of(p, sql, sql->engine->tables);
    for (int times = 0; times < 2; times++) {
        assert_int_equal(rf_schema_ready(sql, &err), r->code);
        if (!strstr(err.msg, r->says))
            fail_msg("%s", err.msg);
        assert_true(err.hint[0] != '\0');
    }
    assert_string_equal(texts_of(p, sql, sql->engine->tables), before); /* it was left alone */
    rf_sql_close(sql);
    place_free(p);
}

static void what_is_no_store_is_left_alone(void **state)
{
    struct place *p = *state;
    for (size_t i = 0; i < COUNT(refusals); i++)
        expect_refusal(&refusals[i], p->engine);
}

/* Somebody who makes steps and does not end. */
static void who_waits_too_long_is_told(void **state)
{
    struct place *p = place_new("sqlite");
    struct rf_sql *sql = place_open(p), *other = place_open(p);
    struct rf_err err;
    (void)state;
    assert_true(lock(other, "schema", false));
    assert_int_equal(rf_schema_ready(sql, &err), RF_ELIMIT);
    assert_true(err.hint[0] != '\0');
    rf_sql_close(other);
    rf_sql_close(sql);
    place_free(p);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_database_becomes_a_store),
        cmocka_unit_test(every_version_leads_to_the_newest),
        cmocka_unit_test(many_processes_make_it_once),
        cmocka_unit_test(each_step_is_made_once_and_in_order),
        cmocka_unit_test(a_step_that_fails_leaves_the_version_before_it),
        cmocka_unit_test(what_is_no_store_is_left_alone),
    };
    static const struct CMUnitTest once[] = { cmocka_unit_test(who_waits_too_long_is_told) };
    struct CMUnitTest all[ENGINES * COUNT(tests)];
    over_engines(tests, COUNT(tests), all);
    return cmocka_run_group_tests(all, NULL, NULL) + cmocka_run_group_tests(once, NULL, NULL);
}
