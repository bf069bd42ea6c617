/* A picture is fitted into a frame of cells and made as large as its pixels there, with what does
 * not fill a cell left clear, so that no terminal has to stretch anything. Pictures are not
 * enlarged beyond their own size but where a piece of one is looked at, or where a pixel would be
 * less than half a character. Drawings always fill the frame. */
#include "worker/image/draw.h"

#include "worker/image/chafa_library.h"
#include "worker/image/encode.h"

#include <math.h>

#define MAX_CELLS 1000    /* along a side */
#define MAX_CELL_SIDE 200 /* pixels */
#define MAX_SIDE 4096     /* pixels of what is made */
#define BLOCK_SIDE 8      /* pixels that chafa looks at for one character, along both sides */
#define ROUND(x) ((int)((x) + 0.5))

static bool read_piece(struct rf_str text, int piece[4])
{
    struct rf_str number;
    int64_t v;

    for (size_t i = 0; i < 4; i++) {
        if (!rf_str_split(&text, ',', &number) || !rf_str_int64(number, &v) || v < 0 || v > 1000)
            return false;
        piece[i] = (int)v;
    }
    return !text.n && piece[2] && piece[3] && piece[0] + piece[2] <= 1000 &&
           piece[1] + piece[3] <= 1000;
}

/* A number between 1 and `most`. */
static bool read_count(const struct rf_ask *ask, const char *key, int most, int *out)
{
    int64_t v = rf_ask_int(ask, key, 0);

    *out = (int)v;
    return v >= 1 && v <= most;
}

enum rf_code rf_draw_read(const struct rf_ask *ask, struct rf_draw_wish *out, struct rf_err *err)
{
    struct rf_str piece = rf_ask_str(ask, "piece");

    *out = (struct rf_draw_wish){
        .way = rf_ask_str(ask, "way"),
        .colours = rf_ask_int(ask, "colours", 0),
        .ascii = rf_ask_int(ask, "ascii", 0) > 0,
    };
    if (!rf_str_is(out->way, "png") && !rf_str_is(out->way, "sixel") &&
        !rf_str_is(out->way, "blocks"))
        return rf_fail(err, RF_EUSAGE, "pictures are drawn as png, sixel or blocks");
    if (!read_count(ask, "columns", MAX_CELLS, &out->columns) ||
        !read_count(ask, "rows", MAX_CELLS, &out->rows) ||
        !read_count(ask, "cell_width", MAX_CELL_SIDE, &out->cell_width) ||
        !read_count(ask, "cell_height", MAX_CELL_SIDE, &out->cell_height))
        return rf_fail(err, RF_EUSAGE, "no picture can be drawn into this frame");
    if (piece.n && !read_piece(piece, out->piece))
        return rf_fail(err, RF_EUSAGE, "the piece is not \"left,top,width,height\" in thousandths");
    return RF_OK;
}

/* The crop narrowed to the piece: at least a pixel. */
static void narrow(const int piece[4], struct rf_shape *shape)
{
    uint32_t x = (uint32_t)((uint64_t)shape->width * (uint64_t)piece[0] / 1000),
             y = (uint32_t)((uint64_t)shape->height * (uint64_t)piece[1] / 1000);
    uint32_t width = (uint32_t)((uint64_t)shape->width * (uint64_t)piece[2] / 1000),
             height = (uint32_t)((uint64_t)shape->height * (uint64_t)piece[3] / 1000);

    if (!piece[2])
        return;
    shape->x += x < shape->width ? x : shape->width - 1;
    shape->y += y < shape->height ? y : shape->height - 1;
    shape->width = width ? width : 1;
    shape->height = height ? height : 1;
}

/* The whole picture where no crop was asked for, and nothing outside of it. */
static void bound(const struct rf_picture *pic, struct rf_shape *shape)
{
    uint32_t width, height;

    rf_picture_seen(pic, &width, &height);
    if (!shape->width || shape->x >= width || shape->y >= height)
        *shape = (struct rf_shape){ .width = width, .height = height };
    shape->width = VIPS_MIN(shape->width, width - shape->x);
    shape->height = VIPS_MIN(shape->height, height - shape->y);
}

/* How many cells so many pixels take. */
static int cells(double pixels, int cell, int most)
{
    int n = (int)ceil(pixels / cell - 1e-6);

    return n < 1 ? 1 : n > most ? most : n;
}

/* Pixels along a side of what is made for a cell. */
static int made_cell(int cell, int count, bool blocks)
{
    int most = MAX_SIDE / count;

    return blocks ? BLOCK_SIDE : cell < most ? cell : most;
}

static int at_least_one(double v, int most)
{
    int n = ROUND(v);

    return n < 1 ? 1 : n > most ? most : n;
}

void rf_draw_fit(const struct rf_draw_wish *wish, const struct rf_picture *pic,
                 struct rf_shape *shape, struct rf_draw_size *out)
{
    bool blocks = rf_str_is(wish->way, "blocks");
    double most = blocks ? wish->cell_height / 2.0 : 1;

