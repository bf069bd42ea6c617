/* The other side of Chat Completions: OpenAI's own, and all who speak it.
 *
 * Messages are read in order with the calls that still want their result: every id of an
 * assistant's `tool_calls` must be answered before anybody else speaks, and a tool may only speak
 * when it was called. */
#include "sim/openai_chat/openai_chat.h"

#include "base/arena.h"

struct reading {
    struct rf_sim_openai c;
    struct rf_sim_known_call *calls; /* of the last assistant turn */
    size_t count, cap;
};

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define MAX_MESSAGES 16384
#define MAX_CALLS 128 /* of one turn, and tools that are offered */

static const char openai_body[] =
    "model:s! messages:a! tools:a tool_choice:so parallel_tool_calls:b stream:b stream_options:o "
    "max_tokens:n max_completion_tokens:n temperature:n top_p:n n:n stop:sa seed:n "
    "frequency_penalty:n presence_penalty:n logit_bias:o logprobs:b top_logprobs:n "
    "response_format:o reasoning_effort:s verbosity:s modalities:a audio:o prediction:o "
    "service_tier:s store:b metadata:o user:s safety_identifier:s prompt_cache_key:s "
    "prompt_cache_retention:s prompt_cache_options:o moderation:o web_search_options:o "
    "functions:a function_call:so";

static const char groq_body[] =
    "model:s! messages:a! tools:a tool_choice:so parallel_tool_calls:b stream:b max_tokens:n "
    "max_completion_tokens:n temperature:n top_p:n n:n stop:sa seed:n frequency_penalty:n "
    "presence_penalty:n logit_bias:o logprobs:b top_logprobs:n response_format:o "
    "reasoning_effort:s reasoning_format:s include_reasoning:b service_tier:s metadata:o user:s "
    "search_settings:o documents:a citation_options:s compound_custom:o disable_tool_validation:b "
    "exclude_domains:a include_domains:a store:b functions:a function_call:so stream_options:o";

static const char user_members[] = "role:s! content:sa! name:s";
static const char assistant_members[] =
    "role:s! content:sa name:s tool_calls:a refusal:s audio:o function_call:o annotations:a "
    "reasoning:s";
static const char tool_members[] = "role:s! tool_call_id:s! content:sa! name:s";
static const char call_members[] = "id:s! type:s! function:o custom:o index:n";
static const char called_members[] = "name:s! arguments:s!";

/* Calls and results */

static struct rf_sim_known_call *find_call(struct reading *in, struct rf_str id)
{
    for (size_t i = 0; i < in->count; i++)
        if (rf_str_eq(in->calls[i].id, id))
            return &in->calls[i];
    return NULL;
}

static bool all_answered(struct reading *in)
{
    struct rf_str missing = { "", 0 };
    for (size_t i = 0; i < in->count; i++)
        if (!in->calls[i].answered)
            missing = rf_strf(in->c.r->arena, "%.*s%s%.*s", RF_FMT(missing), missing.n ? ", " : "",
                              RF_FMT(in->calls[i].id));
    in->count = 0;
    struct rf_jpath at = { NULL, "messages", 0 };
    return !missing.n ||
           rf_sim_openai_refuse(
               &in->c, &at, "",
               "An assistant message with 'tool_calls' must be followed by tool messages "
               "responding to each 'tool_call_id'. The following tool_call_ids did not have "
               "response messages: %.*s",
               RF_FMT(missing));
}

static bool read_call(struct reading *in, const struct rf_jval *v, const struct rf_jpath *at)
{
    struct rf_sim_openai *c = &in->c;
    struct rf_jpath id = { at, "id", 0 }, function = { at, "function", 0 },
                    name = { &function, "name", 0 };
    if (!rf_sim_openai_message(c, v, at, call_members))
        return false;
    const struct rf_jval *called = rf_jval_get(v, "function");
    struct rf_sim_known_call *w = RF_PUSH(c->r->arena, in->calls, in->count, in->cap);
    *w = (struct rf_sim_known_call){ .id = rf_sim_get(c->r, v, "id"),
                                     .name = rf_sim_get(c->r, called, "name") };
    if (c->rules->families && !rf_sim_openai_string(c, rf_jval_get(v, "id"), &id, 64))
        return false;
    if (rf_str_is(rf_sim_get(c->r, v, "type"), "custom"))
        return true;
    if (!called)
        return rf_sim_openai_refuse(
            c, &function, "missing_required_parameter",
            "Missing required parameter: 'messages[%zu].tool_calls[%zu].function'.", c->r->turn,
            at->index);
    if (!rf_sim_openai_message(c, called, &function, called_members) ||
        !rf_sim_openai_word(c, rf_jval_get(called, "name"), &name, 64))
        return false;
    rf_sim_see_call(c->r, w->id, w->name, rf_sim_get(c->r, called, "arguments"));
    return true;
}

