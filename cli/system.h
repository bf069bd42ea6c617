/* --system: what the model is told before all else. */
#ifndef RF_CLI_SYSTEM_H
#define RF_CLI_SYSTEM_H

#include <refract/agent.h>

#define RF_SYSTEM_HELP "what the model is told before all else; or @FILE"

/* The text, or what stands in the file that "@FILE" names; nothing happens where `given` is NULL.
 * Fails as reading the file does. */
enum rf_code rf_system_take(struct rf_agent *agent, const char *given, struct rf_err *err);

#endif
