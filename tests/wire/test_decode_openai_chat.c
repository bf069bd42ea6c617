/* Chat completions in, neutral messages out. */
#include "replies.h"

#include "base/buf.h"

#include <refract/conversation.h>
#include <refract/request.h>

#define TEXT "[{'type':'text','text':'Hi'}]"
#define USED(json) \
    "{'choices':[{'message':{'content':'Hi'},'finish_reason':'stop'}],'usage':" json "}"
#define COUNTED(json) TEXT ",'stop_reason':'end','stop_reason_original':'stop','usage':" json
#define CALL_BLOCK(id, arguments) \
    "{'type':'tool_call','id':'" id "','name':'look','arguments':" arguments "}"
#define HI "{'type':'text','text':'Hi'}"
#define LISTED "'field':'reasoning_details'"
#define BLOCKS "'field':'thinking_blocks'"
#define FUNCTION(arguments) "'function':{'name':'look','arguments':" arguments "}"

/* clang-format off */
static const struct reply_row rows[] = {
    { "text, with the id and the model of the reply",
      "{'id':'c1','model':'m-1','choices':[{'message':{'content':'Hi'},'finish_reason':'stop'}]}",
      DATA("{'id':'','model':'','choices':[]}")
      DATA("{'id':'c1','model':'m-1','choices':[{'delta':{'role':'assistant','content':''}}]}")
      ": comment\n\n"
      DELTA("'content':'H'")
      DELTA("'content':'i'") FINISH("stop") DONE,
      TEXT ENDED("end", "stop") ",'id':'c1','model':'m-1'", NULL },
    { "a stream is over with the finish reason, without a last word", NULL,
      DELTA("'content':'Hi'") FINISH("stop"), TEXT ENDED("end", "stop"), NULL },
    { "a stream is over with the last word, without a reason", NULL, DELTA("'content':'Hi'") DONE,
      TEXT ",'stop_reason':'unknown','usage':{}", NULL },
    { "a stream that is cut early keeps what had come", NULL, DELTA("'content':'Hi'"),
      TEXT ",'stop_reason':'unknown','usage':{}", "the stream of openai-chat ended early" },
    { "another choice than the first is left aside",
      "{'choices':[{'index':1,'message':{'content':'No'}},"
      "{'index':0,'message':{'content':'Hi'},'finish_reason':'stop'}]}",
      DATA("{'choices':[{'index':1,'delta':{'content':'No'}}]}")
      DELTA("'content':'Hi'")
      FINISH("stop"),
      TEXT ENDED("end", "stop"), NULL },
    { "a refusal is text, and says so", MESSAGE("'content':null,'refusal':'I will not'", "stop"),
      DELTA("'refusal':'I '")
      DELTA("'refusal':'will not'") FINISH("stop"),
      "[{'type':'text','text':'I will not','extra':{'refusal':true}}]" ENDED("refusal", "stop"),
      NULL },
    { "members that are there and empty are nothing",
      MESSAGE("'content':'Hi','refusal':'','annotations':null,'audio':{'id':'','data':'',"
              "'transcript':'','expires_at':0},'function_call':{'name':'','arguments':''},"
              "'tool_calls':null,'reasoning':null,'reasoning_details':[],'images':[]",
              "stop"),
      DELTA("'content':'Hi','refusal':'','tool_calls':null,'function_call':{'name':'',"
            "'arguments':''}") FINISH("stop"),
      TEXT ENDED("end", "stop"), NULL },

    /* Calls. */
    { "a call whose arguments are a string, in pieces",
      MESSAGE("'content':null,'tool_calls':[{'id':'a','type':'function',"
              FUNCTION("'{\\u0022x\\u0022: 1}'") "}]",
              "tool_calls"),
      DELTA("'tool_calls':[{'index':0,'id':'a','type':'function'," FUNCTION("''") "}]")
      DELTA("'tool_calls':[{'index':0,'function':{'arguments':'{\\u0022x'}}]")
      DELTA("'tool_calls':[{'index':0,'function':{'arguments':'\\u0022: 1}'}}]")
      FINISH("tool_calls"),
      "[" CALL_BLOCK("a", "{'x':1}") "]" ENDED("tool_calls", "tool_calls"), NULL },
    { "a call whose arguments are an object",
      MESSAGE("'tool_calls':[{'id':'a'," FUNCTION("{'x': 1}") "}]", "tool_calls"),
      DELTA("'tool_calls':[{'index':0,'id':'a'," FUNCTION("{'x': 1}") "}]") FINISH("tool_calls"),
      "[" CALL_BLOCK("a", "{'x':1}") "]" ENDED("tool_calls", "tool_calls"), NULL },
    { "a reply with calls that only says stop wants its calls",
      MESSAGE("'content':'Hi','tool_calls':[{'id':'a'," FUNCTION("'{}'") "}]", "stop"),
      DELTA("'content':'Hi','tool_calls':[{'index':0,'id':'a'," FUNCTION("'{}'") "}]")
      FINISH("stop"),
      "[{'type':'text','text':'Hi'}," CALL_BLOCK("a", "{}") "]" ENDED("tool_calls", "stop"), NULL },
    { "calls cut off by the length are not a wish for calls",
      MESSAGE("'tool_calls':[{'id':'a'," FUNCTION("'{\\u0022x'") "}]", "length"), NULL,
      "[{'type':'tool_call','id':'a','name':'look','arguments':{},"
      "'malformed_arguments':'{\\'x'}]" ENDED("length", "length"),
      NULL },
    { "two calls whose fragments are mixed",
      MESSAGE("'tool_calls':[{'id':'a'," FUNCTION("'{}'") "},{'id':'b'," FUNCTION("'{}'") "}]",
              "tool_calls"),
      DELTA("'tool_calls':[{'index':0,'id':'a'," FUNCTION("'{'") "},"
            "{'index':1,'id':'b'," FUNCTION("'{'") "}]")
      DELTA("'tool_calls':[{'index':1,'function':{'arguments':'}'}},"
            "{'index':0,'function':{'arguments':'}'}}]") FINISH("tool_calls"),
      "[" CALL_BLOCK("a", "{}") "," CALL_BLOCK("b", "{}") "]" ENDED("tool_calls", "tool_calls"),
      NULL },
    { "the id and the name of a call come late", NULL,
      DELTA("'tool_calls':[{'index':0,'function':{'arguments':''}}]")
      DELTA("'tool_calls':[{'index':0,'id':'a','function':{'name':'look'}}]")
      DELTA("'tool_calls':[{'index':0,'function':{'arguments':'{}'}}]") FINISH("tool_calls"),
      "[" CALL_BLOCK("a", "{}") "]" ENDED("tool_calls", "tool_calls"), NULL },
    { "the id and the name of a call come with every fragment", NULL,
      DELTA("'tool_calls':[{'index':0,'id':'a'," FUNCTION("'{'") "}]")
      DELTA("'tool_calls':[{'index':0,'id':'a'," FUNCTION("'}'") "}]") FINISH("tool_calls"),
      "[" CALL_BLOCK("a", "{}") "]" ENDED("tool_calls", "tool_calls"), NULL },
    { "the name of a call comes in pieces", NULL,
      DELTA("'tool_calls':[{'index':0,'id':'a','function':{'name':'lo'}}]")
      DELTA("'tool_calls':[{'index':0,'function':{'name':'ok','arguments':'{}'}}]")
      FINISH("tool_calls"),
      "[" CALL_BLOCK("a", "{}") "]" ENDED("tool_calls", "tool_calls"), NULL },
    { "calls that are all counted as the first are told apart by their ids", NULL,
      DELTA("'tool_calls':[{'index':0,'id':'a'," FUNCTION("'{}'") "}]")
      DELTA("'tool_calls':[{'index':0,'id':'b'," FUNCTION("'{}'") "}]") FINISH("stop"),
      "[" CALL_BLOCK("a", "{}") "," CALL_BLOCK("b", "{}") "]" ENDED("tool_calls", "stop"), NULL },
    { "calls that are not counted are told apart by their ids", NULL,
      DELTA("'tool_calls':[{'id':'a'," FUNCTION("'{'") "}]")
      DELTA("'tool_calls':[{'function':{'arguments':'}'}}]")
      DELTA("'tool_calls':[{'id':'b'," FUNCTION("'{'") "}]")
      DELTA("'tool_calls':[{'id':'b','function':{'arguments':'}'}}]") FINISH("tool_calls"),
      "[" CALL_BLOCK("a", "{}") "," CALL_BLOCK("b", "{}") "]" ENDED("tool_calls", "tool_calls"),
      NULL },
    { "an opaque mark stays with its call",
      MESSAGE("'tool_calls':[{'id':'a'," FUNCTION("'{}'") ",'extra_content':{'google':"
              "{'thought_signature':'s'}}}]",
              "stop"),
      DELTA("'tool_calls':[{'index':0,'id':'a'," FUNCTION("'{}'") ",'extra_content':{'google':"
            "{'thought_signature':'s'}}}]")
      FINISH("stop"),
      "[{'type':'tool_call','id':'a','name':'look','arguments':{},'signature':'s','extra':"
      "{'extra_content':{'google':{'thought_signature':'s'}}}}]" ENDED("tool_calls", "stop"),
      NULL },
    { "a call of a tool without a schema keeps its words",
      MESSAGE("'tool_calls':[{'id':'a','type':'custom','custom':{'name':'look','input':'up'}}]",
              "tool_calls"),
      DELTA("'tool_calls':[{'index':0,'id':'a','type':'custom','custom':{'name':'look',"
            "'input':'up'}}]") FINISH("tool_calls"),
      "[{'type':'tool_call','id':'a','name':'look','arguments':{},'malformed_arguments':'up',"
      "'extra':{'type':'custom'}}]" ENDED("tool_calls", "tool_calls"),
      NULL },
    { "the older function_call is a call without an id",
      MESSAGE("'content':null,'function_call':{'name':'look','arguments':'{}'}", "function_call"),
      DELTA("'function_call':{'name':'look','arguments':'{'}")
      DELTA("'function_call':{'arguments':'}'}") FINISH("function_call"),
      "[" CALL_BLOCK("", "{}") "]" ENDED("tool_calls", "function_call"), NULL },

    /* Thoughts. */
    { "thoughts as reasoning_content stand before the text",
      MESSAGE("'content':'Hi','reasoning_content':'hm'", "stop"),
      DELTA("'reasoning_content':'h'")
      DELTA("'reasoning_content':'m'")
      DELTA("'content':'Hi'")
      FINISH("stop"),
      "[{'type':'thinking','thinking':'hm','field':'reasoning_content'}," HI "]"
      ENDED("end", "stop"),
      NULL },
    { "thoughts that come after the text stand before it all the same", NULL,
      DELTA("'content':'Hi'")
      DELTA("'reasoning':'hm'") FINISH("stop"),
      "[{'type':'thinking','thinking':'hm','field':'reasoning'}," HI "]" ENDED("end", "stop"),
      NULL },
    { "a thought after words is another one", NULL,
      DELTA("'reasoning':'a'")
      DELTA("'content':'H'")
      DELTA("'reasoning':'b'")
      DELTA("'reasoning':'c','content':'i'") FINISH("stop"),
      "[{'type':'thinking','thinking':'a','field':'reasoning'},"
      "{'type':'thinking','thinking':'bc','field':'reasoning'}," HI "]" ENDED("end", "stop"),
      NULL },
    { "a signature that comes after the first words belongs to the thought that it counts", NULL,
      DELTA("'reasoning_details':[{'type':'reasoning.text','text':'hm','index':0}]")
      DELTA("'content':'Hi'")
      DELTA("'reasoning_details':[{'type':'reasoning.text','signature':'s','index':0}]")
      FINISH("stop"),
      "[{'type':'thinking','thinking':'hm','signature':'s'," LISTED ",'extra':{'index':0}}," HI "]"
      ENDED("end", "stop"),
      NULL },
    { "details in their order, and the plain thoughts not again",
      MESSAGE("'content':'Hi','reasoning':'hmsum','reasoning_details':["
              "{'type':'reasoning.text','text':'hm','signature':'s','format':'f','index':0},"
              "{'type':'reasoning.summary','summary':'sum','format':'f','index':0},"
              "{'type':'reasoning.encrypted','data':'e','id':'r1','format':'f','index':0}]",
              "stop"),
      DELTA("'reasoning':'h','reasoning_details':[{'type':'reasoning.text','text':'h',"
            "'format':'f','index':0}]")
      DELTA("'reasoning':'m','reasoning_details':[{'type':'reasoning.text','text':'m',"
            "'format':'f','index':0}]")
      DELTA("'reasoning_details':[{'type':'reasoning.text','signature':'s','format':'f',"
            "'index':0}]")
      DELTA("'reasoning':'sum','reasoning_details':[{'type':'reasoning.summary','summary':'sum',"
            "'format':'f','index':0},{'type':'reasoning.encrypted','data':'e','id':'r1',"
            "'format':'f','index':0}]")
      DELTA("'content':'Hi'") FINISH("stop"),
      "[{'type':'thinking','thinking':'hm','signature':'s'," LISTED ",'extra':{'format':'f',"
      "'index':0}},{'type':'thinking','thinking':'sum'," LISTED ",'extra':{'type':"
      "'reasoning.summary','format':'f','index':0}},{'type':'thinking','thinking':'','id':'r1',"
      "'encrypted':'e'," LISTED ",'extra':{'format':'f','index':0}}," HI "]" ENDED("end", "stop"),
      NULL },
    { "plain thoughts stay where the details are sealed",
      MESSAGE("'reasoning':'hm','reasoning_details':[{'type':'reasoning.encrypted','data':'e'}]",
              "stop"),
      DELTA("'reasoning':'hm'")
      DELTA("'reasoning_details':[{'type':'reasoning.encrypted','data':'e'}]") FINISH("stop"),
      "[{'type':'thinking','thinking':'hm','field':'reasoning'},"
      "{'type':'thinking','thinking':'','encrypted':'e'," LISTED "}]"
      ENDED("end", "stop"),
      NULL },
    { "a detail of a kind nobody knows is kept as it came",
      MESSAGE("'reasoning_details':[{'type':'reasoning.new','x':1}],'content':'Hi'", "stop"),
      DELTA("'reasoning_details':[{'type':'reasoning.new','x':1}],'content':'Hi'") FINISH("stop"),
      "[{'type':'opaque','dialect':'openai-chat','value':{'type':'reasoning.new','x':1},"
      "'extra':{'in':'reasoning_details'}},{'type':'text','text':'Hi'}]" ENDED("end", "stop"),
      NULL },
    { "thinking blocks with their signatures, and the plain thoughts not again",
      MESSAGE("'reasoning_content':'ab','thinking_blocks':["
              "{'type':'thinking','thinking':'a','signature':'s'},"
              "{'type':'redacted_thinking','data':'r'},"
              "{'type':'thinking','thinking':'b','signature':'t'}]",
              "stop"),
      DELTA("'reasoning_content':'a','thinking_blocks':[{'type':'thinking','thinking':'a'}]")
      DELTA("'thinking_blocks':[{'type':'thinking','thinking':'','signature':'s'}]")
      DELTA("'thinking_blocks':[{'type':'redacted_thinking','data':'r'}]")
      DELTA("'reasoning_content':'b','thinking_blocks':[{'type':'thinking','thinking':'b'}]")
      DELTA("'thinking_blocks':[{'type':'thinking','signature':'t'}]") FINISH("stop"),
      "[{'type':'thinking','thinking':'a','signature':'s'," BLOCKS "},"
      "{'type':'thinking','thinking':'','redacted':'r'," BLOCKS "},"
      "{'type':'thinking','thinking':'b','signature':'t'," BLOCKS "}]" ENDED("end", "stop"),
      NULL },

    /* Citations, media, what the server did. */
    { "annotations are citations of the text",
      MESSAGE("'content':'Hi','annotations':["
              "{'type':'url_citation','url_citation':{'title':'T','url':'https://a',"
              "'start_index':0,'end_index':2,'content':'c'}},"
              "{'type':'document_citation','document_citation':{'document_id':'d1','start_index':1,"
              "'end_index':2}},"
              "{'type':'function_citation','function_citation':{'tool_call_id':'k'}}]",
              "stop"),
      DELTA("'content':'Hi'")
      DELTA("'annotations':["
              "{'type':'url_citation','url_citation':{'title':'T','url':'https://a',"
              "'start_index':0,'end_index':2,'content':'c'}}]")
      DELTA("'annotations':[{'type':'document_citation','document_citation':{'document_id':'d1',"
            "'start_index':1,'end_index':2}},"
            "{'type':'function_citation','function_citation':{'tool_call_id':'k'}}]")
      FINISH("stop"),
      "[{'type':'text','text':'Hi','citations':["
      "{'title':'T','url':'https://a','start':0,'end':2,'text':'c'},"
      "{'source':'d1','start':1,'end':2},{'source':'k','extra':{'type':'function_citation',"
      "'function_citation':{'tool_call_id':'k'}}}]}]" ENDED("end", "stop"),
      NULL },
    { "a citation that says more keeps all it says",
      MESSAGE("'content':'Hi','annotations':[{'type':'url_citation','url_citation':{'url':'u',"
              "'age':3}}]",
              "stop"),
      NULL,
      "[{'type':'text','text':'Hi','citations':[{'url':'u','extra':{'type':'url_citation',"
      "'url_citation':{'url':'u','age':3}}}]}]" ENDED("end", "stop"),
      NULL },
    { "an annotation that is not a citation is kept as it came",
      MESSAGE("'content':'Hi','annotations':[{'type':'file','file':{'hash':'h'}}]", "stop"),
      DELTA("'content':'Hi','annotations':[{'type':'file','file':{'hash':'h'}}]") FINISH("stop"),
      "[{'type':'text','text':'Hi'},{'type':'opaque','dialect':'openai-chat','value':"
      "{'type':'file','file':{'hash':'h'}},'extra':{'in':'annotations'}}]" ENDED("end", "stop"),
      NULL },
    { "pictures, inside and by URL, between the text and the calls",
      MESSAGE("'tool_calls':[{'id':'a'," FUNCTION("'{}'") "}],'content':'Hi','images':["
              "{'type':'image_url','image_url':{'url':'data:image/png;base64,QUJD'}},"
              "{'type':'image_url','image_url':'https://a/b.png'}]",
              "stop"),
      DELTA("'tool_calls':[{'index':0,'id':'a'," FUNCTION("'{}'") "}]")
      DELTA("'images':[{'type':'image_url','index':0,'image_url':{'url':"
            "'data:image/png;base64,QUJD'}},{'type':'image_url','index':1,'image_url':"
            "{'url':'https://a/b.png'}}]")
      DELTA("'content':'Hi'") FINISH("stop"),
      "[{'type':'text','text':'Hi'},{'type':'image','data':'QUJD','media_type':'image/png'},"
      "{'type':'image','url':'https://a/b.png'}," CALL_BLOCK("a", "{}") "]"
      ENDED("tool_calls", "stop"), NULL },
    { "a picture that comes twice is one", NULL,
      DELTA("'images':[{'index':0,'image_url':{'url':'https://a'}}]")
      DELTA("'images':[{'index':0,'image_url':{'url':'https://a'}}]") FINISH("stop"),
      "[{'type':'image','url':'https://a'}]" ENDED("end", "stop"), NULL },
    { "sound and what is said in it; pieces that are padded are joined",
      MESSAGE("'content':null,'audio':{'id':'au','data':'QUJDRA==','transcript':'Hey',"
              "'expires_at':9}",
              "stop"),
      DELTA("'audio':{'id':'au','transcript':'H'}")
      DELTA("'audio':{'data':'QQ=='}")
      DELTA("'audio':{'data':'QkM='}")
      DELTA("'audio':{'transcript':'ey','data':'RA=='}")
      DELTA("'audio':{'expires_at':9}") FINISH("stop"),
      "[{'type':'audio','data':'QUJDRA==','transcript':'Hey','extra':{'id':'au',"
      "'expires_at':9}}]" ENDED("end", "stop"),
      NULL },
    { "what the server did by itself is kept, and once",
      MESSAGE("'content':'Hi','executed_tools':[{'index':0,'type':'search','output':'o'}]", "stop"),
      DELTA("'executed_tools':[{'index':0,'type':'search'}]")
      DELTA("'executed_tools':[{'index':0,'type':'search','output':'o'}]")
      DELTA("'content':'Hi'") FINISH("stop"),
      "[{'type':'text','text':'Hi'},{'type':'opaque','dialect':'openai-chat','value':"
      "{'index':0,'type':'search','output':'o'},'extra':{'in':'executed_tools'}}]"
      ENDED("end", "stop"),
      NULL },

    /* Ends. */
    { "the end by length", MESSAGE("'content':'Hi'", "length"),
      DELTA("'content':'Hi'") FINISH("length"), TEXT ENDED("length", "length"), NULL },
    { "the end by a filter", MESSAGE("'content':'Hi'", "content_filter"),
      DELTA("'content':'Hi'") FINISH("content_filter"), TEXT ENDED("refusal", "content_filter"),
      NULL },
    { "the end by an error", MESSAGE("'content':'Hi'", "error"),
      DELTA("'content':'Hi'") FINISH("error"), TEXT ENDED("error", "error"), NULL },
    { "an end nobody knows", MESSAGE("'content':'Hi'", "tired"),
      DELTA("'content':'Hi'") FINISH("tired"), TEXT ENDED("unknown", "tired"), NULL },
    { "an end without a reason", MESSAGE("'content':'Hi'", ""), NULL,
      TEXT ",'stop_reason':'unknown','usage':{}", NULL },
    { "the stop sequence that was met",
      "{'choices':[{'message':{'content':'Hi'},'finish_reason':'stop','stop_reason':'END'}]}",
      DELTA("'content':'Hi'")
      DATA("{'choices':[{'delta':{},'finish_reason':'stop','stop_reason':'END'}]}"),
      TEXT ENDED("stop_sequence", "stop") ",'extra':{'stop_sequence':'END'}", NULL },
    { "a router's own words are kept, in one order",
      "{'provider':'P','choices':[{'message':{'content':'Hi'},'finish_reason':'stop',"
      "'native_finish_reason':'done'}],'usage':{'cost':0.50},'citations':['https://a']}",
      DATA("{'provider':'P','citations':['https://a'],'choices':[{'delta':{'content':'Hi'}}]}")
      DATA("{'provider':'P','choices':[{'delta':{},'finish_reason':'stop',"
           "'native_finish_reason':'done'}]}")
      DATA("{'provider':'P','choices':[],'usage':{'cost':0.50}}") DONE,
      TEXT ENDED("end", "stop") ",'extra':{'provider':'P','native_finish_reason':'done',"
              "'citations':['https://a'],'cost':0.50}",
      NULL },

    /* Usage. */
    { "usage in all its parts",
      USED("{'prompt_tokens':10,'completion_tokens':7,'total_tokens':17,'prompt_tokens_details':"
           "{'cached_tokens':4,'cache_write_tokens':3,'audio_tokens':2,'image_tokens':1,"
           "'text_tokens':5,'video_tokens':6},'completion_tokens_details':{'reasoning_tokens':5,"
           "'audio_tokens':1,'image_tokens':0,'text_tokens':2}}"),
      DELTA("'content':'Hi'") FINISH("stop")
      DATA("{'choices':[],'usage':{'prompt_tokens':10,'completion_tokens':7,'total_tokens':17,"
           "'prompt_tokens_details':{'cached_tokens':4,'cache_write_tokens':3,'audio_tokens':2,"
           "'image_tokens':1,'text_tokens':5,'video_tokens':6},'completion_tokens_details':"
           "{'reasoning_tokens':5,'audio_tokens':1,'image_tokens':0,'text_tokens':2}}}") DONE,
      COUNTED("{'input_tokens':10,'output_tokens':7,'cached_tokens':4,'cache_write_tokens':3,"
              "'reasoning_tokens':5,'input_text_tokens':5,'input_image_tokens':1,"
              "'input_audio_tokens':2,'input_video_tokens':6,'output_text_tokens':2,"
              "'output_image_tokens':0,'output_audio_tokens':1}"),
      NULL },
    { "thoughts that are not in the output are added, as the total tells",
      USED("{'prompt_tokens':10,'completion_tokens':7,'total_tokens':22,"
           "'completion_tokens_details':{'reasoning_tokens':5}}"),
      NULL, COUNTED("{'input_tokens':10,'output_tokens':12,'reasoning_tokens':5}"), NULL },
    { "thoughts that nobody counted are in the total",
      USED("{'prompt_tokens':10,'completion_tokens':7,'total_tokens':22}"), NULL,
      COUNTED("{'input_tokens':10,'output_tokens':12}"), NULL },
    { "a total that fits nothing changes nothing",
      USED("{'prompt_tokens':10,'completion_tokens':7,'total_tokens':99,"
           "'completion_tokens_details':{'reasoning_tokens':5}}"),
      NULL, COUNTED("{'input_tokens':10,'output_tokens':7,'reasoning_tokens':5}"), NULL },
    { "what a cache gave, by its other name",
      USED("{'prompt_tokens':10,'completion_tokens':7,'prompt_cache_hit_tokens':4}"), NULL,
      COUNTED("{'input_tokens':10,'output_tokens':7,'cached_tokens':4}"), NULL },
    { "usage beside the reply, in a stream", NULL,
      DELTA("'content':'Hi'")
      DATA("{'choices':[{'delta':{},'finish_reason':'stop'}],"
              "'x_groq':{'usage':{'prompt_tokens':1,'completion_tokens':2}}}")
      DONE,
      COUNTED("{'input_tokens':1,'output_tokens':2}"), NULL },

    /* Errors. */
    { "an error instead of a reply", "{'error':{'message':'no such key','type':'invalid_api_key'}}",
      DATA("{'error':{'message':'no such key','type':'invalid_api_key'}}"),
      "[],'stop_reason':'error','usage':{},'error':{'kind':'authentication',"
      "'message':'no such key','code':'invalid_api_key'},'extra':{'type':'invalid_api_key'}",
      "openai-chat: no such key" },
    { "an error that is a string", "{'code':'x','error':'went wrong'}", NULL,
      "[],'stop_reason':'error','usage':{},'error':{'kind':'other','message':'went wrong',"
      "'code':'x'},'extra':{'code':'x'}",
      "openai-chat: went wrong" },
    { "an error on the way keeps what had come", NULL,
      DELTA("'content':'Hi'")
      DATA("{'error':{'code':429,'message':'slow down','metadata':{'raw':'r'}},'choices':["
           "{'index':0,'delta':{'content':''},'finish_reason':'error'}]}"),
      TEXT ",'stop_reason':'error','stop_reason_original':'error','usage':{},'error':"
           "{'kind':'rate_limit','message':'slow down'},"
           "'extra':{'metadata':{'raw':'r'},'code':429}",
      "openai-chat: slow down" },
    { "an event that is an error by name", NULL,
      DELTA("'content':'Hi'") "event: error\n"
      DATA("{'error':{'message':'bad call','type':'t','status_code':400,"
              "'failed_generation':'{x'}}"),
      TEXT ",'stop_reason':'error','usage':{},'error':{'kind':'other','message':'bad call',"
           "'code':'t'},'extra':{'failed_generation':'{x','type':'t','status_code':400}",
      "openai-chat: bad call" },
    { "an error of the choice",
      "{'choices':[{'message':{'content':'Hi'},'finish_reason':'error','error':{'code':503,"
      "'message':'gone'}}]}",
      NULL,
      TEXT ",'stop_reason':'error','stop_reason_original':'error','usage':{},'error':"
           "{'kind':'overloaded','message':'gone'},'extra':{'code':503}",
      "openai-chat: gone" },
    { "a body that is not a reply is told as it is", "{'path': '/x'}", NULL,
      "[],'stop_reason':'error','usage':{},'error':{'kind':'other',"
      "'message':'{\\'path\\':\\'/x\\'}'}",
      "openai-chat: {\"path\":\"/x\"}" },
};
/* clang-format on */

