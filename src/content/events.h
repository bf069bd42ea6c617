/* A message as the events that a stream of it would have. */
#ifndef RF_CONTENT_EVENTS_H
#define RF_CONTENT_EVENTS_H

#include "content/reply.h"

typedef bool rf_on_event(void *ctx, const struct rf_event *e); /* false: no more of them */

/* Tell `on_event` of all of it: each block from its start to its end, then how it ended, which
 * stands in m->ending. */
void rf_message_events(const struct rf_message *m, struct rf_arena *a, rf_on_event *on_event,
                       void *ctx);

#endif
