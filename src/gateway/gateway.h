/* What the files of this room share: the process, its loops, and the exchanges on them.
 *
 *     gateway.c    the process: its loops, listening, draining
 *     setup.c      the configuration in force
 *     front.c      what a request asks for, in whose words
 *     exchange.c   one request from its head to the end of its reply
 *     body.c       what the client sends; budget.h: how much of that there may be at once
 *     attempt.c    its upstream: asked, answering
 *     again.c      who is asked next where it does not; health.c: who is not to be asked for now
 *     reply.c      what is sent to the client, in its words
 *     pass.c       what it is given as it came, where those are the model's too
 *     other.c      paths of its API that are not known here, which pass as they are
 *     count.c      how many tokens a request has, by its provider or by estimate
 *     record.c     what is told of it when it is over: log.c, metrics.c, traces.c
 *     page.c       who is asked, the page or an exchange, and what the page is told of that
 *     kept.c       what it is given of an exchange, while it is under way and then
 *     translate.c  what a thread does of it: read, choose, plan, heal
 *     admission.c  whether a client's key lets it begin, and what it took
 *     keyring.c    the keys of clients; ledger.c: the thread that has the store
 *     route.c      which model answers; list.c: which there are
 *     refused.c    files that models refused, for the requests that come after
 *     marks.c      whose the signatures are that clients send back
 *     reuse.c      memory of bodies, for the next ones
 *     pool.c       the threads
 *
 * There are as many loops as cores, each in its thread, and connections are spread over them. An
 * exchange belongs to one loop, and all but its translation to that loop's thread. The
 * translation is the thread's that works at it while the exchange waits for a job. */
#ifndef RF_GATEWAY_GATEWAY_H
#define RF_GATEWAY_GATEWAY_H

#include "base/loop.h"
#include "gateway/budget.h"
#include "gateway/health.h"
#include "gateway/ledger.h"
#include "gateway/log.h"
#include "gateway/metrics.h"
#include "gateway/page.h"
#include "gateway/pass.h"
#include "gateway/pool.h"
#include "gateway/record.h"
#include "gateway/reuse.h"
#include "gateway/setup.h"
#include "gateway/traces.h"
#include "gateway/translate.h"

#include <refract/respond.h>
#include <refract/send.h>

struct rf_gateway {
    struct rf_gateway_options options;
    char handed_over[RF_HTTPD_PEER];
    bool address_is_configured; /* and nobody else says where to listen */
    struct rf_setups setups;
    struct rf_ledger ledger;
    struct rf_health health;
    struct rf_pool pool;
    struct rf_budget budget; /* of clients' bodies */
    struct rf_log log;
    struct rf_traces traces;
    atomic_size_t under_way; /* exchanges */
    struct rf_page_host page_host;
    struct rf_page *page; /* or NULL */
    atomic_bool draining;
    struct rf_gateway_loop *loops;
    size_t loop_count;
    int ended[2]; /* a byte for each loop that has */
};

/* One thread's share: its own server of HTTP, and its own connections to providers. */
struct rf_gateway_loop {
    struct rf_gateway *gateway;
    struct rf_network *network; /* whose loop all of it waits in */
    struct rf_loop *loop;
    struct rf_httpd *httpd;
    struct rf_mailbox mailbox;
    struct rf_reuse reuse;
    struct rf_metrics metrics;
    struct rf_page_loop page;
    uint8_t random[16 * RF_ID_BYTES]; /* for ids; the first `random_left` are not used yet */
    size_t random_left;
    pthread_t thread;
    int tell[2]; /* a byte for each time that it is told to stop */
    int stops;   /* that were read of them */
};

/* Their `ctx` is a loop. */
extern const struct rf_httpd_handler rf_gateway_handler, rf_exchange_handler;

enum rf_gateway_job {
    RF_JOB_NONE,
    RF_JOB_TRANSLATE,
    RF_JOB_ANEW,
    RF_JOB_NEXT,
    RF_JOB_HEAL,
    RF_JOB_LEARN,
    RF_JOB_ADMIT, /* the ledger's: admission.c */
};

