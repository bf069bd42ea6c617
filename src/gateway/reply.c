/* What is sent to the client: its API's words, and our headers.
 *
 *     x-refract-request-id   of this exchange
 *     x-refract-overhead-us  what it took here, without waiting for the provider
 *     x-refract-delivery     what became of the files: "native/original=2, fallback/smaller=1" */
#include "gateway/gateway.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_HEADERS 8
#define MOST_DELIVERY 1000

/* Headers */

static struct rf_str delivery_of(const struct rf_request *r, struct rf_arena *a)
{
    struct rf_buf b;
    size_t counts[RF_DELIVERY_ERROR + 1][RF_FORM_NOTE + 1] = { { 0 } };
    rf_buf_init(&b, a, MOST_DELIVERY);
    for (size_t i = 0; i < rf_report_count(r); i++)
        counts[rf_report_delivery(r, i)][rf_report_form(r, i)]++;
    for (size_t d = 0; d <= RF_DELIVERY_ERROR; d++)
        for (size_t f = 0; f <= RF_FORM_NOTE; f++)
            if (counts[d][f])
                rf_buf_addf(&b, "%s%s/%s=%zu", b.n ? ", " : "",
                            rf_delivery_name((enum rf_delivery)d), rf_form_name((enum rf_form)f),
                            counts[d][f]);
    rf_buf_addc(&b, '\0');
    return (struct rf_str){ b.p, b.n - 1 };
}

static int64_t overhead_us(const struct rf_gateway_exchange *x)
{
    return x->own_us + (x->since_us ? rf_now_us() - x->since_us : 0);
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

static void add_ours(struct headers *h, const struct rf_gateway_exchange *x, const char *type)
{
    struct rf_arena *a = x->translation.arena;
    const struct rf_request *r = x->translation.request;
    struct rf_str delivery = r ? delivery_of(r, a) : RF_STR("");
    add(h, "content-type", type);
    add(h, "x-refract-request-id", x->id);
    add(h, "x-refract-overhead-us", rf_strf(a, "%" PRId64, overhead_us(x)).p);
    if (delivery.n)
        add(h, "x-refract-delivery", delivery.p);
}

/* Whole seconds, and never too early. */
static void add_retry(struct headers *h, int64_t ms, struct rf_arena *a)
{
    if (ms >= 0)
        add(h, "retry-after", rf_strf(a, "%" PRId64, (ms + 999) / 1000).p);
}

/* Replies */

void rf_gateway_reply(struct rf_gateway_exchange *x, int status, struct rf_str body)
{
    struct headers h = { .count = 0 };
    add_ours(&h, x, "application/json");
    x->answered = true;
    rf_httpd_reply(x->request, status, h.list, body);
}

/* An error that is the upstream's is not ours: we are a gateway to it. */
static int status_of(const struct rf_respond *r)
{
    int status = rf_respond_status(r);
    return status == 500 ? 502 : status;
}

void rf_gateway_refuse(struct rf_gateway_exchange *x, const struct rf_fault *f)
{
    struct headers h = { .count = 0 };
    struct rf_respond *r;
    struct rf_err err;
    const struct rf_respond_options how = { .size = sizeof how,
                                            .dialect = x->translation.front.dialect };
    struct rf_str words = { f->words.p, rf_utf8_valid(f->words) }; /* some were cut */
    const struct rf_event wrong = { .size = sizeof wrong,
                                    .type = RF_EVENT_ERROR,
                                    .error = f->kind,
                                    .text = words,
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
    x->answered = true;
    rf_httpd_reply(x->request, f->status ? f->status : status_of(r), h.list, rf_respond_bytes(r));
    rf_respond_free(r);
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

static void reply_whole(struct rf_gateway_exchange *x, struct rf_str body)
{
    const struct rf_translation *t = &x->translation;
    struct headers h = { .count = 0 };
    int status = status_of(x->respond);
    add_ours(&h, x, rf_respond_content_type(x->respond));
    add_retry(&h, rf_respond_retry_after_ms(x->respond), t->arena);
    if (status == 200 && t->explains)
        body = explained(t, body);
    if (status == 200 && t->front.as_list)
        body = rf_strf(t->arena, "[%.*s]\n", RF_FMT(body));
    x->answered = true;
    rf_httpd_reply(x->request, status, h.list, body);
}

static void begin_stream(struct rf_gateway_exchange *x)
{
    struct headers h = { .count = 0 };
    add_ours(&h, x, rf_respond_content_type(x->respond));
    add(&h, "cache-control", "no-cache");
    add(&h, "x-accel-buffering", "no"); /* proxies that would gather it */
    x->answered = x->streaming = true;
    rf_httpd_stream(x->request, 200, h.list);
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
    if (!x->answered)
        begin_stream(x);
    return rf_httpd_write(x->request, bytes);
}
