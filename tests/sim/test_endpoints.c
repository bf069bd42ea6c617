/* What the simulator has besides conversations, asked as its server asks it. */
#include "asking.h"

#include "sim/multipart.h"

#define BEARER "authorization"
#define V1(messages) "{'model':'llama3.2','messages':[" messages "]}"
#define TEXT_IN "All is teal.\n"
#define FORM "multipart/form-data; boundary=\"xx\""
#define FORMED                                                                              \
    "--xx\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nuser_data\r\n--xx\r\n" \
    "Content-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: "   \
    "text/plain\r\n\r\n" TEXT_IN "\r\n--xx--\r\n"

static const struct row {
    const char *name;
    const char *ask;    /* "POST /path" */
    const char *header; /* with a key in it; or NULL */
    const char *body;   /* ' for " */
    int status;
    const char *words; /* in the answer; ' for " */
} rows[] = {
    { "what a model of Ollama can", "POST /ollama/api/show", NULL, "{'model':'qwen3-vl:8b'}", 200,
      "'capabilities':['completion','vision','tools','thinking']" },
    { "its context", "POST /api/show", NULL, "{'model':'qwen3'}", 200,
      "'qwen3.context_length':40960" },
    { "a text model that is named like a vision model", "POST /api/show", NULL,
      "{'model':'llava-tiny'}", 200, "'capabilities':['completion']" },
    { "one that is not listed", "POST /api/show", NULL, "{'model':'my-vision:1b'}", 200,
      "'capabilities':['completion','vision','tools']" },
    { "no model", "POST /ollama/api/show", NULL, "{}", 400, "{'error':'model is required'}" },
    { "Ollama's models", "GET /ollama/api/tags", NULL, "", 200, "'name':'llama3.2:latest'" },
    { "Ollama's version", "GET /api/version", NULL, "", 200, "{'version':'" },
    { "OpenAI's models", "GET /openai/v1/models", BEARER, "", 200,
      "{'object':'list','data':[{'id':'gpt-5.4','object':'model','created':" },
    { "no key", "GET /openai/v1/models", NULL, "", 401, "provide an API key." },
    { "one of OpenAI's", "GET /openai/v1/models/gpt-4o", BEARER, "", 200, "{'id':'gpt-4o'," },
    { "one that is misspelled", "GET /openai/v1/models/gpt-fuor", BEARER, "", 404,
      "not found','type':'invalid_request_error'" },
    { "a page of Anthropic's", "GET /anthropic/v1/models?limit=1", "x-api-key", "", 200,
      "'has_more':true,'first_id':'claude-opus-5','last_id':'claude-opus-5'" },
    { "the page after it", "GET /anthropic/v1/models?limit=5&after_id=claude-opus-5", "x-api-key",
      "", 200, "'has_more':false,'first_id':'claude-sonnet-5'" },
    { "a page of Gemini's", "GET /google/v1beta/models?pageSize=2", "x-goog-api-key", "", 200,
      "'nextPageToken':'2'" },
    { "the last of Gemini's", "GET /google/v1beta/models?pageSize=2&pageToken=2", "x-goog-api-key",
      "", 200, "'name':'models/gemini-embedding-001'" },
    { "Bedrock's profiles", "GET /bedrock/inference-profiles", BEARER, "", 200,
      "'inferenceProfileId':'us.amazon.nova-pro-v1:0'" },
    { "what LiteLLM knows", "GET /litellm/v1/model/info", BEARER, "", 200, "'max_input_tokens':" },
    { "Groq's models", "GET /groq/openai/v1/models", BEARER, "", 200, "'context_window':" },
    { "xAI's models", "GET /xai/v1/models", BEARER, "", 200, "'owned_by':'xai'" },
    { "OpenRouter's models", "GET /openrouter/api/v1/models", BEARER, "", 200,
      "'architecture':{'modality':'text+image->text'," },
    { "Mistral's models", "GET /mistral/v1/models", BEARER, "", 200,
      "'capabilities':{'completion_chat':true," },
    { "Anthropic's models", "GET /anthropic/v1/models", "x-api-key", "", 200,
      "],'has_more':false,'first_id':'claude-opus-5','last_id':'claude-haiku-4-5'}" },
    { "Gemini's models", "GET /google/v1beta/models", "x-goog-api-key", "", 200,
      "{'models':[{'name':'models/gemini-" },
    { "one of Gemini's", "GET /v1beta/models/gemini-2.5-flash", "x-goog-api-key", "", 200,
      "'supportedGenerationMethods':['generateContent','countTokens']" },
    { "Vertex's models", "GET /vertex/v1beta1/publishers/google/models", BEARER, "", 200,
      "{'publisherModels':[{'name':'publishers/google/models/gemini-" },
    { "Cohere's models", "GET /cohere/v1/models", BEARER, "", 200, "'endpoints':['chat']" },
    { "Bedrock's models", "GET /bedrock/foundation-models", BEARER, "", 200,
      "{'modelSummaries':[{'modelArn':'arn:aws:bedrock:" },
    { "Ollama's models for others", "GET /ollama/v1/models", NULL, "", 200,
      "{'id':'llama3.2:latest','object':'model'," },
    { "tokens of messages", "POST /anthropic/v1/messages/count_tokens", "x-api-key",
      "{'model':'claude-haiku-4-5','messages':[{'role':'user','content':'12345678'}]}", 200,
      "{'input_tokens':5}" },
    { "no answer, and no setting of one", "POST /anthropic/v1/messages/count_tokens", "x-api-key",
      "{'model':'claude-haiku-4-5','max_tokens':9,'messages':[{'role':'user','content':'x'}]}", 400,
      "max_tokens: Extra inputs are not permitted" },
    { "tokens of Responses", "POST /openai/v1/responses/input_tokens", BEARER,
      "{'model':'gpt-5','input':'12345678'}", 200,
      "{'object':'response.input_tokens','input_tokens':5}" },
    { "tokens of Converse", "POST /bedrock/model/us.amazon.nova-pro-v1%3A0/count-tokens", BEARER,
      "{'input':{'converse':{'messages':[{'role':'user','content':[{'text':'12345678'}]}]}}}", 200,
      "{'inputTokens':5}" },
    { "tokens of contents", "POST /v1beta/models/gemini-2.5-flash:countTokens", "x-goog-api-key",
      "{'contents':[{'parts':[{'text':'12345678'}]}]}", 200, "{'totalTokens':5," },
    { "tokens of a request", "POST /v1beta/models/gemini-2.5-flash:countTokens", "x-goog-api-key",
      "{'generateContentRequest':{'contents':[{'parts':[{'text':'12345678'}]}]}}", 200,
      "{'totalTokens':5," },
    { "tokens of what is refused", "POST /v1beta/models/gemini-2.5-flash:countTokens",
      "x-goog-api-key", "{'contents':[]}", 400, "contents is not specified" },
    { "a vector", "POST /openai/v1/embeddings", BEARER,
      "{'model':'text-embedding-3-small','input':'a','dimensions':4}", 200, "0.50000000" },
    { "a vector in base64", "POST /openai/v1/embeddings", BEARER,
      "{'model':'m','input':['a','b'],'dimensions':1,'encoding_format':'base64'}", 200,
      "'embedding':'AACA" },
    { "no text", "POST /mistral/v1/embeddings", BEARER, "{'model':'mistral-embed'}", 400,
      "Missing required parameter: " },
    { "vectors of Cohere", "POST /cohere/v2/embed", BEARER,
      "{'model':'embed-v4.0','texts':['a'],'output_dimension':4}", 200,
      "'response_type':'embeddings_by_type'" },
    { "vectors of Ollama", "POST /api/embed", NULL, "{'model':'nomic-embed-text','input':['a']}",
      200, "{'model':'nomic-embed-text','embeddings':[[" },
    { "a vector of Gemini", "POST /v1beta/models/gemini-embedding-001:embedContent",
      "x-goog-api-key", "{'content':{'parts':[{'text':'a'}]},'outputDimensionality':4}", 200,
      "{'embedding':{'values':[" },
    { "vectors of Gemini", "POST /v1beta/models/gemini-embedding-001:batchEmbedContents",
      "x-goog-api-key", "{'requests':[{'content':{'parts':[{'text':'a'}]}}]}", 200,
      "{'embeddings':[{'values':[" },
    { "a file that is not there", "GET /openai/v1/files/file-1", BEARER, "", 404,
      "No such File object: file-1" },
    { "an upload that is not one", "POST /openai/v1/files", BEARER, "{}", 400,
      " is a required property" },
    { "no files", "GET /google/v1beta/files", "x-goog-api-key", "", 200, "{'files':[]}" },
    { "Ollama's chat completions", "POST /ollama/v1/chat/completions", NULL,
      V1("{'role':'user','content':'Hm?'}"), 200, "'system_fingerprint':'fp_ollama'" },
    { "a PDF there", "POST /ollama/v1/chat/completions", NULL,
      V1("{'role':'user','content':[{'type':'file','file':{'file_id':'x'}}]}"), 400,
      "{'error':{'message':'invalid message format','type':'invalid_request_error'" },
    { "tools there", "POST /ollama/v1/chat/completions", NULL,
      "{'model':'llava:13b','messages':[{'role':'user','content':'x'}],'tools':[{'type':'function',"
      "'function':{'name':'f'}}]}",
      400, "does not support tools','type':'api_error'" },
    { "Ollama's Responses", "POST /ollama/v1/responses", NULL, "{'model':'llama3.2','input':'Hm?'}",
      200, "'status':'completed'" },
    { "a list in a result there", "POST /ollama/v1/responses", NULL,
      "{'model':'llama3.2','input':[{'type':'function_call','call_id':'a','name':'f','arguments':'"
      "{}'},{'type':'function_call_output','call_id':'a','output':[]}]}",
      400, "cannot unmarshal array into Go struct field ResponsesFunctionCallOutput.output" },
    { "Ollama's Messages", "POST /ollama/v1/messages", NULL,
      "{'model':'llama3.2','max_tokens':99,'messages':[{'role':'user','content':'Hm?'}]}", 200,
      "'stop_reason':'end_turn','usage':{'input_tokens':" },
    { "a model for embeddings there", "POST /ollama/v1/messages", NULL,
      "{'model':'nomic-embed-text','max_tokens':9,'messages':[{'role':'user','content':'Hm?'}]}",
      400, "{'type':'error','error':{'type':'invalid_request_error','message':'" },
    { "a window that is too small", "POST /ollama/api/chat", NULL,
      "{'model':'llama3.2','stream':false,'options':{'num_ctx':8},'messages':[{'role':'user',"
      "'content':'the first, which is long enough to be cut off'},{'role':'user',"
      "'content':'Last'}]}",
      200, "I was given the text \\\'Last\\\'." },
};

