/* The blocks of a reply that is being written: what came of each, and what of that was written.
 * Between respond.c, which takes in events, and the order in which writers are called. */
#ifndef RF_WIRE_RELAY_H
#define RF_WIRE_RELAY_H

#include "wire/respond.h"

/* A block on its way: what of it was written. */
struct rf_relayed {
    struct rf_draft *draft;
    const struct rf_block *done; /* as far as its start or its end told it, or NULL */
    size_t start, written;       /* of its text: where what is open began; what was written */
    size_t closed;               /* its last place among the closed blocks, from 1; 0: none */
    const struct rf_block *told; /* as it was closed with the marks that go with its end, or NULL */
    bool opened, ended;
    bool bare;     /* a call whose id was told without its mark */
    bool complete; /* `done` came with its end */
    bool owes;     /* it was closed before all marks came */
};

struct rf_responding {
    struct rf_respond_how how;
    struct rf_arena *arena, *scratch;
    struct rf_reply reply;    /* gathers the pieces */
    struct rf_relayed *parts; /* in the order of their starts */
    size_t count, cap;
    struct rf_relayed *current; /* that the writer has open, or NULL */
    struct rf_buf out;
    struct rf_telling telling;
    struct rf_block *closed;
    size_t closed_cap;
    bool begun, done;
    int status;
};

/* The words, or the arguments, that came so far; is it a text, a thought or a call? */
struct rf_str rf_relayed_said(const struct rf_relayed *p);
bool rf_relayed_has_words(const struct rf_relayed *p);
/* As far as it is known: the words are those of what is open. */
struct rf_block *rf_relayed_block(struct rf_responding *r, const struct rf_relayed *p);

/* Write all that can be written by now. */
void rf_relay_advance(struct rf_responding *r);
void rf_relay_begin(struct rf_responding *r);
/* One more block that was closed, or is in the body. */
void rf_relay_add(struct rf_responding *r, const struct rf_block *b);

/* It has ended: where it was closed before, say what came since or tell that it is lost. */
void rf_relayed_settle(struct rf_responding *r, struct rf_relayed *p);
void rf_relayed_lose(struct rf_responding *r, const struct rf_relayed *p);

#endif
