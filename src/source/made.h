/* What the workers made of a file: smaller pictures, pages, frames, text. Filled in by the
 * request, read by the plan, which asks for things and finds them here when it is asked again. */
#ifndef RF_SOURCE_MADE_H
#define RF_SOURCE_MADE_H

#include "media/recipe.h"
#include "source/asset.h"

/* One picture, page, frame, piece of sound or PDF. */
struct rf_made_part {
    struct rf_asset asset;
    struct rf_pages pages; /* the page that it shows, or those that are in it; 0, 0: all, or none */
    int64_t time_ms;       /* of a frame */
    size_t text_end;       /* of a picture in a document: where in the text it stands */
};

/* A page of a text, a slide, a sheet; or some lines of a text that has none of those. */
struct rf_text_piece {
    size_t end;       /* in the text */
    int64_t page;     /* counted from 1; 0: it is not a page */
    int64_t pictures; /* on that page, which are not in the text */
    bool unread;      /* a scanned page that was not recognised, or more text than is taken */
};

/* The outcome of one recipe. */
struct rf_made {
    struct rf_recipe recipe;
    enum rf_code failed; /* RF_OK: it was made */
    struct rf_str why;   /* else, for a model: what is wrong */
    struct rf_made_part *parts;
    size_t count;
    struct rf_str text;
    struct rf_text_piece *pieces; /* of the text, one after the other */
    size_t *text_ends;            /* where the text was, at each part of the job */
    size_t piece_count;
    struct rf_str damage; /* what is missing of a file that is not whole; or empty */
    bool sound;           /* of a film: it has some, which is in none of its frames */
    int64_t pictures;     /* in a document that was made into text */
    struct rf_str unit;   /* of its pieces: "Page", "Slide", "Sheet"; or empty */
    int64_t pages, source_width, source_height;
    int64_t confidence; /* of text that was recognised, the lowest of its parts; 0: none was */
};

/* What this recipe gave, or NULL when it was not followed yet. */
const struct rf_made *rf_asset_made(const struct rf_asset *asset, const struct rf_recipe *recipe);
/* Keep what a job gave. */
void rf_asset_add_made(struct rf_asset *asset, const struct rf_recipe *recipe,
                       const struct rf_job *job, struct rf_arena *a);

#endif
