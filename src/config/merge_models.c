/* What the configuration says of models:
 *
 *     models:
 *       llava: {provider: ollama, model: "llava:13b", capabilities: {vision: yes},
 *               limits: {max_images: 4}, temperature: 0.2}
 *       default: anthropic:claude-sonnet-5   # or another of these names
 *       sonnet: {provider: anthropic, model: claude-sonnet-5, weight: 3,
 *                fallback: [openai:gpt-5.4]}
 *       fast: {any: [sonnet, "bedrock:eu.anthropic.claude-sonnet-5"], fallback: [llava]}
 *
 * A project's file may add names; what is the user's, or means something without any file, is not
 * for it to say. */
#include "config/merge.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "config/keys.h"
#include "config/names.h"

#define MOST_NAMES 64
#define MOST_WEIGHT 1000000

/* Facts. */

/* A list is written with commas in a fact. */
static bool read_value(struct rf_merge *r, const struct rf_yaml *key, struct rf_str *out)
{
    const struct rf_yaml *v = key + 1;
    const char *what = rf_strf(r->c->arena, "\"%.*s\"", RF_FMT(key->text)).p;
    if (v->kind != RF_YAML_LIST) {
        *out = v->text;
        return rf_merge_is_kind(r, v, RF_YAML_TEXT, what);
    }
    struct rf_buf b;
    rf_buf_init(&b, r->c->arena, RF_MAX_CONFIG_BYTES);
    for (size_t i = 0; i < v->count; i++) {
        if (!rf_merge_is_kind(r, &v->items[i], RF_YAML_TEXT, what))
            return false;
        rf_buf_addf(&b, "%s%.*s", i ? "," : "", RF_FMT(v->items[i].text));
    }
    if (!v->count)
        rf_buf_addc(&b, '-');
    return !rf_buf_finish(&b, out, NULL);
}

/* A fact may stand in either section; a setting may be named like one. */
static struct rf_config_fact *fact_of(struct rf_merge *r, struct rf_str name,
                                      enum rf_section section)
{
    struct rf_config_model *m = r->model;
    bool setting = section == RF_SECTION_SETTINGS;
    for (size_t i = 0; i < m->count; i++)
        if (rf_str_eq(m->facts[i].name, name) &&
            setting == (m->facts[i].section == RF_SECTION_SETTINGS))
            return &m->facts[i];
    struct rf_config_fact *fact = RF_PUSH(r->c->arena, m->facts, m->count, m->cap);
    *fact = (struct rf_config_fact){ .name = name };
    return fact;
}

static void read_fact(struct rf_merge *r, const struct rf_yaml *key, enum rf_section section)
{
    struct rf_err e;
    struct rf_str value;
    if (!rf_fact_exists(key->text)) {
        rf_merge_problem(&e, r, key->line, "there is no fact \"%.*s\"", RF_FMT(key->text));
        rf_hint_fact(&e, key->text);
        rf_problem_add(r->problems, &e);
        return;
    }
    if (!read_value(r, key, &value))
        return;
    struct rf_config_fact *fact = fact_of(r, key->text, section);
    if (fact->place.file == r->file) {
        rf_merge_problem(&e, r, key->line, "\"%.*s\" is given twice", RF_FMT(key->text));
        rf_hint(&e, "It is in line %zu already; keep one of them.", fact->place.line);
        rf_problem_add(r->problems, &e);
    }
    fact->value = value;
    fact->section = section;
    fact->place = (struct rf_place){ r->file, key->line };
}

static void read_facts(struct rf_merge *r, const struct rf_yaml *map, enum rf_section section)
{
    for (size_t i = 0; i < map->count; i += 2)
        read_fact(r, &map->items[i], section);
}

static void read_capabilities(struct rf_merge *r, const struct rf_yaml *v)
{
    if (rf_merge_is_map(r, v, "\"capabilities\""))
        read_facts(r, v, RF_SECTION_CAPABILITIES);
}

static void read_limits(struct rf_merge *r, const struct rf_yaml *v)
{
    if (rf_merge_is_map(r, v, "\"limits\""))
        read_facts(r, v, RF_SECTION_LIMITS);
}

/* Settings. */

/* What it means is for whoever opens the model to find out, as with facts. */
static void read_setting(struct rf_merge *r, const struct rf_yaml *v)
{
    const struct rf_yaml *key = v - 1;
    const char *what = rf_strf(r->c->arena, "\"%.*s\"", RF_FMT(key->text)).p;
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, what))
        return;
    *fact_of(r, key->text, RF_SECTION_SETTINGS) = (struct rf_config_fact){
        .name = key->text,
        .value = v->text,
        .section = RF_SECTION_SETTINGS,
        .place = { r->file, key->line },
    };
}

