/* refract tokens: how many tokens a request would be, message by message.
 *
 * The request of a conversation is built as encode builds it, and not written; of a session, it
 * is the one that the next question would send. */
#include <stdlib.h>

#include <refract/refract.h>

#include "choose.h"
#include "command.h"
#include "deliver.h"
#include "input.h"
#include "project.h"
#include "report.h"
#include "stored.h"
#include "text.h"

enum { MODEL, FROM, SESSION, AS_IS, BASE, ROOT, JSON, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [MODEL] = { "model", 'm', "MODEL", "PROVIDER:MODEL, or a name from the configuration" },
    [FROM] = { "from", 0, "DIALECT", "CONVERSATION is a request for this API" },
    [SESSION] = { "session", 0, "ID", "count what the next question of this session finds" },
    [AS_IS] = { "as-is", 0, NULL, "convert no file for the model" },
    [BASE] = { "base", 0, "DIR", "where relative paths start (default: beside CONVERSATION)" },
    [ROOT] = { "root", 0, "DIR",
               "refuse files outside this folder (default: those of tools outside --base)" },
    [JSON] = { "json", 0, NULL, "print for a program, errors too" },
};

struct work {
    struct rf_config *config;
    struct rf_chosen chosen;
    struct rf_model *model;
    struct rf_conversation *conversation;
    struct rf_request_options *options;
    struct rf_request *request;
    struct rf_stored stored;
    struct rf_agent *agent;
    struct rf_tokens *tokens;
};

static void set_options(struct work *w, const struct rf_args *args, const char *path)
{
    char *folder = rf_input_folder_of(path);
    w->options = rf_request_options_new();
    rf_request_options_base(w->options, args->values[BASE] ? args->values[BASE] : folder);
    free(folder);
    if (args->values[ROOT])
        rf_request_options_root(w->options, args->values[ROOT]);
    if (args->values[AS_IS])
        rf_request_options_as_is(w->options);
    rf_request_options_configure(w->options, w->config);
    if (rf_config_cache_folder(w->config))
        rf_request_options_cache(w->options, rf_config_cache_folder(w->config));
}

static enum rf_code count_session(struct work *w, const struct rf_args *args, struct rf_err *err)
{
    static const int others[] = { FROM, AS_IS, BASE, ROOT };
    char id[RF_SESSION_ID_SIZE];
    enum rf_code rc;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (args->values[others[i]]) {
            rf_say(err, RF_EUSAGE, "--session and --%s do not go together",
                   options[others[i]].name);
            return RF_EUSAGE;
        }
    if (args->word_count) {
        rf_say(err, RF_EUSAGE, "--session says which conversation, and \"%s\" is one more",
               args->words[0]);
        return RF_EUSAGE;
    }
    if ((rc = rf_store_open(w->config, &w->stored.store, err)) ||
        (rc = rf_stored_find(&w->stored, args->values[SESSION], id, err)) ||
        (rc = rf_agent_new(w->config, w->stored.store, &w->agent, err)) ||
        (rc = rf_agent_model(w->agent, w->chosen.model, err)) ||
        (rc = rf_agent_resume(w->agent, id, err)))
        return rc;
    return rf_agent_plan_next(w->agent, &w->request, err);
}

static enum rf_code count_conversation(struct work *w, const struct rf_args *args,
                                       struct rf_err *err)
{
    const char *path = args->word_count ? args->words[0] : "-", *from = args->values[FROM];
    enum rf_code rc = from ? rf_conversation_import(from, path, &w->conversation, err)
                           : rf_input_conversation(path, &w->conversation, err);
    if (rc)
        return rc;
    set_options(w, args, path);
    return rf_deliver_build(w->conversation, w->model, w->options, &w->request, err);
}

static enum rf_code count(struct work *w, const struct rf_args *args, struct rf_err *err)
{
    enum rf_code rc;
    if ((rc = rf_project_open(&w->config, RF_PROJECT_READ, err)) ||
        (rc = rf_choose_target(args->values[MODEL], w->config,
                               "tokens needs to know which model counts them", &w->chosen, err)) ||
        (rc = rf_model_open(w->config, w->chosen.model, &w->model, err)))
        return rc;
    rf_warn(rf_model_problem(w->model));
    rc = (args->values[SESSION] ? count_session : count_conversation)(w, args, err);
    if (!rc)
        w->tokens = rf_request_tokens(w->request);
    return rc;
}

static void print_line(const char *what, int64_t tokens, const char *more)
{
    printf("%-16s %10lld%s\n", what, (long long)tokens, more);
}

static void print_message(const struct rf_tokens *t, size_t i)
{
    char what[40], more[80] = "";
    size_t files = rf_tokens_files(t, i);
    snprintf(what, sizeof what, "%zu %s", i + 1, rf_tokens_role(t, i));
    if (files)
        snprintf(more, sizeof more, "  %lld of them in %zu file%s",
                 (long long)rf_tokens_media(t, i), files, files == 1 ? "" : "s");
    print_line(what, rf_tokens_text(t, i) + rf_tokens_media(t, i), more);
}

static void print_window(const struct rf_tokens *t)
{
    int64_t context = rf_tokens_context(t), reserve = rf_tokens_reserve(t);
    if (reserve)
        print_line("answer", reserve, "  kept free for it");
    if (context)
        print_line("window", context, "");
    else
        printf("%-16s %10s\n", "window", "unknown");
}

