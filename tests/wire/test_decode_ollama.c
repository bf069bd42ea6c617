/* Ollama's replies, whole and as lines. */
#include "replies.h"

#define LINE(members) "{'model':'m','message':{'role':'assistant'," members "},'done':false}\n"
#define LAST(members)                                                                    \
    "{'model':'m','message':{'role':'assistant'," members "},'done':true,'done_reason':" \
    "'stop','total_duration':5,'prompt_eval_count':3,'eval_count':2}\n"
#define OVER(stop)          \
    ",'stop_reason':'" stop \
    "','stop_reason_original':'stop','usage':{'input_tokens':3,'output_tokens':2},'model':'m'"

/* clang-format off */
static const struct reply_row rows[] = {
    { "text", LAST("'content':'Hi'"),
      LINE("'content':'H'") LINE("'content':'i'") LAST("'content':''"),
      "[{'type':'text','text':'Hi'}]" OVER("end"), NULL },
    { "thoughts stand before the text", LAST("'content':'Hi','thinking':'hm'"),
      LINE("'content':'','thinking':'h'") LINE("'content':'','thinking':'m'") LINE("'content':'Hi'")
      LAST("'content':''"),
      "[{'type':'thinking','thinking':'hm'},{'type':'text','text':'Hi'}]" OVER("end"), NULL },
    { "calls come whole, and end the turn",
      LAST("'content':'','tool_calls':[{'id':'a','function':{'index':0,'name':'look',"
           "'arguments':{'x': 1}}},{'function':{'name':'look','arguments':{}}}]"),
      LINE("'content':'','tool_calls':[{'id':'a','function':{'index':0,'name':'look',"
           "'arguments':{'x': 1}}}]")
      LINE("'content':'','tool_calls':[{'function':{'name':'look','arguments':{}}}]")
      LAST("'content':''"),
      "[{'type':'tool_call','id':'a','name':'look','arguments':{'x':1}},"
      "{'type':'tool_call','id':'','name':'look','arguments':{}}]" OVER("tool_calls"),
      NULL },
    { "arguments that are not an object are kept as words",
      LAST("'tool_calls':[{'id':'a','function':{'name':'look','arguments':[1]}}]"), NULL,
      "[{'type':'tool_call','id':'a','name':'look','arguments':{},'malformed_arguments':'[1]'}]"
      OVER("tool_calls"),
      NULL },
    { "pictures", LAST("'content':'Hi','images':['QUJD']"),
      LINE("'content':'','images':['QUJD']") LAST("'content':'Hi'"),
      "[{'type':'text','text':'Hi'},{'type':'image','data':'QUJD'}]" OVER("end"), NULL },
    { "the end by length", "{'message':{'content':'Hi'},'done':true,'done_reason':'length'}",
      "{'message':{'content':'Hi'},'done':true,'done_reason':'length'}\n",
      "[{'type':'text','text':'Hi'}]" ENDED("length", "length"), NULL },
    { "an end that only loaded the model",
      "{'message':{'content':''},'done':true,'done_reason':'load'}", NULL,
      "[]" ENDED("unknown", "load"), NULL },
    { "an end of older servers, without a reason", "{'message':{'content':'Hi'},'done':true}", NULL,
      "[{'type':'text','text':'Hi'}],'stop_reason':'end','usage':{}", NULL },
    { "an error instead of a reply", "{'error':'model \\u0022x\\u0022 not found'}",
      "{'error':'model \\u0022x\\u0022 not found'}\n",
      "[],'stop_reason':'error','usage':{},'error':{'kind':'other',"
      "'message':'model \\'x\\' not found'}",
      "ollama: model \"x\" not found" },
    { "an error on the way keeps what had come", NULL,
      LINE("'content':'Hi'") "{'error':'model runner has unexpectedly stopped'}\n",
      "[{'type':'text','text':'Hi'}],'stop_reason':'error','usage':{},'model':'m','error':"
      "{'kind':'other','message':'model runner has unexpectedly stopped'}",
      "ollama: model runner has unexpectedly stopped" },
    { "a body that is not a reply is told as it is", "{'status':[]}", NULL,
      "[],'stop_reason':'error','usage':{},'error':{'kind':'other',"
      "'message':'{\\'status\\':[]}'}",
      "ollama: {\"status\":[]}" },
    { "a stream that is cut early keeps what had come", NULL, LINE("'content':'Hi'"),
      "[{'type':'text','text':'Hi'}],'stop_reason':'unknown','usage':{},'model':'m'",
      "the stream of ollama ended early" },
};
/* clang-format on */

static void row(void **state)
{
    check_row(*state, "ollama");
}

static void any_shape(void **state)
{
    (void)state;
    check_shapes("ollama",
                 "{'model':'m','message':{'content':'x','thinking':'t','images':['QUJD'],"
                 "'tool_calls':[{'id':'a','function':{'name':'n','arguments':{'a':1}}}]},"
                 "'done':true,'done_reason':'stop','eval_count':3,'error':null}",
                 false);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 1] = { [COUNT(rows)] = cmocka_unit_test(any_shape) };
    name_rows(tests, row, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
