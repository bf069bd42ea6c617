/* Anthropic's Messages API: requests, read. The other way is anthropic.c; what a message holds is
 * in blocks.c.
 *
 * System prompts before the conversation become one with blank lines between; those among the
 * messages are user messages in the system's name. Answers in a row become one. Results come before
 * what else a user says in the same message. The model is for whoever sends the conversation on;
 * here it only tells whose answers these are.
 *
 * What has no field is kept under "extra": members of the body as they are, a system prompt with
 * marks as a whole; tools that run on the server as `tools` and system messages that are more than
 * text as `system_messages`, each with the place that it had.
 *
 * It refuses a body without messages, and messages of unknown roles.
 */
#include "wire/anthropic/parse.h"

#include "base/arena.h"
#include "content/fields.h"
#include "wire/aside.h"

#define MAX_KNOWN 12

struct body {
    struct rf_anthropic_request r;
    const struct rf_jval *value;
    struct rf_str model;
    struct rf_texts system;
    const char *known[MAX_KNOWN + 1]; /* members that have a field */
    size_t known_count;
    struct rf_aside aside;
};

static const struct rf_jval *get(const struct body *b, const char *name)
{
    const struct rf_jval *v = rf_jval_get(b->value, name);
    return v && v->type != RF_JNULL ? v : NULL;
}

static void know(struct body *b, const char *name)
{
    if (b->known_count == MAX_KNOWN)
        RF_BUG("more members than there is room for");
    b->known[b->known_count++] = name;
}

static enum rf_code fail_type(const struct body *b, const struct rf_jpath *at, const char *want,
                              const struct rf_jval *found)
{
    return rf_fail_at(b->r.err, RF_EFORMAT, at, "expected %s, found %s", want,
                      rf_jtype_name(found->type));
}

/* System prompts. */

static void add_system(struct body *b, const struct rf_jval *text)
{
    rf_texts_add(&b->system, rf_build_str(b->r.b, text), b->r.b->arena);
}

/* Its texts; `*plain` where there is nothing else in it. */
static enum rf_code take_system(struct body *b, const struct rf_jval *v, const struct rf_jpath *at,
                                bool *plain)
{
    struct rf_jpath item = { .up = at };
    *plain = true;
    if (!v || v->type == RF_JNULL)
        return RF_OK;
    if (v->type == RF_JSTRING) {
        add_system(b, v);
        return RF_OK;
    }
    if (v->type != RF_JARRAY)
        return fail_type(b, at, "a string or an array", v);
    for (const struct rf_jval *e = rf_jval_first(v); e; e = rf_jval_next(v, e), item.index++) {
        if (e->type != RF_JOBJECT)
            return fail_type(b, &item, "an object", e);
        if (rf_anthropic_has_type(e, "text"))
            add_system(b, rf_jval_get(e, "text"));
        *plain = *plain && rf_anthropic_is_plain(e);
    }
    return RF_OK;
}

static enum rf_code take_first_system(struct body *b)
{
    const struct rf_jpath here = { .field = "system" };
    bool plain;
    enum rf_code rc = take_system(b, get(b, "system"), &here, &plain);
    if (!rc && plain)
        know(b, "system");
    return rc;
}

/* Messages. `at` is the message's own place. */

static const char *const message_members[] = { "role", "content", NULL };

/* Answers in a row are one to this API, and all of their calls are answered after the last. */
static void new_message(struct body *b, enum rf_role role)
{
    const struct rf_conversation *c = b->r.b->conversation;
    bool assistant = role == RF_ROLE_ASSISTANT;
    if (assistant && c->message_count && c->messages[c->message_count - 1].role == role)
        return;
    struct rf_message *m = rf_build_message(b->r.b, role);
    if (assistant) {
        m->origin_provider = RF_ANTHROPIC_PROVIDER;
        m->origin_model = b->model;
    }
}

static bool is_result(const struct rf_jval *block, enum rf_role role)
{
    return role == RF_ROLE_USER && rf_anthropic_has_type(block, "tool_result");
}

