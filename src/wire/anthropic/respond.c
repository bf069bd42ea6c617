/* Anthropic's Messages API: writing responses, streams and errors.
 *
 * What decode.c keeps aside goes back where it was: of a message, of its usage, of a block. A file
 * that a model made has no place in a message of this API. */
#include "wire/respond.h"
#include "base/arena.h"
#include "content/block.h"
#include "wire/wire.h"

static const char *const stops[] = {
    [RF_STOP_UNKNOWN] = "end_turn",  [RF_STOP_END] = "end_turn",
    [RF_STOP_TOOL] = "tool_use",     [RF_STOP_LENGTH] = "max_tokens",
    [RF_STOP_SEQUENCE] = "end_turn", [RF_STOP_REFUSED] = "refusal",
    [RF_STOP_PAUSED] = "pause_turn", [RF_STOP_MALFORMED] = "end_turn",
    [RF_STOP_ERROR] = "end_turn",
};

static const struct rf_error_words errors[] = {
    [RF_ERROR_NONE] = { "api_error", 500 },
    [RF_ERROR_AUTHENTICATION] = { "authentication_error", 401 },
    [RF_ERROR_PERMISSION] = { "permission_error", 403 },
    [RF_ERROR_RATE_LIMIT] = { "rate_limit_error", 429 },
    [RF_ERROR_OVERLOADED] = { "overloaded_error", 529 },
    [RF_ERROR_CONTEXT_TOO_LONG] = { "invalid_request_error", 400 },
    [RF_ERROR_TOO_LARGE] = { "request_too_large", 413 },
    [RF_ERROR_BAD_MEDIA] = { "invalid_request_error", 400 },
    [RF_ERROR_UNSUPPORTED] = { "invalid_request_error", 400 },
    [RF_ERROR_NOT_FOUND] = { "not_found_error", 404 },
    [RF_ERROR_OTHER] = { "api_error", 500 },
    [RF_ERROR_WORDS_LATE] = { "timeout_error", 504 },
};

static void kept(struct rf_json *w, const struct rf_answer *a, const char *name)
{
    const struct rf_jval *v = rf_answer_kept(a, NULL, name);
    if (v)
        rf_json_value(w, name, v);
}

static void kept_or_null(struct rf_json *w, const struct rf_answer *a, const char *name)
{
    const struct rf_jval *v = rf_answer_kept(a, NULL, name);
    if (v)
        rf_json_value(w, name, v);
    else
        rf_json_null(w, name);
}

static void count_or_null(struct rf_json *w, const char *name, int64_t n)
{
    if (n >= 0)
        rf_json_int(w, name, n);
    else
        rf_json_null(w, name);
}

/* `input_tokens` leaves out what was read from the cache or written to it. */
static void counts(struct rf_json *w, const struct rf_answer *a)
{
    const struct rf_usage *u = &a->ending.usage;
    rf_json_int(w, "input_tokens", rf_answer_uncached(a));
    count_or_null(w, "cache_creation_input_tokens", u->cache_write);
    count_or_null(w, "cache_read_input_tokens", u->cached);
    rf_json_int(w, "output_tokens", rf_answer_count(u->output));
    if (u->reasoning >= 0) {
        rf_json_obj(w, "output_tokens_details");
        rf_json_int(w, "thinking_tokens", u->reasoning);
        rf_json_end(w);
    } else
        rf_json_null(w, "output_tokens_details");
    kept_or_null(w, a, "server_tool_use");
    kept(w, a, "iterations");
}

/* Of a message; where and how fast it was run is not told. */
static void usage(struct rf_json *w, const struct rf_answer *a)
{
    rf_json_obj(w, "usage");
    counts(w, a);
    kept_or_null(w, a, "cache_creation");
    rf_json_null(w, "service_tier");
    rf_json_null(w, "inference_geo");
    rf_json_null(w, "speed");
    rf_json_end(w);
}

static void head(struct rf_json *w, const struct rf_answer *a)
{
    rf_json_str(w, "id", a->id);
    rf_json_str(w, "type", RF_STR("message"));
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_json_str(w, "model", a->model);
}

