#include "sim/files.h"

#include "base/arena.h"
#include "base/error.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST_FILES 256
#define MOST_BYTES ((size_t)256 << 20)

/* Each has an arena of its own, which goes with it. */
struct kept {
    struct rf_arena *arena; /* NULL: a free place */
    struct rf_sim_file file;
};

struct rf_sim_files {
    pthread_mutex_t lock;
    size_t bytes; /* of all */
    struct kept kept[MOST_FILES];
};

struct rf_sim_files *rf_sim_files_new(void)
{
    struct rf_sim_files *f = calloc(1, sizeof *f);
    if (!f)
        RF_NO_MEMORY();
    pthread_mutex_init(&f->lock, NULL);
    return f;
}

void rf_sim_files_free(struct rf_sim_files *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < MOST_FILES; i++)
        rf_arena_free(f->kept[i].arena);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

static struct rf_sim_file copy(const struct rf_sim_file *file, struct rf_arena *a)
{
    return (struct rf_sim_file){
        .provider = rf_str_dup(a, file->provider),
        .id = rf_str_dup(a, file->id),
        .name = rf_str_dup(a, file->name),
        .mime = rf_str_dup(a, file->mime),
        .purpose = rf_str_dup(a, file->purpose),
        .bytes = rf_str_dup(a, file->bytes),
    };
}

struct rf_str rf_sim_files_owner(struct rf_str provider)
{
    static const struct {
        const char *provider, *owner;
    } twins[] = { { "openai-chat", "openai" }, { "xai-chat", "xai" } };
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        if (rf_str_is(provider, twins[i].provider))
            return rf_str(twins[i].owner);
    return provider;
}

/* The place of a file, or NULL; called with the lock. */
static struct kept *find(struct rf_sim_files *f, struct rf_str provider, struct rf_str id)
{
    for (size_t i = 0; i < MOST_FILES; i++)
        if (f->kept[i].arena && rf_str_eq(f->kept[i].file.id, id) &&
            rf_str_eq(f->kept[i].file.provider, provider))
            return &f->kept[i];
    return NULL;
}

bool rf_sim_files_add(struct rf_sim_files *f, const struct rf_sim_file *file)
{
    bool fits = false;
    pthread_mutex_lock(&f->lock);
    for (size_t i = 0; i < MOST_FILES && !fits; i++) {
        if (f->kept[i].arena || file->bytes.n > MOST_BYTES - f->bytes)
            continue;
        f->kept[i].arena = rf_arena_new();
        f->kept[i].file = copy(file, f->kept[i].arena);
        f->bytes += file->bytes.n;
        fits = true;
    }
    pthread_mutex_unlock(&f->lock);
    return fits;
}

bool rf_sim_files_find(struct rf_sim_files *f, struct rf_str provider, struct rf_str id,
                       struct rf_arena *a, struct rf_sim_file *out)
{
    pthread_mutex_lock(&f->lock);
    const struct kept *k = find(f, provider, id);
    if (k)
        *out = copy(&k->file, a);
    pthread_mutex_unlock(&f->lock);
    return k;
}

bool rf_sim_files_meant(struct rf_sim_files *f, struct rf_str provider, struct rf_str reference,
                        struct rf_arena *a, struct rf_sim_file *out)
{
    struct rf_str owner = rf_sim_files_owner(provider), id = rf_str_behind(reference, '/');
    return rf_sim_files_find(f, owner, id, a, out);
}

bool rf_sim_files_at(struct rf_sim_files *f, struct rf_str provider, size_t i, struct rf_arena *a,
                     struct rf_sim_file *out)
{
    bool found = false;
    pthread_mutex_lock(&f->lock);
    for (size_t k = 0; k < MOST_FILES && !found; k++)
        if (f->kept[k].arena && rf_str_eq(f->kept[k].file.provider, provider) && i-- == 0) {
            *out = copy(&f->kept[k].file, a);
            found = true;
        }
    pthread_mutex_unlock(&f->lock);
    return found;
}

bool rf_sim_files_append(struct rf_sim_files *f, struct rf_str provider, struct rf_str id,
                         struct rf_str more)
{
    pthread_mutex_lock(&f->lock);
    struct kept *k = find(f, provider, id);
    bool fits = k && more.n <= MOST_BYTES - f->bytes;
    if (fits) {
        struct rf_arena *a = rf_arena_new();
        struct rf_sim_file longer = copy(&k->file, a);
        longer.bytes = rf_str_join(a, k->file.bytes, more);
        rf_arena_free(k->arena);
        *k = (struct kept){ a, longer };
        f->bytes += more.n;
    }
    pthread_mutex_unlock(&f->lock);
    return fits;
}

bool rf_sim_files_remove(struct rf_sim_files *f, struct rf_str provider, struct rf_str id)
{
    pthread_mutex_lock(&f->lock);
    struct kept *k = find(f, provider, id);
    if (k) {
        f->bytes -= k->file.bytes.n;
        rf_arena_free(k->arena);
        *k = (struct kept){ 0 };
    }
    pthread_mutex_unlock(&f->lock);
    return k;
}