static bool read_assistant(struct reading *in, const struct rf_jval *m, const struct rf_jpath *at)
{
    struct rf_sim_openai *c = &in->c;
    const struct rf_jval *content = rf_jval_get(m, "content"),
                         *calls = rf_jval_get(m, "tool_calls");
    struct rf_jpath list = { at, "tool_calls", 0 }, item = { &list, NULL, 0 };
    if (!rf_sim_openai_message(c, m, at, assistant_members))
        return false;
    bool says = content && content->type != RF_JNULL, has_calls = calls && calls->type == RF_JARRAY;
    if (!says && !has_calls && !rf_jval_get(m, "audio") && !rf_jval_get(m, "refusal"))
        return rf_sim_openai_refuse(c, &(struct rf_jpath){ at, "content", 0 }, "invalid_value",
                                    "Invalid value for 'content': expected a string, got null.");
    if (says && !rf_sim_chat_content(c, content, at))
        return false;
    if (has_calls && calls->count == 0 && c->rules->strict)
        return rf_sim_openai_refuse(
            c, &list, "empty_array",
            "Invalid 'messages[%zu].tool_calls': empty array. Expected an array with "
            "minimum length 1, but got an empty array instead.",
            c->r->turn);
    if (has_calls && !rf_sim_openai_length(c, calls, &list, MAX_CALLS))
        return false;
    for (const struct rf_jval *v = has_calls ? rf_jval_first(calls) : NULL; v;
         v = rf_jval_next(calls, v), item.index++)
        if (!read_call(in, v, &item))
            return false;
    return true;
}

static bool read_result(struct reading *in, const struct rf_jval *m, const struct rf_jpath *at)
{
    struct rf_sim_openai *c = &in->c;
    struct rf_jpath role = { at, "role", 0 }, id_at = { at, "tool_call_id", 0 };
    if (!rf_sim_openai_message(c, m, at, tool_members))
        return false;
    struct rf_str id = rf_sim_get(c->r, m, "tool_call_id");
    if (in->count == 0)
        return rf_sim_openai_refuse(
            c, &role, "",
            "Invalid parameter: messages with role 'tool' must be a response to a "
            "preceeding message with 'tool_calls'.");
    struct rf_sim_known_call *w = find_call(in, id);
    if (!w)
        return rf_sim_openai_refuse(c, &id_at, "",
                                    "Invalid parameter: 'tool_call_id' of '%.*s' not found in "
                                    "'tool_calls' of previous message.",
                                    RF_FMT(id));
    w->answered = true;
    c->r->result = w;
    rf_sim_see(c->r, RF_SIM_RESULT, "tool");
    bool ok = rf_sim_chat_content(c, rf_jval_get(m, "content"), at);
    c->r->result = NULL;
    return ok;
}

/* Messages */

static bool read_message(struct reading *in, const struct rf_jval *m, const struct rf_jpath *at)
{
    static const char *const roles[] = { "system", "user", "assistant", "tool", "developer" };
    struct rf_sim_openai *c = &in->c;
    struct rf_jpath role_at = { at, "role", 0 };
    const struct rf_jval *role = rf_jval_get(m, "role");
    size_t known = 0;
    while (role && known < COUNT(roles) && !rf_str_is(rf_sim_text(c->r, role), roles[known]))
        known++;
    if (role && known == COUNT(roles))
        return rf_sim_openai_choice(c, role, &role_at,
                                    "system assistant user function tool developer");
    c->role = role ? roles[known] : "user";
    if (role && known == 3)
        return read_result(in, m, at);
    if (!all_answered(in))
        return false;
    if (role && known == 2)
        return read_assistant(in, m, at);
    if (known == 4)
        c->role = "system";
    return rf_sim_openai_message(c, m, at, user_members) &&
           rf_sim_chat_content(c, rf_jval_get(m, "content"), at);
}

static bool read_messages(struct reading *in, const struct rf_jval *messages)
{
    struct rf_jpath top = { NULL, "messages", 0 }, item = { &top, NULL, 0 };
    if (messages->count == 0)
        return rf_sim_openai_refuse(
            &in->c, &top, "empty_array",
            "Invalid 'messages': empty array. Expected an array with minimum length "
            "1, but got an empty array instead.");
    if (!rf_sim_openai_length(&in->c, messages, &top, MAX_MESSAGES))
        return false;
    const struct rf_jval *m = rf_jval_first(messages);
    for (; m; m = rf_jval_next(messages, m), item.index++) {
        in->c.r->turn = item.index;
        if (!read_message(in, m, &item))
            return false;
    }
    return all_answered(in);
}

/* Tools */

static const char tool_type_members[] = "type:s! function:o custom:o";
static const char function_members[] = "name:s! description:s parameters:o strict:b";

