/* refract deliveries: files read as a model's tool would read them, and what each of several models
 * would get of them. Nothing is sent. Conversations and requests without an agent: a program can do
 * the same with the public headers. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <refract/refract.h>

#include "choose.h"
#include "command.h"
#include "cost.h"
#include "deliver.h"
#include "progress.h"
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
    struct rf_config *config;
    struct rf_conversation *conversation;
    struct rf_request_options *options;
};

/* The conversation: a model asked for the files, all at once, and got them. */

static char *arguments_of(const char *file)
{
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        abort();
    fputs("{\"file_path\":", out);
    rf_print_json(out, rf_text(file));
    fputs("}", out);
    if (fclose(out) != 0)
        abort();
    return text;
}

static enum rf_code add_call(struct rf_content *said, const char *id, const char *file,
                             struct rf_err *err)
{
    char *arguments = arguments_of(file);
    const struct rf_call call = { .size = sizeof call,
                                  .id = rf_text(id),
                                  .name = rf_text("read_file"),
                                  .arguments = rf_text(arguments) };
    enum rf_code rc = rf_content_call(said, &call, err);
    free(arguments);
    return rc;
}

static bool is_empty(const char *file)
{
    struct stat st;
    return stat(file, &st) == 0 && S_ISREG(st.st_mode) && !st.st_size;
}

/* An archive, an empty file, unknown bytes: the words about it are not its text. */
static bool is_only_told(struct rf_tools *tools, const char *file)
{
    struct rf_preview *p = NULL;
    struct rf_err unseen;
    struct stat st;
    if (stat(file, &st) != 0 || !S_ISREG(st.st_mode) || rf_preview_open(tools, file, &p, &unseen))
        return false; /* a part of one */
    struct rf_str mime = rf_preview_mime(p), bytes = rf_text("application/octet-stream");
    bool told = mime.n == bytes.n && memcmp(mime.p, bytes.p, bytes.n) == 0;
    rf_preview_close(p);
    return told;
}

/* What is only text has a line in the report too where it is a file. */
static enum rf_code add_text(struct rf_tools *tools, struct rf_conversation *c, const char *id,
                             const char *file, const struct rf_result *read, struct rf_err *err)
{
    const char *slash = strrchr(file, '/');
    struct rf_file text = { .size = sizeof text,
                            .name = rf_text(slash && slash[1] ? slash + 1 : file) };
    struct rf_str output = rf_message_output(rf_result_message(read));
    if (is_only_told(tools, file)) {
        text.type = RF_BLOCK_DOCUMENT;
        text.path = rf_text(file);
        text.extracted_text = is_empty(file) ? rf_text("") : output;
    } else {
        text.bytes = output;
        text.media_type = rf_text("text/plain");
    }
    struct rf_result *whole = rf_result_new();
    enum rf_code rc = rf_content_file(rf_result_content(whole), &text, err);
    if (!rc)
        rc = rf_conversation_result(c, rf_text(id), rf_text("read_file"), whole, err);
    rf_result_free(whole);
    return rc;
}

static enum rf_code add_result(struct rf_tools *tools, struct rf_conversation *c, const char *id,
                               const char *file, struct rf_err *err)
{
    struct rf_result *read = NULL;
    char *arguments = arguments_of(file);
    enum rf_code rc = rf_tools_run(tools, "read_file", arguments, &read, err);
    free(arguments);
    if (!rc && rf_result_error(read)->code) {
        *err = *rf_result_error(read);
        rc = err->code;
    }
    if (!rc && !rf_message_file(rf_result_message(read), NULL))
        rc = add_text(tools, c, id, file, read, err);
    else if (!rc)
        rc = rf_conversation_result(c, rf_text(id), rf_text("read_file"), read, err);
    rf_result_free(read);
    return rc;
}

static enum rf_code talk(struct rf_tools *tools, const struct rf_args *args,
                         struct rf_conversation *c, struct rf_err *err)
{
    struct rf_content *asked, *said;
    char id[32];
    enum rf_code rc = rf_conversation_user(c, RF_SPEAKER_USER, &asked, err);
    if (!rc)
        rc = rf_content_text(asked, rf_text("What do these say?"), err);
    if (!rc)
        rc = rf_conversation_assistant(c, rf_text(""), rf_text(""), &said, err);
    for (size_t i = 0; !rc && i < args->word_count; i++) {
        snprintf(id, sizeof id, "call_%zu", i + 1);
        rc = add_call(said, id, args->words[i], err);
    }
    for (size_t i = 0; !rc && i < args->word_count; i++) {
        snprintf(id, sizeof id, "call_%zu", i + 1);
        rc = add_result(tools, c, id, args->words[i], err);
    }
    return rc;
}

