/* Files, thumbnails and their text. A browser gets nothing that it would open as a document:
 * pictures of a few plain types are sent as such, text as plain text, everything else as a
 * download. The sandboxed workers that read files for models draw the thumbnails and extract the
 * text. */
#include "page/media.h"

#include "base/utf8.h"
#include "media/cache.h"
#include "page/kept.h"
#include "request/make.h"
#include "request/request.h"

#define SMALL_SIDE 320
#define SMALL_DPI 72
#define LARGE_SIDE 2000
#define LARGE_DPI 150
#define CACHE_BYTES ((uint64_t)1 << 30) /* as much as conversions may take */
#define MOST_BYTES ((uint64_t)64 << 20)
#define MOST_TEXT ((size_t)1 << 20)

const struct rf_format *rf_page_format(const struct rf_bytes *bytes)
{
    struct rf_reader r = { .fd = -1 };
    const struct rf_format *f = NULL;
    if (!rf_reader_open(&r, bytes, NULL))
        f = rf_sniff(&r);
    rf_reader_close(&r);
    return f;
}

/* What browsers show as a picture, and nothing that can hold a script. */
static bool is_plain_picture(const struct rf_format *f)
{
    static const char *const plain[] = { "image/png", "image/jpeg", "image/gif", "image/webp" };
    for (size_t i = 0; f && i < sizeof plain / sizeof *plain; i++)
        if (strcmp(f->mime, plain[i]) == 0)
            return true;
    return false;
}

/* False: the reply says why not. */
static bool read_bytes(struct rf_page_visit *v, const struct rf_bytes *bytes, struct rf_str *out)
{
    struct rf_err err = { 0 };
    if (bytes->size > MOST_BYTES)
        rf_page_refuse(v, 413, RF_STR("this file is too large for the page"));
    else if (rf_bytes_all(bytes, v->arena, out, &err))
        rf_page_fail(v, &err);
    return !v->type;
}

void rf_page_send_bytes(struct rf_page_visit *v, const struct rf_bytes *bytes,
                        const struct rf_config *config)
{
    const struct rf_format *f = rf_page_format(bytes);
    bool shown = is_plain_picture(f);
    (void)config;
    if (!read_bytes(v, bytes, &v->out))
        return;
    v->type = shown ? f->mime : "application/octet-stream";
    if (!shown && rf_page_field(v, "named").n) /* by the page, whose name one here would replace */
        rf_page_header(v, "content-disposition", "attachment");
    else if (!shown)
        rf_page_header(
            v, "content-disposition",
            rf_strf(v->arena, "attachment; filename=\"file.%s\"", f ? f->extension : "bin").p);
}

static void run_worker(struct rf_page_visit *v, const struct rf_config *config, struct rf_job *job)
{
    const char *folder = config ? rf_config_cache_folder(config) : NULL;
    struct rf_cache *cache = folder ? rf_cache_new(folder, CACHE_BYTES) : NULL;
    rf_cache_run(cache, rf_workers_shared(), job, 1, v->arena);
    rf_cache_free(cache);
}

/* Pictures */

/* Of the page that the field "page" names, the first where it names none; small, where "size" is
 * not "large". */
static struct rf_recipe recipe_for(struct rf_page_visit *v, const struct rf_format *f)
{
    bool pages = f->kind == RF_KIND_PDF, frames = f->kind == RF_KIND_VIDEO;
    bool large = rf_str_is(rf_page_field(v, "size"), "large");
    int64_t page;
    if (!rf_str_int64(rf_page_field(v, "page"), &page) || page < 1)
        page = 1;
    return (struct rf_recipe){
        .make = pages    ? RF_MAKE_PAGE_PICTURES
                : frames ? RF_MAKE_FRAMES
                         : RF_MAKE_PICTURE,
        .mime = rf_str(f->mime),
        .pages = { pages ? page : 0, pages ? page : 0 },
        .dpi = !pages  ? 0
               : large ? LARGE_DPI
                       : SMALL_DPI,
        .count = frames ? 1 : 0,
        .types = frames ? RF_STR("image/jpeg") : RF_STR("image/png,image/jpeg"),
        .max_side = large ? LARGE_SIDE : SMALL_SIDE,
    };
}

