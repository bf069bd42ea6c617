/* Blocks, messages and conversations that a program makes. Every constructor checks what it is
 * given, field by field, before it changes anything. Files are made in source/give.c, which can
 * look at their bytes. */
#include "content/result.h"

#include "base/arena.h"
#include "base/limits.h"
#include "content/block.h"
#include "content/fields.h"
#include "content/message.h"

/* The room in a list, which has none to spare where somebody else made it. */
static size_t at_least(size_t cap, size_t count)
{
    return cap < count ? count : cap;
}

/* Blocks. */

static struct rf_message *message_of(const struct rf_content *c)
{
    return c->of ? &c->of->messages[c->index] : c->message;
}

enum rf_code rf_content_add(struct rf_content *c, const struct rf_block *b, struct rf_err *err)
{
    const struct rf_jpath type = { .field = "type" };
    if (!c)
        return rf_fail(err, RF_EUSAGE, "there is no content to add to");
    struct rf_message *m = message_of(c);
    bool said = b->type == RF_BLOCK_THINKING || b->type == RF_BLOCK_TOOL_CALL;
    if (said && m->role != RF_ROLE_ASSISTANT)
        return rf_fail_at(err, RF_EUSAGE, &type, "\"%s\" is for assistant messages only",
                          rf_block_type_name(b->type));
    if (m->block_count >= RF_MAX_LIST)
        return rf_fail(err, RF_ELIMIT, "the message has %zu blocks, which is the limit",
                       m->block_count);
    c->block_cap = at_least(c->block_cap, m->block_count);
    *RF_PUSH(c->arena, m->blocks, m->block_count, c->block_cap) = rf_block_copy(b, c->arena);
    c->cite_cap = 0;
    return RF_OK;
}

enum rf_code rf_content_text(struct rf_content *c, struct rf_str text, struct rf_err *err)
{
    const struct rf_block b = { .type = RF_BLOCK_TEXT, .text = text };
    enum rf_code rc = rf_text_check(text, "text", err);
    return rc ? rc : rf_content_add(c, &b, err);
}

/* Add the block with a value, read from `text`, which is the field at `at`. */
static enum rf_code add_value(struct rf_content *c, struct rf_block *b, struct rf_str text,
                              const char *field, const struct rf_jval **at, struct rf_err *err)
{
    struct rf_arena *scratch = rf_arena_new();
    enum rf_code rc = rf_value_check(text, field, scratch, at, err);
    if (!rc)
        rc = rf_content_add(c, b, err);
    rf_arena_free(scratch);
    return rc;
}

enum rf_code rf_content_json(struct rf_content *c, struct rf_str value, struct rf_err *err)
{
    struct rf_block b = { .type = RF_BLOCK_JSON };
    return add_value(c, &b, value, "value", &b.value, err);
}

enum rf_code rf_content_opaque(struct rf_content *c, const char *dialect, struct rf_str value,
                               struct rf_err *err)
{
    struct rf_block b = { .type = RF_BLOCK_OPAQUE, .dialect = rf_str(dialect) };
    enum rf_code rc = rf_text_check_given(b.dialect, "dialect", err);
    return rc ? rc : add_value(c, &b, value, "value", &b.value, err);
}

/* Check strings of a struct, in the order of their names, which end with NULL. */
static enum rf_code check_all(const struct rf_str *texts, const char *const *names,
                              struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (; !rc && *names; names++)
        rc = rf_text_check(*texts++, *names, err);
    return rc;
}

enum rf_code rf_content_thinking(struct rf_content *c, const struct rf_thinking *t,
                                 struct rf_err *err)
{
    static const char *const names[] = { "text",      "signature", "redacted", "id",
                                         "encrypted", "field",     NULL };
    struct rf_block b = { .type = RF_BLOCK_THINKING };
    enum rf_code rc = rf_struct_take(t, RF_SIZES(rf_thinking, field), &b.thinking, err);
    const struct rf_thinking *given = &b.thinking;
    const struct rf_str texts[] = { given->text, given->signature, given->redacted,
                                    given->id,   given->encrypted, given->field };
    if (!rc)
        rc = check_all(texts, names, err);
    return rc ? rc : rf_content_add(c, &b, err);
}

static enum rf_code add_call(struct rf_content *c, struct rf_block *b, struct rf_str arguments,
                             struct rf_err *err)
{
    const struct rf_jpath here = { .field = "arguments" };
    const struct rf_jval **v = &b->call.arguments;
    struct rf_arena *scratch = rf_arena_new();
    enum rf_code rc = arguments.n ? rf_value_check(arguments, "arguments", scratch, v, err) : RF_OK;
    if (!rc && *v && (*v)->type != RF_JOBJECT)
        rc = rf_fail_at(err, RF_EFORMAT, &here, "expected an object, found %s",
                        rf_jtype_name((*v)->type));
    if (!rc)
        rc = rf_content_add(c, b, err);
    rf_arena_free(scratch);
    return rc;
}

