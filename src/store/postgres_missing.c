/* Instead of postgres.c where refract is built without the headers of libpq. */
#include "store/sql.h"

enum rf_code rf_postgres_open(const char *url, struct rf_sql **out, struct rf_err *err)
{
    (void)url, (void)out;
    rf_fail(err, RF_ECONFIG, "this refract was built without PostgreSQL");
    rf_hint(err, "Name a folder for the store, or build refract with the package libpq-dev.");
    return RF_ECONFIG;
}
