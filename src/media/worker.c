/* A job waits in the queue of its thread until one more worker may be busy; then a worker is asked,
 * and what it says is taken in whenever the loop says that there is something. A timer ends a job
 * that takes too long, and tells of one that failed before there was a worker: `done` is called by
 * the loop, never inside a call of its owner.
 *
 * The ask follows the start of a worker at once: it is read after the sandbox closed, and nobody
 * waits for the worker's first word. A worker that died while it lay in the list is replaced
 * without a word; one that dies over a job fails that job, which is not tried again: the file may
 * be what kills. */
#include "media/worker.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/loop.h"
#include "media/protocol.h"
#include "media/worker_intake.h"
#include "media/worker_pool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_BUSY 16 /* workers of one queue */
#define USUAL_TIMEOUT_MS 60000
#define START_TIMEOUT_MS 20000               /* on top, until the first word of a worker */
#define MAX_KEPT_MEMORY ((uint64_t)16 << 20) /* of a worker's memory file between jobs */
#define RECEIVE_BYTES ((size_t)64 << 10)
#define MAX_OWN_LINES 80 /* that we put before an ask */
#define COPY_BYTES ((size_t)256 << 10)

struct rf_task {
    struct rf_jobs *jobs;
    struct rf_task *next, **at; /* in the queue: who points here */
    struct rf_intake in;        /* has the job */
    struct rf_worker *worker;   /* NULL: it waits for one, or failed without one */
    struct rf_timer timer;      /* it took too long; without a worker: tell of it */
    void (*done)(void *ctx, struct rf_job *job);
    void *ctx;
};

/* Asking */

static bool write_at(int fd, const char *p, size_t n, uint64_t at)
{
    while (n) {
        ssize_t done = pwrite(fd, p, n, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        p += done;
        n -= (size_t)done;
        at += (uint64_t)done;
    }
    return true;
}

static enum rf_code copy_base64(int fd, const struct rf_bytes *input, struct rf_err *err)
{
    struct rf_reader r;
    char *buffer = malloc(COPY_BYTES);
    if (!buffer)
        RF_NO_MEMORY();
    enum rf_code rc = rf_reader_open(&r, input, err);
    for (uint64_t at = 0; !rc && at < input->size;) {
        size_t got = 0;
        rc = rf_reader_read(&r, at, buffer, COPY_BYTES, &got, err);
        if (!rc && !write_at(fd, buffer, got, at))
            rc = rf_fail_errno(err, "could not hand the file to a worker");
        at += got;
    }
    rf_reader_close(&r);
    free(buffer);
    return rc;
}

/* Put the input into the worker's memory file, which is kept: new pages cost more than the copy. */
static enum rf_code copy_input(struct rf_worker *w, const struct rf_bytes *input,
                               struct rf_err *err)
{
    if (w->memory < 0) {
        w->memory = memfd_create("refract", MFD_CLOEXEC);
        w->memory_size = 0;
    }
    if (w->memory < 0 ||
        (w->memory_size < input->size && ftruncate(w->memory, (off_t)input->size) != 0))
        return rf_fail_errno(err, "could not make a file in memory");
    if (w->memory_size < input->size)
        w->memory_size = input->size;
    if (input->kind == RF_BYTES_BASE64)
        return copy_base64(w->memory, input, err);
    if (!write_at(w->memory, input->text.p, input->text.n, 0))
        return rf_fail_errno(err, "could not hand the file to a worker");
    return RF_OK;
}

/* The head, the lines and the descriptor in one go; false where the worker is dead. */
static bool send_ask(const struct rf_worker *w, struct rf_str own, struct rf_str ask, int fd)
{
    struct rf_frame_head head = { RF_FRAME_ASK, (uint32_t)(own.n + ask.n) };
    struct iovec iov[] = { { &head, sizeof head },
                           { (void *)(uintptr_t)own.p, own.n },
                           { (void *)(uintptr_t)ask.p, ask.n } };
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof fd)];
    } control = { 0 };
    struct msghdr message = { .msg_iov = iov, .msg_iovlen = 3 };
    if (fd >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        *c = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof fd),
            .cmsg_level = SOL_SOCKET,
            .cmsg_type = SCM_RIGHTS,
        };
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    ssize_t sent = sendmsg(w->process.socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent == (ssize_t)(sizeof head + own.n + ask.n);
}

