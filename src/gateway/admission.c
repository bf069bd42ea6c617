/* A client's key and its request: whether it may begin, and what it took in the end.
 *
 * Where a key has limits, the ledger is asked once the request is made, and nothing is sent before
 * its answer. Where that takes too long, since the database hangs, the client is told that it
 * cannot be reached; the answer that comes in the end is settled as a request that took nothing.
 *
 * What it took is told to the ledger with the last bytes of the reply, not after them: a client
 * that has its answer and asks again is not refused for the request before. */
#include "gateway/gateway.h"

#include "base/arena.h"
#include "base/clock.h"
#include "config/config.h"
#include "model/price.h"

#define USUAL_OUTPUT 1024 /* tokens that an answer is expected to have, at most */
#define MOST_NAME 200     /* bytes of a model's name that are written down */
#define BYTES_A_TOKEN 4
#define LONGEST_WAIT_MS 10000 /* for the ledger; a store that is locked fails after as long */
#define SOON_MS 1000          /* that a store may be reached again in */

/* What is expected */

/* Of a request that was not weighed, its length tells something. */
static int64_t expected_input(const struct rf_gateway_exchange *x)
{
    int64_t weighed = x->translation.input_tokens;
    return weighed ? weighed : (int64_t)(x->length / BYTES_A_TOKEN);
}

static int64_t expected_output(const struct rf_translation *t)
{
    int64_t most = t->conversation ? t->conversation->options.max_tokens : 0;
    return most > 0 && most < USUAL_OUTPUT ? most : USUAL_OUTPUT;
}

/* What is not known is not counted. */
static int64_t counted(int64_t cost)
{
    return cost > 0 ? cost : 0;
}

/* Refusals */

static struct rf_fault revoked(struct rf_gateway_exchange *x)
{
    (void)x;
    return (struct rf_fault){ .kind = RF_ERROR_AUTHENTICATION,
                              .status = 401,
                              .words = RF_STR("the key that was sent is not one of this gateway") };
}

/* As each vendor says that an account is empty. */
static const struct {
    const char *dialect, *code;
    int status;
} empty_accounts[] = {
    { "anthropic", "billing_error", 402 },
    { "gemini", "RESOURCE_EXHAUSTED", 429 },
    { NULL, "insufficient_quota", 429 }, /* both of OpenAI's */
};

static struct rf_fault spent(struct rf_gateway_exchange *x)
{
    size_t i = 0;
    while (empty_accounts[i].dialect &&
           strcmp(empty_accounts[i].dialect, x->translation.front.dialect) != 0)
        i++;
    struct rf_arena *a = x->translation.arena;
    const struct rf_client_key *k = x->client.key;
    struct rf_str budget = rf_price_text(k->budget_micros, a);
    return (struct rf_fault){ .kind = RF_ERROR_RATE_LIMIT,
                              .status = empty_accounts[i].status,
                              .code = rf_str(empty_accounts[i].code),
                              .own = true,
                              .words = rf_strf(a, "the budget of the key \"%s\", $%.*s, is spent",
                                               k->name, RF_FMT(budget)) };
}

static struct rf_fault limited(struct rf_gateway_exchange *x, const char *what, int64_t limit)
{
    return (struct rf_fault){ .kind = RF_ERROR_RATE_LIMIT,
                              .words = rf_strf(x->translation.arena,
                                               "the key \"%s\" is at its limit of %lld %s",
                                               x->client.key->name, (long long)limit, what) };
}

static struct rf_fault reserved(struct rf_gateway_exchange *x)
{
    return (struct rf_fault){
        .kind = RF_ERROR_RATE_LIMIT,
        .words = rf_strf(x->translation.arena,
                         "requests of the key \"%s\" that are under way may need the rest of its "
                         "budget",
                         x->client.key->name)
    };
}

static struct rf_fault unreached(struct rf_gateway_exchange *x)
{
    (void)x;
    return (struct rf_fault){ .kind = RF_ERROR_OVERLOADED,
                              .status = 503,
                              .words = RF_STR("the gateway cannot reach its database"),
                              .retry_after_ms = SOON_MS };
}

