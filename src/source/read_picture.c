/* Pictures: a worker decodes all of it, so that one that is cut off is found out here and not by a
 * provider; the block names the file itself, and what a model can see is made of it when a request
 * is built. Models without eyes get a line about it, and the text that is in it where OCR finds
 * any. */
#include "source/read.h"

#include "base/arena.h"
#include "media/recipe.h"

#include <inttypes.h>

#define MIN_OCR_SIDE 24 /* pixels: there are no letters in less */
#define OCR_SIDE 2048   /* enough for print */
#define TYPES RF_STR("image/png,image/jpeg")

struct seen {
    int64_t width, height, frames;
    bool damaged; /* part of it can be seen */
};

static struct rf_str facts_line(struct rf_read *r, const char *mime, const struct seen *seen)
{
    struct rf_str size = rf_read_number(r, (int64_t)r->bytes.size);
    return rf_strf(r->arena, "[Image: %.*s, %" PRId64 "x%" PRId64 ", %.*s bytes, %s]",
                   RF_FMT(r->name), seen->width, seen->height, RF_FMT(size), mime);
}

/* The text in the picture; `small` is it in a size that OCR takes. */
static struct rf_recognised text_in(struct rf_read *r, const struct rf_job *small)
{
    struct rf_recognising how = rf_read_recognising(r);
    struct rf_recognised found = { .text = RF_STR("") };
    if (small->failed || !small->part_count)
        return found;
    const struct rf_bytes *picture = &small->parts[0].bytes;
    rf_recognise_pictures(&how, &picture, 1, r->arena, &found);
    r->tools->no_ocr |= how.missing;
    return found;
}

/* What the file's header says, where no worker is there to decode it. */
static enum rf_code from_header(struct rf_read *r, const struct rf_err *why, struct seen *seen,
                                struct rf_err *err)
{
    enum rf_code rc = rf_probe(&r->reader, r->format, &r->facts, err);
    if (rc)
        return rc;
    seen->width = r->facts.width;
    seen->height = r->facts.height;
    seen->frames = r->facts.frames;
    rf_read_note(r, "[Note: not decoded here: %s]", why->msg);
    return RF_OK;
}

static enum rf_code look(struct rf_read *r, struct rf_job *jobs, size_t count, struct seen *seen,
                         struct rf_err *err)
{
    rf_read_ask(r, jobs, count);
    if (jobs[0].failed == RF_ECONFIG && r->format)
        return from_header(r, &jobs[0].err, seen, err);
    if (jobs[0].failed) {
        *err = jobs[0].err;
        return jobs[0].failed;
    }
    const struct rf_job *info = &jobs[0];
    seen->width = rf_prop_side(info->facts, info->fact_count, "width");
    seen->height = rf_prop_side(info->facts, info->fact_count, "height");
    seen->frames = rf_prop_int(info->facts, info->fact_count, "frames");
    seen->damaged = rf_prop_int(info->facts, info->fact_count, "damaged") > 0;
    rf_read_notes(r, info);
    return RF_OK;
}

static enum rf_code crop(struct rf_read *r, const struct seen *seen, struct rf_err *err)
{
    const int64_t *c = r->call.part.crop;
    if (c[0] >= seen->width || c[1] >= seen->height)
        return rf_fail(err, RF_EUSAGE,
                       "the piece lies outside of the picture, which is %" PRId64 "x%" PRId64,
                       seen->width, seen->height);
    struct rf_job job = {
        .family = "image",
        .ask = RF_ASK(r->arena, .make = RF_MAKE_PICTURE, .types = TYPES,
                      .crop = { c[0], c[1], c[0] + c[2] > seen->width ? seen->width - c[0] : c[2],
                                c[1] + c[3] > seen->height ? seen->height - c[1] : c[3] }),
    };
    rf_read_ask(r, &job, 1);
    if (job.failed) {
        *err = job.err;
        return job.failed;
    }
    struct rf_block *b =
        job.part_count ? rf_read_made_block(r, RF_BLOCK_IMAGE, &job.parts[0]) : NULL;
    if (!b)
        return rf_fail(err, RF_EIO, "the piece could not be cut out");
    b->text_fallback = rf_strf(r->arena,
                               "[Piece of %.*s: %" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64
                               " of %" PRId64 "x%" PRId64 "]",
                               RF_FMT(r->name), b->media.width, b->media.height, c[0], c[1],
                               seen->width, seen->height);
    rf_read_note(r, "%.*s", RF_FMT(b->text_fallback));
    return RF_OK;
}

