/* A connection: what comes on it is handed to the handler, and what the handler says goes out.
 *
 * A handler may answer whenever it likes, from its own callbacks, too. So what it calls only notes
 * what there is to do, and wakes the connection; `advance` does it, from the loop and from nowhere
 * else. Only there a connection is closed, so that nobody above it still holds it.
 *
 * Bytes are received into a buffer that all connections of a server share, and are looked at there.
 * What cannot be taken yet, of a head that is not whole or of a later request, is kept in `in`. Large
 * bodies go straight to where the handler wants them. An idle connection holds no buffer at all. */
#include "httpd/inside.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define HELD ((size_t)64 << 10)      /* bytes of later requests that are taken in */
#define DIRECT ((uint64_t)16 << 10)  /* bytes of a body that are worth a call of their own */
#define DISCARD ((uint64_t)16 << 20) /* bytes of a body after its refusal */
#define ROUNDS 16                    /* before other connections have their turn */
#define LEAST_RATE 1024              /* bytes a second of a body; what is slower holds others up */

/* Those that are due. */

void rf_connection_wake(struct rf_connection *c)
{
    struct rf_httpd *h = c->server;
    if (c->due_at)
        return;
    c->next_due = h->due;
    c->due_at = &h->due;
    if (h->due)
        h->due->due_at = &c->next_due;
    h->due = c;
    if (!h->timer.place)
        rf_timer_set(h->loop, &h->timer, 0);
}

static void leave_due(struct rf_connection *c)
{
    if (!c->due_at)
        return;
    *c->due_at = c->next_due;
    if (c->next_due)
        c->next_due->due_at = c->due_at;
    c->due_at = NULL;
}

/* The deadline. */

static void set_deadline(struct rf_connection *c, int64_t ms)
{
    c->deadline_ms = rf_loop_now_ms(c->server->loop) + ms;
    if (!c->timer.place || c->timer.at_ms > c->deadline_ms)
        rf_timer_set(c->server->loop, &c->timer, c->deadline_ms);
}

/* What comes. */

static void refuse(struct rf_connection *c, int status, const char *why)
{
    const struct rf_httpd *h = c->server;
    if (h->handler->refuse)
        h->handler->refuse(h->ctx, &c->now.request, status, rf_str(why));
    else
        rf_httpd_reply(&c->now.request, status,
                       (struct rf_httpd_header[]){ { "content-type", "text/plain" }, { 0 } },
                       rf_str(why));
}

static void refuse_length(struct rf_connection *c)
{
    char why[120];
    snprintf(why, sizeof why, "the body is longer than the %llu bytes that are taken here",
             (unsigned long long)c->now.request.max_body);
    refuse(c, 413, why);
}

/* Is the client sending a body that somebody waits for? */
static bool awaits_body(const struct rf_connection *c)
{
    const struct rf_exchange *e = &c->now;
    return e->begun && !e->complete && !e->answered && !e->dead;
}

/* Is only the rest of a body on its way, whose reply was sent before it had come? */
static bool awaits_rest(const struct rf_connection *c)
{
    const struct rf_exchange *e = &c->now;
    return e->finished && !c->out.p && !e->complete && !e->dead;
}

static void refuse_head(struct rf_connection *c, struct rf_str bytes, int status, const char *why);

static void on_time(void *ctx)
{
    struct rf_connection *c = ctx;
    if (c->deadline_ms && c->deadline_ms > rf_loop_now_ms(c->server->loop)) {
        rf_timer_set(c->server->loop, &c->timer, c->deadline_ms);
    } else if (c->deadline_ms && awaits_body(c)) {
        c->deadline_ms = 0;
        c->closes = c->lingers = true;
        refuse(c, 408, "the body of the request comes too slowly");
    } else if (c->deadline_ms && awaits_rest(c)) {
        c->closes = c->lingers = true;
        rf_connection_wake(c);
    } else if (c->deadline_ms && !c->now.seen && !c->now.dead && c->in.p) {
        refuse_head(c, rf_waiting_rest(&c->in), 408, "the head of the request comes too slowly");
    } else if (c->deadline_ms) {
        rf_connection_drop(c);
    }
}

static void complete(struct rf_connection *c)
{
    struct rf_exchange *e = &c->now;
    e->complete = true;
    if (!e->answered && !e->dead)
        c->server->handler->complete(c->server->ctx, &e->request);
}

