/* Answers that break off: at every byte of a stream but its first, with an error and as if all were
 * well. What had come is kept, no tool runs for an answer that is not whole, and a strict server takes
 * the conversation with one more question. One of which nothing comes is asked for again: test_agent.c.
 *
 * The streams are the simulator's, one a dialect, with thoughts, words and two calls; and, where REFRACT_SHARED has
 * them, those that were recorded: of each dialect one at every byte (with REFRACT_SOAK all that are short), the
 * others here and there. */
#include "agent/agent.h"
#include "agent/turn/transport.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/limits.h"
#include "sim/sim.h"

#include "../testing.h"

#include <dirent.h>

#define MOST_TEXT ((size_t)1 << 20)
#define WHOLLY 9000 /* bytes of a recording that is cut at each of them, at most */
#define PLACES 40   /* of another */
#define SECRET "alpha beta"

static const struct api {
    const char *model, *path;
    const char *address; /* a piece of a recorded request's */
} apis[] = {
    { "anthropic:claude-sonnet-4-5", "/anthropic/v1/messages", "/v1/messages" },
    { "bedrock:anthropic.claude-3-7-sonnet-20250219-v1:0",
      "/bedrock/model/anthropic.claude-3-7-sonnet-20250219-v1%3A0/converse-stream",
      "/converse-stream" },
    { "google:gemini-2.5-flash",
      "/google/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
      ":streamGenerateContent" },
    { "openai:gpt-5-mini", "/openai/v1/responses", "/responses" },
    { "openai-chat:gpt-4o", "/openai/v1/chat/completions", "/chat/completions" },
    { "mistral:mistral-large-latest", "/mistral/v1/chat/completions", NULL },
    { "cohere:command-a-vision-07-2025", "/cohere/v2/chat", NULL },
    { "ollama:mistral-small3.2", "/ollama/api/chat", NULL },
};

static const char script[] =
    "- {times: 0, thinking: Let me think., text: 'I shall read \"two\" files.', calls: [{name: "
    "read_file, arguments: {file_path: one.txt}}, {name: read_file, arguments: {file_path: "
    "one.txt, limit: 1}}]}\n";

enum ending {
    BREAKS, /* the connection */
    ENDS,   /* as if that were all */
};

/* One stream, and an agent that gets the beginning of it. */
struct stage {
    struct rf_arena *arena;
    const char *name, *folder;
    const struct api *api;
    struct rf_sim *strict;
    struct rf_str whole;
    size_t length; /* that is handed over */
    enum ending ending;
    size_t requests;
    struct rf_buf told;     /* words of the first answer */
    struct rf_str all_told; /* where nothing is cut */
    struct rf_agent *agent;
    struct rf_arena *scratch; /* of one cut */
    struct rf_err err;
};

static const char *header(void *ctx, const char *name)
{
    (void)ctx;
    return strcmp(name, "anthropic-version") == 0 ? "2023-06-01"
           : strcmp(name, "content-type") == 0    ? "application/json"
                                                  : NULL;
}

/* The strict server's answer, all of it. */
static struct rf_str answer(struct stage *s, struct rf_sim *sim, struct rf_str body)
{
    const struct rf_sim_call call = {
        .method = "POST", .path = s->api->path, .header = header, .body = body
    };
    struct rf_sim_reply reply;
    struct rf_buf b;
    struct rf_str all;
    rf_sim_answer(sim, &call, s->scratch, &reply);
    rf_buf_init(&b, s->scratch, MOST_TEXT);
    for (size_t i = 0; i < reply.count; i++)
        rf_buf_add(&b, reply.chunks[i].bytes);
    assert_int_equal(rf_buf_finish(&b, &all, NULL), RF_OK);
    if (reply.status != 200)
        fail_msg("%s: cut at %zu of %zu (%d): refused with %d: %.*s\n%.*s", s->name, s->length,
                 s->whole.n, s->ending, reply.status, RF_FMT(all), RF_FMT(body));
    return all;
}

static enum rf_code play(void *ctx, const struct rf_sending *sending, struct rf_arena *a,
                         struct rf_sent *out, struct rf_err *err)
{
    struct stage *s = ctx;
    struct rf_str body, bytes;
    (void)a;
    assert_int_equal(rf_rope_flatten(sending->body, MOST_TEXT, s->scratch, &body, err), RF_OK);
    bool first = s->requests++ == 0;
    if (first)
        bytes = (struct rf_str){ s->whole.p, s->length };
    else
        bytes = answer(s, s->strict, body);
    *out = (struct rf_sent){ .status = 200, .tries = 1 };
    if (!sending->bytes(sending->ctx, bytes))
        return rf_fail(err, RF_ELIMIT, "the receiver had enough");
    return first && s->ending == BREAKS ? rf_fail(err, RF_EPROVIDER, "the connection broke")
                                        : RF_OK;
}

