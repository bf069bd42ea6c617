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
#include "source/inspect.h"
#include "source/recode.h"

enum rf_asset_state {
    RF_ASSET_BROKEN,  /* `problem` says why */
    RF_ASSET_BYTES,   /* `bytes` can be read */
    RF_ASSET_URL,     /* `ref` is a URL that somebody else fetches */
    RF_ASSET_FILE_ID, /* `ref` is a file that was uploaded to `provider` */
    RF_ASSET_TOLD,    /* no API takes such a thing: the text of its block goes instead */
};

struct rf_job;
struct rf_lifted;
struct rf_made; /* what workers made of a file: made.h */

struct rf_asset {
    enum rf_asset_state state;
    const struct rf_block *block;
    enum rf_kind kind;              /* by the bytes; by what is declared for URLs and ids */
    const struct rf_format *format; /* or NULL */
    struct rf_str mime;             /* of what would be sent; empty where it is unknown */
    struct rf_bytes bytes;
    struct rf_str ref, provider;
    struct rf_facts facts;
    struct rf_inspection look; /* what its bytes tell */
    int64_t pages; /* of a document that was made of some pages of another; 0: rf_asset_pages */
    struct rf_text_weight weight; /* of a text that may be written out */
    /* A text that was in another character set: what it was, and until a worker has converted it
     * its own bytes; `bytes` is a guess then. */
    struct rf_charset charset;
    struct rf_bytes unconverted;
    /* A text file in which files hide as base64, until rf_asset_lift; else empty. Where that comes
     * too late, they are left out. */
    struct rf_str text_with_files;
    struct rf_str name; /* of the file, cleaned and cut for showing; may be empty */
    struct rf_str id;   /* the caller's, or "" until rf_asset_identify */
    bool quick_id;      /* as in struct rf_asset_place */
    struct rf_made **made;         /* by recipe */
    size_t made_count, made_cap;
    const struct rf_blob_source *blobs; /* where its blob is; or NULL */
    bool unopened; /* BYTES of a blob: rf_asset_open comes before anybody reads them */
    bool dropped;  /* a person said that it is not to be sent */
    const struct rf_withheld *withheld; /* from providers that refused it */
    size_t withheld_count;
    bool asked;           /* its examiner was, whatever came of it */
    bool doubted;         /* BROKEN by its header, and an examiner may know better */
    struct rf_str damage; /* what is wrong with a file that can be saved in part; or empty */
    bool locked;          /* it needs a password, or a worker that takes the lock off */
    enum rf_code problem; /* BROKEN, or locked */
    struct rf_str problem_text;
};

/* From whom a file is withheld, and why. */
struct rf_withheld {
    struct rf_str provider; /* that refused it */
    struct rf_str reason;   /* its words */
    bool remake; /* only as it is: something made of it is sent; else words take its place */
};

/* What a store knows of a blob without opening it. A look that is all zero is one that nobody
 * took yet: then the blob is opened. */
struct rf_blob_known {
    uint64_t size;
    struct rf_inspection look;
    bool dropped;
    const struct rf_withheld *withheld;
    size_t withheld_count;
};

/* Where the blobs of a conversation are: filled in by the session that it came from. */
struct rf_blob_source {
    void *ctx;
    /* False where there is no such blob. What `out` points to lives as long as the conversation. */
    bool (*known)(void *ctx, struct rf_str blob, struct rf_blob_known *out);
    /* Its bytes, verified; the strings live in `a`. RF_ENOTFOUND, RF_EFORMAT (damaged), RF_EIO. */
    enum rf_code (*open)(void *ctx, struct rf_str blob, struct rf_arena *a, struct rf_bytes *out,
                         struct rf_err *err);
    /* Keep a look that knows more than the one before. May be NULL; what cannot be kept is found
     * out again. */
    void (*learn)(void *ctx, struct rf_str blob, const struct rf_inspection *look);
};

/* Where the files of a conversation are. */
struct rf_asset_place {
    const char *base; /* relative paths are relative to it; NULL: the working folder */
    const char *root; /* that no path may leave; "": paths are free; NULL: as who wrote them may */
    const char *tool_root; /* where `root` is NULL: the same for tools and models; NULL: `base` */
    /* Real paths outside of it that may be read all the same, and all below them. */
    const struct rf_str *granted;
    size_t granted_count;
    const char *kept; /* where conversions are kept: paths may lead there too; or NULL */
    const struct rf_blob_source *blobs; /* or NULL */
    /* Base64 gets an id by a hash of its characters that costs a tenth of SHA-256: for whoever does
     * not keep the file, and needs the id only to tell one file of a request from another. */
    bool quick_ids;
    /* A picture with a sound header is taken to be sound, and no worker looks at all of it. */
    bool by_headers;
};

