/* UTF-8, checked once at the edge: overlong forms, surrogates and values past U+10FFFF are
 * refused. */
#ifndef RF_BASE_UTF8_H
#define RF_BASE_UTF8_H

#include "base/str.h"

/* Characters of valid text. */
int64_t rf_utf8_count(struct rf_str s);
/* Bytes before the character of that number, counted from 0; all where there are fewer. */
size_t rf_utf8_offset(struct rf_str s, int64_t character);
/* Bytes of the valid character at `p` (1 to 4), or 0 when there is none in the `n` bytes there. */
unsigned rf_utf8_char(const unsigned char *p, size_t n);

/* Bytes from the front that are whole valid characters. */
size_t rf_utf8_valid(struct rf_str s);

/* Could the `n` bytes at `p` be the beginning of a character that goes on after them? */
bool rf_utf8_partial(const unsigned char *p, size_t n);

/* Write the character `c`; returns its length. `c` must be a valid one. */
unsigned rf_utf8_put(uint32_t c, char out[4]);

/* The first characters of `s` that fit in `max` bytes. */
struct rf_str rf_utf8_cut(struct rf_str s, size_t max);

/* Bytes of a text that may begin and end within a character: its whole characters, in at most
 * `max` bytes, but one at least. `s` has RF_UTF8_SLACK bytes more than `max`, or ends where the
 * text does. */
struct rf_str rf_utf8_inner(struct rf_str s, size_t max);
#define RF_UTF8_SLACK ((size_t)8)

#endif
