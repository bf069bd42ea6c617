/* Leptonica decodes; its header readers are asked for the size first, so that no picture is
 * decoded that is too large to be kept. Transparency is laid on white, since ink is dark. */
#include "worker/ocr/picture.h"

#include <math.h>

#define MAX_DECODED_PIXELS ((int64_t)100 << 20) /* what is decoded at all */
#define MAX_PIXELS ((int64_t)10 << 20)          /* what is read: larger ones are made smaller */
#define SMALL_PIXELS ((int64_t)2 << 20)         /* screens and clippings: letters of ten pixels */
#define MIN_SIDE 8
#define WHITE 0xffffff00

static bool check_header(struct rf_str bytes, struct rf_answer *to)
{
    l_int32 format = IFF_UNKNOWN, width = 0, height = 0;

    (void)findFileFormatBuffer((const l_uint8 *)bytes.p, &format);
    if (format != IFF_PNG && format != IFF_JFIF_JPEG) {
        rf_answer_fail(to, RF_EFORMAT, "", "only text in PNG and JPEG pictures can be read");
        return false;
    }
    if (pixReadHeaderMem((const l_uint8 *)bytes.p, bytes.n, NULL, &width, &height, NULL, NULL,
                         NULL) ||
        width <= 0 || height <= 0) {
        rf_answer_fail(to, RF_EFORMAT, "", "the picture's header is broken or cut off");
        return false;
    }
    if ((int64_t)width * height > MAX_DECODED_PIXELS) {
        rf_answer_fail(
            to, RF_ELIMIT, "Make the picture smaller, or cut out the part with the text.",
            "the picture has %dx%d pixels, which is too many to read text from", width, height);
        return false;
    }
    return true;
}

/* A JPEG with a flaw that its decoder gets over is read all the same. */
static PIX *decoded(struct rf_str bytes)
{
    const l_uint8 *p = (const l_uint8 *)bytes.p;

    if (p[0] == 0x89)
        return pixReadMemPng(p, bytes.n);
    return pixReadMemJpeg(p, bytes.n, 0, 1, NULL, L_JPEG_CONTINUE_WITH_BAD_DATA);
}

/* Takes `pix` over, as do the two below. */
static PIX *grey(PIX *pix)
{
    PIX *opaque = pixGetSpp(pix) == 4 ? pixAlphaBlendUniform(pix, WHITE) : pixClone(pix);
    PIX *out = opaque ? pixConvertTo8(opaque, 0) : NULL;

    pixDestroy(&opaque);
    pixDestroy(&pix);
    return out;
}

static PIX *scaled(PIX *pix, float factor)
{
    PIX *out = pixScale(pix, factor, factor);
    pixDestroy(&pix);
    return out;
}

static PIX *fitted(PIX *pix)
{
    int64_t pixels = (int64_t)pixGetWidth(pix) * pixGetHeight(pix);

    if (pixels < SMALL_PIXELS)
        return scaled(pix, 2);
    if (pixels <= MAX_PIXELS)
        return pix;
    return scaled(pix, sqrtf((float)MAX_PIXELS / (float)pixels));
}

PIX *rf_ocr_picture(struct rf_str bytes, struct rf_answer *to)
{
    if (bytes.n < 12) {
        rf_answer_fail(to, RF_EFORMAT, "",
                       bytes.n ? "the picture is cut off" : "the file is empty");
        return NULL;
    }
    if (!check_header(bytes, to))
        return NULL;
    PIX *pix = decoded(bytes);
    if (pix)
        pix = grey(pix);
    if (pix && (pixGetWidth(pix) < MIN_SIDE || pixGetHeight(pix) < MIN_SIDE))
        return pix;
    if (pix)
        pix = fitted(pix);
    if (!pix)
        rf_answer_fail(to, RF_EFORMAT, "", "the picture is broken or cut off");
    return pix;
}
