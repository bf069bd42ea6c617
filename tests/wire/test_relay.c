/* Streams relayed as they come: what a provider says late is in the stream that another API gets,
 * or is told as lost. Each is read with no secrets to be kept, and with some. */
#include "replies.h"
#include "responses.h"

#include "request/request.h"

#define TEXT(words) "{'type':'text','text':'" words "'}"
#define CITED(words, citations) "{'type':'text','text':'" words "','citations':[" citations "]}"
#define THOUGHT(words, members) "{'type':'thinking','thinking':'" words "'" members "}"
#define LATE(place, kind) "content[" place "] (" kind "): what came after its end is left out\n"

/* A text that is signed, another one, and then what the first rests on. */
#define GEMINI(members) DATA("{'responseId':'r1','candidates':[{" members "}]}")
#define PART(members) GEMINI("'content':{'parts':[{" members "}]}")
#define GROUNDED                                                                             \
    PART("'text':'ab','thoughtSignature':'cw=='")                                            \
    PART("'text':'c'")                                                                       \
    GEMINI("'finishReason':'STOP','groundingMetadata':{'groundingChunks':[{'web':{'uri':'u'" \
           "}}],'groundingSupports':[{'segment':{'endIndex':2,'text':'ab'},"                 \
           "'groundingChunkIndices':[0]}]}")

#define GROUNDED_BYTES                                                                           \
    PART("'text':'\u00e4b'")                                                                     \
    GEMINI("'finishReason':'STOP','groundingMetadata':{'groundingChunks':[{'web':{'uri':'u'}}]," \
           "'groundingSupports':[{'segment':{'startIndex':2,'endIndex':3,'text':'b'},"           \
           "'groundingChunkIndices':[0]}]}")

/* A citation after the end of its text. */
#define COHERE(type, members) DATA("{'type':'" type "'" members "}")
#define MESSAGE_DELTA(member) ",'index':0,'delta':{'message':{" member "}}"
#define CITED_LATE                                                                             \
    COHERE("message-start", ",'id':'r1'")                                                      \
    COHERE("content-start", MESSAGE_DELTA("'content':{'type':'text','text':'ab'}"))            \
    COHERE("content-end", ",'index':0")                                                        \
    COHERE("citation-start", MESSAGE_DELTA("'citations':{'start':0,'end':2,'text':'ab',"       \
                                           "'sources':[{'id':'d1','document':{'url':'u'}}]}")) \
    COHERE("message-end", ",'delta':{'finish_reason':'COMPLETE'}")

#define CITED_WORDS                                                                              \
    COHERE("message-start", ",'id':'r1'")                                                        \
    COHERE("content-start", MESSAGE_DELTA("'content':{'type':'text','text':'Ja, \u00e4h'}"))     \
    COHERE("citation-start", MESSAGE_DELTA("'citations':{'start':4,'end':6,'text':'\u00e4h',"    \
                                           "'sources':[{'id':'d1','document':{'title':'T'}}]}")) \
    COHERE("content-end", ",'index':0")                                                          \
    COHERE("message-end", ",'delta':{'finish_reason':'COMPLETE'}")

/* A thought that goes on after the answer began. */
/* What another API is given of the mark "s": content/seal.h. */
#define SEALED "cmVmcmFjdApvcGVucm91dGVyCm0KCnMKCgo="
#define DETAIL(members) \
    DELTA("'reasoning_details':[{'type':'reasoning.text','index':0," members "}]")
#define THOUGHT_LATE \
    DETAIL("'text':'a'") DELTA("'content':'x'") DETAIL("'signature':'s'") FINISH("stop") DONE
#define WORDS_LATE       \
    DETAIL("'text':'a'") \
    DELTA("'content':'x'") DETAIL("'text':'b','signature':'s'") FINISH("stop") DONE

/* A thought that ends where the answer begins, and whose it is. */
#define LINE(member, done) \
    "{'model':'m','message':{'role':'assistant'," member "},'done':" done "}\n"
#define THOUGHT_FIRST               \
    LINE("'thinking':'a'", "false") \
    LINE("'content':'x'", "false") LINE("'content':''", "true")
#define OLLAMA "cmVmcmFjdApvbGxhbWEKbQoKCgoK"