/* An upload, a request that refers to it, and its end; each with what it answers. */
static const struct upload {
    const char *name, *key, *path, *type, *upload, *file; /* `file` is its path up to the id */
    const char *id;                                       /* the member that has the id */
    const char *ask, *body;                               /* with the id for "%s" */
} uploads[] = {
    { "OpenAI's files", BEARER, "/openai/v1/files", FORM, FORMED, "/openai/v1/files/", "id",
      "/openai/v1/responses",
      "{'model':'gpt-5','input':[{'role':'user','content':[{'type':'input_file',"
      "'file_id':'%s'}]}]}" },
    { "Anthropic's files", "x-api-key", "/anthropic/v1/files", FORM, FORMED, "/anthropic/v1/files/",
      "id", "/anthropic/v1/messages",
      "{'model':'claude-haiku-4-5','max_tokens':999,'messages':[{'role':'user','content':[{'type':"
      "'document','source':{'type':'file','file_id':'%s'}}]}]}" },
    { "Gemini's files", "x-goog-api-key", "/google/upload/v1beta/files?key=k&upload_id=", "",
      TEXT_IN, "/google/v1beta/files/", "name",
      "/google/v1beta/models/gemini-2.5-flash:generateContent",
      "{'contents':[{'parts':[{'fileData':{'fileUri':'http://x/v1beta/%s','mimeType':'text/plain'"
      "}}]}]}" },
};

