/* The schema objects of Google's APIs, which are a dialect of OpenAPI 3.0, as JSON schema.
 *
 * https://ai.google.dev/api/caching#Schema, as of 2026-11.
 *
 * Types are upper-case words there, null is a flag, whole numbers of 64 bits are strings, and names
 * may have underscores. What is JSON schema already stays as it is. It refuses to touch examples,
 * defaults and enumerations. */
#include "base/arena.h"
#include "wire/gemini/parse.h"

static const struct {
    const char *google;
    struct rf_str json;
} types[] = {
    { "ARRAY", RF_STR_INIT("array") },     { "BOOLEAN", RF_STR_INIT("boolean") },
    { "INTEGER", RF_STR_INIT("integer") }, { "NULL", RF_STR_INIT("null") },
    { "NUMBER", RF_STR_INIT("number") },   { "OBJECT", RF_STR_INIT("object") },
    { "STRING", RF_STR_INIT("string") },
};

static struct rf_str type_of(const struct rf_jval *v, struct rf_arena *a)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (rf_jval_is(v, types[i].google))
            return types[i].json;
    return rf_jval_text(v, a);
}

static void write_type(struct rf_json *w, const struct rf_jval *schema, const struct rf_jval *v)
{
    const struct rf_jval *nullable = rf_jval_get(schema, "nullable");
    struct rf_str type = type_of(v, w->rope->arena);
    if (!nullable || nullable->type != RF_JTRUE) {
        rf_json_str(w, "type", type);
        return;
    }
    rf_json_arr(w, "type");
    rf_json_str(w, NULL, type);
    rf_json_str(w, NULL, RF_STR("null"));
    rf_json_end(w);
}

/* The name of those that it is, or NULL. */
static const char *among(const struct rf_jval *key, const char *const *names)
{
    while (*names && !rf_gemini_is(key, *names))
        names++;
    return *names;
}

static bool is_number(const struct rf_jval *v)
{
    int64_t n;
    return v->type == RF_JSTRING && rf_str_int64(v->raw, &n);
}

static void write_schema(struct rf_json *w, const char *key, const struct rf_jval *schema);

/* An object whose values are schemas, or a list of them. */
static void write_schemas(struct rf_json *w, const struct rf_jval *v)
{
    if (v->type == RF_JARRAY) {
        rf_json_arr(w, NULL);
        for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, e))
            write_schema(w, NULL, e);
        rf_json_end(w);
    } else if (v->type == RF_JOBJECT) {
        rf_json_obj(w, NULL);
        for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1)) {
            rf_json_key(w, rf_jval_text(k, w->rope->arena));
            write_schema(w, NULL, k + 1);
        }
        rf_json_end(w);
    } else {
        rf_json_value(w, NULL, v);
    }
}

static void write_member(struct rf_json *w, const struct rf_jval *schema, const struct rf_jval *k)
{
    static const char *const one[] = { "items", "additionalProperties", NULL };
    static const char *const several[] = { "anyOf", "prefixItems", "properties", "$defs", NULL };
    static const char *const counts[] = { "maxItems", "maxLength", "maxProperties",
                                          "minItems", "minLength", "minProperties",
                                          NULL };
    static const char *const others[] = { "propertyOrdering", NULL };
    const char *holds_one = among(k, one), *holds_several = among(k, several);
    const char *counted = among(k, counts), *name = holds_one ? holds_one : holds_several;
    if (rf_jval_is(k, "type") && k[1].type == RF_JSTRING) {
        write_type(w, schema, k + 1);
        return;
    }
    name = name ? name : counted ? counted : among(k, others);
    rf_json_key(w, name ? rf_str(name) : rf_jval_text(k, w->rope->arena));
    if (holds_one)
        write_schema(w, NULL, k + 1);
    else if (holds_several)
        write_schemas(w, k + 1);
    else if (counted && is_number(k + 1))
        rf_json_raw(w, NULL, k[1].raw);
    else
        rf_json_value(w, NULL, k + 1);
}

static void write_schema(struct rf_json *w, const char *key, const struct rf_jval *schema)
{
    if (schema->type != RF_JOBJECT) {
        rf_json_value(w, key, schema);
        return;
    }
    rf_json_obj(w, key);
    for (const struct rf_jval *k = rf_jval_first(schema); k; k = rf_jval_next(schema, k + 1))
        if (!rf_jval_is(k, "nullable") || !rf_jval_get(schema, "type"))
            write_member(w, schema, k);
    rf_json_end(w);
}

const struct rf_jval *rf_gemini_schema(const struct rf_jval *schema, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    write_schema(&w, NULL, schema);
    return rf_aside_made(&w, a);
}
