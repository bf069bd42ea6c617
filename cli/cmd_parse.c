/* refract parse: another API's request in, a neutral conversation out. */
#include <stdio.h>

#include <refract/refract.h>

#include "command.h"
#include "report.h"

enum { FROM, OPTION_COUNT };

static const struct rf_option options[OPTION_COUNT] = {
    [FROM] = { "from", 0, "DIALECT", "the API that REQUEST was written for" },
};

static enum rf_code parse(const struct rf_args *args, struct rf_conversation **c,
                          struct rf_str *json, struct rf_err *err)
{
    enum rf_code rc;
    if (!args->values[FROM]) {
        rf_say(err, RF_EUSAGE, "parse needs to know which API the request was written for");
        rf_say_hint(err, "Name it with --from, as in --from anthropic.");
        return RF_EUSAGE;
    }
    rc =
        rf_conversation_import(args->values[FROM], args->word_count ? args->words[0] : "-", c, err);
    return rc ? rc : rf_conversation_write(*c, json, err);
}

static int run(const struct rf_args *args)
{
    struct rf_conversation *c = NULL;
    struct rf_str json;
    struct rf_err err;
    int status = 0;
    if (parse(args, &c, &json, &err))
        status = rf_report(&err);
    else
        rf_print_document(stdout, json);
    rf_conversation_free(c);
    return status;
}

const struct rf_command rf_cmd_parse = {
    .name = "parse",
    .synopsis = "refract parse --from DIALECT [REQUEST]",
    .summary = "read a request that was written for another API",
    .about =
        "Reads a request body from standard input where REQUEST is not given or -, and writes\n"
        "it as a conversation of the neutral format. DIALECT is anthropic, bedrock, gemini,\n"
        "openai-chat, openai-responses, mistral, ollama or cohere.\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .max_words = 1,
    .arg = "FILE",
    .run = run,
};
