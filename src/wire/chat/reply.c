/* Replies of chat completions, whole and in chunks, with all their accents.
 *
 *     on the wire                                     in the reply
 *     choices[0].message, choices[0].delta            blocks: see message.c
 *     finish_reason                                   the stop; "stop" with calls means the calls
 *     usage, x_groq.usage                             usage
 *     error, choices[0].error, event: error           the error
 *     native_finish_reason, cost, provider, …         kept aside: see `note_names`
 *
 * A stream is over at [DONE], or once a finish_reason came; usage may come after it. Left aside:
 * other choices than the first, log probabilities, timing, fingerprints, filter results and
 * moderation, seeds, token ids and padding. */
#include "wire/chat/reply.h"

#include "base/arena.h"

struct rf_completion_state *rf_completion_state(struct rf_reply *r)
{
    if (!r->state)
        r->state = RF_NEW(r->arena, struct rf_completion_state);
    return r->state;
}

const struct rf_jval *rf_completion_list(const struct rf_jval *v)
{
    static const struct rf_jval none = { .type = RF_JARRAY, .span = 1 };
    return v && v->type == RF_JARRAY ? v : &none;
}

/* Members of the reply that are kept aside. */

static bool is_nothing(const struct rf_jval *v)
{
    return !v || v->type == RF_JNULL || (v->type == RF_JSTRING && !v->raw.n) ||
           ((v->type == RF_JARRAY || v->type == RF_JOBJECT) && !v->count);
}

/* In the order in which they are written, whichever came first. */
static const char *const note_names[RF_COMPLETION_NOTES] = {
    "provider",
    "service_tier",
    "native_finish_reason",
    "stop_sequence",
    "citations",
    "search_results",
    "cost",
    "cost_details",
    "metadata",
    "failed_generation",
    "server_tool_use_details",
    "type",
    "param",
    "code",
    "status_code",
};

static void rewrite_notes(struct rf_reply *r, const struct rf_completion_state *c)
{
    r->extra.n = 0;
    for (size_t i = 0; i < RF_COMPLETION_NOTES; i++) {
        if (!c->notes[i].n)
            continue;
        rf_buf_add(&r->extra, r->extra.n ? RF_STR(",\"") : RF_STR("\""));
        rf_buf_add(&r->extra, rf_str(note_names[i]));
        rf_buf_add(&r->extra, RF_STR("\":"));
        rf_buf_add(&r->extra, c->notes[i]);
    }
}

/* Chunks repeat such members, and the last one holds. */
static void note(struct rf_reply *r, const char *name, const struct rf_jval *v)
{
    struct rf_completion_state *c = rf_completion_state(r);
    size_t i = 0;
    if (is_nothing(v))
        return;
    while (strcmp(note_names[i], name) != 0)
        i++;
    struct rf_str json = rf_jval_compact(v, r->scratch);
    if (rf_str_eq(c->notes[i], json))
        return;
    c->notes[i] = rf_str_dup(r->arena, json);
    rewrite_notes(r, c);
}

static void notes(struct rf_reply *r, const struct rf_jval *from, const char *const *names)
{
    for (; *names; names++)
        note(r, *names, rf_jval_get(from, *names));
}

/* Usage. */

#define AT(field) offsetof(struct rf_usage, field)

enum { ALL, PROMPT, COMPLETION, GROUPS };

/* Where a count has several names, the last one that is there holds. */
static const struct {
    int group;
    struct rf_str name;
    size_t at;
} counts[] = {
    { ALL, RF_STR_INIT("prompt_tokens"), AT(input) },
    { ALL, RF_STR_INIT("completion_tokens"), AT(output) },
    { ALL, RF_STR_INIT("cached_tokens"), AT(cached) },
    { ALL, RF_STR_INIT("num_cached_tokens"), AT(cached) },
    { ALL, RF_STR_INIT("prompt_cache_hit_tokens"), AT(cached) },
    { ALL, RF_STR_INIT("cache_read_input_tokens"), AT(cached) },
    { ALL, RF_STR_INIT("cache_creation_input_tokens"), AT(cache_write) },
    { ALL, RF_STR_INIT("reasoning_tokens"), AT(reasoning) },
    { PROMPT, RF_STR_INIT("cached_tokens"), AT(cached) },
    { PROMPT, RF_STR_INIT("cache_write_tokens"), AT(cache_write) },
    { PROMPT, RF_STR_INIT("text_tokens"), AT(input_text) },
    { PROMPT, RF_STR_INIT("image_tokens"), AT(input_image) },
    { PROMPT, RF_STR_INIT("audio_tokens"), AT(input_audio) },
    { PROMPT, RF_STR_INIT("video_tokens"), AT(input_video) },
    { COMPLETION, RF_STR_INIT("reasoning_tokens"), AT(reasoning) },
    { COMPLETION, RF_STR_INIT("text_tokens"), AT(output_text) },
    { COMPLETION, RF_STR_INIT("image_tokens"), AT(output_image) },
    { COMPLETION, RF_STR_INIT("audio_tokens"), AT(output_audio) },
};

