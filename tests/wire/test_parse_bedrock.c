/* Requests for the Converse API, read: as conversations, and as requests again. */
#include "parsing.h"

#define EXTRA(members) "'extra':{'bedrock':{" members "}}"
#define SAID "{'role':'user','content':["
#define ANSWERED "{'role':'assistant','origin':{'provider':'bedrock'},'content':["
#define OPAQUE(value) "{'type':'opaque','dialect':'bedrock','value':" value "}"
#define CACHE "{'cachePoint':{'type':'default'}}"
#define USE "{'toolUse':{'toolUseId':'c1','name':'look','input':{'a':1}}}"
#define CALL "{'type':'tool_call','id':'c1','name':'look','arguments':{'a':1}}"

/* A body of nothing but the messages, and what they become. */
#define MESSAGES(row_name, in, out)                               \
    {                                                             \
        row_name, "{'messages':[" in "]}", "'messages':[" out "]" \
    }
#define USER(row_name, in, out) \
    MESSAGES(row_name, "{'role':'user','content':[" in "]}", SAID out "]}")
#define ANSWER(row_name, in, out) \
    MESSAGES(row_name, "{'role':'assistant','content':[" in "]}", ANSWERED out "]}")
/* A result of the call c1, and the tool message's members after the id. */
#define RESULT(row_name, in, out)                                                              \
    MESSAGES(row_name, "{'role':'user','content':[{'toolResult':{'toolUseId':'c1'," in "}}]}", \
             "{'role':'tool','tool_call_id':'c1'" out "}")
#define FORMAT(member, format, type, mime)                                                      \
    USER(member " " format, "{'" member "':{'format':'" format "','source':{'bytes':'YWJj'}}}", \
         "{'type':'" type "','data':'YWJj','media_type':'" mime "'}")
/* Members beside an empty list of messages. */
#define BODY(row_name, in, out)                 \
    {                                           \
        row_name, "{" in ",'messages':[]}", out \
    }
#define FAILS(row_name, body, message) \
    {                                  \
        row_name, body, "!" message    \
    }

