/* A conversation summed up: what the model is asked, what goes on, and that nothing changes where it fails. */
#include "scripted.h"

#include <refract/session.h>

#define SCENE(rows) scene_open(s, (enum keeping)(intptr_t)*state, NULL, rows, COUNT(rows))

static enum rf_code compact(struct scene *s, const char *wish, struct rf_str *summary)
{
    return rf_agent_compact(s->agent, rf_str(wish), summary, &s->err);
}

/* The id of the session, or "" where nothing is kept. */
static struct rf_str session_id(struct scene *s)
{
    struct rf_session *session = rf_agent_session(s->agent);
    return session ? rf_str_dup(s->arena, rf_str(rf_session_id(session))) : RF_STR("");
}

struct row {
    struct scene *scene;
    struct rf_str id, parent, title;
    int64_t messages;
    size_t count;
};

static void take_row(void *ctx, const struct rf_session_info *i)
{
    struct row *r = ctx;
    r->count++;
    if (!rf_str_eq(i->id, r->id))
        return;
    r->parent = rf_str_dup(r->scene->arena, i->parent);
    r->title = rf_str_dup(r->scene->arena, i->title);
    r->messages = i->messages;
}

static struct row row_of(struct scene *s, struct rf_str id)
{
    struct row r = { .scene = s, .id = id, .messages = -1 };
    good(rf_store_list(s->store, 0, take_row, &r, &s->err));
    return r;
}

static void the_summary_takes_the_place_of_the_messages(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "c1", "view_image", "{\\'path\\':\\'p.png\\'}") CALLS_END },
        { .reply = ANSWER("A red square") },
        { .reply = ANSWER("  The user has a red square.  ") },
        { .reply = ANSWER("Going on") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer, summary;
    SCENE(steps);
    rf_agent_system(s->agent, RF_STR("Be brief."));
    add_picture(s, "p.png");
    good(ask(s, "What is in it?", &answer));
    struct rf_str before = session_id(s);
    size_t heard_before = s->heard.n;
    good(compact(s, "the colour", &summary));
    assert_str(summary, "The user has a red square.");

    struct rf_str body = s->bodies[2];
    assert_has(body, "Sum up this conversation");
    assert_has(body, "This matters most: the colour");
    assert_has(body, "What is in it?");
    assert_lacks(body, "\"type\":\"image\"");
    assert_lacks(body, "read_file\",\"desc");
    assert_lacks(body, "base64");
    struct rf_str told = { s->heard.p + heard_before, s->heard.n - heard_before };
    assert_str(told, "usage\n");

    assert_int_equal(message_count(s), 1);
    assert_has(kept(s), "The user has a red square.");
    assert_lacks(kept(s), "What is in it?");
    assert_null(rf_agent_last_request(s->agent));
    good(ask(s, "Go on", &answer));
    assert_has(s->bodies[3], "The user has a red square.");
    assert_has(s->bodies[3], "Go on");
    assert_has(s->bodies[3], "Be brief.");
    assert_has(s->bodies[3], "\"name\":\"view_image\"");
    assert_lacks(s->bodies[3], "What is in it?");
    if (s->store) {
        struct row old = row_of(s, before), now = row_of(s, session_id(s));
        assert_int_equal(old.messages, 4);
        assert_int_equal(now.count, 2);
        assert_int_equal(now.messages, 3);
        assert_true(rf_str_eq(now.parent, before));
        assert_true(rf_str_eq(now.title, old.title));
        assert_has(kept(s), "p.png, image");
        assert_has(kept(s), "read_attachment shows them");
    }
    scene_close(s);
}

/* Each row fails in its way, and leaves everything as it was. */
static void cancel(struct scene *s)
{
    rf_agent_cancel(s->agent);
}

static const struct {
    const char *name;
    struct step step;
    enum rf_code code;
    const char *words;
} failures[] = {
    { "stopped",
      { .reply = START OPEN_TEXT(0) DELTA(0, "The us"), .fails = RF_EINTERRUPTED, .then = cancel },
      RF_EINTERRUPTED,
      "stopped by the user" },
    { "stopped when all had come",
      { .reply = ANSWER("The user"), .then = cancel },
      RF_EINTERRUPTED,
      "stopped by the user" },
    { "a stream that breaks",
      { .reply = START OPEN_TEXT(0) DELTA(0, "The us"), .fails = RF_EPROVIDER },
      RF_EPROVIDER,
      "the connection broke" },
    { "a refusal",
      { .reply = "{'type':'error','error':{'type':'permission_error','message':"
                 "'not you'}}",
        .status = 403 },
      RF_EPROVIDER,
      "not you" },
    { "nothing but a call",
      { .reply = START CALL(0, "c9", "read_file", "{\\'file_path\\':\\'a\\'}") CALLS_END },
      RF_EPROVIDER,
      "wrote no summary" },
    { "blanks", { .reply = ANSWER("   ") }, RF_EPROVIDER, "wrote no summary" },
    { "no will",
      { .reply = START SAY(0, "I will not") STOP("refusal") },
      RF_EPROVIDER,
      "refused to sum" },
};

