#include "sim/exchange.h"

#include "base/arena.h"
#include "base/clock.h"

#include <stdlib.h>

#define MAX_BODY ((size_t)200 << 20)
#define MAX_ALL_BODIES ((size_t)1 << 30)
#define BLOCK 65536

/* Room in all bodies together. */
static bool hold(struct rf_sim_bodies *b, size_t more)
{
    pthread_mutex_lock(&b->lock);
    bool fits = more <= MAX_ALL_BODIES - b->held;
    b->held += fits ? more : 0;
    pthread_mutex_unlock(&b->lock);
    return fits;
}

static void let_go(struct rf_sim_exchange *e)
{
    pthread_mutex_lock(&e->bodies->lock);
    e->bodies->held -= e->cap;
    pthread_mutex_unlock(&e->bodies->lock);
    free(e->body);
    e->body = NULL;
    e->n = e->cap = 0;
}

void rf_sim_exchange_take(struct rf_sim_exchange *e, const char *data, size_t n)
{
    if (e->refused)
        return;
    if (n > MAX_BODY - e->n) {
        e->refused = 413;
    } else if (n > e->cap - e->n) {
        size_t cap = e->cap ? e->cap : BLOCK;
        while (cap - e->n < n)
            cap *= 2;
        bool held = hold(e->bodies, cap - e->cap);
        char *grown = held ? realloc(e->body, cap) : NULL;
        e->cap = held ? cap : e->cap;
        e->body = grown ? grown : e->body;
        e->refused = grown ? 0 : 503;
    }
    if (e->refused) {
        let_go(e);
        return;
    }
    memcpy(e->body + e->n, data, n);
    e->n += n;
}

void rf_sim_exchange_answer(struct rf_sim_exchange *e, const struct rf_sim_call *call)
{
    struct rf_sim_call whole = *call;
    whole.body = (struct rf_str){ e->body ? e->body : "", e->n };
    e->arena = rf_arena_new();
    if (e->refused) {
        e->reply = (struct rf_sim_reply){ .status = e->refused, .content_type = "text/plain" };
        rf_sim_chunk(&e->reply, e->arena,
                     rf_strf(e->arena,
                             "refract sim: a body has at most %zu bytes, and all at once %zu\n",
                             MAX_BODY, MAX_ALL_BODIES));
        return;
    }
    rf_sim_answer(e->sim, &whole, e->arena, &e->reply);
}

int64_t rf_sim_exchange_wait_ms(struct rf_sim_exchange *e)
{
    for (; e->chunk < e->reply.count; e->chunk++, e->done = 0, e->due_ms = 0) {
        const struct rf_sim_chunk *c = &e->reply.chunks[e->chunk];
        int64_t now = c->delay_ms ? rf_now_ms() : 0;
        e->due_ms = e->due_ms ? e->due_ms : now + c->delay_ms;
        if (e->due_ms > now)
            return e->due_ms - now;
        if (e->done < c->bytes.n)
            return 0;
    }
    return -1;
}

size_t rf_sim_exchange_read(struct rf_sim_exchange *e, char *buf, size_t max)
{
    struct rf_str bytes = e->reply.chunks[e->chunk].bytes;
    size_t left = bytes.n - e->done, n = left < max ? left : max;
    memcpy(buf, bytes.p + e->done, n);
    e->done += n;
    return n;
}

void rf_sim_exchange_end(struct rf_sim_exchange *e)
{
    let_go(e);
    rf_arena_free(e->arena);
}
