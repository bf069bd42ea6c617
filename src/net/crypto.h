/* What signatures are made of, from a libcrypto that is loaded at the first use. */
#ifndef RF_NET_CRYPTO_H
#define RF_NET_CRYPTO_H

#include "base/error.h"
#include "base/str.h"

#include <stdint.h>

struct rf_arena;

/* Fail with RF_EINTERNAL where libcrypto cannot be loaded. */
RF_MUST enum rf_code rf_hmac_sha256(struct rf_str key, struct rf_str text, uint8_t out[32],
                                    struct rf_err *err);
RF_MUST enum rf_code rf_sha256_text(struct rf_str text, char hex[65], struct rf_err *err);
/* RSA with SHA-256 (PKCS #1 v1.5). Fails with RF_ECONFIG, too: `pem` is not a private RSA key. */
RF_MUST enum rf_code rf_rsa_sha256(struct rf_str pem, struct rf_str text, struct rf_arena *a,
                                   struct rf_str *signature, struct rf_err *err);

#endif
