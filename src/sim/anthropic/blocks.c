/* The blocks of Anthropic's requests: a row each, with its places and members. */
#include "base/arena.h"
#include "base/crc32.h"
#include "sim/anthropic/anthropic.h"

#define SIGNED_PREFIX "c2ltLXNpZ25lZC0" /* base64 of "sim-signed-" */

struct block {
    struct rf_jpath at; /* the index in its list */
    const struct rf_jval *v;
    const char *role;
    enum rf_sim_place place;
};

struct rule {
    const char *type;
    unsigned places;
    const char *members; /* NULL: what is in it is the server's own business */
    bool (*take)(struct rf_sim_messages *c, const struct block *b, const struct rf_jpath *tag);
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool take_text(struct rf_sim_messages *c, const struct block *b, const struct rf_jpath *tag)
{
    (void)tag;
    const char *list = b->place == RF_SIM_IN_SYSTEM ? "system" : "messages";
    struct rf_str text = rf_sim_get(c->r, b->v, "text");
    if (text.n == 0)
        return rf_sim_refuse(c->r, c->out, 400, "%s: text content blocks must be non-empty", list);
    if (rf_str_blank(text))
        return rf_sim_refuse(c->r, c->out, 400,
                             "%s: text content blocks must contain non-whitespace text", list);
    rf_sim_see(c->r, RF_SIM_TEXT, b->role)->text = text;
    return true;
}

static bool take_media(struct rf_sim_messages *c, const struct block *b, const struct rf_jpath *tag)
{
    return rf_sim_media(c, tag, b->v, b->role);
}

static bool take_found(struct rf_sim_messages *c, const struct block *b, const struct rf_jpath *tag)
{
    const struct rf_jpath at = { .up = tag, .field = "content" };
    rf_sim_see(c->r, RF_SIM_TEXT, b->role)->text = rf_sim_get(c->r, b->v, "title");
    return rf_sim_blocks(c, &at, rf_jval_get(b->v, "content"), RF_SIM_IN_DOCUMENT);
}

static bool take_upload(struct rf_sim_messages *c, const struct block *b,
                        const struct rf_jpath *tag)
{
    (void)tag;
    rf_sim_see(c->r, RF_SIM_FILE, b->role)->reference = rf_sim_get(c->r, b->v, "file_id");
    return true;
}

struct rf_str rf_sim_signature(struct rf_arena *a, struct rf_str thinking)
{
    return rf_strf(a, SIGNED_PREFIX "%08x", rf_crc32(thinking.p, thinking.n));
}

bool rf_sim_signature_fits(struct rf_arena *a, struct rf_str signature, struct rf_str thinking)
{
    return !rf_str_starts(signature, SIGNED_PREFIX) ||
           rf_str_eq(signature, rf_sim_signature(a, thinking));
}

static bool take_thinking(struct rf_sim_messages *c, const struct block *b,
                          const struct rf_jpath *tag)
{
    (void)tag;
    struct rf_str signature = rf_sim_get(c->r, b->v, "signature");
    if (rf_str_blank(signature) ||
        !rf_sim_signature_fits(c->r->arena, signature, rf_sim_get(c->r, b->v, "thinking")))
        return rf_sim_bad(c, &b->at, "Invalid `signature` in `thinking` block");
    return true;
}

static bool take_redacted(struct rf_sim_messages *c, const struct block *b,
                          const struct rf_jpath *tag)
{
    (void)tag;
    if (rf_str_blank(rf_sim_get(c->r, b->v, "data")))
        return rf_sim_bad(c, &b->at, "Invalid `data` in `redacted_thinking` block");
    return true;
}

static bool take_call(struct rf_sim_messages *c, const struct block *b, const struct rf_jpath *tag)
{
    const struct rf_jpath id_at = { .up = tag, .field = "id" };
    const struct rf_jpath name_at = { .up = tag, .field = "name" };
    struct rf_str id = rf_sim_get(c->r, b->v, "id"), name = rf_sim_get(c->r, b->v, "name");
    if (!rf_sim_is_word(id, SIZE_MAX))
        return rf_sim_bad(c, &id_at, "String should match pattern '^[a-zA-Z0-9_-]+$'");
    if (!rf_sim_is_word(name, 200))
        return rf_sim_bad(c, &name_at, "String should match pattern '^[a-zA-Z0-9_-]{1,200}$'");
    rf_sim_see_call(c->r, id, name, rf_jval_compact(rf_jval_get(b->v, "input"), c->r->arena));
    return true;
}

/* A failed result holds text alone, and some. */
static bool check_failed(struct rf_sim_messages *c, const struct rf_jpath *tag,
                         const struct rf_jval *content)
{
    if (!content || content->type == RF_JNULL ||
        (content->type == RF_JARRAY ? content->count : content->raw.n) == 0)
        return rf_sim_bad(c, tag, "content cannot be empty if `is_error` is true");
    for (const struct rf_jval *v = content->type == RF_JARRAY ? rf_jval_first(content) : NULL; v;
         v = rf_jval_next(content, v))
        if (!rf_sim_is_type(v, "text"))
            return rf_sim_bad(c, tag, "all content must be type \"text\" if `is_error` is true");
    return true;
}

static bool take_result(struct rf_sim_messages *c, const struct block *b,
                        const struct rf_jpath *tag)
{
    const struct rf_jpath at = { .up = tag, .field = "content" };
    const struct rf_jval *content = rf_jval_get(b->v, "content");
    const struct rf_jval *failed = rf_jval_get(b->v, "is_error");
    const struct rf_sim_known_call call = { .id = rf_sim_get(c->r, b->v, "tool_use_id") };
    const struct rf_sim_known_call *known = rf_sim_call_find(&c->calls, call.id);
    bool fails = failed && failed->type == RF_JTRUE, ok = true;
    if (fails && !check_failed(c, tag, content))
        return false;
    c->r->result = known ? known : &call;
    rf_sim_see(c->r, RF_SIM_RESULT, "tool")->failed = fails;
    if (content && content->type == RF_JARRAY)
        ok = rf_sim_blocks(c, &at, content, RF_SIM_IN_RESULT);
    else if (content && content->type != RF_JNULL)
        rf_sim_see(c->r, RF_SIM_TEXT, "tool")->text = rf_jval_text(content, c->r->arena);
    c->r->result = NULL;
    return ok;
}

#define USER RF_SIM_IN_USER
#define ASSISTANT RF_SIM_IN_ASSISTANT
#define RESULT RF_SIM_IN_RESULT
#define DOCUMENT RF_SIM_IN_DOCUMENT
#define SYSTEM RF_SIM_IN_SYSTEM

static const struct rule rules[] = {
    { "text", USER | ASSISTANT | RESULT | DOCUMENT | SYSTEM,
      "type:s! text:s! cache_control:o citations:a", take_text },
    { "image", USER | RESULT | DOCUMENT, "type:s! source:o! cache_control:o transformations:o",
      take_media },
    { "document", USER | RESULT, "type:s! source:o! cache_control:o title:s context:s citations:o",
      take_media },
    { "search_result", USER | RESULT,
      "type:s! source:s! title:s! content:a! cache_control:o citations:o", take_found },
    { "container_upload", USER | ASSISTANT, "type:s! file_id:s! cache_control:o", take_upload },
    { "thinking", ASSISTANT, "type:s! thinking:s! signature:s!", take_thinking },
    { "redacted_thinking", ASSISTANT, "type:s! data:s!", take_redacted },
    { "tool_use", ASSISTANT, "type:s! id:s! name:s! input:o! cache_control:o caller:o", take_call },
    { "tool_result", USER, "type:s! tool_use_id:s! content:sa is_error:b cache_control:o",
      take_result },
    { "tool_reference", RESULT, "type:s! tool_name:s! cache_control:o", NULL },
    { "browser_state", RESULT, NULL, NULL },
    { "tool_addition", SYSTEM, NULL, NULL },
    { "tool_removal", SYSTEM, NULL, NULL },
    { "compaction", ASSISTANT, NULL, NULL },
    { "server_tool_use", ASSISTANT, NULL, NULL },
    { "mcp_tool_use", ASSISTANT, NULL, NULL },
    { "mcp_tool_result", ASSISTANT, NULL, NULL },
    { "advisor_tool_result", ASSISTANT, NULL, NULL },
    { "web_search_tool_result", ASSISTANT, NULL, NULL },
    { "web_fetch_tool_result", ASSISTANT, NULL, NULL },
    { "code_execution_tool_result", ASSISTANT, NULL, NULL },
    { "bash_code_execution_tool_result", ASSISTANT, NULL, NULL },
    { "text_editor_code_execution_tool_result", ASSISTANT, NULL, NULL },
    { "tool_search_tool_result", ASSISTANT, NULL, NULL },
};

/* "'document', 'image', …": those that may stand in such a list. */
static struct rf_str expected(struct rf_sim_messages *c, enum rf_sim_place place)
{
    struct rf_buf b;
    struct rf_str text = RF_STR("");
    struct rf_err err;
    rf_buf_init(&b, c->r->arena, 4096);
    for (size_t i = 0; i < COUNT(rules); i++)
        if (rules[i].places & (unsigned)place)
            rf_buf_addf(&b, "%s'%s'", b.n ? ", " : "", rules[i].type);
    return rf_buf_finish(&b, &text, &err) ? RF_STR("") : text;
}

static bool misplaced(struct rf_sim_messages *c, const struct block *b, const struct rule *rule,
                      struct rf_str type)
{
    if (rule && b->place == RF_SIM_IN_ASSISTANT)
        return rf_sim_bad(c, &b->at, "`%s` blocks can only be in `user` messages", rule->type);
    if (rule && b->place == RF_SIM_IN_USER)
        return rf_sim_bad(c, &b->at, "`%s` blocks can only be in `assistant` messages", rule->type);
    /* source: recorded */
    return rf_sim_bad(
        c, &b->at, "Input tag '%s' found using 'type' does not match any of the expected tags: %s",
        rf_cstr(c->r->arena, type), expected(c, b->place).p);
}

static bool check_block(struct rf_sim_messages *c, const struct block *b)
{
    if (b->v->type != RF_JOBJECT)
        return rf_sim_bad(c, &b->at, "Input should be a valid dictionary");
    if (!rf_jval_get(b->v, "type"))
        return rf_sim_bad(c, &b->at, "Unable to extract tag using discriminator 'type'");
    struct rf_str type = rf_sim_get(c->r, b->v, "type");
    const struct rule *rule = NULL;
    for (size_t i = 0; i < COUNT(rules) && !rule; i++)
        rule = rf_str_is(type, rules[i].type) ? &rules[i] : NULL;
    if (!rule || !(rule->places & (unsigned)b->place))
        return misplaced(c, b, rule, type);
    const struct rf_jpath tag = { .up = &b->at, .field = rule->type };
    c->marks += rf_jval_get(b->v, "cache_control") != NULL;
    return (!rule->members || rf_sim_object(c, &tag, b->v, rule->members)) &&
           (!rule->take || rule->take(c, b, &tag));
}

static const char *role_of(const struct rf_sim_request *r, enum rf_sim_place place)
{
    return r->result                   ? "tool"
           : place == RF_SIM_IN_SYSTEM ? "system"
           : place == ASSISTANT        ? "assistant"
                                       : "user";
}

bool rf_sim_blocks(struct rf_sim_messages *c, const struct rf_jpath *at, const struct rf_jval *list,
                   enum rf_sim_place place)
{
    size_t i = 0;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v), i++) {
        const struct block b = {
            .at = { .up = at, .index = i },
            .v = v,
            .role = role_of(c->r, place),
            .place = place,
        };
        if (!check_block(c, &b))
            return false;
    }
    return true;
}
