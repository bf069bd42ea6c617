/* What the simulator answers on Google's wire; what it takes is in gemini.c. */
#ifndef RF_SIM_GEMINI_H
#define RF_SIM_GEMINI_H

#include "sim/sim.h"

void rf_sim_gemini_say(const struct rf_sim_request *r, const struct rf_sim_said *said,
                       struct rf_sim_reply *out);
void rf_sim_gemini_refuse(const struct rf_sim_request *r, const struct rf_sim_refusal *refusal,
                          struct rf_sim_reply *out);

#endif
