/* An answer is read the same however it is cut: whole, and in pieces that a seed chooses.
 *
 * The first byte of the input says whether the request was HEAD and whether the connection is closed
 * at the end, the second chooses the cuts. Pieces lie in memory of exactly their size. */
#include "base/arena.h"
#include "base/buf.h"
#include "net/http1.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* Runs of a body are one, wherever they were cut. False where it is over. */
static bool show(const struct rf_http1 *h, enum rf_http1_item item,
                 const struct rf_http1_said *said, struct rf_buf *out)
{
    if (item == RF_HTTP1_STATUS)
        rf_buf_addf(out, "{%d}", h->status);
    if (item == RF_HTTP1_HEADER) {
        rf_buf_addf(out, "[%zu:%zu]", said->name.n, said->value.n);
        rf_buf_add(out, said->name);
        rf_buf_add(out, said->value);
    }
    if (item == RF_HTTP1_BYTES)
        rf_buf_add(out, said->bytes);
    if (item == RF_HTTP1_END)
        rf_buf_addf(out, "{end %d}", rf_http1_keeps(h));
    if (item == RF_HTTP1_BROKEN)
        rf_buf_addf(out, "{%s}", h->why);
    return item != RF_HTTP1_END && item != RF_HTTP1_BROKEN;
}

/* How much of it was used. */
static size_t feed(struct rf_http1 *h, const uint8_t *p, size_t n, struct rf_buf *out, bool *over)
{
    char *copy = malloc(n ? n : 1);
    struct rf_str input = { copy, n };
    struct rf_http1_said said = { 0 };
    enum rf_http1_item item = RF_HTTP1_MORE;
    expect(copy);
    if (n)
        memcpy(copy, p, n);
    while (!*over && (item = rf_http1_next(h, &input, &said)) != RF_HTTP1_MORE)
        *over = !show(h, item, &said, out);
    expect(*over || !input.n);
    expect(item != RF_HTTP1_BROKEN || rf_http1_next(h, &input, &said) == RF_HTTP1_BROKEN);
    free(copy);
    return n - input.n;
}

/* All items, and what is left after the end. With no seed it is fed whole. */
static struct rf_str cut(uint8_t choice, const uint8_t *p, size_t n, uint32_t seed,
                         struct rf_arena *a)
{
    struct rf_http1 h;
    struct rf_buf out;
    struct rf_str text;
    bool over = false;
    size_t at = 0;
    rf_http1_init(&h, choice & 1 ? RF_HTTP1_HEAD_ONLY : RF_HTTP1_WHOLE);
    rf_buf_init(&out, a, SIZE_MAX);
    while (!over && at < n) {
        seed = seed * 1664525 + (seed ? 1013904223 : 0);
        size_t step = seed ? seed >> 16 & (seed >> 12 & 1 ? 3 : 31) : n;
        at += feed(&h, p + at, step < n - at ? step : n - at, &out, &over);
    }
    if (!over && choice & 2)
        show(&h, rf_http1_close(&h), NULL, &out);
    if (h.state == RF_HTTP1_AT_END)
        rf_buf_addf(&out, "{left %zu}", n - at);
    rf_http1_release(&h);
    expect(!rf_buf_finish(&out, &text, NULL));
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct rf_arena *a = rf_arena_new();
    struct rf_str whole = cut(data[0], data + 2, size - 2, 0, a);
    expect(rf_str_eq(whole, cut(data[0], data + 2, size - 2, data[1] + 1u, a)));
    rf_arena_free(a);
    return 0;
}
