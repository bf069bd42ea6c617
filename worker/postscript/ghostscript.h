/* Ghostscript, which is loaded where it is installed and never linked: its licence is the AGPL, and
 * whoever builds or ships refract need not have it. The few functions of its API that are used are
 * declared in ghostscript.c, as its documentation has them. */
#ifndef RF_POSTSCRIPT_GHOSTSCRIPT_H
#define RF_POSTSCRIPT_GHOSTSCRIPT_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>

/* Load it; false where it is not there. */
bool rf_ghostscript_load(void);
bool rf_ghostscript_is_here(void);

struct rf_printed {
    struct rf_str pdf; /* in memory that the next run takes back */
    char broken[128];  /* the error at which the program stopped after some pages; mostly empty */
};

/* Run the program and print what it prints to a PDF. Fails with RF_EFORMAT where it stops before
 * anything is printed, and with RF_ELIMIT where it needs too much memory. One that does not end
 * ends the worker. */
RF_MUST enum rf_code rf_ghostscript_print(struct rf_str program, struct rf_printed *out,
                                          struct rf_err *err);

#endif
