/* Eight processes add to eight sessions, and all of them read and list each other's, while the server is
 * restarted, connections are cut and writers are killed. What was acknowledged must be there once and in
 * its order; nobody may ever see half of anything, or less than before.
 *
 * REFRACT_STRESS_SECONDS says how long it takes with PostgreSQL. Needs a server of its own, which may be
 * restarted: with_postgres.py --own. */
#include "base/base64.h"
#include "base/bytes.h"

#include "sessions.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

#define WRITERS 8
#define SECONDS 30
#define SQLITE_SECONDS 5
#define BATCH 3 /* messages; every eighth append is such a batch */
#define PICTURE_BYTES 61
#define SHARED 5       /* pictures that all sessions have */
#define PATIENCE_S 300 /* that a writer tries to open its session again: it hangs */

/* What the processes share. A writer's numbers are its own to change. */
struct stress {
    const struct place *place;
    bool in_database; /* the blobs */
    pid_t parent;
    atomic_bool stop;
    atomic_bool rough; /* from now on failures are allowed that say so */
    struct writer {
        char id[RF_SESSION_ID_SIZE]; /* is there when `kept` is not 0 */
        atomic_int pid;
        atomic_int kept; /* messages that were acknowledged */
    } writers[WRITERS];
    atomic_int reads, reported, unknown, opened; /* how often */
    atomic_bool failed;
    char words[512]; /* why */
};

static struct stress *stress;

/* In a process that cmocka does not know: say why, for the parent, and end. */
#define must(condition, ...) ((condition) ? (void)0 : give_up(__LINE__, __VA_ARGS__))

__attribute__((format(printf, 2, 3))) static void give_up(int line, const char *fmt, ...)
{
    va_list ap;
    char words[400];
    va_start(ap, fmt);
    vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    if (!atomic_exchange(&stress->failed, true))
        snprintf(stress->words, sizeof stress->words, "line %d, process %ld: %s", line,
                 (long)getpid(), words);
    _exit(1);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* A failure: nothing but what the place may do to us. */
static void check_failure(enum rf_code rc, const struct rf_err *err)
{
    must(stress->rough, "failed though nothing was wrong: %s: %s", rf_code_name(rc), err->msg);
    must(rc == RF_EIO || rc == RF_ECONFIG, "%s: %s", rf_code_name(rc), err->msg);
    atomic_fetch_add(&stress->reported, 1);
}

static enum rf_code open_store(struct rf_store **out, struct rf_err *err)
{
    const struct place *p = stress->place;
    const struct rf_store_options options = {
        .address = p->address,
        .blobs = stress->in_database ? "database" : blobs_of(p),
        .cache = in_folder(p->arena, p->folder, "cache"),
        .file_bytes = RF_STORE_FILE_BYTES,
        .text_bytes = RF_STORE_TEXT_BYTES,
    };
    return rf_store_make(&options, out, err);
}

static struct rf_store *open_with_patience(void)
{
    struct rf_store *store;
    struct rf_err err;
    double until = now_s() + PATIENCE_S;
    for (enum rf_code rc; (rc = open_store(&store, &err)); pause_ms(50)) {
        check_failure(rc, &err);
        must(now_s() < until, "the store does not come back: %s", err.msg);
    }
    return store;
}

/* Messages: who wrote them, their number, the last of their batch; and three pictures in those of users,
 * two of which all sessions have, in no order. */

static void put_number(unsigned char *at, unsigned n)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(n >> (24 - 8 * i));
}

static struct rf_str picture(struct rf_arena *a, unsigned number)
{
    unsigned char png[] =
        "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x08\0\0\0\x08\x08\2\0\0\0\x4b\x6d\x29"
        "\xdc\0\0\0\x04IDAT....~~~~\0\0\0\0IEND\xae\x42\x60\x82";
    char *text = rf_arena_alloc(a, rf_base64_length(sizeof png));
    put_number(png + 41, number);
    return (struct rf_str){ text, rf_base64_encode(png, sizeof png - 1, text) };
}