static void begin(struct rf_connection *c)
{
    struct rf_exchange *e = &c->now;
    e->begun = true;
    c->server->handler->begin(c->server->ctx, &e->request);
    if (!e->answered && !e->dead && e->head.length > e->request.max_body)
        refuse_length(c);
    e->reading = true;
    if (!e->answered && e->head.expects)
        rf_reply_continue(c);
    if (!e->head.has_body)
        complete(c);
}

static void look_at_head(struct rf_connection *c)
{
    struct rf_exchange *e = &c->now;
    c->idle = false;
    c->closes = e->head.closes;
    c->deadline_ms = 0;
    e->seen = true;
    e->request = (struct rf_httpd_request){
        .method = e->head.method,
        .path = e->head.path,
        .query = e->head.query,
        .max_body = c->server->options.max_body,
    };
    rf_entity_begin(&e->entity, &e->head);
    if (e->head.status)
        refuse(c, e->head.status, e->head.why);
    else
        begin(c);
}

/* Of which this is as much as has come, or is read. */
static void refuse_head(struct rf_connection *c, struct rf_str bytes, int status, const char *why)
{
    rf_head_parse(bytes, &c->now.head);
    c->now.head.status = status;
    c->now.head.why = why;
    look_at_head(c);
}

/* It has begun: from now on the connection is not idle, and has the time of a head. */
static void begin_head(struct rf_connection *c)
{
    if (!c->idle)
        return;
    c->idle = false;
    set_deadline(c, c->server->options.head_timeout_ms);
}

static size_t take_head(struct rf_connection *c, struct rf_str bytes)
{
    size_t most = c->server->options.max_head;
    if (rf_str_starts(bytes, "\r\n")) /* some clients send that after a body */
        return 2;
    size_t n = rf_head_end(bytes, c->looked);
    if (!n && bytes.n <= most) {
        c->looked = bytes.n;
        begin_head(c);
        return 0;
    }
    c->looked = 0;
    if (!n || n > most) {
        refuse_head(c, (struct rf_str){ bytes.p, most }, 431,
                    "the head of the request is too long");
        return n ? n : bytes.n;
    }
    rf_head_parse((struct rf_str){ bytes.p, n }, &c->now.head);
    look_at_head(c);
    return n;
}

static void take_piece(struct rf_connection *c, struct rf_str piece)
{
    struct rf_exchange *e = &c->now;
    const struct rf_httpd *h = c->server;
    e->received += piece.n;
    if (!e->answered && e->received > e->request.max_body)
        refuse_length(c);
    else if (!e->answered)
        h->handler->body(h->ctx, &e->request, piece);
    else if (e->received > e->request.max_body && e->received - e->request.max_body > DISCARD)
        e->dead = true;
}

/* What is said after a body that has come to its end, or makes no sense. */
static void look_at_end(struct rf_connection *c)
{
    struct rf_exchange *e = &c->now;
    if (e->entity.state == RF_ENTITY_DONE) {
        complete(c);
    } else if (e->entity.state == RF_ENTITY_WRONG && e->answered) {
        e->dead = true;
    } else if (e->entity.state == RF_ENTITY_WRONG) {
        c->closes = c->lingers = true;
        refuse(c, 400, "the body is not in chunks, as the Transfer-Encoding says");
    }
}

static size_t take_body(struct rf_connection *c, struct rf_str bytes)
{
    struct rf_exchange *e = &c->now;
    struct rf_str piece;
    if (c->lingers)
        return bytes.n;
    if (e->complete || (e->paused && !e->answered))
        return 0;
    size_t n = rf_entity_take(&e->entity, bytes, &piece);
    if (piece.n)
        take_piece(c, piece);
    look_at_end(c);
    return n;
}

/* How many of them could be taken for now. */
static size_t take(struct rf_connection *c, struct rf_str bytes)
{
    size_t at = 0, n;
    do {
        const struct rf_str rest = { bytes.p + at, bytes.n - at };
        n = c->now.dead || !rest.n ? 0 : c->now.seen ? take_body(c, rest) : take_head(c, rest);
        at += n;
    } while (n);
    return at;
}

static bool take_held(struct rf_connection *c)
{
    size_t n = c->in.p ? take(c, rf_waiting_rest(&c->in)) : 0;
    c->in.at += n;
    if (c->in.p && c->in.at == c->in.n)
        rf_waiting_release(&c->in);
    return n > 0;
}

static bool wants_input(const struct rf_connection *c)
{
    const struct rf_exchange *e = &c->now;
    bool paused = e->paused && !e->answered && !e->complete;
    return !c->hung_up && !e->dead && !paused && c->in.n - c->in.at < HELD;
}

