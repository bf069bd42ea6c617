/* The way back: bytes of a provider in, a neutral message out.
 *
 * A response is gathered and read as a whole; a stream is cut into messages, each of which is
 * read in a scratch arena that is emptied before the next. So a stream takes the memory of its
 * text. */
#include "base/arena.h"
#include "base/limits.h"
#include "content/message.h"
#include "request/request.h"
#include "wire/wire.h"

struct rf_decode {
    struct rf_arena *arena, *scratch;
    struct rf_arena *own; /* `arena`, where it goes with this; else NULL */
    const struct rf_model *model;
    const struct rf_dialect *dialect; /* or NULL */
    bool is_stream;
    struct rf_buf body; /* of a response */
    struct rf_framing framing;
    uint64_t fed; /* bytes of a stream */
    struct rf_reply reply;
};

/* NULL where the model's facts name none, or one that is only written. */
static const struct rf_dialect *dialect_of(const struct rf_model *m)
{
    const struct rf_dialect *d = rf_dialect_find(m->caps.dialect);
    return d && d->decode ? d : NULL;
}

struct rf_decode *rf_decode_new(const struct rf_model *m, bool is_stream, struct rf_arena *a)
{
    struct rf_decode *d = RF_NEW(a, struct rf_decode);
    *d = (struct rf_decode){
        .arena = a,
        .scratch = rf_arena_new(),
        .model = m,
        .dialect = dialect_of(m),
        .is_stream = is_stream,
    };
    rf_buf_init(&d->body, a, RF_MAX_REPLY_BYTES);
    rf_framing_init(&d->framing, d->dialect ? d->dialect->framing : RF_FRAMING_SSE);
    rf_reply_init(&d->reply, a);
    d->reply.scratch = d->scratch;
    /* what comes out may outlive the model */
    d->reply.origin = (struct rf_reply_origin){ rf_str_dup(a, m->provider), rf_str_dup(a, m->name),
                                                rf_str_dup(a, m->caps.dialect) };
    return d;
}

static struct rf_decode *new_of_its_own(const struct rf_model *m, bool is_stream)
{
    struct rf_arena *own = rf_arena_new();
    struct rf_decode *d = rf_decode_new(m, is_stream, own);
    d->own = own;
    return d;
}

struct rf_decode *rf_decode_response(const struct rf_model *m)
{
    return new_of_its_own(m, false);
}

struct rf_decode *rf_decode_stream(const struct rf_model *m)
{
    return new_of_its_own(m, true);
}

void rf_decode_free(struct rf_decode *d)
{
    if (!d)
        return;
    rf_framing_release(&d->framing);
    rf_arena_free(d->scratch);
    rf_arena_free(d->own);
}

void rf_decode_listen(struct rf_decode *d, bool (*on_event)(void *ctx, const struct rf_event *e),
                      void *ctx)
{
    d->reply.on_event = on_event;
    d->reply.ctx = ctx;
}

void rf_decode_redact(struct rf_decode *d, const struct rf_secrets *s)
{
    d->reply.secrets = s;
}

void rf_decode_forget(struct rf_decode *d)
{
    d->reply.forgets = d->is_stream;
}

static struct rf_str tool_name(const void *request, struct rf_str name)
{
    return rf_request_tool(request, name);
}

void rf_decode_rename(struct rf_decode *d, const struct rf_request *r)
{
    d->reply.tool_name = tool_name;
    d->reply.names = r;
}

static enum rf_code no_dialect(const struct rf_decode *d, struct rf_err *err)
{
    return rf_fail(err, RF_ECONFIG, "there is no dialect \"%.*s\" to read replies in",
                   RF_FMT(d->model->caps.dialect));
}

static enum rf_code take_frame(struct rf_decode *d, const struct rf_frame *frame,
                               struct rf_err *err)
{
    const struct rf_jval *data = NULL;
    struct rf_str text = rf_str_trim(frame->data);
    rf_arena_reset(d->scratch);
    if (!rf_str_is(text, "[DONE]") && (text.n || !frame->exception)) {
        enum rf_code rc = rf_jval_parse(text, d->scratch, &data, err);
        if (rc) {
            rf_err_at(err, "a message of the stream");
            return rc;
        }
    }
    d->dialect->event(frame, data, &d->reply);
    if (d->reply.failed && err)
        *err = *d->reply.err;
    return d->reply.failed;
}

