/* Answers and refusals of Bedrock's Converse API, whole and as frames of Amazon's event stream:
 *
 *     u32 length of all · u32 length of headers · u32 CRC of those eight bytes · headers · payload
 *     · u32 CRC of all before it; a header is u8 length · name · 7 (a string) · u16 length · value;
 *     all in network order
 */
#include "base/arena.h"
#include "base/crc32.h"
#include "sim/anthropic/anthropic.h"
#include "sim/bedrock/bedrock.h"

#define MAX_FRAME ((size_t)1 << 24)
#define HEAD 12
#define STRING_TYPE 7

static void add_u16(struct rf_buf *b, size_t n)
{
    rf_buf_addc(b, (char)(n >> 8 & 0xff));
    rf_buf_addc(b, (char)(n & 0xff));
}

static void add_u32(struct rf_buf *b, size_t n)
{
    add_u16(b, n >> 16 & 0xffff);
    add_u16(b, n & 0xffff);
}

static void add_header(struct rf_buf *b, const char *name, const char *value)
{
    rf_buf_addc(b, (char)strlen(name));
    rf_buf_add(b, rf_str(name));
    rf_buf_addc(b, STRING_TYPE);
    add_u16(b, strlen(value));
    rf_buf_add(b, rf_str(value));
}

/* One frame with its payload. */
static void frame(const struct rf_sim_request *r, struct rf_sim_reply *out, const char *event,
                  struct rf_str payload)
{
    struct rf_buf headers, b;
    struct rf_str whole;
    struct rf_err err;
    rf_buf_init(&headers, r->arena, MAX_FRAME);
    add_header(&headers, ":event-type", event);
    add_header(&headers, ":content-type", "application/json");
    add_header(&headers, ":message-type", "event");
    rf_buf_init(&b, r->arena, MAX_FRAME);
    add_u32(&b, HEAD + headers.n + payload.n + 4);
    add_u32(&b, headers.n);
    add_u32(&b, rf_crc32(b.p, b.n));
    rf_buf_add(&b, (struct rf_str){ headers.p, headers.n });
    rf_buf_add(&b, payload);
    add_u32(&b, rf_crc32(b.p, b.n));
    if (rf_buf_finish(&b, &whole, &err))
        RF_BUG("a frame is longer than its parts");
    rf_sim_chunk(out, r->arena, whole);
}

static const char *stop_reason(const struct rf_sim_said *said)
{
    return said->cut_by_length ? "max_tokens" : said->call_count > 0 ? "tool_use" : "end_turn";
}

static void usage(struct rf_json *w, const struct rf_sim_said *said)
{
    rf_json_obj(w, "usage");
    rf_json_int(w, "inputTokens", said->input_tokens);
    rf_json_int(w, "outputTokens", said->output_tokens);
    rf_json_int(w, "totalTokens", said->input_tokens + said->output_tokens);
    rf_json_end(w);
    rf_json_obj(w, "metrics");
    rf_json_int(w, "latencyMs", 1);
    rf_json_end(w);
}

static void content(struct rf_json *w, const struct rf_sim_request *r,
                    const struct rf_sim_said *said)
{
    if (said->thinking.n > 0) {
        rf_json_obj(w, NULL);
        rf_json_obj(w, "reasoningContent");
        rf_json_obj(w, "reasoningText");
        rf_json_str(w, "text", said->thinking);
        rf_json_str(w, "signature", rf_sim_signature(r->arena, said->thinking));
        rf_json_end(w);
        rf_json_end(w);
        rf_json_end(w);
    }
    if (said->text.n > 0) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "text", said->text);
        rf_json_end(w);
    }
    for (size_t i = 0; i < said->call_count; i++) {
        rf_json_obj(w, NULL);
        rf_json_obj(w, "toolUse");
        rf_json_str(w, "toolUseId", said->calls[i].id);
        rf_json_str(w, "name", said->calls[i].name);
        rf_json_raw(w, "input", said->calls[i].arguments);
        rf_json_end(w);
        rf_json_end(w);
    }
}

