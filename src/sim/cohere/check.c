/* The other side of Cohere's chat, version 2.
 *
 * All is refused with 400 and a sentence, in the words of its list of errors where that has them:
 * a system message after others, empty messages, calls without results, a person who speaks right
 * after a tool, pictures anywhere but in a user's message; and with 422 what is unknown. Documents
 * of a request are read by the model; it cites nothing. */
#include "sim/cohere/cohere.h"

#include "base/arena.h"
#include "sim/strict.h"

#include <inttypes.h>

#define S RF_SIM_STRING
#define B RF_SIM_BOOL
#define L RF_SIM_ARRAY
#define O RF_SIM_OBJECT
#define COUNT(table) (sizeof(table) / sizeof *(table))
#define MAX_STOPS 5

struct reading {
    struct rf_sim_request *r;
    struct rf_sim_refusal *out;
    const char *role, *before; /* of this message and of the one before; "" at the beginning */
    struct rf_sim_calls calls; /* of all turns */
    struct rf_str *open;       /* ids of the last assistant's calls that wait for a result */
    size_t open_count, open_cap;
    int64_t images;
};

#define REFUSE(in, ...) rf_sim_refuse((in)->r, (in)->out, 400, __VA_ARGS__)

/* Shapes */

static const char *type_words(unsigned types)
{
    return types & S   ? "string"
           : types & L ? "array"
           : types & O ? "object"
           : types & B ? "boolean"
                       : "number";
}

static bool members(struct reading *in, const struct rf_jval *v, const char *table)
{
    if (v->type != RF_JOBJECT)
        return REFUSE(in, "invalid request: expected an object");
    struct rf_sim_wrong wrong = rf_sim_members(v, table, in->r->arena);
    switch (wrong.fault) {
    case RF_SIM_FINE:
        return true;
    case RF_SIM_UNKNOWN:
        /* source: reported (BerriAI/litellm#24031, agno-agi/agno#3503) */
        return rf_sim_refuse(in->r, in->out, 422,
                             "unknown field: parameter '%.*s' is not a valid field. For proper "
                             "usage, please refer to https://docs.cohere.com/reference/chat",
                             RF_FMT(wrong.name));
    case RF_SIM_MISSING:
        if (rf_str_is(wrong.name, "model"))
            return REFUSE(in, "a model parameter is required for this endpoint.");
        return REFUSE(in, "invalid request: parameter '%.*s' is required", RF_FMT(wrong.name));
    case RF_SIM_WRONG_TYPE:
        return REFUSE(in, "invalid type: parameter '%.*s' should be of type %s", RF_FMT(wrong.name),
                      type_words(wrong.want));
    }
    return true;
}

/* Parts */

static bool read_text(struct reading *in, const struct rf_jval *part)
{
    static const char table[] = "type:s! text:s!";
    if (!members(in, part, table))
        return false;
    rf_sim_see(in->r, RF_SIM_TEXT, in->role)->text = rf_sim_get(in->r, part, "text");
    return true;
}

/* Thoughts of earlier turns are not looked at. */
static bool read_thinking(struct reading *in, const struct rf_jval *part)
{
    static const char table[] = "type:s! thinking:s!";
    return members(in, part, table);
}

static bool read_document(struct reading *in, const struct rf_jval *part)
{
    static const char outer[] = "type:s! document:o!";
    static const char inner[] = "data:o! id:s";
    const struct rf_jval *document = rf_jval_get(part, "document");
    if (!members(in, part, outer) || !members(in, document, inner))
        return false;
    rf_sim_see(in->r, RF_SIM_TEXT, in->role)->text =
        rf_jval_compact(rf_jval_get(document, "data"), in->r->arena);
    return true;
}

