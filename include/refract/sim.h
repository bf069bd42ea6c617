/* The provider simulator, in a library of its own (librefract-sim, pkg-config refract-sim): a
 * server on loopback for tests of one's own agents, see refract-sim(1), and the model "offline".
 *
 *     rf_agent_offline(agent, rf_simulator_offline());
 */
#ifndef REFRACT_SIM_H
#define REFRACT_SIM_H

#include <refract/error.h>
#include <refract/offline.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model that says what it was given: which files, where, and what is in them. */
RF_API struct rf_offline rf_simulator_offline(void);

struct rf_simulator;
struct rf_simulator_options; /* a bag of settings: new, set, use, free */

RF_API struct rf_simulator_options *rf_simulator_options_new(void);
RF_API void rf_simulator_options_free(struct rf_simulator_options *o);
/* Which provider answers where a path does not say (default: told from the path). */
RF_API void rf_simulator_options_provider(struct rf_simulator_options *o, const char *provider);
/* A YAML file of replies and faults; a folder of recordings. */
RF_API void rf_simulator_options_script(struct rf_simulator_options *o, const char *file);
RF_API void rf_simulator_options_replay(struct rf_simulator_options *o, const char *folder);
/* Accept pictures inside tool results and do not look at them, as some servers do. */
RF_API void rf_simulator_options_blind(struct rf_simulator_options *o);
/* Ids of replies and calls that are the same in every run; 0: new ones each time, as by default. */
RF_API void rf_simulator_options_seed(struct rf_simulator_options *o, uint64_t seed);
/* A line for each exchange. */
RF_API void rf_simulator_options_log(struct rf_simulator_options *o,
                                     void (*log)(void *ctx, const char *line), void *ctx);

/* Start it in threads of its own; port 0 takes a free one. Fails with RF_EIO where the port is
 * taken, with RF_ECONFIG for a wrong script, and where the library for it is not installed. */
RF_API RF_MUST enum rf_code rf_simulator_start(const struct rf_simulator_options *o, int port,
                                               struct rf_simulator **out, struct rf_err *err);
RF_API int rf_simulator_port(const struct rf_simulator *s);
RF_API void rf_simulator_stop(struct rf_simulator *s); /* takes NULL */

#ifdef __cplusplus
}
#endif
#endif
