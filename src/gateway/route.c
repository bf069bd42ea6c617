#include "gateway/route.h"

#include "base/arena.h"
#include "base/buf.h"
#include "config/short_names.h"
#include "net/endpoint.h"
#include "send/offline.h"

#define MOST_NAMED 6 /* models that an error names */
#define MOST_WORDS 2000

/* Names that work: those of the configuration, and a model of each provider that a key is there
 * for. */
static void name_some(const struct rf_gateway_options *o, struct rf_buf *out)
{
    const struct rf_config *c = o->config;
    struct rf_usual *usual = rf_usual_find(c);
    size_t count = 0;
    for (size_t i = 0; c && i < c->model_count && count < MOST_NAMED; i++)
        rf_buf_addf(out, "%s%.*s", count++ ? ", " : "", RF_FMT(c->models[i].name));
    for (size_t i = 0; i < rf_usual_count(usual) && count < MOST_NAMED; i++)
        rf_buf_addf(out, "%s%s", count++ ? ", " : "", rf_usual_model(usual, i));
    rf_usual_free(usual);
}

static enum rf_code fail_unknown(const struct rf_gateway_options *o, const struct rf_err *err,
                                 struct rf_arena *a, struct rf_str *why)
{
    *why = rf_str_dup(a, rf_str(err->msg));
    struct rf_buf b;
    rf_buf_init(&b, a, MOST_WORDS);
    rf_buf_addf(&b, "%s. %s%sNames that work here: ", err->msg, err->hint, err->hint[0] ? " " : "");
    name_some(o, &b);
    rf_buf_addf(&b, "; a GET of /v1/models has all.");
    (void)!rf_buf_finish(&b, why, NULL); /* too many words: those of the failure alone */
    return RF_ENOTFOUND;
}

static const char *whole_name(const struct rf_config *c, struct rf_str asked, struct rf_arena *a)
{
    struct rf_str provider = RF_STR("");
    if (!c || !rf_config_find(c, asked))
        provider = rf_short_name_provider(c, asked);
    return provider.n ? rf_strf(a, "%.*s:%.*s", RF_FMT(provider), RF_FMT(asked)).p
                      : rf_cstr(a, asked);
}

/* Is there what it takes to ask it? */
static enum rf_code check(const struct rf_gateway_options *o, const struct rf_model *m,
                          struct rf_arena *a, struct rf_err *err)
{
    if (rf_model_is_host(m))
        return rf_fail(err, RF_EUSAGE, "\"%.*s\" cannot be asked", RF_FMT(m->name));
    if (!rf_offline_is(m))
        return rf_endpoint_check(o->config, m, a, err);
    return o->offline.answer ? RF_OK
                             : rf_fail(err, RF_ECONFIG, "there is no model \"offline\" here");
}

enum rf_code rf_route_open(const struct rf_gateway_options *o, struct rf_str asked,
                           struct rf_arena *a, struct rf_model **out, struct rf_str *why)
{
    struct rf_err err = { 0 };
    struct rf_model *m = NULL;
    bool text = asked.n && !memchr(asked.p, '\0', asked.n);
    if (!o->upstream && !text) {
        rf_fail(&err, RF_EUSAGE, "the request does not name a model");
        return fail_unknown(o, &err, a, why);
    }
    const char *name = o->upstream ? o->upstream : whole_name(o->config, asked, a);
    enum rf_code rc = rf_model_open(o->config, name, &m, &err);
    if (!rc)
        rc = check(o, m, a, &err);
    if (!rc) {
        *out = m;
        return RF_OK;
    }
    rf_model_close(m);
    if (rc == RF_EUSAGE || rc == RF_ENOTFOUND || rc == RF_ECONFIG)
        return fail_unknown(o, &err, a, why);
    *why = rf_str_dup(a, rf_str(err.msg));
    return rc;
}
