/* SQLite behind sql.h: one file with its write-ahead log, and a file of locks beside it.
 *
 * Every commit is on the disk before it returns, and readers do not wait for the writer, unless the
 * disk is full (sqlite_ways.h). The locks of sql.h are bytes of the file PATH.lock (sessions.lock
 * for sessions.db), which is empty and stays: the system frees them with the process, and there is
 * nothing to clean up after a crash.
 *
 * The file may come from anywhere: its triggers and views are not run, and its columns may hold
 * what their types forbid. Nothing here makes folders or changes the permissions of a file that is
 * there. */
#include "store/sql.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "store/folders.h"
#include "store/locks.h"
#include "store/sqlite_library.h"
#include "store/sqlite_ways.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BUSY_MS 10000 /* others write for milliseconds */
#define PAUSE_MS 10
#define SLOTS 256 /* of prepared statements; a power of two, and more than this room has */
#define MOST_COLUMNS 32
#define SHRINK_FROM ((int64_t)1 << 20)  /* bytes that are free in the file */
#define SHRINK_MOST ((int64_t)64 << 20) /* bytes that stay */

/* Locks of the open file rather than of the process, where the system has them: with the others,
 * two stores of one process do not notice each other. */
#ifdef F_OFD_SETLK
#define SET_LOCK F_OFD_SETLK
#define GET_LOCK F_OFD_GETLK
#else
#define SET_LOCK F_SETLK
#define GET_LOCK F_GETLK
#endif

struct slot {
    const char *statement;
    sqlite3_stmt *prepared;
};

struct sqlite {
    struct rf_sql sql; /* first */
    struct rf_arena *arena;
    sqlite3 *db;
    const char *path, *lock_path;
    int lock_file; /* -1 until a lock is wanted */
    struct rf_locks locks;
    bool in_row; /* a row's function is running */
    struct slot slots[SLOTS];
};

static struct sqlite *of(struct rf_sql *sql)
{
    return (struct sqlite *)sql;
}

/* Failures */

static const struct fault {
    int primary; /* SQLite's code without its details */
    enum rf_code code;
    const char *words, *hint;
} faults[] = {
    { SQLITE_FULL, RF_EIO, "the disk is full", "Free some space, then try again." },
    { SQLITE_READONLY, RF_EIO, "it may not be written to",
      "Make the file and its folder writable for you." },
    { SQLITE_PERM, RF_EIO, "access was denied", "Make the file and its folder writable for you." },
    { SQLITE_CANTOPEN, RF_EIO, "it could not be opened",
      "Make sure that the file and its folder can be read and written by you." },
    { SQLITE_IOERR, RF_EIO, "reading or writing failed", "See whether the disk is well." },
    { SQLITE_CORRUPT, RF_EFORMAT, "the database is damaged",
      "Move it away and restore a backup, or save what can be read with "
      "\"sqlite3 FILE .recover\"." },
    { SQLITE_NOTADB, RF_EFORMAT, "it is not a database of SQLite",
      "Move the file away, or name another place for the store." },
    { SQLITE_BUSY, RF_ELIMIT, "other processes kept it busy", "Try again in a moment." },
    { SQLITE_LOCKED, RF_ELIMIT, "other processes kept it busy", "Try again in a moment." },
    { SQLITE_PROTOCOL, RF_ELIMIT, "other processes kept it busy", "Try again in a moment." },
    { SQLITE_TOOBIG, RF_ELIMIT, "a text is too long for it", "" },
    { SQLITE_CONSTRAINT, RF_EINTERNAL, "a row is there already, or must not be there", "" },
    { SQLITE_ERROR, RF_EFORMAT, "its tables are not those of a store",
      "Move the file away, or name another place for the store." },
};
static const struct fault unforeseen = { SQLITE_INTERNAL, RF_EINTERNAL, "the database failed", "" };

static const struct fault *fault_of(int primary)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].primary == primary)
            return &faults[i];
    return &unforeseen;
}

