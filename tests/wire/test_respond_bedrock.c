/* Neutral replies as those of the Converse API. Frames are written as lines: responses.h. */
#include "events.h"

#define SAID ",'stop_reason':'end','usage':{'input_tokens':3,'output_tokens':2}"
#define CALLED ",'stop_reason':'tool_calls','usage':{'input_tokens':3,'output_tokens':2}"
#define OWN ",'stop_reason':'end','stop_reason_original':'end_turn'"
#define USAGE "'usage':{'inputTokens':3,'outputTokens':2,'totalTokens':5},'metrics':{'latencyMs':0}"
#define NO_USAGE \
    "'usage':{'inputTokens':0,'outputTokens':0,'totalTokens':0},'metrics':{'latencyMs':0}"
#define WHOLE(content, reason, rest)                                      \
    "{'output':{'message':{'role':'assistant','content':[" content "]}}," \
    "'stopReason':'" reason "'," rest "}\n"
#define BEGIN "messageStart {'role':'assistant'}\n"
#define START(i, start) "contentBlockStart {'contentBlockIndex':" i ",'start':{" start "}}\n"
#define DELTA(i, delta) "contentBlockDelta {'contentBlockIndex':" i ",'delta':{" delta "}}\n"
#define STOP(i) "contentBlockStop {'contentBlockIndex':" i "}\n"
#define END(reason, rest) "messageStop {'stopReason':'" reason "'}\nmetadata {" rest "}\n"
#define SAYS(i, words) DELTA(i, "'text':'" words "'") STOP(i)
#define NOTHING_MORE END("end_turn", NO_USAGE)

#define TEXT(words) "{'type':'text','text':'" words "'}"
#define THOUGHT(words, members) "{'type':'thinking','thinking':'" words "'" members "}"
#define CALL(id, members) "{'type':'tool_call','id':'" id "','name':'look'," members "}"
#define USE(id) "'toolUse':{'toolUseId':'" id "','name':'look'}"
#define INPUT(i, json) DELTA(i, "'toolUse':{'input':'" json "'}")
#define PICTURE(type, source) "{'type':'image','media_type':'" type "'," source "}"
#define OPAQUE(value) "{'type':'opaque','dialect':'bedrock','value':" value "}"

#define CITATION_A "'title':'A','location':{'web':{'url':'https://a'}}"
#define CITATION_S "'source':'s','sourceContent':[{'text':'of s'}]"
#define PAGE "'title':'A','location':{'documentPage':{'start':1,'end':2}}"

