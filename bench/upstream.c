#include "upstream.h"

#include "bench.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAITING 4096
#define MAX_HEAD ((size_t)64 << 10)
#define READ_AT_ONCE ((size_t)256 << 10)
#define ENDS ((size_t)4 << 10) /* of a body, in which a stream is asked for */
#define STACK ((size_t)128 << 10)
#define PAUSE_NS (3 * 1000 * 1000)

#define REPLY                                                                                   \
    "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"gpt-4o\"," \
    "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"It is a dog, " \
    "which looks at whoever took the picture, and behind it there is a fence.\"},"              \
    "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":300,\"completion_tokens\":20,"   \
    "\"total_tokens\":320}}"
#define CHUNK(delta, finish)                                                           \
    "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1," \
    "\"model\":\"gpt-4o\",\"choices\":[{\"index\":0,\"delta\":{" delta                 \
    "},\"finish_reason\":" finish "}]}\n\n"
#define STREAM "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

struct client {
    int fd;
    char head[MAX_HEAD + 1];
    char body[READ_AT_ONCE];
};

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static bool send_text(int fd, const char *text)
{
    return send(fd, text, strlen(text), MSG_NOSIGNAL) >= 0;
}

static void send_reply(int fd)
{
    char all[sizeof REPLY + 200];
    snprintf(all, sizeof all,
             "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
             sizeof REPLY - 1, REPLY);
    send_text(fd, all);
}

static void send_stream(int fd)
{
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    char piece[400];
    send_text(fd, STREAM);
    for (int i = 0; i < UPSTREAM_PIECES; i++) {
        snprintf(piece, sizeof piece, CHUNK("\"content\":\"<%.9f>\"", "null"), bench_now());
        if (!send_text(fd, piece))
            return;
        nanosleep(&pause, NULL);
    }
    send_text(fd, CHUNK("", "\"stop\"") "data: [DONE]\n\n");
}

static bool asks_for_stream(const char *p, size_t n)
{
    size_t some = n < ENDS ? n : ENDS;
    return memmem(p, some, "\"stream\":true", 13) ||
           memmem(p + n - some, some, "\"stream\":true", 13);
}

/* The head, up to the bytes after it; -1 where the connection ended. */
static long read_head(struct client *c, const char **after)
{
    size_t n = 0;
    char *end = NULL;
    while (!end) {
        ssize_t got = recv(c->fd, c->head + n, MAX_HEAD - n, 0);
        if (got <= 0)
            return -1;
        n += (size_t)got;
        c->head[n] = '\0';
        end = memmem(c->head, n, "\r\n\r\n", 4);
    }
    *after = end + 4;
    end[2] = '\0';
    return (long)(n - (size_t)(*after - c->head));
}

/* One request; false: no more come. */
static bool serve_one(struct client *c)
{
    const char *after;
    long have = read_head(c, &after);
    if (have < 0)
        return false;
    const char *length = strcasestr(c->head, "content-length:");
    long want = length ? strtol(length + 15, NULL, 10) : 0;
    bool streams = asks_for_stream(after, (size_t)have);
    while (have < want) {
        ssize_t got = recv(c->fd, c->body, sizeof c->body, 0);
        if (got <= 0)
            return false;
        streams |= asks_for_stream(c->body, (size_t)got);
        have += got;
    }
    if (streams)
        send_stream(c->fd);
    else
        send_reply(c->fd);
    return !streams;
}

static void *serve(void *client)
{
    struct client *c = client;
    while (serve_one(c))
        continue;
    close(c->fd);
    free(c);
    return NULL;
}

_Noreturn static void serve_all(int listener)
{
    pthread_attr_t small;
    int fd, yes = 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
    while ((fd = accept(listener, NULL, NULL)) >= 0) {
        pthread_t thread;
        struct client *c = malloc(sizeof *c);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (!c)
            die("malloc");
        c->fd = fd;
        if (pthread_create(&thread, &small, serve, c))
            die("pthread_create");
    }
    _exit(0);
}

struct upstream upstream_start(void)
{
    struct upstream u = { 0 };
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, WAITING) ||
        getsockname(fd, (struct sockaddr *)&at, &n))
        die("socket");
    u.port = ntohs(at.sin_port);
    fflush(stdout); /* what waits there is not the child's to write */
    u.pid = fork();
    if (u.pid < 0)
        die("fork");
    if (u.pid == 0)
        serve_all(fd);
    close(fd);
    return u;
}

void upstream_stop(struct upstream *u)
{
    kill(u->pid, SIGKILL);
    waitpid(u->pid, NULL, 0);
}
