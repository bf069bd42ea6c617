/* Finding a model's rows and applying them, weakest first. */
#include "model/model.h"

#include "base/arena.h"
#include "base/buf.h"
#include "model/catalogue.h"
#include "model/facts.h"
#include "model/providers.h"

/* The rows of the catalogue, then those of hosts; NULL after the last. */
static const struct rf_row *row_at(size_t i)
{
    return i < rf_catalogue_count                  ? &rf_catalogue[i]
           : i < rf_catalogue_count + rf_host_rows ? &rf_hosts[i - rf_catalogue_count]
                                                   : NULL;
}

static bool is_endpoint_row(const struct rf_row *row)
{
    return strcmp(row->pattern, "*") == 0;
}

/* How much of a pattern is said out loud; a name without stars beats all. */
static size_t specificity(const char *pattern)
{
    size_t letters = 0;
    bool exact = true;
    for (; *pattern; pattern++) {
        if (*pattern == '*')
            exact = false;
        else
            letters++;
    }
    return letters + (exact ? 1000 : 0);
}

static const struct rf_row *endpoint_row(struct rf_str provider)
{
    const struct rf_row *row;
    for (size_t i = 0; (row = row_at(i)); i++)
        if (rf_str_is(provider, row->provider) && is_endpoint_row(row))
            return row;
    return NULL;
}

static const struct rf_row *family_row(struct rf_str provider, struct rf_str name)
{
    const struct rf_row *best = NULL, *row;
    for (size_t i = 0; (row = row_at(i)); i++) {
        if (!rf_str_is(provider, row->provider) || is_endpoint_row(row) ||
            !rf_glob(rf_str(row->pattern), name))
            continue;
        if (!best || specificity(row->pattern) > specificity(best->pattern))
            best = row;
    }
    return best;
}

/* `f` is what rf_fact_find has of the name. */
static enum rf_code store(struct rf_model *m, const struct rf_fact *f, struct rf_str fact,
                          struct rf_str value, enum rf_fact_source source, struct rf_err *err)
{
    if (!f) {
        enum rf_code rc = rf_fail(err, RF_ECONFIG, "there is no fact \"%.*s\"", RF_FMT(fact));
        rf_advise(err, RF_REASON_UNKNOWN_FACT, "Check the fact's name.");
        return rc;
    }
    enum rf_code rc = rf_fact_store(f, value, m->arena, &m->caps, err);
    if (!rc)
        m->sources[f - rf_facts] = source;
    return rc;
}

/* Is it the catalogue that says so, or nobody? */
static bool is_built_in(const struct rf_model *m, const struct rf_fact *f)
{
    enum rf_fact_source source = f ? m->sources[f - rf_facts] : RF_FACT_UNKNOWN;
    return source == RF_FACT_UNKNOWN || source == RF_FACT_BUILTIN || source == RF_FACT_CATALOGUE;
}

static enum rf_code apply_facts(struct rf_model *m, const char *facts, enum rf_fact_source source,
                                struct rf_err *err)
{
    struct rf_str rest = rf_str(facts), pair, name;
    enum rf_code rc = RF_OK;
    while (!rc && rf_str_split(&rest, ' ', &pair)) {
        rf_str_split(&pair, '=', &name);
        const struct rf_fact *f = rf_fact_find(name);
        if (name.n && is_built_in(m, f))
            rc = store(m, f, name, pair, source, err);
    }
    return rc;
}

static enum rf_code apply_surface(struct rf_model *m, struct rf_err *err)
{
    const struct rf_caps *c = &m->caps;
    for (size_t i = 0; i < rf_surface_count; i++)
        if (rf_str_is(c->server, rf_surfaces[i].server) &&
            rf_str_is(c->dialect, rf_surfaces[i].dialect))
            return apply_facts(m, rf_surfaces[i].facts, RF_FACT_CATALOGUE, err);
    return RF_OK;
}

/* A program has its own ways with the APIs of others, over what those rows say. */
enum rf_code rf_model_set(struct rf_model *m, struct rf_str fact, struct rf_str value,
                          enum rf_fact_source source, struct rf_err *err)
{
    enum rf_code rc = store(m, rf_fact_find(fact), fact, value, source, err);
    return rc || !rf_str_is(fact, "server") ? rc : apply_surface(m, err);
}