/* "; lost: pages 96-120", where it went and something of it did not. */
static void print_lost(const struct rf_request *r, size_t i)
{
    for (size_t k = 0; k < rf_report_lost_count(r, i); k++) {
        if (rf_report_form(r, i) == RF_FORM_NOTE)
            continue;
        fputs(k ? ", " : "; lost: ", stdout);
        rf_print_text(stdout, rf_report_lost(r, i, k));
    }
}

/* The files that made room, by the limit that was passed. */
static void print_files(const struct rf_request *r)
{
    for (size_t i = 0; i < rf_report_count(r); i++) {
        struct rf_str name = rf_report_name(r, i), limit = rf_report_limit(r, i);
        if (!limit.n)
            continue;
        printf("  ");
        rf_print_text(stdout, name.n ? name : (struct rf_str){ "a file", 6 });
        enum rf_form form = rf_report_form(r, i);
        printf(": %s", form == RF_FORM_PAGES ? "fewer pages" : rf_form_words(form));
        print_lost(r, i);
        printf(" (%.*s)\n", RF_FMT(limit));
    }
}

/* What a person wants to know: does it fit, and at whose cost? */
static void print_verdict(const struct rf_tokens *t, const struct rf_request *r)
{
    int64_t context = rf_tokens_context(t), used = rf_tokens_total(t) + rf_tokens_reserve(t);
    size_t files = 0, gone = rf_tokens_gone(t), silent = rf_tokens_silent(t),
           cut = rf_tokens_cut(t);
    for (size_t i = 0; i < rf_report_count(r); i++)
        files += rf_report_limit(r, i).n > 0;
    if (!context)
        puts("verdict: the size of the window is unknown");
    else
        printf("verdict: %s: %d%% of the window\n", used <= context ? "it fits" : "it does not fit",
               rf_percent(rf_tokens_total(t), context));
    if (files)
        printf("%zu file%s made room:\n", files, files == 1 ? "" : "s");
    print_files(r);
    if (silent)
        printf("the text of %zu result%s is left out\n", silent, silent == 1 ? "" : "s");
    if (cut)
        printf("the text of %zu message%s is cut\n", cut, cut == 1 ? "" : "s");
    if (gone)
        printf("the first %zu message%s are left out\n", gone, gone == 1 ? "" : "s");
}

static void print_text(const struct rf_tokens *t, const struct rf_request *r)
{
    if (rf_tokens_system(t))
        print_line("system", rf_tokens_system(t), "");
    if (rf_tokens_tools(t))
        print_line("tools", rf_tokens_tools(t), "");
    if (rf_tokens_request(t))
        print_line("request", rf_tokens_request(t), "");
    for (size_t i = 0; i < rf_tokens_count(t); i++)
        print_message(t, i);
    if (rf_tokens_total(t) != rf_tokens_estimate(t))
        print_line("estimate", rf_tokens_estimate(t),
                   "  before what this model reported is counted in");
    print_line("total", rf_tokens_total(t), "");
    print_window(t);
    print_verdict(t, r);
}

static void print_json(const struct rf_tokens *t)
{
    fputs("{\"messages\":[", stdout);
    for (size_t i = 0; i < rf_tokens_count(t); i++) {
        printf("%s{\"role\":\"%s\",\"text\":%lld,\"media\":%lld,\"files\":%zu}", i ? "," : "",
               rf_tokens_role(t, i), (long long)rf_tokens_text(t, i),
               (long long)rf_tokens_media(t, i), rf_tokens_files(t, i));
    }
    printf("],\"system\":%lld,\"tools\":%lld,\"request\":%lld,\"estimate\":%lld,\"total\":%lld,",
           (long long)rf_tokens_system(t), (long long)rf_tokens_tools(t),
           (long long)rf_tokens_request(t), (long long)rf_tokens_estimate(t),
           (long long)rf_tokens_total(t));
    printf("\"context\":%lld,\"reserve\":%lld,\"gone\":%zu,\"silent\":%zu,\"cut\":%zu}\n",
           (long long)rf_tokens_context(t), (long long)rf_tokens_reserve(t), rf_tokens_gone(t),
           rf_tokens_silent(t), rf_tokens_cut(t));
}

static int run(const struct rf_args *args)
{
    struct work w = { 0 };
    struct rf_err err;
    int status = 0;
    if (count(&w, args, &err))
        status = args->json ? rf_report_as_json(&err) : rf_report(&err);
    else if (args->json)
        print_json(w.tokens);
    else
        print_text(w.tokens, w.request);
    rf_tokens_free(w.tokens);
    if (w.agent)
        rf_agent_free(w.agent); /* and its request */
    else
        rf_request_free(w.request);
    rf_stored_close(&w.stored);
    rf_request_options_free(w.options);
    rf_conversation_free(w.conversation);
    rf_model_close(w.model);
    rf_config_close(w.config);
    return status;
}

const struct rf_command rf_cmd_tokens = {
    .name = "tokens",
    .synopsis = "refract tokens -m MODEL [OPTION]... [CONVERSATION]",
    .summary = "estimate the tokens of a request",
    .about =
        "Reads a conversation in the neutral format, from standard input where CONVERSATION is\n"
        "not given or -, and says how many input tokens its request would be: the system prompt,\n"
        "the tools, each message, and all of it beside the model's window. With --session it is\n"
        "what the next question of that session finds, as a chat shows it.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = 1,
    .arg = "FILE",
    .run = run,
};
