/* Requests of keys: let in as far as their limits go, and counted once, whatever happens. */
#include "asking.h"

#include "store/accounts.h"
#include "store/client_keys.h"

#include <sys/wait.h>

#define NOW INT64_C(1800000000000)
#define MINUTE 60000

struct fixture {
    struct rf_store *store;
    const char *key; /* its id */
};

static struct rf_store *open_store(struct place *p)
{
    struct rf_store *s;
    struct rf_err err;
    setenv("XDG_CACHE_HOME", p->folder, 1);
    expect_ok(rf_store_open_at(p->address, &s, &err), &err);
    return s;
}

static struct fixture begin(struct place *p, struct rf_client_key_limits limits)
{
    struct fixture f = { .store = open_store(p) };
    struct rf_client_keys keys;
    struct rf_err err;
    char key[RF_CLIENT_KEY_SIZE];
    limits.size = sizeof limits;
    expect_ok(rf_client_key_add(f.store, "anna", &limits, key, &err), &err);
    expect_ok(rf_client_keys_read(f.store, p->arena, &keys, &err), &err);
    f.key = keys.items[0].id;
    return f;
}

static struct rf_reservation want_of(struct fixture *f, const char *instance, const char *id,
                                     int64_t tokens, int64_t cost, int64_t now)
{
    struct rf_reservation r = { .request = id, .key = f->key, .tokens = tokens, .cost = cost };
    struct rf_reservation *wanted = &r;
    struct rf_accounts_batch b = { .wanted = &wanted, .wanted_count = 1, .now_ms = now };
    struct rf_err err;
    expect_ok(rf_accounts_work(f->store, instance, &b, &err), &err);
    return r;
}

static struct rf_reservation want(struct fixture *f, const char *id, int64_t now)
{
    return want_of(f, "one", id, 10, 100, now);
}

static void settle_as(struct fixture *f, const char *id, int64_t tokens, int64_t cost, int64_t now)
{
    const struct rf_settlement e = { .request = id,
                                     .key = f->key,
                                     .key_name = "anna",
                                     .at_ms = now,
                                     .status = 200,
                                     .input_tokens = tokens / 2,
                                     .output_tokens = tokens - tokens / 2,
                                     .cost = cost,
                                     .error = RF_STR("other"),
                                     .gone = true,
                                     .operation = RF_STR("count") };
    const struct rf_settlement *settled = &e;
    struct rf_accounts_batch b = { .settled = &settled, .settled_count = 1, .now_ms = now };
    struct rf_err err;
    expect_ok(rf_accounts_work(f->store, "one", &b, &err), &err);
}

static int64_t spent(struct fixture *f)
{
    return number_of(f->store->sql, "SELECT spent FROM client_keys");
}

static void requests_a_minute(void **state)
{
    struct fixture f = begin(*state, (struct rf_client_key_limits){ .requests_per_minute = 2 });
    assert_int_equal(want(&f, "a", NOW).verdict, RF_ADMISSION_GIVEN);
    assert_int_equal(want(&f, "b", NOW).verdict, RF_ADMISSION_GIVEN);
    struct rf_reservation r = want(&f, "c", NOW);
    assert_int_equal(r.verdict, RF_ADMISSION_RPM);
    assert_int_equal(r.retry_after_ms, MINUTE / 2);
    assert_int_equal(want(&f, "d", NOW - MINUTE).verdict, RF_ADMISSION_RPM); /* a clock behind */
    assert_int_equal(want(&f, "e", NOW + MINUTE / 2).verdict, RF_ADMISSION_GIVEN);
    assert_int_equal(want(&f, "f", NOW + MINUTE / 2).verdict, RF_ADMISSION_RPM);
    rf_store_close(f.store);
}

