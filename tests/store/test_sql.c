/* Both engines do the same: values there and back, rows one by one, transactions, locks. */
#include "asking.h"

#define NUMBER(n)                            \
    {                                        \
        .type = RF_SQL_NUMBER, .number = (n) \
    }
#define TEXT(s)                                     \
    {                                               \
        .type = RF_SQL_TEXT, .text = RF_STR_INIT(s) \
    }

/* Values */

struct seen {
    struct rf_arena *arena;
    struct rf_sql_value first, second;
    size_t rows;
};

static enum rf_code see(void *ctx, const struct rf_sql_value *columns, size_t count,
                        struct rf_err *err)
{
    struct seen *s = ctx;
    (void)err;
    assert_int_equal(count, 2);
    s->first = columns[0];
    s->second = columns[1];
    s->second.text = rf_str_dup(s->arena, columns[1].text);
    s->rows++;
    return RF_OK;
}

static void values_come_back_as_they_were(void **state)
{
    static const struct rf_sql_value cases[] = {
        NUMBER(0),
        NUMBER(-1),
        NUMBER(INT64_MAX),
        NUMBER(INT64_MIN),
        TEXT(""),
        TEXT("'; DROP TABLE things; --"),
        TEXT("\xe2\x82\xac \xf0\x9f\x90\xb6 \\ \" \x01\n"),
        { .type = RF_SQL_NULL },
    };
    struct place *p = *state;
    struct rf_sql *sql = place_open(p);
    struct seen s = { .arena = p->arena };
    struct rf_err err;
    run(sql, "CREATE TABLE pairs (number BIGINT, words TEXT)");
    for (size_t i = 0; i < COUNT(cases); i++) {
        bool text = cases[i].type == RF_SQL_TEXT;
        const struct rf_sql_value none = { 0 };
        const struct rf_sql_value pair[] = { text ? none : cases[i], text ? cases[i] : none };
        expect_ok(rf_sql_run(sql, "INSERT INTO pairs (number, words) VALUES ($1, $2)", pair, 2,
                             NULL, NULL, &err),
                  &err);
        expect_ok(rf_sql_run(sql, "SELECT number, words FROM pairs", NULL, 0, see, &s, &err), &err);
        assert_int_equal(s.first.type, pair[0].type);
        assert_true(s.first.number == pair[0].number);
        assert_int_equal(s.first.text.n, 0);
        assert_int_equal(s.second.type, pair[1].type);
        assert_true(rf_str_eq(s.second.text, pair[1].text));
        assert_int_equal(s.second.number, 0);
        run(sql, "DELETE FROM pairs");
    }
    assert_int_equal(s.rows, COUNT(cases));
    rf_sql_close(sql);
}

static void a_long_text_comes_back(void **state)
{
    struct place *p = *state;
    struct rf_sql *sql = place_open(p);
    struct seen s = { .arena = p->arena };
    struct rf_err err;
    size_t n = (size_t)3 << 20;
    char *text = rf_arena_alloc(p->arena, n);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)('a' + i % 23);
    make_things(sql);
    expect_ok(add(sql, 1, (struct rf_str){ text, n }, &err), &err);
    expect_ok(rf_sql_run(sql, "SELECT id, words FROM things", NULL, 0, see, &s, &err), &err);
    assert_true(rf_str_eq(s.second.text, (struct rf_str){ text, n }));
    rf_sql_close(sql);
}

static void texts_are_utf8_without_nul(void **state)
{
    static const struct rf_str bad[] = { B("a\0b"), B("\xff"), B("\xed\xa0\x80"), B("\xe2\x82") };
    struct rf_sql *sql = place_open(*state);
    struct rf_err err;
    make_things(sql);
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(add(sql, 1, bad[i], &err), RF_EFORMAT);
    assert_int_equal(number_of(sql, HOW_MANY), 0);
    rf_sql_close(sql);
}

