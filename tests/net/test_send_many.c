/* Many requests in one thread: none waits for what another waits for, be it a command that prints a
 * key, a refusal or a long body; and what several want is fetched once. */
#include "environment.h"
#include "prepared.h"
#include "server.h"

#include "base/file.h"
#include "net/send.h"
#include "wire/wire.h"

#define SENDERS 6
#define LONG ((size_t)4 << 20) /* bytes of a body whose hash takes several steps */
#define BUSY(more) \
    "HTTP/1.1 429 X\r\n" more "Connection: close\r\n\r\n{\"error\":{\"message\":\"slow down\"}}"

struct scene {
    struct rf_arena *arena;
    struct rf_net *net;
    struct server *server;
    struct rf_config *config;
    const char *home;
    size_t ended;
};

struct one {
    struct scene *scene;
    struct rf_arena *arena;
    struct rf_model *model;
    struct rf_rope body;
    struct rf_sender *sender;
    struct rf_sent sent;
    struct rf_err err;
    enum rf_code rc;
    int ends, waits;
    bool stops_waiting;
};

static struct scene scene_start(const struct answer *answers, size_t count, const char *config)
{
    struct scene s = { .arena = rf_arena_new(), .net = rf_net_new() };
    struct rf_err err;
    s.home = environment_start(s.arena);
    s.server = server_start("127.0.0.1", answers, count);
    setenv("OPENAI_BASE_URL", rf_strf(s.arena, "http://127.0.0.1:%d", s.server->port).p, 1);
    setenv("ANTHROPIC_BASE_URL", getenv("OPENAI_BASE_URL"), 1);
    setenv("ANTHROPIC_API_KEY", "key-of-anthropic", 1);
    environment_config(s.arena, config);
    if (rf_config_open(&s.config, &err))
        fail_msg("%s", err.msg);
    return s;
}

static void scene_end(struct scene *s)
{
    rf_net_free(s->net);
    server_stop(s->server);
    rf_config_close(s->config);
    scratch_remove(s->home);
    rf_arena_free(s->arena);
}

static void note_wait(void *ctx, int status, int64_t ms, struct rf_str why)
{
    struct one *o = ctx;
    (void)status, (void)ms, (void)why;
    o->waits++;
    if (o->stops_waiting)
        rf_net_send_cancel(o->sender);
}

static void note_end(void *ctx, enum rf_code rc, const struct rf_err *err)
{
    struct one *o = ctx;
    o->rc = rc;
    if (rc)
        o->err = *err;
    o->ends++;
    o->scene->ended++;
}

static void start(struct scene *s, struct one *o, const char *model)
{
    *o = (struct one){ .scene = s, .arena = rf_arena_new(), .stops_waiting = o->stops_waiting };
    if (rf_model_open(s->config, model, &o->model, &o->err))
        fail_msg("%s", o->err.msg);
    rf_rope_init(&o->body, o->arena);
    rf_rope_text(&o->body, RF_STR("{}"));
    const struct rf_sending sending = {
        .config = s->config,
        .model = o->model,
        .body = &o->body,
        .cancel_fd = -1,
        .refusal = rf_wire_refusal,
        .waits = note_wait,
        .ctx = o,
        .done = note_end,
        .done_ctx = o,
    };
    o->sender = rf_net_send_start(s->net, &sending, o->arena, &o->sent);
}

static void one_free(struct one *o)
{
    rf_model_close(o->model);
    rf_arena_free(o->arena);
}

static void run(struct scene *s, size_t ends)
{
    while (s->ended < ends)
        rf_net_wait(s->net, -1, -1);
}

/* A command that waits until a file is there, and says in another that it was run. */
static const char *slow_command(void)
{
    return "providers: {openai: {key_command: \"echo x >>$HOME/runs; "
           "until [ -e $HOME/go ]; do sleep 0.01; done; echo key-$(wc -l <$HOME/runs)\"}}\n";
}

static bool has_run(const struct scene *s)
{
    return access(in_folder(s->arena, s->home, "runs"), F_OK) == 0;
}

static void let_go(const struct scene *s)
{
    write_file(in_folder(s->arena, s->home, "go"), RF_STR(""));
}

static void a_command_is_run_once_for_all(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, CLOSE } };
    struct scene s = scene_start(answers, 1, slow_command());
    struct one waiting[SENDERS] = { 0 }, other = { 0 };
    for (size_t i = 0; i < SENDERS; i++)
        start(&s, &waiting[i], "openai:x");
    while (!has_run(&s))
        rf_net_wait(s.net, -1, 10);
    /* Nobody else waits for it. */
    start(&s, &other, "anthropic:x");
    run(&s, 1);
    assert_int_equal(other.rc, RF_OK);
    /* And one that leaves does not end it for the others. */
    rf_net_send_cancel(waiting[0].sender);
    let_go(&s);
    run(&s, SENDERS);
    assert_int_equal(waiting[0].ends, 0);
    for (size_t i = 1; i < SENDERS; i++) {
        assert_int_equal(waiting[i].rc, RF_OK);
        assert_int_equal(waiting[i].ends, 1);
        assert_int_equal(waiting[i].sent.status, 200);
        assert_non_null(strstr(s.server->seen[i].head, "Bearer key-1\r\n"));
        one_free(&waiting[i]);
    }
    one_free(&waiting[0]);
    one_free(&other);
    scene_end(&s);
}

