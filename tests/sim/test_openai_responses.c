#include "asking.h"

#define HI "{'role':'user','content':'hi'}"
#define USER(parts) "{'role':'user','content':[" parts "]}"
#define CALL(id) "{'type':'function_call','call_id':'" id "','name':'f','arguments':'{}'}"
#define OUTPUT(id) "{'type':'function_call_output','call_id':'" id "','output':'ok'}"
#define OUTPUT_OF(parts) "{'type':'function_call_output','call_id':'a','output':[" parts "]}"
#define IMAGE(url) "{'type':'input_image','image_url':'" url "'}"
#define PICTURE IMAGE("data:image/png;base64," PNG)
#define FILE_OF(mime, data) \
    "{'type':'input_file','filename':'a','file_data':'data:" mime ";base64," data "'}"
#define FILE_AT(url) "{'type':'input_file','file_url':'" url "'}"
#define REASONING(more) "{'type':'reasoning','id':'rs_1','summary':[]" more "}"
#define ASK(input) "{'model':'gpt-5','input':[" input "]}"
#define WITH(model, more) "{'model':'" model "','input':'hi'," more "}"
#define GPT "openai:gpt-5"
#define XAI "xai:grok-4"
#define FUNCTION_OF(schema) "'tools':[{'type':'function','name':'f','parameters':" schema "}]"
#define FUNCTION FUNCTION_OF("{'type':'object','properties':{}}")

