/* Many exchanges in one thread, against the simulator in a process of its own, which streams each
 * answer in pieces with pauses between them: what waiting for its turn adds to a piece, and what
 * memory an exchange takes beside its body.
 *
 * What is added cannot be more than the time since the thread last looked what had come: that is
 * what counts here, so that it does not matter how late the simulator was. Nor does it matter what
 * else the machine does: the time for which the thread could have run and was not let is taken off,
 * and only that. */
#include "bench.h"

#include <refract/refract.h>

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXCHANGES 2000
#define STARTED_AT_ONCE 20
#define MODEL "anthropic:claude-sonnet-4-5"
#define QUESTION "{\"refract\":1,\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}"
#define MOST_PIECES (EXCHANGES * 100)
#define ADDED_MS 20.0
#define EACH_KIB 64.0
#define SCRIPT                                                                               \
    "replies:\n  - {times: 0, pause_ms: 300, text: \"It is said that the quick brown fox "   \
    "jumps over the lazy dog, and that all of this takes the model quite some time to say, " \
    "because it thinks about every word of it, and about every other word, too.\"}\n"

_Noreturn static void die(const char *what)
{
    fprintf(stderr, "bench_send: %s\n", what);
    exit(1);
}

/* The simulator */

struct simulator {
    pid_t pid;
    char address[100];
};

