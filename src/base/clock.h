/* The clock for durations and deadlines: it only goes forward, and says nothing about the date. */
#ifndef RF_BASE_CLOCK_H
#define RF_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t rf_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The same in microseconds. */
static inline int64_t rf_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

#endif
