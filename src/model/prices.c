/* What vendors take for a million tokens, in US dollars, with the day on which that was read on
 * their own pages or in a transcript of those:
 *
 *     platform.claude.com/docs/…/models, developers.openai.com/api/docs/pricing,
 *     ai.google.dev/gemini-api/docs/pricing
 *
 * A price that depends on how long the request is, or on what it holds, is not here: a sum made of
 * it would be wrong without a word. The first pattern that fits counts. */
#include "model/price.h"

#include "base/arena.h"

#define CLAUDE "2026-09-29"
#define OPENAI "2026-06-04"
#define GEMINI "2026-10-07"

static const struct {
    const char *providers, *pattern, *input, *output, *day;
} prices[] = {
    { "anthropic", "claude-opus-5", "5", "25", CLAUDE },
    { "anthropic", "claude-sonnet-5", "2", "10", CLAUDE },
    { "anthropic", "claude-haiku-4-5*", "1", "5", CLAUDE },
    { "anthropic", "claude-opus-4-5*", "5", "25", CLAUDE },
    { "anthropic", "claude-opus-4-6*", "5", "25", CLAUDE },
    { "anthropic", "claude-opus-4-7*", "5", "25", CLAUDE },
    { "anthropic", "claude-opus-4-8*", "5", "25", CLAUDE },
    { "openai,openai-chat", "gpt-5.4-mini*", "0.75", "4.5", OPENAI },
    { "openai,openai-chat", "gpt-5.4-nano*", "0.2", "1.25", OPENAI },
    { "openai,openai-chat", "gpt-5-mini*", "0.25", "2", OPENAI },
    { "openai,openai-chat", "gpt-5-nano*", "0.05", "0.4", OPENAI },
    { "openai,openai-chat", "gpt-4.1-mini*", "0.4", "1.6", OPENAI },
    { "openai,openai-chat", "gpt-4.1-nano*", "0.1", "0.4", OPENAI },
    { "openai,openai-chat", "gpt-4.1", "2", "8", OPENAI },
    { "openai,openai-chat", "gpt-4.1-2025*", "2", "8", OPENAI },
    { "openai,openai-chat", "gpt-4o-mini", "0.15", "0.6", OPENAI },
    { "openai,openai-chat", "gpt-4o", "2.5", "10", OPENAI },
    { "google", "gemini-3.5-flash", "1.5", "9", GEMINI },
};

static bool is_of(const char *providers, struct rf_str provider)
{
    struct rf_str list = rf_str(providers), one;
    while (rf_str_split(&list, ',', &one))
        if (rf_str_eq(one, provider))
            return true;
    return false;
}

void rf_model_take_price(struct rf_model *m)
{
    size_t i = 0, count = sizeof prices / sizeof *prices;
    while (i < count && !(is_of(prices[i].providers, m->provider) &&
                          rf_glob(rf_str(prices[i].pattern), m->name)))
        i++;
    if (i == count)
        return;
    rf_model_date(m, RF_STR("price_input"), rf_str(prices[i].input), rf_str(prices[i].day));
    rf_model_date(m, RF_STR("price_output"), rf_str(prices[i].output), rf_str(prices[i].day));
}
