/* Replies of chat completions on their way out: see respond.h.
 *
 * Usage goes with the last chunk. Where clients have to ask for it, those who did expect one more
 * with no choices, and null in all others; the rest expect none. What was kept aside (see reply.c)
 * goes back where it was. */
#include "wire/chat/respond.h"

#include "base/arena.h"
#include "content/block.h"
#include "wire/custom.h"
#include "wire/wire.h"

void rf_completion_kept(struct rf_json *w, const struct rf_answer *a, const char *name)
{
    const struct rf_jval *v = rf_answer_kept(a, NULL, name);
    if (v)
        rf_json_value(w, name, v);
}

/* The envelope */

static void head(struct rf_json *w, const struct rf_answer *a, const char *object)
{
    rf_json_str(w, "id", a->id);
    rf_json_str(w, "object", rf_str(object));
    rf_json_int(w, "created", a->created_s);
    rf_json_str(w, "model", a->model);
}

static void tail(struct rf_json *w, const struct rf_answer *a)
{
    static const char *const names[] = { "provider", "service_tier", "citations",
                                         "search_results" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        rf_completion_kept(w, a, names[i]);
}

#define AT(field) offsetof(struct rf_usage, field)

struct count {
    const char *name;
    size_t at;
};

static void details(struct rf_json *w, const char *key, const struct rf_usage *u,
                    const struct count *counts)
{
    bool open = false;
    for (; counts->name; counts++) {
        int64_t n = *(const int64_t *)(const void *)((const char *)u + counts->at);
        if (n < 0)
            continue;
        if (!open)
            rf_json_obj(w, key);
        open = true;
        rf_json_int(w, counts->name, n);
    }
    if (open)
        rf_json_end(w);
}

static bool has_usage(const struct rf_answer *a)
{
    return !a->own || a->ending.usage.input >= 0 || a->ending.usage.output >= 0;
}

static void usage(struct rf_json *w, const struct rf_answer *a)
{
    static const struct count prompt[] = {
        { "cached_tokens", AT(cached) },
        { "cache_write_tokens", AT(cache_write) },
        { "text_tokens", AT(input_text) },
        { "image_tokens", AT(input_image) },
        { "audio_tokens", AT(input_audio) },
        { "video_tokens", AT(input_video) },
        { 0 },
    };
    static const struct count completion[] = {
        { "reasoning_tokens", AT(reasoning) },
        { "text_tokens", AT(output_text) },
        { "image_tokens", AT(output_image) },
        { "audio_tokens", AT(output_audio) },
        { 0 },
    };
    const struct rf_usage *u = &a->ending.usage;
    if (!has_usage(a))
        return;
    rf_json_obj(w, "usage");
    rf_json_int(w, "prompt_tokens", rf_answer_count(u->input));
    rf_json_int(w, "completion_tokens", rf_answer_count(u->output));
    rf_json_int(w, "total_tokens", rf_answer_total(a));
    details(w, "prompt_tokens_details", u, prompt);
    details(w, "completion_tokens_details", u, completion);
    rf_completion_kept(w, a, "cost");
    rf_completion_kept(w, a, "cost_details");
    rf_completion_kept(w, a, "server_tool_use_details");
    rf_json_end(w);
}

static size_t count_calls(const struct rf_answer *a)
{
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++)
        n += a->blocks[i].type == RF_BLOCK_TOOL_CALL;
    return n;
}

static void finish_reason(struct rf_json *w, const struct rf_answer *a)
{
    static const char *const stops[] = {
        [RF_STOP_UNKNOWN] = "stop",  [RF_STOP_END] = "stop",
        [RF_STOP_TOOL] = "stop",     [RF_STOP_LENGTH] = "length",
        [RF_STOP_SEQUENCE] = "stop", [RF_STOP_REFUSED] = "content_filter",
        [RF_STOP_PAUSED] = "stop",   [RF_STOP_MALFORMED] = "error",
        [RF_STOP_ERROR] = "error",
    };
    const struct rf_jval *sequence = rf_answer_kept(a, NULL, "stop_sequence");
    struct rf_str reason = rf_answer_stop(a, stops);
    bool foreign = !a->own || !a->ending.stop_original.n;
    if (a->own && a->ending.stop == RF_STOP_UNKNOWN && foreign)
        rf_json_null(w, "finish_reason");
    else if (foreign && rf_answer_is_refused(a))
        rf_json_str(w, "finish_reason", RF_STR("stop"));
    else if (foreign && rf_str_is(reason, "stop") && count_calls(a))
        rf_json_str(w, "finish_reason", RF_STR("tool_calls"));
    else
        rf_json_str(w, "finish_reason", reason);
    rf_completion_kept(w, a, "native_finish_reason");
    if (sequence)
        rf_json_value(w, "stop_reason", sequence);
}