static const struct parse_row rows[] = {
    USER("a text", "{'text':'hi'}", "{'type':'text','text':'hi'}"),
    MESSAGES("content that is a string", "{'role':'user','content':'hi'}",
             SAID "{'type':'text','text':'hi'}]}"),
    MESSAGES("a message without content", "{'role':'user'}", SAID "]}"),
    MESSAGES("members of a message that nobody knows",
             "{'role':'user','content':[{'text':'hi'}],'mood':'good'}",
             SAID "{'type':'text','text':'hi'}]," EXTRA("'mood':'good'") "}"),
    MESSAGES("a cache mark stays with its message, and its place",
             "{'role':'user','content':[{'text':'hi'}," CACHE ",{'text':'ho'}]}",
             SAID "{'type':'text','text':'hi'},{'type':'text','text':'ho'}]," EXTRA(
                 "'content':[{'index':1,'value':" CACHE "}]") "}"),
    USER("an image from S3, and whose bucket it is in",
         "{'image':{'format':'png','source':{'s3Location':{'uri':'s3://b/a.png',"
         "'bucketOwner':'7'}}}}",
         "{'type':'image','url':'s3://b/a.png','media_type':'image/png'," EXTRA(
             "'bucketOwner':'7'") "}"),
    USER("a document with its name, and how it is to be used",
         "{'document':{'format':'pdf','name':'report','source':{'bytes':'YWJj'},"
         "'context':'old','citations':{'enabled':true}}}",
         "{'type':'document','data':'YWJj','media_type':'application/pdf','name':'report'," EXTRA(
             "'context':'old','citations':{'enabled':true}") "}"),
    USER("a document of words is a text file", "{'document':{'name':'n','source':{'text':'abc'}}}",
         "{'type':'document','data':'YWJj','media_type':'text/plain','name':'n'}"),
    USER("a document of pieces is their text",
         "{'document':{'format':'md','name':'n','source':{'content':[{'text':'a'},{'text':'b'}]}}}",
         "{'type':'document','data':'YQoKYg==','media_type':'text/markdown','name':'n'}"),
    FORMAT("image", "jpeg", "image", "image/jpeg"),
    FORMAT("image", "gif", "image", "image/gif"),
    FORMAT("image", "webp", "image", "image/webp"),
    FORMAT("document", "csv", "document", "text/csv"),
    FORMAT("document", "doc", "document", "application/msword"),
    FORMAT("document", "xls", "document", "application/vnd.ms-excel"),
    FORMAT("document", "html", "document", "text/html"),
    FORMAT("document", "txt", "document", "text/plain"),
    FORMAT("video", "mp4", "video", "video/mp4"),
    FORMAT("video", "three_gp", "video", "video/3gpp"),
    FORMAT("video", "mpg", "video", "video/mpeg"),
    FORMAT("video", "webm", "video", "video/webm"),
    FORMAT("audio", "webm", "audio", "audio/webm"),
    FORMAT("audio", "mp3", "audio", "audio/mpeg"),
    FORMAT("audio", "mp4", "audio", "audio/mp4"),
    FORMAT("audio", "mkv", "audio", "audio/x-matroska"),
    FORMAT("audio", "x-aac", "audio", "audio/aac"),
    USER("a format that nobody knows", "{'image':{'format':'xyz','source':{'bytes':'YWJj'}}}",
         "{'type':'image','data':'YWJj'," EXTRA("'format':'xyz'") "}"),
    USER("a file without a source is not a file",
         "{'image':{'format':'png','source':{'bytes':''}}}",
         OPAQUE("{'image':{'format':'png','source':{'bytes':''}}}")),
    USER("a guarded text", "{'guardContent':{'text':{'text':'hi','qualifiers':['query']}}}",
         "{'type':'text','text':'hi'," EXTRA("'guardContent':{'qualifiers':['query']}") "}"),
    USER("a guarded image", "{'guardContent':{'image':{'format':'png','source':{'bytes':'YWJj'}}}}",
         "{'type':'image','data':'YWJj','media_type':'image/png'}"),
    USER("what a user says in a way of this API alone is opaque", "{'searchResult':{'title':'t'}}",
         OPAQUE("{'searchResult':{'title':'t'}}")),

    ANSWER("an answer comes from here", "{'text':'hi'}", "{'type':'text','text':'hi'}"),
    { "an answer's model, where the body names one",
      "{'modelId':'m','messages':[{'role':'assistant','content':[{'text':'hi'}]}]}",
      "'messages':[{'role':'assistant','origin':{'provider':'bedrock','model':'m'},'content':["
      "{'type':'text','text':'hi'}]}]," EXTRA("'modelId':'m'") },
    ANSWER("a thought", "{'reasoningContent':{'reasoningText':{'text':'hm','signature':'c2ln'}}}",
           "{'type':'thinking','thinking':'hm','signature':'c2ln'}"),
    ANSWER("a thought that was hidden", "{'reasoningContent':{'redactedContent':'b3A='}}",
           "{'type':'thinking','redacted':'b3A='}"),
    ANSWER("a call", USE, CALL),
    ANSWER("a call of the type that all have",
           "{'toolUse':{'toolUseId':'c1','name':'look','input':{},'type':'tool_use'}}",
           "{'type':'tool_call','id':'c1','name':'look','arguments':{}}"),
    ANSWER("a call whose arguments are not JSON",
           "{'toolUse':{'toolUseId':'c1','name':'look','input':'{oops'}}",
           "{'type':'tool_call','id':'c1','name':'look','malformed_arguments':'{oops'}"),
    ANSWER("a tool that the provider runs",
           "{'toolUse':{'toolUseId':'c1','name':'run','input':{},'type':'server_tool_use'}}",
           OPAQUE("{'toolUse':{'toolUseId':'c1','name':'run','input':{},"
                  "'type':'server_tool_use'}}")),
    ANSWER("a result inside an answer", "{'toolResult':{'toolUseId':'c1','content':[]}}",
           OPAQUE("{'toolResult':{'toolUseId':'c1','content':[]}}")),
    ANSWER("a mark inside an answer", "{'text':'hi'}," CACHE,
           "{'type':'text','text':'hi'}," OPAQUE(CACHE)),
    ANSWER("a text with citations",
           "{'citationsContent':{'content':[{'text':'a'},{'text':'b'}],'citations':[{'title':'t',"
           "'sourceContent':[{'text':'q'}],'location':{'documentPage':{'documentIndex':0,"
           "'start':1,'end':2}}}]}}",
           "{'type':'text','text':'ab','citations':[{'title':'t','start':1,'end':2,'text':'q',"
           "'location':{'documentPage':{'documentIndex':0,'start':1,'end':2}}}]}"),
    ANSWER("an image that a model made", "{'image':{'format':'png','source':{'bytes':'YWJj'}}}",
           "{'type':'image','data':'YWJj','media_type':'image/png'}"),

    RESULT("the first text of a result is its output, and the rest follows",
           "'content':[{'text':'a'},{'text':'b'},{'image':{'format':'png','source':"
           "{'bytes':'YWJj'}}}]",
           ",'output':'a','content_blocks':[{'type':'text','text':'b'},"
           "{'type':'image','data':'YWJj','media_type':'image/png'}]"),
    RESULT("a text after something else stays there",
           "'content':[{'json':{'a':1}},{'text':'b'}],'status':'success'",
           ",'content_blocks':[{'type':'json','value':{'a':1}},{'type':'text','text':'b'}]"),
    RESULT("a result that failed", "'content':[{'text':'no'}],'status':'error'",
           ",'success':false,'output':'no'"),
    RESULT("a result of nothing", "'content':[]", ""),
    RESULT("a result with a member that nobody knows", "'content':[{'text':'a'}],'type':'x'",
           ",'output':'a'," EXTRA("'type':'x'")),
    RESULT("what a tool says in such a way is opaque", "'content':[{'searchResult':{'title':'t'}}]",
           ",'content_blocks':[" OPAQUE("{'searchResult':{'title':'t'}}") "]"),
    MESSAGES("results stand before what was said, and know their tool",
             "{'role':'assistant','content':[" USE "]},{'role':'user','content':[{'text':'hi'},"
             "{'toolResult':{'toolUseId':'c1','content':[{'text':'a'}]}}]}",
             ANSWERED CALL "]},{'role':'tool','tool_call_id':'c1','name':'look','output':'a'}," SAID
                           "{'type':'text','text':'hi'}]}"),
    MESSAGES("a mark after results stays with the last",
             "{'role':'user','content':[{'toolResult':{'toolUseId':'c1','content':[]}},"
             "{'toolResult':{'toolUseId':'c2','content':[],'type':'x'}}," CACHE "]}",
             "{'role':'tool','tool_call_id':'c1'},{'role':'tool','tool_call_id':'c2'," EXTRA(
                 "'type':'x','content':[{'index':2,'value':" CACHE "}]") "}"),

    BODY("a system prompt of several texts, one of them guarded, and a mark",
         "'system':[{'text':'a'}," CACHE ",{'guardContent':{'text':{'text':'b'}}}]",
         "'system':'a\\n\\nb','messages':[]," EXTRA(
             "'system':[{'index':0,'value':{'text':'a'}},{'index':1,'value':" CACHE "},"
             "{'index':2,'value':{'guardContent':{'text':{'text':'b'}}}}]")),
    { "a message of the system belongs to its prompt",
      "{'system':[{'text':'a'}],'messages':[{'role':'system','content':[{'text':'b'}]}]}",
      "'system':'a\\n\\nb','messages':[]" },
    MESSAGES("system messages among the others are messages in the system's name",
             "{'role':'user','content':[{'text':'hi'}]},{'role':'system','content':[{'text':'b'},"
             "{'toolAddition':{'tools':[]}}]}",
             SAID "{'type':'text','text':'hi'}]},{'role':'user','speaker':'system','content':["
                  "{'type':'text','text':'b'}," OPAQUE("{'toolAddition':{'tools':[]}}") "]}"),
    BODY("options",
         "'inferenceConfig':{'maxTokens':64,'temperature':1.0,'topP':9e-1,"
         "'stopSequences':['END'],'topK':5}",
         "'options':{'max_tokens':64,'temperature':1.0,'top_p':9e-1,'stop':['END']," EXTRA(
             "'topK':5") "},'messages':[]"),
    BODY("options of wrong types stay as they are",
         "'inferenceConfig':{'maxTokens':'64','stopSequences':[7]}",
         "'options':{" EXTRA("'maxTokens':'64','stopSequences':[7]") "},'messages':[]"),
    BODY("thinking",
         "'additionalModelRequestFields':{'thinking':{'type':'enabled',"
         "'budget_tokens':2048},'top_k':5}",
         "'options':{'thinking':{'budget_tokens':2048,'type':'enabled'}},'messages':[]," EXTRA(
             "'additionalModelRequestFields':{'top_k':5}")),
    BODY("thinking by effort", "'additionalModelRequestFields':{'reasoning_effort':'high'}",
         "'options':{'thinking':{'level':'high'}},'messages':[]"),
    BODY(
        "tools, and what they are to be like",
        "'toolConfig':{'tools':[{'toolSpec':{'name':'look','description':'Looks.',"
        "'inputSchema':{'json':{'type':'object','properties':{}}},'strict':true}}],'toolChoice':{'auto':{}}}",
        "'tools':[{'name':'look','description':'Looks.','input_schema':{'type':'object','properties':{}}," EXTRA(
            "'strict':true") "}],'tool_choice':'auto','messages':[]"),
    BODY("a cache mark after a tool stays with it",
         "'toolConfig':{'tools':[{'toolSpec':{'name':'look'}}," CACHE "]}",
         "'tools':[{'name':'look'," EXTRA("'cachePoint':{'type':'default'}") "}],'messages':[]"),
    BODY("tools that the service runs itself",
         "'toolConfig':{'tools':[{'toolSpec':{'name':'look'}},{'systemTool':{'name':'n'}}]}",
         "'tools':[{'name':'look'}],'messages':[]," EXTRA(
             "'tools':[{'index':1,'value':{'systemTool':{'name':'n'}}}]")),
    BODY("a tool must be called", "'toolConfig':{'toolChoice':{'any':{}}}",
         "'tool_choice':'required','messages':[]"),
    BODY("one certain tool must be called",
         "'toolConfig':{'tools':[{'toolSpec':{'name':'look'}}],'toolChoice':{'tool':"
         "{'name':'look'}}}",
         "'tools':[{'name':'look'}],'tool_choice':{'name':'look'},'messages':[]"),
    BODY("a choice that nobody can make", "'toolConfig':{'toolChoice':{'tool':{'name':'look'}}}",
         "'messages':[]," EXTRA("'toolConfig':{'toolChoice':{'tool':{'name':'look'}}}")),
    BODY("fields that nobody knows", "'performanceConfig':{'latency':'optimized'},'x':null",
         "'messages':[]," EXTRA("'performanceConfig':{'latency':'optimized'}")),

    FAILS("a body that is not an object", "[]", "expected an object, found an array"),
    FAILS("a body without messages", "{}", "messages: the field is missing"),
    FAILS("messages that are not a list", "{'messages':{}}",
          "messages: expected an array, found an object"),
    FAILS("a message that is not an object", "{'messages':[7]}",
          "messages[0]: expected an object, found a number"),
    FAILS("a message of nobody", "{'messages':[{'content':[]}]}",
          "messages[0].role: the field is missing"),
    FAILS("a message of somebody unknown", "{'messages':[{'role':'tool','content':[]}]}",
          "messages[0].role: unknown role 'tool'"),
    FAILS("content that is not a list", "{'messages':[{'role':'user','content':7}]}",
          "messages[0].content: expected an array, found a number"),
    FAILS("a result that says nothing about its call",
          "{'messages':[{'role':'user','content':[{'text':'a'},{'toolResult':{'content':[]}}]}]}",
          "messages[0].content[1].toolResult.toolUseId: the field is missing"),
};

