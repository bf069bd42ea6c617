#include "content/reply.h"

#include "base/arena.h"
#include "base/limits.h"
#include "content/result.h"

const struct rf_usage rf_no_usage = {
    sizeof(struct rf_usage), -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
};

enum rf_code rf_usage_take(const struct rf_usage *given, struct rf_usage *out, struct rf_err *err)
{
    struct rf_usage own;
    enum rf_code rc = rf_struct_take(given, RF_SIZES(rf_usage, output), &own, err);
    if (rc)
        return rc;
    *out = rf_no_usage;
    memcpy(out, &own, own.size);
    out->size = sizeof *out;
    return RF_OK;
}

const char *rf_event_name(enum rf_event_type type)
{
    static const char *const names[] = {
        [RF_EVENT_BEGIN] = "begin",         [RF_EVENT_BLOCK_START] = "block_start",
        [RF_EVENT_TEXT] = "text",           [RF_EVENT_THINKING] = "thinking",
        [RF_EVENT_ARGUMENTS] = "arguments", [RF_EVENT_SIGNATURE] = "signature",
        [RF_EVENT_CITATION] = "citation",   [RF_EVENT_MEDIA] = "media",
        [RF_EVENT_BLOCK_END] = "block_end", [RF_EVENT_USAGE] = "usage",
        [RF_EVENT_STOP] = "stop",           [RF_EVENT_ERROR] = "error",
        [RF_EVENT_DONE] = "done",
    };
    return type < sizeof names / sizeof *names ? names[type] : "unknown";
}

void rf_reply_init(struct rf_reply *r, struct rf_arena *a)
{
    *r = (struct rf_reply){
        .arena = a,
        .scratch = a,
        .usage = rf_no_usage,
        .highest = INT64_MIN,
        .error = { .retry_after_ms = -1 },
    };
    rf_buf_init(&r->extra, a, RF_MAX_REPLY_BYTES);
}

/* Telling. The listener hears of a reply before the first thing that is told of it, and of a block
 * when its id and name are known, or at its first piece. */

static struct rf_str without_secrets(const struct rf_reply *r, struct rf_str text)
{
    return r->secrets ? rf_secrets_redact(r->secrets, text, r->arena) : text;
}

static void tell_at_once(struct rf_reply *r, struct rf_event e)
{
    e.size = sizeof e;
    if (!r->on_event || r->on_event(r->ctx, &e))
        return;
    r->on_event = NULL;
    if (!r->failed)
        r->failed = rf_fail(RF_ERR_IN(r->arena, r->err), RF_EINTERRUPTED, "the reply was stopped");
}

static void tell(struct rf_reply *r, struct rf_event e)
{
    if (!r->on_event)
        return;
    if (!r->begun) {
        r->begun = true;
        tell_at_once(r, (struct rf_event){
                            .type = RF_EVENT_BEGIN,
                            .id = without_secrets(r, r->id),
                            .name = without_secrets(r, r->model),
                        });
    }
    tell_at_once(r, e);
}

static void tell_of(struct rf_reply *r, const struct rf_draft *d, struct rf_event e)
{
    e.block = d->place;
    e.kind = rf_block_type_name(d->type);
    tell(r, e);
}

static void init_bufs(const struct rf_reply *r, struct rf_draft *d)
{
    struct rf_buf *const bufs[] = { &d->text,  &d->arguments, &d->signature,
                                    &d->media, &d->citations, &d->extra };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        rf_buf_init(bufs[i], r->arena, RF_MAX_REPLY_BYTES);
}

static struct rf_str called_name(const struct rf_reply *r, struct rf_str name)
{
    return r->tool_name ? rf_str_dup(r->arena, r->tool_name(r->names, name)) : name;
}

void rf_reply_draft_block(const struct rf_reply *r, const struct rf_draft *d, struct rf_block *out)
{
    rf_draft_block(d, r->origin.dialect, r->arena, out);
    if (out->type == RF_BLOCK_TOOL_CALL)
        out->call.name = called_name(r, out->call.name);
}

