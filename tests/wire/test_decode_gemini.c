/* Responses and streams of generateContent, part by part and reason by reason. */
#include "testing.h"

#include "model/model.h"

#include <refract/reply.h>

#define OUT "{'role':'assistant','origin':{'provider':'google','model':'gemini-3-pro'},'content':["
#define END "],'stop_reason':'end','stop_reason_original':'STOP','usage':{}"
#define TOOL "],'stop_reason':'tool_calls','stop_reason_original':'STOP','usage':{}"
#define PARTS(parts) "{'candidates':[{'content':{'role':'model','parts':[" parts "]}}]}"
#define LAST(parts) \
    "{'candidates':[{'content':{'role':'model','parts':[" parts "]},'finishReason':'STOP'}]}"
#define ENDS(reason) "{'candidates':[{'content':{},'finishReason':'" reason "'}]}"
#define STOPPED(kind, reason) \
    OUT "],'stop_reason':'" kind "','stop_reason_original':'" reason "','usage':{}}"
#define USED(counts) "{'candidates':[{'finishReason':'STOP'}],'usageMetadata':{" counts "}}"
#define COUNTS(counts) \
    OUT "],'stop_reason':'end','stop_reason_original':'STOP','usage':{" counts "}}"
#define FAILED(error) OUT "],'stop_reason':'error','usage':{},'error':{" error "}"
#define DATA(json) "data: " json "\r\n\r\n"
#define TEXT(words) "{'type':'text','text':'" words "'}"

struct row {
    const char *name;
    const char *in;   /* a response, or a stream; ' stands for " */
    const char *want; /* the neutral message */
    const char *err;  /* how it fails; NULL: it does not */
};