static void parses(void **state)
{
    check_parse("bedrock", *state);
}

#define PNG \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"

/* clang-format off */
static const char everything[] =
    "{'system':[{'text':'Be brief.'}],'messages':[{'role':'user','content':[{'text':'look'},"
    "{'image':{'format':'png','source':{'bytes':'"
    PNG "'}}}]},{'role':'assistant','content':["
    "{'reasoningContent':{'reasoningText':{'text':'hm','signature':'c2ln'}}},"
    "{'reasoningContent':{'redactedContent':'b3A='}},{'text':'I will.'},"
    USE "," "{'toolUse':{'toolUseId':'c2','name':'look','input':{}}},"
    CACHE "]},"
    "{'role':'user','content':[{'toolResult':{'toolUseId':'c1','content':[{'text':'a'},"
    "{'json':{'b':1}},{'image':{'format':'png','source':{'bytes':'"
    PNG "'}}},{'text':'c'}],"
    "'status':'success'}},{'toolResult':{'toolUseId':'c2','content':[{'text':'no'}],"
    "'status':'error'}},{'text':'and?'}]}],"
    "'inferenceConfig':{'maxTokens':4096,'temperature':1,'stopSequences':['END']},"
    "'toolConfig':{'tools':[{'toolSpec':{'name':'look','description':'Looks.','inputSchema':"
    "{'json':{'type':'object','properties':{'a':{'type':'integer'}}}}}}],"
    "'toolChoice':{'auto':{}}}}";