/* What is known before the first piece of a block that comes in pieces; NULL for the others. */
static const struct rf_block *known_of(const struct rf_reply *r, const struct rf_draft *d)
{
    struct rf_draft known = *d;
    if (rf_block_is_media(d->type) || d->type == RF_BLOCK_OPAQUE)
        return NULL;
    struct rf_block *b = RF_NEW(r->arena, struct rf_block);
    init_bufs(r, &known);
    rf_buf_add(&known.extra, (struct rf_str){ d->extra.p, d->extra.n });
    if (r->secrets && r->secrets->count)
        rf_draft_redact(r, &known);
    rf_reply_draft_block(r, &known, b);
    return b;
}

static struct rf_str told_name(const struct rf_reply *r, const struct rf_draft *d)
{
    if (d->type == RF_BLOCK_THINKING)
        return d->field;
    bool call = d->type == RF_BLOCK_TOOL_CALL;
    return without_secrets(r, call ? called_name(r, d->name) : d->name);
}

void rf_draft_start(struct rf_reply *r, struct rf_draft *d)
{
    if (d->started || !r->on_event)
        return;
    d->started = true;
    tell_of(r, d,
            (struct rf_event){
                .type = RF_EVENT_BLOCK_START,
                .id = without_secrets(r, d->id),
                .name = told_name(r, d),
                .done = known_of(r, d),
            });
}

static void tell_text(struct rf_reply *r, enum rf_event_type type, struct rf_draft *d,
                      struct rf_str text)
{
    rf_draft_start(r, d);
    tell_of(r, d, (struct rf_event){ .type = type, .text = text });
}

struct rf_draft *rf_reply_find(const struct rf_reply *r, int64_t number)
{
    if (r->last && r->last->number == number)
        return r->last;
    if (number > r->highest)
        return NULL;
    for (size_t i = r->count; i-- > 0;)
        if (r->drafts[i]->number == number)
            return r->drafts[i];
    return NULL;
}

/* One block too many is part of the last one, and of a reply that has failed. */
static struct rf_draft *one_too_many(struct rf_reply *r)
{
    if (!r->failed)
        r->failed = rf_fail(RF_ERR_IN(r->arena, r->err), RF_ELIMIT,
                            "the reply has more than %zu blocks", RF_MAX_REPLY_BLOCKS);
    return r->drafts[r->count - 1];
}

struct rf_draft *rf_reply_next_block(struct rf_reply *r, int64_t number, enum rf_block_type type)
{
    if (r->count == RF_MAX_REPLY_BLOCKS)
        return r->last = one_too_many(r);
    struct rf_draft *d = RF_NEW(r->arena, struct rf_draft);
    *d = (struct rf_draft){ .number = number, .place = r->count, .type = type, .open = true };
    init_bufs(r, d);
    *RF_PUSH(r->arena, r->drafts, r->count, r->cap) = d;
    r->highest = number > r->highest ? number : r->highest;
    return r->last = d;
}

struct rf_draft *rf_reply_block(struct rf_reply *r, int64_t number, enum rf_block_type type)
{
    struct rf_draft *d = rf_reply_find(r, number);
    return d ? r->last = d : rf_reply_next_block(r, number, type);
}

static void add(struct rf_reply *r, struct rf_buf *b, struct rf_str text)
{
    bool fits = text.n <= RF_MAX_REPLY_BYTES - r->bytes;
    if (fits)
        rf_buf_add(b, text);
    r->bytes += fits ? text.n : 0;
    if ((!fits || b->full) && !r->failed)
        r->failed = rf_fail(RF_ERR_IN(r->arena, r->err), RF_ELIMIT,
                            "the reply is over the limit of %zu bytes", (size_t)RF_MAX_REPLY_BYTES);
}

/* What of it came first stays, so that a dialect sees that there are words. */
static void add_words(struct rf_reply *r, struct rf_buf *b, struct rf_str text)
{
    if (!r->forgets || !b->n)
        add(r, b, text);
}

