/* What is answered on the chat wire: a completion, or its chunks. Thoughts go where the model's row
 * of the catalogue says that they come from, or are parts of the content. */
#include "sim/openai_chat/openai_chat.h"

#include "base/arena.h"

#define CREATED 1700000000 /* the same every time, so that runs can be compared */
#define ID_LETTERS 29

struct saying {
    const struct rf_sim_request *r;
    const struct rf_sim_said *said;
    struct rf_sim_reply *out;
    const struct rf_sim_openai_rules *rules;
    struct rf_str id;
    struct rf_sim_writer writer;
};

static void write_thinking_part(struct rf_json *w, struct rf_str text)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("thinking"));
    rf_json_arr(w, "thinking");
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("text"));
    rf_json_str(w, "text", text);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
}

enum piece { PIECE, WHOLE, LAST }; /* of thoughts: only the end of them is signed */

static void write_signed(struct rf_json *w, const char *key, const char *type, const char *field,
                         struct rf_str text, enum piece piece)
{
    rf_json_arr(w, key);
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", rf_str(type));
    rf_json_str(w, field, text);
    if (piece != PIECE)
        rf_json_str(w, "signature", RF_STR("sim"));
    rf_json_end(w);
    rf_json_end(w);
}

/* Members of a message or of a delta. */
static void write_thinking(struct rf_json *w, const struct rf_sim_request *r, struct rf_str text,
                           enum piece piece)
{
    switch (r->model->caps.reasoning_field) {
    case RF_REASONING_NONE:
        break;
    case RF_REASONING_CONTENT:
    case RF_REASONING_RECEIVED:
        rf_json_str(w, "reasoning_content", text);
        break;
    case RF_REASONING_PLAIN:
        rf_json_str(w, "reasoning", text);
        break;
    case RF_REASONING_DETAILS:
        rf_json_str(w, "reasoning", text);
        write_signed(w, "reasoning_details", "reasoning.text", "text", text, piece);
        break;
    case RF_REASONING_BLOCKS:
        rf_json_str(w, "reasoning_content", text);
        write_signed(w, "thinking_blocks", "thinking", "thinking", text, piece);
        break;
    }
}

static struct rf_str finish(const struct rf_sim_said *said)
{
    return said->cut_by_length ? RF_STR("length")
           : said->call_count  ? RF_STR("tool_calls")
                               : RF_STR("stop");
}

static void write_token_details(struct rf_json *w, const struct rf_sim_said *said)
{
    rf_json_obj(w, "prompt_tokens_details");
    rf_json_int(w, "cached_tokens", 0);
    rf_json_int(w, "audio_tokens", 0);
    rf_json_end(w);
    rf_json_obj(w, "completion_tokens_details");
    rf_json_int(w, "reasoning_tokens", rf_sim_thinking_tokens(said));
    rf_json_int(w, "audio_tokens", 0);
    rf_json_int(w, "accepted_prediction_tokens", 0);
    rf_json_int(w, "rejected_prediction_tokens", 0);
    rf_json_end(w);
}

static void write_usage(struct rf_json *w, const struct saying *s)
{
    const struct rf_sim_said *said = s->said;
    rf_json_obj(w, "usage");
    rf_json_int(w, "prompt_tokens", said->input_tokens);
    rf_json_int(w, "completion_tokens", said->output_tokens);
    rf_json_int(w, "total_tokens", said->input_tokens + said->output_tokens);
    if (s->rules->token_details)
        write_token_details(w, said);
    rf_json_end(w);
}

static void write_head(struct rf_json *w, const struct saying *s, const char *object)
{
    const struct rf_sim_openai_rules *rules = s->rules;
    rf_json_obj(w, NULL);
    rf_json_str(w, "id", s->id);
    rf_json_str(w, "object", rf_str(object));
    rf_json_int(w, "created", CREATED);
    rf_json_str(w, "model", s->r->model->name);
    if (rules->host)
        rf_json_str(w, "provider", rf_str(rules->host));
    if (rules->tier && !(rules->words == RF_SIM_AS_GROQ && s->r->stream))
        rf_json_str(w, "service_tier", rf_str(rules->tier));
    if (rules->fingerprint)
        rf_json_str(w, "system_fingerprint", rf_str(rules->fingerprint));
}