#define COUNTS (sizeof counts / sizeof *counts)

/* Some leave the thoughts out of completion_tokens. The total tells. */
static void add_thoughts(struct rf_usage *u, int64_t total)
{
    if (u->input < 0 || u->output < 0 || total < u->input)
        return;
    int64_t written = total - u->input;
    if (written > u->output && (u->reasoning <= 0 || written - u->output == u->reasoning))
        u->output = written;
}

static void usage(struct rf_reply *r, const struct rf_jval *v)
{
    static const char *const kept[] = { "cost", "cost_details", "server_tool_use_details", NULL };
    if (!v || v->type != RF_JOBJECT)
        return;
    const struct rf_jval *const groups[GROUPS] = {
        [ALL] = v,
        [PROMPT] = rf_jval_get(v, "prompt_tokens_details"),
        [COMPLETION] = rf_jval_get(v, "completion_tokens_details"),
    };
    for (size_t i = 0; i < COUNTS; i++) {
        int64_t n = rf_reply_count(rf_jval_member(groups[counts[i].group], counts[i].name));
        if (n >= 0)
            memcpy((char *)&r->usage + counts[i].at, &n, sizeof n);
    }
    add_thoughts(&r->usage, rf_reply_count(rf_jval_get(v, "total_tokens")));
    notes(r, v, kept);
    rf_reply_usage(r);
}

/* The envelope: what every chunk says again. */

static void set_once(struct rf_reply *r, struct rf_str *field, const struct rf_jval *v)
{
    if (!field->n)
        *field = rf_reply_copy(r, v);
}

/* Programs that sign their answers. */
static const struct {
    const char *fingerprint, *server;
} signed_by[] = {
    { "fp_ollama", "ollama" },
};

static void signature(struct rf_reply *r, const struct rf_jval *fingerprint)
{
    for (size_t i = 0; fingerprint && i < sizeof signed_by / sizeof *signed_by; i++)
        if (rf_jval_is(fingerprint, signed_by[i].fingerprint))
            r->server = rf_str(signed_by[i].server);
}

static void envelope(struct rf_reply *r, const struct rf_jval *body)
{
    static const char *const kept[] = { "provider", "service_tier", "citations", "search_results",
                                        NULL };
    const struct rf_jval *used = rf_jval_get(body, "usage");
    set_once(r, &r->id, rf_jval_get(body, "id"));
    set_once(r, &r->model, rf_jval_get(body, "model"));
    signature(r, rf_jval_get(body, "system_fingerprint"));
    notes(r, body, kept);
    usage(r, used && used->type == RF_JOBJECT ? used
                                              : rf_jval_get(rf_jval_get(body, "x_groq"), "usage"));
}

/* Errors. */

static bool has_error(const struct rf_jval *v)
{
    const struct rf_jval *object = rf_jval_get(v, "object");
    return !is_nothing(rf_jval_get(v, "error")) || (object && rf_jval_is(object, "error"));
}

/* Routers put the status of the one after them where others have a name. */
static int status_of(const struct rf_jval *error)
{
    int64_t status = rf_reply_count(rf_jval_get(error, "status_code"));
    if (status < 0)
        status = rf_reply_count(rf_jval_get(error, "code"));
    return status >= 400 && status < 600 ? (int)status : 0;
}

/* What is neither a reply nor an error that anybody knows is told as it is. */
static void fail(struct rf_reply *r, const struct rf_jval *body)
{
    static const char *const kept[] = { "failed_generation", "metadata", "type", "param", "code",
                                        "status_code",       NULL };
    const struct rf_jval *error = rf_jval_get(body, "error");
    if (!error || error->type != RF_JOBJECT)
        error = body;
    if (!rf_wire_error(body, status_of(error), r)) {
        struct rf_str words = rf_jval_compact(body, r->scratch);
        rf_reply_error(r, rf_wire_error_kind(0, RF_STR(""), words), RF_STR(""), words);
    }
    r->error.inner = rf_reply_copy(r, rf_jval_get(rf_jval_get(error, "metadata"), "raw"));
    notes(r, error, kept);
}

/* The end. */

