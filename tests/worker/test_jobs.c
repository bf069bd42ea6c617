/* Jobs on a loop: many in one thread, and each cancelled wherever it is, after which nothing is
 * left of it and the others go on. The family is hostile.c. */
#include "media/worker.h"

#include "base/loop.h"

#include "../testing.h"
#include "children.h"

#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <sys/syscall.h>

#define MANY 300
#define CROWD 16 /* as many as one queue may have busy, on any machine */

static struct rf_arena *arena;
static const char *folder;

static int set_up(void **state)
{
    static char program[PATH_MAX];
    (void)state;
    arena = rf_arena_new();
    folder = scratch_new(arena);
    if (readlink("/proc/self/exe", program, sizeof program - 1) <= 0)
        return -1;
    return setenv("REFRACT_WORKERS", dirname(program), 1);
}

static int tear_down(void **state)
{
    (void)state;
    rf_workers_stop(rf_workers_shared());
    scratch_remove(folder);
    rf_arena_free(arena);
    return 0;
}

/* A thread with its loop. */
struct thread {
    struct rf_loop loop;
    struct rf_jobs jobs;
    struct rf_arena *arena;
    struct rf_bytes input; /* own */
    size_t told, good;
};

static void open_thread(struct thread *t, struct rf_arena *a)
{
    *t = (struct thread){ .arena = a, .input = rf_bytes_memory(RF_STR("hello")) };
    t->input.own = true;
    assert_true(rf_loop_init(&t->loop));
    rf_jobs_init(&t->jobs, rf_workers_shared(), &t->loop);
}

static void close_thread(struct thread *t)
{
    rf_jobs_release(&t->jobs);
    rf_loop_release(&t->loop);
}

static void step(struct thread *t)
{
    rf_loop_wait(&t->loop, -1, -1);
    rf_loop_step(&t->loop);
}

static void finish(struct thread *t)
{
    while (t->jobs.first)
        step(t);
}

static void count(void *ctx, struct rf_job *job)
{
    struct thread *t = ctx;
    assert_null(job->task);
    t->told++;
    t->good += !job->failed;
}

static void start(struct thread *t, struct rf_job *job, const char *ask)
{
    *job = (struct rf_job){ .family = "hostile", .ask = rf_str(ask), .input = &t->input };
    rf_job_start(&t->jobs, job, t->arena, count, t);
}

/* Many */

static void one_thread_runs_many(void **state)
{
    static const char *const asks[] = { "op=behave\n", "op=crash\n", "op=behave\n" };
    static struct rf_job jobs[MANY];
    struct thread t;
    (void)state;
    open_thread(&t, arena);
    for (size_t i = 0; i < MANY; i++)
        start(&t, &jobs[i], asks[i % 3]);
    assert_int_equal(t.told, 0);
    while (t.jobs.first) {
        assert_in_range(t.jobs.busy, 1, CROWD);
        step(&t);
    }
    assert_int_equal(t.told, MANY);
    assert_int_equal(t.good, MANY / 3 * 2);
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(jobs[i].failed, i % 3 == 1 ? RF_EIO : RF_OK);
        if (i % 3 != 1)
            assert_str(jobs[i].parts[0].text, "hello");
    }
    close_thread(&t);
}

/* Each starts the next, as a server's requests come. */
struct chain {
    struct thread *thread;
    struct rf_job job;
    size_t left;
};

static void start_next(void *ctx, struct rf_job *job)
{
    struct chain *c = ctx;
    assert_int_equal(job->failed, RF_OK);
    if (c->left--)
        rf_job_start(&c->thread->jobs, job, c->thread->arena, start_next, c);
}

static void one_that_ended_may_start_the_next(void **state)
{
    struct thread t;
    struct chain chains[3];
    (void)state;
    open_thread(&t, arena);
    for (size_t i = 0; i < COUNT(chains); i++) {
        chains[i] = (struct chain){ .thread = &t, .left = 10 };
        chains[i].job =
            (struct rf_job){ .family = "hostile", .ask = RF_STR("op=behave\n"), .input = &t.input };
        rf_job_start(&t.jobs, &chains[i].job, arena, start_next, &chains[i]);
    }
    finish(&t);
    for (size_t i = 0; i < COUNT(chains); i++)
        assert_int_equal(chains[i].left, SIZE_MAX);
    close_thread(&t);
}

/* Cancelling */

static bool at_once(const struct rf_job *job)
{
    (void)job;
    return true;
}

static bool has_answered_half(const struct rf_job *job)
{
    return job->part_count && job->parts[0].bytes.size;
}

static bool has_died(const struct rf_job *job)
{
    pid_t child = child_of_ours();
    (void)job;
    kill(child, SIGKILL);
    while (is_running(child))
        usleep(1000);
    return true;
}

