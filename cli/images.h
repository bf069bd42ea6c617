/* --images MODE: how a person wants pictures to be shown. */
#ifndef RF_CLI_IMAGES_H
#define RF_CLI_IMAGES_H

#include <stdbool.h>

#include <refract/error.h>
#include <refract/preview.h>

#define RF_IMAGES_HELP "show pictures by auto, kitty, iterm, sixel, blocks or none"

/* `*chosen` is false for "auto" and NULL: then the terminal says. Fails with RF_EUSAGE. */
enum rf_code rf_images_take(const char *mode, bool *chosen, enum rf_graphics *graphics,
                            struct rf_err *err);

#endif