static bool hear(void *ctx, const struct rf_agent_event *e)
{
    struct stage *s = ctx;
    if (e->type == RF_AGENT_TEXT && s->requests == 1)
        rf_buf_add(&s->told, e->text);
    return true;
}

static void begin(struct stage *s, size_t length, enum ending ending)
{
    s->length = length;
    s->ending = ending;
    s->requests = 0;
    s->scratch = rf_arena_new();
    rf_buf_init(&s->told, s->scratch, MOST_TEXT);
    assert_int_equal(rf_agent_new(NULL, NULL, &s->agent, &s->err), RF_OK);
    assert_int_equal(rf_agent_model(s->agent, s->api->model, &s->err), RF_OK);
    rf_agent_folders(s->agent, s->folder, s->folder);
    rf_agent_listen(s->agent, hear, s);
    s->agent->asking.transport->send = play;
    s->agent->asking.transport->ctx = s;
}

static void end(struct stage *s)
{
    rf_agent_free(s->agent);
    rf_arena_free(s->scratch);
}

#define check(good, what) check_that(s, good, what)

static struct rf_str written(struct stage *s, const struct rf_message *messages, size_t count)
{
    struct rf_conversation c = { .arena = s->scratch,
                                 .messages = (struct rf_message *)messages,
                                 .message_count = count };
    struct rf_str text;
    assert_int_equal(rf_conversation_write(&c, &text, NULL), RF_OK);
    return text;
}

static void check_that(struct stage *s, bool good, const char *what)
{
    const struct rf_history *h = &s->agent->history;
    if (good)
        return;
    struct rf_str last = h->count > 1 ? written(s, &h->messages[1], 1) : RF_STR("");
    fail_msg("%s: cut at %zu of %zu (%d): %s; %s; told \"%.*s\"; kept %.*s", s->name, s->length,
             s->whole.n, s->ending, what, s->err.msg, (int)s->told.n, s->told.p, RF_FMT(last));
}

static bool kept(struct stage *s, const char *words)
{
    const struct rf_history *h = &s->agent->history;
    return rf_str_contains(written(s, h->messages, h->count), rf_str(words));
}

/* What the first answer's message has: its words, and how many calls. */
static void look_at_kept(struct stage *s, struct rf_str *text, size_t *calls)
{
    const struct rf_message *m = &s->agent->history.messages[1];
    struct rf_buf b;
    rf_buf_init(&b, s->scratch, MOST_TEXT);
    *calls = 0;
    for (size_t i = 0; i < m->block_count; i++) {
        rf_buf_add(&b, m->blocks[i].text);
        *calls += m->blocks[i].type == RF_BLOCK_TOOL_CALL;
    }
    assert_int_equal(rf_buf_finish(&b, text, NULL), RF_OK);
}

static void check_cut(struct stage *s, enum rf_code rc)
{
    struct rf_str told = { s->told.p, s->told.n };
    check(rc == RF_EPROVIDER, "another failure");
    check(s->ending == BREAKS || s->err.hint[0], "no hint");
    check(!kept(s, SECRET), "a tool ran");
    check(told.n <= s->all_told.n && rf_str_eq(told, (struct rf_str){ s->all_told.p, told.n }),
          "other words");
    struct rf_str text = RF_STR("");
    size_t calls = 0, count = s->agent->history.count;
    if (count > 1)
        look_at_kept(s, &text, &calls);
    check(rf_str_eq(text, told), "words are lost");
    check(count == 1 ? !calls : count == 2 + calls, "calls without results");
    check(!kept(s, "malformed_arguments"), "half a call");
}

static void cut(struct stage *s, size_t length, enum ending ending)
{
    struct rf_str text;
    begin(s, length, ending);
    enum rf_code rc = rf_agent_ask(s->agent, RF_STR("What do they say?"), &text, &s->err);
    if (rc)
        check_cut(s, rc);
    else
        check(ending == ENDS && s->told.n == s->all_told.n, "it was taken for whole");
    rc = rf_agent_ask(s->agent, RF_STR("Go on."), &text, &s->err);
    check(!rc && text.n, "it does not go on");
    end(s);
}

