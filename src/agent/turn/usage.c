/* What an answer took: as its provider reports it, and never less than what is known to have gone
 * and come.
 *
 * For a limit, a report of nothing is not a report (some servers do not count, or say 0), so the
 * estimate counts. One that is less than half of what the words of the request and of the answer
 * weigh is not believed either: words are estimated within some percent, files are not, so they are
 * left out of that. What comes out of a provider's cache is part of its report. */
#include "agent/agent.h"

#include "base/arena.h"
#include "model/price.h"
#include "model/tokens.h"

#include <refract/learned.h>
#include <refract/tokens.h>

#include <inttypes.h>

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* What the provider says that it cost, else what the prices say. */
static int64_t cost_of(const struct rf_agent *a, const struct rf_agent_reply *reply)
{
    return reply->cost_micros >= 0 ? reply->cost_micros
                                   : rf_price_of(&a->model->caps, &reply->message.ending->usage);
}

static int64_t said_tokens(const struct rf_caps *c, const struct rf_agent_reply *reply)
{
    int64_t sum = rf_text_tokens(c, reply->text);
    for (size_t i = 0; i < reply->call_count; i++)
        sum = plus(sum, rf_text_tokens(c, reply->calls[i].name) +
                            rf_text_tokens(c, reply->calls[i].text));
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
    const struct rf_usage *told = &reply->message.ending->usage;
    struct rf_tokens *t = rf_request_tokens(a->asking.last.request);
    int64_t words = rf_tokens_estimate(t) - rf_tokens_by_rule(t);
    int64_t said = said_tokens(&a->model->caps, reply);
    int64_t sum =
        plus(counted(told->input, rf_tokens_total(t), words), counted(told->output, said, said));
    rf_tokens_free(t);
    return sum;
}

/* Who asks by an API that cannot ask for a window is told of the one that can. */
static void tell_cut(struct rf_agent *a, const struct rf_tokens *t, int64_t reported)
{
    const struct rf_model *m = a->model;
    struct rf_arena *scratch = a->asking.arena;
    int64_t sent = rf_tokens_total(t);
    struct rf_str of = sent > reported ? rf_strf(scratch, " of about %" PRId64, sent) : RF_STR("");
    struct rf_str other = rf_str_eq(m->provider, m->caps.server)
                              ? RF_STR("")
                              : rf_strf(scratch, "; %.*s:%.*s would be asked for a larger one",
                                        RF_FMT(m->caps.server), RF_FMT(m->name));
    rf_listener_note(&a->listener,
                     "%.*s:%.*s read %" PRId64 "%.*s tokens: what is over its window was cut%.*s",
                     RF_FMT(m->provider), RF_FMT(m->name), reported, RF_FMT(of), RF_FMT(other));
}

/* Of what was cut, the report says only that it was more. */
static void calibrate(struct rf_agent *a, int64_t reported)
{
    struct rf_err problem;
    struct rf_tokens *t = rf_request_tokens(a->asking.last.request);
    bool cut = rf_tokens_was_cut(t, reported);
    if (cut)
        tell_cut(a, t, reported);
    if ((!cut || reported > rf_tokens_total(t)) &&
        rf_model_calibrate(a->model, a->workspace.config, rf_tokens_estimate(t),
                           rf_tokens_by_rule(t), reported, &problem))
        rf_listener_note(&a->listener, "what was learned could not be kept: %s", problem.msg);
    rf_tokens_free(t);
}

void rf_agent_account(struct rf_agent *a, const struct rf_agent_reply *reply, bool offline)
{
    const struct rf_usage *told = &reply->message.ending->usage;
    struct rf_agent_event e = { .type = RF_AGENT_USAGE,
                                .input_tokens = told->input,
                                .output_tokens = told->output,
                                .cached_tokens = told->cached,
                                .cost_micros = cost_of(a, reply) };
    if (told->input < 0 && told->output < 0)
        return;
    rf_listener_tell(&a->listener, &e);
    if (!offline && told->input > 0)
        calibrate(a, told->input);
}
