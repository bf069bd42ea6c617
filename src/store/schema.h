/* The tables of a store, the same in every engine, and the way to them from older versions.
 *
 * Migrations go forward only: step n leads from version n to n + 1, in one transaction with the new
 * version number. A store of a newer version than this program knows is left alone.
 */
#ifndef RF_STORE_SCHEMA_H
#define RF_STORE_SCHEMA_H

#include "store/sql.h"

#define RF_SCHEMA_VERSION 6

/* The version of the tables; 0 where the database is empty. Fails as rf_schema_ready does. */
RF_MUST enum rf_code rf_schema_look(struct rf_sql *sql, int64_t *version, struct rf_err *err);
/* Make the tables, or bring them up to date. Fails with RF_ECONFIG where the store is newer, and
 * with RF_EFORMAT where the database is not a store of ours. */
RF_MUST enum rf_code rf_schema_ready(struct rf_sql *sql, struct rf_err *err);
/* The same up to an older version: for tests of migrations. */
RF_MUST enum rf_code rf_schema_make(struct rf_sql *sql, int64_t version, struct rf_err *err);

/* From one version to the next: statements, which NULL ends. Version 1 has the table store_meta,
 * so the first step makes it. */
struct rf_schema_step {
    const char *const *statements;
};
/* The same with other steps, `version` of them: for tests of what does the steps. */
RF_MUST enum rf_code rf_schema_follow(struct rf_sql *sql, const struct rf_schema_step *steps,
                                      int64_t version, struct rf_err *err);

#endif
