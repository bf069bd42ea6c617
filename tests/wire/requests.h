/* Requests of the chat wires as table rows: a body, and the conversation that it must become, which
 * must be readable again. JSON is written with ' for ". */
#ifndef TESTS_WIRE_REQUESTS_H
#define TESTS_WIRE_REQUESTS_H

#include "testing.h"

#include "plan/plan.h"
#include "wire/wire.h"

struct request_row {
    const char *name;
    const char *body; /* after the model's name */
    const char *want; /* after the version; or "!" and the error message */
};

/* Messages in, messages out. */
#define MESSAGES(row_name, messages, wanted)                             \
    {                                                                    \
        row_name, "'messages':[" messages "]", "'messages':[" wanted "]" \
    }
/* Content of a user, and the blocks that it becomes. */
#define CONTENT(row_name, content, blocks)                      \
    MESSAGES(row_name, "{'role':'user','content':" content "}", \
             "{'role':'user','content':[" blocks "]}")
/* A member of the body, and what stands for it. */
#define SETTING(row_name, member, wanted)                          \
    {                                                              \
        row_name, member ",'messages':[]", wanted ",'messages':[]" \
    }
#define FAILS(row_name, body, message) \
    {                                  \
        row_name, body, "!" message    \
    }

static inline struct rf_str body_of(struct rf_arena *a, const struct request_row *row)
{
    return rf_strf(a, "{\"model\":\"m\",%s}", quoted(a, row->body).p);
}

static inline const struct rf_jval *json_of(struct rf_arena *a, struct rf_str text)
{
    const struct rf_jval *v;
    struct rf_err err;
    if (rf_jval_parse(text, a, &v, &err))
        fail_msg("%s in %s", err.msg, rf_cstr(a, text));
    return v;
}

static inline enum rf_code parse(const struct rf_dialect *d, struct rf_str text, struct rf_arena *a,
                                 struct rf_conversation *c, struct rf_err *err)
{
    struct rf_builder b;
    rf_builder_init(&b, c, a, d->name);
    return d->parse(json_of(a, text), &b, err);
}

static inline struct rf_str neutral(const struct rf_conversation *c, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str text;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_content_write(c, &w);
    assert_int_equal(rf_json_finish(&w, NULL), RF_OK);
    assert_int_equal(rf_rope_flatten(&rope, SIZE_MAX, a, &text, NULL), RF_OK);
    return text;
}

static inline void check_readable(struct rf_str text, struct rf_arena *a)
{
    struct rf_conversation again;
    struct rf_err err;
    if (rf_content_read(text, a, &again, &err))
        fail_msg("%s in %s", err.msg, rf_cstr(a, text));
    assert_str(neutral(&again, a), rf_cstr(a, text));
}

static inline void check_request(const struct rf_dialect *d, const struct request_row *row)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation c;
    struct rf_err err = { 0 };
    enum rf_code rc = parse(d, body_of(a, row), a, &c, &err);
    if (row->want[0] == '!') {
        assert_int_equal(rc, RF_EFORMAT);
        assert_string_equal(err.msg, quoted(a, row->want + 1).p);
    } else {
        assert_string_equal(err.msg, "");
        assert_int_equal(rc, RF_OK);
        struct rf_str text = neutral(&c, a);
        assert_str(
            text,
            rf_strf(a, "{\"refract\":1,\"dialect\":\"%s\",%s}", d->name, quoted(a, row->want).p).p);
        check_readable(text, a);
    }
    rf_arena_free(a);
}

/* Read a body and write it again, by way of a document, for the endpoint; facts are those of the catalogue and `facts`,
 * pairs of names and values that end with NULL. Nothing may change. */
static inline void check_round_trip(const struct rf_dialect *d, const char *provider,
                                    const char *const *facts, const char *body)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation read, c;
    struct rf_model m;
    struct rf_survey survey;
    struct rf_plan plan;
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str out, text = quoted(a, body);
    assert_int_equal(parse(d, text, a, &read, NULL), RF_OK);
    assert_int_equal(rf_content_read(neutral(&read, a), a, &c, NULL), RF_OK);
    struct rf_str model = rf_jval_text(rf_jval_get(json_of(a, text), "model"), a);
    assert_int_equal(rf_model_init(&m, rf_str(provider), model, a, NULL), RF_OK);
    for (; *facts; facts += 2)
        assert_int_equal(
            rf_model_set(&m, rf_str(facts[0]), rf_str(facts[1]), RF_FACT_OVERRIDE, NULL), RF_OK);
    rf_survey_init(&survey, &c, m.caps.dialect, &(struct rf_asset_place){ .root = "" }, a);
    struct rf_plan_options how = { .stream = c.options.stream };
    assert_int_equal(rf_plan_decide(&survey, &m, &how, a, &plan, NULL), RF_OK);
    assert_int_equal(rf_plan_lay_out(&plan, &survey, a, NULL), RF_OK);
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    d->encode(&plan, &w);
    assert_int_equal(rf_json_finish(&w, NULL), RF_OK);
    assert_int_equal(rf_rope_flatten(&rope, SIZE_MAX, a, &out, NULL), RF_OK);
    assert_str(out, rf_cstr(a, text));
    rf_arena_free(a);
}

/* Put every shape of value in the place of every value of a body: it is read or refused, and what
 * is read can be read again. */
static inline void check_shapes(const struct rf_dialect *d, const char *body)
{
    static const char *const shapes[] = { "null", "true", "7",  "-1.5",    "''",      "'x'",
                                          "[]",   "[[]]", "{}", "[{}, 1]", "{'a':1}", "['x']" };
    struct rf_arena *a = rf_arena_new();
    struct rf_str text = quoted(a, body);
    const struct rf_jval *root = json_of(a, text);
    for (size_t i = 0; i < root->span * COUNT(shapes); i++) {
        const struct rf_jval *v = &root[i / COUNT(shapes)];
        bool is_string = v->type == RF_JSTRING;
        const char *from = v->raw.p - is_string, *to = v->raw.p + v->raw.n + is_string;
        struct rf_conversation c;
        struct rf_err err = { 0 };
        if (*to == ':')
            continue;
        struct rf_str other = rf_strf(a, "%.*s%s%s", (int)(from - text.p), text.p,
                                      quoted(a, shapes[i % COUNT(shapes)]).p, to);
        if (parse(d, other, a, &c, &err))
            assert_true(err.code == RF_EFORMAT && err.msg[0]);
        else
            check_readable(neutral(&c, a), a);
    }
    rf_arena_free(a);
}

#endif