static void say_whole(const struct rf_sim_request *r, const struct rf_sim_said *said,
                      struct rf_sim_reply *out)
{
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    rf_json_obj(w, NULL);
    rf_json_obj(w, "output");
    rf_json_obj(w, "message");
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_json_arr(w, "content");
    content(w, r, said);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_str(w, "stopReason", rf_str(stop_reason(said)));
    usage(w, said);
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
    return w;
}

static void finish(struct event *e)
{
    rf_json_end(&e->writer.json);
    frame(e->r, e->out, e->name, rf_sim_written(&e->writer));
}

/* A delta; `outer` is the member that holds it, or NULL. */
static void delta(struct event *e, int64_t index, const char *outer, const char *member,
                  struct rf_str text)
{
    struct rf_json *w = begin(e, "contentBlockDelta");
    rf_json_int(w, "contentBlockIndex", index);
    rf_json_obj(w, "delta");
    if (outer)
        rf_json_obj(w, outer);
    rf_json_str(w, member, text);
    if (outer)
        rf_json_end(w);
    rf_json_end(w);
    finish(e);
}

static void deltas(struct event *e, int64_t index, const char *outer, const char *member,
                   struct rf_str text)
{
    struct rf_str piece;
    while (rf_sim_piece(&text, &piece))
        delta(e, index, outer, member, piece);
}

static void end_block(struct event *e, int64_t index)
{
    rf_json_int(begin(e, "contentBlockStop"), "contentBlockIndex", index);
    finish(e);
}

static void stream_call(struct event *e, int64_t index, const struct rf_sim_said *said, size_t i)
{
    struct rf_json *w = begin(e, "contentBlockStart");
    rf_json_int(w, "contentBlockIndex", index);
    rf_json_obj(w, "start");
    rf_json_obj(w, "toolUse");
    rf_json_str(w, "toolUseId", said->calls[i].id);
    rf_json_str(w, "name", said->calls[i].name);
    rf_json_end(w);
    rf_json_end(w);
    finish(e);
    deltas(e, index, "toolUse", "input", said->calls[i].arguments);
    end_block(e, index);
}

static void say_stream(const struct rf_sim_request *r, const struct rf_sim_said *said,
                       struct rf_sim_reply *out)
{
    struct event e = { .r = r, .out = out };
    int64_t index = 0;
    out->status = 200;
    out->content_type = "application/vnd.amazon.eventstream";
    rf_json_str(begin(&e, "messageStart"), "role", RF_STR("assistant"));
    finish(&e);
    if (said->thinking.n > 0) {
        deltas(&e, index, "reasoningContent", "text", said->thinking);
        delta(&e, index, "reasoningContent", "signature",
              rf_sim_signature(r->arena, said->thinking));
        end_block(&e, index++);
    }
    if (said->text.n > 0) {
        deltas(&e, index, NULL, "text", said->text);
        end_block(&e, index++);
    }
    for (size_t i = 0; i < said->call_count; i++)
        stream_call(&e, index++, said, i);
    rf_json_str(begin(&e, "messageStop"), "stopReason", rf_str(stop_reason(said)));
    finish(&e);
    usage(begin(&e, "metadata"), said);
    finish(&e);
}

void rf_sim_bedrock_say(const struct rf_sim_request *r, const struct rf_sim_said *said,
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
    case 403:
        return "AccessDeniedException";
    case 404:
        return "ResourceNotFoundException";
    case 408:
        return "ModelTimeoutException";
    case 424:
        return "ModelErrorException";
    case 429:
        return "ThrottlingException";
    case 503:
        return "ServiceUnavailableException";
    default:
        return status >= 500 ? "InternalServerException" : "ValidationException";
    }
}

void rf_sim_bedrock_refuse(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                           struct rf_sim_reply *out)
{
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    rf_json_obj(w, NULL);
    rf_json_str(w, "message", refusal->message);
    rf_json_end(w);
    rf_sim_body(out, refusal->status, &writer);
    rf_sim_header(out, "x-amzn-errortype",
                  refusal->type.n > 0 ? rf_cstr(r->arena, refusal->type)
                                      : error_type(refusal->status));
}
