/* Leave to use a server from the inside: what was given and is kept (oauth.c), and one login
 * (oauth_login.c). */
#ifndef RF_MCP_CLIENT_OAUTH_INSIDE_H
#define RF_MCP_CLIENT_OAUTH_INSIDE_H

#include "mcp/client/callback.h"
#include "mcp/client/challenge.h"
#include "mcp/client/oauth.h"
#include "mcp/client/oauth_metadata.h"

#include <pthread.h>

#define RF_OAUTH_MOST_LOGINS 3 /* within a minute: the server is never content */

/* What was given, and by whom: all of it is worth nothing to another issuer. */
struct rf_oauth_grant {
    struct rf_arena *arena; /* that it lives in; NULL: there is nothing */
    struct rf_str issuer, resource, endpoint;
    struct rf_str client, secret, method; /* how we are known there, and prove it */
    struct rf_str scope;                  /* that was asked for */
    struct rf_str token, refresh;
    int64_t port;    /* of the registration; 0: it is not bound to one */
    int64_t expires; /* seconds since 1970; 0: not known */
};

struct rf_oauth {
    struct rf_arena *arena;
    struct rf_oauth_options options;
    pthread_mutex_t turn; /* held by who obtains */
    pthread_mutex_t lock; /* of what follows; never held for long */
    bool looked;          /* for what was kept */
    bool keeps;           /* what is given, for the next process */
    struct rf_oauth_grant grant;
    /* Of who obtains. */
    bool renewed; /* the token is one that replaced another, without a person */
    int64_t logins[RF_OAUTH_MOST_LOGINS];
    size_t login_count;
};

/* From now on this is what was given; `g` may point to what was before. Only who has the turn. */
void rf_oauth_replace(struct rf_oauth *o, const struct rf_oauth_grant *g);

struct rf_oauth_login {
    struct rf_oauth *o;
    const struct rf_oauth_refusal *refusal;
    const struct rf_oauth_visit *visit;
    struct rf_oauth_web web; /* its arena is ours */
    struct rf_challenge challenge;
    struct rf_oauth_metadata at;
    struct rf_oauth_grant g; /* as it is becoming */
    struct rf_callback callback;
    struct rf_str redirect, state, verifier, code;
    bool known_before; /* g.client is one that was registered earlier */
    bool visited;      /* the person went there */
};

/* A token in place of the one that has ended, without a person; false where it is not given. */
bool rf_oauth_renew(struct rf_oauth_login *l);
/* All of it: `g` is what was given then. */
RF_MUST enum rf_code rf_oauth_log_in(struct rf_oauth_login *l, struct rf_err *err);

#endif
