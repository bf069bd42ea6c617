/* What is taken of each list is the name, the day, what the list itself says of the model (its
 * window, its prices, what it takes: facts, over those of the catalogue), and what it is for where
 * it does not converse. A list that does not say that has names that tell.
 *
 *     Anthropic   GET /v1/models              data[], has_more, last_id
 *     OpenAI &c.  GET /v1/models              data[]
 *     OpenRouter  GET /api/v1/models          data[] with architecture and pricing
 *     LiteLLM     GET /v1/models              data[]; /v1/model/info: data[].model_info
 *     Mistral     GET /v1/models              data[] with capabilities
 *     Gemini      GET /v1beta/models          models[], nextPageToken
 *     Vertex      GET …/publishers/google/models  publisherModels[], nextPageToken
 *     Cohere      GET /v1/models              models[], next_page_token
 *     Bedrock     GET /foundation-models      modelSummaries[]
 *                 GET /inference-profiles     inferenceProfileSummaries[], nextToken
 *     Ollama      GET /api/tags               models[]
 *
 * The vendors' API references, 2026-11. */
#include "wire/listing.h"

#include "base/arena.h"
#include "base/buf.h"
#include "model/price.h"

#include <stdio.h>
#include <time.h>

#define MOST_FACTS 512
#define MOST_NAME 256

/* What the names of models say that do not converse, where the list does not. */
static const struct {
    const char *pattern, *purpose;
} purposes[] = {
    { "*embed*", "embeddings" },
    { "*rerank*", "ranking" },
    { "whisper*", "transcription" },
    { "*-transcribe*", "transcription" },
    { "tts-*", "speech" },
    { "*-tts*", "speech" },
    { "playai-*", "speech" },
    { "*orpheus*", "speech" },
    { "*-realtime*", "live sound" },
    { "gpt-live*", "live sound" },
    { "dall-e*", "pictures" },
    { "*gpt-image*", "pictures" },
    { "chatgpt-image*", "pictures" },
    { "*grok-*-image*", "pictures" },
    { "*grok-imagine*", "pictures" },
    { "imagen*", "pictures" },
    { "imagegeneration*", "pictures" },
    { "sora*", "video" },
    { "veo*", "video" },
    { "*moderation*", "moderation" },
    { "*-ocr*", "reading pages" },
    { "babbage*", "completion" },
    { "davinci*", "completion" },
    { "*-instruct-0914", "completion" },
    { "gpt-3.5-turbo-instruct", "completion" },
};

/* Values */

static struct rf_str text_of(const struct rf_jval *object, const char *key, struct rf_arena *a)
{
    const struct rf_jval *v = rf_jval_get(object, key);
    return v && v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
}

static int64_t number_of(const struct rf_jval *object, const char *key)
{
    const struct rf_jval *v = rf_jval_get(object, key);
    int64_t n;
    return v && rf_jval_int64(v, &n) && n > 0 ? n : 0;
}

static bool is_false(const struct rf_jval *object, const char *key)
{
    const struct rf_jval *v = rf_jval_get(object, key);
    return v && v->type == RF_JFALSE;
}

static bool is_true(const struct rf_jval *object, const char *key)
{
    const struct rf_jval *v = rf_jval_get(object, key);
    return v && v->type == RF_JTRUE;
}

/* Is the word in the list? `unsaid` where there is no list. */
static bool has_word(const struct rf_jval *list, const char *word, bool unsaid)
{
    if (!list || list->type != RF_JARRAY || !rf_jval_count(list))
        return unsaid;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        if (rf_jval_is(v, word))
            return true;
    return false;
}

/* "2026-02-19T00:00:00Z" as seconds. */
static int64_t time_of(struct rf_str s)
{
    struct tm t = { 0 };
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)(s.n < 19 ? s.n : 19), s.p);
    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d", &t.tm_year, &t.tm_mon, &t.tm_mday, &t.tm_hour,
               &t.tm_min, &t.tm_sec) < 3)
        return 0;
    t.tm_year -= 1900;
    t.tm_mon--;
    return (int64_t)timegm(&t);
}

/* A model while it is read. */
struct reading {
    struct rf_list_reading *of;
    struct rf_buf facts;
};

static struct reading reading_of(struct rf_list_reading *r)
{
    struct reading m = { .of = r };
    rf_buf_init(&m.facts, r->arena, MOST_FACTS);
    return m;
}

static void add_fact(struct reading *m, const char *name, struct rf_str value)
{
    rf_buf_addf(&m->facts, "%s%s=%.*s", m->facts.n ? " " : "", name, RF_FMT(value));
}