#define F(kind, n) kind "\0\0\0" n "\0\0\0"
#define HALF F("\x04", "\x05") "a=b\n\n" F("\x06", "\x01") "x"

static const struct moment {
    const char *name, *family, *ask;
    struct rf_str input;
    bool is_warm, is_crowded;
    bool (*is_there)(const struct rf_job *job);
} moments[] = {
    { "it waits for a worker", "hostile", "op=hang\n", B("x"), false, true, at_once },
    { "it failed, and nobody was told", "nothing", "op=hang\n", B("x"), false, false, at_once },
    { "its worker starts", "hostile", "op=hang\n", B("x"), false, false, at_once },
    { "its worker was asked", "hostile", "op=hang\n", B("x"), true, false, at_once },
    { "its worker computes", "hostile", "op=burn\n", B("x"), true, false, at_once },
    { "half of the answer is there", "hostile", "op=speak\n", B(HALF), false, false,
      has_answered_half },
    { "its worker died while it started", "hostile", "op=hang\n", B("x"), false, false, has_died },
    { "its worker died over it", "hostile", "op=hang\n", B("x"), true, false, has_died },
    { "its worker hung up and stays", "hostile", "op=orphan\n", B("x"), true, false, at_once },
};

static void warm_up(struct thread *t)
{
    struct rf_job job;
    start(t, &job, "op=behave\n");
    finish(t);
    assert_int_equal(t->good, 1);
    t->told = t->good = 0;
}

static void check_moment(void **state)
{
    const struct moment *row = *state;
    const char *spool = in_folder(arena, folder, "spool");
    struct rf_bytes input = rf_bytes_memory(row->input);
    struct rf_job crowd[CROWD], other,
        job = { .family = row->family, .ask = rf_str(row->ask), .input = &input, .spool = spool };
    struct thread t;
    input.own = true;
    mkdir(spool, 0700);
    rf_workers_stop(rf_workers_shared());
    size_t before = count_files("/proc/self/fd");
    open_thread(&t, arena);
    if (row->is_warm)
        warm_up(&t);
    for (size_t i = 0; row->is_crowded && i < CROWD; i++)
        start(&t, &crowd[i], "op=hang\n");
    rf_job_start(&t.jobs, &job, arena, count, &t);
    assert_int_equal(t.jobs.waiting != NULL, row->is_crowded);
    while (!row->is_there(&job))
        step(&t);
    rf_job_cancel(&job);
    assert_null(job.task);
    assert_int_equal(job.failed, RF_EINTERRUPTED);
    assert_int_equal(count_files(spool), 0);
    while (t.jobs.dying)
        step(&t);
    if (!row->is_crowded)
        assert_int_equal(child_of_ours(), 0);
    start(&t, &other, "op=behave\n");
    for (size_t i = 0; row->is_crowded && i < CROWD; i++)
        rf_job_cancel(&crowd[i]);
    finish(&t);
    assert_int_equal(other.failed, RF_OK);
    assert_int_equal(t.told, 1);
    rf_job_cancel(&job); /* it is not on its way any more */
    rf_job_cancel(&other);
    assert_int_equal(other.failed, RF_OK);
    close_thread(&t);
    rf_workers_stop(rf_workers_shared());
    assert_int_equal(count_files("/proc/self/fd"), before);
}

static bool stop(void *context, int64_t done, int64_t of)
{
    (void)context;
    (void)done;
    (void)of;
    return false;
}

static void a_step_may_cancel_its_job(void **state)
{
    struct thread t;
    (void)state;
    open_thread(&t, arena);
    struct rf_job job = {
        .family = "hostile", .ask = RF_STR("op=touch\n"), .input = &t.input, .step = stop
    };
    rf_job_start(&t.jobs, &job, arena, count, &t);
    finish(&t);
    assert_int_equal(job.failed, RF_EINTERRUPTED);
    assert_int_equal(t.told, 0);
    close_thread(&t);
}

/* Neither cancelling nor a step waits for it; the loop tells of its end. */
static void a_worker_that_was_killed_is_waited_for_by_the_loop(void **state)
{
    struct rf_job job;
    struct thread t;
    int handle = (int)syscall(SYS_pidfd_open, getpid(), 0);
    (void)state;
    if (handle < 0)
        skip(); /* this system has no descriptors of processes */
    close(handle);
    rf_workers_stop(rf_workers_shared());
    open_thread(&t, arena);
    start(&t, &job, "op=hang\n");
    rf_job_cancel(&job);
    assert_null(t.jobs.first);
    assert_non_null(t.jobs.dying);
    while (t.jobs.dying)
        step(&t);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    close_thread(&t);
}

static void cancel_others(void *ctx, struct rf_job *job)
{
    struct thread *t = ctx;
    count(t, job);
    rf_jobs_release(&t->jobs);
}

