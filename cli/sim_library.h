/* librefract-sim, loaded where the model "offline" or the simulator is wanted: a question to any
 * other model starts without it.
 *
 * The names are those of refract/sim.h without their rf_simulator_. */
#ifndef RF_CLI_SIM_LIBRARY_H
#define RF_CLI_SIM_LIBRARY_H

#include <refract/sim.h>

struct rf_libsim {
    __typeof__(rf_simulator_offline) *offline;
    __typeof__(rf_simulator_options_new) *options_new;
    __typeof__(rf_simulator_options_free) *options_free;
    __typeof__(rf_simulator_options_provider) *options_provider;
    __typeof__(rf_simulator_options_script) *options_script;
    __typeof__(rf_simulator_options_replay) *options_replay;
    __typeof__(rf_simulator_options_blind) *options_blind;
    __typeof__(rf_simulator_options_seed) *options_seed;
    __typeof__(rf_simulator_options_log) *options_log;
    __typeof__(rf_simulator_start) *start;
    __typeof__(rf_simulator_port) *port;
    __typeof__(rf_simulator_stop) *stop;
};

/* Filled by rf_libsim_load, once; then it does not change. */
extern struct rf_libsim rf_libsim;

/* Fails with RF_ECONFIG where the library is missing, or is another one. */
RF_MUST enum rf_code rf_libsim_load(struct rf_err *err);

/* Its model "offline", for which it is loaded at the first question. */
struct rf_offline rf_libsim_offline(void);

#endif
