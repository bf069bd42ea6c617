/* What OpenAI Responses sends, whole and as a stream.
 *
 * Bodies are written with ' for ". A stream is a list of lines: each is the data of one event, or
 * the name of the next one. Streams are fed whole and byte by byte, and those of the first table
 * end as the response in their last event does. */
#include "testing.h"

#include "base/file.h"
#include "base/limits.h"
#include "model/model.h"
#include "wire/wire.h"

#include <glob.h>

#include <refract/reply.h>

struct row {
    const char *name;
    const char *sent;
    const char *fails; /* the message, or NULL */
    const char *want;  /* after role and origin */
};

/* clang-format off */

/* How a response and a message begin, a call, a text; what becomes of them; how replies end. */
#define DONE \
    "{'id':'resp_1','object':'response','status':'completed','model':'gpt-5-x'," \
    "'output':["
#define SAID \
    "{'type':'message','id':'msg_1','role':'assistant','status':'completed'," \
    "'content':["
#define CALL \
    "{'type':'function_call','id':'fc_1','call_id':'call_1','name':'look'," \
    "'arguments':'{\\'at\\':1}','status':'completed'}"
#define CALLED \
    "{'type':'tool_call','id':'call_1','name':'look','arguments':{'at':1}," \
    "'extra':{'id':'fc_1','status':'completed'}}"
#define KEPT "'extra':{'id':'msg_1','status':'completed'}"
#define HI "{'type':'output_text','text':'Hi','annotations':[]}"
#define AT_0 "'output_index':0,'content_index':0,"
#define END \
    "],'stop_reason':'end','stop_reason_original':'completed','usage':{}," \
    "'id':'resp_1','model':'gpt-5-x'}"
#define WANTS \
    "],'stop_reason':'tool_calls','stop_reason_original':'completed','usage':{}," \
    "'id':'resp_1','model':'gpt-5-x'}"