/* Of a text in pieces what is not the beginning of a secret. The rest is told when the draft is
 * closed. What comes later is in the message only: it could be the rest of one. */
static void tell_piece(struct rf_reply *r, enum rf_event_type type, struct rf_draft *d,
                       struct rf_redaction **redaction, struct rf_str piece)
{
    if (!r->on_event || !d->open)
        return;
    if (r->secrets && r->secrets->count) {
        if (!*redaction) {
            *redaction = RF_NEW(r->arena, struct rf_redaction);
            rf_redaction_init(*redaction, r->secrets, r->arena);
        }
        piece = rf_redaction_feed(*redaction, piece);
    }
    if (piece.n)
        tell_text(r, type, d, piece);
}

static void tell_rest(struct rf_reply *r, enum rf_event_type type, struct rf_draft *d,
                      struct rf_redaction *redaction)
{
    struct rf_str rest = redaction ? rf_redaction_end(redaction) : RF_STR("");
    if (rest.n)
        tell_text(r, type, d, rest);
}

static enum rf_event_type text_event(const struct rf_draft *d)
{
    return d->type == RF_BLOCK_THINKING ? RF_EVENT_THINKING : RF_EVENT_TEXT;
}

void rf_draft_text(struct rf_reply *r, struct rf_draft *d, struct rf_str text)
{
    if (!text.n)
        return;
    add_words(r, &d->text, text);
    tell_piece(r, text_event(d), d, &d->told_text, text);
}

void rf_draft_arguments(struct rf_reply *r, struct rf_draft *d, struct rf_str json)
{
    if (!json.n)
        return;
    add_words(r, &d->arguments, json);
    tell_piece(r, RF_EVENT_ARGUMENTS, d, &d->told_arguments, json);
}

void rf_draft_signature(struct rf_reply *r, struct rf_draft *d, struct rf_str opaque)
{
    add(r, &d->signature, opaque);
}

void rf_draft_media(struct rf_reply *r, struct rf_draft *d, struct rf_str base64)
{
    add(r, &d->media, base64);
}

void rf_draft_citation(struct rf_reply *r, struct rf_draft *d, struct rf_str json)
{
    if (d->citations.n)
        add(r, &d->citations, RF_STR(","));
    add(r, &d->citations, json);
}

/* What must go back as it came is told in one piece, since a part of it could not be redacted. */
static void tell_sealed(struct rf_reply *r, struct rf_draft *d, const struct rf_block *b)
{
    const struct rf_jval *list = b->citations;
    for (const struct rf_jval *c = list ? rf_jval_first(list) : NULL; c; c = rf_jval_next(list, c))
        tell_text(r, RF_EVENT_CITATION, d, rf_jval_compact(c, r->arena));
    struct rf_str signature =
        b->type == RF_BLOCK_TOOL_CALL ? b->call.signature : b->thinking.signature;
    if (signature.n)
        tell_text(r, RF_EVENT_SIGNATURE, d, signature);
    if (!rf_block_is_media(b->type))
        return;
    bool here = b->media.source.kind == RF_SOURCE_DATA;
    rf_draft_start(r, d);
    tell_of(r, d,
            (struct rf_event){
                .type = RF_EVENT_MEDIA,
                .name = b->media.media_type,
                .text = here ? b->media.source.ref : RF_STR(""),
                .url = here ? RF_STR("") : b->media.source.ref,
            });
}

static void tell_end(struct rf_reply *r, struct rf_draft *d)
{
    struct rf_block *b = RF_NEW(r->arena, struct rf_block);
    if (r->secrets && r->secrets->count)
        rf_draft_redact(r, d);
    if (rf_draft_is_empty(d) && !d->started)
        return;
    rf_reply_draft_block(r, d, b);
    tell_sealed(r, d, b);
    rf_draft_start(r, d);
    tell_of(r, d, (struct rf_event){ .type = RF_EVENT_BLOCK_END, .done = b });
}

