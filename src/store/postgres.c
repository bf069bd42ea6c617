/* PostgreSQL behind sql.h, through a libpq that is loaded at the first postgres:// address.
 *
 * A statement is sent as it is the first time and prepared from the second time on, so that a short
 * command does not pay for what only a long one needs. Rows come one by one: a long session is
 * never in memory twice. The locks of sql.h are advisory locks of the connection, one set a schema.
 *
 * A connection breaks: the server restarts, a network goes away. This notices it and opens it anew,
 * never in the middle of a transaction and never by sending a statement twice. What a password
 * might be in is not shown. */
#include "store/sql.h"

#include "base/arena.h"
#include "base/clock.h"
#include "store/locks.h"
#include "store/postgres_address.h"
#include "store/postgres_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define OLDEST_SERVER 110000 /* hashtextextended */
#define OLD_LOCKS_MS 10000   /* that the end of a broken connection may take in the server */
#define PAUSE_MS 50
#define SLOTS 256 /* of statements; a power of two, and more than this room has */
#define MOST_COLUMNS 32

/* Before those of the address, which may change them. Who stops in the middle of a transaction must
 * not keep others waiting forever. */
#define SERVER_OPTIONS                                     \
    "-c statement_timeout=60000 -c lock_timeout=10000 "    \
    "-c idle_in_transaction_session_timeout=300000 "       \
    "-c tcp_keepalives_idle=60 -c tcp_keepalives_count=3 " \
    "-c tcp_keepalives_interval=10"

/* A connection */

struct slot {
    const char *statement;
    char *text;      /* a copy: a statement that is not a literal is noticed by it */
    unsigned opened; /* which connection `sent` is about */
    bool sent, prepared;
};

struct postgres {
    struct rf_sql sql; /* first */
    PGconn *conn;
    struct rf_arena *arena;
    struct rf_pg_address address;
    const char *options; /* for the server: ours, then those of the address */
    char client[64];     /* the name in the server, of this connection and of those that broke */
    bool in_transaction, in_row;
    struct rf_locks locks;
    struct slot slots[SLOTS];
};

static struct postgres *of(struct rf_sql *sql)
{
    return (struct postgres *)sql;
}

static void wait_a_moment(void)
{
    nanosleep(&(struct timespec){ 0, PAUSE_MS * 1000000L }, NULL);
}

/* Failures */

static const struct fault {
    const char *state; /* the beginning of an SQLSTATE; the first that fits counts */
    enum rf_code code;
    const char *words, *hint;
} faults[] = {
    { "53100", RF_EIO, "the disk of the server is full", "Have space made on it, then try again." },
    { "53", RF_ELIMIT, "the server has too much to do", "Try again in a moment." },
    { "25006", RF_EIO, "it may not be written to",
      "Use the address of a server that takes changes, not of a copy." },
    { "55P03", RF_ELIMIT, "others kept it busy", "Try again in a moment." },
    { "57014", RF_ELIMIT, "the server took too long", "Try again in a moment." },
    { "40", RF_ELIMIT, "others kept it busy", "Try again in a moment." },
    { "42501", RF_ECONFIG, "the user of the address may not do that",
      "Have the user given the rights to make, read and write tables." },
    { "3F", RF_ECONFIG, "the schema of the address is not there",
      "Have it made, or leave search_path out of the address." },
    { "42", RF_EFORMAT, "its tables are not those of a store",
      "Name another database or schema for the store." },
    { "22021", RF_EFORMAT, "a text is not UTF-8, or has a NUL in it", "" },
    { "23", RF_EINTERNAL, "a row is there already, or must not be there", "" },
    { "54", RF_ELIMIT, "a text is too long for it", "" },
    { "58", RF_EIO, "the server could not read or write its files", "Look into the server's log." },
    { "XX", RF_EFORMAT, "the database is damaged", "Look into the server's log." },
    { "", RF_EINTERNAL, "the database failed", "" },
};

static const struct fault *fault_of(const char *state)
{
    const struct fault *f = faults;
    while (!rf_str_starts(rf_str(state), f->state))
        f++;
    return f;
}

static enum rf_code fail_lost(struct postgres *s, const char *words, struct rf_err *err)
{
    char line[256];
    const char *why = rf_pg_address_words(&s->address, words, line, sizeof line);
    s->sql.lost = true;
    rf_fail(err, RF_EIO, "the store \"%s\": the connection broke (%s)", s->address.shown.p, why);
    rf_hint(err, "Try again; see whether the server runs and can be reached.");
    return RF_EIO;
}

