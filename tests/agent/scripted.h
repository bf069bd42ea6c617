/* An agent whose model is a script: a row a request, with what comes back as Anthropic's stream. */
#ifndef TESTS_AGENT_SCRIPTED_H
#define TESTS_AGENT_SCRIPTED_H

#include "agent/agent.h"
#include "agent/turn/transport.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/limits.h"
#include "config/yaml.h"
#include "store/store.h"

#include "../testing.h"

#include <pthread.h>

/* Pieces of a stream, with ' for ". */
#define START                                                                                \
    "event: message_start\ndata: {'type':'message_start','message':{'id':'m1','role':"       \
    "'assistant','model':'x','content':[],'usage':{'input_tokens':1000,'output_tokens':1}}}" \
    "\n\n"
#define OPEN_TEXT(i)                                                              \
    "event: content_block_start\ndata: {'type':'content_block_start','index':" #i \
    ",'content_block':{'type':'text','text':''}}\n\n"
#define DELTA(i, words)                                                           \
    "event: content_block_delta\ndata: {'type':'content_block_delta','index':" #i \
    ",'delta':{'type':'text_delta','text':'" words "'}}\n\n"
#define CLOSE(i) "event: content_block_stop\ndata: {'type':'content_block_stop','index':" #i "}\n\n"
#define SAY(i, words) OPEN_TEXT(i) DELTA(i, words) CLOSE(i)
#define OPEN_CALL(i, id, tool)                                                    \
    "event: content_block_start\ndata: {'type':'content_block_start','index':" #i \
    ",'content_block':{'type':'tool_use','id':'" id "','name':'" tool "','input':{}}}\n\n"
/* `json` with \' for its quotes. */
#define ARGUMENTS(i, json)                                                        \
    "event: content_block_delta\ndata: {'type':'content_block_delta','index':" #i \
    ",'delta':{'type':'input_json_delta','partial_json':'" json "'}}\n\n"
#define CALL(i, id, tool, json) OPEN_CALL(i, id, tool) ARGUMENTS(i, json) CLOSE(i)
#define STOP(reason)                                                                      \
    "event: message_delta\ndata: {'type':'message_delta','delta':{'stop_reason':'" reason \
    "'},'usage':{'output_tokens':7}}\n\nevent: message_stop\ndata: {'type':'message_stop'}\n\n"
#define ANSWER(words) START SAY(0, words) STOP("end_turn")
#define CALLS_END STOP("tool_use")

struct scene;

struct step {
    const char *reply;   /* with ' for " */
    int status;          /* 0: 200 */
    const char *refused; /* as long as a request has a picture, this comes instead, with 400 */
    enum rf_code fails;  /* after the reply, as a connection that breaks does */
    void (*then)(struct scene *s); /* when the reply was handed over, before the end */
};

struct scene {
    struct rf_arena *arena;
    const char *folder;
    struct rf_store *store;
    struct rf_agent *agent;
    struct rf_config config;
    const struct step *steps;
    size_t count, at;
    size_t refusals;
    const struct rf_endpoint *endpoint; /* whose keys are known; or NULL */
    struct rf_str bodies[128];          /* that were sent */
    struct rf_buf heard;                /* what was told of, a line an event */
    const char *stops_at;               /* the event at which the listener stops; or NULL */
    enum rf_permission permission;
    size_t asked;
    struct rf_str asked_about; /* "TOOL ARGUMENTS", a line each */
    pthread_t thread;          /* that asks */
    struct rf_err err;
};

#define good(call) check_good(call, &s->err, __FILE__, __LINE__)

static inline void check_good(enum rf_code rc, const struct rf_err *err, const char *file, int line)
{
    if (rc)
        print_error("%s:%d: %s: %s\n", file, line, rf_code_name(rc), err->msg);
    _assert_int_equal(rc, RF_OK, file, line);
}

#define assert_has(text, words) check_has(text, words, __FILE__, __LINE__)
#define assert_lacks(text, words) check_lacks(text, words, __FILE__, __LINE__)

static inline void check_has(struct rf_str text, const char *words, const char *file, int line)
{
    if (rf_str_contains(text, rf_str(words)))
        return;
    print_error("%s:%d: \"%s\" is not in: %.*s\n", file, line, words, (int)text.n, text.p);
    _fail(file, line);
}

