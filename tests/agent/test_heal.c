/* Healing: the file that a refusal means is found, that one alone goes, and nothing goes for anything else. */
#include "agent/heal/heal.h"
#include "base/json_read.h"
#include "media/worker.h"
#include "model/facts.h"
#include "model/model.h"
#include "request/withhold.h"
#include "wire/wire.h"

#include <refract/learned.h>
#include <refract/refract.h>

#include "../source/files.h"
#include "../worker/packing.h"

#define PICTURES 4

static struct rf_arena *world;

static int make_world(void **state)
{
    (void)state;
    world = rf_arena_new();
    return 0;
}

static int remove_world(void **state)
{
    (void)state;
    rf_arena_free(world);
    return 0;
}

/* A conversation, a model, and the request of the moment. */
struct talk {
    struct rf_conversation *conversation;
    struct rf_model *model;
    struct rf_request *request;
    struct rf_heal *heal;
    struct rf_arena *arena;
    bool convert;
};

/* A picture unlike any other: a whole one, with bytes of its own after it. */
static struct rf_str picture(struct rf_arena *a, size_t i)
{
    struct rf_str more = rf_strf(a, "picture %zu", i);
    return to_base64(a, rf_str_join(a, RF_STR(PNG_BYTES), more));
}

static struct rf_str image_block(struct rf_arena *a, size_t i)
{
    return rf_strf(a, "{\"type\":\"image\",\"name\":\"p%zu.png\",\"data\":\"%.*s\"}", i,
                   RF_FMT(picture(a, i)));
}

/* A system prompt, a question with a picture, a result with two, and a question with another. */
static struct rf_str pictures_everywhere(struct rf_arena *a)
{
    return rf_strf(
        a,
        "{\"refract\":1,\"system\":\"Be brief.\",\"tools\":[{\"name\":\"look\"}],\"messages\":["
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"first\"},%.*s]},"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_call\",\"id\":\"callno001\",\"name\":\"look\"}]},"
        "{\"role\":\"tool\",\"tool_call_id\":\"callno001\",\"name\":\"look\",\"output\":\"two\","
        "\"content_blocks\":[%.*s,%.*s]},"
        "{\"role\":\"assistant\",\"content\":\"I see.\"},"
        "{\"role\":\"user\",\"content\":[%.*s,{\"type\":\"text\",\"text\":\"and this?\"}]}]}",
        RF_FMT(image_block(a, 0)), RF_FMT(image_block(a, 1)), RF_FMT(image_block(a, 2)),
        RF_FMT(image_block(a, 3)));
}

static void build(struct talk *t)
{
    struct rf_request_options *o = rf_request_options_new();
    struct rf_err err;
    if (!t->convert)
        rf_request_options_as_is(o);
    rf_heal_apply(t->heal, o);
    rf_request_free(t->request);
    t->request = NULL;
    if (rf_request_build(t->conversation, t->model, o, &t->request, &err))
        fail_msg("%s", err.msg);
    rf_request_options_free(o);
}

static struct talk begin(const char *model, struct rf_str document)
{
    struct talk t = { .arena = rf_arena_new() };
    t.heal = rf_heal_new(t.arena);
    struct rf_err err;
    if (rf_conversation_read(document, &t.conversation, &err) ||
        rf_model_open(NULL, model, &t.model, &err))
        fail_msg("%s", err.msg);
    build(&t);
    return t;
}

static void end(struct talk *t)
{
    rf_request_free(t->request);
    rf_model_close(t->model);
    rf_conversation_free(t->conversation);
    rf_arena_free(t->arena);
}

static bool is_sent(const struct talk *t, size_t file)
{
    enum rf_delivery d = rf_report_delivery(t->request, file);
    return d == RF_DELIVERY_NATIVE || d == RF_DELIVERY_FALLBACK;
}

static struct rf_healing refuse_with(struct talk *t, int status, struct rf_str body)
{
    struct rf_refusal refusal;
    struct rf_healing healing;
    struct rf_err err;
    rf_wire_refusal(t->model, status, body, t->arena, &refusal);
    struct rf_attempt attempt = { NULL, t->model, t->request, &refusal, false };
    if (rf_heal_refused(t->heal, &attempt, t->arena, &healing, &err))
        fail_msg("%s", err.msg);
    assert_int_equal(healing.again, healing.note.n > 0);
    return healing;
}

/* A refusal with these words, in the shape that most APIs give it. */
static struct rf_healing refuse(struct talk *t, const char *words)
{
    struct rf_str body = rf_strf(
        t->arena, "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"%s\"}}", words);
    return refuse_with(t, 400, body);
}

static void accept_it(struct talk *t)
{
    struct rf_err err;
    if (rf_heal_accepted(t->heal, NULL, t->request, &err))
        fail_msg("%s", err.msg);
}

/* Each dialect, each place. */

enum style {
    DOTS,     /* messages.2.content.0.content.1.image.source.base64.data */
    BRACKETS, /* messages[2].content[1].image_url */
    SLASHES,  /* #/messages/2/content/0 */
    LIST,     /* ["body","messages",2,"content",1] */
};

