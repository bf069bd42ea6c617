/* Any conversation for any model: the first byte chooses the model, the second strict mode,
 * streaming and that it was imported from the model's own API, the rest is a conversation. A
 * request that is made keeps the promises, and so does the refusal to make one. No file is
 * opened: the root of all paths is not there. */
#include "promises.h"

#include "base/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
    const char *provider, *name;
} models[] = {
    { "anthropic", "claude-sonnet-4-5" },
    { "anthropic", "claude-2.1" },
    { "bedrock", "anthropic.claude-sonnet-4" },
    { "bedrock", "amazon.nova-pro-v1:0" },
    { "bedrock", "meta.llama4-maverick" },
    { "bedrock", "mistral.pixtral-large" },
    { "bedrock", "writer.palmyra-x5" },
    { "bedrock", "nobody.knows" },
    { "google", "gemini-3-pro" },
    { "google", "gemini-2.5-flash" },
    { "vertex", "gemini-3-pro" },
    { "openai", "gpt-5" },
    { "openai", "o3-mini" },
    { "openai-chat", "gpt-4o" },
    { "openai-chat", "gpt-4o-audio-preview" },
    { "xai", "grok-4" },
    { "xai-chat", "grok-3-mini" },
    { "groq", "meta-llama/llama-4-scout" },
    { "openrouter", "google/gemini-3-pro" },
    { "mistral", "mistral-medium-latest" },
    { "ollama", "gemma4" },
    { "ollama", "llama3.1" },
    { "litellm", "claude-sonnet-4-5" },
    { "litellm", "gemini-3-pro" },
    { "openai-compatible", "nobody-knows" },
    { "cohere", "command-a-vision-07-2025" },
};

static void check(const struct rf_conversation *c, const struct rf_model *m,
                  struct rf_request_options *o, struct rf_arena *a)
{
    struct rf_request *r;
    struct rf_str body;
    struct rf_err err = { 0 };
    if (rf_request_build(c, m, o, &r, &err)) {
        promises_check_refusal(c, &err, o->strict);
        return;
    }
    if (rf_rope_flatten(&r->body, SIZE_MAX, a, &body, &err))
        rf_bug(__FILE__, __LINE__, err.msg);
    promises_check(r, body, o->strict, a);
    rf_request_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_conversation *c;
    struct rf_model m;
    if (size < 2 ||
        rf_conversation_read((struct rf_str){ (const char *)data + 2, size - 2 }, &c, NULL))
        return 0;
    struct rf_arena *a = rf_arena_new();
    struct rf_request_options *o = rf_request_options_new();
    size_t which = (uint8_t)(data[0] - 'K') % (sizeof models / sizeof *models);
    rf_request_options_root(o, "/no such folder");
    rf_request_options_as_is(o);
    if (data[1] & 1)
        rf_request_options_strict(o);
    if (data[1] & 2)
        rf_request_options_stream(o);
    if (rf_model_init(&m, rf_str(models[which].provider), rf_str(models[which].name), a, NULL))
        rf_bug(__FILE__, __LINE__, "a model that the catalogue does not know");
    if (data[1] & 4) { /* what an importer keeps aside is fuzz_parse's */
        c->dialect = m.caps.dialect;
        if (rf_model_set(&m, RF_STR("own_fields"), RF_STR("no"), RF_FACT_OVERRIDE, NULL))
            rf_bug(__FILE__, __LINE__, "a fact that there is not");
    }
    check(c, &m, o, a);
    rf_request_options_free(o);
    rf_arena_free(a);
    rf_conversation_free(c);
    return 0;
}
