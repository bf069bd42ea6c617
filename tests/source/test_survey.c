/* The survey: a conversation as its parts, in the order they would be sent. Conversations are JSON
 * with ' for ", in which $PNG$ and the like stand for base64; a message is shown as its role and
 * its parts. */
#include "source/survey.h"

#include "files.h"

static const char *const roles[] = { "user", "assistant", "tool" };

static struct rf_str show_part(struct rf_arena *a, const struct rf_part *p)
{
    struct rf_str place =
        p->found_in ? rf_strf(a, " in %s", p->found_in) : rf_strf(a, " %ld", p->block_index);
    switch (p->kind) {
    case RF_PART_TEXT:
        return rf_strf(a, "%s(%.*s)", p->is_error ? "error" : "text", RF_FMT(p->text));
    case RF_PART_JSON:
        return rf_strf(a, "json(%.*s)", RF_FMT(p->text));
    case RF_PART_MEDIA:
        return rf_strf(a, "%.*s(%llu%.*s)", RF_FMT(p->asset->mime),
                       (unsigned long long)p->asset->bytes.size, RF_FMT(place));
    case RF_PART_THINKING:
        return rf_strf(a, "thinking(%.*s)", RF_FMT(p->block->thinking.text));
    case RF_PART_CALL:
        return rf_strf(a, "call(%.*s)", RF_FMT(p->block->call.id));
    case RF_PART_OPAQUE:
        return rf_strf(a, "opaque(%.*s%s%.*s)", RF_FMT(p->block->dialect), p->text.n ? ": " : "",
                       RF_FMT(p->text));
    }
    return RF_STR("?");
}

#define USER(content) "{'role':'user','content':" content "}"
#define ASSISTANT(content) "{'role':'assistant','content':" content "}"
#define TOOL(fields) "{'role':'tool','tool_call_id':'c1'," fields "}"
#define TEXT(text) "{'type':'text','text':'" text "'}"
#define IMAGE "{'type':'image','data':'$PNG$'}"
#define URL "data:image/png;base64,$PNG$"
#define OUT "[image/png, 73 bytes: taken out of this JSON, see below]"
#define PNG "image/png(73"
#define NOT_AT_HAND \
    "[read_attachment is not at hand here: ask a person for the part that is needed.]"

