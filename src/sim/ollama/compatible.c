/* Ollama's /v1: Chat Completions and Responses, read as its middleware reads them and answered in
 * OpenAI's shapes. Text and pictures in base64 are all that they take, and a result is a string.
 *
 * source: code (of the server, 0.17.4) */
#include "base/arena.h"
#include "sim/ollama/library.h"
#include "sim/openai_chat/openai_chat.h"
#include "sim/openai_responses/openai_responses.h"
#include "sim/strict.h"

struct reading {
    struct rf_sim_request *r;
    struct rf_sim_refusal *out;
    const char *role;
    struct rf_sim_calls calls;
};

static const char *const roles[] = { "system", "assistant", "tool", "developer" };

/* Thoughts are in `reasoning`, and refusals of what a model cannot do are the server's errors. */
static bool begin(struct reading *in, const struct rf_jval *tools, struct rf_str effort)
{
    struct rf_model *m = RF_NEW(in->r->arena, struct rf_model);
    *m = *in->r->model;
    m->caps.reasoning_field = RF_REASONING_PLAIN;
    in->r->model = m;
    in->out->type = RF_STR("api_error");
    if (m->name.n == 0)
        return rf_sim_refuse(in->r, in->out, 400, "model is required");
    if (!rf_sim_model_exists(m))
        return rf_sim_refuse(in->r, in->out, 404, "model '%.*s' not found", RF_FMT(m->name));
    if (!rf_sim_ollama_settings(in->r, tools,
                                effort.n == 0               ? RF_SIM_THINK_USUALLY
                                : rf_str_is(effort, "none") ? RF_SIM_THINK_NOT
                                                            : RF_SIM_THINK,
                                in->out))
        return false;
    in->out->type = RF_STR("invalid_request_error");
    if (effort.n > 0 && !rf_sim_one_of(effort, "high medium low none"))
        return rf_sim_refuse(in->r, in->out, 400,
                             "invalid reasoning value: '%.*s' (must be \"high\", \"medium\", "
                             "\"low\", or \"none\")",
                             RF_FMT(effort));
    return true;
}

/* One that is unknown goes into the template as it is. */
static void set_role(struct reading *in, const struct rf_jval *m)
{
    struct rf_str role = rf_sim_get(in->r, m, "role");
    in->role = "user";
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (rf_str_ieq(role, rf_str(roles[i])))
            in->role = i == 3 ? "system" : roles[i];
}

static void see_text(struct reading *in, struct rf_str text)
{
    if (text.n > 0)
        rf_sim_see(in->r, RF_SIM_TEXT, in->role)->text = text;
}

static bool read_image(struct reading *in, struct rf_str url)
{
    struct rf_str mime, base64, bytes;
    const struct rf_format *format;
    if (rf_sim_is_web_url(url))
        return rf_sim_refuse(in->r, in->out, 400,
                             "image URLs are not currently supported, please use base64 encoded "
                             "data instead");
    if (!rf_sim_data_url(url, &mime, &base64) ||
        !(mime.n == 0 || rf_sim_one_of(mime, "image/jpeg image/jpg image/png image/webp")) ||
        !rf_sim_decode(in->r, base64, &bytes, &format))
        return rf_sim_refuse(in->r, in->out, 400, "invalid image input");
    return rf_sim_ollama_image(in->r, in->role, bytes, format, in->out);
}

/* Chat Completions */

static bool read_part(struct reading *in, const struct rf_jval *part)
{
    struct rf_str type = rf_sim_get(in->r, part, "type");
    const struct rf_jval *text = rf_jval_get(part, "text"), *image = rf_jval_get(part, "image_url");
    if (rf_str_is(type, "text") && text && text->type == RF_JSTRING) {
        see_text(in, rf_sim_text(in->r, text));
        return true;
    }
    const struct rf_jval *url =
        image && image->type == RF_JOBJECT ? rf_jval_get(image, "url") : image;
    if (rf_str_is(type, "image_url") && url && url->type == RF_JSTRING)
        return read_image(in, rf_sim_text(in->r, url));
    return rf_sim_refuse(in->r, in->out, 400, "invalid message format");
}

