/* Reading JSON, beside jansson and cJSON: a body that is nearly all base64, and one that is all
 * text. Each candidate parses the same 10 MB into values that a program could use, and frees them. */
#include "base/arena.h"
#include "base/json_read.h"
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#if HAVE_JANSSON
#include <jansson.h>
#endif
#if HAVE_CJSON
#include <cjson/cJSON.h>
#endif

#define BODY ((size_t)10 * 1000 * 1000)

static void fail(const char *who)
{
    fprintf(stderr, "bench_json: %s could not read the body\n", who);
    exit(1);
}

static void read_ours(void *arg)
{
    struct rf_str *body = arg;
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *root;
    if (rf_jval_parse(*body, a, &root, NULL))
        fail("refract");
    bench_keep(root);
    rf_arena_free(a);
}

#if HAVE_JANSSON
static void read_jansson(void *arg)
{
    struct rf_str *body = arg;
    json_t *root = json_loadb(body->p, body->n, 0, NULL);
    if (!root)
        fail("jansson");
    bench_keep(root);
    json_decref(root);
}
#endif

#if HAVE_CJSON
static void read_cjson(void *arg)
{
    struct rf_str *body = arg;
    cJSON *root = cJSON_ParseWithLength(body->p, body->n);
    if (!root)
        fail("cJSON");
    bench_keep(root);
    cJSON_Delete(root);
}
#endif

static unsigned next_random(unsigned *state)
{
    return *state = *state * 1664525u + 1013904223u;
}

/* Writes `s` without its NUL; returns its length. */
static size_t put(char *at, const char *s)
{
    size_t n = strlen(s);
    memcpy(at, s, n);
    return n;
}

/* Messages with one long base64 string each. */
static size_t add_base64(char *at, unsigned *state)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = put(at, "{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"data\":\"");
    for (size_t i = 0; i < 400000; i++)
        at[n++] = digits[next_random(state) >> 26];
    return n + put(at + n, "\"}]},");
}

/* Messages of prose and code: escapes, numbers, and some words that are not ASCII. */
static size_t add_text(char *at, unsigned *state)
{
    static const char *const words[] = {
        "the",    "request ", "of a model", "return x;\\n", "\\\"quoted\\\"", "f\xc3\xbcnf",
        "if (n)", "{ 1, 2 }", "picture",    "0x1f",         "r\xc3\xa9sum\xc3\xa9", "and so on, ",
    };
    size_t n = put(at, "{\"role\":\"assistant\",\"tokens\":4096,\"content\":[{\"type\":\"text\","
                       "\"text\":\"");
    for (size_t i = 0; i < 60; i++) {
        n += put(at + n, words[(next_random(state) >> 16) % 12]);
        n += put(at + n, " ");
    }
    return n + put(at + n, "\"}]},");
}

static struct rf_str make_body(size_t (*add)(char *at, unsigned *state))
{
    char *p = malloc(BODY + 500000);
    unsigned state = 1;
    if (!p)
        fail("malloc");
    size_t n = put(p, "{\"messages\":[");
    while (n < BODY)
        n += add(p + n, &state);
    n += put(p + n - 1, "]}") - 1; /* over the last comma */
    return (struct rf_str){ p, n };
}

static void compare(struct bench *b, const char *name, struct rf_str body, double jansson_goal,
                    double cjson_goal)
{
    enum { OURS, JANSSON, CJSON };
    struct bench_case cases[3] = { { .run = read_ours, .arg = &body } };
    size_t count = 1;
#if HAVE_JANSSON && HAVE_CJSON
    cases[JANSSON] = (struct bench_case){ .run = read_jansson, .arg = &body };
    cases[CJSON] = (struct bench_case){ .run = read_cjson, .arg = &body };
    count = 3;
#endif
    bench_run(b, cases, count);
    double speed = (double)body.n / cases[OURS].best_s / 1e9;
    if (count == 1) {
        fprintf(stderr, "bench_json: jansson and cJSON are not installed: nothing to compare with\n");
        bench_row(b, &(struct bench_row){ .name = name, .value = speed, .unit = "GB/s" });
        return;
    }
    bench_row(b, &(struct bench_row){ name, speed, "GB/s", cases[JANSSON].best_s / cases[OURS].best_s,
                                      "jansson", BENCH_AT_LEAST, jansson_goal });
    bench_row(b, &(struct bench_row){ name, speed, "GB/s", cases[CJSON].best_s / cases[OURS].best_s,
                                      "cJSON", cjson_goal > 0 ? BENCH_AT_LEAST : BENCH_NO_GOAL,
                                      cjson_goal });
}

int main(int argc, char **argv)
{
    struct bench b;
    bench_open(&b, argc, argv);
    struct rf_str base64 = make_body(add_base64), text = make_body(add_text);
    compare(&b, "read JSON, 10 MB of base64", base64, 10, 3);
    compare(&b, "read JSON, 10 MB of text", text, 5, 0);
    free((char *)base64.p);
    free((char *)text.p);
    return bench_close(&b);
}
