/* Signals that tell a server something, as bytes that can be read.
 *
 * SIGINT and SIGTERM are '\0', stop; SIGHUP is RF_GATEWAY_RELOAD. SIGPIPE is ignored from then on. */
#ifndef RF_CLI_SIGNAL_PIPE_H
#define RF_CLI_SIGNAL_PIPE_H

#include <refract/error.h>

/* Once a process. Fails with RF_EIO. */
RF_MUST enum rf_code rf_signal_pipe(int *fd, struct rf_err *err);

#endif
