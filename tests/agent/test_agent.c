/* The loop against a model that is a script: what is sent, what is kept, and that nothing leaves a call
 * without a result. Each is tried with a store and without one. */
#include <refract/probe.h>
#include <refract/sim.h>

#include "base/loop.h"
#include "scripted.h"

#define SCENE(rows) scene_open(s, (enum keeping)(intptr_t)*state, NULL, rows, COUNT(rows))

static void add_file(struct scene *s, const char *name, struct rf_str bytes)
{
    write_file(in_folder(s->arena, s->folder, name), bytes);
}

static void an_answer_is_streamed_and_kept(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("Hello there") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(ask(s, "Hi", &answer));
    assert_str(answer, "Hello there");
    assert_int_equal(message_count(s), 2);
    assert_str(heard(s), "sending\ntext Hello there\nusage\n");
    assert_int_equal(s->agent->model->calibration.samples, 1);
    assert_has(s->bodies[0], "\"stream\":true");
    assert_has(s->bodies[0], "\"name\":\"view_image\"");
    scene_close(s);
}

static void a_question_goes_on_from_the_one_before(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("One") }, { .reply = ANSWER("Two") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    rf_agent_system(s->agent, RF_STR("Be brief."));
    good(ask(s, "First?", &answer));
    good(ask(s, "Second?", &answer));
    assert_str(answer, "Two");
    assert_has(s->bodies[1], "First?");
    assert_has(s->bodies[1], "One");
    assert_has(s->bodies[1], "Be brief.");
    assert_int_equal(message_count(s), 4);
    scene_close(s);
}

static void calls_are_run_and_their_results_come_in_order(void **state)
{
    static const struct step steps[] = {
        { .reply =
              START SAY(0, "Looking.") CALL(1, "c1", "read_file", "{\\'file_path\\':\\'one.txt\\'}")
                  CALL(2, "c2", "view_image", "{\\'path\\':\\'p.png\\'}")
                      CALL(3, "c3", "read_file", "{\\'file_path\\':\\'none.txt\\'}") CALLS_END },
        { .reply = ANSWER("Done") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    add_file(s, "one.txt", RF_STR("alpha beta\n"));
    add_picture(s, "p.png");
    good(ask(s, "What is in them?", &answer));
    assert_str(answer, "Done");
    assert_int_equal(message_count(s), 6);
    struct rf_str body = s->bodies[1];
    const char *first = strstr(body.p, "alpha beta"), *second = strstr(body.p, "image/png"),
               *third = strstr(body.p, "no such file");
    assert_true(first && second && third && first < second && second < third);
    assert_has(heard(s), "call read_file c1 {\"file_path\":\"one.txt\"}\n");
    assert_has(heard(s), "result read_file c3 failed");
    assert_has(heard(s), "file native\n");
    scene_close(s);
}

static void a_file_is_told_of_once(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "c1", "view_image", "{\\'path\\':\\'p.png\\'}") CALLS_END },
        { .reply = START CALL(0, "c2", "read_file", "{\\'file_path\\':\\'none\\'}") CALLS_END },
        { .reply = ANSWER("Done") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    add_picture(s, "p.png");
    good(ask(s, "Look", &answer));
    const char *first = strstr(heard(s).p, "file native");
    assert_non_null(first);
    assert_null(strstr(first + 1, "file native"));
    scene_close(s);
}

static void ids_that_are_missing_or_twice_are_made(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "", "read_file", "{\\'file_path\\':\\'a\\'}")
              CALL(1, "c1", "read_file", "{\\'file_path\\':\\'b\\'}")
                  CALL(2, "c1", "read_file", "{\\'file_path\\':\\'c\\'}") CALLS_END },
        { .reply = ANSWER("Done") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(ask(s, "Read", &answer));
    assert_has(kept(s), "\"tool_call_id\":\"call_1_1\"");
    assert_has(kept(s), "\"tool_call_id\":\"c1\"");
    assert_has(kept(s), "\"tool_call_id\":\"call_1_2\"");
    scene_close(s);
}

static void what_cannot_be_run_is_told_to_the_model(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "c1", "no_such_tool", "{}")
              CALL(1, "c2", "read_file", "{\\'file_path\\':") CALLS_END },
        { .reply = ANSWER("Sorry") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(ask(s, "Go", &answer));
    assert_has(s->bodies[1], "there is no tool \\\"no_such_tool\\\"");
    assert_has(s->bodies[1], "the arguments are not a JSON object");
    scene_close(s);
}

/* Stopping */

static void cancel(struct scene *s)
{
    rf_agent_cancel(s->agent);
}

static void a_cancelled_answer_is_kept_as_far_as_it_is_whole(void **state)
{
    static const struct step steps[] = {
        { .reply = START SAY(0, "Half of") CALL(1, "c1", "read_file", "{\\'file_path\\':\\'a\\'}")
              OPEN_CALL(2, "c2", "read_file") ARGUMENTS(2, "{\\'file_p"),
          .fails = RF_EINTERRUPTED,
          .then = cancel },
        { .reply = ANSWER("Back") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    assert_int_equal(ask(s, "Go", &answer), RF_EINTERRUPTED);
    assert_int_equal(message_count(s), 3);
    assert_has(kept(s), "Half of");
    assert_has(kept(s), "it was not run: the user stopped here");
    assert_lacks(kept(s), "c2");
    good(ask(s, "Again", &answer));
    assert_str(answer, "Back");
    assert_has(s->bodies[1], "\"tool_use_id\":\"c1\"");
    scene_close(s);
}

static void a_cancelled_call_has_a_result(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "c1", "read_file", "{\\'file_path\\':\\'a\\'}") CALLS_END,
          .then = cancel },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    assert_int_equal(ask(s, "Go", &answer), RF_EINTERRUPTED);
    assert_has(kept(s), "\"tool_call_id\":\"c1\"");
    assert_lacks(heard(s), "result");
    scene_close(s);
}

static void a_cancel_before_the_question_counts(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("Hello") }, { .reply = ANSWER("Hi") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    rf_agent_cancel(s->agent);
    assert_int_equal(ask(s, "Go", &answer), RF_EINTERRUPTED);
    good(ask(s, "Go", &answer));
    scene_close(s);
}

