/* The neutral format, both ways. Documents in the tables are JSON with ' for ". What is valid must
 * come back as the same JSON value, and be byte-identical the second time; what is not must fail
 * with this code, at this place, in these words. */
#include "base/arena.h"
#include "base/limits.h"
#include "content/content.h"
#include "content/reply.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define LENGTH(table) (sizeof(table) / sizeof *(table))

#define DOC(messages) "{'refract':1,'messages':[" messages "]}"
#define WITH(fields) "{'refract':1," fields ",'messages':[]}"
#define USER(blocks) DOC("{'role':'user','content':[" blocks "]}")
#define MODEL(blocks) DOC("{'role':'assistant','content':[" blocks "]}")
#define TOOL(fields) DOC("{'role':'tool','tool_call_id':'c1'" fields "}")
#define IMAGE(fields) USER("{'type':'image'" fields "}")
#define FILE_AT "'source_path':'a'"
#define BLOCK "messages[0].content[0]"

#define VERSION_HINT "This program reads version 1: a conversation says \"refract\": 1 at the top."
#define TYPES_HINT \
    "The types are text, json, image, document, audio, video, thinking, tool_call and opaque."
#define ROLES_HINT "The roles are user, assistant and tool; \"system\" is a field of the document."
#define ONE_SOURCE_HINT                                                                               \
    "A media block has exactly one of source_path, blob, url, file_id (with provider) or data; only " \
    "a blob may stand beside a file_id."
#define NO_SOURCE_HINT "Give it one of source_path, blob, url, file_id (with provider) or data."
#define PLACE_HINT \
    "User and tool messages hold text, json, image, document, audio, video and opaque."
#define SPEAKER_HINT "Use user, system or developer, or leave it out."
#define RANGE_HINT "Pages count from 0: [0, 3] is the first three."
#define CHOICE_HINT "Use \"auto\", \"none\", \"required\" or {\"name\": \"…\"}."

/* Quotes for apostrophes, in memory that the caller frees. */
static char *json(const char *text)
{
    char *out = strdup(text);
    assert_non_null(out);
    for (char *p = out; *p; p++) {
        if (*p == '\'')
            *p = '"';
    }
    return out;
}

static struct rf_conversation *read_ok(struct rf_str text)
{
    struct rf_conversation *c = NULL;
    struct rf_err err;
    if (rf_conversation_read(text, &c, &err))
        fail_msg("%.*s: %s", RF_FMT(text), err.msg);
    return c;
}

static struct rf_str write_ok(struct rf_conversation *c)
{
    struct rf_str out;
    struct rf_err err;
    if (rf_conversation_write(c, &out, &err))
        fail_msg("%s", err.msg);
    return out;
}

/* The same JSON value: numbers as spelled, strings as text, members in any order. */
static bool same(const struct rf_jval *x, const struct rf_jval *y, struct rf_arena *a);

static bool same_members(const struct rf_jval *x, const struct rf_jval *y, struct rf_arena *a)
{
    for (const struct rf_jval *k = rf_jval_first(x); k; k = rf_jval_next(x, k + 1)) {
        const struct rf_jval *other = rf_jval_get(y, rf_cstr(a, rf_jval_text(k, a)));
        if (!other || !same(k + 1, other, a))
            return false;
    }
    return true;
}

static bool same_elements(const struct rf_jval *x, const struct rf_jval *y, struct rf_arena *a)
{
    const struct rf_jval *v = rf_jval_first(x), *u = rf_jval_first(y);
    for (; v; v = rf_jval_next(x, v), u = rf_jval_next(y, u)) {
        if (!same(v, u, a))
            return false;
    }
    return true;
}

static bool same(const struct rf_jval *x, const struct rf_jval *y, struct rf_arena *a)
{
    if (x->type != y->type || x->count != y->count)
        return false;
    if (x->type == RF_JOBJECT)
        return same_members(x, y, a);
    if (x->type == RF_JARRAY)
        return same_elements(x, y, a);
    if (x->type == RF_JSTRING)
        return rf_str_eq(rf_jval_text(x, a), rf_jval_text(y, a));
    return rf_str_eq(x->raw, y->raw);
}

static bool same_text(struct rf_str x, struct rf_str y)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *vx, *vy;
    bool result =
        !rf_jval_parse(x, a, &vx, NULL) && !rf_jval_parse(y, a, &vy, NULL) && same(vx, vy, a);
    rf_arena_free(a);
    return result;
}

/* Read, write, read, write: the same value as `want`, then the same bytes. */
static void round_trip(const char *name, struct rf_str text, struct rf_str want)
{
    struct rf_conversation *first = read_ok(text);
    struct rf_str once = write_ok(first);
    struct rf_conversation *second = read_ok(once);
    struct rf_str twice = write_ok(second);
    if (!same_text(once, want))
        fail_msg("%s: got %.*s", name, RF_FMT(once));
    if (!rf_str_eq(once, twice))
        fail_msg("%s: then %.*s", name, RF_FMT(twice));
    rf_conversation_free(first);
    rf_conversation_free(second);
}

