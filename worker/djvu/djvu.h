/* refract-media-djvu: the text of DjVu documents, and their pages as pictures.
 *
 * op=text gives a part of kind text a page, and a page that has none, which is a scan, as a
 * picture too, as far as `pictures` and `picture_bytes` go; op=media gives pages as pictures. The
 * keys and facts are those of the office family (media/protocol.h). */
#ifndef RF_DJVU_DJVU_H
#define RF_DJVU_DJVU_H

#include "worker/frame.h"

void rf_djvu_answer(const struct rf_ask *ask, struct rf_answer *to);

#endif
