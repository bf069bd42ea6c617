/* A reply as a neutral assistant message. */
#include "base/arena.h"
#include "content/reply.h"

#include <stdlib.h>

const char *rf_stop_name(enum rf_stop s)
{
    switch (s) {
    case RF_STOP_UNKNOWN:
        break;
    case RF_STOP_END:
        return "end";
    case RF_STOP_TOOL:
        return "tool_calls";
    case RF_STOP_LENGTH:
        return "length";
    case RF_STOP_SEQUENCE:
        return "stop_sequence";
    case RF_STOP_REFUSED:
        return "refusal";
    case RF_STOP_PAUSED:
        return "paused";
    case RF_STOP_MALFORMED:
        return "malformed";
    case RF_STOP_ERROR:
        return "error";
    }
    return "unknown";
}

const char *rf_error_kind_name(enum rf_error_kind k)
{
    switch (k) {
    case RF_ERROR_NONE:
        return "none";
    case RF_ERROR_AUTHENTICATION:
        return "authentication";
    case RF_ERROR_PERMISSION:
        return "permission";
    case RF_ERROR_RATE_LIMIT:
        return "rate_limit";
    case RF_ERROR_OVERLOADED:
        return "overloaded";
    case RF_ERROR_CONTEXT_TOO_LONG:
        return "context_too_long";
    case RF_ERROR_TOO_LARGE:
        return "too_large";
    case RF_ERROR_BAD_MEDIA:
        return "bad_media";
    case RF_ERROR_UNSUPPORTED:
        return "unsupported";
    case RF_ERROR_NOT_FOUND:
        return "not_found";
    case RF_ERROR_OTHER:
        break;
    }
    return "other";
}

static struct rf_str text_of(const struct rf_buf *b)
{
    return (struct rf_str){ b->n ? b->p : "", b->n };
}

static void write_members(struct rf_json *w, const char *key, const struct rf_buf *members)
{
    if (!members->n)
        return;
    struct rf_str open = rf_str_join(w->rope->arena, RF_STR("{"), text_of(members));
    rf_json_raw(w, key, rf_str_join(w->rope->arena, open, RF_STR("}")));
}

static void write_citations(struct rf_json *w, const struct rf_draft *d)
{
    if (!d->citations.n)
        return;
    struct rf_str open = rf_str_join(w->rope->arena, RF_STR("["), text_of(&d->citations));
    rf_json_raw(w, "citations", rf_str_join(w->rope->arena, open, RF_STR("]")));
}

/* The arguments as an object; what is none is kept as words. */
static void write_arguments(struct rf_json *w, const struct rf_draft *d, struct rf_arena *a)
{
    struct rf_str text = text_of(&d->arguments);
    const struct rf_jval *v;
    bool good = !rf_str_blank(text) && !rf_jval_parse(text, a, &v, NULL) && v->type == RF_JOBJECT;
    if (good)
        rf_json_value(w, "arguments", v);
    else
        rf_json_raw(w, "arguments", RF_STR("{}"));
    if (!good && !rf_str_blank(text))
        rf_json_str(w, "malformed_arguments", text);
}

static void write_fields(struct rf_json *w, const struct rf_draft *d, struct rf_arena *a)
{
    switch (d->type) {
    case RF_BLOCK_TEXT:
        rf_json_str(w, "text", text_of(&d->text));
        write_citations(w, d);
        break;
    case RF_BLOCK_THINKING:
        rf_json_str(w, "thinking", text_of(&d->text));
        rf_json_str_opt(w, "signature", text_of(&d->signature));
        rf_json_str_opt(w, "redacted", d->redacted);
        rf_json_str_opt(w, "id", d->id);
        rf_json_str_opt(w, "encrypted", d->encrypted);
        rf_json_str_opt(w, "field", d->field);
        break;
    case RF_BLOCK_TOOL_CALL:
        rf_json_str(w, "id", d->id);
        rf_json_str(w, "name", d->name);
        write_arguments(w, d, a);
        rf_json_str_opt(w, "signature", text_of(&d->signature));
        break;
    case RF_BLOCK_IMAGE:
    case RF_BLOCK_DOCUMENT:
    case RF_BLOCK_AUDIO:
    case RF_BLOCK_VIDEO:
        rf_json_str_opt(w, "url", d->url);
        rf_json_str_opt(w, "data", text_of(&d->media));
        rf_json_str_opt(w, "media_type", d->media_type);
        rf_json_str_opt(w, "transcript", text_of(&d->text));
        break;
    case RF_BLOCK_OPAQUE:
        rf_json_raw(w, "value", d->opaque);
        rf_json_str_opt(w, "partial", text_of(&d->arguments)); /* never put together */
        break;
    case RF_BLOCK_JSON:
        RF_BUG("a model writes no JSON blocks");
    }
}

