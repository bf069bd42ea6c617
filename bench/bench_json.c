/* JSON beside yyjson, jansson and cJSON: bodies as requests have them. Each candidate
 * reads the same body into values that a program could use, and frees them. The others undo the
 * escapes of strings while they read, and we when a text is asked for, so that it is also measured
 * with every text asked for.
 *
 * Then all of it is written, as one text, from texts without escapes. A program that has them gives
 * them to yyjson as values of its own, which know nothing about the texts yet; making those values
 * is not measured. Numbers are written by both as they were spelled. */
#include "base/arena.h"
#include "base/json_write.h"
#include "bench.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#if HAVE_JANSSON
#include <jansson.h>
#endif
#if HAVE_CJSON
#include <cjson/cJSON.h>
#endif
#if HAVE_YYJSON
#include <yyjson.h>
#endif

#define MB ((size_t)1000 * 1000)
#define KEPT (1 << 30)

static void fail(const char *who)
{
    fprintf(stderr, "bench_json: %s could not read or write the body\n", who);
    exit(1);
}

static const struct rf_jval *parse(struct rf_str body, struct rf_arena *a)
{
    const struct rf_jval *root;
    if (rf_jval_parse(body, a, &root, NULL))
        fail("refract");
    return root;
}

static void read_ours(void *arg)
{
    struct rf_arena *a = rf_arena_new();
    bench_keep(parse(*(struct rf_str *)arg, a));
    rf_arena_free(a);
}

static void read_texts_ours(void *arg)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *root = parse(*(struct rf_str *)arg, a);
    for (uint32_t i = 0; i < root->span; i++)
        if (root[i].type == RF_JSTRING)
            bench_keep(rf_jval_text(&root[i], a).p);
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

#if HAVE_YYJSON
static void read_yyjson(void *arg)
{
    struct rf_str *body = arg;
    yyjson_doc *doc = yyjson_read(body->p, body->n, 0);
    if (!doc)
        fail("yyjson");
    bench_keep(doc);
    yyjson_doc_free(doc);
}
#endif

/* A body to write: our values with the texts of their strings, and yyjson's of the same. */
struct read_body {
    struct rf_arena *arena;
    const struct rf_jval *root;
    struct rf_str *texts; /* by the index of the value */
#if HAVE_YYJSON
    yyjson_mut_doc *doc;
#endif
};

#if HAVE_YYJSON
static yyjson_mut_val *value_yyjson(const struct read_body *r, const struct rf_jval *v)
{
    const struct rf_str *text = &r->texts[v - r->root];
    yyjson_mut_val *made;
    if (v->type == RF_JSTRING)
        return yyjson_mut_strn(r->doc, text->p, text->n);
    if (v->type == RF_JOBJECT) {
        made = yyjson_mut_obj(r->doc);
        for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1))
            yyjson_mut_obj_add(made, value_yyjson(r, k), value_yyjson(r, k + 1));
    } else if (v->type == RF_JARRAY) {
        made = yyjson_mut_arr(r->doc);
        for (const struct rf_jval *c = rf_jval_first(v); c; c = rf_jval_next(v, c))
            yyjson_mut_arr_append(made, value_yyjson(r, c));
    } else {
        made = yyjson_mut_rawn(r->doc, v->raw.p, v->raw.n);
    }
    return made;
}
#endif

static void read_body(struct read_body *r, struct rf_str body)
{
    r->arena = rf_arena_new();
    r->root = parse(body, r->arena);
    r->texts = RF_ARRAY(r->arena, struct rf_str, r->root->span);
    for (uint32_t i = 0; i < r->root->span; i++)
        if (r->root[i].type == RF_JSTRING)
            r->texts[i] = rf_jval_text(&r->root[i], r->arena);
#if HAVE_YYJSON
    r->doc = yyjson_mut_doc_new(NULL);
    yyjson_mut_doc_set_root(r->doc, value_yyjson(r, r->root));
#endif
}

static void release_body(struct read_body *r)
{
    rf_arena_free(r->arena);
#if HAVE_YYJSON
    yyjson_mut_doc_free(r->doc);
#endif
}

