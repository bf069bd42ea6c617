#include "gateway/traces.h"

#include "base/arena.h"
#include "config/config.h"
#include "net/net.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST ((size_t)1 << 20) /* bytes of spans that wait */
#define GATHER_MS 1000         /* for others to go along */
#define SEND_MS 10000
#define LAST_MS 1000 /* for those that are left at the end */

/* Where */

static char *keep(const char *url)
{
    char *copy = strdup(url);
    if (!copy)
        RF_NO_MEMORY();
    return copy;
}

/* A collector's address leads to its path for traces, unless it has a path already. */
static char *whole_url(struct rf_str base, struct rf_arena *a)
{
    const char *host = strstr(rf_cstr(a, base), "://");
    const char *path = host ? strchr(host + 3, '/') : NULL;
    while (base.n && base.p[base.n - 1] == '/')
        base.n--;
    return keep(path && path[1] ? rf_cstr(a, base) : rf_strf(a, "%.*s/v1/traces", RF_FMT(base)).p);
}

static char *find_url(const struct rf_config *config)
{
    const char *whole = getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    const char *base = getenv("OTEL_EXPORTER_OTLP_ENDPOINT");
    struct rf_arena *a = rf_arena_new();
    char *url = NULL;
    if (config && config->serve.traces.n)
        url = whole_url(config->serve.traces, a);
    else if (whole && *whole)
        url = keep(whole);
    else if (base && *base)
        url = keep(rf_strf(a, "%.*s/v1/traces",
                           (int)(strlen(base) - (base[strlen(base) - 1] == '/')), base)
                       .p);
    rf_arena_free(a);
    return url;
}

/* Sending */

static void send_spans(const struct rf_traces *t, struct rf_net *net, const struct rf_lines *lines,
                       int64_t within_ms)
{
    static const struct rf_header json = { RF_STR_INIT("Content-Type"),
                                           RF_STR_INIT("application/json") };
    struct rf_arena *a = rf_arena_new();
    struct rf_net_reply reply;
    struct rf_rope body;
    struct rf_err unsaid; /* a collector that is not there is none of the clients' business */
    rf_rope_init(&body, a);
    rf_rope_text(&body, rf_spans_begin(a));
    rf_rope_text(&body, (struct rf_str){ lines->p, lines->n - 1 }); /* without the last comma */
    rf_rope_text(&body, RF_STR(RF_SPANS_END));
    const struct rf_net_call call = { .url = t->url,
                                      .headers = &json,
                                      .header_count = 1,
                                      .body = &body,
                                      .total_ms = within_ms,
                                      .cancel_fd = within_ms == LAST_MS ? -1 : t->hurry[0],
                                      .plain_proxy = true };
    enum rf_code rc = rf_net_call(net, &call, a, &reply, &unsaid);
    (void)rc;
    rf_arena_free(a);
}

static void *run(void *ctx)
{
    struct rf_traces *t = ctx;
    struct rf_net *net = rf_net_new();
    struct rf_lines lines = { 0 };
    bool over = false;
    while (!over) {
        struct pollfd hurry = { .fd = t->hurry[0], .events = POLLIN };
        over = poll(&hurry, 1, GATHER_MS) > 0;
        rf_queue_take(&t->queue, &lines);
        over |= rf_queue_is_ending(&t->queue);
        if (lines.n)
            send_spans(t, net, &lines, over ? LAST_MS : SEND_MS);
    }
    rf_net_free(net);
    free(lines.p);
    return NULL;
}

enum rf_code rf_traces_open(struct rf_traces *t, const struct rf_config *config, struct rf_err *err)
{
    *t = (struct rf_traces){ .url = find_url(config) };
    if (!t->url)
        return RF_OK;
    if (pipe2(t->hurry, O_CLOEXEC | O_NONBLOCK) != 0) {
        free(t->url);
        return rf_fail_errno(err, "could not make a pipe");
    }
    enum rf_code rc = rf_queue_start(&t->queue, MOST, run, t, err);
    if (rc) {
        close(t->hurry[0]);
        close(t->hurry[1]);
        free(t->url);
    }
    return rc;
}

bool rf_traces_go_to(const struct rf_traces *t, const struct rf_config *config)
{
    char *url = find_url(config);
    bool same = url && t->url ? strcmp(url, t->url) == 0 : !url && !t->url;
    free(url);
    return same;
}

/* What asks no model is not traced, nor what the client's own trace leaves out. */
void rf_traces_add(struct rf_traces *t, const struct rf_record *r, struct rf_arena *a)
{
    if (t->url && !r->trace.silent && (r->attempts || r->asked.n))
        rf_queue_add(&t->queue, rf_span_json(r, a), ',');
}

void rf_traces_close(struct rf_traces *t)
{
    if (!t->url)
        return;
    while (write(t->hurry[1], "", 1) < 0)
        continue;
    rf_queue_end(&t->queue);
    close(t->hurry[0]);
    close(t->hurry[1]);
    free(t->url);
}
