/* Messages, both ways. What users and models say has `content`; what a tool returned is `output`
 * and `content_blocks`, for which `content` is accepted too: a string for the one, a list for the
 * other. They are written under their own names.
 *
 * It refuses to judge the conversation: which call a result answers is not looked at here. */
#include "content/message.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "content/block.h"
#include "content/fields.h"
#include "content/reply.h"

/* A message as its JSON is laid out. */
struct shape {
    struct rf_message m;
    struct rf_str role, speaker;
    const struct rf_jval *success, *content, *content_blocks;
};

#define AT(member) offsetof(struct shape, member)
#define STR(name, member) name, RF_FIELD_STR, AT(member), false
#define ROLE "role", RF_FIELD_STR, AT(role), true

static const struct rf_jfield user_fields[] = {
    { ROLE },
    { STR("speaker", speaker) },
    { "content", RF_FIELD_VALUE, AT(content), true },
};

static const struct rf_jfield assistant_fields[] = {
    { ROLE },
    { "origin", RF_FIELD_OBJECT, AT(m.origin), false },
    { "content", RF_FIELD_VALUE, AT(content), true },
};

static const struct rf_jfield tool_fields[] = {
    { ROLE },
    { "tool_call_id", RF_FIELD_STR, AT(m.tool_call_id), true },
    { STR("name", m.name) },
    { "success", RF_FIELD_VALUE, AT(success), false },
    { STR("output", m.output) },
    { STR("full_output", m.full_output) },
    { STR("error", m.error) },
    { STR("full_error", m.full_error) },
    { "data", RF_FIELD_VALUE, AT(m.data), false },
    { "files_changed", RF_FIELD_ARRAY, AT(m.files_changed), false },
    { "content_blocks", RF_FIELD_ARRAY, AT(content_blocks), false },
    { "content", RF_FIELD_VALUE, AT(content), false },
};

static const struct rf_jfield origin_fields[] = {
    { "provider", RF_FIELD_STR, offsetof(struct rf_message, origin_provider), false },
    { "model", RF_FIELD_STR, offsetof(struct rf_message, origin_model), false },
};

static const struct {
    const char *name;
    const struct rf_jfield *fields;
    size_t field_count;
} roles[] = {
    [RF_ROLE_USER] = { "user", RF_ROWS(user_fields) },
    [RF_ROLE_ASSISTANT] = { "assistant", RF_ROWS(assistant_fields) },
    [RF_ROLE_TOOL] = { "tool", RF_ROWS(tool_fields) },
};

static const char *const speakers[] = {
    [RF_SPEAKER_USER] = "user",
    [RF_SPEAKER_SYSTEM] = "system",
    [RF_SPEAKER_DEVELOPER] = "developer",
};

const char *rf_role_name(enum rf_role role)
{
    return roles[role].name;
}

const char *rf_speaker_name(enum rf_role role, enum rf_speaker speaker)
{
    return role == RF_ROLE_USER ? speakers[speaker] : rf_role_name(role);
}

/* Reading. `at` is the message's own place. */

static enum rf_code fail_type(const struct rf_jpath *at, const char *field, const char *want,
                              const struct rf_jval *found, struct rf_err *err)
{
    struct rf_jpath here = { .up = at, .field = field };
    return rf_fail_at(err, RF_EFORMAT, &here, "expected %s, found %s", want,
                      rf_jtype_name(found->type));
}

/* The content of a user or a model. */
static enum rf_code read_content(struct shape *s, const struct rf_jpath *at, struct rf_arena *a,
                                 struct rf_err *err)
{
    struct rf_jpath here = { .up = at, .field = "content" };
    if (s->content->type == RF_JARRAY)
        return rf_blocks_read(s->content, &here, a, &s->m, err);
    if (s->content->type != RF_JSTRING)
        return fail_type(at, "content", "a string or an array", s->content, err);
    s->m.blocks = RF_NEW(a, struct rf_block);
    s->m.blocks[0].type = RF_BLOCK_TEXT;
    s->m.blocks[0].text = rf_jval_text(s->content, a);
    s->m.block_count = 1;
    return RF_OK;
}

