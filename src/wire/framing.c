/* Lines first: an SSE line ends at CR, LF or CRLF, wherever the pieces were cut; a JSON line at LF.
 * A line that lies whole in the input is used where it lies; only one that is cut is copied. */
#include "wire/framing.h"

#include "base/crc32.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <stdlib.h>

void rf_framing_init(struct rf_framing *f, enum rf_framing_kind kind)
{
    *f = (struct rf_framing){ .kind = kind, .retry_ms = -1, .most = RF_MAX_FRAME_BYTES };
}

void rf_framing_release(struct rf_framing *f)
{
    free(f->held);
    free(f->data);
    rf_framing_init(f, f->kind);
}

static enum rf_code too_long(const struct rf_framing *f, struct rf_err *err)
{
    return rf_fail(err, RF_ELIMIT, "a message of the stream is over the limit of %zu bytes",
                   f->most);
}

/* Append to one of the two buffers. */
static bool append(size_t most, char **p, size_t *n, size_t *cap, struct rf_str s)
{
    if (*n > most || s.n > most - *n)
        return false;
    if (*n + s.n > *cap) {
        size_t grown = *cap * 2 > *n + s.n ? *cap * 2 : *n + s.n + 256;
        if (grown > most)
            grown = most;
        char *q = realloc(*p, grown);
        if (!q)
            RF_NO_MEMORY();
        *p = q;
        *cap = grown;
    }
    if (s.n)
        memcpy(*p + *n, s.p, s.n);
    *n += s.n;
    return true;
}

static bool hold(struct rf_framing *f, struct rf_str s)
{
    return append(f->most, &f->held, &f->held_n, &f->held_cap, s);
}

static struct rf_str rest_of(struct rf_str s, size_t from)
{
    return (struct rf_str){ s.p + from, s.n - from };
}

/* Where the line ends, or s.n. */
static size_t line_end(enum rf_framing_kind kind, struct rf_str s)
{
    const char *lf = s.n ? memchr(s.p, '\n', s.n) : NULL;
    size_t end = lf ? (size_t)(lf - s.p) : s.n;
    const char *cr = kind == RF_FRAMING_SSE && end ? memchr(s.p, '\r', end) : NULL;
    return cr ? (size_t)(cr - s.p) : end;
}

/* The next whole line of the input, without its end; false when there is none yet. */
static bool next_line(struct rf_framing *f, struct rf_str *input, struct rf_str *line,
                      enum rf_code *rc, struct rf_err *err)
{
    if (f->skip_lf && input->n) {
        if (input->p[0] == '\n')
            *input = rest_of(*input, 1);
        f->skip_lf = false;
    }
    size_t end = line_end(f->kind, *input);
    bool whole = end < input->n;
    struct rf_str piece = { input->p, end };
    if (f->held_n || !whole) {
        if (!hold(f, piece)) {
            *rc = too_long(f, err);
            return false;
        }
        piece = (struct rf_str){ f->held, f->held_n };
    }
    if (!whole) {
        *input = rest_of(*input, end);
        return false;
    }
    f->skip_lf = input->p[end] == '\r';
    *input = rest_of(*input, end + 1);
    f->held_n = 0;
    *line = piece;
    return true;
}

/* "field: value", "field:value", "field", ": comment". */
static void split_field(struct rf_str line, struct rf_str *field, struct rf_str *value)
{
    *value = line;
    if (!rf_str_split(value, ':', field))
        *field = RF_STR("");
    if (value->n && value->p[0] == ' ')
        *value = rest_of(*value, 1);
}

static bool take_data(struct rf_framing *f, struct rf_str value)
{
    bool fits = !f->has_data || append(f->most, &f->data, &f->data_n, &f->data_cap, RF_STR("\n"));
    f->has_data = true;
    return fits && append(f->most, &f->data, &f->data_n, &f->data_cap, value);
}

/* One that a header could not hold is as good as none. */
static void take_id(struct rf_framing *f, struct rf_str value)
{
    bool fits = value.n <= sizeof f->last_id && !memchr(value.p, '\0', value.n);
    f->last_id_n = fits ? value.n : 0;
    memcpy(f->last_id, value.p, f->last_id_n);
}

