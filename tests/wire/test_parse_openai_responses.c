/* Requests of OpenAI Responses, read: as conversations, and as requests again. */
#include "testing.h"

#include "plan/plan.h"
#include "wire/wire.h"

#define ASSISTANT "{'role':'assistant','origin':{'provider':'openai','model':'m'},'content':["
#define KEPT(members) "'extra':{'openai-responses':{" members "}}"
#define OPAQUE(value) "{'type':'opaque','dialect':'openai-responses','value':" value "}"
#define CALL(id, name, arguments) \
    "{'type':'function_call','call_id':'" id "','name':'" name "','arguments':'" arguments "'}"
#define RESULT(id, output) "{'type':'function_call_output','call_id':'" id "','output':" output "}"

struct row {
    const char *name;
    const char *body; /* after the model's name */
    const char *want; /* after the version; or "!" and the error message */
};

/* Items in, messages out. */
#define ITEMS(row_name, items, messages)                             \
    {                                                                \
        row_name, "'input':[" items "]", "'messages':[" messages "]" \
    }
#define PARTS(row_name, parts, blocks)                       \
    ITEMS(row_name, "{'role':'user','content':[" parts "]}", \
          "{'role':'user','content':[" blocks "]}")
/* A member of the body that is kept as it is. */
#define STAYS(row_name, member)                                       \
    {                                                                 \
        row_name, member ",'input':[]", "'messages':[]," KEPT(member) \
    }
#define FAILS(row_name, body, message) \
    {                                  \
        row_name, body, "!" message    \
    }

static const struct row system_rows[] = {
    { "an input that is a string is a user message", "'input':'hi'",
      "'messages':[{'role':'user','content':[{'type':'text','text':'hi'}]}]" },
    { "a body without an input has no messages", "'store':true",
      "'messages':[]," KEPT("'store':true") },
    { "instructions are the system prompt", "'instructions':'Be kind.','input':[]",
      "'system':'Be kind.','messages':[]" },
    { "instructions that are not a string stay", "'instructions':['Be kind.'],'input':[]",
      "'messages':[]," KEPT("'instructions':['Be kind.']") },
    { "system and developer messages at the front join the instructions",
      "'instructions':'A','input':[{'role':'system','content':'B'},"
      "{'type':'message','role':'developer','content':[{'type':'input_text','text':'C'},"
      "{'type':'input_text','text':'D'}]},{'role':'user','content':'hi'}]",
      "'system':'A\\n\\nB\\n\\nC\\n\\nD',"
      "'messages':[{'role':'user','content':[{'type':'text','text':'hi'}]}]," KEPT(
          "'system':[{'index':0,'value':{'role':'system','content':'B'}},{'index':1,'value':"
          "{'type':'message','role':'developer','content':[{'type':'input_text','text':'C'},"
          "{'type':'input_text','text':'D'}]}}]") },
    { "a system message that is more than text stays besides",
      "'input':[{'role':'system','content':'A'},{'role':'system','content':"
      "[{'type':'input_text','text':'B','prompt_cache_breakpoint':{}}]}]",
      "'system':'A\\n\\nB','messages':[]," KEPT(
          "'system':[{'index':0,'value':{'role':'system','content':'A'}},"
          "{'index':1,'value':{'role':'system','content':[{'type':'input_text',"
          "'text':'B','prompt_cache_breakpoint':{}}]}}]") },
    ITEMS("a later system message stays in its place and keeps its role",
          "{'role':'user','content':'hi'},{'role':'developer','content':'Be brief.'}",
          "{'role':'user','content':[{'type':'text','text':'hi'}]},"
          "{'role':'user','speaker':'developer','content':[{'type':'text',"
          "'text':'Be brief.'}]}"),
};

static const struct row part_rows[] = {
    PARTS("a text", "{'type':'input_text','text':'hi'}", "{'type':'text','text':'hi'}"),
    PARTS("other members of a part stay with it",
          "{'type':'input_text','text':'hi','prompt_cache_breakpoint':{'mode':'x'}}",
          "{'type':'text','text':'hi'," KEPT("'prompt_cache_breakpoint':{'mode':'x'}") "}"),
    PARTS("an image in a data URL",
          "{'type':'input_image','detail':'high','image_url':'data:image/png;base64,iVBO'}",
          "{'type':'image','data':'iVBO','media_type':'image/png','detail':'high'}"),
    PARTS("base64 of a picture in the place of its URL",
          "{'type':'input_image','image_url':'/9j/4AAQSkZJRgABAQAAAQABAAD/'}",
          "{'type':'image','data':'/9j/4AAQSkZJRgABAQAAAQABAAD/',"
          "'media_type':'application/octet-stream'}"),
    PARTS("a file of no bytes", "{'type':'input_file','file_data':'data:application/pdf;base64,'}",
          "{'type':'document','url':'data:;base64,','media_type':'application/pdf'}"),
    PARTS("an image on the web", "{'type':'input_image','image_url':'https://a.example/b.png'}",
          "{'type':'image','url':'https://a.example/b.png'}"),
    PARTS("an image that was uploaded",
          "{'type':'input_image','detail':'auto','image_url':null,'file_id':'file-1'}",
          "{'type':'image','file_id':'file-1','provider':'openai','detail':'auto'}"),
    PARTS("a detail that nobody knows stays",
          "{'type':'input_image','file_id':'file-1','detail':'fine'}",
          "{'type':'image','file_id':'file-1','provider':'openai'," KEPT("'detail':'fine'") "}"),
    PARTS("a file in a data URL",
          "{'type':'input_file','filename':'a.pdf',"
          "'file_data':'data:application/pdf;base64,JVBE'}",
          "{'type':'document','data':'JVBE','media_type':'application/pdf','name':'a.pdf'}"),
    PARTS("a file as base64 alone", "{'type':'input_file','file_data':'JVBE'}",
          "{'type':'document','data':'JVBE'}"),
    PARTS("a file on the web, with the detail that documents have no field for",
          "{'type':'input_file','file_url':'https://a.example/a.pdf','detail':'low'}",
          "{'type':'document','url':'https://a.example/a.pdf'," KEPT("'detail':'low'") "}"),
    PARTS("a file that was uploaded", "{'type':'input_file','file_id':'file-1'}",
          "{'type':'document','file_id':'file-1','provider':'openai'}"),
    PARTS("a second source stays",
          "{'type':'input_file','file_id':'file-1','file_url':'https://a.example/a.pdf'}",
          "{'type':'document','url':'https://a.example/a.pdf'," KEPT("'file_id':'file-1'") "}"),
    PARTS("a file that is a sound by its data URL",
          "{'type':'input_file','filename':'a.mp3','file_data':'data:audio/mpeg;base64,SUQz'}",
          "{'type':'audio','data':'SUQz','media_type':'audio/mpeg','name':'a.mp3'}"),
    PARTS("a file that is a video by its data URL",
          "{'type':'input_file','file_data':'data:video/mp4;base64,AAAA'}",
          "{'type':'video','data':'AAAA','media_type':'video/mp4'}"),
    PARTS("a sound", "{'type':'input_audio','input_audio':{'data':'SUQz','format':'mp3'}}",
          "{'type':'audio','data':'SUQz','media_type':'audio/mpeg'}"),
    PARTS("a sound of another format",
          "{'type':'input_audio','input_audio':{'data':'UklG','format':'wav'}}",
          "{'type':'audio','data':'UklG','media_type':'audio/wav'}"),
    ITEMS("an input of another kind is opaque; what is not a part stays aside, with its place",
          "{'role':'user','id':'msg_1','content':[{'type':'input_text','text':'hi'},"
          "{'type':'input_image'},{'type':'hologram','size':3},7]}",
          "{'role':'user','content':[{'type':'text','text':'hi'}," OPAQUE(
              "{'type':'input_image'}") "]," KEPT("'content':[{'index':2,'value':{"
                                                  "'type':'hologram','size':3}},{'index':3,"
                                                  "'value':7}],'id':'msg_1'") "}"),
    ITEMS("each user message is one", "{'role':'user','content':'a'},{'role':'user','content':'b'}",
          "{'role':'user','content':[{'type':'text','text':'a'}]},"
          "{'role':'user','content':[{'type':'text','text':'b'}]}"),
};