static enum rf_code read_user(struct shape *s, const struct rf_jpath *at, struct rf_arena *a,
                              struct rf_err *err)
{
    const struct rf_jpath here = { .up = at, .field = "speaker" };
    size_t speaker = 0;
    while (s->speaker.n && speaker < sizeof speakers / sizeof *speakers &&
           !rf_str_is(s->speaker, speakers[speaker]))
        speaker++;
    if (speaker == sizeof speakers / sizeof *speakers) {
        struct rf_str shown = rf_utf8_cut(s->speaker, RF_MAX_NAME_SHOWN);
        rf_fail_at(err, RF_EFORMAT, &here, "unknown speaker \"%.*s\"", RF_FMT(shown));
        rf_hint(err, "Use user, system or developer, or leave it out.");
        return RF_EFORMAT;
    }
    s->m.speaker = (enum rf_speaker)speaker;
    return read_content(s, at, a, err);
}

static enum rf_code read_assistant(struct shape *s, const struct rf_jpath *at, struct rf_arena *a,
                                   struct rf_err *err)
{
    struct rf_jpath here = { .up = at, .field = "origin" };
    if (s->m.origin) {
        enum rf_code rc = rf_jval_fields(s->m.origin, &here, RF_ROWS(origin_fields), a, &s->m, err);
        if (rc)
            return rc;
    }
    return read_content(s, at, a, err);
}

static enum rf_code fail_alias(const struct rf_jpath *at, const char *other, struct rf_err *err)
{
    struct rf_jpath here = { .up = at, .field = "content" };
    rf_fail_at(err, RF_EFORMAT, &here, "\"%s\" is there already", other);
    rf_hint(err, "In a tool message \"content\" is another name for \"%s\": keep one.", other);
    return RF_EFORMAT;
}

/* `content` in a tool message stands for `output` or for `content_blocks`. */
static enum rf_code read_alias(struct shape *s, const struct rf_jpath *at, struct rf_arena *a,
                               struct rf_err *err)
{
    struct rf_jpath here = { .up = at, .field = "content" };
    rf_null_is_absent(&s->content);
    if (!s->content)
        return RF_OK;
    if (s->content->type == RF_JSTRING) {
        if (s->m.output.p)
            return fail_alias(at, "output", err);
        s->m.output = rf_jval_text(s->content, a);
        return RF_OK;
    }
    if (s->content->type != RF_JARRAY)
        return fail_type(at, "content", "a string or an array", s->content, err);
    if (s->content_blocks)
        return fail_alias(at, "content_blocks", err);
    return rf_blocks_read(s->content, &here, a, &s->m, err);
}

static enum rf_code check_files_changed(const struct rf_jval *list, const struct rf_jpath *at,
                                        struct rf_err *err)
{
    struct rf_jpath field = { .up = at, .field = "files_changed" }, item = { .up = &field };
    const struct rf_jval *v = list ? rf_jval_first(list) : NULL;
    for (; v; v = rf_jval_next(list, v), item.index++) {
        if (v->type != RF_JSTRING)
            return rf_fail_at(err, RF_EFORMAT, &item, "expected a string, found %s",
                              rf_jtype_name(v->type));
    }
    return RF_OK;
}

static enum rf_code read_tool(struct shape *s, const struct rf_jpath *at, struct rf_arena *a,
                              struct rf_err *err)
{
    struct rf_jpath here = { .up = at, .field = "content_blocks" };
    rf_null_is_absent(&s->m.data);
    rf_null_is_absent(&s->success);
    if (s->success && s->success->type != RF_JTRUE && s->success->type != RF_JFALSE)
        return fail_type(at, "success", "true or false", s->success, err);
    s->m.failed = s->success && s->success->type == RF_JFALSE;
    enum rf_code rc = check_files_changed(s->m.files_changed, at, err);
    if (!rc && s->content_blocks)
        rc = rf_blocks_read(s->content_blocks, &here, a, &s->m, err);
    if (!rc)
        rc = read_alias(s, at, a, err);
    return rc;
}

