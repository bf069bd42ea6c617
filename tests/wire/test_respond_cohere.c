/* Neutral replies as Cohere's. */
#include "responses.h"

#define ID ",'id':'r1'"
#define SAID ID ",'stop_reason':'end','usage':{'input_tokens':3,'output_tokens':2}"
#define OWN ID ",'stop_reason':'end','stop_reason_original':'COMPLETE'"
#define USAGE ",'usage':{'tokens':{'input_tokens':3,'output_tokens':2}}"
#define NO_USAGE ",'usage':{'tokens':{'input_tokens':0,'output_tokens':0}}"
#define WHOLE(members, reason, rest) \
    "{'id':'r1','message':{'role':'assistant'," members "},'finish_reason':'" reason "'" rest "}\n"
#define EVENT(type, rest) "event: " type "\ndata: {'type':'" type "'" rest "}\n\n"
#define DELTA(type, index, members) \
    EVENT(type, ",'index':" index ",'delta':{'message':{" members "}}")
#define STOP(type, index) EVENT(type, ",'index':" index)
#define BEGIN                                                                            \
    "event: message-start\ndata: {'id':'r1','type':'message-start','delta':{'message':{" \
    "'role':'assistant','tool_plan':'','content':[],'tool_calls':[],'citations':[]}}}\n\n"
#define END(reason, rest) EVENT("message-end", ",'delta':{'finish_reason':'" reason "'" rest "}")
#define TEXT(words) "{'type':'text','text':'" words "'}"
#define THOUGHT(words) "{'type':'thinking','thinking':'" words "'}"
#define SAYS(index, words)                               \
    DELTA("content-start", index, "'content':" TEXT("")) \
    DELTA("content-delta", index, "'content':{'text':'" words "'}")
#define HI(index) SAYS(index, "Hi") STOP("content-end", index)
#define CALL(id, members) "{'type':'tool_call','id':'" id "','name':'look'," members "}"
#define FUNCTION(id, arguments) \
    "{'id':'" id "','type':'function','function':{'name':'look','arguments':'" arguments "'}}"
#define CALLS(index, id, arguments)                                                            \
    DELTA("tool-call-start", index, "'tool_calls':" FUNCTION(id, ""))                          \
    DELTA("tool-call-delta", index, "'tool_calls':{'function':{'arguments':'" arguments "'}}") \
    STOP("tool-call-end", index)