enum { WITHOUT_USAGE, WITH_USAGE };

/* Groq's own: in a whole body, and in the first and the last chunk. */
static void write_x_groq(struct rf_json *w, const struct saying *s, int usage)
{
    if (s->rules->words != RF_SIM_AS_GROQ)
        return;
    rf_json_obj(w, "x_groq");
    rf_json_str(w, "id", rf_sim_id(s->r, "req_", 26, 0));
    if (usage == WITH_USAGE)
        write_usage(w, s);
    rf_json_end(w);
}

static void write_logprobs(struct rf_json *w, const struct saying *s)
{
    if (!s->rules->thinking_parts)
        rf_json_null(w, "logprobs");
}

/* One body */

static void write_content(struct rf_json *w, const struct saying *s)
{
    const struct rf_sim_said *said = s->said;
    if (said->thinking.n > 0 && s->rules->thinking_parts) {
        rf_json_arr(w, "content");
        write_thinking_part(w, said->thinking);
        rf_json_obj(w, NULL);
        rf_json_str(w, "type", RF_STR("text"));
        rf_json_str(w, "text", said->text);
        rf_json_end(w);
        rf_json_end(w);
        return;
    }
    if (said->text.n > 0 || said->call_count == 0)
        rf_json_str(w, "content", said->text);
    else
        rf_json_null(w, "content");
    if (said->thinking.n > 0)
        write_thinking(w, s->r, said->thinking, WHOLE);
}

static void write_calls(struct rf_json *w, const struct rf_sim_said *said)
{
    rf_json_arr(w, "tool_calls");
    for (size_t i = 0; i < said->call_count; i++) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "id", said->calls[i].id);
        rf_json_str(w, "type", RF_STR("function"));
        rf_json_obj(w, "function");
        rf_json_str(w, "name", said->calls[i].name);
        rf_json_str(w, "arguments", said->calls[i].arguments);
        rf_json_end(w);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static void say_whole(struct saying *s)
{
    struct rf_json *w = rf_sim_write(&s->writer, s->r->arena);
    write_head(w, s, "chat.completion");
    rf_json_arr(w, "choices");
    rf_json_obj(w, NULL);
    rf_json_int(w, "index", 0);
    rf_json_obj(w, "message");
    rf_json_str(w, "role", RF_STR("assistant"));
    write_content(w, s);
    if (s->said->call_count > 0)
        write_calls(w, s->said);
    if (s->rules->words != RF_SIM_AS_GROQ && !s->rules->thinking_parts)
        rf_json_null(w, "refusal");
    rf_json_end(w);
    write_logprobs(w, s);
    rf_json_str(w, "finish_reason", finish(s->said));
    rf_json_end(w);
    rf_json_end(w);
    write_usage(w, s);
    write_x_groq(w, s, WITHOUT_USAGE);
    rf_json_end(w);
    rf_sim_body(s->out, 200, &s->writer);
}

/* A stream */

/* Up to the inside of `delta`. */
static struct rf_json *open_delta(struct saying *s)
{
    struct rf_json *w = rf_sim_write(&s->writer, s->r->arena);
    write_head(w, s, "chat.completion.chunk");
    rf_json_arr(w, "choices");
    rf_json_obj(w, NULL);
    rf_json_int(w, "index", 0);
    rf_json_obj(w, "delta");
    return w;
}

static void send(struct saying *s)
{
    rf_sim_event(s->out, s->r->arena, NULL, rf_sim_written(&s->writer));
}

/* All that follows `delta` but the end. */
static struct rf_json *close_choice(struct saying *s, struct rf_str reason)
{
    struct rf_json *w = &s->writer.json;
    rf_json_end(w);
    write_logprobs(w, s);
    if (reason.n > 0)
        rf_json_str(w, "finish_reason", reason);
    else
        rf_json_null(w, "finish_reason");
    rf_json_end(w);
    rf_json_end(w);
    return w;
}

