/* refract sessions: what is stored, and what can be done with it.
 *
 * Here is the table of actions and what each takes; each does its work in a function of its own, in
 * the files sessions_*.c. An option that means nothing to an action is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <refract/refract.h>

#include "project.h"
#include "report.h"
#include "sessions.h"

#define DIGITS_MOST 18 /* of an int64_t, whatever they are */

static const struct rf_option options[RF_SESSIONS_OPTION_COUNT] = {
    [RF_SESSIONS_LIMIT] = { "limit", 'n', "N", "list: only the N that changed last" },
    [RF_SESSIONS_FULL] = { "full", 0, NULL, "show: long results and thoughts too" },
    [RF_SESSIONS_MESSAGES] = { "messages", 0, "N", "fork: only the first N messages" },
    [RF_SESSIONS_OUTPUT] = { "output", 'o', "FILE", "export: write FILE" },
    [RF_SESSIONS_AGE] = { "age", 0, "SECONDS", "gc: only what is older (default: 3600)" },
    [RF_SESSIONS_PROVIDER] = { "provider", 0, "NAME", "media lift: for this provider only" },
    [RF_SESSIONS_BASE] = { "base", 0, "DIR", "new, append: where relative paths start" },
    [RF_SESSIONS_ROOT] = { "root", 0, "DIR", "new, append: refuse files outside this folder" },
    [RF_SESSIONS_LISTEN] = { "listen", 0, "ADDRESS",
                             "web: where browsers reach it (default: a port that is free)" },
    [RF_SESSIONS_JSON] = { "json", 0, NULL, "print for a program, errors too" },
};

#define TAKES(option) (1u << (option))
#define JSON TAKES(RF_SESSIONS_JSON)
#define FOLDERS (TAKES(RF_SESSIONS_BASE) | TAKES(RF_SESSIONS_ROOT))

static const struct rf_action actions[] = {
    { "list", NULL, "all sessions, the one that changed last first (the default)" },
    { "show", "ID", "what was said in one" },
    { "media", "ID [drop|keep|lift FILE]",
      "its files, and how each was sent last; drop leaves one out of later requests, keep sends it "
      "again, lift sends it also to who refused it as broken" },
    { "new", "[CONVERSATION]", "make a session of a document, and print its id" },
    { "append", "ID [MESSAGE]", "add a message" },
    { "title", "ID [TITLE]", "print its title, or give it one" },
    { "fork", "ID", "make a session that begins with the messages of another" },
    { "export", "ID", "write a session as one tar file" },
    { "import", "FILE", "read such a file, and print the id of the session" },
    { "rm", "ID", "remove a session, and the files that nothing else uses" },
    { "gc", NULL, "free what nothing uses" },
    { "web", NULL, "show all of it in a browser" },
};

#define ACTION_COUNT (sizeof actions / sizeof *actions)

/* What each of them takes. */
static const struct {
    size_t least, most; /* words after it */
    const char *needs;  /* what the first one says */
    unsigned options;
    rf_sessions_action *run;
} takes[ACTION_COUNT] = {
    { 0, 0, "", TAKES(RF_SESSIONS_LIMIT) | JSON, rf_sessions_list },
    { 1, 1, "session", TAKES(RF_SESSIONS_FULL) | JSON, rf_sessions_show },
    { 1, 3, "session", TAKES(RF_SESSIONS_PROVIDER) | JSON, rf_sessions_media },
    { 0, 1, "", FOLDERS | JSON, rf_sessions_new },
    { 1, 2, "session", FOLDERS | JSON, rf_sessions_append },
    { 1, 2, "session", JSON, rf_sessions_title },
    { 1, 1, "session", TAKES(RF_SESSIONS_MESSAGES) | JSON, rf_sessions_fork },
    { 1, 1, "session", TAKES(RF_SESSIONS_OUTPUT) | JSON, rf_sessions_export },
    { 1, 1, "file", JSON, rf_sessions_import },
    { 1, 1, "session", JSON, rf_sessions_rm },
    { 0, 0, "", TAKES(RF_SESSIONS_AGE) | JSON, rf_sessions_gc },
    { 0, 0, "", TAKES(RF_SESSIONS_LISTEN) | JSON, rf_sessions_web },
};

