/* A request to its model: address, key, sending, and again where that is safe.
 *
 * Again means: a connection that could not be made, 429, 503, 529 and the like, at most
 * `most_tries` times, after what the server says (retry-after) or a growing time with jitter;
 * and a key that was refused (401), where a command printed it some time ago and prints another now;
 * never once a byte of an answer with status 200 has been handed on. What a refusal says is decoded
 * by the caller's `refusal`. */
#ifndef RF_NET_SEND_H
#define RF_NET_SEND_H

#include "content/refusal.h"
#include "net/endpoint.h"

#define RF_SEND_TRIES 5
#define RF_SEND_GIVE_UP_MS (5 * 60 * 1000) /* no further try after so long */

struct rf_sending {
    const struct rf_config *config;
    const struct rf_model *model;
    const struct rf_rope *body;
    bool stream;
    const struct rf_api_path *path; /* that is asked instead of the model; or NULL */
    struct rf_str query;            /* that the model is asked with, with its '?'; or empty */
    /* Sent along where the endpoint has none of that name. */
    const struct rf_header *headers;
    size_t header_count;
    bool keeps_tokens;  /* given for an account, in the cache folder; else in memory alone */
    int cancel_fd;      /* of rf_net_send: as in struct rf_net_call */
    int64_t give_up_ms; /* no further try after so long; 0: RF_SEND_GIVE_UP_MS */
    int most_tries;     /* 0: RF_SEND_TRIES */
    size_t key;         /* which of those that the configuration has for the provider */
    int64_t first_byte_ms, idle_ms;                /* as in struct rf_net_call */
    bool (*bytes)(void *ctx, struct rf_str bytes); /* of an answer: rf_sent_is_answer */
    /* Decode the body of a reply with another status: rf_wire_refusal. */
    void (*refusal)(const struct rf_model *m, int status, struct rf_str body, struct rf_arena *a,
                    struct rf_refusal *out);
    /* A further try comes after `ms`; may be NULL. */
    void (*waits)(void *ctx, int status, int64_t ms, struct rf_str why);
    void *ctx;
    /* Of rf_net_send_start: it has ended, and is gone. */
    void (*done)(void *done_ctx, enum rf_code rc, const struct rf_err *err);
    void *done_ctx;
    struct rf_secrets
        *secrets; /* set, before the first bytes, to what must not come back; or NULL */
};

struct rf_sent {
    int status;                /* of an answer from its first byte on, else at the end */
    struct rf_refusal refusal; /* a reply with another status, redacted */
    struct rf_str content_type, content_encoding; /* from the first byte of an answer on */
    struct rf_str request_id;
    int tries;
    bool reached; /* some of the request may have reached the server: at the end */
    const struct rf_endpoint *endpoint; /* that was asked, for rf_redact; NULL: none */
};

/* Does a reply with this status answer? Models do so with 200 alone, other paths of an API in more
 * ways. `path` may be NULL. */
bool rf_sent_is_answer(int status, const struct rf_api_path *path);

/* By the header of that name: the bytes are not those of an answer or a refusal as they are read
 * here. */
bool rf_is_compressed(struct rf_str content_encoding);

struct rf_sender; /* a request on its way */

/* Begin; what `s` points to, `a` and `out` have to stay until it has ended. Never calls back
 * itself. s->done is told how it ended: with RF_EPROVIDER where no answer came, or it broke off,
 * and with RF_ELIMIT where it took longer than limits, answer_seconds, of the configuration; a
 * refusal is not a failure: `status` says it. `out` is filled in as far as it came, also on a
 * failure, and lives in `a`. */
struct rf_sender *rf_net_send_start(struct rf_net *net, const struct rf_sending *s,
                                    struct rf_arena *a, struct rf_sent *out);
/* End it without a word: nothing of it is called any more. `out` is filled in. May be called by any
 * callback. */
void rf_net_send_cancel(struct rf_sender *r);
/* As rf_net_pause and rf_net_resume. */
void rf_net_send_pause(struct rf_sender *r);
void rf_net_send_resume(struct rf_sender *r);

/* To its end, blocking. */
RF_MUST enum rf_code rf_net_send(struct rf_net *net, const struct rf_sending *s, struct rf_arena *a,
                                 struct rf_sent *out, struct rf_err *err);

#endif
