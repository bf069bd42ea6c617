/* What was said already, and is not said again: each request of a question says the same about its
 * model.
 *
 *     if (!rf_was_said(&list, words)) …
 *     rf_said_forget(&list);
 */
#ifndef RF_CLI_SAID_H
#define RF_CLI_SAID_H

#include <stdbool.h>

#include <refract/str.h>

struct rf_said; /* NULL is the empty list */

/* Remembers it, too. */
bool rf_was_said(struct rf_said **list, struct rf_str words);
void rf_said_forget(struct rf_said **list);

#endif