/* Errors */

const struct rf_error_words rf_completion_errors[] = {
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

static const char *error_type(enum rf_error_kind kind)
{
    switch (kind) {
    case RF_ERROR_NONE:
    case RF_ERROR_OTHER:
    case RF_ERROR_OVERLOADED:
        return "server_error";
    case RF_ERROR_RATE_LIMIT:
        return "requests";
    case RF_ERROR_AUTHENTICATION:
    case RF_ERROR_PERMISSION:
    case RF_ERROR_CONTEXT_TOO_LONG:
    case RF_ERROR_TOO_LARGE:
    case RF_ERROR_BAD_MEDIA:
    case RF_ERROR_UNSUPPORTED:
    case RF_ERROR_NOT_FOUND:
        break;
    }
    return "invalid_request_error";
}

/* As it came, where it was kept; else type and code tell what it is. */
void rf_completion_error(struct rf_json *w, const struct rf_answer *a)
{
    static const char *const names[] = { "type",     "param",       "code",
                                         "metadata", "status_code", "failed_generation" };
    const struct rf_refusal *e = &a->ending.error;
    bool kept = rf_answer_kept(a, NULL, "type") || rf_answer_kept(a, NULL, "code");
    bool named = a->own && e->code.n; /* with nothing but that */
    struct rf_str code = rf_answer_error(a, rf_completion_errors);
    rf_json_str(w, "message", e->words);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        rf_completion_kept(w, a, names[i]);
    if (kept)
        return;
    rf_json_str(w, "type", named ? code : rf_str(error_type(e->kind)));
    rf_json_null(w, "param");
    if (named || rf_answer_error_is_code(code))
        rf_json_str(w, "code", code);
    else
        rf_json_null(w, "code");
}

/* Calls */

/* Was it such a call when it came? */
static bool was_custom(const struct rf_answer *a, const struct rf_block *b)
{
    const struct rf_jval *type = rf_answer_kept(a, b, "type");
    return type && rf_jval_is(type, "custom");
}

/* Is it of a tool that the client has as one that takes a text? That is inside the arguments, and
 * known when all of those are there. */
static bool becomes_custom(const struct rf_answer *a, const struct rf_block *b)
{
    const struct rf_tool *tool = was_custom(a, b) ? NULL : rf_answer_tool(a, b);
    return tool && rf_jval_get(rf_wire_own(tool->extra, "openai-chat"), "custom");
}

static bool is_custom(const struct rf_answer *a, const struct rf_block *b)
{
    return was_custom(a, b) || becomes_custom(a, b);
}

static struct rf_str words_of(const struct rf_answer *a, const struct rf_block *b)
{
    return becomes_custom(a, b) ? rf_custom_input(b, a->arena) : rf_call_arguments(b, a->arena);
}

static bool has_call_extra(const struct rf_answer *a, const struct rf_block *b)
{
    return b->call.signature.n || rf_answer_kept(a, b, "extra_content") ||
           rf_answer_kept(a, b, "provider_specific_fields");
}

/* An opaque mark that must come back with the call, and what else was kept: see calls.c. */
static void call_extra(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b)
{
    static const char *const but[] = { "type", NULL };
    rf_json_members(w, rf_answer_aside(a, b), but);
    if (!b->call.signature.n || rf_answer_kept(a, b, "extra_content"))
        return;
    rf_json_obj(w, "extra_content");
    rf_json_obj(w, "google");
    rf_json_str(w, "thought_signature", b->call.signature);
    rf_json_end(w);
    rf_json_end(w);
}

static void call_members(struct rf_json *w, const struct rf_answer *a, const struct rf_block *b,
                         struct rf_str arguments)
{
    const char *type = is_custom(a, b) ? "custom" : "function";
    rf_json_str(w, "id", b->call.id.n ? b->call.id : rf_answer_new_id(a, "call_"));
    rf_json_str(w, "type", rf_str(type));
    rf_json_obj(w, type);
    rf_json_str(w, "name", b->call.name);
    rf_json_str(w, is_custom(a, b) ? "input" : "arguments", arguments);
    rf_json_end(w);
}

void rf_completion_tool_calls(struct rf_json *w, const struct rf_answer *a)
{
    if (!count_calls(a))
        return;
    rf_json_arr(w, "tool_calls");
    for (size_t i = 0; i < a->count; i++) {
        const struct rf_block *b = &a->blocks[i];
        if (b->type != RF_BLOCK_TOOL_CALL)
            continue;
        rf_json_obj(w, NULL);
        call_members(w, a, b, words_of(a, b));
        call_extra(w, a, b);
        rf_json_end(w);
    }
    rf_json_end(w);
}

/* The whole of it */

void rf_completion_response(const struct rf_answer *a, struct rf_json *w,
                            void (*choice)(const struct rf_answer *a, struct rf_json *w))
{
    head(w, a, "chat.completion");
    rf_json_arr(w, "choices");
    rf_json_obj(w, NULL);
    rf_json_int(w, "index", 0);
    choice(a, w);
    finish_reason(w, a);
    rf_json_end(w);
    rf_json_end(w);
    usage(w, a);
    tail(w, a);
}

/* Streams */

struct rf_json *rf_completion_delta(struct rf_telling *t)
{
    struct rf_json *w = rf_tell_open(t);
    head(w, &t->answer, "chat.completion.chunk");
    rf_json_arr(w, "choices");
    rf_json_obj(w, NULL);
    rf_json_int(w, "index", 0);
    rf_json_obj(w, "delta");
    return w;
}

void rf_completion_delta_end(struct rf_telling *t)
{
    struct rf_json *w = &t->json;
    rf_json_end(w);
    rf_json_null(w, "finish_reason");
    rf_json_end(w);
    rf_json_end(w);
    rf_tell_close(t, NULL);
}

void rf_completion_delta_str(struct rf_telling *t, const char *member, struct rf_str text)
{
    rf_json_str(rf_completion_delta(t), member, text);
    rf_completion_delta_end(t);
}

void rf_completion_begin(struct rf_telling *t)
{
    struct rf_json *w = rf_completion_delta(t);
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_json_str(w, "content", RF_STR(""));
    rf_completion_delta_end(t);
}

static void usage_chunk(struct rf_telling *t)
{
    struct rf_json *w = rf_tell_open(t);
    head(w, &t->answer, "chat.completion.chunk");
    rf_json_arr(w, "choices");
    rf_json_end(w);
    usage(w, &t->answer);
    rf_tell_close(t, NULL);
}

void rf_completion_end(struct rf_telling *t)
{
    struct rf_json *w = rf_completion_delta(t);
    rf_json_end(w);
    finish_reason(w, &t->answer);
    rf_json_end(w);
    rf_json_end(w);
    if (!t->how->usage_on_demand)
        usage(w, &t->answer);
    tail(w, &t->answer);
    rf_tell_close(t, NULL);
    if (t->how->usage_on_demand && !t->keeps_usage && has_usage(&t->answer))
        usage_chunk(t);
    rf_tell_text(t, "[DONE]");
}

/* `index` is its place among the calls. */
static struct rf_json *open_fragment(struct rf_telling *t, size_t index)
{
    struct rf_json *w = rf_completion_delta(t);
    rf_json_arr(w, "tool_calls");
    rf_json_obj(w, NULL);
    rf_json_int(w, "index", (int64_t)index);
    return w;
}

static void close_fragment(struct rf_telling *t)
{
    rf_json_end(&t->json);
    rf_json_end(&t->json);
    rf_completion_delta_end(t);
}

void rf_completion_open_call(struct rf_telling *t, const struct rf_block *b)
{
    struct rf_json *w = open_fragment(t, count_calls(&t->answer));
    call_members(w, &t->answer, b, RF_STR(""));
    close_fragment(t);
}

void rf_completion_call_piece(struct rf_telling *t, struct rf_str text)
{
    const struct rf_block *b = rf_completion_open_block(t);
    bool custom = was_custom(&t->answer, b);
    if (becomes_custom(&t->answer, b))
        return;
    struct rf_json *w = open_fragment(t, count_calls(&t->answer));
    rf_json_obj(w, custom ? "custom" : "function");
    rf_json_str(w, custom ? "input" : "arguments", text);
    rf_json_end(w);
    close_fragment(t);
}

void rf_completion_whole_call(struct rf_telling *t, const struct rf_block *b)
{
    const struct rf_answer *a = &t->answer;
    struct rf_json *w = open_fragment(t, count_calls(a) - 1);
    call_members(w, a, b, words_of(a, b));
    call_extra(w, a, b);
    close_fragment(t);
}

/* Clients add up what each fragment has of the arguments, and not all of them ask whether it
 * has. */
void rf_completion_close_call(struct rf_telling *t, const struct rf_block *b)
{
    bool custom = is_custom(&t->answer, b), held = becomes_custom(&t->answer, b);
    if (!held && !has_call_extra(&t->answer, b))
        return;
    struct rf_json *w = open_fragment(t, count_calls(&t->answer) - 1);
    rf_json_obj(w, custom ? "custom" : "function");
    rf_json_str(w, custom ? "input" : "arguments",
                held ? rf_custom_input(b, t->answer.arena) : RF_STR(""));
    rf_json_end(w);
    call_extra(w, &t->answer, b);
    close_fragment(t);
}

const struct rf_block *rf_completion_open_block(const struct rf_telling *t)
{
    return t->state;
}
