/* The caller's side of the workers: ask `refract-media-FAMILY` about a file, get facts, text and
 * bytes.
 *
 * Workers are started when first needed, kept for the next ask, as many at once as there are
 * processors, and replaced when they die. A worker that crashes, hangs or says nonsense fails
 * the one job it had; the caller goes on. Jobs that are run together are spread over several
 * workers.
 *
 * A file may take its worker over, so each worker serves one group: the person's own files, or one
 * foreign file with all that is made of it. No worker has seen a foreign file when it gets another.
 *
 *     struct rf_job job = { .family = "pdf", .ask = RF_STR("op=text\n"), .input = &bytes };
 *     rf_workers_run(rf_workers_shared(), &job, 1, a);
 *     if (job.failed) … job.err
 *
 * It decodes nothing and believes nothing: all that a worker says is checked against limits.
 */
#ifndef RF_MEDIA_WORKER_H
#define RF_MEDIA_WORKER_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/shared.h"
#include "base/str.h"

struct rf_arena;
struct rf_loop;
struct rf_task;
struct rf_worker;
struct rf_workers;

/* A line "key=value" of a fact or a part. */
struct rf_prop {
    struct rf_str key, value;
};

/* A page, a picture, a sheet: what it is, and its text or its bytes. */
struct rf_job_part {
    struct rf_prop *props;
    size_t prop_count, prop_cap;
    struct rf_str text;
    struct rf_bytes bytes; /* in memory, or in a file of the spool folder */
};

struct rf_job {
    /* in */
    const char *family;
    struct rf_str ask;
    const struct rf_bytes *input;
    struct rf_str sha256; /* of the input, as hex digits, where somebody knows it; or empty. Foreign
                           * files without it have a worker for each ask. */
    /* Where set, the input is not at hand before this was called, which is not done where the
     * outcome is known. Fills in `failed` and `err`, and returns false, where it cannot be had. */
    bool (*ready)(struct rf_job *job);
    void *owner;        /* of the input, for `ready` */
    const char *spool;  /* a folder that parts with bytes are written to, or NULL: memory */
    int64_t timeout_ms; /* 0: the usual one */
    int cancel_fd;      /* of rf_workers_run, the same for all: something to be read there cancels
                         * them; 0: nothing does */
    /* Of rf_cache_run: fills it in here, and no worker is asked; or NULL. */
    void (*run)(struct rf_job *job, struct rf_arena *a);
    uint64_t max_bytes; /* of all that comes back; 0: the usual limit */
    uint64_t max_text;  /* of text, which is cut there, with a note; 0: the usual limit */
    /* May be NULL. False cancels it, and all that rf_workers_run runs with it. */
    bool (*step)(void *context, int64_t done, int64_t of);
    void *context;
    /* out */
    struct rf_prop *facts;
    size_t fact_count, fact_cap;
    struct rf_str text; /* what belongs to no part */
    struct rf_job_part *parts;
    size_t part_count, part_cap;
    struct rf_str *notes;
    size_t note_count, note_cap;
    /* RF_OK: all is well. Else the above is what had come until then, without any bytes. */
    enum rf_code failed;
    struct rf_err err;
    bool judged; /* the failure is the worker's word about the file, and no death or time-out */
    struct rf_task *task; /* while it is on its way: rf_job_start */
};

/* Those of this process, which has one pool with one sandbox and one end, made when first asked
 * for; safe to use from several threads. */
RF_SHARED struct rf_workers *rf_workers_shared(void);
/* Stop them all; the next job starts new ones. */
void rf_workers_stop(struct rf_workers *w);

/* How a worker must be confined to be given a file. Where the system has less, a job fails with
 * RF_ESANDBOX before the worker has seen a byte. */
enum rf_sandbox {
    RF_SANDBOX_WHOLE,   /* limits, Landlock, seccomp; namespaces where they may be had */
    RF_SANDBOX_REDUCED, /* what can be had of them: the person permits it */
};
/* From the next job on; until somebody says otherwise it must be whole. */
void rf_workers_permit(struct rf_workers *w, enum rf_sandbox least);

