/* Lists of models in the shapes that clients know. A list has the names of the configuration, those
 * that one of its rules or the client's key is for, and the models of providers whose key is set,
 * as kept; no provider is asked for it. What a client could not ask for is not in it.
 *
 *     OpenAI     {"object":"list","data":[{"id","object":"model","created","owned_by"}]}
 *     Anthropic  {"data":[{"type":"model","id","display_name","created_at"}],"has_more":false,…}
 *     Gemini     {"models":[{"name":"models/…","displayName","supportedGenerationMethods"}]} */
#include "gateway/route.h"

#include "base/arena.h"
#include "base/json_write.h"
#include "plan/ids.h"
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

/* What a client may ask for */

struct list {
    const struct rf_setup *setup;
    const char *dialect;
    const struct rf_client_key *key; /* or NULL */
    const struct rf_models *models;
    struct rf_arena *arena;
    struct rf_ids usable; /* names in `models`: a place is the index, plus one */
    struct rf_ids names;  /* the same in `entries` */
    struct entry *entries;
    size_t count, cap;
};

/* One that a provider with a key has, and that the configuration says nothing of; or NULL. */
static const struct rf_usable *usable(void *ctx, struct rf_str name)
{
    struct list *l = ctx;
    const struct rf_config *c = l->setup->config;
    size_t place = rf_ids_slot(&l->usable, name)->place;
    return place && !(c && rf_config_find(c, name)) ? rf_models_get(l->models, place - 1) : NULL;
}

static bool can_ask(struct list *l, struct rf_str name)
{
    const struct rf_wanted wanted = { .model = name, .dialect = l->dialect, .key = l->key };
    const struct rf_route_known known = { usable, l };
    return rf_route_can_ask(l->setup, &wanted, &known, l->arena);
}

static void add(struct list *l, const struct entry *e)
{
    if (!e->name.n || memchr(e->name.p, '*', e->name.n) || rf_ids_slot(&l->names, e->name)->place ||
        !can_ask(l, e->name))
        return;
    *RF_PUSH(l->arena, l->entries, l->count, l->cap) = *e;
    rf_ids_slot(&l->names, e->name)->place = l->count;
}

/* Names of our own: of the configuration, of rules that are for one name, and those that the key is
 * for. */
static void add_own(struct list *l)
{
    const struct rf_config *c = l->setup->config;
    struct rf_str rest = l->key ? l->key->models : RF_STR(""), one;
    for (size_t i = 0; c && i < c->model_count; i++)
        add(l, &(struct entry){ .name = c->models[i].name, .owner = RF_STR("refract") });
    for (size_t i = 0; c && i < c->serve.rule_count; i++)
        add(l, &(struct entry){ .name = c->serve.rules[i].match, .owner = RF_STR("refract") });
    while (rest.n && rf_str_split(&rest, ',', &one))
        if (!usable(l, one))
            add(l, &(struct entry){ .name = one, .owner = RF_STR("refract") });
}

/* Is it listed without the provider's name, since the key is for such names? */
static bool goes_bare(const struct list *l, const struct rf_usable *m)
{
    return l->key && l->key->models.n &&
           rf_client_key_allows(l->key, m->model, RF_STR(""), RF_STR(""));
}

static void add_usable(struct list *l)
{
    for (size_t i = 0; i < rf_models_count(l->models); i++) {
        const struct rf_usable *m = rf_models_get(l->models, i);
        if (m->purpose.n)
            continue;
        add(l, &(struct entry){ m->name, m->provider, m->created });
        if (goes_bare(l, m))
            add(l, &(struct entry){ m->model, m->provider, m->created });
    }
}

static enum rf_code open_models(struct list *l, struct rf_models **out, struct rf_err *err)
{
    enum rf_code rc = rf_models_open(l->setup->config, out, err);
    if (rc)
        return rc;
    l->models = *out;
    rf_ids_init(&l->usable, l->arena);
    rf_ids_init(&l->names, l->arena);
    for (size_t i = rf_models_count(l->models); i-- > 0;)
        rf_ids_slot(&l->usable, rf_models_get(l->models, i)->name)->place = i + 1;
    return RF_OK;
}

enum rf_code rf_route_list(const struct rf_setup *s, const struct rf_wanted *by, struct rf_arena *a,
                           struct rf_str *out, struct rf_err *err)
{
    struct list l = { .setup = s, .dialect = by->dialect, .key = by->key, .arena = a };
    struct rf_models *models;
    enum rf_code rc = open_models(&l, &models, err);
    if (rc)
        return rc;
    add_own(&l);
    add_usable(&l);
    *out = write_list(shape_of(l.dialect), l.entries, l.count, a);
    rf_models_close(models);
    return RF_OK;
}

/* As it is listed. A client may ask for more than is: for parts of names, and what a rule takes. */
static struct entry entry_for(struct list *l, struct rf_str name)
{
    const struct rf_usable *m = usable(l, name);
    for (size_t i = 0; !m && i < rf_models_count(l->models); i++) {
        const struct rf_usable *other = rf_models_get(l->models, i);
        if (rf_str_eq(other->model, name) && goes_bare(l, other))
            m = other;
    }
    return m ? (struct entry){ name, m->provider, m->created }
             : (struct entry){ .name = name, .owner = RF_STR("refract") };
}

enum rf_code rf_route_describe(const struct rf_setup *s, const struct rf_wanted *w,
                               struct rf_arena *a, struct rf_str *out, struct rf_err *err)
{
    struct list l = { .setup = s, .dialect = w->dialect, .key = w->key, .arena = a };
    struct rf_models *models;
    struct rf_rope rope;
    struct rf_json *json = RF_NEW(a, struct rf_json);
    enum rf_code rc = open_models(&l, &models, err);
    if (rc)
        return rc;
    const struct entry e = entry_for(&l, w->model);
    rf_rope_init(&rope, a);
    rf_json_init(json, &rope);
    write_entry(json, shape_of(l.dialect), &e, a);
    *out = text_of(json, &rope, a);
    rf_models_close(models);
    return RF_OK;
}