enum rf_code rf_decode_feed(struct rf_decode *d, struct rf_str bytes, struct rf_err *err)
{
    struct rf_frame frame;
    enum rf_code rc = RF_OK;
    if (!d->dialect)
        return no_dialect(d, err);
    if (!d->is_stream) {
        rf_buf_add(&d->body, bytes);
        return d->body.full ? rf_fail(err, RF_ELIMIT, "the response is over the limit of %zu bytes",
                                      (size_t)RF_MAX_REPLY_BYTES)
                            : RF_OK;
    }
    if (bytes.n > RF_MAX_STREAM_BYTES - d->fed)
        return rf_fail(err, RF_ELIMIT, "the stream is over the limit of %ju bytes",
                       (uintmax_t)RF_MAX_STREAM_BYTES);
    d->fed += bytes.n;
    while (!rc && rf_framing_next(&d->framing, &bytes, &frame, &rc, err))
        rc = take_frame(d, &frame, err);
    return rc;
}

struct rf_str rf_decode_body(const struct rf_decode *d)
{
    return (struct rf_str){ d->body.n ? d->body.p : "", d->body.n };
}

bool rf_decode_is_empty(const struct rf_decode *d)
{
    return d->is_stream ? !d->fed : !d->body.n;
}

bool rf_decode_is_error(const struct rf_decode *d)
{
    return d->reply.error.kind != RF_ERROR_NONE;
}

static enum rf_code fail_empty(const struct rf_decode *d, const char *what, struct rf_err *err)
{
    rf_fail(err, RF_EPROVIDER, "the %s of %.*s is empty", what, RF_FMT(d->model->provider));
    rf_hint(err, "The likely reason is a prompt that is longer than the server's window: make it "
                 "shorter, or the window larger.");
    return RF_EPROVIDER;
}

static enum rf_code finish_response(struct rf_decode *d, struct rf_err *err)
{
    const struct rf_jval *body;
    struct rf_str text = rf_decode_body(d);
    if (rf_decode_is_empty(d))
        return fail_empty(d, "response", err);
    enum rf_code rc = rf_jval_parse(text, d->arena, &body, err);
    if (rc) {
        rf_err_at(err, "the response");
        return rc;
    }
    d->reply.scratch = d->arena;
    d->dialect->decode(body, &d->reply);
    d->reply.complete = true;
    return RF_OK;
}

static enum rf_code finish_stream(struct rf_decode *d, struct rf_err *err)
{
    struct rf_frame frame;
    enum rf_code rc = RF_OK;
    if (rf_framing_last(&d->framing, &frame, &rc, err))
        rc = take_frame(d, &frame, err);
    /* A message that is cut off is what a stream that ends early ends with. */
    return rc == RF_EFORMAT && !d->reply.failed ? RF_OK : rc;
}

static enum rf_code outcome(struct rf_decode *d, struct rf_err *err)
{
    const struct rf_reply *r = &d->reply;
    if (r->failed) {
        if (err)
            *err = *r->err;
        return r->failed;
    }
    if (r->error.kind != RF_ERROR_NONE)
        return rf_fail_said(err, RF_EPROVIDER, r->error.words,
                            "%.*s: ", RF_FMT(d->model->provider));
    if (r->complete)
        return RF_OK;
    if (rf_decode_is_empty(d))
        return fail_empty(d, "stream", err);
    rf_fail(err, RF_EPROVIDER, "the stream of %.*s ended early", RF_FMT(d->model->provider));
    rf_hint(err, "What had come is kept; the request can be sent again.");
    return RF_EPROVIDER;
}

enum rf_code rf_decode_message(struct rf_decode *d, struct rf_message *out, struct rf_err *err)
{
    *out = (struct rf_message){ .role = RF_ROLE_ASSISTANT };
    if (!d->dialect)
        return no_dialect(d, err);
    enum rf_code rc = d->is_stream ? finish_stream(d, err) : finish_response(d, err);
    if (d->dialect->finish)
        d->dialect->finish(&d->reply);
    rf_reply_message(&d->reply, out);
    return rc ? rc : outcome(d, err);
}

enum rf_code rf_decode_finish(struct rf_decode *d, struct rf_str *json, struct rf_err *err)
{
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(d->arena, struct rf_json);
    struct rf_message m;
    enum rf_code rc = rf_decode_message(d, &m, err);
    *json = RF_STR("");
    if (!m.ending)
        return rc;
    rf_rope_init(&rope, d->arena);
    rf_json_init(w, &rope);
    rf_message_write(&m, w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, d->arena, json, NULL))
        RF_BUG("a reply in memory could not be written");
    return rc;
}
