/* How calls end, and where they may lead: time, a wish to stop, redirects, addresses, proxies, certificates. */
#include "caller.h"

#include <poll.h>

/* When nobody is there, or nobody answers. */

static void says_that_nobody_is_there(void **state)
{
    (void)state;
    int port;
    struct world w = world_new();
    close(listen_on("127.0.0.1", 1, &port));
    assert_int_equal(get(&w, port, NO_CALL), RF_EPROVIDER);
    assert_true(w.reply.unreachable);
    assert_false(w.reply.sent);
    assert_int_equal(w.reply.status, 0);
    world_release(&w);
}

static void gives_up_connecting(void **state)
{
    (void)state;
    int port, waiting[4];
    struct world w = world_new();
    int fd = listen_on("127.0.0.1", 0, &port);
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    inet_pton(AF_INET, "127.0.0.1", &at.sin_addr);
    for (size_t i = 0; i < COUNT(waiting); i++) { /* a queue that is full */
        waiting[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)!connect(waiting[i], (struct sockaddr *)&at, sizeof at);
    }
    int64_t start = clock_ms();
    assert_int_equal(get(&w, port, (struct rf_net_call){ .connect_ms = 200 }), RF_EPROVIDER);
    assert_true(clock_ms() - start >= 150);
    assert_true(w.reply.unreachable);
    assert_false(w.reply.sent);
    for (size_t i = 0; i < COUNT(waiting); i++)
        close(waiting[i]);
    close(fd);
    world_release(&w);
}

static const struct late {
    const char *name;
    struct answer answer;
    struct rf_net_call call;
    const char *words, *body;
} late_rows[] = {
    { "no first byte", { NULL, STALL }, { .first_byte_ms = 150 }, "did not answer", "" },
    { "a head, and then nothing",
      { "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", STALL },
      { .first_byte_ms = 150 },
      "did not answer",
      "" },
    { "half a body, and then nothing",
      { "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel", STALL },
      { .idle_ms = 150 },
      "in the middle",
      "hel" },
    { "half a head, and then nothing",
      { "HTTP/1.1 200 OK\r\nContent-", STALL },
      { .idle_ms = 150, .first_byte_ms = 150 },
      "",
      "" },
    { "an end that never comes",
      { "HTTP/1.1 200 OK\r\n\r\n", GO_ON },
      { .total_ms = 150 },
      "longer than",
      NULL },
};

static void check_late(void **state)
{
    const struct late *row = *state;
    struct server *s = server_start("127.0.0.1", &row->answer, 1);
    struct world w = world_new();
    int64_t start = clock_ms();
    assert_int_equal(get(&w, s->port, row->call), row->call.total_ms ? RF_ELIMIT : RF_EPROVIDER);
    assert_int_equal(w.reply.overdue, row->call.total_ms > 0);
    assert_true(clock_ms() - start >= 140);
    assert_non_null(strstr(w.err.msg, row->words));
    assert_true(w.err.hint[0]);
    if (row->body)
        assert_str(taken(&w), row->body);
    assert_false(w.reply.unreachable);
    world_release(&w);
    server_stop(s);
}

static void gives_up_on_one_who_does_not_listen(void **state)
{
    (void)state;
    static const struct answer answers[] = { { NULL, DEAF } };
    struct server *s = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    struct rf_bytes bytes;
    struct rf_rope rope;
    size_t n = (size_t)32 << 20; /* more than sockets hold */
    bytes = rf_bytes_memory((struct rf_str){ rf_arena_alloc(w.arena, n), n });
    rf_rope_init(&rope, w.arena);
    rf_rope_base64(&rope, &bytes);
    struct rf_net_call call = { .body = &rope, .idle_ms = 200 };
    assert_int_equal(get(&w, s->port, call), RF_EPROVIDER);
    assert_non_null(strstr(w.err.msg, "stopped taking the request"));
    world_release(&w);
    server_stop(s);
}

static void hears_no_endless_heads(void **state)
{
    (void)state;
    static const struct answer answers[] = { { "HTTP/1.1 103 Early\r\nrequest-id: x\r\n\r\n",
                                               REPEAT } };
    struct server *s = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    assert_int_equal(get(&w, s->port, (struct rf_net_call){ .total_ms = 600000 }), RF_EPROVIDER);
    assert_null(strstr(w.err.msg, "longer than"));
    world_release(&w);
    server_stop(s);
}

/* Stopping. */

static void *poke_later(void *arg)
{
    const struct timespec t = { .tv_nsec = 100 * 1000 * 1000 };
    nanosleep(&t, NULL);
    assert_int_equal(write(*(int *)arg, "x", 1), 1);
    return NULL;
}

static const struct stopped {
    const char *name;
    struct answer answer;
} stopped_rows[] = {
    { "before the first byte", { NULL, STALL } },
    { "in the middle", { "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel", STALL } },
    { "while bytes come", { "HTTP/1.1 200 OK\r\n\r\n", GO_ON } },
};

