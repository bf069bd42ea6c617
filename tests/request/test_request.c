/* Requests, through the public door: the length is the bytes, memory does not grow with
 * attachments, the same history has the same beginning, and the report says what happened. */
#include <refract/refract.h>

#include "base/json_read.h"
#include "base/utf8.h"
#include "wire/wire.h"

#include "../source/files.h"

#include <pthread.h>
#include <sys/inotify.h>
#include <sys/resource.h>

static struct rf_arena *world;
static const char *folder;

static int make_world(void **state)
{
    (void)state;
    world = rf_arena_new();
    folder = scratch_new(world);
    write_file(in_folder(world, folder, "a.png"), RF_STR(PNG_BYTES));
    write_file(in_folder(world, folder, "a.pdf"), RF_STR(PDF_BYTES));
    write_file(in_folder(world, folder, "a.wav"), RF_STR(WAV_BYTES));
    write_file(in_folder(world, folder, "a.csv"), RF_STR("name,\"quoted\"\n\xc3\xa9,\t1\n"));
    setenv("REFRACT_WORKERS", folder, 1); /* none are there: what a header tells has to do */
    return 0;
}

static int remove_world(void **state)
{
    (void)state;
    scratch_remove(folder);
    rf_arena_free(world);
    return 0;
}

/* What a request is made of; freed in one go. */
struct made {
    struct rf_conversation *conversation;
    struct rf_model *model;
    struct rf_request *request;
    enum rf_code rc;
    struct rf_err err;
};

static struct made make_with(const char *model, struct rf_str doc, bool strict, bool as_is)
{
    struct made m = { 0 };
    struct rf_request_options *options = rf_request_options_new();
    if (as_is)
        rf_request_options_as_is(options);
    rf_request_options_base(options, folder);
    rf_request_options_root(options, folder);
    if (strict)
        rf_request_options_strict(options);
    if (rf_conversation_read(doc, &m.conversation, &m.err) ||
        rf_model_open(NULL, model, &m.model, &m.err))
        fail_msg("%s", m.err.msg);
    m.rc = rf_request_build(m.conversation, m.model, options, &m.request, &m.err);
    rf_request_options_free(options);
    return m;
}

static struct made make(const char *model, struct rf_str doc, bool strict)
{
    return make_with(model, doc, strict, false);
}

static void drop(struct made *m)
{
    if (!m->rc)
        rf_request_free(m->request);
    rf_model_close(m->model);
    rf_conversation_free(m->conversation);
}

/* The body as it is written to a file; the caller frees it. */
static struct rf_str written(const struct made *m)
{
    FILE *f = tmpfile();
    struct rf_err err;
    assert_non_null(f);
    if (rf_request_write(m->request, fileno(f), &err))
        fail_msg("%s", err.msg);
    long n = lseek(fileno(f), 0, SEEK_END);
    char *p = malloc((size_t)n + 1);
    assert_non_null(p);
    assert_int_equal(pread(fileno(f), p, (size_t)n, 0), n);
    fclose(f);
    return (struct rf_str){ p, (size_t)n };
}

static void forget(struct rf_str body)
{
    free((void *)(uintptr_t)body.p);
}

#define CALLED(id) \
    "{'role':'assistant','content':[{'type':'tool_call','id':'" id "','name':'look'}]}"
#define RESULT(id, blocks)               \
    "{'role':'tool','tool_call_id':'" id \
    "','name':'look','output':'done','content_blocks':[" blocks "]}"
#define IMAGE "{'type':'image','source_path':'a.png'}"
#define PDF "{'type':'document','source_path':'a.pdf'}"
#define SOUND "{'type':'audio','source_path':'a.wav'}"
#define TABLE "{'type':'document','source_path':'a.csv'}"
#define SAY(words) "{'role':'user','content':'" words "'}"

#define HISTORY                                                      \
    "{'role':'user','content':[{'type':'text','text':'look'}," IMAGE \
    "]}," CALLED("c1") "," RESULT(                                   \
        "c1", IMAGE "," PDF "," SOUND "," TABLE)
#define ANSWER ",{'role':'assistant','content':'I see.'},"