static const struct row {
    const char *name, *from, *sent;
    const char *dialect, *provider;
    const char *content; /* of what is read again */
    const char *lost;    /* or NULL */
} rows[] = {
    { "citations of a signed text, as grounding", "google", GROUNDED, "gemini", "google",
      "[{'type':'text','text':'ab','citations':[{'url':'u','start':0,'end':2}],"
      "'extra':{'thoughtSignature':'cw=='}}," TEXT("c") "]",
      NULL },
    { "citations of a signed text, as annotations", "google", GROUNDED, "openai-chat",
      "openai-chat", "[" CITED("abc", "{'url':'u','start':0,'end':2}") "]", NULL },
    { "citations of a signed text, as annotations of an item", "google", GROUNDED,
      "openai-responses", "openai",
      "[{'type':'text','text':'ab','citations':[{'url':'u','start':0,'end':2}],'extra':{'id':"
      "'msg_r1_0','status':'completed'}},{'type':'text','text':'c','extra':{'id':'msg_r1_0',"
      "'status':'completed'}}]",
      NULL },
    { "citations of a signed text that has no place for them", "google", GROUNDED, "bedrock",
      "bedrock", "[" TEXT("ab") "," TEXT("c") "]", LATE("0", "text") },
    { "a citation after the text, within its API", "cohere", CITED_LATE, "cohere", "cohere",
      "[" CITED("ab", "{'source':'d1','url':'u','start':0,'end':2,'text':'ab','sources':["
                      "{'id':'d1','document':{'url':'u'}}]}") "]",
      NULL },
    { "a citation of some of the words, that names no page", "cohere", CITED_WORDS, "openai-chat",
      "openai-chat",
      "[" CITED("Ja, \u00e4h",
                "{'source':'d1','title':'T','start':4,'end':6,'text':'\u00e4h'}") "]",
      NULL },
    { "such a citation, in bytes", "cohere", CITED_WORDS, "gemini", "google",
      "[" CITED("Ja, \u00e4h", "{'title':'T','start':4,'end':6,'text':'\u00e4h'}") "]", NULL },
    { "bytes as characters", "google", GROUNDED_BYTES, "openai-chat", "openai-chat",
      "[" CITED("\u00e4b", "{'url':'u','start':1,'end':2}") "]", NULL },
    { "a citation after the text", "cohere", CITED_LATE, "gemini", "google",
      "[" CITED("ab", "{'title':'d1','url':'u','start':0,'end':2}") "]", NULL },
    { "a signature after the answer began", "openrouter", THOUGHT_LATE, "anthropic", "anthropic",
      "[" THOUGHT("a", "") "," TEXT("x") "," THOUGHT("", ",'signature':'" SEALED "'") "]", NULL },
    { "a signature after the answer began, within its API", "openrouter", THOUGHT_LATE,
      "openai-chat", "openrouter",
      "[" THOUGHT("a", ",'signature':'s','field':'reasoning_details','extra':{'index':0}") "," TEXT(
          "x") "]",
      NULL },
    { "a signature where thoughts have none", "openrouter", THOUGHT_LATE, "cohere", "cohere",
      "[" THOUGHT("a", "") "," TEXT("x") "]",
      "content[0] (thinking): its signature is left out\n" },
    { "whose a thought is that has no marks", "ollama", THOUGHT_FIRST, "openai-chat", "openrouter",
      "[" THOUGHT("a", ",'signature':'" OLLAMA "','field':'reasoning_details','extra':{'index':"
                       "0}") "," TEXT("x") "]",
      NULL },
    { "words of a thought after the answer began", "openrouter", WORDS_LATE, "anthropic",
      "anthropic",
      "[" THOUGHT("a", "") "," TEXT("x") "," THOUGHT("b", ",'signature':'" SEALED "'") "]", NULL },
    { "words of a thought after the answer began, within its API", "openrouter", WORDS_LATE,
      "openai-chat", "openrouter",
      "[" THOUGHT(
          "ab",
          ",'signature':'s','field':'reasoning_details','extra':{'index':0}") "," TEXT("x") "]",
      NULL },
};

static bool pass_on(void *ctx, const struct rf_event *e)
{
    assert_int_equal(rf_respond_event(ctx, e, NULL), RF_OK);
    return true;
}

static struct rf_str content_of(const char *provider, struct rf_str bytes, struct rf_respond *to,
                                const struct rf_secrets *secrets, struct rf_arena *a)
{
    struct rf_model *m = RF_NEW(a, struct rf_model);
    struct rf_str json;
    const struct rf_jval *v;
    assert_int_equal(rf_model_init(m, rf_str(provider), RF_STR("m"), a, NULL), RF_OK);
    struct rf_decode *d = rf_decode_stream(m);
    rf_decode_redact(d, secrets);
    if (to)
        rf_decode_listen(d, pass_on, to);
    assert_int_equal(rf_decode_feed(d, bytes, NULL), RF_OK);
    assert_int_equal(rf_decode_finish(d, &json, NULL), RF_OK);
    assert_int_equal(rf_jval_parse(rf_str_dup(a, json), a, &v, NULL), RF_OK);
    rf_decode_free(d);
    return rf_jval_compact(rf_jval_get(v, "content"), a);
}

