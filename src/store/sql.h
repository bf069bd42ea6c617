/* One connection to a database: the few things that the store asks of it. SQLite and PostgreSQL
 * each fill a struct rf_sql_engine; everything else in this room is the same for both, schema and
 * statements included.
 *
 * A statement is a string literal (it is prepared once, and found again by its address) in the SQL
 * that both engines speak, with $1, $2, … for its values, which appear in that order. Values are
 * always bound, never spelled: a number as BIGINT, so that whatever wants less needs a CAST (as the
 * functions for large objects do), and so does a SUM (CAST(SUM(size) AS BIGINT)). Texts are UTF-8
 * without NUL; anything else is RF_EFORMAT.
 *
 *     rc = rf_sql_run(sql, "SELECT body FROM messages WHERE session = $1 AND number >= $2",
 *                     RF_VALUES(rf_sql_text(id), rf_sql_number(7)), each, ctx, err);
 *
 * Failures: RF_EIO (the database cannot be read or written: full, read-only, gone), RF_EFORMAT (it
 * is damaged, or no store), RF_ELIMIT (others kept it busy for too long), RF_ECONFIG (it cannot be
 * reached, or the library for it is not installed), RF_EINTERNAL (a row that a key forbids).
 *
 * On a disk that is full or read-only, what is kept can be read all the same.
 *
 * A connection that broke says so by `lost`; the next begin, or the next statement outside of a
 * transaction, opens it anew, or tries to, once. Locks that it had are taken again then, as far as
 * nobody else took them meanwhile; to know whether that went well, ask for the lock again: the
 * first time after each opening, the one who has an exclusive lock is told that it was taken.
 */
#ifndef RF_STORE_SQL_H
#define RF_STORE_SQL_H

#include "base/error.h"
#include "base/str.h"

#include <refract/visibility.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rf_sql_type {
    RF_SQL_NULL,
    RF_SQL_NUMBER,
    RF_SQL_TEXT,
    RF_SQL_BYTES, /* values only, and PostgreSQL only: large objects */
};

struct rf_sql_value {
    enum rf_sql_type type;
    int64_t number;
    struct rf_str text; /* TEXT, BYTES */
};

static inline struct rf_sql_value rf_sql_number(int64_t n)
{
    return (struct rf_sql_value){ .type = RF_SQL_NUMBER, .number = n };
}

static inline struct rf_sql_value rf_sql_text(struct rf_str text)
{
    return (struct rf_sql_value){ .type = RF_SQL_TEXT, .text = text };
}

/* The values of a statement and how many they are, as two arguments. */
#define RF_VALUES(...)                            \
    (const struct rf_sql_value[]){ __VA_ARGS__ }, \
        sizeof((const struct rf_sql_value[]){ __VA_ARGS__ }) / sizeof(struct rf_sql_value)

/* Called for each row; the columns live until it returns, and it must not use the connection. A
 * number comes as RF_SQL_NUMBER, NULL as RF_SQL_NULL, everything else as RF_SQL_TEXT; `text` is
 * empty where it is not a text, and `number` 0 where it is not a number. A failure ends the query
 * with it. */
typedef enum rf_code rf_sql_row(void *ctx, const struct rf_sql_value *columns, size_t count,
                                struct rf_err *err);

/* The usual ones: there is a row (a bool), and the number in its first column (an int64_t). */
rf_sql_row rf_sql_saw_row, rf_sql_take_number;

struct rf_sql;

struct rf_sql_engine {
    const char *name;   /* "sqlite", "postgres" */
    const char *tables; /* the statement that lists the names of its tables */
    void (*close)(struct rf_sql *);
    /* `each` may be NULL; `*changed` (or NULL) becomes the number of rows that were changed. */
    enum rf_code (*run)(struct rf_sql *, const char *statement, const struct rf_sql_value *values,
                        size_t count, rf_sql_row *each, void *ctx, int64_t *changed,
                        struct rf_err *err);
    enum rf_code (*begin)(struct rf_sql *, struct rf_err *err); /* to write */
    /* On a failure it is rolled back, unless the connection broke: then it is unknown. */
    enum rf_code (*commit)(struct rf_sql *, struct rf_err *err);
    void (*rollback)(struct rf_sql *); /* where nothing was begun: nothing */
    /* A lock by name, for this connection, among all processes that use the database. `*taken` is
     * false where another has it, or this connection itself, unless both times it is shared; a
     * shared lock is to be unlocked as often as it was taken. It is gone with the process, however
     * that ends. */
    enum rf_code (*lock)(struct rf_sql *, struct rf_str name, bool shared, bool *taken,
                         struct rf_err *err);
    void (*unlock)(struct rf_sql *, struct rf_str name, bool shared);
    /* Has anybody the lock, this connection included? Takes nothing, so others are not
     * disturbed. */
    enum rf_code (*is_locked)(struct rf_sql *, struct rf_str name, bool *locked,
                              struct rf_err *err);
    /* The disk is full, and there may be a little room by now: give back what a log takes, and
     * write as little as possible from now on. NULL where the disk is a server's. */
    void (*save_room)(struct rf_sql *);
    /* Give the disk back what deleted rows have left, where that is worth it; how many bytes.
     * Outside of a transaction. NULL where the server sees to it. */
    int64_t (*shrink)(struct rf_sql *);
};

/* The first member of each engine's own struct. */
struct rf_sql {
    const struct rf_sql_engine *engine;
    bool lost;       /* the connection broke: what was begun is undone, unless the commit broke */
    bool begun;      /* between rf_sql_begin and its end */
    bool full;       /* a disk of this machine was: the last failure */
    bool read_only;  /* nothing can be written here, and no exclusive lock be taken */
    unsigned opened; /* how often it was opened anew */
    size_t rows;     /* that the last statement has given, also where it failed then */
};

/* A file of SQLite: WAL, every commit on the disk before it returns. With `create` false a file
 * that is not there is RF_ENOTFOUND. */
RF_MUST enum rf_code rf_sqlite_open(const char *path, bool create, struct rf_sql **out,
                                    struct rf_err *err);
/* A postgres:// address, by a libpq that is loaded here for the first time. Errors never show a
 * password. */
RF_MUST enum rf_code rf_postgres_open(const char *url, struct rf_sql **out, struct rf_err *err);

static inline void rf_sql_close(struct rf_sql *s)
{
    if (s)
        s->engine->close(s);
}

static inline enum rf_code rf_sql_run(struct rf_sql *s, const char *statement,
                                      const struct rf_sql_value *values, size_t count,
                                      rf_sql_row *each, void *ctx, struct rf_err *err)
{
    return s->engine->run(s, statement, values, count, each, ctx, NULL, err);
}

static inline enum rf_code rf_sql_change(struct rf_sql *s, const char *statement,
                                         const struct rf_sql_value *values, size_t count,
                                         int64_t *changed, struct rf_err *err)
{
    return s->engine->run(s, statement, values, count, NULL, NULL, changed, err);
}

/* Everything from here on is one: kept by rf_sql_commit, undone by rf_sql_rollback and by a failed
 * commit (but see `lost`). */
static inline enum rf_code rf_sql_begin(struct rf_sql *s, struct rf_err *err)
{
    enum rf_code rc = s->engine->begin(s, err);
    s->begun = rc == RF_OK;
    return rc;
}

static inline enum rf_code rf_sql_commit(struct rf_sql *s, struct rf_err *err)
{
    s->begun = false;
    return s->engine->commit(s, err);
}

static inline void rf_sql_rollback(struct rf_sql *s)
{
    s->begun = false;
    s->engine->rollback(s);
}

#endif
