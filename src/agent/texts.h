/* Texts in an arena, in the order in which they were added. */
#ifndef RF_AGENT_TEXTS_H
#define RF_AGENT_TEXTS_H

#include "base/arena.h"
#include "base/str.h"

struct rf_texts {
    struct rf_str *items;
    size_t count, cap;
};

/* A copy at the end. */
static inline void rf_texts_add(struct rf_texts *t, struct rf_str text, struct rf_arena *a)
{
    *RF_PUSH(a, t->items, t->count, t->cap) = rf_str_dup(a, text);
}

static inline bool rf_texts_has(const struct rf_texts *t, struct rf_str text)
{
    for (size_t i = 0; i < t->count; i++)
        if (rf_str_eq(t->items[i], text))
            return true;
    return false;
}

#endif
