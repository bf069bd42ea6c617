/* Text out of pictures, through Tesseract.
 *
 *     op=text      languages ("eng+deu"; "eng" where none is named): one part of kind text, with
 *                  `confidence` (0 to 100); a part without text where the picture shows none. The
 *                  cells of a table are in one line, with " | " between them
 *
 * The picture is a PNG or a JPEG, the right way up: who has another kind has it converted first. It
 * refuses pictures that are too large to be read in the time of one ask, and languages that are not
 * installed.
 */
#ifndef RF_WORKER_OCR_H
#define RF_WORKER_OCR_H

#include "worker/frame.h"

/* Loads the data of the usual language. Returns NULL, or why there is no OCR here. */
const char *rf_ocr_start(void);
void rf_ocr_answer(const struct rf_ask *ask, struct rf_answer *to);
/* Where Tesseract's data lies: other languages are loaded when they are asked for. */
extern const char *const rf_ocr_folders[];

#endif
