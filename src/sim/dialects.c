#include "sim/sim.h"

static const struct rf_sim_dialect *const dialects[] = {
    &rf_sim_anthropic,        &rf_sim_bedrock, &rf_sim_gemini, &rf_sim_openai_chat,
    &rf_sim_openai_responses, &rf_sim_mistral, &rf_sim_ollama, &rf_sim_cohere,
};

const struct rf_sim_dialect *rf_sim_dialect(struct rf_str name)
{
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        if (rf_str_is(name, dialects[i]->name))
            return dialects[i];
    return NULL;
}
