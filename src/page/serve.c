/* The page without a gateway: the sessions of a store, for the browsers of this machine. One thread
 * with a loop, and those of a pool. */
#include "page/page.h"

#include "content/result.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define USUAL_ADDRESS "127.0.0.1:0"

struct serving {
    struct rf_page_options options;
    struct rf_setups setups;
    struct rf_keyring keyring; /* empty: everybody on this machine may look */
    atomic_bool draining;
    struct rf_page_host host;
    struct rf_pool pool;
    struct rf_mailbox mailbox;
    struct rf_loop loop;
    struct rf_httpd *httpd;
    struct rf_page_loop page;
    bool stopped;
};

static void on_stop(void *ctx, int fd, int events)
{
    struct serving *s = ctx;
    char bytes[16];
    (void)events;
    s->stopped = read(fd, bytes, sizeof bytes) >= 0 || errno != EAGAIN;
}

static enum rf_code check_address(const char *address, struct rf_err *err)
{
    bool inner;
    enum rf_code rc = rf_httpd_is_loopback(address, &inner, err);
    if (rc || inner)
        return rc;
    rf_fail(err, RF_EUSAGE, "other machines could reach %s, and see all sessions", address);
    rf_hint(err, "Listen on 127.0.0.1.");
    return RF_EUSAGE;
}

static enum rf_code listen_on(struct serving *s, const char *address, struct rf_err *err)
{
    const struct rf_page_table *table = rf_page();
    const struct rf_httpd_options usual = { 0 };
    enum rf_code rc =
        rf_httpd_start(&s->loop, address, &usual, &table->http, &s->page, &s->httpd, err);
    if (rc)
        return rc;
    s->page = (struct rf_page_loop){ table->open(&s->host), &s->loop, &s->pool, &s->mailbox, NULL };
    if (s->options.stop_fd >= 0)
        rf_loop_watch(&s->loop, s->options.stop_fd, RF_LOOP_READ, on_stop, s);
    return RF_OK;
}

static void run(struct serving *s)
{
    char url[RF_HTTPD_PEER + 16];
    snprintf(url, sizeof url, "http://%s/", rf_httpd_address(s->httpd, 0));
    if (s->options.listening)
        s->options.listening(s->options.ctx, url);
    while (!s->stopped)
        rf_loop_turn(&s->loop, -1);
    rf_httpd_stop(s->httpd);
}

static enum rf_code serve(struct serving *s, const char *address, struct rf_err *err)
{
    enum rf_code rc = rf_mailbox_open(&s->mailbox, &s->loop, err);
    if (rc)
        return rc;
    rf_pool_init(&s->pool);
    rc = listen_on(s, address, err);
    if (!rc)
        run(s);
    rf_pool_end(&s->pool);
    rf_mailbox_close(&s->mailbox);
    if (!rc)
        rf_page()->close(s->page.page);
    return rc;
}

enum rf_code rf_page_serve(const struct rf_page_options *given, struct rf_err *err)
{
    struct serving s = { .stopped = false };
    enum rf_code rc = rf_struct_take(given, RF_SIZES(rf_page_options, ctx), &s.options, err);
    const char *address = s.options.address ? s.options.address : USUAL_ADDRESS;
    const struct rf_gateway_options o = { .size = sizeof o, .config = s.options.config };
    if (!rc)
        rc = check_address(address, err);
    if (rc)
        return rc;
    if (!rf_loop_init(&s.loop))
        return rf_fail(err, RF_EIO, "could not make a loop");
    rf_setups_init(&s.setups, &o);
    rf_keyring_init(&s.keyring);
    s.host = (struct rf_page_host){ .setups = &s.setups,
                                    .keyring = &s.keyring,
                                    .draining = &s.draining };
    rc = serve(&s, address, err);
    rf_keyring_release(&s.keyring);
    rf_setups_release(&s.setups);
    rf_loop_release(&s.loop);
    return rc;
}
