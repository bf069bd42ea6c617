/* What Office writes about an encryption that Windows does for it: xls, doc and ppt since 2002
 * (RC4), and the docx, xlsx and pptx of Office 2007 (AES).
 *
 *     version 2+2, flags 4, size of the header 4
 *     header: flags 4, 0, algorithm 4, hash 4, bits of the key 4, …, a name
 *     verifier: 16, salt 16, 16 bytes encrypted, size of their hash 4, that hash encrypted
 */
#ifndef RF_OFFICE_CRYPTOAPI_H
#define RF_OFFICE_CRYPTOAPI_H

#include "base/str.h"

enum rf_cryptoapi_algorithm {
    RF_CRYPTOAPI_OTHER,
    RF_CRYPTOAPI_RC4,
    RF_CRYPTOAPI_AES,
};

struct rf_cryptoapi {
    enum rf_cryptoapi_algorithm algorithm;
    size_t key_bytes;
    struct rf_str salt, verifier, verifier_hash; /* both encrypted; the hash is SHA-1, padded */
};

/* `info` from its version on; what is returned lies in it. False where this is nothing of the
 * kind; an algorithm that is not known is RF_CRYPTOAPI_OTHER. */
bool rf_cryptoapi_read(struct rf_str info, struct rf_cryptoapi *out);

#endif
