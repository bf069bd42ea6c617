/* What a program builds: each constructor with what is right and what is not, and all of it read
 * back, as fields and as JSON. JSON in the tables has ' for ". */
#include <refract/content.h>
#include <refract/tools.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(table) (sizeof(table) / sizeof *(table))
#define BLOB "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TEXT(literal)                   \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    }
#define PNG "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"

static const struct rf_str nowhere = { NULL, 7 };

static const char *quoted(const char *with, char *out, size_t size)
{
    size_t n = strlen(with);
    assert_true(n < size);
    for (size_t i = 0; i <= n; i++)
        out[i] = with[i] == '\'' ? '"' : with[i];
    return out;
}

static void assert_text(struct rf_str got, const char *want)
{
    char shown[4096];
    quoted(want, shown, sizeof shown);
    if (got.n != strlen(shown) || memcmp(got.p, shown, got.n) != 0)
        fail_msg("got %.*s, wanted %s", (int)got.n, got.p, shown);
}

static void assert_json(struct rf_result *r, enum rf_extent extent, const char *want)
{
    struct rf_str json;
    struct rf_err err;
    assert_int_equal(rf_result_json(r, extent, &json, &err), RF_OK);
    assert_text(json, want);
}

/* Files */

static const struct {
    const char *name;
    struct rf_file file;
    const char *want; /* the block as JSON; or NULL: */
    enum rf_code code;
    const char *path, *msg; /* of the error */
} files[] = {
    { "bytes say what they are",
      { .bytes = TEXT(PNG), .name = TEXT("a.jpg") },
      "{'type':'image','data':'iVBORw0KGgoAAAANSUhEUg==','media_type':'image/png','name':'a.jpg',"
      "'size_bytes':16}",
      RF_OK,
      NULL,
      NULL },
    { "unknown bytes are a document",
      { .bytes = TEXT("\1\2\3\377") },
      "{'type':'document','data':'AQID/w==','size_bytes':4}",
      RF_OK,
      NULL,
      NULL },
    { "a given type wins",
      { .type = RF_BLOCK_DOCUMENT, .bytes = TEXT(PNG) },
      "{'type':'document','data':'iVBORw0KGgoAAAANSUhEUg==','media_type':'image/png',"
      "'size_bytes':16}",
      RF_OK,
      NULL,
      NULL },
    { "base64",
      { .base64 = TEXT("iVBORw0KGgoAAAANSUhEUg==") },
      "{'type':'image','data':'iVBORw0KGgoAAAANSUhEUg==','media_type':'image/png',"
      "'size_bytes':16}",
      RF_OK,
      NULL,
      NULL },
    { "a path by its name",
      { .path = TEXT("in/b.pdf"),
        .page_range = { 2, 5 },
        .page_count = 9,
        .extracted_text = TEXT("x") },
      "{'type':'document','source_path':'in/b.pdf','page_count':9,'extracted_text':'x',"
      "'page_range':[2,5]}",
      RF_OK,
      NULL,
      NULL },
    { "a path of no known name",
      { .path = TEXT("Makefile") },
      "{'type':'document','source_path':'Makefile'}",
      RF_OK,
      NULL,
      NULL },
    { "a URL by its media type",
      { .url = TEXT("https://a.example/x"),
        .media_type = TEXT("video/mp4"),
        .width = 4,
        .height = 3,
        .duration_ms = 70 },
      "{'type':'video','url':'https://a.example/x','media_type':'video/mp4','duration_ms':70,"
      "'width':4,'height':3}",
      RF_OK,
      NULL,
      NULL },
    { "a file that was uploaded, and its blob",
      { .type = RF_BLOCK_AUDIO,
        .file_id = TEXT("f1"),
        .provider = TEXT("openai"),
        .blob = TEXT(BLOB),
        .transcript = TEXT("la") },
      "{'type':'audio','blob':'" BLOB "','file_id':'f1','provider':'openai','transcript':'la'}",
      RF_OK,
      NULL,
      NULL },
    { "detail and id",
      { .path = TEXT("a.png"), .detail = TEXT("low"), .id = TEXT("i") },
      "{'type':'image','id':'i','source_path':'a.png','detail':'low'}",
      RF_OK,
      NULL,
      NULL },

    { "a URL without a scheme",
      { .url = TEXT("a.example/b.png") },
      NULL,
      RF_EFORMAT,
      "url",
      "url: has no scheme, such as \"https:\"" },
    { "a blob of no hash",
      { .path = TEXT(""), .blob = TEXT("sha256:00"), .type = RF_BLOCK_IMAGE },
      NULL,
      RF_EFORMAT,
      "blob",
      "blob: is not \"sha256:\" and 64 hexadecimal digits" },
    { "no source", { .name = TEXT("a.png") }, NULL, RF_EUSAGE, "", "the file has no source" },
    { "two sources",
      { .path = TEXT("a.png"), .url = TEXT("http://a/b.png") },
      NULL,
      RF_EUSAGE,
      "",
      "the file has two sources" },
    { "a source of another size",
      { .bytes = { NULL, 7 } },
      NULL,
      RF_EUSAGE,
      "bytes",
      "bytes: has a length and points nowhere" },
    { "a name that points nowhere",
      { .path = TEXT("a.png"), .name = { NULL, 7 } },
      NULL,
      RF_EUSAGE,
      "name",
      "name: has a length and points nowhere" },
    { "a name that is not UTF-8",
      { .path = TEXT("a.png"), .name = TEXT("a\377") },
      NULL,
      RF_EFORMAT,
      "name",
      "name: is not UTF-8 from byte 1 on" },
    { "a path with a NUL",
      { .path = TEXT("a\0.png") },
      NULL,
      RF_EFORMAT,
      "path",
      "path: is not one that a file can have" },
    { "base64 that is none", { .base64 = TEXT("!!!!") }, NULL, RF_EFORMAT, "base64", NULL },
    { "a file_id of nobody",
      { .file_id = TEXT("f") },
      NULL,
      RF_EUSAGE,
      "provider",
      "provider: a file_id needs one" },
    { "a provider of nothing",
      { .path = TEXT("a.png"), .provider = TEXT("p") },
      NULL,
      RF_EUSAGE,
      "provider",
      "provider: goes with a file_id only" },
    { "a type that is not a file's",
      { .type = RF_BLOCK_JSON, .path = TEXT("a") },
      NULL,
      RF_EUSAGE,
      "type",
      "type: is not that of an image, a document, sound or a film" },
    { "a type out of all",
      { .type = (enum rf_block_type)77, .path = TEXT("a") },
      NULL,
      RF_EUSAGE,
      "type",
      NULL },
    { "a URL that says nothing",
      { .url = TEXT("https://a.example/x") },
      NULL,
      RF_EUSAGE,
      "type",
      "type: neither the media type nor the name tells it" },
    { "a media type that is none",
      { .path = TEXT("a"), .media_type = TEXT("png") },
      NULL,
      RF_EFORMAT,
      "media_type",
      "media_type: is not one, such as \"image/png\"" },
    { "a media type with a line feed",
      { .path = TEXT("a"), .media_type = TEXT("a/b\n") },
      NULL,
      RF_EFORMAT,
      "media_type",
      NULL },
    { "pages of an image",
      { .path = TEXT("a.png"), .page_range = { 0, 1 } },
      NULL,
      RF_EUSAGE,
      "page_range",
      "page_range: a block of type \"image\" has none" },
    { "pages the wrong way round",
      { .path = TEXT("a.pdf"), .page_range = { 3, 3 } },
      NULL,
      RF_EFORMAT,
      "page_range",
      "page_range: expected 0 <= first < past-last" },
    { "pages before the first",
      { .path = TEXT("a.pdf"), .page_range = { -1, 3 } },
      NULL,
      RF_EFORMAT,
      "page_range",
      "page_range: is negative" },
    { "a negative size",
      { .path = TEXT("a.pdf"), .size_bytes = -1 },
      NULL,
      RF_EFORMAT,
      "size_bytes",
      "size_bytes: is negative" },
    { "a detail of a document",
      { .path = TEXT("a.pdf"), .detail = TEXT("low") },
      NULL,
      RF_EUSAGE,
      "detail",
      "detail: a block of type \"document\" has none" },
    { "an unknown detail",
      { .path = TEXT("a.png"), .detail = TEXT("some") },
      NULL,
      RF_EFORMAT,
      "detail",
      "detail: is unknown" },
    { "a transcript of a film",
      { .path = TEXT("a.mp4"), .transcript = TEXT("x") },
      NULL,
      RF_EUSAGE,
      "transcript",
      NULL },
};

