/* Neutral replies as those of the Messages API. */
#include "events.h"

#define ID ",'id':'r1'"
#define SAID ID ",'stop_reason':'end','usage':{'input_tokens':3,'output_tokens':2}"
#define CALLED ID ",'stop_reason':'tool_calls','usage':{'input_tokens':3,'output_tokens':2}"
#define OWN ID ",'stop_reason':'end','stop_reason_original':'end_turn'"

#define COUNTS(in, out)                                                                    \
    "'input_tokens':" in ",'cache_creation_input_tokens':null,"                            \
    "'cache_read_input_tokens':null,'output_tokens':" out ",'output_tokens_details':null," \
    "'server_tool_use':null"
#define UNTOLD ",'cache_creation':null,'service_tier':null,'inference_geo':null,'speed':null"
#define USAGE(counts) ",'usage':{" counts UNTOLD "}"
#define HEAD "'id':'r1','type':'message','role':'assistant','model':'m'"
#define ENDING(reason) \
    "'stop_reason':'" reason "','stop_sequence':null,'stop_details':null,'container':null"
#define WHOLE(content, reason, counts) \
    "{" HEAD ",'content':[" content "]," ENDING(reason) ",'diagnostics':null" USAGE(counts) "}\n"

#define EVENT(name, members) "event: " name "\ndata: {'type':'" name "'" members "}\n\n"
#define BEGIN                                                                          \
    EVENT("message_start",                                                             \
          ",'message':{" HEAD ",'content':[],'stop_reason':null,'stop_sequence':null," \
          "'stop_details':null,'container':null,'diagnostics':null" USAGE(COUNTS("0", "0")) "}")
#define START(i, block) EVENT("content_block_start", ",'index':" i ",'content_block':{" block "}")
#define DELTA(i, kind, members) \
    EVENT("content_block_delta", ",'index':" i ",'delta':{'type':'" kind "'," members "}")
#define STOP(i) EVENT("content_block_stop", ",'index':" i)
#define END(reason, counts)                                                      \
    EVENT("message_delta", ",'delta':{" ENDING(reason) "},'usage':{" counts "}") \
    EVENT("message_stop", "")
#define SAYS(i, words)                  \
    START(i, "'type':'text','text':''") \
    DELTA(i, "text_delta", "'text':'" words "'") STOP(i)
#define THINKS_OF(i, words)                                    \
    START(i, "'type':'thinking','thinking':'','signature':''") \
    DELTA(i, "thinking_delta", "'thinking':'" words "'")
#define SIGNED(i, mark) DELTA(i, "signature_delta", "'signature':'" mark "'") STOP(i)
#define USE(i, id) \
    START(i, "'type':'tool_use','id':'" id "','name':'look','caller':{'type':'direct'},'input':{}")
#define INPUT(i, json) DELTA(i, "input_json_delta", "'partial_json':'" json "'")
#define NOTHING_MORE END("end_turn", COUNTS("0", "0"))

#define TEXT(words) "{'type':'text','text':'" words "'}"
#define SAYS_WHOLE(words) "{'type':'text','text':'" words "'}"
#define THOUGHT(words, members) "{'type':'thinking','thinking':'" words "'" members "}"
#define CALL(id, members) "{'type':'tool_call','id':'" id "','name':'look'," members "}"
#define USE_WHOLE(id, input) \
    "{'type':'tool_use','id':'" id "','name':'look','caller':{'type':'direct'},'input':" input "}"

/* Marks of other APIs: content/seal.h. */
#define SEALED_S "cmVmcmFjdApnb29nbGUKeAoKcwoKCg=="
#define SEALED_RED "cmVmcmFjdApiZWRyb2NrCngKCgpjbVZrCgo="
#define SEALED_E "cmVmcmFjdApiZWRyb2NrCngKCgoKZQo="

