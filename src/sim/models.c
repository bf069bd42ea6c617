/* Lists of models, and one of them, in the shape of each vendor. What a model takes is the
 * catalogue's; one that is not listed is there all the same, where a conversation would know it.
 *
 * Shapes: the vendors' SDKs and API references (2026-11). */
#include "base/arena.h"
#include "sim/endpoints.h"
#include "sim/ollama/library.h"
#include "sim/strict.h"

#include <inttypes.h>

#define CREATED 1700000000
#define CREATED_AT "2023-11-14T22:13:20Z"
#define USUAL_CONTEXT 131072
#define USUAL_OUTPUT 8192

static const struct {
    const char *providers, *name; /* a pattern of providers */
} listed[] = {
    { "anthropic", "claude-opus-5" },
    { "anthropic", "claude-sonnet-5" },
    { "anthropic", "claude-haiku-4-5" },
    { "bedrock", "us.anthropic.claude-sonnet-5" },
    { "bedrock", "us.amazon.nova-pro-v1:0" },
    { "bedrock", "us.amazon.nova-2-lite-v1:0" },
    { "cohere", "command-a-03-2025" },
    { "cohere", "command-a-vision-07-2025" },
    { "cohere", "command-a-reasoning-08-2025" },
    { "google", "gemini-3.5-flash" },
    { "google", "gemini-3-pro-preview" },
    { "google", "gemini-embedding-001" },
    { "vertex", "gemini-3.5-flash" },
    { "vertex", "gemini-3-pro-preview" },
    { "openai", "gpt-5.4" },
    { "openai", "gpt-5.4-mini" },
    { "openai", "gpt-4.1" },
    { "openai", "text-embedding-3-small" },
    { "openai-chat", "gpt-5.4" },
    { "openai-chat", "gpt-5.4-mini" },
    { "openai-chat", "gpt-4.1" },
    { "openai-chat", "text-embedding-3-small" },
    { "xai*", "grok-4" },
    { "xai*", "grok-4-fast" },
    { "groq", "llama-3.3-70b-versatile" },
    { "groq", "meta-llama/llama-4-scout-17b-16e-instruct" },
    { "groq", "openai/gpt-oss-120b" },
    { "mistral", "mistral-large-latest" },
    { "mistral", "mistral-medium-latest" },
    { "mistral", "magistral-medium-latest" },
    { "mistral", "mistral-embed" },
    { "openrouter", "anthropic/claude-sonnet-5" },
    { "openrouter", "openai/gpt-5.4-mini" },
    { "openrouter", "google/gemini-3.5-flash" },
    { "litellm", "anthropic/claude-sonnet-5" },
    { "litellm", "openai/gpt-5.4-mini" },
    { "openai-compatible", "model" },
};

/* What a query says, or empty. */
static struct rf_str asked_for(const struct rf_sim_asked *asked, const char *name)
{
    const char *query = strchr(asked->r->call->path, '?');
    struct rf_str rest = rf_str(query ? query + 1 : ""), pair, key;
    while (rf_str_split(&rest, '&', &pair)) {
        rf_str_split(&pair, '=', &key);
        if (rf_str_is(key, name))
            return pair;
    }
    return RF_STR("");
}

static int64_t context_of(const struct rf_model *m)
{
    return m->caps.context_tokens ? m->caps.context_tokens : USUAL_CONTEXT;
}

static int64_t output_of(const struct rf_model *m)
{
    return m->caps.max_output_tokens ? m->caps.max_output_tokens : USUAL_OUTPUT;
}

typedef void write_model(struct rf_json *w, const struct rf_model *m, struct rf_arena *a);

static void write_words(struct rf_json *w, const char *key, const char *words)
{
    struct rf_str rest = rf_str(words), word;
    rf_json_arr(w, key);
    while (rf_str_split(&rest, ' ', &word))
        rf_json_str(w, NULL, word);
    rf_json_end(w);
}

/* One model */

static void open_openai(struct rf_json *w, const struct rf_model *m, const char *owner)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "id", m->name);
    rf_json_str(w, "object", RF_STR("model"));
    rf_json_int(w, "created", CREATED);
    rf_json_str(w, "owned_by", rf_str(owner));
}

