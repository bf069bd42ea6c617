#include "choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct last_model {
    const char *id;
    char *out;
    size_t size;
};

static void take_model(void *ctx, const struct rf_session_info *i)
{
    struct last_model *l = ctx;
    if (i->id.n != strlen(l->id) || memcmp(i->id.p, l->id, i->id.n) != 0 || !i->provider.n)
        return;
    rf_choose_name(i->provider, i->model, l->out, l->size);
}

void rf_choose_name(struct rf_str provider, struct rf_str model, char *out, size_t size)
{
    bool one = provider.n == model.n && memcmp(provider.p, model.p, model.n) == 0;
    snprintf(out, size, "%.*s%s%.*s", RF_FMT(provider), one ? "" : ":", one ? 0 : (int)model.n,
             model.p);
}

bool rf_choose_is_model(const char *provider)
{
    for (size_t i = 0; i < rf_family_count(); i++)
        if (strcmp(rf_family_provider(i), provider) == 0 &&
            strcmp(rf_family_pattern(i), provider) == 0)
            return true;
    return false;
}

static bool is_configured(const struct rf_config *c, const char *name)
{
    for (size_t i = 0; i < rf_config_model_count(c); i++) {
        struct rf_str n = rf_config_model_name(c, i);
        if (n.n == strlen(name) && memcmp(n.p, name, n.n) == 0)
            return true;
    }
    return false;
}

bool rf_choose_model(const char *given, const struct rf_config *config, struct rf_store *store,
                     const char *session, char *out, size_t size)
{
    const char *usual = getenv("REFRACT_MODEL");
    struct last_model last = { session, out, size };
    struct rf_err unseen;
    out[0] = '\0';
    if (given)
        snprintf(out, size, "%s", given);
    else if (session[0] && rf_store_list(store, 0, take_model, &last, &unseen))
        out[0] = '\0';
    if (out[0])
        return true;
    if (!usual || !*usual)
        usual = is_configured(config, "default") ? "default" : NULL;
    snprintf(out, size, "%s", usual ? usual : "offline");
    return usual;
}
