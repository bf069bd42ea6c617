/* Workers that are played: what they would make is worked out here at once, from the ask and the bytes
 * alone, so that ten thousand requests with conversions take seconds. The program is linked with
 * --wrap=rf_cache_run.
 *
 * What comes back keeps the limits of the ask and is no more than that: a picture of the right size with
 * nothing in it, pages, frames, sound, a text. Some files fail, always the same. */
#ifndef TESTS_REQUEST_PLAYED_H
#define TESTS_REQUEST_PLAYED_H

#include "media/cache.h"

#include "../source/files.h"

/* How many jobs were played so far. */
extern size_t played_jobs;

/* A PNG of so many pixels and bytes, as far as a header tells. */
struct rf_str played_png(struct rf_arena *a, uint32_t width, uint32_t height, size_t bytes);

/* A PDF of so many pages, as far as a played worker can tell. */
struct rf_str played_pdf(struct rf_arena *a, size_t pages);

void __wrap_rf_cache_run(struct rf_cache *c, struct rf_workers *w, struct rf_job *jobs,
                         size_t count, struct rf_arena *a);

#endif