static void write_openai(struct rf_json *w, const struct rf_model *m, struct rf_arena *a)
{
    (void)a;
    open_openai(w, m, "openai");
    rf_json_end(w);
}

static void write_xai(struct rf_json *w, const struct rf_model *m, struct rf_arena *a)
{
    (void)a;
    open_openai(w, m, "xai");
    rf_json_end(w);
}

static void write_ollama(struct rf_json *w, const struct rf_model *m, struct rf_arena *a)
{
    (void)a;
    open_openai(w, m, "library");
    rf_json_end(w);
}

static void write_groq(struct rf_json *w, const struct rf_model *m, struct rf_arena *a)
{
    (void)a;
    open_openai(w, m, "Groq");
    rf_json_bool(w, "active", true);
    rf_json_int(w, "context_window", context_of(m));
    rf_json_null(w, "public_apps");
    rf_json_int(w, "max_completion_tokens", output_of(m));
    rf_json_end(w);
}

static void write_mistral(struct rf_json *w, const struct rf_model *m, struct rf_arena *a)
{
    bool embeds = rf_glob(RF_STR("*embed*"), m->name);
    (void)a;
    open_openai(w, m, "mistralai");
    rf_json_obj(w, "capabilities");
    rf_json_bool(w, "completion_chat", !embeds);
    rf_json_bool(w, "completion_fim", false);
    rf_json_bool(w, "function_calling", !embeds);
    rf_json_bool(w, "fine_tuning", false);
    rf_json_bool(w, "vision", m->caps.takes[RF_KIND_IMAGE]);
    rf_json_bool(w, "classification", false);
    rf_json_end(w);
    rf_json_str(w, "name", m->name);
    rf_json_null(w, "description");
    rf_json_int(w, "max_context_length", context_of(m));
    rf_json_raw(w, "aliases", RF_STR("[]"));
    rf_json_null(w, "deprecation");
    rf_json_null(w, "default_model_temperature");
    rf_json_str(w, "type", RF_STR("base"));
    rf_json_end(w);
}

/* What one token costs. */
static struct rf_str token_price(int64_t micros, struct rf_arena *a)
{
    return rf_strf(a, "0.%012" PRId64, micros);
}

static void write_openrouter(struct rf_json *w, const struct rf_model *m, struct rf_arena *a)
{
    bool sees = m->caps.takes[RF_KIND_IMAGE];
    rf_json_obj(w, NULL);
    rf_json_str(w, "id", m->name);
    rf_json_str(w, "canonical_slug", m->name);
    rf_json_str(w, "name", m->name);
    rf_json_int(w, "created", CREATED);
    rf_json_str(w, "description", RF_STR(""));
    rf_json_int(w, "context_length", context_of(m));
    rf_json_obj(w, "architecture");
    rf_json_str(w, "modality", sees ? RF_STR("text+image->text") : RF_STR("text->text"));
    write_words(w, "input_modalities", sees ? "text image" : "text");
    write_words(w, "output_modalities", "text");
    rf_json_str(w, "tokenizer", RF_STR("Other"));
    rf_json_null(w, "instruct_type");
    rf_json_end(w);
    rf_json_obj(w, "pricing");
    rf_json_str(w, "prompt", token_price(m->caps.price_input, a));
    rf_json_str(w, "completion", token_price(m->caps.price_output, a));
    rf_json_end(w);
    rf_json_obj(w, "top_provider");
    rf_json_int(w, "context_length", context_of(m));
    rf_json_int(w, "max_completion_tokens", output_of(m));
    rf_json_bool(w, "is_moderated", false);
    rf_json_end(w);
    rf_json_null(w, "per_request_limits");
    write_words(w, "supported_parameters", "max_tokens temperature tools tool_choice");
    rf_json_null(w, "default_parameters");
    rf_json_null(w, "supported_voices");
    rf_json_obj(w, "links");
    rf_json_str(w, "details", rf_strf(a, "/api/v1/models/%.*s/endpoints", RF_FMT(m->name)));
    rf_json_end(w);
    rf_json_end(w);
}

