#include "load.h"

#include "bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_CONNECTIONS 64
#define MAX_REPLY ((size_t)64 << 10)

_Noreturn static void die(const char *what)
{
    fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
    exit(1);
}

struct load load_new(const char *path, const char *headers, const char *body, size_t n)
{
    char head[1024];
    int length =
        snprintf(head, sizeof head,
                 "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                 "x-api-key: none\r\nanthropic-version: 2023-06-01\r\n%s"
                 "Content-Length: %zu\r\n\r\n",
                 path, headers, n);
    struct load l = { malloc((size_t)length + n), (size_t)length + n };
    if (!l.bytes)
        die("malloc");
    memcpy(l.bytes, head, (size_t)length);
    memcpy(l.bytes + length, body, n);
    return l;
}

static int connect_to(int port)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at))
        die("could not connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return fd;
}

static void send_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);
        if (sent < 0)
            die("could not send");
        p += sent;
        n -= (size_t)sent;
    }
}

/* Is this a whole reply? Those without a length are chunked. */
static bool is_whole(const char *p, size_t n)
{
    const char *end = memmem(p, n, "\r\n\r\n", 4);
    const char *length = end ? strcasestr(p, "content-length:") : NULL;
    if (!end)
        return false;
    if (length && length < end)
        return n - (size_t)(end + 4 - p) >= strtoul(length + 15, NULL, 10);
    return n >= 5 && memcmp(p + n - 5, "0\r\n\r\n", 5) == 0;
}

static void read_reply(int fd)
{
    char reply[MAX_REPLY + 1];
    size_t n = 0;
    do {
        ssize_t got = recv(fd, reply + n, MAX_REPLY - n, 0);
        if (got <= 0)
            die("a reply broke off");
        n += (size_t)got;
        reply[n] = '\0';
    } while (!is_whole(reply, n));
    if (strncmp(reply, "HTTP/1.1 200 ", 13) == 0)
        return;
    fprintf(stderr, "bench: not answered: %s\n", reply);
    exit(1);
}

/* Many at once */

struct share {
    pthread_t thread;
    int fd, count;
    const struct load *load;
};

static void *ask(void *share)
{
    struct share *s = share;
    for (int i = 0; i < s->count; i++) {
        send_all(s->fd, s->load->bytes, s->load->n);
        read_reply(s->fd);
    }
    return NULL;
}

static void *hold(void *share)
{
    struct share *s = share;
    send_all(s->fd, s->load->bytes, s->load->n - 1);
    return NULL;
}

static void *finish(void *share)
{
    struct share *s = share;
    send_all(s->fd, s->load->bytes + s->load->n - 1, 1);
    read_reply(s->fd);
    return NULL;
}

static void all_do(struct share *shares, int count, void *(*what)(void *share))
{
    for (int i = 0; i < count; i++)
        if (pthread_create(&shares[i].thread, NULL, what, &shares[i]))
            die("pthread_create");
    for (int i = 0; i < count; i++)
        pthread_join(shares[i].thread, NULL);
}

static void share_out(struct share *shares, int port, const struct load *l, int connections,
                      int count)
{
    for (int i = 0; i < connections; i++)
        shares[i] =
            (struct share){ .fd = connect_to(port), .count = (count + i) / connections, .load = l };
}

static void close_all(const struct share *shares, int connections)
{
    for (int i = 0; i < connections; i++)
        close(shares[i].fd);
}

void load_run(int port, const struct load *l, int connections, int count)
{
    struct share shares[MOST_CONNECTIONS];
    share_out(shares, port, l, connections, count);
    all_do(shares, connections, ask);
    close_all(shares, connections);
}

void load_hold(int port, const struct load *l, int connections)
{
    struct share shares[MOST_CONNECTIONS];
    share_out(shares, port, l, connections, connections);
    all_do(shares, connections, hold);
    all_do(shares, connections, finish);
    close_all(shares, connections);
}

/* How soon */

double load_first_byte(int port, const struct load *l)
{
    int fd = connect_to(port);
    char byte;
    double taken = 0;
    for (int i = 0; i < 2; i++) { /* the first warms the connections up */
        send_all(fd, l->bytes, l->n);
        double sent = bench_now();
        if (recv(fd, &byte, 1, MSG_PEEK) != 1)
            die("no reply");
        taken = bench_now() - sent;
        read_reply(fd);
    }
    close(fd);
    return taken;
}

/* The whole "<SECONDS>" of `s`; what is left of it begins at *rest. */
static size_t take_times(char *s, double *late_s, size_t most, char **rest)
{
    double now = bench_now();
    size_t count = 0;
    char *from, *to;
    *rest = s;
    while (count < most && (from = strchr(*rest, '<')) && (to = strchr(from, '>'))) {
        late_s[count++] = now - strtod(from + 1, NULL);
        *rest = to + 1;
    }
    return count;
}

size_t load_stream(int port, const struct load *l, double *late_s, size_t most)
{
    char buf[MAX_REPLY + 1];
    int fd = connect_to(port);
    size_t have = 0, count = 0;
    ssize_t got;
    send_all(fd, l->bytes, l->n);
    while (count < most && (got = recv(fd, buf + have, MAX_REPLY - have, 0)) > 0) {
        char *rest;
        have += (size_t)got;
        buf[have] = '\0';
        count += take_times(buf, late_s + count, most - count, &rest);
        have -= (size_t)(rest - buf);
        memmove(buf, rest, have);
    }
    close(fd);
    return count;
}

/* Idle */

int load_idle(int port, int count, int *fds)
{
    static const char alive[] = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    int open = 0;
    for (int i = 0; i < count; i++) {
        fds[i] = connect_to(port);
        send_all(fds[i], alive, sizeof alive - 1);
        read_reply(fds[i]);
    }
    for (int i = 0; i < count; i++) {
        struct pollfd p = { .fd = fds[i], .events = POLLIN };
        open += poll(&p, 1, 0) == 0;
    }
    return open;
}