void rf_draft_close(struct rf_reply *r, struct rf_draft *d)
{
    if (!d->open)
        return;
    tell_rest(r, text_event(d), d, d->told_text);
    tell_rest(r, RF_EVENT_ARGUMENTS, d, d->told_arguments);
    d->open = false;
    if (r->on_event)
        tell_end(r, d);
}

void rf_reply_stop(struct rf_reply *r, enum rf_stop stop, struct rf_str original)
{
    r->stop = stop;
    r->stop_original = rf_str_dup(r->arena, without_secrets(r, original));
    r->stopped = true;
}

/* Those that are added up by whoever counts what a key has used, and how that was made up. */
static void cap_tokens(struct rf_usage *u)
{
    int64_t *counts[] = { &u->input,       &u->output,           &u->cached,
                          &u->cache_write, &u->cache_write_hour, &u->reasoning };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (*counts[i] > RF_MAX_TOKENS)
            *counts[i] = RF_MAX_TOKENS;
}

void rf_reply_usage(struct rf_reply *r)
{
    cap_tokens(&r->usage);
    tell(r, (struct rf_event){ .type = RF_EVENT_USAGE, .usage = &r->usage });
}

void rf_reply_error(struct rf_reply *r, enum rf_error_kind kind, struct rf_str code,
                    struct rf_str words)
{
    r->error.kind = kind;
    r->error.code = rf_str_dup(r->arena, code);
    r->error.words = rf_str_dup(r->arena, without_secrets(r, words));
    r->stop = RF_STOP_ERROR;
}

void rf_reply_error_was(struct rf_reply *r, int status, const struct rf_jval *all)
{
    r->error.status = status;
    r->error.body = rf_str_dup(r->arena, without_secrets(r, rf_jval_compact(all, r->scratch)));
}

/* Why it stopped may be said more than once, and before the last blocks. */
void rf_reply_done(struct rf_reply *r, const struct rf_message *m)
{
    if (r->error.kind != RF_ERROR_NONE)
        tell(r, (struct rf_event){
                    .type = RF_EVENT_ERROR,
                    .error = r->error.kind,
                    .text = r->error.words,
                    .id = r->error.code,
                    .retry_after_ms = r->error.retry_after_ms,
                });
    else if (r->stopped)
        tell(r,
             (struct rf_event){ .type = RF_EVENT_STOP, .stop = r->stop, .text = r->stop_original });
    tell(r, (struct rf_event){ .type = RF_EVENT_DONE, .reply = m });
}

void rf_reply_keep(struct rf_reply *r, struct rf_draft *d, const char *name,
                   const struct rf_jval *v)
{
    struct rf_buf *b = d ? &d->extra : &r->extra;
    if (!v || v->type == RF_JNULL)
        return;
    if (b->n)
        add(r, b, RF_STR(","));
    add(r, b, RF_STR("\""));
    add(r, b, rf_str(name));
    add(r, b, RF_STR("\":"));
    add(r, b, rf_jval_compact(v, r->scratch));
}

void rf_reply_keep_others(struct rf_reply *r, struct rf_draft *d, const struct rf_jval *object,
                          const char *const *known)
{
    for (const struct rf_jval *k = rf_jval_first(object); k; k = rf_jval_next(object, k + 1))
        if (!k->escaped && !rf_jval_is_any(k, known))
            rf_reply_keep(r, d, rf_cstr(r->scratch, k->raw), k + 1);
}

struct rf_str rf_reply_copy(struct rf_reply *r, const struct rf_jval *v)
{
    return v && v->type == RF_JSTRING ? rf_str_dup(r->arena, rf_jval_text(v, r->scratch))
                                      : RF_STR("");
}

struct rf_str rf_reply_text(struct rf_reply *r, const struct rf_jval *v)
{
    return v && v->type == RF_JSTRING ? rf_jval_text(v, r->scratch) : RF_STR("");
}

int64_t rf_reply_count(const struct rf_jval *v)
{
    int64_t n;
    return v && rf_jval_int64(v, &n) ? n : -1;
}
