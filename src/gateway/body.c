/* The body of a client's request, in one piece: what it is read from, in place, until the exchange
 * is over. */
#include "gateway/gateway.h"

#include "base/arena.h"
#include "config/config.h"

#include <inttypes.h>
#include <stdlib.h>

#define RETRY_MS 1000 /* where too many bytes are under way: those of others go within seconds */

uint64_t rf_body_most(const struct rf_gateway_exchange *x)
{
    return (uint64_t)rf_config_serve_number(x->setup->config, RF_SERVE_MAX_BODY);
}

static uint64_t most_together(const struct rf_gateway_exchange *x)
{
    return (uint64_t)rf_config_serve_number(x->setup->config, RF_SERVE_MAX_IN_FLIGHT);
}

/* That its body, or what has come of it, is one too many at this time. */
static void refuse(struct rf_gateway_exchange *x)
{
    struct rf_str why =
        rf_strf(x->translation.arena,
                "the gateway has too many requests under way to take this one: their bodies may "
                "have %" PRIu64 " bytes together (\"max_in_flight\"); try again",
                most_together(x));
    const struct rf_fault f = {
        .kind = RF_ERROR_RATE_LIMIT, .status = 429, .words = why, .retry_after_ms = RETRY_MS
    };
    rf_gateway_refuse(x, &f);
    rf_body_drop(x);
}

static bool may_hold(struct rf_gateway_exchange *x, uint64_t bytes)
{
    if (!rf_budget_take(&x->loop->gateway->budget, bytes, most_together(x)))
        return false;
    x->budgeted += bytes;
    return true;
}

/* What is told to be longer than a body may be is refused with that, not for want of room. */
static uint64_t told_length(const struct rf_gateway_exchange *x)
{
    struct rf_str length = rf_str(rf_httpd_header(x->request, "Content-Length"));
    int64_t told;
    bool fits = rf_str_int64(length, &told) && (uint64_t)told <= x->request->max_body;
    return fits ? (uint64_t)told : 0;
}

void rf_body_expect(struct rf_gateway_exchange *x)
{
    if (!rf_budget_has(&x->loop->gateway->budget, told_length(x), most_together(x)))
        refuse(x);
}

/* All of it at once, where its length is told. The system gives memory when it is written to. */
static void make_whole_room(struct rf_gateway_exchange *x)
{
    size_t whole = x->room ? 0 : (size_t)told_length(x);
    if (whole)
        x->body = rf_reuse_take(&x->loop->reuse, whole, &x->room);
}

char *rf_body_room(struct rf_gateway_exchange *x, size_t *n)
{
    make_whole_room(x);
    *n = x->room - x->length;
    return *n ? x->body + x->length : NULL;
}

/* `max_body` has bounded what comes here. */
void rf_body_add(struct rf_gateway_exchange *x, struct rf_str piece)
{
    if (!may_hold(x, piece.n)) {
        refuse(x);
        return;
    }
    make_whole_room(x);
    if (piece.n > x->room - x->length) {
        x->room = 2 * (x->length + piece.n);
        x->body = realloc(x->body, x->room);
    }
    if (!x->body)
        RF_NO_MEMORY();
    if (piece.p != x->body + x->length) /* where it is not read to its place */
        memcpy(x->body + x->length, piece.p, piece.n);
    x->length += piece.n;
}

void rf_body_drop(struct rf_gateway_exchange *x)
{
    rf_budget_give(&x->loop->gateway->budget, x->budgeted);
    x->budgeted = 0;
    rf_reuse_give(&x->loop->reuse, x->body, x->room);
    x->body = NULL;
    x->room = 0;
}
