/* Tools that are commands: whatever one does, the model gets a result that says what happened, and nothing
 * of it is left running. */
#include "scripted.h"

#include "base/child.h"

#include <pthread.h>
#include <time.h>

#define LONG "head -c 300000 /dev/zero | tr '\\0' a"

/* What a command did → what the model is told; `lacks` must not be in it. */
static const struct row {
    const char *name, *command; /* a line for the shell */
    const char *arguments;      /* JSON, with \' for its quotes; NULL: {} */
    const char *has, *lacks;    /* in the result as it is kept, with ' for " */
    int64_t timeout_s;
} rows[] = {
    { "text is the output", "echo hello", NULL, "'output':'hello\\n'", "'success'", 0 },
    { "the arguments come as JSON", "cat", "{\\'place\\':\\'Bonn\\'}",
      "{\\\"place\\\":\\\"Bonn\\\"}", NULL, 0 },
    { "standard input may be opened by its name", "cat /dev/stdin", "{\\'a\\':1}", "{\\\"a\\\":1}",
      NULL, 0 },
    { "nothing is a result too", "true", NULL, "'role':'tool'", "'success'", 0 },
    { "a failure says its status and why", "echo oops >&2; exit 3", NULL,
      "'error':'the tool failed with exit status 3: oops'", NULL, 0 },
    { "what it had written before it failed is shown", "echo half; exit 1", NULL,
      "'output':'half\\n'", NULL, 0 },
    { "complaints of one that succeeded are not", "echo warning >&2; echo fine", NULL, "fine",
      "warning", 0 },
    { "only the end of long complaints", "seq 1 100000 >&2; echo last >&2; exit 1", NULL, "last",
      "\\n1\\n2\\n", 0 },
    { "a signal is named", "kill -SEGV $$", NULL, "killed by signal 11", NULL, 0 },
    { "one that is not there", "exec /no/such/program", NULL, "exit status 127", NULL, 0 },
    { "one that hangs is ended", "echo begun; sleep 10000", NULL, "had not ended after 1 seconds",
      NULL, 1 },
    { "with what it started", "sleep 10000 & sleep 10000", NULL, "had not ended after 1 seconds",
      NULL, 1 },
    { "one that ignores being asked", "trap '' TERM INT HUP; sleep 10000", NULL, "had not ended",
      NULL, 1 },
    { "who leaves somebody behind is not waited for", "sleep 10000 & echo done", NULL,
      "'output':'done\\n'", "had not", 600 },
    { "one without an end of output is ended", "yes", NULL, "wrote more than 33554432 bytes", NULL,
      600 },
    { "100 MB of zeros", "head -c 100000000 /dev/zero", NULL, "wrote more than 33554432 bytes",
      NULL, 600 },
    { "garbage is said to be garbage", "head -c 5000 /dev/zero", NULL,
      "5000 bytes that are neither text nor", NULL, 0 },
    { "text that is not UTF-8", "printf '\\344\\366\\374'", NULL,
      "3 bytes that are neither text nor", NULL, 0 },
    { "a long text is cut where nobody keeps it", LONG, NULL,
      "[Cut: these are the first 102400 of 300000 bytes.]", NULL, 0 },
    { "so is what went wrong",
      "printf '{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"'; " LONG
      "; printf '\"}]}'",
      NULL, "[Cut: these are the first 102400 of 300000 bytes.]", NULL, 0 },
    { "and a block",
      "printf '{\"content\":[{\"type\":\"text\",\"text\":\"'; " LONG "; printf '\"}]}'", NULL,
      "[Cut: these are the first 102400 of 300000 bytes.]", NULL, 0 },
    { "and data",
      "printf '{\"content\":[],\"structuredContent\":{\"a\":\"'; " LONG "; printf '\"}}'", NULL,
      "[Cut: these are the first 102400 of 300008 bytes.]", "'data':{", 0 },
    { "but not a file that hides in it",
      "printf 'see data:image/png;base64,'; { cat p.png; head -c 200000 /dev/zero; } | base64 -w0",
      NULL, "'output':'see [image/png, ", "Cut: ", 0 },
    { "a picture is a picture", "cat p.png", NULL, "'type':'image'", "'success'", 0 },
    { "a neutral result", "echo '{\"output\":\"o\",\"data\":{\"a\":1},\"files_changed\":[\"x\"]}'",
      NULL, "'data':{'a':1}", "'success'", 0 },
    { "a neutral failure", "echo '{\"success\":false,\"error\":\"no luck\"}'", NULL,
      "'error':'no luck'", NULL, 0 },
    { "it cannot answer another call",
      "echo '{\"role\":\"user\",\"tool_call_id\":\"x\",\"name\":\"y\",\"output\":\"o\"}'", NULL,
      "'tool_call_id':'c1','name':'t'", "'x'", 0 },
    { "a neutral picture",
      "echo '{\"content_blocks\":[{\"type\":\"image\",\"source_path\":\"p.png\"}]}'", NULL,
      "'source_path':'p.png'", NULL, 0 },
    { "a path out of the folder leads nowhere",
      "echo '{\"content_blocks\":[{\"type\":\"document\",\"source_path\":\"/etc/passwd\"}]}'", NULL,
      "names a file that cannot be taken", "source_path", 0 },
    { "whether there is something or not",
      "echo '{\"content_blocks\":[{\"type\":\"document\",\"source_path\":\"/nothing/here\"}]}'",
      NULL, "is outside of the root", "source_path", 0 },
    { "nor one that climbs",
      "echo '{\"content_blocks\":[{\"type\":\"document\",\"source_path\":\"../x\"}]}'", NULL,
      "names a file that cannot be taken", "source_path", 0 },
    { "a block that is none makes it text", "echo '{\"content_blocks\":[{\"type\":\"nonsense\"}]}'",
      NULL, "nonsense", "'success'", 0 },
    { "other JSON is text", "echo '{\"temperature\":21}'", NULL,
      "'output':'{\\\"temperature\\\":21}\\n'", NULL, 0 },
    { "broken JSON is text", "echo '{\"output\":'", NULL, "'output':'{\\\"output\\\":\\n'", NULL,
      0 },
    { "an MCP result",
      "echo '{\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":\"image/png\"}]}'",
      NULL, "'media_type':'image/png'", "mimeType", 0 },
    { "an MCP failure",
      "echo '{\"content\":[{\"type\":\"text\",\"text\":\"bad\"}],\"isError\":true}'", NULL,
      "'success':false", NULL, 0 },
    { "an MCP resource",
      "echo '{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a\",\"text\":\"inside\"}}]}'",
      NULL, "'text':'[Resource file:///a]\\ninside'", NULL, 0 },
    { "an MCP link is words",
      "echo '{\"content\":[{\"type\":\"resource_link\",\"uri\":\"http://x/y\",\"name\":\"n\"}]}'",
      NULL, "[Link: n, uri http://x/y. It was not fetched.]", "'url'", 0 },
    { "MCP data without content", "echo '{\"content\":[],\"structuredContent\":{\"a\":1}}'", NULL,
      "'data':{'a':1}", NULL, 0 },
    { "its environment has what programs need, and nothing else", "env", NULL,
      "PATH=", "REFRACT_TEST_UNNAMED", 0 },
    { "and what is named for it", "env", NULL, "REFRACT_TEST_NAMED=seen", "REFRACT_TEST_UNNAMED",
      0 },
    { "no program gives it rights", "grep NoNewPrivs /proc/self/status", NULL, "NoNewPrivs:\\t1",
      NULL, 0 },
    { "it may still move files", "mkdir a b; touch a/x; mv a/x b && echo moved", NULL, "moved",
      NULL, 0 },
    { "it has no terminal", "(: </dev/tty) 2>&1", NULL, "/dev/tty", NULL, 0 },
    { "it has none of our descriptors",
      "for i in 3 4 5 6 7 8 9; do (: <&$i) 2>/dev/null && echo $i; done; true", NULL,
      "'role':'tool'", "'output':'", 0 },
};

