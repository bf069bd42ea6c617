/* The model in this process, asked without waiting for it: it answers in a thread of its own, and
 * what it says comes to the loop over a pipe, which holds it back while nobody reads. */
#ifndef RF_SEND_OFFLINE_H
#define RF_SEND_OFFLINE_H

#include "net/send.h"

#include <refract/offline.h>

struct rf_offline_sender; /* a request on its way */

/* Is it the model in this process? */
bool rf_offline_is(const struct rf_model *m);
/* A call to it but for its body and who takes the reply, in `a`. */
struct rf_offline_call rf_offline_call_of(const struct rf_model *m, struct rf_arena *a);

/* As rf_net_send_start; the request need not stay. */
struct rf_offline_sender *rf_offline_start(struct rf_net *net, const struct rf_offline *offline,
                                           const struct rf_sending *s, struct rf_arena *a,
                                           struct rf_sent *out);
/* As rf_net_send_cancel, rf_net_pause and rf_net_resume. */
void rf_offline_cancel(struct rf_offline_sender *o);
void rf_offline_pause(struct rf_offline_sender *o);
void rf_offline_resume(struct rf_offline_sender *o);

/* A body that is not sent anywhere has at most so many bytes. */
#define RF_OFFLINE_MOST ((size_t)200 << 20)

#endif
