/* The other side of generateContent, for the Gemini API and for Vertex.
 *
 * The fields are checked first (proto.c), then what the contents say: roles, parts with
 * exactly one thing in them, as many responses as there were calls and right after them,
 * signatures where the family wants them, files of types that it takes. */
#include "sim/gemini/gemini.h"
#include "sim/gemini/proto.h"

#include "base/arena.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAX_DECLARATIONS 512
#define MAX_CALLS 1024 /* of one turn */

struct reading {
    struct rf_sim_request *r;
    struct rf_sim_refusal *out;
    const struct rf_caps *caps;
    const char *role;
    /* Calls of the last model turn that want their responses; `answered` of them have one. */
    struct rf_sim_known_call *calls;
    size_t count, cap, answered;
    int64_t images;
    size_t part;          /* where we are in the content */
    size_t last_question; /* the content from which on calls must be signed */
};

static struct rf_str text_of(const struct reading *in, const struct rf_jval *v, const char *name)
{
    return rf_sim_text(in->r, rf_sim_gemini_get(v, name));
}

/* Files */

static bool check_picture(struct reading *in, struct rf_str bytes, const struct rf_format *format)
{
    struct rf_facts facts;
    if (rf_sim_picture(in->caps, bytes, format, &facts) == RF_SIM_PICTURE_FINE)
        return true;
    return rf_sim_refuse(in->r, in->out, 400,
                         "Unable to process input image. Please retry or report in "
                         "https://developers.generativeai.google/guide/troubleshooting");
}

static bool check_type(struct reading *in, struct rf_str mime, const struct rf_format **declared)
{
    *declared = rf_format_by_mime(mime);
    enum rf_kind kind = *declared ? (*declared)->kind : RF_KIND_UNKNOWN;
    struct rf_str list = in->r->result ? in->caps->inside[kind] : in->caps->user[kind];
    return (*declared && rf_mime_in(list, rf_str((*declared)->mime))) ||
           rf_sim_refuse(in->r, in->out, 400, "Unsupported MIME type: %.*s", RF_FMT(mime));
}

static bool read_inline(struct reading *in, const struct rf_jval *blob)
{
    struct rf_str mime = text_of(in, blob, "mimeType"), data = text_of(in, blob, "data"), bytes;
    const struct rf_format *declared, *format;
    if (!rf_sim_gemini_decode(in->r, data, &bytes, &format))
        return rf_sim_refuse(in->r, in->out, 400,
                             "Invalid value at 'contents[%zu].parts[%zu].inline_data.data' "
                             "(TYPE_BYTES), Base64 decoding failed",
                             in->r->turn, in->part);
    if (!check_type(in, mime, &declared))
        return false;
    in->images += declared->kind == RF_KIND_IMAGE;
    if (declared->kind == RF_KIND_IMAGE && !check_picture(in, bytes, format))
        return false;
    if (declared->kind == RF_KIND_PDF && (!format || format->kind != RF_KIND_PDF))
        return rf_sim_refuse(in->r, in->out, 400, "The document has no pages.");
    int64_t most = in->caps->max_document_bytes;
    if (declared->kind == RF_KIND_PDF && most && bytes.n > (uint64_t)most)
        return rf_sim_refuse(in->r, in->out, 400,
                             "The document exceeds the limit of %" PRId64 " bytes", most);
    rf_sim_see_file(in->r, in->role, bytes, format, mime);
    return true;
}

static bool read_reference(struct reading *in, const struct rf_jval *file)
{
    struct rf_str uri = text_of(in, file, "fileUri"), mime = text_of(in, file, "mimeType");
    const struct rf_format *declared = rf_format_by_mime(mime);
    unsigned kind = 1u << (declared ? declared->kind : RF_KIND_UNKNOWN);
    if (uri.n == 0)
        return rf_sim_refuse(in->r, in->out, 400,
                             "* GenerateContentRequest.contents[%zu].parts[%zu].file_data."
                             "file_uri: file_uri must be specified\n",
                             in->r->turn, in->part);
    if (in->r->result && !(in->caps->url_inside & kind))
        return true; /* taken, and never seen */
    struct rf_sim_seen *s = rf_sim_see(in->r, RF_SIM_FILE, in->role);
    s->reference = uri;
    s->mime = mime;
    return true;
}

