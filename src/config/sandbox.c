/* `sandbox: reduced`: the person permits that files are read where the system does not have all of
 * the workers' sandbox, or refuses some of it. It holds for the whole process, since its workers
 * do: whoever opens the configuration has told the pool, and nobody else can. */
#include "config/merge.h"

#include "base/arena.h"
#include "media/worker.h"

#include <refract/doctor.h>

void rf_merge_sandbox(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_err e;
    bool reduced = rf_str_is(v->text, "reduced");
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"sandbox\""))
        return;
    if (!reduced && !rf_str_is(v->text, "whole")) {
        rf_merge_problem(&e, r, v->line, "\"sandbox\": expected whole or reduced");
        rf_problem_add(r->problems, &e);
        return;
    }
    r->c->sandbox = reduced ? RF_SANDBOX_REDUCED : RF_SANDBOX_WHOLE;
    r->c->sandbox_place = (struct rf_place){ r->file, v->line };
}

const char *rf_sandbox_lacks(const struct rf_config *c)
{
    struct rf_confinement found = { 0 };
    for (size_t i = 0; c->sandbox == RF_SANDBOX_REDUCED && rf_families[i]; i++)
        if (!rf_worker_check(rf_workers_shared(), rf_families[i], c->arena, &found, NULL))
            break;
    return found.missing.n ? found.missing.p : NULL;
}
