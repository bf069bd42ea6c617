/* An exchange whose reply is wanted as it came, besides what was decoded of it: for a gateway whose
 * client speaks the API of the model. Of all bytes that are handed out here our own keys were taken
 * out. */
#ifndef RF_SEND_RAW_H
#define RF_SEND_RAW_H

#include "net/endpoint.h"

#include <refract/send.h>

struct rf_send_raw {
    /* Of the client, to be sent along where the endpoint has none of that name. They must stay. */
    const struct rf_header *headers;
    size_t header_count;
    struct rf_str query; /* for the model's own address, with its '?'; or empty. It must stay. */
    /* Bytes of a streamed answer with status 200, after the events in them were told of; or NULL.
     * What cannot be decoded does not end the exchange then. False stops. */
    bool (*bytes)(void *ctx, struct rf_str bytes);
    /* That is asked instead of the model, with the request's body. Nothing of an answer is decoded,
     * and all of it goes to `bytes`. It must stay. NULL: the model is asked. */
    const struct rf_api_path *path;
    /* Nobody asks for the message: a stream takes no memory of its words. */
    bool forgets;
};

/* As rf_send_start; `raw` is copied. */
struct rf_send *rf_send_start_raw(struct rf_network *n, const struct rf_send_options *what,
                                  const struct rf_send_raw *raw);

/* End it as though what `why` says had happened on the way, now: what its callbacks are told of last.
 * Nothing happens where it has ended. Not in a callback. */
void rf_send_break(struct rf_send *s, const struct rf_err *why);

/* What came, while it comes and then; the strings live as long as `s`. */

struct rf_str rf_send_content_type(const struct rf_send *s);     /* may be empty */
struct rf_str rf_send_content_encoding(const struct rf_send *s); /* empty: as it is */
/* All of an answer that was not streamed. */
struct rf_str rf_send_body(struct rf_send *s);
/* Has what came by now told of an error? An event says so at the end. */
bool rf_send_is_error(const struct rf_send *s);
/* May some of the request have reached the server? Known when it has ended, or was cancelled. */
bool rf_send_reached(const struct rf_send *s);
/* Did it break off, so that its last event is an error that the provider did not tell of? */
bool rf_send_broke(const struct rf_send *s);

#endif
