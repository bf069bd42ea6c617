/* Where each provider is, and how it wants to be asked: rows, and nothing else. What a user
 * moved or which key is there is found out in net/endpoint.h. */
#ifndef RF_MODEL_PROVIDERS_H
#define RF_MODEL_PROVIDERS_H

#include "base/str.h"

enum rf_auth {
    RF_AUTH_NONE,
    RF_AUTH_BEARER, /* Authorization: Bearer KEY */
    RF_AUTH_HEADER, /* a header of its own that holds the key */
    RF_AUTH_AWS,    /* a signature over the whole request, or a bearer token */
    RF_AUTH_GOOGLE, /* a token that a service account is given, or a key */
};

struct rf_provider_row {
    const char *provider;
    /* Without a slash at its end. {region}, {location} and {project} are filled in; NULL: it is
     * unknown and has to be configured; "sim:" is the model in this process. */
    const char *base_url;
    /* Variables that move it, with commas between them, as its own SDK reads them; NULL: none. */
    const char *moved_by;
    /* After the base, {model} percent-encoded; `stream_path` NULL: the same. What stands in
     * [brackets] is left out where a key says already whose project it is. A base that ends as
     * the path begins ("…/v1") says that for it. */
    const char *path, *stream_path;
    enum rf_auth auth;
    const char *auth_header;     /* HEADER: its name; GOOGLE: that of a key's */
    const char *key_variables;   /* that a key may be in, the first that is set counts; or NULL */
    bool key_optional;           /* it answers without one too */
    bool host;                   /* it is given results of tools, and is never asked */
    const char *headers;         /* "name: value" lines to send along, or NULL; "$NAME" is that
                                  variable's value, and nothing is sent where it is not set */
    const char *version_header;  /* one of those that a client which speaks this API may set */
    const char *token_variables; /* GOOGLE: that an access token may be in */
    const char *service;         /* AWS: that is signed for */
    const char *region_variables, *project_variables, *location_variables;
    const char *location; /* where none is said */
    const char *places;   /* locations with their own address: LOCATION=URL, spaces between */
    /* Other variables that say which account asks, where no key does; or NULL. */
    const char *account_variables;
    /* The list of its models, as paths that are asked with GET, spaces between: the first is the
     * list, what follows adds to it and may fail. NULL: it has none, or a sibling's is the same. */
    const char *lists;
    const char *list_format; /* how they are read: wire/listing.h */
    const char *list_base;   /* where that is not at `base_url`; or NULL */
    /* Models of the vendor that are asked by another of its rows alone: patterns, spaces between. */
    const char *lacks;
};

/* The row of a provider, or of hosts of tools; or NULL. */
const struct rf_provider_row *rf_provider_row(struct rf_str provider);
/* Are they two APIs of one vendor, in one place and with one key? */
bool rf_provider_is_sibling(const struct rf_provider_row *a, const struct rf_provider_row *b);
/* Does the row lack a model that its siblings have? */
bool rf_provider_lacks(const struct rf_provider_row *row, struct rf_str model);
/* All providers, in the catalogue's order. */
extern const struct rf_provider_row rf_provider_rows[];
extern const size_t rf_provider_row_count;

#endif
