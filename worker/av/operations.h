/* One function an operation: av.c opens the file and closes it again. */
#ifndef RF_WORKER_AV_OPERATIONS_H
#define RF_WORKER_AV_OPERATIONS_H

#include "worker/av/input.h"
#include "worker/frame.h"

void rf_av_info(struct rf_av_input *in, const struct rf_ask *ask, struct rf_answer *to);
void rf_av_frames(struct rf_av_input *in, const struct rf_ask *ask, struct rf_answer *to);
void rf_av_sound(struct rf_av_input *in, const struct rf_ask *ask, struct rf_answer *to);

#endif
