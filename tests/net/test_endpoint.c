/* Where requests go and with which key: rows, variables, configuration; and what is said where
 * something is missing or wrong. No message holds a key. */
#include "../testing.h"
#include "base/limits.h"
#include "environment.h"
#include "prepared.h"

#define USER_ACCOUNT                                                             \
    "{\"type\":\"authorized_user\",\"client_id\":\"c\",\"client_secret\":\"s\"," \
    "\"refresh_token\":\"r\",\"quota_project_id\":\"quota-p\"}"

static const struct row {
    const char *name, *model, *environment, *config;
    bool stream;
    const char *url, *key_from; /* url NULL: it fails */
    const char *header;         /* a line that is sent; NULL: none proves who asks */
    const char *msg, *hint;     /* parts of the error */
} rows[] = {
    /* Every provider. */
    { "anthropic", "anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY=sk-1\n", NULL, true,
      "https://api.anthropic.com/v1/messages", "ANTHROPIC_API_KEY", "x-api-key: sk-1", NULL, NULL },
    { "anthropic's version", "anthropic:x", "ANTHROPIC_API_KEY=sk-1\n", NULL, false,
      "https://api.anthropic.com/v1/messages", "ANTHROPIC_API_KEY", "anthropic-version: 2023-06-01",
      NULL, NULL },
    { "openai", "openai:gpt-5-mini", "OPENAI_API_KEY=sk-1\n", NULL, false,
      "https://api.openai.com/v1/responses", "OPENAI_API_KEY", "authorization: Bearer sk-1", NULL,
      NULL },
    { "openai's organization", "openai-chat:gpt-4o", "OPENAI_API_KEY=sk-1\nOPENAI_ORG_ID=org-7\n",
      NULL, false, "https://api.openai.com/v1/chat/completions", "OPENAI_API_KEY",
      "OpenAI-Organization: org-7", NULL, NULL },
    { "google", "google:gemini-3-pro-preview", "GEMINI_API_KEY=k\n", NULL, false,
      "https://generativelanguage.googleapis.com/v1beta/models/"
      "gemini-3-pro-preview:generateContent",
      "GEMINI_API_KEY", "x-goog-api-key: k", NULL, NULL },
    { "google, streamed, by its second variable", "google:gemini-2.5-flash", "GOOGLE_API_KEY=k\n",
      NULL, true,
      "https://generativelanguage.googleapis.com/v1beta/models/"
      "gemini-2.5-flash:streamGenerateContent?alt=sse",
      "GOOGLE_API_KEY", "x-goog-api-key: k", NULL, NULL },
    { "the first variable counts", "google:g", "GOOGLE_API_KEY=b\nGEMINI_API_KEY=a\n", NULL, false,
      "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent", "GEMINI_API_KEY",
      "x-goog-api-key: a", NULL, NULL },
    { "xai", "xai:grok-4", "XAI_API_KEY=k\n", NULL, false, "https://api.x.ai/v1/responses",
      "XAI_API_KEY", "authorization: Bearer k", NULL, NULL },
    { "xai-chat", "xai-chat:grok-4", "XAI_API_KEY=k\n", NULL, false,
      "https://api.x.ai/v1/chat/completions", "XAI_API_KEY", "authorization: Bearer k", NULL,
      NULL },
    { "groq", "groq:llama", "GROQ_API_KEY=k\n", NULL, false,
      "https://api.groq.com/openai/v1/chat/completions", "GROQ_API_KEY", "authorization: Bearer k",
      NULL, NULL },
    { "openrouter", "openrouter:a/b", "OPENROUTER_API_KEY=k\n", NULL, false,
      "https://openrouter.ai/api/v1/chat/completions", "OPENROUTER_API_KEY",
      "authorization: Bearer k", NULL, NULL },
    { "mistral", "mistral:m", "MISTRAL_API_KEY=k\n", NULL, false,
      "https://api.mistral.ai/v1/chat/completions", "MISTRAL_API_KEY", "authorization: Bearer k",
      NULL, NULL },
    { "cohere", "cohere:command-a", "CO_API_KEY=k\n", NULL, false, "https://api.cohere.com/v2/chat",
      "CO_API_KEY", "authorization: Bearer k", NULL, NULL },
    { "cohere elsewhere", "cohere:command-a", "COHERE_API_KEY=k\nCO_API_URL=https://co.example\n",
      NULL, true, "https://co.example/v2/chat", "COHERE_API_KEY", "authorization: Bearer k", NULL,
      NULL },
    { "ollama needs no key", "ollama:llava:13b", "", NULL, false, "http://127.0.0.1:11434/api/chat",
      NULL, NULL, NULL, NULL },
    { "ollama with a key", "ollama:x", "OLLAMA_API_KEY=k\nOLLAMA_HOST=https://ollama.com\n", NULL,
      false, "https://ollama.com/api/chat", "OLLAMA_API_KEY", "authorization: Bearer k", NULL,
      NULL },
    { "litellm", "litellm:x", "LITELLM_BASE_URL=http://localhost:4000\nLITELLM_API_KEY=k\n", NULL,
      false, "http://localhost:4000/v1/chat/completions", "LITELLM_API_KEY",
      "authorization: Bearer k", NULL, NULL },
    { "an address that nobody knows", "litellm:x", "LITELLM_API_KEY=k\n", NULL, false, NULL, NULL,
      NULL, "the address of \"litellm\" is unknown", "LITELLM_BASE_URL" },
    { "no key through a proxy in clear", "litellm:x",
      "LITELLM_BASE_URL=http://h.example\nLITELLM_API_KEY=k\n"
      "all_proxy=http://u:p@proxy.example:1\n",
      NULL, false, NULL, NULL, NULL,
      "a key for h.example would go through the proxy proxy.example in clear", "plain_proxy: yes" },
    { "a proxy that may read it", "litellm:x",
      "LITELLM_BASE_URL=http://h.example\nLITELLM_API_KEY=k\nall_proxy=http://proxy.example:1\n",
      "providers: {litellm: {plain_proxy: yes}}\n", false, "http://h.example/v1/chat/completions",
      "LITELLM_API_KEY", "authorization: Bearer k", NULL, NULL },
    { "a proxy for another provider", "litellm:x",
      "LITELLM_BASE_URL=http://h.example\nLITELLM_API_KEY=k\nall_proxy=http://proxy.example:1\n",
      "providers: {openai: {plain_proxy: yes}}\n", false, NULL, NULL, NULL, "in clear",
      "under the provider" },
    { "a proxy where there is no key", "openai-compatible:x", "all_proxy=http://proxy.example:1\n",
      "providers: {openai-compatible: {base_url: \"http://h:1/v1/\"}}\n", false,
      "http://h:1/v1/chat/completions", NULL, NULL, NULL, NULL },
    { "no signature through a proxy in clear", "bedrock:m",
      "AWS_ACCESS_KEY_ID=AKIAX\nAWS_SECRET_ACCESS_KEY=s\nAWS_REGION=us-west-2\n"
      "AWS_ENDPOINT_URL=http://h.example\nhttp_proxy=http://proxy.example:1\n",
      NULL, false, NULL, NULL, NULL, "in clear", "plain_proxy: yes" },
    { "no secret in a header through a proxy in clear", "ollama:m",
      "OLLAMA_HOST=http://h.example\nT=s\nhttp_proxy=http://proxy.example:1\n",
      "providers: {ollama: {headers: {X-Token: $T}}}\n", false, NULL, NULL, NULL, "in clear",
      "plain_proxy: yes" },
    { "openai-compatible", "openai-compatible:x", "",
      "providers: {openai-compatible: {base_url: \"http://h:1/v1/\"}}\n", false,
      "http://h:1/v1/chat/completions", NULL, NULL, NULL, NULL },

    /* Amazon. */
    { "bedrock with a token", "bedrock:us.amazon.nova-2-lite-v1:0",
      "AWS_BEARER_TOKEN_BEDROCK=t\nAWS_REGION=eu-west-1\n", NULL, true,
      "https://bedrock-runtime.eu-west-1.amazonaws.com/model/us.amazon.nova-2-lite-v1%3A0/"
      "converse-stream",
      "AWS_BEARER_TOKEN_BEDROCK", "authorization: Bearer t", NULL, NULL },
    { "a region of the configuration goes first", "bedrock:a/b",
      "AWS_BEARER_TOKEN_BEDROCK=t\nAWS_REGION=eu-west-1\n",
      "providers: {bedrock: {region: us-east-2}}\n", false,
      "https://bedrock-runtime.us-east-2.amazonaws.com/model/a%2Fb/converse",
      "AWS_BEARER_TOKEN_BEDROCK", "authorization: Bearer t", NULL, NULL },
    { "bedrock with keys", "bedrock:m",
      "AWS_ACCESS_KEY_ID=AKIAX\nAWS_SECRET_ACCESS_KEY=s\nAWS_DEFAULT_REGION=us-west-2\n", NULL,
      false, "https://bedrock-runtime.us-west-2.amazonaws.com/model/m/converse",
      "AWS_ACCESS_KEY_ID", "authorization: AWS4-HMAC-SHA256 Credential=AKIAX/", NULL, NULL },
    { "bedrock without a region", "bedrock:m", "AWS_BEARER_TOKEN_BEDROCK=t\n", NULL, false, NULL,
      NULL, NULL, "no region is known for \"bedrock\"", "AWS_REGION" },
    { "bedrock moved needs no region", "bedrock:m",
      "AWS_ACCESS_KEY_ID=AKIAX\nAWS_SECRET_ACCESS_KEY=s\n"
      "AWS_ENDPOINT_URL_BEDROCK_RUNTIME=http://127.0.0.1:9/bedrock\n",
      NULL, false, "http://127.0.0.1:9/bedrock/model/m/converse", "AWS_ACCESS_KEY_ID",
      "authorization: AWS4-HMAC-SHA256 Credential=AKIAX/", NULL, NULL },
    { "a region that leads elsewhere", "bedrock:m",
      "AWS_BEARER_TOKEN_BEDROCK=t\nAWS_REGION=x.evil.example/\n", NULL, false, NULL, NULL, NULL,
      "the region of \"bedrock\" is not the name of one", "AWS_REGION" },
    { "bedrock without keys", "bedrock:m", "AWS_REGION=us-west-2\n", NULL, false, NULL, NULL, NULL,
      "there is no key for \"bedrock\"", "AWS_ACCESS_KEY_ID" },

    /* Google's cloud. */
    { "vertex with a token", "vertex:gemini-2.5-flash",
      "GOOGLE_OAUTH_ACCESS_TOKEN=ya29.x\nGOOGLE_CLOUD_PROJECT=p-1\nGOOGLE_CLOUD_LOCATION=us-"
      "east5\n",
      NULL, false,
      "https://us-east5-aiplatform.googleapis.com/v1beta1/projects/p-1/locations/us-east5/"
      "publishers/google/models/gemini-2.5-flash:generateContent",
      "GOOGLE_OAUTH_ACCESS_TOKEN", "authorization: Bearer ya29.x", NULL, NULL },
    { "vertex everywhere", "vertex:g", "GOOGLE_OAUTH_ACCESS_TOKEN=t\nGOOGLE_CLOUD_PROJECT=p-1\n",
      NULL, true,
      "https://aiplatform.googleapis.com/v1beta1/projects/p-1/locations/global/"
      "publishers/google/models/g:streamGenerateContent?alt=sse",
      "GOOGLE_OAUTH_ACCESS_TOKEN", "authorization: Bearer t", NULL, NULL },
    { "vertex in several regions", "vertex:g",
      "GOOGLE_OAUTH_ACCESS_TOKEN=t\nGOOGLE_CLOUD_PROJECT=p-1\n",
      "providers: {vertex: {location: eu, project: q-2}}\n", false,
      "https://aiplatform.eu.rep.googleapis.com/v1beta1/projects/q-2/locations/eu/"
      "publishers/google/models/g:generateContent",
      "GOOGLE_OAUTH_ACCESS_TOKEN", "authorization: Bearer t", NULL, NULL },
    { "vertex with a key", "vertex:g", "GOOGLE_API_KEY=AIzak\n", NULL, false,
      "https://aiplatform.googleapis.com/v1beta1/publishers/google/models/g:generateContent",
      "GOOGLE_API_KEY", "x-goog-api-key: AIzak", NULL, NULL },
    { "vertex with a key, moved", "vertex:g",
      "VERTEX_API_KEY=x\nVERTEX_BASE_URL=http://127.0.0.1:9/vertex/\n", NULL, false,
      "http://127.0.0.1:9/vertex/v1beta1/publishers/google/models/g:generateContent",
      "VERTEX_API_KEY", "x-goog-api-key: x", NULL, NULL },
    { "vertex without a project", "vertex:g", "GOOGLE_OAUTH_ACCESS_TOKEN=t\n", NULL, false, NULL,
      NULL, NULL, "no project is known for \"vertex\"", "GOOGLE_CLOUD_PROJECT" },
    { "vertex with a command that prints a token", "vertex:g", "GOOGLE_CLOUD_PROJECT=p\n",
      "providers: {vertex: {key_command: [echo, ya29.made]}}\n", false,
      "https://aiplatform.googleapis.com/v1beta1/projects/p/locations/global/publishers/google/"
      "models/g:generateContent",
      "key_command", "authorization: Bearer ya29.made", NULL, NULL },
    { "vertex with a command that prints a key", "vertex:g", "",
      "providers: {vertex: {key_command: [echo, AIzamade]}}\n", false,
      "https://aiplatform.googleapis.com/v1beta1/publishers/google/models/g:generateContent",
      "key_command", "x-goog-api-key: AIzamade", NULL, NULL },
    { "an account that is not there", "vertex:g",
      "GOOGLE_APPLICATION_CREDENTIALS=/nowhere/x.json\n", NULL, false, NULL, NULL, NULL,
      "/nowhere/x.json: there is no such file", "key_command" },
    { "vertex without anything", "vertex:g", "", NULL, false, NULL, NULL, NULL,
      "there is no key for \"vertex\"", "GOOGLE_APPLICATION_CREDENTIALS" },

    /* Moved. */
    { "moved by a variable", "anthropic:x",
      "ANTHROPIC_API_KEY=k\nANTHROPIC_BASE_URL=http://127.0.0.1:9\n", NULL, false,
      "http://127.0.0.1:9/v1/messages", "ANTHROPIC_API_KEY", "x-api-key: k", NULL, NULL },
    { "the configuration goes before the variable", "anthropic:x",
      "ANTHROPIC_API_KEY=k\nANTHROPIC_BASE_URL=http://127.0.0.1:9\n",
      "providers: {anthropic: {base_url: \"https://gateway.example/a/\"}}\n", false,
      "https://gateway.example/a/v1/messages", "ANTHROPIC_API_KEY", "x-api-key: k", NULL, NULL },
    { "a version that was said twice", "anthropic:x",
      "ANTHROPIC_API_KEY=k\nANTHROPIC_BASE_URL=https://h/v1/\n", NULL, false,
      "https://h/v1/messages", "ANTHROPIC_API_KEY", "x-api-key: k", NULL, NULL },
    { "an empty variable does not count", "anthropic:x",
      "ANTHROPIC_API_KEY=k\nANTHROPIC_BASE_URL= \n", NULL, false,
      "https://api.anthropic.com/v1/messages", "ANTHROPIC_API_KEY", "x-api-key: k", NULL, NULL },
    { "no scheme", "anthropic:x", "ANTHROPIC_API_KEY=k\nANTHROPIC_BASE_URL=h.example/x\n", NULL,
      false, NULL, NULL, NULL, "ANTHROPIC_BASE_URL holds no web address", "https://" },
    { "a scheme of another kind", "openai:x", "OPENAI_API_KEY=k\nOPENAI_BASE_URL=file:///etc\n",
      NULL, false, NULL, NULL, NULL, "OPENAI_BASE_URL holds no web address", "https://" },
    { "a password in an address", "openai:x", "OPENAI_API_KEY=k\nOPENAI_BASE_URL=https://u:pw@h\n",
      NULL, false, NULL, NULL, NULL, "OPENAI_BASE_URL holds a user name or a password", "\"@\"" },
    { "a query in an address", "openai:x", "OPENAI_API_KEY=k\nOPENAI_BASE_URL=https://h/?a=\n",
      NULL, false, NULL, NULL, NULL, "OPENAI_BASE_URL holds no web address", "" },
    { "ollama on another host", "ollama:x", "OLLAMA_HOST=gpu.example\n", NULL, false,
      "http://gpu.example:11434/api/chat", NULL, NULL, NULL, NULL },
    { "ollama on another port", "ollama:x", "OLLAMA_HOST=:8080\n", NULL, false,
      "http://127.0.0.1:8080/api/chat", NULL, NULL, NULL, NULL },
    { "ollama that listens everywhere", "ollama:x", "OLLAMA_HOST=0.0.0.0\n", NULL, false,
      "http://127.0.0.1:11434/api/chat", NULL, NULL, NULL, NULL },
    { "ollama on both", "ollama:x", "OLLAMA_HOST=10.0.0.1:99/base/\n", NULL, false,
      "http://10.0.0.1:99/base/api/chat", NULL, NULL, NULL, NULL },
    { "ollama over IPv6", "ollama:x", "OLLAMA_HOST=[::1]\n", NULL, false,
      "http://[::1]:11434/api/chat", NULL, NULL, NULL, NULL },

    /* Keys. */
    { "no key", "anthropic:x", "", NULL, false, NULL, NULL, NULL,
      "there is no key for \"anthropic\"", "ANTHROPIC_API_KEY" },
    { "no key, and another way to it", "openai:x", "", NULL, false, NULL, NULL, NULL,
      "there is no key for \"openai\"", "key_command" },
    { "white space around a key", "openai:x", "OPENAI_API_KEY= k \n", NULL, false,
      "https://api.openai.com/v1/responses", "OPENAI_API_KEY", "authorization: Bearer k", NULL,
      NULL },
    { "white space in a key", "openai:x", "OPENAI_API_KEY=secret1 secret2\n", NULL, false, NULL,
      NULL, NULL, "what OPENAI_API_KEY holds is not a key: byte 8", "Copy the key" },
    { "a line break in a key", "openai:x", "OPENAI_API_KEY=secret1\rsecret2\n", NULL, false, NULL,
      NULL, NULL, "OPENAI_API_KEY holds is not a key", "" },
    { "a key in another variable", "openai:x", "OPENAI_API_KEY=a\nMINE=b\n",
      "providers: {openai: {key: $MINE}}\n", false, "https://api.openai.com/v1/responses", "MINE",
      "authorization: Bearer b", NULL, NULL },
    { "that variable is not set", "openai:x", "OPENAI_API_KEY=a\n",
      "providers: {openai: {key: $MINE}}\n", false, NULL, NULL, NULL, "the variable \"MINE\"",
      "Set it" },
    { "a command", "openai:x", "OPENAI_API_KEY=a\n",
      "providers: {openai: {key_command: [printf, \"%s\\\\nmore\", b]}}\n", false,
      "https://api.openai.com/v1/responses", "key_command", "authorization: Bearer b", NULL, NULL },
    { "a command for the shell", "openai:x", "OPENAI_API_KEY=a\n",
      "providers: {openai: {key_command: \"echo c | tr c d\"}}\n", false,
      "https://api.openai.com/v1/responses", "key_command", "authorization: Bearer d", NULL, NULL },
    { "a command that fails", "openai:x", "OPENAI_API_KEY=a\n",
      "providers: {openai: {key_command: \"echo secret1; echo secret2 >&2; exit 3\"}}\n", false,
      NULL, NULL, NULL, "the key_command \"/bin/sh\" failed with status 3", "by hand" },
    { "a command that prints nothing", "openai:x", "",
      "providers: {openai: {key_command: [\"true\"]}}\n", false, NULL, NULL, NULL,
      "printed nothing", "by hand" },
    { "a command that is not there", "openai:x", "",
      "providers: {openai: {key_command: [/nowhere/x]}}\n", false, NULL, NULL, NULL,
      "the key_command \"/nowhere/x\" could not be run", "by hand" },
    { "a command that dies", "openai:x", "", "providers: {openai: {key_command: \"kill -9 $$\"}}\n",
      false, NULL, NULL, NULL, "was ended by signal 9", "by hand" },

    /* Headers. */
    { "a header of the configuration", "openai:x", "OPENAI_API_KEY=k\n",
      "providers: {openai: {headers: {X-Team: tools}}}\n", false,
      "https://api.openai.com/v1/responses", "OPENAI_API_KEY", "X-Team: tools", NULL, NULL },
    { "a header from a variable", "openai:x", "OPENAI_API_KEY=k\nMINE=v 1\n",
      "providers: {openai: {headers: {X-Token: $MINE}}}\n", false,
      "https://api.openai.com/v1/responses", "OPENAI_API_KEY", "X-Token: v 1", NULL, NULL },
    { "a header that replaces one of the row", "anthropic:x", "ANTHROPIC_API_KEY=k\n",
      "providers: {anthropic: {headers: {Anthropic-Version: \"2026-10-21\"}}}\n", false,
      "https://api.anthropic.com/v1/messages", "ANTHROPIC_API_KEY", "Anthropic-Version: 2026-10-21",
      NULL, NULL },
    { "a header that would become two", "openai:x", "OPENAI_API_KEY=k\nMINE=a\rX-B: secret1\n",
      "providers: {openai: {headers: {X-Token: $MINE}}}\n", false, NULL, NULL, NULL,
      "the header \"X-Token\" has a value that cannot be sent", "one line" },
    { "what is sent is JSON", "openai:x", "OPENAI_API_KEY=k\n", NULL, false,
      "https://api.openai.com/v1/responses", "OPENAI_API_KEY", "content-type: application/json",
      NULL, NULL },
};

