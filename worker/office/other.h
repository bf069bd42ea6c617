/* Telling the documents that are not archives, from their bytes and from what the caller knows. */
#ifndef RF_OFFICE_OTHER_H
#define RF_OFFICE_OTHER_H

#include "worker/office/office.h"

bool rf_office_is_rtf(const struct rf_ask *ask, struct rf_str bytes);
bool rf_office_is_flat_odf(const struct rf_ask *ask, struct rf_str bytes);
bool rf_office_is_html(const struct rf_ask *ask, struct rf_str bytes);
bool rf_office_is_mail(const struct rf_ask *ask, struct rf_str bytes);

#endif