static const struct {
    const char *name, *doc;
    const char *want; /* NULL: the document itself */
} good[] = {
    { "a document without messages", DOC(""), NULL },
    { "unknown fields of the document stay", WITH("'x':[1.50,{'y':null}],'':'empty name'"), NULL },
    { "the version's spelling stays", "{'refract':1.0,'messages':[]}", NULL },
    { "the API it came from", WITH("'dialect':'bedrock'"), NULL },
    { "a system text", WITH("'system':'Be brief.'"), NULL },
    { "an empty system text stays", WITH("'system':''"), NULL },
    { "nulls stay", WITH("'system':null,'tools':null,'tool_choice':null,'options':null"), NULL },
    { "empty lists and objects stay", WITH("'tools':[],'options':{}"), NULL },
    { "tools, with what they hold besides",
      WITH("'tools':[{'name':'f','description':'','input_schema':{'type':'object'},'x':{'y':[]}},"
           "{'name':'g','input_schema':null}]"),
      NULL },
    { "tool_choice auto", WITH("'tool_choice':'auto'"), NULL },
    { "tool_choice none", WITH("'tool_choice':'none'"), NULL },
    { "tool_choice required", WITH("'tool_choice':'required'"), NULL },
    { "tool_choice with a name, and what it holds besides",
      WITH("'tools':[{'name':'f'},{'name':'g'}],'tool_choice':{'x':1,'name':'g'}"), NULL },
    { "options, spelled as they were",
      WITH("'options':{'max_tokens':4000.0,'temperature':0.10,'top_p':1.0,'stop':['a','b'],"
           "'thinking':{'budget_tokens':2048.0,'x':true},'stream':false,'seed':7}"),
      NULL },
    { "options that are null stay",
      WITH("'options':{'max_tokens':null,'temperature':null,'top_p':null,'stop':null,"
           "'thinking':null,'stream':null}"),
      NULL },
    { "stop as one string", WITH("'options':{'stop':'\\n\\n'}"), NULL },
    { "thinking without a budget", WITH("'options':{'thinking':{}}"), NULL },
    { "thinking by level", WITH("'options':{'thinking':{'level':'low'}}"), NULL },
    { "no thinking", WITH("'options':{'thinking':{'off':true,'x':1}}"), NULL },
    { "a schema of the answer", WITH("'options':{'schema':{'type':'object'}}"), NULL },
    { "content as a string is one text block", DOC("{'role':'user','content':'hi'}"),
      USER("{'type':'text','text':'hi'}") },
    { "an empty content string too", DOC("{'role':'assistant','content':''}"),
      MODEL("{'type':'text','text':''}") },
    { "a message without blocks", USER(""), NULL },
    { "unknown fields of a message stay",
      DOC("{'role':'user','x':1,'content':[],'y':{'z':2}},{'x':3,'role':'assistant','content':[]}"),
      NULL },
    { "the origin, and what it holds besides",
      DOC("{'role':'assistant','origin':{'provider':'p','x':1,'model':'m'},'content':[]}"), NULL },
    { "an origin that says nothing",
      DOC("{'role':'assistant','origin':{},'content':[]},"
          "{'role':'assistant','origin':null,'content':[]}"),
      NULL },
    { "text with escapes, citations and unknown fields",
      USER("{'type':'text','text':'a\\n\\u00e4\\u0000\\ud83d\\ude00\\/','citations':[{'url':'u',"
           "'start':0}],'text_fallback':'','cache':{'ttl':'5m'}}"),
      NULL },
    { "a field name with escapes is still the field", USER("{'\\u0074ype':'text','text':'a'}"),
      USER("{'type':'text','text':'a'}") },
    { "every json value",
      USER("{'type':'json','value':null},{'type':'json','value':[1e9,{}]},"
           "{'type':'json','value':'s'},{'type':'json','value':false}"),
      NULL },
    { "an image with every field",
      IMAGE(",'id':'i','source_path':'a.png','media_type':'image/png','width':640,'height':480,"
            "'size_bytes':24312,'name':'a','detail':'low','text_fallback':'a dog','x':1"),
      NULL },
    { "every detail",
      USER("{'type':'image','url':'u','detail':'low'},{'type':'image','url':'u','detail':'high'},"
           "{'type':'image','url':'u','detail':'auto'},"
           "{'type':'image','url':'u','detail':'original'}"),
      NULL },
    { "numbers keep their spelling",
      IMAGE(",'url':'u','width':1000.00,'height':2.0,'size_bytes':0"), NULL },
    { "every source",
      USER("{'type':'image','source_path':'a'},{'type':'image','blob':'sha256:00'},"
           "{'type':'image','url':'https://a/b'},{'type':'image','data':'aGk='},"
           "{'type':'image','file_id':'f','provider':'p'},"
           "{'type':'image','blob':'sha256:00','file_id':'f','provider':'p'}"),
      NULL },
    { "a source that is empty or null is none, and stays",
      IMAGE(",'source_path':'a','url':'','data':null,'provider':''"), NULL },
    { "a provider beside another source stays", IMAGE(",'url':'u','provider':'p'"), NULL },
    { "a document with every field",
      USER("{'type':'document','blob':'sha256:00','media_type':'application/pdf','page_count':9,"
           "'page_range':[0,3.0],'extracted_text':'t','size_bytes':5,'name':'n','id':'d'}"),
      NULL },
    { "a page range that is null", USER("{'type':'document','url':'u','page_range':null}"), NULL },
    { "audio with every field",
      USER("{'type':'audio','url':'u','media_type':'audio/wav','duration_ms':1500,'size_bytes':5,"
           "'name':'n','transcript':'t','text_fallback':'f'}"),
      NULL },
    { "video with every field",
      USER("{'type':'video','url':'gs://b/o','media_type':'video/mp4','duration_ms':1500,"
           "'width':1,'height':2,'size_bytes':5,'name':'n','id':'v','text_fallback':'f'}"),
      NULL },
    { "a field of another kind of block is an unknown one", IMAGE(",'url':'u','transcript':[1]"),
      NULL },
    { "thinking in an assistant message",
      MODEL("{'type':'thinking','thinking':'t','signature':'s','redacted':'r','id':'i',"
            "'encrypted':'e','x':[]},{'type':'thinking'}"),
      NULL },
    { "tool calls in an assistant message",
      MODEL("{'type':'tool_call','id':'c','name':'f','arguments':{'a':1.0},'signature':'s','x':1},"
            "{'type':'tool_call','id':'','name':'g'},"
            "{'type':'tool_call','id':'d','name':'g','arguments':null}"),
      NULL },
    { "what only one API can say, in an assistant message",
      MODEL("{'type':'opaque','dialect':'d','value':{'a':[1.0]},'x':1}"), NULL },
    { "what only one API can say, in a user message",
      USER("{'type':'opaque','dialect':'d','value':[1.0],'text_fallback':'t','x':1}"), NULL },
    { "what only one API can say, in a tool message",
      TOOL(",'content_blocks':[{'type':'opaque','dialect':'d','value':null}]"), NULL },
    { "a user message in the system's name", DOC("{'role':'user','speaker':'system','content':[]}"),
      NULL },
    { "a user message in a developer's name",
      DOC("{'role':'user','content':[],'x':1,'speaker':'developer'}"), NULL },
    { "that a user speaks as the user goes without saying",
      DOC("{'role':'user','speaker':'user','content':[]}"), DOC("{'role':'user','content':[]}") },
    { "a speaker that is null stays", DOC("{'role':'user','speaker':null,'content':[]}"), NULL },
    { "the speaker of an answer is an unknown field",
      DOC("{'role':'assistant','speaker':7,'content':[]}"), NULL },
    { "media in an assistant message",
      MODEL("{'type':'image','data':'aGk='},"
            "{'type':'json','value':1}"),
      NULL },
    { "a tool result with every field",
      TOOL(",'name':'f','success':true,'output':'o','error':'e','data':{'a':[1]},"
           "'files_changed':['x','y'],'x':1,'content_blocks':[{'type':'text','text':'t'},"
           "{'type':'json','value':1},{'type':'audio','url':'u'}]"),
      NULL },
    { "a tool result with nothing", TOOL(""), NULL },
    { "a tool result of nulls",
      TOOL(",'name':null,'success':null,'output':null,'error':null,'data':null,"
           "'files_changed':null,'content_blocks':null"),
      NULL },
    { "a tool result of empty things",
      TOOL(",'name':'','success':false,'output':'','error':'','files_changed':[],"
           "'content_blocks':[]"),
      NULL },
    { "content in a tool message is its output", TOOL(",'content':'o'"), TOOL(",'output':'o'") },
    { "a list there is its content_blocks", TOOL(",'content':[{'type':'text','text':'t'}]"),
      TOOL(",'content_blocks':[{'type':'text','text':'t'}]") },
    { "an empty list too", TOOL(",'content':[]"), TOOL(",'content_blocks':[]") },
    { "content beside the other one of the two", TOOL(",'content':'o','content_blocks':[]"),
      TOOL(",'output':'o','content_blocks':[]") },
    { "content stands in for what is null",
      TOOL(",'output':null,'content':[],'content_blocks':null"),
      TOOL(",'output':null,'content_blocks':[]") },
    { "fields of another role are unknown ones",
      DOC("{'role':'user','content':[],'output':1,'origin':2},"
          "{'role':'tool','tool_call_id':'c','origin':3}"),
      NULL },
};

