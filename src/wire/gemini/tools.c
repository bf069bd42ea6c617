/* A schema as Gemini takes it, of a tool or an answer: JSON schema, but for what its subset does
 * not have.
 *
 * https://ai.google.dev/gemini-api/docs/structured-output, as of 2026-11.
 *
 * A constant becomes an enumeration of one; keywords that say nothing there or are refused are
 * left out. Names of properties are not keywords, and values are not looked into. */
#include "wire/gemini/gemini.h"

static const char *const left_out[] = {
    "$schema",           "$comment",        "examples",      "deprecated",
    "readOnly",          "writeOnly",       "if",            "then",
    "else",              "not",             "contains",      "propertyNames",
    "patternProperties", "dependentSchemas", "dependentRequired", "unevaluatedProperties",
};
static const char *const holds_schemas[] = { "properties", "$defs", "definitions" };
static const char *const is_schema[] = { "items", "additionalProperties", "prefixItems",
                                         "anyOf", "oneOf", "allOf" };

static bool is_among(const struct rf_jval *key, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rf_jval_is(key, names[i]))
            return true;
    return false;
}
#define AMONG(key, names) is_among(key, names, sizeof(names) / sizeof *(names))

static void schema(struct rf_json *w, const struct rf_jval *v);

/* Schemas by name, which may be any name. */
static void named_schemas(struct rf_json *w, const struct rf_jval *v)
{
    if (v->type != RF_JOBJECT) {
        rf_json_value(w, NULL, v);
        return;
    }
    rf_json_obj(w, NULL);
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1)) {
        rf_json_key(w, rf_jval_text(k, w->rope->arena));
        schema(w, k + 1);
    }
    rf_json_end(w);
}

static void keyword(struct rf_json *w, const struct rf_jval *key)
{
    bool constant = rf_jval_is(key, "const");
    if (AMONG(key, left_out))
        return;
    rf_json_key(w, constant ? RF_STR("enum") : rf_jval_text(key, w->rope->arena));
    if (constant) {
        rf_json_arr(w, NULL);
        rf_json_value(w, NULL, key + 1);
        rf_json_end(w);
    } else if (AMONG(key, holds_schemas)) {
        named_schemas(w, key + 1);
    } else if (AMONG(key, is_schema)) {
        schema(w, key + 1);
    } else {
        rf_json_value(w, NULL, key + 1);
    }
}

/* A schema, a list of them, or a value in the place of one. */
static void schema(struct rf_json *w, const struct rf_jval *v)
{
    if (v->type == RF_JARRAY) {
        rf_json_arr(w, NULL);
        for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, e))
            schema(w, e);
        rf_json_end(w);
    } else if (v->type == RF_JOBJECT) {
        bool listed = rf_jval_get(v, "enum");
        rf_json_obj(w, NULL);
        for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1))
            if (!listed || !rf_jval_is(k, "const"))
                keyword(w, k);
        rf_json_end(w);
    } else {
        rf_json_value(w, NULL, v);
    }
}

void rf_gemini_json_schema(struct rf_json *w, const char *key, const struct rf_jval *v)
{
    rf_json_key(w, rf_str(key));
    schema(w, v);
}

void rf_gemini_parameters(struct rf_json *w, const struct rf_tool *tool)
{
    rf_gemini_json_schema(w, "parametersJsonSchema", rf_wire_tool_schema(tool, w->rope->arena));
}
