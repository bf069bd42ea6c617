/* Structs that begin with their size: whichever entry point gets one whose size is not set, or none
 * that this library knows, refuses it. Previews have theirs in test_preview.c. */
#include "../testing.h"

#include <refract/refract.h>

#define QUESTION "{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"

static const struct rf_file file = { .size = sizeof file, .url = B("https://a.example/c.png") };
static const struct rf_thinking thought = { .size = sizeof thought, .text = B("hm") };
static const struct rf_call call = { .size = sizeof call, .id = B("c1"), .name = B("f") };

/* What they are given to. */
struct world {
    struct rf_model *model;
    struct rf_conversation *question, *answered;
    struct rf_request *request;
    struct rf_result *result;
    struct rf_content *answer; /* a file may not stand in it, a thought and a call do */
    struct rf_respond *respond;
    struct rf_agent *agent;
    struct rf_network *network;
    struct rf_err err;
    enum rf_code told; /* by a callback */
    size_t tellings;
};

static struct world start(void)
{
    struct world w = { .network = rf_network_new(),
                       .result = rf_result_new(),
                       .answered = rf_conversation_new() };
    const struct rf_respond_options o = { .size = sizeof o, .dialect = "anthropic" };
    if (rf_model_open(NULL, "anthropic:claude-sonnet-4-5", &w.model, &w.err) ||
        rf_conversation_read(RF_STR(QUESTION), &w.question, &w.err) ||
        rf_request_build(w.question, w.model, NULL, &w.request, &w.err) ||
        rf_respond_new(&o, &w.respond, &w.err) || rf_agent_new(NULL, NULL, &w.agent, &w.err) ||
        rf_content_file(rf_result_content(w.result), &file, &w.err) ||
        rf_conversation_assistant(w.answered, RF_STR("a"), RF_STR("m"), &w.answer, &w.err) ||
        rf_content_thinking(w.answer, &thought, &w.err) || rf_content_call(w.answer, &call, &w.err))
        fail_msg("%s", w.err.msg);
    return w;
}

static void end(struct world *w)
{
    rf_agent_free(w->agent);
    rf_respond_free(w->respond);
    rf_request_free(w->request);
    rf_result_free(w->result);
    rf_conversation_free(w->question);
    rf_conversation_free(w->answered);
    rf_model_close(w->model);
    rf_network_free(w->network);
}

/* The entry points: a struct that is right, but for its size perhaps. */

static enum rf_code add_file(struct world *w, size_t size)
{
    struct rf_file f = file;
    f.size = size;
    return rf_content_file(rf_result_content(w->result), &f, &w->err);
}

static enum rf_code add_thinking(struct world *w, size_t size)
{
    struct rf_thinking t = thought;
    t.size = size;
    return rf_content_thinking(w->answer, &t, &w->err);
}

static enum rf_code add_call(struct world *w, size_t size)
{
    struct rf_call c = call;
    c.size = size;
    c.id = RF_STR("c2");
    return rf_content_call(w->answer, &c, &w->err);
}

static const struct rf_block *block(const struct world *w, size_t i)
{
    return rf_message_block(rf_conversation_message(w->answered, 0), i);
}

static enum rf_code get_file(struct world *w, size_t size)
{
    struct rf_file f = { .size = size };
    return rf_block_file(rf_message_block(rf_result_message(w->result), 0), &f, &w->err);
}

static enum rf_code get_thinking(struct world *w, size_t size)
{
    struct rf_thinking t = { .size = size };
    return rf_block_thinking(block(w, 0), &t, &w->err);
}

static enum rf_code get_call(struct world *w, size_t size)
{
    struct rf_call c = { .size = size };
    return rf_block_call(block(w, 1), &c, &w->err);
}

static enum rf_code run_nothing(void *ctx, struct rf_running *r, struct rf_result *out,
                                struct rf_err *err)
{
    (void)ctx, (void)r, (void)out, (void)err;
    return RF_OK;
}

static enum rf_code add_tool(struct world *w, size_t size)
{
    const struct rf_agent_tool t = {
        .size = size, .name = B("f"), .description = B("Does nothing."), .run = run_nothing
    };
    return rf_agent_tool(w->agent, &t, &w->err);
}

