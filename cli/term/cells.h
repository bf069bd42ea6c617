/* How wide text is on a terminal, and text that cannot steer one.
 *
 *     int cells = rf_cells(s);
 *     size_t n = rf_cells_fit(s, 40, &used);
 *
 * What people count as one character (a letter with its accents, a flag, a family of emoji) is one
 * step: nothing is cut inside of it. Widths are those of Unicode's East Asian Width and of emoji
 * presentation, as terminals draw them; a byte that is not UTF-8 takes one cell, as the '?' it is
 * shown as.
 */
#ifndef RF_CLI_TERM_CELLS_H
#define RF_CLI_TERM_CELLS_H

#include <stddef.h>

#include <refract/str.h>

/* The first character of `s` with all that belongs to it: its bytes (0 only where `s` is empty) and
 * its cells: 0 for what takes none. */
size_t rf_cells_step(struct rf_str s, int *cells);

/* Cells of a text without line feeds; a tab counts to the next multiple of four. */
int rf_cells(struct rf_str s);

/* Cells of it on a terminal that knows single characters only, and draws a family as its members:
 * never fewer. */
int rf_cells_apart(struct rf_str s);

/* Bytes of the beginning that fits into `width` cells, and the cells that it takes (`used` may be
 * NULL). */
size_t rf_cells_fit(struct rf_str s, int width, int *used);

/* Add to `out` with everything gone that a terminal would obey: control characters of C0 and C1,
 * DEL, bytes that are not UTF-8, separators of lines (U+2028, U+2029) and marks that turn the
 * direction of the text after them (U+202A to U+202E, U+2066 to U+2069) become '?'; a tab becomes
 * spaces. Right-to-left letters stay as they are, with the marks that people write among them
 * (U+200E, U+200F, U+061C). */
struct rf_buffer;
void rf_cells_clean(struct rf_buffer *out, struct rf_str s);

#endif