static void test_round_trip(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(good); i++) {
        char *doc = json(good[i].doc), *want = json(good[i].want ? good[i].want : good[i].doc);
        round_trip(good[i].name, rf_str(doc), rf_str(want));
        free(doc);
        free(want);
    }
}

static const struct {
    const char *name, *doc, *msg, *hint;
} bad[] = {
    { "not an object", "[]", "expected an object, found an array", VERSION_HINT },
    { "no version", "{'messages':[]}", "refract: the field is missing", VERSION_HINT },
    { "a version to come", "{'refract':2,'messages':7}", "refract: unknown version 2",
      VERSION_HINT },
    { "a version that is not a number", "{'refract':'1','messages':[]}",
      "refract: expected a number, found a string", VERSION_HINT },
    { "two versions", "{'refract':1,'refract':1,'messages':[]}",
      "refract: the field stands there twice", "" },
    { "no messages", "{'refract':1}", "messages: the field is missing", "" },
    { "malformed JSON", "{'refract':1,\n'messages':[}",
      "line 2, column 13, at messages[0]: expected a value", "" },
    { "system of a wrong type", WITH("'system':[]"), "system: expected a string, found an array",
      "" },
    { "tools of a wrong type", WITH("'tools':{}"), "tools: expected an array, found an object",
      "" },
    { "a tool of a wrong type", WITH("'tools':[{'name':'f'},'g']"),
      "tools[1]: expected an object, found a string", "" },
    { "a tool without a name", WITH("'tools':[{}]"), "tools[0].name: the field is missing", "" },
    { "a schema of a wrong type", WITH("'tools':[{'name':'f','input_schema':'{}'}]"),
      "tools[0].input_schema: expected an object, found a string", "" },
    { "an unknown choice", WITH("'tool_choice':'any'"), "tool_choice: unknown choice \"any\"",
      CHOICE_HINT },
    { "a choice of a wrong type", WITH("'tool_choice':true"),
      "tool_choice: expected a string or an object, found a boolean", CHOICE_HINT },
    { "a choice without a name", WITH("'tool_choice':{}"), "tool_choice.name: the field is missing",
      "" },
    { "a choice of a tool that is not there",
      WITH("'tools':[{'name':'f'}],'tool_choice':{'name':'g'}"),
      "tool_choice.name: there is no tool \"g\"", "Name one of the conversation's \"tools\"." },
    { "options of a wrong type", WITH("'options':[]"),
      "options: expected an object, found an array", "" },
    { "max_tokens of nothing", WITH("'options':{'max_tokens':0}"),
      "options.max_tokens: expected a number above 0", "" },
    { "max_tokens below nothing", WITH("'options':{'max_tokens':-1}"),
      "options.max_tokens: expected a whole number that is not negative, found -1", "" },
    { "max_tokens in parts", WITH("'options':{'max_tokens':1.5}"),
      "options.max_tokens: expected a whole number that is not negative, found 1.5", "" },
    { "temperature of a wrong type", WITH("'options':{'temperature':'0.1'}"),
      "options.temperature: expected a number, found a string", "" },
    { "top_p of a wrong type", WITH("'options':{'top_p':true}"),
      "options.top_p: expected a number, found a boolean", "" },
    { "stop of a wrong type", WITH("'options':{'stop':1}"),
      "options.stop: expected a string or an array, found a number", "" },
    { "a stop of a wrong type", WITH("'options':{'stop':['a',1]}"),
      "options.stop[1]: expected a string, found a number", "" },
    { "stream of a wrong type", WITH("'options':{'stream':'yes'}"),
      "options.stream: expected true or false, found a string", "" },
    { "thinking of a wrong type", WITH("'options':{'thinking':true}"),
      "options.thinking: expected an object, found a boolean", "" },
    { "a budget of a wrong type", WITH("'options':{'thinking':{'budget_tokens':'1'}}"),
      "options.thinking.budget_tokens: expected a whole number that is not negative, "
      "found a string",
      "" },
    { "a level that is none", WITH("'options':{'thinking':{'level':'max'}}"),
      "options.thinking.level: expected low, medium or high", "" },
    { "thinking that is off and has a level",
      WITH("'options':{'thinking':{'off':true,'level':'low'}}"),
      "options.thinking: it is off, and has a level or a budget", "" },
    { "a schema of a wrong type", WITH("'options':{'schema':true}"),
      "options.schema: expected an object, found a boolean", "" },
    { "an option twice", WITH("'options':{'stream':true,'stream':true}"),
      "options.stream: the field stands there twice", "" },
    { "a message of a wrong type", DOC("'hi'"), "messages[0]: expected an object, found a string",
      "" },
    { "a message without a role", DOC("{'content':'hi'}"), "messages[0].role: the field is missing",
      "" },
    { "an unknown role", DOC("{'role':'user','content':''},{'role':'system','content':''}"),
      "messages[1].role: unknown role \"system\"", ROLES_HINT },
    { "a message without content", DOC("{'role':'user'}"),
      "messages[0].content: the field is missing", "" },
    { "content of a wrong type", DOC("{'role':'assistant','content':{}}"),
      "messages[0].content: expected a string or an array, found an object", "" },
    { "content that is null", DOC("{'role':'user','content':null}"),
      "messages[0].content: expected a string or an array, found null", "" },
    { "content twice", DOC("{'role':'user','content':'a','content':'b'}"),
      "messages[0].content: the field stands there twice", "" },
    { "an origin of a wrong type", DOC("{'role':'assistant','origin':'p','content':''}"),
      "messages[0].origin: expected an object, found a string", "" },
    { "a model of a wrong type", DOC("{'role':'assistant','origin':{'model':1},'content':''}"),
      "messages[0].origin.model: expected a string, found a number", "" },
    { "a block of a wrong type", USER("'hi'"), BLOCK ": expected an object, found a string", "" },
    { "a block without a type", USER("{'text':'a'}"), BLOCK ".type: the field is missing", "" },
    { "a type of a wrong type", USER("{'type':1}"),
      BLOCK ".type: expected a string, found a number", "" },
    { "a type twice", USER("{'type':'text','type':'text','text':''}"),
      BLOCK ".type: the field stands there twice", "" },
    { "an unknown type, far inside",
      DOC("{'role':'user','content':''},{'role':'user','content':''},{'role':'user','content':''},"
          "{'role':'tool','tool_call_id':'c','content_blocks':[{'type':'text','text':''},"
          "{'type':'imagee'}]}"),
      "messages[3].content_blocks[1].type: unknown block type \"imagee\"", TYPES_HINT },
#define DIGITS "012345678901234567890123456789012345"
    { "a name is shown cut, not within a character, and clean",
      USER("{'type':'\\u001b[31mä" DIGITS DIGITS "ä'}"),
      BLOCK ".type: unknown block type \"?[31mä" DIGITS DIGITS "\"", TYPES_HINT },
    { "text that is missing", USER("{'type':'text'}"), BLOCK ".text: the field is missing", "" },
    { "text of a wrong type", USER("{'type':'text','text':['a']}"),
      BLOCK ".text: expected a string, found an array", "" },
    { "text twice", USER("{'type':'text','text':'a','t\\u0065xt':'b'}"),
      BLOCK ".text: the field stands there twice", "" },
    { "citations of a wrong type", USER("{'type':'text','text':'','citations':{}}"),
      BLOCK ".citations: expected an array, found an object", "" },
    { "a citation of a wrong type", USER("{'type':'text','text':'','citations':[{},1]}"),
      BLOCK ".citations[1]: expected an object, found a number", "" },
    { "json without a value", USER("{'type':'json'}"), BLOCK ".value: the field is missing", "" },
    { "no source", IMAGE(",'name':'a.png'"), BLOCK ": has no source", NO_SOURCE_HINT },
    { "an empty source is none", USER("{'type':'video','url':''}"), BLOCK ": has no source",
      NO_SOURCE_HINT },
    { "two sources", IMAGE(",'url':'u'," FILE_AT),
      BLOCK ": has two sources, \"source_path\" and \"url\"", ONE_SOURCE_HINT },
    { "two other sources", USER("{'type':'audio','data':'aGk=','file_id':'f','provider':'p'}"),
      BLOCK ": has two sources, \"file_id\" and \"data\"", ONE_SOURCE_HINT },
    { "a blob beside something else than a file id", IMAGE(",'blob':'sha256:00'," FILE_AT),
      BLOCK ": has two sources, \"source_path\" and \"blob\"", ONE_SOURCE_HINT },
    { "three sources", IMAGE(",'blob':'sha256:00','file_id':'f','provider':'p'," FILE_AT),
      BLOCK ": has two sources, \"source_path\" and \"file_id\"", ONE_SOURCE_HINT },
    { "a file id of nobody", USER("{'type':'document','file_id':'f'}"),
      BLOCK ": has a \"file_id\" and no \"provider\"",
      "Name the provider that the file was uploaded to." },
    { "a source of a wrong type", IMAGE(",'data':[1]"),
      BLOCK ".data: expected a string, found an array", "" },
    { "a source twice", IMAGE(",'url':'u','url':'v'"), BLOCK ".url: the field stands there twice",
      "" },
    { "a negative width", IMAGE(",'url':'u','width':-1"),
      BLOCK ".width: expected a whole number that is not negative, found -1", "" },
    { "a size of a wrong type", USER("{'type':'video','url':'u','size_bytes':'5'}"),
      BLOCK ".size_bytes: expected a whole number that is not negative, found a string", "" },
    { "an unknown detail", IMAGE(",'url':'u','detail':'medium'"),
      BLOCK ".detail: unknown detail \"medium\"", "Use low, high, auto or original." },
#define RANGE(range) USER("{'type':'document'," FILE_AT ",'page_range':" range "}")
#define RANGE_MSG BLOCK ".page_range: expected [first, past-last] with 0 <= first < past-last"
    { "an empty page range", RANGE("[2,2]"), RANGE_MSG, RANGE_HINT },
    { "a page range backwards", RANGE("[3,2]"), RANGE_MSG, RANGE_HINT },
    { "a page range before the first page", RANGE("[-1,2]"), RANGE_MSG, RANGE_HINT },
    { "a page range of one number", RANGE("[1]"), RANGE_MSG, RANGE_HINT },
    { "a page range of three numbers", RANGE("[1,2,3]"), RANGE_MSG, RANGE_HINT },
    { "a page range of half pages", RANGE("[0.5,2]"), RANGE_MSG, RANGE_HINT },
    { "a page range of strings", RANGE("['1','2']"), RANGE_MSG, RANGE_HINT },
    { "a page range of a wrong type", RANGE("'1-2'"),
      BLOCK ".page_range: expected an array, found a string", "" },
    { "thinking from a user", USER("{'type':'thinking','thinking':'t'}"),
      BLOCK ".type: \"thinking\" is for assistant messages only", PLACE_HINT },
    { "a tool call from a user", USER("{'type':'tool_call','id':'c','name':'f'}"),
      BLOCK ".type: \"tool_call\" is for assistant messages only", PLACE_HINT },
    { "thinking in a tool message", TOOL(",'content_blocks':[{'type':'thinking'}]"),
      "messages[0].content_blocks[0].type: \"thinking\" is for assistant messages only",
      PLACE_HINT },
    { "a tool call in a tool message, by the other name", TOOL(",'content':[{'type':'tool_call'}]"),
      "messages[0].content[0].type: \"tool_call\" is for assistant messages only", PLACE_HINT },
    { "a speaker that nobody knows", DOC("{'role':'user','speaker':'judge','content':[]}"),
      "messages[0].speaker: unknown speaker \"judge\"", SPEAKER_HINT },
    { "a speaker that is an assistant", DOC("{'role':'user','speaker':'assistant','content':[]}"),
      "messages[0].speaker: unknown speaker \"assistant\"", SPEAKER_HINT },
    { "a speaker that is not a string", DOC("{'role':'user','speaker':1,'content':[]}"),
      "messages[0].speaker: expected a string, found a number", "" },
    { "an opaque block that is nobody's", MODEL("{'type':'opaque','value':1}"),
      BLOCK ".dialect: the field is missing", "" },
    { "a call without an id", MODEL("{'type':'tool_call','name':'f'}"),
      BLOCK ".id: the field is missing", "" },
    { "a call without a name", MODEL("{'type':'tool_call','id':'c'}"),
      BLOCK ".name: the field is missing", "" },
    { "arguments as text", MODEL("{'type':'tool_call','id':'c','name':'f','arguments':'{}'}"),
      BLOCK ".arguments: expected an object, found a string",
      "\"arguments\" is a JSON value, never a string that holds JSON." },
    { "arguments as a list", MODEL("{'type':'tool_call','id':'c','name':'f','arguments':[]}"),
      BLOCK ".arguments: expected an object, found an array", "" },
    { "a result for no call", DOC("{'role':'tool','output':'o'}"),
      "messages[0].tool_call_id: the field is missing", "" },
    { "success of a wrong type", TOOL(",'success':'false'"),
      "messages[0].success: expected true or false, found a string", "" },
    { "success twice", TOOL(",'success':true,'success':false"),
      "messages[0].success: the field stands there twice", "" },
    { "output of a wrong type", TOOL(",'output':{}"),
      "messages[0].output: expected a string, found an object", "" },
    { "error of a wrong type", TOOL(",'error':true"),
      "messages[0].error: expected a string, found a boolean", "" },
    { "files_changed of a wrong type", TOOL(",'files_changed':'a'"),
      "messages[0].files_changed: expected an array, found a string", "" },
    { "a changed file of a wrong type", TOOL(",'files_changed':['a',null]"),
      "messages[0].files_changed[1]: expected a string, found null", "" },
    { "content_blocks of a wrong type", TOOL(",'content_blocks':'o'"),
      "messages[0].content_blocks: expected an array, found a string", "" },
    { "content of a wrong type in a tool message", TOOL(",'content':{}"),
      "messages[0].content: expected a string or an array, found an object", "" },
    { "content beside output", TOOL(",'content':'a','output':''"),
      "messages[0].content: \"output\" is there already",
      "In a tool message \"content\" is another name for \"output\": keep one." },
    { "content beside content_blocks", TOOL(",'content':[],'content_blocks':[]"),
      "messages[0].content: \"content_blocks\" is there already",
      "In a tool message \"content\" is another name for \"content_blocks\": keep one." },
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        struct rf_conversation *c = NULL;
        struct rf_err err = { .hint = "untouched" };
        char *doc = json(bad[i].doc);
        enum rf_code rc = rf_conversation_read(rf_str(doc), &c, &err);
        if (rc != RF_EFORMAT || err.code != rc || strcmp(err.msg, bad[i].msg) != 0 ||
            strcmp(err.hint, bad[i].hint) != 0 || c)
            fail_msg("%s: got %d %s / %s", bad[i].name, (int)rc, err.msg, err.hint);
        free(doc);
    }
}

