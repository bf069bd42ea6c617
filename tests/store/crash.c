/* A program that uses a store as it is told, so that it can be killed while it does: crash FOLDER SCRIPT
 *
 * Each line of the script is one call, named by its first word; the rest of the line is its argument:
 *
 *     open | close-store                the store in FOLDER; it is closed at the end in any case
 *     new | resume ID | fork ID | close the session that the next lines are about
 *     append JSON | set JSON | title TEXT | begin | commit
 *     drop FILE-ID                      leave a file of the session out
 *     import FILE | export FILE         (one that is not absolute is beside FOLDER)
 *     remove ID | gc SECONDS
 *     read                              every session in turn: loaded, and each blob of it read and verified
 *     visit                             the same, opened to be written; and one message is added
 *     migrate                           the tables of FOLDER, which nobody has open, two versions on
 *     chmod MODE                        the folder's permissions, as somebody else might change them
 *
 * When a call has returned it says so, before the next is made: "done N" with the line's number from 1, or
 * "failed N CODE: message | hint". A store or a session that could not be had ends it with status 3; whatever
 * else fails does not, as in a program that goes on. */
#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "store/schema.h"
#include "store/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_BYTES 2048 /* that stay in a message */
#define MOST_SCRIPT ((size_t)16 << 20)
#define MOST_SESSIONS 16
#define ADDED "{\"role\":\"user\",\"content\":\"added after the crash\"}"

struct run {
    const char *folder;
    struct rf_arena *arena;
    struct rf_store *store;
    struct rf_session *session;
};

/* Every row of `calls`: the argument is a C string that lives as long as the run. */
typedef enum rf_code call(struct run *r, const char *argument, struct rf_err *err);

/* The store */

static enum rf_code open_store(struct run *r, const char *argument, struct rf_err *err)
{
    const struct rf_store_options options = {
        .address = r->folder,
        .file_bytes = RF_STORE_FILE_BYTES,
        .text_bytes = TEXT_BYTES,
    };
    (void)argument;
    return rf_store_make(&options, &r->store, err);
}

static enum rf_code close_session(struct run *r, const char *argument, struct rf_err *err)
{
    (void)argument, (void)err;
    rf_session_close(r->session);
    r->session = NULL;
    return RF_OK;
}

static enum rf_code close_store(struct run *r, const char *argument, struct rf_err *err)
{
    close_session(r, argument, err);
    rf_store_close(r->store);
    r->store = NULL;
    return RF_OK;
}

static enum rf_code remove_session(struct run *r, const char *argument, struct rf_err *err)
{
    return rf_store_remove(r->store, argument, NULL, err);
}

static enum rf_code collect(struct run *r, const char *argument, struct rf_err *err)
{
    struct rf_gc gc;
    return rf_store_gc(r->store, strtoll(argument, NULL, 10), &gc, err);
}

static enum rf_code import_session(struct run *r, const char *argument, struct rf_err *err)
{
    char id[RF_SESSION_ID_SIZE];
    int fd = open(argument, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return rf_fail_errno(err, "could not open \"%s\"", argument);
    enum rf_code rc = rf_store_import(r->store, fd, id, err);
    close(fd);
    return rc;
}

static enum rf_code export_session(struct run *r, const char *argument, struct rf_err *err)
{
    const char *path =
        argument[0] == '/' ? argument : rf_strf(r->arena, "%s/../%s", r->folder, argument).p;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        rf_fail_errno(err, "could not make \"%s\"", path);
        rf_hint(err, "This is the test's own failure.");
        return RF_EIO;
    }
    enum rf_code rc = rf_session_export(r->session, fd, err);
    close(fd);
    return rc;
}

static enum rf_code change_mode(struct run *r, const char *argument, struct rf_err *err)
{
    if (chmod(r->folder, (mode_t)strtoul(argument, NULL, 8)) != 0)
        return rf_fail_errno(err, "could not change \"%s\"", r->folder);
    return RF_OK;
}

/* A session */

static enum rf_code new_session(struct run *r, const char *argument, struct rf_err *err)
{
    (void)argument;
    return rf_session_new(r->store, &r->session, err);
}

static enum rf_code resume(struct run *r, const char *argument, struct rf_err *err)
{
    return rf_session_open(r->store, argument, true, &r->session, err);
}

static enum rf_code fork_session(struct run *r, const char *argument, struct rf_err *err)
{
    return rf_session_fork(r->store, argument, -1, &r->session, err);
}

static enum rf_code append(struct run *r, const char *argument, struct rf_err *err)
{
    return rf_session_append(r->session, rf_str(argument), err);
}

static enum rf_code set(struct run *r, const char *argument, struct rf_err *err)
{
    return rf_session_set(r->session, rf_str(argument), err);
}

static enum rf_code title(struct run *r, const char *argument, struct rf_err *err)
{
    return rf_session_set_title(r->session, rf_str(argument), err);
}

static enum rf_code drop(struct run *r, const char *argument, struct rf_err *err)
{
    return rf_session_drop(r->session, argument, err);
}

static enum rf_code begin(struct run *r, const char *argument, struct rf_err *err)
{
    (void)argument;
    return rf_session_begin(r->session, err);
}

static enum rf_code commit(struct run *r, const char *argument, struct rf_err *err)
{
    (void)argument;
    return rf_session_commit(r->session, err);
}

/* Visiting */

struct names {
    struct rf_arena *arena;
    const char **items;
    size_t count, cap;
};

static void add_name(struct names *n, struct rf_str name)
{
    *RF_PUSH(n->arena, n->items, n->count, n->cap) = rf_cstr(n->arena, name);
}

static void add_session(void *ctx, const struct rf_session_info *i)
{
    add_name(ctx, i->id);
}

