/* What the Messages API sends: every kind of block, whole and as a stream, endings, usage, errors.
 *
 * A row that has both a body and a stream proves that they end as the same message. Streams are fed
 * at once and byte by byte. */
#include "../testing.h"

#include "base/buf.h"
#include "model/model.h"

#include <refract/reply.h>

/* One event, of which only the members besides its type are given. */
#define EVENT(name, members) "event: " name "\ndata: {'type':'" name "'," members "  }\n\n"
#define OPEN(index, block) \
    EVENT("content_block_start", "'index':" index ",'content_block':{" block "}")
#define DELTA(index, delta) EVENT("content_block_delta", "'index':" index ",'delta':{" delta "}")
#define CLOSE(index) EVENT("content_block_stop", "'index':" index)
#define PING "event: ping\ndata: {'type':'ping'}\n\n"
#define OVER "event: message_stop\ndata: {'type':'message_stop'}\n\n"

#define HEAD "'id':'m1','type':'message','role':'assistant','model':'claude-x',"
#define START                                                                        \
    EVENT("message_start",                                                           \
          "'message':{" HEAD "'content':[],'stop_reason':null,'stop_sequence':null," \
          "'usage':{'input_tokens':3,'output_tokens':1}}")
#define ENDING(members) \
    EVENT("message_delta", "'delta':{" members "},'usage':{'output_tokens':7}") OVER
#define DONE ENDING("'stop_reason':'end_turn','stop_sequence':null")
#define CALLED ENDING("'stop_reason':'tool_use','stop_sequence':null")

#define COST ",'usage':{'input_tokens':3,'output_tokens':7}"
#define BODY(content, ending) "{" HEAD "'content':[" content "]," ending COST "}"
#define SAID(content) BODY(content, "'stop_reason':'end_turn','stop_sequence':null")
#define ASKED(content) BODY(content, "'stop_reason':'tool_use','stop_sequence':null")

#define ORIGIN "{'role':'assistant','origin':{'provider':'anthropic','model':'the-model'},"
#define REPLY(content, stop, original, rest)                                                    \
    ORIGIN "'content':[" content "],'stop_reason':'" stop "','stop_reason_original':'" original \
           "'" COST ",'id':'m1','model':'claude-x'" rest "}"
#define ANSWER(content) REPLY(content, "end", "end_turn", "")
#define CALLS(content) REPLY(content, "tool_calls", "tool_use", "")
#define FAILED(error) ORIGIN "'content':[],'stop_reason':'error','usage':{},'error':{" error "}"

#define TEXT(words) "{'type':'text','text':'" words "'}"
#define OPAQUE(value) "{'type':'opaque','dialect':'anthropic','value':{" value "}}"

#define CHARS                                                          \
    "{'type':'char_location','cited_text':'Grass','document_index':0," \
    "'document_title':'Plants','file_id':'file_1','start_char_index':0,'end_char_index':5}"
#define PAGES                                                         \
    "{'type':'page_location','cited_text':'Moss','document_index':1," \
    "'document_title':null,'file_id':null,'start_page_number':2,'end_page_number':3}"
#define BLOCKS                                                                 \
    "{'type':'content_block_location','cited_text':'Fern','document_index':2," \
    "'document_title':'Notes','start_block_index':4,'end_block_index':6}"
#define FOUND                                                                      \
    "{'type':'search_result_location','cited_text':'Oak','search_result_index':0," \
    "'source':'https://a.example/oak','title':'Trees','start_block_index':0,'end_block_index':1}"
#define WEB                                                                             \
    "{'type':'web_search_result_location','cited_text':'Elm','encrypted_index':'Rw=='," \
    "'title':'More trees','url':'https://b.example/elm'}"
#define NEW_KIND "{'type':'star_location','star':'Vega'}"
#define CITATION(c) DELTA("0", "'type':'citations_delta','citation':" c)

#define SEARCH "'type':'server_tool_use','id':'s1','name':'web_search','input':"
#define HITS                                                                                \
    "'type':'web_search_tool_result','tool_use_id':'s1','content':[{'type':"                \
    "'web_search_result','title':'A','url':'https://a.example','encrypted_content':'Rg=='," \
    "'page_age':null}],'caller':{'type':'direct'}"

struct row {
    const char *name;
    const char *body, *stream; /* either may be NULL */
    const char *want;
    const char *error; /* NULL: it succeeds */
};

