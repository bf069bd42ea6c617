/* What a person said, on its way to the model: steps that look at the text, may change it, and may
 * add a note for the model. Small priorities come first; each step gets the text that the ones
 * before it left.
 *
 *     rf_enrich_add_prompt(e, RF_ENRICH_REFERENCES, rf_references_step, &references);
 *     rf_enrich_run(e, words, count, a, &out);
 *     … the message is out.text, then out.note as a text block of its own where it is not empty
 *
 * Which stretches the person typed is kept through the steps: what a step puts in was not typed.
 */
#ifndef RF_AGENT_ENRICH_H
#define RF_AGENT_ENRICH_H

#include "base/str.h"

#include <refract/agent.h>

#define RF_ENRICH_REFERENCES 100

struct rf_arena;
struct rf_enrich;

/* A question as one text, with the stretches of it that the person typed, in order. */
struct rf_span {
    size_t begin, end;
};
struct rf_prompt {
    struct rf_str text;
    struct rf_span *typed;
    size_t count;
};

/* Was all of it typed, from `begin` to before `end`? */
bool rf_prompt_is_typed(const struct rf_prompt *p, size_t begin, size_t end);

struct rf_enrich *rf_enrich_new(void);
void rf_enrich_free(struct rf_enrich *e); /* takes NULL */

/* As rf_agent_enrich in refract/agent.h: `step` returns false, or leaves both strings empty, to
 * leave the text. Steps of the same priority run in the order in which they were added. */
void rf_enrich_add(struct rf_enrich *e, int priority,
                   bool (*step)(void *ctx, struct rf_str text, struct rf_enriched *out), void *ctx);

/* The same for one that has to know who wrote what. */
void rf_enrich_add_prompt(struct rf_enrich *e, int priority,
                          bool (*step)(void *ctx, const struct rf_prompt *prompt,
                                       struct rf_enriched *out),
                          void *ctx);

/* Run all steps. `out` is copied into `a`; notes stand after each other, a line feed between. A
 * step whose text is not UTF-8 or is over RF_ENRICH_BYTES is left out, and so is such a note. */
#define RF_ENRICH_BYTES ((size_t)16 << 20)
void rf_enrich_run(const struct rf_enrich *e, const struct rf_words *words, size_t count,
                   struct rf_arena *a, struct rf_enriched *out);

#endif
