/* Completion for bash, 4.4 or later, with nothing of the package bash-completion. Names come from
 * the program and from files that somebody else may have written, so nothing here has bash expand
 * them. */
#include "shell.h"

#include "options.h"

static const char functions[] =
    "# What completes the word: the one after an option, or a word of the command.\n"
    "_refract_reply() { # KIND WORDS\n"
    "    local name rest\n"
    "    case $1 in\n"
    "    files) compopt -o default ;;\n"
    "    folders) compopt -o dirnames ;;\n"
    "    words)\n"
    "        for name in $2; do\n"
    "            [[ $name == \"$cur\"* ]] && COMPREPLY+=(\"$name\")\n"
    "        done\n"
    "        ;;\n"
    "    models | sessions | prompts)\n"
    "        while IFS=$'\\t' read -r name rest; do\n"
    "            [[ $name == \"$cur\"* ]] && COMPREPLY+=(\"$name\")\n"
    "        done < <(\"$program\" completion \"$1\" 2>/dev/null)\n"
    "        ;;\n"
    "    esac\n"
    "}\n\n"
    "# The words up to the cursor; what bash took apart at colons and the like is one word again.\n"
    "_refract_words() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} before i\n"
    "    words=()\n"
    "    for ((i = 0; i <= COMP_CWORD; i++)); do\n"
    "        before=$line\n"
    "        line=${line#\"${line%%[![:space:]]*}\"}\n"
    "        if ((i)) && [[ $line == \"$before\" ]]; then\n"
    "            words[-1]+=${COMP_WORDS[i]}\n"
    "        else\n"
    "            words+=(\"${COMP_WORDS[i]}\")\n"
    "        fi\n"
    "        line=${line#\"${COMP_WORDS[i]}\"}\n"
    "    done\n"
    "}\n\n"
    "# Where the cursor is: `takes` is what comes before it, `count` the words of the command.\n"
    "_refract_place() {\n"
    "    local i word\n"
    "    for ((i = 2; i < ${#words[@]} - 1; i++)); do\n"
    "        word=${words[i]}\n"
    "        if [[ -n $takes ]]; then\n"
    "            takes=\n"
    "        elif [[ -z $only && $word == -- ]]; then\n"
    "            only=1\n"
    "        elif [[ -z $only && $word == -?* ]]; then\n"
    "            [[ $word == --*=* ]] || _refract_takes \"$command:$word\"\n"
    "        else\n"
    "            ((count++ == 0)) && action=$word\n"
    "        fi\n"
    "    done\n"
    "}\n\n"
    "_refract_complete() {\n"
    "    if ((${#words[@]} == 2)); then\n"
    "        _refract_reply words \"$_refract_commands --help --version\"\n"
    "    elif [[ $command == help ]]; then\n"
    "        ((count)) || _refract_reply words \"$_refract_commands\"\n"
    "    elif [[ -n $takes ]]; then\n"
    "        _refract_reply \"${takes%% *}\" \"${takes#* }\"\n"
    "    elif [[ -z $only && $cur == --*=* ]]; then\n"
    "        _refract_takes \"$command:${cur%%=*}\"\n"
    "        cur=${cur#*=}\n"
    "        _refract_reply \"${takes%% *}\" \"${takes#* }\"\n"
    "    elif [[ -z $only && $cur == -* ]]; then\n"
    "        _refract_options \"$command\"\n"
    "    else\n"
    "        _refract_word \"$command\" \"$action\" \"$count\"\n"
    "    fi\n"
    "}\n\n"
    "_refract() {\n"
    "    local program=${COMP_WORDS[0]} cur command action count=0 only takes tail i\n"
    "    local -a words\n"
    "    program=${program/#\\~/$HOME}\n"
    "    COMPREPLY=()\n"
    "    _refract_words\n"
    "    cur=${words[-1]}\n"
    "    command=${words[1]}\n"
    "    _refract_place\n"
    "    _refract_complete\n"
    "    # readline replaces what follows the last colon.\n"
    "    tail=${cur##*[:=]}\n"
    "    for i in \"${!COMPREPLY[@]}\"; do\n"
    "        COMPREPLY[i]=${COMPREPLY[i]#\"${cur%\"$tail\"}\"}\n"
    "    done\n"
    "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:=] ]] && compopt -o nospace\n"
    "    return 0\n"
    "}\n\n"
    "complete -F _refract refract\n";

