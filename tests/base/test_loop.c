/* The loop: timers fire in their order and once, whatever is set and cleared meanwhile; descriptors
 * are told of while they are ready; callbacks may change everything. */
#include "base/loop.h"

#include "../testing.h"
#include "base/clock.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#define TIMERS 500

struct clock {
    struct rf_loop loop;
    struct rf_timer timers[TIMERS];
    size_t fired;
    int64_t last_ms;
    bool in_order;
};

struct firing {
    struct clock *clock;
    size_t number;
};

static void note(void *ctx)
{
    struct firing *f = ctx;
    struct clock *c = f->clock;
    struct rf_timer *t = &c->timers[f->number];
    assert_int_equal(t->place, 0);
    c->in_order = c->in_order && t->at_ms >= c->last_ms;
    c->last_ms = t->at_ms;
    c->fired++;
}

static void timers_fire_in_their_order(void **state)
{
    (void)state;
    static struct clock c;
    static struct firing firings[TIMERS];
    unsigned random = 1;
    int64_t now = rf_now_ms();
    size_t cleared = 0;
    assert_true(rf_loop_init(&c.loop));
    assert_int_equal(rf_loop_timeout_ms(&c.loop), -1);
    c.in_order = true;
    for (size_t i = 0; i < TIMERS; i++) {
        firings[i] = (struct firing){ &c, i };
        c.timers[i] = (struct rf_timer){ .due = note, .ctx = &firings[i] };
        rf_timer_set(&c.loop, &c.timers[i], now - (random = random * 1664525u + 7) % 1000);
    }
    for (size_t i = 0; i < TIMERS; i += 3)
        rf_timer_set(&c.loop, &c.timers[i], now - (random = random * 1664525u + 7) % 1000);
    for (size_t i = 0; i < TIMERS; i += 7, cleared++)
        rf_timer_clear(&c.loop, &c.timers[i]);
    rf_timer_clear(&c.loop, &c.timers[0]);
    assert_int_equal(rf_loop_timeout_ms(&c.loop), 0);
    rf_loop_step(&c.loop);
    assert_int_equal(c.fired, TIMERS - cleared);
    assert_true(c.in_order);
    rf_loop_step(&c.loop);
    assert_int_equal(c.fired, TIMERS - cleared);
    rf_loop_release(&c.loop);
}

struct again {
    struct rf_loop *loop;
    struct rf_timer timer;
    int fired;
};

static void set_again(void *ctx)
{
    struct again *a = ctx;
    a->fired++;
    rf_timer_set(a->loop, &a->timer, 0);
}

static void a_timer_that_is_set_again_does_not_hold_up_a_step(void **state)
{
    (void)state;
    struct rf_loop loop;
    struct again a = { .loop = &loop };
    assert_true(rf_loop_init(&loop));
    a.timer = (struct rf_timer){ .due = set_again, .ctx = &a };
    rf_timer_set(&loop, &a.timer, 0);
    rf_loop_step(&loop);
    assert_int_equal(a.fired, 1);
    rf_loop_step(&loop);
    assert_int_equal(a.fired, 2);
    rf_loop_release(&loop);
}

struct chain {
    struct rf_loop *loop;
    struct rf_timer first, second;
    int fired;
};

static void set_second(void *ctx)
{
    struct chain *c = ctx;
    c->fired++;
    rf_timer_set(c->loop, &c->second, rf_now_ms());
}

static void note_second(void *ctx)
{
    struct chain *c = ctx;
    c->fired++;
}

static void a_turn_does_what_comes_of_it_at_once(void **state)
{
    (void)state;
    struct rf_loop loop;
    struct chain c = { .loop = &loop,
                       .first = { .due = set_second, .ctx = &c },
                       .second = { .due = note_second, .ctx = &c } };
    assert_true(rf_loop_init(&loop));
    rf_timer_set(&loop, &c.first, rf_now_ms());
    rf_loop_turn(&loop, -1);
    assert_int_equal(c.fired, 2);
    rf_loop_release(&loop);
}

static void a_turn_ends_though_a_timer_is_set_again_and_again(void **state)
{
    (void)state;
    struct rf_loop loop;
    struct again a = { .loop = &loop };
    assert_true(rf_loop_init(&loop));
    a.timer = (struct rf_timer){ .due = set_again, .ctx = &a };
    rf_timer_set(&loop, &a.timer, 0);
    rf_loop_turn(&loop, -1);
    assert_in_range(a.fired, 1, 100);
    rf_loop_release(&loop);
}

static void never(void *ctx)
{
    (void)ctx;
    fail_msg("a timer fired before its time");
}

static void a_timer_waits_for_its_moment(void **state)
{
    (void)state;
    struct rf_loop loop;
    struct rf_timer t = { .due = never };
    assert_true(rf_loop_init(&loop));
    rf_timer_set(&loop, &t, rf_now_ms() + 3600 * 1000);
    assert_in_range(rf_loop_timeout_ms(&loop), 1, 3600 * 1000);
    rf_loop_step(&loop);
    assert_true(t.place > 0);
    rf_loop_release(&loop);
}

/* Descriptors */

