/* The process: a loop that serves, until it is told to stop; then what is under way is finished. */
#include "gateway/gateway.h"

#include "base/loop.h"
#include "content/result.h"
#include "gateway/route.h"
#include "send/network.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define USUAL_ADDRESS "127.0.0.1:8484"
#define MOST_CONNECTIONS 4096

/* Clients have no keys yet by which they could be told apart. */
static enum rf_code check_address(const char *address, struct rf_err *err)
{
    bool inner;
    enum rf_code rc = rf_httpd_is_loopback(address, &inner, err);
    if (rc || inner)
        return rc;
    rf_fail(err, RF_EUSAGE,
            "other machines could reach %s, and would use your keys without one of their own",
            address);
    rf_hint(err, "Listen on 127.0.0.1: clients of other machines need keys, which there are none "
                 "of yet.");
    return RF_EUSAGE;
}

static enum rf_code check_upstream(const struct rf_gateway_options *o, struct rf_err *err)
{
    struct rf_model *m = NULL;
    if (!o->upstream)
        return RF_OK;
    enum rf_code rc = rf_model_open(o->config, o->upstream, &m, err);
    if (!rc && rf_model_is_host(m))
        rc = rf_fail(err, RF_EUSAGE, "\"%s\" cannot be asked", o->upstream);
    rf_model_close(m);
    return rc;
}

/* Loops */

static enum rf_code loop_open(struct rf_gateway_loop *l, struct rf_gateway *g, struct rf_err *err)
{
    const struct rf_httpd_options limits = { .max_connections = MOST_CONNECTIONS };
    *l = (struct rf_gateway_loop){ .gateway = g, .network = rf_network_new() };
    l->loop = rf_net_loop(l->network->net);
    enum rf_code rc = rf_mailbox_open(&l->mailbox, l->loop, err);
    if (!rc) {
        rc = rf_httpd_start(l->loop, g->options.address, &limits, &rf_gateway_handler, l, &l->httpd,
                            err);
        if (rc)
            rf_mailbox_close(&l->mailbox);
    }
    if (rc)
        rf_network_free(l->network);
    return rc;
}

/* The pool has ended: what was with it has come back. */
static void loop_close(struct rf_gateway_loop *l)
{
    rf_mailbox_close(&l->mailbox);
    rf_network_free(l->network);
}

/* How many times it was told to stop; its end is the last time. */
static int read_stops(int fd)
{
    char bytes[16];
    ssize_t n;
    do
        n = read(fd, bytes, sizeof bytes);
    while (n < 0 && errno == EINTR);
    return n > 0 ? (int)n : n == 0 ? 2 : 0;
}

static void serve(struct rf_gateway_loop *l)
{
    int stop_fd = l->gateway->options.stop_fd;
    int stops = 0;
    while (stops < 2 && !(stops && !rf_httpd_connections(l->httpd))) {
        if (rf_net_wait(l->network->net, stop_fd, -1))
            stops += read_stops(stop_fd);
        if (stops && !l->draining) {
            l->draining = true;
            rf_httpd_drain(l->httpd);
        }
    }
}

static void say_listening(const struct rf_gateway_loop *l)
{
    const struct rf_gateway_options *o = &l->gateway->options;
    char url[RF_HTTPD_PEER + 16];
    snprintf(url, sizeof url, "http://%s", rf_httpd_address(l->httpd));
    if (o->listening)
        o->listening(o->ctx, url);
}

enum rf_code rf_gateway_serve(const struct rf_gateway_options *given, struct rf_err *err)
{
    struct rf_gateway g;
    struct rf_gateway_loop l;
    enum rf_code rc = rf_struct_take(given, RF_SIZES(rf_gateway_options, ctx), &g.options, err);
    if (rc)
        return rc;
    if (!g.options.address)
        g.options.address = USUAL_ADDRESS;
    rc = check_address(g.options.address, err);
    if (!rc)
        rc = check_upstream(&g.options, err);
    if (!rc)
        rc = loop_open(&l, &g, err);
    if (rc)
        return rc;
    rf_pool_init(&g.pool);
    say_listening(&l);
    serve(&l);
    rf_httpd_stop(l.httpd);
    rf_pool_end(&g.pool);
    loop_close(&l);
    return RF_OK;
}
