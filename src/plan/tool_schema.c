#include "plan/tool_schema.h"

#include "base/arena.h"
#include "base/buf.h"

#define MOST_SOUGHT 1000 /* properties among which one of a choice is looked for */

/* What becomes of a schema, as JSON: the members of its `properties` and of its `required`, its
 * other members, and what is taken off. */
struct flat {
    struct rf_arena *arena;
    const struct rf_jval **names;
    size_t count, cap;
    struct rf_buf properties, required, others, off;
};

static const struct rf_jval *member(const struct rf_jval *v, const char *name, enum rf_jtype type)
{
    const struct rf_jval *found = rf_jval_get(v, name);
    return found && found->type == type ? found : NULL;
}

static bool is_choice(const struct rf_jval *key)
{
    static const char *const choices[] = { "allOf", "anyOf", "oneOf", NULL };
    return rf_jval_is_any(key, choices) && key[1].type == RF_JARRAY;
}

static void add_member(struct rf_buf *b, const struct rf_jval *key, struct rf_arena *a)
{
    rf_buf_addf(b, "%s\"%.*s\":%.*s", b->n ? "," : "", RF_FMT(key->raw),
                RF_FMT(rf_jval_compact(key + 1, a)));
}

static bool is_new(const struct flat *f, const struct rf_jval *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (rf_str_eq(f->names[i]->raw, name->raw))
            return false;
    return true;
}

/* All of the first schema that has any; of the others, those that there are not yet. What is too
 * much to be looked for is told in the description all the same. */
static void add_properties(struct flat *f, const struct rf_jval *schema)
{
    const struct rf_jval *v = member(schema, "properties", RF_JOBJECT);
    bool first = f->count == 0;
    for (const struct rf_jval *k = v ? rf_jval_first(v) : NULL; k; k = rf_jval_next(v, k + 1)) {
        if (!first && (f->count >= MOST_SOUGHT || !is_new(f, k)))
            continue;
        *RF_PUSH(f->arena, f->names, f->count, f->cap) = k;
        add_member(&f->properties, k, f->arena);
    }
}

static void add_required(struct flat *f, const struct rf_jval *schema)
{
    const struct rf_jval *list = member(schema, "required", RF_JARRAY);
    for (const struct rf_jval *v = list ? rf_jval_first(list) : NULL; v; v = rf_jval_next(list, v))
        rf_buf_addf(&f->required, "%s%.*s", f->required.n ? "," : "",
                    RF_FMT(rf_jval_compact(v, f->arena)));
}

/* Of `allOf` all is required, of the others perhaps nothing. */
static void take_off(struct flat *f, const struct rf_jval *key)
{
    add_member(&f->off, key, f->arena);
    for (const struct rf_jval *v = rf_jval_first(key + 1); v; v = rf_jval_next(key + 1, v)) {
        add_properties(f, v);
        if (rf_jval_is(key, "allOf"))
            add_required(f, v);
    }
}

static void add_others(struct flat *f, const struct rf_jval *schema)
{
    static const char *const merged[] = { "properties", "required", NULL };
    for (const struct rf_jval *k = rf_jval_first(schema); k; k = rf_jval_next(schema, k + 1)) {
        if (is_choice(k))
            take_off(f, k);
        else if (!rf_jval_is_any(k, merged))
            add_member(&f->others, k, f->arena);
    }
}

static bool has_choice(const struct rf_jval *schema)
{
    const struct rf_jval *k = rf_jval_first(schema);
    while (k && !is_choice(k))
        k = rf_jval_next(schema, k + 1);
    return k;
}

void rf_tool_schema_flatten(struct rf_tool *tool, struct rf_arena *a)
{
    const struct rf_jval *schema = tool->input_schema;
    struct flat f = { .arena = a };
    struct rf_buf *const all[] = { &f.properties, &f.required, &f.others, &f.off };
    if (!schema || schema->type != RF_JOBJECT || !has_choice(schema))
        return;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        rf_buf_init(all[i], a, SIZE_MAX);
    add_properties(&f, schema);
    add_required(&f, schema);
    add_others(&f, schema);
    struct rf_str made = rf_strf(a, "{%.*s%s\"properties\":{%.*s}%s%.*s%s}", (int)f.others.n,
                                 f.others.p, f.others.n ? "," : "", (int)f.properties.n,
                                 f.properties.p, f.required.n ? ",\"required\":[" : "",
                                 (int)f.required.n, f.required.p, f.required.n ? "]" : "");
    if (rf_jval_parse(made, a, &tool->input_schema, NULL))
        RF_BUG("JSON in memory could not be read");
    tool->description = rf_strf(a, "%.*s%sThe arguments must also fit this JSON Schema: {%.*s}",
                                RF_FMT(tool->description), tool->description.n ? "\n\n" : "",
                                (int)f.off.n, f.off.p);
}
