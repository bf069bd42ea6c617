#include "gateway/front.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "net/form.h"
#include "store/client_keys.h"

#define MODEL "{model}"
#define ALPHA "/v1alpha/" /* Gemini's, of what may still change */

/* Paths of the vendors' APIs. A model's name may have slashes and colons of its own. */
static const struct row {
    const char *method, *path;
    const char *dialect; /* NULL: by its headers */
    enum rf_operation operation;
} rows[] = {
    { "POST", "/v1/chat/completions", "openai-chat", RF_OPERATION_GENERATE },
    { "POST", "/v1/responses", "openai-responses", RF_OPERATION_GENERATE },
    { "POST", "/v1/messages", "anthropic", RF_OPERATION_GENERATE },
    { "POST", "/v1/messages/count_tokens", "anthropic", RF_OPERATION_COUNT },
    { "POST", "/v1beta/models/" MODEL ":generateContent", "gemini", RF_OPERATION_GENERATE },
    { "POST", "/v1beta/models/" MODEL ":streamGenerateContent", "gemini", RF_OPERATION_STREAM },
    { "POST", "/v1beta/models/" MODEL ":countTokens", "gemini", RF_OPERATION_COUNT },
    { "POST", "/v1/models/" MODEL ":generateContent", "gemini", RF_OPERATION_GENERATE },
    { "POST", "/v1/models/" MODEL ":streamGenerateContent", "gemini", RF_OPERATION_STREAM },
    { "POST", "/v1/models/" MODEL ":countTokens", "gemini", RF_OPERATION_COUNT },
    { "GET", "/v1beta/models", "gemini", RF_OPERATION_LIST },
    { "GET", "/v1/models", NULL, RF_OPERATION_LIST },
    { "GET", "/v1beta/models/" MODEL, "gemini", RF_OPERATION_DESCRIBE },
    { "GET", "/v1/models/" MODEL, NULL, RF_OPERATION_DESCRIBE },
    { "GET", "/healthz", NULL, RF_OPERATION_ALIVE },
    { "GET", "/readyz", NULL, RF_OPERATION_READY },
    { "GET", "/metrics", NULL, RF_OPERATION_METRICS },
};

/* Where no row says in whose words to answer: what is sent by that vendor's clients alone. */
static const struct {
    const char *path, *header; /* how the path begins, or a header that is there */
    const char *dialect;
} signs[] = {
    { "/v1beta/", NULL, "gemini" },
    { ALPHA, NULL, "gemini" },
    { NULL, "x-goog-api-key", "gemini" },
    { "/v1/messages", NULL, "anthropic" },
    { NULL, "anthropic-version", "anthropic" },
    { "/v1/responses", NULL, "openai-responses" },
};
#define USUAL_DIALECT "openai-chat"

static const char *dialect_of(const struct rf_httpd_request *r)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].path ? rf_str_starts(r->path, signs[i].path)
                          : rf_httpd_header(r, signs[i].header) != NULL)
            return signs[i].dialect;
    return USUAL_DIALECT;
}

static struct rf_str unescape(struct rf_str s, struct rf_arena *a)
{
    char *out = rf_arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        int high = i + 2 < s.n && s.p[i] == '%' ? rf_hex_digit(s.p[i + 1]) : -1;
        int low = high >= 0 ? rf_hex_digit(s.p[i + 2]) : -1;
        out[n++] = low >= 0 ? (char)(high * 16 + low) : s.p[i];
        i += low >= 0 ? 2 : 0;
    }
    return (struct rf_str){ out, n };
}

/* Its paths are the same in each version. */
static struct rf_str without_alpha(struct rf_str path, struct rf_arena *a)
{
    if (!rf_str_starts(path, ALPHA))
        return path;
    size_t n = sizeof ALPHA - 1;
    return rf_strf(a, "/v1beta/%.*s", RF_FMT(((struct rf_str){ path.p + n, path.n - n })));
}

/* Does the path fit? `model` is what stands for it, where the row has one. */
static bool fits(const struct row *row, struct rf_str path, struct rf_str *model)
{
    const char *at = strstr(row->path, MODEL);
    *model = RF_STR("");
    if (!at)
        return rf_str_is(path, row->path);
    size_t before = (size_t)(at - row->path), after = strlen(at) - strlen(MODEL);
    if (path.n <= before + after || memcmp(path.p, row->path, before) != 0 ||
        !rf_str_ends(path, at + strlen(MODEL)))
        return false;
    *model = (struct rf_str){ path.p + before, path.n - before - after };
    return true;
}

static bool asks_for_events(struct rf_str query, struct rf_arena *a)
{
    const struct rf_str *alt = rf_form_get(query, "alt", a);
    return alt && rf_str_is(*alt, "sse");
}

