/* One request, from its head to the end of its reply.
 *
 *     body ──▶ translate (a thread) ──▶ send ──▶ events ──▶ the client, as they come
 *                     ▲                   └── refused, and nothing was said yet: heal (a thread)
 *                     └───────────────────────┘
 *
 * Whenever the client goes, the upstream is cancelled at once. Once a byte of the reply is with the
 * client nothing is asked again: what breaks off then ends with an error in the client's words. A
 * client that reads slowly pauses the upstream, so no more than a read of it waits here. */
#include "gateway/gateway.h"

#include "base/arena.h"
#include "base/clock.h"
#include "content/message.h"
#include "content/reply.h"
#include "store/ids.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_BODY ((uint64_t)64 << 20)
#define GIVE_UP_MS 10000 /* no further try after so long: clients try again themselves */

static void start_job(struct rf_gateway_exchange *x, enum rf_gateway_job which);

/* Beginning and end */

static void make_id(char id[RF_GATEWAY_ID])
{
    char mark[RF_MARK_SIZE] = "";
    if (rf_mark_make(mark, NULL))
        RF_BUG("there are no random numbers");
    snprintf(id, RF_GATEWAY_ID, "req_%s", mark);
}

static struct rf_gateway_exchange *exchange_new(struct rf_gateway_loop *l,
                                                struct rf_httpd_request *r)
{
    struct rf_gateway_exchange *x = calloc(1, sizeof *x);
    if (!x)
        RF_NO_MEMORY();
    x->loop = l;
    x->request = r;
    x->translation =
        (struct rf_translation){ .gateway = &l->gateway->options, .arena = rf_arena_new() };
    make_id(x->id);
    r->own = x;
    return x;
}

static void exchange_free(struct rf_gateway_exchange *x)
{
    rf_send_free(x->send);
    rf_respond_free(x->respond);
    rf_translation_release(&x->translation);
    free(x->body);
    free(x);
}

/* The clock of what we take ourselves runs while nobody else is waited for. */
static void clock_start(struct rf_gateway_exchange *x)
{
    if (!x->since_us)
        x->since_us = rf_now_us();
}

static void clock_stop(struct rf_gateway_exchange *x)
{
    x->own_us += x->since_us ? rf_now_us() - x->since_us : 0;
    x->since_us = 0;
}

/* The upstream */

/* A key that a provider refuses in its stream is the gateway's, too. */
static struct rf_event settled(const struct rf_event *e, struct rf_arena *a)
{
    struct rf_event own = *e;
    if (e->type == RF_EVENT_ERROR) {
        const struct rf_refusal r = {
            .kind = e->error, .words = e->text, .code = e->id, .retry_after_ms = e->retry_after_ms
        };
        struct rf_fault f = rf_fault_of_refusal(&r, a);
        own.error = f.kind;
        own.text = f.words;
        own.id = f.code;
    }
    return own;
}

/* What a refusal says is held back, since it may be healed: on_done has it. */
static bool on_event(void *ctx, const struct rf_event *e)
{
    struct rf_gateway_exchange *x = ctx;
    int status = rf_send_status(x->send);
    if (status && status != 200)
        return true;
    clock_start(x);
    struct rf_event own = settled(e, x->translation.arena);
    if (rf_respond_event(x->respond, &own, &x->unsaid))
        return false;
    x->over = e->type == RF_EVENT_DONE;
    if (!rf_gateway_pass_on(x))
        rf_send_pause(x->send);
    return true;
}

/* It was not reached, or sent something else than a reply. */
static void fail_upstream(struct rf_gateway_exchange *x, enum rf_code rc, const struct rf_err *err)
{
    bool late = rc == RF_ELIMIT;
    const struct rf_fault f = { .kind = RF_ERROR_OTHER,
                                .status = late ? 504 : 502,
                                .words = rf_str(err->msg),
                                .retry_after_ms = -1 };
    rf_gateway_refuse(x, &f);
}

static void finish(struct rf_gateway_exchange *x)
{
    if (x->streaming)
        x->over ? rf_httpd_finish(x->request) : rf_httpd_cut(x->request);
    if (x->translation.heal && x->over)
        start_job(x, RF_JOB_LEARN);
}

