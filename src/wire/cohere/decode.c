/* Replies of Cohere's chat, and their streams.
 * https://docs.cohere.com/reference/chat-stream (2026-11)
 *
 *     message                         in the neutral message
 *     content text                    text
 *     content thinking                thinking
 *     content, other                  opaque
 *     tool_plan                       text before the calls, with extra.tool_plan
 *     tool_calls                      calls
 *     citations                       citations of their text, with the sources as they came
 *
 * A citation's start and end count the characters of that text. Streams have an event for the
 * beginning, each piece and the end of everything, in which a call or a citation stands alone where
 * a whole reply has a list. Of tokens the model's count is told, which is more than is billed. */
#include "wire/wire.h"

#include "base/arena.h"

/* Numbers of drafts: content as the wire counts it, then the plan, then the calls. */
enum {
    PLAN = 1 << 28,
    CALLS,
};

static int64_t content_number(const struct rf_jval *index)
{
    int64_t n = rf_reply_count(index);
    return n >= 0 && n < PLAN ? n : 0;
}

static struct rf_draft *call_draft(struct rf_reply *r, const struct rf_jval *index)
{
    return rf_reply_block(r, CALLS + content_number(index), RF_BLOCK_TOOL_CALL);
}

/* Content. */

static bool is_type(const struct rf_jval *v, const char *name)
{
    const struct rf_jval *type = rf_jval_get(v, "type");
    return type && rf_jval_is(type, name);
}

/* A part, or a piece of one, of which only the first has a type. */
static void take_part(struct rf_reply *r, int64_t number, const struct rf_jval *part)
{
    const struct rf_jval *text = rf_jval_get(part, "text"),
                         *thought = rf_jval_get(part, "thinking");
    bool thinks = is_type(part, "thinking") || (thought && thought->type == RF_JSTRING);
    if (thinks) {
        rf_draft_text(r, rf_reply_block(r, number, RF_BLOCK_THINKING), rf_reply_text(r, thought));
    } else if (is_type(part, "text") || (text && text->type == RF_JSTRING)) {
        rf_draft_text(r, rf_reply_block(r, number, RF_BLOCK_TEXT), rf_reply_text(r, text));
    } else if (part && part->type == RF_JOBJECT) {
        struct rf_draft *d = rf_reply_block(r, number, RF_BLOCK_OPAQUE);
        d->opaque = rf_jval_compact(part, r->arena);
    }
}

static void take_plan(struct rf_reply *r, const struct rf_jval *plan)
{
    static const struct rf_jval yes = { .type = RF_JTRUE, .span = 1, .raw = RF_STR_INIT("true") };
    struct rf_str text = rf_reply_text(r, plan);
    if (!text.n)
        return;
    struct rf_draft *d = rf_reply_block(r, PLAN, RF_BLOCK_TEXT);
    if (!d->extra.n)
        rf_reply_keep(r, d, "tool_plan", &yes);
    rf_draft_text(r, d, text);
}

/* A call, or a piece of its arguments. */
static void take_call(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *call)
{
    const struct rf_jval *function = rf_jval_get(call, "function");
    if (!d->id.n)
        d->id = rf_reply_copy(r, rf_jval_get(call, "id"));
    if (!d->name.n)
        d->name = rf_reply_copy(r, rf_jval_get(function, "name"));
    if (d->name.n)
        rf_draft_start(r, d);
    rf_draft_arguments(r, d, rf_reply_text(r, rf_jval_get(function, "arguments")));
}

/* Citations. */

static void count(struct rf_json *w, const char *name, const struct rf_jval *v)
{
    if (rf_reply_count(v) >= 0)
        rf_json_int(w, name, rf_reply_count(v));
}

