/* What is answered on the Responses wire: one object, or the events that build it up. The events
 * end with the same object that would have been the body. */
#include "sim/openai_responses/openai_responses.h"

#include "base/arena.h"

#define CREATED 1700000000 /* the same every time, so that runs can be compared */

struct saying {
    const struct rf_sim_request *r;
    const struct rf_sim_said *said;
    struct rf_sim_reply *out;
    const struct rf_sim_openai_rules *rules;
    struct rf_str id, reasoning_id, message_id;
    struct rf_sim_writer writer;
    int64_t sequence, index; /* of the next event, of the next item */
};

#define ID_LETTERS 48

/* Items. `done` is false in events that only announce one. */

static void reasoning_item(struct rf_json *w, const char *key, const struct saying *s, bool done)
{
    rf_json_obj(w, key);
    rf_json_str(w, "id", s->reasoning_id);
    rf_json_str(w, "type", RF_STR("reasoning"));
    rf_json_arr(w, "summary");
    if (done) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "type", RF_STR("summary_text"));
        rf_json_str(w, "text", s->said->thinking);
        rf_json_end(w);
    }
    rf_json_end(w);
    if (s->rules->words == RF_SIM_AS_XAI)
        rf_json_str(w, "status", done ? RF_STR("completed") : RF_STR("in_progress"));
    rf_json_str(w, "encrypted_content", RF_STR("c2lt"));
    rf_json_end(w);
}

static void text_part(struct rf_json *w, const char *key, struct rf_str text)
{
    rf_json_obj(w, key);
    rf_json_str(w, "type", RF_STR("output_text"));
    rf_json_str(w, "text", text);
    rf_json_raw(w, "annotations", RF_STR("[]"));
    rf_json_raw(w, "logprobs", RF_STR("[]"));
    rf_json_end(w);
}

static void message_item(struct rf_json *w, const char *key, const struct saying *s, bool done)
{
    rf_json_obj(w, key);
    rf_json_str(w, "id", s->message_id);
    rf_json_str(w, "type", RF_STR("message"));
    rf_json_str(w, "status", done ? RF_STR("completed") : RF_STR("in_progress"));
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_json_arr(w, "content");
    if (done)
        text_part(w, NULL, s->said->text);
    rf_json_end(w);
    rf_json_end(w);
}

static struct rf_str call_item_id(const struct rf_sim_request *r, size_t i)
{
    return rf_sim_id(r, "fc_", ID_LETTERS, i);
}

/* The namespace that a function is offered in; empty: none. */
static struct rf_str namespace_of(const struct rf_sim_request *r, struct rf_str name)
{
    const struct rf_jval *tools = rf_jval_get(r->body, "tools");
    for (const struct rf_jval *t = rf_jval_first(tools); t; t = rf_jval_next(tools, t)) {
        const struct rf_jval *within = rf_jval_get(t, "tools");
        for (const struct rf_jval *f = rf_jval_first(within); f; f = rf_jval_next(within, f))
            if (rf_str_eq(rf_sim_get(r, f, "name"), name))
                return rf_sim_get(r, t, "name");
    }
    return RF_STR("");
}

static void call_item(struct rf_json *w, const char *key, const struct saying *s, size_t i,
                      bool done)
{
    struct rf_str within = namespace_of(s->r, s->said->calls[i].name);
    rf_json_obj(w, key);
    rf_json_str(w, "id", call_item_id(s->r, i));
    rf_json_str(w, "type", RF_STR("function_call"));
    rf_json_str(w, "status", done ? RF_STR("completed") : RF_STR("in_progress"));
    rf_json_str(w, "call_id", s->said->calls[i].id);
    rf_json_str(w, "name", s->said->calls[i].name);
    if (within.n)
        rf_json_str(w, "namespace", within);
    rf_json_str(w, "arguments", done ? s->said->calls[i].arguments : RF_STR(""));
    rf_json_end(w);
}

static bool has_message(const struct rf_sim_said *said)
{
    return said->text.n > 0 || said->call_count == 0;
}

static void write_usage(struct rf_json *w, const struct rf_sim_said *said)
{
    rf_json_obj(w, "usage");
    rf_json_int(w, "input_tokens", said->input_tokens);
    rf_json_obj(w, "input_tokens_details");
    rf_json_int(w, "cached_tokens", 0);
    rf_json_end(w);
    rf_json_int(w, "output_tokens", said->output_tokens);
    rf_json_obj(w, "output_tokens_details");
    rf_json_int(w, "reasoning_tokens", rf_sim_thinking_tokens(said));
    rf_json_end(w);
    rf_json_int(w, "total_tokens", said->input_tokens + said->output_tokens);
    rf_json_end(w);
}

