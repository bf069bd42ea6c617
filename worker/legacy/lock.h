/* RC4 over the streams of Office 97 to 2003, of which each block has a key of its own.
 *
 *     rc = rf_lock_open(&lock, info, password, ask->arena, err);
 *     plain = rf_lock_decrypt(&lock, stream, 512, ask->arena);
 *     rf_lock_close(&lock);
 *
 * Both kinds: that of Office 97, whose keys have 40 bits, and that of Windows' CryptoAPI. The
 * masks of XOR that older documents have are not taken off.
 */
#ifndef RF_LEGACY_LOCK_H
#define RF_LEGACY_LOCK_H

#include "worker/frame.h"
#include "worker/office/cipher.h"

struct rf_rc4_lock {
    struct rf_hasher *hasher;
    struct rf_digest base; /* what the blocks' keys are made of */
    size_t key_bytes;
};

/* `info` says how, from its version on. Fails as rf_locked says; an empty password counts as
 * none. */
enum rf_code rf_lock_open(struct rf_rc4_lock *lock, struct rf_str info, struct rf_str password,
                          struct rf_arena *a, struct rf_err *err);
void rf_lock_close(struct rf_rc4_lock *lock);

/* Begin the cipher of a block. */
void rf_lock_start(const struct rf_rc4_lock *lock, uint32_t block, struct rf_rc4 *out);
/* A copy of the stream, of which all was encrypted in blocks of that many bytes. */
char *rf_lock_decrypt(const struct rf_rc4_lock *lock, struct rf_str stream, size_t block_bytes,
                      struct rf_arena *a);

#endif
