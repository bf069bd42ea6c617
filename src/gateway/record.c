#include "gateway/gateway.h"

#include "base/arena.h"
#include "base/clock.h"
#include "content/reply.h"

const char *rf_record_error_name(enum rf_error_kind error, unsigned attempts)
{
    return error == RF_FAULT_INVALID && !attempts ? "invalid" : rf_error_kind_name(error);
}

struct rf_str rf_record_operation(const struct rf_record *r)
{
    return r->counts ? RF_STR("count") : r->path;
}

void rf_record_keep(struct rf_gateway_loop *l, const struct rf_record *r)
{
    struct rf_arena *a;
    if (r->probe && !r->error)
        return;
    a = rf_arena_new();
    rf_metrics_count(&l->metrics, r);
    rf_traces_add(&l->gateway->traces, r, a);
    rf_log_add(&l->gateway->log, rf_log_line(r, a));
    rf_arena_free(a);
}

void rf_record_keep_refusal(struct rf_gateway_loop *l, struct rf_str path, int status,
                            struct rf_str why)
{
    struct rf_record r = { .path = path,
                           .status = status,
                           .error = RF_FAULT_INVALID,
                           .refused = why,
                           .usage = rf_no_usage,
                           .cost_micros = -1,
                           .began_ms = rf_epoch_ms(),
                           .began_us = rf_now_us() };
    r.ended_us = r.began_us;
    rf_exchange_make_id(l, r.id);
    rf_record_keep(l, &r);
}
