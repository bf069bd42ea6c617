/* A step of a call does what can be done now and says how that went; conclude() acts on it when no
 * callback is on the stack any more.
 *
 * The request goes out with one sendmsg where the system has room: the head, and the pieces of the
 * body where they lie. A server may answer before it has all of it. */
#include "net/direct.h"

#include "base/arena.h"
#include "net/inside.h"
#include "net/multi.h"
#include "net/transfer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#define ROUNDS 8 /* of receiving, before others have their turn */

enum step {
    GOES_ON,
    NEEDS_LINK, /* no connection is kept */
    WHOLE,      /* the answer has come */
    DIED,       /* the connection did, before a byte of an answer came */
    BROKEN,     /* t->stop, t->refused or t->why says why */
};

static enum step broken(struct rf_transfer *t, const char *why)
{
    snprintf(t->why, sizeof t->why, "%s", why);
    return BROKEN;
}

/* The request */

static void lend(struct rf_direct *d, struct rf_str run)
{
    d->runs[d->run_count++] =
        (struct iovec){ .iov_base = (void *)(uintptr_t)run.p, .iov_len = run.n };
}

/* Text stays where it is; what a piece is encoded into is lost with the next one. */
static bool lends_more(const struct rf_rope_reader *r)
{
    return r->piece < r->rope->count && r->rope->pieces[r->piece].kind == RF_PIECE_TEXT;
}

/* The next runs that can be sent at once. Fails as reading the body does. */
static enum rf_code fill(struct rf_transfer *t)
{
    struct rf_direct *d = &t->direct;
    d->run_at = d->run_count = 0;
    if (!d->sent)
        lend(d, d->head);
    while (t->call.body && d->run_count < RF_DIRECT_RUNS) {
        bool lasting = lends_more(&t->body);
        struct rf_str run;
        struct rf_err err;
        enum rf_code rc = rf_rope_next(&t->body, &run, &err);
        if (rc) {
            RF_ERR_COPY(t->arena, t->err, &err);
            return rc;
        }
        if (run.n)
            lend(d, run);
        if (!lasting)
            break;
    }
    return RF_OK;
}

static void count_sent(struct rf_transfer *t, size_t n)
{
    struct rf_direct *d = &t->direct;
    d->sent += n;
    t->body_read = d->sent > d->head.n ? d->sent - d->head.n : 0;
    t->moved_ms = rf_loop_now_ms(t->loop);
    while (n) {
        struct iovec *run = &d->runs[d->run_at];
        size_t part = n < run->iov_len ? n : run->iov_len;
        run->iov_base = (char *)run->iov_base + part;
        run->iov_len -= part;
        n -= part;
        d->run_at += !run->iov_len;
    }
}

static bool is_sent(const struct rf_transfer *t)
{
    return t->direct.sent >= t->direct.head.n && rf_transfer_is_sent(t);
}

/* A server that has closed may have answered before. */
static enum step cannot_send(struct rf_transfer *t)
{
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
        return GOES_ON;
    t->direct.closed = errno == EPIPE || errno == ECONNRESET;
    if (t->direct.closed)
        return GOES_ON;
    snprintf(t->why, sizeof t->why, "Send failure: %s", strerror(errno));
    return BROKEN;
}

static enum step send_some(struct rf_transfer *t)
{
    struct rf_direct *d = &t->direct;
    while (!is_sent(t)) {
        if (d->run_at == d->run_count && fill(t)) {
            t->stop = RF_TRANSFER_NO_BODY;
            return BROKEN;
        }
        if (d->run_at == d->run_count)
            RF_BUG("a body is shorter than it says");
        const struct msghdr m = { .msg_iov = d->runs + d->run_at,
                                  .msg_iovlen = d->run_count - d->run_at };
        ssize_t n = sendmsg(d->link->fd, &m, MSG_NOSIGNAL);
        if (n < 0)
            return cannot_send(t);
        count_sent(t, (size_t)n);
    }
    if (t->call.body)
        rf_rope_reader_release(&t->body); /* its buffers are larger than all the rest */
    rf_transfer_arm(t);
    return GOES_ON;
}

static void watch(struct rf_transfer *t)
{
    const struct rf_direct *d = &t->direct;
    int events = (d->muted ? 0 : RF_LOOP_READ) | (is_sent(t) || d->closed ? 0 : RF_LOOP_WRITE);
    if (rf_link_watch(d->link, events))
        return;
    t->unwatched = true;
    rf_timer_set(t->loop, &t->timer, 0);
}

/* The answer */

static void remember(struct rf_transfer *t, const struct rf_http1_said *said)
{
    struct rf_direct *d = &t->direct;
    if (rf_str_ieq(said->name, RF_STR("content-type")))
        d->type = rf_str_dup(t->arena, said->value);
    else if (rf_str_ieq(said->name, RF_STR("location")))
        d->location = rf_str_dup(t->arena, said->value);
}

