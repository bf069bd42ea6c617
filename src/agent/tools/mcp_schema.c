/* The schema of a server's tool, such that one that is wrong does not have the whole request refused:
 * what no API takes is left out, in one walk, and said once. It is not checked any further, and
 * nothing is fetched. */
#include "agent/tools/servers.h"

#include "base/arena.h"
#include "base/json_write.h"

#define MOST_SCHEMA ((size_t)64 << 10)
#define MOST_DEPTH 64
#define MOST_KEY 64

struct repair {
    struct rf_json *w;
    struct rf_arena *arena;
    const char *what; /* was wrong first; or NULL */
    bool added;
};

static void blame(struct repair *r, const char *what)
{
    if (!r->what)
        r->what = what;
}

static bool is_type(const struct rf_jval *v)
{
    static const char *const names[] = { "object",  "array",   "string", "number",
                                         "integer", "boolean", "null",   NULL };
    return v->type == RF_JSTRING && rf_jval_is_any(v, names);
}

static bool are_types(const struct rf_jval *v)
{
    if (v->type != RF_JARRAY)
        return is_type(v);
    for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, e))
        if (!is_type(e))
            return false;
    return v->count > 0;
}

/* Are its brackets closed, and is nothing missing behind its last character? */
static bool is_pattern(struct rf_str s)
{
    size_t open = 0;
    bool set = false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\\') {
            if (++i == s.n)
                return false;
            continue;
        }
        if (set)
            set = s.p[i] != ']';
        else if (s.p[i] == '[')
            set = true;
        else if (s.p[i] == '(')
            open++;
        else if (s.p[i] == ')' && !open--)
            return false;
    }
    return !set && !open;
}

static bool is_valid(const struct rf_jval *key, const struct rf_jval *v, struct rf_arena *a)
{
    static const char *const objects[] = { "properties", "patternProperties", "$defs",
                                           "definitions", NULL };
    static const char *const lists[] = { "anyOf", "oneOf", "allOf", "required", "enum", NULL };
    if (rf_jval_is_any(key, objects))
        return v->type == RF_JOBJECT;
    if (rf_jval_is_any(key, lists))
        return v->type == RF_JARRAY;
    if (rf_jval_is(key, "type"))
        return are_types(v);
    if (rf_jval_is(key, "$ref"))
        return v->type == RF_JSTRING && rf_str_starts(rf_jval_text(v, a), "#");
    if (rf_jval_is(key, "pattern"))
        return v->type == RF_JSTRING && is_pattern(rf_jval_text(v, a));
    return true;
}

/* How all APIs take the name of an argument. */
static bool is_key(struct rf_str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i], letter = (char)(c | 0x20);
        if (!(letter >= 'a' && letter <= 'z') && !(c >= '0' && c <= '9') && c != '_' && c != '.' &&
            c != '-')
            return false;
    }
    return name.n && name.n <= MOST_KEY;
}

static void write_schema(struct repair *r, const struct rf_jval *v);

/* Schemas by name; of all arguments at once, or further in. */
static void write_named(struct repair *r, const struct rf_jval *v, bool arguments)
{
    rf_json_obj(r->w, NULL);
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1)) {
        struct rf_str name = rf_jval_text(k, r->arena);
        if (arguments && !is_key(name)) {
            blame(r, "its schema names arguments as not every API takes them; those were left out");
            continue;
        }
        rf_json_key(r->w, name);
        write_schema(r, k + 1);
    }
    rf_json_end(r->w);
}

static void write_list(struct repair *r, const struct rf_jval *v)
{
    rf_json_arr(r->w, NULL);
    for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, e))
        write_schema(r, e);
    rf_json_end(r->w);
}

static void write_required(struct repair *r, const struct rf_jval *v)
{
    rf_json_arr(r->w, NULL);
    for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, e))
        if (e->type == RF_JSTRING && is_key(rf_jval_text(e, r->arena)))
            rf_json_value(r->w, NULL, e);
    rf_json_end(r->w);
}

static void write_member(struct repair *r, const struct rf_jval *key, bool top)
{
    static const char *const named[] = { "patternProperties", "$defs", "definitions", NULL };
    static const char *const lists[] = { "anyOf", "oneOf", "allOf", NULL };
    static const char *const one[] = { "items", "additionalProperties", "not", NULL };
    const struct rf_jval *v = rf_jval_value(key);
    if (!is_valid(key, v, r->arena)) {
        blame(r, "its schema is not one in places; those were left out");
        return;
    }
    rf_json_key(r->w, rf_jval_text(key, r->arena));
    if (rf_jval_is(key, "properties"))
        write_named(r, v, top);
    else if (rf_jval_is_any(key, named))
        write_named(r, v, false);
    else if (rf_jval_is_any(key, lists))
        write_list(r, v);
    else if (rf_jval_is_any(key, one) && v->type == RF_JOBJECT)
        write_schema(r, v);
    else if (rf_jval_is(key, "required") && top)
        write_required(r, v);
    else
        rf_json_value(r->w, NULL, v);
}