static const struct row replies[] = {
    { "a text, who said it, and its id",
      "{'candidates':[{'content':{'parts':[{'text':'Hi.'}]},'finishReason':'STOP','index':0}],"
      "'responseId':'r1','modelVersion':'gemini-3-pro-001'}",
      OUT TEXT("Hi.") END ",'id':'r1','model':'gemini-3-pro-001'}", NULL },
    { "texts of one kind after each other are one block",
      LAST("{'text':'a','thought':true},{'text':'b','thought':true},{'text':'c'},{'text':'d'}"),
      OUT "{'type':'thinking','thinking':'ab'}," TEXT("cd") END "}", NULL },
    { "a signature ends its block", LAST("{'text':'a','thoughtSignature':'cw=='},{'text':'b'}"),
      OUT "{'type':'text','text':'a','extra':{'thoughtSignature':'cw=='}}," TEXT("b") END "}",
      NULL },
    { "the signature of a thought is its own",
      LAST("{'text':'a','thought':true,'thoughtSignature':'cw=='},{'text':'b','thought':true}"),
      OUT "{'type':'thinking','thinking':'a','signature':'cw=='},"
          "{'type':'thinking','thinking':'b'}" END "}",
      NULL },
    { "a last empty text gives its signature to the text before it",
      LAST("{'text':'a'},{'text':'','thoughtSignature':'cw=='}"),
      OUT "{'type':'text','text':'a','extra':{'thoughtSignature':'cw=='}}" END "}", NULL },
    { "and stays an empty text where there is none",
      LAST("{'functionCall':{'name':'f'}},{'text':'','thoughtSignature':'cw=='}"),
      OUT "{'type':'tool_call','id':'','name':'f','arguments':{}},"
          "{'type':'text','text':'','extra':{'thoughtSignature':'cw=='}}" TOOL "}",
      NULL },
    { "a signature alone is an empty text", LAST("{'text':'a'},{'thoughtSignature':'cw=='}"),
      OUT "{'type':'text','text':'a','extra':{'thoughtSignature':'cw=='}}" END "}", NULL },
    { "empty texts are nothing", LAST("{'text':'a'},{'text':''},{},{'text':'b'}"),
      OUT TEXT("ab") END "}", NULL },
    { "metadata of a text stays with it", LAST("{'text':'a','partMetadata':{'k':1}},{'text':'b'}"),
      OUT "{'type':'text','text':'a','extra':{'partMetadata':{'k':1}}}," TEXT("b") END "}", NULL },
    { "calls keep their id, or have none, and their signature",
      LAST("{'functionCall':{'id':'c1','name':'f','args':{'a': [1, 2.50]}},"
           "'thoughtSignature':'cw=='},{'functionCall':{'name':'g'}}"),
      OUT "{'type':'tool_call','id':'c1','name':'f','arguments':{'a':[1,2.50]},"
          "'signature':'cw=='},{'type':'tool_call','id':'','name':'g','arguments':{}}" TOOL "}",
      NULL },
    { "arguments that are not an object are kept as words",
      LAST("{'functionCall':{'name':'f','args':'x'}},{'functionCall':{'name':'g','args':[1]}}"),
      OUT "{'type':'tool_call','id':'','name':'f','arguments':{},'malformed_arguments':'x'},"
          "{'type':'tool_call','id':'','name':'g','arguments':{},'malformed_arguments':'[1]'}" TOOL
          "}",
      NULL },
    { "pieces of a call are kept",
      LAST("{'functionCall':{'name':'f','partialArgs':[],'willContinue':true},"
           "'partMetadata':1},"
           "{'functionCall':{'partialArgs':[{'jsonPath':'$.a'}]}}"),
      OUT "{'type':'tool_call','id':'','name':'f','arguments':{},'extra':{'partialArgs':[],"
          "'willContinue':true,'partMetadata':1}},"
          "{'type':'opaque','dialect':'gemini',"
          "'value':{'functionCall':{'partialArgs':[{'jsonPath':'$.a'}]}}}" TOOL "}",
      NULL },
    { "pictures and sound, and what stands beside them",
      LAST("{'text':'a'},{'inlineData':{'mimeType':'image/png','data':'YWJj','displayName':'x'},"
           "'thoughtSignature':'cw=='},{'inlineData':{'mimeType':'audio/L16','data':'YWJj'}}"),
      OUT TEXT("a") ",{'type':'image','data':'YWJj','media_type':'image/png',"
                    "'extra':{'displayName':'x','thoughtSignature':'cw=='}},"
                    "{'type':'audio','data':'YWJj','media_type':'audio/L16'}" END "}",
      NULL },
    { "video, other files, and files elsewhere",
      LAST("{'inlineData':{'mimeType':'video/mp4','data':'YQ=='}},"
           "{'inlineData':{'mimeType':'application/pdf','data':'YQ=='}},"
           "{'fileData':{'mimeType':'image/png','fileUri':'gs://b/a.png'}}"),
      OUT "{'type':'video','data':'YQ==','media_type':'video/mp4'},"
          "{'type':'document','data':'YQ==','media_type':'application/pdf'},"
          "{'type':'image','url':'gs://b/a.png','media_type':'image/png'}" END "}",
      NULL },
    { "what nobody models is opaque, and texts around it stay apart",
      LAST("{'text':'a'},{'executableCode':{'language':'PYTHON','code':'1'}},"
           "{'codeExecutionResult':{'outcome':'OUTCOME_OK','output':'1'}},{'text':'b'},"
           "{'toolCall':{'id':'t'},'thoughtSignature':'cw=='},{'toolResponse':{'id':'t'}}"),
      OUT TEXT("a") ",{'type':'opaque','dialect':'gemini',"
                    "'value':{'executableCode':{'language':'PYTHON','code':'1'}}},"
                    "{'type':'opaque','dialect':'gemini','value':{'codeExecutionResult':"
                    "{'outcome':'OUTCOME_OK','output':'1'}}}," TEXT(
                        "b") ",{'type':'opaque','dialect':'gemini',"
                             "'value':{'toolCall':{'id':'t'},'thoughtSignature':'cw=='}},"
                             "{'type':'opaque','dialect':'gemini',"
                             "'value':{'toolResponse':{'id':'t'}}}" END "}",
      NULL },
    { "what a text rests on, in characters, and all of it aside as it came",
      "{'candidates':[{'content':{'parts':[{'text':'no'},{'toolCall':{}},{'text':'Pâris. Yes.'}]},"
      "'finishReason':'STOP','groundingMetadata':{'groundingChunks':["
      "{'web':{'uri':'https://a.example/','title':'A'}},"
      "{'retrievedContext':{'text':'passage','fileSearchStore':'s/1'}}],"
      "'groundingSupports':[{'segment':{'endIndex':7,'text':'Pâris.'},"
      "'groundingChunkIndices':[0,1,9]},{'segment':{'startIndex':8,'endIndex':12,'text':'Yes.'},"
      "'groundingChunkIndices':[1]}]}}]}",
      OUT TEXT("no") ",{'type':'opaque','dialect':'gemini','value':{'toolCall':{}}},"
                     "{'type':'text','text':'Pâris. Yes.','citations':["
                     "{'title':'A','url':'https://a.example/','start':0,'end':6},"
                     "{'source':'s/1','start':0,'end':6,'text':'passage'},"
                     "{'source':'s/1','start':7,'end':11,'text':'passage'}]}" END
                     ",'extra':{'groundingMetadata':{'groundingChunks':["
                     "{'web':{'uri':'https://a.example/','title':'A'}},"
                     "{'retrievedContext':{'text':'passage','fileSearchStore':'s/1'}}],"
                     "'groundingSupports':[{'segment':{'endIndex':7,'text':'Pâris.'},"
                     "'groundingChunkIndices':[0,1,9]},{'segment':{'startIndex':8,'endIndex':12,"
                     "'text':'Yes.'},'groundingChunkIndices':[1]}]}}}",
      NULL },
    { "of several texts, the one that holds the words at the place",
      "{'candidates':[{'content':{'parts':[{'text':'abcd','thought':true},{'text':'abxx'},"
      "{'toolCall':{}},{'text':'abcd'},{'toolCall':{}},{'text':'y'}]},'finishReason':'STOP',"
      "'groundingMetadata':{'groundingChunks':[{'maps':{'uri':'m'}},{'image':{'sourceUri':'i'}}],"
      "'groundingSupports':[{'segment':{'startIndex':2,'endIndex':4,'text':'cd'},"
      "'groundingChunkIndices':[0]},{'segment':{'endIndex':2},'groundingChunkIndices':[1]},"
      "{'segment':{'endIndex':9},'groundingChunkIndices':[1]},{'groundingChunkIndices':[2]}]}}]}",
      OUT "{'type':'thinking','thinking':'abcd'},{'type':'text','text':'abxx','citations':["
          "{'url':'i','start':0,'end':2}]},{'type':'opaque','dialect':'gemini','value':"
          "{'toolCall':{}}},{'type':'text','text':'abcd','citations':["
          "{'url':'m','start':2,'end':4}]},{'type':'opaque','dialect':'gemini','value':"
          "{'toolCall':{}}},{'type':'text','text':'y','citations':["
          "{'url':'i','start':0,'end':9}]}" END
          ",'extra':{'groundingMetadata':{'groundingChunks':[{'maps':{'uri':'m'}},"
          "{'image':{'sourceUri':'i'}}],'groundingSupports':[{'segment':{'startIndex':2,"
          "'endIndex':4,'text':'cd'},'groundingChunkIndices':[0]},{'segment':{'endIndex':2},"
          "'groundingChunkIndices':[1]},{'segment':{'endIndex':9},'groundingChunkIndices':[1]},"
          "{'groundingChunkIndices':[2]}]}}}",
      NULL },
    { "sources without a text are aside only",
      "{'candidates':[{'finishReason':'STOP','groundingMetadata':{'groundingChunks':[{'web':{}}],"
      "'groundingSupports':[{'segment':{'endIndex':1},'groundingChunkIndices':[0]}]}}]}",
      OUT END ",'extra':{'groundingMetadata':{'groundingChunks':[{'web':{}}],"
              "'groundingSupports':[{'segment':{'endIndex':1},'groundingChunkIndices':[0]}]}}}",
      NULL },
    { "recited sources",
      "{'candidates':[{'content':{'parts':[{'text':'abc'}]},'finishReason':'STOP',"
      "'citationMetadata':{'citationSources':[{'startIndex':1,'endIndex':3,"
      "'uri':'https://a.example/','title':'A','license':'MIT'}]}}]}",
      OUT "{'type':'text','text':'abc','citations':["
          "{'title':'A','url':'https://a.example/','start':1,'end':3}]}" END
          ",'extra':{'citationSources':[{'startIndex':1,'endIndex':3,"
          "'uri':'https://a.example/','title':'A','license':'MIT'}]}}",
      NULL },
    { "pages read, and words about the end",
      "{'candidates':[{'content':{'parts':[{'text':'a'}]},'finishReason':'STOP',"
      "'finishMessage':'done','urlContextMetadata':{'urlMetadata':[{'retrievedUrl':'u'}]}}]}",
      OUT TEXT("a") END ",'extra':{'urlContextMetadata':{'urlMetadata':[{'retrievedUrl':'u'}]},"
                        "'finishMessage':'done'}}",
      NULL },
    { "candidate 0 is the message, others are kept",
      "{'candidates':[{'index':1,'content':{'parts':[{'text':'b'}]},'finishReason':'SAFETY'},"
      "{'index':0,'content':{'parts':[{'text':'a'}]},'finishReason':'STOP'}]}",
      OUT TEXT("a") END ",'extra':{'candidates':[{'index':1,"
                        "'content':{'parts':[{'text':'b'}]},'finishReason':'SAFETY'}]}}",
      NULL },
    { "candidates without an index count by their place",
      "{'candidates':[{'finishReason':'STOP'},{'finishReason':'SAFETY'}]}",
      OUT END ",'extra':{'candidates':[{'finishReason':'SAFETY'}]}}", NULL },
    { "MAX_TOKENS", ENDS("MAX_TOKENS"), STOPPED("length", "MAX_TOKENS"), NULL },
    { "SAFETY", ENDS("SAFETY"), STOPPED("refusal", "SAFETY"), NULL },
    { "RECITATION", ENDS("RECITATION"), STOPPED("refusal", "RECITATION"), NULL },
    { "LANGUAGE", ENDS("LANGUAGE"), STOPPED("refusal", "LANGUAGE"), NULL },
    { "BLOCKLIST", ENDS("BLOCKLIST"), STOPPED("refusal", "BLOCKLIST"), NULL },
    { "PROHIBITED_CONTENT", ENDS("PROHIBITED_CONTENT"), STOPPED("refusal", "PROHIBITED_CONTENT"),
      NULL },
    { "SPII", ENDS("SPII"), STOPPED("refusal", "SPII"), NULL },
    { "MODEL_ARMOR", ENDS("MODEL_ARMOR"), STOPPED("refusal", "MODEL_ARMOR"), NULL },
    { "IMAGE_SAFETY", ENDS("IMAGE_SAFETY"), STOPPED("refusal", "IMAGE_SAFETY"), NULL },
    { "IMAGE_PROHIBITED_CONTENT", ENDS("IMAGE_PROHIBITED_CONTENT"),
      STOPPED("refusal", "IMAGE_PROHIBITED_CONTENT"), NULL },
    { "IMAGE_RECITATION", ENDS("IMAGE_RECITATION"), STOPPED("refusal", "IMAGE_RECITATION"), NULL },
    { "MALFORMED_FUNCTION_CALL", ENDS("MALFORMED_FUNCTION_CALL"),
      STOPPED("malformed", "MALFORMED_FUNCTION_CALL"), NULL },
    { "MALFORMED_RESPONSE", ENDS("MALFORMED_RESPONSE"), STOPPED("malformed", "MALFORMED_RESPONSE"),
      NULL },
    { "UNEXPECTED_TOOL_CALL", ENDS("UNEXPECTED_TOOL_CALL"),
      STOPPED("malformed", "UNEXPECTED_TOOL_CALL"), NULL },
    { "a call of a tool that there is not is one all the same",
      "{'candidates':[{'content':{'parts':[{'functionCall':{'name':'f'}}]},'finishReason':"
      "'UNEXPECTED_TOOL_CALL'}]}",
      OUT "{'type':'tool_call','id':'','name':'f','arguments':{}}],'stop_reason':'tool_calls',"
          "'stop_reason_original':'UNEXPECTED_TOOL_CALL','usage':{}}",
      NULL },
    { "TOO_MANY_TOOL_CALLS", ENDS("TOO_MANY_TOOL_CALLS"), STOPPED("error", "TOO_MANY_TOOL_CALLS"),
      NULL },
    { "CONTINUATION", ENDS("CONTINUATION"), STOPPED("paused", "CONTINUATION"), NULL },
    { "reasons that say nothing", ENDS("OTHER"), STOPPED("unknown", "OTHER"), NULL },
    { "a prompt that was blocked",
      "{'promptFeedback':{'blockReason':'SAFETY','blockReasonMessage':'no'},"
      "'usageMetadata':{'promptTokenCount':3}}",
      OUT "],'stop_reason':'refusal','stop_reason_original':'SAFETY','usage':{'input_tokens':3},"
          "'extra':{'promptFeedback':{'blockReason':'SAFETY','blockReasonMessage':'no'}}}",
      NULL },
    { "tokens: the cached are in the prompt, tools and thoughts are not",
      USED("'promptTokenCount':100,'cachedContentTokenCount':60,'toolUsePromptTokenCount':7,"
           "'candidatesTokenCount':20,'thoughtsTokenCount':5,'totalTokenCount':132"),
      COUNTS("'input_tokens':107,'output_tokens':25,'cached_tokens':60,'reasoning_tokens':5"),
      NULL },
    { "tokens by what they were",
      USED("'promptTokenCount':15,'promptTokensDetails':[{'modality':'TEXT','tokenCount':1},"
           "{'modality':'IMAGE','tokenCount':2},{'modality':'AUDIO','tokenCount':3},"
           "{'modality':'VIDEO','tokenCount':4},{'modality':'DOCUMENT','tokenCount':5},"
           "{'modality':'SMELL','tokenCount':9},{'tokenCount':9}],"
           "'toolUsePromptTokenCount':1,'toolUsePromptTokensDetails':["
           "{'modality':'TEXT','tokenCount':1}],'candidatesTokenCount':6,"
           "'candidatesTokensDetails':[{'modality':'TEXT','tokenCount':1},"
           "{'modality':'IMAGE','tokenCount':2},{'modality':'AUDIO','tokenCount':3}]"),
      COUNTS("'input_tokens':16,'output_tokens':6,'input_text_tokens':2,'input_image_tokens':2,"
             "'input_audio_tokens':3,'input_video_tokens':4,'input_document_tokens':5,"
             "'output_text_tokens':1,'output_image_tokens':2,'output_audio_tokens':3"),
      NULL },
    { "thoughts are output also where nothing was said",
      USED("'promptTokenCount':1,'thoughtsTokenCount':2"),
      COUNTS("'input_tokens':1,'output_tokens':2,'reasoning_tokens':2"), NULL },
    { "sums of tokens stay within a number",
      USED("'promptTokenCount':9223372036854775807,'toolUsePromptTokenCount':1"),
      COUNTS("'input_tokens':1099511627776"), NULL },
    { "tokens that are not numbers are not told",
      USED("'promptTokenCount':'1','candidatesTokenCount':-2,'promptTokensDetails':{}"), COUNTS(""),
      NULL },
    { "an error: its words, its own name and its kind",
      "{'error':{'code':429,'message':'slow down','status':'RESOURCE_EXHAUSTED'}}",
      FAILED("'kind':'rate_limit','message':'slow down','code':'RESOURCE_EXHAUSTED'") "}",
      "google: slow down" },
    { "the status inside of it decides where nothing else does",
      "{'error':{'code':503,'message':'later','status':'X'}}",
      FAILED("'kind':'overloaded','message':'later','code':'X'") "}", "google: later" },
    { "an array around an error", "[{'error':{'code':404,'message':'no','status':'NOT_FOUND'}}]",
      FAILED("'kind':'not_found','message':'no','code':'NOT_FOUND'") "}", "google: no" },
    { "when to come back",
      "{'error':{'code':429,'message':'no','status':'RESOURCE_EXHAUSTED','details':["
      "{'@type':'Help'},{'@type':'RetryInfo','retryDelay':'34.0748s'}]}}",
      FAILED("'kind':'rate_limit','message':'no','code':'RESOURCE_EXHAUSTED',"
             "'retry_after_ms':34074") ",'extra':{'details':["
                                       "{'@type':'Help'},"
                                       "{'@type':'RetryInfo','retryDelay':'34.0748s'}]}}",
      "google: no" },
    { "a delay in whole seconds",
      "{'error':{'message':'no','details':[{'retryDelay':'3s'},{'retryDelay':'soon'},"
      "{'retryDelay':'-1s'},{'retryDelay':'s'}]}}",
      FAILED("'kind':'other','message':'no','retry_after_ms':3000") ",'extra':{'details':["
                                                                    "{'retryDelay':'3s'},"
                                                                    "{'retryDelay':'soon'},"
                                                                    "{'retryDelay':'-1s'},"
                                                                    "{'retryDelay':'s'}]}}",
      "google: no" },
    { "an array of chunks is a stream that was not asked for as events",
      "[" PARTS("{'text':'a'}") "," LAST("{'text':'b'}") "]", OUT TEXT("ab") END "}", NULL },
    { "shapes that are wrong everywhere",
      "{'candidates':[7,{'index':0,'content':{'parts':[3,'x',null,[],{'text':5},"
      "{'functionCall':{'name':''}},{'inlineData':[]},{'inlineData':{'mimeType':1,'data':'YQ=='}}"
      "]},'finishReason':'STOP','groundingMetadata':[],'citationMetadata':{'citations':[4]},"
      "'urlContextMetadata':'u'}],'promptFeedback':[],'usageMetadata':[],'responseId':1}",
      OUT "{'type':'opaque','dialect':'gemini','value':{'text':5}},"
          "{'type':'opaque','dialect':'gemini','value':{'functionCall':{'name':''}}},"
          "{'type':'opaque','dialect':'gemini','value':{'inlineData':[]}},"
          "{'type':'document','data':'YQ=='}" END ",'extra':{'citationSources':[4]}}",
      NULL },
    { "grounding that is wrong everywhere",
      "{'candidates':[{'content':{'parts':[{'text':'a'}]},'finishReason':'STOP',"
      "'groundingMetadata':{'groundingChunks':[1,{'web':2}],'groundingSupports':[3,"
      "{'segment':{'startIndex':9,'endIndex':1},'groundingChunkIndices':[-1,'0',0,1]}]}}]}",
      OUT "{'type':'text','text':'a','citations':[{'start':9,'end':1}]}" END
          ",'extra':{'groundingMetadata':{'groundingChunks':[1,{'web':2}],'groundingSupports':[3,"
          "{'segment':{'startIndex':9,'endIndex':1},'groundingChunkIndices':[-1,'0',0,1]}]}}}",
      NULL },
};

