/* Completion for shells: what `refract completion` writes.
 *
 * The scripts hold all commands, actions and options as the tables have them. What completes an
 * argument is told by its name in help (FILE, MODEL, …), in one table for all shells; names of
 * models and sessions are asked of the program when they are needed.
 */
#ifndef RF_CLI_SHELL_H
#define RF_CLI_SHELL_H

#include <stdio.h>

#include "command.h"

enum rf_shell_kind {
    RF_SHELL_NOTHING, /* only who types it knows */
    RF_SHELL_FILES,
    RF_SHELL_FOLDERS,
    RF_SHELL_MODELS,   /* as `refract completion models` prints them */
    RF_SHELL_SESSIONS, /* likewise */
    RF_SHELL_PROMPTS,  /* likewise */
    RF_SHELL_WORDS,
};

#define RF_SHELL_WORDS_SIZE 512

/* What completes an argument of that name. `words` gets the words with a space between them, and is
 * empty for all other kinds. */
enum rf_shell_kind rf_shell_kind(const char *name, char words[RF_SHELL_WORDS_SIZE]);

/* The name of the i-th argument in "ID [drop|keep FILE]", without the brackets; NULL where there
 * are fewer.
 */
const char *rf_shell_arg(const char *args, size_t i, char name[RF_SHELL_WORDS_SIZE]);

/* Call `each` for all commands in order. */
void rf_shell_each(void (*each)(FILE *out, const struct rf_command *cmd), FILE *out);

/* The names of all commands, and "help", with a space between them. */
void rf_shell_commands(FILE *out);

/* The text in single quotes, of which each inside becomes `quote`; characters of `special` get a
 * backslash.
 */
void rf_shell_quote(FILE *out, const char *text, const char *special, const char *quote);

void rf_shell_bash(FILE *out);
void rf_shell_zsh(FILE *out);
void rf_shell_fish(FILE *out);

#endif
