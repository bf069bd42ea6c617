#include "asking.h"

#define CLAUDE "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0"
#define NOVA "bedrock:us.amazon.nova-2-lite-v1:0"
#define LLAMA "bedrock:us.meta.llama4-scout-17b-instruct-v1:0"
#define WRITER "bedrock:us.writer.palmyra-x5-v1:0"
#define TOOLS ",'toolConfig':{'tools':[{'toolSpec':{'name':'f','inputSchema':{'json':{'type':'object'}}}}]}"
#define ASK(messages) "{'messages':[" messages "]" TOOLS "}"
#define USER(blocks) "{'role':'user','content':[" blocks "]}"
#define ASSISTANT(blocks) "{'role':'assistant','content':[" blocks "]}"
#define TEXT(text) "{'text':'" text "'}"
#define HI USER(TEXT("hi"))
#define CALL(id) "{'toolUse':{'toolUseId':'" id "','name':'f','input':{}}}"
#define RESULT(id, blocks) "{'toolResult':{'toolUseId':'" id "','content':[" blocks "]}}"
#define OK(id) RESULT(id, TEXT("ok"))
#define IMAGE(format, data) "{'image':{'format':'" format "','source':{'bytes':'" data "'}}}"
#define DOCUMENT(name, format, data) \
    "{'document':{'name':'" name "','format':'" format "','source':{'bytes':'" data "'}}}"
#define VIDEO "{'video':{'format':'mp4','source':{'bytes':'" WAV "'}}}"
#define S3(kind, format, name) \
    "{'" kind "':{'format':'" format "'" name ",'source':{'s3Location':{'uri':'s3://b/k'}}}}"
#define CALLED "user: hi | call c1 f {} | result c1 f"
#define ROUND(result) ASK(HI "," ASSISTANT(CALL("c1")) "," USER(result))
#define MANY(x) x "," x "," x "," x "," x "," x "," x

