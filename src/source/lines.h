/* A window of lines out of a text that is fed piece by piece: from a first line on, as many as
 * were asked for and fit; or of bytes, which are shown as they are. The rest is counted, not
 * kept, so a text may be as long as it likes. A line that is cut says at which byte of the text
 * to read on. Base64 of a file that is not in the window from end to end is left out.
 *
 *     rf_lines_init(&l, &window, a);
 *     while (…) rf_lines_feed(&l, piece);
 *     rf_lines_end(&l);
 *     … l.text, l.total */
#ifndef RF_SOURCE_LINES_H
#define RF_SOURCE_LINES_H

#include "base/buf.h"
#include "source/lift_watch.h"

struct rf_window {
    int64_t first;                  /* line, from 1 */
    int64_t limit;                  /* lines; 0: as many as fit */
    size_t max_bytes;               /* of all that is shown */
    size_t max_line;                /* of one; what is over is left out and counted */
    size_t max_escaped;             /* of all that is shown, as JSON spells it; 0: any number */
    bool numbered;                  /* each line with its number before it */
    bool by_bytes;                  /* no lines, but bytes, and whole characters of them */
    int64_t first_byte, byte_limit; /* from 0; limit 0: as many as fit */
    /* How a call asks for the rest: what its argument for a byte is called, and those that come
     * before it. */
    const char *byte_name;
    struct rf_str before;
};

struct rf_lines {
    struct rf_window window;
    struct rf_lift_watch watch; /* of what comes before the window; numbered: of this too */
    bool in_file;               /* the last line was left out */
    struct rf_arena *arena;
    struct rf_buf out;
    struct rf_buf sample; /* what came until `end` was known */
    struct rf_buf head;   /* of the line that is being fed */
    uint64_t line_n;      /* its bytes so far */
    int64_t line;         /* its number */
    char end;  /* of a line: a line feed or, as once on the Macintosh, a return; 0: not yet known */
    bool full; /* no more fits */
    uint64_t escaped; /* of `out`, in bytes */
    uint64_t fed;     /* bytes so far */
    /* out */
    struct rf_str text;
    int64_t shown_first, shown_last; /* lines, 0: none; or the first byte and past the last */
    int64_t total;                   /* lines, or bytes */
    int64_t next_byte;               /* past the last line that is shown */
    int64_t cut;                     /* lines that were cut */
};

void rf_lines_init(struct rf_lines *l, const struct rf_window *window, struct rf_arena *a);
/* The next piece; UTF-8, but it may end anywhere. */
void rf_lines_feed(struct rf_lines *l, struct rf_str piece);
/* Is what comes now only counted? */
bool rf_lines_only_count(const struct rf_lines *l);
void rf_lines_end(struct rf_lines *l);

#endif
