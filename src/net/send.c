/* One request to its model, and again where that is safe.
 *
 *     prepare ──▶ transfer ──▶ over
 *        ▲            └── refused, or not reached: wait ──┐
 *        └───────────────────────────────────────────────┘
 *
 * Safe is: nothing of the request has reached the server, or it has answered that it did nothing. A
 * request that was sent and not answered is not sent again, since it may have been worked on and
 * paid for: but for one to a model whose connection was kept, and was most likely closed before it. */
#include "net/send.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "net/inside.h"
#include "net/prepare.h"
#include "net/waiting.h"

#define MAX_REFUSAL ((size_t)1 << 20)
#define MAX_WHY 300 /* bytes of a server's words in a message */

struct rf_sender {
    struct rf_sending s;
    struct rf_preparing call;
    struct rf_arena *arena;       /* of the caller; this lives in it */
    struct rf_arena *scratch;     /* of one try */
    struct rf_transfer *transfer; /* while it is on its way; else NULL */
    struct rf_timer timer;        /* when it goes on: at the start, and after a wait */
    struct rf_buf body;           /* of a refusal */
    struct rf_net_reply reply;
    struct rf_refusal refusal; /* in `scratch` */
    int tries;
    int64_t began_ms, most_ms; /* all tries together */
    struct rf_sent *out;
};

static int64_t left_ms(const struct rf_sender *r)
{
    int64_t left = r->most_ms - (rf_now_ms() - r->began_ms);
    return left > 1 ? left : 1;
}

bool rf_sent_is_answer(int status, const struct rf_api_path *path)
{
    return status == 200 || (path && status > 200 && status < 300);
}

static bool is_answer(const struct rf_sender *r)
{
    return rf_sent_is_answer(r->reply.status, r->s.path);
}

/* The end */

static void report(struct rf_sender *r)
{
    struct rf_arena *a = r->arena;
    struct rf_endpoint *endpoint = RF_NEW(a, struct rf_endpoint);
    *endpoint = r->call.endpoint;
    *r->out = (struct rf_sent){
        .status = r->reply.status,
        .content_type = r->out->content_type,
        .content_encoding = r->out->content_encoding,
        .request_id = rf_str_dup(a, rf_redact(endpoint, r->reply.request_id, r->scratch)),
        .tries = r->tries,
        .reached = r->out->reached || r->reply.sent,
        .endpoint = endpoint,
    };
    r->out->refusal = r->refusal;
    rf_redact_refusal(endpoint, a, &r->out->refusal);
}

/* Only the caller's memory is left. */
static void leave(struct rf_sender *r)
{
    if (r->tries)
        report(r);
    rf_prepare_stop(&r->call);
    rf_timer_clear(rf_net_loop(r->call.net), &r->timer);
    rf_arena_free(r->scratch);
}

static void end(struct rf_sender *r, enum rf_code rc, struct rf_err *err)
{
    if (rc && r->tries)
        rf_redact_error(&r->call.endpoint, r->scratch, err);
    leave(r);
    if (r->s.done)
        r->s.done(r->s.done_ctx, rc, err);
}

bool rf_is_compressed(struct rf_str content_encoding)
{
    return content_encoding.n && !rf_str_ieq(content_encoding, RF_STR("identity"));
}

/* A refusal */

/* Keys are taken out before words are cut, and once more when escapes are undone:
 * rf_redact_refusal. One that is compressed has no words. */
static void decode_refusal(struct rf_sender *r)
{
    struct rf_str body = { r->body.p, r->body.n };
    body = rf_is_compressed(r->reply.content_encoding)
               ? RF_STR("")
               : rf_redact(&r->call.endpoint, body, r->scratch);
    r->s.refusal(r->s.model, r->reply.status, body, r->scratch, &r->refusal);
    r->refusal.body = body;
    if (r->reply.retry_after_ms >= 0)
        r->refusal.retry_after_ms = r->reply.retry_after_ms;
}