static const struct row responses[] = {
    { "a text keeps what its message says beside it",
      DONE SAID HI "],'phase':'final_answer'}]}",
      NULL,
      "'content':[{'type':'text','text':'Hi','extra':{'id':'msg_1','status':'completed',"
      "'phase':'final_answer'}}" END },
    { "each part is a text, and keeps the same",
      DONE SAID
      "{'type':'output_text','text':'a','annotations':[]},{'type':'output_text','text':'b',"
      "'annotations':[]}]},{'type':'message','id':'msg_2','role':'assistant',"
      "'status':'completed','content':[{'type':'output_text','text':'c','annotations':[]}]}]}",
      NULL,
      "'content':[{'type':'text','text':'a'," KEPT "},{'type':'text','text':'b'," KEPT
      "},{'type':'text','text':'c','extra':{'id':'msg_2','status':'completed'}}" END },
    { "a text that is empty is there for its id",
      DONE SAID "{'type':'output_text','text':'','annotations':[]}]}]}",
      NULL,
      "'content':[{'type':'text','text':''," KEPT "}" END },
    { "a message without parts is nothing",
      DONE SAID "]}]}",
      NULL,
      "'content':[" END },
    { "log probabilities are left aside, other members of a part are kept",
      DONE SAID
      "{'type':'output_text','text':'a','annotations':[],'logprobs':[{'token':'a'}],"
      "'mood':'good'}]}]}",
      NULL,
      "'content':[{'type':'text','text':'a','extra':{'mood':'good','id':'msg_1',"
      "'status':'completed'}}" END },
    { "a page that is cited",
      DONE SAID "{'type':'output_text','text':'see x','annotations':[{'type':'url_citation',"
      "'url':'https://e.org/a','title':'A','start_index':4,'end_index':5}]}]}]}",
      NULL,
      "'content':[{'type':'text','text':'see x','citations':[{'title':'A',"
      "'url':'https://e.org/a','start':4,'end':5}]," KEPT "}" END },
    { "files that are cited are kept as they came",
      DONE SAID "{'type':'output_text','text':'x','annotations':[{'type':'file_citation',"
      "'file_id':'file_1','filename':'a.pdf','index':7},{'type':'container_file_citation',"
      "'container_id':'cn','file_id':'file_2','filename':'b.csv','start_index':0,"
      "'end_index':1}]}]}]}",
      NULL,
      "'content':[{'type':'text','text':'x','citations':[{'source':'file_1','title':'a.pdf'},"
      "{'source':'file_2','title':'b.csv','start':0,'end':1}],"
      "'extra':{'annotations':[{'type':'file_citation','file_id':'file_1','filename':'a.pdf',"
      "'index':7},{'type':'container_file_citation','container_id':'cn','file_id':'file_2',"
      "'filename':'b.csv','start_index':0,'end_index':1}],'id':'msg_1','status':'completed'}}"
      END },
    { "an annotation that is none cites nothing",
      DONE SAID "{'type':'output_text','text':'x','annotations':[3]}]}]}",
      NULL,
      "'content':[{'type':'text','text':'x','extra':{'annotations':[3],'id':'msg_1',"
      "'status':'completed'}}" END },
    { "a refusal is a text that says so",
      DONE SAID "{'type':'refusal','refusal':'No.'}]}]}",
      NULL,
      "'content':[{'type':'text','text':'No.','extra':{'refusal':true,'id':'msg_1',"
      "'status':'completed'}}],'stop_reason':'refusal','stop_reason_original':'completed',"
      "'usage':{},'id':'resp_1','model':'gpt-5-x'}" },
    { "a refusal counts before a call",
      DONE SAID "{'type':'refusal','refusal':'No.'}]}," CALL "]}",
      NULL,
      "'content':[{'type':'text','text':'No.','extra':{'refusal':true,'id':'msg_1',"
      "'status':'completed'}}," CALLED
      "],'stop_reason':'refusal','stop_reason_original':'completed','usage':{},'id':'resp_1',"
      "'model':'gpt-5-x'}" },
    { "a part that nobody models goes back in a message of its own",
      DONE SAID
      "{'type':'output_text','text':'a','annotations':[]},{'type':'output_song','notes':'c'}]}]}",
      NULL,
      "'content':[{'type':'text','text':'a'," KEPT
      "},{'type':'opaque','dialect':'openai-responses','value':" SAID
      "{'type':'output_song','notes':'c'}]}}" END },
    { "a user's message is not the model's",
      DONE "{'type':'message','role':'user','content':[{'type':'output_text','text':'q',"
      "'annotations':[]}]},{'type':'compaction','id':'cmp_1','encrypted_content':'E'}]}",
      NULL,
      "'content':[{'type':'opaque','dialect':'openai-responses','value':{'type':'message',"
      "'role':'user','content':[{'type':'output_text','text':'q','annotations':[]}]}},"
      "{'type':'opaque','dialect':'openai-responses','value':{'type':'compaction','id':'cmp_1',"
      "'encrypted_content':'E'}}" END },
    { "a message whose content is not a list is kept whole",
      DONE "{'type':'message','content':'Hi'}]}",
      NULL,
      "'content':[{'type':'opaque','dialect':'openai-responses','value':{'type':'message',"
      "'content':'Hi'}}" END },
    { "the texts of a summary are paragraphs of the thought",
      DONE "{'type':'reasoning','id':'rs_1','summary':[{'type':'summary_text','text':'One.'},"
      "{'type':'summary_text','text':'Two.'}],'encrypted_content':'gAAA','status':null}]}",
      NULL,
      "'content':[{'type':'thinking','thinking':'One.\\n\\nTwo.','id':'rs_1','encrypted':'gAAA',"
      "'extra':{'summary':[{'type':'summary_text','text':'One.'},"
      "{'type':'summary_text','text':'Two.'}]}}" END },
    { "a thought without words goes by its id",
      DONE "{'type':'reasoning','id':'rs_1','summary':[]}]}",
      NULL,
      "'content':[{'type':'thinking','thinking':'','id':'rs_1'}" END },
    { "content is the thought where there is no summary",
      DONE "{'type':'reasoning','id':'rs_1','summary':[],'content':[{'type':'reasoning_text',"
      "'text':'Hm.'}],'status':'completed'}]}",
      NULL,
      "'content':[{'type':'thinking','thinking':'Hm.','id':'rs_1','extra':{'summary':[],"
      "'status':'completed'}}" END },
    { "content is kept beside a summary",
      DONE "{'type':'reasoning','id':'rs_1','summary':[{'type':'summary_text','text':'S'}],"
      "'content':[{'type':'reasoning_text','text':'C'}]}]}",
      NULL,
      "'content':[{'type':'thinking','thinking':'S','id':'rs_1',"
      "'extra':{'content':[{'type':'reasoning_text','text':'C'}]}}" END },
    { "a call, its item's id and what else it has",
      DONE "{'type':'function_call','id':'fc_1','call_id':'call_1','name':'look',"
      "'arguments':'{\\'at\\':1}','status':'completed','namespace':'ns'}]}",
      NULL,
      "'content':[{'type':'tool_call','id':'call_1','name':'look','arguments':{'at':1},"
      "'extra':{'id':'fc_1','status':'completed','namespace':'ns'}}" WANTS },
    { "two calls beside a text",
      DONE SAID HI "]}," CALL
      ",{'type':'function_call','id':'fc_2','call_id':'call_2','name':'look','arguments':'{}',"
      "'status':'completed'}]}",
      NULL,
      "'content':[{'type':'text','text':'Hi'," KEPT "}," CALLED
      ",{'type':'tool_call','id':'call_2','name':'look','arguments':{},'extra':{'id':'fc_2',"
      "'status':'completed'}}" WANTS },
    { "arguments that are an object",
      DONE
      "{'type':'function_call','id':'fc_1','call_id':'call_1','name':'look','arguments':{'at':1},"
      "'status':'completed'}]}",
      NULL,
      "'content':[" CALLED WANTS },
    { "arguments that cannot be read are kept as words",
      DONE "{'type':'function_call','id':'fc_1','call_id':'call_1','name':'look',"
      "'arguments':'{\\'at\\':','status':'completed'}]}",
      NULL,
      "'content':[{'type':'tool_call','id':'call_1','name':'look','arguments':{},"
      "'malformed_arguments':'{\\'at\\':','extra':{'id':'fc_1','status':'completed'}}" WANTS },
    { "a custom tool's call is kept whole, and waits for its answer",
      DONE
      "{'type':'custom_tool_call','id':'ctc_1','call_id':'call_1','name':'sh','input':'ls'}]}",
      NULL,
      "'content':[{'type':'opaque','dialect':'openai-responses',"
      "'value':{'type':'custom_tool_call','id':'ctc_1','call_id':'call_1','name':'sh',"
      "'input':'ls'}}" WANTS },
    { "a search on the client waits for its answer",
      DONE "{'type':'tool_search_call','execution':'client','call_id':'c','arguments':{}}]}",
      NULL,
      "'content':[{'type':'opaque','dialect':'openai-responses',"
      "'value':{'type':'tool_search_call','execution':'client','call_id':'c','arguments':{}}}"
      WANTS },
    { "a search on the server does not",
      DONE "{'type':'tool_search_call','execution':'server','call_id':null,'arguments':{}}]}",
      NULL,
      "'content':[{'type':'opaque','dialect':'openai-responses',"
      "'value':{'type':'tool_search_call','execution':'server','call_id':null,'arguments':{}}}"
      END },
    { "a server's tool is kept whole",
      DONE
      "{'type':'web_search_call','id':'ws_1','status':'completed','action':{'type':'search',"
      "'query':'q'}}," SAID HI "]}]}",
      NULL,
      "'content':[{'type':'opaque','dialect':'openai-responses',"
      "'value':{'type':'web_search_call','id':'ws_1','status':'completed',"
      "'action':{'type':'search','query':'q'}}},{'type':'text','text':'Hi'," KEPT "}" END },
    { "an image that was made, and its item",
      DONE
      "{'type':'image_generation_call','id':'ig_1','status':'completed','output_format':'webp',"
      "'result':'UklG'}]}",
      NULL,
      "'content':[{'type':'opaque','dialect':'openai-responses',"
      "'value':{'type':'image_generation_call','id':'ig_1','status':'completed',"
      "'output_format':'webp','result':'UklG'}},{'type':'image','data':'UklG',"
      "'media_type':'image/webp'}" END },
    { "an image without a format is PNG",
      DONE "{'type':'image_generation_call','id':'ig_1','result':'iVBO'}]}",
      NULL,
      "'content':[{'type':'opaque','dialect':'openai-responses',"
      "'value':{'type':'image_generation_call','id':'ig_1','result':'iVBO'}},{'type':'image',"
      "'data':'iVBO','media_type':'image/png'}" END },
    { "an image that was not made",
      DONE "{'type':'image_generation_call','id':'ig_1','status':'failed','result':null}]}",
      NULL,
      "'content':[{'type':'opaque','dialect':'openai-responses',"
      "'value':{'type':'image_generation_call','id':'ig_1','status':'failed','result':null}}"
      END },
    { "items that are not objects are passed over",
      DONE "1,null,'x',[]," SAID HI "]}]}",
      NULL,
      "'content':[{'type':'text','text':'Hi'," KEPT "}" END },
    { "an item without a type is kept whole",
      DONE "{'a':1}]}",
      NULL,
      "'content':[{'type':'opaque','dialect':'openai-responses','value':{'a':1}}" END },
    { "the output limit",
      "{'id':'resp_1','object':'response','status':'incomplete','model':'gpt-5-x','output':["
      SAID HI "]}],'incomplete_details':{'reason':'max_output_tokens'}}",
      NULL,
      "'content':[{'type':'text','text':'Hi'," KEPT
      "}],'stop_reason':'length','stop_reason_original':'max_output_tokens','usage':{},"
      "'id':'resp_1','model':'gpt-5-x'}" },
    { "the limit counts before a call",
      "{'id':'resp_1','object':'response','status':'incomplete','model':'gpt-5-x','output':["
      CALL "],'incomplete_details':{'reason':'max_output_tokens'}}",
      NULL,
      "'content':[" CALLED
      "],'stop_reason':'length','stop_reason_original':'max_output_tokens','usage':{},"
      "'id':'resp_1','model':'gpt-5-x'}" },
    { "a filter",
      "{'id':'resp_1','object':'response','status':'incomplete','model':'gpt-5-x','output':["
      SAID HI "]}],'incomplete_details':{'reason':'content_filter'}}",
      NULL,
      "'content':[{'type':'text','text':'Hi'," KEPT
      "}],'stop_reason':'refusal','stop_reason_original':'content_filter','usage':{},"
      "'id':'resp_1','model':'gpt-5-x'}" },
    { "a reason that nobody knows",
      "{'id':'resp_1','object':'response','status':'incomplete','model':'gpt-5-x','output':[],"
      "'incomplete_details':{'reason':'steered'}}",
      NULL,
      "'content':[],'stop_reason':'unknown','stop_reason_original':'steered','usage':{},"
      "'id':'resp_1','model':'gpt-5-x'}" },
    { "no reason at all",
      "{'id':'resp_1','object':'response','status':'incomplete','model':'gpt-5-x','output':[],"
      "'incomplete_details':null}",
      NULL,
      "'content':[],'stop_reason':'unknown','stop_reason_original':'incomplete','usage':{},"
      "'id':'resp_1','model':'gpt-5-x'}" },
    { "a response that has not begun",
      "{'id':'resp_1','object':'response','status':'queued','model':'gpt-5-x','output':[]}",
      NULL,
      "'content':[],'stop_reason':'unknown','stop_reason_original':'queued','usage':{},"
      "'id':'resp_1','model':'gpt-5-x'}" },
    { "a response without a status is complete",
      "{'id':'resp_1','output':[" SAID HI "]}]}",
      NULL,
      "'content':[{'type':'text','text':'Hi'," KEPT
      "}],'stop_reason':'end','usage':{},'id':'resp_1'}" },
    { "all of the usage",
      DONE "],'usage':{'input_tokens':10,'input_tokens_details':{'cached_tokens':4,"
      "'cache_write_tokens':2,'text_tokens':6,'image_tokens':4},'output_tokens':8,"
      "'output_tokens_details':{'reasoning_tokens':3,'text_tokens':5,'image_tokens':0},"
      "'total_tokens':18}}",
      NULL,
      "'content':[],'stop_reason':'end','stop_reason_original':'completed',"
      "'usage':{'input_tokens':10,'output_tokens':8,'cached_tokens':4,'cache_write_tokens':2,"
      "'reasoning_tokens':3,'input_text_tokens':6,'input_image_tokens':4,'output_text_tokens':5,"
      "'output_image_tokens':0},'id':'resp_1','model':'gpt-5-x'}" },
    { "tier and conversation are kept",
      DONE
      "],'service_tier':'default','conversation':{'id':'conv_1'},'temperature':1.0,'tools':[],"
      "'error':null}",
      NULL,
      "'content':[],'stop_reason':'end','stop_reason_original':'completed','usage':{},"
      "'id':'resp_1','model':'gpt-5-x','extra':{'service_tier':'default',"
      "'conversation':{'id':'conv_1'}}}" },
    { "a failure keeps what had come",
      "{'id':'resp_1','object':'response','status':'failed','model':'gpt-5-x','output':[" SAID
      HI "]}],'error':{'code':'rate_limit_exceeded','message':'Slow down'}}",
      "openai: Slow down",
      "'content':[{'type':'text','text':'Hi'," KEPT
      "}],'stop_reason':'error','usage':{},'id':'resp_1','model':'gpt-5-x',"
      "'error':{'kind':'rate_limit','message':'Slow down','code':'rate_limit_exceeded'}}" },
    { "a failure without a reason",
      "{'id':'resp_1','object':'response','status':'failed','model':'gpt-5-x','output':[],"
      "'error':null}",
      "openai: failed without a reason",
      "'content':[],'stop_reason':'error','usage':{},'id':'resp_1','model':'gpt-5-x',"
      "'error':{'kind':'other','message':'failed without a reason'}}" },
    { "an error body",
      "{'error':{'type':'invalid_request_error','code':'model_not_found','param':'model',"
      "'message':'no such model'}}",
      "openai: no such model",
      "'content':[],'stop_reason':'error','usage':{},'error':{'kind':'not_found',"
      "'message':'no such model','code':'model_not_found'}}" },
    { "an error body with a code outside",
      "{'code':'Client specified an invalid argument','error':'input[0]: bad'}",
      "openai: input[0]: bad",
      "'content':[],'stop_reason':'error','usage':{},'error':{'kind':'other',"
      "'message':'input[0]: bad','code':'Client specified an invalid argument',"
      "'place':'input[0]'}}" },
    { "a body without an output",
      "{'object':'response.input_tokens','input_tokens':5}",
      "openai: there is no output",
      "'content':[],'stop_reason':'error','usage':{},'error':{'kind':'other',"
      "'message':'there is no output'}}" },
    { "a body that is not an object",
      "[1]",
      "openai: there is no output",
      "'content':[],'stop_reason':'error','usage':{},'error':{'kind':'other',"
      "'message':'there is no output'}}" },
};

