/* refract deliveries: files read as a model's tool would read them, and what each of several models
 * would get of them. Nothing is sent. Conversations and requests without an agent: a program can do
 * the same with the public headers. */
#include <stdio.h>
#include <stdlib.h>

#include <refract/refract.h>

#include "choose.h"
#include "command.h"
#include "cost.h"
#include "deliver.h"
#include "delivery_table.h"
#include "file_calls.h"
#include "piped.h"
#include "project.h"
#include "report.h"
#include "text.h"

enum { MODEL, JSON, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [MODEL] = { "model", 'm', "MODEL",
                "PROVIDER:MODEL, or a name from the configuration; may be repeated" },
    [JSON] = { "json", 0, NULL, "print for a program: an object for each file at each model" },
};

/* Where none is named: models of all sorts. */
static const char *const usual[] = {
    "anthropic:claude-sonnet-5",
    "openai:gpt-5.4-mini",
    "openai-chat:gpt-5.4-mini",
    "google:gemini-3.5-flash",
    "bedrock:us.anthropic.claude-sonnet-5",
    "groq:meta-llama/llama-4-scout-17b-16e-instruct",
    "ollama:llava:13b",
    "ollama:llama3.1",
};

struct work {
    const struct rf_args *args;
    char **files; /* as many as there are words */
    struct rf_config *config;
    struct rf_conversation *conversation;
    struct rf_request_options *options;
};

/* A line of the report, with the model and the price before it. */
static void print_json(const char *name, struct rf_model *m, struct rf_request *r)
{
    for (size_t i = 0; i < rf_report_count(r); i++) {
        struct rf_str entry = rf_report_json(r, i);
        fputs("{\"model\":", stdout);
        rf_print_json(stdout, rf_text(name));
        fputs(",\"price\":", stdout);
        rf_cost_json(stdout, rf_delivery_price(m, rf_report_tokens(r, i)));
        fputc(',', stdout);
        rf_print_document(stdout, (struct rf_str){ entry.p + 1, entry.n - 1 });
    }
}

static enum rf_code show_request(struct work *w, struct rf_model *model,
                                 const struct rf_conversation *c, struct rf_err *err)
{
    struct rf_request *request = NULL;
    char whole[512];
    enum rf_code rc = rf_deliver_build(c, model, w->options, &request, err);
    if (!rc) {
        rf_choose_name(rf_model_provider(model), rf_model_name(model), whole, sizeof whole);
        w->args->json ? print_json(whole, model, request)
                      : rf_delivery_table(whole, model, request);
    }
    rf_request_free(request);
    return rc;
}

/* A host is given each file as a result of its own. */
static enum rf_code show_host(struct work *w, struct rf_model *model, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    for (size_t i = 0; !rc && i < w->args->word_count; i++) {
        struct rf_conversation *one = NULL;
        rc = rf_file_calls(w->config, model, (const char *const *)&w->files[i], 1, &one, err);
        if (!rc)
            rc = show_request(w, model, one, err);
        rf_conversation_free(one);
    }
    return rc;
}

static enum rf_code show(struct work *w, const char *name, struct rf_err *err)
{
    struct rf_model *model = NULL;
    enum rf_code rc = rf_model_open(w->config, name, &model, err);
    if (!rc) {
        rf_choose_tell(model);
        rc = rf_model_is_host(model) ? show_host(w, model, err)
                                     : show_request(w, model, w->conversation, err);
    }
    rf_model_close(model);
    return rc;
}

static enum rf_code show_all(struct work *w, const struct rf_args *args, struct rf_err *err)
{
    enum rf_code rc = RF_OK;
    size_t shown = 0;
    for (size_t i = 0; !rc && i < args->given_count; i++)
        if (args->given[i].option == MODEL) {
            fputs(shown++ && !args->json ? "\n" : "", stdout);
            rc = show(w, args->given[i].value, err);
        }
    for (size_t i = 0; !rc && !args->values[MODEL] && i < sizeof usual / sizeof *usual; i++) {
        fputs(i && !args->json ? "\n" : "", stdout);
        rc = show(w, usual[i], err);
    }
    return rc;
}

/* What is piped in is a file meanwhile, which may be named more than once. */
static enum rf_code keep_input(const char **path, struct rf_err *err)
{
    struct rf_str bytes = { 0 };
    enum rf_code rc = *path ? RF_OK : rf_piped_read(&bytes, err);
    if (!rc && !*path && !(*path = rf_piped_keep(bytes, err)))
        rc = err->code;
    free((char *)(uintptr_t)bytes.p);
    return rc;
}

static enum rf_code name_files(struct work *w, const struct rf_args *args, struct rf_err *err)
{
    const char *piped = NULL;
    w->files = calloc(args->word_count, sizeof *w->files);
    if (!w->files)
        abort();
    for (size_t i = 0; i < args->word_count; i++) {
        const char *word = args->words[i];
        bool meant = rf_piped_is_meant(word);
        if (meant && keep_input(&piped, err))
            return err->code;
        if (asprintf(&w->files[i], "%s%s", meant ? piped : "", word + meant) < 0)
            abort();
    }
    return RF_OK;
}

static enum rf_code deliver(struct work *w, const struct rf_args *args, struct rf_err *err)
{
    enum rf_code rc;
    if (!args->word_count) {
        rf_say(err, RF_EUSAGE, "deliveries needs to know which files");
        rf_say_hint(err, "As in refract deliveries report.pdf photo.jpg.");
        return RF_EUSAGE;
    }
    if ((rc = rf_project_open(&w->config, RF_PROJECT_READ, err)) || (rc = name_files(w, args, err)))
        return rc;
    w->options = rf_request_options_new();
    rf_request_options_configure(w->options, w->config);
    rf_request_options_root(w->options, "");
    if (rf_config_cache_folder(w->config))
        rf_request_options_cache(w->options, rf_config_cache_folder(w->config));
    rc = rf_file_calls(w->config, NULL, (const char *const *)w->files, args->word_count,
                       &w->conversation, err);
    return rc ? rc : show_all(w, args, err);
}

static int run(const struct rf_args *args)
{
    struct work w = { .args = args };
    struct rf_err err;
    int status = 0;
    if (deliver(&w, args, &err))
        status = args->json ? rf_report_as_json(&err) : rf_report(&err);
    rf_conversation_free(w.conversation);
    rf_request_options_free(w.options);
    rf_config_close(w.config);
    for (size_t i = 0; w.files && i < args->word_count; i++)
        free(w.files[i]);
    free(w.files);
    rf_piped_drop();
    return status;
}

const struct rf_command rf_cmd_deliveries = {
    .name = "deliveries",
    .synopsis = "refract deliveries [-m MODEL]... [--json] FILE...",
    .summary = "show what each model would get of files",
    .about =
        "Reads the files as the tool read_file does, or parts of them (report.pdf#p=3-5), and shows\n"
        "what each model would get: where, as what, what is lost, and what it costs. Nothing is\n"
        "sent. - is standard input. Without -m, eight models of all sorts are shown.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = RF_ANY_WORDS,
    .arg = "FILE",
    .run = run,
};
