/* Neutral replies as responses of generateContent. */
#include "events.h"

#define ID ",'id':'r1'"
#define SAID ID ",'stop_reason':'end','usage':{'input_tokens':3,'output_tokens':2}"
#define CALLED ID ",'stop_reason':'tool_calls','usage':{'input_tokens':3,'output_tokens':2}"
#define OWN ID ",'stop_reason':'end','stop_reason_original':'STOP'"
#define NAMES ",'modelVersion':'m','responseId':'r1'}"
#define USAGE \
    ",'usageMetadata':{'promptTokenCount':3,'candidatesTokenCount':2,'totalTokenCount':5}" NAMES
#define NO_USAGE ",'usageMetadata':{'promptTokenCount':0,'totalTokenCount':0}" NAMES
#define NOT_TOLD ",'usageMetadata':{'totalTokenCount':0}" NAMES
#define CANDIDATE(parts, rest) \
    "{'candidates':[{'content':{'role':'model','parts':[" parts "]}," rest "}]"
#define WHOLE(parts, rest) CANDIDATE(parts, "'finishReason':'STOP','index':0") rest "\n"
#define PART(part) "data: " CANDIDATE(part, "'index':0") NAMES "\n\n"
#define LAST(reason, more, rest) \
    "data: " CANDIDATE("", "'finishReason':'" reason "','index':0" more) rest "\n\n"
#define END LAST("OTHER", "", NO_USAGE) /* the reason was not told */

#define TEXT(words) "{'type':'text','text':'" words "'}"
#define THOUGHT(words, members) "{'type':'thinking','thinking':'" words "'" members "}"
#define CALL(id, members) "{'type':'tool_call','id':'" id "','name':'look'," members "}"
#define FUNCTION(id, args) "{'functionCall':{'id':'" id "','name':'look','args':" args "}}"

#define CITED                                                                              \
    "{'type':'text','text':'\xc3\xa4 is b','citations':["                                  \
    "{'url':'https://a','title':'A','start':0,'end':1},{'source':'s','start':70,'end':90," \
    "'text':'of s'}]}"
#define GROUNDED(part)                                                                  \
    ",'groundingMetadata':{'groundingChunks':[{'web':{'uri':'https://a','title':'A'}}," \
    "{'retrievedContext':{'title':'s','text':'of s'}}],'groundingSupports':["           \
    "{'segment':{" part "'startIndex':0,'endIndex':2,'text':'\xc3\xa4'},"               \
    "'groundingChunkIndices':[0]},{'segment':{" part                                    \
    "'startIndex':0,'endIndex':7,'text':'\xc3\xa4 is b'},'groundingChunkIndices':[1]}]}"

/* Marks of other APIs: content/seal.h. */
#define SEALED_S "cmVmcmFjdAphbnRocm9waWMKeAoKcwoKCg=="
#define SEALED_R "cmVmcmFjdAphbnRocm9waWMKeAoKCnIKCg=="
#define SEALED_E "cmVmcmFjdAphbnRocm9waWMKeAoKCgplCg=="

