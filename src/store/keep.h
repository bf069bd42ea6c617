/* Keeping a message: what keep.c and keep_text.c share. */
#ifndef RF_STORE_KEEP_H
#define RF_STORE_KEEP_H

#include "store/store.h"

/* A message that is being kept. */
struct rf_keeping {
    struct rf_session *session;
    struct rf_store *store; /* its */
    const struct rf_asset_place *place;
    struct rf_arena *arena;
    struct rf_kept *out;
    struct rf_block *blocks; /* as they will be stored */
    size_t count, cap;
    struct rf_block *lifted; /* files that hid in a text, to be kept after it */
    size_t lifted_count, lifted_cap;
};

/* Put bytes into the store and look at them, unless `was` (or NULL) is a look at the same; the row
 * is not entered. RF_ELIMIT over `most`. */
RF_MUST enum rf_code rf_keep_bytes(struct rf_store *s, struct rf_bytes bytes,
                                   const struct rf_looked *was, uint64_t most, struct rf_arena *a,
                                   struct rf_blob_row *row, struct rf_inspection *look,
                                   struct rf_err *err);

/* "att_" and the first digits of the hash: what a file is called that was given no id. */
struct rf_str rf_keep_id(const struct rf_hash *hash, struct rf_arena *a);

/* No text that was cut has more bytes. */
#define RF_KEEP_MOST_CUT ((size_t)4096)

/* Cut a text that is too long for a history: `*text` becomes its beginning and how to read on,
 * `*blob` what holds all of it. Does nothing to a shorter one. */
RF_MUST enum rf_code rf_keep_long_text(struct rf_keeping *k, struct rf_str *text,
                                       struct rf_str *blob, struct rf_err *err);
/* The same for JSON, `json` being its text; false where it is short enough. `out` becomes a text
 * block with its outline. */
RF_MUST enum rf_code rf_keep_long_json(struct rf_keeping *k, const struct rf_jval *v,
                                       struct rf_str json, struct rf_block *out, bool *is_long,
                                       struct rf_err *err);
/* A text without the files that hide in it: they are added to `lifted`, and words take their
 * places. */
struct rf_str rf_keep_lift(struct rf_keeping *k, struct rf_str text);

#endif