static void write_anthropic(struct rf_json *w, const struct rf_model *m, struct rf_arena *a)
{
    (void)a;
    rf_json_obj(w, NULL);
    rf_json_str(w, "type", RF_STR("model"));
    rf_json_str(w, "id", m->name);
    rf_json_str(w, "display_name", m->name);
    rf_json_str(w, "created_at", RF_STR(CREATED_AT));
    rf_json_str(w, "lifecycle", RF_STR("active"));
    rf_json_int(w, "max_input_tokens", context_of(m));
    rf_json_int(w, "max_tokens", output_of(m));
    rf_json_end(w);
}

static void write_gemini(struct rf_json *w, const struct rf_model *m, struct rf_arena *a)
{
    bool embeds = rf_glob(RF_STR("*embedding*"), m->name);
    rf_json_obj(w, NULL);
    rf_json_str(w, "name", rf_strf(a, "models/%.*s", RF_FMT(m->name)));
    rf_json_str(w, "version", RF_STR("001"));
    rf_json_str(w, "displayName", m->name);
    rf_json_str(w, "description", m->name);
    rf_json_int(w, "inputTokenLimit", context_of(m));
    rf_json_int(w, "outputTokenLimit", embeds ? 1 : output_of(m));
    write_words(w, "supportedGenerationMethods",
                embeds ? "embedContent countTokens" : "generateContent countTokens");
    rf_json_int(w, "temperature", 1);
    rf_json_raw(w, "topP", RF_STR("0.95"));
    rf_json_int(w, "topK", 64);
    rf_json_int(w, "maxTemperature", 2);
    rf_json_bool(w, "thinking", rf_caps_thinks_when_asked(&m->caps));
    rf_json_end(w);
}

static void write_vertex(struct rf_json *w, const struct rf_model *m, struct rf_arena *a)
{
    rf_json_obj(w, NULL);
    rf_json_str(w, "name", rf_strf(a, "publishers/google/models/%.*s", RF_FMT(m->name)));
    rf_json_str(w, "versionId", RF_STR("default"));
    rf_json_str(w, "openSourceCategory", RF_STR("PROPRIETARY"));
    rf_json_str(w, "launchStage", RF_STR("GA"));
    rf_json_end(w);
}

static void write_cohere(struct rf_json *w, const struct rf_model *m, struct rf_arena *a)
{
    (void)a;
    rf_json_obj(w, NULL);
    rf_json_str(w, "name", m->name);
    rf_json_bool(w, "is_deprecated", false);
    write_words(w, "endpoints", rf_glob(RF_STR("*embed*"), m->name) ? "embed" : "chat");
    rf_json_bool(w, "finetuned", false);
    rf_json_int(w, "context_length", context_of(m));
    rf_json_str(w, "tokenizer_url", RF_STR(""));
    rf_json_raw(w, "default_endpoints", RF_STR("[]"));
    rf_json_bool(w, "supports_vision", m->caps.takes[RF_KIND_IMAGE]);
    rf_json_end(w);
}

static void write_bedrock(struct rf_json *w, const struct rf_model *m, struct rf_arena *a)
{
    struct rf_str id =
        rf_str_starts(m->name, "us.") ? (struct rf_str){ m->name.p + 3, m->name.n - 3 } : m->name;
    rf_json_obj(w, NULL);
    rf_json_str(w, "modelArn",
                rf_strf(a, "arn:aws:bedrock:us-east-1::foundation-model/%.*s", RF_FMT(id)));
    rf_json_str(w, "modelId", id);
    rf_json_str(w, "modelName", id);
    rf_json_str(w, "providerName",
                rf_str_starts(id, "anthropic.") ? RF_STR("Anthropic") : RF_STR("Amazon"));
    write_words(w, "inputModalities", m->caps.takes[RF_KIND_IMAGE] ? "TEXT IMAGE" : "TEXT");
    write_words(w, "outputModalities", "TEXT");
    rf_json_bool(w, "responseStreamingSupported", true);
    rf_json_raw(w, "customizationsSupported", RF_STR("[]"));
    write_words(w, "inferenceTypesSupported", "INFERENCE_PROFILE");
    rf_json_raw(w, "modelLifecycle", RF_STR("{\"status\":\"ACTIVE\"}"));
    rf_json_end(w);
}