static void row(void **state)
{
    check_row(*state, "openai-chat");
}

static const char *const everything =
    "{'id':'c','model':'m','provider':'p','usage':{'prompt_tokens':1,'total_tokens':2,"
    "'prompt_tokens_details':{'cached_tokens':1}},'choices':[{'index':0,'PLACE':{'content':["
    "{'type':'text','text':'x'},{'type':'thinking','thinking':[{'type':'text','text':'y'}]},"
    "{'type':'reference','reference_ids':[1]},{'type':'image_url','image_url':{'url':'u'}}],"
    "'refusal':'r','reasoning':'z','reasoning_details':[{'type':'reasoning.text','text':'t',"
    "'signature':'s','index':0},{'type':'reasoning.encrypted','data':'d'}],'annotations':["
    "{'type':'url_citation','url_citation':{'url':'u','start_index':1}}],'images':[{'image_url':"
    "{'url':'data:image/png;base64,QUJD'}}],'audio':{'id':'i','data':'QQ==','transcript':'w'},"
    "'executed_tools':[{'index':0}],'tool_calls':[{'index':0,'id':'a','type':'function',"
    "'function':{'name':'n','arguments':'{}'},'extra_content':{'google':{'thought_signature':"
    "'s'}}}],'function_call':{'name':'n','arguments':'{}'}},'finish_reason':'stop'}],'error':null}";

