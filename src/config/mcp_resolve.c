/* The variables that the description of a server names, and their values.
 *
 * No value is looked up before the server is started, so that none is in what is shown of the
 * configuration, and a variable that is not set is the problem of that server alone. */
#include "config/mcp_file.h"

#include "base/arena.h"
#include "base/buf.h"

#include <stdlib.h>

#define MOST_RESOLVED ((size_t)1 << 20)

bool rf_mcp_is_variable(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!rf_is_letter(s.p[i]) && s.p[i] != '_' && (!i || !rf_is_digit(s.p[i])))
            return false;
    return s.n > 0;
}

/* What stands between "${" and "}" at `at`, or nothing. */
static bool variable_at(struct rf_str text, size_t at, struct rf_str *name,
                        struct rf_str *otherwise)
{
    const char *begin = text.p + at + 2;
    const char *end = at + 2 < text.n ? memchr(begin, '}', text.n - at - 2) : NULL;
    if (!end || text.p[at] != '$' || text.p[at + 1] != '{')
        return false;
    *name = (struct rf_str){ begin, (size_t)(end - begin) };
    *otherwise = (struct rf_str){ 0 };
    for (size_t i = 0; i + 1 < name->n; i++)
        if (begin[i] == ':' && begin[i + 1] == '-') {
            *otherwise = (struct rf_str){ begin + i + 2, name->n - i - 2 };
            name->n = i;
        }
    return rf_mcp_is_variable(*name);
}

bool rf_mcp_next_variable(struct rf_str text, size_t *at, struct rf_str *name,
                          struct rf_str *otherwise)
{
    struct rf_str unused;
    struct rf_str *rest = otherwise ? otherwise : &unused;
    for (; *at + 2 < text.n; ++*at)
        if (variable_at(text, *at, name, rest)) {
            const char *end = rest->p ? rest->p + rest->n : name->p + name->n;
            *at = (size_t)(end - text.p) + 1;
            return true;
        }
    return false;
}

static void add_text(struct rf_texts_of *t, struct rf_str *text, struct rf_arena *a)
{
    *RF_PUSH(a, t->items, t->count, t->cap) = text;
}

struct rf_texts_of rf_mcp_texts(struct rf_mcp_server_config *s, struct rf_arena *a)
{
    struct rf_texts_of t = { 0 };
    for (size_t i = 0; i < s->command_count; i++)
        add_text(&t, &s->command[i], a);
    for (size_t i = 0; i < s->arg_count; i++)
        add_text(&t, &s->args[i], a);
    for (size_t i = 0; i < s->env_count; i++)
        add_text(&t, &s->env[i].value, a);
    for (size_t i = 0; i < s->header_count; i++)
        add_text(&t, &s->headers[i].value, a);
    add_text(&t, &s->client_id, a);
    add_text(&t, &s->client_secret, a);
    add_text(&t, &s->issuer, a);
    add_text(&t, &s->cwd, a);
    add_text(&t, &s->url, a);
    return t;
}

static enum rf_code expand(const struct rf_mcp_server_config *s, struct rf_str *text,
                           struct rf_arena *a, struct rf_err *err)
{
    struct rf_buf b;
    struct rf_str name, otherwise;
    size_t from = 0, at = 0;
    if (!text->n)
        return RF_OK;
    rf_buf_init(&b, a, MOST_RESOLVED);
    while (rf_mcp_next_variable(*text, &at, &name, &otherwise)) {
        const char *value = getenv(rf_cstr(a, name));
        if (!value && !otherwise.p) {
            rf_fail(err, RF_ECONFIG, "server \"%.*s\": the variable %.*s is not set",
                    RF_FMT(s->name), RF_FMT(name));
            rf_hint(err, "Set it, or write ${%.*s:-value} for one that it has otherwise.",
                    RF_FMT(name));
            return RF_ECONFIG;
        }
        rf_buf_add(&b, (struct rf_str){ text->p + from, (size_t)(name.p - 2 - text->p) - from });
        rf_buf_add(&b, value ? rf_str(value) : otherwise);
        from = at;
    }
    rf_buf_add(&b, (struct rf_str){ text->p + from, text->n - from });
    return rf_buf_finish(&b, text, err);
}

static void *copy(struct rf_arena *a, const void *list, size_t bytes)
{
    return bytes ? memcpy(rf_arena_alloc(a, bytes), list, bytes) : NULL;
}

enum rf_code rf_mcp_server_resolve(const struct rf_mcp_server_config *s, struct rf_arena *a,
                                   struct rf_mcp_server_config *out, struct rf_err *err)
{
    struct rf_mcp_server_config r = *s;
    enum rf_code rc = RF_OK;
    if (s->problem.n)
        return rf_fail(err, RF_ECONFIG, "%.*s", RF_FMT(s->problem));
    r.command = copy(a, s->command, s->command_count * sizeof *s->command);
    r.args = copy(a, s->args, s->arg_count * sizeof *s->args);
    r.env = copy(a, s->env, s->env_count * sizeof *s->env);
    r.headers = copy(a, s->headers, s->header_count * sizeof *s->headers);
    struct rf_texts_of texts = rf_mcp_texts(&r, a);
    for (size_t i = 0; !rc && i < texts.count; i++)
        rc = expand(s, texts.items[i], a, err);
    if (!rc && r.cwd.n)
        r.cwd = rf_str(rf_store_folder(r.cwd, a));
    if (!rc)
        *out = r;
    return rc;
}