static const struct row blocks[] = {
    { "text is text", SAID(TEXT("Hello, you.")),
      START OPEN("0", "'type':'text','text':''")
          PING DELTA("0", "'type':'text_delta','text':'Hello'")
              DELTA("0", "'type':'text_delta','text':', you.'") CLOSE("0") DONE,
      ANSWER(TEXT("Hello, you.")), NULL },
    { "text keeps its escapes and its UTF-8", SAID(TEXT("a\\n\\u00e9 \\\\ é\\ud83d\\ude00")),
      START OPEN("0", "'type':'text','text':''")
          DELTA("0", "'type':'text_delta','text':'a\\n\\u00e9 \\\\ '")
              DELTA("0", "'type':'text_delta','text':'é\\ud83d\\ude00'") CLOSE("0") DONE,
      ANSWER(TEXT("a\\né \\\\ é😀")), NULL },
    { "an empty text is not a block", SAID(TEXT("")),
      START OPEN("0", "'type':'text','text':''") CLOSE("0") DONE, ANSWER(""), NULL },
    { "every kind of citation has its neutral form and stays as it came",
      SAID("{'type':'text','text':'Green.','citations':[" CHARS "," PAGES "," BLOCKS "," FOUND
           "," WEB "," NEW_KIND "]}"),
      START OPEN("0", "'type':'text','text':'','citations':[]") CITATION(CHARS) CITATION(PAGES)
          CITATION(BLOCKS) DELTA("0", "'type':'text_delta','text':'Green.'") CITATION(FOUND)
              CITATION(WEB) CITATION(NEW_KIND) CLOSE("0") DONE,
      ANSWER("{'type':'text','text':'Green.','citations':["
             "{'source':'file_1','title':'Plants','start':0,'end':5,'text':'Grass'},"
             "{'start':2,'end':3,'text':'Moss'},"
             "{'title':'Notes','start':4,'end':6,'text':'Fern'},"
             "{'source':'https://a.example/oak','title':'Trees','start':0,'end':1,'text':'Oak'},"
             "{'title':'More trees','url':'https://b.example/elm','text':'Elm'},{}],"
             "'extra':{'citations':[" CHARS "," PAGES "," BLOCKS "," FOUND "," WEB "," NEW_KIND
             "]}}"),
      NULL },
    { "thinking has its signature",
      SAID("{'type':'thinking','thinking':'Let me see.','signature':'c2ln'}"),
      START OPEN("0", "'type':'thinking','thinking':'','signature':''")
          DELTA("0", "'type':'thinking_delta','thinking':'Let me'")
              DELTA("0", "'type':'thinking_delta','thinking':' see.'")
                  DELTA("0", "'type':'signature_delta','signature':'c2ln'") CLOSE("0") DONE,
      ANSWER("{'type':'thinking','thinking':'Let me see.','signature':'c2ln'}"), NULL },
    { "thinking that is held back is its signature alone",
      SAID("{'type':'thinking','thinking':'','signature':'c2ln'}"),
      START OPEN("0", "'type':'thinking','thinking':'','signature':''")
          DELTA("0", "'type':'signature_delta','signature':'c2ln'") CLOSE("0") DONE,
      ANSWER("{'type':'thinking','thinking':'','signature':'c2ln'}"), NULL },
    { "redacted thinking keeps its data", SAID("{'type':'redacted_thinking','data':'b3Bh'}"),
      START OPEN("0", "'type':'redacted_thinking','data':'b3Bh'") CLOSE("0") DONE,
      ANSWER("{'type':'thinking','thinking':'','redacted':'b3Bh'}"), NULL },
    { "a call has its arguments and keeps its caller",
      ASKED("{'type':'tool_use','id':'c1','name':'look','input':{'at':'a','n':[1,2.50]},"
            "'caller':{'type':'direct'}}"),
      START OPEN("0", "'type':'tool_use','id':'c1','name':'look','input':{},"
                      "'caller':{'type':'direct'}")
          DELTA("0", "'type':'input_json_delta','partial_json':''")
              DELTA("0", "'type':'input_json_delta','partial_json':'{\\'at\\': \\'a'")
                  DELTA("0", "'type':'input_json_delta','partial_json':'\\', \\'n\\':[1,2.50]}'")
                      CLOSE("0") CALLED,
      CALLS("{'type':'tool_call','id':'c1','name':'look','arguments':{'at':'a','n':[1,2.50]},"
            "'extra':{'caller':{'type':'direct'}}}"),
      NULL },
    { "a call without arguments has an empty object",
      ASKED("{'type':'tool_use','id':'c1','name':'look','input':{}}"),
      START OPEN("0", "'type':'tool_use','id':'c1','name':'look','input':{}")
          DELTA("0", "'type':'input_json_delta','partial_json':''") CLOSE("0") CALLED,
      CALLS("{'type':'tool_call','id':'c1','name':'look','arguments':{}}"), NULL },
    { "a call may be opened with all of its arguments", NULL,
      START OPEN("0", "'type':'tool_use','id':'c1','name':'look','input':{'at':1}") CLOSE("0")
          CALLED,
      CALLS("{'type':'tool_call','id':'c1','name':'look','arguments':{'at':1}}"), NULL },
    { "fragments replace the arguments that a call was opened with", NULL,
      START OPEN("0", "'type':'tool_use','id':'c1','name':'look','input':{'at':1}")
          DELTA("0", "'type':'input_json_delta','partial_json':'{\\'at\\':2}'") CLOSE("0") CALLED,
      CALLS("{'type':'tool_call','id':'c1','name':'look','arguments':{'at':2}}"), NULL },
    { "arguments that are not JSON stay as words", NULL,
      START OPEN("0", "'type':'tool_use','id':'c1','name':'look','input':{}")
          DELTA("0", "'type':'input_json_delta','partial_json':'{\\'at\\':'") CLOSE("0")
              ENDING("'stop_reason':'max_tokens'"),
      REPLY("{'type':'tool_call','id':'c1','name':'look','arguments':{},"
            "'malformed_arguments':'{\\'at\\':'}",
            "length", "max_tokens", ""),
      NULL },
    { "server tools and their results are opaque",
      SAID("{" SEARCH "{'query':'news'}},{" HITS "}," TEXT("Nothing new.")),
      START OPEN("0", SEARCH "{}") DELTA("0", "'type':'input_json_delta','partial_json':''")
          DELTA("0", "'type':'input_json_delta','partial_json':'{\\'query\\': '")
              DELTA("0", "'type':'input_json_delta','partial_json':'\\'news\\'}'") CLOSE("0")
                  OPEN("1", HITS) CLOSE("1") OPEN("2", "'type':'text','text':''")
                      DELTA("2", "'type':'text_delta','text':'Nothing new.'") CLOSE("2") DONE,
      ANSWER(OPAQUE(SEARCH "{'query':'news'}") "," OPAQUE(HITS) "," TEXT("Nothing new.")), NULL },
    { "a server tool without input keeps its empty one", SAID("{" SEARCH "{}}"),
      START OPEN("0", SEARCH "{}") DELTA("0", "'type':'input_json_delta','partial_json':''")
          CLOSE("0") DONE,
      ANSWER(OPAQUE(SEARCH "{}")), NULL },
    { "input of a server tool that is not an object stays as words beside it", NULL,
      START OPEN("0", SEARCH "{}") DELTA("0", "'type':'input_json_delta','partial_json':'[1]'")
          CLOSE("0") DONE,
      ANSWER("{'type':'opaque','dialect':'anthropic','value':{" SEARCH "{}},'partial':'[1]'}"),
      NULL },
    { "an opaque block grows by the members of its deltas",
      BODY("{'type':'compaction','content':'So far: nothing.','encrypted_content':'RQ=='}",
           "'stop_reason':'compaction'"),
      START OPEN("0", "'type':'compaction','content':null")
          DELTA("0", "'type':'compaction_delta','content':'So far: ','encrypted_content':'RQ=='")
              DELTA("0", "'type':'compaction_delta','content':'nothing.','encrypted_content':null")
                  CLOSE("0") ENDING("'stop_reason':'compaction'"),
      REPLY(OPAQUE("'type':'compaction','content':'So far: nothing.','encrypted_content':'RQ=='"),
            "paused", "compaction", ""),
      NULL },
    { "texts of an opaque block are joined, other values replaced", NULL,
      START OPEN("0", "'type':'song','text':'la','bars':1")
          DELTA("0", "'type':'text_delta','text':' la'")
              DELTA("0", "'type':'song_delta','bars':2,'keys':['c']") CLOSE("0") DONE,
      ANSWER(OPAQUE("'type':'song','text':'la la','bars':2,'keys':['c']")), NULL },
    { "members that have no field stay in extra, whatever they are",
      SAID("{'type':'text','text':'a','tone':'dry','n':null},"
           "{'type':'thinking','thinking':'b','signature':'s','depth':2}"),
      START OPEN("0", "'type':'text','text':'','tone':'dry','n':null")
          DELTA("0", "'type':'text_delta','text':'a'") CLOSE("0") OPEN(
              "1", "'type':'thinking','thinking':'b','signature':'s','depth':2") CLOSE("1") DONE,
      ANSWER("{'type':'text','text':'a','extra':{'tone':'dry'}},"
             "{'type':'thinking','thinking':'b','signature':'s','extra':{'depth':2}}"),
      NULL },
    { "deltas that do not belong to a block's type stay in its extra", NULL,
      START OPEN("0", "'type':'text','text':'a'") DELTA("0", "'type':'tone_delta','tone':'dry'")
          DELTA("0", "'type':'thinking_delta','thinking':'b'") CLOSE("0") DONE,
      ANSWER("{'type':'text','text':'a','extra':{'deltas':[{'type':'tone_delta','tone':'dry'},"
             "{'type':'thinking_delta','thinking':'b'}]}}"),
      NULL },
    { "blocks that come at the same time are kept apart", NULL,
      START OPEN("0", "'type':'text','text':''") OPEN("1", "'type':'text','text':''")
          DELTA("1", "'type':'text_delta','text':'second'")
              DELTA("0", "'type':'text_delta','text':'first'") CLOSE("1") CLOSE("0") DONE,
      ANSWER(TEXT("first") "," TEXT("second")), NULL },
};