/* `everything` with the message under its name. */
static void any_shape(const char *place, bool stream)
{
    struct rf_arena *a = rf_arena_new();
    const char *at = strstr(everything, "PLACE");
    struct rf_str body =
        rf_strf(a, "%.*s%s%s", (int)(at - everything), everything, place, at + strlen("PLACE"));
    check_shapes("openai-chat", body.p, stream);
    rf_arena_free(a);
}

static void any_shape_of_a_reply(void **state)
{
    (void)state;
    any_shape("message", false);
}

static void any_shape_of_a_chunk(void **state)
{
    (void)state;
    any_shape("delta", true);
}

/* The body of a request for a conversation that ends with `reply`. */
static struct rf_str request_after(struct rf_str reply, const struct rf_model *m,
                                   struct rf_arena *a)
{
    struct rf_conversation *c;
    struct rf_request *request;
    struct rf_str text = rf_strf(
        a, "{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":[]},%.*s]}", RF_FMT(reply));
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(rf_conversation_read(text, &c, NULL), RF_OK);
    assert_int_equal(rf_request_build(c, m, NULL, &request, NULL), RF_OK);
    assert_int_equal(rf_request_write(request, fileno(file), NULL), RF_OK);
    size_t n = (size_t)rf_request_length(request);
    char *body = rf_arena_alloc(a, n + 1);
    assert_int_equal(pread(fileno(file), body, n, 0), (ssize_t)n);
    fclose(file);
    rf_request_free(request);
    rf_conversation_free(c);
    return (struct rf_str){ body, n };
}

