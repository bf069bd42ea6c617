/* A checker for the part of JSON Schema that models are given. Each keyword is a row, and a
 * function that looks at one value; the first that does not fit ends it.
 *
 * It refuses to follow references out of the schema, to do more than a bounded amount of work, and
 * to fail a value for a fit that it is not certain of. */
#include "content/schema.h"

#include "base/arena.h"
#include "base/utf8.h"

#define MOST_WORK 32000000 /* in members that are looked at */
#define CHECK_WORK 32      /* of a value with few members */
#define MOST_DEPTH 1000    /* of schemas inside each other */

struct check {
    const struct rf_jval *root; /* of the schema, for references */
    struct rf_arena *arena;
    size_t work, depth;
    bool unsure;        /* a keyword was skipped that is not known */
    struct rf_err *err; /* or NULL, where it is only asked whether something fits */
};

/* A value, where it is, and the schema that it is checked against. */
struct place {
    const struct rf_jval *value, *schema;
    const struct rf_jpath *path;
};

static enum rf_code check(struct check *c, const struct place *at);

static enum rf_code check_inside(struct check *c, const struct rf_jval *schema,
                                 const struct rf_jval *value, const struct rf_jpath *path)
{
    const struct place inside = { value, schema, path };
    return check(c, &inside);
}

static enum rf_code fail_far(struct check *c)
{
    return rf_fail(c->err, RF_ELIMIT, "the schema leads too far");
}

static bool is_far(struct check *c, size_t work)
{
    c->work += work;
    return c->work > MOST_WORK;
}

/* Values */

static double number(const struct rf_jval *v)
{
    double n = 0;
    rf_jval_double(v, &n);
    return n;
}

static bool is_whole(const struct rf_jval *v)
{
    double n = number(v), most = 9007199254740992.0; /* beyond it all are */
    return n >= most || n <= -most || n == (double)(int64_t)n;
}

static bool is_equal(struct check *c, const struct rf_jval *a, const struct rf_jval *b);

static bool has_equal_member(struct check *c, const struct rf_jval *object,
                             const struct rf_jval *key)
{
    const char *name = rf_cstr(c->arena, rf_jval_text(key, c->arena));
    const struct rf_jval *other = rf_jval_get(object, name);
    return other && is_equal(c, other, key + 1);
}

static bool has_equal_parts(struct check *c, const struct rf_jval *a, const struct rf_jval *b)
{
    bool object = a->type == RF_JOBJECT;
    const struct rf_jval *v = rf_jval_first(a), *w = rf_jval_first(b);
    if (a->count != b->count)
        return false;
    for (; v; v = rf_jval_next(a, object ? v + 1 : v)) {
        if (object ? !has_equal_member(c, b, v) : !is_equal(c, v, w))
            return false;
        w = object ? w : rf_jval_next(b, w);
    }
    return true;
}

static bool is_equal(struct check *c, const struct rf_jval *a, const struct rf_jval *b)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case RF_JNULL:
    case RF_JFALSE:
    case RF_JTRUE:
        return true;
    case RF_JNUMBER:
        return number(a) == number(b);
    case RF_JSTRING:
        return rf_str_eq(rf_jval_text(a, c->arena), rf_jval_text(b, c->arena));
    case RF_JARRAY:
    case RF_JOBJECT:
        return has_equal_parts(c, a, b);
    }
    RF_BUG("a value of no type");
}

/* Keywords. Each is given the keyword's value, which may be nonsense: then it says nothing. */

static bool is_type(const struct rf_jval *name, const struct rf_jval *v)
{
    switch (v->type) {
    case RF_JNULL:
        return rf_jval_is(name, "null");
    case RF_JFALSE:
    case RF_JTRUE:
        return rf_jval_is(name, "boolean");
    case RF_JNUMBER:
        return rf_jval_is(name, "number") || (rf_jval_is(name, "integer") && is_whole(v));
    case RF_JSTRING:
        return rf_jval_is(name, "string");
    case RF_JARRAY:
        return rf_jval_is(name, "array");
    case RF_JOBJECT:
        return rf_jval_is(name, "object");
    }
    RF_BUG("a value of no type");
}