static void ending(struct rf_json *w, const struct rf_answer *a)
{
    rf_json_str(w, "stop_reason", rf_answer_stop(a, stops));
    kept_or_null(w, a, "stop_sequence");
    kept_or_null(w, a, "stop_details");
    kept_or_null(w, a, "container");
}

/* Blocks */

static void call_members(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b)
{
    rf_json_str(w, "id", b->call.id);
    rf_json_str(w, "name", b->call.name);
    if (a->own)
        return;
    rf_json_obj(w, "caller");
    rf_json_str(w, "type", RF_STR("direct"));
    rf_json_end(w);
}

static void thinking_members(struct rf_json *w, const struct rf_thinking *t, bool whole)
{
    rf_json_str(w, "thinking", whole ? t->text : RF_STR(""));
    rf_json_str(w, "signature", whole ? t->signature : RF_STR(""));
}

static const char *type_name(const struct rf_block *b)
{
    if (b->type == RF_BLOCK_TOOL_CALL)
        return "tool_use";
    if (b->type == RF_BLOCK_THINKING)
        return b->thinking.redacted.n ? "redacted_thinking" : "thinking";
    return "text";
}

/* Without citations the member is not there: its type allows null, which some clients refuse. */
static void text_members(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b,
                         bool whole)
{
    const struct rf_jval *citations = whole ? rf_answer_kept(a, b, "citations") : NULL;
    rf_json_str(w, "text", whole ? b->text : RF_STR(""));
    if (citations)
        rf_json_value(w, "citations", citations);
}

/* A block, or, where it is not whole, the one that its deltas are added to. */
static void block(struct rf_json *w, const char *key, const struct rf_answer *a,
                  const struct rf_block *b, bool whole)
{
    static const char *const but[] = { "citations", "deltas", NULL };
    if (b->type == RF_BLOCK_OPAQUE) {
        rf_json_value(w, key, b->value);
        return;
    }
    rf_json_obj(w, key);
    rf_json_str(w, "type", rf_str(type_name(b)));
    if (b->type == RF_BLOCK_TEXT)
        text_members(w, a, b, whole);
    else if (b->type == RF_BLOCK_TOOL_CALL) {
        call_members(w, a, b);
        if (whole)
            rf_wire_arguments(w, "input", b);
        else
            rf_json_raw(w, "input", RF_STR("{}"));
    } else if (b->thinking.redacted.n)
        rf_json_str(w, "data", b->thinking.redacted);
    else
        thinking_members(w, &b->thinking, whole);
    rf_json_members(w, rf_answer_aside(a, b), but);
    rf_json_end(w);
}

static void body(const struct rf_answer *a, struct rf_json *w)
{
    head(w, a);
    rf_json_arr(w, "content");
    for (size_t i = 0; i < a->count; i++)
        block(w, NULL, a, &a->blocks[i], true);
    rf_json_end(w);
    ending(w, a);
    kept(w, a, "context_management");
    kept_or_null(w, a, "diagnostics");
    usage(w, a);
}

static void refusal(const struct rf_answer *a, struct rf_json *w)
{
    rf_json_str(w, "type", RF_STR("error"));
    rf_json_obj(w, "error");
    rf_json_str(w, "type", rf_answer_error(a, errors));
    rf_json_str(w, "message", a->ending.error.words);
    kept(w, a, "details");
    rf_json_end(w);
    if (a->request_id.n && !rf_answer_kept(a, NULL, "request_id"))
        rf_json_str(w, "request_id", a->request_id);
    else
        kept_or_null(w, a, "request_id");
}

/* Streams */

static struct rf_json *event(struct rf_telling *t, const char *type)
{
    struct rf_json *w = rf_tell_open(t);
    rf_json_str(w, "type", rf_str(type));
    return w;
}

static void begin(struct rf_telling *t)
{
    struct rf_json *w = event(t, "message_start");
    rf_json_obj(w, "message");
    head(w, &t->answer);
    rf_json_arr(w, "content");
    rf_json_end(w);
    rf_json_null(w, "stop_reason");
    rf_json_null(w, "stop_sequence");
    rf_json_null(w, "stop_details");
    rf_json_null(w, "container");
    rf_json_null(w, "diagnostics");
    usage(w, &t->answer);
    rf_json_end(w);
    rf_tell_close(t, "message_start");
}

