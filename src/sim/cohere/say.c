/* What Cohere's chat answers: a message, the events of a stream, a refusal. A text before calls is
 * their plan. */
#include "sim/cohere/cohere.h"

struct saying {
    const struct rf_sim_request *r;
    const struct rf_sim_said *said;
    struct rf_sim_reply *out;
    struct rf_sim_writer writer;
};

static struct rf_str finish(const struct rf_sim_said *said)
{
    return said->cut_by_length ? RF_STR("MAX_TOKENS")
           : said->call_count  ? RF_STR("TOOL_CALL")
                               : RF_STR("COMPLETE");
}

static void write_counts(struct rf_json *w, const char *key, const struct rf_sim_said *said)
{
    rf_json_obj(w, key);
    rf_json_int(w, "input_tokens", said->input_tokens);
    rf_json_int(w, "output_tokens", said->output_tokens);
    rf_json_end(w);
}

static void write_usage(struct rf_json *w, const struct rf_sim_said *said)
{
    rf_json_obj(w, "usage");
    write_counts(w, "billed_units", said);
    write_counts(w, "tokens", said);
    rf_json_end(w);
}

static void write_call(struct rf_json *w, const char *key, const struct rf_sim_said *said, size_t i,
                       struct rf_str arguments)
{
    rf_json_obj(w, key);
    rf_json_str(w, "id", said->calls[i].id);
    rf_json_str(w, "type", RF_STR("function"));
    rf_json_obj(w, "function");
    rf_json_str(w, "name", said->calls[i].name);
    rf_json_str(w, "arguments", arguments);
    rf_json_end(w);
    rf_json_end(w);
}

static void write_part(struct rf_json *w, const char *key, const char *type, struct rf_str text)
{
    rf_json_obj(w, key);
    rf_json_str(w, "type", rf_str(type));
    rf_json_str(w, type, text);
    rf_json_end(w);
}

static void write_message(struct rf_json *w, const struct rf_sim_said *said)
{
    bool plans = said->call_count > 0, speaks = said->text.n > 0 && !plans;
    rf_json_obj(w, "message");
    rf_json_str(w, "role", RF_STR("assistant"));
    if (plans)
        rf_json_str_opt(w, "tool_plan", said->text);
    if (plans)
        rf_json_arr(w, "tool_calls");
    for (size_t i = 0; i < said->call_count; i++)
        write_call(w, NULL, said, i, said->calls[i].arguments);
    if (plans)
        rf_json_end(w);
    if (said->thinking.n || speaks) {
        rf_json_arr(w, "content");
        if (said->thinking.n)
            write_part(w, NULL, "thinking", said->thinking);
        if (speaks)
            write_part(w, NULL, "text", said->text);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static void say_whole(struct saying *s)
{
    struct rf_json *w = rf_sim_write(&s->writer, s->r->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "id", rf_sim_uuid(s->r));
    write_message(w, s->said);
    rf_json_str(w, "finish_reason", finish(s->said));
    write_usage(w, s->said);
    rf_json_end(w);
    rf_sim_body(s->out, 200, &s->writer);
}

/* An event up to the inside of `delta`, and from there on. */
static struct rf_json *open_event(struct saying *s, const char *type, int64_t index)
{
    struct rf_json *w = rf_sim_write(&s->writer, s->r->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", rf_str(type));
    if (index >= 0)
        rf_json_int(w, "index", index);
    return w;
}

static void send(struct saying *s, const char *type)
{
    rf_json_end(&s->writer.json);
    rf_sim_event(s->out, s->r->arena, type, rf_sim_written(&s->writer));
}

static struct rf_json *open_message(struct saying *s, const char *type, int64_t index)
{
    struct rf_json *w = open_event(s, type, index);
    rf_json_obj(w, "delta");
    rf_json_obj(w, "message");
    return w;
}

static void send_message(struct saying *s, const char *type)
{
    rf_json_end(&s->writer.json);
    rf_json_end(&s->writer.json);
    send(s, type);
}

static void say_part(struct saying *s, int64_t index, const char *type, struct rf_str rest)
{
    struct rf_str piece;
    write_part(open_message(s, "content-start", index), "content", type, RF_STR(""));
    send_message(s, "content-start");
    while (rf_sim_piece(&rest, &piece)) {
        struct rf_json *w = open_message(s, "content-delta", index);
        rf_json_obj(w, "content");
        rf_json_str(w, type, piece);
        rf_json_end(w);
        send_message(s, "content-delta");
    }
    open_event(s, "content-end", index);
    send(s, "content-end");
}

static void say_call(struct saying *s, size_t i)
{
    struct rf_str rest = s->said->calls[i].arguments, piece;
    write_call(open_message(s, "tool-call-start", (int64_t)i), "tool_calls", s->said, i,
               RF_STR(""));
    send_message(s, "tool-call-start");
    while (rf_sim_piece(&rest, &piece)) {
        struct rf_json *w = open_message(s, "tool-call-delta", (int64_t)i);
        rf_json_obj(w, "tool_calls");
        rf_json_obj(w, "function");
        rf_json_str(w, "arguments", piece);
        rf_json_end(w);
        rf_json_end(w);
        send_message(s, "tool-call-delta");
    }
    open_event(s, "tool-call-end", (int64_t)i);
    send(s, "tool-call-end");
}

static void say_plan(struct saying *s)
{
    struct rf_str rest = s->said->text, piece;
    while (rf_sim_piece(&rest, &piece)) {
        rf_json_str(open_message(s, "tool-plan-delta", -1), "tool_plan", piece);
        send_message(s, "tool-plan-delta");
    }
}

static void say_stream(struct saying *s)
{
    const struct rf_sim_said *said = s->said;
    int64_t index = 0;
    s->out->status = 200;
    struct rf_json *w = open_event(s, "message-start", -1);
    rf_json_str(w, "id", rf_sim_uuid(s->r));
    rf_json_obj(w, "delta");
    rf_json_obj(w, "message");
    rf_json_str(w, "role", RF_STR("assistant"));
    send_message(s, "message-start");
    if (said->thinking.n)
        say_part(s, index++, "thinking", said->thinking);
    if (said->call_count)
        say_plan(s);
    else if (said->text.n)
        say_part(s, index, "text", said->text);
    for (size_t i = 0; i < said->call_count; i++)
        say_call(s, i);
    w = open_event(s, "message-end", -1);
    rf_json_obj(w, "delta");
    rf_json_str(w, "finish_reason", finish(said));
    write_usage(w, said);
    rf_json_end(w);
    send(s, "message-end");
}

void rf_sim_cohere_say(const struct rf_sim_request *r, const struct rf_sim_said *said,
                       struct rf_sim_reply *out)
{
    struct saying s = { .r = r, .said = said, .out = out };
    if (r->stream)
        say_stream(&s);
    else
        say_whole(&s);
}

void rf_sim_cohere_refuse(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                          struct rf_sim_reply *out)
{
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "id", rf_sim_uuid(r));
    rf_json_str(w, "message", refusal->message);
    rf_json_end(w);
    rf_sim_body(out, refusal->status, &writer);
}
