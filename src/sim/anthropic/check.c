/* The server of Anthropic's Messages API (2026-11):
 * https://platform.claude.com/docs/en/api/messages
 *
 * It refuses unknown members, missing ones and wrong types; blocks where they may not stand; files
 * that are not what they claim to be, or too large; calls without results. A request of the version
 * 2026-10-21 has no temperature; before, it depends on the model.
 *
 * Which words are the real server's is said beside them; the others are spelled after its manner,
 * so rely on the status and the place only.
 */
#include "sim/anthropic/anthropic.h"

#include "base/arena.h"

#define MAX_MARKS 4
#define MANY_IMAGES 20 /* over so many, pictures may not be as wide */
#define MIN_BUDGET 1024
#define THINKING_PAGE "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"

bool rf_sim_bad(struct rf_sim_messages *c, const struct rf_jpath *at, const char *words, ...)
{
    va_list ap;
    va_start(ap, words);
    struct rf_str said = rf_strfv(c->r->arena, words, ap);
    va_end(ap);
    return rf_sim_refuse(c->r, c->out, 400, "%s: %s", rf_sim_place_words(c->r->arena, at).p,
                         said.p);
}

static const char *should_be(unsigned types)
{
    return types & RF_SIM_STRING   ? "string"
           : types & RF_SIM_NUMBER ? "number"
           : types & RF_SIM_BOOL   ? "boolean"
           : types & RF_SIM_ARRAY  ? "list"
                                   : "dictionary";
}

static bool members_fit(struct rf_sim_messages *c, const struct rf_jpath *at,
                        const struct rf_jval *v, const char *members)
{
    struct rf_sim_wrong w = rf_sim_members(v, members, c->r->arena);
    const struct rf_jpath member = { .up = at, .field = rf_cstr(c->r->arena, w.name) };
    switch (w.fault) {
    case RF_SIM_FINE:
        return true;
    case RF_SIM_UNKNOWN:
        return rf_sim_bad(c, &member, "Extra inputs are not permitted");
    case RF_SIM_MISSING:
        return rf_sim_bad(c, &member, "Field required");
    case RF_SIM_WRONG_TYPE:
        /* source: recorded */
        return rf_sim_bad(c, &member, "Input should be a valid %s", should_be(w.want));
    }
    return false;
}

bool rf_sim_object(struct rf_sim_messages *c, const struct rf_jpath *at, const struct rf_jval *v,
                   const char *members)
{
    if (v->type != RF_JOBJECT)
        return rf_sim_bad(c, at, "Input should be a valid dictionary");
    return members_fit(c, at, v, members);
}

/* Settings. */

/* The newer version has no sampling. */
#define COUNT_TOP                                                                              \
    "model:s! messages:a! system:sa tools:a tool_choice:o thinking:o "                         \
    "output_config:o stop_sequences:a stream:b metadata:o service_tier:s speed:s container:s " \
    "cache_control:o diagnostics:* inference_geo:s mcp_servers:a context_management:o"
#define NEWER_TOP COUNT_TOP " max_tokens:n!"
#define COUNT(table) (sizeof(table) / sizeof *(table))
#define TOP NEWER_TOP " temperature:n top_p:n top_k:n"

static const char *header(const struct rf_sim_request *r, const char *name)
{
    return r->call->header ? r->call->header(r->call->ctx, name) : NULL;
}

bool rf_sim_is_type(const struct rf_jval *v, const char *type)
{
    const struct rf_jval *t = rf_jval_get(v, "type");
    return t && t->type == RF_JSTRING && rf_jval_is(t, type);
}

static bool is_given(const struct rf_jval *v)
{
    return v && v->type != RF_JNULL;
}

static bool check_temperature(struct rf_sim_messages *c, const struct rf_jval *body)
{
    static const struct rf_jpath at = { .field = "temperature" };
    const struct rf_jval *v = rf_jval_get(body, "temperature");
    double n;
    if (is_given(v) && rf_jval_double(v, &n) && (n < 0 || n > 1))
        return rf_sim_bad(c, &at, "Input should be in the range 0..1");
    if (c->r->model->caps.one_sampling && is_given(v) && is_given(rf_jval_get(body, "top_p")))
        /* source: reported */
        return rf_sim_refuse(c->r, c->out, 400,
                             "`temperature` and `top_p` cannot both be specified for this model. "
                             "Please use only one.");
    return true;
}

