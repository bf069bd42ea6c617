/* The one parser of options, and the help text from the same table. */
#ifndef RF_CLI_OPTIONS_H
#define RF_CLI_OPTIONS_H

#include "command.h"

#include <stdio.h>

#include <refract/error.h>

/* Read the arguments after the command's name: --name VALUE, --name=VALUE, -n VALUE, -nVALUE,
 * letters in one word, and -- before words that look like options. The last of several counts, and
 * all stand in `given`. `args` is zero before, and released by the caller, also on a failure. Fails
 * with RF_EUSAGE and the first thing that is wrong; `args` then holds what was right. */
enum rf_code rf_options_parse(const struct rf_command *cmd, int argc, char **argv,
                              struct rf_args *args, struct rf_err *err);

void rf_args_release(struct rf_args *args);

/* The option that every command has. */
extern const struct rf_option rf_help_option;

/* What a command takes; the list of all commands. */
void rf_options_help(const struct rf_command *cmd, FILE *out);
void rf_commands_help(FILE *out);

#endif
