/* The simulator as a whole: whose path it is, keys, the model that says what it was given, scripts and recordings. */
#include "testing.h"

#include "agent/probe_files.h"
#include "base/base64.h"
#include "media/worker.h"
#include "sim/route.h"
#include "sim/sim.h"

#include <refract/sim.h>

/* Paths. */

static const struct route_row {
    const char *name, *path, *provider;
    const char *want; /* "provider model stream"; NULL: nobody's */
} routes[] = {
    { "Anthropic by its shape", "/v1/messages", NULL, "anthropic  -" },
    { "a provider in front", "/groq/openai/v1/chat/completions", NULL, "groq  -" },
    { "a provider in front of another's shape", "/mistral/v1/chat/completions", NULL, "mistral  -" },
    { "chat by its shape", "/v1/chat/completions", NULL, "openai-chat  -" },
    { "one that was named", "/v1/chat/completions", "litellm", "litellm  -" },
    { "the path beats who was named", "/mistral/v1/chat/completions", "litellm", "mistral  -" },
    { "one whose path begins like another's", "/openai/v1/chat/completions", "groq", "groq  -" },
    { "chat at the server of Responses", "/openai/v1/chat/completions", NULL, "openai-chat  -" },
    { "Responses at the server of chat", "/v1/responses", "openai-chat", "openai  -" },
    { "a model in the path", "/model/us.x-v1%3A0/converse", NULL, "bedrock us.x-v1:0 -" },
    { "a stream in the path", "/bedrock/model/a/converse-stream", NULL, "bedrock a stream" },
    { "Gemini, streamed", "/v1beta/models/g-3:streamGenerateContent?alt=sse&key=k", NULL, "google g-3 stream" },
    { "Vertex", "/v1/projects/p/locations/l/publishers/google/models/g:generateContent", NULL, "vertex g -" },
    { "Ollama", "/api/chat", NULL, "ollama  -" },
    { "Cohere", "/v2/chat", NULL, "cohere  -" },
    { "in this process", "/offline/v1/messages", NULL, "offline  -" },
    { "nobody's", "/v2/nothing", NULL, NULL },
    { "a provider's, but not that", "/anthropic/v1/complete", NULL, NULL },
    { "nothing", "", NULL, NULL },
    { "a slash", "/", "anthropic", NULL },
};

static void check_route(void **state)
{
    const struct route_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_sim_route r;
    bool found = rf_sim_find_route(row->path, row->provider, a, &r);
    assert_int_equal(found, row->want != NULL);
    if (found)
        assert_str(rf_strf(a, "%.*s %.*s %s", RF_FMT(r.provider), RF_FMT(r.model), r.stream ? "stream" : "-"),
                   row->want);
    rf_arena_free(a);
}

/* Exchanges. */

struct exchange {
    struct rf_arena *arena;
    struct rf_sim *sim;
    struct rf_sim_reply reply;
    struct rf_str text; /* all of the reply */
};

static void begin(struct exchange *e, const struct rf_sim_options *o)
{
    struct rf_err err;
    *e = (struct exchange){ .arena = rf_arena_new() };
    if (rf_sim_new(o, &e->sim, &err))
        fail_msg("%s", err.msg);
}

static void end(struct exchange *e)
{
    rf_sim_free(e->sim);
    rf_arena_free(e->arena);
}

static const char *some_key(void *ctx, const char *name)
{
    return strcmp(name, ctx) == 0 ? "sk-secret" : NULL;
}

static void ask(struct exchange *e, const char *path, const char *key_in, struct rf_str body)
{
    const struct rf_sim_call call = {
        .method = "POST", .path = path, .header = some_key, .ctx = (void *)(uintptr_t)key_in, .body = body
    };
    rf_sim_answer(e->sim, &call, e->arena, &e->reply);
    e->text = RF_STR("");
    for (size_t i = 0; i < e->reply.count; i++)
        e->text = rf_str_join(e->arena, e->text, e->reply.chunks[i].bytes);
}

static void assert_says(const struct exchange *e, int status, const char *words)
{
    if (!rf_str_contains(e->text, rf_str(words)))
        assert_str(e->text, words);
    assert_int_equal(e->reply.status, status);
}