static const struct asked_row rows[] = {
    { "a question", GPT, "{'model':'gpt-5','input':'hi','instructions':'be brief'}", 200,
      "system: be brief | user: hi" },
    { "items", GPT,
      ASK(HI ",{'role':'assistant','content':[{'type':'output_text','text':'a'}]}," HI), 200,
      "user: hi | assistant: a | user: hi" },
    { "no model", "openai:", "{'input':'hi'}", 400, "Missing required parameter: 'model'." },
    { "no input", GPT, "{'model':'gpt-5'}", 400, "Missing required parameter: 'input'." },
    { "an unknown field", GPT, WITH("gpt-5", "'messages':[]"), 400,
      "Unknown parameter: 'messages'." },
    { "an unknown field of an item", GPT, ASK("{'role':'user','content':'x','foo':1}"), 400,
      "Unknown parameter: 'input[0].foo'." },
    { "an unknown item", GPT, ASK("{'type':'foo'}"), 400, "Invalid value: 'foo'." },
    { "an unknown role", GPT, ASK("{'role':'tool','content':'x'}"), 400,
      "Invalid value: 'tool'. Supported values are: 'assistant'" },
    { "what a user may not say", GPT, ASK(USER("{'type':'output_text','text':'x'}")), 400,
      "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', and 'input_file'." },
    { "sound has no kind of its own", GPT, ASK(USER("{'type':'input_audio','input_audio':{}}")),
      400, "Invalid value: 'input_audio'." },
    { "a model that was misspelled", "openai:gpt-5.2-proo", WITH("gpt-5.2-proo", "'store':true"),
      400, "The requested model 'gpt-5.2-proo' does not exist." },

    { "calls and outputs", GPT, ASK(HI "," CALL("a") "," CALL("b") "," OUTPUT("b") "," OUTPUT("a")),
      200,
      "user: hi | call a f {} | call b f {} | result b f | tool/b: ok | result a f | tool/a: ok" },
    { "an output is missing", GPT, ASK(HI "," CALL("a") "," HI), 400,
      "No tool output found for function call a." },
    { "an output without a call", GPT, ASK(HI "," OUTPUT("a")), 400,
      "No tool call found for function call output with call_id a." },
    { "the server has the call", GPT,
      "{'model':'gpt-5','previous_response_id':'resp_1','input':[" OUTPUT("a") "]}", 200,
      "result a  | tool/a: ok" },
    { "an id that is too long", GPT,
      ASK(HI "," CALL("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")), 400,
      "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65" },
    { "an item's id with a wrong beginning", GPT,
      ASK(HI
          ",{'type':'function_call','id':'call_1','call_id':'a','name':'f','arguments':'{}'}," OUTPUT(
              "a")),
      400, "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'." },
    { "thoughts and what they led to", GPT, ASK(HI "," REASONING("") "," CALL("a") "," OUTPUT("a")),
      200, "user: hi | call a f {} | result a f | tool/a: ok" },
    { "thoughts that led to nothing", GPT, ASK(HI "," REASONING("") "," HI), 400,
      "Item 'rs_1' of type 'reasoning' was provided without its required following item." },
    { "thoughts at the end", GPT, ASK(HI "," REASONING("")), 400,
      "without its required following item" },
    { "a stored message that lost its id", GPT,
      ASK(HI "," REASONING("") ",{'role':'assistant','content':'a'}," HI), 400,
      "without its required following item" },
    { "the same where nothing is stored", GPT,
      "{'model':'gpt-5','store':false,'input':[" HI
      "," REASONING(",'encrypted_content':'g'") ",{'role':'assistant','content':'a'}]}",
      200, "user: hi | assistant: a" },
    { "thoughts that nobody has", GPT,
      "{'model':'gpt-5','store':false,'input':[" HI
      "," REASONING("") ",{'role':'assistant','content':'a'}]}",
      404, "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false." },

    { "a picture", GPT, ASK(USER(PICTURE)), 200, "user image/png 70 bytes" },
    { "a picture in an output", GPT, ASK(HI "," CALL("a") "," OUTPUT_OF(PICTURE)), 200,
      "user: hi | call a f {} | result a f | tool/a image/png 70 bytes" },
    { "a picture that is text", GPT,
      ASK(HI "," CALL("a") "," OUTPUT_OF(IMAGE("data:image/png;base64," TEXT_FILE))), 400,
      "You uploaded an unsupported image." },
    { "a picture by its id", GPT, ASK(USER("{'type':'input_image','file_id':'file-1'}")), 200,
      "user image/* at file-1" },
    { "a picture of nothing", GPT, ASK(USER("{'type':'input_image'}")), 400,
      "one of 'image_url' or 'file_id'" },
    { "PDF in an output", GPT, ASK(HI "," CALL("a") "," OUTPUT_OF(FILE_OF("application/pdf", PDF))),
      200, "user: hi | call a f {} | result a f | tool/a application/pdf 72 bytes" },
    { "text", GPT, ASK(USER(FILE_OF("text/plain", TEXT_FILE))), 200, "user text/plain 5 bytes" },
    { "sound as a file", GPT, ASK(HI "," CALL("a") "," OUTPUT_OF(FILE_OF("audio/mpeg", WAV))), 400,
      "Invalid file data: 'input[2].output[0].file_data'. Expected a base64-encoded data URL with a valid file MIME type "
      "(e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type 'audio/mpeg'." },
    { "sound after a URL", GPT, ASK(USER(FILE_AT("https://x/a.mp3?b"))), 400,
      "The file type you uploaded is not supported. Please try again with a pdf" },
    { "PDF after a URL", GPT, ASK(USER(FILE_AT("https://x/a.pdf"))), 200,
      "user application/pdf at https://x/a.pdf" },
    { "xAI takes files by reference", XAI,
      "{'model':'grok-4','input':[" USER(FILE_OF("application/pdf", PDF)) "]}", 400,
      "only support 'file_id' and 'file_url'" },
    { "xAI takes pictures in outputs", XAI,
      "{'model':'grok-4','input':[" HI "," CALL("a") "," OUTPUT_OF(PICTURE) "]}", 200,
      "user: hi | call a f {} | result a f | tool/a image/png 70 bytes" },

    { "temperature below zero", "openai:gpt-4o", WITH("gpt-4o", "'temperature':-1"), 400,
      "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead." },
    { "temperature for a model that thinks", "openai:o3", WITH("o3", "'temperature':0.2"), 400,
      "Unsupported parameter: 'temperature' is not supported with this model." },
    { "temperature without thinking", "openai:gpt-5.6-sol",
      WITH("gpt-5.6-sol", "'reasoning':{'effort':'none'},'temperature':0.5"), 200, "user: hi" },
    { "an effort that is none", "openai:gpt-5-pro",
      WITH("gpt-5-pro", "'reasoning':{'effort':'none'}"), 400,
      "Unsupported value: 'none' is not supported with the 'gpt-5-pro' model. Supported values are: 'high'." },
    { "an effort for a model that does not think", "openai:gpt-4.1",
      WITH("gpt-4.1", "'reasoning':{'effort':'low'}"), 400,
      "Unsupported parameter: 'reasoning.effort' is not supported with this model." },
    { "thoughts of other turns", "openai:o3", WITH("o3", "'reasoning':{'context':'all_turns'}"),
      400,
      "Unsupported value: 'all_turns' is not supported with the 'o3' model. Supported values are: 'auto' and 'current_turn'." },
    { "a mode", "openai:gpt-5.4-mini", WITH("gpt-5.4-mini", "'reasoning':{'mode':'pro'}"), 400,
      "`reasoning.mode` is not supported with this model." },
    { "encrypted thoughts of a model that has none", "openai:gpt-4o",
      WITH("gpt-4o", "'include':['reasoning.encrypted_content']"), 400,
      "Encrypted content is not supported with this model." },
    { "too short an answer", GPT, WITH("gpt-5", "'max_output_tokens':5"), 400,
      "Expected a value >= 16, but got 5 instead." },
    { "a choice that is not there", GPT,
      WITH("gpt-5", FUNCTION ",'tool_choice':{'type':'function','name':'g'}"), 400,
      "'g' not found" },
    { "a schema without properties", GPT, WITH("gpt-5", FUNCTION_OF("{'type':'object'}")), 400,
      "Invalid schema for function 'f': In context=(), object schema missing properties." },
    { "a choice that is none", GPT, WITH("gpt-5", FUNCTION ",'tool_choice':'any'"), 400,
      "Invalid value: 'any'." },
    { "a tool that is none", GPT, WITH("gpt-5", "'tools':[{'type':'foo'}]"), 400,
      "Invalid value: 'foo'." },
    { "a tool in the shape of chat", GPT,
      WITH("gpt-5", "'tools':[{'type':'function','function':{'name':'f'}}]"), 400,
      "Missing required parameter: 'tools[0].name'." },
};

