#include "store/fetched.h"

#include "store/blobs_kind.h"

#include <stdio.h>
#include <time.h>

#define FETCHED_S ((int64_t)7 * 24 * 3600) /* that a blob stays after its last use */

void rf_fetched_init(struct rf_fetched *f, const char *cache)
{
    *f = (struct rf_fetched){ .folder = rf_blobs_folder(cache) };
}

void rf_fetched_release(struct rf_fetched *f)
{
    rf_blobs_free(f->folder);
}

static enum rf_code forget(void *ctx, const char *path, const struct rf_hash *hash, uint64_t size,
                           struct rf_err *err)
{
    (void)ctx, (void)hash, (void)size, (void)err;
    remove(path); /* or another process did */
    return RF_OK;
}

static void tidy(struct rf_fetched *f)
{
    if (!f->tidied)
        (void)!rf_blobs_scan(f->folder, (int64_t)time(NULL) - FETCHED_S, forget, NULL, NULL);
    f->tidied = true;
}

enum rf_code rf_fetched_get(struct rf_fetched *f, const struct rf_hash *hash, struct rf_arena *a,
                            struct rf_bytes *out, struct rf_err *err)
{
    bool found;
    int64_t none;
    enum rf_code rc = rf_blobs_get(f->folder, hash, 0, a, out, err);
    return rc ? rc : f->folder->kind->find(f->folder, hash, out->size, &found, &none, err);
}

enum rf_code rf_fetched_take(struct rf_fetched *f, const struct rf_hash *hash, uint64_t size,
                             const struct rf_blob_stream *stream, struct rf_err *err)
{
    int64_t none;
    tidy(f);
    return f->folder->kind->take(f->folder, hash, size, stream, &none, err);
}

void rf_fetched_remove(struct rf_fetched *f, const struct rf_hash *hash)
{
    (void)!rf_blobs_remove(f->folder, hash, 0, NULL);
}
