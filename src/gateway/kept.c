#include "gateway/kept.h"

#include "base/arena.h"
#include "base/clock.h"
#include "model/model.h"
#include "request/request.h"

#include <refract/reply.h>

#include <stdlib.h>

#define MOST_PIECES 10000

/* While it is under way */

static struct rf_seen *seen_new(int64_t began_us)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_seen *s = RF_NEW(a, struct rf_seen);
    s->arena = a;
    s->began_us = began_us;
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

static void seen_free(struct rf_seen *s)
{
    pthread_mutex_destroy(&s->lock);
    rf_arena_free(s->arena);
}

static int64_t since(const struct rf_seen *s)
{
    return rf_now_us() - s->began_us;
}

/* What goes on with the same is one piece. */
static bool goes_on(const struct rf_seen_text *t, const char *kind, size_t block)
{
    const struct rf_seen_piece *last = t->piece_count ? &t->pieces[t->piece_count - 1] : NULL;
    return last && kind && last->kind == kind && last->block == block;
}

static void add(struct rf_seen *s, struct rf_seen_text *t, struct rf_str bytes, const char *kind,
                size_t block)
{
    bool more = goes_on(t, kind, block);
    if (!bytes.n)
        return;
    t->cut |= bytes.n > RF_SEEN_REPLY - t->n || (!more && t->piece_count == MOST_PIECES);
    if (t->cut)
        return;
    if (bytes.n > t->cap - t->n) {
        size_t cap = 2 * (t->n + bytes.n);
        t->p = rf_arena_grow(s->arena, t->p, t->cap, cap);
        t->cap = cap;
    }
    memcpy(t->p + t->n, bytes.p, bytes.n);
    t->n += bytes.n;
    if (more)
        t->pieces[t->piece_count - 1].end = t->n;
    else
        *RF_PUSH(s->arena, t->pieces, t->piece_count, t->piece_cap) =
            (struct rf_seen_piece){ since(s), t->n, kind, block };
}

static void add_locked(struct rf_seen *s, struct rf_seen_text *t, struct rf_str bytes,
                       const char *kind, size_t block)
{
    pthread_mutex_lock(&s->lock);
    add(s, t, bytes, kind, block);
    pthread_mutex_unlock(&s->lock);
}

void rf_seen_reply(struct rf_seen *s, struct rf_str bytes)
{
    if (s)
        add_locked(s, &s->sent, bytes, NULL, 0);
}

static const char text_kind[] = "text", thinking_kind[] = "thinking", call_kind[] = "call",
                  arguments_kind[] = "arguments", other_kind[] = "other", stop_kind[] = "stop",
                  again_kind[] = "again";

static void begin_block(struct rf_seen *s, const struct rf_event *e)
{
    struct rf_str kind = rf_str(e->kind);
    if (rf_str_is(kind, "tool_call"))
        add_locked(s, &s->said, e->name, call_kind, e->block);
    else if (!rf_str_is(kind, text_kind) && !rf_str_is(kind, thinking_kind))
        add_locked(s, &s->said, kind, other_kind, e->block);
}

void rf_seen_event(struct rf_seen *s, const struct rf_event *e)
{
    if (!s)
        return;
    if (e->type == RF_EVENT_BLOCK_START)
        begin_block(s, e);
    else if (e->type == RF_EVENT_TEXT)
        add_locked(s, &s->said, e->text, text_kind, e->block);
    else if (e->type == RF_EVENT_THINKING)
        add_locked(s, &s->said, e->text, thinking_kind, e->block);
    else if (e->type == RF_EVENT_ARGUMENTS)
        add_locked(s, &s->said, e->text, arguments_kind, e->block);
    else if (e->type == RF_EVENT_STOP)
        add_locked(s, &s->said, rf_str(rf_stop_name(e->stop)), stop_kind, 0);
}

void rf_seen_refused(struct rf_seen *s, const struct rf_model *m, const struct rf_refusal *r)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    *RF_PUSH(s->arena, s->refusals, s->refusal_count, s->refusal_cap) = (struct rf_seen_refusal){
        .after_us = since(s),
        .provider = rf_str_dup(s->arena, m->provider),
        .model = rf_str_dup(s->arena, m->name),
        .status = r->status,
        .kind = r->kind,
        .words = rf_str_dup(s->arena, r->words),
    };
    pthread_mutex_unlock(&s->lock);
}

