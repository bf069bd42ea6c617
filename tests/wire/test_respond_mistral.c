/* Neutral replies as Mistral's chat completions. */
#include "responses.h"

#define ID ",'id':'r1'"
#define SAID ID ",'stop_reason':'end','usage':{'input_tokens':3,'output_tokens':2}"
#define OWN ID ",'stop_reason':'end','stop_reason_original':'stop'"
#define USAGE ",'usage':{'prompt_tokens':3,'completion_tokens':2,'total_tokens':5}"
#define NO_USAGE ",'usage':{'prompt_tokens':0,'completion_tokens':0,'total_tokens':0}"
#define HEAD(object) \
    "{'id':'r1','object':'" object "','created':,'model':'m','choices':[{'index':0,"
#define WHOLE(members, reason, rest) \
    HEAD("chat.completion")          \
    "'message':{'role':'assistant'," members "},'finish_reason':'" reason "'}]" rest "}\n"
#define CHUNK(delta, reason, rest)                                                                 \
    "data: " HEAD("chat.completion.chunk") "'delta':{" delta "},'finish_reason':" reason "}]" rest \
                                           "}\n\n"
#define DELTA(delta) CHUNK(delta, "null", "")
#define BEGIN DELTA("'role':'assistant','content':''")
#define END(reason, rest) CHUNK("", "'" reason "'", rest) "data: [DONE]\n\n"
#define TEXT(words) "{'type':'text','text':'" words "'}"
#define THOUGHT(members) "{'type':'thinking','thinking':'hm'" members "}"
#define THOUGHT_PART(rest) "{'type':'thinking','thinking':[" TEXT("hm") "]" rest "}"
#define PICTURE "{'type':'image_url','image_url':{'url':'data:image/png;base64,QUJD'}}"
#define CALL_OF(arguments) \
    "'id':'a','type':'function','function':{'name':'look','arguments':'" arguments "'}}]"
#define HI DELTA("'content':'Hi'")

/* clang-format off */
static const struct response_row rows[] = {
    { "a thought is a part of the content, wherever it was said", "anthropic",
      "[" THOUGHT(",'signature':'s'") "," TEXT("Hi") "]", SAID,
      WHOLE("'content':[" THOUGHT_PART(",'signature':'s'") "," TEXT("Hi") "]", "stop", USAGE),
      BEGIN DELTA("'content':[" THOUGHT_PART("") "]")
      DELTA("'content':[{'type':'thinking','thinking':[],'signature':'s'}]") HI
      END("stop", USAGE), NULL },
    { "what is sealed in a thought has no place", "anthropic",
      "[{'type':'thinking','thinking':'','redacted':'r'}," TEXT("Hi") "]", SAID,
      WHOLE("'content':'Hi'", "stop", USAGE), BEGIN HI END("stop", USAGE),
      "content[0] (thinking): what is sealed in it is left out\n" },
    { "a call comes in one chunk", "openai-chat",
      "[{'type':'tool_call','id':'a','name':'look','arguments':{'x':1}}]", ID ",'stop_reason':"
      "'tool_calls'",
      WHOLE("'content':null,'tool_calls':[{" CALL_OF("{\\'x\\':1}"), "tool_calls", NO_USAGE),
      BEGIN DELTA("'tool_calls':[{'index':0," CALL_OF("{\\'x\\':1}")) END("tool_calls", NO_USAGE),
      NULL },
    { "a call that its API could not read", "google", "[]",
      ID ",'stop_reason':'malformed','stop_reason_original':'MALFORMED_FUNCTION_CALL'",
      WHOLE("'content':null", "error", NO_USAGE), BEGIN END("error", NO_USAGE), NULL },
    { "so do arguments that are not JSON", "mistral",
      "[{'type':'tool_call','id':'a','name':'look','arguments':{},'malformed_arguments':'{x'}]",
      OWN,
      WHOLE("'content':null,'tool_calls':[{" CALL_OF("{x"), "stop", ""),
      BEGIN DELTA("'tool_calls':[{'index':0," CALL_OF("{x")) END("stop", ""), NULL },
    { "references stand between the words", "mistral",
      "[{'type':'text','text':'Hi','citations':[{'source':'0','end':1},{'source':'7','end':1}]}]",
      OWN,
      WHOLE("'content':[" TEXT("H") ",{'type':'reference','reference_ids':[0]},"
            "{'type':'reference','reference_ids':[7]}," TEXT("i") "]", "stop", ""),
      BEGIN DELTA("'content':'H'") DELTA("'content':[{'type':'reference','reference_ids':[0]}]")
      DELTA("'content':[{'type':'reference','reference_ids':[7]}]") DELTA("'content':'i'")
      END("stop", ""), NULL },
    { "citations of others are left out", "openai",
      "[{'type':'text','text':'Hi','citations':[{'url':'https://a'}]}]", SAID,
      WHOLE("'content':'Hi'", "stop", USAGE), BEGIN HI END("stop", USAGE),
      "content[0] (text): its citations are left out\n" },
    { "pictures are parts, sound is words", "google",
      "[{'type':'image','data':'QUJD','media_type':'image/png'},"
      "{'type':'audio','data':'QUJD','transcript':'hey'}]", SAID,
      WHOLE("'content':[" PICTURE "," TEXT("hey") "]", "stop", USAGE),
      BEGIN DELTA("'content':[" PICTURE "]") DELTA("'content':'hey'") END("stop", USAGE),
      "content[1] (audio): words stand for it\n" },
    { "a part that nobody knows as it came", "mistral",
      "[" TEXT("Hi") ",{'type':'opaque','dialect':'mistral','value':{'type':'x'}}]", OWN,
      WHOLE("'content':[" TEXT("Hi") ",{'type':'x'}]", "stop", ""),
      BEGIN HI DELTA("'content':[{'type':'x'}]") END("stop", ""), NULL },
    { "an error as it came", "mistral", "[]",
      ",'error':{'kind':'other','message':'no','code':'t'},'extra':{'type':'t','code':'1000'}",
      "{'object':'error','message':'no','type':'t','code':'1000'}\n", NULL, NULL },
    { "a failure on the way", "mistral", "[" TEXT("Hi") "]",
      ID ",'error':{'kind':'rate_limit','message':'no'}", NULL,
      BEGIN HI "data: {'object':'error','message':'no','type':'requests','param':null,"
      "'code':'rate_limit_exceeded'}\n\n", NULL },
};

