/* Text as a page shows it, out of characters and where they stand.
 *
 * An engine gives the characters in reading order and breaks lines, but glues what stands in
 * columns of a table, leaves no gap between paragraphs and keeps words hyphenated. Here cells are
 * parted by a tab, paragraphs by an empty line, and words that a line's end cut are whole again,
 * with the line's end after them.
 *
 *     rf_layout(&glyphs, a, &text);
 *
 * It refuses to guess at tables, headings and lists: what looks like one is still lines of text.
 */
#ifndef RF_WORKER_PDF_LAYOUT_H
#define RF_WORKER_PDF_LAYOUT_H

#include "base/str.h"

#include <stdint.h>

struct rf_arena;

#define RF_MAX_PAGE_GLYPHS ((size_t)1 << 20)

/* One character; y grows downwards. */
struct rf_glyph {
    uint32_t c;
    float left, top, right, bottom;
};

struct rf_glyphs {
    struct rf_glyph *items; /* with the marks of writing direction */
    size_t count;
    bool cut;            /* the page has more than RF_MAX_PAGE_GLYPHS */
    struct rf_str plain; /* instead of the items, where it is unknown where they stand */
};

/* A mark that says which way the text runs: it has no place on the page. Runs of Arabic or Hebrew
 * stand between such marks. */
bool rf_is_direction(uint32_t c);

/* Changes the order of the items where a line's words run the wrong way. */
struct rf_str rf_layout(const struct rf_glyphs *glyphs, struct rf_arena *a);

#endif
