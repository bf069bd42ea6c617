/* Requests of the chat wires: messages with the roles system, user, assistant and tool.
 *
 *     on the wire                                     in the conversation
 *     system, developer before all others             system, joined by blank lines
 *     system, developer later                         user message in that name
 *     user                                            user message
 *     assistant                                       assistant message: thoughts, content, calls
 *     tool, function                                  tool message; text in front is the output
 *     tools[], functions[]                            tools; one of the type custom takes one text,
 *                                                     "input"; any other is kept aside
 *     tool_choice, function_call                      tool_choice
 *
 * Calls without an id get one, and results that name none answer the first open call of their tool.
 * It refuses bodies without a list of messages, unknown roles, and results that answer nothing. */
#include "wire/chat/parse.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "content/fields.h"
#include "content/seal.h"
#include "wire/custom.h"

struct rf_str rf_completion_parse_str(struct rf_completion_parse *p, const struct rf_jval *v,
                                      const char *name)
{
    return rf_build_str(p->b, rf_jval_get(v, name));
}

static void keep(struct rf_completion_parse *p, struct rf_completion_kept *kept, size_t index,
                 const struct rf_jval *v)
{
    *RF_PUSH(p->arena, kept->list, kept->count, kept->cap) =
        (struct rf_completion_place){ index, v };
}

static bool is_list(const struct rf_jval *v)
{
    return v && v->type == RF_JARRAY;
}

/* System prompts. */

/* Is this {"type":"text","text":…} and nothing else? */
static bool is_plain_text(struct rf_completion_parse *p, const struct rf_jval *part)
{
    static const char *const known[] = { "type", "text", NULL };
    const struct rf_jval *text = rf_jval_get(part, "text");
    return text && text->type == RF_JSTRING && !rf_completion_parse_extra(p, part, known);
}

static void system_message(struct rf_completion_parse *p, const struct rf_jval *v, size_t index)
{
    static const char *const known[] = { "role", "content", NULL };
    const struct rf_jval *content = rf_jval_get(v, "content");
    bool first = !p->prompts.count && rf_jval_is(rf_jval_get(v, "role"), "system");
    bool said = !content || content->type == RF_JSTRING || content->type == RF_JNULL;
    rf_texts_add(&p->system, rf_build_str(p->b, content), p->arena);
    if (is_list(content)) {
        const struct rf_jval *part = rf_jval_first(content);
        for (said = content->count <= 1; part; part = rf_jval_next(content, part)) {
            rf_texts_add(&p->system, rf_completion_parse_str(p, part, "text"), p->arena);
            said &= is_plain_text(p, part);
        }
    }
    p->says_more |= !first || !said || rf_completion_parse_extra(p, v, known);
    keep(p, &p->prompts, index, v);
}

/* Calls. */

static void call(struct rf_completion_parse *p, struct rf_str id, const struct rf_jval *function,
                 const struct rf_jval *arguments, const struct rf_jval *whole,
                 const char *const *known)
{
    struct rf_completion_open_call *open = RF_PUSH(p->arena, p->calls, p->call_count, p->call_cap);
    size_t message = p->b->conversation->message_count - 1;
    size_t number = p->call_count - 1 - p->first_open;
    if (!id.n)
        id = rf_strf(p->arena, "call_%zu_%zu", message, number);
    *open =
        (struct rf_completion_open_call){ id, rf_completion_parse_str(p, function, "name"), false };
    rf_ids_slot(&p->by_id, id)->place = p->call_count;
    struct rf_block *block = rf_build_call(p->b, id, open->name, arguments);
    if (!block->extra)
        block->extra = rf_completion_parse_extra(p, whole, known);
}

static void tool_call(struct rf_completion_parse *p, const struct rf_jval *v)
{
    static const char *const known[] = {
        "id", "type", "index", "function.index", "function.name", "function.arguments", NULL
    };
    static const char *const custom_known[] = { "id", NULL };
    const struct rf_jval *function = rf_jval_get(v, "function"), *custom = rf_jval_get(v, "custom");
    const struct rf_jmember input = { "input", rf_jval_get(custom, "input") };
    struct rf_str id = rf_completion_parse_str(p, v, "id");
    if (rf_completion_parse_str(p, function, "name").n)
        call(p, id, function, rf_jval_get(function, "arguments"), v, known);
    else if (rf_completion_parse_str(p, custom, "name").n)
        call(p, id, custom, rf_jval_object(&input, input.value != NULL, p->arena), v, custom_known);
    else
        rf_build_opaque(p->b, v);
}