static const struct row empty_replies[] = {
    { "a response without a candidate is not an answer", "{'usageMetadata':{'promptTokenCount':1}}",
      OUT "],'stop_reason':'error','usage':{'input_tokens':1},'error':{'kind':'other',"
          "'message':'the response holds no candidate'}}",
      "google: the response holds no candidate" },
    { "nor is nothing at all", "{}",
      FAILED("'kind':'other','message':'the response holds no candidate'") "}",
      "google: the response holds no candidate" },
    { "nor a list of nothing", "[]",
      FAILED("'kind':'other','message':'the response holds no candidate'") "}",
      "google: the response holds no candidate" },
    { "the words of somebody in between", "{'message':'overloaded'}",
      FAILED("'kind':'overloaded','message':'overloaded'") "}", "google: overloaded" },
};

static const struct row streams[] = {
    { "text in pieces, the last usage counts, the id comes once",
      DATA("{'candidates':[{'content':{'parts':[{'text':'The'}]}}],'responseId':'r1',"
           "'usageMetadata':{'promptTokenCount':15}}")
          DATA("{'candidates':[{'content':{'parts':[{'text':' end'}]}}],'responseId':'r1'}")
              DATA("{'candidates':[{'content':{'parts':[{'text':'.'}]},'finishReason':'STOP'}],"
                   "'responseId':'r1','usageMetadata':{'promptTokenCount':13,"
                   "'candidatesTokenCount':8}}"),
      OUT TEXT("The end.") "],'stop_reason':'end','stop_reason_original':'STOP',"
                           "'usage':{'input_tokens':13,'output_tokens':8},'id':'r1'}",
      NULL },
    { "usage that tells nothing takes nothing back",
      DATA("{'candidates':[{'finishReason':'STOP'}],'usageMetadata':{'promptTokenCount':1}}")
          DATA("{'usageMetadata':{'trafficType':'ON_DEMAND'}}"),
      COUNTS("'input_tokens':1"), NULL },
    { "a call, and the end in a chunk of its own",
      DATA(PARTS("{'text':'a','thought':true}")) DATA(PARTS("{'text':'b','thought':true}"))
          DATA(PARTS("{'functionCall':{'name':'f','args':{'x':1}},'thoughtSignature':'cw=='}"))
              DATA(LAST("{'text':''}")),
      OUT "{'type':'thinking','thinking':'ab'},{'type':'tool_call','id':'','name':'f',"
          "'arguments':{'x':1},'signature':'cw=='}" TOOL "}",
      NULL },
    { "an empty last part signs the text as the whole reply would be signed",
      DATA(PARTS("{'text':'a'}")) DATA(PARTS("{'text':'b'}"))
          DATA(LAST("{'text':'','thoughtSignature':'cw=='}")),
      OUT "{'type':'text','text':'ab','extra':{'thoughtSignature':'cw=='}}" END "}", NULL },
    { "grounding comes with the last chunk, of which the text is in many",
      DATA("{'candidates':[{'content':{'parts':[{'text':'ab'}]},'groundingMetadata':{}}]}")
          DATA("{'candidates':[{'content':{'parts':[{'text':'cd'}]},'finishReason':'STOP',"
               "'groundingMetadata':{'groundingChunks':[{'web':{'uri':'u'}}],'groundingSupports':"
               "[{'segment':{'startIndex':1,'endIndex':3},'groundingChunkIndices':[0]}]}}]}"),
      OUT "{'type':'text','text':'abcd','citations':[{'url':'u','start':1,'end':3}]}" END
          ",'extra':{'groundingMetadata':{'groundingChunks':[{'web':{'uri':'u'}}],"
          "'groundingSupports':[{'segment':{'startIndex':1,'endIndex':3},"
          "'groundingChunkIndices':[0]}]}}}",
      NULL },
    { "a later chunk replaces what an earlier one said, cited sources add up",
      DATA("{'candidates':[{'groundingMetadata':{'webSearchQueries':['q'],'groundingChunks':[]},"
           "'citationMetadata':{'citations':[{'uri':'a'}]}}]}")
          DATA("{'candidates':[{'groundingMetadata':{'groundingChunks':[1]},"
               "'citationMetadata':{'citations':[{'uri':'a'},{'uri':'b'}]}}]}")
              DATA(LAST("{'text':'x'}")),
      OUT "{'type':'text','text':'x','citations':[{'url':'a'},{'url':'b'}]}" END
          ",'extra':{'groundingMetadata':{'webSearchQueries':['q'],'groundingChunks':[1]},"
          "'citationSources':[{'uri':'a'},{'uri':'b'}]}}",
      NULL },
    { "what is said after the end still counts",
      DATA(LAST("{'text':'x'}")) DATA("{'candidates':[{'index':1,'finishReason':'STOP'}],"
                                      "'usageMetadata':{'promptTokenCount':1}}"),
      OUT TEXT("x") "],'stop_reason':'end','stop_reason_original':'STOP',"
                    "'usage':{'input_tokens':1},"
                    "'extra':{'candidates':[{'index':1,'finishReason':'STOP'}]}}",
      NULL },
    { "servers that end every chunk",
      DATA(LAST("{'text':'a'}")) DATA(LAST("{'functionCall':{'name':'f'}}")),
      OUT TEXT("a") ",{'type':'tool_call','id':'','name':'f','arguments':{}}" TOOL "}", NULL },
    { "an error on the way keeps what had come",
      DATA(PARTS("{'text':'a'}"))
          DATA("{'error':{'code':503,'message':'overloaded','status':'UNAVAILABLE'}}"),
      OUT TEXT("a") "],'stop_reason':'error','usage':{},'error':{'kind':'overloaded',"
                    "'message':'overloaded','code':'UNAVAILABLE'}}",
      "google: overloaded" },
    { "a stream cut early keeps what had come",
      DATA(PARTS("{'text':'a'}")) DATA(PARTS("{'text':'b'}")),
      OUT TEXT("ab") "],'stop_reason':'unknown','usage':{}}", "the stream of google ended early" },
    { "and what was said about it",
      DATA("{'candidates':[{'content':{'parts':[{'text':'a'}]},"
           "'citationMetadata':{'citations':[{'uri':'u','endIndex':1}]}}]}"),
      OUT "{'type':'text','text':'a','citations':[{'url':'u','start':0,'end':1}]}],"
          "'stop_reason':'unknown','usage':{},"
          "'extra':{'citationSources':[{'uri':'u','endIndex':1}]}}",
      "the stream of google ended early" },
    { "a stream of nothing", "", OUT "],'stop_reason':'unknown','usage':{}}",
      "the stream of google is empty" },
    { "the mark that other wires end with is nothing",
      DATA(LAST("{'text':'a'}")) "data: [DONE]\n\n", OUT TEXT("a") END "}", NULL },
};