static const struct asked_row rows[] = {
    { "a question", CLAUDE, "{'system':[{'text':'s'}],'messages':[" HI "]}", 200, "system: s | user: hi" },
    { "no messages", CLAUDE, "{}", 400, "Value at 'messages' failed to satisfy constraint: Member must not be null" },
    { "a model that is none", "bedrock:us.amazon.nova-micro-v1:O", ASK(HI), 400, "The provided model identifier is invalid." },
    { "an unknown role", CLAUDE, ASK("{'role':'tool','content':[]}"), 400, "Member must satisfy enum value set: [user, assistant]" },
    { "an empty message", CLAUDE, ASK(USER("")), 400, "The content field in the Message object at messages.0 is empty." },
    { "two user turns", CLAUDE, ASK(HI "," HI), 400, "A conversation must alternate between user and assistant roles." },
    { "the assistant first", NOVA, ASK(ASSISTANT(TEXT("a")) "," HI), 400, "A conversation must start with a user message." },
    { "the assistant first, for one who takes it", CLAUDE, ASK(ASSISTANT(TEXT("a")) "," HI), 200, "assistant: a | user: hi" },
    { "an empty text", CLAUDE, ASK(USER(TEXT(""))), 400,
      "The text field in the ContentBlock object at messages.0.content.0 is blank." },
    { "two members of a union", CLAUDE, ASK(USER("{'text':'a','cachePoint':{}}")), 400,
      "The union at messages.0.content.0 must have exactly one member set, and has 2." },
    { "a block that is none", CLAUDE, ASK(USER("{'picture':{}}")), 400, "The content block picture at messages.0.content.0" },
    { "tokens that are none", CLAUDE, "{'messages':[" HI "],'inferenceConfig':{'maxTokens':0}}", 400,
      "Value '0' at 'inferenceConfig.maxTokens' failed" },

    { "a call and its result", CLAUDE, ROUND(OK("c1")), 200, CALLED " | tool/c1: ok" },
    { "JSON in a result", CLAUDE, ROUND(RESULT("c1", "{'json':{'a':1}}")), 200, CALLED " | tool/c1: {\"a\":1}" },
    { "a list of JSON in a result", CLAUDE, ROUND(RESULT("c1", "{'json':[1]}")), 400,
      "The format of the value at messages.2.content.0.toolResult.content.0.json is invalid." },
    { "no tools though there are calls", CLAUDE, "{'messages':[" HI "," ASSISTANT(CALL("c1")) "," USER(OK("c1")) "]}", 400,
      "The toolConfig field must be defined when using toolUse and toolResult content blocks." },
    { "a result is missing", CLAUDE, ASK(HI "," ASSISTANT(CALL("c1") "," CALL("c2")) "," USER(OK("c1"))), 400,
      "Expected toolResult blocks at messages.2.content for the following Ids: c2" },
    { "a call that is last", CLAUDE, ASK(HI "," ASSISTANT(CALL("c1"))), 400, "Expected toolResult blocks at messages.2.content" },
    { "a result of no call", CLAUDE, ASK(USER(OK("c1"))), 400,
      "The number of toolResult blocks at messages.0.content exceeds the number of toolUse blocks of previous turn." },
    { "two results of one call", CLAUDE, ROUND(OK("c1") "," OK("c1")), 400, "exceeds the number of toolUse blocks" },
    { "an id with a space", CLAUDE, ASK(HI "," ASSISTANT(CALL("c 1"))), 400,
      "Value 'c 1' at 'messages.2.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint" },
    { "a status for a model that has none", WRITER,
      ROUND("{'toolResult':{'toolUseId':'c1','status':'success','content':[" TEXT("x") "]}}"), 400,
      "This model doesn't support the status field." },
    { "no tool in the list", CLAUDE, "{'messages':[" HI "],'toolConfig':{'tools':[]}}", 400, "'toolConfig.tools'" },
    { "a tool's name", CLAUDE,
      "{'messages':[" HI "],'toolConfig':{'tools':[{'toolSpec':{'name':'a b','inputSchema':{'json':{}}}}]}}", 400,
      "Value 'a b' at 'toolConfig.tools.1.member.toolSpec.name'" },
    { "a schema without a type", CLAUDE,
      "{'messages':[" HI "],'toolConfig':{'tools':[{'toolSpec':{'name':'f','inputSchema':{'json':{}}}}]}}", 400,
      "The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object." },

    { "a picture", CLAUDE, ASK(USER(IMAGE("png", PNG))), 200, "user image/png 70 bytes" },
    { "a picture in a result", CLAUDE, ROUND(RESULT("c1", IMAGE("gif", GIF))), 200, CALLED " | tool/c1 image/gif 42 bytes" },
    { "a picture of another type", CLAUDE, ASK(USER(IMAGE("png", GIF))), 400,
      "messages.0.content.0.image.source.base64.data: The image does not match the provided media type image/png" },
    { "a format that is none", CLAUDE, ASK(USER(IMAGE("jpg", PNG))), 400,
      "Value 'jpg' at 'messages.1.member.content.1.member.image.format' failed to satisfy constraint: Member must "
      "satisfy enum value set: [gif, jpeg, png, webp]" },
    { "a picture that is not base64", CLAUDE, ASK(USER(IMAGE("png", "***"))), 400,
      "The value at messages.0.content.0.image.source.bytes is not valid base64." },
    { "a picture of the assistant", CLAUDE, ASK(HI "," ASSISTANT(IMAGE("png", PNG))), 400, "is not allowed in an assistant message" },
    { "21 pictures", CLAUDE, ASK(USER(MANY(IMAGE("png", PNG)) "," MANY(IMAGE("png", PNG)) "," MANY(IMAGE("png", PNG)))), 400,
      "too many images: 21 > 20" },
    { "a document", CLAUDE, ASK(USER(TEXT("see") "," DOCUMENT("report 1", "pdf", PDF))), 200,
      "user: see | user application/pdf 72 bytes" },
    { "a document without text", CLAUDE, ASK(USER(DOCUMENT("report", "pdf", PDF))), 400, "Include a text block in the message" },
    { "a name with a dot", CLAUDE, ASK(USER(TEXT("x") "," DOCUMENT("report.pdf", "pdf", PDF))), 400,
      "The document file name can only contain alphanumeric characters" },
    { "a name with an underscore", CLAUDE, ASK(USER(TEXT("x") "," DOCUMENT("my_report", "pdf", PDF))), 200,
      "user: x | user application/pdf 72 bytes" },
    { "a name with two spaces", CLAUDE, ASK(USER(TEXT("x") "," DOCUMENT("a  b", "pdf", PDF))), 400,
      "more than one consecutive whitespace character" },
    { "a name that is there twice", CLAUDE, ASK(USER(TEXT("x") "," DOCUMENT("a", "pdf", PDF) "," DOCUMENT("a", "pdf", PDF))), 400,
      "must be unique" },
    { "a document of another type", CLAUDE, ASK(USER(TEXT("x") "," DOCUMENT("a", "pdf", PNG))), 400,
      "The document does not match the provided media type application/pdf" },
    { "sound in a result", CLAUDE, ROUND(RESULT("c1", "{'audio':{}}")), 400, "is not allowed in a toolResult block" },
    { "video for a model that takes none", CLAUDE, ASK(USER(VIDEO)), 400,
      "This model doesn't support the video content block that you provided." },
    { "PDF in a result, where it is refused", NOVA, ROUND(RESULT("c1", DOCUMENT("a", "pdf", PDF))), 400,
      "Malformed input request: #/messages/2/content/0: extraneous key [toolResult] is not permitted" },
    { "a picture of S3", CLAUDE, ASK(USER(S3("image", "png", ""))), 400, "This model doesn't support the s3Uri field." },
    { "a document of S3", CLAUDE, ASK(USER(TEXT("x") "," S3("document", "pdf", ",'name':'a'"))), 400,
      "messages.0.content.1.document.source.type: Field required" },
    { "a picture of S3, where it is taken", NOVA, ASK(USER(S3("image", "png", ""))), 200, "user image/png at s3://b/k" },
    { "a picture beside a result", LLAMA, ROUND(OK("c1") "," IMAGE("png", PNG)), 400, "messages.2: a message with toolResult blocks" },
    { "a picture beside a result, where it is taken", CLAUDE, ROUND(OK("c1") "," IMAGE("png", PNG)), 200,
      CALLED " | tool/c1: ok | user image/png 70 bytes" },
    { "thoughts without a signature", CLAUDE,
      ASK(HI "," ASSISTANT("{'reasoningContent':{'reasoningText':{'text':'t'}}}") "," HI), 400, "Invalid `signature`" },
};

static void check_row(void **state)
{
    check_asked(&rf_sim_bedrock, *state);
}

static void says(void **state)
{
    (void)state;
    check_said(&rf_sim_bedrock, CLAUDE, &said_all,
               SAID_ALL(",'signature':'c2ltLXNpZ25lZC06231f2c7'", "", "", ""));
    check_said(&rf_sim_bedrock, CLAUDE, &said_cut, SAID_CUT);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 1];
    name_rows(tests, check_row, rows, COUNT(rows), sizeof *rows);
    tests[COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(says);
    return cmocka_run_group_tests_name("sim bedrock", tests, NULL, NULL);
}
