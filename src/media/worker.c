/* A run has a few slots, each with a worker and the job that it is busy with, and waits for all of
 * them with one poll.
 *
 * The ask follows the start of a worker at once: it is read after the sandbox closed, and nobody
 * waits for the worker's first word. A worker that died while it lay in the list is replaced
 * without a word; one that dies over a job fails that job, which is not tried again: the file may
 * be what kills. */
#include "media/worker.h"

#include "base/arena.h"
#include "base/clock.h"
#include "media/protocol.h"
#include "media/worker_intake.h"
#include "media/worker_pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_SLOTS 16
#define USUAL_TIMEOUT_MS 60000
#define START_TIMEOUT_MS 20000               /* on top, until the first word of a worker */
#define MAX_KEPT_MEMORY ((uint64_t)16 << 20) /* of a worker's memory file between jobs */
#define RECEIVE_BYTES ((size_t)256 << 10)
#define MAX_OWN_LINES 80 /* that we put before an ask */
#define COPY_BYTES ((size_t)256 << 10)

/* One job under way. */
struct slot {
    struct rf_worker *worker; /* NULL: free */
    struct rf_intake in;
    int64_t deadline_ms;
};

struct run {
    struct rf_workers *workers;
    struct rf_arena *arena;
    struct rf_job *jobs;
    size_t count, next; /* the next job to begin */
    struct slot slots[MAX_SLOTS];
    size_t slot_count, busy;
    char *buffer; /* RECEIVE_BYTES */
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

/* Slots */

static void leave(struct run *run, struct slot *slot)
{
    rf_intake_end(&slot->in);
    slot->worker = NULL;
    run->busy--;
    rf_pool_leave(run->workers);
}

/* The answer is whole: the worker can take the next ask. */
static void finish(struct run *run, struct slot *slot)
{
    struct rf_worker *w = slot->worker;
    w->jobs++;
    if (w->memory >= 0 && w->memory_size > MAX_KEPT_MEMORY) {
        close(w->memory);
        w->memory = -1;
    }
    leave(run, slot);
    rf_pool_put(run->workers, w);
}

/* The worker is dead, or must die; `why` is how the job failed, or RF_OK to tell from its death. */
static void lose(struct run *run, struct slot *slot, enum rf_code why)
{
    struct rf_job *job = slot->in.job;
    bool ready = slot->in.ready;
    struct rf_process_end end = rf_worker_end(slot->worker);
    bool killed = end.signal == SIGKILL; /* which says nothing about its start */
    job->failed = why ? why : ready || killed ? died(job, end) : died_at_start(job, end);
    leave(run, slot);
}

/* Give the job to a warm worker, or else to a new one. */
static enum rf_code give(struct run *run, struct slot *slot, struct rf_job *job, int file)
{
    struct rf_worker *w;
    enum rf_code rc = rf_pool_take(run->workers, job, &w, &job->err);
    if (rc)
        return rc;
    rf_intake_begin(&slot->in, job, w->ready, run->arena);
    rc = ask(w, job, file, slot->in.max_bytes);
    if (rc) {
        rf_worker_end(w);
        return rc;
    }
    slot->worker = w;
    slot->deadline_ms = rf_now_ms() + timeout_ms(job) + (w->ready ? 0 : START_TIMEOUT_MS);
    return RF_OK;
}

static void begin(struct run *run, struct slot *slot, struct rf_job *job)
{
    struct rf_reader r;
    job->failed = open_input(job, &r);
    if (!job->failed)
        job->failed = give(run, slot, job, r.fd);
    rf_reader_close(&r);
    if (slot->worker)
        run->busy++;
    else
        rf_pool_leave(run->workers);
}

static void begin_all(struct run *run)
{
    for (size_t i = 0; i < run->slot_count && run->next < run->count; i++)
        while (!run->slots[i].worker && run->next < run->count) {
            if (!rf_pool_enter(run->workers, run->busy))
                return;
            begin(run, &run->slots[i], &run->jobs[run->next++]);
        }
}

/* Some of what the worker says. */
static void receive(struct run *run, struct slot *slot)
{
    ssize_t n = recv(slot->worker->process.socket, run->buffer, RECEIVE_BYTES, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        lose(run, slot, RF_OK);
        return;
    }
    enum rf_intake_state state =
        rf_intake_feed(&slot->in, (struct rf_str){ run->buffer, (size_t)n });
    if (slot->in.ready && !slot->worker->ready) { /* what follows is the time of the file */
        slot->worker->ready = true;
        slot->deadline_ms = rf_now_ms() + timeout_ms(slot->in.job);
    }
    switch (state) {
    case RF_INTAKE_MORE:
        break;
    case RF_INTAKE_OVER:
        finish(run, slot);
        break;
    case RF_INTAKE_BROKEN:
        lose(run, slot, slot->in.job->failed);
        break;
    }
}

static int wait_ms(const struct run *run)
{
    int64_t first = INT64_MAX, now = rf_now_ms();
    for (size_t i = 0; i < run->slot_count; i++)
        if (run->slots[i].worker && run->slots[i].deadline_ms < first)
            first = run->slots[i].deadline_ms;
    return first <= now ? 0 : first - now > 60000 ? 60000 : (int)(first - now);
}

static void wait_for_workers(struct run *run)
{
    struct pollfd polled[MAX_SLOTS];
    for (size_t i = 0; i < run->slot_count; i++) {
        struct rf_worker *w = run->slots[i].worker;
        polled[i] = (struct pollfd){ .fd = w ? w->process.socket : -1, .events = POLLIN };
    }
    int ready = poll(polled, run->slot_count, wait_ms(run));
    for (size_t i = 0; ready > 0 && i < run->slot_count; i++)
        if (polled[i].revents)
            receive(run, &run->slots[i]);
    int64_t now = rf_now_ms();
    for (size_t i = 0; i < run->slot_count; i++)
        if (run->slots[i].worker && run->slots[i].deadline_ms <= now)
            lose(run, &run->slots[i], took_too_long(run->slots[i].in.job));
}

void rf_workers_run(struct rf_workers *w, struct rf_job *jobs, size_t count, struct rf_arena *a)
{
    struct run run = { .workers = w, .arena = a, .jobs = jobs, .count = count };
    run.slot_count = count < MAX_SLOTS ? count : MAX_SLOTS;
    run.buffer = malloc(RECEIVE_BYTES);
    if (!run.buffer)
        RF_NO_MEMORY();
    for (size_t i = 0; i < count; i++)
        rf_job_reset(&jobs[i]);
    while (run.next < run.count || run.busy) {
        begin_all(&run);
        if (run.busy)
            wait_for_workers(&run);
    }
    for (size_t i = 0; i < count; i++) {
        rf_job_inherit(&jobs[i], a);
        rf_pool_keep_spare(w, &jobs[i]);
    }
    free(run.buffer);
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
