/* Secrets in a reply that is complete. */
#include "base/arena.h"
#include "base/json_read.h"
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

/* False where there was none. */
static bool redact_buf(const struct rf_reply *r, struct rf_buf *b)
{
    struct rf_str text = { b->p, b->n }, clean = text;
    redact(r, &clean);
    if (clean.p == text.p)
        return false;
    b->n = 0;
    rf_buf_add(b, clean);
    return true;
}

/* JSON stays JSON, or goes. `open` and `close` are what makes it a value. */
static void redact_json(const struct rf_reply *r, struct rf_buf *b, const char *open,
                        const char *close)
{
    const struct rf_jval *root;
    if (redact_buf(r, b) &&
        rf_jval_parse(rf_strf(r->arena, "%s%.*s%s", open, (int)b->n, b->p, close), r->arena, &root,
                      NULL))
        b->n = 0;
}

static void redact_opaque(const struct rf_reply *r, struct rf_str *json)
{
    const struct rf_jval *root;
    struct rf_str text = *json;
    redact(r, json);
    if (json->p != text.p && rf_jval_parse(*json, r->arena, &root, NULL))
        *json = RF_STR("null");
}

static void redact_draft(const struct rf_reply *r, struct rf_draft *d)
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
    redact_json(r, &d->citations, "[", "]");
    redact_json(r, &d->extra, "{", "}");
    redact_opaque(r, &d->opaque);
}

void rf_reply_redact(struct rf_reply *r)
{
    if (!r->secrets || !r->secrets->count)
        return;
    struct rf_str *const words[] = { &r->id, &r->model, &r->error.code, &r->error.place };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        redact(r, words[i]);
    redact_json(r, &r->extra, "{", "}");
    for (size_t i = 0; i < r->count; i++)
        redact_draft(r, r->drafts[i]);
}
