/* The catalogue and what is said against it: which row a name finds, what each endpoint takes
 * where, and that every single fact can be set without touching the rest. */
#include "model/model.h"

#include "model/catalogue.h"
#include "model/facts.h"
#include "model/tokens.h"
#include "wire/wire.h"

#include "../testing.h"

static struct rf_model model_of(struct rf_arena *a, const char *provider, const char *name)
{
    struct rf_model m;
    struct rf_err err;
    if (rf_model_init(&m, rf_str(provider), rf_str(name), a, &err))
        fail_msg("%s:%s: %s", provider, name, err.msg);
    return m;
}

/* A name that a pattern was made for: the pattern without its stars. */
static const char *without_stars(struct rf_arena *a, const char *pattern)
{
    char *name = rf_arena_alloc(a, strlen(pattern) + 1), *q = name;
    for (; *pattern; pattern++)
        if (*pattern != '*')
            *q++ = *pattern;
    return name;
}

static void every_row_parses_and_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < rf_catalogue_count; i++) {
        const struct rf_row *row = &rf_catalogue[i];
        struct rf_arena *a = rf_arena_new();
        bool endpoint = strcmp(row->pattern, "*") == 0;
        const char *name = endpoint ? "a model that nobody knows" : without_stars(a, row->pattern);
        struct rf_model m = model_of(a, row->provider, name);
        assert_int_equal(m.known, !endpoint);
        assert_str(rf_model_family(&m), endpoint ? "" : row->pattern);
        assert_str(rf_model_provider(&m), row->provider);
        assert_str(rf_model_name(&m), name);
        rf_arena_free(a);
    }
}

static void every_endpoint_is_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < rf_catalogue_count; i++) {
        const struct rf_row *row = &rf_catalogue[i];
        struct rf_arena *a = rf_arena_new();
        struct rf_model m = model_of(a, row->provider, without_stars(a, row->pattern));
        if (!rf_dialect_find(m.caps.dialect))
            fail_msg("%s:%s speaks \"%s\"", row->provider, row->pattern, m.caps.dialect.p);
        if (!rf_image_formula_valid(m.caps.image_tokens))
            fail_msg("%s:%s counts \"%s\"", row->provider, row->pattern, m.caps.image_tokens.p);
        for (unsigned k = RF_KIND_IMAGE; k < RF_KIND_COUNT; k++)
            if (m.caps.takes[k] && !m.caps.user[k].n && !m.caps.inside[k].n)
                fail_msg("%s:%s takes %s nowhere", row->provider, row->pattern, rf_kind_name(k));
        rf_arena_free(a);
    }
}

