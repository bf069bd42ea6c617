/* The turns: what stands where for endpoints of every kind. */
#include "show.h"

#include "base/json_write.h"

#define CHAT "openai-chat:gpt-4o"
#define CLAUDE "anthropic:claude-sonnet-4-5"
#define GEMINI2 "google:gemini-2.5-flash"
#define GEMINI3 "google:gemini-3-pro"
#define BEDROCK "bedrock:us.anthropic.claude-sonnet-4-5"
#define LLAMA "bedrock:meta.llama4"
#define MISTRAL "mistral:mistral-large"
#define HI USER("hi") ","
#define SAID_HI "user: \"hi\"\n"
#define C1 CALL("c1", "look")
#define C2 CALL("c2", "look")
#define CALLED "assistant: call(c1 look)\n"
#define FROM(provider, model) "'origin':{'provider':'" provider "','model':'" model "'}"
#define F1 "\"[look c1: \"f1.png\"] This is file f1:\""
#define F2 "\"[look c1: \"f2.pdf\"] This is file f2:\""
#define A_PDF "<application/pdf as document 1>"

#define DRAWS "google:gemini-3-pro-image audio_user=audio/wav native_video=no"
#define NOT_DRAWN                                                                             \
    "was not sent: it is part of an earlier answer, and answers go back as text. This model " \
    "takes images (png, jpeg, webp, heic, heif), PDF, text files, audio (wav) and text.]\""

