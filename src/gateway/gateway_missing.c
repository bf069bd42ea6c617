/* Instead of this room where refract is built without libmicrohttpd. */
#include "base/error.h"

#include <refract/gateway.h>

enum rf_code rf_gateway_serve(const struct rf_gateway_options *o, struct rf_err *err)
{
    (void)o;
    rf_fail(err, RF_ECONFIG, "this refract was built without libmicrohttpd, and cannot serve");
    rf_hint(err, "Build it with libmicrohttpd (Debian: libmicrohttpd-dev).");
    return RF_ECONFIG;
}
