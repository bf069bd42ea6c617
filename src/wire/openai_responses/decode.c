/* OpenAI Responses, the way back: a whole response, or a stream of one.
 * https://platform.openai.com/docs/api-reference/responses (2026-11)
 *
 * There is no reason for stopping but a status: completed, with calls that wait for an answer, is a
 * stop for tools.
 *
 * A stream says everything three times: in pieces, when an item is done, and in the last event.
 * Pieces are for the listener, and are what is left of a stream that was cut; each later telling
 * settles the blocks anew, so that the end is what the whole response would have given (ids and
 * encrypted thoughts do differ between the tellings). What .added says of encrypted thoughts is not
 * final and not taken; pieces of opaque items are not gathered.
 *
 * Left aside: what repeats the request, moderation, times, costs. */
#include "wire/openai_responses/openai_responses.h"

#define NO_REASON "failed without a reason"

/* The response as a whole. */

static void usage(struct rf_reply *r, const struct rf_jval *u)
{
    const struct rf_jval *in = rf_jval_get(u, "input_tokens_details");
    const struct rf_jval *out = rf_jval_get(u, "output_tokens_details");
    if (!u || u->type != RF_JOBJECT)
        return;
    r->usage.input = rf_reply_count(rf_jval_get(u, "input_tokens"));
    r->usage.output = rf_reply_count(rf_jval_get(u, "output_tokens"));
    r->usage.cached = rf_reply_count(rf_jval_get(in, "cached_tokens"));
    r->usage.cache_write = rf_reply_count(rf_jval_get(in, "cache_write_tokens"));
    r->usage.input_text = rf_reply_count(rf_jval_get(in, "text_tokens"));
    r->usage.input_image = rf_reply_count(rf_jval_get(in, "image_tokens"));
    r->usage.reasoning = rf_reply_count(rf_jval_get(out, "reasoning_tokens"));
    r->usage.output_text = rf_reply_count(rf_jval_get(out, "text_tokens"));
    r->usage.output_image = rf_reply_count(rf_jval_get(out, "image_tokens"));
    rf_reply_usage(r);
}

static void incomplete(struct rf_reply *r, struct rf_str reason)
{
    enum rf_stop kind = RF_STOP_UNKNOWN;
    if (rf_str_is(reason, "content_filter"))
        kind = RF_STOP_REFUSED;
    else if (rf_str_is(reason, "max_output_tokens") || rf_str_is(reason, "max_messages"))
        kind = RF_STOP_LENGTH;
    rf_reply_stop(r, kind, reason.n ? reason : RF_STR("incomplete"));
}

static void completed(struct rf_reply *r, struct rf_str status)
{
    const struct rf_responses *s = rf_responses(r);
    enum rf_stop kind = s->wants_tools ? RF_STOP_TOOL : RF_STOP_END;
    rf_reply_stop(r, s->refused ? RF_STOP_REFUSED : kind, status);
}

static void stop(struct rf_reply *r, const struct rf_jval *response)
{
    const struct rf_jval *details = rf_jval_get(response, "incomplete_details");
    struct rf_str status = rf_reply_text(r, rf_jval_get(response, "status"));
    if (rf_str_is(status, "incomplete"))
        incomplete(r, rf_reply_text(r, rf_jval_get(details, "reason")));
    else if (!status.n || rf_str_is(status, "completed"))
        completed(r, status);
    else if (!rf_str_is(status, "failed"))
        rf_reply_stop(r, RF_STOP_UNKNOWN, status);
    else if (!rf_wire_error(response, 0, r))
        rf_reply_error(r, RF_ERROR_OTHER, RF_STR(""), RF_STR(NO_REASON));
}

static void head(struct rf_reply *r, const struct rf_jval *response)
{
    const struct rf_jval *id = rf_jval_get(response, "id"), *model = rf_jval_get(response, "model");
    if (id)
        r->id = rf_reply_copy(r, id);
    if (model)
        r->model = rf_reply_copy(r, model);
}