static const char *const models[] = {
    "anthropic:claude-sonnet-4-5",
    "anthropic:claude-opus-4-7",
    "bedrock:us.anthropic.claude-x",
    "bedrock:us.amazon.nova-pro",
    "bedrock:meta.llama4",
    "google:gemini-3-pro",
    "google:gemini-2.5-flash",
    "vertex:gemini-3-pro",
    "openai:gpt-5",
    "openai-chat:gpt-4o",
    "openai-chat:gpt-3.5-turbo",
    "xai:grok-4",
    "xai-chat:grok-4",
    "groq:meta-llama/llama-4-scout",
    "openrouter:anthropic/claude-sonnet-4.5",
    "mistral:mistral-large",
    "cohere:command-a-vision-07-2025",
    "ollama:llava",
    "litellm:claude-sonnet-4-5",
    "openai-compatible:x",
};

static struct rf_str document(struct rf_arena *a, const char *more)
{
    return quoted(a, rf_strf(a,
                             "{'refract':1,'system':'Be brief.','tools':[{'name':'look'}],"
                             "'options':{'max_tokens':4096},'messages':[" HISTORY "%s%s]}",
                             *more ? ANSWER : "", more)
                         .p);
}

static void the_length_is_the_bytes_and_they_are_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(models); i++) {
        struct rf_arena *a = rf_arena_new();
        struct made m = make(models[i], document(a, SAY("and?")), false);
        const struct rf_jval *v;
        struct rf_err err;
        assert_int_equal(m.rc, RF_OK);
        struct rf_str body = written(&m), again = written(&m);
        if (rf_request_length(m.request) != body.n)
            fail_msg("%s: %zu bytes", models[i], body.n);
        assert_true(rf_str_eq(body, again));
        if (rf_jval_parse(body, a, &v, &err) || v->type != RF_JOBJECT)
            fail_msg("%s: %s", models[i], err.msg);
        assert_int_equal(rf_report_count(m.request), 5);
        forget(body);
        forget(again);
        drop(&m);
        rf_arena_free(a);
    }
}

/* The list of turns in a body, under whatever name. */
static const struct rf_jval *turns_of(const struct rf_jval *body)
{
    static const char *const names[] = { "messages", "contents", "input" };
    for (size_t i = 0; i < COUNT(names); i++)
        if (rf_jval_get(body, names[i]))
            return rf_jval_get(body, names[i]);
    return NULL;
}

/* Up to the end of its last turn, without the brackets that close it. */
static struct rf_str up_to_last_turn(struct rf_arena *a, struct rf_str body)
{
    const struct rf_jval *v;
    assert_int_equal(rf_jval_parse(body, a, &v, NULL), RF_OK);
    const struct rf_jval *turns = turns_of(v);
    assert_non_null(turns);
    body.n = (size_t)(turns->raw.p + turns->raw.n - body.p);
    while (strchr("]}", body.p[body.n - 1]))
        body.n--;
    return body;
}

static const struct growth {
    const char *name, *more;
} growths[] = {
    { "a question more leaves what was before as it is", SAY("and?") },
    { "a call and its files more", SAY("and?") "," CALLED("c2") "," RESULT("c2", IMAGE "," PDF) },
    { "the same call id again", SAY("again") "," CALLED("c1") "," RESULT("c1", PDF) },
    { "a file more of a person", "{'role':'user','content':[" PDF "," TABLE "]}" },
    { "a result without a call more", RESULT("c9", SOUND) },
};

static void has_the_same_beginning(void **state)
{
    const struct growth *row = *state;
    for (size_t i = 0; i < COUNT(models); i++) {
        struct rf_arena *a = rf_arena_new();
        struct made before = make_with(models[i], document(a, ""), false, true);
        struct made after = make_with(models[i], document(a, row->more), false, true);
        assert_true(before.rc == RF_OK && after.rc == RF_OK);
        struct rf_str x = written(&before), y = written(&after), same = up_to_last_turn(a, x);
        if (y.n < same.n || memcmp(x.p, y.p, same.n) != 0)
            fail_msg("%s:\n%.*s\n%.*s", models[i], RF_FMT(x), RF_FMT(y));
        forget(x);
        forget(y);
        drop(&before);
        drop(&after);
        rf_arena_free(a);
    }
}

