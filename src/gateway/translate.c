#include "gateway/translate.h"

#include "agent/heal/heal.h"
#include "base/arena.h"
#include "base/json_write.h"
#include "base/limits.h"
#include "gateway/count.h"
#include "gateway/other.h"
#include "gateway/route.h"
#include "gateway/scope.h"
#include "request/request.h"
#include "store/client_keys.h"
#include "wire/wire.h"

#include <refract/tokens.h>

#define UNKEPT_MS 10000 /* that a server is not asked after what it said could not be kept */

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

struct rf_fault rf_fault_of_path(const struct rf_front *f, struct rf_str words)
{
    bool openai = rf_str_starts(rf_str(f->dialect), "openai-");
    return (struct rf_fault){ .kind = openai ? RF_FAULT_INVALID : RF_ERROR_NOT_FOUND,
                              .status = 404,
                              .words = words,
                              .retry_after_ms = -1 };
}

static bool fault_of_path(struct rf_translation *t, struct rf_str words)
{
    t->fault = rf_fault_of_path(&t->front, words);
    return false;
}

static int status_of_illness(const struct rf_refusal *r)
{
    if (r->status == 504 || r->status == 408)
        return 504;
    return r->status == 503 || r->kind == RF_ERROR_OVERLOADED ? 503 : 502;
}