static bool check_stops(struct rf_sim_messages *c, const struct rf_jval *body)
{
    const struct rf_jval *list = rf_jval_get(body, "stop_sequences");
    const struct rf_jval *v = is_given(list) ? rf_jval_first(list) : NULL;
    for (; v; v = rf_jval_next(list, v))
        if (rf_str_blank(rf_sim_text(c->r, v)))
            /* source: reported */
            return rf_sim_refuse(c->r, c->out, 400,
                                 "stop_sequences: each stop sequence must contain non-whitespace");
    return true;
}

static bool check_sampling(struct rf_sim_messages *c, const struct rf_jval *body)
{
    static const char *const names[] = { "temperature", "top_p", "top_k" };
    bool budget = rf_sim_is_type(rf_jval_get(body, "thinking"), "enabled");
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct rf_jval *v = rf_jval_get(body, names[i]);
        int64_t one;
        if (!v || v->type == RF_JNULL || (i == 0 && rf_jval_int64(v, &one) && one == 1))
            continue;
        if (!c->r->model->caps.sampling)
            return rf_sim_refuse(c->r, c->out, 400, "`%s` is deprecated for this model.", names[i]);
        if (budget && i == 0)
            return rf_sim_refuse(
                c->r, c->out, 400,
                "`temperature` may only be set to 1 when thinking is enabled. Please "
                "consult our documentation at " THINKING_PAGE
                "#important-considerations-when-using-extended-thinking");
    }
    return check_temperature(c, body) && check_stops(c, body);
}

static bool check_budget(struct rf_sim_messages *c, const struct rf_jval *thinking)
{
    static const struct rf_jpath config = { .field = "thinking" };
    static const struct rf_jpath tag = { .up = &config, .field = "enabled" };
    static const struct rf_jpath at = { .up = &tag, .field = "budget_tokens" };
    const struct rf_jval *v = rf_jval_get(thinking, "budget_tokens");
    int64_t budget;
    if (!v || v->type == RF_JNULL)
        return rf_sim_bad(c, &at, "Field required");
    if (!rf_jval_int64(v, &budget))
        return rf_sim_bad(c, &at, "Input should be a valid integer");
    if (budget < MIN_BUDGET)
        return rf_sim_bad(c, &at, "Input should be greater than or equal to %d", MIN_BUDGET);
    if (budget >= c->r->max_tokens)
        /* source: recorded */
        return rf_sim_refuse(c->r, c->out, 400,
                             "`max_tokens` must be greater than `thinking.budget_tokens`. Please "
                             "consult our documentation at " THINKING_PAGE
                             "#max-tokens-and-context-window-size");
    return true;
}

static bool check_thinking(struct rf_sim_messages *c, const struct rf_jval *body)
{
    static const struct rf_jpath at = { .field = "thinking" };
    static const char members[] = "type:s! budget_tokens:n display:s";
    const struct rf_jval *v = rf_jval_get(body, "thinking");
    if (!v || v->type == RF_JNULL)
        return true;
    if (!rf_sim_object(c, &at, v, members))
        return false;
    struct rf_str type = rf_sim_get(c->r, v, "type");
    if (!rf_sim_one_of(type, "enabled adaptive disabled between_tools"))
        return rf_sim_bad(
            c, &at,
            "Input tag '%s' found using 'type' does not match any of the expected tags: "
            "'adaptive', 'between_tools', 'disabled', 'enabled'",
            rf_cstr(c->r->arena, type));
    if (rf_str_is(type, "adaptive") && c->r->model->caps.sampling &&
        rf_str_is(c->r->model->family, "claude-3-*"))
        return rf_sim_refuse(c->r, c->out, 400, "adaptive thinking is not supported on this model");
    c->r->thinks = !rf_str_is(type, "disabled");
    return !rf_str_is(type, "enabled") || check_budget(c, v);
}

static bool check_max_tokens(struct rf_sim_messages *c, const struct rf_jval *body)
{
    static const struct rf_jpath at = { .field = "max_tokens" };
    int64_t most = c->r->model->caps.max_output_tokens;
    if (!rf_jval_int64(rf_jval_get(body, "max_tokens"), &c->r->max_tokens))
        return rf_sim_bad(c, &at, "Input should be a valid integer");
    if (c->r->max_tokens < 0)
        return rf_sim_bad(c, &at, "Input should be greater than or equal to 0");
    if (most > 0 && c->r->max_tokens > most)
        return rf_sim_bad(
            c, &at, "%jd > %jd, which is the maximum allowed number of output tokens for %s",
            (intmax_t)c->r->max_tokens, (intmax_t)most, rf_cstr(c->r->arena, c->r->model->name));
    return true;
}

