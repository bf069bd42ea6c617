/* What direct.c has multi.c do. */
#ifndef RF_NET_MULTI_H
#define RF_NET_MULTI_H

#include "base/error.h"

struct rf_links;
struct rf_multi;
struct rf_transfer;

struct rf_links *rf_multi_links(struct rf_multi *m);

/* In between, callbacks of calls are called: one that is cancelled by them lives until
 * rf_multi_settle. */
void rf_multi_enter(struct rf_multi *m);
void rf_multi_leave(struct rf_multi *m);
void rf_multi_settle(struct rf_multi *m);

/* Have libcurl make a connection; rf_direct_connected hears of it. */
void rf_multi_connect(struct rf_transfer *t);
/* It is over, and `done` is called. */
void rf_multi_end(struct rf_transfer *t, enum rf_code rc, const struct rf_err *err);

#endif
