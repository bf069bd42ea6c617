/* An answer of HTTP/1.1 (RFC 9112), read as its bytes come. No I/O, and no memory but for the part
 * of a line whose end has not come yet.
 *
 *     rf_http1_init(&h, RF_HTTP1_WHOLE);
 *     while ((item = rf_http1_next(&h, &input, &said)) != RF_HTTP1_MORE) …
 *     rf_http1_release(&h);
 *
 * Lines may end in a line feed alone. Refused are: a length beside chunks, two lengths that differ,
 * codings other than chunked, headers over several lines, lines over 64 KiB, and a change to
 * another protocol.
 */
#ifndef RF_NET_HTTP1_H
#define RF_NET_HTTP1_H

#include "base/str.h"

enum rf_http1_item {
    RF_HTTP1_MORE,   /* all of the input was used */
    RF_HTTP1_STATUS, /* an answer begins; one below 200 announces another */
    RF_HTTP1_HEADER, /* of the head, or after the last chunk */
    RF_HTTP1_BYTES,  /* of the body */
    RF_HTTP1_END,    /* of the answer; what is left of the input does not belong to it */
    RF_HTTP1_BROKEN, /* `why` says it; so does every further call */
};

enum rf_http1_part {
    RF_HTTP1_WHOLE,
    RF_HTTP1_HEAD_ONLY, /* the request was HEAD: no body follows, whatever the head says */
};

enum rf_http1_state {
    RF_HTTP1_IN_STATUS,
    RF_HTTP1_IN_HEAD,
    RF_HTTP1_IN_BODY,       /* of a known length */
    RF_HTTP1_IN_REST,       /* the body ends with the connection */
    RF_HTTP1_IN_CHUNK_SIZE, /* the line before a chunk */
    RF_HTTP1_IN_CHUNK,
    RF_HTTP1_IN_CHUNK_END, /* the line feed after it */
    RF_HTTP1_IN_TRAILER,
    RF_HTTP1_AT_END,
    RF_HTTP1_AT_FAULT,
};

struct rf_http1 {
    enum rf_http1_state state;
    enum rf_http1_part part;
    int status;      /* of the answer that is being read; 0: none has come */
    bool old;        /* HTTP/1.0 */
    bool closes;     /* the server will close the connection */
    bool has_length; /* it was said */
    bool chunked;
    uint64_t left; /* of the body, or of the chunk */
    char *line;    /* the start of a line */
    size_t line_n, line_cap;
    const char *why; /* it is broken */
};

/* Valid until the next call. */
struct rf_http1_said {
    struct rf_str name, value; /* HEADER; without white space around them */
    struct rf_str bytes;       /* BYTES */
};

void rf_http1_init(struct rf_http1 *h, enum rf_http1_part part);
void rf_http1_release(struct rf_http1 *h);

/* Take the next item off the front of `input`. */
enum rf_http1_item rf_http1_next(struct rf_http1 *h, struct rf_str *input,
                                 struct rf_http1_said *out);
/* The connection was closed: is that the END, or is the answer BROKEN? */
enum rf_http1_item rf_http1_close(struct rf_http1 *h);
/* After the END: can the connection take another request? */
bool rf_http1_keeps(const struct rf_http1 *h);

#endif