static void files_are_blocks_or_errors(void **state)
{
    (void)state;
    char want[1024];
    for (size_t i = 0; i < LENGTH(files); i++) {
        struct rf_result *r = rf_result_new();
        struct rf_file f = files[i].file;
        struct rf_err err = { 0 };
        f.size = sizeof f;
        enum rf_code rc = rf_content_file(rf_result_content(r), &f, &err);
        if (rc != files[i].code)
            fail_msg("%s: %s", files[i].name, err.msg);
        if (files[i].msg)
            assert_string_equal(err.msg, files[i].msg);
        if (files[i].path)
            assert_string_equal(err.path, files[i].path);
        snprintf(want, sizeof want, "{'success':true,'output':'','content_blocks':[%s]}",
                 files[i].want ? files[i].want : "");
        assert_json(r, RF_WITH_FILES, want);
        rf_result_free(r);
    }
}

/* What a block was made of is what it is read as. */
static void files_are_read_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(files); i++) {
        struct rf_result *r = rf_result_new(), *again = rf_result_new();
        struct rf_file f = files[i].file, read = { .size = sizeof read }, second = read;
        struct rf_err err;
        f.size = sizeof f;
        if (rf_content_file(rf_result_content(r), &f, &err) == RF_OK) {
            const struct rf_block *b = rf_message_file(rf_result_message(r), NULL);
            assert_int_equal(rf_block_file(b, &read, &err), RF_OK);
            assert_int_equal(rf_content_file(rf_result_content(again), &read, &err), RF_OK);
            b = rf_message_file(rf_result_message(again), NULL);
            assert_int_equal(rf_block_file(b, &second, &err), RF_OK);
            assert_null(rf_message_file(rf_result_message(again), b));
            assert_int_equal(read.type, second.type);
            assert_int_equal(read.bytes.n, f.bytes.n);
            assert_memory_equal(second.bytes.p ? second.bytes.p : "", f.bytes.p ? f.bytes.p : "",
                                f.bytes.n);
            assert_memory_equal(read.page_range, f.page_range, sizeof f.page_range);
        }
        rf_result_free(r);
        rf_result_free(again);
    }
}

