/* What other models would get of a conversation. */
#ifndef RF_PAGE_WHAT_IF_H
#define RF_PAGE_WHAT_IF_H

#include "page/page.h"

/* The reply: a plan for each of the models that the query names, "models=A,B". `dialect` is the
 * client's; NULL: it is a session. */
void rf_page_plans(struct rf_page_visit *v, const struct rf_conversation *c,
                   const struct rf_setup *setup, const char *dialect);

#endif
