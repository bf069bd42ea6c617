/* Requests under way, from the side of whoever runs them: questions to a client in both eras, what
 * is kept between rounds, progress, cancellation, and what transports may do to a peer. The
 * transport is played. Messages are JSON with ' for ". */
#include "mcp/server/server.h"

#include "base/clock.h"
#include "base/loop.h"

#include <refract/mcp.h>

#include "../testing.h"

#include <poll.h>
#include <stdatomic.h>

#define MOST 64
#define PATIENCE_MS 60000

struct message {
    void *channel;
    char *text;
    bool last;
};

struct stage {
    struct rf_arena *arena;
    const char *folder;
    struct rf_loop loop;
    struct rf_mcp_server *server;
    struct rf_mcp_peer *peer;
    struct message sent[MOST];
    size_t count;
};

static int posts[4]; /* their addresses are channels */

static void send_played(void *ctx, void *channel, struct rf_str message, bool last)
{
    struct stage *s = ctx;
    assert_true(s->count < MOST);
    s->sent[s->count++] = (struct message){ channel, (char *)rf_cstr(s->arena, message), last };
}

/* Tools */

static void say(struct rf_mcp_call *c, const char *text)
{
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_arr(w, "content");
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("text"));
    rf_json_str(w, "text", rf_str(text));
}

static void ask(struct rf_mcp_call *c)
{
    const struct rf_jval *answer;
    struct rf_err err = { 0 };
    rf_mcp_call_keep(c, RF_STR("round 1"));
    switch (
        rf_mcp_call_ask(c, "name", "elicitation/create", "{\"message\":\"Who?\"}", &answer, &err)) {
    case RF_MCP_ASKED:
        return;
    case RF_MCP_REFUSED:
        rf_mcp_call_fail(c, rf_str_dup(rf_mcp_call_arena(c), rf_str(err.msg)));
        return;
    case RF_MCP_ANSWERED:
        break;
    }
    struct rf_str said = rf_jval_compact(answer, rf_mcp_call_arena(c));
    struct rf_str state = rf_mcp_call_state(c);
    say(c, rf_strf(rf_mcp_call_arena(c), "%.*s after \"%.*s\"", RF_FMT(said), RF_FMT(state)).p);
}

static void tell(struct rf_mcp_call *c)
{
    static const int64_t steps[] = { 0, 1, 1, 5, 3, 6 };
    for (size_t i = 0; i < COUNT(steps); i++)
        rf_mcp_call_progress(c, steps[i], 6, RF_STR("on"));
    rf_mcp_call_log(c, 1, RF_STR("quiet"));
    rf_mcp_call_log(c, 4, RF_STR("loud"));
    say(c, "told");
}

#define FLOOD 60

static atomic_int flooded;

static void flood(struct rf_mcp_call *c)
{
    static char text[64 << 10];
    memset(text, 'x', sizeof text);
    for (int64_t i = 1; i <= FLOOD; i++) {
        rf_mcp_call_progress(c, i, 0, (struct rf_str){ text, sizeof text });
        atomic_fetch_add(&flooded, 1);
    }
    say(c, "told");
}

static atomic_int slept;

static void sleep_long(struct rf_mcp_call *c)
{
    if (!rf_mcp_call_sleep(c, PATIENCE_MS))
        atomic_fetch_add(&slept, 1);
    say(c, "woken");
}

static void say_too_much(struct rf_mcp_call *c)
{
    size_t n = (size_t)9 << 20;
    char *text = rf_arena_alloc(rf_mcp_call_arena(c), n + 1);
    memset(text, 'x', n);
    say(c, text);
}

static void say_nothing(struct rf_mcp_call *c)
{
    (void)c;
}

static void show_resource(struct rf_mcp_call *c)
{
    struct rf_json *w = rf_mcp_call_result(c);
    rf_json_arr(w, "contents");
    rf_json_obj(w, NULL);
    rf_json_str(w, "uri", rf_mcp_call_text(c, "uri"));
    rf_json_str(w, "text", RF_STR("shown"));
}

