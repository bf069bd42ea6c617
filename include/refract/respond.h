/* Replies in the words of an API: for whoever answers requests that somebody wrote for it.
 *
 *     struct rf_respond_options o = { .size = sizeof o, .dialect = "anthropic", .stream = true };
 *     if (rf_respond_new(&o, &r, &err)) …
 *     rf_decode_listen(d, on_event, r); // on_event: rf_respond_event(r, e, &err), send the bytes
 *     …
 *     rf_respond_free(r);
 *
 * Events come from a decoder (refract/reply.h) of any other API, or are made by hand. Any sequence
 * of them gives a valid stream: what is not closed is closed at the end, and blocks that come at
 * the same time are written one after the other. What comes after the end of its block, or only
 * with the reply of DONE, is written where the API has a place for it then. What the API cannot say
 * is told (rf_respond_lost): words stand for a file, the rest is left out. */
#ifndef REFRACT_RESPOND_H
#define REFRACT_RESPOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/config.h>
#include <refract/error.h>
#include <refract/model.h>
#include <refract/reply.h>
#include <refract/request.h>
#include <refract/str.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_respond;

struct rf_respond_options {
    size_t size;         /* of this struct */
    const char *dialect; /* "anthropic", …; those that rf_conversation_import takes */
    const char *model;   /* to be named in the reply; NULL: the one that the reply names */
    bool stream;         /* events as they come; else one body at the end */
    /* Where the events come from, or NULL: what a reply kept of its own API goes back to that
     * API only. */
    const struct rf_model *from;
    const struct rf_config *config; /* that knows the providers of messages, or NULL */
    bool own; /* the events are in this API's own words: codes of errors are written as they are */
    /* The request that is answered, or NULL; it must live as long as this is used. Tools are called
     * as its client calls its kinds of tools. Events have the names that its conversation has for
     * them, as those of rf_send do; those of a decoder of one's own: rf_request_tool. */
    const struct rf_request *request;
    int status; /* of HTTP, that an error is sent with; 0: what its kind has in this API */
    const char *request_id; /* for an API whose errors name the request; NULL: it has no name */
};

/* Fails with RF_EUSAGE for a dialect that does not exist. */
RF_API RF_MUST enum rf_code rf_respond_new(const struct rf_respond_options *options,
                                           struct rf_respond **out, struct rf_err *err);
RF_API void rf_respond_free(struct rf_respond *r); /* takes NULL */

/* The next event. A reply is complete with RF_EVENT_DONE; what comes after it is not heard. Fails
 * with RF_ELIMIT where the reply is too large, with RF_EUSAGE where the size of the event or of its
 * usage is not set, and with RF_EFORMAT for a text that is not UTF-8 and a citation that is not a
 * JSON object: that event is not heard. */
RF_API RF_MUST enum rf_code rf_respond_event(struct rf_respond *r, const struct rf_event *e,
                                             struct rf_err *err);
/* All events of an assistant message in the neutral format, as rf_decode_finish writes it. Fails
 * with RF_EFORMAT and the place of what is wrong. */
RF_API RF_MUST enum rf_code rf_respond_message(struct rf_respond *r, struct rf_str json,
                                               struct rf_err *err);

/* What there is to be sent since the last call; it lives until the next event. */
RF_API struct rf_str rf_respond_bytes(struct rf_respond *r);
/* The HTTP status, and the type of the content, known when the first bytes are there: 200, or that
 * of an error, which is one body whether a stream was wanted or not. */
RF_API int rf_respond_status(const struct rf_respond *r);
RF_API const char *rf_respond_content_type(const struct rf_respond *r);
/* Of an error: after how long to try again, for a header "retry-after"; -1: not told. */
RF_API int64_t rf_respond_retry_after_ms(const struct rf_respond *r);
/* What could not be said, in words: "content[1] (image): words stand for it". */
RF_API size_t rf_respond_lost_count(const struct rf_respond *r);
RF_API struct rf_str rf_respond_lost(const struct rf_respond *r, size_t i);

#ifdef __cplusplus
}
#endif
#endif
