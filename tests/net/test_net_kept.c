/* Connections that are kept: when they are used again, when not, and what happens when one dies;
 * and calls that are paused. */
#include "base/loop.h"
#include "caller.h"
#include "net/links.h"

#include <fcntl.h>

static const struct row {
    const char *name, *first; /* answer to the first of two calls */
    enum then then;
    size_t connections; /* after both */
} rows[] = {
    { "a whole answer", OK_TEXT, KEEP, 1 },
    { "chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      KEEP, 1 },
    { "an answer without a body", "HTTP/1.1 204 No\r\n\r\n", KEEP, 1 },
    { "a refusal", "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", KEEP, 1 },
    { "a server that says it closes",
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", KEEP, 2 },
    { "an old server", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", KEEP, 2 },
    { "more than an answer", OK_TEXT "HTTP/1.1 200 OK\r\n", KEEP, 2 },
    { "a server that closes without a word", OK_TEXT, CLOSE, 2 },
};

static void check_row(void **state)
{
    const struct row *row = *state;
    const struct answer answers[] = { { row->first, row->then }, { OK_TEXT, KEEP } };
    struct server *s = server_start("127.0.0.1", answers, 2);
    struct world w = world_new();
    assert_int_equal(get(&w, s->port, NO_CALL), RF_OK);
    rf_net_wait(w.net, -1, 50); /* for word of a connection that is closed */
    assert_int_equal(get(&w, s->port, NO_CALL), RF_OK);
    assert_str(taken(&w), "hello");
    assert_true(w.reply.peer_known);
    assert_int_equal(((struct sockaddr_in *)(void *)w.reply.peer)->sin_port,
                     htons((uint16_t)s->port));
    assert_int_equal(server_connections(s), row->connections);
    assert_int_equal(server_requests(s), 2);
    world_release(&w);
    server_stop(s);
}

/* Not the second time: then it may be the request that it dies of. */
static void is_sent_again_once(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP }, { NULL, CLOSE } };
    struct server *s = server_start("127.0.0.1", answers, 2);
    struct world w = world_new();
    assert_int_equal(get(&w, s->port, NO_CALL), RF_OK);
    assert_int_equal(get(&w, s->port, NO_CALL), RF_EPROVIDER);
    assert_non_null(strstr(w.err.msg, "no answer from 127.0.0.1"));
    assert_true(w.reply.sent);
    assert_false(w.reply.unreachable);
    assert_int_equal(server_requests(s), 3);
    world_release(&w);
    server_stop(s);
}

static const struct repeat_row {
    const char *name, *method;
    bool body, may_repeat;
    size_t requests; /* with the first, which left its connection */
} repeat_rows[] = {
    { "GET is sent again", NULL, false, false, 3 },
    { "HEAD is sent again", "HEAD", false, false, 3 },
    { "POST is not", NULL, true, false, 2 },
    { "POST without a body is not", "POST", false, false, 2 },
    { "DELETE is not", "DELETE", false, false, 2 },
    { "POST that may be repeated is", NULL, true, true, 3 },
};

/* The server has read all of it when it closes the connection, and may have done what it was asked. */
static void check_repeat(void **state)
{
    const struct repeat_row *row = *state;
    static const struct answer answers[] = { { OK_TEXT, KEEP },
                                             { NULL, CLOSE },
                                             { OK_TEXT, KEEP } };
    struct server *s = server_start("127.0.0.1", answers, 3);
    struct world w = world_new();
    struct rf_rope rope;
    rf_rope_init(&rope, w.arena);
    rf_rope_text(&rope, RF_STR("{}"));
    const struct rf_net_call call = { .method = row->method,
                                      .body = row->body ? &rope : NULL,
                                      .may_repeat = row->may_repeat };
    bool again = row->requests == 3;
    assert_int_equal(get(&w, s->port, NO_CALL), RF_OK);
    assert_int_equal(get(&w, s->port, call), again ? RF_OK : RF_EPROVIDER);
    assert_true(w.reply.sent);
    if (!again)
        assert_non_null(strstr(w.err.msg, ": Empty reply from server"));
    assert_int_equal(server_requests(s), row->requests);
    world_release(&w);
    server_stop(s);
}

/* Who calls now and then does not hear in between that the connection was closed. */
static void a_connection_that_was_closed_is_not_used(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, CLOSE }, { OK_TEXT, KEEP } };
    struct server *s = server_start("127.0.0.1", answers, 2);
    struct world w = world_new();
    struct rf_rope rope;
    rf_rope_init(&rope, w.arena);
    rf_rope_text(&rope, RF_STR("{}"));
    assert_int_equal(get(&w, s->port, NO_CALL), RF_OK);
    usleep(50000);
    assert_int_equal(get(&w, s->port, (struct rf_net_call){ .body = &rope }), RF_OK);
    assert_int_equal(server_requests(s), 2);
    world_release(&w);
    server_stop(s);
}

