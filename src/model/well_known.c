#include "model/well_known.h"

/* Each takes something that those before it do not. */
static const struct {
    const char *provider, *name;
} models[] = {
    { "anthropic", "claude-sonnet-5" },       /* pictures, PDF */
    { "openai", "gpt-5.4-mini" },             /* office files, longer documents */
    { "google", "gemini-3.5-flash" },         /* sound, films */
    { "bedrock", "us.amazon.nova-pro-v1:0" }, /* films in tool results */
};

bool rf_model_well_known(size_t i, struct rf_model *m, struct rf_arena *a)
{
    if (i >= sizeof models / sizeof *models)
        return false;
    if (rf_model_init(m, rf_str(models[i].provider), rf_str(models[i].name), a, NULL))
        RF_BUG("a model that is well known is not in the catalogue");
    return true;
}