static void say(struct rf_read *r, struct rf_block *b, struct rf_str line,
                const struct rf_recognised *found, const struct seen *seen)
{
    b->media.width = b->media.width ? b->media.width : seen->width;
    b->media.height = b->media.height ? b->media.height : seen->height;
    b->text_fallback = line;
    b->media.confidence = found->confidence;
    if (found->text.n)
        b->text_fallback =
            rf_strf(r->arena, "%.*s\nText in the picture, %.*s:\n%.*s", RF_FMT(line),
                    RF_FMT(rf_recognised_words(found->confidence, r->arena)), RF_FMT(found->text));
    rf_read_note(r, "%.*s", RF_FMT(line));
    if (seen->frames > 1)
        rf_read_note(r, "[It has %" PRId64 " frames or pages; a model sees the first.]",
                     seen->frames);
}

/* A drawing is text too: its source is what a model can edit. */
static enum rf_code add_source(struct rf_read *r, struct rf_err *err)
{
    return r->format->drawn && !r->call.view ? rf_read_text(r, err) : RF_OK;
}

/* The picture as a file that everybody can read: a PNG or a JPEG, no larger than a limit. */
static enum rf_code convert(struct rf_read *r, struct rf_job *job, struct rf_block **out,
                            struct rf_err *err)
{
    *job = (struct rf_job){ .family = "image" };
    job->ask = RF_ASK(r->arena, .make = RF_MAKE_PICTURE, .types = TYPES,
                      .max_side = r->tools->limits[RF_LIMIT_PICTURE_SIDE]);
    rf_read_ask(r, job, 1);
    if (job->failed) {
        *err = job->err;
        return job->failed;
    }
    *out = job->part_count ? rf_read_made_block(r, RF_BLOCK_IMAGE, &job->parts[0]) : NULL;
    return *out ? RF_OK : rf_fail(err, RF_EIO, "the picture could not be converted");
}

static bool wants_ocr(const struct rf_read *r)
{
    return r->tools->limits[RF_LIMIT_OCR_PAGES] > 0 && !r->tools->no_ocr && !r->call.view &&
           !r->call.part.has_crop && (!r->format || !r->format->drawn);
}

/* Part of a picture goes as what can be seen of it: endpoints refuse a file that is cut off. */
static enum rf_code add_block(struct rf_read *r, const struct seen *seen, struct rf_block **out,
                              struct rf_err *err)
{
    struct rf_job job;
    if (seen->damaged)
        return convert(r, &job, out, err);
    *out = rf_read_block(r, RF_BLOCK_IMAGE, r->format->mime);
    return RF_OK;
}

enum rf_code rf_read_picture(struct rf_read *r, struct rf_err *err)
{
    struct seen seen = { 0 };
    struct rf_job jobs[] = {
        { .family = "image", .ask = RF_ASK(r->arena, .make = RF_MAKE_FACTS) },
        { .family = "image",
          .ask = RF_ASK(r->arena, .make = RF_MAKE_PICTURE, .types = TYPES, .max_side = OCR_SIDE) },
    };
    struct rf_block *b;
    bool ocr = wants_ocr(r);
    enum rf_code rc = look(r, jobs, ocr ? 2 : 1, &seen, err);
    if (rc == RF_EUNSUPPORTED && r->format->drawn && !r->call.view && !r->call.part.has_crop) {
        rf_read_note(r, "[Note: %s]", err->msg); /* its source is there */
        return rf_read_text(r, err);
    }
    if (rc)
        return rc;
    if (r->call.part.has_crop)
        return crop(r, &seen, err);
    ocr = ocr && seen.width >= MIN_OCR_SIDE && seen.height >= MIN_OCR_SIDE;
    struct rf_recognised found = { .text = RF_STR("") };
    if (ocr)
        found = text_in(r, &jobs[1]);
    if ((rc = add_block(r, &seen, &b, err)))
        return rc;
    say(r, b, facts_line(r, r->format->mime, &seen), &found, &seen);
    return add_source(r, err);
}

enum rf_code rf_read_odd_picture(struct rf_read *r, struct rf_err *err)
{
    struct seen seen = { 0 };
    struct rf_job info = { .family = "image", .ask = RF_ASK(r->arena, .make = RF_MAKE_FACTS) };
    struct rf_job made;
    struct rf_block *b;
    enum rf_code rc = look(r, &info, 1, &seen, err);
    if (!rc)
        rc = convert(r, &made, &b, err);
    if (rc)
        return rc;
    struct rf_str format = rf_prop_str(info.facts, info.fact_count, "format");
    struct rf_recognised found = { .text = RF_STR("") };
    if (wants_ocr(r))
        found = text_in(r, &made);
    say(r, b, facts_line(r, rf_cstr(r->arena, format.n ? format : RF_STR("image")), &seen), &found,
        &seen);
    return RF_OK;
}
