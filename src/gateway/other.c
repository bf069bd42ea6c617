#include "gateway/other.h"

#include "base/arena.h"
#include "base/buf.h"
#include "gateway/scope.h"
#include "model/providers.h"
#include "net/form.h"
#include "send/offline.h"
#include "store/client_keys.h"

#define MOST_PATH 8192

/* A provider's path for its models ends like this, and what stands before is the root of the API
 * there. */
static const struct api {
    const char *dialect, *path, *provider;
} apis[] = {
    { "anthropic", "/messages", "anthropic" },
    { "openai-chat", "/chat/completions", "openai-chat" },
    { "openai-responses", "/responses", "openai" },
    { "gemini", "/models/{model}:generateContent", "google" },
};

static const struct api *api_of(struct rf_str dialect)
{
    for (size_t i = 0; i < sizeof apis / sizeof *apis; i++)
        if (rf_str_is(dialect, apis[i].dialect))
            return &apis[i];
    return NULL;
}

const char *rf_other_provider(const struct rf_translation *t)
{
    return api_of(rf_str(t->front.dialect))->provider;
}

/* A model's name may stand after "models/" in Gemini's API. */
static struct rf_str name_in(const struct rf_jval *v, struct rf_arena *a)
{
    static const struct rf_str prefix = RF_STR_INIT("models/");
    struct rf_str name = v->type == RF_JSTRING ? rf_jval_text(v, a) : RF_STR("");
    if (!rf_str_starts(name, prefix.p))
        return name;
    return (struct rf_str){ name.p + prefix.n, name.n - prefix.n };
}

/* What a batch says of other models stays as it is. */
static void keep_asked(struct rf_translation *t)
{
    struct rf_pass_named *named = &t->named;
    const struct rf_jval *own = rf_jval_get(t->given.value, "model");
    size_t count = 0;
    for (size_t i = 0; i < named->count; i++)
        if (named->values[i] == own || rf_str_eq(name_in(named->values[i], t->arena), t->asked))
            named->values[count++] = named->values[i];
    named->count = count;
}

/* Their case does not count, nor do parameters. */
static bool is_json(struct rf_str type)
{
    struct rf_str name;
    return rf_str_split(&type, ';', &name) &&
           rf_str_ieq(rf_str_trim(name), RF_STR("application/json"));
}

/* A body that is not JSON goes along as it is. */
void rf_other_read(struct rf_translation *t)
{
    const struct rf_jval *body;
    struct rf_str type = t->front.other.content_type;
    bool json = !type.n || is_json(type);
    t->given.text = t->body;
    if (t->body.n && json && !rf_jval_parse(t->body, t->arena, &body, NULL) &&
        body->type == RF_JOBJECT)
        t->given.value = body;
    rf_pass_find_named(t->given.value, t->arena, &t->named);
    if (t->front.model.n)
        t->asked = t->front.model;
    else if (t->named.count)
        t->asked = name_in(t->named.values[0], t->arena);
    keep_asked(t);
}

struct rf_str rf_other_scope(const struct rf_translation *t)
{
    const struct rf_client_key *k = t->key;
    if (!k)
        return RF_STR("");
    if (k->tpm || k->budget_micros)
        return rf_strf(t->arena,
                       "the key \"%s\" has a limit of tokens or money, and what this path takes of "
                       "them is not known here",
                       k->name);
    if (k->models.n && !t->asked.n)
        return rf_strf(t->arena, "the key \"%s\" is for some models, and this request names none",
                       k->name);
    if (!t->given.value && k->models.n && t->body.n)
        return rf_strf(
            t->arena,
            "the key \"%s\" is for some models, and what this body names cannot be told: "
            "it is not a JSON object of application/json",
            k->name);
    if (!t->given.value)
        return RF_STR("");
    return rf_scope_other_fault(k, t->given.value, &t->named, t->arena);
}

/* "" of "/chat/completions" at OpenAI, "/openai/v1" of "/openai/v1/chat/completions" at Groq. */
static const char *root_of(const struct rf_model *m, struct rf_arena *a)
{
    const struct api *api = api_of(m->caps.dialect);
    const struct rf_provider_row *row = rf_provider_row(m->provider);
    struct rf_str path = rf_str(row ? row->path : NULL);
    if (!api || rf_offline_is(m) || !rf_str_ends(path, api->path))
        return NULL;
    return rf_cstr(a, (struct rf_str){ path.p, path.n - strlen(api->path) });
}

/* With the name that the model has at its provider, where the client's path names one. */
static struct rf_str rest_of(const struct rf_translation *t, const struct rf_front_other *other)
{
    struct rf_buf b;
    rf_buf_init(&b, t->arena, MOST_PATH);
    if (t->front.model.n) {
        rf_buf_addf(&b, "/models/");
        rf_form_text(&b, t->model->name);
    }
    rf_buf_add(&b, other->path);
    rf_buf_add(&b, other->query);
    return b.full ? RF_STR("") : (struct rf_str){ b.p, b.n };
}

struct rf_str rf_other_unknown(const struct rf_translation *t)
{
    return rf_strf(t->arena,
                   "there is no %.*s here; what this gateway does not know goes to the provider of "
                   "the model that its body names, and this one names none",
                   RF_FMT(t->front.other.whole));
}

bool rf_other_find_path(struct rf_translation *t, const struct rf_front_other *other)
{
    const char *root = rf_translation_is_home(t) ? root_of(t->model, t->arena) : NULL;
    struct rf_str rest = rest_of(t, other);
    if (!root || !rest.n)
        return false;
    t->path = (struct rf_api_path){
        .method = other->method, .root = root, .rest = rest, .content_type = other->content_type
    };
    return true;
}

struct rf_str rf_other_build(struct rf_translation *t)
{
    if (!rf_other_find_path(t, &t->front.other))
        return rf_strf(t->arena, "there is no %.*s here, and %.*s:%.*s does not speak that API",
                       RF_FMT(t->front.other.whole), RF_FMT(t->model->provider),
                       RF_FMT(t->model->name));
    t->request = rf_pass_other(&t->given, &t->named, t->model);
    return RF_STR("");
}
