/* refract trust: what the files of a project ask for, and that they may. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <refract/refract.h>

#include "command.h"
#include "project.h"
#include "report.h"

enum { REVOKE, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [REVOKE] = { "revoke", 0, NULL, "forget that anything there was trusted" },
};

static enum rf_code enter(const char *folder, struct rf_err *err)
{
    if (chdir(folder) == 0)
        return RF_OK;
    rf_say(err, RF_EIO, "could not enter \"%s\": %s", folder, strerror(errno));
    return RF_EIO;
}

static void note(const char *what)
{
    struct rf_err n;
    rf_say(&n, RF_OK, "%s", what);
    rf_report_note(&n);
}

static enum rf_code forget(const char *folder, struct rf_err *err)
{
    size_t count;
    enum rf_code rc = rf_trust_revoke(folder, &count, err);
    if (!rc)
        note(count ? "nothing there is trusted any more" : "nothing was trusted there");
    return rc;
}

static bool has_file(const struct rf_config *c)
{
    for (size_t i = 0; i < rf_config_path_count(c); i++) {
        int exists;
        const char *path = rf_config_path(c, i, &exists);
        if (exists && strncmp(path, "./", 2) == 0)
            return true;
    }
    return false;
}

static enum rf_code trust_file(const struct rf_config *c, struct rf_err *err)
{
    struct rf_buffer list = { 0 }, said = { 0 };
    if (!has_file(c)) {
        rf_say(err, RF_ENOTFOUND, "there is no .refract.yaml in this folder, and no .mcp.json");
        rf_project_hint_above(err);
        return RF_ENOTFOUND;
    }
    if (!rf_config_asked_count(c)) {
        note("this folder asks for nothing that has to be trusted");
        return RF_OK;
    }
    enum rf_code rc = rf_config_keep_trust(c, RF_TRUST_GIVEN, err);
    if (rc)
        return rc;
    if (rf_config_trust_problem(c))
        rf_report_note(rf_config_trust_problem(c));
    rf_project_list(&list, c);
    rf_print_lines(stdout, rf_buffer_view(&list));
    rf_buffer_release(&list);
    rf_project_files(&said, c, "is trusted, as it is now", "are trusted, as they are now");
    rf_buffer_add(&said, "", 1);
    note(said.p);
    rf_buffer_release(&said);
    return RF_OK;
}

static void print_problem(void *status, const struct rf_err *problem)
{
    if (problem->code)
        *(int *)status = rf_report(problem);
}

/* What is wrong in a .mcp.json is not used, and not trusted with the rest: it is an error where
 * there is no rest. */
static int trust(const char *folder)
{
    struct rf_config *c = NULL;
    struct rf_err err;
    int status = 0;
    enum rf_code rc = enter(folder, &err);
    if (!rc)
        rc = rf_config_open(&c, &err);
    if (!rc)
        rf_config_check(print_problem, &status);
    if (!rc && (rf_config_asked_count(c) || !status)) {
        rc = trust_file(c, &err);
        status = 0;
    }
    rf_config_close(c);
    return rc ? rf_report(&err) : status;
}

static int run(const struct rf_args *args)
{
    const char *folder = args->word_count ? args->words[0] : ".";
    struct rf_err err;
    if (!args->values[REVOKE])
        return trust(folder);
    return forget(folder, &err) ? rf_report(&err) : 0;
}

const struct rf_command rf_cmd_trust = {
    .name = "trust",
    .synopsis = "refract trust [--revoke] [DIR]",
    .summary = "let a project's files have what they ask for",
    .about = "Lists what the .refract.yaml and the .mcp.json of a folder ask for: tools and MCP\n"
             "servers with their commands and variables, models with where they are, facts and\n"
             "limits. They are trusted from then on, until a byte of them changes.\n"
             "What a file asks for that is not trusted is left out.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = 1,
    .arg = "DIR",
    .run = run,
};
