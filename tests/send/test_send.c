/* Sending as an embedding program does: what it is told while a reply comes and at the end, that it
 * may stop, cancel and free whenever it likes, and the same request for HTTP of its own. */
#include "../net/environment.h"
#include "../net/server.h"

#include "base/buf.h"

#include <refract/refract.h>

#include <malloc.h>

#define KEY "sk-ant-api03-0123456789abcdef-0123456789"
#define EVENT(name, members) "event: " name "\ndata: {\"type\":\"" name "\"" members "}\n\n"
#define HEAD "HTTP/1.1 200 OK\r\nrequest-id: req-7\r\nContent-Type: text/event-stream\r\n"
#define FIRST                                                                                   \
    EVENT("message_start", ",\"message\":{\"id\":\"m1\",\"type\":\"message\",\"role\":"         \
                           "\"assistant\",\"model\":\"claude\",\"content\":[],\"stop_reason\":" \
                           "null,\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}")          \
    EVENT("content_block_start",                                                                \
          ",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}")                   \
    EVENT("content_block_delta",                                                                \
          ",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello \"}")
#define REST                                                                            \
    EVENT("content_block_delta",                                                        \
          ",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"you, " KEY "\"}") \
    EVENT("content_block_stop", ",\"index\":0")                                         \
    EVENT("message_delta",                                                              \
          ",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":3}")  \
    EVENT("message_stop", "")
