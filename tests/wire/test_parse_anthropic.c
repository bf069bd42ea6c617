/* Requests of the Messages API as conversations: block by block, place by place, and back. JSON is
 * written with ' for ". */
#include "testing.h"

#include "request/request.h"
#include "wire/wire.h"

#define BODY(members) "{'model':'m','max_tokens':9," members "}"
#define HI "{'role':'user','content':'hi'}"
#define WITH(members) BODY(members ",'messages':[" HI "]")
#define USER(blocks) BODY("'messages':[{'role':'user','content':[" blocks "]}]")
#define MODEL(blocks) BODY("'messages':[{'role':'assistant','content':[" blocks "]}]")
#define RESULT(members) USER("{'type':'tool_result','tool_use_id':'c'" members "}")

#define SAID_HI "{'role':'user','content':[{'type':'text','text':'hi'}]}"
#define LIMIT "'options':{'max_tokens':9},"
#define HEARD(before, options, after)                                                           \
    "{'refract':1,'dialect':'anthropic'," before "'options':{" options "},'messages':[" SAID_HI \
    "]" after "}"
#define GOT(before, after) HEARD(before, "'max_tokens':9", after)
#define GOT_MESSAGES(messages) \
    "{'refract':1,'dialect':'anthropic'," LIMIT "'messages':[" messages "]}"
#define GOT_USER(blocks) GOT_MESSAGES("{'role':'user','content':[" blocks "]}")
#define ORIGIN "'origin':{'provider':'anthropic','model':'m'}"
#define GOT_MODEL(blocks) GOT_MESSAGES("{'role':'assistant'," ORIGIN ",'content':[" blocks "]}")
#define GOT_RESULT(members) GOT_MESSAGES("{'role':'tool','tool_call_id':'c'" members "}")
#define EXTRA(members) ",'extra':{'anthropic':{" members "}}"
#define FOREIGN(type, members) \
    "{'type':'opaque','dialect':'anthropic','value':{'type':'" type "'" members "}}"
#define HOUR "'cache_control':{'type':'ephemeral','ttl':'1h'}"
#define CACHED "'cache_control':{'type':'ephemeral','ttl':'5m'}"

struct row {
    const char *name; /* the fact it proves */
    const char *body;
    const char *want; /* the conversation; or "!" and the error message */
};

static const struct row places[] = {
    { "a body says no more than it must", "{'messages':[" HI "]}",
      "{'refract':1,'dialect':'anthropic','messages':[" SAID_HI "]}" },
    { "a system prompt that is a string", WITH("'system':'Be \\u0022brief\\u0022.'"),
      GOT("'system':'Be \\'brief\\'.',", "") },
    { "the blocks of a system prompt are joined by blank lines",
      WITH("'system':[{'type':'text','text':'a'},{'type':'text','text':''},"
           "{'type':'text','text':'b','cache_control':null}]"),
      GOT("'system':'a\\n\\nb',", "") },
    { "marks in a system prompt are kept aside, with all of it",
      WITH("'system':[{'type':'text','text':'a'," CACHED "}]"),
      GOT("'system':'a',", EXTRA("'system':[{'type':'text','text':'a'," CACHED "}]")) },
    { "system messages before the others belong to the system prompt",
      BODY("'system':'a','messages':[{'role':'system','content':'b'},"
           "{'role':'system','content':[{'type':'text','text':'c'}]}," HI "]"),
      GOT("'system':'a\\n\\nb\\n\\nc',", "") },
    { "what is not text in one of them is kept aside, with its place",
      BODY("'messages':[{'role':'system','content':[{'type':'text','text':'b'},"
           "{'type':'tool_addition','tool':{}}]}," HI "]"),
      GOT("'system':'b',",
          EXTRA("'system_messages':[{'index':0,'value':{'role':'system','content':[{'type':'text',"
                "'text':'b'},{'type':'tool_addition','tool':{}}]}}]")) },
    { "those among the others are messages in the system's name",
      BODY("'system':'a','messages':[" HI ",{'role':'system','content':'b'},"
           "{'role':'system','content':[{'type':'text','text':'c'},"
           "{'type':'tool_addition','tool':{}}]}]"),
      "{'refract':1,'dialect':'anthropic','system':'a'," LIMIT "'messages':[" SAID_HI
      ",{'role':'user','speaker':'system','content':[{'type':'text','text':'b'}]},"
      "{'role':'user','speaker':'system','content':[{'type':'text','text':'c'}," FOREIGN(
          "tool_addition", ",'tool':{}") "]}]}" },
    { "a null system prompt is none", WITH("'system':null"), GOT("", "") },
    { "content that is a string, and content that is not there",
      BODY("'messages':[{'role':'user','content':'a'},{'role':'assistant'},"
           "{'role':'user','content':[]}]"),
      GOT_MESSAGES("{'role':'user','content':[{'type':'text','text':'a'}]},"
                   "{'role':'assistant'," ORIGIN ",'content':[]},{'role':'user','content':[]}") },
    { "an answer without a model has a provider all the same",
      "{'messages':[{'role':'assistant','content':'a'}]}",
      "{'refract':1,'dialect':'anthropic','messages':[{'role':'assistant','origin':{'provider':'anthropic'},"
      "'content':[{'type':'text','text':'a'}]}]}" },
    { "unknown members of a message are kept",
      BODY("'messages':[{'role':'user','content':'a','name':'Ann'}]"),
      GOT_MESSAGES(
          "{'role':'user','content':[{'type':'text','text':'a'}]" EXTRA("'name':'Ann'") "}") },
    { "unknown members of the body are kept",
      WITH("'metadata':{'user_id':'u'},'container':null," CACHED),
      GOT("", EXTRA("'metadata':{'user_id':'u'}," CACHED)) },
};

