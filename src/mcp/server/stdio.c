/* MCP over two descriptors: a message a line, in and out.
 *
 * What the client sends is bounded: a line that is too long is passed over and refused, and nothing
 * more is read, and calls wait with what they have to say, while the client does not read what it
 * was sent. Writing never blocks: a pipe that
 * says that it takes something takes PIPE_BUF bytes, so descriptors that are shared with others
 * stay as they were opened. */
#include "mcp/server/inside.h"

#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define READ_AT_ONCE ((size_t)64 << 10)
#define KEPT_CAP ((size_t)1 << 20) /* of a buffer that is empty */
#define MOST_UNREAD \
    ((size_t)4 << 20) /* bytes that the client has not taken, until it is waited for */
#define GRACE_MS 5000 /* for what is under way when the client has said all */

struct bytes {
    char *p;
    size_t n, cap, done; /* `done` of `n` are dealt with */
};

struct stdio {
    struct rf_mcp_server *server;
    struct rf_mcp_peer *peer;
    struct rf_loop loop;
    int in, out;
    struct bytes read, unsent;
    size_t scanned; /* of what was read: there is no line feed in it */
    bool skipping;  /* the rest of a line that is too long */
    bool watchable; /* the loop can wait for `in` */
    bool waiting;   /* for the client to take what it was sent */
    bool ended;     /* nothing more comes in */
    bool broken;    /* nothing more goes out */
};

static void make_room(struct bytes *b, size_t more)
{
    if (b->done) {
        memmove(b->p, b->p + b->done, b->n - b->done);
        b->n -= b->done;
        b->done = 0;
    }
    if (b->n + more <= b->cap)
        return;
    size_t cap = b->cap ? b->cap : READ_AT_ONCE;
    while (cap < b->n + more)
        cap *= 2;
    b->p = realloc(b->p, cap);
    if (!b->p)
        RF_NO_MEMORY();
    b->cap = cap;
}

static void empty(struct bytes *b)
{
    b->n = b->done = 0;
    if (b->cap <= KEPT_CAP)
        return;
    free(b->p);
    *b = (struct bytes){ 0 };
}

/* Out */

/* As much as goes without waiting; false: no more does. */
static bool write_some(struct stdio *s, struct rf_str *text)
{
    struct pollfd p = { s->out, POLLOUT, 0 };
    if (!text->n || poll(&p, 1, 0) <= 0)
        return false;
    ssize_t n = write(s->out, text->p, text->n < PIPE_BUF ? text->n : PIPE_BUF);
    if (n < 0 && errno != EINTR && errno != EAGAIN)
        s->broken = true;
    if (n <= 0)
        return n < 0 && errno == EINTR;
    *text = (struct rf_str){ text->p + n, text->n - (size_t)n };
    return true;
}

static void read_on(struct stdio *s);

static void flush(void *stdio, int fd, int events)
{
    struct stdio *s = stdio;
    struct rf_str left = { s->unsent.p + s->unsent.done, s->unsent.n - s->unsent.done };
    (void)fd;
    (void)events;
    while (!s->broken && write_some(s, &left))
        continue;
    s->unsent.done = s->unsent.n - left.n;
    if (left.n && !s->broken)
        return;
    empty(&s->unsent);
    rf_loop_watch(&s->loop, s->out, 0, NULL, NULL);
    if (s->waiting) {
        s->waiting = false;
        rf_mcp_peer_go_on(s->peer);
        rf_mcp_server_go_on(s->server);
        read_on(s);
    }
}

static void keep(struct stdio *s, struct rf_str text)
{
    bool first = s->unsent.n == s->unsent.done;
    if (!text.n || s->broken)
        return;
    make_room(&s->unsent, text.n);
    memcpy(s->unsent.p + s->unsent.n, text.p, text.n);
    s->unsent.n += text.n;
    if (first)
        rf_loop_watch(&s->loop, s->out, RF_LOOP_WRITE, flush, s);
    if (s->unsent.n - s->unsent.done <= MOST_UNREAD || s->waiting)
        return;
    s->waiting = true;
    rf_mcp_peer_hold(s->peer);
    rf_mcp_server_pause(s->server);
    rf_loop_watch(&s->loop, s->in, 0, NULL, NULL);
}

static void send_line(void *stdio, void *channel, struct rf_str message, bool last)
{
    struct stdio *s = stdio;
    char small[PIPE_BUF];
    (void)channel;
    (void)last;
    if (!message.n)
        return;
    bool clear = s->unsent.n == s->unsent.done;
    struct rf_str whole = message, feed = RF_STR("\n");
    if (message.n < sizeof small) { /* in one piece */
        memcpy(small, message.p, message.n);
        small[message.n] = '\n';
        whole = (struct rf_str){ small, message.n + 1 };
        feed = RF_STR("");
    }
    while (clear && !s->broken && write_some(s, &whole))
        continue;
    while (clear && !s->broken && !whole.n && write_some(s, &feed))
        continue;
    keep(s, whole);
    keep(s, feed);
}

