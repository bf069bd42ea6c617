/* A model's reply, whole or as it streams in.
 *
 *     d = rf_decode_stream(model);
 *     while ((n = read(fd, buf, sizeof buf)) > 0)
 *         if (rf_decode_feed(d, (struct rf_str){ buf, n }, &err)) …
 *     if (rf_decode_finish(d, &json, &err)) …
 *     rf_decode_free(d);
 */
#ifndef REFRACT_REPLY_H
#define REFRACT_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/error.h>
#include <refract/model.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why a model stopped. */
enum rf_stop {
    RF_STOP_UNKNOWN,
    RF_STOP_END,       /* "end": it was done */
    RF_STOP_TOOL,      /* "tool_calls": it wants tools */
    RF_STOP_LENGTH,    /* "length": the output limit or the window */
    RF_STOP_SEQUENCE,  /* "stop_sequence" */
    RF_STOP_REFUSED,   /* "refusal": it, or a filter, refused */
    RF_STOP_PAUSED,    /* "paused": it wants to go on in another request */
    RF_STOP_MALFORMED, /* "malformed": it wrote a call that cannot be read */
    RF_STOP_ERROR,     /* "error": the provider failed on the way */
};
RF_API const char *rf_stop_name(enum rf_stop s);

/* What kind of refusal or failure a provider reported. */
enum rf_error_kind {
    RF_ERROR_NONE,
    RF_ERROR_AUTHENTICATION,
    RF_ERROR_PERMISSION,
    RF_ERROR_RATE_LIMIT,
    RF_ERROR_OVERLOADED,
    RF_ERROR_CONTEXT_TOO_LONG,
    RF_ERROR_TOO_LARGE,
    RF_ERROR_BAD_MEDIA,
    RF_ERROR_UNSUPPORTED,
    RF_ERROR_NOT_FOUND,
    RF_ERROR_OTHER,
};
RF_API const char *rf_error_kind_name(enum rf_error_kind k);

/* Tokens; -1 is not told. */
struct rf_usage {
    size_t size;         /* of this struct */
    int64_t input;       /* all that was read, cached or not */
    int64_t output;      /* all that was written, thoughts included */
    int64_t cached;      /* of the input: read from a cache */
    int64_t cache_write; /* of the input: written to a cache */
    int64_t reasoning;   /* of the output: thoughts */
    int64_t input_image, input_audio, input_video, input_document, input_text;
    int64_t output_image, output_audio, output_text;
    int64_t cache_write_hour; /* of those written to a cache: for an hour, not for minutes */
};

/* Everything that a stream can say. A reply is BEGIN, its blocks, each from its START to its END,
 * and after them STOP or ERROR, or neither where it was cut off; USAGE may come at any time and
 * more than once, the last one counts; DONE is the end of it. Blocks that a provider sends at the
 * same time come at the same time. What it adds to a block after its end comes with DONE. */
enum rf_event_type {
    RF_EVENT_BEGIN,       /* `id` of the reply, `name` of the model, as far as they are told */
    RF_EVENT_BLOCK_START, /* `id` and `name`: of a call and the tool that it calls; `name` of a
                           * thought: the member of a chat message that it came in, if any;
                           * `done`: the block as far as it is known by now, or NULL */
    RF_EVENT_TEXT,        /* a piece: `text`; also of what is said in a sound */
    RF_EVENT_THINKING,    /* a piece */
    RF_EVENT_ARGUMENTS,   /* a piece of a call's arguments, as JSON text */
    RF_EVENT_SIGNATURE,   /* a piece of what a thought or a call must come back with */
    RF_EVENT_CITATION,    /* one citation of a text, as the neutral format spells it: JSON */
    RF_EVENT_MEDIA,       /* a file that the model made: a piece of base64, or `url`; `name` is its
                           * media type where that is known */
    RF_EVENT_BLOCK_END,   /* `done`: the block as it is now */
    RF_EVENT_USAGE,       /* `usage` */
    RF_EVENT_STOP,        /* `stop`; `text`: the provider's own word for it */
    RF_EVENT_ERROR,       /* `error`, `text`: the words, `id`: the provider's own name for it */
    RF_EVENT_DONE,        /* `reply`: all of it, with what only the end tells */
};

RF_API const char *rf_event_name(enum rf_event_type type); /* "begin", "block_start", … */

struct rf_block;
struct rf_message;

/* What does not belong to the type is empty, 0 or NULL; what is pointed to lives until the call
 * returns. */
struct rf_event {
    size_t size; /* of this struct, as whoever fills it in knows it */
    enum rf_event_type type;
    size_t block;     /* which block, in the order in which they were opened */
    const char *kind; /* of that block: "text", "thinking", "tool_call", "image", …, "opaque" */
    struct rf_str text, id, name, url;
    const struct rf_usage *usage;
    enum rf_stop stop;
    enum rf_error_kind error;
    int64_t retry_after_ms; /* ERROR; -1: not told */
    const struct rf_block *done;
    const struct rf_message *reply;
};

struct rf_decode;

/* Read what `model` sends: one response body, or a stream of messages as it comes over the wire.
 * The model must outlive it. */
RF_API struct rf_decode *rf_decode_response(const struct rf_model *m);
RF_API struct rf_decode *rf_decode_stream(const struct rf_model *m);
RF_API void rf_decode_free(struct rf_decode *d); /* takes NULL */

/* Be told of each event while a stream comes in; what it points to lives until the call returns.
 * False stops: no more events come, and feeding and finishing fail with RF_EINTERRUPTED. */
RF_API void rf_decode_listen(struct rf_decode *d,
                             bool (*on_event)(void *ctx, const struct rf_event *e), void *ctx);

/* The next bytes, cut anywhere. Fails with RF_EFORMAT where they are not what this API sends, and
 * with RF_ELIMIT; what had come before stays. */
RF_API RF_MUST enum rf_code rf_decode_feed(struct rf_decode *d, struct rf_str bytes,
                                           struct rf_err *err);

/* All has come: the reply as a neutral assistant message with `usage` and `stop_reason`. The text
 * lives as long as `d`. A stream that ended early, a refusal and a failure fail with RF_EFORMAT or
 * RF_EPROVIDER, and `json` holds what had come all the same. */
RF_API RF_MUST enum rf_code rf_decode_finish(struct rf_decode *d, struct rf_str *json,
                                             struct rf_err *err);

#ifdef __cplusplus
}
#endif
#endif
