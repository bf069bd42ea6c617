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

/* "llama3" is "llama3:latest". */
struct rf_str rf_sim_ollama_tagged(struct rf_str name, struct rf_arena *a);

#endif
