/* An inline screen: rows that are done move up into the scrollback and stay there; below them is a
 * region of a few rows that is drawn anew whenever something changes. No alternate screen.
 *
 *     rf_region_commit(&r, row);               a row that is done
 *     rf_region_begin(&r);
 *     rf_region_row(&r, row);                  the rows of the region, top to bottom
 *     rf_region_cursor(&r, row_index, cell);
 *     rf_region_flush(&r);                     one write, without flicker
 *
 * Rows are bytes that are harmless already (term/cells.h) with styles (term/theme.h) that end in
 * the row, and at most as many cells as there are columns; one that is longer is cut here. Rows of
 * the region that did not change are not written again. A region is never higher than the screen:
 * rows at its top that do not fit are not drawn.
 *
 * After a resize, rows above the region are never wiped: a line of an old region that stays is the
 * lesser evil.
 */
#ifndef RF_CLI_TERM_REGION_H
#define RF_CLI_TERM_REGION_H

#include "term/buffer.h"
#include "term/tty.h"

struct rf_region_row {
    struct rf_buffer bytes;
    int cells;
};

struct rf_region {
    struct rf_tty *tty;
    struct rf_buffer done; /* rows that go up with the next flush, and how many */
    size_t done_rows;
    bool done_wraps;       /* some of them may take more lines than one */
    struct rf_buffer row;  /* the one that is being made */
    struct rf_region_row *now, *next; /* on the screen, and to be */
    size_t now_count, next_count, now_cap, next_cap;
    int cursor_row, cursor_cell;      /* on the screen, from the top of the region */
    int next_row, next_cell;
    size_t next_dropped;              /* rows that were too many, at the top */
    int drawn_columns, drawn_rows;    /* that the screen had then */
    bool is_drawn;                    /* by us: else there may be anything below the cursor */
};

void rf_region_init(struct rf_region *r, struct rf_tty *tty);
void rf_region_release(struct rf_region *r);

void rf_region_commit(struct rf_region *r, struct rf_str row);
/* A picture: bytes that leave the cursor where it was, and the rows they take, which must be fewer
 * than the screen has: else it is left out. */
void rf_region_commit_picture(struct rf_region *r, struct rf_str bytes, int rows);

void rf_region_begin(struct rf_region *r);
void rf_region_row(struct rf_region *r, struct rf_str row);
void rf_region_cursor(struct rf_region *r, int row, int cell);
void rf_region_flush(struct rf_region *r);

/* Wipe the region: the cursor stands at its top, in the first column. For whoever needs the
 * terminal meanwhile. */
void rf_region_clear(struct rf_region *r);
/* Nothing of it is on the screen any more (the program was stopped, the screen was cleared). */
void rf_region_forget(struct rf_region *r);

#endif
