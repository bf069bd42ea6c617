/* The calibration of a model's estimates: two numbers of what was learned.
 *
 * What is kept there counts, not what the model knew when it was opened: other processes learn
 * too. */
#include "base/arena.h"
#include "config/learned.h"
#include "model/model.h"

#define FACTOR RF_STR("factor")
#define SAMPLES RF_STR("samples")

struct rf_calibration rf_learned_calibration(const struct rf_learned *l, struct rf_str provider,
                                             struct rf_str model)
{
    double samples = rf_learned_number(l, provider, model, SAMPLES, 0);
    return (struct rf_calibration){
        .factor = rf_learned_number(l, provider, model, FACTOR, 0),
        .samples = samples > 0 ? (uint64_t)samples : 0,
    };
}

static enum rf_code keep(struct rf_model *m, const struct rf_config *config, struct rf_arena *a,
                         int64_t estimate, int64_t reported, struct rf_err *err)
{
    struct rf_learned l;
    enum rf_code rc = rf_learned_change(config, a, &l, err);
    if (rc || (!l.path && !l.store))
        return rc;
    struct rf_calibration c = rf_learned_calibration(&l, m->provider, m->name);
    rf_calibration_add(&c, estimate, reported);
    m->calibration = c;
    rf_learned_set_number(&l, m->provider, m->name, FACTOR, c.factor);
    rf_learned_set_number(&l, m->provider, m->name, SAMPLES, (double)c.samples);
    return rf_learned_save(&l, err);
}

enum rf_code rf_model_calibrate(struct rf_model *m, const struct rf_config *config,
                                int64_t estimate, int64_t reported, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    enum rf_code rc = RF_OK;
    rf_calibration_add(&m->calibration, estimate, reported);
    if (config)
        rc = keep(m, config, a, estimate, reported, err);
    rf_arena_free(a);
    return rc;
}
