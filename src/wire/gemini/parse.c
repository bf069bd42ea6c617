/* Reading requests for Google's generateContent: the body, its tools and its options. The parts of
 * its contents are in parts.c.
 *
 * https://ai.google.dev/api/generate-content, as of 2026-11.
 *
 *     on the wire                          becomes
 *     systemInstruction                    system; parts other than text under extra
 *     tools: functionDeclarations          tools; schemas of Google's kind as JSON schema
 *     tools: others                        under extra, with their places
 *     toolConfig                           tool_choice; all of it under extra where that is not all
 *     generationConfig                     options; the rest under their extra
 *     thinkingConfig                       thinking: a budget, or one that a level amounts to
 *     contents                             messages
 *     others                               under extra
 *
 * The model's name is in the URL: an answer's origin names one only where "model" is in the body.
 * It refuses bodies without contents, and roles that are not user, model or function.
 */
#include "wire/gemini/parse.h"
#include "base/arena.h"
#include "content/fields.h"

#define LONGEST_NAME 48

/* Names. */

static const char *snake_case(const char *name, char out[LONGEST_NAME])
{
    size_t n = 0;
    for (; *name && n < LONGEST_NAME - 2; name++) {
        bool upper = *name >= 'A' && *name <= 'Z';
        if (upper)
            out[n++] = '_';
        out[n++] = (char)(upper ? *name - 'A' + 'a' : *name);
    }
    out[n] = '\0';
    return out;
}

const struct rf_jval *rf_gemini_get(const struct rf_jval *v, const char *name)
{
    char other[LONGEST_NAME];
    const struct rf_jval *found = rf_jval_get(v, name);
    return found ? found : rf_jval_get(v, snake_case(name, other));
}

bool rf_gemini_is(const struct rf_jval *key, const char *name)
{
    char other[LONGEST_NAME];
    return rf_jval_is(key, name) || rf_jval_is(key, snake_case(name, other));
}

struct rf_str rf_gemini_text(struct rf_builder *b, const struct rf_jval *v, const char *name)
{
    return rf_build_str(b, rf_gemini_get(v, name));
}

void rf_gemini_rest(struct rf_aside *s, const struct rf_jval *object, const char *const *known)
{
    if (!object || object->type != RF_JOBJECT)
        return;
    for (const struct rf_jval *k = rf_jval_first(object); k; k = rf_jval_next(object, k + 1)) {
        const char *const *name = known;
        while (*name && !rf_gemini_is(k, *name))
            name++;
        if (!*name)
            rf_aside_put_key(s, k);
    }
}

const struct rf_jval *rf_gemini_first(const struct rf_jval *list)
{
    if (list && list->type == RF_JOBJECT)
        return list;
    return list && list->type == RF_JARRAY ? rf_jval_first(list) : NULL;
}

const struct rf_jval *rf_gemini_next(const struct rf_jval *list, const struct rf_jval *v)
{
    return list->type == RF_JARRAY ? rf_jval_next(list, v) : NULL;
}

static bool is(const struct rf_jval *v, enum rf_jtype type)
{
    return v && v->type == type;
}

/* System. */

static void system_instruction(struct rf_gemini_request *p, const struct rf_jval *v)
{
    const struct rf_jval *parts = is(v, RF_JOBJECT) ? rf_gemini_get(v, "parts") : v;
    const struct rf_jval *e = rf_gemini_first(parts);
    size_t index = 0;
    rf_texts_add(&p->system, rf_build_str(p->b, v), p->b->arena);
    for (; e; e = rf_gemini_next(parts, e), index++) {
        rf_texts_add(&p->system, rf_gemini_text(p->b, e, "text"), p->b->arena);
        if (!is(rf_gemini_get(e, "text"), RF_JSTRING) || e->count > 1)
            rf_aside_place(&p->top, "systemInstruction", index, e);
    }
}

/* Tools. */

static bool declaration(struct rf_gemini_request *p, const struct rf_jval *v)
{
    static const char *const known[] = { "name", "description", "parameters",
                                         "parametersJsonSchema", NULL };
    const struct rf_jval *schema = rf_gemini_get(v, "parametersJsonSchema");
    const struct rf_jval *googles = rf_gemini_get(v, "parameters");
    struct rf_str name = rf_gemini_text(p->b, v, "name");
    struct rf_aside s;
    if (!name.n)
        return false;
    struct rf_tool *t = rf_build_tool(p->b);
    t->name = name;
    t->description = rf_gemini_text(p->b, v, "description");
    if (is(schema, RF_JOBJECT))
        t->input_schema = schema;
    else if (is(googles, RF_JOBJECT))
        t->input_schema = rf_gemini_schema(googles, p->b->arena);
    rf_aside_init(&s, p->b);
    rf_gemini_rest(&s, v, known);
    t->extra = rf_aside_done(&s);
    return true;
}

