/* refract-media-djvu: see djvu.h. */
#include "worker/djvu/djvu.h"

/* What DjVuLibre says in which language: it gives up where it cannot look that up. */
static const char *const readable[] = { "/usr/share/djvu", NULL };

static const struct rf_family family = {
    .name = "djvu",
    .answer = rf_djvu_answer,
    .readable = readable,
    .memory_bytes = (size_t)1 << 30,
    .cpu_seconds = 30,
};

int main(int argc, char **argv)
{
    return rf_worker_main(&family, argc, argv);
}
