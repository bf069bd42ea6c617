/* A call to a model up to where it is sent: where it goes, and with which headers. What takes its
 * time on the way (a command that prints the key, a token that is asked for, the hash of a long
 * body) is waited for in the loop of the net.
 *
 *     key ──▶ endpoint ──▶ proof ──▶ headers ──▶ ready
 *      ▲                     ▲──────────────────── rf_prepare_again
 *      └──────────────────────────────────────── the same, after rf_prepare_renew
 */
#ifndef RF_NET_PREPARE_H
#define RF_NET_PREPARE_H

#include "base/loop.h"
#include "net/endpoint.h"
#include "net/errand.h"

enum rf_prepare_state {
    RF_PREPARE_KEY,
    RF_PREPARE_ENDPOINT,
    RF_PREPARE_PROOF,
    RF_PREPARE_HEADERS,
    RF_PREPARE_READY,
};

struct rf_preparing {
    /* The caller's; all of it has to stay. */
    struct rf_net *net;
    const struct rf_config *config; /* or NULL */
    const struct rf_model *model;
    const struct rf_rope *body;
    bool stream;
    size_t key;                   /* which of the configured ones */
    const struct rf_header *more; /* sent along where the endpoint has none of that name */
    size_t more_count;
    /* Another path that is asked for; without either, the model is. */
    const char *list;               /* of a list of models; or NULL */
    const struct rf_api_path *path; /* or NULL */
    struct rf_str query;            /* for the address of the model, with its '?'; or empty */
    bool keeps_tokens;       /* given for an account, in the cache folder; else in memory alone */
    struct rf_arena *arena;  /* that the endpoint lives in */
    void (*wake)(void *ctx); /* go on now; or NULL */
    void *ctx;

    struct rf_endpoint endpoint; /* from PROOF on */
    struct rf_header *headers;   /* when it is READY, in the scratch arena */
    size_t header_count;

    enum rf_prepare_state state;
    struct rf_waiter waiter;
    struct rf_str printed; /* by the command */
    bool recalled;         /* that was for an earlier call */
    bool renewed;          /* since it was refused, it was asked for once more */
    enum rf_code failed;   /* what was waited for did not come; `err` says why */
    struct rf_err *err;
    struct rf_sha256 *hash; /* of the body, as far as it was read; or NULL */
    struct rf_rope_reader reader;
    char body_hash[65]; /* or empty */
    struct rf_timer timer;
};

/* Go on as far as it goes without waiting; `*ready` says whether that was to the end. Fails as
 * rf_endpoint_find, rf_endpoint_sign and those who fetch keys do. */
RF_MUST enum rf_code rf_prepare(struct rf_preparing *p, struct rf_arena *scratch, bool *ready,
                                struct rf_err *err);
/* The same to the end, blocking. */
RF_MUST enum rf_code rf_prepare_now(struct rf_preparing *p, struct rf_arena *scratch,
                                    struct rf_err *err);
/* For a further call: the headers were made for one. */
void rf_prepare_again(struct rf_preparing *p);
/* Its key was refused. Where a command had printed that for an earlier call, the further call has a
 * new one printed, once: true. */
bool rf_prepare_renew(struct rf_preparing *p);
/* Nothing more of it is wanted. */
void rf_prepare_stop(struct rf_preparing *p);

#endif
