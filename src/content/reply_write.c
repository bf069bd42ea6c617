/* A reply as an assistant message with its ending, and the ending as JSON. */
#include "base/arena.h"
#include "base/limits.h"
#include "content/reply.h"

#include <stdlib.h>

#define LEVELS_AROUND 8 /* at most, by what is written around a value of a reply */

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

/* In a message a value lies deeper than in the reply it was read from, and is to be read again. */
static bool read_value(struct rf_str text, struct rf_arena *a, const struct rf_jval **v)
{
    return !rf_jval_parse(text, a, v, NULL) &&
           !rf_jval_deeper(*v, RF_MAX_JSON_DEPTH - LEVELS_AROUND);
}

/* What was kept as JSON in pieces, as one value: JSON that a secret was taken out of is JSON still,
 * or goes. NULL where there is nothing. */
static const struct rf_jval *value_of(const char *open, const struct rf_buf *b, const char *close,
                                      struct rf_arena *a)
{
    const struct rf_jval *v;
    if (!b->n)
        return NULL;
    struct rf_str text = rf_str_join(a, rf_str_join(a, rf_str(open), text_of(b)), rf_str(close));
    return read_value(text, a, &v) ? v : NULL;
}

/* Blocks */

/* `name` is a member that is not a field, or NULL. */
static const struct rf_jval *extra_of(const struct rf_draft *d, const char *name,
                                      struct rf_str text, struct rf_arena *a)
{
    const struct rf_jmember members[] = {
        { name, name ? rf_jval_string(text, a) : NULL },
        { "extra", value_of("{", &d->extra, "}", a) },
    };
    return rf_jval_object(members, 2, a);
}

/* A thought without words is one all the same. */
static void fill_thinking(const struct rf_draft *d, struct rf_arena *a, struct rf_block *b)
{
    b->thinking = (struct rf_thinking){
        .text = text_of(&d->text),
        .signature = text_of(&d->signature),
        .redacted = d->redacted,
        .id = d->id,
        .encrypted = d->encrypted,
        .field = d->field,
    };
    b->extra = extra_of(d, d->text.n ? NULL : "thinking", RF_STR(""), a);
}

static void fill_call(const struct rf_draft *d, struct rf_arena *a, struct rf_block *b)
{
    static const struct rf_jval empty = { .type = RF_JOBJECT, .span = 1, .raw = RF_STR_INIT("{}") };
    struct rf_str text = text_of(&d->arguments);
    const struct rf_jval *v = &empty;
    bool malformed = !rf_str_blank(text) && (!read_value(text, a, &v) || v->type != RF_JOBJECT);
    b->call =
        (struct rf_tool_call){ d->id, d->name, text_of(&d->signature), malformed ? &empty : v };
    b->extra = extra_of(d, malformed ? "malformed_arguments" : NULL, text, a);
}

static void fill_opaque(const struct rf_draft *d, struct rf_str dialect, struct rf_arena *a,
                        struct rf_block *b)
{
    static const struct rf_jval nothing = { .type = RF_JNULL,
                                            .span = 1,
                                            .raw = RF_STR_INIT("null") };
    b->dialect = dialect;
    if (!read_value(d->opaque, a, &b->value))
        b->value = &nothing;
    /* what was never put together */
    b->extra = extra_of(d, d->arguments.n ? "partial" : NULL, text_of(&d->arguments), a);
}

static void fill_media(const struct rf_draft *d, struct rf_block *b)
{
    bool here = d->media.n > 0;
    b->media.source.kind = here ? RF_SOURCE_DATA : RF_SOURCE_URL;
    b->media.source.ref = here ? text_of(&d->media) : d->url;
    b->media.media_type = d->media_type;
    b->media.transcript = text_of(&d->text);
}

static void fill_block(const struct rf_draft *d, struct rf_str dialect, struct rf_arena *a,
                       struct rf_block *b)
{
    b->type = d->type;
    switch (d->type) {
    case RF_BLOCK_TEXT:
        b->text = text_of(&d->text);
        b->citations = value_of("[", &d->citations, "]", a);
        b->extra = extra_of(d, NULL, RF_STR(""), a);
        return;
    case RF_BLOCK_THINKING:
        fill_thinking(d, a, b);
        return;
    case RF_BLOCK_TOOL_CALL:
        fill_call(d, a, b);
        return;
    case RF_BLOCK_IMAGE:
    case RF_BLOCK_DOCUMENT:
    case RF_BLOCK_AUDIO:
    case RF_BLOCK_VIDEO:
        fill_media(d, b);
        b->extra = extra_of(d, NULL, RF_STR(""), a);
        return;
    case RF_BLOCK_OPAQUE:
        fill_opaque(d, dialect, a, b);
        return;
    case RF_BLOCK_JSON:
        RF_BUG("a model writes no JSON blocks");
    }
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

void rf_reply_message(struct rf_reply *r, const struct rf_reply_origin *from,
                      struct rf_message *out)
{
    struct rf_ending *ending = RF_NEW(r->arena, struct rf_ending);
    rf_reply_redact(r);
    for (size_t i = 0; i < r->count; i++)
        rf_draft_close(r, r->drafts[i]);
    if (r->count)
        qsort(r->drafts, r->count, sizeof *r->drafts, by_number);
    *ending = (struct rf_ending){
        .stop = r->stop,
        .stop_original = r->stop_original,
        .id = r->id,
        .model = r->model,
        .usage = r->usage,
        .error = r->error,
        .extra = value_of("{", &r->extra, "}", r->arena),
    };
    *out = (struct rf_message){
        .role = RF_ROLE_ASSISTANT,
        .blocks = RF_ARRAY(r->arena, struct rf_block, r->count),
        .origin_provider = from->provider,
        .origin_model = from->model,
        .ending = ending,
    };
    for (size_t i = 0; i < r->count; i++)
        if (!is_empty(r->drafts[i]))
            fill_block(r->drafts[i], from->dialect, r->arena, &out->blocks[out->block_count++]);
}

/* Endings */

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

static void write_error(const struct rf_refusal *e, struct rf_json *w)
{
    if (e->kind == RF_ERROR_NONE)
        return;
    rf_json_obj(w, "error");
    rf_json_str(w, "kind", rf_str(rf_error_kind_name(e->kind)));
    rf_json_str(w, "message", e->words);
    rf_json_str_opt(w, "code", e->code);
    rf_json_str_opt(w, "place", e->place);
    if (e->retry_after_ms >= 0)
        rf_json_int(w, "retry_after_ms", e->retry_after_ms);
    rf_json_end(w);
}

void rf_ending_write(const struct rf_ending *e, struct rf_json *w)
{
    rf_json_str(w, "stop_reason", rf_str(rf_stop_name(e->stop)));
    rf_json_str_opt(w, "stop_reason_original", e->stop_original);
    write_usage(&e->usage, w);
    rf_json_str_opt(w, "id", e->id);
    rf_json_str_opt(w, "model", e->model);
    write_error(&e->error, w);
    if (e->extra)
        rf_json_value(w, "extra", e->extra);
}
