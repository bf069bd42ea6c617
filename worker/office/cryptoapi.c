#include "worker/office/cryptoapi.h"

#include "worker/legacy/compound.h"

#define SALT 16
#define SHA1 20
#define HEADER 12 /* bytes before it */
#define MIN_HEADER 32

enum { RC4 = 0x6801, AES_128 = 0x660e, AES_192 = 0x660f, AES_256 = 0x6610, HASH_SHA1 = 0x8004 };

/* A size that is not given is RC4's usual one. */
static size_t key_bytes(uint32_t algorithm, uint32_t bits)
{
    if (algorithm == RC4)
        return bits == 0 ? 5 : bits % 8 == 0 && bits >= 40 && bits <= 128 ? bits / 8 : 0;
    return algorithm == AES_128 ? 16 : algorithm == AES_192 ? 24 : algorithm == AES_256 ? 32 : 0;
}

bool rf_cryptoapi_read(struct rf_str info, struct rf_cryptoapi *out)
{
    uint32_t major = rf_at16(info, 0), size = rf_at32(info, 8);
    struct rf_str header = rf_at(info, HEADER, size);

    if (major < 2 || major > 4 || rf_at16(info, 2) != 2 || header.n < MIN_HEADER)
        return false;
    uint32_t algorithm = rf_at32(header, 8), hash = rf_at32(header, 12);
    struct rf_str verifier = rf_at(info, HEADER + header.n, info.n);
    size_t padded = algorithm == RC4 ? SHA1 : 32;
    if (rf_at32(verifier, 0) != SALT || verifier.n < 4 + SALT + 16 + 4 + padded)
        return false;
    *out = (struct rf_cryptoapi){
        .key_bytes = key_bytes(algorithm, rf_at32(header, 16)),
        .salt = rf_at(verifier, 4, SALT),
        .verifier = rf_at(verifier, 4 + SALT, 16),
        .verifier_hash = rf_at(verifier, 4 + SALT + 16 + 4, padded),
    };
    if (out->key_bytes && (hash == HASH_SHA1 || hash == 0))
        out->algorithm = algorithm == RC4 ? RF_CRYPTOAPI_RC4 : RF_CRYPTOAPI_AES;
    return true;
}
