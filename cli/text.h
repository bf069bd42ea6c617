/* Text for people: how wide it is, where it breaks, how large and how long ago something is.
 *
 * Everything printed here is cleaned as rf_print_text does it. */
#ifndef RF_CLI_TEXT_H
#define RF_CLI_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <refract/str.h>

/* Columns of the terminal that standard output is; of COLUMNS, or 80, where it is none. */
int rf_text_columns(void);

/* A copy for free(), with a NUL after it. */
char *rf_text_copy(struct rf_str s);

/* Is it one web address, and nothing else? */
bool rf_text_is_address(struct rf_str s);

/* Cells that a text takes on a terminal. */
int rf_text_cells(struct rf_str s);

/* At most `cells` of it, the last one "…" where it is cut. Returns the cells that were used. */
int rf_print_cut(FILE *out, struct rf_str s, int cells);

/* The text in lines of at most `width` cells with `indent` spaces before them, broken at spaces
 * where there are some. At most `most` lines, then one that says how many are missing; 0: all. */
void rf_print_wrapped(FILE *out, struct rf_str s, int indent, int width, size_t most);

/* A name, and beside it, from `column` on, what it is, broken to `width`; below it where there
 * is no room beside. */
void rf_print_beside(FILE *out, const char *name, struct rf_str text, int column, int width);

/* "3,400"; "812 B", "412 KB", "2.6 MB"; "now", "5 min", "3 h", "12 days", "2025-11-15";
 * "2025-11-15 10:06"; and for programs "2025-11-15T10:06:46.123Z". */
#define RF_SHORT_TEXT 32
const char *rf_number_text(int64_t n, char out[RF_SHORT_TEXT]);
const char *rf_size_text(int64_t bytes, char out[RF_SHORT_TEXT]);
const char *rf_age_text(int64_t ms, char out[RF_SHORT_TEXT]);
const char *rf_time_text(int64_t ms, char out[RF_SHORT_TEXT]);
const char *rf_time_json(int64_t ms, char out[RF_SHORT_TEXT]);

/* A copy with the MIME types in it as people call them ("PNG image"); to be freed. */
char *rf_text_types(struct rf_str text);

/* How a file was sent, by the names of its delivery and its form, and as what; the last two may
 * be empty: "native as PNG image", "converted to frames, after the results", "text as extracted
 * text and a note", "not sent". */
#define RF_SENT_WORDS 256
const char *rf_sent_words(struct rf_str delivery, struct rf_str form, struct rf_str as,
                          char out[RF_SENT_WORDS]);
/* Tokens of a window, in percent as people are told. */
int rf_percent(int64_t used, int64_t window);

#endif
