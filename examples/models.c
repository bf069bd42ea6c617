/* The models that can be used here, as the providers list them, and why a list is missing.
 *
 *     cc models.c $(pkg-config --cflags --libs refract) -o models
 *     ANTHROPIC_API_KEY=… ./models
 */
#include <stdio.h>
#include <stdlib.h>

#include <refract/refract.h>

_Noreturn static void give_up(const struct rf_err *err)
{
    fprintf(stderr, "%s\n%s\n", err->msg, err->hint);
    exit(1);
}

static void print_models(const struct rf_models *models)
{
    for (size_t i = 0; i < rf_models_count(models); i++) {
        const struct rf_usable *m = rf_models_get(models, i);
        if (!m->purpose.n)
            printf("%.*s\t%lld tokens\t%s\n", RF_FMT(m->name), (long long)m->context_tokens,
                   m->takes & RF_TAKES_IMAGES ? "sees" : "reads");
    }
}

static void print_missing(const struct rf_models *models)
{
    for (size_t i = 0; i < rf_models_provider_count(models); i++) {
        const struct rf_listed_provider *p = rf_models_provider(models, i);
        if (p->why)
            fprintf(stderr, "%.*s: %s\n", RF_FMT(p->provider), p->why->msg);
    }
}

int main(void)
{
    struct rf_models_options what = { .size = sizeof what };
    struct rf_network *network = rf_network_new();
    struct rf_config *config = NULL;
    struct rf_models *models = NULL;
    struct rf_err err;
    if (rf_config_open(&config, &err))
        give_up(&err);
    what.config = config;
    if (rf_models_open(config, &models, &err))
        give_up(&err);
    if (rf_models_stale(models) || rf_models_count(models) < 2) {
        rf_models_close(models);
        if (rf_models_fetch(network, &what, &models, &err))
            give_up(&err);
    }
    print_models(models);
    print_missing(models);
    rf_models_close(models);
    rf_config_close(config);
    rf_network_free(network);
    return 0;
}
