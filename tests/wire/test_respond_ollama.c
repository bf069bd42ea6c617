/* Neutral replies as Ollama's. */
#include "responses.h"

#define SAID ",'stop_reason':'end','usage':{'input_tokens':3,'output_tokens':2}"
#define OWN ",'stop_reason':'end','stop_reason_original':'stop'"
#define COUNTS ",'prompt_eval_count':3,'eval_count':2"
#define NO_COUNTS ",'prompt_eval_count':0,'eval_count':0"
#define LINE(members, rest) \
    "{'model':'m','created_at':'','message':{'role':'assistant','content':'" members "}," rest "}\n"
#define PIECE_OF(members) LINE(members, "'done':false")
#define DONE(members, reason, rest) LINE(members, "'done_reason':'" reason "','done':true" rest)
#define HI PIECE_OF("Hi'")
#define TEXT(words) "{'type':'text','text':'" words "'}"
#define THOUGHT(words, members) "{'type':'thinking','thinking':'" words "'" members "}"
#define CALL(id, members) "{'type':'tool_call','id':'" id "','name':'look'," members "}"
#define FUNCTION(index, arguments) \
    "'function':{'index':" index ",'name':'look','arguments':" arguments "}}"

/* clang-format off */
static const struct response_row rows[] = {
    { "texts are one, and thoughts are", "anthropic",
      "[" THOUGHT("a", "") "," THOUGHT("b", "") "," TEXT("H") "," TEXT("i") "]", SAID,
      DONE("Hi','thinking':'a\\n\\nb'", "stop", COUNTS),
      PIECE_OF("','thinking':'a'") PIECE_OF("','thinking':'\\n\\nb'") PIECE_OF("H'") PIECE_OF("i'")
      DONE("'", "stop", COUNTS), NULL },
    { "a thought is its words alone", "anthropic",
      "[" THOUGHT("a", ",'signature':'s','redacted':'r','encrypted':'e'") "]", SAID,
      DONE("','thinking':'a'", "stop", COUNTS), NULL,
      "content[0] (thinking): its signature is left out\n"
      "content[0] (thinking): what is sealed in it is left out\n" },
    { "calls come whole", "anthropic",
      "[" CALL("a", "'arguments':{'x':1}") "," CALL("b", "'arguments':{}") "]",
      ",'stop_reason':'tool_calls'",
      DONE("','tool_calls':[{'id':'a'," FUNCTION("0", "{'x':1}") ",{'id':'b',"
           FUNCTION("1", "{}") "]", "stop", NO_COUNTS),
      PIECE_OF("','tool_calls':[{'id':'a'," FUNCTION("0", "{'x':1}") "]")
      PIECE_OF("','tool_calls':[{'id':'b'," FUNCTION("1", "{}") "]") DONE("'", "stop", NO_COUNTS),
      NULL },
    { "arguments that are not an object have no place", "anthropic",
      "[" CALL("a", "'arguments':{},'malformed_arguments':'{x'") "]", SAID,
      DONE(UNREADABLE "'", "length", COUNTS), PIECE_OF(UNREADABLE "'") DONE("'", "length", COUNTS),
      "content[0] (tool_call): words stand for it\n" },
    { "a model that failed is an error", "cohere", "[" TEXT("Hi") "]", ",'stop_reason':'error'",
      "{'error':'the model stopped with an error'}\n",
      PIECE_OF("Hi'") "{'error':'the model stopped with an error'}\n", NULL },
    { "an id that was not given is none", "ollama", "[" CALL("", "'arguments':{}") "]", OWN,
      DONE("','tool_calls':[{" FUNCTION("0", "{}") "]", "stop", ""),
      PIECE_OF("','tool_calls':[{" FUNCTION("0", "{}") "]") DONE("'", "stop", ""), NULL },
    { "pictures are bytes", "google",
      "[{'type':'image','data':'QUJD','media_type':'image/png'},"
      "{'type':'image','url':'https://a/b.png'}]", SAID,
      DONE("[image: https://a/b.png]','images':['QUJD']", "stop", COUNTS),
      PIECE_OF("','images':['QUJD']") PIECE_OF("[image: https://a/b.png]'")
      DONE("'", "stop", COUNTS), "content[1] (image): words stand for it\n" },
    { "too long", "anthropic", "[]", ",'stop_reason':'length','stop_reason_original':'max_tokens'",
      DONE("'", "length", NO_COUNTS), DONE("'", "length", NO_COUNTS), NULL },
    { "its own word for why it stopped", "ollama", "[]",
      ",'stop_reason':'unknown','stop_reason_original':'unload'", DONE("'", "unload", ""), NULL,
      NULL },
    { "a failure on the way", "anthropic", "[" TEXT("Hi") "]",
      ",'error':{'kind':'overloaded','message':'gone'}", "{'error':'gone'}\n",
      HI "{'error':'gone'}\n", NULL },
};

