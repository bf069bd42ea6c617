#include "config/short_names.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/nearest.h"
#include "config/config.h"
#include "config/lists.h"
#include "config/usual.h"
#include "model/catalogue.h"
#include "model/model.h"
#include "model/providers.h"

#include <time.h>

#define MOST_WORDS 16
#define SHOWN 6
#define SAME_TIME (7 * 86400) /* a name and its first snapshot come within so many seconds */

/* A name as words: "gpt-5.4-mini" is gpt, 5, 4, mini. */
struct words {
    struct rf_str at[MOST_WORDS];
    size_t count;
};

static struct words words_of(struct rf_str name)
{
    struct words w = { .count = 0 };
    size_t i = 0;
    while (i < name.n && w.count < MOST_WORDS) {
        while (i < name.n && !rf_is_alnum(name.p[i]))
            i++;
        size_t begin = i;
        while (i < name.n && rf_is_alnum(name.p[i]))
            i++;
        if (i > begin)
            w.at[w.count++] = (struct rf_str){ name.p + begin, i - begin };
    }
    return w;
}

/* "5", "v1", "4o", "70b", "latest": says which of a family. */
static bool is_version(struct rf_str word)
{
    size_t i = word.p[0] == 'v' && word.n > 1;
    return rf_is_digit(word.p[i]) || rf_str_is(word, "latest") || rf_str_is(word, "preview") ||
           rf_str_is(word, "exp");
}

static struct words family_of(const struct words *all)
{
    struct words w = { .count = 0 };
    for (size_t i = 0; i < all->count; i++)
        if (!is_version(all->at[i]))
            w.at[w.count++] = all->at[i];
    return w;
}

/* A letter alone, as the "a" of "command-a", says nothing. */
static bool says_something(const struct words *family)
{
    for (size_t i = 0; i < family->count; i++)
        if (family->at[i].n > 1)
            return true;
    return false;
}

static bool same_at(const struct words *all, size_t from, const struct words *part)
{
    if (from + part->count > all->count)
        return false;
    for (size_t i = 0; i < part->count; i++)
        if (!rf_str_ieq(all->at[from + i], part->at[i]))
            return false;
    return true;
}

static bool holds(const struct words *all, const struct words *part)
{
    for (size_t i = 0; part->count && i + part->count <= all->count; i++)
        if (same_at(all, i, part))
            return true;
    return false;
}

static bool ends_with(const struct words *all, const struct words *part)
{
    return part->count && all->count >= part->count && same_at(all, all->count - part->count, part);
}

static bool same(const struct words *a, const struct words *b)
{
    return a->count == b->count && same_at(a, 0, b);
}

/* What was found of one provider. */
struct found {
    struct rf_arena *arena;
    struct rf_str given, provider;
    struct words words, family; /* of what was given */
    const struct rf_listed **models;
    size_t count, cap;
};

/* Words and digits both count; "o3" is no part of "o3-mini" unless it is all that there is. */
static void offer(struct found *f, const struct rf_listed *m)
{
    struct words w = words_of(m->name);
    if (!m->purpose.n && holds(&w, &f->words))
        *RF_PUSH(f->arena, f->models, f->count, f->cap) = m;
}

static void keep(struct found *f, bool (*fits)(const struct words *all, const struct words *part),
                 const struct words *part)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++) {
        struct words all = words_of(f->models[i]->name), family = family_of(&all);
        if (fits(&family, part))
            f->models[kept++] = f->models[i];
    }
    f->count = kept ? kept : f->count;
}

/* The numbers of a version, without those of a date. */
static void version_of(struct rf_str name, int64_t out[2])
{
    struct words w = words_of(name);
    size_t n = 0;
    int64_t number;
    out[0] = out[1] = 0;
    for (size_t i = 0; i < w.count && n < 2; i++)
        if (rf_str_int64(w.at[i], &number) && number < 1000)
            out[n++] = number;
}

static bool is_newer(const struct rf_listed *a, const struct rf_listed *b)
{
    int64_t apart = a->created && b->created ? a->created - b->created : 0, va[2], vb[2];
    if (apart > SAME_TIME || apart < -SAME_TIME)
        return apart > 0;
    version_of(a->name, va);
    version_of(b->name, vb);
    if (va[0] != vb[0] || va[1] != vb[1])
        return va[0] != vb[0] ? va[0] > vb[0] : va[1] > vb[1];
    return a->name.n < b->name.n;
}

static const struct rf_listed *newest(const struct found *f)
{
    const struct rf_listed *best = f->models[0];
    for (size_t i = 1; i < f->count; i++)
        if (is_newer(f->models[i], best))
            best = f->models[i];
    return best;
}

static bool is_one_family(const struct found *f)
{
    struct words all = words_of(f->models[0]->name), first = family_of(&all);
    for (size_t i = 1; i < f->count; i++) {
        struct words other = words_of(f->models[i]->name), family = family_of(&other);
        if (!same(&first, &family))
            return false;
    }
    return true;
}

