/* How a request reaches its model and the answer comes back: over the network, or to the model in
 * this process, whichever the provider's row says. Both deliver bytes.
 *
 *     rc = rf_transport_send(t, &sending, arena, &sent, err);
 */
#ifndef RF_AGENT_TRANSPORT_H
#define RF_AGENT_TRANSPORT_H

#include "net/send.h"
#include "send/describe.h"
#include "send/offline.h"

#include <refract/offline.h>

struct rf_net;

struct rf_transport {
    struct rf_net *net; /* made when first needed */
    struct rf_offline offline;
    /* Instead of both, where set: for tests. */
    enum rf_code (*send)(void *ctx, const struct rf_sending *s, struct rf_arena *a,
                         struct rf_sent *out, struct rf_err *err);
    void *ctx;
};

struct rf_transport *rf_transport_new(void);
void rf_transport_free(struct rf_transport *t); /* takes NULL */

/* Is what it takes to reach this model there: its address, its key? Fails with RF_ECONFIG. */
RF_MUST enum rf_code rf_transport_check(const struct rf_transport *t, const struct rf_config *c,
                                        const struct rf_model *m, struct rf_arena *a,
                                        struct rf_err *err);

/* Have the server tell of the model where that is due: send/describe.h. Fails as
 * rf_describe_now. */
RF_MUST enum rf_code rf_transport_describe(struct rf_transport *t, const struct rf_config *c,
                                           struct rf_model *m, enum rf_describe_when when,
                                           int cancel_fd, struct rf_err *err);

/* A request follows soon: see rf_net_prepare. */
void rf_transport_prepare(struct rf_transport *t, const struct rf_model *m);

/* As rf_net_send. */
RF_MUST enum rf_code rf_transport_send(struct rf_transport *t, const struct rf_sending *s,
                                       struct rf_arena *a, struct rf_sent *out, struct rf_err *err);

#endif