static enum step take_item(struct rf_transfer *t, enum rf_http1_item item,
                           const struct rf_http1_said *said)
{
    struct rf_direct *d = &t->direct;
    switch (item) {
    case RF_HTTP1_MORE:
        break;
    case RF_HTTP1_STATUS:
        d->type = d->location = (struct rf_str){ 0 };
        return rf_transfer_take_status(t) ? GOES_ON : broken(t, "its head has no end");
    case RF_HTTP1_HEADER:
        remember(t, said);
        return rf_transfer_take_header(t, said->name, said->value)
                   ? GOES_ON
                   : broken(t, "its head has no end");
    case RF_HTTP1_BYTES:
        return rf_transfer_take_bytes(t, said->bytes) ? GOES_ON : BROKEN;
    case RF_HTTP1_END:
        return WHOLE;
    case RF_HTTP1_BROKEN:
        return broken(t, d->answer.why);
    }
    return GOES_ON;
}

/* As far as the receiver wants it. */
static enum step take(struct rf_transfer *t, struct rf_str *in)
{
    enum step s = GOES_ON;
    while (s == GOES_ON && !t->dropped && !t->paused) {
        struct rf_http1_said said;
        enum rf_http1_item item = rf_http1_next(&t->direct.answer, in, &said);
        if (item == RF_HTTP1_MORE)
            break;
        s = take_item(t, item, &said);
    }
    t->direct.surplus = s == WHOLE && in->n > 0;
    return s;
}

static void hold(struct rf_direct *d, struct rf_str rest)
{
    if (!rest.n)
        return;
    d->held = malloc(rest.n);
    if (!d->held)
        RF_NO_MEMORY();
    memcpy(d->held, rest.p, rest.n);
    d->held_n = rest.n;
    d->held_at = 0;
}

static void drop_held(struct rf_direct *d)
{
    free(d->held);
    d->held = NULL;
    d->held_n = d->held_at = 0;
}

static enum step take_held(struct rf_transfer *t)
{
    struct rf_direct *d = &t->direct;
    struct rf_str in = { d->held ? d->held + d->held_at : "", d->held_n - d->held_at };
    enum step s = take(t, &in);
    d->held_at = d->held_n - in.n;
    if (!in.n)
        drop_held(d);
    return s;
}

/* The connection is closed, or broke (errno; 0: it was closed). */
static enum step lose(struct rf_transfer *t, int error)
{
    struct rf_direct *d = &t->direct;
    if (error)
        snprintf(t->why, sizeof t->why, "Recv failure: %s", strerror(error));
    else if (!d->heard)
        snprintf(t->why, sizeof t->why, "Empty reply from server");
    if (!d->heard)
        return DIED;
    if (error)
        return BROKEN;
    return rf_http1_close(&d->answer) == RF_HTTP1_END ? WHOLE : broken(t, d->answer.why);
}

static enum step receive(struct rf_transfer *t)
{
    struct rf_direct *d = &t->direct;
    char *room = d->link->all->room;
    for (int round = 0; round < ROUNDS; round++) {
        ssize_t n = recv(d->link->fd, room, RF_LINK_ROOM, 0);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
            return GOES_ON;
        if (n <= 0)
            return lose(t, n ? errno : 0);
        struct rf_str in = { room, (size_t)n };
        d->heard = true;
        t->moved_ms = rf_loop_now_ms(t->loop);
        enum step s = take(t, &in);
        if (s == GOES_ON && t->paused)
            hold(d, in);
        if (s != GOES_ON || t->paused || t->dropped || n < (ssize_t)RF_LINK_ROOM)
            return s;
    }
    return GOES_ON;
}

/* Where it leads, as libcurl reads it. */
static struct rf_str redirect_of(struct rf_transfer *t)
{
    const struct rf_direct *d = &t->direct;
    struct rf_str url = { 0 };
    char *whole = NULL;
    if (d->answer.status < 300 || d->answer.status >= 400 || !d->location.n)
        return url;
    CURLU *u = rf_curl.url();
    if (!u)
        RF_NO_MEMORY();
    if (!rf_curl.url_set(u, CURLUPART_URL, t->call.url, 0) &&
        !rf_curl.url_set(u, CURLUPART_URL, rf_cstr(t->arena, d->location),
                         CURLU_NON_SUPPORT_SCHEME) &&
        !rf_curl.url_get(u, CURLUPART_URL, &whole, 0))
        url = rf_str_dup(t->arena, rf_str(whole));
    else
        url = d->location;
    rf_curl.free(whole);
    rf_curl.url_cleanup(u);
    return url;
}

/* Steps */

static enum step begin_request(struct rf_transfer *t)
{
    struct rf_direct *d = &t->direct;
    bool head_only = t->call.method && strcmp(t->call.method, "HEAD") == 0;
    rf_http1_release(&d->answer);
    rf_http1_init(&d->answer, head_only ? RF_HTTP1_HEAD_ONLY : RF_HTTP1_WHOLE);
    d->link->user = t;
    if (t->call.body)
        rf_rope_reader_init(&t->body, t->call.body);
    return send_some(t);
}

