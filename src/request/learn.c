/* From a refusal to a fact that the model and the file know. */
#include "base/arena.h"
#include "base/json_read.h"
#include "config/learned.h"
#include "model/facts.h"
#include "request/request.h"
#include "wire/lesson.h"

static enum rf_error_kind kind_of(const struct rf_jval *name)
{
    for (enum rf_error_kind k = RF_ERROR_NONE; name && k <= RF_ERROR_OTHER; k++)
        if (name->type == RF_JSTRING && rf_jval_is(name, rf_error_kind_name(k)))
            return k;
    return RF_ERROR_NONE;
}

static struct rf_str text_of(const struct rf_jval *v, struct rf_arena *a)
{
    return v && v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
}

static enum rf_code learn(struct rf_model *m, const struct rf_config *config, struct rf_str words,
                          const struct rf_lesson *lesson, size_t *fact, struct rf_err *err)
{
    struct rf_learned_fact f = {
        .provider = m->provider,
        .model = m->name,
        .fact = rf_str(lesson->fact),
        .value = rf_str(lesson->value),
        .date = rf_learned_today(m->arena),
        .words = rf_learned_quote(words, m->arena),
        .address = m->address,
    };
    if (rf_model_teach(m, f.fact, f.value, f.date, f.words, NULL))
        RF_BUG("a lesson that is not a fact");
    *fact = (size_t)(rf_fact_find(f.fact) - rf_facts);
    return config ? rf_learned_keep(config, &f, m, err) : RF_OK;
}

/* What a router said itself: rf_wire_judge puts what the endpoint behind it said after that. */
static struct rf_str outer_of(const struct rf_refusal *r, struct rf_arena *a)
{
    struct rf_str tail = rf_strf(a, ": %.*s", RF_FMT(r->inner));
    bool joined = r->inner.n && rf_str_ends(r->words, tail.p);
    return (struct rf_str){ r->words.p, r->words.n - (joined ? tail.n : 0) };
}

enum rf_code rf_refusal_learn(const struct rf_refusal *r, struct rf_model *m,
                              const struct rf_config *config, size_t *fact, struct rf_err *err)
{
    struct rf_str outer = outer_of(r, m->arena);
    struct rf_lesson lesson;
    *fact = rf_fact_count();
    if (rf_lesson_from(r->kind, outer, &lesson))
        return learn(m, config, outer, &lesson, fact, err);
    return rf_lesson_from(r->kind, r->inner, &lesson)
               ? learn(m, config, r->inner, &lesson, fact, err)
               : RF_OK;
}

/* The refusal in a reply that rf_decode_finish wrote. */
static void read_refusal(const struct rf_jval *reply, struct rf_arena *a, struct rf_refusal *out)
{
    const struct rf_jval *error = rf_jval_get(reply, "error");
    const struct rf_jval *metadata = rf_jval_get(rf_jval_get(reply, "extra"), "metadata");
    *out = (struct rf_refusal){
        .kind = kind_of(rf_jval_get(error, "kind")),
        .words = text_of(rf_jval_get(error, "message"), a),
        .inner = text_of(rf_jval_get(metadata, "raw"), a),
        .code = text_of(rf_jval_get(error, "code"), a),
        .place = text_of(rf_jval_get(error, "place"), a),
        .retry_after_ms = -1,
    };
}

enum rf_code rf_model_learn(struct rf_model *m, const struct rf_config *config, struct rf_str reply,
                            size_t *fact, struct rf_err *err)
{
    struct rf_arena *a = rf_arena_new();
    const struct rf_jval *root;
    struct rf_refusal refusal;
    *fact = rf_fact_count();
    enum rf_code rc = rf_jval_parse(reply, a, &root, err);
    if (rc) {
        rf_err_at(err, "the reply");
    } else {
        read_refusal(root, a, &refusal);
        rc = rf_refusal_learn(&refusal, m, config, fact, err);
    }
    rf_arena_free(a);
    return rc;
}
