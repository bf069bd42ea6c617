/* A shared library that is loaded with dlopen at its first use, so that a program which never needs
 * it starts without it, and runs where it is not installed.
 *
 *     static const struct rf_symbol symbols[] = { { "PQexec", offsetof(struct rf_pq, exec) }, … };
 *     static struct rf_library library = { { "libpq.so.5" }, … };
 *     enum rf_code rc = rf_library_load(&library, err);
 */
#ifndef RF_BASE_LIBRARY_H
#define RF_BASE_LIBRARY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct rf_symbol {
    const char *name;
    size_t at; /* in the struct of pointers */
};

struct rf_library {
    const char *files[2]; /* the first one that is there */
    const struct rf_symbol *symbols;
    size_t count;
    void *functions;      /* a struct of pointers to functions, which is filled once */
    bool (*set_up)(void); /* called once after that, or NULL; false: it does not work */
    const char *what;     /* "libcurl, which talks to the network" */
    const char *hint;
    enum rf_reason reason;
    enum rf_code code; /* to fail with */
    bool tried;
    char missing[200]; /* why it cannot be used; "" when it can */
};

/* Load it where that was not tried yet. Fails with its code, saying what cannot be loaded and
 * why. */
RF_MUST enum rf_code rf_library_load(struct rf_library *l, struct rf_err *err);

#endif
