/* JPEG through libjpeg, in memory. Its errors jump; nothing here is held across the jump but what
 * the caller of setjmp frees. */
#include "worker/pdf/raster.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

struct trouble {
    struct jpeg_error_mgr manager; /* first: libjpeg knows this one */
    jmp_buf out;
};

static void on_error(j_common_ptr info)
{
    struct trouble *t = (struct trouble *)(void *)info->err;
    longjmp(t->out, 1);
}

static void on_message(j_common_ptr info)
{
    (void)info;
}

static void begin(struct jpeg_compress_struct *z, const struct rf_raster *r, int quality)
{
    z->image_width = (JDIMENSION)r->width;
    z->image_height = (JDIMENSION)r->height;
    z->input_components = 4;
    z->in_color_space = JCS_EXT_BGRX;
    jpeg_set_defaults(z);
    jpeg_set_quality(z, quality, TRUE);
    jpeg_start_compress(z, TRUE);
}

static bool write_all(struct jpeg_compress_struct *z, struct trouble *t, const struct rf_raster *r,
                      int quality, unsigned char **p, unsigned long *n)
{
    if (setjmp(t->out))
        return false;
    jpeg_create_compress(z);
    jpeg_mem_dest(z, p, n);
    begin(z, r, quality);
    while (z->next_scanline < z->image_height) {
        JSAMPROW row = r->pixels + (size_t)z->next_scanline * r->stride;
        jpeg_write_scanlines(z, &row, 1);
    }
    jpeg_finish_compress(z);
    return true;
}

bool rf_raster_jpeg(const struct rf_raster *r, int quality, struct rf_rendered *out)
{
    struct jpeg_compress_struct z = { 0 };
    struct trouble t;
    unsigned char *p = NULL;
    unsigned long n = 0;
    bool ok;

    z.err = jpeg_std_error(&t.manager);
    t.manager.error_exit = on_error;
    t.manager.output_message = on_message;
    ok = write_all(&z, &t, r, quality, &p, &n);
    if (!ok && z.dest)
        z.dest->term_destination(&z); /* only now does `p` know where the buffer has moved to */
    jpeg_destroy_compress(&z);
    if (ok)
        *out = (struct rf_rendered){ "image/jpeg", p, n };
    else
        free(p);
    return ok;
}