static const struct row streams[] = {
    { "a text in pieces",
      "{'type':'response.created','response':{'id':'resp_1','model':'gpt-5-x',"
      "'status':'in_progress','output':[]}}\n"
      "{'type':'response.output_item.added','output_index':0,'item':{'type':'message',"
      "'id':'msg_1','role':'assistant','status':'in_progress','content':[],"
      "'phase':'final_answer'}}\n"
      "{'type':'response.content_part.added'," AT_0
      "'part':{'type':'output_text','text':'','annotations':[]}}\n"
      "{'type':'response.output_text.delta'," AT_0 "'delta':'Hel'}\n"
      "{'type':'response.output_text.delta'," AT_0 "'delta':'lo'}\n"
      "{'type':'response.output_text.annotation.added'," AT_0
      "'annotation_index':0,'annotation':{'type':'url_citation','url':'u','title':'t',"
      "'start_index':0,'end_index':5}}\n"
      "{'type':'response.output_text.done'," AT_0 "'text':'Hello'}\n"
      "{'type':'response.content_part.done'," AT_0
      "'part':{'type':'output_text','text':'Hello','annotations':[{'type':'url_citation',"
      "'url':'u','title':'t','start_index':0,'end_index':5}]}}\n"
      "{'type':'response.output_item.done','output_index':0,'item':" SAID
      "{'type':'output_text','text':'Hello','annotations':[{'type':'url_citation','url':'u',"
      "'title':'t','start_index':0,'end_index':5}]}],'phase':'final_answer'}}\n"
      "{'type':'response.completed','response':" DONE SAID
      "{'type':'output_text','text':'Hello','annotations':[{'type':'url_citation','url':'u',"
      "'title':'t','start_index':0,'end_index':5}]}],'phase':'final_answer'}],"
      "'usage':{'input_tokens':1,'output_tokens':2}}}\n",
      NULL,
      "'content':[{'type':'text','text':'Hello','citations':[{'title':'t','url':'u','start':0,"
      "'end':5}],'extra':{'id':'msg_1','status':'completed','phase':'final_answer'}}],"
      "'stop_reason':'end','stop_reason_original':'completed','usage':{'input_tokens':1,"
      "'output_tokens':2},'id':'resp_1','model':'gpt-5-x'}" },
    { "texts that come in turns end in their places",
      "{'type':'response.output_text.delta','output_index':1,'content_index':0,'delta':'c'}\n"
      "{'type':'response.output_text.delta','output_index':0,'content_index':1,'delta':'b'}\n"
      "{'type':'response.output_text.delta'," AT_0 "'delta':'a'}\n"
      "{'type':'response.completed','response':" DONE SAID
      "{'type':'output_text','text':'a','annotations':[]},{'type':'output_text','text':'b',"
      "'annotations':[]}]},{'type':'message','id':'msg_2','role':'assistant',"
      "'status':'completed','content':[{'type':'output_text','text':'c','annotations':[]}]}]}}\n",
      NULL,
      "'content':[{'type':'text','text':'a'," KEPT "},{'type':'text','text':'b'," KEPT
      "},{'type':'text','text':'c','extra':{'id':'msg_2','status':'completed'}}" END },
    { "a refusal in pieces",
      "{'type':'response.content_part.added'," AT_0
      "'part':{'type':'refusal','refusal':''}}\n"
      "{'type':'response.refusal.delta'," AT_0 "'delta':'No '}\n"
      "{'type':'response.refusal.delta'," AT_0 "'delta':'way'}\n"
      "{'type':'response.refusal.done'," AT_0 "'refusal':'No way'}\n"
      "{'type':'response.output_item.done','output_index':0,'item':" SAID
      "{'type':'refusal','refusal':'No way'}]}}\n"
      "{'type':'response.completed','response':" DONE SAID
      "{'type':'refusal','refusal':'No way'}]}]}}\n",
      NULL,
      "'content':[{'type':'text','text':'No way','extra':{'refusal':true,'id':'msg_1',"
      "'status':'completed'}}],'stop_reason':'refusal','stop_reason_original':'completed',"
      "'usage':{},'id':'resp_1','model':'gpt-5-x'}" },
    { "a summary in pieces, and the last word on what is encrypted",
      "{'type':'response.output_item.added','output_index':0,'item':{'type':'reasoning',"
      "'id':'rs_1','summary':[],'encrypted_content':'early'}}\n"
      "{'type':'response.reasoning_summary_part.added','output_index':0,'summary_index':0,"
      "'part':{'type':'summary_text','text':''}}\n"
      "{'type':'response.reasoning_summary_text.delta','output_index':0,'summary_index':0,"
      "'delta':'One'}\n"
      "{'type':'response.reasoning_summary_text.delta','output_index':0,'summary_index':0,"
      "'delta':'.'}\n"
      "{'type':'response.reasoning_summary_text.done','output_index':0,'summary_index':0,"
      "'text':'One.'}\n"
      "{'type':'response.reasoning_summary_part.added','output_index':0,'summary_index':1,"
      "'part':{'type':'summary_text','text':''}}\n"
      "{'type':'response.reasoning_summary_text.delta','output_index':0,'summary_index':1,"
      "'delta':'Two.'}\n"
      "{'type':'response.output_item.done','output_index':0,'item':{'type':'reasoning',"
      "'id':'rs_1','summary':[{'type':'summary_text','text':'One.'},{'type':'summary_text',"
      "'text':'Two.'}],'encrypted_content':'late'}}\n"
      "{'type':'response.completed','response':" DONE
      "{'type':'reasoning','id':'rs_1','summary':[{'type':'summary_text','text':'One.'},"
      "{'type':'summary_text','text':'Two.'}],'encrypted_content':'final'}]}}\n",
      NULL,
      "'content':[{'type':'thinking','thinking':'One.\\n\\nTwo.','id':'rs_1','encrypted':'final',"
      "'extra':{'summary':[{'type':'summary_text','text':'One.'},"
      "{'type':'summary_text','text':'Two.'}]}}" END },
    { "a thought in words and as a summary",
      "{'type':'response.content_part.added'," AT_0
      "'part':{'type':'reasoning_text','text':''}}\n"
      "{'type':'response.reasoning_text.delta'," AT_0 "'delta':'C1'}\n"
      "{'type':'response.reasoning_text.delta','output_index':0,'content_index':1,'delta':'C2'}\n"
      "{'type':'response.reasoning_summary_text.delta','output_index':0,'summary_index':0,"
      "'delta':'S'}\n"
      "{'type':'response.output_item.done','output_index':0,'item':{'type':'reasoning',"
      "'id':'rs_1','summary':[{'type':'summary_text','text':'S'}],"
      "'content':[{'type':'reasoning_text','text':'C1'},{'type':'reasoning_text',"
      "'text':'C2'}]}}\n"
      "{'type':'response.completed','response':" DONE
      "{'type':'reasoning','id':'rs_1','summary':[{'type':'summary_text','text':'S'}],"
      "'content':[{'type':'reasoning_text','text':'C1'},{'type':'reasoning_text',"
      "'text':'C2'}]}]}}\n",
      NULL,
      "'content':[{'type':'thinking','thinking':'S','id':'rs_1',"
      "'extra':{'content':[{'type':'reasoning_text','text':'C1'},{'type':'reasoning_text',"
      "'text':'C2'}]}}" END },
    { "a call in pieces",
      "{'type':'response.output_item.added','output_index':0,'item':{'type':'function_call',"
      "'id':'fc_1','call_id':'call_1','name':'look','arguments':'','status':'in_progress'}}\n"
      "{'type':'response.function_call_arguments.delta','output_index':0,'delta':'{\\'at'}\n"
      "{'type':'response.function_call_arguments.delta','output_index':0,'delta':'\\':1}'}\n"
      "{'type':'response.function_call_arguments.done','output_index':0,"
      "'arguments':'{\\'at\\':1}'}\n"
      "{'type':'response.output_item.done','output_index':0,'item':" CALL "}\n"
      "{'type':'response.completed','response':" DONE CALL "]}}\n",
      NULL,
      "'content':[" CALLED WANTS },
    { "an opaque item is what it was at the end",
      "{'type':'response.output_item.added','output_index':0,'item':{'type':'custom_tool_call',"
      "'id':'ctc_1','call_id':'call_1','name':'sh','input':''}}\n"
      "{'type':'response.custom_tool_call_input.delta','output_index':0,'delta':'l'}\n"
      "{'type':'response.custom_tool_call_input.delta','output_index':0,'delta':'s'}\n"
      "{'type':'response.custom_tool_call_input.done','output_index':0,'input':'ls'}\n"
      "{'type':'response.output_item.done','output_index':0,'item':{'type':'custom_tool_call',"
      "'id':'ctc_1','call_id':'call_1','name':'sh','input':'ls'}}\n"
      "{'type':'response.completed','response':" DONE
      "{'type':'custom_tool_call','id':'ctc_1','call_id':'call_1','name':'sh','input':'ls'}]}}\n",
      NULL,
      "'content':[{'type':'opaque','dialect':'openai-responses',"
      "'value':{'type':'custom_tool_call','id':'ctc_1','call_id':'call_1','name':'sh',"
      "'input':'ls'}}" WANTS },
    { "an image comes with its item",
      "{'type':'response.output_item.added','output_index':0,"
      "'item':{'type':'image_generation_call','id':'ig_1','status':'in_progress',"
      "'result':null}}\n"
      "{'type':'response.image_generation_call.partial_image','output_index':0,"
      "'partial_image_b64':'AAAA'}\n"
      "{'type':'response.output_item.done','output_index':0,"
      "'item':{'type':'image_generation_call','id':'ig_1','status':'completed',"
      "'output_format':'png','result':'iVBO'}}\n"
      "{'type':'response.completed','response':" DONE
      "{'type':'image_generation_call','id':'ig_1','status':'completed','output_format':'png',"
      "'result':'iVBO'}]}}\n",
      NULL,
      "'content':[{'type':'opaque','dialect':'openai-responses',"
      "'value':{'type':'image_generation_call','id':'ig_1','status':'completed',"
      "'output_format':'png','result':'iVBO'}},{'type':'image','data':'iVBO',"
      "'media_type':'image/png'}" END },
    { "items that only the last event tells",
      "{'type':'response.output_item.added','output_index':0,'item':{'type':'mcp_list_tools',"
      "'tools':[]}}\n"
      "{'type':'response.completed','response':" DONE "{'type':'mcp_list_tools','tools':[1]},"
      SAID HI "]}," CALL "]}}\n",
      NULL,
      "'content':[{'type':'opaque','dialect':'openai-responses','value':{'type':'mcp_list_tools',"
      "'tools':[1]}},{'type':'text','text':'Hi'," KEPT "}," CALLED WANTS },
    { "a stream that was cut by the limit",
      "{'type':'response.output_text.delta'," AT_0 "'delta':'Hi'}\n"
      "{'type':'response.incomplete','response':{'id':'resp_1','object':'response',"
      "'status':'incomplete','model':'gpt-5-x','output':[" SAID HI
      "]}],'incomplete_details':{'reason':'max_output_tokens'}}}\n",
      NULL,
      "'content':[{'type':'text','text':'Hi'," KEPT
      "}],'stop_reason':'length','stop_reason_original':'max_output_tokens','usage':{},"
      "'id':'resp_1','model':'gpt-5-x'}" },
    { "a failure at the end",
      "{'type':'response.output_text.delta'," AT_0 "'delta':'Hi'}\n"
      "{'type':'response.failed','response':{'id':'resp_1','object':'response','status':'failed',"
      "'model':'gpt-5-x','output':[" SAID HI
      "]}],'error':{'code':'server_error','message':'It broke'}}}\n",
      "openai: It broke",
      "'content':[{'type':'text','text':'Hi'," KEPT
      "}],'stop_reason':'error','usage':{},'id':'resp_1','model':'gpt-5-x',"
      "'error':{'kind':'other','message':'It broke','code':'server_error'}}" },
};

