/* Asking the providers for their lists of models: all at the same time, on one loop, each page by
 * page. It does not try again, as a request does: a list that does not come is told, and the next
 * call asks again. Whatever goes wrong with one provider is that one's alone. */
#include "base/arena.h"
#include "base/buf.h"
#include "config/moved.h"
#include "config/usable.h"
#include "content/result.h"
#include "net/inside.h"
#include "net/prepare.h"
#include "send/network.h"
#include "send/refused.h"
#include "wire/listing.h"
#include "wire/wire.h"

#include <time.h>

#define MOST_MS 20000
#define MOST_ANSWER ((size_t)32 << 20)
#define MOST_PAGES 50
#define LOOK_MS 100 /* whether anybody still waits */

/* One provider, while it is asked. */
struct asking {
    struct rf_arena *arena;
    struct rf_gathered *out;
    struct rf_model model; /* any of the provider's */
    const struct rf_list_format *format;
    struct rf_str paths; /* that are left after this one */
    const char *url;     /* of the first page */
    bool first;          /* path: the list itself */
    unsigned pages;
    struct rf_preparing call;
    struct rf_rope body; /* empty */
    struct rf_timer timer;
    struct rf_transfer *transfer;
    struct rf_net_reply reply;
    struct rf_buf answer;
    struct rf_list list;
    struct rf_list_reading reading;
    struct rf_err err;
    bool over;
};

static void go_on(void *ctx);

/* Nobody said that there is one: it was only looked for. */
static bool is_absent(const struct asking *q)
{
    const struct rf_provider_row *row = q->list.row;
    return q->reply.unreachable && row->key_optional &&
           !rf_moved_to(q->call.config, rf_str(row->provider), q->arena).n;
}

static void end(struct asking *q, enum rf_code rc, const struct rf_err *why)
{
    rf_prepare_stop(&q->call);
    q->over = true;
    if (rc)
        q->err = *why;
    if (q->err.code)
        q->out->why = &q->err;
    if (rc && q->first) { /* what was kept before stays */
        q->out->state = why->reason == RF_REASON_NO_KEY ? RF_LIST_NO_KEY
                        : is_absent(q)                  ? RF_LIST_NO_SERVER
                                                        : RF_LIST_FAILED;
        return;
    }
    q->list.fetched = (int64_t)time(NULL);
    q->out->list = q->list;
    q->out->state = RF_LIST_FETCHED;
    if (rf_list_keep(q->call.config, &q->list, &q->err))
        q->out->why = &q->err;
}

static void wake_soon(struct asking *q)
{
    rf_timer_set(rf_net_loop(q->call.net), &q->timer, 0);
}

static void ask_at(struct asking *q, const char *url)
{
    q->call.endpoint.url = url;
    rf_prepare_again(&q->call);
    wake_soon(q);
}

/* The next page, the next path, or the end. */
static void step_on(struct asking *q)
{
    struct rf_str path;
    if (q->reading.next.n && ++q->pages == MOST_PAGES)
        q->list.cut = true;
    if (q->reading.next.n && !q->list.cut) {
        ask_at(q, rf_strf(q->arena, "%s%c%.*s", q->url, strchr(q->url, '?') ? '&' : '?',
                          RF_FMT(q->reading.next))
                      .p);
        return;
    }
    q->first = false;
    q->pages = 0;
    if (!rf_str_split(&q->paths, ' ', &path)) {
        end(q, RF_OK, NULL);
        return;
    }
    q->call.list = rf_cstr(q->arena, path);
    q->call.state = RF_PREPARE_KEY; /* which is known already */
    q->url = NULL;
    wake_soon(q);
}

static enum rf_code refused(struct asking *q, struct rf_err *err)
{
    struct rf_refusal r = { 0 };
    struct rf_str body = { q->answer.p, q->answer.n };
    rf_wire_refusal(&q->model, q->reply.status, body, q->arena, &r);
    rf_redact_refusal(&q->call.endpoint, q->arena, &r);
    return rf_fail_refused(&q->model, &r, err);
}

static enum rf_code take_page(struct asking *q, struct rf_err *err)
{
    const struct rf_jval *answer;
    struct rf_str text = { q->answer.p, q->answer.n };
    q->reading.next = RF_STR("");
    if (q->reply.status != 200)
        return refused(q, err);
    if (!rf_jval_parse(text, q->arena, &answer, NULL) && q->format->read(answer, &q->reading))
        return RF_OK;
    rf_fail(err, RF_EPROVIDER, "what \"%s\" answers is not a list of models",
            q->out->list.row->provider);
    rf_hint(err, "Check the address: %s", q->call.endpoint.base);
    return RF_EPROVIDER;
}

static bool take_bytes(void *ctx, struct rf_str bytes)
{
    struct asking *q = ctx;
    rf_buf_add(&q->answer, bytes);
    return !q->answer.full;
}

