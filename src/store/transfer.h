/* What a session is outside of a store: one tar file.
 *
 *     session.jsonl       first a line for the session, then one a message, as they are stored
 *     blobs/HASH          every file of it; the first line lists them, with their sizes
 *
 * The first line: {"refract_session": 1, "id", "title", "titled", "created", "updated",
 * "messages" (how many lines follow), "parent", "parent_messages", "settings": [{"from",
 * "body"}], "dropped": [HASH], "sent": [{"blob", "provider", "model", "delivery", "as", "form",
 * "lost", "at"}], "remade": [{"blob", "provider", "reason", "at"}], "blobs": [{"blob",
 * "size"}]}. Each of the others: {"created", "message"}. Times are milliseconds since 1970,
 * hashes "sha256:…". */
#ifndef RF_STORE_TRANSFER_H
#define RF_STORE_TRANSFER_H

#include "base/limits.h"
#include "store/store.h"
#include "store/tar.h"

#define RF_TRANSFER_VERSION 1
#define RF_TRANSFER_SESSION "session.jsonl"
#define RF_TRANSFER_BLOBS "blobs/" /* and 64 digits */
#define RF_TRANSFER_MOST_TEXT RF_MAX_DOCUMENT_BYTES
#define RF_TRANSFER_MOST_BLOBS RF_MAX_LIST
#define RF_TRANSFER_MOST_BYTES ((uint64_t)1 << 40) /* of a whole archive */

/* A blob that an archive announces. */
struct rf_import_blob {
    struct rf_blob_row row;
    bool there; /* it came */
};

/* Its first line. Lists may be NULL. */
struct rf_import_head {
    int64_t version, created_ms, messages;
    struct rf_str id, title;
    bool titled;
    const struct rf_jval *settings, *dropped, *sent, *remade, *blobs;
};

/* An archive that is being imported. */
struct rf_import {
    struct rf_store *store;
    struct rf_session *session; /* that it becomes */
    struct rf_arena *arena;
    struct rf_tar_in tar;
    struct rf_str text, lines; /* session.jsonl, and what follows its first line */
    struct rf_import_head head;
    struct rf_import_blob *blobs; /* by hash */
    size_t count;
};

/* Read the archive to its end: the head, the lines, and every blob that it announces into the
 * store, where it is looked at but not entered. RF_EFORMAT, RF_ELIMIT, RF_EIO. */
RF_MUST enum rf_code rf_import_archive(struct rf_import *x, struct rf_err *err);
/* The blob that the archive announces by this name, or NULL. */
struct rf_import_blob *rf_import_find(const struct rf_import *x, struct rf_str name);
/* RF_EFORMAT: the archive is not a session, because … */
RF_MUST enum rf_code rf_import_refuse(struct rf_err *err, const char *why);

#endif