static enum rf_code read_role(const struct rf_jval *v, const struct rf_jpath *at,
                              struct rf_arena *a, enum rf_role *out, struct rf_err *err)
{
    static const struct rf_jfield field[] = { { "role", RF_FIELD_STR, 0, true } };
    struct rf_str name;
    size_t role = 0;
    enum rf_code rc = rf_jval_fields(v, at, RF_ROWS(field), a, &name, err);
    if (rc)
        return rc;
    while (role < sizeof roles / sizeof *roles && !rf_str_is(name, roles[role].name))
        role++;
    if (role == sizeof roles / sizeof *roles) {
        struct rf_jpath here = { .up = at, .field = "role" };
        name = rf_utf8_cut(name, RF_MAX_NAME_SHOWN);
        rf_fail_at(err, RF_EFORMAT, &here, "unknown role \"%.*s\"", RF_FMT(name));
        rf_hint(err,
                "The roles are user, assistant and tool; \"system\" is a field of the document.");
        return RF_EFORMAT;
    }
    *out = (enum rf_role)role;
    return RF_OK;
}

static enum rf_code read_rest(struct shape *s, const struct rf_jpath *at, struct rf_arena *a,
                              struct rf_err *err)
{
    switch (s->m.role) {
    case RF_ROLE_USER:
        return read_user(s, at, a, err);
    case RF_ROLE_ASSISTANT:
        return read_assistant(s, at, a, err);
    case RF_ROLE_TOOL:
        return read_tool(s, at, a, err);
    }
    RF_BUG("message of no role");
}

enum rf_code rf_message_read(const struct rf_jval *v, const struct rf_jpath *at, struct rf_arena *a,
                             struct rf_message *out, struct rf_err *err)
{
    struct shape s = { .m.extra = v };
    enum rf_code rc = read_role(v, at, a, &s.m.role, err);
    if (rc)
        return rc;
    rc = rf_jval_fields(v, at, roles[s.m.role].fields, roles[s.m.role].field_count, a, &s, err);
    if (!rc)
        rc = read_rest(&s, at, a, err);
    if (!rc)
        *out = s.m;
    return rc;
}

enum rf_code rf_tool_message_read(const struct rf_jval *v, struct rf_arena *a,
                                  struct rf_message *out, struct rf_err *err)
{
    struct shape s = { .m = { .role = RF_ROLE_TOOL, .extra = v } };
    const size_t named = 3; /* role, tool_call_id and name */
    enum rf_code rc = rf_jval_fields(v, NULL, tool_fields + named,
                                     sizeof tool_fields / sizeof *tool_fields - named, a, &s, err);
    if (!rc)
        rc = read_tool(&s, NULL, a, err);
    if (!rc)
        *out = s.m;
    return rc;
}

/* Writing. */

static void write_origin(const struct rf_message *m, struct rf_json *w)
{
    rf_json_obj(w, "origin");
    rf_fields_write(w, RF_ROWS(origin_fields), m, m->origin);
    rf_fields_rest(w, RF_ROWS(origin_fields), m->origin);
    rf_json_end(w);
}

static void write_user(struct shape *s, struct rf_json *w)
{
    s->content = &rf_by_hand;
    if (s->m.speaker != RF_SPEAKER_USER)
        s->speaker = rf_str(speakers[s->m.speaker]);
    rf_fields_write(w, RF_ROWS(user_fields), s, s->m.extra);
    rf_blocks_write(&s->m, "content", w);
}

