/* The document, both ways: version, dialect, system, tools, tool_choice, options and messages;
 * and the public functions, where each conversation owns an arena that holds its text and all
 * that was read from it.
 *
 * It refuses other versions of the format, and it never opens a file that a document names. */
#include "content/content.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "content/fields.h"
#include "content/message.h"
#include "content/options.h"

#define VERSION 1

/* A document as its JSON is laid out. */
struct shape {
    struct rf_conversation c;
    int64_t version;
    const struct rf_jval *tools, *tool_choice, *options, *messages;
};

#define AT(member) offsetof(struct shape, member)

static const struct rf_jfield document_fields[] = {
    { "refract", RF_FIELD_INT, AT(version), true },
    { "dialect", RF_FIELD_STR, AT(c.dialect), false },
    { "system", RF_FIELD_STR, AT(c.system), false },
    { "tools", RF_FIELD_ARRAY, AT(tools), false },
    { "tool_choice", RF_FIELD_VALUE, AT(tool_choice), false },
    { "options", RF_FIELD_OBJECT, AT(options), false },
    { "messages", RF_FIELD_ARRAY, AT(messages), true },
};

/* The rows of a document that are its settings: without version and messages. */
#define SETTINGS (document_fields + 1), (sizeof document_fields / sizeof *document_fields - 2)

static const struct rf_jfield tool_fields[] = {
    { "name", RF_FIELD_STR, offsetof(struct rf_tool, name), true },
    { "description", RF_FIELD_STR, offsetof(struct rf_tool, description), false },
    { "input_schema", RF_FIELD_OBJECT, offsetof(struct rf_tool, input_schema), false },
    { "strict", RF_FIELD_BOOL, offsetof(struct rf_tool, strict), false },
};

static const struct rf_jfield choice_fields[] = {
    { "name", RF_FIELD_STR, offsetof(struct rf_conversation, tool_choice_name), true },
};

static const char *const choice_names[] = {
    [RF_CHOICE_AUTO] = "auto",
    [RF_CHOICE_NONE] = "none",
    [RF_CHOICE_REQUIRED] = "required",
};

/* Reading. */

/* The version comes before everything else: another one may have other fields. */
static enum rf_code check_version(const struct rf_jval *root, struct rf_err *err)
{
    const struct rf_jpath here = { .field = "refract" };
    const struct rf_jval *v = rf_jval_get(root, "refract");
    int64_t version;
    if (v && rf_jval_int64(v, &version) && version == VERSION)
        return RF_OK;
    if (root->type != RF_JOBJECT)
        rf_fail(err, RF_EFORMAT, "expected an object, found %s", rf_jtype_name(root->type));
    else if (!v)
        rf_fail_at(err, RF_EFORMAT, &here, "the field is missing");
    else if (v->type != RF_JNUMBER)
        rf_fail_at(err, RF_EFORMAT, &here, "expected a number, found %s", rf_jtype_name(v->type));
    else
        rf_fail_at(err, RF_EFORMAT, &here, "unknown version %.*s", RF_FMT(v->raw));
    rf_hint(err, "This program reads version 1: a conversation says \"refract\": 1 at the top.");
    return RF_EFORMAT;
}

static enum rf_code read_tools(struct shape *s, struct rf_arena *a, struct rf_err *err)
{
    struct rf_jpath here = { .field = "tools" }, item = { .up = &here };
    if (!s->tools)
        return RF_OK;
    enum rf_code rc = rf_list_check(s->tools, &here, err);
    if (rc)
        return rc;
    s->c.tools = RF_ARRAY(a, struct rf_tool, s->tools->count);
    s->c.tool_count = s->tools->count;
    const struct rf_jval *v = rf_jval_first(s->tools);
    for (; v; v = rf_jval_next(s->tools, v), item.index++) {
        struct rf_tool *tool = &s->c.tools[item.index];
        tool->extra = v;
        rc = rf_jval_fields(v, &item, RF_ROWS(tool_fields), a, tool, err);
        if (rc)
            return rc;
    }
    return RF_OK;
}

static enum rf_code read_choice_name(struct shape *s, const struct rf_jpath *at, struct rf_arena *a,
                                     struct rf_err *err)
{
    struct rf_jpath here = { .up = at, .field = "name" };
    enum rf_code rc = rf_jval_fields(s->tool_choice, at, RF_ROWS(choice_fields), a, &s->c, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < s->c.tool_count; i++) {
        if (rf_str_eq(s->c.tools[i].name, s->c.tool_choice_name)) {
            s->c.tool_choice = RF_CHOICE_TOOL;
            return RF_OK;
        }
    }
    struct rf_str shown = rf_utf8_cut(s->c.tool_choice_name, RF_MAX_NAME_SHOWN);
    rf_fail_at(err, RF_EFORMAT, &here, "there is no tool \"%.*s\"", RF_FMT(shown));
    rf_hint(err, "Name one of the conversation's \"tools\".");
    return RF_EFORMAT;
}