static enum rf_code type(struct check *c, const struct place *at, const struct rf_jval *given)
{
    bool list = given->type == RF_JARRAY;
    const struct rf_jval *first = list ? rf_jval_first(given) : given;
    if (!first || (!list && given->type != RF_JSTRING))
        return RF_OK;
    for (const struct rf_jval *v = first; v; v = list ? rf_jval_next(given, v) : NULL)
        if (is_type(v, at->value))
            return RF_OK;
    if (list || !rf_jval_is(given, "integer") || at->value->type != RF_JNUMBER)
        return rf_fail_at(c->err, RF_EFORMAT, at->path, "expected %.*s, found %s",
                          RF_FMT(given->raw), rf_jtype_name(at->value->type));
    return rf_fail_at(c->err, RF_EFORMAT, at->path, "expected a whole number");
}

static enum rf_code one_of_these(struct check *c, const struct place *at,
                                 const struct rf_jval *given)
{
    if (given->type != RF_JARRAY)
        return RF_OK;
    for (const struct rf_jval *v = rf_jval_first(given); v; v = rf_jval_next(given, v))
        if (is_equal(c, v, at->value))
            return RF_OK;
    return rf_fail_at(c->err, RF_EFORMAT, at->path, "expected one of %.*s",
                      RF_FMT(rf_utf8_cut(given->raw, 200)));
}

static enum rf_code constant(struct check *c, const struct place *at, const struct rf_jval *given)
{
    if (is_equal(c, given, at->value))
        return RF_OK;
    return rf_fail_at(c->err, RF_EFORMAT, at->path, "expected %s%.*s%s",
                      given->type == RF_JSTRING ? "\"" : "", RF_FMT(rf_utf8_cut(given->raw, 200)),
                      given->type == RF_JSTRING ? "\"" : "");
}

static enum rf_code required(struct check *c, const struct place *at, const struct rf_jval *given)
{
    if (given->type != RF_JARRAY || at->value->type != RF_JOBJECT)
        return RF_OK;
    for (const struct rf_jval *v = rf_jval_first(given); v; v = rf_jval_next(given, v)) {
        const char *name = rf_cstr(c->arena, rf_jval_text(v, c->arena));
        const struct rf_jpath path = { .up = at->path, .field = name };
        if (is_far(c, 1 + at->value->count))
            return fail_far(c);
        if (v->type == RF_JSTRING && !rf_jval_get(at->value, name))
            return rf_fail_at(c->err, RF_EFORMAT, &path, "the field is missing");
    }
    return RF_OK;
}

static enum rf_code check_members(struct check *c, const struct place *at)
{
    const struct rf_jval *properties = rf_jval_get(at->schema, "properties");
    const struct rf_jval *others = rf_jval_get(at->schema, "additionalProperties");
    if (rf_jval_get(at->schema, "patternProperties"))
        others = NULL; /* which members are others is unknown */
    enum rf_code rc = RF_OK;
    for (const struct rf_jval *k = rf_jval_first(at->value); k && !rc;
         k = rf_jval_next(at->value, k + 1)) {
        const char *name = rf_cstr(c->arena, rf_jval_text(k, c->arena));
        const struct rf_jpath path = { .up = at->path, .field = name };
        if (is_far(c, 1 + (properties ? properties->count : 0)))
            return fail_far(c);
        const struct rf_jval *schema = rf_jval_get(properties, name);
        if (schema || others)
            rc = check_inside(c, schema ? schema : others, k + 1, &path);
    }
    return rc;
}

static enum rf_code check_elements(struct check *c, const struct place *at)
{
    const struct rf_jval *first = rf_jval_get(at->schema, "prefixItems");
    const struct rf_jval *items = rf_jval_get(at->schema, "items");
    struct rf_jpath path = { .up = at->path };
    enum rf_code rc = RF_OK;
    for (const struct rf_jval *v = rf_jval_first(at->value); v && !rc;
         v = rf_jval_next(at->value, v), path.index++) {
        const struct rf_jval *own = rf_jval_at(first, path.index);
        if (own || items)
            rc = check_inside(c, own ? own : items, v, &path);
    }
    return rc;
}

/* Bounds */