static void check_stopped(void **state)
{
    const struct stopped *row = *state;
    struct server *s = server_start("127.0.0.1", &row->answer, 1);
    struct world w = world_new();
    int ends[2];
    pthread_t thread;
    assert_int_equal(pipe(ends), 0);
    int64_t start = clock_ms();
    pthread_create(&thread, NULL, poke_later, &ends[1]);
    assert_int_equal(get(&w, s->port, (struct rf_net_call){ .cancel_fd = ends[0] }),
                     RF_EINTERRUPTED);
    assert_true(clock_ms() - start >= 90);
    pthread_join(thread, NULL);
    /* It is still to be read, so nothing is even begun. */
    assert_int_equal(get(&w, s->port, (struct rf_net_call){ .cancel_fd = ends[0] }),
                     RF_EINTERRUPTED);
    assert_false(w.reply.sent);
    close(ends[0]);
    close(ends[1]);
    world_release(&w);
    server_stop(s);
}

static void stops_when_the_receiver_has_enough(void **state)
{
    (void)state;
    static const struct answer answers[] = { { "HTTP/1.1 200 OK\r\n\r\n", GO_ON },
                                             { OK_TEXT, KEEP } };
    struct server *s = server_start("127.0.0.1", answers, 2);
    struct world w = world_new();
    w.take_at_most = 1000;
    assert_int_equal(get(&w, s->port, NO_CALL), RF_ELIMIT);
    assert_true(w.taken.n >= 1000);
    w.take_at_most = 0;
    assert_int_equal(get(&w, s->port, NO_CALL), RF_OK); /* and the next call is as any other */
    assert_str(taken(&w), "hello");
    world_release(&w);
    server_stop(s);
}

/* Where it leads. */

static const struct lead {
    const char *name, *location, *redirect; /* %d is the port */
} lead_rows[] = {
    { "to another page", "/there", "http://127.0.0.1:%d/there" },
    { "beside it", "there?x", "http://127.0.0.1:%d/there?x" },
    { "to another host", "//example.com/", "http://example.com/" },
    { "to a file", "file:///etc/passwd", "file:///etc/passwd" },
};

/* It is told, and nobody goes there. */
static void check_lead(void **state)
{
    const struct lead *row = *state;
    struct world w = world_new();
    struct answer answers[] = {
        { rf_strf(w.arena, "HTTP/1.1 302 Go\r\nLocation: %s\r\nContent-Length: 4\r\n\r\ngone",
                  row->location)
              .p,
          KEEP },
        { OK_TEXT, KEEP }
    };
    struct server *s = server_start("127.0.0.1", answers, 2);
    const char *port = strstr(row->redirect, "%d");
    struct rf_str want = port ? rf_strf(w.arena, "%.*s%d%s", (int)(port - row->redirect),
                                        row->redirect, s->port, port + 2)
                              : rf_str(row->redirect);
    assert_int_equal(get(&w, s->port, NO_CALL), RF_OK);
    assert_int_equal(w.reply.status, 302);
    assert_str(taken(&w), "gone");
    assert_str(w.reply.redirect, rf_cstr(w.arena, want));
    assert_int_equal(server_requests(s), 1);
    assert_int_equal(get(&w, s->port, NO_CALL), RF_OK);
    assert_int_equal(w.reply.redirect.n, 0);
    server_stop(s);
    world_release(&w);
}

/* Only 127.0.0.2. */
static bool only_two(void *ctx, const void *address)
{
    (void)ctx;
    const struct sockaddr_in *v4 = address;
    return v4->sin_family == AF_INET && ntohl(v4->sin_addr.s_addr) == 0x7f000002;
}

static void checks_each_address(void **state)
{
    (void)state;
    static const struct answer secret[] = { { OK_TEXT, KEEP } };
    struct server *inside = server_start("127.0.0.1", secret, 1);
    struct world w = world_new();
    struct server *outside = server_start("127.0.0.2", secret, 1);
    struct rf_net_call call = { .may_connect = only_two };
    call.url =
        rf_strf(w.arena, "http://127.0.0.2:%d%s", outside->port, through_libcurl ? "/./" : "/").p;
    assert_int_equal(get(&w, 0, call), RF_OK);
    assert_true(w.reply.peer_known && only_two(NULL, w.reply.peer));
    call.url = NULL;
    assert_int_equal(get(&w, inside->port, call), RF_EPERMISSION);
    assert_false(w.reply.sent);
    assert_int_equal(server_connections(inside), 0);
    /* A connection that another call has left there is no way in either. */
    assert_int_equal(get(&w, inside->port, NO_CALL), RF_OK);
    assert_int_equal(get(&w, inside->port, call), RF_EPERMISSION);
    assert_int_equal(server_requests(inside), 1);
    server_stop(inside);
    server_stop(outside);
    world_release(&w);
}

