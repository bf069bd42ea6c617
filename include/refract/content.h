/* What is said and shown: blocks, the messages that hold them, and the results of tools, built and
 * read by a program in C. docs/CONVERSATION.md describes what each field means.
 *
 *     struct rf_result *r = rf_result_new();
 *     struct rf_content *c = rf_result_content(r);
 *     struct rf_file chart = { .size = sizeof chart, .bytes = png, .name = RF_LIT("chart.png") };
 *     if (rf_content_text(c, RF_LIT("Sales by month:"), &err) || rf_content_file(c, &chart, &err))
 *         …
 *     rf_result_free(r);
 *
 * Everything that is handed over is copied, once. Text is UTF-8, JSON is text. A call that fails
 * adds and changes nothing: RF_EUSAGE says that something does not belong there or is missing,
 * RF_EFORMAT that a value is not what it must be, RF_ELIMIT that it is too large; the error's
 * `path` is the field.
 *
 * Structs that a program fills begin with their own size, so that they can grow. What is not
 * given is 0. */
#ifndef REFRACT_CONTENT_H
#define REFRACT_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/conversation.h>
#include <refract/error.h>
#include <refract/json.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rf_block_type {
    RF_BLOCK_TEXT,
    RF_BLOCK_JSON,
    RF_BLOCK_IMAGE,
    RF_BLOCK_DOCUMENT,
    RF_BLOCK_AUDIO,
    RF_BLOCK_VIDEO,
    RF_BLOCK_THINKING,
    RF_BLOCK_TOOL_CALL,
    RF_BLOCK_OPAQUE, /* something that only one dialect can say, kept as it came */
};
/* "text", "json", "image", … */
RF_API const char *rf_block_type_name(enum rf_block_type type);

enum rf_role {
    RF_ROLE_USER,
    RF_ROLE_ASSISTANT,
    RF_ROLE_TOOL,
};

/* In whose name a user message speaks. */
enum rf_speaker {
    RF_SPEAKER_USER,
    RF_SPEAKER_SYSTEM,
    RF_SPEAKER_DEVELOPER,
};

/* An image, a document, sound or a film. */
struct rf_file {
    size_t size; /* sizeof(struct rf_file) */
    /* Which of the four; 0: what its bytes, its media type or its name say. */
    enum rf_block_type type;
    /* Where it is: exactly one. */
    struct rf_str bytes;   /* here, in memory */
    struct rf_str base64;  /* the same as base64 text */
    struct rf_str path;    /* on disk; opened when a request is built */
    struct rf_str url;     /* http(s), or a scheme that the provider fetches itself */
    struct rf_str file_id; /* of a provider that it was uploaded to; with provider */
    struct rf_str blob;    /* "sha256:…" in the session; may stand beside a file_id */
    struct rf_str provider;
    struct rf_str id, name, media_type;
    struct rf_str detail; /* IMAGE: "low", "high", "auto" or "original" */
    int64_t size_bytes;
    int64_t width, height;        /* IMAGE, VIDEO */
    int64_t page_count;           /* DOCUMENT */
    int64_t page_range[2];        /* DOCUMENT: first and past the last, from 0; 0, 0: all */
    int64_t duration_ms;          /* AUDIO, VIDEO */
    struct rf_str extracted_text; /* DOCUMENT */
    struct rf_str transcript;     /* AUDIO */
};

/* What a model thought. The fields but the first are a provider's, to be given back as they
 * came. */
struct rf_thinking {
    size_t size; /* sizeof(struct rf_thinking) */
    struct rf_str text, signature, redacted, id, encrypted;
    struct rf_str field; /* the member of a chat message that it came in; empty elsewhere */
};

/* A model's call of a tool. */
struct rf_call {
    size_t size; /* sizeof(struct rf_call) */
    struct rf_str id, name;
    struct rf_str arguments; /* a JSON object; empty: {} */
    struct rf_str signature; /* must come back with the call; or empty */
};

/* The content of a message or a result, to which blocks are added at the end. It belongs to what
 * it is the content of. */
struct rf_content;

RF_API RF_MUST enum rf_code rf_content_text(struct rf_content *c, struct rf_str text,
                                            struct rf_err *err);
RF_API RF_MUST enum rf_code rf_content_json(struct rf_content *c, struct rf_str value,
                                            struct rf_err *err);
