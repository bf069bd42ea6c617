/* What the Converse API sends back: whole replies, and streams that are fed whole and byte by byte.
 * A row with both says that they end as the same message. */
#include "testing.h"

#include "aws_frames.h"
#include "model/model.h"

#include <refract/reply.h>

#define NEUTRAL "{'role':'assistant','origin':{'provider':'bedrock','model':'m'},'content':"
#define ENDED ",'stop_reason':'end','stop_reason_original':'end_turn','usage':{}"
#define CALLED ",'stop_reason':'tool_calls','stop_reason_original':'tool_use','usage':{}"
#define OPEN ",'stop_reason':'unknown','usage':{}"
#define FAILED ",'stop_reason':'error','usage':{},'error':"
#define OPAQUE(value) "{'type':'opaque','dialect':'bedrock','value':" value "}"
#define EARLY "the stream of bedrock ended early"

#define BODY(content, rest) \
    "{'output':{'message':{'role':'assistant','content':[" content "]}}," rest "}"
#define END_TURN "'stopReason':'end_turn'"
#define TOOL_USE "'stopReason':'tool_use'"

/* One event a line: its name, a blank, its payload. "!" before the name of an exception. */
#define BEGIN "messageStart {'role':'assistant','p':'abcd'}\n"
#define START(i, start) "contentBlockStart {'contentBlockIndex':" i ",'start':" start "}\n"
#define DELTA(i, delta) "contentBlockDelta {'contentBlockIndex':" i ",'delta':" delta ",'p':'a'}\n"
#define STOP(i) "contentBlockStop {'contentBlockIndex':" i "}\n"
#define END "messageStop {" END_TURN "}\n"
#define END_CALL "messageStop {" TOOL_USE "}\n"

#define SERVED "'toolUseId':'s1','name':'run','type':'server_tool_use'"
#define RETURNED "'toolUseId':'s1','type':'run_result','status':'success'"

struct row {
    const char *name, *body, *stream;
    const char *want;  /* what follows "content": in the message */
    const char *error; /* NULL: there is none */
};