static bool read_content(struct reading *in, const struct rf_jval *content, bool calls)
{
    if (content && content->type == RF_JSTRING) {
        see_text(in, rf_sim_text(in->r, content));
        return true;
    }
    if (!content || content->type != RF_JARRAY)
        return calls || rf_sim_refuse(in->r, in->out, 400, "invalid message content type: <nil>");
    for (const struct rf_jval *part = rf_jval_first(content); part;
         part = rf_jval_next(content, part))
        if (!read_part(in, part))
            return false;
    return true;
}

static bool read_calls(struct reading *in, const struct rf_jval *calls)
{
    const struct rf_jval *read, *v = calls ? rf_jval_first(calls) : NULL;
    for (; v; v = rf_jval_next(calls, v)) {
        const struct rf_jval *function = rf_jval_get(v, "function");
        struct rf_str id = rf_sim_get(in->r, v, "id"), name = rf_sim_get(in->r, function, "name"),
                      arguments = rf_sim_get(in->r, function, "arguments");
        if (rf_jval_parse(arguments, in->r->arena, &read, NULL) || read->type != RF_JOBJECT)
            return rf_sim_refuse(in->r, in->out, 400, "invalid tool call arguments");
        rf_sim_call_add(&in->calls, in->r->arena, id, name);
        rf_sim_see_call(in->r, id, name, arguments);
    }
    return true;
}

static void begin_result(struct reading *in, struct rf_str id)
{
    struct rf_sim_known_call *result = RF_NEW(in->r->arena, struct rf_sim_known_call);
    const struct rf_sim_known_call *known = rf_sim_call_find(&in->calls, id);
    *result = (struct rf_sim_known_call){ .id = id, .name = known ? known->name : RF_STR("") };
    in->r->result = result;
    rf_sim_see(in->r, RF_SIM_RESULT, in->role);
}

static bool read_message(struct reading *in, const struct rf_jval *m)
{
    const struct rf_jval *calls = rf_jval_get(m, "tool_calls");
    bool listed = calls && calls->type == RF_JARRAY;
    set_role(in, m);
    if (strcmp(in->role, "tool") == 0)
        begin_result(in, rf_sim_get(in->r, m, "tool_call_id"));
    bool good = read_content(in, rf_jval_get(m, "content"), listed);
    in->r->result = NULL;
    return good && (!listed || read_calls(in, calls));
}

static bool check_chat(struct rf_sim_request *r, const struct rf_jval *body,
                       struct rf_sim_refusal *out)
{
    struct reading in = { .r = r, .out = out };
    const struct rf_jval *messages = rf_jval_get(body, "messages"), *most,
                         *stream = rf_jval_get(body, "stream"),
                         *usage = rf_jval_get(rf_jval_get(body, "stream_options"), "include_usage");
    struct rf_str effort = rf_sim_get(r, body, "reasoning_effort");
    r->stream = stream && stream->type == RF_JTRUE;
    r->wants_usage = usage && usage->type == RF_JTRUE;
    most = rf_jval_get(body, "max_tokens");
    if (!most || !rf_jval_int64(most, &r->max_tokens))
        r->max_tokens = 0;
    if (!begin(&in, rf_jval_get(body, "tools"), effort))
        return false;
    if (!messages || messages->type != RF_JARRAY || messages->count == 0)
        return rf_sim_refuse(r, out, 400, "[] is too short - 'messages'");
    for (const struct rf_jval *m = rf_jval_first(messages); m; m = rf_jval_next(messages, m)) {
        if (!read_message(&in, m))
            return false;
        r->turn++;
    }
    rf_sim_ollama_cut(r, 0);
    return true;
}

/* Responses */

static bool read_input_part(struct reading *in, const struct rf_jval *part, size_t item,
                            size_t index)
{
    struct rf_str type = rf_sim_get(in->r, part, "type"),
                  url = rf_sim_get(in->r, part, "image_url");
    if (rf_sim_one_of(type, "input_text output_text")) {
        see_text(in, rf_sim_get(in->r, part, "text"));
        return true;
    }
    if (rf_str_is(type, "input_image"))
        return url.n == 0 || read_image(in, url);
    return rf_sim_refuse(in->r, in->out, 400,
                         "input[%zu]: content[%zu]: unknown content type: %.*s", item, index,
                         RF_FMT(type));
}