static const struct plan_row rows[] = {
    { "words", CHAT, USER("hi") "," SAYS("hello"), "user: \"hi\"\nassistant: \"hello\"" },
    { "an answer at the end stays there where it is gone on with", CLAUDE, HI SAYS("hello"),
      "user: \"hi\"\nassistant: \"hello\"" },
    { "without white space after it, where that is refused", CLAUDE, HI SAYS("so: \\n"),
      "user: \"hi\"\nassistant: \"so:\"" },
    { "where it is not, that stays", MISTRAL, HI SAYS("so: "),
      "user: \"hi\"\nassistant: \"so: \"" },
    { "where it cannot be, that is asked for", "anthropic:claude-sonnet-4-6", HI SAYS("hello"),
      "user: \"hi\"\nassistant: \"hello\"\nuser: \"(Go on from where your answer ends.)\"" },
    { "a turn that the server interrupted goes on", "anthropic:claude-sonnet-4-6",
      HI "{'role':'assistant'," FROM("anthropic", "claude-sonnet-4-6") ",'content':[" TEXT("hm") ","
         "{'type':'opaque','dialect':'anthropic','value':{'type':'server_tool_use'}}]}",
      "user: \"hi\"\nassistant: \"hm\" opaque(anthropic)" },
    { "calls at the end have their results", "cohere:command-a-03-2025", HI ASSISTANT(C1),
      SAID_HI CALLED "user: failed(c1 look: \"Error: No result was recorded for this call.\")" },
    { "a result in its order: output, error, data, blocks", CLAUDE,
      HI ASSISTANT(C1) "," TOOL("c1", "'content_blocks':[" TEXT("b") "," IMAGE(
                                          "f1") "],'data':{'k':1},"
                                                "'success':false,'error':'e','output':'o'"),
      SAID_HI CALLED "user: failed(c1 look: \"o\" \"e\" {\"k\":1} \"b\" \"See file f1.\") " F1
                     " <image/png>" },
    { "blocks keep their order inside", CLAUDE,
      HI ASSISTANT(C1) "," BLOCKS("c1", TEXT("a") "," IMAGE("f1") "," TEXT("b") "," PDF("f2")),
      SAID_HI CALLED "user: result(c1 look: \"a\" <image/png> \"b\" " A_PDF ")" },
    { "an array is not an object", CHAT, HI ASSISTANT(C1) "," TOOL("c1", "'data':[1]"),
      SAID_HI CALLED "user: result(c1 look: json[1])" },
    { "a result of nothing says so", CHAT, HI ASSISTANT(C1) "," OUTPUT("c1", " "),
      SAID_HI CALLED "user: result(c1 look: \"(no output)\")" },
    { "a failure without words says so where a mark exists", CLAUDE,
      HI ASSISTANT(C1) "," TOOL("c1", "'success':false"),
      SAID_HI CALLED "user: failed(c1 look: \"The tool reported a failure.\")" },
    { "a failure without words says so where no mark exists", CHAT,
      HI ASSISTANT(C1) "," TOOL("c1", "'success':false,'data':1"),
      SAID_HI CALLED "user: failed(c1 look: json1 \"Error: The tool reported a failure.\")" },
    { "the output of a failure is its error where it has no other", CHAT,
      HI ASSISTANT(C1) "," TOOL("c1", "'success':false,'output':'o'"),
      SAID_HI CALLED "user: failed(c1 look: \"Error: o\")" },
    { "an error in words where no mark exists", CHAT,
      HI ASSISTANT(C1) "," TOOL("c1", "'success':false,'error':'bad'"),
      SAID_HI CALLED "user: failed(c1 look: \"Error: bad\")" },
    { "an error with NUL in it loses nothing", CHAT,
      HI ASSISTANT(C1) "," TOOL("c1", "'success':false,'error':'a\\u0000b'"), NULL },
    { "injected after the results, in a turn of its own", CHAT,
      HI ASSISTANT(C1) "," TOOL(
          "c1", "'output':'o','content_blocks':[" IMAGE("f1") "," PDF("f2") "]") "," USER("and?"),
      SAID_HI CALLED "user: result(c1 look: \"o\" \"See file f1.\" \"See file f2.\")\n"
                     "user: " F1 " <image/png> " F2 " " A_PDF "\nuser: \"and?\"" },
    { "injected in the same turn", CLAUDE " image_inside=-",
      HI ASSISTANT(C1) "," BLOCKS("c1", IMAGE("f1")) "," USER("and?"),
      SAID_HI CALLED "user: result(c1 look: \"See file f1.\") " F1 " <image/png> \"and?\"" },
    { "injected after a short answer", MISTRAL " image_inside=-",
      HI ASSISTANT(CALL("callno001", "look")) "," BLOCKS("callno001", IMAGE("f1")) "," USER("and?"),
      SAID_HI
      "assistant: call(callno001 look)\n"
      "user: result(callno001 look: \"See file f1.\")\nassistant: \"OK.\"\n"
      "user: \"[look callno001: \"f1.png\"] This is file f1:\" <image/png>\nuser: \"and?\"" },
    { "a person after results, where they must be alone", MISTRAL,
      HI ASSISTANT(CALL("callno001", "look")) "," OUTPUT("callno001", "o") "," USER("and?"),
      SAID_HI "assistant: call(callno001 look)\nuser: result(callno001 look: \"o\")\n"
              "assistant: \"OK.\"\nuser: \"and?\"" },
    { "documents are never inside on Bedrock Claude, nor beside", BEDROCK,
      HI ASSISTANT(C1) "," BLOCKS("c1", IMAGE("f1") "," PDF("f2")),
      SAID_HI CALLED "user: result(c1 look: <image/png> \"See file f2.\")\n"
                     "assistant: \"OK.\"\nuser: " F2 " " A_PDF },
    { "documents are inside for Llama, and a person speaks after a short answer", LLAMA,
      HI ASSISTANT(C1) "," BLOCKS("c1", PDF("f2")) "," USER("and?"),
      SAID_HI CALLED "user: result(c1 look: " A_PDF ")\nassistant: \"OK.\"\nuser: \"and?\"" },
    { "Gemini 2: in the next content", GEMINI2, HI ASSISTANT(C1) "," BLOCKS("c1", IMAGE("f1")),
      SAID_HI CALLED "user: result(c1 look: \"See file f1.\")\nuser: " F1 " <image/png>" },
    { "Gemini 3: inside, with a mark for a call of another model", GEMINI3,
      HI ASSISTANT(C1 "," C2) "," BLOCKS("c1", IMAGE("f1")) "," BLOCKS("c2", SOUND("f3")),
      SAID_HI
      "assistant: call(c1 look c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=) call(c2 look)\n"
      "user: result(c1 look: <image/png>) result(c2 look: \"See file f3.\")\n"
      "user: \"[look c2: \"f3.wav\"] This is file f3:\" <audio/wav>" },
    { "media of a failed result goes after where it may hold text only", CLAUDE,
      HI ASSISTANT(C1) "," TOOL("c1",
                                "'success':false,'error':'e','content_blocks':[" IMAGE("f1") "]"),
      SAID_HI CALLED "user: failed(c1 look: \"e\" \"See file f1.\") " F1 " <image/png>" },
    { "a text file as a document of text", CLAUDE,
      HI ASSISTANT(C1) "," BLOCKS("c1", "{'type':'document','name':'a.csv','data':'YSxiCjEsMgo='}"),
      SAID_HI CALLED "user: result(c1 look: file([File \"a.csv\", text/csv, 8 bytes]))" },
    { "a text file in a failed result is plain", CLAUDE,
      HI ASSISTANT(C1) "," TOOL("c1", "'success':false,'content_blocks':["
                                      "{'type':'document','name':'a.csv','data':'YSxiCjEsMgo='}]"),
      SAID_HI CALLED "user: failed(c1 look: file([File \"a.csv\", text/csv, 8 bytes] plain))" },
    { "a text file where no documents are", CHAT, USER_OF(NOTES("f1")),
      "user: file([File \"f1.txt\", text/plain, 12 bytes])" },
    { "turns of one role are one where they must be", CLAUDE,
      USER("a") "," USER("b") "," SAYS("c") "," SAYS("d"),
      "user: \"a\" \"b\"\nassistant: \"c\" \"d\"" },
    { "turns of one role stay two where they may", CHAT, USER("a") "," USER("b"),
      "user: \"a\"\nuser: \"b\"" },
    { "an answer first", CLAUDE, SAYS("hello") "," USER("hi"),
      "user: \"(The conversation begins with an answer.)\"\nassistant: \"hello\"\nuser: \"hi\"" },
    { "an answer first, where that may be", CHAT, SAYS("hello"), "assistant: \"hello\"" },
    { "an answer of nothing is left out", CLAUDE, USER("a") "," SAYS("") "," USER("b"),
      "user: \"a\" \"b\"" },
    { "a document alone gets a word beside it where it must", BEDROCK, USER_OF(PDF("f2")),
      "user: " A_PDF " \"See the attached document.\"" },
    { "a document with words does not", BEDROCK, USER_OF(TEXT("this") "," PDF("f2")),
      "user: \"this\" " A_PDF },
    { "a picture alone does not", BEDROCK, USER_OF(IMAGE("f1")), "user: <image/png>" },
    { "documents are numbered through", BEDROCK,
      USER_OF(PDF("f1") "," TEXT("x")) "," SAYS("y") "," USER_OF(TEXT("z") "," PDF("f2")),
      "user: <application/pdf as document 1> \"x\"\nassistant: \"y\"\n"
      "user: \"z\" <application/pdf as document 2>" },
    { "an answer's picture goes back as words", CLAUDE, HI ASSISTANT(TEXT("here") "," IMAGE("f1")),
      SAID_HI
      "assistant: \"here\" \"[File f1: \"f1.png\" (image/png, 73 bytes) was not sent: it is part "
      "of an earlier answer, and answers go back as text. This model takes images (png, jpeg, gif, "
      "webp), PDF, text files and text.]\"" },
    { "but to the model that made it as it came, where its API takes that", DRAWS,
      HI "{'role':'assistant'," FROM("google", "gemini-3-pro-image") ",'content':[" IMAGE(
          "f1") "," SOUND("f3") "," PDF("f2") "]}",
      SAID_HI "assistant: <image/png> <audio/wav> \"[File f2: \"f2.pdf\" (application/pdf, "
              "130 bytes) " NOT_DRAWN },
    { "also from a request of its API, which does not name the model", DRAWS " from=gemini",
      HI ASSISTANT(TEXT("here") "," IMAGE("f1")), SAID_HI "assistant: \"here\" <image/png>" },
    { "not to another model", DRAWS,
      HI "{'role':'assistant'," FROM("google",
                                     "gemini-2.5-flash-image") ",'content':[" IMAGE("f1") "]}",
      SAID_HI "assistant: \"[File f1: \"f1.png\" (image/png, 73 bytes) " NOT_DRAWN },
    { "an empty text with a mark goes back to the model that gave it",
      "google:gemini-3-pro from=gemini",
      HI ASSISTANT("{'type':'text','text':'','extra':{'gemini':{'thoughtSignature':'s'}}}"),
      SAID_HI "assistant: \"\"" },
    { "and to no other API", CLAUDE " from=gemini",
      HI ASSISTANT("{'type':'text','text':'','extra':{'gemini':{'thoughtSignature':'s'}}}"),
      "user: \"hi\"" },
    { "an answer of nothing but sound that is known there goes back",
      CHAT " own_fields=yes from=openai-chat",
      HI "{'role':'assistant','content':[],'extra':{'openai-chat':{'audio':{'id':'a'}}}}",
      SAID_HI "assistant:" },
    { "and of nothing but a name does not", CHAT " own_fields=yes from=openai-chat",
      HI "{'role':'assistant','content':[],'extra':{'openai-chat':{'audio':null,'name':'b'}}}",
      "user: \"hi\"" },
    { "an undescribed tool has a legal name", CHAT,
      HI ASSISTANT(CALL("c1", "a.b")) "," OUTPUT("c1", "o"),
      SAID_HI "assistant: call(c1 a_b)\nuser: result(c1 a_b: \"o\")" },
    { "nothing at all", CHAT, "", "!malformed: messages: there is nothing to send|" },
    { "nothing but blanks", CHAT, USER(" ") "," SAYS(""),
      "!malformed: messages: there is nothing to send|" },
};

