/* Recipes become jobs. Ranges of pages go to as many workers as there are processors, and come
 * back as one outcome. It decides nothing: what to make is the plan's, what it is worth too. */
#include "request/make.h"

#include "base/arena.h"
#include "base/loop.h"
#include "base/utf8.h"
#include "request/transcribe.h"
#include "source/examine.h"
#include "source/made.h"
#include "source/recognise.h"

#include <unistd.h>

#define LEAST_PAGES 4                 /* of one job, when a range is split */
#define MOST_JOBS 8                   /* for one recipe */
#define MOST_TEXT ((uint64_t)4 << 20) /* of one file in a request; what is cut off is said */

/* Text is recognised in a PNG, upright and not too large. */
static const struct rf_recipe ocr_picture = {
    .make = RF_MAKE_PICTURE,
    .types = RF_STR_INIT("image/png"),
    .max_side = 4000,
    .max_pixels = 12000000,
};

struct order {
    struct rf_asset *asset;
    struct rf_recipe recipe; /* FACTS: the outcome says what the file is */
    size_t first, count;     /* its jobs */
};

struct orders {
    struct rf_arena *arena;
    int cancel_fd;                  /* as in struct rf_job */
    const struct rf_config *config; /* or NULL */
    struct order *list;
    size_t count, cap;
    struct rf_job *jobs;
    size_t job_count, job_cap;
};

static bool is_ordered(const struct orders *o, const struct rf_asset *asset,
                       const struct rf_recipe *recipe)
{
    for (size_t i = 0; i < o->count; i++)
        if (o->list[i].asset == asset && rf_recipe_eq(&o->list[i].recipe, recipe))
            return true;
    return false;
}

const char *rf_make_family(const struct rf_asset *f, enum rf_make make)
{
    switch (make) {
    case RF_MAKE_FACTS:
    case RF_MAKE_UTF8:
        return rf_asset_examiner(f);
    case RF_MAKE_PICTURE:
    case RF_MAKE_DRAWING:
        return "image";
    case RF_MAKE_PAGE_PICTURES:
    case RF_MAKE_PAGES:
        return "pdf";
    case RF_MAKE_FRAMES:
    case RF_MAKE_SOUND:
        return "av";
    case RF_MAKE_TEXT:
    case RF_MAKE_INNER_PICTURES:
    case RF_MAKE_LIST:
        return f->kind == RF_KIND_IMAGE ? "ocr" : f->format->family;
    case RF_MAKE_TRANSCRIPT:
        return "command";
    case RF_MAKE_NOTHING:
    case RF_MAKE_FRONT:
        break;
    }
    RF_BUG("no worker makes that");
}

/* A blob is opened when a worker needs it, and not where its outcome is known. */
struct owner {
    struct rf_asset *asset;
    struct rf_arena *arena;
    const struct rf_config *config;
};

static bool open_input(struct rf_job *job)
{
    const struct owner *o = job->owner;
    rf_asset_open(o->asset, o->arena);
    if (o->asset->state == RF_ASSET_BROKEN)
        job->failed = rf_fail(&job->err, o->asset->problem, "%.*s", RF_FMT(o->asset->problem_text));
    return o->asset->state != RF_ASSET_BROKEN;
}

static void transcribe(struct rf_job *job, struct rf_arena *a)
{
    const struct owner *o = job->owner;
    rf_transcribe(o->config, o->asset->format, job, a);
}

static bool is_exam(const struct rf_recipe *recipe)
{
    return recipe->make == RF_MAKE_FACTS || recipe->make == RF_MAKE_UTF8;
}

static void add_job(struct orders *o, const struct order *order, const struct rf_recipe *recipe)
{
    struct owner *owner = RF_NEW(o->arena, struct owner);
    *owner = (struct owner){ order->asset, o->arena, o->config };
    *RF_PUSH(o->arena, o->jobs, o->job_count, o->job_cap) = (struct rf_job){
        .family = rf_make_family(order->asset, recipe->make),
        .ask = rf_recipe_text(recipe, o->arena),
        .input = is_exam(recipe) ? rf_asset_exam_input(order->asset) : &order->asset->bytes,
        .sha256 = rf_asset_sha256(order->asset),
        .ready = order->asset->unopened ? open_input : NULL,
        .owner = owner,
        .max_text = MOST_TEXT,
        .cancel_fd = o->cancel_fd,
        .run = recipe->make == RF_MAKE_TRANSCRIPT ? transcribe : NULL,
    };
}

