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

void rf_draft_block(const struct rf_draft *d, struct rf_str dialect, struct rf_arena *a,
                    struct rf_block *b)
{
    *b = (struct rf_block){ .type = d->type };
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

bool rf_draft_is_empty(const struct rf_draft *d)
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

void rf_reply_message(struct rf_reply *r, struct rf_message *out)
{
    struct rf_ending *ending = RF_NEW(r->arena, struct rf_ending);
    size_t *opened = RF_ARRAY(r->arena, size_t, r->count);
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
        .server = r->server,
        .usage = r->usage,
        .error = r->error,
        .extra = value_of("{", &r->extra, "}", r->arena),
        .opened = opened,
    };
    *out = (struct rf_message){
        .role = RF_ROLE_ASSISTANT,
        .blocks = RF_ARRAY(r->arena, struct rf_block, r->count),
        .origin_provider = r->origin.provider,
        .origin_model = r->origin.model,
        .ending = ending,
    };
    for (size_t i = 0; i < r->count; i++) {
        if (rf_draft_is_empty(r->drafts[i]))
            continue;
        opened[out->block_count] = r->drafts[i]->place;
        rf_reply_draft_block(r, r->drafts[i], &out->blocks[out->block_count++]);
    }
    rf_reply_done(r, out);
}

/* Endings */

static const struct count {
    const char *name;
    size_t at;
} counts[] = {
#define COUNT_OF(name, member)                  \
    {                                           \
        name, offsetof(struct rf_usage, member) \
    }
    COUNT_OF("input_tokens", input),
    COUNT_OF("output_tokens", output),
    COUNT_OF("cached_tokens", cached),
    COUNT_OF("cache_write_tokens", cache_write),
    COUNT_OF("cache_write_hour_tokens", cache_write_hour),
    COUNT_OF("reasoning_tokens", reasoning),
    COUNT_OF("input_text_tokens", input_text),
    COUNT_OF("input_image_tokens", input_image),
    COUNT_OF("input_audio_tokens", input_audio),
    COUNT_OF("input_video_tokens", input_video),
    COUNT_OF("input_document_tokens", input_document),
    COUNT_OF("output_text_tokens", output_text),
    COUNT_OF("output_image_tokens", output_image),
    COUNT_OF("output_audio_tokens", output_audio),
#undef COUNT_OF
};

#define COUNTS (sizeof counts / sizeof *counts)

static void write_usage(const struct rf_usage *u, struct rf_json *w)
{
    rf_json_obj(w, "usage");
    for (size_t i = 0; i < COUNTS; i++) {
        int64_t n = *(const int64_t *)(const void *)((const char *)u + counts[i].at);
        if (n >= 0)
            rf_json_int(w, counts[i].name, n);
    }
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

/* Reading */

static struct rf_str string_in(const struct rf_jval *object, const char *name, struct rf_arena *a)
{
    const struct rf_jval *v = rf_jval_get(object, name);
    return v && v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
}

static enum rf_stop read_stop(struct rf_str name)
{
    for (enum rf_stop s = RF_STOP_UNKNOWN; s <= RF_STOP_ERROR; s++)
        if (rf_str_is(name, rf_stop_name(s)))
            return s;
    return RF_STOP_UNKNOWN;
}

static enum rf_error_kind read_kind(struct rf_str name)
{
    for (enum rf_error_kind k = RF_ERROR_NONE; k < RF_ERROR_OTHER; k++)
        if (rf_str_is(name, rf_error_kind_name(k)))
            return k;
    return RF_ERROR_OTHER;
}

static void read_error(const struct rf_jval *v, struct rf_arena *a, struct rf_refusal *out)
{
    *out = (struct rf_refusal){ .retry_after_ms = -1 };
    if (!v || v->type != RF_JOBJECT)
        return;
    out->kind = read_kind(string_in(v, "kind", a));
    out->words = string_in(v, "message", a);
    out->code = string_in(v, "code", a);
    out->place = string_in(v, "place", a);
    out->retry_after_ms = rf_reply_count(rf_jval_get(v, "retry_after_ms"));
}

void rf_ending_read(const struct rf_jval *message, struct rf_arena *a, struct rf_ending *out)
{
    const struct rf_jval *usage = rf_jval_get(message, "usage");
    const struct rf_jval *extra = rf_jval_get(message, "extra");
    *out = (struct rf_ending){
        .stop = read_stop(string_in(message, "stop_reason", a)),
        .stop_original = string_in(message, "stop_reason_original", a),
        .id = string_in(message, "id", a),
        .model = string_in(message, "model", a),
        .usage = rf_no_usage,
        .extra = extra && extra->type == RF_JOBJECT ? extra : NULL,
    };
    for (size_t i = 0; i < COUNTS; i++)
        *(int64_t *)(void *)((char *)&out->usage + counts[i].at) =
            rf_reply_count(rf_jval_get(usage, counts[i].name));
    read_error(rf_jval_get(message, "error"), a, &out->error);
}

const struct rf_ending *rf_ending_copy(const struct rf_ending *e, struct rf_arena *a)
{
    struct rf_ending *copy = RF_NEW(a, struct rf_ending);
    *copy = *e;
    copy->stop_original = rf_str_dup(a, e->stop_original);
    copy->id = rf_str_dup(a, e->id);
    copy->model = rf_str_dup(a, e->model);
    copy->error.words = rf_str_dup(a, e->error.words);
    copy->error.inner = rf_str_dup(a, e->error.inner);
    copy->error.code = rf_str_dup(a, e->error.code);
    copy->error.place = rf_str_dup(a, e->error.place);
    copy->error.body = rf_str_dup(a, e->error.body);
    copy->extra = e->extra ? rf_jval_copy(e->extra, a) : NULL;
    copy->opened = NULL;
    return copy;
}