static struct rf_conversation *read_row(const char *text)
{
    char *doc = json(text);
    struct rf_conversation *c = read_ok(rf_str(doc));
    free(doc);
    return c;
}

#define assert_str(s, want) assert_true(rf_str_is((s), (want)))

static void test_document_in_structs(void **state)
{
    (void)state;
    struct rf_conversation *c = read_row(
        "{'refract':1,'system':'s','tools':[{'name':'f','description':'d','input_schema':{}}],"
        "'tool_choice':{'name':'f'},'options':{'max_tokens':4000.0,'temperature':0.10,'top_p':1,"
        "'stop':'x\\n','thinking':{'budget_tokens':7},'stream':true},'messages':["
        "{'role':'user','content':'a\\tb'},"
        "{'role':'assistant','origin':{'provider':'p','model':'m'},'content':[]},"
        "{'role':'tool','tool_call_id':'c','data':null},"
        "{'role':'tool','tool_call_id':'d','name':'f','success':false,'output':'o','error':'e',"
        "'data':[1],'files_changed':['x'],'content_blocks':[{'type':'json','value':null}]}]}");
    assert_str(c->system, "s");
    assert_int_equal(c->tool_count, 1);
    assert_str(c->tools[0].name, "f");
    assert_str(c->tools[0].description, "d");
    assert_non_null(c->tools[0].input_schema);
    assert_int_equal(c->tool_choice, RF_CHOICE_TOOL);
    assert_str(c->tool_choice_name, "f");
    assert_int_equal(c->options.max_tokens, 4000);
    assert_str(c->options.temperature->raw, "0.10");
    assert_str(c->options.top_p->raw, "1");
    assert_int_equal(c->options.stop->type, RF_JARRAY);
    assert_true(rf_jval_is(rf_jval_at(c->options.stop, 0), "x\n"));
    assert_int_equal(c->options.thinking_budget, 7);
    assert_true(c->options.stream);
    assert_int_equal(c->message_count, 4);
    const struct rf_message *m = c->messages;
    assert_int_equal(m[0].role, RF_ROLE_USER);
    assert_int_equal(m[0].block_count, 1);
    assert_int_equal(m[0].blocks[0].type, RF_BLOCK_TEXT);
    assert_str(m[0].blocks[0].text, "a\tb");
    assert_int_equal(m[1].role, RF_ROLE_ASSISTANT);
    assert_str(m[1].origin_provider, "p");
    assert_str(m[1].origin_model, "m");
    assert_false(m[2].failed);
    assert_null(m[2].data);
    assert_int_equal(m[3].role, RF_ROLE_TOOL);
    assert_str(m[3].tool_call_id, "d");
    assert_str(m[3].name, "f");
    assert_true(m[3].failed);
    assert_str(m[3].output, "o");
    assert_str(m[3].error, "e");
    assert_int_equal(m[3].data->type, RF_JARRAY);
    assert_int_equal(m[3].files_changed->count, 1);
    assert_int_equal(m[3].blocks[0].value->type, RF_JNULL);
    rf_conversation_free(c);
}