/* Shapes by provider */

/* The name of the `i`th model of the provider; NULL after the last. */
static const char *listed_name(struct rf_str provider, size_t i)
{
    for (size_t k = 0; k < sizeof listed / sizeof *listed; k++)
        if (rf_glob(rf_str(listed[k].providers), provider) && i-- == 0)
            return listed[k].name;
    return NULL;
}

static const char *library_name(struct rf_str provider, size_t i)
{
    const struct rf_sim_ollama_model *m = rf_sim_ollama_listed(i);
    (void)provider;
    return m ? m->name : NULL;
}

/* What follows a list: nothing; has_more, first_id, last_id; how many, and where more are; a token
 * for the next page. */
enum last { LAST_NONE, LAST_PAGES, LAST_TOTAL, LAST_TOKEN };

static const struct shape {
    const char *provider; /* a pattern */
    const char *(*name)(struct rf_str provider, size_t i);
    write_model *write;
    const char *key;  /* of the list */
    const char *head; /* the first member: "object" as a list's, or NULL */
    enum last last;
} shapes[] = {
    { "anthropic", listed_name, write_anthropic, "data", NULL, LAST_PAGES },
    { "bedrock", listed_name, write_bedrock, "modelSummaries", NULL, LAST_NONE },
    { "cohere", listed_name, write_cohere, "models", NULL, LAST_NONE },
    { "google", listed_name, write_gemini, "models", NULL, LAST_TOKEN },
    { "vertex", listed_name, write_vertex, "publisherModels", NULL, LAST_TOKEN },
    { "mistral", listed_name, write_mistral, "data", "list", LAST_NONE },
    { "openrouter", listed_name, write_openrouter, "data", NULL, LAST_TOTAL },
    { "ollama", library_name, write_ollama, "data", "list", LAST_NONE },
    { "groq", listed_name, write_groq, "data", "list", LAST_NONE },
    { "xai*", listed_name, write_xai, "data", "list", LAST_NONE },
    { "*", listed_name, write_openai, "data", "list", LAST_NONE },
};

static const struct shape *shape_of(const struct rf_sim_asked *asked)
{
    const struct shape *s = shapes;
    while (!rf_glob(rf_str(s->provider), asked->r->model->provider))
        s++;
    return s;
}

static struct rf_model model_of(const struct rf_sim_asked *asked, struct rf_str name)
{
    struct rf_model m;
    struct rf_err err;
    if (rf_model_init(&m, asked->r->model->provider, name, asked->r->arena, &err))
        RF_BUG("a provider of the catalogue is not in it");
    return m;
}

/* The part of a list that is asked for. */
struct page {
    size_t first, until;
};

static size_t index_of(const struct shape *s, struct rf_str provider, struct rf_str name)
{
    size_t i = 0;
    while (s->name(provider, i) && !rf_str_is(name, s->name(provider, i)))
        i++;
    return i;
}

static struct page page_of(const struct rf_sim_asked *asked, const struct shape *s)
{
    struct rf_str provider = asked->r->model->provider;
    struct rf_str after = asked_for(asked, "after_id");
    struct page p = { 0 };
    int64_t n;
    if (s->last == LAST_PAGES && after.n)
        p.first = index_of(s, provider, after) + 1;
    if (s->last == LAST_TOKEN && rf_str_int64(asked_for(asked, "pageToken"), &n) && n > 0)
        p.first = (size_t)n;
    p.until = SIZE_MAX;
    if (s->last != LAST_NONE &&
        rf_str_int64(asked_for(asked, s->last == LAST_TOKEN ? "pageSize" : "limit"), &n) && n > 0)
        p.until = p.first + (size_t)n;
    return p;
}