static void what_fails_changes_nothing(void **state)
{
    for (size_t i = 0; i < COUNT(failures); i++) {
        const struct step steps[] = { { .reply = ANSWER("One") },
                                      failures[i].step,
                                      { .reply = ANSWER("Two") } };
        struct scene scene, *s = &scene;
        struct rf_str answer, summary = RF_STR("untouched");
        SCENE(steps);
        good(ask(s, "First?", &answer));
        struct rf_str before = kept(s), id = session_id(s);
        if (compact(s, "", &summary) != failures[i].code)
            fail_msg("%s: %s", failures[i].name, s->err.msg);
        assert_has(rf_str(s->err.msg), failures[i].words);
        assert_str(summary, "untouched");
        assert_true(rf_str_eq(before, kept(s)));
        assert_true(rf_str_eq(id, session_id(s)));
        if (s->store)
            assert_int_equal(row_of(s, id).count, 1);
        good(ask(s, "Second?", &answer));
        assert_has(s->bodies[2], "First?");
        assert_has(s->bodies[2], "\"name\":\"read_file\"");
        assert_lacks(s->bodies[2], "Sum up");
        scene_close(s);
    }
}

static void there_must_be_something_to_sum_up(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("Never") } };
    struct scene scene, *s = &scene;
    struct rf_str summary;
    SCENE(steps);
    assert_int_equal(compact(s, "", &summary), RF_EUSAGE);
    assert_int_equal(s->at, 0);
    scene_close(s);
}

static void files_that_wait_for_a_question_still_do(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("One") },
                                         { .reply = ANSWER("Sum") },
                                         { .reply = ANSWER("Two") } };
    struct scene scene, *s = &scene;
    struct rf_str answer, summary;
    SCENE(steps);
    add_picture(s, "p.png");
    good(ask(s, "First?", &answer));
    good(rf_agent_attach(s->agent, "p.png", &s->err));
    good(compact(s, "", &summary));
    good(ask(s, "And this?", &answer));
    assert_lacks(s->bodies[1], "\"type\":\"image\"");
    assert_has(s->bodies[2], "\"type\":\"image\"");
    scene_close(s);
}

static void a_cut_summary_is_taken_and_said(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("One") },
                                         { .reply = START SAY(0, "Half") STOP("max_tokens") } };
    struct scene scene, *s = &scene;
    struct rf_str answer, summary;
    SCENE(steps);
    good(ask(s, "First?", &answer));
    good(compact(s, "", &summary));
    assert_has(heard(s), "note the summary is cut");
    scene_close(s);
}

/* What answers cost: by the prices, in the events. */

static int64_t last_cost;

static bool hear_cost(void *ctx, const struct rf_agent_event *e)
{
    (void)ctx;
    if (e->type == RF_AGENT_USAGE)
        last_cost = e->cost_micros;
    return true;
}

#define PRICED(prices) \
    "models: {priced: {provider: anthropic, model: claude-sonnet-4-5, limits: {" prices "}}}"

static void costs_are_counted_by_prices(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("One") } };
    static const struct {
        const char *yaml;
        int64_t want; /* of 1000 tokens in, 7 out */
    } cases[] = {
        { NULL, -1 },
        { PRICED("price_input: 3, price_output: 15"), 3105 },
        { PRICED("price_input: 0.15, price_output: 0.6"), 154 },
        { PRICED("price_input: 3"), -1 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene, *s = &scene;
        struct rf_str answer;
        scene_open(s, (enum keeping)(intptr_t)*state, cases[i].yaml, steps, COUNT(steps));
        rf_agent_listen(s->agent, hear_cost, NULL);
        last_cost = -2;
        good(ask(s, "Hi", &answer));
        assert_int_equal(last_cost, cases[i].want);
        scene_close(s);
    }
}

static void costs_that_are_reported_count(void **state)
{
    static const struct {
        const char *cost;
        int64_t want;
    } cases[] = {
        { "0.0031", 3100 }, { "1.5e-05", 15 }, { "0", 0 },   { "-1", -1 },
        { "\'0.1\'", -1 },  { "null", -1 },    { "{}", -1 }, { "1e30", -1 },
    };
    static const struct step steps[] = { { .reply = ANSWER("One") } };
    struct scene scene, *s = &scene;
    SCENE(steps);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rf_agent_reply reply;
        struct rf_str extra =
            rf_strf(s->arena, "{\"cost\":%s}", quoted(s->arena, cases[i].cost).p);
        struct rf_ending ending = { .stop = RF_STOP_END };
        const struct rf_message said = { .role = RF_ROLE_ASSISTANT, .ending = &ending };
        good(rf_jval_parse(extra, s->arena, &ending.extra, &s->err));
        rf_agent_reply_take(s->agent, &said, RF_REPLY_WHOLE, s->arena, &reply);
        assert_int_equal(reply.cost_micros, cases[i].want);
    }
    scene_close(s);
}

#define BOTH(test)                                                         \
    { #test " in memory", test, NULL, NULL, (void *)(intptr_t)IN_MEMORY }, \
    {                                                                      \
#test " in a store", test, NULL, NULL, (void *)(intptr_t)IN_STORE  \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(the_summary_takes_the_place_of_the_messages),
        BOTH(what_fails_changes_nothing),
        BOTH(there_must_be_something_to_sum_up),
        BOTH(files_that_wait_for_a_question_still_do),
        BOTH(a_cut_summary_is_taken_and_said),
        BOTH(costs_are_counted_by_prices),
        BOTH(costs_that_are_reported_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
