/* /model: another model from now on, or what there is to choose from and what each takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chat/commands.h"
#include "chat/parts.h"
#include "choose.h"
#include "report.h"
#include "text.h"
#include "usable.h"

#define MOST_LINE 1024
#define NAME_CELLS 20

/* What a model takes, by its facts. */
static const struct {
    const char *fact, *word;
} senses[] = {
    { "vision", "images" },     { "native_pdf", "PDF" },     { "native_office", "office files" },
    { "audio_input", "sound" }, { "native_video", "video" },
};

static struct rf_str fact_of(struct rf_model *m, const char *name)
{
    for (size_t i = 0; i < rf_fact_count(); i++)
        if (strcmp(rf_fact_name(i), name) == 0)
            return rf_model_fact(m, i);
    return (struct rf_str){ "", 0 };
}

/* "images, PDF; 200k window" */
static void add_takes(struct rf_model *m, struct rf_buffer *out)
{
    int64_t window;
    bool any = false;
    for (size_t i = 0; i < sizeof senses / sizeof *senses; i++)
        if (rf_chat_is(fact_of(m, senses[i].fact), "yes")) {
            rf_buffer_print(out, "%s%s", any ? ", " : "", senses[i].word);
            any = true;
        }
    if (!any)
        rf_buffer_text(out, "text alone");
    if (rf_chat_number(fact_of(m, "context_tokens"), &window))
        rf_buffer_print(out, "; window of %lld tokens", (long long)window);
}

static void say_configured(struct rf_chat *c, struct rf_str name)
{
    struct rf_buffer b = { 0 };
    struct rf_model *m;
    struct rf_err err;
    char *copy = rf_text_copy(name);
    if (rf_model_open(c->config, copy, &m, &err)) {
        rf_buffer_print(&b, "cannot be used: %s", err.msg);
    } else {
        rf_buffer_str(&b, rf_model_provider(m));
        rf_buffer_text(&b, ":");
        rf_buffer_str(&b, rf_model_name(m));
        rf_buffer_text(&b, "; ");
        add_takes(m, &b);
        rf_model_close(m);
    }
    rf_chat_say_pair(c, NAME_CELLS, name, rf_buffer_view(&b));
    rf_buffer_release(&b);
    free(copy);
}

/* "anthropic: claude-*, …" */
static void say_provider(struct rf_chat *c, const char *provider)
{
    struct rf_buffer b = { 0 };
    struct rf_model *m;
    struct rf_err unseen;
    char any[128];
    snprintf(any, sizeof any, "%s:any", provider);
    for (size_t i = 0; i < rf_family_count(); i++)
        if (strcmp(rf_family_provider(i), provider) == 0)
            rf_buffer_print(&b, "%s%s", b.n ? ", " : "", rf_family_pattern(i));
    rf_buffer_print(&b, "%s", b.n ? ", or any other: " : "any: ");
    if (!rf_model_open(NULL, any, &m, &unseen)) {
        add_takes(m, &b);
        rf_model_close(m);
    }
    rf_chat_say_pair(c, NAME_CELLS, rf_text(provider), rf_buffer_view(&b));
    rf_buffer_release(&b);
}

static void say_models(struct rf_chat *c)
{
    size_t configured = rf_config_model_count(c->config);
    rf_chat_say(c, RF_STYLE_PLAIN, "the model is %s", c->model);
    if (configured)
        rf_chat_say(c, RF_STYLE_HEADING, "names of the configuration");
    for (size_t i = 0; i < configured; i++)
        say_configured(c, rf_config_model_name(c->config, i));
    rf_chat_say(c, RF_STYLE_HEADING, "providers, and the families that are known");
    for (size_t i = 0; i < rf_provider_count(); i++)
        say_provider(c, rf_provider_name(i));
    rf_chat_say(
        c, RF_STYLE_DIM,
        "/model PROVIDER:MODEL or a name takes one; refract models MODEL says all about it");
}

/* Choosing */

static void offer_configured(struct rf_chat *c, struct rf_chat_pick *p)
{
    char model[MOST_LINE], about[MOST_LINE];
    for (size_t i = 0; i < rf_config_model_count(c->config); i++) {
        char *name = rf_text_copy(rf_config_model_name(c->config, i));
        rf_choose_whole(c->config, name, model, sizeof model - 8);
        snprintf(about, sizeof about, "is %.1000s", model);
        if (strcmp(name, model) != 0)
            rf_chat_pick_add(p, rf_text(name), rf_text(about));
        free(name);
    }
}

/* What stood there before stays chosen, where it is there still; until a key is pressed, that is
 * the model in use. */
