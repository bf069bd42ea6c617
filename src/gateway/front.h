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
    RF_OPERATION_OTHER,    /* what else is below the root of a vendor's API: other.h */
    RF_OPERATION_COUNT,    /* the tokens of a request */
    RF_OPERATION_LIST,     /* the models */
    RF_OPERATION_DESCRIBE, /* one model */
    RF_OPERATION_ALIVE,
    RF_OPERATION_READY,
    RF_OPERATION_METRICS,
};

/* A path of a vendor's API that is not known here. */
struct rf_front_other {
    const char *method;
    struct rf_str whole; /* path, for messages */
    struct rf_str path;  /* below the API's root, escapes and all; it leads nowhere else */
    struct rf_str query; /* with its '?', and without a key; or empty */
    struct rf_str content_type;
};

struct rf_front {
    int status;          /* 0: it is served; else why not: 404, 405 */
    const char *allowed; /* 405: the method that is */
    const char *dialect; /* of the client, also where it is not served */
    enum rf_operation operation;
    /* That the path names; empty: the body does. An other.path is then what follows it. */
    struct rf_str model;
    struct rf_front_other other; /* RF_OPERATION_OTHER */
    /* What the query asks the model's own API for, with its '?'; or empty. No key is in it. */
    struct rf_str query;
    bool as_list; /* Gemini's stream without alt=sse is a JSON array of its messages: one of it */
};

/* What is asked; the strings live in `a`. */
void rf_front_find(const struct rf_httpd_request *r, struct rf_arena *a, struct rf_front *out);

/* The key that a client sends: as a bearer's, in the header or the query that its API has for one.
 * Where it sends several, the one that is like ours. Empty: none. */
struct rf_str rf_front_key(const struct rf_httpd_request *r, struct rf_arena *a);

/* How the server is reached. */
struct rf_front_here {
    const char *address; /* that was asked */
    bool tls;
};

/* The host and port of its Origin, or nothing where it has none. False: that is not reached as we
 * are, by HTTP or by HTTPS. */
bool rf_front_origin(const struct rf_httpd_request *r, const struct rf_front_here *here,
                     struct rf_str *out);

/* Does it come from this machine, and not from a page in a browser, which would use the gateway's
 * keys without a person's knowledge? NULL, or what is wrong. This is for a gateway that asks for no
 * keys: where it does, a page does not have one. */
const char *rf_front_stranger(const struct rf_httpd_request *r, const struct rf_front_here *here);

#endif