/* Is another try safe and of use? Then how long to wait before it, and why. */
static bool wants_again(struct rf_sender *r, enum rf_code rc, const struct rf_err *err,
                        int64_t *wait_ms, struct rf_str *why)
{
    int64_t give_up = r->s.give_up_ms ? r->s.give_up_ms : RF_SEND_GIVE_UP_MS;
    int most = r->s.most_tries ? r->s.most_tries : RF_SEND_TRIES;
    if (r->tries >= most || is_answer(r))
        return false;
    if (rc) {
        if (!r->reply.unreachable)
            return false;
        *wait_ms = rf_wait_to_reach(r->tries);
        *why = rf_str(err->msg);
    } else {
        if (!rf_refusal_passes(&r->refusal))
            return false;
        *wait_ms = rf_wait_after_refusal(&r->refusal, r->tries);
        *why = r->refusal.foreign ? RF_STR("") : r->refusal.words;
    }
    if (give_up > r->most_ms)
        give_up = r->most_ms;
    return rf_now_ms() - r->began_ms + *wait_ms <= give_up;
}

static void wait_for_next(struct rf_sender *r, int64_t wait_ms, struct rf_str why)
{
    why = rf_redact(&r->call.endpoint, why, r->scratch);
    if (why.n > MAX_WHY)
        why = rf_utf8_cut(why, MAX_WHY);
    rf_timer_set(rf_net_loop(r->call.net), &r->timer, rf_now_ms() + wait_ms);
    if (r->s.waits)
        r->s.waits(r->s.ctx, r->reply.status, wait_ms, why);
}

/* One try */

/* A refusal that is longer is cut: whoever goes on talking is not listened to. */
static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct rf_sender *r = ctx;
    if (is_answer(r)) {
        r->out->status = r->reply.status;
        if (!r->out->content_type.n)
            r->out->content_type = rf_str_dup(r->arena, r->reply.content_type);
        if (!r->out->content_encoding.n)
            r->out->content_encoding = rf_str_dup(r->arena, r->reply.content_encoding);
        return !r->s.bytes || r->s.bytes(r->s.ctx, bytes);
    }
    size_t room = MAX_REFUSAL - r->body.n;
    rf_buf_add(&r->body, (struct rf_str){ bytes.p, bytes.n < room ? bytes.n : room });
    return bytes.n <= room;
}

static bool is_refused(const struct rf_sender *r)
{
    return r->reply.status && !is_answer(r);
}

/* A command may print a key that ends, and has printed another since. */
static bool wants_new_key(struct rf_sender *r, enum rf_code rc)
{
    return !rc && r->reply.status == 401 && rf_prepare_renew(&r->call);
}

static void take_end(void *ctx, enum rf_code rc, const struct rf_err *why)
{
    struct rf_sender *r = ctx;
    struct rf_err err;
    int64_t wait_ms;
    struct rf_str words;
    if (rc)
        err = *why;
    else
        rf_err_clear(&err);
    r->transfer = NULL;
    if (r->reply.overdue)
        rf_advise(&err, RF_REASON_LATE,
                  "Ask again, or raise answer_seconds under limits in your configuration.");
    if (is_refused(r))
        decode_refusal(r);
    if (is_refused(r) && (rc == RF_ELIMIT || rc == RF_EPROVIDER))
        rc = RF_OK; /* it counts as far as it came */
    if (wants_new_key(r, rc))
        rf_timer_set(rf_net_loop(r->call.net), &r->timer, 0);
    else if (wants_again(r, rc, &err, &wait_ms, &words))
        wait_for_next(r, wait_ms, words);
    else
        end(r, rc, &err);
}

/* A GET has none, and neither has a DELETE of most clients. */
static bool has_body(const struct rf_sender *r)
{
    return r->s.body->length || !r->s.path || strcmp(r->s.path->method, "POST") == 0;
}