static void add_number(struct reading *m, const char *name, int64_t n)
{
    if (n > 0)
        add_fact(m, name, rf_strf(m->of->arena, "%lld", (long long)n));
}

static void add_switch(struct reading *m, const char *name, bool on)
{
    add_fact(m, name, on ? RF_STR("yes") : RF_STR("no"));
}

/* A price for one token, as a number or as a text; facts have it for a million. */
static void add_price(struct reading *m, const char *name, const struct rf_jval *v)
{
    struct rf_arena *a = m->of->arena;
    int64_t micros;
    if (v && rf_price_read_token(v->type == RF_JSTRING ? rf_jval_text(v, a) : v->raw, &micros) &&
        micros > 0)
        add_fact(m, name, rf_price_text(micros, a));
}

static const char *purpose_by_name(struct rf_str name)
{
    struct rf_str last = rf_str_behind(name, '/');
    for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++)
        if (rf_glob(rf_str(purposes[i].pattern), last))
            return purposes[i].purpose;
    return "";
}

/* A name ends up in a request and on a terminal: what cannot is left out. */
static bool is_name(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] <= 0x20 || (unsigned char)s.p[i] >= 0x7f)
            return false;
    return s.n > 0 && s.n <= MOST_NAME;
}

static void add(struct reading *m, struct rf_str name, int64_t created, const char *purpose)
{
    struct rf_list_reading *r = m->of;
    struct rf_str facts;
    if (!is_name(name) || rf_buf_finish(&m->facts, &facts, NULL))
        return;
    rf_list_add(r->list,
                &(struct rf_listed){
                    .name = name,
                    .created = created,
                    .facts = facts,
                    .purpose = rf_str(*purpose ? purpose : purpose_by_name(name)),
                },
                r->arena);
}

/* What follows a "models/" in a resource's name. */
static struct rf_str last_part(struct rf_str name)
{
    return rf_str_behind(name, '/');
}

typedef void read_model(const struct rf_jval *v, struct rf_list_reading *r);

static bool read_all(const struct rf_jval *answer, const char *key, read_model *read,
                     struct rf_list_reading *r)
{
    const struct rf_jval *list = rf_jval_get(answer, key);
    if (!list || list->type != RF_JARRAY)
        return false;
    for (const struct rf_jval *v = rf_jval_first(list); v; v = rf_jval_next(list, v))
        read(v, r);
    return true;
}

static struct rf_str encoded(struct rf_str s, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str out;
    rf_buf_init(&b, a, 8192);
    for (size_t i = 0; i < s.n; i++)
        if (rf_is_alnum(s.p[i]) || memchr("-._~", s.p[i], 4))
            rf_buf_addc(&b, s.p[i]);
        else
            rf_buf_addf(&b, "%%%02X", (unsigned char)s.p[i]);
    return rf_buf_finish(&b, &out, NULL) ? RF_STR("") : out;
}

static void set_next(struct rf_list_reading *r, const char *parameter, struct rf_str token)
{
    if (token.n)
        r->next = rf_strf(r->arena, "%s=%.*s", parameter, RF_FMT(encoded(token, r->arena)));
}

/* Anthropic */

static void read_anthropic_model(const struct rf_jval *v, struct rf_list_reading *r)
{
    struct reading m = reading_of(r);
    add_number(&m, "context_tokens", number_of(v, "max_input_tokens"));
    add_number(&m, "max_output_tokens", number_of(v, "max_tokens"));
    add(&m, text_of(v, "id", r->arena), time_of(text_of(v, "created_at", r->arena)), "");
}

static bool read_anthropic(const struct rf_jval *answer, struct rf_list_reading *r)
{
    if (is_true(answer, "has_more"))
        set_next(r, "after_id", text_of(answer, "last_id", r->arena));
    return read_all(answer, "data", read_anthropic_model, r);
}

/* OpenAI, and who speaks as it does */

static void read_openai_model(const struct rf_jval *v, struct rf_list_reading *r)
{
    struct reading m = reading_of(r);
    add_number(&m, "context_tokens", number_of(v, "context_window"));
    add_number(&m, "max_output_tokens", number_of(v, "max_completion_tokens"));
    if (!is_false(v, "active"))
        add(&m, text_of(v, "id", r->arena), number_of(v, "created"), "");
}

static bool read_openai(const struct rf_jval *answer, struct rf_list_reading *r)
{
    return read_all(answer, "data", read_openai_model, r);
}

