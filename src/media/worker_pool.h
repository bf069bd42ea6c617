/* The list of workers: take one for a job, and put it back. The caller of worker.h does not need
 * this.
 *
 *     rf_pool_take(pool, job, &worker, &err);
 *     … the job's ask, and its answer …
 *     surplus = rf_pool_put(pool, worker), or rf_worker_end(worker)
 */
#ifndef RF_MEDIA_WORKER_POOL_H
#define RF_MEDIA_WORKER_POOL_H

#include "base/loop.h"
#include "media/worker.h"
#include "media/worker_process.h"

#define RF_GROUP_LENGTH ((size_t)64) /* of a hash */

/* "own", or the hash of a foreign file; empty: of no file yet, or of one without a name. */
struct rf_group {
    char name[RF_GROUP_LENGTH + 1];
};

struct rf_worker {
    struct rf_worker *next; /* in the list of the idle, or of those that a queue waits for */
    struct rf_process process;
    const char *family; /* after the struct */
    struct rf_group group;
    unsigned jobs;
    int memory;           /* a memory file for inputs that are none, or -1 */
    uint64_t memory_size; /* bytes that it has */
    bool ready;
    enum rf_sandbox least; /* that it was started with */
};

/* A warm worker, or else a new one, of the job's family and for its group. Fails as
 * rf_process_start. */
RF_MUST enum rf_code rf_pool_take(struct rf_workers *w, const struct rf_job *job,
                                  struct rf_worker **out, struct rf_err *err);
/* It waits for its next ask. Returns the one that is too many now, to be ended, or NULL. */
struct rf_worker *rf_pool_put(struct rf_workers *w, struct rf_worker *one);
/* As rf_process_end. */
struct rf_process_end rf_worker_end(struct rf_worker *w);

/* May one more worker be busy, for somebody who has `busy` ones? Everybody gets a first. Where it
 * may, rf_pool_leave says when it is not busy any more. */
bool rf_pool_enter(struct rf_workers *w, size_t busy);
void rf_pool_leave(struct rf_workers *w);

/* A loop that waits for nothing, kept by whoever had one before, or new; false where the system has
 * no descriptor left. It is put back waiting for nothing. */
bool rf_pool_take_loop(struct rf_workers *w, struct rf_loop *out);
void rf_pool_put_loop(struct rf_workers *w, struct rf_loop *l);

/* After a job of a foreign file: see to it that the next one finds a worker. Returns as
 * rf_pool_put. */
struct rf_worker *rf_pool_keep_spare(struct rf_workers *w, const struct rf_job *job);

#endif
