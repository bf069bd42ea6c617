/* What it costs to have a file read by a process of its own: an ask of a warm worker that has
 * nothing to do, with a small file on disk, a small one in memory and one of 4 MiB in memory;
 * and of each family that is installed a cold start, and a foreign file, which has a process of
 * its own, after another at once and after a while. */
#include "bench.h"
#include "media.h"

#include "base/arena.h"
#include "media/worker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMALL ((size_t)1000)
#define LARGE ((size_t)4 << 20)
#define BETWEEN_US 1000000 /* between two files: what an answer of a server takes */

struct task {
    const char *family;
    struct rf_bytes input;
    struct rf_arena *arena;
};

static void ask(void *arg)
{
    struct task *t = arg;
    struct rf_job job = { .family = t->family, .ask = RF_STR("op=check\n"), .input = &t->input };
    rf_workers_run(rf_workers_shared(), &job, 1, t->arena);
    if (job.failed) {
        fprintf(stderr, "bench_worker: %s\n", job.err.msg);
        exit(1);
    }
    rf_arena_reset(t->arena);
}

static void ask_cold(void *arg)
{
    rf_workers_stop(rf_workers_shared());
    ask(arg);
}

static void measure_asks(struct bench *b, struct task *tasks, double goal_s)
{
    struct bench_case cases[] = { { .run = ask, .arg = &tasks[0] },
                                  { .run = ask, .arg = &tasks[1] },
                                  { .run = ask, .arg = &tasks[2] } };
    bench_run(b, cases, 3);
    bench_row(b, &(struct bench_row){ "warm ask, small file", cases[0].best_s * 1e6, "us",
                                      cases[0].best_s / goal_s, "0.1 ms", BENCH_AT_MOST, 1 });
    bench_row(b, &(struct bench_row){ "warm ask, small file in memory", cases[1].best_s * 1e6, "us",
                                      cases[1].best_s / goal_s, "0.1 ms", BENCH_AT_MOST, 1 });
    bench_row(b, &(struct bench_row){ "warm ask, 4 MiB in memory", cases[2].best_s * 1e6, "us",
                                      cases[2].best_s / cases[1].best_s, "a small one",
                                      BENCH_NO_GOAL, 0 });
}

/* Foreign files: each has a process of its own, which may have been started ahead. */

static void ask_foreign(void *arg)
{
    struct task *t = arg;
    static int number;
    char hash[65];
    snprintf(hash, sizeof hash, "%064d", number++);
    struct rf_job job = {
        .family = t->family, .ask = RF_STR("op=check\n"), .input = &t->input, .sha256 = rf_str(hash)
    };
    t->input.own = false;
    rf_workers_run(rf_workers_shared(), &job, 1, t->arena);
    t->input.own = true;
    rf_arena_reset(t->arena);
}

static void ask_foreign_later(void *arg)
{
    usleep(BETWEEN_US);
    ask_foreign(arg);
}

static void measure_foreign(struct bench *b, struct task *t, const char *family)
{
    char name[64];
    struct bench_case cases[] = { { .run = ask, .arg = t, .times = 1 },
                                  { .run = ask_foreign, .arg = t, .times = 1 },
                                  { .run = ask_foreign_later, .arg = t, .times = 1 } };
    t->family = family;
    bench_run(b, cases, 3);
    snprintf(name, sizeof name, "foreign file, %s", family);
    bench_row(b, &(struct bench_row){ name, cases[1].best_s * 1e3, "ms",
                                      cases[1].best_s / cases[0].best_s, "an own one",
                                      BENCH_NO_GOAL, 0 });
    snprintf(name, sizeof name, "foreign file later, %s", family);
    double later = cases[2].best_s - BETWEEN_US * 1e-6;
    bench_row(b, &(struct bench_row){ name, later * 1e3, "ms", later / cases[0].best_s,
                                      "an own one", BENCH_NO_GOAL, 0 });
}

static void measure_start(struct bench *b, struct task *t, const char *family)
{
    char name[64];
    struct bench_case cases[] = { { .run = ask, .arg = t, .times = 1 },
                                  { .run = ask_cold, .arg = t, .times = 1 } };
    snprintf(name, sizeof name, "cold start of %s", family);
    t->family = family;
    bench_run(b, &cases[1], 1);
    bench_run(b, &cases[0], 1);
    bench_row(b, &(struct bench_row){ name, cases[1].best_s * 1e3, "ms",
                                      cases[1].best_s / cases[0].best_s, "a warm ask",
                                      BENCH_NO_GOAL, 0 });
}

static void make_small_file(char *path, struct rf_bytes *out)
{
    static const char zeros[SMALL];
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, zeros, SMALL) != (ssize_t)SMALL || rf_bytes_file("", path, out, NULL)) {
        perror("bench_worker");
        exit(1);
    }
    out->own = true;
    close(fd);
}

int main(int argc, char **argv)
{
    struct bench b;
    struct rf_arena *a = rf_arena_new();
    char path[] = "/tmp/refract-bench-XXXXXX";
    char *large = calloc(1, LARGE);
    struct task tasks[3] = { { .arena = a }, { .arena = a }, { .arena = a } };
    bool asked = false;
    media_find_workers(argv[0]);
    bench_open(&b, argc, argv);
    make_small_file(path, &tasks[0].input);
    tasks[1].input = rf_bytes_memory((struct rf_str){ large, SMALL });
    tasks[2].input = rf_bytes_memory((struct rf_str){ large, LARGE });
    tasks[1].input.own = tasks[2].input.own = true;
    for (size_t i = 0; rf_families[i]; i++) {
        if (rf_worker_check(rf_workers_shared(), rf_families[i], a, NULL, NULL))
            continue;
        for (size_t k = 0; k < 3; k++)
            tasks[k].family = rf_families[i];
        if (!asked)
            measure_asks(&b, tasks, 0.1e-3);
        asked = true;
        measure_start(&b, &tasks[0], rf_families[i]);
        measure_foreign(&b, &tasks[0], rf_families[i]);
    }
    if (!asked)
        puts("no worker is installed");
    unlink(path);
    free(large);
    rf_workers_stop(rf_workers_shared());
    rf_arena_free(a);
    return bench_close(&b);
}
