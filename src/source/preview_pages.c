/* Pictures of pages: a PDF is rendered, of a video a frame is taken, both as large as is needed and
 * in few sizes, so that turning back finds them in the cache. The image worker then draws what it
 * was given, whoever made it. */
#include "source/preview.h"

#include "base/arena.h"
#include "content/result.h"
#include "media/recipe.h"
#include "source/drawing.h"

#define USUAL_CELL_WIDTH 10
#define USUAL_CELL_HEIGHT 20
#define MAX_CELL 200  /* pixels of a cell, along a side */
#define MAX_CELLS 500 /* of a frame, along a side */
#define MIN_SIDE 1024 /* pixels of a page, along its longer side */
#define MAX_SIDE 4096
#define MAX_DPI 600                   /* of which the side is what counts */
#define MAX_MADE ((uint64_t)48 << 20) /* bytes of one drawing */

/* The smallest of a few sizes that is enough. */
static int64_t step_of(int64_t side)
{
    int64_t step = MIN_SIDE;
    while (step < side && step < MAX_SIDE)
        step *= 2;
    return step;
}

static enum rf_code first_part(const struct rf_job *job, const struct rf_job_part **out,
                               struct rf_err *err)
{
    if (!job->part_count || !job->parts[0].bytes.size)
        return rf_fail(err, RF_EFORMAT, "nothing of it can be shown");
    *out = &job->parts[0];
    return RF_OK;
}

static enum rf_code make(struct rf_preview *p, const char *family, const struct rf_recipe *recipe,
                         const struct rf_job_part **out, struct rf_err *err)
{
    struct rf_job job = { .family = family, .ask = rf_recipe_text(recipe, p->drawn) };
    enum rf_code rc = rf_preview_ask(p, &job, p->drawn, err);
    return rc ? rc : first_part(&job, out, err);
}

static enum rf_code page_of_pdf(struct rf_preview *p, size_t page, int64_t side,
                                const struct rf_job_part **out, struct rf_err *err)
{
    int64_t number = rf_preview_in_file(p, page);
    const struct rf_recipe picture = {
        .make = RF_MAKE_PAGE_PICTURES,
        .pages = { number, number },
        .dpi = MAX_DPI,
        .types = RF_STR("image/png,image/jpeg"),
        .max_side = side,
        .password = p->tools.password,
    };
    return make(p, "pdf", &picture, out, err);
}

/* The frame in the middle of its stretch; what time it is of, is known then. */
static enum rf_code frame_of_video(struct rf_preview *p, size_t page, int64_t side,
                                   const struct rf_job_part **out, struct rf_err *err)
{
    int64_t length = p->duration_ms, n = (int64_t)p->count;
    const struct rf_recipe frame = {
        .make = RF_MAKE_FRAMES,
        .mime = p->mime,
        .count = 1,
        .types = RF_STR("image/jpeg"),
        .max_side = side,
        .start_ms = p->start_ms + length * (int64_t)page / n,
        .end_ms = p->start_ms + length * ((int64_t)page + 1) / n,
    };
    enum rf_code rc = make(p, "av", &frame, out, err);
    if (!rc)
        p->pages[page].name =
            rf_preview_time(p->arena, rf_prop_int((*out)->props, (*out)->prop_count, "time_ms"));
    return rc;
}

/* The bytes of a picture of the page that is at least so many pixels large, where that can be; what
 * it needs of them is drawn. Memory is that of `drawn`. */
static enum rf_code picture_of(struct rf_preview *p, size_t page, int64_t side,
                               struct rf_bytes *out, struct rf_err *err)
{
    const struct rf_job_part *part = NULL;
    enum rf_code rc = RF_OK;
    *out = p->kind == RF_PREVIEW_PICTURES ? p->pages[page].picture : p->read.bytes;
    if (p->kind == RF_PREVIEW_PDF)
        rc = page_of_pdf(p, page, step_of(side), &part, err);
    else if (p->kind == RF_PREVIEW_VIDEO)
        rc = frame_of_video(p, page, step_of(side), &part, err);
    if (!rc && part)
        *out = part->bytes;
    return rc;
}

/* Drawing. */

static bool is_png(enum rf_graphics g)
{
    return g == RF_GRAPHICS_ITERM || g == RF_GRAPHICS_KITTY;
}

static int between(int v, int least, int most)
{
    return v < least ? least : v > most ? most : v;
}

/* The frame with what was left open filled in. Fails with RF_EUSAGE. */
static enum rf_code check_frame(const struct rf_preview_frame *in, struct rf_preview_frame *out,
                                struct rf_err *err)
{
    bool piece = in->left || in->top || in->width || in->height;
    if (in->graphics == RF_GRAPHICS_NONE || in->columns < 1 || in->rows < 1)
        return rf_fail(err, RF_EUSAGE, "there is no room to draw in, or no way to");
    if (piece && (in->left < 0 || in->top < 0 || in->width < 1 || in->height < 1 ||
                  in->left > 1000 - in->width || in->top > 1000 - in->height))
        return rf_fail(err, RF_EUSAGE, "the piece to be shown lies outside of the picture");
    *out = *in;
    out->columns = between(in->columns, 1, MAX_CELLS);
    out->rows = between(in->rows, 1, MAX_CELLS);
    out->cell_width = in->cell_width > 0 ? between(in->cell_width, 1, MAX_CELL) : USUAL_CELL_WIDTH;
    out->cell_height =
        in->cell_height > 0 ? between(in->cell_height, 1, MAX_CELL) : USUAL_CELL_HEIGHT;
    return RF_OK;
}

