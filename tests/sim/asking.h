/* What the tests of the simulator's dialects share: ask one with a body, see what it was given, and
 * read what it says with the other side's eyes.
 *
 * In bodies ' stands for ", and PNG, PDF, WAV and GIF are base64 of the smallest files of their
 * kind; PNG_10000 says that it has 10,000 pixels a side. */
#ifndef TESTS_SIM_ASKING_H
#define TESTS_SIM_ASKING_H

#include "testing.h"

#include "base/buf.h"
#include "model/model.h"
#include "sim/sim.h"

#include <refract/reply.h>

#define PNG \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
#define GIF "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
#define PDF \
    "JVBERi0xLjQKMSAwIG9iago8PC9UeXBlL0NhdGFsb2c+PgplbmRvYmoKdHJhaWxlcgo8PC9Sb290IDEgMCBSPj4KJSVFT0YK"
#define WAV "UklGRjQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YRAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define TEXT_FILE "aGVsbG8="
#define PNG_10000 \
    "iVBORw0KGgoAAAANSUhEUgAAJxAAACcQCAIAAAA1LPVwAAAACElEQVR4nAMAAAAAAUgGidIAAAAASUVORK5CYII="

struct asked_row {
    const char *name;
    const char *model; /* "provider:model" */
    const char *body;
    int status;        /* 200: it is taken */
    const char *words; /* of the refusal; or what was seen, one after the other */
};

static inline struct rf_model *asked_model(const char *name, struct rf_arena *a)
{
    struct rf_model *m = RF_NEW(a, struct rf_model);
    struct rf_str rest = rf_str(name), provider;
    struct rf_err err;
    rf_str_split(&rest, ':', &provider);
    assert_int_equal(rf_model_init(m, provider, rest, a, &err), RF_OK);
    return m;
}

/* "user: hi | call c1 read {} | result c1 read | tool/c1: text | tool/c1 image/png 70 bytes" */
static inline struct rf_str seen_words(const struct rf_sim_request *r)
{
    struct rf_buf b;
    struct rf_str out;
    struct rf_err err;
    rf_buf_init(&b, r->arena, 1 << 20);
    for (size_t i = 0; i < r->count; i++) {
        const struct rf_sim_seen *s = &r->seen[i];
        rf_buf_addf(&b, "%s", i ? " | " : "");
        if (s->kind == RF_SIM_CALL)
            rf_buf_addf(&b, "call %.*s %.*s %.*s", RF_FMT(s->call), RF_FMT(s->name),
                        RF_FMT(s->arguments));
        if (s->kind == RF_SIM_RESULT)
            rf_buf_addf(&b, "result %.*s %.*s%s", RF_FMT(s->call), RF_FMT(s->name),
                        s->failed ? " failed" : "");
        if (s->kind == RF_SIM_CALL || s->kind == RF_SIM_RESULT)
            continue;
        rf_buf_addf(&b, "%s%s%.*s", s->role, s->call.n ? "/" : "", RF_FMT(s->call));
        if (s->kind == RF_SIM_TEXT)
            rf_buf_addf(&b, ": %.*s", RF_FMT(s->text));
        else if (s->reference.n)
            rf_buf_addf(&b, " %.*s at %.*s", RF_FMT(s->mime), RF_FMT(s->reference));
        else
            rf_buf_addf(&b, " %.*s %zu bytes", RF_FMT(s->mime), s->bytes.n);
    }
    assert_int_equal(rf_buf_finish(&b, &out, &err), RF_OK);
    return out;
}

static inline void check_asked(const struct rf_sim_dialect *d, const struct asked_row *row)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_sim_call call = { .method = "POST", .path = "/", .body = quoted(a, row->body) };
    struct rf_sim_request r = { .arena = a, .model = asked_model(row->model, a), .call = &call };
    struct rf_sim_refusal refusal = { 0 };
    struct rf_sim_reply reply = { 0 };
    const struct rf_jval *body;
    struct rf_err err;
    if (rf_jval_parse(quoted(a, row->body), a, &body, &err))
        fail_msg("%s", err.msg);
    bool taken = d->check(&r, body, &refusal);
    if (taken != (row->status == 200))
        fail_msg("%d %.*s", refusal.status, RF_FMT(taken ? seen_words(&r) : refusal.message));
    if (taken) {
        assert_str(seen_words(&r), row->words);
    } else {
        assert_int_equal(refusal.status, row->status);
        if (!rf_str_contains(refusal.message, rf_str(row->words)))
            assert_str(refusal.message, row->words);
        d->refuse(&r, &refusal, &reply); /* the error is a body that can be read */
        assert_int_equal(reply.status, row->status);
        assert_int_equal(rf_jval_parse(reply.chunks[0].bytes, a, &body, &err), RF_OK);
        assert_true(rf_str_contains(reply.chunks[0].bytes, RF_STR("rror")) ||
                    rf_str_contains(reply.chunks[0].bytes, RF_STR("\"message\":")));
    }
    rf_arena_free(a);
}

