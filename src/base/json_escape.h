/* Text as the inside of a JSON string: quotes, backslashes and control characters escaped, the
 * rest as it is. */
#ifndef RF_BASE_JSON_ESCAPE_H
#define RF_BASE_JSON_ESCAPE_H

#include "base/str.h"

/* By the letter of a two-character escape, the character that it stands for; 0 where there is
 * none. */
extern const char rf_json_unescaped[256];

#define RF_JSON_MOST_ESCAPED 6 /* bytes that one may become */
uint64_t rf_json_escaped_length(struct rf_str s);
/* The first characters that are within so many bytes when they are escaped. */
struct rf_str rf_json_escaped_front(struct rf_str s, uint64_t most);
/* Writes rf_json_escaped_length() bytes; returns how many. */
size_t rf_json_escape(struct rf_str s, char *out);
/* Bytes from the front that need no escape. */
size_t rf_json_plain(struct rf_str s);

#endif