static const struct row other_streams[] = {
    { "the last event counts once, and nothing else has to tell",
      "{'type':'response.completed','response':" DONE SAID HI "]}],'service_tier':'x'}}\n"
      "{'type':'response.completed','response':" DONE SAID HI "]}],'service_tier':'x'}}\n"
      "[DONE]\n",
      NULL,
      "'content':[{'type':'text','text':'Hi'," KEPT
      "}],'stop_reason':'end','stop_reason_original':'completed','usage':{},'id':'resp_1',"
      "'model':'gpt-5-x','extra':{'service_tier':'x'}}" },
    { "a last event without the output keeps the items",
      "{'type':'response.output_item.done','output_index':0,'item':" CALL "}\n"
      "{'type':'response.completed','response':" DONE "]}}\n",
      NULL,
      "'content':[" CALLED WANTS },
    { "names of events may stand outside of the data",
      "event: response.output_text.delta\n"
      "{'delta':'Hi'}\n"
      "event: response.completed\n"
      "{'response':{'id':'resp_1'}}\n",
      NULL,
      "'content':[{'type':'text','text':'Hi'}],'stop_reason':'end','usage':{},'id':'resp_1'}" },
    { "a flat error",
      "{'type':'response.output_text.delta'," AT_0 "'delta':'Hi'}\n"
      "{'type':'error','code':'rate_limit_exceeded','message':'Slow down','param':null}\n",
      "openai: Slow down",
      "'content':[{'type':'text','text':'Hi'}],'stop_reason':'error','usage':{},"
      "'error':{'kind':'rate_limit','message':'Slow down','code':'rate_limit_exceeded'}}" },
    { "an error in an object",
      "{'type':'error','error':{'type':'not_found_error','message':'Gone'}}\n",
      "openai: Gone",
      "'content':[],'stop_reason':'error','usage':{},'error':{'kind':'not_found',"
      "'message':'Gone','code':'not_found_error'}}" },
    { "an error without a name",
      "{'error':{'code':502,'message':'Bad'}}\n",
      "openai: Bad",
      "'content':[],'stop_reason':'error','usage':{},'error':{'kind':'other','message':'Bad'}}" },
    { "an error without words",
      "{'type':'error'}\n",
      "openai: failed without a reason",
      "'content':[],'stop_reason':'error','usage':{},'error':{'kind':'other',"
      "'message':'failed without a reason'}}" },
    { "cut in a text",
      "{'type':'response.created','response':{'id':'resp_1','model':'gpt-5-x'}}\n"
      "{'type':'response.output_text.delta'," AT_0 "'delta':'Hi'}\n",
      "the stream of openai ended early",
      "'content':[{'type':'text','text':'Hi'}],'stop_reason':'unknown','usage':{},'id':'resp_1',"
      "'model':'gpt-5-x'}" },
    { "cut in a call",
      "{'type':'response.output_item.added','output_index':0,'item':{'type':'function_call',"
      "'id':'fc_1','call_id':'call_1','name':'look','arguments':'','status':'in_progress'}}\n"
      "{'type':'response.function_call_arguments.delta','output_index':0,'delta':'{\\'at'}\n",
      "the stream of openai ended early",
      "'content':[{'type':'tool_call','id':'call_1','name':'look','arguments':{},"
      "'malformed_arguments':'{\\'at','extra':{'id':'fc_1','status':'in_progress'}}],"
      "'stop_reason':'unknown','usage':{}}" },
    { "cut in a thought, without what was encrypted too early",
      "{'type':'response.output_item.added','output_index':0,'item':{'type':'reasoning',"
      "'id':'rs_1','summary':[],'encrypted_content':'early'}}\n"
      "{'type':'response.reasoning_summary_text.delta','output_index':0,'summary_index':0,"
      "'delta':'One.'}\n"
      "{'type':'response.reasoning_summary_text.delta','output_index':0,'summary_index':1,"
      "'delta':'Two'}\n",
      "the stream of openai ended early",
      "'content':[{'type':'thinking','thinking':'One.\\n\\nTwo','id':'rs_1'}],"
      "'stop_reason':'unknown','usage':{}}" },
    { "cut in a refusal",
      "{'type':'response.refusal.delta'," AT_0 "'delta':'No'}\n",
      "the stream of openai ended early",
      "'content':[{'type':'text','text':'No','extra':{'refusal':true}}],'stop_reason':'unknown',"
      "'usage':{}}" },
    { "cut in an opaque item",
      "{'type':'response.output_item.added','output_index':0,'item':{'type':'custom_tool_call',"
      "'id':'ctc_1','call_id':'call_1','name':'sh','input':''}}\n"
      "{'type':'response.custom_tool_call_input.delta','output_index':0,'delta':'l'}\n",
      "the stream of openai ended early",
      "'content':[{'type':'opaque','dialect':'openai-responses',"
      "'value':{'type':'custom_tool_call','id':'ctc_1','call_id':'call_1','name':'sh',"
      "'input':''}}],'stop_reason':'unknown','usage':{}}" },
    { "pieces that the end does not repeat stay",
      "{'type':'response.output_text.delta'," AT_0 "'delta':'Hi'}\n"
      "{'type':'response.output_text.done','output_index':0,'content_index':0}\n"
      "{'type':'response.function_call_arguments.delta','output_index':1,'delta':'{}'}\n"
      "{'type':'response.function_call_arguments.done','output_index':1,'arguments':null}\n",
      "the stream of openai ended early",
      "'content':[{'type':'text','text':'Hi'},{'type':'tool_call','id':'','name':'',"
      "'arguments':{}}],'stop_reason':'unknown','usage':{}}" },
    { "an end that says something else holds",
      "{'type':'response.output_text.delta'," AT_0 "'delta':'Hi'}\n"
      "{'type':'response.output_text.done'," AT_0 "'text':'Ho'}\n",
      "the stream of openai ended early",
      "'content':[{'type':'text','text':'Ho'}],'stop_reason':'unknown','usage':{}}" },
    { "places that make no sense",
      "{'type':'response.output_text.delta','output_index':-5,'content_index':'x','delta':'a'}\n"
      "{'type':'response.output_text.delta','output_index':9e+18,'content_index':99999999999,"
      "'delta':'b'}\n"
      "{'type':'response.output_item.done','output_index':1,'item':[]}\n"
      "{'type':'response.output_item.added'}\n"
      "{'type':'response.content_part.added','part':1}\n"
      "{'type':'response.output_text.annotation.added','annotation':null}\n"
      "{'type':'response.completed_not'}\n"
      "3\n",
      "the stream of openai ended early",
      "'content':[{'type':'text','text':'a'},{'type':'text','text':'b'}],'stop_reason':'unknown',"
      "'usage':{}}" },
};
/* clang-format on */