static inline void check_lacks(struct rf_str text, const char *words, const char *file, int line)
{
    if (!rf_str_contains(text, rf_str(words)))
        return;
    print_error("%s:%d: \"%s\" is in: %.*s\n", file, line, words, (int)text.n, text.p);
    _fail(file, line);
}

static inline enum rf_code play(void *ctx, const struct rf_sending *sending, struct rf_arena *a,
                                struct rf_sent *out, struct rf_err *err)
{
    struct scene *s = ctx;
    assert_true(s->at < s->count);
    const struct step *step = &s->steps[s->at];
    assert_int_equal(rf_rope_flatten(sending->body, SIZE_MAX, s->arena, &s->bodies[s->at], err), 0);
    if (step->refused && rf_str_contains(s->bodies[s->at], RF_STR("\"type\":\"image\""))) {
        assert_true(s->refusals++ < 5);
        *out = (struct rf_sent){ .status = 400, .tries = 1 };
        sending->refusal(sending->model, 400, quoted(s->arena, step->refused), a, &out->refusal);
        return RF_OK;
    }
    s->at++;
    struct rf_str reply = quoted(s->arena, step->reply ? step->reply : "");
    *out = (struct rf_sent){ .status = step->status ? step->status : 200,
                             .tries = 1,
                             .endpoint = s->endpoint };
    if (out->status != 200) {
        sending->refusal(sending->model, out->status, rf_str_dup(a, reply), a, &out->refusal);
        return RF_OK;
    }
    if (sending->secrets)
        rf_endpoint_secrets(s->endpoint, a, sending->secrets);
    for (size_t i = 0; i < reply.n; i += 7) /* in pieces that end anywhere */
        if (!sending->bytes(sending->ctx,
                            (struct rf_str){ reply.p + i, reply.n - i < 7 ? reply.n - i : 7 }))
            return rf_fail(err, RF_ELIMIT, "the receiver had enough");
    if (step->then)
        step->then(s);
    return step->fails ? rf_fail(err, step->fails, "the connection broke") : RF_OK;
}

static inline bool hear(void *ctx, const struct rf_agent_event *e)
{
    static const char *const names[] = {
        [RF_AGENT_TEXT] = "text",
        [RF_AGENT_THINKING] = "thinking",
        [RF_AGENT_SENDING] = "sending",
        [RF_AGENT_FILE] = "file",
        [RF_AGENT_CALL] = "call",
        [RF_AGENT_RESULT] = "result",
        [RF_AGENT_NOTE] = "note",
        [RF_AGENT_WAITING] = "waiting",
        [RF_AGENT_USAGE] = "usage",
        [RF_AGENT_REFERENCE] = "reference",
        [RF_AGENT_PROGRESS] = "progress",
        [RF_AGENT_CHANGED] = "changed",
        [RF_AGENT_FOR_PERSON] = "for_person",
    };
    struct scene *s = ctx;
    assert_int_equal(e->size, sizeof *e);
    rf_buf_addf(&s->heard, "%s", names[e->type]);
    if (e->type == RF_AGENT_FILE)
        rf_buf_addf(&s->heard, " %s", rf_delivery_name(rf_report_delivery(e->request, e->file)));
    if (e->name.n)
        rf_buf_addf(&s->heard, " %.*s %.*s%s", RF_FMT(e->name), RF_FMT(e->call),
                    e->failed ? " failed" : "");
    if (e->text.n)
        rf_buf_addf(&s->heard, " %.*s", RF_FMT(e->text));
    rf_buf_addc(&s->heard, '\n');
    return !s->stops_at || strcmp(s->stops_at, names[e->type]) != 0;
}

static inline struct rf_str heard(const struct scene *s)
{
    return rf_str_dup(s->arena, (struct rf_str){ s->heard.p, s->heard.n });
}

static inline enum rf_permission permit(void *ctx, struct rf_str tool, struct rf_str arguments)
{
    struct scene *s = ctx;
    assert_true(pthread_equal(pthread_self(), s->thread));
    s->asked_about = rf_strf(s->arena, "%.*s%.*s %.*s\n", RF_FMT(s->asked_about), RF_FMT(tool),
                             RF_FMT(arguments));
    s->asked++;
    return s->permission;
}