static void hosts_are_found_by_what_they_call_themselves(void **state)
{
    static const struct {
        const char *name, *family;
        int64_t side, text;
    } hosts[] = {
        { "claude-code", "claude-code*", 2000, 40960 },
        { "claude-ai", "claude-ai*", 1568, 40960 },
        { "codex-mcp-client", "codex*", 1824, 11264 },
        { "gemini-cli-mcp-client", "gemini-cli*", 3072, 40960 },
        { "Visual Studio Code - Insiders", "visual studio code*", 1568, 40960 },
        { "nobody knows it", "", 1568, 40960 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(hosts); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_model m = model_of(a, "mcp", hosts[i].name);
        assert_str(rf_model_family(&m), hosts[i].family);
        assert_int_equal(m.caps.max_image_side, hosts[i].side);
        assert_int_equal(m.caps.max_text_bytes, hosts[i].text);
        assert_int_equal(m.caps.max_body_bytes, 921600);
        assert_str(m.caps.dialect, "mcp");
        assert_true(rf_model_is_host(&m));
        rf_arena_free(a);
    }
    assert_string_equal(rf_host_name(0), "claude-code*");
    assert_null(rf_host_name(rf_host_count()));
    for (size_t i = 0; i < rf_provider_count(); i++)
        assert_string_not_equal(rf_provider_name(i), "mcp");
}

static void rows_of_an_endpoint_stand_behind_its_own(void **state)
{
    (void)state;
    const char *provider = "";
    for (size_t i = 0; i < rf_catalogue_count; i++) {
        bool endpoint = strcmp(rf_catalogue[i].pattern, "*") == 0;
        assert_int_equal(endpoint, strcmp(rf_catalogue[i].provider, provider) != 0);
        provider = rf_catalogue[i].provider;
    }
    assert_int_equal(rf_provider_count() + rf_family_count(), rf_catalogue_count);
    for (size_t i = 0; i < rf_provider_count(); i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rf_provider_name(i), rf_provider_name(j));
    for (size_t i = 0; i < rf_family_count(); i++)
        assert_true(rf_family_provider(i) && strcmp(rf_family_pattern(i), "*") != 0);
    assert_null(rf_provider_name(rf_provider_count()));
    assert_null(rf_family_provider(rf_family_count()));
    assert_null(rf_family_pattern(rf_family_count()));
}

static const struct match {
    const char *provider, *name, *family;
} matches[] = {
    { "anthropic", "claude-sonnet-4-5", "claude-sonnet-4*" },
    { "anthropic", "claude-sonnet-4-5-20250929", "claude-sonnet-4*" },
    { "anthropic", "Claude-Sonnet-4-5", "claude-sonnet-4*" },
    { "anthropic", "claude-sonnet-4-20250514", "claude-sonnet-4-2025*" },
    { "anthropic", "claude-opus-4-1", "claude-opus-4-1*" },
    { "anthropic", "claude-opus-4-7", "claude-opus-4-7*" },
    { "anthropic", "claude-3-5-haiku", "claude-3-*" },
    { "anthropic", "claude-3-7-sonnet", "claude-3-7-*" },
    { "anthropic", "claude-next", "claude-*" },
    { "anthropic", "gpt-5", "" },
    { "bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "*anthropic.claude-sonnet-4-5*" },
    { "bedrock", "us.amazon.nova-2-lite-v1:0", "*nova-2*" },
    { "bedrock", "meta.llama4-maverick", "*llama*" },
    { "openai", "gpt-5-mini", "gpt-5-mini*" },
    { "openai", "gpt-5", "gpt-5*" },
    { "openai", "gpt-5.1", "gpt-5.*" },
    { "openai", "gpt-5.1-codex-mini", "gpt-5.*-codex*" },
    { "openai", "gpt-5.6", "gpt-5.6*" },
    { "openai", "o3-mini-high", "o3-mini*" },
    { "openai", "o3", "o3*" },
    { "openai", "text-davinci", "" },
    { "google", "gemini-3-pro-preview", "gemini-3-pro*" },
    { "google", "gemini-3-flash-preview", "gemini-3*" },
    { "google", "gemini-2.0-flash", "gemini-2.0*" },
    { "google", "gemini-2.5-flash", "gemini-2.5-flash" },
    { "google", "gemini-2.5-pro", "gemini-2*" },
    { "cohere", "command-a-03-2025", "command-a*" },
    { "cohere", "command-a-vision-07-2025", "command-a-vision*" },
    { "cohere", "command-r-plus-08-2024", "command-r*" },
    { "cohere", "command-r7b-12-2024", "command-r7b*" },
    { "cohere", "c4ai-aya-vision-32b", "*aya-vision*" },
    { "ollama", "llava:13b", "*llava*" },
    { "ollama", "qwen3-vl:8b", "qwen3-vl*" },
    { "ollama", "gemma3n:e4b", "gemma3n*" },
    { "ollama", "llama3.2-vision", "*vision*" },
    { "ollama", "phi4", "" },
    { "openai-compatible", "gpt-5", "" },
};

static void names_find_their_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(matches); i++) {
        struct rf_arena *a = rf_arena_new();
        struct rf_model m = model_of(a, matches[i].provider, matches[i].name);
        assert_str(rf_model_family(&m), matches[i].family);
        rf_arena_free(a);
    }
}

static const char *const mimes[] = {
    ['p'] = "image/png",
    ['g'] = "image/gif",
    ['d'] = "application/pdf",
    ['t'] = "text/plain",
    ['c'] = "text/csv",
    ['h'] = "text/html",
    ['w'] = "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ['a'] = "audio/wav",
    ['v'] = "video/mp4",
};

