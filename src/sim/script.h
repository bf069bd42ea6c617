/* Scripts: a YAML file of replies and faults, which the simulator goes through. The format is in
 * refract-sim(1). */
#ifndef RF_SIM_SCRIPT_H
#define RF_SIM_SCRIPT_H

#include "sim/mind.h"
#include "sim/sim.h"

struct rf_sim_script;

/* Only valid requests get to it. A number that was not given is -1. */
struct rf_sim_step {
    int64_t times, used; /* 0 times: without end */
    /* when */
    struct rf_str words, provider, model; /* patterns but for `words` */
    struct rf_str sha256;                 /* how the hash of a file begins */
    int64_t request, files, results;
    /* what is said */
    struct rf_str text, thinking, body, content_type;
    struct rf_sim_said said; /* its calls */
    /* what goes wrong */
    int64_t status, retry_after_s, retry_after_ms, refuse_part;
    struct rf_str message, type;
    int64_t delay_ms, pause_ms, cut_after_bytes, stall_after_bytes, stall_ms;
};

/* Fails with RF_ECONFIG and the line, and as reading files does. All of it lives in `a`. */
RF_MUST enum rf_code rf_sim_script_open(const char *path, struct rf_arena *a,
                                        struct rf_sim_script **out, struct rf_err *err);
void rf_sim_script_close(struct rf_sim_script *s); /* takes NULL */

/* The step for the request that comes as the `number`th, from 1; false where there is none. It
 * counts as used from then on. */
bool rf_sim_script_next(struct rf_sim_script *s, const struct rf_sim_request *r, int64_t number,
                        struct rf_sim_step *out);

/* Say what the step says, where it says something: else `said` is the model's. */
bool rf_sim_step_says(const struct rf_sim_step *step, const struct rf_sim_request *r,
                      struct rf_sim_said *said);
/* The refusal of a step that refuses. */
bool rf_sim_step_refuses(const struct rf_sim_step *step, struct rf_sim_request *r,
                         struct rf_sim_refusal *out);
/* Delays, cuts and stalls of a reply that is written. */
void rf_sim_step_spoil(const struct rf_sim_step *step, struct rf_arena *a,
                       struct rf_sim_reply *reply);

#endif