/* Parts */

static bool read_call(struct reading *in, const struct rf_jval *v, const struct rf_jval *part)
{
    struct rf_str name = text_of(in, v, "name");
    if (in->count == MAX_CALLS)
        return rf_sim_refuse(in->r, in->out, 400, "Request contains an invalid argument.");
    if (name.n == 0)
        return rf_sim_refuse(in->r, in->out, 400,
                             "* GenerateContentRequest.contents[%zu].parts[%zu].function_call."
                             "name: [FIELD_INVALID] name must not be empty\n",
                             in->r->turn, in->part);
    if (in->count == 0 && in->caps->call_signature.n && in->r->turn >= in->last_question &&
        text_of(in, part, "thoughtSignature").n == 0)
        return rf_sim_refuse(
            in->r, in->out, 400,
            "Function call is missing a thought_signature in functionCall parts. This is "
            "required for tools to work correctly, and missing thought_signature may lead to "
            "degraded model performance. Additional data, function call `default_api:%.*s` , "
            "position %zu. Please refer to https://ai.google.dev/gemini-api/docs/"
            "thought-signatures for more details.",
            RF_FMT(name), in->r->turn + 1);
    struct rf_sim_known_call *c = RF_PUSH(in->r->arena, in->calls, in->count, in->cap);
    *c = (struct rf_sim_known_call){ .id = text_of(in, v, "id"), .name = name };
    if (c->id.n == 0)
        c->id = rf_strf(in->r->arena, "call_%zu_%zu", in->r->turn, in->count);
    const struct rf_jval *args = rf_sim_gemini_get(v, "args");
    rf_sim_see_call(in->r, c->id, name, args ? args->raw : RF_STR("{}"));
    return true;
}

static bool read_response_parts(struct reading *in, const struct rf_jval *parts)
{
    if (in->caps->inside[RF_KIND_IMAGE].n == 0)
        return rf_sim_refuse(in->r, in->out, 400,
                             "Multimodal function response is not supported for this model.");
    const struct rf_jval *part = rf_jval_first(parts);
    for (; part; part = rf_jval_next(parts, part)) {
        const struct rf_jval *blob = rf_sim_gemini_get(part, "inlineData"),
                             *file = rf_sim_gemini_get(part, "fileData");
        if (blob && !read_inline(in, blob))
            return false;
        if (file && !read_reference(in, file))
            return false;
        if (!blob && !file)
            return rf_sim_refuse(
                in->r, in->out, 400,
                "* GenerateContentRequest.contents[%zu].parts[%zu]."
                "function_response.parts.data: required oneof field 'data' must have one "
                "initialized field\n",
                in->r->turn, in->part);
    }
    return true;
}

static bool read_response(struct reading *in, const struct rf_jval *v)
{
    const struct rf_jval *response = rf_sim_gemini_get(v, "response"),
                         *parts = rf_sim_gemini_get(v, "parts");
    struct rf_str id = text_of(in, v, "id"), name = text_of(in, v, "name");
    if (name.n == 0)
        return rf_sim_refuse(in->r, in->out, 400,
                             "* GenerateContentRequest.contents[%zu].parts[%zu]."
                             "function_response.name: [FIELD_INVALID] Name cannot be empty.\n",
                             in->r->turn, in->part);
    if (in->count == 0)
        return rf_sim_refuse(in->r, in->out, 400,
                             "Please ensure that function response turn comes immediately "
                             "after a function call turn.");
    if (id.n == 0 && in->answered < in->count)
        id = in->calls[in->answered].id;
    in->answered++;
    const struct rf_sim_known_call call = { .id = id, .name = name };
    in->r->result = &call;
    rf_sim_see(in->r, RF_SIM_RESULT, in->role)->failed =
        rf_sim_gemini_get(response, "error") != NULL;
    if (response)
        rf_sim_see(in->r, RF_SIM_TEXT, in->role)->text = response->raw;
    bool ok = !parts || parts->count == 0 || read_response_parts(in, parts);
    in->r->result = NULL;
    return ok;
}

/* Of these a part holds one. */
static const char *const data_fields[] = {
    "text",           "inlineData",          "fileData", "functionCall", "functionResponse",
    "executableCode", "codeExecutionResult", "toolCall", "toolResponse"
};

