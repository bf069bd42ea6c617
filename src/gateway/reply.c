/* What is sent to the client: its API's words, and our headers.
 *
 *     x-refract-request-id   of this exchange; also by the name that clients of its API know
 *     x-refract-overhead-us  what it took here, without waiting for the provider
 *     x-refract-delivery     what became of the files: "native/original=2, fallback/smaller=1" */
#include "gateway/gateway.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_HEADERS 8
#define MOST_DELIVERY 1000

/* Headers */

static void add_count(struct rf_buf *b, enum rf_delivery d, enum rf_form f, size_t count)
{
    char room[RF_NUM_ROOM];
    rf_buf_add(b, b->n ? RF_STR(", ") : RF_STR(""));
    rf_buf_add(b, rf_str(rf_delivery_name(d)));
    rf_buf_addc(b, '/');
    rf_buf_add(b, rf_str(rf_form_name(f)));
    rf_buf_addc(b, '=');
    rf_buf_add(b, rf_num_text(count, room));
}

struct rf_str rf_gateway_delivery(const struct rf_gateway_exchange *x)
{
    const struct rf_request *r = x->translation.request;
    struct rf_buf b;
    size_t counts[RF_DELIVERY_ERROR + 1][RF_FORM_NOTE + 1] = { { 0 } };
    if (!r || !rf_report_count(r))
        return RF_STR("");
    rf_buf_init(&b, x->translation.arena, MOST_DELIVERY);
    for (size_t i = 0; i < rf_report_count(r); i++)
        counts[rf_report_delivery(r, i)][rf_report_form(r, i)]++;
    for (size_t d = 0; d <= RF_DELIVERY_ERROR; d++)
        for (size_t f = 0; f <= RF_FORM_NOTE; f++)
            if (counts[d][f])
                add_count(&b, (enum rf_delivery)d, (enum rf_form)f, counts[d][f]);
    rf_buf_addc(&b, '\0');
    return (struct rf_str){ b.p, b.n - 1 };
}

static int64_t overhead_us(const struct rf_gateway_exchange *x)
{
    return x->record.own_us + (x->since_us ? rf_now_us() - x->since_us : 0);
}

struct headers {
    struct rf_httpd_header list[MOST_HEADERS + 1];
    size_t count;
};

static void add(struct headers *h, const char *name, const char *value)
{
    if (h->count == MOST_HEADERS)
        RF_BUG("more headers than there is room for");
    h->list[h->count++] = (struct rf_httpd_header){ name, value };
}

/* Whose clients show it with an error. */
static const struct {
    const char *dialect, *header;
} own_ids[] = {
    { "anthropic", "request-id" },
    { "openai-chat", "x-request-id" },
    { "openai-responses", "x-request-id" },
};

static void add_id(struct headers *h, const struct rf_gateway_exchange *x)
{
    add(h, "x-refract-request-id", x->record.id);
    for (size_t i = 0; i < sizeof own_ids / sizeof *own_ids; i++)
        if (strcmp(own_ids[i].dialect, x->translation.front.dialect) == 0)
            add(h, own_ids[i].header, x->record.id);
}

static void add_ours(struct headers *h, const struct rf_gateway_exchange *x, const char *type)
{
    struct rf_arena *a = x->translation.arena;
    struct rf_str delivery = rf_gateway_delivery(x);
    add(h, "content-type", type);
    add_id(h, x);
    add(h, "x-refract-overhead-us",
        rf_cstr(a, rf_num_text((uint64_t)overhead_us(x), (char[RF_NUM_ROOM]){ 0 })));
    if (delivery.n)
        add(h, "x-refract-delivery", delivery.p);
}

/* Nothing is asked for in another coding; who sends it all the same is passed on as it came. */
static void add_encoding(struct headers *h, const struct rf_gateway_exchange *x)
{
    struct rf_str coding = rf_send_content_encoding(x->send);
    if (coding.n)
        add(h, "content-encoding", rf_cstr(x->translation.arena, coding));
}

/* Whole seconds, and never too early. */
static void add_retry(struct headers *h, int64_t ms, struct rf_arena *a)
{
    if (ms >= 0)
        add(h, "retry-after", rf_strf(a, "%" PRId64, (ms + 999) / 1000).p);
}

/* Replies */

static void answered(struct rf_gateway_exchange *x, int status)
{
    x->answered = true;
    x->record.status = status;
    x->record.first_us = rf_now_us();
    rf_exchange_tell(x);
}

static void send_whole(struct rf_gateway_exchange *x, int status, const struct headers *h,
                       struct rf_str body)
{
    answered(x, status);
    x->record.bytes_out = body.n;
    rf_seen_reply(x->seen, body);
    rf_admission_settle(x);
    rf_httpd_reply(x->request, status, h->list, body);
}

void rf_gateway_reply(struct rf_gateway_exchange *x, int status, struct rf_str body)
{
    struct headers h = { .count = 0 };
    add_ours(&h, x, "application/json");
    send_whole(x, status, &h, body);
}

void rf_gateway_reply_text(struct rf_gateway_exchange *x, const char *type, struct rf_str body)
{
    struct headers h = { .count = 0 };
    add_ours(&h, x, type);
    send_whole(x, 200, &h, body);
}

/* An error that is the upstream's is not ours: we are a gateway to it. */
static int status_of(const struct rf_respond *r)
{
    int status = rf_respond_status(r);
    return status == 500 ? 502 : status;
}