static const struct endpoint {
    const char *name;
    enum style style;
    const char *tail, *words;
} endpoints[] = {
    { "anthropic:claude-sonnet-4-5", DOTS, ".image.source.base64.data",
      ": The file format is invalid or unsupported" },
    { "bedrock:us.anthropic.claude-sonnet-4-5", DOTS, ".image.source.bytes",
      ": Could not process image" },
    { "bedrock:amazon.nova-pro-v1:0", SLASHES, "",
      ": the image could not be read, please reformat" },
    { "google:gemini-2.5-flash", BRACKETS, ".inline_data.data", ": Unable to process input image" },
    { "google:gemini-3-pro", BRACKETS, ".inline_data", ": Provided image is not valid." },
    { "openai-chat:gpt-4o", BRACKETS, ".image_url.url", ". Invalid image data" },
    { "openai:gpt-5", BRACKETS, ".image_url",
      ". Expected a base64-encoded data URL with an image MIME type" },
    { "groq:meta-llama/llama-4-scout-17b-16e-instruct", BRACKETS, ".image_url",
      " : invalid image data" },
    { "mistral:mistral-large-latest", LIST, ",\\\"image_url\\\"",
      " Input should be a valid image" },
    { "cohere:command-a-vision-07-2025", BRACKETS, ".image_url", ": invalid image data" },
    { "xai:grok-4", BRACKETS, "", ": invalid image" },
    { "openrouter:openai/gpt-4o", DOTS, ".image_url", ": Could not process image" },
};

static struct rf_str spelled(struct rf_arena *a, const struct rf_json_mark *p, enum style style)
{
    static const char *const forms[] = { "%s%.*s.%zu", "%s%.*s[%zu]", "%s%.*s/%zu",
                                         "%s\\\"%.*s\\\",%zu" };
    static const char *const between[] = { ".", ".", "/", "," };
    static const char *const before[] = { "", "Invalid '", "#/", "[\\\"body\\\"," };
    struct rf_str out = rf_str(before[style]);
    for (size_t i = 0; i < p->count; i++) {
        const char *join = i ? between[style] : "";
        char step[128];
        if (style == LIST)
            snprintf(step, sizeof step, "%s\\\"%.*s\\\",\\\"tag\\\",%zu", join,
                     RF_FMT(p->steps[i].list), p->steps[i].index);
        else
            snprintf(step, sizeof step, forms[style], join, RF_FMT(p->steps[i].list),
                     p->steps[i].index);
        out = rf_str_join(a, out, rf_str(step));
    }
    return out;
}

/* Does the place hold the file, and no other? By the body, read as what it is. */
static void check_place(const struct talk *t, const struct rf_json_mark *p)
{
    struct rf_str body;
    const struct rf_jval *v;
    struct rf_err err;
    if (rf_rope_flatten(&t->request->body, SIZE_MAX, t->arena, &body, &err) ||
        rf_jval_parse(body, t->arena, &v, &err))
        fail_msg("%s", err.msg);
    for (size_t i = 0; i < p->count; i++) {
        const char *list = rf_cstr(t->arena, p->steps[i].list);
        const struct rf_jval *inner = rf_jval_get(v, list);
        if (!inner) /* inside what an item holds: {"toolResult": {"content": […]}} */
            for (const struct rf_jval *k = rf_jval_first(v); k && !inner;
                 k = rf_jval_next(v, k + 1))
                inner = rf_jval_get(k + 1, list);
        assert_non_null(inner);
        v = rf_jval_at(inner, p->steps[i].index);
        assert_non_null(v);
    }
    const char *start = v->raw.p;
    const struct rf_jval *past = v + v->span - 1;
    struct rf_str inside = { start, (size_t)(past->raw.p + past->raw.n - start) };
    for (size_t i = 0; i < PICTURES; i++)
        assert_int_equal(rf_str_contains(inside, picture(t->arena, i)),
                         i == rf_request_decision(t->request, p->what));
}

static void test_each_place(void **state)
{
    const struct endpoint *e = *state;
    for (size_t bad = 0; bad < PICTURES; bad++) {
        struct talk t = begin(e->name, pictures_everywhere(world));
        const struct rf_json_mark *marks = t.request->marks;
        assert_int_equal(t.request->mark_count, PICTURES);
        struct rf_str path = RF_STR("");
        for (size_t i = 0; i < PICTURES; i++) {
            check_place(&t, &marks[i]);
            if (rf_request_decision(t.request, marks[i].what) == bad)
                path = spelled(t.arena, &marks[i], e->style);
        }
        struct rf_str words = rf_strf(t.arena, "%.*s%s%s", RF_FMT(path), e->tail, e->words);
        struct rf_healing healing = refuse(&t, words.p);
        assert_true(healing.again);
        assert_true(
            rf_str_contains(healing.note, rf_strf(t.arena, "\"p%zu.png\" refused by", bad)));
        build(&t);
        for (size_t i = 0; i < PICTURES; i++)
            assert_int_equal(is_sent(&t, i), i != bad);
        end(&t);
    }
}

/* What must strip nothing. */