#define ERROR(type, code) \
    "{'object':'error','message':'no','type':'" type "','param':null,'code':'" code "'}\n"
#define UNNAMED(type) \
    "{'object':'error','message':'no','type':'" type "','param':null,'code':null}\n"

static const struct error_row errors[] = {
    { "authentication", "authentication", ERROR("invalid_request_error", "invalid_api_key"), 401 },
    { "overloaded", "overloaded", ERROR("server_error", "overloaded_error"), 503 },
    { "other", "other", UNNAMED("server_error"), 500 },
};

#define PIECE(which, number, what, words) \
    EVENT_OF(RF_EVENT_##which, number, what, .text = RF_STR_INIT(words))
#define REPLY EVENT_OF(RF_EVENT_BEGIN, 0, NULL, .id = RF_STR_INIT("r1"))
#define OVER EVENT_OF(RF_EVENT_DONE, 0, NULL, .reply = NULL)

static const struct event_row event_rows[] = {
    { "a call that is not closed", { REPLY,
        EVENT_OF(RF_EVENT_BLOCK_START, 0, "tool_call", .id = RF_STR_INIT("a"),
                 .name = RF_STR_INIT("look")),
        PIECE(ARGUMENTS, 0, "tool_call", "{"), PIECE(ARGUMENTS, 0, "tool_call", "}"), OVER },
      BEGIN DELTA("'tool_calls':[{'index':0," CALL_OF("{}")) END("tool_calls", NO_USAGE) },
    { "a text between two halves of a thought",
      { REPLY, PIECE(THINKING, 0, "thinking", "hm"), PIECE(TEXT, 1, "text", "Hi"),
        PIECE(THINKING, 0, "thinking", "hm"), OVER },
      BEGIN DELTA("'content':[" THOUGHT_PART("") "]") HI
      DELTA("'content':[" THOUGHT_PART("") "]") END("stop", NO_USAGE) },
};
/* clang-format on */

static void row(void **state)
{
    check_response_row(*state, "mistral");
}

static void error(void **state)
{
    check_error_row(*state, "mistral");
}

static void events(void **state)
{
    check_event_row(*state, "mistral");
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + COUNT(errors) + COUNT(event_rows)], *t = tests;
    name_rows(t, row, rows, COUNT(rows), sizeof *rows);
    name_rows(t += COUNT(rows), error, errors, COUNT(errors), sizeof *errors);
    name_rows(t += COUNT(errors), events, event_rows, COUNT(event_rows), sizeof *event_rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
