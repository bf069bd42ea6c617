/* Neutral replies as chat completions. */
#include "responses.h"

#define ID ",'id':'r1'"
#define SAID ID ",'stop_reason':'end','usage':{'input_tokens':3,'output_tokens':2}"
#define CALLED ID ",'stop_reason':'tool_calls','usage':{'input_tokens':3,'output_tokens':2}"
#define OWN ID ",'stop_reason':'end','stop_reason_original':'stop'"
#define USAGE ",'usage':{'prompt_tokens':3,'completion_tokens':2,'total_tokens':5}"
#define NO_USAGE ",'usage':{'prompt_tokens':0,'completion_tokens':0,'total_tokens':0}"
#define HEAD(id, object) "{'id':'" id "','object':'" object "','created':,'model':'m',"
#define WHOLE(members, reason, rest)                               \
    HEAD("r1", "chat.completion")                                  \
    "'choices':[{'index':0,'message':{'role':'assistant'," members \
    "},'logprobs':null,'finish_reason':" reason "}]" rest ",'system_fingerprint':null}\n"
#define CHUNK(delta, reason, rest)                                                       \
    "data: " HEAD("r1", "chat.completion.chunk") "'choices':[{'index':0,'delta':{" delta \
                                                 "},'finish_reason':" reason "}]" rest "}\n\n"
#define DELTA(delta) CHUNK(delta, "null", "")
#define BEGIN DELTA("'role':'assistant','content':''")
#define DONE "data: [DONE]\n\n"
#define END(reason, usage) \
    CHUNK("", reason, "")  \
    "data: " HEAD("r1", "chat.completion.chunk") "'choices':[]" usage "}\n\n" DONE
#define END_UNTOLD(reason) CHUNK("", reason, "") DONE /* of its tokens */
#define TEXT(words) "{'type':'text','text':'" words "'}"
#define THOUGHT(words, members) "{'type':'thinking','thinking':'" words "'" members "}"
#define CALL(id, members) "{'type':'tool_call','id':'" id "','name':'look'," members "}"
#define FUNCTION(id, arguments, members)                                                 \
    "{'id':'" id "','type':'function','function':{'name':'look','arguments':'" arguments \
    "'}" members "}"
#define FRAGMENT(index, members) DELTA("'tool_calls':[{'index':" index "," members "}]")
#define CALL_BEGINS(index, id) \
    FRAGMENT(index, "'id':'" id "','type':'function','function':{'name':'look','arguments':''}")
#define ARGUMENTS(index, words) FRAGMENT(index, "'function':{'arguments':'" words "'}")
#define HI DELTA("'content':'Hi'")
#define SEALED_OLLAMA "cmVmcmFjdApvbGxhbWEKeAoKCgoK"
#define SEALED_S "cmVmcmFjdAphbnRocm9waWMKeAoKcwoKCg=="
#define SEALED_R "cmVmcmFjdAphbnRocm9waWMKeAoKCnIKCg=="
#define SEALED_E "cmVmcmFjdAphbnRocm9waWMKeAppCgoKZQo="
#define OPAQUE(value, in) \
    "{'type':'opaque','dialect':'openai-chat','value':" value ",'extra':{'in':'" in "'}}"

