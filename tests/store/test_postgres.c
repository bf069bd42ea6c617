/* PostgreSQL: connections that break, large objects, and addresses whose passwords nobody may see. */
#include "asking.h"

static void need_server(void)
{
    if (!server_address()) {
        print_message("skipped: REFRACT_TEST_POSTGRES is not set\n");
        skip();
    }
}

/* End the other's connection from outside, as a restart does. */
static void cut(struct rf_sql *by)
{
    assert_true(number_of(by, "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                              "application_name LIKE 'refract %' AND pid <> pg_backend_pid() AND "
                              "query LIKE '%cut me%'") > 0);
}

#define CUT_ME "SELECT 'cut me'"

static struct rf_sql *open_to_cut(struct place *p)
{
    struct rf_sql *sql = place_open(p);
    run(sql, CUT_ME);
    return sql;
}

static void a_broken_connection_is_opened_anew(void **state)
{
    (void)state;
    need_server();
    struct place *p = place_new("postgres");
    struct rf_sql *sql = place_open(p), *other = place_open(p);
    struct rf_err err;
    make_things(sql);
    expect_ok(add(sql, 1, RF_STR("x"), &err), &err);
    expect_ok(add(sql, 2, RF_STR("x"), &err), &err); /* prepared by now */
    run(sql, CUT_ME);
    cut(other);
    assert_int_equal(rf_sql_run(sql, HOW_MANY, NULL, 0, NULL, NULL, &err), RF_EIO);
    assert_true(sql->lost);
    assert_true(err.hint[0] != '\0');
    assert_int_equal(number_of(sql, HOW_MANY), 2);
    assert_false(sql->lost);
    assert_int_equal(sql->opened, 1);
    expect_ok(add(sql, 3, RF_STR("x"), &err), &err); /* prepared again */
    expect_ok(add(sql, 4, RF_STR("x"), &err), &err);
    run(sql, CUT_ME);
    cut(other);
    expect_ok(rf_sql_begin(sql, &err), &err); /* which notices it by itself */
    expect_ok(add(sql, 5, RF_STR("x"), &err), &err);
    expect_ok(rf_sql_commit(sql, &err), &err);
    assert_int_equal(sql->opened, 2);
    assert_int_equal(number_of(other, HOW_MANY), 5);
    rf_sql_close(sql);
    rf_sql_close(other);
    place_free(p);
}

static void a_transaction_does_not_go_on_in_a_new_connection(void **state)
{
    (void)state;
    need_server();
    struct place *p = place_new("postgres");
    struct rf_sql *sql = place_open(p), *other = place_open(p);
    struct rf_err err;
    make_things(sql);
    expect_ok(rf_sql_begin(sql, &err), &err);
    expect_ok(add(sql, 1, RF_STR("x"), &err), &err);
    run(sql, CUT_ME);
    cut(other);
    assert_int_equal(add(sql, 2, RF_STR("x"), &err), RF_EIO);
    assert_int_equal(add(sql, 3, RF_STR("x"), &err), RF_EIO);
    assert_int_equal(rf_sql_commit(sql, &err), RF_EIO);
    assert_true(sql->lost);
    assert_int_equal(number_of(other, HOW_MANY), 0);
    expect_ok(rf_sql_begin(sql, &err), &err);
    expect_ok(rf_sql_commit(sql, &err), &err);
    rf_sql_close(sql);
    rf_sql_close(other);
    place_free(p);
}

/* Whoever tries again looks at whether a row was given: of the one before does not count. */
static void a_statement_that_finds_no_connection_gave_no_rows(void **state)
{
    (void)state;
    need_server();
    struct place *p = place_new("postgres");
    struct rf_sql *sql = place_open(p), *other = place_open(p);
    struct rf_err err;
    make_things(sql);
    expect_ok(rf_sql_begin(sql, &err), &err);
    run(sql, CUT_ME);
    cut(other);
    assert_int_equal(add(sql, 1, RF_STR("x"), &err), RF_EIO);
    sql->rows = 7; /* as where it broke among them */
    assert_int_equal(rf_sql_run(sql, HOW_MANY, NULL, 0, NULL, NULL, &err), RF_EIO);
    assert_int_equal(sql->rows, 0);
    rf_sql_rollback(sql);
    rf_sql_close(sql);
    rf_sql_close(other);
    place_free(p);
}

static void locks_are_taken_again(void **state)
{
    (void)state;
    need_server();
    struct place *p = place_new("postgres");
    struct rf_sql *other = place_open(p), *sql = open_to_cut(p);
    struct rf_err err;
    assert_true(lock(sql, "mine", false));
    assert_true(lock(sql, "ours", true));
    assert_true(lock(sql, "stolen", false));
    run(sql, CUT_ME);
    cut(other);
    wait_until_free(other, "stolen");
    assert_true(lock(other, "stolen", false));
    expect_ok(rf_sql_begin(sql, &err), &err);
    rf_sql_rollback(sql);
    assert_false(lock(other, "mine", false));
    assert_false(lock(other, "ours", false));
    assert_true(lock(sql, "mine", false)); /* whoever asks learns that it is still his */
    assert_false(lock(sql, "mine", false));
    assert_false(lock(sql, "stolen", false));
    UNLOCK(sql, "mine", false);
    UNLOCK(sql, "ours", true);
    assert_true(lock(other, "mine", false));
    assert_true(lock(other, "ours", false));
    rf_sql_close(sql);
    rf_sql_close(other);
    place_free(p);
}

