/* All dialects, and finding one by its name. */
#include "wire/wire.h"

static const struct rf_dialect *const dialects[] = {
    &rf_dialect_anthropic,        &rf_dialect_bedrock, &rf_dialect_gemini, &rf_dialect_openai_chat,
    &rf_dialect_openai_responses, &rf_dialect_mistral, &rf_dialect_ollama, &rf_dialect_cohere,
};

const struct rf_dialect *rf_dialect_find(struct rf_str name)
{
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        if (rf_str_is(name, dialects[i]->name))
            return dialects[i];
    }
    return NULL;
}

const char *rf_dialect_name(size_t i)
{
    return i < sizeof dialects / sizeof *dialects ? dialects[i]->name : NULL;
}
