/* read_attachment: a look into something that was kept under an id.
 *
 * A text is read a piece at a time and never held whole, so that one of a gigabyte takes no memory;
 * only for a JSON Pointer it is, up to MAX_JSON. Whatever is not text goes the way of read_file. It
 * refuses to show half a character, and says with every piece where the next one begins. */
#include "source/read.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/utf8.h"
#include "source/asset.h"
#include "source/outline.h"
#include "source/text_decode.h"

#include <inttypes.h>
#include <stdlib.h>

#define PIECE ((size_t)64 * 1024)
#define MAX_JSON ((uint64_t)64 << 20) /* that is read whole for a pointer */
#define MAX_SEARCH ((size_t)1000)     /* bytes of the words that are looked for */
#define AROUND ((size_t)160)          /* bytes shown on each side of what was found */

static size_t most_bytes(const struct rf_read *r)
{
    size_t most = (size_t)r->tools->limits[RF_LIMIT_TEXT_BYTES];
    bool fewer = r->call.limit > 0 && (uint64_t)r->call.limit < most;
    return fewer ? (size_t)r->call.limit : most;
}

static uint64_t first_byte(const struct rf_read *r)
{
    return r->call.offset > 0 ? (uint64_t)r->call.offset : 0;
}

/* Is the byte within a character, as all but its first are? */
static bool is_within(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The bytes from `from` on that make whole characters, at most `n`; `*from` moves over the rest of
 * a character that began before it. */
static enum rf_code read_characters(struct rf_read *r, uint64_t *from, size_t n, struct rf_str *out,
                                    struct rf_err *err)
{
    char *in = rf_arena_alloc(r->arena, n + RF_UTF8_SLACK);
    size_t got;
    enum rf_code rc = rf_reader_read(&r->reader, *from, in, n + RF_UTF8_SLACK, &got, err);
    if (rc)
        return rc;
    *out = rf_utf8_inner((struct rf_str){ in, got }, n);
    *from += (uint64_t)(out->p - in);
    return RF_OK;
}

/* What is not UTF-8 in it becomes U+FFFD. */
static void show(struct rf_read *r, struct rf_str bytes)
{
    if (rf_utf8_valid(bytes) == bytes.n) {
        rf_buf_add(&r->body, bytes);
        return;
    }
    char *out = rf_arena_alloc(r->arena, RF_TEXT_GROWTH * bytes.n + 1);
    size_t n = rf_text_decode(RF_ENCODING_UTF8, bytes, true, out).n;
    rf_buf_add(&r->body, (struct rf_str){ out, n });
}

/* What comes before the window, for base64 that goes on in it. */
static enum rf_code watch(struct rf_read *r, uint64_t end, struct rf_lift_watch *w,
                          struct rf_err *err)
{
    char *piece = rf_arena_alloc(r->arena, PIECE);
    enum rf_code rc = RF_OK;
    size_t got = 1;
    for (uint64_t at = 0; !rc && at < end && got; at += got) {
        rc = rf_reader_read(&r->reader, at, piece, end - at < PIECE ? (size_t)(end - at) : PIECE,
                            &got, err);
        rf_lift_watch(w, (struct rf_str){ piece, rc ? 0 : got });
    }
    return rc;
}

static enum rf_code read_window(struct rf_read *r, struct rf_err *err)
{
    struct rf_lift_watch before = { 0 };
    uint64_t from = first_byte(r);
    struct rf_str text;
    enum rf_code rc = read_characters(r, &from, most_bytes(r), &text, err);
    if (!rc)
        rc = rf_read_say_bytes(r, from, from + text.n, r->bytes.size, RF_STR(""), err);
    if (!rc)
        rc = watch(r, from, &before, err);
    if (!rc)
        show(r, rf_lift_window(&before, text, from + text.n < r->bytes.size, r->arena));
    return rc;
}

/* One value of JSON. */

static enum rf_code parse(struct rf_read *r, struct rf_arena *a, const struct rf_jval **root,
                          struct rf_err *err)
{
    size_t got;
    if (r->bytes.size > MAX_JSON) {
        rf_fail(err, RF_ELIMIT, "it has %" PRIu64 " bytes, and a pointer finds its way in %" PRIu64,
                r->bytes.size, MAX_JSON);
        rf_hint(err, "Use search, or offset and limit.");
        return RF_ELIMIT;
    }
    char *text = rf_arena_alloc(a, (size_t)r->bytes.size + 1);
    enum rf_code rc = rf_reader_read(&r->reader, 0, text, (size_t)r->bytes.size, &got, err);
    if (!rc && rf_jval_parse((struct rf_str){ text, got }, a, root, err)) {
        rc = err->code == RF_ELIMIT ? RF_ELIMIT : RF_EUSAGE;
        rf_fail(err, rc, "it is not JSON that a pointer could find its way in");
        rf_hint(err, "Use search, or offset and limit.");
    }
    return rc;
}

/* A container that does not fit is told of by its outline, unless a piece of it was asked for. */
static enum rf_code show_value(struct rf_read *r, const struct rf_jval *v, struct rf_arena *a,
                               struct rf_err *err)
{
    bool container = v->type == RF_JARRAY || v->type == RF_JOBJECT;
    struct rf_str text = v->type == RF_JSTRING ? rf_jval_text(v, a) : rf_jval_compact(v, a);
    size_t most = most_bytes(r);
    if (container && text.n > most && r->call.offset < 0) {
        rf_read_note(r,
                     "[JSON of %.*s bytes. This is its outline: use longer pointers, or offset=0.]",
                     RF_FMT(rf_with_commas(text.n, r->arena)));
        rf_buf_add(&r->body, rf_outline(v, most, a));
        return RF_OK;
    }
    uint64_t from = first_byte(r);
    size_t skip = from < text.n ? (size_t)from : text.n;
    struct rf_str piece = rf_utf8_inner((struct rf_str){ text.p + skip, text.n - skip }, most);
    if (from < text.n)
        from = (uint64_t)(piece.p - text.p);
    enum rf_code rc = rf_read_say_bytes(r, from, from + piece.n, text.n, RF_STR(""), err);
    struct rf_lift_watch before = { 0 };
    rf_lift_watch(&before, (struct rf_str){ text.p, (size_t)(piece.p - text.p) });
    if (!rc)
        rf_buf_add(&r->body, rf_lift_window(&before, piece, from + piece.n < text.n, r->arena));
    return rc;
}

static enum rf_code read_pointer(struct rf_read *r, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *v;
    enum rf_code rc = parse(r, a, &v, err);
    if (!rc)
        rc = rf_pointer_find(v, r->call.pointer, &v, err);
    if (!rc)
        rc = show_value(r, v, a, err);
    rf_arena_free(a);
    return rc;
}

/* Searching. Pieces overlap by the length of the words less one: nothing hides at a seam. */

struct search {
    struct rf_str words;
    char *buf;
    uint64_t at;   /* the next byte to look at */
    uint64_t line; /* that it is in, from 1 */
    bool found;
    uint64_t place, place_line;
};

static uint64_t feeds_in(const char *p, size_t n)
{
    uint64_t count = 0;
    for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
        count++;
    return count;
}

static void pass(struct search *s, const char *from, size_t n)
{
    s->line += feeds_in(from, n);
    s->at += n;
}

/* The next place of the words at or after `s->at`; `found` says whether there is one. */
static enum rf_code find_next(struct rf_read *r, struct search *s, struct rf_err *err)
{
    uint64_t size = r->bytes.size;
    s->found = false;
    while (s->at < size && size - s->at >= s->words.n) {
        size_t got;
        enum rf_code rc = rf_reader_read(&r->reader, s->at, s->buf, PIECE, &got, err);
        if (rc)
            return rc;
        const char *hit = memmem(s->buf, got, s->words.p, s->words.n);
        if (hit) {
            pass(s, s->buf, (size_t)(hit - s->buf));
            s->found = true;
            s->place = s->at;
            s->place_line = s->line;
            return RF_OK;
        }
        pass(s, s->buf, got - (s->words.n - 1));
    }
    return RF_OK;
}

/* What stands around a place: the line, or the `AROUND` bytes of it on each side. One byte more on
 * each side tells whether a line or a character ends there. */
struct around {
    char buf[1 + AROUND + MAX_SEARCH + AROUND + 1];
    size_t got, place;
    size_t begin, end; /* what is shown */
    bool cut, goes_on; /* it is not all of the line, at the beginning or at the end */
};

static enum rf_code look_around(struct rf_read *r, const struct search *s, struct around *o,
                                struct rf_err *err)
{
    uint64_t from = s->place > AROUND + 1 ? s->place - AROUND - 1 : 0;
    size_t words_end = (o->place = (size_t)(s->place - from)) + s->words.n;
    enum rf_code rc =
        rf_reader_read(&r->reader, from, o->buf, words_end + AROUND + 1, &o->got, err);
    if (rc)
        return rc;
    size_t begin = o->place, end = words_end, least = from > 0;
    while (begin > least && o->buf[begin - 1] != '\n')
        begin--;
    while (begin < o->place && is_within(o->buf[begin]))
        begin++;
    while (end < o->got && end < words_end + AROUND && o->buf[end] != '\n')
        end++;
    while (end < o->got && end > words_end && is_within(o->buf[end]))
        end--;
    o->begin = begin;
    o->end = end;
    o->cut = begin > 0 && o->buf[begin - 1] != '\n';
    o->goes_on = end < o->got && o->buf[end] != '\n';
    return RF_OK;
}

/* Afterwards the search goes on after what is shown. */
static enum rf_code show_place(struct rf_read *r, struct search *s, struct rf_err *err)
{
    struct around o;
    enum rf_code rc = look_around(r, s, &o, err);
    if (rc)
        return rc;
    rf_buf_addf(&r->body, "line %" PRIu64 ", offset %" PRIu64 ": %s", s->place_line, s->place,
                o.cut ? "..." : "");
    show(r, (struct rf_str){ o.buf + o.begin, o.end - o.begin });
    rf_buf_addf(&r->body, "%s\n", o.goes_on ? "..." : "");
    pass(s, o.buf + o.place, o.end - o.place);
    return RF_OK;
}

/* Lines are counted from the first byte, wherever the search begins. */
static enum rf_code count_lines(struct rf_read *r, struct search *s, struct rf_err *err)
{
    uint64_t from = first_byte(r);
    while (s->at < from) {
        size_t got, n = from - s->at < PIECE ? (size_t)(from - s->at) : PIECE;
        enum rf_code rc = rf_reader_read(&r->reader, s->at, s->buf, n, &got, err);
        if (rc)
            return rc;
        pass(s, s->buf, got);
    }
    return RF_OK;
}

static enum rf_code search(struct rf_read *r, struct search *s, struct rf_err *err)
{
    size_t places = 0, most = most_bytes(r);
    enum rf_code rc = count_lines(r, s, err);
    if (!rc)
        rc = find_next(r, s, err);
    while (!rc && s->found && r->body.n < most) {
        places++;
        rc = show_place(r, s, err);
        if (!rc)
            rc = find_next(r, s, err);
    }
    if (rc)
        return rc;
    if (s->found)
        rf_read_note(r, "The first %zu places. Use offset=%" PRIu64 " to continue.", places,
                     s->place);
    else
        rf_read_note(r, "[%zu %s]", places, places == 1 ? "place" : "places");
    return RF_OK;
}

static enum rf_code read_search(struct rf_read *r, struct rf_err *err)
{
    struct search s = { .words = r->call.search, .line = 1 };
    uint64_t from = first_byte(r);
    if (s.words.n > MAX_SEARCH)
        return rf_fail(err, RF_EUSAGE, "the words to search for are longer than %zu bytes",
                       MAX_SEARCH);
    if (from && from >= r->bytes.size)
        return rf_read_say_bytes(r, from, from, r->bytes.size, RF_STR(""), err);
    s.buf = malloc(PIECE);
    if (!s.buf)
        RF_NO_MEMORY();
    enum rf_code rc = search(r, &s, err);
    free(s.buf);
    return rc;
}

/* The attachment. */

static enum rf_code read_text(struct rf_read *r, struct rf_err *err)
{
    if (r->call.has_pointer && r->call.search.n)
        return rf_fail(err, RF_EUSAGE,
                       "pointer and search are asked for at once: give one of them");
    if (r->call.has_pointer)
        return read_pointer(r, err);
    return r->call.search.n ? read_search(r, err) : read_window(r, err);
}

/* Words for a model, who knows an id and no blob. */
static enum rf_code reword(enum rf_code rc, struct rf_err *err)
{
    if (rc == RF_ENOTFOUND) {
        rf_fail(err, rc, "there is no attachment of this id");
        rf_hint(err, "Ids look like att_9f2c41d07ab3, and stand where the attachment was shown.");
    } else if (rc == RF_EFORMAT) {
        rf_fail(err, rc, "what was kept of it is damaged");
    } else if (rc == RF_EIO) {
        rf_fail(err, rc, "what was kept of it cannot be read");
    }
    return rc;
}

enum rf_code rf_read_find_kept(struct rf_read *r, struct rf_err *err)
{
    const struct rf_attachments *k = &r->tools->attachments;
    if (!k->find) {
        rf_fail(err, RF_EUSAGE, "there are no attachments here");
        rf_hint(err, "Use read_file with a path.");
        return RF_EUSAGE;
    }
    return reword(k->find(k->ctx, r->call.id, r->arena, &r->bytes, &r->blob, err), err);
}

enum rf_code rf_read_attachment(struct rf_read *r, struct rf_err *err)
{
    enum rf_code rc = rf_read_find_kept(r, err);
    r->name = rf_clean_name(r->call.id, r->arena);
    if (rc)
        return rc;
    rc = rf_reader_open(&r->reader, &r->bytes, err);
    const struct rf_format *f = rc ? NULL : rf_sniff(&r->reader);
    bool text = f && f->kind == RF_KIND_TEXT;
    if (!rc && text)
        rc = read_text(r, err);
    rf_reader_close(&r->reader);
    if (rc || text)
        return rc;
    if (r->call.has_pointer || r->call.search.n)
        return rf_fail(err, RF_EUSAGE, "pointer and search are for text, and this is %s",
                       f ? f->label : "none");
    r->call.byte_offset = r->call.offset;
    r->call.byte_limit = r->call.limit;
    r->call.offset = r->call.limit = -1;
    r->call.path = RF_STR(""); /* and so no name that could claim something */
    return rf_read_bytes(r, err);
}