/* Other blocks */

static void results_hold_blocks_in_order(void **state)
{
    (void)state;
    const struct rf_file png = { .size = sizeof png, .bytes = TEXT(PNG), .name = TEXT("c.png") };
    struct rf_result *r = rf_result_new();
    struct rf_content *c = rf_result_content(r);
    struct rf_str text;
    struct rf_err err;
    assert_int_equal(rf_result_output(r, RF_LIT("three parts"), &err), RF_OK);
    assert_int_equal(rf_content_text(c, RF_LIT("before"), &err), RF_OK);
    assert_int_equal(rf_content_cite(c, RF_LIT("{\"url\":\"u\",\"start\":1}"), &err), RF_OK);
    assert_int_equal(rf_content_cite(c, RF_LIT(" {\"title\": \"t\"} "), &err), RF_OK);
    assert_int_equal(rf_content_file(c, &png, &err), RF_OK);
    assert_int_equal(rf_content_fallback(c, RF_LIT("a chart"), &err), RF_OK);
    assert_int_equal(rf_content_json(c, RF_LIT(" [1, {\"a\": null}] "), &err), RF_OK);
    assert_int_equal(rf_content_opaque(c, "gemini", RF_LIT("\"x\""), &err), RF_OK);
    assert_int_equal(rf_result_data(r, RF_LIT("{\"sum\":3}"), &err), RF_OK);
    assert_int_equal(rf_result_changed(r, RF_LIT("a \"b\""), &err), RF_OK);
    assert_int_equal(rf_result_changed(r, RF_LIT("c"), &err), RF_OK);
    assert_json(r, RF_WITHOUT_FILES,
                "{'success':true,'output':'three parts','data':{'sum':3},"
                "'files_changed':['a \\'b\\'','c'],'content_blocks':["
                "{'type':'text','text':'before','citations':[{'url':'u','start':1},{'title':'t'}]},"
                "{'type':'json','value':[1,{'a':null}]},"
                "{'type':'opaque','dialect':'gemini','value':'x'}]}");
    assert_int_equal(rf_result_text(r, RF_WITHOUT_FILES, &text, &err), RF_OK);
    assert_text(text, "three parts\n\n{'sum':3}\n\nbefore\n\n[1,{'a':null}]");
    assert_int_equal(rf_result_text(r, RF_WITH_FILES, &text, &err), RF_OK);
    assert_text(text, "three parts\n\n{'sum':3}\n\nbefore\n\na chart\n\n[1,{'a':null}]");
    rf_result_free(r);
}