static void test_blocks_in_structs(void **state)
{
    (void)state;
    struct rf_conversation *c = read_row(MODEL(
        "{'type':'image','source_path':'a','id':'i','media_type':'image/png','width':1,'height':2,"
        "'size_bytes':3,'name':'n','detail':'high','text_fallback':'t'},"
        "{'type':'document','file_id':'f','provider':'p','page_count':9,'page_range':[2,5],"
        "'extracted_text':'x'},"
        "{'type':'audio','data':'aGk=','duration_ms':4,'transcript':'t'},"
        "{'type':'video','url':'u','duration_ms':4,'width':5,'height':6},"
        "{'type':'thinking','thinking':'t','signature':'s','redacted':'r','id':'i',"
        "'encrypted':'e'},"
        "{'type':'tool_call','id':'c','name':'f','arguments':{'a':1},'signature':'s'},"
        "{'type':'tool_call','id':'d','name':'f'}"));
    const struct rf_block *b = c->messages[0].blocks;
    const struct rf_media *m = &b[0].media;
    assert_int_equal(m->source.kind, RF_SOURCE_PATH);
    assert_str(m->source.ref, "a");
    assert_str(m->id, "i");
    assert_str(m->media_type, "image/png");
    assert_true(m->width == 1 && m->height == 2 && m->size_bytes == 3);
    assert_str(m->name, "n");
    assert_str(m->detail, "high");
    assert_str(b[0].text_fallback, "t");
    m = &b[1].media;
    assert_int_equal(m->source.kind, RF_SOURCE_FILE_ID);
    assert_str(m->source.ref, "f");
    assert_str(m->source.provider, "p");
    assert_true(m->pages.first == 3 && m->pages.last == 5);
    assert_int_equal(m->page_count, 9);
    assert_str(m->extracted_text, "x");
    assert_int_equal(b[2].media.source.kind, RF_SOURCE_DATA);
    assert_int_equal(b[2].media.duration_ms, 4);
    assert_str(b[2].media.transcript, "t");
    assert_int_equal(b[3].media.source.kind, RF_SOURCE_URL);
    assert_true(b[3].media.duration_ms == 4 && b[3].media.width == 5 && b[3].media.height == 6);
    assert_str(b[4].thinking.text, "t");
    assert_str(b[4].thinking.signature, "s");
    assert_str(b[4].thinking.redacted, "r");
    assert_str(b[4].thinking.id, "i");
    assert_str(b[4].thinking.encrypted, "e");
    assert_str(b[5].call.id, "c");
    assert_str(b[5].call.name, "f");
    assert_str(b[5].call.signature, "s");
    assert_non_null(rf_jval_get(b[5].call.arguments, "a"));
    assert_null(b[6].call.arguments);
    rf_conversation_free(c);
}

