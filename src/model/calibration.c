#include "model/calibration.h"

#include <stdbool.h>

#define LEAST_FACTOR 0.5
#define MOST_FACTOR 3.0
#define ABSURD 5.0         /* times too many or too few: not the same thing was counted */
#define LARGEST_STEP 1.5   /* times the factor that one report may ask for */
#define OLD_SAMPLES 9      /* from then on each report weighs a tenth */
#define FULL_WEIGHT 2000.0 /* tokens from which a request counts in full */

static bool is_sensible(double factor)
{
    return factor >= LEAST_FACTOR && factor <= MOST_FACTOR; /* false for NaN */
}

static double factor_of(const struct rf_calibration *c)
{
    return c->samples && is_sensible(c->factor) ? c->factor : 1.0;
}

static double between(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

static double more(double factor)
{
    return factor > 1.0 ? factor : 1.0;
}

static int64_t rounded(double tokens)
{
    return tokens >= 9e18 ? INT64_MAX : (int64_t)tokens;
}

/* The factor with which the estimate would have been right; 0: there is none. */
static double right_factor(const struct rf_estimate *e, int64_t reported)
{
    double text = (double)e->text, files = (double)e->files, all = text + files;
    double factor = (double)reported >= all ? (double)reported / all
                    : text > 0              ? ((double)reported - files) / text
                                            : 0;
    return factor >= 1.0 / ABSURD && factor <= ABSURD ? factor : 0;
}

void rf_calibration_add(struct rf_calibration *c, const struct rf_estimate *e, int64_t reported)
{
    if (e->text < 0 || e->files < 0 || e->text + e->files <= 0 || reported <= 0)
        return;
    double right = right_factor(e, reported), old = factor_of(c);
    if (!(right > 0))
        return;
    uint64_t seen = c->samples < OLD_SAMPLES ? c->samples : OLD_SAMPLES;
    double size = (right < 1.0 ? (double)e->text : (double)(e->text + e->files)) / FULL_WEIGHT;
    double weight = (size < 1.0 ? size : 1.0) / (double)(seen + 1);
    right = between(right, old / LARGEST_STEP, old * LARGEST_STEP);
    c->factor = between(old + (right - old) * weight, LEAST_FACTOR, MOST_FACTOR);
    c->samples = c->samples == UINT64_MAX ? c->samples : c->samples + 1;
}

int64_t rf_calibrated(const struct rf_calibration *c, const struct rf_estimate *e)
{
    double factor = factor_of(c);
    return rounded((double)e->text * factor + (double)e->files * more(factor) + 0.5);
}

int64_t rf_calibrated_room(const struct rf_calibration *c, int64_t tokens)
{
    return rounded((double)tokens / more(factor_of(c)));
}
