/* Cohere's replies: a message, and the events of a stream. */
#include "replies.h"

#define WHOLE(members, reason)                                                                    \
    "{'id':'r1','message':{'role':'assistant'," members "},'finish_reason':'" reason "','usage':" \
    "{'billed_units':{'input_tokens':2,'output_tokens':1},'tokens':{'input_tokens':9,"            \
    "'output_tokens':4},'cached_tokens':3}}"
#define EVENT(type, members) "event: " type "\n" DATA("{'type':'" type "'" members "}")
#define START EVENT("message-start", ",'id':'r1','delta':{'message':{'role':'assistant'}}")
#define PIECE(type, index, message) \
    EVENT(type, ",'index':" index ",'delta':{'message':{" message "}}")
#define STOP(type, index) EVENT(type, ",'index':" index)
#define FINISHED(reason)                                                                    \
    EVENT("message-end", ",'delta':{'finish_reason':'" reason "','usage':{'billed_units':"  \
                         "{'input_tokens':2,'output_tokens':1},'tokens':{'input_tokens':9," \
                         "'output_tokens':4},'cached_tokens':3}}")
#define OVER(stop, original)                                                                     \
    ",'stop_reason':'" stop "','stop_reason_original':'" original "','usage':{'input_tokens':9," \
    "'output_tokens':4,'cached_tokens':3},'id':'r1','extra':{'billed_units':{'input_tokens':2,"  \
    "'output_tokens':1}}"
#define SOURCE "'sources':[{'type':'tool','id':'look_1:0','tool_output':{'content':'Sunny'}}]"
#define CITED "{'start':7,'end':12,'text':'sunny'," SOURCE ",'type':'TEXT_CONTENT'}"
#define CITATION \
    "{'source':'look_1:0','start':7,'end':12,'text':'sunny','type':'TEXT_CONTENT'," SOURCE "}"
#define CALL(id, name, arguments) \
    "{'id':'" id "','type':'function','function':{'name':'" name "','arguments':'" arguments "'}}"

