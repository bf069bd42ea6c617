/* Instead of multi.c where refract is built without the headers of libcurl. */
#include "net/inside.h"

void rf_multi_free(struct rf_multi *m)
{
    (void)m;
}

void rf_net_prepare(struct rf_net *n)
{
    (void)n;
}

enum rf_code rf_net_start(struct rf_net *n, const struct rf_net_call *call, struct rf_arena *a,
                          struct rf_net_reply *reply, struct rf_transfer **out, struct rf_err *err)
{
    (void)n, (void)call, (void)a, (void)out;
    *reply = (struct rf_net_reply){ .retry_after_ms = -1 };
    rf_fail(err, RF_ECONFIG,
            "this refract was built without libcurl, and cannot reach the network");
    rf_hint(err, "Build it with the package libcurl4-openssl-dev; the model \"offline\" needs no "
                 "network.");
    return RF_ECONFIG;
}

void rf_net_pause(struct rf_transfer *t)
{
    (void)t;
}

void rf_net_resume(struct rf_transfer *t)
{
    (void)t;
}

void rf_net_cancel(struct rf_transfer *t)
{
    (void)t;
}
