#include "gateway/translate.h"

#include "agent/heal/heal.h"
#include "base/arena.h"
#include "base/json_write.h"
#include "gateway/route.h"
#include "request/request.h"
#include "wire/wire.h"

#include <refract/tokens.h>

#include <inttypes.h>

/* Faults */

static bool fault(struct rf_translation *t, enum rf_error_kind kind, struct rf_str words)
{
    t->fault = (struct rf_fault){ .kind = kind,
                                  .status = kind == RF_ERROR_OTHER ? 500 : 0, /* our own */
                                  .words = words,
                                  .retry_after_ms = -1 };
    return false;
}

/* The words of a failure, and what to do about it. */
static struct rf_str words_of(const struct rf_err *err, struct rf_arena *a)
{
    return rf_strf(a, "%s%s%s", err->msg, err->hint[0] ? ". " : "", err->hint);
}

static bool fault_by_code(struct rf_translation *t, enum rf_code rc, const struct rf_err *err)
{
    enum rf_error_kind kind = rc == RF_ELIMIT                             ? RF_ERROR_TOO_LARGE
                              : rc == RF_EFORMAT || rc == RF_EUNSUPPORTED ? RF_FAULT_INVALID
                                                                          : RF_ERROR_OTHER;
    return fault(t, kind, words_of(err, t->arena));
}

struct rf_fault rf_fault_of_refusal(const struct rf_refusal *r, struct rf_arena *a)
{
    bool ours = r->kind == RF_ERROR_AUTHENTICATION || r->kind == RF_ERROR_PERMISSION;
    bool other = r->kind == RF_ERROR_OTHER || r->kind == RF_ERROR_NONE;
    bool theirs = other && r->status >= 400 && r->status < 500;
    struct rf_fault f = { .kind = theirs          ? RF_FAULT_INVALID
                                  : ours || other ? RF_ERROR_OTHER
                                                  : r->kind,
                          .words = rf_str_dup(a, r->words),
                          .code = ours || theirs ? RF_STR("") : rf_str_dup(a, r->code),
                          .retry_after_ms = r->retry_after_ms };
    if (ours)
        f.words = rf_strf(a, "the gateway's key for this model was refused: %.*s", RF_FMT(f.words));
    if (!f.words.n)
        f.words = rf_strf(a, "the model's provider refused the request with status %d", r->status);
    return f;
}

/* The request */

/* Gemini's countTokens may have the request in a member. */
static const struct rf_jval *request_in(const struct rf_jval *body)
{
    const struct rf_jval *inner = rf_jval_get(body, "generateContentRequest");
    return inner && inner->type == RF_JOBJECT ? inner : body;
}

static bool read_body(struct rf_translation *t)
{
    struct rf_err err = { 0 };
    const struct rf_jval *body;
    const struct rf_dialect *dialect = rf_dialect_find(rf_str(t->front.dialect));
    enum rf_code rc = rf_jval_parse(t->body, t->arena, &body, &err);
    if (!rc && body->type != RF_JOBJECT)
        rc = rf_fail(&err, RF_EFORMAT, "the body is %s, and must be a JSON object",
                     rf_jtype_name(body->type));
    if (rc)
        return fault_by_code(t, rc, &err);
    if (t->front.operation == RF_OPERATION_COUNT)
        body = request_in(body);
    t->conversation = RF_NEW(t->arena, struct rf_conversation);
    rc = rf_conversation_take(dialect, body, t->arena, t->conversation, &err);
    if (rc)
        return fault_by_code(t, rc, &err);
    const struct rf_jval *model = rf_jval_get(body, "model");
    if (t->front.model.n)
        t->asked = t->front.model;
    else if (model && model->type == RF_JSTRING)
        t->asked = rf_jval_text(model, t->arena);
    t->streams = !t->front.as_list &&
                 (t->front.operation == RF_OPERATION_STREAM || t->conversation->options.stream);
    t->conversation->options.stream = t->streams;
    return true;
}

static bool find_model(struct rf_translation *t)
{
    struct rf_str why;
    enum rf_code rc = rf_route_open(t->gateway, t->asked, t->arena, &t->model, &why);
    return !rc || fault(t, rc == RF_ENOTFOUND ? RF_ERROR_NOT_FOUND : RF_ERROR_OTHER, why);
}

/* Clients have our names for models: what one said under it is its own, thoughts and all. */
static bool name_origins(struct rf_translation *t)
{
    for (size_t i = 0; i < t->conversation->message_count; i++) {
        struct rf_message *m = &t->conversation->messages[i];
        if (rf_str_eq(m->origin_model, t->asked))
            m->origin_model = t->model->name;
    }
    return true;
}