static const struct row settings[] = {
    { "options, with numbers as they are spelled",
      BODY("'temperature':0.50,'top_p':1e0,'stop_sequences':['x','y'],'stream':true,"
           "'messages':[" HI "]"),
      HEARD("", "'max_tokens':9,'temperature':0.50,'top_p':1e0,'stop':['x','y'],'stream':true",
            "") },
    { "streaming that is not asked for is not mentioned", WITH("'stream':false"), GOT("", "") },
    { "options that are not what they should be are kept aside",
      "{'max_tokens':0,'temperature':'warm','top_k':4,'stop_sequences':['x',7],'stream':1,"
      "'thinking':{'type':'enabled','budget_tokens':-5},'messages':[" HI "]}",
      "{'refract':1,'dialect':'anthropic','messages':[" SAID_HI
      "]" EXTRA("'max_tokens':0,'temperature':'warm','top_k':4,'stop_sequences':['x',7],'stream':1,"
                "'thinking':{'type':'enabled','budget_tokens':-5}") "}" },
    { "thinking with a budget",
      WITH("'thinking':{'type':'enabled','budget_tokens':2048,'display':'omitted'}"),
      HEARD("",
            "'max_tokens':9,'thinking':{'budget_tokens':2048,'type':'enabled',"
            "'display':'omitted'}",
            "") },
    { "adaptive thinking has no budget", WITH("'thinking':{'type':'adaptive'}"),
      HEARD("", "'max_tokens':9,'thinking':{'type':'adaptive'}", "") },
    { "thinking that is switched off", WITH("'thinking':{'type':'disabled'}"),
      HEARD("", "'max_tokens':9,'thinking':{'off':true}", "") },
    { "an effort is how much to think where the model chooses",
      WITH("'output_config':{'effort':'medium'},'thinking':{'type':'adaptive'}"),
      HEARD("", "'max_tokens':9,'thinking':{'level':'medium','type':'adaptive'}", "") },
    { "the most is high, and stays",
      WITH("'output_config':{'effort':'max'},'thinking':{'type':'adaptive'}"),
      HEARD("", "'max_tokens':9,'thinking':{'level':'high','type':'adaptive'}",
            EXTRA("'output_config':{'effort':'max'}")) },
    { "an effort without thinking is about the answer, and stays",
      WITH("'output_config':{'effort':'low','task_budget':{'total':9}}"),
      GOT("", EXTRA("'output_config':{'effort':'low','task_budget':{'total':9}}")) },
    { "a schema of the answer",
      WITH(
          "'output_config':{'format':{'type':'json_schema','schema':{'type':'object','properties':{}}}}"),
      HEARD("", "'max_tokens':9,'schema':{'type':'object','properties':{}}", "") },
    { "a format that is not a schema stays",
      WITH("'output_config':{'format':{'type':'json_schema','schema':true}}"),
      GOT("", EXTRA("'output_config':{'format':{'type':'json_schema','schema':true}}")) },
    { "tools, with what else is said about them",
      WITH(
          "'tools':[{'name':'f','description':'d','input_schema':{'type':'object','properties':{}},"
          "'strict':true," CACHED "},{'type':'custom','name':'g','description':7}]"),
      GOT("'tools':[{'name':'f','description':'d','input_schema':{'type':'object','properties':{}},'strict':true" EXTRA(
              CACHED) "},{'name':'g'" EXTRA("'description':7") "}],",
          "") },
    { "tools of the server are kept aside, with their places",
      WITH("'tools':[{'name':'f'},{'type':'web_search_20250305','name':'web_search'},7]"),
      GOT("'tools':[{'name':'f'}],",
          EXTRA("'tools':[{'index':1,'value':{'type':'web_search_20250305','name':'web_search'}},"
                "{'index':2,'value':7}]")) },
    { "tools that are not a list are kept aside", WITH("'tools':7"), GOT("", EXTRA("'tools':7")) },
    { "tool choice: auto", WITH("'tool_choice':{'type':'auto'}"),
      GOT("'tool_choice':'auto',", "") },
    { "tool choice: any", WITH("'tool_choice':{'type':'any'}"),
      GOT("'tool_choice':'required',", "") },
    { "tool choice: none", WITH("'tool_choice':{'type':'none'}"),
      GOT("'tool_choice':'none',", "") },
    { "tool choice: one certain tool",
      WITH("'tools':[{'name':'f'}],'tool_choice':{'type':'tool','name':'f'}"),
      GOT("'tools':[{'name':'f'}],'tool_choice':{'name':'f'},", "") },
    { "one call at a time", WITH("'tool_choice':{'type':'auto','disable_parallel_tool_use':true}"),
      HEARD("'tool_choice':'auto',", "'max_tokens':9,'single_call':true", "") },
    { "several calls at a time",
      WITH("'tool_choice':{'type':'any','disable_parallel_tool_use':false}"),
      GOT("'tool_choice':'required',", "") },
    { "the choice of a tool that is kept aside is kept aside too",
      WITH("'tools':[{'type':'t_1','name':'s'}],'tool_choice':{'type':'tool','name':'s'}"),
      GOT("", EXTRA("'tools':[{'index':0,'value':{'type':'t_1','name':'s'}}],"
                    "'tool_choice':{'type':'tool','name':'s'}")) },
    { "an unknown choice is kept aside", WITH("'tool_choice':{'type':'perhaps'}"),
      GOT("", EXTRA("'tool_choice':{'type':'perhaps'}")) },
};