    bound(pic, shape);
    narrow(wish->piece, shape);
    double scale = fmin((double)wish->columns * wish->cell_width / shape->width,
                        (double)wish->rows * wish->cell_height / shape->height);
    if (!pic->vector && !wish->piece[2])
        scale = fmin(scale, most);
    double width = shape->width * scale, height = shape->height * scale;
    out->columns = cells(width, wish->cell_width, wish->columns);
    out->rows = cells(height, wish->cell_height, wish->rows);
    out->cell_width = made_cell(wish->cell_width, out->columns, blocks);
    out->cell_height = made_cell(wish->cell_height, out->rows, blocks);
    out->width =
        at_least_one(width * out->cell_width / wish->cell_width, out->columns * out->cell_width);
    out->height =
        at_least_one(height * out->cell_height / wish->cell_height, out->rows * out->cell_height);
    double finest = fmax((double)out->width / shape->width, (double)out->height / shape->height);
    shape->max_side = (int64_t)ceil(VIPS_MAX(shape->width, shape->height) * finest);
}

static int become(VipsImage **im, int rc, VipsImage **next)
{
    if (rc)
        return rc;
    g_object_unref(*im);
    *im = *next;
    *next = NULL;
    return 0;
}

/* R, G, B and A of exactly the size, in memory. */
static int fill(VipsImage **im, const struct rf_draw_size *size)
{
    double h = (double)size->width / vips_image_get_width(*im),
           v = (double)size->height / vips_image_get_height(*im);
    VipsImage *next = NULL;

    if (vips_image_get_bands(*im) < 3 &&
        become(im, vips_colourspace(*im, &next, VIPS_INTERPRETATION_sRGB, NULL), &next))
        return -1;
    if (vips_image_get_bands(*im) < 4 && become(im, vips_addalpha(*im, &next, NULL), &next))
        return -1;
    if ((fabs(h - 1) > 1e-9 || fabs(v - 1) > 1e-9) &&
        (become(im, vips_premultiply(*im, &next, NULL), &next) ||
         become(im, vips_resize(*im, &next, h, "vscale", v, NULL), &next) ||
         become(im, vips_unpremultiply(*im, &next, NULL), &next)))
        return -1;
    if (become(im,
               vips_embed(*im, &next, 0, 0, size->columns * size->cell_width,
                          size->rows * size->cell_height, NULL),
               &next) ||
        become(im, vips_cast(*im, &next, VIPS_FORMAT_UCHAR, NULL), &next))
        return -1;
    next = vips_image_copy_memory(*im);
    return next ? become(im, 0, &next) : -1;
}

static void say_part(const struct rf_draw_size *size, const char *mime, const void *p, size_t n,
                     struct rf_answer *to)
{
    rf_answer_part(to, "kind=drawing\nmime=%s\ncolumns=%d\nrows=%d\nwidth=%d\nheight=%d\n", mime,
                   size->columns, size->rows, size->columns * size->cell_width,
                   size->rows * size->cell_height);
    rf_answer_bytes(to, p, n);
}

static enum rf_code as_png(const struct rf_draw_size *size, VipsImage *im, struct rf_answer *to,
                           struct rf_err *err)
{
    struct rf_encoded encoded = { 0 };
    enum rf_code rc = rf_encode(im, RF_STR("image/png"), 0, &encoded, err);

    if (rc)
        return rc;
    say_part(size, encoded.mime, encoded.p, encoded.n, to);
    g_free(encoded.p);
    return RF_OK;
}

static enum rf_code by_chafa(const struct rf_draw_wish *wish, const struct rf_draw_size *size,
                             VipsImage *im, struct rf_answer *to, struct rf_err *err)
{
    struct rf_chafa_wish how = {
        .columns = size->columns,
        .rows = size->rows,
        .cell_width = size->cell_width,
        .cell_height = size->cell_height,
        .sixel = rf_str_is(wish->way, "sixel"),
        .ascii = wish->ascii,
        .colours = wish->colours,
    };
    GString *drawn = NULL;
    enum rf_code rc = rf_chafa_draw(&how, vips_image_get_data(im), &drawn, err);

    g_object_unref(im);
    if (rc)
        return rc;
    say_part(size, how.sixel ? "image/x-sixel" : "text/x-ansi", drawn->str, drawn->len, to);
    g_string_free(drawn, TRUE);
    return RF_OK;
}

enum rf_code rf_draw(const struct rf_draw_wish *wish, const struct rf_draw_size *size,
                     VipsImage *im, struct rf_answer *to, struct rf_err *err)
{
    if (fill(&im, size)) {
        g_object_unref(im);
        vips_error_clear();
        return rf_fail(err, RF_EINTERNAL, "the picture could not be drawn");
    }
    return rf_str_is(wish->way, "png") ? as_png(size, im, to, err)
                                       : by_chafa(wish, size, im, to, err);
}
