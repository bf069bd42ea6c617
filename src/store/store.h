/* The insides of a store and of a session. The public calls are in refract/session.h.
 *
 * Everything in messages is text of the neutral format; what can be asked for without reading
 * messages (counts, titles, tokens, files) stands in columns beside them, written in the same
 * transaction. */
#ifndef RF_STORE_STORE_H
#define RF_STORE_STORE_H

#include "content/content.h"
#include "source/asset.h"
#include "store/blobs.h"
#include "store/sql.h"

#include <refract/session.h>

/* Open blobs at s3://…; what is read of them is kept in the folder `cache`. Makes no call yet. */
typedef enum rf_code rf_bucket_opener(const char *address, const char *cache, struct rf_blobs **out,
                                      struct rf_err *err);

/* What the configuration says about keeping. */
struct rf_store_options {
    const char *address; /* a folder, or postgres://… */
    const char *blobs;   /* a folder, s3://…, or with PostgreSQL "database" */
    const char *cache;   /* folder for blobs that are read out of a database or bucket; or NULL */
    rf_bucket_opener *bucket; /* or NULL: the store is for its documents, see rf_store_make */
    const char *made;         /* folder of what workers made, where paths may lead too; or NULL */
    bool leave_files;         /* do not copy files that messages name by their path */
    int64_t file_bytes;       /* of one file that is copied; a larger one stays a path */
    int64_t text_bytes;       /* of a text that stays in its message */
};
#define RF_STORE_FILE_BYTES ((int64_t)256 << 20)
#define RF_STORE_TEXT_BYTES ((int64_t)100 << 10)

/* Is it the address of a database that several machines may use? */
bool rf_store_is_shared(struct rf_str address);
/* Is it a folder, or an address with a scheme for which there is a store? Fails with RF_EUSAGE. */
RF_MUST enum rf_code rf_store_address_check(struct rf_str address, struct rf_err *err);
/* The same of where blobs are; an address of a bucket is read. Fails with RF_ECONFIG, too. */
RF_MUST enum rf_code rf_store_blobs_check(struct rf_str where, struct rf_err *err);

/* Where blobs are at s3://… and no `bucket` is given, the store has none, and one that was not made
 * before is RF_ENOTFOUND: who makes it looks into the bucket first. */
RF_MUST enum rf_code rf_store_make(const struct rf_store_options *o, struct rf_store **out,
                                   struct rf_err *err);

/* What is known of a blob without opening it: a row of the table. */
struct rf_blob_row {
    struct rf_hash hash;
    int64_t size, object;
    struct rf_str look; /* what source/inspect.h wrote of it */
};

struct rf_store {
    struct rf_arena *arena; /* of it and its strings */
    struct rf_store_options options;
    struct rf_sql *sql;
    struct rf_blobs *blobs; /* or NULL: it is for its documents */
    const char *place;
    const char *spare;          /* SQLite, when it is ready: the file of spare.h; else NULL */
    struct rf_session *writers; /* that are open to be written, by `next` */
    unsigned held;              /* rf_store_hold, so many times */
    unsigned alone;             /* which opening of the connection rf_store_hold_alone was in */
};

/* Asking and changing. A connection that broke is opened anew here, with patience: a server may be
 * starting again. Whoever uses store->sql directly goes without that. */

/* Run a query; it is run again where the connection broke before the first row. */
RF_MUST enum rf_code rf_store_query(struct rf_store *s, const char *statement,
                                    const struct rf_sql_value *values, size_t count,
                                    rf_sql_row *each, void *ctx, struct rf_err *err);
/* Do `work` in a transaction, and once more from the beginning where the connection broke; also
 * where it is unknown whether the commit was done, so doing it twice must do no harm. */
RF_MUST enum rf_code rf_store_transact(struct rf_store *s,
                                       enum rf_code (*work)(struct rf_store *s, void *ctx,
                                                            struct rf_err *err),
                                       void *ctx, struct rf_err *err);

/* While this is held, by any number of processes, no blob is taken away: whoever puts blobs
 * holds it until what refers to them is in the tables. It counts. Fails with RF_ELIMIT where
 * somebody takes blobs away for too long. */
RF_MUST enum rf_code rf_store_hold(struct rf_store *s, struct rf_err *err);
void rf_store_release(struct rf_store *s);
/* Hold it alone, to take blobs away. RF_ELIMIT where others do not let go of it. */
RF_MUST enum rf_code rf_store_hold_alone(struct rf_store *s, struct rf_err *err);
/* Is it still held, should the connection have broken since? RF_ELIMIT. */
RF_MUST enum rf_code rf_store_check_alone(struct rf_store *s, struct rf_err *err);
void rf_store_release_alone(struct rf_store *s);

/* Enter a blob that was put into its table, or that it was touched now. */
RF_MUST enum rf_code rf_store_enter_blob(struct rf_store *s, const struct rf_blob_row *row,
                                         struct rf_err *err);
/* Keep a look that knows more than the one in the table; a store that cannot be written stays as
 * it is. */
void rf_store_learn_look(struct rf_store *s, const struct rf_hash *hash,
                         const struct rf_inspection *look);
/* What the table says of a blob. Fails with RF_ENOTFOUND. */
RF_MUST enum rf_code rf_store_find_blob(struct rf_store *s, const struct rf_hash *hash,
                                        struct rf_arena *a, struct rf_blob_row *out,
                                        struct rf_err *err);
/* tools_store.c: keep a file that somebody read. Fails with RF_ELIMIT or RF_EUNSUPPORTED where it
 * is not kept. */
RF_MUST enum rf_code rf_store_keep(struct rf_store *s, const struct rf_bytes *bytes,
                                   struct rf_arena *a, struct rf_hash *out, struct rf_err *err);

