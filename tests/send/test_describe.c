/* Asking a server about a model as an embedding program does: what it says is known and kept, who
 * asks is never held up, and a server that says nothing of use changes nothing. */
#include "../net/environment.h"
#include "../net/server.h"
#include "wire/describe.h"

#include <refract/refract.h>

#define ANSWER(body) "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" body
#define INFO(length) \
    "\"model_info\":{\"general.architecture\":\"llama\",\"llama.context_length\":" length "}"
#define TEXT_ONLY ANSWER("{\"capabilities\":[\"completion\"]," INFO("2048") "}")

struct world {
    struct rf_arena *arena;
    const char *home;
    struct server *server;
    struct rf_network *network;
    struct rf_config *config;
    struct rf_model *model;
    struct rf_err err;
    size_t ends;
    enum rf_code rc;
};

static void on_done(void *ctx, enum rf_code rc, const struct rf_err *err)
{
    struct world *w = ctx;
    (void)err;
    w->ends++;
    w->rc = rc;
}

static void open_model(struct world *w)
{
    rf_model_close(w->model);
    if (rf_model_open(w->config, "ollama:llava-tiny", &w->model, &w->err))
        fail_msg("%s", w->err.msg);
}

static void world_start(struct world *w, const struct answer *answers, size_t count)
{
    *w = (struct world){ .arena = rf_arena_new() };
    w->home = environment_start(w->arena);
    w->server = server_start("127.0.0.1", answers, count);
    w->network = rf_network_new();
    setenv("OLLAMA_HOST", rf_strf(w->arena, "http://127.0.0.1:%d", w->server->port).p, 1);
    if (rf_config_open(&w->config, &w->err))
        fail_msg("%s", w->err.msg);
    open_model(w);
}

static void world_end(struct world *w)
{
    rf_model_close(w->model);
    rf_config_close(w->config);
    rf_network_free(w->network);
    server_stop(w->server);
    scratch_remove(w->home);
    rf_arena_free(w->arena);
}

static struct rf_describe_options options_of(struct world *w)
{
    return (struct rf_describe_options){ .size = sizeof(struct rf_describe_options),
                                         .config = w->config,
                                         .model = w->model,
                                         .done = on_done,
                                         .ctx = w };
}

/* "VALUE SOURCE" */
static void assert_fact(struct world *w, const char *name, const char *want)
{
    size_t i = 0;
    while (strcmp(rf_fact_name(i), name) != 0)
        i++;
    struct rf_str got = rf_strf(w->arena, "%.*s %s", RF_FMT(rf_model_fact(w->model, i)),
                                rf_fact_source_name(rf_model_fact_source(w->model, i)));
    assert_str(got, want);
}

static const struct row {
    const char *name;
    struct answer answer;
    const char *vision, *tools, *context, *usual;
} rows[] = {
    { "a text model",
      { TEXT_ONLY, CLOSE },
      "no described",
      "no described",
      "2048 described",
      "4096 built-in" },
    { "all of it",
      { ANSWER("{\"capabilities\":[\"completion\",\"vision\",\"tools\",\"new\",7]," INFO(
            "131072") ",\"parameters\":\"stop  \\\"x\\\"\\n\\nnum_ctx      8192\\nnum_ctx\"}"),
        CLOSE },
      "yes described",
      "yes described",
      "131072 described",
      "8192 described" },
    { "an older server",
      { ANSWER("{" INFO("4096") "}"), CLOSE },
      "yes catalogue",
      "yes built-in",
      "4096 described",
      "4096 built-in" },
    { "no capabilities are known",
      { ANSWER("{\"capabilities\":[]}"), CLOSE },
      "yes catalogue",
      "yes built-in",
      "0 unknown",
      "4096 built-in" },
    { "numbers that make no sense",
      { ANSWER("{" INFO("-5") ",\"parameters\":\"num_ctx 99999999999\"}"), CLOSE },
      "yes catalogue",
      "yes built-in",
      "0 unknown",
      "4096 built-in" },
    { "another program",
      { ANSWER("[1,\"capabilities\"]"), CLOSE },
      "yes catalogue",
      "yes built-in",
      "0 unknown",
      "4096 built-in" },
    { "not JSON",
      { ANSWER("<html>"), CLOSE },
      "yes catalogue",
      "yes built-in",
      "0 unknown",
      "4096 built-in" },
    { "a refusal",
      { "HTTP/1.1 404 No\r\nConnection: close\r\n\r\n{\"capabilities\":[\"completion\"]}", CLOSE },
      "yes catalogue",
      "yes built-in",
      "0 unknown",
      "4096 built-in" },
    { "no answer", { NULL, SLAM }, "yes catalogue", "yes built-in", "0 unknown", "4096 built-in" },
    { "more than anybody wants to hear",
      { ANSWER("{\"x\":\""), GO_ON },
      "yes catalogue",
      "yes built-in",
      "0 unknown",
      "4096 built-in" },
};

static void is_described(void **state)
{
    const struct row *row = *state;
    struct world w;
    world_start(&w, &row->answer, 1);
    struct rf_describe_options o = options_of(&w);
    assert_int_equal(rf_describe(w.network, &o, &w.err), RF_OK);
    for (int again = 0; again < 2; again++) { /* and so it is kept */
        assert_fact(&w, "vision", row->vision);
        assert_fact(&w, "tools", row->tools);
        assert_fact(&w, "context_tokens", row->context);
        assert_fact(&w, "usual_context_tokens", row->usual);
        open_model(&w);
    }
    world_end(&w);
}

