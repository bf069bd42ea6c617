/* Arguments that are headers, too: "x-mcp-header" in a tool's schema (2026-07-28, Streamable HTTP).
 * A property that is marked is a string, an integer or a boolean, and is reached through
 * "properties" alone; a mark anywhere else makes the whole tool one that may not be used. */
#include "mcp/client/hub.h"

#include "base/base64.h"

#include <stdio.h>

#define MOST_DEPTH 32
#define MOST_MIRRORS 64
#define MARK "x-mcp-header"
#define PREFIX "Mcp-Param-"
#define SAFE_INTEGER ((int64_t)9007199254740991)

struct walk {
    struct rf_arena *arena;
    struct rf_mcp_listed *out;
    struct rf_str path[MOST_DEPTH];
    char *why;
};

static bool wrong(struct walk *w, const char *what)
{
    snprintf(w->why, 200, "has an %s that is not allowed: %s", MARK, what);
    return false;
}

static bool is_token(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!rf_is_alnum(s.p[i]) && (!s.p[i] || !strchr("!#$%&'*+-.^_`|~", s.p[i])))
            return false;
    return s.n > 0;
}

static bool is_taken(const struct rf_mcp_listed *t, struct rf_str header)
{
    for (size_t i = 0; i < t->mirror_count; i++)
        if (rf_str_ieq(t->mirrors[i].header, header))
            return true;
    return false;
}

static bool take_mark(struct walk *w, const struct rf_jval *schema, const struct rf_jval *mark,
                      size_t depth)
{
    static const char *const types[] = { "string", "integer", "boolean", NULL };
    const struct rf_jval *type = rf_jval_get(schema, "type");
    struct rf_arena *a = w->arena;
    struct rf_str name = mark->type == RF_JSTRING ? rf_jval_text(mark, a) : (struct rf_str){ 0 };
    struct rf_str header = rf_str_join(a, RF_STR(PREFIX), name);
    if (depth == 0)
        return wrong(w, "it is not on a property");
    if (!is_token(name))
        return wrong(w, "it is not the name of a header");
    if (!type || !rf_jval_is_any(type, types))
        return wrong(w, "the property is not a string, an integer or a boolean");
    if (is_taken(w->out, header))
        return wrong(w, "two properties have the same");
    if (w->out->mirror_count >= MOST_MIRRORS)
        return wrong(w, "there are too many");
    struct rf_mcp_mirror *m = RF_PUSH(a, w->out->mirrors, w->out->mirror_count, w->out->mirror_cap);
    *m = (struct rf_mcp_mirror){ header, RF_ARRAY(a, struct rf_str, depth), depth };
    for (size_t i = 0; i < depth; i++)
        m->path[i] = w->path[i];
    return true;
}

/* Is there a mark anywhere below? */
static bool is_marked(const struct rf_jval *v)
{
    bool object = v && v->type == RF_JOBJECT;
    if (!object && (!v || v->type != RF_JARRAY))
        return false;
    for (const struct rf_jval *e = rf_jval_first(v); e;) {
        const struct rf_jval *in = object ? rf_jval_value(e) : e;
        if ((object && rf_jval_is(e, MARK)) || is_marked(in))
            return true;
        e = rf_jval_next(v, in);
    }
    return false;
}

static bool walk(struct walk *w, const struct rf_jval *schema, size_t depth)
{
    const struct rf_jval *key;
    for (key = rf_jval_first(schema); key; key = rf_jval_next(schema, rf_jval_value(key))) {
        const struct rf_jval *v = rf_jval_value(key), *child;
        if (rf_jval_is(key, MARK) && !take_mark(w, schema, v, depth))
            return false;
        if (!rf_jval_is(key, "properties")) {
            if (is_marked(v))
                return wrong(w, "it is not on a property that is always in the same place");
            continue;
        }
        for (child = rf_jval_type(v) == RF_JOBJECT ? rf_jval_first(v) : NULL; child;
             child = rf_jval_next(v, rf_jval_value(child))) {
            if (depth == MOST_DEPTH)
                return wrong(w, "it is too deep");
            w->path[depth] = rf_str_dup(w->arena, rf_jval_text(child, w->arena));
            if (rf_jval_type(rf_jval_value(child)) == RF_JOBJECT &&
                !walk(w, rf_jval_value(child), depth + 1))
                return false;
        }
    }
    return true;
}

bool rf_mcp_mirrors_read(const struct rf_jval *schema, struct rf_arena *a,
                         struct rf_mcp_listed *out, char why[200])
{
    struct walk w = { .arena = a, .out = out, .why = why };
    return !is_marked(schema) || walk(&w, schema, 0);
}

/* Values */

struct rf_str rf_mcp_header_text(struct rf_str s, struct rf_arena *a)
{
    bool plain = s.n && !rf_is_space(s.p[0]) && !rf_is_space(s.p[s.n - 1]) &&
                 !(rf_str_starts(s, "=?base64?") && rf_str_ends(s, "?="));
    for (size_t i = 0; i < s.n; i++)
        plain &= s.p[i] == '\t' || (s.p[i] >= ' ' && s.p[i] <= '~');
    if (plain)
        return s;
    size_t n = rf_base64_length(s.n);
    char *out = rf_arena_alloc(a, n + 12);
    memcpy(out, "=?base64?", 9);
    rf_base64_encode(s.p, s.n, out + 9);
    memcpy(out + 9 + n, "?=", 2);
    return (struct rf_str){ out, n + 11 };
}

static const struct rf_jval *member(const struct rf_jval *object, struct rf_str name,
                                    struct rf_arena *a)
{
    return rf_jval_get(object, rf_cstr(a, name));
}

bool rf_mcp_mirror_value(const struct rf_mcp_mirror *m, const struct rf_jval *arguments,
                         struct rf_arena *a, struct rf_str *out)
{
    const struct rf_jval *v = arguments;
    int64_t number;
    for (size_t i = 0; i < m->depth; i++)
        v = member(v, m->path[i], a);
    switch (rf_jval_type(v)) {
    case RF_JSTRING:
        *out = rf_mcp_header_text(rf_jval_text(v, a), a);
        return true;
    case RF_JTRUE:
    case RF_JFALSE:
        *out = v->type == RF_JTRUE ? RF_STR("true") : RF_STR("false");
        return true;
    case RF_JNUMBER:
        if (!rf_jval_int64(v, &number) || number > SAFE_INTEGER || number < -SAFE_INTEGER)
            return false;
        *out = rf_strf(a, "%lld", (long long)number);
        return true;
    case RF_JNULL:
    case RF_JARRAY:
    case RF_JOBJECT:
        break;
    }
    return false;
}
