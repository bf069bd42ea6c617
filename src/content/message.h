/* Messages, between their structs and their JSON. */
#ifndef RF_CONTENT_MESSAGE_H
#define RF_CONTENT_MESSAGE_H

#include "content/content.h"

/* Fill `out` from the value `v` that stands at `at`. Fails with RF_EFORMAT and the path of what is
 * wrong, and with RF_ELIMIT. */
RF_MUST enum rf_code rf_message_read(const struct rf_jval *v, const struct rf_jpath *at,
                                     struct rf_arena *a, struct rf_message *out,
                                     struct rf_err *err);

/* The same for a tool's result: an object whose role, call and tool are not looked at. */
RF_MUST enum rf_code rf_tool_message_read(const struct rf_jval *v, struct rf_arena *a,
                                          struct rf_message *out, struct rf_err *err);

/* A message that answers a call which failed, or did not run. */
struct rf_message rf_failed_result(struct rf_str call, struct rf_str name, struct rf_str why);
/* A message of a person with these words. `block` becomes its content. */
struct rf_message rf_user_message(struct rf_str text, struct rf_block *block);
/* Did a model call tools in it? */
bool rf_conversation_calls(const struct rf_conversation *c);

/* A copy that needs nothing of what `m` was made of, without its ending. */
struct rf_message rf_message_copy(const struct rf_message *m, struct rf_arena *a);

/* "user", "assistant", "tool" */
const char *rf_role_name(enum rf_role role);
/* The same, but of a user in whose name the message speaks: "user", "system", "developer". */
const char *rf_speaker_name(enum rf_role role, enum rf_speaker speaker);

/* Write it as the next element of a list. */
void rf_message_write(const struct rf_message *m, struct rf_json *w);

#endif