/* clang-format off */
static const struct response_row rows[] = {
    { "texts are one, with their tokens", "anthropic", "[" TEXT("H") "," TEXT("i") "]", SAID,
      WHOLE("'content':'Hi','refusal':null", "'stop'", USAGE),
      BEGIN DELTA("'content':'H'") DELTA("'content':'i'") END("'stop'", USAGE), NULL },
    { "what the tokens were", "anthropic", "[]",
      ID ",'stop_reason':'length','usage':{'input_tokens':9,'output_tokens':8,'cached_tokens':1,"
      "'cache_write_tokens':2,'reasoning_tokens':3,'input_image_tokens':4,'output_audio_tokens':5}",
      WHOLE("'content':null,'refusal':null", "'length'",
            ",'usage':{'prompt_tokens':9,'completion_tokens':8,'total_tokens':17,"
            "'prompt_tokens_details':{'cached_tokens':1,'cache_write_tokens':2,'image_tokens':4},"
            "'completion_tokens_details':{'reasoning_tokens':3,'audio_tokens':5}}"), NULL, NULL },
    { "sums and places end where numbers do", "openai",
      "[" TEXT("Hi") ",{'type':'text','text':'x','citations':[{'url':'https://a','start':0,"
      "'end':9223372036854775807}]}]",
      ID ",'stop_reason':'end','usage':{'input_tokens':9223372036854775807,'output_tokens':2}",
      WHOLE("'content':'Hix','refusal':null,'annotations':[{'type':'url_citation','url_citation':"
            "{'url':'https://a','title':'','start_index':2}}]", "'stop'",
            ",'usage':{'prompt_tokens':9223372036854775807,'completion_tokens':2,"
            "'total_tokens':9223372036854775807}"), NULL, NULL },
    { "our word for why it stopped", "anthropic", "[]",
      ID ",'stop_reason':'refusal','stop_reason_original':'refusal'",
      WHOLE("'content':null,'refusal':null", "'content_filter'", NO_USAGE), NULL, NULL },
    { "calls are the reason, whatever was said", "google",
      "[" CALL("a", "'arguments':{'x':1}") "," CALL("b", "'arguments':{}") "]",
      ID ",'stop_reason':'end'",
      WHOLE("'content':null,'refusal':null,'tool_calls':[" FUNCTION("a", "{\\'x\\':1}", "") ","
            FUNCTION("b", "{}", "") "]", "'tool_calls'", NO_USAGE),
      BEGIN CALL_BEGINS("0", "a") ARGUMENTS("0", "{\\'x\\':1}")
      CALL_BEGINS("1", "b") ARGUMENTS("1", "{}") END("'tool_calls'", NO_USAGE), NULL },
    { "no calls, no such reason", "anthropic", "[" TEXT("Hi") "]", CALLED,
      WHOLE("'content':'Hi','refusal':null", "'stop'", USAGE), NULL, NULL },
    { "the mark of a call is in its id", "google",
      "[" CALL("a", "'arguments':{},'signature':'c2ln+w=='") "]", CALLED,
      WHOLE("'content':null,'refusal':null,'tool_calls':[" FUNCTION("a__thought__c2ln-w", "{}", "")
            "]", "'tool_calls'", USAGE),
      BEGIN CALL_BEGINS("0", "a__thought__c2ln-w") ARGUMENTS("0", "{}") END("'tool_calls'", USAGE),
      NULL },
    { "one that no id can have is beside it", "google",
      "[" CALL("a", "'arguments':{},'signature':'s s'") "]", CALLED,
      WHOLE("'content':null,'refusal':null,'tool_calls':[" FUNCTION("a", "{}",
            ",'extra_content':{'google':{'thought_signature':'s s'}}") "]", "'tool_calls'", USAGE),
      NULL, NULL },
    { "a mark that came is said once", "openai-chat",
      "[" CALL("a", "'arguments':{},'signature':'s','extra':{'extra_content':{'google':"
      "{'thought_signature':'s'}}}") "]", OWN,
      WHOLE("'content':null,'refusal':null,'tool_calls':[" FUNCTION("a", "{}",
            ",'extra_content':{'google':{'thought_signature':'s'}}") "]", "'stop'", ""),
      BEGIN CALL_BEGINS("0", "a") ARGUMENTS("0", "{}")
      FRAGMENT("0", "'function':{'arguments':''},'extra_content':{'google':{'thought_signature':'s'}}") END_UNTOLD("'stop'"),
      NULL },
    { "arguments that are not JSON are the words", "anthropic",
      "[" CALL("a", "'arguments':{},'malformed_arguments':'{x'") "]", CALLED,
      WHOLE("'content':null,'refusal':null,'tool_calls':[" FUNCTION("a", "{x", "") "]",
            "'tool_calls'", USAGE),
      BEGIN CALL_BEGINS("0", "a") ARGUMENTS("0", "{x") END("'tool_calls'", USAGE), NULL },
    { "a call of a tool without a schema", "openai-chat",
      "[" CALL("a", "'arguments':{},'malformed_arguments':'up','extra':{'type':'custom'}") "]", OWN,
      WHOLE("'content':null,'refusal':null,'tool_calls':[{'id':'a','type':'custom',"
            "'custom':{'name':'look','input':'up'}}]", "'stop'", ""),
      BEGIN FRAGMENT("0", "'id':'a','type':'custom','custom':{'name':'look','input':''}")
      FRAGMENT("0", "'custom':{'input':'up'}") END_UNTOLD("'stop'"), NULL },

    /* Thoughts. */
    { "thoughts from elsewhere are words, and details that say whose they are", "ollama",
      "[" THOUGHT("a", "") "," THOUGHT("b", "") "," TEXT("Hi") "]", SAID,
      WHOLE("'content':'Hi','refusal':null,'reasoning_content':'a\\n\\nb','reasoning_details':["
            "{'type':'reasoning.text','text':'a','signature':'" SEALED_OLLAMA "','index':0},"
            "{'type':'reasoning.text','text':'b','signature':'" SEALED_OLLAMA "','index':1}]",
            "'stop'", USAGE),
      BEGIN DELTA("'reasoning_content':'a','reasoning_details':["
                  "{'type':'reasoning.text','text':'a','index':0}]")
      DELTA("'reasoning_details':[{'type':'reasoning.text','signature':'" SEALED_OLLAMA "',"
            "'index':0}]")
      DELTA("'reasoning_content':'\\n\\nb','reasoning_details':["
            "{'type':'reasoning.text','text':'b','index':1}]")
      DELTA("'reasoning_details':[{'type':'reasoning.text','signature':'" SEALED_OLLAMA "',"
            "'index':1}]") HI END("'stop'", USAGE), NULL },
    { "what is signed and encrypted of them is sealed", "anthropic",
      "[" THOUGHT("a", ",'signature':'s'") "," THOUGHT("", ",'redacted':'r'") ","
      THOUGHT("b", ",'id':'i','encrypted':'e'") "," TEXT("Hi") "]", SAID,
      WHOLE("'content':'Hi','refusal':null,'reasoning_content':'a\\n\\nb','reasoning_details':["
            "{'type':'reasoning.text','text':'a','signature':'" SEALED_S "','index':0},"
            "{'type':'reasoning.text','signature':'" SEALED_R "','index':1},"
            "{'type':'reasoning.text','text':'b','signature':'" SEALED_E "','id':'i','index':2}]",
            "'stop'", USAGE),
      BEGIN DELTA("'reasoning_content':'a','reasoning_details':["
                  "{'type':'reasoning.text','text':'a','index':0}]")
      DELTA("'reasoning_details':[{'type':'reasoning.text','signature':'" SEALED_S "','index':0}]")
      DELTA("'reasoning_details':[{'type':'reasoning.text','signature':'" SEALED_R "','index':1}]")
      DELTA("'reasoning_content':'\\n\\nb','reasoning_details':["
            "{'type':'reasoning.text','text':'b','id':'i','index':2}]")
      DELTA("'reasoning_details':[{'type':'reasoning.text','signature':'" SEALED_E "','index':2}]")
      HI END("'stop'", USAGE), NULL },
    { "nobody's have details of their own indices", "",
      "[" THOUGHT("b", ",'id':'i','encrypted':'e'") "," THOUGHT("", ",'redacted':'r'") "]", SAID,
      WHOLE("'content':null,'refusal':null,'reasoning_content':'b','reasoning_details':["
            "{'type':'reasoning.text','text':'b','id':'i','index':0},"
            "{'type':'reasoning.encrypted','data':'e','id':'i','index':1},"
            "{'type':'reasoning.encrypted','data':'r','index':2}]", "'stop'", USAGE),
      BEGIN DELTA("'reasoning_content':'b','reasoning_details':["
                  "{'type':'reasoning.text','text':'b','id':'i','index':0}]")
      DELTA("'reasoning_details':[{'type':'reasoning.encrypted','data':'e','id':'i','index':1}]")
      DELTA("'reasoning_details':[{'type':'reasoning.encrypted','data':'r','index':2}]")
      END("'stop'", USAGE), NULL },
    { "reasoning_content as it came", "openai-chat",
      "[" THOUGHT("hm", ",'field':'reasoning_content'") "," TEXT("Hi") "]", OWN,
      WHOLE("'content':'Hi','refusal':null,'reasoning_content':'hm'", "'stop'", ""),
      BEGIN DELTA("'reasoning_content':'hm'") HI END_UNTOLD("'stop'"), NULL },
    { "reasoning as it came", "openai-chat",
      "[" THOUGHT("hm", ",'field':'reasoning'") "," TEXT("Hi") "]", OWN,
      WHOLE("'content':'Hi','refusal':null,'reasoning':'hm'", "'stop'", ""),
      BEGIN DELTA("'reasoning':'hm'") HI END_UNTOLD("'stop'"), NULL },
    { "details as they came, and their words", "openai-chat",
      "[" THOUGHT("hm", ",'signature':'s','field':'reasoning_details','extra':{'format':'f',"
      "'index':0}") "," THOUGHT("sum", ",'field':'reasoning_details','extra':{'type':"
      "'reasoning.summary'}") "," THOUGHT("", ",'encrypted':'e','field':'reasoning_details'") ","
      OPAQUE("{'type':'reasoning.new'}", "reasoning_details") "," TEXT("Hi") "]", OWN,
      WHOLE("'content':'Hi','refusal':null,'reasoning':'hm\\n\\nsum','reasoning_details':["
            "{'type':'reasoning.text','text':'hm','signature':'s','format':'f','index':0},"
            "{'type':'reasoning.summary','summary':'sum'},"
            "{'type':'reasoning.encrypted','data':'e'},{'type':'reasoning.new'}]", "'stop'", ""),
      BEGIN DELTA("'reasoning':'hm','reasoning_details':["
                  "{'type':'reasoning.text','text':'hm','format':'f','index':0}]")
      DELTA("'reasoning_details':["
            "{'type':'reasoning.text','signature':'s','format':'f','index':0}]")
      DELTA("'reasoning':'\\n\\nsum','reasoning_details':["
            "{'type':'reasoning.summary','summary':'sum'}]")
      DELTA("'reasoning_details':[{'type':'reasoning.encrypted','data':'e'}]")
      DELTA("'reasoning_details':[{'type':'reasoning.new'}]") HI END_UNTOLD("'stop'"), NULL },
    { "thinking blocks as they came, and their words", "openai-chat",
      "[" THOUGHT("hm", ",'signature':'s','field':'thinking_blocks'") ","
      THOUGHT("", ",'redacted':'r','field':'thinking_blocks'") "]", OWN,
      WHOLE("'content':null,'refusal':null,'reasoning_content':'hm','thinking_blocks':["
            "{'type':'thinking','thinking':'hm','signature':'s'},"
            "{'type':'redacted_thinking','data':'r'}]", "'stop'", ""),
      BEGIN DELTA("'reasoning_content':'hm','thinking_blocks':["
                  "{'type':'thinking','thinking':'hm'}]")
      DELTA("'thinking_blocks':[{'type':'thinking','thinking':'','signature':'s'}]")
      DELTA("'thinking_blocks':[{'type':'redacted_thinking','data':'r'}]") END_UNTOLD("'stop'"),
      NULL },
    { "a thought that was a part of the content", "openai-chat",
      "[" THOUGHT("hm", ",'signature':'s'") "," TEXT("Hi") "]", OWN,
      WHOLE("'content':[{'type':'thinking','thinking':[{'type':'text','text':'hm'}],"
            "'signature':'s'},{'type':'text','text':'Hi'}],'refusal':null", "'stop'", ""),
      BEGIN DELTA("'content':[{'type':'thinking','thinking':[{'type':'text','text':'hm'}]}]")
      DELTA("'content':[{'type':'thinking','thinking':[],'signature':'s'}]") HI END_UNTOLD("'stop'"),
      NULL },

    /* Citations, media, what the server did. */
    { "citations count the text before them", "openai",
      "[" TEXT("\xc3\xa4") ",{'type':'text','text':'Hi','citations':["
      "{'title':'T','url':'https://a','start':0,'end':2,'text':'c','extra':{'x':1}},"
      "{'source':'d1','start':100,'end':200}]}]", SAID,
      WHOLE("'content':'\xc3\xa4Hi','refusal':null,'annotations':["
            "{'type':'url_citation','url_citation':{'url':'https://a','title':'T',"
            "'start_index':1,'end_index':3,'content':'c'}},"
            "{'type':'url_citation','url_citation':{'url':'','title':'',"
            "'start_index':1,'end_index':3,'document_id':'d1'}}]", "'stop'", USAGE),
      BEGIN DELTA("'content':'\xc3\xa4'") HI
      DELTA("'annotations':["
            "{'type':'url_citation','url_citation':{'url':'https://a','title':'T',"
            "'start_index':1,'end_index':3,'content':'c'}},"
            "{'type':'url_citation','url_citation':{'url':'','title':'',"
            "'start_index':1,'end_index':3,'document_id':'d1'}}]") END("'stop'", USAGE), NULL },
    { "citations as they came", "openai-chat",
      "[{'type':'text','text':'Hi','citations':[{'url':'https://a'},"
      "{'source':'d1','start':1,'end':2},{'source':'k','extra':{'type':'function_citation',"
      "'function_citation':{'tool_call_id':'k'}}}]}]", OWN,
      WHOLE("'content':'Hi','refusal':null,'annotations':["
            "{'type':'url_citation','url_citation':{'url':'https://a','title':''}},"
            "{'type':'document_citation','document_citation':{'start_index':1,'end_index':2,"
            "'document_id':'d1'}},"
            "{'type':'function_citation','function_citation':{'tool_call_id':'k'}}]", "'stop'", ""),
      NULL, NULL },
    { "references between the words", "openai-chat",
      "[{'type':'text','text':'H\xc3\xa4i','citations':[{'source':'1','end':2},"
      "{'source':'web','title':'T','end':2},{'source':'x','end':3}]}]", OWN,
      WHOLE("'content':[{'type':'text','text':'H\xc3\xa4'},{'type':'reference','reference_ids':[1]}"
            ",{'type':'tool_reference','tool':'web','title':'T'},{'type':'text','text':'i'},"
            "{'type':'reference','reference_ids':['x']}],'refusal':null", "'stop'", ""),
      BEGIN DELTA("'content':'H\xc3\xa4'")
      DELTA("'content':[{'type':'reference','reference_ids':[1]}]")
      DELTA("'content':[{'type':'tool_reference','tool':'web','title':'T'}]")
      DELTA("'content':'i'") DELTA("'content':[{'type':'reference','reference_ids':['x']}]")
      END_UNTOLD("'stop'"), NULL },
    { "a refusal has its own member", "openai-chat",
      "[{'type':'text','text':'No','extra':{'refusal':true}}]", OWN,
      WHOLE("'content':null,'refusal':'No'", "'stop'", ""),
      BEGIN DELTA("'refusal':'No'") END_UNTOLD("'stop'"), NULL },
    { "so has that of another API", "openai",
      "[{'type':'text','text':'No','extra':{'refusal':true}},"
      "{'type':'text','text':'pe','extra':{'refusal':true}}]", ID ",'stop_reason':'refusal'",
      WHOLE("'content':null,'refusal':'Nope'", "'stop'", NO_USAGE),
      BEGIN DELTA("'refusal':'No'") DELTA("'refusal':'pe'") END("'stop'", NO_USAGE), NULL },
    { "pictures, here and elsewhere", "google",
      "[{'type':'image','data':'QUJD','media_type':'image/png'},"
      "{'type':'image','url':'https://a/b.png'}]", SAID,
      WHOLE("'content':null,'refusal':null,'images':["
            "{'type':'image_url','image_url':{'url':'data:image/png;base64,QUJD'}},"
            "{'type':'image_url','image_url':{'url':'https://a/b.png'}}]", "'stop'", USAGE),
      BEGIN DELTA("'images':[{'type':'image_url','image_url':{'url':"
                  "'data:image/png;base64,QUJD'}}]")
      DELTA("'images':[{'type':'image_url','image_url':{'url':'https://a/b.png'}}]")
      END("'stop'", USAGE), NULL },
    { "sound as it came", "openai-chat",
      "[{'type':'audio','data':'QUJD','transcript':'hey','extra':{'id':'a1','expires_at':7}}]", OWN,
      WHOLE("'content':null,'refusal':null,'audio':{'id':'a1','expires_at':,'data':'QUJD',"
            "'transcript':'hey'}", "'stop'", ""),
      BEGIN DELTA("'audio':{'id':'a1','expires_at':,'data':'QUJD','transcript':'hey'}")
      END_UNTOLD("'stop'"), NULL },
    { "there is one sound: words stand for others", "openai-chat",
      "[{'type':'audio','data':'QUJD','transcript':'hey','extra':{'id':'a1'}},"
      "{'type':'audio','data':'REVG','transcript':'ho','extra':{'id':'a2'}}]", OWN,
      WHOLE("'content':'ho','refusal':null,'audio':{'id':'a1','data':'QUJD','transcript':'hey'}",
            "'stop'", ""),
      BEGIN DELTA("'audio':{'id':'a1','data':'QUJD','transcript':'hey'}")
      DELTA("'content':'ho'") END_UNTOLD("'stop'"), "content[1] (audio): words stand for it\n" },
    { "sound elsewhere has no place", "google",
      "[{'type':'audio','url':'https://a/b.wav','media_type':'audio/wav'}]", SAID,
      WHOLE("'content':'[audio: https://a/b.wav]','refusal':null", "'stop'", USAGE),
      BEGIN DELTA("'content':'[audio: https://a/b.wav]'") END("'stop'", USAGE),
      "content[0] (audio): words stand for it\n" },
    { "a document has no place", "google",
      "[{'type':'document','data':'QUJD','media_type':'application/pdf'}]", SAID,
      WHOLE("'content':'[document: application/pdf]','refusal':null", "'stop'", USAGE),
      BEGIN DELTA("'content':'[document: application/pdf]'") END("'stop'", USAGE),
      "content[0] (document): words stand for it\n" },
    { "what nobody else knows goes where it was", "openai-chat",
      "[" TEXT("Hi") "," OPAQUE("{'index':0}", "executed_tools") ","
      OPAQUE("{'type':'file'}", "annotations")
      ",{'type':'opaque','dialect':'openai-chat','value':{'type':'x'}}]", OWN,
      WHOLE("'content':[{'type':'text','text':'Hi'},{'type':'x'}],'refusal':null,"
            "'executed_tools':[{'index':0}],'annotations':[{'type':'file'}]", "'stop'", ""),
      BEGIN HI DELTA("'executed_tools':[{'index':0}]") DELTA("'annotations':[{'type':'file'}]")
      DELTA("'content':[{'type':'x'}]") END_UNTOLD("'stop'"), NULL },
    { "what only another API knows is left out", "anthropic",
      "[{'type':'opaque','dialect':'anthropic','value':{'type':'x'}}," TEXT("Hi") "]",
      SAID ",'extra':{'service_tier':'x'}",
      WHOLE("'content':'Hi','refusal':null", "'stop'", USAGE),
      BEGIN HI END("'stop'", USAGE), "content[0] (opaque): left out\n" },

    /* The end. */
    { "what was kept aside of the reply goes where it was", "openai-chat", "[]",
      ID ",'stop_reason':'stop_sequence','stop_reason_original':'stop','usage':{'input_tokens':3,"
      "'output_tokens':2},'extra':{'provider':'p','service_tier':'t','native_finish_reason':'n',"
      "'stop_sequence':'.','citations':['c'],'search_results':[1],'cost':1,'cost_details':{'a':2},"
      "'server_tool_use_details':{'b':3}}",
      WHOLE("'content':null,'refusal':null",
            "'stop','native_finish_reason':'n','stop_reason':'.'",
            ",'usage':{'prompt_tokens':3,'completion_tokens':2,'total_tokens':5,'cost':1,"
            "'cost_details':{'a':2},'server_tool_use_details':{'b':3}},'provider':'p',"
            "'service_tier':'t','citations':['c'],'search_results':[1]"), NULL, NULL },
    { "no reason stays none", "openai-chat", "[" TEXT("Hi") "]", ID ",'stop_reason':'unknown'",
      WHOLE("'content':'Hi','refusal':null", "null", ""), BEGIN HI END_UNTOLD("null"), NULL },
    { "an error as it came", "openai-chat", "[]",
      ",'error':{'kind':'other','message':'no','code':'c'},'extra':{'type':'t','code':429,"
      "'metadata':{'a':1},'failed_generation':'g'}",
      "{'error':{'message':'no','type':'t','code':429,'metadata':{'a':1},"
      "'failed_generation':'g'}}\n", NULL, NULL },
    { "an error with its name alone", "openai-chat", "[]",
      ",'error':{'kind':'other','message':'no','code':'c'}",
      "{'error':{'message':'no','type':'c','param':null,'code':'c'}}\n", NULL, NULL },
    { "a failure on the way", "anthropic", "[" TEXT("Hi") "]",
      ID ",'error':{'kind':'overloaded','message':'gone'}",
      "{'error':{'message':'gone','type':'server_error','param':null,"
      "'code':'overloaded_error'}}\n",
      BEGIN HI "data: {'error':{'message':'gone','type':'server_error','param':null,"
      "'code':'overloaded_error'}}\n\n", NULL },
    { "a model that failed is an error", "cohere", "[" TEXT("Hi") "]",
      ID ",'stop_reason':'error','stop_reason_original':'ERROR'",
      "{'error':{'message':'the model stopped with an error: ERROR','type':'server_error',"
      "'param':null,'code':null}}\n",
      BEGIN HI "data: {'error':{'message':'the model stopped with an error: ERROR',"
      "'type':'server_error','param':null,'code':null}}\n\n", NULL },
    { "a failure that this API has words for", "openrouter", "[" TEXT("Hi") "]",
      ID ",'stop_reason':'error','stop_reason_original':'error'",
      WHOLE("'content':'Hi','refusal':null", "'error'", ""), BEGIN HI CHUNK("", "'error'", "") DONE,
      NULL },
};