static void check(const struct row *row, struct rf_decode *d, struct rf_str in, size_t step,
                  struct rf_arena *a)
{
    struct rf_err err = { 0 };
    struct rf_str json;
    for (size_t at = 0; at < in.n; at += step) {
        size_t n = in.n - at < step ? in.n - at : step;
        assert_int_equal(rf_decode_feed(d, (struct rf_str){ in.p + at, n }, &err), RF_OK);
    }
    assert_int_equal(rf_decode_finish(d, &json, &err), row->err ? RF_EPROVIDER : RF_OK);
    assert_str(json, quoted(a, row->want).p);
    if (row->err)
        assert_string_equal(err.msg, row->err);
    rf_decode_free(d);
}

static void model_init(struct rf_model *m, struct rf_arena *a)
{
    assert_int_equal(rf_model_init(m, RF_STR("google"), RF_STR("gemini-3-pro"), a, NULL), RF_OK);
}

static void response(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    const struct row *row = *state;
    struct rf_str in = quoted(a, row->in);
    model_init(&m, a);
    check(row, rf_decode_response(&m), in, SIZE_MAX, a);
    rf_arena_free(a);
}

/* A stream of one chunk, which is the whole reply, is that reply. */
static void response_both_ways(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    const struct row *row = *state;
    struct rf_str in = rf_str_join(a, RF_STR("data: "), quoted(a, row->in));
    model_init(&m, a);
    check(row, rf_decode_stream(&m), in, SIZE_MAX, a);
    rf_arena_free(a);
    response(state);
}

