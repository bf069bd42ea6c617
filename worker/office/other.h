/* Telling the documents that are not Office Open XML from their bytes, and from what the caller
 * knows.
 *
 * Each returns false, having said nothing, where the file is none of its own. */
#ifndef RF_OFFICE_OTHER_H
#define RF_OFFICE_OTHER_H

#include "worker/office/office.h"

/* RTF, mail, HTML, flat OpenDocument, and every archive for op=list. */
bool rf_office_other(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to);
/* OpenDocument and EPUB, for op=text. */
bool rf_office_other_zip(const struct rf_ask *ask, struct rf_unzip *zip, struct rf_answer *to);

void rf_office_flat_odf(const struct rf_ask *ask, struct rf_str bytes, struct rf_answer *to);

#endif