static void open(struct rf_telling *t, const struct rf_block *b)
{
    struct rf_json *w = event(t, "content_block_start");
    rf_json_int(w, "index", t->next);
    block(w, "content_block", &t->answer, b, false);
    rf_tell_close(t, "content_block_start");
}

static struct rf_json *open_delta(struct rf_telling *t)
{
    struct rf_json *w = event(t, "content_block_delta");
    rf_json_int(w, "index", t->next);
    return w;
}

static void delta(struct rf_telling *t, const char *type, const char *member, struct rf_str text)
{
    struct rf_json *w = open_delta(t);
    rf_json_obj(w, "delta");
    rf_json_str(w, "type", rf_str(type));
    rf_json_str(w, member, text);
    rf_json_end(w);
    rf_tell_close(t, "content_block_delta");
}

static void piece(struct rf_telling *t, enum rf_event_type type, struct rf_str text)
{
    if (type == RF_EVENT_ARGUMENTS)
        delta(t, "input_json_delta", "partial_json", text);
    else if (type == RF_EVENT_THINKING)
        delta(t, "thinking_delta", "thinking", text);
    else
        delta(t, "text_delta", "text", text);
}

static void citations(struct rf_telling *t, const struct rf_block *b)
{
    const struct rf_jval *list = rf_answer_kept(&t->answer, b, "citations");
    if (!list || list->type != RF_JARRAY)
        return;
    for (const struct rf_jval *c = rf_jval_first(list); c; c = rf_jval_next(list, c)) {
        struct rf_json *w = open_delta(t);
        rf_json_obj(w, "delta");
        rf_json_str(w, "type", RF_STR("citations_delta"));
        rf_json_value(w, "citation", c);
        rf_json_end(w);
        rf_tell_close(t, "content_block_delta");
    }
}

static void other_deltas(struct rf_telling *t, const struct rf_block *b)
{
    const struct rf_jval *list = rf_answer_kept(&t->answer, b, "deltas");
    if (!list || list->type != RF_JARRAY)
        return;
    for (const struct rf_jval *d = rf_jval_first(list); d; d = rf_jval_next(list, d)) {
        rf_json_value(open_delta(t), "delta", d);
        rf_tell_close(t, "content_block_delta");
    }
}

static void close(struct rf_telling *t, const struct rf_block *b)
{
    if (b->type == RF_BLOCK_TEXT)
        citations(t, b);
    other_deltas(t, b);
    if (b->type == RF_BLOCK_THINKING && !b->thinking.redacted.n)
        delta(t, "signature_delta", "signature", b->thinking.signature);
    rf_json_int(event(t, "content_block_stop"), "index", t->next++);
    rf_tell_close(t, "content_block_stop");
}

static void end(struct rf_telling *t)
{
    struct rf_json *w = event(t, "message_delta");
    rf_json_obj(w, "delta");
    ending(w, &t->answer);
    rf_json_end(w);
    kept(w, &t->answer, "context_management");
    kept(w, &t->answer, "diagnostics");
    rf_json_obj(w, "usage");
    counts(w, &t->answer);
    kept(w, &t->answer, "cache_creation");
    rf_json_end(w);
    rf_tell_close(t, "message_delta");
    event(t, "message_stop");
    rf_tell_close(t, "message_stop");
}

static void fail(struct rf_telling *t)
{
    refusal(&t->answer, rf_tell_open(t));
    rf_tell_close(t, "error");
}

const struct rf_replies rf_anthropic_replies = {
    .id = "msg_",
    .says = { [RF_BLOCK_TEXT] = true,
              [RF_BLOCK_THINKING] = true,
              [RF_BLOCK_TOOL_CALL] = true,
              [RF_BLOCK_OPAQUE] = true },
    .signs_thoughts = true,
    .says_redacted = true,
    .says_objects = true,
    .marks_ids = true,
    .word_ids = true,
    .seals = RF_SEALS_AS_SIGNATURE,
    .fails_on = { [RF_STOP_MALFORMED] = true, [RF_STOP_ERROR] = true },
    .body = body,
    .refusal = refusal,
    .errors = errors,
    .begin = begin,
    .open = open,
    .piece = piece,
    .close = close,
    .end = end,
    .fail = fail,
};
