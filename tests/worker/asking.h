/* Asking a worker of this build in a test: a family, lines, bytes in memory.
 *
 *     struct rf_job job = ask_worker(a, "av", "op=info\n", bytes);
 *     assert_str(fact_of(&job, "container"), "wav");
 */
#ifndef TESTS_WORKER_ASKING_H
#define TESTS_WORKER_ASKING_H

#include "media/worker.h"

#include "../testing.h"

#include <libgen.h>
#include <limits.h>

/* The workers that were built beside this test. */
static inline int use_built_workers(void **state)
{
    char program[PATH_MAX - 16] = { 0 }, workers[PATH_MAX];
    (void)state;
    if (readlink("/proc/self/exe", program, sizeof program - 1) <= 0)
        return -1;
    snprintf(workers, sizeof workers, "%s/../worker", dirname(program));
    return setenv("REFRACT_WORKERS", workers, 1);
}

static inline int stop_workers(void **state)
{
    (void)state;
    rf_workers_stop(rf_workers_shared());
    return 0;
}

static inline struct rf_job ask_worker(struct rf_arena *a, const char *family, const char *ask,
                                       struct rf_str input)
{
    struct rf_bytes *bytes = RF_NEW(a, struct rf_bytes);
    *bytes = rf_bytes_memory(input);
    bytes->own = true;
    struct rf_job job = { .family = family, .ask = rf_str(ask), .input = bytes };
    rf_workers_run(rf_workers_shared(), &job, 1, a);
    return job;
}

static inline struct rf_str fact_of(const struct rf_job *job, const char *key)
{
    return rf_prop_str(job->facts, job->fact_count, key);
}

static inline struct rf_str prop_of(const struct rf_job *job, size_t part, const char *key)
{
    assert_true(part < job->part_count);
    return rf_prop_str(job->parts[part].props, job->parts[part].prop_count, key);
}

static inline int64_t number_of(const struct rf_job *job, size_t part, const char *key)
{
    assert_true(part < job->part_count);
    return rf_prop_int(job->parts[part].props, job->parts[part].prop_count, key);
}

static inline bool is_noted(const struct rf_job *job, const char *words)
{
    for (size_t i = 0; i < job->note_count; i++)
        if (rf_str_contains(job->notes[i], rf_str(words)))
            return true;
    return false;
}

#endif
