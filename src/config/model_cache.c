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
    atomic_uint users; /* the cache, and copies */
    struct rf_model *model;
    struct rf_str name;
    int64_t until_ms;
    struct rf_kept_model *next;
};

struct rf_model_cache {
    pthread_mutex_t lock;
    struct rf_kept_model *first;
    size_t count;
};

struct rf_model_cache *rf_model_cache_new(void)
{
    struct rf_model_cache *c = calloc(1, sizeof *c);
    if (!c)
        RF_NO_MEMORY();
    pthread_mutex_init(&c->lock, NULL);
    return c;
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