/* What can be said about a job before there is a worker for it; a file is opened. */
static enum rf_code open_input(struct rf_job *job, struct rf_reader *r)
{
    *r = (struct rf_reader){ .fd = -1 };
    if (job->ask.n > RF_MAX_ASK_LENGTH - MAX_OWN_LINES)
        return rf_fail(&job->err, RF_ELIMIT, "the request to the worker \"%s\" is too long",
                       job->family);
    if (job->input && job->input->size > RF_MAX_WORKER_INPUT)
        return rf_fail(&job->err, RF_ELIMIT, "the file has more than %llu bytes",
                       (unsigned long long)RF_MAX_WORKER_INPUT);
    if (job->input && job->input->kind == RF_BYTES_FILE)
        return rf_reader_open(r, job->input, &job->err);
    return RF_OK;
}

/* Hand the job to the worker. */
static enum rf_code ask(struct rf_worker *w, struct rf_job *job, int file, uint64_t max_bytes)
{
    char own[MAX_OWN_LINES];
    int n = snprintf(own, sizeof own, "size=%llu\nmax_answer=%llu\n",
                     (unsigned long long)(job->input ? job->input->size : 0),
                     (unsigned long long)max_bytes);
    bool copy = job->input && file < 0;
    enum rf_code rc = copy ? copy_input(w, job->input, &job->err) : RF_OK;
    if (!rc && !send_ask(w, (struct rf_str){ own, (size_t)n }, job->ask, copy ? w->memory : file))
        shutdown(w->process.socket, SHUT_RDWR); /* it is dead: its last words and its end say why */
    return rc;
}

/* How it went wrong */

static bool has_changed(const struct rf_bytes *input)
{
    struct rf_reader r;
    bool same = !input || input->kind != RF_BYTES_FILE || !rf_reader_open(&r, input, NULL);
    if (same && input && input->kind == RF_BYTES_FILE)
        rf_reader_close(&r);
    return !same;
}

static enum rf_code died_at_start(struct rf_job *job, struct rf_process_end end)
{
    bool refused = end.status == RF_WORKER_SANDBOX_REFUSED;
    rf_fail(&job->err, refused ? RF_ESANDBOX : RF_ECONFIG,
            "the program \"refract-media-%s\" does not start%s", job->family,
            refused ? ": its sandbox was refused by the system" : "");
    rf_advise(&job->err, RF_REASON_NO_WORKER, "Run it by hand to see what is missing.");
    return job->err.code;
}

static enum rf_code died(struct rf_job *job, struct rf_process_end end)
{
    struct rf_err *err = &job->err;
    if (has_changed(job->input))
        return rf_fail(err, RF_EIO, "the file changed while it was read");
    switch (end.signal) {
    case SIGXCPU:
        return rf_fail(err, RF_ELIMIT,
                       "reading the file takes more processor time than is allowed");
    case SIGABRT:
    case SIGTRAP: /* how GLib gives up */
        return rf_fail(err, RF_EIO,
                       "the worker \"%s\" gave up on the file: out of memory, or a fault in "
                       "a library",
                       job->family);
    case SIGKILL:
        return rf_fail(err, RF_EIO, "the worker \"%s\" was killed while it read the file",
                       job->family);
    case 0:
        return rf_fail(err, RF_EIO, "the worker \"%s\" ended in the middle of its answer",
                       job->family);
    default:
        return rf_fail(err, RF_EIO, "the worker \"%s\" crashed on the file (%s)", job->family,
                       strsignal(end.signal));
    }
}

static int64_t timeout_ms(const struct rf_job *job)
{
    return job->timeout_ms > 0 ? job->timeout_ms : USUAL_TIMEOUT_MS;
}

static enum rf_code took_too_long(struct rf_job *job)
{
    int64_t ms = timeout_ms(job);
    return rf_fail(&job->err, RF_ELIMIT, "the file could not be read within %lld.%lld seconds",
                   (long long)(ms / 1000), (long long)(ms % 1000 / 100));
}

static enum rf_code could_not_wait(struct rf_job *job)
{
    return rf_fail_errno(&job->err, "could not wait for a worker");
}

static enum rf_code was_cancelled(struct rf_job *job)
{
    return rf_fail(&job->err, RF_EINTERRUPTED, "reading the file was stopped");
}

/* The queue: tasks that were begun, and after them those that wait */

static void append(struct rf_jobs *jobs, struct rf_task *t)
{
    t->at = jobs->end;
    *jobs->end = t;
    jobs->end = &t->next;
    if (!jobs->waiting)
        jobs->waiting = t;
}

static void unlink_task(struct rf_jobs *jobs, struct rf_task *t)
{
    if (jobs->waiting == t)
        jobs->waiting = t->next;
    *t->at = t->next;
    if (t->next)
        t->next->at = t->at;
    else
        jobs->end = t->at;
}