#define FILE_BLOCK(type, source) "{'type':'" type "','source':{" source "}}"
#define TEXT(words, members) "{'type':'text','text':'" words "'" members "}"
#define IMAGE_F FILE_BLOCK("image", "'type':'file','file_id':'f'")
#define MADE_UP(blocks, members) \
    "{'type':'document','source':{'type':'content','content':[" blocks "]}" members "}"

#define CITED                                                        \
    "{'type':'char_location','cited_text':'q','document_title':'t'," \
    "'start_char_index':1,'end_char_index':2}"

static const struct row blocks[] = {
    { "text with a mark", USER("{'type':'text','text':'a'," CACHED "}"),
      GOT_USER("{'type':'text','text':'a'" EXTRA(CACHED) "}") },
    { "an empty text is nothing", USER("{'type':'text','text':''}"), GOT_USER("") },
    { "an image as base64",
      USER(FILE_BLOCK("image", "'type':'base64','media_type':'image/png','data':'aGk='")),
      GOT_USER("{'type':'image','data':'aGk=','media_type':'image/png'}") },
    { "an image by URL", USER(FILE_BLOCK("image", "'type':'url','url':'https://e.com/a.png'")),
      GOT_USER("{'type':'image','url':'https://e.com/a.png'}") },
    { "a data URL is data",
      USER(FILE_BLOCK("image", "'type':'url','url':'data:image/gif;base64,aGk='")),
      GOT_USER("{'type':'image','data':'aGk=','media_type':'image/gif'}") },
    { "an image by file id", USER(FILE_BLOCK("image", "'type':'file','file_id':'file_1'")),
      GOT_USER("{'type':'image','file_id':'file_1','provider':'anthropic'}") },
    { "what else is said about an image is kept",
      USER("{'type':'image','source':{'type':'file','file_id':'f'},'title':'t',"
           "'transformations':{'oversized_image':'error'}}"),
      GOT_USER("{'type':'image','file_id':'f','provider':'anthropic'" EXTRA(
          "'title':'t','transformations':{'oversized_image':'error'}") "}") },
    { "a document as base64, with title, context and mark",
      USER("{'type':'document','source':{'type':'base64','media_type':'application/pdf',"
           "'data':'JVBERg=='},'title':'a.pdf','context':'c','citations':{'enabled':true}," CACHED
           "}"),
      GOT_USER("{'type':'document','data':'JVBERg==','media_type':'application/pdf',"
               "'name':'a.pdf'" EXTRA("'context':'c','citations':{'enabled':true}," CACHED) "}") },
    { "a document by URL", USER(FILE_BLOCK("document", "'type':'url','url':'https://e.com/a.pdf'")),
      GOT_USER("{'type':'document','url':'https://e.com/a.pdf'}") },
    { "a document by file id", USER(FILE_BLOCK("document", "'type':'file','file_id':'f'")),
      GOT_USER("{'type':'document','file_id':'f','provider':'anthropic'}") },
    { "a document of text",
      USER(FILE_BLOCK("document", "'type':'text','media_type':'text/plain','data':'h\\u0069'")),
      GOT_USER("{'type':'document','data':'aGk=','media_type':'text/plain'}") },
    { "a document whose content is a string",
      USER("{'type':'document','source':{'type':'content','content':'hi'},'title':'t'}"),
      GOT_USER("{'type':'document','data':'aGk=','media_type':'text/plain','name':'t'}") },
    { "a document made of blocks is the blocks after its title",
      USER(MADE_UP(TEXT("a", "") "," IMAGE_F, ",'title':'t','context':'c'")),
      GOT_USER(
          TEXT("t", "") "," TEXT("a", "") ",{'type':'image','file_id':'f',"
                                          "'provider':'anthropic'" EXTRA(
                                              "'type':'document','title':'t','context':'c'") "}") },
    { "and what is said about it stays with the last that has nothing to keep",
      USER(MADE_UP(TEXT("a", "," CACHED) "," TEXT("b", "") "," IMAGE_F, ",'context':'c'")),
      GOT_USER(TEXT("a", EXTRA(CACHED)) "," TEXT(
          "b", "") ",{'type':'image','file_id':'f',"
                   "'provider':'anthropic'" EXTRA("'type':'document','context':'c'") "}") },
    { "a document made of texts is one, and kept beside that",
      USER(MADE_UP(TEXT("a", "") "," TEXT("b", ""), ",'title':'t'")),
      GOT_USER(
          TEXT("t\\na\\nb", EXTRA("'type':'document','source':{'type':'content','content':[" TEXT(
                                "a", "") "," TEXT("b", "") "]},'title':'t'"))) },
    { "a document made of nothing is kept as it came", USER(MADE_UP("", "")),
      GOT_USER(FOREIGN("document", ",'source':{'type':'content','content':[]}")) },
    { "a document of no words is kept as it came",
      USER(FILE_BLOCK("document", "'type':'text','data':''")),
      GOT_USER(FOREIGN("document", ",'source':{'type':'text','data':''}")) },
    { "a file of no bytes is a file",
      USER(FILE_BLOCK("document", "'type':'base64','media_type':'application/pdf','data':''")),
      GOT_USER("{'type':'document','url':'data:;base64,','media_type':'application/pdf'}") },
    { "a search result is text, and kept beside that",
      USER("{'type':'search_result','source':'https://e.com','title':'t','content':"
           "[{'type':'text','text':'a'},{'type':'text','text':'b'}]}"),
      GOT_USER("{'type':'text','text':'t\\nhttps://e.com\\na\\nb'" EXTRA(
          "'type':'search_result','source':'https://e.com','title':'t','content':"
          "[{'type':'text','text':'a'},{'type':'text','text':'b'}]") "}") },
    { "a search result without words", USER("{'type':'search_result'}"),
      GOT_USER(FOREIGN("search_result", "")) },
    { "what only this API knows is opaque from a user too",
      USER("{'type':'container_upload','file_id':'f'},{'type':'thinking','thinking':'t'}"),
      GOT_USER(FOREIGN("container_upload", ",'file_id':'f'") "," FOREIGN("thinking",
                                                                         ",'thinking':'t'")) },
    { "thoughts: signed, without text, redacted",
      MODEL("{'type':'thinking','thinking':'hm','signature':'s'},"
            "{'type':'thinking','thinking':'','signature':'s'},"
            "{'type':'redacted_thinking','data':'eA=='}"),
      GOT_MODEL("{'type':'thinking','thinking':'hm','signature':'s'},"
                "{'type':'thinking','signature':'s'},{'type':'thinking','redacted':'eA=='}") },
    { "citations in the format's own words, and as they came",
      MODEL("{'type':'text','text':'a','citations':[" CITED "]}"),
      GOT_MODEL(
          "{'type':'text','text':'a','citations':["
          "{'title':'t','start':1,'end':2,'text':'q'}]" EXTRA("'citations':[" CITED "]") "}") },
    { "calls",
      MODEL("{'type':'tool_use','id':'c','name':'f','input':{'a':1.0},'caller':{'type':'direct'}},"
            "{'type':'tool_use','id':'d','name':'g'}"),
      GOT_MODEL("{'type':'tool_call','id':'c','name':'f','arguments':{'a':1.0}" EXTRA(
          "'caller':{'type':'direct'}") "},{'type':'tool_call','id':'d','name':'g'}") },
    { "the input of a call may be a string that holds an object",
      MODEL("{'type':'tool_use','id':'c','name':'f','input':'{\\u0022a\\u0022:1}'}"),
      GOT_MODEL("{'type':'tool_call','id':'c','name':'f','arguments':{'a':1}}") },
    { "input that is not an object is kept in words",
      MODEL("{'type':'tool_use','id':'c','name':'f','input':[1, 2]}"),
      GOT_MODEL("{'type':'tool_call','id':'c','name':'f','malformed_arguments':'[1,2]'}") },
    { "other blocks of an answer are opaque",
      MODEL("{'type':'server_tool_use','id':'s','name':'web_search','input':{}},"
            "{'type':'search_result'},{'type':'tool_result'}"),
      GOT_MODEL("{'type':'opaque','dialect':'anthropic','value':"
                "{'type':'server_tool_use','id':'s','name':'web_search','input':{}}},"
                "{'type':'opaque','dialect':'anthropic','value':{'type':'search_result'}},"
                "{'type':'opaque','dialect':'anthropic','value':{'type':'tool_result'}}") },
};