static const struct row assistant_rows[] = {
    ITEMS("what an assistant says, thinks and calls is one message",
          "{'type':'reasoning','id':'rs_1','summary':[{'type':'summary_text','text':'Hm.'}],"
          "'encrypted_content':'gAAA'},{'role':'assistant','content':'Let me look.'}," CALL(
              "c1", "look", "{\\\"at\\\":1}"),
          ASSISTANT "{'type':'thinking','thinking':'Hm.','id':'rs_1','encrypted':'gAAA'},"
                    "{'type':'text','text':'Let me look.'},"
                    "{'type':'tool_call','id':'c1','name':'look','arguments':{'at':1}}]}"),
    ITEMS("the members of a message stay with its first block",
          "{'type':'message','id':'msg_1','status':'completed','phase':'commentary',"
          "'role':'assistant','content':[{'type':'output_text','text':'a','annotations':[],"
          "'logprobs':[1]},{'type':'output_text','text':'b'}]}",
          ASSISTANT "{'type':'text','text':'a'," KEPT(
              "'logprobs':[1],'message':{'id':'msg_1','status':"
              "'completed','phase':'commentary'}") "},"
                                                   "{'type':'text','text':'b'," KEPT(
                                                       "'continues':true") "}]}"),
    ITEMS("a citation of a page is nothing else",
          "{'role':'assistant','content':[{'type':'output_text','text':'a','annotations':"
          "[{'type':'url_citation','url':'https://a.example','title':'A','start_index':0,"
          "'end_index':1}]}]}",
          ASSISTANT "{'type':'text','text':'a','citations':[{'title':'A',"
                    "'url':'https://a.example','start':0,'end':1}]}]}"),
    ITEMS("a citation of a file stays as it came, too",
          "{'role':'assistant','content':[{'type':'output_text','text':'a','annotations':"
          "[{'type':'file_citation','file_id':'f','filename':'a.pdf','index':3}]}]}",
          ASSISTANT "{'type':'text','text':'a','citations':[{'source':'f','title':'a.pdf'}]," KEPT(
              "'annotations':[{'type':'file_citation','file_id':'f','filename':'a.pdf',"
              "'index':3}]") "}]}"),
    ITEMS("a refusal is a text of that type",
          "{'role':'assistant','content':[{'type':'refusal','refusal':'No.'}]}",
          ASSISTANT "{'type':'text','text':'No.'," KEPT("'type':'refusal'") "}]}"),
    ITEMS("another part is opaque, as a message that can go back",
          "{'role':'assistant','content':[{'type':'hologram'}]}",
          ASSISTANT "{'type':'opaque','dialect':'openai-responses','value':"
                    "{'role':'assistant','content':[{'type':'hologram'}]}}]}"),
    ITEMS("a summary of several parts is one text and stays",
          "{'type':'reasoning','id':'r','summary':[{'type':'summary_text','text':'a'},"
          "{'type':'summary_text','text':'b'}]}",
          ASSISTANT "{'type':'thinking','thinking':'a\\n\\nb','id':'r'," KEPT(
              "'summary':[{'type':'summary_text','text':'a'},"
              "{'type':'summary_text','text':'b'}]") "}]}"),
    ITEMS("thoughts without a summary are their content, which stays",
          "{'type':'reasoning','id':'r','summary':[],'encrypted_content':null,"
          "'content':[{'type':'reasoning_text','text':'a'}],'status':'completed'}",
          ASSISTANT "{'type':'thinking','thinking':'a','id':'r'," KEPT(
              "'summary':[],'content':[{'type':'reasoning_text','text':'a'}],"
              "'status':'completed'") "}]}"),
    ITEMS("the members of a call stay with it, and its namespace is in its name",
          "{'type':'function_call','id':'fc_1','call_id':'c1','name':'look','arguments':'{}',"
          "'namespace':'n','status':null}",
          ASSISTANT "{'type':'tool_call','id':'c1','name':'n__look','arguments':{}," KEPT(
              "'id':'fc_1','namespace':'n'") "}]}"),
    ITEMS("arguments that are not an object are kept with the other members",
          "{'type':'function_call','id':'fc_1','call_id':'c1','name':'look','arguments':'{'}",
          ASSISTANT "{'type':'tool_call','id':'c1','name':'look','malformed_arguments':'{'," KEPT(
              "'id':'fc_1'") "}]}"),
    ITEMS("a call of nothing is opaque", "{'type':'function_call','call_id':'c1'}",
          ASSISTANT "{'type':'opaque','dialect':'openai-responses','value':"
                    "{'type':'function_call','call_id':'c1'}}]}"),
    ITEMS("other items are opaque blocks in between",
          "{'type':'web_search_call','id':'ws_1'},{'role':'assistant','content':'Found.'},"
          "{'id':'msg_9'}",
          ASSISTANT "{'type':'opaque','dialect':'openai-responses','value':"
                    "{'type':'web_search_call','id':'ws_1'}},{'type':'text','text':'Found.'},"
                    "{'type':'opaque','dialect':'openai-responses','value':{'id':'msg_9'}}]}"),
};

