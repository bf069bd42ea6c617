/* The settings of a request as the model accepts them; what has to go is said in a notice. */
#ifndef RF_PLAN_SETTINGS_H
#define RF_PLAN_SETTINGS_H

#include "plan/plan.h"

void rf_plan_settings(struct rf_plan *p, struct rf_arena *a);

#endif