static const struct error_row errors[] = {
    { "authentication", "authentication", "{'error':'no'}\n", 401 },
    { "permission", "permission", "{'error':'no'}\n", 403 },
    { "rate limit", "rate_limit", "{'error':'no'}\n", 429 },
    { "overloaded", "overloaded", "{'error':'no'}\n", 503 },
    { "context", "context_too_long", "{'error':'no'}\n", 400 },
    { "too large", "too_large", "{'error':'no'}\n", 413 },
    { "not found", "not_found", "{'error':'no'}\n", 404 },
    { "other", "other", "{'error':'no'}\n", 500 },
};

#define PIECE(which, number, what, words) \
    EVENT_OF(RF_EVENT_##which, number, what, .text = RF_STR_INIT(words))
#define OVER EVENT_OF(RF_EVENT_DONE, 0, NULL, .reply = NULL)

static const struct event_row event_rows[] = {
    { "nothing but the end", { OVER }, DONE("'", "stop", NO_COUNTS) },
    { "two calls at once, the first one not closed",
      { EVENT_OF(RF_EVENT_BLOCK_START, 0, "tool_call", .id = RF_STR_INIT("a"),
                 .name = RF_STR_INIT("look")),
        PIECE(ARGUMENTS, 0, "tool_call", "{"),
        EVENT_OF(RF_EVENT_BLOCK_START, 1, "tool_call", .id = RF_STR_INIT("b"),
                 .name = RF_STR_INIT("look")),
        PIECE(ARGUMENTS, 0, "tool_call", "}"), OVER },
      PIECE_OF("','tool_calls':[{'id':'a'," FUNCTION("0", "{}") "]")
      PIECE_OF("','tool_calls':[{'id':'b'," FUNCTION("1", "{}") "]")
      DONE("'", "stop", NO_COUNTS) },
    { "nothing after the end", { PIECE(TEXT, 0, "text", "Hi"), OVER, PIECE(TEXT, 0, "text", "!") },
      HI DONE("'", "stop", NO_COUNTS) },
};
/* clang-format on */

static void row(void **state)
{
    check_response_row(*state, "ollama");
}

static void error(void **state)
{
    check_error_row(*state, "ollama");
}

static void events(void **state)
{
    check_event_row(*state, "ollama");
}

static const char *const replies[] = {
    "{'model':'m','message':{'role':'assistant','content':'Hi','thinking':'hm','images':['QUJD'],"
    "'tool_calls':[{'id':'a','function':{'name':'look','arguments':{'x':1}}},"
    "{'function':{'name':'look','arguments':{}}}]},'done':true,'done_reason':'stop',"
    "'prompt_eval_count':3,'eval_count':2}",
    "{'model':'m','message':{'role':'assistant','content':''},'done':true,'done_reason':'length'}",
    "{'error':'model not found'}",
};

static void the_same_when_it_is_read_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(replies); i++)
        check_read_again("ollama:m", "ollama", replies[i]);
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
