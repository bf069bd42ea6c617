/* The network, to a sink on the loopback: a 100 MB attachment as base64 in a request beside `curl
 * --data-binary` of the file, with how much memory; and what our way adds to a delta of a stream
 * over reading the socket.
 *
 * Called as `bench_net send URL FILE` it is the sender. */
#include "bench.h"
#include "program.h"
#include "sink.h"

#include "base/arena.h"
#include "base/rope.h"
#include "net/net.h"

#include <refract/config.h>
#include <refract/model.h>
#include <refract/reply.h>

#include <arpa/inet.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LARGE ((size_t)100 * 1000 * 1000)
#define SMALL ((size_t)1000)
#define MODEL "anthropic:claude-sonnet-4-5"
#define STREAMS 5

_Noreturn static void die(const char *what)
{
    fprintf(stderr, "bench_net: %s\n", what);
    exit(1);
}

/* The sender. */

static int send_file(const char *url, const char *path)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_net *net = rf_net_new();
    struct rf_net_reply reply;
    struct rf_err err;
    struct rf_bytes bytes;
    struct rf_rope body;
    rf_rope_init(&body, a);
    if (rf_bytes_file("", path, &bytes, &err))
        die(err.msg);
    rf_rope_text(&body, (struct rf_str){ "{\"data\":\"", 9 });
    rf_rope_base64(&body, &bytes);
    rf_rope_text(&body, (struct rf_str){ "\"}", 2 });
    struct rf_net_call call = { .url = url, .body = &body, .cancel_fd = -1 };
    if (rf_net_call(net, &call, a, &reply, &err))
        die(err.msg);
    rf_net_free(net);
    rf_arena_free(a);
    return reply.status == 200 ? 0 : 1;
}

static void make_file(const char *path, size_t size)
{
    char block[4096];
    unsigned state = 1;
    FILE *f = fopen(path, "w");
    if (!f)
        die(path);
    for (size_t done = 0; done < size; done += sizeof block) {
        for (size_t i = 0; i < sizeof block; i++)
            block[i] = (char)((state = state * 1664525u + 1013904223u) >> 24);
        fwrite(block, 1, size - done < sizeof block ? size - done : sizeof block, f);
    }
    if (fclose(f))
        die(path);
}

static void measure_upload(struct bench *b, char *self, char *url, const char *folder)
{
    char large[PATH_MAX], small[PATH_MAX], data[PATH_MAX + 1];
    snprintf(large, sizeof large, "%s/large", folder);
    snprintf(small, sizeof small, "%s/small", folder);
    snprintf(data, sizeof data, "@%s", large);
    make_file(large, LARGE);
    make_file(small, SMALL);
    struct program curl = { .argv = { "/usr/bin/curl", "-sS", "-H", "Expect:", "--data-binary",
                                      data, url } };
    struct program ours = { .argv = { self, "send", url, large } };
    struct program little = { .argv = { self, "send", url, small } };
    struct bench_case cases[] = { { program_run, &curl, 1, 0 }, { program_run, &ours, 1, 0 } };
    program_run(&little);
    bench_run(b, cases, 2);
    bench_row(b, &(struct bench_row){ "send a 100 MB attachment",
                                      (double)LARGE / 1e6 / cases[1].best_s, "MB/s",
                                      cases[0].best_s / cases[1].best_s, "curl --data-binary @file",
                                      BENCH_AT_LEAST, 0.5 });
    bench_row(b, &(struct bench_row){ "peak memory with it", (double)ours.peak_kb / 1024, "MiB",
                                      (double)(ours.peak_kb - little.peak_kb) / 1024 / 8,
                                      "8 MiB over a 1 KB file", BENCH_AT_MOST, 1 });
    unlink(large);
    unlink(small);
}

/* Streams. */

struct delays {
    double each[SINK_DELTAS];
    size_t count;
    struct rf_decode *decode;
};

static void note_delay(struct delays *d, const char *sent)
{
    if (d->count < SINK_DELTAS)
        d->each[d->count++] = bench_now() - strtod(sent, NULL);
}

static bool take_event(void *ctx, const struct rf_event *e)
{
    char text[32];
    if (e->type != RF_EVENT_TEXT || e->text.n >= sizeof text || e->text.p[0] == 'H')
        return true; /* the first says hello, and not when it was sent */
    memcpy(text, e->text.p, e->text.n);
    text[e->text.n] = '\0';
    note_delay(ctx, text);
    return true;
}

static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct delays *d = ctx;
    return !rf_decode_feed(d->decode, bytes, NULL);
}

static void stream_ours(const struct rf_model *model, const char *url, struct delays *d)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_net *net = rf_net_new();
    struct rf_net_reply reply;
    struct rf_err err;
    struct rf_net_call call = { .url = url, .cancel_fd = -1, .bytes = take_bytes, .ctx = d };
    d->count = 0;
    d->decode = rf_decode_stream(model);
    rf_decode_listen(d->decode, take_event, d);
    if (rf_net_call(net, &call, a, &reply, &err))
        die(err.msg);
    rf_decode_free(d->decode);
    rf_net_free(net);
    rf_arena_free(a);
}

static void stream_plain(int port, struct delays *d)
{
    static const char request[] = "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n";
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    char buf[16384];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    d->count = 0;
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) ||
        send(fd, request, sizeof request - 1, 0) < 0)
        die("the sink is not there");
    for (ssize_t n; (n = recv(fd, buf, sizeof buf - 1, 0)) > 0;) { /* until it closes */
        buf[n] = '\0';
        for (char *p = buf; (p = strstr(p, "_delta\",\"text\":\"")); p++)
            note_delay(d, p + 16);
    }
    close(fd);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(struct delays *d)
{
    if (d->count < SINK_DELTAS / 2)
        die("deltas are missing");
    qsort(d->each, d->count, sizeof *d->each, by_size);
    return d->each[d->count / 2];
}

static void measure_stream(struct bench *b, int port, const char *url)
{
    static struct delays plain, ours;
    struct rf_config *config;
    struct rf_model *model;
    struct rf_err err;
    if (rf_config_open(&config, &err) || rf_model_open(config, MODEL, &model, &err))
        die(err.msg);
    double best_plain = 1e9, best_ours = 1e9;
    for (int i = 0; i < STREAMS; i++) {
        stream_plain(port, &plain);
        stream_ours(model, url, &ours);
        double p = median(&plain), o = median(&ours);
        best_plain = p < best_plain ? p : best_plain;
        best_ours = o < best_ours ? o : best_ours;
    }
    double added = (best_ours - best_plain) * 1e6;
    bench_row(b,
              &(struct bench_row){ "latency added to a delta of a stream", added, "us", added / 50,
                                   "50 us over reading the socket", BENCH_AT_MOST, 1 });
    rf_model_close(model);
    rf_config_close(config);
}

int main(int argc, char **argv)
{
    struct bench b;
    char url[64], stream[72], folder[] = "/tmp/refract-bench-XXXXXX";
    if (argc == 4 && strcmp(argv[1], "send") == 0)
        return send_file(argv[2], argv[3]);
    bench_open(&b, argc, argv);
    if (access("/usr/bin/curl", X_OK)) {
        printf("skipped: there is no curl to measure beside\n");
        return bench_close(&b);
    }
    if (!mkdtemp(folder))
        die(folder);
    struct sink sink = sink_start();
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", sink.port);
    snprintf(stream, sizeof stream, "%sstream", url);
    measure_upload(&b, argv[0], url, folder);
    measure_stream(&b, sink.port, stream);
    sink_stop(&sink);
    rmdir(folder);
    return bench_close(&b);
}