static struct simulator simulator_start(const char *refract, const char *script)
{
    struct simulator s = { 0 };
    int ends[2];
    if (pipe(ends) || (s.pid = fork()) < 0)
        die("the simulator could not be started");
    if (!s.pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], STDOUT_FILENO);
        execl(refract, refract, "sim", "-q", "--script", script, (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    FILE *f = fdopen(ends[0], "r");
    if (!f || !fgets(s.address, sizeof s.address, f))
        die("the simulator does not run");
    s.address[strcspn(s.address, "\n")] = '\0';
    fclose(f);
    return s;
}

static void simulator_stop(const struct simulator *s)
{
    kill(s->pid, SIGTERM);
    waitpid(s->pid, NULL, 0);
}

/* The exchanges */

/* Seconds of this thread's own: those for which others had the processor do not pass. */
static double own_now(void)
{
    static int fd = -1;
    char text[100];
    unsigned long long ran, waited_ns = 0;
    if (fd < 0)
        fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    if (n > 0) {
        text[n] = '\0';
        if (sscanf(text, "%llu %llu", &ran, &waited_ns) != 2)
            die(text);
    }
    return bench_now() - (double)waited_ns / 1e9;
}

struct many {
    struct rf_network *network;
    struct rf_send_options what;
    struct rf_send *sends[EXCHANGES];
    size_t started, ended, failed, streaming, most_streaming;
    double looked_s; /* on own_now's clock: when the thread last looked what had come */
    double *added;   /* of each piece, in seconds */
    size_t pieces;
    long least_kib, most_kib;
};

struct one {
    struct many *many;
    bool streams;
};

static bool take_event(void *ctx, const struct rf_event *e)
{
    struct one *o = ctx;
    struct many *m = o->many;
    if (e->type != RF_EVENT_TEXT)
        return true;
    if (!o->streams && ++m->streaming > m->most_streaming)
        m->most_streaming = m->streaming;
    o->streams = true;
    if (m->pieces < MOST_PIECES)
        m->added[m->pieces++] = own_now() - m->looked_s;
    return true;
}

static void take_end(void *ctx, struct rf_send *s, enum rf_code rc, const struct rf_err *err)
{
    struct one *o = ctx;
    (void)s;
    if (rc && !o->many->failed++)
        fprintf(stderr, "bench_send: %s\n", err->msg);
    o->many->ended++;
    o->many->streaming -= o->streams;
}

/* Memory of this process that is in use. */
static long resident_kib(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long size, resident;
    if (!f || fscanf(f, "%ld %ld", &size, &resident) != 2)
        die("/proc/self/statm");
    fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* What came while the last step was running has waited since that began; what came later, since the
 * wait ended. */
static void step(struct many *m)
{
    static double began_s;
    struct pollfd ready = { .fd = rf_network_fd(m->network), .events = POLLIN };
    bool at_once = poll(&ready, 1, 0) > 0;
    if (!at_once)
        poll(&ready, 1, rf_network_timeout_ms(m->network));
    double now = own_now();
    m->looked_s = at_once && began_s > 0 ? began_s : now;
    began_s = now;
    rf_network_step(m->network);
}

static void run(struct many *m, struct one *ones, size_t count)
{
    while (m->ended < count) {
        for (size_t i = 0; i < STARTED_AT_ONCE && m->started < count; i++, m->started++) {
            m->what.ctx = &ones[m->started];
            ones[m->started] = (struct one){ .many = m };
            m->sends[m->started] = rf_send_start(m->network, &m->what);
        }
        step(m);
        if (m->streaming == count) {
            long kib = resident_kib();
            m->most_kib = kib > m->most_kib ? kib : m->most_kib;
        }
    }
    for (size_t i = 0; i < m->started; i++)
        rf_send_free(m->sends[i]);
    m->started = m->ended = 0;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(struct bench *b, struct many *m)
{
    if (m->failed || m->most_streaming < EXCHANGES)
        die("not all exchanges streamed at the same time");
    qsort(m->added, m->pieces, sizeof *m->added, by_size);
    double p99_ms = m->added[m->pieces * 99 / 100] * 1e3;
    double each_kib = (double)(m->most_kib - m->least_kib) / EXCHANGES;
    bench_row(b, &(struct bench_row){ "2,000 streams in a thread: added at p99", p99_ms, "ms",
                                      p99_ms / ADDED_MS, "20 ms", BENCH_AT_MOST, 1 });
    bench_row(b, &(struct bench_row){ "memory of each beside its body", each_kib, "KiB",
                                      each_kib / EACH_KIB, "64 KiB", BENCH_AT_MOST, 1 });
}

static void allow_descriptors(void)
{
    struct rlimit most;
    if (getrlimit(RLIMIT_NOFILE, &most))
        die("getrlimit");
    most.rlim_cur = most.rlim_max;
    setrlimit(RLIMIT_NOFILE, &most);
    if (most.rlim_cur < 2 * EXCHANGES)
        die("too few descriptors are allowed");
}

static void write_script(char *path)
{
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, SCRIPT, strlen(SCRIPT)) != (ssize_t)strlen(SCRIPT) || close(fd))
        die(path);
}

static void measure(struct bench *b)
{
    static struct one ones[EXCHANGES];
    static struct many m;
    struct rf_request_options *o = rf_request_options_new();
    struct rf_conversation *conversation;
    struct rf_model *model;
    struct rf_request *request;
    struct rf_err err;
    rf_request_options_stream(o);
    if (rf_conversation_read((struct rf_str){ QUESTION, strlen(QUESTION) }, &conversation, &err) ||
        rf_model_open(NULL, MODEL, &model, &err) ||
        rf_request_build(conversation, model, o, &request, &err))
        die(err.msg);
    rf_request_options_free(o);
    m.network = rf_network_new();
    m.added = calloc(MOST_PIECES, sizeof *m.added);
    m.what = (struct rf_send_options){ .size = sizeof m.what,
                                       .model = model,
                                       .request = request,
                                       .event = take_event,
                                       .done = take_end };
    run(&m, ones, 1); /* libcurl is loaded */
    memset(m.added, 0, MOST_PIECES * sizeof *m.added);
    m.pieces = m.most_streaming = 0;
    m.least_kib = resident_kib();
    m.most_kib = 0;
    run(&m, ones, EXCHANGES);
    report(b, &m);
    free(m.added);
    rf_network_free(m.network);
    rf_request_free(request);
    rf_model_close(model);
    rf_conversation_free(conversation);
}

int main(int argc, char **argv)
{
    struct bench b;
    char own[PATH_MAX], refract[PATH_MAX + 16], url[128];
    char script[] = "/tmp/refract-bench-XXXXXX";
    if (!realpath(argv[0], own))
        die(argv[0]);
    bench_open(&b, argc, argv);
    *strrchr(own, '/') = '\0';
    snprintf(refract, sizeof refract, "%s/../refract", own);
    allow_descriptors();
    write_script(script);
    struct simulator s = simulator_start(refract, script);
    snprintf(url, sizeof url, "%s/anthropic", s.address);
    setenv("ANTHROPIC_BASE_URL", url, 1);
    setenv("ANTHROPIC_API_KEY", "key-of-nobody", 1);
    measure(&b);
    simulator_stop(&s);
    unlink(script);
    return bench_close(&b);
}