static void whole(struct rf_reply *r, const struct rf_jval *response)
{
    head(r, response);
    rf_responses_output(r, rf_jval_get(response, "output"));
    rf_reply_keep(r, NULL, "service_tier", rf_jval_get(response, "service_tier"));
    rf_reply_keep(r, NULL, "conversation", rf_jval_get(response, "conversation"));
    usage(r, rf_jval_get(response, "usage"));
    stop(r, response);
}

void rf_openai_responses_decode(const struct rf_jval *body, struct rf_reply *r)
{
    const struct rf_jval *output = rf_jval_get(body, "output");
    if (output && output->type == RF_JARRAY)
        whole(r, body);
    else if (!rf_wire_error(body, 0, r))
        rf_reply_error(r, RF_ERROR_OTHER, RF_STR(""), RF_STR("there is no output"));
}

/* Events of a stream. */

static int64_t bounded(int64_t n)
{
    return n < 0 ? 0 : n < RF_RESPONSES_PARTS ? n : RF_RESPONSES_PARTS - 1;
}

static int64_t number_of(const struct rf_jval *data)
{
    return bounded(rf_reply_count(rf_jval_get(data, "output_index"))) * RF_RESPONSES_PARTS;
}

static struct rf_draft *text_draft(struct rf_reply *r, const struct rf_jval *data)
{
    int64_t part = bounded(rf_reply_count(rf_jval_get(data, "content_index")));
    return rf_reply_block(r, number_of(data) + part, RF_BLOCK_TEXT);
}

static void created(const struct rf_jval *data, struct rf_reply *r)
{
    head(r, rf_jval_get(data, "response"));
}

static void item_added(const struct rf_jval *data, struct rf_reply *r)
{
    rf_responses_item(r, number_of(data), rf_jval_get(data, "item"));
    struct rf_draft *d = rf_reply_find(r, number_of(data));
    if (d)
        d->encrypted = RF_STR("");
}

static void item_done(const struct rf_jval *data, struct rf_reply *r)
{
    rf_responses_item_done(r, number_of(data), rf_jval_get(data, "item"));
}

static void content_part(const struct rf_jval *data, struct rf_reply *r)
{
    const struct rf_jval *part = rf_jval_get(data, "part");
    if (rf_responses_is_said(part))
        rf_responses_said(r, text_draft(r, data)->number, part, NULL);
}

static void text_delta(const struct rf_jval *data, struct rf_reply *r)
{
    rf_draft_text(r, text_draft(r, data), rf_reply_text(r, rf_jval_get(data, "delta")));
}

static void text_done(const struct rf_jval *data, struct rf_reply *r)
{
    rf_responses_text(r, text_draft(r, data), rf_jval_get(data, "text"));
}

static void annotation_added(const struct rf_jval *data, struct rf_reply *r)
{
    rf_responses_citation(r, text_draft(r, data), rf_jval_get(data, "annotation"));
}

static void refusal_delta(const struct rf_jval *data, struct rf_reply *r)
{
    rf_responses_refused(r, text_draft(r, data));
    text_delta(data, r);
}

static void refusal_done(const struct rf_jval *data, struct rf_reply *r)
{
    struct rf_draft *d = text_draft(r, data);
    rf_responses_refused(r, d);
    rf_responses_text(r, d, rf_jval_get(data, "refusal"));
}

/* A blank line where another part of the thought begins. */
static void thought_delta(struct rf_reply *r, const struct rf_jval *data, int64_t part)
{
    struct rf_draft *d = rf_reply_block(r, number_of(data), RF_BLOCK_THINKING);
    struct rf_responses *s = rf_responses(r);
    if (d->text.n && (s->thought != d || s->thought_part != part))
        rf_draft_text(r, d, RF_STR("\n\n"));
    s->thought = d;
    s->thought_part = part;
    rf_draft_text(r, d, rf_reply_text(r, rf_jval_get(data, "delta")));
}

