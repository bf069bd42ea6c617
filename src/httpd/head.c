/* The head of a request: its first line and its headers, cut apart in one copy of it, and judged.
 *
 * What two servers could understand as two different requests is refused, not repaired: lines that
 * do not end in CR LF or go on in the next one, a name with a space after it, control characters, a
 * length that is there twice or beside chunks, another version. */
#include "httpd/inside.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <strings.h>

#define MOST_HEADERS 100

/* These make sense once only. */
enum single { AUTHORIZATION, LENGTH, TYPE, EXPECT, HOST, ORIGIN, CODING, SINGLES };
static const char *const single[SINGLES] = {
    [AUTHORIZATION] = "authorization",
    [LENGTH] = "content-length",
    [TYPE] = "content-type",
    [EXPECT] = "expect",
    [HOST] = "host",
    [ORIGIN] = "origin",
    [CODING] = "transfer-encoding",
};

static void refuse(struct rf_head *h, int status, const char *why)
{
    if (h->status)
        return;
    h->status = status;
    h->why = why;
}

/* Letters, digits and !#$%&'*+-.^_`|~, a bit each. */
static bool is_token(struct rf_str s)
{
    static const uint64_t tokens[4] = { 0x03ff6cfa00000000, 0x57ffffffc7fffffe };
    for (size_t i = 0; i < s.n; i++)
        if (!(tokens[(unsigned char)s.p[i] >> 6] >> (s.p[i] & 63) & 1))
            return false;
    return s.n > 0;
}

static bool is_value(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (((unsigned char)s.p[i] < ' ' && s.p[i] != '\t') || s.p[i] == 0x7f)
            return false;
    return true;
}

static bool is_target(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= ' ' || s.p[i] >= 0x7f)
            return false;
    return s.n && s.p[0] == '/';
}

/* A line without its end, which becomes a NUL; false: there is none. */
static bool next_line(struct rf_head *h, struct rf_str *rest, struct rf_str *line)
{
    char *end = memchr(rest->p, '\n', rest->n);
    if (!end)
        return false;
    *line = (struct rf_str){ rest->p, (size_t)(end - rest->p) };
    rest->n -= line->n + 1;
    rest->p = end + 1;
    if (line->n && line->p[line->n - 1] == '\r')
        line->n--;
    else
        refuse(h, 400, "a line of the head does not end in CR LF");
    h->text[line->p + line->n - h->text] = '\0';
    return true;
}

static void take_version(struct rf_head *h, struct rf_str version)
{
    h->old = rf_str_is(version, "HTTP/1.0");
    if (h->old || rf_str_is(version, "HTTP/1.1"))
        return;
    if (rf_str_starts(version, "HTTP/"))
        refuse(h, 505, "the version is not HTTP/1.1");
    else
        refuse(h, 400, "the first line is not that of a request: METHOD PATH HTTP/1.1");
}

static void take_first_line(struct rf_head *h, struct rf_str line)
{
    struct rf_str rest = line, method, target;
    if (!rf_str_split(&rest, ' ', &method) || !is_token(method) ||
        !rf_str_split(&rest, ' ', &target)) {
        refuse(h, 400, "the first line is not that of a request: METHOD PATH HTTP/1.1");
        return;
    }
    h->method = method;
    take_version(h, rest);
    if (!is_target(target)) {
        refuse(h, 400, "what is asked for must be a path, which begins with a '/'");
        return;
    }
    const char *mark = memchr(target.p, '?', target.n);
    size_t n = mark ? (size_t)(mark - target.p) : target.n;
    h->path = (struct rf_str){ target.p, n };
    h->query = mark ? (struct rf_str){ mark + 1, target.n - n - 1 } : RF_STR("");
}

/* Most names differ in their first letters. */
static bool is_named(const struct rf_httpd_header *header, const char *name)
{
    return (header->name[0] | 0x20) == (name[0] | 0x20) && strcasecmp(header->name, name) == 0;
}

static void note_single(struct rf_head *h, const struct rf_httpd_header *header,
                        const char *values[SINGLES])
{
    for (size_t i = 0; i < SINGLES; i++) {
        if (!is_named(header, single[i]))
            continue;
        if (values[i])
            refuse(h, 400, "a header that may be there once is there twice");
        values[i] = header->value;
    }
}

static void note_connection(struct rf_head *h, const struct rf_httpd_header *header)
{
    struct rf_str rest = rf_str(header->value), word;
    if (!is_named(header, "connection"))
        return;
    while (rf_str_split(&rest, ',', &word))
        h->closes |= rf_str_ieq(rf_str_trim(word), RF_STR("close"));
}

static void take_header(struct rf_head *h, struct rf_str line, const char *values[SINGLES])
{
    const char *colon = memchr(line.p, ':', line.n);
    struct rf_str name = { line.p, colon ? (size_t)(colon - line.p) : 0 };
    struct rf_str value = { line.p + name.n + 1, line.n - name.n - 1 };
    if (h->count == MOST_HEADERS) {
        refuse(h, 431, "the request has more than 100 headers");
    } else if (line.p[0] == ' ' || line.p[0] == '\t') {
        refuse(h, 400, "a header goes on in a second line");
    } else if (!colon || !is_token(name)) {
        refuse(h, 400, "the name of a header has a character that it must not have");
    } else if (!is_value(value)) {
        refuse(h, 400, "a header has a control character");
    } else {
        value = rf_str_trim(value);
        h->text[name.p + name.n - h->text] = '\0';
        h->text[value.p + value.n - h->text] = '\0';
        struct rf_httpd_header *header = &h->headers[h->count++];
        *header = (struct rf_httpd_header){ name.p, value.p };
        note_single(h, header, values);
        note_connection(h, header);
    }
}