/* clang-format off */
static const struct response_row rows[] = {
    { "thoughts, texts and calls, in their order", "anthropic",
      "[" THOUGHT("hm", "") "," TEXT("Hi") "," CALL("a", "'arguments':{'x':1}") "]", CALLED,
      WHOLE("{'text':'hm','thought':true},{'text':'Hi'}," FUNCTION("a", "{'x':1}"), USAGE),
      PART("{'text':'hm','thought':true}") PART("{'text':'Hi'}") PART(FUNCTION("a", "{'x':1}"))
      LAST("STOP", "", USAGE), NULL },
    { "signatures stand beside the last words", "anthropic",
      "[" THOUGHT("hm", ",'signature':'s'") "," CALL("a", "'arguments':{},'signature':'t'") "]",
      CALLED,
      WHOLE("{'text':'hm','thought':true,'thoughtSignature':'" SEALED_S "'},"
            "{'functionCall':{'id':'a','name':'look','args':{}},'thoughtSignature':'t'}", USAGE),
      PART("{'text':'hm','thought':true}")
      PART("{'text':'','thought':true,'thoughtSignature':'" SEALED_S "'}")
      PART("{'functionCall':{'id':'a','name':'look','args':{}},'thoughtSignature':'t'}")
      LAST("STOP", "", USAGE), NULL },
    { "thoughts that only another API can read go through", "anthropic",
      "[" THOUGHT("", ",'redacted':'r'") "," THOUGHT("hm", ",'encrypted':'e'") "]", SAID,
      WHOLE("{'text':'','thought':true,'thoughtSignature':'" SEALED_R "'},"
            "{'text':'hm','thought':true,'thoughtSignature':'" SEALED_E "'}", USAGE),
      PART("{'text':'','thought':true,'thoughtSignature':'" SEALED_R "'}")
      PART("{'text':'hm','thought':true}")
      PART("{'text':'','thought':true,'thoughtSignature':'" SEALED_E "'}")
      LAST("STOP", "", USAGE), NULL },
    { "thoughts are counted apart, and tokens by what they are", "openai", "[]",
      ID ",'stop_reason':'length','usage':{'input_tokens':9,'output_tokens':8,'cached_tokens':1,"
      "'reasoning_tokens':3,'input_text_tokens':5,'input_image_tokens':4,'output_audio_tokens':2}",
      CANDIDATE("", "'finishReason':'MAX_TOKENS','index':0")
      ",'usageMetadata':{'promptTokenCount':9,'candidatesTokenCount':5,'totalTokenCount':17,"
      "'cachedContentTokenCount':1,'thoughtsTokenCount':3,'promptTokensDetails':["
      "{'modality':'TEXT','tokenCount':5},{'modality':'IMAGE','tokenCount':4}],"
      "'candidatesTokensDetails':[{'modality':'AUDIO','tokenCount':2}]}" NAMES "\n", NULL, NULL },
    { "more thoughts than output", "openai", "[]",
      ID ",'usage':{'input_tokens':9,'output_tokens':8,'reasoning_tokens':30}",
      CANDIDATE("", "'finishReason':'OTHER','index':0")
      ",'usageMetadata':{'promptTokenCount':9,'totalTokenCount':17,'thoughtsTokenCount':30}"
      NAMES "\n", NULL, NULL },
    { "our word for why it stopped", "anthropic", "[]",
      ID ",'stop_reason':'refusal','stop_reason_original':'refusal'",
      CANDIDATE("", "'finishReason':'SAFETY','index':0") NO_USAGE "\n",
      LAST("SAFETY", "", NO_USAGE), NULL },
    { "files that are here, and files that are elsewhere", "openai",
      "[{'type':'image','media_type':'image/png','data':'QUJD'},"
      "{'type':'audio','media_type':'audio/wav','url':'https://a/b.wav'}]", SAID,
      WHOLE("{'inlineData':{'mimeType':'image/png','data':'QUJD'}},"
            "{'fileData':{'mimeType':'audio/wav','fileUri':'https://a/b.wav'}}", USAGE),
      PART("{'inlineData':{'mimeType':'image/png','data':'QUJD'}}")
      PART("{'fileData':{'mimeType':'audio/wav','fileUri':'https://a/b.wav'}}")
      LAST("STOP", "", USAGE), NULL },
    { "arguments that are not an object", "openai",
      "[" CALL("a", "'arguments':{},'malformed_arguments':'{x'") "]", CALLED,
      CANDIDATE("{'text':'" UNREADABLE "'}", "'finishReason':'MALFORMED_FUNCTION_CALL','index':0")
      USAGE "\n",
      PART("{'text':'" UNREADABLE "'}") LAST("MALFORMED_FUNCTION_CALL", "", USAGE),
      "content[0] (tool_call): words stand for it\n" },
    { "arguments that were cut off", "openai",
      "[" CALL("a", "'arguments':{},'malformed_arguments':'{x'") "]",
      ID ",'stop_reason':'length'", NULL,
      PART("{'text':'" UNREADABLE "'}") LAST("MAX_TOKENS", "", NO_USAGE),
      "content[0] (tool_call): words stand for it\n" },
    { "a text is grounded on what it cites; a page says on which part", "openai", "[" CITED "]",
      SAID,
      CANDIDATE("{'text':'\xc3\xa4 is b'}", "'finishReason':'STOP','index':0" GROUNDED(""))
      USAGE "\n",
      PART("{'text':'\xc3\xa4 is b'}") LAST("STOP", GROUNDED(""), USAGE), NULL },
    { "the part that cites is named", "openai", "[" THOUGHT("hm", "") "," CITED "]", SAID,
      CANDIDATE("{'text':'hm','thought':true},{'text':'\xc3\xa4 is b'}",
                "'finishReason':'STOP','index':0" GROUNDED("'partIndex':1,")) USAGE "\n",
      NULL, NULL },
    { "places beyond the text end with it", "openai",
      "[{'type':'text','text':'ab','citations':[{'url':'https://a','start':1,'end':99},"
      "{'url':'https://b','start':9,'end':3},{'url':'https://c','start':5,'end':6}]}]", SAID,
      CANDIDATE("{'text':'ab'}", "'finishReason':'STOP','index':0,'groundingMetadata':{"
      "'groundingChunks':[{'web':{'uri':'https://a'}},{'web':{'uri':'https://b'}},"
      "{'web':{'uri':'https://c'}}],'groundingSupports':["
      "{'segment':{'startIndex':1,'endIndex':2,'text':'b'},'groundingChunkIndices':[0]},"
      "{'segment':{'startIndex':0,'endIndex':2,'text':'ab'},'groundingChunkIndices':[1]},"
      "{'segment':{'startIndex':2,'endIndex':2,'text':''},'groundingChunkIndices':[2]}]}")
      USAGE "\n", NULL, NULL },
    { "what only another API knows is left out", "anthropic",
      "[{'type':'opaque','dialect':'anthropic','value':{'type':'x'}}," TEXT("Hi") "]",
      SAID ",'extra':{'finishMessage':'x'}",
      WHOLE("{'text':'Hi'}", USAGE), PART("{'text':'Hi'}") LAST("STOP", "", USAGE),
      "content[0] (opaque): left out\n" },

    /* Its own. */
    { "a signed text, and parts of its own", "google",
      "[{'type':'text','text':'Hi','extra':{'thoughtSignature':'s','partMetadata':{'a':1}}},"
      "{'type':'opaque','dialect':'gemini','value':{'executableCode':{'code':'1'}}},"
      "{'type':'video','media_type':'video/mp4','url':'gs://a','extra':{'displayName':'d',"
      "'videoMetadata':{'fps':1}}}]", OWN,
      WHOLE("{'text':'Hi','thoughtSignature':'s','partMetadata':{'a':1}},"
            "{'executableCode':{'code':'1'}},{'fileData':{'mimeType':'video/mp4',"
            "'fileUri':'gs://a','displayName':'d'},'videoMetadata':{'fps':1}}", NOT_TOLD),
      PART("{'text':'Hi'}") PART("{'text':'','thoughtSignature':'s','partMetadata':{'a':1}}")
      PART("{'executableCode':{'code':'1'}}")
      PART("{'fileData':{'mimeType':'video/mp4','fileUri':'gs://a','displayName':'d'},"
           "'videoMetadata':{'fps':1}}") LAST("STOP", "", NOT_TOLD), NULL },
    { "a call without an id stays one", "google",
      "[{'type':'tool_call','id':'','name':'look','arguments':{},'extra':{'willContinue':true}}]",
      OWN, WHOLE("{'functionCall':{'name':'look','args':{},'willContinue':true}}", NOT_TOLD),
      NULL, NULL },
    { "what was kept aside of the reply, once, at its end", "google", "[" TEXT("Hi") "]",
      ID ",'stop_reason':'refusal','stop_reason_original':'SPII','extra':{'finishMessage':'f',"
      "'groundingMetadata':{'g':1},'urlContextMetadata':{'u':1},'citationSources':[{'c':1}],"
      "'candidates':[{'index':1}]}",
      "{'candidates':[{'content':{'role':'model','parts':[{'text':'Hi'}]},'finishReason':'SPII',"
      "'index':0,'finishMessage':'f','groundingMetadata':{'g':1},'urlContextMetadata':{'u':1},"
      "'citationMetadata':{'citationSources':[{'c':1}]}},{'index':1}]" NOT_TOLD "\n",
      PART("{'text':'Hi'}")
      "data: {'candidates':[{'content':{'role':'model','parts':[]},'finishReason':'SPII',"
      "'index':0,'finishMessage':'f','groundingMetadata':{'g':1},'urlContextMetadata':{'u':1},"
      "'citationMetadata':{'citationSources':[{'c':1}]}},{'index':1}]" NOT_TOLD "\n\n", NULL },
    { "citations that were kept as they came are not said again", "google",
      "[{'type':'text','text':'ab','citations':[{'url':'https://a','start':0,'end':1}]}]",
      OWN ",'extra':{'citationSources':[{'uri':'https://a','startIndex':0,'endIndex':1}]}",
      CANDIDATE("{'text':'ab'}", "'finishReason':'STOP','index':0,'citationMetadata':{"
      "'citationSources':[{'uri':'https://a','startIndex':0,'endIndex':1}]}") NOT_TOLD "\n",
      PART("{'text':'ab'}") LAST("STOP", ",'citationMetadata':{"
      "'citationSources':[{'uri':'https://a','startIndex':0,'endIndex':1}]}", NOT_TOLD), NULL },
    { "what was refused before anything was said has no candidate", "google", "[]",
      ID ",'stop_reason':'refusal','stop_reason_original':'SAFETY',"
      "'extra':{'promptFeedback':{'blockReason':'SAFETY'}}",
      "{'promptFeedback':{'blockReason':'SAFETY'}" NOT_TOLD "\n",
      "data: {'promptFeedback':{'blockReason':'SAFETY'}" NOT_TOLD "\n\n", NULL },
    { "an error as it came", "google", "[]",
      ",'error':{'kind':'rate_limit','message':'no','code':'QUOTA'},'extra':{'details':[{'d':1}]}",
      "{'error':{'code':429,'message':'no','status':'QUOTA','details':[{'d':1}]}}\n", NULL, NULL },
    { "a request that was wrong", "anthropic", "[]",
      ",'error':{'kind':'other','message':'no','code':'invalid_request_error'}",
      "{'error':{'code':400,'message':'no','status':'INVALID_ARGUMENT'}}\n", NULL, NULL },
    { "a failure on the way", "anthropic", "[" TEXT("Hi") "]",
      ID ",'error':{'kind':'overloaded','message':'gone'}", NULL,
      PART("{'text':'Hi'}")
      "data: {'error':{'code':503,'message':'gone','status':'UNAVAILABLE'}}\n\n", NULL },
};

