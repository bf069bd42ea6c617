/* Files in memory, for a library that writes temporary ones and a process that cannot. */
#ifndef RF_POSTSCRIPT_SCRATCH_H
#define RF_POSTSCRIPT_SCRATCH_H

#include <stddef.h>
#include <stdio.h>

struct rf_scratch {
    char *p;
    size_t n, cap, at;
};

/* A stream over `s`, which stays after it is closed. NULL where there is no memory. */
FILE *rf_scratch_open(struct rf_scratch *s);
void rf_scratch_reset(struct rf_scratch *s);

#endif
