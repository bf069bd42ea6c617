/* A walk through all packets of a file: how much is really there, and does it decode? */
#ifndef RF_WORKER_AV_WALK_H
#define RF_WORKER_AV_WALK_H

#include "worker/av/input.h"

enum rf_av_proof {
    RF_AV_NOTHING, /* it decodes to nothing */
    RF_AV_DECODES,
    RF_AV_NO_DECODER,
    RF_AV_LOCKED,
};

struct rf_av_walk {
    enum rf_av_proof audio, video; /* where there is such a stream */
    int64_t begin_ms,
        end_ms;        /* where the first packet of sound or video begins, and the last ends */
    int64_t last_ms;   /* where the last of any stream ends */
    int64_t length_ms; /* of sound and video, where other streams go on after them; or 0 */
    bool whole;        /* it got to the end: a large file is not walked through */
    bool cut;          /* packets are missing that the file speaks of */
};

int64_t rf_av_walked_ms(const struct rf_av_walk *walk);
void rf_av_walk(struct rf_av_input *in, struct rf_av_walk *walk);

#endif
