#include "mcp/client/callback.h"

#include "base/arena.h"
#include "base/clock.h"
#include "net/form.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_HEAD 16384
#define HEAD_MS 5000 /* that a request may take: browsers send it at once */
#define AGAIN_MS 100 /* until the next one is taken, where one could not be */
#define PATH "/callback?"

enum rf_code rf_callback_open(struct rf_callback *c, uint16_t port, struct rf_err *err)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons(port),
                              .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t size = sizeof at;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (c->fd < 0 || bind(c->fd, (struct sockaddr *)&at, size) || listen(c->fd, 8) ||
        getsockname(c->fd, (struct sockaddr *)&at, &size)) {
        rf_fail_errno(err, "could not listen on port %u of this machine", (unsigned)port);
        rf_callback_close(c);
        return RF_EIO;
    }
    c->port = ntohs(at.sin_port);
    return RF_OK;
}

void rf_callback_close(struct rf_callback *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

/* 1: it can be read from; 0: the time is over; -1: stopped. An `fd` of -1 is never read from. */
static int await(int fd, int stop_fd, int64_t until)
{
    for (;;) {
        struct pollfd both[2] = { { fd, POLLIN, 0 }, { stop_fd, POLLIN, 0 } };
        int64_t left = until - rf_now_ms();
        int n = poll(both, stop_fd >= 0 ? 2 : 1, left > 0 ? (int)left : 0);
        if (n > 0 && stop_fd >= 0 && both[1].revents)
            return -1;
        if (n > 0)
            return 1;
        if (n == 0 || errno != EINTR)
            return 0;
    }
}

static void reply(int fd, const char *status, const char *words, struct rf_arena *a)
{
    struct rf_str text = rf_strf(a,
                                 "HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\n"
                                 "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
                                 status, strlen(words), words);
    (void)!send(fd, text.p, text.n, MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
}

/* The target of the request; empty where it is not one. */
static struct rf_str read_target(int fd, int stop_fd, struct rf_arena *a)
{
    char *head = rf_arena_alloc(a, MAX_HEAD);
    struct rf_str rest, word, none = { 0 };
    int64_t until = rf_now_ms() + HEAD_MS;
    size_t n = 0;
    while (!rf_str_contains((struct rf_str){ head, n }, RF_STR("\r\n\r\n"))) {
        ssize_t got = -1;
        if (n < MAX_HEAD && await(fd, stop_fd, until) == 1)
            got = recv(fd, head + n, MAX_HEAD - n, 0);
        if (got <= 0)
            return none;
        n += (size_t)got;
    }
    rest = (struct rf_str){ head, n };
    if (!rf_str_split(&rest, ' ', &word) || !rf_str_is(word, "GET") ||
        !rf_str_split(&rest, ' ', &word))
        return none;
    return word;
}

static bool take_request(int fd, struct rf_str state, int stop_fd, struct rf_arena *a,
                         struct rf_str *query)
{
    struct rf_str target = read_target(fd, stop_fd, a);
    if (!rf_str_starts(target, PATH)) {
        reply(fd, "404 Not Found", "Nothing is here.", a);
        return false;
    }
    struct rf_str fields = { target.p + strlen(PATH), target.n - strlen(PATH) };
    const struct rf_str *said = rf_form_get(fields, "state", a);
    if (!said || !rf_str_eq(*said, state)) {
        reply(fd, "400 Bad Request", "Nobody waits for this.", a);
        return false;
    }
    reply(fd, "200 OK",
          "<!doctype html><title>refract</title><p>You can close this page and go back to refract.",
          a);
    *query = fields;
    return true;
}

enum rf_code rf_callback_wait(struct rf_callback *c, struct rf_str state, int stop_fd,
                              struct rf_arena *a, struct rf_str *query, struct rf_err *err)
{
    int64_t until = rf_now_ms() + RF_CALLBACK_MS;
    for (;;) {
        int came = await(c->fd, stop_fd, until);
        if (came < 0)
            return rf_fail(err, RF_EINTERRUPTED, "stopped while a browser was waited for");
        if (came == 0)
            return rf_fail(err, RF_ELIMIT, "no browser came back within %d minutes",
                           RF_CALLBACK_MS / 60000);
        int fd = accept4(c->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) { /* where no descriptor is left, it would fail again at once */
            await(-1, stop_fd, rf_now_ms() + AGAIN_MS);
            continue;
        }
        struct rf_arena *own = rf_arena_new(); /* anybody on this machine may come, and often */
        bool taken = take_request(fd, state, stop_fd, own, query);
        if (taken)
            *query = rf_str_dup(a, *query);
        rf_arena_free(own);
        close(fd);
        if (taken)
            return RF_OK;
    }
}
