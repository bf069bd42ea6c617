/* Which model answers where none is named: what REFRACT_MODEL names, the model that the
 * configuration calls "default", or that of the first provider in the table that has a key; offline
 * where there is none.
 *
 * Nothing is read, run or called to know it. A key counts as set where a variable that may hold one
 * is, or where the configuration says how it is found; one that does not work says so when it is
 * used. What other programs have put into their own folders does not count: who logged in to a
 * cloud once has not chosen its models. */
#include "config/usual.h"

#include "base/arena.h"
#include "base/buf.h"
#include "config/config.h"
#include "config/moved.h"
#include "model/providers.h"

#include <refract/model.h>

#include <stdlib.h>

#define DEFAULT "default"

/* In the order in which they are asked. Each is a model of today that calls tools. */
static const struct row {
    const char *provider, *model;
    const char *variables; /* that count, with commas between them; NULL: those of its key */
} rows[] = {
    { "anthropic", "claude-sonnet-5", NULL },
    { "openai", "gpt-5.4-mini", NULL },
    { "google", "gemini-3.5-flash", NULL },
    { "openrouter", "anthropic/claude-sonnet-5", NULL },
    { "xai", "grok-4.3", NULL },
    { "groq", "openai/gpt-oss-120b", NULL },
    { "mistral", "mistral-medium-latest", NULL },
    { "cohere", "command-a-plus-05-2026", NULL },
    { "bedrock", "global.amazon.nova-2-lite-v1:0",
      "AWS_BEARER_TOKEN_BEDROCK,AWS_ACCESS_KEY_ID,AWS_PROFILE" },
    { "vertex", "gemini-3.5-flash",
      "VERTEX_API_KEY,GOOGLE_OAUTH_ACCESS_TOKEN,CLOUDSDK_AUTH_ACCESS_TOKEN,"
      "GOOGLE_APPLICATION_CREDENTIALS" },
    { "litellm", "gpt-5.4-mini", "LITELLM_BASE_URL,LITELLM_API_KEY" },
    { "ollama", "gemma3", "OLLAMA_HOST,OLLAMA_API_KEY" },
};
#define ROW_COUNT (sizeof rows / sizeof *rows)
#define SHOWN_ROWS 3 /* of which somebody without any key hears */

struct usual {
    const char *model, *why;
    enum rf_usual_source source;
};

struct rf_usual {
    struct rf_arena *arena;
    struct usual *all;
    size_t count, cap;
};

static void add(struct rf_usual *u, enum rf_usual_source source, const char *model, const char *why)
{
    *RF_PUSH(u->arena, u->all, u->count, u->cap) =
        (struct usual){ .model = model, .why = why, .source = source };
}

static const char *variables_of(const struct row *row)
{
    return row->variables ? row->variables : rf_provider_row(rf_str(row->provider))->key_variables;
}

/* Why this provider can be asked, or NULL. */
static const char *reason(const struct rf_config *c, const struct row *row, struct rf_arena *a)
{
    const struct rf_config_provider *said = rf_config_provider(c, rf_str(row->provider));
    const char *name;
    const struct rf_config_key *key = rf_config_key(said, 0);
    if (key && key->command_count)
        return "the configuration has a command for its key";
    if (key)
        return rf_variable_of(rf_cstr(a, key->variable), a, &name).n
                   ? rf_strf(a, "%s is set", name).p
                   : NULL;
    if (rf_variable_of(variables_of(row), a, &name).n)
        return rf_strf(a, "%s is set", name).p;
    bool open = rf_provider_row(rf_str(row->provider))->key_optional;
    return open && said && said->base_url.n ? "the configuration says where it is" : NULL;
}

const char *rf_usual_provider(size_t i)
{
    return i < ROW_COUNT ? rows[i].provider : NULL;
}

const char *rf_usual_provider_model(size_t i)
{
    return rows[i].model;
}

bool rf_usual_provider_has_key(const struct rf_config *c, size_t i)
{
    struct rf_arena *a = rf_arena_new();
    bool has = reason(c, &rows[i], a) != NULL;
    rf_arena_free(a);
    return has;
}

bool rf_usual_has_key(const struct rf_config *c, const char *provider)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].provider, provider) == 0)
            return rf_usual_provider_has_key(c, i);
    return false;
}

static const char *no_key(struct rf_arena *a)
{
    struct rf_buf b;
    struct rf_str text;
    rf_buf_init(&b, a, 1024);
    rf_buf_addf(&b, "no key is set (");
    for (size_t i = 0; i < SHOWN_ROWS; i++) {
        const char *variables = variables_of(&rows[i]);
        rf_buf_addf(&b, "%.*s, ", (int)strcspn(variables, ","), variables);
    }
    rf_buf_addf(&b, "...)");
    return rf_buf_finish(&b, &text, NULL) ? "" : text.p;
}

struct rf_usual *rf_usual_find(const struct rf_config *config)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_usual *u = RF_NEW(a, struct rf_usual);
    const char *named = getenv("REFRACT_MODEL"), *why;
    u->arena = a;
    if (named && *named)
        add(u, RF_USUAL_VARIABLE, rf_cstr(a, rf_str(named)), "REFRACT_MODEL names it");
    if (config && rf_config_find(config, RF_STR(DEFAULT)))
        add(u, RF_USUAL_CONFIGURED, DEFAULT, "the configuration names it");
    for (size_t i = 0; i < ROW_COUNT; i++)
        if ((why = reason(config, &rows[i], a)))
            add(u, RF_USUAL_KEY, rf_strf(a, "%s:%s", rows[i].provider, rows[i].model).p, why);
    if (!u->count)
        add(u, RF_USUAL_OFFLINE, "offline", no_key(a));
    return u;
}

void rf_usual_free(struct rf_usual *u)
{
    if (u)
        rf_arena_free(u->arena);
}

size_t rf_usual_count(const struct rf_usual *u)
{
    return u->count;
}

const char *rf_usual_model(const struct rf_usual *u, size_t i)
{
    return i < u->count ? u->all[i].model : "";
}

const char *rf_usual_why(const struct rf_usual *u, size_t i)
{
    return i < u->count ? u->all[i].why : "";
}

enum rf_usual_source rf_usual_source(const struct rf_usual *u, size_t i)
{
    return i < u->count ? u->all[i].source : RF_USUAL_OFFLINE;
}
