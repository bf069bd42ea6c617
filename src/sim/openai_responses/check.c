/* The other side of Responses: OpenAI's, and xAI's.
 *
 * Items are read in order. A call wants its output and an output its call, unless the conversation
 * is kept on the server; a reasoning item is followed by what it led to. */
#include "sim/openai_responses/openai_responses.h"

#include "base/arena.h"

#include <inttypes.h>

#define MIN_OUTPUT_TOKENS 16
#define MAX_ITEMS 16384

struct reading {
    struct rf_sim_openai c;
    bool kept;   /* there is more of the conversation than what is in this body */
    bool stored; /* items are known to the server by their ids */
    struct rf_sim_known_call *calls;
    size_t count, cap;
};

static const char body_members[] =
    "model:s! input:sa instructions:s tools:a tool_choice:so parallel_tool_calls:b "
    "max_tool_calls:n reasoning:o include:a store:b previous_response_id:s conversation:so "
    "max_output_tokens:n text:o temperature:n top_p:n top_logprobs:n stream:b stream_options:o "
    "background:b truncation:s metadata:o user:s safety_identifier:s service_tier:s prompt:o "
    "prompt_cache_key:s prompt_cache_retention:s prompt_cache_options:o moderation:o "
    "context_management:a client_metadata:o";

static const char message_members[] = "type:s role:s! content:sa! id:s status:s phase:s name:s";
static const char call_members[] =
    "type:s! call_id:s! name:s! arguments:s! id:s status:s namespace:s caller:o";
static const char output_members[] = "type:s! call_id:s! output:sa! id:s status:s caller:o";
static const char reasoning_members[] =
    "type:s! summary:a! id:s content:a encrypted_content:s status:s";

/* Calls and outputs */

static struct rf_sim_known_call *find_call(struct reading *in, struct rf_str id)
{
    for (size_t i = 0; i < in->count; i++)
        if (rf_str_eq(in->calls[i].id, id))
            return &in->calls[i];
    return NULL;
}

static bool read_call(struct reading *in, const struct rf_jval *v, const struct rf_jpath *at)
{
    struct rf_sim_openai *c = &in->c;
    struct rf_jpath id = { at, "call_id", 0 }, name = { at, "name", 0 };
    if (!rf_sim_openai_members(c, v, at, call_members) ||
        !rf_sim_openai_string(c, rf_jval_get(v, "call_id"), &id, 64) ||
        !rf_sim_openai_id(c, v, "fc", at) ||
        !rf_sim_openai_word(c, rf_jval_get(v, "name"), &name, 64))
        return false;
    struct rf_sim_known_call *w = RF_PUSH(c->r->arena, in->calls, in->count, in->cap);
    *w = (struct rf_sim_known_call){ .id = rf_sim_get(c->r, v, "call_id"),
                                     .name = rf_sim_get(c->r, v, "name") };
    rf_sim_see_call(c->r, w->id, w->name, rf_sim_get(c->r, v, "arguments"));
    return true;
}

static bool read_output(struct reading *in, const struct rf_jval *v, const struct rf_jpath *at)
{
    struct rf_sim_openai *c = &in->c;
    struct rf_jpath top = { NULL, "input", 0 }, output_at = { at, "output", 0 };
    if (!rf_sim_openai_members(c, v, at, output_members))
        return false;
    struct rf_str id = rf_sim_get(c->r, v, "call_id");
    struct rf_sim_known_call *w = find_call(in, id);
    if (!w && !in->kept)
        return rf_sim_openai_refuse(
            c, &top, "", "No tool call found for function call output with call_id %.*s.",
            RF_FMT(id));
    if (w)
        w->answered = true;
    c->role = "tool";
    const struct rf_sim_known_call unknown = { .id = id, .name = RF_STR("") };
    c->r->result = w ? w : &unknown;
    rf_sim_see(c->r, RF_SIM_RESULT, "tool");
    bool ok = rf_sim_responses_content(c, rf_jval_get(v, "output"), &output_at);
    c->r->result = NULL;
    return ok;
}

static bool all_answered(struct reading *in)
{
    struct rf_jpath top = { NULL, "input", 0 };
    for (size_t i = 0; i < in->count; i++)
        if (!in->calls[i].answered)
            return rf_sim_openai_refuse(&in->c, &top, "",
                                        "No tool output found for function call %.*s.",
                                        RF_FMT(in->calls[i].id));
    return true;
}

