/* Sessions: conversations that are kept, complete and unchanged, with every file in them.
 *
 *     if (rf_store_open(config, &store, &err)) …
 *     if (rf_session_new(store, &session, &err)) …
 *     if (rf_session_append(session, RF_LIT("{\"role\":\"user\",\"content\":\"Hello\"}"), &err)) …
 *     if (rf_session_conversation(session, &conversation, &err)) …
 *     if (rf_request_build(conversation, model, options, &request, &err)) …
 *
 * A session is a list of messages in the neutral format to which messages are only ever added.
 * Files that a message names are copied into the store when it is added, so that the past stays
 * what it was; a request is a projection of all that for one model, and changes nothing here.
 *
 * The store is a file of SQLite in the data folder, or a PostgreSQL database for several
 * machines: what the configuration says. Any number of processes may read; a session has one
 * writer at a time. A store and what was opened through it belong to one thread at a time.
 *
 * Unless something else is said, calls fail with RF_EIO where the store cannot be read or
 * written, with RF_EFORMAT where it is damaged, with RF_ENOTFOUND where there is no such session
 * or file, and with RF_ELIMIT where others keep the store busy; then nothing has changed. */
#ifndef REFRACT_SESSION_H
#define REFRACT_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refract/config.h>
#include <refract/conversation.h>
#include <refract/error.h>
#include <refract/request.h>
#include <refract/str.h>
#include <refract/tools.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rf_store;
struct rf_session;

/* Open the store that the configuration names; `config` may be NULL. One that is not there is made.
 * Fails with RF_ECONFIG where it is from a newer version, cannot be reached, or no data folder is
 * known. */
RF_API RF_MUST enum rf_code rf_store_open(const struct rf_config *config, struct rf_store **out,
                                          struct rf_err *err);
/* The same at an address: a folder, or "postgres://…". */
RF_API RF_MUST enum rf_code rf_store_open_at(const char *address, struct rf_store **out,
                                             struct rf_err *err);
RF_API void rf_store_close(struct rf_store *s); /* takes NULL; close its sessions first */
/* Where it is, for people: a path, or an address without its password. */
RF_API const char *rf_store_place(const struct rf_store *s);

/* What is known of a session without opening it. The strings live until the callback returns. */
struct rf_session_info {
    struct rf_str id, title;
    int64_t created_ms, updated_ms; /* since 1970 */
    int64_t messages, files;
    int64_t input_tokens, output_tokens; /* reported for its answers, summed */
    struct rf_str provider, model;       /* of the last answer */
    struct rf_str parent;                /* the session it was forked from, or empty */
    int64_t parent_messages;             /* of which it has so many */
    /* Who writes to it now, as "anna@host, process 123"; or empty. */
    struct rf_str owner;
};

/* All sessions, the one that changed last first; at most `most` of them (0: all). */
RF_API RF_MUST enum rf_code rf_store_list(struct rf_store *s, size_t most,
                                          void (*each)(void *ctx, const struct rf_session_info *i),
                                          void *ctx, struct rf_err *err);

/* Ids look like "20261115-4k7m2q". Wherever one is taken, its beginning will do where only one
 * session has it, and "last" is the one that changed last, whatever the clock says. RF_EUSAGE for
 * one that is not an id, or that is the beginning of several. */
#define RF_SESSION_ID_SIZE 32
RF_API RF_MUST enum rf_code rf_store_find(struct rf_store *s, const char *id,
                                          char found[RF_SESSION_ID_SIZE], struct rf_err *err);

/* Opening. A session that is opened to be written belongs to this process until it is closed, or
 * the process ends, however that happens; another gets RF_EPERMISSION and the owner's name. A
 * new session is kept from its first message on. */
RF_API RF_MUST enum rf_code rf_session_new(struct rf_store *s, struct rf_session **out,
                                           struct rf_err *err);
RF_API RF_MUST enum rf_code rf_session_open(struct rf_store *s, const char *id, bool to_write,
                                            struct rf_session **out, struct rf_err *err);
RF_API void rf_session_close(struct rf_session *s); /* takes NULL */

/* A new session with the first `messages` messages of another (-1: all), to be written. */
RF_API RF_MUST enum rf_code rf_session_fork(struct rf_store *s, const char *id, int64_t messages,
                                            struct rf_session **out, struct rf_err *err);

RF_API const char *rf_session_id(const struct rf_session *s);
RF_API int64_t rf_session_count(const struct rf_session *s); /* of messages that are kept */
/* The title that it was given, or the first line of what a person said first, cut after a word
 * where that is long. Lives as long as `s`. */
RF_API struct rf_str rf_session_title(const struct rf_session *s);
RF_API RF_MUST enum rf_code rf_session_set_title(struct rf_session *s, struct rf_str title,
                                                 struct rf_err *err);

/* Where the files are that messages name: relative paths are relative to `base` (default: the
 * working folder), and none may lead out of `root`. Without one (NULL, the default) a user's
 * messages may name files anywhere, and those of tools and models stay below `base`; "" frees
 * all. */
RF_API void rf_session_folders(struct rf_session *s, const char *base, const char *root);

/* Add a message: neutral JSON, as rf_decode_finish and rf_result_json write it (a tool
 * result needs its role, tool_call_id and name). When this returns, it is on the disk: all of it
 * or, on a failure, nothing. Media in it becomes blobs, base64 that hides in text too; a text
 * that is too long for a history becomes a blob with its first lines in its place (see
 * read_attachment in tools.h). Fails with RF_EFORMAT for what is not a message, and with
 * RF_EPERMISSION where the session was opened to be read. */
