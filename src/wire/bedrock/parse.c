/* Reading requests for Amazon Bedrock's Converse API; the blocks are read in blocks.c.
 *
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, as of 2026-11.
 *
 *     on the wire                          becomes
 *     system, messages of that role        system; later ones are user messages in its name
 *     text, citationsContent               text, with citations
 *     guardContent                         text or image, its qualifiers under extra
 *     image, document, video, audio        media: bytes, text as bytes, or an s3 URL
 *     reasoningContent                     thinking
 *     toolUse                              tool_call; opaque where the provider runs it itself
 *     toolResult                           a tool message; its first text is the output
 *     cachePoint                           opaque in an answer; else under extra, with its place
 *     others, and files without a source   opaque
 *     toolConfig, inferenceConfig          tools, tool_choice, options
 *     additionalModelRequestFields         options.thinking; the rest under extra
 *
 * Results come before what else a message says. The model's name is in the URL: an answer's origin
 * names one only where somebody put "modelId" into the body. It refuses bodies without a list of
 * messages, unknown roles, and results that do not say what they answer.
 */
#include "base/arena.h"
#include "base/utf8.h"
#include "content/fields.h"
#include "wire/bedrock/bedrock.h"

#define PROVIDER "bedrock"

static bool is(const struct rf_jval *v, enum rf_jtype type)
{
    return v && v->type == type;
}

static const struct rf_jval *first_of(const struct rf_jval *v)
{
    return is(v, RF_JARRAY) ? rf_jval_first(v) : NULL;
}

static enum rf_code expected(const struct rf_jpath *at, const char *what, const struct rf_jval *v,
                             struct rf_err *err)
{
    if (!v)
        return rf_fail_at(err, RF_EFORMAT, at, "the field is missing");
    return rf_fail_at(err, RF_EFORMAT, at, "expected %s, found %s", what, rf_jtype_name(v->type));
}

static const struct rf_jval *mark_of(const struct rf_jval *v)
{
    return rf_jval_get(v, "cachePoint");
}

static void json_block(struct rf_bedrock_request *p, const struct rf_jval *value)
{
    rf_build_block(p->b, RF_BLOCK_JSON)->value = value;
}

/* Results. */

/* What else `object` holds and, where a wire message ends with this one, what that message does. */
static const struct rf_jval *message_extra(struct rf_bedrock_request *p,
                                           const struct rf_jval *object,
                                           const struct rf_jval *message)
{
    static const char *const known[] = { "toolUseId", "content", "status", NULL };
    static const char *const known_message[] = { "role", "content", NULL };
    const struct rf_jval *content = rf_jval_get(message, "content");
    struct rf_aside s;
    size_t index = 0;
    rf_aside_init(&s, p->b);
    rf_aside_rest(&s, object, known);
    rf_aside_rest(&s, message, known_message);
    for (const struct rf_jval *v = first_of(content); v; v = rf_jval_next(content, v), index++)
        if (mark_of(v) && !rf_jval_is(rf_jval_get(message, "role"), "assistant"))
            rf_aside_place(&s, "content", index, v);
    return rf_aside_done(&s);
}

static void result_content(struct rf_bedrock_request *p, struct rf_message *m,
                           const struct rf_jval *content)
{
    for (const struct rf_jval *v = first_of(content); v; v = rf_jval_next(content, v)) {
        const struct rf_jval *json = rf_jval_get(v, "json");
        bool first = !m->output.n && !m->block_count;
        if (first && is(rf_jval_get(v, "text"), RF_JSTRING) && v->count == 1)
            m->output = rf_bedrock_text(p, v, "text");
        else if (json)
            json_block(p, json);
        else
            rf_bedrock_said(p, v);
    }
}

static enum rf_code result(struct rf_bedrock_request *p, const struct rf_jval *v,
                           const struct rf_jpath *at, struct rf_err *err)
{
    const struct rf_jpath here = { .up = at, .field = "toolResult" };
    const struct rf_jpath id_at = { .up = &here, .field = "toolUseId" };
    const struct rf_jval *id = rf_jval_get(v, "toolUseId"), *content = rf_jval_get(v, "content");
    if (!is(v, RF_JOBJECT))
        return expected(&here, "an object", v, err);
    if (!is(id, RF_JSTRING) || !id->raw.n)
        return expected(&id_at, "the id of a call", id, err);
    struct rf_message *m = rf_build_message(p->b, RF_ROLE_TOOL);
    m->tool_call_id = rf_build_str(p->b, id);
    size_t place = rf_ids_slot(&p->calls, m->tool_call_id)->place;
    if (place)
        m->name = p->names[place - 1];
    m->failed = rf_str_is(rf_bedrock_text(p, v, "status"), "error");
    m->extra = message_extra(p, v, NULL);
    m->output = rf_build_str(p->b, content);
    if (is(content, RF_JOBJECT))
        json_block(p, content);
    result_content(p, m, content);
    return RF_OK;
}

