/* The gateway between a client and a provider on the loopback, beside nginx in the same place: CPU
 * a request for bodies of three sizes, how soon a reply and the pieces of a stream come through, and
 * memory, with large bodies and with many connections.
 *
 * nginx passes bytes on (proxy_pass); the gateway translates from Messages to Chat Completions, with
 * pictures in results of tools. Both get the same bodies in turns, over connections that are kept on
 * both sides, and write a line of their log for each to /dev/null. What counts is the CPU time of
 * their processes, threads and kernel included, which hardly depends on what else the machine does.
 *
 * Called as `bench_gateway upstream` it is the provider, and says at which port. Called as
 * `bench_gateway peers FILE PORT REFRACT NAME,PORT,PID…` it measures CPU and memory of nginx, of that
 * program, and of servers that somebody else has started, in front of the provider at PORT; FILE
 * gets the rows as JSON. */
#include "bench.h"
#include "load.h"
#include "media.h"
#include "servers.h"
#include "upstream.h"

#include "base/base64.h"
#include "base/crc32.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATH "/v1/messages"
#define GOAL 1.5 /* times nginx: an aim, since the ratio is another one on each machine */

_Noreturn static void die(const char *what)
{
    fprintf(stderr, "bench_gateway: %s\n", what);
    exit(1);
}

/* Bodies */

#define BEFORE                                                                                      \
    "{\"model\":\"openai-chat:gpt-4o\",\"max_tokens\":500,%s\"system\":\"You look at pictures and " \
    "say what is in them. Be brief, and name what is in front first.\",\"tools\":[{\"name\":"       \
    "\"look\",\"description\":\"Take a picture of what is before the camera.\","                    \
    "\"input_schema\":{\"type\":\"object\",\"properties\":{\"direction\":{\"type\":\"string\","     \
    "\"description\":\"north, east, south or west\"}},\"required\":[\"direction\"]}}],"             \
    "\"messages\":[{\"role\":\"user\",\"content\":\"What is before the camera, to the "             \
    "north?\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"I look.\"},"      \
    "{\"type\":\"tool_use\",\"id\":\"toolu_01\",\"name\":\"look\",\"input\":{\"direction\":"        \
    "\"north\"}}]},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":"      \
    "\"toolu_01\",\"content\":["
#define PICTURE_BEFORE                                                                  \
    "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\"," \
    "\"data\":\""
#define PICTURE_AFTER "\"}},"
#define AFTER "{\"type\":\"text\",\"text\":\"A picture, 1024 by 768.\"}]}]}]}"

#define WIDTH 1024
#define ROW (1 + 3 * WIDTH) /* bytes: no filter, and three a pixel */
#define STORED 0xffff       /* bytes that a block of zlib holds as they are */

static size_t put32(uint8_t *at, size_t n)
{
    const uint8_t bytes[] = { (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8),
                              (uint8_t)n };
    memcpy(at, bytes, sizeof bytes);
    return sizeof bytes;
}

static size_t put_chunk(uint8_t *at, const char *kind, const uint8_t *data, size_t n)
{
    put32(at, n);
    memcpy(at + 4, kind, 4);
    if (n)
        memcpy(at + 8, data, n);
    put32(at + 8 + n, rf_crc32(at + 4, n + 4));
    return n + 12;
}

/* Noise, which nobody can compress, in the blocks that zlib has for it. */
static size_t put_rows(uint8_t *at, size_t rows)
{
    uint32_t state = 1, low = 1, high = 0;
    size_t n = 0, left = rows * ROW;
    at[n++] = 0x78;
    at[n++] = 0x01;
    for (size_t done = 0; left; done++, left--) {
        if (done % STORED == 0) {
            size_t block = left < STORED ? left : STORED;
            at[n++] = left <= STORED;
            at[n++] = (uint8_t)block;
            at[n++] = (uint8_t)(block >> 8);
            at[n++] = (uint8_t)~block;
            at[n++] = (uint8_t)(~block >> 8);
        }
        state = state * 1664525u + 1013904223u;
        at[n] = done % ROW ? (uint8_t)(state >> 24) : 0;
        low = (low + at[n++]) % 65521;
        high = (high + low) % 65521;
    }
    return n + put32(at + n, high << 16 | low);
}

/* A PNG of about `n` bytes. */
static uint8_t *make_png(size_t n, size_t *size)
{
    size_t rows = n / ROW ? n / ROW : 1;
    uint8_t head[13] = { [8] = 8, [9] = 2 };
    uint8_t *png = malloc(rows * (ROW + 1) + 1000), *data = malloc(rows * (ROW + 1) + 1000);
    if (!png || !data)
        die("no memory");
    put32(head, WIDTH);
    put32(head + 4, rows);
    memcpy(png, "\x89PNG\r\n\x1a\n", 8);
    *size = 8;
    *size += put_chunk(png + *size, "IHDR", head, sizeof head);
    *size += put_chunk(png + *size, "IDAT", data, put_rows(data, rows));
    *size += put_chunk(png + *size, "IEND", NULL, 0);
    free(data);
    return png;
}

