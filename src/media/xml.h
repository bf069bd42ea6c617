/* The front of an XML or HTML document: what its root element is called, and its attributes. Not a
 * parser: no entity is ever expanded, nothing after the root's start tag is looked at. */
#ifndef RF_MEDIA_XML_H
#define RF_MEDIA_XML_H

#include "media/look.h"

struct rf_xml_root {
    bool declared;       /* the text starts with <?xml */
    char doctype[16];    /* in lower case, cut to fit; "" where there is none */
    char name[16];       /* the same for the root, without its prefix; "" where none was found */
    uint64_t attributes; /* where they start */
};

/* False when the text does not start with markup. A root that lies too far away has no name. */
bool rf_xml_root(struct rf_look *k, struct rf_xml_root *out);

struct rf_xml_attribute {
    char name[16]; /* as written, cut to fit */
    char value[96];
};

/* The attribute at `*at`, which moves past it; false at the end of the tag. */
bool rf_xml_attribute(struct rf_look *k, uint64_t *at, struct rf_xml_attribute *out);

#endif
