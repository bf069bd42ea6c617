/* What is said in a conversation, for people: each row's document, and a line for each saying. Documents
 * are JSON with ' for ". */
#include "content/content.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define DOC(messages) "{'refract':1,'messages':[" messages "]}"

static const struct {
    const char *name, *document;
    const char *want; /* message, role, type, tool, name, source, text */
} cases[] = {
    { "no messages, nothing said", DOC(""), "" },
    { "a user's text", DOC("{'role':'user','content':'Hello'}"), "0 user text|||||Hello\n" },
    { "instructions in the middle",
      DOC("{'role':'user','speaker':'developer','content':'Be brief'}"),
      "0 developer text|||||Be brief\n" },
    { "a message without content is there all the same",
      DOC("{'role':'user','content':[]},{'role':'user','content':'x'}"),
      "0 user -|||||\n1 user text|||||x\n" },
    { "a thought and a call",
      DOC("{'role':'assistant','origin':{'provider':'p','model':'m'},'content':["
          "{'type':'thinking','thinking':'Hm'},{'type':'tool_call','id':'c','name':'look',"
          "'arguments':{'a':1}},{'type':'tool_call','id':'d','name':'stop'}]}"),
      "0 assistant thinking|p:m||||Hm\n0 assistant tool_call|p:m|look|||{\"a\":1}\n"
      "0 assistant tool_call|p:m|stop|||{}\n" },
    { "a result in the order in which it is read",
      DOC("{'role':'tool','tool_call_id':'c','name':'look','success':false,'output':'o','error':'e',"
          "'data':[1],'content_blocks':[{'type':'image','source_path':'a/b.png','name':'b.png'},"
          "{'type':'text','text':'t'}]}"),
      "0 tool text||look|||o\n0 tool error||look|||e\n0 tool json||look|||[1]\n"
      "0 tool image||look|b.png|a/b.png|\n0 tool text||look|||t\n" },
    { "a file that is at a provider, and in the store",
      DOC("{'role':'user','content':[{'type':'image','file_id':'f','provider':'p',"
          "'blob':'sha256:"
          "0123456789012345678901234567890123456789012345678901234567890123'}]}"),
      "0 user image||||sha256:0123456789012345678901234567890123456789012345678901234567890123|\n" },
    { "bytes in the document are not shown",
      DOC("{'role':'user','content':[{'type':'image','data':'aGFsbG8=','text_fallback':'f'}]}"),
      "0 user image|||||f\n" },
    { "something for one API only",
      DOC("{'role':'assistant','content':[{'type':'opaque','dialect':'gemini','value':{}}]}"),
      "0 assistant opaque|||||gemini\n" },
};

static bool write_line(void *ctx, const struct rf_saying *s)
{
    fprintf(ctx, "%zu %s %s|%.*s%s%.*s|%.*s|%.*s|%.*s|%.*s\n", s->message, s->role,
            s->type ? s->type : "-", RF_FMT(s->provider), s->model.n ? ":" : "", RF_FMT(s->model),
            RF_FMT(s->tool), RF_FMT(s->name), RF_FMT(s->source), RF_FMT(s->text));
    return true;
}

static char *sayings(const char *document)
{
    struct rf_conversation *c;
    struct rf_err err;
    char *json = strdup(document), *lines = NULL;
    size_t n = 0;
    assert_non_null(json);
    for (char *p = json; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    if (rf_conversation_read((struct rf_str){ json, strlen(json) }, &c, &err))
        fail_msg("%s: %s", document, err.msg);
    FILE *out = open_memstream(&lines, &n);
    assert_non_null(out);
    rf_conversation_sayings(c, write_line, out);
    fclose(out);
    rf_conversation_free(c);
    free(json);
    return lines;
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = sayings(cases[i].document);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s:\n%sinstead of\n%s", cases[i].name, got, cases[i].want);
        free(got);
    }
}

static bool only_one(void *ctx, const struct rf_saying *s)
{
    (void)s;
    ++*(int *)ctx;
    return false;
}

static void test_stop(void **state)
{
    static const char text[] = "{\"refract\":1,\"messages\":["
                               "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
                               "{\"type\":\"text\",\"text\":\"b\"}]},"
                               "{\"role\":\"user\",\"content\":\"c\"}]}";
    struct rf_conversation *c;
    int times = 0;
    (void)state;
    assert_int_equal(rf_conversation_read((struct rf_str){ text, sizeof text - 1 }, &c, NULL), 0);
    rf_conversation_sayings(c, only_one, &times);
    assert_int_equal(times, 1);
    rf_conversation_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows), cmocka_unit_test(test_stop) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
