/* A window of lines out of a text that is fed piece by piece: from a first line on, as many as were
 * asked for and fit. The rest is counted, not kept, so a text may be as long as it likes.
 *
 *     rf_lines_init(&l, &window, a);
 *     while (…) rf_lines_feed(&l, piece);
 *     rf_lines_end(&l);
 *     … l.text, l.total
 */
#ifndef RF_SOURCE_LINES_H
#define RF_SOURCE_LINES_H

#include "base/buf.h"

struct rf_window {
    int64_t first;    /* line, from 1 */
    int64_t limit;    /* lines; 0: as many as fit */
    size_t max_bytes; /* of all lines */
    size_t max_line;  /* of one; what is over is left out and counted */
    bool numbered;    /* each line with its number before it */
};

struct rf_lines {
    struct rf_window window;
    struct rf_buf out;
    struct rf_buf head; /* of the line that is being fed */
    uint64_t line_n; /* its bytes so far */
    int64_t line;    /* its number */
    bool full;       /* no more fits */
    /* out */
    struct rf_str text;
    int64_t shown_first, shown_last; /* 0: none */
    int64_t total;
    int64_t cut; /* lines that were cut */
};

void rf_lines_init(struct rf_lines *l, const struct rf_window *window, struct rf_arena *a);
/* The next piece; UTF-8, but it may end anywhere. */
void rf_lines_feed(struct rf_lines *l, struct rf_str piece);
/* Is what comes now only counted? */
bool rf_lines_only_count(const struct rf_lines *l);
void rf_lines_end(struct rf_lines *l);

#endif
