/* Sending: what is tried again, what is not, how long it waits, and that no key gets out. */
#include "net/send.h"

#include "base/buf.h"
#include "net/waiting.h"
#include "server.h"
#include "wire/wire.h"

#define KEY "sk-ant-api03-0123456789abcdef-0123456789"
#define MAX_ANSWERS 6
#define SOON "retry-after-ms: 1\r\n"
#define HEAD(status, more) "HTTP/1.1 " status " X\r\n" more "Connection: close\r\n\r\n"
#define BUSY \
    HEAD("429", SOON) "{\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow down\"}}"

struct world {
    struct rf_arena *arena;
    struct rf_net *net;
    struct rf_config config;
    struct rf_model model;
    struct rf_rope body;
    struct rf_sent sent;
    struct rf_err err;
    struct rf_buf taken;
    bool for_long; /* refuse_for_long */
    int waits, waited_for;
    int64_t waited_ms, waited_since;
    int poke_fd; /* or 0: when a wait begins, somebody wants to stop */
    char why[400];
};

static bool take(void *ctx, struct rf_str bytes)
{
    struct world *w = ctx;
    rf_buf_add(&w->taken, bytes);
    return true;
}

static void wait_comes(void *ctx, int status, int64_t ms, struct rf_str why)
{
    struct world *w = ctx;
    w->waits++;
    w->waited_for = status;
    w->waited_ms = ms;
    w->waited_since = clock_ms();
    if (w->poke_fd)
        assert_int_equal(write(w->poke_fd, "x", 1), 1);
    snprintf(w->why, sizeof w->why, "%.*s", RF_FMT(why));
}

static struct world *world_new(int port)
{
    struct rf_arena *a = rf_arena_new();
    struct world *w = RF_NEW(a, struct world);
    w->arena = a;
    w->config.arena = a;
    w->net = rf_net_new();
    setenv("ANTHROPIC_BASE_URL", rf_strf(a, "http://127.0.0.1:%d", port).p, 1);
    setenv("ANTHROPIC_API_KEY", KEY, 1);
    assert_int_equal(
        rf_model_init(&w->model, RF_STR("anthropic"), RF_STR("claude-sonnet-4-5"), a, NULL), RF_OK);
    rf_rope_init(&w->body, a);
    rf_rope_text(&w->body, RF_STR("{\"model\":\"x\"}"));
    rf_buf_init(&w->taken, a, 1 << 20);
    return w;
}

static void world_free(struct world *w)
{
    rf_net_free(w->net);
    rf_arena_free(w->arena);
}

/* Of a server whose bodies ask for a long time. */
static void refuse_for_long(const struct rf_model *m, int status, struct rf_str body,
                            struct rf_arena *a, struct rf_refusal *out)
{
    rf_wire_refusal(m, status, body, a, out);
    out->retry_after_ms = 3600 * 1000;
}

static enum rf_code send_it(struct world *w, int64_t give_up_ms, int cancel_fd)
{
    const struct rf_sending s = {
        .config = &w->config,
        .model = &w->model,
        .body = &w->body,
        .cancel_fd = cancel_fd,
        .give_up_ms = give_up_ms,
        .bytes = take,
        .refusal = w->for_long ? refuse_for_long : rf_wire_refusal,
        .waits = wait_comes,
        .ctx = w,
    };
    return rf_net_send(w->net, &s, w->arena, &w->sent, &w->err);
}