static void a_listener_stops_the_answer(void **state)
{
    static const struct step steps[] = {
        { .reply = START OPEN_TEXT(0) DELTA(0, "One") DELTA(0, "Two") SAY(1, "Three") },
        { .reply = ANSWER("Back") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    s->stops_at = "text";
    assert_int_equal(ask(s, "Go", &answer), RF_EINTERRUPTED);
    assert_string_equal(s->err.msg, "stopped by the user");
    assert_has(heard(s), "text One\n");
    assert_lacks(heard(s), "Two");
    assert_has(kept(s), "One");
    s->stops_at = NULL;
    good(ask(s, "Again", &answer));
    assert_str(answer, "Back");
    scene_close(s);
}

static void a_listener_stops_a_request(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("Back") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    s->stops_at = "sending";
    assert_int_equal(ask(s, "Go", &answer), RF_EINTERRUPTED);
    assert_int_equal(s->at, 0);
    s->stops_at = NULL;
    good(ask(s, "Again", &answer));
    assert_str(answer, "Back");
    scene_close(s);
}

static void a_listener_stops_before_a_tool_runs(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "c1", "read_file", "{\\'file_path\\':\\'a\\'}") CALLS_END },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    s->stops_at = "call";
    assert_int_equal(ask(s, "Go", &answer), RF_EINTERRUPTED);
    assert_has(kept(s), "\"tool_call_id\":\"c1\"");
    scene_close(s);
}

static bool stops_at_the_text(void *ctx, const struct rf_event *e)
{
    (*(int *)ctx)++;
    return e->type != RF_EVENT_TEXT;
}

static void a_listener_of_the_stream_stops_it(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("One") }, { .reply = ANSWER("Two") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    int events = 0;
    SCENE(steps);
    rf_agent_listen_stream(s->agent, stops_at_the_text, &events);
    assert_int_equal(ask(s, "Go", &answer), RF_EINTERRUPTED);
    assert_lacks(heard(s), "text");
    int until_then = events;
    assert_true(until_then > 1);
    rf_agent_listen_stream(s->agent, NULL, NULL);
    good(ask(s, "Again", &answer));
    assert_int_equal(events, until_then);
    scene_close(s);
}