/* clang-format off */
static const struct row rows[] = {
    { .name = "text",
      .body = BODY("{'text':'Hello \\u00e4'}", END_TURN),
      .stream = BEGIN DELTA("0", "{'text':'Hel'}") DELTA("0", "{'text':'lo \\u00e4'}") STOP("0")
                END,
      .want = "[{'type':'text','text':'Hello \xc3\xa4'}]" ENDED "}" },
    { .name = "blocks in the order of their indices",
      .body = BODY("{'text':'a'},{'text':'b'}", END_TURN),
      .stream = BEGIN DELTA("1", "{'text':'b'}") DELTA("0", "{'text':'a'}") STOP("1") STOP("0")
                END,
      .want = "[{'type':'text','text':'a'},{'type':'text','text':'b'}]" ENDED "}" },
    { .name = "nothing was said",
      .body = BODY("", END_TURN),
      .stream = BEGIN END,
      .want = "[]" ENDED "}" },
    { .name = "an empty text is not a block",
      .body = BODY("{'text':''}", END_TURN),
      .stream = BEGIN DELTA("0", "{'text':''}") STOP("0") END,
      .want = "[]" ENDED "}" },
    { .name = "a call; the kind that all calls have is left aside",
      .body = BODY("{'text':'Reading.'},{'toolUse':{'toolUseId':'t1','name':'read',"
                   "'input':{'path':'a.png','n':1.0},'type':'tool_use'}}",
                   TOOL_USE),
      .stream = BEGIN DELTA("0", "{'text':'Reading.'}") STOP("0")
                START("1", "{'toolUse':{'toolUseId':'t1','name':'read','type':'tool_use'}}")
                DELTA("1", "{'toolUse':{'input':'{\\\"pa'}}")
                DELTA("1", "{'toolUse':{'input':'th\\\":\\\"a.png\\\",\\\"n\\\":1.0}'}}")
                STOP("1") END_CALL,
      .want = "[{'type':'text','text':'Reading.'},{'type':'tool_call','id':'t1','name':'read',"
              "'arguments':{'path':'a.png','n':1.0}}]" CALLED "}" },
    { .name = "calls without arguments",
      .body = BODY("{'toolUse':{'toolUseId':'t1','name':'look','input':{}}},"
                   "{'toolUse':{'toolUseId':'t2','name':'look','input':null}},"
                   "{'toolUse':{'toolUseId':'t3','name':'look'}}",
                   TOOL_USE),
      .stream = BEGIN START("0", "{'toolUse':{'toolUseId':'t1','name':'look'}}")
                DELTA("0", "{'toolUse':{'input':'{}'}}") STOP("0")
                START("1", "{'toolUse':{'toolUseId':'t2','name':'look'}}")
                DELTA("1", "{'toolUse':{'input':''}}") STOP("1")
                START("2", "{'toolUse':{'toolUseId':'t3','name':'look'}}") STOP("2") END_CALL,
      .want = "[{'type':'tool_call','id':'t1','name':'look','arguments':{}},"
              "{'type':'tool_call','id':'t2','name':'look','arguments':{}},"
              "{'type':'tool_call','id':'t3','name':'look','arguments':{}}]" CALLED "}" },
    { .name = "arguments that are not an object are kept as words",
      .body = BODY("{'toolUse':{'toolUseId':'t1','name':'look','input':[1]}}", TOOL_USE),
      .stream = BEGIN START("0", "{'toolUse':{'toolUseId':'t1','name':'look'}}")
                DELTA("0", "{'toolUse':{'input':'[1]'}}") STOP("0") END_CALL,
      .want = "[{'type':'tool_call','id':'t1','name':'look','arguments':{},"
              "'malformed_arguments':'[1]'}]" CALLED "}" },
    { .name = "tools that the provider runs are opaque, call and result",
      .body = BODY("{'toolUse':{" SERVED ",'input':{'code':'1+1'}}},"
                   "{'toolResult':{" RETURNED ",'content':[{'json':{'out':'2'}},{'text':'x'}]}},"
                   "{'toolUse':{" SERVED ",'input':{}}},{'toolResult':{" RETURNED
                   ",'content':[]}},"
                   "{'toolUse':{'toolUseId':'t1','name':'tell','input':{'n':2}}}",
                   TOOL_USE),
      .stream = BEGIN START("0", "{'toolUse':{" SERVED "}}")
                DELTA("0", "{'toolUse':{'input':'{\\\"code\\\":'}}")
                DELTA("0", "{'toolUse':{'input':'\\\"1+1\\\"}'}}") STOP("0")
                START("1", "{'toolResult':{" RETURNED "}}")
                DELTA("1", "{'toolResult':[{'json':{'out':'2'}}]}")
                DELTA("1", "{'toolResult':[{'text':'x'}]}") STOP("1")
                START("2", "{'toolUse':{" SERVED "}}") STOP("2")
                START("3", "{'toolResult':{" RETURNED "}}") STOP("3")
                START("4", "{'toolUse':{'toolUseId':'t1','name':'tell'}}")
                DELTA("4", "{'toolUse':{'input':'{\\\"n\\\":2}'}}") STOP("4") END_CALL,
      .want = "[" OPAQUE("{'toolUse':{" SERVED ",'input':{'code':'1+1'}}}") ","
              OPAQUE("{'toolResult':{" RETURNED
                     ",'content':[{'json':{'out':'2'}},{'text':'x'}]}}")
              "," OPAQUE("{'toolUse':{" SERVED ",'input':{}}}") ","
              OPAQUE("{'toolResult':{" RETURNED ",'content':[]}}") ","
              "{'type':'tool_call','id':'t1','name':'tell','arguments':{'n':2}}]" CALLED "}" },
    { .name = "the input of such a tool that is not JSON stays words",
      .stream = BEGIN START("0", "{'toolUse':{" SERVED ",'input':1}}")
                DELTA("0", "{'toolUse':{'input':'{\\\"code'}}") STOP("0") END,
      .want = "[" OPAQUE("{'toolUse':{" SERVED ",'input':'{\\\"code'}}") "]" ENDED "}" },
    { .name = "a stream that is cut inside such a tool keeps what had come",
      .stream = BEGIN START("0", "{'toolUse':{" SERVED "}}")
                DELTA("0", "{'toolUse':{'input':'{\\\"code'}}"),
      .want = "[{'type':'opaque','dialect':'bedrock','value':{'toolUse':{" SERVED "}},"
              "'partial':'{\\\"code'}]" OPEN "}",
      .error = EARLY },
    { .name = "thoughts with their signature",
      .body = BODY("{'reasoningContent':{'reasoningText':{'text':'Hm. So.','signature':'c2ln'}}},"
                   "{'text':'Yes.'}",
                   END_TURN),
      .stream = BEGIN DELTA("0", "{'reasoningContent':{'text':'Hm.'}}")
                DELTA("0", "{'reasoningContent':{'text':' So.'}}")
                DELTA("0", "{'reasoningContent':{'signature':'c2'}}")
                DELTA("0", "{'reasoningContent':{'signature':'ln'}}") STOP("0")
                DELTA("1", "{'text':'Yes.'}") STOP("1") END,
      .want = "[{'type':'thinking','thinking':'Hm. So.','signature':'c2ln'},"
              "{'type':'text','text':'Yes.'}]" ENDED "}" },
    { .name = "thoughts without one",
      .body = BODY("{'reasoningContent':{'reasoningText':{'text':'Hm.'}}}", END_TURN),
      .stream = BEGIN DELTA("0", "{'reasoningContent':{'text':'Hm.'}}") STOP("0") END,
      .want = "[{'type':'thinking','thinking':'Hm.'}]" ENDED "}" },
    { .name = "a signature alone is a thought",
      .body = BODY("{'reasoningContent':{'reasoningText':{'text':'','signature':'c2ln'}}}",
                   END_TURN),
      .stream = BEGIN DELTA("0", "{'reasoningContent':{'signature':'c2ln'}}") STOP("0") END,
      .want = "[{'type':'thinking','thinking':'','signature':'c2ln'}]" ENDED "}" },
    { .name = "redacted thoughts, in pieces that are padded each",
      .body = BODY("{'reasoningContent':{'redactedContent':'YWJjZGVmZ2hpag=='}}", END_TURN),
      .stream = BEGIN DELTA("0", "{'reasoningContent':{'redactedContent':'YWJjZA=='}}")
                DELTA("0", "{'reasoningContent':{'redactedContent':'ZWY='}}")
                DELTA("0", "{'reasoningContent':{'redactedContent':''}}")
                DELTA("0", "{'reasoningContent':{'redactedContent':'Z2hpag=='}}") STOP("0") END,
      .want = "[{'type':'thinking','thinking':'','redacted':'YWJjZGVmZ2hpag=='}]" ENDED "}" },
    { .name = "pieces that are not base64 are put after each other",
      .stream = BEGIN DELTA("0", "{'reasoningContent':{'redactedContent':'YQ=='}}")
                DELTA("0", "{'reasoningContent':{'redactedContent':'?'}}")
                DELTA("0", "{'reasoningContent':{'redactedContent':'=='}}") STOP("0") END,
      .want = "[{'type':'thinking','thinking':'','redacted':'YQ==?=='}]" ENDED "}" },
    { .name = "citations of every kind of place",
      .body = BODY("{'text':'It is '},{'citationsContent':{'content':[{'text':'re'},{'text':'d'}],"
                   "'citations':["
                   "{'title':'A','source':'a.pdf','sourceContent':[{'text':'red '},{'text':'box'}],"
                   "'location':{'documentPage':{'documentIndex':0,'start':2,'end':3}}},"
                   "{'location':{'documentChar':{'documentIndex':1,'start':0,'end':9}}},"
                   "{'location':{'documentChunk':{'documentIndex':1,'start':4,'end':4}}},"
                   "{'location':{'searchResultLocation':{'searchResultIndex':2,"
                   "'start':0,'end':1}}},"
                   "{'title':'W','location':{'web':{'url':'https://a.invalid/',"
                   "'domain':'a.invalid'}}},"
                   "{'title':'no place'}]}}",
                   END_TURN),
      .stream = BEGIN DELTA("0", "{'text':'It is '}") STOP("0") DELTA("1", "{'text':'re'}")
                DELTA("1", "{'citation':{'title':'A','source':'a.pdf',"
                           "'sourceContent':[{'text':'red '},{'text':'box'}],"
                           "'location':{'documentPage':{'documentIndex':0,'start':2,'end':3}}}}")
                DELTA("1", "{'citation':{'location':{'documentChar':{'documentIndex':1,"
                           "'start':0,'end':9}}}}")
                DELTA("1", "{'text':'d'}")
                DELTA("1", "{'citation':{'location':{'documentChunk':{'documentIndex':1,"
                           "'start':4,'end':4}}}}")
                DELTA("1", "{'citation':{'location':{'searchResultLocation':{'searchResultIndex':2,"
                           "'start':0,'end':1}}}}")
                DELTA("1", "{'citation':{'title':'W','location':{'web':{'url':'https://a.invalid/',"
                           "'domain':'a.invalid'}}}}")
                DELTA("1", "{'citation':{'title':'no place'}}") STOP("1") END,
      .want = "[{'type':'text','text':'It is '},{'type':'text','text':'red','citations':["
              "{'source':'a.pdf','title':'A','start':2,'end':3,'text':'red box',"
              "'location':{'documentPage':{'documentIndex':0,'start':2,'end':3}}},"
              "{'start':0,'end':9,"
              "'location':{'documentChar':{'documentIndex':1,'start':0,'end':9}}},"
              "{'start':4,'end':4,"
              "'location':{'documentChunk':{'documentIndex':1,'start':4,'end':4}}},"
              "{'start':0,'end':1,"
              "'location':{'searchResultLocation':{'searchResultIndex':2,'start':0,'end':1}}},"
              "{'title':'W','url':'https://a.invalid/',"
              "'location':{'web':{'url':'https://a.invalid/','domain':'a.invalid'}}},"
              "{'title':'no place'}]}]" ENDED "}" },
    { .name = "pictures: bytes, and a place in S3",
      .body = BODY("{'image':{'format':'png','source':{'bytes':'YWJjZGVm'}}},"
                   "{'image':{'format':'jpeg','source':{'s3Location':{'uri':'s3://b/k'}}}}",
                   END_TURN),
      .stream = BEGIN START("0", "{'image':{'format':'png'}}")
                DELTA("0", "{'image':{'source':{'bytes':'YWI='}}}")
                DELTA("0", "{'image':{'source':{'bytes':'Y2RlZg=='}}}") STOP("0")
                START("1", "{'image':{'format':'jpeg'}}")
                DELTA("1", "{'image':{'source':{'s3Location':{'uri':'s3://b/k'}}}}") STOP("1")
                END,
      .want = "[{'type':'image','data':'YWJjZGVm','media_type':'image/png'},"
              "{'type':'image','url':'s3://b/k','media_type':'image/jpeg'}]" ENDED "}" },
    { .name = "a picture that could not be made is kept as it came",
      .body = BODY("{'image':{'error':{'message':'no'}}}", END_TURN),
      .stream = BEGIN START("0", "{'image':{'format':'png'}}")
                DELTA("0", "{'image':{'error':{'message':'no'}}}") STOP("0") END,
      .want = "[" OPAQUE("{'image':{'error':{'message':'no'}}}") "]" ENDED "}" },
    { .name = "blocks that nobody models are kept as they came",
      .body = BODY("{'guardContent':{'text':{'text':'a'}}},"
                   "{'video':{'format':'mp4','source':{'bytes':'YQ=='}}},"
                   "{'reasoningContent':{'other':1}},{'text':5},{'toolUse':'x'},7,{}",
                   END_TURN),
      .want = "[" OPAQUE("{'guardContent':{'text':{'text':'a'}}}") ","
              OPAQUE("{'video':{'format':'mp4','source':{'bytes':'YQ=='}}}") ","
              OPAQUE("{'reasoningContent':{'other':1}}") "," OPAQUE("{'text':5}") ","
              OPAQUE("{'toolUse':'x'}") "," OPAQUE("7") "," OPAQUE("{}") "]" ENDED "}" },
    { .name = "starts and deltas that nobody models too",
      .stream = BEGIN START("0", "{'audio':{'format':'mp3'}}") DELTA("0", "{'audio':{'a':1}}")
                DELTA("0", "{'audio':{'a':2}}") STOP("0") DELTA("1", "{'other':1}")
                DELTA("1", "{'other':2}") STOP("1") DELTA("2", "{'toolResult':[{'text':'x'}]}")
                STOP("2") DELTA("3", "7") DELTA("3", "8") STOP("3") END,
      .want = "["
              OPAQUE("{'audio':{'format':'mp3'},'deltas':[{'audio':{'a':1}},{'audio':{'a':2}}]}")
              "," OPAQUE("{'other':1,'deltas':[{'other':2}]}") ","
              OPAQUE("{'toolResult':[{'text':'x'}]}") ","
              "{'type':'opaque','dialect':'bedrock','value':7,'partial':'8'}]" ENDED "}" },
    { .name = "a delta of another kind opens a block beside the one that is there",
      .stream = BEGIN DELTA("0", "{'reasoningContent':{'text':'Hm.'}}")
                DELTA("0", "{'text':'a'}") DELTA("0", "{'toolUse':{'input':'{}'}}")
                DELTA("0", "{'text':'b'}") DELTA("0", "{'other':1}") STOP("0")
                DELTA("1", "{'text':'c'}") STOP("1") END,
      .want = "[{'type':'thinking','thinking':'Hm.'},{'type':'text','text':'ab'},"
              "{'type':'tool_call','id':'','name':'','arguments':{}}," OPAQUE("{'other':1}") ","
              "{'type':'text','text':'c'}]" ENDED "}" },
    { .name = "a call's input in a result's block does not break it",
      .stream = BEGIN START("0", "{'toolResult':{" RETURNED "}}")
                DELTA("0", "{'toolUse':{'input':'{\\\"a'}}") STOP("0") STOP("0") END,
      .want = "[" OPAQUE("{'toolResult':{" RETURNED ",'content':[]}}") ","
              "{'type':'tool_call','id':'','name':'','arguments':{},"
              "'malformed_arguments':'{\\\"a'}]" ENDED "}" },
    { .name = "indices of any size, and none",
      .stream = BEGIN DELTA("9223372036854775807", "{'text':'c'}") DELTA("-7", "{'text':'a'}")
                DELTA("1048575", "{'text':'b'}") "contentBlockDelta {'delta':{'text':'a'}}\n"
                "contentBlockStop {}\n" END,
      .want = "[{'type':'text','text':'aa'},{'type':'text','text':'b'},"
              "{'type':'text','text':'c'}]" ENDED "}" },
    { .name = "events that nobody knows are passed over",
      .stream = BEGIN "ping {}\ncontentBlock []\n" DELTA("0", "{'text':'a'}")
                "contentBlockDelta {}\ncontentBlockDelta []\n"
                "contentBlockStart 1\ncontentBlockStop ''\n"
                "metadata null\n" END,
      .want = "[{'type':'text','text':'a'}]" ENDED "}" },
    { .name = "usage: all that was read, cached or not",
      .body = BODY("",
                   END_TURN ",'usage':{'inputTokens':3,'outputTokens':5,'totalTokens':2068,"
                   "'cacheReadInputTokens':2000,'cacheWriteInputTokens':60,"
                   "'cacheReadInputTokenCount':2000,'serverToolUsage':{}},"
                   "'metrics':{'latencyMs':1}"),
      .stream = BEGIN END
                "metadata {'usage':{'inputTokens':3,'outputTokens':5,'totalTokens':2068,"
                "'cacheReadInputTokens':2000,'cacheWriteInputTokens':60,'serverToolUsage':{}},"
                "'metrics':{'latencyMs':1},'p':'abc'}\n",
      .want = "[],'stop_reason':'end','stop_reason_original':'end_turn','usage':{"
              "'input_tokens':2063,'output_tokens':5,'cached_tokens':2000,"
              "'cache_write_tokens':60}}" },
    { .name = "usage: for how long what was read is kept",
      .body = BODY("",
                   END_TURN ",'usage':{'inputTokens':3,'outputTokens':5,'cacheWriteInputTokens':60,"
                   "'cacheDetails':[{'ttl':'5m','inputTokens':20},{'ttl':'1h','inputTokens':40}]}"),
      .want = "[],'stop_reason':'end','stop_reason_original':'end_turn','usage':{"
              "'input_tokens':63,'output_tokens':5,'cache_write_tokens':60,"
              "'cache_write_hour_tokens':40},'extra':{'cacheDetails':["
              "{'ttl':'5m','inputTokens':20},{'ttl':'1h','inputTokens':40}]}}" },
    { .name = "usage without caches",
      .body = BODY("", END_TURN ",'usage':{'inputTokens':3,'outputTokens':5}"),
      .stream = BEGIN END "metadata {'usage':{'inputTokens':3,'outputTokens':5}}\n",
      .want = "[],'stop_reason':'end','stop_reason_original':'end_turn','usage':{"
              "'input_tokens':3,'output_tokens':5}}" },
    { .name = "usage of impossible sizes and types",
      .body = BODY("",
                   END_TURN ",'usage':{'inputTokens':9223372036854775807,'outputTokens':-1,"
                   "'cacheReadInputTokens':'7','cacheWriteInputTokens':9223372036854775807}"),
      .want = "[],'stop_reason':'end','stop_reason_original':'end_turn','usage':{"
              "'input_tokens':1099511627776,'cache_write_tokens':1099511627776}}" },
    { .name = "what has no field is kept aside",
      .body = BODY("",
                   END_TURN ",'additionalModelResponseFields':{'stop_sequence':'X'},"
                   "'performanceConfig':{'latency':'standard'},'serviceTier':{'type':'flex'},"
                   "'trace':{'guardrail':{}},"
                   "'usage':{'cacheDetails':[{'ttl':'5m','inputTokens':9}],"
                   "'serverToolUsage':{'searches':1}}"),
      .want = "[]" ENDED ",'extra':{'cacheDetails':[{'ttl':'5m','inputTokens':9}],"
              "'serverToolUsage':{'searches':1},"
              "'additionalModelResponseFields':{'stop_sequence':'X'},"
              "'performanceConfig':{'latency':'standard'},'serviceTier':{'type':'flex'},"
              "'trace':{'guardrail':{}}}}" },
    { .name = "and in a stream",
      .stream = BEGIN "messageStop {" END_TURN
                ",'additionalModelResponseFields':{'stop_sequence':'X'}}\n"
                "metadata {'serviceTier':{'type':'flex'}}\n",
      .want = "[]" ENDED ",'extra':{'additionalModelResponseFields':{'stop_sequence':'X'},"
              "'serviceTier':{'type':'flex'}}}" },
    { .name = "an error body",
      .body = "{'message':'The provided model identifier is invalid.'}",
      .want = "[]" FAILED "{'kind':'not_found',"
              "'message':'The provided model identifier is invalid.'}}",
      .error = "bedrock: The provided model identifier is invalid." },
    { .name = "an error body of the gate before the API",
      .body = "{'Message':'The security token included in the request is invalid.'}",
      .want = "[]" FAILED "{'kind':'authentication',"
              "'message':'The security token included in the request is invalid.'}}",
      .error = "bedrock: The security token included in the request is invalid." },
    { .name = "an error says where",
      .body = "{'message':'messages.2.content.0.image.source: Could not process image'}",
      .want = "[]" FAILED "{'kind':'bad_media',"
              "'message':'messages.2.content.0.image.source: Could not process image',"
              "'place':'messages.2.content.0.image.source'}}",
      .error = "bedrock: messages.2.content.0.image.source: Could not process image" },
    { .name = "a body without a message",
      .body = "{'output':{'message':{'content':{}}}}",
      .want = "[]" FAILED "{'kind':'other','message':'the response has no message'}}",
      .error = "bedrock: the response has no message" },
    { .name = "a body that is not an object",
      .body = "[1]",
      .want = "[]" FAILED "{'kind':'other','message':'the response has no message'}}",
      .error = "bedrock: the response has no message" },
    { .name = "an exception keeps what had come",
      .stream = BEGIN DELTA("0", "{'text':'Hel'}")
                "!throttlingException {'message':'Too many tokens','p':'a'}\n",
      .want = "[{'type':'text','text':'Hel'}]" FAILED
              "{'kind':'rate_limit','message':'Too many tokens','code':'throttlingException'}}",
      .error = "bedrock: Too many tokens" },
    { .name = "an exception of the model tells its status and words",
      .stream = BEGIN "!modelStreamErrorException {'message':'failed','originalStatusCode':503,"
                "'originalMessage':'busy'}\n",
      .want = "[]" FAILED "{'kind':'overloaded','message':'failed',"
              "'code':'modelStreamErrorException'},'extra':{'originalStatusCode':503,"
              "'originalMessage':'busy'}}",
      .error = "bedrock: failed" },
    { .name = "an exception without words",
      .stream = BEGIN "!serviceUnavailableException {}\n",
      .want = "[]" FAILED "{'kind':'overloaded','message':'serviceUnavailableException',"
              "'code':'serviceUnavailableException'}}",
      .error = "bedrock: serviceUnavailableException" },
    { .name = "an exception without data",
      .stream = BEGIN "!internalServerException \n",
      .want = "[]" FAILED "{'kind':'other','message':'internalServerException',"
              "'code':'internalServerException'}}",
      .error = "bedrock: internalServerException" },
    { .name = "an exception after the end is an error all the same",
      .stream = BEGIN END "!validationException {'message':'no'}\n",
      .want = "[],'stop_reason':'error','stop_reason_original':'end_turn','usage':{},'error':"
              "{'kind':'other','message':'no','code':'validationException'}}",
      .error = "bedrock: no" },
    { .name = "a stream that ends early keeps what had come",
      .stream = BEGIN DELTA("0", "{'text':'Hel'}"),
      .want = "[{'type':'text','text':'Hel'}]" OPEN "}",
      .error = EARLY },
    { .name = "a stream without anything is empty",
      .stream = "",
      .want = "[]" OPEN "}",
      .error = "the stream of bedrock is empty" },
    { .name = "a picture that never came is not a block",
      .stream = BEGIN START("0", "{'image':{'format':'png'}}"),
      .want = "[]" OPEN "}",
      .error = EARLY },
};
/* clang-format on */

