/* Functions that we do not use, because each has a safer neighbour: naming one is an error.
 *
 * The build puts this file before every source (no file includes it), in builds with gcc; builds
 * with clang go without it, so that an #include which only this file makes good is noticed there.
 * The headers below declare what is banned, so they have to come first. */
#ifndef RF_BASE_BANNED_H
#define RF_BASE_BANNED_H

#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* These write without knowing how much room there is: struct rf_buf, rf_strf, snprintf. */
#pragma GCC poison strcpy stpcpy strcat sprintf vsprintf gets
/* These look like they know, and then leave out the NUL or count from the wrong end: memcpy. */
#pragma GCC poison strncpy stpncpy strncat
/* These keep state between calls that all threads share: rf_str_split, localtime_r, gmtime_r. */
#pragma GCC poison strtok localtime gmtime ctime asctime
/* These cannot tell a number from rubbish: rf_str_int64. */
#pragma GCC poison atoi atol atoll atof
/* These take the stack by input: an arena. */
#undef alloca
#undef strdupa
#undef strndupa
#pragma GCC poison alloca strdupa strndupa
/* These race with whoever made the name: mkstemp. */
#pragma GCC poison tmpnam mktemp tempnam

#endif
