/* The steps in their order. A step sees what the ones before it left, and cannot see their
 * notes. */
#include "agent/turn/enrich.h"

#include "base/arena.h"
#include "base/utf8.h"

struct step {
    int priority;
    bool (*run)(void *ctx, struct rf_str text, struct rf_enriched *out); /* or NULL: */
    bool (*run_prompt)(void *ctx, const struct rf_prompt *prompt, struct rf_enriched *out);
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

static void add(struct rf_enrich *e, struct step step)
{
    struct step *at = RF_PUSH(e->arena, e->steps, e->count, e->cap);
    for (; at > e->steps && at[-1].priority > step.priority; at--)
        *at = at[-1];
    *at = step;
}

void rf_enrich_add(struct rf_enrich *e, int priority,
                   bool (*run)(void *ctx, struct rf_str text, struct rf_enriched *out), void *ctx)
{
    add(e, (struct step){ .priority = priority, .run = run, .ctx = ctx });
}

void rf_enrich_add_prompt(struct rf_enrich *e, int priority,
                          bool (*run)(void *ctx, const struct rf_prompt *prompt,
                                      struct rf_enriched *out),
                          void *ctx)
{
    add(e, (struct step){ .priority = priority, .run_prompt = run, .ctx = ctx });
}

/* Who wrote what */

bool rf_prompt_is_typed(const struct rf_prompt *p, size_t begin, size_t end)
{
    for (size_t i = 0; i < p->count && p->typed[i].begin <= begin; i++)
        if (end <= p->typed[i].end)
            return true;
    return false;
}

static struct rf_prompt join(const struct rf_words *words, size_t count, struct rf_arena *a)
{
    struct rf_prompt p = { .typed = RF_ARRAY(a, struct rf_span, count) };
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += words[i].text.n;
    char *text = rf_arena_alloc(a, n + 1);
    for (size_t i = 0, at = 0; i < count; at += words[i].text.n, i++) {
        size_t end = at + words[i].text.n;
        if (words[i].text.n)
            memcpy(text + at, words[i].text.p, words[i].text.n);
        if (words[i].origin != RF_ORIGIN_TYPED)
            continue;
        if (p.count && p.typed[p.count - 1].end == at)
            p.typed[p.count - 1].end = end;
        else
            p.typed[p.count++] = (struct rf_span){ at, end };
    }
    text[n] = '\0';
    p.text = (struct rf_str){ text, n };
    return p;
}

/* Another text: what it begins and ends with as before is as it was, the rest was typed by
 * nobody. */
static void replace(struct rf_prompt *p, struct rf_str text, struct rf_arena *a)
{
    struct rf_str was = p->text;
    size_t least = was.n < text.n ? was.n : text.n, front = 0, back = 0, count = 0;
    while (front < least && was.p[front] == text.p[front])
        front++;
    while (back < least - front && was.p[was.n - 1 - back] == text.p[text.n - 1 - back])
        back++;
    struct rf_span *typed = RF_ARRAY(a, struct rf_span, 2 * p->count);
    for (size_t i = 0; i < p->count; i++) {
        struct rf_span s = p->typed[i];
        if (s.begin < front)
            typed[count++] = (struct rf_span){ s.begin, s.end < front ? s.end : front };
        if (s.end > was.n - back)
            typed[count++] = (struct rf_span){
                (s.begin > was.n - back ? s.begin : was.n - back) - was.n + text.n,
                s.end - was.n + text.n,
            };
    }
    *p = (struct rf_prompt){ text, typed, count };
}

/* Running */

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

void rf_enrich_run(const struct rf_enrich *e, const struct rf_words *words, size_t count,
                   struct rf_arena *a, struct rf_enriched *out)
{
    struct rf_prompt p = join(words, count, a);
    *out = (struct rf_enriched){ p.text, RF_STR("") };
    for (size_t i = 0; i < e->count; i++) {
        const struct step *s = &e->steps[i];
        struct rf_enriched made = { RF_STR(""), RF_STR("") };
        if (!(s->run ? s->run(s->ctx, p.text, &made) : s->run_prompt(s->ctx, &p, &made)))
            continue;
        if (is_usable(made.text))
            replace(&p, rf_str_dup(a, made.text), a);
        if (is_usable(made.note) && out->note.n + made.note.n < RF_ENRICH_BYTES)
            out->note = joined(out->note, made.note, a);
    }
    out->text = p.text;
}