/* clang-format off */
static const struct response_row rows[] = {
    { "thoughts, texts and calls, in their order", "google",
      "[" THOUGHT("hm", ",'signature':'s'") "," TEXT("Hi") "," CALL("a", "'arguments':{'x':1}") "]",
      CALLED,
      WHOLE("{'type':'thinking','thinking':'hm','signature':'" SEALED_S "'}," SAYS_WHOLE("Hi") ","
            USE_WHOLE("a", "{'x':1}"), "tool_use", COUNTS("3", "2")),
      BEGIN THINKS_OF("0", "hm") SIGNED("0", SEALED_S) SAYS("1", "Hi")
      USE("2", "a") INPUT("2", "{\\'x\\':1}") STOP("2") END("tool_use", COUNTS("3", "2")), NULL },
    { "redacted thoughts, and encrypted ones, of another API", "bedrock",
      "[" THOUGHT("", ",'redacted':'cmVk'") "," THOUGHT("", ",'encrypted':'e'") "]", SAID,
      WHOLE("{'type':'thinking','thinking':'','signature':'" SEALED_RED "'},"
            "{'type':'thinking','thinking':'','signature':'" SEALED_E "'}", "end_turn",
            COUNTS("3", "2")),
      BEGIN START("0", "'type':'thinking','thinking':'','signature':''") SIGNED("0", SEALED_RED)
      START("1", "'type':'thinking','thinking':'','signature':''") SIGNED("1", SEALED_E)
      END("end_turn", COUNTS("3", "2")), NULL },
    { "calls are the reason, and their ids carry their marks", "google",
      "[" CALL("a", "'arguments':{},'signature':'c2ln+w=='") "]", SAID,
      WHOLE(USE_WHOLE("a__thought__c2ln-w", "{}"), "tool_use", COUNTS("3", "2")),
      BEGIN USE("0", "a__thought__c2ln-w") INPUT("0", "{}") STOP("0")
      END("tool_use", COUNTS("3", "2")), NULL },
    { "an id that is not a word has one to stand for it", "google",
      "[" CALL("functions.look:0", "'arguments':{}") "]", SAID,
      WHOLE(USE_WHOLE("call__as__ZnVuY3Rpb25zLmxvb2s6MA", "{}"), "tool_use", COUNTS("3", "2")),
      BEGIN USE("0", "call__as__ZnVuY3Rpb25zLmxvb2s6MA") INPUT("0", "{}") STOP("0")
      END("tool_use", COUNTS("3", "2")), NULL },
    { "a mark that no id can have is left out", "google",
      "[" CALL("a", "'arguments':{},'signature':'s s'") "]", SAID,
      WHOLE(USE_WHOLE("a", "{}"), "tool_use", COUNTS("3", "2")),
      BEGIN USE("0", "a") INPUT("0", "{}") STOP("0") END("tool_use", COUNTS("3", "2")),
      "content[0] (tool_call): its signature is left out\n" },
    { "a cache is counted apart, and thoughts", "openai", "[]",
      ID ",'stop_reason':'length','usage':{'input_tokens':9,'output_tokens':8,'cached_tokens':1,"
      "'cache_write_tokens':2,'reasoning_tokens':3}",
      WHOLE("", "max_tokens", "'input_tokens':6,'cache_creation_input_tokens':2,"
            "'cache_read_input_tokens':1,'output_tokens':8,'output_tokens_details':"
            "{'thinking_tokens':3},'server_tool_use':null"), NULL, NULL },
    { "our word for why it stopped", "openai", "[]",
      ID ",'stop_reason':'refusal','stop_reason_original':'content_filter'",
      WHOLE("", "refusal", COUNTS("0", "0")), BEGIN END("refusal", COUNTS("0", "0")), NULL },
    { "words stand for files", "google",
      "[{'type':'image','media_type':'image/png','data':'QUJD'},"
      "{'type':'image','url':'https://a/b.png','text_fallback':'a bee'},"
      "{'type':'audio','data':'QUJD','transcript':'hey'}]", SAID,
      WHOLE(SAYS_WHOLE("[image: image/png]") "," SAYS_WHOLE("a bee") "," SAYS_WHOLE("hey"),
            "end_turn", COUNTS("3", "2")),
      BEGIN SAYS("0", "[image: image/png]") SAYS("1", "a bee") SAYS("2", "hey")
      END("end_turn", COUNTS("3", "2")),
      "content[0] (image): words stand for it\ncontent[1] (image): words stand for it\n"
      "content[2] (audio): words stand for it\n" },
    { "citations of others have no place", "openai",
      "[{'type':'text','text':'Hi','citations':[{'url':'https://a'}]}]", SAID,
      WHOLE(SAYS_WHOLE("Hi"), "end_turn", COUNTS("3", "2")),
      BEGIN SAYS("0", "Hi") END("end_turn", COUNTS("3", "2")),
      "content[0] (text): its citations are left out\n" },
    { "arguments that are not an object, in a body", "openai",
      "[" CALL("a", "'arguments':{},'malformed_arguments':'{x'") "]", CALLED,
      WHOLE(SAYS_WHOLE(UNREADABLE), "max_tokens", COUNTS("3", "2")), NULL,
      "content[0] (tool_call): words stand for it\n" },
    { "arguments that are not an object, in a stream", "openai",
      "[" CALL("a", "'arguments':{},'malformed_arguments':'{x'") "]", CALLED, NULL,
      BEGIN USE("0", "a") INPUT("0", "{x") STOP("0") END("max_tokens", COUNTS("3", "2")), NULL },
    { "a call that its API could not read is an error", "google", "[" TEXT("Hi") "]",
      ID ",'stop_reason':'malformed','stop_reason_original':'MALFORMED_FUNCTION_CALL'",
      "{'type':'error','error':{'type':'api_error','message':'the model wrote a call that cannot be "
      "read: MALFORMED_FUNCTION_CALL'},'request_id':null}\n",
      BEGIN SAYS("0", "Hi") "event: error\ndata: {'type':'error','error':{'type':'api_error',"
      "'message':'the model wrote a call that cannot be read: MALFORMED_FUNCTION_CALL'},"
      "'request_id':null}\n\n", NULL },
    { "a model that failed is an error", "cohere", "[" TEXT("Hi") "]",
      ID ",'stop_reason':'error','stop_reason_original':'TIMEOUT'",
      "{'type':'error','error':{'type':'api_error','message':'the model stopped with an error: "
      "TIMEOUT'},'request_id':null}\n", NULL, NULL },
    { "what only another API knows is left out, or has words", "google",
      "[{'type':'opaque','dialect':'gemini','value':{'executableCode':{}}},"
      "{'type':'opaque','dialect':'gemini','value':{},'text_fallback':'ran'}]",
      SAID ",'extra':{'container':{'id':'c'}}",
      WHOLE(SAYS_WHOLE("ran"), "end_turn", COUNTS("3", "2")),
      BEGIN SAYS("0", "ran") END("end_turn", COUNTS("3", "2")),
      "content[0] (opaque): left out\ncontent[1] (opaque): words stand for it\n" },

    /* Its own. */
    { "citations, callers and server tools as they came", "anthropic",
      "[{'type':'text','text':'Hi','citations':[{'source':'s'}],'extra':{'citations':["
      "{'type':'char_location','cited_text':'c'}]}},"
      "{'type':'tool_call','id':'a','name':'look','arguments':{},'extra':{'caller':{'type':'x'}}},"
      "{'type':'opaque','dialect':'anthropic','value':{'type':'server_tool_use','id':'s'}}]", OWN,
      WHOLE("{'type':'text','text':'Hi','citations':[{'type':'char_location','cited_text':'c'}]},"
            "{'type':'tool_use','id':'a','name':'look','input':{},'caller':{'type':'x'}},"
            "{'type':'server_tool_use','id':'s'}", "end_turn", COUNTS("0", "0")),
      BEGIN START("0", "'type':'text','text':''")
      DELTA("0", "text_delta", "'text':'Hi'")
      DELTA("0", "citations_delta", "'citation':{'type':'char_location','cited_text':'c'}")
      STOP("0")
      START("1", "'type':'tool_use','id':'a','name':'look','input':{},'caller':{'type':'x'}")
      INPUT("1", "{}") STOP("1") START("2", "'type':'server_tool_use','id':'s'") STOP("2")
      NOTHING_MORE, NULL },
    { "what was kept aside of the reply goes where it was", "anthropic", "[]",
      ID ",'stop_reason':'stop_sequence','stop_reason_original':'stop_sequence','usage':"
      "{'input_tokens':3,'output_tokens':2},'extra':{'stop_sequence':'.','stop_details':{'d':1},"
      "'container':{'id':'c'},'context_management':{'m':1},'diagnostics':{'n':1},"
      "'cache_creation':{'k':1},'server_tool_use':{'s':1},'iterations':[1]}",
      "{" HEAD ",'content':[],'stop_reason':'stop_sequence','stop_sequence':'.','stop_details':"
      "{'d':1},'container':{'id':'c'},'context_management':{'m':1},'diagnostics':{'n':1},"
      "'usage':{'input_tokens':3,'cache_creation_input_tokens':null,"
      "'cache_read_input_tokens':null,'output_tokens':2,'output_tokens_details':null,"
      "'server_tool_use':{'s':1},'iterations':[1],'cache_creation':{'k':1},'service_tier':null,"
      "'inference_geo':null,'speed':null}}\n", NULL, NULL },
    { "an error as it came", "anthropic", "[]",
      ",'error':{'kind':'other','message':'no','code':'billing_error'},"
      "'extra':{'details':{'d':1},'request_id':'q'}",
      "{'type':'error','error':{'type':'billing_error','message':'no','details':{'d':1}},"
      "'request_id':'q'}\n", NULL, NULL },
    { "a failure on the way", "google", "[" TEXT("Hi") "]",
      ID ",'error':{'kind':'overloaded','message':'gone'}", NULL,
      BEGIN SAYS("0", "Hi") "event: error\ndata: {'type':'error','error':"
      "{'type':'overloaded_error','message':'gone'},'request_id':null}\n\n", NULL },
};