static void has_part(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" does not hold \"%s\"", text, part);
}

static void check_headers(const struct row *r, const struct rf_endpoint *e, struct rf_arena *a)
{
    struct rf_rope body;
    struct rf_header *headers;
    struct rf_err err;
    size_t count, found = 0, proofs = 0;
    rf_rope_init(&body, a);
    rf_rope_text(&body, RF_STR("{}"));
    if (sign_for(e, NULL, &body, a, &headers, &count, &err))
        fail_msg("%s", err.msg);
    for (size_t i = 0; i < count; i++) {
        struct rf_str line =
            rf_strf(a, "%.*s: %.*s", RF_FMT(headers[i].name), RF_FMT(headers[i].value));
        found += r->header && rf_str_starts(line, r->header);
        proofs += rf_glob(RF_STR("authorization*"), line) || rf_glob(RF_STR("*api-key*"), line);
        for (size_t k = 0; k < i; k++)
            assert_false(rf_str_ieq(headers[i].name, headers[k].name));
    }
    assert_int_equal(found, r->header != NULL);
    assert_int_equal(proofs, r->key_from != NULL);
}

static void is_found(void **state)
{
    const struct row *r = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_config *c = NULL;
    struct rf_model *m = NULL;
    struct rf_endpoint e = { 0 };
    struct rf_err err = { 0 };
    const char *home = environment_start(a);
    environment_add(r->environment);
    environment_config(a, r->config ? r->config : "");
    if (rf_config_open(&c, &err) || rf_model_open(c, r->model, &m, &err))
        fail_msg("%s", err.msg);
    enum rf_code rc = find_for(c, m, r->stream, a, &e, &err);
    if (r->url && rc)
        fail_msg("%s", err.msg);
    assert_int_equal(rc, r->url ? RF_OK : RF_ECONFIG);
    if (r->url) {
        assert_string_equal(e.url, r->url);
        assert_int_equal(strncmp(e.url, e.base, strlen(e.base)), 0);
        assert_string_equal(e.key_from ? e.key_from : "-", r->key_from ? r->key_from : "-");
        check_headers(r, &e, a);
    } else {
        has_part(err.msg, r->msg);
        has_part(err.hint, r->hint);
        assert_int_equal(err.reason == RF_REASON_NO_KEY, strstr(r->msg, "there is no key") ||
                                                             strstr(r->msg, "is unknown") ||
                                                             strstr(r->msg, "the variable \""));
        assert_null(strstr(err.msg, "secret"));
        assert_null(strstr(err.hint, "secret"));
    }
    rf_model_close(m);
    rf_config_close(c);
    scratch_remove(home);
    rf_arena_free(a);
}

