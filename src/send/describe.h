/* Asking a server about a model, before a request to it is planned.
 *
 * A server that can be asked (wire/describe.h) is asked once a day, and again where it refuses what
 * the model was said to take. Its answer is kept with what was learned, for that address. One that
 * does not answer, or not in time, changes nothing: what is known stands, and it is not asked again
 * for that day and struct rf_model.
 *
 *     rc = rf_describe_now(net, config, model, RF_DESCRIBE_DAILY, cancel_fd, err);
 */
#ifndef RF_SEND_DESCRIBE_H
#define RF_SEND_DESCRIBE_H

#include "config/config.h"
#include "model/model.h"
#include "net/net.h"
#include "wire/describe.h"

#include <refract/send.h>

enum rf_describe_when {
    RF_DESCRIBE_DAILY, /* where that was not done today */
    RF_DESCRIBE_ANEW,
};

/* As rf_describe; fails with RF_EINTERRUPTED too, where `cancel_fd` can be read. */
RF_MUST enum rf_code rf_describe_now(struct rf_net *net, const struct rf_config *config,
                                     struct rf_model *m, enum rf_describe_when when, int cancel_fd,
                                     struct rf_err *err);

/* As rf_describe_start, which waits for whoever else writes down what was learned; this writes
 * nothing. The model knows what was said, and `said` has it, in its arena, for
 * rf_learned_describe. */
struct rf_describing *rf_describe_hear(struct rf_network *n, const struct rf_describe_options *what,
                                       struct rf_said *said);

#endif