static void write_value(struct rf_json *w, const struct read_body *r, const struct rf_jval *v)
{
    if (v->type == RF_JSTRING) {
        rf_json_str(w, NULL, r->texts[v - r->root]);
    } else if (v->type == RF_JOBJECT) {
        rf_json_obj(w, NULL);
        for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1)) {
            rf_json_key(w, r->texts[k - r->root]);
            write_value(w, r, k + 1);
        }
        rf_json_end(w);
    } else if (v->type == RF_JARRAY) {
        rf_json_arr(w, NULL);
        for (const struct rf_jval *c = rf_jval_first(v); c; c = rf_jval_next(v, c))
            write_value(w, r, c);
        rf_json_end(w);
    } else {
        rf_json_raw(w, NULL, v->raw);
    }
}

static void write_ours(void *arg)
{
    const struct read_body *r = arg;
    struct rf_arena *a = rf_arena_new();
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str out;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    write_value(&w, r, r->root);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, a, &out, NULL))
        fail("refract");
    bench_keep(out.p);
    rf_arena_free(a);
}

#if HAVE_YYJSON
static void write_yyjson(void *arg)
{
    const struct read_body *r = arg;
    char *out = yyjson_mut_write(r->doc, 0, NULL);
    if (!out)
        fail("yyjson");
    bench_keep(out);
    free(out);
}
#endif

static unsigned next_random(unsigned *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % below;
}

/* Writes `s` without its NUL; returns its length. */
static size_t put(char *at, const char *s)
{
    size_t n = strlen(s);
    memcpy(at, s, n);
    return n;
}

struct words {
    const char *const *list;
    unsigned count;
};

/* A message of `length` words, with a space after each of them. */
static size_t message(char *at, unsigned *state, struct words words, unsigned length)
{
    size_t n = put(at, "{\"role\":\"assistant\",\"tokens\":4096,\"content\":[{\"type\":\"text\","
                       "\"text\":\"");
    for (unsigned i = 0; i < length; i++) {
        n += put(at + n, words.list[next_random(state, words.count)]);
        at[n++] = ' ';
    }
    return n + put(at + n, "\"}]},");
}

#define WORDS(...)                                         \
    ((struct words){ (const char *const[]){ __VA_ARGS__ }, \
                     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *) })

/* Messages with one long base64 string each. */
static size_t add_base64(char *at, unsigned *state)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = put(at, "{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"data\":\"");
    for (size_t i = 0; i < 400000; i++)
        at[n++] = digits[next_random(state, 64)];
    return n + put(at + n, "\"}]},");
}

/* A bit of everything, in short messages. */
static size_t add_mixed(char *at, unsigned *state)
{
    return message(at, state,
                   WORDS("the", "request ", "of a model", "return x;\\n", "\\\"quoted\\\"",
                         "f\xc3\xbcnf", "if (n)", "{ 1, 2 }", "picture", "0x1f",
                         "r\xc3\xa9sum\xc3\xa9", "and so on, "),
                   60);
}

/* Answers in English: a line feed now and then, and seldom a quote. */
static size_t add_prose(char *at, unsigned *state)
{
    return message(at, state,
                   WORDS("the", "model", "answers", "with", "a", "longer", "explanation", "of",
                         "what", "it", "has", "seen,", "and", "names", "every", "page", "that",
                         "matters.", "in", "this", "picture", "which", "shows", "bars.\\n\\n",
                         "nobody", "said", "\\\"so\\\"", "before", "we", "measured", "it", "here"),
                   300);
}