static void stream(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    const struct row *row = *state;
    struct rf_str in = quoted(a, row->in);
    model_init(&m, a);
    check(row, rf_decode_stream(&m), in, SIZE_MAX, a);
    check(row, rf_decode_stream(&m), in, 1, a);
    rf_arena_free(a);
}

struct heard {
    char log[256];
    size_t n;
};

static bool hear(void *ctx, const struct rf_event *e)
{
    /* in the order of enum rf_event_type */
    static const char marks[] = "[(t~a=cm)us!]";
    struct heard *h = ctx;
    h->n += (size_t)snprintf(h->log + h->n, sizeof h->log - h->n, "%c%zu%.*s", marks[e->type],
                             e->block, (int)e->text.n, e->text.p);
    return true;
}

static const char lively[] = DATA(PARTS("{'text':'T','thought':true}")) DATA(PARTS("{'text':'x'}"))
    DATA(PARTS("{'text':''}")) DATA(PARTS("{'text':'y'},{'functionCall':{'name':'f','args':{}}}"))
        DATA(PARTS("{'inlineData':{'mimeType':'image/png','data':'YQ=='}},{'toolCall':{}}"))
            DATA(LAST("{'text':'z','thoughtSignature':'cw=='}")) DATA(
                "{'candidates':[{'finishReason':'STOP','groundingMetadata':{'groundingChunks':["
                "{'web':{'uri':'u'}}],'groundingSupports':[{'segment':{'endIndex':1,'text':'z'},"
                "'groundingChunkIndices':[0]}]}}],'usageMetadata':{'promptTokenCount':0}}");

