/* The store: appending durably beside bare SQLite that commits the same bytes on the same disk (the
 * same row into the same table, and nothing else; and beside one that has no key but a number),
 * appending in batches, opening a long session as far as its next request, its size, and listing
 * many sessions.
 *
 * The long session is one of a model that uses a computer: 10,000 messages, 1,000 screenshots of
 * 2560 x 1440 pixels and 900 KB. Only the last of them are as long as that on the disk, which is
 * all that a request can hold; of the others the tables say so. Everything is in the folder of
 * this program, which is a real disk where /tmp may be none. */
#include "base/arena.h"
#include "bench.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAMPLE 20    /* messages: short, so that a busy disk hits both */
#define WARM_UP 1200 /* messages: until each log has its full length, which makes commits faster */
#define MESSAGES 10000
#define SHOTS 1000
#define REAL_SHOTS 100
#define SHOT_BYTES 900000
#define BATCH 1000
#define SESSIONS 10000
#define MODEL "anthropic:claude-sonnet-4-5"

static void check(enum rf_code rc, const struct rf_err *err)
{
    if (!rc)
        return;
    fprintf(stderr, "bench_store: %s\n", err->msg);
    exit(1);
}

static void die(const char *what)
{
    fprintf(stderr, "bench_store: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static const char *path_in(struct rf_arena *a, const char *folder, const char *name)
{
    return rf_strf(a, "%s/%s", folder, name).p;
}

/* Messages */

static struct rf_str words(struct rf_arena *a, size_t i)
{
    return rf_strf(
        a,
        "Step %zu: the dialog is open now and the list has been sorted by date. I am going to "
        "choose the third entry, scroll to the end of the page, and compare the total there "
        "with the one from the report that we read before; if they differ by more than a "
        "rounding error, the next thing to look at is the table of corrections.",
        i);
}

static struct rf_str answer(struct rf_arena *a, size_t i)
{
    return rf_strf(
        a,
        "{\"role\":\"assistant\",\"origin\":{\"provider\":\"anthropic\",\"model\":"
        "\"claude-sonnet-4-5\"},\"content\":[{\"type\":\"text\",\"text\":\"%.*s\"},"
        "{\"type\":\"tool_call\",\"id\":\"call_%zu\",\"name\":\"computer\",\"arguments\":"
        "{\"action\":\"click\",\"x\":1200,\"y\":%zu}}],"
        "\"usage\":{\"input_tokens\":2345,\"output_tokens\":123}}",
        RF_FMT(words(a, i)), i, i % 1440);
}

static struct rf_str result(struct rf_arena *a, size_t i, const char *shot)
{
    struct rf_str blocks =
        shot ? rf_strf(a, ",\"content_blocks\":[{\"type\":\"image\",\"source_path\":\"%s\"}]", shot)
             : RF_STR("");
    return rf_strf(
        a,
        "{\"role\":\"tool\",\"tool_call_id\":\"call_%zu\",\"name\":\"computer\",\"output\":"
        "\"%.*s\"%.*s}",
        i - 1, RF_FMT(words(a, i)), RF_FMT(blocks));
}

/* A PNG that differs from all others, with `more` bytes of nothing. */
static void write_shot(const char *path, size_t number, size_t more)
{
    unsigned char png[] =
        "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x0a\0\0\0\x05\xa0\x08\2\0\0\0....\0\0\0"
        "\0IDAT........";
    static const char tail[] = "\0\0\0\0IEND\xae\x42\x60\x82";
    size_t length = more + 8;
    for (int i = 0; i < 4; i++)
        png[33 + i] = (unsigned char)(length >> (24 - 8 * i));
    memcpy(png + 41, &number, sizeof number);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    off_t at = (off_t)(sizeof png - 1 + more + 4);
    if (fd < 0 || write(fd, png, sizeof png - 1) < 0 || pwrite(fd, tail, sizeof tail - 1, at) < 0 ||
        close(fd) != 0)
        die(path);
}

/* Appending */

struct appending {
    struct rf_arena *arena;
    struct rf_session *session;
    sqlite3 *db;
    sqlite3_stmt *insert;
    size_t next;
};

static void append_ours(void *arg)
{
    struct appending *p = arg;
    struct rf_err err;
    check(rf_session_append(p->session, answer(p->arena, p->next++), &err), &err);
    rf_arena_reset(p->arena);
}

/* The values of the store's own row, or the message alone. */
static void append_bare(void *arg)
{
    struct appending *p = arg;
    struct rf_str body = answer(p->arena, p->next);
    sqlite3_bind_text(p->insert, 1, body.p, (int)body.n, SQLITE_STATIC);
    if (sqlite3_bind_parameter_count(p->insert) > 1)
        sqlite3_bind_int64(p->insert, 2, (sqlite3_int64)p->next);
    p->next++;
    if (sqlite3_step(p->insert) != SQLITE_DONE || sqlite3_reset(p->insert))
        die(sqlite3_errmsg(p->db));
    rf_arena_reset(p->arena);
}

static void append_batch(void *arg)
{
    struct appending *p = arg;
    struct rf_err err;
    check(rf_session_begin(p->session, &err), &err);
    for (int i = 0; i < BATCH; i++) {
        check(rf_session_append(p->session, answer(p->arena, p->next++), &err), &err);
        rf_arena_reset(p->arena);
    }
    check(rf_session_commit(p->session, &err), &err);
}

#define SAME_TABLE                                                                               \
    "CREATE TABLE messages (session TEXT NOT NULL, number BIGINT NOT NULL, mark TEXT NOT NULL, " \
    "created BIGINT NOT NULL, role TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, " \
    "input_tokens BIGINT NOT NULL, output_tokens BIGINT NOT NULL, body TEXT NOT NULL, "          \
    "PRIMARY KEY (session, number))"
#define SAME_ROW                                                                          \
    "INSERT INTO messages (body, number, session, mark, created, role, provider, model, " \
    "input_tokens, output_tokens) VALUES ($1, $2, '20261115-4k7m2q', "                    \
    "'0123456789abcdef0123456789abcdef', 1794700000000, 'assistant', 'anthropic', "       \
    "'claude-sonnet-4-5', 2345, 123)"
#define ONLY_TABLE "CREATE TABLE messages (number INTEGER PRIMARY KEY, body TEXT NOT NULL)"
#define ONLY_ROW "INSERT INTO messages (body) VALUES ($1)"

static void open_bare(struct appending *p, const char *path, const char *table, const char *row)
{
    p->arena = rf_arena_new();
    if (sqlite3_open(path, &p->db) ||
        sqlite3_exec(p->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", NULL, NULL,
                     NULL) ||
        sqlite3_exec(p->db, table, NULL, NULL, NULL) ||
        sqlite3_prepare_v2(p->db, row, -1, &p->insert, NULL))
        die(sqlite3_errmsg(p->db));
}

static void close_bare(struct appending *p)
{
    sqlite3_finalize(p->insert);
    sqlite3_close(p->db);
    rf_arena_free(p->arena);
}

static void report_appending(struct bench *b, const struct bench_case *ours,
                             const struct bench_case *same, const struct bench_case *only,
                             const struct bench_case *batch)
{
    double speed = BATCH / batch->best_s;
    bench_row(b, &(struct bench_row){ "append a message, on the disk", ours->best_s * 1e3, "ms",
                                      same->best_s / ours->best_s, "bare SQLite, same row",
                                      BENCH_AT_LEAST, 0.7 });
    bench_row(b, &(struct bench_row){ "the same", ours->best_s * 1e3, "ms",
                                      only->best_s / ours->best_s, "bare SQLite, text alone",
                                      BENCH_NO_GOAL, 0 });
    bench_row(b, &(struct bench_row){ "append messages in batches of 1,000", speed, "a s",
                                      speed / 5000, "5,000 a second", BENCH_AT_LEAST, 1 });
}

static void measure_appending(struct bench *b, const char *folder)
{
    struct rf_arena *a = rf_arena_new();
    struct appending ours = { .arena = rf_arena_new() }, same = { 0 }, only = { 0 };
    struct rf_store *store;
    struct rf_err err;
    check(rf_store_open_at(path_in(a, folder, "append"), &store, &err), &err);
    check(rf_session_new(store, &ours.session, &err), &err);
    open_bare(&same, path_in(a, folder, "same.db"), SAME_TABLE, SAME_ROW);
    open_bare(&only, path_in(a, folder, "only.db"), ONLY_TABLE, ONLY_ROW);
    struct bench_case one[] = { { append_ours, &ours, SAMPLE, 0 },
                                { append_bare, &same, SAMPLE, 0 },
                                { append_bare, &only, SAMPLE, 0 } };
    struct bench_case many[] = { { append_batch, &ours, 1, 0 } };
    for (int i = 0; i < WARM_UP; i++)
        for (size_t c = 0; c < 3; c++)
            one[c].run(one[c].arg);
    bench_run(b, one, 3);
    bench_run(b, many, 1);
    report_appending(b, &one[0], &one[1], &one[2], &many[0]);
    close_bare(&same);
    close_bare(&only);
    rf_session_close(ours.session);
    rf_store_close(store);
    rf_arena_free(ours.arena);
    rf_arena_free(a);
}

/* A long session */

/* A question, then calls and their results; a fifth of these with a screenshot. */
static struct rf_str long_message(struct rf_arena *a, size_t i, const char *shot)
{
    size_t every = MESSAGES / SHOTS, rest = SHOTS - i / every;
    if (i == 0)
        return RF_STR("{\"role\":\"user\",\"content\":\"Check the totals.\"}");
    if (i % 2)
        return answer(a, i);
    if (i % every != 4)
        return result(a, i, NULL);
    write_shot(shot, i, rest <= REAL_SHOTS ? SHOT_BYTES : 0);
    return result(a, i, shot);
}

static void add_long(struct rf_session *s, const char *shot)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_err err;
    check(rf_session_begin(s, &err), &err);
    for (size_t i = 0; i < MESSAGES; i++) {
        check(rf_session_append(s, long_message(a, i, shot), &err), &err);
        rf_arena_reset(a);
    }
    check(rf_session_commit(s, &err), &err);
    rf_arena_free(a);
}

/* Its id. */
static const char *make_long(const char *folder, const char *address, struct rf_arena *a)
{
    struct rf_store *store;
    struct rf_session *s;
    struct rf_err err;
    check(rf_store_open_at(address, &store, &err), &err);
    check(rf_session_new(store, &s, &err), &err);
    add_long(s, path_in(a, folder, "shot.png"));
    const char *id = rf_cstr(a, rf_str(rf_session_id(s)));
    rf_session_close(s);
    const struct rf_sql_value size = rf_sql_number(SHOT_BYTES);
    check(rf_sql_run(store->sql, "UPDATE blobs SET size = $1 WHERE size < 1000", &size, 1, NULL,
                     NULL, &err),
          &err);
    rf_store_close(store);
    return id;
}

struct opening {
    const char *address, *id;
    struct rf_model *model;
    struct rf_request_options *options;
};

static void open_and_plan(void *arg)
{
    const struct opening *o = arg;
    struct rf_store *store;
    struct rf_session *s;
    struct rf_conversation *c;
    struct rf_request *r;
    struct rf_err err;
    check(rf_store_open_at(o->address, &store, &err), &err);
    check(rf_session_open(store, o->id, true, &s, &err), &err);
    check(rf_session_conversation(s, &c, &err), &err);
    check(rf_request_build(c, o->model, o->options, &r, &err), &err);
    bench_keep(r);
    rf_request_free(r);
    rf_conversation_free(c);
    rf_session_close(s);
    rf_store_close(store);
}

static void measure_opening(struct bench *b, const char *folder)
{
    struct rf_arena *a = rf_arena_new();
    struct opening o = { .address = path_in(a, folder, "long"),
                         .options = rf_request_options_new() };
    struct bench_case cases[] = { { open_and_plan, &o, 1, 0 } };
    struct stat st;
    struct rf_err err;
    rf_request_options_as_is(o.options);
    check(rf_model_open(NULL, MODEL, &o.model, &err), &err);
    o.id = make_long(folder, o.address, a);
    if (stat(path_in(a, o.address, "sessions.db"), &st) != 0)
        die("sessions.db");
    bench_run(b, cases, 1);
    bench_row(b, &(struct bench_row){ "open 10,000 messages, to the next request",
                                      cases[0].best_s * 1e3, "ms", cases[0].best_s / 0.1, "100 ms",
                                      BENCH_AT_MOST, 1 });
    double bytes = (double)st.st_size / MESSAGES;
    bench_row(b, &(struct bench_row){ "database of it, a message", bytes, "bytes", bytes / 2048,
                                      "2 KiB", BENCH_AT_MOST, 1 });
    rf_model_close(o.model);
    rf_request_options_free(o.options);
    rf_arena_free(a);
}

/* Many sessions */

static enum rf_code insert_sessions(struct rf_store *s, void *ctx, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    enum rf_code rc = RF_OK;
    (void)ctx;
    for (int i = 0; !rc && i < SESSIONS; i++) {
        rc = rf_session_insert(s,
                               &(struct rf_session_info){
                                   .id = rf_strf(a, "20261115-%06d", i),
                                   .title = (struct rf_str){ words(a, (size_t)i).p, 80 },
                                   .created_ms = 1794700000000 + i,
                                   .updated_ms = 1794700000000 + i * 7919 % SESSIONS,
                                   .messages = 40,
                                   .provider = RF_STR("anthropic"),
                                   .model = RF_STR("claude-sonnet-4-5"),
                               },
                               false, err);
        rf_arena_reset(a);
    }
    rf_arena_free(a);
    return rc;
}

static void count_session(void *ctx, const struct rf_session_info *i)
{
    size_t *n = ctx;
    *n += i->id.n > 0;
}

static void list(void *arg)
{
    struct rf_err err;
    size_t n = 0;
    check(rf_store_list(arg, 0, count_session, &n, &err), &err);
    if (n != SESSIONS)
        die("sessions are missing");
}

static void measure_listing(struct bench *b, const char *folder)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_store *store;
    struct rf_err err;
    check(rf_store_open_at(path_in(a, folder, "many"), &store, &err), &err);
    check(rf_store_transact(store, insert_sessions, NULL, &err), &err);
    check(rf_sql_run(store->sql, "UPDATE sessions SET owner = ''", NULL, 0, NULL, NULL, &err),
          &err);
    struct bench_case cases[] = { { list, store, 1, 0 } };
    bench_run(b, cases, 1);
    bench_row(b, &(struct bench_row){ "list 10,000 sessions", cases[0].best_s * 1e3, "ms",
                                      cases[0].best_s / 0.02, "20 ms", BENCH_AT_MOST, 1 });
    rf_store_close(store);
    rf_arena_free(a);
}

int main(int argc, char **argv)
{
    struct bench b;
    char folder[PATH_MAX];
    const char *slash = strrchr(argv[0], '/');
    snprintf(folder, sizeof folder, "%.*s/refract-bench-XXXXXX", slash ? (int)(slash - argv[0]) : 1,
             slash ? argv[0] : ".");
    bench_open(&b, argc, argv);
    if (!mkdtemp(folder))
        die(folder);
    measure_appending(&b, folder);
    measure_opening(&b, folder);
    measure_listing(&b, folder);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return bench_close(&b);
}
