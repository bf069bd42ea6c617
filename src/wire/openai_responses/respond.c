/* OpenAI Responses: writing responses, streams and errors. Items are written by output.c.
 * https://platform.openai.com/docs/api-reference/responses (2026-11)
 *
 * A stream tells every text three times, so what was said in pieces is what the end repeats. A
 * message stays open until something else than a text comes. What repeats the request is written
 * with plain defaults. A stream that fails ends as a response that failed. */
#include "wire/openai_responses/output.h"

#include "base/arena.h"
#include "base/limits.h"

/* Why it stopped: a status, or the reason for which a response is incomplete. */
static const char *const stops[] = {
    [RF_STOP_UNKNOWN] = "completed",  [RF_STOP_END] = "completed",
    [RF_STOP_TOOL] = "completed",     [RF_STOP_LENGTH] = "max_output_tokens",
    [RF_STOP_SEQUENCE] = "completed", [RF_STOP_REFUSED] = "content_filter",
    [RF_STOP_PAUSED] = "incomplete",  [RF_STOP_MALFORMED] = "failed",
    [RF_STOP_ERROR] = "failed",
};

static const struct rf_error_words errors[] = {
    [RF_ERROR_NONE] = { "server_error", 500 },
    [RF_ERROR_AUTHENTICATION] = { "invalid_api_key", 401 },
    [RF_ERROR_PERMISSION] = { "permission_error", 403 },
    [RF_ERROR_RATE_LIMIT] = { "rate_limit_exceeded", 429 },
    [RF_ERROR_OVERLOADED] = { "overloaded_error", 503 },
    [RF_ERROR_CONTEXT_TOO_LONG] = { "context_length_exceeded", 400 },
    [RF_ERROR_TOO_LARGE] = { "request_too_large", 413 },
    [RF_ERROR_BAD_MEDIA] = { "invalid_request_error", 400 },
    [RF_ERROR_UNSUPPORTED] = { "unsupported_file", 400 },
    [RF_ERROR_NOT_FOUND] = { "model_not_found", 404 },
    [RF_ERROR_OTHER] = { "server_error", 500 },
    [RF_ERROR_WORDS_LATE] = { "server_error", 504 },
};

static struct rf_str stop_of(const struct rf_answer *a)
{
    bool said = a->own && a->ending.stop_original.n;
    return !said && rf_answer_is_refused(a) ? RF_STR("completed") : rf_answer_stop(a, stops);
}

/* The response */

/* Counts that the type has: what this API left out of its own reply stays left out. */
static void count(struct rf_json *w, const struct rf_answer *a, const char *name, int64_t n)
{
    if (n >= 0 || !a->own)
        rf_json_int(w, name, rf_answer_count(n));
}

/* Others, of which it tells some models'. */
static void own_count(struct rf_json *w, const struct rf_answer *a, const char *name, int64_t n)
{
    if (n >= 0 && a->own)
        rf_json_int(w, name, n);
}

static void usage(struct rf_json *w, const struct rf_answer *a)
{
    const struct rf_usage *u = &a->ending.usage;
    if (a->own && u->input < 0 && u->output < 0) {
        rf_json_null(w, "usage");
        return;
    }
    rf_json_obj(w, "usage");
    count(w, a, "input_tokens", u->input);
    rf_json_obj(w, "input_tokens_details");
    count(w, a, "cached_tokens", u->cached);
    count(w, a, "cache_write_tokens", u->cache_write);
    own_count(w, a, "text_tokens", u->input_text);
    own_count(w, a, "image_tokens", u->input_image);
    rf_json_end(w);
    count(w, a, "output_tokens", u->output);
    rf_json_obj(w, "output_tokens_details");
    count(w, a, "reasoning_tokens", u->reasoning);
    own_count(w, a, "text_tokens", u->output_text);
    own_count(w, a, "image_tokens", u->output_image);
    rf_json_end(w);
    rf_json_int(w, "total_tokens", rf_answer_total(a));
    rf_json_end(w);
}

static bool is_status(struct rf_str word)
{
    static const char *const all[] = { "completed", "in_progress", "incomplete",
                                       "failed",    "cancelled",   "queued" };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (rf_str_is(word, all[i]))
            return true;
    return false;
}

