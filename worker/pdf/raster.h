/* A page as pixels, and pixels as a PNG or a JPEG.
 *
 *     rf_raster_init(&r, 1240, 1754);
 *     …draw…
 *     if (rf_raster_encode(&r, &wish, &picture))
 *         rf_answer_bytes(to, picture.p, picture.n);
 *     rf_rendered_release(&picture);
 *     rf_raster_release(&r);
 *
 * Text pages become PNGs of as few bits as their colours need; pages that are photographs, such as
 * scans, become JPEGs where those are allowed. A picture that is over its limit is tried as a JPEG
 * of falling quality; making it smaller is left to the caller, who can draw it again.
 */
#ifndef RF_WORKER_PDF_RASTER_H
#define RF_WORKER_PDF_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RF_MAX_RASTER_PIXELS ((int64_t)40 * 1000 * 1000)
#define RF_MAX_RASTER_SIDE 32767

/* Rows of pixels of four bytes: blue, green, red, and one that means nothing. */
struct rf_raster {
    uint8_t *pixels;
    int width, height;
    size_t stride;
};

struct rf_rendered {
    const char *mime;
    uint8_t *p;
    size_t n;
};

struct rf_render_wish {
    bool png, jpeg;     /* what may come out */
    uint64_t max_bytes; /* 0: any */
};

/* White, or false where there is no memory for it. */
bool rf_raster_init(struct rf_raster *r, int width, int height);
void rf_raster_release(struct rf_raster *r);

/* False where nothing that may come out fits. */
bool rf_raster_encode(const struct rf_raster *r, const struct rf_render_wish *wish,
                      struct rf_rendered *out);
void rf_rendered_release(struct rf_rendered *picture);

/* What a raster is made of, from one look at every pixel. */
struct rf_raster_kind {
    bool grey;
    int colours;           /* up to 256, or 257 for more */
    uint32_t palette[256]; /* 0xRRGGBB, from low to high; where there are no more */
    double flat;           /* the share of pixels that are as their left neighbours */
};

void rf_raster_look(const struct rf_raster *r, struct rf_raster_kind *kind);

/* Fail where there is no memory. */
bool rf_raster_png(const struct rf_raster *r, const struct rf_raster_kind *kind,
                   struct rf_rendered *out);
bool rf_raster_jpeg(const struct rf_raster *r, int quality, struct rf_rendered *out);

#endif
