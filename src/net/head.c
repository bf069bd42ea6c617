/* The lines, their order and their defaults are those of libcurl: it makes no difference to a
 * server which of the two asks. */
#include "net/head.h"

#include "base/buf.h"
#include "base/num.h"

#include <refract/version.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#define MAX_HEADER_BYTES ((size_t)64 << 10)
#define MAX_HEAD_BYTES ((size_t)1 << 20)
#define MAX_PORT 65535

/* Where it goes. */

static bool is_host_byte(char c)
{
    return rf_is_alnum((unsigned char)c) || c == '.' || c == '-' || c == '_';
}

/* "127.1" and "0x7f.1" are addresses, too, which libcurl writes out. */
static bool is_usual_host(struct rf_str host)
{
    struct in_addr v4;
    char text[INET_ADDRSTRLEN];
    for (size_t i = 0; i < host.n; i++)
        if (!is_host_byte(host.p[i]))
            return false;
    struct rf_str last = rf_str_behind(host, '.');
    if (!last.n || !rf_is_digit(last.p[0]))
        return last.n > 0;
    if (host.n >= sizeof text)
        return false;
    memcpy(text, host.p, host.n);
    text[host.n] = '\0';
    return inet_pton(AF_INET, text, &v4) == 1;
}

static bool is_port(struct rf_str port)
{
    int64_t n;
    return port.n && rf_is_digit(port.p[0]) && port.p[0] != '0' && rf_str_int64(port, &n) &&
           n <= MAX_PORT;
}

static bool is_usual_authority(struct rf_str authority)
{
    struct rf_str rest = authority, host;
    if (!rf_str_split(&rest, ':', &host) || !is_usual_host(host))
        return false;
    return host.n == authority.n || is_port(rest);
}

static bool is_usual_target(struct rf_str target)
{
    for (size_t i = 0; i < target.n; i++) {
        char c = target.p[i];
        if (c <= ' ' || c > '~' || c == '#' || c == '\\')
            return false;
        if (c == '/' && i + 1 < target.n && target.p[i + 1] == '.')
            return false;
    }
    return !target.n || target.p[0] == '/';
}

bool rf_web_place_read(const char *url, struct rf_web_place *out)
{
    static const char scheme[] = "http://";
    if (strncmp(url, scheme, sizeof scheme - 1) != 0)
        return false;
    const char *at = url + sizeof scheme - 1;
    out->authority = (struct rf_str){ at, strcspn(at, "/?#") };
    out->target = rf_str(at + out->authority.n);
    return is_usual_authority(out->authority) && is_usual_target(out->target);
}

/* What may be said. */

static const struct rf_str not_ours[] = {
    RF_STR_INIT("connection"),
    RF_STR_INIT("content-length"),
    RF_STR_INIT("expect"),
    RF_STR_INIT("keep-alive"),
    RF_STR_INIT("te"),
    RF_STR_INIT("trailer"),
    RF_STR_INIT("upgrade"),
    RF_STR_INIT("transfer-encoding"),
    RF_STR_INIT("http2-settings"),
};

static bool is_token(const char *s)
{
    for (const char *p = s; *p; p++)
        if (!rf_is_alnum((unsigned char)*p))
            return false;
    return *s != '\0';
}

bool rf_head_fits(const struct rf_net_call *c)
{
    for (size_t i = 0; i < c->header_count; i++)
        for (size_t j = 0; j < sizeof not_ours / sizeof *not_ours; j++)
            if (rf_str_ieq(c->headers[i].name, not_ours[j]))
                return false;
    return !c->method || (is_token(c->method) && !(c->body && strcmp(c->method, "HEAD") == 0));
}

static bool is_one_line(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\r' || s.p[i] == '\n' || s.p[i] == '\0')
            return false;
    return true;
}

enum rf_code rf_header_check(const struct rf_header *h, struct rf_err *err)
{
    struct rf_str name = h->name;
    if (name.n && name.n < MAX_HEADER_BYTES && h->value.n < MAX_HEADER_BYTES - name.n - 1 &&
        !memchr(name.p, ':', name.n) && is_one_line(name) && is_one_line(h->value))
        return RF_OK;
    rf_fail(err, RF_EUSAGE, "the header \"%.*s\" cannot be sent", RF_FMT(name));
    rf_hint(err, "A header is one line; a key that was read from a file may end in a line feed.");
    return RF_EUSAGE;
}

/* Its lines. */

static void add_line(struct rf_buf *b, struct rf_str name, struct rf_str value)
{
    rf_buf_add(b, name);
    rf_buf_add(b, value.n ? RF_STR(": ") : RF_STR(":"));
    rf_buf_add(b, value);
    rf_buf_add(b, RF_STR("\r\n"));
}

static bool says(const struct rf_net_call *c, struct rf_str name)
{
    for (size_t i = 0; i < c->header_count; i++)
        if (rf_str_ieq(c->headers[i].name, name))
            return true;
    return false;
}

/* Unless the caller says it. */
static void add_usual(struct rf_buf *b, const struct rf_net_call *c, struct rf_str name,
                      struct rf_str value)
{
    if (!says(c, name))
        add_line(b, name, value);
}

static struct rf_str host_header(struct rf_str authority)
{
    if (rf_str_ends(authority, ":80"))
        authority.n -= 3;
    return authority;
}

enum rf_code rf_head_write(const struct rf_net_call *c, const struct rf_web_place *place,
                           struct rf_arena *a, struct rf_str *out, struct rf_err *err)
{
    struct rf_buf b;
    rf_buf_init(&b, a, MAX_HEAD_BYTES);
    rf_buf_add(&b, rf_str(c->method ? c->method : c->body ? "POST" : "GET"));
    rf_buf_addc(&b, ' ');
    rf_buf_add(&b, place->target.n ? place->target : RF_STR("/"));
    rf_buf_add(&b, RF_STR(" HTTP/1.1\r\n"));
    add_usual(&b, c, RF_STR("Host"), host_header(place->authority));
    add_usual(&b, c, RF_STR("User-Agent"), RF_STR("refract/" RF_VERSION));
    add_usual(&b, c, RF_STR("Accept"), RF_STR("*/*"));
    for (size_t i = 0; i < c->header_count; i++) {
        enum rf_code rc = rf_header_check(&c->headers[i], err);
        if (rc)
            return rc;
        add_line(&b, c->headers[i].name, c->headers[i].value);
    }
    if (c->body) {
        char room[RF_NUM_ROOM];
        add_line(&b, RF_STR("Content-Length"), rf_num_text(c->body->length, room));
        add_usual(&b, c, RF_STR("Content-Type"), RF_STR("application/x-www-form-urlencoded"));
    }
    rf_buf_add(&b, RF_STR("\r\n"));
    return rf_buf_finish(&b, out, err);
}