static void take_end(void *ctx, enum rf_code rc, const struct rf_err *why)
{
    struct asking *q = ctx;
    struct rf_err err = rc ? *why : (struct rf_err){ 0 };
    q->transfer = NULL;
    if (!rc)
        rc = take_page(q, &err);
    if (rc)
        end(q, rc, &err);
    else
        step_on(q);
}

static enum rf_code begin_transfer(struct asking *q, struct rf_err *err)
{
    int64_t limit = rf_config_answer_ms(q->call.config);
    const struct rf_net_call call = {
        .url = q->call.endpoint.url,
        .headers = q->call.headers,
        .header_count = q->call.header_count,
        .total_ms = limit < MOST_MS ? limit : MOST_MS,
        .bytes = take_bytes,
        .ctx = q,
        .done = take_end,
        .done_ctx = q,
        .plain_proxy = q->call.endpoint.plain_proxy,
    };
    if (!q->url)
        q->url = q->call.endpoint.url;
    q->reply = (struct rf_net_reply){ 0 };
    rf_buf_init(&q->answer, q->arena, MOST_ANSWER);
    return rf_net_start(q->call.net, &call, q->arena, &q->reply, &q->transfer, err);
}

static void go_on(void *ctx)
{
    struct asking *q = ctx;
    struct rf_err err = { 0 };
    bool ready;
    enum rf_code rc = rf_prepare(&q->call, q->arena, &ready, &err);
    if (!rc && ready)
        rc = begin_transfer(q, &err);
    if (rc)
        end(q, rc, &err);
}

static void start(struct asking *q, struct rf_network *n, const struct rf_config *config,
                  struct rf_gathered *out, struct rf_arena *a)
{
    const struct rf_provider_row *row = out->list.row;
    struct rf_str path;
    *q = (struct asking){
        .arena = a,
        .out = out,
        .format = rf_list_format_find(row->list_format),
        .paths = rf_str(row->lists),
        .first = true,
        .list = { .row = row },
        .timer = { .due = go_on, .ctx = q },
    };
    if (!q->format || rf_model_init(&q->model, rf_str(row->provider), RF_STR("model"), a, NULL))
        RF_BUG("a provider's row that makes no sense");
    rf_str_split(&q->paths, ' ', &path);
    rf_rope_init(&q->body, a);
    q->reading = (struct rf_list_reading){ .arena = a, .list = &q->list };
    q->call = (struct rf_preparing){ .net = n->net,
                                     .config = config,
                                     .model = &q->model,
                                     .body = &q->body,
                                     .list = rf_cstr(a, path),
                                     .keeps_tokens = true,
                                     .arena = a,
                                     .wake = go_on,
                                     .ctx = q };
    wake_soon(q);
}

static void leave_off(struct asking *q)
{
    struct rf_err err;
    rf_timer_clear(rf_net_loop(q->call.net), &q->timer);
    if (q->transfer)
        rf_net_cancel(q->transfer);
    enum rf_code rc = rf_fail(&err, RF_EINTERRUPTED, "nobody waited for its list");
    end(q, rc, &err);
}

/* Ask those that have to be asked, and wait for all of them. */
static void gather(struct rf_network *n, const struct rf_models_options *what,
                   struct rf_gathered *lists, size_t count, struct rf_arena *a)
{
    struct asking *asked = RF_ARRAY(a, struct asking, count);
    for (size_t i = 0; i < count; i++) {
        struct rf_list *list = &lists[i].list;
        asked[i].over = !list->row->lists || (rf_list_recall(what->config, list->row, a, list) &&
                                              !what->refresh && rf_list_is_fresh(list->fetched));
        if (!asked[i].over)
            start(&asked[i], n, what->config, &lists[i], a);
    }
    for (size_t i = 0; i < count; i++)
        while (!asked[i].over && (!what->goes_on || what->goes_on(what->ctx)))
            rf_net_wait(n->net, -1, what->goes_on ? LOOK_MS : -1);
    for (size_t i = 0; i < count; i++)
        if (!asked[i].over)
            leave_off(&asked[i]);
}

enum rf_code rf_models_fetch(struct rf_network *n, const struct rf_models_options *what,
                             struct rf_models **out, struct rf_err *err)
{
    struct rf_models_options o;
    enum rf_code rc = rf_struct_take(what, RF_SIZES(rf_models_options, refresh), &o, err);
    if (rc)
        return rc;
    struct rf_models *m = rf_models_new();
    struct rf_gathered *lists;
    size_t count = rf_models_rows(m, &lists);
    gather(n, &o, lists, count, m->arena);
    rc = rf_models_fill(m, o.config, lists, count, err);
    if (rc)
        rf_models_close(m);
    else
        *out = m;
    return rc;
}
