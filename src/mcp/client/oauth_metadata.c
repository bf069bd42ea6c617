#include "mcp/client/oauth_metadata.h"

#include "base/arena.h"
#include "base/buf.h"
#include "mcp/client/oauth.h"
#include "net/proxy.h"

#define MAX_ANSWER ((size_t)1 << 20)
#define MAX_SCOPES 4096
#define ANSWER_MS 30000
#define RESOURCE_PLACE "/.well-known/oauth-protected-resource"
#define OAUTH_PLACE "/.well-known/oauth-authorization-server"
#define OPENID_PLACE "/.well-known/openid-configuration"

/* Addresses. */

struct address {
    struct rf_str origin; /* scheme://host:port */
    struct rf_str path;   /* begins with "/", does not end in one; or empty */
};

static bool is_plain(struct rf_str url)
{
    return rf_str_starts(url, "http://");
}

static bool read_address(struct rf_str url, struct address *out)
{
    size_t scheme = is_plain(url) ? 7 : rf_str_starts(url, "https://") ? 8 : 0, i = scheme;
    for (size_t k = 0; k < url.n; k++)
        if (url.p[k] <= 0x20 || url.p[k] >= 0x7f || strchr("\"\\<>", url.p[k]))
            return false;
    while (i < url.n && !strchr("/?#", url.p[i]))
        i++;
    out->origin = (struct rf_str){ url.p, i };
    if (!scheme || i == scheme || memchr(url.p, '@', i))
        return false;
    size_t end = i;
    while (end < url.n && !strchr("?#", url.p[end]))
        end++;
    while (end > i && url.p[end - 1] == '/')
        end--;
    out->path = (struct rf_str){ url.p + i, end - i };
    return true;
}

struct rf_str rf_oauth_host(struct rf_str url)
{
    struct address at;
    if (!read_address(url, &at))
        return (struct rf_str){ 0 };
    size_t scheme = is_plain(url) ? 7 : 8;
    return (struct rf_str){ at.origin.p + scheme, at.origin.n - scheme };
}

bool rf_oauth_is_resource(struct rf_str resource, struct rf_str server)
{
    struct address r, s;
    if (!read_address(resource, &r) || !read_address(server, &s) ||
        !rf_str_ieq(r.origin, s.origin) || memchr(resource.p, '#', resource.n))
        return false;
    if (s.path.n < r.path.n || memcmp(s.path.p, r.path.p, r.path.n) != 0)
        return false;
    return s.path.n == r.path.n || s.path.p[r.path.n] == '/';
}

enum rf_code rf_oauth_may_use(const struct rf_oauth_web *w, struct rf_str url, struct rf_err *err)
{
    struct address unused;
    if (!read_address(url, &unused))
        return rf_fail(err, RF_EPERMISSION, "\"%.*s\" is not a web address", RF_FMT(url));
    if (is_plain(url) && !w->plain)
        return rf_fail(err, RF_EPERMISSION, "\"%.*s\" is not encrypted (https), the server is",
                       RF_FMT(url));
    return RF_OK;
}

/* Calls. */

struct asking {
    struct rf_buf text;
    enum rf_ring ring;
};

static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct asking *k = ctx;
    rf_buf_add(&k->text, bytes);
    return !k->text.full;
}

static bool may_connect(void *ctx, const void *address)
{
    const struct asking *k = ctx;
    return rf_ring_of(address) <= k->ring;
}

static bool is_named_by_person(const struct rf_oauth_web *w, struct rf_str url)
{
    struct address at, issuer;
    return read_address(url, &at) && read_address(w->issuer, &issuer) &&
           rf_str_ieq(at.origin, issuer.origin);
}

static enum rf_code call(const struct rf_oauth_web *w, struct rf_net_call *c, struct asking *k,
                         int *status, struct rf_err *err)
{
    struct rf_net_reply reply;
    c->total_ms = ANSWER_MS;
    c->cancel_fd = w->stop_fd;
    c->bytes = take_bytes;
    c->ctx = k;
    c->plain_proxy = w->plain_proxy;
    /* A proxy connects to what it thinks right. */
    if (!is_named_by_person(w, rf_str(c->url)) && !rf_proxy_of(c->url, w->arena))
        c->may_connect = may_connect;
    enum rf_code rc = rf_net_call(w->net, c, w->arena, &reply, err);
    if (rc == RF_EPERMISSION)
        rf_fail(err, rc, "\"%.*s\" is in a private network or on this machine, the server is not",
                RF_FMT(rf_oauth_host(rf_str(c->url))));
    if (!rc)
        *status = reply.status;
    return rc;
}

