/* Bytes on their way to a terminal or a file: they grow as they are added, and go out in one write.
 *
 *     struct rf_buffer b = { 0 };
 *     rf_buffer_add(&b, "text", 4);
 *     rf_buffer_release(&b);
 *
 * Out of memory aborts, as everywhere.
 */
#ifndef RF_CLI_TERM_BUFFER_H
#define RF_CLI_TERM_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include <refract/str.h>

struct rf_buffer {
    char *p;
    size_t n, cap;
};

void rf_buffer_add(struct rf_buffer *b, const void *p, size_t n);
void rf_buffer_str(struct rf_buffer *b, struct rf_str s);
void rf_buffer_text(struct rf_buffer *b, const char *s);
void rf_buffer_fill(struct rf_buffer *b, char c, size_t n);
__attribute__((format(printf, 2, 3))) void rf_buffer_print(struct rf_buffer *b, const char *fmt,
                                                           ...);
struct rf_str rf_buffer_view(const struct rf_buffer *b);
void rf_buffer_reset(struct rf_buffer *b);   /* keeps the memory, up to a megabyte of it */
void rf_buffer_release(struct rf_buffer *b); /* may be used again after it */

#endif
