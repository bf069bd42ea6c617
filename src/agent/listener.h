/* Whoever hears what an agent does. */
#ifndef RF_AGENT_LISTENER_H
#define RF_AGENT_LISTENER_H

#include "agent/halt.h"

#include <refract/agent.h>

struct rf_listener {
    bool (*on_event)(void *ctx, const struct rf_agent_event *e); /* or NULL */
    void *ctx;
    bool (*on_stream)(void *ctx, const struct rf_event *e); /* or NULL */
    void *stream_ctx;
    struct rf_halt *halt; /* that a listener cancels who returns false */
};

/* False where it is to stop. The event gets its size here. */
bool rf_listener_tell(const struct rf_listener *l, const struct rf_agent_event *e);
bool rf_listener_stream(const struct rf_listener *l, const struct rf_event *e);
__attribute__((format(printf, 2, 3))) void rf_listener_note(const struct rf_listener *l,
                                                            const char *fmt, ...);

#endif
