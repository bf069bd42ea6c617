/* A call and its reply on their way through a server, whichever HTTP it speaks: the body as it
 * comes in, so many bytes at most in one and in all of them together, and the reply as it goes out,
 * with its delays. It reads and writes no socket. */
#ifndef RF_SIM_EXCHANGE_H
#define RF_SIM_EXCHANGE_H

#include "sim/sim.h"

#include <pthread.h>

/* Of all exchanges of a server. */
struct rf_sim_bodies {
    pthread_mutex_t lock;
    size_t held; /* bytes */
};

struct rf_sim_exchange {
    struct rf_sim *sim;
    struct rf_sim_bodies *bodies;
    char *body;
    size_t n, cap;
    int refused; /* the body is too much: this status; or 0 */
    struct rf_arena *arena;
    struct rf_sim_reply reply;
    size_t chunk, done; /* of the reply: which, and how much of it is out */
    int64_t due_ms;     /* when that may go; 0: it was not asked for yet */
};

/* More of the body. */
void rf_sim_exchange_take(struct rf_sim_exchange *e, const char *data, size_t n);
/* All of it is there: have the reply made. What `call` says of a body does not count. */
void rf_sim_exchange_answer(struct rf_sim_exchange *e, const struct rf_sim_call *call);
/* How long until more of the reply may go out: 0 is now, -1 is never, since all of it is out. */
int64_t rf_sim_exchange_wait_ms(struct rf_sim_exchange *e);
/* The next bytes, after a wait of 0. */
size_t rf_sim_exchange_read(struct rf_sim_exchange *e, char *buf, size_t max);
void rf_sim_exchange_end(struct rf_sim_exchange *e);

#endif