/* Types by their letters: Native inside a tool result, Fallback after it, Text only. */
static const struct taken {
    const char *name; /* the fact: PROVIDER:MODEL */
    const char *native, *fallback, *text;
} takens[] = {
    { "anthropic:claude-sonnet-4-5", "pgdt", "", "chwav" },
    { "anthropic:claude-2.1", "t", "", "pgdchwav" },
    { "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", "pg", "dtchw", "av" },
    { "bedrock:us.amazon.nova-2-lite-v1:0", "pgtcv", "dhw", "a" },
    { "bedrock:meta.llama4-maverick", "pgdtchw", "v", "a" },
    { "bedrock:mistral.mistral-large", "dtchw", "pgv", "a" },
    { "bedrock:mistral.pixtral-large", "dtchw", "pgv", "a" },
    { "bedrock:writer.palmyra-x5", "dtchw", "pg", "av" },
    { "bedrock:qwen.qwen3", "", "pgdtchwv", "a" },
    { "bedrock:deepseek.r1", "", "pgdtchwv", "a" },
    { "google:gemini-3-pro-preview", "pdt", "chav", "gw" },
    { "google:gemini-2.5-flash", "", "pdtchav", "gw" },
    { "vertex:gemini-3-flash", "pdt", "chav", "gw" },
    { "vertex:gemini-2.5-pro", "", "pdtchav", "gw" },
    { "openai:gpt-5-mini", "pgdtchw", "", "av" },
    { "openai:gpt-4o", "pgdtchw", "", "av" },
    { "openai-chat:gpt-4o", "", "pgd", "tchwav" },
    { "openai-chat:gpt-4o-audio-preview", "", "a", "pgdtchwv" },
    { "openai-chat:gpt-3.5-turbo", "", "", "pgdtchwav" },
    { "xai:grok-4", "p", "", "gtchwav" },
    { "xai-chat:grok-4", "", "p", "gdtchwav" },
    { "groq:meta-llama/llama-4-scout-17b", "", "pg", "dtchwav" },
    { "groq:llama-3.3-70b-versatile", "", "", "pgdtchwav" },
    { "openrouter:anthropic/claude-sonnet-4.5", "", "pgdav", "tchw" },
    { "mistral:mistral-medium-latest", "pgd", "", "tchwav" },
    { "mistral:codestral-latest", "", "", "pgdtchwav" },
    { "cohere:command-a-vision-07-2025", "", "p", "gdtchwav" },
    { "cohere:command-a-03-2025", "", "", "pgdtchwav" },
    { "ollama:llava:13b", "p", "", "gdtchwav" },
    { "ollama:gemma4:12b", "pa", "", "gdtchwv" },
    { "ollama:llama3.3", "", "", "pgdtchwav" },
    { "litellm:claude-sonnet-4-5", "pgd", "", "tchwav" },
    { "litellm:bedrock/us.anthropic.claude-sonnet-4-5-v1:0", "pg", "dw", "tchav" },
    { "litellm:us.anthropic.claude-sonnet-4-5-v1:0", "pg", "dw", "tchav" },
    { "litellm:bedrock/amazon.nova-pro-v1:0", "pg", "dwv", "tcha" },
    { "litellm:bedrock/us.meta.llama4-scout-17b", "pg", "dw", "tchav" },
    { "litellm:bedrock/qwen.qwen3-vl", "", "pgdw", "tchav" },
    { "litellm:gemini-2.5-pro", "", "pdav", "gtchw" },
    { "litellm:vertex_ai/gemini-3-flash", "pd", "av", "gtchw" },
    { "litellm:gpt-4o", "", "pgd", "tchwav" },
    { "litellm:openai/gpt-5", "", "pgd", "tchwav" },
    { "litellm:gpt-4o-audio-preview", "", "a", "pgdtchwv" },
    { "litellm:mistral/mistral-large-latest", "", "pg", "dtchwav" },
    { "litellm:cohere_chat/command-a-03-2025", "", "", "pgdtchwav" },
    { "litellm:cohere/command-a-vision-07-2025", "", "pg", "dtchwav" },
    { "litellm:groq/llama-3.3-70b-versatile", "", "", "pgdtchwav" },
    { "litellm:groq/meta-llama/llama-4-scout-17b", "", "pg", "dtchwav" },
    { "litellm:ollama_chat/llama3.2", "", "", "pgdtchwav" },
    { "litellm:ollama_chat/llava:13b", "", "pg", "dtchwav" },
    { "litellm:openrouter-claude", "", "pgdav", "tchw" },
    { "litellm:openrouter/google/gemini-3-pro", "", "pgdav", "tchw" },
    { "litellm:my-model", "", "pg", "dtchwav" },
    { "openai-compatible:my-model", "", "pg", "dtchwav" },
};

static void check_taken(const struct rf_caps *c, const char *letters, char want)
{
    for (; *letters; letters++) {
        struct rf_str mime = rf_str(mimes[(unsigned char)*letters]);
        enum rf_kind kind = rf_format_by_mime(mime)->kind;
        bool reference_only = c->reference_only & 1u << kind;
        bool unseen = c->unseen_inside & 1u << kind;
        bool inside = c->takes[kind] && !unseen && rf_mime_in(c->inside[kind], mime);
        bool user = c->takes[kind] && rf_mime_in(c->user[kind], mime);
        char got = reference_only ? 'R' : inside ? 'N' : user ? 'F' : 'T';
        if (got != want)
            fail_msg("%s is %c, not %c", mime.p, got, want);
    }
}

