#include "config/names.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/nearest.h"
#include "config/config.h"
#include "config/keys.h"
#include "config/short_names.h"
#include "config/usual.h"
#include "model/catalogue.h"
#include "model/providers.h"
#include "model/well_known.h"

#include <refract/model.h>

bool rf_model_is_provider(struct rf_str name)
{
    for (size_t i = 0; i < rf_catalogue_count; i++)
        if (rf_str_is(name, rf_catalogue[i].provider) && rf_str_is(name, rf_catalogue[i].pattern))
            return true;
    return false;
}

bool rf_model_is_known(struct rf_str name)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    bool known = rf_provider_row(name) != NULL || rf_short_name_is_known(name);
    for (size_t i = 0; !known && i < rf_catalogue_count; i++) {
        struct rf_str pattern = rf_str(rf_catalogue[i].pattern);
        known = pattern.p[0] != '*' && rf_glob(pattern, name);
    }
    for (size_t i = 0; !known && rf_model_well_known(i, &m, a); i++)
        known = rf_str_eq(m.name, name);
    rf_arena_free(a);
    return known;
}

bool rf_fact_exists(struct rf_str name)
{
    for (size_t i = 0; i < rf_fact_count(); i++)
        if (rf_str_is(name, rf_fact_name(i)))
            return true;
    return false;
}

static const char *listed(const char *const *names, size_t count, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str text;
    rf_buf_init(&b, a, 4096);
    for (size_t i = 0; i < count; i++)
        rf_buf_addf(&b, "%s%s", !i ? "" : i + 1 < count ? ", " : " and ", names[i]);
    return rf_buf_finish(&b, &text, NULL) ? "" : text.p;
}

void rf_hint_key(struct rf_err *err, struct rf_str given, const char *const *names, size_t count)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_nearest n;
    rf_nearest_init(&n, given);
    for (size_t i = 0; i < count; i++)
        rf_nearest_offer(&n, rf_str(names[i]));
    rf_hint(err, "%sKnown here: %s.", rf_nearest_question(&n, a), listed(names, count, a));
    rf_arena_free(a);
}

void rf_hint_section_key(struct rf_err *err, struct rf_str given, const char *section)
{
    struct rf_arena *a = rf_arena_new();
    const char **names = RF_ARRAY(a, const char *, rf_key_count);
    size_t count = 0;
    for (size_t i = 0; i < rf_key_count; i++)
        if ((names[count] = rf_key_name(&rf_keys[i], section)))
            count++;
    rf_hint_key(err, given, names, count);
    rf_arena_free(a);
}

void rf_hint_provider(struct rf_err *err, struct rf_str given)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_nearest n;
    const char **names = RF_ARRAY(a, const char *, rf_provider_row_count);
    rf_nearest_init(&n, given);
    for (size_t i = 0; i < rf_provider_row_count; i++) {
        names[i] = rf_provider_rows[i].provider;
        rf_nearest_offer(&n, rf_str(names[i]));
    }
    rf_hint(err, "%sProviders are %s.", rf_nearest_question(&n, a),
            listed(names, rf_provider_row_count, a));
    rf_arena_free(a);
}

void rf_hint_fact(struct rf_err *err, struct rf_str given)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_nearest n;
    rf_nearest_init(&n, given);
    for (size_t i = 0; i < rf_fact_count(); i++)
        rf_nearest_offer(&n, rf_str(rf_fact_name(i)));
    struct rf_str question = rf_str_trim(rf_str(rf_nearest_question(&n, a)));
    rf_advise(err, RF_REASON_UNKNOWN_FACT, "%.*s", RF_FMT(question));
    rf_arena_free(a);
}

static struct rf_str without_stars(struct rf_str pattern, struct rf_arena *a)
{
    char *out = rf_arena_alloc(a, pattern.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < pattern.n; i++)
        if (pattern.p[i] != '*')
            out[n++] = pattern.p[i];
    return (struct rf_str){ out, n };
}