enum rf_code rf_content_call(struct rf_content *c, const struct rf_call *call, struct rf_err *err)
{
    struct rf_block b = { .type = RF_BLOCK_TOOL_CALL };
    struct rf_call given;
    enum rf_code rc = rf_struct_take(call, RF_SIZES(rf_call, signature), &given, err);
    if (rc)
        return rc;
    rc = rf_text_check_given(given.id, "id", err);
    if (!rc)
        rc = rf_text_check_given(given.name, "name", err);
    if (!rc)
        rc = rf_text_check(given.signature, "signature", err);
    b.call = (struct rf_tool_call){ given.id, given.name, given.signature, NULL };
    return rc ? rc : add_call(c, &b, given.arguments, err);
}

/* Of the last block. */

/* NULL where there is none. */
static struct rf_block *last_block(struct rf_content *c, struct rf_err *err)
{
    const struct rf_message *m = c ? message_of(c) : NULL;
    if (m && m->block_count)
        return &m->blocks[m->block_count - 1];
    rf_fail(err, RF_EUSAGE, "there is no block yet");
    return NULL;
}

enum rf_code rf_content_fallback(struct rf_content *c, struct rf_str text, struct rf_err *err)
{
    struct rf_block *b = last_block(c, err);
    enum rf_code rc = b ? rf_text_check(text, "text_fallback", err) : RF_EUSAGE;
    if (!rc)
        b->text_fallback = rf_str_dup(c->arena, text);
    return rc;
}

static enum rf_code check_citation(const struct rf_jval *v, struct rf_arena *a, struct rf_err *err)
{
    struct {
        struct rf_str source, title, url, text;
        int64_t start, end;
    } seen = { 0 };
#define AT(member) (size_t)((char *)&seen.member - (char *)&seen)
    const struct rf_jfield fields[] = {
        { "source", RF_FIELD_STR, AT(source), false }, { "title", RF_FIELD_STR, AT(title), false },
        { "url", RF_FIELD_STR, AT(url), false },       { "text", RF_FIELD_STR, AT(text), false },
        { "start", RF_FIELD_INT, AT(start), false },   { "end", RF_FIELD_INT, AT(end), false },
    };
#undef AT
    const struct rf_jpath here = { .field = "citations" };
    return rf_jval_fields(v, &here, RF_ROWS(fields), a, &seen, err);
}

enum rf_code rf_content_cite(struct rf_content *c, struct rf_str citation, struct rf_err *err)
{
    const struct rf_jpath type = { .field = "type" };
    const struct rf_jval *v;
    struct rf_block *b = last_block(c, err);
    if (!b)
        return RF_EUSAGE;
    if (b->type != RF_BLOCK_TEXT)
        return rf_fail_at(err, RF_EUSAGE, &type, "\"%s\" has no citations",
                          rf_block_type_name(b->type));
    struct rf_arena *scratch = rf_arena_new();
    enum rf_code rc = rf_value_check(citation, "citations", scratch, &v, err);
    if (!rc)
        rc = check_citation(v, scratch, err);
    if (!rc)
        rc = rf_value_append(&b->citations, &c->cite_cap, v, c->arena, err);
    rf_arena_free(scratch);
    return rc;
}

/* Conversations. */

struct rf_conversation *rf_conversation_new(void)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation *c = RF_NEW(a, struct rf_conversation);
    c->arena = a;
    return c;
}

static enum rf_code check_room(const struct rf_conversation *c, size_t count, struct rf_err *err)
{
    if (!c)
        return rf_fail(err, RF_EUSAGE, "there is no conversation");
    if (count >= RF_MAX_LIST)
        return rf_fail(err, RF_ELIMIT, "the list has %zu elements, which is the limit", count);
    return RF_OK;
}

enum rf_code rf_conversation_system(struct rf_conversation *c, struct rf_str text,
                                    struct rf_err *err)
{
    enum rf_code rc = check_room(c, 0, err);
    if (!rc)
        rc = rf_text_check(text, "system", err);
    if (!rc)
        c->system = rf_str_dup(c->arena, text);
    return rc;
}

