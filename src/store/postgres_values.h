/* Values of sql.h as PostgreSQL has them on the wire: all in binary, there and back. */
#ifndef RF_STORE_POSTGRES_VALUES_H
#define RF_STORE_POSTGRES_VALUES_H

#include "store/postgres_library.h"
#include "store/sql.h"

#define RF_PG_MOST_VALUES 32

/* The values of a statement as libpq takes them. Texts are borrowed. */
struct rf_pg_values {
    int count;
    Oid types[RF_PG_MOST_VALUES];
    const char *values[RF_PG_MOST_VALUES];
    int lengths[RF_PG_MOST_VALUES], formats[RF_PG_MOST_VALUES];
    unsigned char numbers[RF_PG_MOST_VALUES][8];
};

/* Fails with RF_EFORMAT for a text that is not UTF-8 without NUL, and with RF_ELIMIT for one that
 * is too long. */
RF_MUST enum rf_code rf_pg_bind(const struct rf_sql_value *values, size_t count,
                                struct rf_pg_values *out, struct rf_err *err);
/* A column of the only row of a result. Fails with RF_EFORMAT for a type that no statement of ours
 * asks for. */
RF_MUST enum rf_code rf_pg_column(const PGresult *r, int at, struct rf_sql_value *out,
                                  struct rf_err *err);

#endif
