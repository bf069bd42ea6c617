/* Completion for zsh, by its _arguments. */
#include "shell.h"

#include "options.h"

static const char functions[] =
    "# Names from the program, a line each: the name, a tab, what it is.\n"
    "_refract_ask() {\n"
    "    local -a names shown open open_shown\n"
    "    local line name\n"
    "    for line in \"${(@f)$(\"$program\" completion $1 2>/dev/null)}\"; do\n"
    "        name=${line%%$'\\t'*}\n"
    "        [[ -n $name ]] || continue\n"
    "        if [[ $name == *: ]]; then\n"
    "            open+=(\"$name\")\n"
    "            open_shown+=(\"${line/$'\\t'/  -- }\")\n"
    "        else\n"
    "            names+=(\"$name\")\n"
    "            shown+=(\"${line/$'\\t'/  -- }\")\n"
    "        fi\n"
    "    done\n"
    "    compadd -l -V \"$1\" -d shown -a names\n"
    "    compadd -l -V \"$1\" -S '' -d open_shown -a open\n"
    "}\n\n"
    "_refract_models() { _refract_ask models }\n"
    "_refract_sessions() { _refract_ask sessions }\n"
    "_refract_prompts() { _refract_ask prompts }\n\n";

static const char begin[] = "_refract() {\n"
                            "    local program=${~${(Q)words[1]}} command=$words[2] context state\n"
                            "    local -a line\n"
                            "    local -A opt_args\n"
                            "    if ((CURRENT == 2)); then\n"
                            "        if [[ $PREFIX == -* ]]; then\n"
                            "            compadd -- -h --help --version\n"
                            "        else\n"
                            "            _refract_commands\n"
                            "        fi\n"
                            "        return\n"
                            "    fi\n"
                            "    shift words\n"
                            "    ((CURRENT--))\n"
                            "    case $command in\n"
                            "    help) ((CURRENT == 2)) && _refract_commands ;;\n";

static const char end[] = "    esac\n"
                          "}\n\n"
                          "if [[ $funcstack[1] == _refract ]]; then\n"
                          "    _refract \"$@\"\n"
                          "else\n"
                          "    compdef _refract refract\n"
                          "fi\n";

/* 'NAME:help', for _describe. */
static void print_described(FILE *out, const char *name, const char *help)
{
    fprintf(out, "        %s:", name);
    rf_shell_quote(out, help, "\\", "'\\''");
    fputc('\n', out);
}

static void describe_command(FILE *out, const struct rf_command *cmd)
{
    print_described(out, cmd->name, cmd->summary);
}

static const char *filler(const char *name)
{
    static char words[RF_SHELL_WORDS_SIZE + 2];
    char list[RF_SHELL_WORDS_SIZE];
    switch (rf_shell_kind(name, list)) {
    case RF_SHELL_NOTHING:
        return " ";
    case RF_SHELL_FILES:
        return "_files";
    case RF_SHELL_FOLDERS:
        return "_files -/";
    case RF_SHELL_MODELS:
        return "_refract_models";
    case RF_SHELL_SESSIONS:
        return "_refract_sessions";
    case RF_SHELL_PROMPTS:
        return "_refract_prompts";
    case RF_SHELL_WORDS:
        snprintf(words, sizeof words, "(%s)", list);
        return words;
    }
    return " ";
}

/* What completes the words after an action: a function for each place, which looks at the
 * action. */
static void print_place(FILE *out, const struct rf_command *cmd, size_t n)
{
    char name[RF_SHELL_WORDS_SIZE], list[RF_SHELL_WORDS_SIZE];
    fprintf(out, "_refract_%s_%zu() {\n    case $line[1] in\n", cmd->name, n + 2);
    for (size_t i = 0; i < cmd->action_count; i++) {
        if (!rf_shell_arg(cmd->actions[i].arg, n, name))
            continue;
        enum rf_shell_kind kind = rf_shell_kind(name, list);
        if (kind == RF_SHELL_WORDS)
            fprintf(out, "    %s) compadd -- %s ;;\n", cmd->actions[i].name, list);
        else if (kind != RF_SHELL_NOTHING)
            fprintf(out, "    %s) %s ;;\n", cmd->actions[i].name, filler(name));
    }
    fputs("    esac\n}\n\n", out);
}

static size_t places(const struct rf_command *cmd)
{
    char name[RF_SHELL_WORDS_SIZE];
    size_t most = 0;
    for (size_t i = 0; i < cmd->action_count; i++)
        while (rf_shell_arg(cmd->actions[i].arg, most, name))
            most++;
    return most;
}

static void print_actions(FILE *out, const struct rf_command *cmd)
{
    if (!cmd->action_count)
        return;
    fprintf(out, "_refract_%s_1() {\n    local -a actions=(\n", cmd->name);
    for (size_t i = 0; i < cmd->action_count; i++)
        print_described(out, cmd->actions[i].name, cmd->actions[i].help);
    fputs("    )\n    _describe -t actions action actions\n}\n\n", out);
    for (size_t n = 0; n < places(cmd); n++)
        print_place(out, cmd, n);
}

/* '(-m --model)--model=[help]:MODEL:_refract_models', once for each spelling. */
static void print_spelling(FILE *out, const struct rf_option *o, int is_letter)
{
    char name[64];
    if (is_letter)
        snprintf(name, sizeof name, "-%c%s", o->letter, o->arg ? "+" : "");
    else
        snprintf(name, sizeof name, "--%s%s", o->name, o->arg ? "=" : "");
    fputs(" \\\n            ", out);
    if (o->arg)
        fprintf(out, "'*'%s", name);
    else if (o->letter)
        fprintf(out, "'(-%c --%s)'%s", o->letter, o->name, name);
    else
        fputs(name, out);
    fputs("'['", out);
    rf_shell_quote(out, o->help, "\\[]:", "'\\''");
    fputs("']'", out);
    if (o->arg)
        fprintf(out, "':%s:%s'", o->arg, filler(o->arg));
}

static void print_option(FILE *out, const struct rf_option *o)
{
    if (o->letter)
        print_spelling(out, o, 1);
    print_spelling(out, o, 0);
}

static void print_command(FILE *out, const struct rf_command *cmd)
{
    fprintf(out, "    %s)\n        _arguments -s -S :", cmd->name);
    for (size_t i = 0; i < cmd->option_count; i++)
        print_option(out, &cmd->options[i]);
    print_option(out, &rf_help_option);
    if (cmd->arg && !cmd->action_count)
        fprintf(out, " \\\n            '*:%s:%s'", cmd->arg, filler(cmd->arg));
    for (size_t n = 0; cmd->action_count && n <= places(cmd); n++)
        fprintf(out, " \\\n            '%zu: :_refract_%s_%zu'", n + 1, cmd->name, n + 1);
    fputs("\n        ;;\n", out);
}

void rf_shell_zsh(FILE *out)
{
    fputs("#compdef refract\n"
          "# Completion of refract for zsh, written by: refract completion zsh\n\n",
          out);
    fputs(functions, out);
    fputs("_refract_commands() {\n    local -a commands=(\n", out);
    rf_shell_each(describe_command, out);
    print_described(out, "help", "show what a command takes");
    fputs("    )\n    _describe -t commands command commands\n}\n\n", out);
    rf_shell_each(print_actions, out);
    fputs(begin, out);
    rf_shell_each(print_command, out);
    fputs(end, out);
}
