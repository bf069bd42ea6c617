/* What a worker drew, as the bytes that a terminal gets.
 *
 * A worker that read a hostile file may say anything, so a drawing is read byte by byte against the
 * grammar of the one way of drawing that was asked for, and against its frame: one that holds
 * anything else is refused as a whole.
 *
 *     kitty, iterm  a PNG, which goes out as base64 in a sequence that is written here
 *     sixel         ESC P … q, then colours, sixels, repeats and new lines inside of the frame, ESC
 *                   \
 *     blocks        rows of single characters (U+2580 to U+259F and the space; or those of ASCII)
 *                   and colours
 */
#ifndef RF_SOURCE_DRAWING_H
#define RF_SOURCE_DRAWING_H

#include "base/error.h"
#include "base/str.h"

#include <refract/preview.h>

struct rf_drawing {
    int columns, rows; /* of cells that it takes */
    int width, height; /* pixels for all of them; not for blocks */
    int ascii;         /* of blocks: characters of ASCII instead */
};

/* The bytes for the terminal, in the arena. Fails with RF_EIO where `made` is anything else than it
 * should be. */
RF_MUST enum rf_code rf_drawing_make(enum rf_graphics g, struct rf_str made,
                                     const struct rf_drawing *d, struct rf_arena *a,
                                     struct rf_str *out, struct rf_err *err);

#endif
