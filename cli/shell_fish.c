/* Completion for fish, 3.0 or later. */
#include "shell.h"

#include "options.h"

static const char functions[] =
    "# The command and its words before the cursor, without options and what those take.\n"
    "function __refract_words\n"
    "    set -l given (commandline -opc)\n"
    "    set -l command $given[2]\n"
    "    set -l skip 0\n"
    "    set -l only 0\n"
    "    echo $command\n"
    "    for word in $given[3..-1]\n"
    "        if test $skip = 1\n"
    "            set skip 0\n"
    "        else if test $only = 0; and test \"$word\" = --\n"
    "            set only 1\n"
    "        else if test $only = 0; and string match -q -- '-?*' \"$word\"\n"
    "            if __refract_takes $command:$word\n"
    "                set skip 1\n"
    "            end\n"
    "        else\n"
    "            echo $word\n"
    "        end\n"
    "    end\n"
    "end\n\n"
    "function __refract_is # COMMAND [NUMBER [ACTION]]\n"
    "    set -l words (__refract_words)\n"
    "    test \"$words[1]\" = $argv[1]; or return 1\n"
    "    set -q argv[2]; or return 0\n"
    "    test (count $words) -eq (math $argv[2] + 1); or return 1\n"
    "    set -q argv[3]; or return 0\n"
    "    test \"$words[2]\" = $argv[3]\n"
    "end\n\n"
    "function __refract_begins\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n\n"
    "function __refract_ask\n"
    "    set -l given (commandline -opc)\n"
    "    set -l program (string replace -r '^~' $HOME -- $given[1])\n"
    "    $program completion $argv[1] 2>/dev/null\n"
    "end\n\n"
    "complete -c refract -f\n";

static void takes(FILE *out, const struct rf_command *cmd)
{
    for (size_t i = 0; i < cmd->option_count; i++) {
        const struct rf_option *o = &cmd->options[i];
        if (!o->arg)
            continue;
        fprintf(out, " %s:--%s", cmd->name, o->name);
        if (o->letter)
            fprintf(out, " %s:-%c", cmd->name, o->letter);
    }
}

static void print_help(FILE *out, const char *help)
{
    fputs(" -d ", out);
    rf_shell_quote(out, help, "\\", "\\'");
    fputc('\n', out);
}

/* After an option it has to follow (`-x`, `-r`); a word of a command may. */
static void print_arg(FILE *out, const char *name, int is_option)
{
    char words[RF_SHELL_WORDS_SIZE];
    switch (rf_shell_kind(name, words)) {
    case RF_SHELL_NOTHING:
        fputs(is_option ? " -x" : "", out);
        break;
    case RF_SHELL_FILES:
        fputs(is_option ? " -r -F" : " -F", out);
        break;
    case RF_SHELL_FOLDERS:
        fprintf(out, "%s -a '(__fish_complete_directories)'", is_option ? " -x" : "");
        break;
    case RF_SHELL_MODELS:
        fprintf(out, "%s -a '(__refract_ask models)'", is_option ? " -x" : "");
        break;
    case RF_SHELL_SESSIONS:
        fprintf(out, "%s -k -a '(__refract_ask sessions)'", is_option ? " -x" : "");
        break;
    case RF_SHELL_PROMPTS:
        fprintf(out, "%s -a '(__refract_ask prompts)'", is_option ? " -x" : "");
        break;
    case RF_SHELL_WORDS:
        fprintf(out, "%s -a '%s'", is_option ? " -x" : "", words);
        break;
    }
}

static void print_option(FILE *out, const struct rf_command *cmd, const struct rf_option *o)
{
    fprintf(out, "complete -c refract -n '__refract_is %s' -l %s", cmd->name, o->name);
    if (o->letter)
        fprintf(out, " -s %c", o->letter);
    if (o->arg)
        print_arg(out, o->arg, 1);
    print_help(out, o->help);
}

static void print_actions(FILE *out, const struct rf_command *cmd)
{
    char name[RF_SHELL_WORDS_SIZE];
    for (size_t i = 0; i < cmd->action_count; i++) {
        const struct rf_action *a = &cmd->actions[i];
        fprintf(out, "complete -c refract -n '__refract_is %s 0' -a %s", cmd->name, a->name);
        print_help(out, a->help);
        for (size_t n = 0; rf_shell_arg(a->arg, n, name); n++) {
            fprintf(out, "complete -c refract -n '__refract_is %s %zu %s'", cmd->name, n + 1,
                    a->name);
            print_arg(out, name, 0);
            fputc('\n', out);
        }
    }
}

static void print_command(FILE *out, const struct rf_command *cmd)
{
    fprintf(out, "\ncomplete -c refract -n __refract_begins -a %s", cmd->name);
    print_help(out, cmd->summary);
    print_actions(out, cmd);
    if (cmd->arg && !cmd->action_count) {
        fprintf(out, "complete -c refract -n '__refract_is %s'", cmd->name);
        print_arg(out, cmd->arg, 0);
        fputc('\n', out);
    }
    for (size_t i = 0; i < cmd->option_count; i++)
        print_option(out, cmd, &cmd->options[i]);
    print_option(out, cmd, &rf_help_option);
}

void rf_shell_fish(FILE *out)
{
    fputs("# Completion of refract for fish, written by: refract completion fish\n\n"
          "function __refract_takes # COMMAND:OPTION\n"
          "    contains -- $argv[1]",
          out);
    rf_shell_each(takes, out);
    fputs("\nend\n\n", out);
    fputs(functions, out);
    rf_shell_each(print_command, out);
    fputs("\ncomplete -c refract -n __refract_begins -a help -d 'show what a command takes'\n"
          "complete -c refract -n '__refract_is help 0' -a '",
          out);
    rf_shell_commands(out);
    fputs("'\n"
          "complete -c refract -n __refract_begins -l help -s h -d 'list the commands'\n"
          "complete -c refract -n __refract_begins -l version -d 'print the version'\n",
          out);
}
