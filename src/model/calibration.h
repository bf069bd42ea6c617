/* What a provider counts, against what we estimated: one running factor a model.
 *
 *     rf_calibration_add(&model->calibration, estimate, usage_input_tokens);
 *     int64_t better = rf_calibrated(&model->calibration, estimate);
 *
 * The zero value is a model that nobody has asked yet; its factor counts as 1. Plain data: whoever
 * stores it keeps both numbers.
 */
#ifndef RF_MODEL_CALIBRATION_H
#define RF_MODEL_CALIBRATION_H

#include <stdint.h>

struct rf_calibration {
    double factor; /* reported by estimated; 0: nothing was reported yet */
    uint64_t samples;
};

/* Learn from one exchange: the estimate before any calibration, and the input tokens that came
 * back, cached ones among them. Large requests count for more than small ones; a report that is far
 * off moves the factor by a bounded step, and one that is absurd (tools that the provider ran
 * itself, an empty report) not at all. */
void rf_calibration_add(struct rf_calibration *c, int64_t estimate, int64_t reported);

/* The estimate times the factor. A stored factor that is no sensible number counts as 1. */
int64_t rf_calibrated(const struct rf_calibration *c, int64_t estimate);

#endif
