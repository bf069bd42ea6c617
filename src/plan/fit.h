/* Making one request of many decisions: what each file costs, which limits they share, and what
 * follows when they do not fit together. */
#ifndef RF_PLAN_FIT_H
#define RF_PLAN_FIT_H

#include "plan/question.h"

/* `questions` has one for each decision of the plan. Changes decisions, and fills in
 * plan->messages. */
void rf_plan_fit(struct rf_plan *p, const struct rf_survey *s, const struct rf_question *questions,
                 struct rf_arena *a);

#endif
