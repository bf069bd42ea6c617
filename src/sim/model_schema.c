/* An answer in JSON: the least that fits the schema which the request has in the place of its API.
 * The texts in it are what the model would have said. */
#include "base/arena.h"
#include "base/utf8.h"
#include "sim/mind.h"

#define MOST_DEPTH 32   /* of a schema that refers to itself */
#define MOST_ELEMENTS 8 /* of a list in it */

static const struct {
    const char *dialect;
    const char *path[6];
} places[] = {
    { "anthropic", { "output_config", "format", "schema" } },
    { "bedrock", { "outputConfig", "textFormat", "structure", "jsonSchema", "schema" } },
    { "cohere", { "response_format", "json_schema" } },
    { "gemini", { "generationConfig", "responseJsonSchema" } },
    { "mistral", { "response_format", "json_schema", "schema" } },
    { "ollama", { "format" } },
    { "openai-chat", { "response_format", "json_schema", "schema" } },
    { "openai-responses", { "text", "format", "schema" } },
};

static const struct rf_jval *find(const struct rf_sim_request *r)
{
    const struct rf_jval *v = NULL, *read;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(r->dialect->name, places[i].dialect) != 0)
            continue;
        v = r->body;
        for (const char *const *step = places[i].path; *step; step++)
            v = rf_jval_get(v, *step);
    }
    if (v && v->type == RF_JSTRING &&
        !rf_jval_parse(rf_jval_text(v, r->arena), r->arena, &read, NULL))
        v = read;
    return v && v->type == RF_JOBJECT ? v : NULL;
}

struct sample {
    const struct rf_sim_request *r;
    const struct rf_jval *root;
    struct rf_str said;
    struct rf_json *w;
    size_t depth;
};

static void write_sample(struct sample *s, const struct rf_jval *schema);

static int64_t bound(const struct rf_jval *schema, const char *name, int64_t usual)
{
    const struct rf_jval *v = rf_jval_get(schema, name);
    int64_t n;
    return v && rf_jval_int64(v, &n) ? n : usual;
}

/* "#/$defs/x". */
static const struct rf_jval *referred(struct sample *s, const struct rf_jval *ref)
{
    const struct rf_jval *v = s->root;
    struct rf_str rest = ref->type == RF_JSTRING ? rf_jval_text(ref, s->r->arena) : RF_STR(""),
                  step;
    rf_str_split(&rest, '/', &step);
    while (v && rf_str_split(&rest, '/', &step))
        v = rf_jval_get(v, rf_cstr(s->r->arena, step));
    return v;
}

/* The one that a schema stands for; itself where it stands for none. */
static const struct rf_jval *meant(struct sample *s, const struct rf_jval *schema)
{
    static const char *const lists[] = { "anyOf", "oneOf", "allOf" };
    const struct rf_jval *ref = rf_jval_get(schema, "$ref");
    if (ref)
        return referred(s, ref);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct rf_jval *first = rf_jval_at(rf_jval_get(schema, lists[i]), 0);
        if (first)
            return first;
    }
    return schema;
}

static void write_members(struct sample *s, const struct rf_jval *schema)
{
    const struct rf_jval *list = rf_jval_get(schema, "required");
    const struct rf_jval *properties = rf_jval_get(schema, "properties");
    bool listed = list && list->type == RF_JARRAY;
    rf_json_obj(s->w, NULL);
    for (const struct rf_jval *v = listed ? rf_jval_first(list) : NULL; v;
         v = rf_jval_next(list, v)) {
        struct rf_str name = v->type == RF_JSTRING ? rf_jval_text(v, s->r->arena) : RF_STR("");
        rf_json_key(s->w, name);
        write_sample(s, rf_jval_get(properties, rf_cstr(s->r->arena, name)));
    }
    rf_json_end(s->w);
}

static void write_elements(struct sample *s, const struct rf_jval *schema)
{
    int64_t least = bound(schema, "minItems", 0);
    rf_json_arr(s->w, NULL);
    for (int64_t i = 0; i < least && i < MOST_ELEMENTS; i++)
        write_sample(s, rf_jval_get(schema, "items"));
    rf_json_end(s->w);
}

static void write_typed(struct sample *s, const struct rf_jval *schema)
{
    const struct rf_jval *type = rf_jval_get(schema, "type");
    if (type && type->type == RF_JARRAY)
        type = rf_jval_at(type, 0);
    if (type && rf_jval_is(type, "object"))
        write_members(s, schema);
    else if (type && rf_jval_is(type, "array"))
        write_elements(s, schema);
    else if (type && (rf_jval_is(type, "integer") || rf_jval_is(type, "number")))
        rf_json_int(s->w, NULL, bound(schema, "minimum", 0));
    else if (type && rf_jval_is(type, "boolean"))
        rf_json_bool(s->w, NULL, false);
    else if (type && rf_jval_is(type, "null"))
        rf_json_null(s->w, NULL);
    else
        rf_json_str(s->w, NULL,
                    rf_utf8_cut(s->said, (size_t)bound(schema, "maxLength", (int64_t)s->said.n)));
}

static void write_sample(struct sample *s, const struct rf_jval *schema)
{
    const struct rf_jval *other = meant(s, schema), *constant = rf_jval_get(schema, "const");
    const struct rf_jval *first = rf_jval_at(rf_jval_get(schema, "enum"), 0);
    if (s->depth++ >= MOST_DEPTH)
        rf_json_null(s->w, NULL);
    else if (other != schema)
        write_sample(s, other);
    else if (constant || first)
        rf_json_value(s->w, NULL, constant ? constant : first);
    else
        write_typed(s, schema);
    s->depth--;
}

struct rf_str rf_sim_fit(const struct rf_sim_request *r, struct rf_str said)
{
    struct sample s = { .r = r, .root = find(r), .said = said };
    struct rf_sim_writer writer;
    if (!s.root)
        return said;
    s.w = rf_sim_write(&writer, r->arena);
    write_sample(&s, s.root);
    return rf_sim_written(&writer);
}