struct rf_fault rf_fault_of_refusal(const struct rf_refusal *r, struct rf_arena *a)
{
    bool ours = rf_refusal_is_of_key(r);
    bool other = r->kind == RF_ERROR_OTHER || r->kind == RF_ERROR_NONE;
    bool ill = rf_refusal_is_of_server(r);
    bool theirs = other && !ours && !ill && r->status >= 400 && r->status < 500;
    struct rf_fault f = { .kind = theirs          ? RF_FAULT_INVALID
                                  : ours || other ? RF_ERROR_OTHER
                                                  : r->kind,
                          .words = rf_str_dup(a, r->words),
                          .code = ours || theirs ? RF_STR("") : rf_str_dup(a, r->code),
                          .retry_after_ms = r->retry_after_ms };
    if (ill)
        f.status = status_of_illness(r);
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

static void take_names(struct rf_translation *t, const struct rf_jval *body)
{
    const struct rf_jval *model = rf_jval_get(body, "model"), *stream = rf_jval_get(body, "stream");
    if (t->front.model.n)
        t->asked = t->front.model;
    else if (model && model->type == RF_JSTRING)
        t->asked = rf_jval_text(model, t->arena);
    t->streams = !t->front.as_list && (t->front.operation == RF_OPERATION_STREAM ||
                                       (stream && stream->type == RF_JTRUE));
}

/* Whether it matters that it cannot be read depends on who answers. */
static void take_conversation(struct rf_translation *t, const struct rf_jval *body)
{
    const struct rf_dialect *dialect = rf_dialect_find(rf_str(t->front.dialect));
    struct rf_conversation *c = RF_NEW(t->arena, struct rf_conversation);
    struct rf_err err;
    if (rf_conversation_take(dialect, body, t->arena, c, &err)) {
        RF_ERR_COPY(t->arena, t->unread, &err);
        return;
    }
    c->options.stream = t->streams;
    t->conversation = c;
}

static bool read_body(struct rf_translation *t)
{
    struct rf_err err;
    const struct rf_jval *body;
    enum rf_code rc = rf_jval_parse(t->body, t->arena, &body, &err);
    if (!rc && body->type != RF_JOBJECT)
        rc = rf_fail(&err, RF_EFORMAT, "the body is %s, and must be a JSON object",
                     rf_jtype_name(body->type));
    if (rc)
        return fault_by_code(t, rc, &err);
    if (t->front.operation == RF_OPERATION_COUNT)
        body = request_in(body);
    t->given = (struct rf_given_body){ t->body, body };
    take_names(t, body);
    take_conversation(t, body);
    return true;
}

bool rf_translation_is_other(const struct rf_translation *t)
{
    return t->front.operation == RF_OPERATION_OTHER;
}

static struct rf_wanted wanted(const struct rf_translation *t)
{
    return (struct rf_wanted){ .model = t->asked,
                               .dialect = t->front.dialect,
                               .provider = rf_translation_is_other(t) ? rf_other_provider(t) : NULL,
                               .key = t->key,
                               .conversation = t->conversation };
}

static bool fault_of_model(struct rf_translation *t, enum rf_code rc, const struct rf_err *err)
{
    const struct rf_wanted w = wanted(t);
    bool unknown = rc == RF_EUSAGE || rc == RF_ENOTFOUND || rc == RF_ECONFIG;
    return unknown ? fault(t, RF_ERROR_NOT_FOUND, rf_route_unknown(t->setup, &w, err, t->arena))
                   : fault(t, RF_ERROR_OTHER, rf_str_dup(t->arena, rf_str(err->msg)));
}

/* The first of the route, from t->route.at on, that can be asked. Why the first one cannot is told
 * where none can. */
static bool open_model(struct rf_translation *t)
{
    struct rf_err err, later;
    enum rf_code rc, failed = RF_OK;
    rf_model_close(t->model);
    t->model = NULL;
    for (; t->route.at < t->route.count; t->route.at++) {
        rc = rf_route_open(t->setup, t->route.names[t->route.at], t->arena, &t->model,
                           failed ? &later : &err);
        if (!rc)
            return true;
        failed = failed ? failed : rc;
    }
    return failed && fault_of_model(t, failed, &err);
}

static bool is_allowed(const struct rf_translation *t)
{
    const struct rf_model *m = t->model;
    return !t->key || rf_client_key_allows(t->key, t->asked, m->provider, m->name);
}

/* The first that the key allows, too. */
static bool open_allowed(struct rf_translation *t)
{
    bool forbidden = false;
    for (; open_model(t); t->route.at++) {
        if (is_allowed(t))
            return true;
        forbidden = true;
    }
    return forbidden && fault(t, RF_ERROR_PERMISSION,
                              rf_strf(t->arena, "the key \"%s\" may not ask for the model \"%.*s\"",
                                      t->key->name, RF_FMT(t->asked)));
}

/* It goes into answers, logs and tables, and a client could make it as long as its body. */
static bool has_short_name(struct rf_translation *t)
{
    size_t n = t->asked.n;
    if (n <= RF_MAX_MODEL_NAME)
        return true;
    t->asked = RF_STR("");
    return fault(t, RF_FAULT_INVALID,
                 rf_strf(t->arena, "model: the name has %zu bytes, and at most %d are taken", n,
                         RF_MAX_MODEL_NAME));
}

/* None that could be read, and without one nobody answers. */
static bool fault_of_no_name(struct rf_translation *t)
{
    const struct rf_jval *model = rf_jval_get(t->given.value, "model");
    if (!model || model->type == RF_JSTRING || model->type == RF_JNULL)
        return fault(t, RF_FAULT_INVALID, RF_STR("model: the field is missing"));
    return fault(
        t, RF_FAULT_INVALID,
        rf_strf(t->arena, "model: expected a string, found %s", rf_jtype_name(model->type)));
}

static bool find_model(struct rf_translation *t)
{
    struct rf_err err;
    if (!has_short_name(t))
        return false;
    const struct rf_wanted w = wanted(t);
    enum rf_code rc = rf_route_find(t->setup, &w, t->arena, &t->route, &err);
    if (!rc)
        return open_allowed(t);
    if (t->unread) /* all that it says is in doubt */
        return fault_by_code(t, t->unread->code, t->unread);
    return t->asked.n ? fault_of_model(t, rc, &err) : fault_of_no_name(t);
}

/* Clients have our names for models: what was said under one is by the first model that it leads
 * to, thoughts and all. What another answers in its place is not by it. */
static bool name_origins(struct rf_translation *t)
{
    t->origin = rf_str_dup(t->arena, t->model->name);
    for (size_t i = 0; t->conversation && i < t->conversation->message_count; i++) {
        struct rf_message *m = &t->conversation->messages[i];
        if (!m->sealed && rf_str_eq(m->origin_model, t->asked))
            m->origin_model = t->origin;
    }
    return true;
}

static bool is_in_scope(struct rf_translation *t)
{
    struct rf_str why = rf_translation_is_other(t) ? rf_other_scope(t)
                        : t->key    ? rf_scope_fault(t->key, t->given.value, t->arena)
                                    : RF_STR("");
    return !why.n || fault(t, RF_ERROR_PERMISSION, why);
}

static bool read_request(struct rf_translation *t)
{
    return read_body(t) && find_model(t) && is_in_scope(t) && name_origins(t);
}

/* The path may be nobody's: where no model is named either, that is what is wrong. */
static bool read_other(struct rf_translation *t)
{
    rf_other_read(t);
    if (!t->asked.n && !rf_route_takes_all(t->setup))
        return fault_of_path(t, rf_other_unknown(t));
    return find_model(t) && is_in_scope(t);
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

bool rf_translation_is_home(const struct rf_translation *t)
{
    static const char openai[] = "openai-";
    struct rf_str dialect = t->model->caps.dialect;
    return rf_str_is(dialect, t->front.dialect) ||
           (rf_translation_is_other(t) && rf_str_starts(dialect, openai) &&
            rf_str_starts(rf_str(t->front.dialect), openai));
}

/* Will the reply tell of its tokens? Some streams do not unless they are asked to. */
static bool tells_usage(const struct rf_translation *t)
{
    const struct rf_jval *options = rf_jval_get(t->given.value, "stream_options");
    const struct rf_jval *usage = rf_jval_get(options, "include_usage");
    return !t->streams || !t->model->caps.stream_usage || (usage && usage->type == RF_JTRUE);
}

/* The configuration may want a plan of all; one that was refused is never sent a second time as it
 * came; and a client whose tokens are counted does not choose whether they are told. */
static bool may_pass(const struct rf_translation *t)
{
    const struct rf_config *c = t->setup->config;
    bool always = c && c->serve.plan == RF_PLAN_ALWAYS;
    return rf_translation_is_home(t) && !always && !t->heal && (!t->counted || tells_usage(t));
}

/* Does it hold a thought that is for one model only, or for another upstream? */
static bool holds_seal(const struct rf_conversation *c)
{
    for (size_t i = 0; c && i < c->message_count; i++)
        if (c->messages[i].sealed)
            return true;
    return false;
}

/* What a client refers to is on the server of its own API, and part of what the model is to know:
 * without it another model would answer a question that was not asked. */
static const struct {
    const char *dialect, *member;
    const char *item; /* of the list `member`: the type that refers to something; NULL: all of it */
    const char *spared; /* its ids that begin so are of thoughts, which are left out and told of */
} kept_there[] = {
    { "openai-responses", "previous_response_id", NULL, NULL },
    { "openai-responses", "conversation", NULL, NULL },
    { "openai-responses", "prompt", NULL, NULL },
    { "openai-responses", "input", "item_reference", "rs_" },
    { "gemini", "cachedContent", NULL, NULL },
};

static bool refers(const struct rf_jval *e, const char *item, const char *spared,
                   struct rf_arena *a)
{
    const struct rf_jval *type = rf_jval_get(e, "type"), *id = rf_jval_get(e, "id");
    bool thought = id && id->type == RF_JSTRING && rf_str_starts(rf_jval_text(id, a), spared);
    return type && rf_jval_is(type, item) && !thought;
}

static enum rf_code fail_kept(const struct rf_translation *t, const struct rf_jpath *at,
                              struct rf_err *err)
{
    const struct rf_model *m = t->model;
    return rf_fail_at(err, RF_EFORMAT, at,
                      "it is kept by the vendor whose API this is, and %.*s:%.*s has another API",
                      RF_FMT(m->provider), RF_FMT(m->name));
}

static enum rf_code check_kept(const struct rf_translation *t, struct rf_err *err)
{
    for (size_t i = 0; i < sizeof kept_there / sizeof *kept_there; i++) {
        const struct rf_jpath here = { .field = kept_there[i].member };
        struct rf_jpath item = { .up = &here };
        const struct rf_jval *v = rf_jval_get(t->given.value, kept_there[i].member);
        if (strcmp(kept_there[i].dialect, t->front.dialect) != 0 || !v || v->type == RF_JNULL)
            continue;
        if (!kept_there[i].item)
            return fail_kept(t, &here, err);
        for (const struct rf_jval *e = v->type == RF_JARRAY ? rf_jval_first(v) : NULL; e;
             e = rf_jval_next(v, e), item.index++) {
            if (refers(e, kept_there[i].item, kept_there[i].spared, t->arena))
                return fail_kept(t, &item, err);
        }
    }
    return RF_OK;
}

/* What cannot be read goes as it came, unless it is to be weighed here, or holds a seal. */
static bool may_pass_unread(const struct rf_translation *t, const struct rf_conversation *c,
                            enum rf_code rc)
{
    return (rc == RF_EFORMAT || rc == RF_ELIMIT) && t->front.operation != RF_OPERATION_COUNT &&
           !holds_seal(c);
}

static enum rf_code build(struct rf_translation *t, struct rf_request_options *o,
                          struct rf_err *err)
{
    enum rf_code rc = t->unread ? t->unread->code : RF_OK;
    const struct rf_conversation *c = t->conversation;
    if (c)
        c = rf_marks_apply(t->setup->marks, c, t->model, t->arena);
    if (may_pass(t))
        o->given = &t->given;
    if (rc)
        *err = *t->unread;
    else if (!rf_translation_is_home(t))
        rc = check_kept(t, err);
    if (!rc)
        rc = rf_request_build(c, t->model, o, &t->request, err);
    if (o->given && may_pass_unread(t, c, rc)) {
        t->request = rf_pass_unread(&t->given, t->model, t->streams);
        rc = RF_OK;
    }
    return rc;
}

static int64_t weigh(const struct rf_translation *t)
{
    struct rf_tokens *tokens = rf_request_tokens(t->request);
    int64_t total = rf_tokens_total(tokens);
    rf_tokens_free(tokens);
    return total;
}

static bool build_other(struct rf_translation *t)
{
    struct rf_str why = rf_other_build(t);
    return !why.n || fault_of_path(t, why);
}

/* A client's words have no paths; the root is there so that none ever counts. */
struct rf_request_options *rf_translate_options(const struct rf_setup *s, const char *dialect,
                                                const struct rf_model *m,
                                                const struct rf_heal *heal, struct rf_arena *a)
{
    struct rf_request_options *o = RF_NEW(a, struct rf_request_options);
    o->root = "/nonexistent";
    o->cache = s->config ? rf_config_cache_folder(s->config) : NULL;
    if (s->config)
        rf_request_options_configure(o, s->config);
    if (!dialect)
        return o;
    if (heal)
        rf_heal_apply(heal, o);
    rf_refused_apply(s->refused, m, a, o);
    o->quick_ids = true;
    o->by_headers = !heal; /* a broken picture is looked for where one was refused */
    o->own = true;         /* clients have our names for models: name_origins */
    o->origins = s->origins;
    o->own_fields = rf_str_is(m->caps.dialect, dialect);
    return o;
}

static bool plan(struct rf_translation *t, int stop_fd)
{
    struct rf_err err;
    struct rf_request_options *o =
        rf_translate_options(t->setup, t->front.dialect, t->model, t->heal, t->arena);
    o->cancel_fd = stop_fd;
    o->at_once = t->at_once;
    enum rf_code rc = build(t, o, &err);
    if (rc == RF_EINTERRUPTED && t->at_once)
        return false;
    if (rc)
        return fault_by_code(t, rc, &err);
    if (t->explains)
        explain(t);
    if (t->key && (t->key->tpm || t->key->budget_micros))
        t->input_tokens = weigh(t);
    return true;
}

/* Where it cannot be written down, this request knows it all the same, and the next ones ask again
 * after a while. */
static void keep_said(struct rf_translation *t)
{
    const struct rf_said *s = &t->said;
    const struct rf_config *c = t->setup->config;
    if (s->count && c && rf_learned_describe(c, t->model, s->facts, s->count, NULL))
        rf_model_note_asked(t->setup->models, t->model, UNKEPT_MS);
    if (s->count)
        rf_model_forget_all(t->setup->models);
    t->said.count = 0;
}

bool rf_translate_anew(struct rf_translation *t, int stop_fd)
{
    keep_said(t);
    rf_request_free(t->request);
    t->request = NULL;
    return rf_translation_is_other(t) ? build_other(t) : plan(t, stop_fd);
}

static void list(struct rf_translation *t)
{
    const struct rf_wanted by = { .dialect = t->front.dialect, .key = t->key };
    struct rf_err err = { 0 };
    enum rf_code rc = rf_route_list(t->setup, &by, t->arena, &t->text, &err);
    if (rc)
        fault_by_code(t, rc, &err);
}

static void describe(struct rf_translation *t)
{
    struct rf_err err = { 0 };
    t->asked = t->front.model;
    if (!find_model(t))
        return;
    const struct rf_wanted w = { .model = t->asked, .dialect = t->front.dialect, .key = t->key };
    enum rf_code rc = rf_route_describe(t->setup, &w, t->arena, &t->text, &err);
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
    case RF_OPERATION_OTHER:
        (void)(read_other(t) && rf_translate_anew(t, stop_fd));
        break;
    case RF_OPERATION_COUNT:
        if (read_request(t) && rf_translate_anew(t, stop_fd))
            rf_count_estimated(t, weigh(t));
        break;
    case RF_OPERATION_LIST:
        list(t);
        break;
    case RF_OPERATION_DESCRIBE:
        describe(t);
        break;
    case RF_OPERATION_ALIVE:
    case RF_OPERATION_READY:
    case RF_OPERATION_METRICS:
        break;
    }
}

bool rf_translate_at_once(struct rf_translation *t)
{
    t->at_once = true;
    (void)(read_request(t) && rf_translate_anew(t, 0));
    t->at_once = false;
    return t->request || t->fault.kind;
}

void rf_translate_next(struct rf_translation *t, const struct rf_fault *otherwise, int stop_fd)
{
    rf_request_free(t->request);
    t->request = NULL;
    t->heal = NULL;
    t->passed = (struct rf_fault){ 0 };
    for (t->route.at++; t->route.at < t->route.count; t->route.at++) {
        t->fault = (struct rf_fault){ 0 };
        if (open_model(t) && is_allowed(t) && rf_translate_anew(t, stop_fd))
            return;
    }
    t->fault = *otherwise;
}

/* Refusals */

/* What an error of each API always has: a member of its body, and one of its `error`, which names
 * its kind. */
static const struct {
    const char *dialect, *outer, *inner;
} shapes_of_errors[] = {
    { "anthropic", "type", "type" },
    { "gemini", "error", "status" },
    { "openai-chat", "error", "type" },
    { "openai-responses", "error", "type" },
};

/* A proxy may speak for a provider in another shape, which a client cannot read. */
static bool has_shape(const struct rf_translation *t, struct rf_str body)
{
    const struct rf_jval *root;
    if (rf_jval_parse(body, t->arena, &root, NULL))
        return false;
    for (size_t i = 0; i < sizeof shapes_of_errors / sizeof *shapes_of_errors; i++)
        if (strcmp(shapes_of_errors[i].dialect, t->front.dialect) == 0) {
            const struct rf_jval *name =
                rf_jval_get(rf_jval_get(root, "error"), shapes_of_errors[i].inner);
            return rf_jval_get(root, shapes_of_errors[i].outer) && name && name->type == RF_JSTRING;
        }
    return false;
}

struct rf_fault rf_translation_fault(const struct rf_translation *t, const struct rf_refusal *r)
{
    struct rf_fault f = rf_fault_of_refusal(r, t->arena);
    /* A client would take these statuses for what is said of its own key. */
    bool ours = rf_refusal_is_of_key(r) || r->status == 401 || r->status == 403;
    if (ours || r->status < 400 || !rf_translation_is_home(t) || !has_shape(t, r->body))
        return f;
    f.body = rf_str_dup(t->arena, r->body);
    f.status = f.status ? f.status : r->status;
    return f;
}

/* What was refused went as it came: a plan may leave out or mend what this model does not take, an
 * option or an empty text. Where that is refused too, the client is told of its own words. */
static bool was_passed(struct rf_translation *t, const struct rf_refusal *r)
{
    if (!t->request->given || (r->status != 400 && r->status != 422))
        return false;
    t->passed = rf_translation_fault(t, r);
    return true;
}

void rf_translate_again(struct rf_translation *t, const struct rf_refusal *refusal, int stop_fd)
{
    struct rf_healing healing;
    if (!t->request->survey.conversation) { /* it was not read: nothing in it can be changed */
        t->fault = rf_translation_fault(t, refusal);
        return;
    }
    rf_pass_mark(t->request);
    const struct rf_attempt attempt = { t->setup->config, t->model, t->request, refusal, true };
    if (!t->heal) {
        t->heal = rf_heal_new(t->arena);
        rf_heal_begin(t->heal);
    }
    /* What could not be written down is known here all the same. */
    (void)!rf_heal_refused(t->heal, &attempt, t->arena, &healing, NULL);
    rf_model_forget_all(t->setup->models);
    if (was_passed(t, refusal) || healing.again) {
        t->heals++;
        t->healed = healing.again ? healing.note : RF_STR("");
        rf_translate_anew(t, stop_fd);
    } else {
        t->fault = rf_translation_fault(t, healing.first ? healing.first : refusal);
    }
    if (t->fault.kind && t->passed.kind)
        t->fault = t->passed;
}

void rf_translate_learn(struct rf_translation *t)
{
    (void)!rf_heal_learn(t->heal, t->request, NULL);
    rf_model_forget_all(t->setup->models);
}

void rf_translate_accepted(struct rf_translation *t)
{
    const struct rf_withheld_file *file;
    size_t at = 0;
    (void)!rf_heal_accepted(t->heal, NULL, t->request, NULL);
    while ((file = rf_heal_found(t->heal, &at)))
        rf_refused_add(t->setup->refused, t->model, file);
}

void rf_translation_release(struct rf_translation *t)
{
    rf_request_free(t->request);
    rf_model_close(t->model);
    rf_arena_free(t->arena);
}
