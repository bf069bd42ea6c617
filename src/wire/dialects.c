/* All dialects, and finding one by its name. That of hosts comes last, since it is only written. */
#include "wire/wire.h"

static const struct rf_dialect *const dialects[] = {
    &rf_dialect_anthropic,   &rf_dialect_bedrock,          &rf_dialect_gemini,
    &rf_dialect_openai_chat, &rf_dialect_openai_responses, &rf_dialect_mistral,
    &rf_dialect_ollama,      &rf_dialect_cohere,           &rf_dialect_mcp,
};

#define READ (sizeof dialects / sizeof *dialects - 1) /* those that are also read */

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
    return i < READ ? dialects[i]->name : NULL;
}
