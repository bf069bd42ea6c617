/* --password-file FILE: what opens an encrypted document. */
#ifndef RF_CLI_PASSWORD_H
#define RF_CLI_PASSWORD_H

#include <refract/agent.h>
#include <refract/tools.h>

#define RF_PASSWORD_HELP "open encrypted files with the first line of FILE"

/* Take the first line of a file, or of standard input where it is "-", for tools or for an agent.
 * Fails with RF_ENOTFOUND, RF_EIO, and as rf_tools_password does. */
enum rf_code rf_password_take(struct rf_tools *tools, const char *path, struct rf_err *err);
enum rf_code rf_password_give(struct rf_agent *agent, const char *path, struct rf_err *err);

#endif
