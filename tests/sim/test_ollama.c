#include "asking.h"

#define ASK(messages) "{'model':'m','messages':[" messages "]}"
#define HI "{'role':'user','content':'hi'}"
#define IMAGE(data) "{'role':'user','content':'look','images':['" data "']}"
#define CALLS                                                                                                       \
    "{'role':'assistant','content':'','tool_calls':[{'function':{'name':'f','arguments':{}}},{'id':'b','function':" \
    "{'name':'g','arguments':{'x':1}}}]}"
#define TOOLED(name) \
    "{'model':'" name "','messages':[" HI "],'tools':[{'type':'function','function':{'name':'f'}}]}"
#define SEES "ollama:llava:13b"
#define BLIND "ollama:llama3.2"
#define HEARS "ollama:gemma4"

static const struct asked_row rows[] = {
    { "a question", BLIND, ASK("{'role':'system','content':'s'}," HI), 200,
      "system: s | user: hi" },
    { "no model", BLIND, "{'messages':[]}", 400, "model is required" },
    { "unknown fields are ignored", BLIND,
      "{'model':'m','foo':1,'messages':[{'role':'user','content':'hi','bar':2}]}", 200,
      "user: hi" },
    { "content is a string", BLIND, ASK("{'role':'user','content':[{'type':'text','text':'x'}]}"),
      400,
      "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string" },
    { "arguments are an object", BLIND,
      ASK("{'role':'assistant','content':'','tool_calls':[{'function':{'name':'f','arguments':'{}'}}]}"),
      400,
      "json: cannot unmarshal string into Go struct field ToolCallFunction.messages.tool_calls.function.arguments" },
    { "an unknown role", BLIND, ASK("{'role':'robot','content':'x'}"), 200, "user: x" },
    { "a message that is none", BLIND, ASK("3"), 400,
      "json: cannot unmarshal number into Go struct field ChatRequest.messages" },
    { "results by their place and by their id", BLIND,
      ASK(HI "," CALLS
             ",{'role':'tool','content':'1'},{'role':'tool','content':'2','tool_call_id':'b'}"),
      200,
      "user: hi | call call_1_0 f {} | call b g {\"x\":1} | result call_1_0 f | tool/call_1_0: 1 | result b g | tool/b: 2" },
    { "a picture in a result", SEES,
      ASK(HI "," CALLS ",{'role':'tool','content':'','tool_name':'f','images':['" PNG "']}"), 200,
      "user: hi | call call_1_0 f {} | call b g {\"x\":1} | result call_1_0 f | tool/call_1_0 image/png 70 bytes" },
    { "a picture", SEES, ASK(IMAGE(PNG)), 200, "user: look | user image/png 70 bytes" },
    { "a picture for a model that cannot see is taken", BLIND, ASK(IMAGE(PNG)), 200, "user: look" },
    { "the name does not make a model see", "ollama:llava-tiny", ASK(IMAGE(PNG)), 200,
      "user: look" },
    { "tools", BLIND, TOOLED("llama3.2"), 200, "user: hi" },
    { "tools for a model without them", "ollama:llava:13b", TOOLED("llava:13b"), 400,
      "registry.ollama.ai/library/llava:13b does not support tools" },
    { "tools, without a tag", "ollama:phi4", TOOLED("phi4"), 400,
      "registry.ollama.ai/library/phi4:latest does not support tools" },
    { "a model for embeddings", "ollama:nomic-embed-text", ASK(HI), 400,
      "\"nomic-embed-text\" does not support chat" },
    { "a picture as a data URL", SEES, ASK(IMAGE("data:image/png;base64," PNG)), 400,
      "illegal base64 data" },
    { "a picture that is text", SEES, ASK(IMAGE(TEXT_FILE)), 500, "image: unknown format" },
    { "sound for a model that hears", HEARS, ASK(IMAGE(WAV)), 200,
      "user: look | user audio/wav 60 bytes" },
    { "sound for one that does not", SEES, ASK(IMAGE(WAV)), 500, "image: unknown format" },
    { "thoughts of a model that has none", BLIND,
      "{'model':'llama3.2','think':true,'messages':[" HI "]}", 400,
      "\"llama3.2\" does not support thinking" },
    { "thoughts", "ollama:qwen3:8b", "{'model':'qwen3:8b','think':true,'messages':[" HI "]}", 200,
      "user: hi" },
};

/* Its /v1/messages. */
#define M(messages) "{'model':'m','max_tokens':9,'messages':[" messages "]}"
#define BLOCKS(role, blocks) "{'role':'" role "','content':[" blocks "]}"
#define SOURCE(type, data) \
    "{'type':'image','source':{'type':'" type "','media_type':'image/png','data':'" data "'}}"
#define USE "{'type':'tool_use','id':'a','name':'f','input':{'x':1}}"
#define RESULT(content) "{'type':'tool_result','tool_use_id':'a','content':[" content "]}"

