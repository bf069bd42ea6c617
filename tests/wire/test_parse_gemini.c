/* Requests for generateContent, read: as conversations, and as requests again. */
#include "parsing.h"

#define EXTRA(members) "'extra':{'gemini':{" members "}}"
#define SAID "{'role':'user','content':["
#define ANSWERED "{'role':'assistant','origin':{'provider':'google'},'content':["
#define OPAQUE(value) "{'type':'opaque','dialect':'gemini','value':" value "}"
#define STORE "https://generativelanguage.googleapis.com/"

/* A body of nothing but the contents, and what they become. */
#define CONTENTS(row_name, in, out)                               \
    {                                                             \
        row_name, "{'contents':[" in "]}", "'messages':[" out "]" \
    }
#define USER(row_name, in, out) \
    CONTENTS(row_name, "{'role':'user','parts':[" in "]}", SAID out "]}")
#define ANSWER(row_name, in, out) \
    CONTENTS(row_name, "{'role':'model','parts':[" in "]}", ANSWERED out "]}")
/* A response to the call c1, and the tool message's members after the name. */
#define RESULT(row_name, in, out)                                                               \
    CONTENTS(row_name,                                                                          \
             "{'role':'user','parts':[{'functionResponse':{'id':'c1','name':'look'," in "}}]}", \
             "{'role':'tool','tool_call_id':'c1','name':'look'" out "}")
/* Members beside an empty list of contents. */
#define BODY(row_name, in, out)                 \
    {                                           \
        row_name, "{" in ",'contents':[]}", out \
    }
#define SCHEMA(row_name, in, out)                                                           \
    BODY(row_name, "'tools':[{'functionDeclarations':[{'name':'f','parameters':" in "}]}]", \
         "'tools':[{'name':'f','input_schema':" out "}],'messages':[]")
#define FAILS(row_name, body, message) \
    {                                  \
        row_name, body, "!" message    \
    }
#define PART(data) "{'inlineData':{'mimeType':'image/png','data':'" data "'}}"
#define IMAGE(data) "{'type':'image','data':'" data "','media_type':'image/png'}"
#define F_TOOL "'tools':[{'functionDeclarations':[{'name':'f'}]}]"