/* One job, or several where a range of pages is worth it. */
static void add_order(struct orders *o, struct rf_asset *asset, const struct rf_recipe *recipe)
{
    if (is_ordered(o, asset, recipe))
        return;
    struct order *order = RF_PUSH(o->arena, o->list, o->count, o->cap);
    *order = (struct order){ .asset = asset, .recipe = *recipe, .first = o->job_count };
    struct rf_recipe some = *recipe;
    bool paged = recipe->make == RF_MAKE_PAGE_PICTURES || recipe->make == RF_MAKE_TEXT;
    int64_t pages = paged ? rf_pages_count(recipe->pages) : 0;
    int64_t cores = sysconf(_SC_NPROCESSORS_ONLN);
    cores = cores < 1 ? 1 : cores > MOST_JOBS ? MOST_JOBS : cores;
    int64_t each = (pages + cores - 1) / cores, last = recipe->pages.last;
    if (pages < 2 * LEAST_PAGES)
        add_job(o, order, recipe);
    else
        for (; some.pages.first <= last; some.pages.first += each) {
            int64_t end = some.pages.first + each - 1;
            some.pages.last = end < last ? end : last;
            add_job(o, order, &some);
        }
    order->count = o->job_count - order->first;
}

/* The parts of all its jobs. Pages after the last one fail: that is where the document ends. */
static struct rf_job joined(struct orders *o, const struct order *order)
{
    struct rf_job all = o->jobs[order->first];
    for (size_t i = order->first + 1; i < order->first + order->count && !all.failed; i++) {
        const struct rf_job *job = &o->jobs[i];
        if (job->failed && job->failed != RF_EUSAGE) {
            all.failed = job->failed;
            all.err = job->err;
        }
        for (size_t k = 0; !job->failed && k < job->part_count; k++)
            *RF_PUSH(o->arena, all.parts, all.part_count, all.part_cap) = job->parts[k];
        for (size_t k = 0; !job->failed && k < job->note_count; k++)
            *RF_PUSH(o->arena, all.notes, all.note_count, all.note_cap) = job->notes[k];
    }
    return all;
}

/* A picture is made into what its text is recognised in. */
static void prepare(struct orders *o, struct rf_cache *cache)
{
    struct rf_job *made = RF_ARRAY(o->arena, struct rf_job, o->job_count);
    struct rf_job **jobs = RF_ARRAY(o->arena, struct rf_job *, o->job_count);
    size_t count = 0;
    for (size_t i = 0; i < o->job_count; i++) {
        if (strcmp(o->jobs[i].family, "ocr") != 0)
            continue;
        jobs[count] = &o->jobs[i];
        made[count] = o->jobs[i];
        made[count].family = "image";
        made[count++].ask = rf_recipe_text(&ocr_picture, o->arena);
    }
    if (count)
        rf_cache_run(cache, rf_workers_shared(), made, count, o->arena);
    for (size_t i = 0; i < count; i++)
        if (!made[i].failed && made[i].part_count) {
            jobs[i]->input = &made[i].parts[0].bytes;
            jobs[i]->sha256 = RF_STR("");
            jobs[i]->ready = NULL;
        }
}

/* A picture inside a document becomes the text that is recognised in it. */
static void read_picture(struct rf_job_part *p, const struct rf_recognised *seen,
                         struct rf_arena *a)
{
    struct rf_str name = rf_prop_str(p->props, p->prop_count, "name");
    *p = (struct rf_job_part){ .text = RF_STR("") };
    *RF_PUSH(a, p->props, p->prop_count, p->prop_cap) =
        (struct rf_prop){ RF_STR("kind"), RF_STR("text") };
    *RF_PUSH(a, p->props, p->prop_count, p->prop_cap) =
        (struct rf_prop){ RF_STR("goes_on"), RF_STR("1") };
    if (seen->text.n)
        p->text = rf_strf(a, "\n[Text in %.*s, %.*s:]\n%.*s\n", RF_FMT(rf_clean_name(name, a)),
                          RF_FMT(rf_recognised_words(seen->confidence, a)), RF_FMT(seen->text));
}

/* The pictures inside a document, for a model that sees none. */
static void recognise_pictures(struct rf_request *r, struct rf_cache *cache,
                               const struct order *order, struct rf_job *job)
{
    struct rf_recognising how = { .cache = cache, .cancel_fd = r->cancel_fd };
    struct rf_job *made = RF_ARRAY(r->arena, struct rf_job, job->part_count);
    struct rf_job_part **parts = RF_ARRAY(r->arena, struct rf_job_part *, job->part_count);
    const struct rf_bytes **pictures = RF_ARRAY(r->arena, const struct rf_bytes *, job->part_count);
    struct rf_recognised *seen = RF_ARRAY(r->arena, struct rf_recognised, job->part_count);
    size_t count = 0;
    if (job->failed || !order->recipe.recognise)
        return;
    for (size_t i = 0; i < job->part_count; i++)
        if (job->parts[i].bytes.size) {
            parts[count] = &job->parts[i];
            made[count++] = (struct rf_job){
                .family = "image",
                .ask = rf_recipe_text(&ocr_picture, r->arena),
                .input = &job->parts[i].bytes,
                .cancel_fd = r->cancel_fd,
            };
        }
    if (count && r->ocr_pages)
        rf_cache_run(cache, rf_workers_shared(), made, count, r->arena);
    for (size_t i = 0; i < count; i++)
        pictures[i] = made[i].failed || !made[i].part_count ? NULL : &made[i].parts[0].bytes;
    rf_recognise_pictures(&how, pictures, count, r->arena, seen);
    for (size_t i = 0; i < count; i++)
        read_picture(parts[i], &seen[i], r->arena);
}