static void every_provider_has_its_row(void **state)
{
    (void)state;
    assert_int_equal(rf_provider_count(), rf_provider_row_count);
    for (size_t i = 0; i < rf_provider_count(); i++) {
        const struct rf_provider_row *row = rf_provider_row(rf_str(rf_provider_name(i)));
        assert_non_null(row);
        assert_int_equal(row->path[0], '/');
        assert_true(row->key_variables || row->key_optional);
        assert_true(row->auth != RF_AUTH_HEADER || row->auth_header);
    }
    assert_null(rf_provider_row(RF_STR("nobody")));
}

static void the_simulator_needs_no_address(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_model *m;
    struct rf_endpoint e;
    struct rf_err err;
    (void)state;
    const char *home = environment_start(a);
    assert_int_equal(rf_model_open(NULL, "offline", &m, &err), RF_OK);
    assert_int_equal(rf_endpoint_find(NULL, m, true, NO_KEY, a, &e, &err), RF_OK);
    assert_null(e.url);
    assert_string_equal(e.base, "sim:");
    assert_null(e.key_from);
    rf_model_close(m);
    scratch_remove(home);
    rf_arena_free(a);
}

/* The file that gcloud keeps: before a key where a project is named, after it otherwise. */
static void a_login_of_gcloud_counts(void **state)
{
    static const struct {
        const char *environment, *from_end, *url_part;
    } cases[] = {
        { "", "application_default_credentials.json", "/projects/quota-p/" },
        { "GOOGLE_API_KEY=AIza\n", "GOOGLE_API_KEY", "/v1beta1/publishers/" },
        { "GOOGLE_API_KEY=AIza\nGOOGLE_CLOUD_PROJECT=mine\n",
          "application_default_credentials.json", "/projects/mine/" },
        { "GOOGLE_API_KEY=AIza\nGOOGLE_APPLICATION_CREDENTIALS=~/named.json\n", "named.json",
          "/projects/quota-p/" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_model *m;
        struct rf_endpoint e;
        struct rf_err err;
        const char *home = environment_start(a);
        make_folder(in_folder(a, home, ".config"));
        make_folder(in_folder(a, home, ".config/gcloud"));
        write_file(in_folder(a, home, ".config/gcloud/application_default_credentials.json"),
                   RF_STR(USER_ACCOUNT));
        write_file(in_folder(a, home, "named.json"), RF_STR(USER_ACCOUNT));
        environment_add(cases[i].environment);
        assert_int_equal(rf_model_open(NULL, "vertex:g", &m, &err), RF_OK);
        if (rf_endpoint_find(NULL, m, false, NO_KEY, a, &e, &err))
            fail_msg("%s", err.msg);
        assert_true(rf_str_ends(rf_str(e.key_from), cases[i].from_end));
        has_part(e.url, cases[i].url_part);
        rf_model_close(m);
        scratch_remove(home);
        rf_arena_free(a);
    }
}

static void accounts_that_cannot_be_used_are_explained(void **state)
{
    static const struct {
        const char *text, *msg;
    } cases[] = {
        { "secret1", "not the JSON of an account" },
        { "[]", "not the JSON of an account" },
        { "{\"type\":7}", "not the JSON of an account" },
        { "{\"type\":\"external_account\"}", "not supported" },
        { "{\"type\":\"service_account\",\"private_key\":\"secret1\"}", "no \"client_email\"" },
        { "{\"type\":\"authorized_user\",\"client_secret\":\"secret1\"}", "no \"client_id\"" },
        { "{\"type\":\"authorized_user\",\"client_id\":\"a\",\"refresh_token\":\"secret1\","
          "\"token_uri\":\"http://evil.example/\"}",
          "not an https address" },
        { "{\"type\":\"authorized_user\",\"client_id\":\"a\",\"refresh_token\":\"secret1\","
          "\"token_uri\":\"http://127.0.0.1:80@evil.example/\"}",
          "not an https address" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_model *m;
        struct rf_endpoint e;
        struct rf_err err;
        const char *home = environment_start(a);
        write_file(in_folder(a, home, "account.json"), rf_str(cases[i].text));
        environment_add("GOOGLE_APPLICATION_CREDENTIALS=~/account.json\nGOOGLE_CLOUD_PROJECT=p\n");
        assert_int_equal(rf_model_open(NULL, "vertex:g", &m, &err), RF_OK);
        assert_int_equal(rf_endpoint_find(NULL, m, false, NO_KEY, a, &e, &err), RF_ECONFIG);
        has_part(err.msg, cases[i].msg);
        has_part(err.msg, "account.json: ");
        assert_null(strstr(err.msg, "secret1"));
        rf_model_close(m);
        scratch_remove(home);
        rf_arena_free(a);
    }
}

/* Commands. */

static void a_command_is_killed_with_all_it_started(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str key;
    struct rf_err err;
    (void)state;
    const char *home = environment_start(a), *mark = in_folder(a, home, "mark");
    const struct rf_str slow[] = {
        RF_STR("/bin/sh"),
        RF_STR("-c"),
        rf_strf(a, "(sleep 1; echo > %s) & echo secret1; wait", mark),
    };
    assert_int_equal(run_command((struct rf_key_command){ slow, 3 }, 100, a, &key, &err),
                     RF_ECONFIG);
    has_part(err.msg, "did not end within 0.1 s");
    assert_null(strstr(err.msg, "secret1"));
    nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 300000000 }, NULL);
    assert_int_equal(access(mark, F_OK), -1);
    scratch_remove(home);
    rf_arena_free(a);
}