RF_API RF_MUST enum rf_code rf_content_file(struct rf_content *c, const struct rf_file *file,
                                            struct rf_err *err);
/* These two are for what a model said. */
RF_API RF_MUST enum rf_code rf_content_thinking(struct rf_content *c, const struct rf_thinking *t,
                                                struct rf_err *err);
RF_API RF_MUST enum rf_code rf_content_call(struct rf_content *c, const struct rf_call *call,
                                            struct rf_err *err);
/* A block that only `dialect` understands, as JSON. */
RF_API RF_MUST enum rf_code rf_content_opaque(struct rf_content *c, const char *dialect,
                                              struct rf_str value, struct rf_err *err);

/* Of the block that was added last: what a model gets that cannot take it; and, of a text, one more
 * citation, a JSON object with `source`, `title`, `url`, `start`, `end` and `text`. */
RF_API RF_MUST enum rf_code rf_content_fallback(struct rf_content *c, struct rf_str text,
                                                struct rf_err *err);
RF_API RF_MUST enum rf_code rf_content_cite(struct rf_content *c, struct rf_str citation,
                                            struct rf_err *err);

/* What a tool returned. Until something else is said it succeeded, with nothing to say. */
struct rf_result;

RF_API struct rf_result *rf_result_new(void);
/* Read one in the neutral format: an object, or a string, which is its output. Fails with
 * RF_EFORMAT and RF_ELIMIT. */
RF_API RF_MUST enum rf_code rf_result_read(struct rf_str text, struct rf_result **out,
                                           struct rf_err *err);
RF_API void rf_result_free(struct rf_result *r); /* takes NULL */

/* What comes after the output, in the order in which it is added. */
RF_API struct rf_content *rf_result_content(struct rf_result *r);
/* The text that comes first. */
RF_API RF_MUST enum rf_code rf_result_output(struct rf_result *r, struct rf_str text,
                                             struct rf_err *err);
/* It failed, and why in words for the model, which may be empty. What it holds goes along. */
RF_API RF_MUST enum rf_code rf_result_fail(struct rf_result *r, struct rf_str why,
                                           struct rf_err *err);
/* The structured result besides the text, as JSON. */
RF_API RF_MUST enum rf_code rf_result_data(struct rf_result *r, struct rf_str value,
                                           struct rf_err *err);
/* One more file that the tool changed, for the person: it is never sent to a model. */
RF_API RF_MUST enum rf_code rf_result_changed(struct rf_result *r, struct rf_str path,
                                              struct rf_err *err);

/* What went wrong: its code is RF_OK where nothing did. */
RF_API const struct rf_err *rf_result_error(const struct rf_result *r);

/* How much of a result. */
enum rf_extent {
    RF_WITH_FILES,
    RF_WITHOUT_FILES, /* all but the images, documents, sounds and films */
};
/* It in the neutral format; and what a model that takes text alone would get of it: output, error,
 * data, and the text of each block, or what stands for it. Both live as long as the result. They
 * fail with RF_ELIMIT. */
RF_API RF_MUST enum rf_code rf_result_json(struct rf_result *r, enum rf_extent extent,
                                           struct rf_str *json, struct rf_err *err);
RF_API RF_MUST enum rf_code rf_result_text(struct rf_result *r, enum rf_extent extent,
                                           struct rf_str *text, struct rf_err *err);

/* A conversation is built by adding messages at its end, also to one that was read. */
RF_API struct rf_conversation *rf_conversation_new(void);
RF_API RF_MUST enum rf_code rf_conversation_system(struct rf_conversation *c, struct rf_str text,
                                                   struct rf_err *err);
/* A tool that the model may call. `schema` is a JSON object, or empty. Fails with RF_EUSAGE too
 * where there is one of that name. */
RF_API RF_MUST enum rf_code rf_conversation_tool(struct rf_conversation *c, struct rf_str name,
                                                 struct rf_str description, struct rf_str schema,
                                                 struct rf_err *err);
/* How the answer is asked for: one option, by its name. The value is JSON; an empty one takes the
 * option back. Fails with RF_EUSAGE, and nothing has changed.
 *
 *     "thinking"      {"off": true}, {"level": "low"} (or "medium", "high"), or
 *                     {"budget_tokens": 2048}; in short "off", "low" or 2048
 *     "temperature"   a number from 0 to 2
 *     "top_p"         a number from 0 to 1
 *     "max_tokens"    of the answer: a whole number above 0
 *     "stop"          a list of strings that end an answer
 *     "schema"        a JSON Schema: the answer is JSON that fits it (rf_request_check_answer)
 *
 * Each goes to every provider that has a place for it, as near as that is to what was asked. */