/* Decoding. */

static struct rf_str frames(struct rf_arena *a, const char *text)
{
    struct rf_buf b;
    struct rf_str rest = quoted(a, text), line, name;
    rf_buf_init(&b, a, SIZE_MAX);
    while (rf_str_split(&rest, '\n', &line) && line.n) {
        bool exception = line.p[0] == '!';
        assert_true(rf_str_split(&line, ' ', &name));
        if (exception)
            aws_exception(&b, rf_cstr(a, name) + 1, line);
        else
            aws_event(&b, rf_cstr(a, name), line);
    }
    return (struct rf_str){ b.n ? b.p : "", b.n };
}

static struct rf_model *model_new(struct rf_arena *a)
{
    struct rf_model *m = RF_NEW(a, struct rf_model);
    struct rf_err err;
    if (rf_model_init(m, RF_STR("bedrock"), RF_STR("m"), a, &err))
        fail_msg("%s", err.msg);
    return m;
}

static void check(struct rf_decode *d, struct rf_str bytes, size_t step, const char *want,
                  const char *error)
{
    struct rf_str json;
    struct rf_err err = { 0 };
    enum rf_code rc = RF_OK;
    for (size_t at = 0; !rc && at < bytes.n; at += step) {
        size_t n = step < bytes.n - at ? step : bytes.n - at;
        rc = rf_decode_feed(d, (struct rf_str){ bytes.p + at, n }, &err);
    }
    assert_int_equal(rc, RF_OK);
    rc = rf_decode_finish(d, &json, &err);
    assert_str(json, want);
    assert_int_equal(rc, error ? RF_EPROVIDER : RF_OK);
    assert_string_equal(err.msg, error ? error : "");
    rf_decode_free(d);
}