static const struct row results[] = {
    { "a result that is a string", RESULT(",'content':'o'"), GOT_RESULT(",'output':'o'") },
    { "a result without content", RESULT(""), GOT_RESULT("") },
    { "a result of an empty list", RESULT(",'content':[]"), GOT_RESULT("") },
    { "a result that failed", RESULT(",'content':'no','is_error':true," CACHED),
      GOT_RESULT(",'success':false,'output':'no'" EXTRA(CACHED)) },
    { "a result that did not fail", RESULT(",'content':'o','is_error':false"),
      GOT_RESULT(",'output':'o'") },
    { "a list: the first text is the output, the rest are blocks",
      RESULT(",'content':[{'type':'text','text':'a'},{'type':'text','text':'b'}," IMAGE_F ","
             "{'type':'tool_reference','tool_name':'f'}]"),
      GOT_RESULT(",'output':'a','content_blocks':[{'type':'text','text':'b'},"
                 "{'type':'image','file_id':'f','provider':'anthropic'}," FOREIGN(
                     "tool_reference", ",'tool_name':'f'") "]") },
    { "a list that begins with a file", RESULT(",'content':[" IMAGE_F "," TEXT("a", "") "]"),
      GOT_RESULT(",'content_blocks':[{'type':'image','file_id':'f','provider':'anthropic'},"
                 "{'type':'text','text':'a'}]") },
    { "a first text with a mark stays a block",
      RESULT(",'content':[{'type':'text','text':'a'," CACHED "}]"),
      GOT_RESULT(",'content_blocks':[{'type':'text','text':'a'" EXTRA(CACHED) "}]") },
    { "content that is neither is data", RESULT(",'content':{'a':1}"),
      GOT_RESULT(",'data':{'a':1}") },
    { "results come first, and know the names of their calls",
      BODY("'messages':[{'role':'assistant','content':[{'type':'tool_use','id':'c','name':'f'},"
           "{'type':'tool_use','id':'d','name':'g'}]},{'role':'user','content':["
           "{'type':'text','text':'a'},{'type':'tool_result','tool_use_id':'d','content':'2'},"
           "{'type':'text','text':'b'},{'type':'tool_result','tool_use_id':'c','content':'1'}]}]"),
      GOT_MESSAGES("{'role':'assistant'," ORIGIN ",'content':[{'type':'tool_call','id':'c',"
                   "'name':'f'},{'type':'tool_call','id':'d','name':'g'}]},"
                   "{'role':'tool','tool_call_id':'d','name':'g','output':'2'},"
                   "{'role':'tool','tool_call_id':'c','name':'f','output':'1'},"
                   "{'role':'user','content':[{'type':'text','text':'a'},"
                   "{'type':'text','text':'b'}]}") },
    { "an id that is used again means the last call",
      BODY(
          "'messages':[{'role':'assistant','content':[{'type':'tool_use','id':'c','name':'f'}]}," HI
          ",{'role':'assistant','content':[{'type':'tool_use','id':'c','name':'g'}]},"
          "{'role':'user','content':[{'type':'tool_result','tool_use_id':'c'}]}]"),
      GOT_MESSAGES("{'role':'assistant'," ORIGIN ",'content':[{'type':'tool_call','id':'c',"
                   "'name':'f'}]}," SAID_HI ",{'role':'assistant'," ORIGIN
                   ",'content':[{'type':'tool_call','id':'c','name':'g'}]},"
                   "{'role':'tool','tool_call_id':'c','name':'g'}") },
    { "answers in a row are one, and so are their results",
      BODY("'messages':[{'role':'assistant','content':[{'type':'tool_use','id':'c','name':'f'}]},"
           "{'role':'assistant','content':'a'},"
           "{'role':'assistant','content':[{'type':'tool_use','id':'d','name':'g'}]},"
           "{'role':'user','content':[{'type':'tool_result','tool_use_id':'c'}]},"
           "{'role':'user','content':[{'type':'tool_result','tool_use_id':'d'}]}]"),
      GOT_MESSAGES("{'role':'assistant'," ORIGIN ",'content':[{'type':'tool_call','id':'c',"
                   "'name':'f'},{'type':'text','text':'a'},{'type':'tool_call','id':'d',"
                   "'name':'g'}]},{'role':'tool','tool_call_id':'c','name':'f'},"
                   "{'role':'tool','tool_call_id':'d','name':'g'}") },
    { "answers that a system message parts are two",
      BODY("'messages':[{'role':'assistant','content':'a'},{'role':'system','content':'s'},"
           "{'role':'assistant','content':'b'}]"),
      GOT_MESSAGES("{'role':'assistant'," ORIGIN ",'content':[" TEXT(
          "a", "") "]},"
                   "{'role':'user','speaker':'system','content':[" TEXT(
                       "s", "") "]},"
                                "{'role':'assistant'," ORIGIN ",'content':[" TEXT("b", "") "]}") },
};

