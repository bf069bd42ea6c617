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

enum rf_event_type {
    RF_EVENT_BLOCK_START,
    RF_EVENT_TEXT,
    RF_EVENT_THINKING,
    RF_EVENT_ARGUMENTS,
    RF_EVENT_BLOCK_END,
    RF_EVENT_USAGE,
    RF_EVENT_STOP,
    RF_EVENT_ERROR,
};

struct rf_event {
    enum rf_event_type type;
    size_t block;       /* which block, in the order in which they were opened */
    const char *kind;   /* BLOCK_START: "text", "thinking", "tool_call", … */
    struct rf_str text; /* the new piece; ERROR: the words */
};

struct rf_decode;

/* Read what `model` sends: one response body, or a stream of messages as it comes over the wire.
 * The model must outlive it. */
RF_API struct rf_decode *rf_decode_response(const struct rf_model *m);
RF_API struct rf_decode *rf_decode_stream(const struct rf_model *m);
RF_API void rf_decode_free(struct rf_decode *d); /* takes NULL */

/* Be told of each event while a stream comes in; what it points to lives until the call returns. */
RF_API void rf_decode_listen(struct rf_decode *d,
                             void (*on_event)(void *ctx, const struct rf_event *e), void *ctx);

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
