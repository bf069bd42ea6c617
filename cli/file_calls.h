/* The conversation of a model that asked for files, all at once, and got them: each read as the
 * tool read_file does, or a part of it. */
#ifndef CLI_FILE_CALLS_H
#define CLI_FILE_CALLS_H

#include <refract/refract.h>

/* It is the caller's to free. No more text is read than `reader` is shown at once; NULL: as much as
 * the configuration says. Fails as reading a file does. */
RF_MUST enum rf_code rf_file_calls(const struct rf_config *config, const struct rf_model *reader,
                                   const char *const *files, size_t count,
                                   struct rf_conversation **out, struct rf_err *err);

#endif