#define BEFORE "{\"role\":\"assistant\",\"origin\":{\"provider\":\"openai\",\"model\":\"gpt-5\"},"

struct bench {
    struct rf_arena *arena;
    struct rf_model model;
    struct rf_err err;
};

static void bench_init(struct bench *b)
{
    *b = (struct bench){ .arena = rf_arena_new() };
    assert_int_equal(rf_model_init(&b->model, RF_STR("openai"), RF_STR("gpt-5"), b->arena, NULL),
                     RF_OK);
}

/* Feed pieces of `step` bytes and copy the message out. */
static struct rf_str decode(struct bench *b, struct rf_decode *d, struct rf_str bytes, size_t step,
                            enum rf_code *rc)
{
    struct rf_str json;
    for (size_t n; bytes.n; bytes = (struct rf_str){ bytes.p + n, bytes.n - n }) {
        n = bytes.n < step ? bytes.n : step;
        assert_int_equal(rf_decode_feed(d, (struct rf_str){ bytes.p, n }, &b->err), RF_OK);
    }
    *rc = rf_decode_finish(d, &json, &b->err);
    json = rf_str_dup(b->arena, json);
    rf_decode_free(d);
    return json;
}

static struct rf_str whole(struct bench *b, struct rf_str body, enum rf_code *rc)
{
    return decode(b, rf_decode_response(&b->model), body, SIZE_MAX, rc);
}

