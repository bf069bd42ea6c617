/* The blocks of Bedrock's messages: unions of which one member is set, a row each. */
#include "base/arena.h"
#include "sim/anthropic/anthropic.h"
#include "sim/bedrock/bedrock.h"

struct block {
    struct rf_sim_converse *c;
    const struct rf_jpath *at; /* of the union */
    const char *member;
    const struct rf_jval *v;  /* what is set */
    struct rf_sim_turn *turn; /* NULL inside a result */
    const char *role;
};

enum { IN_USER = 1, IN_ASSISTANT = 2, IN_RESULT = 4 };

static struct rf_str place(const struct block *b)
{
    return rf_sim_place_words(b->c->r->arena, b->at);
}

static bool take_text(const struct block *b)
{
    struct rf_str text = rf_sim_text(b->c->r, b->v);
    if (text.n == 0) /* white space alone is taken */
        return rf_sim_refuse(
            b->c->r, b->c->out, 400,
            "The text field in the ContentBlock object at %s is blank. Add text to "
            "the text field, and try again.",
            place(b).p);
    rf_sim_see(b->c->r, RF_SIM_TEXT, b->role)->text = text;
    if (b->turn)
        b->turn->text = true;
    return true;
}

static bool take_json(const struct block *b)
{
    if (b->v->type != RF_JOBJECT)
        return rf_sim_refuse(b->c->r, b->c->out, 400,
                             "The format of the value at %s.json is invalid. Provide a json object "
                             "for the field and try again.",
                             place(b).p);
    rf_sim_see(b->c->r, RF_SIM_TEXT, b->role)->text = rf_jval_compact(b->v, b->c->r->arena);
    return true;
}

static bool take_media(const struct block *b)
{
    if (b->turn) {
        b->turn->document |= strcmp(b->member, "document") == 0;
        b->turn->media_beside |= b->c->r->model->caps.beside == 0;
    }
    return rf_sim_converse_media(b->c, b->at, b->member, b->v, b->role);
}

static bool check_id(const struct block *b, struct rf_str id)
{
    const struct rf_jpath up = { .up = b->at, .field = b->member };
    const struct rf_jpath at = { .up = &up, .field = "toolUseId" };
    bool word = id.n > 0;
    for (size_t i = 0; i < id.n; i++)
        word =
            word && (strchr("_.:-", id.p[i]) ? id.p[i] != 0
                                             : rf_sim_is_word((struct rf_str){ id.p + i, 1 }, 1));
    if (!word)
        return rf_sim_constraint(b->c, &at, id,
                                 "Member must satisfy regular expression pattern: "
                                 "[a-zA-Z0-9_.:-]+");
    if (id.n > 64)
        return rf_sim_constraint(b->c, &at, id, "Member must have length less than or equal to 64");
    return true;
}

static bool take_call(const struct block *b)
{
    struct rf_sim_request *r = b->c->r;
    struct rf_str id = rf_sim_get(r, b->v, "toolUseId");
    const struct rf_jval *input = rf_jval_get(b->v, "input");
    if (!check_id(b, id))
        return false;
    if (!input || input->type != RF_JOBJECT)
        return rf_sim_refuse(
            r, b->c->out, 400,
            "The format of the value at %s.toolUse.input is invalid. Provide a json "
            "object for the field and try again.",
            place(b).p);
    rf_sim_see_call(r, id, rf_sim_get(r, b->v, "name"), rf_jval_compact(input, r->arena));
    b->c->uses_tools = true;
    return true;
}

static bool take_blocks(const struct block *in, const struct rf_jval *list, unsigned where);

