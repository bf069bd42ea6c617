/* The client against servers of both eras, good and bad (servers.py): what a call gives or says, and
 * that the next call works. */
#include "testing.h"

#include "base/clock.h"
#include "base/json_write.h"
#include "mcp/client/client.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#define SECRET "s3cret-value-of-the-test"
#define CLIENT_SECRET "s3cret-of-the-client"

static const char *script(struct rf_arena *a)
{
    const char *source = getenv("REFRACT_SOURCE");
    assert_non_null(source);
    return rf_strf(a, "%s/tests/mcp/servers.py", source).p;
}

/* A server over HTTP: a process of the test's, which ends with its input. */
struct served {
    pid_t pid;
    int input, errors;
    const char *url;
};

static struct served serve(struct rf_arena *a, const char *mode)
{
    struct served s = { 0 };
    int in[2], out[2], err[2];
    char port[16] = "";
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    assert_int_equal(pipe2(err, O_CLOEXEC), 0);
    s.pid = fork();
    assert_true(s.pid >= 0);
    if (s.pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(err[1], 2);
        execlp("python3", "python3", script(a), mode, "--http", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    close(err[1]);
    for (size_t n = 0; n < sizeof port - 1 && read(out[0], port + n, 1) == 1 && port[n] != '\n';)
        n++;
    close(out[0]);
    s.input = in[1];
    s.errors = err[0];
    s.url = rf_strf(a, "http://127.0.0.1:%ld/mcp", strtol(port, NULL, 10)).p;
    return s;
}

/* What it wrote to its standard error. */
static struct rf_str end_served(struct served *s, struct rf_arena *a)
{
    char *text = rf_arena_alloc(a, 4096);
    size_t n = 0;
    ssize_t got;
    int status;
    close(s->input);
    while (n < 4096 && (got = read(s->errors, text + n, 4096 - n)) > 0)
        n += (size_t)got;
    close(s->errors);
    assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
    return (struct rf_str){ text, n };
}

/* The client's side */

struct world {
    struct rf_arena *arena;
    struct rf_mcp_clients *hub;
    struct served served;
    unsigned moves; /* of progress */
    unsigned visits;
    int stop; /* that progress pokes; 0: nothing */
    pthread_t asked_in;
    struct rf_err err;
};

static enum rf_code ask_person(void *ctx, const struct rf_mcp_question *q, struct rf_arena *a,
                               struct rf_str *result, struct rf_err *err)
{
    struct world *w = ctx;
    (void)err, (void)a;
    w->asked_in = pthread_self();
    w->visits += q->kind == RF_MCP_ASKS_VISIT;
    assert_str(q->server_name, "bad one");
    *result = RF_STR("{\n\"action\": \"accept\",\n\"content\": {\"name\": \"Ann\"}}\n");
    return RF_OK;
}

static enum rf_code ask_model(void *ctx, const struct rf_mcp_question *q, struct rf_arena *a,
                              struct rf_str *result, struct rf_err *err)
{
    (void)ctx, (void)a, (void)result;
    assert_int_equal(q->kind, RF_MCP_ASKS_MODEL);
    return rf_fail(err, RF_EPERMISSION, "the person said no");
}

static void on_progress(void *ctx, double progress, double total, struct rf_str message)
{
    struct world *w = ctx;
    (void)progress, (void)total, (void)message;
    w->moves++;
    if (w->stop > 0)
        assert_int_equal(eventfd_write(w->stop, 1), 0);
}

static void begin(struct world *w, const char *mode, bool http, int64_t timeout_ms)
{
    static const struct rf_str roots[] = { B("/home/ann/a b") };
    static const struct rf_str environment[] = { B("SAID=" SECRET), B("TERM=none") };
    static const struct rf_header headers[] = { { B("Authorization"), B("Bearer " SECRET) } };
    static const struct rf_mcp_clients_options options = {
        .roots = roots, .root_count = 1, .ask_model = ask_model, .ask_person = ask_person
    };
    *w = (struct world){ .arena = rf_arena_new() };
    const char *argv[] = { "python3", script(w->arena), mode, NULL };
    struct rf_mcp_reach reach = { .name = RF_STR("bad one"),
                                  .folder = "/",
                                  .environment = environment,
                                  .environment_count = 2,
                                  .headers = headers,
                                  .header_count = 1,
                                  .client_secret = RF_STR(CLIENT_SECRET),
                                  .start_ms = 600000, /* nothing here depends on it */
                                  .timeout_ms = timeout_ms };
    if (http) {
        w->served = serve(w->arena, mode);
        reach.url = w->served.url;
    } else {
        reach.argv = argv;
    }
    w->hub = rf_mcp_clients_new(&reach, 1, &options);
}

static struct rf_str end(struct world *w)
{
    struct rf_str errors = { 0 };
    rf_mcp_clients_free(w->hub);
    if (w->served.pid)
        errors = end_served(&w->served, w->arena);
    return errors;
}

/* The result as JSON; or "!" and the message. */
static struct rf_str call_with(struct world *w, const char *tool, const char *arguments, int stop)
{
    const struct rf_jval *result, *v = NULL;
    assert_int_equal(rf_jval_parse(quoted(w->arena, arguments), w->arena, &v, NULL), RF_OK);
    struct rf_mcp_call call = {
        .tool = rf_str(tool), .arguments = v, .stop_fd = stop, .progress = on_progress, .ctx = w
    };
    w->err = (struct rf_err){ 0 };
    if (rf_mcp_call(w->hub, &call, w->arena, &result, &w->err))
        return rf_strf(w->arena, "!%s", w->err.msg);
    return rf_jval_compact(result, w->arena);
}

static struct rf_str call(struct world *w, const char *tool)
{
    return call_with(w, tool, "{'x':'hello'}", -1);
}

static void assert_has(struct rf_str text, const char *part)
{
    if (!rf_str_contains(text, rf_str(part)))
        fail_msg("\"%s\" is not in \"%.*s\"", part, RF_FMT(text));
}

#define FINE "{\"content\":[{\"type\":\"text\",\"text\":\"echo hello\"}]}"

/* Servers that do something to a call of "special": then "echo" works all the same. */

static const struct {
    const char *name, *mode;
    bool http;
    const char *want; /* in the result; or "!" and what is in the message */
    int64_t timeout_ms;
} rows[] = {
    { "a legacy server over stdio", "legacy", false, "special hello", 0 },
    { "a modern server over stdio", "modern", false, "special hello", 0 },
    { "a legacy server over HTTP", "legacy", true, "special hello", 0 },
    { "a modern server over HTTP", "modern", true, "special hello", 0 },
    { "a legacy server that answers with events", "legacy+sse", true, "special hello", 0 },
    { "a modern server that answers with events", "modern+sse", true, "special hello", 0 },
    { "a legacy server that fails at what it does not know", "legacy+fragile", true,
      "special hello", 0 },
    { "a server of 2024, which answers by one stream", "legacy+old", true, "special hello", 0 },
    { "one of 2024 that closes it", "legacy+old+ends", true,
      "!MCP server \"bad one\" closed its stream", 0 },
    { "one that says nothing to server/discover", "legacy+mute", false, "special hello", 0 },
    { "one that dies of server/discover", "legacy+dies-of-probe", false, "special hello", 0 },
    { "garbage between messages is let pass", "modern+garbage", false, "special hello", 0 },
    { "an id that came back as a string is the same", "legacy+text-id", false, "fine", 0 },
    { "a second answer is let pass", "legacy+twice", false, "fine", 0 },
    { "a flood of notifications", "legacy+flood", false, "special hello", 0 },
    { "a flood of changes is followed now and then", "legacy+floods-lists+counted", false,
      "few lists", 0 },
    { "structured content of more values than are worth their memory", "legacy+values", false,
      "!MCP server \"bad one\" sent what is not taken: the message has more than", 0 },
    { "half a message and an end", "legacy+half", false,
      "!MCP server \"bad one\" ended with status 0 in the middle of a message", 0 },
    { "death in a call", "legacy+dies", false,
      "!MCP server \"bad one\" ended with status 3: about to die", 0 },
    { "death by a signal", "modern+killed", false, "!MCP server \"bad one\" was ended by signal 9",
      0 },
    { "an output that is closed", "modern+closes", false,
      "!MCP server \"bad one\" closed its output", 0 },
    { "a message without an end", "legacy+long", false,
      "!MCP server \"bad one\" sent a message of more than 64 MiB", 0 },
    { "babble", "legacy+babble", false, "!MCP server \"bad one\" does not speak MCP: it said", 0 },
    { "silence", "legacy+silent", false,
      "!MCP server \"bad one\" did not answer the call within 3 seconds", 3000 },
    { "an answer to another question", "modern+wrong-id", false,
      "within 3 seconds: it answered a request that was not made", 3000 },
    { "a result that is not an object", "legacy+no-result", false,
      "!MCP server \"bad one\" answered the call with something that is not a result", 0 },
    { "a result that is empty", "modern+empty-result", false,
      "!MCP server \"bad one\" answered tool \"special\" with something that is not a result", 0 },
    { "a kind of result that is unknown", "modern+odd-kind", false,
      "!MCP server \"bad one\" answered the call with a kind of result that is not known", 0 },
    { "an error that is not one", "modern+bad-error", false,
      "!MCP server \"bad one\" answered the call in a wrong form", 0 },
    { "an error without an id is that of the only call", "legacy+null-error", false,
      "!MCP server \"bad one\" refused the call (-32700): what?", 0 },
    { "a variable's value is in no message", "legacy+secret", false, "bad key [redacted]", 0 },
    { "nor is the secret that a login needs", "legacy+client-key", false, "bad key [redacted]", 0 },
    { "nor is a part of it in what the server said", "legacy+stray-secret", false,
      "not a message: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx[redacted]\"", 3000 },
    { "a header's value is in no message", "legacy+leaks", true,
      "!MCP server \"bad one\" answered the call with status 400", 0 },
    { "a stream that is cut", "modern+cut", true,
      "!MCP server \"bad one\" sent no answer to the call", 0 },
    { "a stream that is gone on with", "legacy+resumed+sse", true, "resumed", 0 },
    { "one that never comes is not gone on with for ever", "legacy+ending+sse", true,
      "!MCP server \"bad one\" sent no answer to the call", 0 },
    { "a general stream that ends all the time is begun now and then", "legacy+ending+counted+sse",
      true, "few streams", 0 },
    { "an answer without an end", "legacy+huge", true,
      "!MCP server \"bad one\" sent a message of more than 64 MiB", 0 },
    { "one that asks much at once gets all of its answers", "legacy+pings+sse", true, "\"40\"", 0 },
    { "a session that was forgotten is begun again", "legacy+forgets", true, "special hello", 0 },
};

static void check_special(void **state)
{
    const __typeof__(*rows) *row = *state;
    struct world w;
    begin(&w, row->mode, row->http, row->timeout_ms);
    struct rf_str got = call(&w, "special");
    assert_has(got, row->want);
    assert_false(rf_str_contains(got, RF_STR(SECRET)));
    assert_has(call(&w, "echo"), "echo hello");
    end(&w);
    rf_arena_free(w.arena);
}

/* Servers that cannot be used at all. */

static const struct {
    const char *name, *mode;
    bool http;
    enum rf_code code;
    const char *want;
} unusable[] = {
    { "another token is wanted", "modern+locked", true, RF_ECONFIG,
      "MCP server \"bad one\" does not take the token that it was sent (status 401)" },
    { "one of 2024 that listens elsewhere", "legacy+old+foreign", true, RF_EPROVIDER,
      "MCP server \"bad one\" wants its messages sent to another address" },
    { "an address that is not one of a server", "legacy+deaf", true, RF_EPROVIDER,
      "MCP server \"bad one\" does not speak MCP at this address (status 404)" },
    { "a program that speaks something else is not waited for until it is late", "legacy+web",
      false, RF_EPROVIDER,
      "MCP server \"bad one\" does not speak MCP: it said something that is not a message: "
      "\"Serving HTTP on 0.0.0.0 port 8000\"" },
    { "a server that is broken", "legacy+broken", true, RF_EPROVIDER,
      "MCP server \"bad one\" answered the first message with status 500" },
};

static void check_unusable(void **state)
{
    const __typeof__(*unusable) *row = *state;
    struct world w;
    begin(&w, row->mode, row->http, 0);
    struct rf_mcp_tools tools;
    assert_int_equal(rf_mcp_tools(w.hub, 0, -1, w.arena, &tools, &w.err), row->code);
    assert_string_equal(w.err.msg, row->want);
    end(&w);
    rf_arena_free(w.arena);
}

static void a_program_that_is_not_there(void **state)
{
    static const char *const argv[] = { "/no/such/program", NULL };
    struct rf_mcp_reach reach = { .name = RF_STR("none"), .argv = argv };
    struct rf_mcp_clients *h = rf_mcp_clients_new(&reach, 1, &(struct rf_mcp_clients_options){ 0 });
    struct rf_arena *a = rf_arena_new();
    struct rf_mcp_tools tools;
    struct rf_mcp_status status;
    struct rf_err err;
    (void)state;
    rf_mcp_clients_status(h, 0, a, &status);
    assert_int_equal(status.state, RF_MCP_OFF);
    assert_int_equal(rf_mcp_tools(h, 0, -1, a, &tools, &err), RF_ECONFIG);
    assert_string_equal(err.msg,
                        "MCP server \"none\" could not be started: \"/no/such/program\": No "
                        "such file or directory");
    rf_mcp_clients_status(h, 0, a, &status);
    assert_int_equal(status.state, RF_MCP_FAILED);
    rf_mcp_clients_free(h);
    rf_arena_free(a);
}

static void without_descriptors_a_call_fails(void **state)
{
    struct rlimit before, none;
    struct world w;
    struct rf_mcp_tools tools;
    (void)state;
    begin(&w, "modern", false, 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){ 0, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(rf_mcp_tools(w.hub, 0, -1, w.arena, &tools, &w.err), RF_EIO);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    end(&w);
    rf_arena_free(w.arena);
}

/* Tools */

static struct rf_mcp_tools tools_of(struct world *w)
{
    struct rf_mcp_tools tools = { 0 };
    if (rf_mcp_tools(w->hub, 0, -1, w->arena, &tools, &w->err))
        fail_msg("%s", w->err.msg);
    return tools;
}

static void tools_come_with_what_is_known_of_them(void **state)
{
    struct world w;
    struct rf_mcp_status status;
    (void)state;
    begin(&w, "modern+pages", false, 0);
    struct rf_mcp_tools t = tools_of(&w);
    assert_int_equal(t.count, 2);
    assert_str(t.list[1].name, "special");
    assert_str(t.list[1].description, "does special");
    assert_true(t.list[1].read_only);
    assert_true(t.list[1].destructive);
    assert_str(t.instructions, "Be kind.");
    rf_mcp_clients_status(w.hub, 0, w.arena, &status);
    assert_int_equal(status.state, RF_MCP_READY);
    assert_str(status.version, "2026-07-28");
    assert_str(status.server_name, "test server");
    end(&w);
    rf_arena_free(w.arena);
}

static void thousands_of_tools(void **state)
{
    struct world w;
    (void)state;
    begin(&w, "legacy+many", false, 0);
    struct rf_mcp_tools t = tools_of(&w);
    assert_int_equal(t.count, 3000);
    assert_str(t.list[2999].name, "tool2999");
    end(&w);
    rf_arena_free(w.arena);
}

static void twins_count(void **state)
{
    struct world w;
    (void)state;
    begin(&w, "legacy+twins", false, 0);
    struct rf_mcp_tools t = tools_of(&w);
    assert_int_equal(t.count, 3);
    assert_str(t.list[2].name, "twin");
    assert_str(t.problems[0], "tool \"twin\" is listed twice");
    assert_str(t.problems[t.problem_count - 1],
               "it lists more tools than the 10000 that are looked at");
    end(&w);
    rf_arena_free(w.arena);
}

static void a_list_that_goes_round_ends(void **state)
{
    struct world w;
    (void)state;
    begin(&w, "legacy+round", false, 0);
    assert_int_equal(tools_of(&w).count, 2);
    end(&w);
    rf_arena_free(w.arena);
}

static void tools_that_cannot_be_called_are_left_out(void **state)
{
    struct world w;
    (void)state;
    begin(&w, "legacy+odd", false, 0);
    struct rf_mcp_tools t = tools_of(&w);
    assert_int_equal(t.count, 4);
    assert_str(t.list[2].name, "bare");
    assert_str(t.list[2].schema, "{\"type\":\"object\"}");
    assert_str(t.list[3].name, "späße and/slashes");
    assert_int_equal(t.problem_count, 5);
    assert_str(t.problems[0], "tool \"text\" has a schema that is not an object");
    assert_str(t.problems[3], "tool \"echo\" is listed twice");
    end(&w);
    rf_arena_free(w.arena);
}

static void a_list_that_fails_is_a_problem(void **state)
{
    struct world w;
    (void)state;
    begin(&w, "legacy+list-fails", false, 0);
    struct rf_mcp_tools t = tools_of(&w);
    assert_int_equal(t.count, 0);
    assert_str(t.problems[0], "it did not list its tools: no list today");
    end(&w);
    rf_arena_free(w.arena);
}

static const struct {
    const char *name, *mode;
    bool http;
} changing[] = {
    { "a list that changes, legacy, stdio", "legacy+changes", false },
    { "a list that changes, modern, stdio", "modern+changes", false },
    { "a list that changes, legacy, HTTP", "legacy+changes", true },
    { "a list that changes, modern, HTTP", "modern+changes", true },
};

static void check_changing(void **state)
{
    const __typeof__(*changing) *row = *state;
    struct world w;
    begin(&w, row->mode, row->http, 0);
    assert_int_equal(tools_of(&w).count, 2);
    uint64_t before = rf_mcp_clients_changes(w.hub);
    call(&w, "special");
    while (rf_mcp_clients_changes(w.hub) == before)
        usleep(1000);
    assert_int_equal(tools_of(&w).count, 3);
    end(&w);
    rf_arena_free(w.arena);
}

static void a_list_that_fails_later_leaves_the_last_one(void **state)
{
    struct world w;
    (void)state;
    begin(&w, "legacy+changes+fails-later", false, 0);
    assert_int_equal(tools_of(&w).count, 2);
    uint64_t before = rf_mcp_clients_changes(w.hub);
    call(&w, "special");
    while (rf_mcp_clients_changes(w.hub) == before)
        usleep(1000);
    struct rf_mcp_tools t = tools_of(&w);
    assert_int_equal(t.count, 2);
    assert_int_equal(t.problem_count, 1);
    assert_str(t.problems[0], "it did not list its tools: no list today");
    end(&w);
    rf_arena_free(w.arena);
}

static void a_change_before_the_first_use_is_followed_at_once(void **state)
{
    struct world w;
    (void)state;
    begin(&w, "legacy+changes+while-listing", false, 0);
    assert_int_equal(tools_of(&w).count, 3);
    end(&w);
    rf_arena_free(w.arena);
}

/* It says so more often than a list takes to make. */
static void lists_that_never_stop_changing_are_used(void **state)
{
    struct world w;
    (void)state;
    begin(&w, "legacy+floods-lists", false, 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(tools_of(&w).count, 2);
    assert_has(call(&w, "echo"), "echo hello");
    assert_int_equal(rf_mcp_clients_changes(w.hub), 0); /* each is the same as the one before */
    end(&w);
    rf_arena_free(w.arena);
}

static void arguments_become_headers(void **state)
{
    struct world w;
    (void)state;
    begin(&w, "modern+mirror", true, 0);
    struct rf_mcp_tools t = tools_of(&w);
    assert_int_equal(t.count, 2);
    assert_str(t.problems[0],
               "tool \"unsafe\" has an x-mcp-header that is not allowed: the property "
               "is not a string, an integer or a boolean");
    assert_int_equal(t.problem_count, 2);
    assert_has(call_with(&w, "echo", "{'x':'plain','deep':{'n':12}}", -1), "echo plain");
    assert_has(call_with(&w, "echo", "{'x':'späße'}", -1), "echo sp");
    assert_has(call_with(&w, "echo", "{}", -1), "\"echo ");
    end(&w);
    rf_arena_free(w.arena);
}

/* Questions */

static const char asked_back[] =
    "{} {\\\"roots\\\": [{\\\"name\\\": \\\"a b\\\", \\\"uri\\\": \\\"file:///home/ann/a%20b\\\"}]} "
    "{\\\"action\\\": \\\"accept\\\", \\\"content\\\": {\\\"age\\\": 7, \\\"name\\\": \\\"Ann\\\"}} "
    "{\\\"code\\\": -32603, \\\"message\\\": \\\"the person said no\\\"} "
    "{\\\"code\\\": -32601, ";

static void check_asked(const char *mode, bool http)
{
    struct world w;
    begin(&w, mode, http, 0);
    assert_has(call(&w, "special"), asked_back);
    assert_true(pthread_equal(w.asked_in, pthread_self()));
    end(&w);
    rf_arena_free(w.arena);
}

static void questions_are_answered_in_the_thread_that_waits(void **state)
{
    (void)state;
    check_asked("legacy+asks", false);
    check_asked("legacy+asks+sse", true);
}

static void a_result_may_ask_for_more(void **state)
{
    (void)state;
    for (int http = 0; http < 2; http++) {
        struct world w;
        begin(&w, "modern+rounds", http, 0);
        assert_has(call(&w, "special"),
                   "{\\\"a\\\": {\\\"action\\\": \\\"accept\\\", \\\"content\\\": {\\\"name\\\": "
                   "\\\"Ann\\\"}}, \\\"r\\\": {\\\"roots\\\": [");
        end(&w);
        rf_arena_free(w.arena);
    }
}

static void a_page_is_opened_first(void **state)
{
    struct world w;
    (void)state;
    begin(&w, "legacy+visit", false, 0);
    assert_has(call(&w, "special"), "special hello");
    assert_int_equal(w.visits, 1);
    end(&w);
    rf_arena_free(w.arena);
}

static void progress_is_told(void **state)
{
    (void)state;
    for (int http = 0; http < 2; http++) {
        struct world w;
        begin(&w, "legacy+progress+sse", http, 0);
        assert_has(call(&w, "special"), "special hello");
        assert_true(w.moves >= 1 && w.moves <= 3);
        end(&w);
        rf_arena_free(w.arena);
    }
}

/* Stopping */

static const struct {
    const char *name, *mode;
    bool http;
    const char *want; /* what the server notices */
} stopping[] = {
    { "a call is stopped, legacy, stdio", "legacy+silent", false, "cancelled " },
    { "a call is stopped, modern, stdio", "modern+silent", false, "cancelled " },
    { "a call is stopped, legacy, HTTP", "legacy+silent", true, "cancelled " },
    { "a call is stopped, modern, HTTP", "modern+silent", true, "stream closed" },
};

/* Of a program, its standard error is asked for until the words are there. */
static void check_stopping(void **state)
{
    const __typeof__(*stopping) *row = *state;
    struct world w;
    struct rf_mcp_status status = { 0 };
    begin(&w, row->mode, row->http, 0);
    w.stop = eventfd(0, EFD_CLOEXEC);
    assert_has(call_with(&w, "special", "{}", w.stop),
               "!the call to MCP server \"bad one\" was stopped");
    assert_int_equal(w.err.code, RF_EINTERRUPTED);
    assert_has(call(&w, "echo"), "echo hello");
    while (!row->http && !rf_str_contains(status.errors, rf_str(row->want)))
        rf_mcp_clients_status(w.hub, 0, w.arena, &status);
    struct rf_str errors = end(&w);
    assert_has(row->http ? errors : status.errors, row->want);
    close(w.stop);
    rf_arena_free(w.arena);
}

/* More than is kept, so that the first line is cut; each is the secret. */
static void a_secret_is_not_in_what_a_server_wrote(void **state)
{
    struct world w;
    struct rf_mcp_status status;
    (void)state;
    begin(&w, "modern+tells-all", false, 0);
    tools_of(&w);
    do
        rf_mcp_clients_status(w.hub, 0, w.arena, &status);
    while (!rf_str_contains(status.errors, RF_STR("all is said")));
    assert_true(status.errors.n > RF_MCP_MAX_STDERR / 4);
    assert_has(status.errors, "key [redacted]\n");
    assert_false(rf_str_contains(status.errors, RF_STR("of-the-test")));
    end(&w);
    rf_arena_free(w.arena);
}

static void one_that_does_not_end_is_killed(void **state)
{
    struct world w;
    struct rf_mcp_status status;
    (void)state;
    begin(&w, "modern+stubborn+pid", false, 0);
    tools_of(&w);
    do
        rf_mcp_clients_status(w.hub, 0, w.arena, &status);
    while (!status.errors.n);
    pid_t pid = (pid_t)strtol(rf_cstr(w.arena, status.errors), NULL, 10);
    assert_true(pid > 0);
    assert_int_equal(kill(pid, 0), 0);
    end(&w);
    assert_int_equal(kill(pid, 0), -1);
    rf_arena_free(w.arena);
}

static void a_session_is_ended(void **state)
{
    struct world w;
    (void)state;
    begin(&w, "legacy", true, 0);
    tools_of(&w);
    assert_has(end(&w), "session ended");
    rf_arena_free(w.arena);
}

/* What a program gets of us, and who may ask at the same time. */

static void a_program_gets_the_usual_and_what_is_said(void **state)
{
    struct world w;
    (void)state;
    setenv("REFRACT_TEST_KEY", "not for servers", 1);
    begin(&w, "legacy+environment", false, 0);
    struct rf_str got = call(&w, "special");
    assert_has(got, "\\\"SAID\\\"");
    assert_has(got, "\\\"PATH\\\"");
    assert_has(got, "\\\"cwd\\\": \\\"/\\\"");
    assert_has(got, "\\\"fds\\\": [\\\"0\\\", \\\"1\\\", \\\"2\\\", \\\"3\\\"]");
    assert_false(rf_str_contains(got, RF_STR("REFRACT_TEST_KEY")));
    end(&w);
    rf_arena_free(w.arena);
}

static void *call_often(void *ctx)
{
    const struct world *shared = ctx;
    struct world w = { .arena = rf_arena_new(), .hub = shared->hub };
    bool fine = true;
    for (int i = 0; i < 50; i++)
        fine &= rf_str_is(call(&w, "echo"), FINE);
    rf_arena_free(w.arena);
    return fine ? ctx : NULL;
}

static void many_threads_ask(void **state)
{
    struct world w;
    pthread_t threads[4];
    void *fine;
    (void)state;
    begin(&w, "legacy", false, 0);
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &w), 0);
    for (size_t i = 0; i < COUNT(threads); i++) {
        pthread_join(threads[i], &fine);
        assert_non_null(fine);
    }
    end(&w);
    rf_arena_free(w.arena);
}

static void resources_are_listed_and_read(void **state)
{
    struct world w;
    const struct rf_jval *got;
    (void)state;
    begin(&w, "modern", false, 0);
    assert_int_equal(rf_mcp_resources(w.hub, 0, -1, w.arena, &got, &w.err), RF_OK);
    assert_int_equal(rf_jval_count(got), 1);
    assert_int_equal(
        rf_mcp_read_resource(w.hub, 0, RF_STR("mem://a"), -1, NULL, w.arena, &got, &w.err), RF_OK);
    assert_has(rf_jval_compact(got, w.arena), "inside");
    assert_int_equal(rf_mcp_prompts(w.hub, 0, -1, w.arena, &got, &w.err), RF_EPROVIDER);
    assert_string_equal(w.err.msg,
                        "MCP server \"bad one\" refused prompts/list (-32601): Method not found");
    end(&w);
    rf_arena_free(w.arena);
}

static void reading_may_ask_the_one_who_reads(void **state)
{
    struct world w;
    const struct rf_jval *got;
    (void)state;
    begin(&w, "modern+rounds", false, 0);
    assert_int_equal(
        rf_mcp_read_resource(w.hub, 0, RF_STR("mem://a"), -1, &w, w.arena, &got, &w.err), RF_OK);
    assert_true(pthread_equal(w.asked_in, pthread_self()));
    end(&w);
    rf_arena_free(w.arena);
}

static void one_that_dies_again_and_again_is_waited_for(void **state)
{
    struct world w;
    struct rf_mcp_status status;
    (void)state;
    begin(&w, "modern+dies", false, 0);
    assert_has(call(&w, "special"), "!MCP server \"bad one\" ended with status 3");
    assert_has(call(&w, "special"), "!MCP server \"bad one\" ended with status 3");
    int64_t before = rf_now_ms();
    assert_has(call(&w, "echo"), "echo hello");
    assert_true(rf_now_ms() - before >= 500);
    rf_mcp_clients_status(w.hub, 0, w.arena, &status);
    assert_int_equal(status.starts, 3);
    end(&w);
    rf_arena_free(w.arena);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)], wrong[COUNT(unusable)], lists[COUNT(changing)];
    struct CMUnitTest stops[COUNT(stopping)];
    const struct CMUnitTest others[] = {
        cmocka_unit_test(a_program_that_is_not_there),
        cmocka_unit_test(without_descriptors_a_call_fails),
        cmocka_unit_test(tools_come_with_what_is_known_of_them),
        cmocka_unit_test(thousands_of_tools),
        cmocka_unit_test(twins_count),
        cmocka_unit_test(a_list_that_goes_round_ends),
        cmocka_unit_test(tools_that_cannot_be_called_are_left_out),
        cmocka_unit_test(a_list_that_fails_is_a_problem),
        cmocka_unit_test(a_list_that_fails_later_leaves_the_last_one),
        cmocka_unit_test(a_change_before_the_first_use_is_followed_at_once),
        cmocka_unit_test(lists_that_never_stop_changing_are_used),
        cmocka_unit_test(arguments_become_headers),
        cmocka_unit_test(questions_are_answered_in_the_thread_that_waits),
        cmocka_unit_test(a_result_may_ask_for_more),
        cmocka_unit_test(a_page_is_opened_first),
        cmocka_unit_test(progress_is_told),
        cmocka_unit_test(a_secret_is_not_in_what_a_server_wrote),
        cmocka_unit_test(one_that_does_not_end_is_killed),
        cmocka_unit_test(a_session_is_ended),
        cmocka_unit_test(a_program_gets_the_usual_and_what_is_said),
        cmocka_unit_test(many_threads_ask),
        cmocka_unit_test(resources_are_listed_and_read),
        cmocka_unit_test(reading_may_ask_the_one_who_reads),
        cmocka_unit_test(one_that_dies_again_and_again_is_waited_for),
    };
    name_rows(tests, check_special, rows, COUNT(rows), sizeof *rows);
    name_rows(wrong, check_unusable, unusable, COUNT(unusable), sizeof *unusable);
    name_rows(lists, check_changing, changing, COUNT(changing), sizeof *changing);
    name_rows(stops, check_stopping, stopping, COUNT(stopping), sizeof *stopping);
    return cmocka_run_group_tests_name("calls", tests, NULL, NULL) +
           cmocka_run_group_tests_name("unusable", wrong, NULL, NULL) +
           cmocka_run_group_tests_name("changes", lists, NULL, NULL) +
           cmocka_run_group_tests_name("stops", stops, NULL, NULL) +
           cmocka_run_group_tests_name("others", others, NULL, NULL);
}
