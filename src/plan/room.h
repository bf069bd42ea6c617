/* How much of a message's text is sent, where it does not fit whole: joint.c gave it so many tokens
 * and bytes, and its texts use them up one after the other. */
#ifndef RF_PLAN_ROOM_H
#define RF_PLAN_ROOM_H

#include "model/model.h"
#include "plan/joint.h"

struct rf_room {
    int64_t tokens, bytes; /* that are left, bytes as JSON spells them; INT64_MAX: for all of it */
    size_t used;           /* bytes of text that were sent whole */
};

struct rf_room rf_room_of(const struct rf_joint_message *m);

/* Is there room for all of the text? Then it is taken. */
bool rf_room_take(struct rf_room *r, const struct rf_caps *c, struct rf_str text);
/* The front of a text for which there is room; none is left after it. */
struct rf_str rf_room_front(struct rf_room *r, const struct rf_caps *c, struct rf_str text);

#endif