static const struct words {
    const char *name;
    int status;
    const char *words;
} unrelated[] = {
    { "an option", 400,
      "This model does not support effort level 'xhigh'. Supported levels: high, low" },
    { "a pair", 400, "messages.1: `tool_use` ids were found without `tool_result` blocks" },
    { "an id inside the result that holds pictures", 400,
      "messages.2.content.0.tool_result.tool_use_id: String should match pattern '^[a-z]+$'" },
    { "a mark of a picture", 400,
      "messages.0.content.1.image.cache_control.type: Input should be 'ephemeral', invalid" },
    { "a text beside a picture", 400,
      "messages.0.content.0.text: text content blocks must be non-empty" },
    { "a tool that is called for its pictures", 400,
      "tools.0.custom.name: 'view image' is invalid, expected a file or image name" },
    { "a tool's name in words", 400,
      "Tool call validation failed: parameters for tool view_image did not match schema" },
    { "an unknown model", 404, "model: claude-sonet-4-5" },
    { "a key", 401, "invalid x-api-key for image" },
    { "a permission", 403, "You may not send an image: invalid account" },
    { "patience", 429, "rate limit: too many images per minute" },
    { "overload", 529, "Overloaded while processing an image" },
    { "a search option", 400, "Web search options not supported with this model." },
    { "words that say nothing", 400, "Request contains an invalid argument." },
    { "sampling that was not sent", 400,
      "Unsupported parameter: 'temperature' is not supported with this model." },
    { "an option", 400, "Unsupported parameter: 'seed' is not supported with this model." },
    { "an inner failure", 500, "Internal error" },
    { "the address of the request", 400, "Invalid URL (POST /v1/v1/messages)" },
};

static void test_unrelated(void **state)
{
    const struct words *w = *state;
    struct talk t = begin("anthropic:claude-sonnet-4-5", pictures_everywhere(world));
    struct rf_str body = rf_strf(t.arena, "{\"error\":{\"message\":\"%s\"}}", w->words);
    assert_false(refuse_with(&t, w->status, body).again);
    build(&t);
    for (size_t i = 0; i < PICTURES; i++)
        assert_true(is_sent(&t, i));
    end(&t);
}

/* Those that were recorded: only the ones that speak of a file may be healed. */
static void test_recorded(void **state)
{
    static const char *const of_files[] = {
        "image.source",        "document.source",
        "video content block", "Content blocks are expected",
        "Invalid file data",   "context stuffing",
        "file type you upl",   "image parts per input",
        "provided URL. Plea",
    };
    const char *shared = shared_folder();
    char line[8192];
    (void)state;
    if (!shared)
        skip();
    FILE *f = fopen(rf_strf(world, "%s/spec/provider-errors.tsv", shared).p, "r");
    assert_non_null(f);
    size_t count = 0;
    while (fgets(line, sizeof line, f)) {
        struct rf_str rest = rf_str(line), provider, status, words;
        int64_t http = 0;
        bool speaks = false;
        rf_str_split(&rest, '\t', &provider);
        rf_str_split(&rest, '\t', &status);
        rf_str_split(&rest, '\t', &words);
        for (size_t i = 0; i < COUNT(of_files); i++)
            speaks |= rf_str_contains(words, rf_str(of_files[i]));
        if (speaks || !rf_str_int64(status, &http))
            continue;
        struct talk t = begin("anthropic:claude-sonnet-4-5", pictures_everywhere(world));
        if (refuse_with(&t, (int)http, words).again)
            fail_msg("healed: %.*s", RF_FMT(words));
        end(&t);
        count++;
    }
    fclose(f);
    assert_true(count > 50);
}

/* Limits. */

static const struct limit {
    const char *name, *words, *fact, *value;
} limits[] = {
    { "a size",
      "messages.4.content.0.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 3145728 bytes",
      "max_image_base64", "3145728" },
    { "a count", "too many images: 4 > 3", "max_images", "3" },
    { "a window", "prompt is too long: 8800 tokens > 8000 maximum", "context_tokens", "8000" },
    { "an answer", "max_tokens: 64000 > 1234, which is the maximum allowed number of output tokens",
      "max_output_tokens", "1234" },
};

static struct rf_str fact(struct talk *t, const char *name)
{
    for (size_t i = 0; i < rf_fact_count(); i++)
        if (strcmp(rf_fact_name(i), name) == 0)
            return rf_model_fact(t->model, i);
    return RF_STR("");
}

static void test_limit(void **state)
{
    const struct limit *l = *state;
    struct talk t = begin("anthropic:claude-sonnet-4-5", pictures_everywhere(world));
    assert_true(refuse(&t, l->words).again);
    assert_str(fact(&t, l->fact), l->value);
    build(&t);
    end(&t);
}

static void test_count_makes_room(void **state)
{
    (void)state;
    struct talk t = begin("anthropic:claude-sonnet-4-5", pictures_everywhere(world));
    assert_true(refuse(&t, "too many images: 4 > 3").again);
    build(&t);
    size_t sent = 0;
    for (size_t i = 0; i < PICTURES; i++)
        sent += is_sent(&t, i);
    assert_in_range(sent, 1, 3);
    end(&t);
}

/* A limit that was known and is named again teaches nothing: the place counts then. */
static void test_known_limit_names_a_place(void **state)
{
    const char *words =
        "messages.0.content.1.image.source.base64: image exceeds 3 MB maximum: 9000000 "
        "bytes > 3145728 bytes";
    (void)state;
    struct talk t = begin("anthropic:claude-sonnet-4-5", pictures_everywhere(world));
    assert_true(refuse(&t, words).again);
    build(&t);
    assert_true(is_sent(&t, 0));
    assert_true(refuse(&t, words).again);
    build(&t);
    assert_false(is_sent(&t, 0));
    assert_true(is_sent(&t, 1));
    end(&t);
}