/* SQLite knows some of the system's failures as "input or output" alone. */
static int with_system(int primary, int system)
{
    if (system == ENOSPC || system == EDQUOT)
        return SQLITE_FULL;
    return system == EROFS ? SQLITE_READONLY : primary;
}

/* The system's failure behind SQLite's, or 0. A commit forgets to note it; then it is the last one
 * since step_all. That a file is not there is never it: SQLite has just tried to make it, and asks
 * for others. */
static int system_failure(struct sqlite *s, int primary)
{
    int last = errno;
    if (primary != SQLITE_IOERR && primary != SQLITE_CANTOPEN)
        return 0;
    int noted = rf_sqlite.system_errno(s->db), system = noted ? noted : last;
    return system == ENOENT ? 0 : system;
}

/* What SQLite failed with last, in our words and in its own. */
static enum rf_code failed(struct sqlite *s, int code, struct rf_err *err)
{
    int primary = code & 0xff, system = system_failure(s, primary);
    if (primary == SQLITE_NOMEM)
        RF_NO_MEMORY();
    const struct fault *f = fault_of(with_system(primary, system));
    s->sql.full = f->primary == SQLITE_FULL;
    rf_fail(err, f->code, "the store \"%s\": %s (%s)", s->path, f->words,
            system ? strerror(system) : rf_sqlite.errmsg(s->db));
    rf_hint(err, "%s", f->hint);
    return f->code;
}

/* Files */

/* The name of a file that is new, on the disk too. */
static enum rf_code sync_name(const char *path, struct rf_arena *a, struct rf_err *err)
{
    return rf_folder_sync(rf_strf(a, "%.*s", (int)(strrchr(path, '/') - path + 1), path).p, err);
}

/* Make an empty file, unless there is one. SQLite would give it the permissions of the umask; the
 * log gets those of the file. */
static enum rf_code make_file(const char *path, struct rf_arena *a, struct rf_err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 && errno == EEXIST)
        return RF_OK;
    if (fd < 0 || fchmod(fd, 0600) != 0) {
        rf_could_not("make", path, err);
        if (fd >= 0)
            close(fd);
        return RF_EIO;
    }
    close(fd);
    return sync_name(path, a, err);
}

/* Statements */

static void check_parameters(sqlite3_stmt *prepared)
{
    char want[16];
    for (int i = 1; i <= rf_sqlite.bind_parameter_count(prepared); i++) {
        const char *name = rf_sqlite.bind_parameter_name(prepared, i);
        snprintf(want, sizeof want, "$%d", i);
        if (!name || strcmp(name, want) != 0)
            RF_BUG("the values of a statement do not appear in the order of their numbers");
    }
}

static struct slot *slot_of(struct sqlite *s, const char *statement)
{
    size_t at = (size_t)(((uintptr_t)statement * 0x9e3779b97f4a7c15u) >> 32) % SLOTS;
    for (size_t i = 0; i < SLOTS; i++) {
        struct slot *slot = &s->slots[(at + i) % SLOTS];
        if (!slot->statement || slot->statement == statement)
            return slot;
    }
    RF_BUG("more statements than there is room for");
}

static enum rf_code prepare(struct sqlite *s, const char *statement, sqlite3_stmt **out,
                            struct rf_err *err)
{
    struct slot *slot = slot_of(s, statement);
    if (!slot->statement) {
        sqlite3_stmt *prepared;
        int code =
            rf_sqlite.prepare_v3(s->db, statement, -1, SQLITE_PREPARE_PERSISTENT, &prepared, NULL);
        if (code)
            return failed(s, code, err);
        check_parameters(prepared);
        *slot = (struct slot){ statement, prepared };
    }
    if (strcmp(rf_sqlite.sql(slot->prepared), statement) != 0)
        RF_BUG("a statement is not a string literal: it has changed");
    *out = slot->prepared;
    return RF_OK;
}

static enum rf_code bind_text(struct sqlite *s, sqlite3_stmt *p, int at, struct rf_str text,
                              struct rf_err *err)
{
    if (text.n && (memchr(text.p, 0, text.n) || rf_utf8_valid(text) != text.n))
        return rf_fail(err, RF_EFORMAT, "the store \"%s\": a text is not UTF-8, or has a NUL in it",
                       s->path);
    int code =
        rf_sqlite.bind_text64(p, at, text.n ? text.p : "", text.n, SQLITE_STATIC, SQLITE_UTF8);
    return code ? failed(s, code, err) : RF_OK;
}