/* Where the next bytes of a body are wanted, and at most how many; NULL: anywhere. */
static char *place_of_body(struct rf_connection *c, size_t *most)
{
    struct rf_exchange *e = &c->now;
    const struct rf_httpd *h = c->server;
    if (!h->handler->room || !e->seen || e->answered || c->lingers || c->in.p ||
        e->entity.chunked || e->entity.state != RF_ENTITY_BYTES || e->entity.left < DIRECT)
        return NULL;
    size_t room = 0;
    char *to = h->handler->room(h->ctx, &e->request, &room);
    if (to)
        *most = room < e->entity.left ? room : (size_t)e->entity.left;
    return to;
}

static void take_in(struct rf_connection *c, struct rf_str bytes)
{
    if (c->in.p) {
        rf_waiting_add(&c->in, bytes);
        take_held(c);
        return;
    }
    size_t n = take(c, bytes);
    if (n < bytes.n)
        rf_waiting_add(&c->in, (struct rf_str){ bytes.p + n, bytes.n - n });
}

/* A client that closes its sending side is gone, unless all that it waits for is on its way. */
static void hang_up(struct rf_connection *c)
{
    c->hung_up = true;
    if (!c->now.finished)
        c->now.dead = true;
}

static void receive(struct rf_connection *c)
{
    size_t most = RF_HTTPD_SCRATCH;
    char *wanted = place_of_body(c, &most), *to = wanted ? wanted : c->server->scratch;
    ssize_t n = c->tls ? rf_tls_read(c->tls, to, most) : recv(c->fd, to, most, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        c->now.dead |= n < 0;
        hang_up(c);
        return;
    }
    c->moved = true;
    const struct rf_str bytes = { to, (size_t)n };
    if (wanted) {
        rf_entity_took(&c->now.entity, bytes.n);
        take_piece(c, bytes);
        look_at_end(c);
    } else {
        take_in(c, bytes);
    }
}

/* What goes out. */

/* False: there is nothing, or the client takes no more. */
static bool send_some(struct rf_connection *c)
{
    struct rf_str rest = rf_waiting_rest(&c->out);
    if (!rest.n || c->blocked || c->now.dead)
        return false;
    ssize_t n = c->tls ? rf_tls_write(c->tls, rest) : send(c->fd, rest.p, rest.n, MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
        c->now.dead = true;
        return false;
    }
    c->blocked = n < 0 ? errno == EAGAIN : (size_t)n < rest.n;
    c->moved |= n > 0;
    c->out.at += n > 0 ? (size_t)n : 0;
    if (c->out.at == c->out.n)
        rf_waiting_release(&c->out);
    return true;
}

static void send_waiting(struct rf_connection *c)
{
    struct rf_exchange *e = &c->now;
    const struct rf_httpd *h = c->server;
    int rounds = 0;
    do
        if (e->full && !rf_reply_is_full(c)) {
            e->full = false;
            if (h->handler->writable)
                h->handler->writable(h->ctx, &e->request);
        }
    while (rounds++ < ROUNDS && send_some(c));
    if (rounds > ROUNDS)
        rf_connection_wake(c);
}

/* Onward. */

/* The request is over, and its connection there for the next one. */
static void finish(struct rf_connection *c)
{
    struct rf_exchange *e = &c->now;
    const struct rf_httpd *h = c->server;
    if (e->begun)
        h->handler->end(h->ctx, &e->request, RF_HTTPD_SENT);
    rf_head_release(&e->head);
    c->now = (struct rf_exchange){ .dead = c->closes || c->hung_up || h->draining };
    c->idle = true;
    set_deadline(c, h->options.idle_timeout_ms);
    rf_httpd_shed(c->server);
}

/* True: something could be done that may allow more. */
static bool go_further(struct rf_connection *c)
{
    struct rf_exchange *e = &c->now;
    bool sent = e->answered && !c->out.p;
    if (sent && e->cut) {
        e->dead = true;
        return false;
    }
    if (sent && e->finished && (e->complete || c->lingers)) {
        finish(c);
        return true;
    }
    if (take_held(c))
        return true;
    if (sent && e->finished && c->hung_up) /* the rest of the body will not come */
        e->dead = true;
    if (!c->tls || !wants_input(c) || !rf_tls_holds(c->tls))
        return false;
    receive(c);
    return true;
}

/* How long it may take until the next byte. One now and then is not enough for a body: all of it,
 * since it is waited for, has that time and what it takes at LEAST_RATE; the rest of one that was
 * answered before has that time alone. */
