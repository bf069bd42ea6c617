#include "base/buf.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>

void rf_buf_init(struct rf_buf *b, struct rf_arena *a, size_t max)
{
    *b = (struct rf_buf){ .arena = a, .max = max };
}

static bool reserve(struct rf_buf *b, size_t more)
{
    if (b->full || more > b->max - b->n) {
        b->full = true;
        return false;
    }
    size_t need = b->n + more + 1; /* a NUL after it */
    if (need > b->cap) {
        size_t cap = b->cap * 2 > need ? b->cap * 2 : need + 64;
        b->p = rf_arena_grow(b->arena, b->p, b->cap, cap);
        b->cap = cap;
    }
    return true;
}

void rf_buf_add(struct rf_buf *b, struct rf_str s)
{
    if (!s.n || !reserve(b, s.n))
        return;
    memcpy(b->p + b->n, s.p, s.n);
    b->n += s.n;
}

void rf_buf_addc(struct rf_buf *b, char c)
{
    rf_buf_add(b, (struct rf_str){ &c, 1 });
}

void rf_buf_addf(struct rf_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        RF_BUG("bad format");
    if (reserve(b, (size_t)n)) {
        vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

enum rf_code rf_buf_finish(struct rf_buf *b, struct rf_str *out, struct rf_err *err)
{
    if (b->full)
        return rf_fail(err, RF_ELIMIT, "text is over the limit of %zu bytes", b->max);
    if (!reserve(b, 0))
        RF_BUG("buffer without room for its end");
    b->p[b->n] = '\0';
    *out = (struct rf_str){ b->p, b->n };
    return RF_OK;
}