/* libcurl counts lines only. */
static void an_answer_that_began_is_not_asked_for_again(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP }, { "HTTP/1.1 2", CLOSE } };
    if (through_libcurl)
        skip();
    struct server *s = server_start("127.0.0.1", answers, 2);
    struct world w = world_new();
    assert_int_equal(get(&w, s->port, NO_CALL), RF_OK);
    assert_int_equal(get(&w, s->port, NO_CALL), RF_EPROVIDER);
    assert_int_equal(server_requests(s), 2);
    world_release(&w);
    server_stop(s);
}

/* The server answers before it has all of the body, and does not want the rest. */
static void an_early_answer_ends_the_connection(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        { "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig", AT_HEAD }, { OK_TEXT, KEEP }
    };
    struct server *s = server_start("127.0.0.1", answers, 2);
    struct world w = world_new();
    struct rf_rope rope;
    size_t n = (size_t)32 << 20; /* more than sockets hold */
    rf_rope_init(&rope, w.arena);
    rf_rope_text(&rope, (struct rf_str){ rf_arena_alloc(w.arena, n), n });
    assert_int_equal(get(&w, s->port, (struct rf_net_call){ .body = &rope }), RF_OK);
    assert_int_equal(w.reply.status, 413);
    assert_int_equal(get(&w, s->port, NO_CALL), RF_OK);
    assert_int_equal(server_connections(s), 2);
    world_release(&w);
    server_stop(s);
}

/* Long texts, which are sent from where they lie, and bytes that are encoded on the way. */
static void many_pieces_arrive_in_order(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP } };
    struct server *s = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    struct rf_rope rope;
    struct rf_bytes bytes[40];
    struct rf_str all;
    uint64_t sum = 0;
    rf_rope_init(&rope, w.arena);
    for (size_t i = 0; i < COUNT(bytes); i++) {
        size_t n = 5000 + 30000 * (i % 3);
        char *text = rf_arena_alloc(w.arena, n);
        memset(text, 'a' + (int)i % 26, n);
        bytes[i] = rf_bytes_memory((struct rf_str){ text, n });
        rf_rope_text(&rope, bytes[i].text);
        if (i % 7 == 3)
            rf_rope_base64(&rope, &bytes[i]);
    }
    assert_int_equal(get(&w, s->port, (struct rf_net_call){ .body = &rope }), RF_OK);
    assert_int_equal(rf_rope_flatten(&rope, SIZE_MAX, w.arena, &all, NULL), RF_OK);
    add_sum(&sum, all.p, all.n);
    assert_int_equal(s->seen[0].body_bytes, rope.length);
    assert_int_equal(s->seen[0].body_sum, sum);
    world_release(&w);
    server_stop(s);
}

/* Calls whose receiver takes a part, and then nothing for a while. */

struct slow {
    struct world *world;
    struct rf_transfer *transfer;
    struct rf_net_reply reply;
    size_t bytes, pauses;
    char letter; /* of the last byte */
    bool over, in_order;
    enum rf_code rc;
};

static bool take_and_pause(void *ctx, struct rf_str bytes)
{
    struct slow *s = ctx;
    for (size_t i = 0; i < bytes.n; i++) {
        s->in_order = s->in_order && (!s->letter || bytes.p[i] == 'a' + (s->letter - 'a' + 1) % 26);
        s->letter = bytes.p[i];
    }
    s->bytes += bytes.n;
    s->pauses++;
    rf_net_pause(s->transfer);
    return true;
}

static void take_end(void *ctx, enum rf_code rc, const struct rf_err *err)
{
    struct slow *s = ctx;
    (void)err;
    s->over = true;
    s->rc = rc;
}