static const struct row failures[] = {
    { "no object", "[]", "!expected an object, found an array" },
    { "no messages", "{}", "!messages: the field is missing" },
    { "messages that are not a list", "{'messages':{}}",
      "!messages: expected an array, found an object" },
    { "a message that is not an object", "{'messages':[7]}",
      "!messages[0]: expected an object, found a number" },
    { "a message without a role", "{'messages':[{}]}", "!messages[0].role: the field is missing" },
    { "an unknown role", BODY("'messages':[" HI ",{'role':'tool','content':'a'}]"),
      "!messages[1].role: unknown role \"tool\"" },
    { "content of a wrong type", BODY("'messages':[{'role':'user','content':7}]"),
      "!messages[0].content: expected a string or an array, found a number" },
    { "a system prompt of a wrong type", WITH("'system':7"),
      "!system: expected a string or an array, found a number" },
    { "a system message of a wrong type", BODY("'messages':[{'role':'system','content':[7]}]"),
      "!messages[0].content[0]: expected an object, found a number" },
    { "a block that is not an object", USER("'hi'"),
      "!messages[0].content[0]: expected an object, found a string" },
    { "a block without a type", MODEL("{}"), "!messages[0].content[0].type: the field is missing" },
    { "a text that is none", USER("{'type':'text','text':7}"),
      "!messages[0].content[0].text: expected a string, found a number" },
    { "a file without a source", USER("{'type':'image'}"),
      "!messages[0].content[0].source: the field is missing" },
    { "a source without a type", USER(FILE_BLOCK("image", "")),
      "!messages[0].content[0].source.type: the field is missing" },
    { "an unknown source", USER(FILE_BLOCK("image", "'type':'path'")),
      "!messages[0].content[0].source.type: unknown source \"path\"" },
    { "a source without its bytes", USER(FILE_BLOCK("image", "'type':'base64'")),
      "!messages[0].content[0].source.data: the field is missing" },
    { "a call without an id", MODEL("{'type':'tool_use','name':'f'}"),
      "!messages[0].content[0].id: the field is missing" },
    { "a result without an id", USER("{'type':'tool_result','content':'o'}"),
      "!messages[0].content[0].tool_use_id: the field is missing" },
    { "a result with an empty id",
      USER("{'type':'text','text':'a'},"
           "{'type':'tool_result','tool_use_id':''}"),
      "!messages[0].content[1].tool_use_id: the id is empty" },
    { "a wrong source deep inside",
      RESULT(",'content':[{'type':'text','text':'a'}," MADE_UP(
          "{'type':'text','text':'b'}," FILE_BLOCK("image", "'type':'x'"), "") "]"),
      "!messages[0].content[0].content[1].source.content[1].source.type: unknown source \"x\"" },
};

