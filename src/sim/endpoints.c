#include "sim/endpoints.h"

#include "base/arena.h"
#include "sim/route.h"

static const struct rf_sim_endpoint endpoints[] = {
    { "ollama", "POST", "*/api/show", NULL, NULL, rf_sim_ollama_show, NULL },
    { "ollama", "GET", "*/api/tags", NULL, NULL, rf_sim_ollama_tags, NULL },
    { "ollama", "GET", "*/api/version", NULL, NULL, rf_sim_ollama_version, NULL },
    { "ollama", "POST", "*/api/embed", NULL, NULL, rf_sim_embed_ollama, NULL },
    { "ollama", "POST", "*/api/embeddings", NULL, NULL, rf_sim_embed_ollama, NULL },

    { "anthropic", "POST", "*/messages/count_tokens", NULL, NULL, rf_sim_count_messages, NULL },
    { "bedrock", "POST", "*/model/*/count-tokens", "/model/", "/count-tokens",
      rf_sim_count_converse, NULL },
    { "google", "POST", "*/models/*:countTokens", "/models/", ":countTokens", rf_sim_count_gemini,
      NULL },
    { "vertex", "POST", "*/models/*:countTokens", "/models/", ":countTokens", rf_sim_count_gemini,
      NULL },
    { "openai", "POST", "*/responses/input_tokens", NULL, NULL, rf_sim_count_responses, NULL },

    { "cohere", "POST", "*/v2/embed", NULL, NULL, rf_sim_embed_cohere, NULL },
    { "google", "POST", "*/models/*:embedContent", "/models/", ":embedContent", rf_sim_embed_gemini,
      NULL },
    { "google", "POST", "*/models/*:batchEmbedContents", "/models/", ":batchEmbedContents",
      rf_sim_embed_gemini_batch, NULL },
    { "vertex", "POST", "*/models/*:embedContent", "/models/", ":embedContent", rf_sim_embed_gemini,
      NULL },
    { "vertex", "POST", "*/models/*:predict", "/models/", ":predict", rf_sim_embed_vertex, NULL },
    { "ollama", "POST", "*/v1/embeddings", NULL, NULL, rf_sim_embed_openai, &rf_sim_ollama_chat },
    { "mistral", "POST", "*/embeddings", NULL, NULL, rf_sim_embed_mistral, NULL },
    { "*", "POST", "*/embeddings", NULL, NULL, rf_sim_embed_openai, NULL },

    { "google", "POST", "*/upload/*/files", NULL, NULL, rf_sim_file_upload_steps, NULL },
    { "google", "DELETE", "*/files/*", "/files/", "", rf_sim_file_delete, NULL },
    { "google", "GET", "*/files/*:download", "/files/", ":download", rf_sim_file_content, NULL },
    { "*", "POST", "*/files", NULL, NULL, rf_sim_file_upload, NULL },
    { "*", "GET", "*/files", NULL, NULL, rf_sim_file_list, NULL },
    { "*", "GET", "*/files/*/content", "/files/", "/content", rf_sim_file_content, NULL },
    { "*", "GET", "*/files/*", "/files/", "", rf_sim_file_look, NULL },
    { "*", "DELETE", "*/files/*", "/files/", "", rf_sim_file_delete, NULL },

    { "ollama", "GET", "*/v1/models", NULL, NULL, rf_sim_models, &rf_sim_ollama_chat },
    { "ollama", "GET", "*/v1/models/*", "/models/", "", rf_sim_model, &rf_sim_ollama_chat },
    { "bedrock", "GET", "*/foundation-models", NULL, NULL, rf_sim_models, NULL },
    { "bedrock", "GET", "*/inference-profiles", NULL, NULL, rf_sim_profiles, NULL },
    { "litellm", "GET", "*/model/info", NULL, NULL, rf_sim_model_info, NULL },
    { "*", "GET", "*/models", NULL, NULL, rf_sim_models, NULL },
    { "*", "GET", "*/models/*", "/models/", "", rf_sim_model, NULL },
};

const struct rf_sim_endpoint *rf_sim_endpoint(struct rf_str provider, const char *method,
                                              struct rf_str path, struct rf_arena *a,
                                              struct rf_str *name)
{
    for (size_t i = 0; i < sizeof endpoints / sizeof *endpoints; i++) {
        const struct rf_sim_endpoint *e = &endpoints[i];
        if (strcmp(method, e->method) != 0 || !rf_glob(rf_str(e->provider), provider) ||
            !rf_glob(rf_str(e->path), path))
            continue;
        *name = e->before ? rf_sim_path_name(path, e->before, e->after, a) : RF_STR("");
        return e;
    }
    return NULL;
}

void rf_sim_asked_refuse(struct rf_sim_asked *asked, int status, const char *fmt, ...)
{
    struct rf_sim_refusal refusal = { .status = status };
    va_list ap;
    va_start(ap, fmt);
    refusal.message = rf_strfv(asked->r->arena, fmt, ap);
    va_end(ap);
    asked->r->dialect->refuse(asked->r, &refusal, asked->out);
}