/* Bytes of memory that a child needs at most to build and write a request with this file. */
static long peak_of(const char *model, const char *doc)
{
    int ends[2];
    long peak = -1;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct rusage usage;
        struct rf_arena *a = rf_arena_new();
        struct made m = make(model, quoted(a, doc), false);
        int null = open("/dev/null", O_WRONLY);
        bool good = !m.rc && !rf_request_write(m.request, null, &m.err);
        getrusage(RUSAGE_SELF, &usage);
        peak = good ? usage.ru_maxrss : -1;
        _exit(write(ends[1], &peak, sizeof peak) != sizeof peak);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &peak, sizeof peak), sizeof peak);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return peak;
}

static void write_sparse(const char *name, struct rf_str head, off_t size)
{
    const char *path = in_folder(world, folder, name);
    write_file(path, head);
    if (size)
        assert_int_equal(truncate(path, size), 0);
}

static void memory_does_not_grow_with_attachments(void **state)
{
    static const char *const flat[] = { "anthropic:claude-sonnet-4-5", "openai-chat:gpt-4o",
                                        "google:gemini-3-pro" };
    (void)state;
    write_sparse("small.pdf", RF_STR(PDF_BYTES), 1024);
    write_sparse("large.pdf", RF_STR(PDF_BYTES), 64 << 20);
    for (size_t i = 0; i < COUNT(flat); i++) {
        static const char doc[] = "{'refract':1,'messages':[" SAY("x") "," CALLED(
            "c1") ","
                  "{'role':'tool','tool_call_id':'c1','content_blocks':["
                  "{'type':'document','source_path':'%s'}]}]}";
        const char *mark = strstr(doc, "%s");
        const char *small = rf_strf(world, "%.*ssmall.pdf%s", (int)(mark - doc), doc, mark + 2).p;
        const char *large = rf_strf(world, "%.*slarge.pdf%s", (int)(mark - doc), doc, mark + 2).p;
        struct rf_err err;
        struct rf_config *none = NULL;
        struct rf_model *model;
        assert_int_equal(rf_model_open(none, flat[i], &model, &err), RF_OK);
        rf_model_close(model);
        long with_small = peak_of(flat[i], small), with_large = peak_of(flat[i], large);
        assert_true(with_small > 0 && with_large > 0);
        if (with_large - with_small > 4096)
            fail_msg("%s: %ld KiB, then %ld KiB", flat[i], with_small, with_large);
    }
}

#define ONE(model, block) model, "{'role':'user','content':[" block "]}"