static void assert_written(struct rf_conversation *c, const char *want)
{
    char *text = json(want);
    struct rf_str got = write_ok(c);
    if (!rf_str_is(got, text))
        fail_msg("wanted %s\ngot    %.*s", text, RF_FMT(got));
    round_trip("what a program made", got, got);
    free(text);
}

static void test_changes_win_over_what_was_read(void **state)
{
    (void)state;
    struct rf_conversation *c = read_row(
        "{'refract':1,'tools':[{'name':'f'}],'tool_choice':'auto','options':{"
        "'max_tokens':10.0,'stop':'a','stream':true,"
        "'thinking':{'budget_tokens':7,'x':1}},'messages':["
        "{'role':'user','content':[{'type':'image','data':'aGk=','width':10.0,'name':'n','x':1},"
        "{'type':'document','url':'u','page_range':[0,1]},"
        "{'type':'document','url':'u','page_range':null}]},"
        "{'role':'tool','tool_call_id':'c','success':false,'data':1,'output':'o','content':null},"
        "{'role':'assistant','origin':null,'content':[]}]}");
    struct rf_block *b = c->messages[0].blocks;
    b[0].media.source = (struct rf_source){ .kind = RF_SOURCE_BLOB, .ref = RF_STR("sha256:00") };
    b[0].media.width = 11;
    b[0].media.name = (struct rf_str){ 0 };
    b[1].media.pages.last = 2;
    b[2].media.pages = (struct rf_pages){ 1, 3 };
    c->messages[1].failed = false;
    c->messages[1].data = NULL;
    c->messages[1].output = RF_STR("O");
    c->messages[2].origin_model = RF_STR("m");
    c->tool_choice = RF_CHOICE_TOOL;
    c->tool_choice_name = c->tools[0].name;
    c->options.max_tokens = 0;
    c->options.stop = NULL;
    c->options.stream = false;
    c->options.thinking_budget = 8;
    assert_written(
        c, "{'refract':1,'tools':[{'name':'f'}],'tool_choice':{'name':'f'},"
           "'options':{'stream':false,'thinking':{'budget_tokens':8,'x':1}},"
           "'messages':[{'role':'user','content':[{'type':'image','blob':'sha256:00','width':11,"
           "'x':1},{'type':'document','url':'u','page_range':[0,2]},"
           "{'type':'document','url':'u','page_range':[0,3]}]},"
           "{'role':'tool','tool_call_id':'c','output':'O','content':null},"
           "{'role':'assistant','origin':{'model':'m'},'content':[]}]}");
    rf_conversation_free(c);
}

