/* refract-media-archive: see unpack.h. */
#include "worker/archive/unpack.h"
#include "worker/office/charset.h"

#include <locale.h>

static const char *const readable[] = { RF_CHARSET_FOLDERS, NULL };

/* Names that are kept as UTF-16 come out as UTF-8. */
static const char *start(void)
{
    return setlocale(LC_CTYPE, "C.UTF-8") ? NULL : "the locale C.UTF-8 is not there";
}

static const struct rf_family family = {
    .name = "archive",
    .start = start,
    .answer = rf_archive_answer,
    .readable = readable,
    .memory_bytes = (size_t)1 << 30,
    .cpu_seconds = 60,
};

int main(int argc, char **argv)
{
    return rf_worker_main(&family, argc, argv);
}