static bool check_oneof(struct reading *in, const struct rf_jval *part, size_t index)
{
    const char *set = NULL;
    for (size_t i = 0; i < sizeof data_fields / sizeof *data_fields; i++) {
        if (!rf_sim_gemini_get(part, data_fields[i]))
            continue;
        if (set)
            return rf_sim_refuse(in->r, in->out, 400,
                                 "Invalid value at 'contents[%zu].parts[%zu]' (oneof), oneof "
                                 "field 'data' is already set. Cannot set '%s'",
                                 in->r->turn, index, data_fields[i]);
        set = data_fields[i];
    }
    return set || rf_sim_gemini_get(part, "videoMetadata") ||
           rf_sim_refuse(in->r, in->out, 400,
                         "* GenerateContentRequest.contents[%zu].parts[%zu].data: required "
                         "oneof field 'data' must have one initialized field\n",
                         in->r->turn, index);
}

static bool read_part(struct reading *in, const struct rf_jval *part, size_t index)
{
    const struct rf_jval *v, *thought = rf_sim_gemini_get(part, "thought");
    in->part = index;
    if (!check_oneof(in, part, index))
        return false;
    if ((v = rf_sim_gemini_get(part, "text"))) {
        if (!thought || thought->type != RF_JTRUE)
            rf_sim_see(in->r, RF_SIM_TEXT, in->role)->text = rf_sim_text(in->r, v);
        return true;
    }
    if ((v = rf_sim_gemini_get(part, "inlineData")))
        return read_inline(in, v);
    if ((v = rf_sim_gemini_get(part, "fileData")))
        return read_reference(in, v);
    if ((v = rf_sim_gemini_get(part, "functionCall")))
        return read_call(in, v, part);
    if ((v = rf_sim_gemini_get(part, "functionResponse")))
        return read_response(in, v);
    return true;
}

/* Contents */

static bool has_part(const struct rf_jval *content, const char *name)
{
    const struct rf_jval *parts = rf_sim_gemini_get(content, "parts"),
                         *part = parts ? rf_jval_first(parts) : NULL;
    if (parts && parts->type != RF_JARRAY)
        return rf_sim_gemini_get(parts, name) != NULL;
    for (; part; part = rf_jval_next(parts, part))
        if (rf_sim_gemini_get(part, name))
            return true;
    return false;
}

static bool close_calls(struct reading *in)
{
    bool equal = in->answered == in->count;
    in->count = in->answered = 0;
    return equal ||
           rf_sim_refuse(in->r, in->out, 400,
                         "Please ensure that the number of function response parts is "
                         "equal to the number of function call parts of the function call turn.");
}

static bool read_parts(struct reading *in, const struct rf_jval *content)
{
    const struct rf_jval *parts = rf_sim_gemini_get(content, "parts");
    if (!parts || (parts->type == RF_JARRAY && parts->count == 0))
        return rf_sim_refuse(in->r, in->out, 400,
                             "* GenerateContentRequest.contents[%zu].parts: contents.parts must "
                             "not be empty.\n",
                             in->r->turn);
    if (parts->type != RF_JARRAY)
        return read_part(in, parts, 0);
    const struct rf_jval *part = rf_jval_first(parts);
    for (size_t i = 0; part; part = rf_jval_next(parts, part), i++)
        if (!read_part(in, part, i))
            return false;
    return true;
}

static bool read_content(struct reading *in, const struct rf_jval *content)
{
    struct rf_str role = text_of(in, content, "role");
    if (role.n > 0 && !rf_sim_one_of(role, "user model function"))
        return rf_sim_refuse(in->r, in->out, 400, "Please use a valid role: user, model.");
    bool model = rf_str_is(role, "model");
    in->role = model ? "assistant" : "user";
    if (model && has_part(content, "functionCall") && in->r->turn == 0)
        return rf_sim_refuse(in->r, in->out, 400,
                             "Please ensure that function call turn comes immediately after a "
                             "user turn or after a function response turn.");
    /* Calls of two model turns in a row are one turn's. */
    if (in->count > 0 && !model && !has_part(content, "functionResponse") &&
        in->answered != in->count)
        return close_calls(in);
    if (in->answered > 0 && !has_part(content, "functionResponse") && !close_calls(in))
        return false;
    return read_parts(in, content);
}