static const struct parse_row rows[] = {
    USER("a text", "{'text':'hi'}", "{'type':'text','text':'hi'}"),
    CONTENTS("a content of nobody is the user's", "{'parts':[{'text':'hi'}]}",
             SAID "{'type':'text','text':'hi'}]}"),
    { "one content and one part instead of lists",
      "{'contents':{'role':'user','parts':{'text':'hi'}}}",
      "'messages':[" SAID "{'type':'text','text':'hi'}]}]" },
    CONTENTS("members of a content that nobody knows",
             "{'role':'user','parts':[{'text':'hi'}],'mood':'good'}",
             SAID "{'type':'text','text':'hi'}]," EXTRA("'mood':'good'") "}"),
    USER("bytes, in the alphabet for URLs as they came",
         "{'inlineData':{'mimeType':'image/png','data':'_-8','displayName':'a.png'}}",
         "{'type':'image','data':'_-8','media_type':'image/png','name':'a.png'," EXTRA(
             "'inlineData':{'displayName':'a.png'}") "}"),
    USER("names in snake case", "{'inline_data':{'mime_type':'audio/wav','data':'YWJj'}}",
         "{'type':'audio','data':'YWJj','media_type':'audio/wav'}"),
    USER("a film from the web, and how to look at it",
         "{'fileData':{'mimeType':'video/mp4','fileUri':'https://youtu.be/x'},"
         "'videoMetadata':{'fps':0.2}}",
         "{'type':'video','url':'https://youtu.be/x','media_type':'video/mp4'," EXTRA(
             "'videoMetadata':{'fps':0.2}") "}"),
    USER("a film of YouTube needs no type", "{'fileData':{'fileUri':'https://youtu.be/x'}}",
         "{'type':'video','url':'https://youtu.be/x'}"),
    USER("what is on the web without a type has that of its name",
         "{'fileData':{'fileUri':'https://e.com/a.png?x=1'}},"
         "{'fileData':{'fileUri':'https://e.com/youtube.com/a'}}",
         "{'type':'image','url':'https://e.com/a.png?x=1'},"
         "{'type':'document','url':'https://e.com/youtube.com/a'}"),
    USER("bytes without a type are what they begin like",
         "{'inlineData':{'data':'UklGRiQAAABXQVZFZm10IBAAAAAB'}},{'inlineData':{'data':'YWJj'}}",
         "{'type':'audio','data':'UklGRiQAAABXQVZFZm10IBAAAAAB',"
         "'media_type':'application/octet-stream'},"
         "{'type':'document','data':'YWJj','media_type':'application/octet-stream'}"),
    USER("in the alphabet for URLs too", "{'inlineData':{'data':'_9j_4AAQSkZJRgABAQAAAQABAAD_'}}",
         "{'type':'image','data':'_9j_4AAQSkZJRgABAQAAAQABAAD_',"
         "'media_type':'application/octet-stream'}"),
    USER("a file of no bytes", "{'inlineData':{'mimeType':'application/pdf','data':''}}",
         "{'type':'document','url':'data:;base64,','media_type':'application/pdf'}"),
    USER("a document from a bucket",
         "{'file_data':{'mime_type':'application/pdf','file_uri':'gs://b/a.pdf'}}",
         "{'type':'document','url':'gs://b/a.pdf','media_type':'application/pdf'}"),
    USER("an uploaded file",
         "{'fileData':{'mimeType':'image/png','fileUri':'" STORE "v1beta/files/abc'}}",
         "{'type':'image','file_id':'files/abc','provider':'google','media_type':'image/png'}"),
    USER("an uploaded file by another version of the API",
         "{'fileData':{'fileUri':'" STORE "v2/files/abc'}}",
         "{'type':'document','file_id':'" STORE "v2/files/abc','provider':'google'}"),
    USER("an uploaded file by its short name", "{'fileData':{'fileUri':'files/abc'}}",
         "{'type':'document','file_id':'files/abc','provider':'google'}"),
    USER("a file without a source is not a file", "{'inlineData':{'mimeType':'image/png'}}",
         OPAQUE("{'inlineData':{'mimeType':'image/png'}}")),
    USER("what a user says in a way of this API alone is opaque",
         "{'executableCode':{'code':'1+1'}},{'functionCall':{'name':'f'}}",
         OPAQUE("{'executableCode':{'code':'1+1'}}") "," OPAQUE("{'functionCall':{'name':'f'}}")),

    ANSWER("an answer comes from here", "{'text':'hi'}", "{'type':'text','text':'hi'}"),
    { "an answer's model, where the body names one",
      "{'model':'models/m','contents':[{'role':'model','parts':[{'text':'hi'}]}]}",
      "'messages':[{'role':'assistant','origin':{'provider':'google','model':'m'},'content':["
      "{'type':'text','text':'hi'}]}]," EXTRA("'model':'models/m'") },
    ANSWER("a thought", "{'text':'hm','thought':true,'thoughtSignature':'c2ln'}",
           "{'type':'thinking','thinking':'hm','signature':'c2ln'}"),
    ANSWER("a signed text", "{'text':'hi','thoughtSignature':'c2ln'}",
           "{'type':'text','text':'hi'," EXTRA("'thoughtSignature':'c2ln'") "}"),
    ANSWER("a signature without a text", "{'text':'','thought_signature':'c2ln'}",
           "{'type':'text','text':''," EXTRA("'thought_signature':'c2ln'") "}"),
    ANSWER("a signed call",
           "{'functionCall':{'id':'c1','name':'look','args':{'a':1}},'thoughtSignature':'c2ln'}",
           "{'type':'tool_call','id':'c1','name':'look','arguments':{'a':1},'signature':'c2ln'}"),
    ANSWER("a call in snake case",
           "{'function_call':{'id':'c1','name':'look','args':{}},'thought_signature':'c2ln'}",
           "{'type':'tool_call','id':'c1','name':'look','arguments':{},'signature':'c2ln'}"),
    ANSWER("an image that a model made", PART("YWJj"), IMAGE("YWJj")),
    ANSWER("what Google's own tools did", "{'toolCall':{'id':'t'}},{'executableCode':{'code':'1'}}",
           OPAQUE("{'toolCall':{'id':'t'}}") "," OPAQUE("{'executableCode':{'code':'1'}}")),

    RESULT("an output in words", "'response':{'output':'a'}", ",'output':'a'"),
    RESULT("an output that is data", "'response':{'output':{'a':1}}", ",'data':{'a':1}"),
    RESULT("a list that refers to no file is data", "'response':{'output':[{'attachment':0},1]}",
           ",'data':[{'attachment':0},1]"),
    RESULT("an error in words", "'response':{'error':'no'}", ",'success':false,'error':'no'"),
    RESULT("an error that is data", "'response':{'error':{'code':7}}",
           ",'success':false,'data':{'code':7}"),
    RESULT("an error beside an output is a part of the answer",
           "'response':{'error':'no','output':'a'}",
           ",'data':{'error':'no','output':'a'}," EXTRA("'manner':'bare'")),
    RESULT("any other object is the output", "'response':{'return_value':7}",
           ",'data':{'return_value':7}," EXTRA("'manner':'bare'")),
    RESULT("no response", "'response':null", ""),
    RESULT("files in their places",
           "'response':{'output':['a',{'attachment':1},'b',{'c':1},{'attachment':0}]},"
           "'parts':[" PART("YWJj") "," PART("ZGVm") "]",
           ",'output':'a','content_blocks':[" IMAGE(
               "ZGVm") ",{'type':'text','text':'b'},"
                       "{'type':'json','value':{'c':1}}," IMAGE("YWJj") "]"),
    RESULT("files of a call that failed",
           "'response':{'error':['no',{'attachment':0}]},'parts':[" PART("YWJj") "]",
           ",'success':false,'error':'no','content_blocks':[" IMAGE("YWJj") "]"),
    RESULT("files that nothing refers to follow",
           "'response':{'output':'a'},'parts':[{'file_data':{'file_uri':'https://a.example/b',"
           "'mime_type':'application/pdf'}}]",
           ",'output':'a','content_blocks':[{'type':'document','url':'https://a.example/b',"
           "'media_type':'application/pdf'}]," EXTRA("'manner':'apart'")),
    RESULT("members of a response that nobody knows",
           "'response':{'output':'a'},'willContinue':false",
           ",'output':'a'," EXTRA("'functionResponse':{'willContinue':false}")),
    CONTENTS("ids are made up, and responses find their calls by name, then by order",
             "{'role':'model','parts':[{'functionCall':{'name':'f'}},{'functionCall':"
             "{'name':'g'}},{'functionCall':{'name':'f'}}]},{'role':'function','parts':["
             "{'functionResponse':{'name':'g','response':{'output':'2'}}},"
             "{'functionResponse':{'name':'f','response':{'output':'1'}}},"
             "{'functionResponse':{'name':'h','response':{'output':'3'}}}]}",
             ANSWERED "{'type':'tool_call','id':'call_0_0','name':'f'},"
                      "{'type':'tool_call','id':'call_0_1','name':'g'},"
                      "{'type':'tool_call','id':'call_0_2','name':'f'}]},"
                      "{'role':'tool','tool_call_id':'call_0_1','name':'g','output':'2'},"
                      "{'role':'tool','tool_call_id':'call_0_0','name':'f','output':'1'},"
                      "{'role':'tool','tool_call_id':'call_0_2','name':'h','output':'3'}"),
    CONTENTS("contents of the model after each other are one answer",
             "{'role':'model','parts':[{'functionCall':{'name':'f'}}]},"
             "{'role':'model','parts':[{'functionCall':{'name':'f'}}]},"
             "{'parts':[{'functionResponse':{'name':'f','response':{'output':'1'}}},"
             "{'functionResponse':{'name':'f','response':{'output':'2'}}}]}",
             ANSWERED "{'type':'tool_call','id':'call_0_0','name':'f'},"
                      "{'type':'tool_call','id':'call_0_1','name':'f'}]},"
                      "{'role':'tool','tool_call_id':'call_0_0','name':'f','output':'1'},"
                      "{'role':'tool','tool_call_id':'call_0_1','name':'f','output':'2'}"),
    CONTENTS(
        "a file that a tool returned is its result, where it stands among a user's parts",
        "{'role':'model','parts':[{'functionCall':{'name':'f'}}]},"
        "{'role':'user','parts':[{'inlineData':{'mimeType':'image/png','data':'AAAA'}},{'text':"
        "'Tool executed successfully and returned this image as a response'}]}",
        ANSWERED "{'type':'tool_call','id':'call_0_0','name':'f'}]},"
                 "{'role':'tool','tool_call_id':'call_0_0','name':'f','content_blocks':["
                 "{'type':'image','data':'AAAA','media_type':'image/png'}]}"),
    CONTENTS(
        "and a user's where no call is open",
        "{'role':'user','parts':[{'inlineData':{'mimeType':'image/png','data':'AAAA'}},{'text':"
        "'Tool executed successfully and returned this file as a response'}]}",
        "{'role':'user','content':[{'type':'image','data':'AAAA','media_type':'image/png'},"
        "{'type':'text','text':'Tool executed successfully and returned this file as a "
        "response'}]}"),
    CONTENTS("a response that answers nothing has an id too",
             "{'parts':[{'functionResponse':{'name':'f','response':{'output':'1'}}}]}",
             "{'role':'tool','tool_call_id':'call_0_0','name':'f','output':'1'}"),
    CONTENTS("a response without a name has that of its call",
             "{'role':'model','parts':[{'functionCall':{'id':'c1','name':'f','args':{}}}]},"
             "{'parts':[{'functionResponse':{'id':'c1','response':{}}}]}",
             ANSWERED "{'type':'tool_call','id':'c1','name':'f','arguments':{}}]},"
                      "{'role':'tool','tool_call_id':'c1','name':'f','data':{}," EXTRA(
                          "'manner':'bare'") "}"),
    CONTENTS("results stand before what was said",
             "{'role':'user','parts':[{'text':'hi'},{'functionResponse':{'id':'c1','name':'f',"
             "'response':{'output':'a'}}}]}",
             "{'role':'tool','tool_call_id':'c1','name':'f','output':'a'}," SAID
             "{'type':'text','text':'hi'}]}"),

    BODY("a system prompt of several parts, one of them no text",
         "'systemInstruction':{'role':'user','parts':[{'text':'a'},{'inlineData':{'data':'YQ'}},"
         "{'text':'b'}]}",
         "'system':'a\\n\\nb','messages':[]," EXTRA(
             "'systemInstruction':[{'index':1,'value':{'inlineData':{'data':'YQ'}}}]")),
    BODY("a system prompt in snake case", "'system_instruction':{'parts':{'text':'a'}}",
         "'system':'a','messages':[]"),
    BODY("options",
         "'generationConfig':{'maxOutputTokens':64,'temperature':1.0,'topP':9e-1,"
         "'stopSequences':['END'],'topK':5}",
         "'options':{'max_tokens':64,'temperature':1.0,'top_p':9e-1,'stop':['END']," EXTRA(
             "'topK':5") "},'messages':[]"),
    BODY("options in snake case", "'generation_config':{'max_output_tokens':64,'top_p':1}",
         "'options':{'max_tokens':64,'top_p':1},'messages':[]"),
    BODY("thinking by budget",
         "'generationConfig':{'thinkingConfig':{'thinkingBudget':2048,'includeThoughts':true}}",
         "'options':{'thinking':{'budget_tokens':2048}," EXTRA(
             "'thinkingConfig':{'includeThoughts':true}") "},'messages':[]"),
    BODY("thinking as the model likes",
         "'generationConfig':{'thinkingConfig':{'thinkingBudget':-1}}",
         "'options':{" EXTRA("'thinkingConfig':{'thinkingBudget':-1}") "},'messages':[]"),
    BODY("thinking by level", "'generationConfig':{'thinkingConfig':{'thinking_level':'HIGH'}}",
         "'options':{'thinking':{'level':'high'}},'messages':[]"),
    BODY("no thinking", "'generationConfig':{'thinkingConfig':{'thinkingBudget':0}}",
         "'options':{'thinking':{'off':true}},'messages':[]"),
    BODY("a schema of the answer",
         "'generationConfig':{'responseMimeType':'application/json',"
         "'responseJsonSchema':{'type':'object','properties':{}}}",
         "'options':{'schema':{'type':'object','properties':{}}},'messages':[]"),
    BODY("a schema of Google's own kind, in snake case",
         "'generationConfig':{'response_mime_type':'application/json',"
         "'response_schema':{'type':'OBJECT','nullable':true}}",
         "'options':{'schema':{'type':['object','null']}},'messages':[]"),
    BODY("JSON without a schema", "'generationConfig':{'responseMimeType':'application/json'}",
         "'options':{'json':true},'messages':[]"),
    BODY("another type stays", "'generationConfig':{'responseMimeType':'text/x.enum'}",
         "'options':{" EXTRA("'responseMimeType':'text/x.enum'") "},'messages':[]"),
    BODY(
        "tools, and what they return",
        "'tools':[{'functionDeclarations':[{'name':'f','description':'Does.',"
        "'parametersJsonSchema':{'type':'object','properties':{}},'response':{}}]}]",
        "'tools':[{'name':'f','description':'Does.','input_schema':{'type':'object','properties':{}}," EXTRA(
            "'response':{}") "}],'messages':[]"),
    BODY("tools that Google runs stay, with their places",
         "'tools':[{'functionDeclarations':[{'name':'f'}],'googleSearch':{}},"
         "{'codeExecution':{}}]",
         "'tools':[{'name':'f'}],'messages':[]," EXTRA(
             "'tools':[{'index':0,'value':{'googleSearch':{}}},"
             "{'index':1,'value':{'codeExecution':{}}}]")),
    BODY("one tool instead of a list, in snake case",
         "'tools':{'function_declarations':[{'name':'f','parameters_json_schema':"
         "{'type':'object','properties':{}}}]}",
         "'tools':[{'name':'f','input_schema':{'type':'object','properties':{}}}],'messages':[]"),
    SCHEMA("types of Google's are those of JSON schema, on all levels",
           "{'type':'OBJECT','properties':{'type':{'type':'STRING','enum':['STRING']},'n':"
           "{'type':'ARRAY','minItems':'2','items':{'anyOf':[{'type':'INTEGER'}]}}}}",
           "{'type':'object','properties':{'type':{'type':'string','enum':['STRING']},'n':"
           "{'type':'array','minItems':2,'items':{'anyOf':[{'type':'integer'}]}}}}"),
    SCHEMA("its words may have underscores",
           "{'type':'OBJECT','property_ordering':['l'],'properties':{'min_items':{'type':'ARRAY',"
           "'min_items':'1','items':{'any_of':[{'type':'STRING','max_length':'9'}]}}}}",
           "{'type':'object','propertyOrdering':['l'],'properties':{'min_items':{'type':'array',"
           "'minItems':1,'items':{'anyOf':[{'type':'string','maxLength':9}]}}}}"),
    SCHEMA("what may be null says so in its type",
           "{'type':'OBJECT','properties':{'a':{'type':'NUMBER','nullable':true},"
           "'b':{'type':'BOOLEAN','nullable':false}}}",
           "{'type':'object','properties':{'a':{'type':['number','null']},"
           "'b':{'type':'boolean'}}}"),
    SCHEMA("what is JSON schema stays",
           "{'type':'object','properties':{'a':{'type':['string','null'],'default':'NULL'}}}",
           "{'type':'object','properties':{'a':{'type':['string','null'],'default':'NULL'}}}"),
    BODY("tools are the model's choice", "'toolConfig':{'functionCallingConfig':{'mode':'AUTO'}}",
         "'tool_choice':'auto','messages':[]"),
    BODY("no tool may be called", "'tool_config':{'function_calling_config':{'mode':'NONE'}}",
         "'tool_choice':'none','messages':[]"),
    BODY("a tool must be called", "'toolConfig':{'functionCallingConfig':{'mode':'ANY'}}",
         "'tool_choice':'required','messages':[]"),
    BODY("one certain tool must be called",
         F_TOOL ",'toolConfig':{'functionCallingConfig':{'mode':'ANY','allowedFunctionNames':"
                "['f']}}",
         "'tools':[{'name':'f'}],'tool_choice':{'name':'f'},'messages':[]"),
    BODY("one of some tools must be called",
         F_TOOL ",'toolConfig':{'functionCallingConfig':{'mode':'ANY','allowedFunctionNames':"
                "['f','g']}}",
         "'tools':[{'name':'f'}],'tool_choice':'required','options':{'allowed_tools':['f','g']},"
         "'messages':[]," EXTRA(
             "'toolConfig':{'functionCallingConfig':{'mode':'ANY','allowedFunctionNames':"
             "['f','g']}}")),
    BODY("a choice with more to it", "'toolConfig':{'functionCallingConfig':{'mode':'VALIDATED'}}",
         "'tool_choice':'auto','messages':[]," EXTRA(
             "'toolConfig':{'functionCallingConfig':{'mode':'VALIDATED'}}")),
    BODY("fields that nobody knows", "'cachedContent':'c','labels':null",
         "'messages':[]," EXTRA("'cachedContent':'c'")),

    FAILS("a body that is not an object", "[]", "expected an object, found an array"),
    FAILS("a body without contents", "{}", "contents: the field is missing"),
    FAILS("contents that are not a list", "{'contents':'hi'}",
          "contents: expected an array, found a string"),
    FAILS("a content that is not an object", "{'contents':[{'parts':[]},7]}",
          "contents[1]: expected an object, found a number"),
    FAILS("a content of somebody unknown", "{'contents':[{'role':'assistant'}]}",
          "contents[0].role: unknown role 'assistant'"),
    FAILS("a role that is not a string", "{'contents':[{'role':7}]}",
          "contents[0].role: expected a string, found a number"),
};

