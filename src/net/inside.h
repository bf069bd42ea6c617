/* The inside of struct rf_net, for those who drive it. */
#ifndef RF_NET_INSIDE_H
#define RF_NET_INSIDE_H

#include "base/loop.h"
#include "net/net.h"

#include <pthread.h>
#include <signal.h>

struct rf_errand;
struct rf_key_run;
struct rf_multi; /* libcurl's side of it: multi.c */

struct rf_net {
    struct rf_loop loop;
    struct rf_multi *multi;      /* made at the first call */
    struct rf_errand *errands;   /* that somebody waits for */
    struct rf_key_run *key_runs; /* commands that were started, and are not reaped yet */
    struct rf_found_endpoints *found;
    bool stepping;
    bool prepares; /* `preparation` was started, and is to be joined */
    pthread_t preparation;
};

void rf_multi_free(struct rf_multi *m); /* takes NULL */

/* How something ended, for who blocks until it does. */
struct rf_net_end {
    bool over;
    enum rf_code rc;
    struct rf_err err;
};
/* A `done` whose context is a struct rf_net_end. */
void rf_net_note_end(void *end, enum rf_code rc, const struct rf_err *err);
/* Step until it is over; false where something can be read from `cancel_fd` before. */
bool rf_net_reach_end(struct rf_net *n, const struct rf_net_end *end, int cancel_fd);
void rf_key_runs_free(struct rf_net *n);

/* A server that closes its end while we write is not a reason to end the program, and a library has
 * no say in how the program takes signals: for this thread SIGPIPE waits, and one that came is
 * taken away. */
struct rf_quiet {
    sigset_t before;
    bool was_pending;
};
void rf_quiet_begin(struct rf_quiet *q);
void rf_quiet_end(const struct rf_quiet *q);

#endif
