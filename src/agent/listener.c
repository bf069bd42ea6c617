#include "agent/listener.h"

#include "base/arena.h"
#include "base/str.h"

static bool heard(const struct rf_listener *l, bool goes_on)
{
    if (!goes_on)
        rf_halt_cancel(l->halt);
    return goes_on;
}

bool rf_listener_tell(const struct rf_listener *l, const struct rf_agent_event *e)
{
    struct rf_agent_event sized = *e;
    sized.size = sizeof sized;
    return !l->on_event || heard(l, l->on_event(l->ctx, &sized));
}

bool rf_listener_stream(const struct rf_listener *l, const struct rf_event *e)
{
    return !l->on_stream || heard(l, l->on_stream(l->stream_ctx, e));
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