static enum rf_code begin_transfer(struct rf_sender *r, struct rf_err *err)
{
    const struct rf_net_call call = {
        .method = r->call.endpoint.method,
        .url = r->call.endpoint.url,
        .headers = r->call.headers,
        .header_count = r->call.header_count,
        .body = has_body(r) ? r->s.body : NULL,
        .first_byte_ms = r->s.first_byte_ms,
        .idle_ms = r->s.idle_ms,
        .total_ms = left_ms(r),
        .bytes = take_bytes,
        .ctx = r,
        .done = take_end,
        .done_ctx = r,
        .plain_proxy = r->call.endpoint.plain_proxy,
        .may_repeat = !r->s.path, /* a model that answers twice does no harm */
    };
    if (r->s.secrets)
        rf_endpoint_secrets(&r->call.endpoint, r->arena, r->s.secrets);
    return rf_net_start(r->call.net, &call, r->scratch, &r->reply, &r->transfer, err);
}

/* As far as it goes: until something has to be waited for. */
static void advance(void *ctx)
{
    struct rf_sender *r = ctx;
    struct rf_err err;
    bool ready;
    enum rf_code rc = rf_prepare(&r->call, r->scratch, &ready, &err);
    if (!rc && r->call.state > RF_PREPARE_ENDPOINT && !r->tries) {
        r->tries = 1;
        r->began_ms = rf_now_ms();
    }
    if (!rc && ready)
        rc = begin_transfer(r, &err);
    if (rc)
        end(r, rc, &err);
}

static void try_again(struct rf_sender *r)
{
    rf_arena_reset(r->scratch);
    r->out->reached |= r->reply.sent;
    r->reply = (struct rf_net_reply){ .retry_after_ms = -1 };
    r->refusal = (struct rf_refusal){ 0 };
    rf_buf_init(&r->body, r->scratch, MAX_REFUSAL);
    rf_prepare_again(&r->call);
    r->tries++;
}

static void go_on(void *ctx)
{
    struct rf_sender *r = ctx;
    if (r->tries)
        try_again(r);
    advance(r);
}

struct rf_sender *rf_net_send_start(struct rf_net *net, const struct rf_sending *s,
                                    struct rf_arena *a, struct rf_sent *out)
{
    struct rf_sender *r = RF_NEW(a, struct rf_sender);
    *r = (struct rf_sender){
        .s = *s,
        .call = { .net = net,
                  .config = s->config,
                  .model = s->model,
                  .body = s->body,
                  .stream = s->stream,
                  .path = s->path,
                  .query = s->query,
                  .key = s->key,
                  .more = s->headers,
                  .more_count = s->header_count,
                  .keeps_tokens = s->keeps_tokens,
                  .arena = a,
                  .wake = advance,
                  .ctx = r },
        .arena = a,
        .scratch = rf_arena_new(),
        .timer = { .due = go_on, .ctx = r },
        .reply = { .retry_after_ms = -1 },
        .most_ms = rf_config_answer_ms(s->config),
        .out = out,
    };
    *out = (struct rf_sent){ 0 };
    rf_buf_init(&r->body, r->scratch, MAX_REFUSAL);
    rf_timer_set(rf_net_loop(net), &r->timer, 0);
    return r;
}

void rf_net_send_cancel(struct rf_sender *r)
{
    if (r->transfer)
        rf_net_cancel(r->transfer);
    if (r->transfer && is_refused(r))
        decode_refusal(r);
    leave(r);
}

void rf_net_send_pause(struct rf_sender *r)
{
    if (r->transfer)
        rf_net_pause(r->transfer);
}

void rf_net_send_resume(struct rf_sender *r)
{
    if (r->transfer)
        rf_net_resume(r->transfer);
}

/* The blocking call */

enum rf_code rf_net_send(struct rf_net *net, const struct rf_sending *s, struct rf_arena *a,
                         struct rf_sent *out, struct rf_err *err)
{
    struct rf_net_end end = { 0 };
    struct rf_sending own = *s;
    own.done = rf_net_note_end;
    own.done_ctx = &end;
    struct rf_sender *r = rf_net_send_start(net, &own, a, out);
    if (!rf_net_reach_end(net, &end, s->cancel_fd)) {
        rf_net_send_cancel(r);
        return rf_fail(err, RF_EINTERRUPTED, "the call was stopped");
    }
    if (end.rc && err)
        *err = end.err;
    return end.rc;
}