static enum rf_code fail_choice(const struct rf_jval *v, const struct rf_jpath *at,
                                struct rf_arena *a, struct rf_err *err)
{
    if (v->type == RF_JSTRING) {
        struct rf_str shown = rf_utf8_cut(rf_jval_text(v, a), RF_MAX_NAME_SHOWN);
        rf_fail_at(err, RF_EFORMAT, at, "unknown choice \"%.*s\"", RF_FMT(shown));
    } else {
        rf_fail_at(err, RF_EFORMAT, at, "expected a string or an object, found %s",
                   rf_jtype_name(v->type));
    }
    rf_hint(err, "Use \"auto\", \"none\", \"required\" or {\"name\": \"…\"}.");
    return RF_EFORMAT;
}

static enum rf_code read_choice(struct shape *s, struct rf_arena *a, struct rf_err *err)
{
    struct rf_jpath here = { .field = "tool_choice" };
    rf_null_is_absent(&s->tool_choice);
    if (!s->tool_choice)
        return RF_OK;
    if (s->tool_choice->type == RF_JOBJECT)
        return read_choice_name(s, &here, a, err);
    for (enum rf_choice i = RF_CHOICE_AUTO; i <= RF_CHOICE_REQUIRED; i++) {
        if (rf_jval_is(s->tool_choice, choice_names[i])) {
            s->c.tool_choice = i;
            return RF_OK;
        }
    }
    return fail_choice(s->tool_choice, &here, a, err);
}

static enum rf_code read_messages(struct shape *s, struct rf_arena *a, struct rf_err *err)
{
    struct rf_jpath here = { .field = "messages" }, item = { .up = &here };
    enum rf_code rc = rf_list_check(s->messages, &here, err);
    if (rc)
        return rc;
    s->c.messages = RF_ARRAY(a, struct rf_message, s->messages->count);
    s->c.message_count = s->messages->count;
    const struct rf_jval *v = rf_jval_first(s->messages);
    for (; v; v = rf_jval_next(s->messages, v), item.index++) {
        rc = rf_message_read(v, &item, a, &s->c.messages[item.index], err);
        if (rc)
            return rc;
    }
    return RF_OK;
}

static enum rf_code read_settings(struct shape *s, struct rf_arena *a, struct rf_err *err)
{
    const struct rf_jpath options = { .field = "options" };
    enum rf_code rc = read_tools(s, a, err);
    if (!rc)
        rc = read_choice(s, a, err);
    if (!rc && s->options)
        rc = rf_options_read(s->options, &options, a, &s->c.options, err);
    return rc;
}

enum rf_code rf_settings_read(const struct rf_jval *v, struct rf_arena *a,
                              struct rf_conversation *out, struct rf_err *err)
{
    struct shape s = { .c = { .arena = a, .extra = v } };
    enum rf_code rc = rf_jval_fields(v, NULL, SETTINGS, a, &s, err);
    if (!rc)
        rc = read_settings(&s, a, err);
    if (!rc)
        *out = s.c;
    return rc;
}

enum rf_code rf_content_read(struct rf_str text, struct rf_arena *a, struct rf_conversation *out,
                             struct rf_err *err)
{
    struct shape s = { .c.arena = a };
    enum rf_code rc = rf_jval_parse(text, a, &s.c.extra, err);
    if (!rc)
        rc = check_version(s.c.extra, err);
    if (!rc)
        rc = rf_jval_fields(s.c.extra, NULL, RF_ROWS(document_fields), a, &s, err);
    if (!rc)
        rc = read_settings(&s, a, err);
    if (!rc)
        rc = read_messages(&s, a, err);
    if (!rc)
        *out = s.c;
    return rc;
}

/* Writing. */

static void write_tools(const struct rf_conversation *c, struct rf_json *w)
{
    rf_json_arr(w, "tools");
    for (size_t i = 0; i < c->tool_count; i++) {
        rf_json_obj(w, NULL);
        rf_fields_write(w, RF_ROWS(tool_fields), &c->tools[i], c->tools[i].extra);
        rf_fields_rest(w, RF_ROWS(tool_fields), c->tools[i].extra);
        rf_json_end(w);
    }
    rf_json_end(w);
}

