/* refract-media-pdf: the text, the looks and the parts of PDF files. protocol.h has its
 * operations. */
#ifndef RF_WORKER_PDF_PDF_H
#define RF_WORKER_PDF_PDF_H

#include "worker/frame.h"

#define RF_PDF_CPU_SECONDS 60 /* for one ask */

/* Callable in the process of a test, too: an answer whose socket is -1 goes nowhere. */
void rf_pdf_answer(const struct rf_ask *ask, struct rf_answer *to);

#endif