static int64_t patience(struct rf_connection *c)
{
    struct rf_exchange *e = &c->now;
    int64_t stall_ms = (int64_t)c->server->options.stall_timeout_s * 1000;
    int64_t now = rf_loop_now_ms(c->server->loop);
    if (awaits_rest(c) && !e->answered_ms)
        e->answered_ms = now;
    if (e->answered_ms)
        return e->answered_ms + stall_ms - now;
    if (!awaits_body(c))
        return stall_ms;
    if (!e->waited_ms) {
        e->waited_ms = now;
        e->received_before = e->received;
    }
    int64_t came_ms = (int64_t)((e->received - e->received_before) * 1000 / LEAST_RATE);
    int64_t left_ms = e->waited_ms + stall_ms + came_ms - now;
    return left_ms < 0 ? 0 : left_ms < stall_ms ? left_ms : stall_ms;
}

/* Time runs while the client is to send or to take something. */
static void watch_time(struct rf_connection *c)
{
    struct rf_exchange *e = &c->now;
    if (!e->seen)
        return;
    if (!c->blocked && (e->complete || !wants_input(c)))
        c->deadline_ms = e->waited_ms = 0;
    else if (c->moved || !c->deadline_ms)
        set_deadline(c, patience(c));
    c->moved = false;
}

static void advance(struct rf_connection *c);

static void on_ready(void *ctx, int fd, int events)
{
    struct rf_connection *c = ctx;
    (void)fd;
    if (events & RF_LOOP_WRITE)
        c->blocked = false;
    if (events & RF_LOOP_READ)
        receive(c);
    else if (events & RF_LOOP_HANGUP)
        hang_up(c);
    advance(c);
}

static bool watch(struct rf_connection *c)
{
    int events = (c->blocked ? RF_LOOP_WRITE : 0) | (c->hung_up       ? 0
                                                     : wants_input(c) ? RF_LOOP_READ
                                                                      : RF_LOOP_HANGUP);
    if (events != c->watched && !rf_loop_watch(c->server->loop, c->fd, events, on_ready, c))
        return false;
    c->watched = events;
    return true;
}

static void advance(struct rf_connection *c)
{
    int rounds = 0;
    leave_due(c);
    do
        send_waiting(c);
    while (!c->now.dead && rounds++ < ROUNDS && go_further(c));
    if (rounds > ROUNDS)
        rf_connection_wake(c);
    if (c->now.dead || !watch(c))
        rf_connection_drop(c);
    else
        watch_time(c);
}

void rf_connection_go_on(void *ctx)
{
    struct rf_httpd *h = ctx;
    struct rf_connection *now = h->due;
    h->due = NULL; /* what is woken meanwhile goes on in the next turn */
    if (now)
        now->due_at = &now;
    for (struct rf_connection *c = now; c; c = c->next_due)
        send_some(c); /* what clients wait for, before what is done when they have it */
    while (now)
        advance(now);
}

/* Its life. */

void rf_connection_new(struct rf_httpd *h, int fd)
{
    const int on = 1;
    struct rf_connection *c = calloc(1, sizeof *c);
    if (!c)
        RF_NO_MEMORY();
    *c = (struct rf_connection){
        .server = h,
        .next = h->connections,
        .timer = { .due = on_time, .ctx = c },
        .fd = fd,
        .tls = rf_door_tls(h->door, fd),
    };
    if (c->next)
        c->next->before = c;
    h->connections = c;
    h->count++;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    rf_httpd_shed(h);
    set_deadline(c, h->options.head_timeout_ms);
    if (h->draining || !watch(c))
        rf_connection_drop(c);
}

void rf_connection_drop(struct rf_connection *c)
{
    struct rf_httpd *h = c->server;
    if (c->now.begun)
        h->handler->end(h->ctx, &c->now.request, RF_HTTPD_GONE);
    leave_due(c);
    rf_timer_clear(h->loop, &c->timer);
    rf_loop_watch(h->loop, c->fd, 0, NULL, NULL);
    h->failed_handshakes += c->tls && rf_tls_failed(c->tls);
    rf_tls_end(c->tls);
    if (!c->hung_up && (c->lingers || (c->closes && c->in.p)))
        rf_linger(h, c->fd);
    close(c->fd);
    *(c->before ? &c->before->next : &h->connections) = c->next;
    if (c->next)
        c->next->before = c->before;
    h->count--;
    rf_waiting_release(&c->in);
    rf_waiting_release(&c->out);
    rf_head_release(&c->now.head);
    free(c);
}
