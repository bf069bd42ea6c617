/* The process: a thread a core, each with a loop that serves. The caller's own thread waits until
 * it is told to stop, and until what is under way is finished. */
#include "gateway/gateway.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/thread.h"
#include "config/config.h"
#include "content/result.h"
#include "gateway/route.h"
#include "net/key_command.h"
#include "send/network.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_CONNECTIONS 16384 /* of a loop; descriptors allowing */
#define LEAST_CONNECTIONS 8
#define MOST_LOOPS 16
#define LAST_WORDS_MS 500 /* for clients to take why their replies end */
#define SPARE_ARENAS 96   /* of a loop, 12 KiB each: an exchange has ten */

static const char *configured_address(const struct rf_config *c)
{
    return c && c->serve.listen.n ? c->serve.listen.p : RF_USUAL_LISTEN;
}

/* Where it listens: as the caller says, a service manager, the configuration, or nobody. */
static void choose_address(struct rf_gateway *g)
{
    struct rf_gateway_options *o = &g->options;
    if (!o->address)
        o->address = rf_httpd_handed_over(g->handed_over);
    g->address_is_configured = !o->address;
    if (!o->address)
        o->address = configured_address(o->config);
}

/* Who is on this machine may go without a key, as long as there is none. */
static enum rf_code check_address(struct rf_gateway *g, struct rf_err *err)
{
    bool inner;
    const char *address = g->options.address;
    enum rf_code rc = rf_httpd_is_loopback(address, &inner, err);
    if (rc || inner || g->ledger.keyring.asks)
        return rc;
    rf_fail(err, RF_EUSAGE,
            "other machines could reach %s, and would use your keys without one of their own",
            address);
    rf_hint(err, "Make a key for each of its clients first (refract keys add NAME), or listen on "
                 "127.0.0.1.");
    return RF_EUSAGE;
}

static enum rf_code check_upstream(const struct rf_gateway_options *o, struct rf_err *err)
{
    const struct rf_setup s = rf_setup_of(o);
    return rf_route_check(&s, err);
}

/* Loops */

/* As many as there are cores. */
static size_t loops_wanted(void)
{
    return rf_pool_cores() < MOST_LOOPS ? rf_pool_cores() : MOST_LOOPS;
}

/* Two fifths of the descriptors are for providers, files and workers: clients that keep theirs
 * would else leave none to answer anybody with. */
static unsigned most_connections(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY)
        return MOST_CONNECTIONS;
    rlim_t each = files.rlim_cur / 5 * 3 / loops_wanted();
    return each > MOST_CONNECTIONS    ? MOST_CONNECTIONS
           : each < LEAST_CONNECTIONS ? LEAST_CONNECTIONS
                                      : (unsigned)each;
}

static bool has_certificate(const struct rf_config *c)
{
    return c && c->serve.certificate.n;
}

static struct rf_httpd_options http_options(const struct rf_config *c)
{
    bool secure = has_certificate(c);
    return (struct rf_httpd_options){ .max_connections = most_connections(),
                                      .certificate = secure ? c->serve.certificate.p : NULL,
                                      .key = secure ? c->serve.certificate_key.p : NULL };
}

/* The first one listens, for all of them. */
static enum rf_code start_httpd(struct rf_gateway_loop *l, const struct rf_gateway *g,
                                struct rf_err *err)
{
    const struct rf_httpd_options how = http_options(g->options.config);
    if (l != g->loops)
        return rf_httpd_join(g->loops->httpd, l->loop, l, &l->httpd, err);
    return rf_httpd_start(l->loop, g->options.address, &how, &rf_gateway_handler, l, &l->httpd,
                          err);
}

/* How many times it was told to stop; the end of the descriptor is the last time. */
static int read_stops(int fd)
{
    char bytes[16];
    ssize_t n;
    do
        n = read(fd, bytes, sizeof bytes);
    while (n < 0 && errno == EINTR);
    return n > 0 ? (int)n : n == 0 ? 2 : 0;
}

static void write_byte(int fd)
{
    while (write(fd, "", 1) < 0 && errno == EINTR)
        continue;
}

static void on_told(void *ctx, int fd, int events)
{
    struct rf_gateway_loop *l = ctx;
    (void)events;
    l->stops += read_stops(fd);
    if (l->stops)
        rf_httpd_drain(l->httpd);
}

