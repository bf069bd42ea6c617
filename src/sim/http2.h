/* HTTP/2 without TLS, as clients speak it who know that a server does: the simulator's other door.
 * One connection is one thread with as many exchanges as the client likes. */
#ifndef RF_SIM_HTTP2_H
#define RF_SIM_HTTP2_H

#include "sim/exchange.h"

/* The first bytes of a client that speaks it. */
#define RF_HTTP2_BEGINS "PRI "

/* Serve until the client goes, is idle for `idle_ms`, or something can be read from `stop`. Closes
 * `fd`. */
void rf_http2_serve(struct rf_sim *sim, struct rf_sim_bodies *bodies, int fd, int stop,
                    int idle_ms);

#endif