static const struct asked_row messages[] = {
    { "messages: a question", BLIND,
      "{'model':'m','max_tokens':9,'system':[{'type':'text','text':'s'}],'messages':[" HI "]}", 200,
      "system: s | user: hi" },
    { "messages: no limit", BLIND, "{'model':'m','messages':[" HI "]}", 400,
      "max_tokens is required and must be positive" },
    { "messages: none", BLIND, M(""), 400, "messages is required" },
    { "messages: no content", BLIND, M("{'role':'user'}"), 400,
      "invalid message content type: <nil>" },
    { "messages: a block that is none", BLIND, M(BLOCKS("user", "3")), 400,
      "invalid content block format" },
    { "messages: an unknown role", BLIND, M("{'role':'robot','content':'x'}"), 200, "user: x" },
    { "messages: a schema that is a string", BLIND,
      "{'model':'m','max_tokens':9,'messages':[" HI "],'tools':[{'name':'f','input_schema':'x'}]}",
      400, "invalid input_schema for tool \"f\": json: cannot unmarshal string" },
    { "messages: a picture", SEES, M(BLOCKS("user", SOURCE("base64", PNG))), 200,
      "user image/png 70 bytes" },
    { "messages: an address of a picture", SEES, M(BLOCKS("user", SOURCE("url", ""))), 400,
      "invalid image source type: url. Only base64 images are supported." },
    { "messages: a picture without a source", SEES, M(BLOCKS("user", "{'type':'image'}")), 400,
      "invalid image source" },
    { "messages: a picture that is not base64", SEES, M(BLOCKS("user", SOURCE("base64", "?"))), 400,
      "invalid base64 image data: illegal base64 data" },
    { "messages: a document is passed over", SEES,
      M(BLOCKS("user", "{'type':'text','text':'hi'},{'type':'document','source':{'type':'base64',"
                       "'media_type':'application/pdf','data':'" PDF "'}}")),
      200, "user: hi" },
    { "messages: a picture in a result is passed over", SEES,
      M(HI "," BLOCKS("assistant", USE) "," BLOCKS(
          "user", RESULT("{'type':'text','text':'1'}," SOURCE("base64", PNG)))),
      200, "user: hi | call a f {\"x\":1} | result a f | tool/a: 1" },
    { "messages: a call without an id", BLIND,
      M(BLOCKS("assistant", "{'type':'tool_use','name':'f'}")), 400,
      "tool_use block missing required 'id' field" },
    { "messages: a call without a name", BLIND,
      M(BLOCKS("assistant", "{'type':'tool_use','id':'a'}")), 400,
      "tool_use block missing required 'name' field" },
    { "messages: tools for a model without them", "ollama:phi4",
      "{'model':'phi4','max_tokens':9,'messages':[" HI "],'tools':[{'name':'f'}]}", 400,
      "registry.ollama.ai/library/phi4:latest does not support tools" },
    { "messages: thoughts of a model that has none", BLIND,
      "{'model':'llama3.2','max_tokens':9,'thinking':{'type':'enabled','budget_tokens':4},"
      "'messages':[" HI "]}",
      200, "user: hi" },
};

static void check_messages(void **state)
{
    check_asked(&rf_sim_ollama_messages, *state);
}

static void check(void **state)
{
    check_asked(&rf_sim_ollama, *state);
}

static void streams_unless_told(void **state)
{
    static const struct {
        const char *body;
        bool stream;
    } cases[] = { { "{'model':'m'}", true },
                  { "{'model':'m','stream':false}", false },
                  { "{'model':'m','stream':true}", true } };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_sim_request r = { .arena = a, .model = asked_model(BLIND, a) };
        struct rf_sim_refusal refusal = { 0 };
        const struct rf_jval *body;
        struct rf_err err;
        assert_int_equal(rf_jval_parse(quoted(a, cases[i].body), a, &body, &err), RF_OK);
        assert_true(rf_sim_ollama.check(&r, body, &refusal));
        assert_int_equal(r.stream, cases[i].stream);
        rf_arena_free(a);
    }
}

static void says(void **state)
{
    (void)state;
    check_said(&rf_sim_ollama, SEES, &said_all, SAID_ALL("", "", "", ""));
    check_said(&rf_sim_ollama, SEES, &said_cut, SAID_CUT);
    check_said(&rf_sim_ollama_messages, "anthropic:m", &said_all, SAID_ALL("", "", "", ""));
    check_said(&rf_sim_ollama_messages, "anthropic:m", &said_cut, SAID_CUT);
}

/* Streamed, the thought is not closed before the call, which has its number. */
static void says_a_thought_and_a_call(void **state)
{
    struct rf_sim_said said = said_all;
    said.text = RF_STR("");
    said.call_count = 1;
    (void)state;
    check_said(&rf_sim_ollama_messages, "anthropic:m", &said,
               "'content':[{'type':'thinking','thinking':'Hm, a file that nobody has opened yet.'},"
               "{'type':'tool_call','id':'abcdefgh1','name':'read_file','arguments':{'file_path':"
               "'a.png'}}],'stop_reason':'tool_calls'");
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + COUNT(messages) + 3];
    struct CMUnitTest *at = tests;
    name_rows(at, check, rows, COUNT(rows), sizeof *rows);
    name_rows(at += COUNT(rows), check_messages, messages, COUNT(messages), sizeof *messages);
    at += COUNT(messages);
    *at++ = (struct CMUnitTest)cmocka_unit_test(streams_unless_told);
    *at++ = (struct CMUnitTest)cmocka_unit_test(says);
    *at = (struct CMUnitTest)cmocka_unit_test(says_a_thought_and_a_call);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