static const struct {
    struct rf_str name;
    enum rf_stop stop;
} stops[] = {
    { RF_STR_INIT("stop"), RF_STOP_END },
    { RF_STR_INIT("eos_token"), RF_STOP_END },
    { RF_STR_INIT("end_turn"), RF_STOP_END },
    { RF_STR_INIT("stop_sequence"), RF_STOP_SEQUENCE },
    { RF_STR_INIT("length"), RF_STOP_LENGTH },
    { RF_STR_INIT("model_length"), RF_STOP_LENGTH },
    { RF_STR_INIT("max_tokens"), RF_STOP_LENGTH },
    { RF_STR_INIT("model_context_window_exceeded"), RF_STOP_LENGTH },
    { RF_STR_INIT("tool_calls"), RF_STOP_TOOL },
    { RF_STR_INIT("tool_use"), RF_STOP_TOOL },
    { RF_STR_INIT("function_call"), RF_STOP_TOOL },
    { RF_STR_INIT("content_filter"), RF_STOP_REFUSED },
    { RF_STR_INIT("sensitive"), RF_STOP_REFUSED },
    { RF_STR_INIT("refusal"), RF_STOP_REFUSED },
    { RF_STR_INIT("error"), RF_STOP_ERROR },
    { RF_STR_INIT("network_error"), RF_STOP_ERROR },
    { RF_STR_INIT("insufficient_system_resource"), RF_STOP_ERROR },
};

static enum rf_stop stop_of(const struct rf_completion_state *c, struct rf_str reason)
{
    enum rf_stop stop = RF_STOP_UNKNOWN;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (rf_str_ieq(reason, stops[i].name))
            stop = stops[i].stop;
    if (stop != RF_STOP_UNKNOWN && stop != RF_STOP_END)
        return stop;
    if (c->call_count)
        return RF_STOP_TOOL;
    return c->refused ? RF_STOP_REFUSED : stop;
}

static void close_all(struct rf_reply *r)
{
    for (size_t i = 0; i < r->count; i++)
        rf_draft_close(r, r->drafts[i]);
}

/* A stop sequence that was met stands beside the reason in some replies. */
static void finish(struct rf_reply *r, const struct rf_jval *choice)
{
    const struct rf_jval *sequence = rf_jval_get(choice, "stop_reason");
    struct rf_str reason = rf_reply_text(r, rf_jval_get(choice, "finish_reason"));
    enum rf_stop stop = stop_of(rf_completion_state(r), reason);
    if (stop == RF_STOP_END && sequence && sequence->type == RF_JSTRING && sequence->raw.n) {
        stop = RF_STOP_SEQUENCE;
        note(r, "stop_sequence", sequence);
    }
    note(r, "native_finish_reason", rf_jval_get(choice, "native_finish_reason"));
    close_all(r);
    rf_reply_stop(r, stop, reason);
    r->complete = true;
}

/* Some end a stream without a word why. */
static void done(struct rf_reply *r)
{
    if (!r->complete)
        rf_reply_stop(r, stop_of(rf_completion_state(r), RF_STR("")), RF_STR(""));
    close_all(r);
    r->complete = true;
}

static const struct rf_jval *first_choice(const struct rf_jval *body)
{
    const struct rf_jval *choices = rf_completion_list(rf_jval_get(body, "choices"));
    for (const struct rf_jval *c = rf_jval_first(choices); c; c = rf_jval_next(choices, c))
        if (c->type == RF_JOBJECT && rf_reply_count(rf_jval_get(c, "index")) <= 0)
            return c;
    return NULL;
}

void rf_completion_decode(const struct rf_jval *body, struct rf_reply *r)
{
    const struct rf_jval *choice = first_choice(body);
    rf_completion_state(r)->whole = true;
    if (choice) {
        envelope(r, body);
        rf_completion_message(r, rf_jval_get(choice, "message"));
        finish(r, choice);
    }
    if (!choice || has_error(body))
        fail(r, body);
    else if (has_error(choice))
        fail(r, choice);
}

void rf_completion_event(const struct rf_frame *frame, const struct rf_jval *data,
                         struct rf_reply *r)
{
    if (!data) {
        done(r);
        return;
    }
    const struct rf_jval *choice = first_choice(data), *delta = rf_jval_get(choice, "delta");
    envelope(r, data);
    rf_completion_message(r, delta ? delta : rf_jval_get(choice, "message"));
    if (!is_nothing(rf_jval_get(choice, "finish_reason")))
        finish(r, choice);
    if (has_error(data) || rf_str_is(frame->name, "error"))
        fail(r, data);
    else if (has_error(choice))
        fail(r, choice);
}