static void write_schema(struct repair *r, const struct rf_jval *v)
{
    const struct rf_jval *type = rf_jval_get(v, "type");
    if (v->type == RF_JTRUE || v->type == RF_JFALSE) {
        rf_json_value(r->w, NULL, v);
        return;
    }
    rf_json_obj(r->w, NULL);
    if (v->type != RF_JOBJECT)
        blame(r, "its schema is not one in places; those were left out");
    for (const struct rf_jval *k = v->type == RF_JOBJECT ? rf_jval_first(v) : NULL; k;
         k = rf_jval_next(v, k + 1))
        write_member(r, k, false);
    if (type && rf_jval_is(type, "array") && !rf_jval_get(v, "items")) {
        rf_json_obj(r->w, "items"); /* it says nothing, and is asked for */
        rf_json_end(r->w);
        r->added = true;
    }
    rf_json_end(r->w);
}

/* All arguments */

/* What APIs refuse there. */
static bool is_refused(const struct rf_jval *key)
{
    static const char *const names[] = { "oneOf", "anyOf", "allOf", "not", "enum", NULL };
    return rf_jval_is_any(key, names);
}

/* What all of it refers to, where that is one of its definitions; or NULL. */
static const struct rf_jval *referred(const struct rf_jval *v, struct rf_arena *a)
{
    const struct rf_jval *ref = rf_jval_get(v, "$ref");
    struct rf_str rest = ref && ref->type == RF_JSTRING ? rf_jval_text(ref, a) : RF_STR(""), step;
    if (!rf_str_split(&rest, '/', &step) || !rf_str_eq(step, RF_STR("#")))
        return NULL;
    while (v && rf_str_split(&rest, '/', &step))
        v = v->type == RF_JOBJECT ? rf_jval_get(v, rf_cstr(a, step)) : NULL;
    return v && v->type == RF_JOBJECT ? v : NULL;
}

static void write_top(struct repair *r, const struct rf_jval *v, const struct rf_jval *besides)
{
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1)) {
        struct rf_str name = rf_jval_text(k, r->arena);
        if (is_refused(k))
            blame(r, "its schema has alternatives at the top, which no API takes; "
                     "they were left out");
        else if (!rf_jval_is(k, "type") && !rf_jval_is(k, "$ref") &&
                 !(besides && rf_jval_get(besides, rf_cstr(r->arena, name))))
            write_member(r, k, true);
    }
}

static void write_arguments(struct repair *r, const struct rf_jval *v)
{
    const struct rf_jval *type = rf_jval_get(v, "type"), *more = referred(v, r->arena);
    rf_json_obj(r->w, NULL);
    rf_json_str(r->w, "type", RF_STR("object"));
    if (v) {
        write_top(r, v, NULL);
        if (!more && (!type || !rf_jval_is(type, "object")))
            blame(r, "its schema does not say that it is of an object; that was added");
        if (more)
            write_top(r, more, v);
        else if (rf_jval_get(v, "$ref"))
            blame(r, "its schema is not one in places; those were left out");
        r->added |= more != NULL;
    }
    rf_json_end(r->w);
}

static const char *fault_of(struct rf_str text, struct rf_arena *a, const struct rf_jval **v)
{
    if (text.n > MOST_SCHEMA)
        return "its schema is too long; it is offered without";
    if (rf_jval_parse(rf_str_dup(a, text), a, v, NULL) || (*v)->type != RF_JOBJECT)
        return "its schema is not an object; it is offered without";
    return rf_jval_deeper(*v, MOST_DEPTH) ? "its schema nests too deep; it is offered without"
                                          : NULL;
}

const struct rf_jval *rf_served_schema(struct rf_str text, struct rf_arena *a,
                                       const char **repaired)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str written;
    const struct rf_jval *v = NULL, *made;
    struct repair r = { .w = &w, .arena = a };
    r.what = fault_of(text, a, &v);
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    write_arguments(&r, r.what ? NULL : v);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, a, &written, NULL) ||
        rf_jval_parse(written, a, &made, NULL))
        RF_BUG("a schema that was read cannot be written");
    *repaired = r.what;
    return rf_served_say_json(r.what || r.added ? made : v, a);
}
