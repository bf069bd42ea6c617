#include "store/sqlite_library.h"

#include "base/library.h"

struct rf_sqlite rf_sqlite;

static const struct rf_symbol symbols[] = {
    { "sqlite3_bind_int64", offsetof(struct rf_sqlite, bind_int64) },
    { "sqlite3_bind_null", offsetof(struct rf_sqlite, bind_null) },
    { "sqlite3_bind_parameter_count", offsetof(struct rf_sqlite, bind_parameter_count) },
    { "sqlite3_bind_parameter_name", offsetof(struct rf_sqlite, bind_parameter_name) },
    { "sqlite3_bind_text64", offsetof(struct rf_sqlite, bind_text64) },
    { "sqlite3_busy_timeout", offsetof(struct rf_sqlite, busy_timeout) },
    { "sqlite3_changes64", offsetof(struct rf_sqlite, changes64) },
    { "sqlite3_clear_bindings", offsetof(struct rf_sqlite, clear_bindings) },
    { "sqlite3_close", offsetof(struct rf_sqlite, close) },
    { "sqlite3_column_bytes", offsetof(struct rf_sqlite, column_bytes) },
    { "sqlite3_column_count", offsetof(struct rf_sqlite, column_count) },
    { "sqlite3_column_int64", offsetof(struct rf_sqlite, column_int64) },
    { "sqlite3_column_text", offsetof(struct rf_sqlite, column_text) },
    { "sqlite3_column_type", offsetof(struct rf_sqlite, column_type) },
    { "sqlite3_db_config", offsetof(struct rf_sqlite, db_config) },
    { "sqlite3_db_readonly", offsetof(struct rf_sqlite, db_readonly) },
    { "sqlite3_errmsg", offsetof(struct rf_sqlite, errmsg) },
    { "sqlite3_exec", offsetof(struct rf_sqlite, exec) },
    { "sqlite3_extended_errcode", offsetof(struct rf_sqlite, extended_errcode) },
    { "sqlite3_finalize", offsetof(struct rf_sqlite, finalize) },
    { "sqlite3_get_autocommit", offsetof(struct rf_sqlite, get_autocommit) },
    { "sqlite3_open_v2", offsetof(struct rf_sqlite, open_v2) },
    { "sqlite3_prepare_v3", offsetof(struct rf_sqlite, prepare_v3) },
    { "sqlite3_reset", offsetof(struct rf_sqlite, reset) },
    { "sqlite3_sql", offsetof(struct rf_sqlite, sql) },
    { "sqlite3_step", offsetof(struct rf_sqlite, step) },
    { "sqlite3_system_errno", offsetof(struct rf_sqlite, system_errno) },
};

static struct rf_library library = {
    .files = { "libsqlite3.so.0" },
    .symbols = symbols,
    .count = sizeof symbols / sizeof *symbols,
    .functions = &rf_sqlite,
    .what = "SQLite, which keeps sessions",
    .hint = "Install SQLite (Debian: libsqlite3-0).",
    .reason = RF_REASON_NO_STORE,
    .code = RF_ECONFIG,
};

enum rf_code rf_sqlite_load(struct rf_err *err)
{
    return rf_library_load(&library, err);
}
