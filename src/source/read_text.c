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

struct text {
    struct rf_text_kind kind;
    struct rf_charset charset;
    struct rf_reader *reader;  /* of the file, or of `converted` */
    struct rf_bytes converted; /* by a worker */
    struct rf_reader of_converted;
    char *in, *out; /* a piece, and what it becomes */
};

/* Lines after the window need no decoding where a line feed is a byte that stands for nothing
 * else. Those before it do: at which byte of the text a line stands is told where it is cut. */
static bool may_skip(const struct rf_lines *lines, enum rf_encoding encoding)
{
    bool bytes = encoding == RF_ENCODING_UTF8 || encoding == RF_ENCODING_OTHER;
    return bytes && rf_lines_only_count(lines) && lines->line >= lines->window.first;
}

static enum rf_code feed(struct rf_read *r, struct text *t, struct rf_lines *lines,
                         struct rf_err *err)
{
    uint64_t at = t->kind.mark, size = t->reader->bytes->size;
    while (at < size) {
        size_t got;
        enum rf_code rc = rf_reader_read(t->reader, at, t->in, PIECE, &got, err);
        if (rc)
            return rc;
        struct rf_str piece = { t->in, got };
        if (may_skip(lines, t->kind.encoding)) {
            rf_lines_feed(lines, piece);
            at += got;
        } else {
            struct rf_decoded d = rf_text_decode(t->kind.encoding, piece, at + got == size, t->out);
            rf_lines_feed(lines, (struct rf_str){ t->out, d.n });
            t->charset.bad += (int64_t)d.bad;
            at += d.taken;
        }
        if (!rf_read_step(r->tools, (int64_t)at, (int64_t)size))
            return rf_fail(err, RF_EINTERRUPTED, "reading was stopped");
    }
    return RF_OK;
}

static enum rf_code scan(struct rf_read *r, struct text *t, struct rf_lines *lines,
                         struct rf_err *err)
{
    t->in = malloc(PIECE);
    t->out = malloc(RF_TEXT_GROWTH * PIECE);
    if (!t->in || !t->out)
        RF_NO_MEMORY();
    enum rf_code rc = feed(r, t, lines, err);
    rf_reader_close(&t->of_converted);
    free(t->in);
    free(t->out);
    if (!rc)
        rf_lines_end(lines);
    return rc;
}

/* Where no worker can convert it, windows-1252 is as good a guess as any. */
static enum rf_code recode(struct rf_read *r, struct text *t, struct rf_err *err)
{
    struct rf_job job = { .family = RF_RECODER, .ask = rf_recipe_text(&RF_RECODE, r->arena) };
    int64_t most = r->tools->limits[RF_LIMIT_OFFICE_BYTES];
    if (r->bytes.size > (uint64_t)most) {
        struct rf_str limit = rf_read_number(r, most);
        rf_read_note(r, "[Note: over %.*s bytes (\"%s\") the character set is not looked for]",
                     RF_FMT(limit), rf_limit_rows[RF_LIMIT_OFFICE_BYTES].name);
        return RF_OK;
    }
    rf_read_ask(r, &job, 1);
    if (job.failed == RF_EINTERRUPTED) {
        *err = job.err;
        return job.failed;
    }
    if (job.failed)
        rf_read_note(r, "[Note: the character set is not known: %s]", job.err.msg);
    if (!rf_recoded(&job, &t->converted))
        return RF_OK;
    t->charset = rf_charset_of(&job);
    t->kind = (struct rf_text_kind){ .encoding = RF_ENCODING_UTF8 };
    t->reader = &t->of_converted;
    return rf_reader_open(t->reader, &t->converted, err);
}

static enum rf_code open_text(struct rf_read *r, struct text *t, struct rf_err *err)
{
    *t = (struct text){ .reader = &r->reader, .of_converted = { .fd = -1 } };
    enum rf_code rc = rf_text_kind(&r->reader, &t->kind, err);
    if (rc)
        return rc;
    t->charset = rf_charset_decoded(t->kind, 0);
    return t->kind.encoding == RF_ENCODING_OTHER ? recode(r, t, err) : RF_OK;
}

struct rf_window rf_read_asked(const struct rf_read *r)
{
    const int64_t *limits = r->tools->limits;
    return (struct rf_window){
        .first = r->call.offset > 0 ? r->call.offset : 1,
        .limit = r->call.limit > 0 ? r->call.limit : 0,
        .max_bytes = (size_t)limits[RF_LIMIT_TEXT_BYTES],
        .max_line = (size_t)limits[RF_LIMIT_LINE_BYTES],
        .max_escaped = (size_t)r->tools->escaped_bytes,
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

/* A text that begins like UTF-8 and goes on as something else is for a worker to judge. */
static enum rf_code scan_again(struct rf_read *r, struct text *t, struct rf_lines *lines,
                               struct rf_err *err)
{
    struct rf_window window = rf_read_asked(r);
    if (t->reader != &r->reader || t->kind.encoding != RF_ENCODING_UTF8 || !t->charset.bad)
        return RF_OK;
    enum rf_code rc = recode(r, t, err);
    if (rc || t->reader == &r->reader)
        return rc;
    rf_lines_init(lines, &window, r->arena);
    return scan(r, t, lines, err);
}

/* What it is, in the line that says which lines of it these are. */
static enum rf_code say_what(struct rf_read *r, const struct rf_lines *lines, struct rf_err *err)
{
    struct rf_str count = rf_read_number(r, lines->total);
    struct rf_str size = rf_read_number(r, (int64_t)r->bytes.size);
    if (!r->tools->named)
        return rf_read_window(r, lines, err);
    rf_buf_addf(&r->head, "[Text: %.*s, ", RF_FMT(r->name));
    if (!lines->window.by_bytes)
        rf_buf_addf(&r->head, "%.*s line%s, ", RF_FMT(count), lines->total == 1 ? "" : "s");
    rf_buf_addf(&r->head, "%.*s bytes] ", RF_FMT(size));
    size_t end = r->head.n;
    enum rf_code rc = rf_read_window(r, lines, err);
    if (!rc && r->head.n == end)
        r->head.p[end - 1] = '\n';
    return rc;
}

enum rf_code rf_read_text(struct rf_read *r, struct rf_err *err)
{
    struct rf_window window = rf_read_asked(r);
    struct text t;
    struct rf_lines lines;
    enum rf_code rc = open_text(r, &t, err);
    if (rc)
        return rc;
    rf_lines_init(&lines, &window, r->arena);
    rc = scan(r, &t, &lines, err);
    if (!rc)
        rc = scan_again(r, &t, &lines, err);
    if (!rc)
        rc = say_what(r, &lines, err);
    if (rc)
        return rc;
    rf_read_say_charset(r, &t.charset);
    rf_buf_add(&r->body, lines.text);
    return RF_OK;
}