enum rf_code rf_oauth_ask(const struct rf_oauth_web *w, const char *url,
                          const struct rf_header *headers, size_t count, const struct rf_rope *body,
                          struct rf_oauth_answer *out, struct rf_err *err)
{
    struct rf_net_call c = { .url = url, .headers = headers, .header_count = count, .body = body };
    struct asking k = { .ring = w->ring };
    const struct rf_jval *root = NULL;
    int status;
    enum rf_code rc = rf_oauth_may_use(w, rf_str(url), err);
    rf_buf_init(&k.text, w->arena, MAX_ANSWER);
    if (!rc)
        rc = call(w, &c, &k, &status, err);
    if (rc)
        return rc;
    struct rf_str json = { k.text.n ? k.text.p : "", k.text.n };
    if (rf_jval_parse(json, w->arena, &root, NULL) || rf_jval_type(root) != RF_JOBJECT)
        root = NULL;
    *out = (struct rf_oauth_answer){ status, root };
    return RF_OK;
}

/* A description; NULL where there is none at that address. */
static enum rf_code look(const struct rf_oauth_web *w, struct rf_str url,
                         const struct rf_jval **out, struct rf_err *err)
{
    const struct rf_header accept = { RF_STR("Accept"), RF_STR("application/json") };
    struct rf_oauth_answer answer;
    enum rf_code rc = rf_oauth_ask(w, rf_cstr(w->arena, url), &accept, 1, NULL, &answer, err);
    if (!rc)
        *out = answer.status == 200 ? answer.json : NULL;
    return rc;
}

static struct rf_str place(struct rf_arena *a, struct rf_str origin, const char *known,
                           struct rf_str path)
{
    return rf_strf(a, "%.*s%s%.*s", RF_FMT(origin), known, RF_FMT(path));
}

/* The server of MCP. */

bool rf_oauth_lists(const struct rf_jval *list, const char *text)
{
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        if (rf_jval_is(v, text))
            return true;
    return false;
}

static struct rf_str text_of(const struct rf_jval *object, const char *name, struct rf_arena *a)
{
    const struct rf_jval *v = rf_jval_get(object, name);
    return rf_jval_type(v) == RF_JSTRING ? rf_jval_text(v, a) : (struct rf_str){ 0 };
}

static struct rf_str scopes_of(const struct rf_jval *list, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str out;
    rf_buf_init(&b, a, MAX_SCOPES);
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        if (v->type != RF_JSTRING)
            continue;
        if (b.n)
            rf_buf_addc(&b, ' ');
        rf_buf_add(&b, rf_jval_text(v, a));
    }
    return rf_buf_finish(&b, &out, NULL) ? (struct rf_str){ 0 } : out;
}

static enum rf_code find_resource(const struct rf_oauth_web *w, const struct address *at,
                                  struct rf_str named, const struct rf_jval **out,
                                  struct rf_err *err)
{
    const struct rf_str root = RF_STR("");
    enum rf_code rc;
    if (named.n) {
        rc = look(w, named, out, err);
        if (!rc && !*out)
            rc = rf_fail(err, RF_EPROVIDER, "the server is not described at \"%.*s\"",
                         RF_FMT(named));
        return rc;
    }
    rc = look(w, place(w->arena, at->origin, RESOURCE_PLACE, at->path), out, err);
    if (!rc && !*out && at->path.n)
        rc = look(w, place(w->arena, at->origin, RESOURCE_PLACE, root), out, err);
    return rc;
}

/* The first that is named, unless it has to be a certain one. */
static enum rf_code choose_issuer(const struct rf_oauth_web *w, const struct rf_jval *list,
                                  struct rf_str issuer, struct rf_str *out, struct rf_err *err)
{
    const struct rf_jval *first = rf_jval_first(list);
    if (rf_jval_type(first) != RF_JSTRING)
        return rf_fail(err, RF_EPROVIDER, "the server names nobody who may allow its use");
    struct rf_str says = rf_jval_text(first, w->arena);
    if (issuer.n && !rf_oauth_lists(list, rf_cstr(w->arena, issuer))) {
        rf_fail(err, RF_EPERMISSION, "the server wants a login at \"%.*s\", and not at \"%.*s\"",
                RF_FMT(says), RF_FMT(issuer));
        rf_hint(err, "If that is right, put it into the server's entry of the configuration: "
                     "oauth: {issuer: ADDRESS}.");
        return RF_EPERMISSION;
    }
    *out = issuer.n ? issuer : says;
    return rf_oauth_may_use(w, *out, err);
}

