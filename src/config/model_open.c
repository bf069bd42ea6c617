/* From a name to a model: a configured name, or PROVIDER:MODEL with what the configuration says of
 * it. A model that is opened here lives in its own arena and ends with it. */
#include "config/model_open.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "config/config.h"
#include "config/model_cache.h"
#include "config/moved.h"
#include "config/names.h"
#include "config/short_names.h"
#include "model/model.h"
#include "model/price.h"
#include "model/providers.h"

enum rf_code rf_config_apply(struct rf_model *m, const struct rf_config_fact *f, struct rf_err *err)
{
    return f->section == RF_SECTION_SETTINGS
               ? rf_model_setting(m, f->name, f->value, err)
               : rf_model_set(m, f->name, f->value, RF_FACT_OVERRIDE, err);
}

enum applied {
    ALL_OF_IT,
    FACTS_ALONE, /* how it is asked under another name is nothing to this one */
};

static enum rf_code apply(struct rf_model *m, const struct rf_config_model *entry,
                          enum applied what, struct rf_err *err)
{
    for (size_t i = 0; i < entry->count; i++) {
        const struct rf_config_fact *f = &entry->facts[i];
        if (what == FACTS_ALONE && f->section == RF_SECTION_SETTINGS)
            continue;
        enum rf_code rc = rf_config_apply(m, f, err);
        if (rc) {
            rf_err_at(err, rf_strf(m->arena, "%s:%zu", f->place.file, f->place.line).p);
            return rc;
        }
    }
    return RF_OK;
}

/* "127.0.0.1:11434/v1" of "http://127.0.0.1:11434/v1/". */
static struct rf_str place_of(struct rf_str url)
{
    for (size_t i = 0; i + 2 < url.n; i++)
        if (memcmp(url.p + i, "://", 3) == 0) {
            url = (struct rf_str){ url.p + i + 3, url.n - i - 3 };
            break;
        }
    while (url.n && url.p[url.n - 1] == '/')
        url.n--;
    return url;
}

static struct rf_str host_of(struct rf_str url)
{
    url = place_of(url);
    for (size_t i = 0; i < url.n; i++)
        if (url.p[i] == '/')
            url.n = i;
    return url;
}

/* Is it the other URL, or a path there? */
static bool is_below(struct rf_str url, struct rf_str other)
{
    struct rf_str at = place_of(url), there = place_of(other);
    return at.n >= there.n && memcmp(at.p, there.p, there.n) == 0 &&
           (at.n == there.n || at.p[there.n] == '/');
}

static struct rf_str port_of(struct rf_str url)
{
    struct rf_str host = host_of(url), port = rf_str_behind(host, ':');
    return port.n < host.n ? port : RF_STR("");
}

/* Is the address where this provider is, or listens wherever it runs? */
static bool is_at(const struct rf_config *c, struct rf_str address,
                  const struct rf_provider_row *row, struct rf_arena *a)
{
    struct rf_str port = port_of(rf_str(row->base_url));
    struct rf_str moved = rf_moved_to(c, rf_str(row->provider), a);
    return (port.n && rf_str_eq(port_of(address), port)) || (moved.n && is_below(address, moved));
}

/* A provider that was moved to where another one's program is: that answers. */
static void find_server(struct rf_model *m, const struct rf_config *c)
{
    for (size_t i = 0; m->address.n && !m->caps.server.n && i < rf_provider_row_count; i++) {
        struct rf_str other = rf_str(rf_provider_rows[i].provider);
        struct rf_model there;
        if (!rf_str_eq(other, m->provider) &&
            is_at(c, m->address, &rf_provider_rows[i], m->arena) &&
            !rf_model_init(&there, other, m->name, m->arena, NULL) && there.caps.server.n &&
            rf_model_set(m, RF_STR("server"), there.caps.server, RF_FACT_CATALOGUE, NULL))
            RF_BUG("a row of the catalogue that makes no sense");
    }
}

/* Lessons that do not fit are those of another version, and are passed over. */
static void apply_learned(struct rf_model *m, const struct rf_learned *l)
{
    rf_model_set_problem(m, &l->problem);
    for (size_t i = 0; i < l->fact_count; i++) {
        const struct rf_learned_fact *f = &l->facts[i];
        if (rf_str_eq(f->provider, m->provider) && rf_str_eq(f->model, m->name) &&
            rf_str_eq(f->address, m->address))
            (f->described ? rf_model_describe : rf_model_teach)(m, f->fact, f->value, f->date,
                                                                f->words, NULL);
    }
    m->calibration = rf_learned_calibration(l, m);
}

static void apply_list(struct rf_model *m, const struct rf_list *list)
{
    const struct rf_listed *listed = rf_list_find(list, m->name);
    if (!listed)
        return;
    m->listed = true;
    rf_model_take_listed(m, listed->facts, rf_list_day(list, m->arena));
}

