/* A page that would never end ends its worker, but not what was said before: the pages that are
 * done stay, and a note says where it stopped.
 *
 *     rf_watch_begin(to, 7, drawn);
 *     …the engine works…
 *     rf_watch_end();
 *
 * Poppler cannot be told to stop. So the kernel tells us when a page's processor time is over, and
 * we say what there is to say and leave. It does nothing before rf_watch_start, as in tests.
 */
#ifndef RF_WORKER_PDF_WATCH_H
#define RF_WORKER_PDF_WATCH_H

#include "worker/frame.h"

#define RF_PAGE_CPU_SECONDS 10

void rf_watch_start(void);
/* `page` counts from 1; `done` is how many pages were answered. Nothing may be answered
 * meanwhile. */
void rf_watch_begin(struct rf_answer *to, int page, int done);
void rf_watch_end(void);

#endif
