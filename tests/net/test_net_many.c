/* Many calls in one thread: they run side by side, each ends once, and a callback may start and
 * cancel whatever it likes. */
#include "base/loop.h"
#include "caller.h"

#include <fcntl.h>

#define CALLS 24

struct many {
    struct world world;
    struct server *server;
    size_t ended, failed;
};

struct one {
    struct many *many;
    struct rf_transfer *transfer;
    struct rf_net_reply reply;
    struct rf_err err;
    enum rf_code rc;
    size_t bytes;
    int ends;
    struct one *cancels; /* when the first bytes come, or there are none; or NULL */
    struct one *starts;  /* the same */
    bool stops_itself;
    int64_t first_byte_ms;
};

static void start(struct one *o);

static bool take_some(void *ctx, struct rf_str bytes)
{
    struct one *o = ctx;
    struct one *other = o->cancels, *next = o->starts;
    o->bytes += bytes.n;
    o->cancels = o->starts = NULL;
    if (other)
        rf_net_cancel(other->transfer);
    if (next)
        start(next);
    if (o->stops_itself)
        rf_net_cancel(o->transfer);
    return true;
}

/* Of an answer without a body it is told when all has come. */
static bool take_none(void *ctx, int status, struct rf_str content_type)
{
    (void)content_type;
    return status != 204 || take_some(ctx, (struct rf_str){ 0 });
}

static void take_end(void *ctx, enum rf_code rc, const struct rf_err *err)
{
    struct one *o = ctx;
    o->rc = rc;
    if (rc)
        o->err = *err;
    o->ends++;
    o->many->ended++;
    o->many->failed += rc != RF_OK;
}

static void start(struct one *o)
{
    struct many *m = o->many;
    const struct rf_net_call call = {
        .url = url_of(m->world.arena, m->server->port),
        .status = take_none,
        .bytes = take_some,
        .ctx = o,
        .first_byte_ms = o->first_byte_ms,
        .done = take_end,
        .done_ctx = o,
        .cancel_fd = -1,
    };
    assert_int_equal(
        rf_net_start(m->world.net, &call, m->world.arena, &o->reply, &o->transfer, &o->err), RF_OK);
}

static void many_start(struct many *m, const struct answer *answers, size_t count)
{
    *m = (struct many){ .world = world_new(), .server = server_start("127.0.0.1", answers, count) };
}

static void many_end(struct many *m)
{
    world_release(&m->world);
    server_stop(m->server);
}

static void run(struct many *m, size_t ends)
{
    while (m->ended < ends)
        assert_false(rf_net_wait(m->world.net, -1, -1));
}

static void calls_run_side_by_side(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP } };
    static struct one all[CALLS];
    struct many m;
    many_start(&m, answers, 1);
    for (size_t i = 0; i < CALLS; i++) {
        all[i] = (struct one){ .many = &m };
        start(&all[i]);
    }
    assert_int_equal(m.ended, 0); /* starting calls nobody back */
    run(&m, CALLS);
    for (size_t i = 0; i < CALLS; i++) {
        assert_int_equal(all[i].rc, RF_OK);
        assert_int_equal(all[i].ends, 1);
        assert_int_equal(all[i].bytes, 5);
        assert_int_equal(all[i].reply.status, 200);
    }
    many_end(&m);
}

/* The first has no end; all that come after it end all the same. */
static void nobody_waits_for_another(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        { "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel", STALL },
        { OK_TEXT, KEEP },
    };
    struct many m;
    many_start(&m, answers, 2);
    struct one slow = { .many = &m }, others[4];
    start(&slow);
    while (!slow.bytes)
        rf_net_wait(m.world.net, -1, -1);
    for (size_t i = 0; i < COUNT(others); i++) {
        others[i] = (struct one){ .many = &m };
        start(&others[i]);
    }
    run(&m, COUNT(others));
    assert_int_equal(slow.ends, 0);
    assert_int_equal(m.failed, 0);
    /* A blocking call in between drives them too, and ends alone. */
    assert_int_equal(get(&m.world, m.server->port, NO_CALL), RF_OK);
    assert_int_equal(slow.ends, 0);
    rf_net_cancel(slow.transfer);
    rf_net_step(m.world.net);
    assert_int_equal(slow.ends, 0);
    many_end(&m);
}

static void a_step_does_not_block(void **state)
{
    (void)state;
    static const struct answer answers[] = { { NULL, STALL } };
    struct many m;
    many_start(&m, answers, 1);
    struct one o = { .many = &m };
    start(&o);
    while (!server_requests(m.server))
        rf_net_step(m.world.net);
    for (int i = 0; i < 100; i++)
        rf_net_step(m.world.net);
    assert_int_equal(o.ends, 0);
    many_end(&m); /* with the call on its way */
    assert_int_equal(o.ends, 0);
}

