/* Opening a preview: the file is found and told what it is as a read does it, and who knows its
 * pages is asked how many there are. Nothing is decoded that need not be: a picture is known by
 * its header. */
#include "source/preview.h"

#include "base/arena.h"
#include "media/recipe.h"
#include "source/asset.h"
#include "source/document.h"

#include <inttypes.h>

#define MOST_TEXT ((int64_t)16 << 20) /* bytes of a text, or of one line of it */
#define FRAME_EVERY_MS 5000           /* of a video that is not long */
#define MIN_FRAMES 4
#define MAX_FRAMES 100
#define MAX_PICTURE_FRAMES 10000

enum rf_code rf_preview_ask(struct rf_preview *p, struct rf_job *job, struct rf_arena *a,
                            struct rf_err *err)
{
    struct rf_read asker = { .tools = &p->tools, .arena = a, .bytes = p->read.bytes };
    p->tools.stopped = false;
    rf_read_ask(&asker, job, 1);
    if (job->failed)
        *err = job->err;
    return job->failed;
}

/* Pictures. */

static enum rf_code ask_picture(struct rf_preview *p, int64_t *frames, struct rf_err *err)
{
    struct rf_job job = { .family = "image", .ask = RF_ASK(p->arena, .make = RF_MAKE_FACTS) };
    enum rf_code rc = rf_preview_ask(p, &job, p->arena, err);
    if (rc)
        return rc;
    p->width = rf_prop_side(job.facts, job.fact_count, "width");
    p->height = rf_prop_side(job.facts, job.fact_count, "height");
    *frames = rf_prop_int(job.facts, job.fact_count, "frames");
    return RF_OK;
}

static enum rf_code open_picture(struct rf_preview *p, struct rf_err *err)
{
    struct rf_read *r = &p->read;
    const struct rf_file_part *part = &r->call.part;
    int64_t frames = 1;
    enum rf_code rc = r->format ? rf_probe(&r->reader, r->format, &r->facts, err) : RF_OK;
    p->kind = RF_PREVIEW_PICTURE;
    p->word = "frame";
    p->width = r->facts.width;
    p->height = r->facts.height;
    if (!rc && (!p->width || (r->facts.frames > 1 && r->format->parts)))
        rc = ask_picture(p, &frames, err);
    if (rc)
        return rc;
    if (part->has_crop && (part->crop[0] >= p->width || part->crop[1] >= p->height))
        return rf_fail(err, RF_EUSAGE,
                       "the piece lies outside of the picture, which is %" PRId64 "x%" PRId64,
                       p->width, p->height);
    p->framed = frames > 1 && r->format && r->format->parts;
    if (!p->framed)
        frames = 1;
    return rf_preview_take_pages(p, frames > MAX_PICTURE_FRAMES ? MAX_PICTURE_FRAMES : frames, err);
}

/* Documents. */

static enum rf_code open_pdf(struct rf_preview *p, struct rf_err *err)
{
    struct rf_job job = { .family = "pdf" };
    job.ask = RF_ASK(p->arena, .make = RF_MAKE_FACTS, .password = p->tools.password);
    enum rf_code rc = rf_preview_ask(p, &job, p->arena, err);
    p->kind = RF_PREVIEW_PDF;
    p->family = "pdf";
    p->word = "page";
    if (rc)
        return rc;
    int64_t pages = rf_prop_int(job.facts, job.fact_count, "pages");
    return pages < 1 ? rf_fail(err, RF_EFORMAT, "the document has no pages")
                     : rf_preview_take_pages(p, pages, err);
}

/* The pictures inside are its pages. */
static enum rf_code open_pictures(struct rf_preview *p, struct rf_err *err)
{
    struct rf_job job = { .family = p->family };
    job.ask = RF_ASK(p->arena, .make = RF_MAKE_INNER_PICTURES, .mime = p->mime,
                     .pages = p->read.call.part.picture_range, .password = p->tools.password);
    enum rf_code rc = rf_preview_ask(p, &job, p->arena, err);
    p->kind = RF_PREVIEW_PICTURES;
    p->family = NULL;
    p->word = "picture";
    if (!rc && !job.part_count)
        rc = rf_fail(err, RF_EUSAGE, "there are no pictures in it");
    if (!rc)
        rc = rf_preview_take_pages(p, (int64_t)job.part_count, err);
    for (size_t i = 0; !rc && i < p->count; i++) {
        struct rf_job_part *part = &job.parts[rf_preview_in_file(p, i) - 1];
        p->pages[i].picture = part->bytes;
        p->pages[i].name =
            rf_clean_name(rf_prop_str(part->props, part->prop_count, "name"), p->arena);
    }
    return rc;
}

