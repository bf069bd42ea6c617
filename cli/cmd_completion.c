/* refract completion: the scripts that let a shell complete what is typed, and the names that they
 * ask for while somebody types.
 *
 * A name that a shell would have to quote is not offered: it may come from a file of somebody else,
 * and has no business on a command line. */
#include <stdlib.h>
#include <string.h>

#include <refract/refract.h>

#include "choose.h"
#include "command.h"
#include "prompts.h"
#include "report.h"
#include "shell.h"
#include "stored.h"
#include "text.h"
#include "usable.h"

#define MOST_SESSIONS 50
#define MOST_NAME 512

static const struct rf_action actions[] = {
    { "bash", NULL, "the script for bash" },
    { "zsh", NULL, "the script for zsh" },
    { "fish", NULL, "the script for fish" },
    { "models", NULL, "names of models, a line each: for the scripts" },
    { "sessions", NULL, "ids and titles of sessions, a line each: for the scripts" },
    { "prompts", NULL, "names of your prompts, a line each: for the scripts" },
};

#define ACTION_COUNT (sizeof actions / sizeof *actions)

static bool is_plain(struct rf_str name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._:/@+-";
    if (!name.n || name.n > MOST_NAME || name.p[0] == '-')
        return false;
    for (size_t i = 0; i < name.n; i++)
        if (!memchr(plain, name.p[i], sizeof plain - 1))
            return false;
    return true;
}

static void print_name(struct rf_str name, const char *what)
{
    if (is_plain(name))
        printf("%.*s\t%s\n", RF_FMT(name), what);
}

/* Models that sessions had, each once, the last one first. */
struct used {
    char names[MOST_SESSIONS][MOST_NAME];
    size_t count;
};

static void print_used(void *ctx, const struct rf_session_info *info)
{
    struct used *u = ctx;
    char *name = u->names[u->count];
    if (!info->provider.n || u->count + 1 == MOST_SESSIONS)
        return;
    rf_choose_name(info->provider, info->model, name, MOST_NAME);
    for (size_t i = 0; i < u->count; i++)
        if (strcmp(u->names[i], name) == 0)
            return;
    u->count++;
    if (!rf_choose_is_model(name)) /* it is listed anyway */
        print_name(rf_text(name), "was used in a session");
}

static void print_session(void *ctx, const struct rf_session_info *info)
{
    char age[RF_SHORT_TEXT];
    (void)ctx;
    printf("%.*s\t%s, ", RF_FMT(info->id), rf_age_text(info->updated_ms, age));
    rf_print_text(stdout, info->title);
    putchar('\n');
}

/* Those of the lists that are kept: nobody is asked while somebody types. */
static enum rf_code print_usable(const struct rf_config *config, struct rf_err *err)
{
    struct rf_models *models;
    enum rf_code rc = rf_models_open(config, &models, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < rf_models_count(models); i++) {
        const struct rf_usable *m = rf_models_get(models, i);
        char about[RF_ABOUT_TEXT];
        if (!m->purpose.n && !rf_choose_is_model(m->name.p)) /* it is listed anyway */
            print_name(m->name, rf_usable_about(m, about));
    }
    rf_models_close(models);
    return RF_OK;
}

static enum rf_code print_models(const struct rf_config *config, struct rf_err *err)
{
    struct rf_stored stored = { 0 };
    static struct used used;
    for (size_t i = 0; i < rf_config_model_count(config); i++)
        print_name(rf_config_model_name(config, i), "is configured");
    enum rf_code rc = rf_store_open(config, &stored.store, err);
    if (!rc)
        rc = rf_store_list(stored.store, MOST_SESSIONS, print_used, &used, err);
    rf_stored_close(&stored);
    if (!rc)
        rc = print_usable(config, err);
    for (size_t i = 0; i < rf_provider_count(); i++) {
        bool offline = rf_choose_is_model(rf_provider_name(i));
        printf("%s%s\t%s\n", rf_provider_name(i), offline ? "" : ":",
               offline ? "answers with what it was given" : "is a provider");
    }
    return rc;
}

static enum rf_code print_sessions(const struct rf_config *config, struct rf_err *err)
{
    struct rf_stored stored = { 0 };
    enum rf_code rc = rf_store_open(config, &stored.store, err);
    if (!rc) {
        printf("last\tthe session that changed last\n");
        rc = rf_store_list(stored.store, MOST_SESSIONS, print_session, NULL, err);
    }
    rf_stored_close(&stored);
    return rc;
}

static void print_prompt(void *ctx, const char *name, struct rf_str description)
{
    (void)ctx;
    printf("%s\t", name);
    rf_print_text(stdout, description.n ? description : rf_text("a prompt of yours"));
    putchar('\n');
}

static enum rf_code print_prompts(const struct rf_config *config, struct rf_err *err)
{
    (void)config, (void)err;
    rf_prompt_list(print_prompt, NULL);
    return RF_OK;
}

static enum rf_code print_names(enum rf_code (*print)(const struct rf_config *, struct rf_err *),
                                struct rf_err *err)
{
    struct rf_config *config = NULL;
    enum rf_code rc = rf_config_open(&config, err);
    if (!rc)
        rc = print(config, err);
    rf_config_close(config);
    return rc;
}

static int run(const struct rf_args *args)
{
    static void (*const scripts[])(FILE * out) = { rf_shell_bash, rf_shell_zsh, rf_shell_fish };
    const int script_count = (int)(sizeof scripts / sizeof *scripts);
    static enum rf_code (*const names[])(const struct rf_config *,
                                         struct rf_err *) = { print_models, print_sessions,
                                                              print_prompts };
    struct rf_err err;
    if (!args->word_count) {
        rf_say(&err, RF_EUSAGE, "completion needs to know which shell");
        rf_say_hint(&err, "Usage: %s", rf_cmd_completion.synopsis);
        return rf_report(&err);
    }
    int action = rf_action_find(&rf_cmd_completion, args->words[0], &err);
    if (action < 0)
        return rf_report(&err);
    if (action < script_count)
        scripts[action](stdout);
    else if (print_names(names[action - script_count], &err))
        return rf_report(&err);
    return 0;
}

const struct rf_command rf_cmd_completion = {
    .name = "completion",
    .synopsis = "refract completion bash|zsh|fish|models|sessions|prompts",
    .summary = "let the shell complete commands, options and names",
    .about =
        "Writes the script that lets a shell complete commands, actions, options, files, models,\n"
        "sessions and prompts. An installed refract has brought them along; to try one:\n\n"
        "    bash  source <(refract completion bash)\n"
        "    zsh   source <(refract completion zsh)\n"
        "    fish  refract completion fish | source\n",
    .actions = actions,
    .action_count = ACTION_COUNT,
    .max_words = 1,
    .run = run,
};