#define ERROR(type) \
    "{'type':'error','error':{'type':'" type "','message':'no'},'request_id':null}\n"

static const struct error_row errors[] = {
    { "authentication", "authentication", ERROR("authentication_error"), 401 },
    { "permission", "permission", ERROR("permission_error"), 403 },
    { "rate limit", "rate_limit", ERROR("rate_limit_error"), 429 },
    { "overloaded", "overloaded", ERROR("overloaded_error"), 529 },
    { "context", "context_too_long", ERROR("invalid_request_error"), 400 },
    { "too large", "too_large", ERROR("request_too_large"), 413 },
    { "bad media", "bad_media", ERROR("invalid_request_error"), 400 },
    { "unsupported", "unsupported", ERROR("invalid_request_error"), 400 },
    { "not found", "not_found", ERROR("not_found_error"), 404 },
    { "other", "other", ERROR("api_error"), 500 },
};

static const struct event_row event_rows[] = {
    { "nothing but the end", { REPLY, OVER }, BEGIN NOTHING_MORE },
    { "pieces without a start, and none after the end",
      { REPLY, WORDS(0, "H"), WORDS(0, "i"), OVER, WORDS(0, "!") },
      BEGIN START("0", "'type':'text','text':''")
      DELTA("0", "text_delta", "'text':'H'") DELTA("0", "text_delta", "'text':'i'") STOP("0")
      NOTHING_MORE },
    { "two calls at once are one after the other",
      { REPLY, CALLS(0, "a"), ASKS(0, "{"), CALLS(1, "b"), ASKS(1, "{}"), ASKS(0, "}"), OVER },
      BEGIN USE("0", "a") INPUT("0", "{") INPUT("0", "}") STOP("0")
      USE("1", "b") INPUT("1", "{}") STOP("1") END("tool_use", COUNTS("0", "0")) },
    { "a thought that is interrupted is signed at its end",
      { REPLY, THINKS(0, "a"), WORDS(1, "Hi"), THINKS(0, "b"), SIGNS(0, "thinking", "s"), OVER },
      BEGIN THINKS_OF("0", "a") SIGNED("0", "") SAYS("1", "Hi")
      THINKS_OF("2", "b") SIGNED("2", "s") NOTHING_MORE },
};
/* clang-format on */

