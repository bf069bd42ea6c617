/* Requests of Cohere's chat: messages as chat completions have them (chat/parse.c), and its own:
 *
 *     on the wire                                     in the conversation
 *     tool_plan                                       text before the calls
 *     document {data} in a result                     json
 *     documents[]                                     an opaque block, last in the last message
 *     p, stop_sequences, thinking {token_budget}      top_p, stop, thinking
 *     response_format {json_schema}                   schema
 *
 * Documents go back to where they came from as they were, and are read as JSON elsewhere. Where
 * the assistant spoke last there is no place for them: they are kept aside with other members. */
#include "wire/chat/parse.h"

#include "base/arena.h"

#define PROVIDER "cohere"

/* The plan is said before the calls, which come after the content. */
static void content(struct rf_completion_parse *p, const struct rf_jval *message)
{
    static const char *const known[] = { "role", "content", "tool_plan", "tool_calls", NULL };
    const struct rf_conversation *c = p->b->conversation;
    struct rf_message *m = &c->messages[c->message_count - 1];
    rf_completion_parse_parts(p, rf_jval_get(message, "content"));
    if (m->role != RF_ROLE_ASSISTANT)
        return;
    rf_build_text(p->b, rf_completion_parse_str(p, message, "tool_plan"));
    m->extra = rf_completion_parse_extra(p, message, known);
}

/* {"documents":[…]}, which no part of a message looks like. */
static const struct rf_jval *alone(struct rf_completion_parse *p, const struct rf_jval *list)
{
    struct rf_rope *rope = RF_NEW(p->arena, struct rf_rope);
    struct rf_json *w = RF_NEW(p->arena, struct rf_json);
    rf_rope_init(rope, p->arena);
    rf_json_init(w, rope);
    rf_json_obj(w, NULL);
    rf_json_value(w, "documents", list);
    rf_json_end(w);
    return rf_aside_made(w, p->arena);
}

static void documents(struct rf_completion_parse *p, const struct rf_jval *list)
{
    const struct rf_conversation *c = p->b->conversation;
    if (!list || list->type != RF_JARRAY || !list->count || !c->message_count ||
        c->messages[c->message_count - 1].role == RF_ROLE_ASSISTANT)
        return;
    rf_build_opaque(p->b, alone(p, list));
    rf_completion_parse_known(p, "documents");
}

/* {"type":"enabled","token_budget":…} */
static void thinking(struct rf_completion_parse *p, const struct rf_jval *v)
{
    const struct rf_jval *type = rf_jval_get(v, "type");
    int64_t budget = 0;
    rf_completion_parse_unthinking(p, type, "thinking.type");
    if (!type || !rf_jval_is(type, "enabled"))
        return;
    rf_completion_parse_count(p, rf_jval_get(v, "token_budget"), "thinking.token_budget", &budget);
    rf_completion_parse_think(p, budget);
    rf_completion_parse_known(p, "thinking.type");
}

static void choice(struct rf_completion_parse *p, const struct rf_jval *v)
{
    struct rf_conversation *c = p->b->conversation;
    if (!v || !(rf_jval_is(v, "REQUIRED") || rf_jval_is(v, "NONE")))
        return;
    c->tool_choice = rf_jval_is(v, "NONE") ? RF_CHOICE_NONE : RF_CHOICE_REQUIRED;
    rf_completion_parse_known(p, "tool_choice");
}

static void response_format(struct rf_completion_parse *p, const struct rf_jval *v)
{
    static const char *const members[] = { "type", "json_schema", NULL };
    const struct rf_jval *schema = rf_jval_get(v, "json_schema");
    rf_completion_parse_json(p, v);
    if (!schema || schema->type != RF_JOBJECT || !rf_jval_has_only(v, members))
        return;
    p->b->conversation->options.schema = schema;
    rf_completion_parse_known(p, "response_format");
}

static void settings(struct rf_completion_parse *p, const struct rf_jval *body)
{
    struct rf_options *o = &p->b->conversation->options;
    const struct rf_jval *stream = rf_jval_get(body, "stream");
    choice(p, rf_jval_get(body, "tool_choice"));
    rf_completion_parse_count(p, rf_jval_get(body, "max_tokens"), "max_tokens", &o->max_tokens);
    rf_completion_parse_number(p, rf_jval_get(body, "temperature"), "temperature", &o->temperature);
    rf_completion_parse_number(p, rf_jval_get(body, "p"), "p", &o->top_p);
    rf_completion_parse_stop(p, rf_jval_get(body, "stop_sequences"), "stop_sequences");
    response_format(p, rf_jval_get(body, "response_format"));
    thinking(p, rf_jval_get(body, "thinking"));
    documents(p, rf_jval_get(body, "documents"));
    o->stream = stream && stream->type == RF_JTRUE;
    if (stream && (stream->type == RF_JTRUE || stream->type == RF_JFALSE))
        rf_completion_parse_known(p, "stream");
}

enum rf_code rf_cohere_parse(const struct rf_jval *body, struct rf_builder *b, struct rf_err *err)
{
    static const struct rf_completion_grammar grammar = {
        .provider = PROVIDER,
        .content = content,
        .settings = settings,
    };
    return rf_completion_parse(body, &grammar, b, err);
}