static void take_retry(struct rf_framing *f, struct rf_str value)
{
    int64_t ms;
    if (rf_str_int64(value, &ms) && ms >= 0)
        f->retry_ms = ms;
}

static bool take_field(struct rf_framing *f, struct rf_str line)
{
    struct rf_str field, value;
    if (f->bare)
        return take_data(f, line);
    if (line.n && line.p[0] == ':')
        return true;
    split_field(line, &field, &value);
    if (rf_str_is(field, "data"))
        return take_data(f, value);
    if (rf_str_is(field, "event")) {
        f->name_n = value.n < sizeof f->name ? value.n : sizeof f->name;
        memcpy(f->name, value.p, f->name_n);
    } else if (rf_str_is(field, "id")) {
        take_id(f, value);
    } else if (rf_str_is(field, "retry")) {
        take_retry(f, value);
    }
    return true;
}

static struct rf_str without_mark(struct rf_framing *f, struct rf_str line)
{
    bool mark = !f->begun && rf_str_starts(line, "\xef\xbb\xbf");
    f->begun = true;
    return mark ? rest_of(line, 3) : line;
}

/* The event that a blank line ends; false when it has no data. */
static bool dispatch(struct rf_framing *f, struct rf_frame *frame)
{
    bool whole = f->has_data;
    *frame = (struct rf_frame){ .name = { f->name, f->name_n }, .data = { f->data, f->data_n } };
    f->has_data = false;
    f->data_n = f->name_n = 0;
    return whole;
}

static bool next_event(struct rf_framing *f, struct rf_str *input, struct rf_frame *frame,
                       enum rf_code *rc, struct rf_err *err)
{
    struct rf_str line;
    while (next_line(f, input, &line, rc, err)) {
        bool first = !f->begun;
        line = without_mark(f, line);
        f->bare |= first && rf_str_starts(line, "{");
        if (!line.n) {
            if (dispatch(f, frame))
                return true;
        } else if (!take_field(f, line)) {
            *rc = too_long(f, err);
            return false;
        }
    }
    return false;
}

static bool next_json_line(struct rf_framing *f, struct rf_str *input, struct rf_frame *frame,
                           enum rf_code *rc, struct rf_err *err)
{
    struct rf_str line;
    while (next_line(f, input, &line, rc, err)) {
        line = rf_str_trim(without_mark(f, line));
        if (line.n) {
            *frame = (struct rf_frame){ .data = line };
            return true;
        }
    }
    return false;
}

/* AWS event streams.
 *
 *     total u32  headers u32  crc of these u32 | headers … | payload … | crc of all before u32
 *     header: name length u8, name, type u8, value (of a string: length u16, bytes)
 */

#define PRELUDE 12
#define TRAILER 4