static void start_slow(struct slow *s, int port, int64_t idle_ms, int64_t total_ms)
{
    const struct rf_net_call call = {
        .url = url_of(s->world->arena, port),
        .idle_ms = idle_ms,
        .total_ms = total_ms,
        .bytes = take_and_pause,
        .ctx = s,
        .done = take_end,
        .done_ctx = s,
    };
    assert_int_equal(
        rf_net_start(s->world->net, &call, s->world->arena, &s->reply, &s->transfer, NULL), RF_OK);
}

static void wait_for_pause(struct slow *s, size_t pauses)
{
    while (s->pauses < pauses && !s->over)
        rf_net_wait(s->world->net, -1, -1);
}

/* Nothing comes while it is paused, for longer than it may take between two bytes. */
static void rest(struct slow *s)
{
    int64_t end = clock_ms() + 200;
    size_t before = s->bytes;
    while (clock_ms() < end)
        rf_net_wait(s->world->net, -1, 20);
    assert_false(s->over);
    assert_int_equal(s->bytes, before);
}

static void a_paused_call_goes_on(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
          "3\r\nhel\r\n2\r\nlo\r\n1\r\n!\r\n0\r\n\r\n",
          KEEP },
        { OK_TEXT, KEEP },
    };
    struct server *server = server_start("127.0.0.1", answers, 2);
    struct world w = world_new();
    struct slow s = { .world = &w };
    start_slow(&s, server->port, 100, 0);
    for (size_t seen = 0; !s.over;) {
        wait_for_pause(&s, seen + 1);
        if (s.over)
            break;
        seen = s.pauses;
        rest(&s);
        rf_net_resume(s.transfer); /* which may hand on the next piece itself */
    }
    assert_int_equal(s.rc, RF_OK);
    assert_int_equal(s.bytes, 6);
    assert_int_equal(get(&w, server->port, NO_CALL), RF_OK);
    assert_int_equal(server_connections(server), 1);
    world_release(&w);
    server_stop(server);
}

/* More than is read at once, and it goes on while there is more to be read. */
static void a_paused_call_stays_in_order(void **state)
{
    (void)state;
    enum { LETTERS = 20000 };
    struct world w = world_new();
    struct rf_buf text;
    struct answer answer = { .then = KEEP };
    rf_buf_init(&text, w.arena, MAX_TAKEN);
    rf_buf_add(&text, RF_STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
    for (int i = 0; i < LETTERS; i++)
        rf_buf_addf(&text, "1\r\n%c\r\n", 'a' + i % 26);
    rf_buf_add(&text, RF_STR("0\r\n\r\n"));
    answer.text = rf_cstr(w.arena, (struct rf_str){ text.p, text.n });
    struct server *server = server_start("127.0.0.1", &answer, 1);
    struct slow s = { .world = &w, .in_order = true };
    start_slow(&s, server->port, 0, 0);
    while (!s.over) {
        rf_net_wait(w.net, -1, -1);
        if (s.pauses && !s.over)
            rf_net_resume(s.transfer);
    }
    assert_int_equal(s.rc, RF_OK);
    assert_int_equal(s.bytes, LETTERS);
    assert_true(s.in_order);
    server_stop(server); /* its answer is in the world */
    world_release(&w);
}

static void a_server_waits_for_a_paused_call(void **state)
{
    (void)state;
    static const struct answer answers[] = { { "HTTP/1.1 200 OK\r\n\r\n", GO_ON } };
    struct server *server = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    struct slow s = { .world = &w };
    start_slow(&s, server->port, 100, 0);
    for (size_t i = 1; i < 4; i++) {
        wait_for_pause(&s, i);
        rest(&s);
        rf_net_resume(s.transfer);
    }
    rf_net_pause(s.transfer);
    rest(&s);
    rf_net_cancel(s.transfer);
    assert_false(s.over);
    world_release(&w);
    server_stop(server);
}

static void a_paused_call_is_too_late(void **state)
{
    (void)state;
    static const struct answer answers[] = { { "HTTP/1.1 200 OK\r\n\r\n", GO_ON } };
    struct server *server = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    struct slow s = { .world = &w };
    start_slow(&s, server->port, 100, 250);
    while (!s.over)
        rf_net_wait(w.net, -1, -1);
    assert_int_equal(s.rc, RF_ELIMIT);
    assert_true(s.reply.overdue);
    assert_int_equal(s.pauses, 1);
    world_release(&w);
    server_stop(server);
}

/* A header is heard of before anything else; to cancel there is allowed, too. */
static void cancel_at_header(void *ctx, struct rf_str name, struct rf_str value)
{
    struct slow *s = ctx;
    (void)name, (void)value;
    if (s->pauses++ == 0)
        rf_net_cancel(s->transfer);
}

static void a_header_cancels(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, KEEP } };
    struct server *server = server_start("127.0.0.1", answers, 1);
    struct world w = world_new();
    struct slow s = { .world = &w };
    const struct rf_net_call call = { .url = url_of(w.arena, server->port),
                                      .header = cancel_at_header,
                                      .bytes = take_and_pause,
                                      .ctx = &s,
                                      .done = take_end,
                                      .done_ctx = &s };
    assert_int_equal(rf_net_start(w.net, &call, w.arena, &s.reply, &s.transfer, NULL), RF_OK);
    while (!s.pauses)
        rf_net_wait(w.net, -1, -1);
    assert_int_equal(get(&w, server->port, NO_CALL), RF_OK);
    assert_int_equal(s.pauses, 1);
    assert_false(s.over);
    world_release(&w);
    server_stop(server);
}

