/* A piece of text or bytes: where it starts and how long it is. It is never trusted to end in NUL
 * and never owned by the struct; whoever hands one out says how long it lives. */
#ifndef REFRACT_STR_H
#define REFRACT_STR_H

#include <stddef.h>

struct rf_str {
    const char *p;
    size_t n;
};

/* A string literal as one. */
#define RF_LIT(literal) ((struct rf_str){ "" literal, sizeof(literal) - 1 })

/* For printf: printf("%.*s", RF_FMT(s)). */
#define RF_FMT(s) ((s).n > 0x7fffffff ? 0x7fffffff : (int)(s).n), ((s).p)

#endif
