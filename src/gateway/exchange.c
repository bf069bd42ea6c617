/* One request, from its head to the end of its reply: the client's side of it, and the threads'.
 *
 *     body ──▶ translate (a thread, unless it is small) ──▶ send ──▶ events ──▶ the client
 *                     ▲                                    └── refused, and nothing was said yet:
 *                     └── heal (a thread) ◀───────────────┘
 *
 * Whenever the client goes, the upstream is cancelled at once. Once a byte of the reply is with the
 * client nothing is asked again: what breaks off then ends with an error in the client's words. A
 * client that reads slowly pauses the upstream, so no more than a read of it waits here. */
#include "gateway/gateway.h"

#include "base/arena.h"
#include "base/clock.h"
#include "content/message.h"
#include "content/reply.h"
#include "gateway/count.h"
#include "store/ids.h"
#include "store/store.h"

#include <stdlib.h>

#define MOST_METRICS ((size_t)1 << 20)
#define AT_ONCE ((size_t)256 << 10) /* bytes of a body that the loop translates itself */

/* Beginning and end */

/* The system is asked for the random bytes of many at once. */
void rf_exchange_make_id(struct rf_gateway_loop *l, char id[RF_GATEWAY_ID])
{
    static const char hex[] = "0123456789abcdef";
    if (!l->random_left && rf_random(l->random, sizeof l->random, NULL))
        RF_BUG("there are no random numbers");
    if (!l->random_left)
        l->random_left = sizeof l->random;
    memcpy(id, "req_", 4);
    id += 4;
    for (size_t i = 0; i < RF_ID_BYTES; i++) {
        uint8_t byte = l->random[--l->random_left];
        *id++ = hex[byte >> 4];
        *id++ = hex[byte & 15];
    }
    *id = '\0';
}

static struct rf_gateway_exchange *exchange_new(struct rf_gateway_loop *l,
                                                struct rf_httpd_request *r)
{
    struct rf_gateway_exchange *x = calloc(1, sizeof *x);
    if (!x)
        RF_NO_MEMORY();
    x->loop = l;
    x->request = r;
    x->setup = rf_setup_take(&l->gateway->setups);
    x->translation = (struct rf_translation){ .setup = x->setup, .arena = rf_arena_new() };
    x->record = (struct rf_record){
        .usage = rf_no_usage, .cost_micros = -1, .began_ms = rf_epoch_ms(), .began_us = rf_now_us()
    };
    x->record.agent = rf_str_dup(x->translation.arena, rf_str(rf_httpd_header(r, "User-Agent")));
    rf_exchange_make_id(l, x->record.id);
    l->gateway->under_way++;
    r->own = x;
    return x;
}

/* What the translation knows of it, which was a thread's until now. */
void rf_exchange_complete_record(struct rf_gateway_exchange *x)
{
    struct rf_record *r = &x->record;
    const struct rf_translation *t = &x->translation;
    r->dialect = t->front.dialect;
    r->asked = t->asked;
    if (t->front.other.whole.n)
        r->path = t->front.other.whole;
    r->counts = t->front.operation == RF_OPERATION_COUNT;
    r->streamed = x->streaming;
    r->heals = t->heals;
    r->bytes_in = x->length;
    r->request = t->request;
    if (!r->ended_us)
        r->ended_us = rf_now_us();
}

static void exchange_free(struct rf_gateway_exchange *x)
{
    rf_exchange_complete_record(x);
    rf_admission_settle(x);
    rf_record_keep(x->loop, &x->record);
    x->loop->gateway->under_way--;
    rf_send_free(x->send);
    rf_respond_free(x->respond);
    rf_exchange_hand_over(x);
    rf_translation_release(&x->translation);
    rf_keyring_drop(&x->client);
    rf_body_drop(x);
    rf_setup_drop(x->setup);
    free(x);
}

/* The clock of what we take ourselves runs while nobody else is waited for. */
void rf_exchange_clock_start(struct rf_gateway_exchange *x)
{
    if (!x->since_us)
        x->since_us = rf_now_us();
}

void rf_exchange_clock_stop(struct rf_gateway_exchange *x)
{
    x->record.own_us += x->since_us ? rf_now_us() - x->since_us : 0;
    x->since_us = 0;
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
    case RF_JOB_NEXT:
        rf_translate_next(&x->translation, &x->tries.fault, stop_fd);
        break;
    case RF_JOB_HEAL:
        rf_translate_again(&x->translation, x->refusal, stop_fd);
        break;
    case RF_JOB_LEARN:
        rf_translate_learn(&x->translation);
        break;
    case RF_JOB_ADMIT:
    case RF_JOB_NONE:
        break;
    }
}

#define STOPPED "the gateway was stopped"