/* Scanned pages of a PDF that goes as its text are read by a machine, the first ones. */
static void recognise_scans(struct rf_request *r, struct rf_cache *cache, const struct order *order,
                            struct rf_job *job)
{
    struct rf_recognising how = { .cache = cache,
                                  .most_pages = r->ocr_pages,
                                  .cancel_fd = r->cancel_fd };
    if (job->failed || order->recipe.make != RF_MAKE_TEXT || order->asset->kind != RF_KIND_PDF)
        return;
    rf_asset_open(order->asset, r->arena);
    if (order->asset->state == RF_ASSET_BYTES)
        rf_recognise_scans(&how, job, &order->asset->bytes, r->arena);
}

/* The front of a text needs no worker. */
static void make_front(struct rf_asset *asset, const struct rf_recipe *recipe, struct rf_arena *a)
{
    struct rf_job job = { 0 };
    struct rf_reader r = { .fd = -1 };
    size_t most = (size_t)recipe->max_bytes, got = 0;
    char *text = rf_arena_alloc(a, most + 1);
    rf_asset_open(asset, a);
    if (asset->state == RF_ASSET_BROKEN)
        return;
    job.failed = rf_reader_open(&r, &asset->bytes, &job.err);
    if (!job.failed)
        job.failed = rf_reader_read(&r, 0, text, most, &got, &job.err);
    rf_reader_close(&r);
    job.text = (struct rf_str){ text, rf_utf8_valid((struct rf_str){ text, got }) };
    rf_asset_add_made(asset, recipe, &job, a);
}

/* Whatever a decision waits for. Returns how much of it was made at once. */
static size_t order(struct orders *o, const struct rf_decision *d)
{
    size_t fronts = 0;
    for (size_t i = 0; i < d->pictures_kept; i++)
        fronts += order(o, &d->pictures[i]);
    struct rf_asset *asset = d->part->asset;
    if (d->examine && rf_asset_examiner(asset)) {
        const struct rf_recipe exam = rf_asset_exam(asset);
        add_order(o, asset, &exam);
    } else if (!d->examine && d->recipe.make == RF_MAKE_FRONT && !d->made) {
        make_front(asset, &d->recipe, o->arena);
        fronts++;
    } else if (!d->examine && d->recipe.make && !d->made) {
        add_order(o, asset, &d->recipe);
    } else if (d->also.make && !rf_asset_made(asset, &d->also)) {
        add_order(o, asset, &d->also);
    }
    return fronts;
}

static enum rf_code run(struct orders *o, struct rf_cache *cache, struct rf_err *err)
{
    prepare(o, cache);
    rf_cache_run(cache, rf_workers_shared(), o->jobs, o->job_count, o->arena);
    for (size_t i = 0; i < o->job_count; i++)
        if (o->jobs[i].failed == RF_ESANDBOX) {
            if (err)
                *err = o->jobs[i].err;
            return RF_ESANDBOX;
        }
    return RF_OK;
}

/* Most requests need none. */
static struct rf_cache *cache_of(struct rf_request *r)
{
    if (!r->cache && r->cache_folder)
        r->cache = rf_cache_new(r->cache_folder, r->cache_bytes);
    return r->cache;
}

enum rf_code rf_request_make(struct rf_request *r, size_t *made, struct rf_err *err)
{
    struct orders o = { .arena = r->arena, .cancel_fd = r->cancel_fd, .config = r->config };
    size_t fronts = 0;
    enum rf_code rc = RF_OK;
    for (size_t i = 0; i < r->plan.decision_count; i++)
        fronts += order(&o, &r->plan.decisions[i]);
    if (o.count && r->at_once)
        return rf_fail(err, RF_EINTERRUPTED, "the request needs a worker");
    struct rf_cache *cache = o.count ? cache_of(r) : NULL;
    if (o.count && (rc = run(&o, cache, err)))
        return rc;
    for (size_t i = 0; i < o.count; i++) {
        struct rf_job all = joined(&o, &o.list[i]);
        recognise_scans(r, cache, &o.list[i], &all);
        recognise_pictures(r, cache, &o.list[i], &all);
        if (is_exam(&o.list[i].recipe))
            rf_asset_examined(o.list[i].asset, &all, r->arena);
        else
            rf_asset_add_made(o.list[i].asset, &o.list[i].recipe, &all, r->arena);
    }
    *made = o.count + fronts;
    if (o.count && r->cancel_fd && rf_fd_readable(r->cancel_fd))
        return rf_fail(err, RF_EINTERRUPTED, "making the request was stopped");
    return RF_OK;
}
