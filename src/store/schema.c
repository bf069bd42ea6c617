/* The tables, and the steps that lead to them.
 *
 * The row "schema" of store_meta has the version. It is read without a transaction: a store that
 * is up to date, which is nearly always, costs two small queries. The lock "schema" lets one
 * process at a time make steps; the others wait and find them made.
 *
 * A database is never taken for a store because it could be one: it has store_meta with a
 * version, or no table at all. What has other tables, or lacks some, is left as it is. */
#include "store/schema.h"

#include <stdio.h>
#include <time.h>

#define WAIT_MS 5000 /* for another process that is making steps */
#define PAUSE_MS 10

/* Times are milliseconds since 1970. A text that is not known is empty, a number 0. */
static const char *const first_tables[] = {
    "CREATE TABLE store_meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)",

    "CREATE TABLE sessions ("
    "id TEXT NOT NULL PRIMARY KEY, "
    "title TEXT NOT NULL DEFAULT '', "
    "titled BIGINT NOT NULL DEFAULT 0, " /* 1: somebody gave it its title */
    "created BIGINT NOT NULL, "
    "updated BIGINT NOT NULL, "
    "messages BIGINT NOT NULL DEFAULT 0, "
    "files BIGINT NOT NULL DEFAULT 0, "
    "parent TEXT NOT NULL DEFAULT '', "
    "parent_messages BIGINT NOT NULL DEFAULT 0, "
    "provider TEXT NOT NULL DEFAULT '', "
    "model TEXT NOT NULL DEFAULT '', "
    "input_tokens BIGINT NOT NULL DEFAULT 0, "
    "output_tokens BIGINT NOT NULL DEFAULT 0, "
    "owner TEXT NOT NULL DEFAULT '')",

    /* From message `number` on, until the next row of the session. */
    "CREATE TABLE settings ("
    "session TEXT NOT NULL, "
    "number BIGINT NOT NULL, "
    "body TEXT NOT NULL, "
    "PRIMARY KEY (session, number))",

    "CREATE TABLE messages ("
    "session TEXT NOT NULL, "
    "number BIGINT NOT NULL, "
    "mark TEXT NOT NULL, "
    "created BIGINT NOT NULL, "
    "role TEXT NOT NULL, "
    "provider TEXT NOT NULL DEFAULT '', "
    "model TEXT NOT NULL DEFAULT '', "
    "input_tokens BIGINT NOT NULL DEFAULT 0, "
    "output_tokens BIGINT NOT NULL DEFAULT 0, "
    "body TEXT NOT NULL, "
    "PRIMARY KEY (session, number))",

    "CREATE TABLE blobs ("
    "hash TEXT NOT NULL PRIMARY KEY, "
    "size BIGINT NOT NULL, "
    "look TEXT NOT NULL DEFAULT '', "
    "touched BIGINT NOT NULL, "
    "object BIGINT NOT NULL DEFAULT 0)",

    /* Which message has which files, in their order. */
    "CREATE TABLE media ("
    "session TEXT NOT NULL, "
    "number BIGINT NOT NULL, "
    "place BIGINT NOT NULL, "
    "hash TEXT NOT NULL, "
    "id TEXT NOT NULL DEFAULT '', "
    "kind TEXT NOT NULL DEFAULT '', "
    "name TEXT NOT NULL DEFAULT '', "
    "mime TEXT NOT NULL DEFAULT '', "
    "width BIGINT NOT NULL DEFAULT 0, "
    "height BIGINT NOT NULL DEFAULT 0, "
    "duration_ms BIGINT NOT NULL DEFAULT 0, "
    "PRIMARY KEY (session, number, place))",
    "CREATE INDEX media_hash ON media (hash)",

    "CREATE TABLE dropped ("
    "session TEXT NOT NULL, "
    "hash TEXT NOT NULL, "
    "PRIMARY KEY (session, hash))",

    /* How a file was sent to a model the last time. */
    "CREATE TABLE sent ("
    "session TEXT NOT NULL, "
    "hash TEXT NOT NULL, "
    "provider TEXT NOT NULL, "
    "model TEXT NOT NULL, "
    "delivery TEXT NOT NULL, "
    "as_what TEXT NOT NULL DEFAULT '', "
    "at BIGINT NOT NULL, "
    "PRIMARY KEY (session, hash, provider, model))",

    "CREATE TABLE refused ("
    "hash TEXT NOT NULL, "
    "provider TEXT NOT NULL, "
    "reason TEXT NOT NULL DEFAULT '', "
    "at BIGINT NOT NULL, "
    "PRIMARY KEY (hash, provider))",

    "CREATE TABLE documents ("
    "name TEXT NOT NULL PRIMARY KEY, "
    "version BIGINT NOT NULL, "
    "body TEXT NOT NULL)",
    NULL,
};