/* clang-format off */
static const struct response_row rows[] = {
    { "thoughts, texts and calls, in their order", "google",
      "[" THOUGHT("hm", ",'signature':'s'") "," TEXT("Hi") "," CALL("a", "'arguments':{'x':1}") "]",
      CALLED,
      WHOLE("{'reasoningContent':{'reasoningText':{'text':'hm','signature':'s'}}},{'text':'Hi'},"
            "{'toolUse':{'toolUseId':'a','name':'look','input':{'x':1}}}", "tool_use", USAGE),
      BEGIN DELTA("0", "'reasoningContent':{'text':'hm'}")
      DELTA("0", "'reasoningContent':{'signature':'s'}") STOP("0") SAYS("1", "Hi")
      START("2", USE("a")) INPUT("2", "{\\'x\\':1}") STOP("2") END("tool_use", USAGE), NULL },
    { "redacted thoughts, and encrypted ones", "anthropic",
      "[" THOUGHT("", ",'redacted':'cmVk'") "," THOUGHT("", ",'encrypted':'e'") "]", SAID,
      WHOLE("{'reasoningContent':{'redactedContent':'cmVk'}}", "end_turn", USAGE),
      BEGIN DELTA("0", "'reasoningContent':{'redactedContent':'cmVk'}") STOP("0")
      END("end_turn", USAGE), "content[1] (thinking): what is sealed in it is left out\n" },
    { "calls are the reason, and have no mark", "google",
      "[" CALL("a", "'arguments':{},'signature':'s'") "]", SAID,
      WHOLE("{'toolUse':{'toolUseId':'a','name':'look','input':{}}}", "tool_use", USAGE),
      BEGIN START("0", USE("a")) INPUT("0", "{}") STOP("0") END("tool_use", USAGE),
      "content[0] (tool_call): its signature is left out\n" },
    { "tools of the service that were cut off", "bedrock",
      "[" OPAQUE("{'toolUse':{'type':'server_tool_use','name':'n'}}") ","
      OPAQUE("{'toolResult':{'status':'success'}}") "]", OWN,
      NULL, BEGIN START("0", "'toolUse':{'type':'server_tool_use','name':'n'}") STOP("0")
      START("1", "'toolResult':{'status':'success'}") STOP("1") NOTHING_MORE, NULL },
    { "a value that is not a text", "anthropic", "[{'type':'json','value':{'a':1}}]", SAID,
      WHOLE("{'text':'{\\'a\\':1}'}", "end_turn", USAGE),
      BEGIN SAYS("0", "{\\'a\\':1}") END("end_turn", USAGE),
      "content[0] (json): words stand for it\n" },
    { "a cache is counted apart", "openai", "[]",
      ",'stop_reason':'length','usage':{'input_tokens':9,'output_tokens':8,'cached_tokens':1,"
      "'cache_write_tokens':2}",
      WHOLE("", "max_tokens", "'usage':{'inputTokens':6,'outputTokens':8,'totalTokens':17,"
            "'cacheReadInputTokens':1,'cacheWriteInputTokens':2},'metrics':{'latencyMs':0}"),
      NULL, NULL },
    { "a cache of more than there was, and counts that have no end", "openai", "[]",
      ",'stop_reason':'end','usage':{'input_tokens':9223372036854775807,'output_tokens':8,"
      "'cached_tokens':9223372036854775807,'cache_write_tokens':9223372036854775807}",
      WHOLE("", "end_turn", "'usage':{'inputTokens':0,'outputTokens':8,"
            "'totalTokens':9223372036854775807,'cacheReadInputTokens':9223372036854775807,"
            "'cacheWriteInputTokens':9223372036854775807},'metrics':{'latencyMs':0}"),
      NULL, NULL },
    { "our word for why it stopped", "anthropic", "[]",
      ",'stop_reason':'refusal','stop_reason_original':'refusal'",
      WHOLE("", "content_filtered", NO_USAGE), BEGIN END("content_filtered", NO_USAGE), NULL },
    { "pictures that are here, and in S3", "google",
      "[" PICTURE("image/png", "'data':'QUJD'") "," PICTURE("image/webp", "'url':'s3://a/b'") "]",
      SAID,
      WHOLE("{'image':{'format':'png','source':{'bytes':'QUJD'}}},"
            "{'image':{'format':'webp','source':{'s3Location':{'uri':'s3://a/b'}}}}", "end_turn",
            USAGE),
      BEGIN START("0", "'image':{'format':'png'}")
      DELTA("0", "'image':{'source':{'bytes':'QUJD'}}") STOP("0")
      START("1", "'image':{'format':'webp'}")
      DELTA("1", "'image':{'source':{'s3Location':{'uri':'s3://a/b'}}}") STOP("1")
      END("end_turn", USAGE), NULL },
    { "words stand for other files", "google",
      "[" PICTURE("image/png", "'url':'https://a/b.png'") "," PICTURE("image/bmp", "'data':'QUJD'")
      ",{'type':'audio','media_type':'audio/wav','data':'QUJD','transcript':'hey'}]", SAID,
      WHOLE("{'text':'[image: https://a/b.png]'},{'text':'[image: image/bmp]'},{'text':'hey'}",
            "end_turn", USAGE),
      BEGIN SAYS("0", "[image: https://a/b.png]") SAYS("1", "[image: image/bmp]") SAYS("2", "hey")
      END("end_turn", USAGE),
      "content[0] (image): words stand for it\ncontent[1] (image): words stand for it\n"
      "content[2] (audio): words stand for it\n" },
    { "arguments that are not an object are words", "openai",
      "[" CALL("a", "'arguments':{},'malformed_arguments':'{x'") "]", CALLED,
      WHOLE("{'toolUse':{'toolUseId':'a','name':'look','input':'{x'}}", "tool_use", USAGE),
      BEGIN START("0", USE("a")) INPUT("0", "{x") STOP("0") END("tool_use", USAGE), NULL },
    { "citations of others, where they have a page", "openai",
      "[{'type':'text','text':'Hi','citations':[{'url':'https://a','title':'A','start':0,'end':1},"
      "{'source':'s','text':'of s','location':{'x':1}}]}]", SAID,
      WHOLE("{'citationsContent':{'content':[{'text':'Hi'}],'citations':[{" CITATION_A "},{"
            CITATION_S "}]}}", "end_turn", USAGE),
      BEGIN DELTA("0", "'text':'Hi'") DELTA("0", "'citation':{" CITATION_A "}")
      DELTA("0", "'citation':{" CITATION_S "}") STOP("0") END("end_turn", USAGE), NULL },
    { "what only another API knows is left out", "anthropic",
      "[{'type':'opaque','dialect':'anthropic','value':{'type':'x'}}," TEXT("Hi") "]",
      SAID ",'extra':{'trace':{}}", WHOLE("{'text':'Hi'}", "end_turn", USAGE),
      BEGIN SAYS("0", "Hi") END("end_turn", USAGE), "content[0] (opaque): left out\n" },

    /* Its own. */
    { "citations as they came", "bedrock",
      "[{'type':'text','text':'Hi','citations':[{'title':'A','start':1,'end':2,"
      "'location':{'documentPage':{'start':1,'end':2}}}]}]", OWN,
      WHOLE("{'citationsContent':{'content':[{'text':'Hi'}],'citations':[{" PAGE "}]}}",
            "end_turn", NO_USAGE),
      BEGIN DELTA("0", "'text':'Hi'") DELTA("0", "'citation':{" PAGE "}") STOP("0") NOTHING_MORE,
      NULL },
    { "tools that it ran itself: pieces of what they were given and returned", "bedrock",
      "[" OPAQUE("{'toolUse':{'toolUseId':'s','name':'run','type':'server_tool_use',"
                 "'input':{'a':1}}}") ","
      OPAQUE("{'toolResult':{'toolUseId':'s','content':[{'text':'1'}]}}") "]", OWN,
      WHOLE("{'toolUse':{'toolUseId':'s','name':'run','type':'server_tool_use','input':{'a':1}}},"
            "{'toolResult':{'toolUseId':'s','content':[{'text':'1'}]}}", "end_turn", NO_USAGE),
      BEGIN START("0", "'toolUse':{'toolUseId':'s','name':'run','type':'server_tool_use'}")
      INPUT("0", "{\\'a\\':1}") STOP("0") START("1", "'toolResult':{'toolUseId':'s'}")
      DELTA("1", "'toolResult':[{'text':'1'}]") STOP("1") NOTHING_MORE, NULL },
    { "unknown blocks are one delta", "bedrock", "[" OPAQUE("{'new':{'a':1}}") "]", OWN,
      WHOLE("{'new':{'a':1}}", "end_turn", NO_USAGE),
      BEGIN DELTA("0", "'new':{'a':1}") STOP("0") NOTHING_MORE, NULL },
    { "words and what is sealed, of one thought", "bedrock",
      "[" THOUGHT("hm", ",'redacted':'cmVk'") "]", OWN,
      WHOLE("{'reasoningContent':{'reasoningText':{'text':'hm'},'redactedContent':'cmVk'}}",
            "end_turn", NO_USAGE),
      BEGIN DELTA("0", "'reasoningContent':{'text':'hm'}")
      DELTA("0", "'reasoningContent':{'redactedContent':'cmVk'}") STOP("0") NOTHING_MORE, NULL },
    { "a picture in a new format", "bedrock", "[" PICTURE("image/new", "'data':'QUJD'") "]", OWN,
      WHOLE("{'image':{'format':'new','source':{'bytes':'QUJD'}}}", "end_turn", NO_USAGE),
      NULL, NULL },
    { "what was kept aside of the reply goes where it was", "bedrock", "[]",
      ",'stop_reason':'refusal','stop_reason_original':'guardrail_intervened','extra':{"
      "'additionalModelResponseFields':{'a':1},'cacheDetails':[1],'serverToolUsage':{'s':1},"
      "'performanceConfig':{'p':1},'serviceTier':{'t':1},'trace':{'u':1}}",
      "{'output':{'message':{'role':'assistant','content':[]}},'stopReason':'guardrail_intervened',"
      "'additionalModelResponseFields':{'a':1},'usage':{'inputTokens':0,'outputTokens':0,"
      "'totalTokens':0,'cacheDetails':[1],'serverToolUsage':{'s':1}},'metrics':{'latencyMs':0},"
      "'performanceConfig':{'p':1},'serviceTier':{'t':1},'trace':{'u':1}}\n",
      BEGIN "messageStop {'stopReason':'guardrail_intervened',"
      "'additionalModelResponseFields':{'a':1}}\n"
      "metadata {'usage':{'inputTokens':0,'outputTokens':0,'totalTokens':0,'cacheDetails':[1],"
      "'serverToolUsage':{'s':1}},'metrics':{'latencyMs':0},'performanceConfig':{'p':1},"
      "'serviceTier':{'t':1},'trace':{'u':1}}\n", NULL },
    { "an error as it came", "bedrock", "[]",
      ",'error':{'kind':'overloaded','message':'no','code':'ModelNotReadyException'}",
      "{'__type':'ModelNotReadyException','message':'no'}\n", NULL, NULL },
    { "a request that was wrong", "anthropic", "[]",
      ",'error':{'kind':'other','message':'no','code':'invalid_request_error'}",
      "{'__type':'ValidationException','message':'no'}\n", NULL, NULL },
    { "a failure on the way", "anthropic", "[" TEXT("Hi") "]",
      ",'error':{'kind':'rate_limit','message':'gone'}", NULL,
      BEGIN SAYS("0", "Hi") "!throttlingException {'message':'gone'}\n", NULL },
    { "a model that failed is an error", "cohere", "[" TEXT("Hi") "]", ",'stop_reason':'error'",
      "{'__type':'InternalServerException','message':'the model stopped with an error'}\n",
      BEGIN SAYS("0", "Hi")
      "!internalServerException {'message':'the model stopped with an error'}\n", NULL },
    { "streams fail in five ways only", "bedrock", "[" TEXT("Hi") "]",
      ",'error':{'kind':'permission','message':'gone','code':'AccessDeniedException'}", NULL,
      BEGIN SAYS("0", "Hi") "!modelStreamErrorException {'message':'gone'}\n", NULL },
    { "a failure as it came", "bedrock", "[" TEXT("Hi") "]",
      ",'error':{'kind':'other','message':'gone','code':'modelStreamErrorException'},"
      "'extra':{'originalStatusCode':418,'originalMessage':'tea'}", NULL,
      BEGIN SAYS("0", "Hi") "!modelStreamErrorException {'message':'gone',"
      "'originalStatusCode':418,'originalMessage':'tea'}\n", NULL },
};

