/* The other side of Mistral's chat completions.
 *
 * Shapes are refused with 422 as its validator words them, the order of messages with 400: a tool
 * may speak only when it was called, all calls must be answered, and an assistant must speak
 * between a tool and a user. What is answered has the shape of OpenAI's. */
#include "sim/mistral/mistral.h"
#include "sim/openai_chat/openai_chat.h"

#include "base/arena.h"

#include <inttypes.h>

#define S RF_SIM_STRING
#define L RF_SIM_ARRAY
#define COUNT(table) (sizeof(table) / sizeof *(table))
#define MAX_CALLS 1024 /* of one turn */
#define CALL_ID_BYTES 9
#define MAX_NAME_BYTES 64

/* Shapes */

static bool members(struct rf_sim_mistral *in, const struct rf_jval *v, const struct rf_jpath *at,
                    const char *table)
{
    if (v->type != RF_JOBJECT)
        return rf_sim_mistral_shape(
            in, at, "model_attributes_type",
            "Input should be a valid dictionary or object to extract fields from");
    struct rf_sim_wrong wrong = rf_sim_members(v, table, in->r->arena);
    struct rf_jpath below = { at, rf_cstr(in->r->arena, wrong.name), 0 };
    switch (wrong.fault) {
    case RF_SIM_FINE:
        return true;
    case RF_SIM_UNKNOWN:
        return rf_sim_mistral_shape(in, &below, "extra_forbidden",
                                    "Extra inputs are not permitted");
    case RF_SIM_MISSING:
        return rf_sim_mistral_shape(in, &below, "missing", "Field required");
    case RF_SIM_WRONG_TYPE:
        return rf_sim_mistral_shape(in, &below,
                                    wrong.want & S   ? "string_type"
                                    : wrong.want & L ? "list_type"
                                                     : "type_error",
                                    wrong.want & S   ? "Input should be a valid string"
                                    : wrong.want & L ? "Input should be a valid list"
                                                     : "Input should be of a valid type");
    }
    return true;
}

/* Messages */

static const char user_members[] = "role:s! content:sa!";
static const char assistant_members[] = "role:s! content:sa tool_calls:a prefix:b";
static const char tool_members[] = "role:s! content:sa! tool_call_id:s name:s";
static const char call_members[] = "id:s! type:s function:o! index:n";

static bool is_alnum(struct rf_str s, const char *also)
{
    for (size_t i = 0; i < s.n; i++) {
        char ch = s.p[i];
        if (!rf_is_alnum(ch) && !strchr(also, ch))
            return false;
    }
    return s.n > 0;
}

static bool check_name(struct rf_sim_mistral *in, struct rf_str name)
{
    return (is_alnum(name, "_-") && name.n <= MAX_NAME_BYTES) ||
           rf_sim_mistral_refuse(in, "invalid_function_call", "3280",
                                 "Function name was %.*s but must be a-z, A-Z, 0-9, or contain "
                                 "underscores and dashes, with a maximum length of 64.",
                                 RF_FMT(name));
}

static bool read_call(struct rf_sim_mistral *in, const struct rf_jval *v, const struct rf_jpath *at)
{
    const struct rf_jval *function = rf_jval_get(v, "function"),
                         *arguments = rf_jval_get(function, "arguments");
    if (!members(in, v, at, call_members))
        return false;
    struct rf_str id = rf_sim_get(in->r, v, "id"), name = rf_sim_get(in->r, function, "name");
    if (!is_alnum(id, "") || id.n != CALL_ID_BYTES)
        return rf_sim_mistral_refuse(in, "invalid_function_call", "3280",
                                     "Tool call id was %.*s but must be a-z, A-Z, 0-9, with a "
                                     "length of 9.",
                                     RF_FMT(id));
    if (!check_name(in, name))
        return false;
    *RF_PUSH(in->r->arena, in->calls, in->count, in->cap) =
        (struct rf_sim_known_call){ .id = id, .name = name };
    rf_sim_see_call(in->r, id, name,
                    !arguments                      ? RF_STR("{}")
                    : arguments->type == RF_JSTRING ? rf_sim_text(in->r, arguments)
                                                    : arguments->raw);
    return true;
}

static bool read_assistant(struct rf_sim_mistral *in, const struct rf_jval *m,
                           const struct rf_jpath *at)
{
    struct rf_jpath top = { at, "tool_calls", 0 }, item = { &top, NULL, 0 };
    const struct rf_jval *content = rf_jval_get(m, "content"),
                         *calls = rf_jval_get(m, "tool_calls");
    if (!members(in, m, at, assistant_members))
        return false;
    bool has_calls = calls && calls->type == RF_JARRAY && calls->count > 0;
    bool says =
        content && content->type == RF_JSTRING ? content->raw.n > 0 : content && content->count > 0;
    if (!says && !has_calls)
        return rf_sim_mistral_refuse(
            in, "invalid_request_assistant_message", "3240",
            "Assistant message must have either content or tool_calls, but not none.");
    if (has_calls && calls->count > MAX_CALLS)
        return rf_sim_mistral_shape(in, &top, "too_long", "List should have at most 1024 items");
    if (!rf_sim_mistral_content(in, content, at))
        return false;
    const struct rf_jval *v = has_calls ? rf_jval_first(calls) : NULL;
    for (; v; v = rf_jval_next(calls, v), item.index++)
        if (!read_call(in, v, &item))
            return false;
    return true;
}