static void layout_row(void **state)
{
    const struct plan_row *row = *state;
    if (row->want) {
        check_plan(state);
        return;
    }
    struct rf_arena *a = rf_arena_new();
    const struct shown *s = show_plan(
        a, row->model, rf_strf(a, "{'refract':1,'messages':[%s]}", row->messages).p, false);
    struct rf_str text = s->plan.turns[2].items[0].items[0].text;
    assert_int_equal(text.n, sizeof "Error: a\0b" - 1);
    assert_memory_equal(text.p, "Error: a\0b", text.n);
    rf_arena_free(a);
}

#define THINKS(origin, thought) \
    "{'role':'assistant'," origin ",'content':[{'type':'thinking'," thought "}," C1 "]}"
#define SONNET FROM("anthropic", "claude-sonnet-4-5")
#define DONE "\nuser: result(c1 look: \"o\")"

#define OPAQUE(dialect) "{'type':'opaque','dialect':'" dialect "','value':{'type':'x'}}"
#define RAN \
    "{'type':'opaque','dialect':'openai-responses','value':{'type':'ran'},'text_fallback':'t'}"
#define KEEPS(origin, block) "{'role':'assistant'," origin ",'content':[" block "," C1 "]}"

#define THOUGHT "{'type':'thinking','thinking':'hm','id':'rs_1'}"
#define STORED "{'role':'assistant'," FROM("openai", "gpt-5") ",'content':[" THOUGHT "," C1 "]}"

