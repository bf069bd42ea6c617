#include "gateway/pass.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "gateway/gateway.h"
#include "request/request.h"

/* Headers */

/* What clients say in headers and not in the body of a request: features that they ask for. No key,
 * no account and nothing of the connection is among them. */
static const struct {
    const char *dialect, *header;
} features[] = {
    { "anthropic", "anthropic-beta" },
    { "anthropic", "anthropic-version" },
    { "openai-chat", "openai-beta" },
    { "openai-chat", "x-client-request-id" },
    { "openai-responses", "openai-beta" },
    { "openai-responses", "x-client-request-id" },
    { "gemini", "x-server-timeout" },
    { "gemini", "x-vertex-ai-llm-request-type" },
    { "gemini", "x-vertex-ai-llm-shared-request-type" },
};
#define FEATURES (sizeof features / sizeof *features)

static const struct rf_header *headers_of(const struct rf_gateway_exchange *x, size_t *count)
{
    const struct rf_translation *t = &x->translation;
    struct rf_header *list = RF_ARRAY(t->arena, struct rf_header, FEATURES);
    *count = 0;
    for (size_t i = 0; i < FEATURES; i++) {
        const char *value = strcmp(features[i].dialect, t->front.dialect) == 0
                                ? rf_httpd_header(x->request, features[i].header)
                                : NULL;
        if (value && *value)
            list[(*count)++] = (struct rf_header){ rf_str(features[i].header), rf_str(value) };
    }
    return list;
}

/* Streams */

/* Where the last whole event in the text ends; what is before `from` has been searched. */
static size_t end_of_events(struct rf_str text, size_t from)
{
    for (size_t i = text.n; i > from; i--) {
        const char *p = text.p + i;
        if (p[-1] == '\n' &&
            ((i > 1 && p[-2] == '\n') || (i > 2 && p[-2] == '\r' && p[-3] == '\n')))
            return i;
    }
    return 0;
}

/* Events are UTF-8. A stream that does not begin that way is not an answer, and another upstream
 * may give one. */
static bool pass_events(struct rf_gateway_exchange *x, struct rf_str bytes)
{
    struct rf_buf *held = &x->passing.held;
    size_t from = 0;
    (void)rf_respond_bytes(x->respond); /* the upstream has said the same */
    if (held->n) {
        from = held->n > 2 ? held->n - 2 : 0;
        rf_buf_add(held, bytes);
        bytes = (struct rf_str){ held->p, held->n };
    }
    size_t end = end_of_events(bytes, from);
    if (!x->answered && rf_utf8_valid(bytes) < end) {
        x->tries.held = true;
        return true;
    }
    struct rf_str rest = { bytes.p + end, bytes.n - end };
    bool room = !end || rf_gateway_write(x, (struct rf_str){ bytes.p, end });
    if (bytes.p == held->p && end)
        memmove(held->p, rest.p, held->n = rest.n);
    else if (bytes.p != held->p)
        rf_buf_add(held, rest);
    if (!room)
        rf_send_pause(x->send);
    return !held->full;
}

static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct rf_gateway_exchange *x = ctx;
    x->tries.held |= !x->answered && rf_send_is_error(x->send); /* another may answer */
    if (x->tries.held)
        return true;
    rf_exchange_clock_start(x);
    bool more = pass_events(x, bytes);
    rf_exchange_clock_stop(x);
    return more;
}

/* What is left is the last event, where it only lacked its end. One that broke off is not whole,
 * and instead of it comes what was written beside it: the error. */
static void end_stream(struct rf_gateway_exchange *x)
{
    struct rf_buf *held = &x->passing.held;
    if (rf_send_broke(x->send))
        (void)rf_gateway_pass_on(x);
    else if (held->n)
        (void)rf_gateway_write(x, (struct rf_str){ held->p, held->n });
}

/* Beside it its beginning and its end are written as for a client of another API, since only that
 * knows how to end it where it breaks off. What it says in between would have to be kept for that,
 * and the client has it. */
void rf_pass_event(struct rf_gateway_exchange *x, const struct rf_event *e)
{
    struct rf_event own = *e;
    own.reply = NULL;
    if (!x->translation.streams ||
        (e->type >= RF_EVENT_BLOCK_START && e->type <= RF_EVENT_BLOCK_END))
        return;
    if (e->type == RF_EVENT_ERROR && x->streaming) /* perhaps of bytes that told nothing */
        rf_respond_begin(x->respond);
    rf_attempt_respond(x, &own);
    if (e->type == RF_EVENT_DONE)
        end_stream(x);
}

/* Other paths */

static bool take_other(void *ctx, struct rf_str bytes)
{
    struct rf_gateway_exchange *x = ctx;
    rf_again_begins(x);
    if (!rf_gateway_write(x, bytes))
        rf_send_pause(x->send);
    return true;
}

/* All of it */

bool rf_pass_is(const struct rf_gateway_exchange *x)
{
    const struct rf_request *r = x->translation.request;
    return r && r->given;
}

struct rf_send_raw rf_pass_prepare(struct rf_gateway_exchange *x)
{
    struct rf_send_raw raw = { 0 };
    const struct rf_translation *t = &x->translation;
    if (rf_translation_is_home(t))
        raw.headers = headers_of(x, &raw.header_count);
    if (rf_translation_is_home(t) && !rf_translation_is_other(&x->translation))
        raw.query = t->front.query;
    if (rf_translation_is_other(&x->translation)) {
        raw.bytes = take_other;
        raw.path = &t->path;
    } else if (rf_pass_is(x) && t->streams) {
        raw.bytes = take_bytes;
        raw.forgets = true;
    }
    rf_buf_init(&x->passing.held, t->arena, RF_MAX_FRAME_BYTES);
    return raw;
}

void rf_pass_whole(struct rf_gateway_exchange *x)
{
    if (rf_translation_is_other(&x->translation)) /* nothing came of it, which is all */
        rf_gateway_reply_as(x, rf_send_content_type(x->send), RF_STR(""));
    else if (rf_pass_is(x) && !x->translation.streams)
        rf_gateway_reply_as(x, rf_send_content_type(x->send), rf_send_body(x->send));
}