/* Other items */

static bool read_message(struct reading *in, const struct rf_jval *v, const struct rf_jpath *at)
{
    struct rf_sim_openai *c = &in->c;
    struct rf_jpath role_at = { at, "role", 0 }, content_at = { at, "content", 0 };
    if (!rf_sim_openai_members(c, v, at, message_members) || !rf_sim_openai_id(c, v, "msg", at) ||
        !rf_sim_openai_choice(c, rf_jval_get(v, "role"), &role_at,
                              "assistant system developer user"))
        return false;
    struct rf_str role = rf_sim_get(c->r, v, "role");
    c->role = rf_str_is(role, "user")        ? "user"
              : rf_str_is(role, "assistant") ? "assistant"
                                             : "system";
    return rf_sim_responses_content(c, rf_jval_get(v, "content"), &content_at);
}

/* What a model did, so that its thoughts may have led to it. Where items are stored, a message that
 * has lost its id is not it. */
static bool is_led_to(const struct reading *in, const struct rf_jval *next)
{
    struct rf_str type = rf_sim_get(in->c.r, next, "type"),
                  role = rf_sim_get(in->c.r, next, "role");
    if (role.n > 0)
        return rf_str_is(role, "assistant") &&
               (!in->stored || rf_sim_get(in->c.r, next, "id").n > 0);
    return next && !rf_str_ends(type, "_output");
}

static bool read_reasoning(struct reading *in, const struct rf_jval *v, const struct rf_jval *next,
                           const struct rf_jpath *at)
{
    struct rf_sim_openai *c = &in->c;
    struct rf_jpath top = { NULL, "input", 0 };
    if (!rf_sim_openai_members(c, v, at, reasoning_members) || !rf_sim_openai_id(c, v, "rs", at))
        return false;
    struct rf_str id = rf_sim_get(c->r, v, "id");
    if (id.n == 0 || !c->rules->families)
        return true;
    if (!in->stored && rf_sim_get(c->r, v, "encrypted_content").n == 0) {
        rf_sim_openai_refuse(
            c, &top, "",
            "Item with id '%.*s' not found. Items are not persisted when `store` is "
            "set to false. Try again with `store` set to true, or remove this item from your "
            "input.",
            RF_FMT(id));
        c->refusal->status = 404;
        return false;
    }
    /* source: recorded */
    return is_led_to(in, next) ||
           rf_sim_openai_refuse(c, &top, "",
                                "Item '%.*s' of type 'reasoning' was provided without its required "
                                "following item.",
                                RF_FMT(id));
}

/* Items of server tools and such are taken as they are. */
#define OTHER_ITEMS                                                                                \
    "item_reference custom_tool_call custom_tool_call_output tool_search_call tool_search_output " \
    "additional_tools compaction image_generation_call web_search_call file_search_call "          \
    "computer_call computer_call_output code_interpreter_call local_shell_call "                   \
    "local_shell_call_output shell_call shell_call_output apply_patch_call "                       \
    "apply_patch_call_output mcp_call mcp_list_tools mcp_approval_request "                        \
    "mcp_approval_response program program_output"

static bool read_item(struct reading *in, const struct rf_jval *v, const struct rf_jval *next,
                      const struct rf_jpath *at)
{
    struct rf_sim_openai *c = &in->c;
    struct rf_jpath type_at = { at, "type", 0 };
    struct rf_str type = rf_sim_get(c->r, v, "type");
    if (v->type != RF_JOBJECT || type.n == 0 || rf_str_is(type, "message"))
        return read_message(in, v, at);
    if (rf_str_is(type, "function_call"))
        return read_call(in, v, at);
    if (rf_str_is(type, "function_call_output"))
        return read_output(in, v, at);
    if (rf_str_is(type, "reasoning"))
        return read_reasoning(in, v, next, at);
    struct rf_str id = rf_sim_get(c->r, v, "call_id");
    if (id.n > 0 && rf_str_ends(type, "_call")) /* it needs no answer */
        *RF_PUSH(c->r->arena, in->calls, in->count, in->cap) =
            (struct rf_sim_known_call){ .id = id, .answered = true };
    const struct rf_jval *tools =
        rf_str_is(type, "additional_tools") ? rf_jval_get(v, "tools") : NULL;
    return rf_sim_openai_choice(
               c, rf_jval_get(v, "type"), &type_at,
               "message function_call function_call_output reasoning " OTHER_ITEMS) &&
           rf_sim_responses_tools(c, tools, &(struct rf_jpath){ at, "tools", 0 });
}