static struct rf_str message(struct rf_arena *a, int writer, int number, int last)
{
    struct rf_str words = rf_strf(a, "writer %d message %d of %d", writer, number, last);
    unsigned own = (unsigned)(1000 + writer + WRITERS * number);
    unsigned one = (unsigned)random() % SHARED;
    unsigned other = (one + 1 + (unsigned)random() % (SHARED - 1)) % SHARED;
    if (number % 2)
        return rf_strf(a,
                       "{\"role\":\"assistant\",\"origin\":{\"provider\":\"p\",\"model\":\"m\"},"
                       "\"content\":\"%.*s\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}",
                       RF_FMT(words));
    return rf_strf(a,
                   "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"%.*s\"},"
                   "{\"type\":\"image\",\"data\":\"%.*s\"},{\"type\":\"image\",\"data\":\"%.*s\"},"
                   "{\"type\":\"image\",\"data\":\"%.*s\"}]}",
                   RF_FMT(words), RF_FMT(picture(a, one)), RF_FMT(picture(a, own)),
                   RF_FMT(picture(a, other)));
}

static void check_message(const struct rf_message *m, int writer, int number, int count)
{
    char words[100] = "";
    int by = -1, at = -1, last = -1;
    must(m->block_count == (number % 2 ? 1 : 4), "message %d of writer %d has %zu blocks", number,
         writer, m->block_count);
    snprintf(words, sizeof words, "%.*s", RF_FMT(m->blocks[0].text));
    must(sscanf(words, "writer %d message %d of %d", &by, &at, &last) == 3, "a message is \"%s\"",
         words);
    must(by == writer && at == number, "message %d of writer %d is \"%s\"", number, writer, words);
    must(last < count, "message \"%s\" is there without its batch: %d are", words, count);
    for (size_t i = 1; i < m->block_count; i++)
        must(m->blocks[i].media.source.kind == RF_SOURCE_BLOB, "picture %zu of \"%s\" is not a blob",
             i, words);
}

static void check_pictures(const struct rf_conversation *c, const struct rf_message *m)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_bytes bytes;
    struct rf_err err;
    for (size_t i = 1; i < m->block_count; i++) {
        enum rf_code rc =
            c->blobs->open(c->blobs->ctx, m->blocks[i].media.source.ref, a, &bytes, &err);
        if (rc)
            check_failure(rc, &err);
        else
            must(bytes.size == PICTURE_BYTES, "a picture has %ju bytes", (uintmax_t)bytes.size);
    }
    rf_arena_free(a);
}

/* Reading. What a process has seen of a session can only grow. */

struct seen {
    int messages;
    int64_t listed, files;
};

static void check_session(struct rf_session *s, int writer, struct seen *seen, int at_least)
{
    struct rf_conversation *c;
    struct rf_err err;
    enum rf_code rc = rf_session_conversation(s, &c, &err);
    if (rc) {
        check_failure(rc, &err);
        return;
    }
    int count = (int)c->message_count, at_most = stress->writers[writer].kept + BATCH;
    must(count >= seen->messages, "session %s shrank from %d to %d", s->id, seen->messages, count);
    must(count >= at_least, "session %s has %d of %d messages", s->id, count, at_least);
    must(count <= at_most, "session %s has %d messages, over %d", s->id, count, at_most);
    for (int i = 0; i < count; i++)
        check_message(&c->messages[i], writer, i, count);
    check_pictures(c, &c->messages[(unsigned)random() % (unsigned)count]);
    seen->messages = count;
    rf_conversation_free(c);
    atomic_fetch_add(&stress->reads, 1);
}

static void read_other(struct rf_store *store, struct seen seen[WRITERS])
{
    int writer = (int)(random() % WRITERS), at_least = stress->writers[writer].kept;
    struct rf_session *s;
    struct rf_err err;
    if (!at_least)
        return;
    enum rf_code rc = rf_session_open(store, stress->writers[writer].id, false, &s, &err);
    if (rc) {
        check_failure(rc, &err);
        return;
    }
    check_session(s, writer, &seen[writer], at_least);
    rf_session_close(s);
}

static void check_row(void *ctx, const struct rf_session_info *i)
{
    struct seen *all = ctx;
    char owner[32];
    for (int w = 0; w < WRITERS; w++) {
        struct seen *seen = &all[w];
        if (!stress->writers[w].kept || !rf_str_is(i->id, stress->writers[w].id))
            continue;
        must(i->messages >= seen->listed && i->files >= seen->files,
             "session %d is listed with %" PRId64 " messages and %" PRId64 " files after %" PRId64
             " and %" PRId64,
             w, i->messages, i->files, seen->listed, seen->files);
        seen->listed = i->messages;
        seen->files = i->files;
        snprintf(owner, sizeof owner, ", process %d", stress->writers[w].pid);
        must(stress->rough || stress->stop || rf_str_ends(i->owner, owner),
             "session %d is listed as of \"%.*s\"", w, RF_FMT(i->owner));
    }
}

