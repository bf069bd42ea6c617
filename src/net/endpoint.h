/* Where a model's requests go, and with which key: the provider's row, what the configuration
 * and the environment say against it, and the key from where it is. Keys are never printed,
 * logged or stored: what holds one is marked secret, and rf_redact takes it out of any text. */
#ifndef RF_NET_ENDPOINT_H
#define RF_NET_ENDPOINT_H

#include "base/secrets.h"
#include "config/config.h"
#include "model/model.h"
#include "model/providers.h"
#include "net/key_command.h"
#include "net/net.h"

struct rf_aws_keys;
struct rf_google_account;
struct rf_refusal;

struct rf_endpoint {
    const struct rf_provider_row *row;
    enum rf_auth auth;    /* of this one: GOOGLE with a key is HEADER, AWS with a token is BEARER */
    const char *method;   /* NULL: POST */
    const char *url;      /* whole, for this model; NULL: in this process (the simulator) */
    const char *base;     /* the part of it that can be moved, for showing */
    struct rf_str key;    /* or empty */
    const char *key_from; /* where it was found, for showing: "ANTHROPIC_API_KEY", …; or NULL */
    struct rf_header *headers; /* without authentication */
    size_t header_count;
    struct rf_str *header_secrets; /* values of them that came out of variables */
    size_t header_secret_count, header_secret_cap;
    struct rf_str *other_keys; /* of the same provider, as far as they are known: they are secret */
    size_t other_key_count, other_key_cap;
    bool plain_proxy;     /* nothing of it is secret, or the configuration lets a proxy read it */
    bool lasting;         /* the same as long as environment and configuration are */
    struct rf_str region; /* AWS: that is signed for */
    struct rf_aws_keys *aws;          /* AWS: to sign with; or NULL */
    struct rf_google_account *google; /* GOOGLE: that a token is asked for; or NULL */
};

/* The command that prints that key of the model's provider, of the configured ones; without
 * arguments: there is none. */
struct rf_key_command rf_endpoint_command(const struct rf_config *c, const struct rf_model *m,
                                          size_t key);

/* Which of the configured keys, and what its command printed. */
struct rf_key_choice {
    size_t index;
    struct rf_str printed;
};

/* Fails with RF_ECONFIG where no address or no key is
 * known, and says which variable to set and that `-m offline` needs none; and where a key would go
 * through a proxy in clear. */
RF_MUST enum rf_code rf_endpoint_find(const struct rf_config *c, const struct rf_model *m,
                                      bool stream, struct rf_key_choice key, struct rf_arena *a,
                                      struct rf_endpoint *out, struct rf_err *err);

/* The same for the list of the provider's models, at `path`, which is one of row->lists. */
RF_MUST enum rf_code rf_endpoint_find_list(const struct rf_config *c, const struct rf_model *m,
                                           const char *path, struct rf_key_choice key,
                                           struct rf_arena *a, struct rf_endpoint *out,
                                           struct rf_err *err);

/* Another path of a provider's API than the one that its models answer at. */
struct rf_api_path {
    const char *method;
    const char *root;           /* what its paths begin with there: a template, as in the row */
    struct rf_str rest;         /* comes after it as it is: nothing in it leads out of the root */
    struct rf_str content_type; /* of the body; empty: JSON */
};

/* The same for another path. */
RF_MUST enum rf_code rf_endpoint_find_path(const struct rf_config *c, const struct rf_model *m,
                                           const struct rf_api_path *path, struct rf_key_choice key,
                                           struct rf_arena *a, struct rf_endpoint *out,
                                           struct rf_err *err);

/* The same without finding anything out: is what a call needs there? No command is run. */
RF_MUST enum rf_code rf_endpoint_check(const struct rf_config *c, const struct rf_model *m,
                                       struct rf_arena *a, struct rf_err *err);

/* The headers of one call, authentication included: a key, a signature over the body, or a token.
 * `body_hash` is its SHA-256 in hex, which AWS wants; the token is e->google's. */
RF_MUST enum rf_code rf_endpoint_sign(const struct rf_endpoint *e, const char *body_hash,
                                      struct rf_arena *a, struct rf_header **headers, size_t *count,
                                      struct rf_err *err);

/* What is known of a provider's key and address, for showing. No command is run and nothing is
 * fetched. */
struct rf_endpoint_status {
    const char *provider;
    bool found;           /* a key is there, or none is needed */
    const char *key_from; /* where it is: "ANTHROPIC_API_KEY", "profile default", …; or NULL */
    const char *base;     /* address, or NULL: unknown; "sim:" for the one in this process */
    bool plain_proxy;     /* as in struct rf_endpoint */
    const char *hint;     /* what to do where something is missing; "" otherwise */
};
/* Providers by index, as rf_provider_name has them. */
void rf_endpoint_status(const struct rf_config *c, size_t provider, struct rf_arena *a,
                        struct rf_endpoint_status *out);

/* All that this endpoint is asked with and must not be seen. */
void rf_endpoint_secrets(const struct rf_endpoint *e, struct rf_arena *a, struct rf_secrets *out);

/* The text without anything that looks like a key: known ones, and the usual shapes of others.
 * `e` may be NULL. */
struct rf_str rf_redact(const struct rf_endpoint *e, struct rf_str text, struct rf_arena *a);
/* The same of what a server said; all its strings are in `a` then. */
void rf_redact_refusal(const struct rf_endpoint *e, struct rf_arena *a, struct rf_refusal *r);
/* The same of an error's message. */
void rf_redact_error(const struct rf_endpoint *e, struct rf_arena *a, struct rf_err *err);

#endif