static void a_command_that_fails_fails_for_all(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, CLOSE } };
    struct scene s =
        scene_start(answers, 1, "providers: {openai: {key_command: \"sleep 0.01; exit 3\"}}\n");
    struct one all[SENDERS] = { 0 };
    for (size_t i = 0; i < SENDERS; i++)
        start(&s, &all[i], "openai:x");
    run(&s, SENDERS);
    for (size_t i = 0; i < SENDERS; i++) {
        assert_int_equal(all[i].rc, RF_ECONFIG);
        assert_non_null(strstr(all[i].err.msg, "failed with status 3"));
        one_free(&all[i]);
    }
    assert_int_equal(server_requests(s.server), 0);
    scene_end(&s);
}

static void a_command_ends_with_the_last_who_waits(void **state)
{
    (void)state;
    static const struct answer answers[] = { { OK_TEXT, CLOSE } };
    struct scene s = scene_start(answers, 1,
                                 "providers: {openai: {key_command: \"echo $$ >$HOME/pid; mv "
                                 "$HOME/pid $HOME/runs; sleep 1000\"}}\n");
    struct one all[2] = { 0 };
    for (size_t i = 0; i < 2; i++)
        start(&s, &all[i], "openai:x");
    while (!has_run(&s))
        rf_net_wait(s.net, -1, 10);
    struct rf_str text;
    assert_int_equal(
        rf_file_read(in_folder(s.arena, s.home, "runs"), 100, s.arena, &text, &all[0].err), RF_OK);
    pid_t pid = (pid_t)strtol(text.p, NULL, 10);
    rf_net_send_cancel(all[0].sender);
    assert_int_equal(kill(pid, 0), 0);
    rf_net_send_cancel(all[1].sender);
    while (kill(pid, 0) == 0) /* until it is reaped */
        rf_net_wait(s.net, -1, 10);
    for (size_t i = 0; i < 2; i++)
        one_free(&all[i]);
    scene_end(&s);
}

/* The first is told to come back much later; nobody else hears of that. */
static void nobody_waits_for_a_refusal_of_another(void **state)
{
    (void)state;
    static const struct answer answers[] = {
        { BUSY("retry-after: 100\r\n"), CLOSE },
        { BUSY("retry-after-ms: 1\r\n"), CLOSE },
        { OK_TEXT, CLOSE },
    };
    struct scene s = scene_start(answers, COUNT(answers), "");
    struct one late = { 0 }, soon = { 0 };
    start(&s, &late, "anthropic:x");
    while (!late.waits)
        rf_net_wait(s.net, -1, -1);
    start(&s, &soon, "anthropic:x");
    run(&s, 1);
    assert_int_equal(soon.sent.status, 200);
    assert_int_equal(soon.sent.tries, 2);
    assert_int_equal(late.ends, 0);
    rf_net_send_cancel(late.sender);
    assert_int_equal(late.sent.status, 429);
    assert_int_equal(late.sent.tries, 1);
    assert_true(late.sent.refusal.words.n > 0);
    one_free(&late);
    one_free(&soon);
    scene_end(&s);
}

static void who_is_told_of_a_wait_may_stop(void **state)
{
    (void)state;
    static const struct answer answers[] = { { BUSY("retry-after-ms: 1\r\n"), CLOSE } };
    struct scene s = scene_start(answers, COUNT(answers), "");
    struct one o = { .stops_waiting = true };
    start(&s, &o, "anthropic:x");
    while (!o.waits)
        rf_net_wait(s.net, -1, -1);
    rf_net_step(s.net);
    assert_int_equal(o.ends, 0);
    assert_int_equal(server_requests(s.server), 1);
    one_free(&o);
    scene_end(&s);
}

/* Others are served between two pieces of it. */
static void a_long_body_is_hashed_in_steps(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const char *home = environment_start(a);
    environment_add("AWS_ACCESS_KEY_ID=AKIDEXAMPLE\nAWS_SECRET_ACCESS_KEY=secret\n"
                    "AWS_REGION=us-east-1\n");
    struct rf_model *m;
    struct rf_err err;
    struct rf_rope body;
    struct rf_net *net = rf_net_new();
    char *text = rf_arena_alloc(a, LONG / 8);
    bool ready = false;
    int steps = 0;
    memset(text, 'x', LONG / 8);
    rf_rope_init(&body, a);
    for (int i = 0; i < 8; i++)
        rf_rope_text(&body, (struct rf_str){ text, LONG / 8 });
    assert_int_equal(rf_model_open(NULL, "bedrock:x", &m, &err), RF_OK);
    struct rf_preparing p = { .net = net, .model = m, .body = &body, .arena = a };
    for (; !ready; steps++) {
        assert_int_equal(rf_prepare(&p, a, &ready, &err), RF_OK);
        rf_net_step(net);
    }
    assert_true(steps >= 4);
    assert_int_equal(strlen(p.body_hash), 64);
    rf_prepare_again(&p); /* the body is the same: it is not read again */
    assert_int_equal(rf_prepare(&p, a, &ready, &err), RF_OK);
    assert_true(ready);
    rf_prepare_stop(&p);
    rf_net_free(net);
    rf_model_close(m);
    scratch_remove(home);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_is_run_once_for_all),
        cmocka_unit_test(a_command_that_fails_fails_for_all),
        cmocka_unit_test(a_command_ends_with_the_last_who_waits),
        cmocka_unit_test(nobody_waits_for_a_refusal_of_another),
        cmocka_unit_test(who_is_told_of_a_wait_may_stop),
        cmocka_unit_test(a_long_body_is_hashed_in_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