static void refuse_stopped(struct rf_gateway_exchange *x)
{
    static const struct rf_fault f = { .kind = RF_ERROR_OVERLOADED,
                                       .status = 503,
                                       .words = RF_STR_INIT(STOPPED),
                                       .retry_after_ms = -1 };
    x->record.stopped = true;
    rf_gateway_refuse(x, &f);
}

void rf_exchange_go_on(struct rf_gateway_exchange *x)
{
    const struct rf_translation *t = &x->translation;
    x->waits_for = RF_JOB_NONE;
    if (!x->request)
        exchange_free(x);
    else if (x->answered)
        return;
    else if (x->loop->stops > 1)
        refuse_stopped(x);
    else if (t->fault.kind)
        rf_gateway_refuse(x, &t->fault);
    else if (t->front.operation <= RF_OPERATION_COUNT && !rf_admission_is_given(x))
        return;
    else if (t->text.n && t->path.root)
        rf_count_ask(x);
    else if (t->text.n)
        rf_gateway_reply(x, 200, t->text);
    else
        rf_attempt_start(x);
}

static void take_job(void *ctx)
{
    rf_exchange_go_on(ctx);
}

void rf_exchange_start_job(struct rf_gateway_exchange *x, enum rf_gateway_job which)
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

/* What nobody wants any more. The ledger answers soon, and what helped is to be learned. */
static void stop_job(struct rf_gateway_exchange *x)
{
    if (x->waits_for != RF_JOB_NONE && x->waits_for != RF_JOB_ADMIT && x->waits_for != RF_JOB_LEARN)
        rf_pool_stop(&x->loop->gateway->pool, &x->job);
}

/* What is with a thread goes on when that comes back. */
void rf_exchange_stop(struct rf_gateway_exchange *x)
{
    struct rf_err why;
    rf_fail(&why, RF_EINTERRUPTED, STOPPED);
    stop_job(x);
    if (x->answered && x->send) {
        x->record.stopped = !x->over;
        rf_send_break(x->send, &why);
    } else if (!x->answered && x->waits_for == RF_JOB_NONE) {
        rf_attempt_cancel(x);
        refuse_stopped(x);
    }
}

/* What the server of HTTP calls */

static void refuse(struct rf_gateway_exchange *x, int status, struct rf_str why)
{
    struct rf_fault f = { .kind = status == 413 ? RF_ERROR_TOO_LARGE : RF_FAULT_INVALID,
                          .status = status,
                          .words = why,
                          .retry_after_ms = -1 };
    if (status == 404)
        f = rf_fault_of_path(&x->translation.front, why);
    rf_gateway_refuse(x, &f);
}