static struct rf_str cited(struct rf_reply *r, const struct rf_jval *v)
{
    const struct rf_jval *sources = rf_jval_get(v, "sources"), *type = rf_jval_get(v, "type");
    const struct rf_jval *first =
        sources && sources->type == RF_JARRAY ? rf_jval_first(sources) : NULL;
    const struct rf_jval *document = rf_jval_get(first, "document");
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str json;
    rf_rope_init(&rope, r->scratch);
    rf_json_init(&w, &rope);
    rf_json_obj(&w, NULL);
    rf_json_str_opt(&w, "source", rf_reply_text(r, rf_jval_get(first, "id")));
    rf_json_str_opt(&w, "title", rf_reply_text(r, rf_jval_get(document, "title")));
    rf_json_str_opt(&w, "url", rf_reply_text(r, rf_jval_get(document, "url")));
    count(&w, "start", rf_jval_get(v, "start"));
    count(&w, "end", rf_jval_get(v, "end"));
    rf_json_str_opt(&w, "text", rf_reply_text(r, rf_jval_get(v, "text")));
    rf_json_str_opt(&w, "type", rf_reply_text(r, type));
    if (first)
        rf_json_value(&w, "sources", sources);
    rf_json_end(&w);
    if (rf_json_finish(&w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, r->scratch, &json, NULL))
        RF_BUG("a citation in memory could not be written");
    return json;
}

/* The part that it names, else the first text. Those of a thought are kept with it. */
static struct rf_draft *cited_draft(struct rf_reply *r, const struct rf_jval *v)
{
    const struct rf_jval *index = rf_jval_get(v, "content_index");
    struct rf_draft *named = rf_reply_find(r, is_type(v, "PLAN") ? PLAN : content_number(index));
    if (named && (index || is_type(v, "PLAN")))
        return named;
    for (size_t i = 0; i < r->count; i++)
        if (r->drafts[i]->type == RF_BLOCK_TEXT)
            return r->drafts[i];
    return rf_reply_block(r, content_number(index), RF_BLOCK_TEXT);
}

static void take_citation(struct rf_reply *r, const struct rf_jval *v)
{
    if (!v || v->type != RF_JOBJECT)
        return;
    struct rf_draft *d = cited_draft(r, v);
    if (d->type == RF_BLOCK_TEXT)
        rf_draft_citation(r, d, cited(r, v));
    else if (!d->extra.n)
        rf_reply_keep(r, d, "citations", v);
}

/* The end. */

static void take_usage(struct rf_reply *r, const struct rf_jval *usage)
{
    const struct rf_jval *billed = rf_jval_get(usage, "billed_units"),
                         *tokens = rf_jval_get(usage, "tokens");
    if (!usage || usage->type != RF_JOBJECT)
        return;
    const struct rf_jval *counted = tokens && tokens->type == RF_JOBJECT ? tokens : billed;
    r->usage.input = rf_reply_count(rf_jval_get(counted, "input_tokens"));
    r->usage.output = rf_reply_count(rf_jval_get(counted, "output_tokens"));
    r->usage.cached = rf_reply_count(rf_jval_get(usage, "cached_tokens"));
    rf_reply_keep(r, NULL, "billed_units", billed);
    rf_reply_usage(r);
}

static void take_end(struct rf_reply *r, const struct rf_jval *v)
{
    static const struct {
        const char *reason;
        enum rf_stop stop;
    } stops[] = {
        { "COMPLETE", RF_STOP_END },       { "ERROR", RF_STOP_ERROR },
        { "ERROR_LIMIT", RF_STOP_LENGTH }, { "ERROR_TOXIC", RF_STOP_REFUSED },
        { "MAX_TOKENS", RF_STOP_LENGTH },  { "STOP_SEQUENCE", RF_STOP_SEQUENCE },
        { "TIMEOUT", RF_STOP_ERROR },      { "TOOL_CALL", RF_STOP_TOOL },
    };
    const struct rf_jval *error = rf_jval_get(v, "error");
    struct rf_str reason = rf_reply_text(r, rf_jval_get(v, "finish_reason"));
    enum rf_stop stop = RF_STOP_UNKNOWN;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (rf_str_is(reason, stops[i].reason))
            stop = stops[i].stop;
    for (size_t i = 0; i < r->count; i++)
        rf_draft_close(r, r->drafts[i]);
    rf_reply_stop(r, stop, reason);
    take_usage(r, rf_jval_get(v, "usage"));
    if (error && error->type == RF_JSTRING)
        rf_wire_error(v, 0, r);
}

/* What is neither a reply nor an error that anybody knows is told as it is. */
static void fail(struct rf_reply *r, const struct rf_jval *body)
{
    if (rf_wire_error(body, 0, r))
        return;
    struct rf_str words = rf_jval_compact(body, r->scratch);
    rf_reply_error(r, rf_wire_error_kind(0, RF_STR(""), words), RF_STR(""), words);
}