/* With pictures of so many bytes each, as base64. */
static struct load make_load(size_t picture, int count, const char *headers, const char *options)
{
    size_t size = 0, n = 0, room = sizeof BEFORE + sizeof AFTER + 100;
    size_t each = sizeof PICTURE_BEFORE + sizeof PICTURE_AFTER + picture + 500;
    uint8_t *png = make_png(picture / 4 * 3, &size);
    char *body = malloc(room + each * (size_t)count);
    if (!body)
        die("no memory");
    n = (size_t)snprintf(body, room, BEFORE, options);
    for (int i = 0; i < count; i++) {
        memcpy(body + n, PICTURE_BEFORE, sizeof PICTURE_BEFORE - 1);
        n += sizeof PICTURE_BEFORE - 1;
        n += rf_base64_encode(png, size, body + n);
        memcpy(body + n, PICTURE_AFTER, sizeof PICTURE_AFTER - 1);
        n += sizeof PICTURE_AFTER - 1;
    }
    memcpy(body + n, AFTER, sizeof AFTER - 1);
    struct load l = load_new(PATH, headers, body, n + sizeof AFTER - 1);
    free(png);
    free(body);
    return l;
}

/* CPU */

static const struct size {
    const char *name;
    size_t picture;
    int count, requests, connections;
} sizes[] = { { "1 KB", 0, 0, 2000, 8 },
              { "100 KB", 100 * 1000, 1, 500, 8 },
              { "5 MB", 5 * 1000 * 1000, 1, 24, 4 } };
#define SIZES (sizeof sizes / sizeof *sizes)
#define ROUNDS 5

static void measure_cpu(const struct server *s, const struct size *z, const struct load *l,
                        double *best_s)
{
    double before = server_cpu(s);
    load_run(s->port, l, z->connections, z->requests);
    double each = (server_cpu(s) - before) / z->requests;
    *best_s = each < *best_s ? each : *best_s;
}

/* `servers` in turns; the first is what the others are compared with. */
static void measure_size(struct bench *b, const struct size *z, const char *headers,
                         const struct server *servers, int count)
{
    struct load l = make_load(z->picture, z->count, headers, "");
    double best_s[MOST_SERVERS];
    char name[80], against[80];
    for (int i = 0; i < count; i++) {
        best_s[i] = 1e9;
        load_run(servers[i].port, &l, z->connections, z->requests / 10 + z->connections);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < count; i++)
            measure_cpu(&servers[i], z, &l, &best_s[i]);
    snprintf(against, sizeof against, "%s", servers[0].name);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s: CPU a request, %s", z->name, servers[i].name);
        bench_row(b, &(struct bench_row){ name, best_s[i] * 1e6, "us", best_s[i] / best_s[0],
                                          i ? against : NULL,
                                          servers[i].ours ? BENCH_AIM : BENCH_NO_GOAL, GOAL });
    }
    free(l.bytes);
}

/* How soon */

#define TRIES 200
#define STREAMS 5

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double part_of(double *all, size_t count, double part)
{
    qsort(all, count, sizeof *all, by_size);
    return all[(size_t)((double)(count - 1) * part)];
}

static void measure_first_byte(struct bench *b, int direct, int gateway)
{
    struct load l = make_load(0, 0, "", "");
    static double plain[TRIES], ours[TRIES];
    for (int i = 0; i < TRIES; i++) {
        plain[i] = load_first_byte(direct, &l);
        ours[i] = load_first_byte(gateway, &l);
    }
    double added = (part_of(ours, TRIES, 0.5) - part_of(plain, TRIES, 0.5)) * 1e3;
    bench_row(b, &(struct bench_row){ "1 KB: added to the first byte of a reply", added, "ms",
                                      added / 0.3, "0.3 ms over none between", BENCH_AT_MOST, 1 });
    free(l.bytes);
}

static void measure_pieces(struct bench *b, int direct, int gateway)
{
    struct load l = make_load(0, 0, "", "\"stream\":true,");
    double plain[UPSTREAM_PIECES], ours[UPSTREAM_PIECES], best_plain = 1e9, best_ours = 1e9;
    for (int i = 0; i < STREAMS; i++) {
        if (load_stream(direct, &l, plain, UPSTREAM_PIECES) < UPSTREAM_PIECES ||
            load_stream(gateway, &l, ours, UPSTREAM_PIECES) < UPSTREAM_PIECES)
            die("pieces of a stream are missing");
        double p = part_of(plain, UPSTREAM_PIECES, 0.9), o = part_of(ours, UPSTREAM_PIECES, 0.9);
        best_plain = p < best_plain ? p : best_plain;
        best_ours = o < best_ours ? o : best_ours;
    }
    double added = (best_ours - best_plain) * 1e3;
    bench_row(b, &(struct bench_row){ "added to nine in ten pieces of a stream", added, "ms", added,
                                      "1 ms over none between", BENCH_AT_MOST, 1 });
    free(l.bytes);
}

/* Memory */

