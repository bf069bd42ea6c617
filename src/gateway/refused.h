/* Files that models refused, for the requests that come after: a client sends its conversation
 * again with every question, and what is wrong with a file in it must not be found out each time.
 *
 *     rf_refused_add(m, model, &file);       it was answered once that file was helped
 *     rf_refused_apply(m, model, a, o);      before a request is built
 *
 * They are known by the hash of their bytes, of one model each, in memory and for an hour: a
 * provider may come to take what it did not. All of it may be called by any thread. */
#ifndef RF_GATEWAY_REFUSED_H
#define RF_GATEWAY_REFUSED_H

#include "model/model.h"
#include "request/withhold.h"

struct rf_refused;

struct rf_refused *rf_refused_new(void);
void rf_refused_free(struct rf_refused *m); /* takes NULL */

void rf_refused_add(struct rf_refused *m, const struct rf_model *model,
                    const struct rf_withheld_file *file);
/* Have the request withhold them, too. What the options then point to is in `a`. */
void rf_refused_apply(struct rf_refused *m, const struct rf_model *model, struct rf_arena *a,
                      struct rf_request_options *o);

#endif
