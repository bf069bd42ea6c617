/* Text in any of the character sets that documents and mail name, as UTF-8.
 *
 *     struct rf_str text = rf_charset_utf8(a, RF_STR("iso-2022-jp"), bytes);
 *
 * UTF-8, UTF-16 and windows-1252 are done here; the others are the C library's iconv, from a list
 * of names that we know, so that a document cannot choose which of its modules is loaded. Never
 * fails: what is not a character becomes U+FFFD, and an unknown set is read as UTF-8 where that is
 * valid, else as windows-1252. recode.h is for texts that may not say which set they are in.
 */
#ifndef RF_OFFICE_CHARSET_H
#define RF_OFFICE_CHARSET_H

#include "base/str.h"

struct rf_str rf_charset_utf8(struct rf_arena *a, struct rf_str charset, struct rf_str bytes);
/* The same, and how many bytes are not characters of the set. */
struct rf_str rf_charset_count(struct rf_arena *a, struct rf_str charset, struct rf_str bytes,
                               uint64_t *bad);
/* The same for a Windows code page: 1252, 932, 10000 (Macintosh), 65001 … */
struct rf_str rf_codepage_utf8(struct rf_arena *a, int page, struct rf_str bytes);
/* UTF-16 without a mark, little-endian; lone surrogates become U+FFFD. An odd last byte is left
 * out. */
struct rf_str rf_utf16le_utf8(struct rf_arena *a, struct rf_str bytes);
/* The character that windows-1252 has at a byte. */
uint32_t rf_charset_latin(uint32_t byte);
/* What people call the set: "Shift_JIS"; NULL where it is not known here. */
const char *rf_charset_shown(struct rf_str charset);
/* Is it known, and its converter at hand? */
bool rf_charset_can(struct rf_str charset);
/* May characters of ASCII stand for others in it? */
bool rf_charset_switches(struct rf_str charset);

/* Where iconv finds its modules: a worker that uses this may read these folders. */
#define RF_CHARSET_FOLDERS                                                                   \
    "/usr/lib/x86_64-linux-gnu/gconv", "/usr/lib/aarch64-linux-gnu/gconv", "/usr/lib/gconv", \
        "/usr/lib64/gconv"

#endif