/* Only what is made in the background is told of before it is over. */
static bool is_waiting(struct rf_str status)
{
    return rf_str_is(status, "queued") || rf_str_is(status, "in_progress");
}

static struct rf_str status_of(struct rf_str stop)
{
    return is_status(stop) ? stop : RF_STR("incomplete");
}

/* The list of codes that a response may fail with is short; the type says it more exactly. */
static void failure(struct rf_json *w, const struct rf_answer *a)
{
    const struct rf_refusal *e = &a->ending.error;
    bool own = a->own && e->code.n;
    rf_json_obj(w, "error");
    if (own)
        rf_json_str(w, "code", e->code);
    else if (e->kind == RF_ERROR_RATE_LIMIT)
        rf_json_str(w, "code", RF_STR("rate_limit_exceeded"));
    else
        rf_json_str(w, "code", RF_STR("server_error"));
    if (!own && e->kind != RF_ERROR_NONE)
        rf_json_str(w, "type", rf_answer_error(a, errors));
    rf_json_str(w, "message",
                e->words.n                            ? e->words
                : a->ending.stop == RF_STOP_MALFORMED ? RF_STR("a call cannot be read")
                                                      : RF_STR("failed on the way"));
    rf_json_end(w);
}

static void stop_members(struct rf_json *w, const struct rf_answer *a, struct rf_str stop)
{
    rf_json_str(w, "status", status_of(stop));
    if (rf_str_is(stop, "failed"))
        failure(w, a);
    else
        rf_json_null(w, "error");
    if (!rf_str_is(status_of(stop), "incomplete")) {
        rf_json_null(w, "incomplete_details");
        return;
    }
    rf_json_obj(w, "incomplete_details");
    if (!is_status(stop))
        rf_json_str(w, "reason", stop);
    rf_json_end(w);
}

static void kept(struct rf_json *w, const struct rf_answer *a, const char *name)
{
    const struct rf_jval *v = rf_answer_kept(a, NULL, name);
    if (v)
        rf_json_value(w, name, v);
}

static void request_members(struct rf_json *w)
{
    rf_json_null(w, "access_programs");
    rf_json_null(w, "instructions");
    rf_json_obj(w, "metadata");
    rf_json_end(w);
    rf_json_bool(w, "parallel_tool_calls", true);
    rf_json_null(w, "temperature");
    rf_json_str(w, "tool_choice", RF_STR("auto"));
    rf_json_arr(w, "tools");
    rf_json_end(w);
    rf_json_null(w, "top_p");
}

static void response(struct rf_json *w, const struct rf_output *o, struct rf_str stop)
{
    const struct rf_answer *a = o->answer;
    rf_json_str(w, "id", a->id);
    rf_json_str(w, "object", RF_STR("response"));
    rf_json_int(w, "created_at", a->created_s);
    rf_json_str(w, "model", a->model);
    stop_members(w, a, stop);
    rf_json_arr(w, "output");
    for (size_t i = 0; i < o->item_count; i++)
        rf_output_item(w, NULL, o, &o->items[i]);
    rf_json_end(w);
    request_members(w);
    kept(w, a, "service_tier");
    kept(w, a, "conversation");
    if (rf_str_is(stop, "in_progress"))
        rf_json_null(w, "usage");
    else
        usage(w, a);
}

static void body(const struct rf_answer *a, struct rf_json *w)
{
    struct rf_output o = { .answer = a };
    struct rf_str stop = stop_of(a);
    for (size_t i = 0; i < a->count; i++) {
        rf_output_place(&o, &a->blocks[i]);
        o.parts[i].words = rf_output_words(&o.parts[i], a->arena);
        o.parts[i].done = true;
        o.items[o.item_count - 1].done = true;
    }
    response(w, &o, stop);
    if (is_waiting(stop))
        rf_json_bool(w, "background", true);
}

static void refusal(const struct rf_answer *a, struct rf_json *w)
{
    struct rf_str name = rf_answer_error(a, errors);
    bool is_code = rf_answer_error_is_code(name);
    int status = errors[a->ending.error.kind].status;
    const char *type = status >= 500   ? "server_error"
                       : status == 429 ? "requests"
                                       : "invalid_request_error";
    rf_json_obj(w, "error");
    rf_json_str(w, "message", a->ending.error.words);
    rf_json_str(w, "type", is_code ? rf_str(type) : name);
    rf_json_null(w, "param");
    if (is_code)
        rf_json_str(w, "code", name);
    else
        rf_json_null(w, "code");
    rf_json_end(w);
}