/* Parsed and written as a conversation. What was written can be read, and is written the same. */
static struct rf_str parsed(struct rf_arena *a, struct rf_str body, struct rf_conversation *c)
{
    const struct rf_jval *v;
    struct rf_builder b;
    struct rf_err err;
    struct rf_str json[2];
    struct rf_conversation again;
    assert_int_equal(rf_jval_parse(body, a, &v, NULL), RF_OK);
    rf_builder_init(&b, c, a, "anthropic");
    enum rf_code rc = rf_dialect_anthropic.parse(v, &b, &err);
    if (rc) {
        assert_true(rc == RF_EFORMAT || rc == RF_ELIMIT);
        return rf_strf(a, "!%s", err.msg);
    }
    for (size_t i = 0; i < 2; i++) {
        struct rf_rope rope;
        struct rf_json w;
        rf_rope_init(&rope, a);
        rf_json_init(&w, &rope);
        rf_content_write(i ? &again : c, &w);
        assert_int_equal(rf_json_finish(&w, NULL), RF_OK);
        assert_int_equal(rf_rope_flatten(&rope, SIZE_MAX, a, &json[i], NULL), RF_OK);
        if (!i && rf_content_read(json[0], a, &again, &err))
            fail_msg("%s: %.*s", err.msg, RF_FMT(json[0]));
    }
    assert_str(json[1], rf_cstr(a, json[0]));
    return json[0];
}

static void check_parse(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation c;
    struct rf_str got = parsed(a, quoted(a, row->body), &c);
    /* \' in a table is a quote inside of a string */
    assert_str(got, row->want[0] == '!' ? row->want : quoted(a, row->want).p);
    rf_arena_free(a);
}

/* And back, for the endpoint that it was written for. */

#define SONNET(members) "{'model':'claude-sonnet-4-5','max_tokens':4096," members "}"
#define LOOK \
    "'tools':[{'name':'look','description':'d','input_schema':{'type':'object','properties':{}}}]"
#define PNG                                                                            \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA" \
    "AABJRU5ErkJggg=="
#define PICTURE \
    "{'type':'image','source':{'type':'base64','media_type':'image/png','data':'" PNG "'}}"

#define BASH "{'type':'bash_20250124','name':'bash'}"
#define USED_BASH                                                                             \
    "{'role':'assistant','content':[{'type':'tool_use','id':'c1','name':'bash','input':"      \
    "{'command':'ls'}}]},{'role':'user','content':[{'type':'tool_result','tool_use_id':'c1'," \
    "'content':[{'type':'text','text':'a b'}]}]}"

