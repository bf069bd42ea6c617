/* Text and code: a window of lines, in UTF-8 whatever the file's encoding is.
 *
 * The file is read once, in pieces, so that one of a gigabyte takes no memory; all of it is read,
 * because how many lines there are is worth knowing. An encoding that was guessed is said to be a
 * guess. */
#include "source/read.h"

#include "base/arena.h"
#include "source/text_decode.h"

#include <stdlib.h>

#define PIECE ((size_t)64 * 1024)

struct buffers {
    char *in, *out;
};

/* Lines after the window need no decoding where a line feed is a byte that stands for nothing
 * else. Those before it do: at which byte of the text a line stands is told where it is cut. */
static bool may_skip(const struct rf_lines *lines, enum rf_encoding encoding)
{
    bool bytes = encoding == RF_ENCODING_UTF8 || encoding == RF_ENCODING_LATIN1;
    return bytes && rf_lines_only_count(lines) && lines->line >= lines->window.first;
}

static enum rf_code feed(struct rf_read *r, struct rf_text_kind kind, struct buffers *b,
                         struct rf_lines *lines, struct rf_err *err)
{
    uint64_t at = kind.mark, size = r->bytes.size;
    while (at < size) {
        size_t got, taken;
        enum rf_code rc = rf_reader_read(&r->reader, at, b->in, PIECE, &got, err);
        if (rc)
            return rc;
        bool last = at + got == size;
        struct rf_str piece = { b->in, got };
        if (may_skip(lines, kind.encoding)) {
            rf_lines_feed(lines, piece);
            taken = got;
        } else {
            size_t n = rf_text_decode(kind.encoding, piece, last, b->out, &taken);
            rf_lines_feed(lines, (struct rf_str){ b->out, n });
        }
        at += taken;
        if (!rf_read_step(r->tools, (int64_t)at, (int64_t)size))
            return rf_fail(err, RF_EINTERRUPTED, "reading was stopped");
    }
    return RF_OK;
}

static enum rf_code scan(struct rf_read *r, struct rf_text_kind kind, struct rf_lines *lines,
                         struct rf_err *err)
{
    struct buffers b = { malloc(PIECE), malloc(RF_TEXT_GROWTH * PIECE) };
    if (!b.in || !b.out)
        RF_NO_MEMORY();
    enum rf_code rc = feed(r, kind, &b, lines, err);
    free(b.in);
    free(b.out);
    if (!rc)
        rf_lines_end(lines);
    return rc;
}

static void say_encoding(struct rf_read *r, struct rf_text_kind kind)
{
    static const char *const names[] = {
        [RF_ENCODING_UTF16LE] = "UTF-16",
        [RF_ENCODING_UTF16BE] = "UTF-16",
        [RF_ENCODING_LATIN1] = "Latin-1 (Windows-1252)",
    };
    if (kind.encoding == RF_ENCODING_UTF8 || kind.encoding == RF_ENCODING_NONE)
        return;
    rf_read_note(r, "[Encoding: %s%s]", names[kind.encoding],
                 kind.guessed ? ", which is a guess: the bytes do not say" : "");
}

struct rf_window rf_read_asked(const struct rf_read *r)
{
    const int64_t *limits = r->tools->limits;
    return (struct rf_window){
        .first = r->call.offset > 0 ? r->call.offset : 1,
        .limit = r->call.limit > 0 ? r->call.limit : 0,
        .max_bytes = (size_t)limits[RF_LIMIT_TEXT_BYTES],
        .max_line = (size_t)limits[RF_LIMIT_LINE_BYTES],
        .numbered = r->call.line_numbers,
        .by_bytes = r->call.byte_offset >= 0 || r->call.byte_limit >= 0,
        .first_byte = r->call.byte_offset > 0 ? r->call.byte_offset : 0,
        .byte_limit = r->call.byte_limit > 0 ? r->call.byte_limit : 0,
        .byte_name = rf_read_byte_name(r),
    };
}

enum rf_code rf_read_long_text(struct rf_read *r, struct rf_str text, struct rf_err *err)
{
    struct rf_window window = rf_read_asked(r);
    struct rf_lines lines;
    rf_lines_init(&lines, &window, r->arena);
    rf_lines_feed(&lines, text);
    rf_lines_end(&lines);
    rf_buf_add(&r->body, lines.text);
    return rf_read_window(r, &lines, err);
}

enum rf_code rf_read_text(struct rf_read *r, struct rf_err *err)
{
    struct rf_window window = rf_read_asked(r);
    struct rf_text_kind kind;
    struct rf_lines lines;
    enum rf_code rc = rf_text_kind(&r->reader, &kind, err);
    if (rc)
        return rc;
    rf_lines_init(&lines, &window, r->arena);
    rc = scan(r, kind, &lines, err);
    if (!rc)
        rc = rf_read_window(r, &lines, err);
    if (rc)
        return rc;
    say_encoding(r, kind);
    rf_buf_add(&r->body, lines.text);
    return RF_OK;
}
