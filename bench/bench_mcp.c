/* The MCP server as a host meets it over pipes: from its start to the answer of "initialize", a ping,
 * and a call that reads a small text; and how much it grows by 10,000 of those calls.
 *
 * The program is that of this build, found beside this one. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS 10000

#define INITIALIZE                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"             \
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":" \
    "\"bench\",\"version\":\"0\"}}}\n"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
#define READ                                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":" \
    "\"read_file\",\"arguments\":{\"file_path\":\"small.txt\"}}}\n"

struct server {
    char *program, *folder;
    const char *asks;
    pid_t pid;
    int in, out;
};

static void die(const char *what)
{
    fprintf(stderr, "bench_mcp: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void start(struct server *s)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        die("pipe");
    s->pid = fork();
    if (s->pid < 0)
        die("fork");
    if (s->pid == 0) {
        char *argv[] = { s->program, "mcp", "--root", s->folder, NULL };
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        execv(s->program, argv);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    s->in = to[1];
    s->out = from[0];
}

static void end(struct server *s)
{
    int status;
    close(s->in);
    close(s->out);
    if (waitpid(s->pid, &status, 0) < 0 || status != 0)
        die(s->program);
}

/* Give it a line and wait for the answer, which is one too. */
static void ask(void *server)
{
    struct server *s = server;
    char answer[8192];
    size_t n = strlen(s->asks);
    ssize_t got;
    if (write(s->in, s->asks, n) != (ssize_t)n)
        die("write");
    do
        got = read(s->out, answer, sizeof answer);
    while (got > 0 && answer[got - 1] != '\n');
    if (got <= 0)
        die("read");
}

static void start_and_ask(void *server)
{
    start(server);
    ask(server);
    end(server);
}

static double resident_kb(const struct server *s)
{
    char path[64];
    long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)s->pid);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static void measure_growth(struct bench *b, struct server *s)
{
    s->asks = READ;
    double before = resident_kb(s);
    for (int i = 0; i < CALLS; i++)
        ask(s);
    double after = resident_kb(s);
    bench_row(b, &(struct bench_row){ "memory after 10,000 calls", after, "KB",
                                      before > 0 ? after / before : 1, "before them", BENCH_AT_MOST,
                                      1.1 });
}

static void measure(struct bench *b, struct server *s)
{
    struct server cold = *s, pinged, read;
    cold.asks = INITIALIZE;
    struct bench_case first = { .run = start_and_ask, .arg = &cold, .times = 1 };
    bench_run(b, &first, 1);
    bench_row(b,
              &(struct bench_row){ "start to initialize answered, and the end", first.best_s * 1e3,
                                   "ms", first.best_s / 10e-3, "10 ms", BENCH_AT_MOST, 1 });
    start(s);
    s->asks = INITIALIZE;
    ask(s);
    pinged = read = *s;
    pinged.asks = PING;
    read.asks = READ;
    struct bench_case warm[] = { { .run = ask, .arg = &pinged }, { .run = ask, .arg = &read } };
    bench_run(b, warm, 2);
    bench_row(b,
              &(struct bench_row){ "ping", warm[0].best_s * 1e6, "us", 0, NULL, BENCH_NO_GOAL, 0 });
    bench_row(b, &(struct bench_row){ "read_file of a small text, warm", warm[1].best_s * 1e6, "us",
                                      warm[1].best_s / 0.2e-3, "0.2 ms", BENCH_AT_MOST, 1 });
    measure_growth(b, s);
    end(s);
}

int main(int argc, char **argv)
{
    char here[PATH_MAX], program[PATH_MAX + 32], folder[] = "/tmp/refract-bench-XXXXXX";
    char file[sizeof folder + 16];
    struct bench b;
    bench_open(&b, argc, argv);
    if (!realpath(argv[0], here) || !mkdtemp(folder))
        die(argv[0]);
    *strrchr(here, '/') = '\0';
    snprintf(program, sizeof program, "%s/../refract", here);
    snprintf(file, sizeof file, "%s/small.txt", folder);
    FILE *f = fopen(file, "w");
    if (!f || fputs("a small text\nof two lines\n", f) < 0 || fclose(f) != 0)
        die(file);
    struct server s = { .program = program, .folder = folder };
    measure(&b, &s);
    unlink(file);
    rmdir(folder);
    return bench_close(&b);
}
