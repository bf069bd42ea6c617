/* What providers say when they refuse, as one set of kinds. */
#include "testing.h"

#include "base/arena.h"
#include "base/file.h"
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
    { "a code that is known decides, after a type that is not", 400,
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
    { "too many pictures, in the words of a server", 400,
      "{'object':'error','message':'At most 1 image(s) may be provided in one request.'}",
      RF_ERROR_TOO_LARGE, "", "", NULL },
    { "too many pages and pictures", 400,
      "{'error':{'message':'Too much media: 0 document pages + 104 images > 100'}}",
      RF_ERROR_TOO_LARGE, "", "", NULL },
    { "a window of one's own server", 400,
      "{'error':{'message':'the request exceeds the available context size (4096 tokens)'}}",
      RF_ERROR_CONTEXT_TOO_LONG, "", "", NULL },
    { "a body that is too large", 413, "{'error':{'message':'Request Entity Too Large'}}",
      RF_ERROR_TOO_LARGE, "", "", NULL },
    { "a picture that is broken, and its place", 400,
      "{'error':{'message':'messages.0.content.1.image.source: The file format is invalid'}}",
      RF_ERROR_BAD_MEDIA, "", "messages.0.content.1.image.source", NULL },
    { "a picture that is broken, though the words call it unsupported", 400,
      "{'error':{'message':'You uploaded an unsupported image. Please make sure your image is valid.'}}",
      RF_ERROR_BAD_MEDIA, "", "", NULL },
    { "a place in brackets and quotes", 400,
      "{'error':{'message':'Invalid \\u0027messages[3]\\u0027. It is not supported.'}}",
      RF_ERROR_UNSUPPORTED, "", "messages[3]", NULL },
    { "a word that only begins like a place", 400, "{'message':'messages are not supported'}",
      RF_ERROR_UNSUPPORTED, "", "", NULL },
    { "a class that is named like a place", 400,
      "{'message':'System.IO.IOException: invalid image'}", RF_ERROR_BAD_MEDIA, "", "", NULL },
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
            assert_string_equal(rf_cstr(a, r.error.words), rows[i].message);
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

/* Words may be a client's own, repeated. */
static void what_words_alone_tell_is_known(void **state)
{
    static const struct {
        const char *body;
        int status;
        bool by_words;
    } cases[] = {
        { "{\"error\":{\"message\":\"Invalid value: 'unauthorized'\"}}", 400, true },
        { "{\"error\":{\"message\":\"no: overloaded\",\"code\":\"invalid_value\"}}", 400, true },
        { "{\"error\":{\"message\":\"unauthorized\"}}", 401, false },
        { "{\"error\":{\"message\":\"slow\",\"type\":\"rate_limit_error\"}}", 400, false },
        { "{\"error\":{\"message\":\"no\"}}", 400, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_refusal r;
        struct rf_model m;
        assert_int_equal(rf_model_init(&m, RF_STR("openai-chat"), RF_STR("gpt-5"), a, NULL), RF_OK);
        rf_wire_refusal(&m, cases[i].status, rf_str(cases[i].body), a, &r);
        assert_int_equal(rf_wire_is_by_words(&r), cases[i].by_words);
        rf_arena_free(a);
    }
}

/* Whoever moved a provider to http:// sees what is wrong. */
static void a_redirect_says_that_it_is_one(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_refusal r;
    struct rf_model m;
    (void)state;
    assert_int_equal(rf_model_init(&m, RF_STR("openai-chat"), RF_STR("gpt-5"), a, NULL), RF_OK);
    rf_wire_refusal(&m, 308, RF_STR(""), a, &r);
    assert_str(r.words, "status 308: it redirects, and nothing is sent where that leads");
    rf_wire_refusal(&m, 304, RF_STR(""), a, &r);
    assert_str(r.words, "status 304");
    rf_arena_free(a);
}

/* An error without words is known by its status, and one of an unknown shape is told as it came: not
 * as the answer that it is not. */
static void what_says_nothing(void **state)
{
    static const char *const models[] = { "anthropic:claude-sonnet-4-5", "bedrock:amazon.nova-pro-v1:0",
                                          "cohere:command-a-03-2025",    "google:gemini-3-pro",
                                          "mistral:mistral-large",       "ollama:llava",
                                          "openai:gpt-5",                "openai-chat:gpt-5" };
    static const struct {
        const char *body, *words;
    } bodies[] = {
        { "", "status 429" },
        { "{}", "status 429" },
        { " [] ", "status 429" },
        { "{\"wait\":9}", "{\"wait\":9}" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(models) * COUNT(bodies); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_str name = rf_str(models[i / COUNT(bodies)]), provider;
        size_t b = i % COUNT(bodies);
        struct rf_model m;
        struct rf_refusal r;
        rf_str_split(&name, ':', &provider);
        assert_int_equal(rf_model_init(&m, provider, name, a, NULL), RF_OK);
        rf_wire_refusal(&m, 429, rf_str(bodies[b].body), a, &r);
        assert_int_equal(r.kind, RF_ERROR_RATE_LIMIT);
        assert_str(r.words, bodies[b].words);
        rf_arena_free(a);
    }
}

/* What real servers said: pieces of the messages that no kind of ours fits. */
static const char *const others[] = {
    "must be greater than",  /* settings that contradict each other */
    "Input should be a valid", "Field required", "ids were found without", "No tool output found",
    "Unknown name", "Tool call validation failed", "Tool choice is required", "Internal error",
};

static bool is_other(struct rf_str message, bool used[COUNT(others)])
{
    for (size_t i = 0; i < COUNT(others); i++)
        if (rf_str_contains(message, rf_str(others[i])))
            return used[i] = true;
    return false;
}

static void what_real_servers_said(void **state)
{
    const char *shared = getenv("REFRACT_SHARED");
    char path[4096];
    struct rf_arena *a = rf_arena_new();
    struct rf_str text, line, field[3];
    size_t count = 0;
    bool used[COUNT(others)] = { false };
    (void)state;
    snprintf(path, sizeof path, "%s/spec/provider-errors.tsv", shared ? shared : "");
    if (!shared || rf_file_read(path, 1 << 20, a, &text, NULL)) {
        print_message("skipped: REFRACT_SHARED is not set, or has no provider-errors.tsv\n");
        rf_arena_free(a);
        skip();
    }
    rf_str_split(&text, '\n', &line);
    while (rf_str_split(&text, '\n', &line)) {
        int64_t status = 0;
        for (size_t i = 0; i < 3; i++)
            rf_str_split(&line, '\t', &field[i]);
        rf_str_int64(field[1], &status);
        enum rf_error_kind kind = rf_wire_error_kind((int)status, RF_STR(""), field[2]);
        if (kind == RF_ERROR_OTHER && !is_other(field[2], used))
            fail_msg("no kind: %.*s", RF_FMT(field[2]));
        count++;
    }
    for (size_t i = 0; i < COUNT(others); i++)
        if (!used[i])
            fail_msg("nothing needs \"%s\"", others[i]);
    print_message("%zu messages of real servers\n", count);
    assert_true(count > 50);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_codes_and_places),
        cmocka_unit_test(what_is_no_error),
        cmocka_unit_test(what_says_nothing),
        cmocka_unit_test(a_redirect_says_that_it_is_one),
        cmocka_unit_test(what_words_alone_tell_is_known),
        cmocka_unit_test(what_real_servers_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
