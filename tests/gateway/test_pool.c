/* The threads of the gateway: who has to wait for whom. */
#include "gateway/pool.h"

#include "base/loop.h"

#include "../testing.h"

#include <semaphore.h>

#define MANY 64

struct fixture {
    struct rf_loop loop;
    struct rf_mailbox mailbox;
    struct rf_pool pool;
    sem_t may_end, began;
    struct rf_pool_job minor[MANY], other;
    size_t done;
};

static void wait_for(void *ctx, int stop_fd)
{
    struct fixture *f = ctx;
    (void)stop_fd;
    sem_post(&f->began);
    sem_wait(&f->may_end);
}

static void at_once(void *ctx, int stop_fd)
{
    (void)ctx, (void)stop_fd;
}

static void count(void *ctx)
{
    struct fixture *f = ctx;
    f->done++;
}

static void setup(struct fixture *f)
{
    assert_true(rf_loop_init(&f->loop));
    assert_int_equal(rf_mailbox_open(&f->mailbox, &f->loop, NULL), RF_OK);
    rf_pool_init(&f->pool);
    sem_init(&f->may_end, 0, 0);
    sem_init(&f->began, 0, 0);
    for (size_t i = 0; i < MANY; i++) {
        f->minor[i] =
            (struct rf_pool_job){ .run = wait_for, .done = count, .ctx = f, .minor = true };
        assert_true(rf_pool_add(&f->pool, &f->minor[i], &f->mailbox));
    }
    f->other = (struct rf_pool_job){ .run = at_once, .done = count, .ctx = f };
    assert_true(rf_pool_add(&f->pool, &f->other, &f->mailbox));
}

static void release(struct fixture *f)
{
    rf_pool_end(&f->pool);
    rf_mailbox_close(&f->mailbox);
    assert_int_equal(f->done, MANY + 1); /* all come back */
    sem_destroy(&f->may_end);
    sem_destroy(&f->began);
    rf_loop_release(&f->loop);
}

static void turn_until(struct fixture *f, size_t done)
{
    while (f->done < done)
        rf_loop_turn(&f->loop, -1);
}

static void minor_jobs_leave_half_of_the_threads_to_others(void **state)
{
    struct fixture f = { .done = 0 };
    (void)state;
    setup(&f);
    for (size_t i = 0; i < f.pool.most / 2; i++)
        sem_wait(&f.began);
    turn_until(&f, 1); /* the other one, behind all of them */
    assert_int_equal(sem_trywait(&f.began), -1);
    for (size_t i = 0; i < MANY; i++)
        sem_post(&f.may_end);
    turn_until(&f, MANY + 1);
    release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minor_jobs_leave_half_of_the_threads_to_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