static void a_failure_takes_media_along(void **state)
{
    (void)state;
    const struct rf_file png = { .size = sizeof png, .path = TEXT("shot.png") };
    struct rf_result *r = rf_result_new();
    struct rf_err err;
    assert_int_equal(rf_result_error(r)->code, RF_OK);
    assert_int_equal(rf_content_file(rf_result_content(r), &png, &err), RF_OK);
    assert_int_equal(rf_result_fail(r, RF_LIT("the page did not load"), &err), RF_OK);
    assert_int_equal(rf_result_error(r)->code, RF_EINTERNAL);
    assert_true(rf_message_failed(rf_result_message(r)));
    assert_json(r, RF_WITH_FILES,
                "{'success':false,'output':'','error':'the page did not load',"
                "'content_blocks':[{'type':'image','source_path':'shot.png'}]}");
    rf_result_free(r);
}

/* What is wrong is told, and changes nothing. */
static void nonsense_is_refused(void **state)
{
    (void)state;
    static const char deep[600] = { [0 ... 598] = '[' };
    struct rf_result *r = rf_result_new();
    struct rf_content *c = rf_result_content(r);
    struct rf_thinking t = { .size = sizeof t, .text = TEXT("hm") };
    struct rf_call call = { .size = sizeof call, .id = TEXT("c1"), .name = TEXT("f") };
    struct rf_file file = { .path = TEXT("a.png") };
    struct rf_err err;
    assert_int_equal(rf_content_text(NULL, RF_LIT("x"), &err), RF_EUSAGE);
    assert_int_equal(rf_content_text(c, RF_LIT("x\xc3"), &err), RF_EFORMAT);
    assert_string_equal(err.msg, "text: is not UTF-8 from byte 1 on");
    assert_int_equal(rf_content_text(c, nowhere, NULL), RF_EUSAGE);
    assert_int_equal(rf_content_json(c, RF_LIT("{"), &err), RF_EFORMAT);
    assert_string_equal(err.path, "value");
    assert_int_equal(rf_content_json(c, RF_LIT(""), &err), RF_EUSAGE);
    assert_int_equal(rf_content_json(c, (struct rf_str){ deep, 500 }, &err), RF_EFORMAT);
    assert_int_equal(rf_content_json(c, (struct rf_str){ deep, 599 }, &err), RF_ELIMIT);
    assert_int_equal(rf_content_opaque(c, NULL, RF_LIT("1"), &err), RF_EUSAGE);
    assert_string_equal(err.path, "dialect");
    assert_int_equal(rf_content_thinking(c, &t, &err), RF_EUSAGE);
    assert_string_equal(err.msg, "type: \"thinking\" is for assistant messages only");
    assert_int_equal(rf_content_call(c, &call, &err), RF_EUSAGE);
    assert_int_equal(rf_content_file(c, NULL, &err), RF_EUSAGE);
    assert_int_equal(rf_content_file(c, &file, &err), RF_EUSAGE);
    assert_string_equal(err.path, "size");
    file.size = (size_t)-1;
    assert_int_equal(rf_content_file(c, &file, &err), RF_EUSAGE);
    assert_int_equal(rf_content_fallback(c, RF_LIT("x"), &err), RF_EUSAGE);
    assert_int_equal(rf_content_cite(c, RF_LIT("{}"), &err), RF_EUSAGE);
    assert_int_equal(rf_content_json(c, RF_LIT("1"), &err), RF_OK);
    assert_int_equal(rf_content_cite(c, RF_LIT("{}"), &err), RF_EUSAGE);
    assert_int_equal(rf_content_text(c, RF_LIT("x"), &err), RF_OK);
    assert_int_equal(rf_content_cite(c, RF_LIT("[]"), &err), RF_EFORMAT);
    assert_int_equal(rf_content_cite(c, RF_LIT("{\"start\":-1}"), &err), RF_EFORMAT);
    assert_string_equal(err.path, "citations.start");
    assert_int_equal(rf_result_data(r, RF_LIT("nope"), &err), RF_EFORMAT);
    assert_int_equal(rf_result_changed(r, RF_LIT(""), &err), RF_EUSAGE);
    assert_int_equal(rf_result_output(NULL, RF_LIT(""), &err), RF_EUSAGE);
    assert_json(r, RF_WITH_FILES,
                "{'success':true,'output':'','content_blocks':[{'type':'json','value':1},"
                "{'type':'text','text':'x'}]}");
    rf_result_free(r);
}