static bool read_contents(struct reading *in, const struct rf_jval *contents)
{
    if (!contents || (contents->type == RF_JARRAY && contents->count == 0))
        return rf_sim_refuse(in->r, in->out, 400,
                             "* GenerateContentRequest.contents: contents is not specified\n");
    if (contents->type != RF_JARRAY)
        return read_content(in, contents);
    const struct rf_jval *c = rf_jval_first(contents);
    for (size_t i = 0; c; c = rf_jval_next(contents, c), i++)
        if (!rf_str_is(text_of(in, c, "role"), "model") && !has_part(c, "functionResponse"))
            in->last_question = i;
    for (c = rf_jval_first(contents); c; c = rf_jval_next(contents, c)) {
        if (!read_content(in, c))
            return false;
        in->r->turn++;
    }
    return in->answered == 0 || close_calls(in);
}

/* Around the contents */

static bool is_declared_name(struct rf_str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char ch = name.p[i];
        bool letter = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
        if (!letter && (i == 0 || !(rf_is_digit(ch) || ch == '.' || ch == ':' || ch == '-')))
            return false;
    }
    return name.n > 0 && name.n <= 128;
}

static bool read_tool(struct reading *in, const struct rf_jval *tool, size_t index)
{
    const struct rf_jval *list = rf_sim_gemini_get(tool, "functionDeclarations");
    const struct rf_jval *d = list ? rf_jval_first(list) : NULL;
    for (size_t i = 0; d; d = rf_jval_next(list, d), i++) {
        struct rf_str name = text_of(in, d, "name");
        if (!is_declared_name(name) || in->r->tool_count == MAX_DECLARATIONS)
            return rf_sim_refuse(
                in->r, in->out, 400,
                "* GenerateContentRequest.tools[%zu].function_declarations[%zu]"
                ".name: [FIELD_INVALID] Invalid function name. Must start with a letter or an "
                "underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons "
                "(:), or dashes (-), with a maximum length of 128.\n",
                index, i);
        rf_sim_offer(in->r, name);
    }
    return true;
}

static bool read_tools(struct reading *in, const struct rf_jval *body)
{
    const struct rf_jval *tools = rf_sim_gemini_get(body, "tools"), *t;
    if (tools && tools->type != RF_JARRAY)
        return read_tool(in, tools, 0);
    t = tools ? rf_jval_first(tools) : NULL;
    for (size_t i = 0; t; t = rf_jval_next(tools, t), i++)
        if (!read_tool(in, t, i))
            return false;
    const struct rf_jval *config =
        rf_sim_gemini_get(rf_sim_gemini_get(body, "toolConfig"), "functionCallingConfig");
    struct rf_str mode = text_of(in, config, "mode");
    if (mode.n > 0 && !rf_sim_one_of(mode, "MODE_UNSPECIFIED AUTO ANY NONE VALIDATED"))
        return rf_sim_refuse(
            in->r, in->out, 400,
            "Invalid value at 'tool_config.function_calling_config.mode' "
            "(type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCallingConfig.Mode), "
            "\"%.*s\"",
            RF_FMT(mode));
    const struct rf_jval *names = rf_sim_gemini_get(config, "allowedFunctionNames");
    in->r->must_call = rf_str_is(mode, "ANY");
    in->r->must_not_call = rf_str_is(mode, "NONE");
    if (in->r->must_call && names && names->count == 1)
        in->r->must_call_name = rf_sim_text(in->r, rf_jval_first(names));
    return true;
}

