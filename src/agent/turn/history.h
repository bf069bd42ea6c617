/* The conversation that an agent holds, message by message, and the session that keeps it.
 *
 *     rf_history_init(&h, store, arena);
 *     rc = rf_history_begin(&h, &settings, err);
 *     rc = rf_history_append(&h, &message, 1, err);
 *     rc = rf_history_view(&h, NULL, arena, &conversation, err);
 *
 * A message is held as the session keeps it: its files are blobs, long texts are cut. Where nothing
 * is kept, it is held as it came. */
#ifndef RF_AGENT_TURN_HISTORY_H
#define RF_AGENT_TURN_HISTORY_H

#include "agent/texts.h"
#include "content/content.h"

struct rf_bytes;
struct rf_session;
struct rf_store;

struct rf_history {
    struct rf_arena *arena; /* of the messages: another when they are summed up */
    struct rf_message *messages;
    size_t count, cap;
    uint64_t bytes;             /* of the messages, where nothing is kept */
    struct rf_store *store;     /* or NULL: nothing is kept */
    struct rf_session *session; /* or NULL: not yet, or nothing is kept */
    const char *base;           /* where relative paths in messages begin; or NULL */
    bool torn;                  /* the last answer may have calls without results */
    bool stale;                 /* the session may have messages that are not here */
    struct rf_arena *lasting;   /* of all that follows; the owner's */
    struct rf_str system;       /* that the session had when it was opened */
    struct rf_options options;  /* likewise */
    struct rf_str dialect;      /* likewise, until a question sets what holds from then on */
    enum rf_choice tool_choice;
    struct rf_str tool_choice_name;
    struct rf_texts blobs;      /* that were put for the next message */
    int64_t told_before;        /* files of so many messages were told of by whoever asked then: */
    struct rf_texts sent;       /* "sha256:… WAY" of each, as it was sent last */
};

void rf_history_init(struct rf_history *h, struct rf_store *store, struct rf_arena *lasting);
void rf_history_release(struct rf_history *h);

/* Go on with a session: all of it is read. Fails as rf_session_open does; then nothing has
 * changed. */
RF_MUST enum rf_code rf_history_resume(struct rf_history *h, const char *id, struct rf_err *err);
/* Hold nothing, and no session: that one is closed. */
void rf_history_leave(struct rf_history *h);
/* Hold the first `count` messages alone: in a fork of the session, which stays whole. Where that
 * fails nothing has changed. */
RF_MUST enum rf_code rf_history_go_back(struct rf_history *h, size_t count, struct rf_err *err);
/* A session, where there is a store and none was begun; and the settings that it has from now
 * on. */
RF_MUST enum rf_code rf_history_begin(struct rf_history *h, const struct rf_conversation *settings,
                                      struct rf_err *err);
/* Add messages, all or none. */
RF_MUST enum rf_code rf_history_append(struct rf_history *h, const struct rf_message *messages,
                                       size_t count, struct rf_err *err);
/* After a process died in the middle of a turn: calls without results get one that says so. */
RF_MUST enum rf_code rf_history_mend(struct rf_history *h, struct rf_err *err);
/* Let `first` be all that was said: in a new session, whose parent the old one is. Where that
 * fails nothing has changed, but that `left`, if it is not empty, names a session that is empty. */
RF_MUST enum rf_code rf_history_restart(struct rf_history *h, const struct rf_message *first,
                                        struct rf_arena *a, struct rf_str *left,
                                        struct rf_err *err);

/* All of it and, where that is not NULL, one message more that is not kept; in `a`, and good until
 * the history is resumed, restarted or released. */
RF_MUST enum rf_code rf_history_view(struct rf_history *h, const struct rf_message *more,
                                     struct rf_arena *a, struct rf_conversation *out,
                                     struct rf_err *err);

/* Put a file that the next message will name into the store. */
RF_MUST enum rf_code rf_history_keep(struct rf_history *h, const struct rf_bytes *bytes,
                                     struct rf_arena *a, struct rf_str *blob, struct rf_err *err);

/* What became of a file, as one text to compare: where and as what it went, and what of it did
 * not. */
struct rf_str rf_history_way(struct rf_str delivery, struct rf_str form, struct rf_str as,
                             struct rf_str lost, struct rf_arena *a);
/* Was whoever asked before told that this file of this message goes this way? */
bool rf_history_was_told(const struct rf_history *h, size_t message, struct rf_str sha256,
                         struct rf_str way);

#endif