static void parses(void **state)
{
    check_parse("gemini", *state);
}

#define PNG \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"

/* clang-format off */
static const char everything[] =
    "{'systemInstruction':{'parts':[{'text':'Be brief.'}]},'contents':[{'role':'user','parts':["
    "{'text':'look'}," PART(PNG) "]},{'role':'model','parts':["
    "{'text':'hm','thought':true,'thoughtSignature':'c2ln'},{'text':'I will.'},"
    "{'functionCall':{'id':'c1','name':'look','args':{'a':1}},'thoughtSignature':'c2ln'},"
    "{'functionCall':{'id':'c2','name':'look','args':{}}},"
    "{'functionCall':{'id':'c3','name':'look','args':{}}},{'toolCall':{'id':'t'}}]},"
    "{'role':'user','parts':[{'functionResponse':{'id':'c1','name':'look','response':{'output':["
    "'a',{'b':1},{'attachment':0},'c']},'parts':["
    PART(PNG) "]}}," "{'functionResponse':{'id':'c2','name':'look','response':{'error':'no'}}},"
    "{'functionResponse':{'id':'c3','name':'look','response':{'output':{'d':2}}}}]},"
    "{'role':'user','parts':[{'text':'and?'}]}],"
    "'tools':[{'functionDeclarations':[{'name':'look','description':'Looks.',"
    "'parametersJsonSchema':{'type':'object','properties':{'a':{'type':'integer'}}}}]}],"
    "'toolConfig':{'functionCallingConfig':{'mode':'ANY','allowedFunctionNames':['look']}},"
    "'generationConfig':{'maxOutputTokens':4096,'temperature':1,'stopSequences':['END'],"
    "'thinkingConfig':{'thinkingLevel':'LOW','includeThoughts':true}}}";
