/* The Responses dialect, in three files: bodies and items, their parts and tools, and what is
 * answered. */
#ifndef RF_SIM_OPENAI_RESPONSES_H
#define RF_SIM_OPENAI_RESPONSES_H

#include "sim/openai/openai.h"

/* The content of a message, or the output of a call: a string or a list of parts. */
bool rf_sim_responses_content(struct rf_sim_openai *c, const struct rf_jval *content,
                              const struct rf_jpath *at);
/* A list of tools, which may be NULL. */
bool rf_sim_responses_tools(struct rf_sim_openai *c, const struct rf_jval *tools,
                            const struct rf_jpath *at);
bool rf_sim_responses_choice(struct rf_sim_openai *c, const struct rf_jval *body);

void rf_sim_responses_say(const struct rf_sim_request *r, const struct rf_sim_said *said,
                          struct rf_sim_reply *out);

#endif