#define READ_TOOLS \
    "'tools':[{'name':'read_file','input_schema':{'type':'object','properties':{'file_path':{'type':'string'}}}}," \
    "{'name':'view_image','input_schema':{'type':'object','properties':{'path':{'type':'string'}}}}]"
#define BODY(more, messages) "{'model':'offline','max_tokens':4096" more ",'messages':[" messages "]}"
#define ASKED(text) "{'role':'user','content':[{'type':'text','text':'" text "'}]}"
#define TOOLED(text) BODY("," READ_TOOLS, ASKED(text))
#define CALLED(name, arguments) \
    "{'role':'assistant','content':[{'type':'tool_use','id':'c1','name':'" name "','input':" arguments "}]}"
#define RESULT(content) "{'role':'user','content':[{'type':'tool_result','tool_use_id':'c1','content':[" content "]}]}"
#define RED                                                                                        \
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQMAAAD+wSzIAAAAA1BMVEX/AAAZ4gk3AAAAG0lEQVR4AQEQAO//AAAAAAAAAAAA" \
    "AAAAAAAAAAAQAAHAZx+0AAAAAElFTkSuQmCC"
#define IMAGE "{'type':'image','source':{'type':'base64','media_type':'image/png','data':'" RED "'}}"
#define NOTE(files) "Look.\\n[System: files referenced: " files ". Use view_image(path) or read_file(file_path) if.]"
#define READ(id, path) "{'type':'tool_use','id':'" id "','name':'read_file','input':{'file_path':'" path "'}}"
#define VIEW(id, path) "{'type':'tool_use','id':'" id "','name':'view_image','input':{'path':'" path "'}}"

static const struct thought_row {
    const char *name, *body;
    const char *want; /* is in the answer; ' for " */
    const char *not_there;
} thoughts[] = {
    { "a text", BODY("", ASKED("Hello?")), "I was given the text \\'Hello?\\'.", NULL },
    { "a picture, with its hash", BODY("", "{'role':'user','content':[" IMAGE ",{'type':'text','text':'Hm?'}]}"),
      "I was given image/png 8x8 (sha256 4b6a6715641e7e2d…), and the text \\'Hm?\\'.", NULL },
    { "a file that a note names", TOOLED(NOTE("a.png (image, 640x480)")), VIEW("call00001", "a.png"), NULL },
    { "several at once",
      TOOLED(NOTE("a.png (image, 640x480), doc/b.pdf (pdf, 12 KiB)")),
      VIEW("call00001", "a.png") "," READ("call00002", "doc/b.pdf"), NULL },
    { "a name in quotes", TOOLED(NOTE("\\'my file.pdf\\' (pdf, 1 KiB), \\'x\\\\u005d (y.png\\' (image)")),
      READ("call00001", "my file.pdf") "," VIEW("call00002", "x] (y.png"), NULL },
    { "a folder", TOOLED(NOTE("docs (folder)")), READ("call00001", "docs"), NULL },
    { "a word that is a file's name", TOOLED("What is in photo.jpg?"), VIEW("call00001", "photo.jpg"), NULL },
    { "words that are none", TOOLED("See https://x.org/a.png, bob@x.com, e.g. v1.2 and .png."), "I was given the text", "tool_use" },
    { "no tools, no call", BODY("", ASKED("What is in photo.jpg?")), "I was given the text", "tool_use" },
    { "not twice", BODY("," READ_TOOLS, ASKED("What is in a.png?") "," CALLED("view_image", "{'path':'a.png'}") "," RESULT(IMAGE)),
      "I was given image/png 8x8 (sha256 4b6a6715641e7e2d…) inside the result of view_image c1, and the text", "tool_use" },
    { "a failure", BODY("", ASKED("Hm") "," CALLED("f", "{}")
      ",{'role':'user','content':[{'type':'tool_result','tool_use_id':'c1','is_error':true,'content':'gone'}]}"),
      "the text \\'Hm\\', a failure of f c1", NULL },
    { "what was earlier", BODY("", "{'role':'user','content':[" IMAGE "]},{'role':'assistant','content':'ok'}," ASKED("And?")),
      "I was given the text \\'And?\\'. Earlier in this conversation: image/png 8x8", NULL },
    { "calls that are forbidden", BODY("," READ_TOOLS ",'tool_choice':{'type':'none'}", ASKED("What is in a.png?")),
      "I was given the text", "tool_use" },
    { "a call that is demanded", BODY("," READ_TOOLS ",'tool_choice':{'type':'tool','name':'read_file'}", ASKED("Go")),
      "'name':'read_file'", NULL },
    { "as many tokens as there may be", "{'model':'offline','max_tokens':5,'messages':[" ASKED("Hello?") "]}",
      "'text':'I was given the text'}],'stop_reason':'max_tokens'", NULL },
    { "thoughts that are asked for", BODY(",'thinking':{'type':'enabled','budget_tokens':1024}", ASKED("Hello?")),
      "{'type':'thinking','thinking':'I say what I was given.','signature':'", NULL },
};