static const struct row {
    const char *name, *messages, *want;
} rows[] = {
    { "no messages", "", "" },
    { "a string is a text", USER("'hello'"), "user: text(hello)" },
    { "blank texts are not parts", USER("[" TEXT(" \\n") "," TEXT("a") "," TEXT("") "]"),
      "user: text(a)" },
    { "a message of nothing", USER("''"), "user:" },
    { "a text that was cut, without the tool to read on",
      USER("[{'type':'text','text':'a','full_text':'sha256:0'}]") "," TOOL(
          "'output':'b','full_output':'sha256:0'"),
      "user: text(a) text(" NOT_AT_HAND ")\ntool: text(b) text(" NOT_AT_HAND ")" },
    { "blocks in order, numbered", USER("[" IMAGE "," TEXT("a") "," IMAGE "]"),
      "user: " PNG " 0) text(a) " PNG " 2)" },
    { "a JSON block", USER("[{'type':'json','value':{ 'a' : 1.50 }}]"),
      "user: json({\"a\":1.50})" },
    { "thoughts and calls",
      ASSISTANT("[{'type':'thinking','thinking':'hm'}," TEXT("a") ",{'type':'tool_call','id':'c1','"
                                                                  "name':'n'}]"),
      "assistant: thinking(hm) text(a) call(c1)" },
    { "what only one API can say", ASSISTANT("[{'type':'opaque','dialect':'d','value':{}}]"),
      "assistant: opaque(d)" },
    { "what says the same elsewhere",
      ASSISTANT("[{'type':'opaque','dialect':'d','value':{},'text_fallback':'a search'}]"),
      "assistant: opaque(d: a search)" },
    { "what a user says to one API only is JSON elsewhere",
      USER("[{'type':'opaque','dialect':'d','value':{ 'a' : [1.50] }}," TEXT("b") "]"),
      "user: opaque(d: {\"a\":[1.50]}) text(b)" },
    { "or what stands for it",
      USER("[{'type':'opaque','dialect':'d','value':{},'text_fallback':'an upload'}]"),
      "user: opaque(d: an upload)" },
    { "but not where that says nothing",
      USER("[{'type':'opaque','dialect':'d','value':{},'text_fallback':' '}]"),
      "user: opaque(d: {})" },
    { "a picture that hides in what stands for it is left out",
      USER("[{'type':'opaque','dialect':'d','value':{},'text_fallback':'See " URL ".'}]"),
      "user: opaque(d: See (base64 left out).)" },
    { "what a tool says to one API only is JSON elsewhere",
      TOOL("'output':'o','content_blocks':[{'type':'opaque','dialect':'d','value':7}]"),
      "tool: text(o) opaque(d: 7)" },
    { "a picture in it is a part beside the JSON",
      USER("[{'type':'opaque','dialect':'d','value':{'image':'" URL "'}}," TEXT("b") "]"),
      "user: opaque(d: {\"image\":\"" OUT "\"}) " PNG " in opaque) text(b)" },
    { "and so is one in what a tool says",
      TOOL("'content_blocks':[{'type':'opaque','dialect':'d','value':['$PNG$','$PNG$']}]"),
      "tool: opaque(d: [\"" OUT "\",\"" OUT "\"]) " PNG " in opaque) " PNG " in opaque)" },
    { "but not where all of it goes to its own API",
      USER("[{'type':'opaque','dialect':'home','value':{'image':'$PNG$'}}]"),
      "user: opaque(home: {\"image\":\"(base64 left out)\"})" },
    { "a picture in what only a model's own API can say is left out",
      ASSISTANT("[{'type':'opaque','dialect':'d','value':{'image':'$PNG$'}}]"),
      "assistant: opaque(d)" },
    { "a result is output, data, then blocks",
      TOOL("'data':{'k':[]},'content_blocks':[" IMAGE "],'output':'o'"),
      "tool: text(o) json({\"k\":[]}) " PNG " 0)" },
    { "a failed result says its error after the output",
      TOOL("'success':false,'error':'e','output':'o','data':1"), "tool: text(o) error(e) json(1)" },
    { "an error of a result that succeeded is not said", TOOL("'error':'e','output':'o'"),
      "tool: text(o)" },
    { "files that were changed are not said", TOOL("'output':'o','files_changed':['a']"),
      "tool: text(o)" },
    { "what is for the person is named and not said",
      TOOL("'content_blocks':[{'type':'text','text':'secret','audience':'user'}," TEXT(
          "a") ",{'type':'image','data':'AAAA','audience':'user'}]"),
      "tool: text(a) text([For the person alone, and not sent to you: 2 parts of this result.])" },
    { "of a person's own message nothing is kept back",
      USER("[{'type':'text','text':'mine','audience':'user'}]"), "user: text(mine)" },
    { "a result of nothing", TOOL("'output':''"), "tool:" },
    { "a picture hides in an output", TOOL("'output':'See " URL " there'"),
      "tool: text(See ) " PNG " in output) text( there)" },
    { "an output is a picture", TOOL("'output':'$PNG$'"), "tool: " PNG " in output)" },
    { "two pictures hide in an output", TOOL("'output':'a " URL " b " URL "'"),
      "tool: text(a ) " PNG " in output) text( b ) " PNG " in output)" },
    { "a picture hides in an error", TOOL("'success':false,'error':'See " URL " there'"),
      "tool: error(See ) " PNG " in error) error( there)" },
    { "a picture hides in an output that is JSON",
      TOOL("'output':'{ \\'image\\': \\'$PNG$\\', \\'n\\': 1.50 }'"),
      "tool: text({\"image\":\"" OUT "\",\"n\":1.50}) " PNG " in output)" },
    { "JSON in which nothing hides keeps its form",
      TOOL("'output':'{ \\'image\\': \\'something that is long enough to be looked at, and that is "
           "all\\' }'"),
      "tool: text({ \"image\": \"something that is long enough to be looked at, and that is all\" "
      "})" },
    { "a picture hides in data", TOOL("'output':'o','data':{'image':'$PNG$'}"),
      "tool: text(o) json({\"image\":\"" OUT "\"}) " PNG " in data)" },
    { "a picture hides within a string of data", TOOL("'data':['x " URL " y']"),
      "tool: json([\"x " OUT " y\"]) " PNG " in data)" },
    { "a picture hides in a JSON block",
      TOOL("'content_blocks':[{'type':'json','value':['$PNG$']}]"),
      "tool: json([\"" OUT "\"]) " PNG " in json)" },
    { "a picture hides in a text block", TOOL("'content_blocks':[" TEXT("See " URL) "]"),
      "tool: text(See ) " PNG " in text)" },
    { "a picture hides in what a person wrote", USER("'Look: " URL "'"),
      "user: text(Look: ) " PNG " in text)" },
    { "a picture hides in an answer", ASSISTANT("'See " URL ".'"),
      "assistant: text(See (base64 left out).)" },
    { "a picture hides in a text file", USER("[{'type':'document','data':'$MARKDOWN$'}]"),
      "user: text/plain(50 0) " PNG " in document)" },
    { "several messages", USER("'a'") "," ASSISTANT("'b'") "," TOOL("'output':'c'"),
      "user: text(a)\nassistant: text(b)\ntool: text(c)" },
};

