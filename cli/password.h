/* --password-file FILE: what opens an encrypted document. */
#ifndef RF_CLI_PASSWORD_H
#define RF_CLI_PASSWORD_H

#include <refract/tools.h>

/* Take the first line of a file, or of standard input where it is "-". Fails with RF_ENOTFOUND,
 * RF_EIO, and as rf_tools_password does. */
enum rf_code rf_password_take(struct rf_tools *tools, const char *path, struct rf_err *err);

#endif
