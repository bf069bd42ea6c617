/* Requests of Mistral, read: what differs from other chat completions. */
#include "requests.h"

#define SAID "{'role':'assistant','origin':{'provider':'mistral','model':'m'},'content':["
#define KEPT(members) "'extra':{'mistral':{" members "}}"
#define LOOK \
    "{'type':'function','function':{'name':'look','parameters':{'type':'object','properties':{}}}}"
#define CALLS                                                                               \
    "{'role':'assistant','content':null,'tool_calls':[{'id':'abcdefghi','type':'function'," \
    "'function':{'name':'look','arguments':'{}'}}]}"

/* clang-format off */
static const struct request_row rows[] = {
    CONTENT("a sound is base64 alone", "[{'type':'input_audio','input_audio':'SUQz'}]",
            "{'type':'audio','data':'SUQz'}"),
    CONTENT("a sound on the web", "[{'type':'input_audio','input_audio':'https://a.example/b'}]",
            "{'type':'audio','url':'https://a.example/b'}"),
    CONTENT("a sound in a data URL",
            "[{'type':'input_audio','input_audio':'data:audio/wav;base64,UklG'}]",
            "{'type':'audio','data':'UklG','media_type':'audio/wav'}"),
    CONTENT("a file that was uploaded", "[{'type':'file','file_id':'f1'}]",
            "{'type':'document','file_id':'f1','provider':'mistral'}"),
    CONTENT("a document in a data URL",
            "[{'type':'document_url','document_url':'data:application/pdf;base64,JVBERi0='}]",
            "{'type':'document','data':'JVBERi0=','media_type':'application/pdf'}"),
    CONTENT("a user's thought is opaque", "[{'type':'thinking','thinking':'Hm.'}]",
            "{'type':'opaque','dialect':'mistral','value':{'type':'thinking','thinking':'Hm.'}}"),
    MESSAGES("thoughts are content",
             "{'role':'assistant','content':[{'type':'thinking','thinking':[{'type':'text',"
             "'text':'H'},{'type':'text','text':'m.'}],'signature':'s','closed':true},"
             "{'type':'thinking','thinking':'So.'},{'type':'text','text':'yes'},"
             "{'type':'reference','reference_ids':[1]}],'prefix':false}",
             SAID "{'type':'thinking','thinking':'Hm.','signature':'s'," KEPT("'closed':true") "},"
             "{'type':'thinking','thinking':'So.'},{'type':'text','text':'yes'},"
             "{'type':'opaque','dialect':'mistral','value':{'type':'reference',"
             "'reference_ids':[1]}}]," KEPT("'prefix':false") "}"),
    MESSAGES("a result says its tool's name",
             "{'role':'tool','tool_call_id':'abcdefghi','name':'look','content':'out'}",
             "{'role':'tool','tool_call_id':'abcdefghi','name':'look','output':'out'}"),
    SETTING("a choice of any is required", "'tool_choice':'any'", "'tool_choice':'required'"),
    { "other members stay", "'safe_prompt':true,'random_seed':1,'messages':[]",
      "'messages':[]," KEPT("'safe_prompt':true,'random_seed':1") },
    FAILS("a result without an id", "'messages':[{'role':'tool','name':'look','content':'out'}]",
          "messages[0].tool_call_id: the result does not say which call it answers"),
};
/* clang-format on */

static void check_row(void **state)
{
    check_request(&rf_dialect_mistral, *state);
}

static void a_request_comes_back_as_it_was(void **state)
{
    static const char *const facts[] = { "thinking", "effort", NULL };
    (void)state;
    check_round_trip(
        &rf_dialect_mistral, "mistral", facts,
        "{'model':'magistral-small','messages':[{'role':'system','content':'Be kind.'},"
        "{'role':'user','content':[{'type':'text','text':'Look.'},"
        "{'type':'image_url','image_url':{'url':'https://a.example/b.png'}},"
        "{'type':'document_url','document_url':'https://a.example/b.pdf'}]}," CALLS
        ",{'role':'tool','tool_call_id':'abcdefghi','name':'look','content':["
        "{'type':'text','text':'out'},"
        "{'type':'image_url','image_url':{'url':'https://a.example/c.png'}}]},"
        "{'role':'assistant','content':[{'type':'thinking','thinking':[{'type':'text',"
        "'text':'Hm.'}]},{'type':'text','text':'So.'}]},{'role':'user','content':[{'type':'text',"
        "'text':'And?'},{'type':'reference','reference_ids':[1]}]},"
        "{'role':'system','content':'Be brief.'},{'role':'user','content':'Well?'}],"
        "'tools':[" LOOK "],'tool_choice':'any','max_tokens':9,'temperature':0.5,'stop':['x'],"
        "'reasoning_effort':'high'}");
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 1] = {
        cmocka_unit_test(a_request_comes_back_as_it_was),
    };
    name_rows(tests + 1, check_row, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