/* Tools. */

bool rf_sim_is_word(struct rf_str s, size_t max)
{
    for (size_t i = 0; i < s.n; i++) {
        char x = s.p[i];
        if (!rf_is_alnum(x) && x != '_' && x != '-')
            return false;
    }
    return s.n > 0 && s.n <= max;
}

static bool has_choice(const struct rf_jval *schema)
{
    return rf_jval_get(schema, "oneOf") || rf_jval_get(schema, "allOf") ||
           rf_jval_get(schema, "anyOf");
}

static bool check_tool(struct rf_sim_messages *c, const struct rf_jpath *at,
                       const struct rf_jval *tool, struct rf_sim_calls *names)
{
    static const char members[] =
        "name:s! input_schema:o! type:s description:s strict:b cache_control:o "
        "eager_input_streaming:b defer_loading:b input_examples:a allowed_callers:a";
    const struct rf_jpath tag = { .up = at, .field = "custom" };
    const struct rf_jpath name_at = { .up = &tag, .field = "name" };
    const struct rf_jpath schema_at = { .up = &tag, .field = "input_schema" };
    const struct rf_jpath type_at = { .up = &schema_at, .field = "type" };
    struct rf_str name = rf_sim_get(c->r, tool, "name");
    /* Tools of the server's own have a type and are left to it. */
    bool ours = !rf_jval_get(tool, "type") || rf_sim_is_type(tool, "custom");
    if (ours && !rf_sim_object(c, &tag, tool, members))
        return false;
    if (ours && !rf_sim_is_word(name, 128))
        return rf_sim_bad(c, &name_at, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'");
    if (ours && !rf_jval_get(rf_jval_get(tool, "input_schema"), "type"))
        return rf_sim_bad(c, &type_at, "Field required");
    if (ours && !rf_sim_is_type(rf_jval_get(tool, "input_schema"), "object"))
        return rf_sim_bad(c, &type_at, "Input should be 'object'");
    if (ours && has_choice(rf_jval_get(tool, "input_schema")))
        /* source: reported */
        return rf_sim_bad(c, &schema_at,
                          "input_schema does not support oneOf, allOf, or anyOf at the top level");
    if (!rf_sim_call_add(names, c->r->arena, name, name))
        return rf_sim_refuse(c->r, c->out, 400, "tools: Tool names must be unique.");
    c->marks += rf_jval_get(tool, "cache_control") != NULL;
    if (ours)
        rf_sim_offer(c->r, name);
    return true;
}

static bool check_tools(struct rf_sim_messages *c, const struct rf_jval *body)
{
    static const struct rf_jpath at = { .field = "tools" };
    const struct rf_jval *list = rf_jval_get(body, "tools");
    struct rf_sim_calls names = { 0 };
    size_t i = 0;
    if (!list || list->type == RF_JNULL)
        return true;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        const struct rf_jpath item = { .up = &at, .index = i++ };
        if (!check_tool(c, &item, v, &names))
            return false;
    }
    return true;
}

static bool check_choice(struct rf_sim_messages *c, const struct rf_jval *body)
{
    static const struct rf_jpath at = { .field = "tool_choice" };
    static const char members[] = "type:s! name:s disable_parallel_tool_use:b";
    struct rf_sim_request *r = c->r;
    const struct rf_jval *v = rf_jval_get(body, "tool_choice"), *tools = rf_jval_get(body, "tools");
    if (!v || v->type == RF_JNULL)
        return true;
    if (!rf_sim_object(c, &at, v, members))
        return false;
    struct rf_str type = rf_sim_get(r, v, "type"), name = rf_sim_get(r, v, "name");
    if (!rf_sim_one_of(type, "auto any tool none"))
        return rf_sim_bad(
            c, &at,
            "Input tag '%s' found using 'type' does not match any of the expected tags: "
            "'any', 'auto', 'none', 'tool'",
            rf_cstr(c->r->arena, type));
    if (!tools || tools->type != RF_JARRAY || tools->count == 0)
        return rf_sim_bad(c, &at, "may only be specified while providing tools");
    r->must_not_call = rf_str_is(type, "none");
    r->must_call = rf_sim_one_of(type, "any tool");
    r->must_call_name = name;
    if (r->must_call && rf_sim_is_type(rf_jval_get(body, "thinking"), "enabled"))
        return rf_sim_refuse(r, c->out, 400,
                             "Thinking may not be enabled when tool_choice forces tool use.");
    if (!rf_str_is(type, "tool"))
        return true;
    for (const struct rf_jval *t = rf_jval_first(tools); t; t = rf_jval_next(tools, t))
        if (rf_str_eq(rf_sim_get(r, t, "name"), name))
            return true;
    return rf_sim_refuse(r, c->out, 400, "Tool '%s' not found in provided tools",
                         rf_cstr(r->arena, name));
}

