/* Tools that are functions of the program: what they get, what becomes of what they return, and
 * what cannot be registered. */
#include "scripted.h"

#include <refract/session.h>

#include <poll.h>
#include <unistd.h>

#define SCENE(rows) scene_open(s, (enum keeping)(intptr_t)*state, NULL, rows, COUNT(rows))
#define CALLS_CHART CALL(0, "c1", "chart", "{\\'year\\':2026}")

static const char schema[] =
    "{\"type\":\"object\",\"properties\":{\"year\":{\"type\":\"integer\"}},"
    "\"required\":[\"year\"]}";

typedef enum rf_code run_function(void *, struct rf_running *, struct rf_result *, struct rf_err *);

static enum rf_code add(struct scene *s, const char *name, run_function *run, void *context)
{
    const struct rf_agent_tool tool = {
        .size = sizeof tool,
        .name = rf_str(name),
        .description = RF_STR("Draws a year."),
        .schema = rf_str(schema),
        .permission = RF_TOOL_READ_ONLY,
        .run = run,
        .context = context,
    };
    return rf_agent_tool(s->agent, &tool, &s->err);
}

static struct rf_str picture(struct rf_arena *a)
{
    struct rf_str bytes;
    struct rf_err err;
    const char *path = in_folder(a, getenv("REFRACT_SOURCE"), "tests/fixtures/red.png");
    assert_int_equal(rf_file_read(path, 1 << 20, a, &bytes, &err), RF_OK);
    return bytes;
}

/* Text, a picture from memory, and JSON; the year among them. */
static enum rf_code draw(void *context, struct rf_running *call, struct rf_result *result,
                         struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_content *c = rf_result_content(result);
    const struct rf_jval *root = rf_jdoc_root(rf_running_json(call));
    int64_t year = 0;
    (void)context;
    const struct rf_file file = { .size = sizeof file,
                                  .bytes = picture(a),
                                  .name = RF_STR("chart.png") };
    enum rf_code rc = rf_jval_int64(rf_jval_get(root, "year"), &year) ? RF_OK : RF_EINTERNAL;
    if (!rc)
        rc = rf_content_text(c, rf_strf(a, "Sales of %d:", (int)year), err);
    if (!rc)
        rc = rf_content_file(c, &file, err);
    if (!rc)
        rc = rf_content_json(c, rf_running_arguments(call), err);
    rf_arena_free(a);
    return rc;
}

