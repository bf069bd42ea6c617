#include "sim/route.h"

#include "base/arena.h"
#include "model/providers.h"
#include "sim/sim.h"

/* Whose path is it, where it is not said: the first that matches. */
static const struct {
    const char *pattern, *provider;
} shapes[] = {
    { "*/v1/messages", "anthropic" },
    { "*/model/*/converse*", "bedrock" },
    { "*/projects/*:*enerateContent", "vertex" },
    { "*/publishers/*:*enerateContent", "vertex" },
    { "*:*enerateContent", "google" },
    { "*/chat/completions", "openai-chat" },
    { "*/responses", "openai" },
    { "*/api/chat", "ollama" },
    { "*/v2/chat", "cohere" },
    { "*/api/show", "ollama" },
    { "*/api/tags", "ollama" },
    { "*/api/version", "ollama" },
    { "*/api/embed*", "ollama" },
    { "*/messages/count_tokens", "anthropic" },
    { "*/model/*/count-tokens", "bedrock" },
    { "*/foundation-models", "bedrock" },
    { "*/inference-profiles", "bedrock" },
    { "*/model/info", "litellm" },
    { "*/projects/*:*", "vertex" },
    { "*/publishers/*", "vertex" },
    { "*/v1beta/*", "google" },
    { "*/v2/embed", "cohere" },
    { "*/v1/*", "openai" },
};

/* Real paths that begin with another provider's name. */
static const struct {
    const char *pattern, *provider;
} misleading[] = {
    { "/openai/v1/*", "groq" },
};

/* Providers that are one server: the end of the path tells them apart. */
static const struct {
    const char *provider, *pattern, *instead;
} twins[] = {
    { "openai", "*/chat/completions", "openai-chat" },
    { "openai-chat", "*/responses", "openai" },
    { "xai", "*/chat/completions", "xai-chat" },
    { "xai-chat", "*/responses", "xai" },
};

/* What each may be asked for, and where the model's name is. */
static const struct {
    const char *provider, *pattern;
    const char *before, *after; /* of the model's name; or NULL */
    bool stream;
    const struct rf_sim_dialect *dialect; /* another than the provider's; or NULL */
} paths[] = {
    { "anthropic", "*/messages", NULL, NULL, false, NULL },
    { "offline", "*/messages", NULL, NULL, false, NULL },
    { "bedrock", "*/model/*/converse", "/model/", "/converse", false, NULL },
    { "bedrock", "*/model/*/converse-stream", "/model/", "/converse-stream", true, NULL },
    { "google", "*/models/*:generateContent", "/models/", ":generateContent", false, NULL },
    { "google", "*/models/*:streamGenerateContent", "/models/", ":streamGenerateContent", true,
      NULL },
    { "vertex", "*/models/*:generateContent", "/models/", ":generateContent", false, NULL },
    { "vertex", "*/models/*:streamGenerateContent", "/models/", ":streamGenerateContent", true,
      NULL },
    { "openai", "*/responses", NULL, NULL, false, NULL },
    { "openai-chat", "*/chat/completions", NULL, NULL, false, NULL },
    { "xai", "*/responses", NULL, NULL, false, NULL },
    { "xai-chat", "*/chat/completions", NULL, NULL, false, NULL },
    { "groq", "*/chat/completions", NULL, NULL, false, NULL },
    { "openrouter", "*/chat/completions", NULL, NULL, false, NULL },
    { "mistral", "*/chat/completions", NULL, NULL, false, NULL },
    { "litellm", "*/chat/completions", NULL, NULL, false, NULL },
    { "openai-compatible", "*/chat/completions", NULL, NULL, false, NULL },
    { "ollama", "*/api/chat", NULL, NULL, false, NULL },
    { "cohere", "*/v2/chat", NULL, NULL, false, NULL },
    { "ollama", "*/v1/chat/completions", NULL, NULL, false, &rf_sim_ollama_chat },
    { "ollama", "*/v1/responses", NULL, NULL, false, &rf_sim_ollama_responses },
    { "ollama", "*/v1/messages", NULL, NULL, false, &rf_sim_ollama_messages },
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* "/groq/openai/v1/…" is "groq" and "/openai/v1/…". */
static bool first_segment(struct rf_str *path, struct rf_str *provider)
{
    struct rf_str rest = { path->p + 1, path->n - 1 }, name;
    if (path->n == 0 || path->p[0] != '/' || !rf_str_split(&rest, '/', &name) ||
        !rf_provider_row(name))
        return false;
    *provider = name;
    *path = (struct rf_str){ path->p + 1 + name.n, path->n - 1 - name.n };
    return true;
}

static struct rf_str find_provider(struct rf_str *path, const char *given)
{
    struct rf_str provider;
    for (size_t i = 0; given && i < COUNT(misleading); i++)
        if (strcmp(given, misleading[i].provider) == 0 &&
            rf_glob(rf_str(misleading[i].pattern), *path))
            return rf_str(given);
    if (first_segment(path, &provider))
        return provider;
    for (size_t i = 0; !given && i < COUNT(shapes); i++)
        if (rf_glob(rf_str(shapes[i].pattern), *path))
            return rf_str(shapes[i].provider);
    return rf_str(given);
}

static struct rf_str percent_decode(struct rf_str s, struct rf_arena *a)
{
    char *p = rf_arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool coded = s.p[i] == '%' && i + 2 < s.n && rf_hex_digit(s.p[i + 1]) >= 0 &&
                     rf_hex_digit(s.p[i + 2]) >= 0;
        p[n++] = coded ? (char)(rf_hex_digit(s.p[i + 1]) * 16 + rf_hex_digit(s.p[i + 2])) : s.p[i];
        i += coded ? 2 : 0;
    }
    return (struct rf_str){ p, n };
}

struct rf_str rf_sim_path_name(struct rf_str path, const char *before, const char *after,
                               struct rf_arena *a)
{
    const char *start = memmem(path.p, path.n, before, strlen(before));
    const char *end = path.p + path.n - strlen(after);
    start = start ? start + strlen(before) : end;
    return start < end ? percent_decode((struct rf_str){ start, (size_t)(end - start) }, a)
                       : RF_STR("");
}

struct rf_str rf_sim_path_provider(const char *path, const char *provider, struct rf_str *rest)
{
    *rest = (struct rf_str){ path, strcspn(path, "?") };
    struct rf_str who = find_provider(rest, provider);
    for (size_t i = 0; i < COUNT(twins); i++)
        if (rf_str_is(who, twins[i].provider) && rf_glob(rf_str(twins[i].pattern), *rest))
            return rf_str(twins[i].instead);
    return who;
}

bool rf_sim_find_route(const char *path, const char *provider, struct rf_arena *a,
                       struct rf_sim_route *out)
{
    struct rf_str p, who = rf_sim_path_provider(path, provider, &p);
    for (size_t i = 0; i < COUNT(paths); i++) {
        if (!rf_str_is(who, paths[i].provider) || !rf_glob(rf_str(paths[i].pattern), p))
            continue;
        *out = (struct rf_sim_route){ .provider = who,
                                      .stream = paths[i].stream,
                                      .dialect = paths[i].dialect };
        if (paths[i].before)
            out->model = rf_sim_path_name(p, paths[i].before, paths[i].after, a);
        return true;
    }
    return false;
}