static void calls(struct rf_completion_parse *p, const struct rf_jval *message)
{
    static const char *const known[] = { "name", "arguments", NULL };
    const struct rf_jval *list = rf_jval_get(message, "tool_calls");
    const struct rf_jval *function = rf_jval_get(message, "function_call");
    p->first_open = p->call_count;
    if (is_list(list))
        for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
            tool_call(p, v);
    if (rf_completion_parse_str(p, function, "name").n)
        call(p, RF_STR(""), function, rf_jval_get(function, "arguments"), function, known);
}

/* Thoughts. */

static const struct detail {
    const char *type, *member;
    size_t offset; /* of the field of struct rf_thinking that it is */
} details[] = {
    { "reasoning.text", "text", offsetof(struct rf_thinking, text) },
    { "reasoning.summary", "summary", offsetof(struct rf_thinking, text) },
    { "reasoning.encrypted", "data", offsetof(struct rf_thinking, encrypted) },
    { "thinking", "thinking", offsetof(struct rf_thinking, text) },
    { "redacted_thinking", "data", offsetof(struct rf_thinking, redacted) },
};

static void detail(struct rf_completion_parse *p, const struct rf_jval *v)
{
    const struct rf_jval *type = rf_jval_get(v, "type");
    const struct detail *d = details, *past = details + sizeof details / sizeof *details;
    while (d < past && !(type && rf_jval_is(type, d->type)))
        d++;
    if (d == past) {
        rf_build_opaque(p->b, v);
        return;
    }
    bool summary = rf_str_is(rf_str(d->member), "summary");
    const char *known[] = { d->member, "signature", "id", summary ? NULL : "type", NULL };
    struct rf_block *block = rf_build_block(p->b, RF_BLOCK_THINKING);
    *(struct rf_str *)(void *)((char *)&block->thinking + d->offset) =
        rf_completion_parse_str(p, v, d->member);
    struct rf_str mark = rf_completion_parse_str(p, v, "signature");
    if (rf_seal_open(p->b, mark, &block->thinking)) /* no chat server's, so all else is ours */
        return;
    block->thinking.signature = mark;
    block->thinking.id = rf_completion_parse_str(p, v, "id");
    block->thinking.field = rf_completion_thought_list(rf_str(d->type));
    block->extra = rf_completion_parse_extra_flat(p, v, known);
}

/* The words alone, which repeat those of a typed list where there is one. */
static void plain_thought(struct rf_completion_parse *p, const struct rf_jval *message)
{
    static const char *const fields[] = { "reasoning_content", "reasoning" };
    const struct rf_conversation *c = p->b->conversation;
    const struct rf_message *m = &c->messages[c->message_count - 1];
    struct rf_thinking t = { .text = rf_completion_parse_str(p, message, "thinking") };
    for (size_t i = 0; i < m->block_count; i++)
        if (m->blocks[i].thinking.text.n)
            return;
    for (size_t i = 0; !t.text.n && i < sizeof fields / sizeof *fields; i++)
        t = (struct rf_thinking){ .text = rf_completion_parse_str(p, message, fields[i]),
                                  .field = rf_str(fields[i]) };
    if (t.text.n)
        rf_build_block(p->b, RF_BLOCK_THINKING)->thinking = t;
}

/* One of the two lists is enough: routers send both. */
static void thoughts(struct rf_completion_parse *p, const struct rf_jval *message)
{
    const struct rf_jval *list = rf_jval_get(message, "reasoning_details");
    if (!is_list(list) || !list->count)
        list = rf_jval_get(message, "thinking_blocks");
    if (is_list(list))
        for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
            detail(p, v);
    plain_thought(p, message);
}

/* Messages. */

static void refusal(struct rf_completion_parse *p, const struct rf_jval *message)
{
    static const char *const known[] = { NULL };
    const struct rf_jval *mark;
    struct rf_block *block = rf_build_text(p->b, rf_completion_parse_str(p, message, "refusal"));
    if (block && !rf_jval_parse(RF_STR("{\"type\":\"refusal\"}"), p->arena, &mark, NULL))
        block->extra = rf_completion_parse_extra(p, mark, known);
}

static void assistant_message(struct rf_completion_parse *p, const struct rf_jval *v)
{
    static const char *const known[] = { "role",       "content",           "images",
                                         "refusal",    "reasoning_content", "reasoning_details",
                                         "reasoning",  "thinking_blocks",   "thinking",
                                         "tool_calls", "function_call",     NULL };
    struct rf_message *m = rf_build_message(p->b, RF_ROLE_ASSISTANT);
    m->origin_provider = rf_str(p->grammar->provider);
    m->origin_model = p->model;
    m->extra = rf_completion_parse_extra(p, v, known);
    thoughts(p, v);
    p->grammar->content(p, v);
    refusal(p, v);
    calls(p, v);
}

