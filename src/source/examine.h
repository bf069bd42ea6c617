/* The examination: what a worker says of a file beyond what its header tells. It decodes all of
 * a picture and opens a PDF, so it knows what is cut off or broken, what opens without a
 * password, and how many pages there are.
 *
 * The outcome is one look (inspect.h) that everybody uses: a file that is attached, read by a
 * tool or found in a request gets one judgement. It is kept in the cache of the workers and
 * beside a blob. */
#ifndef RF_SOURCE_EXAMINE_H
#define RF_SOURCE_EXAMINE_H

#include "media/cache.h"
#include "media/recipe.h"
#include "source/inspect.h"

/* The text of so many pages of a PDF is weighed, for what it costs. */
#define RF_EXAM ((struct rf_recipe){ .make = RF_MAKE_FACTS, .weigh = 40 })

/* The family of workers that can say more of such a file; NULL where none can, or has. */
const char *rf_examiner(const struct rf_inspection *look);

/* What a worker found missing in a file of which it could save something; empty where it is
 * whole. */
struct rf_str rf_exam_damage(const struct rf_job *job, struct rf_arena *a);
/* Take in what such a worker answered. Where it could not be asked, or gave up, the look stays
 * as it was. */
void rf_examined(struct rf_inspection *look, const struct rf_job *job, struct rf_arena *a);

/* Look at the bytes of a file, and have them examined. `cache` may be NULL; `cancel_fd` is as in
 * struct rf_job. Fails only where they cannot be read, and with RF_ESANDBOX and RF_EINTERRUPTED. */
RF_MUST enum rf_code rf_examine(const struct rf_bytes *bytes, struct rf_cache *cache, int cancel_fd,
                                struct rf_arena *a, struct rf_looked *out, struct rf_err *err);

#endif