static const struct report {
    const char *name, *model, *messages;
    const char *want; /* one line of JSON for each file, with ' for " */
} reports[] = {
    { "a picture as itself", ONE("anthropic:claude-sonnet-4-5", IMAGE),
      "{'message':0,'block':0,'place':'messages[0].content[0]','id':'att_ba13c0b379b9','type':'image','name':'a.png','delivery':'native','form':'original',"
      "'as':'image/png','lost':[],'reason':null,'bytes':73,'sent_bytes':73,'width':3,'height':2,'tokens':1,"
      "'limit':null}" },
    { "files of a result", "openai-chat:gpt-4o",
      SAY("x") "," CALLED("c1") "," RESULT("c1", IMAGE "," SOUND),
      "{'message':2,'block':0,'place':'messages[2].content_blocks[0]','id':'att_ba13c0b379b9','type':'image','name':'a.png',"
      "'delivery':'fallback','form':'original','as':'image/png','lost':[],'reason':'openai-chat: a tool result carries text "
      "only',"
      "'bytes':73,'sent_bytes':73,'width':3,'height':2,'tokens':255,'limit':null}\n"
      "{'message':2,'block':1,'place':'messages[2].content_blocks[1]','id':'att_52404503dc8e','type':'audio','name':'a.wav','delivery':'text','form':'note',"
      "'as':'a note','lost':['all of it'],'reason':'openai-chat:gpt-4o takes no audio/wav, "
      "and no transcribe command is configured','bytes':60,'sent_bytes':0,"
      "'width':null,'height':null,'tokens':68,'limit':null}" },
    { "over a limit", "google:gemini-3-pro",
      "{'role':'user','content':[{'type':'document','id':'f1','page_count':1001,'source_path':'a."
      "pdf'}]}",
      "{'message':0,'block':0,'place':'messages[0].content[0]','id':'f1','type':'document','name':'a.pdf','delivery':'omitted','form':'note',"
      "'as':'a note','lost':['all of it'],'reason':'it is over a limit: 1001, at most 1000 (max_pdf_pages)','bytes':130,"
      "'sent_bytes':0,'width':null,'height':null,'tokens':59,"
      "'limit':{'name':'max_pdf_pages','value':1000}}" },
    { "hidden in an output", "anthropic:claude-sonnet-4-5",
      SAY("x") "," CALLED("c1") ",{'role':'tool','tool_call_id':'c1','output':'see $PNG$'}",
      "{'message':2,'block':null,'found_in':'output','place':'messages[2].output','id':'att_ba13c0b379b9','type':'image','name':"
      "null,"
      "'delivery':'native','form':'original','as':'image/png','lost':[],'reason':null,'bytes':73,'sent_bytes':73,'width':3,"
      "'height':2,'tokens':1,'limit':null}" },
    { "a file that is not there, for a model that nobody knows", "anthropic:x",
      "{'role':'user','content':[{'type':'image','id':'f1','source_path':'no.png','size_bytes':7}]"
      "}",
      "{'message':0,'block':0,'place':'messages[0].content[0]','id':'f1','type':'image','name':'no.png','delivery':'text','form':'note','as':'a "
      "note','lost':['all of it'],"
      "'reason':'the file is not there','bytes':7,'sent_bytes':0,'width':null,'height':null,"
      "'tokens':20,'limit':null,'model_known':false}" },
    { "a path out of the root",
      ONE("anthropic:claude-sonnet-4-5",
          "{'type':'image','id':'f1','source_path':'../../../etc/passwd'}"),
      "{'message':0,'block':0,'place':'messages[0].content[0]','id':'f1','type':'image','name':'passwd','delivery':'text','form':'note','as':'a "
      "note','lost':['all of it'],"
      "'reason':'the file is outside of the folder that may be read','bytes':null,'sent_bytes':0,"
      "'width':null,'height':null,'tokens':24,'limit':null}" },
};

static void is_reported(void **state)
{
    const struct report *row = *state;
    struct rf_arena *a = rf_arena_new();
    const char *doc = rf_strf(a, "{'refract':1,'messages':[%s]}", row->messages).p;
    struct made m = make(row->model, filled_in(a, quoted(a, doc).p), false);
    struct rf_str got = RF_STR("");
    assert_int_equal(m.rc, RF_OK);
    for (size_t i = 0; i < rf_report_count(m.request); i++)
        got = rf_strf(a, "%.*s%s%.*s", RF_FMT(got), i ? "\n" : "",
                      RF_FMT(rf_report_json(m.request, i)));
    assert_str(got, quoted(a, row->want).p);
    drop(&m);
    rf_arena_free(a);
}

static void reports_are_told_field_by_field(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct made m = make("openai-chat:gpt-4o", document(a, ""), false);
    assert_int_equal(m.rc, RF_OK);
    assert_int_equal(rf_report_count(m.request), 5);
    assert_int_equal(rf_report_delivery(m.request, 0), RF_DELIVERY_NATIVE);
    assert_int_equal(rf_report_delivery(m.request, 1), RF_DELIVERY_FALLBACK);
    assert_int_equal(rf_report_delivery(m.request, 3), RF_DELIVERY_TEXT);
    assert_str(rf_report_id(m.request, 0), "att_ba13c0b379b9");
    assert_str(rf_report_id(m.request, 1), "att_ba13c0b379b9");
    assert_str(rf_report_name(m.request, 2), "a.pdf");
    assert_str(rf_report_as(m.request, 2), "application/pdf");
    assert_str(rf_report_reason(m.request, 0), "");
    assert_int_equal(rf_report_bytes(m.request, 3), 60);
    assert_int_equal(rf_report_sent_bytes(m.request, 3), 0);
    assert_int_equal(rf_report_sent_bytes(m.request, 4), 20);
    assert_int_equal(rf_report_tokens(m.request, 3), 68);
    assert_string_equal(rf_delivery_name(RF_DELIVERY_OMITTED), "omitted");
    assert_string_equal(rf_delivery_name(RF_DELIVERY_ERROR), "error");
    drop(&m);
    rf_arena_free(a);
}