static void uses_the_proxy_of_the_environment(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP } };
    struct server *s = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    struct rf_net_call call = { .url = "http://model.invalid/v1",
                                .connect_ms = 3000,
                                .plain_proxy = true };
    setenv("http_proxy", rf_strf(w.arena, "http://127.0.0.1:%d", s->port).p, 1);
    assert_int_equal(get(&w, 0, call), RF_OK);
    assert_memory_equal(s->seen[0].head, "GET http://model.invalid/v1 ", 28);
    assert_false(w.reply.peer_known); /* it is the proxy's, and not of who answers */
    call.may_connect = only_two;      /* a proxy would connect to what nobody has checked */
    assert_int_not_equal(get(&w, 0, call), RF_OK);
    assert_int_equal(server_requests(s), 1);
    unsetenv("http_proxy");
    world_release(&w);
    server_stop(s);
}

/* TLS: a certificate that nobody vouches for. */

static pid_t run(const char *const *args)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
        execvp(args[0], (char *const *)args);
        _exit(127);
    }
    return child;
}

static bool wait_for_port(int port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    inet_pton(AF_INET, "127.0.0.1", &at.sin_addr);
    for (int i = 0; i < 6000; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        bool open = connect(fd, (struct sockaddr *)&at, sizeof at) == 0;
        close(fd);
        if (open)
            return true;
        poll(NULL, 0, 50);
    }
    return false;
}

static void checks_certificates(void **state)
{
    (void)state;
    struct world w = world_new();
    const char *folder = scratch_new(w.arena), *key = in_folder(w.arena, folder, "key.pem"),
               *cert = in_folder(w.arena, folder, "cert.pem");
    const char *const make[] = { "openssl",
                                 "req",
                                 "-x509",
                                 "-newkey",
                                 "ec",
                                 "-pkeyopt",
                                 "ec_paramgen_curve:prime256v1",
                                 "-nodes",
                                 "-keyout",
                                 key,
                                 "-out",
                                 cert,
                                 "-days",
                                 "2",
                                 "-subj",
                                 "/CN=test",
                                 "-addext",
                                 "subjectAltName=IP:127.0.0.1",
                                 NULL };
    int status, port;
    assert_true(waitpid(run(make), &status, 0) > 0);
    if (status != 0) {
        print_message("skipped: no openssl to make a certificate with\n");
        scratch_remove(folder);
        world_release(&w);
        skip();
    }
    close(listen_on("127.0.0.1", 1, &port));
    const char *at = rf_strf(w.arena, "127.0.0.1:%d", port).p;
    const char *const serve_tls[] = { "openssl", "s_server", "-accept", at,     "-key",
                                      key,       "-cert",    cert,      "-www", NULL };
    pid_t child = run(serve_tls);
    assert_true(wait_for_port(port));
    struct rf_net_call call = { .url = rf_strf(w.arena, "https://127.0.0.1:%d/", port).p };
    assert_int_equal(get(&w, port, call), RF_EPROVIDER);
    assert_non_null(strstr(w.err.msg, "certificate"));
    assert_non_null(strstr(w.err.hint, "SSL_CERT_FILE"));
    assert_false(w.reply.sent);
    assert_false(w.reply.unreachable); /* no further try makes it better */
    setenv("SSL_CERT_FILE", cert, 1);
    assert_int_equal(get(&w, port, call), RF_OK);
    assert_int_equal(w.reply.status, 200);
    call.url = rf_strf(w.arena, "https://localhost:%d/", port).p; /* another name than it is for */
    assert_int_equal(get(&w, port, call), RF_EPROVIDER);
    unsetenv("SSL_CERT_FILE");
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    scratch_remove(folder);
    world_release(&w);
}

int main(int argc, char **argv)
{
    (void)argv;
    forget_the_environment();
    through_libcurl = argc > 1;
    struct CMUnitTest lates[COUNT(late_rows)], stops[COUNT(stopped_rows)], leads[COUNT(lead_rows)];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(says_that_nobody_is_there),
        cmocka_unit_test(gives_up_connecting),
        cmocka_unit_test(gives_up_on_one_who_does_not_listen),
        cmocka_unit_test(hears_no_endless_heads),
        cmocka_unit_test(stops_when_the_receiver_has_enough),
        cmocka_unit_test(checks_each_address),
        cmocka_unit_test(uses_the_proxy_of_the_environment),
        cmocka_unit_test(checks_certificates),
    };
    name_rows(lates, check_late, late_rows, COUNT(late_rows), sizeof *late_rows);
    name_rows(stops, check_stopped, stopped_rows, COUNT(stopped_rows), sizeof *stopped_rows);
    name_rows(leads, check_lead, lead_rows, COUNT(lead_rows), sizeof *lead_rows);
    int failed = cmocka_run_group_tests_name("late", lates, NULL, NULL);
    failed += cmocka_run_group_tests_name("stopped", stops, NULL, NULL);
    failed += cmocka_run_group_tests_name("redirects", leads, NULL, NULL);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
