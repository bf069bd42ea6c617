/* A connection that is cut exactly at COMMIT, before the server has it or after it did it, with a server that
 * notices and one that does not. Between the store and the server stands a process that passes everything
 * on until it sees the COMMIT that it is to cut. Whatever it does, a message is there once, or it is not
 * there and nobody was told that it is. */
#include "sessions.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#define SOCKET "/.s.PGSQL.5432"
#define MOST 16 /* connections */

enum cut {
    PASS,
    BEFORE,   /* the server never gets it */
    BEHIND,   /* it did it, and its answer is lost */
    UNNOTICED /* the same, and the server keeps its end of the connection */
};

struct between {
    atomic_int cut;
    atomic_int after;  /* so many COMMITs that are passed on first */
    atomic_int times;  /* that it is done */
    atomic_int refuse; /* connections after it */
};

static struct between *between;

/* The process between */

struct pair {
    int client, server; /* -1: none */
};

static int reach(const char *path)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) != 0)
        _exit(1);
    return fd;
}

static void hang_up(struct pair *p)
{
    close(p->client);
    if (p->server >= 0)
        close(p->server);
    *p = (struct pair){ -1, -1 };
}

static bool is_wanted(const char *bytes, ssize_t n)
{
    static const char commit[] = "Q\0\0\0\x0b"
                                 "COMMIT";
    if (n != sizeof commit || memcmp(bytes, commit, sizeof commit) != 0)
        return false;
    return between->times > 0 && atomic_fetch_sub(&between->after, 1) <= 0;
}

static void cut(struct pair *p, const char *bytes, size_t n)
{
    char answer[4096];
    between->times--;
    if (between->cut != BEFORE &&
        (write(p->server, bytes, n) != (ssize_t)n || read(p->server, answer, sizeof answer) <= 0))
        _exit(1);
    if (between->cut == UNNOTICED)
        p->server = -1; /* stays open */
    hang_up(p);
}

/* What one side says, to the other. */
static void pass_on(struct pair *p, int from, int to)
{
    char bytes[65536];
    ssize_t n = read(from, bytes, sizeof bytes);
    if (n > 0 && from == p->client && is_wanted(bytes, n))
        cut(p, bytes, (size_t)n);
    else if (n <= 0 || write(to, bytes, (size_t)n) != n)
        hang_up(p);
}

static void let_in(struct pair pairs[MOST], int listener, const char *server)
{
    int client = accept(listener, NULL, NULL);
    if (between->cut != PASS && between->times == 0 && between->refuse > 0) {
        between->refuse--;
        close(client);
        return;
    }
    for (int i = 0; i < MOST; i++)
        if (pairs[i].client < 0) {
            pairs[i] = (struct pair){ client, reach(server) };
            return;
        }
    _exit(1);
}

static void stand_between(int listener, const char *server)
{
    struct pair pairs[MOST];
    struct pollfd at[1 + 2 * MOST];
    pid_t parent = getppid();
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < MOST; i++)
        pairs[i] = (struct pair){ -1, -1 };
    while (getppid() == parent) {
        at[0] = (struct pollfd){ .fd = listener, .events = POLLIN };
        for (int i = 0; i < MOST; i++) {
            at[1 + 2 * i] = (struct pollfd){ .fd = pairs[i].client, .events = POLLIN };
            at[2 + 2 * i] = (struct pollfd){ .fd = pairs[i].server, .events = POLLIN };
        }
        if (poll(at, 1 + 2 * MOST, 100) < 0)
            _exit(1);
        for (int i = 0; i < MOST; i++) {
            if (at[1 + 2 * i].revents)
                pass_on(&pairs[i], pairs[i].client, pairs[i].server);
            else if (at[2 + 2 * i].revents)
                pass_on(&pairs[i], pairs[i].server, pairs[i].client);
        }
        if (at[0].revents)
            let_in(pairs, listener, server);
    }
    _exit(0);
}

/* The address of a place, by way of the process, which is started. */
static const char *start_between(const struct place *p, pid_t *child)
{
    const char *host = strstr(p->address, "host=/");
    if (!host)
        skip();
    struct sockaddr_un here = { .sun_family = AF_UNIX };
    size_t n = strcspn(host + 5, "&");
    const char *server = rf_strf(p->arena, "%.*s" SOCKET, (int)n, host + 5).p;
    snprintf(here.sun_path, sizeof here.sun_path, "%s" SOCKET, p->folder);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&here, sizeof here), 0);
    assert_int_equal(listen(listener, 8), 0);
    *child = fork();
    assert_true(*child >= 0);
    if (*child == 0)
        stand_between(listener, server);
    close(listener);
    return rf_strf(p->arena, "%.*shost=%s%s", (int)(host - p->address), p->address, p->folder,
                   host + 5 + n)
        .p;
}

/* The cases */

