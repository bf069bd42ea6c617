#include "seen.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void broken(const char *promise, const char *fmt, ...)
{
    va_list ap;
    fprintf(stderr, "broken promise: %s: ", promise);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    abort();
}

static _Noreturn void unknown(const char *where, const struct rf_jval *v)
{
    struct rf_str raw = v ? v->raw : RF_STR("nothing");
    broken("the shape of the body", "%s: %.*s", where, RF_FMT(raw));
}

static const struct rf_jval *need(const struct rf_jval *v, const char *name, enum rf_jtype type)
{
    const struct rf_jval *found = rf_jval_get(v, name);
    if (!found || found->type != type)
        unknown(name, v);
    return found;
}

static struct rf_str need_text(struct seen_list *s, const struct rf_jval *v, const char *name)
{
    return rf_jval_text(need(v, name, RF_JSTRING), s->arena);
}

static struct rf_str any_text(struct seen_list *s, const struct rf_jval *v, const char *name)
{
    return rf_jval_get(v, name) ? need_text(s, v, name) : RF_STR("");
}

static struct seen *add(struct seen_list *s, enum seen_kind kind, struct rf_str text)
{
    struct seen *e = RF_PUSH(s->arena, s->list, s->count, s->cap);
    e->kind = kind;
    e->assistant = s->assistant;
    e->inside = s->inside;
    e->text = text;
    return e;
}

static void add_base64(struct seen_list *s, struct rf_str base64, struct rf_str label)
{
    add(s, SEEN_BASE64, base64)->label = label;
}

/* A data URL, or another one. */
static void add_url(struct seen_list *s, struct rf_str url)
{
    struct rf_str head;
    if (!rf_str_starts(url, "data:")) {
        add(s, SEEN_REF, url);
        return;
    }
    rf_str_split(&url, ',', &head);
    if (!rf_str_ends(head, ";base64"))
        broken("the shape of the body", "a data URL without base64: %.*s", RF_FMT(head));
    add_base64(s, url, (struct rf_str){ head.p + 5, head.n - 12 });
}

/* The same value, in whatever spelling of its strings. */
static bool is_same(const struct rf_jval *x, const struct rf_jval *y, struct rf_arena *a)
{
    if (x->span != y->span)
        return false;
    for (uint32_t i = 0; i < x->span; i++) {
        bool text = x[i].type == RF_JSTRING;
        if (x[i].type != y[i].type || x[i].count != y[i].count)
            return false;
        if (text && !rf_str_eq(rf_jval_text(&x[i], a), rf_jval_text(&y[i], a)))
            return false;
        if (x[i].type == RF_JNUMBER && !rf_str_eq(x[i].raw, y[i].raw))
            return false;
    }
    return true;
}

/* Did this come as it is? Each block stands there once at most. */
static bool is_opaque(struct seen_list *s, const struct rf_jval *v)
{
    for (size_t i = 0; i < s->opaque_count; i++) {
        if (!s->opaque[i] || !is_same(s->opaque[i], v, s->arena))
            continue;
        s->opaque[i] = NULL;
        return true;
    }
    return false;
}

static void find_opaque(struct seen_list *s, const struct rf_conversation *c, struct rf_str dialect)
{
    for (size_t i = 0; i < c->message_count; i++) {
        const struct rf_message *m = &c->messages[i];
        for (size_t j = 0; j < m->block_count; j++)
            if (m->blocks[j].type == RF_BLOCK_OPAQUE && rf_str_eq(m->blocks[j].dialect, dialect))
                *RF_PUSH(s->arena, s->opaque, s->opaque_count, s->opaque_cap) = m->blocks[j].value;
    }
}

/* A text, or whatever of the list of parts `part` reads. */
static void content(struct seen_list *s, const struct rf_jval *v,
                    void (*part)(struct seen_list *s, const struct rf_jval *v))
{
    if (v->type == RF_JSTRING) {
        add(s, SEEN_TEXT, rf_jval_text(v, s->arena));
        return;
    }
    if (v->type != RF_JARRAY || !v->count)
        unknown("content", v);
    for (const struct rf_jval *c = rf_jval_first(v); c; c = rf_jval_next(v, c))
        if (!is_opaque(s, c))
            part(s, c);
}

