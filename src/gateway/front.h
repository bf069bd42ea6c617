/* The front door: from the first line of a request to who asks for what, in whose words.
 *
 * It knows paths and headers, and no model: a name is taken as it stands. */
#ifndef RF_GATEWAY_FRONT_H
#define RF_GATEWAY_FRONT_H

#include "httpd/httpd.h"

struct rf_arena;

enum rf_operation {
    RF_OPERATION_GENERATE, /* an answer; streamed where the body says so */
    RF_OPERATION_STREAM,   /* an answer, streamed */
    RF_OPERATION_COUNT,    /* the tokens of a request */
    RF_OPERATION_LIST,     /* the models */
    RF_OPERATION_DESCRIBE, /* one model */
    RF_OPERATION_ALIVE,
    RF_OPERATION_READY,
};

struct rf_front {
    int status;          /* 0: it is served; else why not: 404, 405 */
    const char *allowed; /* 405: the method that is */
    const char *dialect; /* of the client, also where it is not served */
    enum rf_operation operation;
    struct rf_str model; /* that the path names; empty: the body does */
    bool as_list; /* Gemini's stream without alt=sse is a JSON array of its messages: one of it */
};

/* What is asked; the strings live in `a`. */
void rf_front_find(const struct rf_httpd_request *r, struct rf_arena *a, struct rf_front *out);

/* Does it come from this machine, and not from a page in a browser, which would use the gateway's
 * keys behind a person's back? NULL, or what is wrong. `address` is where the server listens. */
const char *rf_front_stranger(const struct rf_httpd_request *r, const char *address);

#endif