/* Answers in German, Russian, Chinese and Japanese, with a few pictures among the letters. */
static size_t add_languages(char *at, unsigned *state)
{
    switch (next_random(state, 4)) {
    case 0:
        return message(at, state,
                       WORDS("das",
                             "Gr\xc3\xb6\xc3\x9f"
                             "te",
                             "f\xc3\xbcr", "alle", "Seiten", "und", "\xc3\x84nderung", "nicht",
                             "gezeigt", "wird.\\n",
                             "\xe2\x80\x9e"
                             "Ja\xe2\x80\x9c",
                             "sehr", "sch\xc3\xb6n", "\xf0\x9f\x98\x80"),
                       200);
    case 1:
        return message(at, state,
                       WORDS("\xd0\xbc\xd0\xbe\xd0\xb4\xd0\xb5\xd0\xbb\xd1\x8c", "\xd0\xb8",
                             "\xd0\xba\xd0\xb0\xd1\x80\xd1\x82\xd0\xb8\xd0\xbd\xd0\xb0,",
                             "\xd1\x81\xd1\x82\xd1\x80\xd0\xb0\xd0\xbd\xd0\xb8\xd1\x86\xd0\xb0",
                             "\xd0\xbe\xd1\x82\xd0\xb2\xd0\xb5\xd1\x82.\\n", "\xd0\xbd\xd0\xb5"),
                       150);
    case 2:
        return message(
            at, state,
            WORDS("\xe6\xa8\xa1\xe5\x9e\x8b\xe5\x9b\x9e\xe7\xad\x94\xef\xbc\x8c",
                  "\xe8\xbf\x99\xe5\xbc\xa0\xe5\x9b\xbe\xe7\x89\x87\xe6\x98\xbe\xe7\xa4\xba"
                  "\xe4\xba\x86\xe4\xb8\x80\xe4\xb8\xaa\xe5\x9b\xbe\xe8\xa1\xa8\xe3\x80\x82",
                  "\xe9\xa1\xb5\xe9\x9d\xa2 3\\n", "PDF"),
            100);
    default:
        return message(
            at, state,
            WORDS("\xe3\x81\x93\xe3\x82\x8c\xe3\x81\xaf\xe7\x94\xbb\xe5\x83\x8f\xe3\x81\xa7"
                  "\xe3\x81\x99\xe3\x80\x82",
                  "\xe3\x83\x9a\xe3\x83\xbc\xe3\x82\xb8", "12",
                  "\xe3\x82\x92\xe8\xa6\x8b\xe3\x82\x8b"),
            100);
    }
}

/* Source code as a tool returns it. */
static size_t add_code(char *at, unsigned *state)
{
    return message(at, state,
                   WORDS("if (x == NULL)\\n\\t", "return -1;\\n", "}\\n\\n", "{\\n\\t",
                         "int i = 0;\\n\\t", "printf(\\\"%d\\\\n\\\", i);\\n\\t", "static",
                         "const char *", "name = \\\"refract\\\";\\n",
                         "for (size_t i = 0; i < n; i++)\\n\\t\\t", "/* \\u00e9 */",
                         "a[i] = b[i] + c;\\n\\t", "#include <stdio.h>\\n"),
                   120);
}

/* Definitions of tools, which are names, numbers and small objects, with what they return. */
static size_t add_tools(char *at, unsigned *state)
{
    static const char shape[] =
        "{\"type\":\"function\",\"name\":\"tool_%u\",\"strict\":true,\"description\":\"Reads pages of a "
        "document and returns them as pictures, or as text where there are none.\",\"parameters\":"
        "{\"type\":\"object\",\"properties\":{\"page\":{\"type\":\"integer\",\"minimum\":%u,\"maximum\":"
        "%u},\"path\":{\"type\":\"string\",\"description\":\"The file, as it is named in the listing\"},"
        "\"scale\":{\"type\":\"number\",\"default\":%u.%u,\"nullable\":false}},\"required\":[\"page\","
        "\"path\"],\"additionalProperties\":false},\"rows\":[[%u,%u,-%u.25],[%u,null,\"n/a\"]]},";
    unsigned n[9];
    for (size_t i = 0; i < 9; i++)
        n[i] = next_random(state, 60000);
    return (size_t)snprintf(at, 1000, shape, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8]);
}

static struct rf_str make_body(size_t (*add)(char *at, unsigned *state), size_t size)
{
    char *p = malloc(size + 500000);
    unsigned state = 1;
    if (!p)
        fail("malloc");
    size_t n = put(p, "{\"messages\":[");
    while (n < size)
        n += add(p + n, &state);
    n += put(p + n - 1, "]}") - 1; /* over the last comma */
    return (struct rf_str){ p, n };
}