static bool read_input(struct reading *in, const struct rf_jval *input)
{
    struct rf_jpath top = { NULL, "input", 0 }, item = { &top, NULL, 0 };
    if (!input || input->type == RF_JNULL)
        return in->kept || rf_sim_openai_refuse(&in->c, &top, "missing_required_parameter",
                                                "Missing required parameter: 'input'.");
    if (input->type == RF_JSTRING) {
        in->c.role = "user";
        rf_sim_openai_text(&in->c, rf_sim_text(in->c.r, input));
        return true;
    }
    if (!rf_sim_openai_length(&in->c, input, &top, MAX_ITEMS))
        return false;
    const struct rf_jval *v = rf_jval_first(input);
    for (; v; v = rf_jval_next(input, v), item.index++) {
        in->c.r->turn = item.index;
        if (!read_item(in, v, rf_jval_next(input, v), &item))
            return false;
    }
    return all_answered(in);
}

/* The body */

static bool check_amounts(struct rf_sim_openai *c, const struct rf_jval *body)
{
    struct rf_jpath top = { NULL, "reasoning", 0 }, effort = { &top, "effort", 0 },
                    most_at = { NULL, "max_output_tokens", 0 };
    const struct rf_jval *most = rf_jval_get(body, "max_output_tokens");
    if (most && rf_jval_int64(most, &c->r->max_tokens) && c->r->max_tokens < MIN_OUTPUT_TOKENS &&
        c->rules->families)
        return rf_sim_openai_refuse(
            c, &most_at, "integer_below_min_value",
            "Invalid 'max_output_tokens': integer below minimum value. Expected a value "
            ">= %d, but got %" PRId64 " instead.",
            MIN_OUTPUT_TOKENS, c->r->max_tokens);
    return rf_sim_openai_number(c, body, "temperature", 0, 2) &&
           rf_sim_openai_number(c, body, "top_p", 0, 1) &&
           rf_sim_openai_family(c, body, rf_jval_get(rf_jval_get(body, "reasoning"), "effort"),
                                &effort);
}

static bool is_kept(const struct rf_jval *body)
{
    const struct rf_jval *before = rf_jval_get(body, "previous_response_id"),
                         *conversation = rf_jval_get(body, "conversation");
    return (before && before->type == RF_JSTRING) ||
           (conversation && conversation->type != RF_JNULL) || rf_jval_get(body, "prompt");
}

static bool check(struct rf_sim_request *r, const struct rf_jval *body, struct rf_sim_refusal *out)
{
    struct reading in = {
        .c = { .r = r, .refusal = out, .rules = rf_sim_openai_rules(r->model->provider) },
        .kept = is_kept(body)
    };
    struct rf_sim_openai *c = &in.c;
    struct rf_jpath tools_at = { NULL, "tools", 0 };
    const struct rf_jval *stream = rf_jval_get(body, "stream"),
                         *system = rf_jval_get(body, "instructions"),
                         *store = rf_jval_get(body, "store");
    r->stream = stream && stream->type == RF_JTRUE;
    r->wants_usage = true;
    in.stored = !store || store->type != RF_JFALSE;
    if (!rf_sim_openai_members(c, body, NULL, body_members) || !rf_sim_openai_model(c, body) ||
        !rf_sim_responses_tools(c, rf_jval_get(body, "tools"), &tools_at) ||
        !rf_sim_responses_choice(c, body) || !check_amounts(c, body))
        return false;
    c->role = "system";
    if (system && system->type == RF_JSTRING && system->raw.n > 0)
        rf_sim_openai_text(c, rf_sim_text(r, system));
    return read_input(&in, rf_jval_get(body, "input")) && rf_sim_openai_limits(c, body);
}

const struct rf_sim_dialect rf_sim_openai_responses = {
    .name = "openai-responses",
    .call_prefix = "call_",
    .call_letters = 24,
    .check = check,
    .say = rf_sim_responses_say,
    .refuse = rf_sim_openai_error,
};
