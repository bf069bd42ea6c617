/* Markdown, hostile: the first three bytes choose the columns, the terminal and where the text
 * is cut. Rows keep the promises of row_promises.h, are the same whole and in pieces, and what
 * is live at the end is what the end commits. */
#include "row_promises.h"
#include "term/markdown.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct rows {
    const struct rf_theme *theme;
    int columns;
    struct rf_buffer all;
};

static void take_row(void *ctx, struct rf_str row)
{
    struct rows *r = ctx;
    promise_row(row, r->columns, r->theme);
    rf_buffer_str(&r->all, row);
    rf_buffer_add(&r->all, "\n", 1);
}

static void drop_row(void *ctx, struct rf_str row)
{
    struct rows *r = ctx;
    promise_row(row, r->columns, r->theme);
}

static void check_same(const struct rf_buffer *a, const struct rf_buffer *b)
{
    if (a->n != b->n || (a->n && memcmp(a->p, b->p, a->n) != 0))
        abort();
}

/* The end commits what is live. */
static void end(struct rf_markdown *m, struct rows *r, bool is_whole)
{
    struct rows live = { r->theme, r->columns, { 0 } };
    rf_buffer_str(&live.all, rf_buffer_view(&r->all));
    rf_markdown_live(m, take_row, &live);
    rf_markdown_end(m);
    if (is_whole)
        check_same(&live.all, &r->all);
    rf_buffer_release(&live.all);
}

/* In pieces of `most` bytes and less; 0: whole. */
static void render(struct rows *r, struct rf_str text, size_t most)
{
    struct rf_markdown *m = rf_markdown_new(r->theme, r->columns, take_row, r);
    for (size_t i = 0, n; i < text.n; i += n) {
        n = most ? 1 + (i * 2654435761u >> 7) % most : text.n;
        n = n < text.n - i ? n : text.n - i;
        rf_markdown_add(m, (struct rf_str){ text.p + i, n });
        if (most && i / 256 != (i + n) / 256)
            rf_markdown_live(m, drop_row, r);
    }
    /* A character that is not whole is not live yet. */
    end(m, r, !text.n || !((unsigned char)text.p[text.n - 1] & 0x80));
    rf_markdown_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    struct rf_theme theme = { .colours = data[1] & 1 ? 256 : 0,
                            .plain = data[1] & 2,
                            .unicode = data[1] & 4,
                            .light = data[1] & 8,
                            .links = data[1] & 16 };
    struct rows whole = { &theme, 10 + data[0] % 120, { 0 } }, pieces = whole;
    struct rf_str text = { (const char *)data + 3, size - 3 };
    render(&whole, text, 0);
    render(&pieces, text, 1 + data[2]);
    check_same(&whole.all, &pieces.all);
    rf_buffer_release(&whole.all);
    rf_buffer_release(&pieces.all);
    return 0;
}
