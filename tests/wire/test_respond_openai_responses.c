/* Neutral replies as OpenAI Responses. */
#include "parsing.h"
#include "responses.h"

#define ID ",'id':'r1'"
#define SAID ID ",'stop_reason':'end','usage':{'input_tokens':3,'output_tokens':2}"
#define CALLED ID ",'stop_reason':'tool_calls'"
#define OWN ID ",'stop_reason':'end','stop_reason_original':'completed'"
#define TEXT(words) "{'type':'text','text':'" words "'}"
#define CALL(id, members) "{'type':'tool_call','id':'" id "','name':'look'," members "}"
#define OPAQUE(value) "{'type':'opaque','dialect':'openai-responses','value':" value "}"

#define TOKENS(in, out, sum)                                                                     \
    "{'input_tokens':" in ",'input_tokens_details':{'cached_tokens':0,'cache_write_tokens':0},"  \
    "'output_tokens':" out ",'output_tokens_details':{'reasoning_tokens':0},'total_tokens':" sum \
    "}"
#define USAGE TOKENS("3", "2", "5")
#define NO_USAGE TOKENS("0", "0", "0")
#define DEFAULTS                                                                           \
    "'access_programs':null,'instructions':null,'metadata':{},'parallel_tool_calls':true," \
    "'temperature':null,'tool_choice':'auto','tools':[],'top_p':null,"
#define RESPONSE(status, details, output, usage)                                      \
    "{'id':'r1','object':'response','created_at':,'model':'m','status':'" status      \
    "','error':null,'incomplete_details':" details ",'output':[" output "]," DEFAULTS \
    "'usage':" usage "}"
#define FAILED(error, output, usage)                                                             \
    "{'id':'r1','object':'response','created_at':,'model':'m','status':'failed','error':{" error \
    "},'incomplete_details':null,'output':[" output "]," DEFAULTS "'usage':" usage "}"
#define ERROR(words, type, code) \
    "{'error':{'message':'" words "','type':'" type "','param':null,'code':" code "}}\n"
#define NO(type, code) ERROR("no", type, code)
#define WHOLE(output, usage) RESPONSE("completed", "null", output, usage) "\n"
#define CUT(details, output) RESPONSE("incomplete", details, output, NO_USAGE) "\n"

/* Items. */
#define MESSAGE(id, status, content)                                                               \
    "{'type':'message','role':'assistant','id':'" id "','status':'" status "','content':[" content \
    "]}"
#define PART(words, annotations) \
    "{'type':'output_text','text':'" words "','annotations':[" annotations "]}"
#define HI MESSAGE("msg_r1_0", "completed", PART("Hi", ""))
#define THOUGHT(id, summary) "{'type':'reasoning','id':'" id "','summary':[" summary "]"
#define SUMMARY(words) "{'type':'summary_text','text':'" words "'}"
#define FUNCTION(id, call, arguments, status)                                            \
    "{'type':'function_call','call_id':'" call "','name':'look','arguments':'" arguments \
    "','id':'" id "','status':'" status "'}"
#define IMAGE(id, status, result)                                     \
    "{'type':'image_generation_call','id':'" id "','status':'" status \
    "','output_format':'png','result':" result "}"

/* Events. */
#define EV(number, type, members)                                                           \
    "event: response." type "\ndata: {'type':'response." type "','sequence_number':" number \
    "," members "}\n\n"
#define BEGIN                                                                     \
    EV("0", "created", "'response':" RESPONSE("in_progress", "null", "", "null")) \
    EV("1", "in_progress", "'response':" RESPONSE("in_progress", "null", "", "null"))
#define ADDED(number, index, item) \
    EV(number, "output_item.added", "'output_index':" index ",'item':" item)
#define ENDED(number, index, item) \
    EV(number, "output_item.done", "'output_index':" index ",'item':" item)
#define AT(id, index) "'item_id':'" id "','output_index':" index
#define PART_AT(id, index, part) AT(id, index) ",'content_index':" part
#define PART_ADDED(number, place) EV(number, "content_part.added", place ",'part':" PART("", ""))
#define SAYS(number, place, words) \
    EV(number, "output_text.delta", place ",'delta':'" words "','logprobs':[]")
#define SAID_ALL(number, place, words) \
    EV(number, "output_text.done", place ",'text':'" words "','logprobs':[]")
#define PART_DONE(number, place, words, annotations) \
    EV(number, "content_part.done", place ",'part':" PART(words, annotations))
#define DONE(number, output, usage) \
    EV(number, "completed", "'response':" RESPONSE("completed", "null", output, usage))
#define NEW_MESSAGE(number, index, id) ADDED(number, index, MESSAGE(id, "in_progress", ""))

