/* Whoever hears what an agent does. */
#ifndef RF_AGENT_LISTENER_H
#define RF_AGENT_LISTENER_H

#include <refract/agent.h>

struct rf_listener {
    void (*on_event)(void *ctx, const struct rf_agent_event *e); /* or NULL */
    void *ctx;
    void (*on_stream)(void *ctx, const struct rf_event *e); /* or NULL */
    void *stream_ctx;
};

void rf_listener_tell(const struct rf_listener *l, const struct rf_agent_event *e);
__attribute__((format(printf, 2, 3))) void rf_listener_note(const struct rf_listener *l,
                                                            const char *fmt, ...);

#endif