static void user_message(struct rf_completion_parse *p, const struct rf_jval *v)
{
    static const char *const known[] = { "content", "images", "role", NULL };
    const struct rf_jval *role = rf_jval_get(v, "role");
    struct rf_message *m = rf_build_message(p->b, RF_ROLE_USER);
    m->speaker = rf_jval_is(role, "system")      ? RF_SPEAKER_SYSTEM
                 : rf_jval_is(role, "developer") ? RF_SPEAKER_DEVELOPER
                                                 : RF_SPEAKER_USER;
    m->extra = rf_completion_parse_extra(p, v, known);
    p->grammar->content(p, v);
}

/* The first call of the last assistant message without an answer; of that tool, if named. */
static struct rf_completion_open_call *next_open(struct rf_completion_parse *p, struct rf_str name)
{
    while (p->first_open < p->call_count && p->calls[p->first_open].answered)
        p->first_open++;
    for (size_t i = p->first_open; i < p->call_count; i++)
        if (!p->calls[i].answered && (!name.n || rf_str_eq(name, p->calls[i].name)))
            return &p->calls[i];
    return NULL;
}

static struct rf_completion_open_call *answered(struct rf_completion_parse *p, struct rf_str id,
                                                struct rf_str name)
{
    size_t place = id.n ? rf_ids_slot(&p->by_id, id)->place : 0;
    struct rf_completion_open_call *open = place   ? &p->calls[place - 1]
                                           : !id.n ? next_open(p, name)
                                                   : NULL;
    if (open)
        open->answered = true;
    return open;
}

/* Text in front is the output. */
static void result_content(struct rf_completion_parse *p, const struct rf_jval *v)
{
    const struct rf_conversation *c = p->b->conversation;
    struct rf_message *m = &c->messages[c->message_count - 1];
    const struct rf_jval *content = rf_jval_get(v, "content");
    if (content && content->type != RF_JNULL && content->type != RF_JSTRING && !is_list(content)) {
        m->data = content;
        return;
    }
    p->grammar->content(p, v);
    if (!m->block_count || m->blocks->type != RF_BLOCK_TEXT || m->blocks->extra)
        return;
    m->output = m->blocks->text;
    m->blocks++;
    m->block_count--;
    p->b->block_cap--; /* more may be built after it */
}

static enum rf_code tool_message(struct rf_completion_parse *p, const struct rf_jval *v,
                                 const struct rf_jpath *at, struct rf_err *err)
{
    static const char *const known[] = { "role",      "content",      "images", "name",
                                         "tool_name", "tool_call_id", NULL };
    const struct rf_jpath here = { .up = at, .field = "tool_call_id" };
    struct rf_str id = rf_completion_parse_str(p, v, "tool_call_id");
    struct rf_str name = rf_completion_parse_str(p, v, "name");
    bool by_name = p->grammar->by_order || rf_jval_is(rf_jval_get(v, "role"), "function");
    if (!name.n)
        name = rf_completion_parse_str(p, v, "tool_name");
    if (!id.n && !by_name) {
        rf_fail_at(err, RF_EFORMAT, &here, "the result does not say which call it answers");
        rf_hint(err, "Give it the \"id\" of one of the calls before it.");
        return RF_EFORMAT;
    }
    const struct rf_completion_open_call *open = answered(p, id, name);
    struct rf_message *m = rf_build_message(p->b, RF_ROLE_TOOL);
    m->tool_call_id = open ? open->id : id;
    m->name = name.n || !open ? name : open->name;
    m->extra = rf_completion_parse_extra(p, v, known);
    result_content(p, v);
    return RF_OK;
}

static enum rf_code message(struct rf_completion_parse *p, const struct rf_jval *v,
                            const struct rf_jpath *at, struct rf_err *err)
{
    static const struct rf_jfield field[] = { { "role", RF_FIELD_STR, 0, true } };
    struct rf_str role;
    enum rf_code rc = rf_jval_fields(v, at, RF_ROWS(field), p->arena, &role, err);
    if (rc)
        return rc;
    bool system = rf_str_is(role, "system") || rf_str_is(role, "developer");
    if (system && !p->begun) {
        system_message(p, v, at->index);
        return RF_OK;
    }
    p->begun = true;
    if (system || rf_str_is(role, "user")) {
        user_message(p, v);
    } else if (rf_str_is(role, "assistant")) {
        assistant_message(p, v);
    } else if (rf_str_is(role, "tool") || rf_str_is(role, "function")) {
        rc = tool_message(p, v, at, err);
    } else {
        const struct rf_jpath here = { .up = at, .field = "role" };
        role = rf_utf8_cut(role, RF_MAX_NAME_SHOWN);
        rc = rf_fail_at(err, RF_EFORMAT, &here, "unknown role \"%.*s\"", RF_FMT(role));
        rf_hint(err, "The roles are system, developer, user, assistant and tool.");
    }
    return rc;
}

