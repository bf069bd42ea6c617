#include "net/errand.h"

#include "net/inside.h"

struct rf_errand *rf_errand_find(const struct rf_net *n, struct rf_str name)
{
    for (struct rf_errand *e = n->errands; e; e = e->next)
        if (rf_str_eq(e->name, name))
            return e;
    return NULL;
}

void rf_errand_add(struct rf_net *n, struct rf_errand *e)
{
    e->net = n;
    e->next = n->errands;
    e->at = &n->errands;
    if (e->next)
        e->next->at = &e->next;
    n->errands = e;
}

static void remove_errand(struct rf_errand *e)
{
    if (!e->at)
        return;
    *e->at = e->next;
    if (e->next)
        e->next->at = e->at;
    e->at = NULL;
}

void rf_waiter_join(struct rf_waiter *w, struct rf_errand *e)
{
    w->errand = e;
    w->next = e->waiters;
    w->at = &e->waiters;
    if (w->next)
        w->next->at = &w->next;
    e->waiters = w;
}

static void remove_waiter(struct rf_waiter *w)
{
    *w->at = w->next;
    if (w->next)
        w->next->at = w->at;
    w->errand = NULL;
}

void rf_errand_end(struct rf_errand *e, enum rf_code rc, struct rf_str secret,
                   const struct rf_err *err)
{
    remove_errand(e);
    while (e->waiters) {
        struct rf_waiter *w = e->waiters;
        remove_waiter(w);
        w->got(w->ctx, rc, secret, err);
    }
}

/* One that has ended is telling those who waited, of whom this is one. */
void rf_waiter_leave(struct rf_waiter *w)
{
    struct rf_errand *e = w->errand;
    if (!e)
        return;
    remove_waiter(w);
    if (e->waiters || !e->at)
        return;
    remove_errand(e);
    e->stop(e);
}

void rf_errand_abandon(struct rf_errand *e)
{
    while (e->waiters)
        remove_waiter(e->waiters);
    remove_errand(e);
    e->stop(e);
}
