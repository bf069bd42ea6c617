/* Answers and refusals of Anthropic's API, whole and as server-sent events. */
#include "base/arena.h"
#include "sim/anthropic/anthropic.h"

static const char *stop_reason(const struct rf_sim_said *said)
{
    return said->cut_by_length ? "max_tokens" : said->call_count > 0 ? "tool_use" : "end_turn";
}

/* What the end of a stream says too. */
static void open_usage(struct rf_json *w, int64_t in, int64_t out)
{
    rf_json_obj(w, "usage");
    rf_json_int(w, "input_tokens", in);
    rf_json_int(w, "cache_creation_input_tokens", 0);
    rf_json_int(w, "cache_read_input_tokens", 0);
    rf_json_int(w, "output_tokens", out);
}

static void usage(struct rf_json *w, int64_t in, int64_t out)
{
    open_usage(w, in, out);
    rf_json_obj(w, "cache_creation");
    rf_json_int(w, "ephemeral_5m_input_tokens", 0);
    rf_json_int(w, "ephemeral_1h_input_tokens", 0);
    rf_json_end(w);
    rf_json_str(w, "service_tier", RF_STR("standard"));
    rf_json_end(w);
}

/* The head of a message up to its content. */
static void head(struct rf_json *w, const char *key, const struct rf_sim_request *r)
{
    rf_json_obj(w, key);
    rf_json_str(w, "id", rf_sim_id(r, "msg_01", 22, 0));
    rf_json_str(w, "type", RF_STR("message"));
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_json_str(w, "model", r->model->name);
}

static void call_block(struct rf_json *w, const char *key, const struct rf_sim_said *said, size_t i,
                       struct rf_str input)
{
    rf_json_obj(w, key);
    rf_json_str(w, "type", RF_STR("tool_use"));
    rf_json_str(w, "id", said->calls[i].id);
    rf_json_str(w, "name", said->calls[i].name);
    rf_json_raw(w, "input", input);
    rf_json_end(w);
}

static void say_whole(const struct rf_sim_request *r, const struct rf_sim_said *said,
                      struct rf_sim_reply *out)
{
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    head(w, NULL, r);
    rf_json_arr(w, "content");
    if (said->thinking.n > 0) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "type", RF_STR("thinking"));
        rf_json_str(w, "thinking", said->thinking);
        rf_json_str(w, "signature", rf_sim_signature(r->arena, said->thinking));
        rf_json_end(w);
    }
    if (said->text.n > 0) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "type", RF_STR("text"));
        rf_json_str(w, "text", said->text);
        rf_json_end(w);
    }
    for (size_t i = 0; i < said->call_count; i++)
        call_block(w, NULL, said, i, said->calls[i].arguments);
    rf_json_end(w);
    rf_json_str(w, "stop_reason", rf_str(stop_reason(said)));
    rf_json_null(w, "stop_sequence");
    usage(w, said->input_tokens, said->output_tokens);
    rf_json_end(w);
    rf_sim_body(out, 200, &writer);
}

/* An event under way: `begin`, members, `finish`. */
struct event {
    const struct rf_sim_request *r;
    struct rf_sim_reply *out;
    const char *name;
    struct rf_sim_writer writer;
};

static struct rf_json *begin(struct event *e, const char *name)
{
    struct rf_json *w = rf_sim_write(&e->writer, e->r->arena);
    e->name = name;
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", rf_str(name));
    return w;
}

static void finish(struct event *e)
{
    rf_json_end(&e->writer.json);
    rf_sim_event(e->out, e->r->arena, e->name, rf_sim_written(&e->writer));
}

static void begin_message(struct event *e, const struct rf_sim_said *said)
{
    struct rf_json *w = begin(e, "message_start");
    head(w, "message", e->r);
    rf_json_arr(w, "content");
    rf_json_end(w);
    rf_json_null(w, "stop_reason");
    rf_json_null(w, "stop_sequence");
    usage(w, said->input_tokens, 1);
    rf_json_end(w);
    finish(e);
    begin(e, "ping");
    finish(e);
}