static void a_value_may_be_used_twice(void **state)
{
    struct rf_sql *sql = place_open(*state);
    struct rf_err err;
    int64_t n = 0;
    make_things(sql);
    for (int64_t i = 0; i < 3; i++)
        expect_ok(add(sql, i * 3000000000, RF_STR("x"), &err), &err);
    for (int64_t i = 0; i < 3; i++) {
        expect_ok(rf_sql_run(sql,
                             "SELECT COUNT(*) FROM things WHERE ($1 = 0 OR id < $1) AND words = $2",
                             (struct rf_sql_value[]){ rf_sql_number(i * 3000000000),
                                                      rf_sql_text(RF_STR("x")) },
                             2, take_number, &n, &err),
                  &err);
        assert_int_equal(n, i ? i : 3);
    }
    rf_sql_close(sql);
}

static void truth_and_sums_are_numbers(void **state)
{
    struct rf_sql *sql = place_open(*state);
    struct rf_err err;
    make_things(sql);
    expect_ok(add(sql, INT32_MAX, RF_STR("x"), &err), &err);
    expect_ok(add(sql, 2, RF_STR("y"), &err), &err);
    assert_int_equal(number_of(sql, "SELECT EXISTS (SELECT 1 FROM things WHERE id = 2)"), 1);
    assert_int_equal(number_of(sql, "SELECT EXISTS (SELECT 1 FROM things WHERE id = 3)"), 0);
    assert_int_equal(number_of(sql, "SELECT CAST(SUM(id) AS BIGINT) FROM things"),
                     (int64_t)INT32_MAX + 2);
    assert_int_equal(number_of(sql, "SELECT -5"), -5);
    rf_sql_close(sql);
}

/* Rows */

static enum rf_code stop_at_third(void *ctx, const struct rf_sql_value *columns, size_t count,
                                  struct rf_err *err)
{
    int64_t *rows = ctx;
    (void)columns, (void)count;
    return ++*rows == 3 ? rf_fail(err, RF_EUSAGE, "enough") : RF_OK;
}

static void a_failure_of_a_row_ends_the_query_with_it(void **state)
{
    struct rf_sql *sql = place_open(*state);
    struct rf_err err;
    int64_t rows = 0;
    make_things(sql);
    for (int64_t i = 0; i < 10; i++)
        expect_ok(add(sql, i, RF_STR("x"), &err), &err);
    assert_int_equal(rf_sql_run(sql, "SELECT id FROM things", NULL, 0, stop_at_third, &rows, &err),
                     RF_EUSAGE);
    assert_string_equal(err.msg, "enough");
    assert_int_equal(rows, 3);
    assert_false(sql->lost);
    assert_int_equal(number_of(sql, HOW_MANY), 10); /* the connection is as good as before */
    rf_sql_close(sql);
}

static struct rf_sql *inner;

static enum rf_code ask_again(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    (void)ctx, (void)columns, (void)count;
    return rf_sql_run(inner, "SELECT 2", NULL, 0, NULL, NULL, err);
}

static void misuse_in_a_row(const void *place)
{
    inner = place_open(place);
    (void)!rf_sql_run(inner, "SELECT 1", NULL, 0, ask_again, NULL, NULL);
}

static void misuse_of_text(const void *place)
{
    struct rf_sql *sql = place_open(place);
    char statement[] = "SELECT 1";
    (void)!rf_sql_run(sql, statement, NULL, 0, NULL, NULL, NULL);
    statement[7] = '2';
    (void)!rf_sql_run(sql, statement, NULL, 0, NULL, NULL, NULL);
}

static void misuse_is_a_bug(void **state)
{
    assert_true(aborts(misuse_in_a_row, *state));
    assert_true(aborts(misuse_of_text, *state));
}

static void changes_are_counted(void **state)
{
    struct rf_sql *sql = place_open(*state);
    struct rf_err err;
    int64_t changed = -1;
    make_things(sql);
    for (int64_t i = 0; i < 5; i++)
        expect_ok(add(sql, i, RF_STR("x"), &err), &err);
    const struct rf_sql_value three = rf_sql_number(3);
    expect_ok(rf_sql_change(sql, "UPDATE things SET words = 'y' WHERE id < $1", &three, 1, &changed,
                            &err),
              &err);
    assert_int_equal(changed, 3);
    expect_ok(
        rf_sql_change(sql, "INSERT INTO things (id, words) VALUES ($1, 'z') ON CONFLICT DO NOTHING",
                      &three, 1, &changed, &err),
        &err);
    assert_int_equal(changed, 0);
    rf_sql_close(sql);
}

