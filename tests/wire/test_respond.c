/* Events in any order: what of them a reply says, whole and as a stream, when its API's decoder
 * reads it again; and what is told as lost. */
#include "events.h"

#include "base/json_read.h"
#include "base/limits.h"
#include "content/reply.h"
#include "model/model.h"

#include <refract/reply.h>

#define MEDIA(number, what, type, base64) \
    EVENT_OF(RF_EVENT_MEDIA, number, what, .name = RF_STR_INIT(type), .text = RF_STR_INIT(base64))
#define TOLD(message) EVENT_OF(RF_EVENT_DONE, 0, NULL, .reply = &(message))
#define TEXT(words) "{'type':'text','text':'" words "'}"
#define THOUGHT(words, members) "{'type':'thinking','thinking':'" words "'" members "}"
#define CALL(call, arguments) \
    "{'type':'tool_call','id':'" call "','name':'look','arguments':" arguments "}"
#define DIRECT(call, arguments)                                                \
    "{'type':'tool_call','id':'" call "','name':'look','arguments':" arguments \
    ",'extra':{'caller':{'type':'direct'}}}"
#define CITED(words, citations) "{'type':'text','text':'" words "','citations':[" citations "]}"
#define CITES(number, url) PIECE(CITATION, number, "text", "{'url':'" url "'}")
#define LATE(place, kind) "content[" place "] (" kind "): what came after its end is left out\n"

static struct rf_block some_text = { .type = RF_BLOCK_TEXT, .text = RF_STR_INIT("all") };
static const struct rf_block some_call = {
    .type = RF_BLOCK_TOOL_CALL,
    .call = { .id = RF_STR_INIT("c"), .name = RF_STR_INIT("look") },
};
static const struct rf_block some_bytes = {
    .type = RF_BLOCK_IMAGE,
    .media = { .media_type = RF_STR_INIT("image/png"),
               .source = { .kind = RF_SOURCE_BYTES, .ref = RF_STR_INIT("ABC") } },
};
static const struct rf_block some_path = {
    .type = RF_BLOCK_IMAGE,
    .media = { .media_type = RF_STR_INIT("image/png"),
               .source = { .kind = RF_SOURCE_PATH, .ref = RF_STR_INIT("a.png") } },
};
static const struct rf_ending some_ending = { .stop = RF_STOP_END, .id = RF_STR_INIT("r1") };
static const struct rf_message some_message = {
    .role = RF_ROLE_ASSISTANT, .blocks = &some_text, .block_count = 1, .ending = &some_ending
};
static struct rf_block two_blocks[] = {
    { .type = RF_BLOCK_TEXT, .text = RF_STR_INIT("all") },
    { .type = RF_BLOCK_TOOL_CALL, .call = { .id = RF_STR_INIT("c"), .name = RF_STR_INIT("look") } },
};
static const struct rf_message other_message = {
    .role = RF_ROLE_ASSISTANT, .blocks = two_blocks, .block_count = 2, .ending = &some_ending
};

struct row {
    const char *name;
    const char *dialect, *provider;
    struct rf_event events[MOST_EVENTS]; /* up to one without a size */
    const char *whole;                   /* the content of what is read again */
    const char *stream;                  /* of a stream; NULL: the same */
    const char *lost;                    /* or NULL */
};

