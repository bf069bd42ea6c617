/* `refract ask` from its start: how soon a small question is on the wire, beside curl with the
 * same body, kept in a session and not; and how soon the model that is built in has answered,
 * with no network at all. */
#include "bench.h"
#include "media.h"
#include "program.h"
#include "sink.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CURL "/usr/bin/curl"
#define MODEL "anthropic:claude-sonnet-4-5"
#define STARTS 60
#define ANSWER_MS 150.0

_Noreturn static void die(const char *what)
{
    fprintf(stderr, "bench_ask: %s\n", what);
    exit(1);
}

/* On the wire. */

struct starter {
    struct program program;
    double each[STARTS];
};

static void start_once(struct sink *sink, struct starter *s, int round)
{
    double start = bench_now();
    program_run(&s->program);
    s->each[round] = sink->notes->first_byte_s - start;
    if (s->each[round] <= 0)
        die("nothing was sent");
}

static double best_ms(const struct starter *s)
{
    double best = s->each[0];
    for (int i = 1; i < STARTS; i++)
        best = s->each[i] < best ? s->each[i] : best;
    return best * 1e3;
}

/* The body that will be sent, in the file "body". */
static void write_body(char *refract)
{
    char line[PATH_MAX + 100];
    snprintf(line, sizeof line, "exec \"%s\" ask -n -m " MODEL " Hello >body", refract);
    struct program shell = { .argv = { "/bin/sh", "-c", line } };
    program_run(&shell);
}

static void measure_wire(struct bench *b, char *refract)
{
    static struct starter curl, ask, kept;
    char base[64], url[96];
    struct sink sink = sink_start();
    snprintf(base, sizeof base, "http://127.0.0.1:%d", sink.port);
    snprintf(url, sizeof url, "%s/v1/messages", base);
    setenv("ANTHROPIC_BASE_URL", base, 1);
    setenv("ANTHROPIC_API_KEY", "none", 1);
    write_body(refract);
    curl.program = (struct program){ .argv = { CURL, "-sS", "-H", "content-type: application/json",
                                               "-d", "@body", url } };
    ask.program =
        (struct program){ .argv = { refract, "ask", "-q", "--no-save", "-m", MODEL, "Hello" } };
    kept.program = (struct program){ .argv = { refract, "ask", "-q", "-m", MODEL, "Hello" } };
    program_run(&kept.program); /* makes the store */
    for (int i = 0; i < STARTS; i++) {
        start_once(&sink, &curl, i);
        start_once(&sink, &ask, i);
        start_once(&sink, &kept, i);
    }
    sink_stop(&sink);
    double theirs = best_ms(&curl), ours = best_ms(&ask), with_store = best_ms(&kept);
    bench_row(b,
              &(struct bench_row){ "ask: the first byte is on the wire", ours, "ms", ours / theirs,
                                   "curl with the same body", BENCH_AT_MOST, 1.2 });
    bench_row(b, &(struct bench_row){ "the same, kept in a session", with_store, "ms",
                                      with_store / theirs, "curl with the same body", BENCH_AT_MOST,
                                      2 });
}

/* Offline: from the start to the end, after which there is no more of the answer to come. */

static void measure_offline(struct bench *b, char *refract, const char *name, char *question)
{
    struct program ask = { .argv = { refract, "ask", "-q", "-m", "offline", question } };
    struct bench_case one = { program_run, &ask, 1, 0 };
    bench_run(b, &one, 1);
    bench_row(b, &(struct bench_row){ name, one.best_s * 1e3, "ms", one.best_s * 1e3 / ANSWER_MS,
                                      "150 ms", BENCH_AT_MOST, 1 });
}

/* A folder with nothing but a picture in it, where all that is kept goes. */
static void settle(char *folder, const char *source)
{
    char line[2 * PATH_MAX + 100];
    if (!mkdtemp(folder) || chdir(folder))
        die(folder);
    setenv("XDG_DATA_HOME", folder, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("XDG_CONFIG_HOME", folder, 1);
    snprintf(line, sizeof line, "exec cp \"%s\" picture.png", source);
    struct program copy = { .argv = { "/bin/sh", "-c", line } };
    program_run(&copy);
}

static void leave(char *folder)
{
    struct program rm = { .argv = { "/bin/rm", "-rf", folder } };
    if (chdir("/"))
        die("/");
    program_run(&rm);
}

int main(int argc, char **argv)
{
    struct bench b;
    char own[PATH_MAX], refract[PATH_MAX + 16], folder[] = "/tmp/refract-bench-XXXXXX";
    if (!realpath(argv[0], own))
        die(argv[0]);
    bench_open(&b, argc, argv);
    media_find_workers(own);
    *strrchr(own, '/') = '\0';
    snprintf(refract, sizeof refract, "%s/../refract", own);
    settle(folder, PEERS_IN "/../../tests/fixtures/red.png");
    if (access(CURL, X_OK))
        printf("skipped: there is no curl to measure beside\n");
    else
        measure_wire(&b, refract);
    measure_offline(&b, refract, "ask -m offline: all of the answer", "Hello");
    measure_offline(&b, refract, "the same, with a look at a picture", "What is in @picture.png?");
    leave(folder);
    return bench_close(&b);
}