/* clang-format on */

static void comes_out_as_it_went_in(void **state)
{
    (void)state;
    check_round_trip("gemini", "google", "gemini-3-pro", everything);
}

static void what_only_this_api_can_say_comes_out_too(void **state)
{
    (void)state;
    check_round_trip("gemini", "google", "gemini-3-pro",
                     "{'contents':[{'role':'model','parts':[{'text':'hm','thought':true},"
                     "{'text':'a','thoughtSignature':'c2ln'},{'text':'b'}]},"
                     "{'role':'user','parts':[{'executableCode':{'code':'1+1'}},{'text':'x'}]}],"
                     "'tools':[{'functionDeclarations':[{'name':'f','parametersJsonSchema':"
                     "{'type':'object','properties':{}}}]},{'googleSearch':{}}],"
                     "'generationConfig':{'maxOutputTokens':9,'topK':4,'thinkingConfig':"
                     "{'includeThoughts':false}},"
                     "'toolConfig':{'functionCallingConfig':{'mode':'VALIDATED'}},"
                     "'safetySettings':[{'category':'c'}],'cachedContent':'cc'}");
    check_round_trip("gemini", "google", "gemini-3-pro",
                     "{'contents':[{'role':'user','parts':[{'text':'x'}]}],"
                     "'tools':[{'googleSearch':{}}]}");
}

