/* Replies of the chat wires as table rows: a whole body, a stream, and the message that both must
 * become. Streams are fed at once and byte by byte. JSON is written with ' for ". */
#ifndef TESTS_WIRE_REPLIES_H
#define TESTS_WIRE_REPLIES_H

#include "testing.h"

#include "base/json_read.h"
#include "model/model.h"

#include <refract/reply.h>

struct reply_row {
    const char *name;
    const char *whole;  /* or NULL */
    const char *stream; /* or NULL */
    const char *want;   /* the message from its content on */
    const char *fails;  /* what is reported, or NULL */
};

/* Server-sent events of chat completions. */
#define DATA(json) "data: " json "\n\n"
#define DELTA(members) DATA("{'choices':[{'index':0,'delta':{" members "}}]}")
#define FINISH(reason) DATA("{'choices':[{'index':0,'delta':{},'finish_reason':'" reason "'}]}")
#define DONE "data: [DONE]\n\n"
/* A whole reply. */
#define MESSAGE(members, reason)                                                                 \
    "{'choices':[{'index':0,'message':{'role':'assistant'," members "},'finish_reason':'" reason \
    "'}]}"
/* What follows the content where nothing was counted. */
#define ENDED(stop, original) \
    ",'stop_reason':'" stop "','stop_reason_original':'" original "','usage':{}"

static inline void check_reply(const struct reply_row *row, const char *provider, bool stream,
                               size_t step)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    struct rf_err err = { 0 };
    struct rf_str json;
    assert_int_equal(rf_model_init(&m, rf_str(provider), RF_STR("m"), a, NULL), RF_OK);
    struct rf_decode *d = stream ? rf_decode_stream(&m) : rf_decode_response(&m);
    struct rf_str bytes = quoted(a, stream ? row->stream : row->whole);
    for (size_t at = 0; at < bytes.n; at += step) {
        size_t n = bytes.n - at < step ? bytes.n - at : step;
        assert_int_equal(rf_decode_feed(d, (struct rf_str){ bytes.p + at, n }, NULL), RF_OK);
    }
    enum rf_code rc = rf_decode_finish(d, &json, &err);
    struct rf_str want = rf_strf(
        a,
        "{\"role\":\"assistant\",\"origin\":{\"provider\":\"%s\",\"model\":\"m\"},\"content\":%s}",
        provider, quoted(a, row->want).p);
    assert_str(json, want.p);
    assert_int_equal(rc, row->fails ? RF_EPROVIDER : RF_OK);
    assert_string_equal(err.msg, row->fails ? row->fails : "");
    rf_decode_free(d);
    rf_arena_free(a);
}

static inline void check_row(const struct reply_row *row, const char *provider)
{
    if (row->whole)
        check_reply(row, provider, false, SIZE_MAX);
    if (row->stream) {
        check_reply(row, provider, true, SIZE_MAX);
        check_reply(row, provider, true, 1);
    }
}

/* Whatever is in the place of a member: nothing may crash. Each of these stands for each value of
 * the body in turn. */
static inline void check_shapes(const char *provider, const char *body, bool stream)
{
    static const char *const shapes[] = {
        "null", "7", "-1", "true", "'x'", "[]", "[7,null,'x']", "{}", "[[{}]]", "{'type':'text'}"
    };
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    assert_int_equal(rf_model_init(&m, rf_str(provider), RF_STR("m"), a, NULL), RF_OK);
    struct rf_str text = quoted(a, body);
    const struct rf_jval *root;
    assert_int_equal(rf_jval_parse(text, a, &root, NULL), RF_OK);
    for (size_t i = 0; i < root->span; i++) {
        bool is_string = root[i].type == RF_JSTRING;
        const char *from = root[i].raw.p - is_string,
                   *to = root[i].raw.p + root[i].raw.n + is_string;
        bool is_key = *to == ':';
        for (size_t s = 0; s < COUNT(shapes) && !is_key; s++) {
            struct rf_str json,
                other = rf_strf(a, "%s%.*s%s%s\n\n", stream ? "data: " : "", (int)(from - text.p),
                                text.p, quoted(a, shapes[s]).p, to);
            struct rf_decode *d = stream ? rf_decode_stream(&m) : rf_decode_response(&m);
            const struct rf_jval *again;
            assert_int_equal(rf_decode_feed(d, other, NULL), RF_OK);
            enum rf_code rc = rf_decode_finish(d, &json, NULL);
            assert_true(rc == RF_OK || rc == RF_EPROVIDER);
            assert_int_equal(rf_jval_parse(json, a, &again, NULL), RF_OK);
            rf_decode_free(d);
        }
    }
    rf_arena_free(a);
}

#endif
