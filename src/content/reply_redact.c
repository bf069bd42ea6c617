/* Secrets in a reply that is complete. */
#include "base/arena.h"
#include "content/reply.h"

static void redact(const struct rf_reply *r, struct rf_str *text)
{
    *text = rf_secrets_redact(r->secrets, *text, r->arena);
}

static bool holds_secret(const struct rf_reply *r, struct rf_str text)
{
    return rf_secrets_redact(r->secrets, text, r->arena).p != text.p;
}

/* As it came, or not at all. */
static void seal(const struct rf_reply *r, struct rf_str *opaque)
{
    if (holds_secret(r, *opaque))
        *opaque = RF_STR("");
}

static void seal_buf(const struct rf_reply *r, struct rf_buf *b)
{
    if (holds_secret(r, (struct rf_str){ b->p, b->n }))
        b->n = 0;
}

static void replace(struct rf_buf *b, struct rf_str text)
{
    b->n = 0;
    rf_buf_add(b, text);
}

/* False where there was none. */
static bool redact_buf(const struct rf_reply *r, struct rf_buf *b)
{
    struct rf_str text = { b->p, b->n }, clean = text;
    redact(r, &clean);
    if (clean.p != text.p)
        replace(b, clean);
    return clean.p != text.p;
}

void rf_draft_redact(const struct rf_reply *r, struct rf_draft *d)
{
    struct rf_str *const words[] = { &d->id, &d->name, &d->field, &d->media_type, &d->url };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        redact(r, words[i]);
    seal(r, &d->redacted);
    seal(r, &d->encrypted);
    seal_buf(r, &d->signature);
    seal_buf(r, &d->media);
    redact_buf(r, &d->arguments);
    if (redact_buf(r, &d->text) && d->type == RF_BLOCK_THINKING)
        d->signature.n = 0; /* it was for another text */
    redact_buf(r, &d->citations);
    redact_buf(r, &d->extra);
    redact(r, &d->opaque);
}

/* A server that complains may repeat any key. */
static void redact_error(struct rf_reply *r)
{
    struct rf_str (*without)(struct rf_str, struct rf_arena *) = r->secrets->without_shapes;
    if (r->error.kind == RF_ERROR_NONE || !without)
        return;
    r->error.words = without(r->error.words, r->arena);
    r->error.inner = without(r->error.inner, r->arena);
    r->error.code = without(r->error.code, r->arena);
    r->error.place = without(r->error.place, r->arena);
    if (r->extra.n)
        replace(&r->extra, without((struct rf_str){ r->extra.p, r->extra.n }, r->arena));
}

void rf_reply_redact(struct rf_reply *r)
{
    if (!r->secrets)
        return;
    redact_error(r);
    if (!r->secrets->count)
        return;
    struct rf_str *const words[] = { &r->id, &r->model, &r->error.code, &r->error.place,
                                     &r->error.inner };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        redact(r, words[i]);
    redact_buf(r, &r->extra);
    for (size_t i = 0; i < r->count; i++)
        rf_draft_redact(r, r->drafts[i]);
}
