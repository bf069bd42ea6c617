/* Pixels as characters and as sixels, by libchafa. */
#ifndef RF_WORKER_IMAGE_CHAFA_LIBRARY_H
#define RF_WORKER_IMAGE_CHAFA_LIBRARY_H

#include "base/error.h"

#include <glib.h>

#include <stdbool.h>

struct rf_chafa_wish {
    int columns, rows;           /* of the drawing, in cells */
    int cell_width, cell_height; /* pixels of one */
    bool sixel;                  /* else characters */
    bool ascii;                  /* those of ASCII alone, else blocks */
    int64_t colours;             /* of characters: less than 16: none, 16, 256, or more: all */
};

/* Look for the library, before the sandbox closes: that takes a fifth of a millisecond. */
void rf_chafa_load(void);

/* Draw R, G, B, A in rows of `columns` times `cell_width` pixels. The caller frees `*out` with
 * g_string_free. Fails with RF_ECONFIG where libchafa is not there. */
RF_MUST enum rf_code rf_chafa_draw(const struct rf_chafa_wish *wish, const guint8 *pixels,
                                   GString **out, struct rf_err *err);

#endif