static const struct row {
    const char *name;
    struct answer answers[MAX_ANSWERS];
    enum rf_code code;
    int status, tries;
    const char *taken, *refusal; /* NULL: whatever */
} rows[] = {
    { "an answer", { { OK_TEXT, CLOSE } }, RF_OK, 200, 1, "hello", "" },
    { "too many requests, then an answer",
      { { BUSY, CLOSE }, { OK_TEXT, CLOSE } },
      RF_OK,
      200,
      2,
      "hello",
      "" },
    { "overloaded, then an answer",
      { { HEAD("529",
               SOON) "{\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}",
          CLOSE },
        { OK_TEXT, CLOSE } },
      RF_OK,
      200,
      2,
      "hello",
      "" },
    { "an overload with another status",
      { { HEAD("500",
               SOON) "{\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}",
          CLOSE },
        { OK_TEXT, CLOSE } },
      RF_OK,
      200,
      2,
      "hello",
      "" },
    { "a gateway's page",
      { { HEAD("502", SOON) "<html>", CLOSE }, { OK_TEXT, CLOSE } },
      RF_OK,
      200,
      2,
      "hello",
      "" },
    { "unavailable without words",
      { { HEAD("503", SOON), CLOSE }, { OK_TEXT, CLOSE } },
      RF_OK,
      200,
      2,
      "hello",
      "" },
    { "a storm", { { BUSY, CLOSE } }, RF_OK, 429, RF_SEND_TRIES, "", NULL },
    { "a bad request",
      { { HEAD("400", "") "{\"error\":{\"message\":\"no\"}}", CLOSE } },
      RF_OK,
      400,
      1,
      "",
      "no" },
    { "a wrong key",
      { { HEAD("401", SOON) "{}", CLOSE } },
      RF_OK,
      401,
      1,
      "",
      "status 401" },
    { "a failure inside",
      { { HEAD("500", SOON) "{}", CLOSE } },
      RF_OK,
      500,
      1,
      "",
      "status 500" },
    { "a quota that is used up",
      { { HEAD("429", SOON) "{\"error\":{\"type\":\"insufficient_quota\",\"message\":\"pay\"}}",
          CLOSE } },
      RF_OK,
      429,
      1,
      "",
      NULL },
    { "a prompt that is too long for a minute",
      { { HEAD("429", SOON) "{\"error\":{\"type\":\"x\",\"message\":\"prompt is too long\"}}",
          CLOSE } },
      RF_OK,
      429,
      1,
      "",
      NULL },
    { "a time that nobody waits for",
      { { HEAD("429", "retry-after: 3600\r\n"), CLOSE } },
      RF_OK,
      429,
      1,
      "",
      "status 429" },
    { "a redirect is not followed",
      { { HEAD("307", "Location: http://127.0.0.9/\r\n"), CLOSE } },
      RF_OK,
      307,
      1,
      "",
      "status 307: it redirects, and nothing is sent where that leads" },
    { "an answer that breaks off",
      { { "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel", CLOSE }, { OK_TEXT, CLOSE } },
      RF_EPROVIDER,
      200,
      1,
      "hel",
      "" },
    { "no answer at all", { { NULL, CLOSE }, { OK_TEXT, CLOSE } }, RF_EPROVIDER, 0, 1, "", "" },
    { "a refusal that breaks off",
      { { "HTTP/1.1 400 No\r\nContent-Length: 9\r\n\r\nhel", CLOSE } },
      RF_OK,
      400,
      1,
      "",
      "hel" },
    { "a refusal that repeats the key",
      { { HEAD("401", "") "{\"error\":{\"message\":\"wrong key " KEY "\"}}", CLOSE } },
      RF_OK,
      401,
      1,
      "",
      NULL },
};

static void check_row(void **state)
{
    const struct row *row = *state;
    size_t count = 0;
    while (count < MAX_ANSWERS && (row->answers[count].text || row->answers[count].then))
        count++;
    struct server *s = server_start("127.0.0.1", row->answers, count);
    struct world *w = world_new(s->port);
    assert_int_equal(send_it(w, 0, -1), row->code);
    assert_int_equal(w->sent.status, row->status);
    assert_int_equal(w->sent.tries, row->tries);
    assert_int_equal(w->waits, row->tries - 1);
    assert_int_equal(server_requests(s), (size_t)row->tries);
    const struct rf_str taken = { w->taken.n ? w->taken.p : "", w->taken.n };
    assert_str(taken, row->taken);
    if (row->refusal)
        assert_str(w->sent.refusal.words, row->refusal);
    assert_false(rf_str_contains(w->sent.refusal.words, RF_STR(KEY)));
    for (int i = 0; i < row->tries; i++) {
        assert_non_null(strstr(s->seen[i].head, "\r\nx-api-key: " KEY "\r\n"));
        assert_string_equal(s->seen[i].body, "{\"model\":\"x\"}");
    }
    world_free(w);
    server_stop(s);
}

static void cuts_an_endless_refusal(void **state)
{
    (void)state;
    static const struct answer answers[] = { { HEAD("400", ""), GO_ON } };
    struct server *s = server_start("127.0.0.1", answers, 1);
    struct world *w = world_new(s->port);
    assert_int_equal(send_it(w, 0, -1), RF_OK);
    assert_int_equal(w->sent.status, 400);
    assert_in_range(w->sent.refusal.words.n, 1, 1 << 20);
    world_free(w);
    server_stop(s);
}

