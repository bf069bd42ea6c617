/* A store: opening it, asking and changing with patience, the lock of the blobs, and documents.
 *
 * A folder is a store of SQLite (sessions.db, sessions.lock, sessions.spare, blobs/); an address
 * that begins with postgres:// or postgresql:// is one of PostgreSQL. Folders that are made here
 * are nobody else's (0700). The password of an address never gets into `place`. */
#include "store/store.h"

#include "base/arena.h"
#include "store/bucket_address.h"
#include "store/folders.h"
#include "store/schema.h"
#include "store/spare.h"

#include <time.h>

#define REOPEN_TRIES 6 /* a server that starts again does so within some seconds */
#define FIRST_PAUSE_MS 100
#define HOLD_TRIES 1000 /* each HOLD_PAUSE_MS: taking blobs away is a matter of moments */
#define HOLD_PAUSE_MS 10

static const struct rf_str blobs_lock = RF_STR_INIT("blobs");

int64_t rf_epoch_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void pause_ms(long ms)
{
    const struct timespec pause = { ms / 1000, ms % 1000 * 1000000L };
    nanosleep(&pause, NULL);
}

/* Opening */

bool rf_store_is_shared(struct rf_str address)
{
    return rf_str_starts(address, "postgres://") || rf_str_starts(address, "postgresql://");
}

/* "mysql://host/name" has one; a path has none before its first "/". */
static enum rf_code unknown_scheme(struct rf_str address, const char *known, struct rf_err *err)
{
    const char *colon = address.n ? memchr(address.p, ':', address.n) : NULL;
    int n = colon ? (int)(colon - address.p) : 0;
    if (!colon || memchr(address.p, '/', (size_t)n))
        return RF_OK;
    rf_fail(err, RF_EUSAGE, "there is no storage \"%.*s:\"", n, address.p);
    rf_hint(err, "It is %s; a folder with a colon in its name begins with / or ./.", known);
    return RF_EUSAGE;
}

enum rf_code rf_store_address_check(struct rf_str address, struct rf_err *err)
{
    if (!address.n) {
        rf_fail(err, RF_EUSAGE, "the address of the store is empty");
        rf_hint(err, "Name a folder, or a database such as postgres://host/name.");
        return RF_EUSAGE;
    }
    return rf_store_is_shared(address)
               ? RF_OK
               : unknown_scheme(address, "a folder, or postgres://HOST/NAME", err);
}

enum rf_code rf_store_blobs_check(struct rf_str where, struct rf_err *err)
{
    struct rf_bucket_address bucket;
    return rf_bucket_is_address(where)
               ? rf_bucket_address_read(where, &bucket, err)
               : unknown_scheme(where, "a folder, s3://BUCKET/PREFIX or database", err);
}

static const char *copy(struct rf_store *s, const char *text)
{
    return text ? rf_cstr(s->arena, rf_str(text)) : NULL;
}

/* "postgres://anna:secret@host/db?password=secret" as "postgres://anna@host/db". Whatever stands
 * before the last "@" may hold a password, whose own "@" and "/" people forget to escape. */
static const char *without_password(const char *address, struct rf_arena *a)
{
    const char *user = strstr(address, "://") + 3;
    const char *at = strrchr(user, '@'), *host = at ? at : user;
    int start = (int)(user - address), named = (int)(at ? strcspn(user, ":@/?") : 0);
    return rf_strf(a, "%.*s%.*s%.*s", start, address, named, user, (int)strcspn(host, "?"), host).p;
}

static enum rf_code check_cache(const struct rf_store *s, struct rf_err *err)
{
    if (s->options.cache)
        return RF_OK;
    rf_fail(err, RF_ECONFIG, "no folder is known for files that are read out of the store");
    rf_hint(err, "Set HOME or XDG_CACHE_HOME.");
    return RF_ECONFIG;
}

/* Blobs outside of the database: in a bucket, or in a folder. */
static enum rf_code open_blobs(struct rf_store *s, const char *where, struct rf_err *err)
{
    if (!rf_bucket_is_address(rf_str(where))) {
        s->blobs = rf_blobs_folder(where);
        return RF_OK;
    }
    if (!s->options.bucket)
        return RF_OK;
    enum rf_code rc = check_cache(s, err);
    return rc ? rc : s->options.bucket(where, s->options.cache, &s->blobs, err);
}

static enum rf_code open_sqlite(struct rf_store *s, struct rf_err *err)
{
    const char *folder = s->options.address, *blobs = s->options.blobs;
    if (blobs && strcmp(blobs, "database") == 0) {
        rf_fail(err, RF_ECONFIG, "the store \"%s\" cannot have its blobs in the database", folder);
        rf_hint(err, "Leave \"blobs\" out, or name a folder; only PostgreSQL can hold them.");
        return RF_ECONFIG;
    }
    enum rf_code rc = rf_folders_make(folder, err);
    if (rc)
        return rc;
    s->place = folder;
    rc = open_blobs(s, blobs ? blobs : rf_strf(s->arena, "%s/blobs", folder).p, err);
    return rc ? rc
              : rf_sqlite_open(rf_strf(s->arena, "%s/sessions.db", folder).p, true, &s->sql, err);
}

