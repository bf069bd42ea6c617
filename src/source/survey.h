/* The survey: every part of every message with its files looked at, in the order it would be sent.
 *
 * A tool result becomes its parts: output, error, data, blocks. Media that hides as base64 in a
 * tool's or a person's text or text file is lifted out into parts of its own, and so is what hides
 * in an opaque block of another API; in an answer's text a few words take its place. The conversation is not
 * changed.
 */
#ifndef RF_SOURCE_SURVEY_H
#define RF_SOURCE_SURVEY_H

#include "source/asset.h"

enum rf_part_kind {
    RF_PART_TEXT,
    RF_PART_JSON,     /* `text` is compact JSON */
    RF_PART_MEDIA,    /* `asset` */
    RF_PART_THINKING, /* `block` */
    RF_PART_CALL,     /* `block` */
    RF_PART_OPAQUE,   /* `block` */
};

struct rf_part {
    enum rf_part_kind kind;
    struct rf_str text;           /* TEXT, JSON; OPAQUE: what says the same elsewhere, or empty */
    const struct rf_block *block; /* MEDIA, THINKING, CALL, OPAQUE, an answer's TEXT */
    struct rf_asset *asset;
    bool is_error;        /* TEXT: what went wrong, in a failed result */
    long block_index;     /* in content or content_blocks; -1 for output, error and data */
    const char *found_in; /* "output", "data", …: where lifted media was hiding; else NULL */
};

struct rf_surveyed {
    const struct rf_message *message;
    size_t index;
    struct rf_part *parts;
    size_t count, cap;
};

struct rf_survey {
    const struct rf_conversation *conversation;
    struct rf_surveyed *messages; /* as many as the conversation has */
    size_t count;
    size_t asset_count;
};

/* `home`: the dialect that it is for, whose opaque blocks stay whole; empty: of no one. */
void rf_survey_init(struct rf_survey *s, const struct rf_conversation *c, struct rf_str home,
                    const struct rf_asset_place *place, struct rf_arena *a);

#endif
