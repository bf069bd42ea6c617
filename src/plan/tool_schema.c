#include "plan/tool_schema.h"

#include "base/arena.h"
#include "base/json_write.h"

#define MOST_SOUGHT 1000 /* properties among which one of a choice is looked for */

struct members {
    struct rf_jmember *list;
    size_t count, cap;
};

/* What becomes of a schema: the members of its `properties` and what its `required` holds, its
 * other members, and what is taken off. */
struct flat {
    struct rf_arena *arena;
    struct members properties, others, off;
    const struct rf_jval **required;
    size_t required_count, required_cap;
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

static void add(struct members *m, const char *name, const struct rf_jval *v, struct rf_arena *a)
{
    *RF_PUSH(a, m->list, m->count, m->cap) = (struct rf_jmember){ name, v };
}

static void add_member(struct members *m, const struct rf_jval *key, struct rf_arena *a)
{
    add(m, rf_cstr(a, key->raw), key + 1, a);
}

static bool is_new(const struct members *m, const struct rf_jval *name)
{
    for (size_t i = 0; i < m->count; i++)
        if (rf_str_is(name->raw, m->list[i].name))
            return false;
    return true;
}

/* All of the first schema that has any; of the others, those that there are not yet. What is too
 * much to be looked for is told in the description all the same. */
static void add_properties(struct flat *f, const struct rf_jval *schema)
{
    const struct rf_jval *v = member(schema, "properties", RF_JOBJECT);
    bool first = f->properties.count == 0;
    for (const struct rf_jval *k = v ? rf_jval_first(v) : NULL; k; k = rf_jval_next(v, k + 1)) {
        if (!first && (f->properties.count >= MOST_SOUGHT || !is_new(&f->properties, k)))
            continue;
        add_member(&f->properties, k, f->arena);
    }
}

static void add_required(struct flat *f, const struct rf_jval *schema)
{
    const struct rf_jval *list = member(schema, "required", RF_JARRAY);
    for (const struct rf_jval *v = list ? rf_jval_first(list) : NULL; v; v = rf_jval_next(list, v))
        *RF_PUSH(f->arena, f->required, f->required_count, f->required_cap) = v;
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
    static const struct rf_jval none = { .type = RF_JOBJECT, .depth = 1, .span = 1 };
    const struct rf_jval *schema = tool->input_schema, *properties;
    struct flat f = { .arena = a };
    if (!schema || schema->type != RF_JOBJECT || !has_choice(schema))
        return;
    add_properties(&f, schema);
    add_required(&f, schema);
    add_others(&f, schema);
    properties = rf_jval_object(f.properties.list, f.properties.count, a);
    add(&f.others, "properties", properties ? properties : &none, a);
    if (f.required_count)
        add(&f.others, "required", rf_jval_array(f.required, f.required_count, a), a);
    tool->input_schema = rf_jval_object(f.others.list, f.others.count, a);
    tool->description =
        rf_strf(a, "%.*s%sThe arguments must also fit this JSON Schema: %.*s",
                RF_FMT(tool->description), tool->description.n ? "\n\n" : "",
                RF_FMT(rf_jval_compact(rf_jval_object(f.off.list, f.off.count, a), a)));
}