struct candidate {
    const char *name;
    void (*run)(void *arg);
    double goal; /* 0: none */
};

#define MAX_CANDIDATES 4

/* The first candidate is ours. */
static void compare(struct bench *b, const char *verb, const char *what, size_t size, void *arg,
                    const struct candidate *c, size_t count)
{
    struct bench_case cases[MAX_CANDIDATES];
    char name[80];
    for (size_t i = 0; i < count; i++)
        cases[i] = (struct bench_case){ .run = c[i].run, .arg = arg };
    bench_run(b, cases, count);
    snprintf(name, sizeof name, "%s JSON, %s", verb, what);
    struct bench_row row = { .name = name,
                             .value = (double)size / cases[0].best_s / 1e9,
                             .unit = "GB/s" };
    if (count == 1)
        bench_row(b, &row);
    for (size_t i = 1; i < count; i++) {
        row.ratio = cases[i].best_s / cases[0].best_s;
        row.against = c[i].name;
        row.kind = c[i].goal > 0 ? BENCH_AT_LEAST : BENCH_NO_GOAL;
        row.goal = c[i].goal;
        bench_row(b, &row);
    }
}

struct input {
    const char *name;
    size_t (*add)(char *at, unsigned *state);
    size_t size;
    double jansson_goal, cjson_goal; /* for reading */
    double yyjson_goal;              /* for reading and for writing */
};

static void measure(struct bench *b, const struct input *in)
{
    const struct candidate reading[] = {
        { "refract", read_ours, 0 },
#if HAVE_YYJSON
        { "yyjson", read_yyjson, in->yyjson_goal },
#endif
#if HAVE_JANSSON
        { "jansson", read_jansson, in->jansson_goal },
#endif
#if HAVE_CJSON
        { "cJSON", read_cjson, in->cjson_goal },
#endif
    };
    const struct candidate texts[] = {
        { "refract", read_texts_ours, 0 },
#if HAVE_YYJSON
        { "yyjson", read_yyjson, 0 },
#endif
    };
    const struct candidate writing[] = {
        { "refract", write_ours, 0 },
#if HAVE_YYJSON
        { "yyjson", write_yyjson, in->yyjson_goal },
#endif
    };
    struct rf_str body = make_body(in->add, in->size);
    struct read_body r;
    compare(b, "read", in->name, body.n, &body, reading, sizeof reading / sizeof *reading);
    compare(b, "read texts of", in->name, body.n, &body, texts, sizeof texts / sizeof *texts);
    read_body(&r, body);
    compare(b, "write", in->name, body.n, &r, writing, sizeof writing / sizeof *writing);
    release_body(&r);
    free((char *)body.p);
}

int main(int argc, char **argv)
{
    /* Each small enough to be read or written between two turns of the scheduler. */
    static const struct input inputs[] = {
        { "10 MB of base64", add_base64, 10 * MB, 10, 3, 1 },
        { "1 MB of text", add_mixed, MB, 5, 0, 1 },
        { "1 MB of prose", add_prose, MB, 5, 0, 1 },
        { "1 MB of languages", add_languages, MB, 5, 0, 1 },
        { "1 MB of source", add_code, MB, 5, 0, 1 },
        { "1 MB of tools", add_tools, MB, 5, 0, 0 },
    };
    static const struct {
        const char *name;
        bool there;
    } peers[] = { { "yyjson", HAVE_YYJSON }, { "jansson", HAVE_JANSSON }, { "cJSON", HAVE_CJSON } };
    struct bench b;
    bench_open(&b, argc, argv);
    /* What was freed is kept, so that nobody waits for pages of the kernel. */
    mallopt(M_MMAP_THRESHOLD, KEPT);
    mallopt(M_TRIM_THRESHOLD, KEPT);
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
        if (!peers[i].there)
            printf("left out: %s is not installed\n", peers[i].name);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        measure(&b, &inputs[i]);
    return bench_close(&b);
}