/* Pixels that the longer side of the whole page needs for this frame. */
static int64_t side_of(const struct rf_preview_frame *f)
{
    int64_t across = (int64_t)f->columns * f->cell_width, down = (int64_t)f->rows * f->cell_height;
    int64_t part = f->width && f->height ? (f->width < f->height ? f->width : f->height) : 1000;
    return (across > down ? across : down) * 1000 / part;
}

static struct rf_str draw_ask(struct rf_preview *p, size_t page, const struct rf_preview_frame *f)
{
    bool blocks = f->graphics == RF_GRAPHICS_BLOCKS;
    struct rf_recipe drawing = {
        .make = RF_MAKE_DRAWING,
        .frame = p->framed ? (int64_t)page + 1 : 0,
        .piece = { f->left, f->top, f->width, f->height },
        .way = is_png(f->graphics) ? "png" : rf_graphics_name(f->graphics),
        .columns = f->columns,
        .rows = f->rows,
        .cell_width = f->cell_width,
        .cell_height = f->cell_height,
        .colours = blocks ? f->colours : 0,
        .ascii = blocks && f->ascii,
    };
    if (p->read.call.part.has_crop)
        memcpy(drawing.crop, p->read.call.part.crop, sizeof drawing.crop);
    return rf_recipe_text(&drawing, p->drawn);
}

/* What a worker says that it drew: nothing that is larger than its frame. */
static enum rf_code take_size(const struct rf_job_part *made, const struct rf_preview_frame *f,
                              struct rf_drawing *out, struct rf_err *err)
{
    int64_t columns = rf_prop_int(made->props, made->prop_count, "columns"),
            rows = rf_prop_int(made->props, made->prop_count, "rows");
    int64_t width = rf_prop_side(made->props, made->prop_count, "width"),
            height = rf_prop_side(made->props, made->prop_count, "height");
    bool pixels = f->graphics != RF_GRAPHICS_BLOCKS;
    if (columns < 1 || columns > f->columns || rows < 1 || rows > f->rows ||
        (pixels && (width < 1 || width > columns * f->cell_width || height < 1 ||
                    height > rows * f->cell_height)))
        return rf_fail(err, RF_EIO, "what was drawn is larger than its frame");
    *out = (struct rf_drawing){ .columns = (int)columns,
                                .rows = (int)rows,
                                .width = pixels ? (int)width : 0,
                                .height = pixels ? (int)height : 0,
                                .ascii = f->ascii };
    return RF_OK;
}

static enum rf_code read_all(const struct rf_bytes *bytes, struct rf_arena *a, struct rf_str *out,
                             struct rf_err *err)
{
    if (bytes->size > MAX_MADE)
        return rf_fail(err, RF_ELIMIT, "the drawing is too large for a terminal");
    return rf_bytes_all(bytes, a, out, err);
}

static enum rf_code draw(struct rf_preview *p, size_t page, const struct rf_preview_frame *f,
                         struct rf_preview_drawing *out, struct rf_err *err)
{
    const struct rf_job_part *part = NULL;
    struct rf_bytes picture;
    struct rf_drawing size = { 0 };
    struct rf_str made = { 0 };
    enum rf_code rc = picture_of(p, page, side_of(f), &picture, err);
    if (rc)
        return rc;
    struct rf_job job = {
        .family = "image", .ask = draw_ask(p, page, f), .input = &picture, .max_bytes = MAX_MADE
    };
    if ((rc = rf_preview_ask(p, &job, p->drawn, err)) || (rc = first_part(&job, &part, err)) ||
        (rc = take_size(part, f, &size, err)) ||
        (rc = read_all(&part->bytes, p->drawn, &made, err)) ||
        (rc = rf_drawing_make(f->graphics, made, &size, p->drawn, &made, err)))
        return rc;
    const struct rf_preview_drawing drawn = {
        .bytes = made,
        .columns = size.columns,
        .rows = size.rows,
        .width = rf_prop_side(job.facts, job.fact_count, "width"),
        .height = rf_prop_side(job.facts, job.fact_count, "height"),
    };
    return rf_struct_give(&drawn, RF_SIZES(rf_preview_drawing, height), out, err);
}

enum rf_code rf_preview_draw(struct rf_preview *p, size_t page,
                             const struct rf_preview_frame *frame, struct rf_preview_drawing *out,
                             struct rf_err *err)
{
    struct rf_preview_frame given, f;
    enum rf_code rc;
    if (!rf_preview_has_picture(p))
        return rf_fail(err, RF_EUNSUPPORTED, "it has text alone, and no picture");
    if (page >= p->count)
        return rf_fail(err, RF_EUSAGE, "there is no %s %zu", p->word, page + 1);
    if ((rc = rf_struct_take(frame, RF_SIZES(rf_preview_frame, height), &given, err)) ||
        (rc = check_frame(&given, &f, err)))
        return rc;
    rf_arena_reset(p->drawn);
    return draw(p, page, &f, out, err);
}
