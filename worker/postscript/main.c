/* refract-media-postscript: see postscript.h. */
#include "worker/postscript/postscript.h"

/* What Ghostscript starts from, and its fonts. */
static const char *const readable[] = {
    "/usr/share/ghostscript", "/var/lib/ghostscript", "/usr/share/color/icc",
    "/usr/share/fonts",       "/usr/share/poppler",   NULL,
};

static const struct rf_family family = {
    .name = "postscript",
    .start = rf_postscript_start,
    .answer = rf_postscript_answer,
    .readable = readable,
    .memory_bytes = (size_t)1 << 30,
    .cpu_seconds = 20,
};

int main(int argc, char **argv)
{
    return rf_worker_main(&family, argc, argv);
}
