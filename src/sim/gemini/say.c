/* Answers of generateContent: a candidate, or chunks that each are a whole response. There is no
 * finish reason for calls, and thoughts are not among the candidate's tokens. */
#include "sim/gemini/gemini.h"

#include "base/arena.h"

#define SIGNATURE "c2lt"

struct saying {
    const struct rf_sim_request *r;
    const struct rf_sim_said *said;
    struct rf_sim_writer writer;
};

/* Up to the inside of `parts`. */
static struct rf_json *open_response(struct saying *s)
{
    struct rf_json *w = rf_sim_write(&s->writer, s->r->arena);
    rf_json_obj(w, NULL);
    rf_json_arr(w, "candidates");
    rf_json_obj(w, NULL);
    rf_json_obj(w, "content");
    rf_json_arr(w, "parts");
    return w;
}

static void write_usage(struct rf_json *w, const struct rf_sim_said *said)
{
    rf_json_obj(w, "usageMetadata");
    rf_json_int(w, "promptTokenCount", said->input_tokens);
    int64_t thoughts = rf_sim_thinking_tokens(said);
    rf_json_int(w, "candidatesTokenCount", said->output_tokens - thoughts);
    if (thoughts > 0)
        rf_json_int(w, "thoughtsTokenCount", thoughts);
    rf_json_int(w, "totalTokenCount", said->input_tokens + said->output_tokens);
    rf_json_arr(w, "promptTokensDetails");
    rf_json_obj(w, NULL);
    rf_json_str(w, "modality", RF_STR("TEXT"));
    rf_json_int(w, "tokenCount", said->input_tokens);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
}

enum place { MIDDLE, END };

static void close_response(struct saying *s, enum place place)
{
    struct rf_json *w = &s->writer.json;
    rf_json_end(w);
    rf_json_str(w, "role", RF_STR("model"));
    rf_json_end(w);
    if (place == END)
        rf_json_str(w, "finishReason",
                    s->said->cut_by_length ? RF_STR("MAX_TOKENS") : RF_STR("STOP"));
    rf_json_int(w, "index", 0);
    rf_json_end(w);
    rf_json_end(w);
    if (place == END)
        write_usage(w, s->said);
    rf_json_str(w, "modelVersion", s->r->model->name);
    rf_json_str(w, "responseId", rf_sim_id(s->r, "", 22, 0));
    rf_json_end(w);
}

static void write_thought(struct rf_json *w, struct rf_str text)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "text", text);
    rf_json_bool(w, "thought", true);
    rf_json_end(w);
}

static void write_text(struct rf_json *w, struct rf_str text)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "text", text);
    rf_json_end(w);
}

/* Families that want signatures back give one with the first call. */
static void write_call(struct rf_json *w, const struct saying *s, size_t i)
{
    rf_json_obj(w, NULL);
    rf_json_obj(w, "functionCall");
    rf_json_str_opt(w, "id", s->said->calls[i].id);
    rf_json_str(w, "name", s->said->calls[i].name);
    rf_json_raw(w, "args", s->said->calls[i].arguments);
    rf_json_end(w);
    if (i == 0 && s->r->model->caps.call_signature.n > 0)
        rf_json_str(w, "thoughtSignature", RF_STR(SIGNATURE));
    rf_json_end(w);
}

static void say_whole(struct saying *s, struct rf_sim_reply *out)
{
    struct rf_json *w = open_response(s);
    if (s->said->thinking.n > 0)
        write_thought(w, s->said->thinking);
    if (s->said->text.n > 0 || s->said->call_count == 0)
        write_text(w, s->said->text);
    for (size_t i = 0; i < s->said->call_count; i++)
        write_call(w, s, i);
    close_response(s, END);
    rf_sim_body(out, 200, &s->writer);
}

static void send(struct saying *s, struct rf_sim_reply *out, enum place place)
{
    close_response(s, place);
    rf_sim_event(out, s->r->arena, NULL, rf_sim_written(&s->writer));
}

static void say_stream(struct saying *s, struct rf_sim_reply *out)
{
    struct rf_str rest = s->said->thinking, piece;
    out->status = 200;
    for (; rf_sim_piece(&rest, &piece); send(s, out, MIDDLE))
        write_thought(open_response(s), piece);
    for (rest = s->said->text; rf_sim_piece(&rest, &piece); send(s, out, MIDDLE))
        write_text(open_response(s), piece);
    for (size_t i = 0; i < s->said->call_count; i++, send(s, out, MIDDLE))
        write_call(open_response(s), s, i);
    write_text(open_response(s), RF_STR(""));
    send(s, out, END);
}

void rf_sim_gemini_say(const struct rf_sim_request *r, const struct rf_sim_said *said,
                       struct rf_sim_reply *out)
{
    struct saying s = { .r = r, .said = said };
    if (r->stream)
        say_stream(&s, out);
    else
        say_whole(&s, out);
}

static const struct {
    int status;
    const char *name;
} statuses[] = {
    { 400, "INVALID_ARGUMENT" }, { 401, "UNAUTHENTICATED" },    { 403, "PERMISSION_DENIED" },
    { 404, "NOT_FOUND" },        { 429, "RESOURCE_EXHAUSTED" }, { 500, "INTERNAL" },
    { 503, "UNAVAILABLE" },      { 504, "DEADLINE_EXCEEDED" },
};

void rf_sim_gemini_refuse(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                          struct rf_sim_reply *out)
{
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    const char *status = "UNKNOWN";
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == refusal->status)
            status = statuses[i].name;
    rf_json_obj(w, NULL);
    rf_json_obj(w, "error");
    rf_json_int(w, "code", refusal->status);
    rf_json_str(w, "message", refusal->message);
    rf_json_str(w, "status", refusal->type.n > 0 ? refusal->type : rf_str(status));
    rf_json_end(w);
    rf_json_end(w);
    rf_sim_body(out, refusal->status, &writer);
}
