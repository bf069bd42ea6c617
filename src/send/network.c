#include "send/network.h"

#include "base/json_read.h"
#include "base/loop.h"

#include <stdlib.h>

struct rf_network *rf_network_new(void)
{
    struct rf_network *n = calloc(1, sizeof *n);
    if (!n)
        RF_NO_MEMORY();
    n->net = rf_net_new();
    return n;
}

void rf_network_free(struct rf_network *n)
{
    if (!n)
        return;
    rf_net_free(n->net);
    free(n);
}

int rf_network_fd(const struct rf_network *n)
{
    return rf_loop_fd(rf_net_loop(n->net));
}

int rf_network_timeout_ms(const struct rf_network *n)
{
    return rf_loop_timeout_ms(rf_net_loop(n->net));
}

void rf_network_step(struct rf_network *n)
{
    rf_net_step(n->net);
}

void rf_network_wait(struct rf_network *n, int most_ms)
{
    rf_net_wait(n->net, -1, most_ms);
}

enum rf_code rf_send_check(const struct rf_model *m, const struct rf_request *r, struct rf_err *err)
{
    const struct rf_jpath here = { .field = m ? "request" : "model" };
    return m && r ? RF_OK : rf_fail_at(err, RF_EUSAGE, &here, "the field is missing");
}