#define USED(usage) "{" HEAD "'content':[],'stop_reason':'end_turn','usage':{" usage "}}"
#define USED_START(usage) EVENT("message_start", "'message':{" HEAD "'usage':{" usage "}}")
#define USED_END(usage) \
    EVENT("message_delta", "'delta':{'stop_reason':'end_turn'},'usage':{" usage "}") OVER
#define BILL(usage, rest)                                                                       \
    ORIGIN "'content':[],'stop_reason':'end','stop_reason_original':'end_turn','usage':{" usage \
           "},'id':'m1','model':'claude-x'" rest "}"

static const struct row endings[] = {
    { "a stop sequence says which one it was",
      BODY("", "'stop_reason':'stop_sequence','stop_sequence':'END'"),
      START ENDING("'stop_reason':'stop_sequence','stop_sequence':'END'"),
      REPLY("", "stop_sequence", "stop_sequence", ",'extra':{'stop_sequence':'END'}"), NULL },
    { "a refusal keeps its category and its words",
      BODY(TEXT("I"), "'stop_reason':'refusal','stop_details':{'type':'refusal',"
                      "'category':'cyber','explanation':'Not that.'}"),
      START OPEN("0", "'type':'text','text':'I'") CLOSE("0")
          ENDING("'stop_reason':'refusal','stop_details':{'type':'refusal','category':'cyber',"
                 "'explanation':'Not that.'}"),
      REPLY(TEXT("I"), "refusal", "refusal",
            ",'extra':{'stop_details':{'type':'refusal','category':'cyber',"
            "'explanation':'Not that.'}}"),
      NULL },
    { "the container is kept", BODY("", "'stop_reason':'end_turn','container':{'id':'k1'}"),
      START ENDING("'stop_reason':'end_turn','container':{'id':'k1'}"),
      REPLY("", "end", "end_turn", ",'extra':{'container':{'id':'k1'}}"), NULL },
    { "of a member that is told twice the last word counts", NULL,
      EVENT("message_start", "'message':{" HEAD "'container':{'id':'k1'},"
                             "'usage':{'input_tokens':3}}")
          ENDING("'stop_reason':'end_turn','container':{'id':'k2'}"),
      REPLY("", "end", "end_turn", ",'extra':{'container':{'id':'k2'}}"), NULL },
    { "input is the sum of fresh, written and cached tokens",
      USED("'input_tokens':5,'cache_creation_input_tokens':20,'cache_read_input_tokens':300,"
           "'cache_creation':{'ephemeral_5m_input_tokens':20,'ephemeral_1h_input_tokens':0},"
           "'output_tokens':9,'output_tokens_details':{'thinking_tokens':4},"
           "'server_tool_use':{'web_search_requests':1},'service_tier':'standard'"),
      USED_START("'input_tokens':5,'cache_creation_input_tokens':20,'cache_read_input_tokens':300,"
                 "'cache_creation':{'ephemeral_5m_input_tokens':20,'ephemeral_1h_input_tokens':0},"
                 "'output_tokens':1,'service_tier':'standard'")
          USED_END("'output_tokens':9,'output_tokens_details':{'thinking_tokens':4},"
                   "'server_tool_use':{'web_search_requests':1}"),
      BILL("'input_tokens':325,'output_tokens':9,'cached_tokens':300,'cache_write_tokens':20,"
           "'reasoning_tokens':4",
           ",'extra':{'cache_creation':{'ephemeral_5m_input_tokens':20,"
           "'ephemeral_1h_input_tokens':0},'server_tool_use':{'web_search_requests':1}}"),
      NULL },
    { "how much of what was written is kept for an hour",
      USED("'input_tokens':5,'cache_creation_input_tokens':50,"
           "'cache_creation':{'ephemeral_5m_input_tokens':20,'ephemeral_1h_input_tokens':30},"
           "'output_tokens':9"),
      NULL,
      BILL("'input_tokens':55,'output_tokens':9,'cache_write_tokens':50,"
           "'cache_write_hour_tokens':30",
           ",'extra':{'cache_creation':{'ephemeral_5m_input_tokens':20,"
           "'ephemeral_1h_input_tokens':30}}"),
      NULL },
    { "counts of a stream replace those that came before", NULL,
      USED_START("'input_tokens':0,'output_tokens':0,'cache_read_input_tokens':2")
          EVENT("message_delta", "'delta':{},'usage':{'output_tokens':4}")
              USED_END("'input_tokens':8,'output_tokens':6"),
      BILL("'input_tokens':10,'output_tokens':6,'cached_tokens':2", ""), NULL },
    { "counters at zero are not kept aside",
      USED("'input_tokens':1,'output_tokens':2,'cache_creation':{'ephemeral_5m_input_tokens':0},"
           "'server_tool_use':null"),
      NULL, BILL("'input_tokens':1,'output_tokens':2", ""), NULL },
    { "usage that was not told is left out", USED(""), USED_START("") USED_END(""), BILL("", ""),
      NULL },
    { "counts beyond all measure stay numbers",
      USED("'input_tokens':9223372036854775807,'cache_read_input_tokens':9,'output_tokens':-4"),
      NULL, BILL("'input_tokens':1099511627776,'cached_tokens':9", ""), NULL },
};

