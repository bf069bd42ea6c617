/* refract respond: a neutral reply in, the response of an API out.
 *
 * A reply that is an error is written as this API's servers write theirs; its HTTP status is
 * said on standard error, and writing it is a success. */
#include <stdio.h>
#include <stdlib.h>

#include <refract/refract.h>

#include "command.h"
#include "input.h"
#include "project.h"
#include "report.h"

#define MOST ((size_t)256 << 20) /* bytes of a message */

enum { AS, STREAM, MODEL, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [AS] = { "as", 0, "DIALECT", "the API whose response is written" },
    [STREAM] = { "stream", 0, NULL, "write the stream of events" },
    [MODEL] = { "model", 0, "NAME", "the model that the response names" },
};

static enum rf_code respond(const struct rf_args *args, const struct rf_config *config,
                            struct rf_respond **r, struct rf_str message, struct rf_err *err)
{
    const struct rf_respond_options o = {
        .size = sizeof o,
        .dialect = args->values[AS],
        .model = args->values[MODEL],
        .stream = args->values[STREAM] != NULL,
        .config = config,
    };
    enum rf_code rc = rf_respond_new(&o, r, err);
    return rc ? rc : rf_respond_message(*r, message, err);
}

static void print(struct rf_respond *r)
{
    struct rf_str bytes = rf_respond_bytes(r);
    fwrite(bytes.p, 1, bytes.n, stdout);
    for (size_t i = 0; i < rf_respond_lost_count(r); i++) {
        fputs("note: ", stderr);
        rf_print_text(stderr, rf_respond_lost(r, i));
        fputc('\n', stderr);
    }
    if (rf_respond_status(r) != 200)
        fprintf(stderr, "status: %d\n", rf_respond_status(r));
}

static int run(const struct rf_args *args)
{
    struct rf_config *config = NULL;
    struct rf_respond *r = NULL;
    struct rf_str message = { 0 };
    struct rf_err err;
    int status = 0;
    if (!args->values[AS]) {
        rf_say(&err, RF_EUSAGE, "respond needs to know which API the response is for");
        rf_say_hint(&err, "Name it with --as, as in --as anthropic.");
        return rf_report(&err);
    }
    if (rf_project_open(&config, RF_PROJECT_NOTE, &err) ||
        rf_input_take(args->word_count ? args->words[0] : "-", MOST, &message, &err) ||
        respond(args, config, &r, message, &err))
        status = rf_report(&err);
    else
        print(r);
    rf_respond_free(r);
    free((char *)message.p);
    rf_config_close(config);
    return status;
}

const struct rf_command rf_cmd_respond = {
    .name = "respond",
    .synopsis = "refract respond --as DIALECT [--stream] [--model NAME] [MESSAGE]",
    .summary = "write a reply as another API would",
    .about =
        "Reads an assistant message of the neutral format, as decode writes it, from standard\n"
        "input where MESSAGE is not given or -, and writes the response body of that API, or its\n"
        "stream of events. DIALECT is anthropic, bedrock, gemini, openai-chat, openai-responses,\n"
        "mistral, ollama or cohere. What the API cannot say is told. A reply that is an error\n"
        "becomes an error of that API; its HTTP status is told on standard error.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = 1,
    .arg = "FILE",
    .run = run,
};