/* What clients say in the query of a path that a row knows, and its API has a meaning for. */
static const struct {
    const char *dialect, *field;
} queries[] = {
    { "anthropic", "beta" },
};

static bool is_plain_query(struct rf_str query)
{
    for (size_t i = 0; i < query.n; i++)
        if (query.p[i] <= 0x20 || query.p[i] >= 0x7f || strchr("#\"<>\\", query.p[i]))
            return false;
    return true;
}

/* "?" and the fields that `keeps`, or nothing. */
static struct rf_str query_of(struct rf_str query, struct rf_arena *a,
                              bool (*keeps)(struct rf_str field, const char *dialect,
                                            struct rf_arena *a),
                              const char *dialect)
{
    struct rf_buf out;
    struct rf_str field;
    rf_buf_init(&out, a, query.n + 1);
    while (rf_str_split(&query, '&', &field)) {
        if (!field.n || !keeps(field, dialect, a))
            continue;
        rf_buf_addc(&out, out.n ? '&' : '?');
        rf_buf_add(&out, field);
    }
    return out.n ? (struct rf_str){ out.p, out.n } : RF_STR("");
}

static bool has_meaning(struct rf_str field, const char *dialect, struct rf_arena *a)
{
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (strcmp(queries[i].dialect, dialect) == 0 && is_plain_query(field) &&
            !memchr(field.p, ';', field.n) && rf_form_get(field, queries[i].field, a))
            return true;
    return false;
}

/* Paths that no row knows */

static const char *const roots[] = { "/v1beta", "/v1alpha", "/v1" };
static const char *const methods[] = { "GET", "POST", "PATCH", "PUT", "DELETE" };

static const char *method_of(struct rf_str method)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (rf_str_is(method, methods[i]))
            return methods[i];
    return NULL;
}

/* A name, however it is escaped: none that leads elsewhere, and none that two servers could read in
 * two ways. */
static bool is_segment(struct rf_str raw, struct rf_arena *a)
{
    struct rf_str name = unescape(raw, a);
    for (size_t i = 0; i < name.n; i++)
        if (!rf_is_alnum(name.p[i]) && (!name.p[i] || !strchr("-._~:@", name.p[i])))
            return false;
    return name.n && !rf_str_is(name, ".") && !rf_str_is(name, "..");
}

static bool is_plain_path(struct rf_str path, struct rf_arena *a)
{
    struct rf_str rest = { path.p + 1, path.n - 1 }, segment;
    bool plain = path.n > 1 && path.p[path.n - 1] != '/';
    while (plain && rf_str_split(&rest, '/', &segment))
        plain = is_segment(segment, a);
    return plain;
}

/* Is it one, however it is spelled? */
static bool names_key(struct rf_str field, struct rf_arena *a)
{
    static const struct rf_str names[] = {
        RF_STR_INIT("key"),          RF_STR_INIT("api_key"),     RF_STR_INIT("api-key"),
        RF_STR_INIT("apikey"),       RF_STR_INIT("x-api-key"),   RF_STR_INIT("x-goog-api-key"),
        RF_STR_INIT("access_token"), RF_STR_INIT("oauth_token"), RF_STR_INIT("token"),
    };
    struct rf_str name;
    if (!rf_str_split(&field, '=', &name))
        return false;
    name = rf_form_decode(name, a);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rf_str_ieq(name, names[i]))
            return true;
    return false;
}

/* The client's key goes no further. Some take ';' for '&'. */
static bool holds_no_key(struct rf_str field, const char *dialect, struct rf_arena *a)
{
    struct rf_str part;
    (void)dialect;
    while (rf_str_split(&field, ';', &part))
        if (names_key(part, a))
            return false;
    return true;
}

/* Gemini's: "/models/MODEL:embedContent". */
static void split_model(struct rf_front *f, struct rf_arena *a)
{
    static const struct rf_str before = RF_STR_INIT("/models/");
    struct rf_str path = f->other.path;
    size_t colon = path.n;
    while (colon > 0 && path.p[colon - 1] != ':')
        colon--;
    if (colon <= before.n + 1 || memcmp(path.p, before.p, before.n) != 0)
        return;
    for (size_t i = colon; i < path.n; i++)
        if (!rf_is_alnum(path.p[i]))
            return;
    f->dialect = "gemini";
    f->model = unescape((struct rf_str){ path.p + before.n, colon - 1 - before.n }, a);
    f->other.path = (struct rf_str){ path.p + colon - 1, path.n - (colon - 1) };
}

