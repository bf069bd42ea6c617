/* refract-media-image. */
#include "worker/image/image.h"

/* Fonts for texts in SVG, and what decoders of texts and pictures inside it load when they need it.
 */
static const char *const readable[] = {
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/usr/share/fontconfig",
    "/etc/fonts",
    "/var/cache/fontconfig",
    "/usr/share/mime",
    "/usr/lib",
    NULL,
};

static const struct rf_family family = {
    .name = "image",
    .start = rf_image_start,
    .answer = rf_image_answer,
    .readable = readable,
    .memory_bytes = (size_t)2 << 30,
    .cpu_seconds = 30,
};

int main(int argc, char **argv)
{
    return rf_worker_main(&family, argc, argv);
}
