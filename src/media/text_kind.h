/* Is it text, and in which encoding? One judgement of the first bytes, for everybody who asks:
 * reading, requests and workers.
 *
 *     struct rf_text_kind kind = rf_text_kind_of(head, more);
 *
 * It refuses to take bytes for text where zero bytes or many control characters say otherwise:
 * better a few words about a file than rubbish. */
#ifndef RF_MEDIA_TEXT_KIND_H
#define RF_MEDIA_TEXT_KIND_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

enum rf_encoding {
    RF_ENCODING_NONE, /* this is not text */
    RF_ENCODING_UTF8, /* perhaps with a few bytes that are not */
    RF_ENCODING_UTF16LE,
    RF_ENCODING_UTF16BE,
    RF_ENCODING_OTHER, /* a worker tells which; without one it is read as windows-1252 */
};

struct rf_text_kind {
    enum rf_encoding encoding;
    unsigned mark; /* bytes of the byte order mark */
    bool guessed;  /* the bytes do not say */
};

#define RF_TEXT_HEAD ((size_t)64 * 1024) /* as many bytes are worth looking at */

/* Of the bytes that a file begins with; `more` of them follow. */
struct rf_text_kind rf_text_kind_of(struct rf_str head, bool more);

/* The character that windows-1252 has at a byte from 0x80 to 0x9f; 0 where it has none. */
uint32_t rf_windows_1252(unsigned char byte);

#endif