/* A tool "t" that nobody has to be asked about, unless said otherwise. */
static void add_tool(struct scene *s, const char *name, const char *command, int64_t timeout_s,
                     bool allow)
{
    static struct rf_str named = RF_STR_INIT("REFRACT_TEST_NAMED");
    struct rf_config *c = &s->config;
    struct rf_config_tool *t = RF_PUSH(s->arena, c->tools, c->tool_count, c->tool_cap);
    *t = (struct rf_config_tool){
        .name = rf_str(name),
        .shell = rf_str(command),
        .timeout_s = timeout_s,
        .allow = allow,
        .variables = &named,
        .variable_count = 1,
    };
}

static void a_result_says_what_happened(void **state)
{
    const struct row *row = *state;
    struct scene scene, *s = &scene;
    struct rf_str answer;
    char reply[4000];
    snprintf(reply, sizeof reply,
             START OPEN_CALL(0, "c1", "t") ARGUMENTS(0, "%s") CLOSE(0) CALLS_END,
             row->arguments ? row->arguments : "{}");
    struct step steps[] = { { .reply = reply }, { .reply = ANSWER("Ok") } };
    scene_open(s, IN_MEMORY, NULL, steps, COUNT(steps));
    add_tool(s, "t", row->command, row->timeout_s, true);
    add_picture(s, "p.png");
    good(ask(s, "Go", &answer));
    assert_int_equal(s->agent->history.count, 4);
    struct rf_str result = message(s, 2);
    assert_has(result, quoted(s->arena, row->has).p);
    if (row->lacks)
        assert_lacks(result, quoted(s->arena, row->lacks).p);
    assert_true(s->bodies[1].n > 0);
    scene_close(s);
}

