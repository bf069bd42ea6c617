/* The server of Amazon Bedrock's Converse API:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (2026-11).
 *
 * Bedrock checks the shape itself and leaves the rest to the model's vendor, whose words it hands
 * on as "The model returned the following errors: …". Members that it does not know it ignores, but
 * for those of unions, of which exactly one is set. Which files a family takes, and where, is in
 * the catalogue.
 *
 * Which words are the real server's is known only where provider-errors.tsv has them; the others
 * are spelled after its manner, so rely on the status and the place only.
 */
#include "sim/bedrock/bedrock.h"

#include "base/arena.h"

#define MAX_WORDS 8192
#define MAX_ID 64

bool rf_sim_constraint(struct rf_sim_converse *c, const struct rf_jpath *at, struct rf_str value,
                       const char *constraint)
{
    return rf_sim_refuse(c->r, c->out, 400,
                         "1 validation error detected: Value '%.*s' at '%s' failed to satisfy "
                         "constraint: %s",
                         RF_FMT(value), rf_sim_member_words(c->r->arena, at).p, constraint);
}

const struct rf_jval *rf_sim_union(struct rf_sim_converse *c, const struct rf_jpath *at,
                                   const struct rf_jval *v)
{
    const struct rf_jval *set = NULL;
    size_t count = 0;
    if (v->type != RF_JOBJECT) {
        rf_sim_refuse(c->r, c->out, 400, "Expected an object at %s.",
                      rf_sim_place_words(c->r->arena, at).p);
        return NULL;
    }
    for (const struct rf_jval *k = rf_jval_first(v); k; k = rf_jval_next(v, k + 1)) {
        count += k[1].type != RF_JNULL;
        set = k[1].type != RF_JNULL ? k : set;
    }
    if (count == 1)
        return set;
    rf_sim_refuse(c->r, c->out, 400,
                  "The union at %s must have exactly one member set, and has %zu.",
                  rf_sim_place_words(c->r->arena, at).p, count);
    return NULL;
}

/* Tools. */

static bool is_name(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char x = s.p[i];
        if (!rf_is_alnum(x) && x != '_' && x != '-')
            return false;
    }
    return s.n > 0;
}

static bool check_tool(struct rf_sim_converse *c, const struct rf_jpath *at,
                       const struct rf_jval *v)
{
    const struct rf_jpath spec_at = { .up = at, .field = "toolSpec" };
    const struct rf_jpath name_at = { .up = &spec_at, .field = "name" };
    const struct rf_jval *set = rf_sim_union(c, at, v);
    if (!set)
        return false;
    if (!rf_jval_is(set, "toolSpec"))
        return true;
    struct rf_str name = rf_sim_get(c->r, set + 1, "name");
    const struct rf_jval *schema = rf_jval_get(rf_jval_get(set + 1, "inputSchema"), "json");
    if (!is_name(name))
        return rf_sim_constraint(c, &name_at, name,
                                 "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+");
    if (name.n > MAX_ID)
        return rf_sim_constraint(c, &name_at, name,
                                 "Member must have length less than or equal to 64");
    if (!schema || schema->type != RF_JOBJECT)
        return rf_sim_refuse(
            c->r, c->out, 400,
            "The value at %s.inputSchema.json is invalid. Provide a json object for "
            "the field and try again.",
            rf_sim_place_words(c->r->arena, &spec_at).p);
    if (!rf_str_is(rf_sim_get(c->r, schema, "type"), "object"))
        /* source: reported (aaif-goose/goose#5064) */
        return rf_sim_refuse(
            c->r, c->out, 400,
            "The value at %s.inputSchema.json.type must be one of the following: object.",
            rf_sim_place_words(c->r->arena, &spec_at).p);
    rf_sim_offer(c->r, name);
    return true;
}

