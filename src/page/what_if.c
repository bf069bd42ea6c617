/* The same request for other models: planned and not sent. */
#include "page/what_if.h"
#include "page/kept.h"
#include "page/view.h"
#include "request/request.h"

#include <refract/models.h>
#include <refract/tokens.h>

#define MOST_MODELS 8 /* at once */

/* What is planned, and by what. */
struct what_if {
    const struct rf_conversation *conversation;
    const struct rf_setup *setup;
    const char *dialect; /* of the client, or NULL */
};

static enum rf_code build(struct rf_page_visit *v, const struct what_if *what,
                          const struct rf_model *m, struct rf_request **out, struct rf_err *err)
{
    struct rf_request_options *o =
        rf_translate_options(what->setup, what->dialect, m, NULL, v->arena);
    o->cancel_fd = v->stop_fd;
    return rf_request_build(what->conversation, m, o, out, err);
}

static void number(struct rf_json *w, const char *key, int64_t n)
{
    if (n >= 0)
        rf_json_int(w, key, n);
    else
        rf_json_null(w, key);
}

static void planned(struct rf_page_visit *v, struct rf_json *w, const struct rf_model *m,
                    struct rf_request *r)
{
    struct rf_tokens *tokens = rf_request_tokens(r);
    int64_t total = rf_tokens_total(tokens);
    rf_json_int(w, "tokens", total);
    rf_json_int(w, "context", rf_tokens_context(tokens));
    number(w, "cost_micros", rf_model_cost(m, total, 0)); /* the length of the answer is unknown */
    rf_json_int(w, "body_bytes", (int64_t)rf_request_length(r));
    rf_tokens_free(tokens);
    rf_view_model(w, "model_view", r, v->arena);
    rf_view_files(w, r);
}

static void plan(struct rf_page_visit *v, struct rf_json *w, const struct what_if *what,
                 struct rf_str name)
{
    struct rf_model *m = NULL;
    struct rf_request *r = NULL;
    struct rf_err err = { 0 };
    enum rf_code rc = rf_model_open(what->setup->config, rf_cstr(v->arena, name), &m, &err);
    if (!rc && rf_model_is_host(m))
        rc = rf_fail(&err, RF_EUSAGE, "\"%.*s\" cannot be asked", RF_FMT(name));
    if (!rc)
        rc = build(v, what, m, &r, &err);
    rf_json_obj(w, NULL);
    rf_json_str(w, "asked", name);
    if (m) {
        rf_json_str(w, "provider", rf_model_provider(m));
        rf_json_str(w, "model", rf_model_name(m));
    }
    if (rc)
        rf_json_str(w, "error", rf_page_words(v, &err));
    else
        planned(v, w, m, r);
    rf_json_end(w);
    rf_request_free(r);
    rf_model_close(m);
}

void rf_page_plans(struct rf_page_visit *v, const struct rf_conversation *c,
                   const struct rf_setup *setup, const char *dialect)
{
    const struct what_if what = { c, setup, dialect };
    struct rf_str models = rf_page_field(v, "models"), name;
    struct rf_json *w = rf_page_json(v);
    size_t count = 0;
    rf_json_arr(w, NULL);
    while (count < MOST_MODELS && rf_str_split(&models, ',', &name))
        if (rf_str_trim(name).n) {
            plan(v, w, &what, rf_str_trim(name));
            count++;
        }
    rf_json_end(w);
    rf_page_json_end(v, w);
}

void rf_page_what_if(struct rf_page_visit *v)
{
    struct rf_ring_entry e;
    struct rf_kept_exchange *k = rf_page_kept(v, &e);
    if (!k)
        return;
    const struct rf_conversation *c = rf_page_conversation(v, rf_page_translation(v, k, &e));
    if (c)
        rf_page_plans(v, c, k->setup, k->front.dialect);
    else
        rf_page_refuse(v, 404, RF_STR("this request cannot be read"));
    rf_page_done(k);
}

/* The models that can be named. */
void rf_page_models(struct rf_page_visit *v)
{
    struct rf_setup *setup = rf_setup_take(v->page->host->setups);
    struct rf_models *models = NULL;
    struct rf_err err = { 0 };
    if (rf_models_open(setup->config, &models, &err)) {
        rf_page_fail(v, &err);
    } else {
        struct rf_json *w = rf_page_json(v);
        rf_json_arr(w, NULL);
        for (size_t i = 0; i < rf_models_count(models); i++)
            if (!rf_models_get(models, i)->purpose.n)
                rf_json_str(w, NULL, rf_models_get(models, i)->name);
        rf_json_end(w);
        rf_page_json_end(v, w);
    }
    rf_models_close(models);
    rf_setup_drop(setup);
}