/* Streams */

static struct rf_json *event(struct rf_telling *t, const char *type)
{
    struct rf_json *w = rf_tell_open(t);
    rf_json_str(w, "type", rf_str(type));
    rf_json_int(w, "sequence_number", t->next++);
    return w;
}

static void response_event(struct rf_telling *t, const char *type, struct rf_str stop)
{
    struct rf_json *w = event(t, type);
    rf_json_obj(w, "response");
    response(w, t->state, stop);
    rf_json_end(w);
    rf_tell_close(t, type);
}

static struct rf_output_item *last_item(const struct rf_output *o)
{
    return &o->items[o->item_count - 1];
}

static void item_event(struct rf_telling *t, const char *type)
{
    const struct rf_output *o = t->state;
    struct rf_json *w = event(t, type);
    rf_json_int(w, "output_index", (int64_t)o->item_count - 1);
    rf_output_item(w, "item", o, last_item(o));
    rf_tell_close(t, type);
}

/* An event about the last item, and about its last part. */
static struct rf_json *inside_event(struct rf_telling *t, const char *type)
{
    const struct rf_output *o = t->state;
    struct rf_json *w = event(t, type);
    rf_json_str(w, "item_id", last_item(o)->id);
    rf_json_int(w, "output_index", (int64_t)o->item_count - 1);
    return w;
}

static struct rf_json *part_event(struct rf_telling *t, const char *type)
{
    const struct rf_output *o = t->state;
    struct rf_json *w = inside_event(t, type);
    rf_json_int(w, o->parts[o->count - 1].form->index, (int64_t)last_item(o)->count - 1);
    return w;
}

static void tell_part(struct rf_telling *t, const char *type)
{
    const struct rf_output *o = t->state;
    rf_output_part(part_event(t, type), "part", &t->answer, &o->parts[o->count - 1]);
    rf_tell_close(t, type);
}

static void tell_words(struct rf_telling *t, const char *type, const char *member,
                       struct rf_str words)
{
    const struct rf_output *o = t->state;
    struct rf_json *w = part_event(t, type);
    rf_json_str(w, member, words);
    if (o->parts[o->count - 1].form == &rf_output_text) {
        rf_json_arr(w, "logprobs");
        rf_json_end(w);
    }
    rf_tell_close(t, type);
}

static void tell_annotations(struct rf_telling *t, const struct rf_output_part *p)
{
    static const char type[] = "response.output_text.annotation.added";
    const struct rf_jval *list = rf_output_cited(&t->answer, p);
    int64_t index = 0;
    for (const struct rf_jval *c = list ? rf_jval_first(list) : NULL; c;
         c = rf_jval_next(list, c)) {
        struct rf_json *w = part_event(t, type);
        rf_json_int(w, "annotation_index", index++);
        rf_output_annotation(w, "annotation", &t->answer, p, c);
        rf_tell_close(t, type);
    }
}

static void finish_item(struct rf_telling *t)
{
    const struct rf_output *o = t->state;
    if (!o->item_count || last_item(o)->done)
        return;
    last_item(o)->done = true;
    item_event(t, "response.output_item.done");
}

static void begin(struct rf_telling *t)
{
    struct rf_output *o = t->state = RF_NEW(t->answer.arena, struct rf_output);
    *o = (struct rf_output){ .answer = &t->answer };
    rf_buf_init(&o->words, t->answer.arena, RF_MAX_REPLY_BYTES);
    response_event(t, "response.created", RF_STR("in_progress"));
    response_event(t, "response.in_progress", RF_STR("in_progress"));
}

static void open(struct rf_telling *t, const struct rf_block *b)
{
    struct rf_output *o = t->state;
    o->words.n = 0;
    if (!rf_output_joins(o, b))
        finish_item(t);
    if (rf_output_place(o, b))
        item_event(t, "response.output_item.added");
    if (b->type == RF_BLOCK_TEXT)
        tell_part(t, o->parts[o->count - 1].form->added);
}

/* The spelling of a call in events. */
struct call_form {
    const char *delta, *done, *member;
};