static void what_is_said_of_parts_comes_out_too(void **state)
{
    (void)state;
    check_round_trip(
        "gemini", "google", "gemini-3-pro",
        "{'contents':[{'role':'user','parts':[{'text':'x','partMetadata':{'a':1}},"
        "{'inlineData':{'mimeType':'image/png','data':'" PNG "','displayName':'a.png'},"
        "'mediaResolution':{'level':'MEDIA_RESOLUTION_HIGH'}},"
        "{'fileData':{'mimeType':'video/mp4','fileUri':'https://youtu.be/x'},"
        "'videoMetadata':{'fps':0.2}}],'mood':'good'},"
        "{'role':'model','parts':[{'text':'hm','thought':true,'partMetadata':{'b':1}},"
        "{'text':'a','thoughtSignature':'c2ln','partMetadata':{'b':2}},"
        "{'functionCall':{'id':'c1','name':'look','args':{},'willContinue':false},"
        "'thoughtSignature':'c2ln','partMetadata':{'b':3}}]},"
        "{'role':'user','parts':[{'functionResponse':{'id':'c1','name':'look','response':{"
        "'output':[{'attachment':0}]},'parts':[{'inlineData':{'mimeType':'image/png','data':'" PNG
        "','displayName':'b.png'}}],'scheduling':'SILENT'},'partMetadata':{'c':1}}]}],"
        "'tools':[{'functionDeclarations':[{'name':'look','parametersJsonSchema':"
        "{'type':'object','properties':{}},'behavior':'NON_BLOCKING'}]}]}");
}

