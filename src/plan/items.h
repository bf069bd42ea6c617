/* What stands in a message, as items on their way into a turn (layout.c). */
#ifndef RF_PLAN_ITEMS_H
#define RF_PLAN_ITEMS_H

#include "base/buf.h"
#include "plan/ids.h"
#include "plan/plan.h"
#include "plan/sight.h"

struct rf_items {
    struct rf_item *list;
    size_t count, cap;
};

/* A plan while its turns are built. */
struct rf_layout {
    struct rf_plan *plan;
    const struct rf_survey *survey;
    const struct rf_caps *caps;
    struct rf_arena *arena;
    const struct rf_surveyed *of; /* the message whose items are made; or NULL */
    struct rf_ids call_ids, tool_ids;
    struct rf_ids tools_by_name; /* a place is the index of the first tool of the name, plus one */
    size_t *first_decision;      /* of each message: decisions come in the order of the parts */
    struct rf_sight sight;
    struct rf_items injected; /* files of the results of this turn, which come after them all */
    size_t documents;         /* numbered so far */
    const char *own;          /* the API that gets its own fields back, as this is; or NULL */
    struct rf_ids lost_types; /* of what answers hold and only another model could use */
    struct rf_buf lost;       /* those, for a notice */
    bool lost_thoughts;       /* some were left out */
    const struct rf_tool_call *unread; /* the first of those whose arguments are not an object */
    size_t unread_count;
};

/* Is it the dialect that this request is written in? */
bool rf_layout_is_home(const struct rf_layout *l, struct rf_str dialect);

/* What its own API was told besides, where that goes back; or NULL. `extra` is a field of that
 * name. */
const struct rf_jval *rf_layout_own(const struct rf_layout *l, const struct rf_jval *extra);

/* Nothing is added where the text is blank. */
void rf_items_add_text(struct rf_layout *l, struct rf_items *to, struct rf_str text);

/* Give it a mark, which may be NULL, where the endpoint has such. */
void rf_items_mark(const struct rf_layout *l, struct rf_item *item, const struct rf_jval *mark);
/* Has one of them a mark up to which the prompt is worth keeping? */
bool rf_items_marked(const struct rf_items *items);

/* The parts of a user message, of the result of `call`, or of a result without one (NULL). */
void rf_items_add_parts(struct rf_layout *l, struct rf_items *to, const struct rf_surveyed *m,
                        const struct rf_item *call);

/* The result of a call; `m` is NULL where none was recorded. */
struct rf_item rf_items_result(struct rf_layout *l, const struct rf_item *call,
                               const struct rf_surveyed *m);

struct rf_items rf_items_of_answer(struct rf_layout *l, const struct rf_surveyed *m);

/* Are the last calls without the thoughts that led to them? */
bool rf_items_lack_thoughts(const struct rf_layout *l);

#endif