static void check_row(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_model *m = model_new(a);
    const char *want = rf_cstr(a, rf_str_join(a, quoted(a, NEUTRAL), quoted(a, row->want)));
    assert_true(row->body || row->stream);
    if (row->body)
        check(rf_decode_response(m), quoted(a, row->body), SIZE_MAX, want, row->error);
    if (row->stream) {
        struct rf_str bytes = frames(a, row->stream);
        check(rf_decode_stream(m), bytes, bytes.n + 1, want, row->error);
        check(rf_decode_stream(m), bytes, 1, want, row->error);
    }
    rf_arena_free(a);
}

static void stop_reasons(void **state)
{
    static const struct {
        const char *original, *want;
    } reasons[] = {
        { "end_turn", "end" },
        { "tool_use", "tool_calls" },
        { "max_tokens", "length" },
        { "model_context_window_exceeded", "length" },
        { "stop_sequence", "stop_sequence" },
        { "guardrail_intervened", "refusal" },
        { "content_filtered", "refusal" },
        { "malformed_model_output", "malformed" },
        { "malformed_tool_use", "malformed" },
        { "of_another_day", "unknown" },
    };
    struct rf_arena *a = rf_arena_new();
    const struct rf_model *m = model_new(a);
    (void)state;
    for (size_t i = 0; i < COUNT(reasons); i++) {
        const char *name = reasons[i].original;
        struct rf_str said = rf_strf(a,
                                     NEUTRAL "[],'stop_reason':'%s','stop_reason_original':'%s',"
                                             "'usage':{}}",
                                     reasons[i].want, name);
        const char *want = quoted(a, said.p).p;
        struct rf_str body = rf_strf(a, BODY("", "'stopReason':'%s'"), name);
        struct rf_str stream = rf_strf(a, BEGIN "messageStop {'stopReason':'%s'}\n", name);
        check(rf_decode_response(m), quoted(a, body.p), SIZE_MAX, want, NULL);
        check(rf_decode_stream(m), frames(a, stream.p), 1, want, NULL);
    }
    rf_arena_free(a);
}

