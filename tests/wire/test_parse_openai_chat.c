/* Requests of chat completions, read: as conversations, and as requests again. */
#include "requests.h"

#define USER "{'role':'user','content':'hi'}"
#define ASKED "{'role':'user','content':[{'type':'text','text':'hi'}]}"
#define SAID "{'role':'assistant','origin':{'provider':'openai-chat','model':'m'},'content':["
#define KEPT(members) "'extra':{'openai-chat':{" members "}}"
#define FORMAT                                                                         \
    "'response_format':{'type':'json_schema','json_schema':{'name':'a','strict':true," \
    "'schema':{'type':'object','properties':{}}}}"
#define CALL(id, name, arguments) \
    "{'id':'" id "','type':'function','function':{'name':'" name "','arguments':" arguments "}}"
#define CALLED "{'type':'tool_call','id':'c1','name':'look','arguments':{'page':1}}"
#define CALLS \
    "{'role':'assistant','content':null,'tool_calls':[" CALL("c1", "look", "'{\\'page\\':1}'") "]}"
#define LOOK                                                               \
    "{'type':'function','function':{'name':'look','description':'Looks.'," \
    "'parameters':{'type':'object','properties':{}}}}"
#define LOOKS \
    "{'name':'look','description':'Looks.','input_schema':{'type':'object','properties':{}}}"
#define OPAQUE(value) "{'type':'opaque','dialect':'openai-chat','value':" value "}"
#define PNG "iVBORw0KGgo="
#define LISTED "'field':'reasoning_details'"
#define BLOCKS "'field':'thinking_blocks'"

/* A member of an assistant's message, and the blocks that it becomes. */
#define ANSWER(row_name, members, blocks) \
    MESSAGES(row_name, "{'role':'assistant'," members "}", SAID blocks "]}")
/* A tool message after its call, and what stands after its name. */
#define RESULT(row_name, content, wanted)                                       \
    MESSAGES(row_name, CALLS ",{'role':'tool','tool_call_id':'c1'" content "}", \
             SAID CALLED "]},{'role':'tool','tool_call_id':'c1','name':'look'" wanted "}")
/* A member of the body that is kept as it is. */
#define STAYS(row_name, member)                                          \
    {                                                                    \
        row_name, member ",'messages':[]", "'messages':[]," KEPT(member) \
    }