/* clang-format off */
static const struct response_row rows[] = {
    { "thoughts and texts in their order", "anthropic",
      "[" THOUGHT("hm") "," TEXT("Hi") "," THOUGHT("so") "," TEXT("Hi") "]", SAID,
      WHOLE("'content':[" THOUGHT("hm") "," TEXT("Hi") "," THOUGHT("so") "," TEXT("Hi") "]",
            "COMPLETE", USAGE),
      BEGIN DELTA("content-start", "0", "'content':" THOUGHT(""))
      DELTA("content-delta", "0", "'content':{'thinking':'hm'}") STOP("content-end", "0") HI("1")
      DELTA("content-start", "2", "'content':" THOUGHT(""))
      DELTA("content-delta", "2", "'content':{'thinking':'so'}") STOP("content-end", "2") HI("3")
      END("COMPLETE", USAGE), NULL },
    { "calls are the reason", "google",
      "[" TEXT("Hi") "," CALL("a", "'arguments':{'x':1}") "," CALL("b", "'arguments':{},"
      "'malformed_arguments':'{x'") "]", SAID,
      WHOLE("'content':[" TEXT("Hi") "],'tool_calls':[" FUNCTION("a", "{\\'x\\':1}") ","
            FUNCTION("b", "{x") "]", "TOOL_CALL", USAGE),
      BEGIN HI("0") CALLS("0", "a", "{\\'x\\':1}") CALLS("1", "b", "{x") END("TOOL_CALL", USAGE),
      NULL },
    { "a plan, and what was billed", "cohere",
      "[{'type':'text','text':'I look.','citations':[{'start':0,'type':'PLAN'}],"
      "'extra':{'tool_plan':true}}," CALL("a", "'arguments':{}") "]",
      ID ",'stop_reason':'tool_calls','stop_reason_original':'TOOL_CALL','usage':{'input_tokens':3,"
      "'output_tokens':2,'cached_tokens':1},'extra':{'billed_units':{'input_tokens':7}}",
      WHOLE("'content':[],'tool_plan':'I look.','tool_calls':[" FUNCTION("a", "{}") "],"
            "'citations':[{'start':0,'type':'PLAN'}]", "TOOL_CALL",
            ",'usage':{'billed_units':{'input_tokens':7},'tokens':{'input_tokens':3,"
            "'output_tokens':2},'cached_tokens':1}"),
      BEGIN EVENT("tool-plan-delta", ",'delta':{'message':{'tool_plan':'I look.'}}")
      DELTA("citation-start", "0", "'citations':{'start':0,'type':'PLAN'}")
      STOP("citation-end", "0") CALLS("0", "a", "{}")
      END("TOOL_CALL", ",'usage':{'billed_units':{'input_tokens':7},'tokens':{'input_tokens':3,"
          "'output_tokens':2},'cached_tokens':1}"), NULL },
    { "citations of others are those of pages, or of all of the text", "openai",
      "[" TEXT("ab") ",{'type':'text','text':'H\xc3\xa4i','citations':["
      "{'title':'T','url':'https://a','start':1,'end':2,'text':'c','extra':{'x':1}},"
      "{'source':'d1','start':100,'end':200}]}]", SAID,
      WHOLE("'content':[" TEXT("ab") "," TEXT("H\xc3\xa4i") "],'citations':["
            "{'start':1,'end':2,'text':'\xc3\xa4','sources':[{'type':'document','document':{"
            "'title':'T','url':'https://a','snippet':'c'}}],'type':'TEXT_CONTENT',"
            "'content_index':1},"
            "{'start':0,'end':3,'text':'H\xc3\xa4i','sources':[{'type':'document','id':'d1',"
            "'document':{}}],'type':'TEXT_CONTENT','content_index':1}]", "COMPLETE", USAGE),
      BEGIN SAYS("0", "ab") STOP("content-end", "0") SAYS("1", "H\xc3\xa4i")
      DELTA("citation-start", "0", "'citations':{'start':1,'end':2,'text':'\xc3\xa4','sources':["
            "{'type':'document','document':{'title':'T','url':'https://a','snippet':'c'}}],"
            "'type':'TEXT_CONTENT','content_index':1}") STOP("citation-end", "0")
      DELTA("citation-start", "1", "'citations':{'start':0,'end':3,'text':'H\xc3\xa4i','sources':["
            "{'type':'document','id':'d1','document':{}}],'type':'TEXT_CONTENT',"
            "'content_index':1}") STOP("citation-end", "1")
      STOP("content-end", "1") END("COMPLETE", USAGE), NULL },
    { "plans after a call", "cohere",
      "[" CALL("a", "'arguments':{}") ",{'type':'text','text':'I ','extra':{'tool_plan':true}},"
      "{'type':'text','text':'look.','extra':{'tool_plan':true}}]",
      ID ",'stop_reason':'tool_calls','stop_reason_original':'TOOL_CALL'",
      WHOLE("'content':[],'tool_plan':'I look.','tool_calls':[" FUNCTION("a", "{}") "]",
            "TOOL_CALL", ""), NULL, NULL },
    { "what nobody else knows, and a picture", "cohere",
      "[{'type':'opaque','dialect':'cohere','value':{'type':'new'}},"
      "{'type':'image','data':'QUJD','media_type':'image/png'}]", OWN,
      WHOLE("'content':[{'type':'new'}," TEXT("[image: image/png]") "]", "COMPLETE", ""),
      BEGIN DELTA("content-start", "0", "'content':{'type':'new'}") STOP("content-end", "0")
      SAYS("1", "[image: image/png]") STOP("content-end", "1") END("COMPLETE", ""),
      "content[1] (image): words stand for it\n" },
    { "our words for why it stopped", "anthropic", "[]", ID ",'stop_reason':'length'",
      WHOLE("'content':[]", "MAX_TOKENS", NO_USAGE), BEGIN END("MAX_TOKENS", NO_USAGE), NULL },
    { "a call that its API could not read", "google", "[]", ID ",'stop_reason':'malformed'",
      WHOLE("'content':[]", "ERROR", NO_USAGE), BEGIN END("ERROR", NO_USAGE), NULL },
    { "a failure on the way", "anthropic", "[" TEXT("Hi") "]",
      ID ",'error':{'kind':'overloaded','message':'gone'}", "{'message':'gone'}\n",
      BEGIN HI("0") EVENT("message-end", ",'delta':{'error':'gone','finish_reason':'ERROR'}"),
      NULL },
};