static void a_stream_that_breaks_leaves_a_valid_session(void **state)
{
    static const struct step steps[] = {
        { .reply = START SAY(0, "So far") },
        { .reply = START OPEN_TEXT(0) DELTA(0, "And"), .fails = RF_EPROVIDER },
        { .reply = ANSWER("Whole") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    assert_int_equal(ask(s, "One", &answer), RF_EPROVIDER);
    assert_int_equal(ask(s, "Two", &answer), RF_EPROVIDER);
    assert_string_equal(s->err.msg, "the connection broke");
    good(ask(s, "Three", &answer));
    assert_has(s->bodies[2], "So far");
    assert_has(s->bodies[2], "And");
    scene_close(s);
}

/* Cut at every byte after the first, the session goes on. */
static void a_stream_may_be_cut_anywhere(void **state)
{
    const char *whole =
        START SAY(0, "Text") CALL(1, "c1", "read_file", "{\\'file_path\\':\\'a\\'}") CALLS_END;
    size_t n = strlen(whole);
    for (size_t cut = 1; cut < n; cut += 3) {
        struct scene scene, *s = &scene;
        struct rf_str answer;
        char *part = strndup(whole, cut);
        struct step steps[] = { { .reply = part, .fails = RF_EPROVIDER },
                                { .reply = ANSWER("On") } };
        SCENE(steps);
        assert_int_equal(ask(s, "One", &answer), RF_EPROVIDER);
        good(ask(s, "Two", &answer));
        size_t calls = 0, results = 0;
        for (const char *at = s->bodies[1].p; (at = strstr(at, "\"type\":\"tool_use\"")); at++)
            calls++;
        for (const char *at = s->bodies[1].p; (at = strstr(at, "\"type\":\"tool_result\"")); at++)
            results++;
        assert_int_equal(calls, results);
        scene_close(s);
        free(part);
    }
}

static void a_refusal_is_told_in_the_providers_words(void **state)
{
    static const struct step steps[] = {
        { .status = 401,
          .reply =
              "{'type':'error','error':{'type':'authentication_error','message':'invalid x-api-key'}}" },
        { .status = 502, .reply = "<html>Bad gateway</html>" },
        { .reply = ANSWER("Fine") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    assert_int_equal(ask(s, "One", &answer), RF_ECONFIG);
    assert_non_null(strstr(s->err.msg, "invalid x-api-key"));
    assert_int_equal(ask(s, "Two", &answer), RF_EPROVIDER);
    assert_non_null(strstr(s->err.msg, "502"));
    good(ask(s, "Three", &answer));
    assert_has(s->bodies[2], "Two");
    scene_close(s);
}

/* Healing, as far as it is the loop's: heal.h has tests of its own. */

#define REFUSED(words) \
    "{'type':'error','error':{'type':'invalid_request_error','message':'" words "'}}"

/* A server may repeat a key wherever it complains. */
static void an_error_in_the_stream_shows_no_key(void **state)
{
    static const struct step steps[] = {
        { .reply = START SAY(
              0, "So far") "event: error\ndata: {'type':'error','error':{'type':"
                           "'overloaded_error','message':'bad sk-ant-0123456789abc'}}\n\n" },
        { .reply = "event: error\ndata: {'type':'error','error':{'type':'invalid_request_error',"
                   "'message':'no own-secret-key and sk-ant-0123456789abc'}}\n\n" },
    };
    static const struct rf_endpoint endpoint = { .key = RF_STR_INIT("own-secret-key") };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    s->endpoint = &endpoint;
    assert_int_equal(ask(s, "Hi", &answer), RF_EPROVIDER);
    assert_string_equal(s->err.msg, "anthropic: bad [redacted]");
    assert_has(kept(s), "So far");
    assert_lacks(kept(s), "0123456789abc");
    assert_int_equal(ask(s, "Hi", &answer), RF_EPROVIDER);
    assert_non_null(strstr(s->err.msg, "no [redacted] and [redacted]"));
    scene_close(s);
}

/* Lines of it stay lines. */
static void a_refusal_of_several_lines(void **state)
{
    static const struct step steps[] = {
        { .status = 400,
          .reply = "{'error':{'type':'invalid_request_error','message':"
                   "'bad\\r\\n\\tas \\u001b[2J\\n\\nit is\\n'}}" },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    assert_int_equal(ask(s, "Hi", &answer), RF_EPROVIDER);
    assert_string_equal(s->err.msg, "anthropic refused the request (400): bad\nas ?[2J\nit is");
    scene_close(s);
}

#define WHOLE(words)                                                               \
    "{'id':'m1','type':'message','role':'assistant','model':'x','content':[" words \
    "],'stop_reason':'end_turn','usage':{'input_tokens':10,'output_tokens':1}}"

static void an_empty_stream_is_asked_for_in_one_piece(void **state)
{
    static const struct step steps[] = {
        { .reply = "" },
        { .reply = WHOLE("{'type':'text','text':'Here.'}") },
        { .reply = "", .fails = RF_EPROVIDER },
        { .status = 400, .reply = REFUSED("longer than the window") },
        { .reply = "" },
        { .reply = "" },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(ask(s, "Hi", &answer));
    assert_str(answer, "Here.");
    assert_has(heard(s), "the stream is empty, perhaps because the prompt, about ");
    assert_has(s->bodies[0], "\"stream\":true");
    assert_lacks(s->bodies[1], "\"stream\":true");
    assert_int_equal(ask(s, "Again", &answer), RF_EPROVIDER);
    assert_has(s->bodies[2], "\"stream\":true");
    assert_non_null(strstr(s->err.msg, "longer than the window"));
    assert_int_equal(ask(s, "Once more", &answer), RF_EPROVIDER);
    assert_string_equal(s->err.msg, "the response of anthropic is empty");
    assert_non_null(strstr(s->err.hint, "longer than the server's window"));
    scene_close(s);
}

static void an_answer_that_says_nothing(void **state)
{
    static const struct step steps[] = {
        { .reply = START STOP("end_turn") },
        { .reply = START SAY(0, " \\n") STOP("end_turn") },
        { .reply = ANSWER("Fine") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(ask(s, "Hi", &answer));
    assert_int_equal(answer.n, 0);
    assert_has(heard(s), "the answer is empty: the model said nothing");
    good(ask(s, "Again", &answer));
    good(ask(s, "Once more", &answer));
    size_t told = 0;
    for (const char *at = heard(s).p; (at = strstr(at, "the answer is empty")); at++)
        told++;
    assert_int_equal(told, 2);
    scene_close(s);
}

/* What takes a day is told at once. */
static void a_stream_that_asks_for_a_day_is_not_waited_for(void **state)
{
    static const struct step steps[] = {
        { .reply = "data: {'error':{'code':503,'status':'UNAVAILABLE','message':'come back "
                   "tomorrow','details':[{'retryDelay':'86400s'}]}}\n\n" },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(rf_agent_model(s->agent, "google:gemini-2.5-flash", &s->err));
    assert_int_equal(ask(s, "Hi", &answer), RF_EPROVIDER);
    assert_non_null(strstr(s->err.msg, "come back tomorrow"));
    assert_lacks(heard(s), "waiting");
    scene_close(s);
}

static void a_refused_file_is_left_out_and_told_of(void **state)
{
    static const struct step steps[] = {
        { .reply = ANSWER("Without it"),
          .refused = REFUSED("messages.0.content.0.image.source.base64: Could not process image") },
        { .reply = ANSWER("Still") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    add_picture(s, "p.png");
    good(rf_agent_attach(s->agent, "p.png", &s->err));
    good(ask(s, "What is it?", &answer));
    assert_str(answer, "Without it");
    assert_true(s->refusals > 0);
    assert_has(heard(s), "note ");
    good(ask(s, "And now?", &answer));
    assert_lacks(s->bodies[1], "\"type\":\"image\"");
    scene_close(s);
}

static void what_was_attached_can_be_taken_back(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("Nothing") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    add_picture(s, "p.png");
    good(rf_agent_attach(s->agent, "p.png", &s->err));
    rf_agent_detach(s->agent);
    good(ask(s, "What is it?", &answer));
    assert_lacks(s->bodies[0], "\"type\":\"image\"");
    assert_lacks(s->bodies[0], "p.png");
    scene_close(s);
}

static void another_refusal_strips_nothing(void **state)
{
    static const struct step steps[] = {
        { .status = 400, .reply = REFUSED("max_tokens: must be at least 1") },
        { .reply = ANSWER("Fine") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    add_picture(s, "p.png");
    good(rf_agent_attach(s->agent, "p.png", &s->err));
    assert_int_equal(ask(s, "What is it?", &answer), RF_EPROVIDER);
    assert_int_equal(s->at, 1);
    good(ask(s, "Again", &answer));
    assert_has(s->bodies[1], "\"type\":\"image\"");
    scene_close(s);
}

/* Limits */

#define CALL_AGAIN START CALL(0, "c1", "read_file", "{\\'file_path\\':\\'a\\'}") CALLS_END

static void rounds_are_counted(void **state)
{
    static const struct step steps[] = { { .reply = CALL_AGAIN },
                                         { .reply = CALL_AGAIN },
                                         { .reply = CALL_AGAIN },
                                         { .reply = ANSWER("Ok") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    rf_agent_limits(s->agent, 2, 0, 0);
    assert_int_equal(ask(s, "Go", &answer), RF_ELIMIT);
    assert_int_equal(s->at, 3);
    assert_has(kept(s), "a limit of this question was reached");
    good(ask(s, "On", &answer));
    scene_close(s);
}

static void tokens_are_counted(void **state)
{
    static const struct step steps[] = { { .reply = CALL_AGAIN }, { .reply = CALL_AGAIN } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    rf_agent_limits(s->agent, 0, 0, 1500);
    assert_int_equal(ask(s, "Go", &answer), RF_ELIMIT);
    assert_non_null(strstr(s->err.msg, "2014 tokens"));
    scene_close(s);
}

static void sleep_long(struct scene *s)
{
    while (!rf_halt_due(&s->agent->halt))
        usleep(10000);
}

static void time_is_counted(void **state)
{
    static const struct step steps[] = { { .reply = CALL_AGAIN, .then = sleep_long } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    rf_agent_limits(s->agent, 0, 2, 0);
    assert_int_equal(ask(s, "Go", &answer), RF_ELIMIT);
    assert_non_null(strstr(s->err.msg, "2 seconds"));
    assert_has(kept(s), "it was not run: the time for this question is over");
    scene_close(s);
}

/* Files of a person */

static void an_attached_file_goes_with_the_next_question_only(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("A dot") }, { .reply = ANSWER("Yes") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    add_picture(s, "p.png");
    good(rf_agent_attach(s->agent, "p.png", &s->err));
    good(ask(s, "What is it?", &answer));
    good(ask(s, "Sure?", &answer));
    assert_has(s->bodies[0], "\"media_type\":\"image/png\"");
    const char *once = strstr(s->bodies[1].p, "\"media_type\":\"image/png\"");
    assert_non_null(once);
    assert_null(strstr(once + 1, "\"media_type\":\"image/png\""));
    scene_close(s);
}

/* A picture goes as itself, a text as a text, an archive as the list of what is in it. */
static void files_in_memory_are_attached_by_what_they_are(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("A dot") } };
    static const char zip[] = "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    struct scene scene, *s = &scene;
    struct rf_str answer, png;
    SCENE(steps);
    add_picture(s, "p.png");
    good(rf_file_read(in_folder(s->arena, s->folder, "p.png"), 1 << 20, s->arena, &png, &s->err));
    good(rf_agent_attach_bytes(s->agent, png, "dot.png", &s->err));
    good(rf_agent_attach_bytes(s->agent, RF_STR("alpha beta"), "notes", &s->err));
    good(rf_agent_attach_bytes(s->agent, (struct rf_str){ zip, sizeof zip }, "a.zip", &s->err));
    assert_int_equal(rf_agent_attach_bytes(s->agent, png, "", &s->err), RF_EUSAGE);
    assert_int_equal(rf_agent_attach_bytes(s->agent, RF_STR(""), "none", &s->err), RF_EFORMAT);
    assert_int_equal(
        rf_agent_attach_bytes(s->agent, RF_STR("\x89PNG\r\n\x1a\nnothing"), "x.png", &s->err),
        RF_EFORMAT);
    good(ask(s, "What is it?", &answer));
    assert_has(s->bodies[0], "\"media_type\":\"image/png\"");
    assert_has(s->bodies[0], "alpha beta");
    assert_has(s->bodies[0], "a.zip");
    assert_lacks(s->bodies[0], "x.png");
    assert_has(kept(s), "\"name\":\"dot.png\"");
    scene_close(s);
}

static void what_cannot_be_attached_is_an_error(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("Hi") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    add_file(s, "x.png", RF_STR("\x89PNG\r\n\x1a\nnothing"));
    assert_int_equal(rf_agent_attach(s->agent, "none.png", &s->err), RF_ENOTFOUND);
    assert_int_equal(rf_agent_attach(s->agent, "x.png", &s->err), RF_EFORMAT);
    good(ask(s, "Hi", &answer));
    assert_lacks(s->bodies[0], "none.png");
    scene_close(s);
}

static void a_granted_file_may_be_read_and_its_neighbour_not(void **state)
{
    static const struct step steps[] = {
        { .reply = START CALL(0, "c1", "read_file", "{\\'file_path\\':\\'../outside.txt\\'}")
              CALL(1, "c2", "read_file", "{\\'file_path\\':\\'../secret.txt\\'}")
                  CALL(2, "c3", "read_file", "{\\'file_path\\':\\'../private/../outside.txt\\'}")
                      CALL(3, "c4", "read_file",
                           "{\\'file_path\\':\\'../outside.txt/../secret.txt\\'}") CALLS_END },
        { .reply = ANSWER("Done") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    const char *inner = in_folder(s->arena, s->folder, "project");
    make_folder(inner);
    make_folder(in_folder(s->arena, s->folder, "private"));
    add_file(s, "outside.txt", RF_STR("words outside\n"));
    add_file(s, "secret.txt", RF_STR("my secret\n"));
    rf_agent_folders(s->agent, inner, inner);
    rf_toolbox_grant(&s->agent->tools, in_folder(s->arena, s->folder, "outside.txt"));
    good(ask(s, "Read both", &answer));
    assert_has(s->bodies[1], "words outside");
    assert_lacks(s->bodies[1], "my secret");
    assert_has(heard(s), "result read_file c3 failed");
    assert_has(heard(s), "result read_file c4 failed");
    scene_close(s);
}

/* What counts is the argument that the tool reads. */
static void a_granted_file_does_not_vouch_for_another(void **state)
{
    static const struct step steps[] = {
        { .reply =
              START CALL(0, "c1", "view_image",
                         "{\\'file_path\\':\\'../outside.txt\\',\\'path\\':\\'../secret.png\\'}")
                  CALL(1, "c2", "read_file",
                       "{\\'path\\':\\'../outside.txt\\',\\'file_path\\':\\'../secret.txt\\'}")
                      CALLS_END },
        { .reply = ANSWER("Done") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    const char *inner = in_folder(s->arena, s->folder, "project");
    make_folder(inner);
    add_file(s, "outside.txt", RF_STR("words outside\n"));
    add_file(s, "secret.txt", RF_STR("my secret\n"));
    add_picture(s, "secret.png");
    rf_agent_folders(s->agent, inner, inner);
    rf_toolbox_grant(&s->agent->tools, in_folder(s->arena, s->folder, "outside.txt"));
    good(ask(s, "Read both", &answer));
    assert_has(heard(s), "result view_image c1 failed");
    assert_has(heard(s), "result read_file c2 failed");
    assert_lacks(s->bodies[1], "\"type\":\"image\"");
    scene_close(s);
}

static const struct step fetching[] = {
    { .reply = START CALL(0, "c1", "read_file",
                          "{\\'file_path\\':\\'http://127.0.0.1:9/a.png#p=1\\'}") CALLS_END },
    { .reply = ANSWER("Done") },
};

static void web_addresses_are_not_fetched_unasked(void **state)
{
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(fetching);
    good(ask(s, "Look there", &answer));
    assert_has(s->bodies[1], "web addresses are not fetched");
    assert_lacks(s->bodies[0], "A web address may stand");
    scene_close(s);
}

/* Two at once, each in a thread of its own, and one alone. */
static const struct step fetching_more[] = {
    { .reply = START CALL(0, "c1", "read_file",
                          "{\\'file_path\\':\\'http://127.0.0.1:9/a?what-was-said\\'}")
          CALL(1, "c2", "view_image", "{\\'path\\':\\'http://127.0.0.1.:9/b.png\\'}") CALLS_END },
    { .reply = START CALL(0, "c3", "view_image", "{\\'path\\':\\'http://127.9.9.9/c.png\\'}")
          CALLS_END },
    { .reply = ANSWER("Done") },
};

static void a_new_host_is_asked_about(void **state)
{
    static const struct {
        const char *config;
        enum rf_permission permission;
        size_t asked;
        const char *result;
    } cases[] = {
        { "fetch: yes", RF_PERMIT_NO, 3, "permission was not given" },
        { "fetch: yes", RF_PERMIT_ONCE, 3, "may not be reached from here" },
        { "fetch: yes", RF_PERMIT_ALWAYS, 2, "may not be reached from here" },
        { "fetch: {hosts: [127.9.9.9]}", RF_PERMIT_NO, 2, "permission was not given" },
        { "fetch: {hosts: [127.0.0.1, \"*.9.9.9\"]}", RF_PERMIT_NO, 0,
          "may not be reached from here" },
        { "fetch: no", RF_PERMIT_ALWAYS, 0, "web addresses are not fetched" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene, *s = &scene;
        struct rf_str answer;
        scene_open(s, (enum keeping)(intptr_t)*state, cases[i].config, fetching_more,
                   COUNT(fetching_more));
        s->permission = cases[i].permission;
        good(ask(s, "Look there", &answer));
        assert_int_equal(s->asked, cases[i].asked);
        assert_has(s->bodies[1], cases[i].result);
        if (cases[i].asked)
            assert_has(s->asked_about, "fetch:127.0.0.1 http://127.0.0.1");
        if (cases[i].asked == 3)
            assert_has(s->asked_about, "fetch:127.9.9.9 http://127.9.9.9/c.png\n");
        scene_close(s);
    }
}

static void a_fetch_leads_nowhere_inside_and_leaves_nothing(void **state)
{
    struct scene scene, *s = &scene;
    struct rf_str answer;
    scene_open(s, (enum keeping)(intptr_t)*state, "fetch: {hosts: [\"*\"]}", fetching,
               COUNT(fetching));
    good(ask(s, "Look there", &answer));
    assert_has(s->bodies[0], "A web address may stand");
    assert_has(heard(s), "result read_file c1 failed");
    assert_lacks(s->bodies[1], "web addresses are not fetched");
    assert_int_equal(s->agent->tools.fetched_count, 1);
    const char *folder = rf_cstr(s->arena, rf_str(s->agent->tools.fetched[0].path));
    assert_int_equal(access(folder, F_OK), 0);
    rf_agent_free(s->agent);
    s->agent = NULL;
    assert_int_not_equal(access(folder, F_OK), 0);
    scene_close(s);
}

static void a_plan_sends_and_keeps_nothing(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("Hello") } };
    struct scene scene, *s = &scene;
    struct rf_request *r;
    struct rf_str answer, body;
    SCENE(steps);
    good(ask(s, "First", &answer));
    good(rf_agent_plan(s->agent, RF_STR("Second"), &r, &s->err));
    good(rf_rope_flatten(&r->body, SIZE_MAX, s->arena, &body, &s->err));
    assert_has(body, "Second");
    assert_has(body, "Hello");
    assert_int_equal(s->at, 1);
    assert_int_equal(message_count(s), 2);
    assert_lacks(kept(s), "Second");
    scene_close(s);
}

static void blind_models_are_promised_no_sight(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("Hello") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(rf_model_set(s->agent->model, RF_STR("vision"), RF_STR("false"), RF_FACT_OVERRIDE,
                      &s->err));
    good(ask(s, "Hi", &answer));
    assert_lacks(s->bodies[0], "Look at a picture");
    assert_has(s->bodies[0], "The picture itself cannot be shown to you.");
    scene_close(s);
}

static void without_tools_none_are_offered_or_run(void **state)
{
    static const struct step steps[] = { { .reply = CALL_AGAIN }, { .reply = ANSWER("Ok") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    rf_agent_no_tools(s->agent);
    good(ask(s, "Hi", &answer));
    assert_lacks(s->bodies[0], "view_image");
    assert_has(s->bodies[1], "there is no tool");
    scene_close(s);
}

static void an_empty_question_is_not_asked(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("Ok") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    assert_int_equal(ask(s, "  \n", &answer), RF_EUSAGE);
    assert_int_equal(message_count(s), 0);
    scene_close(s);
}

static void a_conversation_has_a_limit(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("Ok") }, { .reply = ANSWER("Back") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    struct rf_history *h = &s->agent->history;
    good(ask(s, "Hi", &answer));
    if (h->session)
        h->session->bytes += RF_MAX_DOCUMENT_BYTES - 2500;
    else
        h->bytes += RF_MAX_DOCUMENT_BYTES - 2500;
    good(ask(s, "Once more", &answer));
    assert_int_equal(ask(s, rf_strf(s->arena, "%03000d", 1).p, &answer), RF_ELIMIT);
    assert_has(rf_str(s->err.hint), "Begin a new conversation");
    assert_int_equal(message_count(s), 4);
    scene_close(s);
}

static struct rf_str all_said(struct scene *s)
{
    struct rf_conversation *c;
    struct rf_str json;
    good(rf_agent_conversation(s->agent, &c, &s->err));
    good(rf_conversation_write(c, &json, &s->err));
    json = rf_str_dup(s->arena, json);
    rf_conversation_free(c);
    return json;
}

static void the_last_question_is_asked_again(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("First") },
                                         { .reply = ANSWER("A dot") },
                                         { .reply = ANSWER("A square") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    assert_int_equal(rf_agent_retry(s->agent, &answer, &s->err), RF_EUSAGE);
    good(ask(s, "Hi", &answer));
    add_picture(s, "p.png");
    good(rf_agent_attach(s->agent, "p.png", &s->err));
    good(ask(s, "What is it?", &answer));
    const char *before =
        s->store ? rf_strf(s->arena, "%s", rf_session_id(rf_agent_session(s->agent))).p : NULL;
    good(rf_agent_retry(s->agent, &answer, &s->err));
    assert_str(answer, "A square");
    assert_true(rf_str_eq(s->bodies[1], s->bodies[2]));
    assert_int_equal(message_count(s), 4);
    assert_lacks(all_said(s), "A dot");
    assert_has(all_said(s), "\"input_tokens\":1000");
    if (before) {
        assert_string_not_equal(rf_session_id(rf_agent_session(s->agent)), before);
        good(rf_agent_resume(s->agent, before, &s->err));
        assert_has(all_said(s), "A dot");
    }
    scene_close(s);
}

static void a_question_without_an_answer_is_asked_again_where_it_is(void **state)
{
    static const struct step steps[] = { { .reply = "{}", .status = 401 },
                                         { .reply = ANSWER("Yes") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    assert_int_not_equal(ask(s, "Well?", &answer), RF_OK);
    const struct rf_session *before = rf_agent_session(s->agent);
    good(rf_agent_retry(s->agent, &answer, &s->err));
    assert_str(answer, "Yes");
    assert_ptr_equal(rf_agent_session(s->agent), before);
    assert_int_equal(message_count(s), 2);
    scene_close(s);
}

static void a_session_is_left_for_a_new_one(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("One") },
                                         { .reply = ANSWER("Two") },
                                         { .reply = ANSWER("Three") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    rf_agent_system(s->agent, RF_STR("Be brief."));
    good(ask(s, "First", &answer));
    rf_agent_leave(s->agent);
    assert_null(rf_agent_session(s->agent));
    assert_lacks(all_said(s), "First");
    good(ask(s, "Second", &answer));
    assert_lacks(s->bodies[1], "First");
    assert_has(s->bodies[1], "Be brief.");
    assert_str(rf_agent_system_prompt(s->agent), "Be brief.");
    rf_agent_system(s->agent, RF_STR(""));
    good(ask(s, "Third", &answer));
    assert_lacks(s->bodies[2], "Be brief.");
    scene_close(s);
}

static void what_is_not_utf8_is_not_asked(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("Ok") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    assert_int_equal(ask(s, "bad \xff", &answer), RF_EUSAGE);
    assert_string_equal(s->err.msg, "the question is not valid UTF-8");
    rf_agent_system(s->agent, RF_STR("\xc3"));
    assert_int_equal(ask(s, "Hello", &answer), RF_EUSAGE);
    assert_string_equal(s->err.msg, "the system prompt is not valid UTF-8");
    assert_int_equal(message_count(s), 0);
    rf_agent_system(s->agent, RF_STR(""));
    good(ask(s, "Hello", &answer));
    scene_close(s);
}

static void a_name_that_is_not_utf8_is_cleaned(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("A dot") }, { .reply = ANSWER("Two") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    add_picture(s, "p\xff.png");
    good(rf_agent_attach(s->agent, "p\xff.png", &s->err));
    good(ask(s, "What is it?", &answer));
    assert_has(kept(s), "\"name\":\"p_.png\"");
    good(ask(s, "Sure?", &answer));
    scene_close(s);
}

static void a_long_walk_stays_valid(void **state)
{
    static struct step steps[46];
    struct scene scene, *s = &scene;
    struct rf_str answer;
    for (size_t i = 0; i < 45; i++)
        steps[i] = (struct step){ .reply = CALL_AGAIN };
    steps[45] = (struct step){ .reply = ANSWER("There") };
    SCENE(steps);
    good(ask(s, "Go", &answer));
    assert_str(answer, "There");
    assert_int_equal(message_count(s), 92);
    scene_close(s);
}

/* Sessions */

static void resume(struct scene *s, const char *id)
{
    rf_agent_free(s->agent);
    rf_store_close(s->store);
    open_store(s);
    open_agent(s);
    good(rf_agent_resume(s->agent, id, &s->err));
}

static void a_session_is_gone_on_with(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("One") }, { .reply = ANSWER("Two") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_STORE, NULL, steps, COUNT(steps));
    rf_agent_system(s->agent, RF_STR("Be brief."));
    good(ask(s, "First?", &answer));
    resume(s, "last");
    good(ask(s, "Second?", &answer));
    assert_has(s->bodies[1], "First?");
    assert_has(s->bodies[1], "Be brief.");
    scene_close(s);
}

/* In its message a call lies deeper than in the reply. */
static void a_call_that_is_nested_too_deep_is_malformed(void **state)
{
    struct step steps[] = { { 0 }, { .reply = ANSWER("Done") }, { .reply = ANSWER("Two") } };
    struct scene scene, *s = &scene;
    char open[510], close[510];
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_STORE, NULL, steps, COUNT(steps));
    memset(open, '[', sizeof open);
    memset(close, ']', sizeof close);
    steps[0].reply = rf_strf(s->arena,
                             START OPEN_CALL(0, "c1", "read_file")
                                 ARGUMENTS(0, "{\\'x\\':%.*s%.*s}") CLOSE(0) CALLS_END,
                             (int)sizeof open, open, (int)sizeof close, close)
                         .p;
    good(ask(s, "First?", &answer));
    assert_has(kept(s), "\"malformed_arguments\":\"{");
    resume(s, "last");
    good(ask(s, "Second?", &answer));
    scene_close(s);
}

static void files_of_a_resumed_session_are_not_told_again(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("A dot") }, { .reply = ANSWER("Two") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_STORE, NULL, steps, COUNT(steps));
    add_picture(s, "p.png");
    add_picture(s, "q.png");
    good(rf_agent_attach(s->agent, "p.png", &s->err));
    good(ask(s, "First?", &answer));
    resume(s, "last");
    s->heard.n = 0;
    good(rf_agent_attach(s->agent, "q.png", &s->err));
    good(ask(s, "Second?", &answer));
    assert_str(heard(s), "sending\nfile native\ntext Two\nusage\n");
    scene_close(s);
}

static struct rf_str next_body(struct scene *s)
{
    struct rf_request *r;
    struct rf_str body;
    good(rf_agent_plan_next(s->agent, &r, &s->err));
    good(rf_rope_flatten(&r->body, SIZE_MAX, s->arena, &body, &s->err));
    return body;
}

/* What is held is what a session gives back: the prefix of requests stays the same. */
static void a_resumed_session_makes_the_same_request(void **state)
{
    static const struct step steps[] = {
        { .reply =
              START SAY(0, "Let me see") CALL(1, "c1", "read_file", "{\\'file_path\\':\\'p.png\\'}")
                  CALL(2, "c2", "nothing", "{\\'a\\':1.50}") CALLS_END },
        { .reply = ANSWER("A dot") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_STORE, NULL, steps, COUNT(steps));
    add_picture(s, "p.png");
    add_picture(s, "q.png");
    good(rf_agent_attach(s->agent, "q.png", &s->err));
    good(ask(s, "What is it?", &answer));
    struct rf_str held = next_body(s);
    resume(s, "last");
    struct rf_str resumed = next_body(s);
    assert_true(rf_str_eq(held, resumed));
    assert_has(held, "tool_result");
    scene_close(s);
}

static void a_plan_after_resuming_has_the_choice_of_tools(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("One") }, { .reply = ANSWER("Two") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_STORE, NULL, steps, COUNT(steps));
    good(ask(s, "First?", &answer));
    good(rf_session_set(s->agent->history.session,
                        quoted(s->arena, "{'tool_choice':'required','dialect':'anthropic'}"),
                        &s->err));
    resume(s, "last");
    assert_has(next_body(s), "\"tool_choice\":{\"type\":\"any\"}");
    assert_str(s->agent->history.dialect, "anthropic");
    good(ask(s, "Second?", &answer));
    assert_lacks(s->bodies[1], "tool_choice");
    assert_lacks(next_body(s), "tool_choice");
    scene_close(s);
}

/* As a process leaves it that is killed while its tools run. */
static void a_torn_session_is_mended(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("One") }, { .reply = ANSWER("Two") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_STORE, NULL, steps, COUNT(steps));
    good(ask(s, "First?", &answer));
    good(rf_session_append(s->agent->history.session,
                           quoted(s->arena,
                                  "{'role':'assistant','content':[{'type':'tool_call','id':'t1',"
                                  "'name':'read_file','arguments':{}}]}"),
                           &s->err));
    resume(s, "last");
    good(ask(s, "Second?", &answer));
    assert_has(kept(s), "what became of this call is unknown");
    assert_has(s->bodies[1], "\"tool_use_id\":\"t1\"");
    scene_close(s);
}

static struct rf_sql_engine breaking;
static const struct rf_sql_engine *whole;

/* As a connection that breaks after the server kept everything. */
static enum rf_code commit_and_break(struct rf_sql *sql, struct rf_err *err)
{
    sql->engine = whole;
    enum rf_code rc = whole->commit(sql, err);
    return rc ? rc : rf_fail(err, RF_EIO, "the connection broke");
}

static void break_next_commit(struct scene *s)
{
    struct rf_sql *sql = s->store->sql;
    whole = sql->engine;
    breaking = *whole;
    breaking.commit = commit_and_break;
    sql->engine = &breaking;
}

static void a_commit_of_unknown_outcome_is_looked_up(void **state)
{
    static const struct step steps[] = {
        { .reply = ANSWER("One") },
        { .reply = START CALL(0, "c1", "read_file", "{\\'file_path\\':\\'a\\'}") CALLS_END,
          .then = break_next_commit },
        { .reply = ANSWER("Three") },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    (void)state;
    scene_open(s, IN_STORE, NULL, steps, COUNT(steps));
    break_next_commit(s);
    assert_int_equal(ask(s, "First?", &answer), RF_EIO);
    good(ask(s, "Second?", &answer));
    assert_has(s->bodies[0], "First?");
    assert_int_equal(message_count(s), 3);
    assert_int_equal(ask(s, "Third?", &answer), RF_EIO);
    good(ask(s, "Fourth?", &answer));
    assert_has(s->bodies[2], "\"tool_use_id\":\"c1\"");
    assert_int_equal(message_count(s), 8);
    scene_close(s);
}

static void a_model_can_be_switched(void **state)
{
    static const struct step steps[] = { { .reply = ANSWER("One") }, { .reply = ANSWER("Two") } };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    good(ask(s, "First?", &answer));
    good(rf_agent_model(s->agent, "anthropic:claude-opus-4-1", &s->err));
    good(ask(s, "Second?", &answer));
    assert_has(s->bodies[1], "claude-opus-4-1");
    assert_has(s->bodies[1], "One");
    scene_close(s);
}

static void a_response_may_come_in_one_piece(void **state)
{
    static const struct step steps[] = {
        { .reply =
              "{'id':'m','type':'message','role':'assistant','model':'x','content':[{'type':'text',"
              "'text':'Whole'}],'stop_reason':'end_turn','usage':{'input_tokens':3,'output_tokens':2}}" },
    };
    struct scene scene, *s = &scene;
    struct rf_str answer;
    SCENE(steps);
    rf_agent_no_stream(s->agent);
    good(ask(s, "Hi", &answer));
    assert_str(answer, "Whole");
    assert_lacks(s->bodies[0], "\"stream\":true");
    assert_has(heard(s), "text Whole\n");
    assert_lacks(heard(s), "text Whole\ntext Whole\n");
    scene_close(s);
}

/* The model in this process. The simulator asks for the file that is named, and says what it was
 * given. */

static void the_offline_model_needs_no_network(void **state)
{
    struct scene scene, *s = &scene;
    struct rf_str answer;
    scene_open(s, (enum keeping)(intptr_t)*state, NULL, NULL, 0);
    s->agent->asking.transport->send = NULL;
    rf_agent_offline(s->agent, rf_simulator_offline());
    good(rf_agent_model(s->agent, "offline", &s->err));
    add_picture(s, "dot.png");
    good(ask(s, "What is in @dot.png?", &answer));
    assert_has(answer, "image/png 8x8");
    assert_has(heard(s), "file native\n");
    assert_has(kept(s), "[System: files referenced: dot.png");
    assert_has(heard(s), "reference ");
    assert_int_equal(message_count(s), 4);
    assert_int_equal(s->agent->model->calibration.samples, 0);
    scene_close(s);
}

static bool stop_probing(void *ctx, const struct rf_probed *p)
{
    (void)p;
    ++*(int *)ctx;
    return false;
}

static void a_probe_is_stopped(void **state)
{
    struct rf_err err;
    int times = 0;
    (void)state;
    assert_int_equal(
        rf_model_probe(NULL, "offline", rf_simulator_offline(), stop_probing, &times, &err),
        RF_EINTERRUPTED);
    assert_string_equal(err.msg, "the probe was stopped");
    assert_int_equal(times, 1);
}

static void offline_without_a_model_is_said(void **state)
{
    struct scene scene, *s = &scene;
    struct rf_str answer;
    scene_open(s, (enum keeping)(intptr_t)*state, NULL, NULL, 0);
    s->agent->asking.transport->send = NULL;
    good(rf_agent_model(s->agent, "offline", &s->err));
    assert_int_equal(ask(s, "Hi", &answer), RF_ECONFIG);
    assert_string_equal(s->err.msg, "this program has no model \"offline\"");
    assert_int_equal(message_count(s), 0);
    scene_close(s);
}

struct own_model {
    struct rf_arena *arena;
    int status;
    const char *pieces[3]; /* with ' for "; NULL ends them */
    size_t taken;
    bool cancelled; /* while it answers */
    struct rf_agent *agent;
};

static void answer_offline(void *ctx, const struct rf_offline_call *call)
{
    struct own_model *m = ctx;
    assert_string_equal(call->path, "/offline/v1/messages");
    assert_non_null(strstr(call->headers, "anthropic-version: "));
    assert_has(call->body, "\"text\":\"Hi\"");
    if (m->cancelled)
        rf_agent_cancel(m->agent);
    assert_int_equal(rf_fd_readable(call->stop_fd), m->cancelled);
    for (; m->taken < COUNT(m->pieces) && m->pieces[m->taken]; m->taken++)
        if (!call->reply(call->to, m->status, quoted(m->arena, m->pieces[m->taken]), 1))
            return;
}

static void a_function_can_answer_offline(void **state)
{
    static const struct {
        struct own_model model;
        enum rf_code code;
        const char *want; /* the answer, or in the message */
    } rows[] = {
        { { .status = 200,
            .pieces = { START OPEN_TEXT(0) DELTA(0, "Hel"),
                        DELTA(0, "lo") CLOSE(0) STOP("end_turn") } },
          RF_OK,
          "Hello" },
        { { .status = 400,
            .pieces = { "{'type':'error','error':{'type':'invalid_request_error',",
                        "'message':'not like that'}}" } },
          RF_EPROVIDER,
          "(400): not like that" },
        { { 0 }, RF_EPROVIDER, "did not answer" },
        { { .status = 200, .pieces = { START }, .cancelled = true }, RF_EINTERRUPTED, "stopped" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct own_model model = rows[i].model;
        struct scene scene, *s = &scene;
        struct rf_str answer = { 0 };
        scene_open(s, (enum keeping)(intptr_t)*state, NULL, NULL, 0);
        model.arena = s->arena;
        model.agent = s->agent;
        s->agent->asking.transport->send = NULL;
        rf_agent_offline(s->agent, (struct rf_offline){ answer_offline, &model });
        good(rf_agent_model(s->agent, "offline", &s->err));
        assert_int_equal(ask(s, "Hi", &answer), rows[i].code);
        assert_has(rows[i].code ? rf_str(s->err.msg) : answer, rows[i].want);
        assert_true(model.cancelled || model.taken == COUNT(model.pieces) ||
                    !model.pieces[model.taken]);
        scene_close(s);
    }
}

#define BOTH(test)                                                        \
    { #test " (memory)", test, NULL, NULL, (void *)(intptr_t)IN_MEMORY }, \
    {                                                                     \
#test " (store)", test, NULL, NULL, (void *)(intptr_t)IN_STORE    \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(an_answer_is_streamed_and_kept),
        BOTH(a_question_goes_on_from_the_one_before),
        BOTH(calls_are_run_and_their_results_come_in_order),
        BOTH(a_file_is_told_of_once),
        BOTH(ids_that_are_missing_or_twice_are_made),
        BOTH(what_cannot_be_run_is_told_to_the_model),
        BOTH(a_cancelled_answer_is_kept_as_far_as_it_is_whole),
        BOTH(a_cancelled_call_has_a_result),
        BOTH(a_cancel_before_the_question_counts),
        BOTH(a_listener_stops_the_answer),
        BOTH(a_listener_stops_a_request),
        BOTH(a_listener_stops_before_a_tool_runs),
        BOTH(a_listener_of_the_stream_stops_it),
        BOTH(a_stream_that_breaks_leaves_a_valid_session),
        { "a stream may be cut anywhere", a_stream_may_be_cut_anywhere, NULL, NULL,
          (void *)(intptr_t)IN_MEMORY },
        BOTH(a_refusal_is_told_in_the_providers_words),
        BOTH(an_error_in_the_stream_shows_no_key),
        BOTH(a_refusal_of_several_lines),
        BOTH(an_empty_stream_is_asked_for_in_one_piece),
        BOTH(an_answer_that_says_nothing),
        BOTH(a_stream_that_asks_for_a_day_is_not_waited_for),
        BOTH(a_refused_file_is_left_out_and_told_of),
        BOTH(what_was_attached_can_be_taken_back),
        BOTH(another_refusal_strips_nothing),
        BOTH(rounds_are_counted),
        BOTH(tokens_are_counted),
        BOTH(time_is_counted),
        BOTH(an_attached_file_goes_with_the_next_question_only),
        BOTH(files_in_memory_are_attached_by_what_they_are),
        BOTH(what_cannot_be_attached_is_an_error),
        BOTH(a_granted_file_may_be_read_and_its_neighbour_not),
        BOTH(a_granted_file_does_not_vouch_for_another),
        BOTH(web_addresses_are_not_fetched_unasked),
        BOTH(a_new_host_is_asked_about),
        BOTH(a_fetch_leads_nowhere_inside_and_leaves_nothing),
        BOTH(a_plan_sends_and_keeps_nothing),
        BOTH(blind_models_are_promised_no_sight),
        BOTH(without_tools_none_are_offered_or_run),
        BOTH(an_empty_question_is_not_asked),
        BOTH(a_conversation_has_a_limit),
        BOTH(the_last_question_is_asked_again),
        BOTH(a_question_without_an_answer_is_asked_again_where_it_is),
        BOTH(a_session_is_left_for_a_new_one),
        BOTH(what_is_not_utf8_is_not_asked),
        BOTH(a_name_that_is_not_utf8_is_cleaned),
        BOTH(a_long_walk_stays_valid),
        BOTH(a_model_can_be_switched),
        BOTH(the_offline_model_needs_no_network),
        BOTH(offline_without_a_model_is_said),
        BOTH(a_function_can_answer_offline),
        BOTH(a_response_may_come_in_one_piece),
        cmocka_unit_test(a_probe_is_stopped),
        cmocka_unit_test(a_session_is_gone_on_with),
        cmocka_unit_test(a_call_that_is_nested_too_deep_is_malformed),
        cmocka_unit_test(files_of_a_resumed_session_are_not_told_again),
        cmocka_unit_test(a_resumed_session_makes_the_same_request),
        cmocka_unit_test(a_plan_after_resuming_has_the_choice_of_tools),
        cmocka_unit_test(a_torn_session_is_mended),
        cmocka_unit_test(a_commit_of_unknown_outcome_is_looked_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