static void a_command_is_not_run_again_at_once(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str key;
    struct rf_err err;
    (void)state;
    const char *home = environment_start(a), *log = in_folder(a, home, "log");
    const struct rf_str command[] = {
        RF_STR("/bin/sh"),
        RF_STR("-c"),
        rf_strf(a, "echo x >> %s; echo key-$(wc -l < %s)", log, log),
    };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(run_command((struct rf_key_command){ command, 3 }, 5000, a, &key, &err),
                         RF_OK);
        assert_str(key, "key-1");
    }
    scratch_remove(home);
    rf_arena_free(a);
}

static void as_many_keys_as_there_may_be_are_remembered(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str key, command[RF_MAX_KEYS][2];
    struct rf_err err;
    (void)state;
    for (size_t i = 0; i < RF_MAX_KEYS; i++) {
        command[i][0] = RF_STR("echo");
        command[i][1] = rf_strf(a, "remembered-%zu", i);
        assert_int_equal(
            run_command((struct rf_key_command){ command[i], 2 }, 30000, a, &key, &err), RF_OK);
    }
    for (size_t i = 0; i < RF_MAX_KEYS; i++) {
        const struct rf_key_command c = { command[i], 2 };
        assert_true(rf_key_command_recall(&c, a, &key));
        assert_str(key, command[i][1].p);
    }
    rf_arena_free(a);
}