/* Conversations */

static struct rf_content *user(struct rf_conversation *c)
{
    struct rf_content *content;
    struct rf_err err;
    assert_int_equal(rf_conversation_user(c, RF_SPEAKER_USER, &content, &err), RF_OK);
    return content;
}

/* Contents stay where they are while messages are added after them. */
static void conversations_are_built(void **state)
{
    (void)state;
    const struct rf_thinking t = { .size = sizeof t, .text = TEXT("hm"), .signature = TEXT("s") };
    const struct rf_call call = { .size = sizeof call,
                                  .id = TEXT("c1"),
                                  .name = TEXT("look"),
                                  .arguments = TEXT("{\"at\": 1}") };
    struct rf_conversation *c = rf_conversation_new(), *again;
    struct rf_content *asked = user(c), *said, *developer;
    struct rf_result *r = rf_result_new();
    struct rf_str json, twice;
    struct rf_err err;
    assert_int_equal(rf_conversation_system(c, RF_LIT("Be brief."), &err), RF_OK);
    assert_int_equal(rf_conversation_tool(c, RF_LIT("look"), RF_LIT("Looks."),
                                          RF_LIT("{\"type\":\"object\"}"), &err),
                     RF_OK);
    assert_int_equal(rf_conversation_assistant(c, RF_LIT("openai"), RF_LIT("m"), &said, &err),
                     RF_OK);
    assert_int_equal(rf_result_output(r, RF_LIT("seen"), &err), RF_OK);
    assert_int_equal(rf_conversation_result(c, RF_LIT("c1"), RF_LIT("look"), r, &err), RF_OK);
    assert_int_equal(rf_conversation_user(c, RF_SPEAKER_DEVELOPER, &developer, &err), RF_OK);
    for (int i = 0; i < 20; i++)
        assert_int_equal(rf_content_text(user(c), RF_LIT("more"), &err), RF_OK);
    assert_int_equal(rf_content_text(asked, RF_LIT("What is it?"), &err), RF_OK);
    assert_int_equal(rf_content_thinking(said, &t, &err), RF_OK);
    assert_int_equal(rf_content_call(said, &call, &err), RF_OK);
    assert_int_equal(rf_content_text(developer, RF_LIT("Hurry."), &err), RF_OK);
    rf_result_free(r);
    assert_int_equal(rf_conversation_count(c), 24);
    assert_int_equal(rf_conversation_write(c, &json, &err), RF_OK);
    assert_int_equal(rf_conversation_read(json, &again, &err), RF_OK);
    assert_int_equal(rf_conversation_write(again, &twice, &err), RF_OK);
    assert_int_equal(json.n, twice.n);
    assert_memory_equal(json.p, twice.p, json.n);
    json.n = strlen("{'refract':1,'system':'Be brief.','tools':[");
    assert_text(json, "{'refract':1,'system':'Be brief.','tools':[");
    rf_conversation_free(again);
    rf_conversation_free(c);
}

