#include "config/keys.h"

const struct rf_key rf_keys[] = {
    { "models", RF_SETTER_PARTS, RF_LESS_NOTHING, NULL },
    { "models.*", RF_SETTER_TRUSTED, RF_LESS_NOTHING, "what one of your own models is" },
    { "models.default", RF_SETTER_PERSON, RF_LESS_NOTHING,
      "which model is asked where none is named" },
    { "models.*.provider", RF_SETTER_TRUSTED, RF_LESS_NOTHING, "where a model of this name is" },
    { "models.*.model", RF_SETTER_TRUSTED, RF_LESS_NOTHING, "which model this name stands for" },
    { "models.*.capabilities", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "models.*.limits", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "models.*.max_tokens", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "models.*.temperature", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "models.*.thinking", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "models.*.system", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "models.*.any", RF_SETTER_PERSON, RF_LESS_NOTHING, "which of several models answers" },
    { "models.*.fallback", RF_SETTER_PERSON, RF_LESS_NOTHING, "which model answers for another" },
    { "models.*.weight", RF_SETTER_PERSON, RF_LESS_NOTHING, "which of several models answers" },

    { "providers", RF_SETTER_PARTS, RF_LESS_NOTHING, NULL },
    { "providers.*", RF_SETTER_PARTS, RF_LESS_NOTHING, NULL },
    { "providers.*.base_url", RF_SETTER_PERSON, RF_LESS_NOTHING, "where a provider is" },
    { "providers.*.key", RF_SETTER_PERSON, RF_LESS_NOTHING, "which key is sent" },
    { "providers.*.key_command", RF_SETTER_PERSON, RF_LESS_NOTHING, "how a key is found" },
    { "providers.*.region", RF_SETTER_PERSON, RF_LESS_NOTHING, "in which region a provider is" },
    { "providers.*.project", RF_SETTER_PERSON, RF_LESS_NOTHING,
      "in which project a model is asked" },
    { "providers.*.location", RF_SETTER_PERSON, RF_LESS_NOTHING,
      "in which location a provider is" },
    { "providers.*.headers", RF_SETTER_PERSON, RF_LESS_NOTHING, "which headers are sent" },
    { "providers.*.plain_proxy", RF_SETTER_PERSON, RF_LESS_NO, "that a proxy may read a key" },
    { "providers.*.keys", RF_SETTER_PERSON, RF_LESS_NOTHING, "which keys are sent" },
    { "providers.*.keys.command", RF_SETTER_PERSON, RF_LESS_NOTHING, "which keys are sent" },

    { "limits", RF_SETTER_PARTS, RF_LESS_NOTHING, NULL },
    { "limits.cache_bytes", RF_SETTER_PERSON, RF_LESS_NOTHING, "how much is kept" },
    { "limits.kept_file_bytes", RF_SETTER_PERSON, RF_LESS_NOTHING, "how much is kept" },
    { "limits.history_text_bytes", RF_SETTER_PERSON, RF_LESS_NOTHING, "how much is kept" },
    { "limits.*", RF_SETTER_TRUSTED, RF_LESS_LOWER, NULL },

    { "store", RF_SETTER_PERSON, RF_LESS_NOTHING, "where sessions are kept, and what of them" },
    { "store.address", RF_SETTER_PERSON, RF_LESS_NOTHING,
      "where sessions are kept, and what of them" },
    { "store.blobs", RF_SETTER_PERSON, RF_LESS_NOTHING,
      "where sessions are kept, and what of them" },
    { "store.keep_files", RF_SETTER_PERSON, RF_LESS_NOTHING,
      "where sessions are kept, and what of them" },

    { "fetch", RF_SETTER_PERSON, RF_LESS_NO, "that web addresses are fetched" },
    { "fetch.hosts", RF_SETTER_PERSON, RF_LESS_NOTHING, "that web addresses are fetched" },

    { "sandbox", RF_SETTER_PERSON, RF_LESS_NOTHING, "how what reads files is confined" },

    { "transcribe", RF_SETTER_PERSON, RF_LESS_NOTHING, "what runs to transcribe sound" },
    { "transcribe.command", RF_SETTER_PERSON, RF_LESS_NOTHING, "what runs to transcribe sound" },
    { "transcribe.timeout_s", RF_SETTER_PERSON, RF_LESS_NOTHING, "what runs to transcribe sound" },

    { "serve", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.listen", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.max_body", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.max_in_flight", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.rules", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.rules.match", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.rules.model", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.log", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.tls", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.tls.certificate", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.tls.key", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.plan", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.first_byte_seconds", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.idle_seconds", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.traces", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },
    { "serve.keep_requests_days", RF_SETTER_PERSON, RF_LESS_NOTHING, "what the gateway does" },

    { "references", RF_SETTER_PARTS, RF_LESS_NOTHING, NULL },
    { "references.enabled", RF_SETTER_PERSON, RF_LESS_NO, "that files are referred to" },
    { "references.model_requirements", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "references.base_path", RF_SETTER_PERSON, RF_LESS_NOTHING,
      "in which folder your references are looked for" },

    { "tools", RF_SETTER_PARTS, RF_LESS_NOTHING, NULL },
    { "tools.*", RF_SETTER_TRUSTED, RF_LESS_NOTHING, "what one of your own tools does" },
    { "tools.*.command", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "tools.*.description", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "tools.*.input_schema", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "tools.*.read_only", RF_SETTER_PERSON, RF_LESS_NO, "that a tool runs unasked" },
    { "tools.*.timeout_s", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "tools.*.allow", RF_SETTER_PERSON, RF_LESS_NO, "that a tool runs unasked" },
    { "tools.*.env", RF_SETTER_PERSON, RF_LESS_NOTHING, "which variables a tool gets" },

    { "mcp_servers", RF_SETTER_PARTS, RF_LESS_NOTHING, NULL },
    { "mcp_servers.*", RF_SETTER_TRUSTED, RF_LESS_NOTHING, "what one of your own servers is" },
    { "mcp_servers.*.type", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "mcp_servers.*.command", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "mcp_servers.*.args", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "mcp_servers.*.env", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "mcp_servers.*.cwd", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "mcp_servers.*.url", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "mcp_servers.*.headers", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "mcp_servers.*.oauth", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "mcp_servers.*.timeout_s", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "mcp_servers.*.tools", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "mcp_servers.*.disabled", RF_SETTER_TRUSTED, RF_LESS_NOTHING, NULL },
    { "mcp_servers.*.allow", RF_SETTER_PERSON, RF_LESS_NO, "that a tool runs unasked" },
    { "mcp_servers.*.read_only", RF_SETTER_PERSON, RF_LESS_NO, "that a tool runs unasked" },
};

const size_t rf_key_count = sizeof rf_keys / sizeof *rf_keys;

const char *rf_key_name(const struct rf_key *row, const char *section)
{
    size_t n = strlen(section), at = n ? n + 1 : 0;
    if (n && (strncmp(row->path, section, n) != 0 || row->path[n] != '.'))
        return NULL;
    return strchr(row->path + at, '.') ? NULL : row->path + at;
}

const struct rf_key *rf_key_find(const char *section, struct rf_str name)
{
    for (size_t i = 0; i < rf_key_count; i++) {
        const char *known = rf_key_name(&rf_keys[i], section);
        if (known && rf_str_is(name, known))
            return &rf_keys[i];
    }
    return NULL;
}

const struct rf_key *rf_key_entry(const char *section, struct rf_str name)
{
    const struct rf_key *row = rf_key_find(section, name);
    return row ? row : rf_key_find(section, RF_STR("*"));
}

bool rf_key_is_leaf(const struct rf_key *row)
{
    size_t n = strlen(row->path);
    for (size_t i = 0; i < rf_key_count; i++)
        if (strncmp(rf_keys[i].path, row->path, n) == 0 && rf_keys[i].path[n] == '.')
            return false;
    return true;
}