/* clang-format off */
static const struct row rows[] = {
    /* Blocks at the same time. */
    { "a text that is interrupted goes on in a block of its own", "anthropic", "anthropic",
      { WORDS(0, "a"), WORDS(1, "b"), WORDS(0, "c"), OVER },
      "[" TEXT("ac") "," TEXT("b") "]", "[" TEXT("a") "," TEXT("b") "," TEXT("c") "]", NULL },
    { "a call is finished first, and what came meanwhile follows", "anthropic", "anthropic",
      { CALLS(0, "a"), WORDS(1, "x"), CALLS(2, "b"), ASKS(2, "{'n':2}"), ASKS(0, "{'n':"),
        WORDS(1, "y"), ASKS(0, "1}"), ENDS(0, "tool_call"), OVER },
      "[" DIRECT("a", "{'n':1}") "," TEXT("xy") "," DIRECT("b", "{'n':2}") "]", NULL, NULL },
    { "a call without arguments has none", "openai-chat", "openai-chat",
      { CALLS(0, "a"), ENDS(0, "tool_call"), OVER }, "[" CALL("a", "{}") "]", NULL, NULL },
    { "a call that never ends does so with the reply", "bedrock", "bedrock",
      { CALLS(0, "a"), ASKS(0, "{}"), WORDS(1, "x"), OVER },
      "[" CALL("a", "{}") "," TEXT("x") "]", NULL, NULL },
    { "a signature that comes after an interruption has a thought for itself", "bedrock", "bedrock",
      { THINKS(0, "a"), WORDS(1, "x"), SIGNS(0, "thinking", "s"), ENDS(0, "thinking"), OVER },
      "[" THOUGHT("a", ",'signature':'s'") "," TEXT("x") "]",
      "[" THOUGHT("a", "") "," TEXT("x") "," THOUGHT("", ",'signature':'s'") "]",
      NULL },
    { "a signature that came before goes with the last words", "bedrock", "bedrock",
      { SIGNS(0, "thinking", "s"), THINKS(0, "a"), WORDS(1, "x"), THINKS(0, "b"), OVER },
      "[" THOUGHT("ab", ",'signature':'s'") "," TEXT("x") "]",
      "[" THOUGHT("a", "") "," TEXT("x") "," THOUGHT("b", ",'signature':'s'") "]", NULL },
    { "citations are said once", "bedrock", "bedrock",
      { WORDS(0, "a"), PIECE(CITATION, 0, "text", "{'source':'s'}"), WORDS(1, "x"), WORDS(0, "b"),
        ENDS(0, "text"), OVER },
      "[{'type':'text','text':'ab','citations':[{'source':'s'}]}," TEXT("x") "]",
      "[" TEXT("a") "," TEXT("x") ",{'type':'text','text':'b','citations':[{'source':'s'}]}]",
      NULL },

    /* Starts and ends. */
    { "pieces need no start", "bedrock", "bedrock", { REPLY, ASKS(0, "{'n':1}"), OVER },
      "[{'type':'tool_call','id':'call_r1_0','name':'','arguments':{'n':1}}]", NULL, NULL },
    { "a call waits for its name", "gemini", "google",
      { SIGNS(0, "tool_call", "s"), ASKS(0, "{"), CALLS(0, "a"), ASKS(0, "}"), OVER },
      "[{'type':'tool_call','id':'a','name':'look','arguments':{},'signature':'s'}]", NULL, NULL },
    { "a block starts once", "bedrock", "bedrock",
      { CALLS(0, "a"), ASKS(0, "{"), CALLS(0, "b"), ASKS(0, "}"), OVER },
      "[" CALL("a", "{}") "]", NULL, NULL },
    { "a block whose end has the words", "bedrock", "bedrock",
      { STARTS(0, "text"), ENDS_AS(0, "text", some_text), ENDS_AS(1, "tool_call", some_call),
        OVER },
      "[" TEXT("all") "," CALL("c", "{}") "]", NULL, NULL },
    { "pieces count where the end says something else", "bedrock", "bedrock",
      { WORDS(0, "a"), ENDS_AS(0, "text", some_text), OVER }, "[" TEXT("a") "]", NULL, NULL },
    { "a block of another kind is not the end of it", "bedrock", "bedrock",
      { WORDS(0, "a"), ENDS_AS(0, "text", some_call), OVER }, "[" TEXT("a") "]", NULL, NULL },
    { "a text goes on after its end", "bedrock", "bedrock",
      { WORDS(0, "a"), ENDS(0, "text"), WORDS(0, "b"), OVER },
      "[" TEXT("ab") "]", "[" TEXT("a") "," TEXT("b") "]", NULL },
    { "a call does not", "bedrock", "bedrock",
      { CALLS(0, "a"), ASKS(0, "{}"), ENDS(0, "tool_call"), ASKS(0, "{}"), OVER },
      "[" CALL("a", "{}") "]", NULL, LATE("0", "tool_call") },
    { "nor does a file", "gemini", "google",
      { MEDIA(0, "image", "image/png", "QUJD"), ENDS(0, "image"),
        MEDIA(0, "image", "image/gif", "REVG"), OVER },
      "[{'type':'image','data':'QUJD','media_type':'image/png'}]", NULL, LATE("0", "image") },
    { "nothing is heard after the reply", "bedrock", "bedrock",
      { WORDS(0, "a"), OVER, WORDS(0, "b"), OVER }, "[" TEXT("a") "]", NULL, NULL },
    { "a reply that is told only at the end", "bedrock", "bedrock", { TOLD(some_message) },
      "[" TEXT("all") "]", NULL, NULL },
    { "a reply that was told before its end is not told twice", "bedrock", "bedrock",
      { WORDS(0, "all"), TOLD(some_message) }, "[" TEXT("all") "]", NULL, NULL },
    { "a reply that says more than was told of it", "bedrock", "bedrock",
      { WORDS(0, "al"), ENDS(0, "text"), TOLD(some_message) },
      "[" TEXT("all") "]", "[" TEXT("al") "," TEXT("l") "]", NULL },

    /* What makes no sense. */
    { "words of another kind than the block", "bedrock", "bedrock",
      { WORDS(0, "a"), ASKS(0, "{}"), THINKS(0, "hm"), CALLS(1, "c"), WORDS(1, "x"), OVER },
      "[" TEXT("a") "," CALL("c", "{}") "]", NULL, NULL },
    { "kinds that there are not, and that a model does not write", "bedrock", "bedrock",
      { PIECE(TEXT, 0, "sausage", "a"), PIECE(TEXT, 1, NULL, "b"), PIECE(TEXT, 2, "json", "{}"),
        WORDS(SIZE_MAX, "d"), OVER }, "[]", NULL, NULL },
    { "an empty text says nothing", "bedrock", "bedrock",
      { STARTS(0, "text"), ENDS(0, "text"), WORDS(1, "a"), OVER }, "[" TEXT("a") "]", NULL, NULL },
    { "an opaque block without a value", "bedrock", "bedrock",
      { STARTS(0, "opaque"), ENDS(0, "opaque"), WORDS(1, "a"), OVER }, "[" TEXT("a") "]", NULL,
      "content[0] (opaque): left out\n" },
    { "a file that never came", "gemini", "google",
      { STARTS(0, "image"), ENDS(0, "image"), WORDS(1, "a"), OVER }, "[" TEXT("a") "]", NULL,
      "content[0] (image): left out\n" },

    /* Files and what is lost. */
    { "a file in pieces", "gemini", "google",
      { MEDIA(0, "image", "image/png", "QU"), MEDIA(0, "image", "", "JD"), ENDS(0, "image"),
        OVER },
      "[{'type':'image','data':'QUJD','media_type':'image/png'}]", NULL, NULL },
    { "bytes of a program are base64", "gemini", "google",
      { ENDS_AS(0, "image", some_bytes), OVER },
      "[{'type':'image','data':'QUJD','media_type':'image/png'}]", NULL, NULL },
    { "a file that is only on a disk", "gemini", "google",
      { ENDS_AS(0, "image", some_path), OVER }, "[" TEXT("[image: image/png]") "]", NULL,
      "content[0] (image): words stand for it\n" },
    { "what is lost is told once", "gemini", "google",
      { THINKS(0, "a"), WORDS(1, "b"), CALLS(2, "c"), ASKS(2, "x"), THINKS(0, "d"), OVER },
      "[" THOUGHT("ad", "") "," TEXT("b[look was called with arguments that are not a JSON object: "
      "x]") "]",
      "[" THOUGHT("a", "") "," TEXT("b") "," THOUGHT("d", "") "," TEXT(
          "[look was called with arguments that are not a JSON object: x]") "]",
      "content[2] (tool_call): words stand for it\n" },
    { "what comes after a call that goes whole waits for it", "gemini", "google",
      { CALLS(0, "c"), WORDS(1, "b"), ASKS(0, "{'x':1}"), OVER },
      "[" CALL("c", "{'x':1}") "," TEXT("b") "]", NULL, NULL },
};

