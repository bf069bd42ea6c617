/* Base64 against memcpy of the bytes that come out: a chunk that stays in the cache, as when a
 * request is encoded while it is sent, and one run over 32 MiB. Every kernel is shown; the goals
 * are for the one that is chosen. */
#include "base/base64.h"
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define ENCODE_GOAL 0.6
#define DECODE_GOAL 0.4
#define MAX_KERNELS 8

struct job {
    const struct rf_base64_kernel *kernel; /* NULL : the one that is chosen */
    uint8_t *bytes, *bytes_out;
    char *text, *text_out;
    size_t n, m; /* bytes and characters */
};

static void copy_text(void *arg)
{
    struct job *j = arg;
    memcpy(j->text_out, j->text, j->m);
    bench_keep(j->text_out);
}

static void copy_bytes(void *arg)
{
    struct job *j = arg;
    memcpy(j->bytes_out, j->bytes, j->n);
    bench_keep(j->bytes_out);
}

static void encode(void *arg)
{
    struct job *j = arg;
    rf_base64_use(j->kernel);
    rf_base64_encode(j->bytes, j->n, j->text_out);
    bench_keep(j->text_out);
}

static void decode(void *arg)
{
    struct job *j = arg;
    rf_base64_use(j->kernel);
    if (!rf_base64_decode(j->text, j->m, j->bytes_out))
        abort();
    bench_keep(j->bytes_out);
}

static void *buffer(size_t n)
{
    void *p = malloc(n);
    if (!p)
        abort();
    memset(p, 1, n);
    return p;
}

static struct job job_new(size_t n)
{
    struct job j = { .n = n, .m = (size_t)rf_base64_length(n) };
    j.bytes = buffer(j.n);
    j.bytes_out = buffer(j.n);
    j.text = buffer(j.m);
    j.text_out = buffer(j.m);
    uint32_t seed = 1;
    for (size_t i = 0; i < n; i++)
        j.bytes[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
    rf_base64_encode(j.bytes, j.n, j.text);
    return j;
}

static void job_free(struct job *j)
{
    free(j->bytes);
    free(j->bytes_out);
    free(j->text);
    free(j->text_out);
}

struct direction {
    const char *name;
    void (*copy)(void *), (*run)(void *);
    double goal;
};

/* memcpy, the choice, and each kernel, side by side. */
static void compare(struct bench *b, const struct direction *d, const struct job *job, size_t size,
                    const char *size_name)
{
    struct job jobs[MAX_KERNELS];
    struct bench_case cases[MAX_KERNELS] = { { .run = d->copy, .arg = &jobs[0] },
                                             { .run = d->run, .arg = &jobs[1] } };
    size_t count = 2;
    jobs[0] = jobs[1] = *job;
    for (const struct rf_base64_kernel *const *k = rf_base64_kernels(); *k; k++) {
        if (!(*k)->usable() || count == MAX_KERNELS)
            continue;
        jobs[count] = *job;
        jobs[count].kernel = *k;
        cases[count] = (struct bench_case){ .run = d->run, .arg = &jobs[count] };
        count++;
    }
    bench_run(b, cases, count);
    for (size_t i = 0; i < count; i++) {
        const char *kernel = i == 0 ? "memcpy" : i == 1 ? "chosen" : jobs[i].kernel->name;
        char name[80];
        snprintf(name, sizeof name, "base64 %s, %s, %s", d->name, size_name, kernel);
        bench_row(b, &(struct bench_row){
                         .name = name,
                         .value = (double)size / cases[i].best_s * 1e-9,
                         .unit = "GB/s",
                         .ratio = cases[0].best_s / cases[i].best_s,
                         .against = i == 0 ? NULL : "memcpy of the output",
                         .kind = i == 1 ? BENCH_AT_LEAST : BENCH_NO_GOAL,
                         .goal = d->goal,
                     });
    }
}

int main(int argc, char **argv)
{
    static const struct direction forth = { "encode", copy_text, encode, ENCODE_GOAL };
    static const struct direction back = { "decode", copy_bytes, decode, DECODE_GOAL };
    static const struct {
        const char *name;
        size_t n;
    } sizes[] = { { "48 KiB", (size_t)48 << 10 }, { "32 MiB", (size_t)32 << 20 } };
    struct bench b;
    bench_open(&b, argc, argv);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct job job = job_new(sizes[i].n);
        compare(&b, &forth, &job, job.m, sizes[i].name);
        compare(&b, &back, &job, job.n, sizes[i].name);
        job_free(&job);
    }
    return bench_close(&b);
}
