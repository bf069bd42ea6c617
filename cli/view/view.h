/* The viewer: a file as a picture or as text in the other screen of a terminal, page by page, with
 * keys to go through it, zoom, jump and search.
 *
 *     rf_view_run(&tty, tools, "report.pdf#p=3-5", NULL);
 *
 * The terminal belongs to the caller, who has put it into raw mode (rf_tty_raw) and asked what it
 * can do (rf_tty_ask); from here to the return it is the viewer's alone: nothing else reads from it
 * or writes to it. Whoever draws a region on the main screen wipes it before (rf_region_clear) and
 * draws it anew after.
 */
#ifndef RF_CLI_VIEW_VIEW_H
#define RF_CLI_VIEW_VIEW_H

#include <refract/tools.h>

#include "term/tty.h"

/* Show a file, a part of one, or something that the tools' store keeps ("att_…", "sha256:…").
 * Returns when the person leaves the viewer, or there is no more input: the main screen is back as
 * it was, and the terminal is still raw. 0, or the exit status where the file could not be opened,
 * which is said on that screen until a key is pressed: who would rather say it elsewhere opens a
 * preview first (refract/preview.h). */
struct rf_view_options {
    size_t page;               /* that it begins with, from 0 */
    bool graphics_chosen;      /* `graphics` counts: else what the terminal says */
    enum rf_graphics graphics;
};
int rf_view_run(struct rf_tty *tty, struct rf_tools *tools, const char *path_or_id,
                const struct rf_view_options *options); /* may be NULL */

#endif
