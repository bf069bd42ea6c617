/* What the configuration says of references to files (@photo.png):
 *
 *     references:
 *       enabled: yes
 *       model_requirements: ["gemini-3-pro*", "claude-*"]
 *       base_path: ~/papers
 */
#include "config/merge.h"

#include "base/arena.h"

#define MOST_MODELS 256 /* patterns */

static void read_enabled(struct rf_merge *r, const struct rf_yaml *v)
{
    bool yes;
    if (!rf_merge_switch(r, v, "\"enabled\"", &yes))
        return;
    r->c->references.off = !yes;
    r->c->references.place = (struct rf_place){ r->file, v->line };
}

static bool is_pattern(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_err e;
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"model_requirements\""))
        return false;
    if (v->text.n)
        return true;
    rf_merge_problem(&e, r, v->line, "\"model_requirements\": a pattern is empty");
    rf_hint(&e, "Name a model, or models with a star: \"claude-*\".");
    rf_problem_add(r->problems, &e);
    return false;
}

/* The list of a later file takes the place of an earlier one's. */
static void read_models(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_config_references *c = &r->c->references;
    struct rf_err e;
    if (!rf_merge_is_kind(r, v, RF_YAML_LIST, "\"model_requirements\""))
        return;
    if (v->count > MOST_MODELS) {
        rf_merge_problem(&e, r, v->line, "\"model_requirements\": more than %d patterns",
                         MOST_MODELS);
        rf_hint(&e, "Use a star for models that begin alike.");
        rf_problem_add(r->problems, &e);
        return;
    }
    c->model_count = 0;
    c->place = (struct rf_place){ r->file, v->line };
    for (size_t i = 0; i < v->count; i++)
        if (is_pattern(r, &v->items[i]))
            *RF_PUSH(r->c->arena, c->models, c->model_count, c->model_cap) = v->items[i].text;
}

static void read_base(struct rf_merge *r, const struct rf_yaml *v)
{
    struct rf_err e;
    if (!rf_merge_is_kind(r, v, RF_YAML_TEXT, "\"base_path\""))
        return;
    if (!rf_str_starts(v->text, "/") && !rf_str_starts(v->text, "~/")) {
        rf_merge_problem(&e, r, v->line, "\"base_path\": this is not a whole path");
        rf_hint(&e, "Begin it with / or ~/, as in ~/papers.");
        rf_problem_add(r->problems, &e);
        return;
    }
    r->c->references.base_path = rf_store_folder(v->text, r->c->arena);
    r->c->references.place = (struct rf_place){ r->file, v->line };
}

static const struct rf_merge_key keys[] = {
    { "enabled", read_enabled },
    { "model_requirements", read_models },
    { "base_path", read_base },
};

bool rf_config_refers(const struct rf_config *c, struct rf_str provider, struct rf_str model,
                      struct rf_arena *a)
{
    size_t count = c ? c->references.model_count : 0;
    struct rf_str whole = rf_strf(a, "%.*s:%.*s", RF_FMT(provider), RF_FMT(model));
    for (size_t i = 0; i < count; i++)
        if (rf_glob(c->references.models[i], model) || rf_glob(c->references.models[i], whole))
            return true;
    return !count;
}

const char *rf_config_base_path(const struct rf_config *c)
{
    return c ? c->references.base_path : NULL;
}

void rf_merge_references(struct rf_merge *r, const struct rf_yaml *v)
{
    if (rf_merge_is_map(r, v, "\"references\""))
        rf_merge_keys(r, v, "references", keys, sizeof keys / sizeof *keys);
}