/* clang-format off */
static const struct request_row rows[] = {
    /* System prompts. */
    MESSAGES("no messages", "", ""),
    { "a system message in front is the system prompt",
      "'messages':[{'role':'system','content':'Be kind.'}," USER "]",
      "'system':'Be kind.','messages':[" ASKED "]" },
    { "several are joined, those of a developer and in parts too",
      "'messages':[{'role':'system','content':'A'},{'role':'developer','content':"
      "[{'type':'text','text':'B'},{'type':'text','text':'C'}]}," USER "]",
      "'system':'A\\n\\nB\\n\\nC','messages':[" ASKED "]," KEPT(
          "'system':[{'index':0,'value':{'role':'system','content':'A'}},{'index':1,'value':"
          "{'role':'developer','content':[{'type':'text','text':'B'},"
          "{'type':'text','text':'C'}]}}]") },
    { "prompts of which one has marks are kept aside too",
      "'messages':[{'role':'system','content':'A'},{'role':'system','content':"
      "[{'type':'text','text':'B','cache_control':{'type':'ephemeral'}}]}]",
      "'system':'A\\n\\nB','messages':[]," KEPT("'system':[{'index':0,'value':{'role':'system',"
      "'content':'A'}},{'index':1,'value':{'role':'system',"
      "'content':[{'type':'text','text':'B','cache_control':{'type':'ephemeral'}}]}}]") },
    { "a prompt with a name is kept aside too",
      "'messages':[{'role':'system','content':'A','name':'n'}]",
      "'system':'A','messages':[]," KEPT("'system':[{'index':0,'value':{'role':'system',"
      "'content':'A','name':'n'}}]") },
    MESSAGES("a later prompt stays in its place and keeps its role",
             USER ",{'role':'developer','content':'Be brief.'}",
             ASKED ",{'role':'user','speaker':'developer','content':[{'type':'text',"
             "'text':'Be brief.'}]}"),
    MESSAGES("one of the system too", USER ",{'role':'system','content':'Be brief.','name':'n'}",
             ASKED ",{'role':'user','speaker':'system','content':[{'type':'text',"
             "'text':'Be brief.'}]," KEPT("'name':'n'") "}"),

    /* What users say. */
    CONTENT("a string", "'hi'", "{'type':'text','text':'hi'}"),
    CONTENT("an empty string is not a block", "''", ""),
    CONTENT("null", "null", ""),
    CONTENT("texts", "[{'type':'text','text':'a'},{'type':'input_text','text':'b'},'c']",
            "{'type':'text','text':'a'},{'type':'text','text':'b'},{'type':'text','text':'c'}"),
    CONTENT("marks of a part stay with it",
            "[{'type':'text','text':'a','cache_control':{'type':'ephemeral'},'image_url':null}]",
            "{'type':'text','text':'a'," KEPT("'cache_control':{'type':'ephemeral'}") "}"),
    CONTENT("an image in a data URL",
            "[{'type':'image_url','image_url':{'url':'data:image/png;base64," PNG "',"
            "'detail':'low'}}]",
            "{'type':'image','data':'" PNG "','media_type':'image/png','detail':'low'}"),
    CONTENT("an image on the web",
            "[{'type':'image_url','image_url':{'url':'https://a.example/b'}}]",
            "{'type':'image','url':'https://a.example/b'}"),
    CONTENT("an image whose URL is a string",
            "[{'type':'image_url','image_url':'https://a.example/b','detail':'high'}]",
            "{'type':'image','url':'https://a.example/b','detail':'high'}"),
    CONTENT("a detail that nobody knows, and other members inside, stay",
            "[{'type':'image_url','image_url':{'url':'https://a.example/b','detail':'fine',"
            "'format':'png'}}]",
            "{'type':'image','url':'https://a.example/b',"
            KEPT("'image_url':{'detail':'fine','format':'png'}") "}"),
    CONTENT("a PDF that came as an image is a document",
            "[{'type':'image_url','image_url':'data:application/pdf;base64,JVBERi0='}]",
            "{'type':'document','data':'JVBERi0=','media_type':'application/pdf'}"),
    CONTENT("an image of a type that nobody knows is an image",
            "[{'type':'image_url','image_url':'data:application/x;base64,AAAA'}]",
            "{'type':'image','data':'AAAA','media_type':'application/x'}"),
    CONTENT("an image without bytes is an empty file",
            "[{'type':'image_url','image_url':{'url':'data:image/png;base64,'}}]",
            "{'type':'image','url':'data:;base64,','media_type':'image/png'}"),
    CONTENT("an image without a URL is opaque", "[{'type':'image_url','image_url':{'url':''}}]",
            OPAQUE("{'type':'image_url','image_url':{'url':''}}")),
    CONTENT("base64 of a picture in the place of its URL",
            "[{'type':'image_url','image_url':{'url':'" PNG "'}}]",
            "{'type':'image','data':'" PNG "','media_type':'application/octet-stream'}"),
    CONTENT("a data URL that is not base64",
            "[{'type':'image_url','image_url':{'url':'data:image/svg+xml,%3Csvg/%3E'}}]",
            "{'type':'image','url':'data:image/svg+xml,%3Csvg/%3E','media_type':'image/svg+xml'}"),
    CONTENT("a sound", "[{'type':'input_audio','input_audio':{'data':'SUQz','format':'mp3'}}]",
            "{'type':'audio','data':'SUQz','media_type':'audio/mpeg'}"),
    CONTENT("a sound of a format that nobody knows",
            "[{'type':'input_audio','input_audio':{'data':'AAAA','format':'pcm16'}}]",
            "{'type':'audio','data':'AAAA','media_type':'audio/pcm16'}"),
    CONTENT("a sound on the web",
            "[{'type':'audio_url','audio_url':{'url':'https://a.example/b'}}]",
            "{'type':'audio','url':'https://a.example/b'}"),
    CONTENT("a video", "[{'type':'video_url','video_url':{'url':'https://a.example/b',"
            "'processing':'x'}}]",
            "{'type':'video','url':'https://a.example/b',"
            KEPT("'video_url':{'processing':'x'}") "}"),
    CONTENT("a document by URL", "[{'type':'document_url','document_url':'https://a.example/b',"
            "'document_name':'b.pdf'}]",
            "{'type':'document','url':'https://a.example/b','name':'b.pdf'}"),
    CONTENT("a file in a data URL",
            "[{'type':'file','file':{'filename':'a.pdf','file_data':"
            "'data:application/pdf;base64,JVBERi0='}}]",
            "{'type':'document','data':'JVBERi0=','media_type':'application/pdf','name':'a.pdf'}"),
    CONTENT("a file in base64 has the type of its name",
            "[{'type':'file','file':{'filename':'a.pdf','file_data':'JVBERi0='}}]",
            "{'type':'document','data':'JVBERi0=','media_type':'application/pdf','name':'a.pdf'}"),
    CONTENT("a file on the web", "[{'type':'file','file':{'file_data':'https://a.example/b'}}]",
            "{'type':'document','url':'https://a.example/b'}"),
    CONTENT("a file that was uploaded", "[{'type':'file','file':{'file_id':'file-1'}}]",
            "{'type':'document','file_id':'file-1','provider':'openai-chat'}"),
    CONTENT("data is JSON", "[{'type':'document','document':{'data':{'n':1},'id':'d'}}]",
            "{'type':'json','value':{'n':1}," KEPT("'document':{'id':'d'}") "}"),
    CONTENT("a part that nobody knows is opaque", "[{'type':'hologram','size':3},7]",
            OPAQUE("{'type':'hologram','size':3}") "," OPAQUE("7")),
    MESSAGES("other members of a message stay with it",
             "{'role':'user','content':'hi','name':'Ann','tool_calls':null}",
             "{'role':'user','content':[{'type':'text','text':'hi'}]," KEPT("'name':'Ann'") "}"),

    /* What models say. */
    ANSWER("an answer", "'content':'yes'", "{'type':'text','text':'yes'}"),
    ANSWER("an answer in parts", "'content':[{'type':'text','text':'yes'},"
           "{'type':'refusal','refusal':'no'}]",
           "{'type':'text','text':'yes'},{'type':'text','text':'no'," KEPT("'type':'refusal'") "}"),
    ANSWER("a refusal", "'content':null,'refusal':'no'",
           "{'type':'text','text':'no'," KEPT("'type':'refusal'") "}"),
    ANSWER("a part that nobody knows is opaque", "'content':[{'type':'hologram'}]",
           "{'type':'opaque','dialect':'openai-chat','value':{'type':'hologram'}}"),
    ANSWER("images that it made",
           "'images':[{'type':'image_url','image_url':{'url':'data:image/png;base64," PNG "'}}]",
           "{'type':'image','data':'" PNG "','media_type':'image/png'}"),
    MESSAGES("other members of an answer stay with it",
             "{'role':'assistant','content':'yes','audio':{'id':'a'}}",
             SAID "{'type':'text','text':'yes'}]," KEPT("'audio':{'id':'a'}") "}"),
    ANSWER("reasoning_content is a thought", "'reasoning_content':'Hm.','content':'yes'",
           "{'type':'thinking','thinking':'Hm.','field':'reasoning_content'},"
           "{'type':'text','text':'yes'}"),
    ANSWER("reasoning is a thought", "'reasoning':'Hm.'",
           "{'type':'thinking','thinking':'Hm.','field':'reasoning'}"),
    ANSWER("details are thoughts, and plain words repeat them",
           "'reasoning':'Hm.','reasoning_details':[{'type':'reasoning.text','text':'Hm.',"
           "'signature':'s','format':'f','index':0},{'type':'reasoning.summary','summary':'So.',"
           "'id':'i'},{'type':'reasoning.encrypted','data':'gAAA'},{'type':'reasoning.other'}]",
           "{'type':'thinking','thinking':'Hm.','signature':'s'," LISTED ",'extra':{'format':'f',"
           "'index':0}},{'type':'thinking','thinking':'So.','id':'i'," LISTED ",'extra':{'type':"
           "'reasoning.summary'}},{'type':'thinking','encrypted':'gAAA'," LISTED "},"
           "{'type':'opaque','dialect':'openai-chat','value':{'type':'reasoning.other'}}"),
    MESSAGES("a seal tells whose thought it is, and has its marks",
             "{'role':'assistant','reasoning_content':'Hm.','reasoning_details':[{'type':"
             "'reasoning.text','text':'Hm.','index':0,'signature':'cmVmcmFjdApnb29nbGUKeAppCnMKCgo="
             "'}]}",
             "{'role':'assistant','origin':{'provider':'google','model':'x'},'content':["
             "{'type':'thinking','thinking':'Hm.','signature':'s','id':'i'}]}"),
    ANSWER("plain words besides sealed details are a thought",
           "'reasoning':'Hm.','reasoning_details':[{'type':'reasoning.encrypted','data':'gAAA'}]",
           "{'type':'thinking','encrypted':'gAAA'," LISTED "},"
           "{'type':'thinking','thinking':'Hm.','field':'reasoning'}"),
    ANSWER("thinking_blocks are thoughts",
           "'thinking_blocks':[{'type':'thinking','thinking':'Hm.','signature':'s'},"
           "{'type':'redacted_thinking','data':'r'}]",
           "{'type':'thinking','thinking':'Hm.','signature':'s'," BLOCKS "},"
           "{'type':'thinking','redacted':'r'," BLOCKS "}"),
    ANSWER("a call", "'tool_calls':[" CALL("c1", "look", "'{\\'page\\':1}'") "]", CALLED),
    ANSWER("arguments that are not an object",
           "'tool_calls':[" CALL("c1", "look", "'{'") "," CALL("c2", "look", "''") ","
           CALL("c3", "look", "[1]") "]",
           "{'type':'tool_call','id':'c1','name':'look','malformed_arguments':'{'},"
           "{'type':'tool_call','id':'c2','name':'look'},"
           "{'type':'tool_call','id':'c3','name':'look','malformed_arguments':'[1]'}"),
    ANSWER("marks of a call stay with it",
           "'tool_calls':[{'id':'c1','type':'function','extra_content':{'google':1},"
           "'function':{'name':'look','arguments':'{}'}}]",
           "{'type':'tool_call','id':'c1','name':'look','arguments':{},"
           KEPT("'extra_content':{'google':1}") "}"),
    ANSWER("a custom call keeps its input",
           "'tool_calls':[{'id':'c1','type':'custom','custom':{'name':'run','input':'ls'}}]",
           "{'type':'tool_call','id':'c1','name':'run','arguments':{'input':'ls'},"
           KEPT("'type':'custom','custom':{'name':'run','input':'ls'}") "}"),
    ANSWER("a call of nothing is opaque", "'tool_calls':[{'id':'c1'}]",
           "{'type':'opaque','dialect':'openai-chat','value':{'id':'c1'}}"),
    MESSAGES("calls of old, and their results by name",
             "{'role':'assistant','function_call':{'name':'look','arguments':'{}'}},"
             "{'role':'function','name':'look','content':'out'}",
             SAID "{'type':'tool_call','id':'call_0_0','name':'look','arguments':{}}]},"
             "{'role':'tool','tool_call_id':'call_0_0','name':'look','output':'out'}"),

    /* Results. */
    RESULT("a string is the output, and the call knows the name", ",'content':'out'",
           ",'output':'out'"),
    RESULT("a result of nothing", "", ""),
    RESULT("text in front of a list is the output",
           ",'content':[{'type':'text','text':'out'},{'type':'image_url','image_url':"
           "{'url':'data:image/png;base64," PNG "'}},{'type':'text','text':'more'}]",
           ",'output':'out','content_blocks':[{'type':'image','data':'" PNG "',"
           "'media_type':'image/png'},{'type':'text','text':'more'}]"),
    RESULT("text with marks is a block",
           ",'content':[{'type':'text','text':'out','cache_control':{}}]",
           ",'content_blocks':[{'type':'text','text':'out'," KEPT("'cache_control':{}") "}]"),
    RESULT("JSON is data", ",'content':{'n':1}", ",'data':{'n':1}"),
    RESULT("other members stay", ",'content':'out','cache_control':{}",
           ",'output':'out'," KEPT("'cache_control':{}")),
    MESSAGES("a result of a call that is not there keeps its id",
             "{'role':'tool','tool_call_id':'c9','content':'out'}",
             "{'role':'tool','tool_call_id':'c9','output':'out'}"),

    /* The body. */
    SETTING("tools", "'tools':[" LOOK "]", "'tools':[" LOOKS "]"),
    SETTING("tools of old", "'functions':[{'name':'look'}]", "'tools':[{'name':'look'}]"),
    SETTING("marks of a tool stay with it",
            "'tools':[{'type':'function','cache_control':{},'function':{'name':'look',"
            "'strict':true}}]",
            "'tools':[{'name':'look','strict':true," KEPT("'cache_control':{}") "}]"),
    { "a tool that is not a function is kept aside",
      "'tools':[{'type':'web_search'}," LOOK "],'messages':[]",
      "'tools':[" LOOKS "],'messages':[],"
      KEPT("'tools':[{'index':0,'value':{'type':'web_search'}}]") },
    SETTING("a choice of auto", "'tool_choice':'auto'", "'tool_choice':'auto'"),
    SETTING("a choice of none", "'tool_choice':'none'", "'tool_choice':'none'"),
    SETTING("a choice of required", "'tool_choice':'required'", "'tool_choice':'required'"),
    SETTING("a choice of any is required", "'tool_choice':'any'", "'tool_choice':'required'"),
    SETTING("a choice of one tool",
            "'tools':[" LOOK "],'tool_choice':{'type':'function','function':{'name':'look'}}",
            "'tools':[" LOOKS "],'tool_choice':{'name':'look'}"),
    SETTING("a choice of old", "'functions':[{'name':'look'}],'function_call':{'name':'look'}",
            "'tools':[{'name':'look'}],'tool_choice':{'name':'look'}"),
    STAYS("a choice of a tool that is not there stays",
          "'tool_choice':{'type':'function','function':{'name':'hear'}}"),
    SETTING("a choice of several",
            "'tool_choice':{'type':'allowed_tools','allowed_tools':{'mode':'required','tools':["
            "{'type':'function','function':{'name':'look'}}]}}",
            "'tool_choice':'required','options':{'allowed_tools':['look']}"),
    STAYS("a choice of several without a list stays",
          "'tool_choice':{'type':'allowed_tools','allowed_tools':{'mode':'auto'}}"),
    SETTING("one call at a time", "'parallel_tool_calls':false", "'options':{'single_call':true}"),
    STAYS("several calls at a time stay", "'parallel_tool_calls':true"),
    SETTING("sampling keeps its spelling", "'temperature':0.50,'top_p':1e0",
            "'options':{'temperature':0.50,'top_p':1e0}"),
    SETTING("max_tokens", "'max_tokens':7", "'options':{'max_tokens':7}"),
    { "max_completion_tokens goes first", "'max_tokens':7,'max_completion_tokens':9,'messages':[]",
      "'options':{'max_tokens':9},'messages':[]," KEPT("'max_tokens':7") },
    STAYS("a limit of nothing stays", "'max_tokens':0"),
    SETTING("a stop", "'stop':'a\\'b'", "'options':{'stop':['a\\'b']}"),
    SETTING("stops", "'stop':['a','b']", "'options':{'stop':['a','b']}"),
    STAYS("stops that are not strings stay", "'stop':['a',1]"),
    SETTING("a stream", "'stream':true", "'options':{'stream':true}"),
    { "no stream", "'stream':false,'messages':[]", "'messages':[]" },
    SETTING("an effort is a level", "'reasoning_effort':'low'",
            "'options':{'thinking':{'level':'low'}}"),
    { "the most is high, and stays", "'reasoning_effort':'max','messages':[]",
      "'options':{'thinking':{'level':'high'}},'messages':[],"
      KEPT("'reasoning_effort':'max'") },
    SETTING("no effort", "'reasoning_effort':'none'", "'options':{'thinking':{'off':true}}"),
    SETTING("the last word counts", "'thinking':{'type':'disabled'},'reasoning_effort':'low'",
            "'options':{'thinking':{'level':'low'}}"),
    SETTING("a router's effort", "'reasoning':{'effort':'medium'}",
            "'options':{'thinking':{'level':'medium'}}"),
    SETTING("a router's switch that is off", "'reasoning':{'enabled':false}",
            "'options':{'thinking':{'off':true}}"),
    { "a router's budget", "'reasoning':{'max_tokens':99,'exclude':true},'messages':[]",
      "'options':{'thinking':{'budget_tokens':99}},'messages':[],"
      KEPT("'reasoning':{'exclude':true}") },
    SETTING("a router's switch", "'reasoning':{'enabled':true}", "'options':{'thinking':{}}"),
    SETTING("a budget", "'thinking':{'type':'enabled','budget_tokens':99}",
            "'options':{'thinking':{'budget_tokens':99}}"),
    SETTING("thinking that is off", "'thinking':{'type':'disabled'}",
            "'options':{'thinking':{'off':true}}"),
    { "a schema of the answer; its name stays with it", FORMAT ",'messages':[]",
      "'options':{'schema':{'type':'object','properties':{}}},'messages':[]," KEPT(FORMAT) },
    SETTING("JSON without a schema", "'response_format':{'type':'json_object'}",
            "'options':{'json':true}"),
    STAYS("other members stay", "'n':1,'response_format':{'type':'text'}"),

    /* What cannot be understood. */
    FAILS("no messages at all", "'n':1", "messages: the field is missing"),
    FAILS("messages that are not a list", "'messages':{}",
          "messages: expected an array, found an object"),
    FAILS("a message that is not an object", "'messages':[" USER ",7]",
          "messages[1]: expected an object, found a number"),
    FAILS("a message without a role", "'messages':[{}]", "messages[0].role: the field is missing"),
    FAILS("a role that nobody knows", "'messages':[{'role':'ghost'}]",
          "messages[0].role: unknown role 'ghost'"),
    FAILS("a result without an id", "'messages':[" CALLS ",{'role':'tool','content':'out'}]",
          "messages[1].tool_call_id: the result does not say which call it answers"),
};
/* clang-format on */

