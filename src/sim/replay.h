/* Recordings: a folder of exchanges with real servers, one JSON file a conversation,
 *
 *     {"exchanges": [{"request": {"method", "url", "body"},
 *                     "response": {"status", "content_type", "body"}}]}
 *
 * in which a body is JSON, or a text as it was streamed, or {"$eventstream_b64": …}. A request gets
 * the reply to the one that is nearest to it: of the same operation, with the most texts and
 * numbers in common. */
#ifndef RF_SIM_REPLAY_H
#define RF_SIM_REPLAY_H

#include "sim/sim.h"

struct rf_sim_replay;

/* Fails with RF_EIO and RF_ENOTFOUND, and with RF_ECONFIG without recordings. All lives in `a`. */
RF_MUST enum rf_code rf_sim_replay_open(const char *folder, struct rf_arena *a,
                                        struct rf_sim_replay **out, struct rf_err *err);

/* False where nothing of that operation was recorded. Safe to call from several threads. */
bool rf_sim_replay_answer(const struct rf_sim_replay *p, const struct rf_sim_request *r,
                          struct rf_sim_reply *out);

#endif
