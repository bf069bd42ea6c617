/* A stream gives the same messages however it is cut: whole, and in pieces that a seed chooses.
 *
 * The first byte of the input chooses the framing, the second the cuts. Frames with right checksums
 * would never be hit upon, so one more choice takes the input as AWS frames and writes checksums
 * and lengths that fit into them. Pieces lie in memory of exactly their size. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/crc32.h"
#include "wire/framing.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PRELUDE = 12, TRAILER = 4 };

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void put32(uint8_t *p, uint32_t n)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(n >> (24 - 8 * i));
}

/* The lowest two bytes of each length are kept as far as they fit. */
static void repair(uint8_t *p, size_t n)
{
    while (n >= PRELUDE + TRAILER) {
        size_t total = (size_t)p[2] << 8 | p[3];
        total = total < PRELUDE + TRAILER ? PRELUDE + TRAILER : total < n ? total : n;
        put32(p, (uint32_t)total);
        p[4] = p[5] = 0;
        put32(p + 8, rf_crc32(p, 8));
        put32(p + total - TRAILER, rf_crc32(p, total - TRAILER));
        p += total;
        n -= total;
    }
}

static void show(struct rf_buf *out, struct rf_str s)
{
    rf_buf_addf(out, "%zu:", s.n);
    rf_buf_add(out, s);
}

static void show_frame(struct rf_buf *out, const struct rf_frame *frame)
{
    rf_buf_addc(out, frame->exception ? '!' : '.');
    show(out, frame->name);
    show(out, frame->data);
    show(out, frame->message);
}

static enum rf_code feed(struct rf_framing *f, const uint8_t *p, size_t n, struct rf_buf *out,
                         struct rf_err *err)
{
    char *copy = malloc(n ? n : 1);
    struct rf_str input = { copy, n };
    struct rf_frame frame;
    enum rf_code rc = RF_OK;
    expect(copy);
    if (n)
        memcpy(copy, p, n);
    while (rf_framing_next(f, &input, &frame, &rc, err))
        show_frame(out, &frame);
    expect(rc || !input.n);
    free(copy);
    return rc;
}

/* All messages, and the verdict at the end. With no seed it is fed whole. */
static struct rf_str cut(enum rf_framing_kind kind, const uint8_t *p, size_t n, uint32_t seed,
                         struct rf_arena *a)
{
    struct rf_framing f;
    struct rf_frame frame;
    struct rf_buf out;
    struct rf_str text;
    struct rf_err err = { 0 };
    enum rf_code rc = RF_OK;
    rf_framing_init(&f, kind);
    rf_buf_init(&out, a, SIZE_MAX);
    for (size_t at = 0, step; !rc && at < n; at += step) {
        seed = seed * 1664525 + (seed ? 1013904223 : 0);
        step = seed ? seed >> 16 & (seed >> 12 & 1 ? 3 : 31) : n;
        step = step < n - at ? step : n - at;
        rc = feed(&f, p + at, step, &out, &err);
    }
    if (!rc && rf_framing_last(&f, &frame, &rc, &err))
        show_frame(&out, &frame);
    expect(!rc == !*err.msg && (rc == RF_OK || rc == RF_EFORMAT || rc == RF_ELIMIT));
    rf_buf_addf(&out, "%d %s", (int)rc, err.msg);
    rf_framing_release(&f);
    expect(!rf_buf_finish(&out, &text, NULL));
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum rf_framing_kind kinds[] = { RF_FRAMING_SSE, RF_FRAMING_LINES, RF_FRAMING_AWS,
                                                  RF_FRAMING_AWS };
    if (size < 2)
        return 0;
    struct rf_arena *a = rf_arena_new();
    size_t n = size - 2;
    uint8_t *bytes = rf_arena_alloc(a, n + 1);
    memcpy(bytes, data + 2, n);
    if (data[0] % 4 == 3)
        repair(bytes, n);
    enum rf_framing_kind kind = kinds[data[0] % 4];
    struct rf_str whole = cut(kind, bytes, n, 0, a);
    expect(rf_str_eq(whole, cut(kind, bytes, n, data[1] + 1u, a)));
    rf_arena_free(a);
    return 0;
}