static enum rf_code open_document(struct rf_preview *p, struct rf_err *err)
{
    const struct rf_file_part *part = &p->read.call.part;
    p->family = p->read.format->family;
    if (part->pictures)
        return open_pictures(p, err);
    p->kind = RF_PREVIEW_DOCUMENT;
    p->word = p->read.format->parts->flows ? "page" : p->read.format->parts->one;
    return rf_preview_read_pages(p, part->range_count ? part->ranges[0].first : 1, err);
}

/* Sound and video. */

static void take_stretch(struct rf_preview *p, int64_t duration_ms)
{
    const struct rf_file_part *part = &p->read.call.part;
    int64_t end =
        part->has_time && part->end_ms && part->end_ms < duration_ms ? part->end_ms : duration_ms;
    p->start_ms = part->has_time && part->start_ms < end ? part->start_ms : 0;
    p->duration_ms = end - p->start_ms;
}

static enum rf_code open_frames(struct rf_preview *p, struct rf_err *err)
{
    int64_t n = p->duration_ms / FRAME_EVERY_MS;
    enum rf_code rc;
    n = n < MIN_FRAMES ? MIN_FRAMES : n > MAX_FRAMES ? MAX_FRAMES : n;
    if (p->duration_ms < 2 * MIN_FRAMES)
        n = 1;
    p->kind = RF_PREVIEW_VIDEO;
    p->word = "frame";
    if ((rc = rf_preview_take_pages(p, n, err)))
        return rc;
    for (int64_t i = 0; i < n; i++)
        p->pages[i].name =
            rf_preview_time(p->arena, p->start_ms + p->duration_ms * (2 * i + 1) / (2 * n));
    return RF_OK;
}

static enum rf_code open_recording(struct rf_preview *p, struct rf_err *err)
{
    struct rf_job job = { .family = "av" };
    job.ask = RF_ASK(p->arena, .make = RF_MAKE_FACTS, .mime = p->mime);
    enum rf_code rc = rf_preview_ask(p, &job, p->arena, err);
    if (rc && rc != RF_ECONFIG)
        return rc;
    if (!rc) {
        take_stretch(p, rf_prop_int(job.facts, job.fact_count, "duration_ms"));
        p->width = rf_prop_side(job.facts, job.fact_count, "width");
        p->height = rf_prop_side(job.facts, job.fact_count, "height");
    }
    if (p->width > 0 && p->read.format->kind == RF_KIND_VIDEO)
        return open_frames(p, err);
    p->width = p->height = 0;
    return rf_preview_take_pages(p, 1, err);
}

/* Everything else is read to know what it is: odd pictures become some. */
static enum rf_code open_other(struct rf_preview *p, struct rf_err *err)
{
    enum rf_code rc = rf_preview_take_pages(p, 1, err);
    if (!rc)
        rc = rf_preview_read_whole(p, err);
    if (rc || !p->message.block_count || p->message.blocks[0].type != RF_BLOCK_IMAGE)
        return rc;
    p->mime = RF_STR("");
    p->read.format = NULL;
    return open_picture(p, err);
}

/* Mail is text, and read as a document for its name. */
static enum rf_code open_text(struct rf_preview *p, struct rf_err *err)
{
    const struct rf_format *named = rf_other_text(p->read.name);
    if (!named || p->read.call.part.source)
        return open_other(p, err);
    p->read.format = named;
    p->mime = rf_str(named->mime);
    return open_document(p, err);
}

static enum rf_code open_kind(struct rf_preview *p, struct rf_err *err)
{
    const struct rf_format *f = p->read.format;
    p->mime = f ? rf_str(f->mime) : RF_STR("application/octet-stream");
    if (!p->read.bytes.size || !f || p->read.call.part.has_bytes || p->read.call.part.has_lines)
        return open_other(p, err);
    switch (f->kind) {
    case RF_KIND_IMAGE:
        return open_picture(p, err);
    case RF_KIND_PDF:
        return open_pdf(p, err);
    case RF_KIND_OFFICE:
        return open_document(p, err);
    case RF_KIND_AUDIO:
    case RF_KIND_VIDEO:
        return open_recording(p, err);
    case RF_KIND_TEXT:
        return open_text(p, err);
    case RF_KIND_UNKNOWN:
        break;
    }
    return open_other(p, err);
}