static const struct step one_call[] = {
    { .reply = START CALL(0, "c1", "t", "{}") CALLS_END },
    { .reply = ANSWER("Ok") },
    { .reply = START CALL(0, "c2", "t", "{}") CALLS_END },
    { .reply = ANSWER("Ok") },
};

static void it_is_asked_about_each_time(void **state)
{
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_MEMORY, NULL, one_call, COUNT(one_call));
    add_tool(s, "t", "echo ran", 0, false);
    s->permission = RF_PERMIT_ONCE;
    good(ask(s, "Go", &answer));
    assert_has(s->bodies[1], "ran");
    s->permission = RF_PERMIT_NO;
    good(ask(s, "Go", &answer));
    assert_has(message(s, 6), "permission was not given");
    assert_int_equal(s->asked, 2);
    scene_close(s);
}

static void always_is_asked_once(void **state)
{
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_MEMORY, NULL, one_call, COUNT(one_call));
    add_tool(s, "t", "echo ran", 0, false);
    s->permission = RF_PERMIT_ALWAYS;
    good(ask(s, "Go", &answer));
    good(ask(s, "Go", &answer));
    assert_int_equal(s->asked, 1);
    scene_close(s);
}

static void nobody_to_ask_is_a_no(void **state)
{
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_MEMORY, NULL, one_call, COUNT(one_call));
    add_tool(s, "t", "echo ran", 0, false);
    rf_agent_permit(s->agent, NULL, NULL);
    good(ask(s, "Go", &answer));
    assert_has(message(s, 2), "permission was not given");
    scene_close(s);
}

/* Three that wait for each other, then for the quick one, and a second longer; the results stand in the order of the calls. */
static void several_run_at_once(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "c1", "slow", "{}") CALL(1, "c2", "t", "{}")
              CALL(2, "c3", "slow", "{}") CALL(3, "c4", "slow", "{}") CALLS_END },
        { .reply = ANSWER("Ok") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_STORE, NULL, steps, COUNT(steps));
    add_tool(s, "slow",
             "touch here.$$; until [ -e quick ] && [ $(ls here.* | wc -l) = 3 ]; do sleep 0.02; "
             "done; sleep 1; echo slow",
             600, true);
    add_tool(s, "t", "touch quick; echo quick", 600, true);
    good(ask(s, "Go", &answer));
    struct rf_str all = kept(s);
    assert_lacks(all, "had not ended");
    const char *c1 = strstr(all.p, "\"tool_call_id\":\"c1\""),
               *c2 = strstr(all.p, "\"tool_call_id\":\"c2\""),
               *c4 = strstr(all.p, "\"tool_call_id\":\"c4\"");
    assert_true(c1 && c2 && c4 && c1 < c2 && c2 < c4);
    const char *quick = strstr(heard(s).p, "result t c2"),
               *slow = strstr(heard(s).p, "result slow c1");
    assert_true(quick && slow && quick < slow);
    scene_close(s);
}

