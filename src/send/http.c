/* A request as HTTP, for those who send it themselves. */
#include "base/arena.h"
#include "content/result.h"
#include "net/prepare.h"
#include "request/request.h"
#include "send/network.h"

struct rf_http {
    struct rf_http_options what;
    struct rf_arena *arena; /* this lives in it */
    struct rf_preparing call;
    struct rf_timer timer; /* of rf_http_start: the first step */
    enum rf_code rc;       /* the options are wrong, and `err` says how */
    struct rf_err err;
    struct rf_secrets secrets;
};

static enum rf_code take_options(const struct rf_http_options *what, struct rf_http_options *own,
                                 struct rf_err *err)
{
    enum rf_code rc = rf_struct_take(what, RF_SIZES(rf_http_options, ctx), own, err);
    return rc ? rc : rf_send_check(own->model, own->request, err);
}

static struct rf_http *http_new(struct rf_network *n, const struct rf_http_options *what)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_http *h = RF_NEW(a, struct rf_http);
    h->arena = a;
    h->call.net = n->net;
    h->rc = take_options(what, &h->what, &h->err);
    if (h->rc)
        return h;
    h->call = (struct rf_preparing){
        .net = n->net,
        .config = h->what.config,
        .model = h->what.model,
        .body = &h->what.request->body,
        .stream = h->what.request->plan.stream,
        .keeps_tokens = h->what.keep_tokens,
        .arena = a,
    };
    return h;
}

void rf_http_close(struct rf_http *h)
{
    if (!h)
        return;
    rf_timer_clear(rf_net_loop(h->call.net), &h->timer);
    rf_prepare_stop(&h->call);
    rf_arena_free(h->arena);
}

enum rf_code rf_http_open(struct rf_network *n, const struct rf_http_options *what,
                          struct rf_http **out, struct rf_err *err)
{
    struct rf_http *h = http_new(n, what);
    enum rf_code rc = h->rc;
    if (!rc)
        rc = rf_prepare_now(&h->call, h->arena, err);
    else if (err)
        *err = h->err;
    if (rc)
        rf_http_close(h);
    else
        *out = h;
    return rc;
}

static void go_on(void *ctx)
{
    struct rf_http *h = ctx;
    struct rf_err err = h->err;
    bool ready = false;
    enum rf_code rc = h->rc ? h->rc : rf_prepare(&h->call, h->arena, &ready, &err);
    if ((rc || ready) && h->what.ready)
        h->what.ready(h->what.ctx, h, rc, &err);
}

struct rf_http *rf_http_start(struct rf_network *n, const struct rf_http_options *what)
{
    struct rf_http *h = http_new(n, what);
    if (h->rc && what) { /* all versions of the struct have these */
        h->what.ready = what->ready;
        h->what.ctx = what->ctx;
    }
    h->call.wake = go_on;
    h->call.ctx = h;
    h->timer = (struct rf_timer){ .due = go_on, .ctx = h };
    rf_timer_set(rf_net_loop(n->net), &h->timer, 0);
    return h;
}

const char *rf_http_method(const struct rf_http *h)
{
    (void)h;
    return "POST";
}

const char *rf_http_url(const struct rf_http *h)
{
    return h->call.endpoint.url;
}

size_t rf_http_header_count(const struct rf_http *h)
{
    return h->call.header_count;
}

struct rf_str rf_http_header_name(const struct rf_http *h, size_t i)
{
    return h->call.headers[i].name;
}

struct rf_str rf_http_header_value(const struct rf_http *h, size_t i)
{
    return h->call.headers[i].value;
}

void rf_http_redact(struct rf_http *h, struct rf_decode *d)
{
    rf_endpoint_secrets(&h->call.endpoint, h->arena, &h->secrets);
    rf_decode_redact(d, &h->secrets);
}
