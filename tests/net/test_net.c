/* Calls against a server that behaves well, badly, or not at all: what goes out, and what comes back. */
#include "caller.h"

/* What comes back. */

static const struct row {
    const char *name, *answer;
    enum rf_code code;
    int status;
    const char *body, *type, *request_id;
    int64_t retry_least, retry_most; /* ms */
} rows[] = {
    { "an answer with a length", OK_TEXT, RF_OK, 200, "hello", "text/plain", "", -1, -1 },
    { "an answer in chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
      RF_OK, 200, "hello", "", "", -1, -1 },
    { "an answer until the end", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello", RF_OK, 200,
      "hello", "", "", -1, -1 },
    { "no body", "HTTP/1.1 204 No Content\r\n\r\n", RF_OK, 204, "", "", "", -1, -1 },
    { "a refusal is an answer",
      "HTTP/1.1 404 No\r\nContent-Length: 2\r\nrequest-id: req_1\r\n\r\nno", RF_OK, 404, "no", "",
      "req_1", -1, -1 },
    { "another spelling of the id",
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Request-ID:  a b \r\n\r\n", RF_OK, 200, "", "",
      "a b", -1, -1 },
    { "an id with escapes in it is none",
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nx-request-id: a\033[2Jb\r\n\r\n", RF_OK, 200, "", "",
      "", -1, -1 },
    { "an answer before the last", "HTTP/1.1 103 Early\r\nrequest-id: early\r\n\r\n" OK_TEXT, RF_OK,
      200, "hello", "text/plain", "", -1, -1 },
    { "seconds", "HTTP/1.1 429 No\r\nContent-Length: 0\r\nRetry-After: 7\r\n\r\n", RF_OK, 429, "",
      "", "", 7000, 7000 },
    { "a fraction of a second", "HTTP/1.1 429 No\r\nContent-Length: 0\r\nRetry-After: 0.25\r\n\r\n",
      RF_OK, 429, "", "", "", 250, 250 },
    { "milliseconds before seconds",
      "HTTP/1.1 429 No\r\nContent-Length: 0\r\nretry-after-ms: 30\r\nretry-after: 1\r\n\r\n", RF_OK,
      429, "", "", "", 30, 30 },
    { "milliseconds after seconds",
      "HTTP/1.1 429 No\r\nContent-Length: 0\r\nretry-after: 1\r\nretry-after-ms: 30\r\n\r\n", RF_OK,
      429, "", "", "", 30, 30 },
    { "a date that is over",
      "HTTP/1.1 503 No\r\nContent-Length: 0\r\nRetry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n\r\n",
      RF_OK, 503, "", "", "", 0, 0 },
    { "a date far away",
      "HTTP/1.1 503 No\r\nContent-Length: 0\r\nRetry-After: Wed, 21 Oct 2099 07:28:00 GMT\r\n\r\n",
      RF_OK, 503, "", "", "", 86400000, 86400000 },
    { "a number that is too large",
      "HTTP/1.1 503 No\r\nContent-Length: 0\r\nRetry-After: 99999999999999\r\n\r\n", RF_OK, 503, "",
      "", "", 86400000, 86400000 },
    { "rubbish", "HTTP/1.1 503 No\r\nContent-Length: 0\r\nRetry-After: soon\r\n\r\n", RF_OK, 503,
      "", "", "", -1, -1 },
    { "a negative time", "HTTP/1.1 503 No\r\nContent-Length: 0\r\nRetry-After: -5\r\n\r\n", RF_OK,
      503, "", "", "", -1, -1 },
    { "a redirect is an answer", "HTTP/1.1 302 Go\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n",
      RF_OK, 302, "", "", "", -1, -1 },
    { "an answer that breaks off", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
      RF_EPROVIDER, 200, "hello", "", "", -1, -1 },
    { "chunks that break off",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nl", RF_EPROVIDER, 200,
      "hell", "", "", -1, -1 },
    { "what is not HTTP", "SSH-2.0-server\r\n\r\n", RF_EPROVIDER, 0, "", "", "", -1, -1 },
    { "nothing at all", "", RF_EPROVIDER, 0, "", "", "", -1, -1 },
};

static void check_row(void **state)
{
    const struct row *row = *state;
    const struct answer answer = { row->answer, CLOSE };
    struct server *s = server_start("127.0.0.1", &answer, 1);
    struct world w = world_new();
    assert_int_equal(get(&w, s->port, NO_CALL), row->code);
    assert_int_equal(w.reply.status, row->status);
    assert_int_equal(w.status, row->status);
    assert_str(taken(&w), row->body);
    assert_str(w.reply.content_type, row->type);
    assert_str(w.reply.request_id, row->request_id);
    assert_in_range(w.reply.retry_after_ms + 1, row->retry_least + 1, row->retry_most + 1);
    assert_true(w.reply.sent);
    assert_false(w.reply.unreachable);
    assert_int_equal(w.reply.began, row->body[0] != 0);
    assert_int_equal(w.err.code, row->code);
    if (row->code) {
        assert_non_null(strstr(w.err.msg, "127.0.0.1"));
        assert_true(w.err.hint[0]);
    }
    world_release(&w);
    server_stop(s);
}

/* What goes out. */

static uint64_t sum_of(const struct rf_rope *r, struct rf_arena *a)
{
    struct rf_str all;
    uint64_t sum = 0;
    assert_int_equal(rf_rope_flatten(r, SIZE_MAX, a, &all, NULL), RF_OK);
    add_sum(&sum, all.p, all.n);
    return sum;
}

/* {"data":"…"} with 3 MB of a file in it. */
static void large_rope(struct world *w, const char *folder, struct rf_bytes *bytes,
                       struct rf_rope *r)
{
    size_t n = (size_t)3 << 20;
    char *p = rf_arena_alloc(w->arena, n);
    for (size_t i = 0; i < n; i++)
        p[i] = (char)(i * 7 + i / 251);
    const char *path = in_folder(w->arena, folder, "large");
    write_file(path, (struct rf_str){ p, n });
    assert_int_equal(rf_bytes_file("", path, bytes, NULL), RF_OK);
    rf_rope_init(r, w->arena);
    rf_rope_text(r, RF_STR("{\"data\":\""));
    rf_rope_base64(r, bytes);
    rf_rope_text(r, RF_STR("\"}"));
}

static void sends_all_of_it(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP } };
    struct server *s = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    const char *folder = scratch_new(w.arena);
    struct rf_bytes bytes;
    struct rf_rope rope;
    large_rope(&w, folder, &bytes, &rope);
    const struct rf_header headers[] = { { B("content-type"), B("application/json") },
                                         { B("x-api-key"), B("secret value") },
                                         { B("x-empty"), B("") } };
    struct rf_net_call call = { .body = &rope, .headers = headers, .header_count = 3 };
    assert_int_equal(get(&w, s->port, call), RF_OK);
    const struct seen *seen = &s->seen[0];
    assert_memory_equal(seen->head, "POST /path?q=1 HTTP/1.1\r\n", 25);
    assert_non_null(strstr(seen->head, "\r\nx-api-key: secret value\r\n"));
    assert_non_null(strstr(seen->head, "\r\ncontent-type: application/json\r\n"));
    assert_non_null(strstr(seen->head, "\r\nx-empty:\r\n"));
    assert_non_null(strstr(seen->head, "\r\nUser-Agent: refract/"));
    assert_null(strcasestr(seen->head, "\r\nexpect:"));
    assert_null(strcasestr(seen->head, "chunked"));
    assert_int_equal(seen->body_bytes, rope.length);
    assert_int_equal(seen->body_sum, sum_of(&rope, w.arena));
    scratch_remove(folder);
    world_release(&w);
    server_stop(s);
}

