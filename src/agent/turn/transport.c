#include "agent/turn/transport.h"

#include "base/arena.h"
#include "base/buf.h"
#include "net/endpoint.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#define MOST_REFUSAL ((size_t)1 << 20)

struct rf_transport *rf_transport_new(void)
{
    struct rf_transport *t = calloc(1, sizeof *t);
    if (!t)
        RF_NO_MEMORY();
    return t;
}

void rf_transport_free(struct rf_transport *t)
{
    if (!t)
        return;
    rf_net_free(t->net);
    free(t);
}

/* The model in this process */

static enum rf_code check_offline(const struct rf_transport *t, struct rf_err *err)
{
    if (t->offline.answer)
        return RF_OK;
    rf_fail(err, RF_ECONFIG, "this program has no model \"offline\"");
    rf_hint(err, "Ask another one, or give the agent the one of librefract-sim.");
    return RF_ECONFIG;
}

/* False where it was told to stop meanwhile. */
static bool wait_ms(int cancel_fd, int64_t ms)
{
    struct pollfd p = { .fd = cancel_fd, .events = POLLIN };
    int timeout = ms > INT32_MAX ? INT32_MAX : (int)(ms > 0 ? ms : 0);
    int got;
    do
        got = poll(&p, 1, timeout);
    while (got < 0 && errno == EINTR);
    return got <= 0;
}

static enum rf_code cancelled(struct rf_err *err)
{
    return rf_fail(err, RF_EINTERRUPTED, "stopped while the model was answering");
}

struct taking {
    const struct rf_sending *s;
    struct rf_buf refusal;
    int status;
    enum rf_code rc;
    struct rf_err *err;
};

static bool take(void *to, int status, struct rf_str bytes, int64_t delay_ms)
{
    struct taking *t = to;
    if (t->rc)
        return false;
    t->status = status;
    if (!wait_ms(t->s->cancel_fd, delay_ms))
        t->rc = cancelled(t->err);
    else if (status != 200)
        rf_buf_add(&t->refusal, bytes);
    else if (!t->s->bytes(t->s->ctx, bytes))
        t->rc = rf_fail(t->err, RF_ELIMIT, "the answer was not taken to its end");
    return !t->rc;
}

static enum rf_code ask_offline(const struct rf_transport *t, const struct rf_sending *s,
                                struct rf_arena *a, struct rf_sent *out, struct rf_err *err)
{
    struct taking to = { .s = s, .err = err };
    struct rf_offline_call call = rf_offline_call_of(s->model, a);
    enum rf_code rc = check_offline(t, err);
    call.reply = take;
    call.to = &to;
    call.stop_fd = s->cancel_fd;
    if (!rc)
        rc = rf_rope_flatten(s->body, RF_OFFLINE_MOST, a, &call.body, err);
    if (rc)
        return rc;
    if (!wait_ms(s->cancel_fd, 0))
        return cancelled(err);
    rf_buf_init(&to.refusal, a, MOST_REFUSAL);
    t->offline.answer(t->offline.ctx, &call);
    *out = (struct rf_sent){ .status = to.status, .tries = 1 };
    if (to.rc)
        return to.rc;
    if (!to.status)
        return rf_fail(err, RF_EPROVIDER, "the model \"offline\" did not answer");
    if (to.status != 200)
        s->refusal(s->model, to.status, (struct rf_str){ to.refusal.p, to.refusal.n }, a,
                   &out->refusal);
    return RF_OK;
}

enum rf_code rf_transport_check(const struct rf_transport *t, const struct rf_config *c,
                                const struct rf_model *m, struct rf_arena *a, struct rf_err *err)
{
    if (t->send)
        return RF_OK;
    return rf_offline_is(m) ? check_offline(t, err) : rf_endpoint_check(c, m, a, err);
}

static struct rf_net *net_of(struct rf_transport *t)
{
    if (!t->net)
        t->net = rf_net_new();
    return t->net;
}

enum rf_code rf_transport_describe(struct rf_transport *t, const struct rf_config *c,
                                   struct rf_model *m, enum rf_describe_when when, int cancel_fd,
                                   struct rf_err *err)
{
    return t->send || rf_offline_is(m) ? RF_OK
                                       : rf_describe_now(net_of(t), c, m, when, cancel_fd, err);
}

void rf_transport_prepare(struct rf_transport *t, const struct rf_model *m)
{
    if (!t->send && !rf_offline_is(m))
        rf_net_prepare(net_of(t));
}

enum rf_code rf_transport_send(struct rf_transport *t, const struct rf_sending *s,
                               struct rf_arena *a, struct rf_sent *out, struct rf_err *err)
{
    if (t->send)
        return t->send(t->ctx, s, a, out, err);
    if (rf_offline_is(s->model))
        return ask_offline(t, s, a, out, err);
    return rf_net_send(net_of(t), s, a, out, err);
}
