/* What is piped in: text or a file, as it comes. It becomes a file for as long as the program runs,
 * so that it is given along like any other, and nothing in it is taken for the person's own words.
 *
 *     if (rf_piped_is_there() && rf_piped_read(&bytes, &err)) …
 *     path = rf_piped_keep(bytes, &err);
 *     rf_piped_drop();
 */
#ifndef RF_CLI_PIPED_H
#define RF_CLI_PIPED_H

#include <stdbool.h>

#include <refract/error.h>
#include <refract/str.h>

#define RF_PIPED_NAME "stdin"

/* Is it "-", or a part of that, such as "-#p=3-5"? */
bool rf_piped_is_meant(const char *word);
/* Is standard input a pipe, a socket or a file? */
bool rf_piped_is_there(void);
/* All of it, to be freed. Says on standard error that it waits, where it does for long. Fails with
 * RF_EIO and RF_ELIMIT. */
enum rf_code rf_piped_read(struct rf_str *out, struct rf_err *err);
/* Is it text? */
bool rf_piped_is_text(struct rf_str bytes);
/* The path of a file with these bytes, until rf_piped_drop; NULL with RF_EIO. */
const char *rf_piped_keep(struct rf_str bytes, struct rf_err *err);
/* Safe in a signal handler. */
void rf_piped_drop(void);

#endif