static const struct call_form *call_form(const struct rf_output *o)
{
    static const struct call_form function = { "response.function_call_arguments.delta",
                                               "response.function_call_arguments.done",
                                               "arguments" };
    static const struct call_form custom = { "response.custom_tool_call_input.delta",
                                             "response.custom_tool_call_input.done", "input" };
    return o->parts[o->count - 1].tool.custom ? &custom : &function;
}

static void say(struct rf_telling *t, enum rf_event_type type, struct rf_str text)
{
    struct rf_output *o = t->state;
    const struct rf_output_form *form = o->parts[o->count - 1].form;
    if (type == RF_EVENT_THINKING && !o->words.n)
        tell_part(t, form->added);
    rf_buf_add(&o->words, text);
    if (type != RF_EVENT_ARGUMENTS) {
        tell_words(t, form->delta, "delta", text);
        return;
    }
    rf_json_str(inside_event(t, call_form(o)->delta), "delta", text);
    rf_tell_close(t, call_form(o)->delta);
}

/* The input of a custom tool is inside the arguments, and known when all of those are there. */
static void piece(struct rf_telling *t, enum rf_event_type type, struct rf_str text)
{
    const struct rf_output *o = t->state;
    if (type != RF_EVENT_ARGUMENTS || !o->parts[o->count - 1].tool.custom)
        say(t, type, text);
}

static void end_call(struct rf_telling *t, const struct rf_output_part *p)
{
    const struct call_form *form = call_form(t->state);
    rf_json_str(inside_event(t, form->done), form->member, p->words);
    rf_tell_close(t, form->done);
}

static void end_words(struct rf_telling *t, const struct rf_output_part *p)
{
    if (p->form == &rf_output_text)
        tell_annotations(t, p);
    tell_words(t, p->form->said, p->form->member, p->words);
    tell_part(t, p->form->done);
}

static void close(struct rf_telling *t, const struct rf_block *b)
{
    static const enum rf_event_type types[RF_BLOCK_OPAQUE + 1] = {
        [RF_BLOCK_TEXT] = RF_EVENT_TEXT,
        [RF_BLOCK_THINKING] = RF_EVENT_THINKING,
        [RF_BLOCK_TOOL_CALL] = RF_EVENT_ARGUMENTS,
    };
    struct rf_output *o = t->state;
    struct rf_output_part *p = &o->parts[o->count - 1];
    p->block = *b;
    struct rf_str all = rf_output_words(p, t->answer.arena);
    if (types[b->type] && !o->words.n && all.n)
        say(t, types[b->type], all);
    p->done = true;
    p->words = rf_str_dup(t->answer.arena, (struct rf_str){ o->words.p, o->words.n });
    if (b->type == RF_BLOCK_TOOL_CALL)
        end_call(t, p);
    else if (b->type == RF_BLOCK_TEXT || p->words.n)
        end_words(t, p);
    if (b->type != RF_BLOCK_TEXT)
        finish_item(t);
}

static void amend(struct rf_telling *t, size_t place)
{
    rf_output_replace(t->state, place, &t->answer.blocks[place]);
}

static void finish(struct rf_telling *t, struct rf_str stop)
{
    struct rf_str status = status_of(stop);
    finish_item(t);
    response_event(t,
                   rf_str_is(status, "incomplete") ? "response.incomplete"
                   : rf_str_is(status, "failed")   ? "response.failed"
                                                   : "response.completed",
                   stop);
}

static void end(struct rf_telling *t)
{
    finish(t, stop_of(&t->answer));
}

static void fail(struct rf_telling *t)
{
    finish(t, RF_STR("failed"));
}

const struct rf_replies rf_openai_responses_replies = {
    .id = RF_RESPONSE_ID,
    .says = { [RF_BLOCK_TEXT] = true,
              [RF_BLOCK_IMAGE] = true,
              [RF_BLOCK_THINKING] = true,
              [RF_BLOCK_TOOL_CALL] = true,
              [RF_BLOCK_OPAQUE] = true },
    .says_file = rf_answer_file_is_here,
    .says_citations = true,
    .says_encrypted = true,
    .marks_ids = true,
    .seals = RF_SEALS_AS_ENCRYPTED,
    .body = body,
    .refusal = refusal,
    .errors = errors,
    .begin = begin,
    .open = open,
    .piece = piece,
    .close = close,
    .amend = amend,
    .end = end,
    .fail = fail,
};
