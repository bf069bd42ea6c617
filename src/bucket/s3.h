/* One bucket and the calls to it: signed, tried again, their refusals in plain words.
 *
 *     rc = rf_s3_call(s3, &(struct rf_s3_ask){ .method = "HEAD", .key = key }, a, &answer, err);
 *
 * Again means: a connection that broke, 5xx, 429 and what servers call by other names (SlowDown),
 * TRIES times, after what the server says or a growing time with jitter. Every call here may be
 * made twice. A region that the server names is used from then on; keys that have expired are looked
 * for again. */
#ifndef RF_BUCKET_S3_H
#define RF_BUCKET_S3_H

#include "bucket/place.h"
#include "net/net.h"

#include <stdint.h>

struct rf_aws_keys;

struct rf_s3 {
    struct rf_arena *arena; /* of it, and of what the environment says */
    struct rf_bucket_place place;
    const struct rf_aws_keys *keys; /* NULL: not looked for yet */
    struct rf_net *net;             /* NULL: nothing was asked yet */
};

RF_MUST enum rf_code rf_s3_open(const char *address, struct rf_s3 **out, struct rf_err *err);
void rf_s3_free(struct rf_s3 *s); /* takes NULL */

struct rf_s3_ask {
    const char *method;
    struct rf_str key, query; /* query: encoded */
    struct rf_str body;       /* of PUT and POST */
    const char *body_hash;    /* in hex; NULL: it is made here */
    const char *type;         /* of the body, or NULL */
    bool may_lack;            /* a server that does not know how (501) has nothing: 404 */
    const struct rf_header *headers;
    size_t header_count;
};

struct rf_s3_answer {
    int status;         /* 2xx or 404 */
    struct rf_str body; /* unless it is read piece by piece */
    int64_t length;     /* that its head says; -1: nothing */
    struct rf_str etag;
};

/* Ask, and again where that helps. A 404 is an answer, unless it is the bucket that is missing. The
 * strings of `out` live in `a`. */
RF_MUST enum rf_code rf_s3_call(struct rf_s3 *s, const struct rf_s3_ask *ask, struct rf_arena *a,
                                struct rf_s3_answer *out, struct rf_err *err);

/* An object that is read piece by piece: what the reader has no time for waits with the server. */
struct rf_s3_object;
/* `*out` is NULL where there is none. */
RF_MUST enum rf_code rf_s3_object_open(struct rf_s3 *s, struct rf_str key,
                                       struct rf_s3_object **out, struct rf_err *err);
uint64_t rf_s3_object_size(const struct rf_s3_object *o);
/* Up to `n` bytes; `*got` is 0 at the end only. RF_EIO where the connection breaks. */
RF_MUST enum rf_code rf_s3_object_read(struct rf_s3_object *o, void *buf, size_t n, size_t *got,
                                       struct rf_err *err);
void rf_s3_object_close(struct rf_s3_object *o); /* takes NULL */

#define RF_S3_TRIES 5
/* Sleep before the next try, after so many of them; `asked_ms` is what the server wants, or -1. */
void rf_s3_rest(int tries, int64_t asked_ms);

#endif