static void check_row(void **state)
{
    check_request(&rf_dialect_openai_chat, *state);
}

#define MARK "'cache_control':{'type':'ephemeral'}"

static void a_request_comes_back_as_it_was(void **state)
{
    static const char *const facts[] = { NULL };
    (void)state;
    check_round_trip(
        &rf_dialect_openai_chat, "openai-chat", facts,
        "{'model':'gpt-5','messages':[{'role':'system','content':'Be kind.'},"
        "{'role':'user','content':[{'type':'text','text':'Look.'},{'type':'image_url','image_url':"
        "{'url':'https://a.example/b.png','detail':'low'}},"
        "{'type':'file','file':{'file_id':'file-1'}}]}," CALLS
        ",{'role':'tool','tool_call_id':'c1','content':'out'},{'role':'assistant','content':'So.'},"
        "{'role':'user','content':'And?'}],'tools':[" LOOK
        "],'tool_choice':{'type':'function','function':{'name':'look'}},"
        "'max_completion_tokens':9,'reasoning_effort':'medium'}");
}

static void what_only_this_api_can_say_comes_back(void **state)
{
    static const char *const facts[] = { "own_fields", "yes", NULL }, *const others[] = { NULL };
    (void)state;
    check_round_trip(&rf_dialect_openai_chat, "openai-chat", facts,
                     "{'model':'gpt-5','messages':[" USER
                     ",{'role':'developer','content':'Be brief.'},"
                     "{'role':'user','content':[{'type':'hologram','size':3}]}],"
                     "'tools':[" LOOK ",{'type':'custom','custom':{'name':'c'}}],"
                     "'tool_choice':{'type':'custom','custom':{'name':'c'}},'n':2,'store':true}");
    check_round_trip(&rf_dialect_openai_chat, "openai-chat", facts,
                     "{'model':'gpt-5','messages':[" USER "],"
                     "'tools':[{'type':'custom','custom':{'name':'c'}}]}");
    /* In their order, on which the cache of the prompt depends. */
    check_round_trip(&rf_dialect_openai_chat, "openai-chat", facts,
                     "{'model':'gpt-5','messages':[{'role':'developer','content':'a'},"
                     "{'role':'system','content':[{'type':'text','text':'b'},"
                     "{'type':'text','text':'c'}]}," USER "],"
                     "'tools':[{'type':'hologram','depth':3}," LOOK "]}");
    /* Messages are what they were for others too. */
    check_round_trip(&rf_dialect_openai_chat, "openai-chat", others,
                     "{'model':'gpt-5','messages':[" USER
                     ",{'role':'system','content':'Be brief.'},"
                     "{'role':'user','content':[{'type':'hologram','size':3}]}]}");
}

