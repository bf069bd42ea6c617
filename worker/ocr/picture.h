/* The picture as Tesseract reads best: grey, upright pixels, letters neither tiny nor huge. */
#ifndef RF_WORKER_OCR_PICTURE_H
#define RF_WORKER_OCR_PICTURE_H

#include "worker/frame.h"

#include <leptonica/allheaders.h>

/* NULL after rf_answer_fail. Free it with pixDestroy. */
PIX *rf_ocr_picture(struct rf_str bytes, struct rf_answer *to);

#endif