static bool read_result(struct rf_sim_mistral *in, const struct rf_jval *m,
                        const struct rf_jpath *at)
{
    if (!members(in, m, at, tool_members))
        return false;
    struct rf_str id = rf_sim_get(in->r, m, "tool_call_id");
    size_t i = 0;
    while (i < in->count && !rf_str_eq(in->calls[i].id, id))
        i++;
    if (i == in->count)
        return rf_sim_mistral_refuse(in, "invalid_request_message_order", "3230",
                                     "Unexpected tool call id %.*s in tool results", RF_FMT(id));
    in->answered++;
    in->r->result = &in->calls[i];
    rf_sim_see(in->r, RF_SIM_RESULT, in->role);
    bool ok = rf_sim_mistral_content(in, rf_jval_get(m, "content"), at);
    in->r->result = NULL;
    return ok;
}

/* Who may speak after whom. */
static const struct {
    const char *before, *after;
} orders[] = {
    { "", "system user assistant" },     { "system", "system user assistant" },
    { "user", "user assistant system" }, { "assistant", "user assistant tool system" },
    { "tool", "tool assistant" },
};

static bool check_order(struct rf_sim_mistral *in)
{
    if (in->count > 0 && strcmp(in->role, "tool") != 0) {
        bool equal = in->answered == in->count;
        in->count = in->answered = 0;
        if (!equal)
            return rf_sim_mistral_refuse(in, "invalid_request_message_order", "3230",
                                         "Not the same number of function calls and responses");
    }
    bool called = in->count > 0 || strcmp(in->role, "tool") != 0;
    for (size_t i = 0; i < COUNT(orders) && called; i++)
        if (strcmp(orders[i].before, in->before) == 0 &&
            rf_sim_one_of(rf_str(in->role), orders[i].after))
            return true;
    return rf_sim_mistral_refuse(in, "invalid_request_message_order", "3230",
                                 "Unexpected role '%s' after role '%s'", in->role, in->before);
}

static bool read_message(struct rf_sim_mistral *in, const struct rf_jval *m,
                         const struct rf_jpath *at)
{
    static const char *const roles[] = { "system", "user", "assistant", "tool" };
    struct rf_jpath role_at = { at, "role", 0 };
    struct rf_str role = rf_sim_get(in->r, m, "role");
    size_t i = 0;
    while (i < COUNT(roles) && !rf_str_is(role, roles[i]))
        i++;
    if (i == COUNT(roles))
        return rf_sim_mistral_shape(
            in, &role_at, "union_tag_invalid",
            "Input tag found using 'role' does not match any of the expected tags: 'assistant', "
            "'system', 'tool', 'user'");
    in->before = in->role;
    in->role = roles[i];
    if (!check_order(in))
        return false;
    if (i == 2)
        return read_assistant(in, m, at);
    if (i == 3)
        return read_result(in, m, at);
    return members(in, m, at, user_members) &&
           rf_sim_mistral_content(in, rf_jval_get(m, "content"), at);
}

static bool read_messages(struct rf_sim_mistral *in, const struct rf_jval *messages)
{
    struct rf_jpath top = { NULL, "messages", 0 }, item = { &top, NULL, 0 };
    const struct rf_jval *m = rf_jval_first(messages), *last = NULL;
    if (!m)
        return rf_sim_mistral_refuse(in, "invalid_request_prompt", "1500",
                                     "Conversation must have at least one message");
    for (; m; last = m, m = rf_jval_next(messages, m), item.index++) {
        in->r->turn = item.index;
        if (!read_message(in, m, &item))
            return false;
    }
    const struct rf_jval *prefix = rf_jval_get(last, "prefix");
    if (in->count > 0 && in->answered != in->count)
        return rf_sim_mistral_refuse(in, "invalid_request_message_order", "3230",
                                     "Not the same number of function calls and responses");
    if (rf_sim_one_of(rf_str(in->role), "user tool") || (prefix && prefix->type == RF_JTRUE))
        return true;
    return rf_sim_mistral_refuse(in, "invalid_request_message_order", "3230",
                                 "Expected last role User or Tool (or Assistant with "
                                 "prefix True) for serving but got %s",
                                 in->role);
}

/* The body */

static const char body_members[] =
    "model:s! messages:a! tools:a tool_choice:so stream:b max_tokens:n temperature:n top_p:n "
    "stop:sa random_seed:n response_format:o presence_penalty:n frequency_penalty:n n:n "
    "prediction:o parallel_tool_calls:b prompt_mode:s safe_prompt:b metadata:o reasoning_effort:s "
    "guardrails:a prompt_cache_key:s";

