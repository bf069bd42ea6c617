/* The steps in their order. A step sees what the ones before it left, and cannot see their notes. */
#include "agent/enrich.h"

#include "base/arena.h"
#include "base/utf8.h"

struct step {
    int priority;
    bool (*run)(void *ctx, struct rf_str text, struct rf_enriched *out);
    void *ctx;
};

struct rf_enrich {
    struct rf_arena *arena;
    struct step *steps; /* by priority */
    size_t count, cap;
};

struct rf_enrich *rf_enrich_new(void)
{
    struct rf_arena *a = rf_arena_new();
    struct rf_enrich *e = RF_NEW(a, struct rf_enrich);
    e->arena = a;
    return e;
}

void rf_enrich_free(struct rf_enrich *e)
{
    if (e)
        rf_arena_free(e->arena);
}

void rf_enrich_add(struct rf_enrich *e, int priority,
                   bool (*run)(void *ctx, struct rf_str text, struct rf_enriched *out), void *ctx)
{
    struct step *at = RF_PUSH(e->arena, e->steps, e->count, e->cap);
    for (; at > e->steps && at[-1].priority > priority; at--)
        *at = at[-1];
    *at = (struct step){ priority, run, ctx };
}

static bool is_usable(struct rf_str text)
{
    return text.n && text.n <= RF_ENRICH_BYTES && rf_utf8_valid(text) == text.n;
}

static struct rf_str joined(struct rf_str notes, struct rf_str note, struct rf_arena *a)
{
    if (!notes.n)
        return rf_str_dup(a, note);
    return rf_str_join(a, rf_str_join(a, notes, RF_STR("\n")), note);
}

void rf_enrich_run(const struct rf_enrich *e, struct rf_str text, struct rf_arena *a,
                   struct rf_enriched *out)
{
    *out = (struct rf_enriched){ rf_str_dup(a, text), RF_STR("") };
    for (size_t i = 0; i < e->count; i++) {
        struct rf_enriched made = { RF_STR(""), RF_STR("") };
        if (!e->steps[i].run(e->steps[i].ctx, out->text, &made))
            continue;
        if (is_usable(made.text))
            out->text = rf_str_dup(a, made.text);
        if (is_usable(made.note) && out->note.n + made.note.n < RF_ENRICH_BYTES)
            out->note = joined(out->note, made.note, a);
    }
}