static void what_is_said_of_parts_and_messages_comes_back(void **state)
{
    static const char *const facts[] = { "own_fields", "yes", NULL };
    (void)state;
    check_round_trip(
        &rf_dialect_openai_chat, "openai-chat", facts,
        "{'model':'gpt-5','messages':[{'role':'system','content':'a'},"
        "{'role':'system','content':[{'type':'text','text':'b'," MARK "}],'name':'n'},"
        "{'role':'user','content':[{'type':'text','text':'Look.'," MARK "}],'name':'ada'},"
        "{'role':'user','content':[{'type':'text','text':'See.'},{'type':'image_url','image_url':"
        "{'url':'https://a.example/b.png','detail':'low','fov':3}," MARK "},"
        "{'type':'file','file':{'file_id':'file-1','more':1}}]},"
        "{'role':'assistant','content':'So.','tool_calls':[{'id':'c1','type':'function',"
        "'function':{'name':'look','arguments':'{}'},'extra_content':{'google':"
        "{'thought_signature':'s'}}},{'id':'c2','type':'custom','custom':{'name':'run',"
        "'input':'ls'}}],'audio':{'id':'audio_1'},'name':'bob'},"
        "{'role':'tool','tool_call_id':'c1','content':[{'type':'text','text':'out'," MARK "}]},"
        "{'role':'tool','tool_call_id':'c2','content':'ls','took':3}],'tools':[" LOOK
        ",{'type':'function','function':{'name':'b','parameters':{'type':'object','properties':{}},'more':1}," MARK
        "}]}");
}

