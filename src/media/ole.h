/* OLE2 compound files, the folders in a file of Office 97 to 2003: which document one is. */
#ifndef RF_MEDIA_OLE_H
#define RF_MEDIA_OLE_H

#include "media/look.h"
#include "media/media.h"

#define RF_OLE_MAGIC "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

struct rf_ole {
    enum rf_format_id format; /* doc, xls, ppt, encrypted OOXML, or none of them */
    bool encrypted;
};

/* False when the bytes are not a compound file, or its directory cannot be read. */
bool rf_ole_read(struct rf_look *k, struct rf_ole *out);

#endif