#define CUSTOM "{'type':'custom_tool_call','call_id':'x1','name':'patch','input':'abc'}"
#define CUSTOM_OUTPUT "{'type':'custom_tool_call_output','call_id':'x1','output':'done'}"
#define PATCHED                                                                       \
    "{'type':'tool_call','id':'x1','name':'patch','arguments':{'input':'abc'}," KEPT( \
        "'type':'custom_tool_call'") "}"
#define SHELL "{'type':'local_shell_call','call_id':'x1','action':{'type':'exec'}}"
#define SHELL_CALL                                                                \
    "{'type':'opaque','dialect':'openai-responses','value':" SHELL ","            \
    "'text_fallback':'{\\'type\\':\\'local_shell_call\\',\\'call_id\\':\\'x1\\'," \
    "\\'action\\':{\\'type\\':\\'exec\\'}}'}"
#define SHELL_OUTPUT "{'type':'local_shell_call_output','call_id':'x1','output':'done'}"

#define FOUND "{'type':'tool_search_output','call_id':'t1','tools':[]}"
#define APPROVAL                                 \
    "{'type':'mcp_approval_request','id':'m1'}," \
    "{'type':'mcp_approval_response','approval_request_id':'m1','approve':true}"

static const struct row result_rows[] = {
    ITEMS("results are tool messages with the names of their calls",
          CALL("c1", "look", "{}") "," CALL("c2", "hear",
                                            "{}") "," RESULT("c2", "'b'") "," RESULT("c1", "'a'"),
          ASSISTANT "{'type':'tool_call','id':'c1','name':'look','arguments':{}},"
                    "{'type':'tool_call','id':'c2','name':'hear','arguments':{}}]},"
                    "{'role':'tool','tool_call_id':'c2','name':'hear','output':'b'},"
                    "{'role':'tool','tool_call_id':'c1','name':'look','output':'a'}"),
    ITEMS("the call of a result may be elsewhere", RESULT("c9", "''"),
          "{'role':'tool','tool_call_id':'c9'}"),
    ITEMS("a list is blocks after the text that comes first",
          RESULT("c1", "[{'type':'input_text','text':'See:'},{'type':'input_image','image_url':"
                       "'data:image/png;base64,iVBO'},{'type':'input_text','text':'End.'}]"),
          "{'role':'tool','tool_call_id':'c1','output':'See:','content_blocks':"
          "[{'type':'image','data':'iVBO','media_type':'image/png'},"
          "{'type':'text','text':'End.'}]}"),
    ITEMS("a list without a text in front is blocks",
          RESULT("c1", "[{'type':'input_file','file_id':'file-1'},"
                       "{'type':'input_text','text':'End.'}]"),
          "{'role':'tool','tool_call_id':'c1','content_blocks':[{'type':'document',"
          "'file_id':'file-1','provider':'openai'},{'type':'text','text':'End.'}]}"),
    ITEMS("a text in front that has more to it is a block",
          RESULT("c1", "[{'type':'input_text','text':'a','mark':1}]"),
          "{'role':'tool','tool_call_id':'c1','content_blocks':[{'type':'text','text':'a'," KEPT(
              "'mark':1") "}]}"),
    ITEMS("an object is data", RESULT("c1", "{'rows':3}"),
          "{'role':'tool','tool_call_id':'c1','data':{'rows':3}}"),
    ITEMS("what is not a part of a result stays with it",
          "{'type':'function_call_output','id':'fco_1','call_id':'c1','output':"
          "[{'type':'hologram'}]}",
          "{'role':'tool','tool_call_id':'c1'," KEPT(
              "'output':[{'index':0,'value':{'type':'hologram'}}],'id':'fco_1'") "}"),
    ITEMS("a custom call is one with its input as an argument, its output a result",
          CUSTOM "," CUSTOM_OUTPUT,
          ASSISTANT PATCHED "]},{'role':'tool','tool_call_id':'x1','name':'patch',"
                            "'output':'done'}"),
    ITEMS("a picture in the output of a custom call",
          CUSTOM ",{'type':'custom_tool_call_output','call_id':'x1','output':[{'type':"
                 "'input_image','file_id':'file-1'}]}",
          ASSISTANT PATCHED "]},{'role':'tool','tool_call_id':'x1','name':'patch',"
                            "'content_blocks':[{'type':'image','file_id':'file-1',"
                            "'provider':'openai'}]}"),
    ITEMS("an output of a custom call that is elsewhere is opaque", CUSTOM_OUTPUT,
          ASSISTANT OPAQUE(CUSTOM_OUTPUT) "]}"),
    ITEMS("calls of other tools are opaque, with words, and what came of them is the user's",
          SHELL "," SHELL_OUTPUT ",{'role':'assistant','content':'Done.'}",
          ASSISTANT SHELL_CALL "]},{'role':'user','content':[" OPAQUE(
              SHELL_OUTPUT) "]}," ASSISTANT "{'type':'text','text':'Done.'}]}"),
    ITEMS("an output between results comes after them, so that results stay with their calls",
          CALL("c1", "look", "{}") "," SHELL "," CALL("c2", "look", "{}") "," RESULT(
              "c1", "'a'") "," SHELL_OUTPUT "," RESULT("c2", "'b'"),
          ASSISTANT "{'type':'tool_call','id':'c1','name':'look','arguments':{}}," SHELL_CALL
                    ",{'type':'tool_call','id':'c2','name':'look','arguments':{}}]},"
                    "{'role':'tool','tool_call_id':'c1','name':'look','output':'a'},"
                    "{'role':'tool','tool_call_id':'c2','name':'look','output':'b'},"
                    "{'role':'user','content':[" OPAQUE(SHELL_OUTPUT) "]}"),
    ITEMS("an output of what was said before this request is opaque", SHELL_OUTPUT,
          "{'role':'user','content':[" OPAQUE(SHELL_OUTPUT) "]}"),
    ITEMS("a result of another tool's call is as opaque as that", SHELL "," RESULT("x1", "'a'"),
          ASSISTANT SHELL_CALL "]},{'role':'user','content':[" OPAQUE(RESULT("x1", "'a'")) "]}"),
    ITEMS("the result of a call that makes no sense stays with it, on the assistant's side",
          "{'type':'function_call','call_id':'x1'}," RESULT("x1", "'a'"),
          ASSISTANT OPAQUE("{'type':'function_call','call_id':'x1'}") "," OPAQUE(
              RESULT("x1", "'a'")) "]}"),
    ITEMS("what a client is asked has words, and what it answers is the user's", APPROVAL,
          ASSISTANT
          "{'type':'opaque','dialect':'openai-responses','value':{'type':'mcp_approval_request',"
          "'id':'m1'},'text_fallback':'{\\'type\\':\\'mcp_approval_request\\',"
          "\\'id\\':\\'m1\\'}'}]},{'role':'user','content':[" OPAQUE(
              "{'type':'mcp_approval_response','approval_request_id':'m1','approve':true}") "]}"),
    { "an output of a custom call that is on the server is the user's",
      "'previous_response_id':'resp_1','input':[" CUSTOM_OUTPUT "]",
      "'messages':[{'role':'user','content':[" OPAQUE(CUSTOM_OUTPUT) "]}]," KEPT(
          "'previous_response_id':'resp_1'") },
    { "a result whose call is on the server is an opaque block of the user's",
      "'previous_response_id':'resp_1','input':[" RESULT("c9", "'a'") "]",
      "'messages':[{'role':'user','content':[" OPAQUE(RESULT("c9", "'a'")) "]}]," KEPT(
          "'previous_response_id':'resp_1'") },
    { "also where that is a conversation",
      "'conversation':'conv_1','input':[" RESULT("c9", "'a'") "]",
      "'messages':[{'role':'user','content':[" OPAQUE(RESULT("c9", "'a'")) "]}]," KEPT(
          "'conversation':'conv_1'") },
    { "a result whose call is here is one, wherever the rest is",
      "'previous_response_id':'resp_1','input':[" CALL("c1", "look", "{}") "," RESULT("c1",
                                                                                      "'a'") "]",
      "'messages':[" ASSISTANT "{'type':'tool_call','id':'c1','name':'look','arguments':{}}]},"
      "{'role':'tool','tool_call_id':'c1','name':'look','output':'a'}]," KEPT(
          "'previous_response_id':'resp_1'") },
    ITEMS("what a server did after a result begins a new message",
          CALL("c1", "look", "{}") "," RESULT("c1", "'a'") ",{'type':'web_search_call','id':'w'}",
          ASSISTANT
          "{'type':'tool_call','id':'c1','name':'look','arguments':{}}]},"
          "{'role':'tool','tool_call_id':'c1','name':'look','output':'a'}," ASSISTANT OPAQUE(
              "{'type':'web_search_call','id':'w'}") "]}"),
    ITEMS("so does an output where no more results are to come",
          CALL("c1", "look", "{}") "," RESULT("c1", "'a'") "," FOUND,
          ASSISTANT
          "{'type':'tool_call','id':'c1','name':'look','arguments':{}}]},"
          "{'role':'tool','tool_call_id':'c1','name':'look','output':'a'}," ASSISTANT OPAQUE(
              FOUND) "]}"),
    ITEMS("between results it belongs to the calls",
          CALL("c1", "look", "{}") "," CALL("c2", "look", "{}") "," RESULT(
              "c1", "'a'") "," FOUND "," RESULT("c2", "'b'"),
          ASSISTANT "{'type':'tool_call','id':'c1','name':'look','arguments':{}},"
                    "{'type':'tool_call','id':'c2','name':'look','arguments':{}}," OPAQUE(
                        FOUND) "]},"
                               "{'role':'tool','tool_call_id':'c1','name':'look','output':'a'},"
                               "{'role':'tool','tool_call_id':'c2','name':'look','output':'b'}"),
};