/* HTTP itself does. */
static void refuse_by_http(void *ctx, struct rf_httpd_request *r, int status, struct rf_str why)
{
    bool stray = !r->own; /* it never began, and does not end */
    struct rf_gateway_exchange *x = stray ? exchange_new(ctx, r) : r->own;
    if (stray)
        rf_front_find(r, x->translation.arena, &x->translation.front);
    x->record.refused = rf_str_dup(x->translation.arena, why);
    refuse(x, status, why);
    if (stray) {
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
    refuse(x, front->status, why);
}

/* Whether it lives and is ready, anybody may know. */
static bool is_probe(const struct rf_front *f)
{
    return !f->status && (f->operation == RF_OPERATION_ALIVE || f->operation == RF_OPERATION_READY);
}

/* Before the body is read. Where keys are asked for, whoever has one may call us by any name. */
static bool is_let_in(struct rf_gateway_exchange *x)
{
    struct rf_keyring *keyring = &x->loop->gateway->ledger.keyring;
    struct rf_fault f = { .kind = RF_ERROR_AUTHENTICATION, .status = 401, .retry_after_ms = -1 };
    if (!keyring->asks) {
        char address[RF_HTTPD_PEER] = "";
        if (rf_httpd_header(x->request, "Origin"))
            rf_httpd_reached(x->request, address);
        const struct rf_front_here here = { address, x->loop->gateway->page_host.tls };
        const char *stranger = rf_front_stranger(x->request, &here);
        if (stranger) {
            x->record.refused = rf_str(stranger);
            x->record.path = rf_str_dup(x->translation.arena, x->request->path);
            refuse(x, 403, rf_str(stranger));
        }
        return !stranger;
    }
    if (is_probe(&x->translation.front))
        return true;
    struct rf_str sent = rf_front_key(x->request, x->translation.arena);
    x->client = rf_keyring_find(keyring, sent);
    x->translation.key = x->client.key;
    x->record.client_key = x->client.key ? x->client.key->name : NULL;
    x->translation.counted = x->client.key != NULL;
    f.words = sent.n ? RF_STR("the key that was sent is not one of this gateway")
                     : RF_STR("this gateway needs a key, and none was sent");
    if (!x->client.key)
        rf_gateway_refuse(x, &f);
    return x->client.key != NULL;
}

/* Who asks is not counted. */
static void reply_metrics(struct rf_gateway_exchange *x)
{
    struct rf_gateway *g = x->loop->gateway;
    struct rf_counts *all = RF_NEW(x->translation.arena, struct rf_counts);
    struct rf_gauges now = { .requests = g->under_way - 1,
                             .bytes_in_flight = g->budget.used,
                             .log_left_out = g->log.queue.all_left_out };
    struct rf_buf text;
    for (size_t i = 0; i < g->loop_count; i++) {
        rf_metrics_add(&g->loops[i].metrics, all);
        rf_gateway_add_gauges(&g->loops[i], &now);
    }
    rf_buf_init(&text, x->translation.arena, MOST_METRICS);
    rf_metrics_write(all, &now, &text);
    rf_gateway_reply_text(x, "text/plain; version=0.0.4; charset=utf-8",
                          (struct rf_str){ text.p, text.n });
}

/* A body is read as it is. */
static bool is_plain(struct rf_gateway_exchange *x)
{
    struct rf_str coding = rf_str(rf_httpd_header(x->request, "Content-Encoding"));
    if (!coding.n || rf_str_ieq(coding, RF_STR("identity")))
        return true;
    refuse(x, 415,
           rf_strf(x->translation.arena,
                   "the body is sent with the Content-Encoding \"%.*s\", and none is taken here",
                   RF_FMT(coding)));
    return false;
}

static void begin(void *ctx, struct rf_httpd_request *r)
{
    struct rf_gateway_loop *l = ctx;
    struct rf_gateway_exchange *x = exchange_new(l, r);
    struct rf_translation *t = &x->translation;
    const char *explain = rf_httpd_header(r, "x-refract-explain");
    r->max_body = rf_body_most(x);
    t->explains = explain && strcmp(explain, "1") == 0;
    rf_trace_parse(rf_httpd_header(r, "traceparent"), &x->record.trace);
    rf_front_find(r, t->arena, &t->front);
    x->record.probe = !t->front.status && t->front.operation >= RF_OPERATION_ALIVE;
    if (!is_let_in(x))
        return;
    if (t->front.status)
        refuse_path(x);
    else if (t->front.operation == RF_OPERATION_ALIVE)
        rf_gateway_reply(x, 200, RF_STR("{\"status\":\"ok\"}\n"));
    else if (t->front.operation == RF_OPERATION_READY)
        rf_gateway_reply(x, l->gateway->draining ? 503 : 200,
                         l->gateway->draining ? RF_STR("{\"status\":\"draining\"}\n")
                                              : RF_STR("{\"status\":\"ready\"}\n"));
    else if (t->front.operation == RF_OPERATION_METRICS)
        reply_metrics(x);
    else if (is_plain(x))
        rf_body_expect(x);
}

static void body(void *ctx, struct rf_httpd_request *r, struct rf_str piece)
{
    (void)ctx;
    rf_body_add(r->own, piece);
}

static char *room(void *ctx, struct rf_httpd_request *r, size_t *n)
{
    (void)ctx;
    return rf_body_room(r->own, n);
}

/* To hand it to a thread and back takes longer than to translate it, unless what was learned of its
 * model is in a database that may have to be waited for. */
static bool is_quick(const struct rf_gateway_exchange *x)
{
    enum rf_operation what = x->translation.front.operation;
    return x->length <= AT_ONCE && (what == RF_OPERATION_GENERATE || what == RF_OPERATION_STREAM) &&
           !rf_config_is_shared(x->setup->config);
}

static void complete(void *ctx, struct rf_httpd_request *r)
{
    struct rf_gateway_exchange *x = r->own;
    (void)ctx;
    if (x->answered)
        return;
    rf_exchange_clock_start(x);
    rf_exchange_watch(x);
    x->translation.body = (struct rf_str){ x->body ? x->body : "", x->length };
    if (!is_quick(x))
        rf_exchange_start_job(x, RF_JOB_TRANSLATE);
    else if (rf_translate_at_once(&x->translation))
        rf_exchange_go_on(x);
    else
        rf_exchange_start_job(x, RF_JOB_ANEW);
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
    x->record.ended_us = rf_now_us();
    x->record.stopped |= how == RF_HTTPD_GONE && l->stops > 1;
    x->record.gone = how == RF_HTTPD_GONE && !x->record.stopped;
    rf_exchange_clock_stop(x);
    rf_attempt_cancel(x);
    if (x->waits_for == RF_JOB_NONE)
        exchange_free(x);
    else if (how == RF_HTTPD_GONE)
        stop_job(x);
}

const struct rf_httpd_handler rf_exchange_handler = { begin, body,           complete, writable,
                                                      end,   refuse_by_http, room };
