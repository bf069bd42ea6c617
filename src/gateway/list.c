/* Lists of models in the shapes that clients know. A list has the names of the configuration and
 * the models of providers whose key is set, as kept; no provider is asked for it.
 *
 *     OpenAI     {"object":"list","data":[{"id","object":"model","created","owned_by"}]}
 *     Anthropic  {"data":[{"type":"model","id","display_name","created_at"}],"has_more":false,…}
 *     Gemini     {"models":[{"name":"models/…","displayName","supportedGenerationMethods"}]} */
#include "gateway/route.h"

#include "base/arena.h"
#include "base/json_write.h"
#include "store/client_keys.h"

#include <refract/models.h>

#include <time.h>

struct entry {
    struct rf_str name, owner;
    int64_t created; /* seconds since 1970; 0: unknown */
};

static void write_openai(struct rf_json *w, const struct entry *e, struct rf_arena *a)
{
    (void)a;
    rf_json_str(w, "id", e->name);
    rf_json_str(w, "object", RF_STR("model"));
    rf_json_int(w, "created", e->created);
    rf_json_str(w, "owned_by", e->owner);
}

static void write_anthropic(struct rf_json *w, const struct entry *e, struct rf_arena *a)
{
    char day[32];
    time_t at = (time_t)e->created;
    struct tm utc;
    (void)a;
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &utc));
    rf_json_str(w, "type", RF_STR("model"));
    rf_json_str(w, "id", e->name);
    rf_json_str(w, "display_name", e->name);
    rf_json_str(w, "created_at", rf_str(day));
}

static void write_gemini(struct rf_json *w, const struct entry *e, struct rf_arena *a)
{
    static const char *const methods[] = { "generateContent", "streamGenerateContent",
                                           "countTokens" };
    rf_json_str(w, "name", rf_str_join(a, RF_STR("models/"), e->name));
    rf_json_str(w, "displayName", e->name);
    rf_json_arr(w, "supportedGenerationMethods");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        rf_json_str(w, NULL, rf_str(methods[i]));
    rf_json_end(w);
}

static const struct shape {
    const char *dialect;
    const char *list; /* the member that has them */
    void (*write)(struct rf_json *w, const struct entry *e, struct rf_arena *a);
    const char *object; /* OpenAI's word for a list, or NULL */
    bool pages;         /* Anthropic's: says that this is all */
} shapes[] = {
    { "openai-chat", "data", write_openai, "list", false },
    { "anthropic", "data", write_anthropic, NULL, true },
    { "gemini", "models", write_gemini, NULL, false },
};

/* Both of OpenAI's APIs have the first. */
static const struct shape *shape_of(const char *dialect)
{
    for (size_t i = 1; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(shapes[i].dialect, dialect) == 0)
            return &shapes[i];
    return &shapes[0];
}

static struct rf_str text_of(struct rf_json *w, struct rf_rope *rope, struct rf_arena *a)
{
    struct rf_str text;
    if (rf_json_finish(w, NULL) || rf_rope_flatten(rope, SIZE_MAX, a, &text, NULL))
        RF_BUG("a list in memory could not be written");
    return text;
}

static void write_entry(struct rf_json *w, const struct shape *shape, const struct entry *e,
                        struct rf_arena *a)
{
    rf_json_obj(w, NULL);
    shape->write(w, e, a);
    rf_json_end(w);
}

static void write_pages(struct rf_json *w, const struct entry *entries, size_t count)
{
    rf_json_bool(w, "has_more", false);
    if (!count)
        return;
    rf_json_str(w, "first_id", entries[0].name);
    rf_json_str(w, "last_id", entries[count - 1].name);
}

static struct rf_str write_list(const struct shape *shape, const struct entry *entries,
                                size_t count, struct rf_arena *a)
{
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(a, struct rf_json);
    rf_rope_init(&rope, a);
    rf_json_init(w, &rope);
    rf_json_obj(w, NULL);
    if (shape->object)
        rf_json_str(w, "object", rf_str(shape->object));
    rf_json_arr(w, shape->list);
    for (size_t i = 0; i < count; i++)
        write_entry(w, shape, &entries[i], a);
    rf_json_end(w);
    if (shape->pages)
        write_pages(w, entries, count);
    rf_json_end(w);
    return text_of(w, &rope, a);
}

static bool is_allowed(const struct rf_client_key *k, struct rf_str name, struct rf_str provider,
                       struct rf_str model)
{
    return !k || rf_client_key_allows(k, name, provider, model);
}

enum rf_code rf_route_list(const struct rf_setup *s, const char *dialect,
                           const struct rf_client_key *key, struct rf_arena *a, struct rf_str *out,
                           struct rf_err *err)
{
    struct rf_models *models;
    enum rf_code rc = rf_models_open(s->config, &models, err);
    if (rc)
        return rc;
    size_t own = s->config ? s->config->model_count : 0, count = 0;
    struct entry *entries = RF_ARRAY(a, struct entry, own + rf_models_count(models));
    for (size_t i = 0; i < own; i++) {
        const struct rf_config_model *m = &s->config->models[i];
        if (is_allowed(key, m->name, m->provider, m->model))
            entries[count++] = (struct entry){ .name = m->name, .owner = RF_STR("refract") };
    }
    for (size_t i = 0; i < rf_models_count(models); i++) {
        const struct rf_usable *m = rf_models_get(models, i);
        if (!m->purpose.n && is_allowed(key, m->name, m->provider, m->model))
            entries[count++] = (struct entry){ m->name, m->provider, m->created };
    }
    *out = write_list(shape_of(dialect), entries, count, a);
    rf_models_close(models);
    return RF_OK;
}

struct rf_str rf_route_describe(const char *dialect, struct rf_str name, struct rf_arena *a)
{
    const struct entry e = { .name = name, .owner = RF_STR("refract") };
    struct rf_rope rope;
    struct rf_json *w = RF_NEW(a, struct rf_json);
    rf_rope_init(&rope, a);
    rf_json_init(w, &rope);
    write_entry(w, shape_of(dialect), &e, a);
    return text_of(w, &rope, a);
}