static const char *some_key(void *ctx, const char *name)
{
    return ctx && strcmp(name, ctx) == 0 ? "sk-secret" : NULL;
}

static struct rf_str ask(struct rf_sim *sim, const struct row *row, struct rf_arena *a,
                         struct rf_sim_reply *reply)
{
    struct rf_str path = rf_str(row->ask), method, text = RF_STR("");
    rf_str_split(&path, ' ', &method);
    const struct rf_sim_call call = { .method = rf_cstr(a, method),
                                      .path = rf_cstr(a, path),
                                      .header = some_key,
                                      .ctx = (void *)(uintptr_t)row->header,
                                      .body = quoted(a, row->body) };
    rf_sim_answer(sim, &call, a, reply);
    for (size_t i = 0; i < reply->count; i++)
        text = rf_str_join(a, text, reply->chunks[i].bytes);
    return text;
}

static void check(void **state)
{
    const struct row *row = *state;
    const struct rf_sim_options options = { 0 };
    struct rf_arena *a = rf_arena_new();
    struct rf_sim_reply reply;
    struct rf_sim *sim;
    struct rf_err err;
    assert_int_equal(rf_sim_new(&options, &sim, &err), RF_OK);
    struct rf_str text = ask(sim, row, a, &reply);
    if (!rf_str_contains(text, quoted(a, row->words)))
        assert_str(text, quoted(a, row->words).p);
    assert_int_equal(reply.status, row->status);
    rf_sim_free(sim);
    rf_arena_free(a);
}

/* Headers of an upload: a key, a type and, in two steps, what to do. */
struct headers {
    const char *key, *type, *command;
};