/* An error of the protocol itself: no payload, its code and words in headers. */
static void errors_of_the_protocol(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_buf headers, b;
    (void)state;
    rf_buf_init(&headers, a, 4096);
    rf_buf_init(&b, a, 4096);
    aws_header(&headers, ":message-type", RF_STR("error"));
    aws_header(&headers, ":error-code", RF_STR("ThrottlingException"));
    aws_header(&headers, ":error-message", RF_STR("slow down"));
    aws_frame(&b, (struct rf_str){ headers.p, headers.n }, RF_STR(""));
    struct rf_str want = quoted(a, NEUTRAL "[]" FAILED "{'kind':'rate_limit',"
                                           "'message':'slow down','code':'ThrottlingException'}}");
    check(rf_decode_stream(model_new(a)), (struct rf_str){ b.p, b.n }, 1, rf_cstr(a, want),
          "bedrock: slow down");
    rf_arena_free(a);
}

/* A stream cut at every byte: an error until the end has come, and never less than before. */
static void cut_anywhere(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_model *m = model_new(a);
    struct rf_str upto = frames(a, BEGIN DELTA("0", "{'text':'Hel'}"));
    struct rf_str all = frames(a, BEGIN DELTA("0", "{'text':'Hel'}") DELTA("0", "{'text':'lo'}"));
    (void)state;
    for (size_t n = upto.n; n < all.n; n++) {
        struct rf_decode *d = rf_decode_stream(m);
        struct rf_str json;
        struct rf_err err;
        assert_int_equal(rf_decode_feed(d, (struct rf_str){ all.p, n }, &err), RF_OK);
        assert_int_equal(rf_decode_finish(d, &json, &err), RF_EPROVIDER);
        assert_true(rf_str_contains(json, RF_STR("{\"type\":\"text\",\"text\":\"Hel\"}")));
        rf_decode_free(d);
    }
    rf_arena_free(a);
}

