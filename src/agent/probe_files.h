/* Files that carry a code which only somebody who sees or hears can tell: it is drawn or
 * sounded, and stands in no name and in no text. All live in `a`. */
#ifndef RF_AGENT_PROBE_FILES_H
#define RF_AGENT_PROBE_FILES_H

#include "base/str.h"

struct rf_arena;

#define RF_PROBE_DIGITS 6

/* A fresh code: digits. */
void rf_probing_code(char code[RF_PROBE_DIGITS + 1]);

/* PNG: the digits in black on white. */
struct rf_str rf_probing_picture(const char *code, struct rf_arena *a);
/* PDF: a page on which the shapes of the digits are drawn, without fonts and without text. */
struct rf_str rf_probing_pdf(const char *code, struct rf_arena *a);
/* WAV: the tones that a telephone's keys make, one a digit. */
struct rf_str rf_probing_sound(const char *code, struct rf_arena *a);

#endif
