/* One exchange: the bytes that net brings are decoded as they come, and told of.
 *
 * A callback may free the exchange that it is called by. `busy` counts how deep we are in
 * callbacks, and the outermost frees it when it has returned. */
#include "net/send.h"
#include "base/arena.h"
#include "base/loop.h"
#include "content/events.h"
#include "content/message.h"
#include "content/result.h"
#include "request/request.h"
#include "send/network.h"
#include "send/offline.h"
#include "send/raw.h"
#include "send/refused.h"
#include "wire/wire.h"

struct rf_send {
    struct rf_send_options what;
    struct rf_send_raw raw;
    struct rf_redaction redaction; /* of what raw.bytes is given */
    struct rf_loop *loop;
    struct rf_timer refused; /* set: the options are wrong, `rc` and `err` say how */
    struct rf_arena *arena;  /* this lives in it */
    struct rf_decode *decode;
    struct rf_secrets secrets;
    /* One of them while it is on its way. */
    struct rf_sender *sender;
    struct rf_offline_sender *offline; /* to the model in this process */
    struct rf_sent sent;
    struct rf_message reply; /* with an ending, where one came */
    struct rf_str json;
    enum rf_code failed; /* what came is not what this API sends; `err` says why */
    enum rf_code rc;     /* how it ended; `err` says why */
    struct rf_err *err;
    bool stopped;   /* no more events: a callback said so, or it was cancelled */
    bool cancelled; /* nobody wants to hear of it */
    bool broke;     /* the reply has no end of its own */
    int busy;
    bool freed;
};

static void release(struct rf_send *s)
{
    rf_decode_free(s->decode);
    rf_arena_free(s->arena);
}

/* A callback has returned; false where it freed `s`, which is gone then. */
static bool came_back(struct rf_send *s)
{
    s->busy--;
    if (!s->freed)
        return true;
    if (!s->busy)
        release(s);
    return false;
}

/* Nothing more comes. */
static void hang_up(struct rf_send *s)
{
    rf_timer_clear(s->loop, &s->refused);
    if (s->sender)
        rf_net_send_cancel(s->sender);
    if (s->offline)
        rf_offline_cancel(s->offline);
    s->sender = NULL;
    s->offline = NULL;
}

static void stop(struct rf_send *s)
{
    s->stopped = true;
    hang_up(s);
}

void rf_send_cancel(struct rf_send *s)
{
    s->cancelled = true;
    stop(s);
}

void rf_send_pause(struct rf_send *s)
{
    if (s->sender)
        rf_net_send_pause(s->sender);
    if (s->offline)
        rf_offline_pause(s->offline);
}

void rf_send_resume(struct rf_send *s)
{
    if (s->sender)
        rf_net_send_resume(s->sender);
    if (s->offline)
        rf_offline_resume(s->offline);
}

void rf_send_free(struct rf_send *s)
{
    if (!s)
        return;
    rf_send_cancel(s);
    s->freed = true;
    if (!s->busy)
        release(s);
}

/* What comes */

static bool tell(void *ctx, const struct rf_event *e)
{
    struct rf_send *s = ctx;
    if (!s->stopped && s->what.event && !s->what.event(s->what.ctx, e))
        s->stopped = true;
    return !s->stopped;
}

/* Whether it came to its end is not known yet: close_reply tells of that. */
static bool on_event(void *ctx, const struct rf_event *e)
{
    return e->type == RF_EVENT_DONE || tell(ctx, e);
}

static void hand_on(struct rf_send *s, struct rf_str bytes)
{
    if (bytes.n && !s->stopped && !s->raw.bytes(s->what.ctx, bytes))
        s->stopped = true;
}

static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct rf_send *s = ctx;
    s->busy++;
    struct rf_err err;
    if (!s->failed && !s->raw.path && (s->failed = rf_decode_feed(s->decode, bytes, &err)))
        RF_ERR_COPY(s->arena, s->err, &err);
    if (s->raw.bytes)
        hand_on(s, rf_redaction_feed(&s->redaction, bytes));
    return came_back(s) && (!s->failed || s->raw.bytes) && !s->stopped;
}

/* The end */

static enum rf_code fail_stopped(struct rf_err *err)
{
    return rf_fail(err, RF_EINTERRUPTED, "the call was stopped");
}

/* Nobody asks for it, and nothing here undoes it. */
static void fail_compressed(const struct rf_send *s, struct rf_err *err)
{
    rf_fail(err, RF_EPROVIDER, "the answer is compressed (\"%.*s\"), which was not asked for",
            RF_FMT(s->sent.content_encoding));
    rf_hint(err, "Have the server, or a proxy before it, send answers as they are.");
}