/* Of each family the newest, of as many families as are shown; are there others? */
static bool keep_newest(struct found *f)
{
    size_t kept = 0;
    bool others = false;
    for (size_t i = 0; i < f->count; i++) {
        struct words all = words_of(f->models[i]->name), family = family_of(&all);
        size_t k = 0;
        for (; k < kept; k++) {
            struct words other = words_of(f->models[k]->name), its = family_of(&other);
            if (same(&family, &its))
                break;
        }
        if (k == SHOWN)
            others = true;
        else if (k == kept || is_newer(f->models[i], f->models[k]))
            f->models[k] = f->models[i];
        kept += k == kept && k < SHOWN;
    }
    f->count = kept;
    return others;
}

static enum rf_code fail_several(struct found *f, struct rf_err *err)
{
    struct rf_buf b;
    struct rf_str text;
    rf_fail(err, RF_EUSAGE, "\"%.*s\" could be one of several models", RF_FMT(f->given));
    bool others = keep_newest(f);
    rf_buf_init(&b, f->arena, sizeof err->hint);
    for (size_t i = 0; i < f->count; i++)
        rf_buf_addf(&b, "%s%.*s:%.*s", i ? ", " : "", RF_FMT(f->provider),
                    RF_FMT(f->models[i]->name));
    if (others)
        rf_buf_addf(&b, " and others");
    if (!rf_buf_finish(&b, &text, NULL))
        rf_hint(err, "Say which: %.*s.", RF_FMT(text));
    return RF_EUSAGE;
}

/* The family that the words name as a whole, where there is one: "flash" is not "flash-lite". */
static enum rf_code choose(struct found *f, struct rf_str *provider, struct rf_str *model,
                           struct rf_err *err)
{
    keep(f, ends_with, &f->family);
    if (!is_one_family(f))
        keep(f, same, &f->family);
    if (!is_one_family(f))
        return fail_several(f, err);
    *provider = f->provider;
    *model = newest(f)->name;
    return RF_OK;
}

/* Where names come from: a provider's list, or what is known without one. */
struct source {
    struct rf_str provider;
    struct rf_list list;
};

static bool is_exactly(struct rf_str name, struct rf_str given)
{
    return rf_str_ieq(name, given) || rf_str_ieq(rf_str_behind(name, '/'), given);
}

static enum rf_code find_in(const struct source *sources, size_t count, struct rf_str given,
                            struct rf_arena *a, struct rf_str *provider, struct rf_str *model,
                            struct rf_err *err)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sources[i].list.count; k++)
            if (is_exactly(sources[i].list.models[k].name, given)) {
                *provider = sources[i].provider;
                *model = sources[i].list.models[k].name;
                return RF_OK;
            }
    for (size_t i = 0; i < count; i++) {
        struct found f = {
            .arena = a, .given = given, .provider = sources[i].provider, .words = words_of(given)
        };
        f.family = family_of(&f.words);
        for (size_t k = 0; says_something(&f.family) && k < sources[i].list.count; k++)
            offer(&f, &sources[i].list.models[k]);
        if (f.count)
            return choose(&f, provider, model, err);
    }
    return RF_ENOTFOUND;
}

static struct source known_of(const struct rf_provider_row *row, struct rf_arena *a)
{
    struct source s = { .provider = rf_str(row->provider), .list = { .row = row } };
    rf_list_add_known(&s.list, a);
    return s;
}

/* The providers that would be asked unnamed, in that order, then the rest. */
static size_t providers(const struct rf_provider_row **out)
{
    const char *usual;
    size_t count = 0;
    for (size_t i = 0; (usual = rf_usual_provider(i)); i++)
        out[count++] = rf_provider_row(rf_str(usual));
    for (size_t i = 0; i < rf_provider_row_count; i++) {
        size_t k = 0;
        while (k < count && out[k] != &rf_provider_rows[i])
            k++;
        if (k == count)
            out[count++] = &rf_provider_rows[i];
    }
    return count;
}

/* Its list, or what is known of a provider with a key: its names are not another's to take because
 * its list did not come. */
static bool is_at_hand(const struct rf_config *c, const struct rf_provider_row *row,
                       struct source *out, struct rf_arena *a)
{
    *out = (struct source){ .provider = rf_str(row->provider) };
    if (row->lists && rf_list_recall(c, row, a, &out->list))
        return true;
    if (!rf_usual_has_key(c, row->provider))
        return false;
    *out = known_of(row, a);
    return true;
}

enum rf_code rf_short_name(const struct rf_config *c, struct rf_str given, struct rf_arena *a,
                           struct rf_str *provider, struct rf_str *model, struct rf_err *err)
{
    const struct rf_provider_row **rows =
        RF_ARRAY(a, const struct rf_provider_row *, rf_provider_row_count);
    struct source *sources = RF_ARRAY(a, struct source, rf_provider_row_count);
    size_t all = providers(rows), count = 0;
    for (size_t i = 0; i < all; i++)
        count += is_at_hand(c, rows[i], &sources[count], a);
    enum rf_code rc = find_in(sources, count, given, a, provider, model, err);
    if (rc != RF_ENOTFOUND)
        return rc;
    for (size_t i = 0; i < all; i++)
        sources[i] = known_of(rows[i], a);
    return find_in(sources, all, given, a, provider, model, err);
}

