/* Sound and video: how long, what is in it, its tags. The block names the whole file; frames of a
 * video and other encodings are made when a request is built. Of a stretch of it, frames and sound
 * are made here: no API takes a piece of a film. */
#include "source/read.h"

#include "base/arena.h"
#include "media/recipe.h"

#include <inttypes.h>

#define MAX_TAGS 20
#define FRAMES 8       /* of a stretch of a film */
#define FRAME_SIDE 768 /* pixels */

struct seen {
    int64_t duration_ms, width, height;
    struct rf_str audio, video;
};

static struct rf_str length_of(struct rf_read *r, int64_t ms)
{
    int64_t tenths = (ms + 50) / 100, s = (ms + 500) / 1000;
    if (tenths < 600)
        return rf_strf(r->arena, "%" PRId64 ".%" PRId64 " s", tenths / 10, tenths % 10);
    if (s < 3600)
        return rf_strf(r->arena, "%" PRId64 ":%02" PRId64 " min", s / 60, s % 60);
    return rf_strf(r->arena, "%" PRId64 ":%02" PRId64 ":%02" PRId64 " h", s / 3600, s / 60 % 60,
                   s % 60);
}

static void add_piece(struct rf_buf *b, struct rf_str piece)
{
    if (piece.n)
        rf_buf_addf(b, ", %.*s", RF_FMT(piece));
}

static struct rf_str facts_line(struct rf_read *r, bool video, const struct seen *seen)
{
    struct rf_str size = rf_read_number(r, (int64_t)r->bytes.size), text = { 0 };
    struct rf_buf b;
    rf_buf_init(&b, r->arena, 4096);
    rf_buf_addf(&b, "[%s: %.*s", video ? "Video" : "Audio", RF_FMT(r->name));
    if (seen->duration_ms > 0)
        add_piece(&b, length_of(r, seen->duration_ms));
    add_piece(&b, seen->video);
    add_piece(&b, seen->audio);
    rf_buf_addf(&b, ", %.*s bytes, %s]", RF_FMT(size), r->format->mime);
    return rf_buf_finish(&b, &text, NULL) ? RF_STR("[recording]") : text;
}

static void say_tags(struct rf_read *r, const struct rf_job *job)
{
    size_t said = 0;
    for (size_t i = 0; i < job->fact_count && said < MAX_TAGS; i++) {
        struct rf_str key = job->facts[i].key;
        if (!rf_str_starts(key, "tag.") || !job->facts[i].value.n)
            continue;
        rf_read_note(r, "%.*s: %.*s", (int)key.n - 4, key.p + 4, RF_FMT(job->facts[i].value));
        said++;
    }
}

static enum rf_code from_header(struct rf_read *r, const struct rf_job *job, struct seen *seen,
                                struct rf_err *err)
{
    enum rf_code rc = rf_probe(&r->reader, r->format, &r->facts, err);
    if (rc)
        return rc;
    seen->duration_ms = r->facts.duration_ms;
    if (r->format->kind == RF_KIND_VIDEO)
        seen->video = RF_STR("video");
    rf_read_note(r, "[Note: not decoded here: %s]", job->err.msg);
    return RF_OK;
}

static void take_facts(const struct rf_job *job, struct seen *seen)
{
    seen->duration_ms = rf_prop_int(job->facts, job->fact_count, "duration_ms");
    seen->width = rf_prop_side(job->facts, job->fact_count, "width");
    seen->height = rf_prop_side(job->facts, job->fact_count, "height");
    seen->audio = rf_prop_str(job->facts, job->fact_count, "audio");
    seen->video = rf_prop_str(job->facts, job->fact_count, "video");
}

/* Stretches. */

/* The sound of it as a file of its own. */
static enum rf_code cut_sound(struct rf_read *r, int64_t end_ms, struct rf_err *err)
{
    const struct rf_file_part *p = &r->call.part;
    struct rf_job job = {
        .family = "av",
        .ask = RF_ASK(r->arena, .make = RF_MAKE_SOUND, .mime = RF_STR("audio/wav"),
                      .start_ms = p->start_ms, .end_ms = p->end_ms),
    };
    rf_read_ask(r, &job, 1);
    if (job.failed) {
        *err = job.err;
        return job.failed;
    }
    struct rf_block *b =
        job.part_count ? rf_read_made_block(r, RF_BLOCK_AUDIO, &job.parts[0]) : NULL;
    if (!b)
        return rf_fail(err, RF_EFORMAT, "there is no sound in that stretch");
    b->media.width = b->media.height = 0;
    b->media.duration_ms = end_ms > p->start_ms ? end_ms - p->start_ms : 0;
    b->text_fallback = rf_strf(r->arena, "[Audio: %.*s from %" PRId64 " ms to %" PRId64 " ms]",
                               RF_FMT(r->name), p->start_ms, end_ms);
    rf_read_note(r, "%.*s", RF_FMT(b->text_fallback));
    return RF_OK;
}