static void one_that_ended_may_cancel_all_others(void **state)
{
    struct rf_job first, others[CROWD];
    struct thread t;
    (void)state;
    open_thread(&t, arena);
    first = (struct rf_job){ .family = "nothing", .ask = RF_STR("op=behave\n") };
    rf_job_start(&t.jobs, &first, arena, cancel_others, &t);
    for (size_t i = 0; i < COUNT(others); i++)
        start(&t, &others[i], "op=hang\n");
    finish(&t);
    assert_int_equal(t.told, 1);
    assert_int_equal(first.failed, RF_ECONFIG);
    for (size_t i = 0; i < COUNT(others); i++)
        assert_int_equal(others[i].failed, RF_EINTERRUPTED);
    close_thread(&t);
}

/* Waiting for them */

static bool stop_all(void *context, int64_t done, int64_t of)
{
    (void)done;
    (void)of;
    assert_int_equal(write(*(int *)context, "x", 1), 1);
    return true;
}

/* One that has ended is left as it is; one that says something stops all. */
static void a_descriptor_stops_those_that_run(void **state)
{
    int pipes[2];
    struct rf_bytes input = rf_bytes_memory(RF_STR("hello"));
    struct rf_job jobs[CROWD + 2];
    (void)state;
    assert_int_equal(pipe(pipes), 0);
    input.own = true;
    for (size_t i = 0; i < COUNT(jobs); i++)
        jobs[i] = (struct rf_job){ .family = i ? "hostile" : "nothing",
                                   .ask = i == 1 ? RF_STR("op=touch\n") : RF_STR("op=hang\n"),
                                   .input = &input,
                                   .cancel_fd = pipes[0],
                                   .step = stop_all,
                                   .context = &pipes[1] };
    for (int round = 0; round < 2; round++) { /* in the second it can be read before */
        rf_workers_run(rf_workers_shared(), jobs, COUNT(jobs), arena);
        assert_int_equal(jobs[0].failed, round ? RF_EINTERRUPTED : RF_ECONFIG);
        for (size_t i = 1; i < COUNT(jobs); i++)
            assert_int_equal(jobs[i].failed, RF_EINTERRUPTED);
    }
    close(pipes[0]);
    close(pipes[1]);
}

static void a_step_stops_those_that_run_with_it(void **state)
{
    struct rf_bytes input = rf_bytes_memory(RF_STR("hello"));
    struct rf_job jobs[CROWD + 2];
    (void)state;
    input.own = true;
    for (size_t i = 0; i < COUNT(jobs); i++)
        jobs[i] = (struct rf_job){ .family = "hostile",
                                   .ask = i ? RF_STR("op=hang\n") : RF_STR("op=touch\n"),
                                   .input = &input,
                                   .step = stop };
    rf_workers_run(rf_workers_shared(), jobs, COUNT(jobs), arena);
    for (size_t i = 0; i < COUNT(jobs); i++)
        assert_int_equal(jobs[i].failed, RF_EINTERRUPTED);
}

/* Threads, each with a loop: every third job is cancelled. */
static void *run_some(void *arg)
{
    size_t *good = arg;
    struct rf_arena *own = rf_arena_new();
    struct rf_job jobs[30];
    struct thread t;
    open_thread(&t, own);
    for (size_t i = 0; i < COUNT(jobs); i++)
        start(&t, &jobs[i], i % 3 ? "op=behave\n" : "op=hang\n");
    for (size_t i = 0; i < COUNT(jobs); i += 3)
        rf_job_cancel(&jobs[i]);
    finish(&t);
    *good = t.good;
    close_thread(&t);
    rf_arena_free(own);
    return NULL;
}

static void threads_with_loops_share_the_workers(void **state)
{
    pthread_t threads[4];
    size_t good[COUNT(threads)] = { 0 };
    (void)state;
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_some, &good[i]), 0);
    for (size_t i = 0; i < COUNT(threads); i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(good[i], 20);
    }
}

int main(void)
{
    const struct CMUnitTest many[] = {
        cmocka_unit_test(one_thread_runs_many),
        cmocka_unit_test(one_that_ended_may_start_the_next),
        cmocka_unit_test(a_step_may_cancel_its_job),
        cmocka_unit_test(a_worker_that_was_killed_is_waited_for_by_the_loop),
        cmocka_unit_test(one_that_ended_may_cancel_all_others),
        cmocka_unit_test(a_descriptor_stops_those_that_run),
        cmocka_unit_test(a_step_stops_those_that_run_with_it),
        cmocka_unit_test(threads_with_loops_share_the_workers),
    };
    struct CMUnitTest cancelled[COUNT(moments)];
    name_rows(cancelled, check_moment, moments, COUNT(moments), sizeof *moments);
    return cmocka_run_group_tests_name("cancelled when", cancelled, set_up, tear_down) +
           cmocka_run_group_tests_name("jobs", many, set_up, tear_down);
}
