/* Injected files go back into the result they came from, and nothing else is touched. */
#include "testing.h"

#include "content/content.h"
#include "request/fold.h"

#define CALL(id) "{'type':'tool_call','id':'" id "','name':'look','arguments':{}}"
#define ASKED "{'role':'assistant','content':[" CALL("c1") "," CALL("c2") "]},"
#define RESULT(id, fields) "{'role':'tool','tool_call_id':'" id "'" fields "}"
#define SAYS(text) "{'type':'text','text':'" text "'}"
#define PIC "{'type':'image','data':'aGk='}"
#define FOLDED(id, name) "{'type':'image','id':'" id "','data':'aGk='" name "}"
#define NAMED(n) ",'name':'" n "'"
#define INTRO(call, id) SAYS("[look " call "] This is file " id ":")
#define USER(blocks) "{'role':'user','content':[" blocks "]}"
#define OK "{'role':'assistant','content':[" SAYS("OK.") "]}"

static const struct {
    const char *name, *messages, *want; /* want NULL: as it was */
} rows[] = {
    { "a file in the middle of an output",
      ASKED RESULT("c1", ",'output':'a\\nSee file f1.\\nb'") ","
      USER(INTRO("c1", "f1") "," PIC),
      ASKED RESULT("c1", ",'output':'a','content_blocks':[" FOLDED("f1", "") "," SAYS("b") "]") },
    { "a file that is all of an output",
      ASKED RESULT("c1", ",'output':'See file f1.'") "," USER(INTRO("c1", "f1") "," PIC),
      ASKED RESULT("c1", ",'content_blocks':[" FOLDED("f1", "") "]") },
    { "two files of two results, in the order of the message",
      ASKED RESULT("c1", ",'output':'See file f1.'") "," RESULT("c2", ",'output':'See file f2.'") ","
      USER(INTRO("c1", "f1") "," PIC "," INTRO("c2", "f2") "," PIC),
      ASKED RESULT("c1", ",'content_blocks':[" FOLDED("f1", "") "]") ","
      RESULT("c2", ",'content_blocks':[" FOLDED("f2", "") "]") },
    { "two files of one result",
      ASKED RESULT("c1", ",'output':'See file f1.\\nand\\nSee file f2.'") ","
      USER(INTRO("c1", "f1") "," PIC "," INTRO("c1", "f2") "," PIC),
      ASKED RESULT("c1", ",'content_blocks':[" FOLDED("f1", "") "," SAYS("and") ","
                         FOLDED("f2", "") "]") },
    { "a reference in a text block",
      ASKED RESULT("c1", ",'output':'o','content_blocks':[" SAYS("See file f1.") "]") ","
      USER(INTRO("c1", "f1") "," PIC),
      ASKED RESULT("c1", ",'output':'o','content_blocks':[" FOLDED("f1", "") "]") },
    { "a reference in a list of values, which is what Gemini's results are",
      ASKED RESULT("c1", ",'data':['o',{'n':1},'See file f1.','p']") ","
      USER(INTRO("c1", "f1") "," PIC "," SAYS("now?")),
      ASKED RESULT("c1", ",'output':'o','content_blocks':[{'type':'json','value':{'n':1}},"
                         FOLDED("f1", "") "," SAYS("p") "]") "," USER(SAYS("now?")) },
    { "two references in a list without words",
      ASKED RESULT("c1", ",'data':['See file f1.','See file f2.']") ","
      USER(INTRO("c1", "f1") "," PIC "," INTRO("c1", "f2") "," PIC),
      ASKED RESULT("c1", ",'content_blocks':[" FOLDED("f1", "") "," FOLDED("f2", "") "]") },
    { "references of a call that failed",
      ASKED RESULT("c1", ",'success':false,'error':'See file f1.'") ","
      RESULT("c2", ",'success':false,'data':['e','See file f2.']") ","
      USER(INTRO("c1", "f1") "," PIC "," INTRO("c2", "f2") "," PIC),
      ASKED RESULT("c1", ",'success':false,'content_blocks':[" FOLDED("f1", "") "]") ","
      RESULT("c2", ",'success':false,'error':'e','content_blocks':[" FOLDED("f2", "") "]") },
    { "data that refers to no file of ours stays",
      ASKED RESULT("c1", ",'output':'See file f1.','data':['o','See file f2.']") ","
      USER(INTRO("c1", "f1") "," PIC),
      ASKED RESULT("c1", ",'data':['o','See file f2.'],'content_blocks':[" FOLDED("f1", "") "]") },
    { "its name comes back too",
      ASKED RESULT("c1", ",'output':'See file f1.'") ","
      USER(SAYS("[look c1: \\\"a.png\\\"] This is file f1:") "," PIC),
      ASKED RESULT("c1", ",'content_blocks':[" FOLDED("f1", NAMED("a.png")) "]") },
    { "and takes the place of one that the wire wanted",
      ASKED RESULT("c1", ",'output':'See file f1.'") ","
      USER(INTRO("c1", "f1") ",{'type':'document','data':'aGk=','name':'document 1'}"),
      ASKED RESULT("c1", ",'content_blocks':[{'type':'document','id':'f1','data':'aGk='}]") },
    { "a separating turn goes with it",
      ASKED RESULT("c1", ",'output':'See file f1.'") "," OK "," USER(INTRO("c1", "f1") "," PIC),
      ASKED RESULT("c1", ",'content_blocks':[" FOLDED("f1", "") "]") },
    { "what a person says after the files stays",
      ASKED RESULT("c1", ",'output':'See file f1.'") ","
      USER(INTRO("c1", "f1") "," PIC "," SAYS("now?")),
      ASKED RESULT("c1", ",'content_blocks':[" FOLDED("f1", "") "]") "," USER(SAYS("now?")) },
    { "what stands between two files stays",
      ASKED RESULT("c1", ",'output':'See file f1.\\nSee file f2.'") ","
      USER(INTRO("c1", "f1") "," PIC "," SAYS("hm") "," INTRO("c1", "f2") "," PIC),
      ASKED RESULT("c1", ",'content_blocks':[" FOLDED("f1", "") "," FOLDED("f2", "") "]") ","
      USER(SAYS("hm")) },
    { "pages, and a line about those that were not sent, go with their file",
      ASKED RESULT("c1", ",'output':'See file f1.\\nSee file f2.'") ","
      USER(INTRO("c1", "f1") "," SAYS("[Page 1]") "," PIC "," SAYS("[Page 2]") "," PIC ","
           SAYS("[Pages 3-4 were not sent.]") "," INTRO("c1", "f2") "," PIC "," SAYS("now?")),
      ASKED RESULT("c1", ",'content_blocks':[" SAYS("[Page 1]") "," PIC "," SAYS("[Page 2]") ","
                         PIC "," SAYS("[Pages 3-4 were not sent.]") "," FOLDED("f2", "") "]") ","
      USER(SAYS("now?")) },
    { "a file that no result refers to stays",
      ASKED RESULT("c1", ",'output':'o'") "," USER(INTRO("c1", "f1") "," PIC), NULL },
    { "a file of a call that is not there stays",
      ASKED RESULT("c1", ",'output':'See file f1.'") "," USER(INTRO("c9", "f1") "," PIC), NULL },
    { "an introduction without a file stays",
      ASKED RESULT("c1", ",'output':'See file f1.'") "," USER(INTRO("c1", "f1") "," SAYS("x")),
      NULL },
    { "a reference within a line is none",
      ASKED RESULT("c1", ",'output':'x See file f1. y'") "," USER(INTRO("c1", "f1") "," PIC), NULL },
    { "an assistant who says OK. keeps it",
      ASKED RESULT("c1", ",'output':'o'") "," OK "," USER(SAYS("go on")), NULL },
    { "a person's words that only begin like ours stay",
      ASKED RESULT("c1", ",'output':'o'") "," USER(SAYS("[look c1] This is file") "," PIC), NULL },
};