static enum rf_code teach(struct rf_model *m, struct rf_str fact, struct rf_str value,
                          enum rf_fact_source source, struct rf_str date, struct rf_str words,
                          struct rf_err *err)
{
    const struct rf_fact *f = rf_fact_find(fact);
    enum rf_fact_source had = f ? m->sources[f - rf_facts] : RF_FACT_UNKNOWN;
    if (had == RF_FACT_OVERRIDE || (had == RF_FACT_LEARNED && source == RF_FACT_DESCRIBED))
        return RF_OK;
    enum rf_code rc = rf_model_set(m, fact, value, source, err);
    if (rc)
        return rc;
    if (!m->taught)
        m->taught = RF_ARRAY(m->arena, struct rf_taught, rf_fact_count());
    m->taught[f - rf_facts] = (struct rf_taught){
        rf_str_dup(m->arena, date),
        rf_str_dup(m->arena, words),
    };
    return RF_OK;
}

enum rf_code rf_model_teach(struct rf_model *m, struct rf_str fact, struct rf_str value,
                            struct rf_str date, struct rf_str words, struct rf_err *err)
{
    return teach(m, fact, value, RF_FACT_LEARNED, date, words, err);
}

enum rf_code rf_model_describe(struct rf_model *m, struct rf_str fact, struct rf_str value,
                               struct rf_str date, struct rf_str words, struct rf_err *err)
{
    m->described = rf_str_dup(m->arena, date);
    return teach(m, fact, value, RF_FACT_DESCRIBED, date, words, err);
}

void rf_model_date(struct rf_model *m, struct rf_str fact, struct rf_str value, struct rf_str date)
{
    if (teach(m, fact, value, RF_FACT_CATALOGUE, date, RF_STR(""), NULL))
        RF_BUG("a price of the catalogue that makes no sense");
}

void rf_model_take_listed(struct rf_model *m, struct rf_str facts, struct rf_str date)
{
    struct rf_str pair, name;
    while (rf_str_split(&facts, ' ', &pair)) {
        rf_str_split(&pair, '=', &name);
        teach(m, name, pair, RF_FACT_LISTED, date, RF_STR(""), NULL);
    }
}

enum rf_code rf_model_init(struct rf_model *m, struct rf_str provider, struct rf_str name,
                           struct rf_arena *a, struct rf_err *err)
{
    const struct rf_row *endpoint = endpoint_row(provider);
    if (!endpoint)
        return rf_fail(err, RF_EUSAGE, "unknown provider \"%.*s\"", RF_FMT(provider));
    const struct rf_row *family = family_row(provider, name);
    *m = (struct rf_model){
        .arena = a,
        .provider = rf_str_dup(a, provider),
        .name = rf_str_dup(a, name),
        .known = family != NULL,
        .family = family ? rf_str(family->pattern) : RF_STR(""),
        .sources = RF_ARRAY(a, enum rf_fact_source, rf_fact_count()),
    };
    enum rf_code rc = apply_facts(m, endpoint->facts, RF_FACT_BUILTIN, err);
    if (!rc && family)
        rc = apply_facts(m, family->facts, RF_FACT_CATALOGUE, err);
    return rc;
}

bool rf_caps_thinks_when_asked(const struct rf_caps *c)
{
    return c->thinking != RF_THINKING_NONE && c->thinking != RF_THINKING_NO &&
           c->thinking != RF_THINKING_ALWAYS;
}

enum rf_replay rf_caps_replay(const struct rf_caps *c)
{
    return c->thinking == RF_THINKING_NO ? RF_REPLAY_NONE : c->replay;
}

bool rf_mime_in(struct rf_str list, struct rf_str mime)
{
    struct rf_str pattern;
    while (rf_str_split(&list, ',', &pattern))
        if (rf_glob(rf_str_trim(pattern), mime))
            return true;
    return false;
}

/* " by URL or file id", of what is not taken as bytes. */
static const char *way_words(const struct rf_caps *c, enum rf_kind kind)
{
    unsigned bit = 1u << kind;
    bool url = c->url_user & bit, id = c->file_id_user & bit;
    if (!(c->reference_only & bit))
        return "";
    return url && id ? " by URL or file id" : id ? " by file id" : " by URL";
}

/* What is taken where it is said, or else in results alone. */
static struct rf_str types_taken(const struct rf_caps *c, unsigned kind)
{
    return c->user[kind].n ? c->user[kind] : c->inside[kind];
}

/* "images (png, jpeg)": the subtypes, where they are short enough to tell. */
static void add_kind_words(struct rf_buf *b, const struct rf_caps *c, enum rf_kind kind)
{
    static const char *const names[RF_KIND_COUNT] = {
        "", "images", "PDF", "text files", "office files", "audio", "video",
    };
    struct rf_str list = types_taken(c, kind), mime, major;
    rf_buf_addf(b, "%s%s%s", b->n ? ", " : "", names[kind], way_words(c, kind));
    if (kind != RF_KIND_IMAGE && kind != RF_KIND_AUDIO && kind != RF_KIND_VIDEO)
        return;
    for (unsigned i = 0; rf_str_split(&list, ',', &mime); i++) {
        rf_str_split(&mime, '/', &major);
        rf_buf_addf(b, "%s%.*s", i ? ", " : " (", RF_FMT(mime.n ? mime : major));
    }
    rf_buf_addc(b, ')');
}