static const char *header_of(void *ctx, const char *name)
{
    const struct headers *h = ctx;
    if (strcmp(name, h->key) == 0)
        return "sk-secret";
    if (strcmp(name, "content-type") == 0)
        return h->type;
    return strcmp(name, "x-goog-upload-command") == 0 ? h->command : NULL;
}

struct talk {
    struct rf_arena *arena;
    struct rf_sim *sim;
    struct headers headers;
    struct rf_sim_reply reply;
};

static const struct rf_jval *say(struct talk *t, const char *method, const char *path,
                                 struct rf_str body)
{
    const struct rf_sim_call call = {
        .method = method, .path = path, .header = header_of, .ctx = &t->headers, .body = body
    };
    const struct rf_jval *v = NULL;
    rf_sim_answer(t->sim, &call, t->arena, &t->reply);
    assert_int_equal(t->reply.count, 1);
    return rf_jval_parse(t->reply.chunks[0].bytes, t->arena, &v, NULL) ? NULL : v;
}

/* The address of the second step ends in the id. */
static const char *second_step(struct talk *t, const struct upload *row)
{
    t->headers.command = "start";
    say(t, "POST", "/google/upload/v1beta/files",
        quoted(t->arena, "{'file':{'mimeType':'text/plain'}}"));
    assert_string_equal(t->reply.headers[1][0], "x-goog-upload-url");
    struct rf_str id = rf_str_behind(rf_str(t->reply.headers[1][1]), '=');
    t->headers.command = "upload, finalize";
    return rf_strf(t->arena, "%s%.*s", row->path, RF_FMT(id)).p;
}

static void uploaded(void **state)
{
    const struct upload *row = *state;
    const struct rf_sim_options options = { .no_worker = true };
    struct talk t = { .arena = rf_arena_new(), .headers = { row->key, row->type, NULL } };
    struct rf_err err;
    assert_int_equal(rf_sim_new(&options, &t.sim, &err), RF_OK);
    const char *path = row->type[0] ? row->path : second_step(&t, row);
    const struct rf_jval *file = say(&t, "POST", path, rf_str(row->upload));
    file = rf_jval_get(file, "file") ? rf_jval_get(file, "file") : file;
    struct rf_str id = rf_jval_text(rf_jval_get(file, row->id), t.arena);
    const char *own = rf_strf(t.arena, "%s%.*s", row->file, RF_FMT(rf_str_behind(id, '/'))).p;
    assert_non_null(say(&t, "GET", own, RF_STR("")));
    assert_int_equal(t.reply.status, 200);

    const char *asked = rf_cstr(t.arena, quoted(t.arena, row->body));
    const char *hole = strstr(asked, "%s");
    say(&t, "POST", row->ask,
        rf_strf(t.arena, "%.*s%.*s%s", (int)(hole - asked), asked, RF_FMT(id), hole + 2));
    assert_true(
        rf_str_contains(t.reply.chunks[0].bytes, RF_STR("that begins with \\\"All is teal.")));

    say(&t, "DELETE", own, RF_STR(""));
    assert_int_equal(t.reply.status, 200);
    say(&t, "GET", own, RF_STR(""));
    assert_int_equal(t.reply.status, 404);
    rf_sim_free(t.sim);
    rf_arena_free(t.arena);
}

static const struct form_row {
    const char *name, *body, *want; /* "name=content" of each part, with spaces between them */
} forms[] = {
    { "parts", FORMED, "purpose=user_data file=" TEXT_IN },
    { "a boundary inside", "--xx\r\n\r\n--x -xx\r\n--xx--", "=--x -xx" },
    { "not ended", "--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb", "" },
    { "cut in its head", "--xx\r\nContent-Disp", "" },
    { "a boundary alone", "--xx", "" },
    { "nothing", "", "" },
};

static void form(void **state)
{
    const struct form_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str rest = rf_str(row->body), got = RF_STR("");
    struct rf_sim_part part;
    while (rf_sim_multipart_next(&rest, rf_sim_multipart_boundary(FORM), &part))
        got = rf_strf(a, "%.*s%s%.*s=%.*s", RF_FMT(got), got.n ? " " : "", RF_FMT(part.name),
                      RF_FMT(part.content));
    assert_str(got, row->want);
    rf_arena_free(a);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(rows) + COUNT(uploads) + COUNT(forms)];
    name_rows(tests, check, rows, COUNT(rows), sizeof *rows);
    name_rows(tests + COUNT(rows), uploaded, uploads, COUNT(uploads), sizeof *uploads);
    name_rows(tests + COUNT(rows) + COUNT(uploads), form, forms, COUNT(forms), sizeof *forms);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