static struct rf_store *open_at(const struct place *p, const char *address, bool in_database)
{
    const struct rf_store_options options = {
        .address = address,
        .blobs = in_database ? "database" : blobs_of(p),
        .cache = in_folder(p->arena, p->folder, "cache"),
        .file_bytes = RF_STORE_FILE_BYTES,
        .text_bytes = RF_STORE_TEXT_BYTES,
    };
    struct rf_store *s;
    good(rf_store_make(&options, &s, &test_err));
    return s;
}

#define PICTURE                                                                                   \
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR42mP4z8AAQQxwFgBB0gX7b/EWxwAAAABJRU5" \
    "ErkJggg=="
#define MESSAGE \
    "{'role':'user','content':[{'type':'text','text':'It'},{'type':'image','data':'" PICTURE "'}]}"

static const struct row {
    const char *name;
    enum cut cut;
    int after, times, refuse;
    bool in_database;
    enum rf_code code; /* of the append */
    const char *hint;  /* that it gives */
    int kept;          /* messages of it that are there */
} rows[] = {
    { "COMMIT is lost", BEFORE, 0, 1, 0, false, RF_OK, "", 1 },
    { "the answer is lost", BEHIND, 0, 1, 0, false, RF_OK, "", 1 },
    { "the server does not notice", UNNOTICED, 0, 1, 0, false, RF_OK, "", 1 },
    { "it does not notice, and cannot be reached at first", UNNOTICED, 0, 1, 1, false, RF_OK, "",
      1 },
    { "COMMIT is lost, and cannot be reached at first", BEFORE, 0, 1, 2, false, RF_OK, "", 1 },
    { "COMMIT is lost twice", BEFORE, 0, 2, 0, false, RF_EIO, "not known", 0 },
    { "the answer is lost twice", BEHIND, 0, 2, 0, false, RF_EIO, "not known", 1 },
    { "the server does not notice twice", UNNOTICED, 0, 2, 0, false, RF_EIO, "not known", 1 },
    { "large object: its COMMIT is lost", BEFORE, 0, 1, 0, true, RF_EIO, "Try again", 0 },
    { "large object: its answer is lost", BEHIND, 0, 1, 0, true, RF_EIO, "Try again", 0 },
    { "large object: the message's COMMIT is lost", BEFORE, 1, 1, 0, true, RF_OK, "", 1 },
    { "large object: the message's answer is lost", BEHIND, 1, 1, 0, true, RF_OK, "", 1 },
};

static void check_messages(const struct place *p, const struct row *row, const char *id, int want)
{
    struct rf_store *store = open_at(p, p->address, row->in_database);
    struct rf_session *s = reopen(store, id, false);
    struct rf_conversation *c;
    good(rf_session_conversation(s, &c, &test_err));
    assert_int_equal(c->message_count, want);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM messages"), want);
    assert_int_equal(ask_number(store, "SELECT messages FROM sessions"), want);
    assert_int_equal(ask_number(store, "SELECT COUNT(*) FROM media"), want - 1);
    rf_conversation_free(c);
    rf_session_close(s);
    rf_store_close(store);
}

static void check_cut(const struct place *p, const struct row *row, const char *address)
{
    struct rf_store *store = open_at(p, address, row->in_database);
    struct rf_session *s = session_at(store);
    char id[RF_SESSION_ID_SIZE];
    good(say(s, "Hello"));
    snprintf(id, sizeof id, "%s", rf_session_id(s));
    between->after = row->after;
    between->refuse = row->refuse;
    between->times = row->times;
    between->cut = (int)row->cut;
    test_err = (struct rf_err){ 0 };
    enum rf_code rc = append(s, MESSAGE);
    assert_int_equal(between->times, 0);
    if (rc != row->code)
        fail_msg("%s: %s", rf_code_name(rc), test_err.msg);
    if (rc && !strstr(test_err.hint, row->hint))
        fail_msg("the hint is: %s", test_err.hint);
    check_messages(p, row, id, 1 + row->kept);
    if (rc) { /* as somebody would who reads the hint */
        rf_session_close(s);
        s = reopen(store, id, true);
    }
    assert_int_equal(rf_session_count(s), 1 + row->kept);
    good(append(s, MESSAGE));
    check_messages(p, row, id, 2 + row->kept);
    rf_session_close(s);
    rf_store_close(store);
}

static void check(void **state)
{
    const struct row *row = *state;
    pid_t child = 0;
    if (!server_address()) {
        print_message("skipped: REFRACT_TEST_POSTGRES is not set\n");
        skip();
    }
    struct place *p = place_new("postgres");
    between =
        mmap(NULL, sizeof *between, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(between, MAP_FAILED);
    check_cut(p, row, start_between(p, &child));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    munmap(between, sizeof *between);
    place_free(p);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_rows(tests, check, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