static bool check_picture(struct reading *in, struct rf_str bytes, const struct rf_format *format)
{
    const struct rf_caps *caps = &in->r->model->caps;
    struct rf_facts facts;
    switch (rf_sim_picture(caps, bytes, format, &facts)) {
    case RF_SIM_PICTURE_FINE:
        return true;
    case RF_SIM_PICTURE_FORMAT:
        return REFUSE(in, "invalid request: unsupported image format");
    case RF_SIM_PICTURE_BROKEN:
        return REFUSE(in, "invalid request: invalid image data");
    case RF_SIM_PICTURE_BYTES:
        return REFUSE(in, "invalid request: image exceeds the maximum size of %" PRId64 " bytes",
                      caps->max_image_bytes);
    case RF_SIM_PICTURE_SIDE:
    case RF_SIM_PICTURE_PIXELS:
        return REFUSE(in, "invalid request: image dimensions exceed the limit");
    }
    return true;
}

static bool read_image(struct reading *in, const struct rf_jval *part)
{
    static const char outer[] = "type:s! image_url:o!";
    static const char inner[] = "url:s! detail:s";
    const struct rf_jval *image = rf_jval_get(part, "image_url");
    const struct rf_format *format;
    struct rf_str mime, base64, bytes;
    if (!members(in, part, outer) || !members(in, image, inner))
        return false;
    struct rf_str url = rf_sim_get(in->r, image, "url");
    struct rf_str detail = rf_sim_get(in->r, image, "detail");
    if (!in->r->model->caps.takes[RF_KIND_IMAGE])
        return REFUSE(in, "invalid request: model '%.*s' does not support image inputs",
                      RF_FMT(in->r->model->name));
    if (detail.n && !rf_sim_one_of(detail, "auto low high"))
        return REFUSE(in, "invalid request: detail must be one of auto, low or high");
    in->images++;
    if (rf_sim_is_web_url(url)) {
        struct rf_sim_seen *s = rf_sim_see(in->r, RF_SIM_FILE, in->role);
        s->reference = url;
        s->mime = RF_STR("image/*");
        return true;
    }
    if (!rf_sim_data_url(url, &mime, &base64) || !rf_sim_decode(in->r, base64, &bytes, &format))
        return REFUSE(in, "invalid request: image_url must be a web URL or a base64 data URI");
    if (!check_picture(in, bytes, format))
        return false;
    rf_sim_see_file(in->r, in->role, bytes, format, mime);
    return true;
}

static bool read_part(struct reading *in, const struct rf_jval *part)
{
    static const struct {
        const char *type, *roles;
        bool (*read)(struct reading *in, const struct rf_jval *part);
    } parts[] = {
        { "text", "system user assistant tool", read_text },
        { "image_url", "user", read_image },
        { "document", "tool", read_document },
        { "thinking", "assistant", read_thinking },
    };
    struct rf_str type = rf_sim_get(in->r, part, "type");
    for (size_t i = 0; i < COUNT(parts); i++)
        if (rf_str_is(type, parts[i].type) && rf_sim_one_of(rf_str(in->role), parts[i].roles))
            return parts[i].read(in, part);
    return REFUSE(in, "invalid request: content of type '%.*s' is not supported for role '%s'",
                  RF_FMT(type), in->role);
}

/* A string or a list of parts; not nothing. */
static bool read_content(struct reading *in, const struct rf_jval *content)
{
    if (content && content->type == RF_JSTRING && !rf_str_blank(rf_sim_text(in->r, content))) {
        rf_sim_see(in->r, RF_SIM_TEXT, in->role)->text = rf_sim_text(in->r, content);
        return true;
    }
    if (!content || content->type != RF_JARRAY || !content->count)
        return REFUSE(in, "message must not be empty in a turn");
    for (const struct rf_jval *v = rf_jval_first(content); v; v = rf_jval_next(content, v))
        if (!read_part(in, v))
            return false;
    return true;
}

/* Messages */