static int status_of_fault(const struct rf_fault *f)
{
    return f->status || f->kind != RF_ERROR_OTHER ? f->status : 502;
}

/* Some were cut. */
static struct rf_str words_of(const struct rf_fault *f)
{
    return (struct rf_str){ f->words.p, rf_utf8_valid(f->words) };
}

/* In the upstream's own words. */
static void refuse_as(struct rf_gateway_exchange *x, const struct rf_fault *f)
{
    struct headers h = { .count = 0 };
    add_ours(&h, x, "application/json");
    add_retry(&h, f->retry_after_ms, x->translation.arena);
    send_whole(x, f->status, &h, f->body);
}

static void refuse_in_words(struct rf_gateway_exchange *x, const struct rf_fault *f)
{
    struct headers h = { .count = 0 };
    struct rf_respond *r;
    struct rf_err err;
    const struct rf_respond_options how = { .size = sizeof how,
                                            .dialect = x->translation.front.dialect,
                                            .own = f->own,
                                            .status = status_of_fault(f),
                                            .request_id = x->record.id };
    const struct rf_event wrong = { .size = sizeof wrong,
                                    .type = RF_EVENT_ERROR,
                                    .error = f->kind,
                                    .text = words_of(f),
                                    .id = f->code,
                                    .retry_after_ms = f->retry_after_ms };
    const struct rf_event done = { .size = sizeof done, .type = RF_EVENT_DONE };
    if (rf_respond_new(&how, &r, &err) || rf_respond_event(r, &wrong, &err) ||
        rf_respond_event(r, &done, &err))
        RF_BUG("an error cannot be said in this dialect");
    add_ours(&h, x, rf_respond_content_type(r));
    add_retry(&h, rf_respond_retry_after_ms(r), x->translation.arena);
    if (x->translation.front.allowed)
        add(&h, "allow", x->translation.front.allowed);
    if (f->status == 401)
        add(&h, "www-authenticate", "Bearer");
    send_whole(x, f->status ? f->status : status_of(r), &h, rf_respond_bytes(r));
    rf_respond_free(r);
}

void rf_gateway_refuse(struct rf_gateway_exchange *x, const struct rf_fault *f)
{
    x->record.error = f->kind;
    x->record.error_words = rf_str_dup(x->translation.arena, words_of(f));
    (f->body.n ? refuse_as : refuse_in_words)(x, f);
}

/* The body with the report as its last member. */
static struct rf_str explained(const struct rf_translation *t, struct rf_str body)
{
    while (body.n && body.p[body.n - 1] != '}')
        body.n--;
    if (!t->report.n || body.n < 2)
        return body;
    return rf_strf(t->arena, "%.*s,\"refract\":%.*s}\n", (int)body.n - 1, body.p,
                   RF_FMT(t->report));
}

static struct rf_str finished(const struct rf_translation *t, struct rf_str body)
{
    if (t->explains)
        body = explained(t, body);
    return t->front.as_list ? rf_strf(t->arena, "[%.*s]\n", RF_FMT(body)) : body;
}

static void reply_whole(struct rf_gateway_exchange *x, struct rf_str body)
{
    const struct rf_translation *t = &x->translation;
    struct headers h = { .count = 0 };
    int status = status_of(x->respond);
    add_ours(&h, x, rf_respond_content_type(x->respond));
    add_retry(&h, rf_respond_retry_after_ms(x->respond), t->arena);
    send_whole(x, status, &h, status == 200 ? finished(t, body) : body);
}

void rf_gateway_reply_as(struct rf_gateway_exchange *x, struct rf_str type, struct rf_str body)
{
    const struct rf_translation *t = &x->translation;
    struct headers h = { .count = 0 };
    add_ours(&h, x, type.n ? rf_cstr(t->arena, type) : "application/json");
    add_encoding(&h, x);
    send_whole(x, rf_send_status(x->send), &h, finished(t, body));
}

static void begin_stream(struct rf_gateway_exchange *x)
{
    struct headers h = { .count = 0 };
    bool passes = rf_pass_is(x);
    int status = passes ? rf_send_status(x->send) : 200;
    struct rf_str type = passes ? rf_send_content_type(x->send) : RF_STR("");
    add_ours(&h, x,
             type.n ? rf_cstr(x->translation.arena, type) : rf_respond_content_type(x->respond));
    if (passes)
        add_encoding(&h, x);
    add(&h, "cache-control", "no-cache");
    add(&h, "x-accel-buffering", "no"); /* proxies that would gather it */
    answered(x, status);
    x->streaming = true;
    rf_httpd_stream(x->request, status, h.list);
}

bool rf_gateway_write(struct rf_gateway_exchange *x, struct rf_str bytes)
{
    if (!x->answered)
        begin_stream(x);
    x->record.bytes_out += bytes.n;
    rf_seen_reply(x->seen, bytes);
    if (x->over)
        rf_admission_settle(x);
    return rf_httpd_write(x->request, bytes);
}

bool rf_gateway_pass_on(struct rf_gateway_exchange *x)
{
    struct rf_str bytes = rf_respond_bytes(x->respond);
    if (!bytes.n)
        return true;
    if (!x->translation.streams || (!x->answered && rf_respond_status(x->respond) != 200)) {
        reply_whole(x, bytes);
        return true;
    }
    return rf_gateway_write(x, bytes);
}