static enum rf_code open_postgres(struct rf_store *s, struct rf_err *err)
{
    const char *blobs = s->options.blobs;
    bool inside = !blobs || strcmp(blobs, "database") == 0;
    s->place = without_password(s->options.address, s->arena);
    enum rf_code rc = inside ? check_cache(s, err) : open_blobs(s, blobs, err);
    if (!rc)
        rc = rf_postgres_open(s->options.address, &s->sql, err);
    if (!rc && inside)
        s->blobs = rf_blobs_database(s->sql, s->options.cache);
    return rc;
}

static enum rf_code see_blob(void *ctx, const char *path, const struct rf_hash *hash, uint64_t size,
                             struct rf_err *err)
{
    (void)path, (void)size, (void)err;
    *(bool *)ctx |= hash != NULL;
    return hash ? RF_ELIMIT : RF_OK; /* one is enough */
}

/* A store begins without blobs. Where there are some, its database was lost, or they are another
 * store's: a new one would know none of them, and gc would take them all away. */
static enum rf_code check_new(struct rf_store *s, struct rf_err *err)
{
    bool blobs = false;
    int64_t version = 0;
    if (!s->blobs)
        return rf_fail(err, RF_ENOTFOUND, "the store has not been made");
    enum rf_code rc = rf_blobs_scan(s->blobs, INT64_MAX, see_blob, &blobs, err);
    if (blobs) /* unless another process has just made it, and put them */
        rc = rf_schema_look(s->sql, &version, err);
    if (rc || !blobs || version)
        return rc;
    rf_fail(err, RF_EFORMAT, "the database is empty, but there are files of sessions in \"%s\"",
            s->options.blobs ? s->options.blobs : "blobs");
    rf_hint(err, "Bring the database back from a copy; or, to begin anew, move these files away.");
    return RF_EFORMAT;
}

static enum rf_code make_ready(struct rf_store *s, struct rf_err *err)
{
    int64_t version;
    enum rf_code rc = rf_schema_look(s->sql, &version, err);
    if (!rc && !version)
        rc = check_new(s, err);
    return rc || version == RF_SCHEMA_VERSION ? rc : rf_schema_ready(s->sql, err);
}

enum rf_code rf_store_make(const struct rf_store_options *o, struct rf_store **out,
                           struct rf_err *err)
{
    enum rf_code rc = rf_store_address_check(rf_str(o->address), err);
    if (rc)
        return rc;
    struct rf_arena *a = rf_arena_new();
    struct rf_store *s = RF_NEW(a, struct rf_store);
    s->arena = a;
    s->options = *o;
    s->options.address = copy(s, o->address);
    s->options.blobs = copy(s, o->blobs);
    s->options.cache = copy(s, o->cache);
    s->options.made = copy(s, o->made);
    bool shared = rf_store_is_shared(rf_str(o->address));
    rc = shared ? open_postgres(s, err) : open_sqlite(s, err);
    if (!rc && (rc = make_ready(s, err)))
        rf_err_at(err, s->place);
    if (!rc && !shared)
        s->spare = rf_strf(a, "%s/sessions.spare", s->place).p;
    if (rc)
        rf_store_close(s);
    else
        *out = s;
    return rc;
}

void rf_store_close(struct rf_store *s)
{
    if (!s)
        return;
    if (s->writers)
        RF_BUG("a store is closed before its sessions");
    rf_blobs_free(s->blobs);
    rf_sql_close(s->sql);
    if (s->spare)
        rf_spare_keep(s->spare);
    rf_arena_free(s->arena);
}

const char *rf_store_place(const struct rf_store *s)
{
    return s->place;
}

/* Asking and changing */

/* Is there hope that it will do another time? Then some time has passed. */
static bool is_worth_again(const struct rf_store *s, int tried)
{
    if (!s->sql->lost || tried + 1 >= REOPEN_TRIES)
        return false;
    if (tried)
        pause_ms(FIRST_PAUSE_MS << tried);
    return true;
}

enum rf_code rf_store_query(struct rf_store *s, const char *statement,
                            const struct rf_sql_value *values, size_t count, rf_sql_row *each,
                            void *ctx, struct rf_err *err)
{
    bool alone = !s->sql->begun;
    for (int tried = 0;; tried++) {
        enum rf_code rc = rf_sql_run(s->sql, statement, values, count, each, ctx, err);
        if (!rc || !alone || s->sql->rows || !is_worth_again(s, tried))
            return rc;
    }
}

static enum rf_code begin(struct rf_store *s, struct rf_err *err)
{
    for (int tried = 0;; tried++) {
        enum rf_code rc = rf_sql_begin(s->sql, err);
        if (!rc || !is_worth_again(s, tried))
            return rc;
    }
}

