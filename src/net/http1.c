/* A state a kind of line, and three for bodies. A line is read where it lies in the input; only one
 * that is cut is gathered. */
#include "net/http1.h"

#include "base/error.h"

#include <stdlib.h>

#define MAX_LINE ((size_t)64 << 10)
#define MAX_SIZE_DIGITS 15 /* of a chunk, in hexadecimal */
#define FIRST_CAP ((size_t)256)

void rf_http1_init(struct rf_http1 *h, enum rf_http1_part part)
{
    *h = (struct rf_http1){ .part = part };
}

void rf_http1_release(struct rf_http1 *h)
{
    free(h->line);
    h->line = NULL;
}

static enum rf_http1_item broken(struct rf_http1 *h, const char *why)
{
    h->state = RF_HTTP1_AT_FAULT;
    h->why = why;
    return RF_HTTP1_BROKEN;
}

/* Lines */

static void gather(struct rf_http1 *h, struct rf_str part)
{
    size_t need = h->line_n + part.n, cap = h->line_cap ? h->line_cap : FIRST_CAP;
    while (cap < need)
        cap *= 2;
    if (cap > h->line_cap) {
        char *longer = realloc(h->line, cap);
        if (!longer)
            RF_NO_MEMORY();
        h->line = longer;
        h->line_cap = cap;
    }
    memcpy(h->line + h->line_n, part.p, part.n);
    h->line_n = need;
}

static struct rf_str without_end(struct rf_str line)
{
    line.n--;
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    return line;
}

/* False where its end has not come yet, or it is too long. */
static bool take_line(struct rf_http1 *h, struct rf_str *in, struct rf_str *line)
{
    const char *end = memchr(in->p, '\n', in->n);
    struct rf_str part = { in->p, end ? (size_t)(end - in->p) + 1 : in->n };
    *in = (struct rf_str){ in->p + part.n, in->n - part.n };
    if (part.n > MAX_LINE - h->line_n) {
        broken(h, "a line of the answer is too long");
        return false;
    }
    if (h->line_n || !end) {
        gather(h, part);
        part = (struct rf_str){ h->line, h->line_n };
    }
    if (!end)
        return false;
    h->line_n = 0;
    *line = without_end(part);
    return true;
}

/* The head */

/* "HTTP/1.1 200 OK", and what stands after the number may be missing. */
static enum rf_http1_item status_line(struct rf_http1 *h, struct rf_str s)
{
    int status = 0;
    if (!rf_str_starts(s, "HTTP/1.") || s.n < 12 || (s.p[7] != '0' && s.p[7] != '1') ||
        s.p[8] != ' ' || (s.n > 12 && s.p[12] != ' '))
        return broken(h, "what came is not an answer of HTTP/1.1");
    for (size_t i = 9; i < 12; i++) {
        if (!rf_is_digit(s.p[i]))
            return broken(h, "the answer has no status");
        status = 10 * status + s.p[i] - '0';
    }
    if (status < 100 || status == 101)
        return broken(h, "the answer has a status that was not asked for");
    h->status = status;
    h->old = s.p[7] == '0';
    h->closes = h->has_length = h->chunked = false;
    h->state = RF_HTTP1_IN_HEAD;
    return RF_HTTP1_STATUS;
}

static bool read_length(struct rf_str s, uint64_t *out)
{
    int64_t n;
    for (size_t i = 0; i < s.n; i++)
        if (!rf_is_digit(s.p[i]))
            return false;
    if (!rf_str_int64(s, &n))
        return false;
    *out = (uint64_t)n;
    return true;
}

static enum rf_http1_item take_length(struct rf_http1 *h, struct rf_str value)
{
    uint64_t n;
    if (!read_length(value, &n) || (h->has_length && n != h->left))
        return broken(h, "the answer has a length that cannot be");
    h->has_length = true;
    h->left = n;
    return RF_HTTP1_HEADER;
}