/* Messages. */

/* Returns the last result in `last`. */
static enum rf_code results(struct rf_bedrock_request *p, const struct rf_jval *content,
                            const struct rf_jpath *at, const struct rf_jval **last,
                            struct rf_err *err)
{
    struct rf_jpath item = { .up = at };
    for (const struct rf_jval *v = first_of(content); v; v = rf_jval_next(content, v)) {
        const struct rf_jval *found = rf_jval_get(v, "toolResult");
        enum rf_code rc = found ? result(p, found, &item, err) : RF_OK;
        if (rc)
            return rc;
        *last = found ? found : *last;
        item.index++;
    }
    return RF_OK;
}

/* Is there more in it than results and marks? */
static bool says_more(const struct rf_jval *content)
{
    for (const struct rf_jval *v = first_of(content); v; v = rf_jval_next(content, v))
        if (!rf_jval_get(v, "toolResult") && !mark_of(v) && v->type != RF_JNULL)
            return true;
    return false;
}

static enum rf_code user_message(struct rf_bedrock_request *p, const struct rf_jval *message,
                                 const struct rf_jpath *at, struct rf_err *err)
{
    const struct rf_jval *content = rf_jval_get(message, "content"), *last = NULL;
    const struct rf_conversation *c = p->b->conversation;
    enum rf_code rc = results(p, content, at, &last, err);
    if (rc)
        return rc;
    if (last && !says_more(content)) {
        c->messages[c->message_count - 1].extra = message_extra(p, last, message);
        return RF_OK;
    }
    rf_build_message(p->b, RF_ROLE_USER)->extra = message_extra(p, NULL, message);
    rf_build_text(p->b, rf_build_str(p->b, content));
    for (const struct rf_jval *v = first_of(content); v; v = rf_jval_next(content, v))
        if (!rf_jval_get(v, "toolResult") && !mark_of(v))
            rf_bedrock_said(p, v);
    return RF_OK;
}

static enum rf_code system_message(struct rf_bedrock_request *p, const struct rf_jval *message,
                                   const struct rf_jpath *at, struct rf_err *err)
{
    const struct rf_conversation *c = p->b->conversation;
    size_t first = c->message_count;
    enum rf_code rc = user_message(p, message, at, err);
    for (; first < c->message_count; first++)
        c->messages[first].speaker = RF_SPEAKER_SYSTEM;
    return rc;
}

static void assistant_message(struct rf_bedrock_request *p, const struct rf_jval *message)
{
    const struct rf_jval *content = rf_jval_get(message, "content");
    struct rf_message *m = rf_build_message(p->b, RF_ROLE_ASSISTANT);
    m->origin_provider = RF_STR(PROVIDER);
    m->origin_model = p->model;
    m->extra = message_extra(p, NULL, message);
    rf_build_text(p->b, rf_build_str(p->b, content));
    for (const struct rf_jval *v = first_of(content); v; v = rf_jval_next(content, v))
        rf_bedrock_answer(p, v);
}

static bool is_plain(const struct rf_jval *v)
{
    return is(rf_jval_get(v, "text"), RF_JSTRING) && v->count == 1;
}

static bool all_plain(const struct rf_jval *list)
{
    for (const struct rf_jval *v = first_of(list); v; v = rf_jval_next(list, v))
        if (!is_plain(v))
            return false;
    return true;
}

/* A list of texts, some of them guarded; where there is more in it, such as marks between them, it
 * is kept under `name`. */
static void system_prompt(struct rf_bedrock_request *p, const char *name,
                          const struct rf_jval *list)
{
    struct rf_arena *a = p->b->arena;
    bool plain = all_plain(list);
    size_t index = 0;
    rf_texts_add(&p->system, rf_build_str(p->b, list), a);
    for (const struct rf_jval *v = first_of(list); v; v = rf_jval_next(list, v), index++) {
        const struct rf_jval *guarded = rf_jval_get(rf_jval_get(v, "guardContent"), "text");
        rf_texts_add(&p->system, rf_bedrock_text(p, v, "text"), a);
        rf_texts_add(&p->system, rf_bedrock_text(p, guarded, "text"), a);
        if (!plain)
            rf_aside_place(&p->top, name, index, v);
    }
}

