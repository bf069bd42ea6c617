#include "asking.h"

#define HI "{'role':'user','content':'hi'}"
#define USER(parts) "{'role':'user','content':[" parts "]}"
#define CALL(id) "{'id':'" id "','type':'function','function':{'name':'f','arguments':'{}'}}"
#define CALLS(calls) "{'role':'assistant','content':null,'tool_calls':[" calls "]}"
#define RESULT(id) "{'role':'tool','tool_call_id':'" id "','content':'ok'}"
#define IMAGE(url) "{'type':'image_url','image_url':{'url':'" url "'}}"
#define PICTURE IMAGE("data:image/png;base64," PNG)
#define AUDIO "{'type':'input_audio','input_audio':{'data':'" WAV "','format':'wav'}}"
#define FILE_OF(mime, data) \
    "{'type':'file','file':{'filename':'a','file_data':'data:" mime ";base64," data "'}}"
#define ASK(model, messages) "{'model':'" model "','messages':[" messages "]}"
#define WITH(model, more) "{'model':'" model "','messages':[" HI "]," more "}"
#define GPT "openai-chat:gpt-4o"
#define GROQ "groq:meta-llama/llama-4-scout-17b-16e-instruct"
#define EMPTY "{'type':'object','properties':{}}"
#define TOOL_OF(name, schema) \
    "{'type':'function','function':{'name':'" name "','parameters':" schema "}}"
#define TOOL(name) TOOL_OF(name, EMPTY)

