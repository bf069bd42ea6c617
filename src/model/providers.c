/* The rows: one a provider of the catalogue.
 *
 * An address is the one that the vendor's own SDK has for its default, so that the variable
 * which moves that SDK moves us to the same place: OpenAI's and xAI's end in their version,
 * Anthropic's, Groq's and Mistral's do not. Anthropic is asked in its version of 2023, unless
 * a client that speaks its API asks for another: its replies are the ones that were recorded.
 * It takes a key in a header of its own. */
#include "model/providers.h"

#include <string.h>

#define OPENAI_HEADERS "OpenAI-Organization: $OPENAI_ORG_ID\nOpenAI-Project: $OPENAI_PROJECT_ID"
#define VERTEX_MODEL \
    "/v1beta1/[projects/{project}/locations/{location}/]publishers/google/models/{model}"

const struct rf_provider_row rf_provider_rows[] = {
    {
        .provider = "anthropic",
        .base_url = "https://api.anthropic.com",
        .moved_by = "ANTHROPIC_BASE_URL",
        .path = "/v1/messages",
        .auth = RF_AUTH_HEADER,
        .auth_header = "x-api-key",
        .key_variables = "ANTHROPIC_API_KEY",
        .headers = "anthropic-version: 2023-06-01",
        .version_header = "anthropic-version",
        .lists = "/v1/models?limit=1000",
        .list_format = "anthropic",
    },
    {
        .provider = "bedrock",
        .base_url = "https://bedrock-runtime.{region}.amazonaws.com",
        .moved_by = "AWS_ENDPOINT_URL_BEDROCK_RUNTIME,AWS_ENDPOINT_URL",
        .path = "/model/{model}/converse",
        .stream_path = "/model/{model}/converse-stream",
        .auth = RF_AUTH_AWS,
        .key_variables = "AWS_BEARER_TOKEN_BEDROCK",
        .service = "bedrock",
        .region_variables = "AWS_REGION,AWS_DEFAULT_REGION",
        .lists = "/foundation-models /inference-profiles?maxResults=1000",
        .list_format = "bedrock",
        .list_base = "https://bedrock.{region}.amazonaws.com",
        .account_variables = "AWS_ACCESS_KEY_ID,AWS_PROFILE",
    },
    {
        .provider = "google",
        .base_url = "https://generativelanguage.googleapis.com",
        .moved_by = "GEMINI_BASE_URL,GOOGLE_GEMINI_BASE_URL",
        .path = "/v1beta/models/{model}:generateContent",
        .stream_path = "/v1beta/models/{model}:streamGenerateContent?alt=sse",
        .auth = RF_AUTH_HEADER,
        .auth_header = "x-goog-api-key",
        .key_variables = "GEMINI_API_KEY,GOOGLE_API_KEY",
        .lists = "/v1beta/models?pageSize=1000",
        .list_format = "gemini",
    },
    {
        .provider = "vertex",
        .base_url = "https://{location}-aiplatform.googleapis.com",
        .moved_by = "VERTEX_BASE_URL,GOOGLE_VERTEX_BASE_URL",
        .path = VERTEX_MODEL ":generateContent",
        .stream_path = VERTEX_MODEL ":streamGenerateContent?alt=sse",
        .auth = RF_AUTH_GOOGLE,
        .auth_header = "x-goog-api-key",
        .key_variables = "VERTEX_API_KEY,GOOGLE_API_KEY",
        .token_variables = "GOOGLE_OAUTH_ACCESS_TOKEN,CLOUDSDK_AUTH_ACCESS_TOKEN",
        .project_variables = "GOOGLE_CLOUD_PROJECT,GCLOUD_PROJECT,CLOUDSDK_CORE_PROJECT",
        .location_variables = "GOOGLE_CLOUD_LOCATION,GOOGLE_CLOUD_REGION",
        .location = "global",
        .places = "global=https://aiplatform.googleapis.com "
                  "us=https://aiplatform.us.rep.googleapis.com "
                  "eu=https://aiplatform.eu.rep.googleapis.com",
        .lists = "/v1beta1/publishers/google/models?pageSize=100",
        .list_format = "vertex",
        .account_variables = "GOOGLE_APPLICATION_CREDENTIALS",
    },
    {
        .provider = "openai",
        .base_url = "https://api.openai.com/v1",
        .moved_by = "OPENAI_BASE_URL",
        .path = "/responses",
        .auth = RF_AUTH_BEARER,
        .key_variables = "OPENAI_API_KEY",
        .headers = OPENAI_HEADERS,
        .lists = "/models",
        .list_format = "openai",
    },
    {
        .provider = "openai-chat",
        .base_url = "https://api.openai.com/v1",
        .moved_by = "OPENAI_BASE_URL",
        .path = "/chat/completions",
        .auth = RF_AUTH_BEARER,
        .key_variables = "OPENAI_API_KEY",
        .headers = OPENAI_HEADERS,
        .lacks = "*-pro *-pro-* *codex* *deep-research* computer-use-*",
    },
    {
        .provider = "xai",
        .base_url = "https://api.x.ai/v1",
        .moved_by = "XAI_BASE_URL",
        .path = "/responses",
        .auth = RF_AUTH_BEARER,
        .key_variables = "XAI_API_KEY",
        .lists = "/models",
        .list_format = "openai",
    },
    {
        .provider = "xai-chat",
        .base_url = "https://api.x.ai/v1",
        .moved_by = "XAI_BASE_URL",
        .path = "/chat/completions",
        .auth = RF_AUTH_BEARER,
        .key_variables = "XAI_API_KEY",
    },
    {
        .provider = "groq",
        .base_url = "https://api.groq.com",
        .moved_by = "GROQ_BASE_URL",
        .path = "/openai/v1/chat/completions",
        .auth = RF_AUTH_BEARER,
        .key_variables = "GROQ_API_KEY",
        .lists = "/openai/v1/models",
        .list_format = "openai",
    },
    {
        .provider = "openrouter",
        .base_url = "https://openrouter.ai/api/v1",
        .moved_by = "OPENROUTER_BASE_URL",
        .path = "/chat/completions",
        .auth = RF_AUTH_BEARER,
        .key_variables = "OPENROUTER_API_KEY",
        .lists = "/models",
        .list_format = "openrouter",
    },
    {
        .provider = "mistral",
        .base_url = "https://api.mistral.ai",
        .moved_by = "MISTRAL_BASE_URL",
        .path = "/v1/chat/completions",
        .auth = RF_AUTH_BEARER,
        .key_variables = "MISTRAL_API_KEY",
        .lists = "/v1/models",
        .list_format = "mistral",
    },
    {
        .provider = "cohere",
        .base_url = "https://api.cohere.com",
        .moved_by = "CO_API_URL",
        .path = "/v2/chat",
        .auth = RF_AUTH_BEARER,
        .key_variables = "CO_API_KEY,COHERE_API_KEY",
        .lists = "/v1/models?page_size=1000",
        .list_format = "cohere",
    },
    {
        .provider = "ollama",
        .base_url = "http://127.0.0.1:11434",
        .moved_by = "OLLAMA_HOST",
        .path = "/api/chat",
        .auth = RF_AUTH_BEARER,
        .key_variables = "OLLAMA_API_KEY",
        .key_optional = true,
        .lists = "/api/tags",
        .list_format = "ollama",
    },
    {
        .provider = "litellm",
        .moved_by = "LITELLM_BASE_URL",
        .path = "/v1/chat/completions",
        .auth = RF_AUTH_BEARER,
        .key_variables = "LITELLM_API_KEY",
        .key_optional = true,
        .lists = "/v1/models /v1/model/info",
        .list_format = "litellm",
    },
    {
        .provider = "openai-compatible",
        .moved_by = "OPENAI_COMPATIBLE_BASE_URL",
        .path = "/chat/completions",
        .auth = RF_AUTH_BEARER,
        .key_variables = "OPENAI_COMPATIBLE_API_KEY",
        .key_optional = true,
        .lists = "/models",
        .list_format = "openai",
    },
    {
        .provider = "offline",
        .base_url = "sim:",
        .path = "/v1/messages",
        .auth = RF_AUTH_NONE,
        .key_optional = true,
        .headers = "anthropic-version: 2023-06-01",
    },
};

/* Programs that have tools run and show the results to models of their own. */
static const struct rf_provider_row hosts = {
    .provider = "mcp",
    .path = "/",
    .key_optional = true,
    .host = true,
};

const size_t rf_provider_row_count = sizeof rf_provider_rows / sizeof *rf_provider_rows;

const struct rf_provider_row *rf_provider_row(struct rf_str provider)
{
    for (size_t i = 0; i < rf_provider_row_count; i++)
        if (rf_str_is(provider, rf_provider_rows[i].provider))
            return &rf_provider_rows[i];
    return rf_str_is(provider, hosts.provider) ? &hosts : NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

bool rf_provider_is_sibling(const struct rf_provider_row *a, const struct rf_provider_row *b)
{
    return a != b && is_same(a->base_url, b->base_url) && is_same(a->moved_by, b->moved_by) &&
           is_same(a->key_variables, b->key_variables) && a->auth == b->auth;
}

bool rf_provider_lacks(const struct rf_provider_row *row, struct rf_str model)
{
    struct rf_str rest = rf_str(row->lacks ? row->lacks : ""), pattern;
    while (rf_str_split(&rest, ' ', &pattern))
        if (rf_glob(pattern, model))
            return true;
    return false;
}