static double measure(struct check *c, const struct rf_jval *v)
{
    size_t n = 0;
    if (v->type == RF_JNUMBER)
        return number(v);
    if (v->type == RF_JARRAY)
        return v->count;
    struct rf_str text = rf_jval_text(v, c->arena);
    for (size_t i = 0; i < text.n; i++)
        n += ((unsigned char)text.p[i] & 0xc0) != 0x80;
    return (double)n;
}

enum bound {
    LEAST,
    MOST,
    ABOVE,
    BELOW,
};

static bool is_within(enum bound kind, double n, double limit)
{
    switch (kind) {
    case LEAST:
        return n >= limit;
    case MOST:
        return n <= limit;
    case ABOVE:
        return n > limit;
    case BELOW:
        return n < limit;
    }
    RF_BUG("a bound of no kind");
}

static const struct {
    const char *name;
    enum rf_jtype type; /* of values that have it */
    enum bound kind;
    const char *of;
} bounds[] = {
    { "minimum", RF_JNUMBER, LEAST, "" },
    { "maximum", RF_JNUMBER, MOST, "" },
    { "exclusiveMinimum", RF_JNUMBER, ABOVE, "" },
    { "exclusiveMaximum", RF_JNUMBER, BELOW, "" },
    { "minLength", RF_JSTRING, LEAST, " characters" },
    { "maxLength", RF_JSTRING, MOST, " characters" },
    { "minItems", RF_JARRAY, LEAST, " elements" },
    { "maxItems", RF_JARRAY, MOST, " elements" },
};

static enum rf_code check_bounds(struct check *c, const struct place *at)
{
    static const char *const words[] = { "at least", "at most", "more than", "less than" };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const struct rf_jval *limit = rf_jval_get(at->schema, bounds[i].name);
        if (!limit || limit->type != RF_JNUMBER || at->value->type != bounds[i].type ||
            is_within(bounds[i].kind, measure(c, at->value), number(limit)))
            continue;
        return rf_fail_at(c->err, RF_EFORMAT, at->path, "expected %s %.*s%s", words[bounds[i].kind],
                          RF_FMT(limit->raw), bounds[i].of);
    }
    return RF_OK;
}

/* Schemas of schemas */

enum fit {
    FITS_NOT,
    MAY_FIT, /* all that is known of it fits */
    FITS,
};

/* Does it fit? Nothing is told of what does not; a limit is a failure. */
static enum rf_code fits(struct check *c, const struct place *at, const struct rf_jval *schema,
                         enum fit *out)
{
    struct rf_err *err = c->err;
    bool unsure = c->unsure;
    c->err = NULL;
    c->unsure = false;
    enum rf_code rc = check_inside(c, schema, at->value, at->path);
    *out = rc ? FITS_NOT : c->unsure ? MAY_FIT : FITS;
    c->err = err;
    c->unsure = unsure || *out == MAY_FIT;
    return rc == RF_ELIMIT ? fail_far(c) : RF_OK;
}

static enum rf_code alternatives(struct check *c, const struct place *at,
                                 const struct rf_jval *given, bool only_one)
{
    bool any = false;
    size_t certain = 0;
    if (given->type != RF_JARRAY || !given->count)
        return RF_OK;
    for (const struct rf_jval *v = rf_jval_first(given); v; v = rf_jval_next(given, v)) {
        enum fit fit;
        enum rf_code rc = fits(c, at, v, &fit);
        any = any || fit != FITS_NOT;
        certain += fit == FITS;
        if (rc || (any && !only_one))
            return rc;
        if (certain > 1)
            return rf_fail_at(c->err, RF_EFORMAT, at->path,
                              "it fits more than one of %u alternatives", (unsigned)given->count);
    }
    if (any)
        return RF_OK;
    return rf_fail_at(c->err, RF_EFORMAT, at->path, "it fits none of %u alternatives",
                      (unsigned)given->count);
}

static enum rf_code any_of(struct check *c, const struct place *at, const struct rf_jval *given)
{
    return alternatives(c, at, given, false);
}

static enum rf_code one_of(struct check *c, const struct place *at, const struct rf_jval *given)
{
    return alternatives(c, at, given, true);
}

