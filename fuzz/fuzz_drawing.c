/* Whatever a worker says that it drew, what goes on to a terminal is a drawing of its way inside of
 * its frame.
 *
 * The first byte of the input chooses the way and its characters, the second columns and rows,
 * the third the pixels of a cell. What is let through is told harmless in another way than it
 * was read: escapes are followed by their kind, and characters and pixels are counted again. */
#include "base/arena.h"
#include "source/drawing.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* Rows of so many cells, colours between them, each ended plain. */
static void check_blocks(struct rf_str out, const struct rf_drawing *d)
{
    struct rf_str row;
    int rows = 0;

    for (; rf_str_split(&out, '\n', &row); rows++) {
        int cells = 0;
        expect(rf_str_ends(row, "\033[0m"));
        for (size_t i = 0; i < row.n; i++) {
            unsigned char c = (unsigned char)row.p[i];
            if (c == 0x1b) {
                expect(row.p[++i] == '[');
                i += 1 + strspn(row.p + i + 1, "0123456789;");
                expect(row.p[i] == 'm');
            } else {
                expect(c >= 0x20 && c != 0x7f && (c < 0x80 || !d->ascii));
                cells += (c & 0xc0) != 0x80;
            }
        }
        expect(cells <= d->columns);
    }
    expect(rows == d->rows);
}

/* One string for the terminal, between a cursor that is kept and one that is put back. */
static void check_sixel(struct rf_str out, const struct rf_drawing *d)
{
    int bands = 0;

    expect(rf_str_starts(out, "\0337\033P") && rf_str_ends(out, "\033\\\0338"));
    for (size_t i = 4; i < out.n - 4; i++) {
        expect(out.p[i] > 0x20 && out.p[i] < 0x7f);
        bands += out.p[i] == '-';
    }
    expect(bands * 6 <= d->height + 5);
}

/* One or more strings, with nothing between them, in which there is base64 alone. */
static void check_base64(struct rf_str out)
{
    for (size_t i = 0; i < out.n; i++)
        expect(out.p[i] >= 0x20 && out.p[i] < 0x7f
                   ? true
                   : (out.p[i] == '\a' && i == out.n - 3) ||
                         (out.p[i] == 0x1b && i + 1 < out.n && strchr("_\\78]", out.p[i + 1])));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str out;

    if (size >= 3) {
        enum rf_graphics way = (enum rf_graphics)(data[0] % 5);
        struct rf_drawing d = { .columns = 1 + data[1] % 16,
                                .rows = 1 + data[1] / 16,
                                .ascii = data[0] / 5 % 2 };
        struct rf_str made = { (const char *)data + 3, size - 3 };
        d.width = d.columns * (1 + data[2] % 16);
        d.height = d.rows * (1 + data[2] / 16);
        if (!rf_drawing_make(way, made, &d, a, &out, NULL)) {
            if (way == RF_GRAPHICS_BLOCKS)
                check_blocks(out, &d);
            else if (way == RF_GRAPHICS_SIXEL)
                check_sixel(out, &d);
            else
                check_base64(out);
        }
    }
    rf_arena_free(a);
    return 0;
}
