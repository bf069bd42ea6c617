/* A postgres:// address: what of it may be shown, what must not be, and whether it leads to another
 * machine.
 *
 * A password goes to another machine encrypted or not at all: there `sslmode` is at least
 * "require", whoever says less. The address, the environment (PGHOST, PGSSLMODE, PGSERVICE) and the
 * service file all have a say in that; libpq puts them together, and is asked what came of it.
 *
 * libpq's own words can have pieces of a password in them, above all when its '@' or '/' was not
 * written as %40 or %2F and a piece was taken for a host or a port. So the words are shown only
 * where no piece of what could be a password is found in them. */
#ifndef RF_STORE_POSTGRES_ADDRESS_H
#define RF_STORE_POSTGRES_ADDRESS_H

#include "base/error.h"
#include "base/str.h"

struct rf_arena;

struct rf_pg_address {
    const char *url;
    const char *options;   /* of the address, or "" */
    const char *sslmode;   /* for another machine: at least "require"; NULL: as libpq finds it */
    struct rf_str shown;   /* host and database alone */
    struct rf_str secrets; /* pieces of passwords, each with a NUL after it */
};

/* Fails with RF_ECONFIG where libpq does not understand it, and where it leads to another
 * machine with an `sslmode` that somebody set to less than "require". No connection is made.
 * Everything lives in `a`; rf_pq_load must have been called. */
RF_MUST enum rf_code rf_pg_address_read(const char *url, struct rf_arena *a,
                                        struct rf_pg_address *out, struct rf_err *err);

/* The first line of what the server or libpq says, written to `out`, or why it is not shown. */
const char *rf_pg_address_words(const struct rf_pg_address *address, const char *words, char *out,
                                size_t size);

#endif