static void list_all(struct rf_store *store, struct seen seen[WRITERS])
{
    struct rf_err err;
    enum rf_code rc = rf_store_list(store, 0, check_row, seen, &err);
    if (rc)
        check_failure(rc, &err);
}

/* Writing */

static enum rf_code append_some(struct rf_session *s, int writer, int kept, int count,
                                struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    enum rf_code rc = count > 1 ? rf_session_begin(s, err) : RF_OK;
    for (int i = 0; !rc && i < count; i++)
        rc = rf_session_append(s, message(a, writer, kept + i, kept + count - 1), err);
    if (!rc && count > 1)
        rc = rf_session_commit(s, err);
    rf_arena_free(a);
    return rc;
}

static struct rf_session *open_own(struct rf_store *store, struct writer *me)
{
    struct rf_session *s;
    struct rf_err err;
    double start = now_s();
    if (!me->kept) {
        for (enum rf_code rc; (rc = rf_session_new(store, &s, &err)); pause_ms(50)) {
            check_failure(rc, &err);
            must(now_s() < start + PATIENCE_S, "no session can be begun: %s", err.msg);
        }
        snprintf(me->id, sizeof me->id, "%s", rf_session_id(s));
        return s;
    }
    for (enum rf_code rc; (rc = rf_session_open(store, me->id, true, &s, &err)); pause_ms(20)) {
        if (rc == RF_EPERMISSION) /* the server has not noticed yet */
            must(stress->rough, "%s", err.msg);
        else
            check_failure(rc, &err);
        must(now_s() < start + PATIENCE_S, "the session cannot be opened again: %s", err.msg);
    }
    return s;
}

/* An append failed, or its process was killed. Either it is there as a whole, which only happens where
 * nobody knows, or nothing of it is. */
static void settle(struct writer *me, const struct rf_session *s, int in_flight, bool known)
{
    int count = (int)rf_session_count(s);
    must(count == me->kept || count == me->kept + in_flight, "%d messages after %d", count,
         me->kept);
    must(count == me->kept || !known, "message %d is there after a failure that denies it",
         me->kept);
    atomic_fetch_add(&stress->unknown, count != me->kept);
    me->kept = count;
}

static struct rf_session *recover(struct rf_store *store, struct writer *me, struct rf_session *s,
                                  int in_flight, enum rf_code rc, const struct rf_err *err)
{
    bool known = !strstr(err->hint, "not known");
    check_failure(rc, err);
    rf_session_close(s);
    s = open_own(store, me);
    settle(me, s, in_flight, known);
    return s;
}

static void write_and_read(int writer)
{
    struct writer *me = &stress->writers[writer];
    struct seen seen[WRITERS] = { 0 };
    struct rf_err err;
    srandom((unsigned)getpid());
    me->pid = (int)getpid();
    struct rf_store *store = open_with_patience();
    struct rf_session *s = open_own(store, me);
    if (me->kept && rf_session_count(s) != me->kept) /* the one before was killed */
        settle(me, s, (int)rf_session_count(s) == me->kept + 1 ? 1 : BATCH, false);
    for (int turn = 0; !stress->stop && getppid() == stress->parent; turn++) {
        int count = turn % 8 == 7 ? BATCH : 1;
        enum rf_code rc = append_some(s, writer, me->kept, count, &err);
        if (rc)
            s = recover(store, me, s, count, rc, &err);
        else
            me->kept += count;
        if (turn % 4 == 0)
            read_other(store, seen);
        if (turn % 4 == 2)
            list_all(store, seen);
    }
    atomic_fetch_add(&stress->opened, (int)store->sql->opened);
    rf_session_close(s);
    rf_store_close(store);
    _exit(0);
}

static void start_writer(int writer)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        write_and_read(writer);
    stress->writers[writer].pid = (int)child;
}