/* What comes after the end of a block: only streams lose any of it. */
static const struct row late_rows[] = {
    { "a signature has a thought for itself", "bedrock", "bedrock",
      { THINKS(0, "a"), ENDS(0, "thinking"), WORDS(1, "x"), SIGNS(0, "thinking", "s"), OVER },
      "[" THOUGHT("a", ",'signature':'s'") "," TEXT("x") "]",
      "[" THOUGHT("a", "") "," TEXT("x") "," THOUGHT("", ",'signature':'s'") "]", NULL },
    { "that of a thought without words", "bedrock", "bedrock",
      { STARTS(0, "thinking"), ENDS(0, "thinking"), WORDS(1, "x"), SIGNS(0, "thinking", "s"),
        OVER },
      "[" THOUGHT("", ",'signature':'s'") "," TEXT("x") "]",
      "[" TEXT("x") "," THOUGHT("", ",'signature':'s'") "]", NULL },
    { "a signature is not told twice", "bedrock", "bedrock",
      { THINKS(0, "a"), SIGNS(0, "thinking", "s"), ENDS(0, "thinking"), SIGNS(0, "thinking", "t"),
        OVER },
      "[" THOUGHT("a", ",'signature':'st'") "]", "[" THOUGHT("a", ",'signature':'s'") "]",
      LATE("0", "thinking") },
    { "a call is not signed later", "gemini", "google",
      { CALLS(0, "a"), ENDS(0, "tool_call"), SIGNS(0, "tool_call", "s"), OVER },
      "[{'type':'tool_call','id':'a','name':'look','arguments':{},'signature':'s'}]",
      "[" CALL("a", "{}") "]", LATE("0", "tool_call") },
    { "citations as annotations, each once", "openai-chat", "openai-chat",
      { WORDS(0, "a"), CITES(0, "u"), ENDS(0, "text"), CITES(0, "v"), OVER },
      "[" CITED("a", "{'url':'u','start':0,'end':1},{'url':'v','start':0,'end':1}") "]", NULL,
      NULL },
    { "citations as grounding", "gemini", "google",
      { WORDS(0, "a"), ENDS(0, "text"), CITES(0, "u"), OVER },
      "[" CITED("a", "{'url':'u','start':0,'end':1}") "]", NULL, NULL },
    { "citations that have no place after the text", "bedrock", "bedrock",
      { WORDS(0, "a"), ENDS(0, "text"), PIECE(CITATION, 0, "text", "{'source':'s'}"), OVER },
      "[" CITED("a", "{'source':'s'}") "]", "[" TEXT("a") "]", LATE("0", "text") },
    { "a reply that says something else than was told of it", "bedrock", "bedrock",
      { WORDS(0, "none"), ENDS(0, "text"), WORDS(1, "x"), TOLD(other_message) },
      "[" TEXT("all") "," CALL("c", "{}") "]", "[" TEXT("none") "," TEXT("x") "]",
      LATE("0", "text") LATE("1", "text") },
    { "a call that ends with other arguments", "bedrock", "bedrock",
      { WORDS(0, "all"), CALLS(1, "c"), ASKS(1, "{'x':1}"), ENDS(1, "tool_call"),
        TOLD(other_message) },
      "[" TEXT("all") "," CALL("c", "{}") "]", "[" TEXT("all") "," CALL("c", "{'x':1}") "]",
      LATE("1", "tool_call") },
    { "it can where the end says all of it again", "openai-responses", "openai",
      { REPLY, WORDS(0, "ill"), ENDS(0, "text"), TOLD(some_message) },
      "[{'type':'text','text':'all','extra':{'id':'msg_r1_0','status':'completed'}}]", NULL, NULL },
};
/* clang-format on */

