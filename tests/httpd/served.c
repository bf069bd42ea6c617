/* A server with a path for each thing that src/httpd promises; test_httpd.py is its client. It
 * writes where it listens, and then a line for each request that ended without its client.
 *
 *     served HEAD_MS IDLE_MS STALL_S CONNECTIONS [ADDRESS THREADS [CERTIFICATE KEY]]
 *
 * An ADDRESS of "handed-over" is the socket of systemd's protocol. */
#include "base/clock.h"
#include "base/loop.h"
#include "httpd/httpd.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ADLER 65521u
#define PIECE ((size_t)64 << 10)

#define MOST_THREADS 8

static volatile sig_atomic_t told_to_end;

static struct thread {
    struct rf_loop loop;
    struct rf_httpd *server;
    pthread_t thread;
} threads[MOST_THREADS];

struct call {
    struct thread *thread;
    struct rf_httpd_request *request;
    uint32_t a, b; /* Adler-32 of what was taken */
    uint64_t taken, left;
    struct rf_timer timer;
};

static bool is_path(const struct rf_httpd_request *r, const char *path)
{
    return rf_str_is(r->path, path);
}

static void say(struct rf_httpd_request *r, int status, const char *text)
{
    rf_httpd_reply(r, status,
                   (struct rf_httpd_header[]){ { "content-type", "text/plain" },
                                               { "x-odd", "one\r\nx-injected: two" },
                                               { 0 } },
                   rf_str(text));
}

static void go_on(void *ctx)
{
    rf_httpd_resume(((struct call *)ctx)->request);
}

static void begin(void *ctx, struct rf_httpd_request *r)
{
    struct call *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    *c = (struct call){ .thread = ctx, .request = r, .a = 1, .timer = { .due = go_on, .ctx = c } };
    r->own = c;
    if (is_path(r, "/sink") || is_path(r, "/slow-sink"))
        r->max_body = UINT64_C(1) << 40;
    if (is_path(r, "/early"))
        say(r, 403, "no");
}

static void body(void *ctx, struct rf_httpd_request *r, struct rf_str piece)
{
    struct call *c = r->own;
    (void)ctx;
    c->taken += piece.n;
    for (size_t i = 0; i < piece.n; i++) {
        c->a = (c->a + (unsigned char)piece.p[i]) % ADLER;
        c->b = (c->b + c->a) % ADLER;
    }
    if (is_path(r, "/slow-sink")) {
        rf_httpd_pause(r);
        rf_timer_set(&c->thread->loop, &c->timer, rf_now_ms() + 1);
    }
    if (is_path(r, "/middle"))
        say(r, 422, "enough");
}

/* A large body is read here, and told of here. */
static char *room(void *ctx, struct rf_httpd_request *r, size_t *n)
{
    static char place[3 * PIECE];
    (void)ctx;
    *n = sizeof place;
    return is_path(r, "/sink") ? place : NULL;
}

static void writable(void *ctx, struct rf_httpd_request *r)
{
    static const char zeros[PIECE];
    struct call *c = r->own;
    bool more = true;
    (void)ctx;
    while (c->left && more) {
        size_t n = c->left < PIECE ? (size_t)c->left : PIECE;
        c->left -= n;
        more = rf_httpd_write(r, (struct rf_str){ zeros, n });
    }
    if (!c->left)
        rf_httpd_finish(r);
}

static void say_sum(struct rf_httpd_request *r)
{
    const struct call *c = r->own;
    char text[100];
    snprintf(text, sizeof text, "%llu %08x", (unsigned long long)c->taken, c->b << 16 | c->a);
    say(r, 200, text);
}