static enum rf_code read_files(struct work *w, const struct rf_args *args, struct rf_err *err)
{
    struct rf_tools *tools = rf_tools_new();
    struct rf_progress progress;
    rf_tools_configure(tools, w->config);
    rf_tools_root(tools, ""); /* a person named them */
    if (rf_config_cache_folder(w->config))
        rf_tools_cache(tools, rf_config_cache_folder(w->config));
    w->conversation = rf_conversation_new();
    rf_progress_begin(&progress, "reading", -1);
    enum rf_code rc = talk(tools, args, w->conversation, err);
    rf_progress_end(&progress);
    rf_tools_free(tools);
    return rc;
}

/* What a model gets */

/* Millionths of a dollar for so many tokens that it reads; -1: not known. */
static int64_t price_of(struct rf_model *m, int64_t tokens)
{
    double dollars = 0; /* for a million */
    for (size_t i = 0; i < rf_fact_count(); i++)
        if (strcmp(rf_fact_name(i), "price_input") == 0) {
            char *value = rf_text_copy(rf_model_fact(m, i));
            dollars = strtod(value, NULL);
            free(value);
        }
    return dollars > 0 && tokens >= 0 ? (int64_t)((double)tokens * dollars + 0.5) : -1;
}

static int64_t tokens_of(const struct rf_request *r)
{
    int64_t sum = 0;
    for (size_t i = 0; i < rf_report_count(r); i++)
        sum += rf_report_tokens(r, i) > 0 ? rf_report_tokens(r, i) : 0;
    return sum;
}

/* "~1,334 tokens, $0.0040" */
static void print_cost(struct rf_model *m, int64_t tokens)
{
    char number[RF_SHORT_TEXT], money[RF_COST_MONEY];
    int64_t price = price_of(m, tokens);
    if (tokens >= 0)
        printf("~%s token%s", rf_number_text(tokens, number), tokens == 1 ? "" : "s");
    if (price >= 0)
        printf(", %s", rf_cost_money(price, money));
}

/* What it is sent as, as people call it; until the next call. */
static struct rf_str sent_as(const struct rf_request *r, size_t i)
{
    static const char described[] = "text_fallback";
    static char words[200];
    struct rf_str as = rf_report_as(r, i);
    if (as.n >= sizeof described && memcmp(as.p, described, sizeof described - 1) == 0)
        return rf_text("its facts and a note");
    return rf_text(rf_types_in_words(as, words, sizeof words));
}

/* The longest of the names, or of what they are sent as. */
static int widest(const struct rf_request *r,
                  struct rf_str (*text)(const struct rf_request *r, size_t i))
{
    int width = 0, most = rf_text_columns() / 3;
    for (size_t i = 0; i < rf_report_count(r); i++) {
        int cells = rf_text_cells(text(r, i));
        width = cells > width ? cells : width;
    }
    return width < most ? width : most;
}

static void print_cell(struct rf_str text, int width)
{
    int used = rf_print_cut(stdout, text, width);
    printf("%*s  ", width - used, "");
}

/* "lost: pages 21-120; groq takes no documents", under its row; that a text goes among the words
 * rather than as a file needs no reason. */
static void print_why(const struct rf_request *r, size_t i)
{
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    bool all_its_text = rf_report_delivery(r, i) == RF_DELIVERY_TEXT &&
                        rf_report_form(r, i) == RF_FORM_ORIGINAL && !rf_report_lost_count(r, i);
    struct rf_str reason = all_its_text ? rf_text("") : rf_report_reason(r, i);
    if (!out)
        abort();
    for (size_t k = 0; k < rf_report_lost_count(r, i); k++)
        fprintf(out, "%s%.*s", k ? ", " : "lost: ", RF_FMT(rf_report_lost(r, i, k)));
    if (reason.n)
        fprintf(out, "%s%.*s", rf_report_lost_count(r, i) ? "; " : "", RF_FMT(reason));
    if (fclose(out) != 0)
        abort();
    if (n) {
        char *words = rf_text_types((struct rf_str){ text, n });
        rf_print_wrapped(stdout, rf_text(words), 6, rf_text_columns(), 0);
        free(words);
    }
    free(text);
}