static void says_other_methods(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP },
                                             { "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n",
                                               KEEP },
                                             { OK_TEXT, KEEP } };
    struct server *s = server_start("127.0.0.1", answers, 3);
    struct world w = world_new();
    assert_int_equal(get(&w, s->port, NO_CALL), RF_OK);
    assert_memory_equal(s->seen[0].head, "GET /path", 9);
    assert_int_equal(get(&w, s->port, (struct rf_net_call){ .method = "HEAD" }), RF_OK);
    assert_memory_equal(s->seen[1].head, "HEAD /path", 10);
    assert_int_equal(w.reply.status, 200);
    assert_int_equal(get(&w, s->port, (struct rf_net_call){ .method = "DELETE" }), RF_OK);
    assert_memory_equal(s->seen[2].head, "DELETE /path", 12);
    assert_int_equal(server_connections(s), 1); /* one for all */
    world_release(&w);
    server_stop(s);
}

/* The server gave up the kept connection while the second request was on its way: the body is read again. */
static void sends_again_on_a_new_connection(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP },
                                             { NULL, CLOSE },
                                             { OK_TEXT, KEEP } };
    struct server *s = server_start("127.0.0.1", answers, 3);
    struct world w = world_new();
    const char *folder = scratch_new(w.arena);
    struct rf_bytes bytes;
    struct rf_rope rope;
    large_rope(&w, folder, &bytes, &rope);
    assert_int_equal(get(&w, s->port, NO_CALL), RF_OK);
    enum rf_code rc = get(&w, s->port, (struct rf_net_call){ .body = &rope, .may_repeat = true });
    if (rc)
        print_message("%s\n", w.err.msg);
    assert_int_equal(rc, RF_OK);
    assert_int_equal(server_connections(s), 2);
    assert_int_equal(s->seen[2].body_bytes, rope.length);
    assert_int_equal(s->seen[2].body_sum, sum_of(&rope, w.arena));
    scratch_remove(folder);
    world_release(&w);
    server_stop(s);
}

