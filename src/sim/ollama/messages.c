/* Ollama's /v1/messages: Anthropic's Messages, read as its middleware reads them and answered in
 * Anthropic's shapes. It takes text, pictures in base64, calls and thoughts. Blocks of other types
 * are passed over, a document as well, and so is all of a result that is not text: nothing tells.
 * `tool_choice`, `output_config` and what `thinking` says are not looked at.
 *
 * source: code (of the server, 0.17.4) */
#include "base/arena.h"
#include "sim/anthropic/anthropic.h"
#include "sim/ollama/library.h"
#include "sim/strict.h"

struct reading {
    struct rf_sim_request *r;
    struct rf_sim_refusal *out;
    const char *role;
    struct rf_sim_calls calls;
};

static void see_text(struct reading *in, struct rf_str text)
{
    if (text.n > 0)
        rf_sim_see(in->r, RF_SIM_TEXT, in->role)->text = text;
}

/* The texts of a list of blocks, or of a string. */
static void see_texts(struct reading *in, const struct rf_jval *content)
{
    if (content && content->type == RF_JSTRING)
        see_text(in, rf_sim_text(in->r, content));
    for (const struct rf_jval *v = rf_jval_at(content, 0); v; v = rf_jval_next(content, v))
        if (rf_str_is(rf_sim_get(in->r, v, "type"), "text"))
            see_text(in, rf_sim_get(in->r, v, "text"));
}

/* Blocks */

static bool read_image(struct reading *in, const struct rf_jval *block)
{
    const struct rf_jval *source = rf_jval_get(block, "source");
    struct rf_str type = rf_sim_get(in->r, source, "type"), bytes;
    const struct rf_format *format;
    if (!source || source->type != RF_JOBJECT)
        return rf_sim_refuse(in->r, in->out, 400, "invalid image source");
    if (!rf_str_is(type, "base64"))
        return rf_sim_refuse(in->r, in->out, 400,
                             "invalid image source type: %.*s. Only base64 images are supported.",
                             RF_FMT(type));
    if (!rf_sim_decode(in->r, rf_sim_get(in->r, source, "data"), &bytes, &format))
        return rf_sim_refuse(in->r, in->out, 400,
                             "invalid base64 image data: illegal base64 data at input byte 0");
    return rf_sim_ollama_image(in->r, in->role, bytes, format, in->out);
}

static bool read_call(struct reading *in, const struct rf_jval *block)
{
    const struct rf_jval *input = rf_jval_get(block, "input"), *id = rf_jval_get(block, "id"),
                         *name = rf_jval_get(block, "name");
    if (!id || id->type != RF_JSTRING)
        return rf_sim_refuse(in->r, in->out, 400, "tool_use block missing required 'id' field");
    if (!name || name->type != RF_JSTRING)
        return rf_sim_refuse(in->r, in->out, 400, "tool_use block missing required 'name' field");
    struct rf_str words[] = { rf_sim_text(in->r, id), rf_sim_text(in->r, name) };
    rf_sim_call_add(&in->calls, in->r->arena, words[0], words[1]);
    rf_sim_see_call(in->r, words[0], words[1],
                    input && input->type == RF_JOBJECT ? input->raw : RF_STR("{}"));
    return true;
}

/* It becomes a message of its own. */
static void read_result(struct reading *in, const struct rf_jval *block)
{
    struct rf_str id = rf_sim_get(in->r, block, "tool_use_id");
    const struct rf_sim_known_call *known = rf_sim_call_find(&in->calls, id);
    struct rf_sim_known_call result = { .id = id, .name = known ? known->name : RF_STR("") };
    const char *role = in->role;
    in->role = "tool";
    in->r->result = &result;
    rf_sim_see(in->r, RF_SIM_RESULT, in->role);
    see_texts(in, rf_jval_get(block, "content"));
    in->r->result = NULL;
    in->role = role;
}

static bool read_block(struct reading *in, const struct rf_jval *block)
{
    struct rf_str type = rf_sim_get(in->r, block, "type");
    if (block->type != RF_JOBJECT)
        return rf_sim_refuse(in->r, in->out, 400, "invalid content block format");
    if (rf_str_is(type, "text"))
        see_text(in, rf_sim_get(in->r, block, "text"));
    else if (rf_str_is(type, "image"))
        return read_image(in, block);
    else if (rf_str_is(type, "tool_use"))
        return read_call(in, block);
    else if (rf_str_is(type, "tool_result"))
        read_result(in, block);
    return true;
}

/* Messages */

/* One that is unknown goes into the template as it is. */
static void set_role(struct reading *in, const struct rf_jval *m)
{
    static const char *const roles[] = { "system", "assistant", "tool" };
    struct rf_str role = rf_sim_get(in->r, m, "role");
    in->role = "user";
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (rf_str_ieq(role, rf_str(roles[i])))
            in->role = roles[i];
}