static void print_table(const char *name, struct rf_model *m, const struct rf_request *r)
{
    int names = widest(r, rf_report_name), kinds = widest(r, sent_as);
    rf_print_text(stdout, rf_text(name));
    fputs(": ", stdout);
    print_cost(m, tokens_of(r));
    putchar('\n');
    for (size_t i = 0; i < rf_report_count(r); i++) {
        fputs("  ", stdout);
        print_cell(rf_report_name(r, i), names);
        printf("%-8s  %-15s  ", rf_delivery_name(rf_report_delivery(r, i)),
               rf_form_name(rf_report_form(r, i)));
        print_cell(sent_as(r, i), kinds);
        print_cost(m, rf_report_tokens(r, i));
        putchar('\n');
        print_why(r, i);
    }
}

/* A line of the report, with the model and the price before it. */
static void print_json(const char *name, struct rf_model *m, struct rf_request *r)
{
    for (size_t i = 0; i < rf_report_count(r); i++) {
        struct rf_str entry = rf_report_json(r, i);
        fputs("{\"model\":", stdout);
        rf_print_json(stdout, rf_text(name));
        fputs(",\"price\":", stdout);
        rf_cost_json(stdout, price_of(m, rf_report_tokens(r, i)));
        fputc(',', stdout);
        rf_print_document(stdout, (struct rf_str){ entry.p + 1, entry.n - 1 });
    }
}

static enum rf_code show(struct work *w, const char *name, bool json, struct rf_err *err)
{
    struct rf_model *model = NULL;
    struct rf_request *request = NULL;
    char whole[512];
    enum rf_code rc = rf_model_open(w->config, name, &model, err);
    if (!rc)
        rc = rf_deliver_build(w->conversation, model, w->options, &request, err);
    if (!rc) {
        rf_choose_tell(model);
        rf_choose_name(rf_model_provider(model), rf_model_name(model), whole, sizeof whole);
        json ? print_json(whole, model, request) : print_table(whole, model, request);
    }
    rf_request_free(request);
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
            rc = show(w, args->given[i].value, args->json, err);
        }
    for (size_t i = 0; !rc && !args->values[MODEL] && i < sizeof usual / sizeof *usual; i++) {
        fputs(i && !args->json ? "\n" : "", stdout);
        rc = show(w, usual[i], args->json, err);
    }
    return rc;
}

static enum rf_code deliver(struct work *w, const struct rf_args *args, struct rf_err *err)
{
    enum rf_code rc;
    if (!args->word_count) {
        rf_say(err, RF_EUSAGE, "deliveries needs to know which files");
        rf_say_hint(err, "As in refract deliveries report.pdf photo.jpg.");
        return RF_EUSAGE;
    }
    if ((rc = rf_project_open(&w->config, RF_PROJECT_READ, err)))
        return rc;
    w->options = rf_request_options_new();
    rf_request_options_configure(w->options, w->config);
    rf_request_options_root(w->options, "");
    if (rf_config_cache_folder(w->config))
        rf_request_options_cache(w->options, rf_config_cache_folder(w->config));
    rc = read_files(w, args, err);
    return rc ? rc : show_all(w, args, err);
}

static int run(const struct rf_args *args)
{
    struct work w = { 0 };
    struct rf_err err;
    int status = 0;
    if (deliver(&w, args, &err))
        status = args->json ? rf_report_as_json(&err) : rf_report(&err);
    rf_conversation_free(w.conversation);
    rf_request_options_free(w.options);
    rf_config_close(w.config);
    return status;
}

const struct rf_command rf_cmd_deliveries = {
    .name = "deliveries",
    .synopsis = "refract deliveries [-m MODEL]... [--json] FILE...",
    .summary = "show what each model would get of files",
    .about =
        "Reads the files as the tool read_file does, or parts of them (report.pdf#p=3-5), and shows\n"
        "what each model would get: where, as what, what is lost, and what it costs. Nothing is\n"
        "sent. Without -m, eight models of all sorts are shown.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = RF_ANY_WORDS,
    .arg = "FILE",
    .run = run,
};