#define ERROR(name) "{'__type':'" name "','message':'no'}\n"

static const struct error_row errors[] = {
    { "authentication", "authentication", ERROR("UnrecognizedClientException"), 403 },
    { "permission", "permission", ERROR("AccessDeniedException"), 403 },
    { "rate limit", "rate_limit", ERROR("ThrottlingException"), 429 },
    { "overloaded", "overloaded", ERROR("ServiceUnavailableException"), 503 },
    { "context", "context_too_long", ERROR("ValidationException"), 400 },
    { "too large", "too_large", ERROR("ValidationException"), 400 },
    { "bad media", "bad_media", ERROR("ValidationException"), 400 },
    { "unsupported", "unsupported", ERROR("ValidationException"), 400 },
    { "not found", "not_found", ERROR("ResourceNotFoundException"), 404 },
    { "other", "other", ERROR("InternalServerException"), 500 },
};

static const struct event_row event_rows[] = {
    { "nothing but the end", { REPLY, OVER }, BEGIN NOTHING_MORE },
    { "pieces without a start, and none after the end",
      { REPLY, WORDS(0, "H"), WORDS(0, "i"), OVER, WORDS(0, "!") },
      BEGIN DELTA("0", "'text':'H'") DELTA("0", "'text':'i'") STOP("0") NOTHING_MORE },
    { "a call is finished before the next block",
      { REPLY, CALLS(0, "a"), ASKS(0, "{"), WORDS(1, "Hi"), ASKS(0, "}"), ENDS(0, "tool_call"),
        OVER },
      BEGIN START("0", USE("a")) INPUT("0", "{") INPUT("0", "}") STOP("0") SAYS("1", "Hi")
      END("tool_use", NO_USAGE) },
    { "a thought that is interrupted is signed at its end",
      { REPLY, THINKS(0, "a"), WORDS(1, "Hi"), SIGNS(0, "thinking", "s"), ENDS(0, "thinking"),
        OVER },
      BEGIN DELTA("0", "'reasoningContent':{'text':'a'}") STOP("0") SAYS("1", "Hi")
      DELTA("2", "'reasoningContent':{'signature':'s'}") STOP("2") NOTHING_MORE },
    { "a failure before anything was said", { REPLY, FAILS(RF_ERROR_OVERLOADED, "no"), OVER },
      "{'__type':'ServiceUnavailableException','message':'no'}\n" },
};
/* clang-format on */

static void row(void **state)
{
    check_response_row(*state, "bedrock");
}

static void error(void **state)
{
    check_error_row(*state, "bedrock");
}

static void events(void **state)
{
    check_event_row(*state, "bedrock");
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + COUNT(errors) + COUNT(event_rows)], *t = tests;
    name_rows(t, row, rows, COUNT(rows), sizeof *rows);
    name_rows(t += COUNT(rows), error, errors, COUNT(errors), sizeof *errors);
    name_rows(t += COUNT(errors), events, event_rows, COUNT(event_rows), sizeof *event_rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