#define TOOL(name, run)                                            \
    {                                                              \
        name, name, name, "{\"type\":\"object\"}", NULL, NULL, run \
    }
static const struct rf_mcp_tool tools[] = {
    TOOL("ask", ask),          TOOL("ask_too", ask),           TOOL("tell", tell),
    TOOL("sleep", sleep_long), TOOL("too_much", say_too_much), TOOL("nothing", say_nothing),
    TOOL("flood", flood),
};
static const struct rf_mcp_prompt prompts[] = {
    { "greet", "Greet", "", "[{\"name\":\"who\"}]", tell, NULL },
};
static const struct rf_mcp_resource resources[] = {
    { "test://one", "one", NULL, NULL, "text/plain", show_resource, NULL },
};
static const struct rf_mcp_resource templates[] = {
    { "test://t/{id}/data", "t", NULL, NULL, NULL, show_resource, NULL },
};
static const struct rf_mcp_offer offer = {
    tools,     COUNT(tools),     prompts,   COUNT(prompts),
    resources, COUNT(resources), templates, COUNT(templates),
};

/* The stage */

static void open_stage(struct stage *s)
{
    static const struct rf_mcp_peer_calls calls = { send_played };
    struct rf_mcp_options *o = rf_mcp_options_new();
    struct rf_err err;
    *s = (struct stage){ .arena = rf_arena_new() };
    s->folder = scratch_new(s->arena);
    rf_mcp_options_root(o, s->folder);
    assert_true(rf_loop_init(&s->loop));
    assert_false(rf_mcp_server_new(o, &s->server, &err));
    rf_mcp_options_free(o);
    rf_mcp_server_offer(s->server, &offer);
    assert_false(rf_mcp_server_attach(s->server, &s->loop, &err));
    s->peer = rf_mcp_peer_new(s->server, &calls, s);
}

static void close_stage(struct stage *s)
{
    rf_mcp_peer_free(s->peer);
    rf_mcp_server_free(s->server);
    rf_loop_release(&s->loop);
    scratch_remove(s->folder);
    rf_arena_free(s->arena);
}

static void take(struct stage *s, int *channel, const char *text)
{
    rf_mcp_peer_take(s->peer, quoted(s->arena, text), channel);
}

static void step(struct stage *s, int64_t deadline)
{
    assert_true(rf_now_ms() < deadline);
    rf_loop_wait(&s->loop, -1, 1000);
    rf_loop_step(&s->loop);
}

static const struct message *await(struct stage *s, size_t number)
{
    int64_t deadline = rf_now_ms() + PATIENCE_MS;
    while (s->count <= number)
        step(s, deadline);
    return &s->sent[number];
}

static void expect(struct stage *s, size_t number, const void *channel, bool last, const char *part)
{
    const struct message *m = await(s, number);
    assert_ptr_equal(m->channel, channel);
    assert_int_equal(m->last, last);
    if (!strstr(m->text, quoted(s->arena, part).p))
        fail_msg("%s is not in %s", part, m->text);
}

#define INITIALIZE(capabilities)                                                                \
    "{'jsonrpc':'2.0','id':'i','method':'initialize','params':{'protocolVersion':'2025-11-25'," \
    "'capabilities':{" capabilities "},'clientInfo':{'name':'t','version':'0'}}}"
#define CALL(id, name) \
    "{'jsonrpc':'2.0','id':" id ",'method':'tools/call','params':{'name':'" name "'}}"
#define META(capabilities)                                             \
    "'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28'," \
    "'io.modelcontextprotocol/clientCapabilities':{" capabilities "}}"

static void legacy(struct stage *s, const char *initialize)
{
    take(s, &posts[0], initialize);
    expect(s, 0, &posts[0], true, "'protocolVersion':'2025-11-25'");
    s->count = 0;
}

/* Tests */

