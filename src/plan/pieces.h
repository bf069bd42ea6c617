/* A text that stands for a file, in pieces that can be left out from its end: its pages, slides
 * or sheets where they are known, else some lines each. */
#ifndef RF_PLAN_PIECES_H
#define RF_PLAN_PIECES_H

#include "plan/plan.h"

struct rf_pieces {
    struct rf_str text;
    const struct rf_text_piece *list;
    size_t count; /* 0 or 1: it goes whole or not at all */
};

/* The text that stands for the file, as far as it is sent: what was extracted before, else what
 * a worker did. Empty where there is none. */
struct rf_str rf_decision_text(const struct rf_decision *d);

/* All of that text. */
struct rf_pieces rf_pieces_of(const struct rf_decision *d, struct rf_arena *a);

/* The text that goes along with pictures of a document's pages, where the endpoint wants that: all
 * that is known, or as much as each file of a request may have of all such text. */
struct rf_str rf_text_along(const struct rf_decision *d, const struct rf_plan *p);

/* Bytes of all such text, as JSON spells it. */
int64_t rf_text_along_most(const struct rf_caps *c);

/* The first `count` of them. */
struct rf_str rf_pieces_front(const struct rf_pieces *p, size_t count);

#endif
