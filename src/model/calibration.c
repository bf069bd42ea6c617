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

void rf_calibration_add(struct rf_calibration *c, int64_t estimate, int64_t reported)
{
    if (estimate <= 0 || reported <= 0)
        return;
    double ratio = (double)reported / (double)estimate, old = factor_of(c);
    if (ratio > ABSURD || ratio < 1.0 / ABSURD)
        return;
    uint64_t seen = c->samples < OLD_SAMPLES ? c->samples : OLD_SAMPLES;
    double size = (double)estimate / FULL_WEIGHT;
    double weight = (size < 1.0 ? size : 1.0) / (double)(seen + 1);
    ratio = between(ratio, old / LARGEST_STEP, old * LARGEST_STEP);
    c->factor = between(old + (ratio - old) * weight, LEAST_FACTOR, MOST_FACTOR);
    c->samples = c->samples == UINT64_MAX ? c->samples : c->samples + 1;
}

int64_t rf_calibrated(const struct rf_calibration *c, int64_t estimate)
{
    double better = (double)estimate * factor_of(c) + 0.5;
    return better >= 9e18 ? INT64_MAX : (int64_t)better;
}