/* A tool that Google runs, or several; `v` without its functions. */
static const struct rf_jval *served(struct rf_gemini_request *p, const struct rf_jval *v)
{
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, p->b->arena);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1))
        if (!rf_gemini_is(k, "functionDeclarations"))
            rf_json_member(&w, k);
    rf_json_end(&w);
    return rf_aside_made(&w, p->b->arena);
}

static void tools(struct rf_gemini_request *p, const struct rf_jval *list)
{
    const struct rf_jval *v = rf_gemini_first(list);
    for (size_t index = 0; v; v = rf_gemini_next(list, v), index++) {
        const struct rf_jval *functions = rf_gemini_get(v, "functionDeclarations");
        const struct rf_jval *f = rf_gemini_first(functions);
        bool understood = v->type == RF_JOBJECT;
        for (; f; f = rf_gemini_next(functions, f))
            understood &= declaration(p, f);
        if (!understood)
            rf_aside_place(&p->top, "tools", index, v);
        else if (v->count > (functions != NULL))
            rf_aside_place(&p->top, "tools", index, served(p, v));
    }
}

static bool has_tool(const struct rf_conversation *c, struct rf_str name)
{
    for (size_t i = 0; i < c->tool_count; i++)
        if (rf_str_eq(c->tools[i].name, name))
            return true;
    return false;
}

/* False where there is more to it. */
static bool tool_choice(struct rf_gemini_request *p, const struct rf_jval *v)
{
    struct rf_conversation *c = p->b->conversation;
    const struct rf_jval *names = rf_gemini_get(v, "allowedFunctionNames");
    struct rf_str mode = rf_gemini_text(p->b, v, "mode");
    bool plain = is(v, RF_JOBJECT) && v->count == 1u + (names != NULL);
    if (rf_str_is(mode, "NONE"))
        c->tool_choice = RF_CHOICE_NONE;
    else if (rf_str_is(mode, "ANY"))
        c->tool_choice = RF_CHOICE_REQUIRED;
    else if (rf_str_is(mode, "AUTO") || rf_str_is(mode, "VALIDATED"))
        c->tool_choice = RF_CHOICE_AUTO;
    plain &= c->tool_choice != RF_CHOICE_UNSET && !rf_str_is(mode, "VALIDATED");
    if (!names)
        return plain;
    struct rf_str name = rf_build_str(p->b, rf_jval_at(names, 0));
    if (c->tool_choice != RF_CHOICE_REQUIRED || !is(names, RF_JARRAY) || names->count != 1 ||
        !has_tool(c, name)) {
        if (rf_aside_is_strings(names))
            c->options.allowed_tools = names;
        return false;
    }
    c->tool_choice = RF_CHOICE_TOOL;
    c->tool_choice_name = name;
    return plain;
}

static void tool_config(struct rf_gemini_request *p, const struct rf_jval *v)
{
    const struct rf_jval *calling = rf_gemini_get(v, "functionCallingConfig");
    if (!v)
        return;
    if (!tool_choice(p, calling) || v->count > 1)
        rf_aside_put(&p->top, "toolConfig", v);
}

/* Options. */

/* A budget, or a level that is as good as one. */
static bool thinking_option(struct rf_gemini_request *p, const struct rf_jval *key)
{
    struct rf_options *o = &p->b->conversation->options;
    const struct rf_jval *v = key + 1;
    int64_t n;
    if (rf_gemini_is(key, "thinkingLevel"))
        return rf_aside_effort(rf_build_str(p->b, v), o);
    if (!rf_gemini_is(key, "thinkingBudget") || !is(v, RF_JNUMBER) || !rf_jval_int64(v, &n) ||
        n < 0)
        return false;
    if (n == 0)
        rf_aside_unthinking(o);
    else
        o->thinking_off = false;
    o->thinking_budget = n;
    return true;
}

static void thinking_config(struct rf_gemini_request *p, struct rf_aside *s,
                            const struct rf_jval *v)
{
    rf_aside_open(s, "thinkingConfig");
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1))
        if (!thinking_option(p, k))
            rf_aside_put_key(s, k);
    rf_aside_close(s);
}

/* False where it is none of ours, or the value is not what it should be. */
static bool option(struct rf_options *o, const struct rf_jval *key)
{
    const struct rf_jval *v = key + 1;
    int64_t n;
    if (rf_gemini_is(key, "maxOutputTokens") && is(v, RF_JNUMBER) && rf_jval_int64(v, &n) && n > 0)
        o->max_tokens = n;
    else if (rf_jval_is(key, "temperature") && is(v, RF_JNUMBER))
        o->temperature = v;
    else if (rf_gemini_is(key, "topP") && is(v, RF_JNUMBER))
        o->top_p = v;
    else if (rf_gemini_is(key, "stopSequences") && rf_aside_is_strings(v))
        o->stop = v->count ? v : NULL;
    else
        return false;
    return true;
}

