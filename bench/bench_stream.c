/* Reading a stream of 100,000 small pieces of text: how fast, and in how much memory. What is
 * kept is the text, in a buffer that doubles, so twice the text is the most. */
#include "bench.h"

#include <refract/refract.h>

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define PIECES ((size_t)100000)
#define LETTERS ((size_t)20)
#define CHUNK ((size_t)16384) /* as a network hands them over */

struct stream {
    const struct rf_model *model;
    char *p;
    size_t n;
    size_t memory; /* in use before the end of the last run */
};

static size_t put(char *at, const char *s)
{
    size_t n = strlen(s);
    memcpy(at, s, n);
    return n;
}

static struct stream make_stream(const struct rf_model *m)
{
    struct stream s = { .model = m, .p = malloc(PIECES * (LETTERS + 160) + 1000) };
    if (!s.p)
        abort();
    s.n += put(s.p, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\n"
                    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
                    "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n");
    for (size_t i = 0; i < PIECES; i++) {
        s.n += put(s.p + s.n, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\","
                              "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"");
        memset(s.p + s.n, 'a' + (int)(i % 26), LETTERS);
        s.n += LETTERS;
        s.n += put(s.p + s.n, "\"}}\n\n");
    }
    s.n += put(s.p + s.n, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
    return s;
}

static void read_stream(void *arg)
{
    struct stream *s = arg;
    struct rf_decode *d = rf_decode_stream(s->model);
    struct rf_err err;
    struct rf_str json;
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (size_t at = 0; at < s->n; at += CHUNK) {
        size_t n = s->n - at < CHUNK ? s->n - at : CHUNK;
        if (rf_decode_feed(d, (struct rf_str){ s->p + at, n }, &err)) {
            fprintf(stderr, "bench_stream: %s\n", err.msg);
            exit(1);
        }
    }
    s->memory = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    if (rf_decode_finish(d, &json, &err)) {
        fprintf(stderr, "bench_stream: %s\n", err.msg);
        exit(1);
    }
    bench_keep(json.p);
    rf_decode_free(d);
}

int main(int argc, char **argv)
{
    struct bench b;
    struct rf_model *m;
    struct rf_err err;
    bench_open(&b, argc, argv);
    if (rf_model_open(NULL, "anthropic:claude-sonnet-4-5", &m, &err)) {
        fprintf(stderr, "bench_stream: %s\n", err.msg);
        return 1;
    }
    struct stream s = make_stream(m);
    struct bench_case only = { .run = read_stream, .arg = &s };
    bench_run(&b, &only, 1);
    double speed = (double)s.n / only.best_s / 1e6;
    bench_row(&b, &(struct bench_row){ "read a stream of 100,000 pieces", speed, "MB/s", speed / 200,
                                       "200 MB/s", BENCH_AT_LEAST, 1 });
    bench_row(&b, &(struct bench_row){ "memory for it", (double)s.memory / 1e6, "MB",
                                       (double)s.memory / (double)(PIECES * LETTERS),
                                       "the text itself", BENCH_AT_MOST, 2 });
    free(s.p);
    rf_model_close(m);
    return bench_close(&b);
}