static void a_command_that_prints_without_end_is_stopped(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str key;
    struct rf_err err;
    const struct rf_str command[] = { RF_STR("yes") };
    (void)state;
    assert_int_equal(run_command((struct rf_key_command){ command, 1 }, 300, a, &key, &err),
                     RF_ECONFIG);
    rf_arena_free(a);
}

static void a_command_is_heard_where_nobody_hears_of_children(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str key;
    struct rf_err err;
    const struct rf_str command[] = { RF_STR("echo"), RF_STR("heard") };
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(run_command((struct rf_key_command){ command, 2 }, 30000, a, &key, &err),
                     RF_OK);
    signal(SIGCHLD, SIG_DFL);
    assert_str(key, "heard");
    rf_arena_free(a);
}

/* A step of the network blocks SIGPIPE, and a program may ignore it. */
static void a_command_may_die_of_a_pipe(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_str key;
    struct rf_err err;
    const struct rf_str command[] = { RF_STR("/bin/sh"), RF_STR("-c"),
                                      RF_STR("kill -PIPE $$; echo alive") };
    sigset_t pipe, before;
    (void)state;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    signal(SIGPIPE, SIG_IGN);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    assert_int_equal(run_command((struct rf_key_command){ command, 3 }, 30000, a, &key, &err),
                     RF_ECONFIG);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    signal(SIGPIPE, SIG_DFL);
    has_part(err.msg, "was ended by signal 13");
    rf_arena_free(a);
}