static void takes_what_it_should(void **state)
{
    const struct taken *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_str name = rf_str(row->name), provider;
    rf_str_split(&name, ':', &provider);
    struct rf_model m = model_of(a, rf_cstr(a, provider), name.p);
    check_taken(&m.caps, row->native, 'N');
    check_taken(&m.caps, row->fallback, 'F');
    check_taken(&m.caps, row->text, 'T');
    rf_arena_free(a);
}

static const struct fact_row {
    const char *provider, *name, *fact, *value;
    enum rf_fact_source source;
} fact_rows[] = {
    { "anthropic", "claude-sonnet-4-5", "dialect", "anthropic", RF_FACT_BUILTIN },
    { "anthropic", "claude-sonnet-4-5", "thinking", "budget", RF_FACT_CATALOGUE },
    { "anthropic", "claude-sonnet-4-5", "max_images", "100", RF_FACT_BUILTIN },
    { "anthropic", "claude-opus-4-7", "max_images", "600", RF_FACT_CATALOGUE },
    { "anthropic", "claude-sonnet-4-5", "max_videos", NULL, RF_FACT_UNKNOWN },
    { "anthropic", "claude-sonnet-4-5", "max_image_pixels", "0", RF_FACT_UNKNOWN },
    { "anthropic", "claude-sonnet-4-5", "audio_input", "no", RF_FACT_UNKNOWN },
    { "anthropic", "claude-sonnet-4-5", "citations", "yes", RF_FACT_BUILTIN },
    { "anthropic", "claude-sonnet-4-5", "audio_output", "no", RF_FACT_UNKNOWN },
    { "anthropic", "claude-2.1", "citations", "no", RF_FACT_CATALOGUE },
    { "bedrock", "us.anthropic.claude-opus-4-8", "sampling", "no", RF_FACT_CATALOGUE },
    { "bedrock", "us.anthropic.claude-opus-4-8", "thinking", "adaptive", RF_FACT_CATALOGUE },
    { "bedrock", "us.anthropic.claude-opus-4-6-v1", "sampling", "yes", RF_FACT_CATALOGUE },
    { "bedrock", "us.anthropic.claude-sonnet-4-6", "thinking", "budget", RF_FACT_CATALOGUE },
    { "bedrock", "anthropic.claude-x", "citations", "yes", RF_FACT_CATALOGUE },
    { "bedrock", "us.amazon.nova-pro", "citations", "no", RF_FACT_UNKNOWN },
    { "litellm", "gemini/gemini-2.5-flash", "video_field", "file", RF_FACT_CATALOGUE },
    { "litellm", "openrouter/google/gemini-2.5-flash", "video_field", "video_url",
      RF_FACT_UNKNOWN },
    { "litellm", "mistral/mistral-large-latest", "after", "separated", RF_FACT_CATALOGUE },
    { "litellm", "mistral/mistral-large-latest", "call_ids", "alnum9", RF_FACT_CATALOGUE },
    { "google", "gemini-2.5-flash", "audio_input", "yes", RF_FACT_BUILTIN },
    { "google", "gemini-2.5-flash", "audio_output", "no", RF_FACT_UNKNOWN },
    { "google", "gemini-2.5-flash-preview-tts", "audio_output", "yes", RF_FACT_CATALOGUE },
    { "google", "gemini-2.5-flash-preview-tts", "audio_input", "no", RF_FACT_CATALOGUE },
    { "openai-chat", "gpt-4o-audio-preview", "audio_input", "yes", RF_FACT_CATALOGUE },
    { "openai-chat", "gpt-4o-audio-preview", "audio_output", "yes", RF_FACT_CATALOGUE },
    { "openai-chat", "gpt-4o", "audio_output", "no", RF_FACT_UNKNOWN },
    { "openai-chat", "gpt-4o-search-preview", "citations", "yes", RF_FACT_CATALOGUE },
    { "ollama", "gemma4", "audio_input", "yes", RF_FACT_CATALOGUE },
    { "ollama", "smolvlm", "vision", "yes", RF_FACT_CATALOGUE },
    { "ollama", "hf.co/ggml-org/SmolVLM2-2.2B-Instruct-GGUF", "vision", "yes", RF_FACT_CATALOGUE },
    { "ollama", "medgemma:4b", "vision", "yes", RF_FACT_CATALOGUE },
    { "ollama", "qwq", "thinking", "always", RF_FACT_CATALOGUE },
    { "ollama", "hf.co/Qwen/QwQ-32B-GGUF", "thinking", "always", RF_FACT_CATALOGUE },
    { "ollama", "qwen3:8b", "thinking", "switch", RF_FACT_CATALOGUE },
    { "ollama", "qwen3:8b", "thinking_off", "yes", RF_FACT_CATALOGUE },
    { "ollama", "qwen3:8b", "answer_schema", "alone", RF_FACT_BUILTIN },
    { "openai", "gpt-5", "thinking_off", "no", RF_FACT_UNKNOWN },
    { "openai", "gpt-5.2", "thinking_off", "yes", RF_FACT_CATALOGUE },
    { "anthropic", "claude-sonnet-4-0", "answer_schema", "no", RF_FACT_CATALOGUE },
    { "google", "gemini-2.5-pro", "answer_schema", "alone", RF_FACT_BUILTIN },
    { "google", "gemini-3-flash-preview", "answer_schema", "yes", RF_FACT_CATALOGUE },
    { "ollama", "qwen3-coder:30b", "thinking", "no", RF_FACT_CATALOGUE },
    { "ollama", "llava", "thinking", "none", RF_FACT_UNKNOWN },
    { "groq", "qwen-qwq-32b", "thinking", "always", RF_FACT_CATALOGUE },
    { "openai-compatible", "Qwen/QwQ-32B", "thinking", "always", RF_FACT_CATALOGUE },
    { "openai-compatible", "HuggingFaceTB/SmolVLM-Instruct", "vision", "yes", RF_FACT_BUILTIN },
    { "openrouter", "qwen/qwq-32b", "thinking", "budget", RF_FACT_BUILTIN },
    { "mistral", "magistral-small", "thinking", "always", RF_FACT_CATALOGUE },
    { "cohere", "command-a-reasoning-08-2025", "thinking", "budget", RF_FACT_CATALOGUE },
    { "cohere", "command-a-plus-05-2026", "thinking", "budget", RF_FACT_CATALOGUE },
    { "cohere", "command-r-plus", "forced_tool_choice", "no", RF_FACT_CATALOGUE },
    { "cohere", "command-r7b-12-2024", "forced_tool_choice", "yes", RF_FACT_BUILTIN },
    { "cohere", "command-a-03-2025", "citations", "yes", RF_FACT_BUILTIN },
    { "xai", "grok-4", "thinking", "always", RF_FACT_CATALOGUE },
    { "xai", "grok-3-mini", "thinking", "effort", RF_FACT_CATALOGUE },
    { "anthropic", "never-heard-of", "vision", "yes", RF_FACT_BUILTIN },
    { "anthropic", "never-heard-of", "context_tokens", "0", RF_FACT_UNKNOWN },
    { "bedrock", "anthropic.claude-x", "after", "same-turn", RF_FACT_CATALOGUE },
    { "bedrock", "anthropic.claude-x", "beside", "image", RF_FACT_CATALOGUE },
    { "bedrock", "anthropic.claude-x", "url_user", "-", RF_FACT_CATALOGUE },
    { "bedrock", "meta.llama3", "after", "separated", RF_FACT_BUILTIN },
    { "bedrock", "writer.palmyra", "result_status", "no", RF_FACT_CATALOGUE },
    { "mistral", "mistral-large", "call_ids", "alnum9", RF_FACT_BUILTIN },
    { "mistral", "mistral-large", "after", "separated", RF_FACT_BUILTIN },
    { "google", "gemini-3-pro", "after", "next-turn", RF_FACT_BUILTIN },
    { "google", "gemini-3-pro-image", "in_answers", "image,audio,video", RF_FACT_BUILTIN },
    { "groq", "x", "max_images", "5", RF_FACT_BUILTIN },
};