static struct rf_str streamed(struct bench *b, struct rf_str sse, size_t step, enum rf_code *rc)
{
    return decode(b, rf_decode_stream(&b->model), sse, step, rc);
}

static void check(struct bench *b, const struct row *row, struct rf_str got, enum rf_code rc)
{
    struct rf_str want = rf_str_join(b->arena, RF_STR(BEFORE), quoted(b->arena, row->want));
    if (row->fails)
        assert_string_equal(b->err.msg, row->fails);
    assert_int_equal(rc, row->fails ? RF_EPROVIDER : RF_OK);
    assert_string_equal(rf_cstr(b->arena, got), want.p);
}

static struct rf_str as_events(struct bench *b, const char *sent)
{
    struct rf_str lines = quoted(b->arena, sent), line;
    struct rf_buf out;
    rf_buf_init(&out, b->arena, SIZE_MAX);
    while (rf_str_split(&lines, '\n', &line)) {
        bool name = rf_str_starts(line, "event:");
        if (line.n)
            rf_buf_addf(&out, name ? "%.*s\n" : "data: %.*s\n\n", RF_FMT(line));
    }
    return (struct rf_str){ out.p, out.n };
}

static void response_row(void **state)
{
    const struct row *row = *state;
    struct bench b;
    enum rf_code rc;
    bench_init(&b);
    struct rf_str got = whole(&b, quoted(b.arena, row->sent), &rc);
    check(&b, row, got, rc);
    rf_arena_free(b.arena);
}