/* Of an exchange whose key has limits. */
enum rf_gateway_admission {
    RF_NOT_ASKED,
    RF_ADMITTED,
    RF_NOT_ADMITTED,
    RF_ADMISSION_UNKNOWN, /* the ledger could not say; it may have a reservation all the same */
};

/* Of one target: how it is asked, and what became of that. */
struct rf_tries {
    struct rf_str target;     /* in rf_health; empty: it is not known yet whether it may be asked */
    enum rf_health_turn turn; /* that it has there */
    bool chosen;              /* there is a key: */
    size_t key;               /* which, of those that are configured */
    struct rf_str key_name;   /* in rf_health */
    uint64_t used;            /* a bit for each key that was tried */
    size_t first_key;         /* whose turn it was */
    unsigned count;           /* of requests with this key */
    bool reached;             /* a server may have seen a request */
    bool held;                /* the reply began with an error, which the client has not seen */
    int64_t began_ms;         /* it began to answer, on rf_now_ms's clock; 0: not yet */
    struct rf_timer timer;    /* to ask again, or to wait for the ledger no longer */
    struct rf_fault fault;    /* that the client is told where nobody is left; of all targets */
};

struct rf_gateway_exchange {
    struct rf_gateway_loop *loop;
    struct rf_httpd_request *request; /* NULL: it has ended */
    struct rf_setup *setup;
    struct rf_key_holder client; /* by its key, where clients need one */
    struct rf_record record;
    char *body;
    size_t length, room;
    uint64_t budgeted; /* bytes of the gateway's budget that this one has */
    /* What we took for it ourselves is record.own_us until then, and what has passed since; 0:
     * others are waited for. */
    int64_t since_us;
    struct rf_pool_job job;
    enum rf_gateway_job waits_for;
    struct rf_translation translation;
    struct rf_describing *describing; /* the upstream is asked about the model */
    bool described;
    struct rf_tries tries;
    struct rf_send *send;
    const struct rf_refusal *refusal; /* of `send`, that is to be healed */
    struct rf_respond *respond;
    struct rf_kept_exchange *kept; /* for the page; NULL: it is not kept whole */
    struct rf_seen *seen;          /* of it, or NULL */
    uint64_t page_number;          /* 0: the page was not told of it */
    struct rf_passing passing;
    struct rf_err *unsaid; /* why the reply could not be written; NULL: it could */
    bool answered;         /* all, or the head, of the reply was given to the client */
    bool streaming, over;
    struct rf_ledger_wish wish;
    enum rf_gateway_admission admission;
    bool settled; /* the ledger knows what it took */
};

/* gateway.c: of its clients' connections; from any thread. */
void rf_gateway_add_gauges(struct rf_gateway_loop *l, struct rf_gauges *now);

/* exchange.c */

/* A name for it, which nobody can guess. */
void rf_exchange_make_id(struct rf_gateway_loop *l, char id[RF_GATEWAY_ID]);
/* The clock of what we take ourselves runs while nobody else is waited for. */
void rf_exchange_clock_start(struct rf_gateway_exchange *x);
void rf_exchange_clock_stop(struct rf_gateway_exchange *x);
/* Have a thread do it; take_job goes on from there. */
void rf_exchange_start_job(struct rf_gateway_exchange *x, enum rf_gateway_job which);

/* Its end is not waited for, and its client is told why. */
void rf_exchange_stop(struct rf_gateway_exchange *x);
/* What it waited for is there, and t->fault says what is wrong. */
void rf_exchange_go_on(struct rf_gateway_exchange *x);
/* Put into the record what the translation knows, which is a thread's while it works at it. */
void rf_exchange_complete_record(struct rf_gateway_exchange *x);

/* body.c */

