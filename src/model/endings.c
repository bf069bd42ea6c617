/* The days on which vendors end their models, as their own SDKs say: anthropic 2.8.0 and openai
 * 3.49.0 for Python. The first pattern that fits counts. */
#include "model/model.h"

#define OPENAI "openai,openai-chat"

static const struct {
    const char *providers, *pattern, *day;
} endings[] = {
    { "anthropic", "claude-1.3*", "2024-11-06" },
    { "anthropic", "claude-instant-1*", "2024-11-06" },
    { "anthropic", "claude-2.*", "2025-07-21" },
    { "anthropic", "claude-3-sonnet-*", "2025-07-21" },
    { "anthropic", "claude-3-opus-*", "2026-01-05" },
    { "anthropic", "claude-3-7-sonnet-*", "2026-02-19" },
    { "anthropic", "claude-3-5-haiku-*", "2026-02-19" },
    { "anthropic", "claude-opus-4-0", "2026-06-15" },
    { "anthropic", "claude-opus-4-20250514", "2026-06-15" },
    { "anthropic", "claude-sonnet-4-0", "2026-06-15" },
    { "anthropic", "claude-sonnet-4-20250514", "2026-06-15" },
    { "anthropic", "claude-mythos-preview", "2026-06-30" },
    { "anthropic", "claude-sonnet-4-5", "2026-11-30" },
    { "anthropic", "claude-sonnet-4-5-20250929", "2026-11-30" },
    { OPENAI, "gpt-3.5-turbo-16k*", "2024-09-13" },
    { OPENAI, "gpt-3.5-turbo-0301", "2024-09-13" },
    { OPENAI, "gpt-3.5-turbo-0613", "2024-09-13" },
    { OPENAI, "gpt-4-vision-preview", "2024-12-06" },
    { OPENAI, "gpt-4-32k*", "2025-06-06" },
    { OPENAI, "o1-preview*", "2025-07-28" },
    { OPENAI, "gpt-4o-audio-preview-2024-10-01", "2025-10-10" },
    { OPENAI, "o1-mini*", "2025-10-27" },
    { OPENAI, "codex-mini-latest", "2026-02-12" },
    { OPENAI, "chatgpt-4o-latest", "2026-02-17" },
    { OPENAI, "gpt-4-0125-preview", "2026-03-26" },
    { OPENAI, "gpt-4-turbo-preview", "2026-03-26" },
    { OPENAI, "gpt-4-0314", "2026-03-26" },
    { OPENAI, "gpt-4o-audio-preview*", "2026-05-07" },
    { OPENAI, "gpt-4o-mini-audio-preview*", "2026-05-07" },
    { OPENAI, "gpt-5.1-codex", "2026-07-23" },
    { OPENAI, "gpt-5.1-chat-latest", "2026-07-23" },
    { OPENAI, "gpt-5-chat-latest", "2026-07-23" },
    { OPENAI, "gpt-4o-search-preview*", "2026-07-23" },
    { OPENAI, "gpt-4o-mini-search-preview*", "2026-07-23" },
    { OPENAI, "gpt-5.3-chat-latest", "2026-08-10" },
    { OPENAI, "gpt-5.2-chat-latest", "2026-08-10" },
    { OPENAI, "gpt-3.5-turbo-1106", "2026-09-28" },
    { OPENAI, "gpt-4.1-nano*", "2026-10-23" },
    { OPENAI, "o4-mini", "2026-10-23" },
    { OPENAI, "o4-mini-2025-04-16", "2026-10-23" },
    { OPENAI, "o3-mini*", "2026-10-23" },
    { OPENAI, "o1", "2026-10-23" },
    { OPENAI, "o1-2024-12-17", "2026-10-23" },
    { OPENAI, "gpt-4o-2024-05-13", "2026-10-23" },
    { OPENAI, "gpt-4-turbo", "2026-10-23" },
    { OPENAI, "gpt-4-turbo-2024-04-09", "2026-10-23" },
    { OPENAI, "gpt-4-1106-preview", "2026-10-23" },
    { OPENAI, "gpt-4", "2026-10-23" },
    { OPENAI, "gpt-4-0613", "2026-10-23" },
    { OPENAI, "gpt-3.5-turbo", "2026-10-23" },
    { OPENAI, "gpt-3.5-turbo-0125", "2026-10-23" },
    { OPENAI, "gpt-5", "2026-12-11" },
    { OPENAI, "gpt-5-2025-08-07", "2026-12-11" },
    { OPENAI, "gpt-5-mini*", "2026-12-11" },
    { OPENAI, "gpt-5-nano*", "2026-12-11" },
    { OPENAI, "o3", "2026-12-11" },
    { OPENAI, "o3-2025-04-16", "2026-12-11" },
    { OPENAI, "gpt-4.1", "2027-01-14" },
    { OPENAI, "gpt-4.1-2025-04-14", "2027-01-14" },
    { OPENAI, "gpt-4.1-mini*", "2027-01-14" },
    { OPENAI, "gpt-4o", "2027-01-14" },
    { OPENAI, "gpt-4o-2024-11-20", "2027-01-14" },
    { OPENAI, "gpt-4o-2024-08-06", "2027-01-14" },
    { OPENAI, "gpt-4o-mini", "2027-01-14" },
    { OPENAI, "gpt-4o-mini-2024-07-18", "2027-01-14" },
    { OPENAI, "gpt-audio-mini*", "2027-01-20" },
    { OPENAI, "gpt-5.4-nano*", "2027-04-01" },
    { OPENAI, "gpt-5.1", "2027-04-01" },
    { OPENAI, "gpt-5.1-2025-11-13", "2027-04-01" },
};

static bool is_of(const char *providers, struct rf_str provider)
{
    struct rf_str list = rf_str(providers), one;
    while (rf_str_split(&list, ',', &one))
        if (rf_str_eq(one, provider))
            return true;
    return false;
}

struct rf_str rf_model_ends(const struct rf_model *m)
{
    for (size_t i = 0; i < rf_ending_count(); i++)
        if (is_of(endings[i].providers, m->provider) &&
            rf_glob(rf_str(endings[i].pattern), m->name))
            return rf_str(endings[i].day);
    return RF_STR("");
}

size_t rf_ending_count(void)
{
    return sizeof endings / sizeof *endings;
}

const char *rf_ending_providers(size_t i)
{
    return endings[i].providers;
}

const char *rf_ending_pattern(size_t i)
{
    return endings[i].pattern;
}

const char *rf_ending_day(size_t i)
{
    return endings[i].day;
}