/* The first of the things that went wrong; `rc` and `err` are those of the network. */
static enum rf_code finish_reply(struct rf_send *s, enum rf_code rc, struct rf_err *err)
{
    struct rf_err end;
    enum rf_code decoded = rf_decode_message(s->decode, &s->reply, &end);
    if (s->failed && !s->raw.bytes)
        decoded = s->failed, end = *s->err;
    else if (rc)
        return rc;
    if (!decoded || (s->failed && s->raw.bytes)) /* that was handed on all the same */
        return RF_OK;
    if (rf_is_compressed(s->sent.content_encoding))
        fail_compressed(s, &end);
    rf_redact_error(s->sent.endpoint, s->arena, &end);
    *err = end;
    /* Whatever is wrong with it, it is the provider's. */
    return decoded == RF_ELIMIT ? decoded : (err->code = RF_EPROVIDER);
}

/* One that broke off must not look like one that is complete. */
static void mark_broken(struct rf_send *s, const struct rf_err *err)
{
    struct rf_ending *ending = RF_NEW(s->arena, struct rf_ending);
    *ending = *s->reply.ending;
    s->broke = true;
    ending->stop = RF_STOP_ERROR;
    ending->error = (struct rf_refusal){ .kind = RF_ERROR_OTHER,
                                         .status = s->sent.status,
                                         .words = rf_str_dup(s->arena, rf_str(err->msg)),
                                         .retry_after_ms = -1 };
    s->reply.ending = ending;
    tell(s, &(struct rf_event){ .size = sizeof(struct rf_event),
                                .type = RF_EVENT_ERROR,
                                .error = ending->error.kind,
                                .text = ending->error.words,
                                .retry_after_ms = -1 });
}

static enum rf_code close_reply(struct rf_send *s, enum rf_code rc, struct rf_err *err)
{
    rc = finish_reply(s, rc, err);
    if (!s->reply.ending)
        return rc;
    if (rc && s->reply.ending->error.kind == RF_ERROR_NONE)
        mark_broken(s, err);
    tell(s, &(struct rf_event){
                .size = sizeof(struct rf_event), .type = RF_EVENT_DONE, .reply = &s->reply });
    return rc;
}

static enum rf_code close_refusal(struct rf_send *s, struct rf_err *err)
{
    struct rf_ending *ending = RF_NEW(s->arena, struct rf_ending);
    *ending =
        (struct rf_ending){ .stop = RF_STOP_ERROR, .usage = rf_no_usage, .error = s->sent.refusal };
    s->reply = (struct rf_message){ .role = RF_ROLE_ASSISTANT, .ending = ending };
    rf_message_events(&s->reply, s->arena, tell, s);
    return rf_fail_refused(s->what.model, &s->sent.refusal, err);
}

static void take_end(void *ctx, enum rf_code rc, const struct rf_err *why)
{
    struct rf_send *s = ctx;
    struct rf_err err;
    if (rc)
        err = *why;
    else
        rf_err_clear(&err);
    s->sender = NULL;
    s->offline = NULL;
    s->busy++;
    if (s->raw.bytes)
        hand_on(s, rf_redaction_end(&s->redaction));
    if (s->sent.status && !rf_sent_is_answer(s->sent.status, s->raw.path))
        rc = close_refusal(s, &err);
    else if (!s->raw.path && (s->sent.status || !rc))
        rc = close_reply(s, rc, &err);
    s->rc = s->stopped ? fail_stopped(&err) : rc;
    if (s->rc)
        RF_ERR_COPY(s->arena, s->err, &err);
    if (!s->cancelled && s->what.done)
        s->what.done(s->what.ctx, s, s->rc, &err);
    came_back(s);
}

void rf_send_break(struct rf_send *s, const struct rf_err *why)
{
    if (!s->sender && !s->offline)
        return;
    hang_up(s);
    take_end(s, why->code, why);
}

static void tell_waiting(void *ctx, int status, int64_t ms, struct rf_str why)
{
    struct rf_send *s = ctx;
    struct rf_err err;
    if (!s->what.waiting)
        return;
    s->busy++;
    bool goes_on = s->what.waiting(s->what.ctx, status, ms, why);
    if (!came_back(s) || goes_on || !s->sender)
        return;
    stop(s);
    take_end(s, fail_stopped(&err), &err);
}

/* Both ways */

static enum rf_code take_options(const struct rf_send_options *what, struct rf_send_options *own,
                                 struct rf_err *err)
{
    enum rf_code rc = rf_struct_take(what, RF_SIZES(rf_send_options, ctx), own, err);
    return rc ? rc : rf_send_check(own->model, own->request, err);
}

static void tell_refused(void *ctx)
{
    struct rf_send *s = ctx;
    take_end(s, s->rc, s->err);
}

static void refuse(struct rf_send *s, const struct rf_send_options *what)
{
    s->what.done = what ? what->done : NULL;
    s->what.ctx = what ? what->ctx : NULL;
    s->refused = (struct rf_timer){ .due = tell_refused, .ctx = s };
    rf_timer_set(s->loop, &s->refused, 0);
}