static bool read_config(struct reading *in, const struct rf_jval *config)
{
    const struct rf_jval *heat = rf_sim_gemini_get(config, "temperature"),
                         *most = rf_sim_gemini_get(config, "maxOutputTokens"),
                         *thinking = rf_sim_gemini_get(config, "thinkingConfig"),
                         *budget = rf_sim_gemini_get(thinking, "thinkingBudget"),
                         *level = rf_sim_gemini_get(thinking, "thinkingLevel"),
                         *shown = rf_sim_gemini_get(thinking, "includeThoughts"),
                         *type = rf_sim_gemini_get(config, "responseMimeType");
    double degrees = heat ? strtod(rf_cstr(in->r->arena, heat->raw), NULL) : 0;
    if (degrees < 0 || degrees > 2)
        return rf_sim_refuse(in->r, in->out, 400,
                             "* GenerateContentRequest.generation_config.temperature: temperature "
                             "must be in the range [0.0, 2.0].\n");
    if (budget && level)
        return rf_sim_refuse(in->r, in->out, 400,
                             "You can only set only one of thinking budget and thinking level.");
    bool three = in->caps->thinking == RF_THINKING_EFFORT; /* levels, and not two */
    if (level && in->caps->thinking != RF_THINKING_LEVEL && !three)
        return rf_sim_refuse(in->r, in->out, 400,
                             "Thinking level is not supported for this model.");
    if (level && rf_jval_is(level, "MEDIUM") && !three)
        return rf_sim_refuse(in->r, in->out, 400,
                             "Thinking level MEDIUM is not supported for this model.");
    if (type && rf_jval_is(type, "application/json") && in->r->tool_count &&
        in->caps->answer_schema == RF_ANSWER_SCHEMA_ALONE)
        return rf_sim_refuse(in->r, in->out, 400,
                             "Function calling with a response mime type: 'application/json' is "
                             "unsupported");
    if (budget && !rf_caps_thinks_when_asked(in->caps))
        return rf_sim_refuse(in->r, in->out, 400,
                             "Unable to submit request because thinking is not supported by this "
                             "model.");
    in->r->thinks = shown && shown->type == RF_JTRUE;
    if (!most || !rf_jval_int64(most, &in->r->max_tokens))
        in->r->max_tokens = 0;
    return !most || in->r->max_tokens > 0 ||
           rf_sim_refuse(in->r, in->out, 400,
                         "* GenerateContentRequest.generation_config.max_output_tokens: "
                         "max_output_tokens must be positive.\n");
}

static bool check_limits(struct reading *in, const struct rf_jval *body)
{
    const struct rf_caps *caps = in->caps;
    if (caps->max_body_bytes && body->raw.n > (uint64_t)caps->max_body_bytes)
        return rf_sim_refuse(in->r, in->out, 400,
                             "Request payload size exceeds the limit: %" PRId64 " bytes.",
                             caps->max_body_bytes);
    if (caps->max_images && in->images > caps->max_images)
        return rf_sim_refuse(in->r, in->out, 400,
                             "Unable to submit request because the model supports at most %" PRId64
                             " image parts per input instance, but %" PRId64 " were provided.",
                             caps->max_images, in->images);
    int64_t tokens = rf_sim_input_tokens(in->r);
    return !caps->context_tokens || tokens <= caps->context_tokens ||
           rf_sim_refuse(in->r, in->out, 400,
                         "The input token count (%" PRId64 ") exceeds the maximum number of tokens "
                         "allowed (%" PRId64 ").",
                         tokens, caps->context_tokens);
}

static bool check(struct rf_sim_request *r, const struct rf_jval *body, struct rf_sim_refusal *out)
{
    struct reading in = { .r = r, .out = out, .caps = &r->model->caps, .role = "system" };
    struct rf_str name = r->model->name;
    if (!rf_sim_model_exists(r->model))
        /* source: recorded */
        return rf_sim_refuse(
            r, out, 404,
            "models/%.*s is not found for API version v1beta, or is not supported for "
            "generateContent. Call ModelService.ListModels to see the list of available models and "
            "their supported methods.",
            RF_FMT(name));
    if (body->type != RF_JOBJECT)
        return rf_sim_refuse(r, out, 400, "Invalid JSON payload received. Expected an object.");
    const struct rf_jval *system = rf_sim_gemini_get(body, "systemInstruction");
    return rf_sim_gemini_proto(r, body, out) && read_tools(&in, body) &&
           read_config(&in, rf_sim_gemini_get(body, "generationConfig")) &&
           (!system || read_parts(&in, system)) &&
           read_contents(&in, rf_sim_gemini_get(body, "contents")) && check_limits(&in, body);
}

const struct rf_sim_dialect rf_sim_gemini = {
    .name = "gemini",
    .call_prefix = "",
    .call_letters = 8,
    .check = check,
    .say = rf_sim_gemini_say,
    .refuse = rf_sim_gemini_refuse,
};
