#include "wire/describe.h"

#include "base/arena.h"

static const struct rf_description *const descriptions[] = { &rf_ollama_description };

const struct rf_description *rf_description_find(struct rf_str server)
{
    for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++)
        if (rf_str_is(server, descriptions[i]->server))
            return descriptions[i];
    return NULL;
}

void rf_said_add(struct rf_said *s, const char *fact, struct rf_str value)
{
    *RF_PUSH(s->arena, s->facts, s->count, s->cap) =
        (struct rf_learned_fact){ .fact = rf_str(fact), .value = value, .words = s->words };
}