static void take_length(struct rf_head *h, const char *digits)
{
    int64_t n = 0;
    if (!digits)
        return;
    if (!*digits || strspn(digits, "0123456789") != strlen(digits))
        refuse(h, 400, "the Content-Length is not a number");
    else if (!rf_str_int64(rf_str(digits), &n))
        refuse(h, 413, "the Content-Length is larger than any body that is taken");
    else
        h->length = (uint64_t)n;
}

static void judge(struct rf_head *h, const char *const values[SINGLES])
{
    const char *coding = values[CODING], *expected = values[EXPECT];
    if (values[LENGTH] && coding)
        refuse(h, 400, "the request has both a Content-Length and a Transfer-Encoding");
    take_length(h, values[LENGTH]);
    if (coding && (h->old || strcasecmp(coding, "chunked") != 0))
        refuse(h, 400, "the Transfer-Encoding is not \"chunked\", the only one that is taken");
    if (!h->old && !values[HOST])
        refuse(h, 400, "the request has no Host");
    if (expected && !h->old && strcasecmp(expected, "100-continue") != 0)
        refuse(h, 417, "the only thing that can be expected is \"100-continue\"");
    h->chunked = coding != NULL;
    h->has_body = h->chunked || h->length > 0;
    h->expects = expected && !h->old && h->has_body;
    h->closes |= h->old;
}

/* One for each line but the first and the last, as long as they are taken. */
static size_t count_headers(struct rf_str bytes)
{
    size_t lines = 0;
    for (const char *p = bytes.p, *end = p + bytes.n;
         lines < MOST_HEADERS && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        lines++;
    return lines;
}

void rf_head_parse(struct rf_str bytes, struct rf_head *h)
{
    const char *values[SINGLES] = { 0 };
    size_t table = count_headers(bytes) * sizeof *h->headers;
    *h = (struct rf_head){ .path = RF_STR("/"), .query = RF_STR(""), .method = RF_STR("") };
    h->headers = malloc(table + bytes.n + 1);
    if (!h->headers)
        RF_NO_MEMORY();
    h->text = (char *)h->headers + table;
    memcpy(h->text, bytes.p, bytes.n);
    h->text[bytes.n] = '\0';
    struct rf_str rest = { h->text, bytes.n }, line;
    if (next_line(h, &rest, &line))
        take_first_line(h, line);
    while (!h->status && next_line(h, &rest, &line) && line.n)
        take_header(h, line, values);
    if (!h->status)
        judge(h, values);
}

void rf_head_release(struct rf_head *h)
{
    free(h->headers);
    *h = (struct rf_head){ 0 };
}

size_t rf_head_end(struct rf_str bytes, size_t looked)
{
    size_t at = looked > 2 ? looked - 2 : 0; /* the end may have begun before */
    const char *p;
    while (at < bytes.n && (p = memchr(bytes.p + at, '\n', bytes.n - at))) {
        at = (size_t)(p - bytes.p) + 1;
        size_t next = at + (at < bytes.n && bytes.p[at] == '\r');
        if (next < bytes.n && bytes.p[next] == '\n')
            return next + 1;
    }
    return 0;
}

const char *rf_head_value(const struct rf_head *h, const char *name)
{
    for (size_t i = 0; i < h->count; i++)
        if (is_named(&h->headers[i], name))
            return h->headers[i].value;
    return NULL;
}

bool rf_httpd_split_host(struct rf_str s, struct rf_str *host, struct rf_str *port)
{
    bool brackets = s.n && s.p[0] == '[';
    const char *end = memchr(s.p, brackets ? ']' : ':', s.n);
    size_t n = end ? (size_t)(end - s.p) : s.n, after = n + brackets;
    *host = (struct rf_str){ s.p + brackets, n - brackets };
    *port = RF_STR("");
    if ((brackets && !end) || (after < s.n && s.p[after] != ':'))
        return false;
    if (after < s.n)
        *port = (struct rf_str){ s.p + after + 1, s.n - after - 1 };
    for (size_t i = 0; i < port->n; i++)
        if (!rf_is_digit(port->p[i]))
            return false;
    return true;
}

/* All of 127.0.0.0/8; "127.example" is a name. */
static bool is_loopback_number(struct rf_str host)
{
    char text[INET_ADDRSTRLEN];
    struct in_addr address;
    if (host.n >= sizeof text)
        return false;
    memcpy(text, host.p, host.n);
    text[host.n] = '\0';
    return inet_pton(AF_INET, text, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

bool rf_httpd_names_loopback(struct rf_str host)
{
    return rf_str_ieq(host, RF_STR("localhost")) || is_loopback_number(host) ||
           rf_str_is(host, "::1");
}