static void result(struct seen_list *s, struct rf_str id, const struct rf_jval *v,
                   void (*part)(struct seen_list *s, const struct rf_jval *v))
{
    add(s, SEEN_RESULT, id);
    s->inside = true;
    content(s, v, part);
    s->inside = false;
}

static void turn(struct seen_list *s, struct rf_str role)
{
    s->assistant = rf_str_is(role, "assistant") || rf_str_is(role, "model");
    if (!s->assistant && !rf_str_is(role, "user") && !rf_str_is(role, "tool") &&
        !rf_str_is(role, "system") && !rf_str_is(role, "developer"))
        broken("the shape of the body", "a role \"%.*s\"", RF_FMT(role));
    add(s, SEEN_TURN, role);
}

/* anthropic */

static void anthropic_source(struct seen_list *s, const struct rf_jval *v)
{
    struct rf_str type = need_text(s, v, "type");
    if (rf_str_is(type, "base64"))
        add_base64(s, need_text(s, v, "data"), need_text(s, v, "media_type"));
    else if (rf_str_is(type, "text"))
        add(s, SEEN_TEXT, need_text(s, v, "data"));
    else if (rf_str_is(type, "url"))
        add(s, SEEN_REF, need_text(s, v, "url"));
    else
        add(s, SEEN_REF, need_text(s, v, "file_id"));
}

static void anthropic_block(struct seen_list *s, const struct rf_jval *v)
{
    struct rf_str type = need_text(s, v, "type");
    if (rf_str_is(type, "text"))
        add(s, SEEN_TEXT, need_text(s, v, "text"));
    else if (rf_str_is(type, "image") || rf_str_is(type, "document"))
        anthropic_source(s, need(v, "source", RF_JOBJECT));
    else if (rf_str_is(type, "tool_use"))
        add(s, SEEN_CALL, need_text(s, v, "id"));
    else if (rf_str_is(type, "tool_result"))
        result(s, need_text(s, v, "tool_use_id"), need(v, "content", RF_JARRAY), anthropic_block);
    else if (!rf_str_ends(type, "thinking"))
        unknown("block", v);
}

/* bedrock */

static void bedrock_file(struct seen_list *s, const struct rf_jval *v)
{
    const struct rf_jval *source = need(v, "source", RF_JOBJECT);
    const struct rf_jval *s3 = rf_jval_get(source, "s3Location");
    if (s3)
        add(s, SEEN_REF, need_text(s, s3, "uri"));
    else
        add_base64(s, need_text(s, source, "bytes"), need_text(s, v, "format"));
}

static void bedrock_block(struct seen_list *s, const struct rf_jval *v)
{
    const struct rf_jval *key = rf_jval_first(v), *member = key + 1;
    if (v->type != RF_JOBJECT || v->count != 1)
        unknown("block", v);
    else if (rf_jval_is(key, "text"))
        add(s, SEEN_TEXT, rf_jval_text(member, s->arena));
    else if (rf_jval_is(key, "json"))
        add(s, SEEN_VALUE, RF_STR(""))->value = member;
    else if (rf_jval_is(key, "toolUse"))
        add(s, SEEN_CALL, need_text(s, member, "toolUseId"));
    else if (rf_jval_is(key, "toolResult"))
        result(s, need_text(s, member, "toolUseId"), need(member, "content", RF_JARRAY),
               bedrock_block);
    else if (!rf_jval_is(key, "reasoningContent"))
        bedrock_file(s, member);
}

/* gemini */

static void gemini_part(struct seen_list *s, const struct rf_jval *v);

