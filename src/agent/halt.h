/* What stops an agent: somebody, or the clock of one question. A signal handler may call
 * rf_halt_cancel; whoever waits for something waits for `fd` too. */
#ifndef RF_AGENT_HALT_H
#define RF_AGENT_HALT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct rf_halt {
    int cancel_fd, timer_fd; /* something to be read at one of them: stop */
    int fd;                  /* something to be read here where there is at one of them */
    int64_t most_seconds;    /* of a question; 0: any */
};

RF_MUST enum rf_code rf_halt_open(struct rf_halt *h, struct rf_err *err);
void rf_halt_close(struct rf_halt *h);

/* A question begins; it is over: what stopped it counts no more. */
void rf_halt_start(struct rf_halt *h);
void rf_halt_calm(struct rf_halt *h);
void rf_halt_cancel(struct rf_halt *h);

/* Is it to stop: was it cancelled, or is its time over? */
bool rf_halt_due(const struct rf_halt *h);
/* Why, in words for the model. */
const char *rf_halt_words(const struct rf_halt *h);
/* Fails with RF_EINTERRUPTED or RF_ELIMIT, whichever it was. */
enum rf_code rf_halt_fail(const struct rf_halt *h, struct rf_err *err);

#endif