static enum rf_code tell_open(struct rf_gateway_loop *l, struct rf_err *err)
{
    if (pipe2(l->tell, O_CLOEXEC | O_NONBLOCK) != 0)
        return rf_fail_errno(err, "could not make a pipe");
    if (rf_loop_watch(l->loop, l->tell[0], RF_LOOP_READ, on_told, l))
        return RF_OK;
    close(l->tell[0]);
    close(l->tell[1]);
    return rf_fail(err, RF_EIO, "could not wait for a pipe");
}

static enum rf_code loop_open(struct rf_gateway_loop *l, struct rf_gateway *g, struct rf_err *err)
{
    *l = (struct rf_gateway_loop){ .gateway = g, .network = rf_network_new() };
    rf_metrics_init(&l->metrics);
    l->loop = rf_net_loop(l->network->net);
    rf_reuse_init(&l->reuse, l->loop);
    enum rf_code rc = rf_mailbox_open(&l->mailbox, l->loop, err);
    if (rc) {
        rf_network_free(l->network);
        return rc;
    }
    rc = tell_open(l, err);
    if (!rc) {
        rc = start_httpd(l, g, err);
        if (!rc) {
            l->page = (struct rf_page_loop){ g->page, l->loop, &g->pool, &l->mailbox,
                                             rf_page_log_refusal };
            return RF_OK;
        }
        close(l->tell[0]);
        close(l->tell[1]);
    }
    rf_mailbox_close(&l->mailbox);
    rf_network_free(l->network);
    return rc;
}

/* Nothing of it runs any more, and what was with the pool has come back: exchanges that end with
 * the mailbox are still counted. */
static void loop_close(struct rf_gateway_loop *l)
{
    rf_mailbox_close(&l->mailbox);
    rf_metrics_release(&l->metrics);
    rf_reuse_release(&l->reuse);
    rf_network_free(l->network);
    close(l->tell[0]);
    close(l->tell[1]);
}

/* Other loops ask for its number of connections, under this lock. */
static void stop_httpd(struct rf_gateway_loop *l)
{
    pthread_mutex_lock(&l->metrics.lock);
    struct rf_httpd *h = l->httpd;
    l->httpd = NULL;
    pthread_mutex_unlock(&l->metrics.lock);
    rf_httpd_stop(h);
}

void rf_gateway_add_gauges(struct rf_gateway_loop *l, struct rf_gauges *now)
{
    pthread_mutex_lock(&l->metrics.lock);
    if (l->httpd) {
        now->connections += rf_httpd_connections(l->httpd);
        now->failed_handshakes += rf_httpd_failed_handshakes(l->httpd);
    }
    pthread_mutex_unlock(&l->metrics.lock);
}

/* Streams of the page end by themselves. */
static void stop_request(void *ctx, struct rf_httpd_request *r)
{
    const struct rf_gateway_loop *l = ctx;
    if (!l->page.page || !rf_page_is_asked(r))
        rf_exchange_stop(r->own);
}

/* It was told a second time. */
static void break_off(struct rf_gateway_loop *l)
{
    int64_t until_ms = rf_now_ms() + LAST_WORDS_MS, left_ms = LAST_WORDS_MS;
    rf_httpd_visit(l->httpd, stop_request, l);
    for (; left_ms > 0 && rf_httpd_connections(l->httpd); left_ms = until_ms - rf_now_ms())
        rf_net_wait(l->network->net, -1, (int)left_ms);
}

static void *loop_run(void *ctx)
{
    struct rf_gateway_loop *l = ctx;
    rf_arena_keep_spare(SPARE_ARENAS);
    while (l->stops < 2 && !(l->stops && !rf_httpd_connections(l->httpd)))
        rf_net_turn(l->network->net);
    if (l->stops >= 2)
        break_off(l);
    stop_httpd(l);
    rf_arena_keep_spare(0);
    write_byte(l->gateway->ended[1]);
    return NULL;
}

/* The process */

static void stop_loops(struct rf_gateway *g, int times)
{
    g->draining = true;
    for (size_t i = 0; i < g->loop_count; i++)
        for (int k = 0; k < times; k++)
            write_byte(g->loops[i].tell[1]);
}

/* Reloading */

static const char *log_path(const struct rf_config *c)
{
    bool said = c && c->serve.log.n && !rf_str_is(c->serve.log, "-");
    return said ? c->serve.log.p : NULL;
}