static size_t fact_index(const char *name)
{
    size_t i = 0;
    while (i < rf_fact_count() && strcmp(rf_fact_name(i), name) != 0)
        i++;
    return i;
}

static void facts_say_where_they_come_from(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fact_rows); i++) {
        const struct fact_row *row = &fact_rows[i];
        struct rf_arena *a = rf_arena_new();
        struct rf_model m = model_of(a, row->provider, row->name);
        size_t fact = fact_index(row->fact);
        assert_str(rf_model_fact(&m, fact), row->value ? row->value : "");
        assert_int_equal(rf_model_fact_source(&m, fact), row->source);
        rf_arena_free(a);
    }
}

/* A value of the fact's type that is not the one it has. */
static const char *other_value(const struct rf_fact *f, struct rf_str now)
{
    switch (f->type) {
    case RF_FACT_BOOL:
        return rf_str_is(now, "yes") ? "no" : "yes";
    case RF_FACT_INT:
        return "4711";
    case RF_FACT_PRICE:
        return "0.15";
    case RF_FACT_TEXT:
        return "a,b/c*";
    case RF_FACT_FORMULA:
        return "fixed/4711";
    case RF_FACT_KINDS:
        return rf_str_is(now, "office,video") ? "image" : "office,video";
    case RF_FACT_WORD:
    case RF_FACT_STYLE:
        return rf_str_is(now, f->words[1]) ? f->words[0] : f->words[1];
    }
    return "";
}

