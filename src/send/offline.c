/* Over the pipe come the status, as an int, and then the bytes; its end is that of the reply. The
 * thread owns all that it works with and nobody waits for it: cancelling closes our ends of the
 * pipes, by which it knows that it can stop. */
#include "send/offline.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_REFUSAL ((size_t)1 << 20)
#define PIECE 16384

bool rf_offline_is(const struct rf_model *m)
{
    const struct rf_provider_row *row = rf_provider_row(m->provider);
    return row && row->base_url && strcmp(row->base_url, "sim:") == 0;
}

struct rf_offline_call rf_offline_call_of(const struct rf_model *m, struct rf_arena *a)
{
    const struct rf_provider_row *row = rf_provider_row(m->provider);
    return (struct rf_offline_call){
        .path = rf_strf(a, "/%s%s", row->provider, row->path).p,
        .headers = rf_strf(a, "content-type: application/json\n%s", row->headers).p,
        .stop_fd = -1,
    };
}

/* The thread */

struct talk {
    struct rf_arena *arena; /* this lives in it */
    struct rf_offline offline;
    struct rf_offline_call call;
    int out; /* the pipe */
    bool begun;
};

static bool write_all(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno != EINTR)
            return false;
        p += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* False where it was told to stop meanwhile. */
static bool wait_ms(int stop_fd, int64_t ms)
{
    struct pollfd p = { .fd = stop_fd, .events = POLLIN };
    int timeout = ms > INT32_MAX ? INT32_MAX : (int)(ms > 0 ? ms : 0), got;
    do
        got = poll(&p, 1, timeout);
    while (got < 0 && errno == EINTR);
    return got <= 0;
}

static bool say(void *to, int status, struct rf_str bytes, int64_t delay_ms)
{
    struct talk *t = to;
    if (!wait_ms(t->call.stop_fd, delay_ms))
        return false;
    bool goes_on = t->begun || write_all(t->out, &status, sizeof status);
    t->begun = true;
    return goes_on && write_all(t->out, bytes.p, bytes.n);
}

static void talk_free(struct talk *t)
{
    close(t->out);
    close(t->call.stop_fd);
    rf_arena_free(t->arena);
}

static void *talk(void *ctx)
{
    struct talk *t = ctx;
    t->offline.answer(t->offline.ctx, &t->call);
    talk_free(t);
    return NULL;
}

/* It takes no signals: a pipe that nobody reads is an error of writing. */
static bool start_thread(struct talk *t)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, talk, t) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_detach(thread);
    return started;
}

/* The loop */

struct rf_offline_sender {
    struct rf_loop *loop;
    struct rf_sending s;
    struct rf_arena *arena; /* of the caller */
    struct rf_sent *out;
    struct rf_timer timer; /* to begin with */
    struct talk *talk;     /* until it has begun */
    int in, stop;          /* our ends of the pipes; -1: closed */
    int status;            /* 0: it is not known yet */
    struct rf_buf refusal;
    bool busy, dropped; /* a callback is called; cancelled by it */
};

static void leave(struct rf_offline_sender *o)
{
    rf_timer_clear(o->loop, &o->timer);
    if (o->talk)
        talk_free(o->talk);
    if (o->in >= 0) {
        rf_loop_watch(o->loop, o->in, 0, NULL, NULL);
        (void)!write(o->stop, "", 1);
        close(o->in);
        close(o->stop);
    }
    free(o);
}

static void end(struct rf_offline_sender *o, enum rf_code rc, struct rf_err *err)
{
    struct rf_sending s = o->s;
    *o->out = (struct rf_sent){ .status = o->status, .tries = 1, .reached = o->out->reached };
    if (!rc && o->status != 200)
        s.refusal(s.model, o->status, (struct rf_str){ o->refusal.p, o->refusal.n }, o->arena,
                  &o->out->refusal);
    leave(o);
    if (s.done)
        s.done(s.done_ctx, rc, err);
}