static enum rf_code bind(struct sqlite *s, sqlite3_stmt *p, const struct rf_sql_value *values,
                         size_t count, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    if ((size_t)rf_sqlite.bind_parameter_count(p) != count)
        RF_BUG("a statement has another number of values");
    for (size_t i = 0; !rc && i < count; i++) {
        int at = (int)i + 1, code = SQLITE_OK;
        switch (values[i].type) {
        case RF_SQL_NULL:
            code = rf_sqlite.bind_null(p, at);
            break;
        case RF_SQL_NUMBER:
            code = rf_sqlite.bind_int64(p, at, values[i].number);
            break;
        case RF_SQL_TEXT:
            rc = bind_text(s, p, at, values[i].text, err);
            break;
        case RF_SQL_BYTES:
            RF_BUG("bytes are for large objects, which SQLite does not have");
        }
        if (code)
            rc = failed(s, code, err);
    }
    return rc;
}

static struct rf_sql_value column(sqlite3_stmt *p, int at)
{
    static const struct rf_str empty = RF_STR_INIT("");
    int type = rf_sqlite.column_type(p, at);
    if (type == SQLITE_NULL)
        return (struct rf_sql_value){ .type = RF_SQL_NULL, .text = empty };
    if (type == SQLITE_INTEGER)
        return (struct rf_sql_value){ .type = RF_SQL_NUMBER,
                                      .number = rf_sqlite.column_int64(p, at),
                                      .text = empty };
    const char *text = (const char *)rf_sqlite.column_text(p, at); /* before its length */
    size_t n = (size_t)rf_sqlite.column_bytes(p, at);
    return rf_sql_text(text ? (struct rf_str){ text, n } : empty);
}

static enum rf_code give_row(struct sqlite *s, sqlite3_stmt *p, rf_sql_row *each, void *ctx,
                             struct rf_err *err)
{
    struct rf_sql_value columns[MOST_COLUMNS];
    int count = rf_sqlite.column_count(p);
    if (!each)
        return RF_OK;
    if (count > MOST_COLUMNS)
        RF_BUG("a statement has too many columns");
    for (int i = 0; i < count; i++)
        columns[i] = column(p, i);
    s->in_row = true;
    s->sql.rows++;
    enum rf_code rc = each(ctx, columns, (size_t)count, err);
    s->in_row = false;
    return rc;
}

static enum rf_code step_all(struct sqlite *s, sqlite3_stmt *p, rf_sql_row *each, void *ctx,
                             struct rf_err *err)
{
    for (;;) {
        errno = 0;
        int code = rf_sqlite.step(p);
        if (code == SQLITE_DONE)
            return RF_OK;
        if (code != SQLITE_ROW)
            return failed(s, code, err);
        enum rf_code rc = give_row(s, p, each, ctx, err);
        if (rc)
            return rc;
    }
}

static enum rf_code run(struct rf_sql *sql, const char *statement,
                        const struct rf_sql_value *values, size_t count, rf_sql_row *each,
                        void *ctx, int64_t *changed, struct rf_err *err)
{
    struct sqlite *s = of(sql);
    sqlite3_stmt *p = NULL;
    if (s->in_row)
        RF_BUG("a row's function uses its connection");
    sql->rows = 0;
    enum rf_code rc = prepare(s, statement, &p, err);
    if (rc)
        return rc;
    rc = bind(s, p, values, count, err);
    if (!rc)
        rc = step_all(s, p, each, ctx, err);
    if (!rc && changed)
        *changed = rf_sqlite.changes64(s->db);
    rf_sqlite.reset(p);
    rf_sqlite.clear_bindings(p); /* they pointed to what belongs to the caller */
    return rc;
}

/* Transactions */

