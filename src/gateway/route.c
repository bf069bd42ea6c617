#include "gateway/route.h"

#include "base/arena.h"
#include "base/buf.h"
#include "config/short_names.h"
#include "content/content.h"
#include "model/price.h"
#include "model/providers.h"
#include "net/endpoint.h"
#include "send/offline.h"
#include "store/client_keys.h"

#include <refract/models.h>

#define MOST_NAMED 6 /* models that an error names */
#define MOST_WORDS 2000

/* Names */

/* The first rule whose pattern the name fits; or NULL. */
static const struct rf_config_rule *rule_for(const struct rf_config *c, struct rf_str asked)
{
    for (size_t i = 0; i < c->serve.rule_count; i++)
        if (rf_glob(c->serve.rules[i].match, asked))
            return &c->serve.rules[i];
    return NULL;
}

static bool is_whole(struct rf_str name)
{
    struct rf_str rest = name, provider;
    return name.n && memchr(name.p, ':', name.n) && rf_str_split(&rest, ':', &provider) &&
           rf_provider_row(provider);
}

/* The vendor's API that the client speaks, where its key allows that by name. */
static struct rf_str provider_for(const struct rf_config *c, const struct rf_wanted *w,
                                  struct rf_arena *a)
{
    struct rf_str provider = rf_short_name_provider(c, w->model);
    struct rf_str own = rf_short_name_sibling(c, provider, w->model, w->dialect, a);
    bool allowed = !w->key || rf_client_key_allows(w->key, w->model, own, w->model);
    return allowed ? own : provider;
}

static struct rf_str meant(const struct rf_setup *s, const struct rf_wanted *w, struct rf_arena *a)
{
    const struct rf_config *c = s->config;
    struct rf_str asked = w->model;
    if (s->upstream)
        return rf_str(s->upstream);
    if (is_whole(asked) || (c && rf_config_find(c, asked)))
        return asked;
    const struct rf_config_rule *rule = c ? rule_for(c, asked) : NULL;
    if (rule)
        return rule->model;
    struct rf_str provider = provider_for(c, w, a);
    if (!provider.n)
        provider = rf_str(w->provider);
    return provider.n ? rf_strf(a, "%.*s:%.*s", RF_FMT(provider), RF_FMT(asked)) : asked;
}

/* One of several */

#define HASHED 4096 /* bytes of each text by which conversations are told apart */

/* FNV-1a: it spreads, and need not keep anybody from choosing. */
static uint64_t hash(uint64_t h, struct rf_str s)
{
    for (size_t i = 0; i < s.n && i < HASHED; i++)
        h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3;
    return h;
}

static uint64_t beginning(const struct rf_conversation *c)
{
    uint64_t h = 0xcbf29ce484222325;
    if (!c)
        return h;
    h = hash(h, c->system);
    for (size_t i = 0; c->message_count && i < c->messages[0].block_count; i++)
        h = hash(h, c->messages[0].blocks[i].text);
    return h;
}

static uint64_t weight_of(const struct rf_config *c, struct rf_str name)
{
    const struct rf_config_model *m = rf_config_find(c, name);
    return m && m->weight ? (uint64_t)m->weight : 1;
}

static void add(struct rf_route *r, struct rf_str name, struct rf_arena *a)
{
    *RF_PUSH(a, r->names, r->count, r->cap) = name;
}

/* All of them, each drawn by its weight from those that are left. */
static void add_any(struct rf_route *r, const struct rf_config *c,
                    const struct rf_config_names *any, const struct rf_conversation *said,
                    struct rf_arena *a)
{
    uint64_t seed = beginning(said);
    struct rf_str *left = RF_ARRAY(a, struct rf_str, any->count);
    memcpy(left, any->names, any->count * sizeof *left);
    for (size_t n = any->count; n > 0; n--) {
        uint64_t all = 0, drawn;
        size_t i = 0;
        for (size_t k = 0; k < n; k++)
            all += weight_of(c, left[k]);
        seed = hash(seed, RF_STR("next"));
        for (drawn = (seed >> 16) % all; drawn >= weight_of(c, left[i]); i++)
            drawn -= weight_of(c, left[i]);
        add(r, left[i], a);
        memmove(left + i, left + i + 1, (n - 1 - i) * sizeof *left);
    }
}