#define STREAM HEAD "Connection: close\r\n\r\n" FIRST REST
#define STALLED HEAD "Content-Length: 9999\r\n\r\n" FIRST
#define BROKEN HEAD "Content-Length: 9999\r\nConnection: close\r\n\r\n" FIRST
#define WHOLE                                                                                \
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"         \
    "{\"id\":\"m1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude\","       \
    "\"content\":[{\"type\":\"text\",\"text\":\"Hello you\"}],\"stop_reason\":\"end_turn\"," \
    "\"usage\":{\"input_tokens\":9,\"output_tokens\":3}}"
#define REFUSAL(status, more)                                                         \
    "HTTP/1.1 " status " No\r\n" more "Connection: close\r\n\r\n{\"type\":\"error\"," \
    "\"error\":{\"type\":\"invalid_request_error\",\"message\":\"not like this\"}}"
#define BUSY                                                                                \
    "HTTP/1.1 429 No\r\nretry-after-ms: 1\r\nConnection: close\r\n\r\n{\"type\":\"error\"," \
    "\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow down\"}}"

struct world {
    struct rf_arena *arena;
    const char *home;
    struct server *server;
    struct rf_network *network;
    struct rf_model *model;
    struct rf_conversation *conversation;
    struct rf_request *request;
    struct rf_err err;
};

/* What an embedding program would keep. */
struct told {
    struct rf_send *send;
    char text[4096];
    size_t events, done_events, errors, waits, ends;
    enum rf_code rc;
    size_t stop_at;                      /* this event; 0: never */
    size_t free_at, cancel_at, pause_at; /* the same */
    bool stops_waiting, frees_at_end;
};

static struct world world_start(const struct answer *answers, size_t count, bool stream)
{
    struct world w = { .arena = rf_arena_new() };
    struct rf_request_options *o = rf_request_options_new();
    w.home = environment_start(w.arena);
    w.server = server_start("127.0.0.1", answers, count);
    w.network = rf_network_new();
    setenv("ANTHROPIC_API_KEY", KEY, 1);
    setenv("ANTHROPIC_BASE_URL", rf_strf(w.arena, "http://127.0.0.1:%d", w.server->port).p, 1);
    if (stream)
        rf_request_options_stream(o);
    if (rf_model_open(NULL, "anthropic:claude-sonnet-4-5", &w.model, &w.err) ||
        rf_conversation_read(
            RF_STR("{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":\"Hi there\"}]}"),
            &w.conversation, &w.err) ||
        rf_request_build(w.conversation, w.model, o, &w.request, &w.err))
        fail_msg("%s", w.err.msg);
    rf_request_options_free(o);
    return w;
}

static void world_end(struct world *w)
{
    rf_network_free(w->network);
    server_stop(w->server);
    rf_request_free(w->request);
    rf_conversation_free(w->conversation);
    rf_model_close(w->model);
    scratch_remove(w->home);
    rf_arena_free(w->arena);
}

static bool on_event(void *ctx, const struct rf_event *e)
{
    struct told *t = ctx;
    size_t n = strlen(t->text);
    if (e->type == RF_EVENT_TEXT)
        snprintf(t->text + n, sizeof t->text - n, "%.*s", RF_FMT(e->text));
    t->done_events += e->type == RF_EVENT_DONE;
    t->errors += e->type == RF_EVENT_ERROR;
    if (++t->events == t->free_at)
        rf_send_free(t->send);
    if (t->events == t->cancel_at)
        rf_send_cancel(t->send);
    if (t->events == t->pause_at)
        rf_send_pause(t->send);
    return t->events != t->stop_at;
}

static bool on_waiting(void *ctx, int status, int64_t ms, struct rf_str why)
{
    struct told *t = ctx;
    (void)ms;
    assert_int_equal(status, 429);
    assert_non_null(memmem(why.p, why.n, "slow down", 9));
    t->waits++;
    return !t->stops_waiting;
}

static void on_done(void *ctx, struct rf_send *s, enum rf_code rc, const struct rf_err *err)
{
    struct told *t = ctx;
    assert_ptr_equal(s, t->send);
    t->ends++;
    t->rc = rc;
    assert_true(!rc || err->msg[0]);
    if (t->frees_at_end)
        rf_send_free(s);
}

static struct rf_send_options options_of(const struct world *w, struct told *t)
{
    return (struct rf_send_options){
        .size = sizeof(struct rf_send_options),
        .model = w->model,
        .request = w->request,
        .event = on_event,
        .waiting = on_waiting,
        .done = on_done,
        .ctx = t,
    };
}

static void start(const struct world *w, struct told *t)
{
    const struct rf_send_options what = options_of(w, t);
    t->send = rf_send_start(w->network, &what);
    assert_int_equal(t->events + t->ends, 0);
}

static void run(const struct world *w, const struct told *t)
{
    while (!t->ends)
        rf_network_wait(w->network, -1);
}

/* To the end */

static const struct row {
    const char *name;
    bool stream;
    struct answer answers[3];
    enum rf_code rc;
    int status, tries;
    size_t errors, done_events;
    const char *text, *json; /* a piece of it; NULL: none */
    enum rf_error_kind error;
} rows[] = {
    { "a stream",
      true,
      { { STREAM, CLOSE } },
      RF_OK,
      200,
      1,
      0,
      1,
      "Hello you, [redacted]",
      "\"Hello you, [redacted]\"",
      RF_ERROR_NONE },
    { "a whole reply",
      false,
      { { WHOLE, CLOSE } },
      RF_OK,
      200,
      1,
      0,
      1,
      "",
      "Hello you",
      RF_ERROR_NONE },
    { "busy, then a stream",
      true,
      { { BUSY, CLOSE }, { STREAM, CLOSE } },
      RF_OK,
      200,
      2,
      0,
      1,
      "Hello you, [redacted]",
      "\"stop_reason\":\"end\"",
      RF_ERROR_NONE },
    { "a stream that breaks off",
      true,
      { { BROKEN, CLOSE } },
      RF_EPROVIDER,
      200,
      1,
      1,
      1,
      "Hello ",
      "\"Hello \"",
      RF_ERROR_OTHER },
    { "a refusal",
      true,
      { { REFUSAL("400", ""), CLOSE } },
      RF_EPROVIDER,
      400,
      1,
      1,
      1,
      "",
      "not like this",
      RF_ERROR_OTHER },
    { "a wrong key",
      true,
      { { REFUSAL("401", ""), CLOSE } },
      RF_ECONFIG,
      401,
      1,
      1,
      1,
      "",
      "not like this",
      RF_ERROR_AUTHENTICATION },
    { "no answer", true, { { NULL, CLOSE } }, RF_EPROVIDER, 0, 1, 0, 0, "", NULL, RF_ERROR_NONE },
    { "something else",
      true,
      { { "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ndata: <p>\n\n", CLOSE } },
      RF_EPROVIDER,
      200,
      1,
      1,
      1,
      "",
      "",
      RF_ERROR_OTHER },
};

static void check_end(const struct row *r, struct rf_send *s, const struct told *t, enum rf_code rc)
{
    struct rf_str words, json = rf_send_json(s);
    assert_int_equal(rc, r->rc);
    assert_int_equal(rf_send_status(s), r->status);
    assert_int_equal(rf_send_tries(s), r->tries);
    assert_int_equal(t->waits, r->tries - 1);
    assert_int_equal(t->errors, r->errors);
    assert_int_equal(t->done_events, r->done_events);
    if (r->stream)
        assert_string_equal(t->text, r->text);
    assert_int_equal(rf_send_error(s, &words), r->error);
    assert_int_equal(rf_send_reply(s) != NULL, r->json != NULL);
    if (r->json && !memmem(json.p, json.n, r->json, strlen(r->json)))
        fail_msg("%.*s", RF_FMT(json));
    assert_null(json.n ? memmem(json.p, json.n, KEY, strlen(KEY)) : NULL);
}

static void check_row(void **state)
{
    const struct row *r = *state;
    size_t count = 0;
    while (count < COUNT(r->answers) && (r->answers[count].text || r->answers[count].then))
        count++;
    for (int blocking = 0; blocking < 2; blocking++) {
        struct world w = world_start(r->answers, count, r->stream);
        struct told t = { 0 };
        if (blocking) {
            const struct rf_send_options what = options_of(&w, &t);
            t.rc = rf_send(w.network, &what, &t.send, &w.err);
            assert_int_equal(t.ends, 0);
            assert_true(!t.rc || (w.err.msg[0] && w.err.code == t.rc));
        } else {
            start(&w, &t);
            run(&w, &t);
            assert_int_equal(t.ends, 1);
        }
        check_end(r, t.send, &t, t.rc);
        rf_send_free(t.send);
        world_end(&w);
    }
}

static void names_the_exchange(void **state)
{
    (void)state;
    static const struct answer answers[] = { { STREAM, CLOSE } };
    struct world w = world_start(answers, 1, true);
    struct told t = { 0 };
    start(&w, &t);
    run(&w, &t);
    assert_str(rf_send_request_id(t.send), "req-7");
    rf_send_free(t.send);
    world_end(&w);
}

/* A server that never stops talking is not listened to meanwhile, and is afterwards. */
static void a_pause_stops_the_events(void **state)
{
    (void)state;
    static const struct answer answers[] = { { HEAD "Connection: close\r\n\r\n" FIRST, REPEAT } };
    struct world w = world_start(answers, 1, true);
    struct told t = { .pause_at = 5 };
    start(&w, &t);
    while (t.events < 5)
        rf_network_wait(w.network, -1);
    size_t before = t.events;
    for (int i = 0; i < 20; i++)
        rf_network_wait(w.network, 5);
    assert_int_equal(t.events, before);
    rf_send_resume(t.send);
    while (t.events < before + 20)
        rf_network_wait(w.network, -1);
    assert_int_equal(t.ends, 0);
    rf_send_free(t.send);
    world_end(&w);
}

/* One that is paused when all of it is there comes to its end all the same, once it goes on. */
static void a_paused_reply_is_whole(void **state)
{
    (void)state;
    static const struct answer answers[] = { { STREAM, CLOSE } };
    struct world w = world_start(answers, 1, true);
    struct told t = { .pause_at = 1 };
    start(&w, &t);
    for (int i = 0; i < 20 && !t.ends; i++)
        rf_network_wait(w.network, 5);
    while (!t.ends) {
        rf_send_resume(t.send);
        rf_network_wait(w.network, 5);
    }
    assert_int_equal(t.rc, RF_OK);
    assert_string_equal(t.text, "Hello you, [redacted]");
    rf_send_free(t.send);
    world_end(&w);
}

/* The model in this process: it answers in a thread, and may be stopped at any time. */
static void talk_on(void *ctx, const struct rf_offline_call *call)
{
    const char *const *pieces = ctx;
    assert_string_equal(call->path, "/offline/v1/messages");
    assert_non_null(memmem(call->body.p, call->body.n, "Hi there", 8));
    for (size_t i = 0; pieces[i]; i++)
        if (!call->reply(call->to, 200, rf_str(pieces[i]), 0))
            return;
}

static void refuse_it(void *ctx, const struct rf_offline_call *call)
{
    (void)ctx;
    call->reply(call->to, 400, RF_STR("{\"type\":\"error\",\"error\":{\"type\":"), 0);
    call->reply(call->to, 400, RF_STR("\"invalid_request_error\",\"message\":\"not like this\"}}"),
                0);
}

static void say_nothing(void *ctx, const struct rf_offline_call *call)
{
    (void)ctx, (void)call;
}

static void ask_offline(void (*answer)(void *ctx, const struct rf_offline_call *call), void *ctx,
                        struct world *w, struct told *t)
{
    *w = world_start(NULL, 0, true);
    rf_request_free(w->request);
    rf_model_close(w->model);
    struct rf_request_options *o = rf_request_options_new();
    rf_request_options_stream(o);
    if (rf_model_open(NULL, "offline", &w->model, &w->err) ||
        rf_request_build(w->conversation, w->model, o, &w->request, &w->err))
        fail_msg("%s", w->err.msg);
    rf_request_options_free(o);
    struct rf_send_options what = options_of(w, t);
    what.offline = (struct rf_offline){ answer, ctx };
    t->send = rf_send_start(w->network, &what);
}

static void offline_answers(void **state)
{
    static const char *const pieces[] = { FIRST, REST, NULL };
    struct world w;
    struct told t = { .pause_at = 3 };
    (void)state;
    ask_offline(talk_on, (void *)pieces, &w, &t);
    for (int i = 0; !t.ends; i++) {
        if (i >= 5) /* it may be paused late */
            rf_send_resume(t.send);
        rf_network_wait(w.network, 5);
    }
    assert_int_equal(t.rc, RF_OK);
    assert_int_equal(rf_send_status(t.send), 200);
    assert_non_null(strstr(t.text, "Hello you"));
    rf_send_free(t.send);
    world_end(&w);
}

static void offline_refuses(void **state)
{
    struct world w;
    struct told t = { 0 };
    struct rf_str words;
    (void)state;
    ask_offline(refuse_it, NULL, &w, &t);
    run(&w, &t);
    assert_int_equal(t.rc, RF_EPROVIDER);
    assert_int_equal(rf_send_status(t.send), 400);
    rf_send_error(t.send, &words);
    assert_str(words, "not like this");
    rf_send_free(t.send);
    world_end(&w);
}

static void offline_says_nothing(void **state)
{
    struct world w;
    struct told t = { 0 };
    (void)state;
    ask_offline(say_nothing, NULL, &w, &t);
    run(&w, &t);
    assert_int_equal(t.rc, RF_EPROVIDER);
    assert_null(rf_send_reply(t.send));
    rf_send_free(t.send);
    world_end(&w);
}

static void offline_is_freed_by_its_event(void **state)
{
    static const char *const pieces[] = { FIRST, FIRST, FIRST, REST, NULL };
    struct world w;
    struct told t = { .free_at = 2 };
    (void)state;
    ask_offline(talk_on, (void *)pieces, &w, &t);
    while (!t.events)
        rf_network_wait(w.network, -1);
    for (int i = 0; i < 5; i++)
        rf_network_wait(w.network, 5);
    assert_int_equal(t.events, 2);
    assert_int_equal(t.ends, 0);
    world_end(&w);
}

/* What is freed is written over. */
static void a_reply_outlives_its_model(void **state)
{
    (void)state;
    static const struct answer answers[] = { { STREAM, CLOSE } };
    struct world w = world_start(answers, 1, true);
    struct told t = { 0 };
    start(&w, &t);
    run(&w, &t);
    rf_request_free(w.request);
    w.request = NULL;
    mallopt(M_PERTURB, 'x');
    rf_model_close(w.model);
    mallopt(M_PERTURB, 0);
    w.model = NULL;
    struct rf_str json = rf_send_json(t.send);
    assert_non_null(memmem(json.p, json.n, "\"anthropic\"", 11));
    assert_non_null(memmem(json.p, json.n, "\"claude-sonnet-4-5\"", 19));
    rf_send_free(t.send);
    world_end(&w);
}

/* Callbacks */

static void a_callback_stops_it(void **state)
{
    (void)state;
    static const struct answer answers[] = { { STALLED, STALL } };
    struct world w = world_start(answers, 1, true);
    struct told t = { .stop_at = 2 };
    start(&w, &t);
    run(&w, &t);
    assert_int_equal(t.rc, RF_EINTERRUPTED);
    assert_int_equal(t.events, 2);
    rf_send_free(t.send);
    world_end(&w);
}

static void a_callback_stops_a_wait(void **state)
{
    (void)state;
    static const struct answer answers[] = { { BUSY, CLOSE } };
    struct world w = world_start(answers, 1, true);
    struct told t = { .stops_waiting = true };
    start(&w, &t);
    run(&w, &t);
    assert_int_equal(t.rc, RF_EINTERRUPTED);
    assert_int_equal(t.waits, 1);
    assert_int_equal(t.events, 0);
    assert_int_equal(rf_send_status(t.send), 429);
    rf_send_free(t.send);
    world_end(&w);
}

/* At every event of a stream, and at its end. */
static void a_callback_may_free_it(void **state)
{
    (void)state;
    static const struct answer answers[] = { { STREAM, CLOSE } };
    for (size_t at = 1;; at++) {
        struct world w = world_start(answers, 1, true);
        struct told t = { .free_at = at, .frees_at_end = true };
        start(&w, &t);
        while (!t.ends && t.events < at)
            rf_network_wait(w.network, -1);
        bool over = t.ends > 0;
        assert_true(over || t.events == at);
        rf_network_step(w.network);
        world_end(&w);
        if (over)
            break;
    }
}

/* The same, cancelled: at every event of a stream that breaks off, the last one too. */
static void a_callback_may_cancel_it(void **state)
{
    (void)state;
    static const struct answer answers[] = { { BROKEN, CLOSE } };
    for (size_t at = 1;; at++) {
        struct world w = world_start(answers, 1, true);
        struct told t = { .cancel_at = at };
        start(&w, &t);
        while (!t.ends && t.events < at)
            rf_network_wait(w.network, -1);
        rf_network_step(w.network);
        bool over = t.events < at;
        assert_int_equal(t.ends, over);
        assert_int_equal(t.events, over ? at - 1 : at);
        rf_send_free(t.send);
        world_end(&w);
        if (over)
            break;
    }
}

/* A storm: whoever is called back stops, frees and starts others at random. */

#define STORM 30
#define STORMS 10

struct storm;
struct drop {
    struct storm *storm;
    struct rf_send *send; /* NULL: free */
    bool silent;          /* cancelled, or ended */
};

struct storm {
    const struct world *world;
    struct drop drops[STORM];
    unsigned random, started;
    size_t calls;
};

static unsigned pick(struct storm *s, unsigned below)
{
    s->random = s->random * 1664525u + 1013904223u;
    return (s->random >> 8) % below;
}

static void drop_free(struct drop *d)
{
    rf_send_free(d->send);
    d->send = NULL;
    d->silent = true;
}

static void begin_drop(struct drop *d);

/* False: whoever called should stop. */
static bool do_something(struct drop *d)
{
    struct storm *s = d->storm;
    struct drop *other = &s->drops[pick(s, STORM)];
    assert_false(d->silent);
    s->calls++;
    switch (pick(s, 12)) {
    case 0:
        drop_free(d);
        return true;
    case 1:
        drop_free(other);
        return true;
    case 2:
        if (other->send)
            rf_send_cancel(other->send);
        other->silent = true;
        return true;
    case 3:
        if (!other->send)
            begin_drop(other);
        return true;
    case 4:
        return false;
    default:
        return true;
    }
}

static bool storm_event(void *ctx, const struct rf_event *e)
{
    (void)e;
    return do_something(ctx);
}

static bool storm_waiting(void *ctx, int status, int64_t ms, struct rf_str why)
{
    (void)status, (void)ms, (void)why;
    return do_something(ctx);
}

static void storm_done(void *ctx, struct rf_send *send, enum rf_code rc, const struct rf_err *err)
{
    struct drop *d = ctx;
    (void)rc, (void)err;
    assert_ptr_equal(send, d->send);
    do_something(d);
    d->silent = true;
}

static void begin_drop(struct drop *d)
{
    struct storm *s = d->storm;
    if (s->started == 2 * STORM)
        return; /* the server takes so many */
    s->started++;
    const struct rf_send_options what = {
        .size = sizeof what,
        .model = s->world->model,
        .request = s->world->request,
        .event = storm_event,
        .waiting = storm_waiting,
        .done = storm_done,
        .ctx = d,
    };
    d->silent = false;
    d->send = rf_send_start(s->world->network, &what);
}

static bool is_over(const struct storm *s)
{
    for (size_t i = 0; i < STORM; i++)
        if (!s->drops[i].silent)
            return false;
    return true;
}

static void anything_may_be_done_in_a_callback(void **state)
{
    (void)state;
    static const struct answer answers[] = { { STREAM, CLOSE },
                                             { BUSY, CLOSE },
                                             { BROKEN, CLOSE },
                                             { REFUSAL("400", ""), CLOSE },
                                             { STREAM, CLOSE } };
    for (unsigned seed = 1; seed <= STORMS; seed++) {
        struct world w = world_start(answers, COUNT(answers), true);
        static struct storm s;
        s = (struct storm){ .world = &w, .random = seed };
        for (size_t i = 0; i < STORM; i++) {
            s.drops[i] = (struct drop){ .storm = &s };
            begin_drop(&s.drops[i]);
        }
        while (!is_over(&s))
            rf_network_wait(w.network, -1);
        assert_true(s.calls > 0);
        for (size_t i = 0; i < STORM; i++)
            drop_free(&s.drops[i]);
        world_end(&w);
    }
}

static void cancelled_it_is_silent(void **state)
{
    (void)state;
    static const struct answer answers[] = { { STALLED, STALL } };
    struct world w = world_start(answers, 1, true);
    struct told first = { 0 }, second = { 0 };
    start(&w, &first);
    start(&w, &second);
    rf_send_free(first.send); /* before the first step */
    while (!second.events)
        rf_network_wait(w.network, -1);
    size_t heard = second.events;
    rf_send_cancel(second.send);
    rf_network_step(w.network);
    assert_int_equal(second.events, heard);
    assert_int_equal(first.events + first.ends + second.ends, 0);
    assert_int_equal(rf_send_status(second.send), 200);
    rf_send_free(second.send);
    rf_send_free(NULL);
    world_end(&w);
}

static void a_loop_of_ones_own_drives_it(void **state)
{
    (void)state;
    static const struct answer answers[] = { { BUSY, CLOSE }, { STREAM, CLOSE } };
    struct world w = world_start(answers, 2, true);
    struct told t = { 0 };
    assert_int_equal(rf_network_timeout_ms(w.network), -1);
    start(&w, &t);
    assert_int_equal(rf_network_timeout_ms(w.network), 0);
    while (!t.ends) {
        struct pollfd p = { .fd = rf_network_fd(w.network), .events = POLLIN };
        poll(&p, 1, rf_network_timeout_ms(w.network));
        rf_network_step(w.network);
    }
    assert_int_equal(t.rc, RF_OK);
    rf_send_free(t.send);
    world_end(&w);
}

static void a_model_in_the_program_has_no_address(void **state)
{
    (void)state;
    static const struct answer answers[] = { { STREAM, CLOSE } };
    struct world w = world_start(answers, 1, true);
    struct told t = { 0 };
    struct rf_model *offline;
    assert_int_equal(rf_model_open(NULL, "offline", &offline, &w.err), RF_OK);
    struct rf_send_options what = options_of(&w, &t);
    what.model = offline;
    assert_int_equal(rf_send(w.network, &what, &t.send, &w.err), RF_EUSAGE);
    rf_send_free(t.send);
    rf_model_close(offline);
    world_end(&w);
}

/* HTTP of one's own */

static struct rf_http_options http_of(const struct world *w)
{
    return (struct rf_http_options){
        .size = sizeof(struct rf_http_options),
        .model = w->model,
        .request = w->request,
    };
}

static void check_http(struct world *w, const struct rf_http *h)
{
    bool key = false, type = false;
    assert_string_equal(rf_http_method(h), "POST");
    assert_non_null(strstr(rf_http_url(h), "/v1/messages"));
    for (size_t i = 0; i < rf_http_header_count(h); i++) {
        struct rf_str name = rf_http_header_name(h, i), value = rf_http_header_value(h, i);
        key = key || (rf_str_is(name, "x-api-key") && rf_str_is(value, KEY));
        type = type || (rf_str_is(name, "content-type") && rf_str_is(value, "application/json"));
    }
    assert_true(key && type);
    assert_int_equal(server_requests(w->server), 0);
}

static void a_request_for_other_http(void **state)
{
    (void)state;
    static const struct answer answers[] = { { NULL, CLOSE } };
    struct world w = world_start(answers, 1, true);
    struct rf_http_options what = http_of(&w);
    struct rf_http *h;
    assert_int_equal(rf_http_open(w.network, &what, &h, &w.err), RF_OK);
    check_http(&w, h);
    struct rf_decode *d = rf_decode_stream(w.model);
    struct rf_str json;
    rf_http_redact(h, d);
    assert_int_equal(rf_decode_feed(d, RF_STR(FIRST REST), &w.err), RF_OK);
    assert_int_equal(rf_decode_finish(d, &json, &w.err), RF_OK);
    assert_null(memmem(json.p, json.n, KEY, strlen(KEY)));
    rf_decode_free(d);
    rf_http_close(h);
    unsetenv("ANTHROPIC_API_KEY");
    assert_int_equal(rf_http_open(w.network, &what, &h, &w.err), RF_ECONFIG);
    world_end(&w);
}

static void note_ready(void *ctx, struct rf_http *h, enum rf_code rc, const struct rf_err *err)
{
    struct told *t = ctx;
    (void)h, (void)err;
    t->ends++;
    t->rc = rc;
}

static void the_same_without_blocking(void **state)
{
    (void)state;
    static const struct answer answers[] = { { NULL, CLOSE } };
    struct world w = world_start(answers, 1, true);
    struct told t = { 0 };
    struct rf_http_options what = http_of(&w);
    what.ready = note_ready;
    what.ctx = &t;
    struct rf_http *given_up = rf_http_start(w.network, &what);
    struct rf_http *h = rf_http_start(w.network, &what);
    rf_http_close(given_up);
    assert_int_equal(t.ends, 0);
    run(&w, &t);
    assert_int_equal(t.ends, 1);
    assert_int_equal(t.rc, RF_OK);
    check_http(&w, h);
    rf_http_close(h);
    rf_http_close(NULL);
    world_end(&w);
}

static void a_body_is_read_in_pieces(void **state)
{
    (void)state;
    static const struct answer answers[] = { { NULL, CLOSE } };
    struct world w = world_start(answers, 1, true);
    for (size_t size = 1; size < 2000; size *= 3) {
        struct rf_request_reader *reader = rf_request_reader_new(w.request);
        struct rf_buf all;
        char piece[2000];
        size_t got;
        rf_buf_init(&all, w.arena, 1 << 20);
        do {
            assert_int_equal(rf_request_reader_read(reader, piece, size, &got, &w.err), RF_OK);
            assert_true(got <= size);
            rf_buf_add(&all, (struct rf_str){ piece, got });
        } while (got);
        assert_int_equal(all.n, rf_request_length(w.request));
        assert_non_null(memmem(all.p, all.n, "Hi there", 8));
        rf_request_reader_free(reader);
    }
    rf_request_reader_free(NULL);
    world_end(&w);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(names_the_exchange),
        cmocka_unit_test(a_pause_stops_the_events),
        cmocka_unit_test(offline_answers),
        cmocka_unit_test(offline_refuses),
        cmocka_unit_test(offline_says_nothing),
        cmocka_unit_test(offline_is_freed_by_its_event),
        cmocka_unit_test(a_paused_reply_is_whole),
        cmocka_unit_test(a_reply_outlives_its_model),
        cmocka_unit_test(a_callback_stops_it),
        cmocka_unit_test(a_callback_stops_a_wait),
        cmocka_unit_test(a_callback_may_free_it),
        cmocka_unit_test(a_callback_may_cancel_it),
        cmocka_unit_test(anything_may_be_done_in_a_callback),
        cmocka_unit_test(cancelled_it_is_silent),
        cmocka_unit_test(a_loop_of_ones_own_drives_it),
        cmocka_unit_test(a_model_in_the_program_has_no_address),
        cmocka_unit_test(a_request_for_other_http),
        cmocka_unit_test(the_same_without_blocking),
        cmocka_unit_test(a_body_is_read_in_pieces),
    };
    name_rows(tests, check_row, rows, COUNT(rows), sizeof *rows);
    int failed = cmocka_run_group_tests_name("ends", tests, NULL, NULL);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
