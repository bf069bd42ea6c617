#include "content/events.h"

#include "content/block.h"

struct telling {
    rf_on_event *on_event;
    void *ctx;
    bool stopped;
};

static void tell(struct telling *t, struct rf_event e)
{
    e.size = sizeof e;
    if (!t->stopped)
        t->stopped = !t->on_event(t->ctx, &e);
}

struct place {
    size_t index;
    const struct rf_block *block;
};

static void tell_of(struct telling *t, const struct place *p, struct rf_event e)
{
    e.block = p->index;
    e.kind = rf_block_type_name(p->block->type);
    tell(t, e);
}

static void tell_text(struct telling *t, const struct place *p, enum rf_event_type type,
                      struct rf_str text)
{
    if (text.n)
        tell_of(t, p, (struct rf_event){ .type = type, .text = text });
}

static void tell_media(struct telling *t, const struct place *p)
{
    const struct rf_media *m = &p->block->media;
    bool here = m->source.kind == RF_SOURCE_DATA;
    tell_text(t, p, RF_EVENT_TEXT, m->transcript);
    tell_of(t, p,
            (struct rf_event){
                .type = RF_EVENT_MEDIA,
                .name = m->media_type,
                .text = here ? m->source.ref : RF_STR(""),
                .url = m->source.kind == RF_SOURCE_URL ? m->source.ref : RF_STR(""),
            });
}

static void tell_pieces(struct telling *t, const struct place *p, struct rf_arena *a)
{
    const struct rf_block *b = p->block;
    const struct rf_jval *list = b->citations;
    switch (b->type) {
    case RF_BLOCK_TEXT:
        tell_text(t, p, RF_EVENT_TEXT, b->text);
        for (const struct rf_jval *c = list ? rf_jval_first(list) : NULL; c;
             c = rf_jval_next(list, c))
            tell_text(t, p, RF_EVENT_CITATION, rf_jval_compact(c, a));
        return;
    case RF_BLOCK_THINKING:
        tell_text(t, p, RF_EVENT_THINKING, b->thinking.text);
        tell_text(t, p, RF_EVENT_SIGNATURE, b->thinking.signature);
        return;
    case RF_BLOCK_TOOL_CALL:
        tell_text(t, p, RF_EVENT_ARGUMENTS, rf_call_arguments(b, a));
        tell_text(t, p, RF_EVENT_SIGNATURE, b->call.signature);
        return;
    case RF_BLOCK_IMAGE:
    case RF_BLOCK_DOCUMENT:
    case RF_BLOCK_AUDIO:
    case RF_BLOCK_VIDEO:
        tell_media(t, p);
        return;
    case RF_BLOCK_JSON:
    case RF_BLOCK_OPAQUE:
        return;
    }
}

static void tell_ending(struct telling *t, const struct rf_ending *e)
{
    if (e->error.kind != RF_ERROR_NONE)
        tell(t, (struct rf_event){
                    .type = RF_EVENT_ERROR,
                    .error = e->error.kind,
                    .text = e->error.words,
                    .id = e->error.code,
                    .retry_after_ms = e->error.retry_after_ms,
                });
    else
        tell(t,
             (struct rf_event){ .type = RF_EVENT_STOP, .stop = e->stop, .text = e->stop_original });
    tell(t, (struct rf_event){ .type = RF_EVENT_USAGE, .usage = &e->usage });
}

void rf_message_events(const struct rf_message *m, struct rf_arena *a, rf_on_event *on_event,
                       void *ctx)
{
    struct telling t = { .on_event = on_event, .ctx = ctx };
    const struct rf_ending *e = m->ending;
    tell(&t, (struct rf_event){ .type = RF_EVENT_BEGIN, .id = e->id, .name = e->model });
    for (size_t i = 0; i < m->block_count; i++) {
        const struct rf_block *b = &m->blocks[i];
        const struct place p = { i, b };
        tell_of(&t, &p,
                (struct rf_event){
                    .type = RF_EVENT_BLOCK_START,
                    .id = b->call.id,
                    .name = b->type == RF_BLOCK_THINKING ? b->thinking.field : b->call.name,
                    .done = b,
                });
        tell_pieces(&t, &p, a);
        tell_of(&t, &p, (struct rf_event){ .type = RF_EVENT_BLOCK_END, .done = b });
    }
    tell_ending(&t, e);
    tell(&t, (struct rf_event){ .type = RF_EVENT_DONE, .reply = m });
}