static void strict_mode_makes_no_request(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct made m = make("openai-chat:gpt-4o", document(a, ""), true);
    assert_int_equal(m.rc, RF_EUNSUPPORTED);
    assert_string_equal(m.err.msg,
                        "messages[2].content_blocks[2]: \"a.wav\" (audio/wav) cannot be sent to "
                        "openai-chat:gpt-4o as it is: openai-chat:gpt-4o takes no audio/wav");
    assert_string_equal(m.err.path, "messages[2].content_blocks[2]");
    drop(&m);
    rf_arena_free(a);
}

static void nothing_to_send_is_an_error(void **state)
{
    (void)state;
    struct made m = make("openai-chat:gpt-4o", RF_STR("{\"refract\":1,\"messages\":[]}"), false);
    assert_int_equal(m.rc, RF_EFORMAT);
    assert_string_equal(m.err.msg, "messages: there is nothing to send");
    drop(&m);
    rf_request_free(NULL);
    rf_request_options_free(NULL);
}

static void settings_that_are_left_out_are_told(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct made m = make("openai:gpt-5",
                         quoted(a, "{'refract':1,'options':{'temperature':0},"
                                   "'messages':[" SAY("x") "]}"),
                         false);
    assert_int_equal(m.rc, RF_OK);
    assert_int_equal(rf_notice_count(m.request), 1);
    assert_str(rf_notice(m.request, 0), "temperature was left out: openai:gpt-5 does not take it");
    assert_str(rf_notice(m.request, 1), "");
    drop(&m);
    rf_arena_free(a);
}

static void a_file_that_changes_makes_writing_fail(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const char *path = in_folder(a, folder, "changes.png");
    int null = open("/dev/null", O_WRONLY);
    struct rf_err err;
    write_file(path, RF_STR(PNG_BYTES));
    struct made m = make("anthropic:claude-sonnet-4-5",
                         quoted(a, "{'refract':1,'messages':[{'role':'user','content':["
                                   "{'type':'image','source_path':'changes.png'}]}]}"),
                         false);
    assert_int_equal(m.rc, RF_OK);
    assert_int_equal(rf_request_write(m.request, null, &err), RF_OK);
    write_file(path, RF_STR(PNG_BYTES "more"));
    assert_int_equal(rf_request_write(m.request, null, &err), RF_EIO);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rf_request_write(m.request, null, &err), RF_ENOTFOUND);
    assert_str(rf_report_id(m.request, 0), "att_f01949427f43");
    close(null);
    drop(&m);
    rf_arena_free(a);
}

static void a_reader_that_goes_is_an_error(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct made m = make("anthropic:claude-sonnet-4-5", document(a, ""), false);
    struct rf_err err;
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(rf_request_write(m.request, ends[1], &err), RF_EIO);
    assert_string_equal(err.msg, "could not write the request: Broken pipe");
    close(ends[1]);
    drop(&m);
    rf_arena_free(a);
}

/* Promise 6: a file that is found to be bad only late does not stop the requests that hold it. */
static void a_large_text_that_is_none_at_its_end(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    size_t n = ((size_t)8 << 20) + 100;
    char *text = rf_arena_alloc(a, n);
    memset(text, 'x', n);
    for (size_t i = 0; i < n; i += 16)
        text[i] = ' ';
    text[n - 1] = '\xff';
    write_file(in_folder(a, folder, "large.txt"), (struct rf_str){ text, n });
    for (size_t i = 0; i < COUNT(models); i++) {
        struct made m = make(models[i],
                             quoted(a, "{'refract':1,'messages':[{'role':'user','content':["
                                       "{'type':'document','source_path':'large.txt'}]}]}"),
                             false);
        if (m.rc)
            fail_msg("%s: %s", models[i], m.err.msg);
        if (rf_report_delivery(m.request, 0) == RF_DELIVERY_TEXT) {
            assert_true(
                rf_str_starts(rf_report_reason(m.request, 0), "it is over a limit: 8388708, ") ||
                rf_str_is(rf_report_reason(m.request, 0), "the model's window is full"));
            assert_true(
                rf_str_is(rf_report_as(m.request, 0), "the beginning of its text and a note"));
        } else {
            assert_int_equal(rf_report_delivery(m.request, 0), RF_DELIVERY_NATIVE);
        }
        drop(&m);
    }
    rf_arena_free(a);
}