static void write_choice(const struct rf_conversation *c, struct rf_json *w)
{
    const struct rf_jval *was = rf_jval_get(c->extra, "tool_choice");
    if (c->tool_choice != RF_CHOICE_TOOL) {
        rf_json_str(w, "tool_choice", rf_str(choice_names[c->tool_choice]));
        return;
    }
    rf_json_obj(w, "tool_choice");
    rf_fields_write(w, RF_ROWS(choice_fields), c, was);
    rf_fields_rest(w, RF_ROWS(choice_fields), was);
    rf_json_end(w);
}

static void write_messages(const struct rf_conversation *c, struct rf_json *w)
{
    rf_json_arr(w, "messages");
    for (size_t i = 0; i < c->message_count; i++)
        rf_message_write(&c->messages[i], w);
    rf_json_end(w);
}

/* The fields of the document that `fields` lists, but for its messages. */
static void write_members(const struct rf_conversation *c, const struct rf_jfield *fields,
                          size_t count, struct rf_json *w)
{
    const struct rf_jval *tools = rf_jval_get(c->extra, "tools");
    bool has_tools = c->tool_count > 0 || (tools && tools->type == RF_JARRAY);
    bool has_choice = c->tool_choice != RF_CHOICE_UNSET;
    bool has_options = rf_options_given(&c->options);
    const struct shape s = {
        .c = *c,
        .version = VERSION,
        .tools = has_tools ? &rf_by_hand : NULL,
        .tool_choice = has_choice ? &rf_by_hand : NULL,
        .options = has_options ? &rf_by_hand : NULL,
        .messages = &rf_by_hand,
    };
    rf_fields_write(w, fields, count, &s, c->extra);
    if (has_tools)
        write_tools(c, w);
    if (has_choice)
        write_choice(c, w);
    if (has_options)
        rf_options_write(&c->options, "options", w);
}

void rf_settings_write(const struct rf_conversation *c, struct rf_json *w)
{
    rf_json_obj(w, NULL);
    write_members(c, SETTINGS, w);
    rf_fields_rest(w, RF_ROWS(document_fields), c->extra);
    rf_json_end(w);
}

void rf_content_write(const struct rf_conversation *c, struct rf_json *w)
{
    rf_json_obj(w, NULL);
    write_members(c, RF_ROWS(document_fields), w);
    write_messages(c, w);
    rf_fields_rest(w, RF_ROWS(document_fields), c->extra);
    rf_json_end(w);
}

/* The public functions. */

/* Read `text`, which lies in `a`; the conversation takes the arena, also when this fails. */
static enum rf_code read_owned(struct rf_arena *a, struct rf_str text, struct rf_conversation **out,
                               struct rf_err *err)
{
    struct rf_conversation *c = RF_NEW(a, struct rf_conversation);
    enum rf_code rc = rf_content_read(text, a, c, err);
    if (rc)
        rf_arena_free(a);
    else
        *out = c;
    return rc;
}

enum rf_code rf_conversation_read(struct rf_str text, struct rf_conversation **out,
                                  struct rf_err *err)
{
    if (text.n > RF_MAX_DOCUMENT_BYTES)
        return rf_fail(err, RF_ELIMIT, "the conversation has %zu bytes, limit is %zu", text.n,
                       RF_MAX_DOCUMENT_BYTES);
    struct rf_arena *a = rf_arena_new();
    return read_owned(a, rf_str_dup(a, text), out, err);
}

enum rf_code rf_conversation_open(const char *path, struct rf_conversation **out,
                                  struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str text;
    enum rf_code rc = rf_input_read(path, RF_MAX_DOCUMENT_BYTES, a, &text, err);
    if (rc)
        rf_err_near_file(err, path);
    if (!rc)
        return read_owned(a, text, out, err);
    rf_arena_free(a);
    return rc;
}

void rf_conversation_free(struct rf_conversation *c)
{
    if (c)
        rf_arena_free(c->arena);
}

enum rf_code rf_conversation_write(struct rf_conversation *c, struct rf_str *json,
                                   struct rf_err *err)
{
    struct rf_rope rope;
    struct rf_json w;
    rf_rope_init(&rope, c->arena);
    rf_json_init(&w, &rope);
    rf_content_write(c, &w);
    enum rf_code rc = rf_json_finish(&w, err);
    if (!rc)
        rc = rf_rope_flatten(&rope, RF_MAX_DOCUMENT_BYTES, c->arena, json, err);
    return rc;
}