/* clang-format on */

static void comes_out_as_it_went_in(void **state)
{
    (void)state;
    check_round_trip("bedrock", "bedrock", "anthropic.claude-sonnet-4-5", everything);
}

static void what_only_this_api_can_say_comes_out_too(void **state)
{
    (void)state;
    check_round_trip(
        "bedrock", "bedrock", "anthropic.claude-sonnet-4-5",
        "{'messages':[{'role':'assistant','content':[{'text':'a'}]},"
        "{'role':'user','content':[{'text':'hi'},{'searchResult':{'title':'t'}}]},"
        "{'role':'system','content':[{'text':'b'},{'toolRemoval':{}}]},"
        "{'role':'user','content':[{'text':'ho'}]}],'inferenceConfig':{'maxTokens':9},"
        "'toolConfig':{'tools':[{'toolSpec':{'name':'look','inputSchema':{'json':"
        "{'type':'object','properties':{}}}}},{'systemTool':{'name':'n'}}],'toolChoice':{'auto':{}}},"
        "'additionalModelRequestFields':{'top_k':4},'guardrailConfig':{'trace':'enabled'}}");
    check_round_trip("bedrock", "bedrock", "anthropic.claude-sonnet-4-5",
                     "{'messages':[{'role':'user','content':[{'text':'hi'}]}],"
                     "'inferenceConfig':{'maxTokens':9},"
                     "'toolConfig':{'tools':[{'systemTool':{'name':'n'}}]}}");
}

