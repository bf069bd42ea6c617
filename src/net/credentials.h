/* Keys that are more than one text: Amazon's, which sign, and Google's accounts, which are given
 * tokens. All of it lives in the arena of its endpoint. */
#ifndef RF_NET_CREDENTIALS_H
#define RF_NET_CREDENTIALS_H

#include "base/error.h"
#include "base/str.h"
#include "net/errand.h"
#include "net/net.h"

struct rf_arena;

/* Amazon. */

struct rf_aws_keys {
    struct rf_str id, secret, session; /* session: empty where they are for good */
    const char *from;                  /* for showing */
};

/* The keys of the environment, or of the profile that AWS_PROFILE names ("default" without one)
 * in ~/.aws/credentials and ~/.aws/config. `*out` is NULL where there are none. Fails with
 * RF_ECONFIG where a profile that was named is not there, or gets its keys in a way that is not
 * supported. */
RF_MUST enum rf_code rf_aws_keys_find(struct rf_arena *a, struct rf_aws_keys **out,
                                      struct rf_err *err);
/* The region of that profile; empty where none is said. */
struct rf_str rf_aws_profile_region(struct rf_arena *a);

/* What a signature is made over. */
struct rf_aws_request {
    const char *method, *url, *service;
    struct rf_str region;
    const struct rf_header *headers; /* all of them are signed */
    size_t header_count;
    const char *payload_hash; /* hex */
    int64_t time;             /* seconds since 1970 */
};

/* The headers to send beside those that were given: x-amz-date, x-amz-security-token where there
 * is a session, authorization. */
RF_MUST enum rf_code rf_aws_sign(const struct rf_aws_keys *k, const struct rf_aws_request *r,
                                 struct rf_arena *a, struct rf_header out[3], size_t *count,
                                 struct rf_err *err);

/* Google. */

enum rf_google_kind {
    RF_GOOGLE_SERVICE, /* a service account, which signs for itself */
    RF_GOOGLE_USER,    /* a person who logged in with gcloud */
};

struct rf_google_account {
    struct rf_arena *arena; /* that it lives in */
    enum rf_google_kind kind;
    const char *from;                      /* for showing */
    struct rf_str project;                 /* or empty */
    struct rf_str email, key_id;           /* SERVICE */
    struct rf_str private_key;             /* SERVICE: PEM */
    struct rf_str client, secret, refresh; /* USER */
    struct rf_str token_uri;
    struct rf_str token; /* the last that was given, so that it can be redacted */
    bool keeps_tokens;   /* in the cache folder, for the next process; else in memory alone */
};

enum rf_google_place {
    RF_GOOGLE_NAMED,   /* by GOOGLE_APPLICATION_CREDENTIALS */
    RF_GOOGLE_DEFAULT, /* what gcloud keeps */
};
/* The account of that place; `*out` is NULL where there is none. Fails with RF_ECONFIG where it
 * cannot be used. */
RF_MUST enum rf_code rf_google_account_find(enum rf_google_place place, struct rf_arena *a,
                                            struct rf_google_account **out, struct rf_err *err);

/* A token that is good for some minutes at least, where one was kept; else `*token` is empty. Fails
 * with RF_EINTERNAL where libcrypto is not there. */
RF_MUST enum rf_code rf_google_token_recall(const struct rf_google_account *g, struct rf_arena *a,
                                            struct rf_str *token, struct rf_err *err);
/* Ask for a new one, unless somebody does already, and have the waiter told. Fails, here or there,
 * with RF_EPROVIDER where the server gives none, RF_ECONFIG where the account is not a good one. */
RF_MUST enum rf_code rf_google_token_start(struct rf_net *n, const struct rf_google_account *g,
                                           struct rf_waiter *w, struct rf_err *err);

#endif