enum rf_code rf_host_check(const char *name, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_nearest n;
    const char **names = RF_ARRAY(a, const char *, rf_host_count());
    enum rf_code rc = RF_EUSAGE;
    rf_nearest_init(&n, rf_str(name));
    for (size_t i = 0; rc && i < rf_host_count(); i++) {
        struct rf_str pattern = rf_str(rf_host_name(i));
        names[i] = rf_cstr(a, without_stars(pattern, a));
        rf_nearest_offer(&n, rf_str(names[i]));
        rc = rf_glob(pattern, n.given) ? RF_OK : rc;
    }
    if (rc) {
        rf_fail(err, rc, "there is no host \"%s\"", name);
        rf_hint(err, "%sKnown are %s.", rf_nearest_question(&n, a),
                listed(names, rf_host_count(), a));
    }
    rf_arena_free(a);
    return rc;
}

/* A name that belongs to a family needs its provider only, be it near the pattern or not. */
static void offer_members(struct rf_nearest *n, struct rf_arena *a)
{
    for (size_t i = 0; i < rf_catalogue_count; i++) {
        struct rf_str pattern = rf_str(rf_catalogue[i].pattern);
        if (pattern.p[0] != '*' && rf_glob(pattern, n->given))
            rf_nearest_offer_as(n, n->given,
                                rf_strf(a, "%s:%.*s", rf_catalogue[i].provider, RF_FMT(n->given)));
    }
}

static void offer_families(struct rf_nearest *n, struct rf_arena *a)
{
    for (size_t i = 0; i < rf_catalogue_count; i++) {
        const char *provider = rf_catalogue[i].provider;
        struct rf_str pattern = rf_str(rf_catalogue[i].pattern);
        if (rf_str_is(pattern, "*"))
            continue;
        struct rf_str stem = without_stars(pattern, a);
        bool member = rf_glob(pattern, n->given);
        struct rf_str name = member ? n->given : pattern;
        /* A member of a small family is what was meant, however near another one is. */
        rf_nearest_offer_as(
            n, member && stem.n * 4 >= n->given.n * 3 && pattern.p[0] != '*' ? n->given : stem,
            rf_model_is_provider(pattern) ? pattern
                                          : rf_strf(a, "%s:%.*s", provider, RF_FMT(name)));
    }
}

/* Providers with a key before the others, in the order in which they would be asked. */
static void offer_known(struct rf_nearest *n, const struct rf_config *c, struct rf_arena *a)
{
    const char *provider, *name;
    for (int with_key = 1; with_key >= 0; with_key--)
        for (size_t i = 0; (provider = rf_usual_provider(i)); i++) {
            if (rf_usual_provider_has_key(c, i) != with_key)
                continue;
            for (size_t k = 0; (name = rf_known_name(rf_str(provider), k)); k++)
                rf_nearest_offer_as(n, rf_str(name), rf_strf(a, "%s:%s", provider, name));
        }
}

void rf_hint_model(struct rf_err *err, const struct rf_config *c, struct rf_str given)
{
    if (rf_provider_row(given)) {
        rf_hint(err, "It is a provider: name one of its models, as in %.*s:MODEL.", RF_FMT(given));
        return;
    }
    struct rf_arena *a = rf_arena_new();
    struct rf_nearest n;
    rf_nearest_init(&n, given);
    for (size_t i = 0; c && i < c->model_count; i++)
        if (!rf_config_is_projects(c, c->models[i].place))
            rf_nearest_offer(&n, c->models[i].name);
    for (size_t i = 0; i < rf_provider_row_count; i++)
        if (!rf_model_is_provider(rf_str(rf_provider_rows[i].provider)))
            rf_nearest_offer(&n, rf_strf(a, "%s:", rf_provider_rows[i].provider));
    offer_known(&n, c, a);
    offer_families(&n, a);
    if (!n.count)
        offer_members(&n, a);
    rf_hint(err, "%sModels are named PROVIDER:MODEL, such as anthropic:claude-sonnet-5.",
            rf_nearest_question(&n, a));
    rf_arena_free(a);
}

