/* A secret that a provider sends is neither told of nor in the message, whichever API and member it
 * comes in and wherever it is cut; and what is told of is what the message holds. */
#include "../testing.h"

#include "base/buf.h"
#include "base/json_read.h"
#include "base/secrets.h"
#include "model/model.h"
#include "request/request.h"

#include <refract/reply.h>

#define KEY "sk-Secret/of+ours_1"
#define X "[redacted]"

/* Server-sent events, or lines, of these messages, with ' for " and | between them. */
static const struct row {
    const char *name, *provider, *model, *messages;
    const char *told; /* texts, thoughts and arguments after each other */
    const char *has;  /* of the message, with ' for " */
} rows[] = {
    { "Anthropic's text, in pieces", "anthropic", "claude-sonnet-4-5",
      "{'type':'message_start','message':{'id':'m','content':[]}}|"
      "{'type':'content_block_start','index':0,'content_block':{'type':'text','text':''}}|"
      "{'type':'content_block_delta','index':0,'delta':{'type':'text_delta','text':'a sk-Sec'}}|"
      "{'type':'content_block_delta','index':0,'delta':{'type':'text_delta','text':'ret/of+ours_1 b s'}}|"
      "{'type':'content_block_stop','index':0}|{'type':'message_stop'}",
      "a " X " b s", "'text':'a " X " b s'" },
    { "blocks that take turns", "anthropic", "claude-sonnet-4-5",
      "{'type':'message_start','message':{'id':'m','content':[]}}|"
      "{'type':'content_block_start','index':0,'content_block':{'type':'text','text':''}}|"
      "{'type':'content_block_start','index':1,'content_block':{'type':'text','text':''}}|"
      "{'type':'content_block_delta','index':0,'delta':{'type':'text_delta','text':'sk-Secret'}}|"
      "{'type':'content_block_delta','index':1,'delta':{'type':'text_delta','text':'x'}}|"
      "{'type':'content_block_delta','index':0,'delta':{'type':'text_delta','text':'/of+ours_1'}}|"
      "{'type':'content_block_stop','index':0}|{'type':'content_block_stop','index':1}|"
      "{'type':'message_stop'}",
      "x" X, "'text':'" X "'},{'type':'text','text':'x'" },
    { "a text that goes on after its end", "openai", "gpt-5",
      "{'type':'response.output_item.added','output_index':0,'item':{'type':'message','id':'m','content':[]}}|"
      "{'type':'response.output_text.delta','output_index':0,'content_index':0,'delta':'sk-Secret'}|"
      "{'type':'response.output_item.done','output_index':0,'item':{'type':'message','id':'m','content':"
      "[{'type':'output_text','text':'sk-Secret'}]}}|"
      "{'type':'response.output_text.delta','output_index':0,'content_index':0,'delta':'/of+ours_1'}|"
      "{'type':'response.completed','response':{'id':'r','status':'completed','output':[]}}",
      "sk-Secret", "'text':'" X "'" },
    { "thoughts lose the signature of what they were", "anthropic", "claude-sonnet-4-5",
      "{'type':'message_start','message':{'id':'m','content':[]}}|"
      "{'type':'content_block_start','index':0,'content_block':{'type':'thinking','thinking':''}}|"
      "{'type':'content_block_delta','index':0,'delta':{'type':'thinking_delta','thinking':'" KEY
      "'}}|"
      "{'type':'content_block_delta','index':0,'delta':{'type':'signature_delta','signature':'c2ln'}}|"
      "{'type':'content_block_stop','index':0}|{'type':'message_stop'}",
      X, "{'type':'thinking','thinking':'" X "'}" },
    { "a signature with one is left out, its thought stays", "anthropic", "claude-sonnet-4-5",
      "{'type':'message_start','message':{'id':'" KEY "','content':[]}}|"
      "{'type':'content_block_start','index':0,'content_block':{'type':'thinking','thinking':''}}|"
      "{'type':'content_block_delta','index':0,'delta':{'type':'thinking_delta','thinking':'hm'}}|"
      "{'type':'content_block_delta','index':0,'delta':{'type':'signature_delta','signature':'x" KEY
      "'}}|"
      "{'type':'content_block_stop','index':0}|{'type':'message_stop'}",
      "hm", "{'type':'thinking','thinking':'hm'}" },
    { "arguments, escaped", "anthropic", "claude-sonnet-4-5",
      "{'type':'message_start','message':{'id':'m','content':[]}}|"
      "{'type':'content_block_start','index':0,'content_block':{'type':'tool_use','id':'c','name':'t',"
      "'input':{}}}|"
      "{'type':'content_block_delta','index':0,'delta':{'type':'input_json_delta','partial_json':"
      "'{\\'a\\':\\'\\\\u0073k-Secret'}}|"
      "{'type':'content_block_delta','index':0,'delta':{'type':'input_json_delta','partial_json':"
      "'\\\\/of+ours_1\\'}'}}|"
      "{'type':'content_block_stop','index':0}|{'type':'message_stop'}",
      "{\"a\":\"" X "\"}", "'arguments':{'a':'" X "'}" },
    { "arguments that are not JSON without it", "anthropic", "claude-sonnet-4-5",
      "{'type':'message_start','message':{'id':'m','content':[]}}|"
      "{'type':'content_block_start','index':0,'content_block':{'type':'tool_use','id':'c','name':'t',"
      "'input':{}}}|"
      "{'type':'content_block_delta','index':0,'delta':{'type':'input_json_delta','partial_json':'" KEY
      "'}}|"
      "{'type':'content_block_stop','index':0}|{'type':'message_stop'}",
      X, "'malformed_arguments':'" X "'" },
    { "OpenAI's text, said again as a whole", "openai", "gpt-5",
      "{'type':'response.output_item.added','output_index':0,'item':{'type':'message','id':'m','content':[]}}|"
      "{'type':'response.output_text.delta','output_index':0,'content_index':0,'delta':'a sk-Sec'}|"
      "{'type':'response.output_text.delta','output_index':0,'content_index':0,'delta':'ret/of+ours_1 s'}|"
      "{'type':'response.output_text.done','output_index':0,'content_index':0,'text':'a " KEY
      " s'}|"
      "{'type':'response.completed','response':{'id':'r','status':'completed','output':[{'type':'message',"
      "'id':'m','content':[{'type':'output_text','text':'a " KEY " s'}]}]}}",
      "a " X " s", "'text':'a " X " s'" },
    { "OpenAI's text, only said as a whole", "openai", "gpt-5",
      "{'type':'response.output_item.added','output_index':0,'item':{'type':'message','id':'m','content':[]}}|"
      "{'type':'response.output_text.delta','output_index':0,'content_index':0,'delta':'other'}|"
      "{'type':'response.completed','response':{'id':'r','status':'completed','output':[{'type':'message',"
      "'id':'m','content':[{'type':'output_text','text':'a " KEY "'}]}]}}",
      "other", "'text':'a " X "'" },
    { "chat completions", "openai-chat", "gpt-4o",
      "{'id':'c','choices':[{'index':0,'delta':{'reasoning_content':'hm sk-Secret/'}}]}|"
      "{'id':'c','choices':[{'index':0,'delta':{'reasoning_content':'of+ours_1'}}]}|"
      "{'id':'c','choices':[{'index':0,'delta':{'content':' so sk-'}}]}|"
      "{'id':'c','choices':[{'index':0,'delta':{'content':'Secret/of+ours_1'},'finish_reason':'stop'}]}|"
      "[DONE]",
      "hm " X " so " X, "'text':' so " X "'" },
    { "Gemini's", "google", "gemini-2.5-flash",
      "{'candidates':[{'content':{'parts':[{'text':'a sk-Secret'}]}}]}|"
      "{'candidates':[{'content':{'parts':[{'text':'/of+ours_1 b'}]},'finishReason':'STOP'}],"
      "'modelVersion':'" KEY "','responseId':'" KEY "'}",
      "a " X " b", "'model':'" X "'" },
    { "Mistral's", "mistral", "mistral-large-latest",
      "{'id':'c','choices':[{'index':0,'delta':{'content':'a sk-'}}]}|"
      "{'id':'c','choices':[{'index':0,'delta':{'content':'Secret/of+ours_1'},'finish_reason':'stop'}]}|"
      "[DONE]",
      "a " X, "'text':'a " X "'" },
    { "a call's name and id", "openai-chat", "gpt-4o",
      "{'id':'c','choices':[{'index':0,'delta':{'tool_calls':[{'index':0,'id':'" KEY
      "','type':'function',"
      "'function':{'name':'" KEY "','arguments':'{}'}}]},'finish_reason':'tool_calls'}]}|[DONE]",
      "{}", "'id':'" X "','name':'" X "'" },
};