static struct rf_str long_history(struct rf_arena *a)
{
    struct rf_str out = RF_STR("{\"refract\":1,\"messages\":[");
    for (int i = 0; i < 60; i++) {
        char words[700];
        memset(words, 'w', sizeof words);
        for (size_t k = 5; k < sizeof words; k += 6)
            words[k] = ' ';
        out = rf_strf(
            a,
            "%.*s%s{\"role\":\"user\",\"content\":\"%d %.*s\"},{\"role\":\"assistant\",\"content\":\"ok\"}",
            RF_FMT(out), i ? "," : "", i, (int)sizeof words, words);
    }
    return rf_strf(a, "%.*s,{\"role\":\"user\",\"content\":\"and now?\"}]}", RF_FMT(out));
}

static void test_window_without_number(void **state)
{
    (void)state;
    struct talk t = begin("anthropic:claude-sonnet-4-5", long_history(world));
    uint64_t before = rf_request_length(t.request), now;
    struct rf_healing healing = refuse(&t, "Input is too long for requested model.");
    assert_true(healing.again);
    build(&t);
    now = rf_request_length(t.request);
    assert_true(now < before);
    end(&t);
}

static void test_too_large_without_number(void **state)
{
    static const struct {
        const char *body;
        bool heals;
    } too_large[] = {
        { "<html>413 Request Entity Too Large</html>", true },
        { "<html>413 Request Entity Too Large. More is a matter of your quota.</html>", true },
        { "<html>413 Request Entity Too Large: tokens per minute</html>", false },
    };
    (void)state;
    struct rf_str document =
        RF_STR("{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":[");
    for (size_t i = 0; i < 3; i++) {
        struct rf_str data =
            to_base64(world, rf_str_join(world, long_png(world, 600000), rf_strf(world, "%zu", i)));
        document =
            rf_strf(world, "%.*s%s{\"type\":\"image\",\"name\":\"l%zu.png\",\"data\":\"%.*s\"}",
                    RF_FMT(document), i ? "," : "", i, RF_FMT(data));
    }
    document = rf_strf(world, "%.*s]}]}", RF_FMT(document));
    for (size_t i = 0; i < COUNT(too_large); i++) {
        struct talk t = begin("anthropic:claude-sonnet-4-5", document);
        uint64_t before = rf_request_length(t.request);
        assert_int_equal(refuse_with(&t, 413, rf_str(too_large[i].body)).again, too_large[i].heals);
        build(&t);
        assert_int_equal(rf_request_length(t.request) <= before / 4 * 3, too_large[i].heals);
        assert_true(is_sent(&t, 2));
        end(&t);
    }
}

static void test_blind_model(void **state)
{
    (void)state;
    struct talk t = begin("openrouter:openai/gpt-4o", pictures_everywhere(world));
    assert_true(is_sent(&t, 0));
    assert_true(
        refuse_with(&t, 404,
                    RF_STR("{\"error\":{\"message\":\"No endpoints found that support image "
                           "input\",\"code\":404}}"))
            .again);
    build(&t);
    for (size_t i = 0; i < PICTURES; i++)
        assert_false(is_sent(&t, i));
    assert_false(refuse(&t, "No endpoints found that support image input")
                     .again); /* nothing is left to do */
    end(&t);
}

/* The form of a request. */

/* A question with a PDF, and a result with another and a picture. */
static struct rf_str pdfs_and_a_picture(struct rf_arena *a)
{
    struct rf_str pdf = to_base64(a, RF_STR("%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n"));
    return rf_strf(
        a,
        "{\"refract\":1,\"tools\":[{\"name\":\"look\"}],\"messages\":["
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"first\"},"
        "{\"type\":\"document\",\"name\":\"a.pdf\",\"data\":\"%.*s\"}]},"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_call\",\"id\":\"callno001\","
        "\"name\":\"look\"}]},"
        "{\"role\":\"tool\",\"tool_call_id\":\"callno001\",\"name\":\"look\",\"output\":\"two\","
        "\"content_blocks\":[{\"type\":\"document\",\"name\":\"b.pdf\",\"data\":\"%.*s\"},%.*s]}]}",
        RF_FMT(pdf), RF_FMT(pdf), RF_FMT(image_block(a, 0)));
}

#define MOST_STEPS 4

static const struct formed {
    const char *name, *model, *words;
    const char *steps[MOST_STEPS]; /* a fact and its value after each refusal with these words */
} formed[] = {
    { "Ollama's chat completions", "litellm:claude-sonnet-4-5", "invalid message format",
      { "image_inside -", "native_pdf no", "vision no" } },
    { "llama.cpp", "openai-chat:gpt-4o", "unsupported content[].type",
      { "native_pdf no", "vision no" } },
    { "Gemini 2.5", "google:gemini-3-pro-preview",
      "Multimodal function response is not supported for this model.",
      { "pdf_inside -", "native_pdf no", "vision no" } },
    { "Mistral", "openai-chat:gpt-4o", "Unexpected role 'user' after role 'tool'",
      { "after separated" } },
    { "Mistral after a proxy that moves files", "litellm:gemini-3-pro-preview",
      "litellm.BadRequestError: MistralException - Unexpected role 'user' after role 'tool'",
      { "after separated" } },
    { "Llama on Bedrock", "litellm:some-model",
      "messages.2: a message with toolResult blocks can't hold other content blocks",
      { "after separated" } },
    { "a chat template", "openai-compatible:some-model",
      "Conversation roles must alternate user/assistant/user/assistant/...",
      { "after separated" } },
    { "no tools", "openai-compatible:some-model",
      "registry.ollama.ai/library/tiny:latest does not support tools", { "tools no" } },
    { "no tools at OpenRouter", "openrouter:openai/gpt-4o",
      "No endpoints found that support tool use.", { "tools no" } },
    { "no tools at vLLM", "openai-compatible:some-model",
      "\\\"auto\\\" tool choice requires --enable-auto-tool-choice", { "tools no" } },
};

static void check_step(struct talk *t, const char *step)
{
    struct rf_str value = rf_str(step), name;
    rf_str_split(&value, ' ', &name);
    assert_str(fact(t, rf_cstr(t->arena, name)), value.p);
}

static void test_forms_in_order(void **state)
{
    const struct formed *row = *state;
    struct talk t = begin(row->model, pdfs_and_a_picture(world));
    for (size_t i = 0; i < MOST_STEPS && row->steps[i]; i++) {
        struct rf_healing healing = refuse(&t, row->words);
        assert_true(healing.again);
        assert_true(rf_str_contains(healing.note, t.model->name));
        check_step(&t, row->steps[i]);
        build(&t);
    }
    assert_false(refuse(&t, row->words).again);
    end(&t);
}

static void test_turns_of_one_role(void **state)
{
    (void)state;
    struct talk t = begin("openai-compatible:some-model",
                          RF_STR("{\"refract\":1,\"messages\":["
                                 "{\"role\":\"user\",\"content\":\"one\"},"
                                 "{\"role\":\"user\",\"content\":\"two\"}]}"));
    assert_int_equal(t.request->plan.turn_count, 2);
    assert_true(refuse(&t, "Conversation roles must alternate user/assistant").again);
    build(&t);
    assert_int_equal(t.request->plan.turn_count, 1);
    assert_false(refuse(&t, "Conversation roles must alternate user/assistant").again);
    end(&t);
}

/* Where nothing helped, the model is as it was, and the first words are told. */
static void test_forms_are_undone(void **state)
{
    (void)state;
    struct talk t = begin("litellm:claude-sonnet-4-5", pdfs_and_a_picture(world));
    struct rf_caps before = t.model->caps;
    struct rf_healing healing = refuse(&t, "first: invalid message format");
    while (healing.again) {
        assert_null(healing.first);
        build(&t);
        healing = refuse(&t, "then: invalid message format");
    }
    assert_non_null(healing.first);
    assert_str(healing.first->words, "first: invalid message format");
    for (size_t i = 0; i < rf_fact_count(); i++)
        assert_str(rf_fact_text(&rf_facts[i], &before, t.arena), rf_model_fact(t.model, i).p);
    assert_int_equal(rf_model_fact_source(t.model, (size_t)(rf_fact_find(RF_STR("vision")) -
                                                            rf_facts)),
                     RF_FACT_BUILTIN);
    end(&t);
}

/* What was answered stays, also where something else is refused afterwards. */
static void test_forms_are_learned(void **state)
{
    (void)state;
    struct rf_err err;
    struct talk t = begin("litellm:claude-sonnet-4-5", pdfs_and_a_picture(world));
    assert_true(refuse(&t, "invalid message format").again);
    build(&t);
    assert_int_equal(rf_heal_learn(t.heal, t.request, &err), RF_OK);
    assert_false(refuse(&t, "Unsupported parameter: 'seed' is not supported").again);
    check_step(&t, "image_inside -");
    check_step(&t, "native_pdf yes");
    end(&t);
}

/* Overload while a form is tried says nothing about it. */
static void test_overload_proves_nothing(void **state)
{
    (void)state;
    struct talk t = begin("openai-chat:gpt-4o", pdfs_and_a_picture(world));
    assert_true(refuse(&t, "unsupported content[].type").again);
    assert_false(refuse_with(&t, 529, RF_STR("{\"error\":{\"message\":\"Overloaded\"}}")).again);
    check_step(&t, "native_pdf yes");
    end(&t);
}

/* What the configuration says is not doubted. */
static void test_forms_and_configuration(void **state)
{
    (void)state;
    struct talk t = begin("openai-chat:gpt-4o", pdfs_and_a_picture(world));
    struct rf_err err;
    if (rf_model_set(t.model, RF_STR("native_pdf"), RF_STR("yes"), RF_FACT_OVERRIDE, &err))
        fail_msg("%s", err.msg);
    assert_true(refuse(&t, "unsupported content[].type").again);
    check_step(&t, "native_pdf yes");
    check_step(&t, "vision no");
    end(&t);
}

/* By halves. */

/* The provider says only that some picture is bad. Ask until it answers; true where it does. */
static bool ask(struct talk *t, unsigned bad, int *requests)
{
    rf_heal_begin(t->heal);
    for (*requests = 1;; ++*requests) {
        bool refused = false;
        build(t);
        for (size_t i = 0; i < PICTURES; i++)
            refused |= is_sent(t, i) && (bad & 1u << i);
        if (!refused) {
            accept_it(t);
            return true;
        }
        if (!refuse(t, "Could not process image").again)
            return false;
    }
}

static void test_bisection(void **state)
{
    (void)state;
    for (unsigned bad = 1; bad < 1u << PICTURES; bad++) {
        struct talk t = begin("anthropic:claude-sonnet-4-5", pictures_everywhere(world));
        int requests;
        assert_true(ask(&t, bad, &requests));
        assert_in_range(requests, 2, 1 + RF_HEAL_TRIES);
        bool one = (bad & (bad - 1)) == 0;
        for (int i = 0; one && i < 4; i++)
            assert_true(ask(&t, bad, &requests));
        for (size_t i = 0; i < PICTURES;
             i++) /* with time, one that is bad is found, and all others go again */
            if (one)
                assert_int_equal(is_sent(&t, i), !(bad & 1u << i));
        assert_int_equal(one ? requests : 1, 1);
        end(&t);
    }
}

/* Ollama names no place, and fails with 500. */
static void test_failure_without_a_place(void **state)
{
    (void)state;
    struct rf_str document =
        rf_strf(world, "{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":[%.*s]}]}",
                RF_FMT(image_block(world, 0)));
    struct talk t = begin("ollama:llava:13b", document);
    assert_true(is_sent(&t, 0));
    assert_false(refuse_with(&t, 500, RF_STR("{\"error\":\"model runner has stopped\"}")).again);
    assert_true(
        refuse_with(&t, 500, RF_STR("{\"error\":\"Failed to load image or audio file\"}")).again);
    build(&t);
    assert_false(is_sent(&t, 0));
    end(&t);
}