/* True where it goes on. */
static bool take(struct rf_offline_sender *o, struct rf_str bytes)
{
    if (!o->status) { /* it is written at once, so it is read at once */
        memcpy(&o->status, bytes.p, sizeof o->status);
        bytes = (struct rf_str){ bytes.p + sizeof o->status, bytes.n - sizeof o->status };
    }
    if (o->status != 200 || !bytes.n) {
        rf_buf_add(&o->refusal, bytes);
        return true;
    }
    o->out->status = o->status;
    o->busy = true;
    bool goes_on = !o->s.bytes || o->s.bytes(o->s.ctx, bytes);
    o->busy = false;
    return goes_on;
}

static void on_ready(void *ctx, int fd, int events)
{
    struct rf_offline_sender *o = ctx;
    struct rf_err err = { 0 };
    char bytes[PIECE];
    ssize_t n = read(fd, bytes, sizeof bytes);
    (void)events;
    if (n < 0)
        return;
    bool goes_on = !n || take(o, (struct rf_str){ bytes, (size_t)n });
    if (o->dropped)
        leave(o);
    else if (!goes_on)
        end(o, rf_fail(&err, RF_ELIMIT, "the answer was not taken to its end"), &err);
    else if (!n && !o->status)
        end(o, rf_fail(&err, RF_EPROVIDER, "the model \"offline\" did not answer"), &err);
    else if (!n)
        end(o, RF_OK, &err);
}

/* Both pipes; ours are not inherited, and the one that we read does not block. */
static bool open_pipes(struct rf_offline_sender *o)
{
    int answer[2], stop[2];
    if (pipe2(answer, O_CLOEXEC) != 0)
        return false;
    if (pipe2(stop, O_CLOEXEC) != 0) {
        close(answer[0]);
        close(answer[1]);
        return false;
    }
    fcntl(answer[0], F_SETFL, O_NONBLOCK);
    o->in = answer[0];
    o->stop = stop[1];
    o->talk->out = answer[1];
    o->talk->call.stop_fd = stop[0];
    return true;
}

static void begin(void *ctx)
{
    struct rf_offline_sender *o = ctx;
    struct rf_err err = { 0 };
    enum rf_code rc =
        rf_rope_flatten(o->s.body, RF_OFFLINE_MOST, o->talk->arena, &o->talk->call.body, &err);
    if (!rc && !open_pipes(o))
        rc = rf_fail_errno(&err, "could not make a pipe");
    if (!rc &&
        (!rf_loop_watch(o->loop, o->in, RF_LOOP_READ, on_ready, o) || !start_thread(o->talk)))
        rc = rf_fail(&err, RF_EIO, "could not start a thread");
    if (rc) {
        end(o, rc, &err);
        return;
    }
    o->talk = NULL; /* it is the thread's */
    o->out->reached = true;
}

struct rf_offline_sender *rf_offline_start(struct rf_net *net, const struct rf_offline *offline,
                                           const struct rf_sending *s, struct rf_arena *a,
                                           struct rf_sent *out)
{
    struct rf_arena *own = rf_arena_new();
    struct rf_offline_sender *o = calloc(1, sizeof *o);
    if (!o)
        RF_NO_MEMORY();
    *o = (struct rf_offline_sender){
        .loop = rf_net_loop(net),
        .s = *s,
        .arena = a,
        .out = out,
        .timer = { .due = begin, .ctx = o },
        .talk = RF_NEW(own, struct talk),
        .in = -1,
    };
    *o->talk = (struct talk){
        .arena = own, .offline = *offline, .call = rf_offline_call_of(s->model, own), .out = -1
    };
    o->talk->call.reply = say;
    o->talk->call.to = o->talk;
    *out = (struct rf_sent){ 0 };
    rf_buf_init(&o->refusal, a, MOST_REFUSAL);
    rf_timer_set(o->loop, &o->timer, 0);
    return o;
}

void rf_offline_cancel(struct rf_offline_sender *o)
{
    if (o->busy)
        o->dropped = true;
    else
        leave(o);
}

void rf_offline_pause(struct rf_offline_sender *o)
{
    if (o->in >= 0)
        rf_loop_watch(o->loop, o->in, 0, NULL, NULL);
}

void rf_offline_resume(struct rf_offline_sender *o)
{
    if (o->in >= 0)
        rf_loop_watch(o->loop, o->in, RF_LOOP_READ, on_ready, o);
}