static const struct asked_row rows[] = {
    { "a question", GPT, ASK("gpt-4o", HI), 200, "user: hi" },
    { "developers are the system", GPT, ASK("gpt-4o", "{'role':'developer','content':'x'}," HI),
      200, "system: x | user: hi" },
    { "no model", "openai-chat:", "{'messages':[" HI "]}", 400,
      "Missing required parameter: 'model'." },
    { "no messages", GPT, "{'model':'gpt-4o'}", 400, "Missing required parameter: 'messages'." },
    { "empty messages", GPT, ASK("gpt-4o", ""), 400, "Invalid 'messages': empty array." },
    { "an unknown field", GPT, WITH("gpt-4o", "'foo':1"), 400,
      "Unrecognized request argument supplied: foo" },
    { "an unknown field of a message is ignored", GPT,
      ASK("gpt-4o", "{'role':'assistant','content':'x','parsed':null}"), 200, "assistant: x" },
    { "an unknown field of a part", GPT,
      ASK("gpt-4o", "{'role':'user','content':[{'type':'text','text':'x','foo':1}]}"), 400,
      "Unknown parameter: 'messages[0].content[0].foo'." },
    { "a wrong type", GPT, ASK("gpt-4o", "{'role':'user','content':3}"), 400,
      "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got an integer instead." },
    { "an unknown role", GPT, ASK("gpt-4o", "{'role':'robot','content':'x'}"), 400,
      "Invalid value: 'robot'." },
    { "a model that was misspelled", "openai-chat:gpt-5.2-proo", ASK("gpt-5.2-proo", HI), 404,
      "The model `gpt-5.2-proo` does not exist or you do not have access to it." },
    { "a model that Groq does not have", "groq:non-existent", ASK("non-existent", HI), 404,
      "The model `non-existent` does not exist or you do not have access to it." },

    { "calls and results", GPT,
      ASK("gpt-4o", HI "," CALLS(CALL("a") "," CALL("b")) "," RESULT("b") "," RESULT("a")), 200,
      "user: hi | call a f {} | call b f {} | result b f | tool/b: ok | result a f | tool/a: ok" },
    { "a result is missing", GPT,
      ASK("gpt-4o", HI "," CALLS(CALL("a") "," CALL("b")) "," RESULT("b") "," HI), 400,
      "The following tool_call_ids did not have response messages: a" },
    { "results at the end are missing too", GPT, ASK("gpt-4o", HI "," CALLS(CALL("a"))), 400,
      "response messages: a" },
    { "a result without a call", GPT, ASK("gpt-4o", HI "," RESULT("a")), 400,
      "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'." },
    { "a result of another call", GPT, ASK("gpt-4o", HI "," CALLS(CALL("a")) "," RESULT("b")), 400,
      "'tool_call_id' of 'b' not found" },
    { "no arguments", GPT,
      ASK("gpt-4o", HI "," CALLS("{'id':'a','type':'function','function':{'name':'f'}}")), 400,
      "Missing required parameter: 'messages[1].tool_calls[0].function.arguments'." },
    { "arguments that are an object", GPT,
      ASK("gpt-4o",
          HI "," CALLS("{'id':'a','type':'function','function':{'name':'f','arguments':{}}}")),
      400, "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string" },
    { "an id that is too long", GPT,
      ASK("gpt-4o",
          HI "," CALLS(CALL("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"))),
      400, "Expected a string with maximum length 64" },
    { "an assistant who says nothing", GPT, ASK("gpt-4o", HI ",{'role':'assistant'}"), 400,
      "expected a string, got null" },

    { "a picture", GPT, ASK("gpt-4o", USER(PICTURE)), 200, "user image/png 70 bytes" },
    { "a picture by its URL", GPT, ASK("gpt-4o", USER(IMAGE("https://x/y.png"))), 200,
      "user image/* at https://x/y.png" },
    { "a picture that is text", GPT, ASK("gpt-4o", USER(IMAGE("data:image/png;base64," TEXT_FILE))),
      400, "You uploaded an unsupported image." },
    { "a picture whose type is none", GPT,
      ASK("gpt-4o", USER(IMAGE("data:text/plain;base64," PNG))), 400,
      "Expected a base64-encoded data URL with an image MIME type" },
    { "a picture that is not base64", GPT, ASK("gpt-4o", USER(IMAGE("data:image/png;base64,***"))),
      400, "Invalid base64 image_url." },
    { "a picture without a URL", GPT, ASK("gpt-4o", USER(IMAGE("photo.png"))), 400,
      "without the 'data:' prefix" },
    { "a detail that is none", GPT,
      ASK("gpt-4o", USER("{'type':'image_url','image_url':{'url':'https://x','detail':'big'}}")),
      400, "Invalid value: 'big'. Supported values are: 'low', 'high', 'auto', and 'original'." },
    { "a picture for a model that cannot see", "openai-chat:o3-mini", ASK("o3-mini", USER(PICTURE)),
      400, "image_url is only supported by certain models" },
    { "a picture in a result", GPT,
      ASK("gpt-4o",
          HI "," CALLS(CALL("a")) ",{'role':'tool','tool_call_id':'a','content':[" PICTURE "]}"),
      400, "Invalid value: 'image_url'. Supported values are: 'text'." },
    { "text parts in a result", GPT,
      ASK("gpt-4o",
          HI "," CALLS(CALL(
              "a")) ",{'role':'tool','tool_call_id':'a','content':[{'type':'text','text':'t'}]}"),
      200, "user: hi | call a f {} | result a f | tool/a: t" },
    { "a picture in a result of Claude after LiteLLM", "litellm:claude-sonnet-4-5",
      ASK("claude-sonnet-4-5",
          HI "," CALLS(CALL("a")) ",{'role':'tool','tool_call_id':'a','content':[" PICTURE "]}"),
      200, "user: hi | call a f {} | result a f | tool/a image/png 70 bytes" },
    { "a video as a file for Gemini after LiteLLM", "litellm:gemini/gemini-2.5-flash",
      ASK("gemini/gemini-2.5-flash", USER(FILE_OF("video/mp4", TEXT_FILE))), 200,
      "user video/mp4 5 bytes" },
    { "a video by URL, which it drops", "litellm:gemini/gemini-2.5-flash",
      ASK("gemini/gemini-2.5-flash",
          USER("{'type':'video_url','video_url':{'url':'data:video/mp4;base64,AAAA'}}")),
      200, "" },
    { "some take it and do not look", "openai-compatible:some-model",
      ASK("some-model",
          HI "," CALLS(CALL("a")) ",{'role':'tool','tool_call_id':'a','content':[" PICTURE "]}"),
      200, "user: hi | call a f {} | result a f" },
    { "xAI does not take it", "xai-chat:grok-4",
      ASK("grok-4",
          HI "," CALLS(CALL("a")) ",{'role':'tool','tool_call_id':'a','content':[" PICTURE "]}"),
      400, "Supported values are: 'text'." },
    { "PDF", GPT, ASK("gpt-4o", USER(FILE_OF("application/pdf", PDF))), 200,
      "user application/pdf 72 bytes" },
    { "a file that is not PDF", GPT, ASK("gpt-4o", USER(FILE_OF("text/plain", TEXT_FILE))), 400,
      "but got unsupported MIME type 'text/plain'" },
    { "a picture that says it is PDF", GPT, ASK("gpt-4o", USER(FILE_OF("application/pdf", PNG))),
      400, "not a valid PDF" },
    { "a file by its id", GPT, ASK("gpt-4o", USER("{'type':'file','file':{'file_id':'file-1'}}")),
      200, "user application/pdf at file-1" },
    { "a file of nothing", GPT, ASK("gpt-4o", USER("{'type':'file','file':{}}")), 400,
      "Missing required parameter" },
    { "sound for a model that hears", "openai-chat:gpt-4o-audio-preview",
      ASK("gpt-4o-audio-preview", USER(AUDIO)), 200, "user audio/wav 60 bytes" },
    { "sound for one that does not", "openai-chat:gpt-5-mini",
      ASK("gpt-5-mini", HI "," USER(AUDIO)), 400,
      "Invalid 'messages[1]'. Content blocks are expected to be either text or image_url type." },
    { "video", GPT, ASK("gpt-4o", USER("{'type':'video_url','video_url':{'url':'https://x'}}")),
      400, "Invalid value: 'video_url'." },
    { "video on OpenRouter", "openrouter:google/gemini-2.5-flash",
      ASK("google/gemini-2.5-flash", USER("{'type':'video_url','video_url':{'url':'https://x'}}")),
      200, "user video/* at https://x" },

    { "a system for a model that has none", "openai-chat:o1-mini",
      ASK("o1-mini", "{'role':'developer','content':'x'}," HI), 400,
      "Unsupported value: 'messages[0].role' does not support 'developer' with this model." },
    { "the old limit for a new model", "openai-chat:gpt-5-mini",
      WITH("gpt-5-mini", "'max_tokens':9"), 400,
      "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead." },
    { "an effort that is none", "openai-chat:gpt-5", WITH("gpt-5", "'reasoning_effort':'none'"),
      400,
      "Unsupported value: 'none' is not supported with the 'gpt-5' model. Supported values are: 'minimal', 'low', 'medium', and "
      "'high'." },
    { "an effort for a model that does not think", GPT, WITH("gpt-4o", "'reasoning_effort':'low'"),
      400, "'reasoning_effort' is not supported with this model." },
    { "temperature for a model that thinks", "openai-chat:o3", WITH("o3", "'temperature':0.5"), 400,
      "Unsupported parameter: 'temperature' is not supported with this model." },
    { "temperature below zero", GPT, WITH("gpt-4o", "'temperature':-1"), 400,
      "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead." },
    { "a search for a model that does not", GPT, WITH("gpt-4o", "'web_search_options':{}"), 400,
      "Web search options not supported with this model." },
    { "options of a stream without one", GPT,
      WITH("gpt-4o", "'stream_options':{'include_usage':true}"), 400,
      "only allowed when 'stream' is enabled" },
    { "a choice without tools", GPT, WITH("gpt-4o", "'tool_choice':'required'"), 400,
      "only allowed when 'tools' are specified" },
    { "a choice that is not there", GPT,
      WITH("gpt-4o",
           "'tools':[" TOOL("f") "],'tool_choice':{'type':'function','function':{'name':'g'}}"),
      400, "'g' not found" },
    { "a choice that is none", GPT, WITH("gpt-4o", "'tools':[" TOOL("f") "],'tool_choice':'any'"),
      400, "Invalid value: 'any'." },
    { "a schema without a type", GPT, WITH("gpt-4o", "'tools':[" TOOL_OF("f", "{}") "]"), 400,
      "Invalid schema for function 'f': schema must be a JSON Schema of 'type: \"object\"', got "
      "'type: \"None\"'." },
    { "a schema without properties", GPT,
      WITH("gpt-4o", "'tools':[" TOOL_OF("f", "{'type':'object'}") "]"), 400,
      "Invalid schema for function 'f': In context=(), object schema missing properties." },
    { "a schema without properties, for another server", GROQ,
      WITH("meta-llama/llama-4-scout-17b-16e-instruct", "'tools':[" TOOL_OF("f", "{}") "]"), 200,
      "user: hi" },
    { "a name that is none", GPT, WITH("gpt-4o", "'tools':[" TOOL("a b") "]"), 400,
      "Invalid 'tools[0].function.name'" },

    { "Groq and an unknown field", GROQ,
      WITH("meta-llama/llama-4-scout-17b-16e-instruct", "'foo':1"), 400,
      "property 'foo' is unsupported" },
    { "Groq and an unknown field of a message", GROQ,
      ASK("meta-llama/llama-4-scout-17b-16e-instruct",
          "{'role':'user','content':'x','timestamp':1}"),
      400,
      "'messages.0' : for 'role:user' the following must be satisfied[('messages.0' : property 'timestamp' is unsupported)]" },
    { "Groq takes five pictures", GROQ,
      ASK("meta-llama/llama-4-scout-17b-16e-instruct",
          USER(PICTURE "," PICTURE "," PICTURE "," PICTURE "," PICTURE "," PICTURE)),
      400, "request contains 6 images, exceeding the maximum of 5 allowed per request" },
    { "Groq takes 33 million pixels", GROQ,
      ASK("meta-llama/llama-4-scout-17b-16e-instruct",
          USER(IMAGE("data:image/png;base64," PNG_10000))),
      400, "image exceeds the maximum of 33177600 pixels" },
    { "a picture for Groq's text models", "groq:llama-3.3-70b-versatile",
      ASK("llama-3.3-70b-versatile", USER(PICTURE)), 400, "messages[0].content must be a string" },
    { "others do not mind an unknown field", "openrouter:openai/gpt-5-mini",
      WITH("openai/gpt-5-mini", "'foo':1"), 200, "user: hi" },
};

