/* Files, pictures of them and their text as replies; of requests and of sessions. */
#ifndef RF_PAGE_MEDIA_H
#define RF_PAGE_MEDIA_H

#include "media/media.h"
#include "page/page.h"

/* By its first bytes; NULL: unknown. */
const struct rf_format *rf_page_format(const struct rf_bytes *bytes);

typedef void rf_page_send(struct rf_page_visit *v, const struct rf_bytes *bytes,
                          const struct rf_config *config);

rf_page_send rf_page_send_bytes, rf_page_send_thumbnail, rf_page_send_text;

#endif