static void test_what_was_taken_is_no_suspect(void **state)
{
    (void)state;
    struct talk t = begin("anthropic:claude-sonnet-4-5", pictures_everywhere(world));
    accept_it(&t);
    rf_conversation_free(t.conversation);
    struct rf_str more =
        rf_strf(world, ",{\"role\":\"user\",\"content\":[%.*s]}]}", RF_FMT(image_block(world, 9)));
    struct rf_str longer = pictures_everywhere(world);
    longer.n -= 2;
    struct rf_err err;
    assert_int_equal(rf_conversation_read(rf_str_join(world, longer, more), &t.conversation, &err),
                     RF_OK);
    build(&t);
    assert_true(rf_str_contains(refuse(&t, "Could not process image").note, RF_STR("\"p9.png\"")));
    build(&t);
    for (size_t i = 0; i < PICTURES; i++)
        assert_true(is_sent(&t, i));
    assert_false(is_sent(&t, PICTURES));
    end(&t);
}

static void test_gives_up(void **state)
{
    (void)state;
    struct talk t = begin("anthropic:claude-sonnet-4-5", pictures_everywhere(world));
    int tries = 0;
    while (refuse(&t, "Could not process image").again) {
        assert_in_range(++tries, 1, RF_HEAL_TRIES);
        build(&t);
    }
    build(&t); /* it was none of them: all are sent again */
    for (size_t i = 0; i < PICTURES; i++)
        assert_true(is_sent(&t, i));
    end(&t);
}