/* The system refuses to have a descriptor watched: nobody waits until the time is over. */
static void a_command_that_cannot_be_waited_for_fails(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_net *net = rf_net_new();
    struct rf_waiter w = { 0 };
    struct rf_err err;
    const struct rf_str command[] = { RF_STR("echo"), RF_STR("never heard") };
    int null = open("/dev/null", O_RDONLY);
    (void)state;
    assert_true(dup2(null, rf_loop_fd(rf_net_loop(net))) >= 0);
    close(null);
    assert_int_equal(
        rf_key_command_start(net, &(struct rf_key_command){ command, 2 }, 30000, &w, &err), RF_EIO);
    rf_net_free(net);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    rf_arena_free(a);
}

/* What doctor shows. */

static const struct rf_endpoint_status *status_of(const struct rf_config *c, const char *provider,
                                                  struct rf_arena *a)
{
    struct rf_endpoint_status *s = RF_NEW(a, struct rf_endpoint_status);
    for (size_t i = 0; i < rf_provider_count(); i++)
        if (strcmp(rf_provider_name(i), provider) == 0)
            rf_endpoint_status(c, i, a, s);
    assert_string_equal(s->provider, provider);
    return s;
}

static void status_says_what_is_there_and_runs_nothing(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_config *c;
    struct rf_err err;
    const struct rf_endpoint_status *s;
    (void)state;
    const char *home = environment_start(a), *mark = in_folder(a, home, "mark");
    environment_add("OPENAI_API_KEY=secret1\nAWS_ACCESS_KEY_ID=secret2\n");
    environment_config(a, rf_strf(a, "providers: {groq: {key_command: \"touch %s\"}}\n", mark).p);
    assert_int_equal(rf_config_open(&c, &err), RF_OK);

    s = status_of(c, "openai", a);
    assert_true(s->found);
    assert_string_equal(s->key_from, "OPENAI_API_KEY");
    assert_string_equal(s->base, "https://api.openai.com/v1");
    assert_string_equal(s->hint, "");
    s = status_of(c, "anthropic", a);
    assert_false(s->found);
    assert_null(s->key_from);
    has_part(s->hint, "ANTHROPIC_API_KEY");
    assert_string_equal(s->base, "https://api.anthropic.com");
    s = status_of(c, "groq", a);
    assert_true(s->found);
    assert_string_equal(s->key_from, "key_command");
    assert_int_equal(access(mark, F_OK), -1);
    s = status_of(c, "litellm", a);
    assert_null(s->base);
    has_part(s->hint, "LITELLM_BASE_URL");
    s = status_of(c, "bedrock", a);
    assert_false(s->found);
    s = status_of(c, "offline", a);
    assert_true(s->found);
    assert_string_equal(s->base, "sim:");
    rf_config_close(c);
    scratch_remove(home);
    rf_arena_free(a);
}

