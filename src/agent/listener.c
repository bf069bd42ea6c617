#include "agent/listener.h"

#include "base/arena.h"
#include "base/str.h"

void rf_listener_tell(const struct rf_listener *l, const struct rf_agent_event *e)
{
    if (l->on_event)
        l->on_event(l->ctx, e);
}

void rf_listener_note(const struct rf_listener *l, const char *fmt, ...)
{
    struct rf_arena *scratch = rf_arena_new();
    va_list ap;
    va_start(ap, fmt);
    struct rf_agent_event e = { .type = RF_AGENT_NOTE, .text = rf_strfv(scratch, fmt, ap) };
    va_end(ap);
    rf_listener_tell(l, &e);
    rf_arena_free(scratch);
}
