/* A command of the command line: what it is called, what it takes, and what it does.
 *
 * Options are a table; the parser, the help text and the manual's test all read the same one. A
 * command finds the value of an option at the option's index in its table.
 *
 *     enum { MODEL, STRICT, OPTION_COUNT };
 *     if (args->values[STRICT]) …
 */
#ifndef RF_CLI_COMMAND_H
#define RF_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include <refract/error.h>

#define RF_MAX_OPTIONS 40
#define RF_MAX_WORDS 4
#define RF_ANY_WORDS ((size_t)-1)

/* Of --strict, which several commands have. */
#define RF_STRICT_HELP "refuse what would lose something or change its kind (exit status 3)"

struct rf_option {
    const char *name; /* without the dashes */
    char letter;      /* or 0 */
    const char *arg;  /* what its argument is called in help; NULL when it takes none */
    const char *help;
};

/* An option as it was given. */
struct rf_given {
    size_t option;
    const char *value;
};

struct rf_args {
    const char *values[RF_MAX_OPTIONS]; /* NULL when not given; "" for one without argument */
    struct rf_given *given;             /* all of them in order: for one that may be repeated */
    size_t given_count;
    const char **words; /* what is not an option; after them NULL, at least RF_MAX_WORDS times */
    size_t word_count;
    bool help, json; /* --help was given; --json was, by a command that has it */
};

/* A word that a command's first argument may be. */
struct rf_action {
    const char *name;
    const char *arg; /* what follows it, named as in help ("ID FILE..."); NULL: nothing */
    const char *help;
};

struct rf_command {
    const char *name;
    const char *synopsis;              /* the manual's first line, checked by a test */
    const char *summary;               /* for the list of commands: lower case, no full stop */
    const char *about;                 /* for its own help: sentences, broken into lines */
    const struct rf_option *options;   /* option_count of them, and those that are for tests */
    size_t option_count, hidden_count; /* hidden: by help, completions and the manual */
    size_t max_words;                  /* RF_ANY_WORDS: as many as there are */
    const char *arg; /* what its words are ("FILE"), for completion; NULL: nothing that is known */
    const struct rf_action *actions; /* action_count of them; help lists them after `about` */
    size_t action_count;
    int (*run)(const struct rf_args *args); /* returns the exit status */
};

/* All commands, in the groups that the list of commands shows. A group is a heading and a row that
 * NULL ends. */
struct rf_command_group {
    const char *heading;
    const struct rf_command *const *commands;
};
extern const struct rf_command_group rf_command_groups[];
extern const size_t rf_command_group_count;

/* The command that is called so, or NULL. */
const struct rf_command *rf_command_named(const char *name);
/* The action that the first word names; -1 where there is none of that name, with RF_EUSAGE and
 * a hint. */
int rf_action_find(const struct rf_command *cmd, const char *name, struct rf_err *err);

extern const struct rf_command rf_cmd_ask;
extern const struct rf_command rf_cmd_chat;
extern const struct rf_command rf_cmd_completion;
extern const struct rf_command rf_cmd_config;
extern const struct rf_command rf_cmd_convert;
extern const struct rf_command rf_cmd_decode;
extern const struct rf_command rf_cmd_deliveries;
extern const struct rf_command rf_cmd_doctor;
extern const struct rf_command rf_cmd_encode;
extern const struct rf_command rf_cmd_keys;
extern const struct rf_command rf_cmd_mcp;
extern const struct rf_command rf_cmd_models;
extern const struct rf_command rf_cmd_parse;
extern const struct rf_command rf_cmd_respond;
extern const struct rf_command rf_cmd_read;
extern const struct rf_command rf_cmd_sessions;
extern const struct rf_command rf_cmd_serve;
extern const struct rf_command rf_cmd_sim;
extern const struct rf_command rf_cmd_tokens;
extern const struct rf_command rf_cmd_trust;
extern const struct rf_command rf_cmd_view;

#endif