static void a_legacy_client_is_asked_on_the_way(void **state)
{
    struct stage s;
    (void)state;
    open_stage(&s);
    legacy(&s, INITIALIZE("'elicitation':{}"));
    take(&s, &posts[1], CALL("7", "ask"));
    expect(&s, 0, &posts[1], false,
           "{'jsonrpc':'2.0','id':1,'method':'elicitation/create',"
           "'params':{'message':'Who?'}}");
    take(&s, &posts[2], "{'jsonrpc':'2.0','id':99,'result':{'action':'decline'}}");
    take(&s, &posts[2], "{'jsonrpc':'2.0','id':1,'result':{'action':'accept'}}");
    expect(&s, 1, &posts[1], true, "{\\'action\\':\\'accept\\'} after \\'\\'");
    take(&s, &posts[1], CALL("8", "ask"));
    await(&s, 2);
    take(&s, &posts[2], "{'jsonrpc':'2.0','id':2,'error':{'code':-1,'message':'not now'}}");
    expect(&s, 3, &posts[1], true, "the client refused: not now");
    close_stage(&s);
}

static void a_client_that_cannot_be_asked(void **state)
{
    struct stage s;
    (void)state;
    open_stage(&s);
    legacy(&s, INITIALIZE("'sampling':{}"));
    take(&s, &posts[1], CALL("7", "ask"));
    expect(&s, 0, &posts[1], true, "'isError':true");
    take(&s, &posts[1],
         "{'jsonrpc':'2.0','id':8,'method':'tools/call','params':{'name':'ask'," META("") "}}");
    expect(&s, 1, &posts[1], true, "cannot be asked for elicitation");
    close_stage(&s);
}

/* The sealed state of a result. */
static const char *state_of(struct stage *s, const char *text)
{
    const struct rf_jval *root;
    struct rf_err err;
    assert_false(rf_jval_parse(rf_str(text), s->arena, &root, &err));
    const struct rf_jval *v = rf_jval_get(rf_jval_get(root, "result"), "requestState");
    assert_non_null(v);
    return rf_cstr(s->arena, v->raw);
}

static void again(struct stage *s, const char *tool, const char *state)
{
    take(s, &posts[1],
         rf_strf(s->arena,
                 "{'jsonrpc':'2.0','id':9,'method':'tools/call','params':{'name':'%s',"
                 "'inputResponses':{'name':{'action':'accept'}},'requestState':'%s'," META(
                     "'elicitation':{}") "}}",
                 tool, state)
             .p);
}

static void a_modern_client_is_asked_in_the_result(void **state)
{
    struct stage s;
    (void)state;
    open_stage(&s);
    take(&s, &posts[1],
         "{'jsonrpc':'2.0','id':8,'method':'tools/call','params':{'name':'ask'," META(
             "'elicitation':{}") "}}");
    expect(&s, 0, &posts[1], true, "'resultType':'input_required'");
    expect(&s, 0, &posts[1], true,
           "'inputRequests':{'name':{'method':'elicitation/create',"
           "'params':{'message':'Who?'}}}");
    const char *kept = state_of(&s, s.sent[0].text);
    again(&s, "ask", kept);
    expect(&s, 1, &posts[1], true, "after \\'round 1\\'");
    expect(&s, 1, &posts[1], true, "'resultType':'complete'");
    again(&s, "ask_too", kept);
    expect(&s, 2, &posts[1], true, "'code':-32602");
    char *changed = (char *)rf_cstr(s.arena, rf_str(kept));
    changed[45] = changed[45] == 'A' ? 'B' : 'A';
    again(&s, "ask", changed);
    expect(&s, 3, &posts[1], true, "requestState was changed");
    again(&s, "ask", "AAAA");
    expect(&s, 4, &posts[1], true, "'code':-32602");
    close_stage(&s);
}