struct reader {
    struct rf_loop *loop;
    int calls, events;
    int also; /* a descriptor that is not watched any more after the first call; or 0 */
};

static void ready(void *ctx, int fd, int events)
{
    struct reader *r = ctx;
    (void)fd;
    r->calls++;
    r->events = events;
    if (r->also)
        assert_true(rf_loop_watch(r->loop, r->also, 0, NULL, NULL));
}

static bool is_readable(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    return poll(&p, 1, 0) == 1;
}

static void a_descriptor_is_told_of_while_it_is_ready(void **state)
{
    (void)state;
    struct rf_loop loop;
    struct reader r = { .loop = &loop };
    int ends[2];
    char c;
    assert_int_equal(pipe(ends), 0);
    assert_true(rf_loop_init(&loop));
    assert_true(rf_loop_watch(&loop, ends[0], RF_LOOP_READ, ready, &r));
    rf_loop_step(&loop);
    assert_int_equal(r.calls, 0);
    assert_false(is_readable(rf_loop_fd(&loop)));
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_true(is_readable(rf_loop_fd(&loop)));
    assert_false(rf_loop_wait(&loop, -1, -1));
    rf_loop_step(&loop);
    rf_loop_step(&loop);
    assert_int_equal(r.calls, 2);
    assert_int_equal(r.events, RF_LOOP_READ);
    assert_int_equal(read(ends[0], &c, 1), 1);
    rf_loop_step(&loop);
    assert_int_equal(r.calls, 2);
    close(ends[1]); /* the end is something to read, too */
    rf_loop_step(&loop);
    assert_int_equal(r.calls, 3);
    close(ends[0]);
    rf_loop_release(&loop);
}

static void a_turn_waits_for_a_descriptor_and_tells_of_it(void **state)
{
    (void)state;
    struct rf_loop loop;
    struct reader r = { .loop = &loop };
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_true(rf_loop_init(&loop));
    assert_true(rf_loop_watch(&loop, ends[0], RF_LOOP_READ, ready, &r));
    rf_loop_turn(&loop, 0);
    assert_int_equal(r.calls, 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    rf_loop_turn(&loop, -1);
    assert_int_equal(r.calls, 1);
    close(ends[0]), close(ends[1]);
    rf_loop_release(&loop);
}

static void a_callback_may_stop_another(void **state)
{
    (void)state;
    struct rf_loop loop;
    struct reader readers[2];
    int pipes[2][2];
    assert_true(rf_loop_init(&loop));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pipe(pipes[i]), 0);
        assert_int_equal(write(pipes[i][1], "x", 1), 1);
    }
    for (int i = 0; i < 2; i++) {
        readers[i] = (struct reader){ .loop = &loop, .also = pipes[1 - i][0] };
        assert_true(rf_loop_watch(&loop, pipes[i][0], RF_LOOP_READ, ready, &readers[i]));
    }
    rf_loop_step(&loop);
    assert_int_equal(readers[0].calls + readers[1].calls, 1);
    for (int i = 0; i < 2; i++)
        close(pipes[i][0]), close(pipes[i][1]);
    rf_loop_release(&loop);
}

static void a_number_that_is_used_again_is_watched_again(void **state)
{
    (void)state;
    struct rf_loop loop;
    struct reader r = { .loop = &loop };
    int ends[2], other[2];
    assert_true(rf_loop_init(&loop));
    assert_int_equal(pipe(ends), 0);
    assert_true(rf_loop_watch(&loop, ends[0], RF_LOOP_READ, ready, &r));
    assert_int_equal(pipe(other), 0);
    assert_int_equal(dup2(other[0], ends[0]), ends[0]); /* the system forgets the first one */
    assert_true(rf_loop_watch(&loop, ends[0], RF_LOOP_READ | RF_LOOP_WRITE, ready, &r));
    assert_int_equal(write(other[1], "x", 1), 1);
    rf_loop_step(&loop);
    assert_int_equal(r.calls, 1);
    close(ends[0]), close(ends[1]), close(other[0]), close(other[1]);
    rf_loop_release(&loop);
}

static void waiting_ends_for_another_descriptor(void **state)
{
    (void)state;
    struct rf_loop loop;
    int ends[2];
    assert_true(rf_loop_init(&loop));
    assert_int_equal(pipe(ends), 0);
    assert_false(rf_loop_wait(&loop, ends[0], 0));
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_true(rf_loop_wait(&loop, ends[0], -1));
    close(ends[0]), close(ends[1]);
    rf_loop_release(&loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_fire_in_their_order),
        cmocka_unit_test(a_timer_that_is_set_again_does_not_hold_up_a_step),
        cmocka_unit_test(a_turn_does_what_comes_of_it_at_once),
        cmocka_unit_test(a_turn_ends_though_a_timer_is_set_again_and_again),
        cmocka_unit_test(a_timer_waits_for_its_moment),
        cmocka_unit_test(a_descriptor_is_told_of_while_it_is_ready),
        cmocka_unit_test(a_turn_waits_for_a_descriptor_and_tells_of_it),
        cmocka_unit_test(a_callback_may_stop_another),
        cmocka_unit_test(a_number_that_is_used_again_is_watched_again),
        cmocka_unit_test(waiting_ends_for_another_descriptor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
