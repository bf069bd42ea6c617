/* The settings of a request as the model accepts them; what has to go is said in a notice. */
#ifndef RF_PLAN_SETTINGS_H
#define RF_PLAN_SETTINGS_H

#include "plan/plan.h"

/* Is a tool of that name among those that may be called? */
bool rf_plan_is_allowed(const struct rf_jval *names, struct rf_str name, struct rf_arena *a);

/* How long the answer may be, as it is asked for; 0: it is not said. */
int64_t rf_plan_answer_tokens(const struct rf_conversation *c, const struct rf_model *m);

void rf_plan_settings(struct rf_plan *p, const struct rf_survey *s, struct rf_arena *a);

#endif
