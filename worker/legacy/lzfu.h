/* The compression that Outlook keeps RTF in ("LZFu"). */
#ifndef RF_LEGACY_LZFU_H
#define RF_LEGACY_LZFU_H

#include "base/str.h"

#define RF_LZFU_MAX ((size_t)32 << 20) /* bytes unpacked; what comes later is cut off */

/* Unpack; empty where it is not packed so. */
struct rf_str rf_lzfu(struct rf_arena *a, struct rf_str packed);

#endif