static bool check_choice(struct rf_sim_converse *c, const struct rf_jval *choice)
{
    static const struct rf_jpath config = { .field = "toolConfig" };
    static const struct rf_jpath at = { .up = &config, .field = "toolChoice" };
    if (!choice || choice->type == RF_JNULL)
        return true;
    const struct rf_jval *set = rf_sim_union(c, &at, choice);
    if (!set)
        return false;
    c->r->must_call = rf_jval_is(set, "any") || rf_jval_is(set, "tool");
    if (!rf_jval_is(set, "tool"))
        return true;
    struct rf_str name = c->r->must_call_name = rf_sim_get(c->r, set + 1, "name");
    for (size_t i = 0; i < c->r->tool_count; i++)
        if (rf_str_eq(c->r->tools[i], name))
            return true;
    return rf_sim_refuse(c->r, c->out, 400,
                         "The tool %.*s at toolConfig.toolChoice.tool is not in toolConfig.tools.",
                         RF_FMT(name));
}

static bool check_tools(struct rf_sim_converse *c, const struct rf_jval *config)
{
    static const struct rf_jpath top = { .field = "toolConfig" };
    static const struct rf_jpath at = { .up = &top, .field = "tools" };
    const struct rf_jval *tools = rf_jval_get(config, "tools");
    size_t i = 0;
    if (!config || config->type == RF_JNULL)
        return true;
    if (!tools || tools->type != RF_JARRAY || tools->count == 0)
        return rf_sim_constraint(c, &at, RF_STR("[]"),
                                 "Member must have length greater than or equal to 1");
    for (const struct rf_jval *v = rf_jval_first(tools); v; v = rf_jval_next(tools, v)) {
        const struct rf_jpath item = { .up = &at, .index = i++ };
        if (!check_tool(c, &item, v))
            return false;
    }
    return check_choice(c, rf_jval_get(config, "toolChoice"));
}

/* Calls and results. */

/* The ids of calls in one message. */
struct round {
    struct rf_str *ids;
    size_t count, cap;
};

static bool is_open(const struct rf_sim_converse *c, struct rf_str id, size_t turn)
{
    const struct rf_sim_known_call *k = rf_sim_call_find(&c->calls, id);
    return k && k->turn == turn && !k->answered;
}

static bool missing(struct rf_sim_converse *c, const struct round *round, size_t message)
{
    struct rf_buf b;
    struct rf_str ids;
    struct rf_err err;
    rf_buf_init(&b, c->r->arena, MAX_WORDS);
    for (size_t i = 0; i < round->count; i++)
        if (is_open(c, round->ids[i], message - 1))
            rf_buf_addf(&b, "%s%.*s", b.n ? ", " : "", RF_FMT(round->ids[i]));
    if (b.n == 0)
        return false;
    rf_sim_refuse(c->r, c->out, 400,
                  "Expected toolResult blocks at messages.%zu.content for the following Ids: %s",
                  message, rf_buf_finish(&b, &ids, &err) ? "" : ids.p);
    return true;
}

static bool pair_result(struct rf_sim_converse *c, const struct rf_jval *result, size_t message)
{
    struct rf_str id = rf_sim_get(c->r, result, "toolUseId");
    if (!is_open(c, id, message - 1))
        return rf_sim_refuse(c->r, c->out, 400,
                             "The number of toolResult blocks at messages.%zu.content exceeds the "
                             "number of toolUse blocks of previous turn.",
                             message);
    rf_sim_call_find(&c->calls, id)->answered = true;
    return true;
}

static bool pair_call(struct rf_sim_converse *c, struct round *round, const struct rf_jval *call,
                      size_t message)
{
    struct rf_str id = rf_sim_get(c->r, call, "toolUseId");
    if (rf_str_is(rf_sim_get(c->r, call, "type"), "server_tool_use"))
        return true; /* it answers itself */
    struct rf_sim_known_call *k =
        rf_sim_call_add(&c->calls, c->r->arena, id, rf_sim_get(c->r, call, "name"));
    if (!k)
        return rf_sim_refuse(c->r, c->out, 400,
                             "The toolUse block at messages.%zu.content contains a duplicate Id: "
                             "%.*s",
                             message, RF_FMT(id));
    k->turn = message;
    *RF_PUSH(c->r->arena, round->ids, round->count, round->cap) = id;
    return true;
}