RF_API RF_MUST enum rf_code rf_conversation_option(struct rf_conversation *c, const char *name,
                                                   struct rf_str value, struct rf_err *err);
/* A message of a person, or of the developer of a program; and one of a model, of which provider
 * and name may be empty. Their content is to be added; it belongs to the conversation. */
RF_API RF_MUST enum rf_code rf_conversation_user(struct rf_conversation *c, enum rf_speaker speaker,
                                                 struct rf_content **out, struct rf_err *err);
RF_API RF_MUST enum rf_code rf_conversation_assistant(struct rf_conversation *c,
                                                      struct rf_str provider, struct rf_str model,
                                                      struct rf_content **out, struct rf_err *err);
/* The result of a call: a copy. The name of the tool may be empty. */
RF_API RF_MUST enum rf_code rf_conversation_result(struct rf_conversation *c, struct rf_str call_id,
                                                   struct rf_str name, const struct rf_result *r,
                                                   struct rf_err *err);

/* Reading. What is handed out belongs to the conversation, the result or the reply that was asked,
 * and is gone when that is, or when something is added to it. What a message or a block does not
 * have is empty, 0 or NULL. */
struct rf_block;
struct rf_message;

RF_API size_t rf_conversation_count(const struct rf_conversation *c);
/* NULL past the last one. */
RF_API const struct rf_message *rf_conversation_message(const struct rf_conversation *c, size_t i);
RF_API const struct rf_message *rf_result_message(const struct rf_result *r);

RF_API enum rf_role rf_message_role(const struct rf_message *m);
RF_API enum rf_speaker rf_message_speaker(const struct rf_message *m);
RF_API size_t rf_message_count(const struct rf_message *m); /* of its blocks */
RF_API const struct rf_block *rf_message_block(const struct rf_message *m, size_t i);
/* The next file after a block of the message; the first where that is NULL. */
RF_API const struct rf_block *rf_message_file(const struct rf_message *m,
                                              const struct rf_block *after);
/* Of one that a model said. */
RF_API struct rf_str rf_message_provider(const struct rf_message *m);
RF_API struct rf_str rf_message_model(const struct rf_message *m);
/* Of the result of a tool. The documents are the caller's to free: `data`, and the array of the
 * files that it changed. */
RF_API struct rf_str rf_message_call(const struct rf_message *m);
RF_API struct rf_str rf_message_tool(const struct rf_message *m);
RF_API struct rf_str rf_message_output(const struct rf_message *m);
RF_API struct rf_str rf_message_error(const struct rf_message *m);
RF_API bool rf_message_failed(const struct rf_message *m);
RF_API struct rf_jdoc *rf_message_data(const struct rf_message *m);
RF_API struct rf_jdoc *rf_message_changed(const struct rf_message *m);

RF_API enum rf_block_type rf_block_type_of(const struct rf_block *b);
RF_API struct rf_str rf_block_text(const struct rf_block *b); /* of a text, or of thinking */
RF_API struct rf_str rf_block_fallback(const struct rf_block *b);
/* "user": a tool meant it for the person alone, and no model is sent it. */
RF_API struct rf_str rf_block_audience(const struct rf_block *b);
RF_API struct rf_str rf_block_dialect(const struct rf_block *b); /* of an opaque one */
/* The value of a JSON or opaque block, the arguments of a call, the citations of a text: a document
 * that is the caller's to free. */
RF_API struct rf_jdoc *rf_block_value(const struct rf_block *b);
/* Fill a struct, of which `size` is set. They fail with RF_EUSAGE for another type of block. */
RF_API RF_MUST enum rf_code rf_block_file(const struct rf_block *b, struct rf_file *out,
                                          struct rf_err *err);
RF_API RF_MUST enum rf_code rf_block_thinking(const struct rf_block *b, struct rf_thinking *out,
                                              struct rf_err *err);
RF_API RF_MUST enum rf_code rf_block_call(const struct rf_block *b, struct rf_call *out,
                                          struct rf_err *err);

#ifdef __cplusplus
}
#endif
#endif