static struct rf_fault fault_of(struct rf_gateway_exchange *x, enum rf_admission verdict)
{
    const struct rf_client_key *k = x->client.key;
    switch (verdict) {
    case RF_ADMISSION_REVOKED:
        return revoked(x);
    case RF_ADMISSION_RPM:
        return limited(x, "requests a minute", k->rpm);
    case RF_ADMISSION_TPM:
        return limited(x, "tokens a minute", k->tpm);
    case RF_ADMISSION_CONCURRENT:
        return limited(x, "requests at once", k->concurrent);
    case RF_ADMISSION_SPENT:
        return spent(x);
    case RF_ADMISSION_RESERVED:
        return reserved(x);
    case RF_ADMISSION_FAILED:
    case RF_ADMISSION_GIVEN:
        break;
    }
    return unreached(x);
}

/* Asking */

static void take_answer(void *ctx)
{
    struct rf_gateway_exchange *x = ctx;
    enum rf_admission verdict = x->wish.what.verdict;
    rf_timer_clear(x->loop->loop, &x->tries.timer);
    x->admission = verdict == RF_ADMISSION_GIVEN    ? RF_ADMITTED
                   : verdict == RF_ADMISSION_FAILED ? RF_ADMISSION_UNKNOWN
                                                    : RF_NOT_ADMITTED;
    if (verdict != RF_ADMISSION_GIVEN) {
        x->translation.fault = fault_of(x, verdict);
        x->translation.fault.retry_after_ms = x->wish.what.retry_after_ms;
    }
    rf_exchange_go_on(x);
}

/* The wish is the ledger's until it comes back. */
static void stop_waiting(void *ctx)
{
    struct rf_gateway_exchange *x = ctx;
    const struct rf_fault f = unreached(x);
    rf_gateway_refuse(x, &f);
}

static bool has_limits(const struct rf_client_key *k)
{
    return k->rpm || k->tpm || k->concurrent || k->budget_micros;
}

/* A sum of what is not known would not be a budget. */
static bool is_priced(struct rf_gateway_exchange *x)
{
    struct rf_translation *t = &x->translation;
    if (!x->client.key->budget_micros || rf_price_is_known(&t->model->caps))
        return true;
    t->fault = (struct rf_fault){
        .kind = RF_ERROR_PERMISSION,
        .words = rf_strf(t->arena,
                         "the key \"%s\" has a budget, and the price of %.*s:%.*s is not known; it "
                         "can be set in the gateway's configuration",
                         x->client.key->name, RF_FMT(t->model->provider), RF_FMT(t->model->name)),
        .retry_after_ms = -1
    };
    rf_gateway_refuse(x, &t->fault);
    return false;
}

bool rf_admission_is_given(struct rf_gateway_exchange *x)
{
    const struct rf_translation *t = &x->translation;
    const struct rf_client_key *k = x->client.key;
    if (!k || !has_limits(k) || x->admission != RF_NOT_ASKED)
        return true;
    bool asks = t->front.operation != RF_OPERATION_COUNT; /* which costs no tokens */
    if (asks && !is_priced(x))
        return false;
    int64_t input = asks ? expected_input(x) : 0, output = asks ? expected_output(t) : 0;
    x->wish = (struct rf_ledger_wish){
        .what = { .request = x->record.id,
                  .key = k->id,
                  .tokens = input + output,
                  .cost = counted(rf_price_most(&t->model->caps, input, output)),
                  .retry_after_ms = SOON_MS },
        .job = { .done = take_answer, .ctx = x },
    };
    x->waits_for = RF_JOB_ADMIT;
    x->tries.timer = (struct rf_timer){ .due = stop_waiting, .ctx = x };
    rf_timer_set(x->loop->loop, &x->tries.timer, rf_now_ms() + LONGEST_WAIT_MS);
    rf_ledger_admit(&x->loop->gateway->ledger, &x->wish, &x->loop->mailbox);
    return false;
}

/* Settling */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Of an answer whose end was not told: what came of it, and no less than is expected of one. */
static int64_t estimated_output(const struct rf_gateway_exchange *x)
{
    const struct rf_record *r = &x->record;
    int64_t came = (int64_t)(r->said / BYTES_A_TOKEN);
    return larger(larger(r->usage.output, came), expected_output(&x->translation));
}

bool rf_admission_was_taken(const struct rf_gateway_exchange *x)
{
    return x->send && rf_send_reached(x->send) && rf_send_error(x->send, NULL) == RF_ERROR_NONE;
}

