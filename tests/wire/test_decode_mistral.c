/* Mistral's replies: the content may be a list of chunks. */
#include "replies.h"

#define THOUGHT(text) "{'type':'thinking','thinking':[{'type':'text','text':'" text "'}]}"
#define SAID(text) "{'type':'text','text':'" text "'}"
#define BLOCKS "[{'type':'thinking','thinking':'hm'},{'type':'text','text':'Hi'}]"

/* clang-format off */
static const struct reply_row rows[] = {
    { "content as a string", MESSAGE("'content':'Hi'", "stop"),
      DELTA("'content':'H'") DELTA("'content':'i'") FINISH("stop") DONE,
      "[{'type':'text','text':'Hi'}]" ENDED("end", "stop"), NULL },
    { "thoughts are chunks of the content",
      MESSAGE("'content':[" THOUGHT("hm") "," SAID("Hi") "]", "stop"),
      DELTA("'content':[" THOUGHT("h") "]") DELTA("'content':[" THOUGHT("m") "]")
      DELTA("'content':'Hi'") FINISH("stop") DONE,
      BLOCKS ENDED("end", "stop"), NULL },
    { "a thought as a string",
      MESSAGE("'content':[{'type':'thinking','thinking':'hm'}," SAID("Hi") "]", "stop"), NULL,
      BLOCKS ENDED("end", "stop"), NULL },
    { "thoughts with signatures are told apart",
      MESSAGE("'content':[{'type':'thinking','thinking':'a','signature':'s'}," THOUGHT("b") "]",
              "stop"),
      DELTA("'content':[" THOUGHT("a") "]")
      DELTA("'content':[{'type':'thinking','thinking':[],'signature':'s'}]")
      DELTA("'content':[" THOUGHT("b") "]") FINISH("stop"),
      "[{'type':'thinking','thinking':'a','signature':'s'},{'type':'thinking','thinking':'b'}]"
      ENDED("end", "stop"),
      NULL },
    { "a reference stands after the characters it speaks of",
      MESSAGE("'content':[" SAID("\xc3\xa9t\xc3\xa9")
              ",{'type':'reference','reference_ids':[3,'d']}," SAID("!") "]",
              "stop"),
      DELTA("'content':[" SAID("\xc3\xa9") "]")
      DELTA("'content':[" SAID("t\xc3\xa9") ",{'type':'reference','reference_ids':[3,'d']}]")
      DELTA("'content':'!'") FINISH("stop"),
      "[{'type':'text','text':'\xc3\xa9t\xc3\xa9!','citations':[{'source':'3','end':3},"
      "{'source':'d','end':3}]}]" ENDED("end", "stop"),
      NULL },
    { "a reference to what a tool of theirs found",
      MESSAGE("'content':[" SAID("Hi") ",{'type':'tool_reference','tool':'web','title':'T',"
              "'url':'u','description':'D'}]",
              "stop"),
      NULL,
      "[{'type':'text','text':'Hi','citations':[{'source':'web','title':'T','url':'u','end':2,"
      "'text':'D'}]}]" ENDED("end", "stop"),
      NULL },
    { "a chunk nobody knows is kept as it came",
      MESSAGE("'content':[" SAID("Hi") ",{'type':'new','x':1}]", "stop"),
      DELTA("'content':[" SAID("Hi") ",{'type':'new','x':1}]") FINISH("stop"),
      "[{'type':'text','text':'Hi'},{'type':'opaque','dialect':'mistral','value':"
      "{'type':'new','x':1}}]" ENDED("end", "stop"),
      NULL },
    { "a call whose id comes as no id in later chunks",
      MESSAGE("'content':'','tool_calls':[{'id':'abcdefghi','index':0,'function':{'name':'look',"
              "'arguments':'{}'}}]",
              "tool_calls"),
      DELTA("'tool_calls':[{'id':'abcdefghi','index':0,'function':{'name':'look',"
            "'arguments':'{'}}]")
      DELTA("'tool_calls':[{'id':'null','index':0,'function':{'name':'','arguments':'}'}}]")
      FINISH("tool_calls"),
      "[{'type':'tool_call','id':'abcdefghi','name':'look','arguments':{}}]"
      ENDED("tool_calls", "tool_calls"),
      NULL },
    { "the end of the window", MESSAGE("'content':'Hi'", "model_length"), NULL,
      "[{'type':'text','text':'Hi'}]" ENDED("length", "model_length"), NULL },
    { "what a cache gave, by its name here",
      "{'choices':[{'message':{'content':'Hi'},'finish_reason':'stop'}],'usage':"
      "{'prompt_tokens':9,'completion_tokens':1,'total_tokens':10,'num_cached_tokens':8}}",
      NULL,
      "[{'type':'text','text':'Hi'}],'stop_reason':'end','stop_reason_original':'stop','usage':"
      "{'input_tokens':9,'output_tokens':1,'cached_tokens':8}",
      NULL },
    { "an error with its words at the top",
      "{'object':'error','message':'Unauthorized','type':'invalid_request_error','code':null}",
      DATA("{'object':'error','message':'Unauthorized','type':'invalid_request_error',"
           "'code':null}"),
      "[],'stop_reason':'error','usage':{},'error':{'kind':'authentication',"
      "'message':'Unauthorized','code':'invalid_request_error'},"
      "'extra':{'type':'invalid_request_error'}",
      "mistral: Unauthorized" },
    { "an error that is a list is told as it is", "{'detail':[{'msg':'field required'}]}", NULL,
      "[],'stop_reason':'error','usage':{},'error':{'kind':'other',"
      "'message':'{\\'detail\\':[{\\'msg\\':\\'field required\\'}]}'}",
      "mistral: {\"detail\":[{\"msg\":\"field required\"}]}" },
    { "a stream that is cut early keeps what had come", NULL, DELTA("'content':'Hi'"),
      "[{'type':'text','text':'Hi'}],'stop_reason':'unknown','usage':{}",
      "the stream of mistral ended early" },
};
/* clang-format on */

static void row(void **state)
{
    check_row(*state, "mistral");
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_rows(tests, row, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
