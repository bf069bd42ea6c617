/* Texts on their way to a thread that writes or sends them. Adding never waits: what there is no
 * room for is left out, and counted. */
#ifndef RF_GATEWAY_QUEUE_H
#define RF_GATEWAY_QUEUE_H

#include "base/error.h"
#include "base/str.h"

#include <pthread.h>
#include <stdatomic.h>

struct rf_lines {
    char *p;
    size_t n, room;
};

struct rf_queue {
    size_t most; /* bytes that may wait */
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct rf_lines waiting;
    uint64_t left_out; /* since it was last taken */
    _Atomic uint64_t all_left_out;
    bool woken, ending;
    pthread_t thread;
};

/* Start the thread, to which all signals are blocked. Fails with RF_EIO. */
RF_MUST enum rf_code rf_queue_start(struct rf_queue *q, size_t most, void *(*run)(void *ctx),
                                    void *ctx, struct rf_err *err);
/* From any thread: the text, and after it `end`. */
void rf_queue_add(struct rf_queue *q, struct rf_str text, char end);
/* Have the thread look, though nothing was added. */
void rf_queue_wake(struct rf_queue *q);
/* What waits, for what is in `lines`, whose memory is used again. Waits until there is something,
 * or the thread is woken, or is to end. Returns how many were left out since the last time. */
uint64_t rf_queue_take(struct rf_queue *q, struct rf_lines *lines);
bool rf_queue_is_ending(struct rf_queue *q);
/* Have the thread end, and wait for that. */
void rf_queue_end(struct rf_queue *q);

#endif
