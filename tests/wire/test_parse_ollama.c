/* Requests of Ollama's chat API, read: as conversations, and as requests again. */
#include "requests.h"

#define SAID "{'role':'assistant','origin':{'provider':'ollama','model':'m'},'content':["
#define KEPT(members) "'extra':{'ollama':{" members "}}"
#define PNG                                                                        \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAA" \
    "AABJRU5ErkJggg=="
#define WAV "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
#define IMAGE "{'type':'image','data':'" PNG "'}"
#define SOUND "{'type':'audio','data':'" WAV "'}"
#define TEXT(text) "{'type':'text','text':'" text "'}"
#define CALL(name) "{'function':{'name':'" name "','arguments':{}}}"
#define CALLED(id, name) "{'type':'tool_call','id':'" id "','name':'" name "','arguments':{}}"
#define ANSWERED(id, name, output) \
    "{'role':'tool','tool_call_id':'" id "','name':'" name "','output':'" output "'}"
#define TWO_CALLS \
    "{'role':'assistant','content':'','tool_calls':[" CALL("look") "," CALL("hear") "]}"
#define TWO_CALLED SAID CALLED("call_0_0", "look") "," CALLED("call_0_1", "hear") "]}"

/* Not to stream must be said: all rows but those about streams do. */
#define SHOWN(row_name, message, wanted)                                               \
    {                                                                                  \
        row_name, "'stream':false,'messages':[" message "]", "'messages':[" wanted "]" \
    }
#define IMAGES(row_name, content, images, blocks)                                    \
    SHOWN(row_name, "{'role':'user','content':'" content "','images':[" images "]}", \
          "{'role':'user','content':[" blocks "]}")
#define OPTION(row_name, member, wanted)                     \
    {                                                        \
        row_name, "'stream':false," member ",'messages':[]", \
            "'options':{" wanted "},'messages':[]"           \
    }

/* clang-format off */
static const struct request_row rows[] = {
    { "the system prompt", "'stream':false,'messages':[{'role':'system','content':'A'}]",
      "'system':'A','messages':[]" },
    IMAGES("an image stands in front, as the server puts it", "Look.", "'" PNG "'",
           IMAGE "," TEXT("Look.")),
    IMAGES("a mark is the place of an image", "a\\n[img]\\nb", "'" PNG "'",
           TEXT("a") "," IMAGE "," TEXT("b")),
    IMAGES("a mark within a line", "is [img] it?", "'" PNG "'",
           TEXT("is ") "," IMAGE "," TEXT(" it?")),
    IMAGES("images that no mark names stand in front", "a\\n[img]", "'" PNG "','" WAV "'",
           SOUND "," TEXT("a") "," IMAGE),
    IMAGES("a mark without an image is text", "[img][img]", "'" PNG "'",
           IMAGE "," TEXT("[img]")),
    IMAGES("a mark without images is text", "[img]", "", TEXT("[img]")),
    IMAGES("an image alone", "", "'" PNG "'", IMAGE),
    IMAGES("a sound is told by its bytes", "", "'" WAV "'", SOUND),
    IMAGES("an image in a data URL", "", "'data:image/png;base64," PNG "'",
           "{'type':'image','data':'" PNG "','media_type':'image/png'}"),
    IMAGES("an image that is none is opaque", "", "7",
           "{'type':'opaque','dialect':'ollama','value':7}"),
    SHOWN("content in parts is read too",
          "{'role':'user','content':[{'type':'text','text':'a'}]}",
          "{'role':'user','content':[" TEXT("a") "]}"),
    SHOWN("thoughts, text, images and calls",
          "{'role':'assistant','content':'yes','thinking':'Hm.','images':['" PNG "'],"
          "'tool_calls':[{'id':'c1','function':{'index':0,'name':'look','arguments':{'n':1}}}]}",
          SAID "{'type':'thinking','thinking':'Hm.'}," IMAGE "," TEXT("yes") ","
          "{'type':'tool_call','id':'c1','name':'look','arguments':{'n':1}}]}"),
    SHOWN("results without ids answer calls in their order",
          TWO_CALLS ",{'role':'tool','content':'a'},{'role':'tool','content':'b'}",
          TWO_CALLED "," ANSWERED("call_0_0", "look", "a") "," ANSWERED("call_0_1", "hear", "b")),
    SHOWN("results without ids answer the tool that they name",
          TWO_CALLS ",{'role':'tool','tool_name':'hear','content':'b'},"
          "{'role':'tool','content':'a'}",
          TWO_CALLED "," ANSWERED("call_0_1", "hear", "b") "," ANSWERED("call_0_0", "look", "a")),
    SHOWN("a result of a tool that nobody called",
          TWO_CALLS ",{'role':'tool','tool_name':'smell','content':'b'}",
          TWO_CALLED ",{'role':'tool','tool_call_id':'','name':'smell','output':'b'}"),
    SHOWN("an image in a result has its place",
          "{'role':'assistant','content':'','tool_calls':[{'id':'c1','function':{'name':'look',"
          "'arguments':{}}}]},{'role':'tool','tool_call_id':'c1','content':'a\\n[img]\\nb',"
          "'images':['" PNG "']}",
          SAID CALLED("c1", "look") "]},{'role':'tool','tool_call_id':'c1','name':'look',"
          "'output':'a','content_blocks':[" IMAGE "," TEXT("b") "]}"),
    { "a stream is what nobody forbids", "'messages':[]",
      "'options':{'stream':true},'messages':[]" },
    { "a stream", "'stream':true,'messages':[]", "'options':{'stream':true},'messages':[]" },
    OPTION("options", "'options':{'num_predict':7,'temperature':0.5,'top_p':1,'stop':'x'}",
           "'max_tokens':7,'temperature':0.5,'top_p':1,'stop':['x']"),
    { "other options stay",
      "'stream':false,'options':{'num_ctx':8,'num_predict':-1,'top_p':1},'messages':[]",
      "'options':{'top_p':1},'messages':[],"
      KEPT("'options':{'num_ctx':8,'num_predict':-1}") },
    OPTION("to think", "'think':true", "'thinking':{}"),
    OPTION("to think hard", "'think':'high'", "'thinking':{'level':'high'}"),
    OPTION("not to think", "'think':false", "'thinking':{'off':true}"),
    OPTION("JSON without a schema", "'format':'json'", "'json':true"),
    OPTION("a schema of the answer", "'format':{'type':'object','properties':{}}",
           "'schema':{'type':'object','properties':{}}"),
    { "a format without a schema stays, and so does keep_alive",
      "'stream':false,'keep_alive':'5m','messages':[]",
      "'messages':[]," KEPT("'keep_alive':'5m'") },
    FAILS("a role that nobody knows", "'messages':[{'role':'ghost'}]",
          "messages[0].role: unknown role 'ghost'"),
};
/* clang-format on */

