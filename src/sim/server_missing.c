/* Built without the headers of libmicrohttpd. */
#include "sim/sim.h"

enum rf_code rf_sim_listen(struct rf_sim *s, int port, struct rf_sim_server **out, int *bound,
                           struct rf_err *err)
{
    (void)s, (void)port, (void)out, (void)bound;
    rf_fail(err, RF_ECONFIG, "this refract was built without servers");
    rf_hint(err,
            "Build it with libmicrohttpd (Debian: libmicrohttpd-dev); the model \"offline\" works "
            "without.");
    return RF_ECONFIG;
}

void rf_sim_close(struct rf_sim_server *server)
{
    (void)server;
}
