/* The models that can be used here, for people: which of them fit, and what is said of each. */
#ifndef RF_CLI_USABLE_H
#define RF_CLI_USABLE_H

#include <stdbool.h>

#include <refract/models.h>

#include "text.h"

/* Does the name hold all of the words, whatever their case? */
bool rf_usable_fits(struct rf_str name, const char *const *words, size_t count);
/* Does any model that is listed or configured? */
bool rf_usable_any(const struct rf_config *config, const struct rf_models *models,
                   const char *const *words, size_t count);

/* "200k", "1M", or "" where it is not known; "3", "0.15" dollars; "images, PDF, tools". */
const char *rf_window_text(int64_t tokens, char out[RF_SHORT_TEXT]);
const char *rf_dollars_text(int64_t micros, char out[RF_SHORT_TEXT]);
#define RF_TAKES_TEXT 96
const char *rf_takes_text(unsigned takes, char out[RF_TAKES_TEXT]);
/* "200k window, $2 in, $10 out, images, PDF, tools, ends on 2026-11-30". */
#define RF_ABOUT_TEXT 256
const char *rf_usable_about(const struct rf_usable *m, char out[RF_ABOUT_TEXT]);
/* Is the day, "2026-11-30", past? */
bool rf_day_is_past(struct rf_str day);

/* Print the list of those that fit `words`: as a table with what is missing below it, or as JSON.
 * Fails with what kept a list from coming where none came at all; and with `none`, which may be
 * NULL, where nothing fits. */
enum rf_code rf_usable_print(const struct rf_config *config, const struct rf_models *models,
                             const char *const *words, size_t word_count, bool json,
                             const struct rf_err *none, struct rf_err *err);

#endif
