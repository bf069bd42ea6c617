/* Streams cut into messages: server-sent events, AWS event stream frames, JSON lines. A JSON object
 * where events were to come, which is how some servers fail, is one message.
 *
 * Bytes are fed in pieces of any size; each whole message is handed out as a name and data. What
 * is kept between two pieces is the unfinished message, within a limit. Pure: no I/O.
 *
 *     rf_framing_init(&f, RF_FRAMING_SSE);
 *     while (rf_framing_next(&f, &input, &frame, &rc, err)) …
 *     rf_framing_release(&f);
 */
#ifndef RF_WIRE_FRAMING_H
#define RF_WIRE_FRAMING_H

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

enum rf_framing_kind {
    RF_FRAMING_SSE,   /* event: NAME, data: TEXT, blank line */
    RF_FRAMING_AWS,   /* frames with two checksums; the name is the event or exception type */
    RF_FRAMING_LINES, /* one JSON value a line; no name */
};

#define RF_MAX_EVENT_ID 1024 /* one that is longer is not kept */

struct rf_framing {
    enum rf_framing_kind kind;
    char *held; /* an unfinished line or frame */
    size_t held_n, held_cap;
    char *data; /* SSE: data lines of the event so far */
    size_t data_n, data_cap;
    char name[128]; /* SSE: its event name */
    size_t name_n;
    char last_id[RF_MAX_EVENT_ID]; /* SSE: of the last event that had one, to go on after it */
    size_t last_id_n;
    int64_t retry_ms; /* SSE: when to come back after the end; -1: nothing was said */
    size_t most;      /* bytes of a message; the caller may set it lower */
    bool has_data, skip_lf, begun;
    bool bare; /* SSE: it is not a stream but a JSON object: an error, mostly */
};

/* One message. */
struct rf_frame {
    struct rf_str name; /* may be empty */
    struct rf_str data;
    bool exception;        /* AWS: the name is that of an exception or the code of an error */
    struct rf_str message; /* AWS: the words of an error, which has no data; empty otherwise */
};

void rf_framing_init(struct rf_framing *f, enum rf_framing_kind kind);
void rf_framing_release(struct rf_framing *f);

/* Take bytes from the front of `input` up to the end of the next whole message. True: `frame` holds
 * one, which lives until the next call. False: all of the input was taken, or `*rc` says what is
 * wrong: RF_EFORMAT (a checksum, a length), RF_ELIMIT (a message over `most`:
 * RF_MAX_FRAME_BYTES). */
bool rf_framing_next(struct rf_framing *f, struct rf_str *input, struct rf_frame *frame,
                     enum rf_code *rc, struct rf_err *err);

/* The stream has ended: the last message, if it only lacked its end (a line without a line feed, an
 * event without its blank line). False: nothing was left. A frame that is cut off is RF_EFORMAT. */
bool rf_framing_last(struct rf_framing *f, struct rf_frame *frame, enum rf_code *rc,
                     struct rf_err *err);

/* A message on its way out. `data` is one line of JSON. */
struct rf_outgoing {
    const char *name; /* of the event; NULL: none, which AWS frames cannot do without */
    struct rf_str data;
    bool exception; /* AWS */
};

void rf_framing_write(enum rf_framing_kind kind, const struct rf_outgoing *m, struct rf_buf *out);

#endif
