/* Requests of Mistral: chat completions, whose parts openai_chat/parse.c knows all: sounds that are
 * a string, files by their id in the part itself, documents by URL, thoughts in the content, and
 * the tool choice "any". Only the name of its files' owner is its own. */
#include "wire/chat/parse.h"

#define PROVIDER "mistral"

enum rf_code rf_mistral_parse(const struct rf_jval *body, struct rf_builder *b, struct rf_err *err)
{
    static const struct rf_completion_grammar grammar = {
        .provider = PROVIDER,
        .content = rf_completion_parse_content,
        .settings = rf_completion_parse_settings,
    };
    return rf_completion_parse(body, &grammar, b, err);
}