static void check_thought(void **state)
{
    const struct thought_row *row = *state;
    const struct rf_sim_options options = { .any_key = true, .no_worker = true, .seed = 1 };
    struct exchange e;
    begin(&e, &options);
    ask(&e, "/offline/v1/messages", "", quoted(e.arena, row->body));
    assert_says(&e, 200, quoted(e.arena, row->want).p);
    if (row->not_there)
        assert_false(rf_str_contains(e.text, rf_str(row->not_there)));
    struct rf_str first = e.text;
    ask(&e, "/offline/v1/messages", "", quoted(e.arena, row->body));
    assert_true(rf_str_eq(first, e.text)); /* the same again */
    end(&e);
}

/* The same question twice, in every dialect that has ids. */
static void ids_are_new_without_a_seed(void **state)
{
    static const struct {
        const char *path, *body, *member;
    } rows[] = {
        { "/anthropic/v1/messages", "{'model':'claude-haiku-4-5','max_tokens':9,'messages':[" ASKED("Hm") "]}", "id" },
        { "/openai/v1/responses", "{'model':'gpt-5','input':'Hm'}", "id" },
        { "/openai/v1/chat/completions", "{'model':'gpt-5','messages':[{'role':'user','content':'Hm'}]}", "id" },
        { "/mistral/v1/chat/completions", "{'model':'mistral-large-latest','messages':[{'role':'user','content':'Hm'}]}",
          "id" },
        { "/cohere/v2/chat", "{'model':'command-a-03-2025','messages':[{'role':'user','content':'Hm'}]}", "id" },
        { "/google/v1beta/models/gemini-3-flash:generateContent", "{'contents':[{'parts':[{'text':'Hm'}]}]}", "responseId" },
    };
    (void)state;
    for (uint64_t seed = 0; seed < 2; seed++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            const struct rf_sim_options options = { .any_key = true, .no_worker = true, .seed = seed };
            struct rf_str ids[2];
            struct exchange e;
            begin(&e, &options);
            for (size_t k = 0; k < 2; k++) {
                const struct rf_jval *reply;
                struct rf_err err;
                ask(&e, rows[i].path, "", quoted(e.arena, rows[i].body));
                assert_int_equal(e.reply.status, 200);
                assert_int_equal(rf_jval_parse(e.text, e.arena, &reply, &err), RF_OK);
                ids[k] = rf_jval_text(rf_jval_get(reply, rows[i].member), e.arena);
            }
            assert_true(ids[0].n >= 20);
            assert_int_equal(rf_str_eq(ids[0], ids[1]), seed != 0);
            end(&e);
        }
}

static void a_blind_one_does_not_see(void **state)
{
    const struct rf_sim_options options = { .any_key = true, .no_worker = true, .ignore_images = true };
    struct exchange e;
    (void)state;
    begin(&e, &options);
    ask(&e, "/offline/v1/messages", "", quoted(e.arena, BODY("", ASKED("Hm") "," CALLED("f", "{}") "," RESULT(IMAGE))));
    assert_says(&e, 200, "I was given the text \\\"Hm\\\".");
    ask(&e, "/offline/v1/messages", "", quoted(e.arena, BODY("", "{'role':'user','content':[" IMAGE "]}")));
    assert_says(&e, 200, "image/png 8x8");
    end(&e);
}

/* Its header is whole, its pixels are not. */
#define SPOILED \
    "{'type':'image','source':{'type':'base64','media_type':'image/png','data':'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQMAAAD+wSzIAAAAA1BMVEX/AAAZ4gk3AAAAG0lEQVT/////////AAAAAAAAAAAAAAAAAAAAAAAQAAHAZx+0AAAAAElFTkSuQmCC'}}"