/* Not every server numbers its deltas. */
static void summary_part(const struct rf_jval *data, struct rf_reply *r)
{
    (void)data;
    rf_responses(r)->thought = NULL;
}

static void summary_delta(const struct rf_jval *data, struct rf_reply *r)
{
    thought_delta(r, data, bounded(rf_reply_count(rf_jval_get(data, "summary_index"))));
}

/* Its summary is kept where its words are not that. */
static void reasoning_delta(const struct rf_jval *data, struct rf_reply *r)
{
    static const struct rf_jval none = { .type = RF_JARRAY, .span = 1, .raw = RF_STR_INIT("[]") };
    struct rf_draft *d = rf_reply_block(r, number_of(data), RF_BLOCK_THINKING);
    if (!d->text.n && rf_reply_text(r, rf_jval_get(data, "delta")).n)
        rf_reply_keep(r, d, "summary", &none);
    thought_delta(r, data,
                  RF_RESPONSES_PARTS + bounded(rf_reply_count(rf_jval_get(data, "content_index"))));
}

static void arguments_delta(const struct rf_jval *data, struct rf_reply *r)
{
    rf_draft_arguments(r, rf_reply_block(r, number_of(data), RF_BLOCK_TOOL_CALL),
                       rf_reply_text(r, rf_jval_get(data, "delta")));
}

static void arguments_done(const struct rf_jval *data, struct rf_reply *r)
{
    struct rf_draft *d = rf_reply_block(r, number_of(data), RF_BLOCK_TOOL_CALL);
    rf_responses_arguments(r, d, rf_jval_get(data, "arguments"));
}

static void ended(const struct rf_jval *data, struct rf_reply *r)
{
    if (!r->complete)
        whole(r, rf_jval_get(data, "response"));
    r->complete = true;
}

/* {code, message} flat, or inside of an object `error`. */
static void failure(const struct rf_jval *data, struct rf_reply *r)
{
    const struct rf_jval *inner = rf_jval_get(data, "error");
    struct rf_str code = rf_reply_text(r, rf_jval_get(data, "code"));
    struct rf_str words = rf_reply_text(r, rf_jval_get(data, "message"));
    if (inner && inner->type == RF_JOBJECT && rf_wire_error(data, 0, r))
        return;
    rf_reply_error(r, rf_wire_error_kind(0, code, words), code,
                   words.n ? words : RF_STR(NO_REASON));
}

static const struct {
    const char *name;
    void (*take)(const struct rf_jval *data, struct rf_reply *r);
} events[] = {
    { "error", failure },
    { "response.completed", ended },
    { "response.content_part.added", content_part },
    { "response.content_part.done", content_part },
    { "response.created", created },
    { "response.failed", ended },
    { "response.function_call_arguments.delta", arguments_delta },
    { "response.function_call_arguments.done", arguments_done },
    { "response.in_progress", created },
    { "response.incomplete", ended },
    { "response.output_item.added", item_added },
    { "response.output_item.done", item_done },
    { "response.output_text.annotation.added", annotation_added },
    { "response.output_text.delta", text_delta },
    { "response.output_text.done", text_done },
    { "response.reasoning_summary_part.added", summary_part },
    { "response.reasoning_summary_text.delta", summary_delta },
    { "response.reasoning_text.delta", reasoning_delta },
    { "response.refusal.delta", refusal_delta },
    { "response.refusal.done", refusal_done },
};

void rf_openai_responses_event(const struct rf_frame *frame, const struct rf_jval *data,
                               struct rf_reply *r)
{
    struct rf_str name = rf_reply_text(r, rf_jval_get(data, "type"));
    if (!name.n)
        name = frame->name;
    if (!name.n)
        rf_wire_error(data, 0, r);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (rf_str_is(name, events[i].name))
            events[i].take(data, r);
}