static enum rf_code new_respond(struct world *w, size_t size)
{
    const struct rf_respond_options o = { .size = size, .dialect = "anthropic" };
    struct rf_respond *r = NULL;
    enum rf_code rc = rf_respond_new(&o, &r, &w->err);
    rf_respond_free(r);
    return rc;
}

static enum rf_code respond_event(struct world *w, size_t size)
{
    const struct rf_event e = { .size = size, .type = RF_EVENT_BEGIN };
    return rf_respond_event(w->respond, &e, &w->err);
}

static enum rf_code respond_usage(struct world *w, size_t size)
{
    const struct rf_usage u = { .size = size, .input = 3 };
    const struct rf_event e = { .size = sizeof e, .type = RF_EVENT_USAGE, .usage = &u };
    return rf_respond_event(w->respond, &e, &w->err);
}

/* No key: it comes no further than to the look for one. */

static struct rf_send_options send_options(struct world *w, size_t size);
static struct rf_describe_options describe_options(struct world *w, size_t size);
static struct rf_http_options http_options(struct world *w, size_t size);

static enum rf_code send(struct world *w, size_t size)
{
    const struct rf_send_options o = send_options(w, size);
    struct rf_send *s;
    enum rf_code rc = rf_send(w->network, &o, &s, &w->err);
    assert_int_equal(rf_send_status(s), 0);
    assert_null(rf_send_reply(s));
    rf_send_free(s);
    assert_int_equal(w->tellings, 0);
    return rc;
}

static enum rf_code open_http(struct world *w, size_t size)
{
    const struct rf_http_options o = http_options(w, size);
    struct rf_http *h = NULL;
    enum rf_code rc = rf_http_open(w->network, &o, &h, &w->err);
    rf_http_close(h);
    return rc;
}

static enum rf_code hear(struct world *w)
{
    assert_int_equal(w->tellings, 0);
    while (!w->tellings)
        rf_network_wait(w->network, -1);
    assert_int_equal(w->tellings, 1);
    w->tellings = 0;
    return w->told;
}

static enum rf_code start_send(struct world *w, size_t size)
{
    const struct rf_send_options o = send_options(w, size);
    struct rf_send *given_up = rf_send_start(w->network, &o);
    struct rf_send *s = rf_send_start(w->network, &o);
    rf_send_free(given_up);
    enum rf_code rc = hear(w);
    rf_send_free(s);
    return rc;
}

static enum rf_code start_http(struct world *w, size_t size)
{
    const struct rf_http_options o = http_options(w, size);
    struct rf_http *given_up = rf_http_start(w->network, &o);
    struct rf_http *h = rf_http_start(w->network, &o);
    rf_http_close(given_up);
    enum rf_code rc = hear(w);
    rf_http_close(h);
    return rc;
}

/* Its server cannot be asked: then nothing begins. */
static enum rf_code start_describe(struct world *w, size_t size)
{
    const struct rf_describe_options o = describe_options(w, size);
    struct rf_describing *given_up = rf_describe_start(w->network, &o);
    struct rf_describing *d = rf_describe_start(w->network, &o);
    if (given_up)
        rf_describe_cancel(given_up);
    return d ? hear(w) : RF_OK;
}

static enum rf_code describe(struct world *w, size_t size)
{
    const struct rf_describe_options o = describe_options(w, size);
    return rf_describe(w->network, &o, &w->err);
}

static void note(struct world *w, enum rf_code rc, const struct rf_err *err)
{
    w->tellings++;
    w->told = rc;
    w->err = *err;
}

static void on_done(void *ctx, struct rf_send *s, enum rf_code rc, const struct rf_err *err)
{
    (void)s;
    note(ctx, rc, err);
}

static void on_ready(void *ctx, struct rf_http *h, enum rf_code rc, const struct rf_err *err)
{
    (void)h;
    note(ctx, rc, err);
}

static struct rf_send_options send_options(struct world *w, size_t size)
{
    return (struct rf_send_options){
        .size = size, .model = w->model, .request = w->request, .done = on_done, .ctx = w
    };
}

static struct rf_http_options http_options(struct world *w, size_t size)
{
    return (struct rf_http_options){
        .size = size, .model = w->model, .request = w->request, .ready = on_ready, .ctx = w
    };
}