static void an_answer_of_nothing_but_sound_comes_back(void **state)
{
    static const char *const facts[] = { "own_fields", "yes", NULL };
    (void)state;
    check_round_trip(&rf_dialect_openai_chat, "openai-chat", facts,
                     "{'model':'gpt-audio','messages':[" USER
                     ",{'role':'assistant','audio':{'id':'audio_1'}}," USER "]}");
}

static void thoughts_come_back_as_they_were(void **state)
{
    static const char *const facts[] = { "reasoning_field", "reasoning_details", "replay", "text",
                                         NULL };
    (void)state;
    check_round_trip(
        &rf_dialect_openai_chat, "openai-chat", facts,
        "{'model':'gpt-5','messages':[" USER
        ",{'role':'assistant','content':'yes','reasoning_details':["
        "{'type':'reasoning.text','text':'Hm.','signature':'s','format':'f','index':0},"
        "{'type':'reasoning.summary','summary':'So.','id':'i'},"
        "{'type':'reasoning.encrypted','data':'gAAA','format':'f'}]}," USER "]}");
}

/* Whatever a server had called them, where nothing says what it takes. */
static void thoughts_go_back_in_their_field(void **state)
{
    static const char *const facts[] = { NULL };
    static const char *const thoughts[] = {
        "'reasoning_content':'Hm.'",
        "'reasoning':'Hm.'",
        "'reasoning_details':[{'type':'reasoning.text','text':'Hm.','more':[1]},"
        "{'type':'reasoning.other','x':1},{'type':'reasoning.encrypted','data':'gAAA'}]",
        "'reasoning_content':'Hm.','reasoning_details':[{'type':'reasoning.encrypted',"
        "'data':'gAAA','id':'r'}]",
        "'thinking_blocks':[{'type':'thinking','thinking':'Hm.','signature':'s'},"
        "{'type':'redacted_thinking','data':'r'}]",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(thoughts); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_str body = rf_strf(a,
                                     "{'model':'m','messages':[" USER
                                     ",{'role':'assistant','content':'yes',%s}," USER "]}",
                                     thoughts[i]);
        check_round_trip(&rf_dialect_openai_chat, "openai-compatible", facts, body.p);
        rf_arena_free(a);
    }
}

