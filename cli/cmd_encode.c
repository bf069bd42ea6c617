/* refract encode: a neutral conversation in, the body of a request out.
 *
 * Everything is decided before the first byte is written, so a request that cannot be made leaves
 * standard output empty. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <refract/refract.h>

#include "command.h"
#include "deliver.h"
#include "report.h"

enum { MODEL, STRICT, AS_IS, NO_MEDIA, EXPLAIN, BASE, ROOT, STREAM, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [MODEL] = { "model", 'm', "MODEL", "PROVIDER:MODEL, or a name from the configuration" },
    [STRICT] = { "strict", 0, NULL, "fail where a file cannot go as itself (exit status 3)" },
    [AS_IS] = { "as-is", 0, NULL, "convert no file for the model" },
    [NO_MEDIA] = { "no-media", 0, NULL, "send notes for all files, as for a summary" },
    [EXPLAIN] = { "explain", 0, NULL, "say what became of each file: JSON lines on stderr" },
    [BASE] = { "base", 0, "DIR", "where relative paths start (default: beside CONVERSATION)" },
    [ROOT] = { "root", 0, "DIR", "refuse files outside this folder" },
    [STREAM] = { "stream", 0, NULL, "ask for a streamed reply" },
};

struct work {
    struct rf_config *config;
    struct rf_model *model;
    struct rf_conversation *conversation;
    struct rf_request_options *options;
    struct rf_request *request;
    char *folder; /* of the conversation */
};

static enum rf_code check_folder(const char *path, const char *option, struct rf_err *err)
{
    struct stat st;
    if (!path || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return RF_OK;
    rf_say(err, RF_ENOTFOUND, "--%s: there is no folder \"%s\"", option, path);
    return RF_ENOTFOUND;
}

/* "." for a name without a folder and for standard input. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = !slash ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
    if (!folder)
        abort();
    return folder;
}

/* What is wrong inside a document is told with its name. */
static enum rf_code open_conversation(struct work *w, const char *path, struct rf_err *err)
{
    struct rf_err inside;
    enum rf_code rc = rf_conversation_open(path, &w->conversation, &inside);
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    if (!rc)
        return RF_OK;
    *err = inside;
    if ((rc == RF_EFORMAT || rc == RF_ELIMIT) && !strstr(inside.msg, name))
        snprintf(err->msg, sizeof err->msg, "%.200s: %.300s", name, inside.msg);
    return rc;
}

static void set_options(struct work *w, const struct rf_args *args, const char *path)
{
    w->options = rf_request_options_new();
    w->folder = folder_of(path);
    rf_request_options_base(w->options, args->values[BASE] ? args->values[BASE] : w->folder);
    if (args->values[ROOT])
        rf_request_options_root(w->options, args->values[ROOT]);
    if (args->values[STRICT])
        rf_request_options_strict(w->options);
    if (args->values[AS_IS])
        rf_request_options_as_is(w->options);
    if (args->values[NO_MEDIA])
        rf_request_options_no_media(w->options);
    rf_request_options_configure(w->options, w->config);
    if (rf_config_cache_folder(w->config))
        rf_request_options_cache(w->options, rf_config_cache_folder(w->config));
    if (args->values[STREAM])
        rf_request_options_stream(w->options);
}

static enum rf_code build(struct work *w, const struct rf_args *args, struct rf_err *err)
{
    const char *path = args->word_count ? args->words[0] : "-";
    enum rf_code rc;
    if (!args->values[MODEL]) {
        rf_say(err, RF_EUSAGE, "encode needs to know which model the request is for");
        rf_say_hint(err, "Name it with -m, as in -m anthropic:claude-sonnet-4-5.");
        return RF_EUSAGE;
    }
    if ((rc = check_folder(args->values[BASE], "base", err)) ||
        (rc = check_folder(args->values[ROOT], "root", err)) ||
        (rc = rf_config_open(&w->config, err)) ||
        (rc = rf_model_open(w->config, args->values[MODEL], &w->model, err)) ||
        (rc = open_conversation(w, path, err)))
        return rc;
    rf_warn(rf_model_problem(w->model));
    set_options(w, args, path);
    return rf_request_build(w->conversation, w->model, w->options, &w->request, err);
}

static void release(struct work *w)
{
    rf_request_free(w->request);
    rf_request_options_free(w->options);
    rf_conversation_free(w->conversation);
    rf_model_close(w->model);
    rf_config_close(w->config);
    free(w->folder);
}

static int run(const struct rf_args *args)
{
    struct work w = { 0 };
    struct rf_err err;
    int status = build(&w, args, &err) ? rf_report(&err)
                                       : rf_deliver(w.request, args->values[EXPLAIN]);
    release(&w);
    return status;
}

const struct rf_command rf_cmd_encode = {
    .name = "encode",
    .synopsis = "refract encode -m MODEL [OPTION]... [CONVERSATION]",
    .summary = "write the request that a model would be sent",
    .about =
        "Reads a conversation in the neutral format, from standard input where CONVERSATION is\n"
        "not given or -, and writes the body of the request to standard output.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = 1,
    .run = run,
};
