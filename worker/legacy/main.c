/* refract-media-legacy: see legacy.h. */
#include "worker/legacy/legacy.h"
#include "worker/office/charset.h"

static const char *const readable[] = { RF_CHARSET_FOLDERS, NULL };

static const struct rf_family family = {
    .name = "legacy",
    .answer = rf_legacy_answer,
    .readable = readable,
    .memory_bytes = (size_t)1 << 30,
    .cpu_seconds = 30,
};

int main(int argc, char **argv)
{
    return rf_worker_main(&family, argc, argv);
}
