/* A request on its way out: what encode and convert share. */
#ifndef RF_CLI_DELIVER_H
#define RF_CLI_DELIVER_H

#include <stdbool.h>

#include <refract/request.h>

/* Write the body to standard output. The delivery report goes to standard error where it was asked for;
 * else what was left out of the request. Returns the exit status. */
int rf_deliver(struct rf_request *r, bool explain);

#endif
