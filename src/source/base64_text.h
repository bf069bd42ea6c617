/* Base64 as people and programs write it, made canonical. */
#ifndef RF_SOURCE_BASE64_TEXT_H
#define RF_SOURCE_BASE64_TEXT_H

#include "base/bytes.h"

struct rf_arena;

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

#endif
