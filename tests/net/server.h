/* A web server for tests, on a port of its own of the loopback: it answers the n-th request with the n-th
 * answer of a table, and remembers what it was asked. A thread a connection; connections stay open. */
#ifndef TESTS_NET_SERVER_H
#define TESTS_NET_SERVER_H

#include "../testing.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>

#define MAX_SEEN 32
#define MAX_CONNECTIONS 64
#define MAX_HEAD 8192
#define KEPT_BODY 4096

enum then {
    KEEP,    /* the connection, for a further request */
    CLOSE,   /* it */
    STALL,   /* say nothing more, and keep it */
    GO_ON,   /* send zeros until the other side has enough */
    AT_HEAD, /* answer when the head has come, then take the rest in */
    REPEAT,  /* send the text again and again */
    DEAF,    /* when the head has come, take nothing more and say nothing */
    SLAM, /* close when the head has come, without an answer and with the body still on its way */
};

struct answer {
    const char *text; /* all of it, or NULL: none */
    enum then then;
};

#define OK_TEXT "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"

struct seen {
    char head[MAX_HEAD];
    char body[KEPT_BODY]; /* the first of it */
    uint64_t body_bytes, body_sum;
};

struct server {
    int fd, port;
    const struct answer *answers; /* the last is for all further requests too */
    size_t answer_count;
    pthread_t thread;
    pthread_mutex_t lock;
    size_t requests, connections;
    struct seen seen[MAX_SEEN];
    int fds[MAX_CONNECTIONS];
    pthread_t threads[MAX_CONNECTIONS];
};

struct served {
    struct server *server;
    size_t place; /* in fds */
    int fd;
};

static inline void add_sum(uint64_t *sum, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *sum = *sum * 31 + (unsigned char)p[i];
}

static inline bool send_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        p += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* Read to the end of the head; what stands after it goes to the body. */
static inline bool read_head(int fd, struct seen *s)
{
    size_t n = 0;
    char *end = NULL;
    while (!end && n < MAX_HEAD - 1) {
        ssize_t got = recv(fd, s->head + n, MAX_HEAD - 1 - n, 0);
        if (got <= 0)
            return false;
        n += (size_t)got;
        s->head[n] = 0;
        end = strstr(s->head, "\r\n\r\n");
    }
    if (!end)
        return false;
    s->body_bytes = n - (size_t)(end + 4 - s->head);
    memcpy(s->body, end + 4, s->body_bytes < KEPT_BODY ? s->body_bytes : KEPT_BODY);
    add_sum(&s->body_sum, end + 4, s->body_bytes);
    end[2] = 0;
    return true;
}

static inline void read_body(int fd, struct seen *s)
{
    static _Thread_local char buf[256 * 1024];
    const char *length = strcasestr(s->head, "content-length:");
    uint64_t want = length ? strtoull(length + 15, NULL, 10) : 0;
    while (s->body_bytes < want) {
        ssize_t got = recv(fd, buf, sizeof buf, 0);
        if (got <= 0)
            return;
        if (s->body_bytes < KEPT_BODY) {
            size_t room = KEPT_BODY - s->body_bytes, n = (size_t)got;
            memcpy(s->body + s->body_bytes, buf, n < room ? n : room);
        }
        s->body_bytes += (uint64_t)got;
        add_sum(&s->body_sum, buf, (size_t)got);
    }
}

static inline void send_zeros(int fd)
{
    static const char zeros[64 * 1024];
    while (send_all(fd, zeros, sizeof zeros))
        ;
}

static inline void wait_for_the_end(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLRDHUP };
    poll(&p, 1, -1);
}

static inline bool serve_one(struct server *s, int fd)
{
    struct seen *seen = calloc(1, sizeof *seen);
    assert_non_null(seen);
    if (!read_head(fd, seen)) {
        free(seen);
        return false;
    }
    pthread_mutex_lock(&s->lock);
    size_t n = s->requests++;
    pthread_mutex_unlock(&s->lock);
    const struct answer *a = &s->answers[n < s->answer_count ? n : s->answer_count - 1];
    if (a->then == AT_HEAD)
        send_all(fd, a->text, strlen(a->text));
    if (a->then == DEAF)
        wait_for_the_end(fd);
    else if (a->then != SLAM)
        read_body(fd, seen);
    pthread_mutex_lock(&s->lock);
    if (n < MAX_SEEN)
        s->seen[n] = *seen;
    pthread_mutex_unlock(&s->lock);
    free(seen);
    if (a->text && a->then != AT_HEAD)
        send_all(fd, a->text, strlen(a->text));
    if (a->then == GO_ON)
        send_zeros(fd);
    while (a->then == REPEAT && send_all(fd, a->text, strlen(a->text)))
        ;
    if (a->then == STALL)
        recv(fd, (char[1]){ 0 }, 1, 0); /* until the other side goes */
    return a->then == KEEP;
}

static inline void *serve(void *arg)
{
    struct served *c = arg;
    while (serve_one(c->server, c->fd))
        ;
    pthread_mutex_lock(&c->server->lock);
    c->server->fds[c->place] = -1;
    close(c->fd);
    pthread_mutex_unlock(&c->server->lock);
    free(c);
    return NULL;
}

static inline void *accept_all(void *arg)
{
    struct server *s = arg;
    int fd;
    while (s->connections < MAX_CONNECTIONS && (fd = accept(s->fd, NULL, NULL)) >= 0) {
        struct served *c = malloc(sizeof *c);
        assert_non_null(c);
        pthread_mutex_lock(&s->lock);
        *c = (struct served){ s, s->connections, fd };
        s->fds[s->connections] = fd;
        assert_int_equal(pthread_create(&s->threads[s->connections], NULL, serve, c), 0);
        s->connections++;
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

/* A listening socket on `ip`, and its port. */
static inline int listen_on(const char *ip, int backlog, int *port)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(inet_pton(AF_INET, ip, &at.sin_addr), 1);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, backlog), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

static inline struct server *server_start(const char *ip, const struct answer *answers,
                                          size_t count)
{
    struct server *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->answers = answers;
    s->answer_count = count;
    pthread_mutex_init(&s->lock, NULL);
    s->fd = listen_on(ip, 16, &s->port);
    assert_int_equal(pthread_create(&s->thread, NULL, accept_all, s), 0);
    return s;
}

static inline void server_stop(struct server *s)
{
    shutdown(s->fd, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    for (size_t i = 0; i < s->connections; i++) {
        pthread_mutex_lock(&s->lock);
        if (s->fds[i] >= 0)
            shutdown(s->fds[i], SHUT_RDWR);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->threads[i], NULL);
    }
    close(s->fd);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static inline size_t server_requests(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    size_t n = s->requests;
    pthread_mutex_unlock(&s->lock);
    return n;
}

static inline size_t server_connections(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    size_t n = s->connections;
    pthread_mutex_unlock(&s->lock);
    return n;
}

static inline int64_t clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#endif
