/* The bytes of clients' bodies that the gateway holds, all loops together.
 *
 *     if (!rf_budget_has(&b, length, most)) …refuse the request, before it is read
 *     if (!rf_budget_take(&b, piece, most)) …refuse it all the same: others were faster
 *     rf_budget_give(&b, length);  when its body is freed
 *
 * Only what has come is taken: who tells a length and sends nothing takes nothing from others. */
#ifndef RF_GATEWAY_BUDGET_H
#define RF_GATEWAY_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rf_budget {
    _Atomic uint64_t used;
};

/* Is there so much left now? */
static inline bool rf_budget_has(const struct rf_budget *b, uint64_t bytes, uint64_t most)
{
    return bytes <= most && b->used <= most - bytes;
}

/* False, and nothing is taken, where all together would then be more than `most`. */
static inline bool rf_budget_take(struct rf_budget *b, uint64_t bytes, uint64_t most)
{
    uint64_t used = b->used;
    do
        if (bytes > most || used > most - bytes)
            return false;
    while (!atomic_compare_exchange_weak(&b->used, &used, used + bytes));
    return true;
}

static inline void rf_budget_give(struct rf_budget *b, uint64_t bytes)
{
    b->used -= bytes;
}

#endif