/* Has the catalogue a row for it that is not for all models of the provider? */
static bool has_row(struct rf_str provider, struct rf_str model)
{
    for (size_t i = 0; i < rf_catalogue_count; i++) {
        struct rf_str pattern = rf_str(rf_catalogue[i].pattern);
        if (rf_str_is(provider, rf_catalogue[i].provider) && !rf_str_is(pattern, "*") &&
            rf_glob(pattern, model))
            return true;
    }
    return false;
}

/* A row that begins with the name, so that it says whose models are called so. */
static bool names_family(struct rf_str provider, struct rf_str model)
{
    for (size_t i = 0; i < rf_catalogue_count; i++) {
        struct rf_str pattern = rf_str(rf_catalogue[i].pattern);
        if (rf_str_is(provider, rf_catalogue[i].provider) && pattern.p[0] != '*' &&
            rf_glob(pattern, model))
            return true;
    }
    return false;
}

struct rf_str rf_short_name_provider(const struct rf_config *c, struct rf_str given)
{
    const char *provider;
    for (size_t i = 0; (provider = rf_usual_provider(i)); i++)
        if (rf_usual_provider_has_key(c, i) && names_family(rf_str(provider), given))
            return rf_str(provider);
    return RF_STR("");
}

static bool speaks(struct rf_str provider, struct rf_str model, const char *dialect,
                   struct rf_arena *a)
{
    struct rf_model m;
    return !rf_model_init(&m, provider, model, a, NULL) && rf_str_is(m.caps.dialect, dialect);
}

struct rf_str rf_short_name_sibling(const struct rf_config *c, struct rf_str provider,
                                    struct rf_str model, const char *dialect, struct rf_arena *a)
{
    const struct rf_provider_row *own = rf_provider_row(provider);
    if (!own || (c && rf_config_provider(c, provider)))
        return provider;
    for (size_t i = 0; i < rf_provider_row_count; i++) {
        const struct rf_provider_row *row = &rf_provider_rows[i];
        struct rf_str name = rf_str(row->provider);
        if (rf_provider_is_sibling(own, row) && !rf_provider_lacks(row, model) &&
            !(c && rf_config_provider(c, name)) && !speaks(provider, model, dialect, a) &&
            speaks(name, model, dialect, a))
            return name;
    }
    return provider;
}

struct rf_str rf_short_name_listed(const struct rf_list *list, struct rf_str given,
                                   struct rf_arena *a)
{
    const struct rf_listed *same_name = rf_list_find(list, given);
    struct found f = { .arena = a, .given = given, .words = words_of(given) };
    f.family = family_of(&f.words);
    if (same_name)
        return same_name->name;
    if (!list->count || !says_something(&f.family) ||
        (f.family.count < f.words.count && has_row(rf_str(list->row->provider), given)))
        return RF_STR("");
    for (size_t i = 0; i < list->count; i++)
        offer(&f, &list->models[i]);
    if (!f.count)
        return RF_STR("");
    keep(&f, ends_with, &f.family);
    if (!is_one_family(&f))
        keep(&f, same, &f.family);
    struct words first = words_of(f.models[0]->name), family = family_of(&first);
    return is_one_family(&f) && ends_with(&family, &f.family) ? newest(&f)->name : RF_STR("");
}

const char *rf_short_name_question(const struct rf_list *list, struct rf_str provider,
                                   struct rf_str given, struct rf_arena *a)
{
    const struct rf_provider_row *row = rf_provider_row(provider);
    struct source s = { .provider = provider, .list = *list };
    struct words part = words_of(given);
    struct rf_nearest n;
    rf_nearest_init(&n, given);
    if (!list->count && row)
        s = known_of(row, a);
    for (size_t i = 0; i < s.list.count; i++) {
        struct rf_str name = s.list.models[i].name;
        struct words all = words_of(name);
        if (!s.list.models[i].purpose.n)
            rf_nearest_offer_as(&n, holds(&all, &part) ? given : name, name);
    }
    for (size_t i = 0; i < n.count; i++)
        n.names[i] = rf_strf(a, "%.*s:%.*s", RF_FMT(provider), RF_FMT(n.names[i]));
    return rf_nearest_question(&n, a);
}

bool rf_short_name_is_known(struct rf_str given)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str provider, model;
    bool known = false;
    for (size_t i = 0; !known && i < rf_provider_row_count; i++) {
        struct source s = known_of(&rf_provider_rows[i], a);
        known = !find_in(&s, 1, given, a, &provider, &model, NULL);
    }
    rf_arena_free(a);
    return known;
}