#define DETAILS                                                                      \
    "'reasoning_details':["                                                          \
    "{'type':'reasoning.text','text':'hm','signature':'s','format':'f','index':0},"  \
    "{'type':'reasoning.new','x':1},"                                                \
    "{'type':'reasoning.summary','summary':'sum','id':'r0','format':'f','index':1}," \
    "{'type':'reasoning.encrypted','data':'e','id':'r1','\\\"odd':[1],'index':1}]"

static const struct {
    const char *provider, *thoughts;
} returned[] = {
    { "openrouter", DETAILS },
    { "openrouter", "'reasoning':'hm','reasoning_details':[{'type':'reasoning.encrypted',"
                    "'data':'e'}]" },
    { "openai-compatible", DETAILS },
    { "openai-compatible", "'reasoning_content':'hm'" },
    { "openai-compatible", "'reasoning':'hm'" },
    { "openai-compatible", "'reasoning':'hm','reasoning_details':[{'type':'reasoning.encrypted',"
                           "'data':'e'}]" },
    { "openai-compatible", "'thinking_blocks':[{'type':'thinking','thinking':'hm','signature':'s'},"
                           "{'type':'redacted_thinking','data':'r'}]" },
    { "litellm", "'reasoning_content':'hm'" },
};

static void check_return(struct rf_decode *d, struct rf_str body, const struct rf_model *m,
                         struct rf_str thoughts, struct rf_arena *a)
{
    struct rf_str reply;
    assert_int_equal(rf_decode_feed(d, body, NULL), RF_OK);
    assert_int_equal(rf_decode_finish(d, &reply, NULL), RF_OK);
    struct rf_str again = request_after(reply, m, a);
    if (!rf_str_contains(again, thoughts))
        fail_msg("%.*s is not in the request: %.*s", RF_FMT(thoughts), RF_FMT(again));
    rf_decode_free(d);
}