/* Bytes that are not frames, and a payload that is not JSON, fail where they come in. */
static void what_is_no_stream_fails(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_model *m = model_new(a);
    const struct rf_str bad[] = { quoted(a, "{'message':'no'}"), frames(a, "metadata {\n") };
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct rf_decode *d = rf_decode_stream(m);
        struct rf_err err;
        assert_int_equal(rf_decode_feed(d, bad[i], &err), RF_EFORMAT);
        rf_decode_free(d);
    }
    rf_arena_free(a);
}

static bool note(void *ctx, const struct rf_event *e)
{
    struct rf_buf *seen = ctx;
    rf_buf_addf(seen, "%s %zu %s %.*s\n", rf_event_name(e->type), e->block, e->kind ? e->kind : "-",
                RF_FMT(e->text));
    return true;
}

static void a_listener_hears_it_as_it_comes(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_decode *d = rf_decode_stream(model_new(a));
    struct rf_buf seen;
    struct rf_str heard, json;
    struct rf_err err;
    (void)state;
    rf_buf_init(&seen, a, 4096);
    rf_decode_listen(d, note, &seen);
    assert_int_equal(
        rf_decode_feed(d,
                       frames(a, BEGIN DELTA("0", "{'reasoningContent':{'text':'Hm'}}") STOP("0")
                                     DELTA("1", "{'text':'a'}") DELTA("1", "{'text':'b'}") STOP(
                                         "1") START("2", "{'toolUse':{'toolUseId':'t','name':'n'}}")
                                         DELTA("2", "{'toolUse':{'input':'{}'}}") STOP("2") END_CALL
                              "metadata {'usage':{}}\n!validationException {'message':'m'}\n"),
                       &err),
        RF_OK);
    assert_int_equal(rf_decode_finish(d, &json, &err), RF_EPROVIDER);
    assert_int_equal(rf_buf_finish(&seen, &heard, NULL), RF_OK);
    assert_str(heard, "begin 0 - \nblock_start 0 thinking \nthinking 0 thinking Hm\n"
                      "block_end 0 thinking \n"
                      "block_start 1 text \ntext 1 text a\ntext 1 text b\nblock_end 1 text \n"
                      "block_start 2 tool_call \narguments 2 tool_call {}\n"
                      "block_end 2 tool_call \n"
                      "usage 0 - \nerror 0 - m\ndone 0 - \n");
    rf_decode_free(d);
    rf_arena_free(a);
}

int main(void)
{
    static const struct CMUnitTest single[] = {
        cmocka_unit_test(stop_reasons),
        cmocka_unit_test(errors_of_the_protocol),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(what_is_no_stream_fails),
        cmocka_unit_test(a_listener_hears_it_as_it_comes),
    };
    struct CMUnitTest tests[COUNT(rows)];
    name_rows(tests, check_row, rows, COUNT(rows), sizeof *rows);
    int failed = cmocka_run_group_tests_name("bedrock: replies", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("bedrock: the rest", single, NULL, NULL);
}