/* The one that is asked for is sent, and none of them is seen. */
static void of_several_keys_each_can_be_chosen(void **state)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_config *c;
    struct rf_model *m;
    struct rf_err err;
    struct rf_endpoint e;
    (void)state;
    const char *home = environment_start(a);
    environment_add("FIRST=first-of-them\nTHIRD=third-of-them\n");
    environment_config(a, "providers: {openai: {keys: [$FIRST, {command: [echo, second-of-them]}, "
                          "$THIRD]}}\n");
    assert_int_equal(rf_config_open(&c, &err), RF_OK);
    assert_int_equal(rf_model_open(c, "openai:x", &m, &err), RF_OK);
    const struct rf_key_command second = rf_endpoint_command(c, m, 1);
    struct rf_key_choice key = { .index = 1 };
    assert_int_equal(rf_endpoint_command(c, m, 0).count, 0);
    assert_int_equal(second.count, 2);
    assert_int_equal(run_command(second, 30000, a, &key.printed, &err), RF_OK);
    static const char *const want[] = { "first-of-them", "second-of-them", "third-of-them" };
    for (key.index = 0; key.index < 3; key.index++) {
        assert_int_equal(rf_endpoint_find(c, m, false, key, a, &e, &err), RF_OK);
        assert_true(rf_str_is(e.key, want[key.index]));
        struct rf_str said =
            rf_redact(&e, RF_STR("not first-of-them, second-of-them or third-of-them"), a);
        assert_false(rf_str_contains(said, RF_STR("-of-them")));
    }
    rf_model_close(m);
    rf_config_close(c);
    scratch_remove(home);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(of_several_keys_each_can_be_chosen),
        cmocka_unit_test(every_provider_has_its_row),
        cmocka_unit_test(the_simulator_needs_no_address),
        cmocka_unit_test(a_login_of_gcloud_counts),
        cmocka_unit_test(accounts_that_cannot_be_used_are_explained),
        cmocka_unit_test(a_command_is_killed_with_all_it_started),
        cmocka_unit_test(a_command_is_not_run_again_at_once),
        cmocka_unit_test(as_many_keys_as_there_may_be_are_remembered),
        cmocka_unit_test(a_command_that_prints_without_end_is_stopped),
        cmocka_unit_test(a_command_is_heard_where_nobody_hears_of_children),
        cmocka_unit_test(a_command_may_die_of_a_pipe),
        cmocka_unit_test(a_command_that_cannot_be_waited_for_fails),
        cmocka_unit_test(status_says_what_is_there_and_runs_nothing),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(others)];
    name_rows(tests, is_found, rows, COUNT(rows), sizeof *rows);
    memcpy(tests + COUNT(rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
