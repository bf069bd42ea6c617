/* What the benchmarks of formats share: the workers and the command of this build, the files of
 * make_inputs.py, and the peers, which are Python programs in peers/.
 *
 * Nothing is kept between runs: no cache, no configuration but that of the inputs. */
#ifndef REFRACT_BENCH_MEDIA_H
#define REFRACT_BENCH_MEDIA_H

#include "base/bytes.h"
#include "bench.h"
#include "program.h"

#include <limits.h>

struct rf_arena;

#define PYTHON "/usr/bin/python3" /* the system's, for which its packages are */
#define PEER(name) PYTHON, PEERS_IN "/" name ".py"

/* The workers of the build that `program` belongs to, where none are named. */
void media_find_workers(const char *program);

struct media {
    char refract[PATH_MAX]; /* the command */
    struct rf_arena *arena;
};

/* Go to the folder of the inputs. */
void media_open(struct media *m, const char *program);
void media_close(struct media *m);
/* Are the worker and the file there? Says what is not. */
bool media_has(struct media *m, const char *family, const char *path);
/* Start a peer, which then waits to be asked; says so where it is not installed. */
bool media_peer(struct program *peer, const char *package);

/* A file for a worker: one job, or two that run at once. */
struct errand {
    const char *family, *asks[2];
    struct rf_bytes input;
    const char *spool; /* a folder for what is made, or NULL */
    bool cold;         /* workers are started for it */
    struct rf_arena *arena;
};

void errand_open(struct errand *e, struct media *m, const char *path);
/* Takes a struct errand. Ends the benchmark where a job fails. */
void errand_run(void *errand);

/* A row that compares the best rounds; a goal of 0 is none. */
void media_row(struct bench *b, const char *name, const struct bench_case *ours,
               const struct bench_case *theirs, const char *against, double goal);

#endif