static struct rf_str content_of(const char *provider, struct rf_str bytes, bool stream,
                                struct rf_arena *a)
{
    struct rf_model m;
    struct rf_str json;
    const struct rf_jval *v;
    assert_int_equal(rf_model_init(&m, rf_str(provider), RF_STR("m"), a, NULL), RF_OK);
    struct rf_decode *d = stream ? rf_decode_stream(&m) : rf_decode_response(&m);
    assert_int_equal(rf_decode_feed(d, bytes, NULL), RF_OK);
    assert_int_equal(rf_decode_finish(d, &json, NULL), RF_OK);
    assert_int_equal(rf_jval_parse(rf_str_dup(a, json), a, &v, NULL), RF_OK);
    rf_decode_free(d);
    return rf_jval_compact(rf_jval_get(v, "content"), a);
}

static void send(struct rf_respond *r, const struct row *row, struct rf_arena *a)
{
    for (size_t i = 0; i < MOST_EVENTS && row->events[i].size; i++) {
        struct rf_event e = row->events[i];
        e.text = quoted(a, e.text.p ? e.text.p : "");
        assert_int_equal(rf_respond_event(r, &e, NULL), RF_OK);
    }
}

static void check(const struct row *row, bool stream, const char *lost)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_respond *r = respond_as(row->dialect, stream);
    send(r, row, a);
    struct rf_str content = content_of(row->provider, rf_respond_bytes(r), stream, a);
    assert_str(content, quoted(a, stream && row->stream ? row->stream : row->whole).p);
    assert_str(told_lost(r, a), lost ? lost : "");
    rf_respond_free(r);
    rf_arena_free(a);
}