static bool read_request(struct rf_translation *t)
{
    return read_body(t) && find_model(t) && name_origins(t);
}

/* What became of the files, and what else of the request was left out. */
static void explain(struct rf_translation *t)
{
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(t->arena, struct rf_json);
    rf_rope_init(&rope, t->arena);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    rf_json_arr(w, "deliveries");
    for (size_t i = 0; i < rf_report_count(t->request); i++)
        rf_json_raw(w, NULL, rf_report_json(t->request, i));
    rf_json_end(w);
    rf_json_arr(w, "notices");
    for (size_t i = 0; i < rf_notice_count(t->request); i++)
        rf_json_str(w, NULL, rf_notice(t->request, i));
    rf_json_end(w);
    rf_json_end(w);
    if (rf_json_finish(w, NULL) || rf_rope_flatten(&rope, SIZE_MAX, t->arena, &t->report, NULL))
        RF_BUG("a report in memory could not be written");
}

/* Another API's words have no paths; the root is there so that none ever counts. */
bool rf_translate_anew(struct rf_translation *t, int stop_fd)
{
    struct rf_err err = { 0 };
    struct rf_request_options *o = rf_request_options_new();
    const struct rf_config *config = t->gateway->config;
    rf_request_options_root(o, "/nonexistent");
    if (config)
        rf_request_options_configure(o, config);
    if (config && rf_config_cache_folder(config))
        rf_request_options_cache(o, rf_config_cache_folder(config));
    if (t->heal)
        rf_heal_apply(t->heal, o);
    o->cancel_fd = stop_fd;
    rf_request_free(t->request);
    t->request = NULL;
    enum rf_code rc = rf_request_build(t->conversation, t->model, o, &t->request, &err);
    rf_request_options_free(o);
    if (rc)
        return fault_by_code(t, rc, &err);
    if (t->explains)
        explain(t);
    return true;
}

static void count(struct rf_translation *t)
{
    static const struct {
        const char *dialect, *member;
    } rows[] = { { "anthropic", "input_tokens" }, { "gemini", "totalTokens" } };
    struct rf_tokens *tokens = rf_request_tokens(t->request);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].dialect, t->front.dialect) == 0)
            t->text = rf_strf(t->arena, "{\"%s\":%" PRId64 "}\n", rows[i].member,
                              rf_tokens_total(tokens));
    rf_tokens_free(tokens);
}

static void list(struct rf_translation *t)
{
    struct rf_err err = { 0 };
    enum rf_code rc = rf_route_list(t->gateway, t->front.dialect, t->arena, &t->text, &err);
    if (rc)
        fault_by_code(t, rc, &err);
}

void rf_translate(struct rf_translation *t, int stop_fd)
{
    switch (t->front.operation) {
    case RF_OPERATION_GENERATE:
    case RF_OPERATION_STREAM:
        (void)(read_request(t) && rf_translate_anew(t, stop_fd));
        break;
    case RF_OPERATION_COUNT:
        if (read_request(t) && rf_translate_anew(t, stop_fd))
            count(t);
        break;
    case RF_OPERATION_LIST:
        list(t);
        break;
    case RF_OPERATION_DESCRIBE:
        t->asked = t->front.model;
        if (find_model(t))
            t->text = rf_route_describe(t->front.dialect, t->asked, t->arena);
        break;
    case RF_OPERATION_ALIVE:
    case RF_OPERATION_READY:
        break;
    }
}

/* Refusals */

void rf_translate_again(struct rf_translation *t, const struct rf_refusal *refusal, int stop_fd)
{
    struct rf_healing healing;
    const struct rf_attempt attempt = { t->gateway->config, t->model, t->request, refusal };
    if (!t->heal) {
        t->heal = rf_heal_new(t->arena);
        rf_heal_begin(t->heal);
    }
    /* What could not be written down is known here all the same. */
    (void)!rf_heal_refused(t->heal, &attempt, t->arena, &healing, NULL);
    if (healing.again)
        rf_translate_anew(t, stop_fd);
    else
        t->fault = rf_fault_of_refusal(healing.first ? healing.first : refusal, t->arena);
}

void rf_translate_learn(struct rf_translation *t)
{
    (void)!rf_heal_learn(t->heal, t->request, NULL);
}

void rf_translation_release(struct rf_translation *t)
{
    rf_request_free(t->request);
    rf_model_close(t->model);
    rf_arena_free(t->arena);
}
