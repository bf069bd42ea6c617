/* Mutations that keep JSON what it is, for targets whose input is two bytes and a JSON text. A
 * value is replaced by another one of its kind, from the same text, from another input or from a
 * list; an element of an array is said twice; the inside of a string is given to the fuzzer. One
 * time in four, and where the text is not JSON, the fuzzer does what it always does. */
#include "base/arena.h"
#include "base/json_read.h"

#include <stdlib.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
                                 size_t other_size, uint8_t *out, size_t max, unsigned seed);

#define HEAD 2 /* bytes before the text */
#define PIXEL                                                        \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVQI12Ng"    \
    "AAAAAgABc3UBGAAAAABJRU5ErkJggg=="

static const struct rf_str strings[] = {
    RF_STR_INIT(""), RF_STR_INIT("a"), RF_STR_INIT(" \\n"), RF_STR_INIT("a\\u0000b"),
    RF_STR_INIT("\\ud800"), RF_STR_INIT("\\\"]\\u202e["), RF_STR_INIT("c1"), RF_STR_INIT("c2"),
    RF_STR_INIT("look"), RF_STR_INIT("image"), RF_STR_INIT("document"), RF_STR_INIT("audio"),
    RF_STR_INIT("video"), RF_STR_INIT("text"), RF_STR_INIT("json"), RF_STR_INIT("user"),
    RF_STR_INIT("assistant"), RF_STR_INIT("tool"), RF_STR_INIT("data"), RF_STR_INIT("url"),
    RF_STR_INIT("text/csv"), RF_STR_INIT("audio/mpeg"), RF_STR_INIT("s3://b/o"),
    RF_STR_INIT("https://a/b.pdf"), RF_STR_INIT(PIXEL), RF_STR_INIT("data:image/png;base64," PIXEL),
    RF_STR_INIT("a Data:;BASE64," PIXEL " b"), RF_STR_INIT("{\\\"a\\\":\\\"" PIXEL "\\\"}"),
    RF_STR_INIT("YSBkYXRhOjtiYXNlNjQsaVZCT1J3MEtHZ29BQUFBTlNVaEVVZ0FBQUFFQUFBQUJDQUFBQUFBNmZw"
                "dFZBQUFBQ2tsRVFWUUkxMk5nQUFBQUFnQUJjM1VCR0FBQUFBQkpSVTVFcmtKZ2dnPT0gYg=="),
};
static const struct rf_str values[] = {
    RF_STR_INIT("0"), RF_STR_INIT("1"), RF_STR_INIT("9223372036854775807"), RF_STR_INIT("true"),
    RF_STR_INIT("false"), RF_STR_INIT("null"),
};
static const struct rf_str containers[] = { RF_STR_INIT("[]"), RF_STR_INIT("{}") };

static size_t pick(unsigned *seed, size_t n)
{
    return (size_t)rand_r(seed) % n;
}

#define PICK(seed, list) (list)[pick(seed, sizeof(list) / sizeof *(list))]

static unsigned kind_of(const struct rf_jval *v)
{
    bool container = v->type == RF_JARRAY || v->type == RF_JOBJECT;
    return v->type == RF_JSTRING ? 0 : container ? 1 : 2;
}

static struct rf_str from_list(const struct rf_jval *v, unsigned *seed)
{
    if (kind_of(v) == 0)
        return PICK(seed, strings);
    return kind_of(v) == 1 ? PICK(seed, containers) : PICK(seed, values);
}

/* A value of the kind of `v` out of `root`, or out of the lists. */
static struct rf_str another(const struct rf_jval *v, const struct rf_jval *root, unsigned *seed)
{
    for (int tries = 0; tries < 16; tries++) {
        const struct rf_jval *o = &root[pick(seed, root->span)];
        if (kind_of(o) == kind_of(v))
            return o->raw;
    }
    return from_list(v, seed);
}

/* The text with `what` instead of `place`, which is a slice of it. */
static size_t put(struct rf_str text, struct rf_str place, struct rf_str what, size_t max,
                  struct rf_arena *a, uint8_t *out)
{
    size_t before = (size_t)(place.p - text.p), after = text.n - before - place.n;
    if (before + what.n + after > max)
        return 0;
    char *p = rf_arena_alloc(a, text.n + what.n + 1);
    memcpy(p, text.p, before);
    memcpy(p + before, what.p, what.n);
    memcpy(p + before + what.n, place.p + place.n, after);
    memcpy(out, p, before + what.n + after);
    return before + what.n + after;
}

static struct rf_str mutated(struct rf_str s, struct rf_arena *a)
{
    char *p = rf_arena_alloc(a, s.n * 2 + 16);
    memcpy(p, s.p, s.n);
    return (struct rf_str){ p, LLVMFuzzerMutate((uint8_t *)p, s.n, s.n * 2 + 16) };
}

static size_t mutate(struct rf_str text, const struct rf_jval *root, unsigned *seed, size_t max,
                     struct rf_arena *a, uint8_t *out)
{
    const struct rf_jval *v = &root[pick(seed, root->span)];
    switch (pick(seed, 4)) {
    case 0:
        return put(text, v->raw, another(v, root, seed), max, a, out);
    case 1:
        return put(text, v->raw, from_list(v, seed), max, a, out);
    case 2:
        if (v->type == RF_JSTRING)
            return put(text, v->raw, mutated(v->raw, a), max, a, out);
        break;
    default:
        break;
    }
    for (int tries = 0; tries < 16 && (v->type != RF_JARRAY || !v->count); tries++)
        v = &root[pick(seed, root->span)];
    if (v->type != RF_JARRAY || !v->count)
        return 0;
    struct rf_str e = rf_jval_at(v, pick(seed, v->count))->raw;
    bool quoted = e.p[-1] == '"';
    const char *quote = quoted ? "\"" : "";
    struct rf_str again = rf_strf(a, "%s%.*s%s,", quote, RF_FMT(e), quote);
    return put(text, (struct rf_str){ e.p - quoted, 0 }, again, max, a, out);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *root;
    size_t n = 0;
    unsigned dice = seed;
    if (size > HEAD && pick(&dice, 4)) {
        struct rf_str text = rf_str_dup(a, (struct rf_str){ (char *)data + HEAD, size - HEAD });
        if (!rf_jval_parse(text, a, &root, NULL))
            n = mutate(text, root, &dice, max - HEAD, a, data + HEAD);
        if (n && pick(&dice, 4) == 0)
            data[pick(&dice, HEAD)] = (uint8_t)dice;
    }
    rf_arena_free(a);
    return n ? n + HEAD : LLVMFuzzerMutate(data, size, max);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
                                 size_t other_size, uint8_t *out, size_t max, unsigned seed)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str text = { (const char *)data + HEAD, size - HEAD };
    struct rf_str from = { (const char *)other + HEAD, other_size - HEAD };
    const struct rf_jval *root, *pool;
    size_t n = 0;
    if (size > HEAD && other_size > HEAD && max > HEAD && !rf_jval_parse(text, a, &root, NULL) &&
        !rf_jval_parse(from, a, &pool, NULL)) {
        const struct rf_jval *v = &root[pick(&seed, root->span)];
        memcpy(out, data, HEAD);
        n = put(text, v->raw, another(v, pool, &seed), max - HEAD, a, out + HEAD);
    }
    rf_arena_free(a);
    return n ? n + HEAD : 0;
}