/* What is known of it before the configuration speaks. */
static enum rf_code open_model(struct rf_model *m, const struct rf_known *k, struct rf_str provider,
                               struct rf_str model, struct rf_arena *a, struct rf_err *err)
{
    enum rf_code rc = rf_model_init(m, provider, model, a, err);
    if (rc)
        return rc;
    if (k->config)
        m->address = rf_moved_to(k->config, m->provider, a);
    if (!m->address.n) /* whoever answers elsewhere has prices of their own */
        rf_model_take_price(m);
    if (!k->config)
        return RF_OK;
    find_server(m, k->config);
    apply_list(m, &k->list);
    apply_learned(m, &k->learned);
    return RF_OK;
}

static const struct rf_config_model *own_entry(const struct rf_config *c, struct rf_str provider,
                                               struct rf_str model, struct rf_arena *a)
{
    return c ? rf_config_find(c, rf_strf(a, "%.*s:%.*s", RF_FMT(provider), RF_FMT(model))) : NULL;
}

/* What is said of the model under its own name holds under any other. */
static enum rf_code open_entry(struct rf_model *m, const struct rf_known *k,
                               const struct rf_config_model *entry, struct rf_arena *a,
                               struct rf_err *err)
{
    enum rf_code rc = open_model(m, k, entry->provider, entry->model, a, err);
    const struct rf_config_model *own = own_entry(k->config, entry->provider, entry->model, a);
    if (!rc && own && own != entry)
        rc = apply(m, own, ALL_OF_IT, err);
    return rc ? rc : apply(m, entry, ALL_OF_IT, err);
}

/* What is said of the model under its own name, which may have been typed in part. The user's
 * entries for the same model under names of their own count here too, a project's do not; a name
 * that was configured or is listed is not a mistake. */
static enum rf_code open_whole_name(struct rf_model *m, const struct rf_known *k,
                                    struct rf_str provider, struct rf_str model, struct rf_arena *a,
                                    struct rf_err *err)
{
    const struct rf_config *c = k->config;
    const struct rf_config_model *own = own_entry(c, provider, model, a);
    bool named = own != NULL;
    enum rf_code rc = open_model(m, k, provider, model, a, err);
    for (size_t i = 0; !rc && c && i < c->model_count; i++) {
        const struct rf_config_model *entry = &c->models[i];
        if (!rf_str_eq(entry->provider, provider) || !rf_str_eq(entry->model, model) ||
            entry == own || rf_config_is_projects(c, entry->place))
            continue;
        rc = apply(m, entry, FACTS_ALONE, err);
        named = true;
    }
    if (!rc && own)
        rc = apply(m, own, ALL_OF_IT, err);
    if (!rc && !named && !m->listed)
        m->meant = rf_model_meant(provider, model, a);
    if (!rc && c && !m->listed)
        m->question = rf_short_name_question(&k->list, provider, model, a);
    return rc;
}

enum rf_code rf_known_load(struct rf_known *k, const struct rf_config *c, struct rf_arena *a,
                           struct rf_err *err)
{
    *k = (struct rf_known){ .config = c };
    return c ? rf_learned_load(c, a, &k->learned, err) : RF_OK;
}

enum rf_code rf_known_open(const struct rf_known *k, struct rf_str name, struct rf_arena *a,
                           struct rf_model *m, struct rf_err *err)
{
    return open_whole_name(m, k, rf_str(k->list.row->provider), name, a, err);
}

static enum rf_code known_of(struct rf_known *k, const struct rf_config *c, struct rf_str provider,
                             struct rf_arena *a, struct rf_err *err)
{
    const struct rf_provider_row *row = rf_provider_row(provider);
    enum rf_code rc = rf_known_load(k, c, a, err);
    if (!rc && c && row)
        rf_list_recall(c, row, a, &k->list);
    return rc;
}

/* A name ends up in messages, in reports and in request bodies. */
static bool is_text(struct rf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return false;
    return rf_utf8_valid(s) == s.n;
}

/* A name that the project's file would give, if it was trusted. */
static bool is_withheld(const struct rf_config *c, struct rf_str name, struct rf_arena *a)
{
    struct rf_str entry = rf_str_join(a, RF_STR("models."), name);
    for (size_t i = 0; c && c->withholds && i < c->trust.count; i++)
        if (rf_str_eq(c->trust.asked[i].entry, entry))
            return true;
    return false;
}

static enum rf_code fail_unknown(const struct rf_config *c, struct rf_str name, struct rf_arena *a,
                                 struct rf_err *err)
{
    if (is_withheld(c, name, a)) {
        rf_fail(err, RF_EUSAGE, "model \"%.*s\" is named by ./.refract.yaml, which is not trusted",
                RF_FMT(name));
        rf_advise(err, RF_REASON_UNTRUSTED, "Look at what the file asks for, and trust it.");
    } else {
        rf_fail(err, RF_EUSAGE, "unknown model \"%.*s\"", RF_FMT(name));
        rf_hint_model(err, c, name);
    }
    return RF_EUSAGE;
}