static bool read_input_message(struct reading *in, const struct rf_jval *v, size_t item)
{
    const struct rf_jval *content = rf_jval_get(v, "content"), *part;
    set_role(in, v);
    if (content && content->type == RF_JSTRING) {
        see_text(in, rf_sim_text(in->r, content));
        return true;
    }
    part = content && content->type == RF_JARRAY ? rf_jval_first(content) : NULL;
    for (size_t i = 0; part; part = rf_jval_next(content, part), i++)
        if (!read_input_part(in, part, item, i))
            return false;
    return true;
}

static bool read_output(struct reading *in, const struct rf_jval *v, size_t item)
{
    const struct rf_jval *output = rf_jval_get(v, "output");
    if (output && output->type != RF_JSTRING)
        return rf_sim_refuse(in->r, in->out, 400,
                             "input[%zu]: json: cannot unmarshal %s into Go struct field "
                             "ResponsesFunctionCallOutput.output of type string",
                             item, output->type == RF_JARRAY ? "array" : "object");
    in->role = "tool";
    begin_result(in, rf_sim_get(in->r, v, "call_id"));
    see_text(in, rf_sim_text(in->r, output));
    in->r->result = NULL;
    return true;
}

static bool read_item(struct reading *in, const struct rf_jval *v, size_t item)
{
    struct rf_str type = rf_sim_get(in->r, v, "type"), id = rf_sim_get(in->r, v, "call_id"),
                  name = rf_sim_get(in->r, v, "name");
    if (rf_str_is(type, "message") || (type.n == 0 && rf_jval_get(v, "role")))
        return read_input_message(in, v, item);
    if (rf_str_is(type, "function_call")) {
        rf_sim_call_add(&in->calls, in->r->arena, id, name);
        rf_sim_see_call(in->r, id, name, rf_sim_get(in->r, v, "arguments"));
        return true;
    }
    if (rf_str_is(type, "function_call_output"))
        return read_output(in, v, item);
    return rf_str_is(type, "reasoning") ||
           rf_sim_refuse(in->r, in->out, 400, "input[%zu]: unknown input item type: %.*s", item,
                         RF_FMT(type));
}

static bool check_responses(struct rf_sim_request *r, const struct rf_jval *body,
                            struct rf_sim_refusal *out)
{
    struct reading in = { .r = r, .out = out, .role = "system" };
    const struct rf_jval *input = rf_jval_get(body, "input"), *stream = rf_jval_get(body, "stream"),
                         *reasoning = rf_jval_get(body, "reasoning");
    r->stream = stream && stream->type == RF_JTRUE;
    r->wants_usage = true;
    if (!begin(&in, rf_jval_get(body, "tools"), rf_sim_get(r, reasoning, "effort")))
        return false;
    if (!input || (input->type != RF_JSTRING && input->type != RF_JARRAY))
        return rf_sim_refuse(r, out, 400, "input must be a string or array");
    see_text(&in, rf_sim_get(r, body, "instructions"));
    in.role = "user";
    see_text(&in, rf_sim_text(r, input));
    const struct rf_jval *v = input && input->type == RF_JARRAY ? rf_jval_first(input) : NULL;
    for (; v; v = rf_jval_next(input, v), r->turn++)
        if (!read_item(&in, v, r->turn))
            return false;
    rf_sim_ollama_cut(r, 0);
    return true;
}

const struct rf_sim_dialect rf_sim_ollama_chat = {
    .name = "openai-chat",
    .call_prefix = "call_",
    .call_letters = 8,
    .check = check_chat,
    .say = rf_sim_chat_say,
    .refuse = rf_sim_openai_error,
};

const struct rf_sim_dialect rf_sim_ollama_responses = {
    .name = "openai-responses",
    .call_prefix = "call_",
    .call_letters = 8,
    .check = check_responses,
    .say = rf_sim_responses_say,
    .refuse = rf_sim_openai_error,
};