static void test_what_a_program_made_in_canonical_order(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_block said[] = {
        { .type = RF_BLOCK_THINKING, .thinking = { .text = RF_STR("t") } },
        { .type = RF_BLOCK_TOOL_CALL, .call = { .name = RF_STR("f") } },
    };
    struct rf_block shown = {
        .type = RF_BLOCK_DOCUMENT,
        .text_fallback = RF_STR("a page"),
        .media = { .source = { .kind = RF_SOURCE_FILE_ID,
                               .ref = RF_STR("f"),
                               .provider = RF_STR("p") },
                   .id = RF_STR("i"),
                   .size_bytes = 5,
                   .pages = { 1, 1 } },
    };
    struct rf_message messages[] = {
        { .role = RF_ROLE_ASSISTANT, .blocks = said, .block_count = 2 },
        { .role = RF_ROLE_TOOL,
          .failed = true,
          .error = RF_STR("e"),
          .blocks = &shown,
          .block_count = 1 },
        { .role = RF_ROLE_USER },
    };
    struct rf_tool tool = { .name = RF_STR("f") };
    struct rf_conversation c = {
        .arena = a,
        .system = RF_STR("s"),
        .tools = &tool,
        .tool_count = 1,
        .tool_choice = RF_CHOICE_TOOL,
        .tool_choice_name = RF_STR("f"),
        .options = { .max_tokens = 9, .thinking_budget = 8 },
        .messages = messages,
        .message_count = LENGTH(messages),
    };
    assert_written(&c,
                   "{'refract':1,'system':'s','tools':[{'name':'f'}],'tool_choice':{'name':'f'},"
                   "'options':{'max_tokens':9,'thinking':{'budget_tokens':8}},'messages':["
                   "{'role':'assistant','content':[{'type':'thinking','thinking':'t'},"
                   "{'type':'tool_call','id':'','name':'f'}]},"
                   "{'role':'tool','tool_call_id':'','success':false,'error':'e','content_blocks':["
                   "{'type':'document','id':'i','file_id':'f','provider':'p','size_bytes':5,"
                   "'text_fallback':'a page','page_range':[0,1]}]},"
                   "{'role':'user','content':[]}]}");
    rf_arena_free(a);
}

/* `count` copies of `part` between `head` and `tail`, with commas. */
static struct rf_str repeat(struct rf_arena *a, const char *head, const char *part, size_t count,
                            const char *tail)
{
    size_t head_n = strlen(head), part_n = strlen(part), tail_n = strlen(tail);
    char *text = rf_arena_alloc(a, head_n + count * (part_n + 1) + tail_n + 1), *p = text;
    memcpy(p, head, head_n);
    p += head_n;
    for (size_t i = 0; i < count; i++) {
        memcpy(p, part, part_n);
        p[part_n] = ',';
        p += part_n + 1;
    }
    if (count > 0)
        p--;
    memcpy(p, tail, tail_n + 1);
    return (struct rf_str){ text, (size_t)(p - text) + tail_n };
}

static const char block_part[] =
    "{\"type\":\"image\",\"source_path\":\"a\",\"width\":1,\"text_fallback\":\"t\",\"x\":1}";
static const char message_part[] =
    "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}],\"x\":1}";

static struct rf_str many_blocks(struct rf_arena *a, size_t count)
{
    return repeat(a, "{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":[", block_part,
                  count, "]}]}");
}

static struct rf_str many_messages(struct rf_arena *a, size_t count)
{
    return repeat(a, "{\"refract\":1,\"messages\":[", message_part, count, "]}");
}

static void test_ten_thousand(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str blocks = many_blocks(a, 10000), messages = many_messages(a, 10000);
    round_trip("10,000 blocks", blocks, blocks);
    round_trip("10,000 messages", messages, messages);
    struct rf_conversation *c = read_ok(blocks);
    assert_int_equal(c->messages[0].block_count, 10000);
    rf_conversation_free(c);
    rf_arena_free(a);
}

/* The best of three, since others use the processor too. */
static double seconds(struct rf_str text)
{
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        clock_t start = clock();
        struct rf_conversation *c = read_ok(text);
        write_ok(c);
        rf_conversation_free(c);
        double took = (double)(clock() - start) / CLOCKS_PER_SEC;
        best = took < best ? took : best;
    }
    return best;
}

static void test_time_is_linear(void **state)
{
    (void)state;
    static struct rf_str (*const make[])(struct rf_arena *, size_t) = { many_blocks,
                                                                        many_messages };
    for (size_t i = 0; i < LENGTH(make); i++) {
        struct rf_arena *a = rf_arena_new();
        double few = seconds(make[i](a, 4000)), many = seconds(make[i](a, 32000));
        /* 8 times the input: 8 times as long, and 64 times where it is quadratic. */
        if (many > 28 * few)
            fail_msg("8 times the input took %.1f times as long", many / few);
        rf_arena_free(a);
    }
}

static void assert_limit(struct rf_str text, const char *msg)
{
    struct rf_conversation *c = NULL;
    struct rf_err err;
    assert_int_equal(rf_conversation_read(text, &c, &err), RF_ELIMIT);
    if (!strstr(err.msg, msg))
        fail_msg("%s", err.msg);
}