/* Jobs on the loop of one thread: a queue, from which as many at once are given to workers as
 * there are processors. The workers are shared by all threads; a queue, its jobs and what they give
 * belong to the thread that steps the loop. No step waits for an answer, or for the end of a worker
 * that was killed: at most for the start of a process.
 *
 *     rf_jobs_init(&jobs, rf_workers_shared(), &loop);
 *     rf_job_start(&jobs, &job, a, done, ctx);
 *     … rf_loop_wait, rf_loop_step …
 *     rf_jobs_release(&jobs);
 */
struct rf_jobs {
    struct rf_workers *workers;
    struct rf_loop *loop;
    struct rf_task *first, **end; /* all, in the order in which they were started */
    struct rf_task *waiting;      /* the first that has not begun */
    size_t busy;                  /* workers */
    bool stopped;                 /* a step of one of them returned false */
    struct rf_worker *dying;      /* that were killed, and are waited for */
};

void rf_jobs_init(struct rf_jobs *jobs, struct rf_workers *w, struct rf_loop *loop);
/* Those on their way are cancelled. Waits until the workers that were killed are gone. */
void rf_jobs_release(struct rf_jobs *jobs);

/* Start a job. What it gives lives in `a`; it, its input and `a` stay where they are until it has
 * ended. `done`, which may be NULL, is called by a step of the loop, never in here, and may start
 * and cancel jobs. The job says whether it failed: RF_ECONFIG where the worker's program is not
 * installed or cannot start, RF_ESANDBOX where it cannot be confined, RF_EFORMAT, RF_EENCRYPTED and
 * RF_ELIMIT for what is wrong with the file and where it took too long, RF_EIO where a worker died
 * or the file changed. */
void rf_job_start(struct rf_jobs *jobs, struct rf_job *job, struct rf_arena *a,
                  void (*done)(void *ctx, struct rf_job *job), void *ctx);
/* End it now, wherever it is: it has failed with RF_EINTERRUPTED, `done` is not called, and the
 * worker that had it is killed. One that is not on its way stays as it is. */
void rf_job_cancel(struct rf_job *job);

/* Run all jobs, several at once, and wait for them. Each says for itself whether it failed, as with
 * rf_job_start, or was cancelled: RF_EINTERRUPTED. A signal that interrupts the caller does not end
 * them. */
RF_SHARED void rf_workers_run(struct rf_workers *w, struct rf_job *jobs, size_t count,
                              struct rf_arena *a);

/* The parts of the job are whose its input is. Pictures that lay in a document are foreign,
 * whosever the document is. */
void rf_job_inherit(struct rf_job *job, struct rf_arena *a);

/* The value of a fact or a property; empty, or 0, where it is not there. What a worker counts is
 * never below 0 (which says nothing) or above RF_MAX_COUNT, and a side of a picture never above
 * RF_MAX_SIDE. */
struct rf_str rf_prop_str(const struct rf_prop *props, size_t count, const char *key);
int64_t rf_prop_int(const struct rf_prop *props, size_t count, const char *key);
int64_t rf_prop_side(const struct rf_prop *props, size_t count, const char *key);

/* The value of a line "key=value" of an ask; empty where there is none. */
struct rf_str rf_ask_value(struct rf_str ask, const char *key);

/* A worker's sandbox: "limits, namespaces, Landlock, seccomp", and what it lacks, or "". */
struct rf_confinement {
    struct rf_str layers, missing;
};
/* Is the program there, does it start, and how is it confined? Fails with
 * RF_ECONFIG, and with RF_ESANDBOX where more is missing than is permitted: `out`, which may be
 * NULL, is told then too. */
RF_MUST enum rf_code rf_worker_check(struct rf_workers *w, const char *family, struct rf_arena *a,
                                     struct rf_confinement *out, struct rf_err *err);
/* The families, NULL-terminated. */
extern const char *const rf_families[];

#endif