/* The schema of an answer: JSON schema, or the API's own kind. */
static bool take_schema(struct rf_gemini_request *p, const struct rf_jval *config)
{
    struct rf_options *o = &p->b->conversation->options;
    const struct rf_jval *json = rf_gemini_get(config, "responseJsonSchema");
    const struct rf_jval *own = rf_gemini_get(config, "responseSchema");
    if (is(json, RF_JOBJECT))
        o->schema = json;
    else if (is(own, RF_JOBJECT))
        o->schema = rf_gemini_schema(own, p->b->arena);
    return o->schema;
}

static bool is_json(const struct rf_jval *config)
{
    const struct rf_jval *type = rf_gemini_get(config, "responseMimeType");
    return type && rf_jval_is(type, "application/json");
}

/* Without a schema, be it one that is not understood. */
static bool take_json(struct rf_gemini_request *p, const struct rf_jval *config)
{
    p->b->conversation->options.json =
        !rf_gemini_get(config, "responseJsonSchema") && !rf_gemini_get(config, "responseSchema");
    return p->b->conversation->options.json;
}

bool rf_gemini_is_format(const struct rf_jval *key)
{
    return rf_gemini_is(key, "responseMimeType") || rf_gemini_is(key, "responseJsonSchema") ||
           rf_gemini_is(key, "responseSchema");
}

static void generation_config(struct rf_gemini_request *p, const struct rf_jval *v)
{
    struct rf_options *o = &p->b->conversation->options;
    struct rf_aside s;
    bool fits = is_json(v) && (take_schema(p, v) || take_json(p, v));
    if (!is(v, RF_JOBJECT)) {
        rf_aside_put(&p->top, "generationConfig", v);
        return;
    }
    rf_aside_init(&s, p->b);
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1)) {
        if (rf_gemini_is(k, "thinkingConfig") && is(k + 1, RF_JOBJECT))
            thinking_config(p, &s, k + 1);
        else if (!option(o, k) && !(fits && rf_gemini_is_format(k)))
            rf_aside_put_key(&s, k);
    }
    o->extra = rf_aside_done(&s);
}

/* The body. */

static enum rf_code contents(struct rf_gemini_request *p, const struct rf_jval *list,
                             struct rf_err *err)
{
    const struct rf_jpath here = { .field = "contents" };
    struct rf_jpath item = { .up = &here };
    const struct rf_jval *v = rf_gemini_first(list);
    if (!list)
        return rf_fail_at(err, RF_EFORMAT, &here, "the field is missing");
    if (list->type != RF_JARRAY && list->type != RF_JOBJECT)
        return rf_fail_at(err, RF_EFORMAT, &here, "expected an array, found %s",
                          rf_jtype_name(list->type));
    enum rf_code rc = rf_list_check(list, &here, err);
    for (; v && !rc; v = rf_gemini_next(list, v), item.index++)
        rc = rf_gemini_content(p, v, &item, err);
    return rc;
}

static struct rf_str model_name(struct rf_builder *b, const struct rf_jval *body)
{
    struct rf_str name = rf_gemini_text(b, body, "model"), part = name, rest = name;
    while (rf_str_split(&rest, '/', &part))
        name = part;
    return name;
}

enum rf_code rf_gemini_parse(const struct rf_jval *body, struct rf_builder *b, struct rf_err *err)
{
    static const char *const known[] = { "contents",   "systemInstruction", "tools",
                                         "toolConfig", "generationConfig",  NULL };
    struct rf_gemini_request p = { .b = b };
    enum rf_code rc = rf_aside_check(body, err);
    if (rc)
        return rc;
    if (body->type != RF_JOBJECT)
        return rf_fail(err, RF_EFORMAT, "expected an object, found %s", rf_jtype_name(body->type));
    p.model = model_name(b, body);
    rf_aside_init(&p.top, b);
    rf_ids_init(&p.by_id, b->arena);
    rc = contents(&p, rf_gemini_get(body, "contents"), err);
    if (rc)
        return rc;
    system_instruction(&p, rf_gemini_get(body, "systemInstruction"));
    tools(&p, rf_gemini_get(body, "tools"));
    tool_config(&p, rf_gemini_get(body, "toolConfig"));
    generation_config(&p, rf_gemini_get(body, "generationConfig"));
    rf_gemini_rest(&p.top, body, known);
    b->conversation->system = rf_texts_join(&p.system, RF_STR("\n\n"), b->arena);
    b->conversation->extra = rf_aside_done(&p.top);
    return RF_OK;
}