/* The values and sources of all facts but one. */
static struct rf_str all_but(struct rf_model *m, size_t fact)
{
    struct rf_str all = RF_STR("");
    for (size_t i = 0; i < rf_fact_count(); i++)
        if (i != fact)
            all = rf_strf(m->arena, "%.*s%s=%.*s (%s)\n", RF_FMT(all), rf_fact_name(i),
                          RF_FMT(rf_model_fact(m, i)),
                          rf_fact_source_name(rf_model_fact_source(m, i)));
    return all;
}

static void every_fact_can_be_set_alone(void **state)
{
    static const char *const names[][2] = { { "anthropic", "claude-sonnet-4-5" },
                                            { "bedrock", "us.amazon.nova-pro" },
                                            { "openai-compatible", "unknown" } };
    (void)state;
    for (size_t i = 0; i < COUNT(names) * rf_fact_count(); i++) {
        size_t fact = i / COUNT(names);
        struct rf_arena *a = rf_arena_new();
        struct rf_model m = model_of(a, names[i % COUNT(names)][0], names[i % COUNT(names)][1]);
        const char *value = other_value(&rf_facts[fact], rf_model_fact(&m, fact));
        const char *before = rf_cstr(a, all_but(&m, fact));
        assert_int_equal(
            rf_model_set(&m, rf_str(rf_fact_name(fact)), rf_str(value), RF_FACT_OVERRIDE, NULL),
            RF_OK);
        assert_str(rf_model_fact(&m, fact), value);
        assert_int_equal(rf_model_fact_source(&m, fact), RF_FACT_OVERRIDE);
        assert_str(all_but(&m, fact), before);
        rf_arena_free(a);
    }
}

static void facts_are_named_once_and_explained(void **state)
{
    (void)state;
    for (size_t i = 0; i < rf_fact_count(); i++) {
        assert_int_equal(fact_index(rf_fact_name(i)), i);
        assert_true(strlen(rf_fact_help(i)) > 5);
        assert_ptr_equal(rf_fact_find(rf_str(rf_fact_name(i))), &rf_facts[i]);
        for (size_t j = 0; j < i; j++)
            if (rf_facts[i].offset == rf_facts[j].offset)
                fail_msg("%s and %s are one", rf_fact_name(i), rf_fact_name(j));
    }
    assert_null(rf_fact_name(rf_fact_count()));
    assert_null(rf_fact_help(rf_fact_count()));
    assert_null(rf_fact_find(RF_STR("visio")));
    assert_null(rf_fact_find(RF_STR("")));
}

