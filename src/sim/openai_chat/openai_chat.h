/* The chat dialect, in three files: bodies and messages, their parts, and what is answered. */
#ifndef RF_SIM_OPENAI_CHAT_H
#define RF_SIM_OPENAI_CHAT_H

#include "sim/openai/openai.h"

/* A message's content: a string or a list of parts. */
bool rf_sim_chat_content(struct rf_sim_openai *c, const struct rf_jval *content,
                         const struct rf_jpath *message);

/* A completion, as a body or as a stream. */
void rf_sim_chat_say(const struct rf_sim_request *r, const struct rf_sim_said *said,
                     struct rf_sim_reply *out);

#endif
