/* PDF files, and the layout of what stands on a page. The first byte chooses: the rest is a file
 * that is asked about, or characters with their places. */
#include "answering.h"

#include "worker/pdf/engine.h"
#include "worker/pdf/pdf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const asks[] = {
    "op=text\nlast=3\n",
    "op=render\nlast=2\ndpi=40\nmax_pixels=40000\ntypes=image/png\n",
    "op=render\nlast=2\ndpi=40\nmax_pixels=40000\ntypes=image/jpeg\nmax_bytes=900\n",
    "op=part\nlast=2\n",
    "op=text\npassword=secret\n",
};
#define ASKS (sizeof asks / sizeof *asks)

static void start(void)
{
    static bool started;

    if (!started && rf_pdf_start())
        abort();
    started = true;
}

/* A character is eight bytes: itself, its left and upper edge, its width and height. */
static void lay_out(const uint8_t *p, size_t n)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_glyphs glyphs = { .count = n / 8 };

    glyphs.items = rf_arena_alloc(a, (glyphs.count + 1) * sizeof *glyphs.items);
    for (size_t i = 0; i < glyphs.count; i++, p += 8) {
        float left = (float)(p[2] | p[3] << 8), top = (float)(p[4] | p[5] << 8);
        glyphs.items[i] = (struct rf_glyph){ p[0] | (uint32_t)p[1] << 8, left, top,
                                             left + (int8_t)p[6], top + (int8_t)p[7] };
    }
    rf_layout(&glyphs, a);
    rf_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    start();
    size_t which = data[0] % (ASKS + 1);
    if (which == ASKS)
        lay_out(data + 1, size - 1);
    else
        answer_in_process(rf_pdf_answer, asks[which],
                          (struct rf_str){ (const char *)data + 1, size - 1 });
    return 0;
}
