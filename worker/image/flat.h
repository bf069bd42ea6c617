/* Is it a drawing or a photograph? A look at pixels in memory, to choose how they are written. */
#ifndef RF_WORKER_IMAGE_FLAT_H
#define RF_WORKER_IMAGE_FLAT_H

#include <vips/vips.h>

#include <stdbool.h>

struct rf_flat {
    bool opaque;      /* no pixel is transparent */
    bool grey;        /* red, green and blue are the same everywhere */
    bool bilevel;     /* black and white, nothing between */
    unsigned colours; /* of the rows looked at; RF_MANY_COLOURS: that or more */
    double same;      /* share of pixels that equal their left neighbour */
    bool flat;        /* so: a drawing, a screenshot, a page of text */
};

#define RF_MANY_COLOURS 257

/* `im` is in memory, one to four bands of eight bits. */
void rf_flat_look(VipsImage *im, struct rf_flat *out);

#endif