#define MSG PART_AT("msg_r1_0", "0", "0")
#define MSG_1 PART_AT("msg_r1_0", "0", "1")
#define MSG_2 PART_AT("msg_r1_2", "2", "0")
#define M1 PART_AT("m1", "0", "0")
#define T1 PART_AT("t1", "0", "0")
#define RS AT("rs_r1_0", "0") ",'summary_index':0"
#define FC_0 AT("fc_r1_0", "0")
#define FC_1 AT("fc_r1_1", "1")
#define FC_2 AT("fc_r1_2", "2")
#define PAGE_1 "{'type':'url_citation','url':'u','title':'t','start_index':1,'end_index':2}"
#define PAGE_2 "{'type':'url_citation','url':'v','title':'','start_index':0,'end_index':2}"
#define FILE_3 "{'type':'file_citation','file_id':'s','filename':'f','index':2}"
#define ANNOTATED(number, index, annotation)   \
    EV(number, "output_text.annotation.added", \
       MSG ",'annotation_index':" index ",'annotation':" annotation)
#define CONTENT                                                       \
    "{'type':'reasoning','id':'t1','status':'completed','content':[{" \
    "'type':'reasoning_text','text':'hm'}],'summary':[]}"
#define SAYS_HI                                                                       \
    BEGIN NEW_MESSAGE("2", "0", "msg_r1_0") PART_ADDED("3", MSG) SAYS("4", MSG, "Hi") \
        SAID_ALL("5", MSG, "Hi") PART_DONE("6", MSG, "Hi", "") ENDED("7", "0", HI)

