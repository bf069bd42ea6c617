/* What the program makes of an error of the library: its exit status, and which of its commands and
 * options help. */
#ifndef RF_CLI_ADVICE_H
#define RF_CLI_ADVICE_H

#include <refract/error.h>

int rf_exit_status(enum rf_code code);

/* The hint, and after it what the program has to say for the error's reason. "" where there is
 * neither. */
#define RF_ADVICE (sizeof((struct rf_err *)0)->hint + 128)
const char *rf_advice(const struct rf_err *err, char out[RF_ADVICE]);

#endif