static enum rf_code transact_once(struct rf_store *s,
                                  enum rf_code (*work)(struct rf_store *, void *, struct rf_err *),
                                  void *ctx, struct rf_err *err)
{
    enum rf_code rc = begin(s, err);
    if (rc)
        return rc;
    rc = work(s, ctx, err);
    if (rc)
        rf_sql_rollback(s->sql);
    else
        rc = rf_sql_commit(s->sql, err);
    return rc;
}

enum rf_code rf_store_transact(struct rf_store *s,
                               enum rf_code (*work)(struct rf_store *s, void *ctx,
                                                    struct rf_err *err),
                               void *ctx, struct rf_err *err)
{
    enum rf_code rc = transact_once(s, work, ctx, err);
    return rc && s->sql->lost ? transact_once(s, work, ctx, err) : rc;
}

/* The lock of the blobs */

static enum rf_code fail_busy(const struct rf_store *s, const char *why, const char *hint,
                              struct rf_err *err)
{
    rf_fail(err, RF_ELIMIT, "the store \"%s\" is busy: %s", s->place, why);
    rf_hint(err, "%s", hint);
    return RF_ELIMIT;
}

static enum rf_code lock_blobs(struct rf_store *s, bool shared, struct rf_err *err)
{
    for (int i = 0, broken = 0; i < HOLD_TRIES; i++) {
        bool taken = false;
        enum rf_code rc = s->sql->engine->lock(s->sql, blobs_lock, shared, &taken, err);
        if (!rc && taken)
            return RF_OK;
        if (rc && !is_worth_again(s, broken++))
            return rc;
        if (!rc)
            pause_ms(HOLD_PAUSE_MS);
    }
    return fail_busy(s, shared ? "somebody takes files away from it" : "somebody adds files to it",
                     "Try again in a moment.", err);
}

enum rf_code rf_store_hold(struct rf_store *s, struct rf_err *err)
{
    enum rf_code rc = lock_blobs(s, true, err);
    s->held += !rc;
    return rc;
}

void rf_store_release(struct rf_store *s)
{
    if (!s->held--)
        RF_BUG("the lock of the blobs is released more often than it was taken");
    s->sql->engine->unlock(s->sql, blobs_lock, true);
}

enum rf_code rf_store_hold_alone(struct rf_store *s, struct rf_err *err)
{
    if (s->held)
        return fail_busy(s, "this process adds files to it", "Commit what was begun first.", err);
    enum rf_code rc = lock_blobs(s, false, err);
    s->alone = s->sql->opened;
    return rc;
}

enum rf_code rf_store_check_alone(struct rf_store *s, struct rf_err *err)
{
    bool taken = true;
    enum rf_code rc = RF_OK;
    if (s->alone != s->sql->opened)
        rc = s->sql->engine->lock(s->sql, blobs_lock, false, &taken, err);
    if (!rc && !taken)
        rc = fail_busy(s, "the connection broke, and somebody else uses its files",
                       "Try again in a moment.", err);
    if (!rc)
        s->alone = s->sql->opened;
    return rc;
}

void rf_store_release_alone(struct rf_store *s)
{
    s->sql->engine->unlock(s->sql, blobs_lock, false);
}

/* Documents */

struct document {
    struct rf_arena *arena;
    int64_t version;
    struct rf_str body;
};

static enum rf_code take_document(void *ctx, const struct rf_sql_value *columns, size_t count,
                                  struct rf_err *err)
{
    struct document *d = ctx;
    (void)count;
    (void)err;
    d->version = columns[0].number;
    d->body = rf_str_dup(d->arena, columns[1].text);
    return RF_OK;
}

enum rf_code rf_store_document_read(struct rf_store *s, const char *name, struct rf_arena *a,
                                    int64_t *version, struct rf_str *body, struct rf_err *err)
{
    struct document d = { .arena = a, .body = RF_STR("") };
    enum rf_code rc =
        rf_store_query(s, "SELECT version, body FROM documents WHERE name = $1",
                       &(struct rf_sql_value){ .type = RF_SQL_TEXT, .text = rf_str(name) }, 1,
                       take_document, &d, err);
    if (!rc) {
        *version = d.version;
        *body = d.body;
    }
    return rc;
}

enum rf_code rf_store_document_replace(struct rf_store *s, const char *name, int64_t version,
                                       struct rf_str body, bool *replaced, struct rf_err *err)
{
    int64_t changed = 0;
    enum rf_code rc =
        version
            ? rf_sql_change(s->sql,
                            "UPDATE documents SET version = $1, body = $2 "
                            "WHERE name = $3 AND version = $4",
                            RF_VALUES(rf_sql_number(version + 1), rf_sql_text(body),
                                      rf_sql_text(rf_str(name)), rf_sql_number(version)),
                            &changed, err)
            : rf_sql_change(s->sql,
                            "INSERT INTO documents (name, version, body) VALUES ($1, 1, $2) "
                            "ON CONFLICT DO NOTHING",
                            RF_VALUES(rf_sql_text(rf_str(name)), rf_sql_text(body)), &changed, err);
    if (!rc)
        *replaced = changed == 1;
    return rc;
}