#define LOOK "{'type':'function','name':'look'}"
#define GRAMMAR "'format':{'type':'grammar','syntax':'lark','definition':'start: x'}"
#define PATCH_TOOL "{'type':'custom','name':'patch','description':'Patches.'," GRAMMAR "}"
#define TEXT_SCHEMA \
    "{'type':'object','properties':{'input':{'type':'string'}},'required':['input']}"
#define CLOCK                                                                               \
    "{'type':'namespace','name':'clock','description':'Time.','tools':[{'type':'function'," \
    "'name':'sleep','description':'Sleeps.'},{'type':'custom','name':'wake'}]}"
#define CHOICE(row_name, choice, want)                                   \
    {                                                                    \
        row_name, "'input':[],'tools':[" LOOK "],'tool_choice':" choice, \
            "'tools':[{'name':'look'}]," want                            \
    }
#define FORMAT                                                                                      \
    "'text':{'format':{'type':'json_schema','name':'a','schema':{'type':'object','properties':{}}," \
    "'strict':true},'verbosity':'low'}"
#define EFFORT(word, want)                                                \
    {                                                                     \
        "effort " word, "'input':[],'reasoning':{'effort':'" word "'}",   \
            "'options':{'thinking':{" want                                \
            "}},'messages':[]," KEPT("'reasoning':{'effort':'" word "'}") \
    }

