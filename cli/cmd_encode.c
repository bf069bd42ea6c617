/* refract encode: a neutral conversation or a session in, the body of a request out.
 *
 * Everything is decided before the first byte is written, so a request that cannot be made leaves
 * standard output empty. */
#include <stdlib.h>
#include <string.h>

#include <refract/refract.h>

#include "choose.h"
#include "command.h"
#include "deliver.h"
#include "input.h"
#include "project.h"
#include "report.h"
#include "stored.h"

enum { MODEL, SESSION, SENT, STRICT, AS_IS, NO_MEDIA, EXPLAIN, BASE, ROOT, STREAM, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [MODEL] = { "model", 'm', "MODEL", "PROVIDER:MODEL, or a name from the configuration" },
    [SESSION] = { "session", 0, "ID", "the conversation is this session, or last" },
    [SENT] = { "sent", 0, NULL, "remember in the session how each file was sent" },
    [STRICT] = { "strict", 0, NULL, RF_STRICT_HELP },
    [AS_IS] = { "as-is", 0, NULL, "convert no file for the model" },
    [NO_MEDIA] = { "no-media", 0, NULL, "send notes for all files, as for a summary" },
    [EXPLAIN] = { "explain", 0, NULL, "say what became of each file: JSON lines on stderr" },
    [BASE] = { "base", 0, "DIR", "where relative paths start (default: beside CONVERSATION)" },
    [ROOT] = { "root", 0, "DIR",
               "refuse files outside this folder (default: those of tools outside --base)" },
    [STREAM] = { "stream", 0, NULL, "ask for a streamed reply" },
};

struct work {
    struct rf_config *config;
    struct rf_model *model;
    struct rf_stored stored;
    struct rf_conversation *conversation;
    struct rf_request_options *options;
    struct rf_request *request;
    char *folder; /* of the conversation */
};

static enum rf_code open_session(struct work *w, const struct rf_args *args, struct rf_err *err)
{
    const char *id = args->values[SESSION];
    enum rf_code rc;
    if (args->word_count) {
        rf_say(err, RF_EUSAGE, "--session says which conversation, and \"%s\" is one more",
               args->words[0]);
        return RF_EUSAGE;
    }
    if ((rc = rf_store_open(w->config, &w->stored.store, err)) ||
        (rc = (args->values[SENT] ? rf_stored_write : rf_stored_read)(&w->stored, id, err)))
        return rc;
    return rf_session_conversation(w->stored.session, &w->conversation, err);
}

static enum rf_code open_given(struct work *w, const struct rf_args *args, struct rf_err *err)
{
    if (args->values[SESSION])
        return open_session(w, args, err);
    if (!args->values[SENT])
        return rf_input_conversation(args->word_count ? args->words[0] : "-", &w->conversation,
                                     err);
    rf_say(err, RF_EUSAGE, "--sent needs a session to remember it in");
    rf_say_hint(err, "Name it with --session.");
    return RF_EUSAGE;
}

static void set_options(struct work *w, const struct rf_args *args, const char *path)
{
    w->options = rf_request_options_new();
    w->folder = rf_input_folder_of(path);
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
    struct rf_chosen chosen;
    if ((rc = rf_input_folder(args->values[BASE], "base", err)) ||
        (rc = rf_input_folder(args->values[ROOT], "root", err)) ||
        (rc = rf_project_open(&w->config, RF_PROJECT_READ, err)) ||
        (rc = rf_choose_target(args->values[MODEL], w->config,
                               "encode needs to know which model the request is for", &chosen,
                               err)) ||
        (rc = rf_model_open(w->config, chosen.model, &w->model, err)) ||
        (rc = open_given(w, args, err)))
        return rc;
    rf_warn(rf_model_problem(w->model));
    set_options(w, args, path);
    return rf_deliver_build(w->conversation, w->model, w->options, &w->request, err);
}

static void release(struct work *w)
{
    rf_request_free(w->request);
    rf_request_options_free(w->options);
    rf_conversation_free(w->conversation);
    rf_stored_close(&w->stored);
    rf_model_close(w->model);
    rf_config_close(w->config);
    free(w->folder);
}

static int run(const struct rf_args *args)
{
    struct work w = { 0 };
    struct rf_err err;
    int status =
        build(&w, args, &err) ? rf_report(&err) : rf_deliver(w.request, args->values[EXPLAIN]);
    if (!status && args->values[SENT] && rf_session_sent(w.stored.session, w.request, &err))
        status = rf_report(&err);
    release(&w);
    return status;
}

const struct rf_command rf_cmd_encode = {
    .name = "encode",
    .synopsis = "refract encode -m MODEL [OPTION]... [CONVERSATION]",
    .summary = "write the request that a model would be sent",
    .about =
        "Reads a conversation in the neutral format, from standard input where CONVERSATION is\n"
        "not given or -, and writes the body of the request to standard output. With --session it\n"
        "is a session of the store.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = 1,
    .arg = "FILE",
    .run = run,
};