static void write_output(struct rf_json *w, const struct saying *s)
{
    rf_json_arr(w, "output");
    if (s->said->thinking.n > 0)
        reasoning_item(w, NULL, s, true);
    if (has_message(s->said))
        message_item(w, NULL, s, true);
    for (size_t i = 0; i < s->said->call_count; i++)
        call_item(w, NULL, s, i, true);
    rf_json_end(w);
}

/* Settings that a response repeats, and what they are where the request has none. */
static const struct {
    const char *name, *usual;
} settings[] = {
    { "background", "false" },
    { "instructions", "null" },
    { "max_output_tokens", "null" },
    { "max_tool_calls", "null" },
    { "metadata", "{}" },
    { "parallel_tool_calls", "true" },
    { "previous_response_id", "null" },
    { "prompt_cache_key", "null" },
    { "reasoning", "{\"effort\":null,\"summary\":null}" },
    { "safety_identifier", "null" },
    { "store", "true" },
    { "temperature", "1.0" },
    { "text", "{\"format\":{\"type\":\"text\"},\"verbosity\":\"medium\"}" },
    { "tool_choice", "\"auto\"" },
    { "top_logprobs", "0" },
    { "top_p", "1.0" },
    { "truncation", "\"disabled\"" },
    { "user", "null" },
};

static void repeat(struct rf_json *w, const struct rf_jval *object, const char *name,
                   const char *usual)
{
    const struct rf_jval *v = rf_jval_get(object, name);
    if (v && v->type != RF_JNULL)
        rf_json_value(w, name, v);
    else
        rf_json_raw(w, name, rf_str(usual));
}

/* A function has all its members, also those that the request left out. */
static void write_tool(struct rf_json *w, const struct rf_jval *tool)
{
    if (!rf_jval_is(rf_jval_get(tool, "type"), "function")) {
        rf_json_value(w, NULL, tool);
        return;
    }
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("function"));
    repeat(w, tool, "name", "\"\"");
    repeat(w, tool, "description", "null");
    repeat(w, tool, "parameters", "null");
    repeat(w, tool, "strict", "true");
    rf_json_end(w);
}

static void write_settings(struct rf_json *w, const struct saying *s)
{
    const struct rf_jval *tools = rf_jval_get(s->r->body, "tools");
    bool listed = tools && tools->type == RF_JARRAY;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        repeat(w, s->r->body, settings[i].name, settings[i].usual);
    rf_json_arr(w, "tools");
    for (const struct rf_jval *t = listed ? rf_jval_first(tools) : NULL; t;
         t = rf_jval_next(tools, t))
        write_tool(w, t);
    rf_json_end(w);
    if (s->rules->tier)
        rf_json_str(w, "service_tier", rf_str(s->rules->tier));
}

/* The response; before it is done it has no output yet. */
static void write_response(struct rf_json *w, const char *key, const struct saying *s, bool done)
{
    bool cut = s->said->cut_by_length;
    rf_json_obj(w, key);
    rf_json_str(w, "id", s->id);
    rf_json_str(w, "object", RF_STR("response"));
    rf_json_int(w, "created_at", CREATED);
    rf_json_str(w, "status",
                !done ? RF_STR("in_progress")
                : cut ? RF_STR("incomplete")
                      : RF_STR("completed"));
    rf_json_null(w, "error");
    if (done && cut) {
        rf_json_obj(w, "incomplete_details");
        rf_json_str(w, "reason", RF_STR("max_output_tokens"));
        rf_json_end(w);
    } else {
        rf_json_null(w, "incomplete_details");
    }
    rf_json_str(w, "model", s->r->model->name);
    write_settings(w, s);
    if (done) {
        write_output(w, s);
        write_usage(w, s->said);
    } else {
        rf_json_raw(w, "output", RF_STR("[]"));
        rf_json_null(w, "usage");
    }
    rf_json_end(w);
}

/* Events */