static void check(void **state)
{
    check_asked(&rf_sim_openai_chat, *state);
}

static void too_long(void **state)
{
    (void)state;
    check_too_long(
        &rf_sim_openai_chat, "openai-chat:gpt-3.5-turbo",
        "{'model':'gpt-3.5-turbo','messages':[{'role':'user','content':'", 80000, "'}]}", 400,
        "This model's maximum context length is 16385 tokens. However, your messages resulted in");
    check_too_long(
        &rf_sim_openai_chat, GROQ,
        "{'model':'meta-llama/llama-4-scout-17b-16e-instruct','messages':[{'role':'user','content':'",
        4200000, "'}]}", 413, "Maximum content size limit (4194304) exceeded");
}

static void says(void **state)
{
    (void)state;
    check_said(&rf_sim_openai_chat, "xai-chat:grok-4", &said_all,
               SAID_ALL(",'field':'reasoning_content'", "", "", ""));
    check_said(&rf_sim_openai_chat, "groq:openai/gpt-oss-120b", &said_all,
               SAID_ALL(",'field':'reasoning'", "", "", ""));
    check_said(&rf_sim_openai_chat, "openrouter:anthropic/claude-sonnet-4.5", &said_all,
               SAID_ALL(",'signature':'sim','field':'reasoning_details'", "", "", ""));
    check_said(&rf_sim_openai_chat, "litellm:claude-sonnet-4-5", &said_all,
               SAID_ALL(",'signature':'sim','field':'thinking_blocks'", "", "", ""));
    check_said(&rf_sim_openai_chat, GPT, &said_cut, SAID_CUT);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 2];
    name_rows(tests, check, rows, COUNT(rows), sizeof *rows);
    tests[COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(says);
    tests[COUNT(rows) + 1] = (struct CMUnitTest)cmocka_unit_test(too_long);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
