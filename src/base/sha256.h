/* SHA-256 through libcrypto. libcrypto is loaded at the first use and not at program start, since
 * most short commands never hash anything. */
#ifndef RF_BASE_SHA256_H
#define RF_BASE_SHA256_H

#include "base/error.h"
#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

struct rf_sha256; /* a hash under way */

/* Fails with RF_EINTERNAL where libcrypto cannot be loaded. */
enum rf_code rf_sha256_new(struct rf_sha256 **out, struct rf_err *err);
void rf_sha256_add(struct rf_sha256 *h, const void *p, size_t n);
void rf_sha256_finish(struct rf_sha256 *h, uint8_t digest[32]); /* the hash can be freed after it */
void rf_sha256_free(struct rf_sha256 *h);                       /* takes NULL */

/* All of it at once; fails as rf_sha256_new. */
RF_MUST enum rf_code rf_sha256_of(struct rf_str bytes, uint8_t digest[32], struct rf_err *err);

/* Lower-case hex with a NUL. */
void rf_sha256_hex(const uint8_t digest[32], char out[65]);
/* The way back, of hex in any case; false where it is not 64 digits. */
bool rf_sha256_read(struct rf_str hex, uint8_t digest[32]);

#endif
