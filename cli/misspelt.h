/* A name that nothing has: is there one that was meant? */
#ifndef RF_CLI_MISSPELT_H
#define RF_CLI_MISSPELT_H

#include <stdbool.h>

/* How far one name is from another, in letters to change. */
unsigned rf_name_distance(const char *a, const char *b);
/* Is that near enough to ask whether it was meant? */
bool rf_name_near(const char *given, unsigned distance);

#endif