#define ERROR(code, status) "{'error':{'code':" code ",'message':'no','status':'" status "'}}\n"

static const struct error_row errors[] = {
    { "authentication", "authentication", ERROR("401", "UNAUTHENTICATED"), 401 },
    { "permission", "permission", ERROR("403", "PERMISSION_DENIED"), 403 },
    { "rate limit", "rate_limit", ERROR("429", "RESOURCE_EXHAUSTED"), 429 },
    { "overloaded", "overloaded", ERROR("503", "UNAVAILABLE"), 503 },
    { "context", "context_too_long", ERROR("400", "INVALID_ARGUMENT"), 400 },
    { "too large", "too_large", ERROR("400", "INVALID_ARGUMENT"), 400 },
    { "bad media", "bad_media", ERROR("400", "INVALID_ARGUMENT"), 400 },
    { "unsupported", "unsupported", ERROR("400", "INVALID_ARGUMENT"), 400 },
    { "not found", "not_found", ERROR("404", "NOT_FOUND"), 404 },
    { "other", "other", ERROR("500", "INTERNAL"), 500 },
};

static const struct event_row event_rows[] = {
    { "nothing but the end", { REPLY, OVER }, END },
    { "pieces without a start, and none after the end",
      { REPLY, WORDS(0, "H"), WORDS(0, "i"), OVER, WORDS(0, "!") },
      PART("{'text':'H'}") PART("{'text':'i'}") END },
    { "a call goes when it is complete",
      { REPLY, CALLS(0, "a"), ASKS(0, "{"), WORDS(1, "Hi"), ASKS(0, "}"),
        ENDS(0, "tool_call"), OVER },
      PART(FUNCTION("a", "{}")) PART("{'text':'Hi'}") END },
    { "a thought that is interrupted is signed at its end",
      { REPLY, THINKS(0, "a"), WORDS(1, "Hi"), THINKS(0, "b"), SIGNS(0, "thinking", "s"),
        ENDS(0, "thinking"), OVER },
      PART("{'text':'a','thought':true}") PART("{'text':'Hi'}")
      PART("{'text':'b','thought':true}")
      PART("{'text':'','thought':true,'thoughtSignature':'s'}") END },
    { "a failure after some words",
      { REPLY, WORDS(0, "H"), FAILS(RF_ERROR_RATE_LIMIT, "no"), OVER },
      PART("{'text':'H'}")
      "data: {'error':{'code':429,'message':'no','status':'RESOURCE_EXHAUSTED'}}\n\n" },
};
/* clang-format on */

static void row(void **state)
{
    check_response_row(*state, "gemini");
}

static void error(void **state)
{
    check_error_row(*state, "gemini");
}

static void events(void **state)
{
    check_event_row(*state, "gemini");
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + COUNT(errors) + COUNT(event_rows)], *t = tests;
    name_rows(t, row, rows, COUNT(rows), sizeof *rows);
    name_rows(t += COUNT(rows), error, errors, COUNT(errors), sizeof *errors);
    name_rows(t += COUNT(errors), events, event_rows, COUNT(event_rows), sizeof *event_rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
