/* The family "image": what a picture is, and the same picture smaller or in another format.
 *
 * image.c answers asks; picture.c opens files of every format; shape.c makes the pixels that were
 * asked for; flat.c looks whether they are a drawing or a photograph; encode.c writes them; draw.c
 * and chafa_library.c draw them for a terminal. Pixels are those of libvips, whose own choice of a
 * loader is never used: the loader is named by us, from the bytes. */
#ifndef RF_WORKER_IMAGE_IMAGE_H
#define RF_WORKER_IMAGE_IMAGE_H

#include "worker/frame.h"

/* Load libvips and the two of its modules that we use. NULL, or why it cannot be. */
const char *rf_image_start(void);
void rf_image_answer(const struct rf_ask *ask, struct rf_answer *to);

#endif
