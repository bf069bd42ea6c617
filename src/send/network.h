/* The inside of struct rf_network. */
#ifndef RF_SEND_NETWORK_H
#define RF_SEND_NETWORK_H

#include "net/net.h"

#include <refract/send.h>

struct rf_network {
    struct rf_net *net;
};

#endif