static enum rf_code take_list(struct body *b, const struct rf_jval *list, const struct rf_jpath *at,
                              enum rf_role role)
{
    struct rf_jpath item = { .up = at };
    enum rf_code rc = rf_list_check(list, at, b->r.err);
    size_t results = 0;
    const struct rf_jval *e = rf_jval_first(list);
    for (; e && !rc; e = rf_jval_next(list, e), item.index++) {
        if (is_result(e, role)) {
            rc = rf_anthropic_result(&b->r, e, &item);
            results++;
        }
    }
    if (rc || (results && results == list->count))
        return rc;
    new_message(b, role);
    item.index = 0;
    for (e = rf_jval_first(list); e && !rc; e = rf_jval_next(list, e), item.index++)
        if (!is_result(e, role))
            rc = rf_anthropic_block(&b->r, e, &item, role);
    return rc;
}

static enum rf_code take_said(struct body *b, const struct rf_jval *v, const struct rf_jpath *at,
                              enum rf_role role)
{
    const struct rf_jpath here = { .up = at, .field = "content" };
    const struct rf_jval *content = rf_jval_get(v, "content");
    const struct rf_conversation *c = b->r.b->conversation;
    enum rf_code rc = RF_OK;
    if (content && content->type == RF_JARRAY) {
        rc = take_list(b, content, &here, role);
    } else if (content && content->type != RF_JSTRING && content->type != RF_JNULL) {
        rc = fail_type(b, &here, "a string or an array", content);
    } else {
        new_message(b, role);
        rf_build_text(b->r.b, rf_build_str(b->r.b, content));
    }
    if (rc)
        return rc;
    struct rf_message *last = &c->messages[c->message_count - 1];
    if (!last->extra)
        last->extra = rf_build_extra(b->r.b, v, message_members);
    return RF_OK;
}

/* Before the conversation it is as good as the system prompt. */
static enum rf_code take_system_message(struct body *b, const struct rf_jval *v,
                                        const struct rf_jpath *at)
{
    const struct rf_jpath here = { .up = at, .field = "content" };
    const struct rf_conversation *c = b->r.b->conversation;
    bool plain;
    size_t count = c->message_count;
    if (count) {
        enum rf_code failed = take_said(b, v, at, RF_ROLE_USER);
        for (; !failed && count < c->message_count; count++)
            c->messages[count].speaker = RF_SPEAKER_SYSTEM;
        return failed;
    }
    enum rf_code rc = take_system(b, rf_jval_get(v, "content"), &here, &plain);
    if (!rc && (!plain || !rf_jval_has_only(v, message_members)))
        rf_aside_place(&b->aside, "system_messages", at->index, v);
    return rc;
}

static enum rf_code take_message(struct body *b, const struct rf_jval *v, const struct rf_jpath *at)
{
    struct rf_str role;
    enum rf_code rc = rf_anthropic_member(&b->r, v, at, "role", RF_FIELD_STR, &role);
    if (rc)
        return rc;
    if (rf_str_is(role, "user"))
        return take_said(b, v, at, RF_ROLE_USER);
    if (rf_str_is(role, "assistant"))
        return take_said(b, v, at, RF_ROLE_ASSISTANT);
    if (rf_str_is(role, "system"))
        return take_system_message(b, v, at);
    rc = rf_anthropic_unknown(&b->r, at, "role", "role", role);
    rf_hint(b->r.err, "The roles of this API are user, assistant and system.");
    return rc;
}

static enum rf_code take_messages(struct body *b)
{
    const struct rf_jpath here = { .field = "messages" };
    struct rf_jpath item = { .up = &here };
    const struct rf_jval *list;
    enum rf_code rc = rf_anthropic_member(&b->r, b->value, NULL, "messages", RF_FIELD_ARRAY, &list);
    if (!rc)
        rc = rf_list_check(list, &here, b->r.err);
    if (rc)
        return rc;
    know(b, "messages");
    const struct rf_jval *v = rf_jval_first(list);
    for (; v && !rc; v = rf_jval_next(list, v), item.index++)
        rc = take_message(b, v, &item);
    return rc;
}

/* Tools. */

