/* A JSON document that owns what it was read from: the inside of struct rf_jdoc. */
#ifndef RF_BASE_JSON_DOC_H
#define RF_BASE_JSON_DOC_H

#include "base/json_read.h"

/* A document of a copy of the value; NULL of NULL. Free it with rf_jdoc_free. */
struct rf_jdoc *rf_jdoc_of(const struct rf_jval *v);

#endif