static enum step begin(struct rf_transfer *t)
{
    struct rf_direct *d = &t->direct;
    struct rf_link *link = rf_link_take(rf_multi_links(t->net->multi), d->place);
    if (!link)
        return NEEDS_LINK;
    d->link = link;
    d->kept = true;
    t->reply->peer_known = link->peer_known;
    memcpy(t->reply->peer, link->peer, sizeof link->peer);
    return rf_transfer_begin(t) ? begin_request(t) : BROKEN;
}

static enum step go_on(struct rf_transfer *t)
{
    if (!t->direct.link)
        return t->easy ? GOES_ON : begin(t); /* it is being connected, or was not begun */
    t->direct.muted = false;
    return take_held(t);
}

/* Conclusions */

static void let_go(struct rf_transfer *t)
{
    struct rf_direct *d = &t->direct;
    struct rf_link *link = d->link;
    d->link = NULL;
    if (rf_http1_keeps(&d->answer) && is_sent(t) && !d->surplus)
        rf_link_leave(link);
    else
        rf_link_close(link);
}

/* A server that had nothing of it did nothing. */
static bool goes_again(const struct rf_transfer *t)
{
    return t->direct.kept && (!t->direct.sent || rf_transfer_may_repeat(t));
}

/* Once, and on a connection of its own. */
static void send_again(struct rf_transfer *t)
{
    struct rf_direct *d = &t->direct;
    rf_link_close(d->link);
    d->link = NULL;
    d->kept = d->closed = false;
    d->run_at = d->run_count = 0;
    d->sent = 0;
    t->body_read = 0;
    t->why[0] = '\0';
    if (t->call.body)
        rf_rope_reader_release(&t->body);
    rf_multi_connect(t);
}

static void end(struct rf_transfer *t, CURLcode code)
{
    struct rf_err err;
    rf_err_clear(&err);
    enum rf_code rc = rf_transfer_outcome(t, code, &err);
    rf_multi_end(t, rc, &err);
}

static void conclude(struct rf_transfer *t, enum step s)
{
    switch (s) {
    case GOES_ON:
        if (t->direct.link)
            watch(t);
        break;
    case NEEDS_LINK:
        rf_multi_connect(t);
        break;
    case WHOLE:
        t->reply->redirect = redirect_of(t);
        let_go(t);
        end(t, CURLE_OK);
        break;
    case DIED:
        if (goes_again(t))
            send_again(t);
        else
            end(t, CURLE_GOT_NOTHING);
        break;
    case BROKEN:
        end(t, CURLE_RECV_ERROR);
        break;
    }
}

static void run(struct rf_transfer *t, enum step (*step)(struct rf_transfer *t))
{
    struct rf_multi *m = t->net->multi;
    rf_multi_enter(m);
    enum step s = step(t);
    if (s == WHOLE && !t->dropped)
        rf_transfer_end(t);
    rf_multi_leave(m);
    if (!t->dropped)
        conclude(t, s);
    rf_multi_settle(m);
}

static enum step send_and_receive(struct rf_transfer *t)
{
    enum step s = send_some(t);
    return s == GOES_ON ? receive(t) : s;
}

/* What is held comes first, when the timer wakes it. */
void rf_direct_ready(struct rf_transfer *t, int events)
{
    bool reads = (events & RF_LOOP_READ) && !t->paused && !t->direct.held;
    bool writes = (events & RF_LOOP_WRITE) && !is_sent(t);
    if ((events & RF_LOOP_READ) && t->paused)
        t->direct.muted = true;
    if (reads)
        run(t, writes ? send_and_receive : receive);
    else if (writes)
        run(t, send_some);
    else
        watch(t);
}

void rf_direct_connected(struct rf_transfer *t, int fd)
{
    struct rf_direct *d = &t->direct;
    d->link = rf_link_new(rf_multi_links(t->net->multi), fd, d->place);
    d->link->peer_known = t->reply->peer_known;
    memcpy(d->link->peer, t->reply->peer, sizeof d->link->peer);
    run(t, begin_request);
}

static void on_wake(void *ctx)
{
    run(ctx, go_on);
}

void rf_direct_resume(struct rf_transfer *t)
{
    rf_timer_set(t->loop, &t->direct.wake, 0);
}

/* Life cycle */

bool rf_direct_fits(const struct rf_net_call *c, const char *proxy, struct rf_web_place *place)
{
    return !proxy && rf_head_fits(c) && rf_web_place_read(c->url, place);
}

enum rf_code rf_direct_start(struct rf_transfer *t, const struct rf_web_place *place,
                             struct rf_err *err)
{
    struct rf_direct *d = &t->direct;
    t->is_direct = true;
    d->place = place->authority;
    d->wake = (struct rf_timer){ .due = on_wake, .ctx = t };
    enum rf_code rc = rf_head_write(&t->call, place, t->arena, &d->head, err);
    if (!rc)
        rf_timer_set(t->loop, &d->wake, 0);
    return rc;
}

void rf_direct_release(struct rf_transfer *t)
{
    struct rf_direct *d = &t->direct;
    if (d->link)
        rf_link_close(d->link);
    d->link = NULL;
    rf_timer_clear(t->loop, &d->wake);
    rf_http1_release(&d->answer);
    drop_held(d);
}