static const char *const remade_files[] = {
    /* 1: what was made of the file was taken instead */
    "ALTER TABLE refused ADD COLUMN remade BIGINT NOT NULL DEFAULT 0",
    NULL,
};

static const char *const sent_forms[] = {
    "ALTER TABLE sent ADD COLUMN form TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE sent ADD COLUMN lost TEXT NOT NULL DEFAULT ''",
    NULL,
};

/* Which session was used last: a number that grows with every use, as clocks do not always. */
static const char *const order_of_use[] = {
    "ALTER TABLE sessions ADD COLUMN used BIGINT NOT NULL DEFAULT 0",
    "UPDATE sessions SET used = updated",
    "CREATE INDEX sessions_used ON sessions (used)",
    NULL,
};

/* The gateway's: who may ask it, what is under way for whom, and what was asked. Money is in
 * millionths of a US dollar. */
static const char *const gateway_tables[] = {
    /* A limit that is 0 is none. What was used stands beside the limits, so that one lock of the
     * row is enough to check and to change them. */
    "CREATE TABLE client_keys ("
    "id TEXT NOT NULL PRIMARY KEY, "
    "name TEXT NOT NULL, "
    "hash TEXT NOT NULL, "              /* SHA-256 of the key, in hexadecimal digits */
    "admin BIGINT NOT NULL DEFAULT 0, " /* 1: it may manage the gateway */
    "models TEXT NOT NULL DEFAULT '', " /* patterns with commas between them; empty: all */
    "rpm BIGINT NOT NULL DEFAULT 0, "
    "tpm BIGINT NOT NULL DEFAULT 0, "
    "concurrent BIGINT NOT NULL DEFAULT 0, "
    "budget BIGINT NOT NULL DEFAULT 0, "
    "created BIGINT NOT NULL, "
    "revoked BIGINT NOT NULL DEFAULT 0, "
    "used BIGINT NOT NULL DEFAULT 0, "
    "requests BIGINT NOT NULL DEFAULT 0, "
    "tokens BIGINT NOT NULL DEFAULT 0, "
    "spent BIGINT NOT NULL DEFAULT 0, "
    "estimated BIGINT NOT NULL DEFAULT 0, " /* of what was spent: nobody told what it was */
    /* What of the last minute's requests (thousandths) and tokens still counts, and when that was
     * so. */
    "request_level BIGINT NOT NULL DEFAULT 0, "
    "token_level BIGINT NOT NULL DEFAULT 0, "
    "level_at BIGINT NOT NULL DEFAULT 0)",
    "CREATE UNIQUE INDEX client_keys_hash ON client_keys (hash)",
    "CREATE UNIQUE INDEX client_keys_name ON client_keys (name) WHERE revoked = 0",

    /* A request that was let in and has not ended, with what it is expected to take. */
    "CREATE TABLE reservations ("
    "request TEXT NOT NULL PRIMARY KEY, "
    "client_key TEXT NOT NULL, "
    "instance TEXT NOT NULL, " /* the process that serves it; it holds a lock of that name */
    "created BIGINT NOT NULL, "
    "tokens BIGINT NOT NULL DEFAULT 0, "
    "cost BIGINT NOT NULL DEFAULT 0)",
    "CREATE INDEX reservations_key ON reservations (client_key)",

    /* A row for each that has ended. What has one was counted. */
    "CREATE TABLE requests ("
    "id TEXT NOT NULL PRIMARY KEY, "
    "at BIGINT NOT NULL, "
    "instance TEXT NOT NULL DEFAULT '', "
    "client_key TEXT NOT NULL DEFAULT '', "
    "key_name TEXT NOT NULL DEFAULT '', "
    "dialect TEXT NOT NULL DEFAULT '', "
    "asked TEXT NOT NULL DEFAULT '', "
    "provider TEXT NOT NULL DEFAULT '', "
    "model TEXT NOT NULL DEFAULT '', "
    "status BIGINT NOT NULL DEFAULT 0, " /* of HTTP; 0: it was not answered */
    "input_tokens BIGINT NOT NULL DEFAULT 0, "
    "output_tokens BIGINT NOT NULL DEFAULT 0, "
    "cost BIGINT NOT NULL DEFAULT 0, "
    "estimated BIGINT NOT NULL DEFAULT 0, " /* 1: tokens and cost are */
    "bytes_in BIGINT NOT NULL DEFAULT 0, "
    "bytes_out BIGINT NOT NULL DEFAULT 0, "
    "duration_us BIGINT NOT NULL DEFAULT 0, "
    "first_byte_us BIGINT NOT NULL DEFAULT 0, "
    "attempts BIGINT NOT NULL DEFAULT 0, "
    "heals BIGINT NOT NULL DEFAULT 0, "
    "deliveries TEXT NOT NULL DEFAULT '')",
    "CREATE INDEX requests_at ON requests (at)",
    NULL,
};