/* Models. */

static void read_provider_name(struct rf_merge *r, const struct rf_yaml *v)
{
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"provider\""))
        return;
    r->model->provider = v->text;
    rf_merge_provider_exists(r, v->text, v->line);
}

static void read_model_name(struct rf_merge *r, const struct rf_yaml *v)
{
    if (rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"model\""))
        r->model->model = v->text;
}

/* Lists of other models. */

static void read_names(struct rf_merge *r, const struct rf_yaml *v, const char *what,
                       struct rf_config_names *out)
{
    struct rf_err e;
    bool good = v->kind == RF_YAML_LIST && v->count && v->count <= MOST_NAMES;
    for (size_t i = 0; good && i < v->count; i++)
        good = v->items[i].kind == RF_YAML_TEXT && v->items[i].text.n;
    if (!good) {
        rf_merge_problem(&e, r, v->line, "\"%s\" is not a list of models", what);
        rf_hint(&e, "Name from one to %d, as in [openai:gpt-5.4, llava].", MOST_NAMES);
        rf_problem_add(r->problems, &e);
        return;
    }
    out->count = 0;
    out->place = (struct rf_place){ r->file, v->line };
    for (size_t i = 0; i < v->count; i++)
        *RF_PUSH(r->c->arena, out->names, out->count, out->cap) = v->items[i].text;
}

static void read_any(struct rf_merge *r, const struct rf_yaml *v)
{
    read_names(r, v, "any", &r->model->any);
}

static void read_fallback(struct rf_merge *r, const struct rf_yaml *v)
{
    read_names(r, v, "fallback", &r->model->fallback);
}

static void read_weight(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_err e;
    int64_t weight;
    if (v->kind == RF_YAML_TEXT && rf_str_int64(v->text, &weight) && weight >= 1 &&
        weight <= MOST_WEIGHT) {
        r->model->weight = weight;
        return;
    }
    rf_merge_problem(&e, r, v->line, "\"weight\": expected a number from 1 to %d", MOST_WEIGHT);
    rf_hint(&e, "A model of weight 3 is asked three times as often as one of weight 1.");
    rf_problem_add(r->problems, &e);
}

static const struct rf_merge_key model_keys[] = {
    { "provider", read_provider_name },
    { "model", read_model_name },
    { "capabilities", read_capabilities },
    { "limits", read_limits },
    { "max_tokens", read_setting },
    { "temperature", read_setting },
    { "thinking", read_setting },
    { "system", read_setting },
    { "any", read_any },
    { "fallback", read_fallback },
    { "weight", read_weight },
};

const struct rf_config_model *rf_config_find(const struct rf_config *c, struct rf_str name)
{
    for (size_t i = 0; i < c->model_count; i++)
        if (rf_str_eq(c->models[i].name, name))
            return &c->models[i];
    return NULL;
}

static struct rf_config_model *model_of(struct rf_config *c, struct rf_str name)
{
    const struct rf_config_model *found = rf_config_find(c, name);
    if (found)
        return &c->models[found - c->models];
    struct rf_config_model *m = RF_PUSH(c->arena, c->models, c->model_count, c->model_cap);
    *m = (struct rf_config_model){ .name = name };
    return m;
}

/* The entry of the user's configuration that has this name, or that means the same. */
static bool is_users(const struct rf_config *c, struct rf_str name, const char *file)
{
    for (size_t i = 0; i < c->model_count; i++) {
        const struct rf_config_model *m = &c->models[i];
        struct rf_str model = name, provider = { 0 };
        bool whole = memchr(name.p, ':', name.n) && rf_str_split(&model, ':', &provider);
        if (m->place.file != file &&
            (rf_str_eq(m->name, name) ||
             (whole && rf_str_eq(m->provider, provider) && rf_str_eq(m->model, model))))
            return true;
    }
    return false;
}

static bool says_where(const struct rf_yaml *map)
{
    for (size_t i = 0; i < map->count; i += 2)
        if (rf_str_is(map->items[i].text, "provider") || rf_str_is(map->items[i].text, "model"))
            return true;
    return false;
}

/* A project's file adds names. It does not say what one means that means something without it:
 * nobody who uses such a name would look there. */