static void check_row(void **state)
{
    check_request(&rf_dialect_ollama, *state);
}

static void a_request_comes_back_as_it_was(void **state)
{
    static const char *const facts[] = { NULL };
    (void)state;
    check_round_trip(
        &rf_dialect_ollama, "ollama", facts,
        "{'model':'qwen3-vl','messages':[{'role':'system','content':'Be kind.'},"
        "{'role':'user','content':'Look:\\n[img]\\nWell?','images':['" PNG "']},"
        "{'role':'assistant','content':'yes','thinking':'Hm.','tool_calls':["
        "{'id':'c1','function':{'index':0,'name':'look','arguments':{'n':1}}},"
        "{'id':'c2','function':{'index':1,'name':'look','arguments':{}}}]},"
        "{'role':'tool','content':'out\\n[img]','images':['" PNG "'],'tool_name':'look',"
        "'tool_call_id':'c1'},"
        "{'role':'tool','content':'no','tool_name':'look','tool_call_id':'c2'},"
        "{'role':'system','content':'Be brief.'},{'role':'user','content':'Well?'}],"
        "'tools':[{'type':'function','function':{'name':'look','parameters':{'type':'object','properties':{}}}}],"
        "'options':{'num_predict':7,'temperature':0.5,'stop':['x']},'think':true,'stream':true}");
}

static void any_shape_is_read_or_refused(void **state)
{
    (void)state;
    check_shapes(
        &rf_dialect_ollama,
        "{'model':'m','messages':[{'role':'user','content':'a [img]','images':['x','y']},"
        "{'role':'assistant','content':'a','thinking':'t','tool_calls':[" CALL(
            "look") "]},"
                    "{'role':'tool','tool_name':'look','content':'o','images':['x']}],"
                    "'options':{'num_predict':1,'stop':['s']},'think':true,'stream':true}");
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 2] = {
        cmocka_unit_test(a_request_comes_back_as_it_was),
        cmocka_unit_test(any_shape_is_read_or_refused),
    };
    name_rows(tests + 2, check_row, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