static void row(void **state)
{
    check_response_row(*state, "anthropic");
}

static void error(void **state)
{
    check_error_row(*state, "anthropic");
}

static void events(void **state)
{
    check_event_row(*state, "anthropic");
}

/* The id of a reply, and of a call that has none, is new. */
static void new_ids(void **state)
{
    static const char message[] =
        "{'role':'assistant','content':[{'type':'tool_call','id':'','name':'f','arguments':{}}]}";
    struct rf_arena *a = rf_arena_new();
    struct rf_respond *r = respond_as("anthropic", false);
    (void)state;
    assert_int_equal(rf_respond_message(r, quoted(a, message), NULL), RF_OK);
    struct rf_str body = rf_respond_bytes(r);
    assert_true(rf_str_starts(body, "{\"id\":\"msg_"));
    assert_true(rf_str_contains(body, RF_STR("{\"type\":\"tool_use\",\"id\":\"call_msg_")));
    rf_respond_free(r);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + COUNT(errors) + COUNT(event_rows) + 1], *t = tests;
    name_rows(t, row, rows, COUNT(rows), sizeof *rows);
    name_rows(t += COUNT(rows), error, errors, COUNT(errors), sizeof *errors);
    name_rows(t += COUNT(errors), events, event_rows, COUNT(event_rows), sizeof *event_rows);
    t[COUNT(event_rows)] = (struct CMUnitTest)cmocka_unit_test(new_ids);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