static void end_writer(int writer, int want)
{
    int status = -1;
    waitpid(stress->writers[writer].pid, &status, 0);
    if (stress->failed || status != want) {
        stress->stop = true;
        fail_msg("writer %d ended with status %d: %s", writer, status, stress->words);
    }
}

/* What happens to them */

static void check_alive(void)
{
    if (stress->failed) {
        stress->stop = true;
        fail_msg("%s", stress->words);
    }
}

static void wait_until(double s)
{
    while (now_s() < s) {
        pause_ms(20);
        check_alive();
    }
}

static void nobody_else_may_write(void)
{
    char owner[32];
    struct rf_session *s;
    struct rf_store *store;
    good(open_store(&store, &test_err));
    for (int w = 0; w < WRITERS; w++) {
        while (!stress->writers[w].kept) {
            pause_ms(10);
            check_alive();
        }
        snprintf(owner, sizeof owner, ", process %d", stress->writers[w].pid);
        bad(rf_session_open(store, stress->writers[w].id, true, &s, &test_err), RF_EPERMISSION,
            owner);
    }
    rf_store_close(store);
}

/* Its session is free, and what it had acknowledged is there. */
static void kill_writer(int writer)
{
    kill(stress->writers[writer].pid, SIGKILL);
    end_writer(writer, SIGKILL);
    start_writer(writer);
}

static void restart_server(int keeper, int how)
{
    struct rf_sql *sql = NULL;
    int64_t before, after;
    const struct place *p = stress->place;
    static const char started[] =
        "SELECT CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000000 AS BIGINT)";
    double until = now_s() + PATIENCE_S;
    sql = place_open(p);
    good(rf_sql_run(sql, started, NULL, 0, take_count, &before, &test_err));
    after = before;
    assert_int_equal(kill(keeper, how), 0);
    while (after == before) {
        pause_ms(50);
        assert_true(now_s() < until);
        (void)!rf_sql_run(sql, started, NULL, 0, take_count, &after, NULL);
    }
    rf_sql_close(sql);
}

/* Whoever is in its COMMIT just now, or anybody. */
static int cut_connections(double until)
{
    struct rf_sql *sql = place_open(stress->place);
    int cut = 0;
    for (; now_s() < until; cut++) {
        good(rf_sql_run(sql,
                        "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity "
                        "WHERE application_name LIKE 'refract %' AND pid <> pg_backend_pid() "
                        "ORDER BY (query = 'COMMIT' AND state = 'active') DESC, random() LIMIT 1) "
                        "AS victim",
                        NULL, 0, NULL, NULL, &test_err));
        pause_ms(random() % 100);
        check_alive();
    }
    rf_sql_close(sql);
    return cut;
}

static void disturb(double seconds)
{
    const char *keeper = getenv("REFRACT_TEST_POSTGRES_KEEPER");
    double start = now_s();
    int restarts = 0, kills = 0, cuts = 0;
    stress->rough = true;
    while (now_s() < start + seconds / 2) {
        if (stress->place->schema && keeper)
            restart_server((int)strtol(keeper, NULL, 10), restarts++ % 2 ? SIGUSR1 : SIGUSR2);
        wait_until(now_s() + seconds / 20);
        kill_writer(kills++ % WRITERS);
    }
    if (stress->place->schema)
        cuts = cut_connections(start + seconds);
    else
        wait_until(start + seconds);
    print_message("%d restarts, %d writers killed, %d connections cut\n", restarts, kills, cuts);
}

/* The end */

static void check_numbers(struct rf_store *store)
{
    int64_t sum = 0;
    for (int w = 0; w < WRITERS; w++)
        sum += stress->writers[w].kept;
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM messages"), sum);
    assert_int_equal(ask_number(store, "SELECT COUNT(DISTINCT mark) FROM messages"), sum);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM sessions"), WRITERS);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM sessions AS s WHERE messages <> "
                                       "(SELECT COUNT(*) FROM messages WHERE session = s.id)"),
                     0);
    assert_int_equal(ask_number(store,
                                "SELECT COUNT(*) FROM sessions AS s WHERE files <> "
                                "(SELECT COUNT(DISTINCT hash) FROM media WHERE session = s.id)"),
                     0);
    assert_int_equal(ask_number(store,
                                "SELECT COUNT(*) FROM sessions WHERE input_tokens <> messages / 2 "
                                "OR output_tokens <> 2 * (messages / 2) OR owner <> ''"),
                     0);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM media WHERE hash NOT IN "
                                       "(SELECT hash FROM blobs)"),
                     0);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM blobs WHERE look = '' AND hash IN "
                                       "(SELECT hash FROM media)"),
                     0);
}

