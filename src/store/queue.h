/* What waits for its commit: messages as they will be stored, settings, and what was done with
 * files.
 *
 * Everything that is added to a session goes through here, one message as well as ten thousand:
 * blobs are put while a message is taken into the queue, and one transaction writes all of it to
 * the tables. So no transaction is open while a caller thinks, and a connection that breaks can
 * be tried again. */
#ifndef RF_STORE_QUEUE_H
#define RF_STORE_QUEUE_H

#include "store/ids.h"
#include "store/store.h"

struct rf_queued_message {
    struct rf_kept kept;
    const char *role;
    struct rf_str provider, model; /* of an answer */
    int64_t input_tokens, output_tokens;
    int64_t created_ms;
    char
        /* By which it is known again, should it be unknown whether it was kept. */
        mark[RF_MARK_SIZE];
};

struct rf_queued_settings {
    int64_t number; /* of the message that they hold from */
    struct rf_str body;
};

struct rf_queued_sent {
    struct rf_hash hash;
    struct rf_sent_way way;
    int64_t at_ms;
};

/* A file that its provider takes when it is made anew. */
struct rf_queued_remade {
    struct rf_hash hash;
    struct rf_str provider, reason;
    int64_t at_ms;
};

struct rf_queue {
    struct rf_arena *arena;
    struct rf_queued_message *messages;
    size_t message_count, message_cap;
    struct rf_queued_settings *settings;
    size_t settings_count, settings_cap;
    struct rf_queued_sent *sent;
    size_t sent_count, sent_cap;
    struct rf_hash *dropped; /* files that later requests go without: an import's */
    size_t dropped_count, dropped_cap;
    struct rf_queued_remade *remade; /* an import's */
    size_t remade_count, remade_cap;
    size_t bytes;    /* of the messages */
    bool holds;      /* rf_store_hold, since the first message */
    unsigned opened; /* which opening of the connection that was in */
    bool tried;      /* a transaction was begun for it */
    int64_t files;   /* that the session did not have before; counted while they are written */
};

/* Put the blobs of a message and take it in; `a` and `kept` as in rf_session_add_message, or NULL.
 * Fails as rf_keep_message does, and with RF_ELIMIT where the session gets too long to be read. */
RF_MUST enum rf_code rf_queue_message(struct rf_session *s, const struct rf_message *m,
                                      struct rf_arena *a, struct rf_message *kept,
                                      struct rf_err *err);
/* `settings` is an object, without "refract" and "messages", in the queue's arena. Those that the
 * session has already are not taken in again. */
void rf_queue_settings(struct rf_session *s, struct rf_str settings);
void rf_queue_sent(struct rf_session *s, const struct rf_queued_sent *sent);
/* Both count only with a message that is queued beside them; what is known of a file already
 * stays. */
void rf_queue_dropped(struct rf_session *s, const struct rf_hash *hash);
void rf_queue_remade(struct rf_session *s, const struct rf_queued_remade *remade);

/* Write it all, and empty the queue, which also a failure does. */
RF_MUST enum rf_code rf_queue_commit(struct rf_session *s, struct rf_err *err);
void rf_queue_drop(struct rf_session *s);

#endif
