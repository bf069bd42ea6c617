/* From a picture file to the pixels that were asked for: cropped, shrunk, as it is seen, in sRGB
 * with eight bits, in memory. */
#ifndef RF_WORKER_IMAGE_SHAPE_H
#define RF_WORKER_IMAGE_SHAPE_H

#include "worker/image/picture.h"

struct rf_shape {
    int64_t max_side, max_pixels; /* 0: no limit */
    uint32_t x, y, width, height; /* of the picture as seen; width 0: all of it */
};

/* `*out` has one to four bands of eight bits. Fails as rf_picture_load does, and with RF_EUSAGE for
 * a crop outside the picture. */
RF_MUST enum rf_code rf_shape(const struct rf_picture *pic, const struct rf_shape *wish,
                              enum rf_strictness strict, VipsImage **out, struct rf_err *err);

/* How much of a picture in memory there is before the rest is all the same row: 0 to 1. */
double rf_shape_share(VipsImage *im);

#endif
