/* The inside of struct rf_network. */
#ifndef RF_SEND_NETWORK_H
#define RF_SEND_NETWORK_H

#include "net/net.h"

#include <refract/send.h>

struct rf_network {
    struct rf_net *net;
};

/* What an exchange cannot be without. Fails with RF_EUSAGE, naming what is missing. */
RF_MUST enum rf_code rf_send_check(const struct rf_model *m, const struct rf_request *r,
                                   struct rf_err *err);

#endif
