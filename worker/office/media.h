/* The pictures inside a document: members of an archive that are named like pictures and lie where
 * documents keep them. */
#ifndef RF_OFFICE_MEDIA_H
#define RF_OFFICE_MEDIA_H

#include "base/str.h"

/* Is a member of this name a picture of the document? Its thumbnail is not. */
bool rf_media_is_picture(struct rf_str name);

#endif