static void progress_and_log(void **state)
{
    static const char *const steps[] = { "'progress':0,", "'progress':1,", "'progress':5,",
                                         "'progress':6,'total':6,'message':'on'" };
    struct stage s;
    (void)state;
    open_stage(&s);
    take(&s, &posts[1],
         "{'jsonrpc':'2.0','id':8,'method':'tools/call','params':{'name':'tell',"
         "'_meta':{'progressToken':'t','io.modelcontextprotocol/logLevel':'error',"
         "'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
         "'io.modelcontextprotocol/clientCapabilities':{}}}}");
    for (size_t i = 0; i < COUNT(steps); i++)
        expect(&s, i, &posts[1], false, steps[i]);
    expect(&s, 4, &posts[1], false, "'level':'error','logger':'refract','data':'loud'");
    expect(&s, 5, &posts[1], true, "'told'");
    close_stage(&s);
}

static void a_cancelled_call_ends_without_an_answer(void **state)
{
    struct stage s;
    int before = atomic_load(&slept);
    (void)state;
    open_stage(&s);
    legacy(&s, INITIALIZE("'elicitation':{}"));
    take(&s, &posts[1], CALL("7", "sleep"));
    take(&s, &posts[2], CALL("8", "ask"));
    await(&s, 0);
    take(&s, NULL, "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':7}}");
    take(&s, NULL, "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':8}}");
    assert_string_equal(s.sent[1].text, "");
    assert_string_equal(s.sent[2].text, "");
    assert_true(s.sent[1].last && s.sent[2].last);
    assert_int_equal(rf_mcp_peer_busy(s.peer), 0);
    take(&s, &posts[3], CALL("9", "tell"));
    expect(&s, 3, &posts[3], true, "'told'");
    close_stage(&s);                                /* waits for the threads */
    assert_true(atomic_load(&slept) <= before + 1); /* it may not have begun */
}

static void whoever_is_gone_is_sent_nothing(void **state)
{
    struct stage s;
    (void)state;
    open_stage(&s);
    legacy(&s, INITIALIZE(""));
    take(&s, &posts[1], CALL("7", "sleep"));
    rf_mcp_peer_drop(s.peer, &posts[1]);
    assert_int_equal(rf_mcp_peer_busy(s.peer), 0);
    take(&s, &posts[2], CALL("8", "tell"));
    expect(&s, 0, &posts[2], true, "'told'");
    take(&s, &posts[2], CALL("9", "sleep"));
    close_stage(&s); /* while it runs */
}

static void a_peer_that_is_held_begins_nothing(void **state)
{
    struct stage s;
    (void)state;
    open_stage(&s);
    legacy(&s, INITIALIZE(""));
    rf_mcp_peer_hold(s.peer);
    take(&s, &posts[1], CALL("7", "tell"));
    take(&s, &posts[2], "{'jsonrpc':'2.0','id':8,'method':'ping'}");
    expect(&s, 0, &posts[2], true, "'result':{}");
    assert_int_equal(rf_mcp_peer_busy(s.peer), 1);
    rf_mcp_peer_go_on(s.peer);
    expect(&s, 1, &posts[1], true, "'told'");
    close_stage(&s);
}

static void results_that_cannot_be_sent(void **state)
{
    struct stage s;
    (void)state;
    open_stage(&s);
    legacy(&s, INITIALIZE(""));
    take(&s, &posts[1], CALL("7", "too_much"));
    expect(&s, 0, &posts[1], true, "the result could not be sent");
    expect(&s, 0, &posts[1], true, "'isError':true");
    take(&s, &posts[1], CALL("8", "nothing"));
    expect(&s, 1, &posts[1], true, "'code':-32603");
    close_stage(&s);
}

#define CALL_FLOOD                                                                           \
    "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'flood','arguments':{}," \
    "'_meta':{'progressToken':1}}}"

/* Sixteen messages are a megabyte. */
static void wait_for_flood(void)
{
    while (atomic_load(&flooded) < 15)
        poll(NULL, 0, 1);
    poll(NULL, 0, 50); /* for a thread that does not wait to go on */
    assert_in_range(atomic_load(&flooded), 15, 17);
}

