/* A picture file that is open: what its header says, and its pixels as a libvips image.
 *
 *     struct rf_picture pic;
 *     if (!rf_picture_open(bytes, RF_LARGEST_FRAME, a, &pic, err) &&
 *         !rf_picture_load(&pic, 1.0, RF_STRICT, &image, err)) … g_object_unref(image);
 *
 * A size is checked against the limit before anything is decoded.
 */
#ifndef RF_WORKER_IMAGE_PICTURE_H
#define RF_WORKER_IMAGE_PICTURE_H

#include "worker/image/pixels.h"

#include <vips/vips.h>

#define RF_MAX_PIXELS ((uint64_t)1 << 28)       /* of a picture that is read row by row */
#define RF_MAX_WHOLE_PIXELS ((uint64_t)1 << 27) /* of one that has to be decoded as a whole */

struct rf_loader;

struct rf_picture {
    const struct rf_loader *loader;
    const char *name;        /* "png", "jpeg", … what the outermost file is */
    struct rf_str bytes;     /* of the file, or of the one inside it */
    struct rf_pixels pixels; /* where our own reader read it */
    bool own;
    struct rf_arena *arena;
    int64_t frame;
    uint32_t width, height; /* as stored */
    int orientation;        /* 1 to 8, as EXIF counts */
    uint32_t frames;
    unsigned bits;
    bool alpha, vector;
    double unit;  /* of a vector picture: our pixels in one of libvips */
    bool endless; /* a PNG without its last chunk */
};

enum rf_strictness {
    RF_STRICT,  /* what is cut off fails */
    RF_LENIENT, /* what is cut off is filled with something */
};

/* `bytes` must live as long as the picture does, the arena as long as its images. Fails with
 * RF_EFORMAT, RF_EUNSUPPORTED, RF_ELIMIT, and RF_EUSAGE for a frame that is not there. */
RF_MUST enum rf_code rf_picture_open(struct rf_str bytes, int64_t frame, struct rf_arena *a,
                                     struct rf_picture *pic, struct rf_err *err);

/* The frame's pixels, to be read once from top to bottom. Where the format can shrink while it is
 * read, they are smaller, but not smaller than `scale` asks; a vector picture is drawn at exactly
 * that. */
RF_MUST enum rf_code rf_picture_load(const struct rf_picture *pic, double scale,
                                     enum rf_strictness strict, VipsImage **out,
                                     struct rf_err *err);

/* Can a damaged one be shown in part? */
bool rf_picture_is_forgiving(const struct rf_picture *pic);
/* Can at least its first row be read? Where a loader works for several threads, one of them is told
 * that a row is broken, and the others get what was in memory, which may look like a picture. */
RF_MUST enum rf_code rf_picture_begins(const struct rf_picture *pic, struct rf_err *err);
/* Decode all of it without keeping anything, and let go of it. */
RF_MUST enum rf_code rf_picture_drain(const struct rf_picture *pic, VipsImage *im,
                                      struct rf_err *err);
/* Decode the frames after the first one, as far as the limits go; `*checked` is how many are good.
 */
RF_MUST enum rf_code rf_picture_check_frames(const struct rf_picture *pic, uint32_t *checked,
                                             struct rf_err *err);

/* Width and height as seen: turned where the orientation says so. */
void rf_picture_seen(const struct rf_picture *pic, uint32_t *width, uint32_t *height);

/* What libvips says went wrong, in our words. */
enum rf_code rf_picture_failed(const struct rf_picture *pic, struct rf_err *err);

#endif
