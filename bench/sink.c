#include "sink.h"

#include "bench.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define PAUSE_NS (200 * 1000)

#define EVENT(name, members) "event: " name "\ndata: {\"type\":\"" name "\"" members "}\n\n"
#define BEGINNING                                                                   \
    EVENT("message_start",                                                          \
          ",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\"," \
          "\"model\":\"m\",\"content\":[],\"stop_reason\":null,\"usage\":{"         \
          "\"input_tokens\":1,\"output_tokens\":1}}")                               \
    EVENT("content_block_start",                                                    \
          ",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"Hello\"}")
#define DELTA                    \
    EVENT("content_block_delta", \
          ",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%.9f\"}")
#define ENDING                                                                         \
    EVENT("content_block_stop", ",\"index\":0")                                        \
    EVENT("message_delta",                                                             \
          ",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}") \
    EVENT("message_stop", "")
#define STREAM "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void send_text(int fd, const char *text)
{
    (void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
}

static void send_deltas(int fd)
{
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    char delta[300];
    send_text(fd, STREAM BEGINNING);
    for (int i = 0; i < SINK_DELTAS; i++) {
        nanosleep(&pause, NULL);
        snprintf(delta, sizeof delta, DELTA, bench_now());
        send_text(fd, delta);
    }
    send_text(fd, ENDING);
}

/* The head, up to the bytes after it; -1 where the connection ended. */
static long read_head(int fd, char *head, size_t size, struct sink_notes *notes)
{
    size_t n = 0;
    char *end = NULL;
    while (!end) {
        ssize_t got = recv(fd, head + n, size - 1 - n, 0);
        if (got <= 0)
            return -1;
        if (!n)
            notes->first_byte_s = bench_now();
        n += (size_t)got;
        head[n] = '\0';
        end = strstr(head, "\r\n\r\n");
    }
    return (long)(n - (size_t)(end + 4 - head));
}

static void serve(int fd, struct sink_notes *notes)
{
    static char head[64 * 1024], buf[1 << 20];
    for (;;) {
        long have = read_head(fd, head, sizeof head, notes);
        if (have < 0)
            return;
        const char *length = strcasestr(head, "content-length:");
        long want = length ? strtol(length + 15, NULL, 10) : 0;
        while (have < want) {
            ssize_t got = recv(fd, buf, sizeof buf, 0);
            if (got <= 0)
                return;
            have += got;
        }
        if (strstr(head, " /stream HTTP/"))
            return send_deltas(fd);
        if (strstr(head, " /v1/messages HTTP/"))
            return send_text(fd, STREAM BEGINNING ENDING);
        send_text(fd, HEAD "Content-Length: 2\r\n\r\n{}");
    }
}

static void serve_all(int listener, struct sink_notes *notes)
{
    int fd, yes = 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while ((fd = accept(listener, NULL, NULL)) >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        serve(fd, notes);
        close(fd);
    }
    _exit(0);
}

struct sink sink_start(void)
{
    struct sink s = { 0 };
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 16) ||
        getsockname(fd, (struct sockaddr *)&at, &n))
        die("socket");
    s.notes =
        mmap(NULL, sizeof *s.notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s.notes == MAP_FAILED)
        die("mmap");
    s.port = ntohs(at.sin_port);
    s.pid = fork();
    if (s.pid < 0)
        die("fork");
    if (s.pid == 0)
        serve_all(fd, s.notes);
    close(fd);
    return s;
}

void sink_stop(struct sink *s)
{
    kill(s->pid, SIGKILL);
    waitpid(s->pid, NULL, 0);
    munmap(s->notes, sizeof *s->notes);
}