/* A proxy's id: it has a signature in it. */
#define LEGAL_ID "call_1"
#define LONG_ID "call_1__thought__EjQKMgG+aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabb/b=="
#define LONG_ID_CALL CALL(LONG_ID, "look")

static const struct plan_row thoughts[] = {
    { "what only one API can say goes back to it", CLAUDE,
      HI KEEPS(SONNET, OPAQUE("anthropic")) "," OUTPUT("c1", "o"),
      SAID_HI "assistant: opaque(anthropic) call(c1 look)" DONE },
    { "and to no other", "openai:gpt-5",
      HI KEEPS(FROM("openai", "gpt-5"), OPAQUE("anthropic")) "," OUTPUT("c1", "o"),
      SAID_HI "assistant: call(c1 look)" DONE },
    { "nor to another model", "anthropic:claude-opus-4-1",
      HI KEEPS(SONNET, OPAQUE("anthropic")) "," OUTPUT("c1", "o"),
      SAID_HI "assistant: call(c1 look)" DONE },
    { "but calls that the client ran go where what came of them goes", "openai:gpt-5.1",
      HI "{'role':'assistant'," FROM("openai", "gpt-5") ",'content':[" RAN "," OPAQUE(
          "openai-responses") "]}," USER_OF(OPAQUE("openai-responses")),
      SAID_HI "assistant: opaque(openai-responses)\nuser: opaque(openai-responses)" },
    { "also where they were imported", "openai:gpt-5.1 from=openai-responses",
      HI "{'role':'assistant'," FROM("openai", "gpt-5") ",'content':[" RAN
                                                        "]}," USER_OF(OPAQUE("openai-responses")),
      SAID_HI "assistant: opaque(openai-responses)\nuser: opaque(openai-responses)" },
    { "signed thoughts go back to where they came from", CLAUDE,
      HI THINKS(SONNET, "'thinking':'hm','signature':'s'") "," OUTPUT("c1", "o"),
      SAID_HI "assistant: thought(hm) call(c1 look)" DONE },
    { "not where the model shall not think", CLAUDE " thinking=no",
      HI THINKS(SONNET, "'thinking':'hm','signature':'s'") "," OUTPUT("c1", "o"),
      SAID_HI "assistant: call(c1 look)" DONE },
    { "also to the same model under its dated name", CLAUDE "-20250929",
      HI THINKS(SONNET, "'thinking':'hm','signature':'s'") "," OUTPUT("c1", "o"),
      SAID_HI "assistant: thought(hm) call(c1 look)" DONE },
    { "not to another model", "anthropic:claude-opus-4-1",
      HI THINKS(SONNET, "'thinking':'hm','signature':'s'") "," OUTPUT("c1", "o"),
      SAID_HI "assistant: call(c1 look)" DONE },
    { "not to another provider", BEDROCK,
      HI THINKS(SONNET, "'thinking':'hm','signature':'s'") "," OUTPUT("c1", "o"),
      SAID_HI "assistant: call(c1 look)" DONE },
    { "not without a signature", CLAUDE, HI THINKS(SONNET, "'thinking':'hm'") "," OUTPUT("c1", "o"),
      SAID_HI "assistant: call(c1 look)" DONE },
    { "redacted ones go back", CLAUDE, HI THINKS(SONNET, "'redacted':'xx'") "," OUTPUT("c1", "o"),
      SAID_HI "assistant: thought() call(c1 look)" DONE },
    { "encrypted ones go back with their id", "openai:gpt-5",
      HI THINKS(FROM("openai", "gpt-5"),
                "'thinking':'hm','encrypted':'e','id':'rs_1'") "," OUTPUT("c1", "o"),
      SAID_HI "assistant: thought(hm) call(c1 look)" DONE },
    { "encrypted ones do not go back without it", "openai:gpt-5",
      HI THINKS(FROM("openai", "gpt-5"), "'thinking':'hm','encrypted':'e'") "," OUTPUT("c1", "o"),
      SAID_HI "assistant: call(c1 look)" DONE },
    { "where they were imported also without it", "openai:gpt-5 from=openai-responses",
      HI THINKS(FROM("openai", "gpt-5"), "'thinking':'hm','encrypted':'e'") "," OUTPUT("c1", "o"),
      SAID_HI "assistant: thought(hm) call(c1 look)" DONE },
    { "stored ones go back by their id to where they were imported from",
      "openai:gpt-5 from=openai-responses", HI STORED "," OUTPUT("c1", "o"),
      SAID_HI "assistant: thought(hm) call(c1 look)" DONE },
    { "not elsewhere", "openai:gpt-5", HI STORED "," OUTPUT("c1", "o"),
      SAID_HI "assistant: call(c1 look)" DONE },
    { "not to another model", "openai:gpt-5.1 from=openai-responses",
      HI STORED "," OUTPUT("c1", "o"), SAID_HI "assistant: call(c1 look)" DONE },
    { "not where nothing is stored", "openai:gpt-5 from=openai-responses",
      HI STORED "," OUTPUT("c1", "o") "],'extra':{'openai-responses':{'store':false}},'tools':[",
      SAID_HI "assistant: call(c1 look)" DONE },
    { "nor before a text that has lost its id", "openai:gpt-5 from=openai-responses",
      HI "{'role':'assistant'," FROM("openai", "gpt-5") ",'content':[" THOUGHT "," TEXT(
          "a") "," THOUGHT "," C1 "]}," OUTPUT("c1", "o"),
      SAID_HI "assistant: \"a\" thought(hm) call(c1 look)" DONE },
    { "encrypted ones that led to nothing do not go back", "openai:gpt-5",
      HI "{'role':'assistant'," FROM("openai", "gpt-5") ",'content':[" TEXT(
          "a") ",{'type':'thinking','thinking':'hm','encrypted':'e','id':'rs_1'}]}",
      SAID_HI "assistant: \"a\"" },
    { "thoughts never go back where no field exists", CHAT,
      HI THINKS(FROM("openai-chat", "gpt-4o"), "'thinking':'hm','signature':'s'") "," OUTPUT("c1",
                                                                                             "o"),
      SAID_HI "assistant: call(c1 look)" DONE },
    { "a call's own mark goes back", GEMINI3,
      HI "{'role':'assistant'," FROM("google", "gemini-3-pro") ",'content':[{'type':'tool_call',"
                                                               "'id':'c1','name':'look','signature'"
                                                               ":'mine'}]}," OUTPUT("c1", "o"),
      SAID_HI "assistant: call(c1 look mine)" DONE },
    { "an id goes back unchanged to the server that made it", "litellm:gemini-3-pro",
      HI "{'role':'assistant'," FROM("litellm", "gemini-3-pro") ",'content':[" LONG_ID_CALL
                                                                "]}," OUTPUT(LONG_ID, "o"),
      SAID_HI "assistant: call(" LONG_ID " look)\nuser: result(" LONG_ID " look: \"o\")" },
    { "also for another model there", "litellm:claude-opus-4-1",
      HI "{'role':'assistant'," FROM("litellm", "gemini-3-pro") ",'content':[" LONG_ID_CALL
                                                                "]}," OUTPUT(LONG_ID, "o"),
      SAID_HI "assistant: call(" LONG_ID " look)\nuser: result(" LONG_ID " look: \"o\")" },
    { "an imported request does not tell: a proxy may have made it",
      "litellm:gemini-3-pro from=openai-chat", HI ASSISTANT(LONG_ID_CALL) "," OUTPUT(LONG_ID, "o"),
      SAID_HI "assistant: call(" LONG_ID " look)\nuser: result(" LONG_ID " look: \"o\")" },
    { "a vendor has not", CHAT " from=openai-chat",
      HI ASSISTANT(LONG_ID_CALL) "," OUTPUT(LONG_ID, "o"),
      SAID_HI "assistant: call(" LEGAL_ID " look)\nuser: result(" LEGAL_ID " look: \"o\")" },
    { "a mark in an id does not go to another vendor", CLAUDE,
      HI "{'role':'assistant'," FROM("litellm", "gemini-3-pro") ",'content':[" LONG_ID_CALL
                                                                "]}," OUTPUT(LONG_ID, "o"),
      SAID_HI "assistant: call(" LEGAL_ID " look)\nuser: result(" LEGAL_ID " look: \"o\")" },
    { "a mark in an id goes back as what it is", GEMINI3 " from=anthropic",
      HI ASSISTANT(CALL("c1__thought__bWluZQ", "look")) "," OUTPUT("c1__thought__bWluZQ", "o"),
      SAID_HI "assistant: call(c1 look bWluZQ==)" DONE },
    { "another model's mark does not", GEMINI3,
      HI "{'role':'assistant'," FROM("google", "gemini-4") ",'content':[{'type':'tool_call',"
                                                           "'id':'c1','name':'look','signature':'"
                                                           "mine'}]}," OUTPUT("c1", "o"),
      SAID_HI "assistant: call(c1 look c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=)" DONE },
};