#define TOO_LONG "messages.0.content.1: prompt is too long"
#define WITH_ID ",'extra':{'request_id':'r1'}}"
#define ERROR(type, words) "'error':{'type':'" type "','message':'" words "'}"

static const struct row failures[] = {
    { "an error body has its kind, words, code and place",
      "{'type':'error'," ERROR("invalid_request_error", TOO_LONG) ",'request_id':'r1'}", NULL,
      FAILED("'kind':'context_too_long','message':'" TOO_LONG "',"
             "'code':'invalid_request_error','place':'messages.0.content.1'") WITH_ID,
      "anthropic: " TOO_LONG },
    { "an error may come as an event", NULL,
      EVENT("error", ERROR("overloaded_error", "Overloaded")),
      FAILED("'kind':'overloaded','message':'Overloaded','code':'overloaded_error'") "}",
      "anthropic: Overloaded" },
    { "an error without a type is one all the same", NULL,
      "data: {" ERROR("overloaded_error", "Overloaded") "}\n\n",
      FAILED("'kind':'overloaded','message':'Overloaded','code':'overloaded_error'") "}",
      "anthropic: Overloaded" },
    { "an error may come instead of a stream", NULL,
      "{\n  'type':'error',\n  " ERROR("overloaded_error", "Overloaded") "\n}",
      FAILED("'kind':'overloaded','message':'Overloaded','code':'overloaded_error'") "}",
      "anthropic: Overloaded" },
    { "an error in the middle keeps what had come", NULL,
      START OPEN("0", "'type':'text','text':''") DELTA("0", "'type':'text_delta','text':'Hel'")
          EVENT("error", "'error':{'type':'rate_limit_error','message':'Slow down',"
                         "'details':{'error_code':'x'}},'request_id':'r2'"),
      ORIGIN "'content':[" TEXT(
          "Hel") "],'stop_reason':'error',"
                 "'usage':{'input_tokens':3,'output_tokens':1},'id':'m1','model':'claude-x',"
                 "'error':{'kind':'rate_limit','message':'Slow down','code':'rate_limit_error'},"
                 "'extra':{'request_id':'r2','details':{'error_code':'x'}}}",
      "anthropic: Slow down" },
    { "an error without words has its code", "{'type':'error','error':{'type':'not_found_error'}}",
      EVENT("error", "'error':{'type':'not_found_error'}"),
      FAILED("'kind':'not_found','message':'not_found_error','code':'not_found_error'") "}",
      "anthropic: not_found_error" },
    { "a body that is not a message is an error", "{'id':'m1','content':'hello'}", NULL,
      FAILED("'kind':'other','message':'the response is not a message'") "}",
      "anthropic: the response is not a message" },
    { "neither is a list", "[]", NULL,
      FAILED("'kind':'other','message':'the response is not a message'") "}",
      "anthropic: the response is not a message" },
    { "a stream that is cut in a text keeps it", NULL,
      START OPEN("0", "'type':'text','text':''") DELTA("0", "'type':'text_delta','text':'Hel'"),
      ORIGIN "'content':[" TEXT(
          "Hel") "],'stop_reason':'unknown',"
                 "'usage':{'input_tokens':3,'output_tokens':1},'id':'m1','model':'claude-x'}",
      "the stream of anthropic ended early" },
    { "a stream that is cut in a server tool keeps its fragments", NULL,
      START OPEN("0", SEARCH "{}") DELTA("0", "'type':'input_json_delta','partial_json':'{'"),
      ORIGIN "'content':[{'type':'opaque','dialect':'anthropic','value':{" SEARCH
             "{}},'partial':'{'}],'stop_reason':'unknown',"
             "'usage':{'input_tokens':3,'output_tokens':1},'id':'m1','model':'claude-x'}",
      "the stream of anthropic ended early" },
    { "a stream that lacks its last event ended early", NULL,
      START EVENT("message_delta", "'delta':{'stop_reason':'end_turn'},"
                                   "'usage':{'output_tokens':7}"),
      REPLY("", "end", "end_turn", ""), "the stream of anthropic ended early" },
    { "a stream of nothing is empty", NULL, "",
      ORIGIN "'content':[],'stop_reason':'unknown','usage':{}}",
      "the stream of anthropic is empty" },
};