static void close_delta(struct saying *s)
{
    rf_json_end(close_choice(s, RF_STR("")));
    send(s);
}

static void stream_thinking(struct saying *s, struct rf_str text)
{
    bool has_thoughts = text.n > 0;
    struct rf_str piece;
    while (rf_sim_piece(&text, &piece)) {
        struct rf_json *w = open_delta(s);
        if (s->rules->thinking_parts) {
            rf_json_arr(w, "content");
            write_thinking_part(w, piece);
            rf_json_end(w);
        } else {
            write_thinking(w, s->r, piece, PIECE);
        }
        close_delta(s);
    }
    if (has_thoughts && !s->rules->thinking_parts) {
        write_thinking(open_delta(s), s->r, RF_STR(""), LAST);
        close_delta(s);
    }
}

static void stream_text(struct saying *s, struct rf_str text)
{
    struct rf_str piece;
    while (rf_sim_piece(&text, &piece)) {
        rf_json_str(open_delta(s), "content", piece);
        close_delta(s);
    }
}

/* A fragment of a call; `id` and `name` are empty in all but the first. */
static void stream_fragment(struct saying *s, size_t index, struct rf_str id, struct rf_str name,
                            struct rf_str arguments)
{
    struct rf_json *w = open_delta(s);
    rf_json_arr(w, "tool_calls");
    rf_json_obj(w, NULL);
    rf_json_int(w, "index", (int64_t)index);
    rf_json_str_opt(w, "id", id);
    if (id.n > 0)
        rf_json_str(w, "type", RF_STR("function"));
    rf_json_obj(w, "function");
    rf_json_str_opt(w, "name", name);
    rf_json_str(w, "arguments", arguments);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
    close_delta(s);
}

static void stream_calls(struct saying *s, const struct rf_sim_said *said)
{
    bool whole = s->rules->whole_calls;
    for (size_t i = 0; i < said->call_count; i++) {
        struct rf_str rest = said->calls[i].arguments, piece;
        stream_fragment(s, i, said->calls[i].id, said->calls[i].name, whole ? rest : RF_STR(""));
        while (!whole && rf_sim_piece(&rest, &piece))
            stream_fragment(s, i, RF_STR(""), RF_STR(""), piece);
    }
}

static void stream_usage(struct saying *s)
{
    struct rf_json *w = rf_sim_write(&s->writer, s->r->arena);
    write_head(w, s, "chat.completion.chunk");
    rf_json_arr(w, "choices");
    rf_json_end(w);
    write_usage(w, s);
    rf_json_end(w);
    send(s);
}

static void stream_end(struct saying *s)
{
    bool usage_apart = s->rules->usage_apart;
    open_delta(s);
    struct rf_json *w = close_choice(s, finish(s->said));
    if (!usage_apart)
        write_usage(w, s);
    write_x_groq(w, s, WITH_USAGE);
    rf_json_end(w);
    send(s);
    if (usage_apart && s->r->wants_usage)
        stream_usage(s);
    rf_sim_event(s->out, s->r->arena, NULL, RF_STR("[DONE]"));
}

static void say_stream(struct saying *s)
{
    s->out->status = 200;
    struct rf_json *w = open_delta(s);
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_json_str(w, "content", RF_STR(""));
    write_x_groq(close_choice(s, RF_STR("")), s, WITHOUT_USAGE);
    rf_json_end(w);
    send(s);
    stream_thinking(s, s->said->thinking);
    stream_text(s, s->said->text);
    stream_calls(s, s->said);
    stream_end(s);
}

void rf_sim_chat_say(const struct rf_sim_request *r, const struct rf_sim_said *said,
                     struct rf_sim_reply *out)
{
    const struct rf_sim_openai_rules *rules = rf_sim_openai_rules(r->model->provider);
    struct saying s = { .r = r,
                        .said = said,
                        .out = out,
                        .rules = rules,
                        .id = rf_sim_id(r, rules->id_prefix, ID_LETTERS, 0) };
    if (r->stream)
        say_stream(&s);
    else
        say_whole(&s);
}
