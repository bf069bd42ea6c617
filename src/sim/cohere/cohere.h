/* Cohere's dialect, in two files: what is asked, and what is answered. */
#ifndef RF_SIM_COHERE_H
#define RF_SIM_COHERE_H

#include "sim/sim.h"

void rf_sim_cohere_say(const struct rf_sim_request *r, const struct rf_sim_said *said,
                       struct rf_sim_reply *out);
void rf_sim_cohere_refuse(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                          struct rf_sim_reply *out);

#endif