/* Documents: small texts by name that all who use the store share. One that is not there is
 * empty and has version 0. `*replaced` is false where the version is another by now, and nothing
 * has changed. */
RF_MUST enum rf_code rf_store_document_read(struct rf_store *s, const char *name,
                                            struct rf_arena *a, int64_t *version,
                                            struct rf_str *body, struct rf_err *err);
RF_MUST enum rf_code rf_store_document_replace(struct rf_store *s, const char *name,
                                               int64_t version, struct rf_str body, bool *replaced,
                                               struct rf_err *err);

struct rf_session {
    struct rf_store *store;
    char id[RF_SESSION_ID_SIZE];
    struct rf_arena *arena;
    struct rf_str title;
    bool titled;           /* by somebody */
    bool to_write, is_new; /* new: nothing is in the tables yet */
    bool in_batch;
    bool no_files; /* it was made here, all of it, and none of its messages has a file */
    int64_t count;
    size_t bytes; /* of its messages, as far as they were read or written through it */
    char *base, *root;
    struct rf_session *next; /* of the store's writers */
    unsigned opened;         /* that of the connection when the lock was taken */
    struct rf_queue *queue;  /* what waits for its commit: queue.h */
    struct rf_str settings;  /* the last that were set through it; kept from its first message on */
    struct rf_hash *taken;   /* blobs that were put for it since it was opened */
    size_t taken_count, taken_cap;
};

/* reach.c. The blob that is meant by "att_…" or "sha256:…", if the session may see it: RF_ENOTFOUND
 * where it may not, or there is none. */
RF_MUST enum rf_code rf_session_reach(struct rf_session *s, struct rf_str name, struct rf_arena *a,
                                      struct rf_hash *out, struct rf_err *err);
/* A blob was put for the session: its messages may name it. */
void rf_session_took(struct rf_session *s, const struct rf_hash *hash);

/* session.c. The lock of whoever writes: "session ID". */
struct rf_str rf_session_lock_name(struct rf_str id, struct rf_arena *a);
/* Is the session still this process's own to write, after its connection broke? RF_EPERMISSION. */
RF_MUST enum rf_code rf_session_check_ours(struct rf_session *s, struct rf_err *err);
/* Fails with RF_EPERMISSION and the name of whoever writes to it. */
RF_MUST enum rf_code rf_session_fail_locked(struct rf_store *s, const char *id, struct rf_err *err);
/* What makes a session the last that was used. Clocks jump; this only grows. */
#define RF_NEXT_USE "(SELECT COALESCE(MAX(used), 0) + 1 FROM sessions)"
/* A row of the table, for a session that is new in it. */
RF_MUST enum rf_code rf_session_insert(struct rf_store *s, const struct rf_session_info *i,
                                       bool titled, struct rf_err *err);
/* A text fit for a column and a terminal: UTF-8 of at most `most` bytes, without control
 * characters, with single spaces for white space. */
struct rf_str rf_session_plain(struct rf_str text, size_t most, struct rf_arena *a);
/* The same of the first line of a text, cut after a word where it is longer, with "…" after it. */
struct rf_str rf_session_heading(struct rf_str text, size_t most, struct rf_arena *a);

/* append.c. Append a message. `kept`, in `a`, becomes the message as it is kept: its files are
 * blobs, long texts are cut. It needs nothing of `m`. Fails as rf_session_append does. */
RF_MUST enum rf_code rf_session_add_message(struct rf_session *s, const struct rf_message *m,
                                            struct rf_arena *a, struct rf_message *kept,
                                            struct rf_err *err);
/* The settings of `c` hold from the next message on. The same as before are not written again. */
RF_MUST enum rf_code rf_session_set_of(struct rf_session *s, const struct rf_conversation *c,
                                       struct rf_err *err);

/* gc.c. Take away all rows of a session. */
RF_MUST enum rf_code rf_session_delete(struct rf_store *s, struct rf_str id, struct rf_err *err);

/* load.c. What is known by now of the files of the session's messages, in `a`. */
RF_MUST enum rf_code rf_session_blobs(struct rf_session *s, struct rf_arena *a,
                                      const struct rf_blob_source **out, struct rf_err *err);

/* files.c. Remember how a file ("sha256:…", or its id, which takes longer) was sent; between
 * rf_session_begin and rf_session_commit it is kept with the rest. RF_ENOTFOUND for an id that the
 * session does not have; nothing is kept of such a hash. */
struct rf_sent_way {
    struct rf_str delivery, form, as, lost; /* as struct rf_session_file has them */
    struct rf_str provider, model;          /* to whom */
};
RF_MUST enum rf_code rf_session_note_sent(struct rf_session *s, struct rf_str file,
                                          const struct rf_sent_way *way, struct rf_err *err);

/* keep.c: make of a message what is stored. Media becomes blobs, long text too. `files` lists what
 * it refers to, in order, for the tables. A blob that it names is one that the session may see, or
 * stays a name. */
struct rf_kept_file {
    struct rf_blob_row row;
    struct rf_str id, kind, name, mime;
    int64_t width, height, duration_ms;
};
struct rf_kept {
    struct rf_str body;        /* compact JSON */
    struct rf_str first_words; /* of a user message: for the title */
    struct rf_kept_file *files;
    size_t count, cap;
};
RF_MUST enum rf_code rf_keep_message(struct rf_session *s, struct rf_message *m,
                                     const struct rf_asset_place *place, struct rf_arena *a,
                                     struct rf_kept *out, struct rf_err *err);

/* Milliseconds since 1970. */
int64_t rf_epoch_ms(void);

#endif