static const struct rf_config_model *entry_of(const struct rf_config *c, struct rf_str name)
{
    const struct rf_config_model *m = c ? rf_config_find(c, name) : NULL;
    return m && m->same_as.n ? rf_config_find(c, m->same_as) : m;
}

static void add_name(struct rf_route *r, const struct rf_config *c, struct rf_str name,
                     const struct rf_conversation *said, struct rf_arena *a)
{
    const struct rf_config_model *m = entry_of(c, name);
    if (m && m->any.count)
        add_any(r, c, &m->any, said, a);
    else
        add(r, name, a);
}

bool rf_route_takes_all(const struct rf_setup *s)
{
    return s->upstream || (s->config && rule_for(s->config, RF_STR("")));
}

/* Without those that all requests may go to. */
static void add_alone(struct rf_route *r, const struct rf_setup *s, struct rf_str name,
                      const struct rf_conversation *said, struct rf_arena *a)
{
    const struct rf_config_model *m = entry_of(s->config, name);
    add_name(r, s->config, name, said, a);
    for (size_t i = 0; m && i < m->fallback.count; i++)
        add_name(r, s->config, m->fallback.names[i], said, a);
}

/* A name, with those that answer where it does not. */
static void add_route(struct rf_route *r, const struct rf_setup *s, struct rf_str name,
                      const struct rf_conversation *said, struct rf_arena *a)
{
    add_alone(r, s, name, said, a);
    for (size_t i = 0; s->upstream && i < s->spare_count; i++)
        add_alone(r, s, rf_str(s->spares[i]), said, a);
}

enum rf_code rf_route_find(const struct rf_setup *s, const struct rf_wanted *w, struct rf_arena *a,
                           struct rf_route *out, struct rf_err *err)
{
    *out = (struct rf_route){ 0 };
    if (!w->model.n && !rf_route_takes_all(s))
        return rf_fail(err, RF_ENOTFOUND, "the request does not name a model");
    if (!s->upstream && w->model.n && memchr(w->model.p, '\0', w->model.n))
        return rf_fail(err, RF_ENOTFOUND, "the name of the model has a byte that no name has");
    add_route(out, s, meant(s, w, a), w->conversation, a);
    return RF_OK;
}

/* Models */

/* Is there what it takes to ask it? */
static enum rf_code check(const struct rf_setup *s, const struct rf_model *m, struct rf_arena *a,
                          struct rf_err *err)
{
    if (rf_model_is_host(m))
        return rf_fail(err, RF_EUSAGE, "\"%.*s\" cannot be asked", RF_FMT(m->name));
    if (!rf_offline_is(m))
        return rf_endpoint_check(s->config, m, a, err);
    return s->offline.answer ? RF_OK
                             : rf_fail(err, RF_ECONFIG, "there is no model \"offline\" here");
}

static enum rf_code open_checked(const struct rf_setup *s, struct rf_str name, struct rf_arena *a,
                                 struct rf_model **out, struct rf_err *err)
{
    struct rf_model *m = NULL;
    enum rf_code rc = rf_model_open(s->config, rf_cstr(a, name), &m, err);
    if (!rc)
        rc = check(s, m, a, err);
    if (rc)
        rf_model_close(m);
    else
        *out = m;
    return rc;
}

enum rf_code rf_route_open(const struct rf_setup *s, struct rf_str name, struct rf_arena *a,
                           struct rf_model **out, struct rf_err *err)
{
    *out = rf_model_recall(s->models, name);
    if (*out)
        return RF_OK;
    enum rf_code rc = open_checked(s, name, a, out, err);
    if (!rc)
        *out = rf_model_keep(s->models, name, *out);
    return rc;
}

/* Can one of those be asked that answer under this name? */
static enum rf_code check_name(const struct rf_setup *s, struct rf_str name, struct rf_arena *a,
                               struct rf_err *err)
{
    struct rf_route r = { 0 };
    struct rf_model *m;
    add_alone(&r, s, name, NULL, a);
    enum rf_code rc = open_checked(s, r.names[0], a, &m, err);
    for (size_t i = 1; rc && i < r.count; i++)
        rc = open_checked(s, r.names[i], a, &m, NULL) ? rc : RF_OK;
    if (!rc)
        rf_model_close(m);
    return rc;
}