static enum rf_code begin(struct rf_sql *sql, struct rf_err *err)
{
    return run(sql, "BEGIN IMMEDIATE", NULL, 0, NULL, NULL, NULL, err);
}

static void rollback(struct rf_sql *sql)
{
    if (!rf_sqlite.get_autocommit(of(sql)->db))
        (void)run(sql, "ROLLBACK", NULL, 0, NULL, NULL, NULL, NULL);
}

/* A log that could not be synced may hold the commit nevertheless, and whoever opens it next would
 * believe it. So it is written over, by a change that changes nothing. */
static void take_back(struct rf_sql *sql, struct rf_err *err)
{
    if (run(sql, "PRAGMA user_version = 0", NULL, 0, NULL, NULL, NULL, NULL))
        rf_hint(err, "It is not known whether this was kept; see to the disk, then look.");
}

static enum rf_code commit(struct rf_sql *sql, struct rf_err *err)
{
    enum rf_code rc = run(sql, "COMMIT", NULL, 0, NULL, NULL, NULL, err);
    bool unsynced = rc && rf_sqlite.extended_errcode(of(sql)->db) == SQLITE_IOERR_FSYNC;
    if (rc)
        rollback(sql);
    if (unsynced)
        take_back(sql, err);
    return rc;
}

/* Locks */

static struct flock lock_at(int64_t key, short type)
{
    return (
        struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)key, .l_len = 1 };
}