/* Nobody waits for the task any more. */
static void leave(struct rf_task *t)
{
    rf_timer_clear(t->jobs->loop, &t->timer);
    unlink_task(t->jobs, t);
    rf_intake_end(&t->in);
    t->in.job->task = NULL;
}

static struct rf_worker *part(struct rf_task *t)
{
    struct rf_worker *w = t->worker;
    rf_loop_watch(t->jobs->loop, w->process.socket, 0, NULL, NULL);
    t->worker = NULL;
    t->jobs->busy--;
    rf_pool_leave(t->jobs->workers);
    return w;
}

/* Workers that nobody wants any more are killed, and waited for by the loop */

static void forget_dead(struct rf_jobs *jobs, struct rf_worker **at)
{
    struct rf_worker *w = *at;
    *at = w->next;
    rf_loop_watch(jobs->loop, w->process.handle, 0, NULL, NULL);
    rf_worker_end(w);
}

static void take_dead(void *ctx, int handle, int events)
{
    struct rf_jobs *jobs = ctx;
    struct rf_worker **at = &jobs->dying;
    (void)events;
    while (*at && (*at)->process.handle != handle)
        at = &(*at)->next;
    if (*at)
        forget_dead(jobs, at);
}

/* Takes NULL. Where the loop cannot wait for it, this does. */
static void discard(struct rf_jobs *jobs, struct rf_worker *w)
{
    if (!w)
        return;
    rf_process_kill(&w->process);
    if (w->process.handle < 0 ||
        !rf_loop_watch(jobs->loop, w->process.handle, RF_LOOP_READ, take_dead, jobs)) {
        rf_worker_end(w);
        return;
    }
    w->next = jobs->dying;
    jobs->dying = w;
}

static void begin_waiting(struct rf_jobs *jobs);

static void tell(struct rf_task *t)
{
    struct rf_jobs *jobs = t->jobs;
    struct rf_job *job = t->in.job;
    leave(t);
    begin_waiting(jobs);
    rf_job_inherit(job, t->in.arena);
    if (!jobs->waiting)
        discard(jobs, rf_pool_keep_spare(jobs->workers, job));
    if (t->done)
        t->done(t->ctx, job);
}

/* The answer is whole: the worker can take the next ask. */
static void finish(struct rf_task *t)
{
    struct rf_worker *w = part(t);
    w->jobs++;
    if (w->memory >= 0 && w->memory_size > MAX_KEPT_MEMORY) {
        close(w->memory);
        w->memory = -1;
    }
    discard(t->jobs, rf_pool_put(t->jobs->workers, w));
    tell(t);
}

/* The worker is dead, which says how the job failed. */
static void lose(struct rf_task *t)
{
    struct rf_job *job = t->in.job;
    struct rf_process_end end = rf_worker_end(part(t));
    bool killed = end.signal == SIGKILL; /* which says nothing about its start */
    job->failed = t->in.ready || killed ? died(job, end) : died_at_start(job, end);
    tell(t);
}

/* The worker must die. */
static void give_up(struct rf_task *t, enum rf_code why)
{
    t->in.job->failed = why;
    discard(t->jobs, part(t));
    tell(t);
}

/* Steps */

static void due(void *ctx)
{
    struct rf_task *t = ctx;
    if (t->worker)
        give_up(t, took_too_long(t->in.job));
    else
        tell(t);
}

/* Some of what the worker says. */
static void receive(void *ctx, int socket, int events)
{
    struct rf_task *t = ctx;
    char buffer[RECEIVE_BYTES];
    (void)events;
    ssize_t n = recv(socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        lose(t);
        return;
    }
    enum rf_intake_state state = rf_intake_feed(&t->in, (struct rf_str){ buffer, (size_t)n });
    if (!t->worker) { /* it was cancelled at a step */
        t->jobs->stopped = true;
        return;
    }
    if (t->in.ready && !t->worker->ready) { /* what follows is the time of the file */
        t->worker->ready = true;
        rf_timer_set(t->jobs->loop, &t->timer, rf_now_ms() + timeout_ms(t->in.job));
    }
    switch (state) {
    case RF_INTAKE_MORE:
        break;
    case RF_INTAKE_OVER:
        finish(t);
        break;
    case RF_INTAKE_BROKEN:
        give_up(t, t->in.job->failed);
        break;
    }
}

