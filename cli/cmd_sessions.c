/* refract sessions: what is stored, and what can be done with it.
 *
 * Here is the table of actions and what each takes; each does its work in a function of its own, in the
 * files sessions_*.c. An option that means nothing to an action is refused. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <refract/refract.h>

#include "options.h"
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
    [RF_SESSIONS_JSON] = { "json", 0, NULL, "print for a program, errors too" },
};

#define TAKES(option) (1u << (option))
#define JSON TAKES(RF_SESSIONS_JSON)
#define FOLDERS (TAKES(RF_SESSIONS_BASE) | TAKES(RF_SESSIONS_ROOT))

static const struct {
    const char *name;
    size_t least, most;        /* words behind it */
    const char *words, *needs; /* how they are called; what the first one says */
    unsigned options;
    rf_sessions_action *run;
} actions[] = {
    { "list", 0, 0, "", "", TAKES(RF_SESSIONS_LIMIT) | JSON, rf_sessions_list },
    { "show", 1, 1, " ID", "session", TAKES(RF_SESSIONS_FULL) | JSON, rf_sessions_show },
    { "media", 1, 3, " ID [drop|keep|lift FILE]", "session", TAKES(RF_SESSIONS_PROVIDER) | JSON,
      rf_sessions_media },
    { "new", 0, 1, " [CONVERSATION]", "", FOLDERS | JSON, rf_sessions_new },
    { "append", 1, 2, " ID [MESSAGE]", "session", FOLDERS | JSON, rf_sessions_append },
    { "title", 1, 2, " ID [TITLE]", "session", JSON, rf_sessions_title },
    { "fork", 1, 1, " ID", "session", TAKES(RF_SESSIONS_MESSAGES) | JSON, rf_sessions_fork },
    { "export", 1, 1, " ID", "session", TAKES(RF_SESSIONS_OUTPUT) | JSON, rf_sessions_export },
    { "import", 1, 1, " FILE", "file", JSON, rf_sessions_import },
    { "rm", 1, 1, " ID", "session", JSON, rf_sessions_rm },
    { "gc", 0, 0, "", "", TAKES(RF_SESSIONS_AGE) | JSON, rf_sessions_gc },
};

#define ACTION_COUNT (sizeof actions / sizeof *actions)

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
    rf_say(err, RF_EUSAGE, "--%s: \"%s\" is no whole number up to %lld", options[option].name,
           value, (long long)most);
    return RF_EUSAGE;
}

static enum rf_code find(const char *name, size_t *found, struct rf_err *err)
{
    size_t best = 0;
    unsigned least = UINT_MAX;
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        unsigned distance = rf_name_distance(name, actions[i].name);
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    *found = best;
    if (least == 0)
        return RF_OK;
    rf_say(err, RF_EUSAGE, "sessions does not know \"%s\"", name);
    if (rf_name_near(name, least))
        rf_say_hint(err, "Did you mean %s? \"refract sessions --help\" lists what it knows.",
                    actions[best].name);
    else
        rf_say_hint(err, "\"refract sessions --help\" lists what it knows.");
    return RF_EUSAGE;
}

static enum rf_code check_words(size_t action, const struct rf_args *args, struct rf_err *err)
{
    size_t words = args->word_count ? args->word_count - 1 : 0;
    const char *name = actions[action].name;
    if (words < actions[action].least)
        rf_say(err, RF_EUSAGE, "sessions %s needs to know which %s", name, actions[action].needs);
    else if (words > actions[action].most)
        rf_say(err, RF_EUSAGE, "unexpected argument \"%s\"", args->words[actions[action].most + 1]);
    else
        return RF_OK;
    rf_say_hint(err, "Usage: refract sessions %s%s", name, actions[action].words);
    return RF_EUSAGE;
}

static enum rf_code check_options(size_t action, const struct rf_args *args, struct rf_err *err)
{
    for (unsigned i = 0; i < RF_SESSIONS_OPTION_COUNT; i++) {
        if (!args->values[i] || (actions[action].options & TAKES(i)))
            continue;
        rf_say(err, RF_EUSAGE, "sessions %s does not take --%s", actions[action].name,
               options[i].name);
        rf_say_hint(err, "\"refract sessions --help\" says what takes it.");
        return RF_EUSAGE;
    }
    return RF_OK;
}

static int run(const struct rf_args *args)
{
    struct rf_stored stored = { 0 };
    struct rf_config *config = NULL;
    struct rf_err err;
    enum rf_code rc;
    size_t action = 0;
    if (!(rc = find(args->word_count ? args->words[0] : "list", &action, &err)) &&
        !(rc = check_words(action, args, &err)) && !(rc = check_options(action, args, &err)) &&
        !(rc = rf_config_open(&config, &err)) && !(rc = rf_stored_open(&stored, config, &err)))
        rc = actions[action].run(&stored, args, &err);
    int status = !rc                     ? 0
                 : rf_output_is_closed() ? 1
                 : args->json            ? rf_report_as_json(&err)
                                         : rf_report(&err);
    rf_stored_close(&stored);
    rf_config_close(config);
    return status;
}

const struct rf_command rf_cmd_sessions = {
    .name = "sessions",
    .synopsis = "refract sessions [ACTION [ID]] [OPTION]...",
    .summary = "show what is stored, and manage it",
    .about =
        "Sessions are conversations that are kept, with every file in them. ID is the id of one,\n"
        "its beginning, or last.\n\n"
        "    list                     all sessions, the one that changed last first (the default)\n"
        "    show ID                  what was said in one\n"
        "    media ID                 its files, and how each was sent last\n"
        "    media ID drop|keep FILE  leave a file out of later requests, or send it again\n"
        "    media ID lift FILE       send it also to who refused it as broken\n"
        "    new [CONVERSATION]       make a session of a document, and print its id\n"
        "    append ID [MESSAGE]      add a message\n"
        "    title ID [TITLE]         print its title, or give it one\n"
        "    fork ID                  make a session that begins with the messages of another\n"
        "    export ID                write a session as one tar file\n"
        "    import FILE              read such a file, and print the id of the session\n"
        "    rm ID                    remove a session, and the files that nothing else uses\n"
        "    gc                       free what nothing uses\n",
    .options = options,
    .option_count = RF_SESSIONS_OPTION_COUNT,
    .max_words = RF_MAX_WORDS,
    .run = run,
};
