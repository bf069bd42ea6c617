/* The clipboard, through whichever program of the desktop has it. */
#ifndef RF_CLI_CLIPBOARD_H
#define RF_CLI_CLIPBOARD_H

#include <stdbool.h>

#include "term/buffer.h"

enum rf_clipboard { RF_CLIPBOARD_PICTURE /* a PNG */, RF_CLIPBOARD_TEXT };

#ifdef __APPLE__
#define RF_CLIPBOARD_PROGRAMS "pngpaste"
#else
#define RF_CLIPBOARD_PROGRAMS "wl-clipboard (Wayland) or xclip (X11)"
#endif

/* `out`, which is empty, stays so where the clipboard has none. False where no program for it is
 * installed. */
bool rf_clipboard_take(enum rf_clipboard what, struct rf_buffer *out);

/* False where no program took the text. */
bool rf_clipboard_put(struct rf_str text);

#endif
