#include "asking.h"

#define USER(parts) "{'role':'user','parts':[" parts "]}"
#define MODEL(parts) "{'role':'model','parts':[" parts "]}"
#define HI USER("{'text':'hi'}")
#define CALL "{'functionCall':{'id':'c1','name':'f','args':{'x':1}}}"
#define SIGNED "{'functionCall':{'id':'c1','name':'f','args':{'x':1}},'thoughtSignature':'c2lt'}"
#define RESPONSE "{'functionResponse':{'id':'c1','name':'f','response':{'output':'ok'}}}"
#define RESPONSE_WITH(parts) \
    "{'functionResponse':{'id':'c1','name':'f','response':{'output':'ok'},'parts':[" parts "]}}"
#define INLINE(mime, data) "{'inlineData':{'mimeType':'" mime "','data':'" data "'}}"
#define ASK(contents) "{'contents':[" contents "]}"
#define OLD "google:gemini-2.5-flash"
#define NEW "google:gemini-3-pro-preview"
#define PART_SEEN " | call c1 f {\"x\":1} | result c1 f | user/c1: {\"output\":\"ok\"}"

static const struct asked_row rows[] = {
    { "a question", OLD, ASK(HI), 200, "user: hi" },
    { "snake_case is the same", OLD,
      "{'contents':{'parts':{'inline_data':{'mime_type':'image/png','data':'" PNG "'}}},"
      "'system_instruction':{'parts':[{'text':'be brief'}]}}",
      200, "system: be brief | user image/png 70 bytes" },
    { "no contents", OLD, "{}", 400,
      "* GenerateContentRequest.contents: contents is not specified" },
    { "empty contents", OLD, ASK(""), 400, "contents is not specified" },
    { "empty parts", OLD, ASK(USER("")), 400,
      "contents[0].parts: contents.parts must not be empty." },
    { "a part of nothing", OLD, ASK(USER("{}")), 400, "required oneof field 'data' must have one" },
    { "a part of two things", OLD, ASK(USER("{'text':'a','inlineData':{}}")), 400,
      "oneof field 'data' is already set" },
    { "an unknown field of the body", OLD, "{'contents':[" HI "],'max_tokens':1}", 400,
      "Invalid JSON payload received. Unknown name \"max_tokens\": Cannot find field." },
    { "an unknown field of a part", OLD, ASK(USER("{'text':'a','type':'text'}")), 400,
      "Unknown name \"type\" at 'contents[0].parts[0]': Cannot find field." },
    { "an unknown field of a schema", OLD,
      "{'contents':[" HI
      "],'tools':[{'functionDeclarations':[{'name':'f','parameters':{'type':'OBJECT',"
      "'additionalProperties':false}}]}]}",
      400,
      "Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters': Cannot find field." },
    { "a JSON schema may have it", OLD,
      "{'contents':[" HI
      "],'tools':[{'functionDeclarations':[{'name':'f','parametersJsonSchema':{'type':'object',"
      "'additionalProperties':false}}]}]}",
      200, "user: hi" },
    { "a wrong type", OLD, ASK(USER("{'text':3}")), 400,
      "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 3" },
    { "an unknown role", OLD, ASK("{'role':'system','parts':[{'text':'x'}]}"), 400,
      "Please use a valid role: user, model." },
    { "a model that was misspelled", "google:gemini-3.6-flahs", ASK(HI), 404,
      "models/gemini-3.6-flahs is not found for API version v1beta" },
    { "a call and its response", OLD, ASK(HI "," MODEL(CALL) "," USER(RESPONSE)), 200,
      "user: hi" PART_SEEN },
    { "a call without a signature", NEW, ASK(HI "," MODEL(CALL) "," USER(RESPONSE)), 400,
      "Function call is missing a thought_signature in functionCall parts." },
    { "a signed call", NEW, ASK(HI "," MODEL(SIGNED) "," USER(RESPONSE)), 200,
      "user: hi" PART_SEEN },
    { "old calls need no signature", NEW,
      ASK(HI "," MODEL(CALL) "," USER(RESPONSE) "," MODEL("{'text':'a'}") "," HI), 200,
      "user: hi" PART_SEEN " | assistant: a | user: hi" },
    { "a response too few", OLD, ASK(HI "," MODEL(CALL "," CALL) "," USER(RESPONSE)), 400,
      "number of function response parts is equal to the number of function call parts" },
    { "a call without a response", OLD, ASK(HI "," MODEL(CALL) "," HI), 400,
      "number of function response parts" },
    { "a response without a call", OLD, ASK(HI "," USER(RESPONSE)), 400,
      "function response turn comes immediately after a function call turn" },
    { "it begins with a call", OLD, ASK(MODEL(CALL) "," USER(RESPONSE)), 400,
      "function call turn comes immediately after a user turn" },
    { "a picture in a response, generation 2", OLD,
      ASK(HI "," MODEL(CALL) "," USER(RESPONSE_WITH(INLINE("image/png", PNG)))), 400,
      "not supported for this model" },
    { "a picture in a response, generation 3", NEW,
      ASK(HI "," MODEL(SIGNED) "," USER(RESPONSE_WITH(INLINE("image/png", PNG)))), 200,
      "user: hi" PART_SEEN " | user/c1 image/png 70 bytes" },
    { "a type that may not stand in a response", NEW,
      ASK(HI "," MODEL(SIGNED) "," USER(RESPONSE_WITH(INLINE("audio/wav", WAV)))), 400,
      "Unsupported MIME type: audio/wav" },
    { "a file's URI in a response is not seen", NEW,
      ASK(HI "," MODEL(SIGNED) "," USER(
          RESPONSE_WITH("{'fileData':{'mimeType':'image/png','fileUri':'https://x/f'}}"))),
      200, "user: hi" PART_SEEN },
    { "the same on Vertex is", "vertex:gemini-3-pro-preview",
      ASK(HI "," MODEL(SIGNED) "," USER(
          RESPONSE_WITH("{'fileData':{'mimeType':'image/png','fileUri':'gs://x/f'}}"))),
      200, "user: hi" PART_SEEN " | user/c1 image/png at gs://x/f" },
    { "sound", OLD, ASK(USER(INLINE("audio/wav", WAV))), 200, "user audio/wav 60 bytes" },
    { "GIF", OLD, ASK(USER(INLINE("image/gif", GIF))), 400, "Unsupported MIME type: image/gif" },
    { "an archive", OLD, ASK(USER(INLINE("application/zip", PDF))), 400,
      "Unsupported MIME type: application/zip" },
    { "a text that says it is a picture", OLD, ASK(USER(INLINE("image/png", TEXT_FILE))), 400,
      "Unable to process input image" },
    { "a picture that says it is PDF", OLD, ASK(USER(INLINE("application/pdf", PNG))), 400,
      "The document has no pages." },
    { "no base64", OLD, ASK(HI "," USER("{'text':'x'}," INLINE("image/png", "***"))), 400,
      "Invalid value at 'contents[1].parts[1].inline_data.data' (TYPE_BYTES), Base64 decoding failed" },
    { "a name that is none", OLD,
      "{'contents':[" HI "],'tools':[{'functionDeclarations':[{'name':'a b'}]}]}", 400,
      "Invalid function name" },
    { "a mode that is none", OLD,
      "{'contents':[" HI "],'toolConfig':{'functionCallingConfig':{'mode':'SOME'}}}", 400,
      "function_calling_config.mode" },
    { "too hot", OLD, "{'contents':[" HI "],'generationConfig':{'temperature':3}}", 400,
      "range [0.0, 2.0]" },
    { "a level where there is a budget", OLD,
      "{'contents':[" HI "],'generationConfig':{'thinkingConfig':{'thinkingLevel':'LOW'}}}", 400,
      "Thinking level is not supported for this model." },
    { "a level and a budget", NEW,
      "{'contents':[" HI
      "],'generationConfig':{'thinkingConfig':{'thinkingLevel':'LOW','thinkingBudget':1}}}",
      400, "only one of thinking budget and thinking level" },
    { "a level between the two that there are", NEW,
      "{'contents':[" HI "],'generationConfig':{'thinkingConfig':{'thinkingLevel':'MEDIUM'}}}", 400,
      "Thinking level MEDIUM is not supported for this model." },
    { "a schema beside functions, before generation 3", OLD,
      "{'contents':[" HI "],'tools':[{'functionDeclarations':[{'name':'f'}]}],'generationConfig':"
      "{'responseMimeType':'application/json','responseJsonSchema':{'type':'object'}}}",
      400, "Function calling with a response mime type: 'application/json' is unsupported" },
};

static void check(void **state)
{
    check_asked(&rf_sim_gemini, *state);
}

static void too_long(void **state)
{
    (void)state;
    check_too_long(&rf_sim_gemini, OLD, "{'contents':[{'parts':[{'text':'", 5000000, "'}]}]}", 400,
                   "exceeds the maximum number of tokens allowed (1048576).");
    check_too_long(&rf_sim_gemini, OLD, "{'contents':[{'parts':[{'text':'", 21000000, "'}]}]}", 400,
                   "Request payload size exceeds the limit: 20971520 bytes.");
}

static void says(void **state)
{
    (void)state;
    check_said(&rf_sim_gemini, NEW, &said_all, SAID_ALL("", "", ",'signature':'c2lt'", ""));
    check_said(&rf_sim_gemini, OLD, &said_cut, SAID_CUT);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 2];
    name_rows(tests, check, rows, COUNT(rows), sizeof *rows);
    tests[COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(says);
    tests[COUNT(rows) + 1] = (struct CMUnitTest)cmocka_unit_test(too_long);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
