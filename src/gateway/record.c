#include "gateway/gateway.h"

#include "base/arena.h"

void rf_record_keep(struct rf_gateway_loop *l, const struct rf_record *r)
{
    struct rf_arena *a;
    if (r->probe)
        return;
    a = rf_arena_new();
    rf_metrics_count(&l->metrics, r);
    rf_traces_add(&l->gateway->traces, r, a);
    rf_log_add(&l->gateway->log, rf_log_line(r, a));
    rf_arena_free(a);
}
