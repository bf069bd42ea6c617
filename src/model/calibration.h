/* What a provider counts, against what we estimated: one running factor a model.
 *
 *     struct rf_estimate e = { .text = 900, .files = 2000 };
 *     rf_calibration_add(&model->calibration, &e, usage_input_tokens);
 *     int64_t better = rf_calibrated(&model->calibration, &e);
 *
 * Files cost by the model's own rule (so much a page, a tile, a second), which a factor cannot
 * know better: it corrects text both ways, and files upwards alone. So no run of short answers
 * makes a document small.
 *
 * The zero value is a model that was not asked yet; its factor counts as 1. Plain data: whoever
 * stores it keeps both numbers. */
#ifndef RF_MODEL_CALIBRATION_H
#define RF_MODEL_CALIBRATION_H

#include <stdint.h>

struct rf_calibration {
    double factor; /* reported by estimated; 0: nothing was reported yet */
    uint64_t samples;
};

/* Tokens before any calibration. */
struct rf_estimate {
    int64_t text;  /* and frames, tools: all that is not */
    int64_t files; /* pictures, PDFs, sound and video by the model's rule */
};

/* Learn from one exchange: the estimate, and the input tokens that came back, cached ones among
 * them. Large requests count for more than small ones; a report that is far off moves the factor
 * by a bounded step, and one that is absurd (tools that the provider ran itself, an empty
 * report) not at all. */
void rf_calibration_add(struct rf_calibration *c, const struct rf_estimate *e, int64_t reported);

/* The estimate, corrected: never less than its files. A stored factor that is not a sensible
 * number counts as 1. */
int64_t rf_calibrated(const struct rf_calibration *c, const struct rf_estimate *e);

/* The largest sum of an estimate that is at most `tokens` when it is corrected, whatever it is
 * made of. */
int64_t rf_calibrated_room(const struct rf_calibration *c, int64_t tokens);

#endif