static void on_described(void *ctx, enum rf_code rc, const struct rf_err *err)
{
    note(ctx, rc, err);
}

static struct rf_describe_options describe_options(struct world *w, size_t size)
{
    return (struct rf_describe_options){
        .size = size, .model = w->model, .done = on_described, .ctx = w
    };
}

static const struct row {
    const char *name;
    enum rf_code (*give)(struct world *w, size_t size);
    size_t size;
    enum rf_code right; /* what the right size gives */
} rows[] = {
    { "rf_content_file", add_file, sizeof(struct rf_file), RF_OK },
    { "rf_content_thinking", add_thinking, sizeof(struct rf_thinking), RF_OK },
    { "rf_content_call", add_call, sizeof(struct rf_call), RF_OK },
    { "rf_block_file", get_file, sizeof(struct rf_file), RF_OK },
    { "rf_block_thinking", get_thinking, sizeof(struct rf_thinking), RF_OK },
    { "rf_block_call", get_call, sizeof(struct rf_call), RF_OK },
    { "rf_agent_tool", add_tool, sizeof(struct rf_agent_tool), RF_OK },
    { "rf_respond_new", new_respond, sizeof(struct rf_respond_options), RF_OK },
    { "rf_respond_event", respond_event, sizeof(struct rf_event), RF_OK },
    { "rf_respond_event, usage", respond_usage, sizeof(struct rf_usage), RF_OK },
    { "rf_send", send, sizeof(struct rf_send_options), RF_ECONFIG },
    { "rf_send_start", start_send, sizeof(struct rf_send_options), RF_ECONFIG },
    { "rf_http_open", open_http, sizeof(struct rf_http_options), RF_ECONFIG },
    { "rf_http_start", start_http, sizeof(struct rf_http_options), RF_ECONFIG },
    { "rf_describe", describe, sizeof(struct rf_describe_options), RF_OK },
    { "rf_describe_start", start_describe, sizeof(struct rf_describe_options), RF_OK },
};

static void a_wrong_size_is_refused(void **state)
{
    const struct row *r = *state;
    const size_t wrong[] = { 0, sizeof(size_t), r->size + 1, SIZE_MAX };
    struct world w = start();
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(r->give(&w, wrong[i]), RF_EUSAGE);
        assert_string_equal(w.err.path, "size");
    }
    assert_int_equal(r->give(&w, r->size), r->right);
    end(&w);
}

/* What an exchange cannot be without. */

static void a_missing_field_is_named(void **state)
{
    (void)state;
    enum rf_code (*const entries[])(struct world *, size_t) = { send, start_send, open_http,
                                                                start_http };
    const size_t sizes[] = { sizeof(struct rf_send_options), sizeof(struct rf_http_options) };
    for (size_t i = 0; i < COUNT(entries); i++) {
        struct world w = start();
        struct rf_model *model = w.model;
        struct rf_request *request = w.request;
        w.model = NULL;
        assert_int_equal(entries[i](&w, sizes[i / 2]), RF_EUSAGE);
        assert_string_equal(w.err.path, "model");
        w.model = model;
        w.request = NULL;
        assert_int_equal(entries[i](&w, sizes[i / 2]), RF_EUSAGE);
        assert_string_equal(w.err.path, "request");
        w.request = request;
        end(&w);
    }
    struct world w = start();
    struct rf_model *model = w.model;
    w.model = NULL;
    assert_int_equal(describe(&w, sizeof(struct rf_describe_options)), RF_EUSAGE);
    assert_int_equal(start_describe(&w, sizeof(struct rf_describe_options)), RF_EUSAGE);
    assert_string_equal(w.err.path, "model");
    w.model = model;
    end(&w);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    const struct CMUnitTest others[] = { cmocka_unit_test(a_missing_field_is_named) };
    unsetenv("ANTHROPIC_API_KEY");
    setenv("HOME", "/nonexistent", 1);
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    name_rows(tests, a_wrong_size_is_refused, rows, COUNT(rows), sizeof *rows);
    int failed = cmocka_run_group_tests_name("sizes", tests, NULL, NULL);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