static void write_last(struct rf_json *w, const struct shape *s, const struct rf_sim_asked *asked,
                       struct page p, size_t end)
{
    struct rf_str provider = asked->r->model->provider;
    bool more = s->name(provider, end) != NULL;
    if (s->last == LAST_TOTAL) {
        rf_json_int(w, "total_count", (int64_t)end);
        rf_json_raw(w, "links", RF_STR("{\"next\":null}"));
    }
    if (s->last == LAST_TOKEN && more)
        rf_json_str(w, "nextPageToken", rf_strf(asked->r->arena, "%zu", end));
    if (s->last == LAST_PAGES) {
        rf_json_bool(w, "has_more", more);
        rf_json_str(w, "first_id", rf_str(end > p.first ? s->name(provider, p.first) : NULL));
        rf_json_str(w, "last_id", rf_str(end > p.first ? s->name(provider, end - 1) : NULL));
    }
}

void rf_sim_models(struct rf_sim_asked *asked)
{
    const struct shape *s = shape_of(asked);
    struct rf_str provider = asked->r->model->provider;
    struct page p = page_of(asked, s);
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, asked->r->arena);
    const char *name;
    size_t i = p.first;
    rf_json_obj(w, NULL);
    if (s->head)
        rf_json_str(w, "object", rf_str(s->head));
    rf_json_arr(w, s->key);
    for (; i < p.until && (name = s->name(provider, i)); i++) {
        struct rf_model m = model_of(asked, rf_str(name));
        s->write(w, &m, asked->r->arena);
    }
    rf_json_end(w);
    write_last(w, s, asked, p, i);
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}

/* Bedrock's profiles: names that lead to a model in several regions. */
void rf_sim_profiles(struct rf_sim_asked *asked)
{
    struct rf_arena *a = asked->r->arena;
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, a);
    const char *name;
    rf_json_obj(w, NULL);
    rf_json_arr(w, "inferenceProfileSummaries");
    for (size_t i = 0; (name = listed_name(RF_STR("bedrock"), i)); i++) {
        rf_json_obj(w, NULL);
        rf_json_str(w, "inferenceProfileName", rf_str(name));
        rf_json_str(w, "inferenceProfileArn",
                    rf_strf(a, "arn:aws:bedrock:us-east-1::inference-profile/%s", name));
        rf_json_str(w, "inferenceProfileId", rf_str(name));
        rf_json_raw(w, "models", RF_STR("[]"));
        rf_json_str(w, "status", RF_STR("ACTIVE"));
        rf_json_str(w, "type", RF_STR("SYSTEM_DEFINED"));
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}

/* LiteLLM's list with what it knows of each model. */
void rf_sim_model_info(struct rf_sim_asked *asked)
{
    struct rf_arena *a = asked->r->arena;
    struct rf_sim_writer writer;
    struct rf_json *w = rf_sim_write(&writer, a);
    const char *name;
    rf_json_obj(w, NULL);
    rf_json_arr(w, "data");
    for (size_t i = 0; (name = listed_name(asked->r->model->provider, i)); i++) {
        struct rf_model m = model_of(asked, rf_str(name));
        rf_json_obj(w, NULL);
        rf_json_str(w, "model_name", m.name);
        rf_json_obj(w, "litellm_params");
        rf_json_str(w, "model", m.name);
        rf_json_end(w);
        rf_json_obj(w, "model_info");
        rf_json_int(w, "max_input_tokens", context_of(&m));
        rf_json_int(w, "max_output_tokens", output_of(&m));
        rf_json_raw(w, "input_cost_per_token", token_price(m.caps.price_input, a));
        rf_json_raw(w, "output_cost_per_token", token_price(m.caps.price_output, a));
        rf_json_bool(w, "supports_vision", m.caps.takes[RF_KIND_IMAGE]);
        rf_json_str(w, "mode", RF_STR("chat"));
        rf_json_end(w);
        rf_json_end(w);
    }
    rf_json_end(w);
    rf_json_end(w);
    rf_sim_body(asked->out, 200, &writer);
}

void rf_sim_model(struct rf_sim_asked *asked)
{
    struct rf_model m = model_of(asked, asked->name);
    struct rf_sim_writer writer;
    if (!rf_sim_model_exists(&m)) {
        rf_sim_asked_refuse(asked, 404, "model '%.*s' not found", RF_FMT(asked->name));
        return;
    }
    shape_of(asked)->write(rf_sim_write(&writer, asked->r->arena), &m, asked->r->arena);
    rf_sim_body(asked->out, 200, &writer);
}