RF_API RF_MUST enum rf_code rf_session_append(struct rf_session *s, struct rf_str message,
                                              struct rf_err *err);
/* What is appended between these two is kept by the second, all or nothing; faster for many. */
RF_API RF_MUST enum rf_code rf_session_begin(struct rf_session *s, struct rf_err *err);
RF_API RF_MUST enum rf_code rf_session_commit(struct rf_session *s, struct rf_err *err);
RF_API void rf_session_rollback(struct rf_session *s);

/* The rest of the conversation: a neutral document without messages ("system", "tools",
 * "tool_choice", "options"). From now on; what was sent before is not forgotten. */
RF_API RF_MUST enum rf_code rf_session_set(struct rf_session *s, struct rf_str settings,
                                           struct rf_err *err);
/* A whole conversation: its settings and all its messages, in one. */
RF_API RF_MUST enum rf_code rf_session_add(struct rf_session *s, struct rf_conversation *c,
                                           struct rf_err *err);

/* All of it as a conversation, to be given to rf_request_build: its files are found in the
 * store, those that were dropped or refused become notes. To be freed, and before the store is
 * closed: that is where its files are. */
RF_API RF_MUST enum rf_code
rf_session_conversation(struct rf_session *s, struct rf_conversation **out, struct rf_err *err);

/* Remember of each file how this request sent it. */
RF_API RF_MUST enum rf_code rf_session_sent(struct rf_session *s, struct rf_request *r,
                                            struct rf_err *err);

/* A file of a session. The strings live until the callback returns. */
struct rf_session_file {
    struct rf_str id, hash; /* "att_…", "sha256:…" */
    struct rf_str name, kind, mime;
    int64_t message; /* that it is first in */
    int64_t bytes;
    int64_t width, height, duration_ms; /* 0: not known */
    bool dropped;
    /* The last request that it was in: where it went ("native", …), in which form ("original",
     * …; empty: not known), as what, what of it did not go (with "; " between), to whom, when. */
    struct rf_str delivery, form, as, lost, provider, model;
    int64_t sent_ms;
    struct rf_str refused_by, refusal; /* the provider that refused it as broken, and its words */
    int64_t refused_ms;
    bool remade; /* and it took what was made of the file */
};

RF_API RF_MUST enum rf_code
rf_session_files(struct rf_session *s, void (*each)(void *ctx, const struct rf_session_file *f),
                 void *ctx, struct rf_err *err);
/* Leave a file (its id or hash) out of later requests, or send it again. */
RF_API RF_MUST enum rf_code rf_session_drop(struct rf_session *s, const char *file,
                                            struct rf_err *err);
RF_API RF_MUST enum rf_code rf_session_keep(struct rf_session *s, const char *file,
                                            struct rf_err *err);
/* A provider refused the file as broken: from now on it gets a note, in every session. And
 * lifting that, for one provider that did or, with NULL, for all. */
RF_API RF_MUST enum rf_code rf_session_quarantine(struct rf_session *s, const char *file,
                                                  const char *provider, struct rf_str reason,
                                                  struct rf_err *err);
/* A provider refused the file as it is and took what was made of it: from now on it gets that,
 * in every session. Lifted as above. */
RF_API RF_MUST enum rf_code rf_session_remade(struct rf_session *s, const char *file,
                                              const char *provider, struct rf_str reason,
                                              struct rf_err *err);
RF_API RF_MUST enum rf_code rf_session_lift(struct rf_session *s, const char *file,
                                            const char *provider, struct rf_err *err);

/* What was taken away. */
struct rf_gc {
    int64_t blobs, leftovers; /* that were removed */
    int64_t bytes;
    int64_t kept; /* blobs that are still used, or too young */
};

/* Take a session away, with the blobs that nothing else uses, which `freed` (or NULL) counts.
 * RF_EPERMISSION while somebody writes to it. */
RF_API RF_MUST enum rf_code rf_store_remove(struct rf_store *s, const char *id, struct rf_gc *freed,
                                            struct rf_err *err);

/* Take away what nothing uses and that was not touched for `age_s` seconds: blobs, and what writes
 * that were cut off have left. A file of SQLite that is mostly empty is made shorter. */
RF_API RF_MUST enum rf_code rf_store_gc(struct rf_store *s, int64_t age_s, struct rf_gc *out,
                                        struct rf_err *err);

/* A session as one tar file: session.jsonl, a line for the session and one a message, and
 * blobs/. It is read again by any store. Importing gives it a new id where its own is taken; it
 * verifies every hash and refuses links, paths that lead anywhere, and more than it was told:
 * RF_EFORMAT, RF_ELIMIT; then nothing is kept. `id` becomes the session's. */
RF_API RF_MUST enum rf_code rf_session_export(struct rf_session *s, int fd, struct rf_err *err);
RF_API RF_MUST enum rf_code rf_store_import(struct rf_store *s, int fd, char id[RF_SESSION_ID_SIZE],
                                            struct rf_err *err);

/* Have the tools keep what they read for a session, at the moment they read it, and look into what
 * the session has: the files and long texts of its messages and of those that it was forked from.
 * What other sessions have is not there, whoever knows its id or its hash. The session must outlive
 * the tools, or NULL takes it away from them. */
RF_API void rf_tools_session(struct rf_tools *t, struct rf_session *s);

#ifdef __cplusplus
}
#endif
#endif