static void test_other_providers_get_it(void **state)
{
    (void)state;
    struct talk t = begin("anthropic:claude-sonnet-4-5", pictures_everywhere(world));
    struct rf_err err;
    assert_true(
        refuse(&t, "messages.0.content.1.image.source.base64.data: The file format is invalid")
            .again);
    build(&t);
    accept_it(&t);
    assert_false(is_sent(&t, 0));
    rf_request_free(t.request);
    t.request = NULL;
    rf_model_close(t.model);
    assert_int_equal(rf_model_open(NULL, "google:gemini-3-pro", &t.model, &err), RF_OK);
    build(&t);
    assert_true(is_sent(&t, 0));
    end(&t);
}

static void test_reference_is_named(void **state)
{
    (void)state;
    struct talk t = begin(
        "anthropic:claude-sonnet-4-5",
        RF_STR(
            "{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":["
            "{\"type\":\"image\",\"url\":\"https://a.example/1.png\",\"media_type\":\"image/png\"},"
            "{\"type\":\"image\",\"url\":\"https://a.example/2.png\",\"media_type\":\"image/png\"}]}]}"));
    assert_true(is_sent(&t, 0) && is_sent(&t, 1));
    assert_true(refuse(&t, "Unable to download https://a.example/2.png").again);
    build(&t);
    assert_true(is_sent(&t, 0));
    assert_false(is_sent(&t, 1));
    end(&t);
}

/* Addresses that nobody can tell apart are those of files that have one. */
static void test_an_address_is_a_files(void **state)
{
    (void)state;
    struct talk t = begin(
        "anthropic:claude-sonnet-4-5",
        RF_STR(
            "{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":["
            "{\"type\":\"image\",\"url\":\"https://a.example/1.png\",\"media_type\":\"image/png\"}]}]}"));
    assert_true(refuse(&t, "Cannot fetch content from the provided URL. Please check.").again);
    build(&t);
    assert_false(is_sent(&t, 0));
    end(&t);
}

/* With the workers. */

static bool have_worker(const char *family)
{
    return rf_worker_check(rf_workers_shared(), family, world, NULL, NULL) == RF_OK;
}

/* The header is right and there is no page: only whoever decodes it knows. */
static void test_decoding(void **state)
{
    (void)state;
    if (!have_worker("image") || !have_worker("pdf"))
        skip();
    struct rf_str empty = to_base64(world, RF_STR(PDF_BYTES));
    struct rf_str document =
        rf_strf(world,
                "{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":[%.*s,"
                "{\"type\":\"document\",\"name\":\"empty.pdf\",\"data\":\"%.*s\"},%.*s,%.*s]}]}",
                RF_FMT(image_block(world, 0)), RF_FMT(empty), RF_FMT(image_block(world, 2)),
                RF_FMT(image_block(world, 3)));
    struct talk t = begin("google:gemini-3-pro", document);
    assert_true(is_sent(&t, 1));
    assert_true(refuse(&t, "Request contains an invalid argument.").again);
    build(&t);
    for (size_t i = 0; i < PICTURES; i++)
        assert_int_equal(is_sent(&t, i), i != 1);
    end(&t);
}

/* A pixel that has to become another format first. */
#define BMP_BYTES                                                                                 \
    "BM:\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\1\0\0\0\1\0\0\0\1\0\x18\0\0\0\0\0\4\0\0\0\x13\x0b\0\0" \
    "\x13\x0b\0\0\0\0\0\0\0\0\0\0\0\x80\xff\0"
#define RELATION(id, type, target) \
    "<Relationship Id='" id "' Type='t/" type "' Target='" target "'/>"

/* A letter with a picture in it, and a table that is written out. */
static struct rf_str letter_and_table(const char *name, struct rf_str picture)
{
    const struct member members[] = {
        { "[Content_Types].xml", RF_STR("<Types/>") },
        { "_rels/.rels", RF_STR("<Relationships>" RELATION(
                             "r", "officeDocument", "word/document.xml") "</Relationships>") },
        { "word/document.xml",
          RF_STR(
              "<w:document><w:body><w:p><w:r><w:t>Dear all</w:t></w:r></w:p><w:p><w:r><w:drawing>"
              "<pic:pic><a:blip r:embed='a'/></pic:pic></w:drawing></w:r></w:p></w:body>"
              "</w:document>") },
        { "word/_rels/document.xml.rels",
          rf_strf(world, "<Relationships>" RELATION("a", "image", "media/%s") "</Relationships>",
                  name) },
        { rf_strf(world, "word/media/%s", name).p, picture },
    };
    struct rf_str letter = to_base64(world, zip_of(world, members, COUNT(members)));
    return rf_strf(world,
                   "{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":["
                   "{\"type\":\"document\",\"name\":\"letter.docx\",\"data\":\"%.*s\"},"
                   "{\"type\":\"document\",\"name\":\"table.csv\",\"data\":\"YSxiCjEsMgo=\"}]}]}",
                   RF_FMT(letter));
}

/* The pictures in a document are refused, as they are or made: its text goes without them, and no
 * other file has to go for it. */
static void test_picture_in_a_document(void **state)
{
    const struct {
        const char *name;
        struct rf_str bytes;
    } pictures[] = { { "a.png", RF_STR(PNG_BYTES) }, { "a.bmp", RF_STR(BMP_BYTES) } };
    static const char *const words[] = {
        "Could not process image",
        "messages.0.content.1.image.source.base64.data: Could not process image",
    };
    (void)state;
    if (!have_worker("image") || !have_worker("office"))
        skip();
    for (size_t i = 0; i < COUNT(pictures) * COUNT(words); i++) {
        struct talk t = begin("anthropic:claude-sonnet-4-5",
                              letter_and_table(pictures[i / 2].name, pictures[i / 2].bytes));
        t.convert = true;
        build(&t);
        assert_int_equal(t.request->mark_count, 2);
        struct rf_healing healing = refuse(&t, words[i % 2]);
        assert_true(healing.again);
        assert_true(rf_str_starts(healing.note, "\"letter.docx\" refused by"));
        build(&t);
        assert_int_equal(t.request->mark_count, 1);
        assert_true(rf_str_contains(rf_report_reason(t.request, 0), RF_STR("refused it")));
        assert_false(rf_str_contains(rf_report_reason(t.request, 1), RF_STR("refused it")));
        assert_false(refuse(&t, words[i % 2]).again);
        end(&t);
    }
}

static void test_made_anew_first(void **state)
{
    const char *words = "messages.0.content.1.image.source.base64.data: Could not process image";
    (void)state;
    if (!have_worker("image"))
        skip();
    struct talk t = begin("anthropic:claude-sonnet-4-5", pictures_everywhere(world));
    t.convert = true;
    build(&t);
    assert_true(rf_str_contains(refuse(&t, words).note, RF_STR("made anew")));
    build(&t);
    assert_true(is_sent(&t, 0));
    assert_true(rf_str_contains(rf_report_reason(t.request, 0), RF_STR("refused it as it is")));
    assert_true(rf_str_contains(refuse(&t, words).note, RF_STR("as text or a note")));
    build(&t);
    assert_false(is_sent(&t, 0));
    end(&t);
}

/* Without a session too, for as long as the agent lives. */
static void test_made_anew_from_then_on(void **state)
{
    const char *words = "messages.0.content.1.image.source.base64.data: Could not process image";
    struct rf_err err;
    (void)state;
    if (!have_worker("image"))
        skip();
    struct talk t = begin("anthropic:claude-sonnet-4-5", pictures_everywhere(world));
    t.convert = true;
    build(&t);
    assert_true(refuse(&t, words).again);
    build(&t);
    accept_it(&t);
    rf_heal_begin(t.heal);
    build(&t);
    assert_true(is_sent(&t, 0));
    assert_true(rf_str_contains(rf_report_reason(t.request, 0), RF_STR("refused it as it is")));
    rf_request_free(t.request);
    t.request = NULL;
    rf_model_close(t.model);
    assert_int_equal(rf_model_open(NULL, "google:gemini-3-pro", &t.model, &err), RF_OK);
    build(&t);
    assert_true(is_sent(&t, 0));
    assert_int_equal(rf_report_reason(t.request, 0).n, 0);
    end(&t);
}

/* With a store. */

static void note_refusal(void *ctx, const struct rf_session_file *f)
{
    struct rf_str *out = ctx;
    if (f->refused_by.n)
        *out = rf_strf(world, "%.*s%.*s by %.*s: %.*s;", RF_FMT(*out), RF_FMT(f->name),
                       RF_FMT(f->refused_by), RF_FMT(f->refusal));
}

static void test_quarantine(void **state)
{
    const char *folder = scratch_new(world);
    struct rf_store *store;
    struct rf_session *session;
    struct rf_conversation *whole;
    struct rf_err err;
    struct rf_str refused = RF_STR("");
    (void)state;
    struct talk t = begin("anthropic:claude-sonnet-4-5", pictures_everywhere(world));
    assert_int_equal(rf_store_open_at(in_folder(world, folder, "store"), &store, &err), RF_OK);
    assert_int_equal(rf_session_new(store, &session, &err), RF_OK);
    assert_int_equal(rf_session_add(session, t.conversation, &err), RF_OK);
    assert_int_equal(rf_session_conversation(session, &whole, &err), RF_OK);
    rf_conversation_free(t.conversation);
    t.conversation = whole;
    build(&t);
    assert_true(refuse(&t, "messages.2.content.0.tool_result.content.2.image.source.base64.data: "
                           "The file format is invalid or unsupported")
                    .again);
    assert_int_equal(rf_session_files(session, note_refusal, &refused, &err), RF_OK);
    assert_int_equal(refused.n, 0); /* nothing is proven yet */
    build(&t);
    assert_false(is_sent(&t, 2));
    assert_int_equal(rf_heal_accepted(t.heal, session, t.request, &err), RF_OK);
    assert_int_equal(rf_session_files(session, note_refusal, &refused, &err), RF_OK);
    rf_request_free(t.request);
    t.request = NULL;
    rf_conversation_free(t.conversation);
    t.conversation = NULL;
    rf_session_close(session);
    rf_store_close(store);
    assert_str(
        refused,
        "p2.png by anthropic: messages.2.content.0.tool_result.content.2.image.source.base64.data: "
        "The file format is invalid or unsupported;");
    scratch_remove(folder);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_count_makes_room),
        cmocka_unit_test(test_known_limit_names_a_place),
        cmocka_unit_test(test_window_without_number),
        cmocka_unit_test(test_too_large_without_number),
        cmocka_unit_test(test_blind_model),
        cmocka_unit_test(test_turns_of_one_role),
        cmocka_unit_test(test_forms_are_undone),
        cmocka_unit_test(test_forms_are_learned),
        cmocka_unit_test(test_overload_proves_nothing),
        cmocka_unit_test(test_forms_and_configuration),
        cmocka_unit_test(test_bisection),
        cmocka_unit_test(test_failure_without_a_place),
        cmocka_unit_test(test_what_was_taken_is_no_suspect),
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_other_providers_get_it),
        cmocka_unit_test(test_reference_is_named),
        cmocka_unit_test(test_an_address_is_a_files),
        cmocka_unit_test(test_decoding),
        cmocka_unit_test(test_picture_in_a_document),
        cmocka_unit_test(test_made_anew_first),
        cmocka_unit_test(test_made_anew_from_then_on),
        cmocka_unit_test(test_quarantine),
    };
    struct CMUnitTest tests[COUNT(endpoints) + COUNT(unrelated) + COUNT(limits) + COUNT(formed) +
                            COUNT(others)];
    struct CMUnitTest *at = tests;
    name_rows(at, test_each_place, endpoints, COUNT(endpoints), sizeof *endpoints);
    at += COUNT(endpoints);
    name_rows(at, test_unrelated, unrelated, COUNT(unrelated), sizeof *unrelated);
    at += COUNT(unrelated);
    name_rows(at, test_limit, limits, COUNT(limits), sizeof *limits);
    at += COUNT(limits);
    name_rows(at, test_forms_in_order, formed, COUNT(formed), sizeof *formed);
    at += COUNT(formed);
    memcpy(at, others, sizeof others);
    return cmocka_run_group_tests_name("heal", tests, make_world, remove_world);
}