static bool runs_here(const struct rf_jval *tool)
{
    const struct rf_jval *type = rf_jval_get(tool, "type"), *name = rf_jval_get(tool, "name");
    return name && name->type == RF_JSTRING &&
           (!type || type->type == RF_JNULL || rf_jval_is(type, "custom"));
}

static void add_tool(struct body *b, const struct rf_jval *v)
{
    const char *known[6] = { "type", "name" };
    size_t count = 2;
    const struct rf_jval *description = rf_jval_get(v, "description");
    const struct rf_jval *schema = rf_jval_get(v, "input_schema");
    const struct rf_jval *strict = rf_jval_get(v, "strict");
    struct rf_tool *tool = rf_build_tool(b->r.b);
    tool->name = rf_anthropic_str(&b->r, v, "name");
    if (description && description->type == RF_JSTRING) {
        tool->description = rf_build_str(b->r.b, description);
        known[count++] = "description";
    }
    if (schema && schema->type == RF_JOBJECT) {
        tool->input_schema = schema;
        known[count++] = "input_schema";
    }
    if (strict && strict->type == RF_JTRUE) {
        tool->strict = true;
        known[count++] = "strict";
    }
    tool->extra = rf_build_extra(b->r.b, v, known);
}

static enum rf_code take_tools(struct body *b)
{
    const struct rf_jpath here = { .field = "tools" };
    size_t index = 0;
    const struct rf_jval *list = get(b, "tools");
    if (!list || list->type != RF_JARRAY)
        return RF_OK;
    enum rf_code rc = rf_list_check(list, &here, b->r.err);
    if (rc)
        return rc;
    know(b, "tools");
    const struct rf_jval *v = rf_jval_first(list);
    for (; v; v = rf_jval_next(list, v), index++) {
        if (runs_here(v))
            add_tool(b, v);
        else
            rf_aside_place(&b->aside, "tools", index, v);
    }
    return RF_OK;
}

static bool has_tool(const struct rf_conversation *c, struct rf_str name)
{
    for (size_t i = 0; i < c->tool_count; i++)
        if (rf_str_eq(c->tools[i].name, name))
            return true;
    return false;
}

/* The format has no choice of a tool that it does not have, and a choice among those that are kept
 * aside is kept with them. */
static void take_choice(struct body *b)
{
    static const struct {
        const char *type;
        enum rf_choice choice;
    } choices[] = {
        { "any", RF_CHOICE_REQUIRED },
        { "auto", RF_CHOICE_AUTO },
        { "none", RF_CHOICE_NONE },
        { "tool", RF_CHOICE_TOOL },
    };
    static const char *const members[] = { "type", "name", "disable_parallel_tool_use", NULL };
    struct rf_conversation *c = b->r.b->conversation;
    const struct rf_jval *v = get(b, "tool_choice"), *list = get(b, "tools");
    bool all_aside = !c->tool_count && list && list->count;
    struct rf_str name = rf_anthropic_str(&b->r, v, "name");
    enum rf_choice choice = RF_CHOICE_UNSET;
    for (size_t i = 0; v && i < sizeof choices / sizeof *choices; i++)
        if (rf_anthropic_has_type(v, choices[i].type))
            choice = choices[i].choice;
    if (choice == RF_CHOICE_UNSET || (choice == RF_CHOICE_TOOL && !has_tool(c, name)))
        return;
    const struct rf_jval *single = rf_jval_get(v, "disable_parallel_tool_use");
    c->options.single_call = single && single->type == RF_JTRUE;
    c->tool_choice = choice;
    if (choice == RF_CHOICE_TOOL)
        c->tool_choice_name = name;
    if (!all_aside && rf_jval_has_only(v, members))
        know(b, "tool_choice");
}

/* Options. One that is not as it should be is kept aside. */

static bool is_whole(const struct rf_jval *v, int64_t least, int64_t *out)
{
    int64_t n;
    if (v->type != RF_JNUMBER || !rf_jval_int64(v, &n) || n < least)
        return false;
    *out = n;
    return true;
}

static void take_number(struct body *b, const char *name, const struct rf_jval **out)
{
    const struct rf_jval *v = get(b, name);
    if (!v || v->type != RF_JNUMBER)
        return;
    *out = v;
    know(b, name);
}

