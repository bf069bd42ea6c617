#include "config/model_cache.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "model/model.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define KEPT_MS 1000
#define MOST 64 /* clients choose the names: with more of them, it begins anew */

/* Its model never changes; copies have its strings. */
struct rf_kept_model {
    atomic_uint users; /* the cache, copies, and who remembers something of it */
    struct rf_model *model;
    struct rf_str name;
    int64_t until_ms;
    struct rf_kept_model *next;
};

struct asked {
    struct rf_arena *arena; /* NULL: none */
    struct rf_str provider, name, address;
    int64_t until_ms;
};

struct rf_model_cache {
    pthread_mutex_t lock;
    struct rf_kept_model *first;
    size_t count;
    struct asked asked[MOST];
    size_t next_asked; /* the oldest, whose place is the next one's */
};

struct rf_model_cache *rf_model_cache_new(void)
{
    struct rf_model_cache *c = calloc(1, sizeof *c);
    if (!c)
        RF_NO_MEMORY();
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

struct rf_kept_model *rf_kept_model_hold(struct rf_kept_model *k)
{
    k->users++;
    return k;
}

void rf_kept_model_drop(struct rf_kept_model *k)
{
    if (!k || --k->users)
        return;
    rf_arena_free(k->model->arena);
    free(k);
}

/* The lock is held. */
static void drop_all(struct rf_model_cache *c)
{
    for (struct rf_kept_model *k = c->first, *next; k; k = next) {
        next = k->next;
        rf_kept_model_drop(k);
    }
    c->first = NULL;
    c->count = 0;
}

void rf_model_forget_all(struct rf_model_cache *c)
{
    pthread_mutex_lock(&c->lock);
    drop_all(c);
    pthread_mutex_unlock(&c->lock);
}

void rf_model_cache_free(struct rf_model_cache *c)
{
    if (!c)
        return;
    drop_all(c);
    for (size_t i = 0; i < MOST; i++)
        rf_arena_free(c->asked[i].arena);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* All that changes when a model is taught is its own. */
static struct rf_model *copy_of(struct rf_kept_model *k)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model *m = RF_NEW(a, struct rf_model);
    size_t facts = rf_fact_count();
    *m = *k->model;
    m->arena = a;
    m->kept = k;
    m->sources = RF_ARRAY(a, enum rf_fact_source, facts);
    memcpy(m->sources, k->model->sources, facts * sizeof *m->sources);
    if (m->taught) {
        m->taught = RF_ARRAY(a, struct rf_taught, facts);
        memcpy(m->taught, k->model->taught, facts * sizeof *m->taught);
    }
    return m;
}

/* Where `name` stands, or would; the lock is held. */
static struct rf_kept_model **place_of(struct rf_model_cache *c, struct rf_str name)
{
    struct rf_kept_model **at = &c->first;
    while (*at && !rf_str_eq((*at)->name, name))
        at = &(*at)->next;
    return at;
}

struct rf_model *rf_model_recall(struct rf_model_cache *c, struct rf_str name)
{
    int64_t now = rf_now_ms();
    pthread_mutex_lock(&c->lock);
    struct rf_kept_model *k = *place_of(c, name);
    if (k && now >= k->until_ms)
        k = NULL;
    if (k)
        k->users++;
    pthread_mutex_unlock(&c->lock);
    return k ? copy_of(k) : NULL;
}

/* The lock is held. */
static void put(struct rf_model_cache *c, struct rf_kept_model *k)
{
    struct rf_kept_model **at = place_of(c, k->name);
    if (!*at && c->count == MOST) {
        drop_all(c);
        at = &c->first;
    }
    struct rf_kept_model *before = *at;
    k->next = before ? before->next : NULL;
    *at = k;
    c->count += !before;
    rf_kept_model_drop(before);
}

struct rf_model *rf_model_keep(struct rf_model_cache *c, struct rf_str name, struct rf_model *m)
{
    struct rf_kept_model *k = calloc(1, sizeof *k);
    if (!k)
        RF_NO_MEMORY();
    k->users = 2;
    k->model = m;
    k->name = rf_str_dup(m->arena, name);
    k->until_ms = rf_now_ms() + KEPT_MS;
    pthread_mutex_lock(&c->lock);
    put(c, k);
    pthread_mutex_unlock(&c->lock);
    return copy_of(k);
}

/* Servers that were asked */

/* The lock is held. */
static struct asked *find_asked(struct rf_model_cache *c, const struct rf_model *m)
{
    for (size_t i = 0; i < MOST; i++) {
        struct asked *at = &c->asked[i];
        if (at->arena && rf_str_eq(at->provider, m->provider) && rf_str_eq(at->name, m->name) &&
            rf_str_eq(at->address, m->address))
            return at;
    }
    return NULL;
}

void rf_model_note_asked(struct rf_model_cache *c, const struct rf_model *m, int64_t for_ms)
{
    struct rf_arena *a = rf_arena_new();
    pthread_mutex_lock(&c->lock);
    struct asked *at = find_asked(c, m);
    at = at ? at : &c->asked[c->next_asked++ % MOST];
    rf_arena_free(at->arena);
    *at = (struct asked){ .arena = a,
                          .provider = rf_str_dup(a, m->provider),
                          .name = rf_str_dup(a, m->name),
                          .address = rf_str_dup(a, m->address),
                          .until_ms = rf_now_ms() + for_ms };
    pthread_mutex_unlock(&c->lock);
}

bool rf_model_was_asked(struct rf_model_cache *c, const struct rf_model *m)
{
    pthread_mutex_lock(&c->lock);
    const struct asked *at = find_asked(c, m);
    bool was = at && rf_now_ms() < at->until_ms;
    pthread_mutex_unlock(&c->lock);
    return was;
}