static const struct row round_trips[] = {
    { "a conversation with everything comes back as it was",
      SONNET("'system':'Be brief.','messages':["
             "{'role':'user','content':[{'type':'text','text':'Look.'}," PICTURE
             ",{'type':'document','source':{'type':'text','media_type':'text/plain','data':'some "
             "words'},'title':'n.txt'},"
             "{'type':'document','source':{'type':'file','file_id':'file_1'},'title':'a.pdf'},"
             "{'type':'image','source':{'type':'url','url':'https://e.com/a.png'}}]},"
             "{'role':'assistant','content':["
             "{'type':'thinking','thinking':'hm','signature':'c2ln'},"
             "{'type':'redacted_thinking','data':'eA=='},"
             "{'type':'text','text':'I look.'},"
             "{'type':'server_tool_use','id':'s1','name':'web_search','input':{'query':'q'}},"
             "{'type':'tool_use','id':'c1','name':'look','input':{'path':'a'}},"
             "{'type':'tool_use','id':'c2','name':'look','input':{}}]},"
             "{'role':'user','content':["
             "{'type':'tool_result','tool_use_id':'c1','content':["
             "{'type':'text','text':'seen'}," PICTURE "]},"
             "{'type':'tool_result','tool_use_id':'c2','content':[{'type':'text','text':'gone'}],"
             "'is_error':true},{'type':'text','text':'And?'}]}]," LOOK
             ",'tool_choice':{'type':'auto'},"
             "'thinking':{'type':'enabled','budget_tokens':2048},"
             "'stop_sequences':['END'],'stream':true"),
      NULL },
    { "a system prompt in blocks, with their marks",
      SONNET("'system':[{'type':'text','text':'a'," CACHED "},{'type':'text','text':'b',"
             "'cache_control':{'type':'ephemeral'}}],"
             "'messages':[{'role':'user','content':[{'type':'text','text':'hi'}]}]"),
      NULL },
    { "marks on the blocks that have them, for as long as they say",
      SONNET("'messages':[{'role':'user','content':["
             "{'type':'text','text':'a'," HOUR "},{'type':'text','text':'b'},"
             "{'type':'image','source':{'type':'url','url':'https://e.com/a.png'}," HOUR "}]},"
             "{'role':'assistant','content':[{'type':'text','text':'c'},"
             "{'type':'tool_use','id':'c1','name':'look','input':{}," CACHED "}]},"
             "{'role':'user','content':[{'type':'tool_result','tool_use_id':'c1','content':["
             "{'type':'text','text':'seen'}]," CACHED "},{'type':'text','text':'d'}]}]," LOOK),
      NULL },
    { "marks of tools, and one inside of a result, which is the result's then",
      SONNET(
          "'messages':[{'role':'user','content':[{'type':'text','text':'a'}]},"
          "{'role':'assistant','content':["
          "{'type':'tool_use','id':'c1','name':'look','input':{}}]},"
          "{'role':'user','content':[{'type':'tool_result','tool_use_id':'c1','content':["
          "{'type':'text','text':'seen'},{'type':'text','text':'b'," HOUR "},"
          "{'type':'text','text':'c'}]}]}],'tools':["
          "{'name':'look','input_schema':{'type':'object','properties':{}}," HOUR "},"
          "{'name':'hear','input_schema':{'type':'object','properties':{}},'defer_loading':true}]"),
      SONNET(
          "'messages':[{'role':'user','content':[{'type':'text','text':'a'}]},"
          "{'role':'assistant','content':["
          "{'type':'tool_use','id':'c1','name':'look','input':{}}]},"
          "{'role':'user','content':[{'type':'tool_result','tool_use_id':'c1','content':["
          "{'type':'text','text':'seen'},{'type':'text','text':'b'},"
          "{'type':'text','text':'c'}]," HOUR "}]}],'tools':["
          "{'name':'look','input_schema':{'type':'object','properties':{}}," HOUR "},"
          "{'name':'hear','input_schema':{'type':'object','properties':{}},'defer_loading':true}]") },
    { "no more marks than four, the last ones",
      SONNET("'messages':[{'role':'user','content':[{'type':'text','text':'a'," HOUR "},"
             "{'type':'text','text':'b'," HOUR "},{'type':'text','text':'c'," HOUR "},"
             "{'type':'text','text':'d'," CACHED "},{'type':'text','text':'e'," CACHED "}]}]"),
      SONNET("'messages':[{'role':'user','content':[{'type':'text','text':'a'},"
             "{'type':'text','text':'b'," HOUR "},{'type':'text','text':'c'," HOUR "},"
             "{'type':'text','text':'d'," CACHED "},{'type':'text','text':'e'," CACHED "}]}]") },
    { "citations of an answer, who called, and what nobody knows yet",
      SONNET("'messages':[{'role':'user','content':[{'type':'text','text':'a','mood':'good'}],"
             "'weight':2},{'role':'assistant','content':["
             "{'type':'text','text':'b','citations':[{'type':'char_location','cited_text':'x',"
             "'document_index':0,'document_title':null,'start_char_index':0,'end_char_index':1}]},"
             "{'type':'tool_use','id':'c1','name':'look','input':{},'caller':{'type':'direct'}}]},"
             "{'role':'user','content':[{'type':'tool_result','tool_use_id':'c1','content':["
             "{'type':'text','text':'seen'}],'future':1}]}]," LOOK),
      NULL },
    { "how thoughts are shown",
      SONNET("'messages':[{'role':'user','content':[{'type':'text','text':'hi'}]}],"
             "'thinking':{'type':'enabled','budget_tokens':2048,'display':'summarized'}"),
      NULL },
    { "a document made of texts is one again",
      SONNET("'messages':[{'role':'user','content':["
             "{'type':'document','source':{'type':'content','content':[" TEXT("a", "") "," TEXT(
                 "b", "") "]},'title':'t','citations':{'enabled':true}," CACHED "}]}]"),
      NULL },
    { "a search result is one again",
      SONNET(
          "'messages':[{'role':'user','content':[{'type':'search_result','source':'s',"
          "'title':'t','content':[{'type':'text','text':'x'}],'citations':{'enabled':true}," CACHED
          "}]}]"),
      NULL },
    { "one certain tool, and numbers as they are spelled",
      SONNET("'messages':[{'role':'user','content':[{'type':'text','text':'hi'}]}]," LOOK
             ",'tool_choice':{'type':'tool','name':'look'},'temperature':0.50"),
      NULL },
    { "a client tool of this API that was called is declared once",
      SONNET("'messages':[{'role':'user','content':[{'type':'text','text':'ls'}]}," USED_BASH
             "],'tools':[" BASH "],'tool_choice':{'type':'tool','name':'bash'}"),
      NULL },
    { "tools that this API has a type for may all be asked for",
      SONNET("'messages':[{'role':'user','content':[{'type':'text','text':'ls'}]}," USED_BASH
             "],'tools':[" BASH ",{'type':'memory_20250818','name':'memory'}],"
             "'tool_choice':{'type':'any'}"),
      NULL },
    { "a tool that was called and is declared no more stands after those that are",
      SONNET("'messages':[{'role':'user','content':[{'type':'text','text':'ls'}]}," USED_BASH
             "],'tools':[{'type':'memory_20250818','name':'memory'}]"),
      SONNET("'messages':[{'role':'user','content':[{'type':'text','text':'ls'}]}," USED_BASH
             "],'tools':[{'type':'memory_20250818','name':'memory'},"
             "{'name':'bash','input_schema':{'type':'object','properties':{}}}]") },
    { "an answer first, a system message among the others, and blocks of this API alone",
      SONNET("'messages':[{'role':'assistant','content':[{'type':'text','text':'a'}]},"
             "{'role':'user','content':[{'type':'container_upload','file_id':'f'}]},"
             "{'role':'system','content':[{'type':'text','text':'s'},"
             "{'type':'tool_addition','tool':{}}]},"
             "{'role':'assistant','content':[{'type':'tool_use','id':'c1','name':'look',"
             "'input':{}}]},{'role':'user','content':[{'type':'tool_result','tool_use_id':'c1',"
             "'content':[{'type':'tool_reference','tool_name':'f'}]}]}]," LOOK),
      NULL },
    { "fields of this API alone",
      SONNET(
          "'messages':[{'role':'user','content':[{'type':'document','source':{'type':'file',"
          "'file_id':'f'},'title':'t','context':'c','citations':{'enabled':true}}]}],"
          "'tools':[{'name':'look','input_schema':{'type':'object','properties':{}},'defer_loading':true},"
          "{'type':'web_search_20250305','name':'web_search'}],"
          "'metadata':{'user_id':'u'},'top_k':4,'container':'c',"
          "'tool_choice':{'type':'tool','name':'web_search'}"),
      NULL },
    { "a tool's own members, where nothing else is kept",
      SONNET(
          "'messages':[{'role':'user','content':[{'type':'text','text':'hi'}]}],"
          "'tools':[{'name':'look','input_schema':{'type':'object','properties':{}},'defer_loading':true}]"),
      NULL },
    { "tools of the server alone",
      SONNET("'messages':[{'role':'user','content':[{'type':'text','text':'hi'}]}],"
             "'tools':[{'type':'web_search_20250305','name':'web_search'}]"),
      NULL },
    { "tools in their order, whoever runs them",
      SONNET("'messages':[{'role':'user','content':[{'type':'text','text':'hi'}]}],'tools':["
             "{'type':'web_search_20250305','name':'web_search'},"
             "{'name':'look','input_schema':{'type':'object','properties':{}}},"
             "{'type':'bash_20250124','name':'bash'},{'type':'memory_20250818','name':'memory'},"
             "{'name':'hear','input_schema':{'type':'object','properties':{}}},"
             "{'type':'web_fetch_20250910','name':'web_fetch'}]"),
      NULL },
    { "no member stands there twice",
      "{'model':7,'max_tokens':'x','stream':'y','temperature':'warm','messages':[" HI "]}",
      "{'model':'claude-sonnet-4-5','max_tokens':64000,'messages':[{'role':'user','content':["
      "{'type':'text','text':'hi'}]}],'temperature':'warm'}" },
    { "strings become lists, and a result is never empty",
      SONNET("'messages':[" HI ",{'role':'assistant','content':[{'type':'tool_use','id':'c1',"
             "'name':'look','input':{}}]},{'role':'user','content':["
             "{'type':'tool_result','tool_use_id':'c1'}]}]," LOOK),
      SONNET("'messages':[{'role':'user','content':[{'type':'text','text':'hi'}]},"
             "{'role':'assistant','content':[{'type':'tool_use','id':'c1','name':'look',"
             "'input':{}}]},{'role':'user','content':[{'type':'tool_result','tool_use_id':'c1',"
             "'content':[{'type':'text','text':'(no output)'}]}]}]," LOOK) },
};

