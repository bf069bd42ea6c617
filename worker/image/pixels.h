/* Pixels that our own readers give: formats that are too small for a library.
 *
 * libvips reads them through ImageMagick only, where it has it: blocked here, with 200 holes closed
 * in the life of Debian 12, files of its own to open, and no QOI, no icons of macOS, no cursors,
 * and the first of an icon's pictures. JPEG 2000, HEIF and PNM, which libvips reads itself, say in
 * their files why they are here.
 *
 * A reader takes all bytes of a file and gives rows of R, G, B, A from the top, or says that the
 * picture is another file inside this one (an icon that holds a PNG), or makes that (a metafile).
 * It refuses to believe a size before rf_pixels_make has checked it against the limit, and never
 * looks at a byte that is not there.
 *
 *     struct rf_pixels px = { .frame = 0 };
 *     if (!rf_read_bmp(bytes, a, &px, err)) … px.p, or px.inner …
 */
#ifndef RF_WORKER_IMAGE_PIXELS_H
#define RF_WORKER_IMAGE_PIXELS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "media/look.h"

#define RF_MAX_OWN_PIXELS ((uint64_t)1 << 27) /* 512 MB as RGBA */
#define RF_MAX_PIXELS_A_BYTE 1024             /* more than the best of these packings can do */
#define RF_LARGEST_FRAME (-1)

struct rf_pixels {
    int64_t frame;   /* in: which picture of several; RF_LARGEST_FRAME: the largest */
    size_t of_bytes; /* in: how long the file is */

    uint8_t *p; /* RGBA, in the arena; NULL: see `inner` */
    struct rf_str inner;
    uint32_t width, height;
    uint32_t full_width, full_height; /* where what was read is smaller than the picture; else 0 */
    struct rf_str profile;            /* of its colours; mostly none */
    uint32_t frames;
    unsigned bits; /* a channel, as stored */
    bool alpha;    /* does A say anything? */
    bool cut_off;  /* the end is missing, and zero */
    bool lost;     /* of a drawing: something in it could not be said in `inner` */
};

/* Room for the picture, zeroed. Fails with RF_EFORMAT for a size of nothing and for one that a file
 * of this length cannot hold, with RF_ELIMIT for too much. */
RF_MUST enum rf_code rf_pixels_make(struct rf_pixels *px, uint64_t width, uint64_t height,
                                    struct rf_arena *a, struct rf_err *err);

/* The same picture with `n` x `n` pixels averaged into one, each as much as it is there. */
void rf_pixels_shrink(const struct rf_pixels *px, uint32_t n, struct rf_arena *a,
                      struct rf_pixels *out);

typedef enum rf_code rf_read_pixels(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                                    struct rf_err *err);

rf_read_pixels rf_read_bmp; /* also without its file header */
rf_read_pixels rf_read_ico; /* and cursors */
rf_read_pixels rf_read_icns;
rf_read_pixels rf_read_tga;
rf_read_pixels rf_read_pcx;
rf_read_pixels rf_read_qoi;
rf_read_pixels rf_read_psd;
rf_read_pixels rf_read_dds;
rf_read_pixels rf_read_jp2;
rf_read_pixels rf_read_heif; /* and AVIF */
rf_read_pixels rf_read_pnm;  /* at least two bytes */
rf_read_pixels rf_read_emf;  /* an SVG inside: gdi.h */
rf_read_pixels rf_read_wmf;
rf_read_pixels rf_read_tiff; /* only what libvips does not read */

/* Is it such a TIFF? */
bool rf_tiff_is_ours(struct rf_str bytes, int64_t frame);

/* Is this so much like a Targa file, which has no signature, that it can be taken for one? */
bool rf_is_tga(struct rf_str bytes);

/* A picture of an icon: the header of a BMP without its file header, for twice the height, and
 * after the pixels a mask of what is transparent. `px` brings the size of the icon's list, for a
 * header whose own cannot be. */
RF_MUST enum rf_code rf_read_icon_dib(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                                      struct rf_err *err);

static inline const uint8_t *rf_bytes_of(struct rf_str s)
{
    return (const uint8_t *)s.p;
}

/* Are these `n` bytes there? */
static inline bool rf_has(struct rf_str s, uint64_t at, uint64_t n)
{
    return at <= s.n && n <= s.n - at;
}

static inline struct rf_str rf_from(struct rf_str s, size_t at)
{
    return at < s.n ? (struct rf_str){ s.p + at, s.n - at } : (struct rf_str){ s.p + s.n, 0 };
}

static inline uint8_t *rf_pixel(const struct rf_pixels *px, uint32_t x, uint32_t y)
{
    return px->p + ((size_t)y * px->width + x) * 4;
}

static inline void rf_put(uint8_t *to, uint8_t r, uint8_t g, uint8_t b, uint8_t alpha)
{
    to[0] = r;
    to[1] = g;
    to[2] = b;
    to[3] = alpha;
}

static inline enum rf_code rf_cut(struct rf_err *err, const char *what)
{
    return rf_fail(err, RF_EFORMAT, "the %s is cut off", what);
}

#endif
