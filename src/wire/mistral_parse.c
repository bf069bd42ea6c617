/* Requests of Mistral: chat completions, whose parts openai_chat_parse.c knows all: sounds that are
 * a string, files by their id in the part itself, documents by URL, thoughts in the content, and
 * the tool choice "any". Only the name of its files' owner is its own. */
#include "wire/chat_parse.h"

#define PROVIDER "mistral"

enum rf_code rf_mistral_parse(const struct rf_jval *body, struct rf_builder *b, struct rf_err *err)
{
    static const struct rf_chat_grammar grammar = {
        .provider = PROVIDER,
        .content = rf_chat_parse_content,
        .settings = rf_chat_parse_settings,
    };
    return rf_chat_parse(body, &grammar, b, err);
}