static const struct value_row {
    const char *name, *fact, *value;
    const char *want; /* as it is shown; or "!", the message, "|" and the hint */
} value_rows[] = {
    { "yes", "audio_input", "yes", "yes" },
    { "true as YAML has it", "audio_input", "True", "yes" },
    { "on", "audio_input", "on", "yes" },
    { "off", "vision", "OFF", "no" },
    { "space around a value", "audio_input", " yes ", "yes" },
    { "no boolean", "vision", "maybe",
      "!\"maybe\" is not a value for \"vision\"|It takes yes or no." },
    { "one is not a boolean", "vision", "1",
      "!\"1\" is not a value for \"vision\"|It takes yes or no." },
    { "an empty boolean", "vision", "", "!\"\" is not a value for \"vision\"|It takes yes or no." },
    { "a number", "max_images", "12", "12" },
    { "zero is unknown", "max_images", "0", "0" },
    { "the largest number", "max_images", "9223372036854775807", "9223372036854775807" },
    { "a negative number", "max_images", "-1",
      "!\"-1\" is not a value for \"max_images\"|It takes a whole number; 0 is unknown." },
    { "a number with a unit", "max_body_bytes", "5MB",
      "!\"5MB\" is not a value for \"max_body_bytes\"|It takes a whole number; 0 is unknown." },
    { "a number past 64 bits", "max_images", "9223372036854775808",
      "!\"9223372036854775808\" is not a value for \"max_images\"|It takes a whole number; 0 is "
      "unknown." },
    { "a list of types", "image_user", "image/png,image/*", "image/png,image/*" },
    { "no types", "image_user", "-", "-" },
    { "kinds", "url_user", "pdf, image", "image,pdf" },
    { "no kinds", "url_user", "-", "-" },
    { "all kinds", "url_user", "video,audio,office,text,pdf,image",
      "image,pdf,text,office,audio,video" },
    { "a kind that does not exist", "url_user", "image,picture",
      "!\"image,picture\" is not a value for \"url_user\"|It takes image, pdf, text, office, audio "
      "and video, or -." },
    { "the kind of nothing", "url_user", "unknown",
      "!\"unknown\" is not a value for \"url_user\"|It takes image, pdf, text, office, audio and "
      "video, or -." },
    { "a word", "after", "separated", "separated" },
    { "a word that does not exist", "after", "later",
      "!\"later\" is not a value for \"after\"|It takes next-turn, same-turn, separated." },
    { "thinking switched off", "thinking", "false", "no" },
    { "thinking switched on stays as it is asked for", "thinking", "true", "budget" },
    { "another way to ask for thinking", "thinking", "effort", "effort" },
    { "no way to ask for thinking", "thinking", "sometimes",
      "!\"sometimes\" is not a value for \"thinking\"|It takes yes, none, no, always, budget, "
      "adaptive, effort, level, switch." },
    { "a formula", "image_tokens", "fixed/100", "fixed/100" },
    { "no formula", "image_tokens", "-", "-" },
    { "a formula that does not exist", "image_tokens", "w*h/750",
      "!\"w*h/750\" is not a value for \"image_tokens\"|It takes fixed/TOKENS, patches/SIDE/EDGE/CAP, "
      "tiles/SIDE/TOKENS/SMALL or openai/BASE/TILE." },
    { "a fact that does not exist", "visio", "yes",
      "!there is no fact \"visio\"|Check the fact's name." },
    { "a hostile name", "a\x1b[31m", "yes", "!there is no fact \"a?[31m\"|Check the fact's name." },
};

static void value_row(void **state)
{
    const struct value_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_model m = model_of(a, "anthropic", "claude-sonnet-4-5");
    const char *before = rf_cstr(a, all_but(&m, SIZE_MAX));
    struct rf_err err;
    struct rf_str got;
    if (rf_model_set(&m, rf_str(row->fact), rf_str(row->value), RF_FACT_OVERRIDE, &err)) {
        assert_int_equal(err.code, RF_ECONFIG);
        assert_str(all_but(&m, SIZE_MAX), before);
        got = rf_strf(a, "!%s|%s", err.msg, err.hint);
    } else {
        got = rf_model_fact(&m, fact_index(row->fact));
    }
    assert_str(got, row->want);
    rf_arena_free(a);
}

static void a_former_name_is_understood(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_model m = model_of(a, "ollama", "llava");
    assert_int_equal(
        rf_model_set(&m, RF_STR("native_audio"), RF_STR("yes"), RF_FACT_OVERRIDE, NULL), RF_OK);
    assert_str(rf_model_fact(&m, fact_index("audio_input")), "yes");
    rf_arena_free(a);
}

static void thinking_can_be_switched_on_where_it_was_off(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_model m = model_of(a, "ollama", "llava");
    assert_int_equal(rf_model_set(&m, RF_STR("thinking"), RF_STR("yes"), RF_FACT_OVERRIDE, NULL),
                     RF_OK);
    assert_str(rf_model_fact(&m, fact_index("thinking")), "switch");
    rf_arena_free(a);
}

static void a_provider_that_nobody_knows(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    struct rf_model m;
    struct rf_err err;
    assert_int_equal(rf_model_init(&m, RF_STR("Anthropic"), RF_STR("x"), a, &err), RF_EUSAGE);
    assert_string_equal(err.msg, "unknown provider \"Anthropic\"");
    assert_int_equal(rf_model_init(&m, RF_STR(""), RF_STR("x"), a, &err), RF_EUSAGE);
    rf_arena_free(a);
}

