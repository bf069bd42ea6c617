/* Replies written as an API's own, read again: every recorded reply and stream, whole, as a stream
 * and as its events come, is the same message afterwards; in every other dialect its words and
 * calls are. All events come in the order that refract/reply.h tells.
 *
 * Needs REFRACT_SHARED; without it, it says so. */
#include "recordings.h"

#include "base/base64.h"
#include "model/model.h"
#include "request/request.h"
#include "wire/wire.h"

#include <refract/respond.h>

static struct rf_err test_err;

static const struct {
    const char *folder, *address; /* of a recording, and a piece of the request's address */
    const char *provider, *name;
    bool is_stream; /* the address says so */
} apis[] = {
    { "", "/v1/messages", "anthropic", "claude-sonnet-4-5", false },
    { "", "/converse-stream", "bedrock", "anthropic.claude-x", true },
    { "", "/converse", "bedrock", "anthropic.claude-x", false },
    { "", ":streamGenerateContent", "google", "gemini-2.5-flash", true },
    { "", ":generateContent", "google", "gemini-2.5-flash", false },
    { "", "/responses", "openai", "gpt-5", false },
    { "cohere", "/chat", "cohere", "command-a-03-2025", false },
    { "mistral", "/chat/completions", "mistral", "mistral-large-latest", false },
    { "groq", "/chat/completions", "groq", "openai/gpt-oss-120b", false },
    { "openrouter", "/chat/completions", "openrouter", "openai/gpt-4o", false },
    { "", "/chat/completions", "openai-chat", "gpt-4o", false },
};

static const char *const dialects[][2] = {
    { "anthropic", "anthropic:claude-sonnet-4-5" }, { "bedrock", "bedrock:anthropic.claude-x" },
    { "gemini", "google:gemini-2.5-flash" },        { "openai-responses", "openai:gpt-5" },
    { "openai-chat", "openai-chat:gpt-4o" },        { "mistral", "mistral:mistral-large-latest" },
    { "cohere", "cohere:command-a-03-2025" },       { "ollama", "ollama:llama3.2" },
};

/* The order of events */

enum { MOST_BLOCKS = 1024 };

struct listener {
    struct rf_respond *to; /* that hears what comes, or NULL */
    bool begun, over, done;
    enum { UNKNOWN, OPEN, CLOSED } blocks[MOST_BLOCKS];
};

static bool block_follows(struct listener *l, const struct rf_event *e)
{
    assert_true(e->block < MOST_BLOCKS);
    bool start = e->type == RF_EVENT_BLOCK_START;
    if (l->over || l->blocks[e->block] != (start ? UNKNOWN : OPEN))
        return false;
    l->blocks[e->block] = e->type == RF_EVENT_BLOCK_END ? CLOSED : OPEN;
    return true;
}

static bool end_follows(struct listener *l)
{
    for (size_t i = 0; i < MOST_BLOCKS; i++)
        if (l->blocks[i] == OPEN)
            return false;
    return true;
}

static bool follows(struct listener *l, const struct rf_event *e)
{
    bool begun = l->begun, over = l->over;
    if (l->done)
        return false;
    l->begun = true;
    switch (e->type) {
    case RF_EVENT_BEGIN:
        return !begun;
    case RF_EVENT_BLOCK_START:
    case RF_EVENT_TEXT:
    case RF_EVENT_THINKING:
    case RF_EVENT_ARGUMENTS:
    case RF_EVENT_SIGNATURE:
    case RF_EVENT_CITATION:
    case RF_EVENT_MEDIA:
    case RF_EVENT_BLOCK_END:
        return begun && block_follows(l, e);
    case RF_EVENT_USAGE:
        return begun;
    case RF_EVENT_STOP:
    case RF_EVENT_ERROR:
        l->over = true;
        return begun && !over && end_follows(l);
    case RF_EVENT_DONE:
        l->done = true;
        return begun && end_follows(l);
    }
    return false;
}

