/* Requests of others as table rows: a body, and the conversation that it must become; and bodies
 * that must come out as they went in. JSON is written with ' for ". */
#ifndef TESTS_WIRE_PARSING_H
#define TESTS_WIRE_PARSING_H

#include "testing.h"

#include "model/model.h"
#include "request/request.h"
#include "wire/wire.h"

struct parse_row {
    const char *name;
    const char *body;
    const char *want; /* the conversation after its version; or "!" and the error message */
};

static inline enum rf_code parse_body(const char *dialect, struct rf_str body, struct rf_arena *a,
                                      struct rf_conversation *c, struct rf_err *err)
{
    const struct rf_jval *v;
    struct rf_builder b;
    assert_int_equal(rf_jval_parse(body, a, &v, NULL), RF_OK);
    rf_builder_init(&b, c, a, dialect);
    return rf_dialect_find(rf_str(dialect))->parse(v, &b, err);
}

/* The conversation as JSON, which must be one that can be read. */
static inline struct rf_str written(const struct rf_conversation *c, struct rf_arena *a)
{
    struct rf_conversation again;
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str json;
    struct rf_err err;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_content_write(c, &w);
    assert_int_equal(rf_json_finish(&w, NULL), RF_OK);
    assert_int_equal(rf_rope_flatten(&rope, SIZE_MAX, a, &json, NULL), RF_OK);
    if (rf_content_read(json, a, &again, &err))
        fail_msg("%s\n%s", err.msg, rf_cstr(a, json));
    return json;
}

static inline void check_parse(const char *dialect, const struct parse_row *row)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation c;
    struct rf_err err;
    enum rf_code rc = parse_body(dialect, quoted(a, row->body), a, &c, &err);
    if (row->want[0] == '!') {
        assert_int_equal(rc, RF_EFORMAT);
        assert_string_equal(err.msg, quoted(a, row->want).p + 1);
    } else {
        assert_int_equal(rc, RF_OK);
        assert_str(
            written(&c, a),
            rf_strf(a, "{\"refract\":1,\"dialect\":\"%s\",%s}", dialect, quoted(a, row->want).p).p);
    }
    rf_arena_free(a);
}

/* As if every answer had come from that model. */
static inline struct rf_str sent_again(struct rf_conversation *c, const struct rf_model *m,
                                       struct rf_arena *a)
{
    struct rf_request *r;
    struct rf_str body;
    struct rf_err err;
    for (size_t i = 0; i < c->message_count; i++) {
        if (c->messages[i].role != RF_ROLE_ASSISTANT)
            continue;
        c->messages[i].origin_provider = m->provider;
        c->messages[i].origin_model = m->name;
    }
    if (rf_request_build(c, m, NULL, &r, &err))
        fail_msg("%s", err.msg);
    assert_int_equal(rf_rope_flatten(&r->body, 1 << 20, a, &body, NULL), RF_OK);
    rf_request_free(r);
    return body;
}

/* The body is the same when it was read and is written for the same model, also by way of a
 * document. */
static inline void check_round_trip(const char *dialect, const char *provider, const char *model,
                                    const char *body)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation c, document;
    struct rf_model m;
    assert_int_equal(rf_model_init(&m, rf_str(provider), rf_str(model), a, NULL), RF_OK);
    assert_int_equal(parse_body(dialect, quoted(a, body), a, &c, NULL), RF_OK);
    assert_int_equal(rf_content_read(written(&c, a), a, &document, NULL), RF_OK);
    assert_str(sent_again(&c, &m, a), quoted(a, body).p);
    assert_str(sent_again(&document, &m, a), quoted(a, body).p);
    rf_arena_free(a);
}

/* Whatever is in the place of a member: nothing may crash, and what is accepted can be read and
 * sent, unless there is nothing to send. Each of these stands for each value of the body in
 * turn. No worker is started for each of them to look at its pictures. */
static inline void check_shapes(const char *dialect, const char *provider, const char *body)
{
    static const char *const shapes[] = { "null", "7",      "-1",        "true",
                                          "'x'",  "''",     "[]",        "[7,null,'x']",
                                          "{}",   "[[{}]]", "{'text':7}" };
    struct rf_arena *a = rf_arena_new();
    struct rf_request_options *options = rf_request_options_new();
    struct rf_model m;
    struct rf_str text = quoted(a, body);
    const struct rf_jval *root;
    options->by_headers = true;
    assert_int_equal(rf_model_init(&m, rf_str(provider), RF_STR("m"), a, NULL), RF_OK);
    assert_int_equal(rf_jval_parse(text, a, &root, NULL), RF_OK);
    for (size_t i = 0; i < root->span; i++) {
        bool is_string = root[i].type == RF_JSTRING;
        const char *from = root[i].raw.p - is_string,
                   *to = root[i].raw.p + root[i].raw.n + is_string;
        for (size_t s = 0; s < COUNT(shapes) && *to != ':'; s++) {
            struct rf_arena *scratch = rf_arena_new();
            struct rf_str other = rf_strf(scratch, "%.*s%s%s", (int)(from - text.p), text.p,
                                          quoted(scratch, shapes[s]).p, to);
            struct rf_conversation c;
            if (!parse_body(dialect, other, scratch, &c, NULL)) {
                struct rf_request *r = NULL;
                written(&c, scratch);
                enum rf_code rc = rf_request_build(&c, &m, options, &r, NULL);
                assert_true(rc == RF_OK || rc == RF_EFORMAT);
                rf_request_free(r);
            }
            rf_arena_free(scratch);
        }
    }
    rf_request_options_free(options);
    rf_arena_free(a);
}

/* Nested as deep as JSON may be, in a member that nobody knows. */
static inline void check_depth(const char *dialect, const char *start)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation c;
    struct rf_err err;
    char *deep = rf_arena_alloc(a, 2 * RF_MAX_JSON_DEPTH);
    memset(deep, '[', RF_MAX_JSON_DEPTH - 1);
    memset(deep + RF_MAX_JSON_DEPTH - 1, ']', RF_MAX_JSON_DEPTH - 1);
    struct rf_str body = rf_strf(a, "%s,\"x\":%s}", quoted(a, start).p, deep);
    assert_int_equal(parse_body(dialect, body, a, &c, &err), RF_ELIMIT);
    assert_string_equal(err.msg, "the request is nested more than 504 deep");
    rf_arena_free(a);
}

#endif
