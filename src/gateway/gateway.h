/* What the files of this room share: the process, its loops, and the exchanges on them.
 *
 *     gateway.c    the process: listening, draining
 *     front.c      what a request asks for, in whose words
 *     exchange.c   one request from its head to the end of its reply
 *     reply.c      what is sent to the client, in its words
 *     translate.c  what a thread does of it: read, choose, plan, heal
 *     route.c      which model answers; list.c: which there are
 *     pool.c       the threads
 *
 * An exchange belongs to one loop, and all but its translation to that loop's thread. The
 * translation is the thread's that works at it while the exchange waits for a job. */
#ifndef RF_GATEWAY_GATEWAY_H
#define RF_GATEWAY_GATEWAY_H

#include "gateway/pool.h"
#include "gateway/translate.h"

#include <refract/respond.h>
#include <refract/send.h>

#define RF_GATEWAY_ID 40

struct rf_gateway {
    struct rf_gateway_options options;
    struct rf_pool pool;
};

/* One thread's share: its own server of HTTP, and its own connections to providers. */
struct rf_gateway_loop {
    struct rf_gateway *gateway;
    struct rf_network *network; /* whose loop all of it waits in */
    struct rf_loop *loop;
    struct rf_httpd *httpd;
    struct rf_mailbox mailbox;
    bool draining;
};

extern const struct rf_httpd_handler rf_gateway_handler; /* its `ctx` is a loop */

enum rf_gateway_job {
    RF_JOB_NONE,
    RF_JOB_TRANSLATE,
    RF_JOB_ANEW,
    RF_JOB_HEAL,
    RF_JOB_LEARN,
};

struct rf_gateway_exchange {
    struct rf_gateway_loop *loop;
    struct rf_httpd_request *request; /* NULL: it has ended */
    char id[RF_GATEWAY_ID];
    char *body;
    size_t length, room;
    /* What we took for it ourselves: until `since_us`, and since then where that is not 0. */
    int64_t own_us, since_us;
    struct rf_pool_job job;
    enum rf_gateway_job waits_for;
    struct rf_translation translation;
    struct rf_describing *describing; /* the upstream is asked about the model */
    bool described;
    struct rf_send *send;
    const struct rf_refusal *refusal; /* of `send`, that is to be healed */
    struct rf_respond *respond;
    struct rf_err unsaid; /* why the reply could not be written */
    bool answered;        /* all, or the head, of the reply was given to the client */
    bool streaming, over;
};

/* reply.c. Each may be called once a request, and after that nothing but writing. */

/* JSON with this status. */
void rf_gateway_reply(struct rf_gateway_exchange *x, int status, struct rf_str body);
/* That something is wrong, as the client's API says it. */
void rf_gateway_refuse(struct rf_gateway_exchange *x, const struct rf_fault *f);
/* What x->respond has by now: the head first, and as much as is there. False: the client has more
 * than it takes. */
bool rf_gateway_pass_on(struct rf_gateway_exchange *x);

#endif