static bool read_tools(struct rf_sim_openai *c, const struct rf_jval *tools)
{
    struct rf_jpath top = { NULL, "tools", 0 }, item = { &top, NULL, 0 },
                    function = { &item, "function", 0 }, name = { &function, "name", 0 };
    if (!tools || tools->type != RF_JARRAY)
        return true;
    if (!rf_sim_openai_length(c, tools, &top, MAX_CALLS))
        return false;
    const struct rf_jval *t = rf_jval_first(tools);
    for (; t; t = rf_jval_next(tools, t), item.index++) {
        const struct rf_jval *f = rf_jval_get(t, "function");
        if (!rf_sim_openai_members(c, t, &item, tool_type_members))
            return false;
        if (!f)
            continue;
        if (!rf_sim_openai_members(c, f, &function, function_members) ||
            !rf_sim_openai_word(c, rf_jval_get(f, "name"), &name, 64) ||
            !rf_sim_openai_parameters(c, f, &function))
            return false;
        rf_sim_offer(c->r, rf_sim_get(c->r, f, "name"));
    }
    return true;
}

static bool read_choice(struct rf_sim_openai *c, const struct rf_jval *body)
{
    const struct rf_jval *choice = rf_jval_get(body, "tool_choice");
    struct rf_jpath at = { NULL, "tool_choice", 0 };
    if (!choice || choice->type == RF_JNULL)
        return true;
    if (choice->type == RF_JOBJECT) {
        c->r->must_call_name = rf_sim_get(c->r, rf_jval_get(choice, "function"), "name");
        c->r->must_call = true;
    } else if (!rf_sim_openai_choice(c, choice, &at, "none auto required")) {
        return false;
    } else {
        struct rf_str word = rf_sim_text(c->r, choice);
        c->r->must_call = rf_str_is(word, "required");
        c->r->must_not_call = rf_str_is(word, "none");
    }
    if (c->r->must_call && !rf_jval_get(body, "tools"))
        return rf_sim_openai_refuse(
            c, &at, "",
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed "
            "when 'tools' are specified.");
    for (size_t i = 0; c->r->must_call_name.n && i < c->r->tool_count; i++)
        if (rf_str_eq(c->r->tools[i], c->r->must_call_name))
            return true;
    return !c->r->must_call_name.n ||
           rf_sim_openai_refuse(c, &at, "", "Tool choice '%.*s' not found in 'tools' parameter.",
                                RF_FMT(c->r->must_call_name));
}

/* The body */

static bool check_amounts(struct rf_sim_openai *c, const struct rf_jval *body)
{
    struct rf_jpath effort = { NULL, "reasoning_effort", 0 },
                    options = { NULL, "stream_options", 0 };
    const struct rf_jval *wants = rf_jval_get(body, "stream_options"),
                         *old = rf_jval_get(body, "max_tokens"),
                         *now = rf_jval_get(body, "max_completion_tokens"),
                         *usage = rf_jval_get(wants, "include_usage");
    if (wants && wants->type == RF_JOBJECT && !c->r->stream && c->rules->strict)
        return rf_sim_openai_refuse(c, &options, "",
                                    "The 'stream_options' parameter is only allowed when "
                                    "'stream' is enabled.");
    c->r->wants_usage = !c->rules->families || (usage && usage->type == RF_JTRUE);
    if (!(now && rf_jval_int64(now, &c->r->max_tokens)) &&
        !(old && rf_jval_int64(old, &c->r->max_tokens)))
        c->r->max_tokens = 0;
    return rf_sim_openai_number(c, body, "temperature", 0, 2) &&
           rf_sim_openai_number(c, body, "top_p", 0, 1) &&
           rf_sim_openai_family(c, body, rf_jval_get(body, "reasoning_effort"), &effort);
}

static bool check(struct rf_sim_request *r, const struct rf_jval *body, struct rf_sim_refusal *out)
{
    struct reading in = { .c = { .r = r,
                                 .refusal = out,
                                 .rules = rf_sim_openai_rules(r->model->provider),
                                 .chat = true } };
    struct rf_sim_openai *c = &in.c;
    bool groq = c->rules->words == RF_SIM_AS_GROQ;
    const struct rf_jval *stream = rf_jval_get(body, "stream");
    r->stream = stream && stream->type == RF_JTRUE;
    return rf_sim_openai_members(c, body, NULL, groq ? groq_body : openai_body) &&
           rf_sim_openai_model(c, body) && read_tools(c, rf_jval_get(body, "tools")) &&
           read_choice(c, body) && check_amounts(c, body) &&
           read_messages(&in, rf_jval_get(body, "messages")) && rf_sim_openai_limits(c, body);
}

const struct rf_sim_dialect rf_sim_openai_chat = {
    .name = "openai-chat",
    .call_prefix = "call_",
    .call_letters = 24,
    .check = check,
    .say = rf_sim_chat_say,
    .refuse = rf_sim_openai_error,
};
