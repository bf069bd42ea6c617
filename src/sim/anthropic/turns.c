/* Messages of Anthropic's API: each by itself, then how calls and results pair up. */
#include "base/arena.h"
#include "sim/anthropic/anthropic.h"

/* Messages: each by itself. */

static bool check_text(struct rf_sim_messages *c, const char *role, struct rf_str text)
{
    if (text.n == 0)
        return rf_sim_refuse(c->r, c->out, 400, "messages: text content blocks must be non-empty");
    rf_sim_see(c->r, RF_SIM_TEXT, role)->text = text;
    return true;
}

static bool check_message(struct rf_sim_messages *c, const struct rf_jpath *at,
                          const struct rf_jval *m, bool last)
{
    static const char members[] = "role:s! content:sa!";
    const struct rf_jpath role_at = { .up = at, .field = "role" };
    const struct rf_jpath content_at = { .up = at, .field = "content" };
    if (!rf_sim_object(c, at, m, members))
        return false;
    struct rf_str role = rf_sim_get(c->r, m, "role");
    const struct rf_jval *content = rf_jval_get(m, "content");
    bool assistant = rf_str_is(role, "assistant"), system = rf_str_is(role, "system");
    if (!assistant && !system && !rf_str_is(role, "user"))
        return rf_sim_bad(c, &role_at, "Input should be 'user', 'assistant' or 'system'");
    if ((content->type == RF_JARRAY ? content->count : content->raw.n) == 0 && !(assistant && last))
        return rf_sim_bad(c, at,
                          "all messages must have non-empty content except for the optional final "
                          "assistant message");
    if (content->type == RF_JSTRING)
        return content->raw.n == 0 || check_text(c,
                                                 assistant ? "assistant"
                                                 : system  ? "system"
                                                           : "user",
                                                 rf_jval_text(content, c->r->arena));
    return rf_sim_blocks(c, &content_at, content,
                         assistant ? RF_SIM_IN_ASSISTANT
                         : system  ? RF_SIM_IN_SYSTEM
                                   : RF_SIM_IN_USER);
}

/* Messages: all together. Two of one role are one turn; system messages stand between turns. */

struct turns {
    struct rf_str *pending; /* calls of the last assistant turn, for the words of a refusal */
    size_t pending_count, pending_cap;
    size_t unanswered, assistant; /* the message that called */
    size_t number;                /* of the assistant turn */
    bool in_user, other;          /* something that is not a result came in this user turn */
};

static bool unanswered(struct rf_sim_messages *c, const struct turns *t)
{
    struct rf_buf b;
    struct rf_str ids = RF_STR("");
    struct rf_err err;
    rf_buf_init(&b, c->r->arena, 8192);
    for (size_t i = 0; i < t->pending_count; i++) {
        const struct rf_sim_known_call *k = rf_sim_call_find(&c->calls, t->pending[i]);
        if (k && k->answered)
            continue;
        rf_buf_add(&b, b.n ? RF_STR(", ") : RF_STR(""));
        rf_buf_add(&b, t->pending[i]);
    }
    if (rf_buf_finish(&b, &ids, &err))
        ids = RF_STR("…");
    /* source: recorded */
    return rf_sim_refuse(c->r, c->out, 400,
                         "messages.%zu: `tool_use` ids were found without `tool_result` blocks "
                         "immediately after: %s. Each `tool_use` block must have a corresponding "
                         "`tool_result` block in the next message.",
                         t->assistant, ids.p);
}

static bool pair_result(struct rf_sim_messages *c, struct turns *t, size_t message, size_t index,
                        const struct rf_jval *block)
{
    struct rf_str id = rf_sim_get(c->r, block, "tool_use_id");
    struct rf_sim_known_call *k = rf_sim_call_find(&c->calls, id);
    if (!k || k->turn != t->number)
        return rf_sim_refuse(c->r, c->out, 400,
                             "messages.%zu.content.%zu: unexpected `tool_use_id` found in "
                             "`tool_result` blocks: %s. Each `tool_result` block must have a "
                             "corresponding `tool_use` block in the previous message.",
                             message, index, rf_cstr(c->r->arena, id));
    if (k->answered)
        return rf_sim_refuse(c->r, c->out, 400,
                             "messages.%zu.content.%zu: each tool_use must have a single result. "
                             "Found multiple `tool_result` blocks with id: %s",
                             message, index, rf_cstr(c->r->arena, id));
    if (t->other)
        return unanswered(c, t);
    k->answered = true;
    t->unanswered--;
    return true;
}

static bool pair_user(struct rf_sim_messages *c, struct turns *t, size_t message,
                      const struct rf_jval *content)
{
    size_t i = 0;
    t->in_user = true;
    if (content->type == RF_JSTRING)
        return t->unanswered == 0 || unanswered(c, t);
    for (const struct rf_jval *b = rf_jval_first(content); b; b = rf_jval_next(content, b), i++) {
        bool result = rf_sim_is_type(b, "tool_result");
        if (result && !pair_result(c, t, message, i, b))
            return false;
        if (!result && t->unanswered > 0)
            return unanswered(c, t);
        t->other = t->other || !result;
    }
    return true;
}