static void what_it_returns_reaches_the_model(void **state)
{
    static const struct step steps[] = { { .reply = START CALLS_CHART CALLS_END },
                                         { .reply = ANSWER("Nice") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(add(s, "chart", draw, NULL));
    good(ask(s, "Draw", &answer));
    assert_has(s->bodies[0], "\"name\":\"chart\",\"description\":\"Draws a year.\"");
    assert_has(s->bodies[1], "\"content\":[{\"type\":\"text\",\"text\":\"Sales of 2026:\"},"
                             "{\"type\":\"image\"");
    assert_has(s->bodies[1], "{\"type\":\"text\",\"text\":\"{\\\"year\\\":2026}\"}");
    assert_has(heard(s), "result chart c1 Sales of 2026:\n");
    assert_has(heard(s), "file native\n");
    assert_int_equal(s->asked, 0);
    scene_close(s);
}

static void a_file_from_memory_is_kept_and_found(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALLS_CHART CALLS_END },
        { .reply = START CALL(0, "c2", "read_attachment", "{\\'id\\':\\'att_4b6a6715641e\\'}")
              CALLS_END },
        { .reply = ANSWER("Seen") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_STORE, NULL, steps, COUNT(steps));
    good(add(s, "chart", draw, NULL));
    good(ask(s, "Draw", &answer));
    assert_has(message(s, 2), "\"blob\":\"sha256:");
    assert_lacks(message(s, 2), "\"data\":");
    assert_has(message(s, 4), "[Image: att_4b6a6715641e, 8x8, 99 bytes, image/png]");
    assert_lacks(message(s, 4), "\"success\":false");
    scene_close(s);
}

/* Paths */

static enum rf_code give_path(void *context, struct rf_running *call, struct rf_result *result,
                              struct rf_err *err)
{
    const struct rf_file file = { .size = sizeof file, .path = rf_str(context) };
    (void)call;
    return rf_content_file(rf_result_content(result), &file, err);
}

static void a_path_may_lead_anywhere(void **state)
{
    static const struct step steps[] = { { .reply = START CALLS_CHART CALLS_END },
                                         { .reply = ANSWER("Nice") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    const char *elsewhere = scratch_new(s->arena);
    const char *path = in_folder(s->arena, elsewhere, "there.png");
    write_file(path, picture(s->arena));
    good(add(s, "chart", give_path, (void *)(uintptr_t)path));
    good(ask(s, "Draw", &answer));
    assert_has(s->bodies[1], "\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\"");
    if ((enum keeping)(intptr_t)*state == IN_STORE)
        assert_has(message(s, 2), "\"blob\":\"sha256:");
    assert_has(message(s, 2), "there.png");
    scratch_remove(elsewhere);
    scene_close(s);
}

static void a_file_that_a_session_does_not_keep_is_sent_from_where_it_is(void **state)
{
    static const struct step steps[] = { { .reply = START CALLS_CHART CALLS_END },
                                         { .reply = ANSWER("Nice") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_STORE, NULL, steps, COUNT(steps));
    const char *elsewhere = scratch_new(s->arena);
    const char *path = in_folder(s->arena, elsewhere, "there.png");
    write_file(path, picture(s->arena));
    s->store->options.file_bytes = 10;
    good(add(s, "chart", give_path, (void *)(uintptr_t)path));
    good(ask(s, "Draw", &answer));
    assert_has(s->bodies[1], "\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\"");
    assert_lacks(message(s, 2), "\"blob\":\"sha256:");
    scratch_remove(elsewhere);
    scene_close(s);
}

/* Failing */

static enum rf_code fail_with_picture(void *context, struct rf_running *call,
                                      struct rf_result *result, struct rf_err *err)
{
    enum rf_code rc = draw(context, call, result, err);
    return rc ? rc : rf_result_fail(result, RF_STR("The scale is wrong."), err);
}

static enum rf_code fail_by_error(void *context, struct rf_running *call, struct rf_result *result,
                                  struct rf_err *err)
{
    const struct rf_file nothing = { .size = sizeof nothing };
    (void)context;
    (void)call;
    return rf_content_file(rf_result_content(result), &nothing, err);
}

static void a_failure_is_told_with_its_files(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "c1", "chart", "{\\'year\\':1}")
              CALL(1, "c2", "broken", "{\\'year\\':1}") CALLS_END },
        { .reply = ANSWER("Sorry") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(add(s, "chart", fail_with_picture, NULL));
    good(add(s, "broken", fail_by_error, NULL));
    good(ask(s, "Draw", &answer));
    assert_has(message(s, 2), "\"error\":\"The scale is wrong.\"");
    assert_has(message(s, 2), "chart.png");
    assert_has(message(s, 3), "\"success\":false");
    assert_has(s->bodies[1], "\"is_error\":true");
    assert_has(s->bodies[1], "The scale is wrong.");
    assert_has(s->bodies[1], "\"type\":\"image\"");
    assert_has(heard(s), "result chart c1 failed The scale is wrong.\n");
    scene_close(s);
}

static void arguments_that_do_not_fit_run_nothing(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "c1", "chart", "{\\'year\\':\\'last\\'}") CALLS_END },
        { .reply = ANSWER("Sorry") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(add(s, "chart", draw, NULL));
    good(ask(s, "Draw", &answer));
    assert_has(s->bodies[1], "the arguments do not fit the schema of the tool: year: expected "
                             "integer, found a string");
    scene_close(s);
}

/* Permission */

/* Also with a permission that this library does not know. */
static void one_that_needs_permission_asks(void **state)
{
    static const struct step steps[] = { { .reply = START CALLS_CHART CALLS_END },
                                         { .reply = ANSWER("No") },
                                         { .reply = START CALLS_CHART CALLS_END },
                                         { .reply = ANSWER("Yes") } };
    const enum rf_tool_permission needs[] = { RF_TOOL_NEEDS_PERMISSION,
                                              (enum rf_tool_permission)(RF_TOOL_ALLOWED + 1) };
    for (size_t i = 0; i < COUNT(needs); i++) {
        const struct rf_agent_tool tool = { .size = sizeof tool,
                                            .name = RF_STR("chart"),
                                            .description = RF_STR("Draws a year."),
                                            .schema = rf_str(schema),
                                            .permission = needs[i],
                                            .run = draw };
        struct scene scene, *s = &scene;
        struct rf_str answer;
        SCENE(steps);
        good(rf_agent_tool(s->agent, &tool, &s->err));
        assert_str(rf_agent_tool_words(s->agent, RF_STR("chart")), "Draws a year.");
        good(ask(s, "Draw", &answer));
        assert_has(s->bodies[1], "permission was not given");
        s->permission = RF_PERMIT_ONCE;
        good(ask(s, "Draw", &answer));
        assert_has(s->bodies[3], "Sales of 2026:");
        assert_has(s->asked_about, "chart {\"year\":2026}\n");
        assert_int_equal(s->asked, 2);
        scene_close(s);
    }
}

/* Several at once, and stopping */

struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t all;
    int here;
};

/* Comes to an end only when both are running. */
static enum rf_code meet(void *context, struct rf_running *call, struct rf_result *result,
                         struct rf_err *err)
{
    struct meeting *m = context;
    rf_running_progress(call, 1, 2, RF_STR("waiting for the other"));
    pthread_mutex_lock(&m->lock);
    m->here++;
    pthread_cond_broadcast(&m->all);
    while (m->here < 2)
        pthread_cond_wait(&m->all, &m->lock);
    pthread_mutex_unlock(&m->lock);
    return rf_result_output(result, rf_running_id(call), err);
}

static void several_run_at_once_and_tell_how_far_they_are(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "c1", "meet", "{\\'year\\':1}")
              CALL(1, "c2", "meet", "{\\'year\\':2}") CALLS_END },
        { .reply = ANSWER("Met") },
    };
    struct meeting m = { .lock = PTHREAD_MUTEX_INITIALIZER, .all = PTHREAD_COND_INITIALIZER };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(add(s, "meet", meet, &m));
    good(ask(s, "Meet", &answer));
    assert_has(message(s, 2), "\"output\":\"c1\"");
    assert_has(message(s, 3), "\"output\":\"c2\"");
    assert_has(heard(s), "progress meet c1 waiting for the other\n");
    assert_has(heard(s), "progress meet c2 waiting for the other\n");
    scene_close(s);
}

