/* The server: its connections, and when it starts, drains and ends. */
#include "httpd/inside.h"

#include <stdlib.h>
#include <unistd.h>

void rf_httpd_shed(struct rf_httpd *h)
{
    struct rf_connection *oldest = NULL;
    if (h->count < h->options.max_connections)
        return;
    for (struct rf_connection *c = h->connections; c; c = c->next)
        if (c->idle && !c->now.seen && (!oldest || c->deadline_ms < oldest->deadline_ms))
            oldest = c;
    if (!oldest)
        return;
    oldest->now.dead = true;
    rf_connection_wake(oldest);
}

static void fill_in(struct rf_httpd_options *o)
{
    static const struct rf_httpd_options usual = {
        .max_connections = 1024,
        .max_head = 16 << 10,
        .max_body = 64 << 20,
        .head_timeout_ms = 15000,
        .idle_timeout_ms = 75000,
        .stall_timeout_s = 60,
    };
    o->max_connections = o->max_connections ? o->max_connections : usual.max_connections;
    o->max_head = o->max_head ? o->max_head : usual.max_head;
    o->max_body = o->max_body ? o->max_body : usual.max_body;
    o->head_timeout_ms = o->head_timeout_ms ? o->head_timeout_ms : usual.head_timeout_ms;
    o->idle_timeout_ms = o->idle_timeout_ms ? o->idle_timeout_ms : usual.idle_timeout_ms;
    o->stall_timeout_s = o->stall_timeout_s ? o->stall_timeout_s : usual.stall_timeout_s;
}

static struct rf_httpd *server_new(struct rf_loop *loop, const struct rf_httpd_options *options,
                                   const struct rf_httpd_handler *handler, void *ctx)
{
    struct rf_httpd *h = calloc(1, sizeof *h);
    if (!h)
        RF_NO_MEMORY();
    *h = (struct rf_httpd){ .loop = loop,
                            .options = *options,
                            .handler = handler,
                            .ctx = ctx,
                            .incoming = { -1, -1 },
                            .scratch = malloc(RF_HTTPD_SCRATCH),
                            .timer = { .due = rf_connection_go_on, .ctx = h } };
    if (!h->scratch)
        RF_NO_MEMORY();
    fill_in(&h->options);
    return h;
}

enum rf_code rf_httpd_start(struct rf_loop *loop, const char *address,
                            const struct rf_httpd_options *options,
                            const struct rf_httpd_handler *handler, void *ctx,
                            struct rf_httpd **out, struct rf_err *err)
{
    struct rf_httpd *h = server_new(loop, options, handler, ctx);
    struct ssl_ctx_st *tls = NULL;
    struct rf_listening at;
    enum rf_code rc = rf_tls_open(&h->options, &tls, err);
    if (!rc) {
        rc = rf_listen(address, &at, err);
        if (rc)
            rf_tls_close(tls);
    }
    if (!rc) {
        struct rf_door *door = rf_door_new(&at, h->options.max_connections, tls);
        if (!rf_door_join(door, h)) {
            rc = rf_fail_errno(err, "could not start the server");
            rf_listening_close(&at);
            rf_door_free(door);
        }
    }
    if (rc)
        rf_httpd_stop(h);
    else
        *out = h;
    return rc;
}

enum rf_code rf_httpd_join(struct rf_httpd *first, struct rf_loop *loop, void *ctx,
                           struct rf_httpd **out, struct rf_err *err)
{
    struct rf_httpd *h = server_new(loop, &first->options, first->handler, ctx);
    enum rf_code rc = RF_OK;
    if (!rf_door_join(first->door, h))
        rc = rf_fail_errno(err, "could not start the server");
    if (rc)
        rf_httpd_stop(h);
    else
        *out = h;
    return rc;
}

const char *rf_httpd_address(const struct rf_httpd *h, size_t i)
{
    const struct rf_listening *at = &h->door->at;
    return i < at->count ? at->names[i] : NULL;
}

size_t rf_httpd_connections(const struct rf_httpd *h)
{
    return h->count + h->coming;
}

size_t rf_httpd_failed_handshakes(const struct rf_httpd *h)
{
    return h->failed_handshakes;
}

void rf_httpd_drain(struct rf_httpd *h)
{
    if (h->draining)
        return;
    h->draining = true;
    rf_door_shut(h);
    for (struct rf_connection *c = h->connections; c; c = c->next)
        if (!c->now.seen) {
            c->now.dead = true;
            rf_connection_wake(c);
        }
}

void rf_httpd_visit(struct rf_httpd *h, void (*visit)(void *ctx, struct rf_httpd_request *r),
                    void *ctx)
{
    for (struct rf_connection *c = h->connections; c; c = c->next)
        if (c->now.begun && !c->now.dead)
            visit(ctx, &c->now.request);
}

void rf_httpd_stop(struct rf_httpd *h)
{
    if (!h)
        return;
    rf_door_leave(h);
    while (h->connections)
        rf_connection_drop(h->connections);
    rf_timer_clear(h->loop, &h->timer);
    rf_linger_end_all(h);
    free(h->scratch);
    free(h);
}