/* Every session as a whole, with every picture of it. */
static void check_all(struct rf_store *store)
{
    for (int w = 0; w < WRITERS; w++) {
        struct rf_conversation *c;
        struct rf_session *s = reopen(store, stress->writers[w].id, true);
        int count = stress->writers[w].kept;
        good(rf_session_conversation(s, &c, &test_err));
        assert_int_equal(c->message_count, count);
        stress->rough = false;
        for (int i = 0; i < count; i++) {
            check_message(&c->messages[i], w, i, count);
            check_pictures(c, &c->messages[i]);
        }
        rf_conversation_free(c);
        rf_session_close(s);
    }
}

static enum rf_code expect_ok_text(void *ctx, const struct rf_sql_value *columns, size_t count,
                                   struct rf_err *err)
{
    (void)ctx, (void)count, (void)err;
    assert_str(columns[0].text, "ok");
    return RF_OK;
}

static void check_engine(struct rf_store *store)
{
    struct rf_gc gc;
    if (!stress->place->schema)
        good(rf_sql_run(store->sql, "PRAGMA integrity_check", NULL, 0, expect_ok_text, NULL,
                        &test_err));
    good(rf_store_gc(store, 0, &gc, &test_err));
    assert_int_equal(gc.kept, ask_number(store, "SELECT COUNT(DISTINCT hash) FROM media"));
    if (stress->in_database)
        assert_int_equal(ask_number(store,
                                    "SELECT COUNT(*) FROM blobs WHERE object NOT IN "
                                    "(SELECT CAST(oid AS BIGINT) FROM pg_largeobject_metadata)"),
                         0);
}

static void check_in_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        struct rf_store *own;
        struct rf_err err;
        enum rf_code rc = open_store(&own, &err);
        must(!rc, "%s", err.msg);
        check_all(own);
        rf_store_close(own);
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status)
        fail_msg("%s", stress->words);
}

static void run_all(struct place *p, bool in_database, double seconds)
{
    stress = mmap(NULL, sizeof *stress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(stress, MAP_FAILED);
    stress->place = p;
    stress->parent = getpid();
    stress->in_database = in_database;
    double start = now_s();
    for (int w = 0; w < WRITERS; w++)
        start_writer(w);
    nobody_else_may_write();
    wait_until(start + seconds / 3);
    disturb(seconds * 2 / 3);
    stress->stop = true;
    int64_t sum = 0;
    for (int w = 0; w < WRITERS; w++) {
        end_writer(w, 0);
        sum += stress->writers[w].kept;
    }
    print_message("%" PRId64 " messages, %d sessions read; connections opened anew %d times, "
                  "failures reported %d, of which %d were kept\n",
                  sum, stress->reads, stress->opened, stress->reported, stress->unknown);
    check_in_child();
    struct rf_store *store;
    good(open_store(&store, &test_err));
    check_numbers(store);
    check_engine(store);
    rf_store_close(store);
    munmap(stress, sizeof *stress);
}

static double seconds_of(double usual)
{
    const char *words = getenv("REFRACT_STRESS_SECONDS");
    double given = words ? strtod(words, NULL) : usual;
    return given < usual ? given : usual;
}

static void need_server(void)
{
    if (!server_address()) {
        print_message("skipped: REFRACT_TEST_POSTGRES is not set\n");
        skip();
    }
}

static void with_sqlite(void **state)
{
    struct place *p = place_new("sqlite");
    (void)state;
    run_all(p, false, seconds_of(SQLITE_SECONDS));
    place_free(p);
}

static void with_postgres(void **state)
{
    (void)state;
    need_server();
    struct place *p = place_new("postgres");
    run_all(p, false, seconds_of(SECONDS));
    place_free(p);
}

static void with_postgres_and_large_objects(void **state)
{
    (void)state;
    need_server();
    struct place *p = place_new("postgres");
    run_all(p, true, seconds_of(SECONDS / 2));
    place_free(p);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_sqlite),
        cmocka_unit_test(with_postgres),
        cmocka_unit_test(with_postgres_and_large_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