static void complete(void *ctx, struct rf_httpd_request *r)
{
    struct call *c = r->own;
    char peer[RF_HTTPD_PEER];
    const char *name;
    int64_t n = 0;
    if (is_path(r, "/sink") || is_path(r, "/slow-sink") || is_path(r, "/small")) {
        say_sum(r);
    } else if (is_path(r, "/source")) {
        c->left = rf_str_int64(r->query, &n) ? (uint64_t)n : 0;
        rf_httpd_stream(r, 200, NULL);
        writable(ctx, r);
    } else if (is_path(r, "/drip")) {
        rf_httpd_stream(r, 200,
                        (struct rf_httpd_header[]){ { "content-type", "text/plain" }, { 0 } });
        rf_httpd_write(r, RF_STR("drop"));
    } else if (is_path(r, "/cut")) {
        rf_httpd_stream(r, 200, NULL);
        rf_httpd_write(r, RF_STR("half"));
        rf_httpd_cut(r);
    } else if (is_path(r, "/cut-whole")) {
        rf_httpd_cut(r);
    } else if (is_path(r, "/peer")) {
        say(r, 200, rf_httpd_peer(r, peer));
    } else if (is_path(r, "/header")) {
        name = rf_httpd_header(r, "X-Asked");
        say(r, 200, name ? name : "none");
    } else if (is_path(r, "/thread")) {
        snprintf(peer, sizeof peer, "%td", c->thread - threads);
        say(r, 200, peer);
    } else if (is_path(r, "/hello")) {
        say(r, 200, "hello");
    } else if (!is_path(r, "/hold")) {
        say(r, 404, "nothing here");
    }
}

static void end(void *ctx, struct rf_httpd_request *r, enum rf_httpd_ending how)
{
    struct call *c = r->own;
    (void)ctx;
    rf_timer_clear(&c->thread->loop, &c->timer);
    if (how == RF_HTTPD_GONE)
        printf("gone %.*s\n", (int)r->path.n, r->path.p);
    free(c);
}

static void on_signal(int number)
{
    (void)number;
    told_to_end = 1;
}

static void *serve(void *ctx)
{
    struct thread *t = ctx;
    while (!told_to_end || rf_httpd_connections(t->server)) {
        rf_loop_wait(&t->loop, -1, 200);
        rf_loop_step(&t->loop);
        if (told_to_end)
            rf_httpd_drain(t->server);
    }
    return NULL;
}

static enum rf_code start(const char *address, const struct rf_httpd_options *options, size_t count,
                          struct rf_err *err)
{
    static const struct rf_httpd_handler handler = { begin, body, complete, writable,
                                                     end,   NULL, room };
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < count; i++) {
        struct thread *t = &threads[i];
        if (!rf_loop_init(&t->loop))
            abort();
        rc = i ? rf_httpd_join(threads[0].server, &t->loop, t, &t->server, err)
               : rf_httpd_start(&t->loop, address, options, &handler, t, &t->server, err);
    }
    return rc;
}

static void finish(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rf_httpd_stop(threads[i].server);
        rf_loop_release(&threads[i].loop);
    }
}

int main(int argc, char **argv)
{
    struct rf_httpd_options options = { .max_body = 1 << 20 };
    const char *address = argc > 5 ? argv[5] : "127.0.0.1:0";
    size_t count = argc > 6 ? strtoul(argv[6], NULL, 10) : 1;
    char handed_over[RF_HTTPD_PEER];
    struct rf_err err;
    if (argc < 5 || count > MOST_THREADS)
        return 2;
    options.head_timeout_ms = strtol(argv[1], NULL, 10);
    options.idle_timeout_ms = strtol(argv[2], NULL, 10);
    options.stall_timeout_s = (unsigned)strtoul(argv[3], NULL, 10);
    options.max_connections = (unsigned)strtoul(argv[4], NULL, 10);
    options.certificate = argc > 7 ? argv[7] : NULL;
    options.key = argc > 8 ? argv[8] : NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    sigaction(SIGTERM, &(struct sigaction){ .sa_handler = on_signal }, NULL);
    if (strcmp(address, "handed-over") == 0)
        address = rf_httpd_handed_over(handed_over);
    if (start(address ? address : "127.0.0.1:0", &options, count, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    const char *at;
    for (size_t i = 0; (at = rf_httpd_address(threads[0].server, i)) != NULL; i++)
        printf("%s\n", at);
    for (size_t i = 1; i < count; i++)
        pthread_create(&threads[i].thread, NULL, serve, &threads[i]);
    serve(&threads[0]);
    for (size_t i = 1; i < count; i++)
        pthread_join(threads[i].thread, NULL);
    finish(count);
    printf("drained\n");
    return 0;
}
