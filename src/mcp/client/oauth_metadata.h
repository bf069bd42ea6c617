/* What a server of MCP says about who may allow its use (RFC 9728), and what that authorization
 * server says about itself (RFC 8414, OpenID Connect Discovery); and the calls that OAuth is made
 * of. */
#ifndef RF_MCP_CLIENT_OAUTH_METADATA_H
#define RF_MCP_CLIENT_OAUTH_METADATA_H

#include "base/error.h"
#include "base/json_read.h"
#include "base/str.h"
#include "net/net.h"
#include "net/reach.h"

struct rf_arena;

/* How calls are made here. */
struct rf_oauth_web {
    struct rf_net *net;
    struct rf_arena *arena;
    int stop_fd;
    bool plain_proxy;
    bool plain;           /* addresses without TLS are fine, since the server has none itself */
    enum rf_ring ring;    /* no address that is nearer is connected to, but: */
    struct rf_str issuer; /* whose addresses may be anywhere, since a person named it; or empty */
};

struct rf_oauth_answer {
    int status;
    const struct rf_jval *json; /* an object; NULL where it is anything else */
};

/* GET, or POST where there is a body. An answer of any status is one. Fails as rf_net_call does,
 * and with RF_EPERMISSION where the address may not be used. */
RF_MUST enum rf_code rf_oauth_ask(const struct rf_oauth_web *w, const char *url,
                                  const struct rf_header *headers, size_t count,
                                  const struct rf_rope *body, struct rf_oauth_answer *out,
                                  struct rf_err *err);

/* May this be asked, or opened in a browser? Fails with RF_EPERMISSION. */
RF_MUST enum rf_code rf_oauth_may_use(const struct rf_oauth_web *w, struct rf_str url,
                                      struct rf_err *err);

struct rf_oauth_metadata {
    struct rf_str resource; /* the server's name for itself, as it says it */
    bool guessed;           /* it says nothing of itself: what follows is of the same address */
    struct rf_str scopes;   /* that it knows of, with spaces between them; or empty */
    /* The authorization server. */
    struct rf_str issuer, authorization, token;
    struct rf_str registration;    /* or empty: nobody can register by himself */
    bool offline_access;           /* is a scope there */
    bool takes_documents;          /* an id may be the address of a document */
    bool says_issuer;              /* in what a browser comes back with */
    const struct rf_jval *methods; /* that a client may prove itself by; or NULL */
};

/* `named`: where the challenge says that the description is; or empty. `issuer`: the only one that
 * will do; or empty. Fails with RF_EPROVIDER where there is none that can be used, RF_EPERMISSION
 * where it is one of another server, or names another issuer. */
RF_MUST enum rf_code rf_oauth_describe(const struct rf_oauth_web *w, struct rf_str server,
                                       struct rf_str named, struct rf_str issuer,
                                       struct rf_oauth_metadata *out, struct rf_err *err);

/* The host of an address, with its port. */
struct rf_str rf_oauth_host(struct rf_str url);

/* Is `resource` the name of this server, or of a folder that it is in? */
bool rf_oauth_is_resource(struct rf_str resource, struct rf_str server);

/* Is this text in a list of JSON? */
bool rf_oauth_lists(const struct rf_jval *list, const char *text);

#endif
