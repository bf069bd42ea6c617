/* A file that the command line names, or standard input. */
#ifndef RF_CLI_INPUT_H
#define RF_CLI_INPUT_H

#include <stddef.h>

#include <refract/content.h>

/* Open it to be read; "-" is standard input. Returns the descriptor, or -1 with RF_ENOTFOUND or
 * RF_EIO. */
int rf_input_open(const char *path, struct rf_err *err);
/* Close it, unless it is standard input. */
void rf_input_close(int fd);

/* All of it, for the caller to free. Fails with RF_ELIMIT over `most` bytes too. */
enum rf_code rf_input_take(const char *path, size_t most, struct rf_str *out, struct rf_err *err);

/* As rf_conversation_open; what is wrong inside is told with the name of the file. */
enum rf_code rf_input_conversation(const char *path, struct rf_conversation **out,
                                   struct rf_err *err);

/* RF_ENOTFOUND where an option names a folder that is not there. `path` may be NULL. */
enum rf_code rf_input_folder(const char *path, const char *option, struct rf_err *err);

/* The folder that a file is in, for the caller to free; "." for a name without one and for standard
 * input. */
char *rf_input_folder_of(const char *path);

#endif