static void add_blob(void *ctx, const struct rf_session_file *f)
{
    add_name(ctx, f->hash);
}

static enum rf_code verify_blobs(struct run *r, struct rf_err *err)
{
    struct names blobs = { .arena = r->arena };
    enum rf_code rc = rf_session_files(r->session, add_blob, &blobs, err);
    for (size_t i = 0; !rc && i < blobs.count; i++) {
        struct rf_bytes bytes;
        struct rf_blob_row row;
        struct rf_hash hash;
        rc = rf_session_reach(r->session, rf_str(blobs.items[i]), r->arena, &hash, err);
        if (!rc)
            rc = rf_store_find_blob(r->store, &hash, r->arena, &row, err);
        if (!rc)
            rc = rf_blobs_get(r->store->blobs, &hash, row.object, r->arena, &bytes, err);
    }
    return rc;
}

static enum rf_code visit_session(struct run *r, const char *id, bool to_write, struct rf_err *err)
{
    struct rf_conversation *c = NULL;
    enum rf_code rc = rf_session_open(r->store, id, to_write, &r->session, err);
    if (!rc)
        rc = rf_session_conversation(r->session, &c, err);
    if (!rc) {
        rf_conversation_free(c);
        rc = verify_blobs(r, err);
    }
    if (!rc && to_write)
        rc = rf_session_append(r->session, RF_STR(ADDED), err);
    rf_session_close(r->session);
    r->session = NULL;
    return rc;
}

static enum rf_code visit_all(struct run *r, bool to_write, struct rf_err *err)
{
    struct names sessions = { .arena = r->arena };
    enum rf_code rc = rf_store_list(r->store, MOST_SESSIONS, add_session, &sessions, err);
    for (size_t i = 0; !rc && i < sessions.count; i++)
        rc = visit_session(r, sessions.items[i], to_write, err);
    return rc;
}

static enum rf_code read_all(struct run *r, const char *argument, struct rf_err *err)
{
    (void)argument;
    return visit_all(r, false, err);
}

static enum rf_code visit(struct run *r, const char *argument, struct rf_err *err)
{
    (void)argument;
    return visit_all(r, true, err);
}

/* Migrating: steps after those that there are, in the same words. */

static const char *const first[] = {
    "ALTER TABLE sessions ADD COLUMN color TEXT NOT NULL DEFAULT ''",
    "CREATE TABLE colors (session TEXT NOT NULL, color TEXT NOT NULL, PRIMARY KEY (session))",
    "UPDATE sessions SET color = 'red'",
    NULL,
};
static const char *const second[] = {
    "INSERT INTO colors (session, color) SELECT id, color FROM sessions",
    "CREATE INDEX colors_by_color ON colors (color)",
    "UPDATE messages SET mark = 'migrated'",
    NULL,
};
static const struct rf_schema_step steps[] = {
    [RF_SCHEMA_VERSION] = { first },
    [RF_SCHEMA_VERSION + 1] = { second },
};

static enum rf_code migrate(struct run *r, const char *argument, struct rf_err *err)
{
    struct rf_sql *sql = NULL;
    (void)argument;
    enum rf_code rc =
        rf_sqlite_open(rf_strf(r->arena, "%s/sessions.db", r->folder).p, false, &sql, err);
    if (!rc)
        rc = rf_schema_follow(sql, steps, sizeof steps / sizeof *steps, err);
    rf_sql_close(sql);
    return rc;
}

/* The script */

static const struct {
    const char *name;
    call *run;
    bool needed; /* without it there is nothing to go on with */
} calls[] = {
    { "open", open_store, true },
    { "close-store", close_store, false },
    { "new", new_session, true },
    { "resume", resume, true },
    { "fork", fork_session, true },
    { "close", close_session, false },
    { "append", append, false },
    { "set", set, false },
    { "title", title, false },
    { "begin", begin, false },
    { "commit", commit, false },
    { "import", import_session, false },
    { "export", export_session, false },
    { "remove", remove_session, false },
    { "gc", collect, false },
    { "drop", drop, false },
    { "read", read_all, false },
    { "visit", visit, false },
    { "migrate", migrate, false },
    { "chmod", change_mode, false },
};

/* Makes the call and says how it went; false where that ends the run. */
static bool run_line(struct run *r, int number, struct rf_str line)
{
    struct rf_str name;
    struct rf_err err = { 0 };
    rf_str_split(&line, ' ', &name);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (!rf_str_is(name, calls[i].name))
            continue;
        enum rf_code rc = calls[i].run(r, rf_cstr(r->arena, line), &err);
        if (rc)
            dprintf(1, "failed %d %s: %s | %s\n", number, rf_code_name(rc), err.msg, err.hint);
        else
            dprintf(1, "done %d\n", number);
        return !rc || !calls[i].needed;
    }
    fprintf(stderr, "crash: line %d: there is no \"%.*s\"\n", number, RF_FMT(name));
    exit(2);
}

int main(int argc, char **argv)
{
    struct run r = { .arena = rf_arena_new() };
    struct rf_str script, line;
    struct rf_err err = { 0 };
    bool goes_on = true;
    if (argc != 3 || rf_file_read(argv[2], MOST_SCRIPT, r.arena, &script, &err)) {
        fprintf(stderr, "crash: %s\n", argc == 3 ? err.msg : "crash FOLDER SCRIPT");
        return 2;
    }
    r.folder = argv[1];
    for (int number = 1; goes_on && rf_str_split(&script, '\n', &line); number++)
        if (line.n)
            goes_on = run_line(&r, number, line);
    close_store(&r, "", &err);
    rf_arena_free(r.arena);
    return goes_on ? 0 : 3;
}
