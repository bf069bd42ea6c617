/* A picture as a terminal shows it: the ask `draw`. */
#ifndef RF_WORKER_IMAGE_DRAW_H
#define RF_WORKER_IMAGE_DRAW_H

#include "worker/frame.h"
#include "worker/image/picture.h"
#include "worker/image/shape.h"

/* Where it goes, and how. */
struct rf_draw_wish {
    struct rf_str way;           /* "png", "sixel" or "blocks" */
    int columns, rows;           /* at most so many cells */
    int cell_width, cell_height; /* pixels of one */
    int64_t colours;             /* for blocks */
    bool ascii;
    int piece[4]; /* left, top, width and height in thousandths of what is drawn; width 0: all */
};

/* Fails with RF_EUSAGE for an ask that makes no sense. */
RF_MUST enum rf_code rf_draw_read(const struct rf_ask *ask, struct rf_draw_wish *out,
                                  struct rf_err *err);
/* How large it becomes: the part of the picture in `shape`, which may be narrowed to a piece, and
 * pixels as many as are needed. */
struct rf_draw_size {
    int columns, rows;           /* of the drawing */
    int cell_width, cell_height; /* pixels that are made for one cell */
    int width, height;           /* pixels of the picture in it; the rest is clear */
};
void rf_draw_fit(const struct rf_draw_wish *wish, const struct rf_picture *pic,
                 struct rf_shape *shape, struct rf_draw_size *out);
/* Draw the pixels, and answer with one part. Takes over `im`. */
RF_MUST enum rf_code rf_draw(const struct rf_draw_wish *wish, const struct rf_draw_size *size,
                             VipsImage *im, struct rf_answer *to, struct rf_err *err);

#endif