/* Where nothing can be written, the file may be missing: then there is no lock. */
static enum rf_code open_locks(struct sqlite *s, struct rf_err *err)
{
    if (s->sql.read_only && s->lock_file < 0)
        s->lock_file = open(s->lock_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (s->lock_file >= 0 || s->sql.read_only)
        return RF_OK;
    enum rf_code rc = make_file(s->lock_path, s->arena, err);
    if (rc)
        return rc;
    int fd = open(s->lock_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        rf_fail_errno(err, "could not open \"%s\"", s->lock_path);
        rf_hint(err, "Make the file and its folder writable for you.");
        return RF_EIO;
    }
    s->lock_file = fd;
    return RF_OK;
}

static enum rf_code fail_read_only(const struct sqlite *s, struct rf_err *err)
{
    rf_fail(err, RF_EIO,
            "the store \"%s\" is read-only: nothing can be kept in it or removed from it", s->path);
    rf_hint(err,
            "Make its disk and its folder writable for you; until then it can be listed, shown "
            "and exported.");
    return RF_EIO;
}

static enum rf_code lock(struct rf_sql *sql, struct rf_str name, bool shared, bool *taken,
                         struct rf_err *err)
{
    struct sqlite *s = of(sql);
    int64_t key = rf_lock_key(name);
    if (sql->read_only && !shared)
        return fail_read_only(s, err);
    struct rf_lock *had = rf_locks_find(&s->locks, key);
    if (had) {
        *taken = rf_locks_repeat(had, shared);
        return RF_OK;
    }
    enum rf_code rc = open_locks(s, err);
    if (rc)
        return rc;
    struct flock l = lock_at(key, shared ? F_RDLCK : F_WRLCK);
    if (s->lock_file < 0 || fcntl(s->lock_file, SET_LOCK, &l) == 0) {
        rf_locks_add(&s->locks, key, shared, s->arena);
        *taken = true;
    } else if (errno == EAGAIN || errno == EACCES) {
        *taken = false;
    } else {
        rf_fail_errno(err, "could not lock \"%s\"", s->lock_path);
        rf_hint(err, "Put the store on a disk whose file system has locks.");
        return RF_EIO;
    }
    return RF_OK;
}

static void unlock(struct rf_sql *sql, struct rf_str name, bool shared)
{
    struct sqlite *s = of(sql);
    int64_t key = rf_lock_key(name);
    struct flock l = lock_at(key, F_UNLCK);
    (void)shared;
    if (rf_locks_drop(&s->locks, key) && s->lock_file >= 0)
        fcntl(s->lock_file, SET_LOCK, &l);
}

static enum rf_code is_locked(struct rf_sql *sql, struct rf_str name, bool *locked,
                              struct rf_err *err)
{
    struct sqlite *s = of(sql);
    struct flock l = lock_at(rf_lock_key(name), F_WRLCK);
    if (rf_locks_find(&s->locks, rf_lock_key(name))) {
        *locked = true;
        return RF_OK;
    }
    enum rf_code rc = open_locks(s, err);
    if (rc)
        return rc;
    if (s->lock_file < 0) {
        *locked = false;
        return RF_OK;
    }
    if (fcntl(s->lock_file, GET_LOCK, &l) != 0) {
        rf_fail_errno(err, "could not look at the locks of \"%s\"", s->lock_path);
        return RF_EIO;
    }
    *locked = l.l_type != F_UNLCK;
    return RF_OK;
}

/* Room on the disk */

/* Else rows that are deleted may be written over with zeros, each in the log first. */
static void save_room(struct rf_sql *sql)
{
    (void)run(sql, "PRAGMA secure_delete = FAST", NULL, 0, NULL, NULL, NULL, NULL);
    (void)run(sql, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, 0, NULL, NULL, NULL, NULL);
}

static int64_t number_of(struct rf_sql *sql, const char *statement)
{
    int64_t n = 0;
    return run(sql, statement, NULL, 0, rf_sql_take_number, &n, NULL, NULL) ? 0 : n;
}

/* All that is kept is written anew, to memory and then to the log. */
static int64_t shrink(struct rf_sql *sql)
{
    int64_t page = number_of(sql, "PRAGMA page_size");
    int64_t unused = number_of(sql, "PRAGMA freelist_count") * page;
    int64_t kept = number_of(sql, "PRAGMA page_count") * page - unused;
    if (unused < SHRINK_FROM || unused < kept / 2 || kept > SHRINK_MOST ||
        run(sql, "VACUUM", NULL, 0, NULL, NULL, NULL, NULL))
        return 0;
    (void)run(sql, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, 0, NULL, NULL, NULL, NULL);
    return unused;
}

/* Opening and closing */

static void disconnect(struct sqlite *s)
{
    for (size_t i = 0; i < SLOTS; i++) {
        rf_sqlite.finalize(s->slots[i].prepared);
        s->slots[i] = (struct slot){ 0 };
    }
    rf_sqlite.close(s->db);
    s->db = NULL;
}

static void close_sqlite(struct rf_sql *sql)
{
    struct sqlite *s = of(sql);
    disconnect(s);
    if (s->lock_file >= 0)
        close(s->lock_file);
    rf_arena_free(s->arena);
}

static const struct rf_sql_engine engine = {
    .name = "sqlite",
    .tables = "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND type <> 'index'",
    .close = close_sqlite,
    .run = run,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .lock = lock,
    .unlock = unlock,
    .is_locked = is_locked,
    .save_room = save_room,
    .shrink = shrink,
};

/* With a folder before it, no path is one of the names that SQLite takes for something else. */
static struct sqlite *sqlite_new(const char *path)
{
    struct rf_arena *a = rf_arena_new();
    struct sqlite *s = RF_NEW(a, struct sqlite);
    size_t n = strlen(path), stem = rf_str_ends(rf_str(path), ".db") ? n - 3 : n;
    s->sql.engine = &engine;
    s->arena = a;
    s->path = rf_strf(a, "%s%s", path[0] == '/' ? "" : "./", path).p;
    s->lock_path = rf_strf(a, "%s%.*s.lock", path[0] == '/' ? "" : "./", (int)stem, path).p;
    s->lock_file = -1;
    return s;
}

static enum rf_code look_for_file(struct sqlite *s, struct rf_err *err)
{
    struct stat st;
    if (stat(s->path, &st) == 0)
        return RF_OK;
    return rf_fail_errno(err, "could not open the store \"%s\"", s->path);
}

static enum rf_code expect_wal(void *ctx, const struct rf_sql_value *columns, size_t count,
                               struct rf_err *err)
{
    const struct sqlite *s = ctx;
    if (count == 1 && rf_str_is(columns[0].text, "wal"))
        return RF_OK;
    enum rf_code rc =
        rf_fail(err, RF_EIO, "the store \"%s\" cannot have a write-ahead log", s->path);
    rf_hint(err, "Put the store on a local disk.");
    return rc;
}

static enum rf_code count_tables(void *ctx, const struct rf_sql_value *columns, size_t count,
                                 struct rf_err *err)
{
    (void)count, (void)err;
    *(bool *)ctx = columns[0].number > 0 && columns[1].number == 0;
    return RF_OK;
}

/* A database of somebody else stays as it is: schema.h will refuse it. */
static enum rf_code is_foreign(struct sqlite *s, bool *foreign, struct rf_err *err)
{
    return run(
        &s->sql,
        "SELECT COUNT(*), COUNT(CASE WHEN name = 'store_meta' THEN 1 END) FROM sqlite_master", NULL,
        0, count_tables, foreign, NULL, err);
}

/* When several processes make a store at once, SQLite gives up on this without waiting. */
static enum rf_code use_wal(struct sqlite *s, struct rf_err *err)
{
    const struct timespec pause = { 0, PAUSE_MS * 1000000L };
    enum rf_code rc = RF_ELIMIT;
    for (int waited = 0; rc == RF_ELIMIT && waited < BUSY_MS; waited += PAUSE_MS) {
        rc = run(&s->sql, "PRAGMA journal_mode = WAL", NULL, 0, expect_wal, s, NULL, err);
        if (rc == RF_ELIMIT)
            nanosleep(&pause, NULL);
    }
    return rc;
}

static void distrust_file(sqlite3 *db)
{
    static const struct {
        int what, on;
    } settings[] = {
        { SQLITE_DBCONFIG_DEFENSIVE, 1 },      { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
        { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 }, { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
        { SQLITE_DBCONFIG_DQS_DDL, 0 },        { SQLITE_DBCONFIG_DQS_DML, 0 },
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        rf_sqlite.db_config(db, settings[i].what, settings[i].on, NULL);
}

static enum rf_code open_way(struct sqlite *s, enum rf_sqlite_way way, struct rf_err *err)
{
    static const char *const settings[] = {
        "PRAGMA temp_store = MEMORY", "PRAGMA synchronous = FULL", "PRAGMA cell_size_check = ON",
        "PRAGMA cache_size = -8192", /* KiB: listing thousands of sessions reads each page once */
    };
    int code = rf_sqlite_connect(s->path, way, &s->db);
    if (code)
        return failed(s, code, err);
    distrust_file(s->db);
    rf_sqlite.busy_timeout(s->db, BUSY_MS);
    bool foreign = false;
    enum rf_code rc = is_foreign(s, &foreign, err);
    s->sql.read_only = rf_sqlite.db_readonly(s->db, "main") == 1;
    if (!rc && !foreign && !s->sql.read_only)
        rc = use_wal(s, err);
    for (size_t i = 0; !rc && i < sizeof settings / sizeof *settings; i++)
        rc = run(&s->sql, settings[i], NULL, 0, NULL, NULL, NULL, err);
    return rc;
}

/* The failure that is told is the first one. */
static enum rf_code open_database(struct sqlite *s, struct rf_err *err)
{
    struct rf_err other;
    enum rf_code rc = open_way(s, RF_SQLITE_USUAL, err);
    bool frozen = rc == RF_EIO && rf_sqlite_is_frozen(s->path);
    if (rc != RF_EIO || !(s->sql.full || frozen))
        return rc;
    disconnect(s);
    return open_way(s, frozen ? RF_SQLITE_FROZEN : RF_SQLITE_ALONE, &other) ? rc : RF_OK;
}

enum rf_code rf_sqlite_open(const char *path, bool create, struct rf_sql **out, struct rf_err *err)
{
    enum rf_code rc = rf_sqlite_load(err);
    if (rc)
        return rc;
    struct sqlite *s = sqlite_new(path);
    rc = create ? make_file(s->path, s->arena, err) : look_for_file(s, err);
    if (!rc)
        rc = open_database(s, err);
    if (rc)
        close_sqlite(&s->sql);
    else
        *out = &s->sql;
    return rc;
}
