/* Rows of which little is wanted. */
#include "store/sql.h"

enum rf_code rf_sql_saw_row(void *ctx, const struct rf_sql_value *columns, size_t count,
                            struct rf_err *err)
{
    (void)columns, (void)count, (void)err;
    *(bool *)ctx = true;
    return RF_OK;
}

enum rf_code rf_sql_take_number(void *ctx, const struct rf_sql_value *columns, size_t count,
                                struct rf_err *err)
{
    (void)count, (void)err;
    *(int64_t *)ctx = columns[0].number;
    return RF_OK;
}