/* A tool that has something new to tell whenever it was heard, until the other is heard of. */
struct chatter {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned said, heard; /* steps */
    bool other_is_heard, ends;
};

#define MOST_SAID 100000

static enum rf_code chatter(void *context, struct rf_running *call, struct rf_result *result,
                            struct rf_err *err)
{
    struct chatter *c = context;
    pthread_mutex_lock(&c->lock);
    while (!c->other_is_heard && c->said < MOST_SAID) {
        rf_running_progress(call, c->said, 0, RF_STR(""));
        c->said++;
        pthread_cond_broadcast(&c->changed);
        while (!c->other_is_heard && c->heard < c->said)
            pthread_cond_wait(&c->changed, &c->lock);
    }
    c->ends = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return rf_result_output(result, RF_STR("chattered"), err);
}

static enum rf_code say_nothing(void *context, struct rf_running *call, struct rf_result *result,
                                struct rf_err *err)
{
    (void)context, (void)call;
    return rf_result_output(result, RF_STR("quiet"), err);
}

/* Comes back when there is the next step already. */
static bool hear_chatter(void *ctx, const struct rf_agent_event *e)
{
    struct chatter *c = ctx;
    pthread_mutex_lock(&c->lock);
    if (e->type == RF_AGENT_RESULT && rf_str_is(e->name, "quiet"))
        c->other_is_heard = !c->ends;
    if (e->type == RF_AGENT_PROGRESS)
        c->heard++;
    pthread_cond_broadcast(&c->changed);
    while (e->type == RF_AGENT_PROGRESS && !c->ends && c->said == c->heard)
        pthread_cond_wait(&c->changed, &c->lock);
    pthread_mutex_unlock(&c->lock);
    return true;
}

static void one_that_tells_much_keeps_no_other_waiting(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "c1", "chatter", "{\\'year\\':1}")
              CALL(1, "c2", "quiet", "{\\'year\\':2}") CALLS_END },
        { .reply = ANSWER("Done") },
    };
    struct chatter c = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_MEMORY, NULL, steps, COUNT(steps));
    good(add(s, "chatter", chatter, &c));
    good(add(s, "quiet", say_nothing, NULL));
    rf_agent_listen(s->agent, hear_chatter, &c);
    good(ask(s, "Chat", &answer));
    assert_true(c.other_is_heard);
    scene_close(s);
}

static enum rf_code wait_for_end(void *context, struct rf_running *call, struct rf_result *result,
                                 struct rf_err *err)
{
    struct scene *s = context;
    struct pollfd stop = { .fd = rf_running_stop_fd(call), .events = POLLIN };
    assert_false(rf_running_stopped(call));
    rf_agent_cancel(s->agent);
    assert_int_equal(poll(&stop, 1, -1), 1);
    assert_true(rf_running_stopped(call));
    return rf_result_output(result, RF_STR("stopped in time"), err);
}

