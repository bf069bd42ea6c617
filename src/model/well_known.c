#include "model/well_known.h"

/* Each takes something that those before it do not. */
static const struct {
    const char *provider, *name;
} models[] = {
    { "anthropic", "claude-sonnet-5" },       /* pictures, PDF */
    { "openai", "gpt-5.4-mini" },             /* office files, longer documents */
    { "google", "gemini-3.5-flash" },         /* sound, films */
    { "bedrock", "us.amazon.nova-pro-v1:0" }, /* films in tool results */
};

bool rf_model_well_known(size_t i, struct rf_model *m, struct rf_arena *a)
{
    if (i >= sizeof models / sizeof *models)
        return false;
    if (rf_model_init(m, rf_str(models[i].provider), rf_str(models[i].name), a, NULL))
        RF_BUG("a model that is well known is not in the catalogue");
    return true;
}

/* As their vendors' documentation has them, 2026-11. */
static const struct {
    const char *provider, *name;
} names[] = {
    { "anthropic", "claude-opus-5" },
    { "anthropic", "claude-sonnet-5" },
    { "anthropic", "claude-haiku-4-5" },
    { "anthropic", "claude-opus-4-8" },
    { "anthropic", "claude-sonnet-4-6" },
    { "openai", "gpt-5.4" },
    { "openai", "gpt-5.4-mini" },
    { "openai", "gpt-5.4-nano" },
    { "openai", "gpt-5-mini" },
    { "openai", "gpt-5-nano" },
    { "openai", "gpt-4.1" },
    { "openai", "gpt-4.1-mini" },
    { "openai", "gpt-4o" },
    { "openai", "gpt-4o-mini" },
    { "google", "gemini-3.5-flash" },
    { "google", "gemini-3.1-pro-preview" },
    { "google", "gemini-2.5-flash" },
    { "google", "gemini-2.5-flash-lite" },
    { "xai", "grok-4.3" },
    { "xai", "grok-4-fast" },
    { "groq", "openai/gpt-oss-120b" },
    { "groq", "openai/gpt-oss-20b" },
    { "groq", "llama-3.3-70b-versatile" },
    { "mistral", "mistral-large-latest" },
    { "mistral", "mistral-medium-latest" },
    { "mistral", "mistral-small-latest" },
    { "mistral", "codestral-latest" },
    { "cohere", "command-a-plus-05-2026" },
    { "cohere", "command-a-03-2025" },
    { "openrouter", "anthropic/claude-sonnet-5" },
    { "openrouter", "openai/gpt-5.4-mini" },
    { "openrouter", "google/gemini-3.5-flash" },
    { "vertex", "gemini-3.5-flash" },
    { "vertex", "gemini-3.1-pro-preview" },
};

const char *rf_known_name(struct rf_str provider, size_t i)
{
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (rf_str_is(provider, names[k].provider) && i-- == 0)
            return names[k].name;
    return NULL;
}