static void the_worker_is_asked(void **state)
{
    const struct rf_sim_options options = { .any_key = true };
    struct exchange e;
    struct rf_err err;
    (void)state;
    begin(&e, &options);
    if (rf_worker_check(rf_workers_shared(), "image", e.arena, NULL, &err)) {
        end(&e);
        skip();
    }
    ask(&e, "/offline/v1/messages", "", quoted(e.arena, BODY("", "{'role':'user','content':[" SPOILED "]}")));
    assert_says(&e, 200, "I was given image/png 8x8 that I could not decode (");
    ask(&e, "/offline/v1/messages", "", quoted(e.arena, BODY("", "{'role':'user','content':[" IMAGE "]}")));
    assert_says(&e, 200, "I was given image/png 8x8 (sha256 4b6a6715641e7e2d");
    end(&e);
}

static bool forget_reply(void *to, int status, struct rf_str bytes, int64_t delay_ms)
{
    (void)to, (void)status, (void)bytes, (void)delay_ms;
    return true;
}

/* The worker leaves a mark, and dies. */
static void whoever_is_stopped_looks_at_nothing(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const char *folder = scratch_new(a), *mark = in_folder(a, folder, "mark");
    const char *program = in_folder(a, folder, "refract-media-image");
    const char *before = getenv("REFRACT_WORKERS");
    int stop[2];
    (void)state;
    write_file(program, rf_strf(a, "#!/bin/sh\n: > %s\n", mark));
    assert_int_equal(chmod(program, 0700), 0);
    assert_int_equal(pipe(stop), 0);
    setenv("REFRACT_WORKERS", folder, 1);
    rf_workers_stop(rf_workers_shared());
    for (int stopped = 1; stopped >= 0; stopped--) {
        const struct rf_offline_call call = {
            .path = "/offline/v1/messages",
            .headers = "",
            .body = quoted(a, BODY("", "{'role':'user','content':[" IMAGE "]}")),
            .reply = forget_reply,
            .stop_fd = stopped ? stop[0] : -1,
        };
        assert_int_equal(write(stop[1], "x", 1), 1);
        rf_simulator_offline().answer(NULL, &call);
        assert_int_equal(access(mark, F_OK), stopped ? -1 : 0);
    }
    close(stop[0]);
    close(stop[1]);
    if (before)
        setenv("REFRACT_WORKERS", before, 1);
    else
        unsetenv("REFRACT_WORKERS");
    scratch_remove(folder);
    rf_arena_free(a);
}

/* A code that is drawn, in a picture and on a page; who does not look cannot tell it. */
static void codes_are_read(void **state)
{
    static const char *const sources[] = { "image','source':{'type':'base64','media_type':'image/png'",
                                           "document','source':{'type':'base64','media_type':'application/pdf'" };
    const struct rf_sim_options options = { .any_key = true };
    struct exchange e;
    struct rf_err err;
    (void)state;
    begin(&e, &options);
    if (rf_worker_check(rf_workers_shared(), "ocr", e.arena, NULL, &err) ||
        rf_worker_check(rf_workers_shared(), "pdf", e.arena, NULL, &err)) {
        end(&e);
        skip();
    }
    for (size_t i = 0; i < COUNT(sources); i++) {
        struct rf_str file = i ? rf_probing_pdf("240863", e.arena) : rf_probing_picture("240863", e.arena);
        char *base64 = rf_arena_alloc(e.arena, (size_t)rf_base64_length(file.n) + 1);
        rf_base64_encode(file.p, file.n, base64);
        ask(&e, "/offline/v1/messages", "",
            quoted(e.arena, rf_strf(e.arena,
                                    "{'model':'offline','max_tokens':99,'messages':[{'role':'user','content':[{'type':'%s,"
                                    "'data':'%s'}},{'type':'text','text':'What code is in it?'}]}]}",
                                    sources[i], base64).p));
        assert_says(&e, 200, "\"text\":\"The code is 240863.\"");
    }
    ask(&e, "/offline/v1/messages", "", quoted(e.arena, BODY("", ASKED("What code is in it? 240863"))));
    assert_says(&e, 200, "\"text\":\"I see no code.\"");
    end(&e);
}

