#include "httpd/inside.h"

#include "base/num.h"

#include <stdlib.h>

#define LEAST ((size_t)1024)

char *rf_waiting_take(struct rf_waiting *w, size_t n)
{
    size_t need, before;
    if (w->at && n > w->room - w->n) {
        memmove(w->p, w->p + w->at, w->n - w->at);
        w->n -= w->at;
        w->at = 0;
    }
    if (!rf_add_size(w->n, n, &need))
        RF_NO_MEMORY();
    if (need > w->room) {
        w->room = need < LEAST ? LEAST : w->n ? need + need / 2 : need;
        w->p = realloc(w->p, w->room);
        if (!w->p)
            RF_NO_MEMORY();
    }
    before = w->n;
    w->n = need;
    return w->p + before;
}

void rf_waiting_add(struct rf_waiting *w, struct rf_str bytes)
{
    if (bytes.n)
        memcpy(rf_waiting_take(w, bytes.n), bytes.p, bytes.n);
}

void rf_waiting_release(struct rf_waiting *w)
{
    free(w->p);
    *w = (struct rf_waiting){ 0 };
}