static void offer(struct rf_chat *c, struct rf_chat_pick *p, const struct rf_models *models)
{
    const struct rf_chat_pick_item *at = p->touched ? rf_chat_pick_at(p, p->at) : NULL;
    char *was = rf_text_copy(rf_text(at ? at->name : c->model)), about[RF_ABOUT_TEXT],
         line[MOST_LINE];
    rf_chat_pick_empty(p);
    offer_configured(c, p);
    for (size_t i = 0; i < rf_models_count(models); i++) {
        const struct rf_usable *m = rf_models_get(models, i);
        snprintf(line, sizeof line, "%s%s", rf_chat_is(m->name, c->model) ? "in use; " : "",
                 rf_usable_about(m, about));
        if (!m->purpose.n)
            rf_chat_pick_add(p, m->name, rf_text(line));
    }
    p->at = 0;
    rf_chat_pick_move_to(p, was);
    free(was);
}

static void fetch(struct rf_chat *c, void *ctx)
{
    struct rf_err unseen;
    (void)ctx;
    const struct rf_models_options what = {
        .size = sizeof what, .config = c->config, .goes_on = rf_chat_goes_on, .ctx = c
    };
    struct rf_network *network = rf_network_new();
    if (rf_models_fetch(network, &what, &c->fetched, &unseen))
        c->fetched = NULL;
    rf_network_free(network);
}

/* The choice may have been made meanwhile. */
static void fetched(struct rf_chat *c, void *ctx)
{
    (void)ctx;
    if (c->pick && c->fetched)
        offer(c, c->pick, c->fetched);
    rf_models_close(c->fetched);
    c->fetched = NULL;
}

/* What is kept is offered at once; lists that are missing or old are asked for meanwhile. */
static void pick_model(struct rf_chat *c)
{
    struct rf_chat_pick p = { .what = "model" };
    struct rf_models *models;
    struct rf_err err;
    char line[MOST_LINE];
    if (rf_models_open(c->config, &models, &err)) {
        rf_chat_error(c, &err);
        return;
    }
    offer(c, &p, models);
    if (rf_models_stale(models))
        rf_chat_work(c, "asking for the lists of models", fetch, fetched, NULL);
    rf_models_close(models);
    if (rf_chat_pick_ask(c, &p)) {
        snprintf(line, sizeof line, "/model %s", p.chosen);
        rf_chat_wait_line(c, rf_text(line), NULL);
    }
    rf_chat_pick_empty(&p);
}

void rf_chat_run_model(struct rf_chat *c, struct rf_str argument)
{
    if (!argument.n) {
        (c->plain ? say_models : pick_model)(c);
        return;
    }
    char *name = rf_text_copy(argument);
    if (rf_chat_take_model(c, name))
        rf_chat_count(c);
    free(name);
}

static bool lists_any_of(const struct rf_models *models, const char *provider)
{
    for (size_t i = 0; models && i < rf_models_count(models); i++)
        if (rf_chat_is(rf_models_get(models, i)->provider, provider))
            return true;
    return false;
}

/* Where a provider's models are not known, its families as far as their names are certain: what
 * stands before the first star. */
static void add_families(const struct rf_models *models, struct rf_chat_words *out)
{
    char name[MOST_LINE];
    for (size_t i = 0; i < rf_family_count(); i++) {
        const char *pattern = rf_family_pattern(i);
        if (lists_any_of(models, rf_family_provider(i)))
            continue;
        snprintf(name, sizeof name, "%s:%.*s", rf_family_provider(i), (int)strcspn(pattern, "*?"),
                 pattern);
        rf_chat_words_add(out, rf_text(name));
    }
}

/* The lists are those that are kept: nobody is asked while somebody types. */
void rf_chat_words_model(struct rf_chat *c, struct rf_str begun, struct rf_chat_words *out)
{
    struct rf_models *models = NULL;
    struct rf_err unseen;
    char name[MOST_LINE];
    (void)begun;
    for (size_t i = 0; i < rf_config_model_count(c->config); i++)
        rf_chat_words_add(out, rf_config_model_name(c->config, i));
    for (size_t i = 0; i < rf_provider_count(); i++) {
        bool alone = rf_choose_is_model(rf_provider_name(i));
        snprintf(name, sizeof name, "%s%s", rf_provider_name(i), alone ? "" : ":");
        rf_chat_words_add(out, rf_text(name));
    }
    if (rf_models_open(c->config, &models, &unseen))
        models = NULL;
    for (size_t i = 0; models && i < rf_models_count(models); i++)
        if (!rf_models_get(models, i)->purpose.n)
            rf_chat_words_add(out, rf_models_get(models, i)->name);
    add_families(models, out);
    rf_models_close(models);
}
