/* A docx, xlsx or pptx that needs a password: an OLE container in which a stream EncryptionInfo
 * says how another, EncryptedPackage, is encrypted. That one holds the archive: its size in eight
 * bytes, then AES over it all.
 */
#ifndef RF_OFFICE_UNLOCK_H
#define RF_OFFICE_UNLOCK_H

#include "worker/frame.h"
#include "worker/legacy/compound.h"

/* The archive, in the arena. Fails as rf_locked says, and with RF_EFORMAT where the container is
 * damaged. Notes what was changed after it was encrypted. */
enum rf_code rf_unlock_package(const struct rf_ask *ask, struct rf_compound *c,
                               struct rf_answer *to, struct rf_str *out, struct rf_err *err);

struct rf_locked_package {
    struct rf_arena *arena;
    struct rf_str info, package; /* the two streams */
    struct rf_str password;      /* in UTF-16; p is NULL: there is none */
    struct rf_answer *to;
};
/* Since Office 2010: XML that names the hash, the size of the key and how often to hash. */
enum rf_code rf_unlock_agile(const struct rf_locked_package *l, struct rf_str *out,
                             struct rf_err *err);

#endif
