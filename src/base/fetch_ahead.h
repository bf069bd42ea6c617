/* Reading a long text at the speed of memory: a processor fetches ahead by itself, but only within
 * a page. */
#ifndef RF_BASE_FETCH_AHEAD_H
#define RF_BASE_FETCH_AHEAD_H

#include <stddef.h>

#define RF_FETCHED_AHEAD ((size_t)4096) /* a page: half of that and less was slower */

/* Called for each 128 bytes that are looked at, of which `n` are left with those behind them. */
static inline void rf_fetch_ahead(const char *p, size_t n)
{
    if (n < RF_FETCHED_AHEAD + 128)
        return;
    __builtin_prefetch(p + RF_FETCHED_AHEAD);
    __builtin_prefetch(p + RF_FETCHED_AHEAD + 64);
}

#endif