static bool hear(void *ctx, const struct rf_event *e)
{
    if (e->type == RF_EVENT_TEXT || e->type == RF_EVENT_THINKING || e->type == RF_EVENT_ARGUMENTS)
        rf_buf_add(ctx, e->text);
    return true;
}

static struct rf_str as_stream(const struct row *row, struct rf_arena *a)
{
    struct rf_str rest = quoted(a, row->messages), one, out;
    struct rf_buf b;
    rf_buf_init(&b, a, 100000);
    while (rf_str_split(&rest, '|', &one)) {
        const struct rf_jval *root = NULL;
        if (strcmp(row->provider, "anthropic") == 0 && !rf_jval_parse(one, a, &root, NULL))
            rf_buf_addf(&b, "event: %.*s\n", RF_FMT(rf_jval_text(rf_jval_get(root, "type"), a)));
        rf_buf_addf(&b, "data: %.*s\n\n", RF_FMT(one));
    }
    assert_int_equal(rf_buf_finish(&b, &out, NULL), RF_OK);
    return out;
}

static void decode(const struct rf_model *m, struct rf_str s, size_t step, struct rf_arena *a,
                   struct rf_str *told, struct rf_str *json)
{
    struct rf_decode *d = rf_decode_stream(m);
    struct rf_secrets secrets = { 0 };
    struct rf_buf b;
    rf_buf_init(&b, a, 100000);
    rf_decode_listen(d, hear, &b);
    rf_decode_redact(d, &secrets);
    rf_secrets_init(&secrets, a); /* as they are known when the first bytes come */
    rf_secrets_add(&secrets, RF_STR(KEY));
    for (size_t at = 0; at < s.n; at += step)
        assert_int_equal(
            rf_decode_feed(d, (struct rf_str){ s.p + at, s.n - at < step ? s.n - at : step }, NULL),
            RF_OK);
    enum rf_code rc = rf_decode_finish(d, json, NULL);
    assert_true(rc == RF_OK || rc == RF_EPROVIDER);
    *json = rf_str_dup(a, *json);
    assert_int_equal(rf_buf_finish(&b, told, NULL), RF_OK);
    rf_decode_free(d);
}

static void is_neither_told_nor_written(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str stream = as_stream(row, a), told, json;
    struct rf_model m;
    assert_int_equal(rf_model_init(&m, rf_str(row->provider), rf_str(row->model), a, NULL), RF_OK);
    for (size_t step = 1; step <= stream.n; step = step < 9 ? step + 1 : step * 3) {
        decode(&m, stream, step, a, &told, &json);
        assert_str(told, row->told);
        if (!rf_str_contains(json, quoted(a, row->has)))
            fail_msg("%.*s has no %s", RF_FMT(json), row->has);
        assert_false(rf_str_contains(json, RF_STR("sk-Secret")));
    }
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    name_rows(tests, is_neither_told_nor_written, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