static void tokens_a_minute(void **state)
{
    struct fixture f = begin(*state, (struct rf_client_key_limits){ .tokens_per_minute = 1000 });
    assert_int_equal(want_of(&f, "one", "a", 999, 0, NOW).verdict, RF_ADMISSION_GIVEN);
    assert_int_equal(want_of(&f, "one", "b", 1, 0, NOW).verdict, RF_ADMISSION_GIVEN);
    struct rf_reservation r = want_of(&f, "one", "c", 1, 0, NOW); /* those two may take all */
    assert_int_equal(r.verdict, RF_ADMISSION_TPM);
    settle_as(&f, "a", 100, 0, NOW);
    settle_as(&f, "b", 100, 0, NOW);
    assert_int_equal(want_of(&f, "one", "d", 1, 0, NOW).verdict, RF_ADMISSION_GIVEN);
    settle_as(&f, "d", 1000000, 0, NOW);
    r = want_of(&f, "one", "e", 1, 0, NOW);
    assert_int_equal(r.verdict, RF_ADMISSION_TPM);
    assert_true(r.retry_after_ms > 0);
    /* What was exceeded is not forgiven. */
    assert_int_equal(want_of(&f, "one", "g", 1, 0, NOW + 999 * MINUTE).verdict, RF_ADMISSION_TPM);
    assert_int_equal(want_of(&f, "one", "h", 1, 0, NOW + 1000 * MINUTE).verdict,
                     RF_ADMISSION_GIVEN);
    rf_store_close(f.store);
}

static void tokens_that_do_not_fit_wait(void **state)
{
    struct fixture f = begin(*state, (struct rf_client_key_limits){ .tokens_per_minute = 1000 });
    assert_int_equal(want_of(&f, "one", "a", 600, 0, NOW).verdict, RF_ADMISSION_GIVEN);
    settle_as(&f, "a", 600, 0, NOW);
    struct rf_reservation r = want_of(&f, "one", "b", 600, 0, NOW);
    assert_int_equal(r.verdict, RF_ADMISSION_TPM);
    assert_int_equal(r.retry_after_ms, MINUTE / 5);
    r = want_of(&f, "one", "c", 5000, 0, NOW); /* more than a minute has */
    assert_int_equal(r.verdict, RF_ADMISSION_TPM);
    assert_int_equal(r.retry_after_ms, MINUTE * 6 / 10);
    int64_t later = NOW + MINUTE * 6 / 10;
    assert_int_equal(want_of(&f, "one", "d", 5000, 0, later).verdict, RF_ADMISSION_GIVEN);
    assert_int_equal(want_of(&f, "one", "e", 1, 0, later).verdict, RF_ADMISSION_TPM);
    settle_as(&f, "d", 5000, 0, later);
    r = want_of(&f, "one", "f", 1000, 0, later);
    assert_int_equal(r.verdict, RF_ADMISSION_TPM);
    assert_int_equal(r.retry_after_ms, 5 * MINUTE);
    rf_store_close(f.store);
}

static void who_asks_often_is_let_in_in_time(void **state)
{
    struct fixture f = begin(*state, (struct rf_client_key_limits){ .tokens_per_minute = 10 });
    assert_int_equal(want_of(&f, "one", "a", 10, 0, NOW).verdict, RF_ADMISSION_GIVEN);
    settle_as(&f, "a", 10, 0, NOW);
    for (int64_t at = 1000; at < MINUTE; at += 1000)
        assert_int_equal(want_of(&f, "one", "b", 10, 0, NOW + at).verdict, RF_ADMISSION_TPM);
    assert_int_equal(want_of(&f, "one", "c", 10, 0, NOW + MINUTE).verdict, RF_ADMISSION_GIVEN);
    rf_store_close(f.store);
}

static void requests_at_once(void **state)
{
    struct fixture f = begin(*state, (struct rf_client_key_limits){ .concurrent = 2 });
    assert_int_equal(want(&f, "a", NOW).verdict, RF_ADMISSION_GIVEN);
    assert_int_equal(want_of(&f, "two", "b", 1, 1, NOW).verdict, RF_ADMISSION_GIVEN);
    assert_int_equal(want(&f, "c", NOW).verdict, RF_ADMISSION_CONCURRENT);
    settle_as(&f, "b", 1, 1, NOW);
    assert_int_equal(want(&f, "d", NOW).verdict, RF_ADMISSION_GIVEN);
    rf_store_close(f.store);
}