static void check_row(void **state)
{
    const struct row *row = *state;
    check(row, false, row->lost);
    check(row, true, row->lost);
}

static void check_late(void **state)
{
    const struct row *row = *state;
    check(row, false, NULL);
    check(row, true, row->lost);
}

/* The rest */

/* Each citation is written with the text that it is about. */
static void citations_have_a_bound(void **state)
{
    struct rf_arena *a = rf_arena_new();
    size_t n = (size_t)1 << 20;
    struct rf_str text = { memset(rf_arena_alloc(a, n), 'x', n), n };
    const struct rf_event words = {
        .size = sizeof words, .type = RF_EVENT_TEXT, .kind = "text", .text = text
    };
    const struct rf_event cite = {
        .size = sizeof cite, .type = RF_EVENT_CITATION, .kind = "text", .text = RF_STR("{}")
    };
    const struct rf_event over = { .size = sizeof over, .type = RF_EVENT_DONE };
    (void)state;
    for (size_t citations = 60; citations < 80; citations += 10) {
        struct rf_respond *r = respond_as("gemini", false);
        assert_int_equal(rf_respond_event(r, &words, NULL), RF_OK);
        for (size_t i = 0; i < citations; i++)
            assert_int_equal(rf_respond_event(r, &cite, NULL), RF_OK);
        assert_int_equal(rf_respond_event(r, &over, NULL), RF_OK);
        assert_str(told_lost(r, a),
                   citations < 64 ? "" : "content[0] (text): too many citations are left out\n");
        rf_respond_free(r);
    }
    rf_arena_free(a);
}

static void refused_events_are_not_heard(void **state)
{
    static const struct rf_event bad[] = {
        WORDS(0, "\xc3"),
        CALLS(1, "\xff"),
        PIECE(CITATION, 0, "text", "{"),
        PIECE(CITATION, 0, "text", "[]"),
    };
    static const struct rf_event good = WORDS(0, "a"), over = OVER;
    struct rf_arena *a = rf_arena_new();
    struct rf_respond *r = respond_as("bedrock", true);
    struct rf_err err;
    (void)state;
    assert_int_equal(rf_respond_event(r, &good, NULL), RF_OK);
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(rf_respond_event(r, &bad[i], &err), RF_EFORMAT);
    assert_string_equal(err.msg, "a citation is not a JSON object");
    assert_int_equal(rf_respond_event(r, &over, NULL), RF_OK);
    struct rf_str content = content_of("bedrock", rf_respond_bytes(r), true, a);
    assert_str(content, "[{\"type\":\"text\",\"text\":\"a\"}]");
    rf_respond_free(r);
    rf_arena_free(a);
}

