/* Texts as web addresses and forms want them (application/x-www-form-urlencoded). */
#ifndef RF_NET_FORM_H
#define RF_NET_FORM_H

#include "base/buf.h"

/* A text with everything but letters, digits and "-._~" percent-encoded. */
void rf_form_text(struct rf_buf *b, struct rf_str text);
/* A field after those that are there: "name=value", with "&" before it where `b` is not empty. */
void rf_form_field(struct rf_buf *b, const char *name, struct rf_str value);
/* The text that was encoded so. */
struct rf_str rf_form_decode(struct rf_str s, struct rf_arena *a);
/* The value of a field in a query or form, decoded; NULL where there is none. */
const struct rf_str *rf_form_get(struct rf_str fields, const char *name, struct rf_arena *a);

/* Base64 of the URL alphabet, without padding. */
struct rf_str rf_base64url(struct rf_str bytes, struct rf_arena *a);

#endif