static void files_of_answers_come_out_too(void **state)
{
    (void)state;
    check_round_trip(
        "gemini", "google", "gemini-3-pro-image",
        "{'contents':[{'role':'user','parts':[{'text':'a cat'}]},{'role':'model','parts':["
        "{'inlineData':{'mimeType':'image/png','data':'" PNG "'},'thought':true},"
        "{'text':'here','thoughtSignature':'c2ln'},"
        "{'inlineData':{'mimeType':'image/png','data':'" PNG "','displayName':'a.png'},"
        "'thoughtSignature':'c2lnMg==','partMetadata':{'a':1}},"
        "{'fileData':{'mimeType':'image/png','fileUri':'https://a.example/b.png'},"
        "'thoughtSignature':'c2lnMw=='}]},"
        "{'role':'user','parts':[{'text':'make it red'}]}]}");
}

static void an_empty_text_with_a_signature_comes_out_too(void **state)
{
    (void)state;
    check_round_trip("gemini", "google", "gemini-3-pro",
                     "{'contents':[{'role':'user','parts':[{'text':'x'}]},{'role':'model','parts':["
                     "{'text':'a'},{'text':'','thoughtSignature':'c2ln'}]},"
                     "{'role':'user','parts':[{'text':'y'}]},{'role':'model','parts':["
                     "{'text':'','thoughtSignature':'c2ln'}]},"
                     "{'role':'user','parts':[{'text':'z'}]}]}");
}