static void add_frame(struct rf_read *r, const struct rf_job_part *part)
{
    struct rf_block *b = rf_read_made_block(r, RF_BLOCK_IMAGE, part);
    if (!b)
        return;
    struct rf_str time = length_of(r, rf_prop_int(part->props, part->prop_count, "time_ms"));
    b->media.name = rf_strf(r->arena, "%.*s at %.*s", RF_FMT(r->name), RF_FMT(time));
    b->text_fallback = rf_strf(r->arena, "[Frame of %.*s]", RF_FMT(b->media.name));
    rf_read_note(r, "%.*s", RF_FMT(b->text_fallback));
}

/* Frames that are spread over it. */
static enum rf_code cut_frames(struct rf_read *r, int64_t end_ms, struct rf_err *err)
{
    const struct rf_file_part *p = &r->call.part;
    struct rf_job job = {
        .family = "av",
        .ask = RF_ASK(r->arena, .make = RF_MAKE_FRAMES, .mime = rf_str(r->format->mime),
                      .count = FRAMES, .types = RF_STR("image/jpeg"), .max_side = FRAME_SIDE,
                      .start_ms = p->start_ms, .end_ms = p->end_ms),
    };
    rf_read_ask(r, &job, 1);
    if (job.failed) {
        *err = job.err;
        return job.failed;
    }
    for (size_t i = 0; i < job.part_count; i++) /* where there are few, the next may be after it */
        if (!i || rf_prop_int(job.parts[i].props, job.parts[i].prop_count, "time_ms") <= end_ms)
            add_frame(r, &job.parts[i]);
    rf_read_notes(r, &job);
    return RF_OK;
}

/* A film without sound is still one, and so is one whose sound cannot be decoded. */
static enum rf_code cut_out(struct rf_read *r, const struct seen *seen, struct rf_err *err)
{
    const struct rf_file_part *p = &r->call.part;
    int64_t end_ms = p->end_ms ? p->end_ms : seen->duration_ms;
    bool film = r->format->kind == RF_KIND_VIDEO && seen->video.n;
    if (seen->duration_ms && p->start_ms >= seen->duration_ms)
        return rf_fail(err, RF_EUSAGE, "it ends before that, after %" PRId64 " ms",
                       seen->duration_ms);
    if (seen->duration_ms && end_ms > seen->duration_ms)
        end_ms = seen->duration_ms;
    if (!film)
        return cut_sound(r, end_ms, err);
    enum rf_code rc = cut_frames(r, end_ms, err);
    if (!rc && seen->audio.n && cut_sound(r, end_ms, err))
        rf_read_note(r, "[Note: its sound does not go along: %s]", err->msg);
    return rc;
}

enum rf_code rf_read_sound(struct rf_read *r, struct rf_err *err)
{
    struct seen seen = { 0 };
    struct rf_job job = {
        .family = "av",
        .ask = RF_ASK(r->arena, .make = RF_MAKE_FACTS, .mime = rf_str(r->format->mime)),
    };
    rf_read_ask(r, &job, 1);
    if (job.failed && job.failed != RF_ECONFIG) {
        *err = job.err;
        return job.failed;
    }
    enum rf_code rc = job.failed ? from_header(r, &job, &seen, err) : RF_OK;
    if (rc)
        return rc;
    if (!job.failed)
        take_facts(&job, &seen);
    if (r->call.part.has_time)
        return cut_out(r, &seen, err);
    bool video = r->format->kind == RF_KIND_VIDEO && seen.video.n;
    struct rf_block *b = rf_read_block(r, video ? RF_BLOCK_VIDEO : RF_BLOCK_AUDIO, r->format->mime);
    b->media.duration_ms = seen.duration_ms;
    b->media.width = video ? seen.width : 0;
    b->media.height = video ? seen.height : 0;
    b->text_fallback = facts_line(r, video, &seen);
    rf_read_note(r, "%.*s", RF_FMT(b->text_fallback));
    say_tags(r, &job);
    rf_read_notes(r, &job);
    return RF_OK;
}