static void it_is_asked_by_its_name(void **state)
{
    static const struct answer answers[] = { { TEXT_ONLY, CLOSE } };
    struct world w;
    (void)state;
    world_start(&w, answers, 1);
    struct rf_describe_options o = options_of(&w);
    assert_int_equal(rf_describe(w.network, &o, &w.err), RF_OK);
    assert_memory_equal(w.server->seen[0].head, "POST /api/show HTTP", 19);
    assert_string_equal(w.server->seen[0].body, "{\"model\":\"llava-tiny\"}");
    world_end(&w);
}

static void once_a_day_is_enough(void **state)
{
    static const struct answer answers[] = { { TEXT_ONLY, CLOSE } };
    struct world w;
    (void)state;
    world_start(&w, answers, 1);
    struct rf_describe_options o = options_of(&w);
    assert_int_equal(rf_describe(w.network, &o, &w.err), RF_OK);
    open_model(&w);
    o.model = w.model;
    assert_null(rf_describe_start(w.network, &o));
    assert_int_equal(rf_describe(w.network, &o, &w.err), RF_OK);
    assert_int_equal(w.server->requests, 1);
    o.again = true;
    assert_int_equal(rf_describe(w.network, &o, &w.err), RF_OK);
    assert_int_equal(w.server->requests, 2);
    world_end(&w);
}

static void so_it_is_where_nothing_was_said(void **state)
{
    static const struct answer answers[] = { { NULL, SLAM }, { ANSWER("{}"), CLOSE } };
    struct world w;
    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        world_start(&w, &answers[i], 1);
        struct rf_describe_options o = options_of(&w);
        assert_int_equal(rf_describe(w.network, &o, &w.err), RF_OK);
        assert_null(rf_describe_start(w.network, &o));
        o.again = true;
        assert_int_equal(rf_describe(w.network, &o, &w.err), RF_OK);
        assert_int_equal(w.server->requests, 2);
        world_end(&w);
    }
}

static void others_cannot_be_asked(void **state)
{
    static const struct answer answers[] = { { TEXT_ONLY, CLOSE } };
    struct world w;
    struct rf_model *other;
    (void)state;
    world_start(&w, answers, 1);
    assert_int_equal(rf_model_open(w.config, "anthropic:claude-sonnet-5", &other, &w.err), RF_OK);
    struct rf_describe_options o = options_of(&w);
    o.model = other;
    assert_null(rf_describe_start(w.network, &o));
    assert_int_equal(w.ends, 0);
    rf_model_close(other);
    world_end(&w);
}

static void it_is_told_in_a_step(void **state)
{
    static const struct answer answers[] = { { TEXT_ONLY, CLOSE } };
    struct world w;
    (void)state;
    world_start(&w, answers, 1);
    struct rf_describe_options o = options_of(&w);
    assert_non_null(rf_describe_start(w.network, &o));
    assert_int_equal(w.ends, 0);
    while (!w.ends)
        rf_network_wait(w.network, -1);
    assert_int_equal(w.rc, RF_OK);
    assert_fact(&w, "vision", "no described");
    world_end(&w);
}

static void cancelled_it_is_silent(void **state)
{
    static const struct answer answers[] = { { NULL, STALL } };
    struct world w;
    (void)state;
    world_start(&w, answers, 1);
    struct rf_describe_options o = options_of(&w);
    rf_describe_cancel(rf_describe_start(w.network, &o));
    struct rf_describing *d = rf_describe_start(w.network, &o);
    while (!w.server->requests)
        rf_network_wait(w.network, 10);
    rf_describe_cancel(d);
    rf_network_step(w.network);
    assert_int_equal(w.ends, 0);
    assert_fact(&w, "vision", "yes catalogue");
    world_end(&w);
}

static void what_cannot_be_kept_is_known(void **state)
{
    static const struct answer answers[] = { { TEXT_ONLY, CLOSE } };
    struct world w;
    (void)state;
    world_start(&w, answers, 1);
    setenv("XDG_DATA_HOME", "/dev/null/nowhere", 1);
    struct rf_describe_options o = options_of(&w);
    assert_int_equal(rf_describe(w.network, &o, &w.err), RF_EIO);
    assert_fact(&w, "vision", "no described");
    o.config = NULL;
    o.again = true;
    assert_int_equal(rf_describe(w.network, &o, &w.err), RF_OK);
    world_end(&w);
}

static void a_window_is_said_once(void **state)
{
    static const struct answer answers[] = { { TEXT_ONLY, CLOSE } };
    const struct rf_jval *answer;
    struct world w;
    (void)state;
    world_start(&w, answers, 1);
    struct rf_said said = { .arena = w.arena };
    assert_int_equal(rf_jval_parse(RF_STR("{\"parameters\":\"num_ctx 1024\\nnum_ctx 8192\"}"),
                                   w.arena, &answer, &w.err),
                     RF_OK);
    rf_description_find(RF_STR("ollama"))->read(answer, w.model, &said);
    assert_int_equal(said.count, 1);
    assert_str(said.facts[0].value, "8192");
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(it_is_asked_by_its_name),
        cmocka_unit_test(once_a_day_is_enough),
        cmocka_unit_test(others_cannot_be_asked),
        cmocka_unit_test(it_is_told_in_a_step),
        cmocka_unit_test(cancelled_it_is_silent),
        cmocka_unit_test(what_cannot_be_kept_is_known),
        cmocka_unit_test(a_window_is_said_once),
        cmocka_unit_test(so_it_is_where_nothing_was_said),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(others)];
    name_rows(tests, is_described, rows, COUNT(rows), sizeof *rows);
    memcpy(tests + COUNT(rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