static void what_only_another_model_can_use_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *model, *messages, *want;
    } cases[] = {
        { CLAUDE, HI KEEPS(SONNET, OPAQUE("anthropic")), NULL },
        { "anthropic:claude-opus-4-1",
          HI KEEPS(SONNET, OPAQUE("anthropic") "," OPAQUE("anthropic")),
          "parts of answers were left out (x): anthropic:claude-opus-4-1 is not the model that "
          "made them" },
        { "openai:gpt-5",
          HI KEEPS(FROM("google", "gemini-3-pro"),
                   "{'type':'opaque','dialect':'gemini','value':{'executableCode':{}}},"
                   "{'type':'opaque','dialect':'gemini','value':{'codeExecutionResult':{}}}"),
          "parts of answers were left out (executableCode, codeExecutionResult): openai:gpt-5 is "
          "not the model that made them" },
        { "openai:gpt-5.1", HI KEEPS(FROM("openai", "gpt-5"), RAN), NULL },
        { CLAUDE, HI KEEPS(FROM("openai", "gpt-5"), RAN), NULL },
    };
    struct rf_arena *a = rf_arena_new();
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *doc = rf_strf(a, DOC("%s"), cases[i].messages).p;
        const struct rf_plan *p = &show_plan(a, cases[i].model, doc, false)->plan;
        assert_int_equal(p->notice_count, cases[i].want != NULL);
        if (cases[i].want)
            assert_str(p->notices[0], cases[i].want);
    }
    rf_arena_free(a);
}

