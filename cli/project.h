/* The configuration, where a project's files may ask for what was not agreed to: what is said of
 * that, and asking on a terminal whether they are trusted.
 *
 *     if (rf_project_open(&config, RF_PROJECT_ASK, &err)) …
 */
#ifndef RF_CLI_PROJECT_H
#define RF_CLI_PROJECT_H

#include <refract/config.h>

#include "term/buffer.h"

enum rf_project_how {
    RF_PROJECT_NOTE, /* a line on standard error says what is left out */
    /* The same, and what reading files lacks in safety is said: rf_project_say_sandbox. */
    RF_PROJECT_READ,
    /* The same as the first, also where somebody said no: who wants servers is told why there are
     * none. */
    RF_PROJECT_SERVERS,
    RF_PROJECT_ASK,   /* a person is asked where there is one; else the line */
    RF_PROJECT_QUIET, /* a person is asked; else nothing is said */
};

/* Open the configuration. Fails as rf_config_open does. */
RF_MUST enum rf_code rf_project_open(struct rf_config **out, enum rf_project_how how,
                                     struct rf_err *err);

/* Less than the whole sandbox, which the person permits, is said each time. */
void rf_project_say_sandbox(const struct rf_config *c);

/* "./.refract.yaml is", "./.refract.yaml and ./.mcp.json are": those that ask for something, and
 * the verb, of which `one` is for one file and `more` for several. */
void rf_project_files(struct rf_buffer *out, const struct rf_config *c, const char *one,
                      const char *more);

/* All that the project's files ask for, a line each, such that all of it is seen and nothing steers
 * a terminal. */
void rf_project_list(struct rf_buffer *out, const struct rf_config *c);

/* Where a folder above has a file of a project, which does not count here: say so, as the hint. */
bool rf_project_hint_above(struct rf_err *err);

/* "tools.build, models.fast and 2 more" */
void rf_project_names(struct rf_buffer *out, const struct rf_config *c);

#endif