/* How a request ended, where its status does not say it, and what was asked. */
static const char *const endings_of_requests[] = {
    "ALTER TABLE requests ADD COLUMN error TEXT NOT NULL DEFAULT ''", /* its kind */
    /* 1: the client left before the end of its reply */
    "ALTER TABLE requests ADD COLUMN gone BIGINT NOT NULL DEFAULT 0",
    /* "" for an answer, "count" for its tokens, or the path of something else */
    "ALTER TABLE requests ADD COLUMN operation TEXT NOT NULL DEFAULT ''",
    NULL,
};

static const struct rf_schema_step all_steps[RF_SCHEMA_VERSION] = {
    { first_tables }, { remade_files },   { sent_forms },
    { order_of_use }, { gateway_tables }, { endings_of_requests },
};

/* What must be there in a store of the newest version. */
static const char *const tables[] = {
    "store_meta", "sessions", "settings",  "messages",    "blobs",        "media",    "dropped",
    "sent",       "refused",  "documents", "client_keys", "reservations", "requests",
};
#define TABLES (sizeof tables / sizeof *tables)

/* Looking */

struct state {
    size_t count; /* of tables */
    bool found[TABLES];
    int64_t version; /* 0: there is nothing yet */
};

static enum rf_code fail_no_store(struct rf_err *err, const char *why)
{
    rf_fail(err, RF_EFORMAT, "the database is not a store of refract: %s", why);
    rf_hint(err,
            "Name another place for the store, or one that is empty; this one was left as it is.");
    return RF_EFORMAT;
}

static enum rf_code see_table(void *ctx, const struct rf_sql_value *columns, size_t count,
                              struct rf_err *err)
{
    struct state *s = ctx;
    (void)count, (void)err;
    s->count++;
    for (size_t i = 0; i < TABLES; i++)
        if (rf_str_is(columns[0].text, tables[i]))
            s->found[i] = true;
    return RF_OK;
}

static enum rf_code see_version(void *ctx, const struct rf_sql_value *columns, size_t count,
                                struct rf_err *err)
{
    struct state *s = ctx;
    (void)count;
    if (!rf_str_int64(columns[0].text, &s->version) || s->version < 1)
        return fail_no_store(err, "its version is not a number");
    return RF_OK;
}

static enum rf_code look(struct rf_sql *sql, struct state *out, struct rf_err *err)
{
    struct state s = { 0 };
    enum rf_code rc = rf_sql_run(sql, sql->engine->tables, NULL, 0, see_table, &s, err);
    if (rc)
        return rc;
    if (s.count > 0 && !s.found[0])
        return fail_no_store(err, "it has other tables");
    if (s.count > 0)
        rc = rf_sql_run(sql, "SELECT value FROM store_meta WHERE name = 'schema'", NULL, 0,
                        see_version, &s, err);
    if (!rc && s.count > 0 && s.version == 0)
        return fail_no_store(err, "it does not say its version");
    if (!rc)
        *out = s;
    return rc;
}