static void events_as_they_come(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    struct heard h = { .n = 0 };
    struct rf_err err;
    struct rf_str json;
    (void)state;
    model_init(&m, a);
    struct rf_decode *d = rf_decode_stream(&m);
    rf_decode_listen(d, hear, &h);
    assert_int_equal(rf_decode_feed(d, quoted(a, lively), &err), RF_OK);
    assert_string_equal(h.log, "[0(0~0T)0(1t1xt1y)1(2a2{})2(3m3YQ==)3(4)4(5t5zu0");
    assert_int_equal(rf_decode_finish(d, &json, &err), RF_OK);
    assert_non_null(strstr(h.log, "5zu0c5{\"url\":\"u\",\"start\":0,\"end\":1})5s0STOP]0"));
    rf_decode_free(d);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(replies) + COUNT(empty_replies) + COUNT(streams) + 1];
    struct CMUnitTest *next = tests;
    name_rows(next, response_both_ways, replies, COUNT(replies), sizeof *replies);
    next += COUNT(replies);
    name_rows(next, response, empty_replies, COUNT(empty_replies), sizeof *empty_replies);
    next += COUNT(empty_replies);
    name_rows(next, stream, streams, COUNT(streams), sizeof *streams);
    next += COUNT(streams);
    *next = (struct CMUnitTest)cmocka_unit_test(events_as_they_come);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
