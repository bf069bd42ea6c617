/* What was kept of one request, for those who show a part of it. */
#ifndef RF_PAGE_KEPT_H
#define RF_PAGE_KEPT_H

#include "page/page.h"

/* What was kept of the request that the path names, locked; NULL: the reply says why not. */
struct rf_kept_exchange *rf_page_kept(struct rf_page_visit *v, struct rf_ring_entry *e);
void rf_page_done(struct rf_kept_exchange *k);

/* What the client said; NULL: it cannot be read. It lives as long as the visit or what was kept. */
const struct rf_conversation *rf_page_conversation(struct rf_page_visit *v,
                                                   const struct rf_kept_exchange *k);

#endif