static void a_budget(void **state)
{
    struct fixture f = begin(*state, (struct rf_client_key_limits){ .budget = "0.001" });
    assert_int_equal(want_of(&f, "one", "a", 1, 600, NOW).verdict, RF_ADMISSION_GIVEN);
    assert_int_equal(want_of(&f, "one", "b", 1, 600, NOW).verdict, RF_ADMISSION_GIVEN);
    struct rf_reservation r = want_of(&f, "one", "c", 1, 600, NOW);
    assert_int_equal(r.verdict, RF_ADMISSION_RESERVED);
    assert_true(r.retry_after_ms > 0);
    settle_as(&f, "a", 1, 300, NOW);
    assert_int_equal(want_of(&f, "one", "d", 1, 600, NOW).verdict, RF_ADMISSION_GIVEN);
    settle_as(&f, "b", 1, 800, NOW);
    r = want_of(&f, "one", "e", 1, 1, NOW + 100 * MINUTE);
    assert_int_equal(r.verdict, RF_ADMISSION_SPENT);
    assert_int_equal(r.retry_after_ms, -1);
    rf_store_close(f.store);
}

static void a_key_that_was_revoked_meanwhile(void **state)
{
    struct fixture f = begin(*state, (struct rf_client_key_limits){ .concurrent = 2 });
    struct rf_err err;
    expect_ok(rf_client_key_revoke(f.store, "anna", &err), &err);
    assert_int_equal(want(&f, "a", NOW).verdict, RF_ADMISSION_REVOKED);
    assert_int_equal(number_of(f.store->sql, "SELECT COUNT(*) FROM reservations"), 0);
    rf_store_close(f.store);
}

static void what_ended_twice_is_counted_once(void **state)
{
    struct fixture f = begin(*state, (struct rf_client_key_limits){ .concurrent = 9 });
    want(&f, "a", NOW);
    settle_as(&f, "a", 20, 500, NOW);
    settle_as(&f, "a", 20, 500, NOW);
    assert_int_equal(spent(&f), 500);
    assert_int_equal(number_of(f.store->sql, "SELECT requests FROM client_keys"), 1);
    assert_int_equal(number_of(f.store->sql, "SELECT tokens FROM client_keys"), 20);
    assert_int_equal(number_of(f.store->sql, "SELECT COUNT(*) FROM reservations"), 0);
    assert_int_equal(number_of(f.store->sql, "SELECT COUNT(*) FROM requests"), 1);
    rf_store_close(f.store);
}

/* Gateways that died */

static void count_dead(void *ctx, const char *instance)
{
    assert_string_equal(instance, "two");
    ++*(int *)ctx;
}

static int dead(struct fixture *f)
{
    struct rf_err err;
    int count = 0;
    expect_ok(rf_accounts_dead(f->store, "one", count_dead, &count, &err), &err);
    return count;
}

static void what_a_dead_gateway_had_under_way_is_estimated(void **state)
{
    struct fixture f = begin(*state, (struct rf_client_key_limits){ .concurrent = 2 });
    struct fixture two = { open_store(*state), f.key };
    struct rf_err err;
    expect_ok(rf_accounts_join(f.store, "one", &err), &err);
    expect_ok(rf_accounts_join(two.store, "two", &err), &err);
    want_of(&two, "two", "a", 10, 100, NOW);
    want_of(&two, "two", "b", 10, 100, NOW);
    assert_int_equal(dead(&f), 0);
    rf_store_close(two.store); /* and its lock with it */
    wait_until_free(f.store->sql, "gateway two");
    assert_int_equal(dead(&f), 1);
    assert_int_equal(want(&f, "c", NOW).verdict, RF_ADMISSION_CONCURRENT);
    expect_ok(rf_accounts_expire(f.store, "two", NOW, &err), &err);
    assert_int_equal(dead(&f), 0);
    assert_int_equal(spent(&f), 200);
    assert_int_equal(number_of(f.store->sql, "SELECT estimated FROM client_keys"), 200);
    assert_int_equal(want(&f, "d", NOW).verdict, RF_ADMISSION_GIVEN);
    settle_as(&f, "a", 10, 70, NOW); /* it was not dead after all: counted already */
    assert_int_equal(spent(&f), 200);
    rf_store_close(f.store);
}

static void what_is_old_is_forgotten(void **state)
{
    struct fixture f = begin(*state, (struct rf_client_key_limits){ .concurrent = 2 });
    struct rf_err err;
    settle_as(&f, "old", 1, 1, NOW - 10);
    settle_as(&f, "new", 1, 1, NOW);
    expect_ok(rf_accounts_forget(f.store, NOW, &err), &err);
    assert_int_equal(number_of(f.store->sql, "SELECT COUNT(*) FROM requests"), 1);
    assert_int_equal(spent(&f), 2);
    rf_store_close(f.store);
}

