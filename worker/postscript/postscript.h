/* PostScript and EPS as something that is read: op=part gives one part of kind file, a PDF of all
 * pages, which Ghostscript makes; or, where that is not installed, the preview that some EPS files
 * carry (a TIFF, a WMF, or bits in comments, as PNM), with a note that it is one.
 *
 *     postscript.c   answers, and finds the program and the preview in a file
 *     ghostscript.c  runs it
 *     scratch.c      the files that Ghostscript wants to write, in memory */
#ifndef RF_POSTSCRIPT_POSTSCRIPT_H
#define RF_POSTSCRIPT_POSTSCRIPT_H

#include "worker/frame.h"

/* Load libgs, where it is there. */
const char *rf_postscript_start(void);
void rf_postscript_answer(const struct rf_ask *ask, struct rf_answer *to);

#endif