static const struct rf_survey *survey_in(struct rf_arena *a, const char *messages,
                                         const char *dialect, const struct rf_asset_place *place)
{
    struct rf_conversation *c = RF_NEW(a, struct rf_conversation);
    struct rf_survey *s = RF_NEW(a, struct rf_survey);
    struct rf_err err;
    struct rf_str list = filled_in(a, quoted(a, messages).p);
    struct rf_str doc = rf_strf(a, "{\"refract\":1%s,\"messages\":[%.*s]}", dialect, RF_FMT(list));
    if (rf_content_read(doc, a, c, &err))
        fail_msg("%s", err.msg);
    rf_survey_init(s, c, RF_STR("home"), place, a);
    return s;
}

static const struct rf_survey *survey_of(struct rf_arena *a, const char *messages)
{
    return survey_in(a, messages, "", &(struct rf_asset_place){ .root = "" });
}

static void has_parts(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_survey *s = survey_of(a, row->messages);
    struct rf_str got = RF_STR("");
    size_t assets = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct rf_surveyed *m = &s->messages[i];
        assert_int_equal(m->index, i);
        got = rf_strf(a, "%.*s%s%s:", RF_FMT(got), i ? "\n" : "", roles[m->message->role]);
        for (size_t j = 0; j < m->count; j++) {
            got = rf_strf(a, "%.*s %.*s", RF_FMT(got), RF_FMT(show_part(a, &m->parts[j])));
            assets += m->parts[j].kind == RF_PART_MEDIA;
        }
    }
    assert_str(got, row->want);
    assert_int_equal(assets, s->asset_count);
    rf_arena_free(a);
}

/* Whose the files are */

#define NAMED "{'type':'image','source_path':'shot.png'}"
#define MADE "{'type':'image','source_path':'kept/made.png'}"

static const struct owning {
    const char *name, *messages, *dialect;
    bool own;
} owning[] = {
    { "a person names a file", USER("[" NAMED "]"), "", true },
    { "a tool names a file", TOOL("'content_blocks':[" NAMED "]"), "", false },
    { "a model names a file", ASSISTANT("[" NAMED "]"), "", false },
    { "a person's message carries a file", USER("[" IMAGE "]"), "", false },
    { "a file hides in what a person wrote", USER("'Look: " URL "'"), "", false },
    { "a worker made the file", USER("[" MADE "]"), "", false },
    { "another API's request", USER("[" NAMED "]"), ",\"dialect\":\"anthropic\"", false },
};

static void has_owner(void **state)
{
    const struct owning *row = *state;
    struct rf_arena *a = rf_arena_new();
    const char *folder = scratch_new(a), *kept = in_folder(a, folder, "kept");
    make_folder(kept);
    write_file(in_folder(a, folder, "shot.png"), filled_in(a, "$PNG$"));
    write_file(in_folder(a, kept, "made.png"), filled_in(a, "$PNG$"));
    struct rf_asset_place place = { .base = folder, .root = folder, .kept = kept };
    const struct rf_survey *s = survey_in(a, row->messages, row->dialect, &place);
    size_t files = 0;
    for (size_t i = 0; i < s->messages[0].count; i++)
        if (s->messages[0].parts[i].kind == RF_PART_MEDIA) {
            assert_int_equal(s->messages[0].parts[i].asset->bytes.own, row->own);
            files++;
        }
    assert_int_equal(files, 1);
    scratch_remove(folder);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)], owners[COUNT(owning)];
    name_rows(tests, has_parts, rows, COUNT(rows), sizeof *rows);
    name_rows(owners, has_owner, owning, COUNT(owning), sizeof *owning);
    return cmocka_run_group_tests_name("parts", tests, NULL, NULL) +
           cmocka_run_group_tests_name("owners", owners, NULL, NULL);
}