static enum rf_code all_of(struct check *c, const struct place *at, const struct rf_jval *given)
{
    enum rf_code rc = RF_OK;
    if (given->type != RF_JARRAY)
        return RF_OK;
    for (const struct rf_jval *v = rf_jval_first(given); v && !rc; v = rf_jval_next(given, v))
        rc = check_inside(c, v, at->value, at->path);
    return rc;
}

static enum rf_code none_of(struct check *c, const struct place *at, const struct rf_jval *given)
{
    enum fit fit;
    enum rf_code rc = fits(c, at, given, &fit);
    if (rc || fit != FITS)
        return rc;
    return rf_fail_at(c->err, RF_EFORMAT, at->path, "it is what it must not be");
}

/* "#", or a JSON pointer after it; NULL where that leads nowhere. */
static const struct rf_jval *referred(struct check *c, struct rf_str pointer)
{
    const struct rf_jval *v = c->root;
    struct rf_str step;
    if (!pointer.n || pointer.p[0] != '#')
        return NULL;
    pointer = (struct rf_str){ pointer.p + 1, pointer.n - 1 };
    if (rf_str_split(&pointer, '/', &step) && step.n)
        return NULL;
    while (v && rf_str_split(&pointer, '/', &step))
        v = rf_jval_get(v, rf_cstr(c->arena, step));
    return v;
}

static enum rf_code reference(struct check *c, const struct place *at, const struct rf_jval *given)
{
    const struct rf_jval *schema =
        given->type == RF_JSTRING ? referred(c, rf_jval_text(given, c->arena)) : NULL;
    if (schema)
        return check_inside(c, schema, at->value, at->path);
    c->unsure = true;
    return RF_OK;
}

static const struct {
    const char *name;
    enum rf_code (*check)(struct check *c, const struct place *at, const struct rf_jval *given);
} keywords[] = {
    { "$ref", reference }, { "type", type },    { "enum", one_of_these },
    { "const", constant }, { "anyOf", any_of }, { "oneOf", one_of },
    { "allOf", all_of },   { "not", none_of },  { "required", required },
};

static bool is_known(const struct rf_jval *keyword)
{
    static const char *const others[] = {
        "$comment",   "$defs",       "$id",         "$schema", "additionalProperties",
        "default",    "definitions", "description", "items",   "prefixItems",
        "properties", "title",       "examples",    NULL
    };
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (rf_jval_is(keyword, keywords[i].name))
            return true;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (rf_jval_is(keyword, bounds[i].name))
            return true;
    return rf_jval_is_any(keyword, others);
}

static bool is_all_known(const struct rf_jval *schema)
{
    if (schema->type != RF_JOBJECT)
        return schema->type == RF_JTRUE;
    for (const struct rf_jval *k = rf_jval_first(schema); k; k = rf_jval_next(schema, k + 1))
        if (!is_known(k))
            return false;
    return true;
}

static enum rf_code check_keywords(struct check *c, const struct place *at)
{
    enum rf_code rc = RF_OK;
    c->unsure = c->unsure || !is_all_known(at->schema);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords && !rc; i++) {
        const struct rf_jval *given = rf_jval_get(at->schema, keywords[i].name);
        if (given)
            rc = keywords[i].check(c, at, given);
    }
    if (!rc)
        rc = check_bounds(c, at);
    if (!rc && at->value->type == RF_JOBJECT)
        rc = check_members(c, at);
    if (!rc && at->value->type == RF_JARRAY)
        rc = check_elements(c, at);
    return rc;
}

static enum rf_code check(struct check *c, const struct place *at)
{
    if (at->schema->type == RF_JFALSE)
        return rf_fail_at(c->err, RF_EFORMAT, at->path, "nothing is allowed here");
    if (is_far(c, CHECK_WORK) || c->depth > MOST_DEPTH)
        return fail_far(c);
    c->depth++;
    enum rf_code rc = check_keywords(c, at);
    c->depth--;
    return rc;
}

enum rf_code rf_schema_check(const struct rf_jval *schema, const struct rf_jval *value,
                             struct rf_arena *a, struct rf_err *err)
{
    struct check c = { .root = schema, .arena = a, .err = err };
    return check_inside(&c, schema, value, NULL);
}
