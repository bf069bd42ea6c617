/* What is said in a conversation, for people's eyes: block by block, in the order in which a
 * model reads them. It copies nothing, and it cleans nothing: whoever prints a saying does that. */
#include "content/message.h"

#include "base/str.h"

struct walk {
    bool (*each)(void *ctx, const struct rf_saying *s);
    void *ctx;
    struct rf_saying common; /* what all sayings of a message have */
    bool any, stopped;
};

static void tell(struct walk *w, const struct rf_saying *s)
{
    w->stopped = w->stopped || !w->each(w->ctx, s);
    w->any = true;
}

static void tell_text(struct walk *w, const char *type, struct rf_str text)
{
    struct rf_saying s = w->common;
    s.type = type;
    s.text = text;
    if (text.n)
        tell(w, &s);
}

static void tell_value(struct walk *w, const char *type, const struct rf_jval *value)
{
    if (value)
        tell_text(w, type, value->raw);
}

static void tell_media(struct walk *w, const struct rf_block *b)
{
    const struct rf_media *m = &b->media;
    struct rf_saying s = w->common;
    s.type = rf_block_type_name(b->type);
    s.text = b->text_fallback;
    s.id = m->id;
    s.name = m->name;
    s.media_type = m->media_type;
    if (m->source.blob.n)
        s.source = m->source.blob;
    else if (m->source.kind != RF_SOURCE_DATA && m->source.kind != RF_SOURCE_BYTES)
        s.source = m->source.ref;
    s.bytes = m->size_bytes;
    s.width = m->width;
    s.height = m->height;
    s.pages = m->page_count;
    s.duration_ms = m->duration_ms;
    tell(w, &s);
}

static void tell_call(struct walk *w, const struct rf_tool_call *call)
{
    struct rf_saying s = w->common;
    s.type = rf_block_type_name(RF_BLOCK_TOOL_CALL);
    s.tool = call->name;
    s.text = call->arguments ? call->arguments->raw : RF_STR("{}");
    tell(w, &s);
}

static void tell_block(struct walk *w, const struct rf_block *b)
{
    const char *type = rf_block_type_name(b->type);
    switch (b->type) {
    case RF_BLOCK_TEXT:
        tell_text(w, type, b->text);
        return;
    case RF_BLOCK_THINKING:
        tell_text(w, type, b->thinking.text);
        return;
    case RF_BLOCK_JSON:
        tell_value(w, type, b->value);
        return;
    case RF_BLOCK_OPAQUE:
        tell_text(w, type, b->text_fallback.n ? b->text_fallback : b->dialect);
        return;
    case RF_BLOCK_TOOL_CALL:
        tell_call(w, &b->call);
        return;
    case RF_BLOCK_IMAGE:
    case RF_BLOCK_DOCUMENT:
    case RF_BLOCK_AUDIO:
    case RF_BLOCK_VIDEO:
        tell_media(w, b);
        return;
    }
}

static void tell_message(struct walk *w, const struct rf_message *m)
{
    w->common.role = rf_speaker_name(m->role, m->speaker);
    w->common.provider = m->origin_provider;
    w->common.model = m->origin_model;
    w->common.tool = m->name;
    w->any = false;
    tell_text(w, "text", m->output);
    tell_text(w, "error", m->error);
    tell_value(w, "json", m->data);
    for (size_t i = 0; i < m->block_count; i++)
        tell_block(w, &m->blocks[i]);
    if (!w->any)
        tell(w, &w->common);
}

void rf_conversation_sayings(const struct rf_conversation *c,
                             bool (*each)(void *ctx, const struct rf_saying *s), void *ctx)
{
    struct walk w = { .each = each, .ctx = ctx };
    for (size_t i = 0; i < c->message_count && !w.stopped; i++) {
        w.common = (struct rf_saying){ .message = i };
        tell_message(&w, &c->messages[i]);
    }
}
