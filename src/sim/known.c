/* Which models each server knows, and how it wants to be asked for a key: rows, and nothing
 * else. The names are looser than any server's list, so that a model of next month is known too;
 * what they keep out is what was misspelled. */
#include "base/arena.h"
#include "sim/sim.h"

static const struct {
    const char *provider, *pattern;
} models[] = {
    { "anthropic", "claude-2*" },
    { "anthropic", "claude-3-*" },
    { "anthropic", "claude-instant-*" },
    { "anthropic", "claude-opus-*" },
    { "anthropic", "claude-sonnet-*" },
    { "anthropic", "claude-haiku-*" },
    { "anthropic", "claude-fable-*" },
    { "anthropic", "claude-mythos-*" },
    { "bedrock", "*anthropic.claude-*" },
    { "bedrock", "*amazon.nova-*v1:0" },
    { "bedrock", "*amazon.nova-*v2:0" },
    { "bedrock", "*amazon.titan-*" },
    { "bedrock", "*meta.llama*" },
    { "bedrock", "*mistral.*" },
    { "bedrock", "*writer.*" },
    { "bedrock", "*qwen.*" },
    { "bedrock", "*openai.*" },
    { "bedrock", "*google.gemma*" },
    { "bedrock", "*minimax.*" },
    { "bedrock", "*zai.*" },
    { "bedrock", "*moonshot*" },
    { "bedrock", "*deepseek.*" },
    { "bedrock", "*cohere.*" },
    { "bedrock", "*ai21.*" },
    { "bedrock", "*nvidia.*" },
    { "bedrock", "arn:aws*:bedrock:*" },
    { "cohere", "command*" },
    { "cohere", "c4ai-*" },
    { "cohere", "*aya-*" },
    { "cohere", "north-*" },
};

bool rf_sim_knows(const struct rf_model *m)
{
    bool listed = false;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        if (!rf_str_is(m->provider, models[i].provider))
            continue;
        listed = true;
        if (rf_glob(rf_str(models[i].pattern), m->name))
            return true;
    }
    return !listed;
}

/* A key is in any of these headers or query parameters; what it is does not matter. */
static const struct {
    const char *provider;
    const char *headers; /* with commas between them */
    const char *query;   /* or NULL */
    int status;
    const char *type, *message;
} doors[] = {
    { "anthropic", "x-api-key,authorization", NULL, 401, "authentication_error",
      "x-api-key header is required" },
    { "bedrock", "authorization", NULL, 403, "MissingAuthenticationTokenException",
      "Missing Authentication Token" },
    { "google", "x-goog-api-key,authorization", "key", 403, "PERMISSION_DENIED",
      "Method doesn't allow unregistered callers (callers without established identity). Please "
      "use API Key or other form of API consumer identity to call this API." },
    { "vertex", "authorization,x-goog-api-key", "key", 401, "UNAUTHENTICATED",
      "Request is missing required authentication credential. Expected OAuth 2 access token, login "
      "cookie or other valid authentication credential. See "
      "https://developers.google.com/identity/sign-in/web/devconsole-project." },
    { "openai", "authorization", NULL, 401, "invalid_request_error",
      "You didn't provide an API key. You need to provide your API key in an Authorization header "
      "using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)." },
    { "openai-chat", "authorization", NULL, 401, "invalid_request_error",
      "You didn't provide an API key. You need to provide your API key in an Authorization header "
      "using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)." },
    { "groq", "authorization", NULL, 401, "invalid_request_error", "Invalid API Key" },
    { "xai", "authorization", NULL, 401, "Unauthorized", "No API key provided." },
    { "xai-chat", "authorization", NULL, 401, "Unauthorized", "No API key provided." },
    { "openrouter", "authorization", NULL, 401, "", "No auth credentials found" },
    { "mistral", "authorization", NULL, 401, "", "Unauthorized" },
    { "cohere", "authorization", NULL, 401, "", "no api key supplied" },
};

static bool in_query(const char *path, const char *name)
{
    const char *query = strchr(path, '?');
    struct rf_str rest = rf_str(query ? query + 1 : ""), piece;
    size_t n = strlen(name);
    while (rf_str_split(&rest, '&', &piece))
        if (piece.n > n + 1 && memcmp(piece.p, name, n) == 0 && piece.p[n] == '=')
            return true;
    return false;
}

static bool has_key(struct rf_sim_request *r, const char *headers, const char *query)
{
    struct rf_str rest = rf_str(headers), name;
    while (rf_str_split(&rest, ',', &name)) {
        const char *value =
            r->call->header ? r->call->header(r->call->ctx, rf_cstr(r->arena, name)) : NULL;
        if (value && value[0])
            return true;
    }
    return query && in_query(r->call->path, query);
}

bool rf_sim_admit(struct rf_sim_request *r, struct rf_sim_refusal *out)
{
    for (size_t i = 0; i < sizeof doors / sizeof *doors; i++) {
        if (!rf_str_is(r->model->provider, doors[i].provider) ||
            has_key(r, doors[i].headers, doors[i].query))
            continue;
        out->type = rf_str(doors[i].type);
        return rf_sim_refuse(r, out, doors[i].status, "%s", doors[i].message);
    }
    return true;
}