static void tells_why_it_waits(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        { HEAD("429", SOON) "{\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow, " KEY
                            "\"}}",
          CLOSE },
        { OK_TEXT, CLOSE },
    };
    struct server *s = server_start("127.0.0.1", answers, 2);
    struct world *w = world_new(s->port);
    assert_int_equal(send_it(w, 0, -1), RF_OK);
    assert_int_equal(w->waited_for, 429);
    assert_non_null(strstr(w->why, "slow, "));
    assert_null(strstr(w->why, "0123456789"));
    world_free(w);
    server_stop(s);
}

static void a_header_counts_more_than_a_body(void **state)
{
    (void)state;
    static const struct answer answers[] = { { BUSY, CLOSE }, { OK_TEXT, CLOSE } };
    struct server *s = server_start("127.0.0.1", answers, 2);
    struct world *w = world_new(s->port);
    w->for_long = true;
    assert_int_equal(send_it(w, 0, -1), RF_OK);
    assert_int_equal(w->sent.status, 200);
    assert_int_equal(w->sent.tries, 2);
    world_free(w);
    server_stop(s);
}

static void tries_to_reach_it_again(void **state)
{
    (void)state;
    int port;
    close(listen_on("127.0.0.1", 1, &port));
    struct world *w = world_new(port);
    int64_t start = clock_ms();
    assert_int_equal(send_it(w, 3000, -1), RF_EPROVIDER);
    assert_true(clock_ms() - start >= 100);
    assert_int_equal(w->waited_for, 0);
    assert_in_range(w->sent.tries, 2, RF_SEND_TRIES);
    assert_non_null(strstr(w->err.msg, "127.0.0.1"));
    assert_true(w->err.hint[0]);
    world_free(w);
}

static void has_one_time_for_all_tries(void **state)
{
    (void)state;
    static const struct answer answers[] = { { HEAD("503", SOON) "busy", STALL } };
    struct server *s = server_start("127.0.0.1", answers, 1);
    struct world *w = world_new(s->port);
    w->config.answer_seconds = (struct rf_config_limit){ 1, { "config.yaml", 1 } };
    assert_int_equal(send_it(w, 0, -1), RF_OK);
    assert_int_equal(w->sent.status, 503);
    assert_int_equal(w->sent.tries, 1);
    world_free(w);
    server_stop(s);
}

static void stops_waiting_at_once(void **state)
{
    (void)state;
    static const struct answer answers[] = { { HEAD("429", "retry-after: 100\r\n"), CLOSE } };
    struct server *s = server_start("127.0.0.1", answers, 1);
    struct world *w = world_new(s->port);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    w->poke_fd = ends[1];
    assert_int_equal(send_it(w, 0, ends[0]), RF_EINTERRUPTED);
    assert_in_range(w->waited_ms, 100 * 1000, 111 * 1000);
    assert_in_range(clock_ms() - w->waited_since, 0, 50 * 1000);
    assert_int_equal(w->sent.status, 429);
    close(ends[0]);
    close(ends[1]);
    world_free(w);
    server_stop(s);
}

#define WRONG_KEY HEAD("401", "") "{\"error\":{\"type\":\"authentication_error\"}}"

/* Of each send: what the server sees of it, and how it ends. */
static const struct {
    const char *fact;
    int tries, status;
    const char *keys[2];
} renewals[] = {
    { "the command is run", 1, 200, { "key-1" } },
    { "what it printed is used again, and refused", 2, 200, { "key-1", "key-2" } },
    { "a new one that is refused, too, is not followed by another", 2, 401, { "key-2", "key-3" } },
    { "nor is one that was printed just now", 1, 401, { "key-4" } },
    { "and none of them is used again", 1, 200, { "key-5" } },
    { "all are forgotten", 1, 200, { "key-6" } },
};

