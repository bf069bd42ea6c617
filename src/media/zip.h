/* ZIP archives, as far as their members' names: which document an archive is. */
#ifndef RF_MEDIA_ZIP_H
#define RF_MEDIA_ZIP_H

#include "media/look.h"
#include "media/media.h"

/* docx, xlsx, pptx, odt, ods, odp or epub; RF_FORMAT_NONE for any other archive. */
enum rf_format_id rf_zip_format(struct rf_look *k);

/* Is the table of contents at the end there? A ZIP that was cut off has none. */
bool rf_zip_has_directory(struct rf_look *k);

#endif