static void read_openrouter_model(const struct rf_jval *v, struct rf_list_reading *r)
{
    const struct rf_jval *shape = rf_jval_get(v, "architecture"), *in, *price;
    struct reading m = reading_of(r);
    in = rf_jval_get(shape, "input_modalities");
    price = rf_jval_get(v, "pricing");
    add_number(&m, "context_tokens", number_of(v, "context_length"));
    add_number(&m, "max_output_tokens",
               number_of(rf_jval_get(v, "top_provider"), "max_completion_tokens"));
    if (in) {
        add_switch(&m, "vision", has_word(in, "image", true));
        add_switch(&m, "audio_input", has_word(in, "audio", true));
        add_switch(&m, "native_video", has_word(in, "video", true));
    }
    if (rf_jval_get(v, "supported_parameters"))
        add_switch(&m, "tools", has_word(rf_jval_get(v, "supported_parameters"), "tools", true));
    add_price(&m, "price_input", rf_jval_get(price, "prompt"));
    add_price(&m, "price_output", rf_jval_get(price, "completion"));
    add_price(&m, "price_cached", rf_jval_get(price, "input_cache_read"));
    add_price(&m, "price_cache_write", rf_jval_get(price, "input_cache_write"));
    add(&m, text_of(v, "id", r->arena), number_of(v, "created"),
        has_word(rf_jval_get(shape, "output_modalities"), "text", true) ? "" : "media");
}

static bool read_openrouter(const struct rf_jval *answer, struct rf_list_reading *r)
{
    return read_all(answer, "data", read_openrouter_model, r);
}

/* What /v1/model/info says of a model that is listed; several of one name serve it in turn, and
 * the first speaks for them. */
static void read_litellm_info(const struct rf_jval *v, struct rf_list_reading *r)
{
    const struct rf_jval *info = rf_jval_get(v, "model_info");
    struct rf_str name = text_of(v, "model_name", r->arena), mode, facts;
    struct rf_listed *listed = rf_list_find(r->list, name);
    struct reading m = reading_of(r);
    if (!listed || listed->facts.n)
        return;
    add_number(&m, "context_tokens", number_of(info, "max_input_tokens"));
    add_number(&m, "max_output_tokens", number_of(info, "max_output_tokens"));
    if (is_true(info, "supports_vision") || is_false(info, "supports_vision"))
        add_switch(&m, "vision", is_true(info, "supports_vision"));
    add_price(&m, "price_input", rf_jval_get(info, "input_cost_per_token"));
    add_price(&m, "price_output", rf_jval_get(info, "output_cost_per_token"));
    add_price(&m, "price_cached", rf_jval_get(info, "cache_read_input_token_cost"));
    add_price(&m, "price_cache_write", rf_jval_get(info, "cache_creation_input_token_cost"));
    add_price(&m, "price_cache_write_hour",
              rf_jval_get(info, "cache_creation_input_token_cost_above_1hr"));
    if (!rf_buf_finish(&m.facts, &facts, NULL))
        listed->facts = facts;
    mode = text_of(info, "mode", r->arena);
    if (mode.n && !rf_str_is(mode, "chat") && !rf_str_is(mode, "responses"))
        listed->purpose = is_name(mode) ? mode : RF_STR("other tasks");
}

static bool read_litellm(const struct rf_jval *answer, struct rf_list_reading *r)
{
    const struct rf_jval *list = rf_jval_get(answer, "data");
    bool tells = rf_jval_get(rf_jval_first(list), "model_info") != NULL;
    return read_all(answer, "data", tells ? read_litellm_info : read_openai_model, r);
}

static void read_mistral_model(const struct rf_jval *v, struct rf_list_reading *r)
{
    const struct rf_jval *can = rf_jval_get(v, "capabilities");
    struct reading m = reading_of(r);
    add_number(&m, "context_tokens", number_of(v, "max_context_length"));
    if (rf_jval_get(can, "vision"))
        add_switch(&m, "vision", is_true(can, "vision"));
    struct rf_str name = text_of(v, "id", r->arena);
    const char *purpose = purpose_by_name(name);
    add(&m, name, number_of(v, "created"),
        is_false(can, "completion_chat") && !*purpose ? "completion" : purpose);
}

static bool read_mistral(const struct rf_jval *answer, struct rf_list_reading *r)
{
    return read_all(answer, "data", read_mistral_model, r);
}

/* Google */