/* What a call adds up to. */

static bool check_sums(struct rf_sim_messages *c)
{
    const struct rf_caps *caps = &c->r->model->caps;
    int64_t tokens = rf_sim_input_tokens(c->r);
    if (caps->max_images > 0 && c->images + c->pages > caps->max_images)
        return rf_sim_refuse(c->r, c->out, 400,
                             "Too much media: %jd document pages + %jd images > %jd",
                             (intmax_t)c->pages, (intmax_t)c->images, (intmax_t)caps->max_images);
    if (c->images > MANY_IMAGES && c->wide)
        return rf_sim_refuse(c->r, c->out, 400,
                             "%s: At least one of the image dimensions exceed max allowed size for "
                             "many-image requests: %jd pixels",
                             c->wide_at.p, (intmax_t)caps->many_image_side);
    if (c->marks > MAX_MARKS)
        return rf_sim_refuse(
            c->r, c->out, 400,
            "A maximum of %d blocks with cache_control may be provided. Found %zu.", MAX_MARKS,
            c->marks);
    if (caps->context_tokens > 0 && tokens > caps->context_tokens)
        return rf_sim_refuse(c->r, c->out, 400, "prompt is too long: %jd tokens > %jd maximum",
                             (intmax_t)tokens, (intmax_t)caps->context_tokens);
    return true;
}

static bool check_system(struct rf_sim_messages *c, const struct rf_jval *body)
{
    static const struct rf_jpath at = { .field = "system" };
    const struct rf_jval *v = rf_jval_get(body, "system");
    if (!v || v->type == RF_JNULL)
        return true;
    if (v->type == RF_JARRAY)
        return rf_sim_blocks(c, &at, v, RF_SIM_IN_SYSTEM);
    if (v->raw.n > 0)
        rf_sim_see(c->r, RF_SIM_TEXT, "system")->text = rf_jval_text(v, c->r->arena);
    return true;
}

/* Who asks for what is not a member of the newer version is told so. */
static bool check_top(struct rf_sim_messages *c, const struct rf_jval *body)
{
    const char *version = header(c->r, "anthropic-version");
    bool newer = version && strcmp(version, "2026") >= 0;
    if (body->type != RF_JOBJECT)
        return rf_sim_refuse(c->r, c->out, 400, "Input should be a valid dictionary");
    return members_fit(c, NULL, body, c->r->counts ? COUNT_TOP : newer ? NEWER_TOP : TOP);
}

static bool check(struct rf_sim_request *r, const struct rf_jval *body, struct rf_sim_refusal *out)
{
    struct rf_sim_messages c = { .r = r, .out = out };
    int64_t most = r->model->caps.max_body_bytes;
    if (most > 0 && r->call->body.n > (size_t)most) {
        out->type = RF_STR("request_too_large");
        return rf_sim_refuse(r, out, 413, "Request exceeds the maximum size");
    }
    if (!check_top(&c, body))
        return false;
    if (!rf_sim_knows(r->model)) {
        out->type = RF_STR("not_found_error");
        return rf_sim_refuse(r, out, 404, "model: %s", rf_cstr(r->arena, r->model->name));
    }
    const struct rf_jval *stream = rf_jval_get(body, "stream");
    r->stream = stream && stream->type == RF_JTRUE;
    return (r->counts || check_max_tokens(&c, body)) && check_thinking(&c, body) &&
           check_sampling(&c, body) && check_system(&c, body) && check_tools(&c, body) &&
           check_choice(&c, body) &&
           rf_sim_turns(&c, rf_jval_get(body, "messages"),
                        rf_sim_is_type(rf_jval_get(body, "thinking"), "enabled")) &&
           check_sums(&c);
}

const struct rf_sim_dialect rf_sim_anthropic = {
    .name = "anthropic",
    .call_prefix = "toolu_01",
    .call_letters = 22,
    .check = check,
    .say = rf_sim_anthropic_say,
    .refuse = rf_sim_anthropic_refuse,
};
