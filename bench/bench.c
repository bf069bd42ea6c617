/* See bench.h. Nothing here knows what is measured. */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SAMPLE_S 200e-6
#define ROUNDS 200
#define MIN_ROUNDS 10
#define ENOUGH_S 1.5 /* after it no round starts but the first MIN_ROUNDS */
#define FEW_ROUNDS 3
#define LONG_S 20 /* after it no round starts but the first FEW_ROUNDS */
#define MAX_TIMES 1000000
#define LARGE ((size_t)1 << 20)

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void bench_keep(const void *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

/* A large piece of memory makes malloc put in order what the candidate before has freed, which
 * would otherwise count for this one. */
static double sample(const struct bench_case *c)
{
    void *large = malloc(LARGE);
    bench_keep(&large);
    free(large);
    double start = bench_now();
    for (int i = 0; i < c->times; i++)
        c->run(c->arg);
    return (bench_now() - start) / c->times;
}

/* Also the warm-up: the first runs pay for pages and caches. */
static void choose_times(struct bench_case *c)
{
    for (c->times = 1; c->times < MAX_TIMES; c->times *= 2)
        if (sample(c) * c->times >= SAMPLE_S)
            break;
}

static bool is_enough(int round, double s)
{
    return (round >= MIN_ROUNDS && s > ENOUGH_S) || (round >= FEW_ROUNDS && s > LONG_S);
}

void bench_run(const struct bench *b, struct bench_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cases[i].times == 0)
            choose_times(&cases[i]);
    double start = bench_now();
    for (int round = 0; round < b->rounds && !is_enough(round, bench_now() - start); round++)
        for (size_t i = 0; i < count; i++) {
            double s = sample(&cases[i]);
            if (round == 0 || s < cases[i].best_s)
                cases[i].best_s = s;
        }
}

static void refuse(const char *program, const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", program, what, why);
    exit(2);
}

void bench_open(struct bench *b, int argc, char **argv)
{
    *b = (struct bench){ .rounds = ROUNDS };
    for (int i = 1; i < argc; i += 2) {
        char *end = NULL;
        if (i + 1 == argc)
            refuse(argv[0], argv[i], "needs a value; there are --json FILE and --rounds N");
        if (strcmp(argv[i], "--json") == 0) {
            b->json = fopen(argv[i + 1], "a");
            if (!b->json)
                refuse(argv[0], argv[i + 1], strerror(errno));
        } else if (strcmp(argv[i], "--rounds") == 0) {
            b->rounds = (int)strtol(argv[i + 1], &end, 10);
            if (*end || b->rounds < 1)
                refuse(argv[0], argv[i + 1], "is not a number of rounds");
        } else {
            refuse(argv[0], argv[i], "is unknown; there are --json FILE and --rounds N");
        }
    }
    printf("%-44s %10s %-6s %7s  %-24s %8s\n", "name", "value", "unit", "ratio", "to", "goal");
}

int bench_close(struct bench *b)
{
    if (b->json && fclose(b->json) != 0) {
        perror("could not write the JSON file");
        return 2;
    }
    return b->missed ? 1 : 0;
}

static bool goal_met(const struct bench_row *row)
{
    switch (row->kind) {
    case BENCH_NO_GOAL:
        return true;
    case BENCH_AT_LEAST:
        return row->ratio >= row->goal;
    case BENCH_AT_MOST:
    case BENCH_AIM:
        return row->ratio <= row->goal;
    }
    return false;
}

static const char *goal_sign(enum bench_goal kind)
{
    return kind == BENCH_AT_LEAST ? ">=" : "<=";
}

static const char *verdict(const struct bench_row *row, bool ok)
{
    return ok ? "pass" : row->kind == BENCH_AIM ? "missed" : "FAIL";
}

static void print_row(const struct bench_row *row, bool ok)
{
    printf("%-44s %10.3f %-6s", row->name, row->value, row->unit);
    if (row->against)
        printf(" %7.2f  %-24s", row->ratio, row->against);
    if (row->kind != BENCH_NO_GOAL)
        printf(" %s %5.2f %s", goal_sign(row->kind), row->goal, verdict(row, ok));
    printf("\n");
    fflush(stdout);
}

static void write_text(FILE *f, const char *key, const char *text)
{
    fprintf(f, "\"%s\":\"", key);
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\')
            fputc('\\', f);
        fputc(*p, f);
    }
    fputc('"', f);
}

static void write_row(FILE *f, const struct bench_row *row, bool ok)
{
    fputc('{', f);
    write_text(f, "name", row->name);
    fprintf(f, ",\"value\":%.6g,", row->value);
    write_text(f, "unit", row->unit);
    if (row->against) {
        fprintf(f, ",\"ratio\":%.4g,", row->ratio);
        write_text(f, "against", row->against);
    } else {
        fprintf(f, ",\"ratio\":null,\"against\":null");
    }
    if (row->kind == BENCH_NO_GOAL)
        fprintf(f, ",\"goal\":null");
    else
        fprintf(f, ",\"goal\":\"%s %g\"", goal_sign(row->kind), row->goal);
    fprintf(f, ",\"ok\":%s}\n", ok ? "true" : "false");
}

void bench_row(struct bench *b, const struct bench_row *row)
{
    bool ok = goal_met(row);
    print_row(row, ok);
    if (b->json)
        write_row(b->json, row, ok);
    if (!ok && row->kind != BENCH_AIM)
        b->missed = true;
}