static bool hear(void *ctx, const struct rf_event *e)
{
    struct listener *l = ctx;
    if (!follows(l, e))
        fail_msg("%s of block %zu comes where it may not", rf_event_name(e->type), e->block);
    if (l->to)
        assert_int_equal(rf_respond_event(l->to, e, &test_err), RF_OK);
    return true;
}

/* The neutral message, whatever it says. */
static struct rf_str decode(const struct rf_model *m, struct rf_str bytes, bool stream,
                            struct rf_respond *to, struct rf_arena *a)
{
    struct rf_decode *d = stream ? rf_decode_stream(m) : rf_decode_response(m);
    struct listener listener = { .to = to };
    struct rf_str json;
    rf_decode_listen(d, hear, &listener);
    (void)!rf_decode_feed(d, bytes, NULL);
    (void)!rf_decode_finish(d, &json, NULL);
    assert_true(listener.done);
    json = rf_str_dup(a, json);
    rf_decode_free(d);
    return json;
}

static struct rf_respond *respond_new(const char *dialect, const struct rf_model *from, bool stream)
{
    const struct rf_respond_options o = {
        .size = sizeof o, .dialect = dialect, .stream = stream, .from = from
    };
    struct rf_respond *r;
    assert_int_equal(rf_respond_new(&o, &r, &test_err), RF_OK);
    return r;
}

struct written {
    struct rf_str bytes;
    bool is_stream;
    size_t lost;
};

static struct written written(struct rf_respond *r, bool stream, struct rf_arena *a)
{
    const struct written w = {
        .bytes = rf_str_dup(a, rf_respond_bytes(r)),
        .is_stream = stream && rf_respond_status(r) == 200,
        .lost = rf_respond_lost_count(r),
    };
    rf_respond_free(r);
    return w;
}

static struct written respond(const char *dialect, struct rf_str message, bool stream,
                              struct rf_arena *a)
{
    struct rf_respond *r = respond_new(dialect, NULL, stream);
    assert_int_equal(rf_respond_message(r, message, &test_err), RF_OK);
    return written(r, stream, a);
}

/* As its events come. */
static struct written relay(const char *dialect, const struct rf_model *m, struct rf_str bytes,
                            bool is_stream, struct rf_arena *a)
{
    struct rf_respond *r = respond_new(dialect, m, true);
    decode(m, bytes, is_stream, r, a);
    return written(r, true, a);
}

/* In its own dialect */

static bool same_value(const struct rf_jval *x, const struct rf_jval *y);

/* In any order, but for members that may be new. */
static bool same_members(const struct rf_jval *x, const struct rf_jval *y, const char *const *fresh)
{
    uint32_t found = 0;
    for (const struct rf_jval *k = rf_jval_first(x); k; k = rf_jval_next(x, k + 1), found++) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", RF_FMT(k->raw));
        if (!same_value(k + 1, rf_jval_get(y, name)))
            return false;
    }
    for (; fresh && *fresh; fresh++)
        found += !rf_jval_get(x, *fresh) && rf_jval_get(y, *fresh);
    return found == y->count;
}

static bool same_list(const struct rf_jval *x, const struct rf_jval *y)
{
    const struct rf_jval *b = rf_jval_first(y);
    for (const struct rf_jval *a = rf_jval_first(x); a; a = rf_jval_next(x, a)) {
        if (!b || !same_value(a, b))
            return false;
        b = rf_jval_next(y, b);
    }
    return !b;
}

static bool same_value(const struct rf_jval *x, const struct rf_jval *y)
{
    if (!x || !y || x->type != y->type)
        return false;
    if (x->type == RF_JOBJECT)
        return same_members(x, y, NULL);
    return x->type == RF_JARRAY ? same_list(x, y) : rf_str_eq(x->raw, y->raw);
}

