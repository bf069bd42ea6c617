#include "gateway/refused.h"

#include "base/arena.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MOST_FILES 256 /* then the oldest is forgotten */
#define KEPT_MS (60 * 60 * 1000)

struct entry {
    struct rf_arena *arena; /* of its strings; NULL: the place is free */
    struct rf_str model, address;
    struct rf_withheld_file file;
    int64_t until_ms;
};

struct rf_refused {
    pthread_mutex_t lock;
    struct entry entries[MOST_FILES];
    atomic_size_t next; /* 0: there are none */
};

struct rf_refused *rf_refused_new(void)
{
    struct rf_refused *m = calloc(1, sizeof *m);
    if (!m)
        RF_NO_MEMORY();
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

void rf_refused_free(struct rf_refused *m)
{
    for (size_t i = 0; m && i < MOST_FILES; i++)
        rf_arena_free(m->entries[i].arena);
    if (m)
        pthread_mutex_destroy(&m->lock);
    free(m);
}

static bool is_of(const struct entry *e, const struct rf_model *model)
{
    return e->arena && rf_str_eq(e->file.from.provider, model->provider) &&
           rf_str_eq(e->model, model->name) && rf_str_eq(e->address, model->address);
}

static struct entry *place_for(struct rf_refused *m, const struct rf_model *model,
                               const struct rf_withheld_file *file)
{
    for (size_t i = 0; i < MOST_FILES; i++)
        if (is_of(&m->entries[i], model) && rf_str_eq(m->entries[i].file.key, file->key))
            return &m->entries[i];
    return &m->entries[m->next++ % MOST_FILES];
}

static struct rf_withheld_file copy(const struct rf_withheld_file *file, struct rf_arena *a)
{
    return (struct rf_withheld_file){ .key = rf_str_dup(a, file->key),
                                      .from = { .provider = rf_str_dup(a, file->from.provider),
                                                .reason = rf_str_dup(a, file->from.reason),
                                                .remake = file->from.remake },
                                      .size = file->size };
}

void rf_refused_add(struct rf_refused *m, const struct rf_model *model,
                    const struct rf_withheld_file *file)
{
    struct rf_arena *a = rf_arena_new();
    pthread_mutex_lock(&m->lock);
    struct entry *e = place_for(m, model, file);
    rf_arena_free(e->arena);
    *e = (struct entry){ .arena = a,
                         .model = rf_str_dup(a, model->name),
                         .address = rf_str_dup(a, model->address),
                         .file = copy(file, a),
                         .until_ms = rf_now_ms() + KEPT_MS };
    pthread_mutex_unlock(&m->lock);
}

void rf_refused_apply(struct rf_refused *m, const struct rf_model *model, struct rf_arena *a,
                      struct rf_request_options *o)
{
    struct rf_withheld_file *files = NULL;
    size_t count = 0, cap = 0;
    int64_t now_ms = rf_now_ms();
    if (!m->next)
        return;
    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < MOST_FILES; i++)
        if (is_of(&m->entries[i], model) && m->entries[i].until_ms > now_ms)
            *RF_PUSH(a, files, count, cap) = copy(&m->entries[i].file, a);
    pthread_mutex_unlock(&m->lock);
    if (!count)
        return;
    for (size_t i = 0; i < o->withheld_count; i++)
        *RF_PUSH(a, files, count, cap) = o->withheld[i];
    rf_request_options_withhold(o, files, count);
}