/* The files may be the same, and have been renewed. */
static enum rf_code read_certificate(const struct rf_gateway *g, const struct rf_config *c,
                                     struct ssl_ctx_st **out, struct rf_err *err)
{
    const struct rf_httpd_options how = http_options(c);
    *out = NULL;
    return g->page_host.tls && has_certificate(c) ? rf_tls_open(&how, out, err) : RF_OK;
}

/* All loops are at one door; once the first has left it, no connections come. */
static void take_certificate(struct rf_gateway *g, struct ssl_ctx_st *tls)
{
    struct rf_gateway_loop *first = g->loops;
    pthread_mutex_lock(&first->metrics.lock);
    if (tls && first->httpd)
        rf_httpd_renew(first->httpd, tls);
    else
        rf_tls_close(tls);
    pthread_mutex_unlock(&first->metrics.lock);
}

/* Keys and accounts stay in the store that was opened first. */
static bool is_other_store(const struct rf_config *old, const struct rf_config *c)
{
    struct rf_str before = old ? old->store.address : RF_STR("");
    struct rf_str now = c ? c->store.address : RF_STR("");
    return !rf_str_eq(before, now);
}

/* What a reload cannot change. */
static void tell_unchanged(const struct rf_gateway *g, const struct rf_config *c)
{
    const struct rf_gateway_options *o = &g->options;
    if (!o->unchanged)
        return;
    if (g->address_is_configured && strcmp(o->address, configured_address(c)) != 0)
        o->unchanged(o->ctx, "serve.listen");
    if (g->page_host.tls != has_certificate(c))
        o->unchanged(o->ctx, "serve.tls");
    if (!rf_traces_go_to(&g->traces, c))
        o->unchanged(o->ctx, "serve.traces");
    if (is_other_store(o->config, c))
        o->unchanged(o->ctx, "store");
}

/* The new configuration is in force with all that it needs, or the old one goes on. */
static enum rf_code take_config(struct rf_gateway *g, struct rf_err *err)
{
    struct rf_config *config = NULL;
    struct ssl_ctx_st *tls = NULL;
    struct rf_gateway_options o = g->options;
    enum rf_code rc = o.reload(o.ctx, &config, err);
    if (rc)
        return rc;
    o.config = config;
    rc = check_upstream(&o, err);
    if (!rc)
        rc = read_certificate(g, config, &tls, err);
    if (!rc)
        rc = rf_log_reopen(&g->log, log_path(config), err);
    if (rc) {
        rf_tls_close(tls);
        rf_config_close(config);
        return rc;
    }
    take_certificate(g, tls);
    tell_unchanged(g, config);
    rf_setups_change(&g->setups, &o, config);
    rf_health_reload(&g->health);
    rf_key_commands_renew();
    return RF_OK;
}

static void reload(struct rf_gateway *g)
{
    const struct rf_gateway_options *o = &g->options;
    struct rf_err err;
    if (!o->reload)
        return;
    enum rf_code rc = take_config(g, &err), moved = RF_OK;
    if (rc) /* the file of the log was moved away all the same */
        moved = rf_log_reopen(&g->log, log_path(g->setups.current->config), NULL);
    (void)moved; /* `err` says more */
    if (o->reloaded)
        o->reloaded(o->ctx, rc ? &err : NULL);
}

/* What it is told at `stop_fd`: how many times to stop, and whether to reload first. */
static int read_orders(int fd, bool *reloads)
{
    char bytes[16];
    ssize_t n;
    int stops = 0;
    do
        n = read(fd, bytes, sizeof bytes);
    while (n < 0 && errno == EINTR);
    for (ssize_t i = 0; i < n; i++)
        if (bytes[i] == RF_GATEWAY_RELOAD)
            *reloads = true;
        else
            stops++;
    return n == 0 ? 2 : stops;
}

/* Until all loops have ended. */
static void supervise(struct rf_gateway *g)
{
    struct pollfd what[] = { { .fd = g->options.stop_fd, .events = POLLIN },
                             { .fd = g->ended[0], .events = POLLIN } };
    size_t ended = 0;
    while (ended < g->loop_count) {
        if (poll(what, 2, -1) < 0)
            continue;
        if (what[0].revents) {
            bool reloads = false;
            int stops = read_orders(what[0].fd, &reloads);
            if (reloads)
                reload(g);
            if (stops)
                stop_loops(g, stops);
            if (stops >= 2)
                what[0].fd = -1;
        }
        if (what[1].revents)
            ended += (size_t)read_stops(what[1].fd);
    }
}

