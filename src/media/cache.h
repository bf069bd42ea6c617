/* Jobs whose results are kept: the same file and the same ask give what they gave before.
 *
 * The key is the SHA-256 of the file's bytes together with the family and the ask. An entry is a
 * folder that appears whole, by a rename, so several processes may use one cache. It is bounded:
 * what was not used for longest goes first, and nothing that was used within the last hour,
 * because a request may still have to read it.
 *
 *     rf_cache_run(cache, rf_workers_shared(), jobs, count, a);
 */
#ifndef RF_MEDIA_CACHE_H
#define RF_MEDIA_CACHE_H

#include "media/worker.h"

struct rf_cache;

/* The cache in `folder`, which is made when first written to. A folder that cannot be written is no
 * failure: jobs then keep their results in memory. */
struct rf_cache *rf_cache_new(const char *folder, uint64_t max_bytes);
void rf_cache_free(struct rf_cache *c); /* takes NULL */

/* As rf_workers_run. `c` may be NULL: nothing is kept, and parts are in memory. Failures that
 * are the file's fault (RF_EFORMAT, RF_EENCRYPTED, RF_ELIMIT) are kept too. */
void rf_cache_run(struct rf_cache *c, struct rf_workers *w, struct rf_job *jobs, size_t count,
                  struct rf_arena *a);

#endif