/* Vendors have more than we know, and their clients ask for it by the same address. */
static void find_other(const struct rf_httpd_request *r, struct rf_arena *a, struct rf_front *out)
{
    const char *method = method_of(r->method);
    size_t root = 0;
    for (size_t i = 0; !root && i < sizeof roots / sizeof *roots; i++)
        if (rf_str_starts(r->path, roots[i]) && r->path.n > strlen(roots[i]) &&
            r->path.p[strlen(roots[i])] == '/')
            root = strlen(roots[i]);
    struct rf_str rest = { r->path.p + root, r->path.n - root };
    if (!method || !root || !is_plain_path(rest, a) || !is_plain_query(r->query))
        return;
    const char *type = rf_httpd_header(r, "Content-Type");
    struct rf_front found = { .dialect = out->dialect, .operation = RF_OPERATION_OTHER };
    found.other = (struct rf_front_other){ .method = method,
                                           .whole = rf_str_dup(a, r->path),
                                           .path = rf_str_dup(a, rest),
                                           .query = query_of(r->query, a, holds_no_key, NULL),
                                           .content_type = rf_str_dup(a, rf_str(type)) };
    split_model(&found, a);
    if (out->status == 404 || found.model.n) /* what a model can do is not a model's own path */
        *out = found;
}

/* HEAD is GET without the body, which is left out when the reply is sent. */
static bool is_asked_with(const struct row *row, struct rf_str method)
{
    return rf_str_is(method, row->method) ||
           (rf_str_is(method, "HEAD") && strcmp(row->method, "GET") == 0);
}

void rf_front_find(const struct rf_httpd_request *r, struct rf_arena *a, struct rf_front *out)
{
    struct rf_str path = without_alpha(unescape(r->path, a), a), model;
    *out = (struct rf_front){ .status = 404, .dialect = dialect_of(r) };
    bool text = rf_utf8_valid(path) == path.n;
    for (size_t i = 0; text && i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        if (!fits(row, path, &model))
            continue;
        if (!is_asked_with(row, r->method)) {
            out->status = 405;
            out->allowed = out->allowed ? out->allowed : row->method; /* the closest row is first */
            continue;
        }
        out->status = 0;
        out->dialect = row->dialect ? row->dialect : out->dialect;
        out->operation = row->operation;
        out->model = rf_str_dup(a, model);
        out->query = query_of(r->query, a, has_meaning, out->dialect);
        out->as_list = row->operation == RF_OPERATION_STREAM && !asks_for_events(r->query, a);
        return;
    }
    if (text && (out->status == 404 || rf_str_is(r->method, "POST")))
        find_other(r, a, out);
}

/* What follows "Bearer ", whose case does not matter. */
static struct rf_str bearer(struct rf_str value)
{
    static const struct rf_str scheme = RF_STR_INIT("Bearer ");
    if (value.n < scheme.n || !rf_str_ieq((struct rf_str){ value.p, scheme.n }, scheme))
        return RF_STR("");
    return rf_str_trim((struct rf_str){ value.p + scheme.n, value.n - scheme.n });
}

struct rf_str rf_front_key(const struct rf_httpd_request *r, struct rf_arena *a)
{
    const struct rf_str *query = rf_form_get(r->query, "key", a);
    const struct rf_str sent[] = { bearer(rf_str(rf_httpd_header(r, "Authorization"))),
                                   rf_str(rf_httpd_header(r, "x-api-key")),
                                   rf_str(rf_httpd_header(r, "x-goog-api-key")),
                                   query ? *query : RF_STR("") };
    struct rf_str first = RF_STR("");
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        if (rf_str_starts(sent[i], RF_CLIENT_KEY_PREFIX))
            return sent[i];
        first = first.n ? first : sent[i];
    }
    return first;
}

bool rf_front_origin(const struct rf_httpd_request *r, const struct rf_front_here *here,
                     struct rf_str *out)
{
    struct rf_str origin = rf_str(rf_httpd_header(r, "Origin"));
    const char *scheme = here->tls ? "https://" : "http://";
    size_t n = origin.n ? strlen(scheme) : 0;
    if (n && !rf_str_starts(origin, scheme))
        return false;
    *out = (struct rf_str){ origin.p + n, origin.n - n };
    return true;
}

const char *rf_front_stranger(const struct rf_httpd_request *r, const struct rf_front_here *here)
{
    struct rf_str host, port, ours, our_port, origin;
    if (!rf_httpd_split_host(rf_str(rf_httpd_header(r, "Host")), &host, &port) ||
        !rf_httpd_names_loopback(host))
        return "this Host is not served here: ask 127.0.0.1 or localhost";
    bool own = rf_front_origin(r, here, &origin);
    if (own && origin.n)
        own = rf_httpd_split_host(origin, &host, &port) && rf_httpd_names_loopback(host) &&
              rf_httpd_split_host(rf_str(here->address), &ours, &our_port) &&
              rf_str_eq(port, our_port);
    return own ? NULL : "pages of this Origin may not ask here";
}