void rf_seen_broken(struct rf_seen *s, const struct rf_model *m, const struct rf_err *err)
{
    const struct rf_refusal r = { .kind = RF_ERROR_OTHER, .words = rf_str(err->msg) };
    rf_seen_refused(s, m, &r);
}

void rf_seen_again(struct rf_seen *s, struct rf_str healed)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    if (s->said.n)
        add(s, &s->said, rf_str(again_kind), again_kind, s->refusal_count); /* one each */
    if (s->refusal_count) {
        struct rf_seen_refusal *last = &s->refusals[s->refusal_count - 1];
        last->again = true;
        last->healed = rf_str_dup(s->arena, healed);
    }
    pthread_mutex_unlock(&s->lock);
}

/* For viewers */

struct rf_seen_text rf_seen_since(struct rf_seen *s, const struct rf_seen_text *t, size_t from,
                                  size_t most, struct rf_arena *a)
{
    struct rf_seen_text out = { 0 };
    pthread_mutex_lock(&s->lock);
    size_t first = t->piece_count, end;
    while (first && t->pieces[first - 1].end > from)
        first--;
    out.goes_on = first < t->piece_count && from > (first ? t->pieces[first - 1].end : 0);
    for (end = first; end < t->piece_count && out.n < most; end++)
        out.n = t->pieces[end].end - from;
    out.n = out.n < most ? out.n : most;
    out.piece_count = end - first;
    out.cut = t->cut && from + out.n == t->n;
    if (out.n) {
        out.p = rf_arena_alloc(a, out.n);
        memcpy(out.p, t->p + from, out.n);
        out.pieces = RF_ARRAY(a, struct rf_seen_piece, out.piece_count);
        memcpy(out.pieces, t->pieces + first, out.piece_count * sizeof *out.pieces);
    }
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < out.piece_count; i++)
        out.pieces[i].end = i + 1 < out.piece_count ? out.pieces[i].end - from : out.n;
    return out;
}

struct rf_seen_refusal *rf_seen_refusals(struct rf_seen *s, struct rf_arena *a, size_t *count)
{
    pthread_mutex_lock(&s->lock);
    struct rf_seen_refusal *all = RF_ARRAY(a, struct rf_seen_refusal, s->refusal_count);
    *count = s->refusal_count;
    for (size_t i = 0; i < *count; i++)
        all[i] = s->refusals[i]; /* their words do not change */
    pthread_mutex_unlock(&s->lock);
    return all;
}

/* All of it */

struct rf_kept_exchange *rf_kept_new(struct rf_setup *setup, char *body, struct rf_str text,
                                     const struct rf_front *front,
                                     const struct rf_key_holder *client, int64_t began_us)
{
    struct rf_kept_exchange *k = calloc(1, sizeof *k);
    if (!k)
        RF_NO_MEMORY();
    k->users = 1;
    pthread_mutex_init(&k->lock, NULL);
    k->setup = setup;
    k->body = body;
    k->front = *front;
    k->text = text;
    k->client = rf_keyring_hold(client);
    k->seen = seen_new(began_us);
    k->bytes = sizeof *k + text.n;
    return k;
}

static size_t request_bytes(const struct rf_request *r)
{
    size_t sum = rf_arena_size(r->arena);
    for (size_t i = 0; i < rf_report_count(r); i++) {
        const struct rf_made *made = r->plan.decisions[i].made;
        for (size_t k = 0; made && k < made->count; k++)
            if (made->parts[k].asset.bytes.kind == RF_BYTES_MEMORY)
                sum += made->parts[k].asset.bytes.size;
    }
    return sum;
}

void rf_kept_end(struct rf_kept_exchange *k, const struct rf_translation *t)
{
    k->translation = *t;
    k->translation.key = NULL; /* the exchange holds the table that it is in, this does not */
    k->bytes += rf_arena_size(t->arena) + rf_arena_size(k->seen->arena) +
                (t->request ? request_bytes(t->request) : 0);
}

void rf_kept_forget_plan(struct rf_kept_exchange *k)
{
    if (k->planned)
        rf_translation_release(k->planned);
    k->planned = NULL;
}

void rf_kept_free(struct rf_kept_exchange *k)
{
    rf_kept_forget_plan(k);
    rf_keyring_drop(&k->client);
    seen_free(k->seen);
    rf_translation_release(&k->translation);
    rf_setup_drop(k->setup);
    pthread_mutex_destroy(&k->lock);
    free(k->body);
    free(k);
}

void rf_kept_drop(struct rf_kept_exchange *k)
{
    if (k && !--k->users)
        rf_kept_free(k);
}