static void any_stream_row(void **state)
{
    static const size_t steps[] = { SIZE_MAX, 1, 7 };
    const struct row *row = *state;
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct bench b;
        enum rf_code rc;
        bench_init(&b);
        struct rf_str got = streamed(&b, as_events(&b, row->sent), steps[i], &rc);
        check(&b, row, got, rc);
        rf_arena_free(b.arena);
    }
}

/* The response in the last event of a stream that tells one, as JSON text. */
static struct rf_str last_response(struct bench *b, struct rf_str sse)
{
    struct rf_str line, last = RF_STR("");
    while (rf_str_split(&sse, '\n', &line))
        if (rf_str_starts(line, "data: {"))
            last = (struct rf_str){ line.p + 6, line.n - 6 };
    const struct rf_jval *data;
    assert_int_equal(rf_jval_parse(last, b->arena, &data, NULL), RF_OK);
    const struct rf_jval *response = rf_jval_get(data, "response");
    assert_non_null(response);
    return rf_jval_compact(response, b->arena);
}

static void same_as_whole(struct bench *b, struct rf_str sse)
{
    enum rf_code of_stream, of_whole;
    struct rf_str got = streamed(b, sse, SIZE_MAX, &of_stream);
    struct rf_str want = whole(b, last_response(b, sse), &of_whole);
    assert_int_equal(of_stream, of_whole);
    assert_string_equal(rf_cstr(b->arena, got), rf_cstr(b->arena, want));
}

static void stream_row(void **state)
{
    const struct row *row = *state;
    struct bench b;
    any_stream_row(state);
    bench_init(&b);
    same_as_whole(&b, as_events(&b, row->sent));
    rf_arena_free(b.arena);
}

/* What a listener hears. */

