/* What comes in from a worker, cut into frames and put into a job; all of it is checked against
 * limits.
 *
 *     rf_intake_begin(&in, job, fresh, a);
 *     while (rf_intake_feed(&in, bytes) == RF_INTAKE_MORE) …
 *     rf_intake_end(&in);
 */
#ifndef RF_MEDIA_WORKER_INTAKE_H
#define RF_MEDIA_WORKER_INTAKE_H

#include "media/protocol.h"
#include "media/worker.h"

enum rf_intake_state {
    RF_INTAKE_MORE,   /* the answer goes on */
    RF_INTAKE_OVER,   /* it ended, well or with a failure, and nothing follows */
    RF_INTAKE_BROKEN, /* job->failed says why; the worker must not be used again */
};

struct rf_intake {
    struct rf_job *job;
    struct rf_arena *arena;
    struct rf_frame_head head;
    size_t head_n; /* bytes of the head that have come */
    uint32_t have; /* bytes of the payload that have come */
    char *words;   /* the payload of a frame of lines */
    size_t words_cap;
    size_t text_cap, text_from; /* of the text that grows; where its last frame begins */
    size_t bytes_cap;
    uint64_t taken, max_bytes, text_left;
    bool cut_text; /* there was more text than may be */
    int spool;     /* the file that the part's bytes go to, or -1 */
    bool ready;    /* the worker has said its first word */
    enum rf_intake_state state;
};

/* Forget what came of the job, and keep what is asked. */
void rf_job_reset(struct rf_job *job);

/* `ready`: the worker has answered before. */
void rf_intake_begin(struct rf_intake *in, struct rf_job *job, bool ready, struct rf_arena *a);
enum rf_intake_state rf_intake_feed(struct rf_intake *in, struct rf_str bytes);
/* Whatever happened: close what is open, and take back the files of a job that failed. */
void rf_intake_end(struct rf_intake *in);

#endif
