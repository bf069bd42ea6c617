/* OpenAI Responses: tools that a request offers.
 * https://platform.openai.com/docs/api-reference/responses (2026-11)
 *
 *     on the wire                  conversation
 *     function                     tool
 *     custom                       tool that takes one text, "input"; the grammar of that text is
 *                                  told in the description
 *     namespace                    its tools, named NAMESPACE__NAME; as it came in the list
 *                                  "namespaces"
 *     tools of additional_tools    the same; the item as it came: where it stands, and in the list
 *                                  "offers" where nothing stands before it
 *     any other                    in the list "tools", of such an item also in "additional"
 *
 * Models of any vendor can call the tools of the conversation. What their own API knows more of
 * them is kept with each: "type" where that is custom, "namespace", and "additional" of one that is
 * in an item and not in the list. */
#include "base/arena.h"
#include "wire/aside.h"
#include "wire/custom.h"
#include "wire/openai_responses/openai_responses.h"

#define BETWEEN "__" /* legal in names of every API */

struct place {
    const struct rf_jval *space; /* the namespace, or NULL */
    bool additional;             /* in an item of the input */
};

static bool is(const struct rf_jval *v, const char *s)
{
    return v && v->type == RF_JSTRING && rf_jval_is(v, s);
}

static const struct rf_jval *first_of(const struct rf_jval *list)
{
    return list && list->type == RF_JARRAY ? rf_jval_first(list) : NULL;
}

static bool is_namespace(const struct rf_jval *v)
{
    return is(rf_jval_get(v, "type"), "namespace");
}

/* Does the client run it, so that anybody can call it? */
static bool is_called(const struct rf_jval *v)
{
    const struct rf_jval *type = rf_jval_get(v, "type"), *name = rf_jval_get(v, "name");
    return (is(type, "function") || is(type, "custom")) && name && name->type == RF_JSTRING &&
           name->raw.n;
}

struct rf_str rf_responses_name(struct rf_builder *b, const struct rf_jval *v,
                                const struct rf_jval *space)
{
    struct rf_str name = rf_build_str(b, rf_jval_get(v, "name")), within = rf_build_str(b, space);
    return name.n && within.n
               ? rf_strf(b->arena, "%.*s" BETWEEN "%.*s", RF_FMT(within), RF_FMT(name))
               : name;
}

struct rf_responses_called rf_responses_called(const struct rf_jval *own, struct rf_str name,
                                               struct rf_arena *a)
{
    const struct rf_jval *space = rf_jval_get(own, "namespace"), *type = rf_jval_get(own, "type");
    struct rf_responses_called c = { .name = name };
    size_t skipped;
    c.custom = type && type->type == RF_JSTRING && rf_str_starts(type->raw, "custom");
    if (!space || space->type != RF_JSTRING)
        return c;
    c.space = rf_jval_text(space, a);
    skipped = c.space.n + strlen(BETWEEN);
    if (name.n > skipped && rf_str_starts(name, rf_cstr(a, c.space)))
        c.name = (struct rf_str){ name.p + skipped, name.n - skipped };
    return c;
}

/* What a namespace says of itself stands with the first of its tools. */
static struct rf_str description(struct rf_builder *b, const struct rf_jval *v,
                                 const struct rf_jval *space)
{
    const struct rf_jval *format = rf_jval_get(v, "format"), *tools = rf_jval_get(space, "tools");
    struct rf_texts texts = { 0 };
    if (v == first_of(tools))
        rf_texts_add(&texts, rf_build_str(b, rf_jval_get(space, "description")), b->arena);
    rf_texts_add(&texts, rf_build_str(b, rf_jval_get(v, "description")), b->arena);
    rf_texts_add(&texts,
                 rf_custom_grammar(rf_build_str(b, rf_jval_get(format, "syntax")),
                                   rf_build_str(b, rf_jval_get(format, "definition")), b->arena),
                 b->arena);
    return rf_texts_join(&texts, RF_STR("\n\n"), b->arena);
}

/* A custom one keeps its type and its own description. */
static const struct rf_jval *own_members(struct rf_builder *b, const struct rf_jval *v,
                                         const struct place *at)
{
    static const struct rf_jval yes = { .type = RF_JTRUE, .span = 1, .raw = RF_STR_INIT("true") };
    static const char *const known[] = {
        "type", "name", "description", "parameters", "strict", NULL
    };
    static const char *const known_of_custom[] = { "name", NULL };
    struct rf_aside aside;
    rf_aside_init(&aside, b);
    rf_aside_rest(&aside, v, is(rf_jval_get(v, "type"), "custom") ? known_of_custom : known);
    rf_aside_put(&aside, "namespace", rf_jval_get(at->space, "name"));
    if (at->additional)
        rf_aside_put(&aside, "additional", &yes);
    return rf_aside_done(&aside);
}

static void add_tool(struct rf_builder *b, const struct rf_jval *v, const struct place *at)
{
    const struct rf_jval *schema = rf_jval_get(v, "parameters"), *strict = rf_jval_get(v, "strict");
    bool custom = is(rf_jval_get(v, "type"), "custom");
    struct rf_tool *tool = rf_build_tool(b);
    tool->name = rf_responses_name(b, v, rf_jval_get(at->space, "name"));
    tool->description = description(b, v, at->space);
    if (custom)
        tool->input_schema = rf_custom_schema(b->arena);
    else if (schema && schema->type == RF_JOBJECT)
        tool->input_schema = schema;
    tool->strict = !custom && strict && strict->type == RF_JTRUE;
    tool->extra = own_members(b, v, at);
}

static void add_tools(struct rf_builder *b, const struct rf_jval *list, const struct place *at)
{
    for (const struct rf_jval *v = first_of(list); v; v = rf_jval_next(list, v)) {
        const struct place within = { v, at->additional };
        if (is_called(v))
            add_tool(b, v, at);
        else if (is_namespace(v) && !at->space)
            add_tools(b, rf_jval_get(v, "tools"), &within);
    }
}

/* Those that the other side runs. */
static void keep_hosted(const struct rf_jval *list, const char *name, struct rf_aside *aside)
{
    size_t i = 0;
    for (const struct rf_jval *v = first_of(list); v; v = rf_jval_next(list, v), i++)
        if (!is_called(v) && !is_namespace(v))
            rf_aside_place(aside, name, i, v);
}

void rf_responses_tools(struct rf_builder *b, const struct rf_jval *list, struct rf_aside *aside)
{
    const struct place here = { 0 };
    size_t i = 0;
    add_tools(b, list, &here);
    keep_hosted(list, "tools", aside);
    for (const struct rf_jval *v = first_of(list); v; v = rf_jval_next(list, v), i++)
        if (is_namespace(v))
            rf_aside_place(aside, "namespaces", i, v);
}

bool rf_responses_offers(const struct rf_jval *item)
{
    return is(rf_jval_get(item, "type"), "additional_tools");
}

void rf_responses_additional(struct rf_builder *b, const struct rf_jval *input,
                             struct rf_aside *aside)
{
    const struct place here = { .additional = true };
    bool leads = true;
    size_t i = 0;
    for (const struct rf_jval *v = first_of(input); v; v = rf_jval_next(input, v), i++) {
        leads &= rf_responses_offers(v);
        if (leads)
            rf_aside_place(aside, "offers", i, v);
        if (rf_responses_offers(v))
            add_tools(b, rf_jval_get(v, "tools"), &here);
    }
    for (const struct rf_jval *v = first_of(input); v; v = rf_jval_next(input, v))
        if (rf_responses_offers(v))
            keep_hosted(rf_jval_get(v, "tools"), "additional", aside);
}