/* What a statement failed with. Takes a result that is NULL, too. */
static enum rf_code failed(struct postgres *s, const PGresult *r, struct rf_err *err)
{
    char line[256];
    const char *state = r ? rf_pq.resultErrorField(r, PG_DIAG_SQLSTATE) : NULL;
    const char *words = r ? rf_pq.resultErrorField(r, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    const char *severity = r ? rf_pq.resultErrorField(r, PG_DIAG_SEVERITY_NONLOCALIZED) : NULL;
    bool fatal = severity && strcmp(severity, "ERROR") != 0;
    if (!words)
        words = rf_pq.errorMessage(s->conn);
    if (!state || fatal || rf_pq.status(s->conn) != CONNECTION_OK)
        return fail_lost(s, words, err);
    const struct fault *f = fault_of(state);
    const char *why = rf_pg_address_words(&s->address, words, line, sizeof line);
    rf_fail(err, f->code, "the store \"%s\": %s (%s)", s->address.shown.p, f->words, why);
    rf_hint(err, "%s", f->hint);
    return f->code;
}

/* Opening */

static void ignore_notice(void *ctx, const char *words)
{
    (void)ctx, (void)words;
}

static enum rf_code fail_open(struct postgres *s, const char *words, const char *hint,
                              struct rf_err *err)
{
    char line[256];
    const char *why = rf_pg_address_words(&s->address, words, line, sizeof line);
    rf_fail(err, RF_ECONFIG, "could not connect to the store \"%s\": %s", s->address.shown.p, why);
    rf_hint(err, "%s", hint);
    return RF_ECONFIG;
}

static enum rf_code check_server(struct postgres *s, struct rf_err *err)
{
    const char *encoding = rf_pq.parameterStatus(s->conn, "server_encoding");
    if (rf_pq.serverVersion(s->conn) < OLDEST_SERVER)
        return fail_open(s, "the server is older than PostgreSQL 11", "Use a newer server.", err);
    if (!encoding || strcmp(encoding, "UTF8") != 0)
        return fail_open(s, "the database is not in UTF-8",
                         "Make one with: createdb --encoding=UTF8 --template=template0 NAME", err);
    return RF_OK;
}

/* A name of its own in the server, so that a connection can end what is left of the one before
 * it. */
static void name_client(struct postgres *s)
{
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        RF_BUG("the system has no random numbers");
    snprintf(s->client, sizeof s->client, "refract %016llx", (unsigned long long)random);
}

static enum rf_code connect_once(struct postgres *s, struct rf_err *err)
{
    /* A machine that is gone says nothing: it is found out within two minutes, as in SERVER_OPTIONS
     * by the server. */
    const char *const keywords[] = { "connect_timeout",
                                     "tcp_user_timeout",
                                     "keepalives_idle",
                                     "keepalives_count",
                                     "keepalives_interval",
                                     "dbname",
                                     "options",
                                     "application_name",
                                     "client_encoding",
                                     "sslmode",
                                     NULL };
    const char *const values[] = { "10",       "60000",
                                   "60",       "3",
                                   "10",       s->address.url,
                                   s->options, s->client,
                                   "UTF8",     s->address.sslmode,
                                   NULL };
    s->conn = rf_pq.connectdbParams(keywords, values, 1);
    if (!s->conn)
        RF_NO_MEMORY();
    rf_pq.setNoticeProcessor(s->conn, ignore_notice, NULL);
    enum rf_code rc = RF_OK;
    if (rf_pq.status(s->conn) != CONNECTION_OK)
        rc = fail_open(
            s, rf_pq.errorMessage(s->conn),
            s->address.sslmode
                ? "See whether the server runs and takes encrypted connections (ssl = on), which "
                  "another machine has to, and whether host, user and password are right."
                : "See whether the server runs, and whether host, user and password are right.",
            err);
    else
        rc = check_server(s, err);
    if (rc) {
        rf_pq.finish(s->conn);
        s->conn = NULL;
        return rc;
    }
    s->sql.lost = s->in_transaction = false;
    return RF_OK;
}

/* Sending */

static struct slot *slot_of(struct postgres *s, const char *statement)
{
    size_t at = (size_t)(((uintptr_t)statement * 0x9e3779b97f4a7c15u) >> 32) % SLOTS;
    for (size_t i = 0; i < SLOTS; i++) {
        struct slot *slot = &s->slots[(at + i) % SLOTS];
        if (!slot->statement)
            *slot = (struct slot){ .statement = statement, .text = strdup(statement) };
        if (slot->statement != statement)
            continue;
        if (!slot->text)
            RF_NO_MEMORY();
        if (strcmp(slot->text, statement) != 0)
            RF_BUG("a statement is not a string literal: it has changed");
        return slot;
    }
    RF_BUG("more statements than there is room for");
}

static void name_slot(const struct postgres *s, const struct slot *slot, char name[16])
{
    snprintf(name, 16, "s%d", (int)(slot - s->slots));
}

static enum rf_code prepare(struct postgres *s, const struct slot *slot,
                            const struct rf_pg_values *b, struct rf_err *err)
{
    char name[16];
    name_slot(s, slot, name);
    PGresult *r = rf_pq.prepare(s->conn, name, slot->statement, b->count, b->types);
    enum rf_code rc = rf_pq.resultStatus(r) == PGRES_COMMAND_OK ? RF_OK : failed(s, r, err);
    rf_pq.clear(r);
    return rc;
}

static enum rf_code send(struct postgres *s, const char *statement, const struct rf_pg_values *b,
                         struct rf_err *err)
{
    struct slot *slot = slot_of(s, statement);
    char name[16];
    int done;
    if (slot->opened != s->sql.opened)
        slot->sent = slot->prepared = false;
    slot->opened = s->sql.opened;
    if (slot->sent && !slot->prepared) {
        enum rf_code rc = prepare(s, slot, b, err);
        if (rc)
            return rc;
        slot->prepared = true;
    }
    slot->sent = true;
    name_slot(s, slot, name);
    if (slot->prepared)
        done =
            rf_pq.sendQueryPrepared(s->conn, name, b->count, b->values, b->lengths, b->formats, 1);
    else
        done = rf_pq.sendQueryParams(s->conn, statement, b->count, b->types, b->values, b->lengths,
                                     b->formats, 1);
    return done ? RF_OK : fail_lost(s, rf_pq.errorMessage(s->conn), err);
}

/* Receiving */

static enum rf_code give_row(struct postgres *s, const PGresult *r, rf_sql_row *each, void *ctx,
                             struct rf_err *err)
{
    struct rf_sql_value columns[MOST_COLUMNS];
    int count = rf_pq.nfields(r);
    if (count > MOST_COLUMNS)
        RF_BUG("a statement has too many columns");
    for (int i = 0; i < count; i++) {
        enum rf_code rc = rf_pg_column(r, i, &columns[i], err);
        if (rc)
            return rc;
    }
    s->in_row = true;
    s->sql.rows++;
    enum rf_code rc = each(ctx, columns, (size_t)count, err);
    s->in_row = false;
    return rc;
}

static enum rf_code take_result(struct postgres *s, const PGresult *r, rf_sql_row *each, void *ctx,
                                int64_t *changed, struct rf_err *err)
{
    ExecStatusType status = rf_pq.resultStatus(r);
    if (status == PGRES_SINGLE_TUPLE)
        return give_row(s, r, each, ctx, err);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        return failed(s, r, err);
    if (changed && !rf_str_int64(rf_str(rf_pq.cmdTuples((PGresult *)(uintptr_t)r)), changed))
        *changed = 0;
    return RF_OK;
}

/* To the end, also after a failure: the connection is needed for the next statement. */
static enum rf_code receive(struct postgres *s, rf_sql_row *each, void *ctx, int64_t *changed,
                            struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    PGresult *r;
    if (each)
        rf_pq.setSingleRowMode(s->conn);
    while ((r = rf_pq.getResult(s->conn))) {
        if (!rc)
            rc = take_result(s, r, each, ctx, changed, err);
        rf_pq.clear(r);
    }
    if (rf_pq.status(s->conn) != CONNECTION_OK && !s->sql.lost)
        rc = fail_lost(s, rf_pq.errorMessage(s->conn), rc ? NULL : err);
    return rc;
}

static enum rf_code run_here(struct postgres *s, const char *statement,
                             const struct rf_sql_value *values, size_t count, rf_sql_row *each,
                             void *ctx, int64_t *changed, struct rf_err *err)
{
    struct rf_pg_values b;
    enum rf_code rc = rf_pg_bind(values, count, &b, err);
    s->sql.rows = 0;
    if (!rc)
        rc = send(s, statement, &b, err);
    return rc ? rc : receive(s, each, ctx, changed, err);
}

/* Locks. What hashtextextended returns differs between schemas, so that two stores in one database
 * do not get in each other's way. */

#define LOCK_KEY "($1 # hashtextextended(current_schema(), 0))"

static enum rf_code ask_for_lock(struct postgres *s, int64_t key, bool shared, bool *taken,
                                 struct rf_err *err)
{
    int64_t got = 0;
    enum rf_code rc = run_here(s,
                               shared ? "SELECT pg_try_advisory_lock_shared" LOCK_KEY
                                      : "SELECT pg_try_advisory_lock" LOCK_KEY,
                               RF_VALUES(rf_sql_number(key)), rf_sql_take_number, &got, NULL, err);
    if (!rc)
        *taken = got != 0;
    return rc;
}

/* Take again what the broken connection had; what somebody else has by now is given up. */
static enum rf_code lock_again(struct postgres *s, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    size_t i = 0;
    while (!rc && i < s->locks.count) {
        struct rf_lock *l = &s->locks.items[i];
        bool taken = false;
        rc = ask_for_lock(s, l->key, l->shared, &taken, err);
        l->again = true;
        if (!rc && !taken)
            *l = s->locks.items[--s->locks.count];
        else
            i++;
    }
    return rc;
}

/* Where a network broke, the server may not know it yet and keep the locks of the old connection,
 * also those that were given up since then. */
static enum rf_code end_old(struct postgres *s, struct rf_err *err)
{
    int64_t until_ms = rf_now_ms() + OLD_LOCKS_MS, there = 0;
    for (;;) {
        enum rf_code rc = run_here(s,
                                   "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity "
                                   "WHERE application_name = $1 AND usename = current_user "
                                   "AND pid <> pg_backend_pid()",
                                   RF_VALUES(rf_sql_text(rf_str(s->client))), rf_sql_take_number,
                                   &there, NULL, err);
        if (rc || there == 0 || rf_now_ms() >= until_ms)
            return rc;
        wait_a_moment();
    }
}

static enum rf_code open_again(struct postgres *s, struct rf_err *err)
{
    rf_pq.finish(s->conn);
    s->conn = NULL;
    enum rf_code rc = connect_once(s, err);
    if (!rc)
        s->sql.opened++;
    if (!rc)
        rc = end_old(s, err);
    if (!rc)
        rc = lock_again(s, err);
    if (rc)
        s->sql.lost = true;
    return rc;
}

static enum rf_code be_open(struct postgres *s, struct rf_err *err)
{
    if (s->in_row)
        RF_BUG("a row's function uses its connection");
    if (!s->sql.lost && s->conn)
        return RF_OK;
    if (s->in_transaction)
        return fail_lost(s, "what was begun is undone", err);
    return open_again(s, err);
}

static enum rf_code run(struct rf_sql *sql, const char *statement,
                        const struct rf_sql_value *values, size_t count, rf_sql_row *each,
                        void *ctx, int64_t *changed, struct rf_err *err)
{
    sql->rows = 0;
    enum rf_code rc = be_open(of(sql), err);
    return rc ? rc : run_here(of(sql), statement, values, count, each, ctx, changed, err);
}

static enum rf_code lock(struct rf_sql *sql, struct rf_str name, bool shared, bool *taken,
                         struct rf_err *err)
{
    struct postgres *s = of(sql);
    int64_t key = rf_lock_key(name);
    bool got = false;
    enum rf_code rc = be_open(s, err);
    if (rc)
        return rc;
    struct rf_lock *had = rf_locks_find(&s->locks, key);
    if (had) {
        *taken = rf_locks_repeat(had, shared);
        return RF_OK;
    }
    rc = ask_for_lock(s, key, shared, &got, err);
    if (rc)
        return rc;
    if (got)
        rf_locks_add(&s->locks, key, shared, s->arena);
    *taken = got;
    return RF_OK;
}

static void unlock(struct rf_sql *sql, struct rf_str name, bool shared)
{
    struct postgres *s = of(sql);
    int64_t key = rf_lock_key(name);
    if (!rf_locks_drop(&s->locks, key) || s->sql.lost)
        return;
    (void)run_here(s,
                   shared ? "SELECT pg_advisory_unlock_shared" LOCK_KEY
                          : "SELECT pg_advisory_unlock" LOCK_KEY,
                   RF_VALUES(rf_sql_number(key)), NULL, NULL, NULL, NULL);
}

static enum rf_code is_locked(struct rf_sql *sql, struct rf_str name, bool *locked,
                              struct rf_err *err)
{
    int64_t found = 0;
    enum rf_code rc =
        run(sql,
            "SELECT COUNT(*) FROM pg_locks AS l, (SELECT " LOCK_KEY " AS key) AS k "
            "WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 "
            "AND l.database = (SELECT oid FROM pg_database "
            "WHERE datname = current_database()) "
            "AND CAST(l.classid AS BIGINT) = ((k.key >> 32) & 4294967295) "
            "AND CAST(l.objid AS BIGINT) = (k.key & 4294967295)",
            RF_VALUES(rf_sql_number(rf_lock_key(name))), rf_sql_take_number, &found, NULL, err);
    if (!rc)
        *locked = found > 0;
    return rc;
}

/* Transactions */

/* `tag` is what the server answers when it did that: a COMMIT of a failed transaction is a
 * ROLLBACK. */
static enum rf_code command(struct postgres *s, const char *words, const char *tag,
                            struct rf_err *err)
{
    PGresult *r = rf_pq.exec(s->conn, words);
    enum rf_code rc = RF_OK;
    if (rf_pq.resultStatus(r) != PGRES_COMMAND_OK)
        rc = failed(s, r, err);
    else if (strcmp(rf_pq.cmdStatus(r), tag) != 0)
        rc = rf_fail(err, RF_EINTERNAL,
                     "the store \"%s\": nothing was changed, as a statement failed",
                     s->address.shown.p);
    rf_pq.clear(r);
    return rc;
}

static enum rf_code begin_again(struct postgres *s, struct rf_err *err)
{
    enum rf_code rc = open_again(s, err);
    return rc ? rc : command(s, "BEGIN", "BEGIN", err);
}

/* A connection that was not used for a while is found broken here. */
static enum rf_code begin(struct rf_sql *sql, struct rf_err *err)
{
    struct postgres *s = of(sql);
    enum rf_code rc = be_open(s, err);
    if (rc)
        return rc;
    rc = command(s, "BEGIN", "BEGIN", err);
    if (rc && s->sql.lost)
        rc = begin_again(s, err);
    s->in_transaction = !rc;
    return rc;
}

static enum rf_code commit(struct rf_sql *sql, struct rf_err *err)
{
    struct postgres *s = of(sql);
    enum rf_code rc = s->sql.lost ? fail_lost(s, "what was begun is undone", err)
                                  : command(s, "COMMIT", "COMMIT", err);
    s->in_transaction = false;
    return rc;
}

static void rollback(struct rf_sql *sql)
{
    struct postgres *s = of(sql);
    if (s->in_transaction && !s->sql.lost)
        (void)command(s, "ROLLBACK", "ROLLBACK", NULL);
    s->in_transaction = false;
}

static void close_postgres(struct rf_sql *sql)
{
    struct postgres *s = of(sql);
    if (s->conn)
        rf_pq.finish(s->conn);
    for (size_t i = 0; i < SLOTS; i++)
        free(s->slots[i].text);
    rf_arena_free(s->arena);
    free(s);
}

static const struct rf_sql_engine engine = {
    .name = "postgres",
    .tables = "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'f') "
              "AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())",
    .close = close_postgres,
    .run = run,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .lock = lock,
    .unlock = unlock,
    .is_locked = is_locked,
};

enum rf_code rf_postgres_open(const char *url, struct rf_sql **out, struct rf_err *err)
{
    enum rf_code rc = rf_pq_load(err);
    if (rc)
        return rc;
    struct postgres *s = calloc(1, sizeof *s);
    if (!s)
        RF_NO_MEMORY();
    s->sql.engine = &engine;
    s->arena = rf_arena_new();
    name_client(s);
    rc = rf_pg_address_read(url, s->arena, &s->address, err);
    if (!rc) {
        s->options = rf_strf(s->arena, "%s %s", SERVER_OPTIONS, s->address.options).p;
        rc = connect_once(s, err);
    }
    if (rc)
        close_postgres(&s->sql);
    else
        *out = &s->sql;
    return rc;
}
