#include "term/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 256
#define MOST_KEPT ((size_t)1 << 20)

static void make_room(struct rf_buffer *b, size_t n)
{
    if (n > SIZE_MAX / 2 - b->n)
        abort();
    if (b->n + n <= b->cap)
        return;
    size_t cap = b->cap ? b->cap : LEAST;
    while (cap < b->n + n)
        cap *= 2;
    char *p = realloc(b->p, cap);
    if (!p)
        abort();
    b->p = p;
    b->cap = cap;
}

void rf_buffer_add(struct rf_buffer *b, const void *p, size_t n)
{
    if (!n)
        return;
    make_room(b, n);
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

void rf_buffer_str(struct rf_buffer *b, struct rf_str s)
{
    rf_buffer_add(b, s.p, s.n);
}

void rf_buffer_text(struct rf_buffer *b, const char *s)
{
    rf_buffer_add(b, s, strlen(s));
}

void rf_buffer_fill(struct rf_buffer *b, char c, size_t n)
{
    if (!n)
        return;
    make_room(b, n);
    memset(b->p + b->n, c, n);
    b->n += n;
}

void rf_buffer_print(struct rf_buffer *b, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0)
        abort();
    make_room(b, (size_t)n + 1);
    va_start(args, fmt);
    vsnprintf(b->p + b->n, (size_t)n + 1, fmt, args);
    va_end(args);
    b->n += (size_t)n;
}

struct rf_str rf_buffer_view(const struct rf_buffer *b)
{
    return (struct rf_str){ b->p ? b->p : "", b->n };
}

void rf_buffer_reset(struct rf_buffer *b)
{
    if (b->cap > MOST_KEPT)
        rf_buffer_release(b);
    b->n = 0;
}

void rf_buffer_release(struct rf_buffer *b)
{
    free(b->p);
    *b = (struct rf_buffer){ 0 };
}