/* Of a newer caller, or left out. */
static void unknown_reasons_and_errors(void **state)
{
    static const struct rf_event stop = EVENT_OF(RF_EVENT_STOP, 0, NULL, .stop = 1000);
    static const struct rf_event none = FAILS(RF_ERROR_NONE, "no"), over = OVER;
    static const struct rf_event newer = FAILS(1000, "no");
    const struct rf_event *const failures[] = { &none, &newer };
    struct rf_arena *a = rf_arena_new();
    (void)state;
    struct rf_respond *r = respond_as("anthropic", false);
    assert_int_equal(rf_respond_event(r, &stop, NULL), RF_OK);
    assert_int_equal(rf_respond_event(r, &over, NULL), RF_OK);
    assert_true(rf_str_contains(rf_respond_bytes(r), RF_STR("\"stop_reason\":\"end_turn\"")));
    rf_respond_free(r);
    for (size_t i = 0; i < COUNT(failures); i++) {
        r = respond_as("anthropic", true);
        assert_int_equal(rf_respond_event(r, failures[i], NULL), RF_OK);
        assert_int_equal(rf_respond_event(r, &over, NULL), RF_OK);
        assert_int_equal(rf_respond_status(r), 500);
        assert_string_equal(rf_respond_content_type(r), "application/json");
        rf_respond_free(r);
    }
    rf_arena_free(a);
}

static void names_are_settled_with_the_first_words(void **state)
{
    static const struct rf_event first = WORDS(0, "a"), late = REPLY, over = OVER;
    struct rf_arena *a = rf_arena_new();
    struct rf_respond *r = respond_as("anthropic", true);
    (void)state;
    assert_int_equal(rf_respond_event(r, &first, NULL), RF_OK);
    assert_true(rf_str_contains(rf_respond_bytes(r), RF_STR("\"id\":\"msg_")));
    assert_int_equal(rf_respond_event(r, &late, NULL), RF_OK);
    assert_int_equal(rf_respond_event(r, &over, NULL), RF_OK);
    assert_false(rf_str_contains(rf_respond_bytes(r), RF_STR("\"r1\"")));
    rf_respond_free(r);
    rf_arena_free(a);
}

static void blocks_have_a_limit(void **state)
{
    struct rf_respond *r = respond_as("gemini", false);
    struct rf_event e = WORDS(0, "a");
    (void)state;
    for (; e.block < RF_MAX_REPLY_BLOCKS; e.block++)
        assert_int_equal(rf_respond_event(r, &e, NULL), RF_OK);
    assert_int_equal(rf_respond_event(r, &e, NULL), RF_ELIMIT);
    e.block = 0;
    assert_int_equal(rf_respond_event(r, &e, NULL), RF_ELIMIT);
    rf_respond_free(r);
}

int main(void)
{
    static const struct CMUnitTest single[] = {
        cmocka_unit_test(citations_have_a_bound),
        cmocka_unit_test(refused_events_are_not_heard),
        cmocka_unit_test(unknown_reasons_and_errors),
        cmocka_unit_test(names_are_settled_with_the_first_words),
        cmocka_unit_test(blocks_have_a_limit),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(late_rows)];
    name_rows(tests, check_row, rows, COUNT(rows), sizeof *rows);
    name_rows(tests + COUNT(rows), check_late, late_rows, COUNT(late_rows), sizeof *late_rows);
    int failed = cmocka_run_group_tests_name("respond: events", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("respond: the rest", single, NULL, NULL);
}