/* Transactions */

static void a_key_forbids_a_second_row(void **state)
{
    struct rf_sql *sql = place_open(*state);
    struct rf_err err;
    make_things(sql);
    expect_ok(add(sql, 1, RF_STR("first"), &err), &err);
    expect_ok(rf_sql_begin(sql, &err), &err);
    assert_int_equal(add(sql, 1, RF_STR("second"), &err), RF_EINTERNAL);
    rf_sql_rollback(sql);
    assert_int_equal(number_of(sql, HOW_MANY), 1);
    assert_false(sql->lost);
    rf_sql_close(sql);
}

static void a_transaction_is_all_or_nothing(void **state)
{
    struct rf_sql *sql = place_open(*state), *other = place_open(*state);
    struct rf_err err;
    make_things(sql);
    expect_ok(rf_sql_begin(sql, &err), &err);
    expect_ok(add(sql, 1, RF_STR("x"), &err), &err);
    assert_int_equal(number_of(sql, HOW_MANY), 1);
    assert_int_equal(number_of(other, HOW_MANY), 0); /* and nobody waited */
    rf_sql_rollback(sql);
    rf_sql_rollback(sql); /* again: nothing */
    assert_int_equal(number_of(sql, HOW_MANY), 0);
    expect_ok(rf_sql_begin(sql, &err), &err);
    expect_ok(add(sql, 2, RF_STR("x"), &err), &err);
    expect_ok(rf_sql_commit(sql, &err), &err);
    assert_int_equal(number_of(other, HOW_MANY), 1);
    rf_sql_close(sql);
    rf_sql_close(other);
}

static void what_was_not_committed_is_gone_with_the_connection(void **state)
{
    struct rf_sql *sql = place_open(*state);
    struct rf_err err;
    make_things(sql);
    expect_ok(rf_sql_begin(sql, &err), &err);
    expect_ok(add(sql, 1, RF_STR("x"), &err), &err);
    rf_sql_close(sql);
    sql = place_open(*state);
    assert_int_equal(number_of(sql, HOW_MANY), 0);
    rf_sql_close(sql);
}

static void a_statement_that_no_table_has_is_a_format_error(void **state)
{
    struct rf_sql *sql = place_open(*state);
    struct rf_err err;
    assert_int_equal(rf_sql_run(sql, "SELECT x FROM nowhere", NULL, 0, NULL, NULL, &err),
                     RF_EFORMAT);
    assert_non_null(strstr(err.msg, "nowhere"));
    assert_true(err.hint[0] != '\0');
    make_things(sql); /* and the connection goes on */
    rf_sql_close(sql);
}

/* Many at once: each child adds rows of its own, one a transaction. */
static void writers_wait_for_each_other(void **state)
{
    enum { CHILDREN = 6, ROWS = 30 };
    struct place *p = *state;
    pid_t children[CHILDREN];
    for (int c = 0; c < CHILDREN; c++) {
        fflush(NULL);
        children[c] = fork();
        assert_true(children[c] >= 0);
        if (children[c])
            continue;
        struct rf_sql *sql = NULL;
        struct rf_err err = { 0 };
        int bad =
            place_try(p, &sql, &err) || rf_sql_run(sql, "SELECT 1", NULL, 0, NULL, NULL, &err);
        bool taken = false;
        while (!bad && !taken) /* the first makes the table */
            bad = (int)sql->engine->lock(sql, RF_STR("table"), false, &taken, &err);
        if (!bad)
            bad = (int)rf_sql_run(sql,
                                  "CREATE TABLE IF NOT EXISTS things "
                                  "(id BIGINT NOT NULL PRIMARY KEY, words TEXT)",
                                  NULL, 0, NULL, NULL, &err);
        if (!bad)
            sql->engine->unlock(sql, RF_STR("table"), false);
        for (int i = 0; !bad && i < ROWS; i++)
            bad = rf_sql_begin(sql, &err) || add(sql, c * 1000 + i, RF_STR("x"), &err) ||
                  rf_sql_commit(sql, &err);
        if (bad)
            fprintf(stderr, "%s\n", err.msg);
        _exit(bad ? 1 : 0);
    }
    for (int c = 0; c < CHILDREN; c++) {
        int status = -1;
        assert_int_equal(waitpid(children[c], &status, 0), children[c]);
        assert_int_equal(status, 0);
    }
    struct rf_sql *sql = place_open(p);
    assert_int_equal(number_of(sql, HOW_MANY), CHILDREN * ROWS);
    rf_sql_close(sql);
}

