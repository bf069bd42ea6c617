#include "gateway/front.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "net/form.h"

#define MODEL "{model}"

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
};

/* Where no row says in whose words to answer: what is sent by that vendor's clients alone. */
static const struct {
    const char *path, *header; /* how the path begins, or a header that is there */
    const char *dialect;
} signs[] = {
    { "/v1beta/", NULL, "gemini" },
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

void rf_front_find(const struct rf_httpd_request *r, struct rf_arena *a, struct rf_front *out)
{
    struct rf_str path = unescape(r->path, a), model;
    *out = (struct rf_front){ .status = 404, .dialect = dialect_of(r) };
    bool text = rf_utf8_valid(path) == path.n;
    for (size_t i = 0; text && i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        if (!fits(row, path, &model))
            continue;
        if (!rf_str_is(r->method, row->method)) {
            out->status = 405;
            out->allowed = out->allowed ? out->allowed : row->method; /* the closest row is first */
            continue;
        }
        out->status = 0;
        out->dialect = row->dialect ? row->dialect : out->dialect;
        out->operation = row->operation;
        out->model = rf_str_dup(a, model);
        out->as_list = row->operation == RF_OPERATION_STREAM && !asks_for_events(r->query, a);
        return;
    }
}

const char *rf_front_stranger(const struct rf_httpd_request *r, const char *address)
{
    struct rf_str host, port, ours, our_port;
    struct rf_str origin = rf_str(rf_httpd_header(r, "Origin"));
    if (!rf_httpd_split_host(rf_str(rf_httpd_header(r, "Host")), &host, &port) ||
        !rf_httpd_names_loopback(host))
        return "this Host is not served here: ask 127.0.0.1 or localhost";
    if (!origin.n)
        return NULL;
    bool own = rf_str_starts(origin, "http://") &&
               rf_httpd_split_host((struct rf_str){ origin.p + 7, origin.n - 7 }, &host, &port) &&
               rf_httpd_names_loopback(host) &&
               rf_httpd_split_host(rf_str(address), &ours, &our_port) && rf_str_eq(port, our_port);
    return own ? NULL : "pages of this Origin may not ask here";
}