static void gemini_response(struct seen_list *s, const struct rf_jval *v)
{
    const struct rf_jval *parts = rf_jval_get(v, "parts");
    add(s, SEEN_RESULT, need_text(s, v, "id"));
    s->inside = true;
    add(s, SEEN_VALUE, RF_STR(""))->value = need(v, "response", RF_JOBJECT);
    if (parts)
        content(s, parts, gemini_part);
    s->inside = false;
}

static void gemini_part(struct seen_list *s, const struct rf_jval *v)
{
    const struct rf_jval *data = rf_jval_get(v, "inlineData"), *file = rf_jval_get(v, "fileData");
    const struct rf_jval *call = rf_jval_get(v, "functionCall");
    const struct rf_jval *response = rf_jval_get(v, "functionResponse");
    if (data)
        add_base64(s, need_text(s, data, "data"), need_text(s, data, "mimeType"));
    else if (file)
        add(s, SEEN_REF, need_text(s, file, "fileUri"));
    else if (call)
        add(s, SEEN_CALL, need_text(s, call, "id"));
    else if (response)
        gemini_response(s, response);
    else if (!rf_jval_get(v, "thought"))
        add(s, SEEN_TEXT, need_text(s, v, "text"));
}

/* openai-chat, mistral, openai-responses */

static void openai_audio(struct seen_list *s, const struct rf_jval *v)
{
    if (v->type == RF_JSTRING)
        add_base64(s, rf_jval_text(v, s->arena), RF_STR(""));
    else
        add_base64(s, need_text(s, v, "data"), need_text(s, v, "format"));
}

static void openai_file(struct seen_list *s, const struct rf_jval *v)
{
    static const char *const members[] = { "file_data", "file_url", "file_id" };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (rf_jval_get(v, members[i])) {
            add_url(s, need_text(s, v, members[i]));
            return;
        }
    }
    unknown("file", v);
}

static void openai_part(struct seen_list *s, const struct rf_jval *v)
{
    struct rf_str type = need_text(s, v, "type");
    const struct rf_jval *member = rf_jval_get(v, rf_cstr(s->arena, type));
    if (rf_str_is(type, "text") || rf_str_is(type, "input_text"))
        add(s, SEEN_TEXT, need_text(s, v, "text"));
    else if (rf_str_is(type, "image_url") || rf_str_is(type, "video_url"))
        add_url(s, need_text(s, member, "url"));
    else if (rf_str_is(type, "document_url"))
        add_url(s, need_text(s, v, "document_url"));
    else if (rf_str_is(type, "input_image") && rf_jval_get(v, "image_url"))
        add_url(s, need_text(s, v, "image_url"));
    else if (rf_str_is(type, "input_audio"))
        openai_audio(s, member);
    else if (!rf_str_is(type, "thinking"))
        openai_file(s, member ? member : v);
}

static void calls(struct seen_list *s, const struct rf_jval *message)
{
    const struct rf_jval *list = rf_jval_get(message, "tool_calls");
    const struct rf_jval *c = list ? rf_jval_first(list) : NULL;
    for (; c; c = rf_jval_next(list, c))
        add(s, SEEN_CALL, need_text(s, c, "id"));
}

/* The system prompt stands first, where there is one. */
static bool is_prompt(struct seen_list *s, struct rf_str role)
{
    bool prompted = s->prompted;
    s->prompted = false;
    return prompted && rf_str_is(role, "system");
}

static void openai_message(struct seen_list *s, const struct rf_jval *v)
{
    struct rf_str role = need_text(s, v, "role");
    const struct rf_jval *said = rf_jval_get(v, "content");
    if (is_prompt(s, role))
        return;
    turn(s, role);
    if (rf_str_is(role, "tool"))
        result(s, need_text(s, v, "tool_call_id"), said, openai_part);
    else if (said->type != RF_JNULL || !s->assistant)
        content(s, said, openai_part);
    calls(s, v);
}

