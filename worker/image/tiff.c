/* TIFF files that libvips leaves alone, read by libtiff: 12 bits a sample, JPEG of the old style,
 * and planes in tiles. All others go through libvips, which does not need them in memory as a
 * whole.
 *
 * libtiff gets callbacks over the bytes, so it opens nothing; what it has to say is thrown away. */
#include "worker/image/pixels.h"

#include <tiffio.h>

struct input {
    struct rf_str bytes;
    uint64_t at;
};

static tmsize_t read_some(thandle_t handle, void *to, tmsize_t n)
{
    struct input *in = handle;
    size_t left = in->at < in->bytes.n ? in->bytes.n - (size_t)in->at : 0;
    size_t count = n < 0 ? 0 : (size_t)n < left ? (size_t)n : left;

    if (count)
        memcpy(to, in->bytes.p + in->at, count);
    in->at += count;
    return (tmsize_t)count;
}

static tmsize_t write_nothing(thandle_t handle, void *from, tmsize_t n)
{
    (void)handle;
    (void)from;
    (void)n;
    return 0;
}

static toff_t seek(thandle_t handle, toff_t to, int whence)
{
    struct input *in = handle;
    in->at = whence == SEEK_CUR ? in->at + to : whence == SEEK_END ? in->bytes.n + to : to;
    return in->at;
}

static int close_nothing(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t size_of(thandle_t handle)
{
    const struct input *in = handle;
    return in->bytes.n;
}

static TIFF *open_at(struct input *in, int64_t frame)
{
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    TIFF *t = TIFFClientOpen("picture", "rm", in, read_some, write_nothing, seek, close_nothing,
                             size_of, NULL, NULL);
    if (t && frame > 0 && (frame > UINT16_MAX || !TIFFSetDirectory(t, (tdir_t)frame))) {
        TIFFClose(t);
        return NULL;
    }
    return t;
}

static unsigned tag(TIFF *t, uint32_t name)
{
    uint16_t value = 0;
    TIFFGetFieldDefaulted(t, name, &value);
    return value;
}

bool rf_tiff_is_ours(struct rf_str bytes, int64_t frame)
{
    struct input in = { .bytes = bytes };
    TIFF *t = open_at(&in, frame);

    if (!t)
        return false;
    bool ours = tag(t, TIFFTAG_BITSPERSAMPLE) == 12 ||
                tag(t, TIFFTAG_COMPRESSION) == COMPRESSION_OJPEG ||
                (TIFFIsTiled(t) && tag(t, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE);
    TIFFClose(t);
    return ours;
}

/* The upper eight of each twelve bits. */
static bool read_twelve(TIFF *t, struct rf_arena *a, struct rf_pixels *px)
{
    unsigned samples = tag(t, TIFFTAG_SAMPLESPERPIXEL);
    tmsize_t size = TIFFScanlineSize(t);
    bool upside = tag(t, TIFFTAG_PHOTOMETRIC) == PHOTOMETRIC_MINISWHITE;

    if (tag(t, TIFFTAG_PLANARCONFIG) != PLANARCONFIG_CONTIG || TIFFIsTiled(t) ||
        (samples != 1 && samples != 3) ||
        (uint64_t)size < ((uint64_t)px->width * samples * 12 + 7) / 8)
        return false;
    uint8_t *row = rf_arena_alloc(a, (size_t)size + 1);
    for (uint32_t y = 0; y < px->height; y++) {
        if (TIFFReadScanline(t, row, y, 0) < 0)
            return false;
        for (uint32_t x = 0; x < px->width; x++) {
            uint8_t v[3];
            for (unsigned i = 0; i < 3; i++) {
                size_t bit = ((size_t)x * samples + (samples == 3 ? i : 0)) * 12;
                v[i] = (uint8_t)((row[bit / 8] << 8 | row[bit / 8 + 1]) >> (8 - bit % 8));
                v[i] = upside ? (uint8_t)(255 - v[i]) : v[i];
            }
            rf_put(rf_pixel(px, x, y), v[0], v[1], v[2], 255);
        }
    }
    return true;
}

/* libtiff gives R, G, B, A from the lowest byte up, as a number of 32 bits. */
static bool read_rgba(TIFF *t, struct rf_arena *a, struct rf_pixels *px)
{
    size_t count = (size_t)px->width * px->height;
    uint32_t *raster = rf_arena_alloc(a, count * sizeof *raster);

    if (!TIFFReadRGBAImageOriented(t, px->width, px->height, raster, ORIENTATION_TOPLEFT, 1))
        return false;
    for (size_t i = 0; i < count; i++)
        rf_put(px->p + i * 4, (uint8_t)TIFFGetR(raster[i]), (uint8_t)TIFFGetG(raster[i]),
               (uint8_t)TIFFGetB(raster[i]), (uint8_t)TIFFGetA(raster[i]));
    px->alpha = tag(t, TIFFTAG_SAMPLESPERPIXEL) == 4;
    return true;
}

enum rf_code rf_read_tiff(struct rf_str bytes, struct rf_arena *a, struct rf_pixels *px,
                          struct rf_err *err)
{
    struct input in = { .bytes = bytes };
    TIFF *t = open_at(&in, px->frame);
    uint32_t width = 0, height = 0;

    if (!t)
        return rf_fail(err, RF_EFORMAT, "the TIFF picture is broken");
    TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(t, TIFFTAG_IMAGELENGTH, &height);
    px->bits = tag(t, TIFFTAG_BITSPERSAMPLE);
    px->frames = TIFFNumberOfDirectories(t);
    TIFFSetDirectory(t, px->frame > 0 ? (tdir_t)px->frame : 0);
    enum rf_code rc = rf_pixels_make(px, width, height, a, err);
    if (!rc && !(px->bits == 12 ? read_twelve(t, a, px) : read_rgba(t, a, px)))
        rc = rf_fail(err, RF_EFORMAT, "the TIFF picture is broken, or of a sort that is not read");
    TIFFClose(t);
    return rc;
}