static enum rf_code open_found(struct rf_preview *p, struct rf_err *err)
{
    enum rf_code rc = rf_read_open(&p->read, err);
    if (!rc && !p->read.listed)
        rc = rf_read_identify(&p->read, err);
    if (!rc)
        rc = open_kind(p, err);
    rf_reader_close(&p->read.reader);
    if (!rc)
        p->label = rf_preview_write_label(p);
    return rc;
}

static struct rf_preview *new_preview(struct rf_tools *t)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_preview *p = RF_NEW(a, struct rf_preview);
    rf_read_open_cache(t);
    *p = (struct rf_preview){ .arena = a, .drawn = rf_arena_new(), .tools = *t, .word = "page" };
    p->tools.attachments.keep = NULL;
    p->tools.no_ocr = true;
    p->tools.limits[RF_LIMIT_TEXT_BYTES] = MOST_TEXT;
    p->tools.limits[RF_LIMIT_LINE_BYTES] = MOST_TEXT;
    p->tools.limits[RF_LIMIT_DOCUMENT_TEXT_BYTES] = MOST_TEXT;
    p->read = (struct rf_read){ .tools = &p->tools, .arena = a, .message = &p->message };
    p->read.call = (struct rf_read_call){
        .offset = -1,
        .limit = -1,
        .byte_offset = -1,
        .byte_limit = -1,
    };
    rf_read_init(&p->read);
    return p;
}

/* Say which file it was, as a read does. */
static enum rf_code finish(struct rf_preview *p, enum rf_code rc, struct rf_preview **out,
                           struct rf_err *err)
{
    if (!rc) {
        *out = p;
        return RF_OK;
    }
    if (rc == RF_EUNSUPPORTED) /* by a worker; here it is about no model */
        rc = err->code = RF_EFORMAT;
    if (p->read.name.n)
        rf_err_at(err, rf_cstr(p->arena, p->read.name));
    rf_preview_close(p);
    return rc;
}

enum rf_code rf_preview_open(struct rf_tools *t, const char *path, struct rf_preview **out,
                             struct rf_err *err)
{
    struct rf_preview *p = new_preview(t);
    p->read.call.path = rf_str_dup(p->arena, rf_str(path));
    enum rf_code rc = rf_read_find(&p->read, err);
    return finish(p, rc ? rc : open_found(p, err), out, err);
}

enum rf_code rf_preview_attachment(struct rf_tools *t, const char *id, const char *name,
                                   struct rf_preview **out, struct rf_err *err)
{
    struct rf_preview *p = new_preview(t);
    p->read.call.id = rf_str_dup(p->arena, rf_str(id));
    p->read.call.path = RF_STR(""); /* and so no name that could claim something */
    p->read.name = rf_clean_name(rf_str(name ? name : id), p->arena);
    enum rf_code rc = rf_read_find_kept(&p->read, err);
    return finish(p, rc ? rc : open_found(p, err), out, err);
}

void rf_preview_close(struct rf_preview *p)
{
    if (!p)
        return;
    rf_arena_free(p->drawn);
    rf_arena_free(p->arena);
}

struct rf_str rf_preview_name(const struct rf_preview *p)
{
    return p->read.name;
}

struct rf_str rf_preview_mime(const struct rf_preview *p)
{
    return p->mime;
}

struct rf_str rf_preview_label(const struct rf_preview *p)
{
    return p->label;
}

size_t rf_preview_count(const struct rf_preview *p)
{
    return p->count;
}

const char *rf_preview_word(const struct rf_preview *p)
{
    return p->word;
}

struct rf_str rf_preview_page_name(const struct rf_preview *p, size_t page)
{
    if (page >= p->count)
        return RF_STR("");
    if (p->pages[page].name.n || !p->read.call.part.range_count)
        return p->pages[page].name;
    return rf_strf(p->arena, "%" PRId64, rf_preview_in_file(p, page));
}

int rf_preview_has_picture(const struct rf_preview *p)
{
    return p->kind != RF_PREVIEW_TEXT && p->kind != RF_PREVIEW_DOCUMENT;
}

/* What the workers for documents write, and what is written so. */
int rf_preview_is_markdown(const struct rf_preview *p)
{
    const struct rf_format *f = p->read.format;
    const struct rf_file_part *part = &p->read.call.part;
    bool text = p->kind == RF_PREVIEW_DOCUMENT || p->kind == RF_PREVIEW_TEXT;
    if (!f || !text || part->has_bytes || part->source)
        return 0;
    return strcmp(f->mime, "text/markdown") == 0 ||
           (f->family && (strcmp(f->family, "office") == 0 || strcmp(f->family, "legacy") == 0));
}