#define NO_THOUGHT "{'type':'thinking','thinking':''}"

static const struct row odd[] = {
    { "members of the wrong type are as if they were not there",
      "{'id':1,'model':[],'content':[7,null,'a',[]],'stop_reason':{},'usage':[3]}",
      EVENT("message_start", "'message':[]") OPEN("'x'", "") EVENT("content_block_start",
                                                                   "'index':0")
          EVENT("content_block_delta", "'index':9,'delta':7") EVENT("content_block_stop", "'a':1")
              EVENT("message_delta", "'delta':0,'usage':null") OVER,
      ORIGIN "'content':[],'stop_reason':'unknown','usage':{}}", NULL },
    { "events and deltas that nobody knows, and those of no block, are passed over", NULL,
      START EVENT("news", "'a':1") DELTA("5", "'type':'text_delta','text':'lost'")
          OPEN("0", "'type':'text','text':'a'") DELTA("0", "'text':'no type'") CLOSE("0")
              DELTA("0", "'type':'text_delta','text':'late'") CLOSE("0") "data: [DONE]\n\n" DONE,
      ANSWER(TEXT("a")), NULL },
    { "a block that is opened twice is the first", NULL,
      START OPEN("0", "'type':'text','text':'a'") OPEN("0", "'type':'text','text':'b'") CLOSE("0")
          DONE,
      ANSWER(TEXT("a")), NULL },
    { "a number that was given before is another block, if that has another type", NULL,
      START OPEN("0", "'type':'text','text':'a'")
          OPEN("0", "'type':'tool_use','id':'c1','name':'look','input':{}")
              DELTA("0", "'type':'input_json_delta','partial_json':'{\\'x\\':1}'") CLOSE("0")
                  CLOSE("1") DONE,
      ANSWER(TEXT("a") ",{'type':'tool_call','id':'c1','name':'look','arguments':{'x':1}}"), NULL },
    { "events are known by their type where they have no name", NULL,
      "data: {'type':'message_start','message':{" HEAD "'usage':{'input_tokens':3}}}\n\n"
      "data: {'type':'message_delta','delta':{'stop_reason':'end_turn'},"
      "'usage':{'output_tokens':7}}\n\ndata: {'type':'message_stop'}\n\n",
      ANSWER(""), NULL },
    { "and by their name where they have no type", NULL,
      "event: message_start\ndata: {'message':{" HEAD "'usage':{'input_tokens':3}}}\n\n"
      "event: message_delta\ndata: {'delta':{'stop_reason':'end_turn'},"
      "'usage':{'output_tokens':7}}\n\nevent: message_stop\ndata: {}\n\n",
      ANSWER(""), NULL },
    { "fields of the wrong type are empty, and what has no type is not a block",
      SAID("{'type':'text','text':5,'citations':{}},{'type':'text','text':'a','citations':[1]},"
           "{'type':'thinking','thinking':[],'signature':1},{'type':'redacted_thinking','data':{}},"
           "{'type':'tool_use','id':1,'name':null,'input':'x'},{'type':7},{}"),
      NULL,
      ANSWER(TEXT("a") "," NO_THOUGHT "," NO_THOUGHT ","
                       "{'type':'tool_call','id':'','name':'','arguments':{},"
                       "'malformed_arguments':'\\'x\\''}"),
      NULL },
    { "citation fields of the wrong type are left out",
      SAID("{'type':'text','text':'a','citations':[{'title':1,'document_title':'t',"
           "'start_char_index':'0','cited_text':null}]}"),
      NULL,
      ANSWER("{'type':'text','text':'a','citations':[{'title':'t'}],'extra':{'citations':["
             "{'title':1,'document_title':'t','start_char_index':'0','cited_text':null}]}}"),
      NULL },
};