static uint32_t be32(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static size_t be16(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (size_t)b[0] << 8 | b[1];
}

/* Bytes of a header's value, its length field included; too many when the type is unknown. */
static size_t value_size(unsigned type, struct rf_str rest)
{
    static const unsigned char fixed[] = { 0, 0, 1, 2, 4, 8, 0, 0, 8, 16 };
    if (type == 6 || type == 7)
        return rest.n >= 2 ? 2 + be16(rest.p) : rest.n + 1;
    return type < sizeof fixed ? fixed[type] : rest.n + 1;
}

/* False where nothing is left, and where a header is cut off: `rest` then keeps it. */
static bool next_header(struct rf_str *rest, struct rf_str *name, struct rf_str *value)
{
    if (!rest->n)
        return false;
    size_t n = (unsigned char)rest->p[0];
    if (rest->n < n + 2)
        return false;
    unsigned type = (unsigned char)rest->p[1 + n];
    struct rf_str after = rest_of(*rest, n + 2);
    size_t size = value_size(type, after);
    if (size > after.n)
        return false;
    *name = (struct rf_str){ rest->p + 1, n };
    *value = type == 6 || type == 7 ? (struct rf_str){ after.p + 2, size - 2 }
                                    : (struct rf_str){ after.p, size };
    *rest = rest_of(after, size);
    return true;
}

static void take_header(struct rf_frame *frame, struct rf_str name, struct rf_str value)
{
    if (rf_str_is(name, ":event-type") || rf_str_is(name, ":exception-type") ||
        rf_str_is(name, ":error-code"))
        frame->name = value;
    else if (rf_str_is(name, ":error-message"))
        frame->message = value;
    else if (rf_str_is(name, ":message-type"))
        frame->exception = rf_str_is(value, "exception") || rf_str_is(value, "error");
}

static bool is_utf8(struct rf_str s)
{
    return rf_utf8_valid(s) == s.n;
}

static enum rf_code read_frame(struct rf_str all, struct rf_frame *frame, struct rf_err *err)
{
    size_t headers = be32(all.p + 4);
    if (rf_crc32(all.p, all.n - TRAILER) != be32(all.p + all.n - TRAILER))
        return rf_fail(err, RF_EFORMAT, "a frame of the stream has a wrong checksum");
    struct rf_str rest = { all.p + PRELUDE, headers }, name, value;
    *frame = (struct rf_frame){
        .data = { all.p + PRELUDE + headers, all.n - PRELUDE - headers - TRAILER },
    };
    while (next_header(&rest, &name, &value))
        take_header(frame, name, value);
    if (rest.n || !is_utf8(frame->name) || !is_utf8(frame->message))
        return rf_fail(err, RF_EFORMAT, "a frame of the stream has broken headers");
    return RF_OK;
}

/* The length of the frame whose prelude is held, checked; 0 and `*rc` when it is wrong. */
static size_t frame_size(struct rf_framing *f, enum rf_code *rc, struct rf_err *err)
{
    size_t total = be32(f->held), headers = be32(f->held + 4);
    if (rf_crc32(f->held, 8) != be32(f->held + 8))
        *rc = rf_fail(err, RF_EFORMAT, "a frame of the stream has a wrong checksum in its head");
    else if (total > f->most)
        *rc = too_long(f, err);
    else if (total < PRELUDE + TRAILER || headers > total - PRELUDE - TRAILER)
        *rc = rf_fail(err, RF_EFORMAT, "a frame of the stream has impossible lengths");
    return *rc ? 0 : total;
}

/* Hold input until there are `want` bytes. */
static bool fill(struct rf_framing *f, struct rf_str *input, size_t want)
{
    size_t take = want > f->held_n ? want - f->held_n : 0;
    take = take < input->n ? take : input->n;
    if (!hold(f, (struct rf_str){ input->p, take }))
        RF_BUG("a frame is over the limit that was checked");
    *input = rest_of(*input, take);
    return f->held_n >= want;
}

static bool next_aws(struct rf_framing *f, struct rf_str *input, struct rf_frame *frame,
                     enum rf_code *rc, struct rf_err *err)
{
    if (f->begun) /* the frame that was handed out last */
        f->held_n = 0;
    f->begun = false;
    if (!fill(f, input, PRELUDE))
        return false;
    size_t total = frame_size(f, rc, err);
    if (*rc || !fill(f, input, total))
        return false;
    *rc = read_frame((struct rf_str){ f->held, total }, frame, err);
    f->begun = true;
    return !*rc;
}

bool rf_framing_next(struct rf_framing *f, struct rf_str *input, struct rf_frame *frame,
                     enum rf_code *rc, struct rf_err *err)
{
    *rc = RF_OK;
    switch (f->kind) {
    case RF_FRAMING_SSE:
        return next_event(f, input, frame, rc, err);
    case RF_FRAMING_AWS:
        return next_aws(f, input, frame, rc, err);
    case RF_FRAMING_LINES:
        return next_json_line(f, input, frame, rc, err);
    }
    return false;
}

bool rf_framing_last(struct rf_framing *f, struct rf_frame *frame, enum rf_code *rc,
                     struct rf_err *err)
{
    struct rf_str end = f->kind == RF_FRAMING_SSE ? RF_STR("\n\n") : RF_STR("\n");
    *rc = RF_OK;
    if (f->kind != RF_FRAMING_AWS)
        return rf_framing_next(f, &end, frame, rc, err);
    if (f->held_n && !f->begun)
        *rc = rf_fail(err, RF_EFORMAT, "the stream ends in the middle of a frame");
    return false;
}
