#include "images.h"

#include <string.h>

#include "report.h"

enum rf_code rf_images_take(const char *mode, bool *chosen, enum rf_graphics *graphics,
                            struct rf_err *err)
{
    *chosen = false;
    if (!mode || strcmp(mode, "auto") == 0)
        return RF_OK;
    for (enum rf_graphics g = RF_GRAPHICS_NONE; g <= RF_GRAPHICS_KITTY; g++)
        if (strcmp(mode, rf_graphics_name(g)) == 0) {
            *chosen = true;
            *graphics = g;
            return RF_OK;
        }
    rf_say(err, RF_EUSAGE, "--images: \"%s\" is not a way to show pictures", mode);
    rf_say_hint(err, "It takes auto, kitty, iterm, sixel, blocks or none.");
    return RF_EUSAGE;
}