/* Until 2025-03-26 a server was its own authorization server: so is one that describes nothing. */
static enum rf_code read_resource(const struct rf_oauth_web *w, struct rf_str server,
                                  struct rf_str named, struct rf_str issuer,
                                  struct rf_oauth_metadata *out, struct rf_err *err)
{
    const struct rf_jval *found = NULL;
    struct address at;
    if (!read_address(server, &at))
        return rf_fail(err, RF_EUSAGE, "\"%.*s\" is not a web address", RF_FMT(server));
    enum rf_code rc = find_resource(w, &at, named, &found, err);
    if (rc)
        return rc;
    if (!found) {
        out->guessed = true;
        out->resource = server;
        out->issuer = issuer.n ? issuer : at.origin;
        return RF_OK;
    }
    out->resource = text_of(found, "resource", w->arena);
    out->scopes = scopes_of(rf_jval_get(found, "scopes_supported"), w->arena);
    if (!rf_oauth_is_resource(out->resource, server))
        return rf_fail(err, RF_EPERMISSION, "the server describes itself as \"%.*s\", not \"%.*s\"",
                       RF_FMT(out->resource), RF_FMT(server));
    return choose_issuer(w, rf_jval_get(found, "authorization_servers"), issuer, &out->issuer, err);
}

/* The authorization server. */

static enum rf_code find_issuer(const struct rf_oauth_web *w, struct rf_str issuer,
                                const struct rf_jval **out, struct rf_err *err)
{
    const struct rf_str root = RF_STR("");
    struct address at;
    if (!read_address(issuer, &at))
        return rf_fail(err, RF_EPROVIDER, "\"%.*s\" is not a web address", RF_FMT(issuer));
    enum rf_code rc = look(w, place(w->arena, at.origin, OAUTH_PLACE, at.path), out, err);
    if (!rc && !*out)
        rc = look(w, place(w->arena, at.origin, OPENID_PLACE, at.path), out, err);
    if (!rc && !*out && at.path.n) {
        struct rf_str inside = rf_str_join(w->arena, at.origin, at.path);
        rc = look(w, place(w->arena, inside, OPENID_PLACE, root), out, err);
    }
    return rc;
}

static enum rf_code fail_undescribed(const struct rf_oauth_metadata *m, struct rf_err *err)
{
    if (!m->guessed)
        return rf_fail(err, RF_EPROVIDER, "\"%.*s\" does not describe how it gives leave",
                       RF_FMT(m->issuer));
    rf_fail(err, RF_ECONFIG, "it wants a token, and offers no login to get one");
    rf_hint(err, "Put one into its entry of the configuration, as in " RF_OAUTH_HEADER ".");
    return RF_ECONFIG;
}

static enum rf_code check_issuer(const struct rf_oauth_web *w, const struct rf_jval *found,
                                 const struct rf_oauth_metadata *m, struct rf_err *err)
{
    struct rf_str says = text_of(found, "issuer", w->arena);
    if (!rf_str_eq(says, m->issuer))
        return rf_fail(err, RF_EPERMISSION, "\"%.*s\" describes itself as \"%.*s\"",
                       RF_FMT(m->issuer), RF_FMT(says));
    if (!rf_oauth_lists(rf_jval_get(found, "code_challenge_methods_supported"), "S256"))
        return rf_fail(err, RF_EPROVIDER, "\"%.*s\" does not protect its codes (PKCE, S256)",
                       RF_FMT(m->issuer));
    enum rf_code rc = rf_oauth_may_use(w, m->authorization, err);
    if (!rc)
        rc = rf_oauth_may_use(w, m->token, err);
    if (!rc && m->registration.n)
        rc = rf_oauth_may_use(w, m->registration, err);
    return rc;
}

enum rf_code rf_oauth_describe(const struct rf_oauth_web *w, struct rf_str server,
                               struct rf_str named, struct rf_str issuer,
                               struct rf_oauth_metadata *out, struct rf_err *err)
{
    const struct rf_jval *found = NULL;
    struct rf_oauth_metadata m = { 0 };
    enum rf_code rc = read_resource(w, server, named, issuer, &m, err);
    if (rc)
        return rc;
    rc = find_issuer(w, m.issuer, &found, err);
    if (rc == RF_EPERMISSION)
        rf_hint(err, "If it is right there, put it into the server's entry of the configuration: "
                     "oauth: {issuer: ADDRESS}.");
    if (!rc && !found)
        rc = fail_undescribed(&m, err);
    if (rc)
        return rc;
    m.authorization = text_of(found, "authorization_endpoint", w->arena);
    m.token = text_of(found, "token_endpoint", w->arena);
    m.registration = text_of(found, "registration_endpoint", w->arena);
    m.offline_access = rf_oauth_lists(rf_jval_get(found, "scopes_supported"), "offline_access");
    m.takes_documents =
        rf_jval_type(rf_jval_get(found, "client_id_metadata_document_supported")) == RF_JTRUE;
    m.says_issuer =
        rf_jval_type(rf_jval_get(found, "authorization_response_iss_parameter_supported")) ==
        RF_JTRUE;
    m.methods = rf_jval_get(found, "token_endpoint_auth_methods_supported");
    rc = check_issuer(w, found, &m, err);
    if (!rc)
        *out = m;
    return rc;
}
