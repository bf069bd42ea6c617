/* Text in the encodings that files have, as UTF-8. What is not a character becomes U+FFFD, and is
 * counted. */
#ifndef RF_SOURCE_TEXT_DECODE_H
#define RF_SOURCE_TEXT_DECODE_H

#include "base/bytes.h"
#include "media/media.h"
#include "media/text_kind.h"

/* What the first 64 KiB look like. Fails as reading does. */
RF_MUST enum rf_code rf_text_kind(struct rf_reader *r, struct rf_text_kind *out,
                                  struct rf_err *err);

/* What a text is, by its front: HTML, JSON, XML or plain. Never NULL. */
const struct rf_format *rf_text_format(struct rf_reader *r, struct rf_text_kind kind);

struct rf_decoded {
    size_t n;     /* bytes that were written */
    size_t taken; /* bytes of the input */
    size_t bad;   /* those of them that are not characters */
};

/* Takes the bytes from the front of `in` that make whole characters (all of them when `last`) and
 * writes them to `out`, which has room for three bytes a byte of `in`. */
struct rf_decoded rf_text_decode(enum rf_encoding encoding, struct rf_str in, bool last, char *out);

#define RF_TEXT_GROWTH 3 /* bytes of UTF-8 that a byte may become */

/* All of a text, in memory, and how many of its bytes are not characters. Fails as reading does. */
RF_MUST enum rf_code rf_text_whole(struct rf_reader *r, struct rf_text_kind kind,
                                   struct rf_arena *a, struct rf_str *out, size_t *bad);

#endif