static void on_done(void *ctx, struct rf_send *s, enum rf_code rc, const struct rf_err *err)
{
    struct rf_gateway_exchange *x = ctx;
    const struct rf_message *reply = rf_send_reply(s);
    int status = rf_send_status(s);
    clock_start(x);
    if (status && status != 200 && reply) {
        x->refusal = &reply->ending->error;
        start_job(x, RF_JOB_HEAL);
    } else if (!x->answered) {
        fail_upstream(x, rc, x->unsaid.code ? &x->unsaid : err);
    } else {
        finish(x);
    }
}

/* Servers that can tell what a model takes are asked once a day, before the first request. */

static void on_described(void *ctx, enum rf_code rc, const struct rf_err *err)
{
    struct rf_gateway_exchange *x = ctx;
    (void)rc, (void)err; /* what was said is known here, be it kept or not */
    x->describing = NULL;
    clock_start(x);
    start_job(x, RF_JOB_ANEW);
}

static bool is_described(struct rf_gateway_exchange *x)
{
    const struct rf_describe_options what = { .size = sizeof what,
                                              .config = x->translation.gateway->config,
                                              .model = x->translation.model,
                                              .done = on_described,
                                              .ctx = x };
    if (x->described)
        return true;
    x->described = true;
    x->describing = rf_describe_start(x->loop->network, &what);
    if (x->describing)
        clock_stop(x);
    return !x->describing;
}

static void send_request(struct rf_gateway_exchange *x)
{
    const struct rf_translation *t = &x->translation;
    const struct rf_send_options what = {
        .size = sizeof what,
        .config = t->gateway->config,
        .model = t->model,
        .request = t->request,
        .give_up_ms = GIVE_UP_MS,
        .keep_tokens = true,
        .event = on_event,
        .done = on_done,
        .ctx = x,
        .offline = t->gateway->offline,
    };
    const struct rf_respond_options how = {
        .size = sizeof how,
        .dialect = t->front.dialect,
        .model = rf_cstr(t->arena, t->asked),
        .stream = t->streams,
        .from = t->model,
        .config = t->gateway->config,
    };
    struct rf_err err;
    rf_send_free(x->send);
    rf_respond_free(x->respond);
    if (rf_respond_new(&how, &x->respond, &err))
        RF_BUG("a dialect of the front door cannot be written");
    clock_stop(x);
    x->send = rf_send_start(x->loop->network, &what);
}

/* Threads */

static void run_job(void *ctx, int stop_fd)
{
    struct rf_gateway_exchange *x = ctx;
    switch (x->waits_for) {
    case RF_JOB_TRANSLATE:
        rf_translate(&x->translation, stop_fd);
        break;
    case RF_JOB_ANEW:
        rf_translate_anew(&x->translation, stop_fd);
        break;
    case RF_JOB_HEAL:
        rf_translate_again(&x->translation, x->refusal, stop_fd);
        break;
    case RF_JOB_LEARN:
        rf_translate_learn(&x->translation);
        break;
    case RF_JOB_NONE:
        break;
    }
}

static void take_job(void *ctx)
{
    struct rf_gateway_exchange *x = ctx;
    const struct rf_translation *t = &x->translation;
    x->waits_for = RF_JOB_NONE;
    if (!x->request)
        exchange_free(x);
    else if (x->answered)
        return;
    else if (t->fault.kind)
        rf_gateway_refuse(x, &t->fault);
    else if (t->text.n)
        rf_gateway_reply(x, 200, t->text);
    else if (is_described(x))
        send_request(x);
}

static void start_job(struct rf_gateway_exchange *x, enum rf_gateway_job which)
{
    static const struct rf_fault busy = { .kind = RF_ERROR_OVERLOADED,
                                          .words = RF_STR_INIT("the gateway cannot start a thread"),
                                          .retry_after_ms = 1000 };
    x->job = (struct rf_pool_job){ .run = run_job, .done = take_job, .ctx = x };
    x->waits_for = which;
    if (rf_pool_add(&x->loop->gateway->pool, &x->job, &x->loop->mailbox))
        return;
    x->waits_for = RF_JOB_NONE;
    if (!x->answered)
        rf_gateway_refuse(x, &busy);
}

/* What the server of HTTP calls */

