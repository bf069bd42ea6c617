/* How far a text is plain: ASCII without quotes, backslashes and control characters. Base64 is
 * nothing else, and nearly all that is in our documents, so this looks at as many bytes at once as
 * the processor can. */
#ifndef RF_BASE_PLAIN_RUN_H
#define RF_BASE_PLAIN_RUN_H

#include <stddef.h>

#define RF_PLAIN_BLOCK 128 /* bytes */

/* Bytes at the front of `p` that are plain, in whole blocks; fewer where the processor is not one
 * that this is for: 0. */
size_t rf_plain_run(const char *p, size_t n);

#endif