static void check_round_trip(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation read, c;
    struct rf_model m;
    struct rf_request *request;
    struct rf_str body;
    struct rf_str document = parsed(a, quoted(a, row->body), &read);
    assert_int_equal(rf_content_read(document, a, &c, NULL), RF_OK);
    assert_int_equal(rf_model_init(&m, RF_STR("anthropic"), RF_STR("claude-sonnet-4-5"), a, NULL),
                     RF_OK);
    struct rf_request_options *options = rf_request_options_new();
    if (c.options.stream)
        rf_request_options_stream(options);
    assert_int_equal(rf_request_build(&c, &m, options, &request, NULL), RF_OK);
    assert_int_equal(rf_rope_flatten(&request->body, SIZE_MAX, a, &body, NULL), RF_OK);
    assert_str(body, quoted(a, row->want ? row->want : row->body).p);
    rf_request_options_free(options);
    rf_request_free(request);
    rf_arena_free(a);
}

static const struct {
    const struct row *rows;
    size_t count;
    CMUnitTestFunction check;
} tables[] = {
    { places, COUNT(places), check_parse },
    { settings, COUNT(settings), check_parse },
    { blocks, COUNT(blocks), check_parse },
    { results, COUNT(results), check_parse },
    { failures, COUNT(failures), check_parse },
    { round_trips, COUNT(round_trips), check_round_trip },
};

/* Whatever stands in the place of a value: it is refused or understood, and what is understood can
 * be read again. */
static void try_shapes(const char *body)
{
    static const char *const shapes[] = {
        "null",
        "7",
        "-1",
        "true",
        "'x'",
        "''",
        "[]",
        "[7,null,'x']",
        "{}",
        "[[{}]]",
        "{'type':'text'}",
        "[{'type':'text','text':'t'}]",
        "[{'type':'tool_result'}]",
    };
    struct rf_arena *keeps = rf_arena_new();
    struct rf_str text = quoted(keeps, body);
    const struct rf_jval *root;
    assert_int_equal(rf_jval_parse(text, keeps, &root, NULL), RF_OK);
    for (size_t i = 0; i < root->span * COUNT(shapes); i++) {
        const struct rf_jval *v = &root[i / COUNT(shapes)];
        size_t quote = v->type == RF_JSTRING;
        const char *from = v->raw.p - quote, *to = v->raw.p + v->raw.n + quote;
        struct rf_conversation c;
        if (*to == ':')
            continue;
        struct rf_arena *a = rf_arena_new();
        const char *shape = quoted(a, shapes[i % COUNT(shapes)]).p;
        parsed(a, rf_strf(a, "%.*s%s%s", (int)(from - text.p), text.p, shape, to), &c);
        rf_arena_free(a);
    }
    rf_arena_free(keeps);
}

static void check_shapes(void **state)
{
    (void)state;
    for (size_t t = 0; t < COUNT(tables); t++)
        for (size_t i = 0; i < tables[t].count; i++)
            try_shapes(tables[t].rows[i].body);
}

/* Too deep to be kept aside is refused, and nothing breaks. */
static void check_depth(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation c;
    char deep[2 * 511 + 1];
    (void)state;
    memset(deep, '[', 511);
    memset(deep + 511, ']', 511);
    deep[2 * 511] = '\0';
    assert_str(parsed(a, rf_strf(a, "{\"messages\":[],\"x\":%s}", deep), &c),
               "!the request is nested more than 504 deep");
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(places) + COUNT(settings) + COUNT(blocks) + COUNT(results) +
                            COUNT(failures) + COUNT(round_trips) + 2];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(tables); n += tables[i].count, i++)
        name_rows(tests + n, tables[i].check, tables[i].rows, tables[i].count, sizeof(struct row));
    tests[n++] = (struct CMUnitTest){ "any shape of any value", check_shapes, NULL, NULL, NULL };
    tests[n++] = (struct CMUnitTest){ "a body that is too deep", check_depth, NULL, NULL, NULL };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