static enum rf_code messages(struct rf_completion_parse *p, const struct rf_jval *list,
                             struct rf_err *err)
{
    const struct rf_jpath here = { .field = "messages" };
    struct rf_jpath item = { .up = &here };
    enum rf_code rc = rf_list_check(list, &here, err);
    const struct rf_jval *v = rf_jval_first(list);
    for (; !rc && v; v = rf_jval_next(list, v), item.index++)
        rc = message(p, v, &item, err);
    p->b->conversation->system = rf_texts_join(&p->system, RF_STR("\n\n"), p->arena);
    return rc;
}

/* Tools. */

static bool tool(struct rf_completion_parse *p, const struct rf_jval *function,
                 const struct rf_jval *whole, const char *const *known)
{
    const struct rf_jval *schema = rf_jval_get(function, "parameters");
    struct rf_str name = rf_completion_parse_str(p, function, "name");
    if (!name.n)
        return false;
    struct rf_tool *t = rf_build_tool(p->b);
    t->name = name;
    t->description = rf_completion_parse_str(p, function, "description");
    t->input_schema = schema && schema->type == RF_JOBJECT ? schema : NULL;
    const struct rf_jval *strict = rf_jval_get(function, "strict");
    t->strict = strict && strict->type == RF_JTRUE;
    t->extra = rf_completion_parse_extra(p, whole, known);
    return true;
}

/* All of it is kept. */
static bool custom_tool(struct rf_completion_parse *p, const struct rf_jval *v)
{
    static const char *const known[] = { NULL };
    const struct rf_conversation *c = p->b->conversation;
    const struct rf_jval *custom = rf_jval_get(v, "custom");
    const struct rf_jval *grammar = rf_jval_get(rf_jval_get(custom, "format"), "grammar");
    struct rf_texts texts = { 0 };
    if (!tool(p, custom, v, known))
        return false;
    struct rf_tool *t = &c->tools[c->tool_count - 1];
    rf_texts_add(&texts, t->description, p->arena);
    rf_texts_add(&texts,
                 rf_custom_grammar(rf_completion_parse_str(p, grammar, "syntax"),
                                   rf_completion_parse_str(p, grammar, "definition"), p->arena),
                 p->arena);
    t->description = rf_texts_join(&texts, RF_STR("\n\n"), p->arena);
    t->input_schema = rf_custom_schema(p->arena);
    return true;
}

static bool offered_tool(struct rf_completion_parse *p, const struct rf_jval *v)
{
    static const char *const known[] = {
        "type", "function.name", "function.description", "function.parameters", "function.strict",
        NULL
    };
    const struct rf_jval *type = rf_jval_get(v, "type");
    bool function = !type || type->type == RF_JNULL || rf_jval_is(type, "function");
    if (type && rf_jval_is(type, "custom"))
        return custom_tool(p, v);
    return function && tool(p, rf_jval_get(v, "function"), v, known);
}

static bool old_function(struct rf_completion_parse *p, const struct rf_jval *v)
{
    static const char *const known[] = { "name", "description", "parameters", "strict", NULL };
    return tool(p, v, v, known);
}

static enum rf_code tools(struct rf_completion_parse *p, const struct rf_jval *body,
                          const char *name,
                          bool (*take)(struct rf_completion_parse *p, const struct rf_jval *v),
                          struct rf_err *err)
{
    const struct rf_jpath here = { .field = name };
    const struct rf_jval *list = rf_jval_get(body, name);
    if (!is_list(list))
        return RF_OK;
    enum rf_code rc = rf_list_check(list, &here, err);
    if (rc)
        return rc;
    rf_completion_parse_known(p, name);
    size_t index = 0;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v), index++)
        if (!take(p, v))
            keep(p, &p->tools, index, v);
    return RF_OK;
}

static bool choose_tool(struct rf_completion_parse *p, struct rf_str name)
{
    struct rf_conversation *c = p->b->conversation;
    for (size_t i = 0; i < c->tool_count; i++) {
        if (!rf_str_eq(c->tools[i].name, name))
            continue;
        c->tool_choice = RF_CHOICE_TOOL;
        c->tool_choice_name = name;
        return true;
    }
    return false;
}

