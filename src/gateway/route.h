/* Which models answer a request that names one, and which names there are.
 *
 * A name is, in this order: one of the configuration, PROVIDER:MODEL, what the first rule says
 * whose pattern it fits, the model of a provider that the catalogue gives such names to and that
 * a key is there for (clients name models that no list has yet), or a part of a name. Of a
 * vendor's several APIs the client's own answers such a name.
 *
 * A route has the models that may answer, each to be asked where those before it cannot. One name
 * for several models gives a conversation to one of them by weight, and to the same one as long as
 * it begins in the same way: its prompts are cached there, and its thoughts signed. */
#ifndef RF_GATEWAY_ROUTE_H
#define RF_GATEWAY_ROUTE_H

#include "base/str.h"
#include "config/config.h"
#include "gateway/setup.h"
#include "model/model.h"

struct rf_arena;
struct rf_client_key;
struct rf_conversation;
struct rf_usable;

struct rf_route {
    struct rf_str *names; /* as rf_model_open takes them */
    size_t count, cap;
    size_t at; /* the one that is asked */
};

/* What a client asks for. */
struct rf_wanted {
    struct rf_str model;
    const char *dialect;                        /* that it speaks */
    const char *provider;                       /* of a name that nothing else leads to; or NULL */
    const struct rf_client_key *key;            /* or NULL */
    const struct rf_conversation *conversation; /* or NULL */
};

/* Can all of those be asked that answer whatever is asked for? */
RF_MUST enum rf_code rf_route_check(const struct rf_setup *s, struct rf_err *err);
/* Does the gateway know who answers also where no model is named? */
bool rf_route_takes_all(const struct rf_setup *s);
/* Fails with RF_ENOTFOUND where no model is named, and it does not. */
RF_MUST enum rf_code rf_route_find(const struct rf_setup *s, const struct rf_wanted *w,
                                   struct rf_arena *a, struct rf_route *out, struct rf_err *err);
/* Open a model of a route. Fails as rf_model_open does, and where what it takes to ask it is not
 * there. */
RF_MUST enum rf_code rf_route_open(const struct rf_setup *s, struct rf_str name, struct rf_arena *a,
                                   struct rf_model **out, struct rf_err *err);
/* Models that need not be opened to judge of them: there may be thousands. */
struct rf_route_known {
    const struct rf_usable *(*find)(void *ctx, struct rf_str name); /* NULL: it has to be */
    void *ctx;
};
/* Would a request for it be answered: is a model there, and may the client's key ask and pay? */
bool rf_route_can_ask(const struct rf_setup *s, const struct rf_wanted *w,
                      const struct rf_route_known *known, struct rf_arena *a);
/* What a client is told of that: the failure, and names that would work for it. The hint is for
 * whoever keeps the gateway; where clients have no keys, that is who asks. */
struct rf_str rf_route_unknown(const struct rf_setup *s, const struct rf_wanted *w,
                               const struct rf_err *err, struct rf_arena *a);

/* The models that can be asked for, as JSON in the shape that the clients of a dialect know: all of
 * them that the client's key allows; or one, which the caller knows to be there. Of what is wanted
 * the dialect and the key count, and of one its name. They fail as rf_models_open does. */
RF_MUST enum rf_code rf_route_list(const struct rf_setup *s, const struct rf_wanted *by,
                                   struct rf_arena *a, struct rf_str *out, struct rf_err *err);
RF_MUST enum rf_code rf_route_describe(const struct rf_setup *s, const struct rf_wanted *w,
                                       struct rf_arena *a, struct rf_str *out, struct rf_err *err);

#endif
