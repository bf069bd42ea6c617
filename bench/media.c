#include "media.h"

#include "base/arena.h"
#include "media/worker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder that `program` lies in. */
static int folder_length(const char *program)
{
    const char *slash = strrchr(program, '/');
    return slash ? (int)(slash - program) : 0;
}

/* `name` as it lies beside `program`, from the root. */
static bool beside(const char *program, const char *name, char out[PATH_MAX])
{
    char path[PATH_MAX];
    int n = folder_length(program);
    snprintf(path, sizeof path, "%.*s/%s", n ? n : 1, n ? program : ".", name);
    return realpath(path, out) != NULL;
}

void media_find_workers(const char *program)
{
    char folder[PATH_MAX];
    if (beside(program, "../worker", folder))
        setenv("REFRACT_WORKERS", folder, 0);
}

void media_open(struct media *m, const char *program)
{
    char inputs[PATH_MAX];
    *m = (struct media){ .arena = rf_arena_new() };
    media_find_workers(program);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
    unsetenv("HOME");
    unsetenv("XDG_CACHE_HOME");
    if (!beside(program, "../refract", m->refract) || !beside(program, "inputs", inputs) ||
        chdir(inputs) != 0) {
        fprintf(stderr, "bench: there are no inputs; scripts/bench.sh makes them\n");
        exit(1);
    }
    setenv("XDG_CONFIG_HOME", inputs, 1);
}

void media_close(struct media *m)
{
    rf_workers_stop(rf_workers_shared());
    rf_arena_free(m->arena);
}

bool media_has(struct media *m, const char *family, const char *path)
{
    struct rf_err err;
    if (access(path, R_OK) != 0) {
        printf("left out: there is no %s\n", path);
        return false;
    }
    if (rf_worker_check(rf_workers_shared(), family, m->arena, NULL, &err)) {
        printf("left out: %s\n", err.msg);
        return false;
    }
    return true;
}

bool media_peer(struct program *peer, const char *package)
{
    if (access(PYTHON, X_OK) == 0 && program_open(peer))
        return true;
    printf("left out: %s is not installed\n", package);
    return false;
}

void errand_open(struct errand *e, struct media *m, const char *path)
{
    struct rf_err err;
    e->arena = m->arena;
    if (rf_bytes_file("", path, &e->input, &err)) {
        fprintf(stderr, "bench: %s\n", err.msg);
        exit(1);
    }
    e->input.own = true;
}

/* What one run leaves in the spool folder would slow down the next. */
static void drop(const struct rf_job *job)
{
    for (size_t i = 0; i < job->part_count; i++)
        if (job->parts[i].bytes.path)
            unlink(job->parts[i].bytes.path);
}

void errand_run(void *errand)
{
    struct errand *e = errand;
    struct rf_job jobs[2] = { 0 };
    size_t count = e->asks[1] ? 2 : 1;
    if (e->cold)
        rf_workers_stop(rf_workers_shared());
    for (size_t i = 0; i < count; i++)
        jobs[i] = (struct rf_job){
            .family = e->family, .ask = rf_str(e->asks[i]), .input = &e->input, .spool = e->spool
        };
    rf_workers_run(rf_workers_shared(), jobs, count, e->arena);
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].failed) {
            fprintf(stderr, "bench: %s\n", jobs[i].err.msg);
            exit(1);
        }
        drop(&jobs[i]);
    }
    rf_arena_reset(e->arena);
}

void media_row(struct bench *b, const char *name, const struct bench_case *ours,
               const struct bench_case *theirs, const char *against, double goal)
{
    bench_row(b, &(struct bench_row){ name, ours->best_s * 1e3, "ms", theirs->best_s / ours->best_s,
                                      against, goal > 0 ? BENCH_AT_LEAST : BENCH_NO_GOAL, goal });
}