/* Those that were opened are counted. */
static enum rf_code open_loops(struct rf_gateway *g, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    size_t wanted = loops_wanted();
    g->loops = calloc(wanted, sizeof *g->loops);
    if (!g->loops)
        RF_NO_MEMORY();
    while (!rc && g->loop_count < wanted) {
        rc = loop_open(&g->loops[g->loop_count], g, err);
        g->loop_count += !rc;
    }
    return rc;
}

static void say_listening(const struct rf_gateway *g)
{
    const struct rf_gateway_options *o = &g->options;
    const char *at;
    char url[RF_HTTPD_PEER + 16];
    for (size_t i = 0; o->listening && (at = rf_httpd_address(g->loops->httpd, i)) != NULL; i++) {
        snprintf(url, sizeof url, "%s://%s", g->page_host.tls ? "https" : "http", at);
        o->listening(o->ctx, url);
    }
}

/* Where they could not all be opened, as `rc` says, or started, none is left running. */
static enum rf_code run_loops(struct rf_gateway *g, enum rf_code rc, struct rf_err *err)
{
    size_t started = 0;
    while (!rc && started < g->loop_count) {
        rc = rf_thread_start(&g->loops[started].thread, loop_run, &g->loops[started], err);
        started += !rc;
    }
    if (rc) {
        stop_loops(g, 2);
    } else {
        say_listening(g);
        supervise(g);
    }
    for (size_t i = 0; i < g->loop_count; i++)
        if (i < started)
            pthread_join(g->loops[i].thread, NULL);
        else
            rf_httpd_stop(g->loops[i].httpd);
    return rc;
}

static enum rf_code serve(struct rf_gateway *g, struct rf_err *err)
{
    rf_pool_init(&g->pool);
    g->page_host = (struct rf_page_host){ &g->setups, &g->ledger.keyring, &g->health, &g->draining,
                                          has_certificate(g->options.config) };
    g->page = g->options.page ? g->options.page->open(&g->page_host) : NULL;
    enum rf_code rc = open_loops(g, err);
    rc = run_loops(g, rc, err);
    rf_pool_end(&g->pool);
    rf_ledger_stop(&g->ledger);
    for (size_t i = 0; i < g->loop_count; i++)
        loop_close(&g->loops[i]);
    if (g->page)
        g->options.page->close(g->page);
    free(g->loops);
    return rc;
}

static enum rf_code serve_with_ledger(struct rf_gateway *g, struct rf_err *err)
{
    enum rf_code rc = rf_ledger_open(&g->ledger, &g->setups, err);
    if (rc)
        return rc;
    rc = check_address(g, err);
    if (rc)
        rf_ledger_stop(&g->ledger);
    else
        rc = serve(g, err);
    rf_ledger_close(&g->ledger);
    return rc;
}

static enum rf_code serve_with_traces(struct rf_gateway *g, struct rf_err *err)
{
    enum rf_code rc = rf_traces_open(&g->traces, g->options.config, err);
    if (rc)
        return rc;
    rc = serve_with_ledger(g, err);
    rf_traces_close(&g->traces);
    return rc;
}

enum rf_code rf_gateway_serve(const struct rf_gateway_options *given, struct rf_err *err)
{
    struct rf_gateway g = { .loop_count = 0 };
    enum rf_code rc = rf_struct_take(given, RF_SIZES(rf_gateway_options, ctx), &g.options, err);
    if (rc)
        return rc;
    choose_address(&g);
    rc = check_upstream(&g.options, err);
    if (rc)
        return rc;
    if (pipe2(g.ended, O_CLOEXEC | O_NONBLOCK) != 0)
        return rf_fail_errno(err, "could not make a pipe");
    rf_setups_init(&g.setups, &g.options);
    rf_health_init(&g.health);
    rc = rf_log_open(&g.log, log_path(g.options.config), err);
    if (!rc) {
        rc = serve_with_traces(&g, err);
        rf_log_close(&g.log);
    }
    rf_health_release(&g.health);
    rf_setups_release(&g.setups);
    close(g.ended[0]);
    close(g.ended[1]);
    return rc;
}