static void check(void **state)
{
    check_asked(&rf_sim_openai_responses, *state);
}

static void too_long(void **state)
{
    (void)state;
    check_too_long(&rf_sim_openai_responses, "openai:gpt-4o", "{'model':'gpt-4o','input':'", 600000,
                   "'}", 400, "This model's maximum context length is 128000 tokens.");
}

static void says(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_sim_request r = { .arena = a };
    const char *message = rf_sim_id(&r, "msg_", 48, 0).p;
    (void)state;
    check_said(&rf_sim_openai_responses, GPT, &said_all,
               rf_strf(a,
                       SAID_ALL(",'id':'%s','encrypted':'c2lt'",
                                ",'extra':{'id':'%s','status':'completed'}",
                                ",'extra':{'id':'%s','status':'completed'}",
                                ",'extra':{'id':'%s','status':'completed'}"),
                       rf_sim_id(&r, "rs_", 48, 0).p, message, rf_sim_id(&r, "fc_", 48, 0).p,
                       rf_sim_id(&r, "fc_", 48, 1).p)
                   .p);
    check_said(&rf_sim_openai_responses, GPT, &said_cut,
               rf_strf(a,
                       "'content':[{'type':'text','text':'Once upon','extra':{'id':'%s','status':"
                       "'completed'}}],'stop_reason':'length'",
                       message)
                   .p);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 2];
    name_rows(tests, check, rows, COUNT(rows), sizeof *rows);
    tests[COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(says);
    tests[COUNT(rows) + 1] = (struct CMUnitTest)cmocka_unit_test(too_long);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