#define HELD 4
#define PICTURES 6
#define IDLE 10000
#define MIB (1024.0 * 1024)

/* A second later: memory of bodies may be kept for the next ones, but not for long. */
static double memory_after(const struct server *s)
{
    const struct timespec pause = { .tv_sec = 1 };
    nanosleep(&pause, NULL);
    return server_memory(s, "VmRSS:");
}

static void measure_bodies(struct bench *b, const struct server *s)
{
    struct load l = make_load(5 * 1000 * 1000, PICTURES, "", "");
    server_forget_peak(s);
    double before = server_memory(s, "VmRSS:");
    load_hold(s->port, &l, HELD);
    double peak = server_memory(s, "VmHWM:");
    double each = (peak - before) / HELD - (double)l.n / MIB;
    double after = memory_after(s);
    bench_row(b, &(struct bench_row){ "30 MB, 4 at once: memory beside each body", each, "MiB",
                                      each, "1 MiB", BENCH_AT_MOST, 1 });
    bench_row(b, &(struct bench_row){ "memory after them", after, "MiB", after / 20, "20 MiB",
                                      BENCH_AT_MOST, 1 });
    free(l.bytes);
}

static void measure_idle(struct bench *b, const struct server *s)
{
    static int fds[IDLE];
    double before = server_memory(s, "VmRSS:");
    int open = load_idle(s->port, IDLE, fds);
    double each = (server_memory(s, "VmRSS:") - before) * 1024 / IDLE;
    bench_row(b,
              &(struct bench_row){ "idle connections that stay open", open, "", open / (double)IDLE,
                                   "as many as were made", BENCH_AT_LEAST, 1 });
    bench_row(
        b, &(struct bench_row){ "memory of one of them", each, "KiB", 0, NULL, BENCH_NO_GOAL, 0 });
    for (int i = 0; i < IDLE; i++)
        close(fds[i]);
}

/* All of it */

static const char *nginx_program(void)
{
    const char *path = getenv("BENCH_NGINX");
    return path ? path : "/usr/sbin/nginx";
}

static void measure(struct bench *b, const char *program)
{
    struct media m;
    struct server servers[2];
    media_open(&m, program);
    struct upstream u = upstream_start();
    servers[0] = server_nginx(nginx_program(), u.port);
    servers[1] = server_refract(m.refract, u.port);
    for (size_t i = 0; i < SIZES; i++)
        measure_size(b, &sizes[i], "", servers, 2);
    measure_first_byte(b, u.port, servers[1].port);
    measure_pieces(b, u.port, servers[1].port);
    measure_bodies(b, &servers[1]);
    measure_idle(b, &servers[1]);
    server_stop(&servers[0]);
    server_stop(&servers[1]);
    upstream_stop(&u);
    media_close(&m);
}

static int be_upstream(void)
{
    struct upstream u = upstream_start();
    printf("%d\n", u.port);
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    upstream_stop(&u);
    return 0;
}

/* How a server that takes a provider's address from its client is told of it. */
static const char *routed(int upstream)
{
    static char headers[200];
    snprintf(headers, sizeof headers,
             "x-portkey-provider: anthropic\r\nx-portkey-custom-host: http://127.0.0.1:%d/v1\r\n",
             upstream);
    return headers;
}

static void tell_memory(struct bench *b, const struct server *s)
{
    char name[sizeof s->name + 32];
    snprintf(name, sizeof name, "memory after all: %.39s", s->name);
    bench_row(
        b, &(struct bench_row){ .name = name, .value = memory_after(s), .unit = "MiB" });
}

static int measure_peers(int argc, char **argv)
{
    struct server servers[MOST_SERVERS];
    int count = 0, upstream = (int)strtol(argv[3], NULL, 10);
    struct bench b;
    bench_open(&b, 3, (char *[]){ argv[0], "--json", argv[2] });
    servers[count++] = server_nginx(nginx_program(), upstream);
    servers[count] = server_refract(argv[4], upstream);
    servers[count++].ours = false; /* what it should reach is said where all of it is measured */
    for (int i = 5; i < argc && count < MOST_SERVERS; i++)
        servers[count++] = server_running(argv[i]);
    for (size_t i = 0; i < SIZES; i++) {
        struct size some = sizes[i];
        some.requests /= 4; /* those of others take a hundred times as long */
        measure_size(&b, &some, routed(upstream), servers, count);
    }
    for (int i = 0; i < count; i++)
        tell_memory(&b, &servers[i]);
    server_stop(&servers[0]);
    server_stop(&servers[1]);
    return bench_close(&b);
}

int main(int argc, char **argv)
{
    struct bench b;
    if (argc == 2 && strcmp(argv[1], "upstream") == 0)
        return be_upstream();
    if (argc > 4 && strcmp(argv[1], "peers") == 0)
        return measure_peers(argc, argv);
    bench_open(&b, argc, argv);
    if (access(nginx_program(), X_OK) == 0)
        measure(&b, argv[0]);
    else
        printf("skipped: there is no nginx to measure beside\n");
    return bench_close(&b);
}
