#include "gateway/setup.h"

#include "base/error.h"
#include "config/config.h"

#include <stdlib.h>

struct rf_setup rf_setup_of(const struct rf_gateway_options *o)
{
    return (struct rf_setup){ .users = 1,
                              .config = o->config,
                              .upstream = o->upstream,
                              .spares = o->spares,
                              .spare_count = o->spare_count,
                              .offline = o->offline };
}

static struct rf_setup *setup_new(const struct rf_gateway_options *o, struct rf_marks *marks)
{
    struct rf_setup *s = malloc(sizeof *s);
    size_t providers = o->config ? o->config->provider_count : 0;
    if (!s)
        RF_NO_MEMORY();
    *s = rf_setup_of(o);
    s->turns = calloc(providers + 1, sizeof *s->turns);
    if (!s->turns)
        RF_NO_MEMORY();
    s->models = rf_model_cache_new();
    s->origins = rf_model_cache_new();
    s->refused = rf_refused_new();
    s->marks = marks;
    return s;
}

void rf_setups_init(struct rf_setups *all, const struct rf_gateway_options *o)
{
    pthread_mutex_init(&all->lock, NULL);
    all->marks = rf_marks_new();
    all->current = setup_new(o, all->marks);
}

void rf_setups_release(struct rf_setups *all)
{
    rf_setup_drop(all->current);
    rf_marks_free(all->marks);
    pthread_mutex_destroy(&all->lock);
}

void rf_setups_change(struct rf_setups *all, const struct rf_gateway_options *o,
                      struct rf_config *own)
{
    struct rf_setup *old = all->current; /* nobody else changes it */
    struct rf_setup *s = setup_new(o, all->marks);
    s->own = own;
    pthread_mutex_lock(&all->lock);
    all->current = s;
    pthread_mutex_unlock(&all->lock);
    rf_setup_drop(old);
}

struct rf_setup *rf_setup_take(struct rf_setups *all)
{
    pthread_mutex_lock(&all->lock);
    struct rf_setup *s = all->current;
    s->users++;
    pthread_mutex_unlock(&all->lock);
    return s;
}

void rf_setup_drop(struct rf_setup *s)
{
    if (!s || --s->users)
        return;
    rf_model_cache_free(s->models);
    rf_model_cache_free(s->origins);
    rf_refused_free(s->refused);
    rf_config_close(s->own);
    free(s->turns);
    free(s);
}