static bool read_call(struct reading *in, const struct rf_jval *v)
{
    static const char outer[] = "id:s! type:s! function:o!";
    static const char inner[] = "name:s! arguments:s!";
    const struct rf_jval *function = rf_jval_get(v, "function"), *arguments;
    if (!members(in, v, outer) || !members(in, function, inner))
        return false;
    struct rf_str id = rf_sim_get(in->r, v, "id"), name = rf_sim_get(in->r, function, "name");
    struct rf_str json = rf_sim_get(in->r, function, "arguments");
    if (rf_jval_parse(json, in->r->arena, &arguments, NULL) || arguments->type != RF_JOBJECT)
        return REFUSE(in, "invalid request: tool call arguments must be a JSON object");
    if (!rf_sim_call_add(&in->calls, in->r->arena, id, name))
        return REFUSE(in, "invalid request: tool call id '%.*s' is used more than once",
                      RF_FMT(id));
    *RF_PUSH(in->r->arena, in->open, in->open_count, in->open_cap) = id;
    rf_sim_see_call(in->r, id, name, json);
    return true;
}

static bool read_assistant(struct reading *in, const struct rf_jval *m)
{
    static const char table[] = "role:s! content:sa tool_plan:s tool_calls:a citations:a";
    if (!members(in, m, table))
        return false;
    const struct rf_jval *content = rf_jval_get(m, "content"),
                         *calls = rf_jval_get(m, "tool_calls"), *plan = rf_jval_get(m, "tool_plan");
    bool has_calls = calls && calls->type == RF_JARRAY && calls->count > 0;
    if ((!has_calls || (content && content->type != RF_JNULL)) && !read_content(in, content))
        return false;
    if (plan && plan->type == RF_JSTRING)
        rf_sim_see(in->r, RF_SIM_TEXT, in->role)->text = rf_sim_text(in->r, plan);
    const struct rf_jval *v = has_calls ? rf_jval_first(calls) : NULL;
    for (; v; v = rf_jval_next(calls, v))
        if (!read_call(in, v))
            return false;
    return true;
}

static bool close_call(struct reading *in, struct rf_str id)
{
    for (size_t i = 0; i < in->open_count; i++) {
        if (!rf_str_eq(in->open[i], id))
            continue;
        in->open[i] = in->open[--in->open_count];
        return true;
    }
    return false;
}

static bool read_result(struct reading *in, const struct rf_jval *m)
{
    static const char table[] = "role:s! tool_call_id:s! content:sa!";
    if (!members(in, m, table))
        return false;
    struct rf_str id = rf_sim_get(in->r, m, "tool_call_id");
    const struct rf_sim_known_call *call = rf_sim_call_find(&in->calls, id);
    if (!call || !close_call(in, id))
        return REFUSE(in, "invalid request: tool call id '%.*s' not found in previous tool calls",
                      RF_FMT(id));
    in->r->result = call;
    rf_sim_see(in->r, RF_SIM_RESULT, in->role);
    bool ok = read_content(in, rf_jval_get(m, "content"));
    in->r->result = NULL;
    return ok;
}

static bool all_answered(struct reading *in)
{
    if (!in->open_count)
        return true;
    return REFUSE(in,
                  "invalid request: An assistant message with 'tool_calls' must be followed by "
                  "tool messages responding to each 'tool_call_id'. The following tool_call_ids "
                  "did not have response messages: %.*s",
                  RF_FMT(in->open[0]));
}

static bool check_order(struct reading *in)
{
    bool tool = strcmp(in->role, "tool") == 0;
    if (strcmp(in->role, "system") == 0 && !rf_sim_one_of(rf_str(in->before), "system") &&
        in->before[0])
        return REFUSE(in, "system turn must be the first in the list");
    if (strcmp(in->role, "user") == 0 && strcmp(in->before, "tool") == 0)
        return REFUSE(in, "invalid request: cannot specify message if the last entry in chat "
                          "history contains tool results");
    return tool || all_answered(in);
}