#define SPEAKS(speaker, words) "{'role':'user','speaker':'" speaker "','content':'" words "'}"
#define SERVER "openai:gpt-5"
#define KEPT_BY(dialect, fallback) \
    "{'type':'opaque','dialect':'" dialect "','value':{ 'a' : 1 }" fallback "}"

#define SHOT(dialect) \
    "{'type':'opaque','dialect':'" dialect "','value':{'a':'data:image/png;base64,$PNG$'}}"

/* What was said in other names, and what only one API can say. */
static const struct plan_row voices[] = {
    { "system and developer are turns of their own where an endpoint is known to take them", SERVER,
      HI SPEAKS("system", "a") "," SPEAKS("developer", "b") "," USER("c"),
      SAID_HI "system: \"a\"\ndeveloper: \"b\"\nuser: \"c\"" },
    { "two of one speaker are two", SERVER, HI SPEAKS("system", "a") "," SPEAKS("system", "b"),
      SAID_HI "system: \"a\"\nsystem: \"b\"" },
    { "elsewhere they are what a user says", CLAUDE, HI SPEAKS("system", "a") "," USER("b"),
      "user: \"hi\" \"a\" \"b\"" },
    { "and a turn of a user where turns are not joined", "groq:llama-4",
      HI SPEAKS("developer", "a"), SAID_HI "user: \"a\"" },
    { "where the request came from they are turns again", CLAUDE " from=anthropic",
      HI SPEAKS("system", "a") "," USER("b") "," USER("c"),
      SAID_HI "system: \"a\"\nuser: \"b\" \"c\"" },
    { "where another came from they are not", CLAUDE " from=openai-chat", HI SPEAKS("system", "a"),
      "user: \"hi\" \"a\"" },
    { "a speaker who says nothing has no turn", SERVER, HI SPEAKS("system", " "), "user: \"hi\"" },
    { "the user is the speaker where nobody else is", SERVER, SPEAKS("user", "a"), "user: \"a\"" },
    { "a system that speaks before a result stands after it", SERVER,
      HI ASSISTANT(C1) "," SPEAKS("system", "a") "," OUTPUT("c1", "o"),
      SAID_HI CALLED "user: result(c1 look: \"o\")\nsystem: \"a\"" },
    { "what a user said to one API goes back to it", CLAUDE,
      USER_OF(TEXT("a") "," KEPT_BY("anthropic", "")), "user: \"a\" opaque(anthropic)" },
    { "also with a text that stands for it", CLAUDE,
      USER_OF(KEPT_BY("anthropic", ",'text_fallback':'t'")), "user: opaque(anthropic)" },
    { "elsewhere it is read as JSON", CHAT, USER_OF(TEXT("a") "," KEPT_BY("anthropic", "")),
      "user: \"a\" \"{\"a\":1}\"" },
    { "or as the text that stands for it", CHAT,
      USER_OF(KEPT_BY("anthropic", ",'text_fallback':'t'")), "user: \"t\"" },
    { "a picture in it goes back with it", CLAUDE, USER_OF(SHOT("anthropic")),
      "user: opaque(anthropic)" },
    { "elsewhere that is a picture beside the JSON", CHAT, USER_OF(SHOT("anthropic")),
      "user: \"{\"a\":\"[image/png, 73 bytes: taken out of this JSON, see below]\"}\" "
      "<image/png>" },
    { "what a tool said to one API goes back to it", CLAUDE,
      HI ASSISTANT(C1) "," BLOCKS("c1", KEPT_BY("anthropic", "")),
      SAID_HI CALLED "user: result(c1 look: opaque(anthropic))" },
    { "elsewhere a tool's is read too", CHAT,
      HI ASSISTANT(C1) "," BLOCKS("c1", KEPT_BY("anthropic", "")),
      SAID_HI CALLED "user: result(c1 look: \"{\"a\":1}\")" },
    { "an answer's is left out elsewhere", CHAT,
      HI ASSISTANT(TEXT("a") "," KEPT_BY("anthropic", "")), SAID_HI "assistant: \"a\"" },
    { "or is the text that stands for it", CHAT,
      HI ASSISTANT(KEPT_BY("anthropic", ",'text_fallback':'t'")), SAID_HI "assistant: \"t\"" },
    { "an answer that was imported from there goes back, whoever gave it", CLAUDE " from=anthropic",
      HI ASSISTANT(KEPT_BY("anthropic", "")), SAID_HI "assistant: opaque(anthropic)" },
    { "an answer first, where the request came from", CLAUDE " from=anthropic",
      SAYS("hello") "," USER("hi"), "assistant: \"hello\"\nuser: \"hi\"" },
    { "an answer first, where another came from", CLAUDE " from=gemini", SAYS("hello"),
      "user: \"(The conversation begins with an answer.)\"\nassistant: \"hello\"" },
    { "own thoughts go back to Gemini without a signature", GEMINI3,
      HI "{'role':'assistant'," FROM("google", "gemini-3-pro") ",'content':[{'type':'thinking',"
                                                               "'thinking':'hm'}," TEXT("a") "]}",
      SAID_HI "assistant: thought(hm) \"a\"" },
    { "and to Mistral", MISTRAL,
      HI "{'role':'assistant'," FROM("mistral", "mistral-large") ",'content':[{'type':'thinking',"
                                                                 "'thinking':'hm'}," TEXT("a") "]}",
      SAID_HI "assistant: thought(hm) \"a\"" },
    { "a signature alone is a thought", GEMINI3,
      HI "{'role':'assistant'," FROM("google", "gemini-3-pro") ",'content':[{'type':'thinking',"
                                                               "'signature':'s'}," TEXT("a") "]}",
      SAID_HI "assistant: thought() \"a\"" },
    { "those of others do not", MISTRAL,
      HI "{'role':'assistant'," FROM("google", "gemini-3-pro") ",'content':[{'type':'thinking',"
                                                               "'thinking':'hm'}," TEXT("a") "]}",
      SAID_HI "assistant: \"a\"" },
};

