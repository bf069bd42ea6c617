/* Who may come in, and whether headers say what the body says.
 *
 * A page in a browser can send requests to this machine, and by making its own name stand for
 * 127.0.0.1 even read the answers. It cannot hide where it comes from: so an Origin or a Host that
 * is not ours is turned away, whoever else is let in. */
#include "mcp/server/http.h"

#include "base/base64.h"

#include <arpa/inet.h>

static bool is_listed(struct rf_str value, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rf_str_ieq(value, rf_str(list[i])))
            return true;
    return false;
}

/* Pages that play tricks with names come by one. */
static bool is_number(struct rf_str host)
{
    char text[64];
    struct in6_addr at;
    if (host.n >= sizeof text)
        return false;
    memcpy(text, host.p, host.n);
    text[host.n] = '\0';
    return inet_pton(AF_INET, text, &at) == 1 || inet_pton(AF_INET6, text, &at) == 1;
}

static bool is_our_host(const struct rf_mcp_http *h, const char *header)
{
    struct rf_str all = rf_str(header), host, ours, port;
    return rf_httpd_split_host(all, &host, &port) &&
           (rf_httpd_names_loopback(host) || (h->outside && is_number(host)) ||
            (rf_httpd_split_host(rf_str(rf_httpd_address(h->httpd, 0)), &ours, &port) &&
             rf_str_ieq(host, ours)) ||
            is_listed(host, h->options->hosts, h->options->host_count) ||
            is_listed(all, h->options->hosts, h->options->host_count));
}

/* Another port of this machine is somebody else: a page that a cloned project serves. */
static bool is_our_origin(const struct rf_mcp_http *h, const char *header)
{
    struct rf_str all = rf_str(header), host, port, ours, our_port;
    if (is_listed(all, h->options->origins, h->options->origin_count))
        return true;
    return rf_str_starts(all, "http://") &&
           rf_httpd_split_host((struct rf_str){ all.p + 7, all.n - 7 }, &host, &port) &&
           rf_httpd_names_loopback(host) &&
           rf_httpd_split_host(rf_str(rf_httpd_address(h->httpd, 0)), &ours, &our_port) &&
           rf_str_eq(port.n ? port : RF_STR("80"), our_port);
}

/* In a time that tells nothing about the token but its length. */
static bool is_token(const char *token, const char *header)
{
    struct rf_str given = rf_str(header);
    if (given.n < 7 || !rf_str_ieq((struct rf_str){ given.p, 7 }, RF_STR("Bearer ")))
        return false;
    given = rf_str_trim((struct rf_str){ given.p + 7, given.n - 7 });
    size_t n = strlen(token);
    unsigned differs = given.n != n;
    for (size_t i = 0; i < given.n; i++)
        differs |= (unsigned char)given.p[i] ^ (unsigned char)token[i % n];
    return !differs;
}

int rf_mcp_http_gate(struct rf_mcp_http *h, struct rf_mcp_exchange *p, const char **why)
{
    const struct rf_httpd_request *r = p->request;
    const char *host = rf_httpd_header(r, "Host"), *origin = rf_httpd_header(r, "Origin");
    const char *given = rf_httpd_header(r, "Authorization");
    *why = "this Host is not served here; refract mcp --allow-host DOMAIN lets one in";
    if (!host || !is_our_host(h, host))
        return 403;
    *why = "pages of this Origin may not ask here; refract mcp --allow-origin ORIGIN lets them";
    if (origin && !is_our_origin(h, origin))
        return 403;
    p->origin = origin;
    *why = "the endpoint is /mcp";
    if (!rf_str_is(r->path, "/mcp"))
        return 404;
    *why = "a bearer token is needed, that of --token-file: Authorization: Bearer TOKEN";
    if (h->options->token && !rf_str_is(r->method, "OPTIONS") &&
        !is_token(h->options->token, given ? given : ""))
        return 401;
    return 0;
}

bool rf_mcp_http_accepts(const struct rf_httpd_request *r, const char *type)
{
    const char *header = rf_httpd_header(r, "Accept");
    struct rf_str rest = rf_str(header), piece;
    if (!header)
        return true;
    while (rf_str_split(&rest, ',', &piece)) {
        struct rf_str name;
        if (!rf_str_split(&piece, ';', &name))
            continue;
        name = rf_str_trim(name);
        if (rf_str_is(name, "*/*") || rf_str_ieq(name, rf_str(type)) ||
            (name.n > 2 && rf_glob(name, rf_str(type))))
            return true;
    }
    return false;
}

/* What cannot stand in a header is sent as =?base64?…?=. False: it cannot be decoded. */
static bool unwrap(struct rf_str *value, struct rf_arena *a)
{
    static const char open[] = "=?base64?";
    size_t n;
    if (!rf_str_starts(*value, open) || !rf_str_ends(*value, "?=") || value->n < sizeof open + 1)
        return true;
    struct rf_str text = { value->p + sizeof open - 1, value->n - sizeof open - 1 };
    if (!rf_base64_decoded_length(text.p, text.n, &n))
        return false;
    char *out = rf_arena_alloc(a, n + 1);
    *value = (struct rf_str){ out, n };
    return rf_base64_decode(text.p, text.n, out);
}

static bool says(const struct rf_httpd_request *r, const char *header, struct rf_str want,
                 struct rf_arena *a)
{
    struct rf_str value = rf_str_trim(rf_str(rf_httpd_header(r, header)));
    return value.n && unwrap(&value, a) && rf_str_eq(value, want);
}

const char *rf_mcp_http_mirror_fault(const struct rf_httpd_request *r, const struct rf_rpc *m,
                                     struct rf_arena *a)
{
    static const struct {
        const char *method, *member;
    } named[] = { { "tools/call", "name" },
                  { "prompts/get", "name" },
                  { "resources/read", "uri" } };
    const struct rf_jval *version = rf_mcp_meta_get(m, RF_MCP_META_VERSION);
    if (!rf_httpd_header(r, "MCP-Protocol-Version"))
        return "the header MCP-Protocol-Version is missing";
    if (version && version->type == RF_JSTRING &&
        !says(r, "MCP-Protocol-Version", rf_jval_text(version, a), a))
        return "the header MCP-Protocol-Version does not say what _meta says";
    if (!says(r, "Mcp-Method", m->method, a))
        return "the header Mcp-Method is missing, or does not say what the body says";
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        const struct rf_jval *name =
            rf_str_is(m->method, named[i].method) ? rf_jval_get(m->params, named[i].member) : NULL;
        if (name && name->type == RF_JSTRING && !says(r, "Mcp-Name", rf_jval_text(name, a), a))
            return "the header Mcp-Name is missing, or does not say what the body says";
    }
    return NULL;
}