static enum rf_code check_newer(int64_t found, int64_t known, struct rf_err *err)
{
    if (found <= known)
        return RF_OK;
    rf_fail(err, RF_ECONFIG,
            "the store has version %lld, and this program knows versions up to %lld",
            (long long)found, (long long)known);
    rf_hint(err, "Install a newer refract, or name another place for the store.");
    return RF_ECONFIG;
}

static enum rf_code check_tables(const struct state *s, struct rf_err *err)
{
    for (size_t i = 0; i < TABLES; i++)
        if (!s->found[i]) {
            rf_fail(err, RF_EFORMAT, "the store is damaged: its table \"%s\" is missing",
                    tables[i]);
            rf_hint(err, "Restore it from a backup, or name another place for the store.");
            return RF_EFORMAT;
        }
    return RF_OK;
}

/* Steps */

static enum rf_code write_version(struct rf_sql *sql, int64_t version, struct rf_err *err)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)version);
    return rf_sql_run(sql,
                      "INSERT INTO store_meta (name, value) VALUES ('schema', $1) "
                      "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                      RF_VALUES(rf_sql_text(rf_str(text))), NULL, NULL, err);
}

static enum rf_code make_step(struct rf_sql *sql, const struct rf_schema_step *step,
                              int64_t version, struct rf_err *err)
{
    enum rf_code rc = rf_sql_begin(sql, err);
    for (size_t i = 0; !rc && step->statements[i]; i++)
        rc = rf_sql_run(sql, step->statements[i], NULL, 0, NULL, NULL, err);
    if (!rc)
        rc = write_version(sql, version, err);
    if (!rc)
        return rf_sql_commit(sql, err);
    rf_sql_rollback(sql);
    return rc;
}

static enum rf_code make_steps(struct rf_sql *sql, const struct rf_schema_step *steps,
                               int64_t version, struct rf_err *err)
{
    struct state s;
    enum rf_code rc = look(sql, &s, err); /* again: somebody may have made them meanwhile */
    if (!rc)
        rc = check_newer(s.version, version, err);
    for (int64_t at = rc ? version : s.version; !rc && at < version; at++)
        rc = make_step(sql, &steps[at], at + 1, err);
    return rc;
}

static enum rf_code wait_for_lock(struct rf_sql *sql, struct rf_str name, struct rf_err *err)
{
    const struct timespec pause = { 0, PAUSE_MS * 1000000L };
    for (int waited = 0; waited < WAIT_MS; waited += PAUSE_MS) {
        bool taken = false;
        enum rf_code rc = sql->engine->lock(sql, name, false, &taken, err);
        if (rc || taken)
            return rc;
        nanosleep(&pause, NULL);
    }
    rf_fail(err, RF_ELIMIT, "another process has been changing the store's tables for %d seconds",
            WAIT_MS / 1000);
    rf_hint(err, "Try again in a moment.");
    return RF_ELIMIT;
}

enum rf_code rf_schema_follow(struct rf_sql *sql, const struct rf_schema_step *steps,
                              int64_t version, struct rf_err *err)
{
    struct state s;
    enum rf_code rc = look(sql, &s, err);
    if (!rc)
        rc = check_newer(s.version, version, err);
    if (rc || s.version == version)
        return rc;
    rc = wait_for_lock(sql, RF_STR("schema"), err);
    if (rc)
        return rc;
    rc = make_steps(sql, steps, version, err);
    sql->engine->unlock(sql, RF_STR("schema"), false);
    return rc;
}

enum rf_code rf_schema_make(struct rf_sql *sql, int64_t version, struct rf_err *err)
{
    if (version < 0 || version > RF_SCHEMA_VERSION)
        RF_BUG("there is no such version of the tables");
    return rf_schema_follow(sql, all_steps, version, err);
}

enum rf_code rf_schema_look(struct rf_sql *sql, int64_t *version, struct rf_err *err)
{
    struct state s;
    enum rf_code rc = look(sql, &s, err);
    if (!rc && s.version == RF_SCHEMA_VERSION)
        rc = check_tables(&s, err);
    if (!rc)
        *version = s.version;
    return rc;
}

enum rf_code rf_schema_ready(struct rf_sql *sql, struct rf_err *err)
{
    int64_t version;
    enum rf_code rc = rf_schema_make(sql, RF_SCHEMA_VERSION, err);
    return rc ? rc : rf_schema_look(sql, &version, err);
}