#define ERROR(type, code) \
    "{'error':{'message':'no','type':'" type "','param':null,'code':'" code "'}}\n"
#define UNNAMED(type) \
    "{'error':{'message':'no','type':'" type "','param':null,'code':null}}\n"

static const struct error_row errors[] = {
    { "authentication", "authentication", ERROR("invalid_request_error", "invalid_api_key"), 401 },
    { "permission", "permission", ERROR("invalid_request_error", "permission_error"), 403 },
    { "rate limit", "rate_limit", ERROR("requests", "rate_limit_exceeded"), 429 },
    { "overloaded", "overloaded", ERROR("server_error", "overloaded_error"), 503 },
    { "context", "context_too_long", ERROR("invalid_request_error", "context_length_exceeded"),
      400 },
    { "too large", "too_large", ERROR("invalid_request_error", "request_too_large"), 413 },
    { "bad media", "bad_media", UNNAMED("invalid_request_error"), 400 },
    { "unsupported", "unsupported", ERROR("invalid_request_error", "unsupported_file"), 400 },
    { "not found", "not_found", ERROR("invalid_request_error", "model_not_found"), 404 },
    { "other", "other", UNNAMED("server_error"), 500 },
};

#define START(number, what, ...) EVENT_OF(RF_EVENT_BLOCK_START, number, what, __VA_ARGS__)
#define PIECE(which, number, what, words) \
    EVENT_OF(RF_EVENT_##which, number, what, .text = RF_STR_INIT(words))
#define CLOSE(number, what) EVENT_OF(RF_EVENT_BLOCK_END, number, what, .done = NULL)
#define REPLY EVENT_OF(RF_EVENT_BEGIN, 0, NULL, .id = RF_STR_INIT("r1"))
#define OVER EVENT_OF(RF_EVENT_DONE, 0, NULL, .reply = NULL)

static const struct event_row event_rows[] = {
    { "nothing but the end", { REPLY, OVER }, BEGIN END("'stop'", NO_USAGE) },
    { "pieces without a start",
      { REPLY, PIECE(TEXT, 0, "text", "H"), PIECE(TEXT, 0, "text", "i"), OVER },
      BEGIN DELTA("'content':'H'") DELTA("'content':'i'") END("'stop'", NO_USAGE) },
    { "nothing after the end", { REPLY, OVER, PIECE(TEXT, 0, "text", "Hi"), OVER },
      BEGIN END("'stop'", NO_USAGE) },
    { "a block that is of no kind", { REPLY, PIECE(TEXT, 0, "sausage", "Hi"), OVER },
      BEGIN END("'stop'", NO_USAGE) },
    { "a thought and its signature",
      { REPLY, START(0, "thinking", .text = RF_STR_INIT("")),
        PIECE(THINKING, 0, "thinking", "hm"), PIECE(SIGNATURE, 0, "thinking", "s"),
        CLOSE(0, "thinking"), PIECE(TEXT, 1, "text", "Hi"), OVER },
      BEGIN DELTA("'reasoning_content':'hm','reasoning_details':["
                  "{'type':'reasoning.text','text':'hm','index':0}]")
      DELTA("'reasoning_details':[{'type':'reasoning.text','signature':'s','index':0}]") HI
      END("'stop'", NO_USAGE) },
    { "the id of a thought is told once",
      { REPLY, START(0, "thinking", .id = RF_STR_INIT("i")), PIECE(THINKING, 0, "thinking", "h"),
        PIECE(THINKING, 0, "thinking", "m"), PIECE(SIGNATURE, 0, "thinking", "s"),
        CLOSE(0, "thinking"), OVER },
      BEGIN DELTA("'reasoning_content':'h','reasoning_details':["
                  "{'type':'reasoning.text','text':'h','id':'i','index':0}]")
      DELTA("'reasoning_content':'m','reasoning_details':["
            "{'type':'reasoning.text','text':'m','index':0}]")
      DELTA("'reasoning_details':[{'type':'reasoning.text','signature':'s','index':0}]")
      END("'stop'", NO_USAGE) },
    { "two calls at once are one after the other",
      { REPLY, START(0, "tool_call", .id = RF_STR_INIT("a"), .name = RF_STR_INIT("look")),
        PIECE(ARGUMENTS, 0, "tool_call", "{"),
        START(1, "tool_call", .id = RF_STR_INIT("b"), .name = RF_STR_INIT("look")),
        PIECE(ARGUMENTS, 1, "tool_call", "{}"), PIECE(ARGUMENTS, 0, "tool_call", "}"), OVER },
      BEGIN CALL_BEGINS("0", "a") ARGUMENTS("0", "{") ARGUMENTS("0", "}")
      CALL_BEGINS("1", "b") ARGUMENTS("1", "{}") END("'tool_calls'", NO_USAGE) },
    { "a text between two halves of a thought",
      { REPLY, PIECE(THINKING, 0, "thinking", "a"), PIECE(TEXT, 1, "text", "Hi"),
        PIECE(THINKING, 0, "thinking", "b"), OVER },
      BEGIN DELTA("'reasoning_content':'a','reasoning_details':["
                  "{'type':'reasoning.text','text':'a','index':0}]") HI
      DELTA("'reasoning_content':'\\n\\nb','reasoning_details':["
            "{'type':'reasoning.text','text':'b','index':1}]") END("'stop'", NO_USAGE) },
};
/* clang-format on */

static void row(void **state)
{
    check_response_row(*state, "openai-chat");
}

static void error(void **state)
{
    check_error_row(*state, "openai-chat");
}

static void events(void **state)
{
    check_event_row(*state, "openai-chat");
}

/* The id of a call that has none, and of a sound, is new. */
static void new_ids(void **state)
{
    static const char message[] =
        "{'role':'assistant','content':[{'type':'tool_call','id':'','name':'look','arguments':{}},"
        "{'type':'audio','data':'QUJD'}]}";
    struct rf_arena *a = rf_arena_new();
    struct rf_respond *r = respond_as("openai-chat", false);
    (void)state;
    assert_int_equal(rf_respond_message(r, quoted(a, message), NULL), RF_OK);
    struct rf_str body = rf_respond_bytes(r);
    assert_true(rf_str_contains(body, RF_STR("{\"id\":\"chatcmpl-")));
    assert_true(rf_str_contains(body, RF_STR("{\"id\":\"call_")));
    assert_true(rf_str_contains(body, RF_STR("\"audio\":{\"id\":\"audio_")));
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