/* A body with `bytes` letters between its beginning and its end is refused. */
static inline void check_too_long(const struct rf_sim_dialect *d, const char *model,
                                  const char *start, size_t bytes, const char *end, int status,
                                  const char *words)
{
    struct rf_arena *a = rf_arena_new();
    char *text = rf_arena_alloc(a, bytes + strlen(start) + strlen(end) + 1);
    size_t n = strlen(start);
    memcpy(text, start, n);
    memset(text + n, 'a', bytes);
    memcpy(text + n + bytes, end, strlen(end) + 1);
    struct asked_row row = { "too long", model, text, status, words };
    check_asked(d, &row);
    rf_arena_free(a);
}

/* What is said comes out of refract's own decoder with all of `want` in it and its usage, whole and
 * streamed alike. */
static inline void check_said(const struct rf_sim_dialect *d, const char *model,
                              const struct rf_sim_said *said, const char *want)
{
    for (int stream = 0; stream < 2; stream++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_sim_request r = {
            .arena = a, .model = asked_model(model, a), .stream = stream, .wants_usage = true
        };
        struct rf_sim_reply reply = { 0 };
        struct rf_str json;
        struct rf_err err = { 0 };
        d->say(&r, said, &reply);
        assert_int_equal(reply.status, 200);
        struct rf_decode *decode = stream ? rf_decode_stream(r.model) : rf_decode_response(r.model);
        for (size_t i = 0; i < reply.count; i++)
            if (rf_decode_feed(decode, reply.chunks[i].bytes, &err))
                fail_msg("%s", err.msg);
        if (rf_decode_finish(decode, &json, &err))
            fail_msg("%s", err.msg);
        struct rf_str usage = rf_strf(a, "\"usage\":{\"input_tokens\":%d,\"output_tokens\":%d",
                                      (int)said->input_tokens, (int)said->output_tokens);
        if (!rf_str_contains(json, quoted(a, want)))
            assert_str(json, quoted(a, want).p);
        assert_true(rf_str_contains(json, usage));
        rf_decode_free(decode);
        rf_arena_free(a);
    }
}

/* A thought, a text with what JSON must escape, and two calls. */
static const struct rf_sim_said said_all = {
    .thinking = RF_STR_INIT("Hm, a file that nobody has opened yet."),
    .text = RF_STR_INIT("I look: \"x\"\n\xe2\x82\xac and more than one piece of text."),
    .calls = { { RF_STR_INIT("abcdefgh1"), RF_STR_INIT("read_file"),
                 RF_STR_INIT("{\"file_path\":\"a.png\"}") },
               { RF_STR_INIT("abcdefgh2"), RF_STR_INIT("view_image"), RF_STR_INIT("{}") } },
    .call_count = 2,
    .input_tokens = 11,
    .output_tokens = 7,
};
#define SAID_TEXT "I look: \\\"x\\\"\\n\xe2\x82\xac and more than one piece of text."
/* `…_more` is what a wire says beside the text and beside each call. */
#define SAID_ALL(thinking_more, text_more, call_more, other_more)                                           \
    "'content':[{'type':'thinking','thinking':'Hm, a file that nobody has opened yet.'" thinking_more       \
    "},{'type':'text','text':'" SAID_TEXT "'" text_more                                                     \
    "},{'type':'tool_call','id':'abcdefgh1','name':'read_file','arguments':{'file_path':'a.png'}" call_more \
    "},{'type':'tool_call','id':'abcdefgh2','name':'view_image','arguments':{}" other_more                  \
    "}],'stop_reason':'tool_calls'"
static const struct rf_sim_said said_cut = {
    .text = RF_STR_INIT("Once upon"),
    .input_tokens = 3,
    .output_tokens = 2,
    .cut_by_length = true,
};
#define SAID_CUT "'content':[{'type':'text','text':'Once upon'}],'stop_reason':'length'"

#endif