static const struct key_row {
    const char *name, *path, *header, *body;
    int status;
} keys[] = {
    { "no key", "/v1/messages", "nothing", "{}", 401 },
    { "a key", "/v1/messages", "x-api-key", "{}", 400 },
    { "another header", "/v1/messages", "authorization", "{}", 400 },
    { "no key for Amazon", "/model/amazon.nova-lite-v1:0/converse", "nothing", "{}", 403 },
    { "a key in the query", "/v1beta/models/gemini-3-pro-preview:generateContent?alt=sse&key=k", "nothing", "{}", 400 },
    { "none in the query", "/v1beta/models/gemini-3-pro-preview:generateContent?keys=k", "nothing", "{}", 403 },
    { "Ollama wants none", "/api/chat", "nothing", "{}", 400 },
    { "no JSON", "/v1/messages", "x-api-key", "{", 400 },
    { "nothing at all", "/v1/messages", "x-api-key", "", 400 },
    { "no object", "/v1/messages", "x-api-key", "[]", 400 },
    { "nobody's path", "/nothing", "x-api-key", "{}", 404 },
};

static char logged[400];

static void keep(void *ctx, const char *line)
{
    (void)ctx;
    snprintf(logged, sizeof logged, "%s", line);
}

static void check_key(void **state)
{
    const struct key_row *row = *state;
    const struct rf_sim_options options = { .no_worker = true, .log = keep };
    struct exchange e;
    logged[0] = 0;
    begin(&e, &options);
    ask(&e, row->path, row->header, rf_str(row->body));
    assert_int_equal(e.reply.status, row->status);
    assert_null(strstr(logged, "sk-secret"));
    assert_null(strstr(logged, "key=k"));
    assert_int_equal(logged[0] != 0, row->status != 404);
    end(&e);
}

static void only_post(void **state)
{
    const struct rf_sim_options options = { .any_key = true };
    const struct rf_sim_call call = { .method = "GET", .path = "/v1/messages" };
    struct exchange e;
    (void)state;
    begin(&e, &options);
    rf_sim_answer(e.sim, &call, e.arena, &e.reply);
    assert_int_equal(e.reply.status, 405);
    end(&e);
}

static void a_provider_that_is_none(void **state)
{
    const struct rf_sim_options options = { .provider = "anthropc" };
    struct rf_sim *sim = NULL;
    struct rf_err err;
    (void)state;
    assert_int_equal(rf_sim_new(&options, &sim, &err), RF_EUSAGE);
    assert_string_equal(err.msg, "no provider and no dialect is called \"anthropc\"");
    assert_null(sim);
}

/* Scripts. */

static const char *file_of(struct rf_arena *a, const char *folder, const char *text)
{
    const char *path = in_folder(a, folder, "script.yaml");
    write_file(path, rf_str(text));
    return path;
}

static const struct wrong_row {
    const char *name, *script, *words;
} wrongs[] = {
    { "no list", "text: hi\n", ":1: expected a list of replies under" },
    { "an unknown key", "replies:\n- {text: a}\n- {txt: b}\n", ":3: unknown key \"txt\"" },
    { "an unknown condition", "- when: {moon: full}\n", ":1: no such condition: \"moon\"" },
    { "a status that is none", "- {status: 42}\n", ":1: no number that makes sense for \"status\"" },
    { "a text for a number", "- {delay_ms: soon}\n", "no number that makes sense for \"delay_ms\"" },
    { "a call without a name", "- calls: [{arguments: {}}]\n", "a call needs its \"name\"" },
    { "arguments that are not a map", "- calls: [{name: f, arguments: [1]}]\n", "and no \"arguments\"" },
    { "no map", "- hello\n", "expected a map in \"replies\"" },
    { "no YAML", "- {\n", "script.yaml" },
};

static void check_wrong(void **state)
{
    const struct wrong_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const char *folder = scratch_new(a);
    const struct rf_sim_options options = { .script = file_of(a, folder, row->script) };
    struct rf_sim *sim = NULL;
    struct rf_err err;
    assert_int_equal(rf_sim_new(&options, &sim, &err), RF_ECONFIG);
    if (!strstr(err.msg, row->words))
        assert_string_equal(err.msg, row->words);
    scratch_remove(folder);
    rf_arena_free(a);
}

