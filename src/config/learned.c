/* What was learned, in memory: finding, adding, taking away. Sizes are bounded, so the file is. */
#include "config/learned.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <time.h>

#define MAX_FACTS 500
#define MAX_NUMBERS 500
#define MAX_NAME 200 /* bytes */
#define MAX_WORDS 300

struct rf_str rf_learned_today(struct rf_arena *a)
{
    time_t now = time(NULL);
    struct tm tm;
    if (!gmtime_r(&now, &tm))
        return RF_STR("");
    return rf_strf(a, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
}

struct rf_str rf_learned_quote(struct rf_str words, struct rf_arena *a)
{
    words = rf_utf8_cut((struct rf_str){ words.p, rf_utf8_valid(words) }, MAX_WORDS);
    char *text = rf_arena_alloc(a, words.n + 1);
    memcpy(text, words.p ? words.p : "", words.n);
    rf_clean_controls(text);
    return rf_str(text);
}

static bool matches(struct rf_str wanted, struct rf_str have)
{
    return !wanted.n || rf_str_eq(wanted, have);
}

static bool fits(struct rf_str provider, struct rf_str model, struct rf_str name)
{
    return provider.n && model.n && name.n && provider.n <= MAX_NAME && model.n <= MAX_NAME &&
           name.n <= MAX_NAME;
}

size_t rf_learned_drop_facts(struct rf_learned *l, struct rf_str provider, struct rf_str model,
                             struct rf_str fact)
{
    size_t kept = 0, count = l->fact_count;
    for (size_t i = 0; i < count; i++) {
        const struct rf_learned_fact *f = &l->facts[i];
        if (!matches(provider, f->provider) || !matches(model, f->model) || !matches(fact, f->fact))
            l->facts[kept++] = *f;
    }
    l->fact_count = kept;
    return count - kept;
}

static size_t drop_numbers(struct rf_learned *l, struct rf_str provider, struct rf_str model,
                           struct rf_str key)
{
    size_t kept = 0, count = l->number_count;
    for (size_t i = 0; i < count; i++) {
        const struct rf_learned_number *n = &l->numbers[i];
        if (!matches(provider, n->provider) || !matches(model, n->model) || !matches(key, n->key))
            l->numbers[kept++] = *n;
    }
    l->number_count = kept;
    return count - kept;
}

size_t rf_learned_drop_numbers(struct rf_learned *l, struct rf_str provider, struct rf_str model)
{
    return drop_numbers(l, provider, model, RF_STR(""));
}

void rf_learned_teach(struct rf_learned *l, const struct rf_learned_fact *f)
{
    struct rf_arena *a = l->arena;
    if (!fits(f->provider, f->model, f->fact) || f->value.n > MAX_NAME)
        return;
    rf_learned_drop_facts(l, f->provider, f->model, f->fact);
    while (l->fact_count >= MAX_FACTS)
        memmove(l->facts, l->facts + 1, --l->fact_count * sizeof *l->facts);
    *RF_PUSH(a, l->facts, l->fact_count, l->fact_cap) = (struct rf_learned_fact){
        .provider = rf_str_dup(a, f->provider),
        .model = rf_str_dup(a, f->model),
        .fact = rf_str_dup(a, f->fact),
        .value = rf_str_dup(a, f->value),
        .date = rf_learned_today(a),
        .words = rf_learned_quote(f->words, a),
    };
}

double rf_learned_number(const struct rf_learned *l, struct rf_str provider, struct rf_str model,
                         struct rf_str key, double otherwise)
{
    for (size_t i = 0; i < l->number_count; i++) {
        const struct rf_learned_number *n = &l->numbers[i];
        if (rf_str_eq(n->provider, provider) && rf_str_eq(n->model, model) &&
            rf_str_eq(n->key, key))
            return n->value;
    }
    return otherwise;
}

void rf_learned_set_number(struct rf_learned *l, struct rf_str provider, struct rf_str model,
                           struct rf_str key, double value)
{
    struct rf_arena *a = l->arena;
    if (!fits(provider, model, key))
        return;
    drop_numbers(l, provider, model, key);
    while (l->number_count >= MAX_NUMBERS)
        memmove(l->numbers, l->numbers + 1, --l->number_count * sizeof *l->numbers);
    *RF_PUSH(a, l->numbers, l->number_count, l->number_cap) = (struct rf_learned_number){
        .provider = rf_str_dup(a, provider),
        .model = rf_str_dup(a, model),
        .key = rf_str_dup(a, key),
        .value = value,
        .date = rf_learned_today(a),
    };
}