static struct rf_json *open_event(struct saying *s, const char *type)
{
    struct rf_json *w = rf_sim_write(&s->writer, s->r->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", rf_str(type));
    rf_json_int(w, "sequence_number", s->sequence++);
    return w;
}

/* An event about a place inside the item that is being said. */
static struct rf_json *open_place(struct saying *s, const char *type, struct rf_str item,
                                  const char *index)
{
    struct rf_json *w = open_event(s, type);
    rf_json_str(w, "item_id", item);
    rf_json_int(w, "output_index", s->index);
    if (index)
        rf_json_int(w, index, 0);
    return w;
}

static void send(struct saying *s, const char *type)
{
    rf_json_end(&s->writer.json);
    rf_sim_event(s->out, s->r->arena, type, rf_sim_written(&s->writer));
}

static void send_response(struct saying *s, const char *type, bool done)
{
    write_response(open_event(s, type), "response", s, done);
    send(s, type);
}

static void send_text(struct saying *s, const char *type, struct rf_str item, const char *index,
                      const char *key, struct rf_str text)
{
    rf_json_str(open_place(s, type, item, index), key, text);
    send(s, type);
}

static void send_output(struct saying *s, const char *type, const char *key, struct rf_str text)
{
    struct rf_json *w = open_place(s, type, s->message_id, "content_index");
    rf_json_str(w, key, text);
    rf_json_raw(w, "logprobs", RF_STR("[]"));
    send(s, type);
}

static struct rf_json *open_item(struct saying *s, const char *type)
{
    struct rf_json *w = open_event(s, type);
    rf_json_int(w, "output_index", s->index);
    return w;
}

#define ADDED "response.output_item.added"
#define DONE "response.output_item.done"

static void summary_part(struct saying *s, const char *type, struct rf_str text)
{
    struct rf_json *w = open_place(s, type, s->reasoning_id, "summary_index");
    rf_json_obj(w, "part");
    rf_json_str(w, "type", RF_STR("summary_text"));
    rf_json_str(w, "text", text);
    rf_json_end(w);
    send(s, type);
}

static void stream_thinking(struct saying *s)
{
    struct rf_str rest = s->said->thinking, piece, id = s->reasoning_id;
    reasoning_item(open_item(s, ADDED), "item", s, false);
    send(s, ADDED);
    summary_part(s, "response.reasoning_summary_part.added", RF_STR(""));
    while (rf_sim_piece(&rest, &piece))
        send_text(s, "response.reasoning_summary_text.delta", id, "summary_index", "delta", piece);
    send_text(s, "response.reasoning_summary_text.done", id, "summary_index", "text",
              s->said->thinking);
    summary_part(s, "response.reasoning_summary_part.done", s->said->thinking);
    reasoning_item(open_item(s, DONE), "item", s, true);
    send(s, DONE);
    s->index++;
}

static void stream_message(struct saying *s)
{
    struct rf_str rest = s->said->text, piece, id = s->message_id;
    message_item(open_item(s, ADDED), "item", s, false);
    send(s, ADDED);
    text_part(open_place(s, "response.content_part.added", id, "content_index"), "part",
              RF_STR(""));
    send(s, "response.content_part.added");
    while (rf_sim_piece(&rest, &piece))
        send_output(s, "response.output_text.delta", "delta", piece);
    send_output(s, "response.output_text.done", "text", s->said->text);
    text_part(open_place(s, "response.content_part.done", id, "content_index"), "part",
              s->said->text);
    send(s, "response.content_part.done");
    message_item(open_item(s, DONE), "item", s, true);
    send(s, DONE);
    s->index++;
}

static void stream_call(struct saying *s, size_t i)
{
    struct rf_str rest = s->said->calls[i].arguments, piece, id = call_item_id(s->r, i);
    call_item(open_item(s, ADDED), "item", s, i, false);
    send(s, ADDED);
    while (rf_sim_piece(&rest, &piece))
        send_text(s, "response.function_call_arguments.delta", id, NULL, "delta", piece);
    send_text(s, "response.function_call_arguments.done", id, NULL, "arguments",
              s->said->calls[i].arguments);
    call_item(open_item(s, DONE), "item", s, i, true);
    send(s, DONE);
    s->index++;
}

static void say_stream(struct saying *s)
{
    s->out->status = 200;
    send_response(s, "response.created", false);
    send_response(s, "response.in_progress", false);
    if (s->said->thinking.n > 0)
        stream_thinking(s);
    if (has_message(s->said))
        stream_message(s);
    for (size_t i = 0; i < s->said->call_count; i++)
        stream_call(s, i);
    send_response(s, s->said->cut_by_length ? "response.incomplete" : "response.completed", true);
}

void rf_sim_responses_say(const struct rf_sim_request *r, const struct rf_sim_said *said,
                          struct rf_sim_reply *out)
{
    struct saying s = { .r = r,
                        .said = said,
                        .out = out,
                        .rules = rf_sim_openai_rules(r->model->provider),
                        .id = rf_sim_id(r, "resp_", ID_LETTERS, 0),
                        .reasoning_id = rf_sim_id(r, "rs_", ID_LETTERS, 0),
                        .message_id = rf_sim_id(r, "msg_", ID_LETTERS, 0) };
    if (r->stream) {
        say_stream(&s);
        return;
    }
    write_response(rf_sim_write(&s.writer, r->arena), NULL, &s, true);
    rf_sim_body(out, 200, &s.writer);
}
