/* What is wrong with a head. The library has parsed it, and is lenient: it takes the first of two
 * lengths, and lets a chunked body win over a length. A proxy before us may do otherwise, and then
 * the rest of one request is to us the beginning of another. So whatever can be understood in two
 * ways is refused, and so is what has no place in a head. */
#include "httpd/inside.h"

#define MOST_HEADERS 100

/* These make sense once only. */
static const char *const single[] = { "authorization",    "content-length", "content-type",
                                      "expect",           "host",           "origin",
                                      "transfer-encoding" };
#define SINGLES (sizeof single / sizeof *single)

struct head {
    size_t count;
    const char *values[SINGLES]; /* in the order of `single` */
    int status;
    const char *why;
};

static bool is_token(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!rf_is_alnum(s[i]) && (!s[i] || !strchr("!#$%&'*+-.^_`|~", s[i])))
            return false;
    return n > 0;
}

static bool is_value(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (((unsigned char)s[i] < ' ' && s[i] != '\t') || s[i] == 0x7f)
            return false;
    return true;
}

static bool is_target(const char *s)
{
    if (*s != '/')
        return false;
    while (*s > ' ' && *s < 0x7f)
        s++;
    return !*s;
}

static enum MHD_Result stop(struct head *h, int status, const char *why)
{
    h->status = status;
    h->why = why;
    return MHD_NO;
}

static enum MHD_Result take(void *ctx, enum MHD_ValueKind kind, const char *name, size_t name_n,
                            const char *value, size_t value_n)
{
    struct head *h = ctx;
    (void)kind;
    if (++h->count > MOST_HEADERS)
        return stop(h, 431, "the request has more than 100 headers");
    if (!is_token(name, name_n))
        return stop(h, 400, "the name of a header has a character that it must not have");
    if (value && !is_value(value, value_n))
        return stop(h, 400, "a header has a control character");
    for (size_t i = 0; i < SINGLES; i++)
        if (rf_str_ieq((struct rf_str){ name, name_n }, rf_str(single[i]))) {
            if (h->values[i])
                return stop(h, 400, "a header that may be there once is there twice");
            h->values[i] = value ? value : "";
        }
    return MHD_YES;
}

static const char *value_of(const struct head *h, const char *name)
{
    for (size_t i = 0; i < SINGLES; i++)
        if (strcmp(single[i], name) == 0)
            return h->values[i];
    RF_BUG("not a header that is looked at");
}

static bool is_number(const char *s)
{
    return *s && strspn(s, "0123456789") == strlen(s);
}

static const char *length_fault(const struct head *h, bool old)
{
    const char *length = value_of(h, "content-length"), *coding = value_of(h, "transfer-encoding");
    if (length && coding)
        return "the request has both a Content-Length and a Transfer-Encoding";
    if (length && !is_number(length))
        return "the Content-Length is not a number";
    if (coding && (old || !rf_str_ieq(rf_str(coding), RF_STR("chunked"))))
        return "the Transfer-Encoding is not \"chunked\", the only one that is taken";
    return NULL;
}

int rf_head_fault(struct rf_connection *c, const char *version, const char **why)
{
    struct head h = { 0 };
    bool old = strcmp(version, "HTTP/1.1") != 0;
    size_t size = rf_mhd.get_connection_info(c->library, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)
                      ->header_size;
    if (size > c->server->options.max_head)
        stop(&h, 431, "the head of the request is too long");
    else if (!c->now.uri || !is_target(c->now.uri))
        stop(&h, 400, "what is asked for must be a path, which begins with a '/'");
    else
        rf_mhd.get_connection_values_n(c->library, MHD_HEADER_KIND, take, &h);
    const char *fault = h.status ? NULL : length_fault(&h, old);
    if (fault)
        stop(&h, 400, fault);
    else if (!h.status && !old && !value_of(&h, "host"))
        stop(&h, 400, "the request has no Host");
    *why = h.why;
    const char *length = h.status ? NULL : value_of(&h, "content-length");
    c->now.has_body = h.status || value_of(&h, "transfer-encoding") ||
                      (length && strspn(length, "0") != strlen(length));
    return h.status;
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

bool rf_httpd_names_loopback(struct rf_str host)
{
    return rf_str_ieq(host, RF_STR("localhost")) || rf_str_is(host, "127.0.0.1") ||
           rf_str_is(host, "::1");
}
