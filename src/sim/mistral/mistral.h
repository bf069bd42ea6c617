/* Mistral's dialect, in two files: bodies and messages, and what a message holds. */
#ifndef RF_SIM_MISTRAL_H
#define RF_SIM_MISTRAL_H

#include "sim/strict.h"

struct rf_sim_mistral {
    struct rf_sim_request *r;
    struct rf_sim_refusal *out;
    const char *role, *before; /* of this message and of the one before; "" at the beginning */
    struct rf_sim_known_call *calls; /* of the last assistant turn */
    size_t count, cap, answered;
    int64_t images;
};

/* All return false, with the refusal, where something is wrong. */

/* 400, as the server says what a request means. */
__attribute__((format(printf, 4, 5))) bool rf_sim_mistral_refuse(struct rf_sim_mistral *in,
                                                                 const char *type, const char *code,
                                                                 const char *fmt, ...);
/* 422, as its validator says what a place looks like. */
bool rf_sim_mistral_shape(struct rf_sim_mistral *in, const struct rf_jpath *at, const char *kind,
                          const char *message);
/* A message's content: nothing, a string or a list of parts. */
bool rf_sim_mistral_content(struct rf_sim_mistral *in, const struct rf_jval *content,
                            const struct rf_jpath *message);

#endif