static bool read_message(struct reading *in, const struct rf_jval *m)
{
    const struct rf_jval *content = rf_jval_get(m, "content");
    set_role(in, m);
    if (content && content->type == RF_JSTRING) {
        see_texts(in, content);
        return true;
    }
    if (!content || content->type != RF_JARRAY)
        return rf_sim_refuse(in->r, in->out, 400, "invalid message content type: %s",
                             !content || content->type == RF_JNULL ? "<nil>"
                             : content->type == RF_JOBJECT         ? "map[string]interface {}"
                             : content->type == RF_JNUMBER         ? "float64"
                                                                   : "bool");
    for (const struct rf_jval *v = rf_jval_first(content); v; v = rf_jval_next(content, v))
        if (!read_block(in, v))
            return false;
    return true;
}

static bool read_settings(struct rf_sim_request *r, const struct rf_jval *body,
                          struct rf_sim_refusal *out)
{
    const struct rf_jval *stream = rf_jval_get(body, "stream"),
                         *most = rf_jval_get(body, "max_tokens"),
                         *messages = rf_jval_get(body, "messages");
    r->stream = stream && stream->type == RF_JTRUE;
    r->wants_usage = true;
    if (r->model->name.n == 0)
        return rf_sim_refuse(r, out, 400, "model is required");
    if (!most || !rf_jval_int64(most, &r->max_tokens) || r->max_tokens <= 0)
        return rf_sim_refuse(r, out, 400, "max_tokens is required and must be positive");
    return (messages && messages->type == RF_JARRAY && messages->count > 0) ||
           rf_sim_refuse(r, out, 400, "messages is required");
}

static bool read_tools(struct rf_sim_request *r, const struct rf_jval *tools,
                       struct rf_sim_refusal *out)
{
    for (const struct rf_jval *t = rf_jval_at(tools, 0); t; t = rf_jval_next(tools, t)) {
        const struct rf_jval *schema = rf_jval_get(t, "input_schema");
        if (schema && schema->type == RF_JSTRING)
            return rf_sim_refuse(r, out, 400,
                                 "invalid input_schema for tool \"%.*s\": json: cannot unmarshal "
                                 "string into Go value of type api.ToolFunctionParameters",
                                 RF_FMT(rf_sim_get(r, t, "name")));
    }
    return true;
}

static bool check(struct rf_sim_request *r, const struct rf_jval *body, struct rf_sim_refusal *out)
{
    struct reading in = { .r = r, .out = out, .role = "system" };
    const struct rf_jval *messages = rf_jval_get(body, "messages");
    if (!read_settings(r, body, out))
        return false;
    see_texts(&in, rf_jval_get(body, "system"));
    for (const struct rf_jval *m = rf_jval_first(messages); m; m = rf_jval_next(messages, m)) {
        if (!read_message(&in, m))
            return false;
        r->turn++;
    }
    if (!read_tools(r, rf_jval_get(body, "tools"), out))
        return false;
    if (!rf_sim_model_exists(r->model))
        return rf_sim_refuse(r, out, 404, "model '%.*s' not found", RF_FMT(r->model->name));
    if (!rf_sim_ollama_settings(r, rf_jval_get(body, "tools"), RF_SIM_THINK_USUALLY, out))
        return false;
    rf_sim_ollama_cut(r, 0);
    return true;
}

/* Answers */

static void usage(struct rf_json *w, int64_t in, int64_t out)
{
    rf_json_obj(w, "usage");
    rf_json_int(w, "input_tokens", in);
    rf_json_int(w, "output_tokens", out);
    rf_json_end(w);
}

static struct rf_str stop_reason(const struct rf_sim_said *said)
{
    return said->call_count > 0  ? RF_STR("tool_use")
           : said->cut_by_length ? RF_STR("max_tokens")
                                 : RF_STR("end_turn");
}

static void open_message(struct rf_json *w, const char *key, const struct rf_sim_request *r)
{
    rf_json_obj(w, key);
    rf_json_str(w, "id", rf_strf(r->arena, "msg_%s", rf_sim_hex(r->arena, 24, r->seed).p));
    rf_json_str(w, "type", RF_STR("message"));
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_json_str(w, "model", r->model->name);
}