static const struct row body_rows[] = {
    { "tools",
      "'input':[],'tools':[{'type':'function','name':'look','description':'Looks.','parameters':"
      "{'type':'object','properties':{}},'strict':true},{'type':'web_search'},{'type':'function','name':'hear',"
      "'description':null,'parameters':null}]",
      "'tools':[{'name':'look','description':'Looks.','input_schema':{'type':'object','properties':{}},"
      "'strict':true},{'name':'hear'}],'messages':[]," KEPT(
          "'tools':[{'index':1,'value':{'type':'web_search'}}]") },
    { "a custom tool takes a text, whose grammar is told", "'input':[],'tools':[" PATCH_TOOL "]",
      "'tools':[{'name':'patch','description':'Patches.\\n\\nThe input must follow this grammar "
      "(lark):\\nstart: x','input_schema':" TEXT_SCHEMA
      "," KEPT("'type':'custom','description':'Patches.'," GRAMMAR) "}],'messages':[]" },
    { "the tools of a namespace have its name before theirs", "'input':[],'tools':[" CLOCK "]",
      "'tools':[{'name':'clock__sleep','description':'Time.\\n\\nSleeps.'," KEPT(
          "'namespace':'clock'") "},{'name':'clock__wake','input_schema':" TEXT_SCHEMA
                                 "," KEPT("'type':'custom','namespace':'clock'") "}],'messages':[]," KEPT(
                                     "'namespaces':[{'index':0,'value':" CLOCK "}]") },
    { "an item that offers tools",
      "'input':[{'type':'additional_tools','tools':[" LOOK ",{'type':'web_search'}," CLOCK "]},"
      "{'role':'user','content':'hi'}]",
      "'tools':[{'name':'look'," KEPT(
          "'additional':true") "},{'name':'clock__sleep',"
                               "'description':'Time.\\n\\nSleeps.'," KEPT(
                                   "'namespace':'clock','additional':true") "},"
                                                                            "{'name':'clock__wake','input_schema':" TEXT_SCHEMA
                                                                            "," KEPT(
                                                                                "'type':'custom','namespace':'clock','additional':true") "}],'messages':[{'role':'user',"
                                                                                                                                         "'content':[{'type':'text','text':'hi'}]}]," KEPT(
                                                                                                                                             "'offers':[{'index':0,'value':{'type':'additional_tools','tools':[" LOOK
                                                                                                                                             ",{'type':'web_search'}," CLOCK
                                                                                                                                             "]}}],'additional':[{'index':1,'value':{'type':"
                                                                                                                                             "'web_search'}}]") },
    { "an item that offers tools later stays where it stands",
      "'input':[{'role':'user','content':'hi'},{'type':'additional_tools','tools':[" LOOK "]}]",
      "'tools':[{'name':'look'," KEPT(
          "'additional':true") "}],"
                               "'messages':[{'role':'user','content':[{'type':'text','text':'hi'}]}," ASSISTANT
                                   OPAQUE("{'type':'additional_tools','tools':[" LOOK "]}") "]}]" },
    { "choice of a custom tool",
      "'input':[],'tools':[{'type':'custom','name':'patch'}],'tool_choice':{'type':'custom',"
      "'name':'patch'}",
      "'tools':[{'name':'patch','input_schema':" TEXT_SCHEMA
      "," KEPT("'type':'custom'") "}],"
                                  "'tool_choice':{'name':'patch'},'messages':[]" },
    CHOICE("choice auto", "'auto'", "'tool_choice':'auto','messages':[]"),
    CHOICE("choice none", "'none'", "'tool_choice':'none','messages':[]"),
    CHOICE("choice required", "'required'", "'tool_choice':'required','messages':[]"),
    CHOICE("choice of one tool", "{'type':'function','name':'look'}",
           "'tool_choice':{'name':'look'},'messages':[]"),
    CHOICE("a choice of a tool that is not there stays", "{'type':'function','name':'hear'}",
           "'messages':[]," KEPT("'tool_choice':{'type':'function','name':'hear'}")),
    CHOICE("a choice of a tool that is not a function stays", "{'type':'web_search'}",
           "'messages':[]," KEPT("'tool_choice':{'type':'web_search'}")),
    CHOICE("a choice of some tools, which stays besides",
           "{'type':'allowed_tools','mode':'required','tools':[" LOOK "]}",
           "'tool_choice':'required','options':{'allowed_tools':['look']},'messages':[]," KEPT(
               "'tool_choice':{'type':'allowed_tools','mode':'required','tools':[" LOOK "]}")),
    { "options", "'input':[],'max_output_tokens':500,'temperature':0.70,'top_p':1e-1,'stream':true",
      "'options':{'max_tokens':500,'temperature':0.70,'top_p':1e-1,'stream':true},'messages':[]" },
    { "JSON without a schema, which stays besides",
      "'input':[],'text':{'format':{'type':'json_object'}}",
      "'options':{'json':true},'messages':[]," KEPT("'text':{'format':{'type':'json_object'}}") },
    { "one call at a time", "'input':[],'parallel_tool_calls':false",
      "'options':{'single_call':true},'messages':[]" },
    STAYS("several calls at a time stay", "'parallel_tool_calls':true"),
    { "options that are null or false say nothing",
      "'input':[],'max_output_tokens':null,'temperature':null,'stream':false,'tools':null",
      "'messages':[]" },
    STAYS("a limit that is none stays", "'max_output_tokens':0"),
    STAYS("a temperature that is not a number stays", "'temperature':'hot'"),
    EFFORT("minimal", "'level':'low'"),
    EFFORT("low", "'level':'low'"),
    EFFORT("medium", "'level':'medium'"),
    EFFORT("high", "'level':'high'"),
    EFFORT("xhigh", "'level':'high'"),
    EFFORT("max", "'level':'high'"),
    EFFORT("none", "'off':true"),
    { "a schema of the answer; its name stays with it", "'input':[]," FORMAT,
      "'options':{'schema':{'type':'object','properties':{}}},'messages':[]," KEPT(FORMAT) },
    STAYS("reasoning without an effort stays", "'reasoning':{'summary':'auto'}"),
    STAYS("what only this API knows stays",
          "'include':['reasoning.encrypted_content'],'store':false,"
          "'previous_response_id':'resp_1'"),
    STAYS("tools that are not a list stay", "'tools':{'a':1}"),
};

