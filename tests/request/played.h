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
/* No file fails while this is set. */
extern bool played_well;

/* A PNG of so many pixels and bytes, as far as a header tells. */
struct rf_str played_png(struct rf_arena *a, uint32_t width, uint32_t height, size_t bytes);

/* A PDF of so many pages, as far as a played worker can tell. */
struct rf_str played_pdf(struct rf_arena *a, size_t pages);

/* The same with a number, which all that is made of it bears too, and with some bytes and words to a page. A scan has
 * no words. */
struct played_document {
    size_t number, pages, page_bytes, words;
};
struct rf_str played_document(struct rf_arena *a, const struct played_document *d);

/* The pages that such a document holds, or a part of one or a picture of a page: [first, end), counted from 0.
 * False for other files. */
struct played_pages {
    size_t number;
    int64_t first, end;
};
bool played_read(const struct rf_bytes *bytes, struct played_pages *out);
/* The next page whose text is in `*text`, which is cut after it. */
bool played_read_text(struct rf_str *text, struct played_pages *out);

void __wrap_rf_cache_run(struct rf_cache *c, struct rf_workers *w, struct rf_job *jobs,
                         size_t count, struct rf_arena *a);

#endif