static bool pair(struct rf_sim_converse *c, struct round *round, const struct rf_jval *content,
                 size_t message)
{
    for (const struct rf_jval *b = rf_jval_first(content); b; b = rf_jval_next(content, b)) {
        const struct rf_jval *result = rf_jval_get(b, "toolResult");
        if (result && !rf_jval_get(result, "type") && !pair_result(c, result, message))
            return false;
    }
    if (message > 0 && missing(c, round, message))
        return false;
    round->count = 0;
    for (const struct rf_jval *b = rf_jval_first(content); b; b = rf_jval_next(content, b)) {
        const struct rf_jval *call = rf_jval_get(b, "toolUse");
        if (call && !pair_call(c, round, call, message))
            return false;
    }
    return true;
}

/* Messages. */

static bool check_turn(struct rf_sim_converse *c, const struct rf_sim_turn *turn, size_t message)
{
    if (turn->document && !turn->text && !turn->results)
        return rf_sim_refuse(
            c->r, c->out, 400,
            "The message at messages.%zu includes a document block. Include a text "
            "block in the message and try again.",
            message);
    if (turn->results && turn->media_beside)
        return rf_sim_refuse(
            c->r, c->out, 400,
            "The model returned the following errors: messages.%zu: a message with "
            "toolResult blocks can't hold other content blocks of this type for "
            "this model.",
            message);
    return true;
}

/* Families whose conversations may begin with an assistant. */
static const char *const beginners[] = { "*claude*" };

static bool may_begin(const struct rf_model *m)
{
    for (size_t i = 0; i < sizeof beginners / sizeof *beginners; i++)
        if (rf_glob(rf_str(beginners[i]), m->name))
            return true;
    return false;
}

static bool check_message(struct rf_sim_converse *c, const struct rf_jval *m, struct round *round,
                          struct rf_str *before)
{
    static const struct rf_jpath top = { .field = "messages" };
    const size_t i = c->r->turn;
    const struct rf_jpath at = { .up = &top, .index = i };
    const struct rf_jpath role_at = { .up = &at, .field = "role" };
    const struct rf_jpath content_at = { .up = &at, .field = "content" };
    struct rf_str role = rf_sim_get(c->r, m, "role");
    const struct rf_jval *content = rf_jval_get(m, "content");
    struct rf_sim_turn turn = { .role = rf_str_is(role, "assistant") ? "assistant" : "user" };
    if (!rf_sim_one_of(role, "user assistant"))
        return rf_sim_constraint(c, &role_at, role,
                                 "Member must satisfy enum value set: [user, assistant]");
    if (i == 0 && !rf_str_is(role, "user") && !may_begin(c->r->model))
        return rf_sim_refuse(c->r, c->out, 400,
                             "A conversation must start with a user message. Try again with a "
                             "conversation that starts with a user message.");
    if (rf_str_eq(role, *before))
        return rf_sim_refuse(
            c->r, c->out, 400,
            "A conversation must alternate between user and assistant roles. Make "
            "sure the conversation alternates between user and assistant roles and "
            "try again.");
    if (!content || content->type != RF_JARRAY || content->count == 0)
        return rf_sim_refuse(
            c->r, c->out, 400,
            "The content field in the Message object at messages.%zu is empty. Add "
            "a ContentBlock object to the content field and try again.",
            i);
    *before = role;
    return rf_sim_converse_blocks(c, &content_at, content, &turn) && check_turn(c, &turn, i) &&
           pair(c, round, content, i);
}

static bool check_messages(struct rf_sim_converse *c, const struct rf_jval *messages)
{
    struct round round = { 0 };
    struct rf_str before = RF_STR("");
    if (!messages || messages->type != RF_JARRAY || messages->count == 0)
        return rf_sim_refuse(c->r, c->out, 400,
                             "1 validation error detected: Value at 'messages' failed to satisfy "
                             "constraint: Member must not be null");
    for (const struct rf_jval *m = rf_jval_first(messages); m; m = rf_jval_next(messages, m)) {
        if (!check_message(c, m, &round, &before))
            return false;
        c->r->turn++;
    }
    return !missing(c, &round, c->r->turn);
}

