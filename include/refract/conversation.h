/* A conversation in the neutral format: the input of every request.
 *
 * It is read from JSON text ("refract": 1 at the top; see docs/CONVERSATION.md) and kept whole,
 * fields that this version does not know included. Files that it names are not touched until a
 * request is built.
 *
 *     struct rf_conversation *c;
 *     if (rf_conversation_read(text, &c, &err)) …
 *     rf_conversation_free(c);
 */
#ifndef REFRACT_CONVERSATION_H
#define REFRACT_CONVERSATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/error.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_conversation;

/* Read a conversation from text, which is copied. Fails with RF_EFORMAT, naming line and column of
 * malformed JSON or the path of a wrong field, and with RF_ELIMIT where it is too large or deep. */
RF_API RF_MUST enum rf_code rf_conversation_read(struct rf_str text, struct rf_conversation **out,
                                                 struct rf_err *err);

/* The same from a file, or from standard input where `path` is "-". Fails with RF_ENOTFOUND and
 * RF_EIO too. */
RF_API RF_MUST enum rf_code rf_conversation_open(const char *path, struct rf_conversation **out,
                                                 struct rf_err *err);

/* Read a request that somebody wrote for another API. `dialect` is "anthropic", "bedrock",
 * "gemini", "openai-chat", "openai-responses", "mistral", "ollama" or "cohere". Media that was
 * injected by refract goes back into the tool result it came from. Fails with RF_EUSAGE for
 * another dialect, and as reading does. The text is copied; the second reads a file or, where
 * `path` is "-", standard input. */
RF_API RF_MUST enum rf_code rf_conversation_parse(const char *dialect, struct rf_str text,
                                                  struct rf_conversation **out,
                                                  struct rf_err *err);
RF_API RF_MUST enum rf_code rf_conversation_import(const char *dialect, const char *path,
                                                   struct rf_conversation **out,
                                                   struct rf_err *err);

RF_API void rf_conversation_free(struct rf_conversation *c); /* takes NULL */

/* The conversation as neutral JSON again; it lives as long as `c`. Fails with RF_ELIMIT. */
RF_API RF_MUST enum rf_code rf_conversation_write(struct rf_conversation *c, struct rf_str *json,
                                                  struct rf_err *err);

/* One thing that is said or shown in a conversation, for whoever prints it for people. What does
 * not apply is empty or 0; the strings live as long as the conversation. */
struct rf_saying {
    size_t message;   /* that it is in, counted from 0 */
    const char *role; /* "user", "assistant", "tool"; "system" or "developer" where one speaks so */
    /* Of the block; "error": what a tool says went wrong; NULL: nothing is said. */
    const char *type;
    struct rf_str provider, model; /* who said it */
    struct rf_str tool;            /* whose result it is, or that it calls */
    struct rf_str text;            /* text, thought, error; arguments and values as JSON */
    /* Of media. */
    struct rf_str id, name, media_type;
    /* The path, "sha256:…", URL or id; empty where the document has the bytes. */
    struct rf_str source;
    int64_t bytes, width, height, pages, duration_ms;
};

/* Tell `each` of all of them, in the order in which a model reads them; false stops. Every message
 * has at least one. */
RF_API void rf_conversation_sayings(const struct rf_conversation *c,
                                    bool (*each)(void *ctx, const struct rf_saying *s), void *ctx);

#ifdef __cplusplus
}
#endif
#endif
