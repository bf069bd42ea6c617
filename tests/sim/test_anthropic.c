#include "asking.h"

#define MODEL "anthropic:claude-sonnet-4-5"
#define ASK(messages) "{'model':'claude-sonnet-4-5','max_tokens':99,'messages':[" messages "]}"
#define WITH(more) "{'model':'claude-sonnet-4-5','max_tokens':4096,'messages':[" HI "]," more "}"
#define HI "{'role':'user','content':'hi'}"
#define SAYS "{'role':'assistant','content':'a'}"
#define USER(blocks) "{'role':'user','content':[" blocks "]}"
#define ASSISTANT(blocks) "{'role':'assistant','content':[" blocks "]}"
#define TEXT(text) "{'type':'text','text':'" text "'}"
#define CALL(id) "{'type':'tool_use','id':'" id "','name':'f','input':{}}"
#define RESULT(id) "{'type':'tool_result','tool_use_id':'" id "','content':'ok'}"
#define RESULT_OF(blocks) "{'type':'tool_result','tool_use_id':'c1','content':[" blocks "]}"
#define FAILED(content) "{'type':'tool_result','tool_use_id':'c1','is_error':true" content "}"
#define SOURCE(mime, data) "{'type':'base64','media_type':'" mime "','data':'" data "'}"
#define IMAGE(mime, data) "{'type':'image','source':" SOURCE(mime, data) "}"
#define DOCUMENT(source) "{'type':'document','source':" source "}"
#define THOUGHT(signature) "{'type':'thinking','thinking':'t'" signature "}"
#define TOOL(name) "{'name':'" name "','input_schema':{'type':'object'}}"
#define CALLED "user: hi | call c1 f {} | result c1 f"
#define MARKED "{'type':'text','text':'x','cache_control':{'type':'ephemeral'}}"
#define BUDGET(n) "'thinking':{'type':'enabled','budget_tokens':" n "}"