static void write_block(struct rf_json *w, const struct rf_draft *d, struct rf_str dialect,
                        struct rf_arena *a)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", rf_str(rf_block_type_name(d->type)));
    if (d->type == RF_BLOCK_OPAQUE)
        rf_json_str(w, "dialect", dialect);
    write_fields(w, d, a);
    write_members(w, "extra", &d->extra);
    rf_json_end(w);
}

/* A block that never got anything: a text or a picture that was opened and closed. */
static bool is_empty(const struct rf_draft *d)
{
    if (rf_block_is_media(d->type))
        return !d->media.n && !d->url.n;
    return d->type == RF_BLOCK_TEXT && !d->text.n && !d->citations.n && !d->extra.n;
}

static int by_number(const void *a, const void *b)
{
    const struct rf_draft *x = *(struct rf_draft *const *)a, *y = *(struct rf_draft *const *)b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void write_content(struct rf_reply *r, struct rf_str dialect, struct rf_json *w)
{
    for (size_t i = 0; i < r->count; i++)
        rf_draft_close(r, r->drafts[i]);
    if (r->count)
        qsort(r->drafts, r->count, sizeof *r->drafts, by_number);
    rf_json_arr(w, "content");
    for (size_t i = 0; i < r->count; i++)
        if (!is_empty(r->drafts[i]))
            write_block(w, r->drafts[i], dialect, r->arena);
    rf_json_end(w);
}

static void write_usage(const struct rf_usage *u, struct rf_json *w)
{
    const struct {
        const char *name;
        int64_t n;
    } counts[] = {
        { "input_tokens", u->input },
        { "output_tokens", u->output },
        { "cached_tokens", u->cached },
        { "cache_write_tokens", u->cache_write },
        { "reasoning_tokens", u->reasoning },
        { "input_text_tokens", u->input_text },
        { "input_image_tokens", u->input_image },
        { "input_audio_tokens", u->input_audio },
        { "input_video_tokens", u->input_video },
        { "input_document_tokens", u->input_document },
        { "output_text_tokens", u->output_text },
        { "output_image_tokens", u->output_image },
        { "output_audio_tokens", u->output_audio },
    };
    rf_json_obj(w, "usage");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].n >= 0)
            rf_json_int(w, counts[i].name, counts[i].n);
    rf_json_end(w);
}

static void write_error(const struct rf_provider_error *e, struct rf_json *w)
{
    if (e->kind == RF_ERROR_NONE)
        return;
    rf_json_obj(w, "error");
    rf_json_str(w, "kind", rf_str(rf_error_kind_name(e->kind)));
    rf_json_str(w, "message", e->message);
    rf_json_str_opt(w, "code", e->code);
    rf_json_str_opt(w, "place", e->place);
    if (e->retry_after_ms >= 0)
        rf_json_int(w, "retry_after_ms", e->retry_after_ms);
    rf_json_end(w);
}

void rf_reply_write(struct rf_reply *r, const struct rf_reply_origin *from, struct rf_json *w)
{
    rf_reply_redact(r);
    rf_json_obj(w, NULL);
    rf_json_str(w, "role", RF_STR("assistant"));
    rf_json_obj(w, "origin");
    rf_json_str(w, "provider", from->provider);
    rf_json_str(w, "model", from->model);
    rf_json_end(w);
    write_content(r, from->dialect, w);
    rf_json_str(w, "stop_reason", rf_str(rf_stop_name(r->stop)));
    rf_json_str_opt(w, "stop_reason_original", r->stop_original);
    write_usage(&r->usage, w);
    rf_json_str_opt(w, "id", r->id);
    rf_json_str_opt(w, "model", r->model);
    write_error(&r->error, w);
    write_members(w, "extra", &r->extra);
    rf_json_end(w);
}
