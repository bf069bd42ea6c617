/* Built without the headers of libmicrohttpd. */
#include "base/error.h"

#include <refract/mcp.h>

enum rf_code rf_mcp_serve_http(struct rf_mcp_server *server, const struct rf_mcp_http_options *o,
                               struct rf_err *err)
{
    (void)server, (void)o;
    rf_fail(err, RF_ECONFIG, "this refract was built without servers");
    rf_hint(err, "Build it with libmicrohttpd (Debian: libmicrohttpd-dev); standard input and "
                 "output work without.");
    return RF_ECONFIG;
}
