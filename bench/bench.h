/* The harness of the benchmarks: it times candidates side by side, and says what came out as a
 * table and, with --json FILE, as one JSON object a line that is appended to the file.
 *
 * The machine is taken to be noisy. Candidates run in turns, so that a bad moment hits them all,
 * and the shortest of many rounds counts, since noise only ever adds.
 *
 *     struct bench b;
 *     bench_open(&b, argc, argv);
 *     struct bench_case cases[] = { { .run = copy, .arg = &x }, { .run = ours, .arg = &x } };
 *     bench_run(&b, cases, 2);
 *     bench_row(&b, &(struct bench_row){ "ours", …, .ratio = cases[0].best_s / cases[1].best_s });
 *     return bench_close(&b);
 */
#ifndef REFRACT_BENCH_H
#define REFRACT_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct bench {
    FILE *json; /* NULL without --json */
    int rounds;
    bool missed; /* a goal */
};

/* Takes --json FILE and --rounds N (at most: slow candidates get fewer), and prints the head of the
 * table. Ends the program with a message when an argument is wrong. */
void bench_open(struct bench *b, int argc, char **argv);
/* The exit status of the program: 1 when a goal was missed that is not an aim. */
int bench_close(struct bench *b);

struct bench_case {
    void (*run)(void *arg);
    void *arg;
    int times;     /* runs in one sample; 0 : as many as fill a fifth of a millisecond */
    double best_s; /* result: the seconds that one run takes */
};

/* Time the candidates in turns and fill in their results. */
void bench_run(const struct bench *b, struct bench_case *cases, size_t count);

enum bench_goal {
    BENCH_NO_GOAL,
    BENCH_AT_LEAST, /* the ratio must reach the goal: speeds */
    BENCH_AT_MOST,  /* the ratio must not pass the goal: times, memory */
    BENCH_AIM,      /* the same, and it is told where it does; the program does not fail by it */
};

struct bench_row {
    const char *name;
    double value;
    const char *unit;    /* of the value */
    double ratio;        /* to `against` */
    const char *against; /* NULL where there is nothing to compare with */
    enum bench_goal kind;
    double goal; /* for the ratio, which must then be there */
};

void bench_row(struct bench *b, const struct bench_row *row);

/* Seconds on a clock that only goes forward. */
double bench_now(void);
/* Make the compiler believe that the memory at `p` is read. */
void bench_keep(const void *p);

#endif