void rf_page_send_thumbnail(struct rf_page_visit *v, const struct rf_bytes *bytes,
                            const struct rf_config *config)
{
    const struct rf_format *f = rf_page_format(bytes);
    if (!f || !f->family ||
        (f->kind != RF_KIND_IMAGE && f->kind != RF_KIND_PDF && f->kind != RF_KIND_VIDEO)) {
        rf_page_refuse(v, 404, RF_STR("there is no picture of this file"));
        return;
    }
    struct rf_recipe recipe = recipe_for(v, f);
    struct rf_job job = { .family = f->family,
                          .ask = rf_recipe_text(&recipe, v->arena),
                          .input = bytes,
                          .cancel_fd = v->stop_fd };
    run_worker(v, config, &job);
    if (job.failed)
        rf_page_fail(v, &job.err);
    else if (!job.part_count || !is_plain_picture(rf_page_format(&job.parts[0].bytes)))
        rf_page_refuse(v, 404, RF_STR("there is no picture of this file"));
    else
        rf_page_send_bytes(v, &job.parts[0].bytes, config);
}

/* Text */

static void send_plain(struct rf_page_visit *v, struct rf_str text)
{
    struct rf_str shown = { text.p, text.n < MOST_TEXT ? text.n : MOST_TEXT };
    v->type = "text/plain; charset=utf-8";
    v->out = (struct rf_str){ shown.p, rf_utf8_valid(shown) };
}

/* All parts, one after the other. */
static struct rf_str text_of(const struct rf_job *job, struct rf_arena *a)
{
    struct rf_buf b;
    rf_buf_init(&b, a, SIZE_MAX);
    rf_buf_add(&b, job->text);
    for (size_t i = 0; i < job->part_count; i++)
        rf_buf_addf(&b, "%s%.*s\n", b.n ? "\n" : "", RF_FMT(rf_str_trim(job->parts[i].text)));
    return (struct rf_str){ b.p ? b.p : "", b.n };
}

static void send_document_text(struct rf_page_visit *v, const struct rf_bytes *bytes,
                               const struct rf_format *f, const struct rf_config *config)
{
    struct rf_job job = { .family = f->family,
                          .ask = RF_ASK(v->arena, .make = RF_MAKE_TEXT, .mime = rf_str(f->mime)),
                          .input = bytes,
                          .max_text = MOST_TEXT,
                          .cancel_fd = v->stop_fd };
    run_worker(v, config, &job);
    if (job.failed)
        rf_page_fail(v, &job.err);
    else
        send_plain(v, text_of(&job, v->arena));
}

void rf_page_send_text(struct rf_page_visit *v, const struct rf_bytes *bytes,
                       const struct rf_config *config)
{
    const struct rf_format *f = rf_page_format(bytes);
    struct rf_str all;
    if (f && f->kind == RF_KIND_OFFICE && f->family)
        send_document_text(v, bytes, f, config);
    else if (!f || f->kind != RF_KIND_TEXT)
        rf_page_refuse(v, 404, RF_STR("there is no text of this file"));
    else if (read_bytes(v, bytes, &all))
        send_plain(v, all);
}

/* Of a request */

/* The bytes of file "2", or of what was made of it: "2.0" is the first part. NULL: refused. */
static const struct rf_bytes *find_bytes(struct rf_page_visit *v, const struct rf_request *r)
{
    struct rf_str rest = v->words[1], first;
    int64_t i, k = -1;
    bool good = rf_str_split(&rest, '.', &first) && rf_str_int64(first, &i) && i >= 0 &&
                (!rest.n || (rf_str_int64(rest, &k) && k >= 0));
    if (good && r && (size_t)i < r->plan.decision_count) {
        const struct rf_decision *d = &r->plan.decisions[i];
        struct rf_asset *f = d->part->asset;
        if (k >= 0 && d->made && (size_t)k < d->made->count)
            return &d->made->parts[k].asset.bytes;
        if (k < 0)
            rf_asset_open(f, r->arena); /* it must live as long as the file */
        if (k < 0 && (f->state == RF_ASSET_BYTES || f->bytes.size))
            return &f->bytes;
    }
    rf_page_refuse(v, 404, RF_STR("there is no such file in this request"));
    return NULL;
}

static void send_of_request(struct rf_page_visit *v, rf_page_send *send)
{
    struct rf_ring_entry e;
    struct rf_kept_exchange *k = rf_page_kept(v, &e);
    if (!k)
        return;
    const struct rf_bytes *bytes = find_bytes(v, rf_page_translation(v, k, &e)->request);
    if (bytes)
        send(v, bytes, k->setup->config);
    rf_page_done(k);
}

void rf_page_file(struct rf_page_visit *v)
{
    send_of_request(v, rf_page_send_bytes);
}

void rf_page_thumbnail(struct rf_page_visit *v)
{
    send_of_request(v, rf_page_send_thumbnail);
}

void rf_page_text(struct rf_page_visit *v)
{
    send_of_request(v, rf_page_send_text);
}