static void any_shape_is_read_or_refused(void **state)
{
    (void)state;
    check_shapes(
        &rf_dialect_openai_chat,
        "{'model':'m','messages':[{'role':'system','content':[{'type':'text','text':'A'}]},"
        "{'role':'user','content':[{'type':'image_url','image_url':{'url':'u',"
        "'detail':'low'}},{'type':'input_audio','input_audio':{'data':'d','format':'wav'}},"
        "{'type':'file','file':{'filename':'f','file_data':'d','file_id':'i'}},"
        "{'type':'document','document':{'data':1}}],'images':['x']},"
        "{'role':'assistant','content':[{'type':'thinking','thinking':[{'text':'t'}]}],"
        "'refusal':'r','reasoning_details':[{'type':'reasoning.text','text':'t'}],"
        "'function_call':{'name':'f'},'tool_calls':[" CALL(
            "c1", "look",
            "'{}'") "]},"
                    "{'role':'tool','tool_call_id':'c1','content':[{'type':'text','text':'o'}]},"
                    "{'role':'function','name':'f','content':'o'}],'tools':[" LOOK "],"
                    "'functions':[{'name':'g'}],'tool_choice':{'function':{'name':'look'}},"
                    "'stop':['s'],'reasoning':{'effort':'low','max_tokens':1,'enabled':true},"
                    "'thinking':{'type':'enabled','budget_tokens':1},'max_tokens':1}");
}