/* Locks */

static void a_lock_has_one_owner(void **state)
{
    struct rf_sql *one = place_open(*state), *two = place_open(*state);
    assert_false(is_locked(two, "a"));
    assert_true(lock(one, "a", false));
    assert_true(is_locked(one, "a"));
    assert_true(is_locked(two, "a"));
    assert_false(lock(two, "a", false));
    assert_false(lock(two, "a", true));
    assert_false(lock(one, "a", false)); /* not even the owner, another time */
    assert_false(lock(one, "a", true));
    assert_true(lock(two, "b", false));
    UNLOCK(one, "a", false);
    UNLOCK(one, "a", false); /* one too many */
    UNLOCK(one, "b", false); /* somebody else's */
    assert_true(is_locked(one, "b"));
    assert_true(lock(two, "a", false));
    rf_sql_close(two);
    wait_until_free(one, "a");
    wait_until_free(one, "b");
    assert_true(lock(one, "a", false));
    assert_true(lock(one, "b", false));
    rf_sql_close(one);
}

static void a_shared_lock_has_many(void **state)
{
    struct rf_sql *one = place_open(*state), *two = place_open(*state);
    assert_true(lock(one, "a", true));
    assert_true(lock(one, "a", true));
    assert_true(lock(two, "a", true));
    assert_true(is_locked(one, "a"));
    assert_false(lock(one, "a", false));
    UNLOCK(two, "a", true);
    assert_false(lock(two, "a", false));
    UNLOCK(one, "a", true);
    assert_false(lock(two, "a", false)); /* it was taken twice */
    UNLOCK(one, "a", true);
    assert_true(lock(two, "a", false));
    rf_sql_close(one);
    rf_sql_close(two);
}

static void a_lock_goes_with_its_process(void **state)
{
    struct place *p = *state;
    struct rf_sql *sql = place_open(p);
    int ready[2], status;
    char byte;
    assert_int_equal(pipe(ready), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct rf_sql *mine = place_open(p);
        if (lock(mine, "a", false) && write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_false(lock(sql, "a", false));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    wait_until_free(sql, "a");
    assert_true(lock(sql, "a", false));
    close(ready[0]);
    close(ready[1]);
    rf_sql_close(sql);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back_as_they_were),
        cmocka_unit_test(a_long_text_comes_back),
        cmocka_unit_test(texts_are_utf8_without_nul),
        cmocka_unit_test(a_value_may_be_used_twice),
        cmocka_unit_test(truth_and_sums_are_numbers),
        cmocka_unit_test(a_failure_of_a_row_ends_the_query_with_it),
        cmocka_unit_test(misuse_is_a_bug),
        cmocka_unit_test(changes_are_counted),
        cmocka_unit_test(a_key_forbids_a_second_row),
        cmocka_unit_test(a_transaction_is_all_or_nothing),
        cmocka_unit_test(what_was_not_committed_is_gone_with_the_connection),
        cmocka_unit_test(a_statement_that_no_table_has_is_a_format_error),
        cmocka_unit_test(writers_wait_for_each_other),
        cmocka_unit_test(a_lock_has_one_owner),
        cmocka_unit_test(a_shared_lock_has_many),
        cmocka_unit_test(a_lock_goes_with_its_process),
    };
    struct CMUnitTest all[ENGINES * COUNT(tests)];
    over_engines(tests, COUNT(tests), all);
    return cmocka_run_group_tests(all, NULL, NULL);
}
