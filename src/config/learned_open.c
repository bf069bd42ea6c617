/* What was learned, for those who list it or want it forgotten. */
#include "base/arena.h"
#include "config/config.h"
#include "config/learned.h"
#include "config/names.h"
#include "model/model.h"

static const struct rf_learned_fact *at(const struct rf_learned *l, size_t i)
{
    static const struct rf_learned_fact none;
    return i < l->fact_count ? &l->facts[i] : &none;
}

enum rf_code rf_learned_open(const struct rf_config *config, struct rf_learned **out,
                             struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_learned *l = RF_NEW(a, struct rf_learned);
    l->arena = a;
    l->lock = -1;
    enum rf_code rc = config ? rf_learned_load(config, a, l, err) : RF_OK;
    if (rc)
        rf_arena_free(a);
    else
        *out = l;
    return rc;
}

void rf_learned_close(struct rf_learned *l)
{
    if (l)
        rf_arena_free(l->arena);
}

const struct rf_err *rf_learned_problem(const struct rf_learned *l)
{
    return l->problem.code ? &l->problem : NULL;
}

size_t rf_learned_count(const struct rf_learned *l)
{
    return l->fact_count;
}

struct rf_str rf_learned_provider(const struct rf_learned *l, size_t i)
{
    return at(l, i)->provider;
}

struct rf_str rf_learned_model(const struct rf_learned *l, size_t i)
{
    return at(l, i)->model;
}

struct rf_str rf_learned_fact(const struct rf_learned *l, size_t i)
{
    return at(l, i)->fact;
}

struct rf_str rf_learned_value(const struct rf_learned *l, size_t i)
{
    return at(l, i)->value;
}

struct rf_str rf_learned_date(const struct rf_learned *l, size_t i)
{
    return at(l, i)->date;
}

struct rf_str rf_learned_words(const struct rf_learned *l, size_t i)
{
    return at(l, i)->words;
}

struct rf_str rf_learned_address(const struct rf_learned *l, size_t i)
{
    return at(l, i)->address;
}

enum rf_fact_source rf_learned_source(const struct rf_learned *l, size_t i)
{
    return at(l, i)->described ? RF_FACT_DESCRIBED : RF_FACT_LEARNED;
}

/* Forgetting */

struct target {
    struct rf_str provider, model, fact; /* empty: all */
    bool facts, numbers;
};

static bool is_forgettable(struct rf_str name)
{
    return rf_fact_exists(name) || rf_str_is(name, "calibration");
}

/* "MODEL:FACT" is cut at its last colon, where a fact follows it; else all of it is
 * a model. */
static void split(struct rf_str what, struct rf_str *model, struct rf_str *fact)
{
    size_t colon = what.n;
    while (colon > 0 && what.p[colon - 1] != ':')
        colon--;
    struct rf_str last = { what.p + colon, what.n - colon };
    bool has_fact = colon > 1 && is_forgettable(last);
    *model = has_fact ? (struct rf_str){ what.p, colon - 1 } : what;
    *fact = has_fact ? last : RF_STR("");
}

static enum rf_code aim(const struct rf_config *c, const char *what, struct rf_arena *a,
                        struct target *t, struct rf_err *err)
{
    struct rf_str name, fact;
    struct rf_model *m;
    *t = (struct target){ .facts = true, .numbers = true };
    if (strcmp(what, "all") == 0)
        return RF_OK;
    split(rf_str(what), &name, &fact);
    enum rf_code rc = rf_model_open(c, rf_cstr(a, name), &m, err);
    if (rc)
        return rc;
    t->provider = rf_str_dup(a, m->provider);
    t->model = rf_str_dup(a, m->name);
    rf_model_close(m);
    if (rf_str_is(fact, "calibration")) {
        t->facts = false;
    } else if (fact.n) {
        t->fact = fact;
        t->numbers = false;
    }
    return RF_OK;
}

static enum rf_code forget(const struct rf_config *config, const struct target *t,
                           struct rf_arena *a, size_t *count, struct rf_err *err)
{
    struct rf_learned l;
    size_t n = 0;
    enum rf_code rc = rf_learned_change(config, a, &l, err);
    if (rc)
        return rc;
    if (t->facts)
        n += rf_learned_drop_facts(&l, t->provider, t->model, t->fact);
    if (t->numbers)
        n += rf_learned_drop_numbers(&l, t->provider, t->model);
    if (n)
        rc = rf_learned_save(&l, err);
    else
        rf_learned_unlock(&l);
    if (!rc)
        *count = n;
    return rc;
}

enum rf_code rf_learned_forget(const struct rf_config *config, const char *what, size_t *count,
                               struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct target t;
    enum rf_code rc = aim(config, what, a, &t, err);
    if (!rc && config)
        rc = forget(config, &t, a, count, err);
    else if (!rc)
        *count = 0;
    rf_arena_free(a);
    return rc;
}
