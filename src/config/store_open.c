/* From the configuration to a store: where it is, and what it keeps.
 *
 * Without a word about it, the store is the data folder. "~/" in front of a folder is the home
 * folder. */
#include "config/store_open.h"

#include "base/arena.h"
#include "config/config.h"

#include <stdlib.h>
#include <unistd.h>

#define KB ((int64_t)1024)
#define MB (1024 * KB)
#define GB (1024 * MB)

const struct rf_limit_row rf_store_limit_rows[RF_STORE_LIMIT_COUNT] = {
    [RF_STORE_LIMIT_FILE] = { "kept_file_bytes", "a file that a session keeps a copy of",
                              RF_STORE_FILE_BYTES, 0, 64 * GB },
    [RF_STORE_LIMIT_TEXT] = { "history_text_bytes", "a text that stays whole in a history",
                              RF_STORE_TEXT_BYTES, 4 * KB, 64 * MB },
};

bool rf_config_is_shared(const struct rf_config *c)
{
    return c && rf_store_is_shared(c->store.address);
}

const char *rf_store_folder(struct rf_str path, struct rf_arena *a)
{
    const char *home = getenv("HOME");
    if (!path.n)
        return NULL;
    if (rf_str_starts(path, "~/") && home && home[0] == '/')
        return rf_strf(a, "%s%.*s", home, (int)path.n - 1, path.p + 1).p;
    return rf_cstr(a, path);
}

static int64_t limit_of(const struct rf_config *c, enum rf_store_limit limit)
{
    bool said = c && c->store_limits[limit].place.file;
    return said ? c->store_limits[limit].value : rf_store_limit_rows[limit].usual;
}

static enum rf_code open_store(const struct rf_config *c, const char *address,
                               rf_bucket_opener *bucket, struct rf_arena *a, struct rf_store **out,
                               struct rf_err *err)
{
    const char *cache = rf_folder_cache(a);
    const struct rf_store_options options = {
        .address = address,
        .blobs = c ? rf_store_folder(c->store.blobs, a) : NULL,
        .cache = cache ? rf_strf(a, "%s/blobs", cache).p : NULL,
        .bucket = bucket,
        .made = cache,
        .leave_files = c && c->store.leave_files,
        .file_bytes = limit_of(c, RF_STORE_LIMIT_FILE),
        .text_bytes = limit_of(c, RF_STORE_LIMIT_TEXT),
    };
    if (address)
        return rf_store_make(&options, out, err);
    rf_fail(err, RF_ECONFIG, "no folder is known for the store of sessions");
    rf_hint(err, "Set HOME or XDG_DATA_HOME, or name a \"store\" in the configuration.");
    return RF_ECONFIG;
}

enum rf_code rf_config_open_store(const struct rf_config *config, rf_bucket_opener *bucket,
                                  struct rf_store **out, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    bool named = config && config->store.address.n;
    const char *address = named ? rf_store_folder(config->store.address, a) : rf_folder_data(a);
    enum rf_code rc = open_store(config, address, bucket, a, out, err);
    if (rc == RF_ECONFIG && named)
        rf_err_at(err, rf_strf(a, "%s:%zu", config->store.place.file, config->store.place.line).p);
    rf_arena_free(a);
    return rc;
}

bool rf_store_is_there(const struct rf_config *c)
{
    struct rf_arena *a = rf_arena_new();
    bool named = c && c->store.address.n;
    const char *folder = named ? rf_store_folder(c->store.address, a) : rf_folder_data(a);
    bool there = rf_config_is_shared(c) ||
                 (folder && access(rf_strf(a, "%s/sessions.db", folder).p, F_OK) == 0);
    rf_arena_free(a);
    return there;
}

enum rf_code rf_store_open_at(const char *address, struct rf_store **out, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    enum rf_code rc = open_store(NULL, address, NULL, a, out, err);
    rf_arena_free(a);
    return rc;
}
