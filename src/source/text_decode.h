/* Text in the encodings that files have, as UTF-8. What is not a character becomes U+FFFD. */
#ifndef RF_SOURCE_TEXT_DECODE_H
#define RF_SOURCE_TEXT_DECODE_H

#include "base/bytes.h"

enum rf_encoding {
    RF_ENCODING_NONE, /* this is not text */
    RF_ENCODING_UTF8,
    RF_ENCODING_UTF16LE,
    RF_ENCODING_UTF16BE,
    RF_ENCODING_LATIN1, /* with letters of Windows-1252 where it has none: always a guess */
};

struct rf_text_kind {
    enum rf_encoding encoding;
    unsigned mark; /* bytes of the byte order mark */
    bool guessed;
};

/* What the first 64 KiB look like. Fails as reading does. */
RF_MUST enum rf_code rf_text_kind(struct rf_reader *r, struct rf_text_kind *out,
                                  struct rf_err *err);

/* Takes the bytes from the front of `in` that make whole characters (all of them when `last`) and
 * writes them to `out`, which has room for three bytes a byte of `in`. */
size_t rf_text_decode(enum rf_encoding encoding, struct rf_str in, bool last, char *out,
                      size_t *taken);

#define RF_TEXT_GROWTH 3 /* bytes of UTF-8 that a byte may become */

/* All of a text, in memory. Fails as reading does. */
RF_MUST enum rf_code rf_text_whole(struct rf_reader *r, struct rf_text_kind kind,
                                   struct rf_arena *a, struct rf_str *out);

#endif