/* The place for what is named by a message of this role: its root is known. Where none was said, a
 * user may name files anywhere, and what a tool or a model says stays in its folder. */
struct rf_asset_place rf_asset_place_for(const struct rf_asset_place *place, enum rf_role role);

void rf_asset_init(struct rf_asset *asset, const struct rf_block *block,
                   const struct rf_asset_place *place, struct rf_arena *a);
/* Take the files out that hide in a text file; words stand in their places then. It keeps the id
 * that it has with them. */
void rf_asset_lift(struct rf_asset *asset, struct rf_lifted *lifted, struct rf_arena *a);

/* The family of workers that is to examine it before anybody decides about it; NULL: none, or it
 * was. */
const char *rf_asset_examiner(const struct rf_asset *asset);
/* What that is asked, and about which bytes. */
struct rf_recipe rf_asset_exam(const struct rf_asset *asset);
const struct rf_bytes *rf_asset_exam_input(const struct rf_asset *asset);
/* Take in what the examiner answered; beside a blob it is kept. */
void rf_asset_examined(struct rf_asset *asset, const struct rf_job *job, struct rf_arena *a);

/* How many pages a document has: counted, or as its block says; 0: unknown. */
int64_t rf_asset_pages(const struct rf_asset *asset);

/* Have the bytes of a blob at hand, verified. One that is gone or damaged makes the asset
 * BROKEN. Does nothing for other assets, or the second time. */
void rf_asset_open(struct rf_asset *asset, struct rf_arena *a);

/* A FILE_ID whose bytes are in a blob too, for another provider than the one that has the file:
 * becomes BYTES, unopened, or BROKEN where the blob is. False, and nothing has changed, where
 * there is none. */
bool rf_asset_as_blob(struct rf_asset *asset, struct rf_arena *a);

/* Give the asset its id, if it has none: "att_" and the first 12 hex digits of the SHA-256 of
 * its bytes; of what names it, where there are no bytes or more than may ever be sent. Reads all
 * of the bytes, but not of a blob, whose name tells its hash. A file that cannot be read any
 * more makes the asset BROKEN; fails only where nothing can be hashed at all. */
RF_MUST enum rf_code rf_asset_identify(struct rf_asset *asset, struct rf_arena *a,
                                       struct rf_err *err);

/* Is it the name of a blob: "sha256:" and 64 hexadecimal digits? */
bool rf_is_blob(struct rf_str name);
/* The SHA-256 of its bytes as hex digits, where that is known without reading them: of a blob. Else
 * empty. */
struct rf_str rf_asset_sha256(const struct rf_asset *asset);

/* Is it a file that a worker made, in the folder where those are kept? The folder may be NULL. */
bool rf_is_kept(const char *folder, const char *path);

/* The bytes of a source that has them here: a path, base64 or a data URL. Fails as opening a
 * file does, with RF_EFORMAT where it is not base64 or not a path, and with RF_EUNSUPPORTED for
 * other sources. */
RF_MUST enum rf_code rf_source_bytes(const struct rf_source *source,
                                     const struct rf_asset_place *place, struct rf_arena *a,
                                     struct rf_bytes *out, struct rf_err *err);

/* Would the bytes be read as text? Then that, as UTF-8 where they are in another encoding. */
bool rf_bytes_are_text(const struct rf_bytes *bytes, struct rf_str name, struct rf_arena *a,
                       struct rf_str *out);

#define RF_MIME_FOLDER "inode/directory"

/* What it is, in one word: "image", "archive", "folder". */
const char *rf_asset_word(const struct rf_asset *asset);
/* Of one that is TOLD: what its text is ("a list of its 12 files"), and why nothing else is
 * sent. */
struct rf_str rf_asset_told(const struct rf_asset *asset, struct rf_arena *a);
struct rf_str rf_asset_told_why(const struct rf_asset *asset, struct rf_arena *a);

/* The block that a file of this kind stands in. */
enum rf_block_type rf_block_type_for(enum rf_kind kind);

/* A name for people and prompts: control characters, quotes and brackets replaced, the middle cut
 * out where it is long. */
struct rf_str rf_clean_name(struct rf_str name, struct rf_arena *a);
/* The last step of a URL's path: what stands before a path is a host, and may be a password. */
struct rf_str rf_name_in_url(struct rf_str url);
/* A URL the same way, without what may be a secret: the user's name and password, and what
 * stands after "?" or "#". */
struct rf_str rf_clean_url(struct rf_str url, struct rf_arena *a);

#endif