static struct rf_str written(struct rf_conversation *c, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json w;
    struct rf_str out;
    rf_rope_init(&rope, a);
    rf_json_init(&w, &rope);
    rf_content_write(c, &w);
    assert_int_equal(rf_json_finish(&w, NULL), RF_OK);
    assert_int_equal(rf_rope_flatten(&rope, SIZE_MAX, a, &out, NULL), RF_OK);
    return out;
}

static struct rf_conversation *read_messages(struct rf_arena *a, const char *messages)
{
    struct rf_conversation *c = RF_NEW(a, struct rf_conversation);
    struct rf_str text = rf_strf(a, "{'refract':1,'messages':[%s]}", messages);
    struct rf_err err;
    if (rf_content_read(quoted(a, text.p), a, c, &err))
        fail_msg("%s", err.msg);
    return c;
}

static void files_go_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_conversation *c = read_messages(a, rows[i].messages);
        struct rf_conversation *want =
            read_messages(a, rows[i].want ? rows[i].want : rows[i].messages);
        rf_fold_injected(c, a);
        struct rf_str got = written(c, a), wanted = written(want, a);
        if (!rf_str_eq(got, wanted))
            fail_msg("%s:\n%s\ninstead of\n%s", rows[i].name, rf_cstr(a, got), rf_cstr(a, wanted));
        rf_arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(files_go_back) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
