/* Requests of Cohere, read: what differs from chat completions. */
#include "requests.h"

#define SAID "{'role':'assistant','origin':{'provider':'cohere','model':'m'},'content':["
#define KEPT(members) "'extra':{'cohere':{" members "}}"
#define LOOK \
    "{'type':'function','function':{'name':'look','parameters':{'type':'object','properties':{}}}}"
#define CALLED \
    "'tool_calls':[{'id':'c1','type':'function','function':{'name':'look','arguments':'{}'}}]"
#define DOCUMENTS(list) "{'type':'opaque','dialect':'cohere','value':{'documents':[" list "]}}"

/* clang-format off */
static const struct request_row rows[] = {
    CONTENT("a picture and how closely to look",
            "[{'type':'image_url','image_url':{'url':'data:image/png;base64,iVBO','detail':'low'}}]",
            "{'type':'image','data':'iVBO','media_type':'image/png','detail':'low'}"),
    MESSAGES("a plan is said before its calls; citations stay as they were",
             "{'role':'assistant','tool_plan':'I look.'," CALLED ",'citations':[{'start':0}]}",
             SAID "{'type':'text','text':'I look.'},{'type':'tool_call','id':'c1','name':'look',"
             "'arguments':{}}]," KEPT("'citations':[{'start':0}]") "}"),
    MESSAGES("thoughts are content",
             "{'role':'assistant','content':[{'type':'thinking','thinking':'Hm.'},"
             "{'type':'text','text':'yes'}]}",
             SAID "{'type':'thinking','thinking':'Hm.'},{'type':'text','text':'yes'}]}"),
    MESSAGES("a result of text and data",
             "{'role':'tool','tool_call_id':'c1','content':[{'type':'text','text':'out'},"
             "{'type':'document','document':{'id':'d1','data':{'n':1}}}]}",
             "{'role':'tool','tool_call_id':'c1','output':'out','content_blocks':["
             "{'type':'json','value':{'n':1}," KEPT("'document':{'id':'d1'}") "}]}"),
    { "documents are at the end of what was said last",
      "'documents':['one',{'id':'d2','data':{'text':'two'}}],'messages':[{'role':'user',"
      "'content':'hi'}]",
      "'messages':[{'role':'user','content':[{'type':'text','text':'hi'}," DOCUMENTS("'one',"
      "{'id':'d2','data':{'text':'two'}}") "]}]" },
    { "documents after a result, whose text in front is its output",
      "'documents':['one','two'],'messages':[{'role':'tool','tool_call_id':'c1','content':["
      "{'type':'text','text':'out'},{'type':'text','text':'more'}]}]",
      "'messages':[{'role':'tool','tool_call_id':'c1','output':'out','content_blocks':["
      "{'type':'text','text':'more'}," DOCUMENTS("'one','two'") "]}]" },
    { "a document of a result that has no data is not a document of the request",
      "'messages':[{'role':'tool','tool_call_id':'c1','content':[{'type':'document'}]}]",
      "'messages':[{'role':'tool','tool_call_id':'c1','content_blocks':[{'type':'opaque',"
      "'dialect':'cohere','value':{'type':'document'}}]}]" },
    { "documents that nobody asked about are kept aside", "'documents':['one'],'messages':[]",
      "'messages':[]," KEPT("'documents':['one']") },
    SETTING("a required call", "'tool_choice':'REQUIRED'", "'tool_choice':'required'"),
    SETTING("no call", "'tool_choice':'NONE'", "'tool_choice':'none'"),
    SETTING("settings by their own names",
            "'max_tokens':9,'temperature':0.3,'p':0.5,'stop_sequences':['x'],'stream':true",
            "'options':{'max_tokens':9,'temperature':0.3,'top_p':0.5,'stop':['x'],'stream':true}"),
    SETTING("thinking with a budget", "'thinking':{'type':'enabled','token_budget':99}",
            "'options':{'thinking':{'budget_tokens':99}}"),
    SETTING("thinking without one", "'thinking':{'type':'enabled'}", "'options':{'thinking':{}}"),
    SETTING("thinking that is off", "'thinking':{'type':'disabled'}",
            "'options':{'thinking':{'off':true}}"),
    SETTING("a schema of the answer",
            "'response_format':{'type':'json_object','json_schema':{'type':'object','properties':{}}}",
            "'options':{'schema':{'type':'object','properties':{}}}"),
    SETTING("JSON without a schema", "'response_format':{'type':'json_object'}",
            "'options':{'json':true}"),
    { "other members stay", "'safety_mode':'OFF','k':3,'messages':[]",
      "'messages':[]," KEPT("'safety_mode':'OFF','k':3") },
    FAILS("a result without an id", "'messages':[{'role':'tool','content':'out'}]",
          "messages[0].tool_call_id: the result does not say which call it answers"),
};
/* clang-format on */

#define REQUEST                                                                                  \
    "{'model':'command-a-reasoning','messages':[{'role':'system','content':'Be kind.'},"         \
    "{'role':'user','content':'Look.'},{'role':'assistant','content':[{'type':'thinking',"       \
    "'thinking':'Hm.'}],'tool_plan':'I look.'," CALLED "},{'role':'tool','tool_call_id':'c1',"   \
    "'content':[{'type':'text','text':'out'},{'type':'document','document':{'data':{'n':1}}}]}," \
    "{'role':'assistant','content':[{'type':'thinking','thinking':'So.'},{'type':'text',"        \
    "'text':'One.'}]},{'role':'user','content':[{'type':'text','text':'And?'}]}],"               \
    "'tools':[" LOOK "],'tool_choice':'REQUIRED','documents':['one',{'data':{'text':'two'}}],"   \
    "'max_tokens':9000,'temperature':0.5,'p':0.9,'stop_sequences':['x'],"                        \
    "'thinking':{'type':'enabled','token_budget':77},'citation_options':{'mode':'FAST'},"        \
    "'stream':true}"

static void check_row(void **state)
{
    check_request(&rf_dialect_cohere, *state);
}

static void a_request_comes_back_as_it_was(void **state)
{
    static const char *const facts[] = { NULL };
    (void)state;
    check_round_trip(&rf_dialect_cohere, "cohere", facts, REQUEST);
    check_round_trip(&rf_dialect_cohere, "cohere", facts,
                     "{'model':'command-a-vision','messages':[{'role':'user','content':["
                     "{'type':'text','text':'Look.'},{'type':'image_url','image_url':"
                     "{'url':'https://a.example/b.png','detail':'high'}}]}],'k':3,'stream':false}");
}

static void any_shape_is_read_or_refused(void **state)
{
    (void)state;
    check_shapes(&rf_dialect_cohere, REQUEST);
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
