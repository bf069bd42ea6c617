/* Other programs in a benchmark: run from start to end, or kept running and asked again and again.
 *
 *     struct program cat = { .argv = { "/bin/cat", path } };
 *     struct bench_case once = { .run = program_run, .arg = &cat, .times = 1 };
 *
 * All that a program writes is read and thrown away. One that fails ends the benchmark with a
 * message: nothing that was measured beside it would mean anything. */
#ifndef REFRACT_BENCH_PROGRAM_H
#define REFRACT_BENCH_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct program {
    char *argv[10];
    long peak_kb; /* result: of the last run */
    /* of one that is kept */
    pid_t pid;
    FILE *in, *out;
};

/* Start it, read all that it writes, and wait for its end. Takes a struct program. */
void program_run(void *program);

/* Start one that says "ready", and then a line for each line that it is given. False: it says by
 * its exit status, 77, that something which it needs is not installed. */
bool program_open(struct program *p);
/* Give it a line and wait for its answer. Takes a struct program. */
void program_ask(void *program);
void program_close(struct program *p);

#endif
