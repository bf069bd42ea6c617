/* The web page as the gateway knows it: a table of functions that src/page fills in, so that this
 * room need not know that one. Without a table there is no page, and nothing is done for it.
 *
 * While somebody looks, exchanges tell of themselves when they begin and are answered, and those
 * that the page wants whole can be looked at from then on (kept.h). While nobody does, a summary at
 * the end is all. */
#ifndef RF_GATEWAY_PAGE_H
#define RF_GATEWAY_PAGE_H

#include "gateway/health.h"
#include "gateway/kept.h"
#include "gateway/keyring.h"
#include "gateway/pool.h"
#include "gateway/record.h"
#include "gateway/setup.h"
#include "httpd/httpd.h"

#include <refract/page.h>

struct rf_page; /* one of a gateway, and of all its threads */

/* What the page may use; it outlives the page. */
struct rf_page_host {
    struct rf_setups *setups;
    struct rf_keyring *keyring; /* of clients, and of who looks */
    struct rf_health *health;   /* NULL: there is no gateway */
    const atomic_bool *draining;
    bool tls;
};

/* One loop's share of it: the `ctx` of the page's HTTP handler. */
struct rf_page_loop {
    struct rf_page *page; /* NULL: there is none */
    struct rf_loop *loop;
    struct rf_pool *pool;
    struct rf_mailbox *mailbox;
    /* Somebody was turned away, in the loop's thread; or NULL. */
    void (*refused)(struct rf_page_loop *l, struct rf_str path, int status, struct rf_str why);
};

enum rf_page_stage {
    RF_PAGE_BEGAN,   /* all of its body is there */
    RF_PAGE_ANSWERS, /* the first byte of its reply is with the client */
    RF_PAGE_OVER,
};

struct rf_page_table {
    struct rf_page *(*open)(const struct rf_page_host *host);
    void (*close)(struct rf_page *p);
    /* From any thread. */
    bool (*is_watched)(const struct rf_page *p);
    /* Asked once, of an exchange that somebody can look at. */
    bool (*wants_whole)(struct rf_page *p);
    /* `*number` is the exchange's in the page; 0 until it was first told of. `k` is what is kept of
     * it, told with the first stage and the last; or NULL. With the last it becomes `over`. */
    void (*tell)(struct rf_page *p, const struct rf_record *r, enum rf_page_stage stage,
                 struct rf_kept_exchange *k, uint64_t *number);
    /* In the loop's thread. */
    struct rf_httpd_handler http;
};

/* Tell the log; the loop is one of a gateway. */
void rf_page_log_refusal(struct rf_page_loop *l, struct rf_str path, int status, struct rf_str why);

/* Is a request for the page, by its path? */
bool rf_page_is_asked(const struct rf_httpd_request *r);

#endif