static void a_conversation_that_was_read_goes_on(void **state)
{
    (void)state;
    struct rf_conversation *c;
    struct rf_str json;
    struct rf_err err;
    assert_int_equal(rf_conversation_parse("ollama",
                                           RF_LIT("{\"model\":\"m\",\"messages\":[{\"role\":"
                                                  "\"user\",\"content\":\"Hi\"}]}"),
                                           &c, &err),
                     RF_OK);
    assert_int_equal(rf_content_text(user(c), RF_LIT("again"), &err), RF_OK);
    const struct rf_message *m = rf_conversation_message(c, 0);
    assert_int_equal(rf_message_role(m), RF_ROLE_USER);
    assert_text(rf_block_text(rf_message_block(m, 0)), "Hi");
    assert_text(rf_block_text(rf_message_block(rf_conversation_message(c, 1), 0)), "again");
    assert_null(rf_conversation_message(c, 2));
    assert_int_equal(rf_conversation_write(c, &json, &err), RF_OK);
    rf_conversation_free(c);
    assert_int_equal(rf_conversation_parse("klingon", RF_LIT("{}"), &c, &err), RF_EUSAGE);
    assert_int_equal(rf_conversation_parse("ollama", RF_LIT("{"), &c, &err), RF_EFORMAT);
}

static void messages_refuse_nonsense(void **state)
{
    (void)state;
    struct rf_conversation *c = rf_conversation_new();
    struct rf_result *r = rf_result_new();
    struct rf_content *content;
    struct rf_err err;
    const struct rf_str none = { 0 };
    assert_int_equal(rf_conversation_user(c, (enum rf_speaker)9, &content, &err), RF_EUSAGE);
    assert_int_equal(rf_conversation_user(NULL, RF_SPEAKER_USER, &content, &err), RF_EUSAGE);
    assert_int_equal(rf_conversation_assistant(c, RF_LIT("\377"), none, &content, &err),
                     RF_EFORMAT);
    assert_int_equal(rf_conversation_result(c, none, none, r, &err), RF_EUSAGE);
    assert_string_equal(err.path, "tool_call_id");
    assert_int_equal(rf_conversation_result(c, RF_LIT("c"), none, NULL, &err), RF_EUSAGE);
    assert_int_equal(rf_conversation_tool(c, none, none, none, &err), RF_EUSAGE);
    assert_int_equal(rf_conversation_tool(c, RF_LIT("f"), none, RF_LIT("[]"), &err), RF_EFORMAT);
    assert_string_equal(err.msg, "input_schema: expected an object, found an array");
    assert_int_equal(rf_conversation_tool(c, RF_LIT("f"), none, none, &err), RF_OK);
    assert_int_equal(rf_conversation_tool(c, RF_LIT("f"), none, none, &err), RF_EUSAGE);
    assert_int_equal(rf_conversation_count(c), 0);
    rf_result_free(r);
    rf_conversation_free(c);
}

/* Reading */

