#include "shell.h"

#include <string.h>

#include <refract/model.h>

static const struct {
    const char *name;
    enum rf_shell_kind kind;
    const char *words;
} arguments[] = {
    { "CONVERSATION", RF_SHELL_FILES, "" },
    { "DIALECT", RF_SHELL_WORDS,
      "anthropic bedrock gemini openai-chat openai-responses mistral ollama cohere" },
    { "DIR", RF_SHELL_FOLDERS, "" },
    { "FILE", RF_SHELL_FILES, "" },
    { "HOST", RF_SHELL_WORDS,
      "claude-code claude-desktop codex gemini-cli goose vscode opencode openai-agents" },
    { "ID", RF_SHELL_SESSIONS, "" },
    { "LEVEL", RF_SHELL_WORDS, "off low medium high" },
    { "MESSAGE", RF_SHELL_FILES, "" },
    { "MODE", RF_SHELL_WORDS, "auto kitty iterm sixel blocks none" },
    { "MODEL", RF_SHELL_MODELS, "" },
    { "NAME", RF_SHELL_WORDS, "" }, /* of a provider */
    { "PROMPT", RF_SHELL_PROMPTS, "" },
    { "SCHEMA", RF_SHELL_FILES, "" },
    { "WHAT", RF_SHELL_MODELS, "" },
};

static void list_providers(char words[RF_SHELL_WORDS_SIZE])
{
    size_t used = 0;
    for (size_t i = 0; i < rf_provider_count() && used < RF_SHELL_WORDS_SIZE; i++)
        used += (size_t)snprintf(words + used, RF_SHELL_WORDS_SIZE - used, "%s%s", i ? " " : "",
                                 rf_provider_name(i));
}

enum rf_shell_kind rf_shell_kind(const char *name, char words[RF_SHELL_WORDS_SIZE])
{
    words[0] = '\0';
    if (strchr(name, '|')) {
        snprintf(words, RF_SHELL_WORDS_SIZE, "%s", name);
        for (char *p = words; *p; p++)
            if (*p == '|')
                *p = ' ';
        return RF_SHELL_WORDS;
    }
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        if (strcmp(arguments[i].name, name) != 0)
            continue;
        snprintf(words, RF_SHELL_WORDS_SIZE, "%s", arguments[i].words);
        if (arguments[i].kind == RF_SHELL_WORDS && !words[0])
            list_providers(words);
        return arguments[i].kind;
    }
    return RF_SHELL_NOTHING;
}

const char *rf_shell_arg(const char *args, size_t i, char name[RF_SHELL_WORDS_SIZE])
{
    static const char between[] = " []";
    const char *p = args ? args : "";
    for (;;) {
        p += strspn(p, between);
        size_t n = strcspn(p, between);
        if (!n)
            return NULL;
        if (i-- == 0) {
            snprintf(name, RF_SHELL_WORDS_SIZE, "%.*s", (int)n, p);
            return name;
        }
        p += n;
    }
}

void rf_shell_each(void (*each)(FILE *out, const struct rf_command *cmd), FILE *out)
{
    for (size_t g = 0; g < rf_command_group_count; g++)
        for (const struct rf_command *const *c = rf_command_groups[g].commands; *c; c++)
            each(out, *c);
}

static void print_name(FILE *out, const struct rf_command *cmd)
{
    fprintf(out, "%s ", cmd->name);
}

void rf_shell_commands(FILE *out)
{
    rf_shell_each(print_name, out);
    fputs("help", out);
}

void rf_shell_quote(FILE *out, const char *text, const char *special, const char *quote)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(quote, out);
            continue;
        }
        if (strchr(special, *text))
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}