static enum rf_code message(struct rf_bedrock_request *p, const struct rf_jval *v,
                            const struct rf_jpath *at, struct rf_err *err)
{
    const struct rf_jpath role_at = { .up = at, .field = "role" };
    const struct rf_jpath content_at = { .up = at, .field = "content" };
    const struct rf_jval *role = rf_jval_get(v, "role"), *content = rf_jval_get(v, "content");
    if (v->type != RF_JOBJECT)
        return expected(at, "an object", v, err);
    if (!is(role, RF_JSTRING))
        return expected(&role_at, "a string", role, err);
    if (content && content->type != RF_JARRAY && content->type != RF_JSTRING)
        return expected(&content_at, "an array", content, err);
    if (rf_jval_is(role, "user"))
        return user_message(p, v, &content_at, err);
    if (rf_jval_is(role, "assistant"))
        assistant_message(p, v);
    else if (rf_jval_is(role, "system") && !p->b->conversation->message_count)
        system_prompt(p, "messages", content);
    else if (rf_jval_is(role, "system"))
        return system_message(p, v, &content_at, err);
    else
        return rf_fail_at(err, RF_EFORMAT, &role_at, "unknown role \"%.*s\"",
                          RF_FMT(rf_utf8_cut(rf_build_str(p->b, role), RF_MAX_NAME_SHOWN)));
    return RF_OK;
}

static enum rf_code messages(struct rf_bedrock_request *p, const struct rf_jval *body,
                             struct rf_err *err)
{
    const struct rf_jpath here = { .field = "messages" };
    struct rf_jpath item = { .up = &here };
    const struct rf_jval *list = rf_jval_get(body, "messages");
    if (!is(list, RF_JARRAY))
        return expected(&here, "an array", list, err);
    enum rf_code rc = rf_list_check(list, &here, err);
    for (const struct rf_jval *v = first_of(list); v && !rc; v = rf_jval_next(list, v)) {
        rc = message(p, v, &item, err);
        item.index++;
    }
    return rc;
}

/* Tools. */

/* A mark that stands after it, or NULL, is kept with it. */
static bool tool(struct rf_bedrock_request *p, const struct rf_jval *spec,
                 const struct rf_jval *next)
{
    static const char *const known[] = { "name", "description", "inputSchema", NULL };
    struct rf_aside s;
    const struct rf_jval *schema = rf_jval_get(rf_jval_get(spec, "inputSchema"), "json");
    struct rf_str name = rf_bedrock_text(p, spec, "name");
    if (!name.n)
        return false;
    struct rf_tool *t = rf_build_tool(p->b);
    t->name = name;
    t->description = rf_bedrock_text(p, spec, "description");
    t->input_schema = is(schema, RF_JOBJECT) ? schema : NULL;
    rf_aside_init(&s, p->b);
    rf_aside_rest(&s, spec, known);
    if (next && mark_of(next))
        rf_aside_put(&s, "cachePoint", mark_of(next));
    t->extra = rf_aside_done(&s);
    return true;
}

static bool has_tool(const struct rf_conversation *c, struct rf_str name)
{
    for (size_t i = 0; i < c->tool_count; i++)
        if (rf_str_eq(c->tools[i].name, name))
            return true;
    return false;
}

/* False where it is none that we know. */
static bool tool_choice(struct rf_bedrock_request *p, const struct rf_jval *v)
{
    struct rf_conversation *c = p->b->conversation;
    struct rf_str name = rf_bedrock_text(p, rf_jval_get(v, "tool"), "name");
    if (rf_jval_get(v, "auto"))
        c->tool_choice = RF_CHOICE_AUTO;
    else if (rf_jval_get(v, "any"))
        c->tool_choice = RF_CHOICE_REQUIRED;
    else if (name.n && has_tool(c, name))
        c->tool_choice = RF_CHOICE_TOOL;
    if (c->tool_choice == RF_CHOICE_TOOL)
        c->tool_choice_name = name;
    return c->tool_choice != RF_CHOICE_UNSET;
}

static void tool_config(struct rf_bedrock_request *p, const struct rf_jval *config)
{
    static const char *const known[] = { "tools", "toolChoice", NULL };
    const struct rf_jval *list = rf_jval_get(config, "tools");
    const struct rf_jval *choice = rf_jval_get(config, "toolChoice");
    size_t index = 0;
    for (const struct rf_jval *v = first_of(list); v; v = rf_jval_next(list, v), index++)
        if (!tool(p, rf_jval_get(v, "toolSpec"), rf_jval_next(list, v)) && !mark_of(v))
            rf_aside_place(&p->top, "tools", index, v);
    rf_aside_open(&p->top, "toolConfig");
    if (choice && !tool_choice(p, choice))
        rf_aside_put(&p->top, "toolChoice", choice);
    rf_aside_rest(&p->top, config, known);
    rf_aside_close(&p->top);
}

/* Options. */

