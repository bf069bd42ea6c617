/* What the providers' APIs have besides the conversation: lists of models and what one of them is,
 * token counts, files and embeddings. One row an endpoint (endpoints.c). */
#ifndef RF_SIM_ENDPOINTS_H
#define RF_SIM_ENDPOINTS_H

#include "sim/sim.h"

struct rf_sim_files;

struct rf_sim_asked {
    struct rf_sim_request *r; /* its model is "" where neither path nor body names one */
    struct rf_str name;       /* what the path names; or empty */
    struct rf_sim_files *files;
    struct rf_sim_reply *out;
};

struct rf_sim_endpoint {
    const char *provider; /* a pattern */
    const char *method;
    const char *path;           /* a pattern of what stands after the provider's name */
    const char *before, *after; /* of the name in the path; or NULL */
    void (*answer)(struct rf_sim_asked *asked);
    const struct rf_sim_dialect *dialect; /* of refusals, where it is not the provider's; or NULL */
};

/* The endpoint of that provider, and what the path names; NULL where it has none. */
const struct rf_sim_endpoint *rf_sim_endpoint(struct rf_str provider, const char *method,
                                              struct rf_str path, struct rf_arena *a,
                                              struct rf_str *name);

/* Refuse in the words of the dialect. */
__attribute__((format(printf, 3, 4))) void rf_sim_asked_refuse(struct rf_sim_asked *asked,
                                                               int status, const char *fmt, ...);

/* models.c, counts.c, embeddings.c, uploads.c */
void rf_sim_models(struct rf_sim_asked *asked);
void rf_sim_model(struct rf_sim_asked *asked);
void rf_sim_profiles(struct rf_sim_asked *asked);
void rf_sim_model_info(struct rf_sim_asked *asked);
void rf_sim_count_messages(struct rf_sim_asked *asked);
void rf_sim_count_responses(struct rf_sim_asked *asked);
void rf_sim_count_converse(struct rf_sim_asked *asked);
void rf_sim_count_gemini(struct rf_sim_asked *asked);
void rf_sim_embed_openai(struct rf_sim_asked *asked);
void rf_sim_embed_mistral(struct rf_sim_asked *asked);
void rf_sim_embed_cohere(struct rf_sim_asked *asked);
void rf_sim_embed_ollama(struct rf_sim_asked *asked);
void rf_sim_embed_gemini(struct rf_sim_asked *asked);
void rf_sim_embed_gemini_batch(struct rf_sim_asked *asked);
void rf_sim_embed_vertex(struct rf_sim_asked *asked);
void rf_sim_file_upload(struct rf_sim_asked *asked);
void rf_sim_file_upload_steps(struct rf_sim_asked *asked);
void rf_sim_file_list(struct rf_sim_asked *asked);
void rf_sim_file_look(struct rf_sim_asked *asked);
void rf_sim_file_content(struct rf_sim_asked *asked);
void rf_sim_file_delete(struct rf_sim_asked *asked);
/* ollama/models.c */
void rf_sim_ollama_show(struct rf_sim_asked *asked);
void rf_sim_ollama_tags(struct rf_sim_asked *asked);
void rf_sim_ollama_version(struct rf_sim_asked *asked);

#endif