static void refuse(void *ctx, struct rf_httpd_request *r, int status, struct rf_str why)
{
    struct rf_gateway_exchange *x = r->own ? r->own : exchange_new(ctx, r);
    const struct rf_fault f = { .kind = status == 404   ? RF_ERROR_NOT_FOUND
                                        : status == 413 ? RF_ERROR_TOO_LARGE
                                                        : RF_FAULT_INVALID,
                                .status = status,
                                .words = why,
                                .retry_after_ms = -1 };
    bool stray = !x->translation.front.dialect;
    if (stray)
        rf_front_find(r, x->translation.arena, &x->translation.front);
    rf_gateway_refuse(x, &f);
    if (stray) { /* it never began, and does not end */
        r->own = NULL;
        exchange_free(x);
    }
}

static void refuse_path(struct rf_gateway_exchange *x)
{
    const struct rf_front *front = &x->translation.front;
    struct rf_httpd_request *r = x->request;
    struct rf_arena *a = x->translation.arena;
    struct rf_str why = front->status == 405
                            ? rf_strf(a, "%.*s is asked with %s", RF_FMT(r->path), front->allowed)
                            : rf_strf(a, "there is no %.*s here", RF_FMT(r->path));
    refuse(x->loop, r, front->status, why);
}

static void begin(void *ctx, struct rf_httpd_request *r)
{
    struct rf_gateway_loop *l = ctx;
    struct rf_gateway_exchange *x = exchange_new(l, r);
    struct rf_translation *t = &x->translation;
    const char *explain = rf_httpd_header(r, "x-refract-explain");
    const char *stranger = rf_front_stranger(r, rf_httpd_address(l->httpd));
    r->max_body = MOST_BODY;
    t->explains = explain && strcmp(explain, "1") == 0;
    rf_front_find(r, t->arena, &t->front);
    if (stranger)
        refuse(l, r, 403, rf_str(stranger));
    else if (t->front.status)
        refuse_path(x);
    else if (t->front.operation == RF_OPERATION_ALIVE)
        rf_gateway_reply(x, 200, RF_STR("{\"status\":\"ok\"}\n"));
    else if (t->front.operation == RF_OPERATION_READY)
        rf_gateway_reply(x, l->draining ? 503 : 200,
                         l->draining ? RF_STR("{\"status\":\"draining\"}\n")
                                     : RF_STR("{\"status\":\"ready\"}\n"));
}

/* `max_body` has bounded what comes here. */
static void body(void *ctx, struct rf_httpd_request *r, struct rf_str piece)
{
    struct rf_gateway_exchange *x = r->own;
    (void)ctx;
    if (!x->room) { /* all of it at once, where its length is told */
        int64_t told;
        struct rf_str length = rf_str(rf_httpd_header(r, "Content-Length"));
        x->room = rf_str_int64(length, &told) && (uint64_t)told <= MOST_BODY ? (size_t)told : 0;
        x->body = x->room ? malloc(x->room) : NULL;
    }
    if (piece.n > x->room - x->length) {
        x->room = 2 * (x->length + piece.n);
        x->body = realloc(x->body, x->room);
    }
    if (!x->body)
        RF_NO_MEMORY();
    memcpy(x->body + x->length, piece.p, piece.n);
    x->length += piece.n;
}

static void complete(void *ctx, struct rf_httpd_request *r)
{
    struct rf_gateway_exchange *x = r->own;
    (void)ctx;
    if (x->answered)
        return;
    clock_start(x);
    x->translation.body = (struct rf_str){ x->body ? x->body : "", x->length };
    start_job(x, RF_JOB_TRANSLATE);
}

static void writable(void *ctx, struct rf_httpd_request *r)
{
    struct rf_gateway_exchange *x = r->own;
    (void)ctx;
    if (x->send)
        rf_send_resume(x->send);
}

static void end(void *ctx, struct rf_httpd_request *r, enum rf_httpd_ending how)
{
    struct rf_gateway_exchange *x = r->own;
    struct rf_gateway_loop *l = ctx;
    x->request = NULL;
    if (x->describing)
        rf_describe_cancel(x->describing);
    if (x->send)
        rf_send_cancel(x->send);
    if (x->waits_for == RF_JOB_NONE)
        exchange_free(x);
    else if (how == RF_HTTPD_GONE && x->waits_for != RF_JOB_LEARN)
        rf_pool_stop(&l->gateway->pool, &x->job);
}

const struct rf_httpd_handler rf_gateway_handler = { begin, body, complete, writable, end, refuse };