static void responses_item(struct seen_list *s, const struct rf_jval *v)
{
    if (is_opaque(s, v))
        return;
    struct rf_str type = any_text(s, v, "type");
    if (rf_str_is(type, "function_call_output")) {
        turn(s, RF_STR("tool"));
        result(s, need_text(s, v, "call_id"), rf_jval_get(v, "output"), openai_part);
    } else if (rf_str_is(type, "function_call")) {
        turn(s, RF_STR("assistant"));
        add(s, SEEN_CALL, need_text(s, v, "call_id"));
    } else if (!type.n) {
        turn(s, need_text(s, v, "role"));
        content(s, rf_jval_get(v, "content"), openai_part);
    } else if (!rf_str_is(type, "reasoning")) {
        unknown("item", v);
    }
}

/* cohere */

static void cohere_part(struct seen_list *s, const struct rf_jval *v)
{
    const struct rf_jval *document = rf_jval_get(v, "document");
    if (document)
        add(s, SEEN_TEXT, rf_jval_compact(need(document, "data", RF_JOBJECT), s->arena));
    else
        openai_part(s, v);
}

static void cohere_message(struct seen_list *s, const struct rf_jval *v)
{
    struct rf_str role = need_text(s, v, "role");
    const struct rf_jval *said = rf_jval_get(v, "content");
    if (is_prompt(s, role))
        return;
    turn(s, role);
    if (rf_str_is(role, "tool"))
        result(s, need_text(s, v, "tool_call_id"), said, cohere_part);
    else if (said || !s->assistant)
        content(s, need(v, "content", said ? said->type : RF_JSTRING), openai_part);
    if (rf_jval_get(v, "tool_plan"))
        add(s, SEEN_TEXT, need_text(s, v, "tool_plan"));
    calls(s, v);
}

/* ollama */

static void ollama_image(struct seen_list *s, const struct rf_jval *v)
{
    add_base64(s, rf_jval_text(v, s->arena), RF_STR(""));
}

static void ollama_message(struct seen_list *s, const struct rf_jval *v)
{
    struct rf_str role = need_text(s, v, "role");
    const struct rf_jval *images = rf_jval_get(v, "images");
    if (is_prompt(s, role))
        return;
    turn(s, role);
    if (rf_str_is(role, "tool"))
        add(s, SEEN_RESULT, need_text(s, v, "tool_call_id"));
    s->inside = rf_str_is(role, "tool");
    content(s, need(v, "content", RF_JSTRING), NULL);
    if (images)
        content(s, images, ollama_image);
    s->inside = false;
    calls(s, v);
}

static const struct {
    const char *dialect, *turns;
    const char *content; /* the list that a turn holds, read part by part; or NULL: */
    void (*read)(struct seen_list *s, const struct rf_jval *v);
} readers[] = {
    { "anthropic", "messages", "content", anthropic_block },
    { "bedrock", "messages", "content", bedrock_block },
    { "gemini", "contents", "parts", gemini_part },
    { "openai-chat", "messages", NULL, openai_message },
    { "mistral", "messages", NULL, openai_message },
    { "openai-responses", "input", NULL, responses_item },
    { "ollama", "messages", NULL, ollama_message },
    { "cohere", "messages", NULL, cohere_message },
};

void seen_read(struct rf_str dialect, const struct rf_jval *body, const struct rf_conversation *c,
               struct rf_arena *a, struct seen_list *out)
{
    size_t d = 0;
    *out = (struct seen_list){ .arena = a, .prompted = !rf_str_blank(c->system) };
    find_opaque(out, c, dialect);
    while (!rf_str_is(dialect, readers[d].dialect))
        if (++d == sizeof readers / sizeof *readers)
            broken("the shape of the body", "no reader for %.*s", RF_FMT(dialect));
    const struct rf_jval *turns = need(body, readers[d].turns, RF_JARRAY);
    for (const struct rf_jval *v = rf_jval_first(turns); v; v = rf_jval_next(turns, v)) {
        if (readers[d].content) {
            turn(out, need_text(out, v, "role"));
            content(out, need(v, readers[d].content, RF_JARRAY), readers[d].read);
        } else {
            readers[d].read(out, v);
        }
    }
}