/* "models ", "words a b c", "" */
static void print_kind(FILE *out, const char *name)
{
    static const char *const kinds[] = {
        [RF_SHELL_NOTHING] = "nothing",   [RF_SHELL_FILES] = "files",
        [RF_SHELL_FOLDERS] = "folders",   [RF_SHELL_MODELS] = "models",
        [RF_SHELL_SESSIONS] = "sessions", [RF_SHELL_PROMPTS] = "prompts",
        [RF_SHELL_WORDS] = "words",
    };
    char words[RF_SHELL_WORDS_SIZE];
    enum rf_shell_kind kind = rf_shell_kind(name, words);
    fprintf(out, "%s %s", kinds[kind], words);
}

static void takes(FILE *out, const struct rf_command *cmd)
{
    for (size_t i = 0; i < cmd->option_count; i++) {
        const struct rf_option *o = &cmd->options[i];
        if (!o->arg)
            continue;
        fprintf(out, "    %s:--%s", cmd->name, o->name);
        if (o->letter)
            fprintf(out, " | %s:-%c", cmd->name, o->letter);
        fputs(") takes='", out);
        print_kind(out, o->arg);
        fputs("' ;;\n", out);
    }
}

static void options(FILE *out, const struct rf_command *cmd)
{
    fprintf(out, "    %s) _refract_reply words '", cmd->name);
    for (size_t i = 0; i < cmd->option_count; i++)
        fprintf(out, "--%s ", cmd->options[i].name);
    fprintf(out, "--%s' ;;\n", rf_help_option.name);
}

static void print_reply(FILE *out, const char *arg)
{
    char words[RF_SHELL_WORDS_SIZE];
    enum rf_shell_kind kind = rf_shell_kind(arg, words);
    fputs(") _refract_reply ", out);
    if (kind == RF_SHELL_WORDS)
        fprintf(out, "words '%s'", words);
    else
        print_kind(out, arg);
    fputs(" ;;\n", out);
}

static void words(FILE *out, const struct rf_command *cmd)
{
    char name[RF_SHELL_WORDS_SIZE];
    if (cmd->action_count) {
        fprintf(out, "    %s::0) _refract_reply words '", cmd->name);
        for (size_t i = 0; i < cmd->action_count; i++)
            fprintf(out, "%s%s", i ? " " : "", cmd->actions[i].name);
        fputs("' ;;\n", out);
    }
    for (size_t i = 0; i < cmd->action_count; i++)
        for (size_t n = 0; rf_shell_arg(cmd->actions[i].arg, n, name); n++) {
            fprintf(out, "    %s:%s:%zu", cmd->name, cmd->actions[i].name, n + 1);
            print_reply(out, name);
        }
    if (cmd->arg && !cmd->action_count) {
        fprintf(out, "    %s:*", cmd->name);
        print_reply(out, cmd->arg);
    }
}

static void print_case(FILE *out, const char *head, const char *what,
                       void (*rows)(FILE *out, const struct rf_command *cmd))
{
    fprintf(out, "%s {\n    case %s in\n", head, what);
    rf_shell_each(rows, out);
    fputs("    esac\n}\n\n", out);
}

void rf_shell_bash(FILE *out)
{
    fputs("# Completion of refract for bash, written by: refract completion bash\n\n"
          "_refract_commands='",
          out);
    rf_shell_commands(out);
    fputs("'\n\n", out);
    print_case(out, "_refract_takes() # COMMAND:OPTION\n", "$1", takes);
    print_case(out, "_refract_options() # COMMAND\n", "$1", options);
    print_case(out, "_refract_word() # COMMAND ACTION NUMBER\n", "$1:$2:$3", words);
    fputs(functions, out);
}
