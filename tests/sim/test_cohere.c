#include "asking.h"

#define HI "{'role':'user','content':'hi'}"
#define SAYS "{'role':'assistant','content':'a'}"
#define USER(parts) "{'role':'user','content':[" parts "]}"
#define CALL(id) "{'id':'" id "','type':'function','function':{'name':'f','arguments':'{}'}}"
#define CALLS(calls) "{'role':'assistant','tool_plan':'p','tool_calls':[" calls "]}"
#define RESULT(id) "{'role':'tool','tool_call_id':'" id "','content':'ok'}"
#define PICTURE(data) "{'type':'image_url','image_url':{'url':'data:image/png;base64," data "'}}"
#define FIVE PICTURE(PNG) "," PICTURE(PNG) "," PICTURE(PNG) "," PICTURE(PNG) "," PICTURE(PNG)
#define ASK(messages) "{'model':'m','messages':[" messages "]}"
#define WITH(more) "{'model':'m','messages':[" HI "]," more "}"
#define TOOL "{'type':'function','function':{'name':'f','parameters':{}}}"
#define MODEL "cohere:command-a-vision-07-2025"
#define THINKER "cohere:command-a-reasoning-08-2025"
#define CALLED "user: hi | assistant: p | call c1 f {} | result c1 f"

static const struct asked_row rows[] = {
    { "a question", MODEL, ASK("{'role':'system','content':'s'}," HI), 200,
      "system: s | user: hi" },
    { "no model", MODEL, "{'messages':[]}", 400, "a model parameter is required" },
    { "no messages", MODEL, "{'model':'m'}", 400, "parameter 'messages' is required" },
    { "a model that does not exist", "cohere:comand-a", ASK(HI), 404,
      "model 'comand-a' not found" },
    { "empty messages", MODEL, ASK(""), 400, "message must be at least 1 token long" },
    { "an unknown field", MODEL, WITH("'top_p':1"), 422,
      "unknown field: parameter 'top_p' is not a valid field" },
    { "an unknown field of a message", MODEL, ASK("{'role':'user','content':'x','name':'y'}"), 422,
      "unknown field: parameter 'name'" },
    { "a wrong type", MODEL, ASK("{'role':'user','content':3}"), 400,
      "parameter 'content' should be of type string" },
    { "an unknown role", MODEL, ASK("{'role':'developer','content':'x'}"), 400,
      "role must be one of" },
    { "an empty message", MODEL, ASK("{'role':'user','content':' '}"), 400,
      "message must not be empty in a turn" },
    { "a system message after others", MODEL, ASK(HI ",{'role':'system','content':'s'}," HI), 400,
      "system turn must be the first in the list" },
    { "a call and its result", MODEL, ASK(HI "," CALLS(CALL("c1")) "," RESULT("c1")), 200,
      CALLED " | tool/c1: ok" },
    { "a result of text and data", MODEL,
      ASK(HI
          "," CALLS(CALL("c1")) ",{'role':'tool','tool_call_id':'c1','content':[{'type':'text',"
                                "'text':'ok'},{'type':'document','document':{'data':{'n':1}}}]}"),
      200, CALLED " | tool/c1: ok | tool/c1: {\"n\":1}" },
    { "a user right after a tool", MODEL, ASK(HI "," CALLS(CALL("c1")) "," RESULT("c1") "," HI),
      400, "cannot specify message if the last entry in chat history contains tool results" },
    { "with an assistant between", MODEL,
      ASK(HI "," CALLS(CALL("c1")) "," RESULT("c1") "," SAYS "," HI), 200,
      CALLED " | tool/c1: ok | assistant: a | user: hi" },
    { "a tool that was not called", MODEL, ASK(HI "," RESULT("c1")), 400,
      "tool call id 'c1' not found in previous tool calls" },
    { "a second result of one call", MODEL,
      ASK(HI "," CALLS(CALL("c1")) "," RESULT("c1") "," RESULT("c1")), 400, "not found" },
    { "a result is missing", MODEL,
      ASK(HI "," CALLS(CALL("c1") "," CALL("c2")) "," RESULT("c1") "," SAYS "," HI), 400,
      "did not have response messages: c2" },
    { "all results are missing", MODEL, ASK(HI "," CALLS(CALL("c1"))), 400,
      "message must be at least 1 token long or tool results must be specified" },
    { "an id that is used twice", MODEL, ASK(HI "," CALLS(CALL("c1") "," CALL("c1"))), 400,
      "is used more than once" },
    { "arguments that are not an object", MODEL,
      ASK(HI "," CALLS("{'id':'c1','type':'function','function':{'name':'f','arguments':'x'}}")),
      400, "arguments must be a JSON object" },
    { "a picture", MODEL, ASK(USER(PICTURE(PNG))), 200, "user image/png 70 bytes" },
    { "a picture on the web", MODEL,
      ASK(USER("{'type':'image_url','image_url':{'url':'https://a.example/b','detail':'low'}}")),
      200, "user image/* at https://a.example/b" },
    { "a picture in a result", MODEL,
      ASK(HI "," CALLS(CALL("c1")) ",{'role':'tool','tool_call_id':'c1','content':[" PICTURE(
          PNG) "]}"),
      400, "content of type 'image_url' is not supported for role 'tool'" },
    { "a picture that is text", MODEL, ASK(USER(PICTURE(TEXT_FILE))), 400,
      "unsupported image format" },
    { "a picture of a type that it does not take", MODEL, ASK(USER(PICTURE(GIF))), 400,
      "unsupported image format" },
    { "a picture that is not base64", MODEL, ASK(USER(PICTURE("***"))), 400,
      "must be a web URL or a base64 data URI" },
    { "twenty-five pictures", MODEL, ASK(USER(FIVE "," FIVE "," FIVE "," FIVE "," FIVE)), 400,
      "too many images, the maximum is 20" },
    { "a picture for a model that cannot see", "cohere:command-a-03-2025", ASK(USER(PICTURE(PNG))),
      400, "does not support image inputs" },
    { "a part that is none", MODEL, ASK(USER("{'type':'file'}")), 400,
      "content of type 'file' is not supported" },
    { "documents", MODEL, WITH("'documents':['one',{'id':'d','data':{'text':'two'}}]"), 200,
      "system: one | system: {\"text\":\"two\"} | user: hi" },
    { "no documents", MODEL, WITH("'documents':[]"), 400, "list of documents must not be empty" },
    { "documents and a format", MODEL,
      WITH("'documents':['one'],'response_format':{'type':'json_object'}"), 400,
      "response_format is not supported with RAG." },
    { "a tool", MODEL, WITH("'tools':[" TOOL "],'tool_choice':'NONE'"), 200, "user: hi" },
    { "a tool without parameters", MODEL,
      WITH("'tools':[{'type':'function','function':{'name':'f'}}]"), 400,
      "parameter 'parameters' is required" },
    { "a choice that is none", MODEL, WITH("'tools':[" TOOL "],'tool_choice':'required'"), 400,
      "tool_choice must be one of REQUIRED or NONE" },
    { "a choice without tools", MODEL, WITH("'tool_choice':'REQUIRED'"), 400,
      "tool_choice requires tools" },
    { "a choice that the model does not know", "cohere:command-r-plus",
      WITH("'tools':[" TOOL "],'tool_choice':'REQUIRED'"), 400,
      "tool_choice is not supported by model" },
    { "thinking", THINKER, WITH("'thinking':{'type':'enabled','token_budget':9}"), 200,
      "user: hi" },
    { "thinking without a budget to spend", THINKER,
      WITH("'thinking':{'type':'enabled','token_budget':0}"), 400, "must be a positive integer" },
    { "thinking of a model that does not", MODEL, WITH("'thinking':{'type':'enabled'}"), 400,
      "thinking is not supported by model" },
    { "six stop sequences", MODEL, WITH("'stop_sequences':['a','b','c','d','e','f']"), 400,
      "at most 5 stop_sequences" },
};

static void check(void **state)
{
    check_asked(&rf_sim_cohere, *state);
}

static void too_long(void **state)
{
    (void)state;
    check_too_long(&rf_sim_cohere, MODEL, "{'model':'m','messages':[{'role':'user','content':'",
                   600000, "'}]}", 400,
                   "total number of tokens in the prompt cannot exceed 128000 - received");
}

static void says(void **state)
{
    (void)state;
    check_said(&rf_sim_cohere, MODEL, &said_all,
               SAID_ALL("", ",'extra':{'tool_plan':true}", "", ""));
    check_said(&rf_sim_cohere, MODEL, &said_cut, SAID_CUT);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 2];
    name_rows(tests, check, rows, COUNT(rows), sizeof *rows);
    tests[COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(says);
    tests[COUNT(rows) + 1] = (struct CMUnitTest)cmocka_unit_test(too_long);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
