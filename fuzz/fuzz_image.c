/* Pictures. The first byte chooses one of our own readers, whatever the format seems to be, or an
 * ask for which the format is told from the bytes, or a reader that makes an SVG. */
#include "answering.h"

#include "worker/image/image.h"
#include "worker/image/pixels.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static rf_read_pixels *const readers[] = {
    rf_read_bmp, rf_read_ico, rf_read_icns, rf_read_tga,  rf_read_pcx, rf_read_qoi,
    rf_read_psd, rf_read_dds, rf_read_pnm,  rf_read_tiff, rf_read_jp2,
};
static rf_read_pixels *const drawings[] = { rf_read_emf, rf_read_wmf };
static const char *const asks[] = {
    "op=info\n",
    "op=convert\ntypes=image/png,image/jpeg\nmax_side=100\nmax_bytes=3000\n",
    "op=convert\ntypes=image/jpeg\ncrop=1,1,2,2\n",
    "op=convert\nframe=2\nmax_pixels=50\n",
    "op=draw\nway=png\ncolumns=9\nrows=5\ncell_width=7\ncell_height=15\npiece=100,200,300,400\n",
    "op=draw\nway=sixel\ncolumns=9\nrows=5\ncell_width=7\ncell_height=15\n",
    "op=draw\nway=blocks\ncolumns=9\nrows=5\ncell_width=7\ncell_height=15\ncolours=256\n",
};
#define READERS (sizeof readers / sizeof *readers)
#define ASKS (sizeof asks / sizeof *asks)
#define DRAWINGS (sizeof drawings / sizeof *drawings)

static void start(void)
{
    static bool started;

    if (!started && rf_image_start())
        abort();
    started = true;
}

/* Every pixel is looked at, so that the sanitizers see one that is not there. */
static void look(const struct rf_pixels *px)
{
    const uint8_t *end = px->p + (size_t)px->width * px->height * 4;

    for (const uint8_t *p = px->p; p < end; p++)
        (void)*(const volatile uint8_t *)p;
}

static void read_pixels(rf_read_pixels *reader, struct rf_str bytes, int64_t frame)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_pixels px = { .frame = frame, .of_bytes = bytes.n }, small;
    struct rf_err err;

    if (!reader(bytes, a, &px, &err) && px.p) {
        look(&px);
        rf_pixels_shrink(&px, 3, a, &small);
        look(&small);
    }
    rf_is_tga(bytes);
    rf_tiff_is_ours(bytes, frame);
    rf_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_str body = { (const char *)data + 1, size - 1 };

    if (size < 3) /* rf_read_pnm is asked about no less */
        return 0;
    start();
    size_t which = data[0] % (2 * READERS + ASKS + DRAWINGS);
    if (which < 2 * READERS)
        read_pixels(readers[which % READERS], body, which < READERS ? RF_LARGEST_FRAME : 1);
    else if (which < 2 * READERS + ASKS)
        answer_in_process(rf_image_answer, asks[which - 2 * READERS], body);
    else
        read_pixels(drawings[which - 2 * READERS - ASKS], body, 0);
    return 0;
}