static inline void configure(struct scene *s, const char *yaml)
{
    struct rf_problems problems = { 0 };
    struct rf_yaml root;
    good(rf_yaml_read(rf_str(yaml), "config.yaml", s->arena, &root, &s->err));
    rf_config_merge(&s->config, "config.yaml", &root, &problems);
    if (problems.count)
        print_error("%s\n", problems.first.msg);
    assert_int_equal(problems.count, 0);
}

static inline void open_agent(struct scene *s)
{
    good(rf_agent_new(&s->config, s->store, &s->agent, &s->err));
    good(rf_agent_model(s->agent, "anthropic:claude-sonnet-4-5", &s->err));
    rf_agent_folders(s->agent, s->folder, s->folder);
    rf_agent_listen(s->agent, hear, s);
    rf_agent_permit(s->agent, permit, s);
    s->agent->asking.transport->send = play;
    s->agent->asking.transport->ctx = s;
}

enum keeping {
    IN_MEMORY,
    IN_STORE,
};

static inline void open_store(struct scene *s)
{
    const struct rf_store_options options = {
        .address = in_folder(s->arena, s->folder, "store"),
        .file_bytes = RF_STORE_FILE_BYTES,
        .text_bytes = RF_STORE_TEXT_BYTES,
    };
    good(rf_store_make(&options, &s->store, &s->err));
}

static inline void scene_open(struct scene *s, enum keeping keeping, const char *yaml,
                              const struct step *steps, size_t count)
{
    memset(s, 0, sizeof *s);
    s->arena = rf_arena_new();
    s->folder = scratch_new(s->arena);
    setenv("XDG_DATA_HOME", in_folder(s->arena, s->folder, "data"), 1);
    setenv("XDG_CACHE_HOME", in_folder(s->arena, s->folder, "cache"), 1);
    s->config.arena = s->arena;
    s->thread = pthread_self();
    s->steps = steps;
    s->count = count;
    rf_buf_init(&s->heard, s->arena, (size_t)16 << 20);
    if (keeping == IN_STORE)
        open_store(s);
    if (yaml)
        configure(s, yaml);
    open_agent(s);
}

static inline void scene_close(struct scene *s)
{
    rf_agent_free(s->agent);
    rf_store_close(s->store);
    scratch_remove(s->folder);
    rf_arena_free(s->arena);
}

/* The picture of 8x8 pixels that the fixtures have. */
static inline void add_picture(struct scene *s, const char *name)
{
    const char *source = getenv("REFRACT_SOURCE");
    struct rf_str bytes;
    assert_non_null(source);
    good(rf_file_read(in_folder(s->arena, source, "tests/fixtures/red.png"), 1 << 20, s->arena,
                      &bytes, &s->err));
    write_file(in_folder(s->arena, s->folder, name), bytes);
}

static inline enum rf_code ask(struct scene *s, const char *words, struct rf_str *answer)
{
    const struct rf_words typed = { rf_str(words), RF_ORIGIN_TYPED };
    return rf_agent_ask_words(s->agent, &typed, 1, answer, &s->err);
}

/* One message that is held, as text. */
static inline struct rf_str message(struct scene *s, size_t i)
{
    struct rf_conversation one = { .arena = s->arena,
                                   .messages = &s->agent->history.messages[i],
                                   .message_count = 1 };
    struct rf_str text;
    good(rf_conversation_write(&one, &text, &s->err));
    return text;
}

/* All that is kept, as text; it lives as long as the scene. */
static inline struct rf_str kept(struct scene *s)
{
    struct rf_history *h = &s->agent->history;
    struct rf_conversation held, *c = &held;
    struct rf_str text;
    if (h->session)
        good(rf_session_conversation(h->session, &c, &s->err));
    else
        good(rf_history_view(h, NULL, s->arena, &held, &s->err));
    good(rf_conversation_write(c, &text, &s->err));
    text = rf_str_dup(s->arena, text);
    if (h->session)
        rf_conversation_free(c);
    return text;
}

static inline size_t message_count(struct scene *s)
{
    return s->agent->history.count;
}

#endif
