/* /model: another model from now on, or what there is to choose from and what each takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chat/commands.h"
#include "choose.h"
#include "report.h"
#include "text.h"

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

void rf_chat_run_model(struct rf_chat *c, struct rf_str argument)
{
    if (!argument.n) {
        say_models(c);
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
