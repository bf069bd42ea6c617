/* Base64 as people and programs write it, made canonical. */
#ifndef RF_SOURCE_BASE64_TEXT_H
#define RF_SOURCE_BASE64_TEXT_H

#include "base/bytes.h"

struct rf_arena;

/* Digits of a line of wrapped base64. */
#define RF_BASE64_LONGEST 128
#define RF_BASE64_SHORTEST 40 /* where no mark says that it is some */

bool rf_is_data_url(struct rf_str url);

/* A data URL in pieces: "data:image/png;base64,iVBO…". False when `s` does not begin with one that
 * carries base64. `payload` is all that follows the comma. */
bool rf_data_url(struct rf_str s, struct rf_str *mime, struct rf_str *payload);

/* Canonical base64 of what is meant by `text`: white space and escaped line breaks dropped, the URL
 * alphabet turned into the standard one, padding added. A slice of `text` where nothing has to be
 * changed. Fails with RF_EFORMAT where it is not base64 at all. */
RF_MUST enum rf_code rf_base64_clean(struct rf_str text, struct rf_arena *a, struct rf_str *out,
                                     struct rf_err *err);

/* Characters of either base64 alphabet from the front, padding included. */
size_t rf_base64_run(struct rf_str s);

/* The same where it may be wrapped: lines of one length, the last of them shorter; the breaks may
 * be spelled as escapes. Words after it are not taken for a part of it. */
size_t rf_base64_block(struct rf_str s);
/* After lines of wrapped base64 in a text that was cut: is it nothing but the rest of them? */
bool rf_base64_is_cut(struct rf_str s);

#endif