/* Takes the second file away when it has been looked at (twice opened and closed), while the first
 * is still being hashed. */
static void *take_away(void *arg)
{
    char events[4096];
    int *watch = arg, closed = 0;
    while (closed < 2) {
        ssize_t n = read(*watch, events, sizeof events);
        for (ssize_t at = 0; at < n;) {
            struct inotify_event e;
            memcpy(&e, events + at, sizeof e);
            closed += e.mask == IN_CLOSE_NOWRITE;
            at += (ssize_t)(sizeof e + e.len);
        }
    }
    unlink(in_folder(world, folder, "second.pdf"));
    return NULL;
}

/* Enough hashing that the other thread is not too late, however busy the machine is. */
#define FIRST "{'type':'document','source_path':'first.pdf'},"
#define FIRSTS FIRST FIRST FIRST FIRST FIRST FIRST FIRST FIRST

/* Between the look at a file and its naming it may go: a note says so, and the request is made. */
static void a_file_that_goes_while_the_request_is_built(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    pthread_t thread;
    int null = open("/dev/null", O_WRONLY), watch = inotify_init1(IN_CLOEXEC);
    write_sparse("first.pdf", RF_STR(PDF_BYTES), 30 << 20);
    write_sparse("second.pdf", RF_STR(PDF_BYTES), 0);
    assert_true(inotify_add_watch(watch, in_folder(a, folder, "second.pdf"),
                                  IN_OPEN | IN_CLOSE_NOWRITE) >= 0);
    assert_int_equal(pthread_create(&thread, NULL, take_away, &watch), 0);
    const char *doc = "{'refract':1,'messages':[" SAY("x") "," CALLED("c1") "," RESULT(
        "c1", FIRSTS FIRSTS FIRSTS "{'type':'document','source_path':'second.pdf'}") "]}";
    struct made m = make("openrouter:x", quoted(a, doc), false);
    pthread_join(thread, NULL);
    close(watch);
    assert_int_equal(m.rc, RF_OK);
    assert_int_equal(rf_report_delivery(m.request, 0), RF_DELIVERY_FALLBACK);
    assert_int_equal(rf_report_delivery(m.request, 24), RF_DELIVERY_TEXT);
    assert_str(rf_report_reason(m.request, 24), "the file could not be read to its end");
    assert_int_equal(rf_request_write(m.request, null, &m.err), RF_OK);
    close(null);
    drop(&m);
    rf_arena_free(a);
}

/* Promise 2: whatever a picture hides in, no text of a body holds it as base64. */
static const struct smuggler {
    const char *name, *messages;
} smugglers[] = {
    { "an output",
      SAY("x") "," CALLED("c1") ",{'role':'tool','tool_call_id':'c1','output':'see $LARGE$'}" },
    { "an error", SAY("x") "," CALLED("c1") ",{'role':'tool','tool_call_id':'c1','success':false,'"
                                            "error':'see $LARGE$'}" },
    { "data", SAY("x") "," CALLED("c1") ",{'role':'tool','tool_call_id':'c1','data':{'a':['x "
                                        "$LARGE$ y']}}" },
    { "a name in data",
      SAY("x") "," CALLED("c1") ",{'role':'tool','tool_call_id':'c1','data':{'$LARGE$':1}}" },
    { "a JSON block", "{'role':'user','content':[{'type':'json','value':['$LARGE$']}]}" },
    { "a person's words", SAY("see data:image/png;base64,$LARGE$ ok") },
    { "a description",
      "{'role':'user','content':[{'type':'video','data':'$PDF$','text_fallback':'$LARGE$'}]}" },
    { "a transcript",
      "{'role':'user','content':[{'type':'video','data':'$PDF$','transcript':'x $LARGE$'}]}" },
    { "an orphan", SAY("x") ",{'role':'tool','tool_call_id':'c9','output':'$ESCAPED76$'}" },
    { "a name", "{'role':'user','content':[{'type':'video','data':'$PDF$','name':'$LARGE$','id':'$"
                "LARGE$'}]}" },
    { "an answer",
      SAY("x") ",{'role':'assistant','content':'![x](data:image/png;base64,$LARGE$)'}" },
};

