/* The engines that every test of the store runs over, and a place for each test: SQLite in a scratch
 * folder, PostgreSQL in a schema of its own in the database that REFRACT_TEST_POSTGRES names (see
 * with_postgres.py). An engine that is not there is skipped, with the reason. Where REFRACT_TEST_S3
 * names a bucket (see s3_server.py), their blobs are below a prefix of it.
 *
 *     static const struct CMUnitTest tests[] = { cmocka_unit_test(keeps_a_row), … };
 *     struct CMUnitTest all[ENGINES * COUNT(tests)];
 *     over_engines(tests, COUNT(tests), all);
 *     return cmocka_run_group_tests(all, NULL, NULL);
 *
 * A test's *state is its struct place. */
#ifndef TESTS_STORE_ENGINES_H
#define TESTS_STORE_ENGINES_H

#include "bucket/bucket.h"
#include "store/sql.h"

#include "../testing.h"

#define ENGINES 2

struct place {
    const char *engine; /* "sqlite", "postgres" */
    struct rf_arena *arena;
    const char *folder;  /* a scratch folder, in any case */
    const char *address; /* for rf_store_open_at: the folder "store" in it, or postgres://… */
    const char *schema;  /* PostgreSQL: its name */
    const char *bucket;  /* where blobs are in one: s3://…/…; or NULL */
};

/* NULL where there is no server, or this build knows none. */
static inline const char *server_address(void)
{
    const char *address = getenv("REFRACT_TEST_POSTGRES");
    return address && *address ? address : NULL;
}

/* Words that cannot be a literal, in a connection for them alone. */
static inline void tell_server(struct rf_arena *a, const char *words, const char *name,
                               const char *more)
{
    struct rf_sql *sql;
    struct rf_err err = { 0 };
    const char *statement = rf_strf(a, "%s %s%s", words, name, more).p;
    if (rf_postgres_open(server_address(), &sql, &err) ||
        rf_sql_run(sql, statement, NULL, 0, NULL, NULL, &err))
        fail_msg("%s: %s", statement, err.msg);
    rf_sql_close(sql);
}

static inline void place_in_schema(struct place *p)
{
    static int made;
    const char *base = server_address();
    p->schema = rf_strf(p->arena, "test_%ld_%d", (long)getpid(), made++).p;
    tell_server(p->arena, "CREATE SCHEMA", p->schema, "");
    p->address = rf_strf(p->arena, "%s%coptions=-csearch_path%%3D%s", base,
                         strchr(base, '?') ? '&' : '?', p->schema)
                     .p;
}

/* A prefix of its own, or NULL. */
static inline const char *place_in_bucket(struct rf_arena *a)
{
    static int made;
    const char *address = getenv("REFRACT_TEST_S3");
    return address && *address ? rf_strf(a, "%s/%ld/%d", address, (long)getpid(), made++).p : NULL;
}

/* A new and empty place. */
static inline struct place *place_new(const char *engine)
{
    struct rf_arena *a = rf_arena_new();
    struct place *p = RF_NEW(a, struct place);
    *p = (struct place){ .engine = engine, .arena = a, .folder = scratch_new(a) };
    p->bucket = place_in_bucket(a);
    if (strcmp(engine, "sqlite") == 0)
        p->address = in_folder(a, p->folder, "store");
    else
        place_in_schema(p);
    return p;
}

static inline void place_free(struct place *p)
{
    if (p->schema)
        tell_server(p->arena, "DROP SCHEMA", p->schema, " CASCADE");
    scratch_remove(p->folder);
    rf_arena_free(p->arena);
}

/* A connection to the place; as many as wanted. */
static inline enum rf_code place_try(const struct place *p, struct rf_sql **out, struct rf_err *err)
{
    if (p->schema)
        return rf_postgres_open(p->address, out, err);
    mkdir(p->address, 0700); /* or it is there */
    return rf_sqlite_open(in_folder(p->arena, p->address, "sessions.db"), true, out, err);
}

static inline struct rf_sql *place_open(const struct place *p)
{
    struct rf_sql *sql;
    struct rf_err err = { 0 };
    if (place_try(p, &sql, &err))
        fail_msg("%s", err.msg);
    return sql;
}

/* The table of tests for all engines */

static inline int place_set_up(void **state)
{
    *state = place_new(*state);
    return 0;
}

static inline int place_tear_down(void **state)
{
    place_free(*state);
    return 0;
}

static inline void skip_engine(void **state)
{
    print_message(
        "skipped: REFRACT_TEST_POSTGRES is not set (tests/store/with_postgres.py sets it)\n");
    (void)state;
    skip();
}

/* Names live as long as the program. */
static inline const char *name_test(const char *engine, const char *name)
{
    static struct rf_arena *names;
    if (!names)
        names = rf_arena_new();
    return rf_strf(names, "%s: %s", engine, name).p;
}

static inline void over_engines(const struct CMUnitTest *tests, size_t count,
                                struct CMUnitTest out[])
{
    static char names[ENGINES][16] = { "sqlite", "postgres" };
    for (size_t e = 0; e < ENGINES; e++)
        for (size_t i = 0; i < count; i++) {
            bool there = e == 0 || server_address();
            out[e * count + i] = (struct CMUnitTest){
                .name = name_test(names[e], tests[i].name),
                .test_func = there ? tests[i].test_func : skip_engine,
                .setup_func = there ? place_set_up : NULL,
                .teardown_func = there ? place_tear_down : NULL,
                .initial_state = names[e],
            };
        }
}

#endif
