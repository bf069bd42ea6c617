/* What is kept of one request, for those who show a part of it. */
#ifndef RF_PAGE_KEPT_H
#define RF_PAGE_KEPT_H

#include "page/page.h"

/* What is kept of the request that the path names, locked; NULL: the reply says why not. */
struct rf_kept_exchange *rf_page_kept(struct rf_page_visit *v, struct rf_ring_entry *e);
void rf_page_done(struct rf_kept_exchange *k);

/* What was read and made of it. As long as it is under way that is its loop's: then it is made here
 * again, by the same functions, for the model that is asked; what was done about a refusal is not
 * in it. It lives as long as `k` is locked. */
const struct rf_translation *rf_page_translation(struct rf_page_visit *v,
                                                 struct rf_kept_exchange *k,
                                                 const struct rf_ring_entry *e);

/* What the client said; NULL: it cannot be read. It lives as long as the visit and `t`. */
const struct rf_conversation *rf_page_conversation(struct rf_page_visit *v,
                                                   const struct rf_translation *t);

#endif