struct logged {
    char ids[16]; /* of one letter */
    size_t count;
    int64_t at_ms; /* of the last */
};

static void add_id(void *ctx, const struct rf_settlement *e)
{
    struct logged *l = ctx;
    l->ids[l->count++] = e->request[0];
    l->at_ms = e->at_ms;
    assert_string_equal(e->key_name, "anna");
    assert_int_equal(e->input_tokens + e->output_tokens, 9);
    assert_int_equal(e->cost, 7);
    assert_true(rf_str_is(e->error, "other") && e->gone && rf_str_is(e->operation, "count"));
}

static void pages_of_the_log_have_all_of_one_millisecond(void **state)
{
    struct fixture f = begin(*state, (struct rf_client_key_limits){ .concurrent = 2 });
    struct logged l = { .at_ms = INT64_MAX };
    struct rf_err err;
    static const char ids[][2] = { "b", "e", "c", "a", "d" };
    for (size_t i = 0; i < COUNT(ids); i++)
        settle_as(&f, ids[i], 9, 7, *ids[i] == 'e' ? NOW + 1 : NOW);
    for (size_t i = 0; i < 4; i++) {
        struct rf_accounts_before before = { l.at_ms, RF_STR("") };
        if (l.count)
            before.id = (struct rf_str){ l.ids + l.count - 1, 1 };
        expect_ok(rf_accounts_log(f.store, &before, 2, add_id, &l, &err), &err);
    }
    assert_string_equal(l.ids, "edcba");
    rf_store_close(f.store);
}

/* Many at once */

enum { GATEWAYS = 4, TURNS = 40, AT_ONCE = 2, COST = 100, BUDGET = 5000 };

/* Each asks and ends, again and again; some end twice. */
static void serve(struct place *p, const char *key, int number)
{
    struct fixture f = { open_store(p), key };
    char id[32];
    for (int i = 0; i < TURNS; i++) {
        snprintf(id, sizeof id, "r%d-%d", number, i);
        if (want_of(&f, "one", id, 1, COST, NOW).verdict != RF_ADMISSION_GIVEN)
            continue;
        if (number_of(f.store->sql, "SELECT COUNT(*) FROM reservations") > AT_ONCE)
            _exit(1);
        settle_as(&f, id, 1, COST, NOW);
        if (i % 3 == 0)
            settle_as(&f, id, 1, COST, NOW);
    }
    rf_store_close(f.store);
    _exit(0);
}

static void many_gateways_let_in_what_one_would(void **state)
{
    struct place *p = *state;
    struct fixture f =
        begin(p, (struct rf_client_key_limits){ .concurrent = AT_ONCE, .budget = "0.005" });
    pid_t children[GATEWAYS];
    rf_store_close(f.store); /* a connection does not survive a fork */
    for (int i = 0; i < GATEWAYS; i++)
        if ((children[i] = fork()) == 0)
            serve(p, f.key, i);
    for (int i = 0; i < GATEWAYS; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    f.store = open_store(p);
    assert_true(spent(&f) <= BUDGET + (AT_ONCE - 1) * COST);
    assert_int_equal(number_of(f.store->sql, "SELECT requests FROM client_keys") * COST, spent(&f));
    assert_int_equal(number_of(f.store->sql, "SELECT COUNT(*) FROM requests") * COST, spent(&f));
    rf_store_close(f.store);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_a_minute),
        cmocka_unit_test(tokens_a_minute),
        cmocka_unit_test(tokens_that_do_not_fit_wait),
        cmocka_unit_test(who_asks_often_is_let_in_in_time),
        cmocka_unit_test(requests_at_once),
        cmocka_unit_test(a_budget),
        cmocka_unit_test(a_key_that_was_revoked_meanwhile),
        cmocka_unit_test(what_ended_twice_is_counted_once),
        cmocka_unit_test(what_a_dead_gateway_had_under_way_is_estimated),
        cmocka_unit_test(what_is_old_is_forgotten),
        cmocka_unit_test(pages_of_the_log_have_all_of_one_millisecond),
        cmocka_unit_test(many_gateways_let_in_what_one_would),
    };
    struct CMUnitTest all[ENGINES * COUNT(tests)];
    over_engines(tests, COUNT(tests), all);
    return cmocka_run_group_tests(all, NULL, NULL);
}