/* Give the job to a warm worker, or else to a new one. */
static enum rf_code give(struct rf_task *t, int file)
{
    struct rf_jobs *jobs = t->jobs;
    struct rf_job *job = t->in.job;
    struct rf_worker *w;
    enum rf_code rc = rf_pool_take(jobs->workers, job, &w, &job->err);
    if (rc)
        return rc;
    t->in.ready = w->ready;
    rc = ask(w, job, file, t->in.max_bytes);
    if (!rc && !rf_loop_watch(jobs->loop, w->process.socket, RF_LOOP_READ, receive, t))
        rc = could_not_wait(job);
    if (rc) {
        rf_worker_end(w);
        return rc;
    }
    t->worker = w;
    rf_timer_set(jobs->loop, &t->timer,
                 rf_now_ms() + timeout_ms(job) + (w->ready ? 0 : START_TIMEOUT_MS));
    return RF_OK;
}

static void begin(struct rf_task *t)
{
    struct rf_jobs *jobs = t->jobs;
    struct rf_job *job = t->in.job;
    struct rf_reader r;
    job->failed = open_input(job, &r);
    if (!job->failed)
        job->failed = give(t, r.fd);
    rf_reader_close(&r);
    if (!job->failed) {
        jobs->busy++;
        return;
    }
    rf_pool_leave(jobs->workers);
    rf_timer_set(jobs->loop, &t->timer, rf_now_ms());
}

static void begin_waiting(struct rf_jobs *jobs)
{
    while (jobs->waiting && jobs->busy < MAX_BUSY && rf_pool_enter(jobs->workers, jobs->busy)) {
        struct rf_task *t = jobs->waiting;
        jobs->waiting = t->next;
        begin(t);
    }
}

void rf_jobs_init(struct rf_jobs *jobs, struct rf_workers *w, struct rf_loop *loop)
{
    *jobs = (struct rf_jobs){ .workers = w, .loop = loop, .end = &jobs->first };
}

void rf_jobs_release(struct rf_jobs *jobs)
{
    jobs->waiting = NULL; /* none of them is begun now */
    while (jobs->first)
        rf_job_cancel(jobs->first->in.job);
    while (jobs->dying)
        forget_dead(jobs, &jobs->dying);
}

void rf_job_start(struct rf_jobs *jobs, struct rf_job *job, struct rf_arena *a,
                  void (*done)(void *ctx, struct rf_job *job), void *ctx)
{
    struct rf_task *t = RF_NEW(a, struct rf_task);
    rf_job_reset(job);
    job->task = t;
    t->jobs = jobs;
    t->timer = (struct rf_timer){ .due = due, .ctx = t };
    t->done = done;
    t->ctx = ctx;
    rf_intake_begin(&t->in, job, false, a);
    append(jobs, t);
    begin_waiting(jobs);
}

void rf_job_cancel(struct rf_job *job)
{
    struct rf_task *t = job->task;
    if (!t)
        return;
    if (t->worker)
        discard(t->jobs, part(t));
    job->failed = was_cancelled(job);
    t->in.state = RF_INTAKE_BROKEN;
    leave(t);
    begin_waiting(t->jobs);
}

/* Blocking */

static void fail_all(struct rf_job *jobs, size_t count, enum rf_code (*fail)(struct rf_job *job))
{
    for (size_t i = 0; i < count; i++) {
        rf_job_reset(&jobs[i]);
        jobs[i].failed = fail(&jobs[i]);
    }
}

void rf_workers_run(struct rf_workers *w, struct rf_job *jobs, size_t count, struct rf_arena *a)
{
    struct rf_loop loop;
    struct rf_jobs queue;
    int cancel_fd = count && jobs[0].cancel_fd ? jobs[0].cancel_fd : -1;
    bool cancelled = cancel_fd >= 0 && rf_fd_readable(cancel_fd);
    if (cancelled || !rf_pool_take_loop(w, &loop)) {
        fail_all(jobs, count, cancelled ? was_cancelled : could_not_wait);
        return;
    }
    rf_jobs_init(&queue, w, &loop);
    for (size_t i = 0; i < count; i++)
        rf_job_start(&queue, &jobs[i], a, NULL, NULL);
    while (queue.first && !queue.stopped && !rf_loop_wait(&loop, cancel_fd, -1))
        rf_loop_step(&loop);
    rf_jobs_release(&queue);
    rf_pool_put_loop(w, &loop);
}

enum rf_code rf_worker_check(struct rf_workers *w, const char *family, struct rf_arena *a,
                             struct rf_confinement *out, struct rf_err *err)
{
    struct rf_job job = { .family = family, .ask = RF_STR("op=check\n") };
    rf_workers_run(w, &job, 1, a);
    if (out)
        *out = (struct rf_confinement){
            .layers = rf_prop_str(job.facts, job.fact_count, "layers"),
            .missing = rf_prop_str(job.facts, job.fact_count, "missing"),
        };
    if (job.failed && err)
        *err = job.err;
    return !job.failed || job.failed == RF_ESANDBOX ? job.failed : RF_ECONFIG;
}