static bool may_name(struct rf_merge *r, const struct rf_yaml *key)
{
    const struct rf_key *row = rf_key_entry("models", key->text);
    struct rf_str name = key->text;
    const char *what = NULL;
    if (r->of_project && is_users(r->c, name, r->file))
        what = row->what;
    else if (r->of_project &&
             (rf_model_is_known(name) || (memchr(name.p, ':', name.n) && says_where(key + 1))))
        what = rf_key_find("models.*", RF_STR("provider"))->what;
    if (!what)
        return rf_merge_may_set(r, row, key, RF_ASKS_MORE);
    rf_merge_refuse(r, key->line, what);
    return false;
}

/* "anthropic:claude-sonnet-5" or a name, in a file of the person's own. */
static bool is_other_name(const struct rf_merge *r, const struct rf_yaml *v)
{
    return v->kind == RF_YAML_TEXT && v->text.n && !r->of_project;
}

void rf_merge_models(struct rf_merge *r, const struct rf_yaml *map)
{
    if (!rf_merge_is_map(r, map, "\"models\""))
        return;
    for (size_t i = 0; i < map->count; i += 2) {
        const struct rf_yaml *key = &map->items[i];
        const char *what = rf_strf(r->c->arena, "model \"%.*s\"", RF_FMT(key->text)).p;
        bool other = is_other_name(r, key + 1);
        if ((!other && !rf_merge_is_map(r, key + 1, what)) || !may_name(r, key))
            continue;
        r->entry = key->text;
        r->model = model_of(r->c, key->text);
        r->model->place = (struct rf_place){ r->file, key->line };
        if (other)
            r->model->same_as = key[1].text;
        rf_merge_keys(r, key + 1, "models.*", model_keys, sizeof model_keys / sizeof *model_keys);
    }
}

/* Settling. */

bool rf_merge_model_exists(struct rf_merge *r, struct rf_str name, size_t line, const char *what)
{
    struct rf_str rest = name, provider;
    struct rf_err e;
    if (rf_config_find(r->c, name) || rf_model_is_provider(name))
        return true;
    if (memchr(name.p, ':', name.n) && rf_str_split(&rest, ':', &provider) && rest.n)
        return rf_merge_provider_exists(r, provider, line);
    rf_merge_problem(&e, r, line, "\"%s\": there is no model \"%.*s\"", what, RF_FMT(name));
    rf_hint_model(&e, r->c, name);
    rf_problem_add(r->problems, &e);
    return false;
}

bool rf_config_is_any(const struct rf_config *c, struct rf_str name)
{
    const struct rf_config_model *m = rf_config_find(c, name);
    if (m && m->same_as.n)
        m = rf_config_find(c, m->same_as);
    return m && m->any.count;
}

static void settle_names(struct rf_merge *r, const struct rf_config_names *list, const char *what)
{
    r->file = list->place.file;
    for (size_t i = 0; i < list->count; i++)
        rf_merge_model_exists(r, list->names[i], list->place.line, what);
}

/* A choice has no model of its own, and does not lead to another choice. */
static void settle_any(struct rf_merge *r, const struct rf_config_model *m)
{
    struct rf_err e;
    r->file = m->any.place.file;
    if (m->provider.n || m->model.n || m->count || m->weight) {
        rf_merge_problem(&e, r, m->any.place.line,
                         "model \"%.*s\" has \"any\", and is a model of its own", RF_FMT(m->name));
        rf_hint(&e, "Leave all but \"any\" and \"fallback\" to the models that it names.");
        rf_problem_add(r->problems, &e);
    }
    for (size_t i = 0; i < m->any.count; i++) {
        if (!rf_config_is_any(r->c, m->any.names[i]))
            continue;
        rf_merge_problem(&e, r, m->any.place.line, "\"any\": \"%.*s\" has an \"any\", too",
                         RF_FMT(m->any.names[i]));
        rf_hint(&e, "Name its models here.");
        rf_problem_add(r->problems, &e);
    }
}

static void settle_fallback(struct rf_merge *r, const struct rf_config_model *m)
{
    struct rf_err e;
    settle_names(r, &m->fallback, "fallback");
    for (size_t i = 0; i < m->fallback.count; i++) {
        if (!rf_str_eq(m->fallback.names[i], m->name))
            continue;
        rf_merge_problem(&e, r, m->fallback.place.line, "\"fallback\" of \"%.*s\" is itself",
                         RF_FMT(m->name));
        rf_hint(&e, "Name another model, which is asked where this one does not answer.");
        rf_problem_add(r->problems, &e);
    }
}

void rf_merge_settle_lists(struct rf_merge *r, const struct rf_config_model *m)
{
    settle_names(r, &m->any, "any");
    settle_fallback(r, m);
    if (m->any.count)
        settle_any(r, m);
}