static void text_block(struct rf_json *w, const char *key, const char *type, struct rf_str text)
{
    rf_json_obj(w, key);
    rf_json_str(w, "type", rf_str(type));
    rf_json_str(w, type, text);
    rf_json_end(w);
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
    open_message(w, NULL, r);
    rf_json_arr(w, "content");
    if (said->thinking.n > 0)
        text_block(w, NULL, "thinking", said->thinking);
    if (said->text.n > 0)
        text_block(w, NULL, "text", said->text);
    for (size_t i = 0; i < said->call_count; i++)
        call_block(w, NULL, said, i, said->calls[i].arguments);
    rf_json_end(w);
    rf_json_str(w, "stop_reason", stop_reason(said));
    usage(w, said->input_tokens, said->output_tokens);
    rf_json_end(w);
    rf_sim_body(out, 200, &writer);
}

/* An event under way, and the number of the block that it is about. */
struct event {
    const struct rf_sim_request *r;
    struct rf_sim_reply *out;
    const char *name;
    int64_t block;
    struct rf_sim_writer writer;
};

static struct rf_json *begin(struct event *e, const char *name)
{
    struct rf_json *w = rf_sim_write(&e->writer, e->r->arena);
    e->name = name;
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", rf_str(name));
    if (strncmp(name, "content_block_", 14) == 0)
        rf_json_int(w, "index", e->block);
    return w;
}

static void finish(struct event *e)
{
    rf_json_end(&e->writer.json);
    rf_sim_event(e->out, e->r->arena, e->name, rf_sim_written(&e->writer));
}

static void delta(struct event *e, const char *type, const char *member, struct rf_str text)
{
    struct rf_json *w = begin(e, "content_block_delta");
    rf_json_obj(w, "delta");
    rf_json_str(w, "type", rf_str(type));
    rf_json_str(w, member, text);
    rf_json_end(w);
    finish(e);
}

static void stream_text(struct event *e, const char *type, const char *kind, struct rf_str text)
{
    struct rf_str piece;
    text_block(begin(e, "content_block_start"), "content_block", type, RF_STR(""));
    finish(e);
    while (rf_sim_piece(&text, &piece))
        delta(e, kind, type, piece);
}

static void end_block(struct event *e)
{
    begin(e, "content_block_stop");
    finish(e);
    e->block++;
}

static void stream_call(struct event *e, const struct rf_sim_said *said, size_t i)
{
    call_block(begin(e, "content_block_start"), "content_block", said, i, RF_STR("{}"));
    finish(e);
    delta(e, "input_json_delta", "partial_json", said->calls[i].arguments);
    end_block(e);
}

/* Thoughts end when text begins. Where calls follow them, the server does not end them first: the
 * first call has their number, and at last a block ends that never began. */
static void stream_blocks(struct event *e, const struct rf_sim_said *said)
{
    bool open = said->thinking.n > 0 && said->text.n == 0;
    if (said->thinking.n > 0)
        stream_text(e, "thinking", "thinking_delta", said->thinking);
    if (said->thinking.n > 0 && !open)
        end_block(e);
    if (said->text.n > 0) {
        stream_text(e, "text", "text_delta", said->text);
        end_block(e);
    }
    for (size_t i = 0; i < said->call_count; i++)
        stream_call(e, said, i);
    if (open)
        end_block(e);
}

static void say_stream(const struct rf_sim_request *r, const struct rf_sim_said *said,
                       struct rf_sim_reply *out)
{
    struct event e = { .r = r, .out = out };
    struct rf_json *w = begin(&e, "message_start");
    out->status = 200;
    open_message(w, "message", r);
    rf_json_arr(w, "content");
    rf_json_end(w);
    usage(w, said->input_tokens, 0);
    rf_json_end(w);
    finish(&e);
    stream_blocks(&e, said);
    w = begin(&e, "message_delta");
    rf_json_obj(w, "delta");
    rf_json_str(w, "stop_reason", stop_reason(said));
    rf_json_end(w);
    usage(w, said->input_tokens, said->output_tokens);
    finish(&e);
    begin(&e, "message_stop");
    finish(&e);
}

static void say(const struct rf_sim_request *r, const struct rf_sim_said *said,
                struct rf_sim_reply *out)
{
    if (r->stream)
        say_stream(r, said, out);
    else
        say_whole(r, said, out);
}

/* Of statuses it names the kinds of these alone. */
static void refuse(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                   struct rf_sim_reply *out)
{
    static const int named[] = { 400, 401, 403, 404, 429, 529 };
    struct rf_sim_refusal own = *refusal;
    size_t i = 0;
    while (i < sizeof named / sizeof *named && named[i] != own.status)
        i++;
    if (i == sizeof named / sizeof *named)
        own.type = own.status == 503 ? RF_STR("overloaded_error") : RF_STR("api_error");
    rf_sim_anthropic_refuse(r, &own, out);
}

const struct rf_sim_dialect rf_sim_ollama_messages = {
    .name = "ollama-messages",
    .call_prefix = "call_",
    .call_letters = 8,
    .check = check,
    .say = say,
    .refuse = refuse,
};