enum rf_code rf_sessions_number(const struct rf_args *args, int option, int64_t most,
                                int64_t otherwise, int64_t *out, struct rf_err *err)
{
    const char *value = args->values[option];
    *out = otherwise;
    if (!value)
        return RF_OK;
    size_t n = strlen(value);
    if (n && n <= DIGITS_MOST && strspn(value, "0123456789") == n) {
        *out = strtoll(value, NULL, 10);
        if (*out <= most)
            return RF_OK;
    }
    rf_say(err, RF_EUSAGE, "--%s: \"%s\" is not a whole number up to %lld", options[option].name,
           value, (long long)most);
    return RF_EUSAGE;
}

static enum rf_code check_words(size_t action, const struct rf_args *args, struct rf_err *err)
{
    size_t words = args->word_count ? args->word_count - 1 : 0;
    const struct rf_action *a = &actions[action];
    if (words < takes[action].least)
        rf_say(err, RF_EUSAGE, "sessions %s needs to know which %s", a->name, takes[action].needs);
    else if (words > takes[action].most)
        rf_say(err, RF_EUSAGE, "unexpected argument \"%s\"", args->words[takes[action].most + 1]);
    else
        return RF_OK;
    rf_say_hint(err, "Usage: refract sessions %s%s%s", a->name, a->arg ? " " : "",
                a->arg ? a->arg : "");
    return RF_EUSAGE;
}

static enum rf_code check_options(size_t action, const struct rf_args *args, struct rf_err *err)
{
    for (unsigned i = 0; i < RF_SESSIONS_OPTION_COUNT; i++) {
        if (!args->values[i] || (takes[action].options & TAKES(i)))
            continue;
        rf_say(err, RF_EUSAGE, "sessions %s does not take --%s", actions[action].name,
               options[i].name);
        rf_say_hint(err, "\"refract sessions --help\" says what takes it.");
        return RF_EUSAGE;
    }
    return RF_OK;
}

static enum rf_code act(const struct rf_args *args, struct rf_stored *stored, struct rf_err *err)
{
    struct rf_config *config = NULL;
    enum rf_code rc;
    int action = args->word_count ? rf_action_find(&rf_cmd_sessions, args->words[0], err) : 0;
    if (action < 0)
        return err->code;
    size_t i = (size_t)action;
    if (!(rc = check_words(i, args, err)) && !(rc = check_options(i, args, err)) &&
        !(rc = rf_project_open(&config, RF_PROJECT_NOTE, err)) &&
        !(rc = rf_store_open(config, &stored->store, err)))
        rc = takes[i].run(stored, args, err);
    rf_config_close(config);
    return rc;
}

static int run(const struct rf_args *args)
{
    struct rf_stored stored = { 0 };
    struct rf_err err;
    enum rf_code rc = act(args, &stored, &err);
    int status = !rc                     ? 0
                 : rf_output_is_closed() ? 1
                 : args->json            ? rf_report_as_json(&err)
                                         : rf_report(&err);
    rf_stored_close(&stored);
    return status;
}

const struct rf_command rf_cmd_sessions = {
    .name = "sessions",
    .synopsis = "refract sessions [ACTION [ID]] [OPTION]...",
    .summary = "show what is stored, and manage it",
    .about =
        "Sessions are conversations that are kept, with every file in them. ID is the id of one,\n"
        "its beginning, or last.\n",
    .actions = actions,
    .action_count = ACTION_COUNT,
    .options = options,
    .option_count = RF_SESSIONS_OPTION_COUNT,
    .max_words = RF_MAX_WORDS,
    .run = run,
};
