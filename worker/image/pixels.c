/* The one place where a declared size becomes memory; and making pixels fewer. */
#include "worker/image/pixels.h"

enum rf_code rf_pixels_make(struct rf_pixels *px, uint64_t width, uint64_t height,
                            struct rf_arena *a, struct rf_err *err)
{
    if (!width || !height)
        return rf_fail(err, RF_EFORMAT, "the picture has no size");
    if (width > RF_MAX_OWN_PIXELS || height > RF_MAX_OWN_PIXELS / width)
        return rf_fail(err, RF_ELIMIT,
                       "the picture says that it has %llu x %llu pixels, the limit is %llu million",
                       (unsigned long long)width, (unsigned long long)height,
                       (unsigned long long)(RF_MAX_OWN_PIXELS / 1000000));
    if (width * height / RF_MAX_PIXELS_A_BYTE > px->of_bytes)
        return rf_fail(
            err, RF_EFORMAT,
            "the picture says that it has %llu x %llu pixels, which a file of %zu bytes cannot "
            "hold",
            (unsigned long long)width, (unsigned long long)height, px->of_bytes);
    px->width = (uint32_t)width;
    px->height = (uint32_t)height;
    px->p = rf_arena_alloc(a, (size_t)width * (size_t)height * 4);
    px->frames = px->frames ? px->frames : 1;
    px->bits = px->bits ? px->bits : 8;
    return RF_OK;
}

static void average(const struct rf_pixels *px, uint32_t left, uint32_t top, uint32_t n,
                    uint8_t *to)
{
    uint32_t right = left + n < px->width ? left + n : px->width;
    uint32_t bottom = top + n < px->height ? top + n : px->height;
    uint64_t sum[3] = { 0 }, alpha = 0, count = (uint64_t)(right - left) * (bottom - top);

    for (uint32_t y = top; y < bottom; y++) {
        const uint8_t *p = rf_pixel(px, left, y);
        for (uint32_t x = left; x < right; x++, p += 4) {
            sum[0] += (uint32_t)p[0] * p[3];
            sum[1] += (uint32_t)p[1] * p[3];
            sum[2] += (uint32_t)p[2] * p[3];
            alpha += p[3];
        }
    }
    for (int i = 0; i < 3; i++)
        to[i] = alpha ? (uint8_t)((sum[i] + alpha / 2) / alpha) : 0;
    to[3] = (uint8_t)((alpha + count / 2) / count);
}

void rf_pixels_shrink(const struct rf_pixels *px, uint32_t n, struct rf_arena *a,
                      struct rf_pixels *out)
{
    *out = *px;
    out->width = (px->width + n - 1) / n;
    out->height = (px->height + n - 1) / n;
    out->p = rf_arena_alloc(a, (size_t)out->width * out->height * 4);
    for (uint32_t y = 0; y < out->height; y++) {
        for (uint32_t x = 0; x < out->width; x++)
            average(px, x * n, y * n, n, rf_pixel(out, x, y));
    }
}