static bool check_system(struct rf_sim_converse *c, const struct rf_jval *system)
{
    static const struct rf_jpath at = { .field = "system" };
    size_t i = 0;
    if (!system || system->type != RF_JARRAY)
        return true;
    for (const struct rf_jval *v = rf_jval_first(system); v; v = rf_jval_next(system, v)) {
        const struct rf_jpath item = { .up = &at, .index = i++ };
        const struct rf_jval *set = rf_sim_union(c, &item, v);
        if (!set)
            return false;
        if (!rf_jval_is(set, "text"))
            continue;
        struct rf_str text = rf_sim_text(c->r, set + 1);
        if (rf_str_blank(text))
            return rf_sim_refuse(c->r, c->out, 400,
                                 "The text field in the SystemContentBlock object at %s is blank. "
                                 "Add text to the text field, and try again.",
                                 rf_sim_place_words(c->r->arena, &item).p);
        rf_sim_see(c->r, RF_SIM_TEXT, "system")->text = text;
    }
    return true;
}

static bool check_limits(struct rf_sim_converse *c)
{
    const struct rf_caps *caps = &c->r->model->caps;
    int64_t tokens = rf_sim_input_tokens(c->r);
    if (caps->max_images > 0 && c->images > caps->max_images)
        return rf_sim_refuse(c->r, c->out, 400,
                             "The model returned the following errors: too many images: %jd > %jd",
                             (intmax_t)c->images, (intmax_t)caps->max_images);
    if (caps->max_documents > 0 && c->documents > caps->max_documents)
        return rf_sim_refuse(c->r, c->out, 400,
                             "Too many documents: %jd. A request has at most %jd documents.",
                             (intmax_t)c->documents, (intmax_t)caps->max_documents);
    if (caps->context_tokens > 0 && tokens > caps->context_tokens)
        return rf_sim_refuse(c->r, c->out, 400,
                             "The model returned the following errors: Input is too long for "
                             "requested model.");
    return true;
}

static bool check(struct rf_sim_request *r, const struct rf_jval *body, struct rf_sim_refusal *out)
{
    struct rf_sim_converse c = { .r = r, .out = out };
    const struct rf_jval *config = rf_jval_get(body, "toolConfig");
    const struct rf_jval *most = rf_jval_get(rf_jval_get(body, "inferenceConfig"), "maxTokens");
    if (!rf_sim_knows(r->model))
        /* source: recorded */
        return rf_sim_refuse(r, out, 400, "The provided model identifier is invalid.");
    if (most && (!rf_jval_int64(most, &r->max_tokens) || r->max_tokens < 1)) {
        static const struct rf_jpath top = { .field = "inferenceConfig" };
        static const struct rf_jpath at = { .up = &top, .field = "maxTokens" };
        return rf_sim_constraint(&c, &at, most->raw,
                                 "Member must have value greater than or equal to 1");
    }
    if (!check_system(&c, rf_jval_get(body, "system")) || !check_tools(&c, config) ||
        !check_messages(&c, rf_jval_get(body, "messages")))
        return false;
    if (c.uses_tools && (!config || config->type != RF_JOBJECT))
        return rf_sim_refuse(
            r, out, 400,
            "The toolConfig field must be defined when using toolUse and toolResult "
            "content blocks.");
    const struct rf_jval *more = rf_jval_get(body, "additionalModelRequestFields");
    struct rf_str thinking = rf_sim_get(r, rf_jval_get(more, "thinking"), "type");
    r->thinks = thinking.n > 0 && !rf_str_is(thinking, "disabled");
    return check_limits(&c);
}

const struct rf_sim_dialect rf_sim_bedrock = {
    .name = "bedrock",
    .call_prefix = "tooluse_",
    .call_letters = 22,
    .check = check,
    .say = rf_sim_bedrock_say,
    .refuse = rf_sim_bedrock_refuse,
};