static enum rf_http1_item take_coding(struct rf_http1 *h, struct rf_str value)
{
    if (rf_str_ieq(value, RF_STR("identity")))
        return RF_HTTP1_HEADER;
    if (h->chunked || !rf_str_ieq(value, RF_STR("chunked")))
        return broken(h, "the answer is in a coding that was not asked for");
    h->chunked = true;
    return RF_HTTP1_HEADER;
}

static enum rf_http1_item take_connection(struct rf_http1 *h, struct rf_str value)
{
    struct rf_str word;
    while (rf_str_split(&value, ',', &word))
        if (rf_str_ieq(rf_str_trim(word), RF_STR("close")))
            h->closes = true;
    return RF_HTTP1_HEADER;
}

static const struct {
    struct rf_str name;
    enum rf_http1_item (*take)(struct rf_http1 *h, struct rf_str value);
} framing[] = {
    { RF_STR_INIT("content-length"), take_length },
    { RF_STR_INIT("transfer-encoding"), take_coding },
    { RF_STR_INIT("connection"), take_connection },
};

static bool is_name(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= ' ' || s.p[i] > '~')
            return false;
    return s.n > 0;
}

static bool read_header(struct rf_str line, struct rf_http1_said *out)
{
    const char *colon = memchr(line.p, ':', line.n);
    if (!colon || memchr(line.p, '\0', line.n) || memchr(line.p, '\r', line.n))
        return false;
    size_t n = (size_t)(colon - line.p);
    out->name = (struct rf_str){ line.p, n };
    out->value = rf_str_trim((struct rf_str){ colon + 1, line.n - n - 1 });
    return is_name(out->name);
}

static enum rf_http1_item header_line(struct rf_http1 *h, struct rf_str line,
                                      struct rf_http1_said *out)
{
    if (!read_header(line, out))
        return broken(h, "the answer has a header that cannot be read");
    for (size_t i = 0; i < sizeof framing / sizeof *framing; i++)
        if (h->state == RF_HTTP1_IN_HEAD && rf_str_ieq(out->name, framing[i].name))
            return framing[i].take(h, out->value);
    return RF_HTTP1_HEADER;
}

static bool has_no_body(const struct rf_http1 *h)
{
    return h->part == RF_HTTP1_HEAD_ONLY || h->status == 204 || h->status == 304;
}

static enum rf_http1_item end_of_head(struct rf_http1 *h)
{
    if (h->status < 200)
        h->state = RF_HTTP1_IN_STATUS;
    else if (has_no_body(h))
        h->state = RF_HTTP1_AT_END;
    else if (h->chunked && h->has_length)
        return broken(h, "the answer has a length beside its chunks");
    else if (h->chunked)
        h->state = RF_HTTP1_IN_CHUNK_SIZE;
    else if (h->has_length)
        h->state = h->left ? RF_HTTP1_IN_BODY : RF_HTTP1_AT_END;
    else
        h->state = RF_HTTP1_IN_REST;
    h->closes = h->closes || h->state == RF_HTTP1_IN_REST;
    return RF_HTTP1_MORE;
}

/* Chunks */

/* "1a", and an extension may stand after it, which means nothing to us. */
static enum rf_http1_item chunk_size(struct rf_http1 *h, struct rf_str line)
{
    uint64_t size = 0;
    size_t n = 0;
    for (; n < line.n && rf_hex_digit(line.p[n]) >= 0; n++) {
        if (n == MAX_SIZE_DIGITS)
            return broken(h, "the answer has a chunk that is too large");
        size = size << 4 | (unsigned)rf_hex_digit(line.p[n]);
    }
    if (!n || (n < line.n && line.p[n] != ';' && line.p[n] != ' ' && line.p[n] != '\t'))
        return broken(h, "the answer has a chunk without a size");
    h->left = size;
    h->state = size ? RF_HTTP1_IN_CHUNK : RF_HTTP1_IN_TRAILER;
    return RF_HTTP1_MORE;
}