static bool take_result(const struct block *b)
{
    struct rf_sim_request *r = b->c->r;
    const struct rf_jpath up = { .up = b->at, .field = "toolResult" };
    const struct rf_jpath at = { .up = &up, .field = "content" };
    const struct rf_jval *content = rf_jval_get(b->v, "content");
    struct rf_str status = rf_sim_get(r, b->v, "status");
    const struct rf_sim_known_call call = { .id = rf_sim_get(r, b->v, "toolUseId") };
    const struct rf_sim_known_call *known = rf_sim_call_find(&b->c->calls, call.id);
    if (!check_id(b, call.id))
        return false;
    if (status.n > 0 && !r->model->caps.result_status)
        return rf_sim_refuse(r, b->c->out, 400,
                             "This model doesn't support the status field. Remove status and try "
                             "again.");
    if (!content || content->type != RF_JARRAY)
        return rf_sim_constraint(b->c, &at, RF_STR("null"), "Member must not be null");
    r->result = known ? known : &call;
    rf_sim_see(r, RF_SIM_RESULT, "tool")->failed = rf_str_is(status, "error");
    b->c->uses_tools = true;
    if (b->turn)
        b->turn->results = true;
    const struct block inside = { .c = b->c, .at = &at, .role = "tool" };
    bool ok = take_blocks(&inside, content, IN_RESULT);
    r->result = NULL;
    return ok;
}

static bool take_thought(const struct block *b)
{
    const struct rf_jpath at = { .up = b->at, .field = b->member };
    const struct rf_jval *set = rf_sim_union(b->c, &at, b->v);
    if (!set)
        return false;
    if (!rf_jval_is(set, "reasoningText"))
        return true;
    struct rf_str text = rf_sim_get(b->c->r, set + 1, "text");
    struct rf_str signature = rf_sim_get(b->c->r, set + 1, "signature");
    bool demanded = b->c->r->model->caps.replay == RF_REPLAY_SIGNED;
    if ((demanded && rf_str_blank(signature)) ||
        !rf_sim_signature_fits(b->c->r->arena, signature, text))
        return rf_sim_refuse(b->c->r, b->c->out, 400,
                             "The model returned the following errors: %s: Invalid `signature` in "
                             "`thinking` block",
                             place(b).p);
    return true;
}

static const struct {
    const char *member;
    unsigned where;
    bool (*take)(const struct block *b); /* NULL: it is taken, and nothing is seen */
} rules[] = {
    { "text", IN_USER | IN_ASSISTANT | IN_RESULT, take_text },
    { "json", IN_RESULT, take_json },
    { "image", IN_USER | IN_RESULT, take_media },
    { "document", IN_USER | IN_RESULT, take_media },
    { "video", IN_USER | IN_RESULT, take_media },
    { "audio", IN_USER, take_media },
    { "toolUse", IN_ASSISTANT, take_call },
    { "toolResult", IN_USER | IN_ASSISTANT, take_result },
    { "reasoningContent", IN_ASSISTANT, take_thought },
    { "cachePoint", IN_USER | IN_ASSISTANT, NULL },
    { "guardContent", IN_USER, NULL },
    { "citationsContent", IN_ASSISTANT, NULL },
    { "searchResult", IN_USER | IN_RESULT, NULL },
    { "toolAddition", IN_USER, NULL },
    { "toolRemoval", IN_USER, NULL },
};

static bool take_block(struct block *b, const struct rf_jval *v, unsigned where)
{
    const struct rf_jval *set = rf_sim_union(b->c, b->at, v);
    if (!set)
        return false;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!rf_jval_is(set, rules[i].member) || !(rules[i].where & where))
            continue;
        b->member = rules[i].member;
        b->v = set + 1;
        return !rules[i].take || rules[i].take(b);
    }
    return rf_sim_refuse(b->c->r, b->c->out, 400,
                         "The content block %.*s at %s is not allowed in %s.",
                         RF_FMT(rf_jval_text(set, b->c->r->arena)), place(b).p,
                         where == IN_RESULT      ? "a toolResult block"
                         : where == IN_ASSISTANT ? "an assistant message"
                                                 : "a user message");
}

/* All blocks of a list that `in` says the place of. */
static bool take_blocks(const struct block *in, const struct rf_jval *list, unsigned where)
{
    size_t i = 0;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v)) {
        const struct rf_jpath item = { .up = in->at, .index = i++ };
        struct block b = *in;
        b.at = &item;
        if (!take_block(&b, v, where))
            return false;
    }
    return true;
}

bool rf_sim_converse_blocks(struct rf_sim_converse *c, const struct rf_jpath *at,
                            const struct rf_jval *list, struct rf_sim_turn *turn)
{
    const struct block in = { .c = c, .at = at, .turn = turn, .role = turn->role };
    return take_blocks(&in, list, strcmp(turn->role, "assistant") == 0 ? IN_ASSISTANT : IN_USER);
}
