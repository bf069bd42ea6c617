/* One file on its way down the ladder: what decide.c asks, and conversions.c too. */
#ifndef RF_PLAN_QUESTION_H
#define RF_PLAN_QUESTION_H

#include "plan/joint.h"
#include "plan/plan.h"
#include "source/read_limits.h"

struct rf_question {
    const struct rf_plan *plan;
    const struct rf_plan_options *options;
    const struct rf_caps *caps;
    const struct rf_asset *asset;
    bool in_result, failed; /* it is in a tool result, of a call that failed */
    struct rf_arena *arena;
    int64_t pages; /* of a document, at most so many; 0: as many as one may have here */
};

/* May a file of this kind and type go as bytes: inside a result, or in a user message? */
bool rf_question_takes(const struct rf_question *q, enum rf_kind kind, struct rf_str mime,
                       bool inside);
/* May media stand inside this result at all? */
bool rf_question_inside(const struct rf_question *q);

/* Was the document refused, though it could only go as its text? Then its pictures were. */
bool rf_question_refused_inside(const struct rf_question *q);

/* Why what is sent stands after the results and not in its own. */
struct rf_str rf_question_why_injected(const struct rf_question *q, enum rf_kind kind,
                                       struct rf_str mime);

/* Would something else than the file itself serve better: smaller, turned upright, those pages
 * only? */
bool rf_convert_prefers(const struct rf_question *q);
/* Pages that a body has room for, as pictures that can be read (min_page_base64); 0: any number. */
int64_t rf_convert_readable(const struct rf_caps *c);
/* What a body has room for of pictures that are made as small as they may be. */
struct rf_picture_room rf_convert_picture_room(const struct rf_caps *c);
/* The first rung that a worker can make: fills in the decision. False when there is none, or all
 * failed. */
bool rf_convert_media(const struct rf_question *q, struct rf_decision *d);
/* The same file with less of it: a small picture, a few frames. Fills in the decision; false
 * where there is no such thing. */
bool rf_convert_smaller(const struct rf_question *q, struct rf_decision *d);
/* The same document with at most so many of its pages. Fills in the decision; false where they
 * cannot be had. */
bool rf_convert_fewer(const struct rf_question *q, struct rf_decision *d, int64_t pages);
/* Text that a worker can extract, where it was not done before. Fills in `recipe`, `made` and
 * `text`; false when there is none to be had. */
bool rf_convert_text(const struct rf_question *q, struct rf_decision *d);
/* The beginning of a text file that is too long; no worker is asked for it. The same is filled
 * in; false where it is not a text file. */
bool rf_convert_front(const struct rf_question *q, struct rf_decision *d);
/* Is the text of this decision such a beginning? */
bool rf_convert_is_front(const struct rf_decision *d);
#define RF_FRONT_BYTES 8000
#define RF_FRONT_TOKENS 2000

#endif