static bool hear(void *ctx, const struct rf_event *e)
{
    bool start = e->type == RF_EVENT_BLOCK_START;
    rf_buf_addf(ctx, "%s %zu %.*s|", rf_event_name(e->type), e->block,
                RF_FMT(start ? rf_str(e->kind) : e->text));
    return true;
}

static const struct {
    const char *name, *sent, *heard;
} heard[] = {
    { "each piece is told once, however often it is said",
      "{'type':'response.output_text.delta','output_index':0,'content_index':0,'delta':'a'}\n"
      "{'type':'response.output_text.delta','output_index':0,'content_index':0,'delta':'b'}\n"
      "{'type':'response.output_text.done','output_index':0,'content_index':0,'text':'abc'}\n"
      "{'type':'response.output_item.done','output_index':0,'item':{'type':'message',"
      "'content':[{'type':'output_text','text':'abc'}]}}\n"
      "{'type':'response.completed','response':{'status':'completed','usage':{},'output':"
      "[{'type':'message','content':[{'type':'output_text','text':'abcd'}]}]}}\n",
      "begin 0 |block_start 0 text|text 0 a|text 0 b|text 0 c|block_end 0 |usage 0 |"
      "stop 0 completed|done 0 |" },
    { "calls are told as they come",
      "{'type':'response.output_item.added','output_index':0,'item':{'type':'function_call',"
      "'call_id':'c','name':'n','arguments':''}}\n"
      "{'type':'response.function_call_arguments.delta','output_index':0,'delta':'{}'}\n"
      "{'type':'response.output_item.done','output_index':0,'item':{'type':'function_call',"
      "'call_id':'c','name':'n','arguments':'{}'}}\n"
      "{'type':'response.completed','response':{'output':[]}}\n",
      "begin 0 |block_start 0 tool_call|arguments 0 {}|block_end 0 |stop 0 |done 0 |" },
    { "thoughts come in paragraphs",
      "{'type':'response.reasoning_summary_text.delta','output_index':0,'summary_index':0,"
      "'delta':'a'}\n"
      "{'type':'response.reasoning_summary_text.delta','output_index':0,'summary_index':1,"
      "'delta':'b'}\n"
      "{'type':'error','code':'x','message':'no'}\n",
      "begin 0 |block_start 0 thinking|thinking 0 a|thinking 0 \n\n|thinking 0 b|block_end 0 |"
      "error 0 no|done 0 |" },
    { "and where no number says so",
      "{'type':'response.reasoning_summary_part.added','output_index':0}\n"
      "{'type':'response.reasoning_summary_text.delta','output_index':0,'delta':'a'}\n"
      "{'type':'response.reasoning_summary_text.delta','output_index':0,'delta':'b'}\n"
      "{'type':'response.reasoning_summary_part.added','output_index':0}\n"
      "{'type':'response.reasoning_summary_text.delta','output_index':0,'delta':'c'}\n"
      "{'type':'error','code':'x','message':'no'}\n",
      "begin 0 |block_start 0 thinking|thinking 0 a|thinking 0 b|thinking 0 \n\n|thinking 0 c|"
      "block_end 0 |error 0 no|done 0 |" },
};

static void what_a_listener_hears(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(heard); i++) {
        struct bench b;
        struct rf_buf log;
        enum rf_code rc;
        bench_init(&b);
        rf_buf_init(&log, b.arena, 4096);
        struct rf_decode *d = rf_decode_stream(&b.model);
        rf_decode_listen(d, hear, &log);
        decode(&b, d, as_events(&b, heard[i].sent), SIZE_MAX, &rc);
        assert_str(((struct rf_str){ log.p, log.n }), heard[i].heard);
        rf_arena_free(b.arena);
    }
}

/* Recorded streams of real servers. */

static size_t recorded_streams(const char *path)
{
    size_t count = 0;
    struct bench b;
    struct rf_str text;
    const struct rf_jval *root;
    bench_init(&b);
    assert_int_equal(rf_file_read(path, RF_MAX_JSON_BYTES, b.arena, &text, &b.err), RF_OK);
    assert_int_equal(rf_jval_parse(text, b.arena, &root, &b.err), RF_OK);
    const struct rf_jval *list = rf_jval_get(root, "exchanges");
    for (const struct rf_jval *x = rf_jval_first(list); x; x = rf_jval_next(list, x)) {
        const struct rf_jval *body = rf_jval_get(rf_jval_get(x, "response"), "body");
        const struct rf_jval *url = rf_jval_get(rf_jval_get(x, "request"), "url");
        if (!url || !rf_str_contains(url->raw, RF_STR("/responses")) || !body ||
            body->type != RF_JSTRING)
            continue;
        same_as_whole(&b, rf_jval_text(body, b.arena));
        count++;
    }
    rf_arena_free(b.arena);
    return count;
}

static void recordings_end_as_their_last_event(void **state)
{
    const char *shared = shared_folder();
    glob_t files;
    size_t count = 0;
    char pattern[4096];
    (void)state;
    if (!shared)
        return;
    snprintf(pattern, sizeof pattern, "%s/recordings/*/*.json", shared);
    if (glob(pattern, 0, NULL, &files)) {
        print_message("skipped: there are no recordings\n");
        return;
    }
    for (size_t i = 0; i < files.gl_pathc; i++)
        count += recorded_streams(files.gl_pathv[i]);
    globfree(&files);
    print_message("%zu streams\n", count);
    assert_true(count > 0);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(responses) + COUNT(streams) + COUNT(other_streams)];
    struct CMUnitTest *next = tests;
    name_rows(next, response_row, responses, COUNT(responses), sizeof *responses);
    next += COUNT(responses);
    name_rows(next, stream_row, streams, COUNT(streams), sizeof *streams);
    next += COUNT(streams);
    name_rows(next, any_stream_row, other_streams, COUNT(other_streams), sizeof *other_streams);
    const struct CMUnitTest others[] = {
        cmocka_unit_test(what_a_listener_hears),
        cmocka_unit_test(recordings_end_as_their_last_event),
    };
    int failed = cmocka_run_group_tests_name("rows", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("others", others, NULL, NULL);
}