/* The fields that hold a file on some wire; all others are text. */
static bool holds_file(struct rf_str key)
{
    static const char *const keys[] = {
        "data", "bytes", "url", "image_url", "file_data", "images"
    };
    for (size_t i = 0; i < COUNT(keys); i++)
        if (rf_str_is(key, keys[i]))
            return true;
    return false;
}

static void check_strings(const struct rf_jval *v, struct rf_str key, struct rf_str part)
{
    for (const struct rf_jval *c = rf_jval_first(v); c; c = rf_jval_next(v, c)) {
        if (v->type == RF_JOBJECT)
            key = c++->raw;
        if (c->type == RF_JARRAY || c->type == RF_JOBJECT)
            check_strings(c, key, part);
        else if (c->type == RF_JSTRING && !holds_file(key) && rf_str_contains(c->raw, part))
            fail_msg("%.*s: %.*s", RF_FMT(key), RF_FMT(c->raw));
    }
}

static void is_not_smuggled(void **state)
{
    const struct smuggler *row = *state;
    for (size_t i = 0; i < COUNT(models); i++) {
        struct rf_arena *a = rf_arena_new();
        const char *doc = rf_strf(a, "{'refract':1,'messages':[%s]}", row->messages).p;
        struct made m = make(models[i], filled_in(a, quoted(a, doc).p), false);
        const struct rf_jval *v;
        assert_int_equal(m.rc, RF_OK);
        struct rf_str body = written(&m), large = to_base64(a, long_png(a, 3000));
        assert_int_equal(rf_jval_parse(body, a, &v, NULL), RF_OK);
        /* A line of the base64 that is not its beginning. */
        check_strings(v, RF_STR(""), (struct rf_str){ large.p + 76 * 2, 60 });
        forget(body);
        drop(&m);
        rf_arena_free(a);
    }
}

#define ROWS (COUNT(growths) + COUNT(reports) + COUNT(smugglers))

static void tools_get_their_names_back(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct made m = make("openai-chat:gpt-4o",
                         quoted(a, "{'refract':1,'tools':[{'name':'fs.read'},{'name':'fs_read'}],"
                                   "'messages':[" SAY("x") "]}"),
                         false);
    assert_int_equal(m.rc, RF_OK);
    assert_str(rf_request_tool(m.request, RF_STR("fs_read")), "fs.read");
    assert_str(rf_request_tool(m.request, RF_STR("fs_read_2")), "fs_read");
    assert_str(rf_request_tool(m.request, RF_STR("other")), "other");
    drop(&m);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(the_length_is_the_bytes_and_they_are_json),
        cmocka_unit_test(memory_does_not_grow_with_attachments),
        cmocka_unit_test(reports_are_told_field_by_field),
        cmocka_unit_test(strict_mode_makes_no_request),
        cmocka_unit_test(nothing_to_send_is_an_error),
        cmocka_unit_test(settings_that_are_left_out_are_told),
        cmocka_unit_test(a_file_that_changes_makes_writing_fail),
        cmocka_unit_test(a_reader_that_goes_is_an_error),
        cmocka_unit_test(a_file_that_goes_while_the_request_is_built),
        cmocka_unit_test(a_large_text_that_is_none_at_its_end),
        cmocka_unit_test(tools_get_their_names_back),
    };
    struct CMUnitTest tests[ROWS + COUNT(others)], *at = tests;
    name_rows(at, has_the_same_beginning, growths, COUNT(growths), sizeof *growths);
    name_rows(at += COUNT(growths), is_reported, reports, COUNT(reports), sizeof *reports);
    name_rows(at += COUNT(reports), is_not_smuggled, smugglers, COUNT(smugglers),
              sizeof *smugglers);
    memcpy(at + COUNT(smugglers), others, sizeof others);
    return cmocka_run_group_tests(tests, make_world, remove_world);
}