static void relay(const struct row *row, const struct rf_secrets *secrets, struct rf_arena *a)
{
    struct rf_model from;
    struct rf_respond *r;
    assert_int_equal(rf_model_init(&from, rf_str(row->from), RF_STR("m"), a, NULL), RF_OK);
    const struct rf_respond_options o = {
        .size = sizeof o, .dialect = row->dialect, .stream = true, .from = &from
    };
    assert_int_equal(rf_respond_new(&o, &r, NULL), RF_OK);
    content_of(row->from, quoted(a, row->sent), r, secrets, a);
    struct rf_str again = content_of(row->provider, rf_respond_bytes(r), NULL, NULL, a);
    assert_str(again, quoted(a, row->content).p);
    assert_str(told_lost(r, a), row->lost ? row->lost : "");
    rf_respond_free(r);
}

static void check_relayed(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_secrets some;
    rf_secrets_init(&some, a);
    rf_secrets_add(&some, RF_STR("a-secret-of-ours"));
    relay(*state, NULL, a);
    relay(*state, &some, a);
    rf_arena_free(a);
}

/* Tools whose names had to be changed are called by the names that the client gave them. */

#define OFFERED                                                                             \
    "{'model':'m','messages':[{'role':'user','content':'x'}],'tools':["                     \
    "{'type':'function','function':{'name':'a.b'}},{'type':'function','function':{'name':'" \
    "a_b'}}]}"
#define CALL(number, name, arguments)                                                    \
    "{'index':" number ",'id':'i" number "','type':'function','function':{'name':'" name \
    "','arguments':'" arguments "'}}"
#define ITEM(number, name)                                                              \
    "{'type':'function_call','id':'fc" number "','call_id':'i" number "','name':'" name \
    "','arguments':'{}'}"

static const struct named_row {
    const char *name, *model, *whole, *stream;
} named_rows[] = {
    { "names of tools, of chat completions", "groq:llama-3.3-70b-versatile",
      MESSAGE("'tool_calls':[" CALL("0", "a_b", "{}") "," CALL("1", "a_b_2", "{}") "]",
              "tool_calls"),
      DELTA("'tool_calls':[" CALL("0", "a_b", "") "]")
          DELTA("'tool_calls':[{'index':0,'function':{'arguments':'{}'}}]")
              DELTA("'tool_calls':[" CALL("1", "a_b_2", "{}") "]") FINISH("tool_calls") DONE },
    { "names of tools, of the Responses API", "openai:gpt-5",
      "{'id':'r','status':'completed','output':[" ITEM("0", "a_b") "," ITEM("1", "a_b_2") "]}",
      DATA("{'type':'response.output_item.added','output_index':0,'item':" ITEM("0", "a_b") "}")
          DATA("{'type':'response.output_item.done','output_index':0,'item':" ITEM("0", "a_b") "}")
              DATA("{'type':'response.output_item.done','output_index':1,'item':" ITEM("1",
                                                                                       "a_b_2") "}")
                  DATA("{'type':'response.completed','response':{'id':'r','status':'completed',"
                       "'output':[]}}") },
};

static void check_named_by(const struct named_row *row, struct rf_model *m, bool stream,
                           struct rf_arena *a)
{
    struct rf_conversation *c;
    struct rf_request *request;
    struct rf_respond *r;
    struct rf_message reply;
    assert_int_equal(rf_conversation_parse("openai-chat", quoted(a, OFFERED), &c, NULL), RF_OK);
    assert_int_equal(rf_request_build(c, m, NULL, &request, NULL), RF_OK);
    const struct rf_respond_options o = {
        .size = sizeof o, .dialect = "openai-chat", .stream = stream, .from = m, .request = request
    };
    assert_int_equal(rf_respond_new(&o, &r, NULL), RF_OK);
    struct rf_decode *d = rf_decode_new(m, stream, a);
    rf_decode_listen(d, pass_on, r);
    rf_decode_rename(d, request);
    assert_int_equal(rf_decode_feed(d, quoted(a, stream ? row->stream : row->whole), NULL), RF_OK);
    assert_int_equal(rf_decode_message(d, &reply, NULL), RF_OK);
    assert_int_equal(reply.block_count, 2);
    assert_str(reply.blocks[0].call.name, "a.b");
    assert_str(reply.blocks[1].call.name, "a_b");
    struct rf_str said = rf_respond_bytes(r);
    assert_true(rf_str_contains(said, RF_STR("\"name\":\"a.b\"")));
    assert_true(rf_str_contains(said, RF_STR("\"name\":\"a_b\"")));
    rf_decode_free(d);
    rf_respond_free(r);
    rf_request_free(request);
    rf_conversation_free(c);
}

static void check_named(void **state)
{
    const struct named_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_model *m;
    assert_int_equal(rf_model_open(NULL, row->model, &m, NULL), RF_OK);
    check_named_by(row, m, false, a);
    check_named_by(row, m, true, a);
    rf_model_close(m);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + COUNT(named_rows)];
    name_rows(tests, check_relayed, rows, COUNT(rows), sizeof *rows);
    name_rows(tests + COUNT(rows), check_named, named_rows, COUNT(named_rows), sizeof *named_rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
