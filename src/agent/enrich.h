/* What a person said, on its way to the model: steps that look at the text, may change it, and may add a note
 * for the model. Small priorities come first; each step gets the text that the ones before it left.
 *
 *     rf_enrich_add(e, RF_ENRICH_REFERENCES, rf_references_step, &references);
 *     rf_enrich_run(e, prompt, a, &out);
 *     … the message is out.text, then out.note as a text block of its own where it is not empty
 */
#ifndef RF_AGENT_ENRICH_H
#define RF_AGENT_ENRICH_H

#include "base/str.h"

#include <refract/agent.h>

#define RF_ENRICH_REFERENCES 100

struct rf_arena;
struct rf_enrich;

struct rf_enrich *rf_enrich_new(void);
void rf_enrich_free(struct rf_enrich *e); /* takes NULL */

/* As rf_agent_enrich in refract/agent.h: `step` returns false, or leaves both strings empty, to leave the text.
 * Steps of the same priority run in the order in which they were added. */
void rf_enrich_add(struct rf_enrich *e, int priority,
                   bool (*step)(void *ctx, struct rf_str text, struct rf_enriched *out), void *ctx);

/* Run all steps. `out` is copied into `a`; notes stand behind each other, a line feed between. A step whose text
 * is no UTF-8 or is over RF_ENRICH_BYTES is left out, and so is such a note. */
#define RF_ENRICH_BYTES ((size_t)16 << 20)
void rf_enrich_run(const struct rf_enrich *e, struct rf_str text, struct rf_arena *a,
                   struct rf_enriched *out);

#endif