/* On a connection of its own the request may have been worked on: it is not sent again. */
static void survives_a_closed_door(void **state)
{
    (void)state;
    static const struct answer answers[] = { { NULL, SLAM } };
    struct server *s = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    const char *folder = scratch_new(w.arena);
    struct rf_bytes bytes;
    struct rf_rope rope;
    large_rope(&w, folder, &bytes, &rope);
    signal(SIGPIPE, SIG_DFL);
    assert_int_equal(get(&w, s->port, (struct rf_net_call){ .body = &rope }), RF_EPROVIDER);
    assert_true(w.reply.sent);
    assert_false(w.reply.unreachable);
    assert_int_equal(server_requests(s), 1);
    scratch_remove(folder);
    world_release(&w);
    server_stop(s);
}

static void hears_a_refusal_while_sending(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        { "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig", AT_HEAD }
    };
    struct server *s = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    const char *folder = scratch_new(w.arena);
    struct rf_bytes bytes;
    struct rf_rope rope;
    large_rope(&w, folder, &bytes, &rope);
    assert_int_equal(get(&w, s->port, (struct rf_net_call){ .body = &rope }), RF_OK);
    assert_int_equal(w.reply.status, 413);
    assert_str(taken(&w), "big");
    scratch_remove(folder);
    world_release(&w);
    server_stop(s);
}

static void says_that_a_file_changed(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP } };
    struct server *s = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    const char *folder = scratch_new(w.arena);
    struct rf_bytes bytes;
    struct rf_rope rope;
    large_rope(&w, folder, &bytes, &rope);
    write_file(in_folder(w.arena, folder, "large"), RF_STR("other"));
    assert_int_equal(get(&w, s->port, (struct rf_net_call){ .body = &rope }), RF_EIO);
    assert_non_null(strstr(w.err.msg, "large"));
    scratch_remove(folder);
    world_release(&w);
    server_stop(s);
}