/* A reply without an id or a model gets one, and a stop or a failure without a name of its own. */
static bool is_same(struct rf_str again, struct rf_str message, struct rf_arena *a)
{
    static const char *const fresh[] = { "id", "model", "stop_reason_original", NULL };
    static const char *const fresh_code[] = { "code", NULL };
    const struct rf_jval *x, *y;
    if (rf_str_eq(again, message))
        return true;
    assert_int_equal(rf_jval_parse(message, a, &x, &test_err), RF_OK);
    assert_int_equal(rf_jval_parse(again, a, &y, &test_err), RF_OK);
    if (same_members(x, y, fresh))
        return true;
    x = rf_jval_get(x, "error"), y = rf_jval_get(y, "error");
    return x && y && same_members(x, y, fresh_code);
}

/* A stream that failed on the way has no whole form but its error. */
static bool failed_on_the_way(struct rf_str message)
{
    return rf_str_contains(message, RF_STR("\"error\":{\"kind\"")) &&
           !rf_str_contains(message, RF_STR("\"content\":[],\"stop_reason\""));
}

static void check_same(const struct recording *p, const struct rf_model *m, const char *how,
                       struct written w, struct rf_str message)
{
    struct rf_str again = decode(m, w.bytes, w.is_stream, NULL, p->arena);
    if (!is_same(again, message, p->arena))
        fail_msg("%s[%zu], %s\nis:  %.*s\nwas: %.*s\nas:  %.*s", p->path, p->exchange, how,
                 RF_FMT(again), RF_FMT(message), RF_FMT(w.bytes));
}

/* What cannot be the same as its events come. */
static const struct {
    const char *file, *why;
} exceptions[] = {
    { "mcp_list_tools_stream_backfills", "items end in another order than they begin in" },
};

static bool is_exception(const char *path)
{
    for (size_t i = 0; i < COUNT(exceptions); i++)
        if (strstr(path, exceptions[i].file))
            return true;
    return false;
}

static void check_own(const struct recording *p, const struct rf_model *m, struct rf_str bytes,
                      bool is_stream, struct rf_str message)
{
    const char *dialect = rf_cstr(p->arena, m->caps.dialect);
    if (!failed_on_the_way(message))
        check_same(p, m, "whole", respond(dialect, message, false, p->arena), message);
    check_same(p, m, "as a stream", respond(dialect, message, true, p->arena), message);
    if (!is_exception(p->path))
        check_same(p, m, "as its events come", relay(dialect, m, bytes, is_stream, p->arena),
                   message);
}

/* In every other one: its words and calls */

static struct rf_str essence(struct rf_str message, struct rf_arena *a)
{
    const struct rf_jval *root, *list;
    struct rf_str texts = RF_STR(""), calls = RF_STR("");
    assert_int_equal(rf_jval_parse(message, a, &root, &test_err), RF_OK);
    list = rf_jval_get(root, "content");
    for (const struct rf_jval *b = rf_jval_first(list); b; b = rf_jval_next(list, b)) {
        const struct rf_jval *type = rf_jval_get(b, "type");
        if (rf_jval_is(type, "text"))
            texts = rf_str_join(a, texts, rf_jval_text(rf_jval_get(b, "text"), a));
        if (rf_jval_is(type, "tool_call"))
            calls = rf_strf(a, "%.*s\n%.*s(%.*s)", RF_FMT(calls),
                            RF_FMT(rf_jval_text(rf_jval_get(b, "name"), a)),
                            RF_FMT(rf_jval_compact(rf_jval_get(b, "arguments"), a)));
    }
    return rf_str_join(a, texts, calls);
}

/* What it has besides: how many citations, and what is signed or sealed. */
static struct rf_str marks(struct rf_str message, struct rf_arena *a)
{
    static const char *const names[] = { "signature", "redacted", "encrypted" };
    const struct rf_jval *root, *list;
    struct rf_str all = RF_STR("");
    uint32_t count = 0;
    assert_int_equal(rf_jval_parse(message, a, &root, &test_err), RF_OK);
    list = rf_jval_get(root, "content");
    for (const struct rf_jval *b = rf_jval_first(list); b; b = rf_jval_next(list, b)) {
        const struct rf_jval *citations = rf_jval_get(b, "citations");
        count += citations ? citations->count : 0;
        for (size_t i = 0; i < COUNT(names); i++) {
            const struct rf_jval *v = rf_jval_get(b, names[i]);
            all = v ? rf_strf(a, "%.*s %.*s", RF_FMT(all), RF_FMT(v->raw)) : all;
        }
    }
    return rf_strf(a, "%u%.*s", count, RF_FMT(all));
}

