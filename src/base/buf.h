/* A growing piece of text with a cap. Appends return nothing: the first one that would pass the
 * cap makes the buffer fail for good, and rf_buf_finish says so.
 *
 *     struct rf_buf b;
 *     rf_buf_init(&b, a, 4096);
 *     rf_buf_addf(&b, "%d files", n);
 *     rc = rf_buf_finish(&b, &text, err);
 */
#ifndef RF_BASE_BUF_H
#define RF_BASE_BUF_H

#include "base/error.h"
#include "base/str.h"

struct rf_buf {
    struct rf_arena *arena;
    char *p;
    size_t n, cap, max;
    bool full; /* an append was refused */
};

void rf_buf_init(struct rf_buf *b, struct rf_arena *a, size_t max);
void rf_buf_add(struct rf_buf *b, struct rf_str s);
void rf_buf_addc(struct rf_buf *b, char c);
__attribute__((format(printf, 2, 3))) void rf_buf_addf(struct rf_buf *b, const char *fmt, ...);
/* What was gathered, with a NUL after it; it lives in the arena. Fails with RF_ELIMIT. */
enum rf_code rf_buf_finish(struct rf_buf *b, struct rf_str *out, struct rf_err *err);

#endif
