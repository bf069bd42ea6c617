/* What providers say when they refuse, as one set of kinds. */
#include "testing.h"

#include "base/arena.h"
#include "wire/wire.h"

static const struct {
    const char *name;
    int status;
    const char *body;
    enum rf_error_kind kind;
    const char *code, *place, *message; /* message NULL: not looked at */
} rows[] = {
    { "a code decides before the words", 400,
      "{'error':{'type':'rate_limit_error','message':'the model does not exist'}}",
      RF_ERROR_RATE_LIMIT, "rate_limit_error", "", "the model does not exist" },
    { "a code that is known decides, behind a type that is not", 400,
      "{'error':{'type':'invalid_request_error','code':'invalid_api_key','message':'no'}}",
      RF_ERROR_AUTHENTICATION, "invalid_api_key", "", NULL },
    { "a key that is wrong", 401, "{'error':{'type':'x','message':'invalid x-api-key'}}",
      RF_ERROR_AUTHENTICATION, "x", "", NULL },
    { "the status decides where nothing else does", 403, "{'message':'no'}", RF_ERROR_PERMISSION,
      "", "", "no" },
    { "a status that says nothing", 400, "{'message':'no'}", RF_ERROR_OTHER, "", "", NULL },
    { "a server that is down", 503, "{'error':{'message':'later'}}", RF_ERROR_OVERLOADED, "", "",
      NULL },
    { "overloaded after a 200", 0,
      "{'type':'error','error':{'type':'overloaded_error','message':'Overloaded'}}",
      RF_ERROR_OVERLOADED, "overloaded_error", "", NULL },
    { "an error that is a string", 404, "{'error':'model x not there'}", RF_ERROR_NOT_FOUND,
      "", "", "model x not there" },
    { "an enum as the code", 400,
      "{'error':{'code':400,'status':'RESOURCE_EXHAUSTED','message':'quota'}}",
      RF_ERROR_RATE_LIMIT, "RESOURCE_EXHAUSTED", "", NULL },
    { "a prompt that is too long", 400,
      "{'error':{'message':'prompt is too long: 210000 tokens > 200000 maximum'}}",
      RF_ERROR_CONTEXT_TOO_LONG, "", "", NULL },
    { "a body that is too large", 413, "{'error':{'message':'Request Entity Too Large'}}",
      RF_ERROR_TOO_LARGE, "", "", NULL },
    { "a picture that is broken, and its place", 400,
      "{'error':{'message':'messages.0.content.1.image.source: The file format is invalid'}}",
      RF_ERROR_BAD_MEDIA, "", "messages.0.content.1.image.source", NULL },
    { "a place in brackets and quotes", 400,
      "{'error':{'message':'Invalid \\u0027messages[3]\\u0027. It is not supported.'}}",
      RF_ERROR_UNSUPPORTED, "", "messages[3]", NULL },
    { "a word that only begins like a place", 400, "{'message':'messages are not supported'}",
      RF_ERROR_UNSUPPORTED, "", "", NULL },
    { "a block that this model does not take", 400,
      "{'message':'This model doesn\\u0027t support the video content block'}",
      RF_ERROR_UNSUPPORTED, "", "", NULL },
};

static void kinds_codes_and_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_arena *a = rf_arena_new();
        const struct rf_jval *body;
        struct rf_reply r;
        rf_reply_init(&r, a);
        assert_int_equal(rf_jval_parse(quoted(a, rows[i].body), a, &body, NULL), RF_OK);
        assert_true(rf_wire_error(body, rows[i].status, &r));
        if (r.error.kind != rows[i].kind)
            fail_msg("%s: it is \"%s\"", rows[i].name, rf_error_kind_name(r.error.kind));
        assert_string_equal(rf_cstr(a, r.error.code), rows[i].code);
        assert_string_equal(rf_cstr(a, r.error.place), rows[i].place);
        if (rows[i].message)
            assert_string_equal(rf_cstr(a, r.error.message), rows[i].message);
        rf_arena_free(a);
    }
}

static void what_is_no_error(void **state)
{
    static const char *const bodies[] = { "{}", "{'error':null}", "{'error':{}}", "[]", "1",
                                          "{'message':{'role':'assistant'}}" };
    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct rf_arena *a = rf_arena_new();
        const struct rf_jval *body;
        struct rf_reply r;
        rf_reply_init(&r, a);
        assert_int_equal(rf_jval_parse(quoted(a, bodies[i]), a, &body, NULL), RF_OK);
        assert_false(rf_wire_error(body, 200, &r));
        assert_int_equal(r.error.kind, RF_ERROR_NONE);
        rf_arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_codes_and_places),
        cmocka_unit_test(what_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
