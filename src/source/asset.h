/* A file as a request sees it: where its bytes are, what they are, and what is wrong with them.
 *
 * Making an asset never fails: a file that is gone, unreadable or not what it claims is an asset in
 * the state BROKEN that says so in words, and becomes a note. The bytes are looked at, not kept.
 */
#ifndef RF_SOURCE_ASSET_H
#define RF_SOURCE_ASSET_H

#include "base/bytes.h"
#include "content/content.h"
#include "media/media.h"
#include "media/weight.h"

enum rf_asset_state {
    RF_ASSET_BROKEN, /* `problem` says why */
    RF_ASSET_BYTES,  /* `bytes` can be read */
    RF_ASSET_URL,    /* `ref` is a URL that somebody else fetches */
    RF_ASSET_FILE_ID, /* `ref` is a file that was uploaded to `provider` */
};

struct rf_made; /* what workers made of a file: made.h */

struct rf_asset {
    enum rf_asset_state state;
    const struct rf_block *block;
    enum rf_kind kind;               /* by the bytes; by what is declared for URLs and ids */
    const struct rf_format *format;  /* or NULL */
    struct rf_str mime;              /* of what would be sent; empty when nobody knows */
    struct rf_bytes bytes;
    struct rf_str ref, provider;
    struct rf_facts facts;
    int64_t pages; /* of a document that was made of some pages of another; 0: what its block says */
    struct rf_text_weight weight; /* of a text that may be written out */
    struct rf_str text_with_files; /* a text file in which files hide as base64; else empty */
    struct rf_str name;   /* of the file, cleaned and cut for showing; may be empty */
    struct rf_str id;     /* the caller's, or "" until rf_asset_identify */
    struct rf_made **made; /* by recipe */
    size_t made_count, made_cap;
    bool locked;          /* it needs a password, or a worker that takes the lock off */
    enum rf_code problem; /* BROKEN, or locked */
    struct rf_str problem_text;
};

/* Where the files of a conversation are. */
struct rf_asset_place {
    const char *base; /* relative paths are relative to it; NULL: the working folder */
    const char *root; /* "" or the folder that no path may leave */
    const char *kept; /* where conversions are kept: paths may lead there too; or NULL */
};

void rf_asset_init(struct rf_asset *asset, const struct rf_block *block,
                   const struct rf_asset_place *place, struct rf_arena *a);

/* Give the asset its id, if it has none: "att_" and the first 12 hex digits of the SHA-256 of its
 * bytes; of what names it, where there are no bytes or more than may ever be sent. Reads all of the
 * bytes. A file that cannot be read any more makes the asset BROKEN; fails only where nothing can be
 * hashed at all. */
RF_MUST enum rf_code rf_asset_identify(struct rf_asset *asset, struct rf_arena *a,
                                       struct rf_err *err);

/* A name for people and prompts: control characters, quotes and brackets replaced, the middle cut
 * out where it is long. */
struct rf_str rf_clean_name(struct rf_str name, struct rf_arena *a);

#endif