static void asks_for_another_key(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        { OK_TEXT, CLOSE },   { WRONG_KEY, CLOSE }, { OK_TEXT, CLOSE }, { WRONG_KEY, CLOSE },
        { WRONG_KEY, CLOSE }, { WRONG_KEY, CLOSE }, { OK_TEXT, CLOSE },
    };
    struct server *s = server_start("127.0.0.1", answers, COUNT(answers));
    struct world *w = world_new(s->port);
    const char *folder = scratch_new(w->arena);
    struct rf_str command[] = { RF_STR("/bin/sh"), RF_STR("-c"),
                                rf_strf(w->arena, "cd %s && echo x >>log && echo key-$(wc -l <log)",
                                        folder) };
    struct rf_config_provider provider = { .name = RF_STR("anthropic"),
                                           .key = { .command = command, .command_count = 3 } };
    size_t seen = 0;
    w->config.providers = &provider;
    w->config.provider_count = 1;
    for (size_t i = 0; i < COUNT(renewals); i++) {
        if (i + 1 == COUNT(renewals))
            rf_key_commands_renew();
        assert_int_equal(send_it(w, 0, -1), RF_OK);
        if (w->sent.status != renewals[i].status || w->sent.tries != renewals[i].tries)
            fail_msg("%s: %d after %d", renewals[i].fact, w->sent.status, w->sent.tries);
        for (int k = 0; k < renewals[i].tries; k++)
            if (!strstr(s->seen[seen++].head, renewals[i].keys[k]))
                fail_msg("%s: %s", renewals[i].fact, s->seen[seen - 1].head);
    }
    assert_int_equal(server_requests(s), seen);
    scratch_remove(folder);
    world_free(w);
    server_stop(s);
}

static void waits_longer_each_time(void **state)
{
    (void)state;
    struct rf_refusal said = { .status = 429, .retry_after_ms = 5000 };
    struct rf_refusal silent = { .status = 429, .retry_after_ms = -1 };
    for (int tries = 1; tries < 40; tries++) {
        int64_t step = tries < 7 ? (int64_t)1000 << (tries - 1) : 60000;
        assert_in_range(rf_wait_after_refusal(&silent, tries), step / 2, step * 3 / 2);
        assert_in_range(rf_wait_after_refusal(&said, tries), 5000, 5750);
        assert_in_range(rf_wait_to_reach(tries), 125, 90000);
    }
    int64_t first = rf_wait_after_refusal(&silent, 10);
    for (int i = 0; i < 20; i++)
        if (rf_wait_after_refusal(&silent, 10) != first)
            return;
    fail_msg("all wait equally long");
}

static const struct {
    const char *dialect, *body;
    int status;
    int64_t want_ms;
    bool passes;
} bodies[] = {
    { "gemini",
      "{'error':{'code':429,'status':'RESOURCE_EXHAUSTED','message':'quota','details':[{'a':1},"
      "{'retryDelay':'34s'}]}}",
      429, 34000, true },
    { "gemini",
      "[{'error':{'code':429,'status':'RESOURCE_EXHAUSTED','message':'quota','details':["
      "{'retryDelay':'2.5s'}]}}]",
      429, 2500, true },
    { "gemini", "{'error':{'code':429,'message':'quota','details':[{'retryDelay':-3},7,null]}}",
      429, -1, true },
    { "bedrock", "{'message':'Rate exceeded'}", 429, -1, true },
    { "openai-chat",
      "{'error':{'code':'insufficient_quota','type':'insufficient_quota','message':'x'}}", 429, -1,
      false },
    { "openai-chat", "{'error':{'code':429,'message':'Provider returned error'}}", 429, -1, true },
    { "openai-chat", "not JSON", 504, -1, true },
    { "openai-chat", "", 403, -1, false },
    { "no such dialect", "{}", 429, -1, true },
};

static void reads_refusals(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct rf_model m = { .caps.dialect = rf_str(bodies[i].dialect) };
        struct rf_refusal r;
        rf_wire_refusal(&m, bodies[i].status, quoted(a, bodies[i].body), a, &r);
        if (r.retry_after_ms != bodies[i].want_ms || rf_refusal_passes(&r) != bodies[i].passes)
            fail_msg("%s: %lld ms, %d", bodies[i].body, (long long)r.retry_after_ms,
                     rf_refusal_passes(&r));
    }
    rf_arena_free(a);
}

int main(void)
{
    static const char *const proxies[] = { "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                           "ALL_PROXY" };
    for (size_t i = 0; i < COUNT(proxies); i++)
        unsetenv(proxies[i]);
    struct CMUnitTest tests[COUNT(rows)];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(cuts_an_endless_refusal),
        cmocka_unit_test(tells_why_it_waits),
        cmocka_unit_test(tries_to_reach_it_again),
        cmocka_unit_test(stops_waiting_at_once),
        cmocka_unit_test(asks_for_another_key),
        cmocka_unit_test(waits_longer_each_time),
        cmocka_unit_test(reads_refusals),
        cmocka_unit_test(has_one_time_for_all_tries),
        cmocka_unit_test(a_header_counts_more_than_a_body),
    };
    name_rows(tests, check_row, rows, COUNT(rows), sizeof *rows);
    int failed = cmocka_run_group_tests_name("tries", tests, NULL, NULL);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