/* A failed statement has undone everything: the server's COMMIT says so only if one listens. */
static void a_failed_transaction_is_not_committed(void **state)
{
    (void)state;
    need_server();
    struct place *p = place_new("postgres");
    struct rf_sql *sql = place_open(p);
    struct rf_err err;
    make_things(sql);
    expect_ok(rf_sql_begin(sql, &err), &err);
    expect_ok(add(sql, 1, RF_STR("x"), &err), &err);
    assert_int_equal(add(sql, 1, RF_STR("x"), &err), RF_EINTERNAL);
    assert_int_equal(rf_sql_commit(sql, &err), RF_EINTERNAL);
    assert_int_equal(number_of(sql, HOW_MANY), 0);
    rf_sql_close(sql);
    place_free(p);
}

static enum rf_code take_bytes(void *ctx, const struct rf_sql_value *columns, size_t count,
                               struct rf_err *err)
{
    (void)count, (void)err;
    assert_int_equal(columns[0].type, RF_SQL_TEXT);
    assert_true(rf_str_eq(columns[0].text, *(const struct rf_str *)ctx));
    return RF_OK;
}

static void large_objects_hold_any_bytes(void **state)
{
    (void)state;
    need_server();
    struct place *p = place_new("postgres");
    struct rf_sql *sql = place_open(p);
    struct rf_err err;
    struct rf_str bytes = RF_STR("\0\xff\\x41\n\0");
    int64_t object = 0;
    const struct rf_sql_value value = { .type = RF_SQL_BYTES, .text = bytes };
    expect_ok(rf_sql_run(sql, "SELECT lo_from_bytea(0, $1)", &value, 1, take_number, &object, &err),
              &err);
    assert_true(object > 0);
    const struct rf_sql_value number = rf_sql_number(object);
    expect_ok(
        rf_sql_run(sql, "SELECT lo_get(CAST($1 AS oid))", &number, 1, take_bytes, &bytes, &err),
        &err);
    expect_ok(rf_sql_run(sql, "SELECT lo_unlink(CAST($1 AS oid))", &number, 1, NULL, NULL, &err),
              &err);
    rf_sql_close(sql);
    place_free(p);
}

/* Addresses that lead nowhere; SECRET is in none of the messages. */
static const struct address {
    const char *name, *url, *says;
} addresses[] = {
    { "nobody listens", "postgres://anna:SECRET@127.0.0.1:1/x", "127.0.0.1" },
    { "no such socket", "postgres://anna:SECRET@/x?host=/nowhere", "/nowhere" },
    { "a password with an @", "postgres://anna:SECRET@SECRETS@127.0.0.1:1/x", "127.0.0.1:1/x" },
    { "a password with a slash", "postgres://anna:1/SECRET@127.0.0.1:1/x", "127.0.0.1:1/x" },
    { "a password with a colon", "postgres://anna:a:SECRET@127.0.0.1:1/x", "127.0.0.1:1/x" },
    { "a password with a question mark", "postgres://anna:a?SECRET@127.0.0.1:1/x", "" },
    { "a password as a parameter", "postgres://127.0.0.1:1/x?password=SECRET", "127.0.0.1:1/x" },
    { "an unknown parameter", "postgres://127.0.0.1:1/x?passwort=SECRET", "not understood" },
    { "a bad escape", "postgres://anna:SECRET%zz@127.0.0.1:1/x", "not understood" },
    { "a port that is none", "postgres://anna:SECRET@127.0.0.1:nowhere/x", "nowhere" },
};

static void an_address_is_refused_without_its_password(void **state)
{
    const struct address *a = *state;
    struct rf_sql *sql = NULL;
    struct rf_err err = { 0 };
    enum rf_code rc = rf_postgres_open(a->url, &sql, &err);
    assert_int_equal(rc, RF_ECONFIG);
    assert_null(sql);
    assert_true(err.hint[0] != '\0');
    if (strstr(err.msg, "without PostgreSQL"))
        skip();
    assert_null(strstr(err.msg, "SECRET"));
    assert_null(strstr(err.hint, "SECRET"));
    if (!strstr(err.msg, a->says))
        fail_msg("%s", err.msg);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_connection_is_opened_anew),
        cmocka_unit_test(a_transaction_does_not_go_on_in_a_new_connection),
        cmocka_unit_test(a_statement_that_finds_no_connection_gave_no_rows),
        cmocka_unit_test(locks_are_taken_again),
        cmocka_unit_test(a_failed_transaction_is_not_committed),
        cmocka_unit_test(large_objects_hold_any_bytes),
    };
    struct CMUnitTest refused[COUNT(addresses)];
    name_rows(refused, an_address_is_refused_without_its_password, addresses, COUNT(addresses),
              sizeof *addresses);
    return cmocka_run_group_tests(tests, NULL, NULL) + cmocka_run_group_tests(refused, NULL, NULL);
}
