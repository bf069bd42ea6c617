#include "base/num.h"

#include "base/arena.h"

struct rf_str rf_num_text(uint64_t n, char room[RF_NUM_ROOM])
{
    char *end = room + RF_NUM_ROOM, *at = end;
    do
        *--at = (char)('0' + n % 10);
    while (n /= 10);
    return (struct rf_str){ at, (size_t)(end - at) };
}

struct rf_str rf_with_commas(uint64_t n, struct rf_arena *a)
{
    char digits[32];
    size_t at = sizeof digits, group = 0;
    do {
        if (group && group % 3 == 0)
            digits[--at] = ',';
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
        group++;
    } while (n);
    return rf_str_dup(a, (struct rf_str){ digits + at, sizeof digits - at });
}