static const struct error_row errors[] = {
    { "authentication", "authentication", "{'message':'no'}\n", 401 },
    { "permission", "permission", "{'message':'no'}\n", 403 },
    { "rate limit", "rate_limit", "{'message':'no'}\n", 429 },
    { "overloaded", "overloaded", "{'message':'no'}\n", 503 },
    { "context", "context_too_long", "{'message':'no'}\n", 400 },
    { "too large", "too_large", "{'message':'no'}\n", 413 },
    { "bad media", "bad_media", "{'message':'no'}\n", 400 },
    { "unsupported", "unsupported", "{'message':'no'}\n", 422 },
    { "not found", "not_found", "{'message':'no'}\n", 404 },
    { "other", "other", "{'message':'no'}\n", 500 },
};

#define PIECE(which, number, what, words) \
    EVENT_OF(RF_EVENT_##which, number, what, .text = RF_STR_INIT(words))
#define REPLY EVENT_OF(RF_EVENT_BEGIN, 0, NULL, .id = RF_STR_INIT("r1"))
#define OVER EVENT_OF(RF_EVENT_DONE, 0, NULL, .reply = NULL)

static const struct event_row event_rows[] = {
    { "nothing but the end", { REPLY, OVER }, BEGIN END("COMPLETE", NO_USAGE) },
    { "two calls at once, the first one not closed",
      { REPLY, EVENT_OF(RF_EVENT_BLOCK_START, 0, "tool_call", .id = RF_STR_INIT("a"),
                        .name = RF_STR_INIT("look")),
        EVENT_OF(RF_EVENT_BLOCK_START, 1, "tool_call", .id = RF_STR_INIT("b"),
                 .name = RF_STR_INIT("look")),
        PIECE(ARGUMENTS, 1, "tool_call", "{}"), PIECE(ARGUMENTS, 0, "tool_call", "{}"), OVER },
      BEGIN CALLS("0", "a", "{}") CALLS("1", "b", "{}") END("TOOL_CALL", NO_USAGE) },
    { "a citation without a text",
      { REPLY, PIECE(CITATION, 0, "text", "{\"url\":\"https://a\"}"), OVER },
      BEGIN DELTA("content-start", "0", "'content':" TEXT(""))
      DELTA("citation-start", "0", "'citations':{'start':0,'end':0,'text':'','sources':["
            "{'type':'document','document':{'url':'https://a'}}],'type':'TEXT_CONTENT',"
            "'content_index':0}") STOP("citation-end", "0") STOP("content-end", "0")
      END("COMPLETE", NO_USAGE) },
};
/* clang-format on */

static void row(void **state)
{
    check_response_row(*state, "cohere");
}

static void error(void **state)
{
    check_error_row(*state, "cohere");
}

static void events(void **state)
{
    check_event_row(*state, "cohere");
}

static const char *const replies[] = {
    "{'id':'r1','message':{'role':'assistant','content':[{'type':'thinking','thinking':'hm'},"
    "{'type':'text','text':'Hi'},{'type':'new','x':1}],'tool_plan':'p','tool_calls':["
    "{'id':'a','type':'function','function':{'name':'look','arguments':'{\\'x\\':1}'}}],"
    "'citations':[{'start':0,'end':1,'text':'H','type':'TEXT_CONTENT','content_index':1,"
    "'sources':[{'type':'document','id':'d','document':{'title':'T','url':'https://a'}}]},"
    "{'start':0,'end':1,'type':'PLAN'},{'start':1,'content_index':0,'type':'THINKING_CONTENT'}]},"
    "'finish_reason':'TOOL_CALL','usage':{'billed_units':{'input_tokens':1},'tokens':"
    "{'input_tokens':3,'output_tokens':2},'cached_tokens':1}}",
    "{'id':'r1','message':{'role':'assistant','content':[]},'finish_reason':'MAX_TOKENS'}",
    "{'message':'invalid api token'}",
};

static void the_same_when_it_is_read_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(replies); i++)
        check_read_again("cohere:m", "cohere", replies[i]);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + COUNT(errors) + COUNT(event_rows) + 1], *t = tests;
    name_rows(t, row, rows, COUNT(rows), sizeof *rows);
    name_rows(t += COUNT(rows), error, errors, COUNT(errors), sizeof *errors);
    name_rows(t += COUNT(errors), events, event_rows, COUNT(event_rows), sizeof *event_rows);
    t[COUNT(event_rows)] = (struct CMUnitTest)cmocka_unit_test(the_same_when_it_is_read_again);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
