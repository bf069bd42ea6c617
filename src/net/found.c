#include "net/found.h"

#include "base/arena.h"
#include "base/limits.h"
#include "config/model_cache.h"

#include <stdlib.h>

#define MOST RF_MAX_KEYS /* of a loop; the oldest goes first */

struct rf_found_endpoints {
    struct found {
        struct rf_kept_model *kept; /* held, so that no other comes to its address; NULL: none */
        bool stream;
        size_t key;
        struct rf_arena *arena;
        struct rf_endpoint endpoint;
    } items[MOST];
    size_t next;
};

static const char *copy_text(const char *s, struct rf_arena *a)
{
    return s ? rf_cstr(a, rf_str(s)) : NULL;
}

static struct rf_str *copy_list(const struct rf_str *list, size_t count, struct rf_arena *a)
{
    struct rf_str *copy = RF_ARRAY(a, struct rf_str, count);
    for (size_t i = 0; i < count; i++)
        copy[i] = rf_str_dup(a, list[i]);
    return copy;
}

/* It needs nothing of where `e` is; the row is the program's. */
static struct rf_endpoint copy_of(const struct rf_endpoint *e, struct rf_arena *a)
{
    struct rf_endpoint copy = *e;
    copy.url = copy_text(e->url, a);
    copy.base = copy_text(e->base, a);
    copy.key = rf_str_dup(a, e->key);
    copy.key_from = copy_text(e->key_from, a);
    copy.region = rf_str_dup(a, e->region);
    copy.headers = RF_ARRAY(a, struct rf_header, e->header_count);
    for (size_t i = 0; i < e->header_count; i++)
        copy.headers[i] = (struct rf_header){ rf_str_dup(a, e->headers[i].name),
                                              rf_str_dup(a, e->headers[i].value) };
    copy.header_secrets = copy_list(e->header_secrets, e->header_secret_count, a);
    copy.header_secret_cap = e->header_secret_count;
    copy.other_keys = copy_list(e->other_keys, e->other_key_count, a);
    copy.other_key_cap = e->other_key_count;
    return copy;
}

static void drop(struct found *f)
{
    rf_kept_model_drop(f->kept);
    rf_arena_free(f->arena);
    *f = (struct found){ .kept = NULL };
}

static const struct found *find(const struct rf_found_endpoints *all, const struct rf_model *m,
                                bool stream, size_t key)
{
    for (size_t i = 0; all && i < MOST; i++) {
        const struct found *f = &all->items[i];
        if (f->kept == m->kept && f->stream == stream && f->key == key)
            return f;
    }
    return NULL;
}

static void remember(struct rf_found_endpoints **all, const struct rf_model *m, bool stream,
                     size_t key, const struct rf_endpoint *e)
{
    struct rf_arena *a = rf_arena_new();
    if (!*all && !(*all = calloc(1, sizeof **all)))
        RF_NO_MEMORY();
    struct found *f = &(*all)->items[(*all)->next++ % MOST];
    drop(f);
    *f = (struct found){ .kept = rf_kept_model_hold(m->kept),
                         .stream = stream,
                         .key = key,
                         .arena = a,
                         .endpoint = copy_of(e, a) };
}

enum rf_code rf_found_endpoint(struct rf_found_endpoints **all, const struct rf_config *c,
                               const struct rf_model *m, bool stream, struct rf_key_choice key,
                               struct rf_arena *a, struct rf_endpoint *out, struct rf_err *err)
{
    const struct found *before = m->kept ? find(*all, m, stream, key.index) : NULL;
    if (before) {
        *out = copy_of(&before->endpoint, a);
        return RF_OK;
    }
    enum rf_code rc = rf_endpoint_find(c, m, stream, key, a, out, err);
    if (!rc && m->kept && out->lasting)
        remember(all, m, stream, key.index, out);
    return rc;
}

void rf_found_endpoints_free(struct rf_found_endpoints *all)
{
    for (size_t i = 0; all && i < MOST; i++)
        drop(&all->items[i]);
    free(all);
}