/* A block that begins empty: its type, and the members that are texts. */
static void begin_block(struct event *e, int64_t index, const char *type, const char *second)
{
    struct rf_json *w = begin(e, "content_block_start");
    rf_json_int(w, "index", index);
    rf_json_obj(w, "content_block");
    rf_json_str(w, "type", rf_str(type));
    rf_json_str(w, type, RF_STR(""));
    if (second)
        rf_json_str(w, second, RF_STR(""));
    rf_json_end(w);
    finish(e);
}

static void delta(struct event *e, int64_t index, const char *type, const char *member,
                  struct rf_str text)
{
    struct rf_json *w = begin(e, "content_block_delta");
    rf_json_int(w, "index", index);
    rf_json_obj(w, "delta");
    rf_json_str(w, "type", rf_str(type));
    rf_json_str(w, member, text);
    rf_json_end(w);
    finish(e);
}

static void deltas(struct event *e, int64_t index, const char *type, const char *member,
                   struct rf_str text)
{
    struct rf_str piece;
    while (rf_sim_piece(&text, &piece))
        delta(e, index, type, member, piece);
}

static void end_block(struct event *e, int64_t index)
{
    rf_json_int(begin(e, "content_block_stop"), "index", index);
    finish(e);
}

static void stream_call(struct event *e, int64_t index, const struct rf_sim_said *said, size_t i)
{
    struct rf_json *w = begin(e, "content_block_start");
    rf_json_int(w, "index", index);
    call_block(w, "content_block", said, i, RF_STR("{}"));
    finish(e);
    delta(e, index, "input_json_delta", "partial_json", RF_STR(""));
    deltas(e, index, "input_json_delta", "partial_json", said->calls[i].arguments);
    end_block(e, index);
}

static void end_message(struct event *e, const struct rf_sim_said *said)
{
    struct rf_json *w = begin(e, "message_delta");
    rf_json_obj(w, "delta");
    rf_json_str(w, "stop_reason", rf_str(stop_reason(said)));
    rf_json_null(w, "stop_sequence");
    rf_json_end(w);
    open_usage(w, said->input_tokens, said->output_tokens);
    rf_json_end(w);
    finish(e);
    begin(e, "message_stop");
    finish(e);
}

static void say_stream(const struct rf_sim_request *r, const struct rf_sim_said *said,
                       struct rf_sim_reply *out)
{
    struct event e = { .r = r, .out = out };
    int64_t index = 0;
    out->status = 200;
    begin_message(&e, said);
    if (said->thinking.n > 0) {
        begin_block(&e, index, "thinking", "signature");
        deltas(&e, index, "thinking_delta", "thinking", said->thinking);
        delta(&e, index, "signature_delta", "signature",
              rf_sim_signature(r->arena, said->thinking));
        end_block(&e, index++);
    }
    if (said->text.n > 0) {
        begin_block(&e, index, "text", NULL);
        deltas(&e, index, "text_delta", "text", said->text);
        end_block(&e, index++);
    }
    for (size_t i = 0; i < said->call_count; i++)
        stream_call(&e, index++, said, i);
    end_message(&e, said);
}

void rf_sim_anthropic_say(const struct rf_sim_request *r, const struct rf_sim_said *said,
                          struct rf_sim_reply *out)
{
    if (r->stream)
        say_stream(r, said, out);
    else
        say_whole(r, said, out);
}

static const char *error_type(int status)
{
    switch (status) {
    case 401:
        return "authentication_error";
    case 403:
        return "permission_error";
    case 404:
        return "not_found_error";
    case 413:
        return "request_too_large";
    case 429:
        return "rate_limit_error";
    case 529:
        return "overloaded_error";
    default:
        return status >= 500 ? "api_error" : "invalid_request_error";
    }
}

void rf_sim_anthropic_refuse(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                             struct rf_sim_reply *out)
{
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("error"));
    rf_json_obj(w, "error");
    rf_json_str(w, "type",
                refusal->type.n > 0 ? refusal->type : rf_str(error_type(refusal->status)));
    rf_json_str(w, "message", refusal->message);
    rf_json_end(w);
    rf_json_str(w, "request_id", rf_sim_id(r, "req_011", 21, 0));
    rf_json_end(w);
    rf_sim_body(out, refusal->status, &writer);
}
