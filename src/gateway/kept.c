#include "gateway/kept.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/json_write.h"
#include "content/message.h"
#include "model/model.h"
#include "request/request.h"

#include <stdlib.h>

#define MOST_PIECES 10000

/* While it is under way */

struct rf_seen *rf_seen_new(int64_t began_us)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_seen *s = RF_NEW(a, struct rf_seen);
    s->arena = a;
    s->began_us = began_us;
    return s;
}

void rf_seen_free(struct rf_seen *s)
{
    if (s)
        rf_arena_free(s->arena);
}

static int64_t since(const struct rf_seen *s)
{
    return rf_now_us() - s->began_us;
}

void rf_seen_reply(struct rf_seen *s, struct rf_str bytes)
{
    if (!s || s->cut || !bytes.n)
        return;
    if (bytes.n > RF_SEEN_REPLY - s->reply_n || s->piece_count == MOST_PIECES) {
        s->cut = true;
        return;
    }
    if (bytes.n > s->reply_cap - s->reply_n) {
        size_t cap = 2 * (s->reply_n + bytes.n);
        s->reply = rf_arena_grow(s->arena, s->reply, s->reply_cap, cap);
        s->reply_cap = cap;
    }
    if (bytes.n)
        memcpy(s->reply + s->reply_n, bytes.p, bytes.n);
    s->reply_n += bytes.n;
    *RF_PUSH(s->arena, s->pieces, s->piece_count, s->piece_cap) =
        (struct rf_seen_piece){ since(s), s->reply_n };
}

void rf_seen_refused(struct rf_seen *s, const struct rf_model *m, const struct rf_refusal *r)
{
    if (!s)
        return;
    *RF_PUSH(s->arena, s->refusals, s->refusal_count, s->refusal_cap) = (struct rf_seen_refusal){
        .after_us = since(s),
        .provider = rf_str_dup(s->arena, m->provider),
        .model = rf_str_dup(s->arena, m->name),
        .status = r->status,
        .kind = r->kind,
        .words = rf_str_dup(s->arena, r->words),
    };
}

void rf_seen_broken(struct rf_seen *s, const struct rf_model *m, const struct rf_err *err)
{
    const struct rf_refusal r = { .kind = RF_ERROR_OTHER, .words = rf_str(err->msg) };
    rf_seen_refused(s, m, &r);
}

void rf_seen_again(struct rf_seen *s, struct rf_str healed)
{
    if (!s || !s->refusal_count)
        return;
    struct rf_seen_refusal *last = &s->refusals[s->refusal_count - 1];
    last->again = true;
    last->healed = rf_str_dup(s->arena, healed);
}

void rf_seen_message(struct rf_seen *s, const struct rf_message *m)
{
    struct rf_rope rope;
    if (!s || !m)
        return;
    struct rf_json w; /* too large to be kept with the rest */
    rf_rope_init(&rope, s->arena);
    rf_json_init(&w, &rope);
    rf_message_write(m, &w);
    if (rf_json_finish(&w, NULL) ||
        rf_rope_flatten(&rope, RF_SEEN_REPLY, s->arena, &s->message, NULL))
        s->message = RF_STR("");
}

/* When it is over */

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

struct rf_kept_exchange *rf_kept_new(struct rf_setup *setup, char *body,
                                     const struct rf_translation *t, struct rf_seen *seen)
{
    struct rf_kept_exchange *k = calloc(1, sizeof *k);
    if (!k)
        RF_NO_MEMORY();
    k->users = 1;
    pthread_mutex_init(&k->lock, NULL);
    k->setup = setup;
    k->body = body;
    k->translation = *t;
    k->seen = seen;
    k->bytes = sizeof *k + t->body.n + rf_arena_size(t->arena) + rf_arena_size(seen->arena) +
               (t->request ? request_bytes(t->request) : 0);
    return k;
}

void rf_kept_drop(struct rf_kept_exchange *k)
{
    if (!k || --k->users)
        return;
    rf_seen_free(k->seen);
    rf_translation_release(&k->translation);
    rf_setup_drop(k->setup);
    pthread_mutex_destroy(&k->lock);
    free(k->body);
    free(k);
}