static bool read_message(struct reading *in, const struct rf_jval *m)
{
    static const char *const roles[] = { "system", "user", "assistant", "tool" };
    static const char plain[] = "role:s! content:sa!";
    struct rf_str role = rf_sim_get(in->r, m, "role");
    size_t i = 0;
    while (i < COUNT(roles) && !rf_str_is(role, roles[i]))
        i++;
    if (i == COUNT(roles))
        return REFUSE(in,
                      "invalid request: role must be one of system, user, assistant or tool, "
                      "received '%.*s'",
                      RF_FMT(role));
    in->before = in->role;
    in->role = roles[i];
    if (!check_order(in))
        return false;
    if (i == 2)
        return read_assistant(in, m);
    if (i == 3)
        return read_result(in, m);
    return members(in, m, plain) && read_content(in, rf_jval_get(m, "content"));
}

static bool read_messages(struct reading *in, const struct rf_jval *messages)
{
    for (const struct rf_jval *m = rf_jval_first(messages); m; m = rf_jval_next(messages, m)) {
        if (!read_message(in, m))
            return false;
        in->r->turn++;
    }
    if (!rf_sim_one_of(rf_str(in->role), "user tool"))
        return REFUSE(in, "invalid request: message must be at least 1 token long or tool results "
                          "must be specified.");
    return all_answered(in);
}

/* The body */

static const char body_members[] =
    "model:s! messages:a! stream:b tools:a strict_tools:b documents:a citation_options:o "
    "response_format:o safety_mode:s max_tokens:n stop_sequences:a temperature:n seed:n "
    "frequency_penalty:n presence_penalty:n k:n p:n logprobs:b tool_choice:s thinking:o "
    "priority:n raw_prompting:b";

static bool read_tool(struct reading *in, const struct rf_jval *v)
{
    static const char outer[] = "type:s! function:o!";
    static const char inner[] = "name:s! description:s parameters:o!";
    const struct rf_jval *function = rf_jval_get(v, "function");
    if (!members(in, v, outer) || !members(in, function, inner))
        return false;
    rf_sim_offer(in->r, rf_sim_get(in->r, function, "name"));
    return true;
}

static bool read_tools(struct reading *in, const struct rf_jval *body)
{
    const struct rf_jval *tools = rf_jval_get(body, "tools"),
                         *choice = rf_jval_get(body, "tool_choice");
    const struct rf_caps *caps = &in->r->model->caps;
    const struct rf_jval *t = tools && tools->type == RF_JARRAY ? rf_jval_first(tools) : NULL;
    for (; t; t = rf_jval_next(tools, t))
        if (!read_tool(in, t))
            return false;
    if (!choice || choice->type == RF_JNULL)
        return true;
    struct rf_str word = rf_sim_text(in->r, choice);
    if (!rf_sim_one_of(word, "REQUIRED NONE"))
        return REFUSE(in, "invalid request: tool_choice must be one of REQUIRED or NONE");
    if (!in->r->tool_count)
        return REFUSE(in, "invalid request: tool_choice requires tools");
    in->r->must_call = rf_str_is(word, "REQUIRED");
    in->r->must_not_call = !in->r->must_call;
    return (in->r->must_call ? caps->forced_tool_choice : caps->tool_choice_none) ||
           REFUSE(in, "invalid request: tool_choice is not supported by model '%.*s'",
                  RF_FMT(in->r->model->name));
}

/* A text, or {"id":…,"data":…}: what the model reads before the messages. */
static bool read_documents(struct reading *in, const struct rf_jval *body)
{
    static const char table[] = "data:os! id:s";
    const struct rf_jval *list = rf_jval_get(body, "documents");
    if (!list || list->type != RF_JARRAY)
        return true;
    if (!list->count)
        return REFUSE(in, "invalid request: list of documents must not be empty");
    if (rf_jval_get(body, "response_format"))
        return REFUSE(in, "invalid request: response_format is not supported with RAG.");
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        if (v->type != RF_JSTRING && !members(in, v, table))
            return false;
        const struct rf_jval *data = v->type == RF_JSTRING ? v : rf_jval_get(v, "data");
        rf_sim_see(in->r, RF_SIM_TEXT, "system")->text = data->type == RF_JSTRING
                                                             ? rf_sim_text(in->r, data)
                                                             : rf_jval_compact(data, in->r->arena);
    }
    return true;
}

