/* The character set that a text names in its front, which may be wrong.
 *
 *     struct rf_str name = rf_declared(text);
 *
 * Names are where they stand in the text, and empty where it names none. */
#ifndef RF_MEDIA_DECLARED_H
#define RF_MEDIA_DECLARED_H

#include "base/str.h"

/* By a <meta> of HTML, an XML declaration, "@charset" of CSS, "coding:" in its first two lines, the
 * "Content-Type:" of a message catalogue. */
struct rf_str rf_declared(struct rf_str text);
struct rf_str rf_declared_by_meta(struct rf_str text);
struct rf_str rf_declared_by_xml(struct rf_str text);

/* The name in: word="name", `word` being in lower case. */
struct rf_str rf_declared_after(struct rf_str s, const char *word);

#endif