static void a_callback_starts_another(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP } };
    struct many m;
    many_start(&m, answers, 1);
    struct one third = { .many = &m };
    struct one second = { .many = &m, .starts = &third };
    struct one first = { .many = &m, .starts = &second };
    start(&first);
    run(&m, 3);
    assert_int_equal(m.failed, 0);
    assert_int_equal(third.bytes, 5);
    many_end(&m);
}

static void a_callback_of_the_end_starts_another(void **state)
{
    (void)state;
    static const struct answer answers[] = { { "HTTP/1.1 204 Nothing\r\n\r\n", KEEP },
                                             { OK_TEXT, KEEP } };
    struct many m;
    many_start(&m, answers, 2);
    struct one second = { .many = &m, .first_byte_ms = 30000 };
    struct one first = { .many = &m, .starts = &second };
    start(&first);
    run(&m, 2);
    assert_int_equal(m.failed, 0);
    assert_int_equal(first.reply.status, 204);
    assert_int_equal(second.bytes, 5);
    many_end(&m);
}

static void a_callback_cancels(void **state)
{
    (void)state;
    static const struct answer answers[] = { { NULL, STALL }, { OK_TEXT, KEEP } };
    struct many m;
    many_start(&m, answers, 2);
    struct one silent = { .many = &m };
    struct one itself = { .many = &m, .stops_itself = true };
    struct one other = { .many = &m, .cancels = &silent };
    start(&silent);
    while (!server_requests(m.server))
        rf_net_wait(m.world.net, -1, 10);
    start(&itself);
    while (!itself.bytes)
        rf_net_wait(m.world.net, -1, -1);
    start(&other);
    run(&m, 1);
    assert_int_equal(other.ends, 1);
    assert_int_equal(silent.ends + itself.ends, 0);
    many_end(&m);
}

/* Each has a clock of its own. */
static void the_late_ones_fail_alone(void **state)
{
    (void)state;
    static const struct answer answers[] = { { NULL, STALL } };
    struct many m;
    many_start(&m, answers, 1);
    struct one o[3];
    for (size_t i = 0; i < COUNT(o); i++) {
        o[i] = (struct one){ .many = &m };
        const struct rf_net_call call = {
            .url = url_of(m.world.arena, m.server->port),
            .first_byte_ms = i < 2 ? 50 + 50 * (int64_t)i : 0,
            .done = take_end,
            .done_ctx = &o[i],
        };
        assert_int_equal(
            rf_net_start(m.world.net, &call, m.world.arena, &o[i].reply, &o[i].transfer, &o[i].err),
            RF_OK);
    }
    run(&m, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(o[i].rc, RF_EPROVIDER);
        assert_non_null(strstr(o[i].err.msg, "did not answer"));
    }
    assert_int_equal(o[2].ends, 0);
    many_end(&m);
}

/* The system refuses to have a descriptor watched. */
static void what_cannot_be_waited_for_fails(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, CLOSE } };
    struct many m;
    many_start(&m, answers, 1);
    struct one o = { .many = &m };
    int null = open("/dev/null", O_RDONLY);
    assert_true(dup2(null, rf_loop_fd(rf_net_loop(m.world.net))) >= 0);
    close(null);
    start(&o);
    run(&m, 1);
    assert_int_equal(o.rc, RF_EIO);
    assert_non_null(strstr(o.err.msg, "cannot be waited for"));
    many_end(&m);
}

/* A program with a loop of its own: what it is told to wait for is enough. */
static void a_descriptor_and_a_timeout_are_enough(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, CLOSE } };
    struct many m;
    many_start(&m, answers, 1);
    struct one o = { .many = &m };
    start(&o);
    const struct rf_loop *loop = rf_net_loop(m.world.net);
    while (!o.ends) {
        struct pollfd p = { .fd = rf_loop_fd(loop), .events = POLLIN };
        poll(&p, 1, rf_loop_timeout_ms(loop));
        rf_net_step(m.world.net);
    }
    assert_int_equal(o.rc, RF_OK);
    many_end(&m);
}

int main(int argc, char **argv)
{
    (void)argv;
    forget_the_environment();
    through_libcurl = argc > 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_run_side_by_side),
        cmocka_unit_test(nobody_waits_for_another),
        cmocka_unit_test(a_step_does_not_block),
        cmocka_unit_test(a_callback_starts_another),
        cmocka_unit_test(a_callback_of_the_end_starts_another),
        cmocka_unit_test(a_callback_cancels),
        cmocka_unit_test(the_late_ones_fail_alone),
        cmocka_unit_test(what_cannot_be_waited_for_fails),
        cmocka_unit_test(a_descriptor_and_a_timeout_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