/* What is kept stands deeper than it stood. */
static void deep_values_are_a_limit(void **state)
{
    struct rf_arena *a = rf_arena_new();
    (void)state;
    for (int depth = 490; depth < 512; depth++) {
        char open[512] = { 0 }, close[512] = { 0 };
        struct rf_conversation c;
        struct rf_err err = { 0 };
        memset(open, '[', (size_t)depth - 1);
        memset(close, ']', (size_t)depth - 1);
        struct rf_str text = rf_strf(a, "{\"messages\":[],\"metadata\":%s%s}", open, close);
        enum rf_code rc = parse(&rf_dialect_openai_chat, text, a, &c, &err);
        assert_int_equal(rc, depth <= 504 ? RF_OK : RF_ELIMIT);
    }
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 8] = {
        cmocka_unit_test(a_request_comes_back_as_it_was),
        cmocka_unit_test(what_only_this_api_can_say_comes_back),
        cmocka_unit_test(what_is_said_of_parts_and_messages_comes_back),
        cmocka_unit_test(an_answer_of_nothing_but_sound_comes_back),
        cmocka_unit_test(thoughts_come_back_as_they_were),
        cmocka_unit_test(thoughts_go_back_in_their_field),
        cmocka_unit_test(any_shape_is_read_or_refused),
        cmocka_unit_test(deep_values_are_a_limit),
    };
    name_rows(tests + 8, check_row, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