static void each(struct rf_reply *r, const struct rf_jval *list,
                 void (*take)(struct rf_reply *r, const struct rf_jval *v, int64_t index))
{
    int64_t index = 0;
    if (!list || list->type != RF_JARRAY)
        return;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        take(r, v, index++);
}

static void listed_part(struct rf_reply *r, const struct rf_jval *v, int64_t index)
{
    take_part(r, index, v);
}

static void listed_call(struct rf_reply *r, const struct rf_jval *v, int64_t index)
{
    take_call(r, rf_reply_block(r, CALLS + index, RF_BLOCK_TOOL_CALL), v);
}

static void listed_citation(struct rf_reply *r, const struct rf_jval *v, int64_t index)
{
    (void)index;
    take_citation(r, v);
}

void rf_cohere_decode(const struct rf_jval *body, struct rf_reply *r)
{
    const struct rf_jval *message = rf_jval_get(body, "message");
    if (!message || message->type != RF_JOBJECT) {
        fail(r, body);
        return;
    }
    r->id = rf_reply_copy(r, rf_jval_get(body, "id"));
    each(r, rf_jval_get(message, "content"), listed_part);
    take_plan(r, rf_jval_get(message, "tool_plan"));
    each(r, rf_jval_get(message, "tool_calls"), listed_call);
    each(r, rf_jval_get(message, "citations"), listed_citation);
    take_end(r, body);
}

/* Streams. */

static const struct rf_jval *piece(const struct rf_jval *data, const char *name)
{
    return rf_jval_get(rf_jval_get(rf_jval_get(data, "delta"), "message"), name);
}

static void close(struct rf_reply *r, int64_t number)
{
    struct rf_draft *d = rf_reply_find(r, number);
    if (d)
        rf_draft_close(r, d);
}

static void on_message_start(struct rf_reply *r, const struct rf_jval *data)
{
    r->id = rf_reply_copy(r, rf_jval_get(data, "id"));
}

static void on_content(struct rf_reply *r, const struct rf_jval *data)
{
    take_part(r, content_number(rf_jval_get(data, "index")), piece(data, "content"));
}

static void on_content_end(struct rf_reply *r, const struct rf_jval *data)
{
    close(r, content_number(rf_jval_get(data, "index")));
}

static void on_plan(struct rf_reply *r, const struct rf_jval *data)
{
    take_plan(r, piece(data, "tool_plan"));
}

static void on_call(struct rf_reply *r, const struct rf_jval *data)
{
    close(r, PLAN);
    take_call(r, call_draft(r, rf_jval_get(data, "index")), piece(data, "tool_calls"));
}

static void on_call_end(struct rf_reply *r, const struct rf_jval *data)
{
    close(r, CALLS + content_number(rf_jval_get(data, "index")));
}

static void on_citation(struct rf_reply *r, const struct rf_jval *data)
{
    take_citation(r, piece(data, "citations"));
}

static void on_message_end(struct rf_reply *r, const struct rf_jval *data)
{
    take_end(r, rf_jval_get(data, "delta"));
    r->complete = true;
}

void rf_cohere_event(const struct rf_frame *frame, const struct rf_jval *data, struct rf_reply *r)
{
    static const struct {
        const char *name;
        void (*take)(struct rf_reply *r, const struct rf_jval *data);
    } events[] = {
        { "citation-start", on_citation },     { "content-delta", on_content },
        { "content-end", on_content_end },     { "error", fail },
        { "content-start", on_content },       { "message-end", on_message_end },
        { "message-start", on_message_start }, { "tool-call-delta", on_call },
        { "tool-call-end", on_call_end },      { "tool-call-start", on_call },
        { "tool-plan-delta", on_plan },
    };
    struct rf_str type = rf_reply_text(r, rf_jval_get(data, "type"));
    struct rf_str name = type.n ? type : frame->name;
    for (size_t i = 0; data && i < sizeof events / sizeof *events; i++) {
        if (rf_str_is(name, events[i].name)) {
            events[i].take(r, data);
            return;
        }
    }
    if (data && !type.n)
        fail(r, data);
}
