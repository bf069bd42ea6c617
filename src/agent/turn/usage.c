/* What an answer took: as its provider reports it, and never less than what is known to have gone
 * and come.
 *
 * For a limit, a report of nothing is no report (some servers do not count, or say 0), so the
 * estimate counts. One that is less than half of what the words of the request and of the answer
 * weigh is not believed either: words are estimated within some percent, files are not, so they are
 * left out of that. What comes out of a provider's cache is part of its report. */
#include "agent/agent.h"

#include "base/arena.h"
#include "model/price.h"
#include "model/tokens.h"

#include <refract/learned.h>
#include <refract/tokens.h>

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* What the provider says that it cost, else what the prices say. */
static int64_t cost_of(const struct rf_agent *a, const struct rf_agent_reply *reply)
{
    return reply->cost_micros >= 0
               ? reply->cost_micros
               : rf_price_of(&a->model->caps, reply->input_tokens, reply->output_tokens);
}

static int64_t said_tokens(const struct rf_caps *c, const struct rf_agent_reply *reply)
{
    int64_t sum = rf_text_tokens(c, reply->text);
    for (size_t i = 0; i < reply->call_count; i++)
        sum = plus(sum, rf_text_tokens(c, reply->calls[i].name) +
                            rf_text_tokens(c, reply->calls[i].arguments));
    return sum;
}

static int64_t counted(int64_t reported, int64_t estimate, int64_t words)
{
    if (reported <= 0)
        return estimate;
    return reported > words / 2 ? reported : words / 2;
}

int64_t rf_agent_tokens(const struct rf_agent *a, const struct rf_agent_reply *reply)
{
    struct rf_tokens *t = rf_request_tokens(a->request);
    int64_t words = rf_tokens_estimate(t) - rf_tokens_by_rule(t);
    int64_t said = said_tokens(&a->model->caps, reply);
    int64_t sum = plus(counted(reply->input_tokens, rf_tokens_total(t), words),
                       counted(reply->output_tokens, said, said));
    rf_tokens_free(t);
    return sum;
}

static void calibrate(struct rf_agent *a, int64_t reported)
{
    struct rf_err problem;
    struct rf_tokens *t = rf_request_tokens(a->request);
    if (rf_model_calibrate(a->model, a->config, rf_tokens_estimate(t), rf_tokens_by_rule(t),
                           reported, &problem))
        rf_agent_note(a, "what was learned could not be kept: %s", problem.msg);
    rf_tokens_free(t);
}

void rf_agent_account(struct rf_agent *a, const struct rf_agent_reply *reply, bool offline)
{
    struct rf_agent_event e = { .type = RF_AGENT_USAGE,
                                .input_tokens = reply->input_tokens,
                                .output_tokens = reply->output_tokens,
                                .cost_micros = cost_of(a, reply) };
    if (reply->input_tokens < 0 && reply->output_tokens < 0)
        return;
    rf_agent_tell(a, &e);
    if (!offline && reply->input_tokens > 0)
        calibrate(a, reply->input_tokens);
}
