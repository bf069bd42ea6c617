/* A file that no decoder here takes is the likeliest one. The decoders are the workers', so a
 * hostile one costs nothing but its own job. */
#include "agent/heal/candidates.h"

#include "base/arena.h"
#include "media/recipe.h"
#include "media/worker.h"

#define MOST_DECODED 64 /* files that are decoded for one refusal */

void rf_candidates_narrow(struct rf_candidates *c, const bool *stays)
{
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        n += stays[i];
    if (!n)
        return;
    n = 0;
    for (size_t i = 0; i < c->count; i++)
        if (stays[i])
            c->decisions[n++] = c->decisions[i];
    c->count = n;
}

static const char *family_of(const struct rf_asset *f)
{
    bool decoded = f->kind == RF_KIND_IMAGE || f->kind == RF_KIND_PDF || f->kind == RF_KIND_AUDIO ||
                   f->kind == RF_KIND_VIDEO;
    return decoded ? f->format->family : NULL;
}

/* Pictures and sound are decoded whole where facts are asked for; of a document a page has to be
 * drawn. */
static struct rf_str test_of(const struct rf_asset *f, struct rf_arena *a)
{
    if (f->kind == RF_KIND_PDF)
        return RF_ASK(a, .make = RF_MAKE_PAGE_PICTURES, .pages = { 1, 1 }, .dpi = 20,
                      .types = RF_STR("image/png"), .max_side = 64);
    return RF_ASK(a, .make = RF_MAKE_FACTS, .mime = f->mime);
}

/* A decoder said so; one that died or took too long says nothing about the file. Damage that is
 * forgiven here may not be elsewhere. */
static bool is_bad(const struct rf_job *job)
{
    return job->failed ? job->judged : rf_prop_int(job->facts, job->fact_count, "damaged") != 0;
}

bool rf_candidates_decode(const struct rf_request *r, struct rf_candidates *c, struct rf_arena *a)
{
    size_t n = c->count < MOST_DECODED ? c->count : MOST_DECODED, jobs = 0, broken = 0;
    struct rf_job *job = RF_ARRAY(a, struct rf_job, n);
    size_t *candidate = RF_ARRAY(a, size_t, n);
    bool *stays = RF_ARRAY(a, bool, c->count);
    for (size_t i = c->count - n; i < c->count; i++) { /* the newest */
        struct rf_asset *f = r->plan.decisions[c->decisions[i]].part->asset;
        rf_asset_open(f, a);
        if (f->state != RF_ASSET_BYTES || !family_of(f))
            continue;
        job[jobs] = (struct rf_job){ .family = family_of(f),
                                     .ask = test_of(f, a),
                                     .input = &f->bytes,
                                     .cancel_fd = r->cancel_fd };
        candidate[jobs++] = i;
    }
    if (jobs)
        rf_workers_run(rf_workers_shared(), job, jobs, a);
    for (size_t i = 0; i < jobs; i++)
        if (is_bad(&job[i])) {
            stays[candidate[i]] = true;
            broken++;
        }
    rf_candidates_narrow(c, stays);
    return broken > 0;
}