static void any_shape_is_read_or_refused(void **state)
{
    (void)state;
    check_shapes("bedrock", "bedrock", everything);
    check_shapes("bedrock", "bedrock",
                 "{'system':[{'guardContent':{'text':{'text':'b'}}}],'messages':[{'role':'user',"
                 "'content':[{'document':{'format':'pdf','name':'n','source':{'s3Location':"
                 "{'uri':'s3://a/b'}}}},{'document':{'source':{'content':[{'text':'a'}]}}},"
                 "{'guardContent':{'text':{'text':'a'}}}]},{'role':'assistant','content':["
                 "{'citationsContent':{'content':[{'text':'a'}],'citations':[{'title':'t',"
                 "'sourceContent':[{'text':'q'}],'location':{'web':{'url':'u','start':1}}}]}}]}],"
                 "'additionalModelRequestFields':{'thinking':{'budget_tokens':9},"
                 "'reasoning_effort':'low'},'toolConfig':{'toolChoice':{'tool':{'name':'n'}}}}");
}

static void depth_has_a_limit(void **state)
{
    (void)state;
    check_depth("bedrock", "{'messages':[]");
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 4] = {
        cmocka_unit_test(comes_out_as_it_went_in),
        cmocka_unit_test(what_only_this_api_can_say_comes_out_too),
        cmocka_unit_test(any_shape_is_read_or_refused),
        cmocka_unit_test(depth_has_a_limit),
    };
    name_rows(tests + 4, parses, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests_name("parse bedrock", tests, NULL, NULL);
}