static void a_call_waits_for_the_loop(void **state)
{
    struct stage s;
    (void)state;
    open_stage(&s);
    legacy(&s, INITIALIZE(""));
    atomic_store(&flooded, 0);
    take(&s, &posts[1], CALL_FLOOD);
    wait_for_flood();
    expect(&s, FLOOD, &posts[1], true, "'told'");
    assert_int_equal(atomic_load(&flooded), FLOOD);
    atomic_store(&flooded, 0);
    take(&s, &posts[1], CALL_FLOOD);
    wait_for_flood();
    rf_mcp_peer_drop(s.peer, &posts[1]); /* which ends the wait */
    while (atomic_load(&flooded) < FLOOD)
        poll(NULL, 0, 1);
    close_stage(&s);
}

static void rows_that_were_added(void **state)
{
    struct stage s;
    (void)state;
    open_stage(&s);
    legacy(&s, INITIALIZE(""));
    take(&s, &posts[1], "{'jsonrpc':'2.0','id':1,'method':'prompts/list'}");
    expect(&s, 0, &posts[1], true, "'prompts':[{'name':'greet','title':'Greet','arguments':[");
    take(&s, &posts[1],
         "{'jsonrpc':'2.0','id':2,'method':'prompts/get','params':{'name':'greet'}}");
    expect(&s, 1, &posts[1], true, "'told'");
    take(&s, &posts[1], "{'jsonrpc':'2.0','id':3,'method':'prompts/get','params':{'name':'none'}}");
    expect(&s, 2, &posts[1], true, "'code':-32602");
    take(&s, &posts[1],
         "{'jsonrpc':'2.0','id':4,'method':'resources/read','params':{'uri':'test://t/7/data'}}");
    expect(&s, 3, &posts[1], true, "'uri':'test://t/7/data','text':'shown'");
    take(&s, &posts[1], "{'jsonrpc':'2.0','id':5,'method':'resources/list'}");
    expect(&s, 4, &posts[1], true, "'uri':'test://one'");
    close_stage(&s);
}

static void changes_are_told_where_they_are_wanted(void **state)
{
    struct stage s;
    (void)state;
    open_stage(&s);
    legacy(&s, INITIALIZE(""));
    take(&s, &posts[1],
         "{'jsonrpc':'2.0','id':1,'method':'resources/subscribe','params':{'uri':'test://one'}}");
    expect(&s, 0, &posts[1], true, "'result':{}");
    take(&s, &posts[2],
         "{'jsonrpc':'2.0','id':2,'method':'subscriptions/listen','params':{"
         "'notifications':{'toolsListChanged':true}," META("") "}}");
    expect(&s, 1, &posts[2], false, "'notifications':{'toolsListChanged':true}");
    rf_mcp_server_list_changed(s.server, RF_MCP_LIST_TOOLS);
    expect(&s, 2, NULL, false, "{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}");
    expect(&s, 3, &posts[2], false, "'io.modelcontextprotocol/subscriptionId':2");
    rf_mcp_peer_close(s.peer);
    expect(&s, 4, &posts[2], true, "'id':2,'result':{'resultType':'complete'");
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_legacy_client_is_asked_on_the_way),
        cmocka_unit_test(a_client_that_cannot_be_asked),
        cmocka_unit_test(a_modern_client_is_asked_in_the_result),
        cmocka_unit_test(progress_and_log),
        cmocka_unit_test(a_cancelled_call_ends_without_an_answer),
        cmocka_unit_test(whoever_is_gone_is_sent_nothing),
        cmocka_unit_test(a_peer_that_is_held_begins_nothing),
        cmocka_unit_test(results_that_cannot_be_sent),
        cmocka_unit_test(a_call_waits_for_the_loop),
        cmocka_unit_test(rows_that_were_added),
        cmocka_unit_test(changes_are_told_where_they_are_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
