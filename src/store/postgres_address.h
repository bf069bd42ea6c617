/* A postgres:// address: what of it may be shown, and what must not be.
 *
 * libpq's own words can have pieces of a password in them, above all when its '@' or '/' was not written
 * as %40 or %2F and a piece was taken for a host or a port. So the words are shown only where no piece
 * of what could be a password is found in them. */
#ifndef RF_STORE_POSTGRES_ADDRESS_H
#define RF_STORE_POSTGRES_ADDRESS_H

#include "base/error.h"
#include "base/str.h"

struct rf_arena;

struct rf_pg_address {
    const char *url;
    const char *options;   /* of the address, or "" */
    struct rf_str shown;   /* host and database alone */
    struct rf_str secrets; /* pieces of passwords, each with a NUL behind it */
};

/* Fails with RF_ECONFIG where libpq does not understand it. Everything lives in `a`; rf_pq_load must
 * have been called. */
RF_MUST enum rf_code rf_pg_address_read(const char *url, struct rf_arena *a,
                                        struct rf_pg_address *out, struct rf_err *err);

/* The first line of what the server or libpq says, written to `out`, or why it is not shown. */
const char *rf_pg_address_words(const struct rf_pg_address *address, const char *words, char *out,
                                size_t size);

#endif