/* What is not sent. */

static const struct {
    const char *what;
    struct rf_header header;
} bad_headers[] = {
    { "a line feed", { B("x-key"), B("sec\nret: 1") } },
    { "a carriage return", { B("x-key"), B("secret\r") } },
    { "a NUL", { B("x-key"), B("sec\0ret") } },
    { "a colon in the name", { B("x:y"), B("secret") } },
    { "no name", { B(""), B("secret") } },
};

static void refuses_bad_headers(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP } };
    struct server *s = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    for (size_t i = 0; i < COUNT(bad_headers); i++) {
        struct rf_net_call call = { .headers = &bad_headers[i].header, .header_count = 1 };
        if (get(&w, s->port, call) != RF_EUSAGE)
            fail_msg("%s was sent", bad_headers[i].what);
        assert_null(strstr(w.err.msg, "sec"));
        assert_null(strstr(w.err.hint, "sec"));
    }
    assert_int_equal(server_requests(s), 0);
    world_release(&w);
    server_stop(s);
}

static void shows_no_password(void **state)
{
    (void)state;
    int port;
    struct world w = world_new();
    close(listen_on("127.0.0.1", 1, &port)); /* nobody is there */
    static const char *const urls[] = { "http://user:hunter2@127.0.0.1:%d/",
                                        "http://hunter2@127.0.0.1:%d/x@y",
                                        "http://a@hunter2@127.0.0.1:%d/" };
    for (size_t i = 0; i < COUNT(urls); i++) {
        char url[200];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(url, sizeof url, urls[i], port);
#pragma GCC diagnostic pop
        assert_int_equal(get(&w, port, (struct rf_net_call){ .url = url }), RF_EPROVIDER);
        assert_null(strstr(w.err.msg, "hunter2"));
        assert_non_null(strstr(w.err.msg, "127.0.0.1"));
    }
    world_release(&w);
}

static void speaks_http_only(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "", "::", "http://",
        "dict://127.0.0.1/"
    };
    struct world w = world_new();
    for (size_t i = 0; i < COUNT(urls); i++) {
        if (get(&w, 0, (struct rf_net_call){ .url = urls[i] }) != RF_EPROVIDER)
            fail_msg("%s was called", urls[i]);
        assert_false(w.reply.sent);
        assert_false(w.reply.unreachable);
    }
    world_release(&w);
}

/* Before all others, while nothing is loaded. */
static void loads_beside_other_work(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP } };
    struct rf_net *unused = rf_net_new();
    rf_net_prepare(unused);
    rf_net_free(unused); /* which waits for the loading to end */
    struct server *s = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    rf_net_prepare(w.net);
    rf_net_prepare(w.net);
    assert_int_equal(get(&w, s->port, NO_CALL), RF_OK);
    assert_int_equal(w.reply.status, 200);
    world_release(&w);
    server_stop(s);
}

int main(int argc, char **argv)
{
    (void)argv;
    forget_the_environment();
    through_libcurl = argc > 1;
    const struct CMUnitTest first[] = { cmocka_unit_test(loads_beside_other_work) };
    struct CMUnitTest answers[COUNT(rows)];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(sends_all_of_it),
        cmocka_unit_test(says_other_methods),
        cmocka_unit_test(sends_again_on_a_new_connection),
        cmocka_unit_test(survives_a_closed_door),
        cmocka_unit_test(hears_a_refusal_while_sending),
        cmocka_unit_test(says_that_a_file_changed),
        cmocka_unit_test(refuses_bad_headers),
        cmocka_unit_test(shows_no_password),
        cmocka_unit_test(speaks_http_only),
    };
    name_rows(answers, check_row, rows, COUNT(rows), sizeof *rows);
    int failed = cmocka_run_group_tests_name("loading", first, NULL, NULL);
    failed += cmocka_run_group_tests_name("answers", answers, NULL, NULL);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