/* A misspelled model. */

#define MOST_EDITS 2
#define LETTERS_FOR_TWO 8 /* a shorter stem may differ in one only */

/* What stands before the star of a pattern that has none but at its end; empty for any other. */
static struct rf_str stem_of(const char *pattern)
{
    struct rf_str s = rf_str(pattern);
    const char *star = memchr(s.p, '*', s.n);
    size_t n = star ? (size_t)(star - s.p) : s.n;
    return n + (star != NULL) == s.n ? (struct rf_str){ s.p, n } : (struct rf_str){ s.p, 0 };
}

static bool is_word(char c)
{
    return rf_is_alnum(c);
}

static bool same_digits(struct rf_str a, struct rf_str b)
{
    size_t i = 0, j = 0;
    for (;; i++, j++) {
        while (i < a.n && (a.p[i] < '0' || a.p[i] > '9'))
            i++;
        while (j < b.n && (b.p[j] < '0' || b.p[j] > '9'))
            j++;
        if (i == a.n || j == b.n)
            return i == a.n && j == b.n;
        if (a.p[i] != b.p[j])
            return false;
    }
}

/* Is the name of a model that exists beside the stem: "qwen2.5:7b" beside "qwen2.5vl"? */
static bool is_shorter_name(struct rf_str model, struct rf_str stem)
{
    size_t n = 0;
    while (n < model.n && n < stem.n && model.p[n] == stem.p[n])
        n++;
    return n == model.n || model.p[n] == ':';
}

/* The longest stem of the provider that the model begins with. One that ends within a word is a
 * family of its own: nothing is to be guessed then. */
static struct rf_str known_part(struct rf_str provider, struct rf_str model)
{
    struct rf_str best = { model.p, 0 };
    for (size_t i = 0; i < rf_catalogue_count; i++) {
        struct rf_str stem = stem_of(rf_catalogue[i].pattern);
        if (rf_str_is(provider, rf_catalogue[i].provider) && stem.n > best.n && stem.n <= model.n &&
            memcmp(stem.p, model.p, stem.n) == 0)
            best = stem;
    }
    return best;
}

static bool matches_middle(struct rf_str provider, struct rf_str model)
{
    for (size_t i = 0; i < rf_catalogue_count; i++) {
        struct rf_str pattern = rf_str(rf_catalogue[i].pattern);
        if (rf_str_is(provider, rf_catalogue[i].provider) && pattern.n > 1 && pattern.p[0] == '*' &&
            rf_glob(pattern, model))
            return true;
    }
    return false;
}

struct rf_str rf_model_meant(struct rf_str provider, struct rf_str model, struct rf_arena *a)
{
    struct rf_str known = known_part(provider, model), best = { "", 0 };
    unsigned least = MOST_EDITS + 1;
    size_t begun = 0, length;
    if ((known.n && is_word(known.p[known.n - 1])) || matches_middle(provider, model))
        return best;
    for (size_t i = 0; i < rf_catalogue_count; i++) {
        struct rf_str stem = stem_of(rf_catalogue[i].pattern);
        if (!rf_str_is(provider, rf_catalogue[i].provider) || stem.n <= known.n ||
            memcmp(stem.p, known.p, known.n) != 0 || is_shorter_name(model, stem))
            continue;
        unsigned edits = rf_nearest_edits(stem, model, &length);
        if (edits == 0 || edits > 1u + (stem.n >= LETTERS_FOR_TWO) || edits > least ||
            (edits == least && stem.n <= best.n) ||
            !same_digits(stem, (struct rf_str){ model.p, length }))
            continue;
        least = edits;
        best = stem;
        begun = length;
    }
    return best.n ? rf_strf(a, "%.*s%.*s", RF_FMT(best), (int)(model.n - begun), model.p + begun)
                  : best;
}
