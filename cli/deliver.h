/* A request on its way out: what encode and convert share. */
#ifndef RF_CLI_DELIVER_H
#define RF_CLI_DELIVER_H

#include <stdbool.h>

#include <refract/request.h>

/* Write the body to standard output. The delivery report goes to standard error where it was asked
 * for; else what was left out of the request. Returns the exit status. */
int rf_deliver(struct rf_request *r, bool explain);

/* rf_request_build, with a line on the terminal while files take long to prepare. */
enum rf_code rf_deliver_build(const struct rf_conversation *conversation, struct rf_model *model,
                              const struct rf_request_options *options, struct rf_request **out,
                              struct rf_err *err);

#endif
