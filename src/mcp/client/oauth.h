/* Leave to use a server of MCP over HTTP, by OAuth 2.1: asked for when the server refuses a request
 * without it, and renewed when it has ended.
 *
 *     token = rf_oauth_token(o, arena);
 *     … send; where rf_oauth_asked_for(status, challenge):
 *     rf_oauth_obtain(o, &refusal, &visit, arena, &token, err); … send again
 *
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 *
 * The server names its authorization server (RFC 9728), which describes itself (RFC 8414, OpenID
 * Connect Discovery). There a person allows it in a browser, which comes back to a port of this
 * machine with a code (RFC 8252), for which the token is given (PKCE, RFC 7636; RFC 8707; RFC
 * 9207). What was given is kept for the next process where only its owner can read it.
 *
 * We register nowhere before the person agreed, and whoever the server names may not be nearer to
 * this machine than the server itself (net/reach.h), unless the person named that issuer, or a
 * proxy stands between, which has rules of its own.
 *
 * Refused are: a description that speaks for another server, an authorization server without PKCE,
 * an answer whose issuer is not the one that was asked, and addresses without TLS where the server
 * itself has it. The secret of a person goes to the issuer that it was used with first, or the one
 * that they named; another one is refused. A registration and its tokens are never shown to another
 * authorization server than the one that gave them. No message holds a token, a code or a
 * secret. */
#ifndef RF_MCP_CLIENT_OAUTH_H
#define RF_MCP_CLIENT_OAUTH_H

#include "base/error.h"
#include "base/str.h"
#include "net/reach.h"

struct rf_arena;

/* A token without a login, for hints. */
#define RF_OAUTH_HEADER "headers: {Authorization: \"Bearer ${TOKEN}\"}"

struct rf_oauth; /* of one server */

struct rf_oauth_options {
    const char *url;      /* of the server */
    struct rf_str client; /* an id that the person registered there; or empty */
    struct rf_str secret; /* that came with it; or empty */
    struct rf_str
        document; /* the address of a document that describes us, which is the id; or empty */
    struct rf_str issuer; /* who may give leave, and nobody else, wherever that is; or empty */
    uint16_t port;        /* that the browser comes back to; 0: a free one */
    bool plain_proxy;     /* as in struct rf_net_call */
    bool forgets;         /* a login is not kept; one that was is used, and renewed in its place */
};

/* All that is pointed to is copied. */
struct rf_oauth *rf_oauth_new(const struct rf_oauth_options *options);
void rf_oauth_free(struct rf_oauth *o); /* takes NULL */

/* The token to send, which has not ended as far as is known; empty where there is none. Any thread
 * may ask; it never waits for the network. */
struct rf_str rf_oauth_token(struct rf_oauth *o, struct rf_arena *a);

/* Does an answer of this status and WWW-Authenticate ask for another token? */
bool rf_oauth_asked_for(int status, struct rf_str challenge);

struct rf_oauth_refusal {
    int status;
    struct rf_str challenge; /* WWW-Authenticate; or empty */
    struct rf_str used;      /* the token of the refused request; or empty */
    enum rf_ring ring;       /* that the server is in: it may lead us no nearer */
};

/* What the person is asked; `host` is the authorization server's. Fails where they decline. */
struct rf_oauth_visit {
    /* May we register there? NULL: nobody can be asked. */
    enum rf_code (*agree)(void *ctx, struct rf_str host, struct rf_err *err);
    /* Open this address in a browser, without waiting for what comes of it. */
    enum rf_code (*open)(void *ctx, struct rf_str host, const char *url, struct rf_err *err);
    void *ctx;
    int stop_fd; /* something to be read there ends it; -1: nothing does */
};

/* A token that was not refused yet: one that somebody else got meanwhile, one that replaces what
 * has ended, or one that a person allows now, which takes as long as that; without a person only
 * what was given before is renewed, and nobody else is asked anything. Blocks; any thread may call
 * it, and several wait for the same. Fails with RF_EPERMISSION where it is not given, RF_EPROVIDER
 * where a server does not do its part, RF_ECONFIG where there is no way to register, RF_ELIMIT
 * where nobody came back in time or the server is never content, RF_EINTERRUPTED. */
RF_MUST enum rf_code rf_oauth_obtain(struct rf_oauth *o, const struct rf_oauth_refusal *refusal,
                                     const struct rf_oauth_visit *visit, struct rf_arena *a,
                                     struct rf_str *token, struct rf_err *err);

#endif