static enum rf_http1_item chunk_end(struct rf_http1 *h, struct rf_str line)
{
    if (line.n)
        return broken(h, "the answer has a chunk that is longer than its size");
    h->state = RF_HTTP1_IN_CHUNK_SIZE;
    return RF_HTTP1_MORE;
}

/* Bodies */

static enum rf_http1_item take_bytes(struct rf_http1 *h, struct rf_str *in,
                                     struct rf_http1_said *out)
{
    size_t n = in->n;
    if (h->state != RF_HTTP1_IN_REST) {
        n = h->left < n ? (size_t)h->left : n;
        h->left -= n;
        if (!h->left)
            h->state = h->state == RF_HTTP1_IN_CHUNK ? RF_HTTP1_IN_CHUNK_END : RF_HTTP1_AT_END;
    }
    out->bytes = (struct rf_str){ in->p, n };
    *in = (struct rf_str){ in->p + n, in->n - n };
    return RF_HTTP1_BYTES;
}

static enum rf_http1_item take_whole_line(struct rf_http1 *h, struct rf_str line,
                                          struct rf_http1_said *out)
{
    if (h->state == RF_HTTP1_IN_STATUS)
        return status_line(h, line);
    if (h->state == RF_HTTP1_IN_CHUNK_SIZE)
        return chunk_size(h, line);
    if (h->state == RF_HTTP1_IN_CHUNK_END)
        return chunk_end(h, line);
    if (line.n)
        return header_line(h, line, out);
    if (h->state == RF_HTTP1_IN_HEAD)
        return end_of_head(h);
    h->state = RF_HTTP1_AT_END;
    return RF_HTTP1_MORE;
}

/* MORE: there is nothing to tell, whether input is left or not. */
static enum rf_http1_item step(struct rf_http1 *h, struct rf_str *in, struct rf_http1_said *out)
{
    struct rf_str line;
    switch (h->state) {
    case RF_HTTP1_IN_BODY:
    case RF_HTTP1_IN_REST:
    case RF_HTTP1_IN_CHUNK:
        return take_bytes(h, in, out);
    case RF_HTTP1_IN_STATUS:
    case RF_HTTP1_IN_HEAD:
    case RF_HTTP1_IN_CHUNK_SIZE:
    case RF_HTTP1_IN_CHUNK_END:
    case RF_HTTP1_IN_TRAILER:
        return take_line(h, in, &line) ? take_whole_line(h, line, out) : RF_HTTP1_MORE;
    case RF_HTTP1_AT_END:
    case RF_HTTP1_AT_FAULT:
        break;
    }
    return RF_HTTP1_MORE;
}

enum rf_http1_item rf_http1_next(struct rf_http1 *h, struct rf_str *input,
                                 struct rf_http1_said *out)
{
    for (;;) {
        if (h->state == RF_HTTP1_AT_END)
            return RF_HTTP1_END;
        if (h->state == RF_HTTP1_AT_FAULT)
            return RF_HTTP1_BROKEN;
        if (!input->n)
            return RF_HTTP1_MORE;
        enum rf_http1_item item = step(h, input, out);
        if (item != RF_HTTP1_MORE)
            return item;
    }
}

/* Half a head that says nothing of a body is an answer without one, as it is to libcurl. */
static bool ends_with_connection(const struct rf_http1 *h)
{
    return h->state == RF_HTTP1_IN_REST || h->state == RF_HTTP1_AT_END ||
           (h->state == RF_HTTP1_IN_HEAD && h->status >= 200 && !h->has_length && !h->chunked);
}

enum rf_http1_item rf_http1_close(struct rf_http1 *h)
{
    if (ends_with_connection(h)) {
        h->state = RF_HTTP1_AT_END;
        h->closes = true;
        return RF_HTTP1_END;
    }
    return h->state == RF_HTTP1_AT_FAULT
               ? RF_HTTP1_BROKEN
               : broken(h, "transfer closed with outstanding read data remaining");
}

bool rf_http1_keeps(const struct rf_http1 *h)
{
    return h->state == RF_HTTP1_AT_END && !h->old && !h->closes;
}