static const struct row failing_rows[] = {
    FAILS("an input that is a number", "'input':7",
          "input: expected a string or an array, found a number"),
    FAILS("an item that is a string", "'input':[{'role':'user','content':'a'},'b']",
          "input[1]: expected an object, found a string"),
    FAILS("a role that nobody knows", "'input':[{'role':'critic','content':'a'}]",
          "input[0].role: unknown role 'critic'"),
    FAILS("a message of nobody", "'input':[{'type':'message','content':'a'}]",
          "input[0].role: unknown role ''"),
    FAILS("a content that is an object", "'input':[{'role':'user','content':{}}]",
          "input[0].content: expected a string or an array, found an object"),
    FAILS("a result that names no call", "'input':[{'type':'function_call_output','output':'a'}]",
          "input[0].call_id: expected the id of a call"),
};

#define PROGRAM "{'type':'program','caller_id':'p1'}"
#define SERVED RESULT("c9", "'a'") "," RESULT("c8", "[{'type':'input_text','text':'b'}]")

/* Whole ways: what is read can be written for the same endpoint, and says the same. */
static const struct row round_trips[] = {
    { "a choice among tools that the API runs itself",
      "'input':[{'role':'user','content':'hi'}],'tools':[{'type':'web_search'}],"
      "'include':['reasoning.encrypted_content'],'store':false,'tool_choice':'required'",
      NULL },
    { "a whole conversation",
      "'instructions':'Be kind.','input':[{'role':'user','content':[{'type':'input_text',"
      "'text':'What is it?'},{'type':'input_image','detail':'low','image_url':"
      "'https://a.example/a.png'}]},{'type':'reasoning','id':'rs_1','summary':"
      "[{'type':'summary_text','text':'Hm.'}],'encrypted_content':'gAAA'}," CALL("c1", "look", "{\\\"at\\\":1}") "," RESULT(
          "c1",
          "'a dog'") ",{'role':'assistant',"
                     "'content':'A dog.'},{'role':'user','content':'Thanks.'}],"
                     "'tools':[{'type':'function','name':'look','description':'Looks.','parameters':"
                     "{'type':'object','properties':{}},'strict':false}],'tool_choice':'auto','max_output_tokens':500,"
                     "'reasoning':{'effort':'medium'},'include':['reasoning.encrypted_content'],'store':false,"
                     "'stream':true",
      NULL },
    { "custom tools, namespaces and items that offer tools, and calls of them all",
      "'input':[{'type':'additional_tools','tools':[" CLOCK ",{'type':'web_search'}]},"
      "{'role':'user','content':'Patch it.'}," CUSTOM
      ",{'type':'function_call','call_id':'c1','name':'sleep','namespace':'clock',"
      "'arguments':'{}'}," CUSTOM_OUTPUT "," RESULT(
          "c1", "'a dog'") "],'tools':[" PATCH_TOOL ",{'type':'namespace','name':'n','tools':[" LOOK
                           "]},"
                           "{'type':'web_search'}],'tool_choice':{'type':'custom','name':'patch'},"
                           "'include':['reasoning.encrypted_content'],'store':false",
      NULL },
    { "tools in their order, whoever runs them",
      "'input':[{'role':'user','content':'hi'}],'tools':[{'type':'web_search'}," PATCH_TOOL
      ",{'type':'namespace','name':'n','tools':[" LOOK
      "]},{'type':'function','name':'hear','parameters':{'type':'object','properties':{}},'strict':false},"
      "{'type':'image_generation'}],"
      "'include':['reasoning.encrypted_content'],'store':false",
      NULL },
    { "prompts where they stood, beside instructions and tools that an item offers",
      "'instructions':'A','input':[{'type':'additional_tools','tools':[" CLOCK
      "]},{'role':'developer','content':[{'type':'input_text','text':'B'},"
      "{'type':'input_text','text':'C'}]},{'role':'system','content':'D'},"
      "{'role':'user','content':'hi'}],"
      "'include':['reasoning.encrypted_content'],'store':false",
      NULL },
    { "what is said of parts",
      "'input':[{'role':'user','content':[{'type':'input_text','text':'a','mood':'good'},"
      "{'type':'input_image','detail':'low','image_url':'https://a.example/a.png','fov':3},"
      "{'type':'input_file','file_id':'file-1','more':1}]}],"
      "'include':['reasoning.encrypted_content'],'store':false",
      NULL },
    { "a client that says nothing of storing", "'input':[{'role':'user','content':'hi'}]", NULL },
    { "messages of an answer with their ids and all their parts",
      "'input':[{'role':'user','content':'hi'},"
      "{'type':'reasoning','id':'rs_1','summary':[]},"
      "{'type':'message','role':'assistant','phase':'commentary','content':["
      "{'type':'output_text','text':'a','annotations':[],'logprobs':[1]},"
      "{'type':'output_text','text':'b','annotations':[{'type':'url_citation',"
      "'url':'https://a.example','title':'A','start_index':0,'end_index':1}]}],"
      "'id':'msg_1','status':'completed'},"
      "{'type':'message','role':'assistant','content':[{'type':'refusal','refusal':'No.'}],"
      "'id':'msg_2','mood':'good'},"
      "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'c',"
      "'annotations':[{'type':'file_citation','file_id':'f','filename':'a.pdf','index':3}]}]},"
      "{'role':'user','content':'Well?'}]",
      NULL },
    { "thoughts that are stored on the server",
      "'input':[{'role':'user','content':'hi'},"
      "{'type':'reasoning','id':'rs_1','summary':[],'status':'completed'},"
      "{'type':'web_search_call','id':'ws_1','status':'completed'},"
      "{'type':'reasoning','id':'rs_2','summary':[{'type':'summary_text','text':'Hm.'}]},"
      "{'type':'function_call','call_id':'c1','name':'look','arguments':'{}','id':'fc_1'}," RESULT(
          "c1", "'a'") "]",
      NULL },
    { "a summary of several parts, and thoughts in words",
      "'input':[{'role':'user','content':'hi'},"
      "{'type':'reasoning','id':'rs_1','encrypted_content':'gAAA','summary':["
      "{'type':'summary_text','text':'a'},{'type':'summary_text','text':'b'}],'mood':'good'},"
      "{'type':'reasoning','id':'rs_2','encrypted_content':'gAAB','summary':[],"
      "'content':[{'type':'reasoning_text','text':'c'}]}," CALL("c1", "look", "{}") "," RESULT(
          "c1", "'a'") "],'store':false",
      NULL },
    { "thoughts of which a client does not keep the ids",
      "'input':[{'role':'user','content':'hi'},"
      "{'type':'reasoning','summary':[],'encrypted_content':'gAAA'}," CALL(
          "c1", "look", "{}") "," RESULT("c1", "'a'") "],'store':false",
      NULL },
    { "the detail of a file",
      "'input':[{'role':'user','content':[{'type':'input_file','file_id':'file-1',"
      "'detail':'low'}]}],"
      "'include':['reasoning.encrypted_content'],'store':false",
      NULL },
    { "what is said of messages of users and of those above them",
      "'input':[{'role':'user','content':'a','id':'msg_1','status':'completed','mood':{'a':1}},"
      "{'role':'developer','content':[{'type':'input_image'},{'type':'input_text','text':'b'}],"
      "'id':'msg_2'}],"
      "'include':['reasoning.encrypted_content'],'store':false",
      NULL },
    { "what is said of calls and their results",
      "'input':[{'role':'user','content':'hi'},"
      "{'type':'program','id':'p_1','call_id':'p1','code':'look()'},"
      "{'type':'function_call','call_id':'c1','name':'look','arguments':'{}','id':'fc_1',"
      "'status':'completed','async':true,'caller':" PROGRAM ",'mood':'good'},"
      "{'type':'custom_tool_call','call_id':'x1','name':'patch','input':'abc','id':'ctc_1',"
      "'caller':" PROGRAM "},"
      "{'type':'function_call_output','call_id':'c1','output':'a','id':'fco_1',"
      "'caller':" PROGRAM ",'mood':'bad'},"
      "{'type':'custom_tool_call_output','call_id':'x1','output':'b','caller':" PROGRAM "},"
      "{'type':'program_output','id':'po_1','call_id':'p1','result':'c'}],"
      "'tools':[" PATCH_TOOL "],'include':['reasoning.encrypted_content'],'store':false",
      NULL },
    { "items that are opaque",
      "'input':[{'role':'user','content':'Patch it.'}," CALL(
          "c1", "look",
          "{}") "," SHELL
                "," RESULT("c1",
                           "'a dog'") "," SHELL_OUTPUT "],"
                                      "'include':['reasoning.encrypted_content'],'store':false",
      NULL },
    { "texts of an answer, each with its phase, and a developer among the others",
      "'input':[{'role':'user','content':'hi'},"
      "{'role':'assistant','phase':'commentary','content':'a'},"
      "{'role':'assistant','phase':'final_answer','content':'b'},"
      "{'role':'assistant','content':'c'},{'role':'developer','content':'d'},"
      "{'role':'system','content':'e'},"
      "{'role':'user','content':[{'type':'input_image'},{'type':'input_text','text':'f'}]}],"
      "'include':['reasoning.encrypted_content'],'store':false",
      NULL },
    { "a result whose call is on the server",
      "'input':[" SERVED ",{'role':'user','content':'Well?'}],"
      "'include':['reasoning.encrypted_content'],'store':true,'previous_response_id':'resp_1'",
      NULL },
    { "a result of another tool's call",
      "'input':[{'role':'user','content':'Patch it.'}," SHELL
      "," RESULT("x1", "'a'") "],"
                              "'include':['reasoning.encrypted_content'],'store':false",
      NULL },
    { "fields and tools of this API alone",
      "'input':[{'role':'user','content':'hi'}],'tools':[{'type':'function','name':'look',"
      "'parameters':{'type':'object','properties':{}},'strict':true,'defer_loading':true},"
      "{'type':'web_search'}],'include':['web_search_call.action.sources'],'store':true,"
      "'reasoning':{'effort':'minimal','summary':'auto'},'metadata':{'a':'b'},"
      "'tool_choice':{'type':'web_search'}",
      NULL },
    { "a strict tool, where nothing else is kept",
      "'input':[{'role':'user','content':'hi'}],'tools':[{'type':'function','name':'look',"
      "'parameters':{'type':'object','properties':{}},'strict':true}],"
      "'include':['reasoning.encrypted_content'],'store':false",
      NULL },
    { "a choice of one tool, and an uploaded file in a result",
      "'input':[{'role':'user','content':'Look.'}," CALL("c1", "look", "{}") "," RESULT(
          "c1",
          "[{'type':'input_text','text':'See:'},{'type':'input_image','detail':'auto',"
          "'file_id':'file-1'}]") "],"
                                  "'tools':[{'type':'function','name':'look','parameters':{'type':'object','properties':{}},'strict':false}],"
                                  "'tool_choice':{'type':'function','name':'look'},"
                                  "'include':['reasoning.encrypted_content'],'store':false",
      NULL },
};