static bool read_tools(struct rf_sim_mistral *in, const struct rf_jval *body)
{
    const struct rf_jval *tools = rf_jval_get(body, "tools"),
                         *choice = rf_jval_get(body, "tool_choice");
    struct rf_jpath at = { NULL, "tool_choice", 0 };
    const struct rf_jval *t = tools && tools->type == RF_JARRAY ? rf_jval_first(tools) : NULL;
    for (; t; t = rf_jval_next(tools, t)) {
        struct rf_str name = rf_sim_get(in->r, rf_jval_get(t, "function"), "name");
        if (!check_name(in, name))
            return false;
        rf_sim_offer(in->r, name);
    }
    struct rf_str word = rf_sim_text(in->r, choice);
    if (choice && choice->type == RF_JSTRING && !rf_sim_one_of(word, "auto none any required"))
        return rf_sim_mistral_shape(in, &at, "enum",
                                    "Input should be 'auto', 'none', 'any' or 'required'");
    in->r->must_call_name = rf_sim_get(in->r, rf_jval_get(choice, "function"), "name");
    in->r->must_call = in->r->must_call_name.n > 0 || rf_sim_one_of(word, "any required");
    in->r->must_not_call = rf_str_is(word, "none");
    return true;
}

static bool check_limits(struct rf_sim_mistral *in)
{
    const struct rf_caps *caps = &in->r->model->caps;
    int64_t tokens = rf_sim_input_tokens(in->r);
    if (caps->max_images && in->images > caps->max_images)
        return rf_sim_mistral_refuse(in, "invalid_request_file", "3310",
                                     "Too many images in request, max allowed is %" PRId64,
                                     caps->max_images);
    return !caps->context_tokens || tokens <= caps->context_tokens ||
           rf_sim_mistral_refuse(in, "invalid_request_prompt", "3051",
                                 "Prompt contains %" PRId64
                                 " tokens, too large for model with %" PRId64
                                 " maximum context length",
                                 tokens, caps->context_tokens);
}

static bool check(struct rf_sim_request *r, const struct rf_jval *body, struct rf_sim_refusal *out)
{
    struct rf_sim_mistral in = { .r = r, .out = out, .role = "" };
    const struct rf_jval *stream = rf_jval_get(body, "stream"),
                         *most = rf_jval_get(body, "max_tokens");
    if (!members(&in, body, NULL, body_members))
        return false;
    r->stream = stream && stream->type == RF_JTRUE;
    r->wants_usage = true;
    r->thinks = rf_str_is(rf_sim_get(r, body, "prompt_mode"), "reasoning");
    if (!most || !rf_jval_int64(most, &r->max_tokens))
        r->max_tokens = 0;
    return read_tools(&in, body) && read_messages(&in, rf_jval_get(body, "messages")) &&
           check_limits(&in);
}

/* Refusals as bodies */

/* "messages[3]" is "messages", 3. */
static void write_place(struct rf_json *w, struct rf_str piece)
{
    struct rf_str name = { "", 0 }, index;
    int64_t number;
    rf_str_split(&piece, '[', &name);
    rf_json_str(w, NULL, name);
    if (rf_str_split(&piece, ']', &index) && rf_str_int64(index, &number))
        rf_json_int(w, NULL, number);
}

static void write_detail(struct rf_json *w, const struct rf_sim_refusal *refusal)
{
    struct rf_str rest = refusal->param, piece;
    rf_json_obj(w, "message");
    rf_json_arr(w, "detail");
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", refusal->code);
    rf_json_arr(w, "loc");
    rf_json_str(w, NULL, RF_STR("body"));
    while (rf_str_split(&rest, '.', &piece))
        write_place(w, piece);
    rf_json_end(w);
    rf_json_str(w, "msg", refusal->message);
    rf_json_end(w);
    rf_json_end(w);
    rf_json_end(w);
}

static void refuse_body(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                        struct rf_sim_reply *out)
{
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, r->arena);
    bool shape = refusal->status == 422;
    rf_json_obj(w, NULL);
    rf_json_str(w, "object", RF_STR("error"));
    if (shape)
        write_detail(w, refusal);
    else
        rf_json_str(w, "message", refusal->message);
    rf_json_str(w, "type", refusal->type.n ? refusal->type : RF_STR("invalid_request_error"));
    rf_json_null(w, "param");
    if (shape || refusal->code.n == 0)
        rf_json_null(w, "code");
    else
        rf_json_str(w, "code", refusal->code);
    rf_json_end(w);
    rf_sim_body(out, refusal->status, &writer);
}

const struct rf_sim_dialect rf_sim_mistral = {
    .name = "mistral",
    .call_prefix = "",
    .call_letters = 9,
    .check = check,
    .say = rf_sim_chat_say,
    .refuse = refuse_body,
};