static void *cancel_when_it_runs(void *ctx)
{
    struct scene *s = ctx;
    const char *mark = in_folder(s->arena, s->folder, "runs");
    while (access(mark, F_OK))
        usleep(10000);
    rf_agent_cancel(s->agent);
    return NULL;
}

static void a_cancel_ends_a_command(void **state)
{
    struct scene scene, *s = &scene;
    struct rf_str answer;
    pthread_t thread;
    (void)state;
    scene_open(s, IN_STORE, NULL, one_call, COUNT(one_call));
    add_tool(s, "t", "touch runs; sleep 10000", 10000, true);
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_it_runs, s), 0);
    assert_int_equal(ask(s, "Go", &answer), RF_EINTERRUPTED);
    pthread_join(thread, NULL);
    assert_has(kept(s), "the tool was ended before it was done: the user stopped here");
    scene_close(s);
}

static void a_long_output_is_kept_whole_in_a_store(void **state)
{
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_STORE, NULL, one_call, COUNT(one_call));
    add_tool(s, "t", "seq 1 100000", 0, true);
    good(ask(s, "Go", &answer));
    assert_has(kept(s), "\"full_output\":\"sha256:");
    assert_lacks(s->bodies[1], "99999");
    scene_close(s);
}

/* Secrets */

/* Whatever their names are. */
static void variables_that_the_configuration_names_are_not_seen(void **state)
{
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    setenv("MY_GATEWAY", "value-of-the-gateway", 1);
    setenv("MY_TEAM", "value-of-the-header", 1);
    scene_open(s, IN_STORE,
               "providers: {anthropic: {key: $MY_GATEWAY, headers: {X-Team: $MY_TEAM}}}", one_call,
               COUNT(one_call));
    add_tool(s, "t", "env", 0, true);
    good(ask(s, "Go", &answer));
    assert_has(s->bodies[1], "PATH=");
    assert_lacks(s->bodies[1], "value-of-the-");
    unsetenv("MY_GATEWAY");
    unsetenv("MY_TEAM");
    scene_close(s);
}

/* Configuration */

static const struct written {
    const char *name, *yaml;
    const char *problem; /* NULL: none */
} files[] = {
    { "a list", "tools: {w: {command: [weather, -j], description: Weather, timeout_s: 5}}", NULL },
    { "a line", "tools: {w: {command: 'weather -j | jq .', read_only: true}}", NULL },
    { "a schema",
      "tools: {w: {command: x, input_schema: {type: object, properties: {n: {type: integer, minimum: 3, "
      "enum: ['1', 2, true]}}}}}",
      NULL },
    { "a schema as JSON", "tools: {w: {command: x, input_schema: '{\"type\":\"object\"}'}}", NULL },
    { "variables", "tools: {w: {command: x, env: [DB_HOST, DB_PASS]}}", NULL },
    { "variables that are not a list", "tools: {w: {command: x, env: DB_PASS}}",
      "not a list of variables" },
    { "no command", "tools: {w: {description: x}}", "there is no \"command\"" },
    { "an empty command", "tools: {w: {command: []}}", "is not a command" },
    { "a name that endpoints refuse", "tools: {'a b': {command: x}}",
      "cannot be the name of a tool" },
    { "the name of ours", "tools: {read_file: {command: x}}", "cannot be the name of a tool" },
    { "a schema that is none", "tools: {w: {command: x, input_schema: [1]}}", "is not an object" },
    { "no seconds", "tools: {w: {command: x, timeout_s: -1}}", "timeout_s" },
    { "an unknown key", "tools: {w: {command: x, comand: y}}", "unknown key" },
};