static bool pair_assistant(struct rf_sim_messages *c, struct turns *t, size_t message,
                           const struct rf_jval *content)
{
    size_t i = 0;
    if (t->unanswered > 0 && t->in_user)
        return unanswered(c, t);
    if (t->in_user)
        *t = (struct turns){ .number = t->number + 1 };
    if (content->type == RF_JSTRING)
        return true;
    for (const struct rf_jval *b = rf_jval_first(content); b; b = rf_jval_next(content, b), i++) {
        if (!rf_sim_is_type(b, "tool_use"))
            continue;
        struct rf_str id = rf_sim_get(c->r, b, "id");
        struct rf_sim_known_call *k =
            rf_sim_call_add(&c->calls, c->r->arena, id, rf_sim_get(c->r, b, "name"));
        if (!k)
            return rf_sim_refuse(c->r, c->out, 400,
                                 "messages.%zu.content.%zu: `tool_use` ids must be unique", message,
                                 i);
        k->turn = t->number;
        *RF_PUSH(c->r->arena, t->pending, t->pending_count, t->pending_cap) = id;
        t->unanswered++;
        t->assistant = message;
    }
    return true;
}

/* With a budget, what the model thought goes back before the calls that it led to. */
static bool check_thoughts(struct rf_sim_messages *c, const struct rf_jval *messages)
{
    const struct rf_jval *called = NULL;
    size_t i = 0, at = 0;
    bool question = false; /* of a person, after the call */
    for (const struct rf_jval *m = rf_jval_first(messages); m; m = rf_jval_next(messages, m), i++) {
        const struct rf_jval *content = rf_jval_get(m, "content");
        bool first_result = rf_sim_is_type(rf_jval_at(content, 0), "tool_result");
        if (rf_jval_is(rf_jval_get(m, "role"), "assistant")) {
            called = content->type == RF_JARRAY ? content : NULL;
            at = i;
            question = false;
        } else if (!first_result) {
            question = true;
        }
    }
    const struct rf_jval *first = called ? rf_jval_first(called) : NULL;
    if (!first || question || rf_sim_is_type(first, "thinking") ||
        rf_sim_is_type(first, "redacted_thinking"))
        return true;
    return rf_sim_refuse(
        c->r, c->out, 400,
        "messages.%zu.content.0.type: Expected `thinking` or `redacted_thinking`, but "
        "found `%s`. When `thinking` is enabled, a final `assistant` message must start "
        "with a thinking block (preceeding the lastmost set of `tool_use` and "
        "`tool_result` blocks). To avoid this requirement, you must disable `thinking`.",
        at, rf_cstr(c->r->arena, rf_sim_get(c->r, first, "type")));
}

/* The last message of an assistant begins the answer, where the model takes that, and may not end in
 * white space. One that ends with a call which the server runs goes on. */
static bool check_prefill(struct rf_sim_messages *c, const struct rf_jval *messages)
{
    const struct rf_jval *last = rf_jval_at(messages, messages->count - 1);
    const struct rf_jval *content = rf_jval_get(last, "content");
    if (!rf_jval_is(rf_jval_get(last, "role"), "assistant"))
        return true;
    bool listed = content->type == RF_JARRAY && content->count > 0;
    const struct rf_jval *block = listed ? rf_jval_at(content, content->count - 1) : NULL;
    if (rf_sim_is_type(block, "server_tool_use"))
        return true;
    if (c->r->model->caps.prefill == RF_PREFILL_NO)
        return rf_sim_refuse(c->r, c->out, 400,
                             "This model does not support assistant message prefill. The "
                             "conversation must end with a user message.");
    struct rf_str text = rf_sim_text(c->r, listed ? rf_jval_get(block, "text") : content);
    if (text.n == 0 || !rf_str_blank((struct rf_str){ text.p + text.n - 1, 1 }))
        return true;
    return rf_sim_refuse(c->r, c->out, 400,
                         "messages: final assistant content cannot end with trailing whitespace");
}

bool rf_sim_turns(struct rf_sim_messages *c, const struct rf_jval *messages, bool budget)
{
    static const struct rf_jpath at = { .field = "messages" };
    struct turns t = { 0 };
    size_t i = 0;
    if (messages->count == 0)
        return rf_sim_bad(c, &at, "at least one message is required");
    for (const struct rf_jval *m = rf_jval_first(messages); m; m = rf_jval_next(messages, m), i++) {
        const struct rf_jpath item = { .up = &at, .index = i };
        c->r->turn = i;
        if (!check_message(c, &item, m, i + 1 == messages->count))
            return false;
        const struct rf_jval *role = rf_jval_get(m, "role"), *content = rf_jval_get(m, "content");
        if (rf_jval_is(role, "assistant") && !pair_assistant(c, &t, i, content))
            return false;
        if (rf_jval_is(role, "user") && !pair_user(c, &t, i, content))
            return false;
    }
    if (t.unanswered > 0)
        return unanswered(c, &t);
    return check_prefill(c, messages) && (!budget || check_thoughts(c, messages));
}
