/* What was learned, in memory: finding, adding, taking away. Sizes are bounded, so the file is. */
#include "config/learned.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "model/model.h"

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
    rf_clean_words(text);
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

size_t rf_learned_drop_numbers(struct rf_learned *l, struct rf_str provider, struct rf_str model)
{
    size_t kept = 0, count = l->number_count;
    for (size_t i = 0; i < count; i++) {
        const struct rf_learned_number *n = &l->numbers[i];
        if (!matches(provider, n->provider) || !matches(model, n->model))
            l->numbers[kept++] = *n;
    }
    l->number_count = kept;
    return count - kept;
}

/* The same fact of the same model at the same address, by the same source. */
static bool is_about(const struct rf_learned_fact *a, const struct rf_learned_fact *b)
{
    return rf_str_eq(a->provider, b->provider) && rf_str_eq(a->model, b->model) &&
           rf_str_eq(a->fact, b->fact) && rf_str_eq(a->address, b->address) &&
           a->described == b->described;
}

static void drop_fact(struct rf_learned *l, const struct rf_learned_fact *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->fact_count; i++)
        if (!is_about(&l->facts[i], f))
            l->facts[kept++] = l->facts[i];
    l->fact_count = kept;
}

void rf_learned_teach(struct rf_learned *l, const struct rf_learned_fact *f)
{
    struct rf_arena *a = l->arena;
    if (!fits(f->provider, f->model, f->fact) || f->value.n > MAX_NAME || f->address.n > MAX_NAME)
        return;
    drop_fact(l, f);
    while (l->fact_count >= MAX_FACTS)
        memmove(l->facts, l->facts + 1, --l->fact_count * sizeof *l->facts);
    *RF_PUSH(a, l->facts, l->fact_count, l->fact_cap) = (struct rf_learned_fact){
        .provider = rf_str_dup(a, f->provider),
        .model = rf_str_dup(a, f->model),
        .fact = rf_str_dup(a, f->fact),
        .value = rf_str_dup(a, f->value),
        .date = rf_learned_today(a),
        .words = rf_learned_quote(f->words, a),
        .address = rf_str_dup(a, f->address),
        .described = f->described,
    };
}

static struct rf_learned_number *find_number(const struct rf_learned *l, const struct rf_model *m,
                                             struct rf_str key)
{
    for (size_t i = 0; i < l->number_count; i++) {
        struct rf_learned_number *n = &l->numbers[i];
        if (rf_str_eq(n->provider, m->provider) && rf_str_eq(n->model, m->name) &&
            rf_str_eq(n->address, m->address) && rf_str_eq(n->key, key))
            return n;
    }
    return NULL;
}

double rf_learned_number(const struct rf_learned *l, const struct rf_model *m, struct rf_str key,
                         double otherwise)
{
    const struct rf_learned_number *n = find_number(l, m, key);
    return n ? n->value : otherwise;
}

static void drop_number(struct rf_learned *l, const struct rf_learned_number *n)
{
    size_t i = (size_t)(n - l->numbers);
    l->number_count--;
    memmove(l->numbers + i, l->numbers + i + 1, (l->number_count - i) * sizeof *l->numbers);
}

void rf_learned_set_number(struct rf_learned *l, const struct rf_model *m, struct rf_str key,
                           double value)
{
    struct rf_arena *a = l->arena;
    if (!fits(m->provider, m->name, key) || m->address.n > MAX_NAME)
        return;
    const struct rf_learned_number *old = find_number(l, m, key);
    if (old)
        drop_number(l, old);
    while (l->number_count >= MAX_NUMBERS)
        drop_number(l, l->numbers);
    *RF_PUSH(a, l->numbers, l->number_count, l->number_cap) = (struct rf_learned_number){
        .provider = rf_str_dup(a, m->provider),
        .model = rf_str_dup(a, m->name),
        .key = rf_str_dup(a, key),
        .value = value,
        .date = rf_learned_today(a),
        .address = rf_str_dup(a, m->address),
    };
}