/* False where the value is not what it should be. */
static bool option(struct rf_options *o, const struct rf_jval *key)
{
    const struct rf_jval *v = key + 1;
    int64_t n;
    if (rf_jval_is(key, "maxTokens") && is(v, RF_JNUMBER) && rf_jval_int64(v, &n) && n > 0)
        o->max_tokens = n;
    else if (rf_jval_is(key, "temperature") && is(v, RF_JNUMBER))
        o->temperature = v;
    else if (rf_jval_is(key, "topP") && is(v, RF_JNUMBER))
        o->top_p = v;
    else if (rf_jval_is(key, "stopSequences") && rf_aside_is_strings(v))
        o->stop = v->count ? v : NULL;
    else
        return false;
    return true;
}

static void inference_config(struct rf_bedrock_request *p, const struct rf_jval *config)
{
    struct rf_options *o = &p->b->conversation->options;
    struct rf_aside s;
    if (!is(config, RF_JOBJECT)) {
        rf_aside_put(&p->top, "inferenceConfig", config);
        return;
    }
    rf_aside_init(&s, p->b);
    for (const struct rf_jval *k = rf_jval_first(config); k; k = rf_jval_next(config, k + 1))
        if (!option(o, k))
            rf_aside_put_key(&s, k);
    o->extra = rf_aside_done(&s);
}

/* Each model maker's own: {"thinking": {"type": "enabled", "budget_tokens": 2048}}, an effort. */
static bool thinking_option(struct rf_bedrock_request *p, const struct rf_jval *key)
{
    struct rf_options *o = &p->b->conversation->options;
    const struct rf_jval *v = key + 1, *budget = rf_jval_get(v, "budget_tokens");
    const struct rf_jval *type = rf_jval_get(v, "type");
    int64_t n;
    if (rf_jval_is(key, "thinking") && type && rf_jval_is(type, "disabled")) {
        rf_aside_unthinking(o);
        return true;
    }
    if (rf_jval_is(key, "thinking") && is(v, RF_JOBJECT)) {
        o->thinking = v;
        if (is(budget, RF_JNUMBER) && rf_jval_int64(budget, &n) && n > 0)
            o->thinking_budget = n;
        o->thinking_off = false;
        return true;
    }
    return rf_jval_is(key, "reasoning_effort") && rf_aside_effort(rf_build_str(p->b, v), o);
}

/* The schema of an answer, which is a string there. Its name is kept, and all that stands with
 * it. */
static void output_config(struct rf_bedrock_request *p, const struct rf_jval *config)
{
    const struct rf_jval *format = rf_jval_get(config, "textFormat"), *schema;
    const struct rf_jval *named = rf_jval_get(rf_jval_get(format, "structure"), "jsonSchema");
    struct rf_str text = rf_bedrock_text(p, named, "schema");
    if (text.n && !rf_jval_parse(text, p->b->arena, &schema, NULL) && is(schema, RF_JOBJECT) &&
        !rf_aside_check(schema, NULL))
        p->b->conversation->options.schema = schema;
}

static void more_fields(struct rf_bedrock_request *p, const struct rf_jval *fields)
{
    const char *name = "additionalModelRequestFields";
    if (!is(fields, RF_JOBJECT)) {
        rf_aside_put(&p->top, name, fields);
        return;
    }
    rf_aside_open(&p->top, name);
    for (const struct rf_jval *k = rf_jval_first(fields); k; k = rf_jval_next(fields, k + 1))
        if (!thinking_option(p, k))
            rf_aside_put_key(&p->top, k);
    rf_aside_close(&p->top);
}

enum rf_code rf_bedrock_parse(const struct rf_jval *body, struct rf_builder *b, struct rf_err *err)
{
    static const char *const known[] = {
        "system", "messages", "inferenceConfig", "toolConfig", "additionalModelRequestFields", NULL,
    };
    struct rf_bedrock_request p = { .b = b };
    enum rf_code rc = rf_aside_check(body, err);
    if (rc)
        return rc;
    if (body->type != RF_JOBJECT)
        return rf_fail(err, RF_EFORMAT, "expected an object, found %s", rf_jtype_name(body->type));
    p.model = rf_bedrock_text(&p, body, "modelId");
    rf_aside_init(&p.top, b);
    rf_ids_init(&p.calls, b->arena);
    system_prompt(&p, "system", rf_jval_get(body, "system"));
    rc = messages(&p, body, err);
    if (rc)
        return rc;
    inference_config(&p, rf_jval_get(body, "inferenceConfig"));
    tool_config(&p, rf_jval_get(body, "toolConfig"));
    output_config(&p, rf_jval_get(body, "outputConfig"));
    more_fields(&p, rf_jval_get(body, "additionalModelRequestFields"));
    rf_aside_rest(&p.top, body, known);
    b->conversation->system = rf_texts_join(&p.system, RF_STR("\n\n"), b->arena);
    b->conversation->extra = rf_aside_done(&p.top);
    return RF_OK;
}