static enum rf_code open_named(struct rf_model *m, const struct rf_config *c,
                               struct rf_str provider, struct rf_str model, struct rf_arena *a,
                               struct rf_err *err)
{
    struct rf_known k;
    enum rf_code rc = known_of(&k, c, provider, a, err);
    return rc ? rc : open_whole_name(m, &k, provider, model, a, err);
}

/* A name without its provider, or in part. */
static enum rf_code open_short(struct rf_model *m, const struct rf_config *c, struct rf_str name,
                               struct rf_arena *a, struct rf_err *err)
{
    struct rf_str provider, model;
    enum rf_code rc =
        is_withheld(c, name, a) ? RF_ENOTFOUND : rf_short_name(c, name, a, &provider, &model, err);
    if (!rc)
        rc = open_named(m, c, provider, model, a, err);
    if (!rc)
        m->shortened = true;
    return rc;
}

/* Is it the model of an entry, which knows its name? */
static bool is_configured(const struct rf_config *c, struct rf_str provider, struct rf_str model)
{
    for (size_t i = 0; c && i < c->model_count; i++)
        if (rf_str_eq(c->models[i].provider, provider) && rf_str_eq(c->models[i].model, model))
            return true;
    return false;
}

/* PROVIDER:MODEL, or PROVIDER:PART where the provider's list is kept. */
static enum rf_code open_listed(struct rf_model *m, const struct rf_config *c,
                                struct rf_str provider, struct rf_str model, struct rf_arena *a,
                                struct rf_err *err)
{
    struct rf_known k;
    enum rf_code rc = known_of(&k, c, provider, a, err);
    if (rc)
        return rc;
    struct rf_str whole =
        is_configured(c, provider, model) ? model : rf_short_name_listed(&k.list, model, a);
    rc = open_whole_name(m, &k, provider, whole.n ? whole : model, a, err);
    if (!rc)
        m->shortened = whole.n && !rf_str_eq(whole, model);
    return rc;
}

/* Some APIs have it as a part of a path, in which dots lead elsewhere. */
static bool is_name(struct rf_str model)
{
    return model.n && !rf_str_is(model, ".") && !rf_str_is(model, "..");
}

static enum rf_code find(struct rf_model *m, const struct rf_config *c, struct rf_str name,
                         struct rf_arena *a, struct rf_err *err)
{
    const struct rf_config_model *entry = c ? rf_config_find(c, name) : NULL;
    /* Another name leads to none of its kind, nor does one that stands for several. */
    while (entry && (entry->same_as.n || entry->any.count)) {
        name = entry->same_as.n ? entry->same_as : entry->any.names[0];
        entry = rf_config_find(c, name);
    }
    struct rf_str model = name, provider = RF_STR("");
    if (entry) {
        struct rf_known k;
        enum rf_code rc = known_of(&k, c, entry->provider, a, err);
        return rc ? rc : open_entry(m, &k, entry, a, err);
    }
    if (!is_text(name))
        return rf_fail(err, RF_EUSAGE, "the name of a model is UTF-8 without control characters");
    if (rf_model_is_provider(name))
        return open_named(m, c, name, name, a, err);
    rf_str_split(&model, ':', &provider);
    bool whole = provider.n < name.n;
    if (!rf_provider_row(provider)) {
        enum rf_code rc = open_short(m, c, name, a, err);
        if (rc != RF_ENOTFOUND)
            return rc;
    }
    if (!whole)
        return fail_unknown(c, name, a, err);
    if (!rf_provider_row(provider)) {
        rf_fail(err, RF_EUSAGE, "unknown provider \"%.*s\"", RF_FMT(provider));
        rf_hint_provider(err, provider);
        return RF_EUSAGE;
    }
    if (!is_name(model)) {
        rf_fail(err, RF_EUSAGE, "\"%.*s\" names no model", RF_FMT(name));
        rf_hint(err, "Put the model's name after the colon.");
        return RF_EUSAGE;
    }
    return open_listed(m, c, provider, model, a, err);
}

enum rf_code rf_model_open(const struct rf_config *config, const char *name, struct rf_model **out,
                           struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model *m = RF_NEW(a, struct rf_model);
    enum rf_code rc = find(m, config, rf_str(name), a, err);
    if (rc)
        rf_arena_free(a);
    else
        *out = m;
    return rc;
}

void rf_model_close(struct rf_model *m)
{
    struct rf_kept_model *kept = m ? m->kept : NULL;
    if (m)
        rf_arena_free(m->arena);
    rf_kept_model_drop(kept);
}
