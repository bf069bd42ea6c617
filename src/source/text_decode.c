/* UTF-8 with what is wrong in it replaced, UTF-16, and windows-1252 in place of any other set:
 * those are converted by a worker, and this is for where there is none. */
#include "source/text_decode.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <stdlib.h>

#define REPLACEMENT 0xfffdu

enum rf_code rf_text_kind(struct rf_reader *r, struct rf_text_kind *out, struct rf_err *err)
{
    size_t got = 0;
    char *buf = malloc(RF_TEXT_HEAD);
    if (!buf)
        RF_NO_MEMORY();
    enum rf_code rc = rf_reader_read(r, 0, buf, RF_TEXT_HEAD, &got, err);
    if (!rc)
        *out = rf_text_kind_of((struct rf_str){ buf, got }, got < r->bytes->size);
    free(buf);
    return rc;
}

/* Bytes from the front that are text as they are. */
static size_t plain_length(struct rf_str s)
{
    const char *zero = memchr(s.p, '\0', s.n);
    return rf_utf8_valid((struct rf_str){ s.p, zero ? (size_t)(zero - s.p) : s.n });
}

/* A zero byte is a character of UTF-8, and of no text. */
static struct rf_decoded from_utf8(struct rf_str in, bool last, char *out)
{
    const unsigned char *p = (const unsigned char *)in.p;
    size_t i = plain_length(in), n = i, bad = 0;
    memcpy(out, p, i);
    while (i < in.n) {
        unsigned length = p[i] ? rf_utf8_char(p + i, in.n - i) : 0;
        if (!length && !last && p[i] && rf_utf8_partial(p + i, in.n - i))
            break;
        if (length)
            memcpy(out + n, p + i, length);
        else
            rf_utf8_put(REPLACEMENT, out + n);
        bad += !length;
        n += length ? length : 3;
        i += length ? length : 1;
    }
    return (struct rf_decoded){ n, i, bad };
}

static struct rf_decoded from_windows_1252(struct rf_str in, char *out)
{
    size_t n = 0, bad = 0;
    for (size_t i = 0; i < in.n; i++) {
        uint32_t c = (unsigned char)in.p[i];
        if (c >= 0x80 && c < 0xa0)
            c = rf_windows_1252((unsigned char)c);
        char four[4];
        unsigned length = rf_utf8_put(c ? c : REPLACEMENT, four);
        memcpy(out + n, four, length);
        n += length;
        bad += !c;
    }
    return (struct rf_decoded){ n, in.n, bad };
}

static uint32_t unit(const unsigned char *p, bool big)
{
    return big ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

static struct rf_decoded from_utf16(struct rf_str in, bool big, bool last, char *out)
{
    const unsigned char *p = (const unsigned char *)in.p;
    size_t i = 0, n = 0, bad = 0;
    while (in.n - i >= 2) {
        uint32_t c = unit(p + i, big);
        size_t step = 2;
        if (c >= 0xd800 && c < 0xdc00) {
            if (in.n - i < 4 && !last)
                break;
            uint32_t low = in.n - i >= 4 ? unit(p + i + 2, big) : 0;
            bool pair = low >= 0xdc00 && low < 0xe000;
            c = pair ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0;
            step = pair ? 4 : 2;
        } else if (c >= 0xdc00 && c < 0xe000) {
            c = 0;
        }
        char four[4];
        unsigned length = rf_utf8_put(c ? c : REPLACEMENT, four);
        memcpy(out + n, four, length);
        n += length;
        i += step;
        bad += c ? 0 : step;
    }
    return (struct rf_decoded){ n, last ? in.n : i, bad + (last ? in.n - i : 0) };
}

struct rf_decoded rf_text_decode(enum rf_encoding encoding, struct rf_str in, bool last, char *out)
{
    switch (encoding) {
    case RF_ENCODING_UTF16LE:
    case RF_ENCODING_UTF16BE:
        return from_utf16(in, encoding == RF_ENCODING_UTF16BE, last, out);
    case RF_ENCODING_OTHER:
        return from_windows_1252(in, out);
    case RF_ENCODING_NONE:
    case RF_ENCODING_UTF8:
        break;
    }
    return from_utf8(in, last, out);
}

/* The front of it, up to `most` bytes. */
static enum rf_code decode_front(struct rf_reader *r, struct rf_text_kind kind, size_t most,
                                 struct rf_arena *a, struct rf_str *out, size_t *bad)
{
    size_t got = 0;
    char *in = malloc(most + 1);
    if (!in)
        RF_NO_MEMORY();
    enum rf_code rc = rf_reader_read(r, 0, in, most, &got, NULL);
    if (!rc) {
        char *text = rf_arena_alloc(a, RF_TEXT_GROWTH * got + 1);
        size_t mark = kind.mark < got ? kind.mark : got;
        struct rf_str rest = { in + mark, got - mark };
        struct rf_decoded d = rf_text_decode(kind.encoding, rest, got == r->bytes->size, text);
        *out = (struct rf_str){ text, d.n };
        *bad = d.bad;
    }
    free(in);
    return rc;
}

enum rf_code rf_text_whole(struct rf_reader *r, struct rf_text_kind kind, struct rf_arena *a,
                           struct rf_str *out, size_t *bad)
{
    return decode_front(r, kind, (size_t)r->bytes->size, a, out, bad);
}

const struct rf_format *rf_text_format(struct rf_reader *r, struct rf_text_kind kind)
{
    const struct rf_format *f = NULL;
    struct rf_arena *a = rf_arena_new();
    struct rf_reader front = { .fd = -1 };
    struct rf_str text;
    size_t bad;
    if (!decode_front(r, kind, RF_TEXT_HEAD, a, &text, &bad)) {
        struct rf_bytes bytes = rf_bytes_memory(text);
        if (!rf_reader_open(&front, &bytes, NULL))
            f = rf_sniff(&front);
        rf_reader_close(&front);
    }
    rf_arena_free(a);
    return f && f->kind == RF_KIND_TEXT ? f : rf_format_of(RF_FORMAT_TEXT);
}