struct rf_str rf_caps_words(const struct rf_caps *c, struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str out = { 0 };
    rf_buf_init(&b, a, 1024);
    for (unsigned k = RF_KIND_IMAGE; k < RF_KIND_COUNT; k++)
        if (c->takes[k] && types_taken(c, k).n)
            add_kind_words(&b, c, (enum rf_kind)k);
    if (!b.n)
        return RF_STR("text only");
    rf_buf_addf(&b, " and text");
    return rf_buf_finish(&b, &out, NULL) ? RF_STR("several kinds of files and text") : out;
}

struct rf_str rf_model_provider(const struct rf_model *m)
{
    return m->provider;
}

struct rf_str rf_model_name(const struct rf_model *m)
{
    return m->name;
}

struct rf_str rf_model_family(const struct rf_model *m)
{
    return m->family;
}

struct rf_str rf_model_fact(struct rf_model *m, size_t fact)
{
    return fact < rf_fact_count() ? rf_fact_text(&rf_facts[fact], &m->caps, m->arena) : RF_STR("");
}

enum rf_fact_source rf_model_fact_source(const struct rf_model *m, size_t fact)
{
    return fact < rf_fact_count() ? m->sources[fact] : RF_FACT_UNKNOWN;
}

static struct rf_taught taught(const struct rf_model *m, size_t fact)
{
    enum rf_fact_source source = rf_model_fact_source(m, fact);
    bool dated =
        m->taught && fact < rf_fact_count() && source != RF_FACT_OVERRIDE && m->taught[fact].date.n;
    return dated ? m->taught[fact] : (struct rf_taught){ RF_STR(""), RF_STR("") };
}

struct rf_str rf_model_fact_date(const struct rf_model *m, size_t fact)
{
    return taught(m, fact).date;
}

struct rf_str rf_model_fact_words(const struct rf_model *m, size_t fact)
{
    return taught(m, fact).words;
}

bool rf_model_was_short(const struct rf_model *m)
{
    return m->shortened;
}

struct rf_str rf_model_meant_name(const struct rf_model *m)
{
    return m->meant;
}

void rf_model_set_problem(struct rf_model *m, const struct rf_err *problem)
{
    m->problem = NULL; /* that of a copy is the original's */
    if (problem->code)
        RF_ERR_COPY(m->arena, m->problem, problem);
}

const struct rf_err *rf_model_problem(const struct rf_model *m)
{
    return m->problem;
}

const char *rf_fact_source_name(enum rf_fact_source source)
{
    static const char *const names[] = {
        [RF_FACT_UNKNOWN] = "unknown",     [RF_FACT_BUILTIN] = "built-in",
        [RF_FACT_CATALOGUE] = "catalogue", [RF_FACT_LEARNED] = "learned",
        [RF_FACT_OVERRIDE] = "override",   [RF_FACT_DESCRIBED] = "described",
        [RF_FACT_LISTED] = "listed",
    };
    return names[source];
}

static size_t count_rows(bool endpoints)
{
    size_t n = 0;
    for (size_t i = 0; i < rf_catalogue_count; i++)
        n += is_endpoint_row(&rf_catalogue[i]) == endpoints;
    return n;
}

static const struct rf_row *nth_row(bool endpoints, size_t index)
{
    for (size_t i = 0; i < rf_catalogue_count; i++)
        if (is_endpoint_row(&rf_catalogue[i]) == endpoints && index-- == 0)
            return &rf_catalogue[i];
    return NULL;
}

size_t rf_provider_count(void)
{
    return count_rows(true);
}

const char *rf_provider_name(size_t i)
{
    const struct rf_row *row = nth_row(true, i);
    return row ? row->provider : NULL;
}

size_t rf_family_count(void)
{
    return count_rows(false);
}

const char *rf_family_provider(size_t i)
{
    const struct rf_row *row = nth_row(false, i);
    return row ? row->provider : NULL;
}

const char *rf_family_pattern(size_t i)
{
    const struct rf_row *row = nth_row(false, i);
    return row ? row->pattern : NULL;
}

size_t rf_host_count(void)
{
    return rf_host_rows - 1; /* without the row for all of them */
}

const char *rf_host_name(size_t i)
{
    return i < rf_host_count() ? rf_hosts[i + 1].pattern : NULL;
}

bool rf_model_is_host(const struct rf_model *m)
{
    return rf_provider_row(m->provider)->host;
}