static bool has_files(struct rf_str message)
{
    return rf_str_contains(message, RF_STR("\"media_type\":")) ||
           rf_str_contains(message, RF_STR("malformed_arguments"));
}

/* Not all APIs have a word for that, and an error for it holds nothing else. */
static bool is_broken(struct rf_str message)
{
    return rf_str_contains(message, RF_STR("\"stop_reason\":\"malformed\"")) ||
           rf_str_contains(message, RF_STR("\"stop_reason\":\"error\""));
}

/* What was written, as the other API's decoder reads it. */
static struct rf_str check_other(const struct recording *p, const char *const other[2],
                                 struct written w, struct rf_str want)
{
    struct rf_model *m;
    assert_int_equal(rf_model_open(NULL, other[1], &m, &test_err), RF_OK);
    struct rf_str again = decode(m, w.bytes, w.is_stream, NULL, p->arena);
    if (!rf_str_eq(essence(again, p->arena), want))
        fail_msg("%s[%zu] as %s%s\nis:  %.*s\nwas: %.*s\nas:  %.*s", p->path, p->exchange, other[0],
                 w.is_stream ? ", as its events come" : "", RF_FMT(essence(again, p->arena)),
                 RF_FMT(want), RF_FMT(w.bytes));
    rf_model_close(m);
    return again;
}

/* As its events come, all marks that a whole reply has are there, or more of them are lost. */
static void check_others(const struct recording *p, const struct rf_model *m, struct rf_str bytes,
                         bool is_stream, struct rf_str message)
{
    struct rf_arena *a = p->arena;
    struct rf_str want = essence(message, a);
    if (rf_str_contains(message, RF_STR("\"error\":{")) || has_files(message) || is_broken(message))
        return;
    for (size_t i = 0; i < COUNT(dialects); i++) {
        const char *const *other = dialects[i];
        struct written body = respond(other[0], message, false, a);
        struct written events = relay(other[0], m, bytes, is_stream, a);
        struct rf_str whole = check_other(p, other, body, want);
        struct rf_str live = check_other(p, other, events, want);
        if (events.lost <= body.lost && !rf_str_eq(marks(live, a), marks(whole, a)))
            fail_msg("%s[%zu] as %s\nis:  %.*s\nwas: %.*s", p->path, p->exchange, other[0],
                     RF_FMT(live), RF_FMT(whole));
    }
}

static struct rf_str bytes_of(const struct rf_jval *body, bool *stream, struct rf_arena *a)
{
    const struct rf_jval *frames = rf_jval_get(body, "$eventstream_b64");
    size_t n;
    if (frames && rf_base64_decoded_length(frames->raw.p, frames->raw.n, &n)) {
        char *p = rf_arena_alloc(a, n + 1);
        *stream = true;
        assert_true(rf_base64_decode(frames->raw.p, frames->raw.n, p));
        return (struct rf_str){ p, n };
    }
    if (body && body->type == RF_JSTRING) {
        *stream = rf_str_contains(body->raw, RF_STR("data: "));
        return *stream ? rf_jval_text(body, a) : RF_STR("");
    }
    *stream = false;
    return body && body->type == RF_JOBJECT ? rf_jval_compact(body, a) : RF_STR("");
}

/* Of the same API, answered by something else than a reply. */
static bool is_other_question(struct rf_str url)
{
    static const char *const ends[] = { "/count_tokens", ":countTokens", "/responses/compact" };
    for (size_t i = 0; i < COUNT(ends); i++)
        if (rf_str_contains(url, rf_str(ends[i])))
            return true;
    return false;
}