static void merge(struct rf_config *c, const char *file, const char *text,
                  struct rf_problems *problems)
{
    struct rf_yaml root;
    assert_int_equal(rf_yaml_read(rf_str(text), file, c->arena, &root, NULL), RF_OK);
    rf_config_merge(c, file, &root, problems);
}

static void tools_are_configured(void **state)
{
    const struct written *row = *state;
    struct rf_config c = { .arena = rf_arena_new() };
    struct rf_problems problems = { 0 };
    merge(&c, "own.yaml", row->yaml, &problems);
    assert_int_equal(problems.count, row->problem ? 1 : 0);
    if (row->problem && !strstr(problems.first.msg, row->problem))
        fail_msg("%s", problems.first.msg);
    if (!row->problem) {
        struct rf_str shown;
        struct rf_config again = { .arena = c.arena };
        assert_int_equal(c.tool_count, 1);
        assert_int_equal(rf_config_show(&c, &shown, NULL), RF_OK);
        merge(&again, "shown.yaml", rf_cstr(c.arena, shown), &problems);
        assert_int_equal(problems.count, 0);
        assert_true(rf_str_eq(again.tools[0].schema, c.tools[0].schema));
        assert_int_equal(again.tools[0].argument_count, c.tools[0].argument_count);
        assert_true(rf_str_eq(again.tools[0].shell, c.tools[0].shell));
        assert_int_equal(again.tools[0].variable_count, c.tools[0].variable_count);
    }
    rf_arena_free(c.arena);
}

static void a_schema_keeps_its_types(void **state)
{
    struct rf_config c = { .arena = rf_arena_new() };
    struct rf_problems problems = { 0 };
    (void)state;
    merge(&c, "own.yaml", files[2].yaml, &problems);
    assert_has(c.tools[0].schema, "\"minimum\":3,\"enum\":[\"1\",2,true]");
    rf_arena_free(c.arena);
}

static const struct written project[] = {
    { "a project's tool asks", "tools: {p: {command: x}}", NULL },
    { "it cannot say that it does not", "tools: {p: {command: x, allow: true}}", "cannot say" },
    { "nor that it only reads", "tools: {p: {command: x, read_only: true}}", "cannot say" },
    { "nor which variables it gets", "tools: {p: {command: x, env: [DB_PASS]}}", "cannot say" },
    { "it cannot change one of the user's", "tools: {w: {command: evil}}", "cannot say" },
};

static void a_project_may_not_run_unasked(void **state)
{
    const struct written *row = *state;
    struct rf_config c = { .arena = rf_arena_new(), .file_count = 2 };
    struct rf_problems problems = { 0 };
    c.files[0].path = "own.yaml";
    c.files[1] = (struct rf_config_file){ .path = "project.yaml", .of_project = true };
    merge(&c, c.files[0].path, "tools: {w: {command: x, allow: true}}", &problems);
    merge(&c, c.files[1].path, row->yaml, &problems);
    assert_int_equal(problems.count, row->problem ? 1 : 0);
    assert_str(c.tools[0].shell, "x");
    if (c.tool_count > 1)
        assert_false(c.tools[1].allow || c.tools[1].read_only || c.tools[1].variable_count);
    rf_arena_free(c.arena);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(rows) + COUNT(files) + COUNT(project) + 8];
    size_t n = 0;
    setenv("REFRACT_TEST_UNNAMED", "hidden", 1);
    setenv("REFRACT_TEST_NAMED", "seen", 1);
    name_rows(tests, a_result_says_what_happened, rows, COUNT(rows), sizeof *rows);
    n += COUNT(rows);
    name_rows(tests + n, tools_are_configured, files, COUNT(files), sizeof *files);
    n += COUNT(files);
    name_rows(tests + n, a_project_may_not_run_unasked, project, COUNT(project), sizeof *project);
    n += COUNT(project);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(it_is_asked_about_each_time);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(always_is_asked_once);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(nobody_to_ask_is_a_no);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(several_run_at_once);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_cancel_ends_a_command);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_long_output_is_kept_whole_in_a_store);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_schema_keeps_its_types);
    tests[n++] =
        (struct CMUnitTest)cmocka_unit_test(variables_that_the_configuration_names_are_not_seen);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