/* Bytes that it may have. */
uint64_t rf_body_most(const struct rf_gateway_exchange *x);
/* The head is there, and the body may come; unless that is refused for want of room. */
void rf_body_expect(struct rf_gateway_exchange *x);
void rf_body_add(struct rf_gateway_exchange *x, struct rf_str piece);
/* Where the next of it belongs, and how much of it; NULL: that is not known yet. */
char *rf_body_room(struct rf_gateway_exchange *x, size_t *n);
/* Nobody reads it any more. */
void rf_body_drop(struct rf_gateway_exchange *x);

/* admission.c */

/* May it be sent? Else it was refused, or the ledger is asked, and it goes on from there. */
bool rf_admission_is_given(struct rf_gateway_exchange *x);
/* It has ended, or is about to: tell the ledger, once. */
void rf_admission_settle(struct rf_gateway_exchange *x);
/* Has the server that was asked last seen the request, and not refused it? */
bool rf_admission_was_taken(const struct rf_gateway_exchange *x);

/* attempt.c */

/* Ask the model what its translation says, now that there is one. */
void rf_attempt_start(struct rf_gateway_exchange *x);
/* Have x->respond write what happened; false: it cannot, and x->unsaid says why. */
bool rf_attempt_respond(struct rf_gateway_exchange *x, const struct rf_event *e);
/* Nobody wants an answer any more. */
void rf_attempt_cancel(struct rf_gateway_exchange *x);

/* again.c */

/* Settle on a key for the target. False: there is none, and the exchange goes on by itself. */
bool rf_again_choose(struct rf_gateway_exchange *x);
/* The same for what may be left unasked, of which no key and no model is told how it went. False:
 * there is none now. */
bool rf_again_choose_spare(struct rf_gateway_exchange *x);
/* What was asked came to nothing, and the client has seen nothing of it. `r` is of x->send. */
void rf_again_refused(struct rf_gateway_exchange *x, const struct rf_refusal *r);
void rf_again_broken(struct rf_gateway_exchange *x, enum rf_code rc, const struct rf_err *err);
/* Something of an answer has come, for the first time or again; all of it; or not all, of which the client knows. */
void rf_again_begins(struct rf_gateway_exchange *x);
void rf_again_worked(struct rf_gateway_exchange *x);
void rf_again_cut_off(struct rf_gateway_exchange *x, enum rf_code rc, const struct rf_err *err);
/* It is over, perhaps with nothing found out. */
void rf_again_end(struct rf_gateway_exchange *x);

/* page.c */

/* All of the body is there, or some of the reply: where somebody looks by now, the page is told. */
void rf_exchange_watch(struct rf_gateway_exchange *x);
/* It is asked upstream, refused there, or answered. */
void rf_exchange_tell(struct rf_gateway_exchange *x);
/* It is over; what is kept of it for the page is not the exchange's any more. */
void rf_exchange_hand_over(struct rf_gateway_exchange *x);

/* What became of the files: "native/original=2, fallback/smaller=1"; empty: there are none. */
struct rf_str rf_gateway_delivery(const struct rf_gateway_exchange *x);

/* reply.c. Each of these may be called once a request, and after that nothing but writing. */

/* JSON with this status; and a text of another type. */
void rf_gateway_reply(struct rf_gateway_exchange *x, int status, struct rf_str body);
void rf_gateway_reply_text(struct rf_gateway_exchange *x, const char *type, struct rf_str body);
/* That something is wrong, as the client's API says it. */
void rf_gateway_refuse(struct rf_gateway_exchange *x, const struct rf_fault *f);
/* What x->respond has by now: the head first, and as much as is there. False: the client has more
 * than it takes. */
bool rf_gateway_pass_on(struct rf_gateway_exchange *x);
/* The upstream's own reply: a piece of a stream, after the head, as rf_gateway_pass_on; or all. */
bool rf_gateway_write(struct rf_gateway_exchange *x, struct rf_str bytes);
void rf_gateway_reply_as(struct rf_gateway_exchange *x, struct rf_str type, struct rf_str body);

#endif