static void take_stop(struct body *b, struct rf_options *o)
{
    const struct rf_jval *list = get(b, "stop_sequences");
    if (!rf_aside_is_strings(list))
        return;
    o->stop = list;
    know(b, "stop_sequences");
}

static void take_thinking(struct body *b, struct rf_options *o)
{
    const struct rf_jval *v = get(b, "thinking"), *budget;
    if (!v || v->type != RF_JOBJECT)
        return;
    if (rf_anthropic_has_type(v, "disabled")) {
        rf_aside_unthinking(o);
        know(b, "thinking");
        return;
    }
    budget = rf_jval_get(v, "budget_tokens");
    if (budget && budget->type != RF_JNULL && !is_whole(budget, 0, &o->thinking_budget))
        return;
    o->thinking = v;
    know(b, "thinking");
}

/* An effort is how much to think where the model chooses that; words that only some know are the
 * nearest, and kept. Elsewhere it is about the answer. */
static bool take_effort(struct body *b, struct rf_options *o, const struct rf_jval *effort)
{
    struct rf_str word = rf_build_str(b->r.b, effort);
    bool most = rf_aside_is_most(word);
    if (!o->thinking || o->thinking_budget)
        return false;
    return rf_aside_effort(most ? RF_STR("high") : word, o) && !most;
}

static bool take_format(struct rf_options *o, const struct rf_jval *format)
{
    static const char *const members[] = { "type", "schema", NULL };
    const struct rf_jval *schema = rf_jval_get(format, "schema");
    if (!schema || schema->type != RF_JOBJECT || !rf_anthropic_has_type(format, "json_schema") ||
        !rf_jval_has_only(format, members))
        return false;
    o->schema = schema;
    return true;
}

static void take_output_config(struct body *b, struct rf_options *o)
{
    const struct rf_jval *config = get(b, "output_config");
    if (!config || config->type != RF_JOBJECT)
        return;
    rf_aside_open(&b->aside, "output_config");
    for (const struct rf_jval *k = rf_jval_first(config); k; k = rf_jval_next(config, k + 1))
        if (!(rf_jval_is(k, "effort") && take_effort(b, o, k + 1)) &&
            !(rf_jval_is(k, "format") && take_format(o, k + 1)))
            rf_aside_put_key(&b->aside, k);
    rf_aside_close(&b->aside);
    know(b, "output_config");
}

static void take_options(struct body *b)
{
    struct rf_options *o = &b->r.b->conversation->options;
    const struct rf_jval *limit = get(b, "max_tokens"), *stream = get(b, "stream");
    if (limit && is_whole(limit, 1, &o->max_tokens))
        know(b, "max_tokens");
    if (stream && (stream->type == RF_JTRUE || stream->type == RF_JFALSE)) {
        o->stream = stream->type == RF_JTRUE;
        know(b, "stream");
    }
    take_number(b, "temperature", &o->temperature);
    take_number(b, "top_p", &o->top_p);
    take_stop(b, o);
    take_thinking(b, o);
    take_output_config(b, o);
}

enum rf_code rf_anthropic_parse(const struct rf_jval *body, struct rf_builder *b,
                                struct rf_err *err)
{
    struct body request = { .r = { .b = b, .err = err }, .value = body };
    struct rf_conversation *c = b->conversation;
    enum rf_code rc = rf_aside_check(body, err);
    rf_ids_init(&request.r.calls, b->arena);
    rf_aside_init(&request.aside, b);
    request.model = rf_anthropic_str(&request.r, body, "model");
    if (request.model.n)
        know(&request, "model");
    if (!rc)
        rc = take_first_system(&request);
    if (!rc)
        rc = take_messages(&request);
    if (!rc)
        rc = take_tools(&request);
    if (rc)
        return rc;
    c->system = rf_texts_join(&request.system, RF_STR("\n\n"), b->arena);
    take_choice(&request);
    take_options(&request);
    rf_aside_rest(&request.aside, body, request.known);
    c->extra = rf_aside_done(&request.aside);
    return RF_OK;
}
