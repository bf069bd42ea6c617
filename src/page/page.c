#include "page/page.h"

#include "base/utf8.h"
#include "net/form.h"

#include <stdlib.h>

#define MOST_BODY 65536

/* The table */

static struct rf_page *page_open(const struct rf_page_host *host)
{
    struct rf_page *p = calloc(1, sizeof *p);
    if (!p)
        RF_NO_MEMORY();
    p->host = host;
    p->ring = rf_ring_new();
    p->tally = rf_tally_new();
    rf_page_logins_init(&p->logins);
    if (rf_mark_make(p->epoch, NULL))
        RF_BUG("there are no random numbers");
    return p;
}

static void page_close(struct rf_page *p)
{
    rf_page_logins_release(&p->logins);
    rf_tally_free(p->tally);
    rf_ring_free(p->ring);
    free(p);
}

static bool is_watched(const struct rf_page *p)
{
    return rf_ring_is_watched(p->ring);
}

static bool wants_whole(struct rf_page *p)
{
    return rf_ring_wants_whole(p->ring);
}

static void tell(struct rf_page *p, const struct rf_record *r, enum rf_page_stage stage,
                 struct rf_kept_exchange *k, uint64_t *number)
{
    rf_ring_tell(p->ring, r, stage, k, number);
    if (stage == RF_PAGE_OVER)
        rf_tally_count(p->tally, r);
}

/* Replies */

void rf_page_header(struct rf_page_visit *v, const char *name, const char *value)
{
    if (v->header_count == RF_PAGE_MOST_HEADERS)
        RF_BUG("more headers than there is room for");
    v->headers[v->header_count++] = (struct rf_httpd_header){ name, value };
}

struct rf_json *rf_page_json(struct rf_page_visit *v)
{
    struct rf_rope *rope = RF_NEW(v->arena, struct rf_rope);
    struct rf_json *w = RF_NEW(v->arena, struct rf_json);
    rf_rope_init(rope, v->arena);
    rf_json_init(w, rope);
    return w;
}

void rf_page_json_end(struct rf_page_visit *v, struct rf_json *w)
{
    struct rf_err err = { 0 };
    v->type = "application/json";
    if (rf_json_finish(w, &err) || rf_rope_flatten(w->rope, SIZE_MAX, v->arena, &v->out, &err))
        rf_page_fail(v, &err);
}

void rf_page_refuse(struct rf_page_visit *v, int status, struct rf_str words)
{
    struct rf_json *w = rf_page_json(v);
    v->status = status;
    rf_json_obj(w, NULL);
    rf_json_str(w, "error", (struct rf_str){ words.p, rf_utf8_valid(words) });
    rf_json_end(w);
    rf_page_json_end(v, w);
}

static int status_for(enum rf_code code)
{
    if (code == RF_EPERMISSION)
        return 409; /* somebody else writes it */
    return code == RF_ENOTFOUND ? 404 : code == RF_EUSAGE || code == RF_EFORMAT ? 400 : 500;
}

struct rf_str rf_page_words(struct rf_page_visit *v, const struct rf_err *err)
{
    const char *stop = rf_str_ends(rf_str(err->msg), ".") ? " " : ". ";
    return rf_strf(v->arena, "%s%s%s", err->msg, err->hint[0] ? stop : "", err->hint);
}

void rf_page_fail(struct rf_page_visit *v, const struct rf_err *err)
{
    rf_page_refuse(v, status_for(err->code), rf_page_words(v, err));
}

struct rf_str rf_page_field(struct rf_page_visit *v, const char *name)
{
    const struct rf_str *value = rf_form_get(v->query, name, v->arena);
    return value ? *value : RF_STR("");
}

/* A browser loads nothing from other sites, and caches nothing. */
static const struct rf_httpd_header always[] = {
    { "content-security-policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
      "media-src blob:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; "
      "base-uri 'none'" },
    { "x-content-type-options", "nosniff" },
    { "referrer-policy", "no-referrer" },
    { "cross-origin-resource-policy", "same-origin" },
    { "cross-origin-opener-policy", "same-origin" },
    { "cache-control", "no-store" },
};
#define ALWAYS (sizeof always / sizeof *always)

static void headers_of(const struct rf_page_visit *v,
                       struct rf_httpd_header out[ALWAYS + RF_PAGE_MOST_HEADERS + 2])
{
    size_t n = 0;
    out[n++] = (struct rf_httpd_header){ "content-type", v->type };
    for (size_t i = 0; i < ALWAYS; i++)
        out[n++] = always[i];
    for (size_t i = 0; i < v->header_count; i++)
        out[n++] = v->headers[i];
    out[n] = (struct rf_httpd_header){ NULL, NULL };
}

