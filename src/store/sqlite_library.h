/* SQLite, loaded with dlopen where a store is opened: whoever keeps nothing, or keeps it elsewhere,
 * starts without it, and what is loaded later is not searched for in it.
 *
 * The names are those of SQLite without their sqlite3_. */
#ifndef RF_STORE_SQLITE_LIBRARY_H
#define RF_STORE_SQLITE_LIBRARY_H

#include "base/error.h"

#include <sqlite3.h>

struct rf_sqlite {
    __typeof__(sqlite3_bind_int64) *bind_int64;
    __typeof__(sqlite3_bind_null) *bind_null;
    __typeof__(sqlite3_bind_parameter_count) *bind_parameter_count;
    __typeof__(sqlite3_bind_parameter_name) *bind_parameter_name;
    __typeof__(sqlite3_bind_text64) *bind_text64;
    __typeof__(sqlite3_busy_timeout) *busy_timeout;
    __typeof__(sqlite3_changes64) *changes64;
    __typeof__(sqlite3_clear_bindings) *clear_bindings;
    __typeof__(sqlite3_close) *close;
    __typeof__(sqlite3_column_bytes) *column_bytes;
    __typeof__(sqlite3_column_count) *column_count;
    __typeof__(sqlite3_column_int64) *column_int64;
    __typeof__(sqlite3_column_text) *column_text;
    __typeof__(sqlite3_column_type) *column_type;
    __typeof__(sqlite3_db_config) *db_config;
    __typeof__(sqlite3_db_readonly) *db_readonly;
    __typeof__(sqlite3_errmsg) *errmsg;
    __typeof__(sqlite3_exec) *exec;
    __typeof__(sqlite3_extended_errcode) *extended_errcode;
    __typeof__(sqlite3_finalize) *finalize;
    __typeof__(sqlite3_get_autocommit) *get_autocommit;
    __typeof__(sqlite3_open_v2) *open_v2;
    __typeof__(sqlite3_prepare_v3) *prepare_v3;
    __typeof__(sqlite3_reset) *reset;
    __typeof__(sqlite3_sql) *sql;
    __typeof__(sqlite3_step) *step;
    __typeof__(sqlite3_system_errno) *system_errno;
};

/* Filled by rf_sqlite_load, once; then it does not change. */
extern struct rf_sqlite rf_sqlite;

/* Fails with RF_ECONFIG where there is no SQLite, or one that is too old. */
RF_MUST enum rf_code rf_sqlite_load(struct rf_err *err);

#endif
