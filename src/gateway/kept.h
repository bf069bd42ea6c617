/* An exchange for whoever looks at it: while it is under way, what was asked and as much of the
 * reply as has come; once it is over, all that was read and made of it.
 *
 *     the exchange's loop ──▶ struct rf_seen (locked while a piece is added or copied) ──▶ viewers
 *              └──▶ `translation`, once, when it is over ──▶ viewers, one at a time
 *
 * What was asked does not change and is read without a lock. What is made of it is the exchange's
 * until it is over: who wants to see that before makes it again, by `front` and `text`.
 *
 * Nothing is copied for it but the reply: the client's body, the conversation, the model and the
 * request change hands. */
#ifndef RF_GATEWAY_KEPT_H
#define RF_GATEWAY_KEPT_H

#include "gateway/keyring.h"
#include "gateway/translate.h"

struct rf_event;
struct rf_refusal;

/* The reply */

struct rf_seen_piece {
    int64_t after_us; /* since the exchange began */
    size_t end;       /* in the text of all */
    const char *kind; /* of what is said; NULL: these are bytes as the client was sent them */
    size_t block;
};

/* Pieces one after the other. It only grows, so a place in it stays one. */
struct rf_seen_text {
    struct rf_seen_piece *pieces;
    size_t piece_count, piece_cap;
    char *p;
    size_t n, cap;
    bool cut;     /* more came than is kept */
    bool goes_on; /* a part of one: its first piece began before it */
};

#define RF_SEEN_REPLY ((size_t)1 << 20) /* bytes of each text that are kept */

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

struct rf_seen {
    struct rf_arena *arena; /* the loop's */
    int64_t began_us;
    bool late;                /* the reply had begun when somebody first looked */
    pthread_mutex_t lock;     /* of all that follows */
    struct rf_seen_text sent; /* in the client's words */
    /* What those say. Kinds: "text", "thinking", "call" (the tool's name), "arguments", "other"
     * (the kind of a block), "stop" (why), "again" (another attempt begins: forget the words). */
    struct rf_seen_text said;
    struct rf_seen_refusal *refusals;
    size_t refusal_count, refusal_cap;
};

/* What the loop tells. These take NULL, where the exchange is not kept whole. */
void rf_seen_reply(struct rf_seen *s, struct rf_str bytes);
void rf_seen_event(struct rf_seen *s, const struct rf_event *e);
void rf_seen_refused(struct rf_seen *s, const struct rf_model *m, const struct rf_refusal *r);
/* No answer came, or not a whole one. */
void rf_seen_broken(struct rf_seen *s, const struct rf_model *m, const struct rf_err *err);
/* It is asked again: that refusal was not the end. `healed` is what was done about it, or empty. */
void rf_seen_again(struct rf_seen *s, struct rf_str healed);

/* What viewers ask. */

/* Of one of its texts what is after place `from`, at most `most` bytes, copied to `a`. The ends of
 * its pieces are counted from there; the last one may go on. */
struct rf_seen_text rf_seen_since(struct rf_seen *s, const struct rf_seen_text *t, size_t from,
                                  size_t most, struct rf_arena *a);
/* All refusals up to now, copied to `a`. */
struct rf_seen_refusal *rf_seen_refusals(struct rf_seen *s, struct rf_arena *a, size_t *count);

/* All of it */

struct rf_kept_exchange {
    atomic_uint users;
    struct rf_setup *setup;
    char *body;
    struct rf_front front;       /* what was asked, and */
    struct rf_str text;          /* the body that it was asked with */
    struct rf_key_holder client; /* whose key may change what is made of it */
    struct rf_seen *seen;        /* never NULL */
    atomic_bool over;            /* then there is `translation` */
    pthread_mutex_t lock; /* of who reads what follows: reports are written into arenas of it */
    struct rf_translation translation;
    struct rf_translation *planned; /* made by a viewer while it is under way; or NULL */
    size_t bytes;                   /* that it holds, about; the loop's */
    struct rf_kept_exchange *next;  /* the ring's, of those that it frees */
};

/* Of an exchange that begins, which is its first user and lends it all of these until it ends. */
struct rf_kept_exchange *rf_kept_new(struct rf_setup *setup, char *body, struct rf_str text,
                                     const struct rf_front *front,
                                     const struct rf_key_holder *client, int64_t began_us);
/* It ends: all that was lent is the kept exchange's now, with what `t` points to. Viewers see that
 * with `over`, which the page sets. */
void rf_kept_end(struct rf_kept_exchange *k, const struct rf_translation *t);
/* With its lock: what a viewer made is not needed any more. */
void rf_kept_forget_plan(struct rf_kept_exchange *k);
void rf_kept_drop(struct rf_kept_exchange *k); /* by a user; takes NULL */
void rf_kept_free(struct rf_kept_exchange *k); /* without users */

#endif