/* What it says where nothing is cut. */
static void take_whole(struct stage *s)
{
    struct rf_str text;
    s->all_told = RF_STR("");
    begin(s, s->whole.n, ENDS);
    enum rf_code rc = rf_agent_ask(s->agent, RF_STR("What do they say?"), &text, &s->err);
    check(!rc || rc == RF_EPROVIDER, "the whole of it");
    s->all_told = rf_str_dup(s->arena, (struct rf_str){ s->told.p, s->told.n });
    end(s);
}

static void stage_open(struct stage *s)
{
    const struct rf_sim_options strict = { .any_key = true, .no_worker = true };
    memset(s, 0, sizeof *s);
    s->arena = rf_arena_new();
    s->folder = scratch_new(s->arena);
    setenv("XDG_DATA_HOME", in_folder(s->arena, s->folder, "data"), 1);
    setenv("XDG_CACHE_HOME", in_folder(s->arena, s->folder, "cache"), 1);
    write_file(in_folder(s->arena, s->folder, "one.txt"), RF_STR(SECRET "\n"));
    assert_int_equal(rf_sim_new(&strict, &s->strict, &s->err), RF_OK);
}

static void stage_close(struct stage *s)
{
    rf_sim_free(s->strict);
    scratch_remove(s->folder);
    rf_arena_free(s->arena);
}

/* The simulator's streams */

static enum rf_code record(void *ctx, const struct rf_sending *sending, struct rf_arena *a,
                           struct rf_sent *out, struct rf_err *err)
{
    struct stage *s = ctx;
    const char *path = in_folder(s->arena, s->folder, "script.yaml");
    const struct rf_sim_options scripted = { .any_key = true, .no_worker = true, .script = path };
    struct rf_sim *sim;
    struct rf_str body;
    (void)a;
    write_file(path, rf_str(script));
    assert_int_equal(rf_sim_new(&scripted, &sim, err), RF_OK);
    assert_int_equal(rf_rope_flatten(sending->body, MOST_TEXT, s->scratch, &body, err), RF_OK);
    s->whole = rf_str_dup(s->arena, answer(s, sim, body));
    rf_sim_free(sim);
    *out = (struct rf_sent){ .tries = 1 };
    return rf_fail(err, RF_EPROVIDER, "that was all");
}

static void simulated_streams(void **state)
{
    struct stage stage, *s = &stage;
    struct rf_str text;
    stage_open(s);
    s->api = *state;
    s->name = s->api->model;
    begin(s, 0, ENDS);
    s->agent->asking.transport->send = record;
    assert_int_equal(rf_agent_ask(s->agent, RF_STR("?"), &text, &s->err), RF_EPROVIDER);
    end(s);
    take_whole(s);
    assert_true(s->all_told.n > 20 && s->whole.n > 300);
    for (size_t n = 1; n < s->whole.n; n++)
        cut(s, n, n % 3 ? BREAKS : ENDS);
    cut(s, s->whole.n, BREAKS);
    stage_close(s);
}

/* A search of the provider's own: without what it found, the real server refuses it. */

