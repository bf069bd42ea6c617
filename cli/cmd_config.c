/* refract config: where the configuration is, what it says, and what is wrong with it. */
#include <stdio.h>

#include <refract/refract.h>

#include "command.h"
#include "report.h"

static void print_path(FILE *out, const char *before, const char *path, const char *after)
{
    fputs(before, out);
    rf_print_text(out, rf_text(path));
    fprintf(out, "%s\n", after);
}

#define NOT_TRUSTED ": not trusted; refract trust lists what is left out"

/* The project's file is the last one. */
static bool is_withheld(const struct rf_config *c, size_t i)
{
    enum rf_trust trust = rf_config_trust(c);
    return i + 1 == rf_config_path_count(c) &&
           (trust == RF_TRUST_UNASKED || trust == RF_TRUST_DENIED);
}

static int path(struct rf_config *c)
{
    for (size_t i = 0; i < rf_config_path_count(c); i++) {
        int exists;
        const char *file = rf_config_path(c, i, &exists);
        print_path(stdout, "", file, "");
        if (!exists)
            print_path(stderr, "note: ", file, " does not exist");
        else if (is_withheld(c, i))
            print_path(stderr, "note: ", file, NOT_TRUSTED);
    }
    return 0;
}

static int show(struct rf_config *c)
{
    struct rf_str yaml;
    struct rf_err err;
    if (rf_config_show(c, &yaml, &err))
        return rf_report(&err);
    rf_print_lines(stdout, yaml);
    return 0;
}

static int say_good(struct rf_config *c)
{
    for (size_t i = 0; i < rf_config_path_count(c); i++) {
        int exists;
        const char *file = rf_config_path(c, i, &exists);
        print_path(stdout, "", file, exists ? ": no problems" : ": does not exist");
        if (is_withheld(c, i))
            print_path(stdout, "", file, NOT_TRUSTED);
    }
    return 0;
}

static int with_config(int (*print)(struct rf_config *c))
{
    struct rf_config *c;
    struct rf_err err;
    if (rf_config_open(&c, &err))
        return rf_report(&err);
    int status = print(c);
    rf_config_close(c);
    return status;
}

static void print_problem(void *status, const struct rf_err *problem)
{
    if (problem->code == RF_OK) {
        rf_report_note(problem);
        return;
    }
    int own = rf_report(problem);
    if (*(int *)status == 0)
        *(int *)status = own;
}

static int check(void)
{
    int status = 0;
    return rf_config_check(print_problem, &status) ? status : with_config(say_good);
}

static int show_config(void)
{
    return with_config(show);
}

static int print_paths(void)
{
    return with_config(path);
}

static const struct rf_action actions[] = {
    { "path", NULL, "where configuration is looked for, in reading order" },
    { "show", NULL, "what the files say together, as YAML (this is the default)" },
    { "check", NULL, "every problem in the files, with its line" },
};

#define ACTION_COUNT (sizeof actions / sizeof *actions)

static int (*const runs[ACTION_COUNT])(void) = { print_paths, show_config, check };

static int run(const struct rf_args *args)
{
    struct rf_err err;
    int action = rf_action_find(&rf_cmd_config, args->word_count ? args->words[0] : "show", &err);
    return action < 0 ? rf_report(&err) : runs[action]();
}

const struct rf_command rf_cmd_config = {
    .name = "config",
    .synopsis = "refract config [path|show|check]",
    .summary = "show the configuration in force, and what is wrong with it",
    .about = "Configuration is looked for in the user's file and in the working folder's.\n",
    .actions = actions,
    .action_count = ACTION_COUNT,
    .max_words = 1,
    .run = run,
};
