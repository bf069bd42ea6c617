/* An address to listen on, as it is written: "HOST:PORT", "[HOST]:PORT", a PORT of 127.0.0.1; or
 * "fd:3" and "fd:3-5", descriptors of sockets that listen already.
 *
 *     rf_listen_address_read("[::1]:8484", &address, &err);
 *
 * Whether there is such a host, and whether it can be listened on, is found out when that is tried. */
#ifndef RF_BASE_LISTEN_ADDRESS_H
#define RF_BASE_LISTEN_ADDRESS_H

#include "base/error.h"
#include "base/str.h"

#include <stdint.h>

#define RF_LISTEN_MOST 16 /* sockets */

struct rf_listen_address {
    char host[256]; /* without brackets */
    uint16_t port;
    int first; /* descriptor */
    int count; /* of descriptors; 0: host and port count */
};

/* Fails with RF_EUSAGE where that is not one. */
RF_MUST enum rf_code rf_listen_address_read(struct rf_str text, struct rf_listen_address *out,
                                            struct rf_err *err);

#endif