/* As a session has it: of a reply, not of a request. */
static void a_picture_that_was_kept_goes_back(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_conversation c;
    struct rf_model m;
    (void)state;
    assert_int_equal(rf_model_init(&m, RF_STR("google"), RF_STR("gemini-3-pro-image"), a, NULL),
                     RF_OK);
    assert_int_equal(
        rf_content_read(
            quoted(a,
                   "{'refract':1,'messages':[{'role':'user','content':'a cat'},"
                   "{'role':'assistant','content':[{'type':'image','data':'" PNG "','media_type':"
                   "'image/png','extra':{'thought':true}},{'type':'image','data':'" PNG "',"
                   "'media_type':'image/png','extra':{'thoughtSignature':'c2ln'}},{'type':'text',"
                   "'text':'','extra':{'thoughtSignature':'c2lnMg=='}}]},"
                   "{'role':'user','content':'red'}]}"),
            a, &c, NULL),
        RF_OK);
    assert_str(sent_again(&c, &m, a),
               quoted(a,
                      "{'contents':[{'role':'user','parts':[{'text':'a cat'}]},"
                      "{'role':'model','parts':[{'inlineData':{'mimeType':'image/png','data':'" PNG
                      "'},'thought':true},{'inlineData':{'mimeType':'image/png','data':'" PNG
                      "'},'thoughtSignature':'c2ln'},{'text':'','thoughtSignature':'c2lnMg=='}]},"
                      "{'role':'user','parts':[{'text':'red'}]}]}")
                   .p);
    rf_arena_free(a);
}