static const struct rf_jval *read_json(struct rf_arena *a, struct rf_str text)
{
    const struct rf_jval *v;
    struct rf_err err;
    if (rf_jval_parse(text, a, &v, &err))
        fail_msg("%s in %s", err.msg, rf_cstr(a, text));
    return v;
}

static struct rf_str neutral(const struct rf_conversation *c, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str text;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_content_write(c, &w);
    assert_int_equal(rf_json_finish(&w, NULL), RF_OK);
    assert_int_equal(rf_rope_flatten(&rope, SIZE_MAX, a, &text, NULL), RF_OK);
    return text;
}

static enum rf_code parse(struct rf_str text, struct rf_arena *a, struct rf_conversation *c,
                          struct rf_err *err)
{
    struct rf_builder b;
    rf_builder_init(&b, c, a, "openai-responses");
    return rf_dialect_openai_responses.parse(read_json(a, text), &b, err);
}

/* What was read can be read again, and is the same. */
static void check_readable(struct rf_str text, struct rf_arena *a)
{
    struct rf_conversation again;
    struct rf_err err;
    if (rf_content_read(text, a, &again, &err))
        fail_msg("%s in %s", err.msg, rf_cstr(a, text));
    assert_str(neutral(&again, a), rf_cstr(a, text));
}

static struct rf_str body_of(struct rf_arena *a, const struct row *row, const char *model)
{
    return rf_strf(a, "{\"model\":\"%s\",%s}", model, quoted(a, row->body).p);
}