/* What was kept aside of a request goes back to where it came from. */

#define ASIDE                                                                                   \
    "{'refract':1,'options':{'extra':{'gemini':{'topK':4}}},'messages':[" USER(                 \
        "x") "],"                                                                               \
             "'extra':{'anthropic':{'metadata':{},'tools':[{'index':0,'value':{'type':'t'}}]}," \
             "'gemini':{'labels':{}},'mistral':{'safe_prompt':true}}}"

static const struct kept_row {
    const char *name, *model, *doc;
    const char *want; /* members, members of the options, tools of the server */
} kept[] = {
    { "members and tools", CLAUDE " from=anthropic", ASIDE,
      "{\"metadata\":{},\"tools\":[{\"index\":0,\"value\":{\"type\":\"t\"}}]} - "
      "[{\"index\":0,\"value\":{\"type\":\"t\"}}]" },
    { "options", GEMINI3 " from=gemini", ASIDE, "{\"labels\":{}} {\"topK\":4} -" },
    { "to nobody else", GEMINI3 " from=anthropic", ASIDE, "- - -" },
    { "not of a conversation that was not imported", CLAUDE, ASIDE, "- - -" },
    { "not where an endpoint only speaks the same dialect", MISTRAL " from=mistral", ASIDE,
      "- - -" },
    { "not where that is switched off", CLAUDE " own_fields=no from=anthropic", ASIDE, "- - -" },
    { "nothing, where nothing was kept", CLAUDE " from=anthropic", DOC(USER("x")), "{} - -" },
};

