/* refract convert: a request for one API in, the request for any model out. */
#include <refract/refract.h>

#include "choose.h"
#include "command.h"
#include "deliver.h"
#include "project.h"
#include "report.h"

enum { FROM, MODEL, STRICT, AS_IS, EXPLAIN, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [FROM] = { "from", 0, "DIALECT", "the API that REQUEST was written for" },
    [MODEL] = { "model", 'm', "MODEL", "PROVIDER:MODEL, or a name from the configuration" },
    [STRICT] = { "strict", 0, NULL, RF_STRICT_HELP },
    [AS_IS] = { "as-is", 0, NULL, "convert no file for the model" },
    [EXPLAIN] = { "explain", 0, NULL, "say what became of each file: JSON lines on stderr" },
};

struct work {
    struct rf_config *config;
    struct rf_model *model;
    struct rf_conversation *conversation;
    struct rf_request_options *options;
    struct rf_request *request;
};

static enum rf_code build(struct work *w, const struct rf_args *args, struct rf_err *err)
{
    enum rf_code rc;
    struct rf_chosen chosen;
    if (!args->values[FROM]) {
        rf_say(err, RF_EUSAGE, "convert needs to know which API the request was written for");
        rf_say_hint(err, "As in --from anthropic -m openai-chat:gpt-5.4-mini.");
        return RF_EUSAGE;
    }
    if ((rc = rf_project_open(&w->config, RF_PROJECT_READ, err)) ||
        (rc = rf_choose_target(args->values[MODEL], w->config,
                               "convert needs to know which model the request is for", &chosen,
                               err)) ||
        (rc = rf_model_open(w->config, chosen.model, &w->model, err)) ||
        (rc = rf_conversation_import(args->values[FROM], args->word_count ? args->words[0] : "-",
                                     &w->conversation, err)))
        return rc;
    rf_warn(rf_model_problem(w->model));
    w->options = rf_request_options_new();
    if (args->values[STRICT])
        rf_request_options_strict(w->options);
    if (args->values[AS_IS])
        rf_request_options_as_is(w->options);
    rf_request_options_configure(w->options, w->config);
    if (rf_config_cache_folder(w->config))
        rf_request_options_cache(w->options, rf_config_cache_folder(w->config));
    return rf_deliver_build(w->conversation, w->model, w->options, &w->request, err);
}

static int run(const struct rf_args *args)
{
    struct work w = { 0 };
    struct rf_err err;
    int status =
        build(&w, args, &err) ? rf_report(&err) : rf_deliver(w.request, args->values[EXPLAIN]);
    rf_request_free(w.request);
    rf_request_options_free(w.options);
    rf_conversation_free(w.conversation);
    rf_model_close(w.model);
    rf_config_close(w.config);
    return status;
}

const struct rf_command rf_cmd_convert = {
    .name = "convert",
    .synopsis = "refract convert --from DIALECT -m MODEL [OPTION]... [REQUEST]",
    .summary = "turn a request for one API into the request for another",
    .about =
        "Reads a request body from standard input where REQUEST is not given or -, and writes\n"
        "the body that MODEL takes. DIALECT is anthropic, bedrock, gemini, openai-chat,\n"
        "openai-responses, mistral, ollama or cohere.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = 1,
    .arg = "FILE",
    .run = run,
};