/* clang-format off */
static const struct reply_row rows[] = {
    { "a text", WHOLE("'content':[{'type':'text','text':'Hi'}]", "COMPLETE"),
      START PIECE("content-start", "0", "'content':{'type':'text','text':''}")
      PIECE("content-delta", "0", "'content':{'text':'H'}")
      PIECE("content-delta", "0", "'content':{'text':'i'}")
      STOP("content-end", "0") FINISHED("COMPLETE"),
      "[{'type':'text','text':'Hi'}]" OVER("end", "COMPLETE"), NULL },
    { "a thought and a text",
      WHOLE("'content':[{'type':'thinking','thinking':'hm'},{'type':'text','text':'Hi'}]",
            "COMPLETE"),
      START PIECE("content-start", "0", "'content':{'type':'thinking','thinking':''}")
      PIECE("content-delta", "0", "'content':{'thinking':'h'}")
      PIECE("content-delta", "0", "'content':{'thinking':'m'}") STOP("content-end", "0")
      PIECE("content-start", "1", "'content':{'type':'text','text':''}")
      PIECE("content-delta", "1", "'content':{'text':'Hi'}") STOP("content-end", "1")
      FINISHED("COMPLETE"),
      "[{'type':'thinking','thinking':'hm'},{'type':'text','text':'Hi'}]" OVER("end", "COMPLETE"),
      NULL },
    { "a plan and two calls",
      WHOLE("'tool_plan':'I look.','tool_calls':[" CALL("c1", "look", "{}") ","
            CALL("c2", "read", "{\\'a\\':1}") "]", "TOOL_CALL"),
      START EVENT("tool-plan-delta", ",'delta':{'message':{'tool_plan':'I '}}")
      EVENT("tool-plan-delta", ",'delta':{'message':{'tool_plan':'look.'}}")
      PIECE("tool-call-start", "0", "'tool_calls':" CALL("c1", "look", ""))
      PIECE("tool-call-delta", "0", "'tool_calls':{'function':{'arguments':'{'}}")
      PIECE("tool-call-delta", "0", "'tool_calls':{'function':{'arguments':'}'}}")
      STOP("tool-call-end", "0")
      PIECE("tool-call-start", "1", "'tool_calls':" CALL("c2", "read", ""))
      PIECE("tool-call-delta", "1", "'tool_calls':{'function':{'arguments':'{\\'a\\':1}'}}")
      STOP("tool-call-end", "1") FINISHED("TOOL_CALL"),
      "[{'type':'text','text':'I look.','extra':{'tool_plan':true}},"
      "{'type':'tool_call','id':'c1','name':'look','arguments':{}},"
      "{'type':'tool_call','id':'c2','name':'read','arguments':{'a':1}}]"
      OVER("tool_calls", "TOOL_CALL"),
      NULL },
    { "citations belong to the text, their sources as they came",
      WHOLE("'content':[{'type':'text','text':'It is  sunny'}],'citations':[" CITED "]",
            "COMPLETE"),
      START PIECE("content-delta", "0", "'content':{'text':'It is  sunny'}")
      PIECE("citation-start", "0", "'citations':" CITED) STOP("citation-end", "0")
      STOP("content-end", "0") FINISHED("COMPLETE"),
      "[{'type':'text','text':'It is  sunny','citations':[" CITATION "]}]" OVER("end", "COMPLETE"),
      NULL },
    { "a citation that comes before its text, of a document with a title and an address",
      NULL,
      START PIECE("citation-start", "0", "'citations':{'start':0,'end':2,'text':'Hi','sources':["
            "{'type':'document','id':'d:1','document':{'title':'T','url':'u'}}]}")
      PIECE("content-delta", "0", "'content':{'text':'Hi'}") FINISHED("COMPLETE"),
      "[{'type':'text','text':'Hi','citations':[{'source':'d:1','title':'T','url':'u','start':0,"
      "'end':2,'text':'Hi','sources':[{'type':'document','id':'d:1','document':{'title':'T',"
      "'url':'u'}}]}]}]" OVER("end", "COMPLETE"),
      NULL },
    { "citations of a plan, of the second text, and of a thought",
      WHOLE("'content':[{'type':'thinking','thinking':'hm'},{'type':'text','text':'a'}],"
            "'tool_plan':'p','citations':[{'start':0,'type':'PLAN'},{'end':1,'content_index':1},"
            "{'start':1,'content_index':0,'type':'THINKING_CONTENT'}]", "COMPLETE"),
      NULL,
      "[{'type':'thinking','thinking':'hm','extra':{'citations':{'start':1,'content_index':0,"
      "'type':'THINKING_CONTENT'}}},{'type':'text','text':'a','citations':[{'end':1}]},"
      "{'type':'text','text':'p','citations':[{'start':0,'type':'PLAN'}],"
      "'extra':{'tool_plan':true}}]" OVER("end", "COMPLETE"),
      NULL },
    { "content that nobody knows is kept as it came",
      WHOLE("'content':[{'type':'text','text':'Hi'},{'type':'new','x':1}]", "COMPLETE"), NULL,
      "[{'type':'text','text':'Hi'},{'type':'opaque','dialect':'cohere','value':"
      "{'type':'new','x':1}}]"
      OVER("end", "COMPLETE"),
      NULL },
    { "the output limit", WHOLE("'content':[{'type':'text','text':'Hi'}]", "MAX_TOKENS"), NULL,
      "[{'type':'text','text':'Hi'}]" OVER("length", "MAX_TOKENS"), NULL },
    { "a stop sequence", WHOLE("'content':[{'type':'text','text':'Hi'}]", "STOP_SEQUENCE"), NULL,
      "[{'type':'text','text':'Hi'}]" OVER("stop_sequence", "STOP_SEQUENCE"), NULL },
    { "a reason of tomorrow", WHOLE("'content':[{'type':'text','text':'Hi'}]", "BORED"), NULL,
      "[{'type':'text','text':'Hi'}]" OVER("unknown", "BORED"), NULL },
    { "tokens that are billed, where no others are told",
      "{'id':'r1','message':{'content':[]},'finish_reason':'COMPLETE','usage':{'billed_units':"
      "{'input_tokens':2,'output_tokens':1}}}",
      NULL,
      "[],'stop_reason':'end','stop_reason_original':'COMPLETE','usage':{'input_tokens':2,"
      "'output_tokens':1},'id':'r1','extra':{'billed_units':{'input_tokens':2,'output_tokens':1}}",
      NULL },
    { "events that nobody knows are passed over", NULL,
      START EVENT("debug", ",'prompt':'p'") PIECE("content-delta", "0", "'content':{'text':'Hi'}")
      FINISHED("COMPLETE") DONE,
      "[{'type':'text','text':'Hi'}]" OVER("end", "COMPLETE"), NULL },
    { "an error", "{'id':'e1','message':'invalid api token'}",
      DATA("{'message':'invalid api token'}"),
      "[],'stop_reason':'error','usage':{},'error':{'kind':'authentication',"
      "'message':'invalid api token'}",
      "cohere: invalid api token" },
    { "a window that is full", 
      "{'message':'too many tokens: total number of tokens in the prompt cannot exceed 4081 - "
      "received 4292.'}",
      NULL,
      "[],'stop_reason':'error','usage':{},'error':{'kind':'context_too_long','message':"
      "'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received "
      "4292.'}",
      "cohere: too many tokens: total number of tokens in the prompt cannot exceed 4081 - received "
      "4292." },
    { "an error as an event", NULL, START EVENT("error", ",'message':'it broke'"),
      "[],'stop_reason':'error','usage':{},'id':'r1','error':{'kind':'other','message':'it broke',"
      "'code':'error'}",
      "cohere: it broke" },
    { "an error on the way keeps what had come", NULL,
      START PIECE("content-delta", "0", "'content':{'text':'Hi'}")
      EVENT("message-end", ",'delta':{'finish_reason':'ERROR','error':'it broke'}"),
      "[{'type':'text','text':'Hi'}],'stop_reason':'error','stop_reason_original':'ERROR',"
      "'usage':{},"
      "'id':'r1','error':{'kind':'other','message':'it broke'}",
      "cohere: it broke" },
    { "a stream that is cut early keeps what had come", NULL,
      START PIECE("content-delta", "0", "'content':{'text':'Hi'}"),
      "[{'type':'text','text':'Hi'}],'stop_reason':'unknown','usage':{},'id':'r1'",
      "the stream of cohere ended early" },
};
/* clang-format on */

static void row(void **state)
{
    check_row(*state, "cohere");
}

static void any_shape_is_read_or_passed_over(void **state)
{
    (void)state;
    check_shapes(
        "cohere",
        WHOLE("'content':[{'type':'thinking','thinking':'hm'},{'type':'text','text':'Hi'}],"
              "'tool_plan':'p','tool_calls':[" CALL("c1", "look", "{}") "],'citations':[" CITED "]",
              "TOOL_CALL"),
        false);
    check_shapes("cohere",
                 "{'type':'content-delta','index':0,'delta':{'message':{'content':"
                 "{'type':'text','text':'Hi'}}}}",
                 true);
    check_shapes("cohere",
                 "{'type':'tool-call-start','index':0,'delta':{'message':{'tool_calls':" CALL(
                     "c1", "look", "") "}}}",
                 true);
    check_shapes("cohere",
                 "{'type':'citation-start','index':0,'delta':{'message':{'citations':" CITED "}}}",
                 true);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 1] = {
        cmocka_unit_test(any_shape_is_read_or_passed_over),
    };
    name_rows(tests + 1, row, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