/* In */

static void refuse_line(struct stdio *s)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_json *w = rf_rpc_writer(a);
    struct rf_str text;
    rf_rpc_refuse(
        w, NULL, RF_RPC_INVALID_REQUEST,
        rf_strf(a, "a message is longer than %zu bytes, and was passed over", RF_MCP_MOST_IN));
    if (!rf_rpc_end(w, RF_MCP_MOST_OUT, &text, NULL))
        send_line(s, NULL, text, false);
    rf_arena_free(a);
}

static void take_line(struct stdio *s, struct rf_str line)
{
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    if (s->skipping)
        s->skipping = false;
    else if (!rf_str_blank(line))
        rf_mcp_peer_take(s->peer, line, NULL);
}

static void take_lines(struct stdio *s)
{
    struct bytes *b = &s->read;
    char *feed;
    while (b->done + s->scanned < b->n && !s->waiting &&
           (feed = memchr(b->p + b->done + s->scanned, '\n', b->n - b->done - s->scanned))) {
        struct rf_str line = { b->p + b->done, (size_t)(feed - b->p) - b->done };
        b->done += line.n + 1;
        s->scanned = 0;
        take_line(s, line);
    }
    if (s->waiting)
        return;
    s->scanned = b->n - b->done;
    if (s->scanned > RF_MCP_MOST_IN || (s->skipping && s->scanned)) {
        if (!s->skipping)
            refuse_line(s);
        s->skipping = true;
        b->done = b->n;
        s->scanned = 0;
    }
    if (b->done == b->n)
        empty(b);
}

static void end_input(struct stdio *s)
{
    struct rf_str rest = { s->read.p + s->read.done, s->read.n - s->read.done };
    s->ended = true;
    if (s->watchable)
        rf_loop_watch(&s->loop, s->in, 0, NULL, NULL);
    if (rest.n)
        take_line(s, rest);
}

static void readable(void *stdio, int fd, int events)
{
    struct stdio *s = stdio;
    (void)events;
    make_room(&s->read, READ_AT_ONCE);
    ssize_t n = read(fd, s->read.p + s->read.n, READ_AT_ONCE);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        end_input(s);
        return;
    }
    s->read.n += (size_t)n;
    take_lines(s);
}

/* The client takes things again. */
static void read_on(struct stdio *s)
{
    if (s->watchable && !s->ended)
        rf_loop_watch(&s->loop, s->in, RF_LOOP_READ, readable, s);
    take_lines(s);
}

/* The whole */

static bool is_over(const struct stdio *s, int64_t deadline)
{
    return s->broken ||
           (s->ended && ((!rf_mcp_peer_busy(s->peer) && !s->unsent.n) || rf_now_ms() >= deadline));
}

static void turn(struct stdio *s, int stop_fd)
{
    int64_t deadline = 0;
    for (;;) {
        bool at_hand = !s->watchable && !s->ended && !s->waiting;
        if (s->ended && !deadline)
            deadline = rf_now_ms() + GRACE_MS;
        if (is_over(s, deadline))
            return;
        if (rf_loop_wait(&s->loop, stop_fd, at_hand ? 0 : s->ended ? 100 : -1)) {
            rf_mcp_peer_close(s->peer);
            return;
        }
        rf_loop_step(&s->loop);
        if (at_hand)
            readable(s, s->in, RF_LOOP_READ);
    }
}

enum rf_code rf_mcp_serve_stdio(struct rf_mcp_server *server, int in, int out, int stop_fd,
                                struct rf_err *err)
{
    static const struct rf_mcp_peer_calls calls = { send_line };
    struct stdio s = { .server = server, .in = in, .out = out };
    enum rf_code rc = RF_OK;
    if (!rf_loop_init(&s.loop))
        rc = rf_fail_errno(err, "could not make a loop");
    if (!rc)
        rc = rf_mcp_server_attach(server, &s.loop, err);
    if (!rc) {
        s.peer = rf_mcp_peer_new(server, &calls, &s);
        s.watchable = rf_loop_watch(&s.loop, in, RF_LOOP_READ, readable, &s);
        turn(&s, stop_fd);
        rf_mcp_peer_free(s.peer);
        rf_mcp_server_detach(server);
    }
    rf_loop_release(&s.loop);
    free(s.read.p);
    free(s.unsent.p);
    return rc;
}
