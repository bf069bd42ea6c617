/* OpenDocument that needs a password: each member of the archive is packed, then encrypted, and
 * the manifest says how. */
#ifndef RF_OFFICE_ODF_UNLOCK_H
#define RF_OFFICE_ODF_UNLOCK_H

#include "worker/frame.h"
#include "worker/office/unzip.h"

/* The text of "content.xml" where it is encrypted, in the arena; left alone where it is not. Fails
 * as rf_locked says, and with RF_EFORMAT or RF_ELIMIT for what came out of it. */
enum rf_code rf_odf_unlock(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_str *content,
                           struct rf_err *err);

#endif
