/* One request to its model, and again where that is safe.
 *
 * Safe is: nothing of the request has reached the server, or it has answered that it did nothing. A
 * request that was sent and not answered is not sent again, since it may have been worked on and
 * paid for. */
#include "net/send.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "net/credentials.h"
#include "net/waiting.h"

#define MAX_REFUSAL ((size_t)1 << 20)
#define MAX_WHY 300 /* bytes of a server's words in a message */

struct sender {
    const struct rf_sending *s;
    struct rf_endpoint endpoint;
    struct rf_arena *arena;   /* of the caller */
    struct rf_arena *scratch; /* of one try */
    struct rf_buf body;       /* of a refusal */
    struct rf_net_reply reply;
    struct rf_refusal refusal; /* in `scratch` */
    int64_t began_ms, most_ms; /* all tries together */
};

static int64_t left_ms(const struct sender *r)
{
    int64_t left = r->most_ms - (rf_now_ms() - r->began_ms);
    return left > 1 ? left : 1;
}

static bool take_status(void *ctx, int status, struct rf_str content_type)
{
    struct sender *r = ctx;
    (void)content_type;
    r->reply.status = status;
    return true;
}

/* A refusal that is longer is cut: whoever goes on talking is not listened to. */
static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct sender *r = ctx;
    if (r->reply.status == 200)
        return !r->s->bytes || r->s->bytes(r->s->ctx, bytes);
    size_t room = MAX_REFUSAL - r->body.n;
    rf_buf_add(&r->body, (struct rf_str){ bytes.p, bytes.n < room ? bytes.n : room });
    return bytes.n <= room;
}

/* Keys are taken out before words are cut, and once more when escapes are undone:
 * rf_redact_refusal. */
static void decode_refusal(struct sender *r)
{
    struct rf_str body =
        rf_redact(&r->endpoint, (struct rf_str){ r->body.p, r->body.n }, r->scratch);
    r->s->refusal(r->s->model, r->reply.status, body, r->scratch, &r->refusal);
    if (r->reply.retry_after_ms >= 0)
        r->refusal.retry_after_ms = r->reply.retry_after_ms;
}

static enum rf_code try_once(struct sender *r, struct rf_net *net, struct rf_err *err)
{
    const struct rf_sending *s = r->s;
    struct rf_header *headers;
    size_t count;
    r->reply = (struct rf_net_reply){ .retry_after_ms = -1 };
    r->refusal = (struct rf_refusal){ 0 };
    rf_buf_init(&r->body, r->scratch, MAX_REFUSAL);
    enum rf_code rc =
        rf_endpoint_sign(&r->endpoint, net, s->body, r->scratch, &headers, &count, err);
    if (rc)
        return rc;
    if (s->secrets)
        rf_endpoint_secrets(&r->endpoint, r->arena, s->secrets);
    struct rf_net_call call = {
        .url = r->endpoint.url,
        .headers = headers,
        .header_count = count,
        .body = s->body,
        .total_ms = left_ms(r),
        .cancel_fd = s->cancel_fd,
        .status = take_status,
        .bytes = take_bytes,
        .ctx = r,
        .plain_proxy = r->endpoint.plain_proxy,
    };
    struct rf_net_reply reply;
    rc = rf_net_call(net, &call, r->scratch, &reply, err);
    r->reply = reply;
    if (reply.overdue)
        rf_hint(err, "Ask again, or raise answer_seconds under limits in your configuration.");
    /* A refusal counts as far as it came. */
    bool refused = reply.status && reply.status != 200;
    if (refused)
        decode_refusal(r);
    return refused && (rc == RF_ELIMIT || rc == RF_EPROVIDER) ? RF_OK : rc;
}

/* Is another try safe and of use? Then how long to wait before it, and why. */
static bool wants_again(struct sender *r, enum rf_code rc, int tries, const struct rf_err *err,
                        int64_t *wait_ms, struct rf_str *why)
{
    int64_t give_up = r->s->give_up_ms ? r->s->give_up_ms : RF_SEND_GIVE_UP_MS;
    if (tries >= RF_SEND_TRIES)
        return false;
    if (rc) {
        if (!r->reply.unreachable)
            return false;
        *wait_ms = rf_wait_to_reach(tries);
        *why = rf_str(err->msg);
    } else {
        if (!rf_refusal_passes(&r->refusal))
            return false;
        *wait_ms = rf_wait_after_refusal(&r->refusal, tries);
        *why = r->refusal.foreign ? RF_STR("") : r->refusal.words;
    }
    if (give_up > r->most_ms)
        give_up = r->most_ms;
    return rf_now_ms() - r->began_ms + *wait_ms <= give_up;
}

static enum rf_code wait_for_next(struct sender *r, int64_t wait_ms, struct rf_str why,
                                  struct rf_err *err)
{
    why = rf_redact(&r->endpoint, why, r->scratch);
    if (why.n > MAX_WHY)
        why = rf_utf8_cut(why, MAX_WHY);
    if (r->s->waits)
        r->s->waits(r->s->ctx, r->reply.status, wait_ms, why);
    return rf_net_rest(wait_ms, r->s->cancel_fd, err);
}

static void report(struct sender *r, int tries, struct rf_arena *a, struct rf_sent *out)
{
    struct rf_endpoint *endpoint = RF_NEW(a, struct rf_endpoint);
    *endpoint = r->endpoint;
    *out = (struct rf_sent){
        .status = r->reply.status,
        .request_id = rf_str_dup(a, rf_redact(&r->endpoint, r->reply.request_id, r->scratch)),
        .tries = tries,
        .endpoint = endpoint,
    };
    out->refusal = r->refusal;
    rf_redact_refusal(&r->endpoint, a, &out->refusal);
}

static enum rf_code try_until(struct sender *r, struct rf_net *net, struct rf_arena *a,
                              struct rf_sent *out, struct rf_err *err)
{
    for (int tries = 1;; tries++) {
        int64_t wait_ms;
        struct rf_str why;
        enum rf_code rc = try_once(r, net, err);
        bool again = r->reply.status != 200 && wants_again(r, rc, tries, err, &wait_ms, &why);
        if (again)
            rc = wait_for_next(r, wait_ms, why, err);
        if (again && !rc) {
            rf_arena_reset(r->scratch);
            continue;
        }
        report(r, tries, a, out);
        if (rc)
            rf_redact_error(&r->endpoint, r->scratch, err);
        return rc;
    }
}

enum rf_code rf_send(struct rf_net *net, const struct rf_sending *s, struct rf_arena *a,
                     struct rf_sent *out, struct rf_err *err)
{
    struct sender r = { .s = s, .arena = a, .most_ms = rf_config_answer_ms(s->config) };
    struct rf_err own;
    *out = (struct rf_sent){ 0 };
    err = err ? err : &own;
    enum rf_code rc = rf_endpoint_find(s->config, s->model, s->stream, a, &r.endpoint, err);
    if (rc)
        return rc;
    if (!r.endpoint.url)
        return rf_fail(err, RF_EUSAGE,
                       "this model is in the program and has no address to send to");
    if (r.endpoint.google)
        r.endpoint.google->keeps_tokens = s->keeps_tokens;
    r.scratch = rf_arena_new();
    r.began_ms = rf_now_ms();
    rc = try_until(&r, net, a, out, err);
    rf_arena_free(r.scratch);
    return rc;
}