#define START(number, what, ...) EVENT_OF(RF_EVENT_BLOCK_START, number, what, __VA_ARGS__)
#define PIECE(which, number, what, words) \
    EVENT_OF(RF_EVENT_##which, number, what, .text = RF_STR_INIT(words))
#define CLOSE(number, what) EVENT_OF(RF_EVENT_BLOCK_END, number, what, .done = NULL)
#define REPLY EVENT_OF(RF_EVENT_BEGIN, 0, NULL, .id = RF_STR_INIT("r1"))
#define OVER EVENT_OF(RF_EVENT_DONE, 0, NULL, .reply = NULL)

/* Marks of other APIs: content/seal.h. */
#define SEALED(mark) ",'encrypted_content':'" mark "'}"
#define SEALED_S "cmVmcmFjdAphbnRocm9waWMKeAoKcwoKCg=="
#define SEALED_R "cmVmcmFjdAphbnRocm9waWMKeAoKCnIKCg=="

/* clang-format off */
static const struct response_row rows[] = {
    { "a text, and what the type requires besides", "anthropic", "[" TEXT("Hi") "]", SAID,
      WHOLE(HI, USAGE), SAYS_HI DONE("8", HI, USAGE), NULL },
    { "texts in a row are parts of one message", "anthropic", "[" TEXT("a") "," TEXT("b") "]", SAID,
      WHOLE(MESSAGE("msg_r1_0", "completed", PART("a", "") "," PART("b", "")), USAGE),
      BEGIN NEW_MESSAGE("2", "0", "msg_r1_0")
      PART_ADDED("3", MSG) SAYS("4", MSG, "a") SAID_ALL("5", MSG, "a") PART_DONE("6", MSG, "a", "")
      PART_ADDED("7", MSG_1) SAYS("8", MSG_1, "b") SAID_ALL("9", MSG_1, "b")
      PART_DONE("10", MSG_1, "b", "")
      ENDED("11", "0", MESSAGE("msg_r1_0", "completed", PART("a", "") "," PART("b", "")))
      DONE("12", MESSAGE("msg_r1_0", "completed", PART("a", "") "," PART("b", "")), USAGE), NULL },
    { "own texts are in the messages that they came in", "openai",
      "[{'type':'text','text':'a','extra':{'id':'m1','status':'completed','phase':'commentary'}},"
      "{'type':'text','text':'b','extra':{'id':'m2','status':'incomplete'}},"
      "{'type':'text','text':'c','extra':{'id':'m2','status':'incomplete'}}]", OWN,
      WHOLE("{'type':'message','role':'assistant','id':'m1','status':'completed',"
            "'phase':'commentary','content':[" PART("a", "") "]},"
            MESSAGE("m2", "incomplete", PART("b", "") "," PART("c", "")), "null"), NULL, NULL },
    { "an empty text is there for its id", "openai",
      "[{'type':'text','text':'','extra':{'id':'m1','status':'completed'}}]", OWN,
      WHOLE(MESSAGE("m1", "completed", PART("", "")), "null"), NULL, NULL },
    { "and of another API it is nothing", "anthropic", "[" TEXT("") "]", SAID, WHOLE("", USAGE),
      BEGIN DONE("2", "", USAGE), NULL },
    { "an own refusal", "openai",
      "[{'type':'text','text':'No.','extra':{'refusal':true,'id':'m1','status':'completed'}}]",
      ID ",'stop_reason':'refusal','stop_reason_original':'completed'",
      WHOLE(MESSAGE("m1", "completed", "{'type':'refusal','refusal':'No.'}"), "null"),
      BEGIN NEW_MESSAGE("2", "0", "m1")
      EV("3", "content_part.added", M1 ",'part':{'type':'refusal','refusal':''}")
      EV("4", "refusal.delta", M1 ",'delta':'No.'") EV("5", "refusal.done", M1 ",'refusal':'No.'")
      EV("6", "content_part.done", M1 ",'part':{'type':'refusal','refusal':'No.'}")
      ENDED("7", "0", MESSAGE("m1", "completed", "{'type':'refusal','refusal':'No.'}"))
      DONE("8", MESSAGE("m1", "completed", "{'type':'refusal','refusal':'No.'}"), "null"), NULL },

    /* Citations. */
    { "citations are annotations, of all of the text where they do not say", "google",
      "[{'type':'text','text':'J\u00e4','citations':[{'url':'u','title':'t','start':1,'end':2},"
      "{'url':'v'},{'source':'s','title':'f','start':7}]}]", SAID,
      WHOLE(MESSAGE("msg_r1_0", "completed", PART("J\u00e4", PAGE_1 "," PAGE_2 "," FILE_3)), USAGE),
      BEGIN NEW_MESSAGE("2", "0", "msg_r1_0") PART_ADDED("3", MSG) SAYS("4", MSG, "J\u00e4")
      ANNOTATED("5", "0", PAGE_1) ANNOTATED("6", "1", PAGE_2) ANNOTATED("7", "2", FILE_3)
      SAID_ALL("8", MSG, "J\u00e4") PART_DONE("9", MSG, "J\u00e4", PAGE_1 "," PAGE_2 "," FILE_3)
      ENDED("10", "0", MESSAGE("msg_r1_0", "completed",
                               PART("J\u00e4", PAGE_1 "," PAGE_2 "," FILE_3)))
      DONE("11", MESSAGE("msg_r1_0", "completed", PART("J\u00e4", PAGE_1 "," PAGE_2 "," FILE_3)),
           USAGE), NULL },
    { "own annotations as they came", "openai",
      "[{'type':'text','text':'x','citations':[{'source':'f'}],'extra':{'annotations':["
      "{'type':'file_path','file_id':'f','index':7}],'id':'m1','status':'completed'}}]", OWN,
      WHOLE(MESSAGE("m1", "completed", PART("x", "{'type':'file_path','file_id':'f','index':7}")),
            "null"), NULL, NULL },

    /* Thoughts. */
    { "a thought is a summary", "anthropic",
      "[{'type':'thinking','thinking':'hm','signature':'s'}]", SAID,
      WHOLE(THOUGHT("rs_r1_0", SUMMARY("hm")) SEALED(SEALED_S), USAGE),
      BEGIN ADDED("2", "0", THOUGHT("rs_r1_0", "") "}")
      EV("3", "reasoning_summary_part.added", RS ",'part':" SUMMARY(""))
      EV("4", "reasoning_summary_text.delta", RS ",'delta':'hm'")
      EV("5", "reasoning_summary_text.done", RS ",'text':'hm'")
      EV("6", "reasoning_summary_part.done", RS ",'part':" SUMMARY("hm"))
      ENDED("7", "0", THOUGHT("rs_r1_0", SUMMARY("hm")) SEALED(SEALED_S))
      DONE("8", THOUGHT("rs_r1_0", SUMMARY("hm")) SEALED(SEALED_S), USAGE), NULL },
    { "one that only another API can read goes through", "anthropic",
      "[{'type':'thinking','thinking':'','redacted':'r'}]", SAID,
      WHOLE(THOUGHT("rs_r1_0", "") SEALED(SEALED_R), USAGE),
      BEGIN ADDED("2", "0", THOUGHT("rs_r1_0", "") "}")
      ENDED("3", "0", THOUGHT("rs_r1_0", "") SEALED(SEALED_R))
      DONE("4", THOUGHT("rs_r1_0", "") SEALED(SEALED_R), USAGE), NULL },
    { "an own one without words", "openai",
      "[{'type':'thinking','thinking':'','id':'t1','encrypted':'e'}]", OWN,
      WHOLE(THOUGHT("t1", "") ",'encrypted_content':'e'}", "null"),
      BEGIN ADDED("2", "0", THOUGHT("t1", "") "}")
      ENDED("3", "0", THOUGHT("t1", "") ",'encrypted_content':'e'}")
      DONE("4", THOUGHT("t1", "") ",'encrypted_content':'e'}", "null"), NULL },
    { "an own one that was content", "openai",
      "[{'type':'thinking','thinking':'hm','id':'t1','extra':{'summary':[],'status':'completed'}}]",
      OWN, WHOLE(CONTENT, "null"),
      BEGIN ADDED("2", "0", THOUGHT("t1", "") "}")
      EV("3", "content_part.added", T1 ",'part':{'type':'reasoning_text','text':''}")
      EV("4", "reasoning_text.delta", T1 ",'delta':'hm'")
      EV("5", "reasoning_text.done", T1 ",'text':'hm'")
      EV("6", "content_part.done", T1 ",'part':{'type':'reasoning_text','text':'hm'}")
      ENDED("7", "0", CONTENT) DONE("8", CONTENT, "null"), NULL },
    { "an own one in parts", "openai",
      "[{'type':'thinking','thinking':'a\\n\\nb','id':'t1','extra':{'summary':[" SUMMARY("a") ","
      SUMMARY("b") "]}}]", OWN,
      WHOLE(THOUGHT("t1", SUMMARY("a") "," SUMMARY("b")) "}", "null"), NULL, NULL },
    { "an own one with both", "openai",
      "[{'type':'thinking','thinking':'hm','id':'t1','extra':{'content':[{'type':'reasoning_text',"
      "'text':'C'}]}}]", OWN,
      WHOLE(THOUGHT("t1", SUMMARY("hm")) ",'content':[{'type':'reasoning_text','text':'C'}]}",
            "null"), NULL, NULL },

    /* Calls. */
    { "a text, then calls", "anthropic",
      "[" TEXT("Hi") "," CALL("a", "'arguments':{'x':1},'signature':'s'") ","
      CALL("b", "'arguments':{}")
      "]", CALLED,
      WHOLE(HI "," FUNCTION("fc_r1_1", "a__thought__s", "{\\'x\\':1}", "completed") ","
            FUNCTION("fc_r1_2", "b", "{}", "completed"), NO_USAGE),
      SAYS_HI ADDED("8", "1", FUNCTION("fc_r1_1", "a__thought__s", "", "in_progress"))
      EV("9", "function_call_arguments.delta", FC_1 ",'delta':'{\\'x\\':1}'")
      EV("10", "function_call_arguments.done", FC_1 ",'arguments':'{\\'x\\':1}'")
      ENDED("11", "1", FUNCTION("fc_r1_1", "a__thought__s", "{\\'x\\':1}", "completed"))
      ADDED("12", "2", FUNCTION("fc_r1_2", "b", "", "in_progress"))
      EV("13", "function_call_arguments.delta", FC_2 ",'delta':'{}'")
      EV("14", "function_call_arguments.done", FC_2 ",'arguments':'{}'")
      ENDED("15", "2", FUNCTION("fc_r1_2", "b", "{}", "completed"))
      DONE("16", HI "," FUNCTION("fc_r1_1", "a__thought__s", "{\\'x\\':1}", "completed") ","
           FUNCTION("fc_r1_2", "b", "{}", "completed"), NO_USAGE),
      NULL },
    { "a call without an id gets one", "google", "[" CALL("", "'arguments':{}") "]", CALLED,
      WHOLE(FUNCTION("fc_r1_0", "call_r1_0", "{}", "completed"), NO_USAGE), NULL, NULL },
    { "an own call", "openai",
      "[" CALL("a", "'arguments':{},'extra':{'id':'f1','status':'completed','namespace':'n'}") "]",
      OWN,
      WHOLE("{'type':'function_call','call_id':'a','name':'look','arguments':'{}','id':'f1',"
            "'status':'completed','namespace':'n'}", "null"), NULL, NULL },
    { "arguments that are not JSON are the words", "anthropic",
      "[" CALL("a", "'arguments':{},'malformed_arguments':'{x'") "]", CALLED,
      WHOLE(FUNCTION("fc_r1_0", "a", "{x", "completed"), NO_USAGE),
      BEGIN ADDED("2", "0", FUNCTION("fc_r1_0", "a", "", "in_progress"))
      EV("3", "function_call_arguments.delta", FC_0 ",'delta':'{x'")
      EV("4", "function_call_arguments.done", FC_0 ",'arguments':'{x'")
      ENDED("5", "0", FUNCTION("fc_r1_0", "a", "{x", "completed"))
      DONE("6", FUNCTION("fc_r1_0", "a", "{x", "completed"), NO_USAGE), NULL },

    /* Files and what only one API can say. */
    { "an image is a call that made it", "google",
      "[{'type':'image','media_type':'image/png','data':'QUJD'}]", SAID,
      WHOLE(IMAGE("ig_r1_0", "completed", "'QUJD'"), USAGE),
      BEGIN ADDED("2", "0", IMAGE("ig_r1_0", "in_progress", "null"))
      ENDED("3", "0", IMAGE("ig_r1_0", "completed", "'QUJD'"))
      DONE("4", IMAGE("ig_r1_0", "completed", "'QUJD'"), USAGE), NULL },
    { "an own image is in the item that it came in", "openai",
      "[" OPAQUE("{'type':'image_generation_call','id':'i','result':'QUJD'}") ","
      "{'type':'image','media_type':'image/png','data':'QUJD'}]", OWN,
      WHOLE("{'type':'image_generation_call','id':'i','result':'QUJD'}", "null"),
      BEGIN ADDED("2", "0", "{'type':'image_generation_call','id':'i','result':'QUJD'}")
      ENDED("3", "0", "{'type':'image_generation_call','id':'i','result':'QUJD'}")
      DONE("4", "{'type':'image_generation_call','id':'i','result':'QUJD'}", "null"), NULL },
    { "an image elsewhere is words", "google",
      "[{'type':'image','media_type':'image/png','url':'https://e.org/a.png'}]", SAID,
      WHOLE(MESSAGE("msg_r1_0", "completed", PART("[image: https://e.org/a.png]", "")), USAGE),
      NULL, "content[0] (image): words stand for it\n" },
    { "a sound is what is said in it", "openai-chat",
      "[{'type':'audio','media_type':'audio/wav','data':'QUJD','transcript':'Hi'}]", SAID,
      WHOLE(HI, USAGE), SAYS_HI DONE("8", HI, USAGE), "content[0] (audio): words stand for it\n" },
    { "an item of another API is left out", "anthropic",
      "[{'type':'opaque','dialect':'anthropic','value':{'type':'x'}}," TEXT("Hi") "]", SAID,
      WHOLE(HI, USAGE), SAYS_HI DONE("8", HI, USAGE), "content[0] (opaque): left out\n" },

    /* Why it stopped. */
    { "the most tokens", "anthropic", "[" TEXT("Hi") "]", ID ",'stop_reason':'length'",
      CUT("{'reason':'max_output_tokens'}", HI),
      SAYS_HI EV("8", "incomplete", "'response':" RESPONSE("incomplete",
                 "{'reason':'max_output_tokens'}", HI, NO_USAGE)), NULL },
    { "a refusal in words is complete", "openrouter",
      "[{'type':'text','text':'No.','extra':{'refusal':true}}]", ID ",'stop_reason':'refusal'",
      WHOLE(MESSAGE("msg_r1_0", "completed", "{'type':'refusal','refusal':'No.'}"), NO_USAGE),
      BEGIN NEW_MESSAGE("2", "0", "msg_r1_0")
      EV("3", "content_part.added", MSG ",'part':{'type':'refusal','refusal':''}")
      EV("4", "refusal.delta", MSG ",'delta':'No.'") EV("5", "refusal.done", MSG ",'refusal':'No.'")
      EV("6", "content_part.done", MSG ",'part':{'type':'refusal','refusal':'No.'}")
      ENDED("7", "0", MESSAGE("msg_r1_0", "completed", "{'type':'refusal','refusal':'No.'}"))
      DONE("8", MESSAGE("msg_r1_0", "completed", "{'type':'refusal','refusal':'No.'}"), NO_USAGE),
      NULL },
    { "a refusal elsewhere is a filter", "anthropic", "[]", ID ",'stop_reason':'refusal'",
      CUT("{'reason':'content_filter'}", ""), NULL, NULL },
    { "a turn that is to go on", "anthropic", "[]", ID ",'stop_reason':'paused'", CUT("{}", ""),
      NULL, NULL },
    { "an own reason as it came", "openai", "[]",
      ID ",'stop_reason':'unknown','stop_reason_original':'steered'",
      RESPONSE("incomplete", "{'reason':'steered'}", "", "null") "\n", NULL, NULL },
    { "an own response that waits", "openai", "[]",
      ID ",'stop_reason':'unknown','stop_reason_original':'queued'",
      "{'id':'r1','object':'response','created_at':,'model':'m','status':'queued','error':null,"
      "'incomplete_details':null,'output':[]," DEFAULTS "'usage':null,'background':true}\n", NULL,
      NULL },
    { "a provider that failed", "openrouter", "[]", ID ",'stop_reason':'error'",
      FAILED("'code':'server_error','message':'failed on the way'", "", NO_USAGE) "\n",
      BEGIN EV("2", "failed", "'response':"
               FAILED("'code':'server_error','message':'failed on the way'", "", NO_USAGE)), NULL },

    { "a call that its API could not read", "google", "[]", ID ",'stop_reason':'malformed'",
      FAILED("'code':'server_error','message':'a call cannot be read'", "", NO_USAGE) "\n", NULL,
      NULL },

    /* The rest. */
    { "tokens of another API", "google", "[]",
      ID ",'usage':{'input_tokens':9,'output_tokens':8,'cached_tokens':1,'cache_write_tokens':2,"
      "'reasoning_tokens':3,'input_image_tokens':4}",
      WHOLE("", "{'input_tokens':9,'input_tokens_details':{'cached_tokens':1,"
            "'cache_write_tokens':2},'output_tokens':8,'output_tokens_details':{"
            "'reasoning_tokens':3},'total_tokens':17}"), NULL, NULL },
    { "own tokens as they were told", "openai", "[]",
      OWN ",'usage':{'input_tokens':9,'output_tokens':8,'cached_tokens':1,'output_image_tokens':4}",
      WHOLE("", "{'input_tokens':9,'input_tokens_details':{'cached_tokens':1},'output_tokens':8,"
            "'output_tokens_details':{'image_tokens':4},'total_tokens':17}"), NULL, NULL },
    { "what else an own response had", "openai", "[]",
      OWN ",'extra':{'service_tier':'flex','conversation':{'id':'c'}}",
      "{'id':'r1','object':'response','created_at':,'model':'m','status':'completed','error':null,"
      "'incomplete_details':null,'output':[]," DEFAULTS "'service_tier':'flex','conversation':"
      "{'id':'c'},'usage':null}\n", NULL, NULL },
    { "what else another one had is not said", "anthropic", "[]",
      SAID ",'extra':{'service_tier':'flex'}", WHOLE("", USAGE), NULL, NULL },
    { "a failure on the way", "anthropic", "[" TEXT("Hi") "]",
      ID ",'error':{'kind':'overloaded','message':'gone'}",
      ERROR("gone", "server_error", "'overloaded_error'"),
      SAYS_HI EV("8", "failed", "'response':" FAILED("'code':'server_error',"
                 "'type':'overloaded_error','message':'gone'", HI, NO_USAGE)), NULL },
    { "an own one", "openai", "[{'type':'text','text':'Hi','extra':{'id':'msg_r1_0','status':"
      "'completed'}}]", ID ",'error':{'kind':'other','message':'gone','code':'bio_policy'}",
      ERROR("gone", "bio_policy", "null"),
      SAYS_HI EV("8", "failed", "'response':" FAILED("'code':'bio_policy','message':'gone'", HI,
                 "null")), NULL },
};

static const struct error_row errors[] = {
    { "authentication", "authentication", NO("invalid_request_error", "'invalid_api_key'"), 401 },
    { "permission", "permission", NO("invalid_request_error", "'permission_error'"), 403 },
    { "rate limit", "rate_limit", NO("requests", "'rate_limit_exceeded'"), 429 },
    { "overloaded", "overloaded", NO("server_error", "'overloaded_error'"), 503 },
    { "context", "context_too_long", NO("invalid_request_error", "'context_length_exceeded'"),
      400 },
    { "too large", "too_large", NO("invalid_request_error", "'request_too_large'"), 413 },
    { "bad media", "bad_media", NO("invalid_request_error", "null"), 400 },
    { "unsupported", "unsupported", NO("invalid_request_error", "'unsupported_file'"), 400 },
    { "not found", "not_found", NO("invalid_request_error", "'model_not_found'"), 404 },
    { "other", "other", NO("server_error", "null"), 500 },
    { "a request that was wrong", "other\",\"code\":\"INVALID_ARGUMENT",
      NO("invalid_request_error", "null"), 400 },
};

static const struct event_row event_rows[] = {
    { "nothing but the end", { REPLY, OVER }, BEGIN DONE("2", "", NO_USAGE) },
    { "pieces without a start, and nothing after the end",
      { REPLY, PIECE(TEXT, 0, "text", "Hi"), OVER, PIECE(TEXT, 0, "text", "no"), OVER },
      SAYS_HI DONE("8", HI, NO_USAGE) },
    { "a block that is of no kind", { REPLY, PIECE(TEXT, 0, "sausage", "Hi"), OVER },
      BEGIN DONE("2", "", NO_USAGE) },
    { "a call without arguments",
      { REPLY, START(0, "tool_call", .id = RF_STR_INIT("a"), .name = RF_STR_INIT("look")), OVER },
      BEGIN ADDED("2", "0", FUNCTION("fc_r1_0", "a", "", "in_progress"))
      EV("3", "function_call_arguments.delta", FC_0 ",'delta':'{}'")
      EV("4", "function_call_arguments.done", FC_0 ",'arguments':'{}'")
      ENDED("5", "0", FUNCTION("fc_r1_0", "a", "{}", "completed"))
      DONE("6", FUNCTION("fc_r1_0", "a", "{}", "completed"), NO_USAGE) },
    { "two calls at once are one after the other, as they were spelled",
      { REPLY, START(0, "tool_call", .id = RF_STR_INIT("a"), .name = RF_STR_INIT("look")),
        PIECE(ARGUMENTS, 0, "tool_call", "{ "),
        START(1, "tool_call", .id = RF_STR_INIT("b"), .name = RF_STR_INIT("look")),
        PIECE(ARGUMENTS, 1, "tool_call", "{}"), PIECE(ARGUMENTS, 0, "tool_call", "}"), OVER },
      BEGIN ADDED("2", "0", FUNCTION("fc_r1_0", "a", "", "in_progress"))
      EV("3", "function_call_arguments.delta", FC_0 ",'delta':'{ '")
      EV("4", "function_call_arguments.delta", FC_0 ",'delta':'}'")
      EV("5", "function_call_arguments.done", FC_0 ",'arguments':'{ }'")
      ENDED("6", "0", FUNCTION("fc_r1_0", "a", "{ }", "completed"))
      ADDED("7", "1", FUNCTION("fc_r1_1", "b", "", "in_progress"))
      EV("8", "function_call_arguments.delta", FC_1 ",'delta':'{}'")
      EV("9", "function_call_arguments.done", FC_1 ",'arguments':'{}'")
      ENDED("10", "1", FUNCTION("fc_r1_1", "b", "{}", "completed"))
      DONE("11", FUNCTION("fc_r1_0", "a", "{ }", "completed") ","
           FUNCTION("fc_r1_1", "b", "{}", "completed"), NO_USAGE) },
    { "an interrupted text goes on in another message",
      { REPLY, PIECE(TEXT, 0, "text", "Hi"),
        START(1, "tool_call", .id = RF_STR_INIT("a"), .name = RF_STR_INIT("look")),
        CLOSE(1, "tool_call"), PIECE(TEXT, 0, "text", "b"), CLOSE(0, "text"), OVER },
      SAYS_HI ADDED("8", "1", FUNCTION("fc_r1_1", "a", "", "in_progress"))
      EV("9", "function_call_arguments.delta", FC_1 ",'delta':'{}'")
      EV("10", "function_call_arguments.done", FC_1 ",'arguments':'{}'")
      ENDED("11", "1", FUNCTION("fc_r1_1", "a", "{}", "completed"))
      NEW_MESSAGE("12", "2", "msg_r1_2") PART_ADDED("13", MSG_2) SAYS("14", MSG_2, "b")
      SAID_ALL("15", MSG_2, "b") PART_DONE("16", MSG_2, "b", "")
      ENDED("17", "2", MESSAGE("msg_r1_2", "completed", PART("b", "")))
      DONE("18", HI "," FUNCTION("fc_r1_1", "a", "{}", "completed") ","
           MESSAGE("msg_r1_2", "completed", PART("b", "")), NO_USAGE) },
};
/* clang-format on */

static void row(void **state)
{
    check_response_row(*state, "openai-responses");
}

static void error(void **state)
{
    check_error_row(*state, "openai-responses");
}

static void events(void **state)
{
    check_event_row(*state, "openai-responses");
}

/* An own thought that a text interrupts goes on in an item of its own, which has its own id. */
static void interrupted_thought(void **state)
{
    static const struct rf_event told[] = { START(0, "thinking", .id = RF_STR_INIT("t1")),
                                            PIECE(THINKING, 0, "thinking", "a"),
                                            PIECE(TEXT, 1, "text", "b"),
                                            PIECE(THINKING, 0, "thinking", "c"), OVER };
    struct rf_model *m;
    struct rf_respond *r;
    (void)state;
    assert_int_equal(rf_model_open(NULL, "openai:gpt-5", &m, NULL), RF_OK);
    const struct rf_respond_options o = {
        .size = sizeof o, .dialect = "openai-responses", .from = m, .stream = true
    };
    assert_int_equal(rf_respond_new(&o, &r, NULL), RF_OK);
    size_t count = 0;
    for (size_t i = 0; i < COUNT(told); i++) {
        assert_int_equal(rf_respond_event(r, &told[i], NULL), RF_OK);
        struct rf_str bytes = rf_respond_bytes(r), added = RF_STR("\"id\":\"t1\",\"summary\":[]");
        count += rf_str_contains(bytes, added);
    }
    assert_int_equal(count, 1);
    rf_respond_free(r);
    rf_model_close(m);
}

/* Calls of the kinds of tools that only this API has, by a model of another. */

#define OFFER                                                                                   \
    "{'model':'m','input':[{'type':'additional_tools','tools':[{'type':'namespace','name':'f'," \
    "'tools':[{'type':'custom','name':'exec'},{'type':'function','name':'wait'}]}]},"           \
    "{'role':'user','content':'hi'}],'tools':[{'type':'custom','name':'patch'}]}"
#define CUSTOM(status, input)                                                                \
    "{'type':'custom_tool_call','call_id':'a','name':'exec','namespace':'f','input':'" input \
    "','id':'ctc_r1_0','status':'" status "'}"
#define CTC_0 AT("ctc_r1_0", "0")

struct call_row {
    const char *name, *tool;
    const char *arguments[2]; /* in pieces */
    const char *whole, *stream;
};

static const struct call_row call_rows[] = {
    { "a custom tool's one argument is its input, and comes when all of it is there",
      "f__exec",
      { "{'input':'a", "\\n\\'b\\''}" },
      WHOLE(CUSTOM("completed", "a\\n\\'b\\'"), NO_USAGE),
      BEGIN ADDED("2", "0", CUSTOM("in_progress", ""))
          EV("3", "custom_tool_call_input.delta", CTC_0 ",'delta':'a\\n\\'b\\''")
              EV("4", "custom_tool_call_input.done", CTC_0 ",'input':'a\\n\\'b\\''")
                  ENDED("5", "0", CUSTOM("completed", "a\\n\\'b\\'"))
                      DONE("6", CUSTOM("completed", "a\\n\\'b\\'"), NO_USAGE) },
    { "what is not that argument is the input as it came",
      "f__exec",
      { "{'code':7}" },
      WHOLE(CUSTOM("completed", "{\\'code\\':7}"), NO_USAGE),
      NULL },
    { "a function of a namespace",
      "f__wait",
      { "{}" },
      WHOLE("{'type':'function_call','call_id':'a','name':'wait','namespace':'f','arguments':'{}',"
            "'id':'fc_r1_0','status':'completed'}",
            NO_USAGE),
      NULL },
    { "a custom tool of no namespace",
      "patch",
      { "{'input':''}" },
      WHOLE("{'type':'custom_tool_call','call_id':'a','name':'patch','input':'','id':'ctc_r1_0',"
            "'status':'completed'}",
            NO_USAGE),
      NULL },
    { "a tool that was not offered",
      "exec",
      { "{}" },
      WHOLE("{'type':'function_call','call_id':'a','name':'exec','arguments':'{}','id':'fc_r1_0',"
            "'status':'completed'}",
            NO_USAGE),
      NULL },
};

/* The call, answered to a request that goes to Anthropic. */
static struct rf_str respond_call(const struct call_row *row, bool stream, struct rf_arena *a)
{
    struct rf_conversation c;
    struct rf_model *m;
    struct rf_request *request;
    struct rf_respond *r;
    struct rf_str all = RF_STR("");
    assert_int_equal(parse_body("openai-responses", quoted(a, OFFER), a, &c, NULL), RF_OK);
    assert_int_equal(rf_model_open(NULL, "anthropic:claude-sonnet-4-5", &m, NULL), RF_OK);
    assert_int_equal(rf_request_build(&c, m, NULL, &request, NULL), RF_OK);
    const struct rf_respond_options o = { .size = sizeof o,
                                          .dialect = "openai-responses",
                                          .model = "m",
                                          .stream = stream,
                                          .from = m,
                                          .request = request };
    const struct rf_event told[] = {
        REPLY,
        START(0, "tool_call", .id = RF_STR_INIT("a"), .name = rf_str(row->tool)),
        EVENT_OF(RF_EVENT_ARGUMENTS, 0, "tool_call", .text = quoted(a, row->arguments[0])),
        EVENT_OF(RF_EVENT_ARGUMENTS, 0, "tool_call",
                 .text = quoted(a, row->arguments[1] ? row->arguments[1] : "")),
        CLOSE(0, "tool_call"),
        OVER,
    };
    assert_int_equal(rf_respond_new(&o, &r, NULL), RF_OK);
    for (size_t i = 0; i < COUNT(told); i++) {
        assert_int_equal(rf_respond_event(r, &told[i], NULL), RF_OK);
        all = rf_str_join(a, all, bytes_without_time(r, a));
    }
    rf_respond_free(r);
    rf_request_free(request);
    rf_model_close(m);
    return all;
}

static void own_kinds_of_calls(void **state)
{
    const struct call_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    assert_str(respond_call(row, false, a), quoted(a, row->whole).p);
    if (row->stream)
        assert_str(respond_call(row, true, a), quoted(a, row->stream).p);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + COUNT(errors) + COUNT(event_rows) + COUNT(call_rows) + 1],
        *t = tests;
    name_rows(t, row, rows, COUNT(rows), sizeof *rows);
    name_rows(t += COUNT(rows), error, errors, COUNT(errors), sizeof *errors);
    name_rows(t += COUNT(errors), events, event_rows, COUNT(event_rows), sizeof *event_rows);
    name_rows(t += COUNT(event_rows), own_kinds_of_calls, call_rows, COUNT(call_rows),
              sizeof *call_rows);
    t[COUNT(call_rows)] = (struct CMUnitTest)cmocka_unit_test(interrupted_thought);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
