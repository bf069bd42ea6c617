#include "asking.h"

#define HI "{'role':'user','content':'hi'}"
#define SAYS "{'role':'assistant','content':'a'}"
#define USER(parts) "{'role':'user','content':[" parts "]}"
#define CALL(id) "{'id':'" id "','function':{'name':'f','arguments':'{}'}}"
#define CALLS(calls) "{'role':'assistant','content':'','tool_calls':[" calls "]}"
#define RESULT(id) "{'role':'tool','tool_call_id':'" id "','content':'ok'}"
#define ONE "abcdefgh1"
#define TWO "abcdefgh2"
#define PICTURE(data) "{'type':'image_url','image_url':{'url':'data:image/png;base64," data "'}}"
#define DOCUMENT(data) \
    "{'type':'document_url','document_url':'data:application/pdf;base64," data "'}"
#define ASK(messages) "{'model':'mistral-medium-latest','messages':[" messages "]}"
#define WITH(more) "{'model':'mistral-medium-latest','messages':[" HI "]," more "}"
#define MODEL "mistral:mistral-medium-latest"
#define CALLED "user: hi | assistant:  | call " ONE " f {} | result " ONE " f"

static const struct asked_row rows[] = {
    { "a question", MODEL, ASK("{'role':'system','content':'s'}," HI), 200,
      "system: s | user: hi" },
    { "no messages", MODEL, "{'model':'m'}", 422, "Field required" },
    { "empty messages", MODEL, ASK(""), 400, "Conversation must have at least one message" },
    { "an unknown field", MODEL, WITH("'foo':1"), 422, "Extra inputs are not permitted" },
    { "an unknown field of a message", MODEL, ASK("{'role':'user','content':'x','foo':1}"), 422,
      "Extra inputs are not permitted" },
    { "a wrong type", MODEL, ASK("{'role':'user','content':3}"), 422,
      "Input should be a valid string" },
    { "an unknown role", MODEL, ASK("{'role':'developer','content':'x'}"), 422,
      "does not match any of the expected tags" },
    { "a call and its result", MODEL, ASK(HI "," CALLS(CALL(ONE)) "," RESULT(ONE)), 200,
      CALLED " | tool/" ONE ": ok" },
    { "a user right after a tool", MODEL, ASK(HI "," CALLS(CALL(ONE)) "," RESULT(ONE) "," HI), 400,
      "Unexpected role 'user' after role 'tool'" },
    { "with an assistant between", MODEL,
      ASK(HI "," CALLS(CALL(ONE)) "," RESULT(ONE) "," SAYS "," HI), 200,
      CALLED " | tool/" ONE ": ok | assistant: a | user: hi" },
    { "a tool that was not called", MODEL, ASK(HI "," RESULT(ONE)), 400,
      "Unexpected role 'tool' after role 'user'" },
    { "a result is missing", MODEL, ASK(HI "," CALLS(CALL(ONE) "," CALL(TWO)) "," RESULT(ONE)), 400,
      "Not the same number of function calls and responses" },
    { "all results are missing", MODEL, ASK(HI "," CALLS(CALL(ONE)) "," HI), 400,
      "Not the same number of function calls" },
    { "a result of another call", MODEL, ASK(HI "," CALLS(CALL(ONE)) "," RESULT(TWO)), 400,
      "Unexpected tool call id " TWO },
    { "an id of another length", MODEL, ASK(HI "," CALLS(CALL("call_1"))), 400,
      "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9." },
    { "the assistant speaks last", MODEL, ASK(HI "," SAYS), 400,
      "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant" },
    { "and is to go on", MODEL, ASK(HI ",{'role':'assistant','content':'a','prefix':true}"), 200,
      "user: hi | assistant: a" },
    { "an assistant who says nothing", MODEL, ASK(HI ",{'role':'assistant','content':''}," HI), 400,
      "Assistant message must have either content or tool_calls, but not none." },
    { "a picture", MODEL, ASK(USER(PICTURE(PNG))), 200, "user image/png 70 bytes" },
    { "a picture in a result", MODEL,
      ASK(HI "," CALLS(CALL(ONE)) ",{'role':'tool','tool_call_id':'" ONE
                                  "','name':'f','content':[" PICTURE(PNG) "]}"),
      200, CALLED " | tool/" ONE " image/png 70 bytes" },
    { "a picture that is text", MODEL, ASK(USER(PICTURE(TEXT_FILE))), 400,
      "could not be loaded as a valid image" },
    { "a picture that is not base64", MODEL, ASK(USER(PICTURE("***"))), 400,
      "neither a valid url nor a valid base64" },
    { "PDF", MODEL, ASK(USER(DOCUMENT(PDF))), 200, "user application/pdf 72 bytes" },
    { "PDF that is none", MODEL, ASK(USER(DOCUMENT(PNG))), 400,
      "could not be loaded as a valid pdf" },
    { "nine pictures", MODEL,
      ASK(USER(PICTURE(PNG) "," PICTURE(PNG) "," PICTURE(PNG) "," PICTURE(PNG) "," PICTURE(
          PNG) "," PICTURE(PNG) "," PICTURE(PNG) "," PICTURE(PNG) "," PICTURE(PNG))),
      400, "max allowed is 8" },
    { "a picture for a model that cannot see", "mistral:codestral-latest", ASK(USER(PICTURE(PNG))),
      400, "Image input is not enabled for this model" },
    { "a part that is none", MODEL, ASK(USER("{'type':'file'}")), 422,
      "does not match any of the expected tags" },
    { "a choice that is none", MODEL, WITH("'tool_choice':'some'"), 422,
      "Input should be 'auto', 'none', 'any' or 'required'" },
    { "a name that is none", MODEL, WITH("'tools':[{'type':'function','function':{'name':'a b'}}]"),
      400, "Function name was a b" },
};

static void check(void **state)
{
    check_asked(&rf_sim_mistral, *state);
}

static void too_long(void **state)
{
    (void)state;
    check_too_long(&rf_sim_mistral, MODEL,
                   "{'model':'mistral-medium-latest','messages':[{'role':'user','content':'",
                   600000, "'}]}", 400, "too large for model with 131072 maximum context length");
}

static void says(void **state)
{
    (void)state;
    check_said(&rf_sim_mistral, MODEL, &said_all, SAID_ALL("", "", "", ""));
    check_said(&rf_sim_mistral, MODEL, &said_cut, SAID_CUT);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 2];
    name_rows(tests, check, rows, COUNT(rows), sizeof *rows);
    tests[COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(says);
    tests[COUNT(rows) + 1] = (struct CMUnitTest)cmocka_unit_test(too_long);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