static size_t check_exchange(const struct recording *p, const struct rf_jval *e)
{
    const struct rf_jval *url = rf_jval_get(rf_jval_get(e, "request"), "url");
    struct rf_arena *a = p->arena;
    bool stream;
    struct rf_str bytes = bytes_of(rf_jval_get(rf_jval_get(e, "response"), "body"), &stream, a);
    struct rf_model m;
    if (!url || is_other_question(rf_jval_text(url, a)))
        return 0;
    for (size_t i = 0; bytes.n && i < COUNT(apis); i++) {
        if (!rf_str_contains(rf_jval_text(url, a), rf_str(apis[i].address)) ||
            !strstr(p->path, apis[i].folder) || (apis[i].is_stream && !stream))
            continue;
        assert_int_equal(rf_model_init(&m, rf_str(apis[i].provider), rf_str(apis[i].name), a, NULL),
                         RF_OK);
        struct rf_str message = decode(&m, bytes, stream, NULL, a);
        if (!message.n)
            return 0;
        check_own(p, &m, bytes, stream, message);
        check_others(p, &m, bytes, stream, message);
        return 1;
    }
    return 0;
}

static void recorded_replies(void **state)
{
    (void)state;
    size_t count = check_recordings(check_exchange);
    print_message("%zu recorded replies\n", count);
    assert_true(count > 500);
}

/* Numbers of a program that knows fewer of them than the library: the rest is not told. */
static void shorter_usage(void **state)
{
    const struct rf_usage told = {
        .size = offsetof(struct rf_usage, cached), .input = 7, .output = 5, .cached = 3
    };
    const struct rf_event events[] = {
        { .size = sizeof *events, .type = RF_EVENT_USAGE, .usage = &told },
        { .size = sizeof *events, .type = RF_EVENT_DONE },
    };
    struct rf_respond *r = respond_new("openai-responses", NULL, false);
    struct rf_arena *a = rf_arena_new();
    (void)state;
    for (size_t i = 0; i < COUNT(events); i++)
        assert_int_equal(rf_respond_event(r, &events[i], NULL), RF_OK);
    struct rf_str body = rf_str_dup(a, rf_respond_bytes(r));
    assert_true(rf_str_contains(body, RF_STR("\"input_tokens\":7")));
    assert_true(rf_str_contains(body, RF_STR("\"cached_tokens\":0")));
    rf_arena_free(a);
    rf_respond_free(r);
}

/* As events tell it, and as the message does that ends them. */
static void time_to_wait(void **state)
{
    const struct rf_event refused = { .size = sizeof refused,
                                      .type = RF_EVENT_ERROR,
                                      .error = RF_ERROR_RATE_LIMIT,
                                      .text = RF_STR("slow down"),
                                      .retry_after_ms = 1500 };
    const struct rf_event done = { .size = sizeof done, .type = RF_EVENT_DONE };
    (void)state;
    for (int stream = 0; stream < 2; stream++) {
        struct rf_respond *r = respond_new("anthropic", NULL, stream);
        assert_int_equal(rf_respond_retry_after_ms(r), -1);
        assert_int_equal(rf_respond_event(r, &refused, NULL), RF_OK);
        assert_int_equal(rf_respond_event(r, &done, NULL), RF_OK);
        assert_int_equal(rf_respond_status(r), 429);
        assert_int_equal(rf_respond_retry_after_ms(r), 1500);
        rf_respond_free(r);
    }
    struct rf_respond *r = respond_new("anthropic", NULL, false);
    assert_int_equal(rf_respond_message(
                         r,
                         RF_STR("{\"role\":\"assistant\",\"content\":[],\"stop_reason\":\"error\","
                                "\"error\":{\"kind\":\"rate_limit\",\"retry_after_ms\":7}}"),
                         NULL),
                     RF_OK);
    assert_int_equal(rf_respond_retry_after_ms(r), 7);
    rf_respond_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_replies),
        cmocka_unit_test(shorter_usage),
        cmocka_unit_test(time_to_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
