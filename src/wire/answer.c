/* The schema of an answer. What an API enforces is a part of JSON Schema, a different one each:
 *
 *     OpenAI      `strict` where all objects are closed and all properties required; else as a hint
 *     Claude      objects must be closed; bounds of numbers and lengths are refused, and so is what
 *                 only Gemini knows
 *
 * It refuses to change what a schema means: closing an object only narrows it. The parts of an
 * `allOf` stay open, as does the object that has it: closed, each would refuse what only the others
 * name. Where a part is a reference, what it leads to may be anywhere, and everything stays
 * open. */
#include "wire/answer.h"

#include "base/arena.h"

#define NAME "answer"        /* of a format that was given none */
#define MOST_PROPERTIES 1000 /* of a strict object: each is looked for among those required */

/* Strict formats */

static bool is_required(const struct rf_jval *schema, const struct rf_jval *property,
                        struct rf_arena *a)
{
    const struct rf_jval *list = rf_jval_get(schema, "required");
    struct rf_str name = rf_jval_text(property, a);
    if (!list || list->type != RF_JARRAY || list->count > MOST_PROPERTIES)
        return false;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        if (v->type == RF_JSTRING && rf_str_eq(rf_jval_text(v, a), name))
            return true;
    return false;
}

static bool is_closed(const struct rf_jval *schema, struct rf_arena *a)
{
    const struct rf_jval *properties = rf_jval_get(schema, "properties");
    const struct rf_jval *others = rf_jval_get(schema, "additionalProperties");
    const struct rf_jval *type = rf_jval_get(schema, "type");
    bool object = properties || (type && rf_jval_is(type, "object"));
    if (!object)
        return true;
    if (!others || others->type != RF_JFALSE || !properties || properties->type != RF_JOBJECT ||
        properties->count > MOST_PROPERTIES)
        return false;
    for (const struct rf_jval *k = rf_jval_first(properties); k;
         k = rf_jval_next(properties, k + 1))
        if (!is_required(schema, k, a))
            return false;
    return true;
}

/* Would a strict format take it, all the way down? A property that is named like a keyword makes
 * it say no, which is always safe. */
static bool is_strict(const struct rf_jval *v, struct rf_arena *a)
{
    static const char *const refused[] = { "allOf",
                                           "default",
                                           "dependentRequired",
                                           "else",
                                           "if",
                                           "dependentSchemas",
                                           "not",
                                           "oneOf",
                                           "patternProperties",
                                           "prefixItems",
                                           "propertyNames",
                                           "propertyOrdering",
                                           "then",
                                           "uniqueItems",
                                           NULL };
    bool object = v->type == RF_JOBJECT;
    if (object && !is_closed(v, a))
        return false;
    if (!object && v->type != RF_JARRAY)
        return true;
    for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, object ? e + 1 : e))
        if ((object && rf_jval_is_any(e, refused)) || !is_strict(object ? e + 1 : e, a))
            return false;
    return true;
}

static bool is_strict_object(const struct rf_jval *schema, struct rf_arena *a)
{
    const struct rf_jval *type = rf_jval_get(schema, "type");
    return type && rf_jval_is(type, "object") && is_strict(schema, a);
}

bool rf_answer_is_strict_tool(const struct rf_plan *p, const struct rf_tool *tool,
                              struct rf_arena *a)
{
    bool home = rf_str_eq(p->conversation->dialect, p->model->caps.dialect);
    return tool->strict && p->model->caps.strict_tools &&
           (home || is_strict_object(tool->input_schema, a));
}

struct rf_str rf_answer_name(const struct rf_plan *p)
{
    return p->schema_name.n ? p->schema_name : RF_STR(NAME);
}

void rf_answer_format(struct rf_json *w, const struct rf_plan *p, const struct rf_jval *kept)
{
    static const char *const but[] = { "type", "schema", NULL };
    bool strict = is_strict_object(p->schema, w->rope->arena);
    if (!rf_jval_get(kept, "name"))
        rf_json_str(w, "name", rf_answer_name(p));
    rf_json_value(w, "schema", p->schema);
    if (!rf_jval_get(kept, "strict"))
        rf_json_bool(w, "strict", strict);
    rf_json_members(w, kept, but);
}

/* Closed objects */

static void put_schema(struct rf_json *w, const char *key, const struct rf_jval *schema,
                       bool closed);

static void put_list(struct rf_json *w, const struct rf_jval *v, bool closed)
{
    bool object = v->type == RF_JOBJECT;
    if (object)
        rf_json_obj(w, NULL);
    else
        rf_json_arr(w, NULL);
    for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, object ? e + 1 : e)) {
        if (object)
            rf_json_key(w, rf_jval_text(e, w->rope->arena));
        put_schema(w, NULL, object ? e + 1 : e, closed);
    }
    rf_json_end(w);
}

static void put_member(struct rf_json *w, const struct rf_jval *key, bool closed)
{
    static const char *const one[] = { "additionalProperties", "items", NULL };
    static const char *const several[] = { "$defs", "allOf",      "anyOf", "definitions",
                                           "oneOf", "properties", NULL };
    const struct rf_jval *v = key + 1;
    bool holds = v->type == RF_JOBJECT || v->type == RF_JARRAY;
    rf_json_key(w, rf_jval_text(key, w->rope->arena));
    if (rf_jval_is_any(key, one))
        put_schema(w, NULL, v, closed);
    else if (holds && rf_jval_is_any(key, several))
        put_list(w, v, closed && !rf_jval_is(key, "allOf"));
    else
        rf_json_value(w, NULL, v);
}

static void put_schema(struct rf_json *w, const char *key, const struct rf_jval *schema,
                       bool closed)
{
    static const char *const refused[] = { "exclusiveMaximum", "exclusiveMinimum", "maxItems",
                                           "maxLength",        "maximum",          "minItems",
                                           "minLength",        "minimum",          "multipleOf",
                                           "propertyOrdering", "uniqueItems",      NULL };
    const struct rf_jval *type = rf_jval_get(schema, "type");
    bool object = rf_jval_get(schema, "properties") || (type && rf_jval_is(type, "object"));
    if (schema->type != RF_JOBJECT) {
        rf_json_value(w, key, schema);
        return;
    }
    rf_json_obj(w, key);
    for (const struct rf_jval *k = rf_jval_first(schema); k; k = rf_jval_next(schema, k + 1))
        if (!rf_jval_is_any(k, refused))
            put_member(w, k, closed);
    if (closed && object && !rf_jval_get(schema, "additionalProperties") &&
        !rf_jval_get(schema, "allOf"))
        rf_json_bool(w, "additionalProperties", false);
    rf_json_end(w);
}

/* A property that is named like a keyword makes it say yes, which is always safe. */
static bool refers(const struct rf_jval *v, bool in_all_of)
{
    bool object = v->type == RF_JOBJECT;
    if (!object && v->type != RF_JARRAY)
        return false;
    for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, object ? e + 1 : e))
        if ((object && in_all_of && rf_jval_is(e, "$ref")) ||
            refers(object ? e + 1 : e, in_all_of || (object && rf_jval_is(e, "allOf"))))
            return true;
    return false;
}

void rf_answer_closed(struct rf_json *w, const char *key, const struct rf_jval *schema)
{
    put_schema(w, key, schema, !refers(schema, false));
}