static void read_gemini_model(const struct rf_jval *v, struct rf_list_reading *r)
{
    struct reading m = reading_of(r);
    struct rf_str name = last_part(text_of(v, "name", r->arena));
    const char *purpose = purpose_by_name(name);
    bool answers = has_word(rf_jval_get(v, "supportedGenerationMethods"), "generateContent", true);
    add_number(&m, "context_tokens", number_of(v, "inputTokenLimit"));
    add_number(&m, "max_output_tokens", number_of(v, "outputTokenLimit"));
    add(&m, name, 0, answers || *purpose ? purpose : "other tasks");
}

static bool read_gemini(const struct rf_jval *answer, struct rf_list_reading *r)
{
    set_next(r, "pageToken", text_of(answer, "nextPageToken", r->arena));
    return read_all(answer, "models", read_gemini_model, r);
}

static void read_vertex_model(const struct rf_jval *v, struct rf_list_reading *r)
{
    struct reading m = reading_of(r);
    struct rf_str name = last_part(text_of(v, "name", r->arena));
    const char *purpose = purpose_by_name(name);
    add(&m, name, 0, rf_glob(RF_STR("gemini*"), name) || *purpose ? purpose : "other tasks");
}

static bool read_vertex(const struct rf_jval *answer, struct rf_list_reading *r)
{
    set_next(r, "pageToken", text_of(answer, "nextPageToken", r->arena));
    return read_all(answer, "publisherModels", read_vertex_model, r);
}

/* Cohere */

static void read_cohere_model(const struct rf_jval *v, struct rf_list_reading *r)
{
    struct reading m = reading_of(r);
    struct rf_str name = text_of(v, "name", r->arena);
    const char *purpose = purpose_by_name(name);
    bool chats = has_word(rf_jval_get(v, "endpoints"), "chat", true);
    add_number(&m, "context_tokens", number_of(v, "context_length"));
    if (rf_jval_get(v, "supports_vision"))
        add_switch(&m, "vision", is_true(v, "supports_vision"));
    add(&m, name, 0, chats || *purpose ? purpose : "other tasks");
}

static bool read_cohere(const struct rf_jval *answer, struct rf_list_reading *r)
{
    set_next(r, "page_token", text_of(answer, "next_page_token", r->arena));
    return read_all(answer, "models", read_cohere_model, r);
}

/* Bedrock */

static void add_bedrock(const struct rf_jval *model, struct rf_str name, struct rf_list_reading *r)
{
    struct reading m = reading_of(r);
    const char *purpose = purpose_by_name(name);
    bool writes = has_word(rf_jval_get(model, "outputModalities"), "TEXT", true);
    if (rf_jval_get(model, "inputModalities"))
        add_switch(&m, "vision", has_word(rf_jval_get(model, "inputModalities"), "IMAGE", true));
    add(&m, name, 0, writes || *purpose ? purpose : "media");
}

/* One that is had by a profile alone is not called by its own name. */
static void read_foundation_model(const struct rf_jval *v, struct rf_list_reading *r)
{
    if (has_word(rf_jval_get(v, "inferenceTypesSupported"), "ON_DEMAND", true))
        add_bedrock(v, text_of(v, "modelId", r->arena), r);
}

static void read_profile(const struct rf_jval *v, struct rf_list_reading *r)
{
    struct rf_str status = text_of(v, "status", r->arena);
    if (!status.n || rf_str_is(status, "ACTIVE"))
        add_bedrock(NULL, text_of(v, "inferenceProfileId", r->arena), r);
}

static bool read_bedrock(const struct rf_jval *answer, struct rf_list_reading *r)
{
    set_next(r, "nextToken", text_of(answer, "nextToken", r->arena));
    return read_all(answer, "modelSummaries", read_foundation_model, r) ||
           read_all(answer, "inferenceProfileSummaries", read_profile, r);
}

/* Ollama */

static void read_ollama_model(const struct rf_jval *v, struct rf_list_reading *r)
{
    struct reading m = reading_of(r);
    add(&m, text_of(v, "name", r->arena), time_of(text_of(v, "modified_at", r->arena)), "");
}

static bool read_ollama(const struct rf_jval *answer, struct rf_list_reading *r)
{
    return read_all(answer, "models", read_ollama_model, r);
}

static const struct rf_list_format formats[] = {
    { "anthropic", read_anthropic }, { "openai", read_openai },   { "openrouter", read_openrouter },
    { "litellm", read_litellm },     { "mistral", read_mistral }, { "gemini", read_gemini },
    { "vertex", read_vertex },       { "cohere", read_cohere },   { "bedrock", read_bedrock },
    { "ollama", read_ollama },
};

const struct rf_list_format *rf_list_format_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}