static void sources_have_names(void **state)
{
    (void)state;
    assert_string_equal(rf_fact_source_name(RF_FACT_UNKNOWN), "unknown");
    assert_string_equal(rf_fact_source_name(RF_FACT_BUILTIN), "built-in");
    assert_string_equal(rf_fact_source_name(RF_FACT_CATALOGUE), "catalogue");
    assert_string_equal(rf_fact_source_name(RF_FACT_DESCRIBED), "described");
    assert_string_equal(rf_fact_source_name(RF_FACT_LEARNED), "learned");
    assert_string_equal(rf_fact_source_name(RF_FACT_OVERRIDE), "override");
}

static const struct list_row {
    const char *name, *list, *mime;
    bool want;
} lists[] = {
    { "the only one", "image/png", "image/png", true },
    { "one of several", "image/png,image/jpeg", "image/jpeg", true },
    { "not in the list", "image/png,image/jpeg", "image/gif", false },
    { "spaces in the list", "image/png, image/jpeg", "image/jpeg", true },
    { "capitals", "image/PNG", "Image/png", true },
    { "a pattern", "text/*,application/json", "text/csv", true },
    { "a pattern that does not fit", "text/*", "application/json", false },
    { "an empty list", "", "image/png", false },
    { "an empty type", "image/png", "", false },
    { "a part of a type", "image/png", "image/pn", false },
    { "a type in which another stands", "image/png", "ximage/png", false },
};

static void list_row(void **state)
{
    const struct list_row *row = *state;
    assert_int_equal(rf_mime_in(rf_str(row->list), rf_str(row->mime)), row->want);
}

static const struct words_row {
    const char *name, *provider, *model, *fact, *value, *want;
} words_rows[] = {
    { "several kinds", "anthropic", "claude-sonnet-4-5", NULL, NULL,
      "images (png, jpeg, gif, webp), PDF, text files and text" },
    { "one kind", "xai-chat", "grok-4", NULL, NULL, "images (png, jpeg, webp) and text" },
    { "a kind that is taken by reference only", "xai", "grok-4", NULL, NULL,
      "images (png, jpeg, webp), PDF by URL or file id and text" },
    { "no kind", "openai-chat", "gpt-3.5-turbo", NULL, NULL, "text only" },
    { "a kind that was switched off", "anthropic", "claude-sonnet-4-5", "vision", "no",
      "PDF, text files and text" },
    { "sound", "openai-chat", "gpt-4o-audio-preview", NULL, NULL, "audio (wav, mpeg) and text" },
    { "a list that is longer than words may be", "google", "gemini-3-pro", "image_user", NULL,
      "several kinds of files and text" },
};

static void words_row(void **state)
{
    const struct words_row *row = *state;
    struct rf_arena *a = rf_arena_new();
    struct rf_model m = model_of(a, row->provider, row->model);
    char *endless = rf_arena_alloc(a, 3000);
    memset(endless, 'x', 2999);
    const char *value = row->value ? row->value : endless;
    if (row->fact)
        assert_int_equal(rf_model_set(&m, rf_str(row->fact), rf_str(value), RF_FACT_OVERRIDE, NULL),
                         RF_OK);
    assert_str(rf_caps_words(&m.caps, a), row->want);
    rf_arena_free(a);
}

#define ROWS (COUNT(takens) + COUNT(value_rows) + COUNT(lists) + COUNT(words_rows))

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(every_row_parses_and_is_found),
        cmocka_unit_test(every_endpoint_is_whole),
        cmocka_unit_test(hosts_are_found_by_what_they_call_themselves),
        cmocka_unit_test(rows_of_an_endpoint_stand_behind_its_own),
        cmocka_unit_test(names_find_their_rows),
        cmocka_unit_test(facts_say_where_they_come_from),
        cmocka_unit_test(every_fact_can_be_set_alone),
        cmocka_unit_test(facts_are_named_once_and_explained),
        cmocka_unit_test(a_former_name_is_understood),
        cmocka_unit_test(thinking_can_be_switched_on_where_it_was_off),
        cmocka_unit_test(a_provider_that_nobody_knows),
        cmocka_unit_test(sources_have_names),
    };
    struct CMUnitTest tests[ROWS + COUNT(others)], *at = tests;
    name_rows(at, takes_what_it_should, takens, COUNT(takens), sizeof *takens);
    name_rows(at += COUNT(takens), value_row, value_rows, COUNT(value_rows), sizeof *value_rows);
    name_rows(at += COUNT(value_rows), list_row, lists, COUNT(lists), sizeof *lists);
    name_rows(at += COUNT(lists), words_row, words_rows, COUNT(words_rows), sizeof *words_rows);
    memcpy(at + COUNT(words_rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