static void check_decode(struct rf_decode *d, struct rf_str bytes, size_t step,
                         const struct row *row, struct rf_arena *a)
{
    struct rf_err err = { 0 };
    struct rf_str json;
    for (size_t at = 0; at < bytes.n; at += step) {
        struct rf_str piece = { bytes.p + at, bytes.n - at < step ? bytes.n - at : step };
        assert_int_equal(rf_decode_feed(d, piece, &err), RF_OK);
    }
    enum rf_code rc = rf_decode_finish(d, &json, &err);
    assert_str(json, quoted(a, row->want).p);
    assert_int_equal(rc, row->error ? RF_EPROVIDER : RF_OK);
    if (row->error)
        assert_string_equal(err.msg, row->error);
    rf_decode_free(d);
}

static void check(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    assert_int_equal(rf_model_init(&m, RF_STR("anthropic"), RF_STR("the-model"), a, NULL), RF_OK);
    if (row->body)
        check_decode(rf_decode_response(&m), quoted(a, row->body), SIZE_MAX, row, a);
    if (row->stream) {
        check_decode(rf_decode_stream(&m), quoted(a, row->stream), SIZE_MAX, row, a);
        check_decode(rf_decode_stream(&m), quoted(a, row->stream), 1, row, a);
    }
    rf_arena_free(a);
}