/* What says the name in {"function":{"name":…}} or {"custom":{"name":…}}; or NULL. */
static const struct rf_jval *named_by(const struct rf_jval *v)
{
    const struct rf_jval *function = rf_jval_get(v, "function");
    return function ? function : rf_jval_get(v, "custom");
}

/* {"mode":…,"tools":[{"function":{"name":…}}]} */
static void allowed(struct rf_completion_parse *p, const struct rf_jval *v)
{
    struct rf_conversation *c = p->b->conversation;
    const struct rf_jval *list = rf_jval_get(v, "tools"), *mode = rf_jval_get(v, "mode");
    struct rf_texts names = { 0 };
    if (!is_list(list))
        return;
    for (const struct rf_jval *t = rf_jval_first(list); t; t = rf_jval_next(list, t))
        rf_texts_add(&names, rf_completion_parse_str(p, named_by(t), "name"), p->arena);
    c->tool_choice = mode && rf_jval_is(mode, "required") ? RF_CHOICE_REQUIRED : RF_CHOICE_AUTO;
    c->options.allowed_tools = rf_aside_strings(&names, p->arena);
    rf_completion_parse_known(p, "tool_choice");
}

/* Choices of tools that are not there are kept aside. */
static void choice(struct rf_completion_parse *p, const struct rf_jval *body, const char *path)
{
    static const struct {
        const char *word;
        enum rf_choice choice;
    } words[] = {
        { "auto", RF_CHOICE_AUTO },
        { "none", RF_CHOICE_NONE },
        { "required", RF_CHOICE_REQUIRED },
        { "any", RF_CHOICE_REQUIRED },
    };
    const struct rf_jval *v = rf_jval_get(body, path), *named = named_by(v);
    if (rf_jval_get(v, "allowed_tools")) {
        allowed(p, rf_jval_get(v, "allowed_tools"));
        return;
    }
    const struct rf_jval *at = named ? named : rf_jval_get(v, "type") ? NULL : v;
    if (choose_tool(p, rf_completion_parse_str(p, at, "name")))
        rf_completion_parse_known(p, path);
    for (size_t i = 0; v && i < sizeof words / sizeof *words; i++) {
        if (!rf_jval_is(v, words[i].word))
            continue;
        p->b->conversation->tool_choice = words[i].choice;
        rf_completion_parse_known(p, path);
    }
}

/* That there may be several is the rule, and kept aside where it is said. */
static void single_call(struct rf_completion_parse *p, const struct rf_jval *parallel)
{
    if (!parallel || parallel->type != RF_JFALSE)
        return;
    p->b->conversation->options.single_call = true;
    rf_completion_parse_known(p, "parallel_tool_calls");
}

/* The body. */

static enum rf_code check_body(const struct rf_jval *body, struct rf_err *err)
{
    const struct rf_jpath here = { .field = "messages" };
    const struct rf_jval *list = rf_jval_get(body, "messages");
    if (body->type != RF_JOBJECT)
        return rf_fail(err, RF_EFORMAT, "expected an object, found %s", rf_jtype_name(body->type));
    if (!list)
        return rf_fail_at(err, RF_EFORMAT, &here, "the field is missing");
    if (list->type != RF_JARRAY)
        return rf_fail_at(err, RF_EFORMAT, &here, "expected an array, found %s",
                          rf_jtype_name(list->type));
    return rf_aside_check(body, err);
}

enum rf_code rf_completion_parse(const struct rf_jval *body, const struct rf_completion_grammar *g,
                                 struct rf_builder *b, struct rf_err *err)
{
    struct rf_completion_parse p = { .grammar = g, .b = b, .arena = b->arena };
    enum rf_code rc = check_body(body, err);
    if (rc)
        return rc;
    p.model = rf_completion_parse_str(&p, body, "model");
    rf_ids_init(&p.by_id, p.arena);
    rf_completion_parse_known(&p, "model");
    rf_completion_parse_known(&p, "messages");
    rc = messages(&p, rf_jval_get(body, "messages"), err);
    if (!rc)
        rc = tools(&p, body, "tools", offered_tool, err);
    if (!rc)
        rc = tools(&p, body, "functions", old_function, err);
    if (rc)
        return rc;
    choice(&p, body, "function_call");
    choice(&p, body, "tool_choice");
    single_call(&p, rf_jval_get(body, "parallel_tool_calls"));
    g->settings(&p, body);
    b->conversation->extra = rf_completion_parse_rest(&p, body);
    return RF_OK;
}
