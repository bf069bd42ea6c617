/* refract config: where the configuration is, what it says, what is wrong with it, and changing
 * it. */
#include <stdio.h>
#include <string.h>

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

static bool is_withheld(const struct rf_config *c, size_t i)
{
    enum rf_trust trust = rf_config_trust(c);
    return rf_config_path_asks(c, i) && (trust == RF_TRUST_UNASKED || trust == RF_TRUST_DENIED);
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

static int check(const struct rf_args *args)
{
    (void)args;
    int status = 0;
    return rf_config_check(print_problem, &status) ? status : with_config(say_good);
}

static int show_config(const struct rf_args *args)
{
    (void)args;
    return with_config(show);
}

static int print_paths(const struct rf_args *args)
{
    (void)args;
    return with_config(path);
}

/* One key */

static bool is_default(const char *key)
{
    return strcmp(key, "default") == 0 || strcmp(key, "models.default") == 0;
}

/* Where no default is set there is still a model that answers. */
static enum rf_code get_usual(struct rf_config *c, const char *key, struct rf_err *err)
{
    struct rf_usual *u = is_default(key) ? rf_usual_find(c) : NULL;
    if (!u)
        return err->code;
    printf("%s\n", rf_usual_model(u, 0));
    fprintf(stderr, "note: not set: %s\n", rf_usual_why(u, 0));
    rf_usual_free(u);
    return RF_OK;
}

static enum rf_code get_key(struct rf_config *c, const char *key, struct rf_err *err)
{
    struct rf_str value, place;
    enum rf_code rc = rf_config_get(c, key, &value, &place, err);
    if (rc)
        return rc == RF_ECONFIG ? get_usual(c, key, err) : rc;
    rf_print_lines(stdout, value);
    fputs("note: ", stderr);
    rf_print_text(stderr, place);
    fputc('\n', stderr);
    return RF_OK;
}

static int get(const struct rf_args *args)
{
    struct rf_config *c = NULL;
    struct rf_err err;
    enum rf_code rc = rf_config_open(&c, &err);
    if (!rc)
        rc = get_key(c, args->words[1], &err);
    rf_config_close(c);
    return rc ? rf_report(&err) : 0;
}

/* Say what counts now: "note: limits.pages: 5 (FILE:3)". A project's file may say less. */
static void say_in_force(const char *key)
{
    struct rf_config *c = NULL;
    struct rf_str value, place;
    struct rf_err unseen;
    if (rf_config_open(&c, &unseen))
        return;
    fputs("note: ", stderr);
    rf_print_text(stderr, rf_text(key));
    if (rf_config_get(c, key, &value, &place, &unseen)) {
        fputs(" is not set any more\n", stderr);
    } else {
        fputs(" is ", stderr);
        rf_print_text(stderr, value);
        fputs(" (", stderr);
        rf_print_text(stderr, place);
        fputs(")\n", stderr);
    }
    rf_config_close(c);
}

/* ANTHROPIC_API_KEY: a variable, and no key of the configuration. */
static bool is_variable(const char *key)
{
    size_t n = strlen(key);
    return strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == n && strchr(key, '_');
}

static int set(const struct rf_args *args)
{
    struct rf_err err;
    if (is_variable(args->words[1])) {
        rf_say(&err, RF_EUSAGE, "%s is a variable of the environment, and not set here",
               args->words[1]);
        rf_say_hint(&err,
                    "Write export %s=... in the shell; or have the key of a provider printed by a "
                    "program, as in refract config set providers.anthropic.key_command '[pass, "
                    "show, anthropic]'.",
                    args->words[1]);
        return rf_report(&err);
    }
    if (rf_config_set(args->words[1], args->words[2], &err))
        return rf_report(&err);
    say_in_force(args->words[1]);
    return 0;
}

static int unset(const struct rf_args *args)
{
    struct rf_err err;
    if (rf_config_unset(args->words[1], &err))
        return rf_report(&err);
    say_in_force(args->words[1]);
    return 0;
}

static const struct rf_action actions[] = {
    { "path", NULL, "where configuration is looked for, in reading order" },
    { "show", NULL, "what the files say together, as YAML (this is the default)" },
    { "check", NULL, "every problem in the files, with its line" },
    { "get", "KEY", "what is in force for a key, and who says so" },
    { "set", "KEY VALUE", "set a key in your own file, such as default or limits.pages" },
    { "unset", "KEY", "take a key out of your own file" },
};

#define ACTION_COUNT (sizeof actions / sizeof *actions)

static const struct {
    int (*run)(const struct rf_args *args);
    size_t words; /* with its own */
} runs[ACTION_COUNT] = {
    { print_paths, 1 }, { show_config, 1 }, { check, 1 }, { get, 2 }, { set, 3 }, { unset, 2 },
};

static int run(const struct rf_args *args)
{
    struct rf_err err;
    size_t count = args->word_count ? args->word_count : 1;
    int action = rf_action_find(&rf_cmd_config, args->word_count ? args->words[0] : "show", &err);
    if (action < 0)
        return rf_report(&err);
    if (count == runs[action].words)
        return runs[action].run(args);
    rf_say(&err, RF_EUSAGE, "config %s takes %s", actions[action].name,
           actions[action].arg ? actions[action].arg : "nothing more");
    if (runs[action].words == 3)
        rf_say_hint(&err, "As in refract config set default anthropic:claude-sonnet-5.");
    return rf_report(&err);
}

const struct rf_command rf_cmd_config = {
    .name = "config",
    .synopsis = "refract config [path|show|check|get KEY|set KEY VALUE|unset KEY]",
    .summary = "show the configuration in force, and change it",
    .about =
        "Configuration is looked for in the user's file and in the working folder's. Yours\n"
        "is changed as text: comments and layout stay. A key is a path, such as limits.pages;\n"
        "default is short for models.default.\n",
    .actions = actions,
    .action_count = ACTION_COUNT,
    .max_words = 3,
    .run = run,
};
