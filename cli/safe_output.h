/* An answer on its way to standard output, piece by piece, so that no terminal obeys it: control
 * characters become '?', but for line feeds and tabs, and a carriage return before a line feed
 * goes.
 *
 *     rf_safe_output_add(&a, piece);
 *     rf_safe_output_end(&a);
 */
#ifndef RF_CLI_SAFE_OUTPUT_H
#define RF_CLI_SAFE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include <refract/str.h>

struct rf_safe_output {
    FILE *out;
    const char *front; /* of each line; or NULL */
    bool open;       /* the last line has no end yet */
    char rest[8];    /* the beginning of a character, or a carriage return */
    size_t rest_count;
};

void rf_safe_output_add(struct rf_safe_output *a, struct rf_str piece);
/* End the last line, where there is one without an end. */
void rf_safe_output_end(struct rf_safe_output *a);

#endif