static void check_row(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation c;
    struct rf_err err = { 0 };
    enum rf_code rc = parse(body_of(a, row, "m"), a, &c, &err);
    if (row->want[0] == '!') {
        assert_int_equal(rc, RF_EFORMAT);
        assert_string_equal(err.msg, quoted(a, row->want + 1).p);
    } else {
        assert_int_equal(rc, RF_OK);
        struct rf_str text = neutral(&c, a);
        assert_str(text, rf_strf(a, "{\"refract\":1,\"dialect\":\"openai-responses\",%s}",
                                 quoted(a, row->want).p)
                             .p);
        check_readable(text, a);
    }
    rf_arena_free(a);
}

static void check_round_trip(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation c;
    struct rf_model m;
    struct rf_survey survey;
    struct rf_plan plan;
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str out, body = body_of(a, row, "gpt-5");
    assert_int_equal(parse(body, a, &c, NULL), RF_OK);
    assert_int_equal(rf_model_init(&m, RF_STR("openai"), RF_STR("gpt-5"), a, NULL), RF_OK);
    rf_survey_init(&survey, &c, m.caps.dialect, &(struct rf_asset_place){ .root = "" }, a);
    struct rf_plan_options how = { .stream = c.options.stream };
    assert_int_equal(rf_plan_decide(&survey, &m, &how, a, &plan, NULL), RF_OK);
    assert_int_equal(rf_plan_lay_out(&plan, &survey, a, NULL), RF_OK);
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_dialect_openai_responses.encode(&plan, &w);
    assert_int_equal(rf_json_finish(&w, NULL), RF_OK);
    assert_int_equal(rf_rope_flatten(&rope, SIZE_MAX, a, &out, NULL), RF_OK);
    assert_str(out, rf_cstr(a, body));
    rf_arena_free(a);
}

/* Each of these in the place of each value of a body: it is read, or refused with a reason. */
static void any_shape_is_read_or_refused(void **state)
{
    static const char *const shapes[] = {
        "null",
        "7",
        "-1",
        "true",
        "''",
        "'x'",
        "[]",
        "[7,null,'x']",
        "{}",
        "[[{}]]",
        "{'type':'refusal'}",
        "[{'type':'input_file'}]",
        "'data:,'",
    };
    static const char body[] =
        "{'model':'m','instructions':'A','input':[{'role':'system','content':[{'type':"
        "'input_text','text':'B'}]},{'role':'user','content':[{'type':'input_image','image_url':"
        "'data:image/png;base64,iVBO','detail':'low'},{'type':'input_audio','input_audio':"
        "{'data':'SUQz','format':'mp3'}}]},{'type':'reasoning','id':'r','summary':[{'type':"
        "'summary_text','text':'a'}],'encrypted_content':'g'},{'type':'message','role':"
        "'assistant','id':'i','content':[{'type':'output_text','text':'t','annotations':[{'type':"
        "'url_citation','url':'u','start_index':1}]},{'type':'refusal','refusal':'n'}]}," CALL(
            "c", "look",
            "{}") "," RESULT("c",
                             "[{'type':'input_file','file_data':'JVBE'}]") "," CUSTOM
                                                                           "," CUSTOM_OUTPUT
                                                                           ",{'type':'additional_tools','tools':[" CLOCK
                                                                           "]}," SHELL_OUTPUT
                                                                           "],'tools':[" LOOK
                                                                           "],'tool_choice':{'type':'function','name':'look'},"
                                                                           "'max_output_tokens':5,'temperature':1,'reasoning':{'effort':'low'},'stream':true}";
    struct rf_arena *a = rf_arena_new();
    struct rf_str text = quoted(a, body);
    const struct rf_jval *root = read_json(a, text);
    (void)state;
    for (size_t i = 0; i < root->span * COUNT(shapes); i++) {
        const struct rf_jval *v = &root[i / COUNT(shapes)];
        bool is_string = v->type == RF_JSTRING;
        const char *from = v->raw.p - is_string, *to = v->raw.p + v->raw.n + is_string;
        struct rf_conversation c;
        struct rf_err err = { 0 };
        if (*to == ':')
            continue;
        struct rf_str other = rf_strf(a, "%.*s%s%s", (int)(from - text.p), text.p,
                                      quoted(a, shapes[i % COUNT(shapes)]).p, to);
        if (parse(other, a, &c, &err))
            assert_true(err.code == RF_EFORMAT && err.msg[0]);
        else
            check_readable(neutral(&c, a), a);
    }
    rf_arena_free(a);
}

/* What is kept stands deeper than it stood. */
static void deep_values_are_a_limit(void **state)
{
    struct rf_arena *a = rf_arena_new();
    char *text = rf_arena_alloc(a, 2048);
    struct rf_conversation c;
    struct rf_err err = { 0 };
    (void)state;
    for (int depth = 490; depth < 512; depth++) {
        char open[512] = { 0 }, close[512] = { 0 };
        memset(open, '[', (size_t)depth - 1);
        memset(close, ']', (size_t)depth - 1);
        snprintf(text, 2048, "{\"metadata\":%s%s}", open, close);
        enum rf_code rc = parse(rf_str(text), a, &c, &err);
        assert_int_equal(rc, depth <= 504 ? RF_OK : RF_ELIMIT);
        if (!rc)
            neutral(&c, a);
    }
    rf_arena_free(a);
}

int main(void)
{
    static const struct {
        const struct row *rows;
        size_t count;
        CMUnitTestFunction run;
    } tables[] = {
        { system_rows, COUNT(system_rows), check_row },
        { part_rows, COUNT(part_rows), check_row },
        { assistant_rows, COUNT(assistant_rows), check_row },
        { result_rows, COUNT(result_rows), check_row },
        { body_rows, COUNT(body_rows), check_row },
        { failing_rows, COUNT(failing_rows), check_row },
        { round_trips, COUNT(round_trips), check_round_trip },
    };
    struct CMUnitTest tests[COUNT(system_rows) + COUNT(part_rows) + COUNT(assistant_rows) +
                            COUNT(result_rows) + COUNT(body_rows) + COUNT(failing_rows) +
                            COUNT(round_trips) + 2] = {
        cmocka_unit_test(any_shape_is_read_or_refused),
        cmocka_unit_test(deep_values_are_a_limit),
    };
    size_t count = 2;
    for (size_t i = 0; i < COUNT(tables); i++) {
        name_rows(tests + count, tables[i].run, tables[i].rows, tables[i].count,
                  sizeof(struct row));
        count += tables[i].count;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
