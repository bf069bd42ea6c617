/* Help, from the tables: the list of the commands, and what one of them takes. It is broken to the
 * width of the terminal; where that leaves no room for two columns, what a thing does stands below
 * it. */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "text.h"

#define GAP 2
#define MOST_NAME 80

static void print_row(FILE *out, const char *name, const char *help, int column)
{
    rf_print_beside(out, name, rf_text(help), column, rf_text_columns());
}

static const char *option_name(const struct rf_option *o, char out[MOST_NAME])
{
    char letter[] = { '-', o->letter, ',', '\0' };
    snprintf(out, MOST_NAME, "  %-3s --%s%s%s", o->letter ? letter : "", o->name, o->arg ? " " : "",
             o->arg ? o->arg : "");
    return out;
}

static const char *action_name(const struct rf_action *a, char out[MOST_NAME])
{
    snprintf(out, MOST_NAME, "    %s%s%s", a->name, a->arg ? " " : "", a->arg ? a->arg : "");
    return out;
}

static int widen(int width, const char *name)
{
    int own = (int)strlen(name) + GAP;
    return own > width ? own : width;
}

/* A paragraph is written in lines that break anywhere: only an empty one and an indented one
 * count. */
static void print_about(const char *about, FILE *out)
{
    char *text = strdup(about);
    if (!text)
        abort();
    for (char *p = text; *p; p++)
        if (*p == '\n' && p > text && p[-1] != '\n' && p[1] && p[1] != '\n' && p[1] != ' ')
            *p = ' ';
    rf_print_wrapped(out, rf_text(text), 0, rf_text_columns(), 0);
    free(text);
}

static void print_actions(const struct rf_command *cmd, FILE *out)
{
    char name[MOST_NAME];
    int column = 0;
    for (size_t i = 0; i < cmd->action_count; i++)
        column = widen(column, action_name(&cmd->actions[i], name));
    for (size_t i = 0; i < cmd->action_count; i++)
        print_row(out, action_name(&cmd->actions[i], name), cmd->actions[i].help, column);
    if (cmd->action_count)
        fputc('\n', out);
}

void rf_options_help(const struct rf_command *cmd, FILE *out)
{
    char name[MOST_NAME];
    int column = widen(0, option_name(&rf_help_option, name));
    for (size_t i = 0; i < cmd->option_count; i++)
        column = widen(column, option_name(&cmd->options[i], name));
    fprintf(out, "usage: %s\n\n", cmd->synopsis);
    print_about(cmd->about, out);
    fputc('\n', out);
    print_actions(cmd, out);
    for (size_t i = 0; i < cmd->option_count; i++)
        print_row(out, option_name(&cmd->options[i], name), cmd->options[i].help, column);
    print_row(out, option_name(&rf_help_option, name), rf_help_option.help, column);
}

static const char *command_name(const char *name, char out[MOST_NAME])
{
    snprintf(out, MOST_NAME, "  %s", name);
    return out;
}

void rf_commands_help(FILE *out)
{
    char name[MOST_NAME];
    int column = 0;
    fputs("usage: refract \"QUESTION\"\n"
          "       refract [-c]\n"
          "       refract COMMAND [OPTION]... [ARGUMENT]...\n"
          "       refract help [COMMAND]\n"
          "       refract --version\n\n",
          out);
    print_about(
        "Asks any model about any file: pictures, PDF, office files, mail, sound, film. Each\n"
        "goes in the best form that the model takes, and a line says what became of it.\n"
        "\n"
        "    refract \"What is in photo.jpg?\"\n"
        "    refract ask -a report.pdf -a sales.xlsx \"Do these agree?\"\n"
        "    refract                                   (a chat, on a terminal)\n"
        "    refract -c                                (go on with the last one)\n"
        "    refract config set default anthropic:claude-sonnet-5\n"
        "\n"
        "For programs it turns what a tool returns into the exact request that each model\n"
        "takes, and reads the reply: as commands, and as a library.\n",
        out);
    for (size_t g = 0; g < rf_command_group_count; g++)
        for (const struct rf_command *const *c = rf_command_groups[g].commands; *c; c++)
            column = widen(column, command_name((*c)->name, name));
    for (size_t g = 0; g < rf_command_group_count; g++) {
        fprintf(out, "\n%s\n", rf_command_groups[g].heading);
        for (const struct rf_command *const *c = rf_command_groups[g].commands; *c; c++)
            print_row(out, command_name((*c)->name, name), (*c)->summary, column);
    }
    fputs("\nHelp\n", out);
    print_row(out, command_name("help", name), "show this, or what a command takes", column);
}