static void one_can_be_stopped(void **state)
{
    static const struct step steps[] = { { .reply = START CALLS_CHART CALLS_END } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(add(s, "chart", wait_for_end, s));
    assert_int_equal(ask(s, "Draw", &answer), RF_EINTERRUPTED);
    assert_has(message(s, 2), "stopped in time");
    scene_close(s);
}

/* Registering */

static void only_own_tools_are_offered(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "c1", "read_file", "{\\'file_path\\':\\'x\\'}") CALLS_END },
        { .reply = ANSWER("Ok") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(add(s, "chart", draw, NULL));
    rf_agent_only_own_tools(s->agent);
    good(ask(s, "Hi", &answer));
    assert_lacks(s->bodies[0], "read_file");
    assert_has(s->bodies[0], "\"name\":\"chart\"");
    assert_has(s->bodies[1], "there is no tool \\\"read_file\\\"");
    scene_close(s);
}

#define LONG "a23456789012345678901234567890123456789012345678901234567890abcde"

static const struct {
    const char *name, *schema, *want;
} wrong[] = {
    { "", schema, "\"\" is not a name that a tool can have" },
    { "draw it", schema, "\"draw it\" is not a name that a tool can have" },
    { "9lives", schema, "\"9lives\" is not a name that a tool can have" },
    { LONG, schema, "\"" LONG "\" is not a name that a tool can have" },
    { "read_file", schema, "there is a tool \"read_file\" already: it is built in" },
    { "chart", schema, "there is a tool \"chart\" already: it was added before" },
    { "lint", schema, "there is a tool \"lint\" already: the configuration has it" },
    { "x", "[]", "the schema of the arguments does not describe an object" },
    { "x", "{\"type\":\"string\"}", "the schema of the arguments does not describe an object" },
    { "x", "{",
      "the schema of the arguments is not JSON: line 1, column 2: the text ends too "
      "early" },
};

static void what_cannot_be_a_tool_is_refused(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("Ok") } };
    struct scene scene, *s = &scene;
    (void)state;
    scene_open(s, IN_MEMORY, "tools: {lint: {command: 'true', description: Lints.}}", steps, 1);
    good(add(s, "chart", draw, NULL));
    struct rf_agent_tool tool = { .size = sizeof tool, .description = RF_STR("d"), .run = draw };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        tool.name = rf_str(wrong[i].name);
        tool.schema = rf_str(wrong[i].schema);
        assert_int_equal(rf_agent_tool(s->agent, &tool, &s->err), RF_EUSAGE);
        assert_string_equal(s->err.msg, wrong[i].want);
        assert_true(s->err.hint[0]);
    }
    tool.name = RF_STR("x");
    tool.schema = RF_STR("");
    tool.run = NULL;
    assert_int_equal(rf_agent_tool(s->agent, &tool, &s->err), RF_EUSAGE);
    tool.run = draw;
    tool.description = RF_STR("");
    assert_int_equal(rf_agent_tool(s->agent, &tool, &s->err), RF_EUSAGE);
    tool.description = RF_STR("d");
    tool.size = sizeof(size_t);
    assert_int_equal(rf_agent_tool(s->agent, &tool, &s->err), RF_EUSAGE);
    tool.size = sizeof tool;
    good(rf_agent_tool(s->agent, &tool, &s->err));
    scene_close(s);
}

#define BOTH(test)                                                        \
    { #test " (memory)", test, NULL, NULL, (void *)(intptr_t)IN_MEMORY }, \
    {                                                                     \
#test " (store)", test, NULL, NULL, (void *)(intptr_t)IN_STORE    \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(what_it_returns_reaches_the_model),
        cmocka_unit_test(a_file_from_memory_is_kept_and_found),
        BOTH(a_path_may_lead_anywhere),
        cmocka_unit_test(a_file_that_a_session_does_not_keep_is_sent_from_where_it_is),
        BOTH(a_failure_is_told_with_its_files),
        BOTH(arguments_that_do_not_fit_run_nothing),
        BOTH(one_that_needs_permission_asks),
        BOTH(several_run_at_once_and_tell_how_far_they_are),
        cmocka_unit_test(one_that_tells_much_keeps_no_other_waiting),
        BOTH(one_can_be_stopped),
        BOTH(only_own_tools_are_offered),
        cmocka_unit_test(what_cannot_be_a_tool_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