static void thoughts_go_back_as_they_came(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(returned); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_model m;
        struct rf_str thoughts = quoted(a, returned[i].thoughts);
        assert_int_equal(rf_model_init(&m, rf_str(returned[i].provider), RF_STR("m"), a, NULL),
                         RF_OK);
        struct rf_str whole =
            rf_strf(a, quoted(a, MESSAGE("'content':'Hi',%s", "stop")).p, thoughts.p);
        struct rf_str stream = rf_strf(
            a, quoted(a, DELTA("%s") DELTA("'content':'Hi'") FINISH("stop") DONE).p, thoughts.p);
        check_return(rf_decode_response(&m), whole, &m, thoughts, a);
        check_return(rf_decode_stream(&m), stream, &m, thoughts, a);
        rf_arena_free(a);
    }
}

/* What a listener hears: a thought is over, with its signature, before the answer begins. */

static bool note_event(void *ctx, const struct rf_event *e)
{
    rf_buf_addf(ctx, "%s %s[%.*s]\n", rf_event_name(e->type), e->kind ? e->kind : "-",
                RF_FMT(e->text));
    return true;
}

static struct rf_str heard(const char *stream, struct rf_arena *a)
{
    struct rf_model m;
    struct rf_buf log;
    struct rf_str json, told;
    rf_buf_init(&log, a, 4096);
    assert_int_equal(rf_model_init(&m, RF_STR("openrouter"), RF_STR("m"), a, NULL), RF_OK);
    struct rf_decode *d = rf_decode_stream(&m);
    rf_decode_listen(d, note_event, &log);
    assert_int_equal(rf_decode_feed(d, quoted(a, stream), NULL), RF_OK);
    assert_int_equal(rf_decode_finish(d, &json, NULL), RF_OK);
    assert_int_equal(rf_buf_finish(&log, &told, NULL), RF_OK);
    rf_decode_free(d);
    return told;
}

