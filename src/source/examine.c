#include "source/examine.h"

#include "base/arena.h"

const char *rf_examiner(const struct rf_inspection *look)
{
    const struct rf_format *f = look->format;
    bool is_examined = f && (f->kind == RF_KIND_IMAGE || f->kind == RF_KIND_PDF);
    return is_examined && !look->examined ? f->family : NULL;
}

struct rf_str rf_exam_damage(const struct rf_job *job, struct rf_arena *a)
{
    if (!rf_prop_int(job->facts, job->fact_count, "damaged"))
        return RF_STR("");
    return job->note_count ? rf_str_dup(a, job->notes[0]) : RF_STR("the file is damaged");
}

/* What is wrong with the file by the word of its worker. One that died over some page has
 * counted them before, and that page may be the one that nobody asks for. */
static bool is_judged(const struct rf_job *job, enum rf_code *problem)
{
    bool counted = rf_prop_int(job->facts, job->fact_count, "pages") > 0;
    bool of_the_file = job->failed == RF_EFORMAT || job->failed == RF_EENCRYPTED;
    *problem = job->judged ? job->failed : RF_OK;
    return !job->failed || (job->judged ? of_the_file : counted);
}

void rf_examined(struct rf_inspection *look, const struct rf_job *job, struct rf_arena *a)
{
    enum rf_code problem;
    if (!is_judged(job, &problem))
        return;
    look->examined = true;
    look->problem = problem;
    look->problem_text = problem == RF_EENCRYPTED
                             ? RF_STR("the document is encrypted: a password is needed")
                         : problem ? rf_str_dup(a, rf_str(job->err.msg))
                                   : rf_exam_damage(job, a);
    if (problem || look->format->kind != RF_KIND_PDF)
        return;
    look->facts.pages = rf_prop_int(job->facts, job->fact_count, "pages");
    look->weighed =
        rf_text_weight_read(rf_prop_str(job->facts, job->fact_count, "weight"), &look->weight);
}

enum rf_code rf_examine(const struct rf_bytes *bytes, struct rf_cache *cache, int cancel_fd,
                        struct rf_arena *a, struct rf_looked *out, struct rf_err *err)
{
    *out = (struct rf_looked){ .stamp = bytes->stamp };
    enum rf_code rc = rf_inspect(bytes, a, &out->look, err);
    const char *family = rc ? NULL : rf_examiner(&out->look);
    if (!family)
        return rc;
    struct rf_job job = {
        .family = family,
        .ask = rf_recipe_text(&RF_EXAM, a),
        .input = bytes,
        .cancel_fd = cancel_fd,
    };
    rf_cache_run(cache, rf_workers_shared(), &job, 1, a);
    if (job.failed == RF_ESANDBOX || job.failed == RF_EINTERRUPTED) {
        if (err)
            *err = job.err;
        return job.failed;
    }
    rf_examined(&out->look, &job, a);
    out->sha256 = job.sha256;
    return RF_OK;
}