/* The idle ones themselves */

static struct rf_link *new_link(struct rf_links *l, int *other)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    *other = ends[1];
    return rf_link_new(l, ends[0], RF_STR("a:1"));
}

static bool is_gone(int other)
{
    return recv(other, (char[1]){ 0 }, 1, MSG_DONTWAIT) == 0;
}

static void so_many_are_kept(void **state)
{
    (void)state;
    struct rf_loop loop;
    struct rf_links links;
    struct rf_link *all[70];
    int others[COUNT(all)];
    assert_true(rf_loop_init(&loop));
    rf_links_init(&links, &loop, NULL);
    for (size_t i = 0; i < COUNT(all); i++)
        all[i] = new_link(&links, &others[i]);
    for (size_t i = 0; i < COUNT(all); i++)
        rf_link_leave(all[i]);
    for (size_t i = 0; i < COUNT(all); i++)
        assert_int_equal(is_gone(others[i]), i < 6);
    assert_null(rf_link_take(&links, RF_STR("a:2")));
    assert_ptr_equal(rf_link_take(&links, RF_STR("A:1")), all[69]);
    rf_link_leave(all[69]);
    all[68]->idle_since_ms -= 200 * 1000; /* it was silent for too long */
    assert_null(rf_link_take(&links, RF_STR("b:1")));
    assert_true(is_gone(others[68]));
    assert_int_equal(write(others[67], "x", 1), 1); /* nobody asked for that */
    rf_loop_step(&loop);
    assert_int_equal(links.idle_count, 62);
    rf_links_release(&links);
    for (size_t i = 0; i < COUNT(all); i++)
        close(others[i]);
    rf_loop_release(&loop);
}

int main(int argc, char **argv)
{
    (void)argv;
    forget_the_environment();
    through_libcurl = argc > 1;
    struct CMUnitTest kept[COUNT(rows)], repeats[COUNT(repeat_rows)];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(is_sent_again_once),
        cmocka_unit_test(a_connection_that_was_closed_is_not_used),
        cmocka_unit_test(an_answer_that_began_is_not_asked_for_again),
        cmocka_unit_test(an_early_answer_ends_the_connection),
        cmocka_unit_test(many_pieces_arrive_in_order),
        cmocka_unit_test(a_paused_call_goes_on),
        cmocka_unit_test(a_paused_call_stays_in_order),
        cmocka_unit_test(a_server_waits_for_a_paused_call),
        cmocka_unit_test(a_paused_call_is_too_late),
        cmocka_unit_test(a_header_cancels),
        cmocka_unit_test(so_many_are_kept),
    };
    name_rows(kept, check_row, rows, COUNT(rows), sizeof *rows);
    name_rows(repeats, check_repeat, repeat_rows, COUNT(repeat_rows), sizeof *repeat_rows);
    int failed = cmocka_run_group_tests_name("after", kept, NULL, NULL);
    failed += cmocka_run_group_tests_name("repeats", repeats, NULL, NULL);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
