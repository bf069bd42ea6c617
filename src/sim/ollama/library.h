/* The models that the simulated Ollama has: what `/api/show` and `/api/tags` say about each. They
 * are not the catalogue's, so that a name and what is behind it can differ, as they do there. */
#ifndef RF_SIM_OLLAMA_LIBRARY_H
#define RF_SIM_OLLAMA_LIBRARY_H

#include "sim/sim.h"

enum rf_sim_ollama_can {
    RF_SIM_CAN_COMPLETE = 1 << 0,
    RF_SIM_CAN_EMBED = 1 << 1,
    RF_SIM_CAN_SEE = 1 << 2,
    RF_SIM_CAN_HEAR = 1 << 3,
    RF_SIM_CAN_CALL = 1 << 4,
    RF_SIM_CAN_THINK = 1 << 5,
};

struct rf_sim_ollama_model {
    const char *name; /* with its tag */
    const char *architecture;
    const char *size; /* "8.0B" */
    int64_t parameters, context_tokens, embedding_length;
    unsigned can; /* of enum rf_sim_ollama_can */
};

/* All that are listed; NULL at the end. */
const struct rf_sim_ollama_model *rf_sim_ollama_listed(size_t i);
/* The one of that name, in any tag. One that is not listed is there all the same, with what the
 * catalogue says of its name and with tools. */
struct rf_sim_ollama_model rf_sim_ollama_find(const struct rf_model *m, struct rf_arena *a);

/* What is the same on all of Ollama's surfaces (check.c): false with the refusal where a model is
 * asked for what it cannot do; a picture or a sound; and the window, of so many tokens, which is
 * filled from the end. 0: the usual one. */
enum rf_sim_ollama_think { RF_SIM_THINK_USUALLY, RF_SIM_THINK, RF_SIM_THINK_NOT };
bool rf_sim_ollama_settings(struct rf_sim_request *r, const struct rf_jval *tools,
                            enum rf_sim_ollama_think think, struct rf_sim_refusal *out);
bool rf_sim_ollama_image(struct rf_sim_request *r, const char *role, struct rf_str bytes,
                         const struct rf_format *format, struct rf_sim_refusal *out);
void rf_sim_ollama_cut(struct rf_sim_request *r, int64_t window);

/* "llama3" is "llama3:latest". */
struct rf_str rf_sim_ollama_tagged(struct rf_str name, struct rf_arena *a);

#endif