static void test_limits(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    char *deep = rf_arena_alloc(a, 10001);
    memset(deep, '[', 10000);
    assert_limit(rf_strf(a, "{\"refract\":1,\"messages\":[],\"x\":%s", deep), "nested too deep");
    assert_limit(rf_strf(a, "{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":%s", deep),
                 "nested too deep");
    assert_limit(repeat(a, "{\"refract\":1,\"messages\":[", "1", RF_MAX_LIST + 1, "]}"),
                 "messages: the list has 1048577 elements, limit is 1048576");
    assert_limit(
        repeat(a, "{\"refract\":1,\"messages\":[],\"tools\":[", "1", RF_MAX_LIST + 1, "]}"),
        "tools: the list has 1048577 elements, limit is 1048576");
    assert_limit(repeat(a, "{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":[", "1",
                        RF_MAX_LIST + 1, "]}]}"),
                 "messages[0].content: the list has 1048577 elements, limit is 1048576");
    assert_limit((struct rf_str){ "", RF_MAX_DOCUMENT_BYTES + 1 },
                 "the conversation has 1073741825 bytes, limit is 1073741824");
    rf_arena_free(a);
}

static void test_files(void **state)
{
    (void)state;
    char path[] = "/tmp/refract-content-XXXXXX", *doc = json(USER("{'type':'text','text':'a'}"));
    int fd = mkstemp(path), stdin_kept = dup(STDIN_FILENO);
    struct rf_conversation *c = NULL;
    struct rf_err err;
    assert_true(fd >= 0 && stdin_kept >= 0);
    assert_int_equal(write(fd, doc, strlen(doc)), strlen(doc));

    assert_int_equal(rf_conversation_open(path, &c, &err), RF_OK);
    assert_true(rf_str_is(write_ok(c), doc));
    rf_conversation_free(c);

    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(rf_conversation_open("-", &c, &err), RF_OK);
    assert_true(rf_str_is(write_ok(c), doc));
    rf_conversation_free(c);
    assert_int_equal(dup2(stdin_kept, STDIN_FILENO), STDIN_FILENO);

    unlink(path);
    assert_int_equal(rf_conversation_open(path, &c, &err), RF_ENOTFOUND);
    assert_int_equal(rf_conversation_open("/", &c, &err), RF_EIO);
    rf_conversation_free(NULL);
    close(fd);
    close(stdin_kept);
    free(doc);
}

/* Round-trip every ```json example of a manual page that is a conversation; how many there were. */
static int examples(const char *path)
{
    FILE *f = fopen(path, "r");
    static char text[1 << 17];
    int count = 0;
    if (!f)
        return -1;
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    for (char *p = text; (p = strstr(p, "```json\n"));) {
        char *end = strstr(p + 8, "```");
        struct rf_str example = { p + 8, end ? (size_t)(end - p) - 8 : 0 };
        if (rf_str_contains(example, RF_STR("\"refract\""))) {
            round_trip(path, example, example);
            count++;
        }
        p = end ? end + 3 : p + 8;
    }
    return count;
}

static void test_examples_in_the_manual(void **state)
{
    (void)state;
    const char *source = getenv("REFRACT_SOURCE"), *shared = getenv("REFRACT_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/CONVERSATION.md", source ? source : ".");
    assert_true(examples(path) > 0);
    if (!shared) {
        print_message("skipped: REFRACT_SHARED is not set\n");
        return;
    }
    snprintf(path, sizeof path, "%s/spec/CONVERSATION.md", shared);
    assert_true(examples(path) > 0);
}

/* A server that opens blocks without end is told to stop. */
static void test_a_reply_has_so_many_blocks(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_reply r;
    (void)state;
    rf_reply_init(&r, a);
    for (size_t i = 0; i < RF_MAX_REPLY_BLOCKS; i++)
        assert_non_null(rf_reply_block(&r, (int64_t)i, RF_BLOCK_TEXT));
    assert_int_equal(r.failed, RF_OK);
    assert_non_null(rf_reply_block(&r, (int64_t)RF_MAX_REPLY_BLOCKS, RF_BLOCK_TEXT));
    assert_int_equal(r.failed, RF_ELIMIT);
    assert_int_equal(r.count, RF_MAX_REPLY_BLOCKS);
    rf_arena_free(a);
}

/* Nor is it of use to write a little less than the limit into each. */
static void test_the_limit_is_for_all_blocks(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_reply r;
    (void)state;
    rf_reply_init(&r, a);
    r.bytes = RF_MAX_REPLY_BYTES - 3;
    rf_draft_text(&r, rf_reply_block(&r, 0, RF_BLOCK_TEXT), RF_STR("abc"));
    assert_int_equal(r.failed, RF_OK);
    rf_draft_text(&r, rf_reply_block(&r, 1, RF_BLOCK_TEXT), RF_STR("d"));
    assert_int_equal(r.failed, RF_ELIMIT);
    rf_arena_free(a);
}

static void test_options_are_set_one_by_one(void **state)
{
    struct rf_conversation *c = rf_conversation_new();
    struct rf_err err;
    (void)state;
    assert_int_equal(rf_conversation_option(c, "temperature", RF_LIT("0.50"), &err), RF_OK);
    assert_int_equal(rf_conversation_option(c, "stop", RF_LIT("\"END\""), &err), RF_OK);
    assert_int_equal(rf_conversation_option(c, "thinking", RF_LIT("{\"off\":true}"), &err), RF_OK);
    assert_int_equal(rf_conversation_option(c, "schema", RF_LIT("{\"type\":[]}"), &err), RF_OK);
    assert_written(c, WITH("'options':{'temperature':0.50,'stop':['END'],'schema':{'type':[]},"
                           "'thinking':{'off':true}}"));
    assert_int_equal(rf_conversation_option(c, "thinking", RF_LIT("{\"level\":\"low\"}"), &err),
                     RF_OK);
    assert_int_equal(rf_conversation_option(c, "stop", RF_LIT(""), &err), RF_OK);
    assert_int_equal(rf_conversation_option(c, "schema", RF_LIT(""), &err), RF_OK);
    assert_int_equal(rf_conversation_option(c, "temperature", RF_LIT("3"), &err), RF_EUSAGE);
    assert_int_equal(rf_conversation_option(c, "seed", RF_LIT("3"), &err), RF_EUSAGE);
    assert_int_equal(rf_conversation_option(NULL, "seed", RF_LIT("3"), &err), RF_EUSAGE);
    assert_written(c, WITH("'options':{'temperature':0.50,'thinking':{'level':'low'}}"));
    rf_conversation_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_document_in_structs),
        cmocka_unit_test(test_blocks_in_structs),
        cmocka_unit_test(test_changes_win_over_what_was_read),
        cmocka_unit_test(test_what_a_program_made_in_canonical_order),
        cmocka_unit_test(test_options_are_set_one_by_one),
        cmocka_unit_test(test_ten_thousand),
        cmocka_unit_test(test_time_is_linear),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_a_reply_has_so_many_blocks),
        cmocka_unit_test(test_the_limit_is_for_all_blocks),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_examples_in_the_manual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