static void begin(struct rf_send *s, struct rf_network *n)
{
    s->decode = rf_decode_new(s->what.model, s->what.request->plan.stream, s->arena);
    rf_endpoint_secrets(NULL, s->arena, &s->secrets);
    rf_decode_listen(s->decode, on_event, s);
    rf_decode_redact(s->decode, &s->secrets);
    rf_decode_rename(s->decode, s->what.request);
    if (s->raw.forgets)
        rf_decode_forget(s->decode);
    rf_redaction_init(&s->redaction, &s->secrets, s->arena);
    const struct rf_sending sending = {
        .config = s->what.config,
        .model = s->what.model,
        .body = &s->what.request->body,
        .stream = s->what.request->plan.stream,
        .path = s->raw.path,
        .query = s->raw.query,
        .headers = s->raw.headers,
        .header_count = s->raw.header_count,
        .keeps_tokens = s->what.keep_tokens,
        .cancel_fd = -1,
        .give_up_ms = s->what.give_up_ms,
        .most_tries = s->what.most_tries,
        .key = s->what.key,
        .first_byte_ms = s->what.first_byte_ms,
        .idle_ms = s->what.idle_ms,
        .bytes = take_bytes,
        .refusal = rf_wire_refusal,
        .waits = tell_waiting,
        .ctx = s,
        .done = take_end,
        .done_ctx = s,
        .secrets = &s->secrets,
    };
    if (s->what.offline.answer && rf_offline_is(s->what.model))
        s->offline = rf_offline_start(n->net, &s->what.offline, &sending, s->arena, &s->sent);
    else
        s->sender = rf_net_send_start(n->net, &sending, s->arena, &s->sent);
}

/* Whatever size it says, all versions of the struct have the members of the first. */
struct rf_send *rf_send_start_raw(struct rf_network *n, const struct rf_send_options *what,
                                  const struct rf_send_raw *raw)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_send *s = RF_NEW(a, struct rf_send);
    s->arena = a;
    s->raw = *raw;
    s->loop = rf_net_loop(n->net);
    struct rf_err err;
    s->rc = take_options(what, &s->what, &err);
    if (s->rc) {
        RF_ERR_COPY(a, s->err, &err);
        refuse(s, what);
    } else {
        begin(s, n);
    }
    return s;
}

struct rf_send *rf_send_start(struct rf_network *n, const struct rf_send_options *what)
{
    return rf_send_start_raw(n, what, &(struct rf_send_raw){ 0 });
}

enum rf_code rf_send(struct rf_network *n, const struct rf_send_options *what, struct rf_send **out,
                     struct rf_err *err)
{
    struct rf_send *s = rf_send_start(n, what);
    s->what.done = NULL;
    while (s->sender || s->offline || s->refused.place)
        rf_net_wait(n->net, -1, -1);
    *out = s;
    if (s->rc && err)
        *err = *s->err;
    return s->rc;
}

/* What became of it */

int rf_send_status(const struct rf_send *s)
{
    return s->sent.status;
}

int rf_send_tries(const struct rf_send *s)
{
    return s->sent.tries;
}

struct rf_str rf_send_request_id(const struct rf_send *s)
{
    return s->sent.request_id;
}

struct rf_str rf_send_content_type(const struct rf_send *s)
{
    return s->sent.content_type;
}

struct rf_str rf_send_content_encoding(const struct rf_send *s)
{
    return s->sent.content_encoding;
}

struct rf_str rf_send_body(struct rf_send *s)
{
    return rf_secrets_redact(&s->secrets, rf_decode_body(s->decode), s->arena);
}

bool rf_send_is_error(const struct rf_send *s)
{
    return rf_decode_is_error(s->decode);
}

bool rf_send_reached(const struct rf_send *s)
{
    return s->sent.reached;
}

bool rf_send_broke(const struct rf_send *s)
{
    return s->broke;
}

enum rf_error_kind rf_send_error(const struct rf_send *s, struct rf_str *words)
{
    const struct rf_refusal *r = s->reply.ending ? &s->reply.ending->error : &s->sent.refusal;
    if (words)
        *words = r->words;
    return r->kind;
}

const struct rf_message *rf_send_reply(const struct rf_send *s)
{
    return s->reply.ending ? &s->reply : NULL;
}

struct rf_str rf_send_json(struct rf_send *s)
{
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(s->arena, struct rf_json);
    if (s->json.n || !s->reply.ending)
        return s->json;
    rf_rope_init(&rope, s->arena);
    rf_json_init(w, &rope);
    rf_message_write(&s->reply, w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, s->arena, &s->json, NULL))
        RF_BUG("a reply in memory could not be written");
    return s->json;
}