#define EVENT(type, members) "event: " type "\ndata: {'type':'" type "'" members "}\n\n"
#define BLOCK(i, members)                                                         \
    EVENT("content_block_start", ",'index':" #i ",'content_block':{" members "}") \
    EVENT("content_block_stop", ",'index':" #i)

static const char searched[] = EVENT(
    "message_start", ",'message':{'id':'m','role':'assistant','content':[],'usage':{}}")
    BLOCK(0, "'type':'text','text':'Let me look. '") BLOCK(
        1, "'type':'server_tool_use','id':'srvtoolu_1','name':'web_search','input':{'query':'x'}")
        BLOCK(2, "'type':'web_search_tool_result','tool_use_id':'srvtoolu_1','content':[]")
            BLOCK(3, "'type':'text','text':'There is nothing.'")
                EVENT("message_delta", ",'delta':{'stop_reason':'end_turn'}")
                    EVENT("message_stop", "");

static void a_search_is_kept_with_what_it_found(void **state)
{
    struct stage stage, *s = &stage;
    struct rf_str text;
    (void)state;
    stage_open(s);
    s->api = &apis[0];
    s->name = "a search";
    s->whole = quoted(s->arena, searched);
    take_whole(s);
    assert_str(s->all_told, "Let me look. There is nothing.");
    for (size_t n = 1; n < s->whole.n; n++) {
        cut(s, n, n % 2 ? BREAKS : ENDS);
        begin(s, n, BREAKS);
        assert_int_equal(rf_agent_ask(s->agent, RF_STR("?"), &text, &s->err), RF_EPROVIDER);
        check(kept(s, "server_tool_use") == kept(s, "web_search_tool_result"),
              "one without the other");
        end(s);
    }
    stage_close(s);
}

/* Recorded streams */

struct recorded {
    struct stage stage;
    bool wholly[COUNT(apis)]; /* one with words in it was cut at every byte */
    size_t streams, cuts;
};

static struct rf_str stream_of(const struct rf_jval *body, struct rf_arena *a)
{
    const struct rf_jval *frames = rf_jval_get(body, "$eventstream_b64");
    size_t n;
    if (body && body->type == RF_JSTRING) {
        struct rf_str text = rf_jval_text(body, a);
        return rf_str_contains(text, RF_STR("data: ")) ? text : RF_STR("");
    }
    if (!frames || !rf_base64_decoded_length(frames->raw.p, frames->raw.n, &n))
        return RF_STR("");
    char *p = rf_arena_alloc(a, n + 1);
    assert_true(rf_base64_decode(frames->raw.p, frames->raw.n, p));
    return (struct rf_str){ p, n };
}

static void cut_recorded(struct recorded *r, size_t api)
{
    struct stage *s = &r->stage;
    size_t step = s->whole.n / PLACES + 1;
    s->api = &apis[api];
    take_whole(s);
    if (s->whole.n <= WHOLLY && s->all_told.n && (!r->wholly[api] || getenv("REFRACT_SOAK"))) {
        r->wholly[api] = true;
        step = 1;
    }
    for (size_t n = 1; n < s->whole.n; n += step, r->cuts++)
        cut(s, n, r->cuts % 3 ? BREAKS : ENDS);
    r->streams++;
}

static void look_at(struct recorded *r, const struct rf_jval *exchange)
{
    struct stage *s = &r->stage;
    const struct rf_jval *url = rf_jval_get(rf_jval_get(exchange, "request"), "url");
    s->whole = stream_of(rf_jval_get(rf_jval_get(exchange, "response"), "body"), s->arena);
    for (size_t i = 0; s->whole.n && url && i < COUNT(apis); i++)
        if (apis[i].address &&
            rf_str_contains(rf_jval_text(url, s->arena), rf_str(apis[i].address))) {
            cut_recorded(r, i);
            return;
        }
}

static void look_into(struct recorded *r, const char *path)
{
    struct stage *s = &r->stage;
    struct rf_str text;
    const struct rf_jval *root;
    s->name = path;
    assert_int_equal(rf_file_read(path, RF_MAX_DOCUMENT_BYTES, s->arena, &text, NULL), RF_OK);
    assert_int_equal(rf_jval_parse(text, s->arena, &root, NULL), RF_OK);
    const struct rf_jval *list = rf_jval_get(root, "exchanges");
    for (const struct rf_jval *e = list ? rf_jval_first(list) : NULL; e; e = rf_jval_next(list, e))
        look_at(r, e);
}

static void look_through(struct recorded *r, const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        const char *path = in_folder(r->stage.arena, folder, e->d_name);
        if (rf_str_ends(rf_str(e->d_name), ".json"))
            look_into(r, path);
        else if (e->d_type == DT_DIR && e->d_name[0] != '.' && e->d_name[0] != '_')
            look_through(r, path);
    }
    if (dir)
        closedir(dir);
}

static void recorded_streams(void **state)
{
    static struct recorded r;
    const char *shared = getenv("REFRACT_SHARED");
    char folder[4096];
    (void)state;
    snprintf(folder, sizeof folder, "%s/recordings", shared ? shared : "");
    if (!shared || access(folder, R_OK) != 0) {
        print_message("skipped: REFRACT_SHARED is not set, or has no recordings\n");
        skip();
    }
    stage_open(&r.stage);
    look_through(&r, folder);
    print_message("%zu recorded streams were cut at %zu places\n", r.streams, r.cuts);
    for (size_t i = 0; i < COUNT(apis); i++)
        assert_true(r.wholly[i] || !apis[i].address);
    stage_close(&r.stage);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(apis) + 2];
    name_rows(tests, simulated_streams, apis, COUNT(apis), sizeof *apis);
    tests[COUNT(apis)] = (struct CMUnitTest)cmocka_unit_test(a_search_is_kept_with_what_it_found);
    tests[COUNT(apis) + 1] = (struct CMUnitTest)cmocka_unit_test(recorded_streams);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
