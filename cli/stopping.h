/* Ctrl-C, and being told to end, while an agent works: the first signal stops the agent, which
 * leaves a valid session and tells a server whose tool runs; the second the program.
 *
 *     rf_stopping_begin(agent);
 *     rc = rf_agent_ask(agent, …);
 *     rf_stopping_end();
 */
#ifndef RF_CLI_STOPPING_H
#define RF_CLI_STOPPING_H

#include <refract/agent.h>

void rf_stopping_begin(struct rf_agent *agent);
/* From here on a signal ends the program, with the same status as before. */
void rf_stopping_end(void);
/* Was there a signal? */
bool rf_stopping_heard(void);

#endif
