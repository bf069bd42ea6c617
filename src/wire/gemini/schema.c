/* The schema objects of Google's APIs, which are a dialect of OpenAPI 3.0, as JSON schema.
 *
 * https://ai.google.dev/api/caching#Schema, as of 2026-11.
 *
 * Types are upper-case words there, null is a flag, and whole numbers of 64 bits are strings. What
 * is JSON schema already stays as it is. It refuses to touch examples, defaults and enumerations.
 */
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

static bool is_among(const struct rf_jval *key, const char *const *names)
{
    while (*names && !rf_gemini_is(key, *names))
        names++;
    return *names;
}

static bool is_count(const struct rf_jval *key)
{
    static const char *const counts[] = { "maxItems", "maxLength", "maxProperties",
                                          "minItems", "minLength", "minProperties",
                                          NULL };
    int64_t n;
    return is_among(key, counts) && key[1].type == RF_JSTRING && rf_str_int64(key[1].raw, &n);
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
    if (rf_jval_is(k, "type") && k[1].type == RF_JSTRING) {
        write_type(w, schema, k + 1);
        return;
    }
    rf_json_key(w, rf_gemini_is(k, "anyOf") ? RF_STR("anyOf") : rf_jval_text(k, w->rope->arena));
    if (is_among(k, one))
        write_schema(w, NULL, k + 1);
    else if (is_among(k, several))
        write_schemas(w, k + 1);
    else if (is_count(k))
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