/* Models that can think do, unless they are told not to. */
static bool read_thinking_mode(struct reading *in, const struct rf_jval *body)
{
    static const char table[] = "type:s! token_budget:n";
    const struct rf_jval *v = rf_jval_get(body, "thinking");
    bool can = rf_caps_thinks_when_asked(&in->r->model->caps);
    int64_t budget;
    in->r->thinks = can;
    if (!v || v->type == RF_JNULL)
        return true;
    if (!members(in, v, table))
        return false;
    struct rf_str type = rf_sim_get(in->r, v, "type");
    const struct rf_jval *most = rf_jval_get(v, "token_budget");
    if (!rf_sim_one_of(type, "enabled disabled"))
        return REFUSE(in, "invalid request: thinking type must be one of enabled or disabled");
    if (most && (!rf_jval_int64(most, &budget) || budget < 1))
        return REFUSE(in, "invalid request: token_budget must be a positive integer");
    if (!can)
        return REFUSE(in, "invalid request: thinking is not supported by model '%.*s'",
                      RF_FMT(in->r->model->name));
    in->r->thinks = rf_str_is(type, "enabled");
    return true;
}

static bool read_settings(struct reading *in, const struct rf_jval *body)
{
    const struct rf_jval *stream = rf_jval_get(body, "stream"),
                         *most = rf_jval_get(body, "max_tokens"),
                         *stops = rf_jval_get(body, "stop_sequences");
    in->r->stream = stream && stream->type == RF_JTRUE;
    in->r->wants_usage = true;
    if (!most || !rf_jval_int64(most, &in->r->max_tokens))
        in->r->max_tokens = 0;
    if (stops && stops->type == RF_JARRAY && stops->count > MAX_STOPS)
        return REFUSE(in, "invalid request: at most %d stop_sequences are allowed", MAX_STOPS);
    return read_thinking_mode(in, body) && read_documents(in, body) && read_tools(in, body);
}

static bool check_limits(struct reading *in)
{
    const struct rf_caps *caps = &in->r->model->caps;
    int64_t tokens = rf_sim_input_tokens(in->r);
    if (caps->max_images && in->images > caps->max_images)
        return REFUSE(in, "invalid request: too many images, the maximum is %" PRId64,
                      caps->max_images);
    return !caps->context_tokens || tokens <= caps->context_tokens ||
           REFUSE(in,
                  "too many tokens: total number of tokens in the prompt cannot exceed %" PRId64
                  " - received %" PRId64
                  ". Try using a shorter prompt, or enabling prompt truncating.",
                  caps->context_tokens, tokens);
}

static bool check(struct rf_sim_request *r, const struct rf_jval *body, struct rf_sim_refusal *out)
{
    struct reading *in = RF_NEW(r->arena, struct reading);
    *in = (struct reading){ .r = r, .out = out, .role = "", .before = "" };
    if (!members(in, body, body_members))
        return false;
    if (!rf_sim_model_exists(r->model))
        return rf_sim_refuse(r, out, 404,
                             "model '%.*s' not found, make sure the correct model ID was used and "
                             "that you have access to the model.",
                             RF_FMT(r->model->name));
    return read_settings(in, body) && read_messages(in, rf_jval_get(body, "messages")) &&
           check_limits(in);
}

const struct rf_sim_dialect rf_sim_cohere = {
    .name = "cohere",
    .call_prefix = "call_",
    .call_letters = 12,
    .check = check,
    .say = rf_sim_cohere_say,
    .refuse = rf_sim_cohere_refuse,
};