static void responses_come_out_in_the_manner_that_they_had(void **state)
{
    (void)state;
    check_round_trip(
        "gemini", "google", "gemini-3-pro",
        "{'contents':[{'role':'user','parts':[{'text':'x'}]},{'role':'model','parts':["
        "{'functionCall':{'id':'c1','name':'a','args':{}},'thoughtSignature':'c2ln'},"
        "{'functionCall':{'id':'c2','name':'b','args':{}}},"
        "{'functionCall':{'id':'c3','name':'c','args':{}}}]},{'role':'user','parts':["
        "{'functionResponse':{'id':'c1','name':'a','response':{'result':20}}},"
        "{'functionResponse':{'id':'c2','name':'b','response':{'image':{'$ref':'b.png'},'n':1},"
        "'parts':[{'inlineData':{'mimeType':'image/png','data':'" PNG
        "','displayName':'b.png'}}]}},"
        "{'functionResponse':{'id':'c3','name':'c','response':{'output':'ok'},'parts':[" PART(
            PNG) "]}}]}]}");
}

static void any_shape_is_read_or_refused(void **state)
{
    (void)state;
    check_shapes("gemini", "google", everything);
    check_shapes("gemini", "google",
                 "{'system_instruction':'s','contents':{'role':'user','parts':{'file_data':"
                 "{'file_uri':'files/a'},'video_metadata':{}}},'tools':[{'functionDeclarations':["
                 "{'name':'f','parameters':{'type':'OBJECT','nullable':true,'required':['a'],"
                 "'properties':{'a':{'type':'ARRAY','items':{'type':'STRING'},'minItems':'1',"
                 "'anyOf':[{'type':'NULL'}]}}}}],'googleSearch':{}}]}");
}

static void depth_has_a_limit(void **state)
{
    (void)state;
    check_depth("gemini", "{'contents':[]");
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + 9] = {
        cmocka_unit_test(comes_out_as_it_went_in),
        cmocka_unit_test(what_only_this_api_can_say_comes_out_too),
        cmocka_unit_test(what_is_said_of_parts_comes_out_too),
        cmocka_unit_test(files_of_answers_come_out_too),
        cmocka_unit_test(an_empty_text_with_a_signature_comes_out_too),
        cmocka_unit_test(a_picture_that_was_kept_goes_back),
        cmocka_unit_test(responses_come_out_in_the_manner_that_they_had),
        cmocka_unit_test(any_shape_is_read_or_refused),
        cmocka_unit_test(depth_has_a_limit),
    };
    name_rows(tests + 9, parses, rows, COUNT(rows), sizeof *rows);
    return cmocka_run_group_tests_name("parse gemini", tests, NULL, NULL);
}
