#include "agent/turn/transport.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "net/endpoint.h"
#include "sim/sim.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#define MOST_SIMULATED ((size_t)200 << 20) /* bytes of a body that the simulator takes */
#define MOST_REFUSAL ((size_t)1 << 20)

struct rf_transport *rf_transport_new(void)
{
    struct rf_transport *t = calloc(1, sizeof *t);
    if (!t)
        RF_BUG("out of memory");
    return t;
}

void rf_transport_free(struct rf_transport *t)
{
    if (!t)
        return;
    rf_net_free(t->net);
    if (t->sim)
        rf_sim_free(t->sim);
    free(t);
}

bool rf_transport_is_simulated(const struct rf_model *m)
{
    const struct rf_provider_row *row = rf_provider_row(m->provider);
    return row && row->base_url && strcmp(row->base_url, "sim:") == 0;
}

/* The simulator */

struct simulated {
    const struct rf_provider_row *row;
    struct rf_arena *arena;
};

/* The headers that the provider's row has. */
static const char *header(void *ctx, const char *name)
{
    struct simulated *s = ctx;
    struct rf_str rest = rf_str(s->row->headers), line, key;
    while (rf_str_split(&rest, '\n', &line))
        if (rf_str_split(&line, ':', &key) && rf_str_ieq(rf_str_trim(key), rf_str(name)))
            return rf_cstr(s->arena, rf_str_trim(line));
    return strcmp(name, "content-type") == 0 ? "application/json" : NULL;
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

static enum rf_code deliver(const struct rf_sending *s, const struct rf_sim_reply *reply,
                            struct rf_arena *a, struct rf_sent *out, struct rf_err *err)
{
    struct rf_buf refusal;
    rf_buf_init(&refusal, a, MOST_REFUSAL);
    for (size_t i = 0; i < reply->count; i++) {
        const struct rf_sim_chunk *c = &reply->chunks[i];
        if (!wait_ms(s->cancel_fd, c->delay_ms))
            return cancelled(err);
        if (reply->status != 200)
            rf_buf_add(&refusal, c->bytes);
        else if (!s->bytes(s->ctx, c->bytes))
            return rf_fail(err, RF_ELIMIT, "the answer was not taken to its end");
    }
    return rf_buf_finish(&refusal, &out->refusal, err);
}

static enum rf_code simulate(struct rf_transport *t, const struct rf_sending *s, struct rf_arena *a,
                             struct rf_sent *out, struct rf_err *err)
{
    const struct rf_sim_options options = { .any_key = true };
    struct simulated ctx = { rf_provider_row(s->model->provider), a };
    const char *path = s->stream && ctx.row->stream_path ? ctx.row->stream_path : ctx.row->path;
    struct rf_sim_call call = {
        .method = "POST",
        .path = rf_strf(a, "/%s%s", ctx.row->provider, path ? path : "").p,
        .header = header,
        .ctx = &ctx,
    };
    struct rf_sim_reply reply = { 0 };
    enum rf_code rc = t->sim ? RF_OK : rf_sim_new(&options, &t->sim, err);
    if (!rc)
        rc = rf_rope_flatten(s->body, MOST_SIMULATED, a, &call.body, err);
    if (rc)
        return rc;
    if (!wait_ms(s->cancel_fd, 0))
        return cancelled(err);
    rf_sim_answer(t->sim, &call, a, &reply);
    *out = (struct rf_sent){ .status = reply.status, .tries = 1 };
    return deliver(s, &reply, a, out, err);
}

enum rf_code rf_transport_check(const struct rf_transport *t, const struct rf_config *c,
                                const struct rf_model *m, struct rf_arena *a, struct rf_err *err)
{
    return t->send ? RF_OK : rf_endpoint_check(c, m, a, err);
}

enum rf_code rf_transport_send(struct rf_transport *t, const struct rf_sending *s,
                               struct rf_arena *a, struct rf_sent *out, struct rf_err *err)
{
    if (t->send)
        return t->send(t->ctx, s, a, out, err);
    if (rf_transport_is_simulated(s->model))
        return simulate(t, s, a, out, err);
    if (!t->net)
        t->net = rf_net_new();
    return rf_send(t->net, s, a, out, err);
}

/* Errors within answers */

/* JSON stays JSON, or goes. */
static void write_redacted(struct rf_json *w, const struct rf_jval *v, const struct rf_sent *sent,
                           struct rf_arena *a)
{
    const struct rf_jval *root;
    struct rf_str text = rf_redact(sent->endpoint, rf_jval_compact(v, a), a);
    if (rf_jval_parse(text, a, &root, NULL))
        rf_json_null(w, NULL);
    else
        rf_json_raw(w, NULL, text);
}

void rf_transport_redact(const struct rf_model *m, const struct rf_sent *sent, struct rf_arena *a,
                         struct rf_str *reply, struct rf_err *err)
{
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(a, struct rf_json);
    const struct rf_jval *root, *error = NULL;
    if (!rf_jval_parse(*reply, a, &root, NULL))
        error = rf_jval_get(root, "error");
    if (!error)
        return;
    rf_rope_init(&rope, a);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    for (const struct rf_jval *k = rf_jval_first(root); k; k = rf_jval_next(root, k + 1)) {
        rf_json_key(w, rf_jval_text(k, a));
        if (rf_jval_is(k, "error") || rf_jval_is(k, "extra"))
            write_redacted(w, k + 1, sent, a);
        else
            rf_json_value(w, NULL, k + 1);
    }
    rf_json_end(w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, a, reply, NULL))
        RF_BUG("a reply in memory could not be written");
    const struct rf_jval *message = rf_jval_get(error, "message");
    if (!err || err->code != RF_EPROVIDER || !message || message->type != RF_JSTRING)
        return;
    struct rf_str words = rf_redact(sent->endpoint, rf_jval_text(message, a), a);
    rf_fail(err, RF_EPROVIDER, "%.*s: %.*s", RF_FMT(m->provider), RF_FMT(words));
}