enum rf_code rf_route_check(const struct rf_setup *s, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    enum rf_code rc = s->upstream ? check_name(s, rf_str(s->upstream), a, err) : RF_OK;
    for (size_t i = 0; !rc && i < s->spare_count; i++)
        rc = check_name(s, rf_str(s->spares[i]), a, err);
    rf_arena_free(a);
    return rc;
}

/* Names that work */

/* Is a model of the route there, and is the key for it? `*paid`: the key can pay for it. */
static bool is_answered(const struct rf_setup *s, const struct rf_wanted *w, struct rf_str target,
                        const struct rf_usable *known, struct rf_arena *a, bool *paid)
{
    const struct rf_client_key *k = w->key;
    struct rf_model *m;
    *paid = !k || !k->budget_micros || (known && known->price_input && known->price_output);
    if (known && *paid)
        return !k || rf_client_key_allows(k, w->model, known->provider, known->model);
    if (rf_route_open(s, target, a, &m, NULL))
        return false;
    bool allowed = !k || rf_client_key_allows(k, w->model, m->provider, m->name);
    *paid = *paid || rf_price_is_known(&m->caps);
    rf_model_close(m);
    return allowed;
}

bool rf_route_can_ask(const struct rf_setup *s, const struct rf_wanted *w,
                      const struct rf_route_known *known, struct rf_arena *a)
{
    struct rf_route route;
    bool paid = false;
    if (rf_route_find(s, w, a, &route, NULL))
        return false;
    for (size_t i = 0; i < route.count; i++) {
        struct rf_str target = route.names[i];
        const struct rf_usable *m = known ? known->find(known->ctx, target) : NULL;
        if (is_answered(s, w, target, m, a, &paid))
            return paid;
    }
    return false;
}

static void name_one(const struct rf_setup *s, const struct rf_wanted *w, struct rf_str name,
                     size_t *count, struct rf_buf *out)
{
    struct rf_wanted other = *w;
    other.model = name;
    if (*count < MOST_NAMED && rf_route_can_ask(s, &other, NULL, out->arena))
        rf_buf_addf(out, "%s%.*s", (*count)++ ? ", " : ". Names that work here: ", RF_FMT(name));
}

/* Some of the configuration, and a model of each provider that a key is there for. */
static void name_some(const struct rf_setup *s, const struct rf_wanted *w, struct rf_buf *out)
{
    const struct rf_config *c = s->config;
    struct rf_usual *usual = rf_usual_find(c);
    size_t count = 0;
    for (size_t i = 0; c && i < c->model_count; i++)
        name_one(s, w, c->models[i].name, &count, out);
    for (size_t i = 0; i < rf_usual_count(usual); i++)
        name_one(s, w, rf_str(rf_usual_model(usual, i)), &count, out);
    rf_usual_free(usual);
    if (!count && w->key && w->key->models.n)
        rf_buf_addf(out, ". The key is for %.*s", RF_FMT(w->key->models));
    if (count)
        rf_buf_addf(out, "; a GET of /v1/models has all.");
}

/* More sentences follow. */
static struct rf_str without_stop(const char *words)
{
    struct rf_str s = rf_str(words);
    return (struct rf_str){ s.p, s.n && s.p[s.n - 1] == '.' ? s.n - 1 : s.n };
}

struct rf_str rf_route_unknown(const struct rf_setup *s, const struct rf_wanted *w,
                               const struct rf_err *err, struct rf_arena *a)
{
    struct rf_str words = rf_str_dup(a, rf_str(err->msg));
    struct rf_buf b;
    rf_buf_init(&b, a, MOST_WORDS);
    rf_buf_add(&b, without_stop(err->msg));
    if (!w->key && err->hint[0])
        rf_buf_addf(&b, ". %.*s", RF_FMT(without_stop(err->hint)));
    if (!s->upstream)
        name_some(s, w, &b);
    (void)!rf_buf_finish(&b, &words, NULL); /* too many: those of the failure alone */
    return words;
}