static const struct stop {
    const char *name, *theirs, *ours;
} stops[] = {
    { "end_turn is the end", "end_turn", "end" },
    { "max_tokens is the length", "max_tokens", "length" },
    { "a full window is the length", "model_context_window_exceeded", "length" },
    { "stop_sequence is itself", "stop_sequence", "stop_sequence" },
    { "tool_use is for tools", "tool_use", "tool_calls" },
    { "pause_turn is a pause", "pause_turn", "paused" },
    { "compaction is a pause", "compaction", "paused" },
    { "refusal is itself", "refusal", "refusal" },
    { "a reason that nobody knows is kept", "boredom", "unknown" },
};

static void check_stop(void **state)
{
    const struct stop *stop = *state;
    struct rf_arena *a = rf_arena_new();
    struct row row = {
        .body = rf_strf(a, BODY("", "'stop_reason':'%s'"), stop->theirs).p,
        .stream = rf_strf(a, START ENDING("'stop_reason':'%s'"), stop->theirs).p,
        .want = rf_strf(a, REPLY("", "%s", "%s", ""), stop->ours, stop->theirs).p,
    };
    void *as_row = &row;
    check(&as_row);
    rf_arena_free(a);
}

static bool note(void *ctx, const struct rf_event *e)
{
    struct rf_buf *log = ctx;
    rf_buf_addf(log, "%s %zu %s[%.*s]\n", rf_event_name(e->type), e->block, e->kind ? e->kind : "-",
                (int)e->text.n, e->text.p);
    return true;
}

