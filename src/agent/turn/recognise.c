/* A server that is at another one's address, and tells in its answer which program it is: its own
 * ways with that API are known. It is asked then what the model takes, once, and that counts from
 * there on. Servers that do not tell are asked nothing. */
#include "agent/agent.h"

#include "agent/turn/transport.h"
#include "base/arena.h"
#include "config/learned.h"

#include <refract/request.h>

/* Learn it for the next time too, where the server has answered. */
static void keep(struct rf_agent *a, struct rf_str server, struct rf_str words)
{
    struct rf_model *m = a->model;
    const struct rf_learned_fact f = {
        .provider = m->provider,
        .model = m->name,
        .fact = RF_STR("server"),
        .value = server,
        .date = m->described,
        .words = words,
        .address = m->address,
    };
    struct rf_err problem;
    if (a->workspace.config && rf_learned_keep(a->workspace.config, &f, m, &problem))
        rf_listener_note(&a->listener, "what was learned could not be kept: %s", problem.msg);
}

/* Did a picture go with the question? */
static bool sent_pictures(const struct rf_request *r)
{
    for (size_t i = 0; i < rf_report_count(r); i++) {
        enum rf_delivery d = rf_report_delivery(r, i);
        if (d == RF_DELIVERY_NATIVE || d == RF_DELIVERY_FALLBACK)
            return true;
    }
    return false;
}

void rf_agent_recognise(struct rf_agent *a, const struct rf_agent_reply *reply)
{
    struct rf_model *m = a->model;
    struct rf_str server = reply->message.ending->server, words = RF_STR("its answers say so");
    bool saw = m->caps.takes[RF_KIND_IMAGE];
    if (!server.n || !m->address.n || m->caps.server.n)
        return;
    if (rf_model_teach(m, RF_STR("server"), server, rf_learned_today(m->arena), words, NULL))
        RF_BUG("a server is not a fact");
    if (rf_transport_describe(a->asking.transport, a->workspace.config, m, RF_DESCRIBE_ANEW,
                              a->halt.fd, NULL) ||
        !rf_str_eq(m->asked, m->described))
        return;
    keep(a, server, words);
    bool unseen = saw && !m->caps.takes[RF_KIND_IMAGE] && sent_pictures(a->asking.last.request);
    rf_listener_note(&a->listener, "%.*s answers for %.*s:%.*s, and was asked what it takes%s",
                     RF_FMT(server), RF_FMT(m->provider), RF_FMT(m->name),
                     unseen ? ": it has not seen the pictures; ask again" : "");
}
