/* What the gateway does for the page: requests for it go there, and exchanges tell it of
 * themselves. */
#include "gateway/page.h"

#include "gateway/gateway.h"
#include "model/price.h"

/* Requests for the page */

bool rf_page_is_asked(const struct rf_httpd_request *r)
{
    return rf_str_is(r->path, "/") || rf_str_starts(r->path, "/page/");
}

static const struct rf_page_table *table_of(const struct rf_gateway_loop *l,
                                            const struct rf_httpd_request *r)
{
    return l->page.page && rf_page_is_asked(r) ? l->gateway->options.page : NULL;
}

/* Whose request it is, and what that is called with. */
static const struct rf_httpd_handler *handler_of(void *ctx, const struct rf_httpd_request *r,
                                                 void **own)
{
    struct rf_gateway_loop *l = ctx;
    const struct rf_page_table *table = table_of(l, r);
    *own = table ? (void *)&l->page : ctx;
    return table ? &table->http : &rf_exchange_handler;
}

static void begin(void *ctx, struct rf_httpd_request *r)
{
    void *own;
    handler_of(ctx, r, &own)->begin(own, r);
}

static void body(void *ctx, struct rf_httpd_request *r, struct rf_str piece)
{
    void *own;
    handler_of(ctx, r, &own)->body(own, r, piece);
}

static void complete(void *ctx, struct rf_httpd_request *r)
{
    void *own;
    handler_of(ctx, r, &own)->complete(own, r);
}

static void writable(void *ctx, struct rf_httpd_request *r)
{
    void *own;
    handler_of(ctx, r, &own)->writable(own, r);
}

static void end(void *ctx, struct rf_httpd_request *r, enum rf_httpd_ending how)
{
    void *own;
    handler_of(ctx, r, &own)->end(own, r, how);
}

void rf_page_log_refusal(struct rf_page_loop *l, struct rf_str path, int status, struct rf_str why)
{
    char *own = (char *)l - offsetof(struct rf_gateway_loop, page);
    rf_record_keep_refusal((struct rf_gateway_loop *)(void *)own, path, status, why);
}

/* One that never began may have no path at all: only exchanges tell the log of themselves. */
static void refuse(void *ctx, struct rf_httpd_request *r, int status, struct rf_str why)
{
    const struct rf_page_table *table = r->own ? table_of(ctx, r) : NULL;
    struct rf_gateway_loop *l = ctx;
    if (!table) {
        rf_exchange_handler.refuse(ctx, r, status, why);
        return;
    }
    table->http.refuse(&l->page, r, status, why);
    rf_page_log_refusal(&l->page, r->path, status, why);
}

static char *room(void *ctx, struct rf_httpd_request *r, size_t *n)
{
    void *own;
    const struct rf_httpd_handler *h = handler_of(ctx, r, &own);
    return h->room ? h->room(own, r, n) : NULL;
}

const struct rf_httpd_handler rf_gateway_handler = { begin, body,   complete, writable,
                                                     end,   refuse, room };

/* Exchanges */

/* Those that a model was asked for: lists of models, and whether it lives, are not shown. */
static bool is_shown(const struct rf_gateway_exchange *x)
{
    const struct rf_front *front = &x->translation.front;
    return x->loop->page.page && front->dialect && !front->status &&
           front->operation <= RF_OPERATION_COUNT;
}

/* What is planned so far is told with it, unless a thread works at that. */
static void tell(struct rf_gateway_exchange *x, struct rf_kept_exchange *kept)
{
    x->record.request = x->waits_for == RF_JOB_NONE ? x->translation.request : NULL;
    x->loop->gateway->options.page->tell(x->loop->page.page, &x->record,
                                         x->answered ? RF_PAGE_ANSWERS : RF_PAGE_BEGAN, kept,
                                         &x->page_number);
    x->record.request = NULL; /* it may be made anew */
}

void rf_exchange_watch(struct rf_gateway_exchange *x)
{
    const struct rf_page_table *table = x->loop->gateway->options.page;
    struct rf_page *page = x->loop->page.page;
    if (x->page_number || !is_shown(x) || !table->is_watched(page))
        return;
    if (table->wants_whole(page)) {
        x->kept =
            rf_kept_new(x->setup, x->body, (struct rf_str){ x->body ? x->body : "", x->length },
                        &x->translation.front, &x->client, x->record.began_us);
        x->seen = x->kept->seen;
        x->seen->late = x->answered;
    }
    x->record.dialect = x->translation.front.dialect;
    x->record.asked = x->translation.asked;
    x->record.path = x->translation.front.other.whole;
    x->record.counts = x->translation.front.operation == RF_OPERATION_COUNT;
    x->record.bytes_in = x->length;
    tell(x, x->kept);
}

void rf_exchange_tell(struct rf_gateway_exchange *x)
{
    if (!x->page_number)
        return;
    x->record.asked = x->translation.asked;
    x->record.heals = x->translation.heals;
    tell(x, NULL);
}

void rf_exchange_hand_over(struct rf_gateway_exchange *x)
{
    const struct rf_page_table *table = x->loop->gateway->options.page;
    if (!is_shown(x))
        return;
    if (x->translation.model)
        x->record.cost_micros = rf_price_of(&x->translation.model->caps, &x->record.usage);
    if (x->kept)
        rf_kept_end(x->kept, &x->translation);
    table->tell(x->loop->page.page, &x->record, RF_PAGE_OVER, x->kept, &x->page_number);
    if (!x->kept)
        return;
    rf_kept_drop(x->kept);
    x->setup = NULL;
    x->body = NULL;
    x->translation = (struct rf_translation){ .setup = NULL };
}
