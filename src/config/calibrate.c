/* The calibration of a model's estimates: two numbers of what was learned.
 *
 * What is kept there counts, not what the model knew when it was opened: other processes learn
 * too. */
#include "base/arena.h"
#include "config/learned.h"
#include "model/model.h"

#define FACTOR RF_STR("factor")
#define SAMPLES RF_STR("samples")

struct rf_calibration rf_learned_calibration(const struct rf_learned *l, const struct rf_model *m)
{
    double samples = rf_learned_number(l, m, SAMPLES, 0);
    return (struct rf_calibration){
        .factor = rf_learned_number(l, m, FACTOR, 0),
        .samples = samples > 0 ? (uint64_t)samples : 0,
    };
}

static enum rf_code keep(struct rf_model *m, const struct rf_config *config, struct rf_arena *a,
                         const struct rf_estimate *e, int64_t reported, struct rf_err *err)
{
    struct rf_learned l;
    enum rf_code rc = rf_learned_change(config, a, &l, err);
    if (rc || (!l.path && !l.store))
        return rc;
    struct rf_calibration c = rf_learned_calibration(&l, m);
    rf_calibration_add(&c, e, reported);
    m->calibration = c;
    rf_learned_set_number(&l, m, FACTOR, c.factor);
    rf_learned_set_number(&l, m, SAMPLES, (double)c.samples);
    return rf_learned_save(&l, err);
}

enum rf_code rf_model_calibrate(struct rf_model *m, const struct rf_config *config,
                                int64_t estimate, int64_t by_rule, int64_t reported,
                                struct rf_err *err)
{
    const struct rf_estimate e = { .text = estimate - by_rule, .files = by_rule };
    struct rf_arena *a = rf_arena_new();
    enum rf_code rc = RF_OK;
    rf_calibration_add(&m->calibration, &e, reported);
    if (config)
        rc = keep(m, config, a, &e, reported, err);
    rf_arena_free(a);
    return rc;
}