static const char script[] = "replies:\n"
                             "- {status: 429, retry_after_s: 3, times: 2}\n"
                             "- {refuse_part: 2, when: {files: 2}}\n"
                             "- when: {words: weather}\n"
                             "  calls: [{name: f, arguments: {n: 3, s: \"3\", deep: [true, null, x]}}]\n"
                             "- {text: Hello., when: {request: 5}, cut_after_bytes: 20}\n"
                             "- {text: Hello., stall_after_bytes: 5, stall_ms: 70, delay_ms: 7}\n"
                             "- {body: <html>, content_type: text/html, status: 502}\n"
                             "- {status: 529, when: {provider: groq}}\n";

static void scripts_are_followed(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const char *folder = scratch_new(a);
    const struct rf_sim_options options = { .any_key = true, .no_worker = true, .script = file_of(a, folder, script) };
    struct exchange e;
    (void)state;
    begin(&e, &options);
    struct rf_str hi = quoted(a, BODY("", ASKED("hi"))), weather = quoted(a, BODY("", ASKED("How is the weather?")));
    struct rf_str files = quoted(a, BODY("", "{'role':'user','content':[" IMAGE ",{'type':'document','source':{'type':'text',"
                                         "'media_type':'text/plain','data':'x'}}," IMAGE "]}"));
    ask(&e, "/offline/v1/messages", "", quoted(a, "{}"));
    assert_int_equal(e.reply.status, 400); /* what is wrong gets no further */
    for (int i = 0; i < 2; i++) {
        ask(&e, "/offline/v1/messages", "", hi);
        assert_says(&e, 429, "rate_limit_error");
        assert_string_equal(e.reply.headers[0][0], "retry-after");
        assert_string_equal(e.reply.headers[0][1], "3");
    }
    ask(&e, "/offline/v1/messages", "", weather);
    assert_says(&e, 200, "\"input\":{\"n\":3,\"s\":\"3\",\"deep\":[true,null,\"x\"]}");
    ask(&e, "/offline/v1/messages", "", hi);
    assert_true(e.reply.cut);
    assert_int_equal(e.text.n, 20);
    ask(&e, "/offline/v1/messages", "", hi);
    assert_int_equal(e.reply.chunks[0].delay_ms, 7);
    assert_int_equal(e.reply.chunks[0].bytes.n, 5);
    assert_int_equal(e.reply.chunks[1].delay_ms, 70);
    assert_says(&e, 200, "Hello.");
    ask(&e, "/offline/v1/messages", "", hi);
    assert_says(&e, 502, "<html>");
    assert_string_equal(e.reply.content_type, "text/html");
    ask(&e, "/offline/v1/messages", "", hi);
    assert_says(&e, 200, "I was given"); /* the rest is for somebody else */
    ask(&e, "/offline/v1/messages", "", files);
    assert_int_equal(e.reply.status, 200); /* the second is not base64: it cannot be named */
    end(&e);
    scratch_remove(folder);
    rf_arena_free(a);
}

static const struct part_row {
    const char *name, *path, *body, *words;
} parts[] = {
    { "Anthropic", "/v1/messages",
      "{'model':'claude-sonnet-4-5','max_tokens':9,'messages':[" ASKED("Hm") "," CALLED("f", "{}") "," RESULT(
          "{'type':'text','text':'x'}," IMAGE) "]}",
      "messages.2.content.0.tool_result.content.1.image.source.base64.data: Could not process image" },
    { "Bedrock", "/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/converse",
      "{'messages':[{'role':'user','content':[{'text':'x'},{'image':{'format':'png','source':{'bytes':'" RED "'}}}]}]}",
      "messages.0.content.1.image.source.bytes: Could not process image" },
    { "OpenAI", "/v1/chat/completions",
      "{'model':'gpt-4o','messages':[{'role':'user','content':[{'type':'text','text':'x'},{'type':'image_url','image_url':{'url':"
      "'data:image/png;base64," RED "'}}]}]}",
      "messages[0].content[1].image_url.url" },
};

static void check_part(void **state)
{
    const struct part_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const char *folder = scratch_new(a);
    const struct rf_sim_options options = { .any_key = true,
                                            .no_worker = true,
                                            .script = file_of(a, folder, "- {refuse_part: 1}\n") };
    struct exchange e;
    begin(&e, &options);
    ask(&e, row->path, "", quoted(a, row->body));
    assert_says(&e, 400, row->words);
    ask(&e, row->path, "", quoted(a, row->body));
    assert_says(&e, 200, "I was given image/png 8x8");
    end(&e);
    scratch_remove(folder);
    rf_arena_free(a);
}

