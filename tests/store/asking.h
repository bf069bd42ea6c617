/* What tests of the engines ask of a connection; whatever fails there fails the test. */
#ifndef TESTS_STORE_ASKING_H
#define TESTS_STORE_ASKING_H

#include "engines.h"

#include <time.h>

static inline void expect_ok(enum rf_code rc, const struct rf_err *err)
{
    if (rc)
        fail_msg("%s", err->msg);
}

static inline void run(struct rf_sql *sql, const char *statement)
{
    struct rf_err err;
    expect_ok(rf_sql_run(sql, statement, NULL, 0, NULL, NULL, &err), &err);
}

static inline enum rf_code take_number(void *ctx, const struct rf_sql_value *columns, size_t count,
                                       struct rf_err *err)
{
    (void)err;
    assert_int_equal(count, 1);
    assert_int_equal(columns[0].type, RF_SQL_NUMBER);
    *(int64_t *)ctx = columns[0].number;
    return RF_OK;
}

static inline int64_t number_of(struct rf_sql *sql, const char *statement)
{
    struct rf_err err;
    int64_t n = -1;
    expect_ok(rf_sql_run(sql, statement, NULL, 0, take_number, &n, &err), &err);
    return n;
}

static inline void make_things(struct rf_sql *sql)
{
    run(sql, "CREATE TABLE things (id BIGINT NOT NULL PRIMARY KEY, words TEXT)");
}

static inline enum rf_code add(struct rf_sql *sql, int64_t id, struct rf_str words,
                               struct rf_err *err)
{
    return rf_sql_run(sql, "INSERT INTO things (id, words) VALUES ($1, $2)",
                      (struct rf_sql_value[]){ rf_sql_number(id), rf_sql_text(words) }, 2, NULL,
                      NULL, err);
}

#define HOW_MANY "SELECT COUNT(*) FROM things"

static inline bool lock(struct rf_sql *sql, const char *name, bool shared)
{
    struct rf_err err;
    bool taken = false;
    expect_ok(sql->engine->lock(sql, rf_str(name), shared, &taken, &err), &err);
    return taken;
}

static inline bool is_locked(struct rf_sql *sql, const char *name)
{
    struct rf_err err;
    bool locked = false;
    expect_ok(sql->engine->is_locked(sql, rf_str(name), &locked, &err), &err);
    return locked;
}

/* A server takes a moment to notice that a connection is gone. */
static inline void wait_until_free(struct rf_sql *sql, const char *name)
{
    while (is_locked(sql, name))
        nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
}

#define UNLOCK(sql, name, shared) (sql)->engine->unlock(sql, RF_STR(name), shared)

#endif