static enum rf_code check_tool(const struct rf_conversation *c, const struct rf_tool *t,
                               struct rf_err *err)
{
    const struct rf_jpath here = { .field = "name" };
    enum rf_code rc = rf_text_check_given(t->name, "name", err);
    if (!rc)
        rc = rf_text_check(t->description, "description", err);
    for (size_t i = 0; !rc && i < c->tool_count; i++)
        if (rf_str_eq(c->tools[i].name, t->name))
            rc = rf_fail_at(err, RF_EUSAGE, &here, "there is a tool \"%.*s\" already",
                            RF_FMT(t->name));
    return rc;
}

static enum rf_code check_schema(struct rf_str text, struct rf_arena *a, const struct rf_jval **out,
                                 struct rf_err *err)
{
    const struct rf_jpath here = { .field = "input_schema" };
    enum rf_code rc = rf_value_check(text, "input_schema", a, out, err);
    if (!rc && (*out)->type != RF_JOBJECT)
        rc = rf_fail_at(err, RF_EFORMAT, &here, "expected an object, found %s",
                        rf_jtype_name((*out)->type));
    return rc;
}

enum rf_code rf_conversation_tool(struct rf_conversation *c, struct rf_str name,
                                  struct rf_str description, struct rf_str schema,
                                  struct rf_err *err)
{
    struct rf_tool t = { .name = name, .description = description };
    enum rf_code rc = check_room(c, c ? c->tool_count : 0, err);
    if (!rc)
        rc = check_tool(c, &t, err);
    if (rc)
        return rc;
    struct rf_arena *scratch = rf_arena_new();
    if (schema.n)
        rc = check_schema(schema, scratch, &t.input_schema, err);
    if (!rc) {
        c->tool_cap = at_least(c->tool_cap, c->tool_count);
        *RF_PUSH(c->arena, c->tools, c->tool_count, c->tool_cap) = (struct rf_tool){
            .name = rf_str_dup(c->arena, name),
            .description = rf_str_dup(c->arena, description),
            .input_schema = rf_jval_copy(t.input_schema, c->arena),
        };
    }
    rf_arena_free(scratch);
    return rc;
}

static void push_message(struct rf_conversation *c, const struct rf_message *m)
{
    c->message_cap = at_least(c->message_cap, c->message_count);
    *RF_PUSH(c->arena, c->messages, c->message_count, c->message_cap) = *m;
}

static struct rf_content *begin_message(struct rf_conversation *c, const struct rf_message *m)
{
    struct rf_content *content = RF_NEW(c->arena, struct rf_content);
    *content = (struct rf_content){ .arena = c->arena, .of = c, .index = c->message_count };
    push_message(c, m);
    return content;
}

enum rf_code rf_conversation_user(struct rf_conversation *c, enum rf_speaker speaker,
                                  struct rf_content **out, struct rf_err *err)
{
    const struct rf_jpath here = { .field = "speaker" };
    const struct rf_message m = { .role = RF_ROLE_USER, .speaker = speaker };
    enum rf_code rc = check_room(c, c ? c->message_count : 0, err);
    if (!rc && speaker != RF_SPEAKER_USER && speaker != RF_SPEAKER_SYSTEM &&
        speaker != RF_SPEAKER_DEVELOPER)
        rc = rf_fail_at(err, RF_EUSAGE, &here, "unknown speaker %d", (int)speaker);
    if (!rc)
        *out = begin_message(c, &m);
    return rc;
}

enum rf_code rf_conversation_assistant(struct rf_conversation *c, struct rf_str provider,
                                       struct rf_str model, struct rf_content **out,
                                       struct rf_err *err)
{
    struct rf_message m = { .role = RF_ROLE_ASSISTANT };
    enum rf_code rc = check_room(c, c ? c->message_count : 0, err);
    if (!rc)
        rc = rf_text_check(provider, "provider", err);
    if (!rc)
        rc = rf_text_check(model, "model", err);
    if (rc)
        return rc;
    m.origin_provider = rf_str_dup(c->arena, provider);
    m.origin_model = rf_str_dup(c->arena, model);
    *out = begin_message(c, &m);
    return RF_OK;
}

enum rf_code rf_conversation_result(struct rf_conversation *c, struct rf_str call_id,
                                    struct rf_str name, const struct rf_result *r,
                                    struct rf_err *err)
{
    enum rf_code rc = check_room(c, c ? c->message_count : 0, err);
    if (!rc && !r)
        rc = rf_fail(err, RF_EUSAGE, "there is no result");
    if (!rc)
        rc = rf_text_check_given(call_id, "tool_call_id", err);
    if (!rc)
        rc = rf_text_check(name, "name", err);
    if (rc)
        return rc;
    struct rf_message m = rf_message_copy(&r->message, c->arena);
    m.tool_call_id = rf_str_dup(c->arena, call_id);
    if (name.n)
        m.name = rf_str_dup(c->arena, name);
    push_message(c, &m);
    return RF_OK;
}
