/* What little of XML an answer of S3 has: elements by their name, and the text in them.
 *
 *     while (rf_xml_next(&list, "Contents", &one))
 *         key = rf_xml_get(one, "Key", a);
 *
 * An element's own kind is never inside of it there, so nothing here counts levels; comments,
 * attributes that matter and sections of characters do not come. Whatever else does is looked at
 * once from its beginning to its end, and means nothing. */
#ifndef RF_BUCKET_XML_H
#define RF_BUCKET_XML_H

#include "base/str.h"

/* The inside of the next element of that name, and `rest` is what comes after it; false where there
 * is none. */
bool rf_xml_next(struct rf_str *rest, const char *name, struct rf_str *inside);
/* The text of the first element of that name, with its entities decoded; empty where there is
 * none. */
struct rf_str rf_xml_get(struct rf_str s, const char *name, struct rf_arena *a);

#endif
