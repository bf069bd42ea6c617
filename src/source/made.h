/* What the workers made of a file: smaller pictures, pages, frames, text. Filled in by the request, read
 * by the plan, which asks for things and finds them here when it is asked again.
 */
#ifndef RF_SOURCE_MADE_H
#define RF_SOURCE_MADE_H

#include "media/worker.h"
#include "source/asset.h"

/* One picture, page, frame, piece of sound or PDF. */
struct rf_made_part {
    struct rf_asset asset;
    int64_t page;       /* counted from 1; 0: it is no page */
    int64_t first, end; /* of a part of a document: its pages, counted from 0; 0, 0: all */
    int64_t time_ms;    /* of a frame */
};

/* The outcome of one recipe. */
struct rf_made {
    const char *family;
    struct rf_str ask;
    enum rf_code failed; /* RF_OK: it was made */
    struct rf_str why;   /* else, for a model: what is wrong */
    struct rf_made_part *parts;
    size_t count;
    struct rf_str text;
    int64_t pages, source_width, source_height;
};

/* What this recipe gave, or NULL when nobody has followed it yet. */
const struct rf_made *rf_asset_made(const struct rf_asset *asset, const char *family,
                                    struct rf_str ask);
/* Keep what a job gave. */
void rf_asset_add_made(struct rf_asset *asset, const struct rf_job *job, struct rf_arena *a);

/* The texts of a job's parts as one, each under a heading that says which page, slide or sheet it is,
 * and what a reader should know about them. */
struct rf_str rf_made_text(const struct rf_job *job, struct rf_arena *a);

#endif