static void results_are_read_from_json(void **state)
{
    (void)state;
    struct rf_result *r;
    struct rf_err err;
    assert_int_equal(rf_result_read(RF_LIT("\"a \\\"b\\\"\""), &r, &err), RF_OK);
    assert_text(rf_message_output(rf_result_message(r)), "a 'b'");
    rf_result_free(r);
    assert_int_equal(rf_result_read(RF_LIT("{\"success\":false,\"error\":\"no\",\"name\":\"f\","
                                           "\"files_changed\":[\"a\"],\"content_blocks\":"
                                           "[{\"type\":\"text\",\"text\":\"t\"}]}"),
                                    &r, &err),
                     RF_OK);
    assert_int_equal(rf_result_error(r)->code, RF_EINTERNAL);
    assert_int_equal(rf_content_text(rf_result_content(r), RF_LIT("u"), &err), RF_OK);
    assert_int_equal(rf_result_changed(r, RF_LIT("b"), &err), RF_OK);
    assert_json(r, RF_WITH_FILES,
                "{'name':'f','success':false,'output':'','error':'no','files_changed':['a','b'],"
                "'content_blocks':[{'type':'text','text':'t'},{'type':'text','text':'u'}]}");
    struct rf_jdoc *changed = rf_message_changed(rf_result_message(r));
    assert_text(rf_jdoc_text(changed, rf_jval_at(rf_jdoc_root(changed), 1)), "b");
    rf_jdoc_free(changed);
    rf_result_free(r);
    assert_int_equal(rf_result_read(RF_LIT("7"), &r, &err), RF_EFORMAT);
    assert_int_equal(rf_result_read(RF_LIT(""), &r, &err), RF_EFORMAT);
}

static void blocks_tell_their_fields(void **state)
{
    (void)state;
    struct rf_conversation *c = rf_conversation_new();
    struct rf_content *said;
    struct rf_call call = { .size = sizeof call, .id = TEXT("c1"), .name = TEXT("f") };
    struct rf_call seen = { .size = sizeof seen };
    struct rf_thinking t = { .size = sizeof t, .redacted = TEXT("r") }, thought = t;
    struct rf_file file = { .size = sizeof file };
    struct rf_err err;
    assert_int_equal(rf_conversation_assistant(c, RF_LIT("p"), RF_LIT("m"), &said, &err), RF_OK);
    assert_int_equal(rf_content_call(said, &call, &err), RF_OK);
    assert_int_equal(rf_content_thinking(said, &t, &err), RF_OK);
    assert_int_equal(rf_content_json(said, RF_LIT("\"s\""), &err), RF_OK);
    const struct rf_message *m = rf_conversation_message(c, 0);
    assert_text(rf_message_provider(m), "p");
    assert_text(rf_message_model(m), "m");
    assert_int_equal(rf_message_count(m), 3);
    const struct rf_block *b = rf_message_block(m, 0);
    assert_int_equal(rf_block_type_of(b), RF_BLOCK_TOOL_CALL);
    assert_string_equal(rf_block_type_name(rf_block_type_of(b)), "tool_call");
    assert_int_equal(rf_block_call(b, &seen, &err), RF_OK);
    assert_text(seen.name, "f");
    assert_text(seen.arguments, "{}");
    assert_int_equal(rf_block_file(b, &file, &err), RF_EUSAGE);
    assert_string_equal(err.msg, "the block is \"tool_call\", not a file");
    assert_int_equal(rf_block_thinking(rf_message_block(m, 1), &thought, &err), RF_OK);
    assert_text(thought.redacted, "r");
    thought.size = 3;
    assert_int_equal(rf_block_thinking(rf_message_block(m, 1), &thought, &err), RF_EUSAGE);
    struct rf_jdoc *value = rf_block_value(rf_message_block(m, 2));
    assert_text(rf_jdoc_write(value, rf_jdoc_root(value)), "'s'");
    rf_jdoc_free(value);
    assert_null(rf_block_value(b));
    assert_null(rf_message_file(m, NULL));
    assert_string_equal(rf_block_type_name((enum rf_block_type)99), "");
    rf_conversation_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_blocks_or_errors),
        cmocka_unit_test(files_are_read_back),
        cmocka_unit_test(results_hold_blocks_in_order),
        cmocka_unit_test(a_failure_takes_media_along),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(conversations_are_built),
        cmocka_unit_test(a_conversation_that_was_read_goes_on),
        cmocka_unit_test(messages_refuse_nonsense),
        cmocka_unit_test(results_are_read_from_json),
        cmocka_unit_test(blocks_tell_their_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