/* Recordings. */

#define RECORDED(text, response) \
    "{'request':{'method':'POST','url':'https://api.anthropic.com/v1/messages?beta=true','body':{'model':'m','messages':[" ASKED(text) \
    "]}},'response':" response "}"

static void recordings_are_played(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const char *folder = scratch_new(a);
    const struct rf_sim_options options = { .any_key = true, .no_worker = true, .replay = folder };
    struct exchange e;
    (void)state;
    make_folder(in_folder(a, folder, "anthropic"));
    write_file(in_folder(a, folder, "anthropic/one.json"),
               quoted(a, "{'exchanges':[" RECORDED("cats", "{'status':200,'content_type':'application/json','body':{'about':'cats'}}") ","
                         RECORDED("dogs", "{'status':200,'content_type':'text/event-stream','body':'a: 1\\n\\nb: 2\\n\\n'}") "]}"));
    write_file(in_folder(a, folder, "anthropic/two.json"),
               quoted(a, "{'exchanges':[" RECORDED("mice", "{'status':400,'body':{'$eventstream_b64':'aGVsbG8='}}") "]}"));
    write_file(in_folder(a, folder, "broken.json"), RF_STR("{"));
    begin(&e, &options);
    ask(&e, "/v1/messages", "", quoted(a, BODY("", ASKED("cats"))));
    assert_says(&e, 200, "{\"about\":\"cats\"}");
    ask(&e, "/v1/messages", "", quoted(a, BODY("", ASKED("dogs"))));
    assert_says(&e, 200, "a: 1\n\nb: 2\n\n");
    assert_int_equal(e.reply.count, 2);
    assert_string_equal(e.reply.content_type, "text/event-stream");
    ask(&e, "/v1/messages", "", quoted(a, BODY("", ASKED("mice"))));
    assert_says(&e, 400, "hello");
    ask(&e, "/v1/chat/completions", "", quoted(a, "{'model':'gpt-4o','messages':[{'role':'user','content':'cats'}]}"));
    assert_says(&e, 200, "I was given"); /* nothing was recorded of that */
    end(&e);
    scratch_remove(folder);
    rf_arena_free(a);
}

static void no_recordings(void **state)
{
    struct rf_arena *a = rf_arena_new();
    const char *folder = scratch_new(a);
    struct rf_sim_options options = { .replay = folder };
    struct rf_sim *sim;
    struct rf_err err;
    (void)state;
    assert_int_equal(rf_sim_new(&options, &sim, &err), RF_ECONFIG);
    scratch_remove(folder);
    assert_int_equal(rf_sim_new(&options, &sim, &err), RF_ENOTFOUND);
    rf_arena_free(a);
}

static const struct CMUnitTest others[] = {
    cmocka_unit_test(ids_are_new_without_a_seed),
    cmocka_unit_test(a_blind_one_does_not_see), cmocka_unit_test(the_worker_is_asked),
    cmocka_unit_test(only_post),                cmocka_unit_test(a_provider_that_is_none),
    cmocka_unit_test(scripts_are_followed),     cmocka_unit_test(recordings_are_played),
    cmocka_unit_test(no_recordings),            cmocka_unit_test(codes_are_read),
    cmocka_unit_test(whoever_is_stopped_looks_at_nothing),
};

#define ALL (COUNT(routes) + COUNT(thoughts) + COUNT(keys) + COUNT(wrongs) + COUNT(parts) + COUNT(others))

int main(void)
{
    struct CMUnitTest tests[ALL], *t = tests;
    name_rows(t, check_route, routes, COUNT(routes), sizeof *routes);
    t += COUNT(routes);
    name_rows(t, check_thought, thoughts, COUNT(thoughts), sizeof *thoughts);
    t += COUNT(thoughts);
    name_rows(t, check_key, keys, COUNT(keys), sizeof *keys);
    t += COUNT(keys);
    name_rows(t, check_wrong, wrongs, COUNT(wrongs), sizeof *wrongs);
    t += COUNT(wrongs);
    name_rows(t, check_part, parts, COUNT(parts), sizeof *parts);
    t += COUNT(parts);
    memcpy(t, others, sizeof others);
    return cmocka_run_group_tests_name("sim", tests, NULL, NULL);
}