#define SIGNED                                                                     \
    DELTA("'reasoning_details':[{'type':'reasoning.text','text':'hm','index':0}]") \
    DELTA("'reasoning_details':[{'type':'reasoning.text','signature':'s','index':0}]")
#define THOUGHT_HEARD                                                                   \
    "begin -[]\nblock_start thinking[]\nthinking thinking[hm]\nsignature thinking[s]\n" \
    "block_end thinking[]\n"

static void a_thought_is_over_when_the_answer_begins(void **state)
{
    struct rf_arena *a = rf_arena_new();
    (void)state;
    assert_str(heard(SIGNED DELTA("'content':'Hi'") FINISH("stop"), a),
               THOUGHT_HEARD "block_start text[]\ntext text[Hi]\nblock_end text[]\n"
                             "stop -[stop]\ndone -[]\n");
    assert_str(heard(SIGNED DELTA("'tool_calls':[{'index':0,'id':'a'," FUNCTION("'{}'") "}]")
                         FINISH("tool_calls"),
                     a),
               THOUGHT_HEARD
               "block_start tool_call[]\narguments tool_call[{}]\nblock_end tool_call[]\n"
               "stop -[tool_calls]\ndone -[]\n");
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 4] = {
        [COUNT(rows) + 3] = cmocka_unit_test(a_thought_is_over_when_the_answer_begins),
        [COUNT(rows) + 2] = cmocka_unit_test(thoughts_go_back_as_they_came),
        [COUNT(rows)] = cmocka_unit_test(any_shape_of_a_reply),
        [COUNT(rows) + 1] = cmocka_unit_test(any_shape_of_a_chunk),
    };
    name_rows(tests, row, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
