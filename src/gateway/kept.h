/* An exchange that is over, with all that was read and made of it, for whoever looks at it later.
 *
 * Nothing is copied for it but the reply: the client's body, the conversation, the model and the
 * request change hands. While an exchange is under way, `struct rf_seen` gathers what would be
 * gone by then. */
#ifndef RF_GATEWAY_KEPT_H
#define RF_GATEWAY_KEPT_H

#include "gateway/translate.h"

struct rf_message;
struct rf_refusal;

/* Of a reply, what was written at once. */
struct rf_seen_piece {
    int64_t after_us; /* since the exchange began */
    size_t end;       /* in the text of all */
};

/* A provider's refusal. */
struct rf_seen_refusal {
    int64_t after_us;
    struct rf_str provider, model;
    int status;
    enum rf_error_kind kind;
    struct rf_str words;
    bool again;           /* another request was made after it */
    struct rf_str healed; /* what that did about it, in a line; or empty */
};

#define RF_SEEN_REPLY ((size_t)1 << 20) /* bytes of a reply that are kept */

struct rf_seen {
    struct rf_arena *arena;
    int64_t began_us;
    struct rf_seen_piece *pieces;
    size_t piece_count, piece_cap;
    char *reply; /* in the client's words */
    size_t reply_n, reply_cap;
    bool cut;
    struct rf_seen_refusal *refusals;
    size_t refusal_count, refusal_cap;
    struct rf_str message; /* the reply in the neutral format; empty: there is none */
};

struct rf_seen *rf_seen_new(int64_t began_us);
void rf_seen_free(struct rf_seen *s); /* takes NULL */

/* These take NULL, where the exchange is not kept whole. */
void rf_seen_reply(struct rf_seen *s, struct rf_str bytes);
void rf_seen_refused(struct rf_seen *s, const struct rf_model *m, const struct rf_refusal *r);
/* No answer came, or not a whole one. */
void rf_seen_broken(struct rf_seen *s, const struct rf_model *m, const struct rf_err *err);
/* It is asked again: that refusal was not the end. `healed` is what was done about it, or empty. */
void rf_seen_again(struct rf_seen *s, struct rf_str healed);
void rf_seen_message(struct rf_seen *s, const struct rf_message *m);

struct rf_kept_exchange {
    atomic_uint users;
    pthread_mutex_t lock; /* of whoever reads it: reports are written into arenas of it */
    struct rf_setup *setup;
    char *body;
    struct rf_translation translation;
    struct rf_seen *seen;          /* never NULL */
    size_t bytes;                  /* that it holds, about */
    struct rf_kept_exchange *next; /* the ring's, of those that it drops */
};

/* Takes all of them, and what `t` points to. It has one user. */
struct rf_kept_exchange *rf_kept_new(struct rf_setup *setup, char *body,
                                     const struct rf_translation *t, struct rf_seen *seen);
void rf_kept_drop(struct rf_kept_exchange *k); /* takes NULL */

#endif