static struct rf_str show_value(struct rf_arena *a, const struct rf_jval *v)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str text;
    if (!v)
        return RF_STR("-");
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_json_value(&w, NULL, v);
    assert_int_equal(rf_json_finish(&w, NULL), RF_OK);
    assert_int_equal(rf_rope_flatten(&rope, SIZE_MAX, a, &text, NULL), RF_OK);
    return text;
}

static void kept_row(void **state)
{
    const struct kept_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_plan *p = &show_plan(a, row->model, row->doc, false)->plan;
    assert_str(rf_strf(a, "%.*s %.*s %.*s", RF_FMT(show_value(a, p->kept)),
                       RF_FMT(show_value(a, p->kept_options)),
                       RF_FMT(show_value(a, p->server_tools))),
               row->want);
    rf_arena_free(a);
}

static const struct tools_row {
    const char *name, *model, *doc;
    const char *want; /* the names of the tools, then the one that is chosen */
} tools[] = {
    { "described tools", CHAT,
      "{'refract':1,'tools':[{'name':'a'},{'name':'b'}],'messages':[" USER("x") "]}", "a b" },
    { "names are made legal and different, also the chosen one", CHAT,
      "{'refract':1,'tools':[{'name':'a.b'},{'name':'a/b'}],'tool_choice':{'name':'a/b'},"
      "'messages':[" USER("x") "]}",
      "a_b a_b_2 > a_b_2" },
    { "tools of the history where an endpoint insists", CLAUDE,
      DOC(HI ASSISTANT(C1 "," CALL("c2", "x.y") "," C1)), "look x_y" },
    { "not where it does not", CHAT, DOC(HI ASSISTANT(C1)), "" },
    { "not where tools are described", CLAUDE,
      "{'refract':1,'tools':[{'name':'a'}],'messages':[" HI ASSISTANT(C1) "]}", "a" },
};

static void tools_row(void **state)
{
    const struct tools_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_plan *p = &show_plan(a, row->model, row->doc, false)->plan;
    struct rf_str got = RF_STR("");
    for (size_t i = 0; i < p->tool_count; i++)
        got = rf_strf(a, "%.*s%s%.*s", RF_FMT(got), i ? " " : "", RF_FMT(p->tools[i].name));
    if (p->tool_choice == RF_CHOICE_TOOL)
        got = rf_strf(a, "%.*s > %.*s", RF_FMT(got), RF_FMT(p->tool_choice_name));
    assert_str(got, row->want);
    rf_arena_free(a);
}

/* Calls to a described tool have its new name, whatever it was made into. */
static void calls_follow_their_tools(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const char *doc =
        "{'refract':1,'tools':[{'name':'a.b'},{'name':'a/b'}],'messages':[" HI ASSISTANT(
            CALL("c1", "a/b") "," CALL("c2", "a.b")) "]}";
    assert_str(show_turns(a, show_plan(a, CHAT, doc, false)),
               SAID_HI "assistant: call(c1 a_b_2) call(c2 a_b)\n"
                       "user: failed(c1 a_b_2: \"Error: No result was recorded for this call.\") "
                       "failed(c2 a_b: \"Error: No result was recorded for this call.\")");
    rf_arena_free(a);
}

#define ROWS (COUNT(rows) + COUNT(thoughts) + COUNT(voices) + COUNT(kept) + COUNT(tools))

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(calls_follow_their_tools),
        cmocka_unit_test(what_only_another_model_can_use_is_told),
    };
    struct CMUnitTest tests[ROWS + COUNT(others)], *at = tests;
    name_rows(at, layout_row, rows, COUNT(rows), sizeof *rows);
    name_rows(at += COUNT(rows), check_plan, thoughts, COUNT(thoughts), sizeof *thoughts);
    name_rows(at += COUNT(thoughts), check_plan, voices, COUNT(voices), sizeof *voices);
    name_rows(at += COUNT(voices), kept_row, kept, COUNT(kept), sizeof *kept);
    name_rows(at += COUNT(kept), tools_row, tools, COUNT(tools), sizeof *tools);
    memcpy(at + COUNT(tools), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
