/* What the files of base64 share: the two tables, and the kernels that each processor brings. A
 * kernel for another processor is there too, and never usable, so that no #if is needed. */
#ifndef RF_BASE_BASE64_KERNELS_H
#define RF_BASE_BASE64_KERNELS_H

#include "base/base64.h"

#define RF_BASE64_VALID 64 /* the bit that says that a character belongs to the alphabet */

extern const char rf_base64_alphabet[64];
/* By character: its value with RF_BASE64_VALID added, or 0 when it is foreign. */
extern const uint8_t rf_base64_values[256];

/* base64_x86.c */
extern const struct rf_base64_kernel rf_base64_ssse3, rf_base64_avx2, rf_base64_avx512;
/* base64_neon.c */
extern const struct rf_base64_kernel rf_base64_neon;

#endif