/* Is an answer coming, did one, or was one worked on that nobody waited for? */
static bool is_owed(const struct rf_gateway_exchange *x)
{
    const struct rf_record *r = &x->record;
    return r->attempts && (r->status == 200 || r->taken || rf_admission_was_taken(x));
}

/* Of a request whose input was not told, as much as was reserved for that. */
static int64_t cost_of(const struct rf_gateway_exchange *x, const struct rf_settlement *s)
{
    const struct rf_model *m = x->translation.model;
    struct rf_usage u = x->record.usage;
    if (!m)
        return -1;
    if (s->estimated && u.input <= 0)
        return rf_price_most(&m->caps, s->input_tokens, s->output_tokens);
    u.input = s->input_tokens;
    u.output = s->output_tokens;
    return rf_price_of(&m->caps, &u);
}

/* What was told; where that was not all, and something was asked, an estimate. */
static void take_usage(const struct rf_gateway_exchange *x, struct rf_settlement *s)
{
    const struct rf_record *r = &x->record;
    const struct rf_usage *u = &r->usage;
    bool told = u->input >= 0 && u->output >= 0 && x->over && !rf_send_broke(x->send);
    bool owed = is_owed(x);
    if (rf_translation_is_other(&x->translation))
        return; /* what that took is not known, and no key that counts it got here */
    s->input_tokens = u->input > 0 ? u->input : 0;
    s->output_tokens = u->output > 0 ? u->output : 0;
    s->estimated = owed && !told;
    if (s->estimated) {
        s->input_tokens = u->input > 0 ? u->input : expected_input(x);
        s->output_tokens = estimated_output(x);
    }
    s->cost = counted(cost_of(x, s));
    /* Another model answered in the place of the one that was reserved for, and has no price. */
    if (!s->cost && owed && x->wish.what.cost) {
        s->cost = x->wish.what.cost;
        s->estimated = true;
    }
}

static bool is_kept(const struct rf_gateway_exchange *x)
{
    const struct rf_front *f = &x->translation.front;
    if (f->status || f->operation > RF_OPERATION_COUNT || x->admission == RF_NOT_ADMITTED)
        return false;
    /* Who needed a key and had none leaves no row. */
    return x->client.key ||
           (rf_ledger_logs(x->setup->config) && !x->loop->gateway->ledger.keyring.asks);
}

/* As the page has it while it is in memory. */
static struct rf_str error_of(const struct rf_record *r)
{
    const char *name = r->error     ? rf_record_error_name(r->error, r->attempts)
                       : r->stopped ? "stopped"
                                    : "";
    return rf_str(name);
}

static int64_t since(int64_t from_us, int64_t to_us)
{
    return to_us ? to_us - from_us : 0;
}

void rf_admission_settle(struct rf_gateway_exchange *x)
{
    const struct rf_record *r = &x->record;
    struct rf_arena *a = x->translation.arena;
    const struct rf_client_key *k = x->client.key;
    if (x->settled || x->waits_for == RF_JOB_ADMIT || !is_kept(x))
        return;
    x->settled = true;
    rf_exchange_complete_record(x);
    struct rf_settlement s = {
        .request = r->id,
        .key = k ? k->id : "",
        .key_name = k ? k->name : "",
        .dialect = rf_str(r->dialect),
        .asked = rf_session_plain(r->asked, MOST_NAME, a),
        .provider = rf_session_plain(r->provider, MOST_NAME, a),
        .model = rf_session_plain(r->model, MOST_NAME, a),
        .deliveries = rf_gateway_delivery(x),
        .at_ms = r->began_ms,
        .status = r->status,
        .bytes_in = (int64_t)r->bytes_in,
        .bytes_out = (int64_t)r->bytes_out,
        .duration_us = since(r->began_us, r->ended_us),
        .first_byte_us = since(r->began_us, r->first_us),
        .attempts = r->attempts,
        .heals = r->heals,
        .error = error_of(r),
        .gone = r->gone,
        .operation = rf_session_plain(rf_record_operation(r), MOST_NAME, a),
    };
    take_usage(x, &s);
    rf_ledger_settle(&x->loop->gateway->ledger, &s);
}
