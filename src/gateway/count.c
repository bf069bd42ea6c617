#include "gateway/count.h"

#include "base/arena.h"
#include "base/clock.h"
#include "gateway/gateway.h"
#include "gateway/other.h"
#include "request/request.h"

#include <inttypes.h>

#define LONGEST_MS 10000 /* that a provider is waited for */
#define MOST_REPLY 65536 /* bytes: it is a number, and a few words */

/* Where an API has its count, below its root or after a model's name, and where its answer has the
 * number. */
static const struct api {
    const char *dialect, *path, *member;
} apis[] = {
    { "anthropic", "/messages/count_tokens", "input_tokens" },
    { "gemini", ":countTokens", "totalTokens" },
};

static const struct api *api_of(const struct rf_translation *t)
{
    for (size_t i = 0; i < sizeof apis / sizeof *apis; i++)
        if (strcmp(apis[i].dialect, t->front.dialect) == 0)
            return &apis[i];
    RF_BUG("tokens are counted for an API that has no count");
}

void rf_count_estimated(struct rf_translation *t, int64_t tokens)
{
    const struct api *api = api_of(t);
    const struct rf_front_other asked = { .method = "POST",
                                          .path = rf_str(api->path),
                                          .query = t->front.query };
    t->text = rf_strf(t->arena, "{\"%s\":%" PRId64 "}\n", api->member, tokens);
    if (t->request->given)
        (void)rf_other_find_path(t, &asked);
}

/* Asking */

static bool take(void *ctx, struct rf_str bytes)
{
    struct rf_gateway_exchange *x = ctx;
    rf_buf_add(&x->passing.held, bytes);
    return !x->passing.held.full;
}

static bool is_count(const struct rf_translation *t, struct rf_str body)
{
    const struct rf_jval *root, *tokens;
    int64_t n;
    if (rf_jval_parse(body, t->arena, &root, NULL))
        return false;
    tokens = rf_jval_get(root, api_of(t)->member);
    return tokens && tokens->type == RF_JNUMBER && rf_jval_int64(tokens, &n) && n >= 0;
}

static void on_done(void *ctx, struct rf_send *s, enum rf_code rc, const struct rf_err *err)
{
    struct rf_gateway_exchange *x = ctx;
    struct rf_str body = { x->passing.held.p, x->passing.held.n };
    bool told = !rc && rf_send_status(s) == 200 && is_count(&x->translation, body);
    (void)err; /* nobody is told: there is an estimate */
    rf_timer_clear(x->loop->loop, &x->tries.timer);
    rf_exchange_clock_start(x);
    rf_gateway_reply(x, 200, told ? body : x->translation.text);
}

static void on_late(void *ctx)
{
    struct rf_gateway_exchange *x = ctx;
    rf_send_cancel(x->send);
    rf_exchange_clock_start(x);
    rf_gateway_reply(x, 200, x->translation.text);
}

void rf_count_ask(struct rf_gateway_exchange *x)
{
    const struct rf_translation *t = &x->translation;
    if (!rf_again_choose_spare(x)) {
        rf_gateway_reply(x, 200, t->text);
        return;
    }
    const struct rf_send_options what = { .size = sizeof what,
                                          .config = x->setup->config,
                                          .model = t->model,
                                          .request = t->request,
                                          .keep_tokens = true,
                                          .done = on_done,
                                          .ctx = x,
                                          .most_tries = 1,
                                          .key = x->tries.key };
    struct rf_send_raw raw = rf_pass_prepare(x);
    raw.bytes = take;
    raw.path = &t->path;
    rf_buf_init(&x->passing.held, t->arena, MOST_REPLY);
    rf_exchange_clock_stop(x);
    x->tries.timer = (struct rf_timer){ .due = on_late, .ctx = x };
    rf_timer_set(x->loop->loop, &x->tries.timer, rf_now_ms() + LONGEST_MS);
    x->send = rf_send_start_raw(x->loop->network, &what, &raw);
}