static void write_assistant(struct shape *s, struct rf_json *w)
{
    const struct rf_message m = s->m;
    bool has_origin = m.origin || m.origin_provider.n > 0 || m.origin_model.n > 0;
    s->m.origin = has_origin ? &rf_by_hand : NULL;
    s->content = &rf_by_hand;
    rf_fields_write(w, RF_ROWS(assistant_fields), s, m.extra);
    if (has_origin)
        write_origin(&m, w);
    rf_blocks_write(&m, "content", w);
    if (m.ending)
        rf_ending_write(m.ending, w);
}

/* false must be said; true is the default and stays where it was said. */
static const struct rf_jval *success_value(const struct rf_message *m)
{
    static const struct rf_jval no = { .type = RF_JFALSE, .span = 1, .raw = RF_STR_INIT("false") };
    const struct rf_jval *was = rf_jval_get(m->extra, "success");
    if (m->failed)
        return &no;
    return was && was->type == RF_JTRUE ? was : NULL;
}

static void write_tool(struct shape *s, struct rf_json *w)
{
    const struct rf_jval *list = rf_jval_get(s->m.extra, "content_blocks");
    const struct rf_jval *alias = rf_jval_get(s->m.extra, "content");
    bool has_blocks = s->m.block_count > 0 || (list && list->type == RF_JARRAY) ||
                      (alias && alias->type == RF_JARRAY);
    s->success = success_value(&s->m);
    s->content_blocks = has_blocks ? &rf_by_hand : NULL;
    rf_fields_write(w, RF_ROWS(tool_fields), s, s->m.extra);
    if (has_blocks)
        rf_blocks_write(&s->m, "content_blocks", w);
}

void rf_message_write(const struct rf_message *m, struct rf_json *w)
{
    struct shape s = { .m = *m, .role = rf_str(roles[m->role].name) };
    rf_json_obj(w, NULL);
    switch (m->role) {
    case RF_ROLE_USER:
        write_user(&s, w);
        break;
    case RF_ROLE_ASSISTANT:
        write_assistant(&s, w);
        break;
    case RF_ROLE_TOOL:
        write_tool(&s, w);
        break;
    }
    rf_fields_rest(w, roles[m->role].fields, roles[m->role].field_count, m->extra);
    rf_json_end(w);
}

/* Making. */

struct rf_message rf_failed_result(struct rf_str call, struct rf_str name, struct rf_str why)
{
    return (struct rf_message){
        .role = RF_ROLE_TOOL,
        .tool_call_id = call,
        .name = name,
        .failed = true,
        .error = why,
    };
}

struct rf_message rf_user_message(struct rf_str text, struct rf_block *block)
{
    *block = (struct rf_block){ .type = RF_BLOCK_TEXT, .text = text };
    return (struct rf_message){ .role = RF_ROLE_USER, .blocks = block, .block_count = 1 };
}

bool rf_conversation_calls(const struct rf_conversation *c)
{
    for (size_t i = 0; i < c->message_count; i++)
        for (size_t k = 0; k < c->messages[i].block_count; k++)
            if (c->messages[i].blocks[k].type == RF_BLOCK_TOOL_CALL)
                return true;
    return false;
}

/* Copying. */

#define IN(member) offsetof(struct rf_message, member)

struct rf_message rf_message_copy(const struct rf_message *m, struct rf_arena *a)
{
    static const size_t strings[] = {
        IN(origin_provider), IN(origin_model), IN(tool_call_id), IN(name),
        IN(output),          IN(error),        IN(full_output),  IN(full_error),
    };
    static const size_t values[] = { IN(origin), IN(data), IN(files_changed) };
    struct rf_message copy = *m;
    rf_fields_own(RF_ROWS(strings), RF_ROWS(values), a, &copy);
    copy.blocks = RF_ARRAY(a, struct rf_block, m->block_count);
    for (size_t i = 0; i < m->block_count; i++)
        copy.blocks[i] = rf_block_copy(&m->blocks[i], a);
    copy.extra = rf_fields_other(roles[m->role].fields, roles[m->role].field_count, m->extra, a);
    copy.ending = NULL;
    return copy;
}