static void test_listener(void **state)
{
    static const char stream[] = START OPEN("0", "'type':'thinking','thinking':'','signature':''")
        DELTA("0", "'type':'thinking_delta','thinking':'hm'")
            DELTA("0", "'type':'signature_delta','signature':'s'") CLOSE("0")
                OPEN("1", "'type':'text','text':''")
                    DELTA("1", "'type':'citations_delta','citation':" WEB)
                        DELTA("1", "'type':'text_delta','text':'a'")
                            DELTA("1", "'type':'text_delta','text':'b'") CLOSE("1")
                                OPEN("2", "'type':'tool_use','id':'c','name':'n','input':{}")
                                    DELTA("2", "'type':'input_json_delta','partial_json':'{}'")
                                        CLOSE("2") CALLED;
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    struct rf_buf log;
    struct rf_str json, told;
    (void)state;
    rf_buf_init(&log, a, 4096);
    assert_int_equal(rf_model_init(&m, RF_STR("anthropic"), RF_STR("the-model"), a, NULL), RF_OK);
    struct rf_decode *d = rf_decode_stream(&m);
    rf_decode_listen(d, note, &log);
    assert_int_equal(rf_decode_feed(d, quoted(a, stream), NULL), RF_OK);
    assert_int_equal(rf_decode_finish(d, &json, NULL), RF_OK);
    assert_int_equal(rf_buf_finish(&log, &told, NULL), RF_OK);
    assert_str(told,
               "begin 0 -[]\nusage 0 -[]\n"
               "block_start 0 thinking[]\nthinking 0 thinking[hm]\nsignature 0 thinking[s]\n"
               "block_end 0 thinking[]\n"
               "block_start 1 text[]\ntext 1 text[a]\ntext 1 text[b]\n"
               "citation 1 text[{\"title\":\"More trees\",\"url\":\"https://b.example/elm\","
               "\"text\":\"Elm\"}]\nblock_end 1 text[]\n"
               "block_start 2 tool_call[]\narguments 2 tool_call[{}]\nblock_end 2 tool_call[]\n"
               "usage 0 -[]\nstop 0 -[tool_use]\ndone 0 -[]\n");
    rf_decode_free(d);
    rf_arena_free(a);
}

static bool until_the_text(void *ctx, const struct rf_event *e)
{
    ++*(int *)ctx;
    return e->type != RF_EVENT_TEXT;
}

static void listener_stops(void **state)
{
    static const char stream[] =
        START OPEN("0", "'type':'text','text':''") DELTA("0", "'type':'text_delta','text':'a'")
            DELTA("0", "'type':'text_delta','text':'b'") CLOSE("0");
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    struct rf_err err;
    struct rf_str json;
    int events = 0;
    (void)state;
    assert_int_equal(rf_model_init(&m, RF_STR("anthropic"), RF_STR("the-model"), a, NULL), RF_OK);
    struct rf_decode *d = rf_decode_stream(&m);
    rf_decode_listen(d, until_the_text, &events);
    assert_int_equal(rf_decode_feed(d, quoted(a, stream), &err), RF_EINTERRUPTED);
    assert_string_equal(err.msg, "the reply was stopped");
    int until_then = events;
    assert_int_equal(rf_decode_feed(d, quoted(a, CLOSE("0")), &err), RF_EINTERRUPTED);
    assert_int_equal(rf_decode_finish(d, &json, &err), RF_EINTERRUPTED);
    assert_int_equal(events, until_then);
    assert_true(rf_str_contains(json, RF_STR("\"text\":\"a\"")));
    rf_decode_free(d);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest
        tests[COUNT(blocks) + COUNT(endings) + COUNT(failures) + COUNT(odd) + COUNT(stops) + 2];
    struct CMUnitTest *t = tests;
    name_rows(t, check, blocks, COUNT(blocks), sizeof *blocks);
    name_rows(t += COUNT(blocks), check, endings, COUNT(endings), sizeof *endings);
    name_rows(t += COUNT(endings), check, failures, COUNT(failures), sizeof *failures);
    name_rows(t += COUNT(failures), check, odd, COUNT(odd), sizeof *odd);
    name_rows(t += COUNT(odd), check_stop, stops, COUNT(stops), sizeof *stops);
    t[COUNT(stops)] = (struct CMUnitTest)cmocka_unit_test(test_listener);
    t[COUNT(stops) + 1] = (struct CMUnitTest)cmocka_unit_test(listener_stops);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