static void reply(struct rf_page_visit *v)
{
    struct rf_httpd_header list[ALWAYS + RF_PAGE_MOST_HEADERS + 2];
    headers_of(v, list);
    rf_httpd_reply(v->request, v->status ? v->status : 200, list, v->out);
}

/* Visits */

static void visit_free(struct rf_page_visit *v)
{
    rf_timer_clear(v->loop->loop, &v->timer);
    rf_kept_drop(v->kept);
    rf_arena_free(v->arena);
    free(v);
}

static void run_job(void *ctx, int stop_fd)
{
    struct rf_page_visit *v = ctx;
    v->stop_fd = stop_fd;
    v->route->run(v);
}

static void take_job(void *ctx)
{
    struct rf_page_visit *v = ctx;
    v->working = false;
    if (!v->request)
        visit_free(v);
    else if (!v->type) /* it was stopped before it ran */
        rf_httpd_cut(v->request);
    else
        reply(v);
}

static void start_job(struct rf_page_visit *v)
{
    v->job = (struct rf_pool_job){ .run = run_job, .done = take_job, .ctx = v, .minor = true };
    v->working = rf_pool_add(v->loop->pool, &v->job, v->loop->mailbox);
    if (v->working)
        return;
    rf_page_refuse(v, 503, RF_STR("the gateway cannot start a thread"));
    reply(v);
}

static void start_stream(struct rf_page_visit *v)
{
    struct rf_httpd_header list[ALWAYS + RF_PAGE_MOST_HEADERS + 2];
    v->type = "text/event-stream";
    rf_page_header(v, "x-accel-buffering", "no"); /* or nginx would buffer it */
    headers_of(v, list);
    v->streaming = true;
    rf_httpd_stream(v->request, 200, list);
    v->route->run(v);
}

/* The HTTP server's callbacks */

static void begin(void *ctx, struct rf_httpd_request *r)
{
    struct rf_page_loop *l = ctx;
    struct rf_page_visit *v = calloc(1, sizeof *v);
    if (!v)
        RF_NO_MEMORY();
    v->loop = l;
    v->page = l->page;
    v->request = r;
    v->arena = rf_arena_new();
    v->query = rf_str_dup(v->arena, r->query); /* a thread may read it after the head is gone */
    rf_buf_init(&v->body, v->arena, MOST_BODY);
    r->own = v;
    r->max_body = MOST_BODY;
    v->route = rf_page_find(v);
    if (rf_page_admits(v) && !v->route)
        rf_page_refuse(v, 404, RF_STR("there is no such thing here"));
    if (v->type)
        reply(v);
}

static void body(void *ctx, struct rf_httpd_request *r, struct rf_str piece)
{
    struct rf_page_visit *v = r->own;
    (void)ctx;
    rf_buf_add(&v->body, piece);
}

static void complete(void *ctx, struct rf_httpd_request *r)
{
    struct rf_page_visit *v = r->own;
    (void)ctx;
    if (v->type)
        return; /* it was refused */
    rf_ring_look(v->page->ring);
    switch (v->route->manner) {
    case RF_PAGE_AT_ONCE:
        v->route->run(v);
        reply(v);
        break;
    case RF_PAGE_IN_THREAD:
        start_job(v);
        break;
    case RF_PAGE_STREAM:
        start_stream(v);
        break;
    }
}

static void writable(void *ctx, struct rf_httpd_request *r)
{
    (void)ctx;
    rf_page_events_writable(r->own);
}

static void end(void *ctx, struct rf_httpd_request *r, enum rf_httpd_ending how)
{
    struct rf_page_visit *v = r->own;
    (void)ctx, (void)how;
    v->request = NULL;
    rf_timer_clear(v->loop->loop, &v->timer);
    if (v->working)
        rf_pool_stop(v->loop->pool, &v->job);
    else
        visit_free(v);
}

static void refuse(void *ctx, struct rf_httpd_request *r, int status, struct rf_str why)
{
    (void)ctx;
    static const struct rf_httpd_header plain[] = { { "content-type", "text/plain" },
                                                    { NULL, NULL } };
    rf_httpd_reply(r, status, plain, why);
}

const struct rf_page_table *rf_page(void)
{
    static const struct rf_page_table table = {
        .open = page_open,
        .close = page_close,
        .is_watched = is_watched,
        .wants_whole = wants_whole,
        .tell = tell,
        .http = { begin, body, complete, writable, end, refuse, NULL },
    };
    return &table;
}