static const struct asked_row rows[] = {
    { "a question", MODEL, "{'model':'m','max_tokens':9,'system':'s','messages':[" HI "]}", 200,
      "system: s | user: hi" },
    { "no max_tokens", MODEL, "{'model':'m','messages':[]}", 400, "max_tokens: Field required" },
    { "no messages", MODEL, ASK(""), 400, "messages: at least one message is required" },
    { "an unknown field", MODEL, WITH("'foo':1"), 400, "foo: Extra inputs are not permitted" },
    { "an unknown field of a block", MODEL, ASK(USER("{'type':'text','text':'x','lang':'de'}")), 400,
      "messages.0.content.0.text.lang: Extra inputs are not permitted" },
    { "a wrong type", MODEL, WITH("'stream':'yes'"), 400, "stream: Input should be a valid boolean" },
    { "a model that is none", "anthropic:claude-sonet-4-5", ASK(HI), 404, "model: claude-sonet-4-5" },
    { "an unknown role", MODEL, ASK("{'role':'tool','content':'x'}"), 400, "messages.0.role: Input should be" },
    { "a system turn", MODEL, ASK(HI ",{'role':'system','content':'s'}"), 200, "user: hi | system: s" },
    { "two user turns", MODEL, ASK(HI "," HI), 200, "user: hi | user: hi" },
    { "the assistant first", MODEL, ASK(SAYS "," HI), 200, "assistant: a | user: hi" },
    { "an empty message", MODEL, ASK(USER("") "," HI), 400, "messages.0: all messages must have non-empty content" },
    { "an empty text", MODEL, ASK(USER(TEXT(""))), 400, "messages: text content blocks must be non-empty" },
    { "a blank text", MODEL, ASK(USER(TEXT(" \\n"))), 400, "must contain non-whitespace text" },
    { "an answer that ends in space", MODEL, ASK(HI ",{'role':'assistant','content':'a '}"), 400,
      "final assistant content cannot end with trailing whitespace" },
    { "an answer to go on with", MODEL, ASK(HI "," SAYS), 200, "user: hi | assistant: a" },
    { "an answer to go on with, since 4.6", "anthropic:claude-sonnet-4-6", ASK(HI "," SAYS), 400,
      "This model does not support assistant message prefill. The conversation must end with a user message." },
    { "an answer to go on with, of a newer model", "anthropic:claude-sonnet-5", ASK(HI "," SAYS), 400,
      "does not support assistant message prefill" },
    { "a turn that the server interrupted", "anthropic:claude-sonnet-5",
      ASK(HI "," ASSISTANT("{'type':'server_tool_use','id':'srvtoolu_1','name':'web_search','input':{}}")), 200,
      "user: hi" },
    { "an unknown block", MODEL, ASK(USER("{'type':'audio'}")), 400,
      "messages.0.content.0: Input tag 'audio' found using 'type' does not match any of the expected tags: 'text'" },
    { "a block without a type", MODEL, ASK(USER("{'text':'x'}")), 400, "Unable to extract tag" },

    { "a call and its result", MODEL, ASK(HI "," ASSISTANT(CALL("c1")) "," USER(RESULT("c1"))), 200,
      CALLED " | tool/c1: ok" },
    { "results over two user turns", MODEL,
      ASK(HI "," ASSISTANT(CALL("c1") "," CALL("c2")) "," USER(RESULT("c1")) "," USER(RESULT("c2"))), 200,
      "user: hi | call c1 f {} | call c2 f {} | result c1 f | tool/c1: ok | result c2 f | tool/c2: ok" },
    { "text after a result", MODEL, ASK(HI "," ASSISTANT(CALL("c1")) "," USER(RESULT("c1") "," TEXT("go"))), 200,
      CALLED " | tool/c1: ok | user: go" },
    { "text before a result", MODEL, ASK(HI "," ASSISTANT(CALL("c1")) "," USER(TEXT("go") "," RESULT("c1"))), 400,
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c1." },
    { "a result is missing", MODEL, ASK(HI "," ASSISTANT(CALL("c1") "," CALL("c2")) "," USER(RESULT("c1"))), 400,
      "immediately after: c2." },
    { "all results are missing", MODEL, ASK(HI "," ASSISTANT(CALL("c1") "," CALL("c2")) "," HI), 400,
      "immediately after: c1, c2." },
    { "a call that is last", MODEL, ASK(HI "," ASSISTANT(CALL("c1"))), 400, "immediately after: c1." },
    { "a result of no call", MODEL, ASK(HI "," SAYS "," USER(RESULT("c9"))), 400,
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: c9." },
    { "a result of an earlier turn's call", MODEL,
      ASK(HI "," ASSISTANT(CALL("c1")) "," USER(RESULT("c1")) "," SAYS "," USER(RESULT("c1"))), 400,
      "messages.4.content.0: unexpected `tool_use_id`" },
    { "two results of one call", MODEL, ASK(HI "," ASSISTANT(CALL("c1")) "," USER(RESULT("c1") "," RESULT("c1"))), 400,
      "messages.2.content.1: each tool_use must have a single result" },
    { "two calls with one id", MODEL, ASK(HI "," ASSISTANT(CALL("c1") "," CALL("c1"))), 400,
      "messages.1.content.1: `tool_use` ids must be unique" },
    { "an id with a dot", MODEL, ASK(HI "," ASSISTANT(CALL("c.1"))), 400,
      "messages.1.content.0.tool_use.id: String should match pattern" },
    { "arguments that are text", MODEL,
      ASK(HI "," ASSISTANT("{'type':'tool_use','id':'c','name':'f','input':'{}'}")), 400,
      "messages.1.content.0.tool_use.input: Input should be a valid dictionary" },
    { "a picture of the assistant", MODEL, ASK(HI "," ASSISTANT(IMAGE("image/png", PNG))), 400,
      "messages.1.content.0: `image` blocks can only be in `user` messages" },
    { "a call of the user", MODEL, ASK(USER(CALL("c1"))), 400, "`tool_use` blocks can only be in `assistant` messages" },
    { "a failure with text", MODEL, ASK(HI "," ASSISTANT(CALL("c1")) "," USER(FAILED(",'content':'no'"))), 200,
      CALLED " failed | tool/c1: no" },
    { "a failure with a picture", MODEL,
      ASK(HI "," ASSISTANT(CALL("c1")) "," USER(FAILED(",'content':[" IMAGE("image/png", PNG) "]"))), 400,
      "all content must be type \"text\" if `is_error` is true" },
    { "a failure without a word", MODEL, ASK(HI "," ASSISTANT(CALL("c1")) "," USER(FAILED(""))), 400,
      "content cannot be empty if `is_error` is true" },

    { "a picture", MODEL, ASK(USER(IMAGE("image/png", PNG))), 200, "user image/png 70 bytes" },
    { "a picture in a result", MODEL, ASK(HI "," ASSISTANT(CALL("c1")) "," USER(RESULT_OF(IMAGE("image/gif", GIF)))), 200,
      CALLED " | tool/c1 image/gif 42 bytes" },
    { "a picture by its address", MODEL, ASK(USER("{'type':'image','source':{'type':'url','url':'https://x.org/a'}}")), 200,
      "user  at https://x.org/a" },
    { "a picture of another type", MODEL, ASK(USER(IMAGE("image/png", GIF))), 400,
      "messages.0.content.0.image.source.base64: The image was specified using the image/png media type, but the "
      "image appears to be a image/gif image" },
    { "a type that nobody takes", MODEL, ASK(USER(IMAGE("image/bmp", PNG))), 400,
      "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg'" },
    { "a picture that is text", MODEL, ASK(USER(IMAGE("image/png", TEXT_FILE))), 400,
      "messages.0.content.0.image.source.base64.data: The file format is invalid or unsupported" },
    { "a picture that is cut off", MODEL, ASK(USER(IMAGE("image/png", "iVBORw0KGgoAAAANSUhEUgAAAAE="))), 400,
      "messages.0.content.0.image.source.base64.data: Could not process image" },
    { "a data URL instead of base64", MODEL, ASK(USER(IMAGE("image/png", "data:image/png;base64," PNG))), 400,
      "messages.0.content.0.image.source.base64: invalid base64 data" },
    { "a bad picture in a result", MODEL,
      ASK(HI "," ASSISTANT(CALL("c1")) "," USER(RESULT_OF(TEXT("x") "," IMAGE("image/png", TEXT_FILE)))), 400,
      "messages.2.content.0.tool_result.content.1.image.source.base64.data: The file format" },
    { "a source that pictures have not", MODEL, ASK(USER("{'type':'image','source':{'type':'text','data':'x'}}")), 400,
      "messages.0.content.0.image.source: Input tag 'text' found using 'type' does not match any of the expected tags" },
    { "PDF", MODEL, ASK(USER(DOCUMENT(SOURCE("application/pdf", PDF)))), 200, "user application/pdf 72 bytes" },
    { "PDF that is none", MODEL, ASK(USER(TEXT("x") "," DOCUMENT(SOURCE("application/pdf", PNG)))), 400,
      "messages.0.content.1.pdf.source.base64.data: The PDF specified was not valid." },
    { "a text as a document", MODEL, ASK(USER(DOCUMENT("{'type':'text','media_type':'text/plain','data':'abc'}"))), 200,
      "user text/plain 3 bytes" },
    { "blocks as a document", MODEL, ASK(USER(DOCUMENT("{'type':'content','content':[" TEXT("abc") "]}"))), 200, "user: abc" },
    { "a document of another type", MODEL, ASK(USER(DOCUMENT(SOURCE("text/csv", TEXT_FILE)))), 400,
      "messages.0.content.0.document.source.base64.media_type: Input should be 'application/pdf'" },

    { "thoughts", MODEL, ASK(HI "," ASSISTANT(THOUGHT(",'signature':'abc'") "," TEXT("a")) "," HI), 200,
      "user: hi | assistant: a | user: hi" },
    { "thoughts without a signature", MODEL, ASK(HI "," ASSISTANT(THOUGHT("")) "," HI), 400,
      "messages.1.content.0.thinking.signature: Field required" },
    { "thoughts that were changed", MODEL, ASK(HI "," ASSISTANT(THOUGHT(",'signature':'c2ltLXNpZ25lZC000000000'")) "," HI), 400,
      "messages.1.content.0: Invalid `signature` in `thinking` block" },
    { "a budget that is too small", MODEL, WITH(BUDGET("99")), 400, "greater than or equal to 1024" },
    { "a budget over max_tokens", MODEL, WITH(BUDGET("4096")), 400, "`max_tokens` must be greater than" },
    { "a budget and a forced call", MODEL, WITH(BUDGET("1024") ",'tools':[" TOOL("f") "],'tool_choice':{'type':'any'}"), 400,
      "Thinking may not be enabled when tool_choice forces tool use." },
    { "a budget and a temperature", MODEL, WITH(BUDGET("1024") ",'temperature':0.5"), 400, "may only be set to 1" },
    { "a budget and no thought before the call", MODEL,
      "{'model':'m','max_tokens':4096," BUDGET("1024") ",'messages':[" HI "," ASSISTANT(CALL("c1")) "," USER(RESULT("c1")) "]}",
      400, "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`" },
    { "a temperature for a model that has none", "anthropic:claude-opus-4-8", WITH("'temperature':0.5"), 400,
      "`temperature` is deprecated for this model." },
    { "a temperature that is too high", MODEL, WITH("'temperature':1.5"), 400, "temperature: Input should be in the range 0..1" },
    { "a temperature and top_p", MODEL, WITH("'temperature':0.5,'top_p':0.9"), 400, "cannot both be specified for this model" },
    { "a temperature and top_p of an older model", "anthropic:claude-sonnet-4-0", WITH("'temperature':0.5,'top_p':0.9"), 200,
      "user: hi" },
    { "a text to stop at that is blank", MODEL, WITH("'stop_sequences':['a','\\n']"), 400,
      "each stop sequence must contain non-whitespace" },

    { "tools with one name", MODEL, WITH("'tools':[" TOOL("f") "," TOOL("f") "]"), 400, "Tool names must be unique" },
    { "a tool's name", MODEL, WITH("'tools':[" TOOL("a b") "]"), 400, "tools.0.custom.name: String should match pattern" },
    { "a tool without a schema", MODEL, WITH("'tools':[{'name':'f'}]"), 400, "tools.0.custom.input_schema: Field required" },
    { "a choice at the top of a tool's schema", MODEL,
      WITH("'tools':[{'name':'f','input_schema':{'type':'object','anyOf':[{}]}}]"), 400,
      "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level" },
    { "a choice without tools", MODEL, WITH("'tool_choice':{'type':'auto'}"), 400, "tool_choice: may only be specified" },
    { "a choice of another tool", MODEL, WITH("'tools':[" TOOL("f") "],'tool_choice':{'type':'tool','name':'g'}"), 400,
      "Tool 'g' not found in provided tools" },
    { "five marks", MODEL, ASK(USER(MARKED "," MARKED "," MARKED "," MARKED "," MARKED)), 400,
      "A maximum of 4 blocks with cache_control may be provided. Found 5." },
};

static void check_row(void **state)
{
    check_asked(&rf_sim_anthropic, *state);
}

/* Sizes, counted: bodies that are too long to write down. */

static struct rf_str many(struct rf_arena *a, const char *block, size_t count)
{
    struct rf_buf b;
    struct rf_str out;
    struct rf_err err;
    rf_buf_init(&b, a, (size_t)64 << 20);
    rf_buf_add(&b, quoted(a, "{'model':'m','max_tokens':9,'messages':[{'role':'user','content':["));
    for (size_t i = 0; i < count; i++)
        rf_buf_addf(&b, "%s%s", i ? "," : "", quoted(a, block).p);
    rf_buf_add(&b, RF_STR("]}]}"));
    assert_int_equal(rf_buf_finish(&b, &out, &err), RF_OK);
    return out;
}

static void check_many(const char *block, size_t count, int status, const char *words)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_sim_call call = { .method = "POST", .path = "/", .body = many(a, block, count) };
    struct rf_sim_request r = { .arena = a, .call = &call, .model = asked_model(MODEL, a) };
    struct rf_sim_refusal refusal = { 0 };
    const struct rf_jval *body;
    struct rf_err err;
    assert_int_equal(rf_jval_parse(call.body, a, &body, &err), RF_OK);
    assert_int_equal(rf_sim_anthropic.check(&r, body, &refusal), status == 200);
    assert_int_equal(status == 200 ? 0 : status, refusal.status);
    if (status != 200 && !rf_str_contains(refusal.message, rf_str(words)))
        assert_str(refusal.message, words);
    rf_arena_free(a);
}

static void a_hundred_pictures(void **state)
{
    (void)state;
    check_many(IMAGE("image/png", PNG), 100, 200, "");
    check_many(IMAGE("image/png", PNG), 101, 400, "Too much media: 0 document pages + 101 images > 100");
}

static void a_long_prompt(void **state)
{
    struct rf_arena *a = rf_arena_new();
    char *text = rf_arena_alloc(a, 10001);
    (void)state;
    memset(text, 'a', 10000);
    const char *block = rf_strf(a, TEXT("%s"), text).p;
    check_many(block, 70, 200, "");
    check_many(block, 90, 400, "tokens > 200000 maximum");
    check_many(block, 3400, 413, "Request exceeds the maximum size");
    rf_arena_free(a);
}

static void says(void **state)
{
    (void)state;
    check_said(&rf_sim_anthropic, MODEL, &said_all,
               SAID_ALL(",'signature':'c2ltLXNpZ25lZC06231f2c7'", "", "", ""));
    check_said(&rf_sim_anthropic, MODEL, &said_cut, SAID_CUT);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 3];
    name_rows(tests, check_row, rows, COUNT(rows), sizeof *rows);
    tests[COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(says);
    tests[COUNT(rows) + 1] = (struct CMUnitTest)cmocka_unit_test(a_hundred_pictures);
    tests[COUNT(rows) + 2] = (struct CMUnitTest)cmocka_unit_test(a_long_prompt);
    return cmocka_run_group_tests_name("sim anthropic", tests, NULL, NULL);
}
