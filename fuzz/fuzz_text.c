/* Text files. Decoded in pieces they give what they give as a whole, which is UTF-8 without zero
 * bytes; a window of their lines does not depend on the pieces either. The first byte chooses the
 * pieces and the window. The rest is also read as what stands after a "#". */
#include "base/arena.h"
#include "base/utf8.h"
#include "source/lines.h"
#include "source/part.h"
#include "source/text_decode.h"

#include <stdlib.h>

#define GROWTH 3
#define LEAST_PIECE 4
#define MAX_TEXT 200 /* of a window */
#define MAX_LINE 30
#define ROOM 128 /* for a number and for the words about what was cut */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* In pieces of `step` bytes, or whole. */
static struct rf_str decode(enum rf_encoding encoding, struct rf_str in, size_t step,
                            struct rf_arena *a)
{
    char *all = rf_arena_alloc(a, in.n * GROWTH + 1);
    size_t n = 0, taken;

    for (size_t at = 0; at < in.n; at += taken) {
        size_t got = step < in.n - at ? step : in.n - at;
        char *out = malloc(got * GROWTH), *copy = malloc(got);
        expect(out && copy);
        memcpy(copy, in.p + at, got);
        struct rf_decoded d =
            rf_text_decode(encoding, (struct rf_str){ copy, got }, at + got == in.n, out);
        expect(d.n <= got * GROWTH && d.taken > 0 && d.taken <= got && d.bad <= d.taken);
        memcpy(all + n, out, d.n);
        n += d.n;
        taken = d.taken;
        free(copy);
        free(out);
    }
    return (struct rf_str){ all, n };
}

static struct rf_lines window_of(struct rf_str text, const struct rf_window *window, size_t step,
                                 struct rf_arena *a)
{
    struct rf_lines l;

    rf_lines_init(&l, window, a);
    for (size_t at = 0; at < text.n; at += step)
        rf_lines_feed(&l, (struct rf_str){ text.p + at, step < text.n - at ? step : text.n - at });
    rf_lines_end(&l);
    return l;
}

static void check_lines(struct rf_str text, uint8_t seed, struct rf_arena *a)
{
    struct rf_window window = { .first = seed & 3,
                                .limit = seed >> 2 & 3,
                                .max_bytes = MAX_TEXT,
                                .max_line = seed & 16 ? MAX_LINE : SIZE_MAX,
                                .numbered = seed & 32 };
    struct rf_lines whole = window_of(text, &window, SIZE_MAX - text.n, a);
    struct rf_lines pieces = window_of(text, &window, 1 + (seed >> 5), a);

    expect(rf_str_eq(whole.text, pieces.text) && whole.total == pieces.total &&
           whole.cut == pieces.cut && whole.shown_last == pieces.shown_last);
    expect(whole.shown_last <= whole.total && whole.shown_first <= whole.shown_last);
    expect(rf_utf8_valid(whole.text) == whole.text.n && whole.text.n <= 2 * MAX_TEXT + ROOM);
}

static void check_part(struct rf_str text)
{
    struct rf_file_part part;
    struct rf_err err;

    expect(rf_part_mark(text) <= text.n);
    enum rf_code rc = rf_part_read(text, &part, &err);
    expect(rc == RF_OK || rc == RF_EUSAGE);
    for (size_t i = 0; !rc && i < part.range_count; i++)
        expect(part.ranges[i].first >= 1 &&
               (!part.ranges[i].last || part.ranges[i].first <= part.ranges[i].last));
    expect(rc || !part.has_crop || (part.crop[2] > 0 && part.crop[3] > 0));
    expect(rc || !part.has_time || !part.end_ms || part.end_ms > part.start_ms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_str body = { (const char *)data + (size > 0), size - (size > 0) };
    struct rf_bytes bytes = rf_bytes_memory(body);
    struct rf_text_kind kind;
    struct rf_reader r;

    if (size < 2 || rf_reader_open(&r, &bytes, NULL))
        return 0;
    struct rf_arena *a = rf_arena_new();
    expect(rf_text_kind(&r, &kind, NULL) == RF_OK && kind.mark <= body.n);
    rf_reader_close(&r);
    body = (struct rf_str){ body.p + kind.mark, body.n - kind.mark };
    for (int e = RF_ENCODING_UTF8; e <= RF_ENCODING_OTHER; e++) {
        struct rf_str text = decode((enum rf_encoding)e, body, body.n, a);
        expect(rf_str_eq(text, decode((enum rf_encoding)e, body, LEAST_PIECE + data[0] % 9, a)));
        expect(rf_utf8_valid(text) == text.n && !(text.n && memchr(text.p, '\0', text.n)));
        check_lines(text, data[0], a);
    }
    check_part(body);
    rf_arena_free(a);
    return 0;
}
